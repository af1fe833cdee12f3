"""An error as a provider words it: every host has its own shape, and means the same.

{"error": {"message", "type", "code"}}      {"error": "text", "code": ...}
{"message": ..., "code" | "type" | "__type": ...}         {"detail": ...}
{"base_resp": {"status_code": 1004, "status_msg": "text"}}
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import ProviderError
from ..jsontext import Json, canonical
from ..shown import clipped

__all__ = ["ended_by", "fault", "unwell"]

_WORDS = ("message", "msg", "Message", "detail", "error_message", "error_msg", "status_msg",
          "title")  # fmt: skip
_TYPES = ("type", "status", "__type", "error_type")
_CODES = ("code", "error_code", "status_code", "Code")
_MOST = 500


def fault(body: Json, status: int | None = None, name: str | None = None) -> ProviderError:
    """The error that `body` tells of; `name` is what the event or a header calls it."""
    told = body
    if isinstance(told, list) and told:
        told = told[0]
    outer: Mapping[str, Any] = told if isinstance(told, dict) else {}
    inner = outer.get("error") or outer.get("errors") or unwell(outer) or told
    if isinstance(inner, list) and inner:
        inner = inner[0]
    here: Mapping[str, Any] = inner if isinstance(inner, dict) else outer
    words = inner if isinstance(inner, str) else _first(here, _WORDS)
    code = _first(here, _CODES) or _first(outer, _CODES)
    if status is None and code.isdigit() and 400 <= int(code) < 600:
        status = int(code)
    return ProviderError(
        clipped(words or _whole(body) or name or "the provider answered with an error", _MOST),
        status=status,
        type=_first(here, _TYPES) or name or "",
        body=body,
        code=code,
    )


def unwell(body: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """What a host says of its own state beside an answer, if that is an error: code 0 is none."""
    told = body.get("base_resp")
    return told if isinstance(told, dict) and told.get("status_code") else None


def ended_by(reason: str) -> ProviderError:
    """The error of an answer whose reason for ending is all that is told of it."""
    return ProviderError(f"the provider ended the answer with {reason!r}", type=reason)


def _first(told: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    for key in keys:
        value = told.get(key)
        if isinstance(value, (str, int)) and not isinstance(value, bool) and value != "":
            return str(value)
        if isinstance(value, (dict, list)) and value:
            return clipped(canonical(value), _MOST)
    return ""


def _whole(body: Json) -> str:
    if isinstance(body, str):
        return body
    return canonical(body) if body else ""
