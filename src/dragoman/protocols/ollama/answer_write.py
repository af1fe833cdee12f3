"""Writing answers: blocks, finish reasons and token counts for whole answers and streams.

Reference: ollama docs/api.md, "Chat"; api/types.go, ChatResponse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ... import message as tree
from ...losses import Report
from ...message import ChatRequest, ChatResponse, Finish, TextBlock, ThinkingBlock, ToolUseBlock
from ...message.logprobs import write_list
from ...stream.arguments import MADE, parse_partial
from ...stream.pieces import TIMES, answer_second, iso_date
from ...stream.think_tags import join_think_tags
from ...text.json_text import Json, JsonObject
from ..answers import AnswerWriter, figures, first_candidate
from ..base import Room
from ..chat_like.messages import fill_fields, read_object
from ..context_full_sentence import OverflowWords
from .finish_reasons import FINISH_REASONS
from .usage import COUNTS

EPOCH = "1970-01-01T00:00:00Z"  # the time of an answer that has none


class OllamaWriter(AnswerWriter):
    """Writes the blocks of an answer."""

    __slots__ = ()
    finish_reasons = FINISH_REASONS
    needs_reason = False
    token_fields = ("bytes",)

    def text(self, block: TextBlock | tree.RefusalBlock) -> str:
        """Return the text; no field can be beside it."""
        self.fields(block)
        return super().text(block)

    def data(self, block: tree.ContentBlock) -> str | None:
        """Return the bytes of an image or of sound; None, with a loss, for any other block.

        Only in an answer of this wire: the official client reads no message with images.
        """
        self.fields(block)
        source = getattr(block, "source", None)
        if self.own and block.type in ("image", "audio") and type(source) is tree.Base64Source:
            return source.data
        self.report.add_loss("answer.unsupported", block, what=f"a block of the kind {block.type}")
        return None

    def call(self, block: ToolUseBlock, index: int) -> JsonObject:
        """Write an entry of `tool_calls`."""
        fields = self.fields(block)
        function: JsonObject = {"name": block.name, "arguments": self._arguments(block)}
        entry: JsonObject = {"function": function}
        if not self.own:
            function["index"] = index
        if not (self.own and MADE in (block.spelling or "").split()):
            entry["id"] = block.id
        return fill_fields(entry, fields)

    def _arguments(self, block: ToolUseBlock) -> Json:
        """Return the arguments as an object; as text only if they were text on this wire."""
        if self.own and block.raw_input is not None:
            return block.raw_input
        if isinstance(block.input, dict):
            return block.input
        what = "argument text that is no object"
        self.report.add_loss("answer.unsupported", block, "input", what=what, kind="degraded")
        return read_object(parse_partial(block.raw_input or str(block.input)))

    def finish_reason(self, finish: Finish, node: object) -> str | None:
        """Return the finish reason, which is `stop` after calls; None if an own answer had none."""
        if finish.reason == "tool_calls":
            finish = replace(finish, reason="stop")
        return super().finish_reason(finish, node)

    def usage(self, usage: tree.Usage) -> JsonObject:
        """Write the counts: all input, and all output."""
        self.fields(usage)
        counts = figures(usage, COUNTS)
        for name in ("cache_read", "cache_write", "reasoning", "audio_in", "audio_out"):
            if getattr(usage, name):
                self.report.add_loss("answer.usage", usage, name)
        if usage.total is not None and usage.total != sum(counts.values()):
            self.report.add_loss("answer.usage", usage, "total")
        return counts

    def message(self, blocks: Sequence[tree.ContentBlock]) -> JsonObject:
        """Return the fields for the blocks. All texts are one text, in pieces."""
        message: JsonObject = {}
        images: list[Json] = []
        calls: list[Json] = []
        thoughts: list[str] = []
        for block in join_think_tags(blocks) if self.own else blocks:
            if type(block) is TextBlock or type(block) is tree.RefusalBlock:
                message["content"] = message.get("content", "") + self.text(block)
            elif type(block) is ThinkingBlock:
                thoughts.append(self.thought(block))
            elif type(block) is ToolUseBlock:
                calls.append(self.call(block, len(calls)))
            elif (data := self.data(block)) is not None:
                images.append(data)
        thinking = "\n".join(filter(None, thoughts))
        fields = {"thinking": thinking, "images": images, "tool_calls": calls}
        return message | {key: value for key, value in fields.items() if value}


OVERFLOW = OverflowWords(
    "the input length exceeds the context length: {tokens} tokens, {limit} at most",
    "the input length exceeds the context length",
    ("prompt too long; exceeded max context length by {n} tokens",),
)


def write_response(
    room: Room, resp: ChatResponse, report: Report, request: ChatRequest | None = None
) -> JsonObject:
    """Write the body of the answer, as `/api/chat` returns it as a whole."""
    first = first_candidate(resp, report)
    writer = OllamaWriter.for_answer(resp, room.dialect.reads_items_of, report)
    own = writer.own
    second = None if own else answer_second(resp.extras)
    fields = writer.fields(resp, TIMES if second is not None else ())
    candidate_fields = writer.fields(first)
    if second is not None:
        fields["created_at"] = iso_date(second)
    message: JsonObject = {"role": "assistant"} if own else {"role": "assistant", "content": ""}
    message |= writer.message(first.msg.blocks)
    if tags := candidate_fields.pop("think_tags", ""):  # empty sections of thinking, after all text
        message["content"] = message.get("content", "") + tags
    message_fields = candidate_fields.pop("message", None)
    for key, value in read_object(message_fields).items():
        if key == "role" or key not in message:
            message[key] = value
    writer.fields(first.msg)
    writer.without_events(fields, resp, "extras.events")
    body: JsonObject = {**fields, **candidate_fields, "done": True}
    if not own or message_fields is not None or message.keys() > {"role"}:
        body["message"] = message
    if tokens := writer.tokens(resp):
        body["logprobs"] = write_list(tokens, with_bytes=True)
    _write_model_and_time(body, resp, writer, request)
    if (reason := writer.finish_reason(first.finish, first)) is not None:
        body["done_reason"] = reason
    body.update(writer.usage(resp.usage))
    if resp.error is not None and "error" not in body:
        body["error"] = OVERFLOW.message(resp.error)
    return body


def _write_model_and_time(
    body: JsonObject, resp: ChatResponse, writer: OllamaWriter, request: ChatRequest | None
) -> None:
    """Write the model, and the time."""
    if resp.model is not None:
        body["model"] = resp.model
    elif not writer.own:
        body["model"] = (request.model if request is not None else None) or ""
        writer.report.add_loss("answer.field", resp, "model")
    if not writer.own:
        if not isinstance(body.get("created_at"), str):
            body["created_at"] = EPOCH
            writer.report.add_loss(
                "answer.field", resp, "created_at", what="the time of the answer"
            )
        if resp.id is not None:
            writer.report.add_loss("answer.unsupported", resp, "id")
