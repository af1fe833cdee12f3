"""RequestFormatter: a formatter that writes whole requests and tools for a wire."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Any, Self

from ..capabilities import About, Capabilities, override
from ..codec.unseen_media import refuse_unseen
from ..codec.wire import Wire
from ..history.passes.apply_name_rules import name_tools
from ..history.passes.lower import fit_tools
from ..history.pipeline import FormatStyle
from ..losses import Policy, Report
from ..losses.policies import LossLog
from ..message import ChatRequest, Msg, Written, check_messages, check_request, places, to_tools
from ..message.tools import ToolList
from ..text.json_text import JsonObject
from ..tokens.base import Tools
from . import budget
from .base import FORMAT_HOOKS, History, TruncatedFormatterBase, drive


class RequestFormatter(TruncatedFormatterBase):
    """A formatter with a wire: it writes requests and tools beside the messages."""

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
        """Format everything that a model is called with.

        Args:
            msgs: The history.
            tools: The tools that the model may call; None for none.
            stream: Whether the answer shall come as a stream.

        Returns:
            (formatted messages, tool schemas or None, stream flag).
        """
        if tools and self.max_tokens is not None:
            formatted = (await self._write(msgs, sync=False, tools=tools)).messages
        else:
            formatted = await self.format(msgs)
        return formatted, self.format_tools(tools) or None, stream

    def format_tools(self, tools: ToolList) -> list[JsonObject]:
        """Declare tools as this provider does.

        Args:
            tools: The tools that the model may call; None for none.

        Returns:
            The schemas; none where the model takes no tools.
        """
        report = self._report()
        schemas = self._declare_tools(tools, report)
        self._judge(report)
        return schemas

    def _judge(self, report: Report) -> None:
        self._policy.judge(report, self._logged)

    def _declare_tools(self, tools: ToolList, report: Report) -> list[JsonObject]:
        tools_sent = fit_tools(to_tools(tools), self.can, report)
        renamed, _ = name_tools(tools_sent, [], self.can.tool_names, report)
        return self.wire.room.tools(renamed, self.can, report)

    def _schemas(self, tools: ToolList, report: Report) -> Tools:
        """The tools as they are counted beside the messages; None if nothing is counted."""
        if not tools or self.max_tokens is None:
            return None
        return self._declare_tools(tools, report.trial()) or None

    def format_request(self, req: ChatRequest, model: str | None = None) -> Written:
        """Write a whole request: path, headers and body, cut to `max_tokens` if that is set.

        Args:
            req: The request.
            model: The model; None takes that of the request, else that of the formatter.

        Returns:
            The request, with its losses.
        """
        req = check_request(req)
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
        """Judge what was written of a request before it is sent.

        Args:
            req: The request.
            written: What was written of it.

        Raises:
            WriteError: The model would not see a medium of the newest user turn, and the policy
                neither is "ignore" nor allows it.
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
            msgs = msgs[1:]  # it has its own field
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
        """Put the system prompt, as the hook formats it, into the wire's field for it."""
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
        """The formatter for several tries at one history: each medium is fetched and saved once."""
        return self._with_style(self.style.once())

    def _with_style(self, style: FormatStyle) -> Self:
        formatter = copy(self)
        formatter.style = style
        return formatter

    def _messages(self, msgs: History, kind: type[Report] = Report) -> tuple[list[Msg], Report]:
        """(the messages, after the system prompt of a request; a report on them)."""
        if isinstance(msgs, ChatRequest):
            report = self._report(msgs.messages, msgs, kind)
            return self.wire.with_prompt(msgs, self.style, self.can, report), report
        if type(msgs) is not list:
            msgs = check_messages(msgs)
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
