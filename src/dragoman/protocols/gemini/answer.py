"""A whole answer as GenerateContentResponse: what was read, exactly; what others said, complete.

Reference: Gemini API, "GenerateContentResponse".
"""

from __future__ import annotations

from typing import Any

from ...errors import ProviderError
from ...jsontext import Json, JsonObject
from ...losses import Report
from ...message import Candidate, ChatRequest, ChatResponse
from .cites import grounding
from .dialect import Dialect
from .said import Sayer

__all__ = ["error_of", "write_response"]

_CITED = ("groundingMetadata", "citationMetadata")


def write_response(
    resp: ChatResponse, report: Report, request: ChatRequest | None, dialect: Dialect
) -> JsonObject:
    """The body of the answer to `request`."""
    origins = [one.msg.origin for one in resp.candidates]
    own = any(origin is not None and origin.issuer in dialect.issuers for origin in origins)
    say = Sayer(report, dialect.issuers, own)
    beside = say.beside(resp)
    if beside.pop("events", None) is not None:
        report.lost("answer.unsaid", resp, what="events that nobody knows")
    made: JsonObject = {}
    told = [_candidate(one, i, say, resp) for i, one in enumerate(resp.candidates)]
    if not (own and len(told) == 1 and not told[0]) and "candidates" not in beside:
        finishes = [one.finish.raw for one in resp.candidates]
        made["candidates"] = [_unblocked(*one, beside) for one in zip(told, finishes, strict=True)]
        if "promptFeedback" in beside and not any(made["candidates"]):
            del made["candidates"]
    if usage := say.usage(resp.usage):
        made["usageMetadata"] = usage
    model = resp.model or (None if own or request is None else request.model)
    for key, value in (("modelVersion", model), ("responseId", resp.id)):
        if value is not None:
            made[key] = value
    made.update(beside)
    if resp.error is not None and "error" not in made:
        made["error"] = error_of(resp.error)
    return made


def _unblocked(told: JsonObject, raw: str | None, beside: JsonObject) -> JsonObject:
    """The candidate; nothing where its reason is that the prompt was blocked."""
    feedback = beside.get("promptFeedback")
    if isinstance(feedback, dict) and told.keys() == {"finishReason"}:
        words = (feedback.get("blockReason"), feedback.get("block_reason"))
        if raw in [str(word) for word in words]:
            return {}
    return told


def _candidate(one: Candidate, nth: int, say: Sayer, resp: ChatResponse) -> JsonObject:
    beside = say.beside(one)
    say.beside(one.msg)
    made: JsonObject = {}
    open_end = resp.status in ("interrupted", "error") and one.finish.raw is None
    parts, texts = say.parts(one.msg.blocks, open_end)
    content: Any = beside.pop("content", None) if "content" in beside else _NONE
    if content is not _NONE:
        made["content"] = {"parts": parts, **content} if parts and content is not None else content
    elif parts or not say.own:
        made["content"] = {"parts": parts, "role": "model"} if parts else {"role": "model"}
    half = any(call.unfinished for call in one.msg.calls)
    word = None if open_end else say.reason(one.finish, one, half)
    if word is not None:
        made["finishReason"] = word
    if not say.own:
        made["index"] = nth
    if not any(key in beside for key in _CITED) and (told := grounding(texts)):
        made["groundingMetadata"] = told
    made.update(beside)
    return made


_NONE = object()


def error_of(error: ProviderError) -> Json:
    """`{"code", "message", "status"}`: as the provider said it, if it spoke like this."""
    body: Any = error.body
    if isinstance(body, list) and body:
        body = body[0]
    told = body.get("error") if isinstance(body, dict) else None
    if isinstance(told, dict) and isinstance(told.get("code"), int) and "status" in told:
        return told
    status = error.status or 500
    return {"code": status, "message": error.message, "status": _STATUSES.get(status, "INTERNAL")}


# google.rpc.Code by its status of HTTP
_STATUSES = {
    400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
    409: "ABORTED", 429: "RESOURCE_EXHAUSTED", 499: "CANCELLED", 503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED", 529: "UNAVAILABLE",
}  # fmt: skip
