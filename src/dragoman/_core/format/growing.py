"""Settled: the messages of a session that no later turn changes, and what was written of them.

What the passes would know of them when they say the next messages, and nothing else. Knows no wire.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from operator import is_
from typing import Any, Literal, NamedTuple, TypeAlias

from ...capabilities import Capabilities
from ...errors import WriteError
from ...losses import Report
from ...losses.codes.code import Kind
from ...message import Msg, ToolResultBlock, ToolUseBlock
from ...message.blocks import CacheHint, Extras
from ...rewrite.speakers import ByName, ByRole, NameField, Tagged
from ..exchange.pipeline import (
    LOOKBACK,
    FormatStyle,
    HistoryContext,
    PreparedHistory,
    bind_thinking,
    prepare_part,
)
from ..exchange.wire import Wire
from ..jsontext import JsonObject
from ..passes.roles import (
    ASSISTANT,
    CUT,
    IDS,
    MISNAMED,
    ODD,
    PAIRS,
    SYSTEM,
    TOOL,
    USER,
    RoledHistory,
    survey,
)

Look: TypeAlias = Literal["equal", "same", "sealed"]


@dataclass(slots=True)
class Settled:
    """Messages that are written for good, and what those behind them must know of them."""

    given: list[Msg] = field(default_factory=list)
    contents: list[Any] = field(default_factory=list)  # texts, and copies of the lists of blocks
    marked: list[tuple[Msg, CacheHint | None, Extras | None]] = field(default_factory=list)
    elements: list[JsonObject] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)  # tokens of the first elements
    tokens: int = 0  # of those together
    reports: list[Report] = field(default_factory=list)  # those that name a loss
    kinds: set[Kind] = field(default_factory=set)
    behind: int | None = None  # the last seat, as it is written
    user: bool = False  # somebody speaks who is the user there
    speakers: dict[str, None] = field(default_factory=dict)  # names, in the order of coming
    tools: dict[str, None] = field(default_factory=dict)  # names of tools that were called
    ids: dict[str, str] = field(default_factory=dict)  # of calls -> as they are spelled
    spellings: set[str] = field(default_factory=set)
    odd: set[str] = field(default_factory=set)  # ids of calls and results that do not pair
    once: set[str] = field(default_factory=set)  # what the room says may not come again
    hints: int = 0  # cache hints
    told: bool = False  # a run of conversation was told as one message
    edited: bool = False  # a pass touched what stands before an answer
    flags: int = 0  # of the survey

    def take(self, msgs: Sequence[Msg]) -> None:
        """Remember these messages as they are now."""
        self.given += msgs
        self.contents += [m.content if type(m.content) is str else [*m.content] for m in msgs]
        self.marked += [
            (m, m.cache, m.extras) for m in msgs if m.cache is not None or m.extras is not None
        ]

    def differs(self, msgs: list[Msg], start: int = 0, look: Look = "equal") -> str:
        """What tells the messages from `start` on from these; empty if they go on from them.

        Two looks that C takes: the same messages, and in each the same blocks or text; equal ones
        do as well, except for `same`. `sealed` leaves out the second look. Cache hints and fields
        of providers are looked at where there were some.
        """
        head = msgs[start : start + len(self.given)]
        if head == self.given and (look == "sealed" or [m.content for m in head] == self.contents):
            if any(
                m.cache is not hint or m.extras is not fields_ for m, hint, fields_ in self.marked
            ):
                return "a field of a message is another one"
            if look != "same" or all(map(is_, head, self.given)):
                return ""
        rows = zip(head, self.given, self.contents, strict=False)
        for i, (m, before, content) in enumerate(rows, start):
            if m is not before:
                return f"message {i} is another one"
            if m.content != content:
                return f"message {i} says something else"
        return f"the history ends behind message {start + len(head) - 1}"


def odd(surveyed: RoledHistory) -> set[str]:
    """The ids of calls without a result of their own, and of results without a call."""
    if not surveyed.flags & (PAIRS | CUT) and len(surveyed.calls) == len(surveyed.results):
        return set()
    calls, results = Counter(surveyed.calls), Counter(surveyed.results)
    return {*(calls - results), *(results - calls)}


def hidden(surveyed: RoledHistory) -> bool:
    """Whether a result has another name than its call, which the survey may find later on.

    Where calls and results do not pair, it may take the one for another.
    """
    if not surveyed.flags & PAIRS or surveyed.flags & MISNAMED:
        return False
    blocks = [b for m in surveyed.msgs if type(m.content) is not str for b in m.content]
    calls = {(b.id, b.name) for b in blocks if type(b) is ToolUseBlock}
    names = dict(calls)
    results = (b for b in blocks if type(b) is ToolResultBlock)
    return len(names) < len(calls) or any(
        b.name not in ("", names.get(b.id, b.name)) for b in results
    )


def spelled(prepared: PreparedHistory) -> dict[str, str]:
    """The ids of the calls -> as they are spelled."""
    ids = dict(zip(prepared.history.calls, prepared.history.calls, strict=True))
    for spelling, id in prepared.ids.items():
        if id in ids:
            ids[id] = spelling
    return ids


def apart(ids: dict[str, str], settled: Settled, caps: Capabilities) -> bool:
    """Whether the ids would be spelled so behind those that are settled."""
    fixed = caps.ids.unique or caps.ids.form or "" in settled.tools
    for id, spelling in ids.items():
        if id in settled.odd:
            return False
        if id in settled.ids:
            if fixed or settled.ids[id] != spelling:
                return False
        elif spelling in settled.spellings:
            return False
    return True


_SEATS = {"system": SYSTEM, "developer": SYSTEM, "user": USER, "assistant": ASSISTANT, "tool": USER}


class Unsettled(Exception):
    """A part says something that depends on more than is known of what stands before it."""


def lookback(style: FormatStyle, room: int) -> int:
    """How many of the last turns may still change, by what each pass declares."""
    speakers = getattr(style.speakers, "lookback", 0)
    return max(*LOOKBACK.values(), speakers, room)


def boundary(msgs: list[Msg], start: int, style: FormatStyle, turns: int) -> int:
    """The last place behind `start` with so many turns behind it; `start` if there is none."""
    for i in range(len(msgs) - 1, max(start, 1), -1):
        if begins(msgs, i, style):
            turns -= 1
            if turns <= 0:
                return i
    return start


def begins(msgs: list[Msg], i: int, style: FormatStyle) -> bool:
    """Whether a turn of the model's begins at this place, behind one of somebody else.

    No pass reaches over it, but for what is asked of `calm`.
    """
    if i >= len(msgs) or _seat(msgs[i]) != ASSISTANT:
        return False
    role_before = _seat(msgs[i - 1])
    if isinstance(style.speakers, ByName):  # a run of conversation is one turn
        return role_before == TOOL or (role_before == USER and _calls(msgs[i]))
    return role_before in (USER, TOOL)


def ends(m: Msg) -> bool:
    """Whether the model's turn may begin behind the message."""
    return _seat(m) in (USER, TOOL)


def _seat(m: Msg) -> int | None:
    """Who says the message; None where that must be cut, or is odd in another way."""
    content = m.content
    role = _SEATS[m.role]
    if type(content) is str:
        return role if content and not content.isspace() else None
    kinds = set(map(type, content))
    if ToolResultBlock in kinds:
        return TOOL if len(kinds) == 1 else None
    if ToolUseBlock in kinds:
        return ASSISTANT if role == ASSISTANT else None
    return role if kinds else None


def _calls(m: Msg) -> bool:
    return type(m.content) is not str and any(type(b) is ToolUseBlock for b in m.content)


def calm(history: RoledHistory, caps: Capabilities) -> None:
    """Raise Unsettled unless calls, results and their ids are right by themselves."""
    flags = history.flags
    if flags & (PAIRS | CUT | MISNAMED):
        raise Unsettled("a call or a result stands alone")
    if not caps.ids.formed(history.calls):
        raise Unsettled("the ids of calls count them")
    if flags & IDS and (
        caps.ids.unique or caps.ids.form or "" in history.calls or _twice(history.msgs)
    ):
        raise Unsettled("the id of a call comes again")


def _twice(msgs: Iterable[Msg]) -> bool:
    """Whether two calls of one message have one id."""
    for m in msgs:
        ids = [call.id for call in m.calls]
        if len(set(ids)) < len(ids):
            return True
    return False


def speaking(msgs: Sequence[Msg], settled: Settled, caps: Capabilities, style: FormatStyle) -> bool:
    """Whether the wire's names of who spoke before must be known to say these messages.

    Raises Unsettled for a new name that may change what was said before.
    """
    speakers = style.speakers
    if type(speakers) is ByRole and caps.name_field == "never":
        return False
    new_names = {m.name for m in msgs} - settled.speakers.keys()
    names_in_text = isinstance(speakers, (ByName, Tagged))
    if names_in_text and new_names:
        raise Unsettled("somebody speaks for the first time")
    rule = speakers.rule if isinstance(speakers, NameField) else caps.speakers
    if (names_in_text and caps.name_field == "never") or rule.fits(
        [*filter(None, (*settled.speakers, *new_names))]
    ):
        return False
    if new_names or type(speakers) is not ByRole:
        raise Unsettled("a name is respelled")
    return True


def neighbours(role_before: int | None, first: int, caps: Capabilities, style: FormatStyle) -> bool:
    """Whether these two seats stay apart: nothing joins them, or stands between them."""
    if ASSISTANT in (role_before, first):
        return role_before != first
    if isinstance(style.speakers, ByName) and role_before != TOOL:
        return False  # what stood between two runs of conversation was left out
    return caps.alternation == "free" and (role_before, first) != (TOOL, TOOL)


def hints(msgs: Iterable[Msg]) -> list[str | None]:
    """How long each cache hint of these messages shall hold."""
    hints = []
    for m in msgs:
        hints.append(m.cache)
        if type(m.content) is not str:
            for block in m.content:
                hints.append(getattr(block, "cache", None))
                output = getattr(block, "output", None)
                if type(output) is list:
                    hints += [getattr(part, "cache", None) for part in output]
    return [hint.ttl for hint in hints if hint is not None]


_BATCH = 16  # messages that are settled at a time: fewer cost more to bind than to write again


_FAULTS = (WriteError, AttributeError, TypeError, KeyError, AssertionError)


_SPEAKERS = (ByRole, ByName, Tagged, NameField)


Edit: TypeAlias = tuple[str, object, object]


class Said(NamedTuple):
    """A history as it is written: its elements, of which those that are settled come first.

    `reports`: what its parts lose. `why`: what was changed in it since it was written last, or
    keeps it from being written in parts.
    """

    elements: list[JsonObject]
    reports: list[Report]
    held: Settled
    why: str


class _Call(NamedTuple):
    """What `said` is given."""

    msgs: list[Msg]
    outer: Report
    style: FormatStyle


class Part(NamedTuple):
    """Some neighbours among the messages, as they are written."""

    surveyed: RoledHistory
    made: PreparedHistory
    elements: list[JsonObject]
    report: Report
    ids: dict[str, str]
    once: Sequence[str]
    hints: int


class Growing:
    """One history that grows at its end; another one is written whole. Not for two threads."""

    def __init__(
        self, wire: Wire, caps: Capabilities, style: FormatStyle, look: Look = "equal"
    ) -> None:
        self.look: Look = look
        self.wire, self.can, self.room, self.style = wire, caps, wire.room, style
        self.settled = Settled()
        self._seen = Settled()  # the messages behind those, as they were last
        self._edits: list[Edit] = []
        self._turns = lookback(self.style, self.room.lookback)
        plain_style = type(self.style.speakers) in _SPEAKERS and not self.style.rewrites
        self._parts = plain_style and self.room.once([]) is not None

    def leads_to(self, msgs: list[Msg], style: FormatStyle) -> bool:
        """Whether it looks as if the messages went on from this history."""
        earlier = self.settled.given or self._seen.given
        if len(earlier) > len(msgs) or self.style != style:
            return False
        return not earlier or (earlier[0] == msgs[0] and earlier[-1] == msgs[len(earlier) - 1])

    def said(self, msgs: list[Msg], outer: Report, style: FormatStyle) -> Said:
        """The messages as the formatter writes them.

        `outer`: the report of the whole; `style`: this history's, which knows what was fetched.
        """
        try:
            why = self._differs(msgs, outer)
            written = self._grown(_Call(msgs, outer, style))
        except Unsettled as reason:
            written, why = None, why or str(reason)
        except _FAULTS:  # what is wrong is told with the whole history in sight
            written, why = None, "a message cannot be written"
        if written is None:
            written = Said(self.wire.messages(msgs, self.can, style, outer), [], Settled(), "")
        self._seen = Settled()
        self._seen.take(msgs[len(self.settled.given) :])
        return written._replace(why=why)

    def _differs(self, msgs: list[Msg], outer: Report) -> str:
        """What tells the history from the one that was written last; empty if it goes on."""
        edits = outer.edits if self.can.binding != "none" else []
        count = len(self.settled.given)
        why = self.settled.differs(msgs, look=self.look) if count else ""
        if edits != self._edits:
            self._edits = [*edits]
            why = why or "what stands before signed thinking is another history"
        if why:
            self.settled = Settled()
        return why or self._seen.differs(msgs, count)

    def _grown(self, call: _Call) -> Said:
        """The history in parts. Raises Unsettled."""
        if not self._parts:
            raise Unsettled("it is formatted whole")
        start = len(self.settled.given)
        if len(call.msgs) - start > _BATCH:
            end = boundary(call.msgs, start, self.style, self._turns)
            if end > start:
                self._settle(call, start, end)
        settled = self.settled
        if not settled.given:
            raise Unsettled
        part = self._part(call, settled, len(call.msgs))
        reports = [*settled.reports, part.report] if part.report.kinds else [*settled.reports]
        return Said([*settled.elements, *part.elements], reports, settled, "")

    def _settle(self, call: _Call, start: int, end: int) -> None:
        """Write the messages up to `end` for good; from the first one, if that must be."""
        settled = self.settled
        try:
            part = self._part(call, settled, end)
        except Unsettled:
            if not start:
                raise
            settled = self.settled = Settled()
            part = self._part(call, settled, end)
        msgs = call.msgs[len(settled.given) : end]
        heard = msgs
        if part.surveyed.flags & (PAIRS | CUT):  # what was left out was not heard
            heard = self.wire.paired(msgs, self.can, self.style, part.report.trial())
            if hidden(part.surveyed) or not heard or not ends(heard[-1]):
                raise Unsettled("a call or a result stands alone")
        seats = part.made.history.roles
        if seats[-1] not in (USER, TOOL) or (
            self.can.needs_user and not settled.user and USER not in seats
        ):
            raise Unsettled("nobody speaks whom the model answers")
        settled.user = settled.user or USER in seats
        settled.behind = seats[-1]
        settled.speakers.update(dict.fromkeys(m.name for m in heard))
        self._take(settled, part, msgs)

    def _take(self, settled: Settled, part: Part, msgs: list[Msg]) -> None:
        settled.take(msgs)
        settled.elements += part.elements
        if part.report.kinds:
            settled.reports.append(part.report)
        settled.tools.update(dict.fromkeys(part.made.history.names))
        settled.ids.update(part.ids)
        # an id that came twice was spelled as it is, too, before it was numbered
        settled.spellings.update(part.ids, part.ids.values(), part.made.ids)
        settled.odd |= odd(part.surveyed)
        settled.once.update(part.once)
        settled.hints += part.hints
        settled.told = settled.told or part.report.holds("history.frame")
        settled.edited = settled.edited or len(part.report.edits) > len(self._edits)
        settled.flags |= part.surveyed.flags

    def _part(self, call: _Call, settled: Settled, end: int) -> Part:
        """The messages behind the settled ones up to `end`. Raises Unsettled."""
        start, caps = len(settled.given), self.can
        msgs = call.msgs[start:end]
        report = self._report(msgs, call.outer)
        surveyed = survey(msgs, report.trial())
        ttls = hints(msgs) if surveyed.unusual else []
        between = HistoryContext(last=end == len(call.msgs))
        style = call.style
        if start:
            if not begins(call.msgs, start, style):
                raise Unsettled("a turn is joined with the one before it")
            between, style = self._behind(surveyed, msgs, ttls, settled, between, style)
        elif self._edits and not self._edited_in(msgs, between.last):
            raise Unsettled("what stands before signed thinking is another history")
        result = prepare_part(msgs, [], caps, style, report, False, between)
        result = bind_thinking(result, caps, style, report, False)
        seats = result.history.roles
        if not seats or (start and not neighbours(settled.behind, seats[0], caps, style)):
            raise Unsettled("a turn is joined with the one before it")
        if start and caps.binding != "none" and len(report.edits) > len(self._edits):
            raise Unsettled("a pass touched what stands before an answer")
        elements = self.room.messages(result.history, caps, report)
        once = self.room.once(elements) or ()
        ids = spelled(result)
        if not settled.once.isdisjoint(once) or not apart(ids, settled, caps):
            raise Unsettled("the id of a call or an item comes again")
        return Part(surveyed, result, elements, report, ids, once, len(ttls))

    def _behind(
        self, surveyed: RoledHistory, msgs: list[Msg], ttls: list[str | None], settled: Settled,
        between: HistoryContext, style: FormatStyle,
    ) -> tuple[HistoryContext, FormatStyle]:  # fmt: skip
        """What the passes must know of the settled messages. Raises Unsettled for more."""
        caps = self.can
        calm(surveyed, caps)
        renamed = speaking(msgs, settled, caps, style)
        if settled.flags & MISNAMED and not settled.tools.keys() >= set(surveyed.names):
            raise Unsettled("a tool is called whose name a result bore before")
        if surveyed.flags & self.room.ordered_flags & settled.flags:
            raise Unsettled("what is counted stands in front, too")
        if settled.edited and surveyed.flags & ODD and caps.binding != "none":
            raise Unsettled("a pass touched what stands before an answer")
        if ttls and caps.cache_hints:
            late = caps.cache_longest_first and settled.hints and any(ttls)
            if late or len(ttls) + settled.hints > caps.cache_hints:
                raise Unsettled("cache hints give way to later ones")
        between = replace(
            between, behind=settled.behind, marks=settled.hints, tools=tuple(settled.tools),
            speakers=tuple(settled.speakers) if renamed else (),
        )  # fmt: skip
        speakers = style.speakers
        if isinstance(speakers, (ByName, Tagged)):
            speakers = replace(speakers, known=(*speakers.known, *settled.speakers))
            if settled.told and isinstance(speakers, ByName):
                speakers = replace(speakers, heading="")
            style = replace(style, speakers=speakers)
        return between, style

    def _edited_in(self, msgs: list[Msg], last: bool) -> bool:
        """Whether all that was edited before the passes stands in these first messages."""
        ids = set(map(id, msgs))
        return last or all(id(node) in ids and until is None for _, node, until in self._edits)

    def _report(self, msgs: list[Msg], outer: Report) -> Report:
        report = Report(msgs, None, None, outer.target)
        report.edits += self._edits
        return report
