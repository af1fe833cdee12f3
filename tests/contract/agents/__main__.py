"""`make corpus`: every recorded request of the agents at every host, and calls of its tools back.

Fails if a request is invalid, lacks a tool of the client's or loses a leaf in silence, or if a call
comes back as another.
"""

from __future__ import annotations

import argparse
import sys
import warnings

import dragoman

from .hosts import HOSTS, request_faults, restored, tools_of
from .recorded import AGENTS, CORPUS, sent


def main() -> int:
    parser = argparse.ArgumentParser(prog="make corpus", description=__doc__)
    parser.add_argument("hosts", nargs="*", help="such as openai/openai-chat; all if none is named")
    hosts = parser.parse_args().hosts or HOSTS
    if not CORPUS.is_dir():
        print("skipped: needs ../shared: recorded traffic")
        return 0
    warnings.simplefilter("ignore")  # the SDKs warn of fields that they do not know
    print("requests of coding agents, and calls of their tools, at every host")
    fine = [_asking(host) for host in hosts]
    return 0 if all(fine) else 1


def _asking(host: str) -> bool:
    """Whether nothing is wrong at this host."""
    asked = [one for agent in AGENTS for one in sent(agent)]
    found = [fault for one in asked for fault in request_faults(one, host)]
    callers = [one for one in sent("codex") if tools_of(one)] if _takes_tools(host) else []
    for one in callers:
        for way in ("whole", "streamed"):
            heard, meant = restored(one, host, way)
            if heard != meant:
                found.append(f"{one.id}: {way}: {heard} instead of {meant}")
    print(f"{host:32}{len(asked)} asked, {len(callers)} answered, {len(found)} faults", flush=True)
    for fault in found:
        print(f"{host}: FAULT {fault}")
    return not found


def _takes_tools(host: str) -> bool:
    return dragoman.wire(host).can().tools


if __name__ == "__main__":
    sys.exit(main())
