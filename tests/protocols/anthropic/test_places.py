"""Where the nodes of a request of the Messages API stand in its body."""

from __future__ import annotations

import re
from typing import Any

import dragoman
from dragoman.losses import Field
from dragoman.message import RawBlock, ServerTool

ROOM = dragoman.wire("anthropic").room
FORM = {"type": "json_schema", "schema": {"type": "object"}}
MARK = {"type": "ephemeral"}
CITED = {"type": "char_location", "cited_text": "a"}
BODY: dict[str, Any] = {
    "model": "m",
    "max_tokens": 5,
    "system": [{"type": "text", "text": "Be kind.", "cache_control": MARK}],
    "messages": [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
            {"type": "redacted_thinking", "data": "c2VhbA=="},
            {"type": "text", "text": "So", "citations": [CITED, CITED]},
            {"type": "tool_use", "id": "t", "name": "look", "input": {"at": 1}},
            {"type": "server_tool_use", "id": "s", "name": "x", "input": {}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t", "cache_control": MARK, "content": [
                {"type": "text", "text": "blue"},
                {"type": "image", "source": {"type": "url", "url": "https://a.example"}}]},
            {"type": "document", "source": {"type": "file", "file_id": "f"}}]},
        {"role": "wizard"},
    ],
    "tools": [{"name": "look", "input_schema": {}, "cache_control": MARK},
              {"type": "web_search_20250305", "name": "web_search", "allowed_domains": ["a"],
               "user_location": {"type": "approximate", "city": "Rome"}},
              {"type": "bash_20250124", "name": "bash"}],
    "tool_choice": {"type": "any", "disable_parallel_tool_use": True},
    "stop_sequences": ["END"],
    "metadata": {"user_id": "u"},
    "thinking": {"type": "enabled", "budget_tokens": 2000},
    "output_config": {"effort": "low", "format": FORM},
}  # fmt: skip


def at(path: str, body: dict[str, Any] = BODY) -> Any:
    """What stands at a path of the body."""
    value: Any = body
    for key, index in re.findall(r"\.(\w+)|\[(\d+)\]", path):
        value = value[key] if key else value[int(index)]
    return value


def test_every_node_has_its_place() -> None:
    req = ROOM.read_request(BODY)
    nodes = {id(node): path for path, node in ROOM.places(req, BODY) if not isinstance(node, Field)}
    top, hi, said, results, odd = req.messages
    thought, sealed, text, call, raw = said.blocks
    result, document = results.blocks
    assert nodes[id(req)] == "$"
    assert nodes[id(top)] == "$.system"
    assert nodes[id(top.blocks[0])] == "$.system[0]"
    assert nodes[id(hi)] == "$.messages[0]"
    assert [nodes[id(b)] for b in (thought, sealed, text, call, raw)] == [
        f"$.messages[1].content[{i}]" for i in range(5)
    ]
    assert nodes[id(text.citations[1])] == "$.messages[1].content[2].citations[1]"  # type: ignore[union-attr,index]
    assert nodes[id(result)] == "$.messages[2].content[0]"
    inner = result.output[1]  # type: ignore[union-attr,index]
    assert nodes[id(inner)] == "$.messages[2].content[0].content[1]"
    assert nodes[id(inner.source)] == "$.messages[2].content[0].content[1].source"  # type: ignore[union-attr]
    assert nodes[id(document.source)] == "$.messages[2].content[1].source"  # type: ignore[union-attr]
    assert nodes[id(odd)] == nodes[id(odd.blocks[0])] == "$.messages[3]"
    assert [nodes[id(tool)] for tool in req.tools] == [f"$.tools[{i}]" for i in range(3)]
    assert nodes[id(req.tool_choice)] == "$.tool_choice"
    assert nodes[id(req.response_format)] == "$.output_config.format"


def test_fields_stand_where_the_body_has_them() -> None:
    req = ROOM.read_request(BODY)
    rows = [(path, one) for path, one in ROOM.places(req, BODY) if isinstance(one, Field)]
    told = {(path, one.name): one.node for path, one in rows}
    for path, name, value in (
        ("$.stop_sequences", "stop", ["END"]),
        ("$.metadata.user_id", "user", "u"),
        ("$.thinking.budget_tokens", "reasoning_budget", 2000),
        ("$.output_config.effort", "reasoning", "low"),
        ("$.max_tokens", "max_tokens", 5),
    ):
        assert told[path, name] is req.options
        assert at(path) == value
    result = req.messages[3].blocks[0]
    assert told["$.messages[2].content[0].tool_use_id", "id"] is result
    assert told["$.messages[2].content[0].content", "output"] is result
    assert told["$.messages[2].content[0].cache_control", "cache"] is result
    assert told["$.system[0].cache_control", "cache"] is req.messages[0].blocks[0]
    assert told["$.messages[1].content[1].data", "redacted"] is req.messages[2].blocks[1]
    assert told["$.tools[0].input_schema", "parameters"] is req.tools[0]
    assert told["$.output_config.format.schema", "schema"] is req.response_format
    assert at("$.output_config.format.schema") == {"type": "object"}
    assert told["$.tools[1].allowed_domains", "domains"] is req.tools[1]
    assert told["$.tool_choice.type", "mode"] is req.tool_choice
    assert isinstance(told["$.messages[1].content[4]", "data"], RawBlock)
    for path, one in rows:
        if getattr(one.node, one.name) and not (isinstance(one.node, ServerTool)):
            at(path)  # there is something


def test_other_places_of_the_same() -> None:
    body = {"max_tokens": 1, "messages": [], "output_format": FORM,
            "thinking": {"type": "disabled"}, "output_config": {"x": 1}}  # fmt: skip
    req = ROOM.read_request(body)
    found = dict(ROOM.places(req, body))
    assert found["$.output_format"] is req.response_format
    assert found["$.thinking.type"] == Field(req.options, "reasoning")
    assert found["$.options"] is req.options
    both = {**body, "output_config": {"format": FORM}}
    req = ROOM.read_request(both)
    assert dict(ROOM.places(req, both))["$.output_config.format"] is req.response_format


def test_a_loss_of_a_conversion_is_found_in_the_source() -> None:
    body = {"model": "m", "max_tokens": 5, "top_k": 4, "messages": [{"role": "user", "content": [
        {"type": "text", "text": "Hi", "note": 1}]}]}  # fmt: skip
    out = dragoman.convert(body, "anthropic", "openai-chat", policy="ignore")
    found = {(loss.code, loss.where) for loss in out.losses}
    assert ("extras.other_provider", "$.messages[0].content[0].note") in found
    assert any(where == "$.top_k" for _, where in found)
