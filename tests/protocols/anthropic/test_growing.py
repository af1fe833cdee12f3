"""Streams of gateways: deltas of another kind than their block's, and blocks without an end."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman.message import ContentBlock, RawBlock, TextBlock, ThinkingBlock, ToolUseBlock
from dragoman.message.blocks import name_answers

from .test_reader_stream import OVER, START, begun, delta, ended, read, stop, text, thought

SIGNED = delta(0, "signature_delta", signature="c2ln")
CITED = {"type": "char_location", "cited_text": "sky", "document_index": 0,
         "document_title": "Book", "start_char_index": 0, "end_char_index": 3}  # fmt: skip


def blocks(*events: Any) -> list[ContentBlock]:
    return read([START, *events, ended(), OVER]).msg.blocks


EMPTY = begun(0, type="text", text="")
TURNED: dict[str, tuple[list[Any], list[ContentBlock]]] = {
    "thinking in the place of an empty text": (
        [EMPTY, thought(0, "h"), thought(0, "m")], [ThinkingBlock("hm")]),
    "thinking behind a text": (
        [begun(0, type="text", text="A"), thought(0, "hm")], [TextBlock("A"), ThinkingBlock("hm")]),
    "thinking behind a text that grew": (
        [EMPTY, text(0, "A"), thought(0, "hm")], [TextBlock("A"), ThinkingBlock("hm")]),
    "thinking behind a text of nothing but a citation": (
        [begun(0, type="text", text="", citations=[CITED]), thought(0, "hm")],
        [TextBlock(""), ThinkingBlock("hm")]),
    "text in the place of empty thinking": (
        [begun(0, type="thinking", thinking="", signature=""), text(0, "A")], [TextBlock("A")]),
    "text behind thinking": (
        [begun(0, type="thinking", thinking="hm"), text(0, "A")],
        [ThinkingBlock("hm"), TextBlock("A")]),
    "text behind a signature": (
        [begun(0, type="thinking", thinking="", signature="c2ln"), text(0, "A")],
        [ThinkingBlock("", "c2ln"), TextBlock("A")]),
    "text behind what is sealed": (
        [begun(0, type="redacted_thinking", data=""), text(0, "A")],
        [ThinkingBlock("", redacted=""), TextBlock("A")]),
    "thinking behind what is sealed": (
        [begun(0, type="redacted_thinking", data="ZGF0YQ=="), thought(0, "hm")],
        [ThinkingBlock("", redacted="ZGF0YQ=="), ThinkingBlock("hm")]),
    "text behind a call": (
        [begun(0, type="tool_use", id="t", name="f", input={}), text(0, "A")],
        [ToolUseBlock("t", "f", {}), TextBlock("A")]),
    "to and fro": (
        [EMPTY, thought(0, "a"), SIGNED, text(0, "b"), thought(0, "c"), text(0, "d"), stop(0),
         begun(1, type="text", text="e"), stop(1)],
        [ThinkingBlock("a", "c2ln"), TextBlock("b"), ThinkingBlock("c"), TextBlock("d"),
         TextBlock("e")]),
    "nothing began, and then another block": (
        [thought(0, "a"), text(0, "b"), stop(0), begun(2, type="text", text="c")],
        [ThinkingBlock("a"), TextBlock("b"), TextBlock("c")]),
}  # fmt: skip


@pytest.mark.parametrize("name", TURNED)
def test_deltas_of_another_kind_than_their_block(name: str) -> None:
    events, made = TURNED[name]
    assert [said(one) for one in blocks(*events)] == [said(one) for one in made]


def said(block: Any) -> tuple[Any, ...]:
    names = ("type", "text", "thinking", "signature", "redacted")
    return tuple(getattr(block, name, None) for name in names)


def test_a_signature_knows_whose_it_is() -> None:
    [block] = blocks(begun(0, type="thinking", thinking=""), thought(0, "hm"), SIGNED, stop(0))
    assert isinstance(block, ThinkingBlock)
    assert block.origin is not None
    assert (block.signature, block.origin.issuer) == ("c2ln", "anthropic")


def test_deltas_with_fields_that_nobody_knows() -> None:
    call = begun(0, type="tool_use", id="t", name="f", input={})
    grown = [delta(0, "input_json_delta", partial_json=one, x=1) for one in ('{"a"', "", ": 1}")]
    assert blocks(call, *grown, stop(0)) == [ToolUseBlock("t", "f", {"a": 1}, '{"a": 1}')]
    cited = delta(0, "citations_delta", citation=CITED, x=1)
    [block] = blocks(EMPTY, text(0, "A"), cited, stop(0))
    assert isinstance(block, TextBlock)
    assert (block.extras or {})[name_answers("anthropic")] == {"x": 1}
    assert (block.extras or {})["anthropic"] == {"citations": [CITED]}


def test_citations_that_stand_in_the_beginning_stay() -> None:
    other = {**CITED, "cited_text": "air"}
    start = begun(0, type="text", text="", citations=[CITED])
    [block] = blocks(start, text(0, "A"), delta(0, "citations_delta", citation=other), stop(0))
    assert (block.extras or {})["anthropic"] == {"citations": [CITED, other]}


@pytest.mark.parametrize("odd", [
    delta(7, "input_json_delta", partial_json="{"), delta(0, "input_json_delta", partial_json="{"),
    delta(0, "compaction_delta", content="x"), delta(0, "text_delta", text=1),
    delta(0, "text_delta", text=None, x=1), {**delta(0, "text_delta", text="x", y=1), "index": "0"},
    {"type": "content_block_stop", "index": "0"},
])  # fmt: skip
def test_deltas_that_fit_nowhere_are_kept_as_they_came(odd: dict[str, Any]) -> None:
    resp = read([START, begun(0, type="text", text="A"), odd, stop(0), ended(), OVER])
    assert resp.text == "A"
    assert (resp.extras or {})["anthropic"]["events"] == [{"event": odd["type"], "payload": odd}]


def test_input_of_a_server_tool_that_came_whole_stays() -> None:
    call = {"type": "server_tool_use", "id": "s", "name": "x", "input": {"a": 1}}
    kept = delta(0, "input_json_delta", partial_json="")
    assert blocks(begun(0, **call), kept, stop(0)) == [RawBlock("anthropic", call, "call", "s")]


def test_a_summary_goes_on_from_what_its_beginning_says() -> None:
    start = begun(0, type="compaction", content="All ")
    [block] = blocks(start, delta(0, "compaction_delta", content="is said."), stop(0), stop(0))
    assert block == RawBlock("anthropic", {"type": "compaction", "content": "All is said."})


def test_blocks_behind_those_of_another_message_stand_behind_them() -> None:
    again = {"type": "message_start", "message": START["message"]}
    events = [START, begun(0, type="text", text="A"), begun(1, type="text", text="B"), stop(0),
              again, begun(0, type="text", text="C"), begun(1, type="text", text="D"), stop(5),
              begun(1, type="text", text="E"), ended(), OVER]  # fmt: skip
    resp = read(events)
    assert [block.text for block in resp.msg.blocks] == ["A", "B", "C", "D", "E"]  # type: ignore[union-attr]
    assert "events" not in (resp.extras or {})["anthropic"]
