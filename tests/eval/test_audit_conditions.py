"""The audit's rows: one a condition, also where several conditions ask for the same ratio."""

from __future__ import annotations

from pathlib import Path

import pytest

from squtr.dataset import read_dataset
from squtr.eval.audit import audit_dataset
from squtr.eval.report.audit import audit_parts
from tests.building import build, manifest, write_trial

CONDITIONS = [
    {"name": "phone", "snr_db": 10, "telephone": {}},
    {"name": "bursts", "snr_db": 10, "bursts": {"duty": 0.4}},
]


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("audit")
    build(write_trial(folder, mix={"snrs_db": [0, 10, -2.5], "conditions": CONDITIONS}), folder / "out")
    return folder / "out"


def test_conditions_of_one_ratio_are_rows_of_their_own(out: Path) -> None:
    found = audit_dataset(out, read_dataset(out))["snr"]
    order = [(row["condition"], row["requested_db"]) for row in found]
    assert order == [("snr_10", 10), ("snr_0", 0), ("snr_-2.5", -2.5), ("bursts", 10), ("phone", 10)]
    assert [row["recordings"] for row in found] == [4] * 5
    for row in found:
        realised = [
            each["realised_snr_db"] for each in manifest(out) if each["condition"] == row["condition"]
        ]
        assert (row["realised_db"]["min"], row["realised_db"]["max"]) == (min(realised), max(realised))


def test_the_report_names_them_beside_what_was_asked(out: Path) -> None:
    part = audit_parts(audit_dataset(out, read_dataset(out)))[0]
    rows = {name.text: [cell.text for cell in cells[:2]] for name, cells in part.tables[0].rows}
    minus, thin = "\u2212", "\u202f"
    assert rows == {
        f"10{thin}dB": ["4", "10"],
        f"0{thin}dB": ["4", "0"],
        f"{minus}2.5{thin}dB": ["4", f"{minus}2.5"],
        "bursts": ["4", "10"],
        "phone": ["4", "10"],
    }
