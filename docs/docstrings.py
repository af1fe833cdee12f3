"""Has the examples in docstrings, which begin with `>>>`, shown as code: an extension of Griffe."""

from __future__ import annotations

import re
from typing import Any

import griffe

# from the prompt to the next empty line
_EXAMPLE = re.compile(r"(?m)^>>> .*(?:\n.+)*")


class Examples(griffe.Extension):
    """Called for every object that is documented."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Fence the examples of an object's docstring."""
        if obj.docstring is not None:
            text = obj.docstring.value
            obj.docstring.value = _EXAMPLE.sub(lambda found: f"```pycon\n{found[0]}\n```", text)
