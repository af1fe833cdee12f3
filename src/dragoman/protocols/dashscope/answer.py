"""An answer as the generation endpoints give it whole: what the reader took apart, put together.

Answers of others become choices with a message each; content is a text, or a list of parts where
it holds media or the request was one of the multimodal endpoint. Reference: Model Studio, "Qwen
API via DashScope", response object.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...jsontext import Json, JsonObject
from ...losses import Report
from ...message import (
    AudioBlock,
    Candidate,
    ChatRequest,
    ChatResponse,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    Usage,
)
from ...message.blocks import ANSWER, MEDIA_KINDS, ContentBlock, noted
from ...shapes import filled
from ...thinktags import glued
from .choice import FIELD, PART
from .reader import AROUND
from .said import Sayer
from .sound import SOUND_FIELD
from .usage import figures

__all__ = ["ID", "bill", "listed", "write_response"]

ID = "dragoman"  # the id of an answer that has none


def write_response(
    resp: ChatResponse, report: Report, request: ChatRequest | None, issuers: tuple[str, ...]
) -> JsonObject:
    """The body of the answer."""
    origin = resp.candidates[0].msg.origin
    say = Sayer(report, issuers, origin is not None and origin.issuer in issuers)
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
    one: Candidate, nth: int, resp: ChatResponse, say: Sayer, request: ChatRequest | None
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
    blocks: Sequence[ContentBlock], rest: JsonObject, say: Sayer, request: ChatRequest | None
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


def _beside(block: ContentBlock, say: Sayer) -> bool:
    """Whether fields of this wire stand beside the text, for which only a part has room."""
    own = any(issuer.removesuffix(ANSWER) in say.issuers for issuer in block.extras or ())
    return own and type(block) is TextBlock


def _a_part(block: ContentBlock) -> bool:
    return type(block) is RawBlock or block.type in MEDIA_KINDS


def joined(content: Sequence[ContentBlock], say: Sayer) -> str:
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


def bill(told: Usage, say: Sayer) -> JsonObject:
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
