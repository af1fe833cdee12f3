"""Answers of Mistral's chat completions: content in chunks, calls, figures, errors."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg
from dragoman.errors import ProviderError, ReadError
from dragoman.message import (
    ChatResponse,
    Citation,
    DocumentBlock,
    ImageBlock,
    RawBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    Usage,
)
from dragoman.protocols.mistral.usage import figures


def said(content: Any = "", reason: str | None = "stop", **message: Any) -> dict[str, Any]:
    told = {"role": "assistant", "content": content, "tool_calls": None, **message}
    choice = {"index": 0, "message": told, "finish_reason": reason}
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 7,
        "model": "m",
        "choices": [choice],
    }


def delta(reason: str | None = None, index: int = 0, **told: Any) -> dict[str, Any]:
    choice = {"index": index, "delta": told, "finish_reason": reason}
    return {"id": "c1", "object": "chat.completion.chunk", "created": 7, "model": "m",
            "choices": [choice], "p": "abc"}  # fmt: skip


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def thought(*said: str, **more: Any) -> dict[str, Any]:
    return {"type": "thinking", "thinking": [text(one) for one in said], **more}


def called(arguments: Any, **told: Any) -> dict[str, Any]:
    return {"id": "a1B2c3D4e", "type": "function", "index": 0, **told,
            "function": {"name": "look", "arguments": arguments}}  # fmt: skip


def read(body: Any) -> ChatResponse:
    return dragoman.wire("mistral").read_response(body)


def streamed(*events: Any) -> ChatResponse:
    decoder = dragoman.wire("mistral").stream_decoder()
    for one in events:
        decoder.feed(one)
    return decoder.finish()


def replayed(resp: ChatResponse, *rest: Msg) -> Any:
    request = ChatRequest([Msg.user("Hi"), resp.msg, *rest, Msg.user("On")])
    return dragoman.wire("mistral", policy="ignore").write_request(request).body["messages"][1]


def test_plain_text() -> None:
    resp = read(said("Samarkand"))
    assert resp.msg.blocks == [TextBlock("Samarkand")]
    assert (resp.model, resp.id, resp.status, resp.finish.raw) == ("m", "c1", "complete", "stop")
    assert resp.extras == {"mistral": {"created": 7}}
    events = [
        delta(role="assistant", content=""),
        delta(content="Samar"),
        delta("stop", content="kand"),
    ]
    stream = streamed(*events)
    assert (stream.msg, stream.finish) == (resp.msg, resp.finish)
    assert "abc" not in str(stream.extras)


def test_thinking_goes_back_as_it_came() -> None:
    content = [thought("Let me ", "see.", closed=True, signature="c2ln"), text("Yes.")]
    resp = read(said(content))
    block = ThinkingBlock("Let me see.", extras={"mistral": {"signature": "c2ln"}})
    assert resp.msg.blocks == [block, TextBlock("Yes.")]
    assert resp.msg.blocks[0].spelling == "closed 7 4"
    assert replayed(resp)["content"] == [
        thought("Let me see.", closed=True, signature="c2ln"), text("Yes."),
    ]  # fmt: skip


def test_thinking_that_is_more_than_text_goes_back_whole() -> None:
    inner = [text("As in "), {"type": "reference", "reference_ids": [3]}, text(" I read.")]
    whole = read(said([{"type": "thinking", "thinking": inner, "closed": True}, text("Yes.")]))
    parts = [[inner[0]], [inner[1]], [inner[2]]]
    chunks = [delta(content=[{"type": "thinking", "thinking": one}]) for one in parts]
    stream = streamed(*chunks, delta("stop", content=[text("Yes.")]))
    for resp in (whole, stream):
        first = resp.msg.blocks[0]
        assert isinstance(first, ThinkingBlock)
        assert first.thinking == "As in  I read."
        content = replayed(resp)["content"]
        assert content == [{"type": "thinking", "thinking": inner, "closed": True}, text("Yes.")]


def test_other_chunks_stand_between_texts() -> None:
    tool = {"type": "tool_reference", "tool": "web_search", "title": "A",
            "url": "https://example.com/a", "description": "as written"}  # fmt: skip
    content = [text("Oslo"), {"type": "reference", "reference_ids": [1, 2]}, text(" is big"), tool,
               text("."), {"type": "tomorrow", "x": 1}]  # fmt: skip
    whole = read(said(content))
    stream = streamed(*[delta(content=[one]) for one in content], delta("stop", content=""))
    for resp in (whole, stream):
        cited = Citation(url="https://example.com/a", title="A", quote="as written")
        assert resp.msg.blocks == [
            TextBlock("Oslo"), RawBlock("mistral", content[1]),
            TextBlock(" is big", [cited]),
            RawBlock("mistral", tool), TextBlock("."), RawBlock("mistral", content[5]),
        ]  # fmt: skip
        assert replayed(resp)["content"] == content


REFERRING = {"type": "reference", "reference_ids": [1, "a"], "text": "Oslo is big"}


def test_a_reference_with_a_text_says_it_everywhere() -> None:
    content = [text("I know: "), REFERRING, text(" yes")]
    whole = read(said(content))
    stream = streamed(*[delta(content=[one]) for one in content], delta("stop", content=""))
    for resp in (whole, stream):
        assert resp.text == "I know: Oslo is big yes"
        assert replayed(resp)["content"] == content
    for target in ("openai-chat", "anthropic", "gemini", "ollama", "bedrock"):
        out = dragoman.convert(said(content), "mistral", target, "response", policy="ignore")
        assert dragoman.wire(target).read_response(out.body).text == "I know: Oslo is big yes"
        where = "$.candidates[0].msg.content[1].extras.mistral.reference_ids"
        assert ("extras.other_provider", where) in [(loss.code, loss.where) for loss in out.losses]
        made = dragoman.convert_stream(
            [delta(content=[one]) for one in content] + [delta("stop", content="")],
            "mistral", target, policy="ignore",
        )  # fmt: skip
        decoder = dragoman.wire(target).stream_decoder()
        for event in made:
            decoder.feed(event.data, event.event)
        assert decoder.finish().text == "I know: Oslo is big yes"
        assert "reference_ids" in " ".join(loss.where for loss in made.losses)


@pytest.mark.parametrize("content", [[REFERRING], [text("By "), REFERRING]])
def test_a_reference_with_a_text_in_requests(content: list[Any]) -> None:
    told = {"model": "mistral-large-latest", "messages": [{"role": "user", "content": content}]}
    assert dragoman.convert(told, "mistral", "mistral").body == told
    out = dragoman.convert(told, "mistral", "gemini", policy="ignore")
    assert [part["text"] for part in out.body["contents"][0]["parts"]] == [
        one["text"] for one in content]  # fmt: skip
    where = f"$.messages[0].content[{len(content) - 1}].reference_ids"
    assert ("extras.other_provider", where) in [(loss.code, loss.where) for loss in out.losses]
    history = dragoman.wire("mistral").read_request(told).messages
    composed = dragoman.wire("mistral").write_request(dragoman.ChatRequest([
        dragoman.Msg("Tony", history[0].content, "user")]))  # fmt: skip
    assert composed.body["messages"][0]["content"] == content


@pytest.mark.parametrize("odd", [{**REFERRING, "text": ""}, {**REFERRING, "text": 1}])
def test_a_reference_without_words_stays_as_it_came(odd: dict[str, Any]) -> None:
    resp = read(said([text("a"), odd]))
    assert resp.msg.blocks == [TextBlock("a"), RawBlock("mistral", odd)]
    assert replayed(resp)["content"] == [text("a"), odd]


def test_media_in_content() -> None:
    resp = read(said([
        {"type": "image_url", "image_url": {"url": "https://example.com/a.png", "detail": "low"}},
        {"type": "image_url", "image_url": "https://example.com/b.png"},
        {"type": "document_url", "document_url": "https://example.com/a.pdf", "document_name": "a"},
    ]))  # fmt: skip
    assert resp.msg.blocks == [
        ImageBlock(URLSource("https://example.com/a.png"), detail="low"),
        ImageBlock(URLSource("https://example.com/b.png")),
        DocumentBlock(URLSource("https://example.com/a.pdf"), "a"),
    ]


@pytest.mark.parametrize("arguments", ['{"a": 1}', {"a": 1}])
def test_calls(arguments: Any) -> None:
    text = arguments if isinstance(arguments, str) else None
    whole = read(said(reason="tool_calls", tool_calls=[called(arguments)]))
    stream = streamed(delta("tool_calls", tool_calls=[called(arguments)]))
    for resp in (whole, stream):
        (call,) = resp.calls
        assert call == ToolUseBlock("a1B2c3D4e", "look", {"a": 1}, text)
        assert resp.finish.reason == "tool_calls"
        result = Msg("", [ToolResultBlock(call.id, "look", "ok")], "tool")
        assert replayed(resp, result)["tool_calls"][0]["id"] == "a1B2c3D4e"


def test_an_id_that_is_the_word_null_is_none() -> None:
    for told in (read(said(tool_calls=[called("{}", id="null")])),
                 streamed(delta("tool_calls", tool_calls=[called("{}", id="null")]))):  # fmt: skip
        (call,) = told.calls
        assert call.id.startswith("call_")
        assert call.spelling == "made"


def test_fragments_of_hosted_models() -> None:
    def piece(said: str, index: int, **told: Any) -> dict[str, Any]:
        return {
            "index": index,
            "type": "function",
            "function": {"name": "", "arguments": said},
            **told,
        }

    first = {"id": "chatcmpl-tool-1", "index": 0, "function": {"name": "look", "arguments": ""}}
    second = {"id": "chatcmpl-tool-2", "index": 1, "function": {"name": "hear", "arguments": ""}}
    resp = streamed(
        delta(content="", tool_calls=[first]), delta(content="", tool_calls=[piece('{"a"', 0)]),
        delta(tool_calls=[second]), delta(tool_calls=[piece(":1}", 0), piece("{}", 1)]),
        delta("tool_calls", content=""),
    )  # fmt: skip
    assert [(c.id, c.name, c.input) for c in resp.calls] == [
        ("chatcmpl-tool-1", "look", {"a": 1}), ("chatcmpl-tool-2", "hear", {}),
    ]  # fmt: skip
    assert [block.type for block in resp.msg.blocks] == ["tool_use", "tool_use"]


def test_whole_calls_in_several_chunks_without_an_index() -> None:
    calls = [called("{}", id=f"a1B2c3D4{n}") for n in range(3)]
    for one in calls:
        del one["index"]
    resp = streamed(*[delta(tool_calls=[one]) for one in calls], delta("tool_calls"))
    assert [call.id for call in resp.calls] == ["a1B2c3D40", "a1B2c3D41", "a1B2c3D42"]


def test_a_limit_inside_a_call_leaves_nothing_to_run() -> None:
    for resp in (read(said(reason="length", tool_calls=[called('{"a": "x')])),
                 streamed(delta("length", tool_calls=[called('{"a": "x')]))):  # fmt: skip
        assert resp.calls == []
        assert resp.status == "truncated"
        block = resp.msg.blocks[0]
        assert isinstance(block, ToolUseBlock)
        assert (block.raw_input, block.unfinished) == ('{"a": "x', True)


@pytest.mark.parametrize(
    ("raw", "reason"),
    [("stop", "stop"), ("length", "length"), ("model_length", "context_overflow"),
     ("error", "error"), ("tomorrow", "other")],
)  # fmt: skip
def test_reasons(raw: str, reason: str) -> None:
    assert read(said("x", raw)).finish == streamed(delta(raw, content="x")).finish
    assert read(said("x", raw)).finish.reason == reason


def test_several_choices_interleave() -> None:
    events = [
        delta(content="a", index=0),
        delta(content="c", index=1),
        delta("stop", content="b", index=0),
        delta("length", content="d", index=1),
    ]
    resp = streamed(*events)
    assert [(one.msg.text, one.finish.reason) for one in resp.candidates] == [
        ("ab", "stop"), ("cd", "length"),
    ]  # fmt: skip


def test_what_nobody_models_stays() -> None:
    told = said("x", prefix=False, tomorrow={"a": None})
    told["choices"][0] |= {"logprobs": {"content": [1]}, "messages": []}
    resp = read(told)
    assert resp.candidates[0].extras == {"mistral": {
        "message": {"prefix": False, "tomorrow": {"a": None}, "tool_calls": None},
        "logprobs": {"content": [1]}, "messages": [],
    }}  # fmt: skip
    stream = streamed(delta(content="x", prefix=False), delta("stop", metadata={"a": 1}, index=0))
    kept = {"mistral": {"message": {"prefix": False, "metadata": {"a": 1}}}}
    assert stream.candidates[0].extras == kept
    first, second = delta(content="x"), delta("stop", content="y")
    for n, one in enumerate((first, second)):
        one["choices"][0]["logprobs"] = {"content": [n]}
    assert streamed(first, second).candidates[0].extras == {
        "mistral": {"logprobs": {"content": [0, 1]}}
    }


def test_sound_stands_beside_the_prompt() -> None:
    told = {"prompt_tokens": 11, "completion_tokens": 15, "total_tokens": 401,
            "prompt_audio_seconds": 30, "service_tier": "standard",
            "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 375}}  # fmt: skip
    usage = read(said("x") | {"usage": told}).usage
    rest = {"mistral": {"prompt_audio_seconds": 30, "service_tier": "standard"}}
    assert usage == Usage(386, 0, None, 15, None, 375, None, 401, rest)
    assert figures(usage) | rest["mistral"] == told


@pytest.mark.parametrize(
    "cache",
    [{"prompt_tokens_details": {"cached_tokens": 64}}, {"num_cached_tokens": 64},
     {"prompt_tokens_details": {"cached_tokens": 64}, "num_cached_tokens": 64},
     {"prompt_token_details": {"cached_tokens": 64}}],
)  # fmt: skip
def test_the_cache_is_inside_of_the_prompt(cache: dict[str, Any]) -> None:
    told = {"prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 105, **cache}
    usage = streamed(delta("stop", content="x") | {"usage": told}).usage
    assert (usage.input, usage.cache_read, usage.output, usage.total) == (36, 64, 5, 105)
    kept = (usage.extras or {}).get("mistral", {})
    assert {
        **figures(usage, cache_field="num_cached_tokens" in kept),
        **kept,
    }.items() >= told.items()


@pytest.mark.parametrize(
    ("told", "status", "type", "word"),
    [({"object": "error", "message": "Bad args", "type": "invalid_request_invalid_args",
       "param": None, "code": "3051", "raw_status_code": 400}, 400, "invalid_request_invalid_args",
      "Bad args"),
     ({"detail": "Invalid API Key"}, None, "", "Invalid API Key"),
     ({"detail": [{"type": "extra_forbidden", "loc": ["body", "x"], "msg": "Extra inputs"}]}, None,
      "", "Extra inputs"),
     ({"message": "no Route matched", "request_id": "r"}, None, "", "no Route matched")],
)  # fmt: skip
def test_errors(told: Any, status: int | None, type: str, word: str) -> None:
    with pytest.raises(ProviderError, match=word) as caught:
        read(told)
    assert (caught.value.status, caught.value.type) == (status, type)
    resp = streamed(delta(content="Sama"), told)
    assert (resp.status, resp.text) == ("error", "Sama")


@pytest.mark.parametrize("told", [{}, {"choices": 5}, "x", 5])
def test_what_is_no_answer(told: Any) -> None:
    with pytest.raises(ReadError):
        read(told)


def test_objects_of_the_sdk() -> None:
    models = pytest.importorskip("mistralai.client.models")
    told = said([thought("hm", closed=True), text("Yes.")], tool_calls=[called("{}")])
    told |= {"usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}}
    whole = read(models.ChatCompletionResponse.model_validate(told))
    assert whole.msg == read(told).msg
    events = [delta(content=[thought("hm")]), delta("stop", content="Yes.")]
    given = [models.CompletionEvent.model_validate({"data": one}) for one in events]
    assert streamed(*given).msg == streamed(*events).msg


def test_a_reason_that_is_an_error_is_one() -> None:
    decoder = dragoman.wire("mistral").stream_decoder()
    for delta, reason in (({"content": "Half"}, None), ({}, "error")):
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        decoder.feed({"id": "1", "object": "chat.completion.chunk", "choices": [choice]})
    resp = decoder.finish()
    assert (resp.status, resp.finish.reason, resp.text) == ("error", "error", "Half")
    assert resp.error is not None
    assert resp.error.type == "error"


def test_what_a_choice_lacks_it_does_not_gain() -> None:
    """The SDK's types let a server leave out the message, its role, and the id of a call."""
    function = {"name": "look", "arguments": "{}"}
    wire = dragoman.wire("mistral")
    for choice in (
        {"index": 0, "finish_reason": "stop"},
        {"index": 0, "finish_reason": "stop", "message": {"content": "Hi"}},
        {"index": 0, "finish_reason": "tool_calls",
         "message": {"role": "assistant", "tool_calls": [{"function": function}]}},
    ):  # fmt: skip
        body = {"id": "1", "object": "chat.completion", "model": "m", "choices": [choice]}
        assert wire.write_response(wire.read_response(body)).body == body
