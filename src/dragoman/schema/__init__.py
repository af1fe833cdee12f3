"""JSON Schema -> JSON Schema: a schema as a target takes it, each step with a verdict.

And what comes back is checked against the original. Knows no message, no tool and no request:
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

if not TYPE_CHECKING:  # to which a name that there is not stays an error
    __getattr__ = refusing(__name__)
    __dir__ = listing(globals(), __all__)
