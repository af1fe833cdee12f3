"""Cases of text, of bytes that stay equal, and of media forms."""

from __future__ import annotations

import json

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Tool
from dragoman.message import (
    AudioBlock,
    Base64Source,
    DocumentBlock,
    ImageBlock,
    TextBlock,
    ToolUseBlock,
    URLSource,
    VideoBlock,
)
from dragoman.vendors import PROTOCOLS
from tests.cases.writing import answered, call, written
from tests.each_case import each_case

HI = Msg.user("Hi")


@pytest.mark.parametrize("wire", PROTOCOLS)
def test_case_85_half_a_surrogate_pair_is_healed_and_named(wire: str) -> None:
    broken = ToolUseBlock("call_1", "look", {"at": ["a\ud83d"], "k\udcff": "\ud83d\ude00"})
    msgs = [Msg.user("ok \udcb0 \ud83d\ude00"), Msg("", [broken], "assistant"),
            answered(output=[TextBlock("cut \ude00")])]  # fmt: skip
    body, losses = written(wire, msgs)
    text = json.dumps(body, ensure_ascii=False)
    text.encode("utf-8")
    assert "ok \ufffd \U0001f600" in text
    assert "cut \ufffd" in text
    healed = [where for code, where in losses if code == "text.surrogate"]
    assert "$.messages[0].content" in healed
    assert "$.messages[1].content[0].input.at[0]" in healed
    assert "$.messages[2].content[0].output[0].text" in healed


@pytest.mark.parametrize("wire", PROTOCOLS)
def test_case_86_text_is_not_escaped(wire: str) -> None:
    msgs = [Msg.user("你好"), Msg("", [call(at="长安")], "assistant"),
            answered(output={"城": "洛阳"})]  # fmt: skip
    tools = [Tool("look", "看", {"type": "object", "properties": {"at": {"description": "哪里"}}})]
    body, _ = written(wire, msgs, tools=tools)
    text = json.dumps(body, ensure_ascii=False)
    assert "\\u" not in text
    assert all(word in text for word in ("你好", "长安", "洛阳", "哪里"))


def test_case_86_the_models_own_argument_text_is_replayed_byte_for_byte() -> None:
    for raw in ('{"b":1,"a":[1.0,2]}', '{ "b": 1, "a": [1.0, 2] }', '{"b": 1, "a": [1.0, 2]}'):
        block = ToolUseBlock("a", "look", json.loads(raw), raw_input=raw)
        body, _ = written("openai-chat", [HI, Msg("", [block], "assistant"), answered("a")])
        assert body["messages"][1]["tool_calls"][0]["function"]["arguments"] == raw
    changed = ToolUseBlock("a", "look", {"b": 2}, raw_input='{"b":1}')
    body, _ = written("openai-chat", [HI, Msg("", [changed], "assistant"), answered("a")])
    assert body["messages"][1]["tool_calls"][0]["function"]["arguments"] == '{"b": 2}'


@each_case("wire", dragoman.wires())
def test_case_90_the_same_history_is_the_same_bytes(wire: str) -> None:
    def history() -> list[Msg]:
        bad = ToolUseBlock("", "a.b c", {"z": 1, "a": 2})
        return [Msg.system("S"), Msg("Bob Smith", "Hi", "user"), Msg("", [bad], "assistant"),
                answered("", name="a.b c"), Msg.user("On"), Msg("", [call()], "assistant"),
                Msg.user("Never mind")]  # fmt: skip

    target = dragoman.wire(wire, policy="ignore")
    first, second = (json.dumps(target.write_request(ChatRequest(history())).body)
                     for _ in range(2))  # fmt: skip
    assert first == second


def test_case_95a_nothing_is_fetched_unasked() -> None:
    far = ImageBlock(URLSource("https://example.com/a.png"))
    msgs = [Msg("", [TextBlock("See"), far], "user")]
    for wire, model in (("ollama", "gemma3"), ("bedrock-converse", None)):
        body, losses = written(wire, msgs, model)
        assert ("media.not_fetched", "$.messages[0].content[1].source") in losses
    for wire in ("openai-chat", "anthropic", "gemini", "dashscope", "openai-responses", "mistral"):
        body, losses = written(wire, msgs)
        assert "https://example.com/a.png" in json.dumps(body)
        assert losses == []


def test_case_95a_a_fetcher_is_asked_for_the_bytes() -> None:
    asked = []

    def fetch(source: object, path: str) -> Base64Source:
        asked.append(path)
        return Base64Source("image/png", "iVBORw0KGgo=")

    far = ImageBlock(URLSource("https://example.com/a.png"))
    formatter = dragoman.Formatter("ollama", model="gemma3", fetch=fetch)
    out = formatter.write([Msg("", [TextBlock("See"), far], "user")])
    assert out.messages[0]["images"] == ["iVBORw0KGgo="]
    assert asked == ["$.messages[0].content[1].source"]
    assert out.losses == []


def test_case_95b_sound_is_bare_base64_and_a_format() -> None:
    sound = AudioBlock(Base64Source("audio/wav", "UklGRg=="))
    inline = AudioBlock(URLSource("data:audio/mpeg;base64,SUQz"))
    body, losses = written("openai-chat", [Msg("", [sound, inline], "user")], "gpt-audio")
    assert [part["input_audio"] for part in body["messages"][0]["content"]] == [
        {"data": "UklGRg==", "format": "wav"}, {"data": "SUQz", "format": "mp3"},
    ]  # fmt: skip
    assert losses == []
    flac = AudioBlock(Base64Source("audio/flac", "ZkxhQw=="))
    _, losses = written("openai-chat", [Msg("", [TextBlock("Hear"), flac], "user")], "gpt-audio")
    assert losses == [("media.type", "$.messages[0].content[1].source")]
    body, losses = written("gemini", [Msg("", [flac], "user")])
    assert body["contents"][0]["parts"] == [
        {"inlineData": {"mimeType": "audio/flac", "data": "ZkxhQw=="}}
    ]
    assert losses == []


def test_case_95c_a_pdf_in_each_wires_own_form() -> None:
    pdf = DocumentBlock(Base64Source("application/pdf", "JVBERi0="), title="a.pdf")
    msgs = [Msg("", [TextBlock("Read"), pdf], "user")]
    uri = "data:application/pdf;base64,JVBERi0="
    found = {
        wire: written(wire, msgs)[0]
        for wire in ("openai-chat", "openai-responses", "anthropic", "gemini", "bedrock-converse",
                     "mistral")
    }  # fmt: skip
    assert found["openai-chat"]["messages"][0]["content"][1] == {
        "type": "file", "file": {"filename": "a.pdf", "file_data": uri}}  # fmt: skip
    assert found["openai-responses"]["input"][0]["content"][1] == {
        "type": "input_file", "filename": "a.pdf", "file_data": uri}  # fmt: skip
    assert found["anthropic"]["messages"][0]["content"][1]["source"] == {
        "type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}  # fmt: skip
    assert found["gemini"]["contents"][0]["parts"][1] == {
        "inlineData": {"mimeType": "application/pdf", "data": "JVBERi0="}}  # fmt: skip
    document = found["bedrock-converse"]["messages"][0]["content"][1]["document"]
    assert (document["format"], document["source"]) == ("pdf", {"bytes": "JVBERi0="})
    assert found["mistral"]["messages"][0]["content"][1]["document_url"] == uri


@each_case("wire", dragoman.wires())
def test_case_95d_nothing_vanishes(wire: str) -> None:
    film = VideoBlock(Base64Source("video/mp4", "AAAAGGZ0eXA="))
    picture = ImageBlock(Base64Source("image/png", "iVBORw0KGgo="))
    msgs = [Msg("", [TextBlock("S"), picture], "system"), Msg("", [TextBlock("See"), film], "user"),
            Msg("", [TextBlock("Look"), picture], "assistant"), Msg.user("On")]  # fmt: skip
    body, losses = written(wire, msgs)
    text = json.dumps(body)
    named = {where.removesuffix(".source") for _, where in losses}
    for data, where, count in (("AAAAGGZ0eXA=", "$.messages[1].content[1]", 1),
                               ("iVBORw0KGgo=", "$.messages[0].content[1]", 2)):  # fmt: skip
        assert text.count(data) == count or where in named


def test_case_95d_a_policy_refuses_it() -> None:
    film = VideoBlock(URLSource("https://example.com/a.mp4"))
    request = ChatRequest([Msg("", [TextBlock("See"), film], "user")])
    strict = dragoman.wire("anthropic", policy=dragoman.Policy(refuse=("dropped",)))
    with pytest.raises(dragoman.LossRefused) as caught:
        strict.write_request(request)
    assert [loss.code for loss in caught.value.losses] == ["block.unsupported"]
