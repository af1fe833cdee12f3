"""`make fuzz SEED=...`: mutated answers and streams of every wire.

Prints what came of them, the slowest, and of each kind of fault the first; fails if there is one.
"""

from __future__ import annotations

import argparse
import sys
import traceback
from collections import Counter
from itertools import islice

from tests.fuzz.feeding import LIMIT, Case, TooSlow, cases, run
from tests.fuzz.seeds import seeds
from tests.laws.streams import STREAMS

MOST = 1500  # characters of a case that is shown


def main() -> int:
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200_000)
    parser.add_argument("--recorded", type=int, default=60, help="recorded seeds of each wire")
    parser.add_argument("wires", nargs="*", help="some of them; all if none is named")
    given = parser.parse_args()
    wires = given.wires or list(STREAMS)
    kinds: Counter[tuple[str, str]] = Counter()
    faults: dict[str, tuple[Case, str]] = {}
    slowest: tuple[float, str] = (0.0, "")
    for case in islice(cases(given.seed, wires, *seeds(given.recorded, given.seed)), given.count):
        try:
            outcome = run(case)
        except (Exception, TooSlow) as error:  # noqa: BLE001 - that is what we look for
            told = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{case.wire}: {type(error).__name__} in {told.filename}:{told.lineno}"
            faults.setdefault(where, (case, traceback.format_exc(limit=-6)))
            continue
        kinds[case.wire, outcome.kind] += 1
        slowest = max(slowest, (outcome.seconds, str(case)))
    for (wire, kind), count in sorted(kinds.items()):
        print(f"{wire:18} {kind:16} {count:8}")
    print(
        f"{sum(kinds.values())} cases, seed {given.seed}, {len(faults)} kinds of faults, "
        f"slowest {slowest[0]:.3f} s (limit {LIMIT} s): {slowest[1]:.200}"
    )
    for where, (case, trace) in faults.items():
        print(f"FAULT {where}\n{str(case)[:MOST]}\n{trace}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
