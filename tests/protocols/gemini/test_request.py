"""The rest of a request: path, system instruction, tools, choice, settings, own fields."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman import ChatRequest, Msg, Options, Tool, ToolChoice, wire
from dragoman.formatter import Formatter, GeminiChatFormatter
from dragoman.message import (
    Base64Source,
    CacheHint,
    ImageBlock,
    ResponseFormat,
    TextBlock,
    Written,
)
from tests.contract.judges import judge_request

CITY = {"type": "object", "properties": {"city": {"type": "string"}}}
WEATHER = Tool("weather", "The weather of a city", CITY)
TIME = Tool("time")


def wrote(model: str | None = "gemini-3.8-flash", **fields: Any) -> Written:
    messages = fields.pop("messages", [Msg.user("Hello")])
    out = wire("gemini", policy="ignore").write_request(
        ChatRequest(messages, model=model, **fields)
    )
    assert judge_request("gemini", out.body, f"/v1beta{out.path}") == []
    return out


def codes(out: Written) -> list[str]:
    return [loss.code for loss in out.losses]


@pytest.mark.parametrize(
    ("model", "stream", "path"),
    [
        ("gemini-2.5-pro", False, "/models/gemini-2.5-pro:generateContent"),
        ("models/gemini-2.5-pro", False, "/models/gemini-2.5-pro:generateContent"),
        ("gemini-2.5-pro", True, "/models/gemini-2.5-pro:streamGenerateContent?alt=sse"),
        (None, False, "/models/gemini-3.8-flash:generateContent"),
    ],
)
def test_the_path_names_model_and_method(model: str | None, stream: bool, path: str) -> None:
    out = wrote(model, stream=stream)
    assert out.path == path
    assert "model" not in out.body
    assert "stream" not in out.body


@pytest.mark.parametrize(
    ("model", "path"),
    [
        ("tunedModels/mine", "/tunedModels/mine:generateContent"),
        ("a b?c", "/models/a%20b%3Fc:generateContent"),
    ],
)
def test_a_path_of_another_kind(model: str, path: str) -> None:
    out = wire("gemini", policy="ignore").write_request(
        ChatRequest([Msg.user("Hello")], model=model)
    )
    assert out.path == path


def test_several_system_messages_are_parts_of_one_instruction() -> None:
    out = wrote(system="Be brief.", messages=[Msg.system("Be kind."), Msg.user("Hello")])
    assert out.body["systemInstruction"] == {"parts": [{"text": "Be brief."}, {"text": "Be kind."}]}
    assert [content["role"] for content in out.body["contents"]] == ["user"]
    assert codes(out) == []


def test_a_system_prompt_that_shows_something_is_said_by_the_user() -> None:
    picture = ImageBlock(Base64Source("image/png", "iVBORw0KGgo="))
    msgs = [Msg.system("Be brief."), Msg.user("Hello")]
    formatter = GeminiChatFormatter(policy="ignore")
    plain = formatter.format_request(ChatRequest(msgs, model="gemini-2.5-pro"))
    assert plain.body["system_instruction"] == {"parts": [{"text": "Be brief."}]}
    shown = [Msg.system([TextBlock("Our logo:"), picture]), Msg.user("Describe it.")]
    out = formatter.format_request(ChatRequest(shown, model="gemini-2.5-pro"))
    assert judge_request("gemini", out.body, f"/v1beta{out.path}") == []
    assert "system_instruction" not in out.body
    assert out.body["contents"][0]["parts"][1].keys() == {"inline_data"}
    assert "system.as_user" in codes(out)


def test_a_prompt_alone_is_a_request_all_the_same() -> None:
    formatter = GeminiChatFormatter(policy="ignore")
    out = formatter.format_request(ChatRequest([Msg.system("Joke!")], model="gemini-2.5-pro"))
    assert out.body["contents"] == [{"role": "user", "parts": [{"text": "Joke!"}]}]
    assert judge_request("gemini", out.body, f"/v1beta{out.path}") == []


def test_tools_are_one_object_of_declarations() -> None:
    declared = Formatter("gemini").format_tools([WEATHER, TIME])
    assert declared == [
        {
            "functionDeclarations": [
                {
                    "name": "weather",
                    "description": "The weather of a city",
                    "parametersJsonSchema": CITY,
                },
                {"name": "time"},
            ]
        }
    ]
    assert Formatter("gemini").format_tools([]) == []
    assert wrote(tools=[WEATHER, TIME]).body["tools"] == declared
    [named] = GeminiChatFormatter().format_tools([WEATHER])
    assert named["function_declarations"][0]["parameters_json_schema"] == CITY


def test_what_a_tool_says_and_the_wire_does_not() -> None:
    out = wrote(tools=[Tool("time", strict=True, cache=CacheHint())])
    assert out.body["tools"] == [{"functionDeclarations": [{"name": "time"}]}]
    assert codes(out) == ["tool.cache"]


def test_strict_functions_are_a_mode_of_their_choice() -> None:
    tools = [Tool("time", strict=True), Tool("look")]
    choices = {None: "VALIDATED", ToolChoice("auto"): "VALIDATED", ToolChoice("required"): "ANY"}
    for choice, mode in choices.items():
        out = wrote(tools=tools, tool_choice=choice)
        assert out.body["toolConfig"] == {"functionCallingConfig": {"mode": mode}}
        assert codes(out) == []
    none = wrote(tools=tools, tool_choice=ToolChoice("none"))  # a mode of its own
    assert none.body["toolConfig"] == {"functionCallingConfig": {"mode": "NONE"}}
    assert codes(none) == ["tool.strict"]
    assert "toolConfig" not in wrote(tools=[Tool("time", strict=False)]).body
    old = wire("gemini").write_request(
        ChatRequest([Msg.user("Hi")], tools=tools), model="gemini-2.0-flash"
    )
    assert codes(old) == ["tool.strict"]
    assert "toolConfig" not in old.body
    body = (
        wire("gemini-interactions")
        .write_request(ChatRequest([Msg.user("Hi")], tools=tools), model="gemini-3.5-flash")
        .body
    )
    assert body["generation_config"]["tool_choice"] == "validated"


@pytest.mark.parametrize(
    ("name", "wire_name"),
    [
        ("weather", "weather"),
        ("a.b:c-d", "a.b:c-d"),
        ("_x", "_x"),
        ("1st", "_1st"),
        ("-x", "_-x"),
        ("look up", "look_up"),
    ],
)
def test_names_of_tools(name: str, wire_name: str) -> None:
    [tool] = wrote(tools=[Tool(name)]).body["tools"]
    assert tool["functionDeclarations"] == [{"name": wire_name}]


def test_long_names_stay_apart() -> None:
    out = wrote(tools=[Tool("x" * 140 + "1"), Tool("x" * 140 + "2")])
    names = [one["name"] for one in out.body["tools"][0]["functionDeclarations"]]
    assert len(set(names)) == 2
    assert {len(name) for name in names} == {128}


@pytest.mark.parametrize(
    ("choice", "calling"),
    [
        ("auto", {"mode": "AUTO"}),
        ("none", {"mode": "NONE"}),
        ("required", {"mode": "ANY"}),
        ("weather", {"mode": "ANY", "allowedFunctionNames": ["weather"]}),
        (
            ToolChoice("required", allowed=("time",)),
            {"mode": "ANY", "allowedFunctionNames": ["time"]},
        ),
        (
            ToolChoice("auto", allowed=("time",)),
            {"mode": "VALIDATED", "allowedFunctionNames": ["time"]},
        ),
        (ToolChoice("none", allowed=("time",)), {"mode": "NONE"}),
    ],
)
def test_the_choice_of_tools(choice: Any, calling: dict[str, Any]) -> None:
    out = wrote(tools=[WEATHER, TIME], tool_choice=ToolChoice.of(choice))
    assert out.body["toolConfig"] == {"functionCallingConfig": calling}
    assert codes(out) == []


def test_one_call_at_a_time_can_not_be_asked_for() -> None:
    out = wrote(tools=[WEATHER], tool_choice=ToolChoice("auto", parallel=False))
    assert codes(out) == ["tool_choice.lowered"]


def test_settings_have_their_places() -> None:
    out = wrote(
        "gemini-2.5-flash",
        options=Options(
            max_tokens=99, temperature=0.5, top_p=0.9, top_k=40, presence_penalty=0.1,
            frequency_penalty=0.2, seed=7, stop=("END",), n=2, logprobs=True, top_logprobs=3,
            service_tier="flex",
        ),
    )  # fmt: skip
    assert out.body["generationConfig"] == {
        "maxOutputTokens": 99,
        "temperature": 0.5,
        "topP": 0.9,
        "topK": 40,
        "presencePenalty": 0.1,
        "frequencyPenalty": 0.2,
        "seed": 7,
        "stopSequences": ["END"],
        "candidateCount": 2,
        "responseLogprobs": True,
        "logprobs": 3,
    }
    assert out.body["serviceTier"] == "flex"
    assert codes(out) == []


def test_settings_without_a_place_are_losses() -> None:
    out = wrote(options=Options(repetition_penalty=1.1, user="u1"))
    assert "generationConfig" not in out.body
    assert [loss.where for loss in out.losses] == [
        "$.options.repetition_penalty",
        "$.options.user",
    ]


def test_the_newest_models_refuse_some_settings() -> None:
    options = Options(n=2, presence_penalty=0.1, frequency_penalty=0.1)
    out = wrote("gemini-4-argon", options=options)
    assert "generationConfig" not in out.body
    assert codes(out) == ["option.refused"] * 3


@pytest.mark.parametrize(
    ("form", "said", "lost"),
    [
        (ResponseFormat("text"), {"responseMimeType": "text/plain"}, []),
        (ResponseFormat("json"), {"responseMimeType": "application/json"}, []),
        (
            ResponseFormat("schema", CITY),
            {"responseMimeType": "application/json", "responseJsonSchema": CITY},
            [],
        ),
        (
            ResponseFormat("schema", CITY, description="A city"),
            {"responseMimeType": "application/json", "responseJsonSchema": CITY},
            ["format.field"],
        ),
    ],
)
def test_the_form_of_the_answer(
    form: ResponseFormat, said: dict[str, Any], lost: list[str]
) -> None:
    out = wrote(response_format=form)
    assert out.body["generationConfig"] == said
    assert codes(out) == lost


def test_own_fields_fill_what_stands_there() -> None:
    out = wrote(
        tools=[Tool("time", extras={"gemini": {"responseJsonSchema": CITY}})],
        options=Options(max_tokens=9),
        extras={
            "gemini": {
                "generationConfig": {"responseModalities": ["TEXT"]},
                "safety_settings": [
                    {"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_NONE"}
                ],
                "tools": [{"googleSearch": {}}],
            },
            "anthropic": {"container": "c1"},
        },
    )
    body = out.body
    assert body["generationConfig"] == {"maxOutputTokens": 9, "responseModalities": ["TEXT"]}
    assert body["tools"] == [
        {"functionDeclarations": [{"name": "time", "responseJsonSchema": CITY}]},
        {"googleSearch": {}},
    ]
    assert body["safetySettings"][0]["threshold"] == "BLOCK_NONE"
    assert [loss.where for loss in out.losses] == ["$.extras.anthropic.container"]


def test_a_blank_prompt_makes_no_instruction() -> None:
    blank = TextBlock("", extras={"gemini": {"thoughtSignature": "c2ln"}})
    out = wrote(messages=[Msg.system([blank]), Msg.user("Hello")])
    assert "systemInstruction" not in out.body
    assert [loss.where for loss in out.losses] == ["$.messages[0].content[0]"]


def test_own_fields_of_a_prompt_stay_with_it() -> None:
    prompt = Msg.system("Be brief.", extras={"gemini": {"role": "user"}})
    out = wrote(messages=[prompt, Msg.user("Hello")])
    assert out.body["systemInstruction"] == {"parts": [{"text": "Be brief."}], "role": "user"}


def test_a_form_that_the_model_lacks_is_a_loss() -> None:
    formatter = Formatter("gemini", policy="ignore", can={"formats": ("text",)})
    request = ChatRequest([Msg.user("Hello")], model="m", response_format=ResponseFormat("json"))
    out = formatter.format_request(request)
    assert "generationConfig" not in out.body
    assert codes(out) == ["format.in_words", "format.unsupported"]
