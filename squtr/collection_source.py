"""One collection of a recipe: where it is, and what it is called in the data set."""

from __future__ import annotations

from typing import Any

from pydantic import (
    Field,
    SerializerFunctionWrapHandler,
    ValidationInfo,
    field_validator,
    model_serializer,
    model_validator,
)

from squtr.errors import UserError
from squtr.hub import is_hub_path, pinned_dataset
from squtr.section import NAME, FaultAt, Section


class CollectionSource(Section):
    """One collection to read, and the subset name it gets in the data set.

    `path` may be hf://datasets/organisation/name@revision; `qrels` is such a path too, for judgements that
    lie in a repository of their own.
    """

    name: str = Field(pattern=NAME, max_length=64)
    language: str
    path: str = Field(description="a folder; relative to the recipe, or to the embedded data_build content")
    qrels: str | None = None

    @field_validator("path", "qrels")
    @classmethod
    def _pinned(cls, path: str | None, info: ValidationInfo) -> str | None:
        if path == "":
            raise ValueError("an empty path names nothing; write a folder, or . for that of the recipe")
        if path is not None and (is_hub_path(path) or info.field_name == "qrels"):
            try:
                pinned_dataset(path)
            except UserError as error:
                raise ValueError(str(error).rstrip(".")) from None
        return path

    @model_validator(mode="after")
    def _both_on_the_hub(self) -> CollectionSource:
        if self.qrels is not None and not is_hub_path(self.path):
            raise FaultAt("goes with a path on the hub; a folder has its own", "qrels")
        return self

    @model_serializer(mode="wrap")
    def _plain(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        plain: dict[str, Any] = write(self)
        return {key: value for key, value in plain.items() if key != "qrels" or value is not None}
