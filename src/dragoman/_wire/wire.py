"""Wire: a room bound to a dialect, with the facts of models and of one host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from ..bind import prefix
from ..capabilities import About, Capabilities, Facts, override
from ..errors import InvalidMessage, WriteError
from ..fit import fit_tools, withheld
from ..jsontext import JsonObject
from ..losses import Policy, PolicyLike, Report
from ..losses import policy as policy_of
from ..message import AsRead, ChatRequest, Msg, ServerTool, Tool, Written, places, request_of
from ..message.heal import HEALED
from ..names import inverted
from ..reasoning import states
from ..rewrite.speakers import ByRole
from ..room import Request, Room, SayableRequest
from ..seats import checked
from .again import seat_again
from .answering import Answering
from .elsewhere import come_from_elsewhere
from .emptied import caused
from .fields import write_again
from .healed import healed, healed_model
from .kin import adopted
from .knowing import Knowing, switched
from .manner import Manner
from .passes import Seating, paired, seat
from .reading import Reading
from .residue import left
from .sourced import sourced

__all__ = ["Wire"]

_PLAIN = Manner()
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
        manner: Manner = _PLAIN,
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
        can = self.can(named, req)
        if manner.changes:
            can = switched(override(can, manner.changes), states(req, can))
        offered = req.tools
        if can.none_by == "withholding":
            offered, can = withheld(req, can, report)
        tools = fit_tools(offered, can, report)
        msgs = self.with_prompt(req, manner, can, report)
        manner = manner.seen_by(req.agent_name)
        try:
            read = self._as_read(req, named, manner)
            if read is not None:
                said = seat_again(msgs, read, tools, can, manner, report, self.room)
                made = said.made
                out = write_again(req, read, said, named, can, self.room, report)
            else:
                made, out = self._composed(req, msgs, tools, named, can, manner, report)
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
            left=partial(left, req, made, out, can, self.room, report),
            sourced=partial(sourced, req, made, out, can, self.room, report),
        )  # fmt: skip

    def _as_read(self, req: ChatRequest, model: str, manner: Manner) -> AsRead | None:
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
        can: Capabilities,
        manner: Manner,
        report: Report,
    ) -> tuple[Seating, Request]:
        goes_on = self.room.continues(req, can)
        made = seat(msgs, tools, can, manner, report, True, goes_on, req.read)
        if not made.seated.msgs:
            raise WriteError(
                "there is nothing to send", path="$.messages",
                hint="add a user message", code="messages.empty",
            )  # fmt: skip
        switch = made.unbound is not None
        say = SayableRequest(made.seated, made.tools, req, model, can, made.names, switch)
        return made, self.room.write(say, report)

    def with_prompt(
        self, req: ChatRequest, manner: Manner, can: Capabilities, report: Report
    ) -> list[Msg]:
        """The messages, behind the system prompt that the request's other fields make."""
        functions = [tool for tool in req.tools if type(tool) is Tool]
        described = functions if manner.prompt.describes(can.tools) else []
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
            seated = seat(msgs, [], can, manner, report, whole=False).seated
            return self.room.messages(seated, can, report)
        except _FAULTS:
            checked(msgs, report)
            raise

    def paired(
        self, msgs: list[Msg], can: Capabilities, manner: Manner, report: Report
    ) -> list[Msg]:
        """The messages with their calls and results paired, before anybody groups them."""
        return paired(msgs, can, manner, report)

    def offered(
        self, tools: Sequence[Tool | ServerTool], can: Capabilities, report: Report
    ) -> Sequence[Tool | ServerTool]:
        """The tools that are sent."""
        return fit_tools(tools, can, report)


def _remade(cls: type[Wire], name: str, room: Room, options: Mapping[str, Any]) -> Wire:
    return cls(name, room, **options)


class _Bound:
    """What thinking in the answer will be bound to, hashed when somebody asks for it."""

    __slots__ = ("made",)

    def __init__(self, made: Seating) -> None:
        self.made = made

    def __call__(self) -> str:
        made = self.made
        return prefix(made.tools, made.seated, made.unbound)
