"""A provider's failure in one word, and in the words of every other wire's clients."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dragoman import ProviderError, convert_stream, wire
from dragoman.error_kinds import error_kind
from tests.each_case import each_case


@each_case(
    ("code", "type", "status", "kind"),
    [
        ("context_length_exceeded", "invalid_request_error", 400, "context_overflow"),
        ("", "TOO_MANY_TOKENS", 400, "context_overflow"),
        ("insufficient_quota", "insufficient_quota", 429, "billing"),
        ("rate_limit_exceeded", "tokens", 429, "rate_limit"),
        ("", "overloaded_error", None, "overloaded"),
        ("", "throttlingException", None, "rate_limit"),
        ("429", "RESOURCE_EXHAUSTED", None, "rate_limit"),
        ("503", "", None, "overloaded"),
        ("", "invalid_request_error", 413, "too_large"),
        ("DataInspectionFailed", "", 400, "content_filter"),
        ("of_tomorrow", "of_tomorrow", 418, "invalid"),
        ("", "api_error", 500, "server"),
        ("token_quota_exceeded", "too_many_tokens_error", 429, "rate_limit"),
        ("", "too_many_tokens", 429, "rate_limit"),
        ("tool_use_failed", "invalid_request_error", 400, "no_answer"),
        ("", "usage_limit_reached", None, "rate_limit"),
        ("conversation_locked", "invalid_request_error", 409, "overloaded"),
        ("", "", 425, "overloaded"),
        ("", "", None, "other"),
        ("", "no_answer", 200, "no_answer"),
        ("²", "9" * 5000, None, "other"),
    ],
)
def test_the_word_says_more_than_the_status(
    code: str, type: str, status: int | None, kind: str
) -> None:
    assert error_kind(code, type, status) == kind
    assert ProviderError("no", code=code, type=type, status=status).kind == kind


def failed(code: str) -> list[dict[str, Any]]:
    """A response that begins, and fails for this reason."""
    head = {"id": "resp_1", "object": "response", "created_at": 1, "model": "gpt-6", "output": []}
    error = {"code": code, "message": "No."}
    return [
        {"type": "response.created", "response": {**head, "status": "in_progress"}},
        {"type": "response.failed", "response": {**head, "status": "failed", "error": error}},
    ]


# what clients look at to know whether to try again
SAID = {
    "anthropic": ("error", "type", {
        "context_length_exceeded": "invalid_request_error",
        "rate_limit_exceeded": "rate_limit_error",
        "server_error": "api_error",
        "insufficient_quota": "billing_error",
    }),
    "openai-chat": ("error", "code", {
        "context_length_exceeded": "context_length_exceeded",
        "insufficient_quota": "insufficient_quota",
        "server_is_overloaded": "server_is_overloaded",
    }),
    "gemini": ("error", "status", {
        "context_length_exceeded": "INVALID_ARGUMENT",
        "rate_limit_exceeded": "RESOURCE_EXHAUSTED",
        "server_error": "INTERNAL",
    }),
}  # fmt: skip


@pytest.mark.parametrize(
    ("target", "code"), [(name, code) for name, row in SAID.items() for code in row[2]]
)
def test_a_failure_is_said_in_the_clients_own_word(target: str, code: str) -> None:
    outer, key, words = SAID[target]
    events = convert_stream(failed(code), "openai-responses", target, policy="ignore")
    bodies = [json.loads(event.data) for event in events if event.data != "[DONE]"]
    errors = [body[outer] for body in bodies if outer in body]
    assert [error[key] for error in errors] == [words[code]]


def test_a_context_that_is_too_short_is_a_reason_to_end() -> None:
    decoder = wire("openai/openai-responses").stream_decoder()
    for event in failed("context_length_exceeded"):
        decoder.feed(event)
    resp = decoder.finish()
    assert (resp.finish.reason, resp.finish.raw, resp.status) == (
        "context_overflow", "failed", "error",
    )  # fmt: skip
    assert resp.error is not None
    assert resp.error.kind == "context_overflow"


def test_a_response_says_why_it_failed() -> None:
    error = {"type": "error", "error": {"type": "rate_limit_error", "message": "Slowly."}}
    decoder = wire("anthropic").stream_decoder()
    start = {"type": "message_start", "message": {"id": "m", "type": "message", "content": [],
             "role": "assistant", "model": "claude-opus-5-5", "usage": {}}}  # fmt: skip
    for event in (start, error):
        decoder.feed(event)
    written = wire("openai/openai-responses", policy="ignore").write_response(decoder.finish())
    said: Any = written.body
    assert said["error"] == {"code": "rate_limit_exceeded", "message": "Slowly."}
