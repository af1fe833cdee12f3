"""A part of a content as a block: the same object in answers and in requests.

Reference: Gemini API, "Part": one of its keys holds the data, `thought` and `thoughtSignature`
stand beside it. A null is as if the key were not there, as in all JSON of protocol buffers.
"""

from __future__ import annotations

from typing import Any

from ...jsontext import JsonObject
from ...media import source_of
from ...message import (
    AudioBlock,
    Base64Source,
    DocumentBlock,
    FileSource,
    ImageBlock,
    RawBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    VideoBlock,
)
from ...message.blocks import ContentBlock, MediaBlock
from .dialect import Dialect
from .spelling import cased

__all__ = ["BARE", "URLSAFE", "block_of", "camel", "plain"]

BARE = "bare"  # the spelling of a text that stands for a part without any data
URLSAFE = "urlsafe"  # of a medium whose base64 had the signs of URLs

_CASE = Dialect()
_ASIDE = {"thought", "thoughtSignature", "partMetadata"}
_MADE = {"mimeType", "data", "fileUri"}
# what runs at the provider: (the part's key, whether it asks or answers)
_PAIRS = {"executableCode": "call", "codeExecutionResult": "result", "toolCall": "call",
          "toolResponse": "result", "functionResponse": "result"}  # fmt: skip
_MEDIA: dict[str, type[ImageBlock | AudioBlock | VideoBlock]] = {
    "image": ImageBlock,
    "audio": AudioBlock,
    "video": VideoBlock,
}
_FILES = "https://generativelanguage.googleapis.com/"  # where the Files API keeps what it is given
_CALL = {"id", "name", "args", "partialArgs", "willContinue"}


def camel(told: JsonObject) -> JsonObject:
    """One level of an object in camelCase."""
    return cased(told, _CASE) if any("_" in key for key in told) else told


def plain(told: JsonObject) -> JsonObject:
    """One level of an object in camelCase, without what is null."""
    if None in told.values():
        told = {key: value for key, value in told.items() if value is not None}
    return camel(told)


def block_of(told: JsonObject, issuer: str) -> ContentBlock:
    """The block that a part makes, which is `plain`; what is not modelled comes back in extras.

    Raises TypeError for data of an unexpected kind.
    """
    if "functionCall" in told:
        return _call(told, issuer)
    if "text" in told:
        return _text(told, issuer)
    for key in ("inlineData", "fileData"):
        if key in told:
            return _medium(told, key, issuer)
    for key, role in _PAIRS.items():
        if key in told:
            inner = plain(told[key])
            id = inner.get("id")
            pair = id if isinstance(id, str) else None
            return RawBlock(issuer, {**told, key: inner}, role, pair, "server")  # type: ignore[arg-type]  # as listed
    if told.keys() <= _ASIDE:
        made = _text({"text": "", **told}, issuer)
        made.spelling = BARE
        return made
    return RawBlock(issuer, told)


def _text(told: JsonObject, issuer: str) -> ContentBlock:
    """Thinking if the part says that it is a thought; a signature alone says nothing of that."""
    thought = told.get("thought") is True
    rest = {key: value for key, value in told.items()
            if key != "text" and not (thought and key == "thought")}  # fmt: skip
    extras = {issuer: rest} if rest else None
    text = _string(told["text"])
    if thought:
        return ThinkingBlock(text, extras=extras)
    return TextBlock(text, extras=extras)


def _call(told: JsonObject, issuer: str) -> ToolUseBlock:
    said = plain(told["functionCall"])
    block = ToolUseBlock(_string(said.get("id", "")), _string(said.get("name", "")))
    args = said.get("args")
    if isinstance(args, dict):
        block.input = args
    elif isinstance(args, str):  # relays; the API gives an object
        block.raw_input = args
    elif args is not None:
        raise TypeError("arguments are an object")
    rest = {key: value for key, value in told.items() if key != "functionCall"}
    inner = {key: value for key, value in said.items() if key not in _CALL}
    if inner:
        rest["functionCall"] = inner
    if rest:
        block.extras = {issuer: rest}
    return block


def _medium(told: JsonObject, key: str, issuer: str) -> MediaBlock:
    blob = plain(told[key])
    kind = _string(blob.get("mimeType", ""))
    made: MediaBlock
    if key == "inlineData":
        data = _string(blob["data"])
        standard = data.replace("-", "+").replace("_", "/") if "-" in data or "_" in data else data
        made = _MEDIA.get(kind.partition("/")[0], DocumentBlock)(Base64Source(kind, standard))
        made.spelling = URLSAFE if standard is not data else None
    else:
        made = _MEDIA.get(kind.partition("/")[0], DocumentBlock)(_file(blob, kind, issuer))
    rest: dict[str, Any] = {name: value for name, value in told.items() if name != key}
    if inner := {name: value for name, value in blob.items() if name not in _MADE}:
        rest[key] = inner
    if rest:
        made.extras = {issuer: rest}
    return made


def _file(blob: JsonObject, kind: str, issuer: str) -> Any:
    uri = _string(blob["fileUri"])
    if uri.startswith(_FILES) or "://" not in uri:
        return FileSource(uri, issuer, kind or None)
    source = source_of(uri)
    if kind and source.type == "url":
        source.media_type = kind
    return source


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("text was expected")
    return value
