"""Open Responses: what is sent and answered keeps to its document; a host's own things survive.

The requests are those of its acceptance tests (openresponses.org/compliance), told in our words.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Options, Tool
from dragoman.message import (
    Base64Source,
    ImageBlock,
    RawBlock,
    ResponseFormat,
    TextBlock,
    ThinkingBlock,
    ToolChoice,
    ToolUseBlock,
)
from tests.contract.judges import judge_request
from tests.contract.judges.open_responses import event_faults, request_faults, response_faults

NAME = "open-responses/openai-responses"
WIRE = dragoman.wire("open-responses", policy="ignore")
HUB = dragoman.wire("huggingface/openai-responses", policy="ignore")
PLACE = {"type": "object", "properties": {"location": {"type": "string"}}, "required": ["location"]}
WEATHER = Tool("get_weather", "Get the weather", PLACE)
DOT = ImageBlock(Base64Source("image/png", "iVBORw0KGgo="))
ROUND = [
    Msg.user("Weather?"),
    Msg.assistant(
        [TextBlock("Let me look."), ToolUseBlock("c1", "get_weather", {"location": "X"})]
    ),
    Msg.tool("c1", [TextBlock("Sunny."), DOT], "get_weather"),
]
ACCEPTANCE: dict[str, ChatRequest] = {
    "basic-response": ChatRequest([Msg.user("Say hello in exactly 3 words.")]),
    "streaming-response": ChatRequest([Msg.user("Count from 1 to 5.")], stream=True),
    "system-prompt": ChatRequest([Msg("", "You are a pirate.", "system"), Msg.user("Hello.")]),
    "tool-calling": ChatRequest([Msg.user("Weather in Rome?")], tools=[WEATHER]),
    "tool-results": ChatRequest(ROUND, tools=[WEATHER],
                                tool_choice=ToolChoice("tool", "get_weather")),
    "image-input": ChatRequest([Msg.user([TextBlock("What is it?"), DOT])]),
    "multi-turn": ChatRequest([Msg.user("I am A."), Msg.assistant("Hello A!"), Msg.user("Me?")]),
    "late words": ChatRequest([Msg.user("Hi."), Msg("", "Be.", "developer"), Msg.user("So?")]),
    "options": ChatRequest(
        [Msg.user("Hi.")],
        options=Options(max_tokens=5, temperature=0.5, top_p=0.9, presence_penalty=0.1, seed=3,
                        frequency_penalty=0.2, top_logprobs=2, reasoning="max", user="u" * 64),
        response_format=ResponseFormat("schema", PLACE, "place"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ACCEPTANCE)
def test_a_request_keeps_to_the_document_and_comes_back_equal(name: str) -> None:
    out = WIRE.write_request(ACCEPTANCE[name], model="m")
    assert judge_request(NAME, out.body, out.path) == []
    assert all(item.get("type") for item in out.body["input"]), "each item says its type"
    assert WIRE.write_request(WIRE.read_request(out.body)).body == out.body
    hub = HUB.write_request(ACCEPTANCE[name], model="m")
    assert [*request_faults(hub.body)] == []


def test_options_are_those_of_the_document() -> None:
    out = WIRE.write_request(ACCEPTANCE["options"], model="m")
    assert (out.body["presence_penalty"], out.body["frequency_penalty"]) == (0.1, 0.2)
    assert out.body["reasoning"] == {"effort": "xhigh"}
    told = {(loss.code, loss.where) for loss in out.losses}
    assert ("option.unsupported", "$.options.seed") in told
    assert ("option.range", "$.options.reasoning") in told
    long = ChatRequest([Msg.user("Hi.")], options=Options(user="u" * 65))
    refused = WIRE.write_request(long, model="m")
    assert "safety_identifier" not in refused.body
    assert [loss.code for loss in refused.losses] == ["option.refused"]
    read = WIRE.read_request({"model": "m", "input": "Hi.", "presence_penalty": 0.1})
    assert read.options.presence_penalty == 0.1
    assert dragoman.wire("openai", policy="ignore").write_request(read, "x").body[
        "presence_penalty"
    ] == 0.1  # fmt: skip


CLAUDE: dict[str, Any] = {
    "type": "message", "role": "assistant", "id": "msg_1", "model": "claude-opus-5-5",
    "content": [
        {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
        {"type": "text", "text": "Hi."},
        {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"location": "X"}},
    ],
    "stop_reason": "tool_use", "usage": {"input_tokens": 4, "output_tokens": 2},
}  # fmt: skip


def streamed(source: str, events: list[dict[str, Any]], target: Any) -> list[tuple[Any, Any]]:
    body = "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events).encode()
    sent = dragoman.convert_stream([body], source=source, target=target)
    return [(e.event, e.data if e.data == "[DONE]" else json.loads(e.data)) for e in sent]


def claude_stream() -> list[dict[str, Any]]:
    start = {**CLAUDE, "content": [], "stop_reason": None}
    text = {
        "type": "content_block_start",
        "index": 0,
        "content_block": {"type": "text", "text": ""},
    }
    delta = {"type": "text_delta", "text": "Hi."}
    return [
        {"type": "message_start", "message": start}, text,
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
    ]  # fmt: skip


END = [{"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {}},
       {"type": "message_stop"}]  # fmt: skip
FAILED = [{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}]


def test_an_answer_has_each_field_that_the_document_demands() -> None:
    answer = dragoman.wire("anthropic").read_response(CLAUDE)
    out = WIRE.write_response(answer)
    assert [*response_faults(out.body)] == []
    assert [item["type"] for item in out.body["output"]] == [
        "reasoning",
        "message",
        "function_call",
    ]
    made_up = {loss.where for loss in out.losses if loss.code == "answer.field"}
    assert {"$.truncation", "$.temperature"} <= made_up, "what nobody told is named"


@pytest.mark.parametrize("wire", ["openai-responses", "open-responses"])
def test_no_two_answers_share_what_they_hold(wire: str) -> None:
    answer = dragoman.wire("anthropic").read_response(CLAUDE)
    first = dragoman.wire(wire, policy="ignore").write_response(answer).body
    first["tools"].append("mine")
    first["metadata"]["mine"] = 1
    second = dragoman.wire(wire, policy="ignore").write_response(answer).body
    assert (second["tools"], second["metadata"]) == ([], {})


@pytest.mark.parametrize(("end", "last"), [(END, "completed"), (FAILED, "failed")])
def test_a_stream_has_the_events_of_the_document(end: list[Any], last: str) -> None:
    events = streamed("anthropic", claude_stream() + end, WIRE)
    assert events.pop() == (None, "[DONE]")
    assert [str(fault) for _, event in events for fault in event_faults(event)] == []
    assert all(name == event["type"] for name, event in events)
    assert events[-1][0] == f"response.{last}"
    if end is FAILED:
        assert "error" in [name for name, _ in events]


SEARCHED = {"type": "acme:search", "id": "s_1", "status": "completed", "results": [{"chunk": "x"}]}
THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": [],
           "content": [{"type": "output_text", "text": "Think.", "annotations": []}]}  # fmt: skip
SPOKEN = {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant",
          "content": [{"type": "output_text", "text": "Hi.", "annotations": []}]}  # fmt: skip
ANSWER = {"id": "resp_1", "object": "response", "created_at": 1, "status": "completed",
          "model": "m", "output": [THOUGHT, SEARCHED, SPOKEN]}  # fmt: skip


def open_stream() -> list[dict[str, Any]]:
    """A thought in parts of text, an item and an event of a host's own, and a message."""
    begun = {**ANSWER, "status": "in_progress", "output": []}
    at = {"item_id": "rs_1", "output_index": 0, "content_index": 0}
    empty = {"type": "output_text", "text": "", "annotations": []}
    said = {"item_id": "msg_1", "output_index": 2, "content_index": 0}
    rows: list[dict[str, Any]] = [
        {"type": "response.created", "response": begun},
        {"type": "response.output_item.added", "output_index": 0,
         "item": {**THOUGHT, "content": []}},
        {"type": "response.content_part.added", **at, "part": empty},
        {"type": "response.reasoning.delta", **at, "delta": "Thi"},
        {"type": "response.reasoning.delta", **at, "delta": "nk."},
        {"type": "response.reasoning.done", **at, "text": "Think."},
        {"type": "response.content_part.done", **at, "part": THOUGHT["content"][0]},
        {"type": "response.output_item.done", "output_index": 0, "item": THOUGHT},
        {"type": "acme:trace_event", "phase": "tool_resolution", "latency_ms": 34},
        {"type": "response.output_item.added", "output_index": 1, "item": SEARCHED},
        {"type": "response.output_item.done", "output_index": 1, "item": SEARCHED},
        {"type": "response.output_item.added", "output_index": 2,
         "item": {**SPOKEN, "content": []}},
        {"type": "response.content_part.added", **said, "part": empty},
        {"type": "response.output_text.delta", **said, "delta": "Hi."},
        {"type": "response.output_text.done", **said, "text": "Hi."},
        {"type": "response.content_part.done", **said, "part": SPOKEN["content"][0]},
        {"type": "response.output_item.done", "output_index": 2, "item": SPOKEN},
        {"type": "response.completed", "response": ANSWER},
    ]  # fmt: skip
    return [{**row, "sequence_number": number} for number, row in enumerate(rows)]


@pytest.mark.parametrize(
    "wire", ["open-responses", "openai-responses", "lmstudio/openai-responses"]
)
def test_thoughts_in_parts_of_any_kind_are_no_words_of_the_answer(wire: str) -> None:
    body = "".join(f"data: {json.dumps(e)}\n\n" for e in open_stream()) + "data: [DONE]\n\n"
    stream = dragoman.wire(wire, policy="ignore").read_stream([body.encode()])
    told = [(event.type, event.text) for event in stream if event.type.endswith("-delta")]
    assert told == [("thinking-delta", "Thi"), ("thinking-delta", "nk."), ("text-delta", "Hi.")]
    thought, item, text = stream.response.msg.blocks
    assert type(thought) is ThinkingBlock
    assert thought.thinking == "Think."
    assert type(item) is RawBlock
    assert item.data == SEARCHED
    assert type(text) is TextBlock
    (unread,) = next(iter((stream.response.extras or {}).values()))["events"]
    assert unread["payload"]["type"] == "acme:trace_event", "kept, and passed over"


def test_what_a_host_adds_goes_back_to_it_and_stays_in_the_models_turn() -> None:
    tool = {"type": "acme:search", "documents": [{"url": "https://example.org/a.pdf"}]}
    ask, again = ({"type": "message", "role": "user", "content": text} for text in ("So?", "And?"))
    body = {"model": "m", "input": [ask, THOUGHT, SEARCHED, SPOKEN, again], "tools": [tool]}
    req = WIRE.read_request(body)
    assert [m.role for m in req.messages] == ["user", "assistant", "user"]
    assert WIRE.write_request(req).body == body
    req.messages.append(Msg.user("More."))
    assert SEARCHED in WIRE.write_request(req).body["input"]
    out = dragoman.convert(body, "open-responses", "anthropic", policy="ignore")
    assert [m["role"] for m in out.body["messages"]] == ["user", "assistant", "user"]
    assert {("raw.other_provider", "$.input[2]"), ("tool.other_provider", "$.tools[0]")} <= {
        (loss.code, loss.where) for loss in out.losses
    }


def test_an_answer_of_a_server_goes_through_as_it_came() -> None:
    assert WIRE.write_response(WIRE.read_response(ANSWER)).body == ANSWER
    events = streamed("open-responses", open_stream(), WIRE)
    assert events[-1] == (None, "[DONE]")
    assert events[-2][1]["response"] == ANSWER


def test_the_hub_takes_a_text_as_a_result_and_no_thoughts() -> None:
    history = [*ROUND, Msg.assistant([ThinkingBlock("Hm."), TextBlock("It is.")]), Msg.user("OK")]
    out = HUB.write_request(ChatRequest(history, tools=[WEATHER]), model="openai/gpt-oss-120b:groq")
    outputs = [item["output"] for item in out.body["input"] if "output" in item]
    assert len(outputs) == 1
    assert isinstance(outputs[0], str)
    assert all(item["type"] != "reasoning" for item in out.body["input"])
    assert "include" not in out.body
    assert "store" not in out.body
    assert "thinking.unsupported" in [loss.code for loss in out.losses]
    base = dragoman.vendors.vendor("huggingface").url("openai-responses")
    assert base + out.path == "https://router.huggingface.co/v1/responses"


def test_what_only_openai_has_is_named_and_left_out() -> None:
    picture = {"type": "input_image", "image_url": "https://example.com/a.png",
               "detail": "original"}  # fmt: skip
    body = {"model": "gpt-5.6", "input": [{"role": "user", "content": [picture]}],
            "tools": [{"type": "tool_search", "execution": "client"}],
            "reasoning": {"effort": "low", "context": "all"},
            "client_metadata": {"a": "b"}}  # fmt: skip
    out = dragoman.convert(body, "openai-responses", NAME, model="m", policy="ignore")
    assert judge_request(NAME, out.body) == []
    assert {"$.input[0].content[0].detail", "$.tools[0]", "$.reasoning.context",
            "$.client_metadata.a"} <= {loss.where for loss in out.losses}  # fmt: skip
