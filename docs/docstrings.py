"""Prepares docstrings for the site: an extension of Griffe.

Sections (`Args:`, `Returns:`, `Raises:`) are read by Griffe itself. Here examples, which begin
with `>>>` wherever they stand, become code, and `Source:` a paragraph: Griffe would take the
prompts for quotes, and a section that it does not know for a box.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

# from the prompt to the next empty line
_EXAMPLE = re.compile(r"(?m)^>>> .*(?:\n.+)*")
# what follows on the line, or indented below it
_SOURCE = re.compile(r"(?m)^(Sources?:)(?:[ ]|\n[ ]+)(?=\S)((?:.+)(?:\n.+)*)")
_INDENT = re.compile(r"(?m)^ +")


class Preparation(griffe.Extension):
    """Called for every object that is documented."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite the docstring of an object.

        Args:
            obj: The object; one without a docstring is left as it is.
        """
        if obj.docstring is not None:
            text = _SOURCE.sub(_emphasize_source, obj.docstring.value)
            obj.docstring.value = _EXAMPLE.sub(lambda found: f"```pycon\n{found[0]}\n```", text)


def _emphasize_source(found: re.Match[str]) -> str:
    word, text = found.groups()
    return f"**{word}** {_INDENT.sub('', text)}"
