"""The room: the whole request of DashScope's text and multimodal generation.

`{"model", "input": {"messages"}, "parameters"}`; a header asks for a stream.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

from ...capabilities import Capabilities
from ...jsontext import JsonObject
from ...losses import Report
from ...message import ServerTool, Tool, ToolResultBlock
from ...message.blocks import MEDIA_KINDS, ContentBlock
from ...room import Bound, Reader, Request, SayableRequest
from ...seats import Seated
from ...shapes import function_tool, replay
from .dialect import CAN, MULTIMODAL, TEXT, Dialect
from .parameters import parameters
from .reader import DashScopeReader
from .writer import Writer, form_of

__all__ = ["DashScope"]

_STREAM = {"Accept": "text/event-stream", "X-DashScope-SSE": "enable"}
_OSS = {"X-DashScope-OssResourceResolve": "enable"}


class DashScope(Bound[Dialect]):
    """DashScope's native generation, on the endpoint that serves the model."""

    __slots__ = ()
    protocol = "dashscope"
    carries = CAN
    spoken = Dialect

    def can(self) -> Capabilities:
        """What this protocol carries, before any model's facts; the endpoint is one of those."""
        known = super().can()
        seats: dict[str, Any] = {
            seat: getattr(known, seat) | known.move_media for seat in self.dialect.media_seats
        }
        return dataclasses.replace(known, **seats)

    def messages(self, seated: Seated, can: Capabilities, report: Report) -> list[JsonObject]:
        """The `messages` of the request."""
        return Writer(can, self.dialect, form_of(can.endpoint), report).messages(seated)

    def tools(
        self, tools: Sequence[Tool | ServerTool], can: Capabilities, report: Report
    ) -> list[JsonObject]:
        """Function tools; those that the provider runs are switches beside them."""
        return [function_tool(tool, can, report) for tool in tools if type(tool) is Tool]

    def reader(self, can: Capabilities) -> Reader:
        """A reader for one answer or stream."""
        return DashScopeReader(self.dialect)

    def answers(self, payload: JsonObject, event: str | None = None) -> bool:
        """Whether an answer or event of this shape can be this protocol's, judged by its keys."""
        output = payload.get("output")
        return isinstance(output, dict) and ("choices" in output or "text" in output)

    def write(self, say: SayableRequest, report: Report) -> Request:
        """The body of `POST .../generation`, and the path of the endpoint that takes it."""
        request, can, seated = say.request, say.can, say.seated
        # where nobody knows the model, its messages decide, as they do in the vendor's SDK
        endpoint = can.endpoint or (MULTIMODAL if _shows_media(seated) else TEXT)
        said = Writer(can, self.dialect, form_of(endpoint), report).messages(seated)
        tools = self.tools(say.tools, can, report)
        body: JsonObject = {
            "model": say.model,
            "input": {"messages": said},
            "parameters": parameters(say, tools, said, report),
        }
        _merge(body, replay({}, request, can, report))
        headers = dict(_STREAM) if request.stream else {}
        if any(link.startswith("oss://") for link in _links(said)):
            headers.update(_OSS)
        return Request(endpoint, headers, body)


def _shows_media(seated: Seated) -> bool:
    blocks = (block for m in seated.msgs if type(m.content) is not str for block in m.blocks)
    return any(_is_medium(block) for block in blocks)


def _is_medium(block: ContentBlock) -> bool:
    if type(block) is ToolResultBlock and isinstance(block.output, list):
        return any(_is_medium(inner) for inner in block.output)
    return block.type in MEDIA_KINDS


def _links(messages: list[JsonObject]) -> Iterator[str]:
    for message in messages:
        for part in message["content"] if isinstance(message["content"], list) else []:
            for kind in MEDIA_KINDS & part.keys():
                found = part[kind]
                yield from found if isinstance(found, list) else [found]


def _merge(body: JsonObject, own: JsonObject) -> None:
    """Fields of this protocol that nobody else knows join `input` and `parameters`."""
    for key, value in own.items():
        if isinstance(value, dict) and isinstance(body.get(key), dict):
            body[key].update(value)
        else:
            body[key] = value
