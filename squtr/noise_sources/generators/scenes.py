"""Scenes: the layers of each noise category, as a preset file says them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import yaml
from pydantic import BaseModel, Field, ValidationError

from squtr.content import content
from squtr.digest import digest
from squtr.errors import UserError, at, did_you_mean
from squtr.noise_sources.generators import GENERATORS
from squtr.noise_sources.generators.layer import Layer
from squtr.noise_sources.generators.spectra import Signal, band, unit_rms
from squtr.section import Section

_SLUG = r"[a-z0-9]+(-[a-z0-9]+)*"
_Slug = Annotated[str, Field(pattern=rf"^{_SLUG}$", max_length=64)]
_RUMBLE_HZ = 20.0
_LIMIT = 10.0
_DEEPEST = 12
_Place = tuple[str | int, ...]


class _Category(Section):
    title: Annotated[str, Field(min_length=1, max_length=80)]
    note: str = ""
    layers: Annotated[tuple[dict[str, Any], ...], Field(min_length=1, max_length=32)]


class _File(Section):
    name: _Slug
    title: str
    licence: str
    synthetic: Literal[True]
    categories: Annotated[dict[_Slug, _Category], Field(min_length=1)]


@dataclass(frozen=True)
class Scene:
    """One category: its slug, its name in the paper, how it is read here, and its layers in order."""

    category: str
    title: str
    note: str
    layers: tuple[tuple[str, Layer], ...]

    def render(self, rng: np.random.Generator, count: int) -> Signal:
        """Return the sum of the layers, shape (count,); each layer draws from a stream of its own.

        Peaks bend towards 20 dB above the RMS, as in a recorder's limiter.
        """
        streams = rng.spawn(len(self.layers))
        mix: Signal = np.zeros(count)
        for (_, layer), stream in zip(self.layers, streams, strict=True):
            mix += layer.sound(stream, count)
        mix = unit_rms(band(mix, _RUMBLE_HZ, None))
        return _LIMIT * np.tanh(mix / _LIMIT)


@dataclass(frozen=True)
class Preset:
    """A preset file: scenes in the order of the file, and the digest of all that shapes their sound."""

    name: str
    title: str
    licence: str
    scenes: tuple[Scene, ...]

    @property
    def digest(self) -> str:
        """The digest of categories and layers, defaults filled in; titles and notes do not count."""
        return digest(
            [
                [scene.category, [[name, layer.model_dump(mode="json")] for name, layer in scene.layers]]
                for scene in self.scenes
            ]
        )


def find_preset(spec: str | Path) -> Path:
    """Return the file of a preset given by path or built-in name. Raises UserError."""
    path = Path(spec)
    if path.is_file():
        return path
    folder = content("noise_sources")
    if path.name == str(spec) and (folder / f"{spec}.yaml").is_file():
        return folder / f"{spec}.yaml"
    hint = did_you_mean(str(spec), (file.stem for file in folder.glob("*.yaml")))
    raise UserError(f"{spec}: no such preset file, and no built-in preset of that name.{hint}")


def read_preset(path: Path) -> Preset:
    """Read and check a preset. Raises UserError that names file, line and every wrong key."""
    lines: dict[_Place, int] = {}
    try:
        node = yaml.compose(path.read_text(encoding="utf-8-sig"), Loader=yaml.SafeLoader)
        plain = _plain(node, (), lines, path) if node is not None else None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: not plain YAML in UTF-8: {' '.join(str(error).split())}.") from None
    faults = _Faults(path, lines)
    file = faults.check(_File, plain, ())
    if file is None or faults.messages:
        raise UserError("\n".join(faults.messages))
    scenes = tuple(
        Scene(slug, category.title, category.note, faults.layers(slug, category))
        for slug, category in file.categories.items()
    )
    if faults.messages:
        raise UserError("\n".join(faults.messages))
    return Preset(file.name, file.title, file.licence, scenes)


class _Faults:
    """Collects what is wrong with a file, each fault with its line."""

    def __init__(self, path: Path, lines: dict[_Place, int]) -> None:
        self.path = path
        self.lines = lines
        self.messages: list[str] = []

    def check(self, model: type[Any], plain: Any, place: _Place) -> Any:
        """Return the checked model, or None after taking down its faults."""
        try:
            return model.model_validate(plain)
        except ValidationError as error:
            for detail in error.errors():
                self._add((*place, *detail["loc"]), _message(detail, model))
        return None

    def layers(self, slug: str, category: _Category) -> tuple[tuple[str, Layer], ...]:
        """Return a category's layers, named by their generators."""
        checked = []
        for index, plain in enumerate(category.layers):
            place: _Place = ("categories", slug, "layers", index)
            settings = {key: value for key, value in plain.items() if key != "generator"}
            generator = str(plain.get("generator", ""))
            if generator not in GENERATORS:
                hint = did_you_mean(generator, GENERATORS)
                self._add((*place, "generator"), f"there is no generator {generator!r}.{hint}")
            elif (layer := self.check(GENERATORS[generator], settings, place)) is not None:
                checked.append((generator, layer))
        return tuple(checked)

    def _add(self, place: _Place, message: str) -> None:
        known = place
        while known and known not in self.lines:
            known = known[:-1]
        name = ".".join(str(part) for part in place) or "preset"
        self.messages.append(f"{at(self.path, self.lines.get(known))}: {name}: {message}")


def _message(detail: Any, model: type[BaseModel]) -> str:
    if detail["type"] == "extra_forbidden":
        return f"unknown key.{did_you_mean(str(detail['loc'][-1]), _keys(model, detail['loc'][:-1]))}"
    if detail["type"] == "missing":
        return "is missing."
    return f"{detail['msg'].removeprefix('Value error, ')} (found {detail['input']!r})."


def _keys(model: type[BaseModel], location: tuple[int | str, ...]) -> list[str]:
    keys = list(model.model_fields)
    for part in location:
        annotation = model.model_fields[part].annotation if part in model.model_fields else None
        options = [annotation, *getattr(annotation, "__args__", ())]
        inner = [option for option in options if isinstance(option, type) and issubclass(option, BaseModel)]
        if inner:
            model, keys = inner[0], list(inner[0].model_fields)
        elif part == "categories":
            model, keys = _Category, list(_Category.model_fields)
    return keys


def _plain(node: yaml.Node, place: _Place, lines: dict[_Place, int], path: Path) -> Any:
    lines[place] = node.start_mark.line + 1
    if not node.tag.startswith("tag:yaml.org,2002:") or "python" in node.tag or len(place) > _DEEPEST:
        raise UserError(f"{at(path, lines[place])}: only plain values, lists and mappings may stand here.")
    if isinstance(node, yaml.SequenceNode):
        return tuple(_plain(item, (*place, index), lines, path) for index, item in enumerate(node.value))
    if not isinstance(node, yaml.MappingNode):
        return yaml.SafeLoader("").construct_object(node)
    found: dict[str, Any] = {}
    for key_node, value_node in node.value:
        key = str(key_node.value)
        if key in found:
            raise UserError(f"{at(path, key_node.start_mark.line + 1)}: the key {key!r} stands twice.")
        inner: _Place = (*place, key)
        found[key] = _plain(value_node, inner, lines, path)
        lines[inner] = key_node.start_mark.line + 1
    return found
