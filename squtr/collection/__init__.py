"""Collections: BEIR, MTEB and SQuTR layouts, read, validated and written."""

from squtr.collection.collection import Collection, read_collection
from squtr.collection.corpus import read_documents
from squtr.collection.findings import Finding, Findings
from squtr.collection.jsonl import read_jsonl, write_jsonl
from squtr.collection.qrels import Qrels, read_qrels, write_qrels_jsonl
from squtr.collection.queries import read_queries
from squtr.collection.remembered import Remembered

__all__ = [
    "Collection",
    "Finding",
    "Findings",
    "Qrels",
    "Remembered",
    "read_collection",
    "read_documents",
    "read_jsonl",
    "read_qrels",
    "read_queries",
    "write_jsonl",
    "write_qrels_jsonl",
]
