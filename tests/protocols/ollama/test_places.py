"""Where the nodes of a request of /api/chat stand in its body."""

from __future__ import annotations

import re
from typing import Any

import dragoman
from dragoman.losses import Field

ROOM = dragoman.wire("ollama").room
BODY: dict[str, Any] = {
    "model": "qwen3",
    "messages": [
        {"role": "user", "content": "See", "images": ["iVBORw0KGgo=", "/9j/4AAQ", "R0lGODlh"]},
        {"role": "assistant", "content": "", "thinking": "hm", "tool_calls": [
            {"id": "x", "function": {"name": "look", "arguments": {"a": 1}}},
            {"id": "y", "function": None},
            {"id": "z", "function": {"name": "find", "arguments": {}}}]},
        {"role": "tool", "content": "r", "name": "look", "tool_call_id": "x", "images": ["SUQz"]},
        {"role": "else"},
        {"role": "tool", "content": "r", "tool_name": "find", "tool_call_id": "z"},
    ],
    "tools": [{"type": "function", "function": {"name": "look", "description": "d"}}],
    "options": {"num_predict": 5, "seed": 1},
    "think": True,
    "top_logprobs": 3,
    "format": {"type": "object"},
}  # fmt: skip


def at(path: str) -> Any:
    value: Any = BODY
    for key, index in re.findall(r"\.(\w+)|\[(\d+)\]", path):
        value = value[key] if key else value[int(index)]
    return value


def test_every_node_has_its_place() -> None:
    req = ROOM.read_request(BODY)
    found = list(ROOM.places(req, BODY))
    nodes = {id(node): path for path, node in found if not isinstance(node, Field)}
    user, assistant, result, odd, plain = req.messages
    thought, *calls = assistant.blocks
    assert nodes[id(req)] == "$"
    assert nodes[id(req.options)] == "$.options"
    assert [nodes[id(one)] for one in user.blocks[1:]] == [
        f"$.messages[0].images[{n}]" for n in range(3)]  # fmt: skip
    assert nodes[id(thought)] == "$.messages[1].thinking"
    assert [nodes[id(one)] for one in calls] == [
        f"$.messages[1].tool_calls[{n}]" for n in range(3)]  # fmt: skip
    assert nodes[id(plain.blocks[0])] == "$.messages[4]"
    assert nodes[id(result.blocks[0])] == "$.messages[2]"
    assert nodes[id(result.blocks[0].output[1].source)] == "$.messages[2].images[0]"  # type: ignore[union-attr,index]
    assert nodes[id(odd.blocks[0])] == "$.messages[3]"
    assert nodes[id(req.tools[0])] == "$.tools[0]"
    assert nodes[id(req.response_format)] == "$.format"
    for m in req.messages:
        assert id(m) in nodes


def test_fields_stand_where_the_body_has_them() -> None:
    req = ROOM.read_request(BODY)
    fields = [(path, one.name, getattr(one.node, one.name))
              for path, one in ROOM.places(req, BODY) if isinstance(one, Field)]  # fmt: skip
    told = {path: (name, value) for path, name, value in fields}
    assert told["$.options.num_predict"] == ("max_tokens", 5)
    assert told["$.think"] == ("reasoning", "on")
    assert told["$.top_logprobs"] == ("top_logprobs", 3)
    assert told["$.messages[2].name"] == ("name", "look")
    assert told["$.messages[4].tool_name"] == ("name", "find")
    assert told["$.format"] == ("schema", BODY["format"])
    for path in ("$.messages[1].tool_calls[0].function.arguments", "$.tools[0].function.name",
                 "$.messages[0].content", "$.messages[2].tool_call_id"):  # fmt: skip
        assert told[path][1] == at(path)
