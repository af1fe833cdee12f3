"""What agents' requests hold that others do not, in small bodies of our own."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

import dragoman
from tests.contract.judges import judge_request
from tests.contract.strict import WIRES, validate
from tests.each_case import each_case

MODELS = {"openai-chat": "gpt-5.5", "openai-responses": "gpt-5.6", "anthropic": "claude-opus-5-5",
          "gemini": "gemini-3.5-flash"}  # fmt: skip
USER: dict[str, Any] = {"type": "message", "role": "user",
                        "content": [{"type": "input_text", "text": "Make it final."}]}  # fmt: skip
CUSTOM = {"type": "custom_tool_call", "call_id": "call_1", "name": "exec", "namespace": "functions",
          "input": "sed -i s/draft/final/ notes.txt"}  # fmt: skip
OUTPUT = {"type": "custom_tool_call_output", "call_id": "call_1", "output": "done\n"}
TOOLS = {"type": "additional_tools", "role": "developer", "tools": [
    {"type": "namespace", "name": "functions", "description": "", "tools": [
        {"type": "custom", "name": "exec", "description": "Runs.", "format": {"type": "text"}},
        {"type": "function", "name": "wait", "description": "Waits.", "strict": False,
         "parameters": {"type": "object", "properties": {"ms": {"type": "number"}}}},
    ]},
]}  # fmt: skip
CODEX: dict[str, Any] = {
    "model": "gpt-5.6", "stream": True, "store": False, "tool_choice": "auto",
    "parallel_tool_calls": False, "input": [TOOLS, USER, CUSTOM, OUTPUT],
    "include": ["reasoning.encrypted_content"], "reasoning": {"effort": "low", "summary": "auto"},
}  # fmt: skip


def converted(body: dict[str, Any], target: str) -> Any:
    return dragoman.convert(deepcopy(body), "openai-responses", target, policy="ignore",
                            model=MODELS.get(target))  # fmt: skip


@pytest.mark.parametrize("target", ["anthropic", "openai-chat", "gemini", "deepseek"])
def test_tools_that_stand_in_the_input_are_offered_with_their_choice(target: str) -> None:
    body = converted(CODEX, target).body
    if target == "gemini":
        (group,) = body["tools"]
        names = [tool["name"] for tool in group["functionDeclarations"]]
        assert body["toolConfig"]["functionCallingConfig"]["mode"] == "AUTO"
    else:
        entries = [tool.get("function") or tool.get("custom") or tool for tool in body["tools"]]
        names = [tool["name"] for tool in entries]
        assert body["tool_choice"] in ("auto", {"type": "auto", "disable_parallel_tool_use": True})
    if target == "openai-chat":
        assert body["parallel_tool_calls"] is False
    assert names == ["functions__exec", "functions__wait"]


@each_case("choice", [{"tool_choice": "auto"}, {}])
@each_case("target", WIRES)
def test_a_compaction_has_calls_and_no_tools(target: str, choice: dict[str, Any]) -> None:
    """The history is told whole, for a summary; nobody may call anything."""
    call = {"type": "function_call", "call_id": "call_2", "name": "wait", "arguments": "{}"}
    said = {"type": "function_call_output", "call_id": "call_2", "output": "done"}
    asks = {**USER, "content": [{"type": "input_text", "text": "Sum it up."}]}
    kept = {key: CODEX[key] for key in ("model", "stream", "store")}
    body = {**kept, **choice, "tools": [], "input": [USER, CUSTOM, OUTPUT, call, said, asks]}
    out = converted(body, target)
    if target != "openai-responses":
        assert judge_request(target, out.body) == []
    assert validate(target, out.body, model=out.model) == []
    assert "final/ notes.txt" in str(out.body)
    dropped = [(loss.code, loss.where) for loss in out.losses if loss.weight == "major"]
    assert dropped == []
    wire = dragoman.wire("openai-responses", policy="ignore")
    assert wire.write_request(wire.read_request(body)).body == body
