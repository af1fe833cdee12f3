"""Content blocks of answers as blocks of the tree; the same objects with one key as in requests.

Reference: Amazon Bedrock API reference, "ContentBlock"; service model of bedrock-runtime. Bytes are
base64 text over HTTP, and bytes where boto3 has decoded them. Knows no stream.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Any

from ...jsontext import Json, JsonObject
from ...message import (
    AudioBlock,
    Base64Source,
    Citation,
    DocumentBlock,
    ImageBlock,
    RawBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    URLSource,
    VideoBlock,
)
from ...message.blocks import ContentBlock, answered
from .media import FORMATS

__all__ = ["SERVER", "TYPED", "block", "citation", "plain", "sealed"]

SERVER = "server_tool_use"
TYPED = "tool_use"  # the spelling of a call that names its type
_MEDIA: dict[str, Any] = {
    "image": ImageBlock, "document": DocumentBlock, "video": VideoBlock, "audio": AudioBlock,
}  # fmt: skip


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


def block(told: JsonObject, issuer: str) -> ContentBlock:
    """One content block. Raises TypeError for what is no object."""
    if not isinstance(told, dict):
        raise TypeError("a content block is an object")
    made: ContentBlock | None = None
    if isinstance(told.get("text"), str):
        made = TextBlock(told["text"])
        rest = {key: value for key, value in told.items() if key != "text"}
        made.extras = {answered(issuer): rest} if rest else None
    elif len(told) == 1:
        ((key, value),) = told.items()
        if key in _READERS and isinstance(value, dict):
            made = _READERS[key](value, issuer)
        elif key in _MEDIA and isinstance(value, dict):
            made = _medium(key, value, issuer)
    return _raw(plain(told), issuer) if made is None else made


def _call(told: JsonObject, issuer: str) -> ToolUseBlock | None:
    id, name, given = told.get("toolUseId", ""), told.get("name", ""), told.get("input", {})
    if told.get("type") == SERVER or not isinstance(id, str) or not isinstance(name, str):
        return None
    made = ToolUseBlock(id, name)
    if isinstance(given, str):
        made.raw_input = given
    else:
        made.input = given
    rest = {k: v for k, v in told.items() if k not in ("toolUseId", "name", "input")}
    if rest.get("type") == TYPED:  # answers may say it, requests must not
        made.spelling = TYPED
        del rest["type"]
    if rest:
        made.extras = {issuer: rest}
    return made


def _thinking(told: JsonObject, issuer: str) -> ThinkingBlock | None:
    if told.keys() == {"redactedContent"}:
        return sealed(told["redactedContent"], issuer)
    said = told.get("reasoningText")
    if told.keys() != {"reasoningText"} or not isinstance(said, dict):
        return None
    text, signature = said.get("text", ""), said.get("signature")
    if not isinstance(text, str) or not (signature is None or isinstance(signature, str)):
        return None
    made = ThinkingBlock(text, signature)
    rest = {key: value for key, value in said.items() if key not in ("text", "signature")}
    if rest:
        made.extras = {answered(issuer): {"reasoningText": rest}}
    return made


def sealed(told: Any, issuer: str) -> ThinkingBlock:
    """Sealed thinking. Its bytes are a text, which the maker's own API has as it is.

    Raises TypeError for neither bytes nor text, ValueError for what is no base64.
    """
    raw = bytes(told) if isinstance(told, (bytes, bytearray)) else b64decode(told, validate=True)
    try:
        return ThinkingBlock("", redacted=raw.decode())
    except UnicodeDecodeError:
        kept = b64encode(raw).decode("ascii")
        return ThinkingBlock("", redacted=kept, extras={issuer: {"redactedContent": kept}})


def _cited(told: JsonObject, issuer: str) -> TextBlock | None:
    """`{"content": [{"text"}], "citations"}`: a text; the citations go back as they came."""
    said, cited = told.get("content", []), told.get("citations")
    if not isinstance(said, list) or not isinstance(cited, list):
        return None
    texts = [one["text"] for one in said if isinstance(one, dict) and _is_text(one.get("text"))]
    if len(texts) < len(said):
        return None
    made = TextBlock("".join(texts))
    if cited:
        made.citations = [citation(one) for one in cited]
    usual = said == [{"text": made.text}] or ("content" not in told and not made.text)
    own = {key: value for key, value in told.items() if key != "content" or not usual}
    made.extras = {issuer: own}
    return made


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def citation(told: Any) -> Citation:
    """The source and what is quoted of it, for readers. Raises TypeError for no object."""
    if not isinstance(told, dict):
        raise TypeError("a citation is an object")
    made = Citation()
    if isinstance(told.get("title"), str):
        made.title = told["title"]
    quoted = told.get("sourceContent")
    if isinstance(quoted, list):
        texts = [one.get("text") for one in quoted if isinstance(one, dict)]
        made.quote = "".join(text for text in texts if isinstance(text, str)) or None
    where = told.get("location")
    web = where.get("web") if isinstance(where, dict) else None
    url = web.get("url") if isinstance(web, dict) else told.get("source")
    if isinstance(url, str) and (web or url.startswith(("https://", "http://"))):
        made.url = url
    return made


def _medium(kind: str, told: JsonObject, issuer: str) -> ContentBlock | None:
    form, name, given = told.get("format"), told.get("name"), told.get("source")
    known = (type for type, short in FORMATS.items() if short == form and _fits(type, kind))
    source = _source(given, next(known, "")) if isinstance(given, dict) else None
    if source is None:
        return None
    made: ContentBlock = _MEDIA[kind](source)
    said = {"format", "source"}
    if type(made) is DocumentBlock and isinstance(name, str):
        made.title = name
        said.add("name")
    if type(source) is URLSource and given != {"s3Location": {"uri": source.url}}:
        said.remove("source")  # which goes back with all that it says
    rest = {key: value for key, value in told.items() if key not in said}
    made.extras = {issuer: plain(rest)} if rest else None
    return made


def _source(told: JsonObject, media_type: str) -> Base64Source | URLSource | None:
    place = told.get("s3Location")
    data = plain(told.get("bytes"))
    if len(told) == 1 and media_type and isinstance(data, str):
        return Base64Source(media_type, data)
    if len(told) == 1 and isinstance(place, dict) and isinstance(place.get("uri"), str):
        return URLSource(place["uri"], media_type or None)
    return None


def _fits(media_type: str, kind: str) -> bool:
    top = media_type.partition("/")[0]
    return top == kind or (kind == "document" and top in ("application", "text"))


def _raw(told: JsonObject, issuer: str) -> RawBlock:
    """A server's own call, its result, or anything else, with its pairing."""
    for key, role in (("toolUse", "call"), ("toolResult", "result")):
        inner = told.get(key)
        pair = inner.get("toolUseId") if isinstance(inner, dict) else None
        if isinstance(pair, str):
            return RawBlock(issuer, told, role, pair)  # type: ignore[arg-type]  # one of the two
    return RawBlock(issuer, told)


_READERS: dict[str, Any] = {
    "toolUse": _call,
    "reasoningContent": _thinking,
    "citationsContent": _cited,
}
