"""Keys in the case that a dialect writes, and an issuer's own fields put in their place.

Only the protocol's keys are respelled: what a user or a tool named keeps its name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from ...capabilities import Capabilities
from ...jsontext import JsonObject
from ...losses import Report
from ...message import ChatRequest, ServerTool, Tool
from ...message.blocks import NOTES
from ...shapes import own_extras
from .dialect import Dialect

__all__ = ["Keys", "added", "cased", "keys", "replayed"]

_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_BAR = re.compile(r"_([a-z])")


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys that a message needs, in one case."""

    call: str = "functionCall"
    result: str = "functionResponse"
    inline: str = "inlineData"
    file: str = "fileData"
    mime: str = "mimeType"
    uri: str = "fileUri"
    signature: str = "thoughtSignature"
    resolution: str = "mediaResolution"


def _snake(key: str) -> str:
    return _HUMP.sub("_", key).lower()


def _camel(key: str) -> str:
    return _BAR.sub(lambda found: found[1].upper(), key) if "_" in key else key


_CAMEL = Keys()
_SNAKE = Keys(**{f.name: _snake(getattr(_CAMEL, f.name)) for f in fields(Keys)})


def keys(dialect: Dialect) -> Keys:
    """The keys of a message in the dialect's case."""
    return _SNAKE if dialect.case == "snake" else _CAMEL


def cased(made: Mapping[str, Any], dialect: Dialect) -> JsonObject:
    """One level of keys in the dialect's case.

    >>> cased({"topK": 1}, Dialect(case="snake"))
    {'top_k': 1}
    """
    spell = _snake if dialect.case == "snake" else _camel
    return {spell(key): value for key, value in made.items()}


def added(made: JsonObject, own: Mapping[str, Any], dialect: Dialect) -> JsonObject:
    """`made` with an issuer's own fields: objects are filled, lists grow, the rest is set."""
    for key, value in cased(own, dialect).items():
        there = made.get(key)
        if isinstance(there, dict) and isinstance(value, Mapping):
            made[key] = added(dict(there), value, dialect)
        elif isinstance(there, list) and isinstance(value, list):
            made[key] = [*there, *value]
        else:
            made[key] = value
    return made


def replayed(
    made: JsonObject,
    node: ChatRequest | Tool | ServerTool,
    can: Capabilities,
    dialect: Dialect,
    report: Report,
) -> JsonObject:
    """`made` with the own fields of a request or tool; those of other issuers are losses."""
    if node.extras is None:
        return made
    for issuer, own in node.extras.items():
        if issuer not in can.reads and not issuer.endswith(NOTES):
            report.foreign(node, issuer, own)
    return added(made, own_extras(node, can), dialect)
