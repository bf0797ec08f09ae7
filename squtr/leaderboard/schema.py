"""What a submission says: system.yaml, written by its authors, and submission.json, written by squtr."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, Field, model_validator

from squtr.content import content
from squtr.data_build.layout import file_form
from squtr.leaderboard.texts import Line, Link, Name, Prompt, Spec, plain_line
from squtr.section import NAME, FaultAt, Section
from squtr.store import write_atomic

SCHEMA_VERSION = 1
MOST_DOCUMENTS = 100
TEXT = "text"
FAMILIES = Literal[
    "cascade-bm25",
    "cascade-dense",
    "cascade-sparse",
    "late-interaction",
    "hybrid",
    "rerank",
    "adaptive",
    "end-to-end",
    "oracle-text",
    "other",
]
_HEAR_NOTHING = ("end-to-end", "oracle-text")
_MAY_HEAR = (*_HEAR_NOTHING, "other")

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
SubsetKey = Annotated[str, Field(pattern=r"^[a-z]{2,3}(-[A-Za-z]{2,8})?/\w[\w.-]{0,99}$")]
Condition = Annotated[
    str,
    Field(max_length=300, pattern=r"^([^/<>\s][^<>\n]*/)?[a-z][a-z0-9_.-]*$"),
    AfterValidator(plain_line),
]
Identifier = Annotated[str, Field(max_length=100, pattern=NAME)]
MOST_COUNTED = 2**53 - 1  # what a script reads exactly
Count = Annotated[int, Field(ge=0, le=MOST_COUNTED)]


class Component(Section):
    """A recogniser or a retriever."""

    name: Name = Field(description="Its name, such as whisper-base or BAAI/bge-m3.")
    revision: Line | None = Field(
        default=None, description="Version, commit or digest: what another would need to get the same one."
    )
    parameters: Count | None = Field(default=None, description="How many parameters its models have.")
    link: Link | None = Field(default=None, description="Where it can be had.")


class System(Section):
    """system.yaml: who made a system, and of what."""

    name: Name = Field(description="The name on the board; never to be used for another system.")
    authors: Annotated[tuple[Name, ...], Field(min_length=1, max_length=50)]
    links: Annotated[tuple[Link, ...], Field(max_length=10)] = Field(
        default=(), description="Paper, code, models: http or https."
    )
    family: FAMILIES = Field(
        description="What kind of system. All but end-to-end, oracle-text and other name a recogniser."
    )
    recogniser: Component | None = Field(default=None, description="What hears; none for end-to-end systems.")
    retriever: Component = Field(description="What searches, or embeds speech and documents.")
    parameters: Count = Field(description="Parameters of all its models together; 0 for BM25 on given text.")
    prompts: Annotated[dict[Name, Prompt], Field(max_length=20)] = Field(
        default={}, description="Every prefix, instruction or prompt, by what it is for: query, document."
    )
    training_sets: Annotated[tuple[Name, ...], Field(max_length=200)] = Field(
        description="What its models were trained on, [] for nothing: decides what counts as zero-shot."
    )
    licence: Name = Field(description="Of the system, an SPDX id where there is one, or closed.")
    hardware: Line = Field(description="What it ran on.")
    wall_seconds: Annotated[float, Field(ge=0)] | None = Field(
        default=None, description="Seconds for all its queries; default: those of the evaluation."
    )

    @model_validator(mode="after")
    def _hears_as_its_family_does(self) -> System:
        if self.recogniser is None and self.family not in _MAY_HEAR:
            raise FaultAt(f"a system of family {self.family} hears: name its recogniser", "recogniser")
        if self.recogniser is not None and self.family in _HEAR_NOTHING:
            raise FaultAt(f"a system of family {self.family} has no recogniser: leave it out", "recogniser")
        return self


class SubsetFacts(Section):
    """Digests of one subset of the data set: `fingerprint` is over its queries, judgements and documents."""

    fingerprint: Sha256
    qrels: Sha256
    audio: Sha256 | None = None


class DataFacts(Section):
    """The data set that was searched."""

    name: Line
    slice: bool
    subsets: Annotated[dict[SubsetKey, SubsetFacts], Field(min_length=1, max_length=200)]


class Cell(Section):
    """Claimed scores under one condition; `unanswered` names judged queries without a response."""

    measures: dict[Name, float]
    queries: Count
    no_response: Count
    unanswered: tuple[str, ...] = ()
    ranking: Sha256


class Made(Section):
    """The system's name within the evaluation, and the fingerprints of what made its runs."""

    system: Spec
    fingerprint: Prompt
    recogniser: Spec | None
    recogniser_fingerprint: Prompt | None
    command: Prompt
    seed: Annotated[int, Field(ge=-MOST_COUNTED, le=MOST_COUNTED)]
    normalisers: dict[Name, Line]
    wall_seconds: Annotated[float, Field(ge=0)]


class Commit(Section):
    """The commit that squtr ran from."""

    id: Line
    dirty: bool


class Environment(Section):
    """Versions, as `results.json` has them."""

    squtr: Line
    commit: Commit | None = None
    python: Line
    machine: Line
    system: Line
    packages: dict[Name, Line] = Field(default={})


def _known_version(version: int) -> int:
    if version != SCHEMA_VERSION:
        raise ValueError(f"is of another version; this squtr reads {SCHEMA_VERSION}")
    return version


class Submission(Section):
    """submission.json: what was measured, on what, with what; every other file with its SHA-256."""

    schema_version: Annotated[int, AfterValidator(_known_version)]
    id: Identifier
    dataset: DataFacts
    depth: Annotated[int, Field(ge=10, le=MOST_DOCUMENTS)]
    measures: dict[Name, Line]
    main_measure: Name
    made: Made
    environment: Environment
    scores: Annotated[dict[SubsetKey, dict[Condition, Cell]], Field(min_length=1, max_length=200)]
    files: dict[str, Sha256]

    @property
    def has_transcripts(self) -> bool:
        """Whether transcripts go along."""
        return self.made.recogniser is not None

    @property
    def cells(self) -> list[tuple[str, str]]:
        """Every (subset, condition) that has a run."""
        return [(key, condition) for key, conditions in self.scores.items() for condition in conditions]

    @property
    def names(self) -> set[str]:
        """Every file that a submission of this kind has beside submission.json."""
        runs = {run_name(*cell) for cell in self.cells}
        heard = {transcript_name(*cell) for cell in self.cells if cell[1] != TEXT and self.has_transcripts}
        return {SYSTEM_FILE, *runs, *heard}


SUBMISSION_FILE, SYSTEM_FILE = "submission.json", "system.yaml"


def run_name(key: str, condition: str) -> str:
    """Return where the run of a subset and condition lies within a submission."""
    return f"runs/{key}/{file_form(condition)}.run.gz"


def transcript_name(key: str, condition: str) -> str:
    """Return where the transcripts of a subset and condition lie within a submission."""
    return f"transcripts/{key}/{file_form(condition)}.jsonl.gz"


def schemas() -> dict[str, dict[str, Any]]:
    """Return the JSON Schemas by file name, for editors and other programs."""
    models: dict[str, type[BaseModel]] = {
        "submission.schema.json": Submission,
        "system.schema.json": System,
    }
    draft = "https://json-schema.org/draft/2020-12/schema"
    return {name: {"$schema": draft, **model.model_json_schema()} for name, model in models.items()}


def write_schemas(folder: Path | None = None) -> None:
    """Write the JSON Schemas to leaderboard/, or to `folder`."""
    for name, schema in schemas().items():
        text = json.dumps(schema, ensure_ascii=False, indent=1)
        write_atomic((folder or content("leaderboard")) / name, f"{text}\n")
