"""Knowing: what a wire carries for a model, by the facts that hold for it here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ...capabilities import STATES, About, Capabilities, Fact, Facts, bare, override
from ...errors import InvalidMessage, WriteError
from ...losses import Policy, PolicyLike, Report
from ...losses import policy as policy_of
from ...losses.codes import CODES
from ...message import (
    AsRead,
    ChatRequest,
    Msg,
    RawBlock,
    ServerTool,
    Tool,
    Written,
    places,
    request_of,
)
from ...message.blocks import ANSWER, NOTES, noted
from ...message.check import HEALED, heal
from ...message.request import ITEM
from ...protocols.base import HttpRequest, PreparedRequest, Room
from ...protocols.reasoning import states
from ...rewrite.speakers import ByRole
from ..jsontext import JsonObject
from ..passes.fit import fit_tools, withheld
from ..passes.names import inverted
from ..passes.roles import checked
from ..passes.thinking_binding import prefix
from .answer import Answering
from .pipeline import FormatStyle, PreparedHistory, paired, seat
from .read import Reading
from .residue import left, sourced
from .sibling_wires import adopted
from .verbatim import prepare_verbatim, write_verbatim

_NO_STATES: frozenset[str] = frozenset()


_NONE: Mapping[str, Any] = {}


_ANY = About()


_MANY = 1000  # models that a wire remembers


class Knowing:
    """What a wire knows of models."""

    __slots__ = ()
    room: Room
    facts: tuple[Facts, ...]
    _can: dict[tuple[str | None, frozenset[str]], Capabilities]
    _names: frozenset[str]

    def can(self, model: str | None = None, request: ChatRequest | None = None) -> Capabilities:
        """What this wire carries for `model`; without one, what every current model accepts.

        With a request also what holds in its state: while the model thinks, with tools.
        """
        known = self._known(model, _NO_STATES)
        return known if request is None else self._known(model, states(request, known))

    def _known(self, model: str | None, given: frozenset[str]) -> Capabilities:
        known = self._can.get((model, given))
        if known is None:
            known = self.room.can()
            name = bare(model) if model else None
            for facts in self.facts:
                known = facts.apply(known, name, self._names, given)
            if given:
                known = switched(known, given)
            if len(self._can) >= _MANY:  # whoever names models may name any number of them
                self._can.clear()
            self._can[model, given] = known
        return known

    def known(self, model: str, request: ChatRequest | None = None) -> list[Fact]:
        """The facts that hold for `model`, each with its date and source."""
        given = _NO_STATES if request is None else states(request, self.can(model))
        name = bare(model)
        return [fact for facts in self.facts for fact in facts.holding(name, self._names, given)]

    def conditional(self, model: str) -> list[Fact]:
        """The facts that hold for `model` beside those, each in the state that its `when` names."""
        held = frozenset(STATES)
        known = (facts.holding(bare(model), self._names, held) for facts in self.facts)
        return [fact for found in known for fact in found if fact.when]

    def rule(
        self,
        code: str,
        model: str | None = None,
        request: ChatRequest | None = None,
        about: About = _ANY,
        changes: Mapping[str, Any] = _NONE,
    ) -> str:
        """Why this wire loses what the code names: source and date of the fact that decides it.

        `about` narrows it to one option or kind of block, `changes` are a formatter's overrides.
        """
        given = _NO_STATES if request is None else states(request, self.can(model))
        asked = Asked(bare(model) if model else None, self._names, given)
        return rule(code, about, self.room.can(), self.facts, asked, changes)


def switched(caps: Capabilities, given: frozenset[str]) -> Capabilities:
    """What holds in these states: the switch that drops thinking stands inside of thinking."""
    if caps.unbound == "switch" and "thinking" not in given:
        return override(caps, {"unbound": "drop"})
    return caps


_SET = "capabilities set for this formatter"


@dataclass(frozen=True, slots=True)
class Asked:
    """For whom facts are asked: a bare model, under which names of the wire, in which states."""

    model: str | None
    wires: frozenset[str]
    states: frozenset[str]


def rule(
    code: str,
    about: About,
    own: Capabilities,
    known: Sequence[Facts],
    asked: Asked,
    changes: Mapping[str, Any],
) -> str:
    """The rule behind a loss, `source (date)`; empty where the history or a wish decides alone."""
    asks = [ask for ask in CODES[code].asks if about.concerns(ask)]
    for ask in asks:
        if about.named(changes, ask):
            return _SET
        for facts in reversed(known):
            found = facts.deciding(ask, about, asked.model, asked.wires, asked.states)
            if found is not None:
                return _dated(found.source_of(ask), found.since)
        if ask == "options" and about.field and about.listed(own.options, ask):
            break  # the protocol itself says so of this option
    return _dated(own.source, own.since) if CODES[code].asks else ""


def _dated(source: str, since: str) -> str:
    return f"{source} ({since})" if source and since else source


_ODD = ("raw.foreign", "extras.foreign")  # of what no reader understood


def caused(error: WriteError, req: ChatRequest, report: Report) -> WriteError:
    """The error with the losses so far; one of an empty request names what was not understood."""
    if error.code == "messages.empty":
        for m in req.messages:
            for issuer, fields in (m.extras or {}).items() if not m.blocks else ():
                if issuer.endswith((ANSWER, NOTES)):
                    continue
                for name in fields:
                    report.lost("extras.foreign", m, f"extras.{issuer}.{name}", name)
        error = _empty(req, report)
    error.losses = tuple(report.losses)
    return error


def _empty(req: ChatRequest, report: Report) -> WriteError:
    odd = next((loss for loss in report.losses if loss.code in _ODD), None)
    if odd is not None and req.messages:
        return _because("what stands here is no message or part that this wire has", odd.where)
    places = req.read.places if req.read is not None else None
    listed = getattr(getattr(places, "room", None), "messages_path", "$.messages")
    told: Any = getattr(places, "body", {})
    for key in listed.split(".")[1:]:
        told = told.get(key) if isinstance(told, dict) else None
    if told and not isinstance(told, list):
        return _because("what stands here is no list of messages", listed)
    return WriteError(
        "there is nothing to send", path=listed, hint="add a user message", code="messages.empty"
    )


def _because(why: str, path: str) -> WriteError:
    return WriteError(
        f"there is nothing to send: {why}", path=path,
        hint="spell it as its own wire does; `losses` of this error names all that was lost",
        code="messages.empty",
    )  # fmt: skip


_DID = "half a pair is U+FFFD"


def healed(req: ChatRequest, report: Report) -> ChatRequest:
    """The request without the note of what was broken in its own texts, which is named here."""
    own = dict(req.extras or {})
    for field in own.pop(HEALED)["healed"]:
        report.lost("text.surrogate", req, field, did=_DID)
    return replace(req, extras=own or None)


def healed_model(model: str, req: ChatRequest, report: Report) -> str:
    """The name of a model, which no path and no header can hold broken."""
    broken: list[str] = []
    made = heal(model, "$.model", broken)
    if broken:
        report.lost("text.surrogate", req, "model", did=_DID)
    return str(made)


def come_from_elsewhere(req: ChatRequest, room: Room, issuer: str, report: Report) -> None:
    """Name the words that only the wire has which read the request.

    `issuer` is whose dialect the room speaks. Raises WriteError if another provider keeps what the
    request goes on from: half a conversation is none.
    """
    read = req.read
    if read is None:
        return
    own = (req.extras or {}).get(read.issuer, {})
    if read.protocol != room.protocol:
        for word in (req.extras or {}).get(noted(read.issuer), {}).get("words", ()):
            report.lost("word.foreign", req, f"extras.{read.issuer}.{word}")
    elif read.issuer == issuer or getattr(getattr(room, "dialect", None), "stores", True):
        return  # this host may be the one that keeps it
    for name in read.state:
        if name.startswith(ITEM):
            _items(req, read, name.removeprefix(ITEM), report)
        elif _names(own.get(name)):
            path = report.locate(req, field=f"extras.{read.issuer}.{name}")
            raise _kept(name, read, path, "this field")


def _names(value: Any) -> bool:
    """Whether a field names something: an object does by its id, and may say other things."""
    return bool(value.get("id") if isinstance(value, dict) else value)


def _items(req: ChatRequest, read: AsRead, kind: str, report: Report) -> None:
    for m in req.messages:
        for block in () if isinstance(m.content, str) else m.content:
            told = block.data if type(block) is RawBlock and block.issuer == read.issuer else None
            if isinstance(told, dict) and told.get("type") == kind:
                raise _kept(kind, read, report.locate(block), "such items")


def _kept(name: str, read: AsRead, path: str, without: str) -> WriteError:
    return WriteError(
        f"{name} names what {read.issuer} keeps, and nobody else can go on from",
        path=path, code="state.server_side",
        hint=f"send the whole history, without {without}",
    )  # fmt: skip


_PLAIN = FormatStyle()


_FAULTS = (AttributeError, TypeError, KeyError, AssertionError)


class Wire(Knowing, Reading, Answering):
    """One provider's way of talking: `write_request` turns a ChatRequest into what it takes.

    Immutable and shareable across threads. `name` is what `dragoman.wire()` was asked for.
    """

    __slots__ = (
        "_can",
        "_issuer",
        "_logged",
        "_names",
        "facts",
        "name",
        "policy",
        "room",
        "vendor",
    )

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
        pin = next((one.pin for one in reversed(facts) if one.pin), "")
        self.facts = tuple(one if one.pin else one.pinned(pin) for one in facts)
        self.policy: Policy = policy_of(policy)
        self._logged: set[str] = set()
        self._can: dict[tuple[str | None, frozenset[str]], Capabilities] = {}
        hosts = (name, room.protocol, vendor.name if vendor is not None else room.protocol)
        self._names = frozenset(hosts)
        issuers = getattr(self.dialect, "issuers", ())
        self._issuer = issuers[0] if issuers else room.protocol

    @property
    def dialect(self) -> Any:
        """What this vendor does its own way."""
        return getattr(self.room, "dialect", None)

    def __repr__(self) -> str:
        return f"Wire({self.name!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        """What a copy is made of; what was asked before is asked anew there."""
        options = {"vendor": self.vendor, "facts": self.facts, "policy": self.policy}
        return _remade, (type(self), self.name, self.room, options)

    def knowing(self, facts: tuple[Facts, ...]) -> Wire:
        """The same wire with further facts, which win over those that it has."""
        if not facts:
            return self
        known = (*self.facts, *facts)
        return Wire(self.name, self.room, vendor=self.vendor, facts=known, policy=self.policy)

    def write_request(
        self,
        req: ChatRequest,
        model: str | None = None,
        *,
        manner: FormatStyle = _PLAIN,
        policy: Policy | None = None,
        report: Report | None = None,
    ) -> Written:
        """The request as the provider takes it: body, path, headers, losses.

        `model` wins over the request's own. Raises WriteError for what cannot be sent at all,
        LossRefused where the policy says so.
        """
        req = request_of(req)
        report = report or Report(req.messages, req, places, self.name)
        come_from_elsewhere(req, self.room, self._issuer, report)
        named = model or req.model
        if named and not isinstance(named, str):
            raise InvalidMessage(
                f"must be text, not {type(named).__name__}", path="$.model", code="request.field"
            )
        if named and not named.isascii():
            named = healed_model(named, req, report)
        if not named:
            named = self.room.model
            report.lost("model.default", req, "model", did=named)
        elif not model and req.read is not None and req.read.protocol != self.room.host:
            report.lost("model.kept", req, "model", what=named)
        report.rules = lambda code, field, kind: self.rule(
            code, named, req, About(field, kind), manner.changes
        )
        if req.extras is not None and HEALED in req.extras:
            req = healed(req, report)
        req = adopted(req, self.room, getattr(self.dialect, "issuers", ()), report)
        caps = self.can(named, req)
        if manner.changes:
            caps = switched(override(caps, manner.changes), states(req, caps))
        offered = req.tools
        if caps.none_by == "withholding":
            offered, caps = withheld(req, caps, report)
        tools = fit_tools(offered, caps, report)
        msgs = self.with_prompt(req, manner, caps, report)
        manner = manner.seen_by(req.agent_name)
        try:
            read = self._as_read(req, named, manner)
            if read is not None:
                said = prepare_verbatim(msgs, read, tools, caps, manner, report, self.room)
                made = said.made
                out = write_verbatim(req, read, said, named, caps, self.room, report)
            else:
                made, out = self._composed(req, msgs, tools, named, caps, manner, report)
        except _FAULTS:
            checked(req.messages, report)  # names what was put into a message after it was made
            raise
        except WriteError as error:
            raise caused(error, req, report) from error.__cause__
        (policy or self.policy).judge(report, self._logged)
        return Written(
            out.body, out.path, out.headers, named, made.ids,
            inverted(made.names) if made.names else {},
            report=report, bound=_Bound(made),
            left=partial(left, req, made, out, caps, self.room, report),
            sourced=partial(sourced, req, made, out, caps, self.room, report),
        )  # fmt: skip

    def _as_read(self, req: ChatRequest, model: str, manner: FormatStyle) -> AsRead | None:
        """What is known of the request if this wire read it, for the model that it still asks."""
        read = req.read
        if read is None or (read.protocol, read.issuer) != (self.room.host, self._issuer):
            return None
        same = read.model == model or (read.model is None and model == self.room.model)
        plain = not manner.rewrites and type(manner.speakers) is ByRole and not manner.changes
        return read if same and plain else None

    def _composed(
        self,
        req: ChatRequest,
        msgs: list[Msg],
        tools: Sequence[Tool | ServerTool],
        model: str,
        caps: Capabilities,
        manner: FormatStyle,
        report: Report,
    ) -> tuple[PreparedHistory, HttpRequest]:
        goes_on = self.room.continues(req, caps)
        made = seat(msgs, tools, caps, manner, report, True, goes_on, req.read)
        if not made.history.msgs:
            raise WriteError(
                "there is nothing to send", path="$.messages",
                hint="add a user message", code="messages.empty",
            )  # fmt: skip
        switch = made.unbound is not None
        say = PreparedRequest(made.history, made.tools, req, model, caps, made.names, switch)
        return made, self.room.write(say, report)

    def with_prompt(
        self, req: ChatRequest, manner: FormatStyle, caps: Capabilities, report: Report
    ) -> list[Msg]:
        """The messages, behind the system prompt that the request's other fields make."""
        functions = [tool for tool in req.tools if type(tool) is Tool]
        described = functions if manner.prompt.describes(caps.tools) else []
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
        self, msgs: list[Msg], caps: Capabilities, manner: FormatStyle, report: Report
    ) -> list[JsonObject]:
        """The plain list of messages, as `format` gives it."""
        try:
            history = seat(msgs, [], caps, manner, report, whole=False).history
            return self.room.messages(history, caps, report)
        except _FAULTS:
            checked(msgs, report)
            raise

    def paired(
        self, msgs: list[Msg], caps: Capabilities, manner: FormatStyle, report: Report
    ) -> list[Msg]:
        """The messages with their calls and results paired, before anybody groups them."""
        return paired(msgs, caps, manner, report)

    def offered(
        self, tools: Sequence[Tool | ServerTool], caps: Capabilities, report: Report
    ) -> Sequence[Tool | ServerTool]:
        """The tools that are sent."""
        return fit_tools(tools, caps, report)


def _remade(cls: type[Wire], name: str, room: Room, options: Mapping[str, Any]) -> Wire:
    return cls(name, room, **options)


class _Bound:
    """What thinking in the answer will be bound to, hashed when somebody asks for it."""

    __slots__ = ("made",)

    def __init__(self, made: PreparedHistory) -> None:
        self.made = made

    def __call__(self) -> str:
        made = self.made
        return prefix(made.tools, made.history, made.unbound)
