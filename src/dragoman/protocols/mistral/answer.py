"""Token figures of Mistral, made disjoint.

Reference: Mistral API, "UsageInfo"; recorded answers: the cache is inside of the prompt, sound
stands beside it, and the total holds both.
"""

from __future__ import annotations

from dataclasses import replace
from hashlib import blake2b
from typing import Any

from ..._core.jsontext import Json, JsonObject, arguments, canonical
from ..._core.stream.pieces import TIMES, moment_of
from ...errors import ProviderError
from ...losses import Report
from ...message import (
    AudioBlock,
    Base64Source,
    Candidate,
    ChatRequest,
    ChatResponse,
    DocumentBlock,
    FileSource,
    Finish,
    ImageBlock,
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
from ...message.blocks import ContentBlock
from ..chat_shape import UNTYPED, answer_fields, filled
from .blocks import CHUNK, CLOSED, part_as_read

# how the API calls them, and how its reference does
_DETAILS = ("prompt_tokens_details", "prompt_token_details")


def usage(told: JsonObject, issuer: str) -> Usage:
    """`prompt_tokens` without its cache and with sound; thinking is inside `completion_tokens`.

    What does not follow from the neutral figures stays in extras: seconds of sound, the tier.
    """
    details: dict[str, Any] = next(
        (told[key] for key in _DETAILS if isinstance(told.get(key), dict)), {}
    )
    prompt, written = _count(told.get("prompt_tokens")), _count(told.get("completion_tokens"))
    cached = _count(details.get("cached_tokens"))
    if cached is None:
        cached = _count(told.get("num_cached_tokens"))
    sound = _count(details.get("audio_tokens"))
    total = _count(told.get("total_tokens"))
    beside = bool(sound) and prompt is not None and total == prompt + (written or 0) + (sound or 0)
    asked = prompt + (sound or 0) if prompt is not None and beside else prompt
    if asked is not None and cached is not None and cached <= asked:
        asked -= cached
    made = Usage(asked, cached, None, written, None, sound, None, total)
    said = figures(made, named="num_cached_tokens" in told)
    rest: JsonObject = {}
    for key, value in told.items():
        there = said.get(key)
        if key == _DETAILS[0] and isinstance(value, dict) and isinstance(there, dict):
            rest |= {key: more} if (more := _other(value, there)) or not value else {}
        elif key not in said or there != value or type(there) is not type(value):
            rest[key] = value
    if rest:
        made.extras = {issuer: rest}
    return made


def figures(made: Usage, named: bool = False) -> JsonObject:
    """The neutral figures as this wire says them; `named`: the cache has a name of its own."""
    known = [n for n in (made.input, made.cache_read) if n is not None]
    prompt = sum(known) if known else None
    if prompt is not None and made.audio_in and _beside(made, prompt):
        prompt -= made.audio_in
    cached = None if named else made.cache_read
    details = {"cached_tokens": cached, "audio_tokens": made.audio_in}
    said: JsonObject = {
        "prompt_tokens": prompt,
        "completion_tokens": made.output,
        "total_tokens": made.total,
        "prompt_tokens_details": {k: n for k, n in details.items() if n is not None},
    }
    return {key: value for key, value in said.items() if value not in (None, {})}


def said_usage(made: Usage, say: AnswerWriter) -> JsonObject:
    """The figures for a client; another wire's answer gets all that one must have."""
    own = say.fields(made)
    if say.own:
        return filled(figures(made, named="num_cached_tokens" in own), own)
    for name in ("input", "output"):
        if getattr(made, name) is None:
            say.report.lost("answer.field", made, name, did="0")
    for name in ("cache_write", "reasoning", "audio_out"):
        if getattr(made, name):
            say.report.lost("answer.usage", made, name)
    asked = sum(n or 0 for n in (made.input, made.cache_write))
    whole = asked + (made.cache_read or 0) + (made.output or 0)
    total = whole if made.total is None else made.total
    read = made.cache_read or None
    said = figures(Usage(asked, read, None, made.output or 0, audio_in=made.audio_in or None,
                         total=total))  # fmt: skip
    return filled(said, own)


def _beside(made: Usage, prompt: int) -> bool:
    return made.total == prompt + (made.output or 0)


def _other(value: JsonObject, there: JsonObject) -> JsonObject:
    return {key: n for key, n in value.items() if n is None or there.get(key) != n}


def _count(value: Any) -> int | None:
    return value if type(value) is int else None


class AnswerWriter:
    """Says blocks. `own`: the answer was read from this wire, so nothing is added to it."""

    __slots__ = ("_issuers", "issuer", "own", "report")

    def __init__(self, report: Report, issuers: tuple[str, ...], own: bool) -> None:
        self.report = report
        self.issuer = issuers[0]
        self.own = own
        self._issuers = issuers

    def fields(self, node: Any, known: tuple[str, ...] = ()) -> JsonObject:
        """This wire's fields that nobody models; those of others are losses, but for `known`."""
        return answer_fields(node, self._issuers, self.report, known)

    def mine(self, origin: Origin | None) -> bool:
        """Whether what is sealed in a block is for this wire."""
        return self.own if origin is None else origin.issuer in self._issuers

    def reads(self, issuer: str) -> bool:
        """Whether fields and raw blocks of this issuer are this wire's own."""
        return issuer in self._issuers

    def chunk(self, block: ContentBlock) -> Json:
        """The chunk; None, with a loss, for what an answer of this wire cannot say."""
        self.fields(block)
        if type(block) is RefusalBlock:
            self.report.lost("answer.unsaid", block, did="said as text", kind="degraded")
            return {"type": "text", "text": block.text}
        if self.own and (type(block) is not RawBlock or self.reads(block.issuer)):
            return part_as_read(block, self.issuer)
        if block.spelling is not None:
            block = replace(block, spelling=None)  # how it stood on another wire
        if type(block) is TextBlock:
            self.uncited(block)
            return part_as_read(block, self.issuer)
        if type(block) is ThinkingBlock:
            return self._thinking(block)
        if type(block) is RawBlock and self.reads(block.issuer):
            return block.data
        if self._said(block):
            return part_as_read(block, self.issuer)
        self.report.lost("answer.unsaid", block)
        return None

    def uncited(self, block: TextBlock) -> None:
        """Name the sources of a text: this wire has none but its own references."""
        for cited in block.citations or ():
            self.report.lost("answer.unsaid", cited, what="citation")

    def _thinking(self, block: ThinkingBlock) -> Json:
        self.unsealed(block)
        if not block.thinking:
            return None
        plain = replace(block, signature=None, redacted=None, spelling=CLOSED)
        return part_as_read(plain, self.issuer)

    def unsealed(self, block: ThinkingBlock) -> None:
        """Name what is sealed in thinking, which nobody on this wire takes."""
        for name in ("signature", "redacted"):
            if getattr(block, name) is not None:
                self.report.lost("answer.unsaid", block, name)

    def _said(self, block: ContentBlock) -> bool:
        """Whether a medium has a chunk; the fields of it that have no place are losses."""
        unsaid: tuple[str, ...] = ()
        if type(block) is ImageBlock:
            good, unsaid = isinstance(block.source, (URLSource, Base64Source)), ("title",)
        elif type(block) is AudioBlock:
            good, unsaid = isinstance(block.source, Base64Source), ("title", "detail")
        elif type(block) is DocumentBlock and isinstance(block.source, FileSource):
            good, unsaid = self.reads(block.source.issuer), ("title", "detail")
        else:
            good = type(block) is DocumentBlock and isinstance(
                block.source, (URLSource, Base64Source)
            )
            unsaid = ("detail",) if good else ()
        for name in unsaid if good else ():
            if getattr(block, name) is not None:
                self.report.lost("answer.unsaid", block, name)
        return good

    def call(self, block: ToolUseBlock, nth: int) -> JsonObject:
        """The entry of `tool_calls`, the `nth` of its message."""
        words = (block.spelling or "").split() if self.own else []
        said: Json = block.raw_input
        if said is None:
            said = block.input if self.own else arguments(block.input)
        made: JsonObject = {"id": block.id, "function": {"name": block.name, "arguments": said}}
        if UNTYPED not in words:
            made["type"] = "function"
        if "unplaced" not in words:
            made["index"] = nth
        return filled(made, self.fields(block))


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
    say = AnswerWriter(report, issuers, origin is not None and origin.issuer in issuers)
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


def _named(resp: ChatResponse, say: AnswerWriter, request: ChatRequest | None) -> JsonObject:
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


def _choice(one: Candidate, nth: int, say: AnswerWriter) -> JsonObject:
    own = say.fields(one)
    message: JsonObject = {"role": "assistant", **_message(one.msg.blocks, say)}
    message.update(say.fields(one.msg))
    if isinstance(inner := own.get("message"), dict):
        message.update(inner)
        del own["message"]
    made: JsonObject = {"index": nth, "message": message}
    made["finish_reason"] = finish_reason(one.finish, say, one)
    return {**made, **own}


def _message(blocks: list[ContentBlock], say: AnswerWriter) -> JsonObject:
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


def _plain(block: ContentBlock, say: AnswerWriter) -> bool:
    if say.own:
        return type(block) is TextBlock and block.spelling != CHUNK
    return type(block) is TextBlock or type(block) is RefusalBlock


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


REASONS: dict[str, FinishReason] = {
    "stop": "stop",
    "length": "length",
    "model_length": "context_overflow",
    "tool_calls": "tool_calls",
    "error": "error",
}
