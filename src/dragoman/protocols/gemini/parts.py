"""A part of a content as a block: the same object in answers and in requests.

`read_part` is the inverse of `part_as_read`, which stands in `again`. Reference: Gemini API,
"Part": one of its keys holds the data, `thought` and `thoughtSignature` stand beside it. A null
is as if the key were not there, as in all JSON of protocol buffers.
"""

from __future__ import annotations

from base64 import b64decode
from typing import Any

from ...jsontext import Json, JsonObject
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
    URLSource,
    VideoBlock,
)
from ...message.blocks import ContentBlock, MediaBlock
from ...pieces.arguments import parsed
from .keys import plain, read_keys
from .media import DETAILS, kind_of

__all__ = ["ARGLESS", "BARE", "NAMELESS", "TEXT", "UNPADDED", "UNTHOUGHT", "URLSAFE", "block_of",
           "object_of", "read_part", "undressed"]  # fmt: skip

BARE = "bare"  # the spelling of a text that stands for a part without any data
TEXT = "text"  # of what is text, or arguments as text, where an object is the rule
UNTHOUGHT = "unthought"  # of a text that says that it is no thought
URLSAFE = "urlsafe"  # of a medium whose base64 had the signs of URLs
UNPADDED = "unpadded"  # of a medium whose base64 lacked its end
ARGLESS = "argless"  # of a call without arguments, which others say as an empty object
NAMELESS = "nameless"

_SEALED = "ZHJhZ29tYW4xL"  # the mark of an envelope, in base64
_ASIDE = {"thought", "thoughtSignature", "partMetadata"}
# what runs at the provider: (the part's key, whether it asks or answers)
_PAIRS = {"executableCode": "call", "codeExecutionResult": "result", "toolCall": "call",
          "toolResponse": "result", "functionResponse": "result"}  # fmt: skip
_MEDIA: dict[str, type[ImageBlock | AudioBlock | VideoBlock]] = {
    "image": ImageBlock,
    "audio": AudioBlock,
    "video": VideoBlock,
}
_FILES = "https://generativelanguage.googleapis.com/"  # where the Files API keeps what it is given
_BLOBS = {"inlineData": "data", "fileData": "fileUri"}


def read_part(told: Json, issuer: str) -> ContentBlock:
    """One part of a content; what no block models is kept as it came."""
    if isinstance(told, str):
        return TextBlock(told, spelling=TEXT)
    if not isinstance(told, dict):
        return RawBlock(issuer, told, by="client")
    if len(told) == 1 and isinstance(text := told.get("text"), str):
        return TextBlock(text)
    try:
        return block_of(told, issuer)
    except (TypeError, LookupError):
        return RawBlock(issuer, told, by="client")


def undressed(part: JsonObject) -> JsonObject:
    """A part of google-genai's objects, which name every field, as it came from the API."""
    if not any("_" in key for key in part):
        return part
    return {key: plain(value) if isinstance(value, dict) else value
            for key, value in plain(part).items()}  # fmt: skip


def block_of(told: JsonObject, issuer: str) -> ContentBlock:
    """The block that a part makes; what is not modelled comes back in extras.

    Raises TypeError or KeyError for data of an unexpected kind.
    """
    part, words = read_keys(told)
    if "text" in part and not part.keys() & _BLOBS.keys() and "functionCall" not in part:
        return _text(part, words, issuer)
    if "functionCall" in part:
        return _call(part, words, issuer)
    for key in _BLOBS:
        if key in part:
            return _medium(part, key, words, issuer)
    for key, role in _PAIRS.items():
        if key in part:
            id = plain(object_of(part[key])).get("id")
            pair = id if isinstance(id, str) else None
            return RawBlock(issuer, told, role, pair, "server")  # type: ignore[arg-type]  # as listed
    if part.keys() <= _ASIDE:
        return _text({"text": "", **part}, [BARE, *words], issuer)
    return RawBlock(issuer, told)


def _text(part: JsonObject, words: list[str], issuer: str) -> ContentBlock:
    """Thinking if the part says that it is a thought; a signature alone says nothing of that."""
    thought = part.get("thought")
    rest = {key: value for key, value in part.items() if key != "text"}
    if isinstance(thought, bool):
        del rest["thought"]
    if thought is False:
        words.append(UNTHOUGHT)
    made = ThinkingBlock if thought is True else TextBlock
    block = made(
        _string(part["text"]), extras={issuer: rest} if rest else None, spelling=_spelling(words)
    )
    if isinstance(block, ThinkingBlock) and rest:
        block.signature = _envelope(rest.get("thoughtSignature"))
    return block


def _envelope(told: Json) -> str | None:
    """What a gateway sealed into a signature, which nobody here signs itself."""
    if not isinstance(told, str) or not told.startswith(_SEALED):
        return None
    try:
        return b64decode(told, validate=True).decode()
    except ValueError:
        return None


def _call(part: JsonObject, words: list[str], issuer: str) -> ToolUseBlock:
    said, inner = read_keys(object_of(part["functionCall"]), ".")
    block = ToolUseBlock("", _string(said.get("name", "")))
    rest = {key: value for key, value in said.items() if key != "name"}
    words += inner
    if "name" not in said:
        words.append(NAMELESS)
    if isinstance(said.get("id"), str) and said["id"]:
        block.id = rest.pop("id")
    args = rest.pop("args", None)
    if isinstance(args, dict):
        block.input = args
    elif isinstance(args, str):  # relays; the API gives an object
        block.input, block.raw_input = parsed(args), args
        words.append(TEXT)
    elif args is None:
        words.append(ARGLESS)
    else:
        raise TypeError("arguments are an object")
    return _finished(block, part, "functionCall", rest, words, issuer)  # type: ignore[return-value]  # the block


def _medium(part: JsonObject, key: str, words: list[str], issuer: str) -> MediaBlock:
    blob, inner = read_keys(object_of(part[key]), ".")
    words += inner
    rest = {name: value for name, value in blob.items() if name not in (_BLOBS[key], "mimeType")}
    kind = blob.get("mimeType")
    if not (isinstance(kind, str) and kind) and "mimeType" in blob:
        raise TypeError("a media type is text")
    source: Any
    if key == "inlineData":
        source = Base64Source(kind or "", _data(_string(blob["data"]), words))
    else:
        uri = _string(blob["fileUri"])
        held = uri.startswith(_FILES) or "://" not in uri
        source = FileSource(uri, issuer, kind) if held else URLSource(uri, kind)
    seen = kind or (kind_of(source.url) if type(source) is URLSource else None) or ""
    made = _MEDIA.get(seen.partition("/")[0].lower(), DocumentBlock)(source)
    part, made.detail = _looked_at(part)
    return _finished(made, part, key, rest, words, issuer)  # type: ignore[return-value]  # the block


def _looked_at(part: JsonObject) -> tuple[JsonObject, str | None]:
    """(the part without its resolution, the word for that), if it has one that we know."""
    told = part.get("mediaResolution")
    level = told.get("level") if isinstance(told, dict) and len(told) == 1 else None
    if not isinstance(level, str) or level not in DETAILS:
        return part, None
    rest = {key: value for key, value in part.items() if key != "mediaResolution"}
    return rest, DETAILS[level]


def _data(told: str, words: list[str]) -> str:
    """Standard base64, whole; the signs of URLs and a missing end are told in words."""
    data = told
    if ("-" in told or "_" in told) and not ("+" in told or "/" in told):
        data = told.replace("-", "+").replace("_", "/")
        words.append(URLSAFE)
    if len(data) % 4 > 1 and not data.endswith("="):
        data += "=" * (-len(data) % 4)
        words.append(UNPADDED)
    return data


def _finished(
    block: ContentBlock, part: JsonObject, key: str, inner: JsonObject, words: list[str],
    issuer: str,
) -> ContentBlock:  # fmt: skip
    """The block with what stands beside its data, and what else stands in them."""
    rest = {name: value for name, value in part.items() if name != key}
    if rest.get("thought") is False:
        del rest["thought"]
        words.append(UNTHOUGHT)
    if inner:
        rest[key] = inner
    if rest:
        block.extras = {issuer: rest}
    block.spelling = _spelling(words)
    return block


def _spelling(words: list[str]) -> str | None:
    return " ".join(words) or None


def object_of(value: Any) -> JsonObject:
    """The value if it is an object. Raises TypeError."""
    if not isinstance(value, dict):
        raise TypeError("an object was expected")
    return value


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("text was expected")
    return value
