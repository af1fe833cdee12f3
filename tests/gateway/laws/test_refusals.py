"""An upstream's error before anything of an answer: told in the client's shape, with its status."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

from tests.each_case import each_case
from tests.gateway.corpus.kinds import CLIENTS, UPSTREAMS
from tests.gateway.corpus.requests import shape_faults

from .relaying import exchange_of

TEXT = "There are too many requests just now."
# how each kind of upstream says so
ERRORS: dict[str, Any] = {
    "openai-chat": {"error": {"message": TEXT, "type": "requests", "param": None,
                              "code": "rate_limit_exceeded"}},
    "openai-responses": {"error": {"message": TEXT, "type": "requests", "param": None,
                                   "code": "rate_limit_exceeded"}},
    "anthropic": {"type": "error", "error": {"type": "rate_limit_error", "message": TEXT}},
    "gemini": {"error": {"code": 429, "message": TEXT, "status": "RESOURCE_EXHAUSTED"}},
    "ollama": {"error": TEXT},
}  # fmt: skip


@each_case(("kind", "protocol"), [*product(UPSTREAMS, CLIENTS)])
def test_an_error_is_told_in_the_shape_of_the_client(kind: str, protocol: str) -> None:
    exchange = exchange_of(kind, protocol)
    error = exchange.read_failure(429, {"retry-after": "7"}, json.dumps(ERRORS[kind]).encode())
    answer = exchange.refusal(error)
    assert answer.status == 429
    if exchange.passes:
        assert json.loads(answer.body) == ERRORS[kind]
        return
    assert list(shape_faults(protocol, answer)) == []
    assert TEXT in answer.body.decode()
    assert answer.headers["retry-after"] == "7"
