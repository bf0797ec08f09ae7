"""Five conditions of one query set under BM25: squtr beside the naive way, in one run.

naive   for each condition anew: tokenise the corpus, index it with bm25s, tokenise the queries, search each
squtr   index once, search the texts of all conditions in one call, each distinct text once

Both take the same analyser, so that scores can be compared: the best 100 of each query must have the same
scores. `bm25s alone` is the naive way with bm25s' own tokeniser and stop words, whose scores differ: the time
that a script takes which does not care for an analyser. Seconds of CPU time, medians of the rounds, in which
all take turns.

The conditions of a query are the text as written and four in which each word is replaced by another word of
the corpus with a chance of 0, 2, 5 and 15 %, as a recogniser does that hears worse and worse.

Run: python benchmarks/bm25.py [--collection FOLDER | --documents 100000] [--queries 500] [--rounds 3]
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import bm25s
import numpy as np
import Stemmer

from squtr.collection import read_collection
from squtr.draw import draw
from squtr.records import Document
from squtr.retrievers.analyser import analyser
from squtr.retrievers.bm25 import Bm25

CHANCES = (0.0, 0.0, 0.02, 0.05, 0.15)
DEPTH = 100
TARGET = 4.0
K1, B = 0.9, 0.4

Conditions = list[list[str]]
Scores = list[list[float]]


def main() -> int:
    """Measure, print, and exit with 1 where scores differ or the target is missed."""
    options = _options()
    documents, queries = _collection(options)
    conditions = heard(queries, documents)
    ways: dict[str, Callable[[], Scores]] = {
        "naive": lambda: naive(documents, conditions),
        "squtr": lambda: ours(documents, conditions),
        "bm25s alone": lambda: bm25s_alone(documents, conditions),
    }
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(options.rounds):
        found = {}
        for name, way in ways.items():
            started = time.process_time()
            found[name] = way()
            seconds[name].append(time.process_time() - started)
        if not same(found["naive"], found["squtr"]):
            print("The scores differ.", file=sys.stderr)
            return 1
    medians = {name: statistics.median(each) for name, each in seconds.items()}
    told = {
        "documents": len(documents),
        "queries": len(queries),
        "conditions": len(CHANCES),
        "distinct_texts": len({text for texts in conditions for text in texts}),
        **{f"{name.replace(' ', '_')}_s": round(median, 2) for name, median in medians.items()},
        "ratio": round(medians["naive"] / medians["squtr"], 1),
        "ratio_to_bm25s_alone": round(medians["bm25s alone"] / medians["squtr"], 1),
    }
    print(
        json.dumps(told) if options.json else "\n".join(f"{name:22} {value}" for name, value in told.items())
    )
    return 0 if told["ratio"] >= TARGET else 1


def ours(documents: list[Document], conditions: Conditions) -> Scores:
    retriever = Bm25(k1=K1, b=B)
    retriever.index(documents, "en")
    found = retriever.search([text for texts in conditions for text in texts], DEPTH)
    return [list(ranking.values()) for ranking in found]


def naive(documents: list[Document], conditions: Conditions) -> Scores:
    tokens = analyser("en").tokens
    scores: Scores = []
    for texts in conditions:
        index = bm25s.BM25(k1=K1, b=B, method="lucene", backend="numpy")
        index.index([tokens(one.full_text) for one in documents], show_progress=False)
        scores += [
            _best(index, [term for term in tokens(text) if term in index.vocab_dict]) for text in texts
        ]
    return scores


def bm25s_alone(documents: list[Document], conditions: Conditions) -> Scores:
    stemmer, scores = Stemmer.Stemmer("english"), list[list[float]]()
    for texts in conditions:
        index = bm25s.BM25(k1=K1, b=B, method="lucene", backend="numpy")
        corpus = [one.full_text for one in documents]
        index.index(
            bm25s.tokenize(corpus, stopwords="en", stemmer=stemmer, show_progress=False), show_progress=False
        )
        asked = bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False, return_ids=False)
        for terms in asked:
            scores.append(_best(index, [term for term in terms if term in index.vocab_dict]))
    return scores


def _best(index: bm25s.BM25, terms: list[str]) -> list[float]:
    if not terms:
        return []
    found = index.retrieve([terms], k=min(DEPTH, index.scores["num_docs"]), show_progress=False)
    return [score for score in found.scores[0].tolist() if score > 0]


def same(left: Scores, right: Scores) -> bool:
    """Say whether both give each query as many hits with the same scores, to single precision."""
    return all(len(a) == len(b) and np.allclose(a, b, rtol=1e-5) for a, b in zip(left, right, strict=True))


def heard(queries: list[str], documents: list[Document]) -> Conditions:
    """Return the queries of each condition, words replaced by chance."""
    words = sorted({word for one in documents[:2000] for word in one.full_text.lower().split()})
    conditions = []
    for place, chance in enumerate(CHANCES):
        generator = draw(0, "benchmark-bm25", str(place))
        conditions.append(
            [
                " ".join(
                    words[int(generator.integers(len(words)))] if generator.random() < chance else word
                    for word in query.split()
                )
                for query in queries
            ]
        )
    return conditions


def made_up(count: int, queries: int) -> tuple[list[Document], list[str]]:
    """Return documents of 20 to 100 words, drawn by Zipf's law from 50,000, and queries of 4 to 12."""
    generator = draw(0, "benchmark-bm25", "corpus")
    names = np.array([f"w{number:x}" for number in range(50_000)])
    shares = 1 / np.arange(1, len(names) + 1)
    shares /= shares.sum()

    def texts(number: int, least: int, most: int) -> list[str]:
        lengths = generator.integers(least, most + 1, number)
        drawn = names[generator.choice(len(names), int(lengths.sum()), p=shares)]
        return [" ".join(part) for part in np.split(drawn, np.cumsum(lengths)[:-1])]

    return [Document(f"d{at}", "", text) for at, text in enumerate(texts(count, 20, 100))], texts(
        queries, 4, 12
    )


def _collection(options: argparse.Namespace) -> tuple[list[Document], list[str]]:
    if options.collection is None:
        return made_up(options.documents, options.queries)
    collection = read_collection(options.collection, "en")
    return list(collection.documents()), [query.text for query in collection.queries]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--collection", type=Path)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
