"""Paths that some provider has and the gateway does not: told by their name."""

from __future__ import annotations

import json

import pytest

from dragoman import ReadError
from dragoman.gateway.config.config_values import config_for
from tests.gateway.exchange.opening import asked, begun, refused

BODY = {"model": "gpt-6-luna", "input": "It is 30 degrees.",
        "questions": [{"type": "predicate", "instructions": "Is it warm?"}]}  # fmt: skip


@pytest.mark.parametrize("path", ["/v1/decisions", "/v1beta/decisions", "/v1/Decisions/"])
def test_the_decisions_api_is_told_by_its_name(path: str) -> None:
    answer = refused(config_for("openai/x"), asked(path, BODY))
    message = json.loads(answer.body)["error"]["message"]
    assert "the decisions API (choice, score, predicate) is converted for nobody" in message
    assert "pass_through" in message
    assert answer.status == 404


def test_a_request_of_it_at_another_path_is_refused_too() -> None:
    exchange = begun(config_for("anthropic/x"), asked("/v1/responses", BODY))
    with pytest.raises(ReadError, match="decisions API"):
        exchange.call()
