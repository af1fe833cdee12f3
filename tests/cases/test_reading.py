"""Cases of reading answers and streams, on Chat Completions unless another wire is meant."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg
from dragoman.errors import StreamError
from dragoman.message import ChatResponse, Finish, Usage
from tests.laws.judging import request_faults
from tests.laws.test_linear import work


def chunk(delta: Any, finish: str | None = None, **more: Any) -> dict[str, Any]:
    """One chunk with one choice."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {
        "id": "c1",
        "object": "chat.completion.chunk",
        "model": "m",
        "choices": [choice],
        **more,
    }


def part(**told: Any) -> dict[str, Any]:
    """A chunk with one fragment of a call; `name` and `arguments` of its function."""
    function = {key: told.pop(key) for key in ("name", "arguments") if key in told}
    return chunk({"tool_calls": [{**told, "function": function}]})


def body(message: Any, finish: str | None = "stop", **more: Any) -> dict[str, Any]:
    """A whole answer."""
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    return {"id": "c1", "object": "chat.completion", "model": "m", "choices": [choice], **more}


def read(*chunks: Any, wire: str = "openai-chat") -> ChatResponse:
    """The answer of a stream."""
    decoder = dragoman.wire(wire).stream_decoder()
    for one in chunks:
        decoder.feed(one)
    return decoder.finish()


def whole(told: Any, wire: str = "openai-chat") -> ChatResponse:
    return dragoman.wire(wire).read_response(told)


def decoded(*pieces: bytes) -> ChatResponse:
    """The answer of a body in pieces."""
    decoder = dragoman.wire("openai-chat").stream_decoder()
    for one in pieces:
        decoder.feed_bytes(one)
    return decoder.finish()


def sse(chunks: Iterable[Any]) -> bytes:
    return b"".join(b"data: " + json.dumps(one).encode() + b"\n\n" for one in chunks)


END = chunk({}, "tool_calls")
HI = [chunk({"content": "Hi"}), chunk({}, "stop")]


def called(resp: ChatResponse) -> list[Any]:
    return [(call.id, call.name, call.input) for call in resp.calls]


def test_case_15_parallel_calls_under_one_index_or_none() -> None:
    two = [("a", "f", {"x": 1}), ("b", "f", {"x": 2})]
    shared = [part(index=0, id="a", name="f", arguments='{"x":1}'),
              part(index=0, id="b", name="f", arguments='{"x":2}')]  # fmt: skip
    assert called(read(*shared, END)) == two
    without = [
        part(id="a", name="f", arguments=""), part(arguments='{"x":1}'), part(id="b", name="f"),
        part(id="", arguments='{"x"'), part(arguments=":2}"),
    ]  # fmt: skip
    assert called(read(*without, END)) == two
    nameless = [
        part(index=0, name="f", arguments='{"x":1}'),
        part(index=0, name="f", arguments='{"x":2}'),
    ]
    ours = read(*nameless, END)
    assert [(call.name, call.input) for call in ours.calls] == [("f", {"x": 1}), ("f", {"x": 2})]
    assert len({call.id for call in ours.calls}) == 2
    glued = read(part(index=0, id="a", name="f", arguments='{"x":1}{"x":2}'), END)
    assert [call.input for call in glued.calls] == [{"x": 1}, {"x": 2}]
    assert glued.calls[0].id == "a"


def test_case_15_fragments_that_repeat_the_id_or_have_none_go_on() -> None:
    told = [
        part(index=0, id="a", name="f", arguments='{"x'),
        part(index=0, id="a", name="f", arguments='":'),
        part(index=0, id="", name="", arguments="1"),
        part(index=0, id=None, name=None, arguments="}"),
    ]
    assert called(read(*told, END)) == [("a", "f", {"x": 1})]


@pytest.mark.parametrize("raw", ["", "  ", None, "null"])
def test_case_16_a_call_without_arguments(raw: str | None) -> None:
    call = {"id": "a", "type": "function", "function": {"name": "now", "arguments": raw}}
    assert called(whole(body({"content": None, "tool_calls": [call]}))) == [("a", "now", {})]
    streamed = read(part(index=0, id="a", name="now", arguments=raw), END)
    assert (
        called(streamed)
        == called(read(part(index=0, id="a", name="now"), END))
        == [("a", "now", {})]
    )
    assert not streamed.calls[0].unfinished


def test_case_26_the_content_says_why_it_stopped() -> None:
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    assert whole(body({"tool_calls": [call]})).finish == Finish("tool_calls", "stop")
    announced = whole(body({"content": "Hi"}, "tool_calls")).finish
    assert announced == Finish("malformed_call", "tool_calls"), "a call was to come, and is none"
    assert read(part(index=0, id="a", name="f"), chunk({}, "stop")).finish == Finish(
        "tool_calls", "stop"
    )
    empty = whole(body({"content": ""}))
    assert (empty.status, empty.finish.reason, empty.text) == ("complete", "stop", "")


@pytest.mark.parametrize("reason", ["tool_calls", "length", "stop"])
def test_case_27_a_call_that_breaks_off_is_never_run(reason: str) -> None:
    told = [part(index=0, id="a", name="write", arguments='{"path": "a.py", "content": "import')]
    resp = read(*told, chunk({}, reason))
    assert resp.calls == []
    assert resp.status == "truncated"
    (kept,) = resp.msg.calls
    assert (kept.unfinished, kept.raw_input) == (True, '{"path": "a.py", "content": "import')


def test_case_27_a_limit_makes_whole_arguments_doubtful() -> None:
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    resp = whole(body({"tool_calls": [call]}, "length"))
    assert (resp.calls, resp.status) == ([], "truncated")


@pytest.mark.parametrize(
    ("raw", "input"),
    [
        ('"{\\"a\\": 1}"', {"a": 1}),
        ({"a": 1}, {"a": 1}),
        ('{"a": "x\ny"}', {"a": "x\ny"}),
        ("{'q': \"it's\"}", "{'q': \"it's\"}"),
        ('{"a": 1,}', '{"a": 1,}'),
        ("[1]", "[1]"),
        ('{"q": "it\'s {\\"ok\\"}"}', {"q": 'it\'s {"ok"}'}),
    ],
)
def test_case_29_arguments_are_unwrapped_never_mended(raw: Any, input: Any) -> None:
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": raw}}
    (one,) = whole(body({"tool_calls": [call]}, "tool_calls")).calls
    assert one.input == input
    assert one.raw_input == (raw if isinstance(raw, str) else None)


def test_case_30_a_chunk_with_usage_and_no_choices() -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}
    none: list[dict[str, Any]] = [{"choices": []}, {"choices": None}, {}]
    for choices in none:
        last = {"id": "c1", "object": "chat.completion.chunk", **choices, "usage": usage}
        resp = read(*HI, last, "[DONE]")
        assert (resp.text, resp.status, resp.finish.reason) == ("Hi", "complete", "stop")
        assert resp.usage == Usage(input=9, output=2, total=11)
        first = {key: value for key, value in last.items() if key != "usage"}
        assert read(first, *HI).status == "complete", "also in front, and without usage"
    assert read(*HI, chunk({}, usage=None), {"choices": [], "usage": usage}).usage.total == 11


@pytest.mark.parametrize(
    "last",
    [
        {"error": {"code": 502, "message": "Upstream broke"}, "choices": []},
        {"error": {"code": 502, "message": "Upstream broke"}},
        {"id": "c1", "object": "chat.completion.chunk",
         "error": {"code": 502, "message": "Upstream broke"},
         "choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "error"}]},
    ],
)  # fmt: skip
def test_case_31_an_error_inside_of_a_stream(last: Any) -> None:
    resp = read(chunk({"content": "Half"}), part(index=0, id="a", name="f", arguments='{"x'), last)
    assert (resp.status, resp.text, resp.calls) == ("error", "Half", [])
    assert isinstance(resp.error, StreamError)
    assert (resp.error.message, resp.error.code, resp.error.status) == (
        "Upstream broke",
        "502",
        502,
    )
    assert resp.error.response is resp


def test_case_31_of_ollama_and_anthropic() -> None:
    line = {"model": "m", "message": {"role": "assistant", "content": "Half"}, "done": False}
    resp = read(line, {"error": "out of memory"}, wire="ollama")
    assert (resp.status, resp.text) == ("error", "Half")
    assert resp.error is not None
    assert resp.error.message == "out of memory"


def test_case_81_a_stream_without_an_end_is_interrupted() -> None:
    half = chunk({"content": "Hel"})
    assert read(half).status == "interrupted"
    ended = read(half, "[DONE]")
    assert (ended.status, ended.finish) == ("complete", Finish("other")), "ended, and not why"
    assert read(*HI).status == "complete", "nor is it needed"
    assert read().status == "interrupted"
    ollama = {"model": "m", "message": {"role": "assistant", "content": "Hel"}, "done": False}
    assert read(ollama, wire="ollama").status == "interrupted"


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_case_84_the_grammar_of_server_sent_events(ending: str) -> None:
    first, last = (json.dumps(one) for one in HI)
    at = first.index(",") + 1  # an event in two data lines
    lines = ["\ufeff: hi", "", f"data:{first[:at]}", f"data: {first[at:]}", "id: 7", "retry: 3", "",
             f"event: chunk{ending}data: {last}", "", "data:[DONE]"]  # fmt: skip
    sent = ending.join(lines).encode()
    for cut in range(len(sent)):
        resp = decoded(sent[:cut], sent[cut:])
        assert (resp.text, resp.status) == ("Hi", "complete")
    assert decoded(sse(HI[:1]), f"data: {last}".encode()).status == "complete", "no blank line"


def test_case_84_json_lines_and_arrays() -> None:
    told = [{"model": "m", "message": {"role": "assistant", "content": text}, "done": text == ""}
            for text in ("H", "i", "")]  # fmt: skip
    decoder = dragoman.wire("ollama").stream_decoder()
    decoder.feed_bytes("\n".join(json.dumps(one) for one in told).encode())
    assert (decoder.finish().text, decoder.finish().status) == ("Hi", "complete")
    parts = [
        {"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}}]} for text in "Hi"
    ]
    parts[-1]["candidates"][0]["finishReason"] = "STOP"  # type: ignore[assignment]  # beside a list
    decoder = dragoman.wire("gemini").stream_decoder()
    decoder.feed_bytes(json.dumps(parts, indent=1).encode())
    assert (decoder.finish().text, decoder.finish().status) == ("Hi", "complete")


def test_case_85_halves_of_a_character_in_two_deltas() -> None:
    smile = "\\ud83d\\ude00"
    halves = [json.dumps(chunk({"content": "?"})).replace("?", text)
              for text in ("ok ", smile[:6], smile[6:])]  # fmt: skip
    resp = read(*halves, chunk({}, "stop"))
    assert resp.text == "ok \U0001f600"
    args = ['{"a": "', smile[:6], smile[6:], '"}']
    raw = read(
        part(index=0, id="a", name="f"), *(part(index=0, arguments=text) for text in args), END
    )
    assert raw.calls[0].input == {"a": "\U0001f600"}, "escapes of the arguments' own JSON"
    lone = read(halves[1], chunk({}, "stop"))
    assert lone.text == "\ufffd"
    assert lone.msg.extras == {"dragoman": {"healed": ["content[0].text"]}}


def test_case_87_comments_keep_alives_and_what_is_no_json() -> None:
    noise = b": OPENROUTER PROCESSING\n\n: keepalive\n:\n\nevent: ping\ndata: {}\n\ndata: : odd\n\n"
    first, last = sse(HI[:1]), sse(HI[1:])
    for sent in (noise + first + last, first + noise + last, first + last + noise):
        resp = decoded(sent)
        assert (resp.text, resp.status, resp.finish.raw) == ("Hi", "complete", "stop")
    odd = decoded(first, b"data: : odd\n\n", last)
    assert odd.status == "complete"
    assert odd.extras is not None
    assert odd.extras["openai-chat"]["events"] == [{"event": None, "payload": ": odd"}]


def test_case_88_characters_cut_by_the_network() -> None:
    told = [
        chunk({"content": "北京 é \U0001f54c"}),
        part(index=0, id="a", name="f", arguments='{"t": "北"}'),
        END,
    ]
    sent = b"".join(
        b"data: " + json.dumps(one, ensure_ascii=False).encode() + b"\n\n" for one in told
    )
    for cut in range(len(sent)):
        resp = decoded(sent[:cut], sent[cut:])
        assert resp.text == "北京 é \U0001f54c"
        assert resp.calls[0].input == {"t": "北"}


def test_case_89_work_grows_with_the_stream_not_with_its_square() -> None:
    def streamed(deltas: int) -> int:
        told = [chunk({"content": "x"}), part(index=0, id="a", name="f", arguments='{"t": "')]
        more = [
            one
            for _ in range(deltas)
            for one in (chunk({"content": "x"}), part(index=0, arguments="y"))
        ]
        sent = sse([*told, *more, part(index=0, arguments='"}'), END])
        pieces = [sent[at : at + 50] for at in range(0, len(sent), 50)]
        resp = decoded(*pieces)
        assert (len(resp.text), len(resp.calls[0].input["t"])) == (deltas + 1, deltas)
        return work(lambda: decoded(*pieces))

    assert streamed(400) / streamed(100) < 5


def test_case_92_an_interrupted_answer_goes_back_without_what_broke_off() -> None:
    resp = read(chunk({"content": "Let me look."}),
                part(index=0, id="a", name="look", arguments='{"query": "hello wor'))  # fmt: skip
    assert resp.status == "interrupted"
    assert resp.calls == []
    wire = dragoman.wire("openai-chat", policy="ignore")
    out = wire.write_request(ChatRequest([Msg.user("Hi"), resp.msg, Msg.user("Go on.")], model="m"))
    assert request_faults(wire, out) == []
    assert out.body["messages"][1] == {"role": "assistant", "content": "Let me look."}
    assert "call.unfinished" in {loss.code for loss in out.losses}


def test_case_93_figures_are_disjoint_and_counted_once() -> None:
    usage = {"prompt_tokens": 10007, "completion_tokens": 50, "total_tokens": 10057,
             "prompt_tokens_details": {"cached_tokens": 10000},
             "completion_tokens_details": {"reasoning_tokens": 30}}  # fmt: skip
    made = Usage(input=7, cache_read=10000, output=50, reasoning=30, total=10057)
    assert whole(body({"content": "Hi"}, usage=usage)).usage == made
    early = {"prompt_tokens": 10007, "completion_tokens": 1, "total_tokens": 10008}
    told = [chunk({"content": "Hi"}, usage=early), chunk({}, "stop", usage=usage)]
    assert read(*told).usage == made, "cumulative figures replace, they are not added"
    assert whole(body({"content": "Hi"})).usage == Usage(), "unknown is not zero"
    assert whole(body({"content": "Hi"}, usage={"prompt_tokens": 0})).usage.input == 0
    anthropic = {"id": "m", "type": "message", "role": "assistant", "model": "c", "content": [],
                 "stop_reason": "end_turn",
                 "usage": {"input_tokens": 7, "cache_read_input_tokens": 10000,
                           "output_tokens": 50}}  # fmt: skip
    assert whole(anthropic, "anthropic").usage.input == 7
