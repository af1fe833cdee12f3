"""Annotations of a text <-> citations: what a text of the model's leans on, and where it says so.

Reference: OpenAI API, "The response object", `annotations` of an `output_text`. Offsets are
characters, their ends exclusive; some hosts give the URL alone.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ...jsontext import JsonObject
from ...message import Citation

__all__ = ["annotation", "as_cited", "citation"]

_URL = "url_citation"
_FILES = frozenset({"file_citation", "container_file_citation"})  # their `filename` is a title
_SPAN = {"start": "start_index", "end": "end_index", "url": "url", "title": "title"}


def citation(told: JsonObject, issuer: str) -> Citation:
    """One annotation; what the neutral fields do not give back stands in the extras."""
    kind = told.get("type")
    names = {**_SPAN, "title": "filename"} if kind in _FILES else _SPAN
    made = Citation(
        _kept(told.get(names["start"]), int),
        _kept(told.get(names["end"]), int),
        _kept(told.get(names["url"]), str),
        _kept(told.get(names["title"]), str),
    )
    said = _said(made, names)
    rest = {key: value for key, value in told.items() if key != "type" and key not in said}
    if rest or kind != _URL or len(said) < len(_SPAN):
        made.extras = {issuer: {"type": kind, **rest} if "type" in told else rest}
    return made


def annotation(cited: Citation, reads: Collection[str]) -> JsonObject | None:
    """The annotation that says this; None if nobody who is read here made it, or it lacks fields.

    Of others, only a page with its title and a span is a citation here, too.
    """
    extras = cited.extras or {}
    own = {key: value for issuer in extras if issuer in reads for key, value in
           extras[issuer].items()}  # fmt: skip
    kind = own.get("type", _URL)
    said = _said(cited, {**_SPAN, "title": "filename"} if kind in _FILES else _SPAN)
    if not own and (len(said) < len(_SPAN) or extras or cited.quote is not None):
        return None
    return {"type": kind, **said, **own}


def as_cited(cited: Citation, issuer: str) -> JsonObject:
    """The annotation that `citation` made this of."""
    if cited.extras is None:
        return {"type": _URL, **_said(cited, _SPAN)}
    own = cited.extras.get(issuer, {})
    names = {**_SPAN, "title": "filename"} if own.get("type") in _FILES else _SPAN
    return {**_said(cited, names), **own}


def _said(cited: Citation, names: dict[str, str]) -> JsonObject:
    fields = ((key, getattr(cited, name)) for name, key in names.items())
    return {key: value for key, value in fields if value is not None}


def _kept(value: Any, kind: type) -> Any:
    return value if type(value) is kind else None
