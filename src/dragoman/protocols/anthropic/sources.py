"""Where media of a request is, read into the tree, and said again as it was read.

`read_source` and `source_as_read` are each other's inverse. Reference: Anthropic API, "Create a
Message", `source` of images and documents. A text of a document is base64 in the tree.
"""

from __future__ import annotations

import base64

from ...jsontext import Json, JsonObject
from ...message import Base64Source, FileSource, URLSource
from ...message.sources import Source

__all__ = ["read_source", "source_as_read"]

_PLAIN = "text/plain"


def read_source(
    told: Json, issuer: str, document: bool
) -> tuple[Source, str | None, JsonObject] | None:
    """(where it is, how that was spelled, what else was said of it); None for another source."""
    if not isinstance(told, dict):
        return None
    rest = dict(told)
    kind = rest.pop("type", None)
    spelling: str | None = None
    source: Source | None = None
    if kind == "base64" and isinstance(told.get("data"), str):
        media_type, data = rest.pop("media_type", None), rest.pop("data")
        source = Base64Source(media_type, data) if isinstance(media_type, str) else None
    elif kind == "url" and isinstance(told.get("url"), str):
        source = URLSource(rest.pop("url"))
    elif kind == "file" and isinstance(told.get("file_id"), str):
        source = FileSource(rest.pop("file_id"), issuer)
    elif document and kind == "text" and told.get("media_type") == _PLAIN:
        del rest["media_type"]
        spelling, source = kind, _encoded(rest.pop("data", None))
    elif document and kind == "content":
        spelling, source = kind, _encoded(rest.pop("content", None))
    return None if source is None else (source, spelling, rest)


def _encoded(text: Json) -> Source | None:
    if not isinstance(text, str):
        return None
    try:
        return Base64Source(_PLAIN, base64.b64encode(text.encode()).decode())
    except UnicodeEncodeError:  # half of a surrogate pair
        return None


def source_as_read(source: Source, spelling: str | None) -> JsonObject:
    """The object that `read_source` made the source of."""
    if type(source) is URLSource:
        return {"type": "url", "url": source.url}
    if type(source) is FileSource:
        return {"type": "file", "file_id": source.file_id}
    assert type(source) is Base64Source  # no other is read
    if spelling is None:
        return {"type": "base64", "media_type": source.media_type, "data": source.data}
    text = base64.b64decode(source.data).decode()
    if spelling == "content":
        return {"type": "content", "content": text}
    return {"type": "text", "media_type": _PLAIN, "data": text}
