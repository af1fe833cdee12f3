"""What a block of an answer says in the fields of the message; the rest is named as lost.

Serves whole answers and streams alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..._core.jsontext import Json, JsonObject
from ..._core.stream.arguments import MADE, partial
from ..._core.stream.pieces import TIMES, dated, moment_of
from ..._core.stream.think_tags import glued
from ...losses import Report
from ...message import (
    AudioBlock,
    Base64Source,
    ChatRequest,
    ChatResponse,
    Finish,
    ImageBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    Usage,
)
from ...message.blocks import ContentBlock
from ..chat_shape import answer_fields, filled
from .reader import REASONS


class AnswerWriter:
    """Says blocks. `own`: the answer was read from this wire, so nothing is added to it."""

    __slots__ = ("issuers", "own", "report")

    def __init__(self, report: Report, issuers: tuple[str, ...], own: bool) -> None:
        self.report = report
        self.issuers = issuers
        self.own = own

    def fields(self, node: Any, known: Sequence[str] = ()) -> JsonObject:
        """This wire's fields that nobody models; those of others are losses, but for `known`."""
        return answer_fields(node, self.issuers, self.report, known)

    def text(self, block: TextBlock | RefusalBlock) -> str:
        """The text; that of a refusal, too, which has no field of its own here."""
        self.fields(block)
        if type(block) is RefusalBlock:
            self.report.lost("answer.unsaid", block, did="said as text", kind="degraded")
        elif type(block) is TextBlock and block.citations:
            self.report.lost("answer.unsaid", block, "citations")
        return block.text

    def thought(self, block: ThinkingBlock) -> str:
        """The text of the thinking; its seals are for nobody here."""
        self.fields(block)
        for name in ("signature", "redacted"):
            if getattr(block, name) is not None:
                self.report.lost("answer.unsaid", block, name)
        return block.thinking

    def data(self, block: ContentBlock) -> str | None:
        """The bytes of an image or of sound; None of anything else, which nothing can say.

        Only in an answer of this wire: the official client reads no message with images.
        """
        self.fields(block)
        medium = type(block) is ImageBlock or type(block) is AudioBlock
        source = getattr(block, "source", None)
        if self.own and medium and type(source) is Base64Source:
            return source.data
        self.report.lost("answer.unsaid", block, what=f"a block of the kind {block.type}")
        return None

    def call(self, block: ToolUseBlock, nth: int) -> JsonObject:
        """An entry of `tool_calls`."""
        told = self.fields(block)
        function: JsonObject = {"name": block.name, "arguments": self._arguments(block)}
        made: JsonObject = {}
        if not self.own:
            function["index"] = nth
        if not (self.own and MADE in (block.spelling or "").split()):
            made["id"] = block.id
        return filled({**made, "function": function}, told)

    def _arguments(self, block: ToolUseBlock) -> Json:
        """An object, always; text only where it was text on this very wire."""
        if self.own and block.raw_input is not None:
            return block.raw_input
        if isinstance(block.input, dict):
            return block.input
        begun = partial(block.raw_input or str(block.input))
        self.report.lost("answer.unsaid", block, "input", what="argument text that is no object",
                         kind="degraded")  # fmt: skip
        return begun if isinstance(begun, dict) else {}


EPOCH = "1970-01-01T00:00:00Z"  # the time of an answer that does not tell its own


_WORDS = {"stop": "stop", "tool_calls": "stop", "length": "length"}  # calls end with `stop` here


_CORRECTED = ("stop", "tool_calls", "refusal")  # what content makes of an end without a reason


def write_response(
    resp: ChatResponse, report: Report, request: ChatRequest | None, issuers: tuple[str, ...]
) -> JsonObject:
    """The body of the answer."""
    first = resp.candidates[0]
    for other in resp.candidates[1:]:
        report.lost("answer.candidates", other)
    origin = first.msg.origin
    own = origin is not None and origin.issuer in issuers
    say = AnswerWriter(report, issuers, own)
    at = None if own else moment_of(resp.extras)
    beside, told = say.fields(resp, TIMES if at is not None else ()), say.fields(first)
    if at is not None:
        beside["created_at"] = dated(at)
    message: JsonObject = {"role": "assistant"} if own else {"role": "assistant", "content": ""}
    message |= _message(first.msg.blocks, say)
    if tags := told.pop("think_tags", ""):  # sections without a word, behind all text
        message["content"] = message.get("content", "") + tags
    inner = told.pop("message", None)
    for key, value in (inner if isinstance(inner, dict) else {}).items():
        if key == "role" or key not in message:
            message[key] = value
    say.fields(first.msg)
    if beside.pop("events", None):
        report.lost("answer.unsaid", resp, "extras.events", what="events that nobody knows")
    body: JsonObject = {**beside, **told, "done": True}
    if not own or inner is not None or message.keys() > {"role"}:
        body["message"] = message
    _named(body, resp, say, request)
    if (word := reason(first.finish, say, first)) is not None:
        body["done_reason"] = word
    body.update(figures(resp.usage, say))
    if resp.error is not None and "error" not in body:
        body["error"] = resp.error.message
    return body


def _named(
    body: JsonObject, resp: ChatResponse, say: AnswerWriter, request: ChatRequest | None
) -> None:
    """Who answered, and when."""
    if resp.model is not None:
        body["model"] = resp.model
    elif not say.own:
        body["model"] = (request.model if request is not None else None) or ""
        say.report.lost("answer.field", resp, "model")
    if not say.own:
        if not isinstance(body.get("created_at"), str):
            body["created_at"] = EPOCH
            say.report.lost("answer.field", resp, "created_at", what="the time of the answer")
        if resp.id is not None:
            say.report.lost("answer.unsaid", resp, "id")


def _message(blocks: Sequence[ContentBlock], say: AnswerWriter) -> JsonObject:
    """The fields that the blocks fill. All texts are one text, in pieces."""
    made: JsonObject = {}
    images: list[Json] = []
    calls: list[Json] = []
    for block in glued(blocks) if say.own else blocks:
        if type(block) is TextBlock or type(block) is RefusalBlock:
            made["content"] = made.get("content", "") + say.text(block)
        elif type(block) is ThinkingBlock:
            thoughts = [made["thinking"]] if made.get("thinking") else []
            if said := say.thought(block):
                made["thinking"] = "\n".join([*thoughts, said])
        elif type(block) is ToolUseBlock:
            calls.append(say.call(block, len(calls)))
        elif (data := say.data(block)) is not None:
            images.append(data)
    if images:
        made["images"] = images
    if calls:
        made["tool_calls"] = calls
    return made


def reason(finish: Finish, say: AnswerWriter, node: object) -> str | None:
    """The word for why it ended; None where the answer of this wire had none."""
    if say.own and (finish.raw is None or _fits(finish)):
        return finish.raw
    word = _WORDS.get(finish.reason)
    if word is None:
        word = "length" if finish.reason == "context_overflow" else "stop"
        say.report.lost("answer.finish", node, "finish", what=finish.reason, did=word)
    return word


def _fits(finish: Finish) -> bool:
    """Whether the provider's word still says why; content corrects the open ones."""
    meant = REASONS.get(finish.raw, "other")
    return finish.reason == meant or (meant != "length" and finish.reason in _CORRECTED)


def figures(usage: Usage, say: AnswerWriter) -> JsonObject:
    """The counts: everything that was read, and everything that was written."""
    say.fields(usage)
    read = [n for n in (usage.input, usage.cache_read, usage.cache_write) if n is not None]
    made: JsonObject = {}
    if read:
        made["prompt_eval_count"] = sum(read)
    if usage.output is not None:
        made["eval_count"] = usage.output
    for name in ("cache_read", "cache_write", "reasoning", "audio_in", "audio_out"):
        if getattr(usage, name):
            say.report.lost("answer.usage", usage, name)
    if usage.total is not None and usage.total != sum(made.values()):
        say.report.lost("answer.usage", usage, "total")
    return made
