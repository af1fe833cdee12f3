"""The pieces that a reader returns for a provider's events: the answer is their sum.

Also reads the errors of providers from their bodies.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeAlias, final

from ..errors import ProviderError, ReadError, by_kind
from ..message import Finish, Usage
from ..message.blocks import ContentBlock
from ..retry_after.words import find_delay
from ..text.json_text import Json, JsonObject, canonical, loads
from ..text.redaction import Shown, clip_text

# the candidate, then the position of the block in it: keys in order are blocks in order
Key: TypeAlias = tuple[int, ...]


@final
@dataclass(slots=True, repr=False)
class Part(Shown):
    """A piece of the block `key`. Pieces of one key are summed; a `whole` one replaces them."""

    key: Key
    block: ContentBlock
    whole: bool = False


@final
@dataclass(slots=True, repr=False)
class Meta(Shown):
    """What is known of the answer, or of one `candidate`; `extras` has fields that we do not model.

    `joined`: each brings a piece of those fields (texts and lists grow); else the last one counts.
    `instead`: the model replaces one given before. `issuer`: the owner of these fields.
    `notes`: how a whole answer was spelled, for those who write it again.
    """

    extras: JsonObject | None = None
    candidate: int | None = None
    model: str | None = None
    id: str | None = None
    joined: bool = False
    instead: bool = False
    issuer: str = field(default="", compare=False)
    notes: JsonObject | None = field(default=None, compare=False)


@final
@dataclass(slots=True, repr=False)
class End(Shown):
    """Why a candidate ended. Without one, the stream broke off."""

    finish: Finish
    candidate: int = 0


@final
@dataclass(slots=True, repr=False)
class Raw(Shown):
    """An event that no reader knows, kept as it came; or the value `at` a place in one."""

    event: str | None
    payload: Json
    at: str = ""  # a path such as `$.choices[0].message.reasoning`


@final
@dataclass(slots=True, repr=False)
class Failed(Shown):
    """The provider reports an error after the answer had begun."""

    error: ProviderError


Piece: TypeAlias = Part | Meta | Usage | End | Raw | Failed

_MESSAGES = (
    "message",
    "msg",
    "Message",
    "faultstring",
    "detail",
    "error_message",
    "error_msg",
    "status_msg",
    "errorMessage",
    "errorMsg",
    "title",
)

_TYPES = ("type", "status", "__type", "error_type")
_CODES = ("code", "error_code", "status_code", "Code", "errorCode")
_WHOLE = ("error", "errors", "Error", "fault")  # the fields that hold an error
# the fields of an error beside its message: an object with no others is an error
_BESIDE = frozenset(
    {
        *_MESSAGES,
        *_TYPES,
        *_CODES,
        "success",
        "data",
        "body",
        "result",
        "messages",
        "request_id",
        "requestId",
        "RequestId",
        "timestamp",
        "path",
        "object",
        "param",
    }
)
_WELL = ("", "0", "200", "ok", "OK", "success", "Success")  # codes that are none of a failure
_MAX_LENGTH = 500
_LONGEST_RAW = 64 * 1024  # characters of a body within a body that are parsed
_REQUEST_IDS = ("request_id", "requestId", "RequestId")
_ERROR_STATUS = re.compile("[45][0-9]{2}")


def provider_error(body: Json, status: int | None = None, name: str | None = None) -> ProviderError:
    """The error in `body`; `name` is what the event or a header calls it."""
    data = body[0] if isinstance(body, list) and body else body
    envelope: Mapping[str, Any] = data if isinstance(data, dict) else {}
    content = _wrapped_error(envelope) or host_error(envelope) or data
    content = content[0] if isinstance(content, list) and content else content
    error: Mapping[str, Any] = content if isinstance(content, dict) else envelope
    message = _with_sentence(content, error) if isinstance(content, str) else ""
    message = message or _first(error, _MESSAGES)
    code = _first(error, _CODES) or _first(envelope, _CODES)
    if status is None and _ERROR_STATUS.fullmatch(code):
        status = int(code)
    fallback = name or "the provider answered with an error"
    message = _with_more(message, error)
    made = ProviderError(
        clip_text(message or _body_text(body) or fallback, _MAX_LENGTH),
        status=status,
        type=_first(error, _TYPES) or name or "",
        body=body,
        code=code,
        request_id=_first(envelope, _REQUEST_IDS) or _first(error, _REQUEST_IDS),
        retry_after=find_delay(error, message),
    )
    return by_kind(made)


def is_error_body(body: Json) -> bool:
    """Whether a body that is no answer of its wire is an error, in whoever's form.

    Proxies and gateways answer in a form of their own, with a good status: a code and words
    (`{"code": 500, "msg": "404 NOT_FOUND", "success": false}`), `detail`, `errors`, Tencent's
    `Response.Error`.

    >>> is_error_body({"status": "449", "msg": "You exceeded your current rate limit"})
    True
    >>> is_error_body({"code": 0, "msg": "success"}), is_error_body({"type": "ping"})
    (False, False)
    """
    if not isinstance(body, dict):
        return False
    if _wrapped_error(body) or host_error(body):
        return True
    if not any(body.get(key) and isinstance(body[key], (str, list)) for key in _MESSAGES):
        return False
    codes = [str(body[key]) for key in _CODES if body.get(key) is not None]
    status = str(body.get("status") or "").lower()
    if status.isdigit() or status in ("error", "fail", "failed"):  # another word is no failure
        codes.append(status)
    failed = body.get("success") is False or any(code not in _WELL for code in codes)
    return failed or (not codes and body.keys() <= _BESIDE and body.get("success") is not True)


def _wrapped_error(envelope: Mapping[str, Any]) -> Any:
    response = envelope.get("Response")  # Tencent Cloud's
    inner = response.get("Error") if isinstance(response, dict) else None
    return next(filter(None, (envelope.get(key) for key in _WHOLE)), inner)


def _with_sentence(word: str, envelope: Mapping[str, Any]) -> str:
    """The text of an error, with the sentence beside it that says what is meant.

    Spring sends `{"status": 404, "error": "Not Found", "message": "No static resource v1."}`, and
    Scaleway "INSUFFICIENT QUOTA" for each of its limits (LibreChat-AI/agents issue 357).

    >>> _with_sentence("Not Found", {"error": "Not Found", "message": "No resource v1"})
    'Not Found: No resource v1'
    """
    more = envelope.get("message")
    beside = isinstance(more, str) and more.strip() and more not in word
    return f"{word}: {more}" if word and beside else word


def _with_more(message: str, error: Mapping[str, Any]) -> str:
    """The message with the sentence in a field beside it.

    A router sends "Provider returned error", and the message of the host that it asked as `raw`;
    Xiaomi sends "Param Incorrect", and the reason as `param`.
    """
    metadata = error.get("metadata")
    more = metadata.get("raw") if isinstance(metadata, dict) else None
    if isinstance(more, str) and more.lstrip()[:1] == "{" and len(more) <= _LONGEST_RAW:
        with suppress(ReadError):  # a part of a body, or no JSON
            more = loads(more)
    if isinstance(more, dict):
        inner = more.get("error")
        more = _first(inner if isinstance(inner, dict) else more, _MESSAGES)
    param = error.get("param")
    if not more and isinstance(param, str) and " " in param.strip():
        more = param
    if not isinstance(more, str) or not more or more in message:
        return message
    return f"{message}: {more}" if message else more


def host_error(body: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The state of the host beside an answer, if that is an error: code 0 is none."""
    state = body.get("base_resp")
    return state if isinstance(state, dict) and state.get("status_code") else None


def finish_error(reason: str) -> ProviderError:
    """The error of an answer of which only the reason for its end is known."""
    return by_kind(ProviderError(f"the provider ended the answer with {reason!r}", type=reason))


def _first(fields: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    for key in keys:
        value = fields.get(key)
        if isinstance(value, (str, int)) and not isinstance(value, bool) and value != "":
            return str(value)
        if isinstance(value, list) and (faults := _faults(value)):
            return clip_text(faults, _MAX_LENGTH)
        if isinstance(value, (dict, list)) and value:
            return clip_text(canonical(value), _MAX_LENGTH)
    return ""


def _faults(details: list[Any]) -> str:
    """What pydantic found in a request, where a server sends it, without the values it repeats.

    >>> _faults([{"loc": ["body", "messages"], "msg": "Field required", "input": {"a": "secret"}}])
    'body.messages: Field required'
    """
    found = []
    for detail in details[:8]:
        if not isinstance(detail, dict) or not isinstance(detail.get("msg"), str):
            return ""
        place = detail.get("loc")
        path = ".".join(map(str, place)) if isinstance(place, list) else ""
        found.append(f"{path}: {detail['msg']}" if path else detail["msg"])
    return "; ".join(found)


def _body_text(body: Json) -> str:
    if isinstance(body, str):
        return body
    return canonical(body) if body else ""


TIMES = ("created", "created_at", "createTime", "create_time")
_MAX_SECOND = 253402300799  # the end of the year 9999, after which no date is written


def created_second(fields: Mapping[str, Any]) -> int | None:
    """The second since 1970 in the fields of an answer: a number, or a date of RFC 3339.

    >>> created_second({"created_at": "2026-11-22T02:00:00.5+01:00"})
    1795309200
    """
    seconds = (_second(fields.get(name)) for name in TIMES)
    return next((second for second in seconds if second is not None), None)


def answer_second(extras: Mapping[str, Mapping[str, Any]] | None) -> int | None:
    """The second since 1970 in the extras of an answer, of any issuer."""
    seconds = map(created_second, (extras or {}).values())
    return next((second for second in seconds if second is not None), None)


def without_times(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields without those of the time of the answer; all if none of them is a time."""
    if created_second(fields) is None:
        return dict(fields)
    return {key: value for key, value in fields.items() if key not in TIMES}


def iso_date(second: int) -> str:
    """The second as a date: `2026-11-22T01:00:00Z`."""
    return f"{datetime.fromtimestamp(second, UTC):%Y-%m-%dT%H:%M:%S}Z"


def _second(value: Any) -> int | None:
    if type(value) is str:
        try:
            date = datetime.fromisoformat(value)
        except ValueError:
            return None
        value = (date if date.tzinfo is not None else date.replace(tzinfo=UTC)).timestamp()
    if type(value) in (int, float) and 0 < value <= _MAX_SECOND:
        return int(value)
    return None
