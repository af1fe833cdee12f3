"""Asking: the parts of a request beside its messages, and the request as a whole.

Knows no provider: its wire writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .._wire import Manner, Wire
from ..capabilities import About, Capabilities
from ..errors import ConfigError
from ..jsontext import JsonObject
from ..losses import Policy, Report
from ..message import ChatRequest, Msg, Written, messages_of, places, request_of, tools_of
from ..message.tools import ToolLike
from ..names import name_tools
from .base import TruncatedFormatterBase
from .cutting import name_cut, within
from .hooks import FORMAT_HOOKS, drive

__all__ = ["Asking"]


class Asking(TruncatedFormatterBase):
    """The way out of a formatter that a wire stands behind, beyond the list of messages."""

    wire: Wire
    model: str | None
    manner: Manner
    can: Capabilities
    _policy: Policy
    _logged: set[str]

    async def call(
        self,
        msgs: list[Msg],
        tools: Sequence[ToolLike] | None = None,
        stream: bool = False,
    ) -> tuple[list[JsonObject], list[JsonObject] | None, bool]:
        """(formatted messages, tool schemas or None, stream flag): what a model is called with."""
        if tools and self.max_tokens is not None:
            written = (await self._write(msgs, sync=False, tools=tools)).messages
        else:
            written = await self.format(msgs)
        return written, self.format_tools(tools) or None, stream

    def format_tools(self, tools: Sequence[ToolLike] | None) -> list[JsonObject]:
        """The tools as this provider declares them; none where the model takes none."""
        report = self._report()
        schemas = self._declared(tools, report)
        self._policy.judge(report, self._logged)
        return schemas

    def _declared(self, tools: Sequence[ToolLike] | None, report: Report) -> list[JsonObject]:
        offered = self.wire.offered(tools_of(tools), self.can, report)
        named, _ = name_tools(offered, [], self.can.tool_names, report)
        return self.wire.room.tools(named, self.can, report)

    def _schemas(self, tools: Sequence[ToolLike] | None, report: Report) -> list[JsonObject] | None:
        """The tools as they are counted beside the messages; None if nothing is counted."""
        if not tools or self.max_tokens is None:
            return None
        return self._declared(tools, report.trial()) or None

    def format_request(self, req: ChatRequest, model: str | None = None) -> Written:
        """The whole request: path, headers and body. Cut to `max_tokens` if that is set.

        Raises ConfigError where an overridden hook formats messages that this wire does not send
        as one list.
        """
        req = request_of(req)
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
        tools = self._schemas(req.tools, trial)
        choice = drive(self._once()._chosen(whole, trial, True, tools), "format_request")
        kept = within(req.messages, whole, choice.msgs)
        name_cut(req.messages, kept, report)
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
