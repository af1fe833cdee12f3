"""What providers refuse, as data: rules with source and date, by protocol and by host."""

from __future__ import annotations

from .losses import REFUSED
from .schema import Field, LastTurn, Limit, RefusedLoss, Rules, Schema, Together
from .wires import OPTIONAL_PROPERTIES, RULES

__all__ = [
    "OPTIONAL_PROPERTIES",
    "REFUSED",
    "RULES",
    "Field",
    "LastTurn",
    "Limit",
    "RefusedLoss",
    "Rules",
    "Schema",
    "Together",
]
