"""Media of requests and answers: an object with a format and a source, and the same said again.

`medium` and `medium_as_read` are each other's inverse. Bytes are base64 text over HTTP, and bytes
where boto3 has decoded them. Reference: Amazon Bedrock API reference, "ImageBlock", "AudioBlock",
"VideoBlock", "DocumentBlock" and their sources.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Any

from ...jsontext import Json, JsonObject
from ...message import (
    AudioBlock,
    Base64Source,
    DocumentBlock,
    FileSource,
    ImageBlock,
    URLSource,
    VideoBlock,
)
from ...message.blocks import ContentBlock, MediaBlock
from ...shapes import filled
from .media import FORMATS

__all__ = ["MEDIA", "medium", "medium_as_read", "plain"]

MEDIA: dict[str, Any] = {
    "image": ImageBlock, "document": DocumentBlock, "video": VideoBlock, "audio": AudioBlock,
}  # fmt: skip
_TEXT = "text"  # the spelling of a document whose text stands there
_TYPES: dict[tuple[str, str], str] = {
    # formats that our own writer does not use
    ("image", "jpg"): "image/jpeg", ("audio", "mpeg"): "audio/mpeg",
    ("audio", "mpga"): "audio/mpeg", ("audio", "mkv"): "audio/x-matroska",
    ("video", "mpg"): "video/mpeg", ("video", "3gp"): "video/3gpp",
}  # fmt: skip
for _type, _form in FORMATS.items():
    _top = _type.partition("/")[0]
    _kind = _top if _top in MEDIA else "document"
    if (_kind, _form) not in _TYPES:
        _TYPES[_kind, _form] = _type


def plain(value: Any) -> Json:
    """The value with its bytes as base64 text, as they travel. Raises ValueError if it is deep."""
    try:
        return _plain(value)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _plain(value: Any) -> Json:
    if isinstance(value, (bytes, bytearray)):
        return b64encode(value).decode("ascii")
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


def medium(kind: str, told: JsonObject, issuer: str) -> ContentBlock | None:
    """The block of an `image`, `document`, `video` or `audio`; None for a source nobody models."""
    form, name, given = told.get("format"), told.get("name"), told.get("source")
    typed = _TYPES.get((kind, form), "") if isinstance(form, str) else ""
    if not isinstance(given, dict) or len(given) != 1:
        return None
    source, rest, spelling = _source(given, typed, kind)
    if source is None:
        return None
    made: ContentBlock = MEDIA[kind](source)
    said = {"source"}
    if typed:
        said.add("format")
        spelling = form if FORMATS[typed] != form else spelling
    if type(made) is DocumentBlock and isinstance(name, str):
        made.title = name
        said.add("name")
    rest |= {key: value for key, value in told.items() if key not in said}
    made.spelling = spelling
    made.extras = {issuer: plain(rest)} if rest else None
    return made


def _source(
    told: JsonObject, media_type: str, kind: str
) -> tuple[Base64Source | URLSource | None, JsonObject, str | None]:
    """(the source, what of it nobody models, how it is spelled)."""
    data, place, text = told.get("bytes"), told.get("s3Location"), told.get("text")
    if isinstance(data, (str, bytes, bytearray)) and (media_type or kind == "document"):
        return Base64Source(media_type or _UNKNOWN, plain(data)), {}, None
    if isinstance(place, dict) and isinstance(place.get("uri"), str):
        rest = {key: value for key, value in place.items() if key != "uri"}
        owned = {"source": {"s3Location": rest}} if rest else {}
        return URLSource(place["uri"], media_type or None), owned, None
    if kind == "document" and isinstance(text, str) and _worded(media_type):
        try:
            data = b64encode(text.encode()).decode("ascii")
        except UnicodeEncodeError:  # half of a pair
            return None, {}, None
        made = Base64Source(media_type or "text/plain", data)
        return made, {}, _TEXT if media_type else f"{_TEXT} bare"
    return None, {}, None


def _worded(media_type: str) -> bool:
    return not media_type or media_type.startswith("text/")


_UNKNOWN = "application/octet-stream"


def medium_as_read(block: MediaBlock, own: JsonObject) -> JsonObject:
    """`{"image": {...}}` and the like; `own`: the fields that nobody models."""
    source: Any = block.source
    word, _, bare = (block.spelling or "").partition(" ")
    made: JsonObject = {}
    form = FORMATS.get(source.media_type or "")
    if form is not None and not bare:
        made["format"] = word if word and word != _TEXT else form
    if type(block) is DocumentBlock and block.title is not None:
        made["name"] = block.title
    if type(source) is Base64Source:
        if word == _TEXT:
            made["source"] = {"text": b64decode(source.data).decode()}
        else:
            made["source"] = {"bytes": source.data}
    else:
        uri = source.file_id if type(source) is FileSource else source.url
        made["source"] = {"s3Location": {"uri": uri}}
    return {block.type: filled(made, own)}
