"""Rows sorted on disk: any order gives the same comparison, in little memory."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from squtr.diff import compare, sorted_rows
from squtr.diff.settings import compare_flat
from squtr.diff.sorted_rows import query_rows

NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\n"), min_size=1, max_size=3)
KEYS = st.tuples(st.sampled_from(["en", "zh"]), NAMES, NAMES)


def write(folder: Path, rows: list[dict[str, object]]) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "build.json").write_text("{}")
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (folder / "manifest.jsonl").write_text("".join(lines), encoding="utf-8")
    return folder


def row(key: tuple[str, str, str], condition: str, value: int) -> dict[str, object]:
    return dict(zip(("language", "subset", "query_id"), key, strict=True)) | {
        "condition": condition,
        "pcm_sha256": str(value),
    }


@settings(deadline=None, max_examples=60)
@given(
    st.dictionaries(st.tuples(KEYS, st.sampled_from(["clean", "snr_0"])), st.integers(0, 3), max_size=12),
    st.dictionaries(st.tuples(KEYS, st.sampled_from(["clean", "snr_0"])), st.integers(0, 3), max_size=12),
    st.randoms(use_true_random=False),
)
def test_counts_are_those_of_two_dictionaries(a, b, chance):
    b = {**b, **{key: value for key, value in a.items() if chance.random() < 0.5}}
    with TemporaryDirectory() as place, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorted_rows, "_RUN", 3)
        folders = []
        for name, content in (("a", a), ("b", b)):
            rows = [row(key, condition, value) for (key, condition), value in content.items()]
            chance.shuffle(rows)
            folders.append(write(Path(place) / name, rows))
        found = compare(*folders)
    queries_a, queries_b = {key for key, _ in a}, {key for key, _ in b}
    both = {(key, condition) for key, condition in {**a, **b} if key in queries_a and key in queries_b}
    assert found.queries == len(queries_a | queries_b)
    assert found.only_a.count == len(queries_a - queries_b)
    assert found.only_b.count == len(queries_b - queries_a)
    assert found.recordings == len(both)
    assert found.same_recordings == sum(a.get(place) == b.get(place) for place in both)
    changed = sum(place in a and place in b and a[place] != b[place] for place in both)
    assert found.fields["pcm_sha256"].count if changed else "pcm_sha256" not in found.fields
    assert not changed or found.fields["pcm_sha256"].count == changed


def test_memory_does_not_grow_with_the_build(tmp_path, monkeypatch):
    monkeypatch.setattr(sorted_rows, "_RUN", 256)
    peaks = []
    for count in (2000, 8000):
        folder = tmp_path / str(count)
        made = [
            row(("en", "s", f"q{n * 7919 % count:06d}"), "clean", n) | {"text": "x" * 500}
            for n in range(count)
        ]
        write(folder, made)
        del made
        scratch = tmp_path / f"scratch{count}"
        scratch.mkdir()
        tracemalloc.start()
        keys = [one.key[2] for one in query_rows(folder, scratch)]
        peaks.append(tracemalloc.get_traced_memory()[1] - 100 * count)
        tracemalloc.stop()
        assert keys == sorted(keys)
        assert len(keys) == count
    assert peaks[1] < 1.6 * peaks[0]


def test_settings_are_compared_by_dotted_key():
    a = {"x": {"y": 1, "z": [1, 2]}, "judges": [{"judge": "j", "min": 3}], "only": 1}
    b = {"x": {"y": 2, "z": [1, 2]}, "judges": [{"judge": "k", "min": 3}, {"judge": "j", "min": 4}]}
    found = {one.key: (one.a, one.b) for one in compare_flat(a, b)}
    gone = "(not there)"
    assert found == {
        "x.y": (1, 2),
        "judges.j.min": (3, 4),
        "judges.k": (gone, {"judge": "k", "min": 3}),
        "only": (1, gone),
    }
    assert [one.key for one in compare_flat({"judges": []}, {"judges": [{"judge": "k"}]})] == ["judges.k"]
    assert compare_flat(None, {}) == []
