"""Answers as plain JSON: the objects of official SDKs give theirs, dicts are themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import ReadError
from ..jsontext import Json

__all__ = ["plain"]


def plain(raw: Any) -> Json:
    """The JSON of an answer or event: a dict, a list, or what an SDK's object holds.

    Raises ReadError for what is neither.
    """
    if isinstance(raw, (dict, list)):
        return raw
    dump = getattr(raw, "model_dump", None)
    if callable(dump):  # pydantic: openai, anthropic, google-genai, ollama, mistralai, cohere
        return dump(mode="json", by_alias=True, exclude_unset=True)
    if isinstance(raw, Mapping):
        return dict(raw)
    raise ReadError(
        f"{type(raw).__name__} is no answer",
        hint="give the parsed JSON, its text, or the object of the official SDK",
        code="answer.type",
    )
