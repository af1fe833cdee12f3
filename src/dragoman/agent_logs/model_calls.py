"""What the answers in a session log took: one row for each request of the agent to a model.

Claude Code 2.1.332 repeats the usage of an answer in the row of each of its blocks, with one id of
the message. Codex 0.171 writes a `token_usage_record` for each answer; earlier releases a
`token_count`, which comes again where only the limits of the account changed. Seen in logs of both
on 2026-11-29. So were those of Gemini CLI 0.61, Qwen Code 0.24.4, opencode 1.18.33, pi 1.6.0,
Copilot CLI 1.0.102 and Cline 3.0.65, each run against a host with figures of our own, and compared
with ccusage 20.0.24 where that reads them. What an agent asks beside a session (for its title, or
for what it remembers) is in the logs of Qwen Code alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain
from math import inf
from typing import TypeAlias, TypeGuard

from ..errors import ReadError
from ..message import ChatResponse, Usage
from ..text.json_text import Json, JsonObject
from ..vendors import wire
from . import claude_code, cline, codex, copilot, gemini_cli, opencode, pi, qwen_code
from .log import LogRow, once, read_rows

_SYNTHETIC = "<synthetic>"  # the name of the model on what Claude Code itself says


@dataclass(slots=True)
class ModelCall:
    """An answer that an agent got from a model.

    Attributes:
        time: When, as the log has it; empty if it does not say.
        model: The model.
        answer: The usage of the answer, and what its price depends on; not what it says.
        protocol: The protocol over which it came; empty if the log does not say.
        host: Who answered, as the agent calls it; empty if the log does not say.
        cost: What it cost by the agent's own account, in US dollars; None if there is none.
        is_billed: Whether that is the figure of the host itself.
    """

    time: str
    model: str
    answer: ChatResponse
    protocol: str = ""
    host: str = ""
    cost: Decimal | None = None
    is_billed: bool = False


def read_model_calls(text: str, name: str = "") -> tuple[str, list[ModelCall]]:
    """Read what the answers in a session log took.

    Those of called agents in the same file are among them, and so are those of branches that the
    session left: all of them were paid.

    Args:
        text: The content of the log.
        name: The name of the file, for errors.

    Returns:
        The name of the agent, and its calls.

    Raises:
        ReadError: It is no such log, or that of an agent whose logs are not read for this.
    """
    rows, _ = read_rows(text, name)
    for agent, claims, read in _LOGS:
        if claims(rows):
            return agent, list(read(rows))
    hint = f"read are the logs of {', '.join(agent for agent, _, _ in _LOGS)}"
    text = "what the answers of this session took is not known"
    raise ReadError(text, path=name or "$", hint=hint, code="log.usage")


def _of_claude_code(rows: Sequence[LogRow]) -> Iterator[ModelCall]:
    found: dict[str, LogRow] = {}
    for row in rows:
        message = row.object("message")
        id, usage = message.get("id"), message.get("usage")
        if row.text("type") == "assistant" and isinstance(id, str) and isinstance(usage, dict):
            found[id] = row  # the last row of an answer has all of it
    home = wire("anthropic", policy="ignore", fetch=None)
    for id, row in found.items():
        message = row.object("message")
        model = message.get("model")
        if not isinstance(model, str) or model == _SYNTHETIC:
            continue
        body: JsonObject = {
            "id": id,
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": [],
            "stop_reason": "end_turn",
            "usage": message["usage"],
        }
        answer = home.read_response(body)
        yield ModelCall(row.text("timestamp"), model, answer, "anthropic")


def _of_codex(rows: Sequence[LogRow]) -> Iterator[ModelCall]:
    records = any(row.text("type") == "token_usage_record" for row in rows)
    model, before = "", None
    for row in rows:
        payload, usage = row.object("payload"), None
        match row.text("type"), payload.get("type"):
            case "turn_context", _:
                model = str(payload.get("model") or model)
            case "token_usage_record", _:
                usage = payload.get("usage")
            case "event_msg", "token_count" if not records:
                info = payload.get("info")
                if isinstance(info, dict) and info.get("total_token_usage") != before:
                    before = info.get("total_token_usage")
                    usage = info.get("last_token_usage")
        if isinstance(usage, dict):
            answer = ChatResponse([], _read_codex_usage(usage), model=model or None)
            yield ModelCall(row.text("timestamp"), model, answer, "openai-responses")


def _read_codex_usage(usage: JsonObject) -> Usage:
    """Codex counts as the Responses API: cached tokens are a part of the input."""
    read, write = _figure(usage, "cached_input_tokens"), _figure(usage, "cache_write_input_tokens")
    given = _figure(usage, "input_tokens")
    return Usage(
        input=None if given is None else max(0, given - (read or 0) - (write or 0)),
        cache_read=read,
        cache_write=write,
        output=_figure(usage, "output_tokens"),
        reasoning=_figure(usage, "reasoning_output_tokens"),
        total=_figure(usage, "total_tokens"),
    )


def _figure(usage: JsonObject, name: str) -> int | None:
    value: Json = usage.get(name)
    return value if type(value) is int and value >= 0 else None


def _of_gemini_cli(rows: Sequence[LogRow]) -> Iterator[ModelCall]:
    """An answer is written again when its calls have run or the session is resumed, by one id."""
    found: dict[str, JsonObject] = {}
    for row in rows:
        lists = (row.data.get("messages"), row.object("$set").get("messages"))
        for message in (row.data, *chain.from_iterable(one for one in lists if _is_list(one))):
            if isinstance(message, dict) and isinstance(message.get("tokens"), dict):
                found[str(message.get("id"))] = message
    for message in found.values():
        tokens = message["tokens"]
        usage = {name: tokens.get(key) for key, name in _GEMINI.items()}
        model, time = _text(message, "model"), _text(message, "timestamp")
        yield ModelCall(time, model, _read_gemini(usage, model), "gemini")


# Gemini CLI's names for the fields of UsageMetadata
_GEMINI = {
    "input": "promptTokenCount",
    "cached": "cachedContentTokenCount",
    "output": "candidatesTokenCount",
    "thoughts": "thoughtsTokenCount",
    "tool": "toolUsePromptTokenCount",
    "total": "totalTokenCount",
}
# the same in the events of Qwen Code
_QWEN = {
    "input_token_count": "promptTokenCount",
    "cached_content_token_count": "cachedContentTokenCount",
    "output_token_count": "candidatesTokenCount",
    "thoughts_token_count": "thoughtsTokenCount",
    "total_token_count": "totalTokenCount",
}


def _read_gemini(usage: JsonObject, model: str) -> ChatResponse:
    """UsageMetadata; its reader sees whether thoughts are among the candidates, as over Chat."""
    content = {"role": "model", "parts": []}
    body = {
        "candidates": [{"content": content, "finishReason": "STOP"}],
        "usageMetadata": usage,
        "modelVersion": model,
    }
    return wire("gemini", policy="ignore", fetch=None).read_response(body)


def _of_qwen_code(rows: Sequence[LogRow]) -> Iterator[ModelCall]:
    """Events of the screen count all answers, also those of called agents; messages the others."""
    events: list[tuple[str, str, JsonObject]] = []
    answers: list[tuple[str, str, JsonObject]] = []
    for row in rows:
        event, usage = row.object("systemPayload").get("uiEvent"), row.data.get("usageMetadata")
        if isinstance(event, dict) and event.get("event.name") == "qwen-code.api_response":
            given = {name: event.get(key) for key, name in _QWEN.items()}
            events.append((row.text("timestamp"), _text(event, "model"), given))
        elif isinstance(usage, dict):
            answers.append((row.text("timestamp"), row.text("model"), usage))
    for time, model, usage in events or answers:
        yield ModelCall(time, model, _read_gemini(usage, model))


def _of_opencode(rows: Sequence[LogRow]) -> Iterator[ModelCall]:
    """Each step of a message is an answer; before there were such parts, each message was one."""
    for message in _objects(rows[0].data.get("messages")):
        info = message.get("info")
        if not isinstance(info, dict) or info.get("role") != "assistant":
            continue
        parts = _objects(message.get("parts"))
        steps = [part for part in parts if part.get("type") == "step-finish"] or [info]
        for step in steps:
            if isinstance(tokens := step.get("tokens"), dict):
                model, host = _text(info, "modelID"), _text(info, "providerID")
                answer = ChatResponse([], _read_opencode_usage(tokens), model=model or None)
                time = opencode.read_time(info) or ""
                cost = _dollars(step.get("cost"))
                yield ModelCall(time, model, answer, host=_HOSTS.get(host, host), cost=cost)


def _read_opencode_usage(tokens: JsonObject) -> Usage:
    cache = tokens.get("cache")
    cache = cache if isinstance(cache, dict) else {}
    output, reasoning = _figure(tokens, "output"), _figure(tokens, "reasoning")
    return Usage(
        input=_figure(tokens, "input"),
        cache_read=_figure(cache, "read"),
        cache_write=_figure(cache, "write"),
        output=None if output is None else output + (reasoning or 0),
        reasoning=reasoning,
        total=_figure(tokens, "total"),
    )


def _of_pi(rows: Sequence[LogRow]) -> Iterator[ModelCall]:
    """Answers, summaries, and what keeps a cache warm (docs/session-format.md of the package)."""
    rows, _ = once(rows, "id")
    model = host = ""
    for row in rows:
        message = row.object("message") if row.text("type") == "message" else row.data
        if row.text("type") == "model_change":
            model, host = row.text("modelId"), row.text("provider")
        usage = message.get("usage")
        if not isinstance(usage, dict):
            continue
        asked, at = _text(message, "model") or model, _text(message, "provider") or host
        cost = usage.get("cost")
        cost = cost if isinstance(cost, dict) else {}
        figures = Usage(
            input=_figure(usage, "input"),
            cache_read=_figure(usage, "cacheRead"),
            cache_write=_figure(usage, "cacheWrite"),
            output=_figure(usage, "output"),
            reasoning=_figure(usage, "reasoning"),
            total=_figure(usage, "totalTokens"),
        )
        answer = ChatResponse([], figures, model=asked or None)
        call = ModelCall(row.text("timestamp"), asked, answer, host=_HOSTS.get(at, at))
        call.cost = _dollars(cost.get("total"))
        call.is_billed = cost.get("totalFromProvider") is True
        yield call


def _of_copilot(rows: Sequence[LogRow]) -> Iterator[ModelCall]:
    """Its `cost` counts requests of the subscription, and is no sum of money."""
    found: dict[str, tuple[str, JsonObject]] = {}
    for row in rows:
        usage = row.object("data").get("usage")
        if row.text("type") == "session.usage_record" and isinstance(usage, dict):
            accounting = usage.get("accounting")
            number = accounting.get("sequence") if isinstance(accounting, dict) else None
            found[f"{number}" if number is not None else row.text("id")] = (
                row.text("timestamp"),
                usage,
            )
    for time, usage in found.values():
        yield _with_cache_inside(usage, time, _text(usage, "model"))


def _of_cline(rows: Sequence[LogRow]) -> Iterator[ModelCall]:
    for message in _objects(rows[0].data.get("messages")):
        metrics, info = message.get("metrics"), message.get("modelInfo")
        if isinstance(metrics, dict):
            info = info if isinstance(info, dict) else {}
            time = cline.read_time(message.get("ts")) or ""
            call = _with_cache_inside(metrics, time, _text(info, "id"))
            host = _text(info, "provider")
            call.host, call.cost = _HOSTS.get(host, host), _dollars(metrics.get("cost"))
            yield call


def _with_cache_inside(usage: JsonObject, time: str, model: str) -> ModelCall:
    """Figures of Copilot and Cline: what is read from and written to the cache is of the input."""
    read, write = _figure(usage, "cacheReadTokens"), _figure(usage, "cacheWriteTokens")
    given = _figure(usage, "inputTokens")
    figures = Usage(
        input=None if given is None else max(0, given - (read or 0) - (write or 0)),
        cache_read=read,
        cache_write=write,
        output=_figure(usage, "outputTokens"),
        reasoning=_figure(usage, "reasoningTokens"),
    )
    return ModelCall(time, model, ChatResponse([], figures, model=model or None))


# who answers, as opencode, pi and Cline call it (the names of models.dev, 2026-11-29)
_HOSTS = {
    "google": "gemini",
    "google-vertex": "vertex",
    "google-vertex-anthropic": "vertex",
    "amazon-bedrock": "bedrock",
    "alibaba": "dashscope",
    "moonshotai": "moonshot",
    "zai": "zhipu",
    "zhipuai": "zhipu",
    "togetherai": "together",
    "fireworks-ai": "fireworks",
    "openai-codex": "openai",
    "openai-native": "openai",
}


def _is_list(value: Json) -> TypeGuard[list[Json]]:
    return isinstance(value, list)


def _objects(value: Json) -> list[JsonObject]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _text(data: JsonObject, name: str) -> str:
    value = data.get(name)
    return value if isinstance(value, str) else ""


def _dollars(value: Json) -> Decimal | None:
    """The agent's own figure; 0 stands for a price that it does not know."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < inf:
        return None
    return Decimal(str(value))


_Read: TypeAlias = Callable[[Sequence[LogRow]], Iterator[ModelCall]]
_LOGS: tuple[tuple[str, Callable[[Sequence[LogRow]], bool], _Read], ...] = (
    ("opencode", opencode.claims, _of_opencode),
    ("cline", cline.claims, _of_cline),
    ("copilot-cli", copilot.claims, _of_copilot),
    ("pi", pi.claims, _of_pi),
    ("claude-code", claude_code.claims, _of_claude_code),
    ("qwen-code", qwen_code.claims, _of_qwen_code),
    ("codex", codex.claims, _of_codex),
    ("gemini-cli", gemini_cli.claims, _of_gemini_cli),
)
