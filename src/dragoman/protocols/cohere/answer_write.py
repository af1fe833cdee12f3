"""Writes whole answers of Cohere."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ... import message as tree
from ...errors import ProviderError
from ...losses import Report
from ...message import Candidate, ChatRequest, ChatResponse, ContentBlock, ToolUseBlock
from ...message.blocks import name_notes
from ...stream.arguments import MADE
from ...text.json_text import Json, JsonObject
from ..answers import AnswerWriter, first_candidate
from ..base import Room
from ..chat_like.messages import answer_call, fill_fields, read_object
from ..context_full_sentence import OverflowWords
from .blocks import PLAN, TEXT, citations_as_read, part_as_read, write_citation
from .finish_reasons import FINISH_REASONS, NEAREST
from .usage import write_usage


class CohereWriter(AnswerWriter):
    """Writes the blocks of an answer."""

    __slots__ = ()
    finish_reasons = FINISH_REASONS
    nearest_reasons = NEAREST

    def item(self, block: ContentBlock) -> Json:
        """Write the item of the content; None, with a loss, for what an answer here cannot hold."""
        if type(block) is tree.RawBlock and self.reads(block.issuer):
            return block.data
        self.fields(block)
        if type(block) is tree.RefusalBlock:
            return {"type": "text", "text": self.text(block)}
        if type(block) is tree.ThinkingBlock:
            self.without_seals(block)
            if not (block.thinking or self.own):
                return None
        elif type(block) is not tree.TextBlock:
            self.report.add_loss("answer.unsupported", block)
            return None
        return part_as_read(block if self.own else replace(block, spelling=None), self.issuer)

    def citations(self, block: ContentBlock, index: int) -> list[Json]:
        """Write the citations of the item `index` (-1: the plan); one without a span is a loss."""
        extras = (block.extras or {}).get(self.issuer, {})
        if "citations" in extras:
            return citations_as_read(extras, index)
        citations: list[Json] = []
        if type(block) is not tree.TextBlock:
            return citations
        for citation in block.citations or ():
            self.fields(citation)
            if (data := write_citation(citation, block.text, index)) is None:
                self.report.add_loss("answer.unsupported", citation, what="citation")
            else:
                citations.append(data)
        return citations

    def call(self, block: ToolUseBlock) -> JsonObject:
        """Write the entry of `tool_calls`; a generated id is only for other wires' clients."""
        call = answer_call(block, self.own)
        if self.own and MADE in (block.spelling or "").split():
            del call["id"]
        return fill_fields(call, self.fields(block))

    def message(self, candidate: Candidate) -> JsonObject:
        """Write `{"role", "content", "tool_plan", "tool_calls", "citations"}`, if they exist."""
        extras = {**self.fields(candidate), **self.fields(candidate.msg)}
        unknown = dict(read_object(extras.pop("message", None)))
        notes = (candidate.extras or {}).get(name_notes(self.issuer), {})
        message: JsonObject = {} if "role" in notes else {"role": "assistant"}
        parts, fields = self._content(candidate.msg.blocks)
        if parts or not ("tool_calls" in fields or self.own):
            text = candidate.msg.blocks[0] if len(parts) == 1 and self.own else None
            is_string = type(text) is tree.TextBlock and text.spelling == TEXT
            message["content"] = text.text if is_string else parts  # type: ignore[union-attr]
        if "citations" in fields and isinstance(unknown.get("citations"), list):
            unknown["citations"] = [*fields["citations"], *unknown["citations"]]
        return {**message, **fields, **unknown, **extras}

    def _content(self, blocks: list[ContentBlock]) -> tuple[list[Json], JsonObject]:
        """Return the items of the content, and the fields beside it."""
        parts: list[Json] = []
        calls: list[Json] = []
        citations: list[Json] = []
        plan: JsonObject = {}
        for block in blocks:
            if type(block) is ToolUseBlock:
                calls.append(self.call(block))
            elif self.own and type(block) is tree.RawBlock and block.role == "call":
                calls.append(block.data)
            elif type(block) is tree.RawBlock and self.reads(block.issuer):
                parts.append(block.data)
            elif self.own and type(block) is tree.TextBlock and block.spelling == PLAN:
                self.fields(block)
                plan["tool_plan"] = block.text
                citations += self.citations(block, -1)
            elif (item := self.item(block)) is not None:
                citations += self.citations(block, len(parts))
                parts.append(item)
        fields = {"tool_calls": calls, "citations": citations}
        return parts, plan | {key: items for key, items in fields.items() if items}


def write_response(
    room: Room, resp: ChatResponse, report: Report, request: ChatRequest | None = None
) -> JsonObject:
    """Write the body of an answer; an answer that is only an error is written as an error."""
    first = first_candidate(resp, report)
    if resp.error is not None and not first.msg.content:
        return error_body(resp.error)
    writer = CohereWriter.for_answer(resp, room.dialect.reads_items_of, report)
    extras = writer.answer_fields(resp)
    if resp.model is not None:
        report.add_loss("answer.unsupported", resp, "model")  # no answer here names it
    id = resp.id if resp.id is not None or writer.own else writer.made_id(resp)
    body: JsonObject = {} if id is None else {"id": id}
    body["message"] = writer.message(first)
    if (reason := writer.finish_reason(first.finish, first)) is not None:
        body["finish_reason"] = reason
    usage = write_usage(resp.usage, writer)
    if usage or not (writer.own or "usage" in extras):
        body["usage"] = usage
    if resp.error is not None and not writer.own:
        report.add_loss("answer.unsupported", resp, "error", what=resp.error.message)
    return fill_fields(body, extras)


OVERFLOW = OverflowWords(
    "too many tokens: total number of tokens (prompt and prediction) cannot exceed {limit}",
    "too many tokens: the prompt is longer than the model's context",
    ("too many tokens: size limit exceeded by {n} tokens",),
)


def error_body(error: ProviderError) -> JsonObject:
    """Write `{"message", "error_type"}`, or the body as it came."""
    body: Any = error.body
    is_flat = isinstance(body, dict) and isinstance(body.get("message"), str)
    if is_flat and not body.keys() & _WORDS_OF_OTHERS:
        return body  # type: ignore[no-any-return]  # the object that came
    return {"message": OVERFLOW.message(error), **error_type(error)}


# fields of errors of other wires that have no object around them
_WORDS_OF_OTHERS = {"type", "code", "object", "status"}


def error_type(error: ProviderError) -> JsonObject:
    """Write `{"error_type"}`, of which one kind is known (recorded); empty for the others."""
    return {"error_type": "TOO_MANY_TOKENS"} if error.kind == "context_overflow" else {}
