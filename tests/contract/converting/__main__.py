"""`make corpus`: all recorded traffic converted to every other wire, and what became of it.

Fails if a request is invalid, refused for no listed reason or too often, or loses a leaf in
silence; if an official client hears another answer; or if what was read is not written as it came.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter

from tests.contract.reading.recorded import PRESENT

from .again import again
from .answers import Answers, answers
from .changes import CLASSES
from .clients import CLIENTS
from .recorded import SOURCES
from .requests import Requests, grouped, requests
from .returned import returned

LEAST = 0.995  # of the bodies of a wire that come back equal; with under 200 all but one


def main() -> int:
    parser = argparse.ArgumentParser(prog="make corpus", description=__doc__)
    parser.add_argument("wires", nargs="*", help="sources; all if none is named")
    parser.add_argument("--every", type=int, default=1, help="the first of each so many exchanges")
    given = parser.parse_args()
    if not PRESENT:
        print("skipped: needs ../shared: recorded traffic")
        return 0
    warnings.simplefilter("ignore")  # the SDKs warn of fields that they do not know
    wires = given.wires or list(SOURCES)
    fine = [part(wires, given.every) for part in (same, back, asking, answering)]
    return 0 if all(fine) else 1


def same(wires: list[str], every: int) -> bool:
    """Law 1: whether nearly everything comes back as it came."""
    fine = True
    print("\nlaw 1: read and written by the same wire, equal of all")
    for wire in wires:
        made = again(wire, every)
        counts = {"request": made.requests, "stored": made.requests, "grown": made.grown,
                  "answer": made.answers, "stored answer": made.answers}  # fmt: skip
        shares = [f"{way} {count - made.missed(way)}/{count}" for way, count in counts.items()]
        print(f"{wire:18}{', '.join(shares)}", flush=True)
        for reason, count in made.excepted.items():
            print(f"{wire}: {count} excepted: {reason}")
        for way, id, words in made.faults:
            print(f"{wire}: FAULT {way}: {id}: {words}")
        fine &= made.missed("changed") == 0 and all(
            made.missed(way) <= (max(1, 0.005 * count) if count < 200 else (1 - LEAST) * count)
            for way, count in counts.items()
        )
    return fine


def back(wires: list[str], _: int) -> bool:
    """Answers sent back: whether they are said as they came, and what real clients changed."""
    fine = True
    print("\nanswers sent back in the next request, beside what the real client sent")
    for wire in wires:
        made = returned(wire)
        shares = ", ".join(f"{kind} {made.client[kind]}" for kind in CLASSES)
        print(f"{wire:18}{made.count} sent back, {made.aside} aside, {made.equal} equal; {shares}")
        for id, words in (*made.own, *made.other):
            print(f"{wire}: FAULT {id}: {words}")
        fine &= not made.own and not made.other
    return fine


def asking(wires: list[str], every: int) -> bool:
    """Laws 2 and 3 for requests of every pair."""
    fine = True
    print("\nlaws 2 and 3: requests converted, refused by code, invalid, with a silent loss")
    for source in wires:
        for target, made in requests(source, list(SOURCES), every).items():
            refused = ", ".join(f"{code} {n}" for code, n in made.refused.items()) or "none"
            told = f"{made.count} converted, refused: {refused}; invalid {_bodies(made.invalid)}"
            print(f"{source} to {target}: {told}, silent {_bodies(made.silent)}", flush=True)
            for kind, found in _faults(made):
                for count, what, id, words in grouped(found):
                    print(f"{source} to {target}: FAULT {kind}: {count} {what}: {id}: {words}")
            fine &= made.fine
    return fine


def answering(wires: list[str], every: int) -> bool:
    """Law 3 for answers of every pair of wires with an official client."""
    fine = True
    print("\nlaw 3: answers written for other clients, and read by these")
    for source in (wire for wire in wires if wire in CLIENTS):
        for target, made in answers(source, every).items():
            print(f"{source} to {target}: {made.whole} whole, {made.streams} streams, "
                  f"{len({id for _, id, _ in made.faults})} heard otherwise; {_named(made)}",
                  flush=True)  # fmt: skip
            counts = Counter(kind for kind, _, _ in made.faults)
            for kind, id, words in made.faults:
                if count := counts.pop(kind, 0):
                    print(f"{source} to {target}: FAULT {kind}: {count}: {id}: {words}")
            fine &= not made.faults
    return fine


def _bodies(found: list[tuple[str, str]]) -> int:
    return len({id for id, _ in found})


def _faults(made: Requests) -> list[tuple[str, list[tuple[str, str]]]]:
    return [("raised", made.raised), ("invalid", made.invalid), ("silent", made.silent)]


def _named(made: Answers) -> str:
    """Differences that a loss or a reason of the reading names."""
    return ", ".join(f"{kind} {n}" for kind, n in made.named.items()) or "none named"


if __name__ == "__main__":
    sys.exit(main())
