"""Sessions of Cline's command line: `~/.cline/data/sessions/<id>/<id>.messages.json`, as of 3.0.65.

One JSON object with messages in blocks as Anthropic has them. The user's words stand in
`<user_input>`, which the model does not see, and the results of tools are lists of objects, which
it sees as JSON (run, and compared with what was sent, on 2026-11-29).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from ..message import Msg
from ..message.blocks import ContentBlock, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock
from ..text.json_text import Json, JsonObject, encode_json
from .log import LogRow, SessionLog, Skipped, objects, skipped_fields, text_at

_SESSION = ("messages", "sessionId", "system_prompt")
_MESSAGE = ("role", "content", "ts", "modelInfo")
_INPUT = re.compile(r"\A<user_input(?: [^>]*)?>(.*)</user_input>\Z", re.DOTALL)


def claims(rows: Sequence[LogRow]) -> bool:
    """Return whether the log is one object with a session's messages and where they come from."""
    head = rows[0]
    return (
        bool(head.text("sessionId"))
        and isinstance(head.data.get("origin"), dict)
        and isinstance(head.data.get("messages"), list)
    )


def read(rows: Sequence[LogRow], skipped: list[Skipped]) -> SessionLog:
    """Read the session.

    Raises:
        ReadError: A call or a result is broken.
    """
    data = rows[0].data
    log = SessionLog("cline", session=rows[0].text("sessionId"), skipped=skipped)
    log.skipped += skipped_fields("$", data, _SESSION)
    if words := rows[0].text("system_prompt"):
        log.messages.append(Msg("", words, "system"))
    for i, message in enumerate(objects(data["messages"], "$.messages", log.skipped)):
        path = f"$.messages[{i}]"
        log.skipped += skipped_fields(path, message, _MESSAGE)
        _add(log, message, path)
    return log


def _add(log: SessionLog, message: JsonObject, path: str) -> None:
    role = "assistant" if message.get("role") == "assistant" else "user"
    content = message.get("content")
    parts: Json = [{"type": "text", "text": content}] if isinstance(content, str) else content
    said: list[ContentBlock] = []
    results: list[ContentBlock] = []
    for i, part in enumerate(objects(parts, f"{path}.content", log.skipped)):
        place = f"{path}.content[{i}]"
        match part.get("type"):
            case "text":
                text = str(part.get("text") or "")
                found = _INPUT.match(text) if role == "user" else None
                said.append(TextBlock(text if found is None else found[1]))
            case "thinking":
                said.append(ThinkingBlock(str(part.get("thinking") or "")))
            case "tool_use":
                id, name = text_at(part, "id", place), text_at(part, "name", place)
                said.append(ToolUseBlock(id, name, part.get("input") or {}))
            case "tool_result":
                results.append(_result(part, place))
            case kind:
                why = "a block that no release of Cline is known to write"
                log.skipped.append(Skipped(place, str(kind), why))
    for blocks, speaker in ((results, "tool"), (said, role)):
        if blocks:
            log.messages.append(Msg("", blocks, speaker, timestamp=read_time(message.get("ts"))))
    info = message.get("modelInfo")
    model = info.get("id") if isinstance(info, dict) else None
    if said and isinstance(model, str) and model:
        log.messages[-1].metadata["model"] = log.model = model


def _result(part: JsonObject, path: str) -> ToolResultBlock:
    content = part.get("content")
    text = content if isinstance(content, str) else encode_json(content or []).decode()
    name, failed = part.get("name"), part.get("is_error") is True
    known = name if isinstance(name, str) else ""
    return ToolResultBlock(text_at(part, "tool_use_id", path), known, text, is_error=failed)


def read_time(value: Json) -> str | None:
    """Return milliseconds of the Unix clock as a time of ISO 8601."""
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return None
    try:
        return datetime.fromtimestamp(value / 1000, UTC).isoformat(timespec="milliseconds")
    except (OverflowError, ValueError, OSError):
        return None
