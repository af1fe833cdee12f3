"""Streams: deltas, and what is told whole behind them."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman.message import Citation, RefusalBlock, TextBlock, ThinkingBlock, ToolUseBlock
from tests.protocols.openai_responses.reading import OWN, done, event, read, streamed
from tests.protocols.openai_responses.streams import (
    CALL,
    CLOSED,
    CREATED,
    SAID,
    STREAM,
    TEXT,
    THOUGHT,
    begun,
    ended,
    said,
    shown,
)


def test_a_stream_is_its_closing_body() -> None:
    assert streamed(*STREAM) == read(SAID)
    assert shown(*STREAM) == [
        ("text-start", ""), ("text-delta", "It "), ("text-delta", "rains."), ("text-end", ""),
    ]  # fmt: skip


@pytest.mark.parametrize("lost", range(len(STREAM) - 1))
def test_whatever_event_is_lost_is_made_up_for(lost: int) -> None:
    left = [*STREAM[:lost], *STREAM[lost + 1 :]]
    assert streamed(*left) == read(SAID)
    # what was shown of it is continued, or replaced by the block
    texts = "".join(text for kind, text in shown(*left) if kind == "text-delta")
    assert texts == ("rains." if lost == 4 else "It rains.")
    assert (("block", "") in shown(*left)) == (lost == 4)


@pytest.mark.parametrize("start", range(len(STREAM)))
def test_who_joins_late_has_the_whole_answer(start: int) -> None:
    assert streamed(*STREAM[start:]) == read(SAID)


@pytest.mark.parametrize("end", range(5, len(STREAM) - 1))
def test_a_stream_that_breaks_off_says_what_was_said(end: int) -> None:
    resp = streamed(*STREAM[:end])
    assert (resp.status, resp.finish.reason) == ("interrupted", "other")
    assert (resp.id, resp.model) == ("resp_1", "gpt-5.6-sol")
    assert resp.extras == {OWN: {"tools": [], "status": "in_progress"}}
    assert resp.text == ("It " if end < 7 else "It rains.")
    block = resp.msg.blocks[0]
    assert block.extras is not None
    # half an item is nobody's to look up, but what it is for is known
    assert block.extras[OWN]["phase"] == "commentary"
    assert ("id" in block.extras[OWN]) == (end == len(STREAM) - 1)


def test_refusals_come_in_pieces_too() -> None:
    part = {"type": "refusal", "refusal": "I can't."}
    item = {**SAID, "content": [part]}
    resp = streamed(
        CREATED, begun(item), event("refusal.delta", content_index=0, delta="I "),
        event("refusal.delta", content_index=0, delta="can't."),
        event("refusal.done", content_index=0, refusal="I can't."), ended(item), done(item),
    )  # fmt: skip
    assert resp == read(item)
    assert resp.finish.reason == "refusal"
    alone = streamed(begun(item), event("refusal.done", content_index=0, refusal="I can't."))
    assert [type(b) for b in alone.msg.blocks] == [RefusalBlock]
    first = streamed(event("content_part.added", content_index=0, part=part))
    assert first.msg.blocks == [RefusalBlock("I can't.")]


def test_calls_come_in_pieces() -> None:
    other = {**CALL, "id": "fc_2", "call_id": "call_2", "arguments": "{}"}
    deltas = [event("function_call_arguments.delta", delta=text) for text in ('{"at"', ": 1}")]
    whole = event("function_call_arguments.done", arguments='{"at": 1}')
    events = [CREATED, begun(CALL), *deltas, whole, ended(CALL), begun(other, 1),
              event("function_call_arguments.delta", 1, delta="{}"), ended(other, 1)]  # fmt: skip
    resp = streamed(*events, done(CALL, other))
    assert resp == read(CALL, other)
    assert shown(*events, done(CALL, other)) == [
        ("tool-start", ""), ("tool-delta", '{"at"'), ("tool-delta", ": 1}"),
        ("tool-start", ""), ("tool-delta", "{}"), ("tool-end", ""), ("tool-end", ""),
    ]  # fmt: skip
    # some hosts send the arguments whole, and nothing of them before
    lone = streamed(CREATED, begun(CALL), whole)
    assert [(c.id, c.name, c.input) for c in lone.calls] == [("call_1", "look", {"at": 1})]
    assert lone.msg.blocks == [ToolUseBlock("call_1", "look", {"at": 1}, '{"at": 1}')]
    half = streamed(CREATED, begun(CALL), deltas[0]).msg.blocks[0]
    assert isinstance(half, ToolUseBlock)
    assert (half.raw_input, half.unfinished) == ('{"at"', True)


def test_a_summary_comes_in_paragraphs() -> None:
    def words(nth: int, *texts: str) -> list[dict[str, Any]]:
        part = {"type": "summary_text", "text": ""}
        return [
            event("reasoning_summary_part.added", summary_index=nth, part=part),
            *(event("reasoning_summary_text.delta", summary_index=nth, delta=t) for t in texts),
            event("reasoning_summary_text.done", summary_index=nth, text="".join(texts)),
            event("reasoning_summary_part.done", summary_index=nth,
                  part={**part, "text": "".join(texts)}),
        ]  # fmt: skip

    events = [CREATED, begun(THOUGHT), *words(0, "Fir", "st."), *words(1, "Second.")]
    begins = streamed(*events)
    assert [type(b) for b in begins.msg.blocks] == [ThinkingBlock]
    block = begins.msg.blocks[0]
    assert isinstance(block, ThinkingBlock)
    # what seals the first announcement is not what seals the end
    assert (block.thinking, block.redacted, block.extras) == ("First.\n\nSecond.", None, None)
    assert streamed(*events, ended(THOUGHT), ended(SAID, 1), done(THOUGHT, SAID)) == read(
        THOUGHT, SAID
    )
    assert "".join(t for _, t in shown(*events, ended(THOUGHT), done(THOUGHT))) == block.thinking
    lost = [one for one in events if not one["type"].endswith("delta")]
    assert streamed(*lost).msg.blocks[0] == ThinkingBlock("First.\n\nSecond.")


def test_thoughts_that_are_told_come_in_events_of_two_names() -> None:
    item = {"type": "reasoning", "id": "msg_0", "summary": [], "status": "completed",
            "content": [{"type": "reasoning_text", "text": "Hm."}]}  # fmt: skip
    for name in ("content_part", "reasoning_part"):
        resp = streamed(
            CREATED, begun(item),
            event(f"{name}.added", content_index=0, part={"type": "reasoning_text", "text": ""}),
            event("reasoning_text.delta", content_index=0, delta="H"),
            event("reasoning_text.delta", content_index=0, delta="m."),
            event("reasoning_text.done", content_index=0, text="Hm."),
            event(f"{name}.done", content_index=0, part=item["content"][0]),
            ended(item), done(item),
        )  # fmt: skip
        assert resp == read(item)


def test_citations_and_probabilities_that_only_the_stream_told_are_kept() -> None:
    mark = {"type": "url_citation", "start_index": 0, "end_index": 2, "url": "https://e.org/",
            "title": "E"}  # fmt: skip
    chance = {"token": "It", "logprob": -0.5, "top_logprobs": []}
    noted = event("output_text.annotation.added", content_index=0, annotation_index=0,
                  annotation=mark)  # fmt: skip
    events = [begun(SAID), said("It rains.") | {"logprobs": [chance]}, noted]
    for more in ([], [CLOSED[0]], [CLOSED[1]], [CLOSED[2]], [done(SAID)], [*CLOSED, done(SAID)]):
        block = streamed(*events, *more).msg.blocks[0]
        assert isinstance(block, TextBlock)
        assert block.citations == [Citation(0, 2, "https://e.org/", "E")]
        assert block.extras is not None
        assert block.extras[OWN]["logprobs"] == [chance]
    cited = {**SAID, "content": [{**TEXT, "annotations": [mark]}]}
    assert streamed(*events[::2], ended(cited), done(cited)) == read(cited)
