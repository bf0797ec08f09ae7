"""Who finds the nearest vectors of a chunk: numpy, or FAISS on the CPU or a GPU."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from squtr.errors import NotHere, UserError, did_you_mean
from squtr.needs import is_installed

SEARCHES = ("auto", "numpy", "faiss")
HOW_FAISS = "pip install faiss-cpu (or faiss-gpu-cu12)"
_SPARE = 32
_MOST_ON_GPU = 2048

Rows = npt.NDArray[np.float32]
Found = Iterable[tuple[Rows, npt.NDArray[np.int64]]]
Nearest = Callable[[Rows, Rows, int], Found]


def nearest(engine: str) -> Nearest:
    """Return the function that gives each query's nearest documents of a chunk, and a few more than k.

    It takes unit queries (m, d), unit documents (n, d) and k, and yields (rough scores, their places) for
    each query, some or all of the chunk. auto: FAISS where it is installed and sees a GPU, else numpy.
    Raises UserError for another name, NotHere when FAISS is missing.
    """
    if engine not in SEARCHES:
        raise UserError(f"engine is {engine!r}.{did_you_mean(str(engine), SEARCHES)}")
    if engine == "numpy" or (engine == "auto" and not _sees_gpu()):
        return by_numpy
    return functools.partial(by_faiss, _faiss())


def by_numpy(queries: Rows, documents: Rows, k: int) -> Found:
    """Yield the rough scores of the whole chunk."""
    places = np.arange(len(documents))
    return ((scores, places) for scores in queries @ documents.T)


def by_faiss(faiss: Any, queries: Rows, documents: Rows, k: int) -> Found:
    """Yield the k best of the chunk and 32 more; on a GPU where FAISS has one and k allows it."""
    wanted = min(k + _SPARE, len(documents))
    metric = faiss.METRIC_INNER_PRODUCT
    if wanted <= _MOST_ON_GPU and _gpus(faiss):
        scores, places = faiss.knn_gpu(_resources(), queries, documents, wanted, metric=metric)
    else:
        scores, places = faiss.knn(queries, documents, wanted, metric=metric)
    return zip(scores, places, strict=True)


def _sees_gpu() -> bool:
    return is_installed("faiss") and _gpus(_faiss()) > 0


def _gpus(faiss: Any) -> int:
    count = getattr(faiss, "get_num_gpus", None)
    return int(count()) if count is not None and hasattr(faiss, "StandardGpuResources") else 0


@functools.cache
def _resources() -> Any:
    return _faiss().StandardGpuResources()


@functools.cache
def _faiss() -> Any:
    try:
        return importlib.import_module("faiss")
    except ImportError as error:
        raise NotHere(f"engine=faiss needs the package faiss. {HOW_FAISS} brings it.") from error
