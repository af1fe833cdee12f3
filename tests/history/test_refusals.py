"""What a refusal says of options and texts that cannot be: the whole sentence, and its code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

import dragoman.history
from dragoman.errors import ConfigError, DragomanError, ReadError
from dragoman.history.truncate import Summarize
from dragoman.message import ImageBlock, Msg, URLSource

from .driving import drive, each

Refusal: TypeAlias = tuple[str, Callable[[], object], str]

home: Any = dragoman.history  # whose types forbid some of what stands here
IMAGE = ImageBlock(URLSource("https://example.com/a.png"))
WRONG = {"share": 1, "role": "tool", "name": 7, "words": "x", "memory": []}


def told(said: object) -> Any:
    """What Summarize makes of something that a call gave."""
    plan: Any = Summarize(lambda msgs: "x").candidates([Msg.user(str(i)) for i in range(9)], 4)
    wanted = next(plan)
    while not hasattr(wanted, "call"):
        wanted = plan.send(len(wanted))
    return plan.send(said)


def cut(strategy: Any) -> object:
    return drive(strategy, [Msg.user(str(i)) for i in range(9)], 4, each)


SPEAKERS: list[Refusal] = [
    ("history.line", lambda: home.ByName(line="{name}: x"),
     "the line '{name}: x' must hold {text} once, and may hold {name}"),
    ("history.line", lambda: home.ByName(line="{name}: {text} {more}"),
     "the line '{name}: {text} {more}' must hold {text} once, and may hold {name}"),
    ("history.line", lambda: home.ByName(line="\\{name}: {text}"),
     "a line may not begin with a backslash, which says that it is none"),
    ("history.template", lambda: home.ByName(line="{"),
     "'{': Single '{' encountered in format string"),
    ("history.template", lambda: home.ByName(line="{name!r}: {text}"),
     "'{name!r}: {text}' must take its fields as they are"),
    ("history.template", lambda: home.ByName(line="{name:>9}: {text}"),
     "'{name:>9}: {text}' must take its fields as they are"),
    ("history.template", lambda: home.ByName(unshown="{what}"),
     "'{what}' may hold {kind} and no other field"),
    ("history.value", lambda: home.ByName(heading=7), "heading must be text, not 7"),
    ("history.value", lambda: home.ByName(opening=7), "opening must be text, not 7"),
    ("history.value", lambda: home.ByName(closing=7), "closing must be text, not 7"),
    ("history.value", lambda: home.ByName(line=7), "line must be text, not 7"),
    ("history.value", lambda: home.ByName(unshown=7), "unshown must be text, not 7"),
    ("history.value", lambda: home.ByName(known=("Al", 7)), "a speaker's name is text, not 7"),
    ("history.value", lambda: home.ByName(known=7), "a speaker's name is text, not 7"),
    ("history.value", lambda: home.ByName(me=7), "a speaker's name is text, not 7"),
    ("history.line", lambda: home.Tagged(tag="{text}: "),
     "the tag '{text}: ' may hold {name} alone"),
    ("history.value", lambda: home.Tagged(tag=None), "tag must be text, not None"),
    ("history.value", lambda: home.Tagged(known=(7,)), "a speaker's name is text, not 7"),
    ("history.value", lambda: home.NameField(rule="x"), "'x' is no IdRule"),
]  # fmt: skip

SPLIT: list[Refusal] = [
    ("history.content", lambda: home.split_history(7),
     "$: a history is text or a list of blocks, not int"),
    ("history.content", lambda: home.split_history([IMAGE]),
     "$: there is no text in the history"),
    ("history.frame", lambda: home.split_history("Bob: Hi."),
     ("$: the history does not begin with '<history>\\n' "
      "(give the ByName that wrote it as `by`)")),
    ("history.frame", lambda: home.split_history("<history>\nBob: Hi."),
     ("$: the history does not end with '\\n</history>' "
      "(give the ByName that wrote it as `by`)")),
    ("history.line", lambda: home.split_history("x", by=home.ByName(line="- {text}")),
     "lines like '- {text}' do not begin with a name"),
    ("history.names",
     lambda: home.split_history("<history>\nx\n</history>", by=home.ByName(line="{name} {text}")),
     "lines like '{name} {text}' do not tell where a name ends (give the names)"),
]  # fmt: skip

CUTS: list[Refusal] = [
    ("truncate.pin", lambda: home.DropOldest(pin="m1"),
     ("pin must be a function or ids of messages, not 'm1' "
      "(pin=[msg.id], or pin=lambda msg: ...)")),
    ("truncate.pin", lambda: home.DropOldest(pin=[1]),
     ("pin must be a function or ids of messages, not [1] "
      "(pin=[msg.id], or pin=lambda msg: ...)")),
    ("truncate.option", lambda: home.DropOldest(reserve=-1),
     "reserve of DropOldest must be a whole number of at least 0, not -1"),
    ("truncate.option", lambda: home.DropOldest(step=0),
     "step of DropOldest must be a whole number of at least 1, not 0"),
    ("truncate.option", lambda: home.DropOldest(priority=3),
     ("priority must be a function that gives each message a number, not 3 "
      "(priority=lambda msg: ..., 0 for all that is like the rest)")),
    ("truncate.option", lambda: cut(home.DropOldest(priority=lambda msg: "high")),
     ("priority must be a function that gives each message a number, not 'high' "
      "(priority=lambda msg: ..., 0 for all that is like the rest)")),
    ("truncate.strategy", lambda: home.ClearToolResults(then="x"),
     ("then must be a strategy, an object with a method candidates, not 'x' "
      "(truncate=DropOldest(), KeepFirst(n), ClearToolResults() or Summarize(call))")),
    ("truncate.strategy", lambda: home.Summarize(len, then="x"),
     ("then must be a strategy, an object with a method candidates, not 'x' "
      "(truncate=DropOldest(), KeepFirst(n), ClearToolResults() or Summarize(call))")),
    ("truncate.option", lambda: home.KeepFirst(n=True),
     "n of KeepFirst must be a whole number of at least 0, not True"),
    ("truncate.option", lambda: home.ClearToolResults(keep="x"),
     "keep of ClearToolResults must be a whole number of at least 0, not 'x'"),
    ("truncate.option", lambda: home.ClearToolResults(step=0),
     "step of ClearToolResults must be a whole number of at least 1, not 0"),
    ("truncate.option", lambda: home.ClearToolResults(reserve=-1),
     "reserve of ClearToolResults must be a whole number of at least 0, not -1"),
    ("truncate.option", lambda: home.ClearToolResults(exclude="search"),
     ("exclude must be names of tools and stub a text, not 'search' and "
      "'[Old tool result cleared]'")),
    ("truncate.option", lambda: home.ClearToolResults(stub=" "),
     "exclude must be names of tools and stub a text, not () and ' '"),
    ("truncate.reserve", lambda: next(home.DropOldest(reserve=8).candidates([], 8)),
     "a reserve of 8 leaves nothing of 8 tokens (raise max_tokens, or lower the reserve)"),
    ("truncate.option", lambda: home.Summarize(len, reserve=-1),
     "reserve of Summarize must be a whole number of at least 0, not -1"),
    ("truncate.option", lambda: home.Summarize("x", **WRONG),
     ("Summarize cannot work with call='x', share=1, role='tool', name=7, words='x', memory=[] "
      "(call is a function, share lies between 0 and 1, role is user, assistant, system or "
      "developer, words hold {summary}, and memory is a mapping of texts)")),
    ("truncate.summary", lambda: told(7),
     ("the call of Summarize must give text, not int "
      "(return the text of the model's answer)")),
]  # fmt: skip
ROWS = [*SPEAKERS, *SPLIT, *CUTS]


@pytest.mark.parametrize(("code", "make", "said"), ROWS, ids=[row[0] or "input" for row in ROWS])
def test_what_a_refusal_says(code: str, make: Callable[[], object], said: str) -> None:
    with pytest.raises(DragomanError) as caught:
        make()
    assert isinstance(caught.value, (ConfigError, ReadError))
    assert str(caught.value) == said
    assert caught.value.code == code
