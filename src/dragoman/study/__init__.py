"""Looks at what the core returns: is it the same, where can it go, why was it refused.

Nothing here is needed to write or to read; nothing here opens a socket.
"""

from .plan import Plan, Route, plan
from .sameness import Difference, diff, hashed

__all__ = ["Difference", "Plan", "Route", "diff", "hashed", "plan"]
