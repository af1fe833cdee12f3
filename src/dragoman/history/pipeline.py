"""The passes over a history, in their order, and the style in which they do it.

`prepare` runs a pass only if the survey of the history, or what the wire can carry, asks for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import isawaitable
from types import MappingProxyType
from typing import Any

from ..capabilities import Capabilities
from ..capabilities.overrides import vary
from ..errors import ConfigError
from ..losses import Report
from ..message import AsRead, Base64Source, Msg, ServerTool, Source, Tool
from ..message.blocks import JOINT
from ..message.known_tools import run_step
from .passes.apply_name_rules import name_tools, respell_history
from .passes.argument_names import property_spellings
from .passes.client_items import plain_items, split_joint_calls
from .passes.fetching import Fetch, insert_fetched, media_to_fetch
from .passes.late_system import move_late_system
from .passes.lower import fit, fit_media, tell_others
from .passes.lower.blocks import drop_blanks
from .passes.lower.state import Saver, shortest_minutes
from .passes.message_order import alternate_roles, join_calls, order
from .passes.plain_tools import map_wire_names, plain_calls, plain_tools
from .passes.repair import drop_unfinished_calls, repair
from .passes.survey import (
    BLANK,
    CUT,
    LATE,
    MEDIA,
    NAMED,
    ODD,
    PAIRS,
    SYSTEM,
    UNNAMED,
    RoledHistory,
    survey,
)
from .passes.thinking_after_edits import first_change, keep_bound_thinking
from .speakers import ByName, ByRole, Rewrite, Tagged, clean_names
from .system_prompt import SystemPrompt
from .wording import Wording


@dataclass(frozen=True, slots=True)
class FormatStyle:
    """How a history is written: how it names speakers, the added texts, what may be fetched."""

    speakers: Rewrite = field(default_factory=ByRole)
    rewrites: Sequence[Rewrite] = ()  # a tuple, once it is made
    prompt: SystemPrompt = field(default_factory=SystemPrompt)
    wording: Wording = field(default_factory=Wording)
    fetch: Fetch | None = None
    fetch_read: bool = False  # web addresses in a user's messages that were read from a body too
    saver: Saver | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)
    insert_turns: bool = True  # in a plain list too; a request always has the turns it needs

    def __post_init__(self) -> None:
        given: object = self.rewrites
        rewrites = given if isinstance(given, (tuple, list)) else (given,)
        for rewrite in (self.speakers, *rewrites):
            if not callable(rewrite):
                text = f"{type(rewrite).__name__} is no rewrite of messages"
                hint = "speakers=ByName(), or a function (msgs, report) -> msgs"
                raise ConfigError(text, hint=hint, code="formatter.rewrite")
        object.__setattr__(self, "rewrites", tuple(self.rewrites))
        if getattr(self.fetch, "of_read", False):
            object.__setattr__(self, "fetch_read", True)

    def seen_by(self, agent: str | None) -> FormatStyle:
        """The style from an agent's point of view, unless the speakers have a `me` already."""
        speakers = self.speakers
        if agent is None or not isinstance(speakers, (ByName, Tagged)) or speakers.me is not None:
            return self
        return replace(self, speakers=replace(speakers, me=agent))

    def once(self) -> FormatStyle:
        """The style for several tries at one history: each medium is fetched and saved once."""
        results: dict[tuple[str, int], Any] = {}
        fetch, saver = self.fetch, self.saver

        def fetch_once(source: Source, path: str) -> Base64Source | None:
            key = ("fetched", id(source))
            if key not in results:
                results[key] = fetch(source, path) if fetch is not None else None
            data: Base64Source | None = results[key]
            return data

        def save_once(media_type: str, data: str) -> str:
            key = (media_type, id(data))
            if key not in results:
                results[key] = saver(media_type, data) if saver is not None else ""
            path: str = results[key]
            return path

        return replace(
            # one that takes several at once remembers them itself
            self,
            fetch=fetch if fetch is None or hasattr(fetch, "many") else fetch_once,
            saver=save_once if saver is not None else None,
        )


# How many of the last turns each pass may still change when the history goes on. Speakers and
# rooms declare theirs themselves; a change of earlier turns, because of something that came late,
# is reported by the pass (`Report.note_edit`).
LOOKBACK: Mapping[str, int] = MappingProxyType(
    {
        "items": 0,
        "finished": 0,
        "fetched": 0,
        "repair": 1,  # calls at the end wait for their results
        "blanks": 0,
        "names": 0,  # the first to come keeps a spelling
        "late_system": 1,  # a system message at the end waits for the next speaker
        "lower": 0,
        "order": 1,  # the last turn may be joined, added, or trimmed
        "bind": 0,
    }
)


@dataclass(slots=True)
class PreparedHistory:
    """What the passes give to the protocol: history, tools, and the names and ids of the wire."""

    history: RoledHistory
    tools: Sequence[Tool | ServerTool]
    names: dict[str, str] = field(default_factory=dict)  # tool names as the wire spells them
    ids: dict[str, str] = field(default_factory=dict)  # wire ids -> the tree's
    properties: dict[str, dict[str, str]] = field(default_factory=dict)  # by tool, likewise
    # names of functions -> the tools that they replace
    original_tools: dict[str, Tool] = field(default_factory=dict)
    unbound: int | None = None  # from which message on the provider shall drop thinking itself


@dataclass(frozen=True, slots=True)
class HistoryContext:
    """What passes that see a part of a history alone must know of the messages around it."""

    behind: int | None = None  # the role of the message before it
    last: bool = True  # no message follows it
    open_start: bool = False  # calls that its results answer may come before it
    ids: frozenset[str] = frozenset()  # ids of calls before it, which keep their spelling
    marks: int = 0  # how many cache hints come before it
    tools: tuple[str, ...] = ()  # names of the tools that were called before it, in order
    speakers: tuple[str, ...] = ()  # who spoke before it


_ALONE = HistoryContext()
_OPEN = HistoryContext(open_start=True)


def prepare(
    msgs: list[Msg],
    tools: Sequence[Tool | ServerTool],
    caps: Capabilities,
    style: FormatStyle,
    report: Report,
    whole: bool,
    open_start: bool = False,
    read: AsRead | None = None,
) -> PreparedHistory:
    """The history as this wire can carry it.

    `whole`: it is a request, not a plain list; `open_start`: the provider keeps what came before.
    `read` is what the reader of the messages knows of them.
    """
    context = _OPEN if open_start else _ALONE
    surveyed = read.surveyed if read is not None else None
    prepared = prepare_part(msgs, tools, caps, style, report, whole, context, surveyed)
    if caps.binding != "none" and prepared.history.unusual:
        return bind_thinking(prepared, caps, style, report, whole)
    return prepared


def bind_thinking(
    prepared: PreparedHistory, caps: Capabilities, style: FormatStyle, report: Report, whole: bool
) -> PreparedHistory:
    """Drop thinking that is bound to another history.

    This pass comes last, and looks at the history from its start.
    """
    before = prepared.history
    tools = prepared.tools if whole else None
    prepared.history, prepared.unbound = keep_bound_thinking(before, tools, caps, report)
    if prepared.history is not before and caps.alternation != "free":  # a turn may be gone
        insert = whole or style.insert_turns
        prepared.history = alternate_roles(prepared.history, caps, report, style.wording, insert)
    return prepared


def prepare_part(
    msgs: list[Msg],
    tools: Sequence[Tool | ServerTool],
    caps: Capabilities,
    style: FormatStyle,
    report: Report,
    whole: bool,
    context: HistoryContext,
    surveyed: object = None,
) -> PreparedHistory:
    """All passes but the last over a part of a history, which may be all of it.

    `surveyed` is what a survey of these messages would find, if their reader found it already.
    """
    caps = _within(caps, tools, whole)
    for rewrite in style.rewrites:
        msgs = _rewrite_messages(msgs, rewrite, caps, report)
    if type(surveyed) is RoledHistory and surveyed.msgs is msgs:
        history = surveyed
    else:
        history = survey(msgs, report)
    history = _runnable(history, caps, report)
    if history.flags & MEDIA and style.fetch is not None:
        history = _fetch_media(history, caps, style.fetch, style.fetch_read, report)
    if history.flags & (PAIRS | UNNAMED | ODD):
        history = repair(history, caps, report, style.wording, context.open_start)
    if type(style.speakers) is not ByRole:
        history = _rewrite_speakers(history, caps, style, report)
    if history.flags & BLANK:
        history = drop_blanks(history, caps, report)
    if history.flags & NAMED:
        history = _name_fields(history, caps, report, context.speakers)
    prepared = PreparedHistory(history, tools)
    if history.calls or tools:
        history = _name_tools(prepared, caps, style.wording, report, context.tools)
        prepared.properties = run_step(_spell_properties, tools, report, caps)
        history, prepared.ids = respell_history(
            history, caps, prepared.names, report, context.ids, prepared.properties
        )
    after_others = context.behind is not None or history.roles[1:2] == [SYSTEM]
    if caps.late_system != "keep" and (history.flags & LATE or after_others):
        history = move_late_system(history, caps, report, style.wording, context.behind)
    if history.unusual or not caps.tool_messages or caps.call_text == "drop":
        hints = [tool.cache for tool in tools if type(tool) is Tool and tool.cache is not None]
        hints = hints if caps.cached_tools else []
        lasts = shortest_minutes(hints, caps) if hints else None
        count = len(hints) + context.marks
        history = fit(history, caps, report, style.wording, style.saver, count, lasts)
    insert = whole or style.insert_turns
    prepared.history = order(
        history, caps, report, style.wording, whole, insert, context.behind, context.last
    )
    return prepared


def _runnable(history: RoledHistory, caps: Capabilities, report: Report) -> RoledHistory:
    """The history with calls that the wire has, and none that broke off."""
    if history.flags & ODD:
        history = plain_items(history, caps, report)
    if not JOINT.isdisjoint(history.names):
        history = split_joint_calls(history, report)
    return drop_unfinished_calls(history, report) if history.flags & CUT else history


def _within(caps: Capabilities, tools: Sequence[Tool | ServerTool], whole: bool) -> Capabilities:
    """The capabilities of what is written: documents beside the messages need a whole request."""
    if not caps.apart_documents or (whole and not tools):
        return caps
    return vary(caps, user=caps.user - {"document"})


def _name_tools(
    prepared: PreparedHistory,
    caps: Capabilities,
    wording: Wording,
    report: Report,
    called_before: tuple[str, ...],
) -> RoledHistory:
    """The history with calls of what the wire has; the tools and their names go to `prepared`."""
    history, offered = prepared.history, prepared.tools
    tools, original_tools = run_step(_plain_tools, offered, report, caps, wording)
    if original_tools or history.flags & ODD:
        history = plain_calls(history, offered, original_tools, caps, report)
    called = [*called_before, *history.names] if called_before else history.names
    prepared.tools, prepared.names = name_tools(tools, called, caps.tool_names, report)
    if original_tools:
        prepared.original_tools = map_wire_names(original_tools, prepared.names, offered)
        names = {
            tool.name: name for name, tool in prepared.original_tools.items() if name != tool.name
        }
        prepared.names = names | prepared.names
    return history


def _plain_tools(
    tools: Sequence[Tool | ServerTool], caps: Capabilities, wording: Wording, report: Report
) -> tuple[Sequence[Tool | ServerTool], dict[str, Tool]]:
    """The step of `plain_tools`, with the report as its last argument."""
    return plain_tools(tools, caps, report, wording)


def _spell_properties(
    tools: Sequence[Tool | ServerTool], caps: Capabilities, _: Report
) -> dict[str, dict[str, str]]:
    """The step of `property_spellings`, which reports nothing."""
    return property_spellings(tools, caps)


def pair_calls(
    msgs: list[Msg], caps: Capabilities, style: FormatStyle, report: Report
) -> list[Msg]:
    """The messages with their calls and results paired, before they are grouped for hooks.

    Ids and names are respelled and later system messages moved first, for the hook of a group does
    not see the other groups.
    """
    history = survey(msgs, report)
    history = _runnable(history, caps, report)
    if history.flags & (PAIRS | UNNAMED | ODD):
        history = repair(history, caps, report, style.wording)
    if history.calls:
        _, names = name_tools([], history.names, caps.tool_names, report)
        history, _ = respell_history(history, caps, names, report)
        if caps.join_calls:
            history = join_calls(history, report)
    history = _describe_others(history, style, report)
    if not isinstance(style.speakers, ByName):
        history = move_late_system(history, caps, report, style.wording)
    return history.msgs


def _rewrite_messages(
    msgs: list[Msg], rewrite: Rewrite, caps: Capabilities, report: Report
) -> list[Msg]:
    rewritten = rewrite(msgs, report)
    if caps.binding != "none" and rewritten is not msgs:
        first = first_change(rewritten, msgs)
        if first is not None:
            name = getattr(rewrite, "__name__", None) or type(rewrite).__name__
            report.note_edit(f"the rewrite {name}", first)
    return rewritten


def wanted_media(
    msgs: Sequence[Msg], caps: Capabilities, style: FormatStyle, report: Report
) -> list[tuple[Source, str]]:
    """Which media of the messages would be fetched, each with its path: for who fetches ahead."""
    if style.fetch is None:
        return []
    return _list_media(survey(list(msgs), report), caps, style.fetch_read, report)


def _list_media(
    history: RoledHistory, caps: Capabilities, of_read: bool, report: Report
) -> list[tuple[Source, str]]:
    if not history.flags & MEDIA:
        return []
    once = {id(source): source for source in media_to_fetch(history, caps, of_read)}
    return [(source, report.locate(source)) for source in once.values()]


def _fetch_media(
    history: RoledHistory, caps: Capabilities, fetch: Fetch, of_read: bool, report: Report
) -> RoledHistory:
    wanted = _list_media(history, caps, of_read, report)
    # a fetcher that takes several at once, as MediaFetcher does
    many = getattr(fetch, "many", None) if len(wanted) > 1 else None
    found = many(wanted) if many is not None else [fetch(*one) for one in wanted]
    fetched: dict[int, Base64Source] = {}
    for (source, _), given in zip(wanted, found, strict=True):
        if (data := _check_fetched(given)) is not None:
            fetched[id(source)] = data
    return insert_fetched(history, fetched, report) if fetched else history


def _check_fetched(data: object) -> Base64Source | None:
    """What a fetch gave, which must be the bytes or None. Raises ConfigError for anything else."""
    if data is None or isinstance(data, Base64Source):
        return data
    hint = "fetch(source, path) -> Base64Source(media_type, data) or None"
    if isawaitable(data):
        getattr(data, "close", bool)()  # it is never awaited
        hint += "; nothing is awaited here, so fetch before, and give Base64Source in the messages"
    raise ConfigError(
        f"fetch must give a Base64Source or None, not {type(data).__name__}",
        hint=hint,
        code="fetch.result",
    )


def _rewrite_speakers(
    history: RoledHistory, caps: Capabilities, style: FormatStyle, report: Report
) -> RoledHistory:
    speakers = style.speakers
    history = _describe_others(history, style, report)
    if history.flags & MEDIA and isinstance(speakers, ByName):
        history = fit_media(history, caps, report, style.wording, speakers.unshown)
    msgs = speakers(history.msgs, report)
    return history if msgs is history.msgs else survey(msgs, report)


def _describe_others(history: RoledHistory, style: FormatStyle, report: Report) -> RoledHistory:
    """The history in which only the agent whose point of view it is makes calls."""
    speakers = style.speakers
    if not history.calls or not isinstance(speakers, (ByName, Tagged)) or speakers.me is None:
        return history
    msgs = tell_others(history.msgs, speakers.me, report, style.wording)
    return history if msgs is history.msgs else survey(msgs, report)


def _name_fields(
    history: RoledHistory, caps: Capabilities, report: Report, before: tuple[str, ...]
) -> RoledHistory:
    """Names as the wire's name field takes them; without one, each name is a loss."""
    if caps.name_field == "never":
        report.add_losses("name.unsupported", _names(tuple(history.msgs)))
        return history
    cleaned = clean_names(history.msgs, caps.speakers, report, before)
    if cleaned is not history.msgs:
        history = replace(history, msgs=cleaned)
    return history


def _names(msgs: tuple[Msg, ...]) -> Iterator[tuple[object, str, str]]:
    return ((m, "name", m.name) for m in msgs if m.name and m.name != m.role)
