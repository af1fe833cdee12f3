"""Sessions, which format one conversation that grows and write only what is new.

Also the report of a history that was written in parts, each of which has its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

from ..history.truncate import Counted, Truncation
from ..history.truncate.growing import Onward
from ..losses import Report
from ..message import ChatRequest, Msg
from ..message.tools import ToolLike
from ..text.json_text import JsonObject
from ..text.redaction import Shown
from ..tokens.base import Tools, decomposes
from .base import WrittenMessages, drive, refuse_options
from .budget import Tally, count_each
from .request_formatter import RequestFormatter
from .session_history import FinalPart, GrowingHistory, Look, WrittenHistory


class JoinedReport(Report):
    """Names its own losses, then those of its parts, which are collected at the first request.

    `prompt` is the path in the request of what the first message was built from.
    """

    __slots__ = ("_count", "_final_msgs", "_parts", "prompt")

    def __init__(self, *source: Any) -> None:
        super().__init__(*source)
        self._parts: Sequence[Report] = ()
        self._final_msgs: Sequence[Msg] = ()
        self._count = 0
        self.prompt = ""

    def join(self, written: WrittenHistory, is_whole: bool) -> None:
        """Take the reports of the parts of the history; their losses are not collected yet.

        `is_whole`: all messages have the indexes that they have in the parts; else some were cut
        out.
        """
        self._parts = written.reports
        for part in written.reports:
            self.kinds |= part.kinds
        if not written.reports:
            return
        # the final part only grows at its end, so that a number of messages is as good as a copy
        msgs = written.final.msgs
        count = len(msgs) - bool(self.prompt) if is_whole else 0
        if count <= 0:
            self._messages = tuple(self._messages)
            return
        self._final_msgs, self._count = msgs, len(msgs)
        self._messages = self._messages[count:]

    def _collect(self) -> None:
        """Make rows of all losses: of the whole, then of its parts in their order."""
        parts, self._parts = self._parts, ()
        first_messages, self._final_msgs = self._final_msgs[: self._count], ()
        if self.prompt and first_messages:
            self.set_place(first_messages[0], self.prompt)
            first_messages = first_messages[1:]
        if first_messages:  # equal messages may be in their places by now: these were written
            self._messages = (*first_messages, *self._messages)
        for part in parts:
            self.include(part)
        super()._collect()


class Cuts:
    """The strategy of a session that has a budget, which goes on from the last cut if it can."""

    def __init__(self, look: Look) -> None:
        self.look: Look = look
        self._onward: Onward | None = None
        self._key: tuple[Any, ...] = ()  # what the tokens of a message depend on beside it
        self._earlier = FinalPart()

    def strategy(self, formatter: RequestFormatter, msgs: list[Msg], schemas: Tools) -> Truncation:
        """The formatter's strategy, or one that finds the same cut of these messages faster."""
        strategy = formatter.truncate
        # thinking that a cut unbinds is left out, so that a longer history may take less
        shrinks = formatter.can.binding == "none" and decomposes(formatter.token_counter)
        if not (shrinks and Onward.knows(strategy)):
            return strategy
        key = (strategy, formatter.token_counter, formatter.max_tokens, formatter.style, schemas)
        onward = self._onward if key == self._key else None
        if onward is None or self._earlier.difference(msgs, look=self.look):
            onward, self._key, self._earlier = Onward(strategy), key, FinalPart()
        self._onward = onward
        self._earlier.add(msgs[len(self._earlier.msgs) :])
        return onward

    def forget(self) -> None:
        """Forget the last cut."""
        self._onward = None


class Tries:
    """What the strategy of one call tries: written and counted as far as it is new."""

    def __init__(self, session: Session, formatter: RequestFormatter) -> None:
        self.session, self.formatter = session, formatter
        self.style = formatter.style.once()
        self.last = WrittenHistory([], FinalPart())

    async def write(self, msgs: list[Msg], report: Report) -> list[JsonObject]:
        """Format a candidate as the formatter does."""
        history = self.session._history(msgs, self.formatter)
        self.last = history.write(msgs, report, self.style)
        return self.last.elements

    def tally(self, tools: list[JsonObject] | None, sync: bool) -> Tally:
        """What counts the candidates with a counter that decomposes."""
        counter = self.formatter._counting()
        overhead = counter.overhead(tools)

        async def count(formatted: list[JsonObject], messages: int) -> int:
            final = self.last.final
            known = len(final.counts)
            figures = await count_each(counter, formatted[known:], sync)
            final_figures = figures[: len(final.elements) - known]
            final.counts += final_figures
            final.tokens += sum(final_figures)
            figures = figures[len(final_figures) :]
            tokens = max(0, overhead + final.tokens + sum(figures))
            each = [*final.counts, *figures]
            return Counted(tokens, each) if len(each) == messages else tokens

        return count


_HISTORIES = 4  # that are held at once: the whole, the one that fits, and tries


@dataclass(frozen=True, slots=True, repr=False)
class Changed(Shown):
    """The first element that is not what it was in the last call: its index, and why."""

    index: int
    why: str


@dataclass(frozen=True, slots=True, repr=False)
class SessionMessages(WrittenMessages):
    """Formatted messages, their losses, and how they differ from those of the last call.

    Attributes:
        changed: The first element that a provider's cache no longer finds; None if the earlier
            elements are as they were.
        kept: How many of the first elements are the very objects of the last call.
    """

    changed: Changed | None = None
    kept: int = 0


class Session:
    """Formats one conversation that grows: each call writes what is new and reuses the rest.

    The result is what the formatter would write; the dicts of earlier elements are the very same
    ones each time, so copy one before you change it. An edited history is noticed by the identity
    of its messages, their texts and blocks, and written anew. An assignment to another field of a
    message that was written is not noticed: put another Msg in its place.

    Whole requests, tools and answers are those of its `formatter`: `format_request`,
    `format_tools`, `call`, `parse_response`.

    Not for several threads at once, by design: each conversation has its own session. Its formatter
    is not changed, and serves any number of sessions.

    Args:
        formatter: The formatter.
        sealed: Whether the caller promises to assign nothing to a message once it was formatted,
            which saves the look into each; another message in its place is noticed all the same.
    """

    def __init__(self, formatter: RequestFormatter, sealed: bool = False) -> None:
        self.formatter = formatter
        self.sealed = sealed
        self._cuts = Cuts("sealed" if sealed else "equal")
        self.forget()

    def __repr__(self) -> str:
        return f"{self.formatter!r}.session()"

    async def format(
        self, msgs: list[Msg] | ChatRequest, *args: Any, **kwargs: Any
    ) -> list[JsonObject]:
        """Format the conversation as the provider takes it.

        Args:
            msgs: The history so far, or a request.
            *args: Nothing that has a value; AgentScope's signature has room for more.
            **kwargs: AgentScope's keywords, which have no effect.

        Returns:
            The formatted messages; earlier ones are the very objects of the last call.

        Raises:
            ConfigError: An argument belongs to a whole request; else the errors of the formatter's
                `format`.
        """
        refuse_options(kwargs, args)
        return (await self._write(msgs, sync=False)).messages

    def format_sync(
        self, msgs: list[Msg] | ChatRequest, *args: Any, **kwargs: Any
    ) -> list[JsonObject]:
        """Format the conversation as `format` does, without an event loop.

        Args:
            msgs: The history so far, or a request.
            *args: Nothing that has a value; AgentScope's signature has room for more.
            **kwargs: AgentScope's keywords, which have no effect.

        Returns:
            The formatted messages.

        Raises:
            ConfigError: A hook or the counter awaits something; else the errors of `format`.
        """
        refuse_options(kwargs, args)
        return self.write(msgs).messages

    def write(self, msgs: list[Msg] | ChatRequest) -> SessionMessages:
        """Format the conversation, and report its losses and what changed since the last call.

        Args:
            msgs: The history so far, or a request.

        Returns:
            The formatted messages, the report and the change.

        Raises:
            ConfigError: A hook or the counter awaits something; else the errors of `format`.
        """
        return drive(self._write(msgs, sync=True), f"{self!r}.format")

    def forget(self) -> None:
        """Forget everything: the next call writes the whole history."""
        self._histories: list[GrowingHistory] = []  # the one that was used last comes first
        self._cuts.forget()
        # what was written last: the final part, so many elements of it, the elements after them
        self._last: tuple[FinalPart, int, list[JsonObject]] = (FinalPart(), 0, [])

    async def _write(self, msgs: list[Msg] | ChatRequest, sync: bool) -> SessionMessages:
        formatter = self.formatter
        if isinstance(msgs, ChatRequest):
            formatter = formatter._seen_by(msgs)
        if formatter._hooks:
            whole = await formatter._write(msgs, sync)
            written = WrittenHistory(whole.messages, FinalPart(), why="it is formatted whole")
            return self._compare_with_last(whole.report, written)
        messages, report = formatter._messages(msgs, JoinedReport)
        assert isinstance(report, JoinedReport)  # which was asked for
        if isinstance(msgs, ChatRequest) and messages is not msgs.messages:
            report.prompt = "$.memories" if msgs.system is None else "$.system"
        if formatter.max_tokens is None:
            written = self._whole(formatter).write(messages, report, formatter.style)
        else:
            tools = msgs.tools if isinstance(msgs, ChatRequest) else None
            written = await self._cut(formatter, messages, tools, report, sync)
        report.join(written, formatter.max_tokens is None)
        formatter._judge(report)
        return self._compare_with_last(report, written)

    def _whole(self, formatter: RequestFormatter) -> GrowingHistory:
        """The one history there is without a budget."""
        if not self._histories or self._histories[0].style != formatter.style:
            self._histories[:] = [self._new_history(formatter, "equal")]
        return self._histories[0]

    def _new_history(self, formatter: RequestFormatter, look: Look) -> GrowingHistory:
        look = "sealed" if self.sealed else look
        return GrowingHistory(formatter.wire, formatter.can, formatter.style, look)

    async def _cut(
        self,
        formatter: RequestFormatter,
        messages: list[Msg],
        tools: Sequence[ToolLike] | None,
        report: JoinedReport,
        sync: bool,
    ) -> WrittenHistory:
        """The messages that fit into the budget, each try of them written as far as it is new."""
        tries = Tries(self, formatter)
        trying: Any = copy(formatter)
        trying._format_all = tries.write
        if decomposes(formatter.token_counter):
            trying._tally = tries.tally
        schemas = formatter._schemas(tools, report)
        trying.truncate = self._cuts.strategy(formatter, messages, schemas)
        _, chosen = await trying._format_cut(messages, report, sync, schemas)
        last = tries.last
        return last if chosen is messages else last._replace(why=last.why or _CUT)

    def _history(self, msgs: list[Msg], formatter: RequestFormatter) -> GrowingHistory:
        """The history that these messages go on from, or a new one."""
        earlier = (each for each in self._histories if each.leads_to(msgs, formatter.style))
        history = next(earlier, None)
        if history is not None:
            self._histories.remove(history)
        else:
            history = self._new_history(formatter, "same")
        self._histories.insert(0, history)
        del self._histories[_HISTORIES:]
        return history

    def _compare_with_last(self, report: Report, written: WrittenHistory) -> SessionMessages:
        """The result, with the first element that differs from the last call's."""
        final, count, elements_before = self._last
        same = count if final is written.final else 0
        if not same:
            elements_before = [*final.elements[:count], *elements_before]
        elements, changed = written.elements, None
        for i, before in enumerate(elements_before, same):
            if elements[i : i + 1] != [before]:
                changed = Changed(i, written.why or "the last turn goes on")
                break
        count = len(written.final.elements)
        self._last = (written.final, count, elements[count:])
        return SessionMessages(elements, report, changed, same)


_CUT = "the history was cut to the token budget"
