"""The Messages API as a protocol: writes whole requests, and names the functions for all else.

Reference: Anthropic API, "Create a Message": `system` is beside the messages, `max_tokens` is
required.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from ...capabilities import Capabilities
from ...history.passes.survey import Tools
from ...losses import Field, Report
from ...message import ChatRequest, ChatResponse, RawBlock, TextBlock, Tool
from ...message.known_tools import run_step
from ...stream.framing import Framing
from ...text.json_text import JsonObject, field_at
from ..base import HttpRequest, PreparedRequest, Room
from ..chat_like.messages import head, in_path, own_extras, replay
from ..client_arguments import Arguments, with_extra_body
from ..paths import PathTable, request_paths
from ..request_fields import choice
from . import dialect as hosts
from . import request as bodies
from .answer_read import MessagesReader
from .answer_stream import MessagesEncoder
from .answer_write import OVERFLOW, write_response
from .betas import drop_unknown_fields, headers_as_read, known_scopes, write_betas
from .capabilities import CAN
from .fields import FIELDS
from .messages import at_top, claims, message_as_read, write_messages, write_system
from .server_tools import list_known_tools

_PATH = hosts.Dialect().path
_EVENTS = frozenset(
    {
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
        "ping",
    }
)
_CACHED = ("tool", "text", "image", "document", "tool_use", "tool_result")


class Anthropic(Room):
    """The Messages API in one host's dialect.

    Args:
        dialect: The host's dialect; None for Anthropic's.
    """

    __slots__ = ()
    dialect: hosts.Dialect
    protocol = "anthropic"
    overflow = OVERFLOW
    addresses = ("*/v1/messages",)
    model_patterns = ("claude-*",)
    state_fields = ("thread", "container")
    pauses = True
    reads_in_parts = True
    last_events = "type", ("message_stop",)
    ends_in_text = True  # Claude Code 2.1.197 prints the last block (2026-11-22)
    body_fields = FIELDS
    base_capabilities = CAN
    cache_order = ("model", "tools", "system", "messages")
    dialect_class = hosts.Dialect
    reader_class = MessagesReader
    encoder_class = MessagesEncoder
    paths: ClassVar[PathTable] = {
        **FIELDS.list_paths(),
        ("request", "response_format"): bodies.FORMAT_PATHS,
        ("response_format", "schema"): tuple(f"{path}.schema" for path in bodies.FORMAT_PATHS),
        ("tool_choice", "mode"): ("tool_choice.type",),
        ("tool_choice", "parallel"): ("tool_choice.disable_parallel_tool_use",),
        ("tool", "kind"): ("type",),
        ("tool", "domains"): ("allowed_domains",),
        ("tool", "location"): ("user_location",),
        **{(kind, "cache"): ("cache_control",) for kind in _CACHED},
        ("tool_result", "id"): ("tool_use_id",),
        ("tool_result", "output"): ("content",),
        ("thinking", "redacted"): ("data",),
        ("document", "context"): ("context",),
        ("document", "cite"): ("citations",),
    }

    claims = staticmethod(claims)
    messages = write_messages
    message_as_read = message_as_read
    read_request = bodies.read_request
    body_as_read = bodies.body_as_read
    headers_as_read = headers_as_read
    write_response = write_response

    @property
    def framing(self) -> Framing:  # type: ignore[override]  # here it depends on the host
        """The framing of the host's streams."""
        return self.dialect.framing

    @property
    def host(self) -> str:
        """The form of the bodies: some hosts have the model in the path, or not every beta."""
        path, every = self.dialect.path, self.dialect.betas is None
        return self.protocol if path == _PATH and every else f"{self.protocol} {path}"

    def continues(self, request: ChatRequest, caps: Capabilities) -> bool:
        """Whether the request continues a thread (beta), for which only new messages are sent.

        Args:
            request: The request with its own fields.
            caps: What the model and the wire take.
        """
        thread = own_extras(request, caps).get("thread")
        return isinstance(thread, dict) and thread.get("type") == "continue"

    def request_rest(self, body: JsonObject, resp: ChatResponse) -> JsonObject | None:
        """Return the same request with the answer so far as its last message, unchanged.

        It runs in the container of the answer. The provider itself has the messages of a thread
        (beta), whose request names the answer instead. A call that waits for its result, and a
        pause that the request has asked for (`pause_after_compaction`), are the caller's.

        Args:
            body: The body that was sent first.
            resp: What has come of the answer; it has paused.

        Returns:
            The body; None if the caller has to go on.

        Sources: Anthropic docs, "Server tools"; anthropics/anthropic-sdk-python issue 1339 (the
        paused turn has to be the last message); anthropic 2.14, `ThreadState` (containers, threads)
        and `_STOP_REASON_STEPS` (looked up 2026-11-29).
        """
        paused = resp.candidates[0]
        if paused.finish.raw == "compaction" or paused.msg.calls or resp.calls:
            return None
        if body.get("thread") is not None:
            if not resp.id:
                return None
            rest = {key: value for key, value in body.items() if key not in ("system", "tools")}
            thread = {"type": "continue", "previous_message_id": resp.id}
            return {**rest, "messages": [], "thread": thread}
        content = write_response(self, resp, Report())["content"]
        if not content:
            return None
        turn = {"role": "assistant", "content": content}
        rest = {**body, "messages": [*body.get("messages", ()), turn]}
        given = body.get("container")
        id = field_at((resp.extras or {}).get(self.issuer, {}), "container.id")
        if isinstance(id, str):
            if given is None:
                rest["container"] = id  # an object that has nothing but an id is refused
            elif isinstance(given, dict) and not given.get("id"):
                rest["container"] = {**given, "id": id}
        return rest

    def tools(self, tools: Tools, caps: Capabilities, report: Report) -> list[JsonObject]:
        """Write client tools `{"name", "description", "input_schema"}`, and the provider's own.

        Args:
            tools: The tools that are offered, in order, under the names that the wire takes.
            caps: What the model and the wire take.
            report: Gets a loss for each field that cannot be written.

        Returns:
            The entries of `tools`.
        """
        return [bodies.write_tool(tool, caps, report) for tool in tools]

    def answers(self, payload: JsonObject, event: str | None = None) -> bool:
        """Whether a payload can be an answer or event of this protocol, judged by its keys.

        Args:
            payload: A whole answer, or the payload of one event of a stream.
            event: The event's name, where the framing has names.
        """
        kind = payload.get("type")
        if kind == "message":
            return isinstance(payload.get("content"), list)
        return isinstance(kind, str) and kind in _EVENTS

    def places(self, req: ChatRequest, body: JsonObject) -> Iterator[tuple[str, object]]:
        """Find where the nodes of a request are in the body that they were read from.

        This includes nodes that are no objects of their own, such as citations.

        Args:
            req: What `read_request` returned for the body.
            body: The body that was read.

        Yields:
            The path of a node or of a field of a node, and that node or `Field`.
        """
        yield "$.options", req.options
        effort = req.options.reasoning
        if effort is not None and field_at(body, "output_config.effort") == effort:
            yield "$.output_config.effort", Field(req.options, "reasoning")
        for m in req.messages:
            if at_top(m) and isinstance(m.content, str):
                yield "$.system", m
        for path, node in request_paths(req, body, self.paths):
            yield path, node
            if type(node) is Tool:
                yield f"{path}.input_schema", Field(node, "parameters")
            elif type(node) is TextBlock:
                for i, citation in enumerate(node.citations or ()):
                    yield f"{path}.citations[{i}]", citation
            elif type(node) is RawBlock and node.role != "message":
                yield path, Field(node, "data")
            elif getattr(node, "source", None) is not None:
                yield f"{path}.source", Field(node, "source")

    def client_arguments(
        self, body: JsonObject, headers: Mapping[str, str], model: str | None
    ) -> Arguments:
        """Return the keyword arguments of `client.messages.create` that send this body.

        Args:
            body: The request body, as `write` returns it; it is not changed.
            headers: The headers that the request needs, without keys.
            model: The model's name where the path has it and the body does not; else None.

        Returns:
            The keyword arguments. Fields that the client has no parameter for are in `extra_body`.
        """
        return with_extra_body(body, headers, model, FIELDS.arguments)

    def write(self, prepared: PreparedRequest, report: Report) -> HttpRequest:
        """Write the request to `POST /v1/messages`.

        Args:
            prepared: The request after the passes.
            report: Gets a loss for everything that the wire cannot carry.

        Returns:
            The path of the dialect, the headers for version and betas, and the body.

        Source: Anthropic API, "Create a Message".
        """
        request, caps, dialect = prepared.request, prepared.caps, self.dialect
        history = prepared.history
        if dialect.betas is not None:
            history = known_scopes(history, dialect, report)
        body: JsonObject = {} if dialect.model_place == "path" else {"model": prepared.model}
        headers: dict[str, str] = {}
        if dialect.version_place == "body":
            body["anthropic_version"] = dialect.version
        else:
            headers["anthropic-version"] = dialect.version
        thinking = bodies.requested_thinking(prepared, report)
        budget = bodies.thinking_budget(thinking, caps)
        body["max_tokens"] = bodies.write_maximum(request, caps, budget, report)
        start = head(history)
        if start:
            body["system"] = write_system(history, start, caps, dialect)
        elements = prepared.elements
        if elements is None:
            elements = write_messages(self, history, caps, report, start)
        body["messages"] = elements
        if offered := run_step(list_known_tools, prepared.offered, report, dialect):
            body["tools"] = self.declare(offered, caps, report)
        if (tool_choice := choice(prepared, report)) is not None:
            body["tool_choice"] = bodies.write_choice(tool_choice)
        body.update(bodies.write_options(request, caps, report))
        bodies.write_format(body, prepared, report)
        if thinking is not None:
            bodies.write_thinking(body, thinking, prepared, report)
        bodies.write_display(body, request, caps, report)
        if request.stream and dialect.stream_flag:
            body["stream"] = True
        replay(body, request, caps, report)
        if thinking is not None and thinking.off:
            bodies.fit_still_fields(body, request, self.issuer, caps, report)
        betas = [
            *(bodies.drop_unbound_thinking(body) if prepared.switch else ()),
            *(bodies.needed_betas(body) if "thinking" in body else ()),
        ]
        write_betas(body, headers, betas, dialect, request, report)
        if request.extras:
            drop_unknown_fields(body, dialect, request, caps, report)
        path = (request.stream and dialect.stream_path) or dialect.path
        model = in_path(prepared.model or dialect.model, safe="@")
        return HttpRequest(path.format(model=model), headers, body)
