"""What the agents are asked to do, and the scripts that the model follows.

A session works on a folder with `notes.txt`, whose lines are edited one after the other, and a
picture. A leg is one run of the agent against one kind of host; the next leg resumes the session.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from .scripted_model import Call, Step

__all__ = [
    "HALF",
    "Leg",
    "Scenario",
    "edited",
    "failing",
    "lay_out",
    "long",
    "overflowing",
    "short",
]

HALF = "half-call-ran.txt"  # what the call of a broken answer would make
# 64 by 64 pixels in one colour
PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAYklEQVR4nO3PMQ0AIADAMEAI/qUgCxEcDcmqYJtn"
    "7/GzpQNeNaA1oDWgNaA1oDWgNaA1oDWgNaA1oDWgNaA1oDWgNaA1oDWgNaA1oDWgNaA1oDWgNaA1oDWgNaA1oDWg"
    "NaBdQ3UBhOjh6FcAAAAASUVORK5CYII="
)
EDITS = 12


@dataclass(frozen=True, slots=True)
class Leg:
    """One run of the agent: the host's `kind`, the `prompt`, the model's `steps`.

    `broken` is the number of a step whose answer ends in its middle: by an `error` event or a
    `cut` of the connection, as `how` says. `full` is the number of a step that is refused, as the
    host does whose context is full, until the history has been summed up; `says` is
    what the agent then says if it ends.
    """

    kind: str
    prompt: str
    steps: tuple[Step, ...]
    broken: int | None = None
    how: str = ""
    full: int | None = None
    says: str = ""


@dataclass(frozen=True, slots=True)
class Scenario:
    """A session: its legs, and how many lines of the notes are edited when it ends."""

    name: str
    legs: tuple[Leg, ...]
    edits: int
    looks: bool = False  # whether a picture must arrive
    timeout: float = 240.0
    tags: tuple[str, ...] = field(default=())


def lay_out(work: Path) -> None:
    """The files that the agent finds."""
    lines = [f"step {i:02}: open" for i in range(EDITS)]
    (work / "notes.txt").write_text("# Notes\n" + "\n".join(lines) + "\n", "utf-8")
    (work / "picture.png").write_bytes(PICTURE)


def edited(work: Path) -> int:
    """How many lines of the notes are edited as the script wants it."""
    text = (work / "notes.txt").read_text("utf-8")
    return sum(_new(i) in text.splitlines() for i in range(EDITS))


def _new(i: int) -> str:
    return f'step {i:02}: done — "ok" 漢字 \\n end'


def _edit(work: Path, i: int) -> Call:
    return Call("edit", str(work / "notes.txt"), old=f"step {i:02}: open", new=_new(i))


def _read(work: Path) -> Call:
    return Call("read", str(work / "notes.txt"))


def _run(command: str) -> Call:
    return Call("run", command=command)


_DONE = Step(text="All is done.")
_PROMPT = "Set the steps in notes.txt to done, one after the other. Tell me when it is done."


def short(work: Path, kind: str) -> Scenario:
    """Five turns: read, edit, two calls at once, a picture, the end."""
    steps = (
        Step((_read(work),), "Let me look at the notes first.", thought="I need the notes."),
        Step((_edit(work, 0),), thought="The first step is open."),
        Step((_run("echo one"), _run("echo two"))),
        Step((Call("look", str(work / "picture.png")),)),
        _DONE,
    )
    return Scenario(f"short-{kind}", (Leg(kind, _PROMPT, steps),), edits=1, looks=True)


def long(work: Path, first: str, second: str, window: int) -> Scenario:
    """Over 30 turns on two kinds of host: the session is resumed on the second, and compacted."""
    here, there = _loop(work, range(EDITS // 2)), _loop(work, range(EDITS // 2, EDITS))
    turns = [*there, _DONE]
    turns[11] = replace(turns[11], used=int(window * 0.97))
    turns.insert(12, Step((_read(work),), "I read the notes again."))  # some forget that they did
    legs = (
        Leg(first, _PROMPT, (*here, Step(text="Half of it is done."))),
        Leg(second, "Go on with the other half.", tuple(turns)),
    )
    return Scenario(f"long-{first}-{second}", legs, edits=EDITS, looks=True, timeout=400.0)


def _loop(work: Path, numbers: range) -> Iterator[Step]:
    yield Step((_read(work),), "Let me look at the notes first.", thought="I need the notes.")
    yield Step((Call("look", str(work / "picture.png")),), thought="A picture lies here, too.")
    yield Step((_run("ls missing-folder"),), "This will fail.")
    yield Step((_run("echo again"),), "Once more.")  # twice the same, as when tests are run again
    yield Step((_run("echo again"),), "Once more.")
    for i in numbers:
        yield Step((_edit(work, i),), thought=f"Step {i} is next.")
        yield Step((_run(f"echo {i}"), _run("cat notes.txt")), f"Step {i} is done; two checks.")


def overflowing(work: Path, kind: str, gives_up: str) -> Scenario:
    """The context is full before the fifth answer: the agent sums up and ends its work.

    `gives_up`: what it says instead; it sums up when the session is resumed.
    """
    before = (
        Step((_read(work),), "Let me look at the notes first."),
        Step((_edit(work, 0),)),
        Step((_run("cat notes.txt"),)),
        Step((_run("echo again"),), "Once more."),
    )
    behind = (Step((_read(work),), "I read the notes again."), Step((_edit(work, 1),)), _DONE)
    legs: tuple[Leg, ...] = (Leg(kind, _PROMPT, (*before, *behind), full=4),)
    if gives_up:
        legs = (
            Leg(kind, _PROMPT, before, full=4, says=gives_up),
            Leg(kind, "Go on.", behind, full=0),
        )
    return Scenario(f"overflow-{kind}", legs, edits=2)


def failing(work: Path, kind: str, how: str) -> Scenario:
    """The second answer breaks off in the middle of a call; whatever comes next ends the turn."""
    steps = (
        Step((_read(work),), "Let me look at the notes first."),
        Step((_run(f"echo ran > {HALF}"),), "Now I run it."),
        _DONE,
    )
    leg = Leg(kind, _PROMPT, steps, broken=1, how=how)
    return Scenario(f"{how}-{kind}", (leg,), edits=0)
