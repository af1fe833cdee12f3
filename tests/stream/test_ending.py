"""Why an answer stopped, where reason and content disagree."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman.message import (
    Candidate,
    ChatResponse,
    Finish,
    Msg,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ToolUseBlock,
)
from dragoman.message.ending import finish_and_status, worst_status
from dragoman.stream.builder import FinishCorrector, build, first_candidate_only
from dragoman.stream.pieces import End, Meta, Part, Piece
from tests.each_case import each_case

CALL = ToolUseBlock("a", "look")
HALF = ToolUseBlock("a", "look", unfinished=True)
SERVER = RawBlock("x", {}, "call", "s", "server")
MINE = RawBlock("x", {}, "call", "c", "client")
RESULT = RawBlock("x", {}, "result", "c", "client")
TEXT = TextBlock("Hi")
NO = RefusalBlock("No.")


@each_case(
    ("said", "blocks", "reason", "status"),
    [
        ("stop", [TEXT], "stop", "complete"),
        ("stop", [], "stop", "complete"),  # nothing to say is an answer
        ("stop", [TEXT, CALL], "tool_calls", "complete"),
        ("other", [CALL], "tool_calls", "complete"),
        ("tool_calls", [CALL], "tool_calls", "complete"),
        ("tool_calls", [TEXT], "malformed_call", "complete"),  # announced, and none came
        ("tool_calls", [], "malformed_call", "complete"),
        ("tool_calls", [SERVER], "stop", "complete"),  # whoever ran it, nobody has to run it
        ("stop", [SERVER], "stop", "complete"),
        ("tool_calls", [TEXT, MINE], "tool_calls", "complete"),  # of a custom tool: ours to run
        ("stop", [MINE], "tool_calls", "complete"),
        ("tool_calls", [RESULT], "stop", "complete"),
        ("tool_calls", [HALF], "tool_calls", "truncated"),
        ("stop", [HALF], "stop", "truncated"),
        ("stop", [CALL, HALF], "tool_calls", "truncated"),
        ("length", [TEXT], "length", "truncated"),
        ("length", [HALF], "length", "truncated"),
        ("context_overflow", [], "context_overflow", "truncated"),
        ("stop", [NO], "refusal", "complete"),
        ("refusal", [TEXT], "refusal", "complete"),
        ("content_filter", [CALL], "content_filter", "complete"),
        ("pause", [SERVER], "pause", "complete"),
        ("malformed_call", [HALF], "malformed_call", "complete"),
        ("error", [TEXT], "error", "complete"),
    ],
)
def test_content_decides(said: Any, blocks: list[Any], reason: str, status: str) -> None:
    finish, how = finish_and_status(Finish(said, "as it was said"), blocks)
    assert (finish.reason, finish.raw, how) == (reason, "as it was said", status)


def test_without_a_word_it_broke_off() -> None:
    assert finish_and_status(None, [TEXT]) == (Finish("other"), "interrupted")
    assert finish_and_status(None, [CALL]) == (Finish("other"), "interrupted")


def passed_on(*pieces: Piece) -> list[Finish]:
    """The reasons that go on to an encoder."""
    ends = FinishCorrector()
    made = [ends.feed(piece) for piece in pieces] + ends.finish()
    return [piece.finish for piece in made if type(piece) is End]


STOP = Finish("stop", "STOP")


@each_case(
    "blocks",
    [
        [TEXT],
        [TEXT, CALL],
        [ToolUseBlock("a", "look", raw_input='{"at"'), ToolUseBlock("", "", raw_input=": 1}")],
        [ToolUseBlock("a", "look", raw_input='{"at"')],
        [NO],
        [MINE],
        [SERVER],
        [CALL, TEXT],  # under one key: the provider changed its mind
    ],
)
@each_case("said", ["stop", "tool_calls", "other", "length", "pause"])
def test_pieces_end_as_their_sum_does(said: Any, blocks: list[Any]) -> None:
    pieces: list[Piece] = [Part((0, 0), block) for block in blocks]
    pieces.append(End(Finish(said, "word")))
    assert passed_on(*pieces) == [build(pieces).finish]


def test_each_candidate_ends_for_itself() -> None:
    parts: list[Piece] = [Part((0, 0), CALL), Part((1, 0), TEXT), End(STOP, 1), End(STOP, 0)]
    assert [one.reason for one in passed_on(*parts)] == ["stop", "tool_calls"]


def test_what_comes_behind_the_end_corrects_it_once_more() -> None:
    late: list[Piece] = [End(STOP), Part((0, 0), CALL)]
    assert passed_on(*late) == [STOP, Finish("tool_calls", "STOP")]
    assert passed_on(End(STOP), Part((0, 0), TEXT), End(Finish("other"))) == [STOP, STOP]


def test_a_whole_block_takes_the_place_of_a_call() -> None:
    assert passed_on(Part((0, 0), CALL), Part((0, 0), TEXT, whole=True), End(STOP)) == [STOP]


def test_other_pieces_are_the_same() -> None:
    piece = Meta(id="a")
    assert FinishCorrector().feed(piece) is piece


@pytest.mark.parametrize(("finish", "status"), [
    (Finish("stop", "stop"), "complete"), (Finish("length", "length"), "truncated"),
    (Finish("other"), "interrupted"),
])  # fmt: skip
def test_the_first_of_several_candidates_ends_as_it_did(finish: Finish, status: str) -> None:
    one = Candidate(Msg("", "A", "assistant"), finish)
    others = [Candidate(Msg("", "B", "assistant"), end) for end in (Finish("length"), Finish())]
    made = first_candidate_only(ChatResponse([one, *others], status="truncated"))
    assert (made.candidates, made.status) == ([one], status)
    alone = ChatResponse([one], status="interrupted")
    assert first_candidate_only(alone) is alone


def test_one_candidate_that_breaks_off_beside_one_that_is_cut_breaks_off_the_answer() -> None:
    pieces: list[Piece] = [
        Part((0, 0), TextBlock("One")), Part((1, 0), TextBlock("Tw")), End(Finish("length"), 0)
    ]  # fmt: skip
    assert build(pieces).status == "interrupted"
    assert build([*pieces, End(Finish("stop"), 1)]).status == "truncated"
    assert worst_status([]) == "complete"
