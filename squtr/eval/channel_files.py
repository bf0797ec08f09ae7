"""What a study of channels leaves on disk: the texts, and a TREC run a channel, seed and system."""

from __future__ import annotations

import re
from pathlib import Path

from squtr.collection import write_jsonl
from squtr.digest import digest
from squtr.eval.channels import ChannelRuns, ChannelTexts, condition_of, text_rows
from squtr.eval.runs import file_name, write_run

_UNSAFE = re.compile(r"[^A-Za-z0-9.+=@-]+")
_LONGEST = 60


def channel_file_name(channel: str) -> str:
    """Return a channel's name as a folder name; one that had to change ends in a digest of it."""
    safe = _UNSAFE.sub("_", channel)
    if safe == channel and len(safe) <= _LONGEST and not safe.startswith("."):
        return safe
    return f"{safe[:_LONGEST].lstrip('.')}-{digest(channel)[:8]}"


def write_channel_texts(path: Path, texts: ChannelTexts) -> None:
    """Write one row a channel, seed and query."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_jsonl(path, text_rows(texts))


def write_channel_runs(folder: Path, one: ChannelRuns) -> None:
    """Write folder/{channel}/{seed}/{system}.trec."""
    for system, runs in one.runs.items():
        for channel in one.texts.sent:
            for seed in one.texts.seeds:
                run = runs[condition_of(channel, seed)]
                path = folder / channel_file_name(channel) / str(seed) / f"{file_name(system)}.trec"
                write_run(path, run, file_name(system), max(map(len, run.values()), default=1) or 1)
