"""Read a recipe file: plain YAML and nothing else, every fault with its line."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import yaml

from squtr.content import content
from squtr.errors import UserError, at, did_you_mean
from squtr.recipe import Recipe, check_recipe
from squtr.section import Location

_MOST_VALUES = 1_000_000
_LONGEST_NUMBER = 300


class _Loader(yaml.SafeLoader):
    """Plain YAML whose whole numbers can be printed: those of more digits than Python prints are refused."""

    def whole_number(self, node: yaml.ScalarNode) -> int:
        if len(node.value) > _LONGEST_NUMBER:
            problem = f"a number of more than {_LONGEST_NUMBER} digits"
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark)
        return int(self.construct_yaml_int(node))


_Loader.add_constructor("tag:yaml.org,2002:int", _Loader.whole_number)


def read_recipe(spec: str | Path) -> tuple[Recipe, Path]:
    """Read a recipe by path or built-in name; return it and the folder its paths start from.

    Raises UserError for a file that is no plain YAML mapping, a key given twice, and every wrong field.
    """
    path = find_recipe(spec)
    plain, tree = plain_yaml(path)
    if tree is None or not isinstance(plain, dict):
        raise UserError(f"{path}: a recipe is a mapping with at least name and collections.")
    return check_recipe(plain, str(path), functools.partial(line_of, tree)), path.parent


def plain_yaml(path: Path) -> tuple[Any, yaml.Node | None]:
    """Read plain YAML values, and the tree in which `line_of` finds their lines (None: an empty file).

    Raises UserError for a file that is no plain YAML, and for a key given twice.
    """
    try:
        loader = _Loader(path.read_text(encoding="utf-8-sig"))
        tree = loader.get_single_node()
        if tree is not None and _size(tree, {}) > _MOST_VALUES:
            raise UserError(f"{path}: aliases of aliases make more than {_MOST_VALUES:,} values of it.")
        plain = None if tree is None else loader.construct_document(tree)
    except yaml.reader.ReaderError as error:
        raise UserError(f"{path}: {_unreadable(error)}. Save it as plain YAML in UTF-8.") from None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise UserError(f"{at(path, line)}: not plain YAML: {error.problem}. Repair the line.") from None
    except UnicodeDecodeError as error:
        raise UserError(
            f"{path}: byte {error.start + 1} is no UTF-8. Save it as plain YAML in UTF-8."
        ) from None
    except (yaml.YAMLError, ValueError) as error:
        raise UserError(f"{path}: not plain YAML in UTF-8: {' '.join(str(error).split())}.") from None
    if tree is not None:
        _refuse_repeated_keys(tree, path, set())
    return plain, tree


def _unreadable(error: yaml.reader.ReaderError) -> str:
    code = error.character if isinstance(error.character, int) else ord(error.character[:1])
    return f"character {error.position + 1} is U+{code:04X}, which no YAML has"


def _size(node: yaml.Node, known: dict[int, int]) -> int:
    """Count a tree's values with every alias written out; an alias within itself counts once."""
    if id(node) not in known:
        known[id(node)] = 1
        members = node.value if isinstance(node.value, list) else []
        parts = (part for member in members for part in (member if isinstance(member, tuple) else (member,)))
        known[id(node)] = 1 + sum(_size(part, known) for part in parts)
    return known[id(node)]


def find_recipe(spec: str | Path) -> Path:
    """Return the file of a recipe given by path or built-in name."""
    path = Path(spec)
    if path.is_file():
        return path
    built_in = {file.stem: file for file in content("data_build", "recipes").glob("*.yaml")}
    built_in["squtr"] = content("data_build", "squtr.yaml")
    if str(spec) in built_in:
        return built_in[str(spec)]
    hint = did_you_mean(str(spec), built_in)
    raise UserError(f"{spec}: no such recipe file, and no built-in recipe of that name.{hint}")


def line_of(tree: yaml.Node, location: Location) -> int:
    """Return the line, from 1, of a place in a YAML tree, or of the nearest place above it."""
    line = tree.start_mark.line + 1
    node: yaml.Node | None = tree
    for part in location:
        key, node = _member(node, part)
        if node is None:
            break
        line = (key or node).start_mark.line + 1
    return line


def _member(node: yaml.Node | None, part: Any) -> tuple[yaml.Node | None, yaml.Node | None]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == str(part):
                return key, value
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        return None, node.value[part]
    return None, None


def _refuse_repeated_keys(node: yaml.Node, path: Path, seen: set[yaml.Node]) -> None:
    if node in seen:
        return
    seen.add(node)
    lines: dict[str, int] = {}
    for member in node.value if isinstance(node, yaml.CollectionNode) else ():
        if not isinstance(node, yaml.MappingNode):
            _refuse_repeated_keys(member, path, seen)
            continue
        key, value = member
        line = key.start_mark.line + 1
        if str(key.value) in lines:
            raise UserError(
                f"{at(path, line)}: {key.value} stands already on line {lines[str(key.value)]}. Keep one."
            )
        lines[str(key.value)] = line
        _refuse_repeated_keys(value, path, seen)
