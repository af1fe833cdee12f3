"""Ollama's chat as a protocol: writes the whole request of `POST /api/chat`.

The server ignores unknown keys silently, so only known ones are written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from ...capabilities import Capabilities
from ...errors import ConfigError
from ...history.passes.survey import Tools
from ...losses import Report
from ...message import ChatRequest, Tool, ToolChoice
from ...text.json_text import JsonObject
from ..base import HttpRequest, PreparedRequest, Room
from ..chat_like.messages import own_tool, replay
from ..chat_like.request import function_tool
from ..client_arguments import Arguments, named_only
from ..paths import CHAT_PATHS, PathTable, request_paths
from ..request_fields import choice, format_unsaid, response_format
from . import request as bodies
from .answer_read import OllamaReader
from .answer_stream import OllamaEncoder
from .answer_write import OVERFLOW, write_response
from .capabilities import CAN
from .dialect import Dialect
from .fields import FIELDS
from .messages import message_as_read, write_messages

# the fields in its types of a tool, of its schema, and of the schema of one parameter
_TOOL = frozenset({"name", "description", "parameters"})
_SCHEMA = frozenset({"type", "$defs", "items", "required", "properties"})
_PROPERTY = frozenset({"type", "items", "description", "enum"})


class Ollama(Room):
    """Ollama's chat.

    Args:
        dialect: The caller's dialect; None for the default one.
    """

    __slots__ = ()
    protocol = "ollama"
    overflow = OVERFLOW
    addresses = ("*/api/chat",)
    framing = "ndjson"
    last_events = "done", (True,)
    body_fields = FIELDS
    base_capabilities = CAN
    dialect_class = Dialect
    reader_class = OllamaReader
    encoder_class = OllamaEncoder
    paths: ClassVar[PathTable] = {
        **CHAT_PATHS,
        **FIELDS.list_paths(),
        ("request", "response_format"): ("format",),
        ("response_format", "schema"): ("format",),
        ("tool", "strict"): ("function.strict",),
        ("message", "thinking"): ("thinking",),
        ("tool_result", "name"): ("tool_name", "name"),
    }

    claims = staticmethod(bodies.claims)
    messages = write_messages
    message_as_read = message_as_read
    read_request = bodies.read_request
    body_as_read = bodies.body_as_read
    write_response = write_response

    def tools(self, tools: Tools, caps: Capabilities, report: Report) -> list[JsonObject]:
        """Write function tools and unknown tools; the server runs none of its own.

        Args:
            tools: The tools that are offered, in order, under the names that the wire takes.
            caps: What the model and the wire take.
            report: Gets a loss for each field that cannot be written.

        Returns:
            The entries of `tools`.
        """
        return [
            function_tool(tool, caps, report) if isinstance(tool, Tool) else own_tool(tool, caps)
            for tool in tools
        ]

    def answers(self, payload: JsonObject, event: str | None = None) -> bool:
        """Whether a payload can be an answer or line of this protocol, judged by its keys.

        Args:
            payload: A whole answer, or the payload of one event of a stream.
            event: The event's name, where the framing has names.
        """
        answer = payload.get("message", payload.get("response"))
        return type(payload.get("done")) is bool and isinstance(answer, (dict, str))

    def places(self, req: ChatRequest, body: JsonObject) -> Iterator[tuple[str, object]]:
        """Find where the nodes of a request are: e.g. `$.messages[2].tool_calls[0].function.name`.

        Args:
            req: What `read_request` returned for the body.
            body: The body that was read.

        Yields:
            The path of a node or of a field of a node, and that node or `Field`.
        """
        yield "$.options", req.options
        for path, node in request_paths(req, body, self.paths):
            yield path.removesuffix(".source"), node  # an image is its own source
        for i, m in enumerate(req.messages):
            if not isinstance(m.read_from, dict):  # an entry that is no message
                for node in (m, *m.blocks):
                    yield f"$.messages[{i}]", node

    def client_arguments(
        self, body: JsonObject, headers: Mapping[str, str], model: str | None
    ) -> Arguments:
        """Return the keyword arguments of `client.chat` that send this body.

        The client's types drop the ids of calls; results name the tool as well.

        Args:
            body: The request body, as `write` returns it; it is not changed.
            headers: The headers that the request needs, without keys.
            model: The model's name where the path has it and the body does not; else None.

        Returns:
            The keyword arguments.

        Raises:
            ConfigError: For a schema of which the client's types would drop a part.
        """
        for i, tool in enumerate(body.get("tools", ())):
            if unknown := _not_typed(tool.get("function", {})):
                raise ConfigError(
                    f"ollama's types drop {unknown} of $.tools[{i}].function",
                    hint="send path, headers and body with an HTTP client",
                    code="sdk.field",
                )
        return named_only(body, headers, FIELDS.arguments, "ollama")

    def write(self, prepared: PreparedRequest, report: Report) -> HttpRequest:
        """Write the request to `POST /api/chat`; `stream` is always given, as it defaults to true.

        Args:
            prepared: The request after the passes.
            report: Gets a loss for everything that the wire cannot carry.

        Returns:
            The path of the dialect, no headers, and the body.

        Source: ollama docs/api.md, "Chat".
        """
        request, caps = prepared.request, prepared.caps
        messages = prepared.elements
        if messages is None:
            messages = self.messages(prepared.history, caps, report)
        body: JsonObject = {"model": prepared.model, "messages": messages}
        _report_choice(choice(prepared, report), request, report)
        if prepared.offered:
            body["tools"] = self.declare(prepared.offered, caps, report)
        body["stream"] = request.stream
        form = response_format(request, caps, report)
        if form is not None and form.kind != "text":
            body["format"] = form.schema if form.kind == "schema" else "json"
            format_unsaid(form, report)
        bodies.write_options(body, prepared, report)
        extras = replay({}, request, caps, report)
        if isinstance(extras.get("options"), dict):
            extras = {**extras, "options": {**body.get("options", {}), **extras["options"]}}
        body.update(extras)
        return HttpRequest(self.dialect.path, {}, body)


def _not_typed(function: JsonObject) -> str:
    """Return the first field of a tool, or of its schema, that the client's types lack."""
    parameters = function.get("parameters") or {}
    nodes = {"": (function, _TOOL), "parameters.": (parameters, _SCHEMA)}
    for name, schema in (parameters.get("properties") or {}).items():
        nodes[f"parameters.properties.{name}."] = (schema, _PROPERTY)
    places = (
        f"{path}{key}" for path, (node, known) in nodes.items() for key in node if key not in known
    )
    return next(places, "")


def _report_choice(tool_choice: ToolChoice | None, request: ChatRequest, report: Report) -> None:
    """Report a tool choice: this wire has no place for it."""
    if tool_choice is None or request.tool_choice is None:
        return
    usual = {"mode": ("auto", "none"), "allowed": ((),), "parallel": (None,)}
    for name, values in usual.items():
        # without tools, the model calls none
        if getattr(tool_choice, name) not in values:
            # the name of a tool is dropped with the mode
            field = "" if tool_choice.mode == "tool" and name == "mode" else name
            report.add_loss(
                "tool_choice.lowered", request.tool_choice, field, did="left to the model"
            )
