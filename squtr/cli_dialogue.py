"""The commands for turn-taking: let a simulated user listen to a recorded agent, and audit what it did."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from squtr.cli_options import Json


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    app.command()(dialogue)
    app.command(name="dialogue-audit")(dialogue_audit)


def dialogue(
    wav: Annotated[
        Path, typer.Argument(metavar="WAV", help="The agent alone, or agent and user in two channels.")
    ],
    out: Annotated[Path, typer.Option(help="The WAV file to write: agent left, user right.")],
    b: Annotated[float, typer.Option("--b", help="How much the user interrupts, from 0, never, to 1.")] = 0.0,
    g: Annotated[
        float, typer.Option("--g", help="How much it gives signs of listening, from 0, never, to 1.")
    ] = 0.0,
    log: Annotated[
        Path | None, typer.Option(help="The event log to write; default: OUT with .jsonl.")
    ] = None,
    transcript: Annotated[
        Path | None, typer.Option(help="What the agent says: JSON lines with start, end (s) and text.")
    ] = None,
    recogniser: Annotated[
        str | None, typer.Option(help="In place of a transcript, such as whisper-base.")
    ] = None,
    agent: Annotated[
        str | None, typer.Option(help="The agent's side of two: left (default) or right.")
    ] = None,
    language: Annotated[str, typer.Option(help="en or zh.")] = "en",
    voice: Annotated[str, typer.Option(help="The user's voice, such as kokoro or espeak.")] = "kokoro",
    speaker: Annotated[
        str | None, typer.Option(help="Its speaker, such as en-003; default: drawn by the seed.")
    ] = None,
    reaction: Annotated[
        float, typer.Option(help="Seconds from an interruption to the agent's silence.")
    ] = 0.5,
    seed: Annotated[int, typer.Option(help="Decides what the user says, and its speaker.")] = 2602,
    cache: Annotated[
        Path | None, typer.Option(help="Folder for the user's speech; default: in your cache.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Let a user, by rule, interrupt a recorded agent or give signs of listening; log each decision.

    Examples:

    squtr dialogue agent.wav --b 0.6 --g 0.5 --transcript agent.jsonl --out dialogue.wav

    squtr dialogue call.wav --agent right --g 0.8 --recogniser whisper-base --out dialogue.wav --json
    """
    from squtr.commands.dialogue import run_dialogue, show_dialogue

    rows = run_dialogue(
        wav, out, b, g, log, transcript, recogniser, agent, language, voice, speaker, reaction, seed, cache
    )
    show_dialogue(rows, out, as_json)


def dialogue_audit(
    logs: Annotated[
        list[Path], typer.Argument(metavar="LOG...", help="Event logs that squtr dialogue wrote.")
    ],
    seed: Annotated[int, typer.Option(help="Decides the resamples.")] = 0,
    as_json: Json = False,
) -> None:
    """Count interruptions and backchannels per agent turn and per opportunity; test settings in pairs.

    Example: squtr dialogue-audit b0/*.jsonl b6/*.jsonl
    """
    from squtr.commands.dialogue import run_audit, show_audit

    show_audit(run_audit(logs, seed), as_json)
