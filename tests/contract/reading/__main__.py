"""`make corpus`: all recorded answers and streams, and what became of them, wire by wire.

Fails if a difference has no reason, a leaf is lost, or a cut of the bytes changes an answer.
"""

from __future__ import annotations

import argparse
import sys
import warnings

from tests.contract.reading.cuts import cuts_that_differ
from tests.contract.reading.recorded import PRESENT, WIRES
from tests.contract.reading.tally import tally

HEAD = (
    "wire",
    "answers",
    "errors",
    "other",
    "streams",
    "equal",
    "differing",
    "unexplained",
    "lost",
    "by vendors",
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="make corpus", description=__doc__)
    parser.add_argument("wires", nargs="*", help="some of them; all if none is named")
    parser.add_argument("--streams", type=int, default=50, help="streams of each wire to cut")
    parser.add_argument("--splits", type=int, default=1000, help="cuts of each of these")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if not PRESENT:
        print("skipped: needs ../shared: recorded traffic")
        return 0
    warnings.simplefilter("ignore")  # the SDKs warn of fields that they do not know
    wires = given.wires or list(WIRES)
    read = all([reading(wires)])
    return 0 if cutting(wires, given) and read else 1


def reading(wires: list[str]) -> bool:
    """Whether every recorded answer is read as others read it."""
    print("".join(f"{title:>12}" if nth else f"{title:18}" for nth, title in enumerate(HEAD)))
    found = {wire: tally(wire) for wire in wires}
    for wire, one in found.items():
        counts = (one.answers, one.errors, one.foreign, one.streams, one.equal, one.differing,
                  len(one.unexplained), len(one.lost), one.hosted)  # fmt: skip
        print(f"{wire:18}" + "".join(f"{count:12}" for count in counts))
    for wire, one in found.items():
        for reason, count in sorted(one.reasons.items()):
            print(f"{wire}: {count} because {reason}")
        for line in (*one.unexplained, *one.lost):
            print(f"{wire}: FAULT {line}")
    return not any(one.unexplained or one.lost for one in found.values())


def cutting(wires: list[str], given: argparse.Namespace) -> bool:
    """Whether no cut of the bytes changes an answer."""
    fine = True
    for wire in wires:
        tried, wrong = cuts_that_differ(wire, given.streams, given.splits, given.seed)
        print(f"{wire}: {tried} cuts of {given.streams} streams, {len(wrong)} change the answer",
              flush=True)  # fmt: skip
        for line in wrong[:10]:
            print(f"{wire}: FAULT {line}")
        fine = fine and not wrong
    return fine


if __name__ == "__main__":
    sys.exit(main())
