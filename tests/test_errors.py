"""The tree of errors: what each is caught as, what it says, and that it survives a pickle."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import dragoman.errors
from dragoman import wire
from dragoman.errors import (
    AuthenticationFailed,
    BadRequest,
    ConfigError,
    ConnectionFailed,
    ContentFiltered,
    ContextOverflow,
    ContextTooLong,
    DragomanError,
    InvalidMessage,
    LossRefused,
    ModelNotFound,
    NoAnswer,
    NotMessages,
    Overloaded,
    PaymentRequired,
    ProviderError,
    RateLimited,
    ReadError,
    StreamBroken,
    StreamError,
    Timeout,
    UnknownKeyword,
    WriteError,
    by_kind,
)
from dragoman.losses import Loss, Report
from dragoman.message import ChatResponse, Msg, places
from tests.each_case import each_case

BY_KIND = [
    RateLimited, Overloaded, ContentFiltered, AuthenticationFailed, BadRequest, Timeout,
    ConnectionFailed, NoAnswer, PaymentRequired,
]  # fmt: skip
KINDS = [ConfigError, InvalidMessage, NotMessages, ProviderError, ReadError, WriteError]


def lost() -> list[Loss]:
    msgs = [Msg("", "x"), Msg("", "y")]
    report = Report(msgs, None, places, "here")
    for m in msgs * 4:
        report.add_loss("message.empty", m, "content")
    return report.losses


MADE: list[DragomanError] = [
    *(kind("wrong", path="$.a", hint="do this", code="x.y") for kind in KINDS),
    ContextOverflow(120, 100, 2),
    LossRefused(lost()),
]


@each_case(
    ("kind", "parents"),
    [
        (WriteError, (DragomanError,)),
        (InvalidMessage, (WriteError, ValueError)),
        (NotMessages, (WriteError, TypeError)),
        (LossRefused, (WriteError,)),
        (ContextOverflow, (WriteError, ValueError)),
        (ReadError, (DragomanError,)),
        (ConfigError, (DragomanError,)),
        (UnknownKeyword, (ConfigError, TypeError)),
        (ProviderError, (DragomanError,)),
        *((kind, (ProviderError,)) for kind in BY_KIND),
        (ContextTooLong, (ProviderError, ContextOverflow)),
        (ModelNotFound, (BadRequest,)),
        (StreamBroken, (StreamError,)),
    ],
)
def test_the_tree(kind: type[Exception], parents: tuple[type[Exception], ...]) -> None:
    assert kind.__bases__ == parents


def test_the_tree_is_drawn_whole() -> None:
    drawn = dragoman.errors.__doc__ or ""
    classes = [value for value in vars(dragoman.errors).values() if isinstance(value, type)]
    errors = [value for value in classes if value.__module__ == dragoman.errors.__name__]
    assert len(errors) == 29
    for error in errors:
        assert error.__name__ in drawn
        assert issubclass(error, DragomanError)


@pytest.mark.parametrize("kind", KINDS)
def test_what_where_and_what_to_do(kind: type[DragomanError]) -> None:
    assert str(kind("wrong", path="$.a[1]", hint="do this")) == "$.a[1]: wrong (do this)"
    assert str(kind("wrong", path="$.a[1]")) == "$.a[1]: wrong"
    assert str(kind("wrong", hint="do this")) == "wrong (do this)"
    assert str(kind("wrong")) == "wrong"
    error = kind("wrong")
    assert (error.message, error.path, error.hint, error.code) == ("wrong", "", "", "")


def test_overflow_has_its_figures() -> None:
    error = ContextOverflow(120, 100, 2)
    assert (error.tokens, error.limit, error.kept) == (120, 100, 2)
    assert error.code == "context.overflow"
    for figure in ("120", "100", "2 message"):
        assert figure in str(error)


def test_refused_losses_are_named_and_capped() -> None:
    error = LossRefused(lost())
    assert len(error.losses) == 8
    assert "repaired message.empty at $.messages[0].content" in str(error)
    assert "and 3 more" in str(error)
    assert "more" not in str(LossRefused(lost()[:5]))


@each_case("error", MADE, ids=lambda error: type(error).__name__)
@each_case("way", [copy.copy, lambda e: pickle.loads(pickle.dumps(e))])
def test_copies_and_pickles(error: DragomanError, way: Any) -> None:
    made: Any = way(error)
    assert str(type(made)) == str(type(error))
    assert (str(made), made.path, made.hint, made.code) == (
        str(error), error.path, error.hint, error.code,
    )  # fmt: skip
    if isinstance(error, LossRefused):
        assert made.losses == error.losses
    if isinstance(error, ContextOverflow):
        assert (made.tokens, made.limit, made.kept) == (120, 100, 2)


@pytest.mark.parametrize("way", [copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))])
def test_an_error_that_stands_in_its_own_answer_survives(way: Any) -> None:
    error = StreamError("overloaded", status=529, body={"a": 1})
    error.response = ChatResponse([], status="error", error=error)
    made = way(error)
    assert (made.message, made.status, made.body) == ("overloaded", 529, {"a": 1})
    assert made.response.status == "error"
    assert made.response.error is made
    assert way(error.response).error.status == 529


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (429, {"error": {"message": "slow down"}}, RateLimited),
        (
            529,
            {"type": "error", "error": {"type": "overloaded_error", "message": "no"}},
            Overloaded,
        ),
        (400, {"error": {"code": "context_length_exceeded", "message": "long"}}, ContextTooLong),
        (400, {"error": {"code": "content_filter", "message": "no"}}, ContentFiltered),
        (401, {"error": {"message": "no key"}}, AuthenticationFailed),
        (403, {"error": {"message": "not yours"}}, AuthenticationFailed),
        (404, {"error": {"code": "model_not_found", "message": "no"}}, ModelNotFound),
        (422, {"detail": "what?"}, BadRequest),
        (504, "<html>", Timeout),
        (402, {"error": {"message": "pay"}}, PaymentRequired),
        (500, {"error": {"message": "oh"}}, ProviderError),
    ],
)
def test_a_status_raises_the_class_of_its_kind(
    status: int, body: Any, kind: type[ProviderError]
) -> None:
    assert type(wire("openai-chat").error(status, body)) is kind
    with pytest.raises(ProviderError) as raised:
        wire("openai-chat").read_response(body, status=status)
    assert (type(raised.value), raised.value.status) == (kind, status)


def test_the_class_keeps_what_the_error_holds() -> None:
    error = ProviderError("slow", status=429, body={"a": 1}, request_id="r1", retry_after=2.5)
    made = pickle.loads(pickle.dumps(by_kind(error)))
    assert (type(made), str(made), made.body) == (RateLimited, "slow", {"a": 1})
    assert (made.request_id, made.retry_after, made.kind) == ("r1", 2.5, "rate_limit")
    stream = StreamError("slow", status=429)
    assert by_kind(stream) is stream


def test_what_the_body_says_of_the_request_and_of_waiting() -> None:
    body = {"type": "error", "error": {"type": "api_error", "message": "no"}, "request_id": "req_1"}
    assert wire("anthropic").error(500, body).request_id == "req_1"
    delay = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.4s"}
    limited = {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "details": [delay]}}
    assert wire("gemini").error(429, limited).retry_after == 34.4
    delay["retryDelay"] = "soon"
    assert wire("gemini").error(429, limited).retry_after is None


def test_no_answer_is_known_by_its_kind_whatever_its_fields_say() -> None:
    error = NoAnswer("a page", status=200, type="text/html")
    assert error.kind == "no_answer"
    assert by_kind(error) is error
    told = ProviderError("nothing came", status=200, type="no_answer")
    assert type(by_kind(told)) is NoAnswer
