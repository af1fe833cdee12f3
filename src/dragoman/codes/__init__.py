"""The stable codes of losses: one row each, data only. The generated docs list them.

A code never changes its meaning; a new meaning is a new code.
"""

from __future__ import annotations

from . import answers, content, media, request, schema, speakers, tools
from .code import KINDS, Code, Kind

__all__ = ["CODES", "KINDS", "Code", "Kind"]

CODES: dict[str, Code] = {
    row.name: row
    for rows in (
        content.ROWS,
        media.ROWS,
        tools.ROWS,
        speakers.ROWS,
        request.ROWS,
        answers.ROWS,
        schema.ROWS,
    )
    for row in rows
}
