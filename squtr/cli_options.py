"""The options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object for machines.")]
Engine = Annotated[str, typer.Option(help="Who runs the work: local processes, or ray.")]
RayAddress = Annotated[str | None, typer.Option(help="Of a running cluster; without it Ray runs here.")]
Workers = Annotated[
    int, typer.Option(min=0, help="Local processes, 0 for one a core; the bytes are the same for any number.")
]
