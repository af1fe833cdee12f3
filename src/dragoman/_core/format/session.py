"""The report of a history that was written in parts, each of which has its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, TypeAlias

from ...losses import Loss, Report
from ...message import ChatRequest, Msg, messages_of, places
from ...rewrite.truncate import Counted, Truncation
from ...rewrite.truncate.onward import Onward
from ..counters.base import decomposes
from ..jsontext import JsonObject
from ..redaction import Shown
from .base import Asking, WrittenMessages, drive
from .budget import Tally
from .growing import Growing, Look, Said, Settled


class Joined(Report):
    """Names its own losses, then those of its parts: they join it when somebody asks.

    `prompt` is the path of what the first message was made of, if a request made it.
    """

    __slots__ = ("_given", "_parts", "_settled", "prompt")

    def __init__(self, messages: Sequence[Msg], request: ChatRequest | None, target: str) -> None:
        super().__init__(messages, request, places, target)
        self._parts: Sequence[Report] = ()
        self._given: Sequence[Msg] = ()
        self._settled = 0
        self.prompt = ""

    def join(self, parts: Sequence[Report], settled_: Settled, is_whole: bool) -> None:
        """Take what these parts lose, without a look at it.

        `is_whole`: all messages stand where they stand in the parts; else some were cut out.
        """
        self._parts = parts
        for part in parts:
            self.kinds |= part.kinds
        if not parts:
            return
        # what is settled only grows at its end, so that a number of messages is as good as a copy
        settled = len(settled_.given) - bool(self.prompt) if is_whole else 0
        if settled <= 0:
            self._messages = tuple(self._messages)
            return
        self._given, self._settled = settled_.given, len(settled_.given)
        self._messages = self._messages[settled:]

    @property
    def losses(self) -> list[Loss]:
        """All losses: of the whole, then of its parts in their order."""
        parts, self._parts = self._parts, ()
        first_messages, self._given = self._given[: self._settled], ()
        if self.prompt and first_messages:
            self.placed(first_messages[0], self.prompt)
            first_messages = first_messages[1:]
        if first_messages:  # equal messages may stand there by now: these were written
            self._messages = (*first_messages, *self._messages)
        for part in parts:
            self.include(part)
        return super().losses


class Cuts:
    """The strategy of a session that has a budget, which goes on from the last cut if it can."""

    def __init__(self, look: Look) -> None:
        self.look: Look = look
        self._onward: Onward | None = None
        self._asked: tuple[Any, ...] = ()  # what the tokens of a message depend on beside it
        self._seen = Settled()

    def strategy(
        self, formatter: Asking, msgs: list[Msg], schemas: list[JsonObject] | None
    ) -> Truncation:
        """The formatter's strategy, or one that says the same of these messages with less work."""
        strategy = formatter.truncate
        # thinking that a cut unbinds is left out, so that a longer history may take less
        shrinks = formatter.can.binding == "none" and decomposes(formatter.token_counter)
        if not (shrinks and Onward.knows(strategy)):
            return strategy
        key = (strategy, formatter.token_counter, formatter.max_tokens, formatter.style, schemas)
        earlier = self._seen.given
        if self._onward is None or key != self._asked or self._seen.differs(msgs, look=self.look):
            self._onward, self._asked, self._seen = Onward(strategy), key, Settled()
            earlier = self._seen.given
        self._seen.take(msgs[len(earlier) :])
        return self._onward

    def forget(self) -> None:
        """Let go of everything."""
        self._onward = None


Of: TypeAlias = Callable[[list[Msg], Asking], Growing]


class Tries:
    """What the strategy of one call tries: written and counted as far as it is new."""

    def __init__(self, of: Of, formatter: Asking) -> None:
        self.of, self.formatter = of, formatter
        self.style = formatter.style.once()
        self.last = Said([], [], Settled(), "")

    async def said(self, msgs: list[Msg], report: Report) -> list[JsonObject]:
        """A candidate as the formatter writes it."""
        history = self.of(msgs, self.formatter)
        self.last = history.said(msgs, report, self.style)
        return self.last.elements

    def tally(self, tools: list[JsonObject] | None, sync: bool) -> Tally:
        """What counts the candidates with a counter that decomposes."""
        counter = self.formatter._counting()
        overhead = counter.overhead(tools)

        async def counted(formatted: list[JsonObject], messages: int) -> int:
            held = self.last.held
            count = len(held.counts)
            uncounted = formatted[count:]
            figures = (
                counter.count_each_sync(uncounted) if sync else await counter.count_each(uncounted)
            )
            settled = figures[: len(held.elements) - count]
            held.counts += settled
            held.tokens += sum(settled)
            figures = figures[len(settled) :]
            tokens = max(0, overhead + held.tokens + sum(figures))
            each = [*held.counts, *figures]
            return Counted(tokens, each) if len(each) == messages else tokens

        return counted


_HISTORIES = 4  # that are held at once: the whole, the one that fits, and tries


@dataclass(frozen=True, slots=True, repr=False)
class Changed(Shown):
    """The first element that is not what it was in the last call: its index, and why."""

    index: int
    why: str


@dataclass(frozen=True, slots=True, repr=False)
class SessionMessages(WrittenMessages):
    """Formatted messages, their losses, and what a session knows of those before.

    `changed`: what a provider's cache no longer finds; None if the earlier elements are as they
    were. `kept`: so many of the first elements are the very objects of the last call.
    """

    changed: Changed | None = None
    kept: int = 0


class Session:
    """Formats one conversation that grows: each call writes what is new, and hands on the rest.

    What comes out is what the formatter would write; the dicts of earlier elements are the very
    same ones each time, so copy one before you change it. An edited history is noticed by the
    identity of its messages, their texts and blocks, and written anew; of the other fields of a
    message that was written, assigning one is not seen: put another Msg in its place. `sealed` is
    the caller's word that nothing at all is assigned to a message once it was formatted, which
    saves the look into each; other messages in its list are noticed all the same.

    Not for several threads at once, by design: each conversation has its own session. Its formatter
    stays as it was, and serves any number of them.
    """

    def __init__(self, formatter: Asking, sealed: bool = False) -> None:
        self.formatter = formatter
        self.sealed = sealed
        self._histories: list[Growing] = []  # the one that was used last comes first
        self._cuts = Cuts("sealed" if sealed else "equal")
        # what was written last: what was settled, so many elements, and the elements behind them
        self._last: tuple[Settled, int, list[JsonObject]] = (Settled(), 0, [])

    def __repr__(self) -> str:
        return f"{self.formatter!r}.session()"

    async def format(self, msgs: list[Msg] | ChatRequest, **kwargs: Any) -> list[JsonObject]:
        """The messages as the provider takes them; keyword arguments have no effect.

        Raises what the formatter's own `format` raises.
        """
        return (await self._write(msgs, sync=False)).messages

    def format_sync(self, msgs: list[Msg] | ChatRequest, **kwargs: Any) -> list[JsonObject]:
        """The same without an event loop. Raises ConfigError if a hook or counter awaits."""
        return self.write(msgs).messages

    def write(self, msgs: list[Msg] | ChatRequest) -> SessionMessages:
        """The messages with their losses, and what has changed since the last call."""
        return drive(self._write(msgs, sync=True), f"{self!r}.format")

    def forget(self) -> None:
        """Let go of everything: the next call writes the whole."""
        self._histories.clear()
        self._cuts.forget()
        self._last = (Settled(), 0, [])

    async def _write(self, msgs: list[Msg] | ChatRequest, sync: bool) -> SessionMessages:
        formatter = self.formatter
        if isinstance(msgs, ChatRequest):
            formatter = _seen_by(formatter, msgs)
        if formatter._hooks:
            written = await formatter._write(msgs, sync)  # type: ignore[arg-type]  # it takes both
            return self._told(written.report, Said(written.messages, [], Settled(), _WHOLE))
        messages, report = _listed(formatter, msgs)
        uncut = formatter.max_tokens is None
        if uncut:
            written_history = self._whole(formatter).said(messages, report, formatter.style)
        else:
            written_history = await self._cut(formatter, msgs, messages, report, sync)
        report.join(written_history.reports, written_history.held, uncut)
        formatter._policy.judge(report, formatter._logged)
        return self._told(report, written_history)

    def _whole(self, formatter: Asking) -> Growing:
        """The one history there is without a budget."""
        if not self._histories or self._histories[0].style != formatter.style:
            look: Look = "sealed" if self.sealed else "equal"
            self._histories[:] = [Growing(formatter.wire, formatter.can, formatter.style, look)]
        return self._histories[0]

    async def _cut(
        self,
        formatter: Asking,
        msgs: list[Msg] | ChatRequest,
        messages: list[Msg],
        report: Joined,
        sync: bool,
    ) -> Said:
        """The messages that fit into the budget, each try of them written as far as it is new."""
        tries = Tries(self._of, formatter)
        trying: Any = copy(formatter)
        trying._said = tries.said
        if decomposes(formatter.token_counter):
            trying._tally = tries.tally
        tools = msgs.tools if isinstance(msgs, ChatRequest) else None
        schemas = formatter._schemas(tools, report)
        trying.truncate = self._cuts.strategy(formatter, messages, schemas)
        _, chosen = await trying._fitted(messages, report, sync, schemas)
        last = tries.last
        return last if chosen is messages else last._replace(why=last.why or _CUT)

    def _of(self, msgs: list[Msg], formatter: Asking) -> Growing:
        """The history that these messages go on from, or a new one."""
        history = next(
            (each for each in self._histories if each.leads_to(msgs, formatter.style)), None
        )
        if history is not None:
            self._histories.remove(history)
        else:
            look: Look = "sealed" if self.sealed else "same"
            history = Growing(formatter.wire, formatter.can, formatter.style, look)
        self._histories.insert(0, history)
        del self._histories[_HISTORIES:]
        return history

    def _told(self, report: Report, written: Said) -> SessionMessages:
        """The result, with what tells it from the one before."""
        settled, count, elements_before = self._last
        same = count if settled is written.held else 0
        if not same:
            elements_before = [*settled.elements[:count], *elements_before]
        elements, changed = written.elements, None
        for i, before in enumerate(elements_before, same):
            if elements[i : i + 1] != [before]:
                changed = Changed(i, written.why or _GROWN)
                break
        count = len(written.held.elements)
        self._last = (written.held, count, elements[count:])
        return SessionMessages(elements, report, changed, same)


def _seen_by(formatter: Asking, req: ChatRequest) -> Asking:
    """The formatter from the point of view of the request's agent."""
    style = formatter.style.seen_by(req.agent_name)
    if style is formatter.style:
        return formatter
    view = copy(formatter)
    view.style = style
    return view


def _listed(formatter: Asking, msgs: list[Msg] | ChatRequest) -> tuple[list[Msg], Joined]:
    """The messages, and a report on them."""
    name = formatter.wire.name
    if isinstance(msgs, ChatRequest):
        report = Joined(msgs.messages, msgs, name)
        report.rules = formatter._rule
        messages = formatter.wire.with_prompt(msgs, formatter.style, formatter.can, report)
        if messages is not msgs.messages:
            report.prompt = "$.memories" if msgs.system is None else "$.system"
        return messages, report
    messages = msgs if type(msgs) is list else messages_of(msgs)
    report = Joined(messages, None, name)
    report.rules = formatter._rule
    return messages, report


_WHOLE = "it is formatted whole"


_CUT = "the history was cut to the token budget"


_GROWN = "the last turn goes on"
