"""Source maps: every place of a written body leads back to what it says, on every wire."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Options, Tool
from dragoman.analysis import explain, sourcemap
from dragoman.analysis.paths import walk
from dragoman.message import (
    Base64Source,
    ImageBlock,
    Origin,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)

PNG = Base64Source("image/png", "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB")
THOUGHT = ThinkingBlock("Hm.", "c2ln", origin=Origin("anthropic", "claude-opus-4-8"))
REQUEST = ChatRequest(
    [
        Msg("", "Be kind.", "system"),
        Msg("Bob", [TextBlock("What is this?"), ImageBlock(PNG)], "user"),
        Msg("Friday", [THOUGHT, TextBlock("I look."), ToolUseBlock("c1", "look_up", {"q": "x"})],
            "assistant"),
        Msg("", [ToolResultBlock("c1", "look_up", "a cat")], "tool"),
        Msg("Bob", "Sure?", "user"),
    ],
    tools=[Tool("look_up", "Looks.", {"type": "object", "properties": {"q": {"type": "string"}}})],
    options=Options(max_tokens=50, temperature=0.2),
)  # fmt: skip

WIRES = ["openai-chat", "openai-responses", "anthropic", "gemini", "dashscope", "ollama",
         "bedrock-converse", "mistral"]  # fmt: skip


def written(name: str, model: str | None = None) -> Any:
    wire = dragoman.wire(name, policy="ignore")
    return wire.write_request(REQUEST, model or wire.room.model)


# text in the body -> the path of the message or block that says it, on any wire
SAID = {
    "Be kind.": "$.messages[0]",
    "What is this?": "$.messages[1].content[0]",
    "I look.": "$.messages[2].content[1]",
    "a cat": "$.messages[3].content[0]",
    "Sure?": "$.messages[4]",
    "look_up": "$.messages[2].content[2]",
    "Looks.": "$.tools[0]",
}


@pytest.mark.parametrize("name", WIRES)
def test_every_text_leads_back_to_its_block(name: str) -> None:
    made = written(name)
    found = sourcemap(made)
    seen: dict[str, set[str]] = {}
    for way, value in walk(made.body):
        if isinstance(value, str) and value in SAID:
            path = "$" + "".join(f"[{s}]" if isinstance(s, int) else f".{s}" for s in way)
            seen.setdefault(value, set()).add(found.of(path).path)
    assert set(seen) >= set(SAID)
    for text, paths in seen.items():
        message = SAID[text].partition(".content")[0]
        whole = (message, f"{message}.content")  # a plain text stands for all of it
        near = [path for path in paths if path in whole or path.startswith(SAID[text])]
        assert near, (text, paths)
        if text not in ("look_up", "a cat"):
            assert len(near) == len(paths), (text, paths)


@pytest.mark.parametrize("name", [name for name in WIRES if name != "mistral"])
def test_media_lead_back_too(name: str) -> None:
    made = written(name, {"openai-chat": "gpt-5.5"}.get(name))
    found = sourcemap(made)
    for way, value in walk(made.body):
        if isinstance(value, str) and value.endswith(PNG.data):
            path = "$" + "".join(f"[{s}]" if isinstance(s, int) else f".{s}" for s in way)
            source = found.of(path)
            assert source.path.startswith("$.messages[1].content[1]")
            assert source.whose == "turn 1 of user Bob"
            assert "image block 1" in source.what
            return
    assert any(loss.code.startswith(("block", "media")) for loss in made.losses)


def test_what_and_whose_in_words() -> None:
    found = sourcemap(written("anthropic", "claude-opus-4-8"))
    thought = found.of("$.messages[1].content[0]")
    assert (thought.path, thought.what, thought.whose) == (
        "$.messages[2].content[0]", "thinking block 1, issued by anthropic",
        "turn 1 of assistant Friday",
    )  # fmt: skip
    assert thought.node is THOUGHT
    assert found.of("$.messages[2].content[0].tool_use_id").path == "$.messages[3].content[0].id"
    assert found.of("$.system").whose == "turn 1 of system"


def test_tools_and_options() -> None:
    found = sourcemap(written("gemini"))
    there = found.of("$.tools[0].functionDeclarations[0].parametersJsonSchema.properties.q")
    assert there.path == "$.tools[0].parameters.properties.q"
    assert found.of("$.generationConfig.maxOutputTokens").path == "$.options.max_tokens"


def test_what_was_added_is_no_option() -> None:
    made = dragoman.convert(
        {"model": "gpt-5.5", "messages": [{"role": "user", "content": "Hi"}]},
        "openai-chat", "anthropic", policy="ignore",
    )  # fmt: skip
    found = sourcemap(made).of("$.max_tokens")
    assert found.path == "$"
    assert found.what == "option max_tokens, which was not given"


def test_paths_are_those_of_the_body_that_was_read() -> None:
    body = {
        "model": "gpt-5.5", "max_completion_tokens": 9,
        "messages": [
            {"role": "system", "content": "S"},
            {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text",
                                                                          "text": "b"}]},
            {"role": "assistant", "content": "calls", "tool_calls": [{"id": "c1", "type":
                "function", "function": {"name": "f", "arguments": '{"x": 1}'}}]},
            {"role": "tool", "tool_call_id": "c1", "content": "r"},
        ],
    }  # fmt: skip
    found = sourcemap(dragoman.convert(body, "openai-chat", "anthropic", policy="ignore"))
    assert found.of("$.messages[0].content[1].text").path == "$.messages[1].content[1].text"
    assert found.of("$.messages[1].content[0]").path == "$.messages[2].content"
    there = found.of("$.messages[1].content[1].input").path
    assert there == "$.messages[2].tool_calls[0].function.arguments"
    assert found.of("$.messages[2].content[0]").path == "$.messages[3]"
    assert found.of("$.max_tokens").path == "$.max_completion_tokens"


def test_over_the_same_wire_a_place_is_itself() -> None:
    body = {"model": "gpt-5.5", "odd": {"a": [1]}, "temperature": "hot", "messages": [
        {"role": "user", "content": "a"}, {"role": "user", "content": [{"type": "odd"}]},
        {"role": "user", "content": "a"}]}  # fmt: skip
    wire = dragoman.wire("openai-chat", policy="ignore")
    found = sourcemap(wire.write_request(wire.read_request(body)))
    for path in ("$.odd.a[0]", "$.temperature", "$.messages[1].content[0].type", "$.messages[2]"):
        assert found.of(path).path == path
    assert found.of("$.messages[2].content").whose == "turn 3 of user"


@pytest.mark.parametrize("path", ["$", "$.nothing", "nonsense", "$[3]", ""])
def test_what_is_not_there_is_the_request(path: str) -> None:
    assert sourcemap(written("anthropic")).of(path).path == "$"


def test_all_paths_of_the_map_stand_in_the_body() -> None:
    made = written("bedrock-converse")
    rows = dict(sourcemap(made).paths())
    assert rows["$.messages[0].content[0]"].path == "$.messages[1].content[0]"
    assert "$.inferenceConfig.topP" not in rows


@pytest.mark.parametrize("given", [{}, None, "x", 5])
def test_what_was_not_written_has_no_sources(given: Any) -> None:
    for ask in (sourcemap, lambda odd: explain("bad request", odd)):
        with pytest.raises(dragoman.InvalidMessage, match="must be a Written") as caught:
            ask(given)
        assert "convert" in caught.value.hint
