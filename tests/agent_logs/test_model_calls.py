"""What the answers in session logs took: each once, in rows as runs of the agents wrote them."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest

from dragoman import ReadError
from dragoman.agent_logs import read_model_calls
from dragoman.batch import pricer
from tests.each_case import each_case


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


_AT = "2026-11-29T19:31:31.230Z"
_MS = 1795980706174  # the same day


def gemini(id: str, **more: Any) -> dict[str, Any]:
    tokens = {"input": 1000, "output": 70, "cached": 300, "thoughts": 20, "tool": 5, "total": 1095}
    return {"id": id, "timestamp": _AT, "type": "gemini", "content": "Hello.", "thoughts": [],
            "tokens": tokens, "model": "gemini-3.8-flash", **more}  # fmt: skip


def qwen(subagent: str = "") -> dict[str, Any]:
    event = {"event.name": "qwen-code.api_response", "model": "qwen3.8", "input_token_count": 1000,
             "output_token_count": 90, "cached_content_token_count": 300,
             "thoughts_token_count": 20, "total_token_count": 1090}  # fmt: skip
    return {"uuid": f"u{subagent}", "parentUuid": None, "timestamp": _AT, "type": "system",
            "subtype": "ui_telemetry", "systemPayload": {"uiEvent": event}}  # fmt: skip


QWEN_ANSWER = {
    "uuid": "a", "parentUuid": "u", "timestamp": _AT, "type": "assistant", "model": "qwen3.8",
    "message": {"role": "model", "parts": [{"text": "Hello."}]},
    "usageMetadata": {"promptTokenCount": 1000, "candidatesTokenCount": 90,
                      "thoughtsTokenCount": 20, "totalTokenCount": 1090,
                      "cachedContentTokenCount": 300},
}  # fmt: skip
_OPENCODE = {"total": 1090, "input": 700, "output": 70, "reasoning": 20,
             "cache": {"write": 0, "read": 300}}  # fmt: skip


def opencode(*parts: dict[str, Any], **more: Any) -> str:
    info = {"role": "assistant", "modelID": "gpt-5.6", "providerID": "openai", "cost": 0.5,
            "tokens": _OPENCODE, "time": {"created": _MS}, **more}  # fmt: skip
    user = {"info": {"role": "user"}, "parts": []}
    return json.dumps({"info": {"id": "s"}, "messages": [user, {"info": info, "parts": [*parts]}]})


def pi(id: str, kind: str = "message", *, cost: float = 0, billed: bool = False) -> dict[str, Any]:
    usage = {"input": 700, "output": 90, "cacheRead": 300, "cacheWrite": 50, "totalTokens": 1140,
             "cost": {"total": cost, "totalFromProvider": billed}}  # fmt: skip
    said = {"provider": "openrouter", "model": "house", "usage": usage}
    row = {"type": kind, "id": id, "parentId": None, "timestamp": _AT}
    return {**row, "message": {"role": "assistant", **said}} if kind == "message" else row | said


def copilot(sequence: int) -> dict[str, Any]:
    usage = {"model": "claude-opus-4-8", "inputTokens": 1050, "outputTokens": 90,
             "cacheReadTokens": 300, "cacheWriteTokens": 50, "cost": 3.0,
             "accounting": {"sequence": sequence}}  # fmt: skip
    return {"type": "session.usage_record", "data": {"usage": usage}, "id": f"e{sequence}",
            "timestamp": _AT}  # fmt: skip


_HEAD = {"sessionId": "s", "projectHash": "h"}
_PI = {"type": "session", "version": 3, "id": "s", "timestamp": _AT, "cwd": "/w"}
_COPILOT = {"type": "session.start", "data": {"copilotVersion": "1"}, "timestamp": _AT}
_STEP = {"type": "step-finish", "tokens": _OPENCODE, "cost": 0.25}
CLINE = {
    "sessionId": "s", "origin": {"source": "cli"},
    "messages": [{"role": "user", "content": "Hi", "ts": _MS},
                 {"role": "assistant", "content": [], "ts": _MS,
                  "modelInfo": {"id": "gpt-5.6", "provider": "openai-native"},
                  "metrics": {"inputTokens": 1000, "outputTokens": 90, "cacheReadTokens": 300,
                              "cacheWriteTokens": 0, "cost": 0.25}}],
}  # fmt: skip


@each_case(
    ("text", "agent", "count", "figures", "host"),
    [
        # the second time with other ids of the row, and after a resumption without its tokens
        (lines(_HEAD, gemini("a"), gemini("a", toolCalls=[]), {"$set": {"messages": [
            {"id": "a", "type": "gemini", "content": "Hello."}]}}, {"$rewindTo": "a"}, gemini("b")),
         "gemini-cli", 2, (705, 300, None, 90, 20), ""),
        (json.dumps({**_HEAD, "messages": [gemini("a"), gemini("b")]}),
         "gemini-cli", 2, (705, 300, None, 90, 20), ""),
        (lines(qwen(), QWEN_ANSWER, qwen("memory")), "qwen-code", 2, (700, 300, None, 90, 20), ""),
        (lines(QWEN_ANSWER), "qwen-code", 1, (700, 300, None, 90, 20), ""),
        (opencode(_STEP, _STEP), "opencode", 2, (700, 300, 0, 90, 20), "openai"),
        (opencode(providerID="google"), "opencode", 1, (700, 300, 0, 90, 20), "gemini"),
        (lines(_PI, pi("a"), pi("b", "usage"), pi("c", "compaction"), pi("a")),
         "pi", 3, (700, 300, 50, 90, None), "openrouter"),
        (lines(_COPILOT, copilot(1), copilot(2), copilot(2)),
         "copilot-cli", 2, (700, 300, 50, 90, None), ""),
        (json.dumps(CLINE), "cline", 1, (700, 300, 0, 90, None), "openai"),
    ],
)  # fmt: skip
def test_each_answer_of_an_agent_counts_once(
    text: str, agent: str, count: int, figures: tuple[Any, ...], host: str
) -> None:
    found, calls = read_model_calls(text)
    assert (found, len(calls)) == (agent, count)
    for call in calls:
        usage = call.answer.usage
        assert figures == (
            usage.input, usage.cache_read, usage.cache_write, usage.output, usage.reasoning
        )  # fmt: skip
        assert call.host == host
        assert call.time.startswith("2026-11-29T")
        assert call.model


def test_the_price_is_the_hosts_then_that_of_the_list_then_the_agents() -> None:
    pytest.importorskip("genai_prices")

    def price(text: str) -> Any:
        record = pricer().apply_to_log(text, "log").record
        assert record is not None
        return record["cost"]

    listed = price(opencode(_STEP))
    assert listed == price(json.dumps(CLINE)) == price(opencode(cost=0))
    assert price(lines(_PI, pi("a", cost=0.5))) == "0.5"  # no list has this model
    assert price(opencode(_STEP, modelID="house", providerID="gateway")) == "0.25"
    assert price(lines(_PI, pi("a"))) is None
    assert price(lines(_PI, pi("a", cost=0.125, billed=True))) == "0.125"
    assert price(lines(_COPILOT, copilot(1))) == "0.0062125"  # its `cost` is no money


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
