"""JSON Schema -> JSON Schema: a schema as a target takes it, each step with a verdict.

And what comes back is checked against the original. Knows no message, no tool and no request:
schemas and arguments are plain JSON.
"""

from .arguments import Violation, checked
from .dialect import SchemaDialect
from .dialects import DIALECTS, dialect
from .known import lowered_once
from .lowered import Change, Lowered, Verdict
from .lowering import lowered
from .mending import Repair, repaired, without_nulls
from .reporting import report_changes

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
