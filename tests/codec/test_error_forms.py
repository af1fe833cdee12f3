"""An error in a form of a proxy's own, with a good status: on every wire it is the error it is."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman import ProviderError, ReadError, wire
from tests.each_case import each_case

WIRES = ["openai-chat", "openai-responses", "anthropic", "gemini", "gemini-interactions",
         "mistral", "cohere", "dashscope", "ollama", "bedrock"]  # fmt: skip
LIMIT = "Rate limit exceeded"
FORMS: dict[str, dict[str, Any]] = {
    "text": {"error": LIMIT},
    "object": {"error": {"message": LIMIT}},
    "message": {"message": LIMIT},
    "code and msg": {"code": 500, "msg": LIMIT, "success": False},
    "detail": {"detail": LIMIT},
    "errors": {"errors": [{"message": LIMIT}], "success": False},
    "error_msg": {"error_code": 18, "error_msg": LIMIT},
    "base_resp": {"base_resp": {"status_code": 1002, "status_msg": LIMIT}},
    "status and msg": {"status": "449", "msg": LIMIT, "body": None},
    "success": {"success": False, "message": LIMIT, "data": None},
    "Response": {"Response": {"Error": {"Code": "LimitExceeded", "Message": LIMIT}}},
    "errorMessage": {"errorCode": 1, "errorMessage": LIMIT},
    "fault": {"fault": {"faultstring": LIMIT, "detail": {"errorcode": "policies.ratelimit"}}},
}


@each_case("form", FORMS)
@each_case("name", WIRES)
def test_an_error_in_place_of_an_answer(name: str, form: str) -> None:
    with pytest.raises(ProviderError) as raised:
        wire(name).read_response(FORMS[form], status=200)
    assert (raised.value.kind, raised.value.message) == ("rate_limit", LIMIT)


@each_case("form", FORMS)
@each_case("name", WIRES)
def test_an_error_in_place_of_a_stream(name: str, form: str) -> None:
    decoder = wire(name).stream_decoder()
    decoder.feed({"beat": 1})  # of the host's own, which is kept
    decoder.feed(FORMS[form])
    error = decoder.finish().error
    assert error is not None
    assert (error.kind, error.message) == ("rate_limit", LIMIT)


@each_case("name", WIRES)
@each_case(
    "body", [{"beat": 1}, {"hello": "you"}, {"version": "1", "title": "x"}, {"success": True}]
)
def test_what_is_no_error(name: str, body: dict[str, Any]) -> None:
    with pytest.raises(ReadError):
        wire(name).read_response(body, status=200)
    decoder = wire(name).stream_decoder()
    decoder.feed(body)
    assert decoder.finish().error is None
