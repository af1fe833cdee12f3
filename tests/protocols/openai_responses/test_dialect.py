"""What hosts of the Responses API disagree on: every switch of the dialect, both ways."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman import ChatRequest, Msg
from dragoman.message import (
    ImageBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    URLSource,
)
from dragoman.protocols.openai_responses import Dialect

from .writing import codes, own, wire, wrote

IMAGE = ImageBlock(URLSource("https://example.com/a.png"))


def test_all_content_in_parts() -> None:
    history = [Msg.system("s"), Msg.user("u"), Msg.assistant("a"), Msg.user([IMAGE])]
    switches = {"text": "parts", "assistant_text": "parts", "instructions": False}
    items = wrote(*history, switches=switches).body["input"]
    assert [item["content"] for item in items[:3]] == [
        [{"type": "input_text", "text": "s"}],
        [{"type": "input_text", "text": "u"}],
        [{"type": "output_text", "text": "a"}],
    ]


def test_what_the_model_said_in_parts() -> None:
    thought = ThinkingBlock("", "sealed", extras=own(id="wrong"))
    history = [
        Msg.user("u"),
        Msg.assistant("a"),
        Msg.assistant([TextBlock("b")]),
        Msg.assistant([TextBlock("c"), TextBlock("d")]),
        Msg.user("u"),
        Msg.assistant([thought, TextBlock("e", extras=own(id="msg_1", phase="final_answer"))]),
    ]
    items = wrote(*history, switches={"assistant_text": "parts"}).body["input"]
    said = [[part["text"] for part in item["content"]] for item in items[1:4]]
    assert said == [["a"], ["b"], ["c", "d"]]
    parts = [{"type": "output_text", "text": "e"}]
    assert items[-1] == {"role": "assistant", "content": parts, "phase": "final_answer"}


def test_items_of_the_model_in_full() -> None:
    history = [
        Msg.user("u"),
        Msg.assistant("a", extras=own(phase="commentary")),
        Msg.assistant(
            [
                ThinkingBlock("Hm", "sealed"),
                TextBlock("b", extras=own(id="an id", status="incomplete")),
                TextBlock("c", extras=own(id="odd-1")),
                RefusalBlock("No."),
                ToolUseBlock("call_1", "look", {}),
            ]
        ),
        Msg.tool("call_1", "seen"),
    ]
    out = wrote(*history, switches={"assistant_text": "full", "stores": False})
    said, thought, b, c, no = out.body["input"][1:6]
    assert said == {
        "type": "message",
        "id": "msg_1",
        "status": "completed",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "a", "annotations": []}],
        "phase": "commentary",
    }
    assert thought["id"] == "rs_2"
    assert (b["id"], b["status"]) == ("msg_3", "completed")
    assert c["id"] == "odd-1"
    assert no["content"] == [{"type": "refusal", "refusal": "No."}]
    assert (c["status"], no["id"]) == ("completed", "msg_5")
    assert codes(out)[:2] == [
        "id.unsupported $.messages[2].content[1].extras.openai-responses.id",
        "id.unsupported $.messages[2].content[1].extras.openai-responses.status",
    ]
    assert len({item.get("id") for item in out.body["input"][1:6]}) == 5


def test_each_part_in_full_has_the_fields_of_its_item() -> None:
    said = TextBlock("One", extras=own(id="msg_7", status="incomplete", phase="commentary"))
    history = [Msg.user("u"), Msg.assistant([said, TextBlock("Two")])]
    one, two = wrote(*history, switches={"assistant_text": "full"}).body["input"][1:]
    assert [one.pop("content")[0]["text"], two.pop("content")[0]["text"]] == ["One", "Two"]
    assert (one.pop("id"), two.pop("id")) == ("msg_7", "msg_2")
    assert one == two == {
        "type": "message", "status": "incomplete", "role": "assistant", "phase": "commentary",
    }  # fmt: skip


def test_a_made_id_is_nobody_elses() -> None:
    history = [Msg.user("u"), Msg.assistant("a", extras=own(id="msg_2")), Msg.assistant("b")]
    items = wrote(*history, switches={"assistant_text": "full"}).body["input"]
    assert [item.get("id") for item in items] == [None, "msg_2", "msg_2_"]


def test_raw_reasoning() -> None:
    history = [Msg.user("u"), Msg.assistant([ThinkingBlock("Hm"), TextBlock("a")])]
    out = wrote(*history, switches={"reasoning": "raw"})
    assert out.body["input"][1] == {
        "type": "reasoning",
        "summary": [],
        "content": [{"type": "reasoning_text", "text": "Hm"}],
    }
    assert codes(out) == []
    sealed = wrote(*history)
    assert codes(sealed) == ["thinking.unsigned $.messages[1].content[0]"]


def test_a_summary_of_another_host_is_raw_reasoning() -> None:
    """Codex sends `"content": null` beside the summary of what it was told."""
    thought = ThinkingBlock("Hm", extras=own(content=None))
    out = wrote(Msg.user("u"), Msg.assistant([thought, TextBlock("a")]),
                switches={"reasoning": "raw"})  # fmt: skip
    assert out.body["input"][1]["content"] == [{"type": "reasoning_text", "text": "Hm"}]


def test_an_id_of_another_kind_of_call_stays_out_of_a_full_item() -> None:
    call = ToolUseBlock("call_1", "run", {"input": "x"}, extras=own(id="ctc_1"))
    history = [Msg.user("u"), Msg.assistant([call]), Msg.tool("call_1", "done")]
    out = wrote(*history, switches={"assistant_text": "full"})
    assert "id" not in out.body["input"][1]
    assert codes(out) == ["id.unsupported $.messages[1].content[0].extras.openai-responses.id"]


@pytest.mark.parametrize(
    ("switches", "role"), [({}, "developer"), ({"developer": False}, "system")]
)
def test_developers(switches: dict[str, Any], role: str) -> None:
    items = wrote(Msg("", "s", "developer"), Msg.user("u"), switches=switches).body["input"]
    assert items[0] == {"role": role, "content": "s"}


def test_a_dialect_without_instructions() -> None:
    out = wrote(Msg.user("u"), system="s", switches={"instructions": False})
    assert out.body["input"][0] == {"role": "system", "content": "s"}
    assert "instructions" not in out.body


def test_images_say_how_closely_to_look_where_that_was_given() -> None:
    out = wire(detail=False).write_request(ChatRequest([Msg.user([IMAGE])], model="m"))
    part = {"type": "input_image", "image_url": "https://example.com/a.png"}
    assert out.body["input"][0]["content"] == [part]


def test_bullets_for_several_texts_of_a_result() -> None:
    history = [
        Msg.user("u"), Msg.assistant([ToolUseBlock("call_1", "look", {})]),
        Msg.tool("call_1", [TextBlock("a"), TextBlock("b")]),
    ]  # fmt: skip
    assert wrote(*history, switches={"bullets": True}).body["input"][2]["output"] == "- a\n- b"


def test_a_dialect_has_few_switches() -> None:
    assert len(Dialect.__dataclass_fields__) <= 19
