"""Converse and ConverseStream as a protocol: whole requests, and the functions for all else.

Reference: Amazon Bedrock API reference, "Converse": the model is in the path, a stream is another
operation, the system prompt is beside the messages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from ...history.passes import survey
from ...losses import Field, Report
from ...message import ChatRequest
from ...message.blocks import NOTES
from ...text.json_text import JsonObject
from ..base import HttpRequest, PreparedRequest, Room
from ..chat_like.messages import fill_fields, head, in_path, issuer_fields, own_extras
from ..client_arguments import Arguments, with_bytes
from ..paths import PathTable, request_paths
from . import request as bodies
from .answer_read import ConverseReader
from .answer_stream import OVERFLOW, ConverseEncoder
from .answer_write import write_response
from .capabilities import CAN
from .dialect import Dialect, claims
from .fields import FIELDS, MODEL_FIELDS
from .messages import at_top, message_as_read, write_messages, write_system

_EVENTS = frozenset(
    {"messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop"}
)

# fields that are written after the tools, in this order
_BEHIND_TOOLS = ("outputConfig", MODEL_FIELDS, "serviceTier")

_CHOICE, _FORMAT = "toolConfig.toolChoice", "outputConfig.textFormat"
_NEXT_ITEM = re.compile(r"(.*)\[(\d+)\][.\w]*")


class BedrockConverse(Room):
    """Converse, which serves the models of many makers.

    Args:
        dialect: The host's dialect; None for Bedrock's.
    """

    __slots__ = ()
    protocol = "bedrock-converse"
    overflow = OVERFLOW
    failures = frozenset({"error", "malformed_call"})
    addresses = ("*/model/*/converse", "*/model/*/converse-stream")
    tools_path = "$.toolConfig.tools"
    ordered_flags = survey.MEDIA  # documents without a name of their own get a number
    framing = "aws-eventstream"
    body_fields = FIELDS
    base_capabilities = CAN
    cache_order = ("modelId", "toolConfig", "system", "messages")
    dialect_class = Dialect
    reader_class = ConverseReader
    encoder_class = ConverseEncoder
    paths: ClassVar[PathTable] = {
        ("request", "tool_choice"): (_CHOICE,),
        ("tool_choice", "name"): (f"{_CHOICE}.tool.name",),
        ("request", "response_format"): (_FORMAT,),
        **{
            ("response_format", name): (f"{_FORMAT}.structure.jsonSchema.{name}",)
            for name in ("schema", "name", "description")
        },
        ("tool", "parameters"): ("inputSchema.json",),
        ("text", "text"): ("content", "guardContent.text.text", "text"),
        ("thinking", "thinking"): ("reasoningText.text",),
        ("thinking", "signature"): ("reasoningText.signature",),
        ("thinking", "redacted"): ("redactedContent",),
        ("tool_use", "id"): ("toolUseId",),
        ("tool_result", "id"): ("toolUseId",),
        ("tool_result", "output"): ("content",),
        ("tool_result", "is_error"): ("status",),
        ("document", "title"): ("name", "title"),
        ("document", "context"): ("context",),
        ("document", "cite"): ("citations",),
    }

    claims = staticmethod(claims)
    messages = write_messages
    tools = bodies.write_tools
    message_as_read = message_as_read
    read_request = bodies.read_request
    body_as_read = bodies.body_as_read
    write_response = write_response

    def answers(self, payload: JsonObject, event: str | None = None) -> bool:
        """Whether a payload can be an answer or event of this protocol, judged by its keys.

        Args:
            payload: A whole answer, or the payload of one event of a stream.
            event: The event's name, where the framing has names.
        """
        if event in _EVENTS or not _EVENTS.isdisjoint(payload):
            return True
        output = payload.get("output")
        return isinstance(output, dict) and isinstance(output.get("message"), dict)

    def places(self, req: ChatRequest, body: JsonObject) -> Iterator[tuple[str, object]]:
        """Find where the nodes of a request are in the body that they were read from.

        A cache point follows the block that it marks; the model may be in the path.

        Args:
            req: What `read_request` returned for the body.
            body: The body that was read.

        Yields:
            The path of a node or of a field of a node, and that node or `Field`.
        """
        notes = issuer_fields(req, self.issuer)[1]
        for path, node in request_paths(req, body, self.paths):
            if type(node) is not Field or node.node is not req.options:
                yield path, node
            if getattr(node, "cache", None) and (item := _NEXT_ITEM.fullmatch(path)):
                yield f"{item[1]}[{int(item[2]) + 1}].cachePoint", Field(node, "cache")
            source: Any = getattr(node, "source", None)
            if source is not None:
                yield f"{path}.format", Field(source, "media_type")
        if req.messages and at_top(req.messages[0]):
            yield "$.system", req.messages[0]
        for name, path in bodies.option_paths(req.options, notes):
            yield f"$.{path}", Field(req.options, name)
        # most requests have the model in the path
        in_body = bool(req.model) and notes.get("model") == "body"
        yield "$.modelId" if in_body else "$", Field(req, "model")

    def client_arguments(
        self, body: JsonObject, headers: Mapping[str, str], model: str | None
    ) -> Arguments:
        """Return the keyword arguments of boto3's `converse`, or `converse_stream`, for this body.

        Base64 becomes bytes, which boto3 encodes itself.

        Args:
            body: The request body, as `write` returns it; it is not changed.
            headers: The headers that the request needs, without keys.
            model: The model's name where the path has it and the body does not; else None.

        Returns:
            The fields of the body, and `modelId`. boto3 adds the headers itself.
        """
        arguments: Arguments = {"modelId": model, **body}
        if isinstance(messages := body.get("messages"), list):
            arguments["messages"] = [with_bytes(message) for message in messages]
        if isinstance(system := body.get("system"), list):
            arguments["system"] = [with_bytes(block) for block in system]
        return arguments

    def write(self, prepared: PreparedRequest, report: Report) -> HttpRequest:
        """Write the request to `POST /model/{modelId}/converse` or `/converse-stream`.

        Args:
            prepared: The request after the passes.
            report: Gets a loss for everything that the wire cannot carry.

        Returns:
            The path with the model, no headers, and the body.

        Source: Amazon Bedrock API reference, "Converse".
        """
        request, caps, history = prepared.request, prepared.caps, prepared.history
        body: JsonObject = {}
        start = head(history)
        if start:
            body["system"] = write_system(history, caps, report, start)
        body["messages"] = prepared.elements
        if prepared.elements is None:
            body["messages"] = write_messages(self, history, caps, report, start)
        bodies.write_options(body, prepared, report)
        if tool_config := bodies.write_tool_config(self, prepared, report):
            body["toolConfig"] = tool_config
        for key in _BEHIND_TOOLS:
            if key in body:
                body[key] = body.pop(key)
        for issuer, foreign in (request.extras or {}).items():
            if issuer not in caps.reads and not issuer.endswith(NOTES):
                report.add_extras_losses(request, issuer, foreign)
        # an id may be an ARN, whose colons and slashes are quoted
        path = self.dialect.path.format(model=in_path(prepared.model or self.model))
        operation = "converse-stream" if request.stream else "converse"
        body = fill_fields(body, own_extras(request, caps))
        bodies.fit_still_efforts(body, request, self.issuer, caps, report)
        return HttpRequest(f"{path}/{operation}", {}, body)
