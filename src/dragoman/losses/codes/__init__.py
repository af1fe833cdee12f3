"""The stable codes of losses: one row each, data only. The generated docs list them.

A code never changes its meaning; a new meaning is a new code.
"""

from __future__ import annotations

from dataclasses import replace

from . import content, request, speakers, tools
from .code import KINDS, Code, Kind

__all__ = ["CODES", "KINDS", "Code", "Kind"]

_MESSAGES = {**content.ROWS, **tools.ROWS, **speakers.ROWS}
_REQUESTS = {**request.ROWS, **request.ANSWERS_ROWS, **request.SCHEMA_ROWS}
CODES = {name: replace(row, name=name) for name, row in {**_MESSAGES, **_REQUESTS}.items()}
