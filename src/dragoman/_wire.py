"""Wire: the one place that strings passes, room and losses together.

A wire is a room bound to a dialect, with the facts of models and of one host. It opens nothing:
what it needs from the world comes in as functions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from .capabilities import Capabilities, Fact, Facts, override
from .errors import WriteError
from .fit import Saver, fit, fit_media, fit_tools
from .jsontext import JsonObject
from .losses import Policy, PolicyLike, Report
from .losses import policy as policy_of
from .media import Fetch, placed, wanted
from .message import Base64Source, ChatRequest, Msg, Source, Tool, Written, places
from .names import name_tools, respell
from .order import late_system, order
from .repair import blanks, repair
from .rewrite.prompt import SystemPrompt
from .rewrite.speakers import ByName, ByRole, Rewrite, Tagged, clean_names
from .room import Room, SayableRequest
from .seats import BLANK, MEDIA, NAMED, PAIRS, UNNAMED, Seated, checked, survey
from .told import Told

__all__ = ["Manner", "Wire"]


@dataclass(frozen=True, slots=True)
class Manner:
    """How a history is said: who speaks, what is added in which words, what may be fetched."""

    speakers: Rewrite = field(default_factory=ByRole)
    rewrites: tuple[Rewrite, ...] = ()
    prompt: SystemPrompt = field(default_factory=SystemPrompt)
    told: Told = field(default_factory=Told)
    fetch: Fetch | None = None
    saver: Saver | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)
    insert_turns: bool = True  # in a plain list too; a request always has the turns it needs

    def seen_by(self, agent: str | None) -> Manner:
        """The same from an agent's point of view, where the speakers name nobody as oneself."""
        if agent is None or not isinstance(self.speakers, Tagged) or self.speakers.me is not None:
            return self
        return replace(self, speakers=replace(self.speakers, me=agent))

    def once(self) -> Manner:
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


_PLAIN = Manner()
_FAULTS = (AttributeError, TypeError, KeyError, AssertionError)


class Wire:
    """One provider's way of talking: `write_request` turns a ChatRequest into what it takes.

    Immutable and shareable across threads. `name` is what `dragoman.wire()` was asked for.
    """

    __slots__ = ("_can", "_logged", "facts", "name", "policy", "room", "vendor")

    def __init__(
        self,
        name: str,
        room: Room,
        *,
        vendor: Any = None,
        facts: tuple[Facts, ...] = (),
        policy: PolicyLike = "log",
    ) -> None:
        self.name = name
        self.room = room
        self.vendor = vendor
        self.facts = facts
        self.policy: Policy = policy_of(policy)
        self._logged: set[str] = set()
        self._can: dict[str | None, Capabilities] = {}

    @property
    def dialect(self) -> Any:
        """What this vendor does its own way."""
        return getattr(self.room, "dialect", None)

    def __repr__(self) -> str:
        return f"Wire({self.name!r})"

    def can(self, model: str | None = None) -> Capabilities:
        """What this wire carries for `model`; without one, what every current model accepts."""
        known = self._can.get(model)
        if known is None:
            known = self.room.can()
            bare = _bare(model) if model else None
            for facts in self.facts:
                known = facts.apply(known, bare)
            self._can[model] = known
        return known

    def known(self, model: str) -> list[Fact]:
        """The facts that hold for `model`, each with its date and source."""
        bare = _bare(model)
        return [fact for facts in self.facts if (fact := facts.about(bare)) is not None]

    def write_request(
        self,
        req: ChatRequest,
        model: str | None = None,
        *,
        manner: Manner = _PLAIN,
        policy: Policy | None = None,
        report: Report | None = None,
    ) -> Written:
        """The request as the provider takes it: body, path, headers, losses.

        `model` wins over the request's own. Raises WriteError for what cannot be sent at all,
        LossRefused where the policy says so.
        """
        report = report or Report(req.messages, req, places, self.name)
        named = model or req.model
        if named is None:
            named = self.room.model
            report.lost("model.default", req, "model", did=named)
        can = self.can(named)
        if manner.changes:
            can = override(can, manner.changes)
        tools = self.offered(req.tools, can, report)
        msgs = self.with_prompt(req, manner, can, report)
        manner = manner.seen_by(req.agent_name)
        try:
            seated, tools, names, ids = self.seat(msgs, tools, can, manner, report, whole=True)
            if not seated.msgs:
                raise WriteError(
                    "there is nothing to send", path="$.messages",
                    hint="add a user message", code="messages.empty",
                )  # fmt: skip
            say = SayableRequest(seated, tools, req, named, can, names)
            out = self.room.write(say, report)
        except _FAULTS:
            checked(req.messages, report)  # names what was put into a message after it was made
            raise
        (policy or self.policy).judge(report, self._logged)
        return Written(out.body, out.path, out.headers, named, ids, report=report)

    def offered(self, tools: list[Tool], can: Capabilities, report: Report) -> list[Tool]:
        """The tools that are sent: none where the model takes none."""
        if tools and not can.tools:
            for tool in tools:
                report.lost("tools.unsaid", tool, what=tool.name)
            return []
        return fit_tools(tools, can, report)

    def with_prompt(
        self, req: ChatRequest, manner: Manner, can: Capabilities, report: Report
    ) -> list[Msg]:
        """The messages, behind the system prompt that the request's other fields make."""
        described = req.tools if manner.prompt.describes(can.tools) else []
        if req.system is None and req.memories is None and not described:
            return req.messages
        text = manner.prompt.build(req.system, described, req.memories)
        if described:
            report.lost("prompt.tools", req, "tools")
        if req.memories is not None:
            report.lost("prompt.memories", req, "memories")
        made = Msg.trusted("", text.lstrip("\n") if req.system is None else text, "system")
        report.placed(made, "$.memories" if req.system is None else "$.system")
        return [made, *req.messages]

    def messages(
        self, msgs: list[Msg], can: Capabilities, manner: Manner, report: Report
    ) -> list[JsonObject]:
        """The plain list of messages, as `format` gives it."""
        try:
            seated, _, _, _ = self.seat(msgs, [], can, manner, report, whole=False)
            return self.room.messages(seated, can, report)
        except _FAULTS:
            checked(msgs, report)
            raise

    def paired(
        self, msgs: list[Msg], can: Capabilities, manner: Manner, report: Report
    ) -> list[Msg]:
        """The messages with their calls and results paired, before anybody groups them.

        Ids and names are respelled and later system messages told in time: no group knows what
        stands in another.
        """
        seated = survey(msgs, report)
        if seated.flags & (PAIRS | UNNAMED):
            seated = repair(seated, can, report, manner.told)
        if seated.calls:
            _, names = name_tools([], seated.names, can.tool_names, report)
            seated, _ = respell(seated, can, names, report)
        if not isinstance(manner.speakers, ByName):
            seated = late_system(seated, can, report, manner.told)
        return seated.msgs

    def seat(
        self,
        msgs: list[Msg],
        tools: list[Tool],
        can: Capabilities,
        manner: Manner,
        report: Report,
        whole: bool,
    ) -> tuple[Seated, list[Tool], dict[str, str], dict[str, str]]:
        """All passes in order: (seated messages, tools, tool names, ids from wire to tree)."""
        for rewrite in manner.rewrites:
            msgs = rewrite(msgs, report)
        seated = survey(msgs, report)
        if seated.flags & MEDIA and manner.fetch is not None:
            seated = _fetched(seated, can, manner.fetch, report)
        if seated.flags & (PAIRS | UNNAMED):
            seated = repair(seated, can, report, manner.told)
        if type(manner.speakers) is not ByRole:
            if seated.flags & MEDIA and isinstance(manner.speakers, ByName):
                seated = fit_media(seated, can, report, manner.told)
            spoken = manner.speakers(seated.msgs, report)
            if spoken is not seated.msgs:
                seated = survey(spoken, report)
        if seated.flags & BLANK:
            seated = blanks(seated, can, report)
        if seated.flags & NAMED:
            seated = _speakers(seated, can, report)
        names: dict[str, str] = {}
        ids: dict[str, str] = {}
        if seated.calls or tools:
            tools, names = name_tools(tools, seated.names, can.tool_names, report)
            seated, ids = respell(seated, can, names, report)
        seated = late_system(seated, can, report, manner.told)
        if seated.dirty or not can.tool_messages or can.call_text == "drop":
            hints = sum(tool.cache is not None for tool in tools) if can.cached_tools else 0
            seated = fit(seated, can, report, manner.told, manner.saver, hints)
        seated = order(seated, can, report, manner.told, whole, whole or manner.insert_turns)
        return seated, tools, names, ids


def _bare(model: str) -> str:
    """The name of a model without the folders that hosts and aggregators put before it."""
    return model.rpartition("/")[2].lower()


def _fetched(seated: Seated, can: Capabilities, fetch: Fetch, report: Report) -> Seated:
    fetched: dict[int, Base64Source] = {}
    for source in wanted(seated, can):
        if id(source) not in fetched:
            found = fetch(source, report.locate(source))
            if found is not None:
                fetched[id(source)] = found
    return placed(seated, fetched, report) if fetched else seated


def _speakers(seated: Seated, can: Capabilities, report: Report) -> Seated:
    """Names as the wire's name field takes them; without one, each name is a loss."""
    if can.name_field == "never":
        report.each("name.unsaid", _unsaid(tuple(seated.msgs)))
        return seated
    cleaned = clean_names(seated.msgs, can.speakers, report)
    if cleaned is not seated.msgs:
        seated = replace(seated, msgs=cleaned)
    return seated


def _unsaid(msgs: tuple[Msg, ...]) -> Iterator[tuple[object, str, str]]:
    return ((m, "name", m.name) for m in msgs if m.name and m.name != m.role)
