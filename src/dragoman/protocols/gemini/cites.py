"""Citations of an answer's texts as what it is grounded on: the inverse of `grounding`.

Reference: Gemini API, "GroundingMetadata": supports name segments, in bytes of UTF-8 over the
texts of the candidate, and the chunks that bear them out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...jsontext import JsonObject
from ...message import Citation, TextBlock

__all__ = ["grounding"]


def grounding(texts: Sequence[TextBlock]) -> JsonObject:
    """`{"groundingChunks", "groundingSupports"}` for the citations of the texts; empty if none."""
    chunks: list[JsonObject] = []
    supports: list[JsonObject] = []
    at = 0  # in bytes
    for block in texts:
        for one in block.citations or ():
            chunk = _chunk(one)
            if chunk not in chunks:
                chunks.append(chunk)
            segment = _segment(one, block.text, at)
            where = chunks.index(chunk)
            same = next((made for made in supports if made["segment"] == segment), None)
            if same is None:
                supports.append({"segment": segment, "groundingChunkIndices": [where]})
            elif where not in same["groundingChunkIndices"]:
                same["groundingChunkIndices"].append(where)
        at += _bytes(block.text)
    return {"groundingChunks": chunks, "groundingSupports": supports} if supports else {}


def _chunk(one: Citation) -> JsonObject:
    fields: dict[str, Any] = {"uri": one.url, "title": one.title, "text": one.quote}
    told = {key: value for key, value in fields.items() if value}
    web = one.url and not one.quote
    return {"web" if web else "retrievedContext": told}


def _segment(one: Citation, text: str, at: int) -> JsonObject:
    """The bytes that are cited; without a span that is the whole block."""
    first = one.start or 0
    last = len(text) if one.end is None else one.end
    start, end = at + _bytes(text[:first]), at + _bytes(text[:last])
    made: JsonObject = {"startIndex": start} if start else {}
    return {**made, "endIndex": end, "text": text[first:last]} if start < end else {}


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
