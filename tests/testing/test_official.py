"""The types of official SDKs find wrong values, deep in a body as well, and let more fields be."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dragoman.testing.official import official_faults
from tests.testing.calls import WARMTH, asked, written

JUDGED = ["anthropic", "openai-chat", "openai-responses"]


@pytest.mark.parametrize("name", JUDGED)
@pytest.mark.parametrize("stream", [False, True])
def test_what_we_write_is_right(name: str, stream: bool) -> None:
    _, out = written(name, asked(stream, tools=[WARMTH]))
    out.body["a_new_field"] = {"of": "tomorrow"}
    assert official_faults(name, json.dumps(out.body)) == []


@pytest.mark.parametrize(
    ("name", "body", "where"),
    [
        ("anthropic", {"model": "x", "messages": []}, "$.max_tokens: "),
        ("anthropic", {"model": "x", "max_tokens": 1, "messages": [{"role": "user"}]},
         "$.messages"),
        ("openai-chat", {"model": "x", "messages": [{"role": "user", "content": 7}]},
         "$.messages[0]: "),
        ("openai-chat", {"model": "x", "messages": [{"role": "user", "content": [{"type": "x"}]}]},
         "$.messages[0]"),
        ("openai-responses", {"model": "x", "input": 7}, "$.input"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_found(name: str, body: dict[str, Any], where: str) -> None:
    faults = official_faults(name, body)
    assert len(faults) == 1
    assert faults[0].startswith(where)
    assert "by the official types" in faults[0]


@pytest.mark.parametrize("headers", [None, {}, {"anthropic-version": "2023-06-01"}])
def test_values_of_a_beta_are_right_where_the_request_names_one(
    headers: dict[str, str] | None,
) -> None:
    _, out = written("anthropic", asked(stream=True, tools=[WARMTH]))
    body = {**out.body, "thinking": {"type": "adaptive", "display": "updates"}}
    beta = {"Anthropic-Beta": "thinking-display-updates-2026-08-18"}
    assert len(official_faults("anthropic", body, headers)) == 1
    assert official_faults("anthropic", body, {**(headers or {}), **beta}) == []
    wrong = {**body, "thinking": {"type": "adaptive", "display": "louder"}}
    assert len(official_faults("anthropic", wrong, beta)) == 1


def test_what_is_no_json_and_what_nobody_knows() -> None:
    assert official_faults("anthropic", b"{")
    assert official_faults("cohere", {"anything": True}) == []
