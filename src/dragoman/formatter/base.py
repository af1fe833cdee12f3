"""AgentScope's hooks: which of them a class overrides, the grouping that calls them, and a driver.

`drive` runs a coroutine that never suspends, so that one body serves sync and async callers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Coroutine, Mapping, Sequence
from contextvars import ContextVar
from copy import copy
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeAlias

from ..capabilities import About, Capabilities, override
from ..codec.unseen_media import refuse_unseen
from ..codec.wire import Wire
from ..errors import ConfigError
from ..history.passes.fit import fit_tools
from ..history.passes.names import name_tools
from ..history.pipeline import FormatStyle
from ..history.transcript import has_tools
from ..history.truncate import DropOldest, Truncation, strategic, without_oldest
from ..losses import Losses, Policy, Report
from ..losses.policies import LossLog
from ..message import (
    ChatRequest,
    Msg,
    ServerTool,
    Tool,
    Written,
    messages_of,
    places,
    request_of,
    tools_of,
)
from ..message.request import OPTIONS
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
    """The result of a coroutine that never suspends. Raises ConfigError at the first that does."""
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
    """Formatted messages, and what they do not say as it was given."""

    messages: list[JsonObject]
    report: Report = field(repr=False)

    @property
    def losses(self) -> Losses:
        """What could not be said, and what was added."""
        return self.report.losses

    @property
    def added(self) -> Losses:
        """What the messages say and nobody wrote: headings, placeholders, made-up results."""
        return self.report.added


_BESIDE = ("tools", "stream")  # in the order of document 002
_OF_REQUESTS = frozenset(f.name for f in fields(ChatRequest)) - {"messages"} | {*OPTIONS}


def refuse_options(kwargs: Mapping[str, Any], beside: Sequence[Any] = ()) -> None:
    """Raise ConfigError for what a list of messages has no place for.

    Args:
        kwargs: The keywords that a `format` was given.
        beside: What stood behind the messages without a name. Document 002 shows
            `format(msgs, tools, stream)`, which gives three things; it is `call` here.

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
    """What a formatter is: it turns messages into the form that a model's API expects.

    `FormatterBase[T]` makes messages of type T: an SDK's class, say, or plain text. Without T, and
    in all of ours, they are JSON objects.
    """

    @abstractmethod
    async def format(self, *args: Any, **kwargs: Any) -> list[WireMessage]:
        """The messages, each in the form that the API takes."""

    async def call(
        self, msgs: list[Msg], tools: ToolList = None, stream: bool = False
    ) -> tuple[list[WireMessage], Tools, bool]:
        """(formatted messages, tool schemas or None, stream flag): what a model is called with."""
        return await self.format(msgs), self.format_tools(tools) or None, stream

    def format_tools(self, tools: ToolList) -> list[JsonObject]:
        """Functions as AgentScope's clients take them, which is OpenAI's form; override for others.

        Raises ConfigError for a tool that is no function of the program's.
        """
        return [_function(tool, self) for tool in tools_of(tools)]

    def parse_response(self, raw: Any, tools: ToolList = None, request: Any = None) -> Msg:
        """The message in a whole answer. Raises ConfigError unless a subclass says how."""
        raise ConfigError(
            f"{type(self).__name__} has no wire that could read an answer",
            hint='override parse_response, or read with Formatter("openai").parse_response or that'
            " of the wire which was asked",
            code="answer.wire",
        )

    @staticmethod
    def assert_list_of_msgs(msgs: Any) -> None:
        """Raise NotMessages (a WriteError and TypeError) unless `msgs` is a list of Msg."""
        if not isinstance(msgs, list):
            messages_of(object())
        messages_of(msgs)


def _function(tool: Tool | ServerTool, formatter: FormatterBase[Any]) -> JsonObject:
    """`{"type": "function", "function": {"name", "description", "parameters"}}`."""
    if not isinstance(tool, Tool) or tool.freeform:
        text = f"{type(formatter).__name__} has no wire that could declare such a tool"
        raise ConfigError(text, hint="override format_tools", code="tool.wire")
    schema = tool.schema or {"type": "object", "properties": {}}
    fields = {"name": tool.name, "description": tool.description, "parameters": schema}
    return {"type": "function", "function": fields}


class TruncatedFormatterBase(FormatterBase[JsonObject]):
    """A formatter that cuts the oldest messages until `max_tokens` hold the formatted result.

    Subclasses may override the hooks `_format_agent_message`, `_format_tool_sequence`,
    `_format_system_message`, `_format`, `_truncate` and `_count`.
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
        strategic(self.truncate)
        # with a memory; nothing where only a hook of the formatter counts
        counts = callable(getattr(token_counter, "count", None))
        self._counts = with_cache(token_counter) if counts else None
        self._needs_counter()

    def _needs_counter(self) -> None:
        """See that a limit has something to count with: the counter of the model by default."""
        if self.max_tokens is not None and not self._counts_tokens:
            self.token_counter = default_counter(getattr(self, "model", None) or "")

    def limited(self, max_tokens: int) -> Self:
        """The same formatter with another limit."""
        _check_limit(max_tokens)
        limited = copy(self)
        limited.max_tokens = max_tokens
        limited._needs_counter()
        return limited

    async def format(self, msgs: list[Msg], *args: Any, **kwargs: Any) -> list[JsonObject]:
        """The messages as this provider takes them.

        Keywords of AgentScope's have no effect; those that a whole request has (`tools`, `stream`
        and the like) are refused. Raises NotMessages, InvalidMessage, ContextOverflow, ConfigError.
        """
        refuse_options(kwargs, args)
        return (await self._write(msgs, sync=False)).messages

    def format_sync(self, msgs: list[Msg], *args: Any, **kwargs: Any) -> list[JsonObject]:
        """The same without an event loop. Raises ConfigError if a hook or counter awaits."""
        refuse_options(kwargs, args)
        return self.write(msgs).messages

    def write(self, msgs: list[Msg]) -> WrittenMessages:
        """The messages with their losses, without an event loop."""
        return drive(self._write(msgs, sync=True), f"{type(self).__name__}.format")

    async def _write(self, msgs: History, sync: bool, tools: ToolList = None) -> WrittenMessages:
        formatter, messages, report, schemas = self._input(msgs, tools)
        formatted, _ = await formatter._format_cut(messages, report, sync, schemas)
        formatter._judge(report)
        return WrittenMessages(formatted, report)

    def _input(self, msgs: History, tools: ToolList) -> tuple[Self, list[Msg], Report, Tools]:
        """(the formatter, the messages, a report on them, the tool schemas) of what is given."""
        messages = messages_of(msgs)
        return self, messages, Report(messages, None, places, type(self).__name__), None

    def _judge(self, report: Report) -> None:
        """Do with the losses what the policy says; no policy stands behind this class."""

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
        """The same for several tries at one history."""
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
        """A run of tool calls and results; a subclass says how."""
        raise ConfigError(f"{type(self).__name__} must override _format_tool_sequence")

    async def _format_agent_message(
        self, msgs: list[Msg], is_first: bool = True
    ) -> list[JsonObject]:
        """A run of conversation, perhaps of several speakers; a subclass says how."""
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


class RequestFormatter(TruncatedFormatterBase):
    """A formatter with a wire behind it: it writes requests and tools beside the messages."""

    wire: Wire
    model: str | None
    style: FormatStyle
    can: Capabilities
    _policy: Policy
    _shows_newest: bool  # whether what the newest turn shows must go to the model
    _logged: LossLog

    async def call(
        self, msgs: list[Msg], tools: ToolList = None, stream: bool = False
    ) -> tuple[list[JsonObject], Tools, bool]:
        """(formatted messages, tool schemas or None, stream flag): what a model is called with."""
        if tools and self.max_tokens is not None:
            formatted = (await self._write(msgs, sync=False, tools=tools)).messages
        else:
            formatted = await self.format(msgs)
        return formatted, self.format_tools(tools) or None, stream

    def format_tools(self, tools: ToolList) -> list[JsonObject]:
        """The tools as this provider declares them; none where the model takes none."""
        report = self._report()
        schemas = self._declare_tools(tools, report)
        self._judge(report)
        return schemas

    def _judge(self, report: Report) -> None:
        self._policy.judge(report, self._logged)

    def _declare_tools(self, tools: ToolList, report: Report) -> list[JsonObject]:
        tools_sent = fit_tools(tools_of(tools), self.can, report)
        renamed, _ = name_tools(tools_sent, [], self.can.tool_names, report)
        return self.wire.room.tools(renamed, self.can, report)

    def _schemas(self, tools: ToolList, report: Report) -> Tools:
        """The tools as they are counted beside the messages; None if nothing is counted."""
        if not tools or self.max_tokens is None:
            return None
        return self._declare_tools(tools, report.trial()) or None

    def format_request(self, req: ChatRequest, model: str | None = None) -> Written:
        """The whole request: path, headers and body. Cut to `max_tokens` if that is set."""
        req = request_of(req)
        report = Report(req.messages, req, places, self.wire.name)
        if self.max_tokens is not None:
            req = self._shorten_request(req, report)
        formatted = self.wire.write_request(
            req,
            model or req.model or self.model,
            style=self.style,
            policy=self._policy,
            report=report,
        )
        return (
            self._apply_hooks(formatted, req)
            if self._hooks.intersection(FORMAT_HOOKS)
            else formatted
        )

    def refuse_unseen(self, req: ChatRequest, written: Written) -> None:
        """Judge what was written of a request, for who is about to send it.

        Raises WriteError for a medium of the newest user turn that the model would not see, unless
        the policy is "ignore", or allows it.
        """
        if written.report.kinds and self._shows_newest:
            refuse_unseen(req, written.model or "the model", written.report, self._policy)

    def _shorten_request(self, req: ChatRequest, report: Report) -> ChatRequest:
        """The request with the messages that fit; the system prompt is counted, not cut."""
        # what a trial loses is lost again in writing; only the cut itself is news
        trial = report.trial()
        full = self.wire.with_prompt(req, self.style, self.can, trial)
        tools = self._schemas(req.tools, trial)
        choice = drive(self._once()._cut(full, trial, True, tools), "format_request")
        remaining = budget.within(req.messages, full, choice.msgs)
        budget.name_cut(req.messages, remaining, report)
        return replace(req, messages=remaining)

    def _apply_hooks(self, formatted: Written, req: ChatRequest) -> Written:
        """The request with its messages as the overridden hooks format them."""
        msgs, report = self._messages(req)[0], formatted.report.trial()
        if self.can.system_place == "top" and msgs and msgs[0].role in ("system", "developer"):
            if "_format_system_message" in self._hooks:
                self._prompt_by_hook(msgs[0], formatted, req)
            msgs = msgs[1:]  # it stands in its own field
        formatter = self._with_style(self.style)
        # what the model can that is asked: its history may need more than any model's does
        formatter.can = override(self.wire.can(formatted.model), self.style.changes)
        messages = drive(formatter._format_all(msgs, report), "format_request")
        *parents, last = self.wire.room.messages_path.removeprefix("$.").split(".")
        node: Any = formatted.body
        for name in parents:
            node = node.setdefault(name, {})
        node[last] = messages
        return formatted

    def _prompt_by_hook(self, prompt: Msg, formatted: Written, req: ChatRequest) -> None:
        """Put the system prompt, as the hook says it, where the wire has its field."""
        said: Any = drive(self._format_system_message(prompt), "format_request")
        items = said if isinstance(said, list) else [said]
        texts: list[str] = []
        for item in items:
            content = item.get("content", item.get("parts")) if isinstance(item, dict) else item
            parts = content if isinstance(content, list) else [content]
            texts += [part["text"] if isinstance(part, dict) else part for part in parts if part]
        rest = [m for m in req.messages if m.role not in ("system", "developer")]
        asked = replace(req, messages=rest, system="\n".join(texts), memories=None)
        written = self.wire.write_request(asked, formatted.model, style=self.style, policy=Policy())
        formatted.body.update(written.body)

    def _input(self, msgs: History, tools: ToolList) -> tuple[Self, list[Msg], Report, Tools]:
        formatter = self
        if isinstance(msgs, ChatRequest):
            formatter, tools = self._seen_by(msgs), msgs.tools if tools is None else tools
        messages, report = formatter._messages(msgs)
        return formatter, messages, report, formatter._schemas(tools, report)

    def _seen_by(self, req: ChatRequest) -> Self:
        """This formatter from the point of view of the request's agent."""
        style = self.style.seen_by(req.agent_name)
        return self if style is self.style else self._with_style(style)

    def _once(self) -> Self:
        """The same for several tries at one history: each medium is fetched and saved once."""
        return self._with_style(self.style.once())

    def _with_style(self, style: FormatStyle) -> Self:
        formatter = copy(self)
        formatter.style = style
        return formatter

    def _messages(self, msgs: History, kind: type[Report] = Report) -> tuple[list[Msg], Report]:
        """(the messages, behind the prompt that a request makes; a report on them)."""
        if isinstance(msgs, ChatRequest):
            report = self._report(msgs.messages, msgs, kind)
            return self.wire.with_prompt(msgs, self.style, self.can, report), report
        if type(msgs) is not list:
            msgs = messages_of(msgs)
        return msgs, self._report(msgs, None, kind)

    def _report(
        self, msgs: Sequence[Msg] = (), req: ChatRequest | None = None, kind: type[Report] = Report
    ) -> Report:
        report = kind(msgs, req, places, self.wire.name)
        report.rules = self._rule
        return report

    def _rule(self, code: str, field: str, kind: str) -> str:
        about = About(field, kind)
        return self.wire.rule(code, self.model, None, about, self.style.changes)
