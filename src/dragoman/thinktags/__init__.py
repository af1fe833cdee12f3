"""Pieces -> Pieces: thinking that stands as `<think>...</think>` in the text of an answer.

Templates of open models write it so, and a server without a parser lets it pass. Where in the text
it may stand is for the dialect to say. Knows no provider and no wire; a stream may be cut anywhere.
"""

from .glue import glued
from .tagged import Tagged
from .tags import TagForm

__all__ = ["TagForm", "Tagged", "glued"]
