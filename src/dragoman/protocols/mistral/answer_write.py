"""Writes whole answers of Mistral."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ... import message as tree
from ...error_kinds import ErrorKind
from ...errors import ProviderError
from ...losses import Report
from ...message import Candidate, ChatRequest, ChatResponse, ContentBlock, ToolUseBlock
from ...message.blocks import MediaBlock, name_notes
from ...stream.pieces import TIMES, answer_second
from ...text.json_text import Json, JsonObject
from ..answers import AnswerWriter
from ..base import Room
from ..chat_like.messages import answer_call, fill_fields
from ..context_full_sentence import OverflowWords
from .blocks import CHUNK, CLOSED, REFERENCE, part_as_read, write_part
from .finish_reasons import FINISH_REASONS
from .usage import write_usage

UNPLACED = "unplaced"  # the spelling of a call without an index
ANONYMOUS = "anonymous"  # the spelling of a call without an id
ABSENT = "absent"  # the note with the usual fields that a choice lacked


# the sources of media that have a chunk
_SOURCES: dict[type[ContentBlock], tuple[type[tree.Source], ...]] = {
    tree.ImageBlock: (tree.URLSource, tree.Base64Source),
    tree.AudioBlock: (tree.Base64Source,),
    tree.DocumentBlock: (tree.URLSource, tree.Base64Source, tree.FileSource),
}


class MistralWriter(AnswerWriter):
    """Writes the blocks of an answer."""

    __slots__ = ()
    finish_reasons = FINISH_REASONS

    def chunk(self, block: ContentBlock) -> Json:
        """Write the chunk; None, with a loss, for what an answer of this wire cannot hold."""
        self.fields(block)
        if type(block) is tree.RefusalBlock:
            return {"type": "text", "text": self.text(block)}
        if self.own and isinstance(block, MediaBlock):
            return self.medium(
                block,
                lambda one: part_as_read(one, self.issuer),
                lambda text: {"type": "text", "text": text},
            )
        if self.own and (type(block) is not tree.RawBlock or self.reads(block.issuer)):
            return part_as_read(block, self.issuer)
        if type(block) is tree.ThinkingBlock:
            self.without_seals(block)
            if not block.thinking:
                return None
            return part_as_read(replace(block, spelling=CLOSED), self.issuer)
        if type(block) is tree.TextBlock:
            self.without_citations(block)
        elif type(block) is tree.RawBlock and self.reads(block.issuer):
            return block.data
        elif not self._has_chunk(block):
            self.report.add_loss("answer.unsupported", block)
            return None
        return write_part(block, (block.extras or {}).get(self.issuer))

    def without_citations(self, block: tree.TextBlock) -> None:
        """Report the sources of a text: this wire has none but its own references."""
        for citation in block.citations or ():
            self.report.add_loss("answer.unsupported", citation, what="citation")

    def _has_chunk(self, block: ContentBlock) -> bool:
        """Whether a medium has a chunk; those of its fields that have no place are losses."""
        kind, source = type(block), getattr(block, "source", None)
        if type(source) not in _SOURCES.get(kind, ()):
            return False
        if type(source) is tree.FileSource and not self.reads(source.issuer):
            return False
        known = "detail" if kind is tree.ImageBlock else ""
        if kind is tree.DocumentBlock and type(source) is not tree.FileSource:
            known = "title"
        for name in ("title", "detail"):
            if name != known and getattr(block, name) is not None:
                self.report.add_loss("answer.unsupported", block, name)
        return True

    def call(self, block: ToolUseBlock, index: int) -> JsonObject:
        """Write the entry of `tool_calls` at this index of its message."""
        has_index = not (self.own and UNPLACED in (block.spelling or "").split())
        fields = {"index": index} if has_index else {}
        entry = fill_fields(answer_call(block, self.own), fields | self.fields(block))
        if self.own and ANONYMOUS in (block.spelling or "").split():
            del entry["id"]
        return entry

    def message(self, blocks: list[ContentBlock]) -> JsonObject:
        """Write content and calls; only text is a string, all else makes it a list of chunks."""
        chunks: list[Any] = []
        calls: list[Json] = []
        plain = True
        strings = (tree.TextBlock,) if self.own else (tree.TextBlock, tree.RefusalBlock)
        for block in blocks:
            if type(block) is ToolUseBlock:
                calls.append(self.call(block, len(calls)))
            elif (chunk := self.chunk(block)) is not None:
                chunks.append(chunk)
                is_chunk = self.own and block.spelling in (CHUNK, REFERENCE)
                plain = plain and type(block) in strings and not is_chunk
        message: JsonObject = {}
        if plain and (chunks or not self.own):
            message["content"] = "".join(chunk["text"] for chunk in chunks)
        elif chunks:
            message["content"] = chunks
        if calls or not self.own:
            message["tool_calls"] = calls or None
        return message


def write_response(
    room: Room, resp: ChatResponse, report: Report, request: ChatRequest | None = None
) -> JsonObject:
    """Write the body of an answer; an answer that is only an error is written as an error."""
    if resp.error is not None and not any(c.msg.content for c in resp.candidates):
        return error_body(resp.error)
    writer = MistralWriter.for_answer(resp, room.dialect.reads_items_of, report)
    extras = writer.answer_fields(resp, TIMES if answer_second(resp.extras) is not None else ())
    body: JsonObject = {"object": "chat.completion", **_head(resp, writer, request)}
    candidates = resp.candidates
    if writer.own and resp.status == "interrupted":  # such an answer has one as well
        candidates = [c for c in candidates if c.msg.content or c.extras or c.finish.raw]
    body["choices"] = [_choice(c, index, writer) for index, c in enumerate(candidates)]
    usage = write_usage(resp.usage, writer)
    if usage or not (writer.own or "usage" in extras):
        body["usage"] = usage
    if resp.error is not None and "error" not in extras:
        report.add_loss("answer.unsupported", resp, "error", what=resp.error.message)
    return fill_fields(body, extras)


def _head(resp: ChatResponse, writer: AnswerWriter, request: ChatRequest | None) -> JsonObject:
    """Return the id, the model and the time, all of which another wire's answer must have."""
    head: JsonObject = {"id": resp.id, "model": resp.model}
    head = {key: value for key, value in head.items() if value is not None}
    if writer.own:
        return head
    if resp.id is None:
        head["id"] = writer.made_id(resp)
    if resp.model is None:
        head["model"] = (request.model if request is not None else None) or "unknown"
        writer.report.add_loss("answer.field", resp, "model", did=head["model"])
    created = answer_second(resp.extras)
    if created is None:
        writer.report.add_loss("answer.field", resp, "created", did="0")
    return {**head, "created": created or 0}


def _choice(candidate: Candidate, index: int, writer: MistralWriter) -> JsonObject:
    extras = writer.fields(candidate)
    message: JsonObject = {"role": "assistant", **writer.message(candidate.msg.blocks)}
    message.update(writer.fields(candidate.msg))
    if isinstance(extras.get("message"), dict):
        message |= extras.pop("message")
    reason = writer.finish_reason(candidate.finish, candidate)
    notes = (candidate.extras or {}).get(name_notes(writer.issuer), {}) if writer.own else {}
    choice = {"index": index, "message": message, "finish_reason": reason, **extras}
    for key in notes.get(ABSENT, ()):
        (choice if key == "message" else message).pop(key)
    return choice


OVERFLOW = OverflowWords(
    "Prompt contains {tokens} tokens, too large for model with {limit} maximum context length",
    "Prompt is too large for the model's maximum context length",
    ("prompt contains {tokens} tokens *too large for model with {limit} maximum context length",),
)


# kind -> (type, code), for kinds with a type of their own; from recorded errors, and from bodies in
# users' reports about limits (cline issue 9085, raycast issue 31107)
_ERRORS: dict[ErrorKind, tuple[str, str | None]] = {
    "context_overflow": ("invalid_request_error", None),
    "content_filter": ("invalid_request_error", None),
    "rate_limit": ("rate_limited", "1300"),
    "overloaded": ("service_tier_capacity_exceeded", "3505"),
    "not_found": ("invalid_model", "1500"),
    "model_not_found": ("invalid_model", "1500"),
    "too_large": ("invalid_request_error", None),
    "invalid": ("invalid_request_error", None),
}


def error_body(error: ProviderError) -> JsonObject:
    """Write `{"object": "error", "message", "type", "param", "code"}`, or the body as it came."""
    body = error.body
    if isinstance(body, dict) and (body.get("object") == "error" or "detail" in body):
        return body
    word, code = _ERRORS.get(error.kind, ("api_error", None))
    message = OVERFLOW.message(error)
    return {"object": "error", "message": message, "type": word, "param": None, "code": code}
