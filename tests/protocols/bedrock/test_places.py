"""Where the nodes of a read request stand in its body."""

from __future__ import annotations

import re
from typing import Any

from dragoman.losses import Field
from dragoman.message import places as tree
from dragoman.protocols.bedrock import BedrockConverse

ROOM = BedrockConverse()
POINT = {"cachePoint": {"type": "default"}}
BODY: dict[str, Any] = {
    "modelId": "m",
    "system": [{"text": "Be kind."}, POINT],
    "messages": [
        {"role": "user", "content": [
            {"text": "Look"}, POINT,
            {"document": {"format": "pdf", "name": "Plan", "source": {"bytes": "JVBERi0="}}},
            {"guardContent": {"text": {"text": "Guard me"}}}, {"searchResult": {}}]},
        {"role": "assistant", "content": [
            {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "c2ln"}}},
            {"citationsContent": {"content": [{"text": "So."}], "citations": [{"title": "T"}]}},
            {"toolUse": {"toolUseId": "t1", "name": "look", "input": {}}}]},
        {"role": "user", "content": [{"toolResult": {"toolUseId": "t1", "status": "error",
            "content": [{"text": "a"}, POINT,
                        {"image": {"format": "png", "source": {"bytes": "AA"}}}]}}]},
        {"role": "other"},
    ],
    "inferenceConfig": {"maxTokens": 9, "stopSequences": ["#"]},
    "additionalModelRequestFields": {"thinking": {"type": "adaptive"}},
    "outputConfig": {"textFormat": {"type": "json_schema", "structure": {
        "jsonSchema": {"schema": "{}", "name": "n"}}}},
    "toolConfig": {
        "tools": [{"toolSpec": {"name": "look", "inputSchema": {"json": {}}}}, POINT,
                  {"systemTool": {"name": "nova_grounding"}}, {"mystery": 1}],
        "toolChoice": {"tool": {"name": "look"}},
    },
}  # fmt: skip


def at(path: str) -> Any:
    """What stands at a path of the body. Raises LookupError if nothing does."""
    value: Any = BODY
    for key, index in re.findall(r"\.(\w+)|\[(\d+)\]", path):
        value = value[int(index)] if index else value[key]
    return value


def test_every_node_has_a_place_that_is_there() -> None:
    req = ROOM.read_request(BODY, None)
    rows = list(ROOM.places(req, BODY))
    placed = {
        id(node) for path, node in rows if not isinstance(node, Field) and at(path) is not None
    }
    missing = [path for path, node in tree(req.messages, req) if id(node) not in placed]
    assert missing == ["$.options"]


def test_fields_that_stand_elsewhere_have_a_row() -> None:
    req = ROOM.read_request(BODY, None)
    fields = {}
    for path, node in ROOM.places(req, BODY):
        if isinstance(node, Field):
            fields[id(node.node), node.name] = path
    prompt, ask, answer, results, _ = req.messages
    text, paper, guarded, _ = ask.blocks
    thought, cited, call = answer.blocks
    (result,) = results.blocks
    assert fields[id(prompt.blocks[0]), "cache"] == "$.system[1].cachePoint"
    assert fields[id(text), "cache"] == "$.messages[0].content[1].cachePoint"
    assert fields[id(paper), "title"] == "$.messages[0].content[2].document.name"
    assert at(fields[id(guarded), "text"]) == "Guard me"
    assert at(fields[id(thought), "signature"]) == "c2ln"
    assert at(fields[id(cited), "text"]) == [{"text": "So."}]
    assert at(fields[id(call), "id"]) == "t1"
    assert at(fields[id(result), "is_error"]) == "error"
    assert at(fields[id(req.options), "max_tokens"]) == 9
    assert at(fields[id(req.options), "reasoning"]) == "adaptive"
    assert at(fields[id(req.tool_choice), "name"]) == "look"
    assert at(fields[id(req.response_format), "schema"]) == "{}"
    assert at(fields[id(req.tools[0]), "cache"]) == {"type": "default"}
    assert at(fields[id(req), "model"]) == "m"
