"""Documents 000 and 004: what DashScope, Anthropic and Gemini want of their own."""

from __future__ import annotations

import base64
from urllib.parse import urlsplit

import pytest

from dragoman import ChatRequest, Formatter, Msg, Options, wire
from dragoman.formatter import GeminiChatFormatter
from dragoman.message import Base64Source, ImageBlock, TextBlock, ToolUseBlock
from dragoman.vendors import vendor
from tests.contract.judges import judge_messages, judge_request

from .weather import WEATHER, address, asked, called

THEN = wire("dashscope", facts="documents-2025")
NOW = wire("dashscope")


# Where the two hosts of Gemini answer
HOSTS = {
    "gemini": vendor("gemini").url(),
    "vertex": vendor("vertex").regions["global"].format(project="acme"),
}


@pytest.mark.demand("S8")
def test_gemini_is_written_alike_for_both_of_its_hosts() -> None:
    req = ChatRequest(called(), tools=[WEATHER], options=Options(max_tokens=64))
    written = {name: wire(name).write_request(req, model="gemini-3.8-flash") for name in HOSTS}
    assert written["vertex"].body == written["gemini"].body
    paths = {name: urlsplit(HOSTS[name] + out.path).path for name, out in written.items()}
    assert paths == {
        "gemini": "/v1beta/models/gemini-3.8-flash:generateContent",
        "vertex": "/v1beta1/projects/acme/locations/global/publishers/google/models/"
                  "gemini-3.8-flash:generateContent",
    }  # fmt: skip
    for name, out in written.items():
        assert judge_request(f"{name}/gemini", out.body, paths[name]) == []


@pytest.mark.demand("S8")
@pytest.mark.parametrize(
    "formatter", [GeminiChatFormatter(), Formatter("gemini"), Formatter("vertex")], ids=repr
)
def test_one_formatter_serves_both_hosts(formatter: Formatter) -> None:
    messages = formatter.format_sync(called())
    assert len(messages) == 4
    for name in HOSTS:
        assert judge_messages(f"{name}/gemini", messages) == []


@pytest.mark.demand("S60")
@pytest.mark.parametrize("model", ["qwen-vl-max", "qwen-vl-plus-latest", "qvq-max", "qvq"])
def test_vision_models_had_an_endpoint_of_their_own(model: str) -> None:
    request = ChatRequest(asked(), stream=True)  # qvq answers in streams alone
    assert THEN.write_request(request, model=model).path == "/multimodal/chat/completions"


@pytest.mark.demand("S61")
@pytest.mark.parametrize("model", ["qwen-max", "qwen3-max", "deepseek-v3", "my-qwen-vl", "qv"])
def test_all_others_had_the_ordinary_endpoint(model: str) -> None:
    out = THEN.write_request(ChatRequest(asked()), model=model)
    assert out.path == "/chat/completions"


@pytest.mark.demand("S60", "S61")
@pytest.mark.parametrize(
    ("model", "service"),
    [
        ("qwen-vl-max", "multimodal-generation"),
        ("qvq-max", "multimodal-generation"),
        ("qwen3-vl-plus", "multimodal-generation"),
        ("qwen3.6-plus", "multimodal-generation"),
        ("qwen3.7-max", "text-generation"),
        ("qwen-max", "text-generation"),
        ("qwen3-max", "text-generation"),
    ],
)
def test_by_default_the_endpoints_are_todays(model: str, service: str) -> None:
    out = NOW.write_request(ChatRequest(asked(), stream=True), model=model)
    assert out.path.endswith(f"/services/aigc/{service}/generation")


@pytest.mark.demand("S67", "S68")
def test_anthropic_gets_the_system_prompt_apart_a_model_and_a_maximum() -> None:
    req = ChatRequest(asked(), options=Options(max_tokens=4096))
    body = wire("anthropic").write_request(req, model="claude-opus-5-5").body
    assert body == {
        "model": "claude-opus-5-5",
        "max_tokens": 4096,
        "system": "You are Friday.",
        "messages": [{"role": "user", "content": "How is Beijing?"}],
    }


@pytest.mark.demand("S68")
def test_anthropic_gets_a_maximum_even_where_none_is_given() -> None:
    out = wire("anthropic").write_request(ChatRequest(asked()), model="claude-opus-5-5")
    assert out.body["max_tokens"] == 16384
    assert [loss.code for loss in out.losses] == ["max_tokens.default"]


@pytest.mark.demand("S69")
def test_anthropic_gets_a_tool_result_from_the_user() -> None:
    body = wire("anthropic").write_request(ChatRequest(called(), tools=[WEATHER])).body
    text = {"type": "text", "text": "Sunny."}
    result = {"type": "tool_result", "tool_use_id": "call_1", "content": [text]}
    assert body["messages"][-1] == {"role": "user", "content": [result]}


@pytest.mark.demand("S70", "S71")
@pytest.mark.parametrize("question", ["Question content", "问题内容"])
def test_gemini_gets_a_content_of_text_and_image_bytes(question: str) -> None:
    image_bytes = b"\x89PNG\r\n\x1a\n"
    image = base64.b64encode(image_bytes).decode()
    msg = Msg.user([TextBlock(question), ImageBlock.from_bytes(image_bytes)])
    assert msg.blocks[1] == ImageBlock(Base64Source("image/png", image))
    body = wire("gemini").write_request(ChatRequest([msg])).body
    assert body["contents"] == [
        {
            "role": "user",
            "parts": [
                {"text": question},
                {"inlineData": {"mimeType": "image/png", "data": image}},
            ],
        }
    ]


@pytest.mark.demand("S72")
@pytest.mark.parametrize("city", ["Beijing", "北京"])
def test_gemini_gets_a_function_call_with_an_object_of_arguments(city: str) -> None:
    *said, _, result = called()
    said += [Msg.assistant([ToolUseBlock("call_1", "get_weather", {"city": city})]), result]
    out = wire("gemini").write_request(ChatRequest(said, tools=[WEATHER]))
    call = {"id": "call_1", "name": "get_weather", "args": {"city": city}}
    assert out.body["contents"][1]["role"] == "model"
    assert [part["functionCall"] for part in out.body["contents"][1]["parts"]] == [call]
    assert GeminiChatFormatter().format_sync(said)[2] == {
        "role": "model", "parts": [{"function_call": call}],
    }  # fmt: skip
    assert judge_request("gemini", out.body, address("gemini", out)) == []
