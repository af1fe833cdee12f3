"""Errors as hosts word them, in one shape."""

from __future__ import annotations

from typing import Any

from dragoman.stream.pieces import provider_error
from tests.each_case import each_case


@each_case(
    ("body", "message", "type", "code", "status"),
    [
        ({"error": {"message": "m", "type": "t", "code": "c"}}, "m", "t", "c", None),
        ({"error": {"message": "m", "code": 502}}, "m", "", "502", 502),
        ({"error": "m"}, "m", "", "", None),
        ({"error": "m", "code": 404}, "m", "", "404", 404),
        ({"status": 404, "error": "Not Found", "message": "no"}, "Not Found: no", "404", "", None),
        ({"error": "no v1 here", "message": "no v1"}, "no v1 here", "", "", None),
        ({"type": "error", "error": {"type": "overloaded_error", "message": "m"}}, "m",
         "overloaded_error", "", None),
        ({"error": {"code": 503, "message": "m", "status": "UNAVAILABLE"}}, "m", "UNAVAILABLE",
         "503", 503),
        ([{"error": {"message": "m", "code": 400}}], "m", "", "400", 400),
        ({"message": "m", "__type": "ThrottlingException"}, "m", "ThrottlingException", "", None),
        ({"code": "Throttling", "message": "m", "request_id": "r"}, "m", "", "Throttling", None),
        ({"detail": "m"}, "m", "", "", None),
        ({"object": "error", "message": "m", "type": "t", "code": "3505"}, "m", "t", "3505", None),
        ({"detail": [{"msg": "m"}]}, "m", "", "", None),
        ({"base_resp": {"status_code": 1004, "status_msg": "m"}}, "m", "", "1004", None),
        ({"x": 1}, '{"x":1}', "", "", None),
        ("plain words", "plain words", "", "", None),
        ({}, "named", "named", "", None),
        (None, "named", "named", "", None),
        ({"error": {"message": True, "code": 99999}}, '{"error":{"code":99999,"message":true}}',
         "named", "99999", None),
    ],
)  # fmt: skip
def test_shapes(body: Any, message: str, type: str, code: str, status: int | None) -> None:
    error = provider_error(body, name="named" if message == "named" or type == "named" else None)
    assert (error.message, error.type, error.code, error.status) == (message, type, code, status)
    assert error.body is body


def test_the_status_of_http_wins_and_words_are_short() -> None:
    assert provider_error({"error": {"code": 502, "message": "m"}}, 500).status == 500
    assert len(provider_error({"error": "x" * 9000}).message) < 1000
