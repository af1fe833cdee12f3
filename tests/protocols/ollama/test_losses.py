"""What an answer of another loses on /api/chat: where it stood, and in which words."""

from __future__ import annotations

from typing import Any

import dragoman
from dragoman import ChatRequest, Msg
from dragoman.errors import ProviderError
from dragoman.losses import Loss
from dragoman.message import (
    Candidate,
    ChatResponse,
    Citation,
    Finish,
    ImageBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    URLSource,
    Usage,
)
from dragoman.stream.pieces import End, Failed, Meta, Part, Piece, Raw

WIRE = dragoman.wire("ollama", policy="ignore")
LINK = ImageBlock(URLSource("https://example.org/x.png"))
NINE = 1795309200  # 2026-11-22T01:00:00Z
ASKED = ChatRequest([Msg.user("x")], model="asked")


def rows(losses: list[Loss]) -> list[tuple[str, str, str, str]]:
    """(code and kind, where, what, what was done)."""
    return [(f"{one.code} {one.kind}", one.where, one.what, one.did) for one in losses]


def test_a_whole_answer() -> None:
    said = [
        TextBlock("x", [Citation(0, 1)], extras={"other": {"a": 1}}), RefusalBlock("No."),
        ThinkingBlock("t", signature="s"), ThinkingBlock("", redacted="r"), LINK,
        ToolUseBlock("c", "f", "[1", "[1", unfinished=True),
    ]  # fmt: skip
    candidates = [Candidate(Msg.assistant(said), Finish("content_filter", "safety")),
                  Candidate(Msg.assistant("b"))]  # fmt: skip
    extras: Any = {"openai-chat": {"created": NINE, "odd": 1}}
    usage = Usage(input=1, output=2, total=9, cache_read=1, audio_out=4)
    out = WIRE.write_response(ChatResponse(candidates, usage, id="i", extras=extras), ASKED)
    assert (out.body["created_at"], out.body["model"]) == ("2026-11-22T01:00:00Z", "asked")
    here = "$.candidates[0].msg.content"
    assert rows(out.losses) == [
        ("answer.unsupported dropped", f"{here}[5]", "a call that breaks off", ""),
        ("answer.candidates dropped", "$.candidates[1]", "Candidate", ""),
        ("extras.other_provider dropped", "$.extras.openai-chat.odd", "a field of openai-chat", ""),
        ("extras.other_provider dropped", f"{here}[0].extras.other.a", "a field of other", ""),
        ("answer.unsupported dropped", f"{here}[0].citations", "text", ""),
        ("answer.unsupported degraded", f"{here}[1]", "refusal", "said as text"),
        ("answer.unsupported dropped", f"{here}[2].signature", "thinking", ""),
        ("answer.unsupported dropped", f"{here}[3].redacted", "thinking", ""),
        ("answer.unsupported dropped", f"{here}[4]", "a block of the kind image", ""),
        ("answer.field added", "$.model", "ChatResponse", ""),
        ("answer.unsupported dropped", "$.id", "ChatResponse", ""),
        ("answer.finish degraded", "$.candidates[0].finish", "content_filter", "length"),
        ("answer.usage dropped", "$.usage.cache_read", "Usage", ""),
        ("answer.usage dropped", "$.usage.audio_out", "Usage", ""),
        ("answer.usage dropped", "$.usage.total", "Usage", ""),
    ]


def test_an_answer_without_a_word_has_an_empty_text() -> None:
    call = ToolUseBlock("c", "f", {})
    out = WIRE.write_response(ChatResponse([Candidate(Msg.assistant([call]))]))
    assert out.body["message"]["content"] == ""
    assert (out.body["model"], out.body["created_at"]) == ("", "1970-01-01T00:00:00Z")
    assert rows(out.losses) == [
        ("answer.field added", "$.model", "ChatResponse", ""),
        ("answer.field added", "$.created_at", "the time of the answer", ""),
    ]


def encoded(*pieces: Piece, request: ChatRequest | None = None) -> tuple[list[Any], list[Loss]]:
    encoder = WIRE.stream_encoder(request)
    made = [one for piece in pieces for one in encoder.feed(piece)] + encoder.finish()
    return [payload for _, payload in made], encoder.losses


def test_a_stream() -> None:
    out, losses = encoded(
        Meta(id="i"), Meta(id="i"), Part((0, 0), ThinkingBlock("a")),
        Part((0, 1), ThinkingBlock("b")), Part((0, 1), ThinkingBlock("c")),
        Part((0, 2), TextBlock("x")), Part((1, 0), TextBlock("o")), Part((1, 0), TextBlock("p")),
        Part((2, 0), TextBlock("o")), Part((0, 2), TextBlock("y"), whole=True),
        Part((0, 3), LINK), Raw("odd", {}),
        Meta({"created": NINE, "odd": 1}, issuer="openai-chat"), Meta({"created": 7, "k": 1}),
        Part((0, 4), ToolUseBlock("c1", "f", raw_input="[1")),
        Part((0, 4), ToolUseBlock("", "", raw_input=", 2")),
        Part((0, 5), ToolUseBlock("c2", "g", raw_input="{}")),
        Part((0, 6), ToolUseBlock("c3", "g", raw_input="{}")),
        End(Finish("content_filter", "safety")), Usage(input=1, output=2, reasoning=1),
    )  # fmt: skip
    assert [one["message"].get("thinking") for one in out[:3]] == ["a", "\nb", "c"]
    assert [one["created_at"] for one in out[-4:]] == ["2026-11-22T01:00:00Z"] * 4
    made = [call for one in out for call in one["message"].get("tool_calls", ())]
    assert [(call["id"], call["function"]["index"]) for call in made] == [
        ("c1", 0), ("c2", 1), ("c3", 2)]  # fmt: skip
    here = "$.candidates[0].msg.content"
    assert rows(losses) == [
        ("answer.unsupported dropped", "$.id", "Meta", ""),
        ("answer.candidates dropped", "$.candidates[1]", "candidate 1", ""),
        ("answer.candidates dropped", "$.candidates[2]", "candidate 2", ""),
        ("answer.unsupported dropped", f"{here}[2]", "text in the place of other text", ""),
        ("answer.unsupported dropped", "$", "an event that nobody knows", ""),
        ("extras.other_provider dropped", "$.extras.openai-chat.odd", "Meta", ""),
        ("extras.other_provider dropped", "$.extras.nobody.k", "Meta", ""),
        ("answer.unsupported dropped", f"{here}[3]", "a block of the kind image", ""),
        ("answer.unsupported degraded", f"{here}[4].input", "argument text that is no object", ""),
        ("answer.field added", "$.model", "ChatResponse", ""),
        ("answer.finish degraded", "$.candidates[0].finish", "content_filter", "length"),
        ("answer.usage dropped", "$.usage.reasoning", "Usage", ""),
    ]


def test_a_stream_that_does_not_tell_its_time() -> None:
    out, losses = encoded(Part((0, 0), TextBlock("x")), End(Finish("stop")), request=ASKED)
    assert {one["model"] for one in out} == {"asked"}
    assert rows(losses) == [("answer.field added", "$.created_at", "ChatResponse", "")]


def test_calls_that_a_server_ran_together_stand_where_the_first_one_does() -> None:
    call = ToolUseBlock("c1", "f", raw_input='{"a": 1}{"b": 2}')
    out, losses = encoded(
        Part((0, 0), TextBlock("x")), Part((0, 1), call), Part((0, 2), LINK), End(Finish("stop")),
        request=ASKED)  # fmt: skip
    made = [call["function"] for one in out for call in one["message"].get("tool_calls", ())]
    assert [one["arguments"] for one in made] == [{"a": 1}, {"b": 2}]
    assert losses[0].where == "$.candidates[0].msg.content[2]"


def test_a_call_that_a_limit_broke_off() -> None:
    cut = Part((0, 0), ToolUseBlock("c1", "f", raw_input='{"a": "x'))
    [call, _], _ = encoded(cut, End(Finish("length", "length")), request=ASKED)
    assert call["message"]["tool_calls"][0]["function"]["arguments"] == {"a": "x"}


def test_errors_in_the_words_of_this_wire_or_in_ours() -> None:
    for body, said in (
        ({"error": "e", "x": 1}, {"error": "e", "x": 1}),
        ({"error": "e", "message": "m"}, {"error": "m"}),
        ({"error": {"message": "m"}}, {"error": "m"}),
        (None, {"error": "m"}),
    ):
        failed = Failed(ProviderError("m", body=body))
        assert encoded(failed, End(Finish("error", "error")))[0] == [said]
    assert encoded(End(Finish("error", None)))[0] == [{"error": "error"}]
