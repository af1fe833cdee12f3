"""Which fact of Mistral's row holds for which model id, and for which it must not."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman.vendors import vendor

WIRE = dragoman.wire("mistral")


def of(model: str, field: str) -> Any:
    return getattr(WIRE.can(model), field)


@pytest.mark.parametrize(
    ("model", "thinks", "efforts"),
    [
        ("mistral-small-latest", "asked", ("high",)),
        ("mistral-small-2603", "asked", ("high",)),
        ("mistral-medium-3-5", "asked", ("high",)),
        ("mistral-medium-latest", "asked", ("high",)),
        ("magistral-medium-2509", "default", ("high",)),
        ("mistral-large-4-0", "default", ("low", "medium", "high")),
        ("mistral-large-4", "default", ("low", "medium", "high")),
    ],
)
def test_who_thinks(model: str, thinks: str, efforts: tuple[str, ...]) -> None:
    assert (of(model, "thinks"), of(model, "efforts")) == (thinks, efforts)
    assert of(model, "thinking") == "all"


@pytest.mark.parametrize(
    "model",
    ["ministral-3b-latest", "mistral-large-2512", "codestral-latest", "mistral-small-2506",
     "mistral-medium-2508", "devstral-medium-latest", "voxtral-small-latest", "pixtral-12b"],
)  # fmt: skip
def test_who_does_not(model: str) -> None:
    assert (of(model, "thinks"), of(model, "thinking")) == ("never", "never")


@pytest.mark.parametrize(
    ("model", "kinds"),
    [
        ("voxtral-small-latest", {"audio", "document"}),
        ("codestral-latest", {"document"}),
        ("pixtral-12b", {"image", "document"}),
        ("mistral-small-latest", {"image", "document"}),
    ],
)
def test_what_the_user_may_show(model: str, kinds: set[str]) -> None:
    assert of(model, "user") - {"text", "raw"} == kinds


def test_ids_have_nine_letters_and_digits_whatever_the_model() -> None:
    for model in (None, "mistral-small-latest", "zai-glm-5-2"):
        rule = WIRE.can(model).ids
        assert rule.fits(["abcDEF123"])
        assert not rule.fits(["abcDEF12"])
        assert not rule.fits(["abc_EF123"])


def test_every_fact_has_a_date_and_a_source() -> None:
    for fact in vendor("mistral").facts["mistral"].rows:
        assert fact.since.count("-") == 2, fact.models
        assert fact.source, fact.models
