"""Logs of Qwen Code: `~/.qwen/projects/<folder>/chats/<session>.jsonl`, as 0.24 writes them.

Each row is a node of a tree, as in Claude Code's logs, and holds a content of Gemini's API. A
system row with the subtype `chat_compression` has the history that the session went on with (run
and read on 2026-11-28).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import ReadError
from ..message import Msg
from ..text.json_text import JsonObject
from ..vendors import wire
from .log import LogRow, SessionLog, Skipped, find_branch, once, skipped_fields

_SAID = ("user", "assistant", "tool_result")
_ROW = ("uuid", "parentUuid", "sessionId", "timestamp", "type", "message", "model")
_WHY = {
    "ui_telemetry": "what the screen and the counts show",
    "slash_command": "the program takes it, not the model",
    "attribution_snapshot": "a note on who changed which file",
}


def claims(rows: Sequence[LogRow]) -> bool:
    """Return whether a node of a tree holds a message with parts."""
    return any(_is_message(row) for row in rows)


def _is_message(row: LogRow) -> bool:
    return (
        row.data.get("type") in _SAID
        and "uuid" in row.data
        and isinstance(row.object("message").get("parts"), list)
    )


def read(rows: Sequence[LogRow], skipped: list[Skipped]) -> SessionLog:
    """Read the session on the branch that it ended on.

    Raises:
        ReadError: A content is broken.
    """
    rows, repeated = once(rows)
    log = SessionLog("qwen-code", skipped=[*skipped, *repeated])
    way = find_branch(rows, _is_message)
    contents: list[JsonObject] = []
    places: list[LogRow] = []
    for row in rows:
        log.session = log.session or row.text("sessionId")
        said = _is_message(row)
        compressed = row.object("systemPayload").get("compressedHistory")
        if row.text("uuid") not in way and (said or compressed):
            why = "the session went on from an earlier message"
            log.skipped.append(row.note_skipped("abandoned branch", why))
        elif isinstance(compressed, list):
            log.messages += _messages(contents, places)
            log.compactions.append(len(log.messages))
            contents, places = [one for one in compressed if isinstance(one, dict)], []
            places += [row] * len(contents)
        elif said:
            contents.append(row.object("message"))
            places.append(row)
            log.model = row.text("model") or log.model
            log.skipped += skipped_fields(row.place, row.data, _ROW)
        else:
            kind = row.text("subtype") or row.text("type") or "row"
            log.skipped.append(row.note_skipped(kind, _WHY.get(kind, "a note of the program")))
    log.messages += _messages(contents, places)
    return log


def _messages(contents: Sequence[JsonObject], rows: Sequence[LogRow]) -> list[Msg]:
    """Return the messages as the reader of generateContent reads them."""
    if not contents:
        return []
    body: dict[str, Any] = {"contents": list(contents)}
    try:
        messages = wire("gemini", policy="ignore", fetch=None).read_request(body).messages
    except ReadError as error:
        place = rows[0].place
        raise ReadError(error.message, path=place, hint=error.hint, code="log.message") from error
    if len(messages) == len(rows):  # one message for each content
        for said, row in zip(messages, rows, strict=True):
            said.timestamp = row.text("timestamp") or None
    return messages
