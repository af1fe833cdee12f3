"""Messages as items: roles, parts, the order of what one message says, and where it may stand."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman import ChatRequest, Msg
from dragoman.errors import WriteError
from dragoman.history.passes.survey import ASSISTANT, TOOL, USER, RoledHistory
from dragoman.losses import Report
from dragoman.message import (
    AudioBlock,
    DocumentBlock,
    ImageBlock,
    LocalSource,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    VideoBlock,
)
from dragoman.message.blocks import Origin
from dragoman.protocols.openai_responses import CAN, OpenAIResponses

from .writing import OWN, codes, own, said, wire, wrote

IMAGE = ImageBlock(URLSource("https://example.com/a.png"))
SHOWN = {"type": "input_image", "image_url": "https://example.com/a.png", "detail": "auto"}
CALL = ToolUseBlock("call_1", "look", {"at": "it"})
CALLED = {
    "type": "function_call",
    "call_id": "call_1",
    "name": "look",
    "arguments": '{"at": "it"}',
}


def spoken(text: str) -> dict[str, str]:
    return {"type": "output_text", "text": text}


def test_text_alone_is_a_string() -> None:
    assert said(
        Msg.user("Hello"), Msg.assistant("Hi"), Msg.user([TextBlock("One")]), Msg.user("Two")
    ) == [
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": "Hi"},
        {"role": "user", "content": "One"},
        {"role": "user", "content": "Two"},
    ]


def test_each_text_of_the_model_is_a_message() -> None:
    history = [Msg.user("Go"), Msg.assistant([TextBlock("One"), TextBlock("Two")])]
    assert said(*history)[1:] == [
        {"role": "assistant", "content": "One"},
        {"role": "assistant", "content": "Two"},
    ]
    phased = Msg.assistant([TextBlock("One"), TextBlock("Two")], extras=own(phase="commentary"))
    assert said(Msg.user("Go"), phased)[1:] == [
        {"role": "assistant", "content": "One", "phase": "commentary"},
        {"role": "assistant", "content": "Two", "phase": "commentary"},
    ]


def test_fields_of_one_item_keep_its_texts_together() -> None:
    one = Msg.assistant([TextBlock("One"), TextBlock("Two")], extras=own(recipient="all"))
    items = wire().write_request(ChatRequest([Msg.user("Go"), one], model="m")).body["input"]
    assert items[1:] == [
        {
            "role": "assistant",
            "content": [spoken("One"), spoken("Two")],
            "recipient": "all",
        }
    ]


def test_several_parts_keep_their_order() -> None:
    assert said(Msg.user([TextBlock("See"), IMAGE, TextBlock("this")])) == [
        {
            "role": "user",
            "content": [
                {"type": "input_text", "text": "See"},
                SHOWN,
                {"type": "input_text", "text": "this"},
            ],
        }
    ]


def test_the_model_says_output_and_refusals() -> None:
    history = [Msg.user("Go"), Msg.assistant([TextBlock("Well"), RefusalBlock("No.")])]
    assert said(*history)[1] == {
        "role": "assistant",
        "content": [spoken("Well"), {"type": "refusal", "refusal": "No."}],
    }


def test_one_message_becomes_items_in_the_order_of_its_blocks() -> None:
    msg = Msg.assistant(
        [
            ThinkingBlock("Hm", signature="gAAA"),
            TextBlock("I look."),
            CALL,
            TextBlock("And again."),
            ToolUseBlock("call_2", "look", {}),
        ]
    )
    results = [Msg.tool("call_1", "seen"), Msg.tool("call_2", "seen again")]
    assert said(Msg.user("Go"), msg, *results)[1:] == [
        {
            "type": "reasoning",
            "summary": [{"type": "summary_text", "text": "Hm"}],
            "encrypted_content": "gAAA",
        },
        {"role": "assistant", "content": "I look."},
        CALLED,
        {"role": "assistant", "content": "And again."},
        {"type": "function_call", "call_id": "call_2", "name": "look", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "call_1", "output": "seen"},
        {"type": "function_call_output", "call_id": "call_2", "output": "seen again"},
    ]


def test_a_call_keeps_the_very_text_of_its_arguments() -> None:
    call = ToolUseBlock("call_1", "look", {"at": 1}, raw_input='{"at":1}')
    edited = ToolUseBlock("call_2", "look", {"at": 2}, raw_input='{"at":1}')
    items = said(Msg.user("Go"), Msg.assistant([call, edited]), Msg.tool("call_1", ""),
                 Msg.tool("call_2", ""))  # fmt: skip
    assert [item["arguments"] for item in items[1:3]] == ['{"at":1}', '{"at": 2}']


@pytest.mark.parametrize(
    ("output", "written"),
    [
        ("text", "text"),
        ("", ""),
        (None, ""),
        ([], ""),
        ([TextBlock("one")], "one"),
        (
            [TextBlock("one"), TextBlock("two")],
            [{"type": "input_text", "text": "one"}, {"type": "input_text", "text": "two"}],
        ),
        ({"seen": [1, "ü"]}, '{"seen": [1, "ü"]}'),
        ([TextBlock("see"), IMAGE], [{"type": "input_text", "text": "see"}, SHOWN]),
        (
            [RawBlock(OWN, {"type": "input_image", "file_id": "file-1"})],
            [{"type": "input_image", "file_id": "file-1"}],
        ),
    ],
)
def test_results(output: Any, written: Any) -> None:
    out = wrote(Msg.user("Go"), Msg.assistant([CALL]), Msg.tool("call_1", output))
    assert out.body["input"][-1]["output"] == written
    assert codes(out) == []


def test_a_failure_is_told_in_words() -> None:
    out = wrote(Msg.user("Go"), Msg.assistant([CALL]), Msg.tool("call_1", "gone", is_error=True))
    assert out.body["input"][-1]["output"] == "Error: gone"
    assert codes(out) == ["result.error_as_text $.messages[2].content[0].is_error"]


def test_roles_of_the_system_stay_where_they_are() -> None:
    out = wrote(
        Msg("", "Be brief.", "developer"), Msg.user("Hi"), Msg.system("Be kind."),
        Msg.user([TextBlock("a"), TextBlock("b")]), Msg.system([TextBlock("c"), TextBlock("d")]),
    )  # fmt: skip
    assert [item["role"] for item in out.body["input"]] == [
        "developer", "user", "system", "user", "system",
    ]  # fmt: skip
    assert out.body["input"][-1]["content"][1] == {"type": "input_text", "text": "d"}
    assert codes(out) == []


def test_the_plain_list_holds_the_prompt() -> None:
    history = [Msg.system("Be brief."), Msg.user("Hi")]
    seated = RoledHistory(history, [0, USER])
    room = OpenAIResponses(None)
    items = room.messages(seated, room.can(), Report())
    assert items == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hi"},
    ]


def test_an_own_item_stands_where_it_stood_as_it_came() -> None:
    search = {"type": "web_search_call", "id": "ws_1", "status": "completed",
              "action": {"type": "search", "query": "x"}}  # fmt: skip
    update = {"type": "configuration_update", "reasoning": {"effort": "low"}}
    history = [
        Msg.user([RawBlock(OWN, update, "message"), TextBlock("Go")]),
        Msg.assistant([TextBlock("I search."), RawBlock(OWN, search), TextBlock("Found.")]),
        Msg.user([TextBlock("Hear"), RawBlock(OWN, {"type": "input_text", "text": "this"})]),
    ]
    out = wrote(*history)
    items = out.body["input"]
    assert items[0] is update
    assert items[2:5] == [
        {"role": "assistant", "content": "I search."},
        search,
        {"role": "assistant", "content": "Found."},
    ]
    assert items[3] is search
    assert items[5]["content"][1] == {"type": "input_text", "text": "this"}
    assert codes(out) == []


def test_another_protocols_item_is_a_loss() -> None:
    out = wrote(Msg.user([TextBlock("Go"), RawBlock("anthropic", {"type": "container"})]))
    assert codes(out) == ["raw.other_provider $.messages[0].content[1]"]


def test_thinking_of_another_provider_is_left_out() -> None:
    thought = ThinkingBlock("Hm", signature="EqQB", origin=Origin("anthropic"))
    history = [Msg.user("Go"), Msg.assistant([thought, TextBlock("Hi")])]
    out = wrote(*history)
    assert out.body["input"][1] == {"role": "assistant", "content": "Hi"}
    assert codes(out) == ["thinking.other_provider $.messages[1].content[0]"]


def test_sealed_thinking_says_nothing_else() -> None:
    blocks = [ThinkingBlock("", signature="gAAA"), ThinkingBlock("", redacted="gBBB")]
    items = said(Msg.user("Go"), Msg.assistant([*blocks, TextBlock("Hi")]))
    assert items[1:3] == [
        {"type": "reasoning", "summary": [], "encrypted_content": "gAAA"},
        {"type": "reasoning", "summary": [], "encrypted_content": "gBBB"},
    ]


def test_several_summaries_go_back_as_they_came() -> None:
    parts = [{"type": "summary_text", "text": text} for text in ("One", "Two")]
    thought = ThinkingBlock("One\n\nTwo", signature="gAAA", extras=own(summary=parts))
    items = said(Msg.user("Go"), Msg.assistant([thought, TextBlock("Hi")]))
    assert items[1] == {"type": "reasoning", "summary": parts, "encrypted_content": "gAAA"}


def test_blank_messages_stand() -> None:
    blank = RoledHistory([Msg.user(""), Msg.assistant([]), Msg.user([TextBlock(" ")])], [1, 2, 1])
    assert OpenAIResponses(None).messages(blank, CAN, Report()) == [
        {"role": "user", "content": ""},
        {"role": "assistant", "content": ""},
        {"role": "user", "content": " "},
    ]
    assert said(Msg.user("")) == [{"role": "user", "content": ""}]


def test_annotations_of_a_part_stay_on_it() -> None:
    mark = {"type": "file_citation", "file_id": "file-1", "filename": "a.pdf", "index": 3}
    text = TextBlock("See a.", extras=own(annotations=[mark]))
    items = said(Msg.user("Go"), Msg.assistant([text]))
    assert items[1]["content"] == [{"type": "output_text", "text": "See a.", "annotations": [mark]}]


@pytest.mark.parametrize(
    ("block", "seat"),
    [
        (IMAGE, ASSISTANT),
        (ToolResultBlock("c", "look", ""), ASSISTANT),
        (VideoBlock(URLSource("https://example.com/a.mp4")), USER),
        (RefusalBlock("No."), USER),
        (RawBlock(OWN, "text"), USER),
        (ImageBlock(LocalSource("/a.png")), USER),
        (DocumentBlock(LocalSource("/a.pdf")), USER),
        (AudioBlock(URLSource("https://example.com/a.wav")), USER),
        (TextBlock("x"), TOOL),
    ],
)
def test_what_no_capability_let_through_is_an_error(block: Any, seat: int) -> None:
    role = ("user", "user", "assistant", "tool")[seat]
    seated = RoledHistory([Msg("", [block], role)], [seat], unusual=[0])
    with pytest.raises(WriteError) as caught:
        OpenAIResponses(None).messages(seated, CAN, Report())
    assert caught.value.code == "placement.unsupported"


def test_what_was_given_stays_as_it_was() -> None:
    extras = own(id="msg_1", status="completed", annotations=[], phase="commentary")
    text = TextBlock("Hi", extras=extras)
    raw = RawBlock(
        OWN, {"type": "program", "id": "cm_1", "call_id": "p", "code": "", "fingerprint": "f"}
    )
    history = [Msg.user("Go"), Msg.assistant([text, raw], extras=own(status="completed"))]
    before = repr([msg.to_dict() for msg in history])
    wrote(*history, extras=own(store=False, include=["file_search_call.results"]))
    assert repr([msg.to_dict() for msg in history]) == before
