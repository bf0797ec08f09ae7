import importlib.util

import numpy as np
import pytest

from squtr.draw import draw
from squtr.errors import NotHere, UserError
from squtr.retrievers import nearest as module
from squtr.retrievers.nearest import nearest
from squtr.retrievers.vectors import VectorIndex


class Flat:
    """What is called of FAISS on the CPU, on numpy: the k best, best first."""

    METRIC_INNER_PRODUCT = 0

    def knn(self, queries, documents, k, metric):
        scores = queries @ documents.T
        places = np.argsort(-scores, axis=1, kind="stable")[:, :k]
        return np.take_along_axis(scores, places, axis=1), places


class Graphic(Flat):
    """FAISS with a GPU."""

    def __init__(self):
        self.calls = 0

    def get_num_gpus(self):
        return 1

    def StandardGpuResources(self):
        return "resources"

    def knn_gpu(self, resources, queries, documents, k, metric):
        assert resources == "resources" and k <= 2048
        self.calls += 1
        return self.knn(queries, documents, k, metric)


def rankings(engine, documents, queries, k):
    return VectorIndex([f"d{at:04}" for at in range(len(documents))], documents, engine).search(queries, k)


def corpus(repeats):
    documents = draw(2, "test-nearest", "documents").standard_normal((400, 24)).astype(np.float32)
    documents[: repeats * 4 : 4] = documents[0]
    documents[17] = 0
    return documents, documents[:6] + np.float32(0.01)


@pytest.fixture
def faiss(monkeypatch):
    def put(stand_in):
        monkeypatch.setattr(module, "_faiss", lambda: stand_in)
        module._resources.cache_clear()
        return stand_in

    yield put
    module._resources.cache_clear()


@pytest.mark.parametrize("repeats", [1, 90])
@pytest.mark.parametrize("kind", [Flat, Graphic])
def test_faiss_and_numpy_give_the_same_rankings(faiss, kind, repeats):
    """90 equal documents are more than FAISS is asked for: the chunk is then looked through whole."""
    faiss(kind())
    documents, queries = corpus(repeats)
    for k in (1, 10, 400):
        assert rankings("faiss", documents, queries, k) == rankings("numpy", documents, queries, k)


def test_a_gpu_is_taken_where_there_is_one_and_its_limit_is_kept(faiss):
    graphic = faiss(Graphic())
    documents = draw(2, "test-nearest", "many").standard_normal((3000, 4)).astype(np.float32)
    rankings("faiss", documents, documents[:1], 10)
    assert graphic.calls == 1
    assert len(rankings("faiss", documents, documents[:1], 2500)[0]) == 2500
    assert graphic.calls == 1


def test_real_faiss_gives_the_same_rankings():
    if importlib.util.find_spec("faiss") is None:
        pytest.skip("faiss is not installed")
    documents, queries = corpus(90)
    assert rankings("faiss", documents, queries, 20) == rankings("numpy", documents, queries, 20)


def test_auto_is_numpy_without_a_gpu_and_faiss_missing_is_told(monkeypatch):
    monkeypatch.setattr(module, "is_installed", lambda name: False)
    assert nearest("auto") is module.by_numpy
    module._faiss.cache_clear()
    if importlib.util.find_spec("faiss") is None:
        with pytest.raises(NotHere, match="faiss-cpu"):
            nearest("faiss")
    with pytest.raises(UserError, match="'numpy'"):
        nearest("nunpy")


def test_half_precision_on_disk_is_searched_in_single_and_double(tmp_path):
    documents, queries = corpus(1)
    np.save(tmp_path / "half.npy", documents.astype(np.float16))
    mapped = np.load(tmp_path / "half.npy", mmap_mode="r")
    halves = documents.astype(np.float16).astype(np.float32)
    assert rankings("numpy", mapped, queries, 10) == rankings("numpy", halves, queries, 10)


def test_large_mapped_files_are_let_go_of_and_still_whole(tmp_path, monkeypatch):
    from squtr.retrievers import vectors

    monkeypatch.setattr(vectors, "_KEPT_MAPPED_BYTES", 0)
    monkeypatch.setattr(vectors, "_DOCUMENTS_AT_ONCE", 64)
    documents, queries = corpus(1)
    np.save(tmp_path / "v.npy", documents)
    mapped = np.load(tmp_path / "v.npy", mmap_mode="r")
    assert rankings("numpy", mapped, queries, 10) == rankings("numpy", documents, queries, 10)
    writable = np.load(tmp_path / "v.npy", mmap_mode="c")
    writable[0] = 5
    rankings("numpy", writable, queries, 3)
    assert (writable[0] == 5).all()
