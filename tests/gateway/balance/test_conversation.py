"""A conversation is known by its beginning, and its place hardly moves when targets come and go."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from dragoman.gateway.balance.conversation import find_place, rank
from dragoman.text.json_text import MAX_DEPTH, loads
from tests.each_case import each_case

AGENTS = Path(__file__).parents[3].parent / "shared" / "corpus" / "agents"
ASKED = {"role": "user", "content": "Mend it."}
CALL = {"role": "assistant", "content": None, "tool_calls": [{"id": "c_1"}]}
RESULT = {"role": "tool", "tool_call_id": "c_1", "content": "done"}
MARKED = {"role": "user", "content": [
    {"type": "text", "text": "Mend it.", "cache_control": {"type": "ephemeral"}},
]}  # fmt: skip
PLAIN = {"role": "user", "content": [{"type": "text", "text": "Mend it."}]}
THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": []}
OUTPUT = {"type": "function_call_output", "call_id": "c_1", "output": "done"}
PART = {"role": "user", "parts": [{"text": "Mend it."}]}


@each_case(
    ("first", "later"),
    [
        ({"messages": [ASKED]}, {"messages": [ASKED, CALL, RESULT]}),
        ({"messages": [MARKED]}, {"messages": [PLAIN, CALL]}),
        ({"messages": [PLAIN], "system": "a"}, {"messages": [PLAIN, CALL], "system": "b"}),
        ({"input": [ASKED]}, {"input": [ASKED, THOUGHT, OUTPUT]}),
        ({"input": "Mend it."}, {"input": "Mend it.", "tools": []}),
        ({"contents": [PART]}, {"contents": [PART, {"role": "model", "parts": []}, PART]}),
    ],
)
def test_each_turn_has_the_hash_of_the_first(first: Any, later: Any) -> None:
    one, other = find_place(first), find_place(later)
    assert one.conversation == other.conversation
    assert one.is_new
    assert other.is_new == (later.get("input") == "Mend it.")


@each_case(
    ("one", "other"),
    [
        ({"messages": [ASKED]}, {"messages": [{**ASKED, "content": "Mend that."}]}),
        ({"messages": [ASKED]}, {"messages": [ASKED, ASKED]}),
        ({"input": "Mend it."}, {"input": "Mend that."}),
    ],
)
def test_another_beginning_is_another_conversation(one: Any, other: Any) -> None:
    assert find_place(one).conversation != find_place(other).conversation


def test_clients_and_models_have_conversations_of_their_own() -> None:
    body: Any = {"messages": [ASKED]}
    names = [(), ("a",), ("b",), ("a", "m"), ("am",)]
    assert len({find_place(body, *one).conversation for one in names}) == 5
    # a provider's cache is that of the gateway's account, whoever asks
    with_tools = {**body, "tools": [{"name": "mend"}]}
    assert len({find_place(with_tools, *one).family for one in names}) == 2


@each_case(
    "tools",
    [
        [{"name": "mend", "input_schema": {}}, {"name": "look"}],
        [{"type": "function", "function": {"name": "mend"}}, {"type": "custom", "name": "look"}],
        [{"functionDeclarations": [{"name": "mend"}, {"name": "look"}]}],
        [{"function_declarations": [{"name": "mend"}]}, {"name": "look"}, {"google_search": {}}],
    ],
)
def test_conversations_with_the_same_tools_belong_together(tools: Any) -> None:
    plain: Any = {"messages": [ASKED], "tools": [{"name": "mend"}, {"name": "look"}]}
    other: Any = {"messages": [PLAIN, CALL], "tools": tools}
    assert find_place(plain).family == find_place(other).family
    assert (
        find_place(plain).family != find_place({**plain, "tools": [*tools, {"name": "x"}]}).family
    )
    assert find_place({**plain, "tools": ["?", None, {"name": 3}]}).family


@each_case(
    "body",
    [
        {},
        {"messages": [None, 3, "x", [], {"role": ["x"]}, {"type": {}}], "tools": "x"},
        {"messages": {"role": "user"}, "tools": [{"function": "x"}, {"functionDeclarations": 3}]},
        {"input": "\ud800", "tools": {"name": "x"}},
        loads(b'{"messages": [%b%b]}' % (b"[" * (MAX_DEPTH - 2), b"]" * (MAX_DEPTH - 2))),
    ],
    ids=lambda body: str(body)[:60],
)
def test_what_is_no_request_has_a_place_too(body: Any) -> None:
    """It is refused when it is read, with words for it."""
    assert len(find_place(body).conversation) == 16


@pytest.mark.skipif(not AGENTS.is_dir(), reason="needs the recorded agents of ../shared")
def test_recorded_agents_keep_their_hash() -> None:
    """It changes when an agent has cut its history, and Gemini CLI asks a small model first."""
    changes: Counter[str] = Counter()
    for file in sorted(AGENTS.glob("*.jsonl")):
        sessions: defaultdict[str, list[bytes]] = defaultdict(list)
        for line in file.read_text("utf-8").splitlines():
            row = json.loads(line)
            if row["request"].get("tools") and "compact" not in row["session"]:
                sessions[row["session"]].append(find_place(row["request"]).conversation)
        assert sessions
        for hashes in sessions.values():
            changes[file.stem] += len(set(hashes)) - 1
    assert not changes.total(), changes


def test_shares_follow_the_weights() -> None:
    weights = [("a", 2.0), ("b", 1.0), ("c", 1.0)]
    first = Counter(rank(bytes([n >> 8, n & 255]), weights)[0] for n in range(4000))
    assert first[0] == pytest.approx(2000, rel=0.06)
    assert first[1] == pytest.approx(1000, rel=0.1)


def test_if_a_target_goes_its_conversations_alone_move() -> None:
    before, after = [("a", 1.0), ("b", 1.0), ("c", 1.0)], [("a", 1.0), ("b", 1.0)]
    for n in range(500):
        place = n.to_bytes(2)
        order = rank(place, before)
        assert rank(place, after) == [number for number in order if number != 2]
