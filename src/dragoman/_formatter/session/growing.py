"""Growing: one history as it was written last, and the least that must be written when it grows.

The part that no later turn changes is written once (`Settled`), the rest with every call, both by
the passes and the room that write the whole. What they cannot know is asked of `calm`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from ..._wire import Manner, Wire
from ..._wire.passes import Between, Seating, arranged, bound
from ...capabilities import Capabilities
from ...errors import WriteError
from ...jsontext import JsonObject
from ...losses import Report
from ...message import Msg
from ...rewrite.speakers import ByName, ByRole, NameField, Tagged
from ...seats import CUT, MISNAMED, ODD, PAIRS, TOOL, USER, Seated, survey
from .calm import Unsettled, begins, boundary, calm, ends, hints, lookback, neighbours, speaking
from .ids import apart, hidden, odd, spelled
from .settled import Look, Settled

__all__ = ["Growing", "Said"]

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
    manner: Manner


class Part(NamedTuple):
    """Some neighbours among the messages, as they are written."""

    surveyed: Seated
    made: Seating
    elements: list[JsonObject]
    report: Report
    ids: dict[str, str]
    once: Sequence[str]
    hints: int


class Growing:
    """One history that grows at its end; another one is written whole. Not for two threads."""

    def __init__(self, wire: Wire, can: Capabilities, manner: Manner, look: Look = "equal") -> None:
        self.look: Look = look
        self.wire, self.can, self.room, self.manner = wire, can, wire.room, manner
        self.settled = Settled()
        self._seen = Settled()  # the messages behind those, as they were last
        self._edits: list[Edit] = []
        self._turns = lookback(self.manner, self.room.lookback)
        known = type(self.manner.speakers) in _SPEAKERS and not self.manner.rewrites
        self._parts = known and self.room.once([]) is not None

    def leads_to(self, msgs: list[Msg], manner: Manner) -> bool:
        """Whether it looks as if the messages went on from this history."""
        given = self.settled.given or self._seen.given
        if len(given) > len(msgs) or self.manner != manner:
            return False
        return not given or (given[0] == msgs[0] and given[-1] == msgs[len(given) - 1])

    def said(self, msgs: list[Msg], outer: Report, manner: Manner) -> Said:
        """The messages as the formatter writes them.

        `outer`: the report of the whole; `manner`: this history's, which knows what was fetched.
        """
        try:
            why = self._differs(msgs, outer)
            made = self._grown(_Call(msgs, outer, manner))
        except Unsettled as reason:
            made, why = None, why or str(reason)
        except _FAULTS:  # what is wrong is told with the whole history in sight
            made, why = None, "a message cannot be written"
        if made is None:
            made = Said(self.wire.messages(msgs, self.can, manner, outer), [], Settled(), "")
        self._seen = Settled()
        self._seen.take(msgs[len(self.settled.given) :])
        return made._replace(why=why)

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
            end = boundary(call.msgs, start, self.manner, self._turns)
            if end > start:
                self._settle(call, start, end)
        held = self.settled
        if not held.given:
            raise Unsettled
        part = self._part(call, held, len(call.msgs))
        reports = [*held.reports, part.report] if part.report.kinds else [*held.reports]
        return Said([*held.elements, *part.elements], reports, held, "")

    def _settle(self, call: _Call, start: int, end: int) -> None:
        """Write the messages up to `end` for good; from the first one, if that must be."""
        held = self.settled
        try:
            part = self._part(call, held, end)
        except Unsettled:
            if not start:
                raise
            held = self.settled = Settled()
            part = self._part(call, held, end)
        msgs = call.msgs[len(held.given) : end]
        heard = msgs
        if part.surveyed.flags & (PAIRS | CUT):  # what was left out was not heard
            heard = self.wire.paired(msgs, self.can, self.manner, part.report.trial())
            if hidden(part.surveyed) or not heard or not ends(heard[-1]):
                raise Unsettled("a call or a result stands alone")
        seats = part.made.seated.seats
        if seats[-1] not in (USER, TOOL) or (
            self.can.needs_user and not held.user and USER not in seats
        ):
            raise Unsettled("nobody speaks whom the model answers")
        held.user = held.user or USER in seats
        held.behind = seats[-1]
        held.speakers.update(dict.fromkeys(m.name for m in heard))
        self._take(held, part, msgs)

    def _take(self, held: Settled, part: Part, msgs: list[Msg]) -> None:
        held.take(msgs)
        held.elements += part.elements
        if part.report.kinds:
            held.reports.append(part.report)
        held.tools.update(dict.fromkeys(part.made.seated.names))
        held.ids.update(part.ids)
        # an id that came twice was spelled as it is, too, before it was numbered
        held.spellings.update(part.ids, part.ids.values(), part.made.ids)
        held.odd |= odd(part.surveyed)
        held.once.update(part.once)
        held.hints += part.hints
        held.told = held.told or part.report.holds("history.frame")
        held.edited = held.edited or len(part.report.edits) > len(self._edits)
        held.flags |= part.surveyed.flags

    def _part(self, call: _Call, held: Settled, end: int) -> Part:
        """The messages behind the settled ones up to `end`. Raises Unsettled."""
        start, can = len(held.given), self.can
        msgs = call.msgs[start:end]
        report = self._report(msgs, call.outer)
        surveyed = survey(msgs, report.trial())
        ttls = hints(msgs) if surveyed.dirty else []
        between = Between(last=end == len(call.msgs))
        manner = call.manner
        if start:
            if not begins(call.msgs, start, manner):
                raise Unsettled("a turn is joined with the one before it")
            between, manner = self._behind(surveyed, msgs, ttls, held, between, manner)
        elif self._edits and not self._edited_in(msgs, between.last):
            raise Unsettled("what stands before signed thinking is another history")
        made = arranged(msgs, [], can, manner, report, False, between)
        made = bound(made, can, manner, report, False)
        seats = made.seated.seats
        if not seats or (start and not neighbours(held.behind, seats[0], can, manner)):
            raise Unsettled("a turn is joined with the one before it")
        if start and can.binding != "none" and len(report.edits) > len(self._edits):
            raise Unsettled("a pass touched what stands before an answer")
        elements = self.room.messages(made.seated, can, report)
        once = self.room.once(elements) or ()
        ids = spelled(made)
        if not held.once.isdisjoint(once) or not apart(ids, held, can):
            raise Unsettled("the id of a call or an item comes again")
        return Part(surveyed, made, elements, report, ids, once, len(ttls))

    def _behind(
        self, surveyed: Seated, msgs: list[Msg], ttls: list[str | None], held: Settled,
        between: Between, manner: Manner,
    ) -> tuple[Between, Manner]:  # fmt: skip
        """What the passes must know of the settled messages. Raises Unsettled for more."""
        can = self.can
        calm(surveyed, can)
        named = speaking(msgs, held, can, manner)
        if held.flags & MISNAMED and not held.tools.keys() >= set(surveyed.names):
            raise Unsettled("a tool is called whose name a result bore before")
        if surveyed.flags & self.room.counted & held.flags:
            raise Unsettled("what is counted stands in front, too")
        if held.edited and surveyed.flags & ODD and can.binding != "none":
            raise Unsettled("a pass touched what stands before an answer")
        if ttls and can.cache_hints:
            late = can.cache_longest_first and held.hints and any(ttls)
            if late or len(ttls) + held.hints > can.cache_hints:
                raise Unsettled("cache hints give way to later ones")
        between = replace(
            between, behind=held.behind, marks=held.hints, tools=tuple(held.tools),
            speakers=tuple(held.speakers) if named else (),
        )  # fmt: skip
        speakers = manner.speakers
        if isinstance(speakers, (ByName, Tagged)):
            speakers = replace(speakers, known=(*speakers.known, *held.speakers))
            if held.told and isinstance(speakers, ByName):
                speakers = replace(speakers, heading="")
            manner = replace(manner, speakers=speakers)
        return between, manner

    def _edited_in(self, msgs: list[Msg], last: bool) -> bool:
        """Whether all that was edited before the passes stands in these first messages."""
        here = set(map(id, msgs))
        return last or all(id(node) in here and until is None for _, node, until in self._edits)

    def _report(self, msgs: list[Msg], outer: Report) -> Report:
        report = Report(msgs, None, None, outer.target)
        report.edits += self._edits
        return report
