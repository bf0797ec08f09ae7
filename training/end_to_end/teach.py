"""From clips to weights: taught on one part, picked and measured on texts and speakers held out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from squtr.embedders.pooling import pooled
from squtr.embedders.squtr_e2e import ANY, Projection, unit
from squtr.records import Document
from squtr.retrievers.dense import Dense
from training.end_to_end import judge
from training.end_to_end.fit import (
    Places,
    Rows,
    Settings,
    Taught,
    contrasted,
    projected,
    ridge,
    standard,
)
from training.end_to_end.speech import Clip
from training.end_to_end.texts import Text, make_texts

AMONG = (100, 1000)
OWN_MATRIX = ("zh",)


@dataclass(frozen=True)
class Data:
    """Clips with their standardised features, shape (n, f), and the unit rows of texts, less `query_mean`."""

    clips: tuple[Clip, ...]
    features: Rows
    mean: Rows
    scale: Rows
    rows: Mapping[str, Rows]
    query_mean: Rows


def teach(clips: Sequence[Clip], settings: Settings, pool: int) -> tuple[Projection, dict[str, Any]]:
    """Return the weights and what the log says of them; `pool` is how many held-out texts are ranked.

    All languages teach the matrix named `any`; one of OWN_MATRIX then goes on alone from there, as it has
    fewer clips. Of the matrices along the way the one with the best MRR on held-out clips is kept.
    """
    languages = list(dict.fromkeys(clip.text.language for clip in clips))
    pools = {language: held_out_texts(language, pool) for language in languages}
    data = prepared(clips, [text for found in pools.values() for text in found])
    judged = {language: Judged(data, language, pools[language]) for language in languages}
    matrices: dict[str, Rows] = {}
    curves: dict[str, Any] = {}
    for name in (ANY, *(name for name in OWN_MATRIX if name in languages)):
        watched = [judged[name]] if name in judged else list(judged.values())
        matrices[name], curves[name] = _matrix(data, name, matrices.get(ANY), settings, watched)
    found = {language: one.tables(matrices.get(language, matrices[ANY])) for language, one in judged.items()}
    passages = Dense().embed_documents(
        [Document(text, "", text) for text in sorted(_taught_texts(data.clips))]
    )
    projection = Projection(
        tuple(matrices),
        data.mean,
        data.scale,
        np.stack(list(matrices.values())),
        data.query_mean,
        passages.mean(axis=0),
    )
    return projection, {"clips": counts(clips), "curves": curves, "held_out": found}


def held_out_texts(language: str, count: int) -> tuple[Text, ...]:
    """Return the first `count` questions and statements that are not taught."""
    asked = count
    while True:
        found = [text for text in make_texts(language, asked) if text.group != "train"]
        if len(found) >= count:
            return tuple(found[:count])
        asked *= 2


def prepared(clips: Sequence[Clip], more: Sequence[Text]) -> Data:
    """Pool the clips and embed their texts and `more`."""
    features = np.stack([pooled(clip.frames.astype(np.float32)) for clip in clips])
    mean, scale = standard(features[_is_taught(clips)])
    texts = sorted({text.text for text in (*(clip.text for clip in clips), *more)})
    vectors = Dense().embed_queries(texts)
    taught = _taught_texts(clips)
    query_mean = vectors[[text in taught for text in texts]].mean(axis=0)
    rows = dict(zip(texts, unit(vectors - query_mean), strict=True))
    return Data(tuple(clips), (features - mean) / scale, mean, scale, rows, query_mean)


def counts(clips: Sequence[Clip]) -> dict[str, Any]:
    """Return clips and different texts by language, voice, group and condition."""
    named = Counter(f"{one.text.language} {one.voice} {one.text.group} {one.condition}" for one in clips)
    texts = Counter(
        f"{language} {group}"
        for language, group, _ in {(one.text.language, one.text.group, one.text.text) for one in clips}
    )
    return {"clips": dict(sorted(named.items())), "texts": dict(sorted(texts.items()))}


class Judged:
    """The held-out clips of one language whose texts stand in its pool of held-out texts."""

    def __init__(self, data: Data, language: str, pool: Sequence[Text]) -> None:
        place = {text.text: at for at, text in enumerate(pool)}
        self._pool = judge.Pool(tuple(pool), np.stack([data.rows[text.text] for text in pool]))
        chosen = [
            at
            for at, clip in enumerate(data.clips)
            if clip.text.language == language and clip.text.group != "train" and clip.text.text in place
        ]
        clips = [data.clips[at] for at in chosen]
        self._asked = judge.Asked(
            np.array([place[clip.text.text] for clip in clips], dtype=np.int64),
            tuple((clip.voice, clip.text.group, clip.condition) for clip in clips),
        )
        self._features = data.features[chosen]

    def mrr(self, matrix: Rows) -> float:
        """Return the mean reciprocal rank among the whole pool, over all held-out clips; 0 without any."""
        return float(judge.measured(self._ranks(matrix, len(self._pool.texts)))["mrr"] or 0.0)

    def tables(self, matrix: Rows) -> dict[str, Any]:
        """Return the measures by voice, group and condition, beside chance, for each size of pool."""
        return {
            f"among {among}": {
                "chance": judge.chance(among),
                **judge.table(self._ranks(matrix, among), self._asked.labels),
            }
            for among in sorted({min(among, len(self._pool.texts)) for among in AMONG})
        }

    def _ranks(self, matrix: Rows, among: int) -> Places:
        return judge.ranks(projected(self._features, matrix), self._asked, self._pool, among)


def _matrix(
    data: Data, name: str, start: Rows | None, settings: Settings, watched: Sequence[Judged]
) -> tuple[Rows, dict[str, Any]]:
    """Return the best matrix on the way of ridge (or `start`) and contrast, and the curve of held-out MRR."""
    members = _is_taught(data.clips)
    members &= np.array([name in (ANY, clip.text.language) for clip in data.clips])
    texts = sorted(_taught_texts(data.clips))
    place = {text: at for at, text in enumerate(texts)}
    taught = Taught(
        data.features[members],
        np.array([place[clip.text.text] for clip, is_one in zip(data.clips, members, strict=True) if is_one]),
        np.stack([data.rows[text] for text in texts]),
    )

    def held_out(matrix: Rows) -> float:
        return round(float(np.mean([one.mrr(matrix) for one in watched])), 4)

    best = ridge(taught, settings.strength) if start is None else start
    highest = held_out(best)
    points: list[dict[str, Any]] = [{"step": 0, "loss": None, "held_out_mrr": highest}]
    for step, loss, matrix in contrasted(taught, best, settings):
        reached = held_out(matrix)
        points.append({"step": step, "loss": round(loss, 4), "held_out_mrr": reached})
        if reached > highest:
            best, highest = matrix, reached
    return best, {"clips": int(members.sum()), "texts": len(texts), "points": points}


def _is_taught(clips: Sequence[Clip]) -> Any:
    return np.array([clip.text.group == "train" for clip in clips])


def _taught_texts(clips: Sequence[Clip]) -> set[str]:
    return {clip.text.text for clip in clips if clip.text.group == "train"}
