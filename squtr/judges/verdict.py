"""The answer an audio LLM must give: one JSON object, checked strictly."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from squtr.errors import UserError
from squtr.remote import BrokenAnswer, Reply
from squtr.remote.chat import content_of, shown
from squtr.strict_json import STRICT

LOWEST, HIGHEST = 1.0, 5.0
REMARK = "its answer had text around the JSON, which was passed over"
_LONGEST_ANSWER = 20_000

_Words = Annotated[str, Field(max_length=4000)]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class Fault(_Strict):
    """One fatal fault, with the words it is about."""

    kind: Literal["cut off", "invented", "left out"]
    detail: _Words


class Verdict(_Strict):
    """What was heard, how it compares, fatal faults, the signal, and last of all the score."""

    heard: _Words
    comparison: _Words
    faults: Annotated[list[Fault], Field(max_length=20)]
    signal: _Words
    score: Annotated[float, Field(ge=LOWEST, le=HIGHEST)]

    def reasons(self) -> tuple[str, ...]:
        """Return the faults, then what was said of the signal and what was heard."""
        faults = [f"{fault.kind}: {fault.detail}" for fault in self.faults]
        return (*faults, f"signal: {self.signal}", f"heard: {self.heard}")


def read_answer(reply: Reply) -> tuple[Verdict, bool]:
    """Return the verdict in a chat completion, and whether there was text around its JSON.

    Raises BrokenAnswer for anything but exactly one JSON object that fits the schema.
    """
    return read_verdict(content_of(reply))


def read_verdict(content: str) -> tuple[Verdict, bool]:
    """Return the verdict in a message, and whether there was text around it.

    Text around the object is passed over, but the object must be whole, the first brace must begin it and
    no other brace may follow it: a choice between two answers is never made. Raises BrokenAnswer.
    """
    start = content.find("{")
    if start < 0:
        raise BrokenAnswer(f"an answer without JSON ({shown(content)})")
    if len(content) > _LONGEST_ANSWER:
        raise BrokenAnswer(f"an answer of {len(content):,} characters")
    try:
        plain, end = STRICT.raw_decode(content, start)
        json.dumps(plain, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError):
        raise BrokenAnswer(f"an answer that is no whole JSON object ({shown(content)})") from None
    if "{" in content[end:]:
        raise BrokenAnswer("an answer with more than one JSON object")
    try:
        verdict = Verdict.model_validate(plain)
    except ValidationError as error:
        raise BrokenAnswer(f"an answer that does not fit ({_describe(error)})") from None
    return verdict, bool(content[:start].strip() or content[end:].strip())


def _describe(error: ValidationError) -> str:
    fault = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, fault['loc'])) or 'answer'}: {fault['msg']}"


def response_format(kind: str) -> dict[str, Any] | None:
    """Return the request's response_format for `text` (none is sent), `json_object` or `json_schema`."""
    if kind == "text":
        return None
    if kind == "json_object":
        return {"type": "json_object"}
    if kind == "json_schema":
        schema = {"name": "verdict", "strict": True, "schema": Verdict.model_json_schema()}
        return {"type": "json_schema", "json_schema": schema}
    raise UserError(f"format is {kind!r}; it is text, json_object or json_schema.")
