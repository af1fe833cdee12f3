"""Which fact of Mistral's row holds for which model id, and for which it must not."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Options
from dragoman.errors import WriteError
from dragoman.message import TextBlock
from dragoman.vendors import vendor
from tests.vendors.asking import IMAGE, codes, wrote

WIRE = dragoman.wire("mistral")


def of(model: str, field: str) -> Any:
    return getattr(WIRE.can(model), field)


@pytest.mark.parametrize(
    ("model", "thinks", "efforts"),
    [
        ("mistral-small-latest", "on_request", ("high",)),
        ("mistral-small-2603", "on_request", ("high",)),
        ("mistral-medium-3-5", "on_request", ("high",)),
        ("mistral-medium-latest", "on_request", ("high",)),
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
     "mistral-medium-2508", "devstral-medium-2507", "voxtral-small-latest", "pixtral-12b"],
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


@pytest.mark.parametrize(
    ("model", "efforts"),
    [
        ("mistral-medium", ("high",)), ("mistral-medium-3", ("high",)),
        ("mistral-medium-2604", ("high",)), ("mistral-small-2603", ("high",)),
        ("magistral-medium-latest", ("high",)), ("mistral-code-agent-latest", ("high",)),
        ("devstral-latest", ("high",)), ("mistral-medium-4", ("high",)),
        ("mistral-large-4-0", ("low", "medium", "high")),
        ("mistral-large-5", ("low", "medium", "high")),
        ("zai-glm-5-3", ("low", "high", "max")),
    ],
)  # fmt: skip
def test_who_takes_an_effort(model: str, efforts: tuple[str, ...]) -> None:
    can = dragoman.wire("mistral").can(model)
    assert can.efforts == efforts
    assert can.thinks != "never"


@pytest.mark.parametrize(
    "model", ["mistral-medium-2505", "mistral-small-2506", "mistral-large-2512", "devstral-2512"]
)
def test_older_snapshots_do_not(model: str) -> None:
    assert dragoman.wire("mistral").can(model).thinks == "never"


def test_fields_that_the_sdk_has_since_3_7() -> None:
    options = Options(top_k=3, repetition_penalty=1.1, logprobs=True, top_logprobs=2)
    req = ChatRequest([Msg.user("Hi.")], options=options)
    wire = dragoman.wire("mistral", policy="ignore")
    out = wire.write_request(req, "mistral-large-latest")
    sent = {"top_k": 3, "repetition_penalty": 1.1, "logprobs": True, "top_logprobs": 2}
    assert {key: out.body.get(key) for key in sent} == sent
    out = wire.write_request(req, "ministral-3b-latest")  # recorded: not enabled for this model
    assert "logprobs" not in out.body
    assert [loss.code for loss in out.losses] == ["option.refused"] * 2


@pytest.mark.parametrize(("stream", "verb"), [(False, "rawPredict"), (True, "streamRawPredict")])
def test_on_google_cloud_the_path_names_the_model_too(stream: bool, verb: str) -> None:
    out = wrote("vertex/mistral", "mistral-medium-3", stream=stream)
    assert out.path == f"/publishers/mistralai/models/mistral-medium-3:{verb}"
    assert out.body["model"] == "mistral-medium-3"
    url = vendor("vertex").url("mistral")
    assert url.endswith(".googleapis.com/v1/projects/{project}/locations/{region}")


def test_on_google_cloud_chunks_are_text_and_images() -> None:
    can = dragoman.wire("vertex/mistral").can("mistral-medium-3")
    assert ("image" in can.user, can.user & {"document", "audio"}) == (True, frozenset())
    shown = wrote("vertex/mistral", "mistral-medium-3", Msg.user([TextBlock("?"), IMAGE]))
    assert codes(shown) == []


def test_no_model_leads_out_of_the_path() -> None:
    with pytest.raises(WriteError, match="names no model"):
        wrote("vertex/mistral", "..")
