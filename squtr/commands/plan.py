"""squtr plan."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from squtr import plugins
from squtr.commands.build import changed_recipe, chosen_recipe
from squtr.counted import counted
from squtr.data_build.folder import refuse_file_as_out
from squtr.needs import Need
from squtr.plan.counts import KNOWN, READ, UNKNOWN
from squtr.plan.plan import Calls, Plan, plan

_COUNTED = {READ: "read here", KNOWN: "known facts", UNKNOWN: "not known"}
_HEADS = {
    "package": "Packages",
    "device": "Devices",
    "collection": "Collections",
    "model": "Models",
    "noise": "Noise",
    "speakers": "Speakers",
    "key": "Keys",
    "space": "Space on the disk",
}


def run_plan(
    recipe: str | None,
    collection: Path | None,
    language: str | None,
    limit: int | None,
    voice: str | None,
    out: Path,
) -> Plan:
    """Plan a recipe or a collection folder. Raises UserError for what is wrong with it."""
    refuse_file_as_out(out)
    chosen, base = chosen_recipe(recipe, collection, language)
    return plan(changed_recipe(chosen, base, limit, voice), base, out)


def show_plan(found: Plan, as_json: bool) -> None:
    """Print a plan."""
    if as_json:
        print(json.dumps(_plain(found), ensure_ascii=False, allow_nan=False))
        return
    console = Console(highlight=False)
    _show_head(found, console)
    console.print(_collections(found))
    console.print(_calls(found))
    _show_notes(found, console)
    _show_missing(found, console)


def _plain(found: Plan) -> dict[str, Any]:
    return {
        "recipe": found.recipe.name,
        "ready": found.is_ready,
        "queries": found.queries,
        "takes": found.takes,
        "recordings": found.recordings,
        "conditions": list(found.recipe.condition_names),
        "clean_seconds": round(found.clean_seconds),
        "audio_seconds": round(found.clean_seconds * len(found.recipe.mix.condition_names)),
        "bytes": found.bytes,
        "usd": found.usd,
        "collections": [asdict(one) for one in found.collections],
        "calls": [asdict(one) for one in found.calls],
        "needs": [asdict(need) for need in found.needs],
    }


def _show_head(found: Plan, console: Console) -> None:
    conditions = found.recipe.condition_names
    hours, each = found.clean_seconds / 3600, len(found.recipe.mix.condition_names)
    console.print(
        f"{found.recipe.name}: {counted(found.queries, 'query')}, {counted(found.takes, 'take')},"
        f" {counted(found.recordings, 'recording')} under {counted(len(conditions), 'condition')}"
        f" ({', '.join(conditions)})."
    )
    console.print(f"About {_hours(hours)} of clean speech, {_hours(hours * each)} of audio in all.")


def _collections(found: Plan) -> Table:
    table = Table(title="Collections", title_justify="left")
    table.add_column("subset", overflow="fold")
    for name in ("queries", "seconds", "speech", "corpus"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("counted", no_wrap=True)
    for one in found.collections:
        source = _COUNTED[one.counted]
        if one.counted == UNKNOWN:
            table.add_row(one.subset, "?", "?", "?", "?", source)
            continue
        table.add_row(
            one.subset,
            f"{one.queries:,}",
            f"{one.seconds:.2f}",
            _hours(one.queries * one.seconds / 3600),
            _size(one.corpus_bytes),
            source,
        )
    return table


def _calls(found: Plan) -> Table:
    table = Table(title="Model calls, if nothing is rejected", title_justify="left")
    table.add_column("stage", no_wrap=True)
    table.add_column("engine", overflow="fold")
    table.add_column("calls", justify="right", no_wrap=True)
    table.add_column("price", justify="right", no_wrap=True)
    for one in found.calls:
        table.add_row(one.stage, _engine(one, found), f"{one.calls:,}", _price(one))
    return table


def _engine(one: Calls, found: Plan) -> str:
    """Return an engine's name with its model, and the languages it serves if it serves not all."""
    name, options = plugins.split_spec(one.engine)
    model = Path(str(options.get("model", ""))).name
    named = f"{name} {model}".strip()
    return (
        named
        if set(one.languages) == set(found.recipe.languages)
        else f"{named} ({', '.join(one.languages)})"
    )


def _price(one: Calls) -> str:
    if one.stage == "screen" and not one.calls:
        return "kept from choose"
    if one.usd is None:
        return "-"
    return _usd(one.usd) if one.usd else "not given"


def _usd(price: float) -> str:
    return f"{price:,.2f} USD" if price >= 0.01 else "below 0.01 USD"


def _show_notes(found: Plan, console: Console) -> None:
    size = found.bytes
    console.print(
        f"Disk: {_size(sum(size.values()))} = audio {_size(size['audio'])} + takes kept in the cache"
        f" {_size(size['cache'])} + corpora {_size(size['corpora'])}"
        + (f" + their downloads {_size(size['downloads'])}." if size["downloads"] else ".")
    )
    for need in found.needs:
        if need.kind == "space":
            console.print(f"Room for it: {need.name}.", soft_wrap=True)
    if found.usd:
        console.print(
            f"Price: at most {_usd(found.usd)} by the recipe's prices; what is rejected on its error rate"
            " is judged by nobody, repeated requests come on top."
        )
    console.print(
        "Seconds: the published means for SQuTR's subsets, elsewhere characters at the language's middle"
        " pace. Embeddings are no part of a build."
    )
    unknown = [one.subset for one in found.collections if one.counted == UNKNOWN]
    if unknown:
        console.print(f"Not counted, for they are not on this machine: {', '.join(unknown)}.")


def _show_missing(found: Plan, console: Console) -> None:
    missing = found.missing
    if not missing:
        console.print(Text("Nothing is missing on this machine.", "bold"))
        return
    console.print()
    console.print(Text(f"Missing on this machine: {len(missing)}", "bold"))
    if any(need.how.startswith("hf ") for need in missing):
        console.print("The build itself fetches what `hf download` names, or you do before it.")
    for kind, head in _HEADS.items():
        by_how = _by_how([need for need in missing if need.kind == kind])
        if by_how:
            console.print(head)
        for how, needs in by_how.items():
            names = "" if how.startswith("hf ") else f"  {', '.join(need.name for need in needs)}\n  "
            console.print(Text(f"{names}  {how}"), soft_wrap=True)


def _by_how(needs: list[Need]) -> dict[str, list[Need]]:
    found: dict[str, list[Need]] = {}
    for need in needs:
        found.setdefault(need.how, []).append(need)
    return found


def _hours(hours: float) -> str:
    return f"{hours:,.1f} h" if hours >= 1 else f"{hours * 60:.1f} min"


def _size(count: int) -> str:
    if count >= 1e9:
        return f"{count / 1e9:,.1f} GB"
    return f"{count / 1e6:,.1f} MB" if count >= 1e5 else f"{count / 1e3:.1f} kB"
