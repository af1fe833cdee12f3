"""Whether a body could be a request of the Responses API, judged by its keys and shapes.

Others stand near: embeddings and speech have an `input` of text, completions a `prompt` of text,
and elsewhere an `input` is an object.
"""

from __future__ import annotations

from typing import Any

from ...jsontext import Json

__all__ = ["claims"]

_STATE = ("previous_response_id", "conversation", "prompt")
# of bodies with an `input` or a `prompt` of another kind
_OTHERS = frozenset({"messages", "contents", "generationConfig", "generation_config",
                     "encoding_format", "dimensions", "voice", "inputs", "max_tokens",
                     "max_completion_tokens", "n", "response_format", "parameters"})  # fmt: skip


def claims(body: Json, path: str | None = None) -> bool:
    """Whether this could be a request of this protocol."""
    if not isinstance(body, dict) or not _OTHERS.isdisjoint(body):
        return False
    where = (path or "").partition("?")[0].rstrip("/")
    if where.endswith(("/embeddings", "/audio/speech", "/moderations", "/completions")):
        return False
    told = body.get("input")
    if isinstance(told, list):
        return all(map(_item, told))
    if isinstance(told, str):
        return "model" in body or "prompt" in body
    return told is None and any(isinstance(body.get(key), (str, dict)) and
                                not (key == "prompt" and isinstance(body[key], str))
                                for key in _STATE)  # fmt: skip


def _item(told: Any) -> bool:
    """Whether an entry of the input is an item: a message, or of some type."""
    if not isinstance(told, dict):
        return False
    kind = told.get("type", "message")
    if kind != "message":
        return isinstance(kind, str)
    content = told.get("content")
    if isinstance(content, list):
        return all(isinstance(part, dict) and isinstance(part.get("type"), str) for part in content)
    return isinstance(told.get("role"), str) and isinstance(content, str)
