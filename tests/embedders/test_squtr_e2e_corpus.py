"""The end-to-end embedder takes a corpus's dense vectors where they are kept, with the same bytes."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from squtr.embedders.squtr_e2e import SqutrE2e
from squtr.eval.stored_corpus import StoredCorpus
from squtr.progress import Silent
from squtr.records import Document
from squtr.retrievers.dense import Dense
from squtr.store import open_own_store

DOCUMENTS = [
    Document("a", "", "fares of the tram"),
    Document("b", "", ""),
    Document("c", "Buses", "at night"),
]


def test_kept_dense_vectors_are_centred_and_not_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    collection: Any = SimpleNamespace(
        documents=lambda: iter(DOCUMENTS), corpus_fingerprint="0" * 64, language="en", name="trial"
    )
    alone = SqutrE2e().embed_documents(DOCUMENTS)
    with open_own_store(tmp_path / "store") as store:
        corpus = StoredCorpus(collection, store, Silent())
        corpus.vectors(Dense())
        monkeypatch.setattr(Dense, "embed_documents", lambda *_: pytest.fail("embedded a second time"))
        assert np.array_equal(corpus.vectors(SqutrE2e()), alone)
