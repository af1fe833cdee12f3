"""The tree of errors: what each is caught as, what it says, and that it survives a pickle."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import dragoman.errors
from dragoman.errors import (
    ConfigError,
    ContextOverflow,
    DragomanError,
    InvalidMessage,
    LossRefused,
    NotMessages,
    ProviderError,
    ReadError,
    StreamError,
    WriteError,
)
from dragoman.losses import Loss, Report
from dragoman.message import ChatResponse, Msg, places

KINDS = [ConfigError, InvalidMessage, NotMessages, ProviderError, ReadError, WriteError]


def lost() -> list[Loss]:
    msgs = [Msg("", "x"), Msg("", "y")]
    report = Report(msgs, None, places, "here")
    for m in msgs * 4:
        report.lost("message.empty", m, "content")
    return report.losses


MADE: list[DragomanError] = [
    *(kind("wrong", path="$.a", hint="do this", code="x.y") for kind in KINDS),
    ContextOverflow(120, 100, 2),
    LossRefused(lost()),
]


@pytest.mark.parametrize(
    ("kind", "parents"),
    [
        (WriteError, (DragomanError,)),
        (InvalidMessage, (WriteError, ValueError)),
        (NotMessages, (WriteError, TypeError)),
        (LossRefused, (WriteError,)),
        (ContextOverflow, (WriteError, ValueError)),
        (ReadError, (DragomanError,)),
        (ConfigError, (DragomanError,)),
        (ProviderError, (DragomanError,)),
    ],
)
def test_the_tree(kind: type[Exception], parents: tuple[type[Exception], ...]) -> None:
    assert kind.__bases__ == parents


def test_the_tree_is_drawn_whole() -> None:
    drawn = dragoman.errors.__doc__ or ""
    classes = [value for value in vars(dragoman.errors).values() if isinstance(value, type)]
    errors = [value for value in classes if value.__module__ == dragoman.errors.__name__]
    assert len(errors) == 10
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


@pytest.mark.parametrize("error", MADE, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("way", [copy.copy, lambda e: pickle.loads(pickle.dumps(e))])
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
