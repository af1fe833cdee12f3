"""Converse and ConverseStream: the contract of a protocol, and the whole of a request.

Reference: Amazon Bedrock API reference, "Converse": the model stands in the path, a stream is asked
for by another operation, the system prompt stands beside the messages.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from ..._core.jsontext import Json, JsonObject
from ..._core.passes.roles import MEDIA, RoledHistory
from ...capabilities import Capabilities
from ...losses import Report
from ...message import ChatRequest, ChatResponse, Msg, ServerTool, Tool
from ...message.blocks import NOTES
from ...sse import Framing
from ..base import Encoder, HttpRequest, PreparedRequest, Reader, Room
from ..chat_shape import filled, head, in_path, own_extras
from .answer import write_answer
from .dialect import CAN, Dialect, claims
from .encoder import ConverseEncoder
from .messages import message_as_read, write_messages, write_system
from .paths import places
from .reader import ConverseReader
from .request import (
    MODEL_FIELDS,
    body_as_read,
    read_request,
    write_options,
    write_tool_config,
    write_tools,
)

_EVENTS = frozenset({"messageStart", "contentBlockStart", "contentBlockDelta",
                     "contentBlockStop", "messageStop"})  # fmt: skip


# what is written behind the tools, in this order
_BEHIND_TOOLS = ("outputConfig", MODEL_FIELDS, "serviceTier")


class BedrockConverse(Room):
    """Converse, behind which the models of many makers stand."""

    __slots__ = ()
    dialect: Dialect
    protocol = "bedrock-converse"
    addresses: tuple[str, ...] = ("*/model/*/converse", "*/model/*/converse-stream")
    ordered_flags = MEDIA  # documents without a name of their own get a number
    framing: Framing = "aws-eventstream"
    base_capabilities = CAN
    dialect_class = Dialect

    def messages(
        self, history: RoledHistory, caps: Capabilities, report: Report
    ) -> list[JsonObject]:
        """The list with the system prompt in it, as `format` gives it; a request hoists it."""
        return write_messages(history, caps, report)

    def tools(
        self, tools: Sequence[Tool | ServerTool], caps: Capabilities, report: Report
    ) -> list[JsonObject]:
        """`toolSpec`, `systemTool` and `cachePoint` objects."""
        return write_tools(tools, caps, report)

    def answers(self, payload: JsonObject, event: str | None = None) -> bool:
        """Whether an answer or event of this shape can be this protocol's, judged by its keys."""
        if event in _EVENTS or not _EVENTS.isdisjoint(payload):
            return True
        output = payload.get("output")
        return isinstance(output, dict) and isinstance(output.get("message"), dict)

    def reader(self, caps: Capabilities) -> Reader:
        """A reader for one answer or stream."""
        return ConverseReader(self.dialect)

    def write_response(
        self, resp: ChatResponse, report: Report, request: ChatRequest | None = None
    ) -> JsonObject:
        """The body of an answer to `POST /model/{modelId}/converse`."""
        return write_answer(resp, report, self.dialect.issuers)

    def encoder(self, report: Report, request: ChatRequest | None = None) -> Encoder:
        """An encoder for one answer's events."""
        return ConverseEncoder(report, self.dialect.issuers)

    def read_request(
        self, body: JsonObject, path: str | None = None, headers: Mapping[str, str] | None = None
    ) -> ChatRequest:
        """The request that a body makes; the path names its model, and says if it is a stream."""
        return read_request(body, path, self.issuer)

    def messages_as_read(self, msgs: Sequence[Msg]) -> list[Json]:
        """The entries of `messages` that these were read from."""
        issuer = self.issuer
        return [message_as_read(m, issuer) for m in msgs]

    def body_as_read(
        self, req: ChatRequest, kept: Collection[str], elements: list[Json]
    ) -> JsonObject:
        """The body around `elements`, with the fields of `kept` as they were read."""
        return body_as_read(req, kept, elements, self.issuer)

    def claims(self, body: Json, path: str | None = None) -> bool:
        """Whether a body can be a request of this protocol."""
        return claims(body, path)

    def places(self, req: ChatRequest, body: JsonObject) -> Iterator[tuple[str, object]]:
        """(path into the body, node) of everything that `read_request` made of it."""
        return places(req, body, self.issuer)

    def write(self, prepared: PreparedRequest, report: Report) -> HttpRequest:
        """The body of `POST /model/{modelId}/converse` or `/converse-stream`."""
        request, caps, history = prepared.request, prepared.caps, prepared.history
        body: JsonObject = {}
        start = head(history)
        if start:
            body["system"] = write_system(history, caps, report, start)
        elements = prepared.elements
        if elements is None:
            body["messages"] = write_messages(history, caps, report, start)
        else:
            body["messages"] = elements
        write_options(body, prepared, report)
        if tool_config := write_tool_config(prepared, report):
            body["toolConfig"] = tool_config
        for key in _BEHIND_TOOLS:
            if key in body:
                body[key] = body.pop(key)
        for issuer, fields in (request.extras or {}).items():
            if issuer not in caps.reads and not issuer.endswith(NOTES):
                report.foreign(request, issuer, fields)
        # an id may be an ARN, whose colons and slashes are no parts of the path
        path = self.dialect.path.format(model=in_path(prepared.model or self.model))
        operation = "converse-stream" if request.stream else "converse"
        return HttpRequest(f"{path}/{operation}", {}, filled(body, own_extras(request, caps)))
