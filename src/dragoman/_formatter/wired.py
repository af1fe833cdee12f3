"""WireFormatter: a wire, who speaks, and a limit.

Immutable after construction and shareable across threads, the set of loss kinds that it has
already logged aside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from copy import copy
from dataclasses import replace
from typing import Any, ClassVar, Self, TypedDict

from .._wire import Manner, Wire
from ..capabilities import About, Capabilities, ChatConfig, changes_of, override
from ..edges.fetch import local_files
from ..errors import ConfigError
from ..fit import Saver
from ..jsontext import JsonObject
from ..losses import PolicyLike, Report
from ..losses import policy as policy_of
from ..media import Fetch
from ..message import ChatRequest, Msg, Written, messages_of, places, tools_of
from ..message.tools import ToolLike
from ..names import name_tools
from ..rewrite.prompt import SystemPrompt
from ..rewrite.speakers import ByName, ByRole, Rewrite, Tagged
from ..rewrite.truncate import Truncation, left_out
from ..token import TokenCounterBase
from ..told import Told
from .base import TruncatedFormatterBase, WrittenMessages, current_report
from .hooks import FORMAT_HOOKS, drive

__all__ = ["FormatterOptions", "WireFormatter"]


# the names of the whole history that is under way, for the hooks that see one group of it
_speaking: ContextVar[tuple[str, ...]] = ContextVar("dragoman_speaking", default=())


class FormatterOptions(TypedDict, total=False):
    """The keywords of every formatter that a wire stands behind."""

    model: str | None
    speakers: Rewrite | None
    rewrites: Sequence[Rewrite]
    token_counter: TokenCounterBase | Any | None
    max_tokens: int | None
    truncate: Truncation | None
    policy: PolicyLike
    can: Mapping[str, Any] | ChatConfig | None
    fetch: Fetch | None
    media_saver: Saver | None
    prompt: SystemPrompt | None
    told: Told | None


class WireFormatter(TruncatedFormatterBase):
    """A formatter for one wire.

    `speakers` says who speaks, `can` overrides capabilities, `policy` says what may be lost,
    `fetch` reads media (local files by default), `media_saver(media_type, data) -> str` puts
    base64 media of tool results somewhere that a text can name.
    """

    inserts_turns: ClassVar[bool] = True

    def __init__(
        self,
        wire: Wire,
        *,
        model: str | None = None,
        speakers: Rewrite | None = None,
        rewrites: Sequence[Rewrite] = (),
        token_counter: TokenCounterBase | Any | None = None,
        max_tokens: int | None = None,
        truncate: Truncation | None = None,
        policy: PolicyLike = "log",
        can: Mapping[str, Any] | ChatConfig | None = None,
        fetch: Fetch | None = local_files,
        media_saver: Saver | None = None,
        prompt: SystemPrompt | None = None,
        told: Told | None = None,
    ) -> None:
        super().__init__(token_counter, max_tokens, truncate)
        changes = changes_of(can)
        self.wire = wire
        self.model = model
        self.manner = Manner(
            speakers=speakers or ByRole(),
            rewrites=tuple(rewrites),
            prompt=prompt or SystemPrompt(),
            told=told or Told(),
            fetch=fetch,
            saver=media_saver,
            changes=changes,
            insert_turns=self.inserts_turns,
        )
        self.can: Capabilities = override(wire.can(model), changes)
        self._policy = policy_of(policy)
        self._logged: set[str] = set()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.wire.name!r})"

    async def format(self, msgs: list[Msg] | ChatRequest, **kwargs: Any) -> list[JsonObject]:
        """The messages (or those of a request) as this provider takes them.

        Raises NotMessages, InvalidMessage, WriteError, ContextOverflow, LossRefused.
        """
        return (await self._write(msgs, sync=False)).messages

    def format_sync(self, msgs: list[Msg] | ChatRequest, **kwargs: Any) -> list[JsonObject]:
        """The same without an event loop. Raises ConfigError if a hook or counter awaits."""
        return self.write(msgs).messages

    def write(self, msgs: list[Msg] | ChatRequest) -> WrittenMessages:
        """The messages with their losses, without an event loop."""
        if isinstance(msgs, ChatRequest) and (seen := self._seen_by(msgs)) is not self:
            return seen.write(msgs)
        if self._hooks or self.max_tokens is not None:
            return drive(self._write(msgs, sync=True), f"{type(self).__name__}.format")
        listed, report = self._listed(msgs)
        written = self.wire.messages(listed, self.can, self.manner, report)
        self._policy.judge(report, self._logged)
        return WrittenMessages(written, report)

    async def _write(self, msgs: list[Msg] | ChatRequest, sync: bool) -> WrittenMessages:
        if isinstance(msgs, ChatRequest) and (seen := self._seen_by(msgs)) is not self:
            return await seen._write(msgs, sync)
        listed, report = self._listed(msgs)
        written, _ = await self._fitted(listed, report, sync)
        self._policy.judge(report, self._logged)
        return WrittenMessages(written, report)

    async def _fitted(
        self, msgs: list[Msg], report: Report, sync: bool
    ) -> tuple[list[JsonObject], list[Msg]]:
        if self.max_tokens is None:
            return await super()._fitted(msgs, report, sync)
        made = copy(self)
        made.manner = self.manner.once()
        return await super(WireFormatter, made)._fitted(msgs, report, sync)

    def _seen_by(self, req: ChatRequest) -> Self:
        """This formatter from the point of view of the request's agent."""
        manner = self.manner.seen_by(req.agent_name)
        if manner is self.manner:
            return self
        made = copy(self)
        made.manner = manner
        return made

    def _listed(self, msgs: list[Msg] | ChatRequest) -> tuple[list[Msg], Report]:
        if isinstance(msgs, ChatRequest):
            report = self._report(msgs.messages, msgs)
            return self.wire.with_prompt(msgs, self.manner, self.can, report), report
        if type(msgs) is not list:
            msgs = messages_of(msgs)
        return msgs, self._report(msgs)

    def _report(self, msgs: Sequence[Msg] = (), req: ChatRequest | None = None) -> Report:
        report = Report(msgs, req, places, self.wire.name)
        report.rules = self._rule
        return report

    def _rule(self, code: str, field: str, kind: str) -> str:
        about = About(field, kind)
        return self.wire.rule(code, self.model, None, about, self.manner.changes)

    # -- the request's other parts --------------------------------------------------------------

    async def call(
        self,
        msgs: list[Msg],
        tools: Sequence[ToolLike] | None = None,
        stream: bool = False,
    ) -> tuple[list[JsonObject], list[JsonObject] | None, bool]:
        """(formatted messages, tool schemas or None, stream flag): what a model is called with."""
        written = await self.format(msgs)
        return written, self.format_tools(tools) or None, stream

    def format_tools(self, tools: Sequence[ToolLike] | None) -> list[JsonObject]:
        """The tools as this provider declares them; none where the model takes none."""
        report = self._report()
        offered = self.wire.offered(tools_of(tools), self.can, report)
        named, _ = name_tools(offered, [], self.can.tool_names, report)
        schemas = self.wire.room.tools(named, self.can, report)
        self._policy.judge(report, self._logged)
        return schemas

    def format_request(self, req: ChatRequest, model: str | None = None) -> Written:
        """The whole request: path, headers and body. Cut to `max_tokens` if that is set.

        Raises ConfigError where an overridden hook formats messages that this wire does not send
        as one list.
        """
        report = Report(req.messages, req, places, self.wire.name)
        if self.max_tokens is not None:
            req = self._shortened(req, report)
        written = self.wire.write_request(
            req,
            model or req.model or self.model,
            manner=self.manner,
            policy=self._policy,
            report=report,
        )
        return self._hooked(written, req) if self._hooks.intersection(FORMAT_HOOKS) else written

    def _shortened(self, req: ChatRequest, report: Report) -> ChatRequest:
        """The request with the messages that fit; the system prompt is counted, not cut."""
        # what a trial loses is lost again in writing; only the cut itself is news
        trial = report.trial()
        whole = self.wire.with_prompt(req, self.manner, self.can, trial)
        _, left = drive(self._fitted(whole, trial, sync=True), "format_request")
        gone = set(left_out(whole, left))
        own = len(whole) - len(req.messages)  # the system prompt that the request's fields make
        kept = [m for i, m in enumerate(req.messages, own) if i not in gone]
        self._cut(req.messages, kept, report)
        return replace(req, messages=kept)

    def _hooked(self, written: Written, req: ChatRequest) -> Written:
        """The request with its messages as the overridden hooks format them."""
        if "messages" not in written.body or self.can.system_place == "top":
            raise ConfigError(
                f"{type(self).__name__} overrides how messages are formatted, and "
                f"{self.wire.name} does not send them as one list",
                hint="use speakers or rewrites, or override nothing and format the request",
                code="request.hooks",
            )
        said = self._said(self._listed(req)[0], written.report.trial())
        written.body["messages"] = drive(said, "format_request")
        return written

    # -- AgentScope's hooks: their defaults are the wire's own way --------------------------------

    async def _said(self, msgs: list[Msg], report: Report) -> list[JsonObject]:
        if not self._hooks.intersection(FORMAT_HOOKS):
            return self.wire.messages(msgs, self.can, self.manner, report)
        paired = self.wire.paired(msgs, self.can, self.manner, report)
        token = _speaking.set(tuple(dict.fromkeys(m.name for m in paired)))
        try:
            return await super()._said(paired, report)
        finally:
            _speaking.reset(token)

    def _part(self, msgs: list[Msg], manner: Manner) -> list[JsonObject]:
        report = current_report.get() or self._report(msgs)
        speakers = manner.speakers
        if isinstance(speakers, (ByName, Tagged)) and (names := _speaking.get()):
            known = (*speakers.known, *names)
            manner = replace(manner, speakers=replace(speakers, known=known))
        return self.wire.messages(msgs, self.can, manner, report)

    async def _format_system_message(self, msg: Msg) -> Any:
        """The system prompt as the wire writes it."""
        return self._part([msg], self.manner)

    async def _format_tool_sequence(self, msgs: list[Msg]) -> list[JsonObject]:
        """A run of tool calls and results as the wire writes it."""
        return self._part(msgs, self.manner)

    async def _format_agent_message(
        self, msgs: list[Msg], is_first: bool = True
    ) -> list[JsonObject]:
        """A run of conversation as the wire and the speakers write it."""
        manner, speakers = self.manner, self.manner.speakers
        if isinstance(speakers, ByName) and not is_first:
            manner = replace(manner, speakers=replace(speakers, heading=""))
        return self._part(msgs, manner)
