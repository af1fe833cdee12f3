"""Cases of reading Mistral's chat completions."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman import Msg
from dragoman.message import TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock
from tests.cases.reading import chunk, said, streamed, whole
from tests.cases.writing import written

HI = Msg.user("Hi")


def thought(text: str, **more: Any) -> dict[str, Any]:
    return {
        "type": "thinking",
        "thinking": [{"type": "text", "text": text}] if text else [],
        **more,
    }


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def test_case_57_its_own_ids_go_back_and_foreign_ones_are_mapped_on_both_sides() -> None:
    for id, same in (("a1B2c3D4e", True), ("chatcmpl-tool-9f149c74c42f265b", False)):
        told = {"id": id, "function": {"name": "look", "arguments": "{}"}, "index": 0}
        message = {"tool_calls": [told]}
        for resp in (
            whole("mistral", said(message, "tool_calls")),
            streamed("mistral", [chunk(message, "tool_calls")]),
        ):
            assert resp.calls[0].id == id
            result = Msg("", [ToolResultBlock(id, "look", "ok")], "tool")
            body, _ = written("mistral", [HI, resp.msg, result])
            asked, given = (
                body["messages"][1]["tool_calls"][0]["id"],
                body["messages"][2]["tool_call_id"],
            )
            assert asked == given
            assert (asked == id) is same
            assert len(asked) == 9


def test_case_58_an_answer_stands_between_result_and_user() -> None:
    told = {"id": "a1B2c3D4e", "function": {"name": "look", "arguments": "{}"}, "index": 0}
    asked = whole("mistral", said({"tool_calls": [told]}, "tool_calls"))
    result = Msg("", [ToolResultBlock("a1B2c3D4e", "look", "ok")], "tool")
    answer = streamed("mistral", [chunk({"role": "assistant", "content": "Yes."}, "stop")])
    body, losses = written("mistral", [HI, asked.msg, result, answer.msg, Msg.user("On")])
    roles = [one["role"] for one in body["messages"]]
    assert roles == ["user", "assistant", "tool", "assistant", "user"]
    assert losses == []


CONTENT = [thought("Okay, so", closed=True), text("Yes.")]


@pytest.mark.parametrize(
    "events",
    [
        [[thought("Okay")], [thought(", so")], [text("Ye")], [text("s.")]],
        [[thought("Okay")], [thought(", so"), text("Ye")], "s."],
        [[thought("Okay, so"), text("Yes.")], "", []],
    ],
)
def test_case_59_content_may_be_a_list_of_chunks_in_deltas_too(events: list[Any]) -> None:
    answer = whole("mistral", said({"content": CONTENT}))
    stream = streamed("mistral", [*[chunk({"content": one}) for one in events], chunk({}, "stop")])
    for resp in (answer, stream):
        assert resp.msg.blocks == [ThinkingBlock("Okay, so"), TextBlock("Yes.")]
        assert (resp.text, resp.status) == ("Yes.", "complete")
        body, losses = written("mistral", [HI, resp.msg, Msg.user("On")], "magistral-medium-2509")
        assert body["messages"][1]["content"] == CONTENT
        assert losses == []


@pytest.mark.parametrize(
    "empty", ["", [], [text("")], [thought("")], [{**thought(""), "closed": True}]]
)
def test_case_60_a_delta_without_a_word_divides_nothing(empty: Any) -> None:
    events = [
        empty,
        [thought("one ")],
        empty,
        [thought("two")],
        empty,
        "Yes",
        empty,
        [text(".")],
        empty,
    ]
    resp = streamed("mistral", [*[chunk({"content": one}) for one in events], chunk({}, "stop")])
    assert resp.msg.blocks == [ThinkingBlock("one two"), TextBlock("Yes.")]
    body, _ = written("mistral", [HI, resp.msg, Msg.user("On")], "magistral-medium-2509")
    content = body["messages"][1]["content"]
    assert [one["type"] for one in content] == ["thinking", "text"]


def test_case_60_two_thoughts_of_another_answer_are_one_chunk() -> None:
    resp = whole("mistral", said({"content": [thought("one "), thought("two"), text("Yes.")]}))
    assert len([b for b in resp.msg.blocks if isinstance(b, ThinkingBlock)]) == 2
    body, _ = written("mistral", [HI, resp.msg, Msg.user("On")], "magistral-medium-2509")
    assert [one["type"] for one in body["messages"][1]["content"]] == ["thinking", "text"]


def test_case_15_whole_calls_behind_each_other_stay_apart() -> None:
    def told(id: str, name: str) -> dict[str, Any]:
        function = {"name": name, "arguments": '{"a": 1}'}
        return {"tool_calls": [{"id": id, "function": function, "index": 0}]}

    events = [chunk(told("a1B2c3D41", "look")), chunk(told("a1B2c3D42", "look"), "tool_calls")]
    resp = streamed("mistral", events)
    assert [(one.id, one.input) for one in resp.calls] == [
        ("a1B2c3D41", {"a": 1}), ("a1B2c3D42", {"a": 1}),
    ]  # fmt: skip


def test_case_31_an_error_inside_a_stream() -> None:
    broken = {"object": "error", "message": "Overloaded.", "type": "internal", "code": "3505"}
    resp = streamed("mistral", [chunk({"content": "Sama"}), broken])
    assert (resp.status, resp.text) == ("error", "Sama")
    assert resp.error is not None
    assert (resp.error.type, resp.error.code) == ("internal", "3505")


def test_case_27_a_call_cut_by_the_limit_is_not_run() -> None:
    told = {"id": "a1B2c3D4e", "function": {"name": "look", "arguments": '{"a": "b'}, "index": 0}
    resp = streamed("mistral", [chunk({"tool_calls": [told]}, "length")])
    block = resp.msg.blocks[0]
    assert isinstance(block, ToolUseBlock)
    assert (block.unfinished, resp.calls, resp.status) == (True, [], "truncated")
