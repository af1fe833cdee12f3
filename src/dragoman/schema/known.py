"""Schemas that were lowered before: an agent offers the same tools in every turn.

Known by their JSON text, so that equal schemas are one, whoever made the objects.
"""

from __future__ import annotations

from dataclasses import replace

from ..jsontext import JsonObject, arguments
from .dialects import dialect
from .lowered import Lowered
from .lowering import lowered

__all__ = ["lowered_once"]

_MOST = 512
_known: dict[tuple[str, str], tuple[Lowered, bool]] = {}  # and whether the schema stays


def lowered_once(schema: JsonObject, name: str) -> Lowered:
    """The schema in the dialect of this name, worked out once; the very object if it fits."""
    key = (name, arguments(schema))
    found = _known.get(key)
    if found is None:
        if len(_known) >= _MOST:  # whoever sends schemas may send any number of them
            _known.clear()
        made = lowered(schema, dialect(name))
        found = _known[key] = made, made.schema is schema
    made, stays = found
    return replace(made, schema=schema) if stays and made.schema is not schema else made
