"""Cut a record to a budget of tokens, in its own form and on its own wire."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...errors import ConfigError, ReadError, WriteError
from ...formatter import Formatter, fit_history_sync
from ...formatter.budget import name_cut
from ...history.pipeline import FormatStyle
from ...losses import Loss, Report
from ...losses import policy as policy_of
from ...message import ChatRequest, Msg, places
from ...text.json_text import Json, JsonObject
from ...text.redaction import show
from ...tokens import TokenCounterBase, choose_counter
from ..record_contents import RecordContents, check_source, find_named_form, read_record
from ..record_forms.conversation import PLAIN, Conversation, TrainingExample
from ..record_forms.record_report import RecordReport
from ..record_work import RecordResult, RecordWork

_QUIET = policy_of("ignore")
_AS_READ = FormatStyle(fetch_read=True)


class RecordFitter(RecordWork):
    """Cuts one record after the other.

    Args:
        tokens: The most tokens of a record: its messages, its prompt and its tools.
        source: The name of the wire of the records; "auto" looks at each.
        model: The model whose tokens they are; None takes that of each record.
        counter: What counts; None takes the counter of the model.
        form: The form of the records, if they are no bodies; None looks at each.

    Raises:
        ConfigError: There is no such wire or form, or the budget is no number of tokens.
    """

    def __init__(
        self,
        tokens: int,
        source: str = "auto",
        model: str | None = None,
        counter: TokenCounterBase | None = None,
        form: str | None = None,
    ) -> None:
        if type(tokens) is not int or tokens < 1:
            raise ConfigError(f"tokens is a number of them, not {show(tokens)}")
        self.tokens = tokens
        self.source = check_source(source)
        self.model = model
        self.counter = counter
        self.form = form
        self._form = None if form is None else find_named_form(form)

    def apply(self, value: Json) -> RecordResult:
        """Cut a record, the oldest turns first; what fits is as it was.

        Args:
            value: The body of a request, or a record of another form.

        Returns:
            The record in its own form, and what was left out as losses.

        Raises:
            ReadError: It is no such record, or has nothing that could be cut.
            ContextOverflow: What must stay is more than that.
        """
        contents = read_record(value, self.source, self._form, keep=True)
        assert isinstance(value, dict)  # as was asked there
        if contents.request is None:
            text = "an answer alone has nothing that could be cut"
            raise ReadError(text, path="$", code="record.request")
        if contents.conversation is not None:
            return self._fit_training(contents, contents.conversation)
        return self._fit_request(contents, contents.request)

    def _fit_request(self, contents: RecordContents, request: ChatRequest) -> RecordResult:
        assert contents.wire is not None
        wire = contents.wire
        dropped = self._dropped(request, wire.name)
        if not dropped:
            return _unchanged(contents)
        kept = _without(request.messages, dropped)
        moves = [("$", contents.place)]
        report = RecordReport(request.messages, request, places, wire.name, moves)
        name_cut(request.messages, kept, report)
        shorter = replace(request, messages=kept)
        body = wire.write_request(
            shorter, style=_AS_READ, policy=_QUIET, report=report, keep_model=True
        ).body
        record = _put(contents.record, contents.place.split(".")[1:], body)
        return RecordResult(record, report.losses, _sums(dropped))

    def _fit_training(self, contents: RecordContents, conversation: Conversation) -> RecordResult:
        form = contents.form
        assert form is not None
        if form.write is None:
            text = f"records of the form {form.name} cannot be written"
            raise ReadError(text, path="$", code="record.form")
        dropped: set[int] = set()
        for example in (conversation.chosen, conversation.rejected):
            if example is not None:
                gone = self._dropped(example.request, PLAIN)
                if any(i >= example.answer for i in gone):
                    text = f"the answer alone is more than {self.tokens} tokens"
                    raise WriteError(text, path="$", code="context.overflow")
                dropped |= gone
        if not dropped:
            return _unchanged(contents)
        chosen = conversation.chosen.request.messages
        report: Report = RecordReport(
            chosen, conversation.chosen.request, places, form.name, conversation.chosen.moves
        )
        name_cut(chosen, _without(chosen, dropped), report)
        pair = conversation.rejected
        shorter = replace(
            conversation,
            chosen=_shorten(conversation.chosen, dropped),
            rejected=None if pair is None else _shorten(pair, dropped),
        )
        record, reports = form.write(shorter)
        losses: list[Loss] = [*report.losses, *(one for row in reports for one in row.losses)]
        return RecordResult(record, losses, _sums(dropped))

    def _dropped(self, request: ChatRequest, wire: str) -> set[int]:
        """The indexes of the messages that have to go."""
        model = self.model or request.model
        counter = self.counter or choose_counter(model or "")
        formatter = Formatter(wire, model=model, token_counter=counter, policy="ignore", fetch=None)
        receipt = fit_history_sync(request, formatter=formatter, max_tokens=self.tokens).receipt
        gone = set(receipt.dropped)
        return {i for i, msg in enumerate(request.messages) if msg.id in gone} if gone else set()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.tokens, self.source, self.model, self.counter, self.form)


def _unchanged(contents: RecordContents) -> RecordResult:
    return RecordResult(contents.record, sums={"records": 1})


def _sums(dropped: set[int]) -> JsonObject:
    return {"records": 1, "cut": 1, "messages": len(dropped)}


def _without(messages: list[Msg], dropped: set[int]) -> list[Msg]:
    return [msg for i, msg in enumerate(messages) if i not in dropped]


def _shorten(example: TrainingExample, dropped: set[int]) -> TrainingExample:
    messages = _without(example.request.messages, dropped)
    answer = example.answer - sum(i < example.answer for i in dropped)
    return replace(example, request=replace(example.request, messages=messages), answer=answer)


def _put(record: JsonObject, keys: list[str], body: JsonObject) -> JsonObject:
    """The record with the body at the end of these keys."""
    if not keys:
        return body
    inner = record[keys[0]]
    return {**record, keys[0]: _put(inner if isinstance(inner, dict) else {}, keys[1:], body)}


def fitter(
    *,
    tokens: int,
    source: str = "auto",
    model: str | None = None,
    counter: TokenCounterBase | None = None,
    form: str | None = None,
) -> RecordFitter:
    """Make a function that cuts one record to a budget of tokens, for a program's own `map`.

    The function can be pickled. It takes a record as a dict or as JSON text in bytes, and returns
    one in the same form and on the same wire. The oldest turns go first, a call never loses its
    result, and the system prompt, the last question and the answer to be learnt stay. A record that
    fits is returned as it was.

    Args:
        tokens: The most tokens of a record: its messages, its prompt and its tools.
        source: The name of the wire of the records; "auto" looks at each.
        model: The model whose tokens they are; None takes that of each record.
        counter: What counts; None takes `dragoman.tokens.choose_counter` of the model.
        form: The form of the records, if they are no bodies; by default each is looked at.

    Returns:
        The function. It raises a ContextOverflow for a record whose last turn is too long.

    Raises:
        ConfigError: There is no such wire or form, or the budget is no number of tokens.
    """
    return RecordFitter(tokens, source, model, counter, form)
