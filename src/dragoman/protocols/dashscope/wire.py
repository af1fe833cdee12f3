"""The room: the whole request of DashScope's text and multimodal generation.

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
from ..chat_shape import function_tool, own_tool, replay
from .answer import write_response
from .dialect import CAN, MULTIMODAL, TEXT, Dialect
from .encoder import DashScopeEncoder
from .messages import Writer, form_of, message_as_read
from .paths import places
from .reader import DashScopeReader
from .request import body_as_read, claims, parameters, read_request

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
        known = super().can()
        seats: dict[str, Any] = {
            seat: getattr(known, seat) | known.move_media for seat in self.dialect.media_seats
        }
        return dataclasses.replace(known, **seats)

    def messages(
        self, history: RoledHistory, caps: Capabilities, report: Report
    ) -> list[JsonObject]:
        """The `messages` of the request."""
        return Writer(caps, self.dialect, form_of(caps.endpoint), report).messages(history)

    def tools(
        self, tools: Sequence[Tool | ServerTool], caps: Capabilities, report: Report
    ) -> list[JsonObject]:
        """Function tools, and tools nobody models; what the provider runs is switched on beside."""
        made = []
        for tool in tools:
            if type(tool) is Tool:
                made.append(function_tool(tool, caps, report))
            elif type(tool) is ServerTool and tool.kind == "own":
                made.append(own_tool(tool, caps))
        return made

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
        return read_request(body, self.dialect.issuers[0], headers)

    def messages_as_read(self, msgs: Sequence[Msg]) -> list[Json]:
        """The entries of `messages` that these were read from."""
        issuer = self.dialect.issuers[0]
        return [message_as_read(m, issuer) for m in msgs]

    def body_as_read(
        self, req: ChatRequest, kept: Collection[str], elements: list[Json]
    ) -> JsonObject:
        """The body around `elements`, with the fields of `kept` as they were read."""
        return body_as_read(req, kept, elements, self.dialect.issuers[0])

    def claims(self, body: Json, path: str | None = None) -> bool:
        """Whether this can be a request of this protocol, judged by its keys and shapes."""
        return claims(body, path)

    def places(self, req: ChatRequest, body: JsonObject) -> Iterator[tuple[str, object]]:
        """Where the nodes of a request stand in the body that it was read from."""
        return places(req, self.dialect.issuers[0])

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
        if (told := prepared.elements) is None:
            endpoint = caps.endpoint or (MULTIMODAL if _shows_media(history) else TEXT)
            said = Writer(caps, self.dialect, form_of(endpoint), report).messages(history)
        else:
            said = [one for one in told if isinstance(one, dict)]
            endpoint = caps.endpoint or (MULTIMODAL if _listed(said) else TEXT)
        tools = self.tools(prepared.offered, caps, report)
        body: JsonObject = {
            "model": prepared.model,
            "input": {"messages": said},
            "parameters": parameters(prepared, tools, said, report),
        }
        _merge(body, replay({}, request, caps, report))
        headers = dict(_STREAM) if request.stream else {}
        if any(link.startswith("oss://") for link in _links(said)):
            headers.update(_OSS)
        return HttpRequest(endpoint, headers, body)


def _shows_media(history: RoledHistory) -> bool:
    blocks = (block for m in history.msgs if type(m.content) is not str for block in m.blocks)
    return any(_is_medium(block) for block in blocks)


def _is_medium(block: ContentBlock) -> bool:
    if type(block) is ToolResultBlock and isinstance(block.output, list):
        return any(_is_medium(inner) for inner in block.output)
    return block.type in MEDIA_KINDS


def _listed(messages: list[JsonObject]) -> bool:
    """Whether messages as they were read are those of multimodal generation: lists of parts."""
    if any(True for _ in _links(messages)):
        return True
    contents = [one.get("content") for one in messages if one.get("role") == "user"]
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
                found = part[kind]
                listed = found if isinstance(found, list) else [found]
                yield from (one for one in listed if isinstance(one, str))


def _merge(body: JsonObject, own: JsonObject) -> None:
    """Fields of this protocol that nobody else knows join `input` and `parameters`."""
    for key, value in own.items():
        if isinstance(value, dict) and isinstance(body.get(key), dict):
            body[key].update(value)
        else:
            body[key] = value
