"""What the answers in a session log took: one row for each request of the agent to a model.

Claude Code 2.1.332 repeats the usage of an answer in the row of each of its blocks, with one id of
the message. Codex 0.171 writes a `token_usage_record` for each answer; earlier releases a
`token_count`, which comes again where only the limits of the account changed. Seen in logs of both
on 2026-11-29.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..errors import ReadError
from ..message import ChatResponse, Usage
from ..text.json_text import Json, JsonObject
from ..vendors import wire
from . import claude_code, codex
from .log import LogRow, read_rows

_SYNTHETIC = "<synthetic>"  # the name of the model on what Claude Code itself says


@dataclass(slots=True)
class ModelCall:
    """An answer that an agent got from a model.

    Attributes:
        time: When, as the log has it; empty if it does not say.
        model: The model.
        answer: The usage of the answer, and what its price depends on; not what it says.
        protocol: The protocol over which it came.
    """

    time: str
    model: str
    answer: ChatResponse
    protocol: str


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
    if claude_code.claims(rows):
        return "claude-code", list(_of_claude_code(rows))
    if codex.claims(rows):
        return "codex", list(_of_codex(rows))
    hint = "read are the logs of Claude Code and Codex"
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
