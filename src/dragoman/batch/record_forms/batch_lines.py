"""Lines of providers' batch files: of requests that go in, and of results that come out.

How each provider writes them is known by its protocol (`protocols/*/batch.py`). A request becomes a
line of a request of the target's form, a result that of a result: an answer, an error as the target
reports it, or that the batch expired or was cancelled. The id goes with it. What goes in has the
keys of its form alone, because providers refuse others; labels beside a result stay there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from ... import message as tree
from ...codec.wire import Wire
from ...conversion.detection import detect
from ...conversion.wires import find_wire
from ...error_kinds.kinds import fitting_status
from ...errors import ReadError, WriteError
from ...losses import Report
from ...protocols.batches import BatchLines, BatchResult
from ...text.json_text import Json, JsonObject, encode_json
from ...vendors.protocol_rooms import batch_lines, bucket_lines
from .conversation import Conversation, add_answer, hold_request, refuse_answer
from .exchange import ExchangeParts, add_request, write_parts
from .exchange import add_answer as read_answer
from .record_report import RecordPlace, RecordReport

_ANSWERS = ("response", "result", "modelOutput", "error", "status")  # one is in each result
# keys of lines besides their bodies, which are none of the user's
_OF_REQUESTS = frozenset({"custom_id", "key", "recordId", "method", "url"})
_OF_RESULTS = frozenset({"id", "metadata", "processed_time", *_ANSWERS})
_ENDPOINTS = {"/chat/completions": "openai-chat", "/responses": "openai-responses"}
_IDS = (
    "custom_id",
    "id",
    "key",
    "session_id",
    "trajectory_id",
)  # keys of other records that may have an id
_SPELLED = re.compile(r"[^a-zA-Z0-9_-]")


@dataclass(frozen=True, slots=True)
class LineForm:
    """The lines of a provider's batch files.

    Attributes:
        wire: The wire of their bodies.
        protocol: The protocol that knows their lines.
        bucket: Whether they are those of files in a bucket, where the protocol has both.
        ids: What an id must look like; None for any text.
        needs_id: Whether a line has to have one.
        readers: Keys of requests that are of another wire, and its name.
    """

    wire: str
    protocol: str
    bucket: bool = False
    ids: re.Pattern[str] | None = None
    needs_id: bool = True
    readers: Mapping[str, str] = field(default_factory=dict)

    @property
    def lines(self) -> BatchLines:
        """How its lines are written and read."""
        return bucket_lines(self.protocol) if self.bucket else batch_lines(self.protocol)


# -- which form a line has ---------------------------------------------------------------------

# keys of which a line has one
SIGNS = frozenset({"custom_id", "key", "recordId", "metadata"}) | {
    "body",
    "params",
    "request",
    "modelInput",
    "modelOutput",
}
_IN_CALL = frozenset({"request", "response", "error", "metadata"})  # keys where a call has no file


def _is_request(record: JsonObject, key: str) -> bool:
    """Whether the body of a request is below this key, and no result beside it."""
    return isinstance(record.get(key), dict) and not any(key in record for key in _ANSWERS)


def _is_answered(record: JsonObject) -> bool:
    return "custom_id" in record and ("response" in record or "error" in record)


def claims_openai(record: JsonObject) -> bool:
    """Whether a record is a line for an endpoint, or a result of one."""
    if "request" in record or "result" in record:
        return False
    return _is_answered(record) or (_is_request(record, "body") and "url" in record)


def claims_responses(record: JsonObject) -> bool:
    """Whether a record is a line for the endpoint of Responses, or a result of it."""
    if not claims_openai(record):
        return False
    if "body" in record:
        return str(record.get("url")).rstrip("/").endswith("/responses")
    reply = record.get("response")
    body = reply.get("body") if isinstance(reply, dict) else None
    return isinstance(body, dict) and body.get("object") == "response"


def claims_mistral(record: JsonObject) -> bool:
    """Whether a record is a line without an endpoint, or may be the result of one."""
    return claims_openai(record) or _is_request(record, "body")


def claims_anthropic(record: JsonObject) -> bool:
    """Whether a record is a request of a batch of messages, or a result of one."""
    return "custom_id" in record and (
        _is_request(record, "params") or isinstance(record.get("result"), dict)
    )


def claims_gemini(record: JsonObject) -> bool:
    """Whether a record is a line of a file with a key, or one of a batch in a call."""
    is_named = isinstance(record.get("key"), str) or (
        isinstance(record.get("metadata"), dict) and _IN_CALL.issuperset(record)
    )
    if "request" in record:
        return is_named and _is_request(record, "request")
    return is_named and any(isinstance(record.get(key), dict) for key in ("response", "error"))


def claims_bedrock(record: JsonObject) -> bool:
    """Whether a record has the input of a model, with its output or without."""
    return isinstance(record.get("modelInput"), dict) or (
        "recordId" in record and ("modelOutput" in record or "error" in record)
    )


def claims_invoke(record: JsonObject) -> bool:
    """Whether a record has the input of InvokeModel for Claude."""
    given = record.get("modelInput")
    if isinstance(given, dict):
        return "anthropic_version" in given
    told = record.get("modelOutput")
    return claims_bedrock(record) and isinstance(told, dict) and told.get("type") == "message"


def claims_vertex(record: JsonObject) -> bool:
    """Whether a record is a request alone, or one that was processed."""
    asked = record.get("request")
    if not isinstance(asked, dict) or "key" in record:
        return False
    if "response" not in record and "events" not in record and "status" not in record:
        return "contents" in asked
    return isinstance(record.get("status"), str) and "processed_time" in record


def claims_vertex_claude(record: JsonObject) -> bool:
    """Whether a record is a request with an id of its own, or a result of one."""
    asked = record.get("request")
    return "custom_id" in record and isinstance(asked, dict) and "messages" in asked


@dataclass(slots=True)
class BatchLine:
    """What a line holds.

    Attributes:
        key: The id; empty if it has none.
        key_place: Its path.
        parts: Its request, and its answer or error.
        result: The result; None for a line that goes in.
        others: The keys that are none of the form.
        exact: Of what an id is made where there is none.
    """

    key: str
    key_place: str
    parts: ExchangeParts
    result: BatchResult | None = None
    others: JsonObject = field(default_factory=dict)
    exact: Json = None


# -- reading ---------------------------------------------------------------------------------------


def read_line(record: JsonObject, form: LineForm, source: str, keep: str = "") -> BatchLine:
    """Read a line.

    Args:
        record: The line.
        form: Its form.
        source: The wire of its bodies; "auto" is that of the form, or what the line says.
        keep: The protocol for which it is read; of the same one, a body is written as it was.

    Raises:
        ReadError: It has not this form.
    """
    lines = form.lines
    result: BatchResult | None = None
    try:
        asked: Any = lines.body(record) if lines.request_key in record else None
        if any(key in record for key in _ANSWERS):
            result = lines.result(record)
    except (LookupError, TypeError, AttributeError) as error:
        text = "the line has neither a request nor a result of this form"
        raise ReadError(text, path="$", code="record.line", hint="see docs/batch.md") from error
    if result is None and not isinstance(asked, dict):
        path = f"$.{lines.request_key}"
        raise ReadError("the line has no request", path=path, code="record.line")
    name = _find_source(record, form, asked, result) if source == "auto" else source
    parts = ExchangeParts(
        find_wire(name),
        request_moves=[("$", f"$.{lines.request_key}")],
        answer_moves=[("$", lines.answer_place)],
    )
    if isinstance(asked, dict):
        add_request(parts, asked, None, keep=keep == parts.reader.room.protocol)
    if result is not None and result.kind == "answer":
        read_answer(parts, result.body, None, result.status)
    elif result is not None and result.kind == "error":
        parts.answer_moves = [("$", lines.error_place)]
        parts.error = parts.reader.error(result.status, result.body)
    own = {lines.request_key} | _OF_REQUESTS | (_OF_RESULTS if result is not None else set())
    others = {key: value for key, value in record.items() if key not in own}
    exact = record if asked is None else asked
    return BatchLine(lines.key(record), lines.id_place, parts, result, others, exact)


def _find_source(record: JsonObject, form: LineForm, asked: Any, result: BatchResult | None) -> str:
    """The wire of the bodies of a line."""
    url = record.get("url")
    if isinstance(url, str) and form.protocol in _ENDPOINTS.values():
        for end, wire in _ENDPOINTS.items():
            if url.rstrip("/").endswith(end):
                return wire
        text = f"a request to {url} is no conversation"
        hint = f"read are requests to {' and '.join(_ENDPOINTS)}"
        raise ReadError(text, path="$.url", code="record.endpoint", hint=hint)
    if isinstance(asked, dict):
        for key, wire in form.readers.items():
            if key in asked:
                return wire
    if form.protocol == "openai-chat" and result is not None and result.kind == "answer":
        return detect(result.body, kind="response").wire
    return form.wire


def hold_line(line: BatchLine) -> Conversation:
    """What a line holds as training data: a request that ends in an answer, or one and its result.

    Raises WriteError for a result without its request, and for one that is no answer.
    """
    parts, result = line.parts, line.result
    others = {**({"custom_id": line.key} if line.key else {}), **line.others}
    if result is None:
        assert parts.request is not None
        return hold_request(parts.request, parts.request_moves, others)
    place = parts.answer_moves[0][1]
    if parts.answer is None:
        raise refuse_answer(f"the request {_word(parts, result)}, and has no answer", place)
    if parts.request is None:
        text = "the result of a request does not say what was asked"
        raise refuse_answer(text, place)
    conversation = add_answer(parts.request, parts.answer, parts.request_moves, parts.answer_moves)
    conversation.others = others
    return conversation


def _word(parts: ExchangeParts, result: BatchResult) -> str:
    if parts.error is not None:
        return f"failed ({parts.error.kind})"
    return {"expired": "expired", "cancelled": "was cancelled"}.get(result.kind, "failed")


# -- writing ---------------------------------------------------------------------------------------


def write_line(line: BatchLine, to: LineForm, model: str | None) -> tuple[JsonObject, list[Report]]:
    """Write a line in another form.

    Args:
        line: What was read.
        to: The form.
        model: The model to ask, or that answers.

    Returns:
        The line, and the losses.

    Raises:
        WriteError: It cannot be written for the target.
    """
    target, lines, parts = find_wire(to.wire), to.lines, line.parts
    report = line_report(target)
    key = fit_key(line, to, report)
    if line.result is None:
        _note_answer(parts, report)
        parts = _without_stream(parts, report)
        _note_others(line.others, report)
        written = write_parts(parts, target, model)
        assert written.request is not None
        row = lines.row(key, written.request.path, written.request.body)
        return row, [report, *written.reports]
    if not lines.echoes:
        parts = _without_request(parts, report)
    written = write_parts(parts, target, model)
    status = line.result.status
    if parts.error is not None:
        status = fitting_status(parts.error.kind, parts.error.status)
    result = BatchResult(key, line.result.kind, written.response, status)
    asked = None if written.request is None else written.request.body
    row = lines.result_row(result, asked)
    return {**{k: v for k, v in line.others.items() if k not in row}, **row}, [
        report,
        *written.reports,
    ]


def write_line_for_wire(
    line: BatchLine, target: Wire, model: str | None
) -> tuple[JsonObject, list[Report]]:
    """Write the request of a line, or the answer of a result, as a body.

    Raises:
        WriteError: It cannot be written, or the request expired or was cancelled.
        ProviderError: The result is an error.
    """
    parts, report = line.parts, line_report(target)
    if line.key:
        report.add_loss("extras.unsupported", RecordPlace(line.key_place), what="the id")
    _note_others(line.others, report)
    if line.result is None:
        written = write_parts(parts, target, model)
        assert written.request is not None
        return written.request.body, [report, *written.reports]
    if parts.error is not None:
        raise parts.error
    if parts.answer is None:
        text = f"the request {_word(parts, line.result)}, and has no answer"
        hint = "the lines of batches keep that: --to with the name of their form"
        raise WriteError(text, path="$", code="record.answer", hint=hint)
    written = write_parts(_without_request(parts, report), target, model)
    assert written.response is not None
    return written.response, [report, *written.reports]


def find_key(others: Mapping[str, Json]) -> tuple[str, str]:
    """The id among the other keys of a record, and its name; empty if it has none."""
    for name in _IDS:
        value = others.get(name)
        if isinstance(value, (str, int)) and not isinstance(value, bool) and value != "":
            return str(value), name
    return "", ""


def fit_key(line: BatchLine, to: LineForm, report: Report) -> str:
    """The id as the form takes it; where there is none, one that is made of the request.

    The same request has the same id wherever it is, so that its result finds it again. None is made
    for a form that needs none.
    """
    key, place = line.key, RecordPlace(line.key_place)
    if not (key or to.needs_id):
        return ""
    if not key:
        key = f"r-{sha256(encode_json(line.exact)).hexdigest()[:32]}"
        report.add_loss("id.made", RecordPlace("$"), what="the id", did=key, kind="added")
    if to.ids is None or to.ids.fullmatch(key):
        return key
    mark = sha256(key.encode(errors="replace")).hexdigest()[:12]
    spelled = _SPELLED.sub("_", key)[:50]
    fitting = f"{spelled}-{mark}"
    if not to.ids.fullmatch(fitting):
        fitting = fitting.lower()
    report.add_loss("id.mapped", place, what=key, did=fitting, kind="degraded")
    return fitting


def line_report(target: Wire) -> Report:
    """A report of what is lost of a line besides its bodies."""
    return RecordReport((), None, tree.places, target.name, ())


def _note_others(others: JsonObject, report: Report) -> None:
    for name in others:
        report.add_loss("extras.unsupported", RecordPlace(f"$.{name}"), what=name)


def _note_answer(parts: ExchangeParts, report: Report) -> None:
    """Report that the answer of an exchange is not written beside its request."""
    if parts.answer is not None or parts.events is not None or parts.error is not None:
        place = RecordPlace(parts.answer_moves[0][1])
        report.add_loss("extras.unsupported", place, what="the answer", kind="expected")


def _without_stream(parts: ExchangeParts, report: Report) -> ExchangeParts:
    """The request as a batch takes it: its answer comes whole."""
    request = parts.request
    if request is not None and request.stream:
        place = RecordPlace(f"{parts.request_moves[0][1]}.stream")
        report.add_loss("option.unsupported", place, what="stream", kind="expected")
        request = replace(request, stream=False)
    return replace(parts, request=request, answer=None, events=None, error=None)


def _without_request(parts: ExchangeParts, report: Report) -> ExchangeParts:
    if parts.request is None:
        return parts
    place = RecordPlace(parts.request_moves[0][1])
    what = "the request beside its result"
    report.add_loss("extras.unsupported", place, what=what, kind="expected")
    return replace(parts, request=None)
