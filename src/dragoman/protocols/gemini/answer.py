"""Why a candidate ended, in the words of generateContent and in ours.

Reference: Gemini API, "FinishReason".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from ..._core.jsontext import Json, JsonObject
from ..._core.stream.arguments import partial
from ...envelope import borne
from ...errors import ProviderError
from ...losses import Report
from ...message import (
    Candidate,
    ChatRequest,
    ChatResponse,
    Citation,
    Finish,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    Usage,
)
from ...message.answer import FinishReason
from ...message.blocks import ANSWER, MEDIA_KINDS, NOTES, ContentBlock, noted
from ...message.check import HEALED
from .blocks import TEXT, part_as_read
from .dialect import Dialect

# Gemini API, "FinishReason"; some clients ask for enums as numbers, of which both APIs agree on
# these alone
REASONS: dict[Any, FinishReason] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    "SAFETY": "content_filter",
    "RECITATION": "content_filter",
    "BLOCKLIST": "content_filter",
    "PROHIBITED_CONTENT": "content_filter",
    "SPII": "content_filter",
    "IMAGE_SAFETY": "content_filter",
    "IMAGE_PROHIBITED_CONTENT": "content_filter",
    "IMAGE_RECITATION": "content_filter",
    "MODEL_ARMOR": "content_filter",
    "MALFORMED_FUNCTION_CALL": "malformed_call",
    "UNEXPECTED_TOOL_CALL": "malformed_call",
    "MISSING_THOUGHT_SIGNATURE": "error",
    "MALFORMED_RESPONSE": "error",
    "CONTINUATION": "pause",
    1: "stop",
    2: "length",
    3: "content_filter",
    4: "content_filter",
    7: "content_filter",
    8: "content_filter",
}


UNSAID = ("FINISH_REASON_UNSPECIFIED", 0)


# why -> (the word for it, whether that is what the word means)
_WORDS: dict[str, tuple[str, bool]] = {
    "stop": ("STOP", True),
    "tool_calls": ("STOP", True),
    "length": ("MAX_TOKENS", True),
    "content_filter": ("SAFETY", True),
    "malformed_call": ("MALFORMED_FUNCTION_CALL", True),
    "error": ("MALFORMED_RESPONSE", False),
    "refusal": ("SAFETY", False),
    "pause": ("OTHER", False),  # CONTINUATION demands a token that nobody else gives
    "context_overflow": ("MAX_TOKENS", False),
    "other": ("OTHER", True),
}


_CORRECTED = {"stop", "tool_calls", "refusal", "other"}  # what content makes of each other


def fits(finish: Finish) -> bool:
    """Whether the provider's word still says why; content corrects the open ones."""
    told: Any = finish.raw
    meant = REASONS.get(int(told) if told.isdecimal() else told, "other")
    return finish.reason == meant or {finish.reason, meant} <= _CORRECTED


def word_for(finish: Finish, broken: bool) -> tuple[str, bool]:
    """(the word for a reason that another wire gave, whether it means that)."""
    if broken and finish.reason in _CORRECTED:
        return "MAX_TOKENS", False
    return _WORDS[finish.reason]


TOOLS = "toolUsePromptTokenCount"


_AUDIO = ("AUDIO", 4)  # also where enums are asked for as numbers


def usage(told: JsonObject, issuer: str) -> Usage:
    """`promptTokenCount` without its cache, with what tools read; `candidates` with `thoughts`.

    Modalities, and what does not follow from the neutral figures, stay in extras.
    """
    prompt, tools = _count(told, "promptTokenCount"), _count(told, TOOLS)
    cached = _count(told, "cachedContentTokenCount")
    thoughts = _count(told, "thoughtsTokenCount")
    fresh = prompt
    if prompt is not None and cached is not None and cached <= prompt:
        fresh = prompt - cached
    made = Usage(
        _sum(fresh, tools),
        cached,
        None,
        _sum(_count(told, "candidatesTokenCount"), thoughts),
        thoughts,
        _audio(told.get("promptTokensDetails")),
        _audio(told.get("candidatesTokensDetails")),
        _count(told, "totalTokenCount"),
    )
    said = figures(made, tools)
    rest = {key: value for key, value in told.items() if said.get(key, _NONE) != value}
    own = {issuer: rest} if rest else {}
    if absent := [key for key in said if key not in told]:
        own[noted(issuer)] = {"absent": absent}
    made.extras = own or None
    return made


_NONE = object()


def figures(made: Usage, tools: int | None = None) -> JsonObject:
    """The neutral figures as this wire says them; `tools` of the input were read by server tools.

    Candidates are left out where all that was written is thinking.
    """
    written = made.output
    if written is not None and made.reasoning is not None:
        written = written - made.reasoning or None
    said = {
        "promptTokenCount": _prompt(made, tools),
        "cachedContentTokenCount": made.cache_read,
        "candidatesTokenCount": written,
        "thoughtsTokenCount": made.reasoning,
        "totalTokenCount": made.total,
    }
    return {key: value for key, value in said.items() if value is not None}


def _prompt(made: Usage, tools: int | None) -> int | None:
    prompt = _sum(made.input, made.cache_read, made.cache_write)
    return prompt if prompt is None else prompt - (tools or 0)


def _sum(*counts: int | None) -> int | None:
    known = [n for n in counts if n is not None]
    return sum(known) if known else None


def _count(told: JsonObject, key: str) -> int | None:
    value = told.get(key)
    return value if type(value) is int else None


def _audio(details: Any) -> int | None:
    for one in details if isinstance(details, list) else ():
        if isinstance(one, dict) and one.get("modality") in _AUDIO:
            return _count(one, "tokenCount" if "tokenCount" in one else "token_count")
    return None


def grounding(texts: Sequence[TextBlock]) -> JsonObject:
    """`{"groundingChunks", "groundingSupports"}` for the citations of the texts; empty if none."""
    chunks: list[JsonObject] = []
    supports: list[JsonObject] = []
    at = 0  # in bytes
    for block in texts:
        for one in block.citations or ():
            chunk = _chunk(one)
            if chunk not in chunks:
                chunks.append(chunk)
            segment = _segment(one, block.text, at)
            where = chunks.index(chunk)
            same = next((made for made in supports if made["segment"] == segment), None)
            if same is None:
                supports.append({"segment": segment, "groundingChunkIndices": [where]})
            elif where not in same["groundingChunkIndices"]:
                same["groundingChunkIndices"].append(where)
        at += _bytes(block.text)
    return {"groundingChunks": chunks, "groundingSupports": supports} if supports else {}


def _chunk(one: Citation) -> JsonObject:
    fields: dict[str, Any] = {"uri": one.url, "title": one.title, "text": one.quote}
    told = {key: value for key, value in fields.items() if value}
    web = one.url and not one.quote
    return {"web" if web else "retrievedContext": told}


def _segment(one: Citation, text: str, at: int) -> JsonObject:
    """The bytes that are cited; without a span that is the whole block."""
    first = one.start or 0
    last = len(text) if one.end is None else one.end
    start, end = at + _bytes(text[:first]), at + _bytes(text[:last])
    made: JsonObject = {"startIndex": start} if start else {}
    return {**made, "endIndex": end, "text": text[first:last]} if start < end else {}


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


class AnswerWriter:
    """Says blocks and fields; `own`: the answer was read from this wire, and its notes hold."""

    __slots__ = ("_halved", "_once", "issuers", "own", "report")

    def __init__(
        self, report: Report, issuers: Sequence[str], own: bool, streamed: bool = False
    ) -> None:
        self.report = report
        self.issuers = issuers
        self.own = own
        self._halved = False  # whether a call was said less than whole
        # a block of a stream comes in many pieces, each of which may lose the same
        self._once: set[str] | None = set() if streamed else None

    def beside(self, node: Any) -> JsonObject:
        """The fields of this wire that nobody models; those of others are losses."""
        made: JsonObject = {}
        for issuer, told in (node.extras or {}).items():
            if issuer.removesuffix(ANSWER) in self.issuers:
                made.update(told)
            elif not issuer.endswith(NOTES) and issuer != HEALED:
                self.foreign(node, issuer, told)
        return made

    def foreign(self, node: object, issuer: str, told: JsonObject) -> None:
        """Name the fields of another issuer, those of a stream once."""
        if self._first(issuer, told):
            self.report.foreign(node, issuer, told)

    def _first(self, name: str, told: Iterable[str] = ("",)) -> bool:
        """Whether a loss of this name is to be told."""
        if self._once is None:
            return True
        new = {f"{name} {key}" for key in told} - self._once
        self._once |= new
        return bool(new)

    def parts(
        self, blocks: Sequence[ContentBlock], open_end: bool = False
    ) -> tuple[list[Any], list[TextBlock]]:
        """(the parts of a candidate, the texts in them with what they cite).

        Neighbouring texts are cut as they were when they were read.
        """
        made: list[Any] = []
        texts: list[TextBlock] = []
        for block in blocks:
            if type(block) is TextBlock or type(block) is RefusalBlock:
                texts.append(block if type(block) is TextBlock else TextBlock(block.text))
            parts = (self.part(one, open_end) for one in self._pieces(block))
            made += (part for part in parts if part is not None)
        return made, texts

    def _pieces(self, block: ContentBlock) -> Iterator[ContentBlock]:
        kind = type(block)
        if (
            not self.own
            or block.spelling is None
            or not (kind is TextBlock or kind is ThinkingBlock)
        ):
            yield block
            return
        words = block.spelling.split()
        text = block.text if type(block) is TextBlock else block.thinking  # type: ignore[union-attr]  # one of the two
        lengths = [int(word) for word in words] if all(map(str.isdecimal, words)) else []
        if not lengths:
            yield block
        elif sum(lengths) != len(text):
            yield replace(block, spelling=None)
        else:
            at = 0
            name = "text" if type(block) is TextBlock else "thinking"
            for length in lengths:
                said: dict[str, Any] = {name: text[at : at + length], "spelling": None}
                yield replace(block, **said)
                at += length

    def part(self, block: ContentBlock, open_end: bool = False) -> Any:
        """The part that says the block; None, and a loss, for what no part says.

        `open_end`: the answer broke off, so that half of a call may be the last of it.
        """
        if type(block) is RawBlock:
            return block.data if block.issuer in self.issuers else self._unsaid(block)
        self.beside(block)
        for source in (type(block) is TextBlock and block.citations) or ():
            self.beside(source)
        if type(block) is RefusalBlock:
            self.report.lost("answer.unsaid", block, did="said as text", kind="degraded")
            return {"text": block.text}
        local = block.type in MEDIA_KINDS and block.source.type == "local"  # type: ignore[union-attr]  # a medium
        if local or type(block) is ToolResultBlock:
            return self._unsaid(block)
        if type(block) is ThinkingBlock and not self._readable(block):
            return None
        if type(block) is ToolUseBlock and not (
            isinstance(block.input, dict) or self._as_text(block)
        ):
            return self._half(block, open_end)
        return part_as_read(block, self.issuers[0], self.own)

    def _unsaid(self, block: ContentBlock) -> None:
        self.report.lost("answer.unsaid", block)

    def _readable(self, block: ThinkingBlock) -> bool:
        """Whether there is more to a thought than what only another provider can read in it."""
        if borne(block) is not None:
            return True
        for name in ("signature", "redacted"):
            if getattr(block, name) is not None and self._first(name):
                self.report.lost("answer.unsaid", block, name)
        return self.own or bool(block.thinking)

    def _as_text(self, block: ToolUseBlock) -> bool:
        """Whether the arguments of the call stood as text."""
        return self.own and TEXT in (block.spelling or "").split()

    def _half(self, block: ToolUseBlock, open_end: bool) -> Json:
        """A call without an object for its arguments; one that an answer broke off in goes on."""
        self.report.lost("answer.unsaid", block, "input", what="arguments that are no object")
        self._halved = True
        told = partial(block.raw_input or "") if block.raw_input and not open_end else {}
        made: Any = replace(block, input=told if isinstance(told, dict) else {}, raw_input=None)
        part: Any = part_as_read(made, self.issuers[0], self.own)
        if open_end:
            part["functionCall"] = {**part["functionCall"], "willContinue": True}
            part["functionCall"].pop("args", None)
        return part

    def reason(self, finish: Finish, node: object, broken: bool = False) -> str | None:
        """The word for why it ended; None where nobody told.

        If a call is `broken` off, nobody must take the answer for whole.
        """
        if self.own and not self._halved and (finish.raw is None or fits(finish)):
            return finish.raw
        word, exact = word_for(finish, broken)
        if not exact:
            self.report.lost("answer.finish", node, "finish", what=finish.reason, did=word)
        return word

    def usage(self, usage: Usage) -> JsonObject:
        """`usageMetadata`: the cache is inside of the prompt, thoughts stand beside candidates."""
        own = self.beside(usage)
        tools = own.get(TOOLS)
        made = figures(usage, tools if type(tools) is int else None)
        for key in (usage.extras or {}).get(noted(self.issuers[0]), {}).get("absent", ()):
            made.pop(key, None)
        if not self.own:
            self._filled(made, usage)
        return {**made, **own}

    def _filled(self, made: JsonObject, usage: Usage) -> None:
        """What other wires leave to be summed up, and the sound among the tokens."""
        if usage.cache_write:
            self.report.lost("answer.usage", usage, "cache_write", did="told as prompt")
        if "totalTokenCount" not in made and made:
            names = ("promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount")
            made["totalTokenCount"] = sum(made.get(name, 0) for name in names)
        for name, count in (("prompt", usage.audio_in), ("candidates", usage.audio_out)):
            if count:
                rest = made.get(f"{name}TokenCount", 0) - count
                told = [{"modality": "TEXT", "tokenCount": rest}] if rest > 0 else []
                sound = {"modality": "AUDIO", "tokenCount": count}
                made[f"{name}TokensDetails"] = [*told, sound]


_CITED = ("groundingMetadata", "citationMetadata")


def write_response(
    resp: ChatResponse, report: Report, request: ChatRequest | None, dialect: Dialect
) -> JsonObject:
    """The body of the answer to `request`."""
    origins = [one.msg.origin for one in resp.candidates]
    own = any(origin is not None and origin.issuer in dialect.issuers for origin in origins)
    say = AnswerWriter(report, dialect.issuers, own)
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


def _candidate(one: Candidate, nth: int, say: AnswerWriter, resp: ChatResponse) -> JsonObject:
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
