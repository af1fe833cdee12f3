"""Writes whole answers of Interactions.

Reference: google-genai 3.4, `Interaction`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeGuard

from ... import message as tree
from ...error_kinds import ErrorKind
from ...errors import ProviderError
from ...losses import Report
from ...message import Candidate, ChatRequest, ChatResponse, ContentBlock, TextBlock, Usage
from ...message.blocks import MediaBlock, RawBlock, ThinkingBlock, ToolUseBlock, name_notes
from ...stream.open_block import argument_text
from ...stream.pieces import TIMES, answer_second, iso_date
from ...text.json_text import Json, JsonObject
from ..answers import AnswerWriter, first_candidate, first_count
from ..base import Room
from ..chat_like.messages import fill_fields, write_arguments
from ..context_full_sentence import OverflowWords
from . import blocks as wire_blocks
from .blocks import ABSENT, OUTPUT
from .finish_reasons import FINISH_REASONS, NEAREST, OPEN_STATES
from .usage import TOOLS, figures


# the values of an answer's field that the neutral ones can give back; others stay in the extras
def read_extras(body: JsonObject) -> JsonObject:
    """Return the fields of an interaction that no node can hold."""
    modeled = {
        "object": body.get("object") == "interaction",
        "id": is_text(body.get("id")),
        "model": is_text(body.get("model")),
        "status": is_text(body.get("status")) and body["status"] not in OPEN_STATES,
        "steps": isinstance(body.get("steps"), list),
        "usage": isinstance(body.get("usage"), dict) and bool(body["usage"]),
    }
    return {key: value for key, value in body.items() if not modeled.get(key)}


def is_text(value: Json) -> bool:
    """Whether it is a text that is not empty."""
    return isinstance(value, str) and bool(value)


class InteractionWriter(AnswerWriter):
    """Writes the blocks of an answer as steps."""

    __slots__ = ()
    finish_reasons = FINISH_REASONS
    nearest_reasons = NEAREST

    def steps(self, blocks: list[ContentBlock]) -> list[Json]:
        """Write the steps: those of this wire as they came, others composed."""
        steps: list[Json] = []
        contents: list[Json] = []
        fields: JsonObject = {}

        def close() -> None:
            nonlocal contents, fields
            if contents:
                steps.append({"type": OUTPUT, "content": contents, **fields})
            contents, fields = [], {}

        for block in blocks:
            if is_said(block):
                if wire_blocks.STEP in wire_blocks.split_notes(block) and self.own:
                    close()
                if (content := self.content(block)) is not None:
                    fields = fields or self.step_fields(block)
                    contents.append(content)
            else:
                close()
                step = self.step(block)
                if step is not None or (type(block) is RawBlock and self.reads(block.issuer)):
                    steps.append(step)
        close()
        return steps

    def step_fields(self, block: ContentBlock) -> JsonObject:
        """Return the fields of a `model_output`, which are kept on its first block."""
        fields: Any = (block.extras or {}).get(self.issuer, {}).get(OUTPUT)
        return fields if isinstance(fields, dict) else {}

    def content(self, block: ContentBlock) -> Json:
        """Write one content of a `model_output`; None, with a loss, for what cannot be one."""
        if type(block) is RawBlock:
            return block.data if self.reads(block.issuer) else self._report_unsupported(block)
        own_fields = {k: v for k, v in self.fields(block).items() if k != OUTPUT}
        if type(block) is tree.RefusalBlock:
            return {"type": "text", "text": self.text(block)}
        if type(block) is TextBlock and not (block.text or block.citations or self.own):
            return None
        if isinstance(block, MediaBlock):
            return self.medium(
                block,
                lambda one: {**wire_blocks.write_content(one), **own_fields},
                lambda text: {"type": "text", "text": text},
            )
        data = {**wire_blocks.write_content(block), **own_fields}
        if type(block) is not TextBlock or "annotations" in data:
            return data
        entries = self.annotations(block)
        return {**data, "annotations": entries} if entries else data

    def annotations(self, block: TextBlock, text: str | None = None) -> list[Json]:
        """Write the citations of a text; one without a page is a loss, and so is any quote."""
        entries: list[Json] = []
        text = block.text if text is None else text
        for citation in block.citations or ():
            self.fields(citation)
            entry = wire_blocks.write_citation(citation, text, self.issuers, self.own)
            if entry is None and citation.url is not None:
                self.report.add_loss("answer.unsupported", citation, "quote")
                bare = replace(citation, quote=None, extras=None)
                entry = wire_blocks.write_citation(bare, text, self.issuers)
            if entry is None:
                self.report.add_loss("answer.unsupported", citation)
            else:
                entries.append(entry)
        return entries

    def step(self, block: ContentBlock) -> Json:
        """Write a thought, a call, or a step of this wire; None, with a loss, for others."""
        if type(block) is RawBlock:
            return block.data if self.reads(block.issuer) else self._report_unsupported(block)
        own_fields = self.fields(block)
        absent = (block.extras or {}).get(name_notes(self.issuer), {}).get(ABSENT, ())
        if type(block) is ThinkingBlock:
            block = self.thought_block(block)
            if not (block.thinking or block.signature or self.own):
                return None
            step = wire_blocks.write_thought(block)
        elif type(block) is ToolUseBlock:
            step = self.call(block)
        elif type(block) is tree.ToolResultBlock and self.own:
            return wire_blocks.result_as_read(block, self.issuer)
        else:
            return self._report_unsupported(block)
        step.update(own_fields)
        return {key: value for key, value in step.items() if key not in absent}

    def thought_block(self, block: ThinkingBlock) -> ThinkingBlock:
        """Return the thought with only those seals that clients of this wire send back."""
        if self.mine(block.origin):
            sealed = block.signature or block.redacted
            return replace(block, signature=sealed, redacted=None)
        self.without_seals(block)
        return replace(block, signature=None, redacted=None)

    def call(self, block: ToolUseBlock) -> JsonObject:
        """Write a call, whose arguments are an object; any other text becomes a field of it."""
        values: Json = block.input
        if self.own and block.raw_input is not None and not isinstance(values, dict):
            values = block.raw_input
        elif not isinstance(values, dict):
            what = "arguments that are no object"
            self.report.add_loss("answer.unsupported", block, "input", what=what, kind="degraded")
            values = {"arguments": argument_text(block) or write_arguments(block)}
        elif self.own and "text" in wire_blocks.split_notes(block):
            values = block.raw_input
        return {**wire_blocks.write_call(block), "arguments": values}

    def _report_unsupported(self, block: ContentBlock) -> None:
        self.report.add_loss("answer.unsupported", block)

    def usage(self, usage: Usage) -> JsonObject:
        """Write the figures for a client; another wire's answer gets all the usual ones."""
        extras = self.fields(usage)
        if self.own:
            notes = (usage.extras or {}).get(name_notes(self.issuer), {})
            data = fill_fields(figures(usage, first_count(extras.get(TOOLS))), extras)
            return {key: value for key, value in data.items() if key not in notes.get(ABSENT, ())}
        if usage.input is usage.output is usage.total is None:
            return fill_fields({}, extras)  # no figures are known
        self.lost_figures(usage, ("cache_write", "audio_in", "audio_out"))
        zeros = replace(
            usage,
            input=usage.input or 0,
            output=usage.output or 0,
            cache_read=usage.cache_read or 0,
            reasoning=usage.reasoning or 0,
        )
        data = figures(zeros)
        if usage.total is None:
            data["total_tokens"] = data["total_input_tokens"] + zeros.output
        return fill_fields(data, extras)

    def envelope(self, resp: ChatResponse, model: str, steps: list[Json] | None) -> JsonObject:
        """Write the interaction around its steps, which are omitted if they are None."""
        extras = self.answer_fields(resp, TIMES)
        first = resp.candidates[0] if resp.candidates else None
        notes = (resp.extras or {}).get(name_notes(self.issuer), {}).get(ABSENT, ())
        id = resp.id if resp.id is not None or self.own else self.made_id(resp)
        body: JsonObject = {} if id is None else {"id": id}
        if "status" not in extras and (status := self._status(resp, first)) is not None:
            body["status"] = status
        body["object"] = "interaction"
        if name := resp.model or model:
            body["model"] = name
        second = None if self.own else answer_second(resp.extras)
        if second is not None:
            body["created"] = body["updated"] = iso_date(second)
        if steps is not None:
            body["steps"] = steps
        usage = self.usage(resp.usage)
        if usage:
            body["usage"] = usage
        if resp.error is not None and not self.own:
            body["errors"] = [error_fields(resp.error)]
        body = fill_fields(body, extras)
        return {key: value for key, value in body.items() if key not in notes}

    def _status(self, resp: ChatResponse, first: Candidate | None) -> str | None:
        if first is None:
            return None
        if resp.error is not None and not self.own:
            return "failed"
        if resp.status == "interrupted" and not self.own:
            self.report.add_loss(
                "answer.finish", resp, "status", what=resp.status, did="incomplete"
            )
            return "incomplete"
        return self.finish_reason(first.finish, first)


def is_said(block: ContentBlock) -> bool:
    """Whether the block is a content of a `model_output`."""
    return type(block) is tree.RefusalBlock or wire_blocks.is_content(block)


def write_response(
    room: Room, resp: ChatResponse, report: Report, request: ChatRequest | None = None
) -> JsonObject:
    """Write the body of an answer; an answer that is only an error is written as an error."""
    first = first_candidate(resp, report)
    if resp.error is not None and not first.msg.content and not _is_interaction(resp.error):
        return error_body(resp.error)
    writer = InteractionWriter.for_answer(resp, room.dialect.reads_items_of, report)
    writer.fields(first)
    writer.fields(first.msg)
    requested = (request.model if request is not None else None) or ""
    return writer.envelope(resp, "" if writer.own else requested, writer.steps(first.msg.blocks))


def _is_interaction(error: ProviderError) -> bool:
    """Whether the error is inside of an interaction, and does not replace it."""
    body = error.body
    return isinstance(body, dict) and ("steps" in body or body.get("object") == "interaction")


OVERFLOW = OverflowWords(
    "The input token count ({tokens}) exceeds the maximum number of tokens allowed ({limit}).",
    "The input token count exceeds the maximum number of tokens allowed.",
    ("input token count exceeds the maximum number of tokens allowed",),
)


# Gemini API docs, "API errors" of the Interactions API; those of the server are google.rpc.Code in
# small letters, as others of that page are
_ERROR_CODES: dict[ErrorKind, str] = {
    "context_overflow": "invalid_request",
    "content_filter": "invalid_request",
    "rate_limit": "rate_limit_exceeded",
    "billing": "quota_exceeded",
    "authentication": "authentication",
    "permission": "permission_denied",
    "not_found": "not_found",
    "model_not_found": "not_found",
    "too_large": "invalid_request",
    "invalid": "invalid_request",
    "overloaded": "unavailable",
    "timeout": "deadline_exceeded",
}


def error_fields(error: ProviderError) -> JsonObject:
    """Write `{"code", "message"}`: the code is a word of this API."""
    return {"code": _ERROR_CODES.get(error.kind, "internal"), "message": OVERFLOW.message(error)}


def _is_error(data: Json) -> TypeGuard[JsonObject]:
    """Whether it is an error of this API, whose code is a word and which has no type."""
    if not isinstance(data, dict) or not isinstance(data.get("message"), str):
        return False
    return isinstance(data.get("code"), str) and "type" not in data


def error_body(error: ProviderError) -> JsonObject:
    """Write `{"error": {"message", "code"}}`, or the body as it came."""
    body = error.body
    data = body.get("error") if isinstance(body, dict) else None
    if isinstance(body, dict) and _is_error(data):
        return body
    return {"error": error_fields(error)}
