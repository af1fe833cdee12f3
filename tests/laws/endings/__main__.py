"""All recorded streams at every door, and a table of the counts: `python -m tests.laws.endings`.

Where `../shared` has no recorded traffic, the made-up streams alone. `--every N` takes each N-th
stream, `--cuts N` the most cuts of one.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter

from .doors import DOORS
from .faults import KINDS, cases
from .judging import faults_of
from .sampling import streams


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.laws.endings")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--cuts", type=int, default=10**6)
    parser.add_argument("--wires", nargs="*")
    given = parser.parse_args()
    counts: Counter[tuple[str, str, str]] = Counter()
    wrong: Counter[str] = Counter()
    doors = list(DOORS.items())
    begun, number = time.monotonic(), 0
    for wire, name, events in streams(given.every):
        if given.wires and wire not in given.wires:
            continue
        number += 1
        step = max(1, len(events) // given.cuts)
        for nth, case in enumerate(cases(wire, name, events, range(0, len(events), step))):
            # whole streams at every door; of the many cuts one door each, in turn
            chosen = doors if case.kind != "cut" else [doors[(nth + number) % len(doors)]]
            for door, through in chosen:
                outcome = through(case)
                if outcome is None:
                    continue
                counts[case.kind, door, "error" if outcome.ending == "error" else "answer"] += 1
                for fault in faults_of(case, door, outcome):
                    wrong[f"{case.wire}: {case.kind}: {door}: {fault[:150]}"] += 1
                    counts[case.kind, door, "wrong"] += 1
    print(f"{number} streams, {sum(n for (_, _, k), n in counts.items() if k != 'wrong')} bodies")
    print(f"| {'fault':<13} | " + " | ".join(f"{door:>20}" for door in DOORS) + " |")
    print("|---|" + "--:|" * len(DOORS))
    for kind in KINDS:
        cells = [
            f"{counts[kind, door, 'answer']} / {counts[kind, door, 'error']}"
            f" / {counts[kind, door, 'wrong']}" for door in DOORS
        ]  # fmt: skip
        print(f"| {kind:<13} | " + " | ".join(f"{cell:>20}" for cell in cells) + " |")
    print("answers / errors / wrong; ", f"{time.monotonic() - begun:.0f} s")
    for fault, count in wrong.most_common(60):
        print(count, fault, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
