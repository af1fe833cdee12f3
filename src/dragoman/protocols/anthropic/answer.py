"""A whole answer for this wire's clients: its own as it was read, another wire's complete.

Reference: Anthropic API, "Create a Message", the response; "Errors".
"""

from __future__ import annotations

from hashlib import blake2b

from ...errors import ProviderError
from ...jsontext import Json, JsonObject, canonical
from ...losses import Report
from ...message import Candidate, ChatRequest, ChatResponse, Finish, Msg, RefusalBlock, TextBlock
from ...pieces.ending import first_alone
from .dialect import Dialect
from .ending import DETAILS, stop_details, stop_reason
from .said import Sayer
from .usage import said_usage

__all__ = ["UNTOLD", "error_body", "message_id", "written_answer"]

_EVENTS = "events"  # where the builder keeps events that no reader knew
UNTOLD = Finish("other")
_ERRORS = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    504: "timeout_error",
    529: "overloaded_error",
}


def written_answer(
    resp: ChatResponse, report: Report, dialect: Dialect, request: ChatRequest | None
) -> JsonObject:
    """The body of an answer. One that is an error and nothing else is written as an error."""
    for other in resp.candidates[1:]:
        report.lost("answer.candidates", other)
    resp = first_alone(resp)
    first = resp.candidates[0] if resp.candidates else Candidate(Msg.trusted("", [], "assistant"))
    if resp.error is not None and not first.msg.content:
        return error_body(resp.error)
    say = Sayer(report, dialect.issuers, _own(resp, first, dialect))
    body: JsonObject = {"type": "message", "role": "assistant"}
    body.update(_named(resp, first.msg, say, request))
    body["content"] = _content(first.msg, say)
    for node in (first, first.msg):
        body.update(say.fields(node))
    _end(body, resp, first, say)
    usage = said_usage(resp.usage, say.fields(resp.usage), report)
    if not say.own:
        usage = _complete(usage, resp, report)
    if usage or resp.usage.extras or not say.own:
        body["usage"] = usage
    if resp.error is not None:
        report.lost("answer.unsaid", resp, "error", what=resp.error.message)
    return body


def _own(resp: ChatResponse, first: Candidate, dialect: Dialect) -> bool:
    """Whether the answer was read from this wire."""
    origin = first.msg.origin
    if origin is not None:
        return origin.issuer in dialect.issuers
    return any(issuer in dialect.issuers for issuer in resp.extras or ())


def _named(resp: ChatResponse, first: Msg, say: Sayer, request: ChatRequest | None) -> JsonObject:
    """The id and the model; another wire's answer must have both."""
    made: JsonObject = {} if resp.id is None else {"id": resp.id}
    if resp.model is not None:
        made["model"] = resp.model
    if say.own:
        return made
    if resp.id is None:
        called = [f"{call.name}\0{canonical(call.input)}" for call in first.calls]
        said = [resp.model or "", first.get_text_content() or "", *called]
        made["id"] = message_id(None, "\0".join(said))
        say.report.lost("answer.field", resp, "id", did=made["id"])
    else:
        made["id"] = message_id(resp.id)
    if resp.model is None:
        made["model"] = (request.model if request is not None else None) or "unknown"
        say.report.lost("answer.field", resp, "model", did=made["model"])
    return made


def message_id(given: str | None, said: str = "") -> str:
    """An id as this wire spells it: the given one, or one made of what the answer says."""
    if given is not None:
        return given if given.startswith("msg_") else f"msg_{given}"
    digest = blake2b(said.encode("utf-8", "surrogatepass"), digest_size=12)
    return f"msg_{digest.hexdigest()}"


def _content(m: Msg, say: Sayer) -> Json:
    blocks = m.blocks
    if say.own and len(blocks) == 1:
        only = blocks[0]
        if type(only) is TextBlock and only.spelling == "string":
            return only.text
    said = [say.block(block) for block in blocks if not (_empty(block) and not say.own)]
    return [one for one in said if one is not None]


def _empty(block: object) -> bool:
    """A text of nothing, which this wire takes back in no history."""
    return type(block) is TextBlock and not block.text and not block.citations


def _end(body: JsonObject, resp: ChatResponse, first: Candidate, say: Sayer) -> None:
    """Why it ended, and the fields of the answer that nobody models."""
    broken = resp.status == "interrupted" or (resp.status == "error" and not first.finish.raw)
    own = say.fields(resp)
    if _EVENTS in own and say.own:
        del own[_EVENTS]
        say.report.lost("answer.unsaid", resp, "extras", what="events that nobody knows")
    if not say.own:
        body.update({"stop_sequence": None, DETAILS: None})
    if not (say.own and first.finish == UNTOLD):
        body["stop_reason"] = None if broken else _reason(first, say)
    refused = [b for b in first.msg.blocks if type(b) is RefusalBlock and b.spelling != DETAILS]
    if refused:
        body[DETAILS] = stop_details(refused, say.report)
    body.update(own)


def _reason(first: Candidate, say: Sayer) -> str:
    calls = first.msg.calls
    cut = any(call.unfinished for call in calls) if calls else None
    return stop_reason(first.finish, say.own, cut, first, say.report)


def _complete(usage: JsonObject, resp: ChatResponse, report: Report) -> JsonObject:
    """The figures with both that an answer must have."""
    for key, name in (("input_tokens", "input"), ("output_tokens", "output")):
        if usage.get(key) is None:
            usage[key] = 0
            report.lost("answer.field", resp.usage, name, did="0")
    return usage


def error_body(error: ProviderError) -> JsonObject:
    """The error as it was told on this wire, or in its words."""
    body = error.body
    if (
        isinstance(body, dict)
        and body.get("type") == "error"
        and isinstance(body.get("error"), dict)
    ):
        return body
    known = error.type in _ERRORS.values()
    kind = error.type if known else _ERRORS.get(error.status or 500, "api_error")
    return {"type": "error", "error": {"type": kind, "message": error.message}}
