"""Worker processes and command lines started by tests find the checkout, and with it tests.doubles."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

from hypothesis import settings

ROOT = str(Path(__file__).resolve().parents[1])
if "SQUTR_NOISE_CACHE" not in os.environ:
    os.environ["SQUTR_NOISE_CACHE"] = tempfile.mkdtemp(prefix="squtr-noise-")
    atexit.register(shutil.rmtree, os.environ["SQUTR_NOISE_CACHE"], ignore_errors=True)
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [ROOT, os.environ.get("PYTHONPATH")]))
settings.register_profile("any-machine", deadline=None)  # a loaded machine is no fault
settings.load_profile("any-machine")
