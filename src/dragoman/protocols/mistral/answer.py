"""A whole answer for this wire's clients: its own as it was read, another wire's complete.

Reference: Mistral API, "ChatCompletionResponse"; recorded answers.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

from ...errors import ProviderError
from ...jsontext import Json, JsonObject, canonical
from ...losses import Report
from ...message import (
    Candidate,
    ChatRequest,
    ChatResponse,
    Finish,
    RefusalBlock,
    TextBlock,
    ToolUseBlock,
)
from ...message.answer import FinishReason
from ...message.blocks import ContentBlock
from ...pieces.moment import TIMES, moment_of
from ...shapes import filled
from .choice import REASONS
from .chunks import CHUNK
from .said import Sayer
from .usage import said_usage

__all__ = ["EVENTS", "error_body", "finish_reason", "written_answer"]

EVENTS = "events"  # where the builder keeps events that no reader knew
_WORDS: dict[FinishReason, str] = {
    "stop": "stop",
    "length": "length",
    "context_overflow": "model_length",
    "tool_calls": "tool_calls",
    "error": "error",
}
_OPEN = frozenset({"stop", "tool_calls", "other"})  # reasons that content may correct
_CORRECTED = frozenset({"stop", "tool_calls", "refusal"})


def written_answer(
    resp: ChatResponse, report: Report, issuers: tuple[str, ...], request: ChatRequest | None
) -> JsonObject:
    """The body of an answer. One that is an error and nothing else is written as an error."""
    if resp.error is not None and not any(one.msg.content for one in resp.candidates):
        return error_body(resp.error)
    origin = resp.candidates[0].msg.origin if resp.candidates else None
    say = Sayer(report, issuers, origin is not None and origin.issuer in issuers)
    beside = say.fields(resp, TIMES if moment_of(resp.extras) is not None else ())
    if beside.pop(EVENTS, None) is not None:
        report.lost("answer.unsaid", resp, "extras", what="events that nobody knows")
    body: JsonObject = {"object": "chat.completion", **_named(resp, say, request)}
    told = [one for one in resp.candidates if not (say.own and _silent(one, resp))]
    body["choices"] = [_choice(one, nth, say) for nth, one in enumerate(told)]
    usage = said_usage(resp.usage, say)
    if usage or not (say.own or "usage" in beside):
        body["usage"] = usage
    if resp.error is not None and "error" not in beside:
        report.lost("answer.unsaid", resp, "error", what=resp.error.message)
    return filled(body, beside)


def _silent(one: Candidate, resp: ChatResponse) -> bool:
    """Whether nothing was told of a candidate: an answer has one, if only in name."""
    return resp.status == "interrupted" and not (one.msg.content or one.extras or one.finish.raw)


def _named(resp: ChatResponse, say: Sayer, request: ChatRequest | None) -> JsonObject:
    """The id, the model and the time; another wire's answer must have all of them."""
    made: JsonObject = {} if resp.id is None else {"id": resp.id}
    if resp.model is not None:
        made["model"] = resp.model
    if say.own:
        return made
    if resp.id is None:
        said = [(one.msg.get_text_content(), [canonical(call.input) for call in one.msg.calls])
                for one in resp.candidates]  # fmt: skip
        digest = blake2b(canonical([resp.model, said]).encode(), digest_size=16)
        made["id"] = digest.hexdigest()
        say.report.lost("answer.field", resp, "id", did=made["id"])
    if resp.model is None:
        made["model"] = (request.model if request is not None else None) or "unknown"
        say.report.lost("answer.field", resp, "model", did=made["model"])
    made["created"] = moment_of(resp.extras)
    if made["created"] is None:
        made["created"] = 0
        say.report.lost("answer.field", resp, "created", did="0")
    return made


def _choice(one: Candidate, nth: int, say: Sayer) -> JsonObject:
    own = say.fields(one)
    message: JsonObject = {"role": "assistant", **_message(one.msg.blocks, say)}
    message.update(say.fields(one.msg))
    if isinstance(inner := own.get("message"), dict):
        message.update(inner)
        del own["message"]
    made: JsonObject = {"index": nth, "message": message}
    made["finish_reason"] = finish_reason(one.finish, say, one)
    return {**made, **own}


def _message(blocks: list[ContentBlock], say: Sayer) -> JsonObject:
    """Content and calls. Text alone is a string; anything else makes it a list of chunks."""
    chunks: list[Any] = []
    calls: list[Json] = []
    texts: list[str] = []
    plain = True
    for block in blocks:
        if type(block) is ToolUseBlock:
            calls.append(say.call(block, len(calls)))
        elif (said := say.chunk(block)) is not None:
            chunks.append(said)
            plain = plain and _plain(block, say)
            if plain:
                texts.append(said["text"])
    made: JsonObject = {}
    if plain and (chunks or not say.own):
        made["content"] = "".join(texts)
    elif chunks:
        made["content"] = chunks
    if calls or not say.own:
        made["tool_calls"] = calls or None
    return made


def _plain(block: ContentBlock, say: Sayer) -> bool:
    if say.own:
        return type(block) is TextBlock and block.spelling != CHUNK
    return type(block) is TextBlock or type(block) is RefusalBlock


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
        word = "stop"
        say.report.lost("answer.finish", node, "finish", what=reason, did=word)
    return word


def error_body(error: ProviderError) -> JsonObject:
    """`{"object": "error", "message", "type", "param", "code"}`, or the body as it came."""
    told = error.body
    if isinstance(told, dict) and (told.get("object") == "error" or "detail" in told):
        return told
    return {"object": "error", "message": error.message, "type": error.type or "api_error",
            "param": None, "code": error.code or None}  # fmt: skip
