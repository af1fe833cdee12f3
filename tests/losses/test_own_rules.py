"""A loss's fix and rule are about what was lost, and what nobody would miss is not `dropped`."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, DragomanError, LossRefused, Msg, Policy, Tool
from dragoman.cli.examples import examples
from dragoman.message import (
    AudioBlock,
    Base64Source,
    DocumentBlock,
    ImageBlock,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    VideoBlock,
)
from tests.each_case import each_case

MEDIA: dict[str, Any] = {
    "image": ImageBlock(Base64Source("image/tiff", "SUkqAA==")),
    "audio": AudioBlock(Base64Source("audio/odd", "UklGRg==")),
    "video": VideoBlock(Base64Source("video/odd", "AAAAAA==")),
    "document": DocumentBlock(Base64Source("application/odd", "AAAAAA==")),
}
LINKS: dict[str, Any] = {kind: type(block)(URLSource("gs://a/b")) for kind, block in MEDIA.items()}
TARGETS = [
    ("deepseek", "deepseek-chat"), ("deepseek/anthropic", "deepseek-flash"),
    ("openai-chat", "gpt-4"), ("openai-chat", "gpt-5.6"), ("openai-responses", "gpt-5.6"),
    ("anthropic", "claude-opus-5-5"), ("gemini", "gemini-4-pro"), ("ollama", "qwen3"),
    ("ollama", "qwen3-vl"), ("dashscope", "qwen3-max"), ("groq", "llama-4"),
    ("mistral", "mistral-small-latest"), ("cohere", "command-a-03-2025"),
    ("bedrock", "anthropic.claude-opus-5-5"), ("bedrock", "amazon.nova-2-lite"),
    ("xai", "grok-4"), ("moonshot", "kimi-k2"), ("zhipu", "glm-5"),
]  # fmt: skip


@each_case("seat", ["user", "assistant", "result"])
@each_case("blocks", [MEDIA, LINKS])
@each_case("kind", MEDIA)
@each_case(("name", "model"), TARGETS)
def test_what_is_said_of_a_medium_speaks_of_no_other(
    name: str, model: str, kind: str, blocks: dict[str, Any], seat: str
) -> None:
    block = blocks[kind]
    shown = {
        "user": [Msg.user([block, TextBlock("?")])],
        "assistant": [Msg.user("?"), Msg("F", [block, TextBlock("!")], "assistant"), Msg.user("?")],
        "result": [Msg.user("?"), Msg("F", [ToolUseBlock("c1", "f", {})], "assistant"),
                   Msg("s", [ToolResultBlock("c1", "f", [block])], "tool")],
    }[seat]  # fmt: skip
    out = dragoman.wire(name, policy="ignore").write_request(ChatRequest(shown), model)
    others = "|".join(other for other in MEDIA if other != kind)
    for loss in out.losses:
        if loss.code not in ("block.unsupported", "media.type", "media.source"):
            continue
        assert not re.search(rf'"({others})', loss.fix), loss.fix
        assert not re.search(r"(?i)think|reason", loss.rule), loss.rule
        assert loss.detach().fix == loss.fix


# -- a switch behind two turns -----------------------------------------------------------------


def answer(i: int, *items: dict[str, Any]) -> dict[str, Any]:
    return {"id": f"resp_{i}", "object": "response", "created_at": 1, "status": "completed",
            "model": "gpt-5.6", "output": list(items),
            "usage": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}}  # fmt: skip


def message(i: int) -> dict[str, Any]:
    text = {"type": "output_text", "text": "Hi.", "annotations": [], "logprobs": []}
    return {"id": f"msg_{i}", "type": "message", "status": "completed", "role": "assistant",
            "phase": "final_answer", "content": [text]}  # fmt: skip


def call(i: int) -> dict[str, Any]:
    return {"id": f"fc_{i}", "type": "function_call", "status": "completed", "call_id": f"c{i}",
            "name": "f", "arguments": "{}"}  # fmt: skip


def thought(i: int) -> dict[str, Any]:
    return {"id": f"rs_{i}", "type": "reasoning", "summary": [], "status": "completed",
            "encrypted_content": "gAAAA" + "x" * 40}  # fmt: skip


SWITCHES = [
    "anthropic",
    "gemini",
    "openai-chat",
    "deepseek",
    "bedrock",
    "ollama",
    "mistral",
    "cohere",
]


def history(thinks: bool) -> list[Msg]:
    wire = dragoman.wire("openai-responses", policy="ignore")
    begun = [thought(1)] if thinks else []
    first = wire.read_response(answer(1, *begun, call(1))).msg
    second = wire.read_response(answer(2, *begun, message(2))).msg
    result = Msg.tool("c1", "31 degrees", "f")
    return [Msg.user("Hi"), first, result, second, Msg.user("Go on.")]


@pytest.mark.parametrize("target", SWITCHES)
def test_a_switch_behind_two_turns_of_gpt_drops_nothing(target: str) -> None:
    strict = dragoman.wire(target, policy=Policy(refuse=("dropped",)))
    out = strict.write_request(ChatRequest(history(False)))
    left = [loss for loss in out.losses if loss.field.startswith("extras.")]
    assert left
    assert {(loss.kind, loss.weight) for loss in left} == {("expected", "trivial")}


@pytest.mark.parametrize("target", SWITCHES)
def test_what_matters_is_still_refused(target: str) -> None:
    strict = dragoman.wire(target, policy=Policy(refuse=("dropped",)))
    with pytest.raises(LossRefused) as raised:
        strict.write_request(ChatRequest(history(True)))
    assert {loss.code.partition(".")[0] for loss in raised.value.losses} == {"thinking"}


def test_a_field_that_somebody_would_miss_is_dropped() -> None:
    request = ChatRequest([Msg.user("Hi")], extras={"gemini": {"cachedContent": "c/1", "id": "x"}})
    out = dragoman.wire("openai-chat", policy="ignore").write_request(request, "gpt-5.6")
    kinds = {loss.field.rpartition(".")[2]: loss.kind for loss in out.losses}
    assert kinds == {"cachedContent": "dropped", "id": "expected"}


# -- a switch between every two makers ---------------------------------------------------------

CALLED = "Let me look."
# an answer with a call as each maker gives it, with all that its API puts beside what is said
ANSWERS: dict[str, dict[str, Any]] = {
    "openai-responses": answer(1, message(1), call(1)),
    "openai-chat": {
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "gpt-5.6",
        "service_tier": "default", "system_fingerprint": "fp_1", "choices": [{
            "index": 0, "logprobs": None, "finish_reason": "tool_calls", "message": {
                "role": "assistant", "content": CALLED, "refusal": None, "annotations": [],
                "tool_calls": [{"id": "c1", "type": "function",
                                "function": {"name": "f", "arguments": "{}"}}]}}]},
    "anthropic": {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-5-5",
        "stop_reason": "tool_use", "stop_sequence": None, "usage": {"input_tokens": 1,
        "output_tokens": 1}, "content": [
            {"type": "text", "text": CALLED, "citations": None},
            {"type": "tool_use", "id": "c1", "name": "f", "input": {},
             "caller": {"type": "direct"}}]},
    "gemini": {
        "responseId": "r1", "modelVersion": "gemini-3.8-flash", "candidates": [{
            "index": 0, "finishReason": "STOP", "content": {"role": "model", "parts": [
                {"text": CALLED, "thoughtSignature": "c2ln"},
                {"functionCall": {"id": "c1", "name": "f", "args": {}},
                 "thoughtSignature": "c2ln"}]}}]},
}  # fmt: skip


@pytest.mark.parametrize("second", ANSWERS)
@pytest.mark.parametrize("first", ANSWERS)
def test_a_switch_between_makers_with_tools_drops_nothing(first: str, second: str) -> None:
    """Two switches: what both makers left goes on to each of the four and to others."""
    history = [Msg.user("Hi")]
    for maker in (first, second):
        said = dragoman.wire(maker, policy="ignore").read_response(ANSWERS[maker]).msg
        history += [said, Msg.tool("c1", "31 degrees", "f"), Msg.user("Go on.")]
    for target in {*ANSWERS, *SWITCHES}:
        strict = dragoman.wire(target, policy=Policy(refuse=("dropped", "degraded")))
        strict.write_request(ChatRequest(list(history)))


@pytest.mark.parametrize("target", SWITCHES)
def test_a_remark_of_a_schema_that_binds_nobody_is_not_dropped(target: str) -> None:
    schema = {"type": "object", "properties": {}, "strict": True, "title": "F"}
    strict = dragoman.wire(target, policy=Policy(refuse=("dropped",)))
    strict.write_request(ChatRequest([Msg.user("Hi")], tools=[Tool("f", "F.", schema)]))


# -- every code, on every kind of wire -------------------------------------------------------------

TOPICS = {
    "image": r"\b(image|picture|photo)s?\b", "audio": r"\b(audio|sound)\b", "video": r"\bvideos?\b",
    "document": r"\b(documents?|pdfs?)\b", "citation": r"\bcitations?\b", "cache": r"\bcach\w+",
    "thinking": r"\b(thinking|thoughts?|reason\w*)\b", "schema": r"\bschemas?\b",
    "option": r"\b(temperature|top_p|top_k|service_tier)\b",
}  # fmt: skip
# of what else a code's rule or fix has to speak, and why
BESIDE = {
    "tool_choice.lowered": {"thinking"},  # a model that thinks takes no forced tool
    "tools.withheld": {"thinking"},  # the same, in the host's own words
    "turn.last": {"thinking"},  # a turn whose thinking is kept is not gone on with
    "option.refused": {"thinking"}, "option.ignored": {"thinking"},  # what thinks is not sampled
    "system.billing": {"cache"},  # a line that changes would end the cache of what is behind it
    "format.in_words": {"schema"},  # the words are `Wording.schema`
    "property_name.mapped": {"schema"}, "tool.strict": {"schema"},  # whose names, and of which
}  # fmt: skip


def topics(text: str) -> set[str]:
    return {name for name, words in TOPICS.items() if re.search(words, text, re.IGNORECASE)}


@each_case("code", examples())
def test_rule_and_fix_of_a_loss_speak_of_what_was_lost(code: str) -> None:
    """Its example, on its own wire and on those of all kinds."""
    example = examples()[code]
    for name, model in [(example.wire, example.model), *TARGETS]:
        try:
            losses = replace(example, wire=name, model=model).run().losses
        except DragomanError:
            continue
        for loss in losses:
            lost = f"{loss.code} {loss.meaning} {loss.what} {loss.where}".replace("_", " ")
            known = topics(lost.replace(".", " ")) | BESIDE.get(loss.code, set())
            if re.search("top_k|top_p|temperature|tier", f"{loss.what} {loss.where}"):
                known.add("option")
            if re.search("^(text|application)/", loss.what):
                known.add("document")
            for text in (loss.fix, loss.rule):
                if "Image understanding" not in text:  # the page's title names the whole of an API
                    assert topics(text) <= known, (loss, text)
