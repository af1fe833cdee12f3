"""What stands inside of a message of Chat Completions: parts, images, speech, annotations.

Reference: OpenAI API, "The chat completion object", `message`; recorded answers.
"""

from __future__ import annotations

from typing import Any

from ...jsontext import Json, JsonObject
from ...media import read_url
from ...message import (
    AudioBlock,
    Base64Source,
    Citation,
    ImageBlock,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
)
from ...message.blocks import ContentBlock, answered

__all__ = ["BARE", "PART", "citation", "image", "parts", "says", "sound", "text"]

PART = "part"  # the spelling of what stands in a list of parts
BARE = "bare"  # of an image whose URL stands in no object
_SOUNDS = {"UklGR": "audio/wav", "SUQz": "audio/mpeg", "//": "audio/mpeg", "T2dn": "audio/ogg",
           "ZkxhQ": "audio/flac"}  # fmt: skip


def parts(content: Json, issuer: str) -> list[ContentBlock]:
    """Content that is a list, as some hosts have it."""
    made: list[ContentBlock] = []
    for part in content:
        kind = part.get("type")
        if kind == "text" and isinstance(part.get("text"), str):
            block: ContentBlock = TextBlock(part["text"])
            if rest := {k: v for k, v in part.items() if k not in ("type", "text")}:
                block.extras = {issuer: rest}
        elif kind == "image_url":
            block = image(part, issuer)
        elif kind == "refusal":
            block = RefusalBlock(text(part.get("refusal")))
        elif kind == "reasoning" and isinstance(part.get("summary"), list):
            said = "".join(text(one.get("text")) for one in part["summary"])
            block = ThinkingBlock(said, extras={issuer: part})
        else:
            block = RawBlock(issuer, part)
        block.spelling = PART if block.spelling is None else f"{PART} {block.spelling}"
        made.append(block)
    return made


def image(told: JsonObject, issuer: str) -> ContentBlock:
    """`{"image_url": {"url": ...}}`, or with the URL alone."""
    where = told.get("image_url")
    url = where.get("url") if isinstance(where, dict) else where
    if not isinstance(url, str):
        return RawBlock(issuer, told)
    source, head = read_url(url)
    block = ImageBlock(source, spelling=head)
    if not isinstance(where, dict):
        block.spelling = BARE if head is None else f"{BARE} {head}"
    rest = {k: v for k, v in told.items() if k not in ("type", "image_url")}
    if told.get("type", "image_url") != "image_url":
        rest["type"] = told["type"]
    if isinstance(where, dict) and len(where) > 1:
        rest["image_url"] = {k: v for k, v in where.items() if k != "url"}
    if rest:
        block.extras = {issuer: rest}
    return block


def citation(told: JsonObject, issuer: str, whole: bool) -> Citation:
    """`{"type": "url_citation", "url_citation": {start_index, end_index, url, title}}`.

    In a delta it has its place in the list beside it.
    """
    if not whole and "index" in told:
        told = {key: value for key, value in told.items() if key != "index"}
    kind = told.get("type")
    inner = told.get("url_citation")
    if kind != "url_citation" or not isinstance(inner, dict):
        return Citation(extras={issuer: told})
    start, end = inner.get("start_index"), inner.get("end_index")
    url, title = inner.get("url"), inner.get("title")
    made = Citation(
        start if type(start) is int else None,
        end if type(end) is int else None,
        url if isinstance(url, str) else None,
        title if isinstance(title, str) else None,
    )
    known = {"start_index": made.start, "end_index": made.end, "url": made.url,
             "title": made.title}  # fmt: skip
    if not any(value is not None for value in known.values()):
        return Citation(extras={issuer: told})
    rest = {k: v for k, v in inner.items() if k not in known or known[k] is None}
    more: JsonObject = {k: v for k, v in told.items() if k not in ("type", "url_citation")}
    if rest:
        more["url_citation"] = rest
    if more:
        made.extras = {issuer: more}
    return made


def sound(told: JsonObject, issuer: str) -> list[tuple[int, ContentBlock]]:
    """Speech: what was said, as text, and how it sounds."""
    made: list[tuple[int, ContentBlock]] = []
    spoken = told.get("transcript")
    if spoken:
        made.append((0, TextBlock(text(spoken), spelling="transcript")))
    data = text(told.get("data") or "")
    rest = {k: v for k, v in told.items() if k not in ("data", "transcript")}
    empty: JsonObject = {k: told[k] for k in ("data", "transcript") if k in told and not told[k]}
    if data or rest:
        kind = next((v for k, v in _SOUNDS.items() if data.startswith(k)), "audio/pcm")
        block = AudioBlock(Base64Source(kind, data))
        if rest:
            block.extras = {issuer: rest}
        if empty:
            block.extras = {**(block.extras or {}), answered(issuer): empty}
        made.append((1, block))
    return made


def says(value: Any) -> bool:
    """Whether there is anything in it: some hosts send calls whose every field is empty."""
    return any(value.values()) if isinstance(value, dict) else bool(value)


def text(value: Any) -> str:
    """The value if it is text. Raises TypeError for any other."""
    if not isinstance(value, str):
        raise TypeError("text was expected")
    return value
