"""What the rules of turn-taking realise on agents that the embedded voice speaks, over a grid of b and g.

The turns are those of channels/agent_turns.yaml, by one speaker a scenario at 1.25 times the voice's speed,
2 s of silence between turns. Speech is kept in the folder, so a second run is quick.

Run: python benchmarks/dialogue.py FOLDER [--language en] [--figure dialogue.png]
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import yaml

from squtr.audio import read_audio, to_pcm, write_wav
from squtr.collection.jsonl import write_jsonl
from squtr.commands.dialogue import show_audit
from squtr.content import content
from squtr.dialogue.audit import audit
from squtr.dialogue.clips import Clips, user_speaker
from squtr.dialogue.event_log import Counts, Row, counts, log_rows
from squtr.dialogue.recording import Recording, read_recording
from squtr.dialogue.rules import Setting
from squtr.dialogue.runner import Dialogue, converse
from squtr.dialogue.stock import stock
from squtr.dialogue.wording import Script, read_transcript
from squtr.records import Samples, Speaker
from squtr.voices.speakers import read_speakers

STEPS = (0.0, 0.3, 0.6, 1.0)
SPEED, SEED = 1.25, 2602
LEAD_SECONDS, GAP_SECONDS = 0.5, 2.0
VOICE = "kokoro"


def speak(folder: Path, language: str) -> list[Path]:
    """Speak each scenario into a WAV beside its transcript; return the WAVs."""
    scenarios = yaml.safe_load(content("channels", "agent_turns.yaml").read_text(encoding="utf-8"))[language]
    speakers = read_speakers(content("data_build", "speakers.jsonl"), VOICE, language)
    paths = []
    for (name, turns), speaker in zip(scenarios.items(), speakers, strict=False):
        agent = Speaker(speaker.id, language, speaker.settings | {"speed": SPEED})
        clips = Clips(VOICE, agent, 24000, folder / "clips")
        said = [clips.clip(turn).samples for turn in turns]
        paths.append(folder / f"{name}.wav")
        write_scenario(paths[-1], said, turns, clips.sample_rate)
    return paths


def realise(paths: Sequence[Path], folder: Path, language: str) -> dict[Setting, list[Counts]]:
    """Run every setting on every scenario; return the counts."""
    clips = Clips(VOICE, user_speaker(VOICE, language, SEED), 24000, folder / "clips")
    found: dict[Setting, list[Counts]] = {}
    for path in paths:
        recording = read_recording(path)
        words = Script(read_transcript(path.with_suffix(".jsonl")), recording.turns, language)
        for b, g in itertools.product(STEPS, STEPS):
            made = converse(recording, words, Setting(b, g), stock(language), clips, SEED)
            rows = log_rows(made, recording.turns, {})
            found.setdefault(made.setting, []).append(counts(rows))
            if (b, g) == (0.6, 0.6):
                write_jsonl(path.with_suffix(".events.jsonl"), rows)
    return found


def draw_figure(path: Path, wav: Path, language: str, folder: Path) -> None:
    """Draw both channels of one dialogue at b = g = 0.6 as spectrograms, its events beside them."""
    clips = Clips(VOICE, user_speaker(VOICE, language, SEED), 24000, folder / "clips")
    recording = read_recording(wav)
    words = Script(read_transcript(wav.with_suffix(".jsonl")), recording.turns, language)
    made = converse(recording, words, Setting(0.6, 0.6), stock(language), clips, SEED)
    _draw(path, recording, made, log_rows(made, recording.turns, {}))


def _draw(path: Path, recording: Recording, made: Dialogue, rows: Sequence[Row]) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(2, 1, sharex=True, figsize=(16, 7), layout="constrained")
    for axis, channel, title in zip(axes, made.pcm.T, ("agent (left)", "user (right)"), strict=True):
        noise = np.random.default_rng(0).normal(0, 1e-5, len(channel))
        axis.specgram(
            channel / 32768 + noise, NFFT=512, noverlap=256, Fs=made.sample_rate, vmin=-140, vmax=-40
        )
        axis.set(
            ylabel="Hz", title=f"{title}, {recording.name}, b = {made.setting.b:g}, g = {made.setting.g:g}"
        )
        axis.set_ylim(0, 6000)
    for row in rows:
        if row["kind"] == "turn":
            axes[0].axvspan(row["time"], row["end"], ymin=0.97, color="tab:green")
        elif row["kind"] != "dialogue":
            colour = {"interrupt": "red", "backchannel": "white"}.get(row["kind"], "grey")
            for axis in axes:
                axis.axvline(row["time"], color=colour, linewidth=0.8)
            if row["placed"]:
                height, text = 5000 if colour == "red" else 5500, f" {row['kind']}: {row['placed']['text']}"
                axes[1].text(row["time"], height, text, color=colour, size=8)
    axes[1].set_xlabel("seconds")
    figure.savefig(path, dpi=100)


def write_scenario(path: Path, said: Sequence[Samples], turns: Sequence[str], rate: int) -> None:
    """Write the spoken turns of a scenario as WAV, and their transcript beside it."""
    parts, rows, at = [np.zeros(round(LEAD_SECONDS * rate), np.float32)], [], LEAD_SECONDS
    for samples, text in zip(said, turns, strict=True):
        end = at + len(samples) / rate
        rows.append({"start": round(at, 6), "end": round(end, 6), "text": text})
        parts += [samples, np.zeros(round(GAP_SECONDS * rate), np.float32)]
        at = end + GAP_SECONDS
    write_wav(path, to_pcm(np.concatenate(parts)), rate)
    write_jsonl(path.with_suffix(".jsonl"), rows)


def main() -> None:
    """Speak, run the grid, print the table of all settings, and the tests of one setting at a time."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--language", default="en")
    parser.add_argument("--figure", type=Path)
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    paths = speak(asked.folder, asked.language)
    seconds = sum(read_audio(path).seconds for path in paths)
    print(f"{len(paths)} scenarios, {seconds:.0f} s.")
    found = realise(paths, asked.folder, asked.language)
    one_at_a_time = {setting: group for setting, group in found.items() if not (setting.b and setting.g)}
    for settings in (found, one_at_a_time):
        show_audit(audit([one for group in settings.values() for one in group]), False)
    if asked.figure:
        draw_figure(asked.figure, paths[0], asked.language, asked.folder)


if __name__ == "__main__":
    main()
