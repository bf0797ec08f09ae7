"""The data set card: what a data set holds and what was realised, in words."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, StrictUndefined

from squtr.content import content
from squtr.data_build.assemble import Counts
from squtr.data_build.check import Checked
from squtr.recipe import spec_for
from squtr.store import write_atomic


def write_card(out: Path, checked: Checked, counts: Counts) -> None:
    """Write README.md with YAML front matter from the template in data_build/."""
    template = content("data_build", "card.md.j2").read_text(encoding="utf-8")
    environment = Environment(undefined=StrictUndefined, trim_blocks=True, autoescape=False)  # noqa: S701
    text = environment.from_string(template).render(
        recipe=checked.recipe,
        voices=sorted({spec_for(checked.recipe.speak.voice, language) for language in checked.speakers}),
        collections=checked.selection.collections,
        languages=sorted(checked.speakers),
        counts=counts,
        rejected=sum(counts.rejected.values()),
        left_out=checked.description["left_out"],
        digest=checked.recipe.digest,
        noise=checked.description.get("noise"),
        synthetic=all(recording.synthetic for recording in checked.recordings),
        categories=sorted({recording.category for recording in checked.recordings}),
    )
    write_atomic(out / "README.md", text.rstrip() + "\n")
