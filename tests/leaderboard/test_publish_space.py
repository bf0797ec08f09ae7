"""Publishing a site to a Space: what arrives, what goes, where the token is."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest

from squtr.commands.leaderboard import run_publish, show_publish
from squtr.errors import UserError
from squtr.leaderboard.publish_site import publish_site
from tests.hub_server import clear_client
from tests.leaderboard.sites import PAGES, bytes_of, write_site
from tests.leaderboard.space_server import Spaces, serving_spaces

hub = pytest.importorskip("huggingface_hub", reason="needs the hub's client")
SECRET = "hf_" + "s" * 34
TO = "hf://spaces/org/board"


@pytest.fixture
def spaces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Spaces]:
    clear_client(tmp_path, monkeypatch)
    with serving_spaces() as found:
        yield found


def _client(spaces: Spaces) -> object:
    return hub.HfApi(endpoint=spaces.url, token=SECRET)


def test_a_new_space(spaces: Spaces, tmp_path: Path) -> None:
    site = write_site(tmp_path / "site")
    before = bytes_of(site)
    published = publish_site(site, TO, False, _client(spaces))
    assert published.sent and published.where == "https://huggingface.co/spaces/org/board"
    assert (spaces.made[0]["type"], spaces.made[0]["sdk"]) == ("space", "static")
    found = spaces.files["org/board"]
    assert {name: data for name, data in found.items() if name in before} == before
    assert set(found) - set(before) == {".gitattributes", "README.md"}
    card = found["README.md"].decode()
    assert card.startswith("---\ntitle: ") and "\nsdk: static\n" in card
    assert bytes_of(site) == before
    assert spaces.tokens == {f"Bearer {SECRET}"}


def test_old_pages_go(spaces: Spaces, tmp_path: Path) -> None:
    publish_site(write_site(tmp_path / "first", old_page=b"gone"), TO, False, _client(spaces))
    assert "old/page" in spaces.files["org/board"]
    publish_site(write_site(tmp_path / "second", new_page=b"here"), TO, False, _client(spaces))
    found = spaces.files["org/board"]
    assert "old/page" not in found and found["new/page"] == b"here"
    assert ".gitattributes" in found


def test_a_space_that_holds_something_else(spaces: Spaces, tmp_path: Path) -> None:
    spaces.files["org/board"] = {"app.py": b"print()", "README.md": b""}
    with pytest.raises(UserError, match=r"no site\.json of an earlier site, so it was left"):
        publish_site(write_site(tmp_path / "site"), TO, False, _client(spaces))
    assert set(spaces.files["org/board"]) == {"app.py", "README.md"}


def test_what_the_hub_refuses_is_told_without_the_token(spaces: Spaces, tmp_path: Path) -> None:
    spaces.refused = (403, f"no rights for {SECRET}")
    client = _client(spaces)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_TOKEN", SECRET)
        with pytest.raises(UserError, match="no rights for") as failure:
            publish_site(write_site(tmp_path / "site"), TO, False, client)
    assert SECRET not in str(failure.value)
    assert "run the same command again" in str(failure.value)


def test_without_a_token_nothing_is_asked(spaces: Spaces, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="HF_TOKEN is not set"):
        run_publish(write_site(tmp_path / "site"), TO, False)
    assert spaces.asked == []


def test_a_dry_run_needs_no_token(spaces: Spaces, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    show_publish(run_publish(write_site(tmp_path / "site"), TO, True), False)
    said = capsys.readouterr().out
    assert spaces.asked == []
    assert f"  index.html {len(PAGES['index.html'])}\n" in said
    assert "not sent to https://huggingface.co/spaces/org/board (dry run)" in said


@pytest.mark.parametrize(
    "to", ["hf://spaces/org", "hf://org/board", "hf://datasets/org/b", "hf://spaces/-o/b", "hf:"]
)
def test_targets_that_are_none(tmp_path: Path, to: str) -> None:
    with pytest.raises(UserError, match="must be hf://spaces/organisation/name"):
        publish_site(write_site(tmp_path / "site"), to, True)


def test_the_calls_fit_the_client_that_is_installed() -> None:
    calls = {
        "create_repo": {"repo_id": "o/n", "repo_type": "space", "space_sdk": "static", "exist_ok": True},
        "list_repo_files": {"repo_id": "o/n", "repo_type": "space"},
        "upload_folder": {"repo_id": "o/n", "folder_path": "f", "repo_type": "space", "delete_patterns": "*"},
    }
    for name, arguments in calls.items():
        inspect.signature(getattr(hub.HfApi, name)).bind(None, **arguments)
