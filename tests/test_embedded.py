"""Models from packages are used only when their bytes are the expected ones."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from squtr.embedded import package_bytes
from squtr.errors import UserError

DOUBLES = (Path(__file__).parent / "doubles.py").read_bytes()


def test_parts_are_joined():
    parts = [("tests", "doubles.py"), ("tests", "doubles.py")]
    assert package_bytes(parts, hashlib.sha256(2 * DOUBLES).hexdigest()) == 2 * DOUBLES


def test_a_changed_model_is_refused():
    found = hashlib.sha256(DOUBLES).hexdigest()
    with pytest.raises(
        UserError, match=f"tests/doubles.py: the model's SHA-256 is {found}, expected 0+. Reinstall"
    ):
        package_bytes([("tests", "doubles.py")], "0" * 64)


@pytest.mark.parametrize("part", [("no_such_package_here", "a"), ("tests", "no/such/file.bin")])
def test_a_missing_model_names_the_extra(part):
    with pytest.raises(UserError, match=r"Model file missing: .*pip install 'squtr\[embedded\]'"):
        package_bytes([part], "0" * 64)
