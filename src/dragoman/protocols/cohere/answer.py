"""Token figures of Cohere, made disjoint.

Reference: Cohere API, "Chat": `Usage`; recorded answers: what the model saw stands in `tokens`,
with the cache and without images; thinking is inside the output. What is paid for is no figure of
ours and stays as it came.
"""

from __future__ import annotations

from dataclasses import replace
from hashlib import blake2b
from typing import Any

from ..._core.jsontext import Json, JsonObject, arguments, canonical
from ..._core.stream.arguments import MADE
from ...errors import ProviderError
from ...losses import Report
from ...message import (
    Candidate,
    ChatResponse,
    Finish,
    Msg,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    Usage,
)
from ...message.answer import FinishReason
from ...message.blocks import ContentBlock, noted
from ..chat_shape import UNTYPED, answer_fields, filled
from .blocks import PLAN, TEXT, listed, part_as_read, worded


def usage(told: JsonObject, issuer: str) -> Usage:
    """`tokens` without the cache and with images; the rest of `told` in extras."""
    tokens: JsonObject = told["tokens"] if isinstance(told.get("tokens"), dict) else {}
    prompt, images = _count(tokens.get("input_tokens")), _count(tokens.get("image_tokens"))
    cached = _count(told.get("cached_tokens"))
    seen = prompt
    if seen is not None:
        seen += images or 0
        seen -= cached if cached is not None and cached <= seen else 0
    made = Usage(seen, cached, None, _count(tokens.get("output_tokens")),
                 _count(tokens.get("reasoning_tokens")))  # fmt: skip
    said = figures(made, images or 0)
    rest: JsonObject = {}
    for key, value in told.items():
        there = said.get(key)
        if key == "tokens" and isinstance(value, dict) and isinstance(there, dict):
            if more := {k: n for k, n in value.items() if not _same(n, there.get(k, ...))}:
                rest[key] = more
        elif not _same(value, said.get(key, ...)):
            rest[key] = value
    if rest:
        made.extras = {issuer: rest}
    return made


def figures(made: Usage, images: int) -> JsonObject:
    """`{"tokens": {...}, "cached_tokens"}`, as far as they are known."""
    seen = made.input
    if seen is not None:
        seen += (made.cache_read or 0) - images
    tokens = {"input_tokens": seen, "output_tokens": made.output,
              "reasoning_tokens": made.reasoning}  # fmt: skip
    known = {key: n for key, n in tokens.items() if n is not None}
    said: JsonObject = {"tokens": known} if known else {}
    return said if made.cache_read is None else {**said, "cached_tokens": made.cache_read}


def said_usage(made: Usage, say: AnswerWriter) -> JsonObject:
    """The figures for a client; another wire's answer gets all that one must have."""
    own = say.fields(made)
    if say.own:
        tokens = own.get("tokens")
        images = _count(tokens.get("image_tokens")) if isinstance(tokens, dict) else None
        return filled(figures(made, images or 0), own)
    for name in ("input", "output"):
        if getattr(made, name) is None:
            say.report.lost("answer.field", made, name, did="0")
    for name in ("cache_write", "audio_in", "audio_out"):
        if getattr(made, name):
            say.report.lost("answer.usage", made, name)
    seen = (made.input or 0) + (made.cache_write or 0)
    plain = Usage(seen, made.cache_read or None, None, made.output or 0, made.reasoning or None)
    return filled(figures(plain, 0), own)


def _same(value: Any, there: Any) -> bool:
    """Whether a figure is said; its SDK makes floats of the whole numbers that are sent."""
    return bool(value == there) and bool not in (type(value), type(there))


def _count(value: Any) -> int | None:
    """A number of tokens; the API's types are floats, its answers whole numbers."""
    if type(value) is float and value.is_integer():
        return int(value)
    return value if type(value) is int else None


class AnswerWriter:
    """Says blocks. `own`: the answer was read from this wire, so nothing is added to it."""

    __slots__ = ("_issuers", "issuer", "own", "report")

    def __init__(self, report: Report, issuers: tuple[str, ...], own: bool) -> None:
        self.report = report
        self.issuer = issuers[0]
        self.own = own
        self._issuers = issuers

    def fields(self, node: Any) -> JsonObject:
        """This wire's fields that nobody models; those of others are losses."""
        return answer_fields(node, self._issuers, self.report)

    def reads(self, issuer: str) -> bool:
        """Whether fields and raw blocks of this issuer are this wire's own."""
        return issuer in self._issuers

    def item(self, block: ContentBlock) -> Json:
        """The item of the content; None, with a loss, for what an answer here cannot say."""
        if type(block) is RawBlock and self.reads(block.issuer):
            return block.data
        self.fields(block)
        if type(block) is RefusalBlock:
            self.report.lost("answer.unsaid", block, did="said as text", kind="degraded")
            return {"type": "text", "text": block.text}
        if type(block) is TextBlock or type(block) is ThinkingBlock:
            if type(block) is ThinkingBlock:
                self.unsealed(block)
                if not (block.thinking or self.own):
                    return None
            return part_as_read(block if self.own else replace(block, spelling=None), self.issuer)
        self.report.lost("answer.unsaid", block)
        return None

    def unsealed(self, block: ThinkingBlock) -> None:
        """Name what is sealed in thinking, which nobody on this wire takes."""
        for name in ("signature", "redacted"):
            if getattr(block, name) is not None:
                self.report.lost("answer.unsaid", block, name)

    def citations(self, block: ContentBlock, at: int) -> list[Json]:
        """The citations of the item `at` (-1: the plan); one that names no span is a loss."""
        own = {} if type(block) is RawBlock else (block.extras or {}).get(self.issuer, {})
        if "citations" in own:
            return listed(own, at)
        made: list[Json] = []
        for one, said in worded(block, at) if type(block) is TextBlock else ():
            self.fields(one)
            if said is None:
                self.report.lost("answer.unsaid", one, what="citation")
            else:
                made.append(said)
        return made

    def call(self, block: ToolUseBlock) -> JsonObject:
        """The entry of `tool_calls`; an id that nobody gave is said to others alone."""
        words = (block.spelling or "").split()
        said: Json = block.raw_input
        if said is None:
            said = block.input if self.own else arguments(block.input)
        function: JsonObject = {"name": block.name, "arguments": said}
        made: JsonObject = {"id": block.id, "type": "function", "function": function}
        if self.own and MADE in words:
            del made["id"]
        if self.own and UNTYPED in words:
            del made["type"]
        return filled(made, self.fields(block))


EVENTS = "events"  # where the builder keeps events that no reader knew


_WORDS: dict[FinishReason, str] = {
    "stop": "COMPLETE",
    "length": "MAX_TOKENS",
    "tool_calls": "TOOL_CALL",
    "error": "ERROR",
}


_NEAREST: dict[FinishReason, str] = {"context_overflow": "MAX_TOKENS", "malformed_call": "ERROR"}


_OPEN = frozenset({"stop", "tool_calls", "other"})  # reasons that content may correct


_CORRECTED = frozenset({"stop", "tool_calls", "refusal"})


def written_answer(resp: ChatResponse, report: Report, issuers: tuple[str, ...]) -> JsonObject:
    """The body of an answer. One that is an error and nothing else is written as an error."""
    for other in resp.candidates[1:]:
        report.lost("answer.candidates", other)
    first = resp.candidates[0] if resp.candidates else Candidate(Msg.trusted("", [], "assistant"))
    if resp.error is not None and not first.msg.content:
        return error_body(resp.error)
    origin = first.msg.origin
    say = AnswerWriter(report, issuers, origin is not None and origin.issuer in issuers)
    beside = say.fields(resp)
    if beside.pop(EVENTS, None) is not None:
        report.lost("answer.unsaid", resp, "extras", what="events that nobody knows")
    body: JsonObject = {**_named(resp, say), "message": _message(first, say)}
    if (word := finish_reason(first.finish, say, first)) is not None:
        body["finish_reason"] = word
    usage = said_usage(resp.usage, say)
    if usage or not (say.own or "usage" in beside):
        body["usage"] = usage
    if resp.error is not None and not say.own:
        report.lost("answer.unsaid", resp, "error", what=resp.error.message)
    return filled(body, beside)


def _named(resp: ChatResponse, say: AnswerWriter) -> JsonObject:
    """The id, which another wire's answer must have; no answer here names its model."""
    if resp.model is not None:
        say.report.lost("answer.unsaid", resp, "model")
    if resp.id is not None:
        return {"id": resp.id}
    if say.own:
        return {}
    said = [(one.msg.get_text_content(), [canonical(call.input) for call in one.msg.calls])
            for one in resp.candidates]  # fmt: skip
    id = blake2b(canonical([resp.model, said]).encode(), digest_size=16).hexdigest()
    say.report.lost("answer.field", resp, "id", did=id)
    return {"id": id}


def _message(one: Candidate, say: AnswerWriter) -> JsonObject:
    """`{"role", "content", "tool_plan", "tool_calls", "citations"}`: those that there are."""
    own = {**say.fields(one), **say.fields(one.msg)}
    inner = own.pop("message", None)
    notes = (one.extras or {}).get(noted(say.issuer), {})
    made: JsonObject = {} if "role" in notes else {"role": "assistant"}
    parts, beside = _told(one.msg.blocks, say)
    if parts or not ("tool_calls" in beside or say.own):
        alone = one.msg.blocks[0] if len(parts) == 1 else None
        made["content"] = alone.text if _bare(alone) and say.own else parts  # type: ignore[union-attr]
    inner = dict(inner) if isinstance(inner, dict) else {}
    if "citations" in beside and isinstance(inner.get("citations"), list):
        inner["citations"] = [*beside["citations"], *inner["citations"]]
    return {**made, **beside, **inner, **own}


def _told(blocks: list[ContentBlock], say: AnswerWriter) -> tuple[list[Json], JsonObject]:
    """(the items of the content, what stands beside it)."""
    parts: list[Json] = []
    calls: list[Json] = []
    cited: list[Json] = []
    made: JsonObject = {}
    for block in blocks:
        if type(block) is ToolUseBlock:
            calls.append(say.call(block))
        elif say.own and type(block) is RawBlock and block.role == "call":
            calls.append(block.data)
        elif type(block) is RawBlock and say.reads(block.issuer):
            parts.append(block.data)
        elif say.own and type(block) is TextBlock and block.spelling == PLAN:
            say.fields(block)
            made["tool_plan"] = block.text
            cited += say.citations(block, -1)
        elif (item := say.item(block)) is not None:
            cited += say.citations(block, len(parts))
            parts.append(item)
    beside = {"tool_calls": calls, "citations": cited}
    return parts, {**made, **{key: listed for key, listed in beside.items() if listed}}


def _bare(block: ContentBlock | None) -> bool:
    return type(block) is TextBlock and block.spelling == TEXT


def finish_reason(finish: Finish, say: AnswerWriter, node: object) -> str | None:
    """This wire's word for why it ended: the provider's own, as long as it says the same."""
    raw, reason = finish.raw, finish.reason
    meant = REASONS.get(raw or "", "other")
    if say.own and (reason == meant or (meant in _OPEN and reason in _CORRECTED)):
        return raw
    if raw in REASONS and reason == meant:
        return raw
    word = _WORDS.get(reason)
    if word is None:
        word = _NEAREST.get(reason, "COMPLETE")
        say.report.lost("answer.finish", node, "finish", what=reason, did=word)
    return word


def error_body(error: ProviderError) -> JsonObject:
    """`{"message", "error_type"}`, or the body as it came."""
    told = error.body
    if isinstance(told, dict) and isinstance(told.get("message"), str):
        return told
    return {"message": error.message, **({"error_type": error.type} if error.type else {})}


REASONS: dict[str, FinishReason] = {
    "COMPLETE": "stop",
    "STOP_SEQUENCE": "stop",
    "MAX_TOKENS": "length",
    "TOOL_CALL": "tool_calls",
    "ERROR": "error",
    "TIMEOUT": "error",
}
