"""The tags, where a dialect expects them, and how a block notes that it stood in them."""

from __future__ import annotations

from typing import Literal, TypeAlias

__all__ = ["CLOSE", "GAP", "OPEN", "TagForm", "overlap"]

OPEN, CLOSE = "<think>", "</think>"
GAP = "|"  # in a spelling: where the thinking stood between its tags

# Where: nowhere; at the start of the message; there, and the template has written the opening tag
# into the prompt, so that the message begins inside; anywhere, any number of them.
TagForm: TypeAlias = Literal["", "leading", "inside", "sections"]


def overlap(text: str, tag: str) -> int:
    """How many characters at the end of the text may be the beginning of the tag."""
    at = text.find("<", max(0, len(text) - len(tag) + 1))
    while at >= 0:
        if tag.startswith(text[at:]):
            return len(text) - at
        at = text.find("<", at + 1)
    return 0
