"""The data set card: YAML that the hub and `datasets` read, and a page for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import yaml
from jinja2 import Environment, StrictUndefined

from squtr.content import content
from squtr.publish.shards import AUDIO, Written, features

SPLIT = "test"
LICENSE = "other"
_SIZES = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M", "100M<n<1B")


@dataclass(frozen=True)
class Config:
    """One configuration: its name, the files it reads, and what is in them.

    Without a schema its features are left to whoever reads the files.
    """

    name: str
    files: tuple[str, ...]
    rows: int
    content_bytes: int
    bytes: int
    schema: pa.Schema | None = None

    @classmethod
    def of(cls, name: str, written: Written, schema: pa.Schema) -> Config:
        """Describe a written table."""
        files = tuple(shard.name for shard in written.shards)
        return cls(name, files, written.rows, written.content_bytes, written.bytes, schema)


def size_category(rows: int) -> str:
    """Return the hub's word for a number of rows."""
    return _SIZES[min(max(len(str(rows)) - 3, 0), len(_SIZES) - 1)]


def front_matter(
    name: str, languages: list[str], license_id: str, recordings: int, configs: list[Config]
) -> str:
    """Return the card's YAML. Files are listed one by one, so that none of an earlier upload is read."""
    plain = {
        "pretty_name": name,
        "license": license_id,
        "language": languages,
        "task_categories": ["text-retrieval", "automatic-speech-recognition"],
        "tags": ["squtr", "spoken-queries", "noise", "audio"],
        "size_categories": [size_category(recordings)],
        "configs": [
            {"config_name": one.name, "data_files": [{"split": SPLIT, "path": list(one.files)}]}
            for one in configs
        ],
        "dataset_info": [_info(one) for one in configs if one.schema is not None],
    }
    return f"---\n{yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, width=1000)}---\n"


def page(template: str, **values: Any) -> str:
    """Fill a template of data_build/."""
    text = content("data_build", template).read_text(encoding="utf-8")
    environment = Environment(undefined=StrictUndefined, trim_blocks=True, autoescape=False)  # noqa: S701
    return environment.from_string(text).render(**values).rstrip() + "\n"


def _info(config: Config) -> dict[str, Any]:
    schema = config.schema or pa.schema([])
    types = features(schema)
    return {
        "config_name": config.name,
        "features": [
            {"name": field.name, "dtype": "audio" if field.type == AUDIO else types[field.name]["dtype"]}
            for field in schema
        ],
        "splits": [{"name": SPLIT, "num_bytes": config.content_bytes, "num_examples": config.rows}],
        "download_size": config.bytes,
        "dataset_size": config.content_bytes,
    }
