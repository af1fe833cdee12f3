"""A whole answer for this wire's clients: its own as it was read, another wire's complete.

Reference: Cohere API, "Chat", response; recorded answers. No answer names its model.
"""

from __future__ import annotations

from hashlib import blake2b

from ...errors import ProviderError
from ...jsontext import Json, JsonObject, canonical
from ...losses import Report
from ...message import Candidate, ChatResponse, Finish, Msg, RawBlock, TextBlock, ToolUseBlock
from ...message.answer import FinishReason
from ...message.blocks import ContentBlock, noted
from ...shapes import filled
from .parts import PLAN, TEXT
from .said import Sayer
from .usage import said_usage
from .whole import REASONS

__all__ = ["EVENTS", "error_body", "finish_reason", "written_answer"]

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
    say = Sayer(report, issuers, origin is not None and origin.issuer in issuers)
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


def _named(resp: ChatResponse, say: Sayer) -> JsonObject:
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


def _message(one: Candidate, say: Sayer) -> JsonObject:
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


def _told(blocks: list[ContentBlock], say: Sayer) -> tuple[list[Json], JsonObject]:
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


def finish_reason(finish: Finish, say: Sayer, node: object) -> str | None:
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
