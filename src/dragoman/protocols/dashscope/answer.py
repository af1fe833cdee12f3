"""Speech beside the choices: `output.audio`, in pieces of base64 or as a link to the whole of it.

Reference: Model Studio, "Qwen-TTS" and "Qwen-Omni", `output.audio`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..._core.jsontext import Json, JsonObject
from ..._core.jsontext import arguments as spelled
from ..._core.media import url_of
from ..._core.stream.arguments import MADE
from ..._core.stream.pieces import Part, Piece
from ..._core.stream.think_tags import glued
from ...losses import Report
from ...message import (
    AudioBlock,
    Base64Source,
    Candidate,
    ChatRequest,
    ChatResponse,
    FileSource,
    Finish,
    ImageBlock,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    URLSource,
    Usage,
    VideoBlock,
)
from ...message.answer import FinishReason
from ...message.blocks import ANSWER, MEDIA_KINDS, ContentBlock, answered, noted
from ..chat_shape import answer_fields, filled

SOUND = 2  # behind the content


SOUND_FIELD = "sound"  # the spelling of sound that stands beside the choices, not in a part


class Sound:
    """The sound of one answer."""

    def __init__(self, issuer: str) -> None:
        self._issuer = issuer
        self._streamed = False  # it comes in pieces; a link behind them is kept beside them

    def read(self, told: JsonObject, made: list[Piece]) -> None:
        """Append the piece of one event."""
        data, url = told.get("data"), told.get("url")
        block: AudioBlock | None = None
        if isinstance(data, str) and data:
            block, self._streamed = (
                AudioBlock(Base64Source("audio/wav", data), spelling=SOUND_FIELD),
                True,
            )
        elif isinstance(url, str) and url and not self._streamed:
            block = AudioBlock(URLSource(url), spelling=SOUND_FIELD)
        else:
            block = AudioBlock(Base64Source("audio/wav", ""), spelling=SOUND_FIELD)
        used = "url" if type(block.source) is URLSource else "data" if data else ""
        rest = {k: v for k, v in told.items() if k != used}
        if rest:
            block.extras = {answered(self._issuer): rest}
        made.append(Part((0, SOUND, 0), block))


def usage(told: JsonObject, issuer: str) -> Usage:
    """The figures of one answer; what the neutral ones do not give back stays in extras."""
    cache = _details(told, "prompt_tokens_details")
    asked = _details(told, "input_tokens_details")
    answered = _details(told, "output_tokens_details")
    given = _count(told, "input_tokens")
    read, write = _count(cache, "cached_tokens"), _count(cache, "cache_creation_input_tokens")
    cached = (read or 0) + (write or 0)
    made = Usage(
        given - cached if given is not None and cached <= given else given,
        read,
        write,
        _count(told, "output_tokens"),
        _count(answered, "reasoning_tokens"),
        _count(asked, "audio_tokens"),
        _count(answered, "audio_tokens"),
        _count(told, "total_tokens"),
    )
    if rest := _rest(told, figures(made)):
        made.extras = {issuer: rest}
    return made


def figures(made: Usage) -> JsonObject:
    """The neutral figures as this wire says them; unknown ones are left out."""
    cached = (made.cache_read or 0) + (made.cache_write or 0)
    said: JsonObject = {
        "input_tokens": None if made.input is None else made.input + cached,
        "output_tokens": made.output,
        "total_tokens": made.total,
        "prompt_tokens_details": _known(
            cached_tokens=made.cache_read, cache_creation_input_tokens=made.cache_write
        ),
        "input_tokens_details": _known(audio_tokens=made.audio_in),
        "output_tokens_details": _known(
            reasoning_tokens=made.reasoning, audio_tokens=made.audio_out
        ),
    }
    return {key: value for key, value in said.items() if value not in (None, {})}


def together(told: Sequence[JsonObject]) -> JsonObject:
    """One bill for several choices: each event of a stream tells that of its own choice."""
    made = dict(told[-1])
    if len(told) < 2:
        return made
    spent = [_count(one, "output_tokens") or 0 for one in told]
    if isinstance(made.get("total_tokens"), int):
        made["total_tokens"] += sum(spent) - spent[-1]
    made["output_tokens"] = sum(spent)
    details: dict[str, int] = {}
    for one in told:
        for key, value in _details(one, "output_tokens_details").items():
            details[key] = details.get(key, 0) + (value if type(value) is int else 0)
    return {**made, "output_tokens_details": details} if details else made


def _known(**counts: int | None) -> JsonObject:
    return {key: value for key, value in counts.items() if value is not None}


def _rest(told: JsonObject, said: JsonObject) -> JsonObject:
    rest: JsonObject = {}
    for key, value in told.items():
        mine = said.get(key, _NONE)
        if value == mine:
            continue
        if isinstance(value, dict) and isinstance(mine, dict):
            rest[key] = {k: n for k, n in value.items() if mine.get(k, _NONE) != n}
        else:
            rest[key] = value
    return rest


_NONE = object()


def _details(told: JsonObject, key: str) -> dict[str, Any]:
    found = told.get(key)
    return found if isinstance(found, dict) else {}


def _count(told: JsonObject, key: str) -> int | None:
    value = told.get(key)
    return value if type(value) is int else None


_WORDS = ("stop", "length", "tool_calls")


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

    def text(self, block: TextBlock | RefusalBlock) -> str:
        """The text; that of a refusal, too, which has no field of its own here."""
        if type(block) is RefusalBlock:
            self.report.lost("answer.unsaid", block, did="said as text", kind="degraded")
        elif type(block) is TextBlock and block.citations:
            self.report.lost("answer.unsaid", block, "citations")
        return block.text

    def thought(self, block: ThinkingBlock) -> str:
        """The text of the thinking; its seals are for nobody here."""
        self.fields(block)
        for name in ("signature", "redacted"):
            if getattr(block, name) is not None:
                self.report.lost("answer.unsaid", block, name)
        return block.thinking

    def part(self, block: ContentBlock) -> JsonObject | None:
        """The block as a part of the content; None if no part can say it."""
        if (
            type(block) is RawBlock
            and block.issuer in self.issuers
            and isinstance(block.data, dict)
        ):
            return block.data
        told = self.fields(block)
        if type(block) is TextBlock or type(block) is RefusalBlock:
            return {"text": self.text(block), **told}
        link = self._link(block)
        if link is None:
            self.report.lost("answer.unsaid", block, what=f"a block of the kind {block.type}")
            return None
        for name in ("title", "detail"):
            if getattr(block, name) is not None:
                self.report.lost("answer.unsaid", block, name)
        return {block.type: link, **told}

    def _link(self, block: ContentBlock) -> str | None:
        """The URL of a medium that a part can show."""
        if not (
            type(block) is ImageBlock or type(block) is AudioBlock or type(block) is VideoBlock
        ):
            return None
        source = block.source
        if type(source) is URLSource or type(source) is Base64Source:
            return url_of(source, block.spelling if self.own else None)
        known = type(source) is FileSource and source.issuer in self.issuers
        return source.file_id if type(source) is FileSource and known else None

    def sound(self, block: AudioBlock) -> JsonObject:
        """`output.audio`: sound that stands beside the choices."""
        told = self.fields(block)
        source = block.source
        if type(source) is URLSource:
            return {"url": source.url, **told}
        data = source.data if type(source) is Base64Source else ""
        return {"data": data, **told} if data else told

    def call(self, block: ToolUseBlock, nth: int) -> JsonObject:
        """An entry of `tool_calls`, in the argument text that the model wrote."""
        told = self.fields(block)
        function = {"name": block.name, "arguments": self._given(block)}
        made: JsonObject = {"id": block.id, "type": "function", "function": function}
        if not self.own:
            made["index"] = nth
        elif MADE in (block.spelling or "").split():
            del made["id"]
        elif "id" in told:  # what stood there before the id was told
            del told["id"]
        if self.own and told.get("type", "") is None:  # it had none
            del made["type"], told["type"]
        return filled(made, told)

    def _given(self, block: ToolUseBlock) -> Any:
        if block.raw_input is not None and (self.own or block.raw_input.strip()):
            return block.raw_input
        if self.own:
            return block.input
        return block.input if isinstance(block.input, str) else spelled(block.input)

    def reason(self, finish: Finish, node: object) -> str | None:
        """The word for why it ended; the provider's own where it still says so."""
        raw = finish.raw
        if self.own and (raw is None or _fits(finish)):
            return raw
        if finish.reason in _WORDS:
            return finish.reason
        word = "length" if finish.reason == "context_overflow" else "stop"
        self.report.lost("answer.finish", node, "finish", what=finish.reason, did=word)
        return word


def _fits(finish: Finish) -> bool:
    """Whether the provider's word still says why; content corrects those that leave it open."""
    meant = REASONS.get(finish.raw or "", "other")
    opened = ("stop", "tool_calls", "other")
    return finish.reason == meant or (
        meant in opened and finish.reason in ("stop", "tool_calls", "refusal")
    )


ID = "dragoman"  # the id of an answer that has none


def write_response(
    resp: ChatResponse, report: Report, request: ChatRequest | None, issuers: tuple[str, ...]
) -> JsonObject:
    """The body of the answer."""
    origin = resp.candidates[0].msg.origin
    say = AnswerWriter(report, issuers, origin is not None and origin.issuer in issuers)
    beside = say.fields(resp)
    if beside.pop("events", None):
        report.lost("answer.unsaid", resp, "extras.events", what="events that nobody knows")
    output: JsonObject = {}
    choices = [_choice(one, nth, resp, say, request) for nth, one in enumerate(resp.candidates)]
    if say.own and _bare(resp, beside):
        said = choices[0].pop("message")
        output |= {"text": said["text"]} if "text" in said else {}
        output |= choices[0]
    else:
        output["choices"] = choices
    for one in resp.candidates:
        for block in one.msg.blocks:
            if type(block) is AudioBlock and say.own and block.spelling == SOUND_FIELD:
                output["audio"] = say.sound(block)
    inner = beside.pop("output", None)
    filled(output, inner if isinstance(inner, dict) else {})
    if not say.own and resp.model is not None:
        output["model_name"] = resp.model
    made: JsonObject = {**beside, "output": output}
    if told := bill(resp.usage, say):
        made["usage"] = told
    made.setdefault("request_id", resp.id)
    if made["request_id"] is None and not say.own:
        made["request_id"] = ID
        report.lost("answer.field", resp, "id")
    elif resp.id is None and "request_id" not in beside:
        del made["request_id"]
    around = (resp.extras or {}).get(noted(say.issuers[0]), {}).get(AROUND, {})
    made = {**made, **around} if say.own else made
    if resp.error is not None and not made.get("code"):
        made |= {"code": resp.error.code or "InternalError", "message": resp.error.message}
    return made


def _bare(resp: ChatResponse, beside: JsonObject) -> bool:
    """Whether the answer was `{"output": {"text", "finish_reason"}}`, without choices."""
    first = resp.candidates[0]
    if any(block.spelling == FIELD for block in first.msg.blocks):
        return True
    inner = beside.get("output")
    told = isinstance(inner, dict) and "text" in inner
    return told and not first.msg.blocks and not first.extras


def _choice(
    one: Candidate, nth: int, resp: ChatResponse, say: AnswerWriter, request: ChatRequest | None
) -> JsonObject:
    told = say.fields(one)
    say.fields(one.msg)
    inner = told.pop("message", None)
    rest = dict(inner) if isinstance(inner, dict) else {}
    tags = told.pop("think_tags", "")  # sections without a word, behind all text
    blocks = [*one.msg.blocks, TextBlock(tags)] if tags else one.msg.blocks
    message: JsonObject = {"role": "assistant"}
    if say.own and any(block.spelling == FIELD for block in blocks):
        message = {"text": joined(glued(blocks), say)}
    else:
        message |= _message(blocks, rest, say, request)
        message |= rest
    made: JsonObject = {"message": message, **told}
    if (word := say.reason(one.finish, one)) is not None:
        made["finish_reason"] = word
    if not say.own and (len(resp.candidates) > 1 or "tool_calls" in message):
        made["index"] = nth
    return made


def _message(
    blocks: Sequence[ContentBlock], rest: JsonObject, say: AnswerWriter, request: ChatRequest | None
) -> JsonObject:
    """The fields that the blocks fill; `rest` loses the content that is put in between."""
    made: JsonObject = {}
    thoughts: list[str] = []
    calls: list[Json] = []
    content: list[ContentBlock] = []
    for block in glued(blocks) if say.own else blocks:
        if type(block) is ThinkingBlock:
            thoughts += [said] if (said := say.thought(block)) else []
        elif type(block) is ToolUseBlock:
            calls.append(say.call(block, len(calls)))
        elif type(block) is RawBlock and block.issuer not in say.issuers:
            say.part(block)  # which names it
        elif not (say.own and block.spelling == SOUND_FIELD):
            content.append(block)
    if thoughts:
        made["reasoning_content"] = "\n".join(thoughts)
    if calls:
        made["tool_calls"] = calls
    parted = any(block.spelling == PART or _beside(block, say) for block in blocks)
    if parted or any(map(_a_part, content)) or (not say.own and listed(request)):
        parts = [part for block in content if (part := say.part(block)) is not None]
        gaps = rest.pop("content", None)
        made["content"] = _between(parts, gaps) if isinstance(gaps, list) else parts
    elif content or not say.own:
        made["content"] = joined(content, say)
    return made


def _beside(block: ContentBlock, say: AnswerWriter) -> bool:
    """Whether fields of this wire stand beside the text, for which only a part has room."""
    own = any(issuer.removesuffix(ANSWER) in say.issuers for issuer in block.extras or ())
    return own and type(block) is TextBlock


def _a_part(block: ContentBlock) -> bool:
    return type(block) is RawBlock or block.type in MEDIA_KINDS


def joined(content: Sequence[ContentBlock], say: AnswerWriter) -> str:
    """One text: all texts side by side."""
    made = ""
    for block in content:
        if type(block) is TextBlock or type(block) is RefusalBlock:
            say.fields(block)
            made += say.text(block)
        else:
            say.part(block)  # which names it
    return made


def _between(parts: list[JsonObject], gaps: list[Any]) -> list[Json]:
    """The parts where `gaps` has null, the parts that say nothing where they stood."""
    waiting = iter(parts)
    made: list[Json] = [next(waiting, None) if gap is None else gap for gap in gaps]
    return [*(one for one in made if one is not None), *waiting]


def listed(request: ChatRequest | None) -> bool:
    """Whether the request was made to the multimodal endpoint, which answers in parts."""
    seen = [m for m in request.messages if m.role == "user"] if request is not None else []
    return bool(seen) and all(m.spelling == "list" for m in seen)


def bill(told: Usage, say: AnswerWriter) -> JsonObject:
    """The figures as this wire sums them: everything read, everything written, and both."""
    own = say.fields(told)
    made = figures(told)
    if made and not say.own:
        for name in ("input", "output"):
            if f"{name}_tokens" not in made:
                made[f"{name}_tokens"] = 0
                say.report.lost("answer.field", told, name)
        made.setdefault("total_tokens", made["input_tokens"] + made["output_tokens"])
    return filled(made, own)


REASONS: dict[str, FinishReason] = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool_calls",
    "content_filter": "content_filter",
}


PART, FIELD = "part", "text"  # how a text stood on the wire


AROUND = "around"  # the note of what stood there
