"""The one place that strings passes, room and losses together: Wire, and the Manner of a history.

Opens nothing: what a wire needs from the world comes in as functions.
"""

from .manner import Manner
from .wire import Wire

__all__ = ["Manner", "Wire"]
