"""Citations of an answer, which refer to bytes of all texts of a candidate.

Reference: Gemini API, "GroundingMetadata" and "CitationMetadata".
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import Any

from ...message import Citation
from ...stream.pieces import Key
from ...text.json_text import JsonObject
from .dialect import set_fields

_SOURCES = ("web", "retrievedContext", "maps", "image")


class Texts:
    """The texts of one candidate, block by block, at the time when they are cited."""

    def __init__(self, blocks: list[tuple[Key, list[str]]]) -> None:
        self.blocks: list[tuple[int, int, Key]] = []  # the start and the end of each
        texts = ["".join(pieces) for _, pieces in blocks]
        ends = [0, *accumulate(map(len, texts))]
        self.text = "".join(texts)
        for (start, end), (key, _) in zip(pairwise(ends), blocks, strict=True):
            self.blocks.append((start, end, key))

    def characters(self, offsets: set[int]) -> dict[int, int]:
        """Convert offsets in bytes to offsets in characters, in one pass for all of them."""
        if self.text.isascii():
            return {offset: offset for offset in offsets if offset <= len(self.text)}
        data = self.text.encode("utf-8", "surrogatepass")
        positions: dict[int, int] = {}
        start = count = 0
        for offset in sorted(offset for offset in offsets if offset <= len(data)):
            count += len(data[start:offset].decode("utf-8", "ignore"))
            positions[offset], start = count, offset
        return positions

    def spans(self, start: int, end: int) -> Iterator[tuple[Key, int, int]]:
        """Yield the block, the start and the end for each block that the span touches."""
        position = bisect_right(self.blocks, start, key=lambda block: block[0]) - 1
        for block_start, block_end, key in self.blocks[max(position, 0) :]:
            if block_start >= end:
                break
            first, last = max(start, block_start), min(end, block_end)
            if first < last:
                yield key, first - block_start, last - block_start


def citations(key: str, data: JsonObject, texts: Texts) -> Iterator[tuple[Key, Citation]]:
    """Yield the block and the citation for each source of each segment in a field of metadata."""
    read = _read_recitations if key == "citationMetadata" else _read_grounding
    rows = list(read(set_fields(data)))
    positions = texts.characters({offset for segment, _ in rows for offset in _offsets(segment)})
    for segment, sources in rows:
        span = _span(segment, texts, positions)
        spans = [] if span is None else list(texts.spans(*span))
        for source in sources:
            for block, start, end in spans:
                yield block, replace(source, start=start, end=end)
            if not spans:
                yield texts.blocks[-1][2], source


def _read_grounding(metadata: JsonObject) -> Iterator[tuple[JsonObject, list[Citation]]]:
    """Yield each segment of `groundingMetadata` with its sources."""
    chunks = [set_fields(chunk) for chunk in metadata.get("groundingChunks") or ()]
    for item in metadata.get("groundingSupports") or ():
        support = set_fields(item)
        indices = support.get("groundingChunkIndices") or ()
        sources = [_source(chunks[index]) for index in indices if 0 <= index < len(chunks)]
        yield set_fields(support.get("segment") or {}), sources or [Citation()]


def _read_recitations(metadata: JsonObject) -> Iterator[tuple[JsonObject, list[Citation]]]:
    """Yield each segment of `citationMetadata`, which is recited text, with its source."""
    for item in metadata.get("citationSources") or metadata.get("citations") or ():
        source = set_fields(item)
        url, title = _string(source.get("uri")), _string(source.get("title"))
        yield source, [Citation(url=url, title=title)]


def _offsets(segment: JsonObject) -> tuple[int, int]:
    start, end = segment.get("startIndex", 0), segment.get("endIndex", 0)
    if type(start) is not int or type(end) is not int or start < 0:
        raise TypeError("offsets are whole numbers")
    return start, end


def _span(segment: JsonObject, texts: Texts, positions: dict[int, int]) -> tuple[int, int] | None:
    """Return the span in characters; None if the answer gives none, or one with another text."""
    start, end = _offsets(segment)
    text = _string(segment.get("text"))
    if start in positions and end in positions and start < end:
        span = positions[start], positions[end]
        if not text or texts.text[slice(*span)] == text:
            return span
    # the offsets are counted differently, but the segment repeats its text
    position = texts.text.find(text) if text else -1
    return None if text is None or position < 0 else (position, position + len(text))


def _source(chunk: JsonObject) -> Citation:
    sources = (chunk[key] for key in _SOURCES if isinstance(chunk.get(key), dict))
    data: JsonObject = set_fields(next(sources, {}))
    url = _string(data.get("uri")) or _string(data.get("sourceUri"))
    return Citation(url=url, title=_string(data.get("title")), quote=_string(data.get("text")))


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
