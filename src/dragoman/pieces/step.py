"""What becomes of the one block that is open: it begins, it grows, it ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias, final

from ..message.blocks import ContentBlock
from ..shown import Shown
from .piece import Key

__all__ = ["Grow", "Open", "Shut", "Step"]


@final
@dataclass(slots=True, repr=False)
class Open(Shown):
    """A block begins. `block` is its first piece, which a Grow says again; a call has its id."""

    index: int
    key: Key
    block: ContentBlock


@final
@dataclass(slots=True, repr=False)
class Grow(Shown):
    """`block` is a piece of the block that is open: see `argument_text` for that of a call."""

    index: int
    key: Key
    block: ContentBlock


@final
@dataclass(slots=True, repr=False)
class Shut(Shown):
    """A block ends. `block` is the sum of its pieces; a call's arguments are not parsed."""

    index: int
    key: Key
    block: ContentBlock


Step: TypeAlias = Open | Grow | Shut
