"""The bases of formatters, AgentScope's hooks, and a driver for synchronous callers.

The formatters group messages and call the hooks that a class overrides. `drive` runs a coroutine
that never suspends, so that one body serves sync and async callers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Coroutine, Mapping, Sequence
from contextvars import ContextVar
from copy import copy
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeAlias

from .._old_names import keeps_old_names
from ..errors import ConfigError
from ..history.transcript import has_tools
from ..history.truncate import DropOldest, Truncation, check_strategy, without_oldest
from ..losses import Losses, Report
from ..message import (
    ChatRequest,
    Msg,
    ServerTool,
    Tool,
    check_messages,
    places,
    to_tools,
)
from ..message.options import OPTIONS
from ..message.tools import ToolList
from ..text.json_text import JsonObject
from ..text.redaction import Shown, show
from ..tokens import TokenCounterBase
from ..tokens.base import Tools
from ..tokens.cached import CachedTokenCounter, default_counter, with_cache
from . import budget
from .budget import Selection, Tally

FORMAT_HOOKS = (
    "_format",
    "_format_system_message",
    "_format_agent_message",
    "_format_tool_sequence",
)


if TYPE_CHECKING:  # type checkers know the default of Python 3.13
    from typing_extensions import TypeVar

    WireMessage = TypeVar("WireMessage", default=JsonObject)
else:
    from typing import TypeVar

    WireMessage = TypeVar("WireMessage")
_T = TypeVar("_T")
History: TypeAlias = list[Msg] | ChatRequest


def drive(coroutine: Coroutine[Any, Any, _T], what: str) -> _T:
    """Run a coroutine that never suspends and return its result; ConfigError if it suspends."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        result: _T = done.value
        return result
    except RuntimeError as error:
        # what awaits in asyncio asks for its loop before it suspends
        if "no running event loop" not in str(error):
            raise
    coroutine.close()
    raise ConfigError(
        f"{what} awaits something, so it cannot run synchronously",
        hint="await format(...) instead, or give the counter a count_sync method, and Summarize a"
        " function that awaits nothing",
        code="sync.suspended",
    )


def group_messages(msgs: list[Msg]) -> list[tuple[str, list[Msg]]]:
    """("system" | "agent" | "tools", messages): a system prompt first, then runs of each kind."""
    groups: list[tuple[str, list[Msg]]] = []
    for i, m in enumerate(msgs):
        if i == 0 and m.role in ("system", "developer") and not has_tools(m):
            groups.append(("system", [m]))
            continue
        kind = "tools" if has_tools(m) else "agent"
        if groups and groups[-1][0] == kind:
            groups[-1][1].append(m)
        else:
            groups.append((kind, [m]))
    return groups


# the report of the formatting that is under way, for the hooks whose signature has none
current_report: ContextVar[Report | None] = ContextVar("dragoman_report", default=None)


@dataclass(frozen=True, slots=True, repr=False)
class WrittenMessages(Shown):
    """Formatted messages, and the report of what differs from the given ones."""

    messages: list[JsonObject]
    report: Report = field(repr=False)

    @property
    def losses(self) -> Losses:
        """What the wire could not carry, and what was added."""
        return self.report.losses

    @property
    def added(self) -> Losses:
        """What the formatter added to the messages: headings, placeholders, missing results."""
        return self.report.added


_BESIDE = ("tools", "stream")  # in the order of document 002
_OF_REQUESTS = frozenset(f.name for f in fields(ChatRequest)) - {"messages"} | {*OPTIONS}


def refuse_options(kwargs: Mapping[str, Any], beside: Sequence[Any] = ()) -> None:
    """Raise ConfigError for what a list of messages has no place for.

    Args:
        kwargs: The keywords that a `format` was given.
        beside: The positional arguments after the messages. Document 002 shows
            `format(msgs, tools, stream)`, which returns three values; it is `call` here.

    Raises:
        ConfigError: One of them is of a whole request, or nothing that has a place.
    """
    named = {**dict(zip(_BESIDE, beside, strict=False)), **kwargs}
    given = {
        name
        for name, value in named.items()
        if value is not None and value is not False and value != []
    }
    lost = sorted(_OF_REQUESTS & given)
    if len(beside) > len(_BESIDE):
        lost.append(f"argument number {len(beside) + 1}")
    if lost:
        raise ConfigError(
            f"a list of messages has no {', '.join(lost)}",
            hint="format_request(ChatRequest(msgs, ...)) writes the whole request; call(msgs,"
            " tools=, stream=) gives messages, tools and stream flag",
            code="format.option",
        )


class FormatterBase(ABC, Generic[WireMessage]):
    """The base of all formatters, which turn messages into the form that a model's API expects.

    `FormatterBase[T]` returns messages of type T: an SDK's class, say, or plain text. Without T,
    and in all formatters of this package, they are JSON objects.
    """

    @abstractmethod
    async def format(self, *args: Any, **kwargs: Any) -> list[WireMessage]:
        """Format messages; a subclass defines its arguments.

        Args:
            *args: The messages first.
            **kwargs: Options of the subclass.

        Returns:
            The messages, each in the form that the API takes.
        """

    async def call(
        self, msgs: list[Msg], tools: ToolList = None, stream: bool = False
    ) -> tuple[list[WireMessage], Tools, bool]:
        """Format everything that a model is called with.

        Args:
            msgs: The history.
            tools: The tools that the model may call; None for none.
            stream: Whether the answer shall come as a stream.

        Returns:
            (formatted messages, tool schemas or None, stream flag).
        """
        return await self.format(msgs), self.format_tools(tools) or None, stream

    def format_tools(self, tools: ToolList) -> list[JsonObject]:
        """Declare functions in OpenAI's form, which AgentScope's clients take; override for others.

        Args:
            tools: The tools that the model may call; None for none.

        Returns:
            One schema for each tool.

        Raises:
            ConfigError: A tool is no function of the program's.
        """
        return [_function(tool, self) for tool in to_tools(tools)]

    def parse_response(self, raw: Any, tools: ToolList = None, request: Any = None) -> Msg:
        """Read the message of a whole answer; a subclass overrides it.

        Args:
            raw: The answer.
            tools: The tools that the model could call.
            request: The request that was answered.

        Returns:
            The message.

        Raises:
            ConfigError: The class does not override it.
        """
        raise ConfigError(
            f"{type(self).__name__} has no wire that could read an answer",
            hint='override parse_response, or read with Formatter("openai").parse_response or that'
            " of the wire which was asked",
            code="answer.wire",
        )

    @staticmethod
    def assert_list_of_msgs(msgs: Any) -> None:
        """Check that the value is a list of Msg.

        Args:
            msgs: The value.

        Raises:
            NotMessages: It is none (a WriteError and TypeError).
        """
        if not isinstance(msgs, list):
            check_messages(object())
        check_messages(msgs)


def _function(tool: Tool | ServerTool, formatter: FormatterBase[Any]) -> JsonObject:
    """`{"type": "function", "function": {"name", "description", "parameters"}}`."""
    if not isinstance(tool, Tool) or tool.freeform:
        text = f"{type(formatter).__name__} has no wire that could declare such a tool"
        raise ConfigError(text, hint="override format_tools", code="tool.wire")
    schema = tool.schema or {"type": "object", "properties": {}}
    fields = {"name": tool.name, "description": tool.description, "parameters": schema}
    return {"type": "function", "function": fields}


@keeps_old_names
class TruncatedFormatterBase(FormatterBase[JsonObject]):
    """A formatter that cuts the oldest messages until `max_tokens` hold the formatted result.

    Subclasses may override the hooks `_format_agent_message`, `_format_tool_sequence`,
    `_format_system_message`, `_format`, `_truncate` and `_count`.

    Args:
        token_counter: Counts formatted messages; None takes the counter of the model where there
            is a limit.
        max_tokens: The most tokens that the formatted messages may take; None for no limit.
        truncate: The strategy that cuts the history; None takes DropOldest.

    Raises:
        ConfigError: `max_tokens` is no integer greater than 0, or `truncate` no strategy.
    """

    _hooks: ClassVar[frozenset[str]] = frozenset()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        names = (*FORMAT_HOOKS, "_truncate", "_count")
        cls._hooks = frozenset(name for name in names if _overrides(cls, name))

    def __init__(
        self,
        token_counter: TokenCounterBase | Any | None = None,
        max_tokens: int | None = None,
        truncate: Truncation | None = None,
    ) -> None:
        _check_limit(max_tokens)
        self.token_counter = token_counter
        self.max_tokens = max_tokens
        self.truncate: Truncation = DropOldest() if truncate is None else truncate
        check_strategy(self.truncate)
        # with a memory; nothing where only a hook of the formatter counts
        counts = callable(getattr(token_counter, "count", None))
        self._counts = with_cache(token_counter) if counts else None
        self._needs_counter()

    def _needs_counter(self) -> None:
        """See that a limit has something to count with: the counter of the model by default."""
        if self.max_tokens is not None and not self._counts_tokens:
            self.token_counter = default_counter(getattr(self, "model", None) or "")

    def with_limit(self, max_tokens: int) -> Self:
        """Copy the formatter with another limit.

        Args:
            max_tokens: The most tokens that the formatted messages may take.

        Returns:
            The copy.

        Raises:
            ConfigError: `max_tokens` is no integer greater than 0.
        """
        _check_limit(max_tokens)
        limited = copy(self)
        limited.max_tokens = max_tokens
        limited._needs_counter()
        return limited

    async def format(self, msgs: list[Msg], *args: Any, **kwargs: Any) -> list[JsonObject]:
        """Format messages as this provider takes them.

        Args:
            msgs: The history.
            *args: Nothing that has a value; AgentScope's signature has room for more.
            **kwargs: AgentScope's keywords, which have no effect.

        Returns:
            The formatted messages.

        Raises:
            NotMessages: `msgs` is no list of messages.
            InvalidMessage: A message was changed to something that is none.
            ContextOverflow: What must stay does not fit into `max_tokens`.
            ConfigError: An argument belongs to a whole request (`tools`, `stream` and the like).
        """
        refuse_options(kwargs, args)
        return (await self._write(msgs, sync=False)).messages

    def format_sync(self, msgs: list[Msg], *args: Any, **kwargs: Any) -> list[JsonObject]:
        """Format messages as `format` does, without an event loop.

        Args:
            msgs: The history.
            *args: Nothing that has a value; AgentScope's signature has room for more.
            **kwargs: AgentScope's keywords, which have no effect.

        Returns:
            The formatted messages.

        Raises:
            ConfigError: A hook or the counter awaits something; else the errors of `format`.
        """
        refuse_options(kwargs, args)
        return self.write(msgs).messages

    def write(self, msgs: list[Msg]) -> WrittenMessages:
        """Format messages and report their losses, without an event loop.

        Args:
            msgs: The history.

        Returns:
            The formatted messages and the report.

        Raises:
            ConfigError: A hook or the counter awaits something; else the errors of `format`.
        """
        return drive(self._write(msgs, sync=True), f"{type(self).__name__}.format")

    async def _write(self, msgs: History, sync: bool, tools: ToolList = None) -> WrittenMessages:
        formatter, messages, report, schemas = self._input(msgs, tools)
        formatted, _ = await formatter._format_cut(messages, report, sync, schemas)
        formatter._judge(report)
        return WrittenMessages(formatted, report)

    def _input(self, msgs: History, tools: ToolList) -> tuple[Self, list[Msg], Report, Tools]:
        """(the formatter, the messages, a report on them, the tool schemas) of what is given."""
        messages = check_messages(msgs)
        return self, messages, Report(messages, None, places, type(self).__name__), None

    def _judge(self, report: Report) -> None:
        """Apply the policy to the losses; this class has none."""

    # -- truncation ---------------------------------------------------------------------------

    async def _format_cut(
        self, msgs: list[Msg], report: Report, sync: bool, tools: Tools = None
    ) -> tuple[list[JsonObject], list[Msg]]:
        """(formatted messages, the messages that are left of the history)."""
        formatter = self if self.max_tokens is None else self._once()
        chosen = (await formatter._cut(msgs, report, sync, tools)).msgs
        budget.name_cut(msgs, chosen, report)
        return await formatter._format_all(chosen, report), chosen

    async def _cut(self, msgs: list[Msg], report: Report, sync: bool, tools: Tools) -> Selection:
        """The part of the history that fits, tool schemas counted; all of it without a limit."""
        limit = self.max_tokens
        if limit is None or not self._counts_tokens:
            return Selection(msgs)
        cutting = budget.Cutting(msgs, limit, report, self._format_all, self._tally(tools, sync))
        if "_truncate" in self._hooks:
            return await cutting.by_hook(self._truncate)
        return await cutting.by_strategy(self.truncate)

    @property
    def _counts_tokens(self) -> bool:
        """Whether there is anything to count with."""
        return self.token_counter is not None or "_count" in self._hooks

    def _tally(self, tools: Tools, sync: bool) -> Tally:
        """What counts formatted messages, and the tools that go with them."""
        if "_count" in self._hooks:
            return lambda formatted, _: self._count(formatted)
        if self._counting().decomposes:
            return budget.DifferenceTally(self._counting(), tools, sync)
        return budget.WholeTally(self.token_counter, tools, sync)

    def _counting(self) -> CachedTokenCounter:
        """The counter with a memory, which the copies of the formatter share."""
        cached, counter = self._counts, self.token_counter
        if cached is None or (counter is not cached and counter is not cached.counter):
            cached = self._counts = with_cache(counter)
        return cached

    def _once(self) -> Self:
        """The formatter for several tries at one history."""
        return self

    async def _count(self, wire: list[JsonObject]) -> int | None:
        """The tokens of the formatted messages; None without a counter."""
        if self.token_counter is None:
            return None
        tokens: int = await self.token_counter.count(wire)
        return tokens

    async def _truncate(self, msgs: list[Msg]) -> list[Msg]:
        """The messages without the oldest unit that may go; override for another strategy."""
        return without_oldest(msgs)

    # -- hooks --------------------------------------------------------------------------------

    async def _format_all(self, msgs: list[Msg], report: Report) -> list[JsonObject]:
        token = current_report.set(report)
        try:
            return await self._format(msgs)
        finally:
            current_report.reset(token)

    async def _format(self, msgs: list[Msg]) -> list[JsonObject]:
        """Group the messages and format each group by its hook."""
        out: list[JsonObject] = []
        first = True
        for kind, group in group_messages(msgs):
            if kind == "system":
                system = await self._format_system_message(group[0])
                out.extend(system if isinstance(system, list) else [system] if system else [])
            elif kind == "tools":
                out.extend(await self._format_tool_sequence(group))
            else:
                formatted = await self._format_agent_message(group, first)
                first = first and not formatted
                out.extend(formatted)
        return out

    async def _format_system_message(self, msg: Msg) -> Any:
        """The system prompt: `{"role": "system", "content": [text parts]}`."""
        texts = [{"type": "text", "text": b.text} for b in msg.get_content_blocks("text")]
        return {"role": "system", "content": texts}

    async def _format_tool_sequence(self, msgs: list[Msg]) -> list[JsonObject]:
        """Format a run of tool calls and results; a subclass overrides it."""
        raise ConfigError(f"{type(self).__name__} must override _format_tool_sequence")

    async def _format_agent_message(
        self, msgs: list[Msg], is_first: bool = True
    ) -> list[JsonObject]:
        """Format a run of conversation, perhaps of several speakers; a subclass overrides it."""
        raise ConfigError(f"{type(self).__name__} must override _format_agent_message")


def _overrides(cls: type, name: str) -> bool:
    """Whether a class outside this folder gives the hook."""
    module = next((base.__module__ for base in cls.__mro__ if name in base.__dict__), "")
    return not module.startswith(__package__ or __name__)


def _check_limit(max_tokens: object) -> None:
    if max_tokens is None:
        return
    if not isinstance(max_tokens, int) or isinstance(max_tokens, bool) or max_tokens <= 0:
        raise ConfigError(f"max_tokens must be an integer greater than 0, not {show(max_tokens)}")
