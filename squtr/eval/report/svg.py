"""Matplotlib figures as inline SVG: the page's own colours and fonts, ids that are unique in the page."""

from __future__ import annotations

import io
import re
import warnings
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib
from markupsafe import Markup
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from squtr.eval.report.styles import GRID, INK, VARIABLES

SETTINGS: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "squtr",
    "font.size": 11.5,
    "axes.labelsize": 11.5,
    "xtick.labelsize": 11,
    "ytick.labelsize": 11,
    "font.family": "DejaVu Sans",
    "axes.edgecolor": GRID,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "hatch.color": INK,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "xtick.color": GRID,
    "ytick.color": GRID,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "text.parse_math": False,
}
WIDTH, HEIGHT = 340, 250
_SVG = "http://www.w3.org/2000/svg"
_LINK = "{http://www.w3.org/1999/xlink}href"
_POINTS = 72
_PAINT = re.compile(r"(?<=: )#[0-9a-f]{6}")
_FONT = re.compile(r"font-family: [^;]*;? ?")

ElementTree.register_namespace("", _SVG)
ElementTree.register_namespace("xlink", "http://www.w3.org/1999/xlink")


@contextmanager
def drawing(height: int = HEIGHT) -> Iterator[Figure]:
    """Yield an empty figure of WIDTH by `height` units, its text 11 units high or more.

    SETTINGS hold inside, whatever the user's files say.
    """
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(SETTINGS)
        yield _new_figure(height)


def inline_svg(figure: Figure, prefix: str, description: str) -> Markup:
    """Return a figure as an <svg> element described for those who cannot see it; the same bytes every time.

    `prefix` begins all its ids. Colours of `styles.VARIABLES` become the style sheet's variables.
    """
    file = io.StringIO()
    figure.savefig(file, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    root = ElementTree.fromstring(file.getvalue())  # noqa: S314
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag.endswith("}metadata") or child.tag.endswith("}style"):
                parent.remove(child)
    _rename(root, prefix)
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    root.attrib.update({"role": "img", "aria-label": description, "focusable": "false"})
    for element in root.iter():
        if "style" in element.attrib:
            element.set("style", _themed(element.attrib["style"]))
    return Markup(ElementTree.tostring(root, encoding="unicode"))  # noqa: S704


def _new_figure(height: int) -> Figure:
    figure = Figure(figsize=(WIDTH / _POINTS, height / _POINTS), layout="constrained")
    FigureCanvasSVG(figure)
    return figure


def _rename(root: ElementTree.Element, prefix: str) -> None:
    """Prefix the ids that something refers to, and drop the rest."""
    text = ElementTree.tostring(root, encoding="unicode")
    used = set(re.findall(r'href="#([^"]+)"', text)) | set(re.findall(r"url\(#([^)]+)\)", text))
    for element in root.iter():
        name = element.attrib.pop("id", None)
        if name in used:
            element.set("id", f"{prefix}-{name}")
        for attribute, value in element.attrib.items():
            if attribute == _LINK:
                element.set(attribute, f"#{prefix}-{value[1:]}")
            elif "url(#" in value:
                element.set(attribute, value.replace("url(#", f"url(#{prefix}-"))


def _themed(declarations: str) -> str:
    without_font = _FONT.sub("", declarations)
    return _PAINT.sub(lambda paint: VARIABLES.get(paint[0], paint[0]), without_font)
