"""JSON Schema -> JSON Schema: a schema in the form that a target takes, each step with a verdict.

What a model returns is checked against the original. It knows no messages, tools and requests:
schemas and arguments are plain JSON.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..suggestions.import_names import listing, refusing
from .arguments import Repair, Violation, checked, repaired, without_nulls
from .dialects import DIALECTS, SchemaDialect, dialect
from .lowering import lowered, lowered_once, report_changes
from .work import Change, Lowered, Verdict

__all__ = [
    "DIALECTS",
    "Change",
    "Lowered",
    "Repair",
    "SchemaDialect",
    "Verdict",
    "Violation",
    "checked",
    "dialect",
    "lowered",
    "lowered_once",
    "repaired",
    "report_changes",
    "without_nulls",
]

if not TYPE_CHECKING:  # so that mypy still reports unknown names
    __getattr__ = refusing(__name__)
    __dir__ = listing(globals(), __all__)
