"""`make corpus`: all recorded traffic through the gateway, and what became of it.

Fails if a request is neither answered by a call that its provider takes nor refused with a reason
in the client's shape, or if a client hears another answer than the upstream gave.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable

from tests.contract.agents.recorded import AGENTS
from tests.contract.reading.recorded import PRESENT

from .answers import Heard, answered, recorded_answers
from .kinds import CLIENTS, UPSTREAMS
from .requests import Asked, Tally, of_agents, recorded, sent

Faults = list[tuple[str, str]]


def main() -> int:
    parser = argparse.ArgumentParser(prog="make corpus", description=__doc__)
    parser.add_argument("wires", nargs="*", help="protocols; all if none is named")
    parser.add_argument("--every", type=int, default=1, help="the first of each so many exchanges")
    given = parser.parse_args()
    every, wires = given.every, given.wires or [*CLIENTS, *AGENTS]
    if not PRESENT:
        print("skipped: needs ../shared: recorded traffic")
        return 0
    print("\nthe gateway: requests passed, converted, refused by code")
    fine = [
        _asking(protocol, recorded(protocol, every)) for protocol in CLIENTS if protocol in wires
    ]
    fine += [_asking(agent, of_agents(agent)) for agent in AGENTS if agent in wires]
    print(
        "\nthe gateway: answers whole, streamed, errors; heard otherwise for a reason that is told"
    )
    fine += [_answering(kind, every) for kind in UPSTREAMS if kind in wires]
    return 0 if all(fine) else 1


def _asking(name: str, requests: Iterable[Asked]) -> bool:
    tallies = {kind: Tally() for kind in UPSTREAMS}
    for one in requests:
        for kind, tally in tallies.items():
            sent(one, kind, tally)
    for kind, tally in tallies.items():
        refused = ", ".join(f"{code} {n}" for code, n in tally.refused.items()) or "none"
        print(f"{name} to {kind}: {tally.count} asked, {tally.passed} passed, {tally.converted} "
              f"converted, refused: {refused}; {len(tally.faults)} faults", flush=True)  # fmt: skip
        _tell(f"{name} to {kind}", tally.faults)
    return not any(tally.faults for tally in tallies.values())


def _answering(kind: str, every: int) -> bool:
    made = {protocol: Heard() for protocol in CLIENTS}
    for one in recorded_answers(kind, every):
        for protocol, heard in made.items():
            answered(one, kind, protocol, heard)
    for protocol, heard in made.items():
        other = ", ".join(f"{why} {n}" for why, n in heard.other.items()) or "none"
        print(f"{kind} to {protocol}: {heard.whole} whole, {heard.streams} streams, "
              f"{heard.errors} errors, otherwise: {other}; {len(heard.faults)} faults",
              flush=True)  # fmt: skip
        _tell(f"{kind} to {protocol}", heard.faults)
    return not any(heard.faults for heard in made.values())


def _tell(name: str, faults: Faults) -> None:
    """The first of each class, by its first words."""
    counts = Counter(words.partition(":")[0] for _, words in faults)
    for id, words in faults:
        if count := counts.pop(words.partition(":")[0], 0):
            print(f"{name}: FAULT {count}: {id}: {words}")


if __name__ == "__main__":
    sys.exit(main())
