"""An answer as Chat Completions gives it whole: what the reader took apart is put together again.

Answers of others become messages whose texts, thoughts and calls stand in fields of their own.
Reference: OpenAI API, "The chat completion object".
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...errors import ProviderError
from ...jsontext import JsonObject
from ...losses import Report
from ...message import (
    Candidate,
    ChatRequest,
    ChatResponse,
    Finish,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
)
from ...message.blocks import ContentBlock
from ...pieces.moment import TIMES, moment_of
from ...shapes import filled
from ...thinktags import glued
from .choice import REASONS
from .content import PART
from .dialect import Dialect
from .said import Sayer
from .usage import told_usage

__all__ = ["CUT", "ID", "Flow", "completed", "fault_of", "reason", "write_response"]

ID = "chatcmpl-dragoman"  # the id of an answer that does not tell its own
_WORDS = {"stop": "stop", "length": "length", "tool_calls": "tool_calls",
          "content_filter": "content_filter"}  # fmt: skip
# a call that was cut, or that its own provider takes for none, must not look like one to be run
_NEAREST = {"context_overflow": "length", "malformed_call": "length", "error": "length",
            "refusal": "content_filter"}  # fmt: skip
CUT = ("length", "context_overflow", "malformed_call", "error")  # calls may lack their arguments
_OPEN = ("stop", "tool_calls", "refusal", "other")  # reasons that content may have corrected


def write_response(
    resp: ChatResponse, report: Report, request: ChatRequest | None, dialect: Dialect
) -> JsonObject:
    """The body of the answer."""
    origin = resp.candidates[0].msg.origin if resp.candidates else None
    own = origin is not None and origin.issuer in dialect.issuers
    say = Sayer(report, dialect, own)
    at = None if own else moment_of(resp.extras)
    more, notes = say.fields(resp, TIMES if at is not None else ()), say.notes(resp)
    if more.pop("events", None):
        report.lost("answer.unsaid", resp, "extras.events", what="events that nobody knows")
    body: JsonObject = {**_named(resp, say, request, at), **more}
    if "choices" in notes:
        body["choices"] = notes["choices"]
    else:
        listed = [(_choice(one, nth, say), nth) for nth, one in enumerate(resp.candidates)]
        order = [say.notes(one).get("at", nth) for nth, one in enumerate(resp.candidates)]
        nths = sorted(range(len(listed)), key=order.__getitem__)
        body["choices"] = [listed[nth][0] for nth in nths]
    figures = told_usage(resp.usage, say)
    if figures and "usage" not in more:
        body["usage"] = figures
    if resp.error is not None and "error" not in body:
        body["error"] = fault_of(resp.error)
    for key in notes.get("absent", ()):
        body.pop(key, None)
    return body


def _named(
    resp: ChatResponse, say: Sayer, request: ChatRequest | None, at: int | None
) -> JsonObject:
    """Who answered, and when. An answer of another wire gets what it does not tell."""
    told: JsonObject = {
        "id": resp.id,
        "object": "chat.completion",
        "created": at,
        "model": resp.model,
    }
    if not say.own:
        asked = request.model if request is not None else None
        for key, value in (("id", ID), ("created", 0), ("model", asked or "")):
            if told[key] is None:
                told[key] = value
                say.report.lost("answer.field", resp, key)
    return {key: value for key, value in told.items() if value is not None}


def _choice(one: Candidate, nth: int, say: Sayer) -> JsonObject:
    more, notes = say.fields(one), say.notes(one)
    beside = more.pop("message", {}) if "message" not in notes.get("absent", ()) else {}
    message: JsonObject = {"role": "assistant", "content": None}
    blocks = glued(one.msg.blocks) if say.own and say.tags else one.msg.blocks
    if notes.get("content") == "list":
        parts = [block for block in blocks if _is_part(block)]
        blocks = [block for block in blocks if not _is_part(block)]
        message["content"] = [say.part(block) for block in parts]
    _fill(message, blocks, say)
    if tags := more.pop("think_tags", ""):  # sections without a word, behind all text
        message["content"] = (message["content"] or "") + tags
    for key, value in (beside if isinstance(beside, dict) else {}).items():
        if key != "content" or not message["content"]:
            message[key] = value
    say.fields(one.msg)
    made: JsonObject = {"index": nth, "message": message, **more}
    made["finish_reason"] = notes.get("finish_reason", reason(one.finish, one.msg.blocks, say, one))
    if not isinstance(beside, dict):
        made["message"] = beside
    if "index" in notes:
        made["index"] = notes["index"]
    for key in notes.get("absent", ()):
        made.pop(key, None)
        if key == "role" or (key == "content" and message["content"] is None):
            del message[key]
    return made


def _is_part(block: ContentBlock) -> bool:
    """Whether the block stood in a list of parts; texts have no other place beside one."""
    if type(block) is TextBlock:
        return block.spelling != "transcript"
    return (block.spelling or "").split(" ")[0] == PART


class Flow:
    """Where texts stand in their fields: words side by side, each thought on a new line."""

    def __init__(self) -> None:
        self.length = 0  # characters of content so far
        self._fields: dict[str, Any] = {}  # the block that each thought is of

    def joined(self, fields: JsonObject, block: ContentBlock, key: Any) -> JsonObject:
        """The fields of a block, or of a piece of it, with what has to stand before its text."""
        if type(block) is ThinkingBlock:
            for field, said in fields.items():
                if isinstance(said, str):
                    if self._fields.setdefault(field, key) != key:
                        fields[field] = f"\n{said}"
                    self._fields[field] = key
        self.length += len(fields.get("content", ""))
        return fields


def _fill(message: JsonObject, blocks: Iterable[ContentBlock], say: Sayer) -> None:
    """Put the blocks into their fields."""
    flow = Flow()
    for nth, block in enumerate(blocks):
        for field, said in flow.joined(say.said(block, flow.length), block, nth).items():
            there = message.get(field)
            if isinstance(said, list) and there:
                there.extend(said)
            elif isinstance(said, dict) and there:
                message[field] = {**there, **said}
            else:
                message[field] = there + said if isinstance(there, str) else said
    if "audio" in message and not say.own:
        message["audio"] = completed(message["audio"])


def completed(audio: JsonObject) -> JsonObject:
    """Speech with the fields that every client looks for. Reference: `message.audio`."""
    return {"id": "audio_dragoman", "expires_at": 0, "data": "", "transcript": "", **audio}


def reason(finish: Finish, blocks: Iterable[ContentBlock], say: Sayer, node: object) -> str | None:
    """The word for why it ended; None where the answer of this wire had none."""
    if say.own and (finish.raw is None or _fits(finish)):
        return finish.raw
    kinds = {*map(type, blocks)}
    word = _WORDS.get(finish.reason)
    if finish.reason == "refusal" and RefusalBlock in kinds:
        word = "stop"
    if word is None or (word == "tool_calls" and ToolUseBlock not in kinds):
        broke = finish.reason == "other" and finish.raw is None  # nobody said that it had ended
        word = "length" if broke else _NEAREST.get(finish.reason, "stop")
        say.report.lost("answer.finish", node, "finish", what=finish.reason, did=word)
    return word


def _fits(finish: Finish) -> bool:
    """Whether the provider's word still says why; content corrects the open ones."""
    meant = REASONS.get(finish.raw or "", "other")
    return finish.reason == meant or (meant in _OPEN and finish.reason in _OPEN)


def fault_of(error: ProviderError) -> JsonObject:
    """`{"message", "type", "param", "code"}`: the object of the host where it has that form."""
    told = error.body.get("error") if isinstance(error.body, dict) else None
    if isinstance(told, dict) and isinstance(told.get("message"), str):
        return told
    code = error.code or error.status
    return filled({"message": error.message, "type": error.type or "error", "param": None,
                   "code": code or None}, {})  # fmt: skip
