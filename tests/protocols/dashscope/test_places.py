"""Where the nodes of a request of DashScope stand in its body."""

from __future__ import annotations

import re
from typing import Any

import dragoman
from dragoman.losses import Field

ROOM = dragoman.wire("dashscope").room
LINK = "https://example.org/x.png"
BODY: dict[str, Any] = {
    "model": "qwen-max",
    "input": {"messages": [
        {"role": "user", "content": [{"text": "See"}, {"image": LINK}]},
        {"role": "assistant", "content": "So.", "reasoning_content": "hm", "tool_calls": [
            {"id": "x", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "tool", "content": [{"image": LINK}], "tool_call_id": "x"},
        {"role": "else"},
    ]},
    "parameters": {
        "max_completion_tokens": 5, "enable_thinking": True, "enable_search": True,
        "search_options": {"assigned_site_list": ["a.b"]}, "tool_choice": "auto", "stop": "x",
        "tools": [{"type": "function", "function": {"name": "f"}}],
        "response_format": {"type": "json_object"},
    },
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
    user, assistant, result, odd = req.messages
    thought, text, call = assistant.blocks
    shown: Any = result.blocks[0]
    expected = {
        id(user.blocks[1]): "content[1]", id(user.blocks[1].source): "content[1].image",  # type: ignore[union-attr]
    }  # fmt: skip
    for node, path in expected.items():
        assert nodes[node] == f"$.input.messages[0].{path}"
    assert nodes[id(thought)] == "$.input.messages[1].reasoning_content"
    assert nodes[id(text)] == "$.input.messages[1].content"
    assert nodes[id(call)] == "$.input.messages[1].tool_calls[0]"
    assert nodes[id(shown)] == "$.input.messages[2]"
    assert nodes[id(shown.output[0].source)] == "$.input.messages[2].content[0].image"
    assert nodes[id(odd.blocks[0])] == "$.input.messages[3]"
    assert nodes[id(req.tools[0])] == "$.parameters.tools[0]"
    assert nodes[id(req.tools[1])] == "$.parameters"
    assert nodes[id(req.tool_choice)] == "$.parameters.tool_choice"
    assert nodes[id(req.response_format)] == "$.parameters.response_format"


def test_fields_stand_where_the_body_has_them() -> None:
    req = ROOM.read_request(BODY)
    told = {path: getattr(one.node, one.name)
            for path, one in ROOM.places(req, BODY) if isinstance(one, Field)}  # fmt: skip
    assert told["$.parameters.max_completion_tokens"] == 5
    assert told["$.parameters.enable_thinking"] == "on"
    assert told["$.parameters.stop"] == ("x",)
    assert told["$.parameters.search_options.assigned_site_list"] == ("a.b",)
    for path in ("$.input.messages[1].tool_calls[0].function.name",
                 "$.input.messages[0].content[0].text", "$.input.messages[2].tool_call_id",
                 "$.parameters.tools[0].function.name"):  # fmt: skip
        assert told[path] == at(path)


def test_a_prompt() -> None:
    body: dict[str, Any] = {"model": "m", "input": {"prompt": "Hi"}, "parameters": {}}
    req = ROOM.read_request(body)
    assert ("$.input.prompt", req.messages[0]) in list(ROOM.places(req, body))
