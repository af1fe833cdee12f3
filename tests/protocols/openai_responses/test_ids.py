"""Ids of items: back together with the answer they belong to, or not at all.

Cases 70 to 72 of the reported failures: ids of another kind, too long, used twice, from a host
that keeps nothing; reasoning without what followed it, and the reverse.
"""

from __future__ import annotations

from typing import Any

import pytest

from dragoman import Msg
from dragoman.message import (
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from dragoman.message.blocks import ContentBlock, Origin

from .writing import OWN, codes, own, said, wrote

GO = Msg.user("Go")
SAID = {"role": "assistant", "content": "Hi"}


def thought(id: str | None = "rs_1", signature: str | None = "gAAA", **more: Any) -> ThinkingBlock:
    given = own(**({} if id is None else {"id": id}), **more)
    return ThinkingBlock("", signature, extras=given if given[OWN] else None)


def spoken(id: str | None = "msg_1", **more: Any) -> TextBlock:
    given = own(**({} if id is None else {"id": id}), **more)
    return TextBlock("Hi", extras=given if given[OWN] else None)


def call(id: str | None = "fc_1", call_id: str = "call_1") -> ToolUseBlock:
    return ToolUseBlock(call_id, "look", {}, extras=None if id is None else own(id=id))


def ids(items: list[dict[str, Any]]) -> list[str | None]:
    return [item.get("id") for item in items]


def test_ids_go_back_in_whole_items() -> None:
    answer = Msg.assistant([thought(status="completed"), spoken(phase="commentary"), call()])
    out = wrote(GO, answer, Msg.tool("call_1", "seen"))
    assert out.body["input"][1:4] == [
        {
            "type": "reasoning",
            "summary": [],
            "encrypted_content": "gAAA",
            "id": "rs_1",
            "status": "completed",
        },
        {
            "type": "message",
            "id": "msg_1",
            "status": "completed",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "Hi", "annotations": []}],
            "phase": "commentary",
        },
        {
            "type": "function_call",
            "call_id": "call_1",
            "name": "look",
            "arguments": "{}",
            "id": "fc_1",
        },
    ]
    assert codes(out) == []


def test_a_message_begins_where_an_id_or_a_phase_stands() -> None:
    answer = Msg.assistant(
        [
            spoken("msg_1", phase="commentary"),
            TextBlock("more of it"),
            spoken("msg_2", phase="final_answer"),
            RefusalBlock("No.", extras=own(phase="final_answer")),
        ]
    )
    items = said(GO, answer)[1:]
    assert ids(items) == ["msg_1", "msg_2", None]
    assert [len(item["content"]) for item in items] == [2, 1, 1]
    assert [item["phase"] for item in items] == ["commentary", "final_answer", "final_answer"]


def test_an_id_alone_brings_back_what_the_host_keeps() -> None:
    out = wrote(GO, Msg.assistant([thought(signature=None), spoken()]))
    assert out.body["input"][1] == {"type": "reasoning", "summary": [], "id": "rs_1"}
    assert codes(out) == []


UNKEPT = [
    ["id.unsupported $.messages[1].content[0].extras.openai-responses.id"],
    ["id.unsupported $.messages[1].content[1].extras.openai-responses.id"],
    ["id.unsupported $.messages[1].content[2].extras.openai-responses.id"],
]


def test_nothing_is_looked_up_where_nothing_is_kept() -> None:
    answer = Msg.assistant([thought(), spoken(status="completed", phase="commentary"), call()])
    out = wrote(GO, answer, Msg.tool("call_1", "seen"), extras=own(store=False))
    assert out.body["input"][1:4] == [
        {"type": "reasoning", "summary": [], "encrypted_content": "gAAA"},
        {**SAID, "phase": "commentary"},
        {"type": "function_call", "call_id": "call_1", "name": "look", "arguments": "{}"},
    ]
    assert out.body["include"] == ["reasoning.encrypted_content"]
    said_of = [code for code in codes(out) if code.startswith("id.unsupported")]
    assert said_of == [
        *UNKEPT[0],
        *UNKEPT[1],
        "id.unsupported $.messages[1].content[1].extras.openai-responses.status",
        *UNKEPT[2],
    ]
    assert {loss.kind for loss in out.losses if loss.code == "id.unsupported"} == {"expected"}
    assert codes(out)[-1] == "include.added $"


def test_thinking_that_only_an_id_names_goes_with_it() -> None:
    answer = Msg.assistant([thought(signature=None), spoken()])
    out = wrote(GO, answer, extras=own(store=False))
    assert out.body["input"][1:] == [SAID]
    assert codes(out) == ["thinking.unsigned $.messages[1].content[0]", *UNKEPT[1]]


def test_a_host_that_keeps_nothing_is_sent_no_ids() -> None:
    out = wrote(GO, Msg.assistant([thought(), spoken()]), switches={"stores": False})
    assert ids(out.body["input"]) == [None, None, None]
    assert out.body["include"] == ["reasoning.encrypted_content"]
    unsigned = wrote(GO, Msg.assistant([thought(signature=None), spoken()]),
                     switches={"stores": False})  # fmt: skip
    assert "thinking.unsigned $.messages[1].content[0]" in codes(unsigned)


@pytest.mark.parametrize(
    "id",
    ["call_1", "msg", "x" * 65, "fc_" + "x" * 62, "fc_1/2", "fc_ü", "fc_1\n", "__fake_id__", 7],
)
def test_ids_that_the_api_refuses_are_left_out(id: Any) -> None:
    answer = Msg.assistant([ToolUseBlock("call_1", "look", {}, extras=own(id=id))])
    out = wrote(GO, answer, Msg.tool("call_1", "seen"))
    assert ids(out.body["input"]) == [None, None, None]
    assert out.body["input"][1]["call_id"] == "call_1"
    assert codes(out) == UNKEPT[0]


def test_an_id_that_says_nothing_is_none() -> None:
    answer = Msg.assistant([ToolUseBlock("call_1", "look", {}, extras=own(id=""))])
    out = wrote(GO, answer, Msg.tool("call_1", "seen"))
    assert "id" not in out.body["input"][1]
    assert codes(out) == []


@pytest.mark.parametrize("kind", ["rs_1", "fc_1", "ws_1"])
def test_each_kind_of_item_has_its_letters(kind: str) -> None:
    out = wrote(GO, Msg.assistant([spoken(kind)]))
    assert out.body["input"][1] == SAID


def test_an_id_stands_once() -> None:
    out = wrote(GO, Msg.assistant([spoken()]), GO, Msg.assistant([spoken()]))
    assert ids(out.body["input"]) == [None, "msg_1", None, None]
    assert codes(out) == ["id.unsupported $.messages[3].content[0].extras.openai-responses.id"]


def answers(*blocks: ContentBlock) -> list[str | None]:
    history = [GO, Msg.assistant(list(blocks))]
    if any(type(block) is ToolUseBlock for block in blocks):
        history.append(Msg.tool("call_1", "seen"))
    return ids(said(*history)[1 : len(blocks) + 1])


@pytest.mark.parametrize(
    "blocks",
    [
        (thought(), spoken(None)),
        (thought(), spoken("wrong")),
        (thought(None), spoken()),
        (thought("wrong"), spoken(), call()),
        (thought("wrong", None), spoken()),
        (thought(), spoken(), call(None)),
        (spoken(), thought()),
        (thought(), RawBlock(OWN, {"type": "custom_tool_call", "call_id": "c", "name": "n",
                                   "input": ""}, "item")),
    ],
)  # fmt: skip
def test_ids_of_an_answer_stand_or_fall_together(blocks: tuple[ContentBlock, ...]) -> None:
    assert set(answers(*blocks)) == {None}


def test_a_message_without_its_id_is_as_short_as_others() -> None:
    mark = {"type": "file_path", "file_id": "file-1", "index": 0}
    several = [spoken("msg_2"), RefusalBlock("No.")]
    phased = [spoken("msg_4", phase="commentary"), TextBlock("and on")]
    answer = Msg.assistant(
        [thought("wrong"), spoken(), *phased, *several, spoken("msg_3", annotations=[mark])]
    )
    items = said(GO, answer)[2:]
    assert items == [
        SAID,
        {**SAID, "phase": "commentary"},
        {"role": "assistant", "content": "and on", "phase": "commentary"},
        {
            "role": "assistant",
            "content": [
                {"type": "output_text", "text": "Hi"},
                {"type": "refusal", "refusal": "No."},
            ],
        },
        {
            "role": "assistant",
            "content": [{"type": "output_text", "text": "Hi", "annotations": [mark]}],
        },
    ]


def test_without_reasoning_each_id_stands_for_itself() -> None:
    assert answers(spoken(None), call()) == [None, "fc_1"]


def test_another_answer_keeps_its_own() -> None:
    history = [
        GO, Msg.assistant([thought(), call()]), Msg.tool("call_1", "seen"),
        Msg.assistant([thought("rs_2"), spoken(None)]), GO,
        Msg.assistant([thought("rs_3"), spoken("msg_3")]),
    ]  # fmt: skip
    assert ids(said(*history)) == [
        None, "rs_1", "fc_1", None, None, None, None, "rs_3", "msg_3",
    ]  # fmt: skip


def test_reasoning_at_the_end_of_its_turn_goes_without_its_id() -> None:
    out = wrote(GO, Msg.assistant([thought()]), GO)
    assert out.body["input"][1] == {
        "type": "reasoning",
        "summary": [],
        "encrypted_content": "gAAA",
    }
    lone = wrote(GO, Msg.assistant([thought(signature=None)]), GO)
    assert [item["role"] for item in lone.body["input"]] == ["user", "user"]
    assert codes(lone) == ["thinking.unsigned $.messages[1].content[0]"]


def test_what_followed_reasoning_that_is_left_out_has_no_id() -> None:
    foreign = ThinkingBlock("Hm", "EqQB", origin=Origin("anthropic"))
    out = wrote(GO, Msg.assistant([foreign, spoken(), call()]), Msg.tool("call_1", "seen"))
    assert ids(out.body["input"]) == [None] * 4
    never = wrote(GO, Msg.assistant([thought(), spoken()]), can={"thinking": False})
    assert never.body["input"][1] == SAID
    assert codes(never) == ["thinking.unsupported $.messages[1].content[0]", *UNKEPT[1]]


def test_a_message_bears_ids_and_phases_too() -> None:
    msg = Msg.assistant("Hi", extras=own(id="msg_1", phase="final_answer"))
    assert said(GO, msg)[1]["id"] == "msg_1"
    several = Msg.assistant(
        [TextBlock("a"), call(), TextBlock("b")], extras=own(id="msg_1", phase="commentary")
    )
    items = said(GO, several, Msg.tool("call_1", "seen"))[1:4]
    assert ids(items) == ["msg_1", "fc_1", None]
    assert [item.get("phase") for item in items] == ["commentary", None, "commentary"]
    behind = Msg.assistant([thought(None), TextBlock("c")])
    assert "phase" not in said(GO, msg, behind)[3]
    calling = Msg.assistant([call(None)], extras=own(id="fc_9", status="completed"))
    items = said(GO, calling, Msg.tool("call_1", "seen"))
    assert (items[1]["id"], items[1]["status"]) == ("fc_9", "completed")


def test_a_loss_is_found_where_the_field_stood() -> None:
    msg = Msg.assistant([spoken(None, phase="commentary")], extras=own(id="x", status="completed"))
    out = wrote(GO, msg)
    assert out.body["input"][1] == {**SAID, "phase": "commentary"}
    assert codes(out) == [
        "id.unsupported $.messages[1].extras.openai-responses.id",
        "id.unsupported $.messages[1].extras.openai-responses.status",
    ]


def test_fields_without_an_item_to_stand_on_are_losses() -> None:
    calling = Msg.assistant([call(None)], extras=own(phase="commentary"))
    out = wrote(GO, calling, Msg.tool("call_1", "seen"))
    assert codes(out) == ["extras.unsupported $.messages[1].extras.openai-responses.phase"]
    item = {"type": "compaction", "encrypted_content": "gAAA"}
    raw = Msg.assistant([RawBlock(OWN, item)], extras=own(status="completed"))
    assert codes(wrote(GO, raw)) == [
        "extras.unsupported $.messages[1].extras.openai-responses.status"
    ]
    assert item == {"type": "compaction", "encrypted_content": "gAAA"}


def test_results_bear_their_own_fields() -> None:
    caller = {"type": "program", "caller_id": "cm_1"}
    result = ToolResultBlock("call_1", "look", "seen", extras=own(caller=caller, id="fc_2"))
    items = said(GO, Msg.assistant([call(None)]), Msg("", [result], "tool"))
    assert items[2] == {
        "type": "function_call_output",
        "call_id": "call_1",
        "output": "seen",
        "caller": caller,
        "id": "fc_2",
    }
    told = Msg.tool("call_1", "seen", extras=own(status="completed"))
    assert said(GO, Msg.assistant([call(None)]), told)[2]["status"] == "completed"


def test_what_a_user_said_has_no_id() -> None:
    out = wrote(Msg.user([TextBlock("Hi", extras=own(id="msg_1", status="completed"))]))
    assert out.body["input"] == [{"role": "user", "content": "Hi"}]
    status = said(Msg.user("Hi", extras=own(status="completed")))
    part = {"type": "input_text", "text": "Hi"}
    assert status == [{"role": "user", "content": [part], "type": "message", "status": "completed"}]


def test_call_ids_are_free_text_of_64_characters() -> None:
    long, odd = "x" * 65, "toolu_1:ü"
    calls = Msg.assistant([ToolUseBlock(long, "look", {}), ToolUseBlock(odd, "look", {})])
    items = said(GO, calls, Msg.tool(long, "a"), Msg.tool(odd, "b"))
    pairs = [item["call_id"] for item in items[1:]]
    assert pairs[:2] == pairs[2:]
    assert len(pairs[0]) == 64
    assert pairs[1] == odd


def test_a_call_id_stands_for_one_call() -> None:
    turn = [Msg.assistant([call(None)]), Msg.tool("call_1", "seen")]
    pairs = [item["call_id"] for item in said(GO, *turn, *turn)[1:]]
    assert pairs[0] == pairs[1] == "call_1"
    assert pairs[2] == pairs[3] != "call_1"
