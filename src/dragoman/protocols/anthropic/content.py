"""Content blocks of answers as blocks of the tree; the same types as in requests.

Reference: Anthropic API, "Create a Message", content blocks and citations. What this wire alone
has (server tools, containers, compaction) stays as it is, with its pairing. Knows no stream.
"""

from __future__ import annotations

from typing import Any

from ...jsontext import JsonObject
from ...message import Citation, Origin, RawBlock, TextBlock, ThinkingBlock, ToolUseBlock
from ...message.blocks import ContentBlock, answered

__all__ = ["block", "citation", "raw"]

_TITLES = ("title", "document_title")


def block(told: JsonObject, issuer: str) -> ContentBlock:
    """One content block. Its own fields, such as `caller` and `citations`, go back with it.

    Raises TypeError for what is no object.
    """
    if not isinstance(told, dict):
        raise TypeError("a content block is an object")
    kind = told.get("type")
    made: ContentBlock | None = None
    if kind == "text":
        made = _text(told, issuer)
    elif kind == "thinking":
        made = _thinking(told, issuer)
    elif kind == "redacted_thinking" and isinstance(told.get("data"), str):
        made = ThinkingBlock("", redacted=told["data"], origin=Origin(issuer))
        made.extras = _rest(told, issuer, "data")
    elif kind == "tool_use":
        made = _call(told, issuer)
    return raw(told, issuer) if made is None else made


def _text(told: JsonObject, issuer: str) -> TextBlock | None:
    text = told.get("text", "")
    if not isinstance(text, str):
        return None
    made = TextBlock(text)
    if len(told) > 2:
        made.extras = _rest(told, issuer, "text")
        cited = told.get("citations")
        if isinstance(cited, list) and cited:
            made.citations = [citation(one) for one in cited]
    return made


def _thinking(told: JsonObject, issuer: str) -> ThinkingBlock | None:
    text, signature = told.get("thinking", ""), told.get("signature")
    if not isinstance(text, str) or not (signature is None or isinstance(signature, str)):
        return None
    made = ThinkingBlock(text, signature)
    if signature:
        made.origin = Origin(issuer)  # whose seal it is
    elif signature is None and "signature" in told:
        made.spelling = "null"
    if len(told) > 2:
        made.extras = _rest(told, issuer, "thinking", "signature")
    return made


def _call(told: JsonObject, issuer: str) -> ToolUseBlock | None:
    id, name, given = told.get("id") or "", told.get("name") or "", told.get("input")
    if not isinstance(id, str) or not isinstance(name, str):
        return None
    made = ToolUseBlock(id, name)
    if isinstance(given, str):  # some hosts write arguments as text
        made.raw_input, made.spelling = given, "text"
    elif given is not None:
        made.input = given
    made.extras = _rest(told, issuer, "id", "name", "input")
    if given is None and "input" in told:
        made.extras = {**(made.extras or {}), answered(issuer): {"input": None}}
    return made


def _rest(told: JsonObject, issuer: str, *said: str) -> dict[str, JsonObject] | None:
    rest = {key: value for key, value in told.items() if key != "type" and key not in said}
    return {issuer: rest} if rest else None


def raw(told: JsonObject, issuer: str) -> RawBlock:
    """A call names itself `*_use`, and what answers it `*_result` and the call's id."""
    kind = told.get("type")
    kind = kind if isinstance(kind, str) else ""
    id, pair = told.get("id"), told.get("tool_use_id")
    if kind.endswith("_result") and isinstance(pair, str):
        return RawBlock(issuer, told, "result", pair)
    if kind.endswith("_use") and isinstance(id, str):
        return RawBlock(issuer, told, "call", id)
    return RawBlock(issuer, told)


def citation(told: Any) -> Citation:
    """The source and what is quoted of it, for readers; as a whole it stays in the block's fields.

    Indexes are places in the source here, not in the answer. Raises TypeError for no object.
    """
    if not isinstance(told, dict):
        raise TypeError("a citation is an object")
    made = Citation()
    quote, url = told.get("cited_text"), told.get("url")
    if isinstance(quote, str):
        made.quote = quote
    source = told.get("source")  # of search results; often where they were found
    if isinstance(url, str):
        made.url = url
    elif isinstance(source, str) and source.startswith(("https://", "http://")):
        made.url = source
    titles = (told.get(name) for name in _TITLES)
    made.title = next((one for one in titles if isinstance(one, str)), None)
    return made
