"""What hosts of the Messages API without Claude have in common: what their copies leave out.

Each host's row says the rest. Thinking goes back as it came; a signature is echoed, not demanded.
"""

from __future__ import annotations

from typing import Any

from ..capabilities import Fact, Facts

__all__ = ["BUDGETED", "SAMPLES", "copied"]

_COPY: dict[str, Any] = {
    "signed_thinking": False,
    "redacted_thinking": False,
    "result": ("text",),
    "document": False,
    "server_tools": (),
    "strict_tools": False,
    "cached_tools": False,
    "cache_hints": 0,
    "formats": ("text",),
    "efforts": ("on",),
    "max_tokens": 8192,
}
# a turn without thinking is missed only while the model thinks
_STILL = Fact(("*",), {"empty_thinking": False}, "2026-08-07",
              "leookun/cursor-byok pull request 276: an empty block instead, while thinking",
              when="still")  # fmt: skip
# thinking as Claude Code asks these hosts for it: on, with a budget
BUDGETED: dict[str, Any] = {"form": "budget", "efforts": (), "budgets": (1024, 31_999)}
SAMPLES: dict[str, Any] = {"options": {"temperature": "takes", "top_p": "takes"}}


def copied(issuer: str, since: str, source: str, changes: dict[str, Any], *rows: Fact) -> Facts:
    """The facts of one host: the copy's, with `changes`, and rows by model or state."""
    always = {**_COPY, "signatures": (issuer,), **changes}
    return Facts(rows=(*rows, _STILL), always=always, since=since, source=source)
