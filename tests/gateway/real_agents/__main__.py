"""Run sessions of real agents and print a table: `python -m tests.gateway.real_agents --all`.

Without `--all`, one short session for each agent on a foreign host. `--only WORD` keeps what has
the word in its name; `--direct` lets the agents speak to a host of their own wire, without a
gateway. What went to and fro stays in the folder `--keep`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from .matrix import few, whole
from .programs import AGENTS
from .session import Outcome, Wish, run
from .upstream import STREAMS_ARGUMENTS


def main() -> int:
    given = _arguments()
    wishes = whole() if given.all else few()
    if given.direct:
        kinds = {name: agent.wire for name, agent in AGENTS.items()}
        wishes = [Wish(name, one, (kind, kind), direct=True) for name, kind in kinds.items()
                  for one in ("short", "long", "error", "cut")
                  if one in ("short", "long") or kind in STREAMS_ARGUMENTS]  # fmt: skip
    wishes = [one for one in wishes if all(word in one.name for word in given.only)]
    folder = Path(given.keep or tempfile.mkdtemp(prefix="agents-"))
    outcomes = []
    for wish in wishes:
        outcome = run(wish, folder / wish.name.replace(" ", "-").replace(">", "-"))
        outcomes.append(outcome)
        print(_row(outcome), flush=True)
        for fault in outcome.faults:
            print(f"    {fault}", flush=True)
    bad = sum(bool(one.faults) for one in outcomes)
    print(f"{len(outcomes) - bad} of {len(outcomes)} sessions without a fault; kept in {folder}")
    return 1 if bad or not outcomes else 0


def _row(outcome: Outcome) -> str:
    state = "ok" if not outcome.faults else f"{len(outcome.faults)} faults"
    return f"{outcome.wish.name:60} turns {outcome.turns:3}  edits {outcome.edited:2}  {state}"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.gateway.real_agents")
    parser.add_argument("--all", action="store_true", help="every agent on every kind of host")
    parser.add_argument("--direct", action="store_true", help="without a gateway")
    parser.add_argument("--only", nargs="*", default=[], metavar="WORD")
    parser.add_argument("--keep", metavar="FOLDER")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
