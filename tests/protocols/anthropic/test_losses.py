"""What an answer of another loses on this wire: where it stood, and in which words."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg
from dragoman.errors import StreamError
from dragoman.losses import Loss
from dragoman.message import (
    Candidate,
    ChatResponse,
    Citation,
    Finish,
    ImageBlock,
    Origin,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    URLSource,
    Usage,
)
from dragoman.message.blocks import name_answers
from dragoman.stream.pieces import End, Meta, Part, Piece, Raw

WIRE = dragoman.wire("anthropic", policy="ignore")
LINK = ImageBlock(URLSource("https://example.org/x.png"))
HERE = "$.candidates[0].msg.content"


def rows(losses: list[Loss]) -> list[tuple[str, str, str, str]]:
    """(code and kind, where, what, what was done)."""
    return [(f"{one.code} {one.kind}", one.where, one.what, one.did) for one in losses]


def answer(*blocks: Any, finish: Finish | None = None, **rest: Any) -> ChatResponse:
    said = Msg("", [*blocks], "assistant", origin=Origin("acme", "m-1"))
    given = {"id": "msg_1", "model": "m", "usage": Usage(1, output=1), **rest}
    return ChatResponse([Candidate(said, finish or Finish("stop", "stop"))], **given)


def test_a_whole_answer() -> None:
    resp = answer(
        TextBlock("x", [Citation(title="B", extras={"acme": {"c": 1}}),
                        Citation(0, url="https://a", title="A")],
                  extras={"acme": {"a": 1}}),
        ThinkingBlock("t", signature="s"), ThinkingBlock("", redacted="r"),
        RefusalBlock("No.", "kind"), LINK, RawBlock("acme", {"t": 1}), RawBlock("anthropic", "t"),
        ToolUseBlock("c", "f", '{"a": 1', '{"a": 1', unfinished=True),
        ToolUseBlock("d", "f", "sky", "sky"), finish=Finish("content_filter", "safety"),
        usage=Usage(total=9, audio_out=4, extras={"acme": {"cost": 1}}), id=None, model=None,
        extras={"acme": {"odd": 1}},
    )  # fmt: skip
    resp.candidates.append(Candidate(Msg.assistant("b")))
    out = WIRE.write_response(resp)
    assert rows(out.losses) == [
        ("answer.unsupported dropped", f"{HERE}[7]", "a call that breaks off", ""),
        ("answer.candidates dropped", "$.candidates[1]", "Candidate", ""),
        ("answer.field added", "$.id", "ChatResponse", out.body["id"]),
        ("answer.field added", "$.model", "ChatResponse", "unknown"),
        ("extras.other_provider dropped", f"{HERE}[0].extras.acme.a", "a field of acme", ""),
        ("extras.other_provider dropped", f"{HERE}[0].citations[0].extras.acme.c",
         "a field of acme", ""),
        ("answer.unsupported dropped", f"{HERE}[0].citations[0]", "citation", ""),
        ("answer.unsupported dropped", f"{HERE}[0].citations[1].start", "Citation",
         "cited by the whole block"),
        ("answer.unsupported dropped", f"{HERE}[1].signature", "signature of another issuer", ""),
        ("answer.unsupported dropped", f"{HERE}[2].redacted", "redacted of another issuer", ""),
        ("answer.unsupported degraded", f"{HERE}[3]", "refusal", "said as text"),
        ("answer.unsupported dropped", f"{HERE}[4]", "image", ""),
        ("answer.unsupported dropped", f"{HERE}[5]", "raw block of acme", ""),
        ("answer.unsupported dropped", f"{HERE}[6]", "raw block of anthropic", ""),
        ("answer.unsupported dropped", f"{HERE}[8].input", "arguments that are no object", ""),
        ("extras.other_provider dropped", "$.extras.acme.odd", "a field of acme", ""),
        ("answer.finish degraded", "$.candidates[0].finish", "content_filter", "refusal"),
        ("answer.unsupported dropped", f"{HERE}[3].category", "kind", ""),
        ("extras.other_provider dropped", "$.usage.extras.acme.cost", "a field of acme", ""),
        ("answer.usage dropped", "$.usage.audio_out", "audio_out: 4", ""),
        ("answer.usage dropped", "$.usage.total", "total: 9", ""),
        ("answer.field added", "$.usage.input", "Usage", "0"),
        ("answer.field added", "$.usage.output", "Usage", "0"),
    ]  # fmt: skip


CUT = ToolUseBlock("c", "f", '{"a": 1', '{"a": 1', unfinished=True)


@pytest.mark.parametrize(("block", "reason", "word"), [
    (TextBlock("x"), "other", "end_turn"), (CUT, "tool_calls", "max_tokens"),
    (CUT, "stop", "max_tokens"),
])  # fmt: skip
def test_why_it_ended(block: Any, reason: Any, word: str) -> None:
    finish = Finish(reason, "raw")
    out = WIRE.write_response(answer(block, finish=finish))
    did = "length" if block is CUT else word
    row = ("answer.finish degraded", "$.candidates[0].finish", reason, did)
    assert out.body["stop_reason"] == word
    assert row in rows(out.losses)
    [*_, last, _], losses = encoded(NAMED, Part((0, 0), block), End(finish), Usage(1, output=1))
    assert last["delta"]["stop_reason"] == word
    assert rows(losses)[-1][:3] == row[:3]


def test_a_word_of_this_wire_that_says_otherwise_is_not_taken_over() -> None:
    out = WIRE.write_response(answer(TextBlock("x"), finish=Finish("length", "end_turn")))
    assert out.body["stop_reason"] == "max_tokens"
    assert rows(out.losses) == []


def test_whose_an_answer_without_an_origin_is() -> None:
    for issuer, made in (("acme", True), ("anthropic", False)):
        resp = ChatResponse([Candidate(Msg.assistant("x"))], extras={issuer: {"k": 1}})
        assert ("id" in WIRE.write_response(resp).body) is made


def test_no_call_is_left_that_it_could_have_ended_with() -> None:
    out = WIRE.write_response(answer(TextBlock("x"), finish=Finish("tool_calls", "raw")))
    assert out.body["stop_reason"] == "end_turn"
    assert rows(out.losses) == [
        ("answer.finish degraded", "$.candidates[0].finish", "tool_calls", "end_turn")]  # fmt: skip


# what an error has no place for
BESIDE = [
    ("answer.usage dropped", "$.usage.input", "Usage", ""),
    ("answer.usage dropped", "$.usage.output", "Usage", ""),
    ("answer.unsupported dropped", "$.id", "ChatResponse", ""),
    ("answer.unsupported dropped", "$.model", "ChatResponse", ""),
]


def test_the_error_of_an_answer_that_broke_off() -> None:
    resp = answer(TextBlock("x"), error=StreamError("late"), status="error")
    out = WIRE.write_response(resp)
    assert out.body == {"type": "error", "error": {"type": "api_error", "message": "late"}}
    assert rows(out.losses) == [
        ("answer.unsupported dropped", "$.candidates[0]", "what came before it failed", ""),
        *BESIDE,
    ]


def test_a_malformed_call_is_an_error() -> None:
    finish = Finish("malformed_call", "raw")
    text = "the model's call was malformed (raw): it came to no call that could be run"
    out = WIRE.write_response(answer(TextBlock("x"), finish=finish))
    assert out.body == {"type": "error", "error": {"type": "api_error", "message": text}}
    assert rows(out.losses) == [
        ("answer.unsupported dropped", "$.candidates[0]", "what came before it failed", ""),
        *BESIDE,
    ]


def test_events_that_nobody_knows() -> None:
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [],
               "stop_reason": "end_turn", "usage": {"input_tokens": 1}}  # fmt: skip
    decoder = WIRE.stream_decoder()
    for event in ({"type": "message_start", "message": message}, {"type": "odd"}):
        decoder.feed(event)
    out = WIRE.write_response(decoder.finish())
    assert "events" not in out.body
    assert rows(out.losses) == [
        ("answer.unsupported dropped", "$.extras", "events that nobody knows", "")]  # fmt: skip


def test_input_of_a_provider_call_that_broke_off() -> None:
    told = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
    cut: Any = {name_answers("anthropic"): {"input": '{"q'}}
    blocks = [RawBlock("anthropic", told, "call", "s", extras=cut),
              RawBlock("anthropic", told, "call", "s", extras={"anthropic": {"input": 1}}),
              RawBlock("anthropic", told, "call", "s")]  # fmt: skip
    out = WIRE.write_response(answer(*blocks))
    assert out.body["content"] == [told] * 3
    assert rows(out.losses)[0] == (
        "answer.unsupported dropped", f"{HERE}[0].input", "arguments that break off",
         "")  # fmt: skip


def test_refusals_in_an_answer_of_this_wire_and_of_others() -> None:
    beside = RefusalBlock("No.", "cyber", spelling="stop_details")
    told = RefusalBlock("Also.", extras={"anthropic": {"k": 1}})
    for issuer, said in (
        ("anthropic", [{"type": "text", "text": "Also.", "k": 1}]),
        ("acme", [{"type": "text", "text": "No."}, {"type": "text", "text": "Also.", "k": 1}]),
    ):
        resp = answer(beside, told, finish=Finish("refusal", "refusal"))
        resp.msg.origin = Origin(issuer)
        assert WIRE.write_response(resp).body["content"] == said


def test_a_refusal_of_a_kind_that_this_wire_has() -> None:
    out = WIRE.write_response(answer(RefusalBlock("No.", "cyber"), finish=Finish("refusal")))
    assert out.body["stop_details"]["category"] == "cyber"
    assert rows(out.losses) == [
        ("answer.unsupported degraded", f"{HERE}[0]", "refusal", "said as text")
    ]


NAMED = Meta(id="msg_1", model="m")


def encoded(*pieces: Piece, request: ChatRequest | None = None) -> tuple[list[Any], list[Loss]]:
    encoder = WIRE.stream_encoder(request)
    made = [one for piece in pieces for one in encoder.feed(piece)] + encoder.finish()
    return [payload for _, payload in made], encoder.losses


def test_a_stream() -> None:
    out, losses = encoded(
        Meta({"odd": 1}, issuer="acme"), Part((0, 0), TextBlock("x")), Part((1, 0), TextBlock("o")),
        Raw("ping", {}), Raw(None, {}), Part((0, 1), ThinkingBlock("t", signature="s")),
        Part((0, 2), LINK), Part((0, 3), RefusalBlock("No.", "kind")),
        Part((0, 4), ToolUseBlock("c", "f", raw_input='{"a')),
        Usage(extras={"acme": {"cost": 1}}), End(Finish("content_filter", "x")),
        End(Finish("stop", "x"), 1), Usage(audio_out=2, extras={"acme": {"cost": 2}}),
    )  # fmt: skip
    begun = out[0]["message"]
    assert begun["model"] == "unknown"
    assert out[-2]["usage"] == {"output_tokens": 0}
    assert rows(losses) == [
        ("extras.other_provider dropped", "$.extras.acme.odd", "a field of acme", ""),
        ("answer.candidates dropped", "$.candidates[1]", "candidate 1", ""),
        ("answer.unsupported dropped", "$", "event ping", ""),
        ("answer.unsupported dropped", "$", "event ", ""),
        ("answer.field added", "$.id", "the answer", begun["id"]),
        ("answer.field added", "$.model", "the answer", "unknown"),
        ("answer.unsupported dropped", f"{HERE}[1].signature", "signature of another issuer", ""),
        ("answer.unsupported dropped", f"{HERE}[2]", "image", ""),
        ("answer.unsupported degraded", f"{HERE}[3]", "refusal", "said as text"),
        ("extras.other_provider dropped", "$.usage.extras.acme.cost", "a field of acme", ""),
        ("answer.finish degraded", "$.candidates[0].finish", "content_filter", "refusal"),
        ("answer.unsupported dropped", f"{HERE}[3].category", "kind", ""),
        ("answer.usage dropped", "$.usage.audio_out", "audio_out: 2", ""),
        ("answer.field added", "$.usage.input", "Usage", "0"),
        ("answer.field added", "$.usage.output", "Usage", "0"),
    ]


def test_ids_that_are_made_tell_answers_apart() -> None:
    """By what they begin with, and by what was asked: the same one has the same id."""

    def made(text: str, *asked: str, model: str | None = None) -> str:
        request = ChatRequest([Msg.user(one) for one in asked], model=model) if asked else None
        out, _ = encoded(Part((0, 0), TextBlock(text)), End(Finish("stop")), request=request)
        id: str = out[0]["message"]["id"]
        assert id.startswith("msg_")
        assert len(id) == 28
        return id

    ids = [made("a"), made("b"), made("a", "x"), made("a", "y"), made("a", "x", "y"),
           made("a", "x", model="m")]  # fmt: skip
    assert len({*ids}) == len(ids)
    assert made("a", "y") == ids[3]


def test_ids_that_are_made_of_a_whole_answer() -> None:
    def made(*blocks: Any, **rest: Any) -> str:
        id: str = WIRE.write_response(answer(*blocks, id=None, **rest)).body["id"]
        assert len(id) == 28
        return id

    ids = [made(TextBlock("a")), made(TextBlock("b")), made(TextBlock("a"), model="n"), made(),
           made(ToolUseBlock("c", "f", {"a": 1})), made(ToolUseBlock("c", "f", {"a": 2})),
           made(TextBlock("half a pair: \ud800"))]  # fmt: skip
    assert len({*ids}) == len(ids)
    assert WIRE.write_response(answer(id="msg_7")).body["id"] == "msg_7"
    assert WIRE.write_response(answer(id="7")).body["id"] == "msg_7"


@pytest.mark.parametrize(("error", "kind"), [
    (StreamError("x", status=529), "overloaded_error"), (StreamError("x"), "api_error"),
    (StreamError("x", status=418), "invalid_request_error"),
    (StreamError("x", status=400, type="overloaded_error"), "overloaded_error"),
    (StreamError("x", status=400, type="theirs"), "invalid_request_error"),
])  # fmt: skip
def test_errors_in_the_words_of_this_wire(error: Any, kind: str) -> None:
    resp = ChatResponse([], status="error", error=error)
    told = {"type": "error", "error": {"type": kind, "message": "x"}}
    assert WIRE.write_response(resp).body == told
