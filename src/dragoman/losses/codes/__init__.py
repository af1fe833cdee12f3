"""The stable codes of losses: one row each, data only. The generated docs list them.

A code never changes its meaning; a new meaning is a new code. A code may get another name:
`rename_codes` finds it.
"""

from __future__ import annotations

import fnmatch
from dataclasses import replace
from fnmatch import fnmatchcase

from ..._old_names import OLD_CODES, warn_of_old_name
from . import content, request, speakers, tools
from .code import KINDS, Code, Kind

__all__ = ["CODES", "KINDS", "Code", "Kind", "rename_codes"]

_MESSAGES = {**content.ROWS, **tools.ROWS, **speakers.ROWS}
_REQUESTS = {**request.ROWS, **request.ANSWERS_ROWS, **request.SCHEMA_ROWS}
CODES = {name: replace(row, name=name) for name, row in {**_MESSAGES, **_REQUESTS}.items()}


def rename_codes(pattern: str) -> tuple[str, ...]:
    """Find what a code is called now, with a warning where it had another name.

    Args:
        pattern: A code, a glob of codes, or a kind.

    Returns:
        The pattern, where it matches what it did before; else with the new codes in its place, or
        behind it where it matches others, too.
    """
    old = fnmatch.filter(OLD_CODES, pattern)
    new = sorted({OLD_CODES[code] for code in old if not fnmatchcase(OLD_CODES[code], pattern)})
    if not new:
        return (pattern,)
    warn_of_old_name(f"the loss code {pattern}", ", ".join(new))
    return (pattern, *new) if fnmatch.filter(CODES, pattern) else tuple(new)
