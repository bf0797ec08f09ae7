"""C51: a change redoes the steps that depend on it, and no others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from squtr.errors import UserError
from tests.building import ENGLISH, JUDGE, RECOGNISER, VOICE, build, files, write_collection, write_trial

NOTHING = {"speak": 0, "transcribe": 0, "judge": 0, "mix": 0}
ALL = {"speak": 8, "transcribe": 8, "judge": 4, "mix": 12}
OTHER_RECOGNISER = f"{RECOGNISER},version=2"


def computed(folder: Path, out: str, queries: dict[str, str] = ENGLISH, **changes: Any) -> dict[str, int]:
    recipe = write_trial(folder, queries, **changes)
    return build(recipe, folder / out, cache=folder / "cache").computed


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    assert computed(tmp_path, "first") == ALL
    return tmp_path


def test_c51_nothing_changed(folder):
    before = files(folder / "first")
    assert computed(folder, "first") == NOTHING
    assert files(folder / "first") == before


def test_c51_new_folder_only_writes_its_files(folder):
    assert computed(folder, "second") == NOTHING | {"mix": 12}
    assert files(folder / "second") == files(folder / "first")


@pytest.mark.parametrize(
    ("changes", "redone"),
    [
        ({"mix": {"snrs_db": [5]}}, {"mix": 8}),
        ({"mix": {"noise": "tests.doubles:Hum,version=2"}}, {"mix": 12}),
        ({"mix": {"categories": ["rain"]}}, {"mix": 12}),
        ({"speak": {"voice": f"{VOICE},version=2"}}, ALL),
        ({"speak": {"takes": 3}}, {"speak": 4, "transcribe": 4, "mix": 12}),
        ({"choose": {"recogniser": OTHER_RECOGNISER}}, {"transcribe": 8, "mix": 12}),
        ({"screen": {"recogniser": OTHER_RECOGNISER}}, {"transcribe": 4, "mix": 12}),
        ({"screen": {"max_error_rate": 0.2}}, {"mix": 12}),
        ({"screen": {"judges": [{"judge": JUDGE, "min_score": 2.0}]}}, {"mix": 12}),
        (
            {
                "screen": {
                    "judges": [{"judge": JUDGE, "min_score": 3.0}, {"judge": f"{JUDGE}y", "min_score": 3.0}]
                }
            },
            {"judge": 4, "mix": 12},
        ),
        ({"name": "renamed"}, {"mix": 12}),
        ({"seed": 9}, ALL),
    ],
    ids=str,
)
def test_c51_one_setting_changed(folder, changes, redone):
    assert computed(folder, "second", **changes) == NOTHING | redone


def test_c51_one_query_changed(folder):
    changed = {**ENGLISH, "q2": "where is the oldest tree"}
    assert computed(folder, "second", changed) == {"speak": 2, "transcribe": 2, "judge": 1, "mix": 12}


def test_c51_changed_documents_or_grades_redo_no_speech(folder):
    qrels = [f"q{n}\td-{n - 1}\t2" for n in range(1, 5)]
    recipe = write_trial(folder)
    write_collection(folder / "en-trial", ENGLISH, qrels)
    assert build(recipe, folder / "second", cache=folder / "cache").computed == NOTHING | {"mix": 12}


def test_c51_one_speaker_row_changed(folder):
    recipe = write_trial(folder)
    table = folder / "speakers.jsonl"
    table.write_text(table.read_text().replace("0.25", "0.26"))
    redone = build(recipe, folder / "second", cache=folder / "cache").computed
    assert 0 < redone["speak"] < ALL["speak"]


def test_builds_with_and_without_a_cache_agree(folder):
    build(write_trial(folder), folder / "plain")
    assert files(folder / "plain") == files(folder / "first")


def test_lost_pack_is_an_error_of_the_set_up_not_of_items(folder):
    for pack in (folder / "cache" / "packs").glob("*.pcm"):
        pack.unlink()
    with pytest.raises(
        UserError, match=r"packs/\w+.pcm is missing or cut short. Delete index.sqlite and packs"
    ):
        computed(folder, "second")
    assert not (folder / "second" / "build.json").exists()


def test_samples_changed_in_a_pack_are_noticed(folder):
    for pack in (folder / "cache" / "packs").glob("*.pcm"):
        data = bytearray(pack.read_bytes())
        data[50] ^= 1
        pack.write_bytes(data)
    with pytest.raises(UserError, match="its samples changed in the cache"):
        computed(folder, "second")


@pytest.mark.parametrize("content", [b"no data base", b"SQLite format 3\x00" + bytes(84) + b"torn"])
def test_something_else_in_place_of_the_index(tmp_path, content):
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "index.sqlite").write_bytes(content)
    with pytest.raises(UserError, match="the cache cannot be used"):
        computed(tmp_path, "first")


def test_cache_that_is_a_file(tmp_path):
    (tmp_path / "cache").write_text("x")
    with pytest.raises(UserError, match=r"cache: is a file\. A cache is a folder"):
        computed(tmp_path, "first")
