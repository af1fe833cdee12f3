"""A whole answer for this wire's clients: its own as it was read, another wire's complete.

Reference: Amazon Bedrock API reference, "Converse", the response.
"""

from __future__ import annotations

from ...jsontext import Json, JsonObject
from ...losses import Report
from ...message import Candidate, ChatResponse, Finish, Msg, TextBlock
from ...message.answer import FinishReason
from ...message.blocks import ContentBlock
from ...shapes import filled
from .reader import REASONS
from .said import Sayer
from .usage import figures

__all__ = ["EVENTS", "request_ids", "stop_reason", "written_answer"]

EVENTS = "events"  # where the builder keeps events that no reader knew
_WORDS: dict[FinishReason, str] = {
    "stop": "end_turn",
    "tool_calls": "tool_use",
    "length": "max_tokens",
    "context_overflow": "model_context_window_exceeded",
    "content_filter": "content_filtered",
    "malformed_call": "malformed_tool_use",
}
_NEAREST: dict[FinishReason, str] = {
    "refusal": "content_filtered",
    "error": "malformed_model_output",
}
# service model: StopReason
_OFFICIAL = frozenset({*_WORDS.values(), "stop_sequence", "guardrail_intervened",
                       "malformed_model_output"})  # fmt: skip
_OPEN = frozenset({"stop", "tool_calls", "other"})  # reasons that content may correct
_CORRECTED = frozenset({"stop", "tool_calls", "refusal"})


def written_answer(resp: ChatResponse, report: Report, issuers: tuple[str, ...]) -> JsonObject:
    """The body of an answer. One that is an error and nothing else is written as an error."""
    for other in resp.candidates[1:]:
        report.lost("answer.candidates", other)
    first = resp.candidates[0] if resp.candidates else Candidate(Msg.trusted("", [], "assistant"))
    if resp.error is not None and not first.msg.content:
        return _error(resp)
    origin = first.msg.origin
    say = Sayer(report, issuers, origin is not None and origin.issuer in issuers)
    said = [say.block(block) for block in first.msg.blocks if say.own or not _empty(block)]
    message: JsonObject = {"role": "assistant", "content": [one for one in said if one is not None]}
    body: JsonObject = {"output": {"message": message}}
    beside = say.fields(resp)
    if beside.pop(EVENTS, None) is not None:
        report.lost("answer.unsaid", resp, "extras", what="events that nobody knows")
    if (word := stop_reason(first.finish, say, first)) is not None:
        body["stopReason"] = word
    usage = figures(resp.usage, say)
    if usage or not (say.own or "usage" in beside):
        body["usage"] = usage
    for node in (first, first.msg):
        beside = filled(say.fields(node), beside)
    _named(resp, beside, say)
    return filled(body, beside)


def _error(resp: ChatResponse) -> JsonObject:
    assert resp.error is not None  # the caller has looked
    told = resp.error.body
    return told if isinstance(told, dict) and "message" in told else {"message": resp.error.message}


def _empty(block: ContentBlock) -> bool:
    """A text of nothing, which this wire takes back in no history."""
    return type(block) is TextBlock and not block.text and not block.citations


def _named(resp: ChatResponse, beside: JsonObject, say: Sayer) -> None:
    """What stands in no body of this wire, and what must."""
    if resp.id is not None and resp.id not in request_ids(beside):
        say.report.lost("answer.unsaid", resp, "id")
    if resp.model is not None:
        say.report.lost("answer.unsaid", resp, "model")
    if resp.error is not None:
        say.report.lost("answer.unsaid", resp, "error", what=resp.error.message)
    if not say.own and "metrics" not in beside:
        say.report.lost("answer.field", resp, "metrics", did="0 ms")
        beside["metrics"] = {"latencyMs": 0}


def request_ids(told: JsonObject) -> list[Json]:
    """The id of the request, where a library notes it beside the answer."""
    places = (told.get("ResponseMetadata"), "RequestId"), (told.get("$metadata"), "requestId")
    return [meta.get(key) for meta, key in places if isinstance(meta, dict)]


def stop_reason(finish: Finish, say: Sayer, node: object) -> str | None:
    """This wire's word for why it ended: the provider's own, as long as it says the same."""
    raw, reason = finish.raw, finish.reason
    if say.own:
        meant = REASONS.get(raw or "", "other")
        if reason == meant or (meant in _OPEN and reason in _CORRECTED):
            return raw
    elif raw in _OFFICIAL and REASONS.get(raw or "") == reason:
        return raw
    word = _WORDS.get(reason)
    if word is None:
        word = _NEAREST.get(reason, "end_turn")
        say.report.lost("answer.finish", node, "finish", what=reason, did=word)
    return word
