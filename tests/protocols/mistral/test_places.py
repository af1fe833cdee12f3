"""Where the nodes of a read request stand in its body."""

from __future__ import annotations

import re
from typing import Any

from dragoman.losses import Field
from dragoman.message import places as tree
from dragoman.protocols.mistral import Mistral

ROOM = Mistral()
BODY: dict[str, Any] = {
    "model": "m",
    "messages": [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": [
            {"type": "text", "text": "Look"},
            {"type": "image_url", "image_url": {"url": "https://a.example/", "detail": "low"}},
            {"type": "document_url", "document_url": "https://a.example/", "document_name": "D"},
            {"type": "file", "file_id": "f"}, {"type": "input_audio", "input_audio": "AAAA"}]},
        {"role": "assistant", "content": "Hm.", "tool_calls": [
            {"id": "a", "function": {"name": "look", "arguments": "{}"}}, {"odd": 1}]},
        {"role": "tool", "tool_call_id": "a", "content": [{"type": "text", "text": "Blue"}]},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": []}]},
        {"role": "other"},
    ],
    "tools": [{"type": "function", "function": {"name": "look"}}, {"type": "web_search"}],
    "tool_choice": {"type": "function", "function": {"name": "look"}},
    "response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": {}}},
    "random_seed": 7, "stop": "#", "prompt_mode": "reasoning",
}  # fmt: skip


def at(path: str) -> Any:
    """What stands at a path of the body. Raises LookupError if nothing does."""
    value: Any = BODY
    for key, index in re.findall(r"\.(\w+)|\[(\d+)\]", path):
        value = value[int(index)] if index else value[key]
    return value


def test_every_node_has_a_place_that_is_there() -> None:
    req = ROOM.read_request(BODY)
    rows = [row for row in ROOM.places(req, BODY) if not isinstance(row[1], Field)]
    placed = {id(node) for path, node in rows if at(path) is not None}
    missing = [path for path, node in tree(req.messages, req) if id(node) not in placed]
    assert missing == ["$.options"]


def test_fields_that_stand_elsewhere_have_a_row() -> None:
    req = ROOM.read_request(BODY)
    rows = ROOM.places(req, BODY)
    fields = {(id(n.node), n.name): path for path, n in rows if isinstance(n, Field)}
    _, ask, answer, results, _, _ = req.messages
    _, image, paper, *_ = ask.blocks
    text, call, _ = answer.blocks
    assert at(fields[id(image), "detail"]) == "low"
    assert at(fields[id(paper), "title"]) == "D"
    assert at(fields[id(text), "text"]) == "Hm."
    assert at(fields[id(call), "input"]) == "{}"
    assert at(fields[id(call), "name"]) == "look"
    assert at(fields[id(results.blocks[0]), "id"]) == "a"
    assert at(fields[id(req.options), "seed"]) == 7
    assert at(fields[id(req.options), "reasoning"]) == "reasoning"
    assert at(fields[id(req.tool_choice), "name"]) == "look"
    assert at(fields[id(req.response_format), "schema"]) == {}
    assert at(fields[id(req.tools[0]), "name"]) == "look"
