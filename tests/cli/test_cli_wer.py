"""`squtr wer`: transcripts made anywhere, joined by id, nothing lost without a word."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from squtr.commands.wer import run_wer, show_wer
from squtr.errors import UserError

REFERENCE = {"a": "who wrote hamlet", "b": "2 cats and a dog", "c": "where is it"}
HEARD = {"a": "who wrote omelette", "b": "two cats and a dog", "c": "where is it now"}


def put(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def jsonl(path: Path, rows: list[dict[str, Any]]) -> Path:
    return put(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def said(folder: Path, name: str, texts: dict[str, str]) -> Path:
    return jsonl(folder / name, [{"_id": key, "text": text} for key, text in texts.items()])


def plain(capsys: pytest.CaptureFixture[str], *arguments: Any, each: bool = False) -> dict[str, Any]:
    show_wer(run_wer(*arguments), each, True)
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_rates_are_pooled_from_counts(tmp_path, capsys):
    paths = said(tmp_path, "ref.jsonl", REFERENCE), said(tmp_path, "hyp.jsonl", HEARD)
    found = plain(capsys, *paths, "en", None, each=True)
    assert found["name"] == "WER"
    assert found["clean"]["rate"] == 2 / 11
    assert (found["clean"]["substitutions"], found["clean"]["insertions"]) == (1, 1)
    assert found["raw"]["rate"] == 3 / 11
    assert found["utterances"]["b"]["clean"]["rate"] == 0
    assert {"reference": "hamlet", "hypothesis": "omelette", "count": 1} in found["confusions"]


def test_chinese_counts_characters(tmp_path, capsys):
    paths = (
        said(tmp_path, "ref.jsonl", {"1": "北京有多少人"}),
        said(tmp_path, "hyp.jsonl", {"1": "北京有多少任"}),
    )
    found = plain(capsys, *paths, "zh", None)
    assert (found["name"], found["clean"]["rate"]) == ("CER", 1 / 6)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("h.csv", '_id,asr_text\na,"who wrote omelette"\nb,two cats and a dog\nc,where is it now\n'),
        ("h.csv", "a,who wrote omelette\nb,two cats and a dog\nc,where is it now\n"),
        ("h.tsv", "id\tprediction\na\twho wrote omelette\nb\ttwo cats and a dog\nc\twhere is it now\n"),
        ("h.trn", "who wrote omelette (a)\ntwo cats and a dog (b)\n\nwhere is it now (c)\n"),
        ("text", "a who wrote omelette\nb two cats and a dog\nc where is it now\n"),
        ("h.txt", "a\twho wrote omelette\nb\ttwo cats and a dog\nc\twhere is it now\n"),
        (
            "h.jsonl",
            "".join(json.dumps({"utt": k, "hyp": v, "text": "not this"}) + "\n" for k, v in HEARD.items()),
        ),
    ],
)
def test_forms(tmp_path, capsys, name, text):
    found = plain(capsys, said(tmp_path, "ref.jsonl", REFERENCE), put(tmp_path / name, text), "en", None)
    assert found["clean"]["rate"] == 2 / 11


def test_a_quote_in_a_tsv_is_a_quote(tmp_path, capsys):
    text = 'a\twho wrote "hamlet\nb\ttwo cats and a dog\nc\twhere is it\n'
    found = plain(capsys, said(tmp_path, "ref.jsonl", REFERENCE), put(tmp_path / "h.tsv", text), "en", None)
    assert found["clean"]["rate"] == 0


def test_what_is_missing_failed_or_strange_is_named(tmp_path, capsys):
    rows = [
        {"_id": "a", "asr_text": HEARD["a"]},
        {"_id": "b", "asr_text": "", "status": "failed"},
        {"_id": "z", "asr_text": "what"},
    ]
    paths = said(tmp_path, "ref.jsonl", REFERENCE), jsonl(tmp_path / "hyp.jsonl", rows)
    found = plain(capsys, *paths, "en", None)
    assert (found["missing"], found["failed"], found["without_reference"]) == (["c"], ["b"], ["z"])
    assert found["clean"]["rate"] == 1 / 3
    assert found["rate_with_missing_as_deleted"] == 9 / 11
    show_wer(run_wer(*paths, "en", None), True, False)
    shown = capsys.readouterr().out
    assert "1 reference without a hypothesis, not in the rate: c." in shown
    assert "the WER is 81.82%" in shown
    assert "a\t0.3333\thamlet -> omelette" in shown


def test_an_empty_transcript_is_all_deleted_and_no_failure(tmp_path, capsys):
    paths = (
        said(tmp_path, "ref.jsonl", REFERENCE),
        put(tmp_path / "text", "a\nb two cats and a dog\nc where is it\n"),
    )
    assert plain(capsys, *paths, "en", None)["clean"]["deletions"] == 3


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "h.jsonl",
            '{"_id": "a", "text": "x"}\n{"_id": "a", "text": "y"}\n',
            r"h\.jsonl:2: id 'a' stands already on line 1",
        ),
        ("h.jsonl", '{"text": "x"}\n', r"h\.jsonl:1: no id"),
        ("h.jsonl", '{"_id": "a", "words": "x"}\n', r"h\.jsonl:1: no text"),
        ("h.jsonl", '{"_id": "a", "text": 5}\n', r"h\.jsonl:1: text is 5, not a text"),
        ("h.csv", "a,b,c\n", r"h\.csv:1: 3 columns and no header"),
        ("h.csv", '_id,text\n\na,x\n"b,y\n', r"h\.csv:4: not a table"),
        ("h.csv", "_id,text\n\na,x\nb,y,z\n", r"h\.csv:4: 3 columns where the header has 2"),
        ("h.trn", "no id here\n", r"h\.trn:1: a \.trn line"),
        ("h.txt", "\n", "no transcript in it"),
        ("h.txt", "x y\n", r"share no id: \['a', 'b', 'c'\] against \['x'\]"),
    ],
)
def test_faults(tmp_path, name, text, message):
    with pytest.raises(UserError, match=message):
        run_wer(said(tmp_path, "ref.jsonl", REFERENCE), put(tmp_path / name, text), "en", None)


def test_an_unknown_language_is_refused_first(tmp_path):
    with pytest.raises(UserError, match="language 'xx'"):
        run_wer(tmp_path / "no", tmp_path / "no", "xx", None)


def test_c34_empty_references_have_a_rate_of_their_own_and_are_named(tmp_path, capsys):
    texts = {"a": "", "b": "", "c": "", "d": "?!", "e": None, "f": "what is gold"}
    heard = {"a": "", "b": "thanks", "c": "thank you", "d": "what", "e": "so", "f": "what is gold"}
    paths = said(tmp_path, "ref.jsonl", texts), said(tmp_path, "hyp.jsonl", heard)
    found = plain(capsys, *paths, "en", None, each=True)
    assert [found["utterances"][name]["clean"]["rate"] for name in texts] == [0, 1, 2, 1, 1, 0]
    assert found["clean"]["rate"] == 5 / 3
    assert found["empty_references"] == ["a", "b", "c", "d", "e"]
    show_wer(run_wer(*paths, "en", None), True, False)
    shown = capsys.readouterr().out
    assert "c\t2.0000\t(nothing) -> thank you" in shown
    assert "5 references without a word; each word heard there is an insertion: a, b, c, ...." in shown


def test_c34_the_corpus_rate_holds_what_was_invented(tmp_path, capsys):
    paths = (
        said(tmp_path, "ref.jsonl", {"a": "", "b": "what is gold"}),
        said(tmp_path, "hyp.jsonl", {"a": "thank you", "b": "what is gold"}),
    )
    assert plain(capsys, *paths, "en", None)["clean"]["rate"] == pytest.approx(0.6667, abs=1e-4)


def test_c12_no_reference_word_at_all_is_null_with_a_reason_and_said(tmp_path, capsys):
    paths = said(tmp_path, "ref.jsonl", {"a": "", "b": None}), said(tmp_path, "hyp.jsonl", {"a": "thanks"})
    found = plain(capsys, *paths, "en", None)
    assert (found["clean"]["rate"], found["clean"]["reason"]) == (None, "no reference units")
    show_wer(run_wer(*paths, "en", None), False, False)
    shown = capsys.readouterr().out
    assert "No reference has a word in it, so there is no WER." in shown
    assert "WER, 1 utterance" in shown
