"""JSON Schema -> JSON Schema: a schema in the form that a target takes, each step with a verdict.

What a model returns is checked against the original. It knows no messages, tools and requests:
schemas and arguments are plain JSON.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..suggestions.import_names import listing, refusing
from .arguments import Repair, Violation, check_arguments, repair_arguments, without_nulls
from .dialects import DIALECTS, SchemaDialect, dialect
from .lowering import lower_once, lower_schema, report_changes
from .lowering_result import Change, LoweredSchema, Verdict

__all__ = [
    "DIALECTS",
    "Change",
    "LoweredSchema",
    "Repair",
    "SchemaDialect",
    "Verdict",
    "Violation",
    "check_arguments",
    "dialect",
    "lower_once",
    "lower_schema",
    "repair_arguments",
    "report_changes",
    "without_nulls",
]

if not TYPE_CHECKING:  # so that mypy still reports unknown names
    __getattr__ = refusing(__name__)
    __dir__ = listing(globals(), __all__)
