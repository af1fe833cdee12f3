"""An image that the model drew is an image: for other wires, and as it came for its own."""

from __future__ import annotations

import json
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg
from dragoman.message import Base64Source, ImageBlock

WIRE = dragoman.wire("openai/openai-responses")
DATA = "iVBORw0KGgo="
USER = {"role": "user", "content": "Draw a cat."}
ITEM = {"type": "image_generation_call", "id": "ig_1", "status": "completed", "result": DATA,
        "output_format": "webp", "revised_prompt": "A grey cat.", "size": "1024x1024"}  # fmt: skip
BARE = {"type": "image_generation_call", "result": DATA}
EMPTY = {"type": "image_generation_call", "id": "ig_1", "status": "failed", "result": None}


def answer(*items: Any) -> dict[str, Any]:
    return {"id": "resp_1", "object": "response", "created_at": 1, "status": "completed",
            "model": "gpt-5.6", "output": list(items)}  # fmt: skip


def stream(item: dict[str, Any]) -> list[dict[str, Any]]:
    begun = {**item, "result": None, "status": "in_progress"}
    place = {"output_index": 0, "item_id": item["id"]}
    kind = "response.image_generation_call"
    return [
        {"type": "response.created", "response": {**answer(), "status": "in_progress"}},
        {"type": "response.output_item.added", "output_index": 0, "item": begun},
        {"type": f"{kind}.in_progress", **place},
        {"type": f"{kind}.partial_image", **place, "partial_image_index": 0,
         "partial_image_b64": "AAAA"},
        {"type": f"{kind}.completed", **place},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": answer(item)},
    ]  # fmt: skip


def test_it_is_an_image_of_its_format() -> None:
    [block] = WIRE.read_response(answer(ITEM)).msg.blocks
    assert type(block) is ImageBlock
    assert block.source == Base64Source("image/webp", DATA)
    [bare] = WIRE.read_response(answer(BARE)).msg.blocks
    assert type(bare) is ImageBlock
    assert bare.source == Base64Source("image/png", DATA)


def test_without_an_image_it_is_kept_as_it_came() -> None:
    [block] = WIRE.read_response(answer(EMPTY)).msg.blocks
    assert block.type == "raw"


@pytest.mark.parametrize("item", [ITEM, BARE, EMPTY, {**ITEM, "result": ""}])
def test_answers_and_requests_go_back_as_they_came(item: dict[str, Any]) -> None:
    body = answer(item)
    assert WIRE.write_response(WIRE.read_response(body)).body == body
    request = {"model": "gpt-5.6", "input": [USER, item, {"role": "user", "content": "Blue."}]}
    assert WIRE.write_request(WIRE.read_request(request)).body == request


def test_the_answer_goes_back_in_the_next_request() -> None:
    resp = WIRE.read_response(answer(ITEM))
    msgs = [Msg("", "Draw a cat.", "user"), resp.msg, Msg("", "Blue.", "user")]
    out = WIRE.write_request(ChatRequest(msgs), model="gpt-5.6")
    assert out.body["input"][1] == ITEM
    assert not [loss for loss in out.losses if loss.kind == "dropped"]


def test_a_stream_says_what_the_whole_answer_says() -> None:
    read = WIRE.read_stream(stream(ITEM))
    list(read)
    assert read.response.msg.blocks == WIRE.read_response(answer(ITEM)).msg.blocks


TARGETS = ["gemini", "openrouter"]


@pytest.mark.parametrize("target", TARGETS)
def test_the_answer_for_clients_of_another_wire(target: str) -> None:
    out = dragoman.convert(answer(ITEM), "openai/openai-responses", target, kind="response")
    again: Any = dragoman.wire(target).read_response(out.body).msg.blocks
    assert [b.source.data for b in again if b.type == "image"] == [DATA]


@pytest.mark.parametrize("streamed", [False, True])
def test_an_image_of_another_wire_is_such_an_item(streamed: bool) -> None:
    part = {"inlineData": {"mimeType": "image/jpeg", "data": DATA}}
    body = {"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}],
            "responseId": "r", "modelVersion": "gemini-3"}  # fmt: skip
    if streamed:
        chunks = [f"data: {json.dumps(body)}\n\n".encode()]
        made = dragoman.convert_stream(chunks, "gemini", "openai/openai-responses")
        read = WIRE.read_stream(list(made))
        list(read)
        [block] = read.response.msg.blocks
    else:
        out = dragoman.convert(body, "gemini", "openai/openai-responses", kind="response")
        [item] = out.body["output"]
        assert (item["type"], item["result"]) == ("image_generation_call", DATA)
        [block] = WIRE.read_response(out.body).msg.blocks
    assert type(block) is ImageBlock
    assert block.source == Base64Source("image/jpeg", DATA)


def test_an_image_of_nobodys_is_no_item_of_a_request() -> None:
    """The API takes back what it drew itself, by its id."""
    image = ImageBlock(Base64Source("image/png", DATA))
    msgs = [Msg("", "Draw.", "user"), Msg("", [image], "assistant"), Msg("", "Blue.", "user")]
    out = WIRE.write_request(ChatRequest(msgs), model="gpt-5.6")
    assert all(item.get("type") != "image_generation_call" for item in out.body["input"])
    assert out.losses


def test_what_is_no_base64_is_no_image() -> None:
    item = {"type": "image_generation_call", "id": "ig_1", "status": "completed", "result": "..."}
    body = {"id": "r", "object": "response", "status": "completed", "output": [item]}
    wire = dragoman.wire("openai-responses", policy="ignore")
    resp = wire.read_response(body)
    assert not [block for block in resp.msg.blocks if block.type == "image"]
    assert wire.write_response(resp).body["output"] == [item]
