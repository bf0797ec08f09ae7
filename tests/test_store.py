"""The store keeps whole artefacts or none."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import numpy as np
import pytest

from squtr.errors import UserError
from squtr.records import AudioRef
from squtr.store import (
    Audio,
    AudioPlace,
    PackWriter,
    Store,
    open_own_store,
    open_store,
    read_place,
    write_atomic,
)


def pcm(seed: int, samples: int = 100) -> np.ndarray:
    return np.random.default_rng(seed).integers(-32768, 32768, samples).astype(np.int16)


def test_audio_comes_back_as_it_went_in(tmp_path):
    with open_store(tmp_path) as store:
        pack = PackWriter()
        refs = [pack.add(pcm(seed, 50 + seed), 24000) for seed in range(5)]
        store.commit("speak", {}, pack.write(store.packs))
    with open_store(tmp_path) as store:
        audio = store.audio(reversed(refs))
        for seed, ref in enumerate(refs):
            assert np.array_equal(audio.pcm(ref), pcm(seed, 50 + seed))
            assert audio.waveform(ref).samples.dtype == np.float32
            assert np.array_equal(audio.waveform(ref).samples * 32768, pcm(seed, 50 + seed))
            assert ref.seconds == (50 + seed) / 24000


def test_packs_are_named_by_their_bytes(tmp_path):
    names = []
    for _ in range(2):
        pack = PackWriter()
        pack.add(pcm(1), 24000)
        names.append(Path(pack.write(tmp_path)[0].path).name)
    assert names[0] == names[1]
    assert [path.name for path in tmp_path.iterdir()] == names[:1]
    assert PackWriter().write(tmp_path) == []


def test_the_same_samples_at_two_rates(tmp_path):
    with open_store(tmp_path) as store:
        pack = PackWriter()
        slow, fast = pack.add(pcm(1), 8000), pack.add(pcm(1), 16000)
        store.commit("speak", {}, pack.write(store.packs))
        audio = store.audio([slow, fast])
        assert (audio.waveform(slow).sample_rate, audio.waveform(fast).sample_rate) == (8000, 16000)


def test_records_of_many_keys(tmp_path):
    bodies = {f"key{n}": {"status": "ok", "value": n} for n in range(1203)}
    with open_store(tmp_path) as store:
        store.commit("stage", bodies)
        assert store.records([*bodies, "unknown"]) == bodies
        assert store.records([]) == {}


def test_a_commit_is_whole_or_nothing(tmp_path):
    with open_store(tmp_path) as store:
        with pytest.raises(ValueError, match="JSON"):
            store.commit("stage", {"good": {"value": 1}, "bad": {"value": float("nan")}})
        assert store.records(["good", "bad"]) == {}


def test_unknown_audio_is_a_key_error(tmp_path):
    with open_store(tmp_path) as store, pytest.raises(KeyError, match="not in the store"):
        store.places([AudioRef("0" * 64, 1, 24000)])


def test_a_pack_cut_short_is_noticed(tmp_path):
    with open_store(tmp_path) as store:
        pack = PackWriter()
        ref = pack.add(pcm(1), 24000)
        (place,) = pack.write(store.packs)
        store.commit("speak", {}, [place])
        Path(place.path).write_bytes(b"12")
        with pytest.raises(UserError, match=r"missing or cut short\. Delete index\.sqlite and packs"):
            store.places([ref])


def test_lent_audio_is_read_from_its_file(tmp_path):
    (tmp_path / "some.wav").write_bytes(b"head" + pcm(3).tobytes())
    ref = AudioRef("lent", 100, 24000)
    with open_store(tmp_path / "store") as store:
        store.lend([AudioPlace(ref, str(tmp_path / "some.wav"), 4)])
        assert np.array_equal(store.audio([ref]).pcm(ref), pcm(3))


def test_two_processes_share_an_index(tmp_path):
    """Writers wait for each other; SQLite's own lock is what two processes would meet."""
    stores = [Store(tmp_path), Store(tmp_path)]
    for store in stores:
        store.close()

    def write(writer: int) -> None:
        with open_store(tmp_path) as store:
            for number in range(20):
                store.commit("stage", {f"{writer}-{number}": {"value": number}})

    threads = [threading.Thread(target=write, args=(writer,)) for writer in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with open_store(tmp_path) as store:
        assert len(store.records([f"{writer}-{number}" for writer in range(3) for number in range(20)])) == 60


def test_mapped_samples_are_read_only(tmp_path):
    pack = PackWriter()
    pack.add(pcm(1), 24000)
    (place,) = pack.write(tmp_path)
    with pytest.raises(ValueError, match="read-only"):
        read_place(place)[0] = 1
    assert np.array_equal(Audio([place]).pcm(place.ref), pcm(1))


def test_c49_a_failed_write_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "file.json"
    write_atomic(path, "old")
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError):
        write_atomic(tmp_path / "folder", "new")
    write_atomic(path, "é")
    assert path.read_bytes() == "é".encode()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["file.json", "folder"]


def journal_mode(folder: Path) -> str:
    with sqlite3.connect(folder / "index.sqlite") as connection:
        (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
    connection.close()
    return mode


def test_an_own_store_is_faster_and_any_opener_takes_it_as_it_is(tmp_path):
    with open_own_store(tmp_path / "own") as store:
        store.commit("stage", {"a": 1})
    with open_store(tmp_path / "own") as store:
        store.commit("stage", {"b": 2})
        assert store.records(["a", "b"]) == {"a": 1, "b": 2}
    assert journal_mode(tmp_path / "own") == "wal"
    with open_store(tmp_path / "shared") as store:
        store.commit("stage", {"a": 1})
    assert journal_mode(tmp_path / "shared") == "delete"


def test_two_processes_may_have_an_own_store_open(tmp_path):
    with open_own_store(tmp_path) as one, open_store(tmp_path) as other:
        one.commit("stage", {"a": 1})
        other.commit("stage", {"b": 2})
        assert one.records(["a", "b"]) == other.records(["a", "b"]) == {"a": 1, "b": 2}


def test_a_file_that_ends_too_early_is_no_audio(tmp_path):
    (tmp_path / "a.pcm").write_bytes(bytes(10))
    place = AudioPlace(AudioRef("0" * 64, 4, 24000), str(tmp_path / "a.pcm"), 4)
    with pytest.raises(OSError, match="cut short at 10 bytes, not 12"):
        read_place(place)
