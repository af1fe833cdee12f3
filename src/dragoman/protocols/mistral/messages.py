"""Messages of a request, read into the tree, and said again as they were read.

`read_message` and `message_as_read` are each other's inverse, whatever the API may refuse.
Reference: Mistral API, "Chat Completion", `messages`.
"""

from __future__ import annotations

from functools import partial
from typing import Any, assert_never

from ..._core.jsontext import Json, JsonObject, arguments
from ..._core.passes.roles import ASSISTANT, TOOL, RoledHistory
from ...capabilities import Capabilities
from ...errors import WriteError
from ...losses import Report
from ...message import (
    AudioBlock,
    Base64Source,
    DocumentBlock,
    FileSource,
    ImageBlock,
    Msg,
    Origin,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    VideoBlock,
)
from ...message.blocks import ContentBlock, MediaBlock
from ..chat_shape import (
    UNTYPED,
    arguments_of,
    call_as_read,
    content,
    filled,
    own_extras,
    read_calls,
    result_as_read,
    result_text,
)
from ..chat_shape import read_message as retold_read_message
from .blocks import CHUNK, part_as_read, read_parts

_PREFIX = {True: "prefix", False: "unfixed"}  # how a message says whether it is to be continued


def read_message(told: Json, issuer: str, origin: Origin, place: int) -> Msg:
    """One entry of `messages`; what is no message of a known role is kept as it came."""
    return retold_read_message(
        told, issuer, read_parts, lambda rest: _answer(rest, issuer, origin, place)
    )


def _answer(rest: JsonObject, issuer: str, origin: Origin, place: int) -> Msg:
    said, word = content(rest, issuer, read_parts, origin)
    calls = read_calls(rest, issuer, place)
    if calls and isinstance(said, str):
        said = [TextBlock(said)] if said else []
    made = Msg.trusted("", [*said, *calls] if calls else said, "assistant")
    words = [word] if word else []
    if isinstance(rest.get("prefix"), bool):
        words.append(_PREFIX[rest.pop("prefix")])
    made.spelling = " ".join(words) or None
    return made


def message_as_read(m: Msg, issuer: str) -> Json:
    """The entry of `messages` that `read_message` made the message of."""
    content = m.content
    made: JsonObject = {"role": m.role, "content": content}
    if not isinstance(content, str):
        if len(content) == 1 and type(content[0]) is RawBlock and content[0].role == "message":
            return content[0].data
        if m.role == "tool":
            made = result_as_read(content[0], partial(part_as_read, issuer=issuer))
        else:
            made = _said(m, issuer)
    for flag, word in _PREFIX.items():
        if word in (m.spelling or "").split():
            made["prefix"] = flag
    made.update((m.extras or {}).get(issuer, {}))
    return made


def _said(m: Msg, issuer: str) -> JsonObject:
    made: JsonObject = {"role": m.role}
    chunks: list[ContentBlock] = []
    calls: list[Json] = []
    for block in m.blocks:
        if type(block) is ToolUseBlock or (type(block) is RawBlock and block.role == "call"):
            calls.append(call_as_read(block, issuer, len(calls)))
        else:
            chunks.append(block)
    if calls:
        made["tool_calls"] = calls
    word = (m.spelling or "").partition(" ")[0]
    first = chunks[0] if len(chunks) == 1 else None
    if type(first) is TextBlock and first.spelling != CHUNK:
        made["content"] = first.text
    elif chunks or word == "list":
        made["content"] = [part_as_read(chunk, issuer) for chunk in chunks]
    elif word != "absent":
        made["content"] = None if word == "null" else ""
    return made


_ROLES = ("system", "user", "assistant", "tool")


_DETAILS = ("low", "auto", "high")


def messages(history: RoledHistory, caps: Capabilities, report: Report) -> list[JsonObject]:
    """One wire message for each message; a last one of the assistant's is to be continued."""
    out: list[JsonObject] = []
    for m, seat, odd in zip(history.msgs, history.seats, history.marks(), strict=True):
        content: Any = m.content
        made: JsonObject
        if type(content) is str:
            made = {"role": _ROLES[seat], "content": content}
        elif seat == TOOL:
            out.extend([_result(block, caps, report) for block in content])
            continue
        elif not odd and len(content) == 1 and type(content[0]) is ToolUseBlock:
            call = _call(content[0], caps)  # the usual turn that calls a tool
            made = {"role": "assistant", "content": "", "tool_calls": [call]}
        else:
            made = _blocks(m, seat, caps, report)
            if not (made["content"] or "tool_calls" in made):
                continue  # all of it was named as lost
        if odd and m.extras is not None:
            made.update(own_extras(m, caps))
        out.append(made)
    if history.seats[-1:] == [ASSISTANT] and out:
        last = out[-1]
        if last["role"] == "assistant" and "tool_calls" not in last:
            last["prefix"] = True
    return out


def _blocks(m: Msg, seat: int, caps: Capabilities, report: Report) -> JsonObject:
    chunks: list[JsonObject] = []
    calls: list[JsonObject] = []
    thoughts: list[JsonObject] = []
    thinking: JsonObject = {"type": "thinking", "thinking": thoughts, "closed": True}
    content: list[ContentBlock] = m.content  # type: ignore[assignment]  # text was said before
    for block in content:
        if type(block) is ToolUseBlock:
            calls.append(_call(block, caps))
        elif type(block) is not ThinkingBlock:
            chunks.append(_chunk(block, caps, report))
        elif not block.thinking:
            report.lost("text.blank", block, "thinking")
        else:
            if chunks or calls:
                report.lost("thinking.moved", block, did="stands first")
            thoughts += _thoughts(block, thinking, caps)
    if thoughts:
        chunks.insert(0, thinking)
    made: JsonObject = {"role": _ROLES[seat], "content": _content(chunks)}
    if calls:
        made["tool_calls"] = calls
    return made


def _thoughts(block: ThinkingBlock, thinking: JsonObject, caps: Capabilities) -> list[JsonObject]:
    """What is thought, as it came if it was more than text; `thinking` takes what stood beside."""
    own = own_extras(block, caps)
    came = own.pop("thinking", None)
    thinking.update(own)
    said = [one.get("text", "") for one in came or () if one.get("type") == "text"]
    if came and "".join(said) == block.thinking:
        return list(came)
    return [{"type": "text", "text": block.thinking}]


def _content(chunks: list[JsonObject]) -> Any:
    """Text alone as a string, which every model reads; else the list of chunks."""
    if len(chunks) == 1 and chunks[0].keys() == {"type", "text"}:
        return chunks[0]["text"]
    return chunks or ""


def _chunk(block: ContentBlock, caps: Capabilities, report: Report) -> JsonObject:
    if type(block) is TextBlock:
        return _owned({"type": "text", "text": block.text}, block, caps)
    if (
        type(block) is ImageBlock
        or type(block) is DocumentBlock
        or type(block) is AudioBlock
        or type(block) is VideoBlock
    ):
        return _owned(_medium(block, report), block, caps)
    if type(block) is RawBlock and isinstance(block.data, dict):
        return block.data
    if (
        type(block) is RawBlock
        or type(block) is RefusalBlock
        or type(block) is ThinkingBlock
        or type(block) is ToolUseBlock
        or type(block) is ToolResultBlock
    ):
        raise WriteError(f"{block.type} has no chunk at this seat", code="seat.unsaid")
    assert_never(block)


def _owned(made: JsonObject, block: ContentBlock, caps: Capabilities) -> JsonObject:
    if block.extras is not None:
        filled(made, own_extras(block, caps))
    return made


def _call(block: ToolUseBlock, caps: Capabilities) -> JsonObject:
    """`{"id", "type": "function", "function": {"name", "arguments": JSON text}}`.

    A part of the answers names no type; such a call goes back as it came.
    """
    said = arguments(block.input) if block.raw_input is None else arguments_of(block)
    function = {"name": block.name, "arguments": said}
    made: JsonObject = {"id": block.id, "type": "function", "function": function}
    if block.spelling is not None and UNTYPED in block.spelling:
        del made["type"]
    return _owned(made, block, caps)


def _result(block: ContentBlock, caps: Capabilities, report: Report) -> JsonObject:
    """A result as a string; as chunks only where it holds more than one text."""
    if type(block) is not ToolResultBlock:
        raise WriteError(f"{block.type} at the tools' seat", code="seat.unsaid")
    output = block.output
    if type(output) is str:
        said: Any = output
    elif isinstance(output, list):
        said = _content([_chunk(inner, caps, report) for inner in output])
    else:
        said = result_text(block, bullets=False)
    return _owned({"role": "tool", "content": said, "tool_call_id": block.id}, block, caps)


def _medium(block: MediaBlock, report: Report) -> JsonObject:
    """A medium as a chunk: `image_url`, `document_url`, `input_audio`, or a `file`."""
    source = block.source
    if isinstance(source, FileSource):
        if block.type == "document" and block.title is not None:
            report.lost("media.detail", block, "title")
        return {"type": "file", "file_id": source.file_id}
    match block:
        case ImageBlock(detail=None):
            return {"type": "image_url", "image_url": _url(block)}
        case ImageBlock(detail=detail) if detail in _DETAILS:
            return {"type": "image_url", "image_url": {"url": _url(block), "detail": detail}}
        case ImageBlock():
            report.lost("media.detail", block, "detail")
            return {"type": "image_url", "image_url": _url(block)}
        case DocumentBlock():
            made: JsonObject = {"type": "document_url", "document_url": _url(block)}
            if block.title is not None:
                made["document_name"] = block.title
            return made
        case AudioBlock() if isinstance(source, Base64Source):
            return {"type": "input_audio", "input_audio": source.data}
        case AudioBlock() | VideoBlock():
            raise WriteError(f"{block.type} from a {source.type} source", code="seat.unsaid")
        case _:
            assert_never(block)


def _url(block: MediaBlock) -> str:
    match block.source:
        case URLSource(url=url):
            return url
        case Base64Source() as source:
            return source.data_uri()
        case other:
            raise WriteError(f"{block.type} from a {other.type} source", code="seat.unsaid")
