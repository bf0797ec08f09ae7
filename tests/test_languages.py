"""The table of languages: strict rows, faults with their line, and every part of every row exists."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from squtr import languages as table
from squtr.commands import build as build_command
from squtr.data_build.take_flags import TakeFacts, take_flags
from squtr.errors import UserError
from squtr.eval.report.words import language_name
from squtr.judges.dictation import Dictation
from squtr.languages import FIRST, also_decides, language_row, language_tag, languages, read_languages
from squtr.plugins import load
from squtr.recognisers.whisper import WhisperBase
from squtr.retrievers.analyser import analyser
from squtr.text import normaliser, read_aloud, reading_fingerprint
from squtr.transcribe import Transcribe, TranscribeItem
from squtr.voices.kokoro import Kokoro
from tests.building import command

ROW = """
nl:
  name: Dutch
  tag: nld-Latn
  unit: word
  normaliser: plain
  reading: plain
  analyser: snowball,stemmer=dutch
  seconds_per_character: [0.03, 0.2]
  fault_run: 2
"""
SENTENCES = {
    "en": "there are 20 apples",
    "zh": "一共有20个苹果",
    "ja": "りんごは20個あります",
    "de": "es gibt 20 Äpfel",
    "fr": "il y a 20 pommes",
    "es": "hay 20 manzanas",
}


def written(folder: Path, text: str) -> Path:
    path = folder / "languages.yaml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("code", languages())
def test_every_part_of_a_row_exists_and_works(code):
    text = SENTENCES[code]
    assert normaliser(code).clean(text)
    assert normaliser(code).unit == language_row(code).unit
    assert reading_fingerprint(code)
    assert not any(char.isdigit() for char in read_aloud(text, code).spoken)
    assert analyser(code).tokens(text)
    assert also_decides(Dictation(), code) or code in FIRST
    if language_row(code).kokoro:
        assert also_decides(Kokoro(), code) or code in FIRST


def test_a_row_is_all_it_takes(tmp_path, monkeypatch):
    rows = {**languages(), **read_languages(written(tmp_path, ROW))}
    monkeypatch.setattr(table, "languages", lambda: rows)
    assert normaliser("nl").clean("Drieëntwintig, 23!") == "drieëntwintig 23"
    assert read_aloud("Hoe hoog is het?", "nl").spoken == "Hoe hoog is het?"
    assert analyser("nl").tokens("huizen") == analyser("nl").tokens("huizen ")
    facts = TakeFacts(0.1, 0.0, -20.0, "hoe hoog is het", "hoe", "nl")
    assert take_flags(facts)[0] == "too short for its text"
    assert rows["nl"].error_rate == "WER"


def test_a_row_of_ones_own(tmp_path):
    own = str(written(tmp_path, ROW + "  voice: espeak\n"))
    heard = tmp_path / "text"
    heard.write_text("a drieëntwintig huizen\n", encoding="utf-8")
    arguments = ("wer", heard, heard, "--language", "nl", "--json")
    assert json.loads(command(*arguments, SQUTR_LANGUAGES=own).stdout)["name"] == "WER"
    without = command(*arguments)
    assert (without.returncode, without.stdout) == (2, "")
    assert "SQUTR_LANGUAGES" in without.stderr
    lost = command(*arguments, SQUTR_LANGUAGES=str(tmp_path / "lost.yaml"))
    assert lost.returncode == 2 and "lost.yaml" in lost.stderr


def test_a_build_without_a_recipe_takes_the_engines_of_the_row(tmp_path, monkeypatch):
    rows = {**languages(), **read_languages(written(tmp_path, ROW + "  voice: espeak\n"))}
    for module in (table, build_command):
        monkeypatch.setattr(module, "languages", lambda: rows)
    recipe, _ = build_command.chosen_recipe(None, tmp_path, "nl")
    assert (recipe.speak.voice, recipe.choose.recogniser, recipe.screen.recogniser) == (
        "espeak",
        "whisper-base",
        "whisper-base",
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("  unit: word", "  unit: syllable"), r"languages\.yaml:5: unit: .*'word', 'character' or 'mixed'"),
        (("  fault_run: 2", "  fault_run: two"), r"languages\.yaml:10: fault_run: a whole number must stand"),
        (("  fault_run: 2", "  fault_run: 0"), r"languages\.yaml:10: fault_run: must be at least 1"),
        (("  fault_run: 2\n", ""), r"languages\.yaml:2: fault_run is missing"),
        (("  reading:", "  readng:"), r"languages\.yaml:7: unknown key 'readng'\. Did you mean 'reading'\?"),
        (("  tag: nld-Latn", "  tag: nl"), r"languages\.yaml:4: tag: "),
        (("[0.03, 0.2]", "[0.2, 0.03]"), r"languages\.yaml:9: seconds_per_character: the shortest comes"),
        (("nl:\n", "NL:\n"), r"languages\.yaml:2: 'NL' is no language code"),
        (("nl:\n", "no:\n"), r"languages\.yaml:2: False is no language code.*such as \"no\""),
        ((ROW, "nl: Dutch\n"), r"languages\.yaml:1: nl: settings, key: value, must stand here"),
        ((ROW, ROW + ROW.lstrip()), r"languages\.yaml:11: nl stands already on line 2"),
        ((ROW, ""), r"languages\.yaml: the languages are a mapping"),
    ],
)
def test_faults_are_told_with_their_line(tmp_path, change, message):
    with pytest.raises(UserError, match=message):
        read_languages(written(tmp_path, ROW.replace(*change)))


def test_an_unknown_language_names_the_known_ones_and_the_file():
    with pytest.raises(UserError) as told:
        language_row("tlh")
    message = str(told.value)
    assert message.startswith("No language 'tlh'. Known: de, en, es, fr, ja, zh.")
    assert str(table.languages_file()) in message and "docs/languages.md" in message


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (("plain\n  reading", "klingon\n  reading"), "Unknown normaliser 'klingon'"),
        (("word\n", "word\n  number_words: tlh\n"), "num2words has no language 'tlh'"),
    ],
)
def test_a_part_that_is_not_there_is_told(tmp_path, monkeypatch, row, message):
    rows = read_languages(written(tmp_path, ROW.replace(*row)))
    with pytest.raises(UserError, match=message):
        load("normaliser", rows["nl"].normaliser, language=rows["nl"])


def test_names_tags_and_error_rates():
    assert [language_name(code) for code in ("zh", "ja", "tlh")] == ["Chinese", "Japanese", "tlh"]
    assert language_row("zh").spoken_name == "Mandarin Chinese"
    assert [language_tag(code) for code in ("zh", "ja", "tlh")] == ["cmn-Hans", "jpn-Jpan", "tlh"]
    rates = {code: row.error_rate for code, row in languages().items()}
    assert rates == {"en": "WER", "zh": "CER", "ja": "CER", "de": "WER", "fr": "WER", "es": "WER"}


def test_what_english_and_chinese_are_known_by_has_not_moved():
    """Caches and published figures hang on these: a language added later must not change them."""
    assert list(languages())[:2] == list(FIRST)
    assert normaliser("en").version == "squtr-en/2"
    assert normaliser("zh").version.startswith("squtr-zh/1+opencc")
    assert reading_fingerprint("en").startswith("squtr-reading-en/3+wetext-")
    assert reading_fingerprint("zh").startswith("squtr-reading-zh/3+wetext-")
    for engine in (Dictation(), Kokoro(), WhisperBase()):
        assert [also_decides(engine, code) for code in FIRST] == [(), ()]


def test_what_one_language_needs_is_in_the_keys_of_its_items_alone(monkeypatch):
    stage = Transcribe("whisper-base")
    rows = {**languages(), "ja": languages()["ja"].model_copy(update={"whisper_prompt": "日本語です。"})}
    before = WhisperBase().fingerprint
    monkeypatch.setattr("squtr.recognisers.whisper.languages", lambda: rows)
    assert WhisperBase().fingerprint == before
    told = {code: stage.also_decides(TranscribeItem("audio", code)) for code in ("en", "zh", "ja", "de")}
    assert told == {"en": (), "zh": (), "ja": ("日本語です。",), "de": ()}


def test_text_is_imported_without_anything_heavy():
    code = (
        "import sys, squtr.text\n"
        "heavy = {'pydantic', 'numpy', 'yaml', 'jieba', 'wetext', 'opencc', 'num2words', 'pyopenjtalk'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
