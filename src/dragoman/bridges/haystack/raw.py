"""Messages of Haystack as JSON of one form, and what `meta` says of an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import NotMessages
from ...message import Finish, Msg, RefusalBlock, Usage
from ...protocols.shared_finish_words import read_finish
from ...text.json_text import JsonObject
from ...text.redaction import show
from ..results import AnswerNotes, read_notes, text_or_none

_ROLES = ("system", "user", "assistant", "tool")
_KEYS = ("tool_call", "tool_call_result", "reasoning", "image", "file")
# the parts of pydantic's dumps, which do not name their kind: a key that only it has
_FLAT = (
    ("tool_name", "tool_call"),
    ("origin", "tool_call_result"),
    ("reasoning_text", "reasoning"),
    ("base64_image", "image"),
    ("base64_data", "file"),
)
_FINISH = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool_calls",
    "content_filter": "content_filter",
    "refusal": "content_filter",
    "context_overflow": "length",
    "pause": "stop",
}


def read_raw(item: Any, path: str) -> JsonObject:
    """Return a message as its `to_dict` writes it, of this release or of one before.

    Args:
        item: The message.
        path: Its path.

    Raises:
        NotMessages: It is none.
    """
    if callable(dump := getattr(item, "to_dict", None)):
        item = dump()
    if not isinstance(item, Mapping):
        raise no_message(item, path)
    old = "_" if "_role" in item else ""
    role, content = item.get(f"{old}role"), item.get(f"{old}content")
    if isinstance(content, str):
        content = [{"text": content}]
    name, meta = item.get(f"{old}name"), item.get(f"{old}meta")
    if role not in _ROLES or not isinstance(content, (list, tuple)):
        raise no_message(item, path)
    if not isinstance(name, str | None) or not isinstance(meta, Mapping | None):
        raise no_message(item, path)
    parts = [_part(part, f"{path}.content[{i}]") for i, part in enumerate(content)]
    return {"role": str(role), "meta": dict(meta or {}), "name": name, "content": parts}


def _part(part: Any, path: str) -> JsonObject:
    """Return a part whose kind is its key."""
    if isinstance(part, Mapping):
        if isinstance(part.get("text"), str):
            return {"text": part["text"]}
        for key in _KEYS:
            if isinstance(inner := part.get(key), Mapping):
                return {key: _checked(key, inner, path)}
        for field, key in _FLAT:
            if field in part:
                return {key: _checked(key, part, path)}
    raise no_message(part, path)


def _checked(key: str, part: Mapping[str, Any], path: str) -> JsonObject:
    """Return a part, if its fields have the types that Haystack's have."""
    found = dict(part)
    if key == "tool_call":
        fine = isinstance(part.get("tool_name"), str) and type(part.get("arguments")) is dict
        fine = fine and isinstance(part.get("id"), str | None)
        fine = fine and isinstance(part.get("extra"), dict | None)
    elif key == "tool_call_result":
        result, origin = part.get("result"), part.get("origin")
        fine = isinstance(result, (str, list, tuple)) and isinstance(origin, Mapping)
        fine = fine and isinstance(part.get("error"), bool)
        if fine and origin is not None:
            found["origin"] = _checked("tool_call", origin, path)
        if fine and not isinstance(result, str):
            inner = enumerate(result or ())
            found["result"] = [_part(one, f"{path}.result[{i}]") for i, one in inner]
    elif key == "reasoning":
        fine = isinstance(part.get("reasoning_text"), str)
        fine = fine and isinstance(part.get("extra", {}), dict)
    else:
        data = "base64_image" if key == "image" else "base64_data"
        fine = isinstance(part.get(data), str) and isinstance(part.get("mime_type"), str | None)
        other = "meta" if key == "image" else "extra"
        fine = fine and isinstance(part.get(other, {}), dict)
        names = ("detail", "filename")
        fine = fine and all(isinstance(part.get(name), str | None) for name in names)
    if not fine:
        raise no_message(part, path)
    return found


def no_message(value: object, path: str) -> NotMessages:
    """Return the error for what is no message of Haystack, or no part of one."""
    return NotMessages(
        f"{show(value)} is no ChatMessage of Haystack",
        path=path,
        hint='ChatMessage.from_user(text), or {"role": "user", "content": [{"text": text}]}',
        code="messages.type",
    )


# -- what `meta` says of an answer ----------------------------------------------------------------


def read_meta(meta: Mapping[str, Any]) -> AnswerNotes:
    """Read model, id, finish and usage of an answer as Haystack's generators write them.

    Args:
        meta: The `meta` of a message.
    """
    usage, finish = meta.get("usage"), meta.get("finish_reason")
    return AnswerNotes(
        _usage(usage) if isinstance(usage, Mapping) else None,
        read_finish(finish, {}) if isinstance(finish, str) and finish else None,
        text_or_none(meta.get("model")),
        text_or_none(meta.get("id")),
    )


def _usage(given: Mapping[str, Any]) -> Usage | None:
    """Read counts in the form of Chat Completions or of Responses; both include what was cached."""
    inputs = _count(given, "prompt_tokens", "input_tokens")
    cached = _count(given, "cache_read_input_tokens")
    written = _count(given, "cache_creation_input_tokens")
    reasoning: int | None = None
    for name in ("prompt_tokens_details", "input_tokens_details"):
        if isinstance(details := given.get(name), Mapping) and cached is None:
            cached = _count(details, "cached_tokens")
    for name in ("completion_tokens_details", "output_tokens_details"):
        if isinstance(details := given.get(name), Mapping):
            reasoning = _count(details, "reasoning_tokens")
    found = Usage(cache_read=cached, cache_write=written, reasoning=reasoning)
    if inputs is not None:
        found.input = max(inputs - (cached or 0) - (written or 0), 0)
    found.output = _count(given, "completion_tokens", "output_tokens")
    found.total = _count(given, "total_tokens")
    return found if found != Usage() else None


def _count(given: Mapping[str, Any], *names: str) -> int | None:
    return next((given[name] for name in names if type(given.get(name)) is int), None)


def write_meta(msg: Msg, meta: JsonObject) -> None:
    """Write what is known of an answer where Haystack's generators do; what is there stays.

    Args:
        msg: The message.
        meta: Its `meta`.
    """
    notes = read_notes(msg)
    refusals = [block.text for block in msg.blocks if isinstance(block, RefusalBlock)]
    if refusals:
        meta["refusal"] = "\n".join(refusals)
    elif isinstance(meta.get("refusal"), str):
        del meta["refusal"]
    known = {"model": notes.model, "id": notes.id}
    known["finish_reason"] = _finish(notes.finish)
    for key, value in known.items():
        if value and meta.get(key) is None:
            meta[key] = value
    if notes.usage is not None and meta.get("usage") is None:
        meta["usage"] = _counts(notes.usage)


def _finish(finish: Finish | None) -> str | None:
    return None if finish is None else _FINISH.get(finish.reason)


def _counts(usage: Usage) -> JsonObject:
    inputs = [usage.input, usage.cache_read, usage.cache_write]
    total = None if inputs == [None] * 3 else sum(one or 0 for one in inputs)
    found = {
        "prompt_tokens": total,
        "completion_tokens": usage.output,
        "total_tokens": usage.total,
        "cache_creation_input_tokens": usage.cache_write,
    }
    data: JsonObject = {key: value for key, value in found.items() if value is not None}
    if usage.cache_read is not None:
        data["prompt_tokens_details"] = {"cached_tokens": usage.cache_read}
    if usage.reasoning is not None:
        data["completion_tokens_details"] = {"reasoning_tokens": usage.reasoning}
    return data
