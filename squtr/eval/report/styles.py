"""How each series looks: a colour, a marker and a dash, alike in every figure and legend of the page.

Eight colours after Okabe and Ito (2008), darkened to a contrast of 3 on white. The page's style sheet gives
each a light and a dark value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from markupsafe import Markup
from matplotlib.markers import MarkerStyle
from matplotlib.transforms import Affine2D

COLOURS = ("#0072b2", "#d05a00", "#00805c", "#b3508a", "#8f6c00", "#2b2b2b", "#3a8fc0", "#8c2d04")
INK, GRID = "#111213", "#c9c9c8"
VARIABLES = {INK: "currentColor", GRID: "var(--grid)"} | {
    colour: f"var(--series-{number})" for number, colour in enumerate(COLOURS)
}
_MARKERS = "os^DvPX*"
_DASHES: tuple[tuple[float, ...], ...] = ((), (4, 2), (1.5, 1.5), (6, 1.5, 1.5, 1.5))
_MARKER_SIZE = 7.5


@dataclass(frozen=True, slots=True)
class Style:
    """Colour, marker and dash of one series; a hollow marker is filled with the page's background."""

    colour: str
    marker: str
    dash: tuple[float, ...]
    hollow: bool

    def swatch(self) -> Markup:
        """Return the legend's piece of line with the marker on it, as SVG."""
        colour = VARIABLES[self.colour]
        fill = "var(--card)" if self.hollow else colour
        dash = " ".join(map(str, self.dash)) or "none"
        return Markup(  # noqa: S704
            '<svg class="swatch" viewBox="0 0 32 12" aria-hidden="true" focusable="false">'
            f'<path d="M1 6H31" style="stroke:{colour};stroke-width:1.6;stroke-dasharray:{dash}"/>'
            f'<path d="{_outline(self.marker)}" style="fill:{fill};stroke:{colour};stroke-width:1.2"/></svg>'
        )


def style(number: int) -> Style:
    """Return the look of a series; 32 are distinct."""
    turn = number // len(COLOURS)
    marker = _MARKERS[(number + turn) % len(_MARKERS)]
    return Style(COLOURS[number % len(COLOURS)], marker, _DASHES[turn % len(_DASHES)], turn % 2 == 1)


def _outline(marker: str) -> str:
    shape = MarkerStyle(marker)
    size = Affine2D().scale(_MARKER_SIZE, -_MARKER_SIZE).translate(16, 6)
    path: Any = shape.get_path().transformed(shape.get_transform() + size)
    rings = (" ".join(f"{x:.2f},{y:.2f}" for x, y in ring) for ring in path.to_polygons())
    return "".join(f"M{ring}Z" for ring in rings)
