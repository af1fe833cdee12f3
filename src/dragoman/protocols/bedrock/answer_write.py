"""Writes whole answers in the form that clients of Converse take, and shares it with streams.

Reference: Amazon Bedrock API reference, "Converse".
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar
from urllib.parse import urlsplit

from ... import message as tree
from ...errors import WriteError
from ...losses import Report
from ...message import ChatResponse, RawBlock, TextBlock, ThinkingBlock, ToolUseBlock
from ...message.blocks import MEDIA_KINDS, ContentBlock, MediaBlock, name_answers
from ...stream.arguments import parse_partial
from ...text.json_text import Json, JsonObject
from ..answers import AnswerWriter, first_candidate
from ..base import Room
from ..chat_like.messages import fill_fields
from .blocks import TEXT_INPUT, BlockWriter, issuer_fields
from .dialect import FORMATS
from .finish_reasons import BROKEN, UNWRITTEN_REASONS, WRITTEN_REASONS
from .usage import write_usage


class ConverseWriter(AnswerWriter):
    """Writes content blocks of answers."""

    __slots__ = ()
    finish_reasons = WRITTEN_REASONS
    unwritten_reasons = UNWRITTEN_REASONS
    nearest_reasons: ClassVar = {"refusal": "content_filtered", "error": BROKEN}

    def finish_reason(self, finish: tree.Finish, node: object) -> str | None:
        """Return why the answer ended: in the provider's own word, if it means the same."""
        if finish.raw == BROKEN and finish.reason == "error":
            return finish.raw
        return super().finish_reason(finish, node)

    def block(self, block: ContentBlock) -> Any:
        """Write the content block; None, with a loss, for what an answer of this wire lacks."""
        self.fields(block)
        if not self.own and block.spelling is not None:
            block = replace(block, spelling=None)  # the spelling is another wire's
        if type(block) is TextBlock:
            if citations := self.citations(block):
                content = [{"text": block.text}] if block.text else []
                return {"citationsContent": {"content": content, "citations": citations}}
            return self._as_read(block)
        if type(block) is ThinkingBlock:
            block = self.drop_foreign_seals(block)
            if block.redacted is None and not (block.thinking or block.signature or self.own):
                return None
            return self._as_read(block)
        if type(block) is ToolUseBlock:
            if isinstance(block.input, str) and TEXT_INPUT not in (block.spelling or "").split():
                begun = parse_partial(block.raw_input or block.input)
                self.report.add_loss(
                    "answer.unsupported",
                    block,
                    "input",
                    kind="degraded",
                    what="argument text that is no object",
                )
                block = replace(block, input=begun if isinstance(begun, dict) else {})
            return self._as_read(block)
        if type(block) is tree.RefusalBlock:
            self.report.add_loss("answer.unsupported", block, did="said as text", kind="degraded")
            return {"text": block.text}
        if type(block) is RawBlock and self.reads(block.issuer):
            return _raw(block)
        if block.type in MEDIA_KINDS:
            return self._medium(block)  # type: ignore[arg-type]  # one of the four
        self.report.add_loss("answer.unsupported", block)
        return None

    def _as_read(self, block: ContentBlock) -> Any:
        return BlockWriter(self.issuer).block(block)

    def citations(self, block: TextBlock) -> list[JsonObject]:
        """Write the sources of another wire's text; this wire's own are in its fields."""
        if not block.citations or "citations" in issuer_fields(block, self.issuer):
            return []
        return [self._citation(citation) for citation in block.citations]

    def _citation(self, citation: tree.Citation) -> JsonObject:
        """Write `{"title", "sourceContent", "location": {"web"}}`, which is for a whole block."""
        self.fields(citation)
        data: JsonObject = {}
        if citation.title is not None:
            data["title"] = citation.title
        if citation.quote is not None:
            data["sourceContent"] = [{"text": citation.quote}]
        if citation.url is not None:
            try:
                host = urlsplit(citation.url).hostname if "://" in citation.url else None
            # an invalid IPv6 address: the model may write any text as an address
            except ValueError:
                host = None
            domain = {} if host is None else {"domain": host}
            data["location"] = {"web": {"url": citation.url, **domain}}
        for name in ("start", "end"):
            if getattr(citation, name) is not None:
                did = "the whole block is cited"
                self.report.add_loss("answer.unsupported", citation, name, did=did, kind="degraded")
        return data

    def drop_foreign_seals(self, block: ThinkingBlock) -> ThinkingBlock:
        """Return the thinking without what another issuer has sealed in it."""
        if self.mine(block.origin):
            return block
        self.without_seals(block)
        return replace(block, signature=None, redacted=None)

    def _medium(self, block: MediaBlock) -> Any:
        source = block.source
        has_format = (getattr(source, "media_type", None) or "") in FORMATS
        is_document = type(block) is tree.DocumentBlock
        stored = type(source) is tree.URLSource and source.url.startswith("s3://")
        fits = type(source) is tree.Base64Source and (has_format or is_document)
        if not (self.own or stored or fits):  # any block of an own answer can be written again
            return self.medium(block, _no_form, lambda text: {"text": text})
        if is_document and block.title is None and not self.own:
            self.report.add_loss("answer.field", block, "title", did="Document")
            block = replace(block, title="Document")
        for name in ("detail",) if is_document else ("title", "detail"):
            if getattr(block, name) is not None:
                self.report.add_loss("answer.unsupported", block, name)
        return self.medium(block, self._as_read, lambda text: {"text": text})


def _no_form(block: MediaBlock) -> Json:
    raise WriteError(
        f"{block.type} from a {block.source.type} source", code="placement.unsupported"
    )


def _raw(block: RawBlock) -> Any:
    """Return the object as it came, including the text of interrupted input."""
    text = (block.extras or {}).get(name_answers(block.issuer), {}).get("input")
    if text is None:
        return block.data
    data: Any = block.data
    return {**data, "toolUse": {**data["toolUse"], "input": text}}


def write_response(
    room: Room, resp: ChatResponse, report: Report, request: tree.ChatRequest | None = None
) -> JsonObject:
    """Write the body of an answer; an answer that is only an error is written as an error."""
    first = first_candidate(resp, report)
    if (error := resp.error) is not None and not first.msg.content:
        body = error.body
        return body if isinstance(body, dict) and "message" in body else {"message": error.message}
    writer = ConverseWriter.for_answer(resp, room.dialect.reads_items_of, report)
    blocks = writer.saying(first.msg.blocks)
    content = [part for part in map(writer.block, blocks) if part is not None]
    body = {"output": {"message": {"role": "assistant", "content": content}}}
    fields = writer.answer_fields(resp)
    if (word := writer.finish_reason(first.finish, first)) is not None:
        body["stopReason"] = word
    usage = write_usage(resp.usage, writer)
    if usage or not (writer.own or "usage" in fields):
        body["usage"] = usage
    for node in (first, first.msg):
        fields = fill_fields(writer.fields(node), fields)
    if resp.id is not None and resp.id not in request_ids(fields):
        report.add_loss("answer.unsupported", resp, "id")
    if resp.model is not None:  # no body of this wire has a place for it
        report.add_loss("answer.unsupported", resp, "model")
    if error is not None:
        report.add_loss("answer.unsupported", resp, "error", what=error.message)
    if not writer.own and "metrics" not in fields:
        fields["metrics"] = missing_metrics(resp, report)
    return fill_fields(body, fields)


def missing_metrics(resp: ChatResponse, report: Report) -> JsonObject:
    """Return the `metrics` that another wire's answer must have."""
    report.add_loss("answer.field", resp, "metrics", did="0 ms")
    return {"latencyMs": 0}


def request_ids(fields: JsonObject) -> list[Json]:
    """Return the id of the request, where a library adds it to the answer."""
    places = (fields.get("ResponseMetadata"), "RequestId"), (fields.get("$metadata"), "requestId")
    return [meta.get(key) for meta, key in places if isinstance(meta, dict)]
