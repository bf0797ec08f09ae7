"""Croissant metadata (MLCommons, format specification 1.0): what is in a repository, for machines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from squtr.publish.card import Config
from squtr.publish.shards import AUDIO, Shard

_PREFIXED = (
    "citeAs", "column", "equivalentProperty", "extract", "field", "fileProperty", "fileObject", "fileSet",
    "format", "includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet",
    "references", "regex", "repeated", "replace", "samplingRate", "separator", "source", "subField",
    "transform",
)  # fmt: skip
_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{name: f"cr:{name}" for name in _PREFIXED},
}
_TYPES = {
    "double": "sc:Float",
    "float": "sc:Float",
    "bool": "sc:Boolean",
    "int32": "sc:Integer",
    "int64": "sc:Integer",
}
_PARQUET = "application/x-parquet"
# The format demands a checksum of the repository as a whole, which has none; the hub writes this.
_NO_CHECKSUM = "https://github.com/mlcommons/croissant/issues/80"


def croissant(
    name: str, url: str, description: str, license_id: str, configs: Iterable[Config], shards: Iterable[Shard]
) -> dict[str, Any]:
    """Return the JSON-LD of a repository: every file with its SHA-256, and one record set a configuration."""
    described = [config for config in configs if config.schema is not None]
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": name,
        "description": description,
        "license": license_id,
        "url": url,
        "citeAs": "arXiv:2602.12783",
        "distribution": [_repository(url), *map(_file, shards), *map(_files, described)],
        "recordSet": [_records(config) for config in described],
    }


def _repository(url: str) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": "repo",
        "name": "repo",
        "contentUrl": f"{url}/tree/main",
        "encodingFormat": "git+https",
        "sha256": _NO_CHECKSUM,
    }


def _file(shard: Shard) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": shard.name,
        "name": shard.name,
        "containedIn": {"@id": "repo"},
        "contentUrl": shard.name,
        "contentSize": f"{shard.bytes} B",
        "encodingFormat": _PARQUET,
        "sha256": shard.sha256,
    }


def _files(config: Config) -> dict[str, Any]:
    return {
        "@type": "cr:FileSet",
        "@id": f"files-{config.name}",
        "name": f"files-{config.name}",
        "containedIn": {"@id": "repo"},
        "encodingFormat": _PARQUET,
        "includes": list(config.files),
    }


def _records(config: Config) -> dict[str, Any]:
    names = config.schema.names if config.schema is not None else []
    fields = [_field(config, name) for name in names]
    key = {"key": {"@id": f"{config.name}/_id"}} if "_id" in names else {}
    return {"@type": "cr:RecordSet", "@id": config.name, "name": config.name, **key, "field": fields}


def _field(config: Config, name: str) -> dict[str, Any]:
    kind = config.schema.field(name).type if config.schema is not None else None
    source: dict[str, Any] = {
        "fileSet": {"@id": f"files-{config.name}"},
        "extract": {"column": name},
    }
    if kind == AUDIO:
        source["transform"] = {"jsonPath": "bytes"}
    return {
        "@type": "cr:Field",
        "@id": f"{config.name}/{name}",
        "name": f"{config.name}/{name}",
        "dataType": "sc:AudioObject" if kind == AUDIO else _TYPES.get(str(kind), "sc:Text"),
        "source": source,
    }
