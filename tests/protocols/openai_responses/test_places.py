"""Where in a body the nodes of its request stand."""

from __future__ import annotations

import re
from typing import Any

from dragoman import convert
from dragoman.losses import Field
from dragoman.message import ImageBlock, TextBlock, ToolResultBlock, ToolUseBlock

from .writing import OWN, wire

PIXEL = "data:image/png;base64,iVBORw0KGgo="
BODY: dict[str, Any] = {
    "model": "gpt-5.6",
    "instructions": "Be brief.",
    "max_output_tokens": 50,
    "user": "u1",
    "reasoning": {"effort": "low"},
    "text": {"format": {"type": "json_object"}},
    "tools": [
        {"type": "function", "name": "look", "parameters": {}},
        {"type": "web_search", "filters": {"allowed_domains": ["a.b"]}},
    ],
    "tool_choice": "auto",
    "parallel_tool_calls": False,
    "input": [
        {
            "role": "user",
            "content": [
                {"type": "input_text", "text": "Look:"},
                {"type": "input_image", "image_url": PIXEL},
                {"type": "input_file", "file_id": "file_1", "prompt_cache_breakpoint":
                 {"mode": "explicit"}},
            ],
        },
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}]},
        {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "content": [
                {"type": "hologram"},
                {"type": "output_text", "text": "So.", "annotations": [
                    {"type": "url_citation", "url": "https://a.b"}]},
                {"type": "refusal", "refusal": "No."},
            ],
        },
        {"role": "assistant", "content": "And so."},
        {"type": "function_call", "call_id": "call_1", "name": "look", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "call_1", "output": "A cat."},
        {"type": "function_call_output", "call_id": "call_1", "output": [
            {"type": "input_text", "text": "A dog."}]},
        {"type": "compaction_trigger"},
        {"role": "user", "content": "On"},
    ],
}  # fmt: skip


def rows(body: dict[str, Any]) -> tuple[Any, list[tuple[str, Any]]]:
    room = wire().room
    req = room.read_request(body)
    return req, list(room.places(req, body))


def value(path: str) -> Any:
    """What stands at the path."""
    found: Any = BODY
    for key, at in re.findall(r"\.(\w+)|\[(\d+)]", path):
        found = found[key] if key else found[int(at)]
    return found


def places(node: Any, field: str | None = None) -> list[str]:
    """Where the node of the request in `ROWS`, or its field, stands."""
    if field is None:
        return [path for path, one in ROWS if one is node]
    return [path for path, one in ROWS
            if isinstance(one, Field) and one.node is node and one.name == field]  # fmt: skip


REQ, ROWS = rows(BODY)
SHOWN, TURN, RESULTS, TRIGGER, LAST = REQ.messages[1:]


def test_messages() -> None:
    assert [places(m) for m in REQ.messages] == [
        ["$.instructions"], ["$.input[0]"], ["$.input[1]"], ["$.input[5]"], ["$.input[7]"],
        ["$.input[8]"],
    ]  # fmt: skip
    assert places(REQ.messages[0], "content") == ["$.instructions"]


def test_blocks() -> None:
    assert [places(block) for m in (SHOWN, TURN, RESULTS, TRIGGER) for block in m.blocks] == [
        ["$.input[0].content[0]"],
        ["$.input[0].content[1]"],
        ["$.input[0].content[2]"],
        ["$.input[1]"],
        ["$.input[2].content[1]"],
        ["$.input[2].content[2]"],
        ["$.input[3]"],
        ["$.input[4]"],
        ["$.input[5]"],
        ["$.input[6]"],
        ["$.input[7]"],
    ]


def test_every_path_leads_to_what_was_read() -> None:
    for path, node in ROWS:
        if isinstance(node, TextBlock):
            told = value(path)
            assert node.text in (told.get("text"), told.get("content"))
        elif isinstance(node, ToolUseBlock):
            assert value(path)["name"] == node.name
        elif isinstance(node, ImageBlock):
            assert value(path)["image_url"] == PIXEL


def test_fields_that_have_another_name_in_the_body() -> None:
    _, image, file = SHOWN.blocks
    thought, said, refusal, bare, call = TURN.blocks
    assert places(image.source) == ["$.input[0].content[1].image_url"]
    assert places(image, "source") == ["$.input[0].content[1]"]
    assert places(file.source) == ["$.input[0].content[2].file_id"]
    assert places(file, "cache") == ["$.input[0].content[2].prompt_cache_breakpoint"]
    assert places(thought, "thinking") == ["$.input[1].summary"]
    assert places(said, f"extras.{OWN}.id") == ["$.input[2].id"]
    assert places(said.citations[0]) == ["$.input[2].content[1].annotations[0]"]
    assert places(refusal, "text") == ["$.input[2].content[2].refusal"]
    assert places(bare, "text") == ["$.input[3].content"]
    assert places(call, "input") == ["$.input[4].arguments"]
    assert places(call, "id") == ["$.input[4].call_id"]
    inner = next(b for b in RESULTS.blocks if isinstance(b.output, list))
    assert isinstance(inner, ToolResultBlock)
    assert places(inner.output[0]) == ["$.input[6].output[0]"]  # type: ignore[index]


def test_fields_of_the_request() -> None:
    assert places(REQ) == places(REQ.options) == ["$"]
    assert places(REQ.options, "max_tokens") == ["$.max_output_tokens"]
    assert places(REQ.options, "user") == ["$.user"]
    assert places(REQ.options, "reasoning") == ["$.reasoning.effort"]
    assert [places(tool) for tool in REQ.tools] == [["$.tools[0]"], ["$.tools[1]"]]
    assert places(REQ.tools[1], "domains") == ["$.tools[1].filters.allowed_domains"]
    assert places(REQ.tool_choice) == ["$.tool_choice"]
    assert places(REQ.tool_choice, "parallel") == ["$.parallel_tool_calls"]
    assert places(REQ.response_format) == ["$.text.format"]


def test_the_fields_of_a_schema() -> None:
    form = {"type": "json_schema", "name": "n", "schema": {"type": "object"}, "strict": True}
    req, found = rows({"input": "Hi", "text": {"format": form}})
    told = {node.name: path for path, node in found
            if isinstance(node, Field) and node.node is req.response_format}  # fmt: skip
    assert {name: form[path.removeprefix("$.text.format.")] for name, path in told.items()
            if name != "description"} == {"name": "n", "schema": {"type": "object"},
                                          "strict": True}  # fmt: skip


def test_an_input_of_text() -> None:
    req, found = rows({"input": "Hi", "parallel_tool_calls": True})
    assert ("$.input", req.messages[0]) in found
    assert ("$.parallel_tool_calls", req.tool_choice) in found


def test_losses_name_places_of_the_body() -> None:
    lost = {loss.where for loss in convert(BODY, "openai-responses", "ollama").losses}
    assert {"$.input[2].content[1].annotations", "$.input[2].id", "$.input[7]"} <= lost
    assert not any("messages" in path for path in lost)
