"""Bad input: exit code 2, one message that names the place and the likely fix, and nothing left behind."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from squtr.audio import write_wav
from tests.building import VOICE, write_recipe
from tests.changes import Change, check, gone, line, put, settings


def noise(name: str, write: Change) -> Change:
    """Make a noise folder of its own name: a process reads each source once."""

    def act(folder: Path) -> None:
        (folder / name).mkdir()
        write(folder / name)
        write_recipe(folder, mix={"noise": f"folder,path={name}"})

    return act


def espeak(table: str) -> Change:
    def act(folder: Path) -> None:
        write_recipe(folder, speak={"voice": "espeak"})
        row = '{"id": "a", "language": "en", "voices": {"espeak": {TABLE}}}'
        (folder / "speakers.jsonl").write_text(row.replace("TABLE", table))

    return act


SILENCE = np.ones(48000, np.int16)
QUERIES, CORPUS, QRELS = "en-trial/queries.jsonl", "en-trial/corpus.jsonl", "en-trial/qrels/test.tsv"
INPUTS: dict[str, tuple[Change, str]] = {
    "no queries": (gone(QUERIES), r"en-trial: no queries found\. Looked for"),
    "no qrels": (gone(QRELS), r"en-trial: no qrels found"),
    "broken line": (line(QUERIES, 2, '{"_id": "q2", "te'), r"queries\.jsonl:2: not JSON.*Repair the line"),
    "line of a list": (line(QUERIES, 3, "[1, 2]"), r"queries\.jsonl:3: list where a JSON object must stand"),
    "empty text": (
        line(QUERIES, 2, '{"_id": "q2", "text": " "}'),
        r"queries\.jsonl:2: .*'q2' is empty\. Give",
    ),
    "null text": (
        line(QUERIES, 2, '{"_id": "q2", "text": null}'),
        r"queries\.jsonl:2: .*'q2' is null\. Give",
    ),
    "number for text": (line(QUERIES, 2, '{"_id": "q2", "text": 7}'), r"queries\.jsonl:2: .*text is int"),
    "duplicate id": (
        line(QUERIES, 3, '{"_id": "q1", "text": "again"}'),
        r"queries\.jsonl:3: query id 'q1' stands already at .*queries\.jsonl:1\. Ids must differ",
    ),
    "duplicate document": (
        line(CORPUS, 4, '{"_id": "d-0", "text": "again"}'),
        r"corpus\.jsonl:4: document id 'd-0' stands already at .*corpus\.jsonl:1",
    ),
    "empty corpus": (put(CORPUS, ""), r"corpus\.jsonl: the corpus holds no document"),
    "other queries judged": (
        put(QRELS, "x1\td-0\t1\n"),
        r"test\.tsv: no judgement names a query.*Ids must match",
    ),
    "other documents judged": (
        put(QRELS, "q1\tx-0\t1\n"),
        r"test\.tsv: no judged document is in .*corpus\.jsonl",
    ),
    "no positive": (put(QRELS, "q1\td-0\t0\n"), r"en-trial: no query has a positive judgement"),
    "fractional grade": (put(QRELS, "q1\td-0\t0.5\n"), r"test\.tsv:1: grade '0\.5' is no integer"),
    "UTF-16": (
        lambda folder: (folder / QUERIES).write_text('{"_id": "1"}', encoding="utf-16"),
        r"queries\.jsonl:1: .*UTF-16",
    ),
    "NUL in an id": (
        line(QUERIES, 1, '{"_id": "a\\u0000b", "text": "x"}'),
        r"queries\.jsonl:1: .*holds NUL.*Rename",
    ),
    "speakers: broken line": (line("speakers.jsonl", 2, '{"id": '), r"speakers\.jsonl:2: not JSON"),
    "speakers: no id": (
        line("speakers.jsonl", 2, '{"language": "en", "voices": {}}'),
        r"speakers\.jsonl:2: not a speaker row\. Write",
    ),
    "speakers: voices a list": (
        line("speakers.jsonl", 2, '{"id": "a", "language": "en", "voices": []}'),
        r"speakers\.jsonl:2: not a speaker row",
    ),
    "speakers: id twice": (
        line("speakers.jsonl", 2, '{"id": "en-1", "language": "en", "voices": {}}'),
        r"speakers\.jsonl:2: speaker 'en-1' stands already on line 1",
    ),
    "speakers: none speaks it": (
        put("speakers.jsonl", '{"id": "a", "language": "fr", "voices": {}}\n'),
        r"speakers\.jsonl: no 'en' speaker has settings for voice 'tests.doubles:ToneVoice'\. Add rows",
    ),
    "speakers: no table": (
        settings(speak={"speakers": "people.jsonl"}),
        r"recipe\.yaml:\d+: speak\.speakers: people\.jsonl: no such file or folder \(looked at",
    ),
    "speakers: a name like it": (
        settings(speak={"speakers": "speakes.jsonl"}),
        r"speakes\.jsonl: no such file .*Did you mean 'speakers\.jsonl'\?",
    ),
    "speakers: unknown setting": (
        espeak('"voice": "en-us", "rate": 150, "pich": 50, "range": 50'),
        r"speakers\.jsonl:1: speaker 'a': the voice has no setting 'pich'\. Did you mean 'pitch'\?",
    ),
    "speakers: a folder": (settings(speak={"speakers": "en-trial"}), r"en-trial: cannot be read"),
    "speakers: unknown eSpeak voice": (
        espeak('"voice": "xx", "rate": 150, "pitch": 50, "range": 50'),
        r"speaker 'a': eSpeak has no voice 'xx'",
    ),
    "speakers: eSpeak without a rate": (
        espeak('"voice": "en-us"'),
        r"speaker 'a': no rate, pitch, range\. eSpeak needs voice, rate, pitch and range",
    ),
    "missing collection": (
        settings(collections=[{"name": "x", "language": "en", "path": "nowhere"}]),
        r"recipe\.yaml:\d+: collections\.0\.path: nowhere: no such file or folder \(looked at",
    ),
    "unknown language": (
        settings(collections=[{"name": "x", "language": "tlh", "path": "en-trial"}]),
        r"recipe\.yaml:\d+: collections\.0\.language: No language 'tlh'\. Known: de, en, .*zh\. A language is"
        r" one row like those of .*languages\.yaml",
    ),
    "unknown voice": (
        settings(speak={"voice": "kokorro"}),
        r"recipe\.yaml:\d+: speak\.voice: Unknown voice 'kokorro'\. Did you mean 'kokoro'\?",
    ),
    "unknown recogniser": (
        settings(choose={"recogniser": "wisper-base"}),
        r"recipe\.yaml:\d+: choose\.recogniser: Unknown recogniser.*Did you mean 'whisper-base'",
    ),
    "unknown screening recogniser": (
        settings(screen={"recogniser": "x"}),
        r"Unknown recogniser 'x'\. Known: .*whisper-base",
    ),
    "unknown judge": (
        settings(screen={"judges": [{"judge": "dnsmoss", "min_score": 1}]}),
        r"recipe\.yaml:\d+: screen\.judges\.0\.judge: Unknown judge 'dnsmoss'\. Did you",
    ),
    "score beyond the judge's scale": (
        settings(screen={"judges": [{"judge": "dictation", "min_score": 99}]}),
        r"recipe\.yaml:\d+: screen\.judges\.0\.min_score: 99 is outside of the judge's scale\..*from 1 to 5",
    ),
    "score below the judge's scale": (
        settings(screen={"judges": [{"judge": "dnsmos", "min_score": 0.99}]}),
        r"screen\.judges\.0\.min_score: 0\.99 is outside",
    ),
    "key that is not set": (
        settings(screen={"judges": [{"judge": "audio-llm,model=x,key=NOWHERE_KEY", "min_score": 4}]}),
        r"recipe\.yaml:\d+: screen\.judges\.0\.judge: NOWHERE_KEY is not set\. Export",
    ),
    "unknown option of a service": (
        settings(screen={"judges": [{"judge": "audio-llm,model=x,temperatur=0", "min_score": 4}]}),
        r"judge 'audio-llm' has no option 'temperatur'\. Did you mean 'temperature'\?$",
    ),
    "model in a folder that is not there": (
        settings(choose={"recogniser": "faster-whisper,model=/nowhere"}),
        r"recipe\.yaml:\d+: choose\.recogniser: /nowhere: no such folder\. Name one with model\.bin",
    ),
    "unknown noise": (
        settings(mix={"noise": "procedual"}),
        r"recipe\.yaml:\d+: mix\.noise: Unknown noise 'procedual'\. Did you mean 'procedural'",
    ),
    "unknown category": (
        settings(mix={"categories": ["rain", "cafe"]}),
        r"mix\.categories: cafe: not in .*It has car, fan, rain",
    ),
    "unknown module": (settings(speak={"voice": "nowhere:Voice"}), r"No module named 'nowhere'.*PYTHONPATH"),
    "unknown class": (
        settings(speak={"voice": "tests.doubles:Bell"}),
        r"module tests\.doubles has no 'Bell'",
    ),
    "unknown option": (
        settings(speak={"voice": f"{VOICE},tempo=3"}),
        r"recipe\.yaml:\d+: speak\.voice: voice 'tests\.doubles:ToneVoice' has no option 'tempo'\. ",
    ),
    "option without a value": (settings(speak={"voice": f"{VOICE},tempo"}), r"'tempo' is not key=value"),
    "option with a tag": (
        settings(mix={"noise": "folder,path=!!python/object/apply:os.getcwd []"}),
        r"is no plain value.*Put it in quotes",
    ),
    "missing noise folder": (
        settings(mix={"noise": "folder,path=nowhere"}),
        r"recipe\.yaml:\d+: mix\.noise: noise folder .*/nowhere: no such folder",
    ),
    "noise folder without audio": (noise("bare", lambda place: None), r"noise folder .*/bare: no audio file"),
    "silent noise": (
        noise("mute", lambda place: write_wav(place / "fan.wav", SILENCE, 24000)),
        r"mute/fan\.wav: the noise is silent .*Take fan\.wav out of the folder",
    ),
    "noise that is no audio": (
        noise("html", lambda place: (place / "fan.wav").write_text("<html>")),
        r"html/fan\.wav: .*not audio.*Take it out",
    ),
    "missing model": (
        settings(choose={"recogniser": "faster-whisper"}),
        r"choose\.recogniser: recogniser 'faster-whisper' needs the option model\. Write faster-wh",
    ),
}


@pytest.mark.parametrize("case", INPUTS)
def test_bad_inputs(folder, run, case):
    act, pattern = INPUTS[case]
    act(folder)
    check(run("build", "recipe.yaml", "--out", "out", "--workers", 1), pattern, folder)
    assert not (folder / "out").exists()
