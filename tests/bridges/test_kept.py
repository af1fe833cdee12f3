"""What one side cannot hold and the other keeps, through a bridge that needs no package."""

from __future__ import annotations

import copy
import json
from typing import Any

from dragoman import LLM, Msg
from dragoman.bridges.kept import amend, note_difference
from dragoman.bridges.strands import read_messages, write_messages
from dragoman.message import CacheHint, RawBlock, RefusalBlock, TextBlock, ToolUseBlock
from tests.each_case import each_case

from .conversations import CONVERSATIONS

SEARCH = RawBlock("openai-responses", {"type": "web_search_call", "id": "ws_1"})
GIVEN = [
    Msg.system("Be brief.", id="m_1"),
    Msg.user([TextBlock("Hi", cache=CacheHint("1h"))], "Bob", metadata={"mine": [1]}),
    Msg.assistant([SEARCH, RefusalBlock("No."), SEARCH, ToolUseBlock("c_1", "f", "{bad", "{bad")]),
]


def written() -> list[Any]:
    """The messages as Strands has them: two, as the first two are the user's there."""
    found = write_messages(GIVEN, policy="ignore").messages
    assert [one["role"] for one in found] == ["user", "assistant"]
    return found


@each_case("name", CONVERSATIONS)
def test_all_comes_back_from_json(name: str) -> None:
    messages = CONVERSATIONS[name]
    found = write_messages(messages, policy="ignore").messages
    back = read_messages(found).messages
    assert back == messages
    assert [one.origin for one in back] == [one.origin for one in messages]


def test_each_part_comes_back_in_its_place() -> None:
    back = read_messages(written()).messages
    assert back == GIVEN
    assert (back[0].id, back[1].metadata["mine"]) == ("m_1", [1])
    first, second = written()
    assert first["metadata"]["custom"]["dragoman"]["parts"][0]["blocks"] == 1
    assert "mine" not in first["metadata"]["custom"], "it is the second's"
    assert [part["msg"]["role"] for part in second["metadata"]["custom"]["dragoman"]["parts"]] == [
        "assistant"
    ]


def test_a_block_that_was_edited_is_as_it_is_now() -> None:
    _, second = written()
    second["content"][0]["text"] = "Yes."
    [back] = read_messages(second).messages
    assert back.blocks[1] == TextBlock("Yes.")
    assert [back.blocks[i] for i in (0, 2, 3)] == [GIVEN[2].blocks[i] for i in (0, 2, 3)]
    del second["content"][0]  # the note is for two blocks
    assert [block.type for block in read_messages(second).messages[0].blocks] == ["tool_use"]


ODD: list[Any] = [
    None, 3, "x", [], {}, {"parts": 3}, {"parts": [3]}, {"parts": [{"blocks": 2, "msg": 3}]},
    {"parts": [{"blocks": 2, "msg": {"role": "king"}}]},
    {"parts": [{"blocks": 2, "notes": {"0": {"of": 1}}, "lost": [[0, {"type": "of tomorrow"}]]}]},
    {"parts": [{"blocks": 1}, {"blocks": 1, "msg": {"metadata": 3}}]},
    {"parts": [{"blocks": -1}, {"blocks": 3}]},
]  # fmt: skip


@each_case("note", ODD)
def test_a_note_that_a_program_has_changed_is_none(note: Any) -> None:
    _, second = written()
    second["metadata"]["custom"]["dragoman"] = note
    blocks = [block for msg in read_messages(second).messages for block in msg.blocks]
    assert [block.type for block in blocks] == ["text", "tool_use"]


def test_a_difference_makes_one_object_of_another() -> None:
    have, want = {"a": 1, "b": [2]}, {"a": 1.5, "c": None}
    note = note_difference(have, want)
    assert amend(have, json.loads(json.dumps(note))) == want
    assert amend({**have, "b": []}, note) == {"a": 1, "b": []}
    assert note_difference(have, copy.deepcopy(have)) is None
    assert note_difference(have, {"a": object()}) is None, "no JSON"


def test_an_llm_takes_what_an_agent_of_strands_has_made() -> None:
    """They are dicts as those of Bedrock, with two keys of their own."""
    theirs = [{**one, "tracking_id": f"t_{i}"} for i, one in enumerate(written()[:1])]
    body = LLM("openai/gpt-5.6", key="none").request(theirs).body
    assert [one["role"] for one in body["messages"]] == ["system", "user"]
    assert "dragoman" not in json.dumps(body)
