"""One session in a network of its own: hosts, gateway, tap and agent, with loopback only.

`run` starts this file as a program within `unshare`, so that nothing of what the agent starts can
reach another machine; what it found comes back as JSON. Where the system allows no such network,
the agent gets a proxy that is not there for all but loopback.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from . import scenarios
from .programs import AGENTS, KEY, OPEN, Agent, Place
from .scenarios import Leg, Scenario
from .scripted_model import Model
from .tap import Passed, Tap
from .upstream import KINDS, Upstream, break_of, overflow_of
from .verdict import LegSeen, faults_of

__all__ = ["Outcome", "Wish", "run"]

_ROOT = Path(__file__).parents[3]


@dataclass(frozen=True, slots=True)
class Wish:
    """Which session: the agent's name, the scenario's and the hosts.

    Scenarios are `short`, `long`, `error`, `cut` and `overflow`.

    `direct`: the agent speaks to the host itself, which must be of its own wire.
    """

    agent: str
    scenario: str
    kinds: tuple[str, ...]
    direct: bool = False

    @property
    def name(self) -> str:
        way = "direct" if self.direct else "gateway"
        return f"{self.agent} {self.scenario} {'>'.join(self.kinds)} {way}"


@dataclass(slots=True)
class Outcome:
    """What came of it: `faults` are sentences, none if all was as it should be."""

    wish: Wish
    faults: list[str]
    turns: int = 0
    calls: int = 0
    edited: int = 0
    seen: list[dict[str, Any]] = field(default_factory=list)


def run(wish: Wish, folder: Path) -> Outcome:
    """Run a session in a network namespace of its own; files of it stay in `folder`."""
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    result = folder / "outcome.json"
    inner = [sys.executable, "-m", "tests.gateway.real_agents.session", json.dumps(asdict(wish)),
             str(folder)]  # fmt: skip
    apart = _namespace()
    raised = [*apart, "sh", "-c", 'ip link set lo up && exec "$@"', "sh"] if apart else []
    environment = os.environ if apart else {**os.environ, OPEN: "1"}
    done = subprocess.run(
        [*raised, *inner], cwd=_ROOT, capture_output=True, text=True, check=False, env=environment
    )
    if not result.exists():
        return Outcome(wish, [f"the session broke off: {done.stderr[-2000:]}"])
    stored = json.loads(result.read_text("utf-8"))
    stored["wish"] = wish
    return Outcome(**stored)


@cache
def _namespace() -> tuple[str, ...]:
    """What starts a program in a network of its own; nothing where the system does not allow it."""
    for command in (("unshare", "--net"), ("unshare", "--net", "--map-root-user")):
        if all(map(shutil.which, ("unshare", "ip"))):
            tried = subprocess.run([*command, "ip", "link", "set", "lo", "up"], check=False,
                                   capture_output=True)  # fmt: skip
            if tried.returncode == 0:
                return command
    return ()


# -- within the namespace --------------------------------------------------------------------------


def _within(wish: Wish, folder: Path) -> Outcome:
    place = Place(folder)
    place.make()
    scenarios.lay_out(place.work)
    agent = AGENTS[wish.agent]
    scenario = _scenario(wish, agent, place)
    seen = []
    for number, leg in enumerate(scenario.legs):
        seen.append(_leg(agent, place, leg, number, wish.direct, scenario.timeout))
        if seen[-1].exit is None:
            break
    edited = scenarios.edited(place.work)
    half = (place.work / scenarios.HALF).exists()
    log = "" if wish.scenario in ("error", "cut") else agent.log(place)
    faults = faults_of(agent, scenario, seen, edited, log, half=half)
    return Outcome(
        wish, faults, sum(len(one.turns) for one in seen),
        sum(len(step.calls) for leg in scenario.legs for step in leg.steps), edited,
        [one.told() for one in seen],
    )  # fmt: skip


def _scenario(wish: Wish, agent: Agent, place: Place) -> Scenario:
    match wish.scenario:
        case "short":
            return scenarios.short(place.work, wish.kinds[0])
        case "long":
            return scenarios.long(place.work, wish.kinds[0], wish.kinds[-1], agent.window)
        case "overflow":
            return scenarios.overflowing(place.work, wish.kinds[0], agent.gives_up)
        case how:
            return scenarios.failing(place.work, wish.kinds[0], how)


def _leg(
    agent: Agent, place: Place, leg: Leg, number: int, direct: bool, timeout: float
) -> LegSeen:
    kind = KINDS[leg.kind]
    model = Model(leg.steps, kind.answer, prefix=f"call{number}")
    if leg.broken is not None:
        model.faults[leg.broken] = break_of(leg.how, kind, inside=agent.eager)
    if leg.full is not None:
        model.full[leg.full] = overflow_of(kind)
    with ExitStack() as stack:
        upstream = stack.enter_context(Upstream(kind, model, own=agent.wire == kind.wire))
        target = upstream.root
        if not direct:
            log = stack.enter_context((place.root / f"gateway-{number}.log").open("wb"))
            target = stack.enter_context(_gateway(kind.route(agent.wire), upstream.url, log))
        tap = stack.enter_context(Tap(target))
        command = agent.command(leg.prompt, resumed=number > 0)
        code, out, err = _agent(command, place, agent.environment(place, tap.url), timeout)
    _keep(place.root / f"leg-{number}", tap.passed, upstream, out, err)
    return LegSeen(leg, kind, code, out, err, model, upstream, tap.passed, agent.wire, agent.keeps)


def _agent(
    command: list[str], place: Place, environment: dict[str, str], timeout: float
) -> tuple[int | None, str, str]:
    """Run it to its end: exit code (None: it had to be ended), what it printed on both outputs."""
    process = subprocess.Popen(
        command, cwd=place.work, env=environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        return None, out, err
    return process.returncode, out, err


@contextmanager
def _gateway(route: str, upstream: str, log: Any) -> Iterator[str]:
    """The gateway as a process of its own; its address."""
    keys = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "OLLAMA_API_KEY")
    process = subprocess.Popen(
        [sys.executable, "-m", "dragoman", "serve", route, "--upstream", upstream, "--port", "0"],
        stdout=subprocess.PIPE, stderr=log, text=True, cwd=_ROOT,
        env={**os.environ, **dict.fromkeys(keys, KEY)},
    )  # fmt: skip
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        url = next((word for word in line.split() if word.startswith("http://")), None)
        if url is None:
            raise RuntimeError(f"the gateway did not tell its address: {line!r}")
        yield url.rstrip("/.,")
    finally:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def _keep(folder: Path, passed: list[Passed], upstream: Upstream, out: str, err: str) -> None:
    """Everything that went to and fro, for who looks into a fault."""
    folder.mkdir(exist_ok=True)
    (folder / "stdout.txt").write_text(out, "utf-8")
    (folder / "stderr.txt").write_text(err, "utf-8")
    with (folder / "client.jsonl").open("w", encoding="utf-8") as file:
        for one in passed:
            row = {
                "method": one.method, "path": one.path, "status": one.status, "whole": one.whole,
                "request": _text(one.request), "answer": _text(one.answer),
            }  # fmt: skip
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    with (folder / "upstream.jsonl").open("w", encoding="utf-8") as file:
        for call, judged in zip(upstream.calls, upstream.judged, strict=True):
            row = {
                "method": call.method, "url": call.url, "headers": dict(call.headers),
                "request": _text(call.body), "judged": judged,
            }  # fmt: skip
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


if __name__ == "__main__":
    given = json.loads(sys.argv[1])
    told = _within(Wish(**{**given, "kinds": tuple(given["kinds"])}), Path(sys.argv[2]))
    Path(sys.argv[2], "outcome.json").write_text(json.dumps(asdict(told)), "utf-8")
