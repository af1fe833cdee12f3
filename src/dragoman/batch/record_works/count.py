"""Count the tokens of a record by its parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...agent_logs import read_session_log
from ...conversion.wires import find_wire
from ...history.pipeline import FormatStyle
from ...losses import policy as policy_of
from ...message import (
    ChatRequest,
    ChatResponse,
    Msg,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
)
from ...text.json_text import Json, JsonObject, arguments
from ...tokens import TokenCounterBase, choose_counter
from ...tokens.base import decomposes
from ...tokens.chat_messages import split_body, template_turns
from ..record_contents import RecordContents, check_source, find_named_form, read_record
from ..record_forms.conversation import PLAIN
from ..record_work import RecordResult, RecordWork

_QUIET = policy_of("ignore")
# the answer stands at the end, and nothing is fetched to be counted
_AS_IT_IS = FormatStyle(changes={"prefill": True})
_KEPT = 16  # counters, of different models


class RecordCounter(RecordWork):
    """Counts the tokens of one record after the other.

    Args:
        source: The name of the wire of the records; "auto" looks at each.
        model: The model whose tokens they are; None takes that of each record.
        counter: What counts; None takes the counter of the model.
        form: The form of the records, if they are no bodies; None looks at each.
    """

    located = True
    reads_logs = True

    def __init__(
        self,
        source: str = "auto",
        model: str | None = None,
        counter: TokenCounterBase | None = None,
        form: str | None = None,
    ) -> None:
        self.source = check_source(source)
        self.model = model
        self.counter = counter
        self.form = form
        self._form = None if form is None else find_named_form(form)
        self._counters: dict[str, TokenCounterBase] = {}

    def apply(self, value: Json) -> RecordResult:
        """Count the tokens of a record.

        Args:
            value: The body of a request or an answer, or a record of another form.

        Returns:
            `{"model", "tokens", "parts"}`; `estimate` is true where no tokenizer counted.

        Raises:
            ReadError: It is no such record.
        """
        contents = read_record(value, self.source, self._form)
        model = self.model or contents.model or ""
        counter = self._find_counter(model)
        parts = self._count(contents, counter, model)
        return _result(model, counter, parts)

    def apply_to_log(self, text: str, name: str) -> RecordResult:
        """Count the tokens that a session's next request takes.

        Args:
            text: The content of the log.
            name: The name of the file.

        Raises:
            ReadError: It is no log of a known agent.
        """
        request = read_session_log(text, name).request()
        model = self.model or request.model or ""
        counter = self._find_counter(model)
        return _result(model, counter, _count_body(_write(request), counter))

    def _find_counter(self, model: str) -> TokenCounterBase:
        if self.counter is not None:
            return self.counter
        found = self._counters.get(model)
        if found is None:
            if len(self._counters) >= _KEPT:
                self._counters.clear()
            found = self._counters[model] = choose_counter(model)
        return found

    def _count(
        self, contents: RecordContents, counter: TokenCounterBase, model: str
    ) -> Counter[str]:
        parts: Counter[str] = Counter()
        if contents.body is not None:
            parts += _count_body(contents.body, counter)
        elif contents.request is not None:
            wire = PLAIN if contents.wire is None else contents.wire.name
            parts += _count_body(_write(contents.request, wire, model), counter)
        if contents.answer is not None:
            parts["answer"] = _count_turns(_write_answer(contents.answer), counter)
        pair = contents.conversation.rejected if contents.conversation is not None else None
        if pair is not None:
            asked = replace(pair.request, messages=pair.request.messages[: pair.answer])
            whole = _count_body(_write(pair.request), counter).total()
            before = _count_body(_write(asked), counter).total() if asked.messages else 0
            parts["rejected"] = max(0, whole - before)
        return parts

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.source, self.model, self.counter, self.form)


def _result(model: str, counter: TokenCounterBase, parts: Counter[str]) -> RecordResult:
    tokens = parts.total()
    figures: JsonObject = {"tokens": tokens, "parts": dict(parts)}
    record = {"model": model or None, **figures}
    sums = {"records": 1, **figures}
    if counter.is_estimate:
        record["estimate"] = True
        sums["estimates"] = 1
    return RecordResult(record, sums={"models": {model or "-": sums}})


def _write(request: ChatRequest, wire: str = PLAIN, model: str = "") -> JsonObject:
    target = find_wire(wire)
    written = target.write_request(request, model or None, style=_AS_IT_IS, policy=_QUIET)
    return written.body


def _count_body(body: JsonObject, counter: TokenCounterBase) -> Counter[str]:
    """The tokens of the body of a request by the roles of its messages, and of its tools.

    Without a model's own sum of messages, all of it is one part.
    """
    messages, tools = split_body(body)
    parts: Counter[str] = Counter()
    if not decomposes(counter):
        parts["request"] = counter.count_sync(messages, tools or None)
        return parts
    summing: Any = counter
    for message in messages:
        parts[_role(message)] += summing.count_message(message)
    without = max(0, summing.overhead(None))  # what a request takes besides its messages
    if tools:
        parts["tools"] = max(0, summing.overhead(tools) - without)
    parts["frame"] = without
    return parts


def _count_turns(turns: list[JsonObject], counter: TokenCounterBase) -> int:
    """The tokens of messages alone, without what frames a request."""
    summing: Any = counter
    return (
        sum(map(summing.count_message, turns)) if decomposes(counter) else counter.count_sync(turns)
    )


def _role(message: Any) -> str:
    turns = template_turns([message])[0]
    role = turns[0].get("role") if turns else None
    return role if isinstance(role, str) else "user"


def _write_answer(answer: ChatResponse) -> list[JsonObject]:
    """The candidates of an answer as messages of Chat Completions, whoever's thinking it is."""
    return [_write_turn(candidate.msg) for candidate in answer.candidates]


def _write_turn(msg: Msg) -> JsonObject:
    texts = [b.text for b in msg.blocks if isinstance(b, (TextBlock, RefusalBlock))]
    turn: JsonObject = {"role": "assistant", "content": "".join(texts)}
    if thinking := _join(b.thinking for b in msg.blocks if isinstance(b, ThinkingBlock)):
        turn["reasoning_content"] = thinking
    calls = [
        {"type": "function", "function": {"name": b.name, "arguments": arguments(b.input)}}
        for b in msg.blocks
        if isinstance(b, ToolUseBlock)
    ]
    return turn | ({"tool_calls": calls} if calls else {})


def _join(texts: Iterable[str | None]) -> str:
    return "\n".join(text for text in texts if text)


def token_counter(
    *,
    source: str = "auto",
    model: str | None = None,
    counter: TokenCounterBase | None = None,
    form: str | None = None,
) -> RecordCounter:
    """Make a function that counts the tokens of one record, for a program's own `map`.

    The function can be pickled. It takes a record as a dict or as JSON text in bytes, and returns
    as what it was given: `model`, `tokens`, and in `parts` the tokens of each role, of the tools,
    of the frame around them, and of the answer of an exchange.

    Args:
        source: The name of the wire of the records; "auto" looks at each.
        model: The model whose tokens they are; None takes that of each record.
        counter: What counts; None takes `dragoman.tokens.choose_counter` of the model: its
            tokenizer where that is installed, else an estimate.
        form: The form of the records, if they are no bodies; by default each is looked at.

    Returns:
        The function.

    Raises:
        ConfigError: There is no such wire or form.

    >>> count = token_counter(model="claude-opus-5-5")
    >>> count({"messages": [{"role": "user", "content": "Hi!"}]})["tokens"]
    8
    """
    return RecordCounter(source, model, counter, form)
