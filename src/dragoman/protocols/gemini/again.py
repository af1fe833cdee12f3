"""A block said again as the part that it was read from, whatever a dialect or a model may take.

`part_as_read` is the inverse of what `parts` and `results` read.
"""

from __future__ import annotations

from base64 import b64encode
from typing import Any

from ...envelope import borne
from ...jsontext import Json, JsonObject, loads
from ...message import (
    Base64Source,
    FileSource,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
)
from ...message.blocks import ContentBlock, MediaBlock
from ...pieces.calls import MADE
from ...shapes import filled
from .keys import spell_keys
from .media import level_of
from .parts import ARGLESS, BARE, NAMELESS, TEXT, UNPADDED, UNTHOUGHT, URLSAFE
from .results import ABSENT, ERROR, JSON, OUTPUT, SHOWN

__all__ = ["part_as_read"]


def part_as_read(block: ContentBlock, issuer: str, noted: bool = True) -> Json:
    """The part that the block was read from; unless `noted`, its spelling is another wire's."""
    if type(block) is TextBlock and block.spelling is None and block.extras is None:
        return {"text": block.text}
    if type(block) is RawBlock:
        return block.data
    words = (block.spelling or "").split()
    if not noted:  # but for ids: nobody needs those that we made
        words = [MADE] if MADE in words else []
    if type(block) is TextBlock or type(block) is ThinkingBlock:
        if TEXT in words and isinstance(block, TextBlock):
            return block.text
        key, made = "", _text(block, words)
    elif type(block) is ToolUseBlock:
        key, made = "functionCall", {"functionCall": _call(block, words)}
    elif type(block) is ToolResultBlock:
        key, made = "functionResponse", {"functionResponse": _result(block, words, issuer)}
    else:
        assert not isinstance(block, RefusalBlock)  # which this wire does not know
        key, made = _medium(block, words)
    if UNTHOUGHT in words:
        made["thought"] = False
    if block.extras is not None:
        made = filled(made, block.extras.get(issuer, {}))
    if words and key:
        made[key] = spell_keys(dict(made[key]), words, ".")
    return spell_keys(made, words)


def _text(block: TextBlock | ThinkingBlock, words: list[str]) -> JsonObject:
    made: JsonObject = {}
    if BARE not in words:
        made["text"] = block.text if isinstance(block, TextBlock) else block.thinking
    if type(block) is ThinkingBlock:
        made["thought"] = True
        if (envelope := borne(block)) is not None:  # the field holds bytes
            made["thoughtSignature"] = b64encode(envelope.encode()).decode()
    return made


def _call(block: ToolUseBlock, words: list[str]) -> JsonObject:
    made: JsonObject = {}
    if block.id and MADE not in words:
        made["id"] = block.id
    if NAMELESS not in words:
        made["name"] = block.name
    if ARGLESS not in words:
        made["args"] = block.raw_input if TEXT in words else block.input
    return made


def _result(block: ToolResultBlock, words: list[str], issuer: str) -> JsonObject:
    made: JsonObject = {}
    if block.id and MADE not in words:
        made["id"] = block.id
    if NAMELESS not in words:
        made["name"] = block.name
    output = block.output
    if isinstance(output, list):
        response: Any = {}
        shown = output
        if (word := output[0].spelling) in SHOWN:
            response, shown = _response(output[0], word), output[1:]
        made["parts"] = [part_as_read(one, issuer) for one in shown]
        output = response
    if ABSENT not in words:
        made["response"] = output
    return made


def _response(block: Any, word: str) -> Json:
    """What a result says beside what it shows."""
    if word == JSON:
        return loads(block.text)
    return {OUTPUT: block.text} if word == OUTPUT else {ERROR: block.text}


def _medium(block: MediaBlock, words: list[str]) -> tuple[str, JsonObject]:
    source = block.source
    kind = source.media_type
    made: JsonObject = {"mimeType": kind} if kind else {}
    if isinstance(source, Base64Source):
        key, made["data"] = "inlineData", _data(source.data, words)
    else:
        assert isinstance(source, URLSource | FileSource)  # nobody reads a local file
        key = "fileData"
        made["fileUri"] = source.url if isinstance(source, URLSource) else source.file_id
    beside = {} if block.detail is None else {"mediaResolution": level_of(block.detail)}
    return key, {key: made, **beside}


def _data(data: str, words: list[str]) -> str:
    if UNPADDED in words:
        data = data.rstrip("=")
    return data.replace("+", "-").replace("/", "_") if URLSAFE in words else data
