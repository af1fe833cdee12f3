"""The agent's conversation of twelve steps on every wire, and killed at every state that it saves.

The servers judge each request by the rules of their wire and by the types of the official SDK.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from dragoman.agent import Reply
from dragoman.message import Msg, ThinkingBlock, ToolResultBlock
from dragoman.testing import StrictServer
from dragoman.transport.call import HttpCall
from tests.llm.hosts import HOSTS, PIXEL, other_than

from . import twelve_steps
from .twelve_steps import CALLS, RECEIPT, TURNS, Model, Script, turns_of


class Killed(BaseException):
    """The process is no more."""


@contextmanager
def servers(wire: str) -> Iterator[tuple[StrictServer, StrictServer]]:
    """The server of the first nine turns, and that of the last; nothing they get is wrong."""
    with (
        StrictServer(HOSTS[wire][0], Model()) as server,
        StrictServer(HOSTS[other_than(wire)][0], Model()) as other,
    ):
        yield server, other
        assert [faults for faults in (*server.judged, *other.judged) if faults] == []


class Life:
    """What a process does before it dies: as it saves a state, if it is the last that it may."""

    def __init__(self, most: int | None = None) -> None:
        self.most = most
        self.ran: list[str] = []
        self.states: list[str] = []

    def script(self, wire: str, server: StrictServer, other: StrictServer) -> Script:
        return Script(wire, server.url, other.url, self._run, self._keep)

    def _run(self, text: str) -> None:
        if len(self.states) != self.most:
            self.ran.append(text)

    def _keep(self, state: dict[str, Any]) -> None:
        if len(self.states) != self.most:
            self.states.append(json.dumps(state))
        if len(self.states) == self.most:
            raise Killed


class Whole:
    """A conversation that nobody kills: replies, calls, and each state with how many calls ran."""

    def __init__(self, wire: str, server: StrictServer, other: StrictServer) -> None:
        self.ran: list[str] = []
        self.states: list[tuple[str, int]] = []
        keep = lambda state: self.states.append((json.dumps(state), len(self.ran)))  # noqa: E731
        self.script = Script(wire, server.url, other.url, self.ran.append, keep)
        self.replies: list[Reply] = self.script.play()
        self.messages: list[Msg] = self.script.agent.messages

    def turns(self) -> list[range]:
        """The numbers of the states of each turn; the last of each has no open run."""
        ends = [
            number for number, (state, _) in enumerate(self.states, 1)
            if json.loads(state)["value"]["run"] is None and turns_of(state)
        ]  # fmt: skip
        return [range(*pair) for pair in zip([0, *ends], ends, strict=False)]


def sent(call: HttpCall) -> str:
    """The body of a call, with no character of its texts escaped."""
    return json.dumps(json.loads(call.body), ensure_ascii=False)


@pytest.mark.parametrize("wire", HOSTS)
def test_twelve_steps(wire: str) -> None:
    with servers(wire) as (server, other):
        seen = Whole(wire, server, other)
    replies, bodies = seen.replies, [sent(call) for call in server.calls]
    assert [reply.msg.text for reply in replies if reply.msg] == [
        "Both are fine.", "Samarkand.", "As I said.", "That is done.", "Noon.",
        "It is warm there.", "After all.", "Warm.", '{"name": "Samarkand", "degrees": 31}',
        "The same.",
    ]  # fmt: skip
    # 1 a system prompt, 2 another speaker
    assert all("Be brief." in body for body in bodies)
    assert "Ann: I am in Bukhara." in bodies[0]
    # 3 calls at the same time, 4 an image in a result
    results = [m.blocks[0] for m in seen.messages if m.role == "tool"]
    assert [one.id for one in results if isinstance(one, ToolResultBlock)] == [
        f"call_0000{number}" for number in range(1, 6)
    ]
    lost = {loss.code for reply in replies for loss in reply.losses}
    assert PIXEL in bodies[1] or "media.as_reference" in lost
    # 5 thinking, and its return
    thoughts = [b.thinking for m in seen.messages for b in m.blocks if isinstance(b, ThinkingBlock)]
    assert thoughts == ["Let me see."]
    named = any(loss.code.startswith("thinking.") for loss in replies[2].losses)
    assert "Let me see." in bodies[3] or named
    # 6 a call that needs approval, 7 a call that others run
    assert seen.ran == CALLS
    assert [sum(RECEIPT in body for body in bodies[:n]) for n in (4, 5, 6)] == [0, 0, 1]
    assert "It is noon." in bodies[7]
    # 8 the events of a stream
    assert "".join(seen.script.texts) == "I look it up.It is warm there."
    kinds = [kind for kind in seen.script.kinds if kind in ("call", "result", "usage", "end")]
    assert kinds == ["usage", "call", "result", "usage", "end"]
    # 9 a provider that is busy
    assert len(bodies) == 14
    assert bodies[10] == bodies[11]
    # 10 a history that is cut to fit
    assert [RECEIPT in body for body in bodies[11:]] == [True, False, True]
    # 11 an answer of a type
    assert replies[8].parsed == {"name": "Samarkand", "degrees": 31}
    # 12 another model and formatter, and what the exchange loses
    assert len(other.calls) == 1
    assert "Tony: And what do you say?" in sent(other.calls[0])
    assert any(loss.code.startswith("thinking.") for loss in replies[9].losses)


KILLED_EVERYWHERE = "anthropic"


@pytest.mark.parametrize("wire", HOSTS)
def test_killed_at_each_state_it_goes_on_and_no_call_runs_twice(wire: str) -> None:
    """On one wire at each state, on the others at each fifth.

    Which fifth it is differs from wire to wire, so that each state is that of several.
    """
    first, step = (0, 1) if wire == KILLED_EVERYWHERE else ([*HOSTS].index(wire) % 5, 5)
    with servers(wire) as (server, other):
        seen = Whole(wire, server, other)
        assert len(seen.turns()) == len(TURNS)
        kills = 0
        for states in seen.turns():
            start, before = seen.states[states[0] - 1] if states[0] else (None, 0)
            end, after = seen.states[states[-1]]
            for number in states:
                if number % step != first:
                    continue
                life = Life(number - states[0] + 1)
                with pytest.raises(Killed):
                    life.script(wire, server, other).play(start, turns=1)
                rest = Life()
                script = rest.script(wire, server, other)
                script.play(life.states[-1], turns=0 if number == states[-1] else 1)
                assert script.agent.state() == json.loads(end), number
                assert life.ran + rest.ran == seen.ran[before:after], number
                kills += 1
        assert kills >= len(seen.states) // step


def test_of_calls_that_were_running_the_model_is_told() -> None:
    """`interrupted="report"`: a call that may have run is not run again."""
    wire = "anthropic"
    with servers(wire) as (server, other):
        seen = Whole(wire, server, other)
        told = 0
        for states in seen.turns():
            for state, count in seen.states[states[0] : states[-1]]:
                ran = seen.ran[:count]
                script = Script(
                    wire,
                    server.url,
                    other.url,
                    ran.append,
                    interrupted="report",
                    threads=2,
                )
                script.play(state, turns=1)
                assert ran == [one for one in CALLS if one in ran], "none twice"
                results = [m.blocks[0] for m in script.agent.messages if m.role == "tool"]
                lost = [one for one in results if "took effect is not known" in str(one)]
                assert len(ran) + len(lost) >= len(seen.ran[: seen.states[states[-1]][1]])
                told += len(lost)
        assert told > 0


def test_many_short_lives_are_one_conversation(tmp_path: Path) -> None:
    """Each process dies when it has saved fourteen states; the next goes on from its file."""
    wire = "bedrock-converse"
    with servers(wire) as (server, other):
        seen = Whole(wire, server, other)
        program = [sys.executable, "-m", twelve_steps.__name__]
        for _life in range(len(seen.states)):
            done = subprocess.run(
                [*program, wire, server.url, other.url, str(tmp_path), "14"],
                capture_output=True, text=True, timeout=60, check=False,
            )  # fmt: skip
            assert done.returncode in (0, 9), done.stderr
            if done.returncode == 0:
                break
    state = json.loads((tmp_path / "state.json").read_text())
    assert state == seen.script.agent.state()
    assert (tmp_path / "runs.txt").read_text().splitlines() == CALLS
    assert _life >= 3
