"""Questions about requests and answers: are two the same, where can one go, why was it refused.

Nothing here is needed to write or to read; nothing here opens a socket.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..suggestions.import_names import listing, refusing
from .accepted_formats import Pair, pairs
from .cache_break import CacheBreak, cache_break
from .check import Refusal, check
from .explain import Explanation, explain
from .fidelity import Fidelity, Worse, fidelity, worse
from .plan import Plan, Route, plan
from .sameness import Difference, diff, hash_conversation
from .sources import Source, SourceMap, sourcemap

__all__ = [
    "CacheBreak",
    "Difference",
    "Explanation",
    "Fidelity",
    "Pair",
    "Plan",
    "Refusal",
    "Route",
    "Source",
    "SourceMap",
    "Worse",
    "cache_break",
    "check",
    "diff",
    "explain",
    "fidelity",
    "hash_conversation",
    "pairs",
    "plan",
    "sourcemap",
    "worse",
]

if not TYPE_CHECKING:  # so that mypy still reports unknown names
    __getattr__ = refusing(__name__)
    __dir__ = listing(globals(), __all__)
