"""Goes from any record to training data, and from training data to the body of a wire."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from ... import message as tree
from ...codec.wire import Wire
from ...conversion.wires import find_wire
from ...errors import ProviderError, ReadError
from ...history.pipeline import FormatStyle
from ...losses import Report
from ...losses import policy as policy_of
from ...message import Written
from ...text.json_text import JsonObject
from .batch_lines import hold_line, read_line
from .conversation import Conversation, add_answer, note_rejected, read_body, refuse_answer
from .exchange import BODIES, read, read_whole_answer
from .form import RecordForm
from .record_report import RecordReport, errors_in_record

_QUIET = policy_of("ignore")
# the answer stands at the end, and no turn is invented behind it
_WHOLE = FormatStyle(fetch_read=True, changes={"prefill": True})


def read_conversation(record: Any, form: RecordForm, source: str) -> Conversation:
    """What a record of a form holds.

    Args:
        record: The record.
        form: Its form.
        source: The wire of the bodies of an exchange, or "auto".

    Raises:
        ReadError: It has not this form.
        WriteError: An exchange has no request or no answer, or the provider failed.
    """
    if form.read is not None:
        return form.read(record)
    if form.line is not None:
        return hold_line(read_line(record, form.line, source))
    exchange = read(record, source)
    others = {key: value for key, value in record.items() if key not in BODIES}
    try:
        answer = read_whole_answer(exchange)
    except ProviderError as error:
        text = f"the provider answered with an error ({error.kind}), and there is nothing to learn"
        raise refuse_answer(text, exchange.answer_moves[0][1]) from error
    if exchange.request is None or answer is None:
        lacking = "request" if exchange.request is None else "response"
        text = f"the exchange has no {lacking}, so there is nothing to be learnt from it"
        raise refuse_answer(text, f"$.{lacking}")
    conversation = add_answer(
        exchange.request, answer, exchange.request_moves, exchange.answer_moves
    )
    conversation.others = others
    return conversation


def read_request(body: JsonObject, source: str, kind: str) -> Conversation:
    """What the body of a wire holds.

    Raises ReadError for the body of an answer, which does not say what was asked.
    """
    if kind != "request":
        text = "an answer alone does not say what was asked"
        hint = "give exchanges of a request and its answer"
        raise ReadError(text, path="$", code="record.answer", hint=hint)
    return read_body(body, find_wire(source))


def write_for_wire(
    conversation: Conversation, target: Wire, model: str | None, kept: Container[str] = ()
) -> tuple[Written, list[Report]]:
    """Write a conversation, with its answer at the end, as the body of a request.

    Args:
        conversation: What the record holds.
        target: The wire.
        model: The model that is named in it.
        kept: Other keys of the record that are written elsewhere.

    Raises:
        WriteError: It cannot be written for the target.
    """
    example = conversation.chosen
    request = example.request
    report = RecordReport(request.messages, request, tree.places, target.name, example.moves)
    conversation.note_others(report, kept)
    note_rejected(conversation, report)
    with errors_in_record(example.moves):
        written = target.write_request(request, model, style=_WHOLE, policy=_QUIET, report=report)
    return written, [report]
