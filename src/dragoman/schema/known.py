"""Schemas that were lowered before: an agent offers the same tools in every turn.

Known by their JSON text, so that equal schemas are one, whoever made the objects.
"""

from __future__ import annotations

from ..jsontext import JsonObject, arguments
from .dialects import dialect
from .lowered import Lowered
from .lowering import lowered

__all__ = ["lowered_once"]

_MOST = 512
_known: dict[tuple[str, str], Lowered] = {}


def lowered_once(schema: JsonObject, name: str) -> Lowered:
    """The schema in the dialect of this name, worked out once; the very object if it fits."""
    key = (name, arguments(schema))
    made = _known.get(key)
    if made is None:
        if len(_known) >= _MOST:  # whoever sends schemas may send any number of them
            _known.clear()
        made = _known[key] = lowered(schema, dialect(name))
    if made.changes or made.unfit:
        return made
    return Lowered(schema, made.verdict, made.changes, made.unfit, made.rule)
