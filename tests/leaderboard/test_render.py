"""Rendering: the same bytes each time, the figures of the validator, and nothing that does not validate."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from squtr.digest import digest_file
from squtr.errors import UserError
from squtr.leaderboard import site as site_module
from squtr.leaderboard.render import render
from squtr.leaderboard.validate import validate
from squtr.progress import Silent
from tests.building import command
from tests.leaderboard.boards import drawn, rendered, write_data, write_submission
from tests.leaderboard.sites import bytes_of

QUERIES = {key: [f"{key[3:]}-{number:02}" for number in range(12)] for key in ("en/nq", "en/fiqa", "zh/du")}
NAMES = [f"System {letter}" for letter in "ABCDEFGHI"]


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("board")
    write_data(root, QUERIES)
    for seed, name in enumerate(NAMES):
        write_submission(root, name, QUERIES, drawn(seed, QUERIES, 0.4 + 0.06 * seed))
    return root


@pytest.fixture(scope="module")
def site(board: Path) -> dict[str, bytes]:
    rendered(board)
    return bytes_of(board / "site")


def copied(board: Path, to: Path, *names: str) -> Path:
    shutil.copytree(board / "datasets", to / "datasets")
    for name in names:
        shutil.copytree(board / "submissions" / name, to / "submissions" / name)
    return to


@pytest.mark.parametrize(("workers", "kept"), [(1, False), (2, False), (1, True), (2, True)])
def test_the_same_bytes_whatever_the_workers_and_the_cache(
    board: Path,
    site: dict[str, bytes],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    workers: int,
    kept: bool,
) -> None:
    cache = tmp_path / "cache" if kept else None
    monkeypatch.setattr("squtr.leaderboard.render._MANY", 2)
    for _ in range(2):
        rendered(board, tmp_path / "site", workers, cache)
        assert bytes_of(tmp_path / "site") == site
    assert not kept or len(list((tmp_path / "cache").iterdir())) == len(NAMES)
    assert sorted(path.name for path in tmp_path.iterdir()) == (["cache", "site"] if kept else ["site"])


def test_where_it_was_rendered_is_not_in_the_site(board: Path, tmp_path: Path) -> None:
    root = copied(board, tmp_path / "secret-place", "system-a", "system-b")
    (root / "submissions/system-b/extra.txt").write_text("x")
    rendered(root)
    assert not [name for name, data in bytes_of(root / "site").items() if b"secret-place" in data]


def test_tables_are_the_figures_of_the_validator(board: Path, site: dict[str, bytes]) -> None:
    rows = json.loads(site["tables/board.json"])
    told = {
        (row["system"], row["part"], row["condition"], row["measure"]): row["mean"]
        for row in rows
        if "/" in row["part"]
    }
    macro = {
        (row["system"], row["part"], row["condition"]): row["mean"]
        for row in rows
        if "/" not in row["part"] and row["rank"] is not None
    }
    wanted, means = {}, {}
    for folder in sorted((board / "submissions").iterdir()):
        verdict = validate(folder, None, board / "submissions")
        for key, conditions in verdict.scores.items():
            for condition, cell in conditions.items():
                for measure, mean in cell["measures"].items():
                    wanted[folder.name, key, condition, measure] = mean
        for language, found in verdict.macro.items():
            means |= {(folder.name, language, condition): mean for condition, mean in found.items()}
    assert told == pytest.approx(wanted, abs=1e-12)
    assert macro == pytest.approx(means, abs=1e-12)
    assert len(told) == len(NAMES) * 3 * 4 * 3


def test_csv_and_json_hold_the_same_rows(site: dict[str, bytes]) -> None:
    pairs = [name for name in site if name.startswith("tables/") and name.endswith(".json")]
    assert len(pairs) == 2 + 3 * len(NAMES)
    for name in pairs:
        rows = json.loads(site[name])
        sheet = list(csv.DictReader(site[name.replace(".json", ".csv")].decode("utf-8").splitlines()))
        assert [{k: "" if v is None else str(v) for k, v in row.items()} for row in rows] == sheet, name
        assert rows
    own = [
        row for name in sorted(pairs) if name.startswith("tables/scores/") for row in json.loads(site[name])
    ]
    assert own == json.loads(site["tables/board.json"])


def test_ranks_follow_the_means(site: dict[str, bytes]) -> None:
    rows = [row for row in json.loads(site["tables/board.json"]) if row["rank"]]
    scopes: dict[tuple[str, str], list[dict[str, float]]] = {}
    for row in rows:
        scopes.setdefault((row["part"], row["condition"]), []).append(row)
    assert len(scopes) == 5 * 4
    for found in scopes.values():
        for row in found:
            assert row["rank"] == 1 + sum(other["mean"] > row["mean"] + 1e-12 for other in found)
            assert row["best_rank"] <= row["rank"] <= row["worst_rank"] <= len(NAMES)


def test_what_does_not_validate_is_left_out_and_named(board: Path, tmp_path: Path) -> None:
    root = copied(board, tmp_path, "system-a", "system-b")
    (root / "submissions/system-b/runs/setup.py").write_text("1")
    done = command("leaderboard", "render", "--board", root / "submissions", "--out", root / "site", "--json")
    assert done.returncode == 1, done.stderr
    told = json.loads(done.stdout)
    assert told["systems"] == ["system-a"]
    assert [one["path"].rpartition("/")[2] for one in told["left_out"]] == ["system-b"]
    page = (root / "site/index.html").read_text(encoding="utf-8")
    assert "does not belong to a submission" in page.partition("Left out")[2]
    assert not (root / "site/systems/system-b.html").exists()
    assert "system-b" not in (root / "site/tables/board.csv").read_text()


def test_a_file_changed_or_added_after_it_was_kept_is_noticed(board: Path, tmp_path: Path) -> None:
    root = copied(board, tmp_path, "system-a", "system-b", "system-c", "system-d", "system-e")
    rendered(root, cache=root / "cache")
    place = root / "submissions"
    run = place / "system-b/runs/en/nq/clean.run.gz"
    run.write_bytes((place / "system-a/runs/en/nq/clean.run.gz").read_bytes())
    (place / "system-c/more.txt").write_text("x")
    (place / "system-d/runs/zh/du/clean.run.gz").unlink()
    (place / "system-e/system.yaml").unlink()
    found = rendered(root, cache=root / "cache")
    assert [entry.id for entry in found.board.entries] == ["system-a"]
    reasons = {
        Path(one.path).name: next(str(fault) for check in one.checks.values() for fault in check.faults)
        for one in found.board.left_out
    }
    assert "has SHA-256" in reasons["system-b"]
    assert "'more.txt': does not belong" in reasons["system-c"]
    assert "is missing" in reasons["system-d"] and "system.yaml: is missing" in reasons["system-e"]


def test_a_damaged_cache_is_made_again(board: Path, tmp_path: Path) -> None:
    root = copied(board, tmp_path, "system-a")
    rendered(root, cache=root / "cache")
    before = bytes_of(root / "site")
    (kept,) = (root / "cache").iterdir()
    whole = kept.read_bytes()
    for damaged in (b"", b"no archive", whole[: len(whole) // 2]):
        kept.write_bytes(damaged)
        rendered(root, cache=root / "cache")
        assert bytes_of(root / "site") == before
        assert kept.read_bytes() == whole


@pytest.mark.parametrize("parent", ["submissions", "entries"])
def test_a_folder_must_have_the_name_of_its_submission(board: Path, tmp_path: Path, parent: str) -> None:
    root = copied(board, tmp_path, "system-a")
    if parent != "submissions":
        (root / "submissions").rename(root / parent)
    shutil.copytree(root / parent / "system-a", root / parent / "winner")
    found = render(root / parent, root / "site", None, None, 1, Silent())
    assert [entry.id for entry in found.board.entries] == ["system-a"]
    (left,) = found.board.left_out
    faults = [str(fault) for check in left.checks.values() for fault in check.faults]
    assert Path(left.path).name == "winner" and "system-a" in faults[0]


def test_two_systems_cannot_go_by_one_name(tmp_path: Path) -> None:
    """`Straße` and `STRASSE` are one name, but not one id."""
    queries = {"en/nq": QUERIES["en/nq"]}
    write_data(tmp_path, queries)
    for seed, name in enumerate(("Die Straße", "DIE STRASSE")):
        write_submission(tmp_path, name, queries, drawn(seed, queries, 0.8))
    found = rendered(tmp_path)
    assert [entry.id for entry in found.board.entries] == ["die-strae"]
    assert "goes by the name of die-strae" in (tmp_path / "site/index.html").read_text(encoding="utf-8")


def test_a_data_set_with_a_single_system_and_query(tmp_path: Path) -> None:
    queries = {"en/nq": ["only"]}
    write_data(tmp_path, queries)
    write_submission(tmp_path, "Alone", queries, drawn(1, queries, 0.8))
    rendered(tmp_path)
    rows = json.loads((tmp_path / "site/tables/board.json").read_text())
    assert {(row["rank"], row["group"]) for row in rows if row["rank"]} == {(1, 1)}


def taken(out: Path, kind: str) -> Path:
    if kind == "file":
        out.write_text("mine")
    elif kind == "folder":
        out.mkdir()
        (out / "thesis.tex").write_text("mine")
    else:
        out.mkdir()
        (out / "site.json").write_text('{"what": "a site of mine"}')
    return out


@pytest.mark.parametrize("kind", ["file", "folder", "another site"])
def test_what_is_no_site_is_not_replaced(board: Path, tmp_path: Path, kind: str) -> None:
    out = taken(tmp_path / "out", kind)
    before = bytes_of(tmp_path)
    with pytest.raises(UserError, match="is a file" if kind == "file" else "holds files and no site.json"):
        rendered(board, out)
    assert bytes_of(tmp_path) == before


def test_a_bad_call_is_one_line_and_exit_code_2(board: Path, tmp_path: Path) -> None:
    out = taken(tmp_path / "out", "folder")
    done = command("leaderboard", "render", "--board", board / "submissions", "--out", out)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.count("\n") == 1 and done.stderr.startswith(f"squtr: {out}: holds files")


def test_a_board_without_submissions_is_one_clear_error(board: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such folder"):
        rendered(tmp_path)
    root = copied(board, tmp_path)
    (root / "submissions").mkdir()
    with pytest.raises(UserError, match="no submission in it"):
        rendered(root)
    shutil.copytree(board / "submissions/system-a", root / "submissions/system-a")
    (root / "submissions/system-a/system.yaml").write_text("name: <b>\n")
    with pytest.raises(UserError, match=r"none of its submissions validates\. .*system\.yaml"):
        rendered(root)
    assert not (root / "site").exists()


def test_a_fault_in_the_middle_leaves_the_old_site(
    board: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = copied(board, tmp_path, "system-a", "system-b")
    rendered(root)
    before = bytes_of(root)
    monkeypatch.setattr(site_module, "write_system", lambda page, fresh: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        rendered(root)
    assert bytes_of(root) == before


def test_a_kill_in_the_middle_leaves_the_old_site(board: Path, tmp_path: Path) -> None:
    root = copied(board, tmp_path, "system-a", "system-b")
    rendered(root)
    before = bytes_of(root / "site")
    killed = (
        "import os, sys; from pathlib import Path; from squtr.leaderboard import site;"
        "site.write_system = lambda page, fresh: os.kill(os.getpid(), 9);"
        "from tests.leaderboard.boards import rendered; rendered(Path(sys.argv[1]))"
    )
    done = subprocess.run([sys.executable, "-c", killed, root], env=dict(os.environ), timeout=120)
    assert done.returncode == -9
    assert bytes_of(root / "site") == before
    rendered(root)
    assert bytes_of(root / "site") == before


def test_a_linked_folder_stays_a_link(board: Path, tmp_path: Path) -> None:
    root = copied(board, tmp_path, "system-a")
    (root / "real").mkdir()
    (root / "site").symlink_to(root / "real")
    for _ in range(2):
        rendered(root)
    assert (root / "site").is_symlink() and (root / "real/index.html").is_file()


def test_the_cache_lies_apart_from_board_and_site(board: Path, tmp_path: Path) -> None:
    root = copied(board, tmp_path, "system-a")
    for place in (root / "submissions/cache", root / "site/cache", root / "submissions"):
        with pytest.raises(UserError, match="lies in the board or in the site"):
            rendered(root, root / "site", cache=place)
    assert not (root / "site").exists()


@pytest.mark.parametrize("kept", [False, True])
def test_what_cannot_be_read_leaves_out_one_submission(
    board: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: bool
) -> None:
    root = copied(board, tmp_path, "system-a", "system-b")
    name = next((root / "submissions/system-b").rglob("*.run.gz"))
    cache = root / "cache" if kept else None
    if kept:
        rendered(root, cache=cache)

    def refused(path: Path) -> str:
        if path == name:
            raise PermissionError(13, "Permission denied", str(path))
        return digest_file(path)

    monkeypatch.setattr("squtr.leaderboard.check_files.digest_file", refused)
    found = rendered(root, cache=cache)
    assert [entry.id for entry in found.board.entries] == ["system-a"]
    (left,) = found.board.left_out
    assert str(left["files"].faults[0]).endswith("cannot be read (Permission denied). Let it be read.")


def test_a_board_in_the_site_is_not_lost(board: Path, tmp_path: Path) -> None:
    root = copied(board, tmp_path / "site/leaderboard", "system-a")
    before = bytes_of(tmp_path)
    with pytest.raises(UserError, match="lies in it, and would be lost"):
        rendered(root, tmp_path / "site")
    with pytest.raises(UserError, match="lies in it, and would be lost"):
        render(board / "submissions", tmp_path / "site", root / "datasets", None, 1, Silent())
    assert bytes_of(tmp_path) == before


def test_a_cache_that_cannot_be_made_is_told_at_once(board: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be made"):
        rendered(board, tmp_path / "site", cache=Path("/proc/no/cache"))
    assert not (tmp_path / "site").exists()


def test_a_fault_elsewhere_is_not_told_of_a_submission(
    board: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = copied(board, tmp_path, "system-a")
    elsewhere = str(root / "submissions/system-a-and-more/file")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", elsewhere)

    monkeypatch.setattr("squtr.leaderboard.board.read_entry", full)
    with pytest.raises(OSError, match="No space left"):
        rendered(root)
    assert not (root / "site").exists()
