"""Goes from a record of any form to a body of a wire, or to a record of another form."""

from __future__ import annotations

from ...conversion.convert import convert
from ...conversion.wires import find_wire
from ...errors import ReadError
from ...losses import Report
from ...losses import policy as policy_of
from ...text.json_text import Json, JsonObject
from . import EXCHANGE
from .batch_lines import (
    BatchLine,
    LineForm,
    find_key,
    fit_key,
    hold_line,
    line_report,
    read_line,
    write_line,
    write_line_for_wire,
)
from .conversation import Conversation
from .exchange import BODIES, ExchangeParts, add_request, convert_exchange
from .exchange import read as read_exchange
from .form import RecordForm
from .training import read_conversation, read_request, write_for_wire

_QUIET = policy_of("ignore")


def convert_body(
    body: JsonObject, source: str, kind: str, to: RecordForm | str, model: str | None
) -> tuple[JsonObject, list[Report]]:
    """Convert the body of a request or of an answer.

    Args:
        body: The body.
        source: Its wire.
        kind: `request` or `response`.
        to: The form, or the name of the wire, for which it is written.
        model: The model to ask, or that answers.

    Returns:
        A body or a record, and the losses.

    Raises:
        ReadError: It is no such body.
        WriteError: It cannot be written.
    """
    if isinstance(to, str):
        written = convert(
            body, source, to, "request" if kind == "request" else "response", model, policy=_QUIET
        )
        return written.body, [written.report]
    if to.line is None:
        assert to.write is not None
        return to.write(read_request(body, source, kind))
    if kind != "request":
        text = "an answer alone does not say to which request it belongs"
        raise ReadError(text, path="$", code="record.answer", hint="give results with their ids")
    parts = ExchangeParts(find_wire(source), request_moves=[("$", "$")])
    add_request(parts, body, None, keep=find_wire(to.line.wire).room.protocol == source)
    return write_line(BatchLine("", "$", parts, exact=body), to.line, model)


def convert_record(
    record: Json, form: RecordForm, source: str, to: RecordForm | str, model: str | None
) -> tuple[JsonObject, list[Report]]:
    """Convert a record of a form.

    Args:
        record: The record.
        form: Its form.
        source: The wire of the bodies in it, or "auto".
        to: The form, or the name of the wire, for which it is written.
        model: The model to ask, or that answers.

    Returns:
        A body or a record, and the losses.

    Raises:
        ReadError: It has not this form.
        WriteError: It cannot be written.
        ProviderError: It is the error of a provider, where only an answer has a place.
    """
    line_form = to.line if isinstance(to, RecordForm) else None
    name = to if isinstance(to, str) else "" if line_form is None else line_form.wire
    keep = find_wire(name).room.protocol if name else ""
    if form.line is not None:
        assert isinstance(record, dict)
        line = read_line(record, form.line, source, keep)
        if isinstance(to, str):
            return write_line_for_wire(line, find_wire(to), model)
        if line_form is not None:
            return write_line(line, line_form, model)
        conversation = hold_line(line)
    elif form is EXCHANGE and (isinstance(to, str) or line_form is not None):
        assert isinstance(record, dict)
        if isinstance(to, str):
            return convert_exchange(record, source, find_wire(to), model)
        assert line_form is not None
        return _ask_again(record, source, line_form, model, keep)
    else:
        conversation = read_conversation(record, form, source)
    return write_conversation(conversation, to, model)


def write_conversation(
    conversation: Conversation, to: RecordForm | str, model: str | None
) -> tuple[JsonObject, list[Report]]:
    """Write a conversation.

    Args:
        conversation: What a record or a session holds.
        to: The form, or the name of the wire, for which it is written.
        model: The model to ask.

    Returns:
        A body or a record, and the losses.

    Raises:
        WriteError: It cannot be written.
    """
    if isinstance(to, str):
        written, reports = write_for_wire(conversation, find_wire(to), model)
        return written.body, reports
    if to.line is not None:
        return _write_line(conversation, to.line, model)
    assert to.write is not None
    return to.write(conversation)


def _ask_again(
    record: JsonObject, source: str, to: LineForm, model: str | None, keep: str
) -> tuple[JsonObject, list[Report]]:
    """Write the request of an exchange as a line that asks it again."""
    parts = read_exchange(record, source, keep)
    if parts.request is None:
        text = "the exchange has no request that could be asked again"
        raise ReadError(text, path="$.request", code="record.line")
    others = {name: value for name, value in record.items() if name not in BODIES}
    key, name = find_key(others)
    others.pop(name, None)
    line = BatchLine(key, f"$.{name}", parts, None, others, record["request"])
    return write_line(line, to, model)


def _write_line(
    conversation: Conversation, to: LineForm, model: str | None
) -> tuple[JsonObject, list[Report]]:
    """Write a conversation as a line."""
    target = find_wire(to.wire)
    key, name = find_key(conversation.others)
    written, reports = write_for_wire(conversation, target, model, (name,))
    report = line_report(target)
    line = BatchLine(key, f"$.{name}", ExchangeParts(target), exact=written.body)
    row = to.lines.row(fit_key(line, to, report), written.path, written.body)
    return row, [report, *reports]
