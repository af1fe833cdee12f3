"""Conversation: what a record of training data holds, whatever its form.

Every form is read into a request of ours and written from one, by the wire whose messages are the
nearest; what the form has no place for is a loss of that wire, or is named here.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ... import message as tree
from ...agent_logs import SessionLog
from ...codec.wire import Wire
from ...conversion.wires import find_wire
from ...errors import ReadError, WriteError
from ...history.pipeline import FormatStyle
from ...losses import Report
from ...losses import policy as policy_of
from ...message import ChatRequest, ChatResponse, Msg, Origin, ThinkingBlock, Usage
from ...message.blocks import HEALED, ContentBlock
from ...message.options import NO_OPTIONS
from ...text.json_text import Json, JsonObject
from .record_report import Moves, RecordPlace, RecordReport, errors_in_record

_QUIET = policy_of("ignore")
CHAT = "openai-chat"
PLAIN = "sglang"  # the wire of Chat Completions for models of any kind; it sends thinking back
_HINT = "give records that end in an answer, or exchanges of a request and its answer"


@dataclass(slots=True)
class TrainingExample:
    """One conversation of a record: what is asked, and the answer to be learnt at its end.

    Attributes:
        request: All of its messages, its tools and options.
        answer: The index of the first message that is to be learnt.
        moves: Where the parts of what was read are in the record.
    """

    request: ChatRequest
    answer: int
    moves: Moves = ()


@dataclass(slots=True)
class Conversation:
    """What a record holds.

    Attributes:
        chosen: The conversation, with the better answer where there are two.
        rejected: The same with the worse answer; None if there is one answer.
        others: The other keys of the record, such as labels.
        response: The answer that was recorded, for what else it holds.
        log: The session that was read, for what came before a summary and what called agents said.
        left_out: Places in the record of what is no part of the conversation, and what it is.
    """

    chosen: TrainingExample
    rejected: TrainingExample | None = None
    others: JsonObject = field(default_factory=dict)
    response: ChatResponse | None = None
    log: SessionLog | None = None
    left_out: Sequence[tuple[str, str]] = ()

    def note_others(self, report: Report, kept: Container[str] = ()) -> None:
        """Report the other keys of the record that are not kept."""
        for name in self.others:
            if name not in kept:
                report.add_loss("extras.unsupported", RecordPlace(f"$.{name}"), what=name)
        for path, what in self.left_out:
            report.add_loss("extras.unsupported", RecordPlace(path), what=what, kind="expected")


def note_rejected(conversation: Conversation, report: Report) -> None:
    """Report that the rejected answer of a pair is not written."""
    if conversation.rejected is not None:
        place = RecordPlace(_first(conversation.rejected.moves))
        report.add_loss("answer.candidates", place, what="the rejected answer")


def read_chat(
    body: JsonObject,
    moves: Moves = (),
    answer: int | None = None,
    rejected: list[Json] | None = None,
    rejected_moves: Moves = (),
    others: JsonObject | None = None,
) -> Conversation:
    """Read a conversation whose messages are in the form of Chat Completions.

    Args:
        body: `messages`, `tools` and other fields of such a request.
        moves: Where its parts are in the record.
        answer: The index of the first message of the answer; by default the last of the assistant.
        rejected: The messages of the worse answer, which stands in the place of the answer.
        rejected_moves: Where they are in the record, as `$.messages[2]` and so on.
        others: The other keys of the record.

    Raises:
        ReadError: It is no such conversation.
    """
    chosen = _read_example(body, answer, moves)
    if rejected is None:
        return Conversation(chosen, None, others or {})
    asked = body["messages"][:answer]
    other = _read_example({**body, "messages": [*asked, *rejected]}, answer, rejected_moves)
    return Conversation(chosen, other, others or {})


def _read_example(body: JsonObject, answer: int | None, moves: Moves) -> TrainingExample:
    messages = body.get("messages")
    if not isinstance(messages, list) or not all(isinstance(m, dict) for m in messages):
        text = "messages are a list of objects"
        raise ReadError(text, path=_first(moves), code="record.messages")
    with errors_in_record(moves):
        request = find_wire(CHAT)._read(body, None, None, keep=False, watched=False)
    if answer is not None and len(request.messages) != len(messages):
        answer = len(request.messages) - (len(messages) - answer)
    return TrainingExample(request, _last_answer(request) if answer is None else answer, moves)


def _first(moves: Moves) -> str:
    return moves[0][1] if moves else "$.messages"


def read_body(
    body: JsonObject, wire: Wire, path: str | None = None, others: JsonObject | None = None
) -> Conversation:
    """Read a conversation that is the body of a request of a wire.

    Raises ReadError if it is none of this wire.
    """
    return hold_request(wire._read(body, path, None, keep=False, watched=False), (), others or {})


def hold_request(request: ChatRequest, moves: Moves, others: JsonObject) -> Conversation:
    """The conversation of a request; what follows the last turn of others is its answer."""
    return Conversation(TrainingExample(request, _last_answer(request), moves), None, others)


def _last_answer(request: ChatRequest) -> int:
    """The index of the answer at the end; behind the messages if there is none."""
    messages = request.messages
    if not messages or messages[-1].role != "assistant":
        return len(messages)
    index = len(messages) - 1
    while index and messages[index - 1].role == "assistant":  # one turn, in several messages
        index -= 1
    return index


def add_answer(
    request: ChatRequest, response: ChatResponse, request_moves: Moves, answer_moves: Moves
) -> Conversation:
    """The conversation of a request and what was answered.

    Raises WriteError if the answer holds nothing.
    """
    candidates = response.candidates
    if not candidates or not candidates[0].msg.blocks:
        raise refuse_answer("the answer holds no message to be learnt", _first(answer_moves))
    messages = [*request.messages, candidates[0].msg]
    moves = [("$.response", answer_moves[0][1]), *request_moves]
    example = TrainingExample(replace(request, messages=messages), len(messages) - 1, moves)
    return Conversation(example, response=response)


def refuse_answer(text: str, path: str) -> WriteError:
    """Build the error for a record from which nothing can be learnt."""
    return WriteError(text, path=path, code="record.answer", hint=_HINT)


def require_answer(conversation: Conversation) -> None:
    """Raise WriteError if it does not end in an answer of the assistant."""
    for example in (conversation.chosen, conversation.rejected):
        if example is None:
            continue
        learnt = example.request.messages[example.answer :]
        if not learnt or learnt[-1].role != "assistant":
            text = "a training record ends in an answer, and this one does not"
            raise refuse_answer(text, "$.messages")


def require_single_turns(conversation: Conversation) -> None:
    """Raise WriteError for a pair whose answers have calls and their results between them."""
    for example in (conversation.chosen, conversation.rejected):
        if conversation.rejected is None or example is None:
            return
        learnt = example.request.messages[example.answer :]
        if any(m.role != "assistant" for m in learnt):
            text = "each answer of a pair is one turn in this form, and here it is several"
            hint = "write openai-tuning or hf-preference, or cut the record before its last turn"
            raise WriteError(text, path=_first(example.moves), code="record.answer", hint=hint)


def _adopt_thinking(request: ChatRequest, wire: Wire, report: Report) -> ChatRequest:
    """Have the readable thinking of any provider count as that of the wire, which is of nobody."""
    own = Origin(wire.dialect.reads_items_of[0])
    messages = [
        report.record_copy(
            Msg.create_unchecked(m.name, _adopt(m.blocks, own, report), m.role, m), m
        )
        if any(type(block) is ThinkingBlock and block.thinking for block in m.blocks)
        else m
        for m in request.messages
    ]
    return replace(request, messages=messages)


def _adopt(blocks: list[ContentBlock], own: Origin, report: Report) -> list[ContentBlock]:
    adopted: list[ContentBlock] = []
    for block in blocks:
        if type(block) is not ThinkingBlock or not block.thinking:
            adopted.append(block)
            continue
        if block.signature:  # of use to its provider alone
            report.add_loss("thinking.other_provider", block, "signature", kind="expected")
        adopted.append(report.record_copy(replace(block, origin=own, signature=None), block))
    return adopted


def note_message_fields(conversation: Conversation, report: Report) -> None:
    """Report what messages have besides their content, for a form that has a text for each turn."""
    reads = find_wire(PLAIN).can().reads
    for m in conversation.chosen.request.messages:
        if m.name:
            report.add_loss("name.unsupported", m, "name", what=m.name)
        for issuer, fields in m.provider_fields.items():
            for name in fields if issuer in reads else ():
                report.add_loss("extras.unsupported", m, f"extras.{issuer}.{name}", what=name)


@dataclass(frozen=True, slots=True)
class MessageForm:
    """How a form writes messages: the wire that writes them, and what the form holds.

    Attributes:
        name: The name of the form, as the losses call it.
        wire: The wire.
        changes: What the form holds, as changes of the wire's capabilities.
        model: The model for which it is written.
        style: The style in which the wire writes it.
    """

    name: str
    wire: str
    changes: Mapping[str, Any]
    model: str = "tuned"  # one of which nothing is known
    thinks: bool = False  # whether it holds thinking, of whatever model
    style: FormatStyle = field(init=False)

    def __post_init__(self) -> None:
        style = FormatStyle(fetch_read=True, changes={"prefill": True, **self.changes})
        object.__setattr__(self, "style", style)

    def write(
        self, conversation: Conversation, kept: Iterable[str] = ()
    ) -> tuple[JsonObject, JsonObject | None, list[Report]]:
        """Write both conversations of a record as bodies of the wire.

        Args:
            conversation: What the record holds.
            kept: Keys of the record and fields of the request that the form has a place for.

        Returns:
            The body, that with the rejected answer, and the losses.

        Raises:
            WriteError: It has no answer, or cannot be written.
        """
        require_answer(conversation)
        reports: list[Report] = []
        names = frozenset(kept)
        body = self._write_example(conversation, conversation.chosen, reports, names)
        conversation.note_others(reports[0], names)
        other = None
        if conversation.rejected is not None:
            example = conversation.rejected
            other = self._write_example(conversation, example, reports, names, again=True)
        return body, other, reports

    def _write_example(
        self,
        conversation: Conversation,
        example: TrainingExample,
        reports: list[Report],
        kept: frozenset[str],
        again: bool = False,
    ) -> JsonObject:
        request, wire = example.request, find_wire(self.wire)
        report = RecordReport(request.messages, request, tree.places, self.name, example.moves)
        reports.append(report)
        if not again:
            note_settings(request, report, kept)
            note_answer(conversation.response, report)
        plain = replace(
            request,
            options=NO_OPTIONS,
            tool_choice=None,
            response_format=None,
            stream=False,
            extras=_notes_of_repairs(request),
        )
        if self.thinks:
            plain = _adopt_thinking(plain, wire, report)
        report.record_copy(plain, request)
        with errors_in_record(example.moves):
            written = wire.write_request(
                plain, self.model, style=self.style, policy=_QUIET, report=report
            )
        if conversation.response is not None and report.kinds:
            _place_answer(conversation.response, report)
        if again:  # what comes before the answer is told by the first report
            reports[-1] = _only_moved(report, example.moves)
        turns = written.body.get("messages") or written.body.get("contents") or [{}]
        if turns[-1].get("role") not in ("assistant", "model"):
            raise refuse_answer("nothing of the answer can be written", "$.messages")
        return written.body


def _notes_of_repairs(request: ChatRequest) -> Any:
    extras = request.extras or {}
    return {HEALED: extras[HEALED]} if HEALED in extras else None


def _only_moved(report: Report, moves: Moves) -> Report:
    """The losses whose place was moved: those of the answer."""
    found = [loss.detach() for loss in report.losses]
    heads = tuple(after for _, after in moves)
    return Report.of([loss for loss in found if loss.where.startswith(heads)], report.target)


def _place_answer(response: ChatResponse, report: Report) -> None:
    """Give the nodes of an answer that joins the request's messages their places."""
    for path, node in tree.answer_places((), response):
        report.set_place(node, f"$.response{path[1:]}")


def note_settings(request: ChatRequest, report: Report, kept: Container[str]) -> None:
    """Report what the request asks for besides its messages and tools."""
    for name, _ in request.options.list_values():
        report.add_loss("option.unsupported", request.options, name, what=name)
    choice = request.tool_choice
    if choice is not None and choice.mode != "auto":
        report.add_loss("tool_choice.unsupported", choice, what=choice.mode)
    elif choice is not None and choice.parallel is False and "parallel_tool_calls" not in kept:
        report.add_loss("tool_choice.unsupported", choice, "parallel", what="parallel calls")
    if (form := request.response_format) is not None and form.kind != "text":
        report.add_loss("format.unsupported", form, what=form.kind, kind="dropped")
    if request.model and "model" not in kept:
        report.add_loss("extras.unsupported", request, "model", what="model", kind="expected")
    for issuer, fields in request.provider_fields.items():
        for name in (name for name, value in fields.items() if value not in ([], {}, None)):
            report.add_loss("extras.unsupported", request, f"extras.{issuer}.{name}", what=name)


def note_answer(response: ChatResponse | None, report: Report, kept: Container[str] = ()) -> None:
    """Report what an answer holds besides its first message."""
    if response is None:
        return
    if response.status == "interrupted":
        raise refuse_answer("the answer broke off, and is nothing to be learnt", "$.events")
    if len(response.candidates) > 1:
        report.add_loss("answer.candidates", response.candidates[1])
    finish = response.candidates[0].finish
    if finish.reason not in ("stop", "tool_calls"):
        report.add_loss("answer.finish", response.candidates[0], "finish", what=finish.reason)
    if response.usage != Usage() and "usage" not in kept:
        report.add_loss("answer.usage", response.usage, what="usage", kind="expected")
