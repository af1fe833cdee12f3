"""Upstream: a route's target for one client protocol, with its wire, its model and its address.

It writes requests for the target, and decides whether the client's own bytes can be sent unchanged.
`list_models` lists the models of all routes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any
from urllib.parse import urlsplit

from ...codec.wire import Wire
from ...errors import ConfigError, DragomanError
from ...formatter.wire_formatter import WireFormatter
from ...history.passes.fetching import Fetch
from ...history.truncate import DropOldest
from ...llm.names import ModelName
from ...losses import Report
from ...losses import policy as policy_of
from ...message import ChatRequest, Written, places
from ...model.segments import AnswerSegments
from ...protocols.reasoning import needs_other_wire
from ...text.hidden_keys import SHORTEST, HiddenKey
from ...text.json_text import JsonObject
from ...transport.call import HttpCall
from ...transport.credentials import Key, address
from ...vendors import PROTOCOLS, Vendor, wire
from ..config.config_values import KEPT, Config, Route, Target
from ..config.targets import make_counter
from ..surfaces import ListedModel, Surface
from .compaction import is_summary

_CHAT, _RESPONSES = "openai-chat", "openai-responses"
_VERSION = re.compile(r"v\d+\w*")
# for Responses: nothing is stored there, so reasoning comes encrypted and returns with the history
_STATELESS: JsonObject = {"store": False}
# the models that coding agents ask for unless a user has named one, recorded on 2026-11-22: Claude
# Code 2.1.197, Codex 0.169 and Gemini CLI 0.61, which uses smaller ones for routing and summaries
ALIASES = (
    "claude-opus-4-8",
    "gpt-5.5",
    "gpt-5.6-sol",
    "gpt-6.1-sol",
    "gemini-3.8-flash",
    "gemini-3.5-flash-lite",
    "gemini-3.1-pro-preview",
)


class Upstream:
    """One target for one client protocol. Immutable; shared by all exchanges of this target."""

    def __init__(
        self, route: Route, target: Target, surface: Surface, requested_model: str
    ) -> None:
        name = target.model(requested_model)
        self._hidden = HiddenKey("")
        self.route = route
        self.target = target
        self.surface = surface
        self.vendor: Vendor = name.host
        self.model: str = name.model
        self.policy = policy_of(route.policy, strict=not route.repair)
        # an answer has been paid for, so that its losses are reported and not refused
        self.answer_policy = replace(self.policy, refuse=(), append_only=False)
        protocol = _protocol(target, name, surface)
        self.wire: Wire = wire(f"{name.host.name}/{protocol}", policy="ignore", fetch=route.fetch)
        self.protocol = protocol
        self.same_wire = self._is_same_wire()
        if surface.moves_marks and not self.same_wire:
            self.wire = _with_result_parts(self.wire, route.fetch)
        truncation, counter = route.truncation, None
        if truncation is not None:
            counter = make_counter(truncation.counter, self.model)
        self._formatter = WireFormatter(
            self.wire,
            model=self.model,
            policy="ignore",
            can=dict(route.can) or None,
            fetch=route.fetch,
            token_counter=counter,
            max_tokens=None if truncation is None else truncation.tokens,
            truncate=None if truncation is None else DropOldest(pin=is_summary),
        )
        self._plain = not route.can and truncation is None
        self._requested_model = requested_model
        self._over_responses: Upstream | None = None
        # whether a request with tools may have to use Responses, as the target names no protocol
        self.may_need_responses = (
            self.protocol == _CHAT
            and _leaves_open(target, name)
            and self._formatter.can.tools_with_thinking != "yes"
        )

    def __repr__(self) -> str:
        return f"Upstream({self.wire.name!r}, {self.model!r})"

    @property
    def key(self) -> Key:
        """The key that the target names; None to use the vendor's own variable."""
        target = self.target
        if target.secret is not None:
            return target.secret
        if not target.key:
            return None
        if not (key := os.environ.get(target.key)):
            text = f"the route to {target.name} has no key"
            raise ConfigError(text, hint=f"set {target.key}", code="key.missing")
        return key

    @property
    def secret(self) -> str:
        """The key of the target, for removing it from answers.

        Empty if it is not known here, or is a mere word: servers of one's own get keys such as
        `none`, a word that answers contain.
        """
        target = self.target
        key = target.secret or os.environ.get(target.key or self.vendor.key or "", "")
        return key if len(key) >= SHORTEST else ""

    @property
    def hidden(self) -> HiddenKey:
        """The object that removes `secret` from answers."""
        if self._hidden.key != (key := self.secret):
            self._hidden = HiddenKey(key)
        return self._hidden

    @property
    def keyless(self) -> bool:
        """Whether calls carry no key: the target is a server of one's own, and no key is set."""
        target = self.target
        given = target.secret is not None or target.key or os.environ.get(self.vendor.key or "")
        return (
            bool(target.base_url) and not given and not self.vendor.find_auth(self.protocol).tokens
        )

    def for_request(self, req: ChatRequest) -> Upstream:
        """This target; or the one over Responses, if Chat takes no tools together with thinking."""
        if not self.may_need_responses or not needs_other_wire(req, self._formatter.can):
            return self
        if self._over_responses is None:
            target = replace(self.target, name=f"{self.vendor.name}/{_RESPONSES}/{self.model}")
            self._over_responses = Upstream(self.route, target, self.surface, self._requested_model)
        return self._over_responses

    def call(self, path: str, headers: Mapping[str, str], body: bytes) -> HttpCall:
        """The call, without a key. Raises ConfigError for an address that lacks a value."""
        target = self.target
        base = address(self.vendor, self.protocol, target.places, target.base_url)
        return HttpCall("POST", base + path, {**headers, **target.headers}, body)

    def passthrough_call(
        self, path: str, headers: Mapping[str, str], body: bytes, method: str
    ) -> HttpCall:
        """The call to an unknown path, at the address where this provider has it."""
        call = self.call("", headers, body)
        return replace(call, method=method, url=_where(call.url, path))

    def written_call(self, written: Written, size: int = 0) -> HttpCall:
        """The call that sends a written request; `size` are the bytes of the client's request."""
        headers = {"content-type": "application/json", **written.headers}
        return self.call(written.path, headers, written.to_json(size))

    def open_segments(self, written: Written | None) -> AnswerSegments | None:
        """The requests for the rest of an answer that may come in several bodies.

        Args:
            written: The request that was sent; None if the client's own bytes were.

        Returns:
            None if this target's answers come in one body, and if the client speaks the target's
            protocol: then it asks for the rest itself.
        """
        own = self.same_wire or self.protocol == self.surface.protocol
        if own or written is None:
            return None
        segments = AnswerSegments(self.wire, written)
        return segments if segments.possible else None

    def for_counts(self) -> Upstream:
        """The target that counts tokens: some hosts do so over one of their protocols alone."""
        if not self.vendor.counts or self.vendor.counts == self.protocol:
            return self
        name = f"{self.vendor.name}/{self.vendor.counts}/{self.model}"
        target = replace(self.target, name=name)
        return Upstream(self.route, target, self.surface, self.model)

    def write(self, req: ChatRequest) -> Written:
        """The request in this target's form.

        Raises:
            WriteError: The target cannot take it.
            ContextOverflow: It does not fit, even truncated.
            LossRefused: It would lose what the policy does not allow to lose.
        """
        stateless = self.protocol == _RESPONSES and self.surface.protocol != _RESPONSES
        if stateless:
            req = replace(req, extras=_with_stateless(req.extras, self.wire.room.issuer))
        report = Report(req.messages, req, places, self.wire.name)
        if self.protocol != self.surface.protocol:
            self.surface.prepare(req, report)
        if stateless:
            report.add_loss("include.added", req, "extras", what="store", did="store: false")
        if self._plain:
            return self.wire.write_request(req, self.model, policy=self.policy, report=report)
        written = self._formatter.format_request(req, self.model)
        written.report.include(report)
        self.policy.judge(written.report, self.wire.loss_log)
        return written

    def _is_same_wire(self) -> bool:
        """Whether this host takes the client's body unchanged."""
        own, theirs = self.surface.wire, self.wire
        if own.room.host != theirs.room.host or self.route.can or self.route.truncation:
            return False
        return self.vendor.name == self.surface.maker or own.dialect == theirs.dialect


def _protocol(target: Target, name: ModelName, surface: Surface) -> str:
    """The protocol for a target whose name does not say one."""
    if name.protocol != _CHAT or not _leaves_open(target, name):
        return name.protocol
    if name.host.name == surface.maker and surface.protocol in name.host.wires:
        return surface.protocol  # the client's own, untouched
    caps = wire(f"{name.host.name}/{name.protocol}").can(name.model)
    tools_elsewhere = caps.thinks == "always" and caps.tools_with_thinking == "no"
    return _RESPONSES if tools_elsewhere else name.protocol


def _leaves_open(target: Target, name: ModelName) -> bool:
    """Whether a target names no protocol, and its vendor offers Responses."""
    head, _, rest = target.name.partition("/")
    says = rest.startswith(f"{name.protocol}/") or head in PROTOCOLS
    return not says and _RESPONSES in name.host.wires


def _where(base: str, path: str) -> str:
    """The URL for a path that clients write as at the vendor whose protocol they speak.

    Both the base URL and the path may contain the version of the API: `/v1/files` is at
    `/openai/v1/files` at Groq, and `/upload/v1beta/files` beside `/v1beta` at Gemini.
    """
    own = urlsplit(base).path
    version = own.rpartition("/")[2]
    parts = path.partition("?")[0].split("/")
    if own and path.startswith(f"{own}/"):
        return base + path[len(own) :]
    if _VERSION.fullmatch(version):
        if _VERSION.fullmatch(parts[1]):
            return base + path[1 + len(parts[1]) :]
        if version in parts:
            return base.removesuffix(f"/{version}") + path
    return base + path


def _with_result_parts(known: Wire, fetch: Fetch | None) -> Wire:
    """The wire that always writes results as parts, with or without a cache mark.

    A provider's cache compares the bytes of a prefix, and clients move their marks at each turn.
    """
    if not hasattr(known.dialect, "result_text"):
        return known
    room = type(known.room)(replace(known.dialect, result_text="parts"))
    return Wire(
        known.name, room, vendor=known.vendor, facts=known.facts, policy="ignore", fetch=fetch
    )


def _with_stateless(extras: Any, issuer: str) -> dict[str, Any]:
    own = {**_STATELESS, **(extras or {}).get(issuer, {})}
    return {**(extras or {}), issuer: own}


def list_models(config: Config) -> list[ListedModel]:
    """Every model that a route names; with `aliases`, those that agents ask for at their start.

    For a pattern, the list has the known models that match it (the model of its target, or of its
    vendor by default, and those that agents ask for), else the pattern itself: clients take the
    list to be complete.
    """
    names: dict[str, Route] = {}
    for route in config.routes:
        patterns = [one for one in route.models if not set("*?[") & set(one)]
        own = "" if route.target.name.endswith(KEPT) else route.target.model("").model
        shown = [*patterns, *(target for target in (own,) if target and not patterns)]
        for pattern in route.models:
            if pattern not in patterns and pattern != "*":
                known = (own, _default_model(route.target), *ALIASES)
                fitting = [name for name in known if name and fnmatchcase(name, pattern)]
                shown += fitting or [pattern]
        for name in shown:
            if config.find_route(name) is route:
                names.setdefault(name, route)
    if config.aliases:
        for name in ALIASES:
            if (found := config.find_route(name)) is not None:
                names.setdefault(name, found)
    return [_describe_model(name, route) for name, route in names.items()]


def _default_model(target: Target) -> str:
    """The default model of the target's vendor, if the target takes any model."""
    vendor = target.name.removesuffix(f"/{KEPT}")
    return wire(vendor).room.model if vendor != target.name else ""


def listed_one(config: Config, name: str) -> ListedModel:
    """The model of this name. Raises ConfigError if no route serves it."""
    return _describe_model(name, config.route(name))


def _describe_model(name: str, route: Route) -> ListedModel:
    try:
        target = route.target.model(name)
    except DragomanError:  # the target takes any model, but its vendor has none of this name
        return ListedModel(name, "", wire("openai-chat").can(name))
    caps = wire(target.wire).can(target.model)
    return ListedModel(name, target.host.name, caps)
