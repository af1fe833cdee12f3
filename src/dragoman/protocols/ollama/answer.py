"""Writing answers: blocks, finish reasons and token counts for whole answers and streams.

Reference: ollama docs/api.md, "Chat"; api/types.go, ChatResponse.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..._core.jsontext import Json, JsonObject
from ..._core.stream.arguments import MADE, parse_partial
from ..._core.stream.pieces import TIMES, answer_second, iso_date
from ..._core.stream.think_tags import join_think_tags
from ...losses import Report
from ...message import (
    Base64Source,
    ChatRequest,
    ChatResponse,
    Finish,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    Usage,
)
from ...message.blocks import ContentBlock
from .. import answers
from ..chat_shape import filled
from .reader import REASONS

EPOCH = "1970-01-01T00:00:00Z"  # the time of an answer that does not tell its own


_WORDS = {"stop": "stop", "tool_calls": "stop", "length": "length"}  # calls end with `stop` here


_CORRECTED = ("stop", "tool_calls", "refusal")  # what content makes of an end without a reason


class AnswerWriter(answers.AnswerWriter):
    """Writes the blocks of an answer."""

    __slots__ = ()

    def text(self, block: TextBlock | RefusalBlock) -> str:
        """The text; that of a refusal, too, which has no field of its own on this wire."""
        self.fields(block)
        if type(block) is RefusalBlock:
            self.report.lost("answer.unsaid", block, did="said as text", kind="degraded")
        elif type(block) is TextBlock and block.citations:
            self.report.lost("answer.unsaid", block, "citations")
        return block.text

    def thought(self, block: ThinkingBlock) -> str:
        """The text of the thinking; its seals are for nobody here."""
        self.fields(block)
        self.without_seals(block)
        return block.thinking

    def data(self, block: ContentBlock) -> str | None:
        """The bytes of an image or of sound; None of anything else, which nothing can say.

        Only in an answer of this wire: the official client reads no message with images.
        """
        self.fields(block)
        source = getattr(block, "source", None)
        if self.own and block.type in ("image", "audio") and type(source) is Base64Source:
            return source.data
        self.report.lost("answer.unsaid", block, what=f"a block of the kind {block.type}")
        return None

    def call(self, block: ToolUseBlock, index: int) -> JsonObject:
        """An entry of `tool_calls`."""
        fields = self.fields(block)
        function: JsonObject = {"name": block.name, "arguments": self._arguments(block)}
        entry: JsonObject = {"function": function}
        if not self.own:
            function["index"] = index
        if not (self.own and MADE in (block.spelling or "").split()):
            entry["id"] = block.id
        return filled(entry, fields)

    def _arguments(self, block: ToolUseBlock) -> Json:
        """An object, always; text only where it was text on this very wire."""
        if self.own and block.raw_input is not None:
            return block.raw_input
        if isinstance(block.input, dict):
            return block.input
        value = parse_partial(block.raw_input or str(block.input))
        what = "argument text that is no object"
        self.report.lost("answer.unsaid", block, "input", what=what, kind="degraded")
        return value if isinstance(value, dict) else {}

    def reason(self, finish: Finish, node: object) -> str | None:
        """The word for why it ended; None where the answer of this wire had none."""
        if self.own and (finish.raw is None or _still_true(finish)):
            return finish.raw
        reason = _WORDS.get(finish.reason)
        if reason is None:
            reason = "length" if finish.reason == "context_overflow" else "stop"
            self.report.lost("answer.finish", node, "finish", what=finish.reason, did=reason)
        return reason

    def usage(self, usage: Usage) -> JsonObject:
        """The counts: everything that was read, and everything that was written."""
        self.fields(usage)
        inputs = [n for n in (usage.input, usage.cache_read, usage.cache_write) if n is not None]
        counts: JsonObject = {}
        if inputs:
            counts["prompt_eval_count"] = sum(inputs)
        if usage.output is not None:
            counts["eval_count"] = usage.output
        for name in ("cache_read", "cache_write", "reasoning", "audio_in", "audio_out"):
            if getattr(usage, name):
                self.report.lost("answer.usage", usage, name)
        if usage.total is not None and usage.total != sum(counts.values()):
            self.report.lost("answer.usage", usage, "total")
        return counts


def _still_true(finish: Finish) -> bool:
    """Whether the provider's word still says why; content corrects the open ones."""
    meaning = REASONS.get(finish.raw, "other")
    return finish.reason == meaning or (meaning != "length" and finish.reason in _CORRECTED)


def write_response(
    resp: ChatResponse, report: Report, request: ChatRequest | None, issuers: tuple[str, ...]
) -> JsonObject:
    """The body of the answer."""
    first = resp.candidates[0]
    for other in resp.candidates[1:]:
        report.lost("answer.candidates", other)
    origin = first.msg.origin
    own = origin is not None and origin.issuer in issuers
    writer = AnswerWriter(report, issuers, own)
    second = None if own else answer_second(resp.extras)
    fields = writer.fields(resp, TIMES if second is not None else ())
    candidate_fields = writer.fields(first)
    if second is not None:
        fields["created_at"] = iso_date(second)
    message: JsonObject = {"role": "assistant"} if own else {"role": "assistant", "content": ""}
    message |= _message(first.msg.blocks, writer)
    if tags := candidate_fields.pop("think_tags", ""):  # sections without a word, behind all text
        message["content"] = message.get("content", "") + tags
    message_fields = candidate_fields.pop("message", None)
    for key, value in (message_fields if isinstance(message_fields, dict) else {}).items():
        if key == "role" or key not in message:
            message[key] = value
    writer.fields(first.msg)
    if fields.pop(answers.EVENTS, None):
        report.lost("answer.unsaid", resp, "extras.events", what="events that nobody knows")
    body: JsonObject = {**fields, **candidate_fields, "done": True}
    if not own or message_fields is not None or message.keys() > {"role"}:
        body["message"] = message
    _write_model_and_time(body, resp, writer, request)
    if (reason := writer.reason(first.finish, first)) is not None:
        body["done_reason"] = reason
    body.update(writer.usage(resp.usage))
    if resp.error is not None and "error" not in body:
        body["error"] = resp.error.message
    return body


def _write_model_and_time(
    body: JsonObject, resp: ChatResponse, writer: AnswerWriter, request: ChatRequest | None
) -> None:
    """Who answered, and when."""
    if resp.model is not None:
        body["model"] = resp.model
    elif not writer.own:
        body["model"] = (request.model if request is not None else None) or ""
        writer.report.lost("answer.field", resp, "model")
    if not writer.own:
        if not isinstance(body.get("created_at"), str):
            body["created_at"] = EPOCH
            writer.report.lost("answer.field", resp, "created_at", what="the time of the answer")
        if resp.id is not None:
            writer.report.lost("answer.unsaid", resp, "id")


def _message(blocks: Sequence[ContentBlock], writer: AnswerWriter) -> JsonObject:
    """The fields that the blocks fill. All texts are one text, in pieces."""
    message: JsonObject = {}
    images: list[Json] = []
    calls: list[Json] = []
    thoughts: list[str] = []
    for block in join_think_tags(blocks) if writer.own else blocks:
        if type(block) is TextBlock or type(block) is RefusalBlock:
            message["content"] = message.get("content", "") + writer.text(block)
        elif type(block) is ThinkingBlock:
            if thinking := writer.thought(block):
                thoughts.append(thinking)
        elif type(block) is ToolUseBlock:
            calls.append(writer.call(block, len(calls)))
        elif (data := writer.data(block)) is not None:
            images.append(data)
    if thoughts:
        message["thinking"] = "\n".join(thoughts)
    if images:
        message["images"] = images
    if calls:
        message["tool_calls"] = calls
    return message
