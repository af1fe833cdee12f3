"""Runs the bodies of all surfaces, or of those named, and prints what is wrong and not known.

python -m tests.sdk_types [--every N] [NAME ...]
"""

from __future__ import annotations

import argparse
import sys

from .choices import silent_words
from .known import KNOWN, KNOWN_WORDS, fits, is_known
from .surfaces import SURFACES, Surface
from .trying import judge


def main() -> int:
    """How many lines say what is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.sdk_types", description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="only every n-th body")
    parser.add_argument("names", nargs="*", help="surfaces by a part of their name")
    given = parser.parse_args()
    chosen = [one for one in SURFACES
              if not given.names or any(name in one.name for name in given.names)]  # fmt: skip
    return sum(_show(surface, given.every) for surface in chosen)


def _show(surface: Surface, every: int) -> int:
    try:
        surface.load()
    except ImportError as error:
        print(f"{surface.name}: not judged, `make sdk-types` did not install it ({error})")
        return 1
    count, found = judge(surface, every)
    print(f"{surface.name}: {count} bodies")
    lines = [f"{len(places):4} {what}  ({places[0]})" for what, places in found.items()
             if not is_known(surface.name, what)]  # fmt: skip
    if every == 1:
        known = [what for name, what, _ in KNOWN if name == surface.name]
        lines += [f"no longer so: {one}" for one in known
                  if not any(fits(one, what) for what in found)]  # fmt: skip
    if not count:
        lines.append("no body: nothing was judged")
    if surface.kind == "request":
        heard = tuple(line for name, line, _ in KNOWN_WORDS if name == surface.name)
        count, words = silent_words(surface, every)
        print(f"{surface.name}: {count} words")
        lines += [f"silent {line}" for line in words if not line.startswith(heard or ("-",))]
    for line in lines:
        print(f"    {line}")
    return len(lines)


if __name__ == "__main__":
    sys.exit(min(main(), 1))
