"""Shorten the output of a tool to the most characters that a result may have.

The bound is `max_output`, an argument of `Toolkit` and of a single tool; without one, nothing is
shortened.
"""

from __future__ import annotations

from dataclasses import replace

from ..message import ContentBlock, TextBlock
from .results import Output

_SHORT = 80  # characters; a shorter text among others is never shortened


def shorten_output(output: Output, most: int | None) -> tuple[Output, int]:
    """Shorten a text, or the text blocks among others; images and the like stay as they are.

    Args:
        output: The output of a tool.
        most: The most characters of its texts together; None is no bound.

    Returns:
        The output with at most `most` characters beside the words that mark a gap, and how many
        characters were left out.
    """
    if isinstance(output, str):
        size = len(output)
    else:
        size = sum(len(one.text) for one in output if type(one) is TextBlock)
    if most is None or size <= most:
        return output, 0
    if isinstance(output, str):
        return _keep_ends(output, most), size - most
    shortened: list[ContentBlock] = []
    left_out = 0
    for block in output:  # each by its share, so the last ones remain, too
        if type(block) is not TextBlock or len(block.text) <= _SHORT:
            shortened.append(block)
            continue
        share = most * len(block.text) // size
        left_out += len(block.text) - share
        shortened.append(replace(block, text=_keep_ends(block.text, share)))
    return shortened, left_out


def _keep_ends(text: str, most: int) -> str:
    """Return the beginning and end of a text, the useful parts of a log, a table or a page."""
    if len(text) <= most:
        return text
    tail = most // 2
    gap = f"\n[... {len(text) - most:,} characters are left out here ...]\n"
    return text[: most - tail] + gap + text[len(text) - tail :]
