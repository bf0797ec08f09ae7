"""Prompts: what stands in front of a query and of a document, declared and never guessed in silence."""

from __future__ import annotations

import functools
import json
import re
from dataclasses import dataclass
from pathlib import Path

from squtr.content import content
from squtr.errors import UserError, did_you_mean
from squtr.section import Section, check_section

MODEL = "model"
_CONFIGURATION = "config_sentence_transformers.json"
_DOCUMENT_NAMES = ("document", "passage", "corpus")


class Family(Section):
    """One entry of eval/prompts.yaml; `models` are patterns for the last part of a model's name."""

    models: tuple[str, ...]
    query: str
    document: str


@dataclass(frozen=True, slots=True)
class Prompts:
    """The prompts in use and where they come from: spec, preset NAME, or model."""

    query: str
    document: str
    source: str

    @property
    def description(self) -> str:
        """The prompts as fingerprints have them."""
        return f"query={self.query!r} document={self.document!r} ({self.source})"


def chosen_prompts(
    name: str, folder: Path | None, preset: str | None, query: str | None, document: str | None
) -> Prompts:
    """Return the prompts of the model `name`, whose files lie in `folder`, if it has one.

    What the spec says wins (`query`, `document`), then a preset of eval/prompts.yaml, then what the model's
    own configuration declares. Raises UserError for an unknown preset, and where none of the three says
    anything but the name is that of a family that wants prompts: whoever leaves them out means it.
    """
    if query is not None or document is not None:
        return Prompts(query or "", document or "", "spec")
    known = families()
    if preset not in (None, MODEL):
        if preset not in known:
            raise UserError(f"prompt is {preset!r}.{did_you_mean(str(preset), [MODEL, *known])}")
        return Prompts(known[preset].query, known[preset].document, f"preset {preset}")
    declared = None if folder is None else declared_prompts(folder)
    family = family_of(name)
    if preset is None and declared is None and family is not None and (known[family].query):
        raise UserError(
            f"{name}: declares no prompts, but models of this name want some, and scores depend on them. Give"
            f" prompt={family} (or prompt=none), or write query_prompt=... and document_prompt=...."
        )
    return declared or Prompts("", "", MODEL)


def declared_prompts(folder: Path) -> Prompts | None:
    """Return the prompts of a model's configuration as sentence-transformers uses them; None without any."""
    try:
        plain = json.loads((folder / _CONFIGURATION).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise UserError(f"{folder / _CONFIGURATION}: cannot be read ({error}).") from None
    prompts = plain.get("prompts") or {} if isinstance(plain, dict) else {}
    default = prompts.get(plain.get("default_prompt_name")) or "" if prompts else ""
    document = next((prompts[name] for name in _DOCUMENT_NAMES if name in prompts), default)
    query = prompts.get("query", default)
    return Prompts(query, document, MODEL) if query or document else None


def family_of(name: str) -> str | None:
    """Return the family that a model's name belongs to, if any."""
    last = name.rstrip("/").rpartition("/")[2].lower()
    for family, entry in families().items():
        if any(re.fullmatch(pattern, last) for pattern in entry.models):
            return family
    return None


@functools.cache
def families() -> dict[str, Family]:
    """Return the presets of eval/prompts.yaml by name. Raises UserError for a faulty file."""
    from squtr.recipe_file import plain_yaml

    path = content("eval", "prompts.yaml")
    plain, _ = plain_yaml(path)
    return {name: check_section(Family, row, f"{path}: {name}") for name, row in plain.items()}
