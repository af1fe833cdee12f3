"""What still counts as read: the very messages and values of the reader, until somebody edits."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from dragoman.message import (
    AsRead,
    CacheHint,
    ChatRequest,
    Msg,
    ServerTool,
    TextBlock,
    Tool,
    ToolUseBlock,
    dump,
)

EDITS: list[Callable[[Msg], object]] = [
    lambda m: setattr(m, "name", "Bob"),
    lambda m: setattr(m, "role", "assistant"),
    lambda m: setattr(m, "content", "Hi."),
    lambda m: setattr(m, "extras", {"p": {"k": 1}}),
    lambda m: setattr(m, "cache", CacheHint()),
    lambda m: setattr(m, "spelling", "listed"),
    lambda m: m.blocks.append(TextBlock("More.")),
    lambda m: m.blocks.pop(),
    lambda m: m.blocks.__setitem__(0, TextBlock("Hi.")),
    lambda m: m.blocks.reverse(),
]


def talk() -> list[Msg]:
    return [Msg("Tony", [TextBlock("Hi."), TextBlock("You there?")]), Msg.assistant("Yes.")]


def read(msgs: list[Msg], **rest: Any) -> AsRead:
    fields = {"model": "m", "stop": ("END", "STOP")}
    return AsRead("openai-chat", "openai", msgs, fields, "m", **rest)


@pytest.mark.parametrize("edit", EDITS)
def test_a_message_counts_until_any_part_of_it_is_another(edit: Callable[[Msg], object]) -> None:
    msgs = talk()
    known = read(msgs)
    assert all(map(known.holds, msgs))
    edit(msgs[0])
    assert [known.holds(m) for m in msgs] == [False, True]


def test_the_same_blocks_in_a_new_list_say_the_same() -> None:
    msgs = talk()
    known = read(msgs)
    msgs[0].content = [*msgs[0].blocks]
    assert known.holds(msgs[0])


@pytest.mark.parametrize("text", ["", "Hi.", "你好", "\U0001f600"])
def test_text_is_one_part(text: str) -> None:
    msgs = [Msg("Tony", text)]
    known = read(msgs)
    assert known.surveyed is None
    assert known.holds(msgs[0])
    msgs[0].content = text + "!"
    assert not known.holds(msgs[0])


def test_an_equal_message_is_not_the_one_that_was_read() -> None:
    known = read(talk())
    assert not any(known.holds(m) for m in talk())


def test_what_is_not_held_counts_nothing_as_read() -> None:
    msgs = talk()
    known = read(msgs, keep=False)
    assert not known.holds(msgs[0])
    assert not known.has_grown(msgs)


def test_what_is_not_watched_counts_whatever_happened_to_it() -> None:
    msgs = talk()
    known = read(msgs, watched=False)
    msgs[0].name = "Bob"
    assert known.holds(msgs[0])
    assert known.has_grown(msgs)
    assert not known.holds(talk()[0])
    assert known.list_unchanged({"model": "other", "seed": 1}) == ["model", "seed"]


def test_a_history_that_grew_at_its_end_begins_as_it_was_read() -> None:
    msgs = talk()
    known = read(list(msgs))
    assert known.has_grown(msgs)
    assert known.has_grown([*msgs, Msg("Tony", "Good.")])
    assert not known.has_grown(msgs[:1])
    assert not known.has_grown([])
    assert not known.has_grown(msgs[::-1])
    assert not known.has_grown([Msg("", "Before."), *msgs])
    assert not known.has_grown(talk())
    assert not read(list(msgs), edited=True).has_grown(msgs)
    msgs[1].content = "No."
    assert not known.has_grown(msgs)


@pytest.mark.parametrize(
    ("now", "kept"),
    [
        ({}, []),
        ({"model": "m"}, ["model"]),
        ({"model": "n"}, []),
        ({"model": None}, []),
        ({"seed": 1}, []),
        ({"stop": ("END", "STOP"), "model": "m"}, ["stop", "model"]),
        ({"stop": ("END",)}, []),
        ({"stop": ("END", "OVER")}, []),
        ({"stop": ("STOP", "END")}, []),
        ({"stop": ["END", "STOP"]}, []),
    ],
)
def test_fields_that_still_say_what_was_read(now: dict[str, Any], kept: list[str]) -> None:
    anew = json.loads(json.dumps(now))  # texts of their own
    anew = {name: tuple(v) if type(now[name]) is tuple else v for name, v in anew.items()}
    assert read(talk()).list_unchanged(anew) == kept


def test_numbers_of_another_type_and_equal_tools_are_no_longer_what_was_read() -> None:
    tools = (Tool("f"),)
    known = AsRead("p", "p", [], {"temperature": 1, "tools": tools, "format": {"a": 1}})
    assert known.list_unchanged({"temperature": 1.0}) == []
    assert known.list_unchanged({"temperature": True}) == []
    assert known.list_unchanged({"tools": (Tool("f"),)}) == []
    assert known.list_unchanged({"tools": (tools[0],)}) == ["tools"]
    assert known.list_unchanged({"format": {"a": 1}}) == ["format"]


@pytest.mark.parametrize("way", [copy.deepcopy, lambda r: pickle.loads(pickle.dumps(r))])
def test_a_copy_knows_its_own_messages(way: Callable[[Any], Any]) -> None:
    msgs = talk()
    known = read(msgs, state=("previous",), places=lambda: iter(()))
    theirs, copied = way((msgs, known))
    assert [copied.protocol, copied.issuer, copied.model] == ["openai-chat", "openai", "m"]
    assert (copied.fields, copied.state) == (known.fields, ("previous",))
    assert copied.places is None, "the body that was read is not copied"
    assert copied.has_grown(theirs)
    assert not copied.holds(msgs[0])
    assert way(read(talk(), edited=True)).edited is True


def test_a_copy_forgets_what_was_edited() -> None:
    msgs = talk()
    known = read(list(msgs))
    msgs[0].content = "Hello."
    theirs, copied = copy.deepcopy((msgs, known))
    assert [copied.holds(m) for m in theirs] == [False, True]
    assert copied.edited is True
    assert not copied.has_grown(theirs)
    assert not copied.has_grown(theirs[1:])


def call(**rest: Any) -> ToolUseBlock:
    arguments = {"path": "a.py", "at": 1, "lines": [{"n": 1}, {"n": 2}]}
    return ToolUseBlock("c", "edit", arguments, **rest)


INPUTS: list[Callable[[Any], object]] = [
    lambda value: value.update(path="b.py"),
    lambda value: value.update(at=True),
    lambda value: value.update(at=1.0),
    lambda value: value.update(new=1),
    lambda value: value.pop("at"),
    lambda value: value.update(at=value.pop("path"), path=value["at"]),
    lambda value: value["lines"].append({"n": 3}),
    lambda value: value["lines"].reverse(),
    lambda value: value["lines"][1].update(n=3),
    lambda value: value["lines"][1].update(n=[]),
    lambda value: value.update(itself=value),
]


@pytest.mark.parametrize("edit", INPUTS)
def test_arguments_that_were_edited_in_place_are_no_more_what_was_read(
    edit: Callable[[Any], object],
) -> None:
    block = call()
    block.raw_input = json.dumps(block.input)
    msgs = [Msg("", [TextBlock("So."), block], "assistant"), Msg("Tony", "Good.")]
    known = read(msgs)
    assert known.has_grown(msgs)
    edit(block.input)
    assert [known.holds(m) for m in msgs] == [False, True]
    assert not known.has_grown(msgs)


def test_other_arguments_in_their_place_are_no_more_what_was_read() -> None:
    block = call(raw_input="{}")
    known = read(msgs := [Msg("", [block], "assistant")])
    block.input = {**block.input}
    assert not known.holds(msgs[0])


def test_arguments_that_came_as_an_object_go_back_as_they_are_now() -> None:
    block = call()
    known = read(msgs := [Msg("", [block], "assistant")])
    block.input["path"] = "b.py"
    assert known.holds(msgs[0]), "there is no text that says something else"


TOOLS: list[Callable[[Any], object]] = [
    lambda tool: setattr(tool, "name", "g"),
    lambda tool: setattr(tool, "description", "Looks."),
    lambda tool: setattr(tool, "parameters", {"type": "object"}),
    lambda tool: setattr(tool, "strict", True),
    lambda tool: setattr(tool, "cache", CacheHint()),
    lambda tool: setattr(tool, "extras", {"p": {"k": 1}}),
]


@pytest.mark.parametrize("edit", TOOLS)
def test_tools_that_were_edited_in_place_are_no_more_what_was_read(
    edit: Callable[[Any], object],
) -> None:
    req = ChatRequest([], tools=[Tool("f", "Finds."), ServerTool("web_search")], model="m")
    known = req.read = AsRead("p", "p", [], req.asks())
    assert {"tools", "model"} <= {*known.list_unchanged(req.asks())}
    edit(req.tools[0])
    kept = known.list_unchanged(req.asks())
    assert ("tools" in kept, "model" in kept) == (False, True)
    assert "tools" not in copy.deepcopy(known).fields
    assert "tools" not in dump(req)["value"]["read"]["fields"]
    req.tools = [req.tools[1]]
    assert "tools" not in known.list_unchanged(req.asks())


def test_a_server_tool_that_was_edited_in_place_is_no_more_what_was_read() -> None:
    tool = ServerTool("web_search")
    known = AsRead("p", "p", [], {"tools": (tool,)})
    tool.max_uses = 2
    assert known.list_unchanged({"tools": (tool,)}) == []
