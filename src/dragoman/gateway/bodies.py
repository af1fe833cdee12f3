"""Checks of the bodies of requests and answers."""

from __future__ import annotations

import re
from dataclasses import replace
from math import inf
from typing import Any

from ..errors import ProviderError, ReadError
from ..message import ChatResponse
from ..message.known_tools import parse_request
from ..protocols.base import Room
from ..stream.pieces import answer_second
from ..text.json_pieces import PIECE, end_of_text, first_in
from ..text.json_text import JsonObject, loads

_SIGNS = re.compile(rb'[",\[{]')
_LONGEST_NAME = 1000  # characters of a model's name
_QUOTE = 0x22


def check_values(data: bytes, most: int) -> None:
    """Raise ProviderError (413) for a body with more than `most` values: elements and members.

    Parsed JSON takes up to 100 times its bytes if all of it is small values, and each value takes
    time, however few bytes it has. The signs before values are counted.
    """
    if has_more_values(data, most):
        text = f"a request may have {most} values"
        raise ProviderError(
            text,
            status=413,
            type="request_too_large",
            code="body.values",
            hint="send less, or raise limits.values",
        )


def check_answer_values(body: bytes, most: int) -> None:
    """Raise ProviderError (502) for an answer with more than `most` values; see `check_values`."""
    if has_more_values(body, most):
        raise unreadable(too_many_values(most))


def too_many_values(most: int) -> ReadError:
    """The error for an answer, or an event of one, with more values than allowed."""
    text = f"it has more than {most} values"
    return ReadError(text, hint="raise limits.answer_values", code="answer.values")


def has_more_values(data: bytes, most: int) -> bool:
    """Whether JSON has more than `most` elements and members."""
    if len(data) <= most or not _may_exceed(data, most):
        return False
    return count_values(data, most) > most


def count_values(data: bytes, most: float = inf) -> int:
    """The number of elements and members in JSON, by the signs before them; up to `most` + 1."""
    found = at = 0
    while found <= most and (match := first_in(_SIGNS, data, at)) is not None:
        at = match.end()
        if data[at - 1] == _QUOTE:
            at = end_of_text(data, at)
        else:
            found += 1
    return found


def _may_exceed(data: bytes, most: int) -> bool:
    """Whether the bytes have more signs, including those in texts; other threads can interrupt."""
    found = 0
    for at in range(0, len(data), PIECE):
        found += count_signs(data[at : at + PIECE])
        if found > most:
            return True
    return False


def count_signs(data: bytes) -> int:
    """The number of signs that are before values, including those in texts."""
    return data.count(b",") + data.count(b"[") + data.count(b"{")


def object_in(data: bytes, room: Room | None = None, scope: str = "") -> JsonObject:
    """The JSON object in a request's body.

    Args:
        data: The body.
        room: The protocol that will read it, if parts of it may be shared with other requests of
            the scope: then nothing in it must be changed.
        scope: The name of the client.

    Raises:
        ReadError: The body is no JSON object.
    """
    value: Any = None
    if data:
        value = loads(data) if room is None else parse_request(data, room, scope)
    if not isinstance(value, dict):
        kind = "empty" if not data else f"a {type(value).__name__}"
        raise ReadError(
            f"the body of a request is a JSON object; this one is {kind}",
            path="$",
            code="request.shape",
        )
    return value


def read_model(body: JsonObject, in_path: str | None) -> str:
    """The model that a request names, in its path or its body. Raises ReadError."""
    name = in_path or body.get("model")
    if not isinstance(name, str) or not name:
        raise ReadError(
            "the request names no model", path="$.model", code="request.model", hint='add "model"'
        )
    if len(name) > _LONGEST_NAME:
        text = f"the name of the model has {len(name)} characters"
        raise ReadError(
            text, path="$.model", hint=f"{_LONGEST_NAME} are the most", code="request.model"
        )
    return name


def looks_like_object(body: bytes) -> bool:
    """Whether a body begins and ends like a JSON object, unlike the error page of a proxy."""
    text = body.strip()
    return text.startswith(b"{") and text.endswith(b"}")


def date_answer(resp: ChatResponse, second: int) -> ChatResponse:
    """The answer with its time set to `second` (of the Unix clock), if it has none."""
    if answer_second(resp.extras) is not None:
        return resp
    return replace(resp, extras={**(resp.extras or {}), "": {"created": second}})


def unreadable(error: ReadError) -> ProviderError:
    """The error for a provider's answer that cannot be read, which is not the client's fault."""
    text = f"the provider's answer cannot be read: {error.message}"
    return ProviderError(text, status=502, type="api_error", code=error.code, hint=error.hint)
