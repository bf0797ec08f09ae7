"""Scores and error rates at the size of the published benchmark, and the speed of the normaliser.

metrics       37,317 queries x 4 conditions, 100 documents each (149,268 lists): nDCG@10, MRR@10 and Recall@10
              of every query; pytrec_eval alone on the same runs beside it
error rates   37,317 pairs of normalised sentences, a tenth of the words wrong: counts and the pooled rate;
              jiwer on the same pairs beside it
normaliser    the error-rate normaliser over sentences of the embedded collection, each once; beside it the
              text normaliser of WeTextProcessing (pip install WeTextProcessing), grammars built beforehand,
              called for each of the first 200

CPU time of one process; the first use of each (tables, grammars) is told apart.

Run: python benchmarks/scoring.py [--queries 37317] [--json]
"""

from __future__ import annotations

import argparse
import json
import logging
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytrec_eval

from squtr.content import content
from squtr.eval.scores import score_runs
from squtr.text import corpus_rate, count_errors_units, normaliser

CONDITIONS = ("clean", "snr_20", "snr_10", "snr_0")
DEPTH = 100
WORDS = [f"w{number}" for number in range(2_000)]


def seconds(call: Callable[[], object]) -> float:
    started = time.process_time()
    call()
    return time.process_time() - started


def metrics(queries: int) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    documents = np.array([f"doc-{number}" for number in range(50_000)])
    names = [f"q{number}" for number in range(queries)]
    qrels = {name: dict.fromkeys(documents[rng.integers(50_000, size=2)].tolist(), 1) for name in names}
    runs: dict[str, dict[str, dict[str, float]]] = {}
    for condition in CONDITIONS:
        scores = (1 - np.arange(DEPTH) / 256).tolist()
        starts = rng.integers(50_000 - DEPTH, size=queries)
        runs[condition] = {
            name: dict(zip(documents[at : at + DEPTH].tolist(), scores, strict=True))
            for name, at in zip(names, starts, strict=True)
        }
    engine = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10", "recip_rank", "recall.10"})
    return {
        "instances": queries * len(CONDITIONS),
        "squtr_s": round(seconds(lambda: score_runs(qrels, runs)), 2),
        "pytrec_eval_s": round(seconds(lambda: [engine.evaluate(run) for run in runs.values()]), 2),
    }


def error_rates(pairs: int) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    references, hypotheses = [], []
    for _ in range(pairs):
        words = [WORDS[place] for place in rng.integers(len(WORDS), size=int(rng.integers(4, 16)))]
        heard = [word if rng.random() > 0.1 else "wrong" for word in words if rng.random() > 0.02]
        references.append(words)
        hypotheses.append(heard)
    found: dict[str, Any] = {"pairs": pairs}
    found["squtr_s"] = round(seconds(lambda: corpus_rate(count_errors_units(references, hypotheses))), 2)
    try:
        import jiwer
    except ImportError:
        return found
    told, said = ([" ".join(words) for words in side] for side in (references, hypotheses))
    found["jiwer_s"] = round(seconds(lambda: jiwer.wer(told, said)), 2)
    ours = corpus_rate(count_errors_units(references, hypotheses))["rate"]
    if not abs(ours - jiwer.wer(told, said)) < 1e-12:
        raise AssertionError("The two rates differ.")
    return found


def sentences(language: str) -> list[str]:
    """Return sentences of the embedded collection, each once."""
    parts: dict[str, None] = {}
    corpus = content("data_build", "pocket", language, "corpus.jsonl").read_text(encoding="utf-8")
    for line in corpus.splitlines():
        found = re.split(r"(?<=[.!?。！？])\s*", json.loads(line)["text"])
        parts.update(dict.fromkeys(filter(None, found)))
    return list(parts)


def normalisers(language: str, alone: bool) -> dict[str, Any]:
    texts = sentences(language)
    ours = normaliser(language)
    found: dict[str, Any] = {"sentences": len(texts), "characters": round(statistics.mean(map(len, texts)))}
    found["squtr_first_ms"] = round(1e3 * seconds(lambda: ours.clean("a")), 1)
    found["squtr_us"] = round(1e6 * seconds(lambda: [ours.clean(text) for text in texts]) / len(texts), 1)
    theirs, few = None if alone else wetextprocessing(language), texts[:200]
    if theirs is None:
        return found
    found["wetextprocessing_us"] = round(1e6 * seconds(lambda: _each(theirs, few)) / len(few), 1)
    found["wetextprocessing_raised"] = _each(theirs, few)
    found["ratio"] = round(found["wetextprocessing_us"] / found["squtr_us"], 1)
    return found


def _each(call: Callable[[str], str], texts: Sequence[str]) -> int:
    """Call it on each text; return how many it raised on."""
    raised = 0
    for text in texts:
        try:
            call(text)
        except Exception:
            raised += 1
    return raised


def wetextprocessing(language: str) -> Callable[[str], str] | None:
    logging.disable(logging.INFO)
    try:
        from tn.chinese.normalizer import Normalizer as Chinese
        from tn.english.normalizer import Normalizer as English
    except ImportError:
        return None
    folder = tempfile.mkdtemp()
    made = (Chinese if language == "zh" else English)(cache_dir=folder, overwrite_cache=True)
    call: Callable[[str], str] = made.normalize
    return call


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--queries", type=int, default=37_317)
    parser.add_argument("--json", action="store_true")
    parser.add_argument(
        "--alone", action="store_true", help="no WeTextProcessing, whose grammars take minutes"
    )
    options = parser.parse_args()
    found = {
        "metrics": metrics(options.queries),
        "error_rates": error_rates(options.queries),
        **{f"normaliser_{language}": normalisers(language, options.alone) for language in ("en", "zh")},
    }
    if options.json:
        print(json.dumps(found))
        return
    for name, values in found.items():
        print(f"{name}: " + ", ".join(f"{key} {value}" for key, value in values.items()))


if __name__ == "__main__":
    main()
