"""A provider's opaque state through a gateway that keeps nothing: byte for byte back.

provider's answer -> client of another wire -> that client's next request -> provider's next body
"""

from __future__ import annotations

import json
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Tool
from dragoman.errors import ConfigError
from dragoman.losses import Report
from dragoman.message import ChatResponse, Finish, Origin, TextBlock, ThinkingBlock
from dragoman.sealed_state import Envelope, Sealing
from dragoman.stream.pieces import End, Part, Piece
from tests.each_case import each_case

TOOL = Tool("look", "Looks.", {"type": "object", "properties": {"at": {"type": "integer"}}})
CLIENTS = ["openai-chat", "openai-responses", "anthropic", "gemini"]
OPAQUE = ("signature", "thoughtSignature", "encrypted_content", "data", "reasoning_content")
ANSWERS: dict[str, dict[str, Any]] = {
    "anthropic": {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-5-5",
        "content": [
            {"type": "thinking", "thinking": "Let me see.", "signature": "EqQBCkYIBRgC/+=="},
            {"type": "redacted_thinking", "data": "EmwKAhgBEgy3va3p"},
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"at": 1}},
        ],
        "stop_reason": "tool_use", "stop_sequence": None,
        "usage": {"input_tokens": 9, "output_tokens": 9},
    },
    "gemini": {
        "candidates": [{"content": {"role": "model", "parts": [
            {"text": "Let me see.", "thought": True},
            {"functionCall": {"name": "look", "args": {"at": 1}}, "thoughtSignature": "Y2FsbA=="},
            {"functionCall": {"name": "look", "args": {"at": 2}}},
        ]}, "finishReason": "STOP", "index": 0}],
        "modelVersion": "gemini-3.5-flash", "responseId": "r1",
        "usageMetadata": {"promptTokenCount": 3, "totalTokenCount": 3},
    },
    "openai-responses": {
        "id": "resp_1", "object": "response", "created_at": 1, "status": "completed",
        "model": "gpt-5.5", "output": [
            {"type": "reasoning", "id": "rs_1", "encrypted_content": "gAAAAABo-x_1==",
             "summary": [{"type": "summary_text", "text": "Let me see."}]},
            {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "look",
             "arguments": '{"at": 1}', "status": "completed"},
        ],
    },
    "deepseek": {
        "id": "x1", "object": "chat.completion", "created": 1, "model": "deepseek-v4-pro",
        "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
            "role": "assistant", "content": "", "reasoning_content": "Let me see.",
            "tool_calls": [{"id": "c1", "type": "function",
                            "function": {"name": "look", "arguments": '{"at": 1}'}}]}}],
    },
}  # fmt: skip
MODELS = {"anthropic": "claude-opus-5-5", "gemini": "gemini-3.5-flash",
          "openai-responses": "gpt-5.5", "deepseek": "deepseek-v4-pro"}  # fmt: skip
PAIRS = [(source, client) for source in ANSWERS for client in CLIENTS if source != client]


def wire(name: str) -> Any:
    return dragoman.wire(name, policy="ignore")


def opaque(value: Any) -> list[tuple[str, str]]:
    """Whatever only its provider can read, in its order."""
    if isinstance(value, list):
        return [one for item in value for one in opaque(item)]
    if not isinstance(value, dict):
        return []
    found = [(key, said) for key, said in value.items() if key in OPAQUE and isinstance(said, str)]
    return [*(one for one in found if one[1]), *(x for v in value.values() for x in opaque(v))]


def asked(resp: ChatResponse) -> ChatRequest:
    """The next request of a program that speaks with the provider itself."""
    results = [Msg.tool(call.id, "a wall", call.name) for call in resp.calls]
    return ChatRequest([Msg.user("Look."), resp.msg, *results], tools=[TOOL])


def for_client(client: str, resp: ChatResponse, envelope: Envelope | None) -> dict[str, Any]:
    body: dict[str, Any] = wire(client).write_response(resp, envelope=envelope).body
    return body


def streamed(source: str, client: str, envelope: Envelope | None) -> Any:
    """The body that the client's own sum of the events makes."""
    decoder = wire(source).stream_decoder()
    pieces = [*decoder.feed(ANSWERS[source]), *decoder.rest()]
    encoder = wire(client).stream_encoder(origin=decoder.origin, envelope=envelope)
    reader = wire(client).stream_decoder()
    for name, payload in [*(e for p in pieces for e in encoder.feed(p)), *encoder.finish()]:
        reader.feed(payload, name)
    return wire(client).write_response(reader.finish()).body


def next_body(client: str, body: dict[str, Any]) -> dict[str, Any]:
    """What the client sends next: the answer as it came, and the results of its calls."""
    if client == "openai-chat":
        said = body["choices"][0]["message"]
        results = [{"role": "tool", "tool_call_id": call["id"], "content": "a wall"}
                   for call in said["tool_calls"]]  # fmt: skip
        return {"model": "m", "messages": [{"role": "user", "content": "Look."}, said, *results]}
    if client == "openai-responses":
        results = [{"type": "function_call_output", "call_id": item["call_id"], "output": "a wall"}
                   for item in body["output"] if item["type"] == "function_call"]  # fmt: skip
        user = {"type": "message", "role": "user", "content": "Look."}
        return {"model": "m", "input": [user, *body["output"], *results]}
    if client == "anthropic":
        results = [{"type": "tool_result", "tool_use_id": block["id"], "content": "a wall"}
                   for block in body["content"] if block["type"] == "tool_use"]  # fmt: skip
        messages = [{"role": "user", "content": "Look."},
                    {"role": "assistant", "content": body["content"]},
                    {"role": "user", "content": results}]  # fmt: skip
        return {"model": "m", "max_tokens": 9, "messages": messages}
    said = body["candidates"][0]["content"]
    results = [{"functionResponse": {"name": "look", "response": {"output": "a wall"}}}
               for part in said["parts"] if "functionCall" in part]  # fmt: skip
    return {"contents": [{"role": "user", "parts": [{"text": "Look."}]}, said,
                         {"role": "user", "parts": results}]}  # fmt: skip


def back(source: str, client: str, body: dict[str, Any], envelope: Envelope) -> Any:
    """The opaque state in what the gateway sends to the provider."""
    req = wire(client).read_request(next_body(client, body), envelope=envelope)
    req.tools = [TOOL]
    return opaque(wire(source).write_request(req, MODELS[source]).body)


@each_case("envelope", [Envelope(), Envelope(b"secret")])
@each_case("way", ["whole", "streamed"])
@each_case(("source", "client"), PAIRS)
def test_it_is_back_byte_for_byte(source: str, client: str, way: str, envelope: Envelope) -> None:
    resp = wire(source).read_response(ANSWERS[source])
    direct = opaque(wire(source).write_request(asked(resp), MODELS[source]).body)
    assert direct, "there is something to bring back"
    if way == "whole":
        body = for_client(client, resp, envelope)
    else:
        body = streamed(source, client, envelope)
    assert not {said for _, said in direct if said != "Let me see."} & {
        said for _, said in opaque(body)}, "the client has it in an envelope only"  # fmt: skip
    assert back(source, client, body, envelope) == direct


@each_case("way", ["whole", "streamed"])
@each_case(("source", "client"), PAIRS)
def test_without_an_envelope_nobody_gets_it(source: str, client: str, way: str) -> None:
    resp = wire(source).read_response(ANSWERS[source])
    made = for_client(client, resp, None) if way == "whole" else streamed(source, client, None)
    mine = {said for _, said in opaque(ANSWERS[source]) if said != "Let me see."}
    assert not mine & {said for _, said in opaque(made)}


@pytest.mark.parametrize("way", ["whole", "streamed"])
@pytest.mark.parametrize(
    ("source", "client"), [pair for pair in PAIRS if pair[1] in ("gemini", "openai-chat")]
)
def test_it_is_back_from_agents_that_keep_their_calls_alone(
    source: str, client: str, way: str
) -> None:
    """Gemini CLI drops thoughts; opencode returns no `reasoning_details`."""
    envelope = Envelope(b"secret")
    resp = wire(source).read_response(ANSWERS[source])
    direct = opaque(wire(source).write_request(asked(resp), MODELS[source]).body)
    if way == "whole":
        body = for_client(client, resp, envelope)
    else:
        body = streamed(source, client, envelope)
    if client == "gemini":
        content = body["candidates"][0]["content"]
        content["parts"] = [part for part in content["parts"] if not part.get("thought")]
    else:
        said = body["choices"][0]["message"]
        for key in {*said} - {"role", "content", "tool_calls"}:
            del said[key]
    assert back(source, client, body, envelope) == direct


def test_convert_seals_and_opens() -> None:
    envelope = Envelope(b"secret")
    answer = ANSWERS["openai-responses"]
    made = dragoman.convert(answer, "openai-responses", "anthropic", "response", policy="ignore",
                            envelope=envelope)  # fmt: skip
    asked_next = next_body("anthropic", made.body)
    out = dragoman.convert(asked_next, "anthropic", "openai-responses", model="gpt-5.5",
                           policy="ignore", envelope=envelope)  # fmt: skip
    assert ("encrypted_content", "gAAAAABo-x_1==") in opaque(out.body)
    with pytest.raises(ConfigError):
        dragoman.convert(asked_next, "anthropic", "gemini", request=ChatRequest([Msg.user("Hi")]))


SIGNED_TEXT = {
    "candidates": [{"content": {"role": "model", "parts": [
        {"text": "Let me see.", "thought": True}, {"text": "A wall."},
        {"text": "", "thoughtSignature": "dGV4dA=="},
    ]}, "finishReason": "STOP", "index": 0}],
    "modelVersion": "gemini-3.5-flash", "responseId": "r1",
    "usageMetadata": {"promptTokenCount": 3, "totalTokenCount": 3},
}  # fmt: skip
SAID = {
    "id": "resp_1", "object": "response", "created_at": 1, "status": "completed",
    "model": "gpt-5.5", "output": [
        {"type": "reasoning", "id": "rs_1", "encrypted_content": "gAAAAABo-x_1==", "summary": []},
        {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
         "phase": "final_answer",
         "content": [{"type": "output_text", "text": "A wall.", "annotations": []}]},
    ],
}  # fmt: skip


@pytest.mark.parametrize("way", ["whole", "streamed"])
@pytest.mark.parametrize(
    ("source", "answer"), [("gemini", SIGNED_TEXT), ("openai-responses", SAID)]
)
def test_nothing_is_sealed_behind_the_last_text_for_claude_code(
    source: str, answer: dict[str, Any], way: str
) -> None:
    """It takes the last block for the answer."""
    resp = wire(source).read_response(answer)
    if way == "whole":
        content = for_client("anthropic", resp, Envelope())["content"]
    else:
        decoder = wire(source).stream_decoder()
        pieces = [*decoder.feed(answer), *decoder.rest()]
        encoder = wire("anthropic").stream_encoder(origin=decoder.origin, envelope=Envelope())
        reader = wire("anthropic").stream_decoder()
        for name, payload in [*(e for p in pieces for e in encoder.feed(p)), *encoder.finish()]:
            reader.feed(payload, name)
        content = wire("anthropic").write_response(reader.finish()).body["content"]
        if source == "gemini":  # it came behind the text
            assert "extras.other_provider" in {loss.code for loss in encoder.losses}
    assert content[-1] == {"type": "text", "text": "A wall."}
    assert content[0]["type"] in ("thinking", "redacted_thinking")


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("source", ["anthropic", "openai-responses"])
def test_a_stream_names_the_seals_that_it_drops(source: str, client: str) -> None:
    if source == client:
        return
    answer = ANSWERS[source] if source == "anthropic" else SAID
    decoder = wire(source).stream_decoder()
    pieces = [*decoder.feed(answer), *decoder.rest()]
    encoder = wire(client).stream_encoder(origin=decoder.origin)
    for piece in pieces:
        encoder.feed(piece)
    encoder.finish()
    whole = wire(client).write_response(wire(source).read_response(answer)).losses
    named = {(loss.code, loss.where) for loss in encoder.losses}
    seals = {(loss.code, loss.where) for loss in whole if loss.field in ("signature", "redacted")}
    assert seals
    assert seals <= named


@pytest.mark.parametrize("client", ["anthropic", "gemini", "openai-responses"])
def test_a_changed_envelope_brings_nothing_back(client: str) -> None:
    source = "anthropic" if client != "anthropic" else "gemini"
    resp = wire(source).read_response(ANSWERS[source])
    body = for_client(client, resp, Envelope(b"secret"))
    mine = {said for _, said in opaque(ANSWERS[source])}
    assert not mine & {said for _, said in back(source, client, body, Envelope(b"other"))}


def test_what_is_told_again_at_the_end_is_sealed_once() -> None:
    origin, report = Origin("openai-responses"), Report()
    sealing = Sealing("anthropic", origin, Envelope(), report)
    thought, text = ThinkingBlock("Hm.", redacted="x"), TextBlock("Hi.")
    pieces: list[Piece] = [Part((0, 0), thought), Part((0, 1), text),
                           Part((0, 0), thought, whole=True), End(Finish("stop"))]  # fmt: skip
    made = [piece for told in pieces for piece in sealing.feed(told)]
    blocks = [piece.block for piece in made if type(piece) is Part]
    seals = [one.signature for one in blocks if type(one) is ThinkingBlock and one.signature]
    assert len(seals) == 1
    assert not report.losses
    late = Part((0, 0), ThinkingBlock("Hm.", redacted="y"), whole=True)
    assert [*sealing.feed(late), *sealing.finish()] == [
        Part((0, 0), ThinkingBlock("Hm."), whole=True)]  # fmt: skip
    assert [(loss.code, loss.what) for loss in report.losses] == [
        ("answer.unsupported", "a later proof")]  # fmt: skip


@pytest.mark.parametrize("way", ["whole", "streamed"])
@pytest.mark.parametrize("source", ["anthropic", "gemini", "deepseek"])
def test_the_official_client_takes_what_is_sealed(source: str, way: str) -> None:
    types = pytest.importorskip("openai.types.responses")
    resp, envelope = wire(source).read_response(ANSWERS[source]), Envelope()
    if way == "whole":
        body = for_client("openai-responses", resp, envelope)
    else:
        body = streamed(source, "openai-responses", envelope)
    made = types.Response.model_validate(body)
    kinds = [item.type for item in made.output]
    assert "reasoning" in kinds
    assert all(item.id for item in made.output if item.type == "reasoning")


ENVELOPE = Envelope(b"secret")
CLAUDE = {
    "type": "message", "id": "msg_1", "role": "assistant", "model": "claude-opus-5-5",
    "content": [{"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
                {"type": "redacted_thinking", "data": "cmVk"},
                {"type": "text", "text": "Hi."},
                {"type": "tool_use", "id": "t", "name": "look", "input": {},
                 "caller": {"type": "direct"}}],
    "stop_reason": "tool_use", "usage": {"input_tokens": 1, "output_tokens": 2},
}  # fmt: skip


@pytest.mark.parametrize("client", ["openai-chat", "openai-responses", "gemini"])
def test_what_the_envelope_carries_is_not_lost(client: str) -> None:
    resp = wire("anthropic").read_response(CLAUDE)
    bare = wire(client).write_response(resp).losses
    assert "$.candidates[0].msg.content[3].extras.anthropic.caller.type" in {
        one.where for one in bare}  # fmt: skip
    out = wire(client).write_response(resp, envelope=ENVELOPE)
    assert [one.where for one in out.losses if one.kind == "dropped"] == []
    decoder = wire("anthropic").stream_decoder()
    encoder = wire(client).stream_encoder(origin=decoder.origin, envelope=ENVELOPE)
    for piece in [*decoder.feed(CLAUDE), *decoder.rest()]:
        encoder.feed(piece)
    encoder.finish()
    assert not [one for one in encoder.losses if ".msg.content" in one.where]


@pytest.mark.parametrize("client", ["ollama", "mistral", "cohere", "dashscope"])
def test_losses_in_an_envelope_stand_where_the_blocks_do(client: str) -> None:
    """These have no field for one."""
    resp = wire("anthropic").read_response(CLAUDE)
    found = {one.where for one in wire(client).write_response(resp, envelope=ENVELOPE).losses}
    assert {"$.candidates[0].msg.content[0].signature", "$.candidates[0].msg.content[1].redacted",
            "$.candidates[0].msg.redacted"} <= found  # fmt: skip


@pytest.mark.parametrize(("key", "code"), [(b"secret", ""), (b"other", "thinking.other_provider")])
def test_losses_of_a_turn_stand_in_the_body_that_was_read(key: bytes, code: str) -> None:
    resp = wire("anthropic").read_response(CLAUDE)
    body = wire("openai-chat").write_response(resp, envelope=ENVELOPE).body
    said = {**body["choices"][0]["message"], "annotations": [{"type": "x"}]}
    assert len(said["reasoning_details"]) == 2
    assert set(said["tool_calls"][0]["extra_content"]["google"]) == {"thought_signature"}
    told = {"model": "m", "messages": [
        {"role": "user", "content": "Look."}, said,
        {"role": "tool", "tool_call_id": "t", "content": "Seen."}]}  # fmt: skip
    request = wire("openai-chat").read_request(told, envelope=Envelope(key))
    losses = wire("anthropic").write_request(request, MODELS["anthropic"]).losses
    assert "$.messages[1].annotations" in {one.where for one in losses}
    shut = [(one.code, one.where) for one in losses
            if "reasoning_details" in one.where or "tool_calls" in one.where]  # fmt: skip
    if code:  # each of them is named, and none goes out
        assert shut == [("thinking.unsigned", "$.messages[1].reasoning_details[0]"),
                        (code, "$.messages[1].reasoning_details[1]"),
                        (code, "$.messages[1].tool_calls[0]")]  # fmt: skip
    else:
        assert shut == []


@pytest.mark.parametrize("target", ["openai-chat", "anthropic", "gemini", "ollama"])
def test_something_sealed_that_does_not_open_is_a_loss(target: str) -> None:
    sealed = ENVELOPE.seal({"thinking": {"redacted": "x", "origin": {"issuer": "anthropic"}}})
    told = {"model": "m", "messages": [
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": "Hi.",
         "reasoning_details": [{"type": "reasoning.encrypted", "data": sealed}]},
        {"role": "user", "content": "And?"}]}  # fmt: skip
    request = wire("openai-chat").read_request(told, envelope=Envelope(b"other"))
    out = wire(target).write_request(request, "some-model")
    assert sealed not in json.dumps(out.body)
    (loss,) = [one for one in out.losses if one.code.startswith("thinking.")]
    assert (loss.kind, loss.where) == ("dropped", "$.messages[1].reasoning_details[0]")
