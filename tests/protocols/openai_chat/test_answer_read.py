"""What Chat Completions' reader makes of hosts that have ways of their own."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ProviderError
from dragoman.message import ThinkingBlock
from tests.cases.reading import chunk, said, streamed, whole

WIRE = "openai-chat"


def test_a_legacy_function_call_comes_in_deltas() -> None:
    begun = chunk({"role": "assistant", "content": None,
                   "function_call": {"name": "look", "arguments": ""}})  # fmt: skip
    more = [chunk({"function_call": {"arguments": text}}) for text in ('{"at":', '"x"}')]
    resp = streamed(WIRE, [begun, *more, chunk({}, "function_call")])
    assert [(call.name, call.input) for call in resp.calls] == [("look", {"at": "x"})]
    assert resp.finish.reason == "tool_calls"
    assert resp.extras is None


def test_of_two_copies_of_a_thought_the_second_is_kept_beside() -> None:
    message = {"content": "Hi", "reasoning_content": "short", "reasoning": "long"}
    resp = whole(WIRE, said(message))
    assert resp.msg.blocks[0] == ThinkingBlock("short")
    assert resp.candidates[0].extras == {WIRE: {"message": {"reasoning": "long"}}}
    details = [{"type": "reasoning.text", "text": "short", "index": 0}]
    both = whole(WIRE, said({**message, "reasoning_details": details}))
    assert both.candidates[0].extras == {
        WIRE: {"message": {"reasoning_content": "short", "reasoning": "long"}}
    }


@pytest.mark.parametrize("word", ["error", "network_error", "insufficient_system_resource"])
def test_a_reason_that_is_an_error_is_one(word: str) -> None:
    begun = {"tool_calls": [{"index": 0, "id": "a", "function": {"name": "look"}}]}
    resp = streamed(WIRE, [chunk({"content": "Half"}), chunk(begun), chunk({}, word)])
    assert (resp.status, resp.finish.reason, resp.text) == ("error", "error", "Half")
    assert resp.calls == [], "there may have been arguments to come"
    assert resp.error is not None
    assert (resp.error.type, word in resp.error.message) == (word, True)


def test_an_error_that_says_what_it_is_holds() -> None:
    told = {"error": {"message": "broke", "code": 502}}
    resp = streamed(WIRE, [chunk({"content": "Half"}), chunk({}, "error"), told])
    assert resp.error is not None
    assert (resp.error.message, resp.error.status) == ("broke", 502)


REFUSED = {"base_resp": {"status_code": 1004, "status_msg": "login fail"}}


@pytest.mark.parametrize(
    ("wire", "body"),
    [
        ("minimax", {"id": "x", "choices": None, **REFUSED}),
        ("openai-chat", {"choices": [], **REFUSED}),
        ("minimax", REFUSED),
        ("anthropic", REFUSED),
        ("anthropic", {"id": "x", "type": "message", "role": "assistant", "content": [],
                       **REFUSED}),
    ],
)  # fmt: skip
def test_a_state_beside_the_answer_may_be_an_error(wire: str, body: Any) -> None:
    with pytest.raises(ProviderError, match="login fail") as raised:
        dragoman.wire(wire).read_response(body)
    assert raised.value.code == "1004"
    fine = said({"content": "Hi"}, base_resp={"status_code": 0, "status_msg": ""})
    assert whole("minimax", fine).status == "complete"


def test_what_groq_says_in_its_own_place() -> None:
    figures = {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}
    last = {**chunk({}, "stop"), "x_groq": {"id": "r", "usage": figures}}
    resp = streamed("groq", [chunk({"content": "Hi"}), last])
    assert (resp.usage.input, resp.usage.output, resp.usage.total) == (3, 4, 7)
    fails = {"id": "c1", "choices": [], "x_groq": {"id": "r", "error": "over capacity"}}
    resp = streamed("groq", [chunk({"content": "Half"}), fails])
    assert (resp.status, resp.text) == ("error", "Half")
    assert resp.error is not None
    assert resp.error.message == "over capacity"


def test_a_legacy_call_beside_others_is_a_call_of_its_own() -> None:
    entry = {"id": "c_1", "type": "function", "function": {"name": "a", "arguments": '{"x": 1}'}}
    message = {"role": "assistant", "content": None, "tool_calls": [entry],
               "function_call": {"name": "b", "arguments": '{"y": 2}'}}  # fmt: skip
    wire = dragoman.wire("openai-chat")
    body = {"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}
    resp = wire.read_response(body)
    assert [(call.name, call.input) for call in resp.calls] == [("a", {"x": 1}), ("b", {"y": 2})]
    assert wire.write_response(resp).body == body
    deltas = [
        {"tool_calls": [{**entry, "index": 0, "function": {"name": "a", "arguments": '{"x":'}}]},
        {"function_call": {"name": "b", "arguments": '{"y":'}},
        {"tool_calls": [{"index": 0, "function": {"arguments": " 1}"}}]},
        {"function_call": {"arguments": " 2}"}},
    ]
    *_, last = wire.read_stream(
        {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas
    )
    assert last.response is not None
    assert [(call.name, call.input) for call in last.response.calls] == [
        ("a", {"x": 1}), ("b", {"y": 2}),
    ]  # fmt: skip


def test_a_legacy_call_that_repeats_another_is_none() -> None:
    """Hosts that serve old clients as well say one call twice; it must not run twice."""
    function = {"name": "a", "arguments": "{}"}
    message = {"role": "assistant", "content": None, "function_call": function,
               "tool_calls": [{"id": "c_1", "type": "function", "function": function}]}  # fmt: skip
    wire = dragoman.wire("openai-chat")
    body = {"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}
    resp = wire.read_response(body)
    assert [call.id for call in resp.calls] == ["c_1"]
    assert wire.write_response(resp).body == body


def test_an_image_of_an_answer_without_a_type_comes_back() -> None:
    """OpenRouter's SDK lets a server leave the type out."""
    image = {"image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
    message = {"role": "assistant", "content": "There.", "images": [image]}
    body = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    wire = dragoman.wire("openrouter")
    assert wire.write_response(wire.read_response(body)).body == body


def test_likelihoods_of_tokens_without_a_text_are_named() -> None:
    tokens = [{"token": "Hi", "logprob": -0.1, "bytes": [72, 105], "top_logprobs": []}]
    body = {"choices": [{"index": 0, "finish_reason": "stop", "logprobs": {"content": tokens},
                         "message": {"role": "assistant", "content": None}}]}  # fmt: skip
    resp = dragoman.wire("openai-chat").read_response(body)
    made = dragoman.wire("openai-responses", policy="ignore").write_response(resp)
    assert "logprobs of tokens that no text holds" in {loss.what for loss in made.losses}


def test_the_fields_of_a_search_have_their_own_paths() -> None:
    given = {"allowed_domains": ["a.org"], "excluded_domains": ["b.org"], "max_uses": 2}
    body = {"model": "openai/gpt-5.5", "messages": [{"role": "user", "content": "Hi"}],
            "tools": [{"type": "openrouter:web_search", "parameters": given}]}  # fmt: skip
    made = dragoman.convert(body, "openrouter", "gemini", policy="ignore")
    assert {loss.where for loss in made.losses if loss.code == "server_tool.field"} == {
        f"$.tools[0].parameters.{name}" for name in given
    }
