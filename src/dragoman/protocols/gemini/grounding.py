"""What an answer rests on, as citations of its text.

Reference: Gemini API, "GroundingMetadata" and "CitationMetadata". Segments count the bytes of the
candidate's text in UTF-8, all parts joined and thoughts left out, as recorded answers show.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

from ...jsontext import JsonObject
from ...message import Citation
from ...pieces import Key
from .keys import plain

__all__ = ["Texts", "cited", "recited"]

_SOURCES = ("web", "retrievedContext", "maps", "image")


class Texts:
    """The texts of one candidate, block by block, as they stand when somebody cites them."""

    def __init__(self, blocks: list[tuple[Key, list[str]]]) -> None:
        texts = [(key, "".join(said)) for key, said in blocks]
        self.whole = "".join(text for _, text in texts)
        self._blocks: list[tuple[int, int, Key]] = []  # where each begins and ends
        at = 0
        for key, text in texts:
            self._blocks.append((at, at + len(text), key))
            at += len(text)

    def characters(self, offsets: set[int]) -> dict[int, int]:
        """Offsets in bytes -> in characters; one pass for all of them."""
        if self.whole.isascii():
            return {at: at for at in offsets if at <= len(self.whole)}
        data = self.whole.encode("utf-8", "surrogatepass")
        found: dict[int, int] = {}
        before = count = 0
        for at in sorted(offsets):
            if at > len(data):
                break
            count += len(data[before:at].decode("utf-8", "ignore"))
            found[at], before = count, at
        return found

    def spans(self, start: int, end: int) -> Iterator[tuple[Key, int, int]]:
        """(block, from, to) for each block that the span touches."""
        first = bisect_right(self._blocks, start, key=lambda one: one[0]) - 1
        for begin, over, key in self._blocks[max(first, 0) :]:
            if begin >= end:
                break
            if max(start, begin) < min(end, over):
                yield key, max(start, begin) - begin, min(end, over) - begin

    @property
    def last(self) -> Key:
        """The last block."""
        return self._blocks[-1][2]


def cited(told: JsonObject, texts: Texts) -> Iterator[tuple[Key, Citation]]:
    """(block, citation) for each source of each segment that grounding supports."""
    told = plain(told)
    chunks = [plain(one) for one in told.get("groundingChunks") or ()]
    supports = [plain(one) for one in told.get("groundingSupports") or ()]
    segments = [plain(one.get("segment") or {}) for one in supports]
    places = texts.characters({at for one in segments for at in _offsets(one)})
    for support, segment in zip(supports, segments, strict=True):
        span = _span(segment, texts, places)
        indices = support.get("groundingChunkIndices") or ()
        sources = [_source(chunks[at]) for at in indices if 0 <= at < len(chunks)]
        yield from _placed(span, sources or [Citation()], texts)


def recited(told: JsonObject, texts: Texts) -> Iterator[tuple[Key, Citation]]:
    """(block, citation) for each source that the model recites."""
    told = plain(told)
    listed = told.get("citationSources") or told.get("citations") or ()
    sources = [plain(one) for one in listed]
    places = texts.characters({at for one in sources for at in _offsets(one)})
    for one in sources:
        made = Citation(url=_word(one.get("uri")), title=_word(one.get("title")))
        yield from _placed(_span(one, texts, places), [made], texts)


def _placed(
    span: tuple[int, int] | None, sources: list[Citation], texts: Texts
) -> Iterator[tuple[Key, Citation]]:
    where = list(texts.spans(*span)) if span is not None else []
    for one in sources:
        for key, start, end in where:
            yield key, Citation(start, end, one.url, one.title, one.quote)
        if not where:
            yield texts.last, one


def _offsets(segment: JsonObject) -> tuple[int, int]:
    start, end = segment.get("startIndex", 0), segment.get("endIndex", 0)
    if type(start) is not int or type(end) is not int or start < 0:
        raise TypeError("offsets are whole numbers")
    return start, end


def _span(segment: JsonObject, texts: Texts, places: dict[int, int]) -> tuple[int, int] | None:
    """From and to in characters; None if the answer does not say, or says another text."""
    start, end = _offsets(segment)
    text = _word(segment.get("text"))
    if start in places and end in places and start < end:
        span = places[start], places[end]
        if not text or texts.whole[slice(*span)] == text:
            return span
    at = texts.whole.find(text) if text else -1  # counted otherwise, but it says what it means
    return None if text is None or at < 0 else (at, at + len(text))


def _source(chunk: JsonObject) -> Citation:
    told = plain(next((chunk[key] for key in _SOURCES if isinstance(chunk.get(key), dict)), {}))
    url = _word(told.get("uri")) or _word(told.get("sourceUri"))
    return Citation(url=url, title=_word(told.get("title")), quote=_word(told.get("text")))


def _word(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
