"""What Mistral's `messages` hold."""

from __future__ import annotations

import re
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Tool
from dragoman.history.pipeline import FormatStyle
from dragoman.losses import Report
from dragoman.message import (
    AudioBlock,
    Base64Source,
    DocumentBlock,
    FileSource,
    ImageBlock,
    Origin,
    RawBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
)

from .sdk import faults

WIRE = dragoman.wire("mistral", policy="ignore")
SMALL = "mistral-small-latest"
F = Tool("f")
PNG = ImageBlock(Base64Source("image/png", "iVBORw0KGgo="))


def wrote(*msgs: Msg, model: str = SMALL, **rest: Any) -> tuple[list[Any], list[str]]:
    """(messages, losses); the SDK knows every key."""
    out = WIRE.write_request(ChatRequest(list(msgs), **rest), model)
    assert faults(out.body) == []
    return out.body["messages"], [f"{loss.kind} {loss.code} {loss.where}" for loss in out.losses]


def call(*ids: str) -> Msg:
    return Msg("", [ToolUseBlock(id, "f", {"x": 1}) for id in ids], "assistant")


def test_plain_text_is_a_string_at_every_seat() -> None:
    msgs = Msg.system("be"), Msg("", "well", "developer"), Msg.user([TextBlock("hi")])
    made, losses = wrote(*msgs, Msg.assistant("yes"), Msg.user("so?"))
    assert made == [
        {"role": "system", "content": "be"},
        {"role": "system", "content": "well"},
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "yes"},
        {"role": "user", "content": "so?"},
    ]
    assert losses == []


def test_calls_stand_beside_empty_text_and_results_alone() -> None:
    made, losses = wrote(
        Msg.user("go"), call("abcdef123"), Msg.tool("abcdef123", "done", "f"), tools=[F]
    )
    assert made[1] == {
        "role": "assistant",
        "content": "",
        "tool_calls": [
            {"id": "abcdef123", "type": "function",
             "function": {"name": "f", "arguments": '{"x": 1}'}}
        ],
    }  # fmt: skip
    assert made[2] == {"role": "tool", "content": "done", "tool_call_id": "abcdef123"}
    assert losses == []


def test_ids_become_nine_letters_and_digits_in_pairs() -> None:
    ids = "call_PTLP8xhu3uwZk4l3nlnrrJha", "call_", "abcdef123", "abcdef12-"
    results = [Msg.tool(id, "x", "f") for id in ids]
    made, losses = wrote(Msg.user("go"), call(*ids), *results, tools=[F])
    used = [one["id"] for one in made[1]["tool_calls"]]
    assert used == [m["tool_call_id"] for m in made[2:]]
    assert all(re.fullmatch("[a-zA-Z0-9]{9}", id) for id in used)
    assert len(set(used)) == 4
    assert used[2] == "abcdef123"
    assert len(losses) == 6


def test_ids_are_the_same_in_every_request() -> None:
    history = [Msg.user("go"), call("call_1"), Msg.tool("call_1", "x", "f")]
    first, _ = wrote(*history, tools=[F])
    longer, _ = wrote(*history, call("call_2"), Msg.tool("call_2", "y", "f"), tools=[F])
    assert longer[:3] == first


def test_arguments_are_never_blank_and_the_models_own_text_stays() -> None:
    calls = [
        ToolUseBlock("abcdef120", "f", {}, raw_input=""),
        ToolUseBlock("abcdef121", "f", "", raw_input="  "),
        ToolUseBlock("abcdef122", "f", {"a": 1}, raw_input='{"a":1}'),
    ]
    results = [Msg.tool(one.id, "x", "f") for one in calls]
    made, _ = wrote(Msg.user("go"), Msg("", calls, "assistant"), *results, tools=[F])
    said = [one["function"]["arguments"] for one in made[1]["tool_calls"]]
    assert said == ["{}", "{}", '{"a":1}']


@pytest.mark.parametrize(
    ("output", "content"),
    [
        ("", ""),
        (None, ""),
        ({"n": 1}, '{"n": 1}'),
        ([TextBlock("a")], "a"),
        ([TextBlock("a"), TextBlock("b")],
         [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]),
    ],
)  # fmt: skip
def test_results_are_text(output: Any, content: Any) -> None:
    block = ToolResultBlock("abcdef123", "f", output)
    made, losses = wrote(Msg.user("go"), call("abcdef123"), Msg("", [block], "tool"), tools=[F])
    assert made[2]["content"] == content
    assert losses == []


def test_a_failure_is_told_in_the_text() -> None:
    block = ToolResultBlock("abcdef123", "f", "no", is_error=True)
    made, losses = wrote(Msg.user("go"), call("abcdef123"), Msg("", [block], "tool"), tools=[F])
    assert made[2]["content"] == "Error: no"
    assert losses == ["degraded result.error_as_text $.messages[2].content[0].is_error"]


def test_media_of_a_result_follow_in_a_turn_of_the_user() -> None:
    block = ToolResultBlock("abcdef123", "f", [TextBlock("see"), PNG])
    made, losses = wrote(Msg.user("go"), call("abcdef123"), Msg("", [block], "tool"), tools=[F])
    assert [m["role"] for m in made] == ["user", "assistant", "tool", "user"]
    assert [chunk["type"] for chunk in made[3]["content"]] == ["text", "text", "image_url", "text"]
    assert losses == ["moved media.moved $.messages[2].content[0].output[1]"]


def test_the_user_may_speak_right_behind_a_result() -> None:
    msgs = Msg.user("go"), call("abcdef123"), Msg.tool("abcdef123", "x", "f"), Msg.user("so?")
    made, losses = wrote(*msgs, tools=[F])
    assert [m["role"] for m in made] == ["user", "assistant", "tool", "user"]
    assert losses == []


def test_self_served_models_that_refuse_that_get_a_turn_between() -> None:
    msgs = [Msg.user("go"), call("abcdef123"), Msg.tool("abcdef123", "x", "f"), Msg.user("so?")]
    request = ChatRequest(msgs, tools=[F])
    out = WIRE.write_request(request, SMALL, style=FormatStyle(changes={"alternation": "bridged"}))
    roles = [m["role"] for m in out.body["messages"]]
    assert roles == ["user", "assistant", "tool", "assistant", "user"]
    assert "prefix" not in out.body["messages"][3]


def test_the_last_turn_of_the_assistant_is_a_prefix() -> None:
    made, losses = wrote(Msg.user("hi"), Msg.assistant("I th"))
    assert made[1] == {"role": "assistant", "content": "I th", "prefix": True}
    assert losses == []
    made, _ = wrote(Msg.user("hi"), Msg.assistant("yes"), Msg.user("so?"))
    assert "prefix" not in made[1]
    made, _ = wrote(Msg.user("go"), call("abcdef123"), tools=[F])
    assert "prefix" not in made[1]


@pytest.mark.parametrize("asks_again", [True, False])
def test_an_edited_turn_of_the_assistant_is_a_prefix_only_at_the_end(asks_again: bool) -> None:
    read = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
    if asks_again:
        read.append({"role": "user", "content": "so?"})
    request = WIRE.read_request({"model": SMALL, "messages": read})
    request.messages[1] = Msg.assistant("hello!")
    turn = {"role": "assistant", "content": "hello!"}
    messages = WIRE.write_request(request).body["messages"]
    assert messages[1] == (turn if asks_again else {**turn, "prefix": True})
    assert messages[2:] == read[2:]


def test_an_edited_turn_is_no_prefix_before_others_that_were_edited_or_added() -> None:
    body = {"model": SMALL, "messages": [
        {"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"},
        {"role": "user", "content": "so?"},
    ]}  # fmt: skip
    request = WIRE.read_request(body)
    request.messages[1:] = [Msg.assistant("hello!"), Msg.user("and so?"), Msg.assistant("Well")]
    messages = WIRE.write_request(request).body["messages"]
    assert [entry.get("prefix") for entry in messages] == [None, None, None, True]


def test_a_prefix_that_was_read_in_the_middle_goes_back() -> None:
    messages = [
        {"role": "user", "content": "hi"}, {"role": "assistant", "content": "a", "prefix": True},
        {"role": "user", "content": "so?"},
    ]  # fmt: skip
    request = WIRE.read_request({"model": SMALL, "messages": messages})
    request.messages[2] = Msg.user("and so?")
    written = WIRE.write_request(request).body["messages"]
    assert written == [*messages[:2], {"role": "user", "content": "and so?"}]


def test_the_assistant_alone_gets_a_turn_of_the_user_before_it() -> None:
    made, losses = wrote(Msg.assistant("hello"))
    assert [m["role"] for m in made] == ["user", "assistant"]
    assert losses == ["added turn.first $.messages[0]"]


def test_a_history_may_begin_with_the_assistant() -> None:
    made, losses = wrote(call("abcdef123"), Msg.tool("abcdef123", "x", "f"), Msg.user("so?"))
    assert [m["role"] for m in made] == ["assistant", "tool", "user"]
    assert losses == []


def test_later_system_messages_are_told_in_tags() -> None:
    msgs = Msg.system("be"), Msg.user("hi"), Msg.assistant("yes"), Msg.system("now"), Msg.user("?")
    made, losses = wrote(*msgs)
    assert [m["role"] for m in made] == ["system", "user", "assistant", "user", "user"]
    assert made[3]["content"] == "<system-reminder>\nnow\n</system-reminder>"
    assert losses == [
        "degraded system.late $.messages[3]",
        "added system.reminder $.messages[3]",
    ]


def test_names_stand_on_no_message() -> None:
    made, losses = wrote(Msg("Bob", "hi", "user"), Msg("Eve", "yes", "assistant"), Msg.user("?"))
    assert all(set(m) == {"role", "content"} for m in made)
    assert losses == [
        "dropped name.unsupported $.messages[0].name",
        "dropped name.unsupported $.messages[1].name",
    ]


def test_thinking_is_one_chunk_before_everything_else() -> None:
    thoughts: list[Any] = [
        ThinkingBlock("a"),
        TextBlock("t"),
        ThinkingBlock("b"),
        ToolUseBlock("abcdef123", "f"),
    ]
    made, losses = wrote(
        Msg.user("go"), Msg("", thoughts, "assistant"), Msg.tool("abcdef123", "x", "f"), tools=[F]
    )
    assert made[1]["content"] == [
        {
            "type": "thinking",
            "thinking": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
            "closed": True,
        },
        {"type": "text", "text": "t"},
    ]
    assert losses == ["moved thinking.moved $.messages[1].content[2]"]


def test_thinking_alone_still_makes_a_list() -> None:
    made, _ = wrote(Msg.user("go"), Msg.assistant([ThinkingBlock("a")]), Msg.user("?"))
    assert [chunk["type"] for chunk in made[1]["content"]] == ["thinking"]


def test_thinking_of_others_and_of_nothing_is_left_out() -> None:
    foreign = ThinkingBlock("a", origin=Origin("anthropic"))
    own = ThinkingBlock("b", origin=Origin("mistral"))
    msgs = Msg.user("go"), Msg.assistant([foreign, own, ThinkingBlock(""), TextBlock("t")])
    made, losses = wrote(*msgs, Msg.user("?"))
    assert made[1]["content"][0]["thinking"] == [{"type": "text", "text": "b"}]
    assert losses == [
        "dropped thinking.other_provider $.messages[1].content[0]",
        "repaired text.blank $.messages[1].content[2].thinking",
    ]


def test_a_turn_of_nothing_but_an_empty_thought_is_left_out() -> None:
    made, losses = wrote(Msg.user("go"), Msg.assistant([ThinkingBlock("")]), Msg.user("?"))
    assert [m["role"] for m in made] == ["user", "user"]
    assert losses == ["repaired text.blank $.messages[1].content[0].thinking"]
    made, _ = wrote(Msg.user("go"), Msg.assistant([ThinkingBlock("")]))
    assert made == [{"role": "user", "content": "go"}]


def test_models_that_do_not_think_get_none_back() -> None:
    thought = Msg.assistant([ThinkingBlock("a"), TextBlock("t")])
    made, losses = wrote(Msg.user("go"), thought, Msg.user("?"), model="ministral-3b-latest")
    assert made[1]["content"] == "t"
    assert losses == ["dropped thinking.unsupported $.messages[1].content[0]"]


def test_images() -> None:
    made, losses = wrote(
        Msg.user([
            TextBlock("see"), PNG,
            ImageBlock(URLSource("https://example.com/a.png"), detail="high"),
            ImageBlock(URLSource("https://example.com/b.png"), detail="original"),
        ])
    )  # fmt: skip
    assert made[0]["content"][1:] == [
        {"type": "image_url", "image_url": "data:image/png;base64,iVBORw0KGgo="},
        {"type": "image_url", "image_url": {"url": "https://example.com/a.png", "detail": "high"}},
        {"type": "image_url", "image_url": "https://example.com/b.png"},
    ]
    assert losses == ["dropped media.detail $.messages[0].content[3].detail"]


def test_documents_and_files() -> None:
    made, losses = wrote(
        Msg.user([
            DocumentBlock(URLSource("https://example.com/a.pdf"), "A"),
            DocumentBlock(Base64Source("application/pdf", "JVBERi0=")),
            DocumentBlock(FileSource("f-1", "mistral"), "C"),
        ])
    )  # fmt: skip
    assert made[0]["content"] == [
        {"type": "document_url", "document_url": "https://example.com/a.pdf", "document_name": "A"},
        {"type": "document_url", "document_url": "data:application/pdf;base64,JVBERi0="},
        {"type": "file", "file_id": "f-1"},
    ]
    assert losses == ["dropped media.detail $.messages[0].content[2].title"]


def test_sound_for_those_who_hear() -> None:
    sound = Msg.user([TextBlock("what?"), AudioBlock(Base64Source("audio/wav", "UklGRg=="))])
    made, losses = wrote(sound, model="voxtral-small-latest")
    assert made[0]["content"][1] == {"type": "input_audio", "input_audio": "UklGRg=="}
    assert losses == []
    made, losses = wrote(sound)
    assert made[0]["content"] == "what?"
    assert losses == ["dropped block.unsupported $.messages[0].content[1]"]


def test_own_chunks_and_fields_travel_and_those_of_others_do_not() -> None:
    own = RawBlock("mistral", {"type": "reference", "reference_ids": [1]})
    text = TextBlock("a", extras={"openai-chat": {"annotations": ["b"]}})
    made, losses = wrote(Msg.user("go"), Msg.assistant([own, text]), Msg.user("?"))
    assert made[1]["content"] == [own.data, {"type": "text", "text": "a"}]
    assert losses == [
        "expected extras.other_provider $.messages[1].content[1].extras.openai-chat.annotations"
    ]


def test_empty_messages_are_left_out_and_white_space_stays() -> None:
    made, losses = wrote(Msg.user("go"), Msg.assistant(""), Msg.user(" "))
    assert [m["content"] for m in made] == ["go", " "]
    assert losses == ["repaired message.empty $.messages[1].content"]


def test_the_plain_list_is_that_of_a_request() -> None:
    msgs = [Msg.system("be"), Msg.user("hi"), Msg.assistant("y")]
    listed = WIRE.messages(msgs, WIRE.can(SMALL), FormatStyle(), Report(msgs))
    assert listed == wrote(*msgs)[0]
