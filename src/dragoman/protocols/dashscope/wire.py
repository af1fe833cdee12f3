"""DashScope's text and multimodal generation: the whole request, and the protocol's contract.

`{"model", "input": {"messages"}, "parameters"}`; a header asks for a stream.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from ..._core.jsontext import Json, JsonObject
from ..._core.passes.roles import RoledHistory
from ...capabilities import Capabilities
from ...losses import Report
from ...message import ChatRequest, ChatResponse, Msg, ServerTool, Tool, ToolResultBlock
from ...message.blocks import MEDIA_KINDS, ContentBlock
from ..base import Encoder, HttpRequest, PreparedRequest, Reader, Room
from ..chat_request import function_tool
from ..chat_shape import own_tool, replay
from .answer import write_response
from .dialect import CAN, MULTIMODAL, TEXT, Dialect
from .encoder import DashScopeEncoder
from .messages import MessageComposer, MessageWriter
from .paths import places
from .reader import DashScopeReader
from .request import body_as_read, claims, read_request, write_parameters

_STREAM = {"Accept": "text/event-stream", "X-DashScope-SSE": "enable"}


_OSS = {"X-DashScope-OssResourceResolve": "enable"}


class DashScope(Room):
    """DashScope's native generation, on the endpoint that serves the model."""

    __slots__ = ()
    dialect: Dialect
    protocol = "dashscope"
    messages_path = "$.input.messages"
    addresses: tuple[str, ...] = ("*/services/aigc/*-generation/generation",)
    model_patterns: tuple[str, ...] = ("qwen-*",)
    base_capabilities = CAN
    dialect_class = Dialect

    def can(self) -> Capabilities:
        """What this protocol carries, before any model's facts; the endpoint is one of those."""
        caps = super().can()
        roles: dict[str, Any] = {
            role: getattr(caps, role) | caps.move_media for role in self.dialect.media_seats
        }
        return dataclasses.replace(caps, **roles)

    def messages(
        self, history: RoledHistory, caps: Capabilities, report: Report
    ) -> list[JsonObject]:
        """The `messages` of the request."""
        return MessageComposer(caps, self.dialect, caps.endpoint, report).messages(history)

    def tools(
        self, tools: Sequence[Tool | ServerTool], caps: Capabilities, report: Report
    ) -> list[JsonObject]:
        """Function tools, and tools nobody models; what the provider runs is switched on beside."""
        entries = []
        for tool in tools:
            if type(tool) is Tool:
                entries.append(function_tool(tool, caps, report))
            elif type(tool) is ServerTool and tool.kind == "own":
                entries.append(own_tool(tool, caps))
        return entries

    def reader(self, caps: Capabilities) -> Reader:
        """A reader for one answer or stream."""
        return DashScopeReader(self.dialect)

    def answers(self, payload: JsonObject, event: str | None = None) -> bool:
        """Whether an answer or event of this shape can be this protocol's, judged by its keys."""
        output = payload.get("output")
        return isinstance(output, dict) and ("choices" in output or "text" in output)

    def read_request(
        self, body: JsonObject, path: str | None = None, headers: Mapping[str, str] | None = None
    ) -> ChatRequest:
        """The request that a body makes; without headers, its parameters say if it is streamed."""
        return read_request(body, self.issuer, headers)

    def messages_as_read(self, msgs: Sequence[Msg]) -> list[Json]:
        """The entries of `messages` that these were read from."""
        writer = MessageWriter(self.issuer)
        return [writer.message(m) for m in msgs]

    def body_as_read(
        self, req: ChatRequest, kept: Collection[str], elements: list[Json]
    ) -> JsonObject:
        """The body around `elements`, with the fields of `kept` as they were read."""
        return body_as_read(req, kept, elements, self.issuer)

    def claims(self, body: Json, path: str | None = None) -> bool:
        """Whether this can be a request of this protocol, judged by its keys and shapes."""
        return claims(body, path)

    def places(self, req: ChatRequest, body: JsonObject) -> Iterator[tuple[str, object]]:
        """Where the nodes of a request stand in the body that it was read from."""
        return places(req, body)

    def write_response(
        self, resp: ChatResponse, report: Report, request: ChatRequest | None = None
    ) -> JsonObject:
        """The answer as the generation endpoints give it whole."""
        return write_response(resp, report, request, self.dialect.issuers)

    def encoder(self, report: Report, request: ChatRequest | None = None) -> Encoder:
        """An encoder for the events of one answer."""
        return DashScopeEncoder(report, request, self.dialect)

    def write(self, prepared: PreparedRequest, report: Report) -> HttpRequest:
        """The body of `POST .../generation`, and the path of the endpoint that takes it."""
        request, caps, history = prepared.request, prepared.caps, prepared.history
        # where nobody knows the model, its messages decide, as they do in the vendor's SDK
        if (elements := prepared.elements) is None:
            endpoint = caps.endpoint or (MULTIMODAL if _has_media(history) else TEXT)
            messages = MessageComposer(caps, self.dialect, endpoint, report).messages(history)
        else:
            messages = [entry for entry in elements if isinstance(entry, dict)]
            endpoint = caps.endpoint or (MULTIMODAL if _are_in_parts(messages) else TEXT)
        tools = self.tools(prepared.offered, caps, report)
        body: JsonObject = {
            "model": prepared.model,
            "input": {"messages": messages},
            "parameters": write_parameters(prepared, tools, messages, report),
        }
        # fields that nobody models join `input` and `parameters`
        for key, value in replay({}, request, caps, report).items():
            if isinstance(value, dict) and isinstance(body.get(key), dict):
                body[key].update(value)
            else:
                body[key] = value
        headers = dict(_STREAM) if request.stream else {}
        if any(link.startswith("oss://") for link in _links(messages)):
            headers.update(_OSS)
        return HttpRequest(endpoint, headers, body)


def _has_media(history: RoledHistory) -> bool:
    blocks = (block for m in history.msgs if type(m.content) is not str for block in m.blocks)
    return any(_is_medium(block) for block in blocks)


def _is_medium(block: ContentBlock) -> bool:
    if type(block) is ToolResultBlock and isinstance(block.output, list):
        return any(_is_medium(part) for part in block.output)
    return block.type in MEDIA_KINDS


def _are_in_parts(messages: list[JsonObject]) -> bool:
    """Whether messages as they were read are those of multimodal generation: lists of parts."""
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
        for part in content if isinstance(content, list) else ():
            for kind in MEDIA_KINDS & part.keys() if isinstance(part, dict) else ():
                links = part[kind] if isinstance(part[kind], list) else [part[kind]]
                yield from (link for link in links if isinstance(link, str))
