"""Where in a body of Chat Completions the nodes of the request stand."""

from __future__ import annotations

import re
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest
from dragoman.losses import Field
from tests.each_case import each_case

from .bodies import BODIES, FIELDS, HI, LOOK, MARK, MESSAGES, PARTS, WIRE, body, read

STEP = re.compile(r"\.([A-Za-z_]\w*)|\[(\d+)\]")


def placed(told: dict[str, Any]) -> tuple[ChatRequest, list[tuple[str, object]]]:
    req = read(told)
    return req, [*dragoman.wire(WIRE).room.places(req, told)]


def at(told: Any, path: str) -> Any:
    for name, index in STEP.findall(path):
        told = told[name] if name else told[int(index)]
    return told


def picked(req: ChatRequest, node: str) -> Any:
    """A node of a request by a short name; of messages the first, of blocks and tools, too."""
    if node in ("block", "source"):
        block: Any = req.messages[0].blocks[0]
        return block if node == "block" else block.source
    return req.tools[0] if node == "tool" else getattr(req, node)


def place(told: dict[str, Any], node: str, name: str = "") -> str:
    """Where the node, or the field of it with this name, stands."""
    req, rows = placed(told)
    wanted = picked(req, node)
    fields = {(id(one.node), one.name): path for path, one in rows if isinstance(one, Field)}
    nodes = {(id(one), ""): path for path, one in rows}
    return {**fields, **nodes}[id(wanted), name]


@each_case("told", BODIES.values())
def test_every_node_has_a_place_that_is_there(told: dict[str, Any]) -> None:
    req, rows = placed(told)
    for path, node in rows:
        if not isinstance(node, Field):
            at(told, path)
    places = {id(node) for _, node in rows}
    for m in req.messages if isinstance(told["messages"], list) else ():
        blocks: list[Any] = m.content if isinstance(m.content, list) else []
        outputs = [block.output for block in blocks if block.type == "tool_result"]
        inner = [one for output in outputs if isinstance(output, list) for one in output]
        nodes = [m, *blocks, *inner]
        nodes += [one.source for one in nodes if getattr(one, "source", None) is not None]
        assert [node for node in nodes if id(node) not in places] == []


@each_case(
    ("message", "name", "path"),
    [
        (MESSAGES["call"], "", "tool_calls[0]"),
        (MESSAGES["call"], "name", "tool_calls[0].function.name"),
        (MESSAGES["call"], "input", "tool_calls[0].function.arguments"),
        (MESSAGES["function call"], "input", "function_call.arguments"),
        (MESSAGES["custom call"], "", "tool_calls[0]"),
        (MESSAGES["result"], "output", "content"),
        (MESSAGES["result"], "id", "tool_call_id"),
        (MESSAGES["thought"], "thinking", "reasoning_content"),
        (MESSAGES["details"], "", "reasoning_details[0]"),
        (MESSAGES["details"], "thinking", "reasoning_details[0].text"),
        (MESSAGES["proof beside a thought"], "thinking", "reasoning_content"),
        (MESSAGES["refusal"], "", "refusal"),
        (MESSAGES["refusing part"], "text", "content[0].refusal"),
        ({"role": "user", "content": [PARTS["image with detail"]]}, "detail",
         "content[0].image_url.detail"),
        ({"role": "user", "content": [PARTS["file in data"]]}, "title",
         "content[0].file.filename"),
        ({"role": "user", "content": [PARTS["marked text"]]}, "cache",
         "content[0].cache_control"),
    ],
)  # fmt: skip
def test_blocks(message: dict[str, Any], name: str, path: str) -> None:
    assert place(body(message), "block", name) == f"$.messages[0].{path}"


@pytest.mark.parametrize(
    ("part", "path"),
    [("image", "image_url.url"), ("video", "video_url.url"), ("sound", "input_audio.data"),
     ("file", "file.file_id"), ("file in data", "file.file_data")],
)  # fmt: skip
def test_sources(part: str, path: str) -> None:
    told = body({"role": "user", "content": [PARTS[part]]})
    assert place(told, "source") == f"$.messages[0].content[0].{path}"


@pytest.mark.parametrize(
    ("fields", "node", "name", "path"),
    [
        ({"max_tokens": 5}, "options", "max_tokens", "$.max_tokens"),
        ({"stop": "END"}, "options", "stop", "$.stop"),
        ({"reasoning": {"effort": "low"}}, "options", "reasoning", "$.reasoning.effort"),
        ({"thinking": {"type": "adaptive"}}, "options", "reasoning", "$.thinking.type"),
        ({"tools": [LOOK]}, "tool", "", "$.tools[0]"),
        ({"tools": [LOOK]}, "tool", "parameters", "$.tools[0].function.parameters"),
        ({"tools": [{**LOOK, **MARK}]}, "tool", "cache", "$.tools[0].cache_control"),
        ({"functions": [LOOK["function"]]}, "tool", "name", "$.functions[0].name"),
        (FIELDS["some"], "tool_choice", "allowed", "$.tool_choice.allowed_tools.tools"),
        (FIELDS["one"], "tool_choice", "name", "$.tool_choice.function.name"),
        ({"function_call": {"name": "a"}}, "tool_choice", "name", "$.function_call.name"),
        (FIELDS["one by one"], "tool_choice", "parallel", "$.parallel_tool_calls"),
        (FIELDS["schema"], "response_format", "schema", "$.response_format.json_schema.schema"),
    ],
)
def test_fields(fields: dict[str, Any], node: str, name: str, path: str) -> None:
    assert place(body(**fields), node, name) == path


def test_losses_name_places_of_the_body_that_was_read() -> None:
    told = body({**HI, "x": 1}, top_k=3, seed=1, reasoning={"effort": "low", "summary": "auto"})
    out = dragoman.wire("anthropic", policy="ignore").write_request(
        dragoman.wire(WIRE).read_request(told), model="claude-opus-5-5"
    )
    where = {loss.where for loss in out.losses}
    assert {"$.messages[0].x", "$.seed", "$.reasoning.summary"} <= where
