"""What Converse's `messages` and `system` hold."""

from __future__ import annotations

import base64
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Tool
from dragoman.errors import WriteError
from dragoman.history.pipeline import FormatStyle
from dragoman.losses import Report
from dragoman.message import (
    AudioBlock,
    Base64Source,
    CacheHint,
    DocumentBlock,
    ImageBlock,
    Origin,
    RawBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)

from .sdk import faults

WIRE = dragoman.wire("bedrock", policy="ignore")
CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
NOVA = "us.amazon.nova-2-lite-v1:0"
LLAMA = "us.meta.llama4-maverick-17b-instruct-v1:0"
PNG = ImageBlock(Base64Source("image/png", "iVBORw0KGgo="))
F = Tool("f")


def wrote(*msgs: Msg, model: str = CLAUDE, **rest: Any) -> tuple[dict[str, Any], list[str]]:
    """(body, losses); AWS's own SDK would send the very same body."""
    out = WIRE.write_request(ChatRequest(list(msgs), **rest), model)
    assert faults(out.body, out.path) == []
    return out.body, [f"{loss.kind} {loss.code} {loss.where}" for loss in out.losses]


def said(*msgs: Msg, **rest: Any) -> list[Any]:
    made: list[Any] = wrote(*msgs, **rest)[0]["messages"]
    return made


def call(*ids: str) -> Msg:
    return Msg("", [ToolUseBlock(id, "f", {"x": 1}) for id in ids], "assistant")


def result(id: str, output: Any = "done", **rest: Any) -> Msg:
    return Msg("", [ToolResultBlock(id, "f", output, **rest)], "tool")


def test_every_content_is_a_list_and_the_prompt_stands_apart() -> None:
    body, losses = wrote(Msg.system("be"), Msg.system([TextBlock("brief")]), Msg.user("hi"))
    assert body == {
        "system": [{"text": "be"}, {"text": "brief"}],
        "messages": [{"role": "user", "content": [{"text": "hi"}]}],
    }
    assert losses == []


def test_a_plain_list_keeps_the_prompt() -> None:
    msgs = [Msg.system("be"), Msg.user("hi")]
    made = WIRE.messages(msgs, WIRE.can(CLAUDE), FormatStyle(), Report(msgs))
    assert [m["role"] for m in made] == ["system", "user"]


def test_calls_and_results() -> None:
    made = said(Msg.user("go"), call("a", "b"), result("a"), result("b", {"n": 1}), tools=[F])
    assert made[1]["content"] == [
        {"toolUse": {"toolUseId": "a", "name": "f", "input": {"x": 1}}},
        {"toolUse": {"toolUseId": "b", "name": "f", "input": {"x": 1}}},
    ]
    assert made[2] == {
        "role": "user",
        "content": [
            {"toolResult": {"toolUseId": "a", "content": [{"text": "done"}]}},
            {"toolResult": {"toolUseId": "b", "content": [{"json": {"n": 1}}]}},
        ],
    }


@pytest.mark.parametrize(
    ("output", "content"),
    [
        ("", []),
        (" \n", []),
        (None, []),
        ([TextBlock(" "), TextBlock("a"), TextBlock("b")], [{"text": "a"}, {"text": "b"}]),
        ({}, [{"json": {}}]),
        ({"list": [1]}, [{"json": {"list": [1]}}]),
    ],
)
def test_a_result_holds_no_blank_text_and_only_objects_as_json(output: Any, content: Any) -> None:
    made = said(Msg.user("go"), call("a"), result("a", output), tools=[F])
    assert made[2]["content"][0]["toolResult"]["content"] == content


def test_a_failed_result_says_so_and_is_never_empty() -> None:
    made = said(Msg.user("go"), call("a"), result("a", "", is_error=True), tools=[F])
    told = made[2]["content"][0]["toolResult"]
    assert told["status"] == "error"
    assert told["content"][0]["text"].strip()


def test_a_failed_result_is_told_to_models_that_do_not_read_the_status() -> None:
    msgs = Msg.user("go"), call("a"), result("a", "no", is_error=True)
    body, losses = wrote(*msgs, tools=[F], model="openai.gpt-oss-120b-1:0")
    told = body["messages"][2]["content"][0]["toolResult"]
    assert told == {"toolUseId": "a", "content": [{"text": "Error: no"}]}
    assert losses == ["degraded result.error_as_text $.messages[2].content[0].is_error"]


def test_media_in_results_where_the_model_takes_them_else_behind_all_results() -> None:
    msgs = Msg.user("go"), call("a", "b"), result("a", [PNG]), result("b")
    block = {"image": {"format": "png", "source": {"bytes": "iVBORw0KGgo="}}}
    own = said(*msgs, tools=[F])
    assert own[2]["content"][0]["toolResult"]["content"] == [block]
    moved = said(*msgs, tools=[F], model="cohere.command-r-v1:0")[2]["content"]
    assert [next(iter(b)) for b in moved][:2] == ["toolResult", "toolResult"]
    assert block in moved[2:]
    apart = said(*msgs, tools=[F], model="mistral.mistral-large-2407-v1:0")
    assert [next(iter(b)) for b in apart[2]["content"]] == ["toolResult", "toolResult"]
    assert apart[3]["role"] == "assistant"
    assert block in apart[4]["content"]


def test_words_behind_results_share_their_turn() -> None:
    body, losses = wrote(Msg.user("go"), call("a"), result("a"), Msg.user("so?"), tools=[F])
    assert [next(iter(b)) for b in body["messages"][2]["content"]] == ["toolResult", "text"]
    assert losses == ["moved turn.merged $.messages[3]"]


def test_models_that_keep_words_from_results_get_turns_between() -> None:
    spoken = Msg.assistant([TextBlock("see"), ToolUseBlock("a", "f", {})])
    body, losses = wrote(
        Msg.user("go"), spoken, result("a"), Msg.user("so?"), tools=[F], model=LLAMA
    )
    kinds = [{next(iter(b)) for b in m["content"]} for m in body["messages"]]
    assert kinds == [{"text"}, {"toolUse"}, {"toolResult"}, {"text"}, {"text"}]
    assert [m["role"] for m in body["messages"]] == ["user", "assistant"] * 2 + ["user"]
    assert losses == [
        "dropped call.text_dropped $.messages[1].content[0].text",
        "added turn.bridged $.messages[3]",
    ]


def test_the_user_begins_and_ends() -> None:
    body, losses = wrote(Msg.assistant("hello"), model=NOVA)
    assert [m["role"] for m in body["messages"]] == ["user", "assistant", "user"]
    assert losses == ["added turn.first $.messages[0]", "added turn.last $.messages[0]"]


def test_ids_are_respelled_in_pairs_and_within_64_characters() -> None:
    ids = "call/1", "x" * 70, "ok.id:1-a_b"
    made = said(Msg.user("go"), call(*ids), *[result(id) for id in ids], tools=[F])
    used = [b["toolUse"]["toolUseId"] for b in made[1]["content"]]
    assert used == [b["toolResult"]["toolUseId"] for b in made[2]["content"]]
    assert used[0] == "call_1"
    assert used[2] == ids[2]
    assert max(map(len, used)) <= 64


def test_signed_thinking_goes_back_and_unsigned_does_not() -> None:
    kept = ThinkingBlock("hm", signature="sig")
    sealed = ThinkingBlock("", redacted="EuYBCg==")
    body, losses = wrote(
        Msg.user("hi"), Msg.assistant([kept, sealed, ThinkingBlock("psst"), TextBlock("yes")]),
        Msg.user("so?"), options={"reasoning": "low"},
    )  # fmt: skip
    assert body["messages"][1]["content"][:2] == [
        {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "sig"}}},
        {"reasoningContent": {"redactedContent": base64.b64encode(b"EuYBCg==").decode()}},
    ]
    assert len(body["messages"][1]["content"]) == 3
    assert losses == ["dropped thinking.unsigned $.messages[1].content[2]"]


def test_thinking_without_words_keeps_its_empty_text() -> None:
    thought = ThinkingBlock("", signature="sig")
    made = said(
        Msg.user("hi"), Msg.assistant([thought, TextBlock("yes")]), Msg.user("so?"),
        model="us.anthropic.claude-opus-5-5",
    )  # fmt: skip
    own = {"reasoningText": {"text": "", "signature": "sig"}}
    assert made[1]["content"][0] == {"reasoningContent": own}


def test_models_of_other_makers_get_no_thinking_back() -> None:
    thought = Msg.assistant([ThinkingBlock("hm", signature="sig"), TextBlock("yes")])
    body, losses = wrote(Msg.user("hi"), thought, Msg.user("so?"), model=NOVA)
    assert body["messages"][1]["content"] == [{"text": "yes"}]
    assert losses == ["dropped thinking.unsupported $.messages[1].content[0]"]


def test_cache_points_stand_behind_what_hints_at_them() -> None:
    hour = CacheHint("1h")
    body, losses = wrote(
        Msg.system("be", cache=hour),
        Msg.user([TextBlock("a", cache=hour), TextBlock("b")], cache=CacheHint()),
        tools=[Tool("f", cache=hour), Tool("g")],
    )
    point = {"cachePoint": {"type": "default"}}
    lasting = {"cachePoint": {"type": "default", "ttl": "1h"}}
    assert body["system"] == [{"text": "be"}, lasting]
    assert body["messages"][0]["content"] == [{"text": "a"}, lasting, {"text": "b"}, point]
    assert [next(iter(t)) for t in body["toolConfig"]["tools"]] == [
        "toolSpec", "cachePoint", "toolSpec",
    ]  # fmt: skip
    assert losses == []


def test_results_share_one_cache_point_behind_the_last() -> None:
    hinted = ToolResultBlock("a", "f", [TextBlock("x", cache=CacheHint())])
    msgs = Msg.user("go"), call("a", "b"), Msg("", [hinted], "tool"), result("b", "y")
    body, losses = wrote(*msgs, tools=[F])
    kinds = [next(iter(b)) for b in body["messages"][2]["content"]]
    assert kinds == ["toolResult", "toolResult", "cachePoint"]
    assert losses == ["moved cache.unsupported $.messages[2].content[0].output[0].cache"]


def test_a_lifetime_that_there_is_not_is_named() -> None:
    body, losses = wrote(Msg.user([TextBlock("a", cache=CacheHint("3h"))]))
    assert body["messages"][0]["content"][1] == {"cachePoint": {"type": "default"}}
    assert losses == ["degraded cache.ttl $.messages[0].content[0].cache.ttl"]


def test_no_point_outlasts_one_before_it() -> None:
    hinted = Msg.user("a", cache=CacheHint("1h"))
    body, losses = wrote(hinted, tools=[Tool("f", cache=CacheHint())])
    assert body["messages"][0]["content"][1] == {"cachePoint": {"type": "default"}}
    assert losses == ["degraded cache.ttl $.messages[0].cache.ttl"]


def test_hints_for_models_without_a_cache_are_named() -> None:
    body, losses = wrote(Msg.user("a", cache=CacheHint()), model=LLAMA)
    assert body["messages"][0]["content"] == [{"text": "a"}]
    assert losses == ["dropped cache.unsupported $.messages[0].cache"]


def test_own_blocks_and_fields_travel() -> None:
    guard = RawBlock("bedrock-converse", {"guardContent": {"text": {"text": "check this"}}})
    pdf = DocumentBlock(
        Base64Source("application/pdf", "JVBERi0="), "a",
        extras={"bedrock-converse": {"citations": {"enabled": True}}},
    )  # fmt: skip
    made = said(Msg.user([guard, TextBlock("hi"), pdf]))
    assert made[0]["content"][0] == guard.data
    assert made[0]["content"][2]["document"]["citations"] == {"enabled": True}
    body, losses = wrote(Msg.user([RawBlock("gemini", {"x": 1}), TextBlock("hi")]))
    assert body["messages"][0]["content"] == [{"text": "hi"}]
    assert losses == ["dropped raw.other_provider $.messages[0].content[0]"]


def test_blank_text_is_left_out() -> None:
    body, losses = wrote(Msg.system(" "), Msg.user([TextBlock("\n"), TextBlock("hi")]))
    assert body == {"messages": [{"role": "user", "content": [{"text": "hi"}]}]}
    assert len(losses) == 2


def test_thinking_of_another_provider_is_dropped() -> None:
    foreign = ThinkingBlock("hm", signature="s", origin=Origin("gemini"))
    msgs = Msg.user("hi"), Msg.assistant([foreign, TextBlock("y")]), Msg.user("?")
    body, losses = wrote(*msgs, options={"reasoning": "low"})
    assert body["messages"][1]["content"] == [{"text": "y"}]
    assert losses == ["dropped thinking.other_provider $.messages[1].content[0]"]


def test_what_no_seat_may_say_is_our_bug_and_raises() -> None:
    block = AudioBlock(Base64Source("audio/x-odd", "AAAA"))
    can = {"audio": True, "media_types": {"audio": ("audio/*",)}}
    style = FormatStyle(changes=can)
    with pytest.raises(WriteError, match="format of audio"):
        WIRE.write_request(ChatRequest([Msg.user([block])]), CLAUDE, style=style)
