"""Why an answer ends, in this wire's words and in the tree's, and why the model refused.

Reference: Anthropic API, "Create a Message", `stop_reason` and `stop_details`. Knows no stream.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

from ..._core.jsontext import Json, JsonObject, canonical
from ..._core.stream.arguments import partial
from ..._core.stream.builder import first_alone
from ...errors import ProviderError
from ...losses import Report
from ...message import (
    Candidate,
    ChatRequest,
    ChatResponse,
    Citation,
    Finish,
    Msg,
    Origin,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    Usage,
)
from ...message.answer import FinishReason
from ...message.blocks import ContentBlock, answered
from ..chat_shape import answer_fields
from .dialect import Dialect

DETAILS = "stop_details"  # the spelling of a refusal that stands beside the content


_WORDS: dict[str, FinishReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "context_overflow",
    "pause_turn": "pause",
    "refusal": "refusal",
}


REASONS: dict[str, FinishReason] = {
    **_WORDS,
    "compaction": "pause",  # sent back, and the turn goes on
    # of other hosts
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool_calls",
    "content_filter": "content_filter",
    "content_filtered": "content_filter",
    "guardrail_intervened": "content_filter",
    "sensitive": "content_filter",
    "error": "error",
}


_NEAREST: dict[FinishReason, str] = {
    **{reason: word for word, reason in reversed(_WORDS.items())},
    "content_filter": "refusal",
}


_OPEN = frozenset({"stop", "tool_calls", "other"})  # reasons that content may have corrected


_CATEGORIES = ("cyber", "bio", "frontier_llm", "reasoning_extraction", "general_harms")


def stop_reason(finish: Finish, own: bool, cut: bool | None, node: object, report: Report) -> str:
    """The word for why the model stopped: that of this wire's answer (`own`), or the nearest.

    A call that breaks off (`cut`) must not be run: here only a limit leaves one behind. None: no
    call went out, whatever the provider has called.
    """
    raw, reason = finish.raw, finish.reason
    if cut is None and not own and reason == "tool_calls":
        report.lost("answer.finish", node, "finish", what=reason, did="end_turn")
        return "end_turn"
    if cut and not own and reason in _OPEN:
        report.lost("answer.finish", node, "finish", what=reason, did="max_tokens")
        return "max_tokens"
    if raw is not None and (own or raw in _WORDS):
        said = REASONS.get(raw, "other")
        if said == reason or (own and said in _OPEN):
            return raw
    word = _NEAREST.get(reason, "end_turn")
    if _WORDS[word] != reason:
        report.lost("answer.finish", node, "finish", what=reason, did=word)
    return word


def refusal(told: Json) -> RefusalBlock | None:
    """The refusal that `stop_details` tells of in words; the object itself is kept beside it."""
    if not isinstance(told, dict) or told.get("type") != "refusal":
        return None
    text, category = told.get("explanation"), told.get("category")
    words = text if isinstance(text, str) else ""
    kind = category if isinstance(category, str) else None
    if not words and kind is None:
        return None
    return RefusalBlock(words, kind, spelling=DETAILS)


def stop_details(blocks: list[RefusalBlock], report: Report) -> JsonObject:
    """What is known of the refusals of another wire's answer, whose words are text."""
    made: JsonObject = {"type": "refusal", "category": None, "explanation": None}
    for block in blocks:
        if block.category in _CATEGORIES:
            made["category"] = block.category
        elif block.category is not None:
            report.lost("answer.unsaid", block, "category", what=block.category)
    return made


_FIGURES = {
    "input_tokens": "input",
    "cache_read_input_tokens": "cache_read",
    "cache_creation_input_tokens": "cache_write",
    "output_tokens": "output",
}


_DETAILS = "output_tokens_details"


def usage(told: JsonObject, issuer: str, whole: bool) -> Usage:
    """The figures; what they do not give back stays in extras. In streams null says nothing."""
    made = Usage()
    rest: dict[str, Any] = {}
    for key, value in told.items():
        name = _FIGURES.get(key)
        if name is not None and type(value) is int:
            setattr(made, name, value)
        elif key == _DETAILS and isinstance(value, dict):
            made.reasoning, others = _details(value)
            if others or not value:
                rest[key] = others
        elif whole or value is not None:
            rest[key] = value
    if rest or not told:
        made.extras = {issuer: rest}
    return made


def _details(told: JsonObject) -> tuple[int | None, JsonObject]:
    count = told.get("thinking_tokens")
    if type(count) is not int:
        return None, told
    return count, {key: value for key, value in told.items() if key != "thinking_tokens"}


def said_usage(told: Usage, own: JsonObject, report: Report) -> JsonObject:
    """The figures that are known, as this wire says them, with the fields that it had beside them.

    A total has no place of its own: it is the sum of the others, or a loss.
    """
    made = {
        key: value for key, name in _FIGURES.items() if (value := getattr(told, name)) is not None
    }
    made.update(own)
    if told.reasoning is not None:
        made[_DETAILS] = {"thinking_tokens": told.reasoning, **own.get(_DETAILS, {})}
    summed = sum(getattr(told, name) or 0 for name in _FIGURES.values())
    for name in ("audio_in", "audio_out", "total"):
        value = getattr(told, name)
        if value and not (name == "total" and value == summed):
            report.lost("answer.usage", told, name, what=f"{name}: {value}")
    return made


class AnswerWriter:
    """Says blocks. `own`: the answer was read from this wire, so nothing is added to it."""

    __slots__ = ("issuers", "own", "report")

    def __init__(self, report: Report, issuers: tuple[str, ...], own: bool) -> None:
        self.report = report
        self.issuers = issuers
        self.own = own

    def fields(self, node: Any) -> JsonObject:
        """The fields of this wire that nobody models; those of other issuers are losses by key."""
        return answer_fields(node, self.issuers, self.report)

    def mine(self, origin: Origin | None) -> bool:
        """Whether what is sealed in a block is for this wire."""
        return self.own if origin is None else origin.issuer in self.issuers

    def block(self, block: ContentBlock) -> JsonObject | None:
        """The content block; None, with a loss, for what this wire cannot say in an answer.

        Refusals of this wire stand beside the content: see `ending.stop_details`.
        """
        if type(block) is TextBlock:
            return self._text(block)
        if type(block) is ThinkingBlock:
            return self._thinking(block)
        if type(block) is ToolUseBlock:
            made = {"type": "tool_use", "id": block.id, "name": block.name}
            return {**made, "input": self.input(block), **self.fields(block)}
        if type(block) is RawBlock:
            if block.extras and "input" in block.extras.get(answered(block.issuer), {}):
                self.report.lost("answer.unsaid", block, "input", what="arguments that break off")
            return self.raw(block)
        if type(block) is RefusalBlock:
            told = not block.text or self.beside(block)
            return None if told else self._text(self.refused(block))
        self.report.lost("answer.unsaid", block)
        return None

    def beside(self, block: ContentBlock) -> bool:
        """Whether the block is a refusal that the fields of the answer tell."""
        return self.own and type(block) is RefusalBlock and block.spelling == DETAILS

    def refused(self, block: RefusalBlock) -> TextBlock:
        """The words of a refusal as text: whoever reads the answer looks for them there."""
        self.report.lost("answer.unsaid", block, did="said as text", kind="degraded")
        return TextBlock(block.text, extras=block.extras)

    def _text(self, block: TextBlock) -> JsonObject:
        own = self.fields(block)
        made: JsonObject = {"type": "text", "text": block.text}
        listed = isinstance(own.get("citations"), list)
        if cited := [] if listed else self.citations(block.citations or []):
            made["citations"] = cited
        return {**made, **own}

    def citations(self, cited: list[Citation]) -> list[JsonObject]:
        """Sources of another wire's answer: those found in the web have a form here."""
        made = []
        for one in cited:
            self.fields(one)
            if one.url is None:
                self.report.lost("answer.unsaid", one, what="citation")
                continue
            if one.start is not None or one.end is not None:
                self.report.lost("answer.unsaid", one, "start", did="cited by the whole block")
            made.append({"type": "web_search_result_location", "url": one.url, "title": one.title,
                         "cited_text": one.quote or "", "encrypted_index": ""})  # fmt: skip
        return made

    def _thinking(self, block: ThinkingBlock) -> JsonObject | None:
        own = self.fields(block)
        mine = self.mine(block.origin)
        if block.redacted is not None and mine:
            return {"type": "redacted_thinking", "data": block.redacted, **own}
        if not self.readable(block, mine):
            return None
        made: JsonObject = {"type": "thinking", "thinking": block.thinking}
        if not self.own:
            made["signature"] = (block.signature or "") if mine else ""
        elif block.signature is not None or block.spelling == "null":
            made["signature"] = block.signature
        return {**made, **own}

    def readable(self, block: ThinkingBlock, mine: bool) -> bool:
        """Whether thinking can be shown here; what another issuer has sealed in it is a loss."""
        for name in () if mine else ("redacted", "signature"):
            if getattr(block, name):
                self.report.lost("answer.unsaid", block, name, what=f"{name} of another issuer")
        return mine or bool(block.thinking)

    def input(self, call: ToolUseBlock) -> Json:
        """The arguments as an object; of text that breaks off, so far as it goes."""
        if self.own and call.spelling == "text":
            return call.raw_input
        given = call.input
        if isinstance(given, dict):
            return given
        told = partial(given) if isinstance(given, str) else None
        if isinstance(told, dict):
            self.report.lost("answer.unsaid", call, "input", what="arguments that break off",
                             did="said so far as they go", kind="degraded")  # fmt: skip
            return told
        self.report.lost("answer.unsaid", call, "input", what="arguments that are no object")
        return {}

    def raw(self, block: RawBlock) -> JsonObject | None:
        """What only one protocol has: verbatim if it is this one."""
        if block.issuer not in self.issuers or not isinstance(block.data, dict):
            self.report.lost("answer.unsaid", block, what=f"raw block of {block.issuer}")
            return None
        return block.data


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
    say = AnswerWriter(report, dialect.issuers, _own(resp, first, dialect))
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


def _named(
    resp: ChatResponse, first: Msg, say: AnswerWriter, request: ChatRequest | None
) -> JsonObject:
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


def _content(m: Msg, say: AnswerWriter) -> Json:
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


def _end(body: JsonObject, resp: ChatResponse, first: Candidate, say: AnswerWriter) -> None:
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


def _reason(first: Candidate, say: AnswerWriter) -> str:
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
