"""DashScope's text and multimodal generation as a protocol: writes whole requests.

`{"model", "input": {"messages"}, "parameters"}`; a header asks for a stream.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from ...capabilities import Capabilities
from ...capabilities.overrides import vary
from ...history.passes.survey import Tools
from ...losses import Field, Report
from ...message import ChatRequest, ServerTool, Tool, ToolResultBlock
from ...message.blocks import MEDIA_KINDS, ContentBlock
from ...text.json_text import Json, JsonObject
from ..base import HttpRequest, PreparedRequest, Room
from ..chat_like.messages import own_tool, replay
from ..chat_like.request import function_tool
from ..client_arguments import Arguments
from ..paths import CHAT_PATHS, PathTable, request_paths
from . import request as bodies
from .answer_read import DashScopeReader
from .answer_stream import DashScopeEncoder
from .answer_write import OVERFLOW, write_response
from .blocks import MEDIA
from .capabilities import CAN
from .dialect import MULTIMODAL, TEXT, Dialect
from .fields import FIELDS
from .messages import message_as_read, write_messages

_STREAM = {"Accept": "text/event-stream", "X-DashScope-SSE": "enable"}
_OSS = {"X-DashScope-OssResourceResolve": "enable"}
_FORMAT = "parameters.response_format"


class DashScope(Room):
    """DashScope's native generation, on the endpoint that serves the model.

    Args:
        dialect: The caller's dialect; None for the default one.
    """

    __slots__ = ()
    protocol = "dashscope"
    overflow = OVERFLOW
    unsaid_ends = frozenset({"whole"})
    messages_path = "$.input.messages"
    tools_path = "$.parameters.tools"
    addresses = ("*/services/aigc/*-generation/generation",)
    model_patterns = ("qwen-*",)
    body_fields = FIELDS
    base_capabilities = CAN
    dialect_class = Dialect
    reader_class = DashScopeReader
    encoder_class = DashScopeEncoder
    paths: ClassVar[PathTable] = {
        **CHAT_PATHS,
        **FIELDS.list_paths(),
        ("request", "tool_choice"): ("parameters.tool_choice",),
        ("tool_choice", "name"): ("parameters.tool_choice.function.name",),
        ("tool_choice", "parallel"): ("parameters.parallel_tool_calls",),
        ("request", "response_format"): (_FORMAT,),
        **{
            ("response_format", name): (f"{_FORMAT}.json_schema.{name}",)
            for name in ("schema", "name", "description", "strict")
        },
        ("tool", "strict"): ("function.strict",),
        ("message", "thinking"): ("reasoning_content",),
        ("text", "text"): ("text",),
        **{(kind, "source"): (kind,) for kind in MEDIA},
        **{(kind, "cache"): ("cache_control",) for kind in ("tool", "message", "text", *MEDIA)},
    }

    claims = staticmethod(bodies.claims)
    messages = write_messages
    message_as_read = message_as_read
    read_request = bodies.read_request
    body_as_read = bodies.body_as_read
    write_response = write_response

    def can(self) -> Capabilities:
        """Return what this protocol can carry; the endpoint is a fact about the model."""
        caps = super().can()
        roles: dict[str, Any] = {
            role: getattr(caps, role) | caps.move_media for role in self.dialect.media_seats
        }
        return vary(caps, **roles)

    def tools(self, tools: Tools, caps: Capabilities, report: Report) -> list[JsonObject]:
        """Write function tools and unknown tools; the provider's own are switches in the body.

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
            if isinstance(tool, Tool) or tool.kind == "own"
        ]

    def client_arguments(
        self, body: JsonObject, headers: Mapping[str, str], model: str | None
    ) -> Arguments:
        """Return the keyword arguments of `Generation.call` that send this body.

        Bodies for the multimodal path have those of `MultiModalConversation.call`.

        Args:
            body: The request body, as `write` returns it; it is not changed.
            headers: The headers that the request needs, without keys.
            model: The model's name where the path has it and the body does not; else None.

        Returns:
            The keyword arguments by their names in the client's method.
        """
        arguments: Arguments = {
            "model": model,
            **body.get("input", {}),
            **body.get("parameters", {}),
        }
        if "X-DashScope-SSE" in headers:
            arguments["stream"] = True
        others = {name: headers[name] for name in headers if name not in _STREAM}
        return {**arguments, "headers": others} if others else arguments

    def answers(self, payload: JsonObject, event: str | None = None) -> bool:
        """Whether a payload can be an answer or event of this protocol, judged by its keys.

        Args:
            payload: A whole answer, or the payload of one event of a stream.
            event: The event's name, where the framing has names.
        """
        output = payload.get("output")
        return isinstance(output, dict) and ("choices" in output or "text" in output)

    def places(self, req: ChatRequest, body: JsonObject) -> Iterator[tuple[str, object]]:
        """Find where the nodes of a request are: thinking and tools have switches.

        A prompt may take the place of the messages.

        Args:
            req: What `read_request` returned for the body.
            body: The body that was read.

        Yields:
            The path of a node or of a field of a node, and that node or `Field`.
        """
        if (effort := req.options.reasoning) is not None:
            key = "enable_thinking" if effort in ("on", "off") else "reasoning_effort"
            yield f"$.parameters.{key}", Field(req.options, "reasoning")
        yield from request_paths(req, body, self.paths)
        yield "$.parameters", req.options
        for tool in req.tools:
            if type(tool) is ServerTool and tool.kind != "own":
                yield "$.parameters", tool
                yield f"$.parameters.{bodies.SWITCHES[tool.kind]}", Field(tool, "kind")
                yield f"$.parameters.{bodies.SEARCH}.{bodies.SITES}", Field(tool, "domains")
        for i, m in enumerate(req.messages):
            if not hasattr(m, "read_from"):
                yield "$.input.prompt", m
                yield "$.input.prompt", Field(m, "content")
            elif not isinstance(m.read_from, dict):  # an entry that is no message
                for node in (m, *m.blocks):
                    yield f"$.input.messages[{i}]", node

    def write(self, prepared: PreparedRequest, report: Report) -> HttpRequest:
        """Write the request to `POST .../generation`, on the path of the endpoint that takes it.

        Args:
            prepared: The request after the passes.
            report: Gets a loss for everything that the wire cannot carry.

        Returns:
            The path of the endpoint, the headers of a stream, and the body.

        Source: Model Studio, "Qwen API via DashScope".
        """
        request, caps, history = prepared.request, prepared.caps, prepared.history
        # for an unknown model its messages decide, as in the vendor's SDK
        if (elements := prepared.elements) is None:
            blocks = (block for m in history.msgs if type(m.content) is list for block in m.content)
            if not caps.endpoint:
                has_media = any(map(_is_medium, blocks))
                caps = vary(caps, endpoint=MULTIMODAL if has_media else TEXT)
            endpoint = caps.endpoint
            messages = self.messages(history, caps, report)
        else:
            messages = [entry for entry in elements if isinstance(entry, dict)]
            endpoint = caps.endpoint or (MULTIMODAL if _are_in_parts(messages) else TEXT)
        tools = self.declare(prepared.offered, caps, report)
        body: JsonObject = {
            "model": prepared.model,
            "input": {"messages": messages},
            "parameters": bodies.write_parameters(prepared, tools, report),
        }
        # extra fields join `input` and `parameters`
        for key, value in replay({}, request, caps, report).items():
            if isinstance(value, dict) and isinstance(body.get(key), dict):
                body[key].update(value)
            else:
                body[key] = value
        headers = dict(_STREAM) if request.stream else {}
        if any(link.startswith("oss://") for link in _links(messages)):
            headers.update(_OSS)
        return HttpRequest(endpoint, headers, body)


def _is_medium(block: ContentBlock) -> bool:
    if type(block) is ToolResultBlock and isinstance(block.output, list):
        return any(_is_medium(part) for part in block.output)
    return block.type in MEDIA_KINDS


def _are_in_parts(messages: list[JsonObject]) -> bool:
    """Whether messages have the form of multimodal generation: lists of parts."""
    if any(True for _ in _links(messages)):
        return True
    contents = [entry.get("content") for entry in messages if entry.get("role") == "user"]
    # a text with a cache mark is a part on either endpoint
    return bool(contents) and all(
        isinstance(content, list)
        and not any(isinstance(part, dict) and "cache_control" in part for part in content)
        for content in contents
    )


def _links(messages: list[JsonObject]) -> Iterator[str]:
    for message in messages:
        content = message.get("content")
        for part in content if type(content) is list else ():
            for kind in MEDIA_KINDS & part.keys() if isinstance(part, dict) else ():
                links: list[Json] = part[kind] if isinstance(part[kind], list) else [part[kind]]
                yield from (link for link in links if isinstance(link, str))
