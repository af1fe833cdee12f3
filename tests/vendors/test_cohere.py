"""Which fact of Cohere's row holds for which model id."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Tool

WIRE = dragoman.wire("cohere")


def of(model: str | None, field: str) -> Any:
    return getattr(WIRE.can(model), field)


@pytest.mark.parametrize(
    ("model", "thinks", "most"),
    [
        ("command-a-plus-05-2026", "default", 63_000),
        ("command-a-reasoning-08-2025", "default", 31_000),
        ("command-a-03-2025", "never", 31_000),
        ("command-a-vision-07-2025", "never", 31_000),
        ("command-r-plus-08-2024", "never", 31_000),
        ("a-model-of-tomorrow", "on_request", 31_000),
    ],
)
def test_who_thinks(model: str, thinks: str, most: int) -> None:
    assert (of(model, "thinks"), of(model, "budgets")) == (thinks, (1, most))
    assert of(model, "thinking") == ("never" if thinks == "never" else "all")


@pytest.mark.parametrize(
    ("model", "sees", "calls", "chooses"),
    [
        ("command-a-plus-05-2026", True, True, True),
        ("command-a-vision-07-2025", True, False, True),
        ("command-a-03-2025", False, True, True),
        ("command-a-reasoning-08-2025", False, True, True),
        ("command-r7b-12-2024", False, True, True),
        ("command-r-08-2024", False, True, False),
    ],
)
def test_who_sees_calls_and_chooses(model: str, sees: bool, calls: bool, chooses: bool) -> None:
    assert ("image" in of(model, "user")) is sees
    assert of(model, "tools") is calls
    assert ("required" in of(model, "tool_choices")) is chooses


def test_a_format_does_not_stand_beside_tools() -> None:
    plain = ChatRequest([Msg.user("Hi.")])
    tooled = ChatRequest([Msg.user("Hi.")], tools=[Tool("look")])
    assert "schema" in WIRE.can(None, plain).formats
    assert WIRE.can(None, tooled).formats == {"text"}
    assert WIRE.can("command-a-03-2025", tooled).formats == {"text"}


def test_where_it_lives_is_where_its_own_client_goes() -> None:
    cohere = pytest.importorskip("cohere.environment", reason="the extra `cohere` is missing")
    row = WIRE.vendor or dragoman.wire("cohere/cohere").vendor
    assert row is not None
    assert row.url() == f"{cohere.ClientEnvironment.PRODUCTION.value}/v2"
