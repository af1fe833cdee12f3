"""convert, convert_stream and detect: the doors from one wire to another."""

from __future__ import annotations

import copy
import json
import sys
import time
from datetime import datetime
from types import FrameType
from typing import Any

import pytest

import dragoman
from dragoman import ConfigError, LossRefused, Msg, Policy, ReadError, Vendor, WriteError
from dragoman.conversion.wires import get_wire
from dragoman.history.pipeline import FormatStyle
from dragoman.losses.policies import LossLog
from dragoman.protocols.openai_chat import Dialect
from dragoman.sealed_state import Envelope
from dragoman.vendors import PROTOCOLS
from tests.cases.converting import HI, OBJECT, chat, claude, converse, gemini, responses
from tests.cases.reading import chunk, said
from tests.each_case import each_case
from tests.laws.encoding import encoded

ACME = Vendor("acme", base_url="https://acme.example/v1", key="ACME_API_KEY",
              wires={"openai-chat": Dialect(max_tokens_key="max_tokens")})  # fmt: skip
TURN = {"role": "user", "content": [{"type": "text", "text": "Hi"}]}
BODIES: dict[str, dict[str, Any]] = {
    "openai-chat": chat(HI, tools=[{"type": "function", "function": {"name": "f"}}]),
    "openai-responses": responses(HI),
    "anthropic": claude(TURN, tools=[{"name": "f", "input_schema": OBJECT}]),
    "gemini": gemini({"role": "user", "parts": [{"text": "Hi"}]}),
    "dashscope": {"model": "qwen-max", "input": {"messages": [HI]}, "parameters": {}},
    "ollama": {"model": "qwen3", "messages": [HI], "options": {"num_predict": 5}},
    "bedrock-converse": converse({"role": "user", "content": [{"text": "Hi"}]}),
    "mistral": {"model": "mistral-small-latest", "messages": [HI], "random_seed": 1},
    "cohere": {"model": "command-a-03-2025", "messages": [HI], "documents": ["d"]},
}
USAGE = {"input_tokens": 1, "output_tokens": 2}
ANSWERS: dict[str, dict[str, Any]] = {
    "openai-chat": said({"content": "Hi"}),
    "openai-responses": {"id": "r", "object": "response", "created_at": 1, "status": "completed",
                         "model": "m", "output": []},
    "anthropic": {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [],
                  "stop_reason": "end_turn", "usage": USAGE},
    "gemini": {"candidates": [{"content": {"role": "model", "parts": [{"text": "Hi"}]}}]},
    "dashscope": {"output": {"choices": [{"finish_reason": "stop", "message": {
        "role": "assistant", "content": "Hi"}}]}, "request_id": "r"},
    "ollama": {"model": "qwen3", "created_at": "2026-11-21T00:00:00Z", "done": True,
               "message": {"role": "assistant", "content": "Hi"}},
    "bedrock-converse": {"output": {"message": {"role": "assistant", "content": []}},
                         "stopReason": "end_turn"},
}  # fmt: skip


@each_case("target", dragoman.wires())
@each_case("source", [name for name in PROTOCOLS if name in BODIES])
def test_every_wire_to_every_wire(source: str, target: str) -> None:
    body = copy.deepcopy(BODIES[source])
    path = "/model/m/converse" if source == "bedrock-converse" else None
    out = dragoman.convert(body, source, target, path=path, policy="ignore")
    assert "Hi" in json.dumps(out.body)
    assert body == BODIES[source]
    assert out.model
    assert out.path.startswith("/")
    back = dragoman.wire(target).read_request(out.body, out.path)
    said = "".join(m.get_text_content() or "" for m in back.messages)
    assert said.removeprefix("d\n") == "Hi"  # a document is one, or a text


@pytest.mark.parametrize("given", [json.dumps, lambda body: json.dumps(body).encode()])
def test_text_and_bytes_are_parsed(given: Any) -> None:
    told = chat(HI)
    assert dragoman.convert(given(told), "openai-chat", "anthropic").body == (
        dragoman.convert(told, "openai-chat", "anthropic").body)  # fmt: skip
    out = dragoman.convert(given(said({"content": "Yo"})), "auto", "anthropic", "response")
    assert out.body["content"] == [{"type": "text", "text": "Yo"}]


def test_wires_by_name_as_objects_and_as_vendors() -> None:
    told = chat(HI, max_completion_tokens=7)
    assert dragoman.convert(told, "openai-chat", ACME).body["max_tokens"] == 7
    assert dragoman.convert(told, "openai-chat", dragoman.wire(ACME)).body["max_tokens"] == 7
    with pytest.raises(ConfigError):
        dragoman.convert(told, "openai-chat", "acme")
    read = dragoman.convert({**chat(HI), "max_tokens": 7}, ACME, dragoman.wire("gemini"), model="g")
    assert read.body["generationConfig"] == {"maxOutputTokens": 7}


def test_whose_model_is_asked() -> None:
    out = dragoman.convert(chat(HI), "openai-chat", "anthropic", model="claude-opus-5-5")
    assert (out.body["model"], out.model) == ("claude-opus-5-5", "claude-opus-5-5")
    out = dragoman.convert(chat(HI), "openai-chat", "anthropic", policy="ignore")
    assert out.body["model"] == out.model == dragoman.wire("anthropic").room.model
    assert [loss.kind for loss in out.losses if loss.code == "model.other_provider"] == ["expected"]
    out = dragoman.convert(chat(HI), "openai-chat", "anthropic", policy="ignore", keep_model=True)
    assert out.body["model"] == "gpt-5.5"
    assert [loss.kind for loss in out.losses if loss.code == "model.kept"] == ["expected"]
    out = dragoman.convert({"messages": [HI]}, "openai-chat", "anthropic", policy="ignore")
    assert out.body["model"] == dragoman.wire("anthropic").room.model
    assert [loss.kind for loss in out.losses if loss.code == "model.default"] == ["added"]


@pytest.mark.parametrize(("source", "target"), [
    ("openai-chat", "openai-responses"), ("openai", "openai/openai-responses"),
    ("openai-responses", "openai"), ("gemini", "vertex"), ("anthropic", "bedrock/anthropic"),
    ("deepseek", "deepseek/anthropic"), ("openai-chat", "deepseek"),
])  # fmt: skip
def test_a_name_goes_from_one_wire_of_a_provider_to_another(source: str, target: str) -> None:
    req = dragoman.ChatRequest([Msg.user("Hi")], model="some-1")
    body = dragoman.wire(source, policy="ignore").write_request(req)
    out = dragoman.convert(body.body, source, target, path=body.path, policy="ignore")
    assert out.model == "some-1"


def test_no_maximum_is_no_failure() -> None:
    out = dragoman.convert(chat(HI), "openai-chat", "anthropic", model="claude-opus-5-5")
    assert out.body["max_tokens"] > 0
    assert [loss.kind for loss in out.losses if loss.code == "max_tokens.default"] == ["added"]


def test_the_path_says_model_and_stream() -> None:
    told = gemini({"role": "user", "parts": [{"text": "Hi"}]})
    path = "/v1beta/models/gemini-3.5-flash:streamGenerateContent?alt=sse"
    out = dragoman.convert(told, "gemini", "openai-chat", path=path, keep_model=True)
    assert (out.body["model"], out.body["stream"]) == ("gemini-3.5-flash", True)
    out = dragoman.convert(chat(HI, stream=True), "openai-chat", "gemini", model="g-1")
    assert out.path == "/models/g-1:streamGenerateContent?alt=sse"


def test_answers() -> None:
    out = dragoman.convert(ANSWERS["gemini"], "gemini", "openai-chat", "response", "shown")
    assert out.body["choices"][0]["message"]["content"] == "Hi"
    assert out.body["model"] == "shown"
    assert {loss.code for loss in out.losses} >= {"answer.field"}


def test_the_same_wire_says_the_same() -> None:
    for name, body in BODIES.items():
        if name in PROTOCOLS:
            assert dragoman.convert(body, name, name, policy="ignore").body == body
    for name, body in ANSWERS.items():
        assert dragoman.convert(body, name, name, "response", policy="ignore").body == body


def test_a_policy_refuses_before_anything_is_returned() -> None:
    told = chat({"role": "user", "name": "bob", "content": "Hi"}, temperature=0.5,
                logit_bias=[1])  # fmt: skip
    strict = Policy(refuse=("dropped", "degraded"))
    model = "mistral-large-latest"
    with pytest.raises(LossRefused) as caught:
        dragoman.convert(told, "openai-chat", "mistral", model=model, policy=strict)
    assert {loss.code for loss in caught.value.losses} == {
        "name.unsupported",
        "extras.other_provider",
    }
    assert {loss.where for loss in caught.value.losses} == {"$.messages[0].name", "$.logit_bias"}
    kind = Policy(refuse=("dropped",), allow=("name.*", "extras.other_provider"))
    out = dragoman.convert(told, "openai-chat", "mistral", model=model, policy=kind)
    assert out.body["temperature"] == 0.5
    with pytest.raises(LossRefused):
        dragoman.convert(told, "openai-chat", dragoman.wire("mistral", policy=strict), model=model)
    with pytest.raises(LossRefused):
        dragoman.convert(told, "openai-chat", "mistral", policy="refuse")
    with pytest.raises(LossRefused) as caught:
        dragoman.convert(ANSWERS["gemini"], "gemini", "openai-chat", "response", policy="refuse")
    assert caught.value.losses


def test_a_policy_that_ignores_logs_nothing(caplog: pytest.LogCaptureFixture) -> None:
    told = chat({**HI, "name": "bob"}, logit_bias={"5": 1})
    with caplog.at_level("DEBUG", "dragoman"):
        dragoman.convert(told, "openai-chat", dragoman.wire("mistral"))
        assert caplog.records
        caplog.clear()
        dragoman.convert(told, "openai-chat", dragoman.wire("mistral"), policy="ignore")
    assert caplog.records == []


@pytest.mark.parametrize("by_name", [True, False])
def test_conversions_onto_one_wire_log_each_code_once_an_hour(
    by_name: bool, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Requests, answers and streams: those that convert a million do not log a million lines."""
    monkeypatch.setattr(get_wire("ollama"), "loss_log", LossLog())
    seconds = [0.0]
    monkeypatch.setattr("dragoman.losses.policies.monotonic", lambda: seconds[0])
    target: Any = "ollama" if by_name else dragoman.wire("ollama")
    asked, answered = chat(HI, logit_bias={"5": 1}), said({"content": "Hi"})
    stream = [f"data: {json.dumps(chunk({'content': 'Hi'}, 'stop'))}\n\n".encode()]

    def lines() -> list[str]:
        caplog.clear()
        with caplog.at_level("DEBUG", "dragoman"):
            for _ in range(3):
                dragoman.convert(asked, "openai-chat", target)
                dragoman.convert(answered, "openai-chat", target, "response")
                list(dragoman.convert_stream(stream, "openai-chat", target))
        return [record.getMessage() for record in caplog.records]

    first = lines()
    assert any("logit_bias" in line for line in first), first
    assert any("answer.unsupported" in line for line in first), first
    codes = [line.split()[2] for line in first]
    assert len(set(codes)) == len(codes)
    assert lines() == []
    seconds[0] += 3600
    again = lines()
    assert [line.split()[2] for line in again] == codes
    assert all("more requests since the last line" in line for line in again)


def test_no_place_is_looked_for_that_is_not_logged(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is a walk over the whole body; the level of the log is mostly above that of the loss."""
    looked: list[int] = []
    monkeypatch.setattr("dragoman.losses.report.Index", lambda *_: looked.append(1))
    with caplog.at_level("WARNING", "dragoman"):
        written = dragoman.convert(chat(HI), "openai-chat", dragoman.wire("anthropic"))
    assert "max_tokens.default" in written.report.codes
    assert caplog.records == []
    assert looked == []


@pytest.mark.parametrize("body", ["[]", "1", b"null", "{", [], 5, None])
def test_what_is_no_body(body: Any) -> None:
    for kind in ("request", "response"):
        with pytest.raises(ReadError):
            dragoman.convert(body, "openai-chat", "anthropic", kind)
        with pytest.raises(ReadError):
            dragoman.convert(body, "auto", "anthropic", kind)


def test_errors_have_types() -> None:
    with pytest.raises(ConfigError) as config:
        dragoman.convert(chat(HI), "openai-chat", "nowhere")
    assert "nowhere" in str(config.value)
    with pytest.raises(ConfigError):
        dragoman.convert(chat(HI), "openai-chat", "gemini", "stream")  # type: ignore[arg-type]
    with pytest.raises(WriteError) as write:
        dragoman.convert(chat(), "openai-chat", "gemini")
    assert write.value.code == "messages.empty"
    with pytest.raises(dragoman.ProviderError) as provider:
        dragoman.convert({"error": {"message": "no", "type": "x"}}, "openai-chat", "gemini",
                         "response")  # fmt: skip
    assert "no" in str(provider.value)


@pytest.mark.parametrize("name", [name for name in PROTOCOLS if name in BODIES])
def test_each_body_is_detected(name: str) -> None:
    found = dragoman.detect(BODIES[name])
    assert name in (found.wire, *found.also)
    assert dragoman.detect(json.dumps(BODIES[name])) == found
    if name not in ("ollama", "mistral", "cohere"):
        assert found.wire == name


@pytest.mark.parametrize("name", ANSWERS)
def test_each_answer_is_detected(name: str) -> None:
    assert dragoman.detect(ANSWERS[name], kind="response").wire == name


def test_a_body_may_be_valid_on_several_wires() -> None:
    found = dragoman.detect({"model": "m", "messages": [HI]})
    assert found.wire == "openai-chat"
    assert {"anthropic", "ollama", "mistral"} & {*found.also}
    assert len({found.wire, *found.also}) == len(found.also) + 1


@pytest.mark.parametrize(("path", "name"), [
    ("/v1/chat/completions", "openai-chat"), ("/v1/messages", "anthropic"),
    ("/api/chat", "ollama"), ("https://api.anthropic.com/v1/messages?beta=true", "anthropic"),
])  # fmt: skip
def test_the_path_tells(path: str, name: str) -> None:
    body = {"model": "m", "max_tokens": 5, "messages": [HI]}
    found = dragoman.detect(body, path)
    assert found.wire == name
    assert found.also == (("mistral",) if name == "openai-chat" else ())


@pytest.mark.parametrize("body", [{}, {"hello": 1}, {"messages": "x"}, {"input": {"a": 1}}])
def test_nonsense_is_nobodys(body: dict[str, Any]) -> None:
    for kind in ("request", "response"):
        with pytest.raises(ReadError) as caught:
            dragoman.detect(body, kind=kind)
        assert caught.value.hint


CHUNKS = [chunk({"role": "assistant", "content": "Hél"}), chunk({"content": "lo"}),
          chunk({}, "stop")]  # fmt: skip


@pytest.mark.parametrize("target", ["openai-chat", "openai-responses", "anthropic", "gemini",
                                    "ollama", "mistral", "dashscope"])  # fmt: skip
def test_a_stream_at_any_cut(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dragoman.conversion.stream_converter.time", lambda: 1_700_000_000.0)
    body = encoded([(None, one) for one in (*CHUNKS, "[DONE]")], "sse")
    whole = list(dragoman.convert_stream([body], "openai-chat", target))
    decoder = dragoman.wire(target).stream_decoder()
    for event in whole:
        decoder.feed(event.data, event.event)
    resp = decoder.finish()
    assert (resp.text, resp.status, resp.finish.reason) == ("Héllo", "complete", "stop")
    cuts = [body[i : i + 1] for i in range(len(body))]
    assert list(dragoman.convert_stream(cuts, "openai-chat", target)) == whole
    assert list(dragoman.convert_stream(iter(CHUNKS), "openai-chat", target)) == whole


def test_a_stream_comes_as_it_is_fed() -> None:
    events = dragoman.convert_stream(iter(CHUNKS), ACME, dragoman.wire("anthropic"))
    first = next(events)
    assert first.event == "message_start"
    assert json.loads(first.data)["message"]["role"] == "assistant"


# -- what a client of a converted stream can rely on -----------------------------------------------

CLAUDES: list[Any] = [
    {"type": "message_start", "message": {"id": "msg_1", "type": "message", "role": "assistant",
     "model": "claude-opus-5-5", "content": [], "usage": {"input_tokens": 4, "output_tokens": 1}}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}},
    {"type": "message_stop"},
]  # fmt: skip


def streamed(target: str, **options: Any) -> list[Any]:
    events = dragoman.convert_stream(CLAUDES, "anthropic", target, **options)
    return [json.loads(event.data) for event in events if event.data[:1] == "{"]


def test_no_chunk_without_a_choice_comes_unasked() -> None:
    chunks = streamed("openai-chat")
    assert all(len(chunk["choices"]) == 1 for chunk in chunks)
    assert chunks[-1]["usage"]["total_tokens"] == 6
    assert chunks[-1]["choices"][0]["finish_reason"] == "stop"


def test_whoever_asks_gets_the_usage_in_a_chunk_of_its_own() -> None:
    body = {"model": "ours", "stream": True, "stream_options": {"include_usage": True},
            "messages": [{"role": "user", "content": "Hi"}]}  # fmt: skip
    wire = dragoman.wire("openai-chat")
    chunks = streamed("openai-chat", request=wire.read_request(body))
    assert [len(chunk["choices"]) for chunk in chunks][-2:] == [1, 0]
    assert "usage" not in chunks[-2]
    assert chunks[-1]["usage"]["total_tokens"] == 6
    del body["stream_options"]
    again = streamed("openai-chat", request=wire.read_request(body))
    assert all(chunk["choices"] for chunk in again)


@pytest.mark.parametrize("target", ["openai-chat", "openai-responses", "mistral", "ollama"])
def test_a_converted_stream_is_dated(target: str) -> None:
    before = int(time.time())
    for event in streamed(target):
        told = event.get("response", event)
        when = told.get("created", told.get("created_at"))
        if isinstance(when, str):
            when = datetime.fromisoformat(when).timestamp()
        assert when is None or before <= when <= time.time()
    assert "created" in str(streamed(target)[0])


def test_a_stream_takes_the_clients_request_and_an_envelope() -> None:
    class Kept:
        pass

    req = dragoman.ChatRequest([Msg.user("Hi")], model="ours")
    unnamed = [{**CLAUDES[0], "message": {"role": "assistant", "content": []}}, *CLAUDES[1:]]
    events = dragoman.convert_stream(unnamed, "anthropic", "openai-chat", request=req)
    assert json.loads(next(iter(events)).data)["model"] == "ours"
    for wrong in ({"request": {"model": "m"}}, {"envelope": Kept()}):
        with pytest.raises(dragoman.DragomanError):
            dragoman.convert_stream([], "anthropic", "openai-chat", **wrong)


def test_sealed_thinking_rides_in_the_envelope_of_a_stream() -> None:
    thinking = [
        CLAUDES[0],
        {"type": "content_block_start", "index": 0,
         "content_block": {"type": "thinking", "thinking": "", "signature": ""}},
        {"type": "content_block_delta", "index": 0,
         "delta": {"type": "thinking_delta", "thinking": "Hm."}},
        {"type": "content_block_delta", "index": 0,
         "delta": {"type": "signature_delta", "signature": "c2lnbmVk"}},
        {"type": "content_block_stop", "index": 0},
        *CLAUDES[4:],
    ]  # fmt: skip
    envelope = Envelope(b"k" * 32)
    with_it = [event.data for event in dragoman.convert_stream(
        thinking, "anthropic", "openai-responses", envelope=envelope)]  # fmt: skip
    without = [event.data for event in dragoman.convert_stream(
        thinking, "anthropic", "openai-responses")]  # fmt: skip
    assert "encrypted_content" in "".join(with_it)
    assert len("".join(with_it)) > len("".join(without))


@pytest.mark.parametrize("name", ["anthropic", "bedrock-converse", "openai-chat", "cohere"])
def test_the_fields_of_a_text_of_nothing_are_named(name: str) -> None:
    """An item without words has an id all the same; so has a figure that is no sum."""
    part = {"type": "output_text", "text": "", "annotations": []}
    item = {"type": "message", "role": "assistant"}
    items = [{**item, "id": f"msg_{i}", "content": [{**part, "text": text}]}
             for i, text in enumerate(("", "Hello"))]  # fmt: skip
    answer = {"object": "response", "status": "completed", "model": "m", "output": items,
              "usage": {"input_tokens": 3, "output_tokens": 4, "total_tokens": 99}}  # fmt: skip
    out = dragoman.convert(answer, "openai-responses", name, "response", policy="ignore")
    told = [loss.where for loss in out.losses]
    for i in range(2):
        assert f"$.candidates[0].msg.content[{i}].extras.openai-responses.id" in told
    assert "99" in str(out.body) or "$.usage.total" in told


def test_what_is_the_same_for_every_conversion_is_not_made_again() -> None:
    body = {"model": "gpt-5.5", "messages": [{"role": "user", "content": "Hi."}]}
    entered: list[object] = []

    def note(frame: FrameType, event: str, arg: object) -> None:
        if event == "call":
            entered.append(frame.f_code)

    dragoman.convert(body, "openai-chat", "anthropic", policy="ignore")  # fills caches
    sys.setprofile(note)
    try:
        dragoman.convert(body, "openai-chat", "anthropic", policy="ignore")
    finally:
        sys.setprofile(None)
    assert FormatStyle.__post_init__.__code__ not in entered
    assert len(entered) <= 115
