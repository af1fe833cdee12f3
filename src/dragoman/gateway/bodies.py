"""Bodies of requests and answers: whether they are what they should be."""

from __future__ import annotations

import re
from dataclasses import replace
from math import inf
from typing import Any

from ..errors import ProviderError, ReadError
from ..message import ChatResponse
from ..stream.pieces import answer_second
from ..text.json_pieces import PIECE, end_of_text, first_in
from ..text.json_text import JsonObject, loads

_SIGNS = re.compile(rb'[",\[{]')
_LONGEST_NAME = 1000  # characters of a model's name
_QUOTE = 0x22


def check_values(data: bytes, most: int) -> None:
    """Raise ProviderError (413) for a body of more values than may be: elements and members.

    What is read of JSON takes 100 times its bytes where all of it is small values, and what is done
    with each takes its time, however few bytes it has. What is counted are signs before a value.
    """
    if len(data) <= most or not _may_exceed(data, most):
        return
    if count_values(data, most) > most:
        text = f"a request may have {most} values"
        raise ProviderError(
            text,
            status=413,
            type="request_too_large",
            code="body.values",
            hint="send less, or raise limits.values",
        )


def count_values(data: bytes, most: float = inf) -> int:
    """How many elements and members are in JSON, by the signs before them; up to `most` + 1."""
    found = at = 0
    while found <= most and (match := first_in(_SIGNS, data, at)) is not None:
        at = match.end()
        if data[at - 1] == _QUOTE:
            at = end_of_text(data, at)
        else:
            found += 1
    return found


def _may_exceed(data: bytes, most: int) -> bool:
    """Whether the bytes have more signs, those in texts among them; others run between pieces."""
    found = 0
    for at in range(0, len(data), PIECE):
        found += sum(data.count(sign, at, at + PIECE) for sign in (b",", b"[", b"{"))
        if found > most:
            return True
    return False


def object_in(data: bytes) -> JsonObject:
    """The JSON object in a request's body. Raises ReadError."""
    value: Any = loads(data) if data else None
    if not isinstance(value, dict):
        kind = "empty" if not data else f"a {type(value).__name__}"
        raise ReadError(
            f"the body of a request is a JSON object; this one is {kind}",
            path="$",
            code="request.shape",
        )
    return value


def asked_model(body: JsonObject, in_path: str | None) -> str:
    """The model that a request names, in its path or its body. Raises ReadError."""
    asked = in_path or body.get("model")
    if not isinstance(asked, str) or not asked:
        raise ReadError(
            "the request names no model", path="$.model", code="request.model", hint='add "model"'
        )
    if len(asked) > _LONGEST_NAME:
        text = f"the name of the model has {len(asked)} characters"
        raise ReadError(
            text, path="$.model", hint=f"{_LONGEST_NAME} are the most", code="request.model"
        )
    return asked


def looks_like_object(body: bytes) -> bool:
    """Whether a body begins and ends as a JSON object does: a page of a proxy's does not."""
    text = body.strip()
    return text.startswith(b"{") and text.endswith(b"}")


def date_answer(resp: ChatResponse, second: int) -> ChatResponse:
    """An answer that does not tell when it was made, as one of this second of the Unix clock."""
    if answer_second(resp.extras) is not None:
        return resp
    return replace(resp, extras={**(resp.extras or {}), "": {"created": second}})


def unreadable(error: ReadError) -> ProviderError:
    """The error of a provider whose answer cannot be read: none of the client's."""
    text = f"the provider's answer cannot be read: {error.message}"
    return ProviderError(text, status=502, type="api_error", code=error.code, hint=error.hint)
