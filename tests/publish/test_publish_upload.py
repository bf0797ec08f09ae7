"""The upload: which calls, as the client documents them; where the token goes, and where it does not."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import pytest

from squtr.commands.publish import run_publish, show_publish
from squtr.errors import UserError
from squtr.publish.hub import hub_api, parse_target, upload
from tests.building import command

SECRET = "hf_" + "s" * 34


class Modern:
    """The client from 2.0 on: upload_folder goes on where it was stopped."""

    def __init__(self, *errors: Exception) -> None:
        self.calls: list[tuple[str, dict]] = []
        self.errors = list(errors)

    def create_repo(self, **arguments) -> None:
        self.calls.append(("create_repo", arguments))

    def upload_folder(self, **arguments) -> None:
        self.calls.append(("upload_folder", arguments))
        if self.errors:
            raise self.errors.pop()


class Older(Modern):
    """The client up to 1.x."""

    def upload_large_folder(self, **arguments) -> None:
        self.calls.append(("upload_large_folder", arguments))


@pytest.mark.parametrize(("client", "name"), [(Modern, "upload_folder"), (Older, "upload_large_folder")])
@pytest.mark.parametrize("private", [True, False])
def test_the_calls(dataset, tmp_path, client, name, private):
    api = client()
    published = run_publish(dataset, "hf://org/name", False, private, tmp_path, None, api)
    assert published.uploaded
    repository = {"repo_id": "org/name", "repo_type": "dataset"}
    assert api.calls == [
        ("create_repo", {**repository, "private": True if private else None, "exist_ok": True}),
        (name, {**repository, "folder_path": tmp_path / "repository"}),
    ]


def test_the_calls_fit_the_client_that_is_installed(tmp_path):
    hub = pytest.importorskip("huggingface_hub", reason="needs the hub's client")
    api = Older() if hasattr(hub.HfApi, "upload_large_folder") else Modern()
    upload(api, tmp_path, parse_target("hf://org/name"), True)
    for name, arguments in api.calls:
        inspect.signature(getattr(hub.HfApi, name)).bind(None, **arguments)


def test_the_client_is_signed_in_by_the_environment(monkeypatch):
    pytest.importorskip("huggingface_hub", reason="needs the hub's client")
    with pytest.raises(UserError, match="HF_TOKEN is not set"):
        hub_api()
    monkeypatch.setenv("HF_TOKEN", f" {SECRET}\n")
    assert hub_api().token == SECRET


def test_without_a_token_nothing_is_done(dataset, tmp_path):
    with pytest.raises(UserError, match="HF_TOKEN is not set"):
        run_publish(dataset, "hf://org/name", False, False, tmp_path / "s", None)
    assert not (tmp_path / "s").exists()


def test_the_token_is_in_no_file_and_no_message(dataset, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("HF_TOKEN", SECRET)
    api = Modern(OSError(f"403 for Bearer {SECRET}\n(no rights)"))
    with pytest.raises(UserError, match=r"403 for Bearer \*\*\* \(no rights\)") as failure:
        run_publish(dataset, "hf://org/name", False, False, tmp_path, None, api)
    assert failure.value.__cause__ is None
    show_publish(run_publish(dataset, "hf://org/name", False, False, tmp_path, None, api), True)
    said = capsys.readouterr()
    assert SECRET not in said.out + said.err
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or SECRET.encode() not in path.read_bytes()


@pytest.mark.parametrize("error", [OSError("no route"), ValueError("bad"), RuntimeError("x"), KeyError("k")])
def test_whatever_the_client_raises_the_staged_files_stand(dataset, tmp_path, error):
    api = Modern(error)
    with pytest.raises(UserError, match="kept: mend it and run the same command again"):
        run_publish(dataset, "hf://org/name", False, False, tmp_path, None, api)
    files = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.parquet")}
    run_publish(dataset, "hf://org/name", False, False, tmp_path, None, api)
    kept = {path: time for path, time in files.items() if path.name != "manifest.parquet"}
    assert all(path.stat().st_mtime_ns == time for path, time in kept.items())
    assert api.calls[-1][0] == "upload_folder"


def test_a_dry_run_does_all_but_the_upload(dataset, tmp_path, capsys):
    api = Modern()
    published = run_publish(dataset, "hf://datasets/org/name", True, False, tmp_path, "cc-by-4.0", api)
    assert api.calls == []
    assert "license: cc-by-4.0" in (tmp_path / "repository/README.md").read_text()
    show_publish(published, False)
    said = capsys.readouterr().out
    assert "en-trial-snr_10: 4 rows, 1 files" in said
    assert "data/zh/trial/qrels-00000-of-00001.parquet" in said
    assert "not uploaded to https://huggingface.co/datasets/org/name (dry run)" in said


def test_on_the_command_line(dataset: Path, tmp_path):
    done = command("publish", dataset, "--to", "hf://org/name", "--dry-run", "--staging", tmp_path, "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["uploaded"], told["url"]) == (False, "https://huggingface.co/datasets/org/name")
    assert told["bytes"] == sum(one["bytes"] for one in told["files"])
    assert {"name": "zh-trial-clean", "files": 1, "rows": 2} in told["configs"]
    refused = command("publish", dataset, "--to", "hf://org/name", "--staging", tmp_path, HF_TOKEN="")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "HF_TOKEN" in refused.stderr


@pytest.mark.parametrize(
    "text",
    [
        "org/name", "hf://name", "hf://org/", "hf:///name", "hf://org/name/more", "hf://org/na me", "hf://-o/name",
        "hf://org/na--me", "hf://org/na..me", "hf://models/org/name", "https://huggingface.co/datasets/org/name",
        "hf://org/name.", "",
    ],
)  # fmt: skip
def test_targets_that_are_none(text):
    with pytest.raises(UserError, match="must be hf://organisation/name"):
        parse_target(text)


def test_targets():
    assert parse_target("hf://org/name").repo_id == "org/name"
    assert parse_target("hf://datasets/my-org/a_b.c-d/").repo_id == "my-org/a_b.c-d"
