"""The header that tells what a request lost: what matters first, and never more than its bound."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from ..losses import Loss

_PLACED = 8  # losses whose place is told: finding it costs a walk through the request


def losses_header(losses: Iterable[Loss], faults: Sequence[str], most: int) -> str:
    """`dropped tool.foreign $.tools[3]; dropped extras.foreign *13; +2 more`; empty for none.

    Major losses have their place; the others are counted by code.
    """
    parts = [f"dropped {fault}" for fault in faults]
    others: Counter[str] = Counter()
    placed = 0
    for loss in losses:
        if loss.kind == "expected":
            continue
        if loss.weight == "major" and placed < _PLACED:
            placed += 1
            parts.append(f"{loss.kind} {loss.code} {loss.where}")
        else:
            others[f"{loss.kind} {loss.code}"] += 1
    parts += [name if count == 1 else f"{name} *{count}" for name, count in others.most_common()]
    return _cut(parts, most) if parts else ""


def _cut(parts: Sequence[str], most: int) -> str:
    text = ""
    for number, part in enumerate(parts):
        plain = part.encode("ascii", "backslashreplace").decode().replace("\n", " ")
        more = f"; +{len(parts) - number} more"
        joined = f"{text}; {plain}" if text else plain
        if len(joined) + len(more) > most:
            return f"{text}{more}" if text else more[2:]
        text = joined
    return text
