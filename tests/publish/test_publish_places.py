"""Where publishing and exporting may write: nowhere that is not theirs."""

from __future__ import annotations

from pathlib import Path

import pytest

from squtr.commands.export import run_export
from squtr.commands.publish import run_publish
from squtr.errors import UserError


def publish(dataset: Path, place: Path | None = None, license_id: str | None = None) -> None:
    run_publish(dataset, "hf://a/b", True, False, place, license_id)


def test_a_folder_that_is_no_data_set_is_left_as_it_was(tmp_path):
    plain = tmp_path / "plain"
    plain.mkdir()
    for folder in (tmp_path / "nowhere", plain):
        with pytest.raises(UserError, match=r"no such data set folder|no SQuTR data set"):
            publish(folder)
    assert not (tmp_path / "nowhere").exists() and not any(plain.iterdir())


def test_staging_goes_neither_into_the_data_set_nor_among_other_files(dataset, tmp_path):
    (tmp_path / "own.txt").write_text("mine")
    for place in (dataset, dataset / "en", dataset / "new", tmp_path, tmp_path / "own.txt"):
        with pytest.raises(UserError, match=r"lies in the data set itself|that no staging made"):
            publish(dataset, place)
    publish(dataset, tmp_path / "staged")
    publish(dataset, tmp_path / "staged")
    with pytest.raises(UserError, match="lies in the data set itself"):
        run_export("beir", dataset, dataset / "inside")


@pytest.mark.parametrize("license_id", ["two words", "x\ny: z", "", "CC-BY"])
def test_a_licence_is_one_of_the_hubs_names(dataset, license_id):
    with pytest.raises(UserError, match="--license"):
        publish(dataset, None, license_id)
