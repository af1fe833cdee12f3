"""Pieces that come late, alone or under another name, as events that clients take all the same."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman.losses import Loss
from dragoman.message import (
    Citation,
    Finish,
    Origin,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    Usage,
)
from dragoman.message.blocks import name_answers
from dragoman.stream.pieces import End, Meta, Part, Piece

WIRE = dragoman.wire("anthropic", policy="ignore")
NAMED = Meta(id="msg_1", model="m")
STOP = End(Finish("stop"))
COST = Usage(1, output=1)


def fed(*pieces: Piece) -> tuple[list[list[Any]], list[Loss]]:
    """The events that each piece completes, and those of the end."""
    encoder = WIRE.stream_encoder()
    made = [[payload for _, payload in encoder.feed(piece)] for piece in pieces]
    return [*made, [payload for _, payload in encoder.finish()]], encoder.losses


def encoded(*pieces: Piece) -> tuple[list[Any], list[Loss]]:
    made, losses = fed(*pieces)
    return [one for events in made for one in events], losses


def test_a_message_begins_as_soon_as_it_has_its_name() -> None:
    text = Part((0, 0), TextBlock("x"))
    made, losses = fed(text, Meta(id="msg_1"), Meta(model="m"), text, STOP, COST)
    assert [len(events) for events in made] == [0, 0, 3, 1, 0, 0, 3]
    made, _ = fed(text, Meta(model="m"), Meta(id="msg_1"), text, STOP, COST)
    assert [len(events) for events in made] == [0, 0, 3, 1, 0, 0, 3]
    made, _ = fed(Meta(model="m"), text, Meta(id="msg_1"), text, STOP, COST)
    assert [len(events) for events in made] == [0, 0, 3, 1, 0, 0, 3]
    made, _ = fed(NAMED, Meta(id="msg_1"), STOP, COST)
    assert [len(events) for events in made] == [0, 0, 0, 0, 3]
    assert losses == []


@pytest.mark.parametrize("piece", [
    COST, Meta(model="m"), Meta(id="i"), Meta({"x": 1}, issuer="anthropic"),
    Part((0, 0), TextBlock("")),
])  # fmt: skip
def test_whatever_is_known_of_an_answer_begins_it(piece: Piece) -> None:
    made, _ = encoded(piece)
    assert [one["type"] for one in made] == ["message_start"]
    assert made[0]["message"]["usage"] == {
        "input_tokens": int(piece is COST), "output_tokens": int(piece is COST)}  # fmt: skip
    assert encoded(Meta({"x": 1}, issuer="acme"))[0] == []


def test_what_only_the_end_can_tell() -> None:
    text = Part((0, 0), TextBlock("x"))
    more = Meta({"container": {"id": "c"}}, issuer="anthropic")
    made, _ = encoded(NAMED, text, more)
    assert made[-1] == {"type": "message_delta", "usage": {"output_tokens": 0},
                        "delta": {"stop_reason": None, "container": {"id": "c"}}}  # fmt: skip
    made, _ = encoded(NAMED, text, more, Meta(issuer="anthropic"))
    assert made[-1]["type"] == "message_delta"
    made, _ = encoded(more, NAMED, text, Meta(issuer="anthropic"))
    assert made[-1]["type"] == "content_block_stop"


def test_the_last_reason_with_a_word_is_the_reason() -> None:
    made, _ = encoded(NAMED, STOP, End(Finish("length", "max_tokens")), STOP, COST)
    assert made[-2]["delta"]["stop_reason"] == "max_tokens"
    made, _ = encoded(NAMED, STOP, End(Finish("length", "max_tokens"), 1), COST)
    assert made[-2]["delta"]["stop_reason"] == "end_turn"


def test_a_block_begins_with_its_first_word() -> None:
    own = name_answers("anthropic")
    made, _ = encoded(
        NAMED, Part((0, 0), TextBlock("")), Part((0, 0), TextBlock("a", extras={own: {"x": 1}})),
        Part((0, 1), ThinkingBlock("")), Part((0, 1), ThinkingBlock("h")),
        Part((0, 1), ThinkingBlock("m")), STOP, COST)  # fmt: skip
    assert made[1:9] == [
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0,
         "delta": {"type": "text_delta", "text": "a", "x": 1}},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1,
         "content_block": {"type": "thinking", "thinking": "", "signature": ""}},
        {"type": "content_block_delta", "index": 1,
         "delta": {"type": "thinking_delta", "thinking": "h"}},
        {"type": "content_block_delta", "index": 1,
         "delta": {"type": "thinking_delta", "thinking": "m"}},
        {"type": "content_block_stop", "index": 1},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None},
         "usage": {"input_tokens": 1, "output_tokens": 1}},
    ]  # fmt: skip


def test_blocks_of_which_only_the_end_tells_something() -> None:
    cited = TextBlock("", [Citation(url="https://a.example", title="A")])
    proof = ThinkingBlock("", "c2ln", origin=Origin("anthropic"))
    made, losses = encoded(NAMED, Part((0, 0), cited), Part((0, 1), proof), STOP, COST)
    said = {"type": "web_search_result_location", "url": "https://a.example", "title": "A",
            "cited_text": "", "encrypted_index": ""}  # fmt: skip
    assert made[1:7] == [
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0,
         "delta": {"type": "citations_delta", "citation": said}},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1,
         "content_block": {"type": "thinking", "thinking": "", "signature": ""}},
        {"type": "content_block_delta", "index": 1,
         "delta": {"type": "signature_delta", "signature": "c2ln"}},
        {"type": "content_block_stop", "index": 1},
    ]  # fmt: skip
    assert losses == []


def test_a_refusal_keeps_its_own_fields() -> None:
    refused = RefusalBlock("No.", "bio", extras={"anthropic": {"k": 1}})
    made, losses = encoded(NAMED, Part((0, 0), refused), End(Finish("refusal")), COST)
    assert made[1]["content_block"] == {"type": "text", "text": "", "k": 1}
    assert made[-2]["delta"]["stop_details"]["category"] == "bio"
    assert [(loss.where, loss.did) for loss in losses] == [
        ("$.candidates[0].msg.content[0]", "said as text")]  # fmt: skip


def test_a_whole_block_that_says_otherwise_comes_too_late() -> None:
    other = Part((0, 0), TextBlock("y"), whole=True)
    made, losses = encoded(NAMED, Part((0, 0), TextBlock("x")), other, STOP, COST)
    assert [one["delta"]["text"] for one in made if "index" in one and "delta" in one] == ["x"]
    assert [(loss.code, loss.where, loss.what) for loss in losses] == [
        ("answer.unsupported", "$.candidates[0].msg.content[0]", "what came too late")]  # fmt: skip


def test_a_provider_call_whose_input_breaks_off() -> None:
    call = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
    block = RawBlock(
        "anthropic", call, "call", "s", extras={name_answers("anthropic"): {"input": "{"}}
    )
    made, _ = encoded(Meta(id="msg_1", model="m", issuer="anthropic"), Part((0, 0), block), STOP)
    assert [one.get("delta") for one in made[1:4]] == [
        None, {"type": "input_json_delta", "partial_json": "{"}, None]  # fmt: skip
    own = RawBlock("anthropic", call, "call", "s", extras={"anthropic": {"x": 1}})
    made, _ = encoded(Meta(id="msg_1", model="m", issuer="anthropic"), Part((0, 0), own), STOP)
    assert [one["type"] for one in made[1:3]] == ["content_block_start", "content_block_stop"]


def test_fields_of_a_call_stand_in_its_beginning() -> None:
    extras: Any = {"anthropic": {"caller": {"type": "direct"}}, name_answers("anthropic"): {"y": 1},
                   "acme": {"z": 1}}  # fmt: skip
    call = ToolUseBlock("c", "f", raw_input="{}", extras=extras)
    made, losses = encoded(NAMED, Part((0, 0), call), End(Finish("tool_calls")), COST)
    assert made[1]["content_block"] == {"type": "tool_use", "id": "c", "name": "f", "input": {},
                                        "caller": {"type": "direct"}, "y": 1}  # fmt: skip
    assert [loss.where for loss in losses] == ["$.candidates[0].msg.content[0].extras.acme.z"]


def test_thinking_of_this_wire_in_an_answer_of_another() -> None:
    mine = Origin("anthropic")
    for block, begun in (
        (ThinkingBlock("hm", "c2ln", origin=mine, extras={"anthropic": {"x": 1}}), {
            "type": "thinking", "thinking": "", "signature": "", "x": 1}),
        (ThinkingBlock("", redacted="ZGF0YQ==", origin=mine), {"type": "redacted_thinking",
                                                               "data": "ZGF0YQ=="}),
    ):  # fmt: skip
        made, losses = encoded(NAMED, Part((0, 0), block), STOP, COST)
        assert made[1]["content_block"] == begun
        assert losses == []


def test_the_beginning_of_thinking_of_its_own() -> None:
    own = Meta(id="msg_1", model="m", issuer="anthropic")
    for signature, spelling, begun in (("", None, ""), (None, "null", None), (None, None, "-")):
        block = ThinkingBlock("hm", signature)
        block.spelling = spelling
        made, _ = encoded(own, Part((0, 0), block), STOP, COST)
        assert made[1]["content_block"].get("signature", "-") == begun
