"""Threads (beta): the provider keeps what came before, so that results may come alone."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg

GOES_ON = {"type": "continue", "previous_message_id": "msg_1"}


@pytest.mark.parametrize(
    ("extras", "kept"),
    [
        ({"anthropic": {"thread": GOES_ON}}, True),
        ({"anthropic": {"thread": {"type": "create"}}}, False),
        ({"anthropic": {"thread": "continue"}}, False),
        ({"somebody": {"thread": GOES_ON}}, False),
        (None, False),
    ],
)
def test_results_alone_go_on_with_a_thread(extras: Any, kept: bool) -> None:
    wire = dragoman.wire("anthropic", policy="ignore")
    msgs = [Msg.tool("toolu_1", "seen"), Msg.tool("toolu_2", "heard"), Msg.user("And?")]
    out = wire.write_request(ChatRequest(msgs, extras=extras))
    *results, asked = out.body["messages"]
    blocks = [block for turn in results for block in turn["content"]]
    assert [block["tool_use_id"] for block in blocks] == (["toolu_1", "toolu_2"] if kept else [])
    assert asked == {"role": "user", "content": "And?"}
    lost = [loss.code for loss in out.losses]
    assert ("result.orphan" in lost) is not kept
