"""The arguments of pytest for the quick part, `QUICK` of the Makefile, for systems without make.

`python -m pytest $(python -m tests.house.quick)` runs it.
"""

from __future__ import annotations

import re

from .sources import ROOT

__all__ = ["quick_arguments"]


def quick_arguments(makefile: str) -> list[str]:
    """The words of the variable `QUICK`.

    Args:
        makefile: The text of the Makefile.

    Raises:
        ValueError: It has no such variable.
    """
    joined = makefile.replace("\\\n", " ")
    found = re.search(r"^QUICK := (.+)$", joined, re.MULTILINE)
    if found is None:
        raise ValueError("the Makefile has no QUICK")
    return found[1].split()


if __name__ == "__main__":
    print(*quick_arguments((ROOT / "Makefile").read_text("utf-8")))
