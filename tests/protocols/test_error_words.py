"""An error of another provider is written in the words of the client's own wire."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman import ProviderError, wire
from dragoman.losses import Report
from dragoman.message import ChatResponse
from dragoman.stream.pieces import Failed, provider_error
from tests.each_case import each_case

SLOW = {"type": "error", "error": {"type": "rate_limit_error", "message": "slow"}}
BUSY = {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}
LONG = {"error": {"message": "long", "type": "invalid_request_error",
                  "code": "context_length_exceeded"}}  # fmt: skip
ABSENT = {"error": {"code": 404, "message": "gone", "status": "NOT_FOUND"}}
KEY = {"code": "InvalidApiKey", "message": "Invalid API-key provided.", "request_id": "q"}
LIMITED = {"object": "error", "message": "Rate limit exceeded", "type": "rate_limited",
           "param": None, "code": "1300", "raw_status_code": 429}  # fmt: skip
DOWN = {"error": {"message": "down", "type": "server_error", "code": None}}
WORDS: dict[str, list[tuple[Any, Any]]] = {
    "mistral": [
        (SLOW, ("rate_limited", "1300")), (BUSY, ("service_tier_capacity_exceeded", "3505")),
        (LONG, ("invalid_request_error", None)), (ABSENT, ("invalid_model", "1500")),
        (KEY, ("api_error", None)), (DOWN, ("api_error", None)),
    ],
    "dashscope": [
        (SLOW, "Throttling.RateQuota"), (LIMITED, "Throttling.RateQuota"),
        (BUSY, "ServiceUnavailable"), (LONG, "InvalidParameter"), (ABSENT, "Model.NotExist"),
        (KEY, "InvalidApiKey"), (DOWN, "InternalError"),
    ],
    "gemini-interactions": [
        (SLOW, "rate_limit_exceeded"), (LIMITED, "rate_limit_exceeded"), (BUSY, "unavailable"),
        (LONG, "invalid_request"), (ABSENT, "not_found"), (KEY, "authentication"),
        (DOWN, "internal"),
    ],
    "cohere": [(SLOW, None), (LIMITED, None), (LONG, "TOO_MANY_TOKENS"), (KEY, None), (DOWN, None)],
}  # fmt: skip


def word_of(name: str, body: Any) -> Any:
    """The client's word in an error that was written."""
    if name == "mistral":
        return body["type"], body["code"]
    if name == "gemini-interactions":
        return body["error"]["code"]
    return body.get("error_type") if name == "cohere" else body["code"]


ROWS = [(name, body, word) for name, rows in WORDS.items() for body, word in rows]


@each_case(("name", "body", "word"), ROWS)
def test_in_the_words_of_the_client(name: str, body: Any, word: Any) -> None:
    error: ProviderError = provider_error(body)
    resp = ChatResponse([], status="error", error=error)
    whole = wire(name, policy="ignore").write_response(resp).body
    assert word_of(name, whole) == word
    encoder = wire(name).room.encoder(Report())
    events = [*encoder.feed(Failed(error)), *encoder.finish()]
    bodies = [data for _, data in events if isinstance(data, dict)]
    bodies = [data["delta"] if name == "cohere" else data for data in bodies if len(data) > 1]
    [failed] = [data for data in bodies if data.keys() & {"error", "code"}]
    assert word_of(name, failed) == word


@each_case(("name", "body", "word"), ROWS)
def test_the_word_means_the_same(name: str, body: Any, word: Any) -> None:
    resp = ChatResponse([], status="error", error=provider_error(body))
    whole = wire(name, policy="ignore").write_response(resp).body
    kind, before = provider_error(whole).kind, provider_error(body).kind
    vague = word in (None, "api_error", ("api_error", None))
    # of what is not there, some wires have a word for models alone
    same = kind == before or (before, kind) == ("not_found", "model_not_found")
    assert same or vague or (before == "context_overflow" and kind == "invalid")


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("mistral", LIMITED),
        ("mistral", {"detail": "Unauthorized"}),
        ("dashscope", KEY),
        ("gemini-interactions", {"error": {"code": "parameter_unknown", "message": "x"}}),
        ("cohere", {"message": "too long", "id": "1", "error_type": "TOO_MANY_TOKENS"}),
    ],
)
def test_its_own_error_goes_as_it_came(name: str, body: Any) -> None:
    resp = ChatResponse([], status="error", error=provider_error(body))
    assert wire(name, policy="ignore").write_response(resp).body == body
