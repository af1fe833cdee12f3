"""FormatStyle: how a history is said. Who speaks, what is added in which words, what may be fetched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from ...capabilities import Capabilities
from ...errors import ConfigError
from ...losses import Report
from ...message import AsRead, Base64Source, Msg, ServerTool, Source, Tool
from ...rewrite.prompt import SystemPrompt
from ...rewrite.speakers import ByName, ByRole, Rewrite, Tagged, clean_names
from ..passes.fetching import Fetch, placed, wanted
from ..passes.fit import fit, fit_media
from ..passes.fit.blocks import blanks
from ..passes.fit.state import Saver, least
from ..passes.names import name_tools, respell
from ..passes.order import alternated, late_system, order
from ..passes.repair import finished, repair
from ..passes.roles import BLANK, CUT, MEDIA, NAMED, ODD, PAIRS, UNNAMED, RoledHistory, survey
from ..passes.thinking_binding import bind, first_change
from ..wording import Told


@dataclass(frozen=True, slots=True)
class FormatStyle:
    """How a history is said: who speaks, what is added in which words, what may be fetched."""

    speakers: Rewrite = field(default_factory=ByRole)
    rewrites: Sequence[Rewrite] = ()  # a tuple, once it is made
    prompt: SystemPrompt = field(default_factory=SystemPrompt)
    told: Told = field(default_factory=Told)
    fetch: Fetch | None = None
    saver: Saver | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)
    insert_turns: bool = True  # in a plain list too; a request always has the turns it needs

    def __post_init__(self) -> None:
        listed: object = self.rewrites
        for one in (self.speakers, *(listed if isinstance(listed, (tuple, list)) else (listed,))):
            if not callable(one):
                raise ConfigError(
                    f"{type(one).__name__} is no rewrite of messages",
                    hint="speakers=ByName(), or a function (msgs, report) -> msgs",
                    code="formatter.rewrite",
                )
        object.__setattr__(self, "rewrites", tuple(self.rewrites))

    def seen_by(self, agent: str | None) -> FormatStyle:
        """The same from an agent's point of view, where the speakers name nobody as oneself."""
        speakers = self.speakers
        if agent is None or not isinstance(speakers, (ByName, Tagged)) or speakers.me is not None:
            return self
        return replace(self, speakers=replace(speakers, me=agent))

    def once(self) -> FormatStyle:
        """The same for several tries at one history: each medium is fetched and saved once."""
        made: dict[tuple[str, int], Any] = {}
        fetch, saver = self.fetch, self.saver

        def fetched(source: Source, path: str) -> Base64Source | None:
            key = ("fetched", id(source))
            if key not in made:
                made[key] = fetch(source, path) if fetch is not None else None
            found: Base64Source | None = made[key]
            return found

        def saved(media_type: str, data: str) -> str:
            key = (media_type, id(data))
            if key not in made:
                made[key] = saver(media_type, data) if saver is not None else ""
            place: str = made[key]
            return place

        return replace(
            self, fetch=fetched if fetch is not None else None,
            saver=saved if saver is not None else None,
        )  # fmt: skip


# How many of the last turns each pass may still say otherwise once the history goes on. What
# speakers and rooms may, they declare themselves; what a pass does to earlier turns, because of
# something that came late, it tells the report.
LOOKBACK: Mapping[str, int] = MappingProxyType({
    "finished": 0,
    "fetched": 0,
    "repair": 1,  # calls at the end wait for their results
    "blanks": 0,
    "names": 0,  # the first to come keeps a spelling
    "late_system": 1,  # a system message at the end waits for who speaks next
    "fit": 0,
    "order": 1,  # the last turn may be joined, made up, or trimmed
    "bind": 0,
})  # fmt: skip


@dataclass(slots=True)
class PreparedHistory:
    """What the passes made: the seated history, the tools, and the names and ids of the wire."""

    history: RoledHistory
    tools: Sequence[Tool | ServerTool]
    names: dict[str, str] = field(default_factory=dict)  # tool names as the wire spells them
    ids: dict[str, str] = field(default_factory=dict)  # wire ids -> the tree's
    unbound: int | None = None  # from which message on the provider shall drop thinking itself


@dataclass(frozen=True, slots=True)
class HistoryContext:
    """What stands around a part of a history that is arranged by itself."""

    behind: int | None = None  # the seat of what stands before it
    last: bool = True  # nothing stands behind it
    open_start: bool = False  # calls that its results answer may stand before it
    ids: frozenset[str] = frozenset()  # which stand there, so that they keep their spelling
    marks: int = 0  # cache hints that stand there
    tools: tuple[str, ...] = ()  # names of the tools that were called before, in order
    speakers: tuple[str, ...] = ()  # who spoke before


_ALONE = HistoryContext()


_OPEN = HistoryContext(open_start=True)


def seat(
    msgs: list[Msg],
    tools: Sequence[Tool | ServerTool],
    caps: Capabilities,
    manner: FormatStyle,
    report: Report,
    whole: bool,
    open_start: bool = False,
    read: AsRead | None = None,
) -> PreparedHistory:
    """The history as this wire may say it.

    `whole`: it is a request, not a plain list; `open_start`: what came before is the provider's.
    `read` is what whoever read the messages knows of them.
    """
    between = _OPEN if open_start else _ALONE
    known = read.surveyed if read is not None else None
    made = arranged(msgs, tools, caps, manner, report, whole, between, known)
    return bound(made, caps, manner, report, whole)


def bound(
    made: PreparedHistory, caps: Capabilities, manner: FormatStyle, report: Report, whole: bool
) -> PreparedHistory:
    """The same without thinking that is bound to another history."""
    history = made.history
    made.history, made.unbound = bind(history, made.tools if whole else None, caps, report)
    if made.history is not history and caps.alternation != "free":  # a turn may be gone
        insert = whole or manner.insert_turns
        made.history = alternated(made.history, caps, report, manner.told, insert)
    return made


def arranged(
    msgs: list[Msg],
    tools: Sequence[Tool | ServerTool],
    caps: Capabilities,
    manner: FormatStyle,
    report: Report,
    whole: bool,
    between: HistoryContext,
    known: object = None,
) -> PreparedHistory:
    """All passes but the last, which looks at the history from its start.

    `known` is what a survey of these messages would find, if somebody found it already.
    """
    for rewrite in manner.rewrites:
        msgs = _rewritten(msgs, rewrite, caps, report)
    history = known if type(known) is RoledHistory and known.msgs is msgs else survey(msgs, report)
    if history.flags & CUT:
        history = finished(history, report)
    if history.flags & MEDIA and manner.fetch is not None:
        history = _fetched(history, caps, manner.fetch, report)
    if history.flags & (PAIRS | UNNAMED | ODD):
        history = repair(history, caps, report, manner.told, between.open_start)
    if type(manner.speakers) is not ByRole:
        history = _spoken(history, caps, manner, report)
    if history.flags & BLANK:
        history = blanks(history, caps, report)
    if history.flags & NAMED:
        history = _speakers(history, caps, report, between.speakers)
    made = PreparedHistory(history, tools)
    if history.calls or tools:
        called = [*between.tools, *history.names] if between.tools else history.names
        made.tools, made.names = name_tools(tools, called, caps.tool_names, report)
        history, made.ids = respell(history, caps, made.names, report, between.ids)
    history = late_system(history, caps, report, manner.told, between.behind)
    if history.dirty or not caps.tool_messages or caps.call_text == "drop":
        marks = [one.cache for one in tools if isinstance(one, Tool) and one.cache is not None]
        marks = marks if caps.cached_tools else []
        lasts = least(marks, caps) if marks else None
        there = len(marks) + between.marks
        history = fit(history, caps, report, manner.told, manner.saver, there, lasts)
    insert = whole or manner.insert_turns
    made.history = order(
        history, caps, report, manner.told, whole, insert, between.behind, between.last
    )
    return made


def paired(msgs: list[Msg], caps: Capabilities, manner: FormatStyle, report: Report) -> list[Msg]:
    """The messages with their calls and results paired, before anybody groups them.

    Ids and names are respelled and later system messages told in time: no group knows what stands
    in another.
    """
    history = survey(msgs, report)
    if history.flags & CUT:
        history = finished(history, report)
    if history.flags & (PAIRS | UNNAMED | ODD):
        history = repair(history, caps, report, manner.told)
    if history.calls:
        _, names = name_tools([], history.names, caps.tool_names, report)
        history, _ = respell(history, caps, names, report)
    if not isinstance(manner.speakers, ByName):
        history = late_system(history, caps, report, manner.told)
    return history.msgs


def _rewritten(msgs: list[Msg], rewrite: Rewrite, caps: Capabilities, report: Report) -> list[Msg]:
    made = rewrite(msgs, report)
    if caps.binding != "none" and made is not msgs:
        first = first_change(made, msgs)
        if first is not None:
            name = getattr(rewrite, "__name__", None) or type(rewrite).__name__
            report.touched(f"the rewrite {name}", first)
    return made


def _fetched(
    history: RoledHistory, caps: Capabilities, fetch: Fetch, report: Report
) -> RoledHistory:
    fetched: dict[int, Base64Source] = {}
    for source in wanted(history, caps):
        if id(source) not in fetched:
            found = fetch(source, report.locate(source))
            if found is not None:
                fetched[id(source)] = found
    return placed(history, fetched, report) if fetched else history


def _spoken(
    history: RoledHistory, caps: Capabilities, manner: FormatStyle, report: Report
) -> RoledHistory:
    speakers = manner.speakers
    if history.flags & MEDIA and isinstance(speakers, ByName):
        history = fit_media(history, caps, report, manner.told, speakers.unshown)
    spoken = speakers(history.msgs, report)
    return history if spoken is history.msgs else survey(spoken, report)


def _speakers(
    history: RoledHistory, caps: Capabilities, report: Report, before: tuple[str, ...]
) -> RoledHistory:
    """Names as the wire's name field takes them; without one, each name is a loss."""
    if caps.name_field == "never":
        report.each("name.unsaid", _unsaid(tuple(history.msgs)))
        return history
    cleaned = clean_names(history.msgs, caps.speakers, report, before)
    if cleaned is not history.msgs:
        history = replace(history, msgs=cleaned)
    return history


def _unsaid(msgs: tuple[Msg, ...]) -> Iterator[tuple[object, str, str]]:
    return ((m, "name", m.name) for m in msgs if m.name and m.name != m.role)
