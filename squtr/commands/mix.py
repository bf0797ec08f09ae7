"""squtr mix."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import ValidationError

from squtr.acoustics.condition import Acoustics
from squtr.acoustics.render import Noise, Rendered, render
from squtr.audio import read_audio, resample, write_wav
from squtr.counted import counted
from squtr.digest import digest_bytes
from squtr.errors import ItemFailure, UserError
from squtr.levels import dbfs
from squtr.records import Waveform

Facts = dict[str, Any]

_SECOND_DB = -6.0


def run_mix(
    speech: Path,
    noise: Path,
    snr_db: float,
    out: Path,
    room: str | None = None,
    telephone: str | None = None,
    bursts: str | None = None,
    second_noise: Path | None = None,
    second_db: float = _SECOND_DB,
    seed: int = 2602,
    sample_rate: int | None = None,
) -> Facts:
    """Mix two files into a 16-bit WAV; return everything that was realised.

    The same files, names and seed give the same bytes. Raises UserError for whatever is wrong with them.
    """
    _check_out(out, [speech, noise, *([second_noise] if second_noise else [])])
    if second_noise is None and second_db != _SECOND_DB:
        raise UserError(f"--second-db {second_db:g} is the level of --second-noise, and there is none.")
    acoustics = _acoustics(
        {
            "room": None if room is None else {"rt60_seconds": _span("--room", room)},
            "bursts": None if bursts is None else {"duty": _span("--bursts", bursts)},
            "telephone": None if telephone is None else {"law": telephone},
            "second_noise": None if second_noise is None else {"relative_db": second_db},
        }
    )
    said = _read_speech(speech, sample_rate)
    second = Noise(second_noise.name, _read(second_noise)) if second_noise else None
    first = Noise(noise.name, _read(noise))
    try:
        rendered = render(said.samples, said.sample_rate, snr_db, first, seed, acoustics, second)
    except ItemFailure as failure:
        raise UserError(f"{speech}: {failure}.") from None
    out.parent.mkdir(parents=True, exist_ok=True)
    write_wav(out, rendered.pcm, said.sample_rate)
    return {"out": str(out), "sample_rate": said.sample_rate, "seconds": round(said.seconds, 6)} | _facts(
        rendered
    )


def show_mix(facts: Facts, as_json: bool) -> None:
    """Print what was realised."""
    if as_json:
        print(json.dumps(facts, ensure_ascii=False, allow_nan=False))
        return
    print(f"{facts['out']}: {facts['seconds']:.2f} s, {facts['sample_rate']} Hz, 16 bit, mono.")
    print(
        f"SNR {facts['requested_snr_db']:g} dB asked, {facts['realised_snr_db']:.4f} dB realised"
        f" ({facts['realised_snr_db_before_quantisation']:.4f} before rounding to 16 bit);"
        f" {facts['active_snr_db']:.2f} dB over active speech."
    )
    print(
        f"Speech {facts['speech_level_dbfs']:.1f} dBFS ({facts['speech_active_dbfs']:.1f} where active),"
        f" noise {facts['noise_level_dbfs']:.1f} dBFS times {facts['noise_gain']:.4f};"
        f" common gain {facts['common_gain']:.4f}, peak {facts['peak']:.4f}."
    )
    start, loops, redraws = (facts[name] for name in ("crop_start_seconds", "loops", "redraws"))
    print(f"Noise from {start:.3f} s on, {counted(loops, 'loop')}, {counted(redraws, 'redraw')}.")
    for operator, record in facts["acoustics"].items():
        shown = (f"{name} {value}" for name, value in record.items() if name != "bursts")
        print(f"{operator}: {', '.join(shown)}")
    print(f"SHA-256 of the samples: {facts['pcm_sha256']}")


def _facts(rendered: Rendered) -> Facts:
    mixed = rendered.mixed
    active = mixed.active_snr_db + mixed.noise_rms_dbfs + dbfs(mixed.noise_gain)
    return rendered.facts | {
        "realised_snr_db_before_quantisation": round(mixed.realised_snr_db_before_quantisation, 6),
        "speech_level_dbfs": round(mixed.speech_rms_dbfs, 4),
        "speech_active_dbfs": round(active, 4),
        "peak": round(rendered.peak, 6),
        "pcm_sha256": digest_bytes(np.ascontiguousarray(rendered.pcm, dtype="<i2").data),
        "acoustics": rendered.acoustics,
    }


def _check_out(out: Path, inputs: list[Path]) -> None:
    if out.is_dir():
        raise UserError(f"{out}: is a folder. --out takes the name of a WAV file.")
    if out.suffix.lower() != ".wav":
        raise UserError(f"{out}: --out is written as WAV, so its name has to end in .wav.")
    if out.exists() and any(path.exists() and path.samefile(out) for path in inputs):
        raise UserError(f"{out}: is one of the inputs. Choose another --out.")


def _read_speech(path: Path, sample_rate: int | None) -> Waveform:
    said = _read(path)
    said = resample(said, sample_rate or said.sample_rate)
    if len(said.samples) < 2:
        raise UserError(f"{path}: the speech is too short: a level takes two samples at least.")
    return said


def _read(path: Path) -> Waveform:
    if path.is_dir():
        raise UserError(f"{path}: is a folder. Name one recording in it.")
    try:
        return read_audio(path)
    except ItemFailure as failure:
        raise UserError(f"{path.parent / str(failure)}. Repair or replace it.") from None


def _span(option: str, text: str) -> tuple[float, float]:
    """Read `0.5` or `0.3-0.8`."""
    low, _, high = text.partition("-")
    try:
        return float(low), float(high or low)
    except ValueError:
        raise UserError(f"{option} {text!r}: give a number, or two as in 0.3-0.8.") from None


def _acoustics(plain: dict[str, Any]) -> Acoustics:
    try:
        return Acoustics.model_validate(plain)
    except ValidationError as error:
        fault = error.errors()[0]
        place = ".".join(str(part) for part in fault["loc"])
        reason = fault["msg"].removeprefix("Value error, ")
        raise UserError(f"{place}: {reason} (found {fault['input']!r}).") from None
