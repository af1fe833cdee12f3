"""An answer as `/api/chat` gives it whole: what the reader took apart is put together again.

Answers of others become one flat message: texts, thoughts, images and calls, each in a field of
its own. Reference: ollama docs/api.md and api/types.go, ChatResponse.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...jsontext import Json, JsonObject
from ...losses import Report
from ...message import (
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
from ...pieces.moment import TIMES, dated, moment_of
from ...thinktags import glued
from .reader import REASONS
from .said import Sayer

__all__ = ["EPOCH", "figures", "reason", "write_response"]

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
    say = Sayer(report, issuers, own)
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


def _named(body: JsonObject, resp: ChatResponse, say: Sayer, request: ChatRequest | None) -> None:
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


def _message(blocks: Sequence[ContentBlock], say: Sayer) -> JsonObject:
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


def reason(finish: Finish, say: Sayer, node: object) -> str | None:
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


def figures(usage: Usage, say: Sayer) -> JsonObject:
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
