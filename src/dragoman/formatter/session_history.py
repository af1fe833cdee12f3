"""Histories of a session: what no later turn changes is written once, the rest with each call.

Of the earlier messages only that is stored which the passes need to write the next ones. Knows no
wire.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from operator import is_
from typing import Any, Literal, NamedTuple, TypeAlias

from ..capabilities import Capabilities
from ..codec.wire import Wire
from ..errors import WriteError
from ..history import pipeline
from ..history.passes import survey
from ..history.passes.lower import calls_of_others
from ..history.passes.survey import ASSISTANT, TOOL, USER, RoledHistory
from ..history.pipeline import FormatStyle, HistoryContext, PreparedHistory
from ..history.speakers import ByName, ByRole, NameField, Tagged
from ..losses import Report
from ..message import CacheHint, Msg, ToolResultBlock, ToolUseBlock
from ..message.blocks import Extras
from ..text.json_text import JsonObject

Look: TypeAlias = Literal["equal", "same", "sealed"]


@dataclass(slots=True)
class FinalPart:
    """Messages that are written for good, and what the passes must know of them for later ones."""

    msgs: list[Msg] = field(default_factory=list)
    contents: list[Any] = field(default_factory=list)  # texts, and copies of the lists of blocks
    with_fields: list[tuple[Msg, CacheHint | None, Extras | None]] = field(default_factory=list)
    elements: list[JsonObject] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)  # tokens of the first elements
    tokens: int = 0  # of those together
    reports: list[Report] = field(default_factory=list)  # those that name a loss
    last_role: int | None = None  # as it is written
    has_user: bool = False  # a message is the user's on the wire
    speakers: dict[str, None] = field(default_factory=dict)  # names, in the order of coming
    tools: dict[str, None] = field(default_factory=dict)  # names of tools that were called
    ids: dict[str, str] = field(default_factory=dict)  # of calls -> as they are spelled
    spellings: set[str] = field(default_factory=set)
    unpaired: set[str] = field(default_factory=set)  # ids of calls and results that do not pair
    unique: set[str] = field(default_factory=set)  # what the protocol says may not come again
    hints: int = 0  # cache hints
    has_frame: bool = False  # a run of conversation was written as one message
    edited: bool = False  # a pass touched a message before an answer
    flags: int = 0  # of the survey

    def add(self, msgs: Sequence[Msg]) -> None:
        """Remember these messages as they are now."""
        self.msgs += msgs
        self.contents += [m.content if type(m.content) is str else [*m.content] for m in msgs]
        self.with_fields += [
            (m, m.cache, m.extras) for m in msgs if m.cache is not None or m.extras is not None
        ]

    def difference(self, msgs: list[Msg], start: int = 0, look: Look = "equal") -> str:
        """How the messages from `start` on differ from these; empty if they begin with them.

        Two comparisons that run in C: the same messages, and in each the same blocks or text; equal
        ones suffice, except for `same`. `sealed` leaves out the second. Cache hints and fields of
        providers are compared where there were some.
        """
        head = msgs[start : start + len(self.msgs)]
        if head == self.msgs and (look == "sealed" or [m.content for m in head] == self.contents):
            if any(m.cache is not c or m.extras is not extras for m, c, extras in self.with_fields):
                return "a field of a message is another one"
            if look != "same" or all(map(is_, head, self.msgs)):
                return ""
        rows = zip(head, self.msgs, self.contents, strict=False)
        for i, (m, before, content) in enumerate(rows, start):
            if m is not before:
                return f"message {i} is another one"
            if m.content != content:
                return f"message {i} says something else"
        return f"the history ends behind message {start + len(head) - 1}"


def find_unpaired(surveyed: RoledHistory) -> set[str]:
    """The ids of calls without a result of their own, and of results without a call."""
    pairs = not surveyed.flags & (survey.PAIRS | survey.CUT)
    if pairs and len(surveyed.calls) == len(surveyed.results):
        return set()
    calls, results = Counter(surveyed.calls), Counter(surveyed.results)
    return {*(calls - results), *(results - calls)}


def has_misnamed_result(surveyed: RoledHistory) -> bool:
    """Whether a result has another name than its call, which the survey may find later on.

    Where calls and results do not pair, it may take the one for another.
    """
    if not surveyed.flags & survey.PAIRS or surveyed.flags & survey.MISNAMED:
        return False
    blocks = [b for m in surveyed.msgs if type(m.content) is not str for b in m.content]
    calls = {(b.id, b.name) for b in blocks if type(b) is ToolUseBlock}
    names = dict(calls)
    results = (b for b in blocks if type(b) is ToolResultBlock)
    return len(names) < len(calls) or any(
        b.name not in ("", names.get(b.id, b.name)) for b in results
    )


def same_spellings(ids: dict[str, str], final: FinalPart, caps: Capabilities) -> bool:
    """Whether the ids would be spelled so after the final part."""
    numbered = caps.ids.unique or caps.ids.form or "" in final.tools
    for id, spelling in ids.items():
        if id in final.unpaired:
            return False
        if id in final.ids:
            if numbered or final.ids[id] != spelling:
                return False
        elif spelling in final.spellings:
            return False
    return True


class NeedsWhole(Exception):
    """A part depends on more than is known of the messages before it."""


def boundary(msgs: list[Msg], start: int, style: FormatStyle, turns: int) -> int:
    """The last place after `start` that so many turns follow; `start` if there is none."""
    for i in range(len(msgs) - 1, max(start, 1), -1):
        if begins_turn(msgs, i, style):
            turns -= 1
            if turns <= 0:
                return i
    return start


def begins_turn(msgs: list[Msg], i: int, style: FormatStyle) -> bool:
    """Whether a turn of the model begins at this place, after a turn of another role.

    No pass changes messages across it, but for what `check_calls` tests.
    """
    if i >= len(msgs) or _role(msgs[i]) != ASSISTANT:
        return False
    role_before = _role(msgs[i - 1])
    if isinstance(style.speakers, ByName):  # a run of conversation is one turn
        return role_before == TOOL or (role_before == USER and bool(msgs[i].calls))
    return role_before in (USER, TOOL)


def _role(m: Msg) -> int | None:
    """The role of the message; None where it must be split, or is unusual in another way."""
    content = m.content
    role = survey.ROLES[m.role]
    if type(content) is str:
        return role if content and not content.isspace() else None
    kinds = set(map(type, content))
    if ToolResultBlock in kinds:
        return TOOL if len(kinds) == 1 else None
    if ToolUseBlock in kinds:
        return ASSISTANT if role == ASSISTANT else None
    return role if kinds else None


def check_calls(history: RoledHistory, caps: Capabilities) -> None:
    """Raise NeedsWhole unless calls, results and their ids are right by themselves."""
    flags = history.flags
    if flags & (survey.PAIRS | survey.CUT | survey.MISNAMED):
        raise NeedsWhole("a call or a result stands alone")
    if not caps.ids.matches_form(history.calls):
        raise NeedsWhole("the ids of calls count them")
    ids_of_messages = ([call.id for call in m.calls] for m in history.msgs)
    if flags & survey.IDS and (
        caps.ids.unique
        or caps.ids.form
        or "" in history.calls
        or any(len(set(ids)) < len(ids) for ids in ids_of_messages)
    ):
        raise NeedsWhole("the id of a call comes again")


def needs_speakers(
    msgs: Sequence[Msg], final: FinalPart, caps: Capabilities, style: FormatStyle
) -> bool:
    """Whether the wire's names of who spoke before must be known to write these messages.

    Raises NeedsWhole for a new name that may change what was written before.
    """
    speakers = style.speakers
    if type(speakers) is ByRole and caps.name_field == "never":
        return False
    new_names = {m.name for m in msgs} - final.speakers.keys()
    names_in_text = isinstance(speakers, (ByName, Tagged))
    if names_in_text and new_names:
        raise NeedsWhole("somebody speaks for the first time")
    rule = speakers.rule if isinstance(speakers, NameField) else caps.speakers
    if (names_in_text and caps.name_field == "never") or rule.fits(
        [*filter(None, (*final.speakers, *new_names))]
    ):
        return False
    if new_names or type(speakers) is not ByRole:
        raise NeedsWhole("a name is respelled")
    return True


def stay_apart(role_before: int | None, first: int, caps: Capabilities, style: FormatStyle) -> bool:
    """Whether neighbours of these roles stay apart: no pass joins them or puts a turn between."""
    if ASSISTANT in (role_before, first):
        return role_before != first
    if isinstance(style.speakers, ByName) and role_before != TOOL:
        return False  # the message between two runs of conversation was left out
    return caps.alternation == "free" and (role_before, first) != (TOOL, TOOL)


def cache_times(msgs: Iterable[Msg]) -> list[str | None]:
    """How long each cache hint of these messages shall hold."""
    nodes: list[Any] = []
    for m in msgs:
        nodes.append(m)
        for block in () if type(m.content) is str else m.content:
            nodes.append(block)
            output = getattr(block, "output", None)
            nodes += output if type(output) is list else ()
    hints = (getattr(node, "cache", None) for node in nodes)
    return [hint.ttl for hint in hints if hint is not None]


_BATCH = 16  # messages that become final at a time: fewer cost more to bind than to write again
_FAULTS = (WriteError, AttributeError, TypeError, KeyError, AssertionError)
_SPEAKERS = (ByRole, ByName, Tagged, NameField)


class WrittenHistory(NamedTuple):
    """A history as it is written: its elements, of which those of the final part come first.

    `reports`: what its parts lose. `why`: what was changed in it since it was written last, or
    keeps it from being written in parts.
    """

    elements: list[JsonObject]
    final: FinalPart
    reports: Sequence[Report] = ()
    why: str = ""


class _WriteJob(NamedTuple):
    """What is to be written: the messages, the report of the whole, this call's style."""

    msgs: list[Msg]
    outer: Report
    style: FormatStyle


class _Part(NamedTuple):
    """Some neighbours among the messages, as they are written."""

    surveyed: RoledHistory
    prepared: PreparedHistory
    elements: list[JsonObject]
    report: Report
    ids: dict[str, str]
    unique: Sequence[str]
    hints: int


class GrowingHistory:
    """One history that grows at its end; another one is written whole. Not for two threads."""

    def __init__(self, wire: Wire, caps: Capabilities, style: FormatStyle, look: Look) -> None:
        self.look: Look = look
        self.wire, self.can, self.room, self.style = wire, caps, wire.room, style
        self.final = FinalPart()
        self._last = FinalPart()  # the messages after those, as they were last
        self._edits: list[tuple[str, object, object]] = []
        # how many of the last turns may still change, by what each pass declares
        speakers_lookback = getattr(style.speakers, "lookback", 0)
        self._turns = max(*pipeline.LOOKBACK.values(), speakers_lookback, self.room.lookback)
        known_style = type(style.speakers) in _SPEAKERS and not style.rewrites
        self._in_parts = known_style and self.room.once([]) is not None

    def leads_to(self, msgs: list[Msg], style: FormatStyle) -> bool:
        """Whether it looks as if the messages went on from this history."""
        earlier = self.final.msgs or self._last.msgs
        if len(earlier) > len(msgs) or self.style != style:
            return False
        return not earlier or (earlier[0] == msgs[0] and earlier[-1] == msgs[len(earlier) - 1])

    def write(self, msgs: list[Msg], outer: Report, style: FormatStyle) -> WrittenHistory:
        """The messages as the formatter writes them.

        `outer`: the report of the whole; `style`: this history's, which knows what was fetched.
        """
        try:
            why = self._difference(msgs, outer)
            written = self._write_parts(_WriteJob(msgs, outer, style))
        except NeedsWhole as reason:
            written, why = None, why or str(reason)
        except _FAULTS:  # writing the whole history gives the error with its place
            written, why = None, "a message cannot be written"
        if written is None:
            elements = self.wire.messages(msgs, self.can, style, outer)
            written = WrittenHistory(elements, FinalPart())
        self._last = FinalPart()
        self._last.add(msgs[len(self.final.msgs) :])
        return written._replace(why=why)

    def _difference(self, msgs: list[Msg], outer: Report) -> str:
        """How the history differs from the one that was written last; empty if it goes on."""
        edits = outer.edits if self.can.binding != "none" else []
        count = len(self.final.msgs)
        why = self.final.difference(msgs, look=self.look) if count else ""
        if edits != self._edits:
            self._edits = [*edits]
            why = why or "what stands before signed thinking is another history"
        if why:
            self.final = FinalPart()
        return why or self._last.difference(msgs, count)

    def _write_parts(self, call: _WriteJob) -> WrittenHistory:
        """The history in parts. Raises NeedsWhole."""
        if not self._in_parts:
            raise NeedsWhole("it is formatted whole")
        start = len(self.final.msgs)
        if len(call.msgs) - start > _BATCH:
            end = boundary(call.msgs, start, self.style, self._turns)
            if end > start:
                self._finish(call, start, end)
        final = self.final
        if not final.msgs:
            raise NeedsWhole
        part = self._part(call, len(call.msgs))
        reports = [*final.reports, part.report] if part.report.kinds else [*final.reports]
        return WrittenHistory([*final.elements, *part.elements], final, reports)

    def _finish(self, call: _WriteJob, start: int, end: int) -> None:
        """Write the messages up to `end` for good; from the first one, if that must be."""
        try:
            part = self._part(call, end)
        except NeedsWhole:
            if not start:
                raise
            self.final = FinalPart()
            part = self._part(call, end)
        final = self.final
        msgs = call.msgs[len(final.msgs) : end]
        heard = msgs
        if part.surveyed.flags & (survey.PAIRS | survey.CUT):  # what was left out was not heard
            heard = pipeline.pair_calls(msgs, self.can, self.style, part.report.trial())
            answered = heard and _role(heard[-1]) in (USER, TOOL)
            if has_misnamed_result(part.surveyed) or not answered:
                raise NeedsWhole("a call or a result stands alone")
        roles_of_part = part.prepared.history.roles
        has_user = final.has_user or USER in roles_of_part
        if roles_of_part[-1] not in (USER, TOOL) or (self.can.needs_user and not has_user):
            raise NeedsWhole("nobody speaks whom the model answers")
        final.has_user = has_user
        final.last_role = roles_of_part[-1]
        final.speakers.update(dict.fromkeys(m.name for m in heard))
        final.add(msgs)
        self._add(final, part)

    def _add(self, final: FinalPart, part: _Part) -> None:
        final.elements += part.elements
        if part.report.kinds:
            final.reports.append(part.report)
        final.tools.update(dict.fromkeys(part.prepared.history.names))
        final.ids.update(part.ids)
        # an id that came twice was spelled as it is, too, before it was numbered
        final.spellings.update(part.ids, part.ids.values(), part.prepared.ids)
        final.unpaired |= find_unpaired(part.surveyed)
        final.unique.update(part.unique)
        final.hints += part.hints
        final.has_frame = final.has_frame or part.report.holds("history.frame")
        final.edited = final.edited or len(part.report.edits) > len(self._edits)
        final.flags |= part.surveyed.flags

    def _part(self, call: _WriteJob, end: int) -> _Part:
        """The messages after the final part up to `end`. Raises NeedsWhole."""
        final, caps, style = self.final, self.can, call.style
        start = len(final.msgs)
        msgs = call.msgs[start:end]
        report = Report(msgs, None, None, call.outer.target)
        report.edits += self._edits
        surveyed = survey.survey(msgs, report.trial())
        if surveyed.calls and calls_of_others(msgs, getattr(style.speakers, "me", None)):
            raise NeedsWhole("another agent's call is told as text")
        times = cache_times(msgs) if surveyed.unusual else []
        context = HistoryContext(last=end == len(call.msgs))
        if start:
            if not begins_turn(call.msgs, start, style):
                raise NeedsWhole("a turn is joined with the one before it")
            names = self._speakers_before(surveyed, msgs, times, style)
            context, style = self._context(context, style, names)
        elif not context.last:
            present = set(
                map(id, msgs)
            )  # every message edited before the passes must be one of these
            if any(id(node) not in present or until is not None for _, node, until in self._edits):
                raise NeedsWhole("what stands before signed thinking is another history")
        prepared = pipeline.prepare_part(msgs, [], caps, style, report, False, context)
        prepared = pipeline.bind_thinking(prepared, caps, style, report, False)
        first = prepared.history.roles[:1]
        if not first or (start and not stay_apart(final.last_role, first[0], caps, style)):
            raise NeedsWhole("a turn is joined with the one before it")
        if start and caps.binding != "none" and len(report.edits) > len(self._edits):
            raise NeedsWhole("a pass touched what stands before an answer")
        elements = self.room.messages(prepared.history, caps, report)
        unique = self.room.once(elements) or ()
        ids = {id: id for id in prepared.history.calls}
        ids |= {id: spelling for spelling, id in prepared.ids.items() if id in ids}
        if not final.unique.isdisjoint(unique) or not same_spellings(ids, final, caps):
            raise NeedsWhole("the id of a call or an item comes again")
        return _Part(surveyed, prepared, elements, report, ids, unique, len(times))

    def _speakers_before(
        self, surveyed: RoledHistory, msgs: list[Msg], times: list[str | None], style: FormatStyle
    ) -> tuple[str, ...]:
        """The speakers of the final part, if these messages need them.

        Raises NeedsWhole if the messages depend on more than is known of the final part.
        """
        final, caps = self.final, self.can
        check_calls(surveyed, caps)
        names = tuple(final.speakers) if needs_speakers(msgs, final, caps, style) else ()
        if final.flags & survey.MISNAMED and not final.tools.keys() >= set(surveyed.names):
            raise NeedsWhole("a tool is called whose name a result bore before")
        if surveyed.flags & self.room.ordered_flags & final.flags:
            raise NeedsWhole("what is counted stands in front, too")
        if final.edited and surveyed.flags & survey.ODD and caps.binding != "none":
            raise NeedsWhole("a pass touched what stands before an answer")
        if times and caps.cache_hints:
            late = caps.cache_longest_first and final.hints and any(times)
            if late or len(times) + final.hints > caps.cache_hints:
                raise NeedsWhole("cache hints give way to later ones")
        return names

    def _context(
        self, context: HistoryContext, style: FormatStyle, names: tuple[str, ...]
    ) -> tuple[HistoryContext, FormatStyle]:
        """What the passes must know of the final part."""
        final = self.final
        context = replace(
            context,
            behind=final.last_role,
            marks=final.hints,
            tools=tuple(final.tools),
            speakers=names,
        )
        speakers = style.speakers
        if isinstance(speakers, (ByName, Tagged)):
            speakers = replace(speakers, known=(*speakers.known, *final.speakers))
            if final.has_frame and isinstance(speakers, ByName):
                speakers = replace(speakers, heading="")
            style = replace(style, speakers=speakers)
        return context, style
