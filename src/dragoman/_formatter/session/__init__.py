"""Sessions: a conversation that grows is written as far as it is new.

`settled` is what no later turn changes, `calm` what may be written behind it without a look back,
`growing` writes, and `session` is what programs call.
"""

from .session import Changed, Session, SessionMessages

__all__ = ["Changed", "Session", "SessionMessages"]
