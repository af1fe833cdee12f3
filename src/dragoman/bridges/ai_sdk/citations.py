"""The citations and sources of a page's texts.

A page of the AI SDK has citations at a text, and sources as parts of their own; no model is given
either. What a source has for an id is its address or its title.

Reference: npm `ai` 7.0.173, `citationSchema`, `TextUIPart` and the parts `source-url` and
`source-document` (2026-11-29).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...losses import Report
from ...message.blocks import Citation
from ...message.sources import AnswerSource
from ...text.json_text import JsonObject
from ..results import text_or_none
from .names import OURS

_DOCUMENT = "text/plain"  # a source names no type, and the part must have one


def write_citations(citations: Iterable[Citation], report: Report) -> list[JsonObject]:
    """Write citations; one that names no source is a loss.

    Args:
        citations: The citations of a text.
        report: Collects the losses.
    """
    found: list[JsonObject] = []
    for one in citations:
        if one.url:
            own = {"sourceType": "url", "id": one.url, "url": one.url}
            own |= {"title": one.title} if one.title else {}
        elif one.title:
            own = {"sourceType": "document", "id": one.title, "mediaType": _DOCUMENT}
            own["title"] = one.title
        else:
            report.add_loss("citations.unsupported", one)
            continue
        span = {"startIndex": one.start, "endIndex": one.end, "citedText": one.quote}
        given = {name: value for name, value in span.items() if value is not None}
        found.append({"source": {"type": "source", **own}, **given})
    return found


def read_citations(given: Any) -> list[Citation] | None:
    """Read the citations of a text; None if there are none.

    Args:
        given: The field of the part.
    """
    found: list[Citation] = []
    for one in given if isinstance(given, list) else ():
        source = one.get("source") if isinstance(one, Mapping) else None
        if not isinstance(source, Mapping):
            continue
        places = [one.get(name) for name in ("startIndex", "endIndex")]
        start, end = (place if type(place) is int else None for place in places)
        url, title = text_or_none(source.get("url")), text_or_none(source.get("title"))
        found.append(Citation(start, end, url, title, text_or_none(one.get("citedText"))))
    return found or None


def write_sources(sources: Iterable[AnswerSource]) -> list[JsonObject]:
    """Write sources as parts that only a page shows.

    Args:
        sources: The sources of an answer.
    """
    found: list[JsonObject] = []
    for one in sources:
        if one.url is not None:
            part: JsonObject = {"type": "source-url", "sourceId": one.url, "url": one.url}
            part |= {} if one.title is None else {"title": one.title}
        else:
            part = {"type": "source-document", "sourceId": one.title, "mediaType": _DOCUMENT}
            part["title"] = one.title
        found.append({**part, "providerOptions": {OURS: {"raw": False}}})
    return found
