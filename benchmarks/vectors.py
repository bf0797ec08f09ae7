"""Exact search of a corpus that does not fit the memory allowed: 2 million x 384, memory-mapped.

Vectors are random and of length 1, written as float16 (1.5 GB) or float32 (3 GB) to a temporary file that is
removed in the end. A process of its own then searches them; its greatest resident memory is what the system
counted for it (VmHWM), mapped pages of the file included. The rankings of some queries are compared with a
search that holds every score in float64.

Run: python benchmarks/vectors.py [--documents 2000000] [--queries 64] [--stored float16] [--engine numpy]
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from squtr.draw import draw
from squtr.retrievers.vectors import VectorIndex

WIDTH = 384
DEPTH = 100
CHECKED = 4
TARGET_BYTES = 2e9
_AT_ONCE = 50_000


def main() -> int:
    """Measure, print, and exit with 1 where a ranking differs or memory passes the target."""
    options = _options()
    if options.worker:
        print(json.dumps(search(Path(options.worker), options.queries, options.engine)))
        return 0
    size = options.documents * WIDTH * np.dtype(options.stored).itemsize
    with tempfile.TemporaryDirectory(prefix="squtr-vectors-", dir=options.folder) as folder:
        if shutil.disk_usage(folder).free < 2 * size:
            print(f"{folder}: not twice the {size / 1e9:.1f} GB free that the vectors take.", file=sys.stderr)
            return 2
        path = Path(folder) / "vectors.npy"
        write(path, options.documents, options.stored)
        command = [sys.executable, __file__, "--worker", str(path), "--queries", str(options.queries)]
        done = subprocess.run(
            [*command, "--engine", options.engine], capture_output=True, text=True, check=True
        )
        found = json.loads(done.stdout)
        exact = reference(path, asked(options.queries)[:CHECKED])
    rankings = found.pop("rankings")
    told = {
        "documents": options.documents,
        "stored": options.stored,
        "engine": options.engine,
        "file_gb": size / 1e9,
        **found,
        "same_rankings": rankings == exact,
    }
    print("\n".join(f"{name:16} {value}" for name, value in told.items()))
    return 0 if told["same_rankings"] and found["peak_rss_gb"] * 1e9 < TARGET_BYTES else 1


def search(path: Path, queries: int, engine: str) -> dict[str, object]:
    """Index and search; return seconds, the greatest resident memory in GB and the first rankings' ids."""
    started = time.perf_counter()
    vectors = np.load(path, mmap_mode="r", allow_pickle=False)
    index = VectorIndex([f"document-{at}" for at in range(len(vectors))], vectors, engine)
    indexed = time.perf_counter()
    found = index.search(asked(queries), DEPTH)
    return {
        "queries": queries,
        "index_s": round(indexed - started, 1),
        "search_s": round(time.perf_counter() - indexed, 1),
        "peak_rss_gb": peak_bytes() / 1e9,
        "rankings": [[int(name.rpartition("-")[2]) for name in ranking] for ranking in found[:CHECKED]],
    }


def reference(path: Path, queries: np.ndarray) -> list[list[int]]:
    """Return the best documents of each query by their cosines in float64, from one array of all scores."""
    vectors = np.load(path, mmap_mode="r", allow_pickle=False)
    scores = np.empty((len(vectors), len(queries)))
    units = queries.astype(np.float64) / np.linalg.norm(queries.astype(np.float64), axis=1, keepdims=True)
    for start in range(0, len(vectors), _AT_ONCE):
        part = vectors[start : start + _AT_ONCE].astype(np.float64)
        scores[start : start + _AT_ONCE] = part @ units.T / np.linalg.norm(part, axis=1, keepdims=True)
    return [np.argsort(-column)[:DEPTH].tolist() for column in scores.T]


def write(path: Path, documents: int, stored: str) -> None:
    vectors = np.lib.format.open_memmap(path, mode="w+", dtype=np.dtype(stored), shape=(documents, WIDTH))
    generator = draw(0, "benchmark-vectors", "documents")
    for start in range(0, documents, _AT_ONCE):
        part = generator.standard_normal((min(_AT_ONCE, documents - start), WIDTH), dtype=np.float32)
        vectors[start : start + len(part)] = part / np.linalg.norm(part, axis=1, keepdims=True)
    vectors.flush()


def asked(queries: int) -> np.ndarray:
    """Return the query vectors, shape (queries, WIDTH), float32."""
    return draw(0, "benchmark-vectors", "queries").standard_normal((queries, WIDTH), dtype=np.float32)


def peak_bytes() -> int:
    """Return the greatest resident memory of this process so far, as Linux counts it."""
    status = Path("/proc/self/status").read_text()
    return 1024 * next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--documents", type=int, default=2_000_000)
    parser.add_argument("--queries", type=int, default=64)
    parser.add_argument("--stored", default="float16", choices=["float16", "float32"])
    parser.add_argument("--engine", default="numpy", choices=["numpy", "faiss"])
    parser.add_argument("--folder", help="where the vectors are written meanwhile")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
