"""Content blocks as blocks of the tree: the same objects with one key in answers and requests.

Reference: Amazon Bedrock API reference, "ContentBlock"; service model of bedrock-runtime. Bytes are
base64 text over HTTP, and bytes where boto3 has decoded them. Knows no stream.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Any

from ...jsontext import JsonObject
from ...message import Citation, RawBlock, TextBlock, ThinkingBlock, ToolUseBlock
from ...message.blocks import ContentBlock, answered
from .medium import MEDIA, medium, plain

__all__ = ["SERVER", "TEXT", "TYPED", "block", "citation", "plain", "sealed"]

SERVER = "server_tool_use"
TYPED = "tool_use"  # the spelling of a call that names its type
TEXT = "text"  # of one whose input is a text


def block(told: JsonObject, issuer: str, aside: str = "") -> ContentBlock:
    """One content block; `aside`: on whose name fields stand that nobody knows, if not answers'.

    Raises TypeError for what is no object, ValueError for bytes that are no base64.
    """
    if not isinstance(told, dict):
        raise TypeError("a content block is an object")
    made: ContentBlock | None = None
    aside = aside or answered(issuer)
    if len(told) == 1:
        ((key, value),) = told.items()
        if key == "text" and isinstance(value, str):
            made = TextBlock(value)
        elif isinstance(value, dict):
            made = _of(key, value, issuer, aside)
    elif isinstance(told.get("text"), str) and _MARKS.isdisjoint(told):
        made = TextBlock(told["text"])
        made.extras = {aside: {key: value for key, value in told.items() if key != "text"}}
    return _raw(plain(told), issuer) if made is None else made


_MARKS = frozenset({"citations", "guardContent"})  # by which other texts are told


def _of(key: str, told: JsonObject, issuer: str, aside: str) -> ContentBlock | None:
    """The block of this kind; None for what none models."""
    if key == "toolUse":
        return _call(told, issuer)
    if key == "reasoningContent":
        return _thinking(told, issuer, aside)
    if key == "citationsContent":
        return _cited(told, issuer)
    return medium(key, told, issuer) if key in MEDIA else None


def _call(told: JsonObject, issuer: str) -> ToolUseBlock | None:
    id, name, given = told.get("toolUseId", ""), told.get("name", ""), told.get("input", {})
    if told.get("type") == SERVER or not isinstance(id, str) or not isinstance(name, str):
        return None
    made = ToolUseBlock(id, name)
    words = []
    if isinstance(given, str):
        made.raw_input = given
        words.append(TEXT)
    else:
        made.input = given
    rest = {k: v for k, v in told.items() if k not in ("toolUseId", "name", "input")}
    if rest.get("type") == TYPED:  # answers may say it, requests must not
        words.append(TYPED)
        del rest["type"]
    made.spelling = " ".join(words) or None
    if rest:
        made.extras = {issuer: rest}
    return made


def _thinking(told: JsonObject, issuer: str, aside: str) -> ThinkingBlock | None:
    if told.keys() == {"redactedContent"}:
        return sealed(told["redactedContent"], issuer)
    said = told.get("reasoningText")
    if told.keys() != {"reasoningText"} or not isinstance(said, dict):
        return None
    text, signature = said.get("text", ""), said.get("signature")
    if not isinstance(text, str) or not (signature is None or isinstance(signature, str)):
        return None
    made = ThinkingBlock(text, signature, spelling=None if "text" in said else "textless")
    known = {"text"} if signature is None else {"text", "signature"}
    rest = {key: value for key, value in said.items() if key not in known}
    if rest:
        made.extras = {aside: {"reasoningText": rest}}
    return made


def sealed(told: Any, issuer: str) -> ThinkingBlock:
    """Sealed thinking. Its bytes are a text, which the maker's own API has as it is.

    Raises TypeError for neither bytes nor text, ValueError for what is no base64.
    """
    raw = bytes(told) if isinstance(told, (bytes, bytearray)) else b64decode(told, validate=True)
    usual = b64encode(raw).decode("ascii")
    try:
        made = ThinkingBlock("", redacted=raw.decode())
    except UnicodeDecodeError:
        return ThinkingBlock("", redacted=usual, extras={issuer: {"redactedContent": usual}})
    if isinstance(told, str) and told != usual:  # base64 has several spellings of its last sign
        made.extras = {issuer: {"redactedContent": told}}
    return made


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
        made.citations = [citation(one if isinstance(one, dict) else {}) for one in cited]
    # one text, or none: anything else comes back as it was
    usual = said == [{"text": made.text}] if made.text else "content" not in told
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


def _raw(told: JsonObject, issuer: str) -> RawBlock:
    """A server's own call, its result, or anything else, with its pairing."""
    for key, role in (("toolUse", "call"), ("toolResult", "result")):
        inner = told.get(key)
        pair = inner.get("toolUseId") if isinstance(inner, dict) else None
        if isinstance(pair, str):
            return RawBlock(issuer, told, role, pair)  # type: ignore[arg-type]  # one of the two
    return RawBlock(issuer, told)
