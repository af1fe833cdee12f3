"""The whole request of `POST /api/chat`, and the contract of the protocol.

Unknown keys are ignored by the server without a word, so only known ones are written.
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
from . import request as fields
from .answer_read import OllamaReader
from .answer_stream import OllamaEncoder
from .answer_write import OVERFLOW, write_response
from .dialect import CAN, Dialect
from .messages import message_as_read, write_messages

# of Ollama's client, version 0.6
_ARGUMENTS = frozenset(
    {
        "model",
        "messages",
        "tools",
        "stream",
        "think",
        "logprobs",
        "top_logprobs",
        "format",
        "options",
        "keep_alive",
    }
)
# what its types hold of a tool, of its schema, and of the schema of one parameter
_TOOL = frozenset({"name", "description", "parameters"})
_SCHEMA = frozenset({"type", "$defs", "items", "required", "properties"})
_PROPERTY = frozenset({"type", "items", "description", "enum"})


class Ollama(Room):
    """Ollama's chat."""

    __slots__ = ()
    protocol = "ollama"
    overflow = OVERFLOW
    addresses = ("*/api/chat",)
    unique_fields = fields.UNIQUE_FIELDS
    framing = "ndjson"
    last_events = "done", (True,)
    base_capabilities = CAN
    dialect_class = Dialect
    reader_class = OllamaReader
    encoder_class = OllamaEncoder
    paths: ClassVar[PathTable] = {
        **CHAT_PATHS,
        **{("options", name): (path,) for name, path in fields.OPTIONS.items()},
        ("options", "reasoning"): ("think",),
        ("request", "response_format"): ("format",),
        ("response_format", "schema"): ("format",),
        ("tool", "strict"): ("function.strict",),
        ("message", "thinking"): ("thinking",),
        ("tool_result", "name"): ("tool_name", "name"),
    }

    claims = staticmethod(fields.claims)
    messages = write_messages
    message_as_read = message_as_read
    read_request = fields.read_request
    body_as_read = fields.body_as_read
    write_response = write_response

    def tools(self, tools: Tools, caps: Capabilities, report: Report) -> list[JsonObject]:
        """Function tools, and tools nobody models; the server runs none of its own."""
        return [
            function_tool(tool, caps, report) if isinstance(tool, Tool) else own_tool(tool, caps)
            for tool in tools
        ]

    def answers(self, payload: JsonObject, event: str | None = None) -> bool:
        """Whether an answer or event of this shape can be this protocol's, judged by its keys."""
        answer = payload.get("message", payload.get("response"))
        return type(payload.get("done")) is bool and isinstance(answer, (dict, str))

    def places(self, req: ChatRequest, body: JsonObject) -> Iterator[tuple[str, object]]:
        """Where the nodes of a request stand: e.g. `$.messages[2].tool_calls[0].function.name`."""
        yield "$.options", req.options
        for path, node in request_paths(req, body, self.paths):
            yield path.removesuffix(".source"), node  # an image is its own source
        for i, m in enumerate(req.messages):
            if not isinstance(m.read_from, dict):  # what is no message
                for node in (m, *m.blocks):
                    yield f"$.messages[{i}]", node

    def client_arguments(
        self, body: JsonObject, headers: Mapping[str, str], model: str | None
    ) -> Arguments:
        """Those of `client.chat`.

        Its types drop the ids of calls, whose results name the tool as well. Raises ConfigError for
        a schema of which they drop a part.
        """
        for i, tool in enumerate(body.get("tools", ())):
            if unknown := _not_typed(tool.get("function", {})):
                raise ConfigError(
                    f"ollama's types drop {unknown} of $.tools[{i}].function",
                    hint="send path, headers and body with an HTTP client",
                    code="sdk.field",
                )
        return named_only(body, headers, _ARGUMENTS, "ollama")

    def write(self, prepared: PreparedRequest, report: Report) -> HttpRequest:
        """The body of `POST /api/chat`; `stream` stands there always, for true is the default."""
        request, caps = prepared.request, prepared.caps
        messages = prepared.elements
        if messages is None:
            messages = self.messages(prepared.history, caps, report)
        body: JsonObject = {"model": prepared.model, "messages": messages}
        _report_choice(choice(prepared, report), request, report)
        if prepared.offered:
            body["tools"] = self.tools(prepared.offered, caps, report)
        body["stream"] = request.stream
        form = response_format(request, caps, report)
        if form is not None and form.kind != "text":
            body["format"] = form.schema if form.kind == "schema" else "json"
            format_unsaid(form, report)
        fields.write_options(body, prepared, report)
        extras = replay({}, request, caps, report)
        if isinstance(extras.get("options"), dict):
            extras = {**extras, "options": {**body.get("options", {}), **extras["options"]}}
        body.update(extras)
        return HttpRequest(self.dialect.path, {}, body)


def _not_typed(function: JsonObject) -> str:
    """The first field of a tool, or of its schema, that the client's types do not hold."""
    parameters = function.get("parameters") or {}
    nodes = {"": (function, _TOOL), "parameters.": (parameters, _SCHEMA)}
    for name, schema in (parameters.get("properties") or {}).items():
        nodes[f"parameters.properties.{name}."] = (schema, _PROPERTY)
    places = (
        f"{path}{key}" for path, (node, known) in nodes.items() for key in node if key not in known
    )
    return next(places, "")


def _report_choice(tool_choice: ToolChoice | None, request: ChatRequest, report: Report) -> None:
    """Name what a model could be told to choose: this wire has no place for it."""
    if tool_choice is None or request.tool_choice is None:
        return
    usual = {"mode": ("auto", "none"), "allowed": ((),), "parallel": (None,)}
    for name, values in usual.items():
        # whom tools are withheld from calls none
        if getattr(tool_choice, name) not in values:
            # the name of a tool goes with the mode
            field = "" if tool_choice.mode == "tool" and name == "mode" else name
            report.lost("tool_choice.lowered", request.tool_choice, field, did="left to the model")
