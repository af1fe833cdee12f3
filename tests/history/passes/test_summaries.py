"""A block that sums up earlier turns: as text to other providers, if anybody can read it."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman

HI = {"role": "user", "content": "Go on."}
TARGETS = ("openai-chat", "openai-responses", "gemini", "bedrock", "mistral", "cohere", "ollama",
           "dashscope", "deepseek")  # fmt: skip


def claude(block: dict[str, Any]) -> dict[str, Any]:
    return {"model": "m", "max_tokens": 9, "messages": [
        HI, {"role": "assistant", "content": [block]}, HI]}  # fmt: skip


@pytest.mark.parametrize("target", TARGETS)
def test_a_plain_summary_is_told_as_text(target: str) -> None:
    body = claude({"type": "compaction", "content": "The user wants it done."})
    out = dragoman.convert(body, "anthropic", target, policy="ignore")
    assert "The user wants it done." in str(out.body)
    assert ("media.as_text", "$.messages[1].content[0]") in [(x.code, x.where) for x in out.losses]


@pytest.mark.parametrize("target", TARGETS)
def test_a_sealed_one_is_left_out_with_its_reason(target: str) -> None:
    sealed = {"type": "compaction", "encrypted_content": "gAAA"}
    for source, body, where in (
        ("anthropic", claude(sealed), "$.messages[1].content[0]"),
        ("openai-responses", {"model": "m", "input": [HI, sealed, HI]}, "$.input[1]"),
    ):
        if source == target:
            continue
        out = dragoman.convert(body, source, target, policy="ignore")
        assert "gAAA" not in str(out.body)
        assert ("summary.sealed", where) in [(loss.code, loss.where) for loss in out.losses]


def test_both_go_back_as_they_came() -> None:
    wire = dragoman.wire("anthropic", policy="ignore")
    for block in (
        {"type": "compaction", "content": "So far."},
        {"type": "compaction", "encrypted_content": "gAAA"},
    ):
        assert wire.write_request(wire.read_request(claude(block))).body == claude(block)
