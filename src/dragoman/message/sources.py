"""The pages and documents that an answer is based on: those that its citations and searches name.

They are computed from the answer's blocks and extras. Providers list what was found in fields of
their own, which are known here by name: lists of objects with an address or a title, or of
addresses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ..text.redaction import Shown
from .blocks import NOTES, ContentBlock, Extras, RawBlock, TextBlock


@dataclass(frozen=True, slots=True, repr=False)
class AnswerSource(Shown):
    """A page or document that an answer is based on.

    Attributes:
        url: Its address.
        title: Its title.
        quotes: The quoted texts.
        cited: Whether the answer cites it; False if a search only found it.
    """

    url: str | None = None
    title: str | None = None
    quotes: tuple[str, ...] = ()
    cited: bool = False


# names of lists of search results
_LISTS = frozenset(
    {
        "search_results",
        "groundingChunks",
        "grounding_chunks",
        "web_search",
        "citations",
        "sources",
        "results",
        "content",
    }
)
_WITHIN = ("web", "retrievedContext", "retrieved_context", "maps", "image", "document")
_URLS = ("url", "uri", "link", "source")
_TITLES = ("title", "filename")
_DEEPEST = 8  # levels of objects that are searched


def collect_sources(blocks: Iterable[ContentBlock], *extras: Extras | None) -> list[AnswerSource]:
    """Return each source once, by its address or else its title, in order of appearance."""
    found: dict[str, AnswerSource] = {}
    for block in blocks:
        for source in _of_block(block):
            _add(found, source)
    for fields in extras:
        for issuer, own in (fields or {}).items():
            if not issuer.endswith(NOTES):
                for source in _find_listed(own, _DEEPEST):
                    _add(found, source)
    return list(found.values())


def _add(found: dict[str, AnswerSource], source: AnswerSource) -> None:
    key = source.url or source.title or ""
    before = found.get(key)
    if before is None:
        found[key] = source
        return
    quotes = (*before.quotes, *(quote for quote in source.quotes if quote not in before.quotes))
    title = before.title or source.title
    found[key] = AnswerSource(before.url, title, quotes, before.cited or source.cited)


def _of_block(block: ContentBlock) -> Iterator[AnswerSource]:
    if type(block) is TextBlock:
        for citation in block.citations or ():
            if citation.url or citation.title:
                quotes = (citation.quote,) if citation.quote else ()
                yield AnswerSource(citation.url, citation.title, quotes, cited=True)
    elif type(block) is RawBlock and block.role in ("result", "item"):
        if (whole := _source(block.data)) is not None:
            yield whole
        else:
            yield from _find_listed(block.data, _DEEPEST)


def _find_listed(data: Any, depth: int) -> Iterator[AnswerSource]:
    """Yield the sources in lists with a known name, at any level."""
    if not isinstance(data, dict) or not depth:
        return
    for key, value in data.items():
        if isinstance(value, dict):
            yield from _find_listed(value, depth - 1)
        elif isinstance(value, list) and key in _LISTS:
            for entry in value:
                source = _source(entry)
                if source is not None:
                    yield source
                else:
                    yield from _find_listed(entry, depth - 1)


def _source(entry: Any) -> AnswerSource | None:
    """Read an entry of a list; None if it names no page and no document."""
    if isinstance(entry, str):
        return AnswerSource(entry) if _is_address(entry) else None
    if not isinstance(entry, dict):
        return None
    data = next((entry[key] for key in _WITHIN if isinstance(entry.get(key), dict)), entry)
    texts = {key: value for key, value in data.items() if isinstance(value, str) and value}
    url = next((texts[key] for key in _URLS if _is_address(texts.get(key, ""))), None)
    title = next((texts[key] for key in _TITLES if key in texts), None)
    return None if url is None and title is None else AnswerSource(url, title)


def _is_address(text: str) -> bool:
    return text.startswith(("https://", "http://", "gs://"))
