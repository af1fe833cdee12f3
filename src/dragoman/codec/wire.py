"""Wire: a protocol with a dialect, and the facts of models and of one host.

`write_request` covers the whole way of a request: what the model can carry, the passes over the
history, the body of the protocol, and the judgement on losses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

from .. import message as tree
from ..capabilities import About, Capabilities, Facts, override
from ..capabilities.name_rules import IdRule
from ..capabilities.overrides import vary
from ..errors import DragomanError, InvalidMessage, WriteError
from ..history.passes.apply_name_rules import invert_names
from ..history.passes.argument_names import invert_spellings
from ..history.passes.fetching import Fetch
from ..history.passes.format_words import ask_by_tool, ask_in_words, narrow_capabilities
from ..history.passes.lower import fit_tools, offered_tools
from ..history.passes.survey import Tools, checked_messages
from ..history.passes.thinking_after_edits import history_prefix
from ..history.pipeline import FormatStyle, PreparedHistory, prepare, wanted_media
from ..history.speakers import ByRole
from ..losses import Policy, PolicyLike, Report
from ..losses import policy as policy_of
from ..losses.policies import LossLog
from ..media_fetch.local_files import local_files
from ..message import AsRead, ChatRequest, Msg, RawBlock, ServerTool, Tool, Written
from ..message.blocks import ANSWER, HEALED, NOTES, name_notes
from ..message.check import FAULTS, heal, raise_for_notes
from ..message.known_tools import KnownTools, copy_json, run_step
from ..message.request import ITEM
from ..message.shared import Shared, own_entries, share_body
from ..protocols.base import HttpRequest, PreparedRequest, Room
from ..protocols.reasoning import states
from ..text.json_text import JsonObject
from .adopted_answers import adopt_related_answers
from .answering import WireAnswering
from .extras_between_protocols import (
    adopt_sibling_fields,
    are_siblings,
    issuers_of_files,
    set_apart_fields,
)
from .model_facts import ModelFacts, without_switch
from .reading import WireReading
from .residue import compute_residue, source_map
from .verbatim import prepare_verbatim, write_verbatim


class Wire(ModelFacts, WireReading, WireAnswering):
    """One provider's API: `write_request` turns a ChatRequest into what it takes.

    Speakers, a limit of tokens and rewrites are a formatter's: `Formatter(wire, ...)`, whose
    `format_request` writes as `write_request` does. A wire is immutable, and threads may share it.

    Args:
        name: The name by which `dragoman.wire()` was called.
        room: The protocol, with its dialect.
        vendor: The vendor's row; None for a bare protocol.
        facts: What is known of models; later facts win.
        policy: Which losses are logged, collected or refused.
        fetch: `fetch(source, path)` reads media that the provider takes only as bytes, of messages
            that the program built; by default files under the current directory.
    """

    __slots__ = (
        "_caps",
        "_issuer",
        "_names",
        "_protocol_caps",
        "_reads",
        "_spoken",
        "_style",
        "facts",
        "loss_log",
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
        fetch: Fetch | None = local_files,
    ) -> None:
        self.name = name
        self.room = room
        self._protocol_caps = room.can()
        self._reads = self._protocol_caps.reads
        if vendor is not None and _alone(vendor):
            reads = self._protocol_caps.reads | {vendor.name}
            self._protocol_caps = vary(self._protocol_caps, reads=reads)
        files = issuers_of_files(self._protocol_caps.reads)
        self._protocol_caps = vary(self._protocol_caps, files=files)
        self.vendor = vendor
        pin = next((some.pin for some in reversed(facts) if some.pin), "")
        self.facts = tuple(some if some.pin else some.at_date(pin) for some in facts)
        self.policy: Policy = policy_of(policy)
        self._style = FormatStyle(fetch=fetch)
        self.loss_log = LossLog()
        self._caps: dict[tuple[str | None, frozenset[str]], Capabilities] = {}
        hosts = (name, room.protocol, vendor.name if vendor is not None else room.protocol)
        self._names = frozenset(hosts)
        issuers = getattr(self.dialect, "reads_items_of", ())
        self._issuer = issuers[0] if issuers else room.protocol
        several = vendor is not None and vendor.name == self._issuer and len(vendor.wires) > 1
        self._spoken = room.protocol if several else None

    @property
    def dialect(self) -> Any:
        """What this vendor does differently within its protocol."""
        return getattr(self.room, "dialect", None)

    @property
    def fetch(self) -> Fetch | None:
        """The function that reads media to be sent as bytes."""
        return self._style.fetch

    def __repr__(self) -> str:
        return f"Wire({self.name!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        """How a copy is built; its cache starts empty."""
        create = partial(
            type(self), vendor=self.vendor, facts=self.facts, policy=self.policy, fetch=self.fetch
        )
        return create, (self.name, self.room)

    def knowing(self, facts: tuple[Facts, ...]) -> Wire:
        """A copy of the wire with further facts.

        Args:
            facts: They win over those that it has.
        """
        if not facts:
            return self
        every = (*self.facts, *facts)
        return Wire(
            self.name,
            self.room,
            vendor=self.vendor,
            facts=every,
            policy=self.policy,
            fetch=self.fetch,
        )

    def write_request(
        self,
        req: ChatRequest,
        model: str | None = None,
        *,
        style: FormatStyle | None = None,
        policy: Policy | None = None,
        report: Report | None = None,
        keep_model: bool = False,
    ) -> Written:
        """Write a request as the provider takes it.

        Args:
            req: The request.
            model: The model to ask, instead of the request's own. A request that another provider's
                wire read names a model of that provider: then this host's default is asked.
            style: Speakers, limits and rewrites of a formatter.
            policy: Which losses raise; the wire's own policy by default.
            report: Collects the losses; a new one by default.
            keep_model: Whether to ask for the request's model even if it is another provider's.

        Returns:
            Body, path, headers, and losses.

        Raises:
            WriteError: The request cannot be sent at all, for example if a local file is missing.
            LossRefused: The policy refuses a loss.
        """
        style = style or self._style
        if type(req) is not ChatRequest:
            req = tree.check_request(req)
        report = report or Report(req.messages, req, tree.places, self.name)
        if req.read is not None:
            report.steps = req.read.steps
            refuse_server_state(req, req.read, self.room, self._issuer, report)
        name = self._model_name(req, model, keep_model, report)
        report.rules = lambda code, field, kind: self.rule(
            code, name, req, About(field, kind), style.changes
        )
        if req.extras is not None and HEALED in req.extras:
            req = _without_healed(req, report)
        given = req.messages
        is_shared = type(req.tools) is KnownTools
        if req.read is not None:
            req = adopt_sibling_fields(
                req, self.room, getattr(self.dialect, "reads_items_of", ()), report
            )
            req = set_apart_fields(req, self.room, self._protocol_caps.reads, report)
        asked = None
        if req.response_format is not None and req.response_format.way == "tool":
            asked, req = req, ask_by_tool(req, style.wording, report)
        caps = self._capabilities(req, name, style)
        tools: Sequence[Tool | ServerTool] = req.tools
        if tools or req.tool_choice is not None:
            tools, caps = offered_tools(req, caps, report)
            tools = self._fit_tools(tools, req, name, caps, style, report)
        try:
            req = adopt_related_answers(req, self.room, caps, report)
            prepared, http = self._prepare_and_write(req, name, tools, caps, style, report)
        except WriteError as error:
            raise _with_losses(error, req, report) from error.__cause__
        except FAULTS as error:
            if not isinstance(error, DragomanError):
                checked_messages(req.messages, report)  # raises for values that were never checked
                raise_for_notes((req, *req.tools), req.messages, error)
            raise
        body = _share_known(http, prepared.tools, report) if is_shared else http.body
        if report.steps is not None and type(body) is not Shared:
            body = Shared(body, copy_json)
        if report.kinds:
            (policy or self.policy).judge(report, self.loss_log)
        source = asked or req
        left = source if source.messages is given else replace(source, messages=given)
        return Written(
            body,
            http.path,
            http.headers,
            name,
            prepared.ids,
            invert_names(prepared.names) if prepared.names else {},
            invert_spellings(prepared.properties, prepared.names) if prepared.properties else {},
            prepared.original_tools,
            report=report,
            # the history to which thinking in the answer will be bound; hashed when it is needed
            client=partial(self.room.client_arguments, headers=http.headers, model=name),
            make_prefix=partial(history_prefix, prepared.tools, prepared.history, prepared.unbound),
            make_residue=partial(compute_residue, left, prepared, http, caps, self.room, report),
            walk_sources=partial(source_map, source, prepared, http, caps, self.room, report),
        )

    def wanted_media(
        self, req: ChatRequest, model: str | None = None
    ) -> list[tuple[tree.Source, str]]:
        """The media that `write_request` would fetch, for callers that fetch them beforehand.

        Args:
            req: The request.
            model: The model that will be asked; by default the request's own.

        Returns:
            (source, path) of each.

        >>> from dragoman import ChatRequest, Msg, wire
        >>> image = {"type": "image", "source": {"type": "local", "path": "a.png"}}
        >>> wire("openai").wanted_media(ChatRequest([Msg("Tony", [image], "user")]))[0][1]
        '$.messages[0].content[0].source'
        """
        req = tree.check_request(req)
        report = Report(req.messages, req, tree.places, self.name)
        name = model or req.model or self.room.model
        caps = self._capabilities(req, name, self._style)
        return wanted_media(req.messages, caps, self._style, report)

    def _capabilities(self, req: ChatRequest, model: str, style: FormatStyle) -> Capabilities:
        """The capabilities of the model in this request, with the changes of the style."""
        caps = self.can(model, req)
        if style.changes:
            caps = without_switch(override(caps, style.changes), states(req, caps))
        if caps.stored_thinking and req.extras and not self.room.keeps_answers(req, caps):
            caps = vary(caps, stored_thinking=False)
        return (
            caps if req.response_format is None else narrow_capabilities(req.response_format, caps)
        )

    def _prepare_and_write(
        self,
        req: ChatRequest,
        model: str,
        tools: Sequence[Tool | ServerTool],
        caps: Capabilities,
        style: FormatStyle,
        report: Report,
    ) -> tuple[PreparedHistory, HttpRequest]:
        """The prepared history, and the request in the form of the protocol."""
        msgs = req.messages
        if caps.apart_documents and (form := req.response_format) and form.kind != "text":
            caps = replace(
                caps, user=caps.user - {"document"}
            )  # no response format is allowed with those
        if req.system is not None or req.memories is not None or req.tools:
            msgs = self.with_prompt(req, style, caps, report)
        if req.response_format is not None and not self._format_as_read(req, model, style):
            msgs = ask_in_words(msgs, req, caps, style.wording, report)
        if req.agent_name is not None:
            style = style.seen_by(req.agent_name)
        if req.read is not None and self._still_read(req.read, model, style):
            if caps.property_names.chars and "tools" in req.read.list_unchanged(req.asks()):
                caps = vary(caps, property_names=IdRule())  # tools go back as they were read
            verbatim = prepare_verbatim(msgs, req.read, tools, caps, style, report, self.room)
            http = write_verbatim(req, req.read, verbatim, model, caps, self.room, report)
            return verbatim.made, self._finish(http)
        continued = req.extras is not None and self.room.continues(req, caps)
        prepared = prepare(msgs, tools, caps, style, report, True, continued, req.read)
        if not prepared.history.msgs:
            raise _nothing_to_send("$.messages")
        request = PreparedRequest(
            prepared.history,
            prepared.tools,
            req,
            model,
            caps,
            prepared.names,
            prepared.unbound is not None,
        )
        return prepared, self._finish(self.room.write(request, report))

    def _finish(self, http: HttpRequest) -> HttpRequest:
        """Add the vendor's headers, and sort the fields in the order of a prompt cache."""
        order, body = self.room.cache_order, http.body
        if order and order[1] in body:
            http.body = {name: body[name] for name in order if name in body} | body
        if self.vendor is not None and self.vendor.headers:
            http.headers = {**self.vendor.headers, **http.headers}
        return http

    def _model_name(self, req: ChatRequest, model: str | None, keep: bool, report: Report) -> str:
        """The model to ask: the argument, else the request's, else this host's default."""
        name = model or req.model
        if not name:
            name = self.room.model
            report.add_loss("model.default", req, "model", did=name)
            return name
        if type(name) is not str or not name.isascii():
            name = _whole_name(name, req, report)
        if not model and req.read is not None and req.read.protocol != self.room.host:
            if not keep and not self._is_related(req.read):
                report.add_loss(
                    "model.other_provider", req, "model", what=name, did=self.room.model
                )
                return self.room.model
            report.add_loss("model.kept", req, "model", what=name)
        return name

    def _is_related(self, read: AsRead) -> bool:
        """Whether the request was read over another wire of the same provider."""
        home = self.vendor
        rows = home.wires.values() if home is not None else ()
        # the first one answers there; of the others it only knows the fields
        own = {
            self._issuer,
            *(row.reads_items_of[0] for row in rows if getattr(row, "reads_items_of", ())),
        }
        return read.issuer in own | self.can().reads or (
            home is None and are_siblings(read.issuer, self._issuer)
        )

    def _fit_tools(
        self,
        tools: Sequence[Tool | ServerTool],
        req: ChatRequest,
        model: str,
        caps: Capabilities,
        style: FormatStyle,
        report: Report,
    ) -> Sequence[Tool | ServerTool]:
        """The tools that the model takes; all of them if they go back as this wire read them."""
        if req.read is None or not self._still_read(req.read, model, style):
            return run_step(_fit_tools, tools, report, caps)
        trial = report.trial()
        fits = fit_tools(tools, caps, trial) is tools and not trial.kinds
        if fits or "tools" in req.read.list_unchanged(req.asks()):
            return tools
        return fit_tools(tools, caps, report)

    def _still_read(self, read: AsRead, model: str, style: FormatStyle) -> bool:
        """Whether this wire read the request, for the same model and in the same style."""
        if (read.protocol, read.issuer) != (self.room.host, self._issuer):
            return False
        same = read.model == model or (read.model is None and model == self.room.model)
        return same and not style.rewrites and type(style.speakers) is ByRole and not style.changes

    def _format_as_read(self, req: ChatRequest, model: str, style: FormatStyle) -> bool:
        """Whether the response format goes back as this wire read it."""
        read = req.read
        same = read is not None and self._still_read(read, model, style)
        return same and read is not None and "response_format" in read.list_unchanged(req.asks())

    def with_prompt(
        self, req: ChatRequest, style: FormatStyle, caps: Capabilities, report: Report
    ) -> list[Msg]:
        """The messages, after a system prompt built from the request's other fields.

        Args:
            req: The request, with its `system`, `memories` and tools.
            style: The formatter's style, which has the prompt's layout.
            caps: The capabilities of the model; tools that it lacks are described in the prompt.
            report: Collects the losses.
        """
        functions = [tool for tool in req.tools if type(tool) is Tool]
        described = functions if style.prompt.describes(caps.tools) else []
        if req.system is None and req.memories is None and not described:
            return req.messages
        text = style.prompt.build(req.system, described, req.memories)
        if described:
            report.add_loss("prompt.tools", req, "tools")
        if req.memories is not None:
            report.add_loss("prompt.memories", req, "memories")
        prompt = Msg.create_unchecked(
            "", text.lstrip("\n") if req.system is None else text, "system"
        )
        report.set_place(prompt, "$.memories" if req.system is None else "$.system")
        return [prompt, *req.messages]

    def messages(
        self, msgs: list[Msg], caps: Capabilities, style: FormatStyle, report: Report
    ) -> list[JsonObject]:
        """The plain list of messages, as `format` returns it.

        Args:
            msgs: The messages.
            caps: The capabilities of the model.
            style: Speakers, limits and rewrites.
            report: Collects the losses.
        """
        try:
            history = prepare(msgs, [], caps, style, report, whole=False).history
            return self.room.messages(history, caps, report)
        except FAULTS as error:
            if not isinstance(error, DragomanError):
                checked_messages(msgs, report)
            raise


def _share_known(http: HttpRequest, tools: object, report: Report) -> Any:
    """The body of a request with known tools: parts of them are in it only where this is known."""
    is_whole = type(tools) is KnownTools
    if is_whole and not report.shared:
        return http.body
    # what is known of a session is in messages, which `own_entries` leaves as they are
    copy = own_entries if report.steps is None else copy_json
    shared = share_body(http.body, report.shared, copy) if is_whole else None
    if shared is None:
        http.body = copy_json(http.body)
    return shared or http.body


def _fit_tools(tools: Tools, caps: Capabilities, report: Report) -> Tools:
    """The step of `fit_tools`, with the report as its last argument."""
    return fit_tools(tools, caps, report)


def _alone(vendor: Any) -> bool:
    """Whether extras with the vendor's name are for all its wires, and no issuer has that name."""
    issuers = (getattr(dialect, "reads_items_of", ()) for dialect in vendor.wires.values())
    return vendor.name not in chain.from_iterable(issuers)


# -- names and texts that cannot be sent -----------------------------------------------------------

_HALF_PAIR = "half a pair is U+FFFD"


def _whole_name(name: object, req: ChatRequest, report: Report) -> str:
    """The name of a model; it must be valid UTF-8 because paths and headers contain it."""
    if not isinstance(name, str):
        raise InvalidMessage(
            f"must be text, not {type(name).__name__}", path="$.model", code="request.field"
        )
    broken: list[str] = []
    whole = heal(name, "$.model", broken)
    if broken:
        report.add_loss("text.surrogate", req, "model", did=_HALF_PAIR)
    return str(whole)


def _without_healed(req: ChatRequest, report: Report) -> ChatRequest:
    """Remove the note on invalid characters in the request's own texts, and report it."""
    extras = dict(req.extras or {})
    for field in extras.pop(HEALED)["healed"]:
        report.add_loss("text.surrogate", req, field, did=_HALF_PAIR)
    return replace(req, extras=extras or None)


# -- a request that continues what another provider stores -----------------------------------------


def refuse_server_state(
    req: ChatRequest, read: AsRead, room: Room, issuer: str, report: Report
) -> None:
    """Report fields that only the wire knows which read the request.

    `issuer` is the owner of the protocol's dialect here. Raises WriteError if the request continues
    something stored at another provider, because half a conversation must not be sent.
    """
    fields = (req.extras or {}).get(read.issuer, {})
    if read.protocol != room.protocol:
        for word in (req.extras or {}).get(name_notes(read.issuer), {}).get("words", ()):
            report.add_loss("word.other_provider", req, f"extras.{read.issuer}.{word}")
    elif read.issuer == issuer or getattr(getattr(room, "dialect", None), "stores", True):
        return  # this host may be the one that stores it
    for name in read.state:
        if name.startswith(ITEM):
            _refuse_items(req, read, name.removeprefix(ITEM), report)
        elif (state := fields.get(name)) and (not isinstance(state, dict) or state.get("id")):
            path = report.locate(req, field=f"extras.{read.issuer}.{name}")
            raise _server_side(name, read, path, "this field")


def _refuse_items(req: ChatRequest, read: AsRead, kind: str, report: Report) -> None:
    for m in req.messages:
        for block in () if isinstance(m.content, str) else m.content:
            data = block.data if type(block) is RawBlock and block.issuer == read.issuer else None
            if isinstance(data, dict) and data.get("type") == kind:
                raise _server_side(kind, read, report.locate(block), "such items")


def _server_side(name: str, read: AsRead, path: str, without: str) -> WriteError:
    return WriteError(
        f"{name} names what {read.issuer} keeps, and nobody else can go on from",
        path=path,
        code="state.server_side",
        hint=f"send the whole history, without {without}",
    )


# -- errors for a refused request, with their cause ------------------------------------------------

_NOT_UNDERSTOOD = ("raw.other_provider", "extras.other_provider")


def _with_losses(error: WriteError, req: ChatRequest, report: Report) -> WriteError:
    """Add the losses so far to the error; for an empty request, name what was not understood."""
    if error.code == "messages.empty":
        for m in req.messages:
            for issuer, fields in (m.extras or {}).items() if not m.blocks else ():
                if issuer.endswith((ANSWER, NOTES)) or not isinstance(fields, dict):
                    continue
                for name in fields:
                    report.add_loss("extras.other_provider", m, f"extras.{issuer}.{name}", name)
        error = _empty(req, report)
    error.losses = tuple(report.losses)
    return error


def _empty(req: ChatRequest, report: Report) -> WriteError:
    odd = next((loss for loss in report.losses if loss.code in _NOT_UNDERSTOOD), None)
    if odd is not None and req.messages:
        return _empty_because(
            "what stands here is no message or part that this wire has", odd.where
        )
    body_places = req.read.places if req.read is not None else None
    path = getattr(getattr(body_places, "room", None), "messages_path", "$.messages")
    value: Any = getattr(body_places, "body", {})
    for key in path.split(".")[1:]:
        value = value.get(key) if isinstance(value, dict) else None
    if value and not isinstance(value, list):
        return _empty_because("what stands here is no list of messages", path)
    return _nothing_to_send(path)


def _nothing_to_send(path: str) -> WriteError:
    return WriteError(
        "there is nothing to send", path=path, hint="add a user message", code="messages.empty"
    )


def _empty_because(why: str, path: str) -> WriteError:
    return WriteError(
        f"there is nothing to send: {why}",
        path=path,
        hint="spell it as its own wire does; `losses` of this error names all that was lost",
        code="messages.empty",
    )
