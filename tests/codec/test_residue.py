"""A conversation that went through another wire, and what was left over put back into it."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

import dragoman
from dragoman import Msg
from dragoman.message import Citation, TextBlock

CLAUDE: dict[str, Any] = {
    "model": "claude-opus-5-5",
    "max_tokens": 100,
    "service_tier": "standard_only",
    "system": [{"type": "text", "text": "S", "cache_control": {"type": "ephemeral", "ttl": "1h"}}],
    "tools": [{"name": "look", "input_schema": {"type": "object"}}],
    "messages": [
        {"role": "user", "content": [
            {"type": "text", "text": "Look.", "cache_control": {"type": "ephemeral"}},
        ]},
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
            {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"at": 1}},
            {"type": "tool_use", "id": "toolu_2", "name": "look", "input": {"at": 2}},
        ]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "toolu_1", "content": "1", "is_error": False},
            {"type": "tool_result", "tool_use_id": "toolu_2", "content": "2"},
            {"type": "text", "text": "And now?"},
        ]},
    ],
}  # fmt: skip
HOME = dragoman.wire("anthropic", policy="ignore")


def there_and_back(name: str, grown: bool = False) -> tuple[dict[str, Any], dict[str, Any]]:
    """(the body that came back, the residue that was stored meanwhile)."""
    wire = dragoman.wire(name, policy="ignore")
    out = wire.write_request(HOME.read_request(copy.deepcopy(CLAUDE)), model=wire.room.model)
    residue = json.loads(json.dumps(out.residue))
    body = json.loads(json.dumps(out.body))
    if grown:
        req = wire.read_request(body, out.path)
        req.messages += [Msg("", "It is.", "assistant"), Msg("", "Thanks.", "user")]
        body = wire.write_request(req).body
    came = wire.read_request(body, out.path, residue=residue)
    return HOME.write_request(came, model=CLAUDE["model"]).body, residue


@pytest.mark.parametrize("name", ["openai-chat", "openai-responses", "gemini", "bedrock-converse"])
def test_signatures_and_marks_are_back(name: str) -> None:
    body, _ = there_and_back(name)
    assert body["messages"][1]["content"][0] == CLAUDE["messages"][1]["content"][0]
    assert body["messages"][0]["content"] == CLAUDE["messages"][0]["content"]
    assert body["system"] == CLAUDE["system"]
    assert body["service_tier"] == "standard_only"


@pytest.mark.parametrize("name", ["openai-chat", "openai-responses", "gemini"])
def test_also_behind_new_turns(name: str) -> None:
    body, _ = there_and_back(name, grown=True)
    assert body["messages"][1]["content"][0]["signature"] == "c2ln"
    assert body["messages"][-1] == {"role": "user", "content": "Thanks."}


@pytest.mark.parametrize("name", ["openai-chat", "gemini", "ollama", "mistral", "cohere"])
def test_stop_sequences_are_kept_or_are_in_the_residue(name: str) -> None:
    req = HOME.read_request({**CLAUDE, "stop_sequences": ["END", " "]})
    other = dragoman.wire(name, policy="ignore")
    out = other.write_request(req, model="other")
    back = other.read_request(out.body, out.path, out.headers, residue=out.residue)
    assert back.options.stop == ("END", " ")


def test_what_was_changed_meanwhile_is_what_it_became() -> None:
    wire = dragoman.wire("openai-chat", policy="ignore")
    out = wire.write_request(HOME.read_request(copy.deepcopy(CLAUDE)), model="gpt-5.5")
    said = copy.deepcopy(out.body)
    first = next(m for m in said["messages"] if m["role"] == "user")
    first["content"] = "Do not look."
    came = wire.read_request(said, residue=out.residue)
    assert came.messages[1].get_text_content() == "Do not look."


def test_citations_come_back() -> None:
    cited = TextBlock("Noon.", [Citation(0, 4, url="https://example.com")])
    req = dragoman.ChatRequest([Msg("", "When?", "user"), Msg("", [cited], "assistant"),
                                Msg("", "Sure?", "user")])  # fmt: skip
    wire = dragoman.wire("ollama", policy="ignore")
    out = wire.write_request(req)
    came = wire.read_request(out.body, out.path, residue=out.residue)
    assert came.messages[1].blocks == [cited]


def test_nothing_is_left_of_a_plain_conversation() -> None:
    req = dragoman.ChatRequest([Msg("", "When?", "user")])
    out = dragoman.wire("openai-chat").write_request(req)
    assert out.residue == {"$": {}}
    assert out.detach().residue == {}


@pytest.mark.parametrize("odd", [{"a": 1}, {"a": {"n": 0, "messages": []}}, {"a": {"n": 1}}])
def test_what_is_no_residue(odd: dict[str, Any]) -> None:
    wire = dragoman.wire("openai-chat")
    with pytest.raises(dragoman.InvalidMessage):
        wire.read_request({"messages": [{"role": "user", "content": "x"}]}, residue=odd)
