"""Answers of DashScope: both endpoints, whole and streamed, and what is wrong with them."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg
from dragoman.errors import ProviderError
from dragoman.message import (
    AudioBlock,
    Base64Source,
    ImageBlock,
    RawBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    URLSource,
    Usage,
)
from tests.protocols.dashscope.answers import ANSWER, ERROR, OWN, frame, streamed, whole


def test_a_whole_answer() -> None:
    call = {"index": 0, "id": "call_1", "type": "function",
            "function": {"name": "look", "arguments": '{"city": "Oslo"}'}}  # fmt: skip
    told = frame({"content": "", "reasoning_content": "hm", "tool_calls": [call]}, "tool_calls")
    told["output"]["choices"][0]["index"] = 0
    resp = whole({**told, "usage": {"input_tokens": 9, "output_tokens": 5, "total_tokens": 14}})
    thought, read = resp.msg.blocks
    assert thought == ThinkingBlock("hm")
    assert isinstance(read, ToolUseBlock)
    assert (read.id, read.name, read.input) == ("call_1", "look", {"city": "Oslo"})
    assert read.extras == {ANSWER: {"index": 0}}
    assert (resp.id, resp.model, resp.status) == ("r-1", None, "complete")
    assert (resp.finish.reason, resp.finish.raw) == ("tool_calls", "tool_calls")
    assert resp.usage == Usage(input=9, output=5, total=14)
    assert resp.candidates[0].extras == {OWN: {"message": {"content": ""}, "index": 0}}


def test_a_forced_call_that_stops() -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": ""}}
    resp = whole(frame({"content": "", "tool_calls": [call]}, "stop"))
    assert (resp.finish.reason, resp.finish.raw) == ("tool_calls", "stop")
    assert resp.calls[0].input == {}


@pytest.mark.parametrize("ids", [("call_1", "call_2"), ("call_1", "call_1"), ("", "")])
@pytest.mark.parametrize("index", [True, False])
def test_calls_of_a_whole_answer_are_as_many_as_are_listed(
    ids: tuple[str, str], index: bool
) -> None:
    calls = [
        {"id": id, "type": "function", "function": {"name": "look", "arguments": text}}
        | ({"index": nth} if index else {})
        for nth, (id, text) in enumerate(zip(ids, ('{"a": 1}', '{"a": 12}'), strict=True))
    ]
    resp = whole(frame({"content": "", "tool_calls": calls}, "tool_calls"))
    assert [call.input for call in resp.calls] == [{"a": 1}, {"a": 12}]


def test_content_in_parts() -> None:
    parts: list[Any] = [
        {"text": "Look:"},
        {"image": "https://a.example/cat.png"},
        {"image": "data:image/png;base64,iVBORw0KGgo="},
        {"text": "OSLO", "ocr_result": {"words_info": []}},
        {"box": [1, 2]},
        {"text": None},
    ]
    resp = whole(frame({"content": parts}, "stop"))
    assert resp.msg.blocks == [
        TextBlock("Look:"),
        ImageBlock(URLSource("https://a.example/cat.png")),
        ImageBlock(Base64Source("image/png", "iVBORw0KGgo=", parts[2]["image"])),
        TextBlock("OSLO", extras={ANSWER: {"ocr_result": {"words_info": []}}}),
        RawBlock(OWN, {"box": [1, 2]}),
    ]
    empty = [None, None, None, None, None, {"text": None}]
    assert resp.candidates[0].extras == {OWN: {"message": {"content": empty}}}


def test_an_answer_of_text_alone() -> None:
    output = {"text": "Hi", "finish_reason": "stop", "choices": None}
    resp = whole({"output": output, "request_id": "r-1"})
    assert resp.msg.blocks == [TextBlock("Hi")]
    assert resp.finish.reason == "stop"
    events = [{"output": {"text": t, "finish_reason": "null"}} for t in ("a", "b", "c")]
    resp = streamed(*events, {"output": {"text": "", "finish_reason": "length"}})
    assert (resp.text, resp.status) == ("abc", "truncated")


def test_what_stands_beside_the_choices() -> None:
    found = {"search_results": [{"index": 1, "title": "Oslo", "url": "https://a.example"}]}
    told = frame({"content": "Hi"}, "stop")
    told["output"] |= {"search_info": found, "model_name": "qwen-max-0919", "text": None}
    told["cluster"] = {"zone": "a"}
    resp = whole(told)
    output = {"search_info": found, "model_name": "qwen-max-0919", "text": None}
    assert resp.extras == {OWN: {"output": output, "cluster": {"zone": "a"}}}
    assert resp.model == "qwen-max-0919"


def test_usage_is_disjoint_and_keeps_the_rest() -> None:
    told = {
        "input_tokens": 2807, "output_tokens": 103, "total_tokens": 2910,
        "input_tokens_details": {"image_tokens": 2503, "text_tokens": 304},
        "output_tokens_details": {"reasoning_tokens": 38, "text_tokens": 65},
        "prompt_tokens_details": {"cached_tokens": 2000, "cache_creation_input_tokens": 300,
                                  "cache_type": "ephemeral"},
        "image_tokens": 2503, "plugins": {"search": {"count": 1}},
    }  # fmt: skip
    resp = whole({**frame({"content": "Hi"}, "stop"), "usage": told})
    assert resp.usage == Usage(
        507, 2000, 300, 103, 38, total=2910,
        extras={OWN: {
            "input_tokens_details": {"image_tokens": 2503, "text_tokens": 304},
            "output_tokens_details": {"text_tokens": 65},
            "prompt_tokens_details": {"cache_type": "ephemeral"},
            "image_tokens": 2503, "plugins": {"search": {"count": 1}},
        }},
    )  # fmt: skip
    resp = whole({**frame({"content": "Hi"}, "stop"), "usage": {"prompt_tokens_details": {}}})
    assert resp.usage == Usage(extras={OWN: {"prompt_tokens_details": {}}})


def test_several_choices_each_with_its_bill() -> None:
    def one(index: int, text: str, tokens: int, reason: str = "null") -> Any:
        told = frame({"content": text}, reason, tokens)
        told["output"]["choices"][0]["index"] = index
        return told

    resp = streamed(
        one(0, "a", 1), one(1, "x", 1), one(0, "b", 2), one(1, "y", 2),
        one(0, "", 2, "stop"), one(1, "z", 3, "stop"),
    )  # fmt: skip
    assert [c.msg.text for c in resp.candidates] == ["ab", "xyz"]
    assert (resp.usage.input, resp.usage.output) == (9, 5)


def test_speech() -> None:
    said = {"data": "UklGRg==", "url": "", "id": "audio_1", "expires_at": 1}
    resp = whole({"output": {"audio": said, "finish_reason": "stop"}, "request_id": "r-1"})
    block = resp.msg.blocks[0]
    assert isinstance(block, AudioBlock)
    assert block.source == Base64Source("audio/wav", "UklGRg==")
    assert block.extras == {ANSWER: {"url": "", "id": "audio_1", "expires_at": 1}}
    pieces = [{"output": {"audio": {"data": data, "id": "audio_1"}, "finish_reason": "null"}}
              for data in ("UklG", "Rg==")]  # fmt: skip
    last = {"output": {"audio": {"data": "", "url": "https://a.example/1.wav"},
                       "finish_reason": "stop"}}  # fmt: skip
    block = streamed(*pieces, last).msg.blocks[0]
    assert isinstance(block, AudioBlock)
    assert block.source == Base64Source("audio/wav", "UklGRg==")
    assert (block.extras or {})[ANSWER]["url"] == "https://a.example/1.wav"
    link = {"audio": {"url": "https://a.example/1.wav", "data": ""}, "finish_reason": "stop"}
    block = whole({"output": link}).msg.blocks[0]
    assert isinstance(block, AudioBlock)
    assert block.source == URLSource("https://a.example/1.wav")


def test_errors() -> None:
    with pytest.raises(ProviderError) as caught:
        dragoman.wire("dashscope").read_response(ERROR, status=401)
    error = caught.value
    assert (error.status, error.code, error.message) == (
        401, "InvalidApiKey", "Invalid API-key provided.",
    )  # fmt: skip


@pytest.mark.parametrize(
    "body",
    [
        {"output": {"choices": ["text"]}},
        {"output": {"text": 7}},
        {"request_id": "r-1"},
    ],
)
def test_a_shape_that_nobody_knows_is_kept(body: dict[str, Any]) -> None:
    resp = streamed(body)
    assert (resp.extras or {})[OWN]["events"][0]["payload"] == body


@pytest.mark.parametrize(
    "body",
    [
        {"output": {"choices": [{"message": {"content": 7}, "finish_reason": "stop"}]}},
        frame({"content": "", "tool_calls": [{"function": {"name": 7}}]}, "stop"),
    ],
)
def test_one_odd_value_is_kept_at_its_place(body: dict[str, Any]) -> None:
    resp = streamed(body)
    assert (resp.extras or {})[OWN]["events"][0]["payload"] == 7
    assert resp.finish.raw == "stop"


def test_objects_of_the_sdk() -> None:
    pytest.importorskip("dashscope")
    from dashscope.api_entities.dashscope_response import (
        DashScopeAPIResponse,
        GenerationResponse,
        MultiModalConversationResponse,
    )

    for kind, content in (
        (GenerationResponse, "Hi"), (MultiModalConversationResponse, [{"text": "Hi"}]),
    ):  # fmt: skip
        told = frame({"content": content}, "stop")
        raw = DashScopeAPIResponse(
            status_code=HTTPStatus.OK, request_id="r-1", code="", message="",
            output=told["output"], usage={"input_tokens": 9, "output_tokens": 1},
        )  # fmt: skip
        resp = dragoman.wire("dashscope").read_response(kind.from_api_response(raw))
        assert (resp.text, resp.id, resp.usage.output) == ("Hi", "r-1", 1)
        assert resp.extras is None
        stream = streamed(*(kind.from_api_response(raw) for _ in range(2)))
        assert stream.text == "Hi"
    wrong = DashScopeAPIResponse(
        status_code=400, request_id="r-1", code="InvalidParameter", message="url error",
        output=None, usage=None,
    )  # fmt: skip
    with pytest.raises(ProviderError) as caught:
        dragoman.wire("dashscope").read_response(GenerationResponse.from_api_response(wrong))
    assert (caught.value.status, caught.value.code) == (400, "InvalidParameter")


def test_an_answer_goes_back_as_history() -> None:
    call = {"index": 0, "id": "call_1", "type": "function",
            "function": {"name": "look", "arguments": '{"city":"Oslo"}'}}  # fmt: skip
    target = dragoman.wire("dashscope", policy="ignore")
    resp = target.read_response(frame({"content": "", "tool_calls": [call]}, "tool_calls"))
    msgs = [Msg.user("Weather?"), resp.msg]
    body = target.write_request(ChatRequest(msgs), "qwen-max").body
    said = {"id": "call_1", "type": "function",
            "function": {"name": "look", "arguments": '{"city":"Oslo"}'}}  # fmt: skip
    assert body["input"]["messages"][1]["tool_calls"] == [said]


def test_tags_in_the_text_are_thinking_where_no_field_has_any() -> None:
    resp = whole(frame({"content": [{"text": "<think>\nhm\n</think>\n\nHi"}]}, "stop"))
    assert resp.msg.blocks == [ThinkingBlock("hm"), TextBlock("Hi")]
    message = {"content": "<think>hm</think>Hi", "reasoning_content": "real"}
    resp = whole(frame(message, "stop"))
    assert resp.msg.blocks == [ThinkingBlock("real"), TextBlock("<think>hm</think>Hi")]
