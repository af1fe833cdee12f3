"""The survey: who says each message, what the passes must look at, and messages cut by seat."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from dragoman.errors import DragomanError, InvalidMessage, NotMessages
from dragoman.history.passes.survey import (
    ASSISTANT,
    BLANK,
    FOLLOWING,
    IDS,
    LATE,
    MEDIA,
    MISNAMED,
    MIXED,
    NAMED,
    ODD,
    PAIRS,
    PARALLEL,
    SYSTEM,
    TOOL,
    UNNAMED,
    USER,
    RoledHistory,
    checked_messages,
    role_runs,
    survey,
)
from dragoman.history.transcript import has_tools
from dragoman.losses import Report
from dragoman.message import (
    CacheHint,
    ImageBlock,
    Msg,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    places,
)
from tests.laws.histories import histories

TEXT = TextBlock("x")
IMAGE = ImageBlock(URLSource("https://example.com/a.png"))


def call(id: str = "c", name: str = "f", **rest: Any) -> ToolUseBlock:
    return ToolUseBlock(id, name, **rest)


def result(id: str = "c", output: Any = "y", name: str = "f", **rest: Any) -> ToolResultBlock:
    return ToolResultBlock(id, name, output, **rest)


def said(*blocks: Any, role: str = "assistant") -> Msg:
    return Msg("", list(blocks), role)


CALL, RESULT = said(call()), said(result(), role="tool")


def look(*msgs: Msg) -> RoledHistory:
    return survey(list(msgs), Report(msgs, None, places))


def test_a_right_history_passes_through_untouched() -> None:
    msgs = [Msg.system("Be."), Msg.user("Hi."), CALL, RESULT, Msg.assistant("Done.")]
    seated = survey(msgs, Report(msgs))
    assert seated.msgs is msgs
    assert seated.roles == [SYSTEM, USER, ASSISTANT, TOOL, ASSISTANT]
    assert (seated.flags, seated.unusual) == (0, [])
    assert (seated.calls, seated.results, seated.names) == (["c"], ["c"], ["f"])


@pytest.mark.parametrize("role", ["system", "user", "assistant", "tool"])
def test_results_are_seated_by_their_type(role: str) -> None:
    result_msg = said(result(), role=role)
    seated = look(CALL, result_msg)
    assert seated.roles == [ASSISTANT, TOOL]
    assert seated.msgs[1] is result_msg


@pytest.mark.parametrize(
    ("role", "seat"),
    [("system", SYSTEM), ("developer", SYSTEM), ("user", USER), ("assistant", ASSISTANT),
     ("tool", USER)],
)  # fmt: skip
def test_roles(role: str, seat: int) -> None:
    assert look(Msg("", "x", role)).roles == [seat]


FLAGS: list[tuple[list[Msg], int, list[int]]] = [
    ([Msg.user("")], BLANK, [0]),
    ([Msg.user(" \n")], BLANK, [0]),
    ([Msg.user([])], BLANK, [0]),
    ([said(TEXT, TextBlock(" "))], BLANK, [0]),
    ([Msg("Bob", "x", "user")], NAMED, []),
    ([Msg("user", "x", "user")], 0, []),
    ([Msg.user("x"), Msg.system("Be.")], LATE, []),
    ([Msg.system("Be."), Msg.system("Kind.")], 0, []),
    ([said(IMAGE, role="user")], MEDIA | ODD, [0]),
    ([said(ThinkingBlock("hm"), TEXT)], ODD, [0]),
    ([Msg.user("x", cache=CacheHint())], ODD, [0]),
    ([Msg.user("x", extras={"a": {}})], ODD, [0]),
    ([said(TextBlock("x", cache=CacheHint()))], ODD, [0]),
    ([said(call(extras={"a": {}})), RESULT], ODD, [0]),
    ([said(call(input="{")), RESULT], ODD, [0]),
    ([CALL, said(result(is_error=True), role="tool")], MEDIA | ODD, [1]),
    ([CALL, said(result(output={"a": 1}), role="tool")], MEDIA | ODD, [1]),
    ([CALL, said(result(output=[IMAGE]), role="tool")], MEDIA | ODD, [1]),
    ([CALL, said(result(output=[TEXT, TEXT]), role="tool")], 0, []),
    ([CALL, said(result(name=""), role="tool")], UNNAMED, []),
    ([CALL, said(result(name="g"), role="tool")], UNNAMED | MISNAMED, []),
    ([CALL], 0, []),
    ([RESULT], PAIRS | UNNAMED | MISNAMED, []),
    ([CALL, Msg.user("x")], PAIRS, []),
    ([CALL, Msg.user([TEXT])], PAIRS, []),
    ([CALL, Msg.user("x"), RESULT], PAIRS, []),
    ([CALL, RESULT, RESULT], PAIRS | UNNAMED | MISNAMED, []),
    ([CALL, said(result("d"), role="tool")], PAIRS, []),
    ([said(call("a"), call("b")), said(result("a"), role="tool")], PAIRS | PARALLEL, []),
    ([said(call("a"), call("b")), said(result("a"), role="tool"), said(result("b"), role="tool")],
     PARALLEL, []),
    ([said(call("a"), call("b")), said(result("a"), result("b"), role="tool")], 0, []),
    ([said(call("a"), call("b")), said(result("b"), result("a"), role="tool")], PAIRS, []),
    ([CALL, RESULT, CALL, RESULT], IDS, []),
    ([said(call("")), said(result(""), role="tool")], IDS, []),
    ([Msg.assistant("x"), CALL, RESULT], FOLLOWING, []),
]  # fmt: skip


@pytest.mark.parametrize(("msgs", "flags", "dirty"), FLAGS)
def test_what_the_survey_finds(msgs: list[Msg], flags: int, dirty: list[int]) -> None:
    seated = look(*msgs)
    assert (seated.flags, seated.unusual) == (flags, dirty)
    assert all(new is old for new, old in zip(seated.msgs, msgs, strict=True))


def cut(*msgs: Msg) -> list[tuple[str, list[str]]]:
    return [(m.role, [block.type for block in m.blocks]) for m in look(*msgs).msgs]


def test_a_message_of_several_rounds_is_cut_in_order() -> None:
    whole = said(TEXT, call("a"), result("a"), TEXT, call("b"), call("d"), result("b"), result("d"),
                 TEXT)  # fmt: skip
    assert cut(whole) == [
        ("assistant", ["text", "tool_use"]), ("tool", ["tool_result"]),
        ("assistant", ["text", "tool_use", "tool_use"]), ("tool", ["tool_result", "tool_result"]),
        ("assistant", ["text"]),
    ]  # fmt: skip
    assert not look(whole).flags & (MIXED | PAIRS)


def test_text_beside_a_result_is_said_by_its_role() -> None:
    assert cut(CALL, said(result(), TEXT, role="user"))[1:] == [
        ("tool", ["tool_result"]), ("user", ["text"]),
    ]  # fmt: skip
    assert cut(CALL, said(TEXT, result(), role="tool"))[1:] == [
        ("user", ["text"]), ("tool", ["tool_result"]),
    ]  # fmt: skip


def test_calls_are_said_by_the_assistant_and_that_is_named() -> None:
    msgs = [said(TEXT, call(), role="user"), RESULT]
    report = Report(msgs, None, places)
    seated = survey(msgs, report)
    assert seated.roles == [USER, ASSISTANT, TOOL]
    assert [(loss.code, loss.where) for loss in report.losses] == [("call.role", "$.messages[0]")]


def test_pieces_keep_what_hangs_on_the_message() -> None:
    hint = CacheHint()
    whole = Msg("Bob", [call(), result(), TEXT], "assistant", cache=hint, extras={"a": {}})
    pieces = look(whole).msgs
    assert [(m.name, m.extras) for m in pieces] == [("Bob", {"a": {}})] * 3
    assert [m.cache for m in pieces] == [None, None, hint], "it stands behind the whole message"


def test_blocks_that_were_put_in_later_are_checked() -> None:
    plain: Any = {"type": "text", "text": "late"}
    msg = Msg.user([TEXT])
    msg.content.append(plain)  # type: ignore[union-attr]
    seated = look(msg)
    assert seated.msgs[0].content == [TEXT, TextBlock("late")]
    assert msg.content[1] is plain, "the caller's own stays as it is"
    msg.content.append({"type": "odd"})  # type: ignore[union-attr, arg-type]
    with pytest.raises(InvalidMessage) as caught:
        look(Msg.user("x"), msg)
    assert caught.value.path == "$.messages[1].content[2]"


@pytest.mark.parametrize("msgs", [[None], ["x"], [Msg.user("x"), {"role": "user"}], [7]])
def test_no_messages(msgs: Any) -> None:
    with pytest.raises(NotMessages) as caught:
        survey(msgs, Report(msgs))
    assert isinstance(caught.value, DragomanError)


def test_checked_names_every_field() -> None:
    msg = Msg.user("x")
    msg.extras = {"a": 1}  # type: ignore[dict-item]
    with pytest.raises(InvalidMessage) as caught:
        checked_messages([Msg.user("x"), msg], Report())
    assert caught.value.path == "$.messages[1].extras.a"


def test_runs_of_neighbours() -> None:
    seated = look(Msg.system("a"), Msg.user("b"), Msg.user("c"), CALL, RESULT, RESULT)
    assert list(role_runs(seated.roles)) == [
        (SYSTEM, 0, 1),
        (USER, 1, 3),
        (ASSISTANT, 3, 4),
        (TOOL, 4, 6),
    ]
    assert list(role_runs(look().roles)) == []


def test_splicing_moves_what_is_dirty() -> None:
    msgs = [Msg.user("x"), Msg.user(""), Msg.user("y"), Msg.user(" "), Msg.user("z")]
    seated = look(*msgs)
    assert seated.unusual == [1, 3]
    new = Msg.assistant("new")
    made = seated.with_changes({0: [], 2: [(new, ASSISTANT), (msgs[2], USER)], 3: []})
    assert made.msgs == [msgs[1], new, msgs[2], msgs[4]]
    assert made.roles == [USER, ASSISTANT, USER, USER]
    assert made.unusual == [0, 1, 2]
    assert list(made.marks()) == [1, 1, 1, 0]
    assert seated.msgs == msgs


def test_has_tools() -> None:
    assert has_tools(CALL)
    assert has_tools(RESULT)
    assert not has_tools(Msg.user([TEXT, IMAGE]))
    assert not has_tools(Msg.user("x"))


@given(histories())
def test_no_message_mixes_seats_when_it_comes_out(msgs: list[Msg]) -> None:
    seated = survey(msgs, Report(msgs, None, places))
    for m, seat in zip(seated.msgs, seated.roles, strict=True):
        kinds = {block.type for block in m.blocks}
        assert not ("tool_result" in kinds and kinds != {"tool_result"})
        assert "tool_use" not in kinds or (seat == ASSISTANT and m.role == "assistant")
        assert ("tool_result" in kinds) == (seat == TOOL)
    before = [block for m in msgs for block in ([] if isinstance(m.content, str) else m.content)]
    after = [b for m in seated.msgs for b in ([] if isinstance(m.content, str) else m.content)]
    assert [id(block) for block in after] == [id(block) for block in before]
