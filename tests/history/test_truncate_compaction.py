"""A provider's summary of earlier turns stays: it stands for all that was before it."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ClearToolResults, ContextOverflow, DropOldest, KeepFirst, Msg
from dragoman.history.truncate.growing import Onward
from dragoman.message import ChatRequest

from .driving import drive, each

ITEM = {"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAA"}


def responses(items: list[Any]) -> list[Msg]:
    body = {"model": "gpt-5.6", "input": items}
    return list(dragoman.wire("openai-responses").read_request(body).messages)


def messages(blocks: list[Any], later: int = 6) -> list[Msg]:
    turns = [{"role": ("user", "assistant")[i % 2], "content": str(i)} for i in range(later)]
    body = {"model": "claude-opus-5-5", "max_tokens": 9,
            "messages": [{"role": "user", "content": "old"},
                         {"role": "assistant", "content": blocks}, *turns]}  # fmt: skip
    return list(dragoman.wire("anthropic").read_request(body).messages)


def turn(i: int) -> dict[str, Any]:
    return {"role": ("user", "assistant")[i % 2], "content": str(i)}


HISTORIES = {
    "responses": responses([turn(0), ITEM, *map(turn, range(6))]),
    "anthropic, to be read": messages([{"type": "compaction", "content": "All was well."}]),
    "anthropic, sealed": messages([{"type": "compaction", "content": None,
                                    "encrypted_content": "EqQB"}]),
}  # fmt: skip


def kinds(msgs: list[Msg]) -> list[str]:
    return [block.type for m in msgs for block in m.blocks]


@pytest.mark.parametrize("name", HISTORIES)
@pytest.mark.parametrize("strategy", [DropOldest(), KeepFirst(n=0), DropOldest(step=2),
                                      DropOldest(priority=lambda _: 0)],
    ids=["oldest", "first kept", "two at a time", "by priority"])  # fmt: skip
def test_the_summary_stays_and_what_is_behind_it_goes(name: str, strategy: DropOldest) -> None:
    msgs = HISTORIES[name]
    chosen = drive(strategy, msgs, 4, each)[0]
    assert "raw" in kinds(chosen)
    assert len(chosen) <= 4
    assert chosen[-1] is msgs[-1]


@pytest.mark.parametrize("name", HISTORIES)
def test_it_stays_as_long_as_anything_does(name: str) -> None:
    msgs = HISTORIES[name]
    with pytest.raises(ContextOverflow):
        drive(DropOldest(), msgs, 1, each)
    assert "raw" in kinds(drive(DropOldest(), msgs, 3, each)[0])


def test_of_two_summaries_the_later_one_stays() -> None:
    later = {**ITEM, "id": "cmp_2"}
    msgs = responses([turn(0), ITEM, *map(turn, range(4)), later, *map(turn, range(4))])
    chosen = drive(DropOldest(), msgs, 4, each)[0]
    raws: list[Any] = [block for m in chosen for block in m.blocks if block.type == "raw"]
    assert [raw.data["id"] for raw in raws] == ["cmp_2"]


def test_it_stays_while_a_history_grows() -> None:
    onward = Onward(DropOldest())
    items: list[Any] = [turn(0), ITEM, *map(turn, range(6))]
    msgs = responses(items)
    for i in range(6):
        msgs = [*msgs, Msg.user(f"q{i}"), Msg.assistant(f"a{i}")]
        assert "raw" in kinds(drive(onward, msgs, 5, each)[0])


def test_results_are_cleared_and_the_summary_stays() -> None:
    chosen = drive(ClearToolResults(), HISTORIES["responses"], 4, each)[0]
    assert "raw" in kinds(chosen)


def test_it_is_in_what_is_sent() -> None:
    request = ChatRequest(drive(DropOldest(), HISTORIES["responses"], 3, each)[0])
    out = dragoman.wire("openai-responses").write_request(request, model="gpt-5.6")
    assert ITEM in out.body["input"]
