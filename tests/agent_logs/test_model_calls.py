"""What the answers in session logs took: each once, in rows as Claude Code and Codex write them."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest

from dragoman import ReadError
from dragoman.agent_logs import read_model_calls
from dragoman.batch import pricer


def lines(*rows: dict[str, Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def claude(id: str, output: int, model: str = "claude-opus-4-8", **more: Any) -> dict[str, Any]:
    """A row of one block of an answer."""
    usage = {
        "input_tokens": 100, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 30,
        "output_tokens": output,
    }  # fmt: skip
    block = {"type": "text", "text": "Hello."}
    message = {"id": id, "type": "message", "role": "assistant", "model": model, "content": [block],
               "usage": usage}  # fmt: skip
    return {"type": "assistant", "uuid": f"{id}-{output}", "message": message,
            "timestamp": "2026-11-28T23:59:00.000Z", **more}  # fmt: skip


CLAUDE = lines(
    {"type": "user", "uuid": "u", "message": {"role": "user", "content": "Hi"}},
    claude("m1", 1),
    claude("m1", 25),
    claude("m2", 7, isSidechain=True, agentId="a"),
    claude("m3", 9, model="<synthetic>"),
)
META = {"type": "session_meta", "payload": {"id": "s", "session_id": "s"}}
TURN = {"type": "turn_context", "payload": {"model": "gpt-5.5"}}
USAGE = {
    "input_tokens": 150, "cached_input_tokens": 30, "cache_write_input_tokens": 0,
    "output_tokens": 25, "reasoning_output_tokens": 7, "total_tokens": 175,
}  # fmt: skip


def codex(row_type: str, **payload: Any) -> dict[str, Any]:
    return {"type": row_type, "timestamp": "2026-11-29T08:00:00.000Z", "payload": payload}


def token_count(total: int) -> dict[str, Any]:
    info = {"total_token_usage": {"total_tokens": total}, "last_token_usage": USAGE}
    return codex("event_msg", type="token_count", info=info)


def test_an_answer_of_claude_code_counts_once_as_its_last_row_has_it() -> None:
    agent, calls = read_model_calls(CLAUDE)
    assert agent == "claude-code"
    figures = [(call.answer.usage.input, call.answer.usage.output) for call in calls]
    assert figures == [(100, 25), (100, 7)]
    assert {call.answer.usage.cache_write for call in calls} == {20}


def test_codex_says_it_in_records_and_before_that_in_events() -> None:
    noted = codex("token_usage_record", usage=USAGE)
    limits = codex("event_msg", type="token_count", info=None)
    for text in (
        lines(META, TURN, noted, token_count(175), limits, noted, token_count(350)),
        lines(META, TURN, limits, token_count(175), token_count(175), token_count(350)),
    ):
        agent, calls = read_model_calls(text)
        assert agent == "codex"
        assert len(calls) == 2
        usage = calls[0].answer.usage
        assert (usage.input, usage.cache_read, usage.output, usage.reasoning) == (120, 30, 25, 7)
        assert {call.model for call in calls} == {"gpt-5.5"}


def test_a_session_has_a_price_by_day_and_model() -> None:
    pytest.importorskip("genai_prices")
    result = pricer().apply_to_log(CLAUDE, "c.jsonl")
    assert result.record is not None
    row = result.sums["days"]["2026-11-28"]["claude-opus-4-8"]
    assert (row["records"], row["input"], row["cache_read"], row["output"]) == (2, 200, 60, 32)
    # dollars for a million tokens: 5 in, 6.25 to be cached, 0.50 from the cache, 25 out
    wanted = Decimal("0.001") + Decimal("0.00025") + Decimal("0.00003") + Decimal("0.0008")
    assert Decimal(row["cost"]) == Decimal(result.record["cost"]) == wanted


def test_what_is_not_known_is_said() -> None:
    for text in (lines({"a": 1}), lines({"schema_version": "ATIF-v1.6", "steps": []}), "{broken\n"):
        with pytest.raises(ReadError):
            read_model_calls(text)
    with pytest.raises(ReadError, match="no answer"):
        pricer().apply_to_log(lines(META, TURN), "c.jsonl")
