"""Looks at what the core returns: is it the same, where can it go, why was it refused.

Nothing here is needed to write or to read; nothing here opens a socket.
"""

from .cache_break import CacheBreak, cache_break
from .check import check
from .explain import Explanation, explain
from .fidelity import fidelity
from .pairs import Fidelity, Worse, worse
from .plan import Plan, Route, plan
from .refusal import Refusal
from .sameness import Difference, diff, hashed
from .sources import Source, SourceMap, sourcemap

__all__ = [
    "CacheBreak",
    "Difference",
    "Explanation",
    "Fidelity",
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
    "hashed",
    "plan",
    "sourcemap",
    "worse",
]
