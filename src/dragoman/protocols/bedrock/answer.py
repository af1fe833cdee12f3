"""Token figures of Converse: `inputTokens` is without cache, and the total is the sum of all.

Reference: recorded answers (433 + 2752 read + 0 written + 16 = 3201); the API reference says less.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from ..._core.jsontext import Json, JsonObject
from ..._core.stream.arguments import partial
from ...losses import Report
from ...message import (
    Base64Source,
    Candidate,
    ChatResponse,
    Citation,
    DocumentBlock,
    Finish,
    Msg,
    Origin,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    URLSource,
    Usage,
)
from ...message.answer import FinishReason
from ...message.blocks import MEDIA_KINDS, ContentBlock, MediaBlock, answered
from ..chat_shape import answer_fields, filled
from .blocks import FORMATS, TEXT, own_fields, part_as_read

_FIGURES = {
    "inputTokens": "input",
    "cacheReadInputTokens": "cache_read",
    "cacheWriteInputTokens": "cache_write",
    "outputTokens": "output",
    "totalTokens": "total",
}


def usage(told: JsonObject, issuer: str) -> Usage:
    """The figures; what they do not give back, such as twins of other names, stays in extras."""
    made = Usage()
    rest: dict[str, Any] = {}
    for key, value in told.items():
        name = _FIGURES.get(key)
        if name is not None and type(value) is int:
            setattr(made, name, value)
        else:
            rest[key] = value
    if rest:
        made.extras = {issuer: rest}
    return made


def figures(made: Usage, say: AnswerWriter) -> JsonObject:
    """The figures in this wire's own sums; another wire's answer gets all that one must have."""
    told: JsonObject = {}
    for key, name in _FIGURES.items():
        if (value := getattr(made, name)) is not None:
            told[key] = value
    if not say.own:
        for name in ("input", "output"):
            if getattr(made, name) is None:
                say.report.lost("answer.field", made, name, did="0")
        told = {"inputTokens": 0, "outputTokens": 0, **told}
        if made.total is None:
            told["totalTokens"] = sum(told.values())
    for name in ("reasoning", "audio_in", "audio_out"):
        if getattr(made, name):
            say.report.lost("answer.usage", made, name)
    return filled(told, say.fields(made))


class AnswerWriter:
    """Says blocks. `own`: the answer was read from this wire, so nothing is added to it."""

    __slots__ = ("_issuers", "issuer", "own", "report")

    def __init__(self, report: Report, issuers: tuple[str, ...], own: bool) -> None:
        self.report = report
        self.issuer = issuers[0]
        self.own = own
        self._issuers = issuers

    def fields(self, node: Any) -> JsonObject:
        """The fields of this wire that nobody models; those of other issuers are losses by key."""
        return answer_fields(node, self._issuers, self.report)

    def mine(self, origin: Origin | None) -> bool:
        """Whether what is sealed in a block is for this wire."""
        return self.own if origin is None else origin.issuer in self._issuers

    def reads(self, issuer: str) -> bool:
        """Whether fields and raw blocks of this issuer are this wire's own."""
        return issuer in self._issuers

    def block(self, block: ContentBlock) -> Json:
        """The content block; None, with a loss, for what this wire cannot say in an answer."""
        self.fields(block)
        if not self.own and block.spelling is not None:
            block = replace(block, spelling=None)  # how it stood on another wire
        if type(block) is TextBlock:
            cited = self.citations(block)
            said = [{"text": block.text}] if block.text else []
            whole = {"content": said, "citations": cited}
            return {"citationsContent": whole} if cited else part_as_read(block, self.issuer)
        if type(block) is ThinkingBlock:
            return self._thinking(block)
        if type(block) is ToolUseBlock:
            return self._call(block)
        if type(block) is RefusalBlock:
            self.report.lost("answer.unsaid", block, did="said as text", kind="degraded")
            return {"text": block.text}
        if type(block) is RawBlock and self.reads(block.issuer):
            return _raw(block)
        if block.type in MEDIA_KINDS:
            return self._medium(block)  # type: ignore[arg-type]  # one of the four
        self.report.lost("answer.unsaid", block)
        return None

    def citations(self, block: TextBlock) -> list[JsonObject]:
        """The sources of another wire's text; this wire's own stand among the fields."""
        if not block.citations or "citations" in own_fields(block, self.issuer):
            return []
        return [self._citation(one) for one in block.citations]

    def _citation(self, cited: Citation) -> JsonObject:
        """`{"title", "sourceContent", "location": {"web"}}`, which is said of a whole block."""
        self.fields(cited)
        made: JsonObject = {}
        if cited.title is not None:
            made["title"] = cited.title
        if cited.quote is not None:
            made["sourceContent"] = [{"text": cited.quote}]
        if cited.url is not None:
            host = urlsplit(cited.url).hostname if "://" in cited.url else None
            domain = {} if host is None else {"domain": host}
            made["location"] = {"web": {"url": cited.url, **domain}}
        for name in ("start", "end"):
            if getattr(cited, name) is not None:
                did = "the whole block is cited"
                self.report.lost("answer.unsaid", cited, name, did=did, kind="degraded")
        return made

    def _thinking(self, block: ThinkingBlock) -> Json:
        block = self.unsealed(block)
        if block.redacted is None and not (block.thinking or block.signature or self.own):
            return None
        return part_as_read(block, self.issuer)

    def unsealed(self, block: ThinkingBlock) -> ThinkingBlock:
        """The thinking without what another issuer has sealed in it."""
        if self.mine(block.origin):
            return block
        for name in ("signature", "redacted"):
            if getattr(block, name) is not None:
                self.report.lost("answer.unsaid", block, name)
        return replace(block, signature=None, redacted=None)

    def _call(self, block: ToolUseBlock) -> Json:
        if isinstance(block.input, str) and TEXT not in (block.spelling or "").split():
            begun = partial(block.raw_input or block.input)
            self.report.lost("answer.unsaid", block, "input", kind="degraded",
                             what="argument text that is no object")  # fmt: skip
            block = replace(block, input=begun if isinstance(begun, dict) else {})
        return part_as_read(block, self.issuer)

    def _medium(self, block: MediaBlock) -> Json:
        source = block.source
        known = FORMATS.get(getattr(source, "media_type", None) or "") is not None
        document = type(block) is DocumentBlock
        stored = type(source) is URLSource and source.url.startswith("s3://")
        if not (stored or (type(source) is Base64Source and (known or document))):
            self.report.lost("answer.unsaid", block)
            return None
        if document and block.title is None and not self.own:
            self.report.lost("answer.field", block, "title", did="Document")
            block = replace(block, title="Document")
        for name in ("detail",) if document else ("title", "detail"):
            if getattr(block, name) is not None:
                self.report.lost("answer.unsaid", block, name)
        return part_as_read(block, self.issuer)


def _raw(block: RawBlock) -> Json:
    """The object as it came; of a call that broke off, the text of its input, too."""
    broken = (block.extras or {}).get(answered(block.issuer), {}).get("input")
    if broken is None:
        return block.data
    return {**block.data, "toolUse": {**block.data["toolUse"], "input": broken}}


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
    say = AnswerWriter(report, issuers, origin is not None and origin.issuer in issuers)
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


def _named(resp: ChatResponse, beside: JsonObject, say: AnswerWriter) -> None:
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


def stop_reason(finish: Finish, say: AnswerWriter, node: object) -> str | None:
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


REASONS: dict[str, FinishReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "context_overflow",
    "guardrail_intervened": "content_filter",
    "content_filtered": "content_filter",
    "malformed_tool_use": "malformed_call",
    "malformed_model_output": "error",
    "refusal": "refusal",
    "pause_turn": "pause",
}
