"""Cohere's chat as a protocol: writes whole requests, and names the functions for all else.

Reference: Cohere API, "Chat", request body; Cohere docs, "Errors".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from ...history.passes.survey import USER
from ...losses import Field, Report
from ...message import ChatRequest, DocumentBlock, Msg, RawBlock, TextBlock, ThinkingBlock, Tool
from ...text.json_text import Json, JsonObject, member
from ..base import HttpRequest, Names, PreparedRequest
from ..chat_like.messages import own_extras
from ..chat_like.protocol import ChatRoom
from ..client_arguments import Arguments
from ..paths import CHAT_PATHS, PathTable, request_paths
from . import blocks, dialect, request
from . import messages as entries
from .answer_read import CohereReader
from .answer_stream import CohereEncoder
from .answer_write import OVERFLOW, write_response
from .capabilities import CAN
from .fields import FIELDS


class Cohere(ChatRoom):
    """Cohere's chat, version 2.

    Args:
        dialect: The host's dialect; None for Cohere's.
    """

    __slots__ = ()
    protocol = "cohere"
    overflow = OVERFLOW
    failures = frozenset({"error"})
    addresses = ("*/v2/chat",)
    model_patterns = ("command*", "c4ai-*")
    body_fields = FIELDS
    base_capabilities = CAN
    dialect_class = dialect.Dialect
    reader_class = CohereReader
    encoder_class = CohereEncoder
    option_keys = FIELDS.keys
    ranges = FIELDS.ranges
    choices = request.CHOICES
    lone_stop = False
    text_spelling = blocks.TEXT
    paths: ClassVar[PathTable] = {
        **CHAT_PATHS,
        **FIELDS.list_paths(),
        ("response_format", "schema"): ("response_format.json_schema", "response_format.schema"),
        ("message", blocks.PLAN): ("tool_plan",),
        ("text", "text"): ("text", "document.data"),
        ("document", "source"): ("document.data", "data"),
        ("document", "title"): ("document.data.title", "data.title"),
        ("document", "context"): ("document.data.context", "data.context"),
        ("image", "source"): ("image_url",),
        ("image", "detail"): ("image_url.detail",),
    }

    claims = staticmethod(dialect.claims)
    read_parts = staticmethod(blocks.read_parts)
    part_as_read = staticmethod(blocks.part_as_read)
    read_other_blocks = entries.read_other_blocks
    read_other_fields = entries.read_other_fields
    add_fields = entries.add_fields
    own_fields = entries.own_fields
    blocks_as_read = entries.blocks_as_read
    write_blocks = entries.write_blocks
    write_result = entries.write_result
    read_fields = request.read_fields
    tools_as_read = request.tools_as_read
    write_tools = request.write_tools
    format_as_read = request.format_as_read
    write_format = request.write_format
    read_thinking = request.read_thinking
    thinking_as_read = request.thinking_as_read
    write_options = request.write_options
    write_response = write_response

    def client_arguments(
        self, body: JsonObject, headers: Mapping[str, str], model: str | None
    ) -> Arguments:
        """Return the keyword arguments of the client's `chat` that send this body.

        They are those of `ClientV2.chat`, or of `ClientV2.chat_stream` for a stream.

        Args:
            body: The request body, as `write` returns it; it is not changed.
            headers: The headers that the request needs, without keys.
            model: The model's name where the path has it and the body does not; else None.

        Returns:
            The keyword arguments. Fields that the client has no parameter for are in
            `request_options`.
        """
        arguments: Arguments = {name: body[name] for name in body if name in FIELDS.arguments}
        others = {name: body[name] for name in body if name not in {*FIELDS.arguments, "stream"}}
        options: Arguments = {"additional_body_parameters": others} if others else {}
        if headers:
            options["additional_headers"] = dict(headers)
        return {**arguments, "request_options": options} if options else arguments

    def answers(self, payload: JsonObject, event: str | None = None) -> bool:
        """Whether a payload can be an answer or event of this protocol, judged by its keys.

        Args:
            payload: A whole answer, or the payload of one event of a stream.
            event: The event's name, where the framing has names.
        """
        kind = payload.get("type")
        if isinstance(kind, str) and kind in dialect.EVENT_TYPES:
            return True
        return isinstance(payload.get("message"), dict) and "finish_reason" in payload

    def read_request(
        self, body: JsonObject, path: str | None = None, headers: Mapping[str, str] | None = None
    ) -> ChatRequest:
        """Read the request of a body; documents beside the messages become the last user message's.

        Args:
            body: The JSON body.
            path: The path that it was posted to, if that is known.
            headers: Its headers, if they are known.
        """
        req = super().read_request(body, path, headers)
        users = (m for m in reversed(req.messages) if m.role == "user")
        asked = next((m for m in users if not _is_raw(m)), None)
        fields = (req.extras or {}).get(self.issuer, {})
        documents = blocks.read_apart(fields.get("documents"), self.issuer)
        if asked is None or not documents:
            return req
        options = fields.get("citation_options")
        mode = options.get("mode") if isinstance(options, dict) else None
        for block in documents:
            block.cite = None if str(mode).upper() == "OFF" else True
        asked.content = [*documents, *self.content_list(asked.content)]
        del fields["documents"]
        if not fields and req.extras is not None:
            del req.extras[self.issuer]
            req.extras = req.extras or None
        return req

    def body_as_read(self, req: ChatRequest, kept: Names, elements: list[Json]) -> JsonObject:
        """Write the body that `read_request` read, and add the documents of new messages.

        Args:
            req: The request that was read.
            kept: The fields that are written as they were read.
            elements: The list of messages.
        """
        body = super().body_as_read(req, kept, elements)
        documents = [
            document
            for m in req.messages
            if m.role == "user" and (not req.tools or (req.read and req.read.holds(m)))
            for block in m.blocks
            for document in blocks.write_apart(
                block, (block.extras or {}).get(self.issuer, {}), as_read=True
            )
        ]
        if documents:
            body["documents"] = [*documents, *body.get("documents", ())]
        return body

    def places(self, req: ChatRequest, body: JsonObject) -> Iterator[tuple[str, object]]:
        """Find where the nodes of a request are: citations are beside the content.

        One switch makes all tools strict, so it is the place of the field of each tool.

        Args:
            req: What `read_request` returned for the body.
            body: The body that was read.

        Yields:
            The path of a node or of a field of a node, and that node or `Field`.
        """
        for path, node in request_paths(req, body, self.paths):
            yield path, node
            if type(node) is Tool:
                yield "$.strict_tools", Field(node, "strict")
            if type(node) is DocumentBlock:
                yield path, Field(node, "cite")  # the default is to cite all
                if blocks.is_apart(node):  # `document` is not its only key
                    own = f"extras.{self.issuer}.document"
                    for name in (node.extras or {}).get(self.issuer, {}).get("document", ()):
                        yield member(path, name), Field(node, member(own, name))
            if type(node) is Msg:
                for block in node.blocks:
                    if type(block) is TextBlock or type(block) is ThinkingBlock:
                        yield f"{path}.citations", Field(block, "citations")
                        yield f"{path}.citations", Field(block, f"extras.{self.issuer}.citations")

    def write(self, prepared: PreparedRequest, report: Report) -> HttpRequest:
        """Write the request to `POST /v2/chat`: a format beside documents is refused.

        Args:
            prepared: The request after the passes.
            report: Gets a loss for everything that the wire cannot carry.

        Returns:
            The path of the dialect, no headers, and the body.

        Source: Cohere API, "Chat", request body.
        """
        http = super().write(prepared, report)
        body, caps = http.body, prepared.caps
        documents = [
            document
            for m, role in zip(prepared.history.msgs, prepared.history.roles, strict=True)
            for block in (m.blocks if role == USER else ())
            for document in blocks.write_apart(block, own_extras(block, caps))
        ]
        if documents:
            body["documents"] = [*documents, *body.get("documents", ())]
        if body.get("documents") and body.get("response_format", {}).get("type") == "json_object":
            what = "a format beside documents"
            form = prepared.request.response_format
            report.add_loss("format.unsupported", form, what=what, kind="dropped")
            del body["response_format"]
        return http


def _is_raw(m: Msg) -> bool:
    """Whether the message could not be read: it is a single raw block."""
    blocks = m.blocks
    return len(blocks) == 1 and type(blocks[0]) is RawBlock and blocks[0].role == "message"
