"""Cases of reading DashScope, Ollama, and thinking that stands in tags."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman.message import TextBlock, ThinkingBlock, ToolUseBlock
from dragoman.protocols.openai_chat import Dialect, OpenAIChat
from dragoman.stream.think_tags import TagForm, ThinkTagReader
from tests.cases.reading import chunk, fragment, said, streamed, whole

NULL = "null"


def frame(reason: str = NULL, **message: Any) -> dict[str, Any]:
    """One event of DashScope."""
    choice = {"message": {"role": "assistant", "content": "", **message}, "finish_reason": reason}
    return {"output": {"choices": [choice]}, "request_id": "r-1"}


def calling(*calls: Any, reason: str = NULL) -> dict[str, Any]:
    """One event of DashScope with calls: (index, id, name or None, arguments or None)."""
    made = []
    for index, id, name, text in calls:
        told = {"name": name, "arguments": text}
        function = {key: value for key, value in told.items() if value is not None}
        made.append({"index": index, "id": id, "type": "function", "function": function})
    return frame(reason, tool_calls=made)


def line(done: bool = False, **message: Any) -> dict[str, Any]:
    """One line of Ollama."""
    return {"model": "m", "message": {"role": "assistant", "content": "", **message}, "done": done}


def test_case_53_fragments_with_an_empty_id_go_on() -> None:
    resp = streamed("dashscope", [
        calling((0, "call_1", "look", "")),
        calling((0, "", None, '{"a": ')),
        calling((0, "", "", "1")),
        calling((0, "", None, "}"), (1, "call_2", "look", '{"a"')),
        calling((1, "", None, ": 2}")),
        calling((1, "", None, None), reason="tool_calls"),
    ])  # fmt: skip
    assert [(c.id, c.name, c.input) for c in resp.calls] == [
        ("call_1", "look", {"a": 1}), ("call_2", "look", {"a": 2}),
    ]  # fmt: skip


def test_case_53_id_and_name_that_come_again_change_nothing() -> None:
    resp = streamed("dashscope", [
        calling((0, "call_1", "look", "")),
        calling((0, "call_1", "look", '{"a": 1')),
        calling((0, "call_1", "look", "}"), reason="tool_calls"),
    ])  # fmt: skip
    assert [(c.id, c.name, c.input) for c in resp.calls] == [("call_1", "look", {"a": 1})]
    events = [
        chunk(fragment(0, "call_1", "look", "")),
        chunk(fragment(0, "", "", '{"a": 1')),
        chunk(fragment(0, "", "look", "}")),
        chunk({}, "tool_calls"),
    ]
    copied = streamed("openai-chat", events)
    assert [(c.id, c.name, c.input) for c in copied.calls] == [("call_1", "look", {"a": 1})]


def tagged(form: TagForm, *texts: str) -> list[tuple[str, str]]:
    room = OpenAIChat(Dialect(think_tags=form))
    reader = ThinkTagReader(room.reader(), form)
    builder = dragoman.stream.builder.Builder()
    for event in (*(chunk({"content": text}) for text in texts), chunk({}, "stop")):
        for piece in reader.feed(event):
            builder.add(piece)
    for piece in reader.finish():
        builder.add(piece)
    return [
        ("think", b.thinking) if isinstance(b, ThinkingBlock) else ("text", b.text)
        for b in builder.finish().msg.blocks
        if isinstance(b, (ThinkingBlock, TextBlock))
    ]


def test_case_54_tags_at_any_cut() -> None:
    wanted = [("think", "secret"), ("text", "Answer")]
    assert tagged("leading", "<thi", "nk>secret</th", "ink>Answer") == wanted
    assert tagged("leading", *"<think>secret</think>Answer") == wanted
    resp = whole("vllm", said({"content": "<think>secret</think>Answer"}))
    assert resp.msg.blocks == [ThinkingBlock("secret"), TextBlock("Answer")]


def test_case_54_the_template_wrote_the_opener() -> None:
    wanted = [("think", "secret"), ("text", "Answer")]
    assert tagged("inside", "secret</", "think>Answer") == wanted
    assert tagged("leading", "</think>", "Answer") == [("text", "Answer")]
    assert tagged("leading", "a </think> b") == [("text", "a </think> b")]


def test_case_54_never_closed_and_in_the_middle() -> None:
    assert tagged("leading", "<think>sec", "ret</th") == [("think", "secret</th")]
    assert tagged("leading", "Write <think> so") == [("text", "Write <think> so")]
    assert tagged("inside", "It did ", "not think") == [("text", "It did not think")]


def test_case_54_a_field_of_thinking_wins() -> None:
    message = {"reasoning": "real", "content": "<think>is a tag"}
    assert whole("vllm", said(message)).msg.blocks == [
        ThinkingBlock("real"), TextBlock("<think>is a tag"),
    ]  # fmt: skip


def test_t16_tags_cut_by_chunks() -> None:
    assert tagged("leading", "<thi", "nk>abc</th", "ink>hi") == [("think", "abc"), ("text", "hi")]


def test_t17_text_before_the_tags_and_two_sections() -> None:
    assert tagged("sections", "So: <think>a</think>b", "<think>c</think>d") == [
        ("text", "So: "), ("think", "a"), ("text", "b"), ("think", "c"), ("text", "d"),
    ]  # fmt: skip


def test_case_55_null_text_in_an_answer_makes_no_block() -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    body = frame("tool_calls", content=[{"text": None}], tool_calls=[call])
    assert [block.type for block in whole("dashscope", body).msg.blocks] == ["tool_use"]


@pytest.mark.parametrize("wire", ["dashscope"])
def test_case_56_whoever_did_not_ask_for_pieces_gets_snapshots(wire: str) -> None:
    texts = ["One", "One, two", "One, two, three."]
    events = [frame(NULL, content=text) for text in texts]
    assert streamed(wire, [*events, frame("stop", content=texts[-1])]).text == texts[-1]


def test_case_66_arguments_may_be_text() -> None:
    for given in ({"a": 1}, '{"a": 1}'):
        call = {"function": {"name": "look", "arguments": given}}
        assert whole("ollama", line(True, tool_calls=[call])).calls[0].input == {"a": 1}


def test_case_67_every_entry_is_a_call_of_its_own() -> None:
    call = {"function": {"name": "look", "arguments": {"a": 1}}}
    zero = {"function": {"index": 0, "name": "look", "arguments": {"a": 2}}}
    resp = streamed("ollama", [
        line(tool_calls=[call]), line(tool_calls=[zero, zero]), line(True, tool_calls=[call]),
    ])  # fmt: skip
    assert [c.input for c in resp.calls] == [{"a": 1}, {"a": 2}, {"a": 2}, {"a": 1}]
    assert len({c.id for c in resp.calls}) == 4


def test_case_81_done_is_the_end_of_an_ollama_stream() -> None:
    events = [line(content="Hi"), line(True)]
    assert streamed("ollama", events).status == "complete"
    assert streamed("ollama", events[:1]).status == "interrupted"
    assert streamed("dashscope", [frame(NULL, content="Hi")]).status == "interrupted"


def test_case_82_deltas_that_look_like_snapshots() -> None:
    def billed(text: str, tokens: int, reason: str = NULL) -> dict[str, Any]:
        return {**frame(reason, content=text), "usage": {"output_tokens": tokens}}

    twice = [billed("ha", 1), billed("ha", 2)]
    assert streamed("dashscope", [*twice, billed("", 2, "stop")]).text == "haha"
    assert streamed("dashscope", [billed("ha", 1), billed("ha", 1, "stop")]).text == "ha"


def test_case_82_calls_in_snapshots_are_not_doubled() -> None:
    resp = streamed("dashscope", [
        calling((0, "call_1", "look", '{"a"')),
        calling((0, "call_1", "look", '{"a": 1}')),
        calling((0, "call_1", "look", '{"a": 1}'), (1, "call_2", "look", '{"b"')),
        calling((0, "call_1", "look", '{"a": 1}'), (1, "call_2", "look", '{"b": 2}'),
                reason="tool_calls"),
    ])  # fmt: skip
    assert [(c.id, c.raw_input) for c in resp.calls] == [
        ("call_1", '{"a": 1}'), ("call_2", '{"b": 2}'),
    ]  # fmt: skip


def test_case_83_empty_deltas_make_no_blocks() -> None:
    events = [
        frame(reasoning_content="hm"), frame(reasoning_content=""), frame(),
        frame(content="Hi"), frame("stop", reasoning_content=""),
    ]  # fmt: skip
    assert streamed("dashscope", events).msg.blocks == [ThinkingBlock("hm"), TextBlock("Hi")]
    call = {"function": {"name": "look", "arguments": {}}}
    lines = [line(thinking="hm"), line(thinking=""), line(tool_calls=[call]), line(True)]
    thought, read = streamed("ollama", lines).msg.blocks
    assert thought == ThinkingBlock("hm")
    assert isinstance(read, ToolUseBlock)
