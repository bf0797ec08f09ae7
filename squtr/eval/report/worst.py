"""The queries that suffer most: what was said, what was heard, with the differences marked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from squtr.errors import UserError
from squtr.eval.report.players import Clip, Place
from squtr.eval.report.table import Table, score_cell
from squtr.eval.report.view import SubsetView
from squtr.eval.report.words import (
    TEXT_LENGTH,
    Label,
    condition_label,
    label,
    number,
    ordered,
    percent,
    prose,
    score,
)
from squtr.text import Edit, align, normaliser

MOST_UNITS = 120


@dataclass(frozen=True, slots=True)
class Piece:
    """Some units of a transcript: "hit", "lost" (not heard), "added" (heard instead), "more" (left out)."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class HeardCard:
    """One condition of one query."""

    condition: str
    pieces: tuple[Piece, ...]
    joiner: str
    transcript: str
    facts: tuple[str, ...]
    clip: Clip
    file: Label


@dataclass(frozen=True, slots=True)
class QueryCard:
    """One query under every condition, with its scores."""

    text: Label
    language: str
    id: Label
    fall: str
    heard: tuple[HeardCard, ...]
    scores: Table


def query_cards(view: SubsetView, clips: dict[Place, Clip]) -> list[QueryCard]:
    """Return the cards of a subset, the worst query first."""
    return [_card(view, query, clips) for query in view.results["worst_queries"].get(view.key, [])]


def marked(text: str, transcript: str, language: str) -> tuple[tuple[Piece, ...], str]:
    """Return the transcript in normalised units with its differences from the text, and what joins them."""
    try:
        edits = align(text, transcript, language)
        joiner = " " if normaliser(language).unit == "word" else ""
    except UserError:
        return (Piece("hit", label(prose(transcript), TEXT_LENGTH).text),), ""
    pieces: list[Piece] = []
    left = MOST_UNITS
    for edit in edits:
        if left <= 0:
            pieces.append(Piece("more", "…"))
            break
        pieces += _pieces(edit, left, joiner)
        left -= max(len(edit.reference), len(edit.hypothesis))
    return tuple(pieces), joiner


def _pieces(edit: Edit, most: int, joiner: str) -> list[Piece]:
    heard = visible_units(edit.hypothesis, most, joiner)
    if edit.kind == "hit":
        return [Piece("hit", heard)]
    lost = visible_units(edit.reference, most, joiner)
    return [Piece(kind, text) for kind, text in (("lost", lost), ("added", heard)) if text]


def visible_units(units: tuple[str, ...], most: int, joiner: str) -> str:
    """Join at most `most` units for display."""
    return prose(joiner.join(units[:most])) + ("…" if len(units) > most else "")


def _card(view: SubsetView, query: dict[str, Any], clips: dict[Place, Clip]) -> QueryCard:
    conditions = ordered(name for row in query["scores"].values() for name in row)
    rows = tuple(
        (label(system), tuple(score_cell(scores.get(name), "no such run") for name in conditions))
        for system, scores in query["scores"].items()
    )
    columns = tuple(Label(condition_label(name)) for name in conditions)
    return QueryCard(
        label(prose(query["text"]), TEXT_LENGTH),
        view.language,
        label(query["query_id"]),
        score(query["mean_fall"]),
        tuple(_heard(view, query, name, clips) for name in ordered(query["heard"])),
        Table(f"{view.measure} of this query.", "system", columns, rows),
    )


def _heard(view: SubsetView, query: dict[str, Any], condition: str, clips: dict[Place, Clip]) -> HeardCard:
    heard = query["heard"][condition]
    pieces, joiner = marked(heard.get("spoken") or query["text"], heard["transcript"], view.language)
    absent = Clip(None, "not embedded, to keep this page small")
    return HeardCard(
        condition_label(condition),
        pieces if heard["status"] == "ok" else (),
        joiner,
        label(prose(heard["transcript"]), TEXT_LENGTH).text,
        _facts(view, heard),
        clips.get((view.key, query["query_id"], condition), absent),
        label(heard["audio"], 80),
    )


def _facts(view: SubsetView, heard: dict[str, Any]) -> tuple[str, ...]:
    said = {"empty": "nothing heard", "failed": f"failed: {label(heard['reason'] or 'no reason', 200).text}"}
    facts = [said[heard["status"]]] if heard["status"] in said else []
    facts.append(f"{view.rate_name} {percent(heard['error_rate'])}")
    if heard["noise_id"]:
        facts.append(label(heard["noise_id"]).text)
    if heard["realised_snr_db"] is not None:
        facts.append(f"realised {number(heard['realised_snr_db'], 2)}\u202fdB")
    return tuple(facts)
