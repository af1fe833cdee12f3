"""The whole request: instructions, options, reasoning, the form of the answer, own fields."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from dragoman import ChatRequest, Msg, Options
from dragoman.errors import WriteError
from dragoman.message import (
    CacheHint,
    ResponseFormat,
    TextBlock,
    ThinkingBlock,
)
from dragoman.protocols.openai_responses import CAN, OpenAIResponses

from .writing import OWN, codes, own, wire, wrote

ENCRYPTED = "reasoning.encrypted_content"
CITY = {"type": "object", "properties": {"city": {"type": "string"}}}
CLOSED = {**CITY, "required": ["city"], "additionalProperties": False}


def test_the_room_names_itself_and_its_source() -> None:
    room = OpenAIResponses(None)
    assert (room.protocol, room.model) == ("openai-responses", "gpt-5.6")
    assert CAN.source
    assert CAN.since
    assert room.can().reads == {"openai-responses"}
    assert wrote().path == "/responses"
    assert wrote(switches={"path": "/v2/responses"}).path == "/v2/responses"


def test_the_prompt_stands_beside_the_input() -> None:
    out = wrote(Msg.user("Hi"), system="Be brief.")
    assert list(out.body) == ["model", "instructions", "input"]
    assert out.body["instructions"] == "Be brief."
    assert out.body["input"] == [{"role": "user", "content": "Hi"}]


def test_further_prompts_stay_in_the_input() -> None:
    out = wrote(
        Msg.system([TextBlock("Be kind.")]), Msg("", "Be true.", "developer"), Msg.user("Hi"),
        system="Be brief.",
    )  # fmt: skip
    assert out.body["instructions"] == "Be brief."
    assert out.body["input"][:2] == [
        {"role": "system", "content": "Be kind."},
        {"role": "developer", "content": "Be true."},
    ]
    assert codes(out) == []


@pytest.mark.parametrize(
    "prompt",
    [
        Msg("", "Be brief.", "developer"),
        Msg.system([TextBlock("Be"), TextBlock("brief.")]),
        Msg.system([TextBlock("Be brief.", extras=own(status="completed"))]),
        Msg.system("Be brief.", extras=own(status="completed")),
        Msg.system(" "),
        Msg.system([TextBlock("Be brief.", cache=CacheHint())]),
    ],
)
def test_a_prompt_that_is_more_than_a_text_is_an_item(prompt: Msg) -> None:
    out = wrote(prompt, Msg.user("Hi"), can={"cache_hints": 1})
    assert "instructions" not in out.body
    assert [item["role"] for item in out.body["input"]] == [prompt.role, "user"]


def test_a_prompt_alone_is_said_by_the_user() -> None:
    out = wrote(system="Tell a joke.")
    assert out.body["instructions"] == "Tell a joke."
    lone = wrote(Msg.system("Tell a joke."))
    assert lone.body["input"] == [{"role": "user", "content": "Tell a joke."}]
    assert codes(lone) == ["system.alone $.messages[0]"]


def test_a_request_of_nothing_is_an_error() -> None:
    lone = [Msg.assistant([ThinkingBlock("Hm", extras=own(id="wrong"))])]
    with pytest.raises(WriteError) as caught:
        wire().write_request(ChatRequest(lone, model="m"))
    assert caught.value.code == "messages.empty"


def test_options_have_their_keys() -> None:
    options = Options(max_tokens=99, temperature=0.5, top_p=0.9, service_tier="flex", user="u1")
    out = wrote(options=options, stream=True)
    assert {key: out.body[key] for key in list(out.body)[2:]} == {
        "max_output_tokens": 99,
        "temperature": 0.5,
        "top_p": 0.9,
        "service_tier": "flex",
        "safety_identifier": "u1",
        "stream": True,
    }
    assert codes(out) == []


def test_options_without_a_place_are_losses() -> None:
    options = Options(
        stop=("END",), seed=1, n=2, presence_penalty=0.1, frequency_penalty=0.1, top_k=3,
        repetition_penalty=1.1,
    )  # fmt: skip
    out = wrote(options=options)
    assert list(out.body) == ["model", "input"]
    assert {code.split()[0] for code in codes(out)} == {"option.unsupported"}
    assert len(codes(out)) == 7


@pytest.mark.parametrize(("given", "sent"), [(1, 16), (15, 16), (16, 16), (17, 17)])
def test_an_answer_has_at_least_sixteen_tokens(given: int, sent: int) -> None:
    out = wrote(options=Options(max_tokens=given))
    assert out.body["max_output_tokens"] == sent
    assert codes(out) == ([] if given >= 16 else ["option.range $.options.max_tokens"])


@pytest.mark.parametrize(
    ("options", "written"),
    [
        (Options(logprobs=True), {"include": ["message.output_text.logprobs"]}),
        (
            Options(logprobs=True, top_logprobs=3),
            {"top_logprobs": 3, "include": ["message.output_text.logprobs"]},
        ),
        (
            Options(top_logprobs=3),
            {"top_logprobs": 3, "include": ["message.output_text.logprobs"]},
        ),
        (Options(logprobs=False), {}),
    ],
)
def test_logprobs_are_something_to_include(options: Options, written: dict[str, Any]) -> None:
    out = wrote(options=options)
    assert {key: out.body[key] for key in list(out.body)[2:]} == written
    assert codes(out) == []


def test_a_model_that_gives_no_logprobs() -> None:
    out = wrote(options=Options(logprobs=True), can={"options": {"logprobs": "refuses"}})
    assert "include" not in out.body
    assert codes(out) == ["option.refused $.options.logprobs"]


def test_a_user_too_long_to_be_told_is_not() -> None:
    out = wrote(options=Options(user="u" * 129))
    assert "safety_identifier" not in out.body
    assert codes(out) == ["option.refused $.options.user"]
    assert wrote(options=Options(user="u" * 128)).body["safety_identifier"] == "u" * 128
    assert wrote(options=Options(user="u1"), switches={"user_key": "user"}).body["user"] == "u1"


@pytest.mark.parametrize(
    ("options", "can", "written"),
    [
        (Options(reasoning="low"), {}, {"effort": "low"}),
        (Options(reasoning="off"), {}, {"effort": "none"}),
        (Options(reasoning="off"), {"thinks": "always", "efforts": ("low",)}, {"effort": "low"}),
        (Options(reasoning_budget=9000), {}, {"effort": "high"}),
        (Options(reasoning="on"), {}, {"effort": "medium"}),
        (Options(reasoning="on"), {"thinks": "default"}, None),
        (Options(reasoning="auto"), {}, None),
        (Options(reasoning="low"), {"thinks": "never"}, None),
        (Options(), {"thinks": "always"}, None),
    ],
)
def test_reasoning_is_an_effort(options: Options, can: Any, written: Any) -> None:
    assert wrote(options=options, can=can).body.get("reasoning") == written


def test_a_budget_has_no_place_of_its_own() -> None:
    out = wrote(options=Options(reasoning_budget=99), can={"budgets": (0, 9)})
    assert out.body["reasoning"] == {"effort": "minimal"}
    assert codes(out)[-1] == "option.range $.options.reasoning_budget"


@pytest.mark.parametrize(
    ("fields", "can", "asks"),
    [
        ({"options": Options(reasoning="low")}, {}, True),
        ({"options": Options(reasoning="off")}, {"thinks": "default"}, False),
        ({}, {"thinks": "default"}, True),
        ({}, {"thinks": "never"}, False),
        ({}, {}, False),
        ({"extras": own(store=False, reasoning={"summary": "auto"})}, {}, True),
        ({"extras": own(store=True)}, {"thinks": "default"}, False),
        ({"extras": own()}, {"thinks": "default"}, False),
        ({"switches": {"reasoning": "raw"}}, {"thinks": "default"}, False),
    ],
)
def test_what_nobody_keeps_comes_back_sealed(fields: Any, can: Any, asks: bool) -> None:
    given = {"extras": own(store=False), **fields}
    out = wrote(can=can, **given)
    assert (out.body.get("include") == [ENCRYPTED]) is asks
    assert ("include.added $" in codes(out)) is asks


def test_what_is_included_already_is_not_added() -> None:
    listed = ["file_search_call.results", ENCRYPTED]
    out = wrote(can={"thinks": "default"}, extras=own(store=False, include=listed),
                options=Options(logprobs=True))  # fmt: skip
    assert out.body["include"] == ["message.output_text.logprobs", *listed]
    assert codes(out) == []
    twice = wrote(
        extras=own(include=["message.output_text.logprobs"]), options=Options(logprobs=True)
    )
    assert twice.body["include"] == ["message.output_text.logprobs"]
    more = wrote(can={"thinks": "default"}, extras=own(store=False, include=listed[:1]))
    assert more.body["include"] == listed
    assert listed == ["file_search_call.results", ENCRYPTED]


@pytest.mark.parametrize(
    ("form", "written"),
    [
        (ResponseFormat("text"), {"type": "text"}),
        (ResponseFormat("json"), {"type": "json_object"}),
        (
            ResponseFormat("schema", CITY),
            {"type": "json_schema", "name": "response", "schema": CITY},
        ),
        (
            ResponseFormat("schema", CLOSED, "city", "A city", True),
            {
                "type": "json_schema",
                "name": "city",
                "schema": CLOSED,
                "description": "A city",
                "strict": True,
            },
        ),
    ],
)
def test_the_form_of_the_answer_is_flat(form: ResponseFormat, written: dict[str, Any]) -> None:
    out = wrote(response_format=form)
    assert out.body["text"] == {"format": written}
    assert codes(out) == []


def test_the_name_of_a_form_is_respelled() -> None:
    out = wrote(response_format=ResponseFormat("schema", CITY, "a city!"))
    assert out.body["text"]["format"]["name"] == "a_city_"
    assert codes(out) == ["name.mapped $.response_format.name"]
    long = wrote(response_format=ResponseFormat("schema", CITY, "x" * 65))
    assert len(long.body["text"]["format"]["name"]) == 64


def test_own_fields_fill_what_stands_there() -> None:
    trigger = {"type": "compaction_trigger"}
    extras: dict[str, dict[str, Any]] = {
        OWN: {
            "text": {"verbosity": "low"},
            "reasoning": {"summary": "auto"},
            "previous_response_id": "resp_1",
            "input": [trigger],
        },
        "anthropic": {"container": "c1"},
    }
    before = deepcopy(extras)
    out = wrote(
        Msg.user("Hi"), extras=extras, response_format=ResponseFormat("json"),
        options=Options(reasoning="low"),
    )  # fmt: skip
    assert out.body["text"] == {"format": {"type": "json_object"}, "verbosity": "low"}
    assert out.body["reasoning"] == {"effort": "low", "summary": "auto"}
    assert out.body["previous_response_id"] == "resp_1"
    assert out.body["input"] == [{"role": "user", "content": "Hi"}, trigger]
    assert codes(out) == ["extras.other_provider $.extras.anthropic.container"]
    assert extras == before


def test_metadata_of_the_program_is_not_sent() -> None:
    assert list(wrote(metadata={"run": 1}).body) == ["model", "input"]
