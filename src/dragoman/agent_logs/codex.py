"""Logs of Codex: `~/.codex/sessions/<date>/rollout-*.jsonl`, as 0.169 writes them.

Each row has a `type` and a `payload`. Rows of the type `response_item` are items of the Responses
API; a row of the type `compacted` has the items with which the session went on; `session_meta` and
`turn_context` have the session's name, its instructions and the model. All other rows are
duplicates, or for display only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import ReadError
from ..message import Msg
from ..text.json_text import Json, JsonObject
from ..vendors import wire
from .log import LogRow, SessionLog, Skipped, date_messages, objects, skipped_fields

_NOTES = "internal_chat_message_metadata_passthrough"
_WHY = {
    "event_msg": "what the screen shows; what was said in it stands as an item, too",
    "turn_context": "the settings of a turn",
    "world_state": "what Codex knows of its surroundings; what the model is told stands as an item",
    "token_usage_record": "what a request cost",
    "session_meta": "another head of the same session",
    _NOTES: "notes on an item for Codex itself",
}
_OTHER = "a note of the program, no item"
_ROW = ("type", "payload", "timestamp")
_META = ("session_id", "id", "base_instructions", "instructions")
_MADE = ("replacement_history", "message")


def claims(rows: Sequence[LogRow]) -> bool:
    """Return whether rows have a payload, and one is the head of a session or an item."""
    kinds = ("session_meta", "response_item")
    return any(
        row.data.get("type") in kinds and isinstance(row.data.get("payload"), dict) for row in rows
    )


def read(rows: Sequence[LogRow], skipped: list[Skipped]) -> SessionLog:
    """Read the session. What replaced the history at a compaction follows it, as it was sent."""
    log = SessionLog("codex", skipped=skipped)
    part = _Section()
    for row in rows:
        match row.data.get("type"), row.object("payload"):
            case "response_item", item:
                part.add(row, item, log.skipped)
                log.skipped += skipped_fields(row.place, row.data, _ROW)
            case "session_meta", meta if not log.session:
                log.session = str(meta.get("session_id") or meta.get("id") or "")
                part.instructions = _instructions(meta)
                log.skipped += _unread(row, meta, _META)
            case "compacted", made:
                log.messages += part.messages(log.model)
                log.compactions.append(len(log.messages))
                part = _Section(part.instructions)
                for item in _replacement(made, row, log.skipped):
                    part.add(row, item, log.skipped)
                log.skipped += _unread(row, made, _MADE)
            case kind, payload:
                if kind == "turn_context" and isinstance(payload.get("model"), str):
                    log.model = payload["model"]
                inner = payload.get("type")
                if inner == "thread_rolled_back":
                    part.roll_back(payload.get("num_turns"), row, log.skipped)
                what = f"{kind}: {inner}" if isinstance(inner, str) else str(kind or "row")
                log.skipped.append(row.note_skipped(what, _WHY.get(str(kind), _OTHER)))
    log.messages += part.messages(log.model)
    return log


def _instructions(meta: JsonObject) -> str:
    base = meta.get("base_instructions")
    text = base.get("text") if isinstance(base, dict) else meta.get("instructions")
    return text if isinstance(text, str) else ""


def _unread(row: LogRow, payload: JsonObject, known: Sequence[str]) -> list[Skipped]:
    """Return notes on the unknown fields of a row and of its payload."""
    path = f"{row.place}.payload"
    base = skipped_fields(f"{path}.base_instructions", payload.get("base_instructions"), ("text",))
    rest = skipped_fields(path, payload, known)
    return [*skipped_fields(row.place, row.data, _ROW), *rest, *base]


def _replacement(made: JsonObject, row: LogRow, skipped: list[Skipped]) -> list[JsonObject]:
    """Return the items with which the session goes on; older logs have the summary only."""
    path = f"{row.place}.payload.replacement_history"
    if items := objects(made.get("replacement_history"), path, skipped):
        return items
    content = [{"type": "input_text", "text": str(made.get("message") or "")}]
    return [{"type": "message", "role": "user", "content": content}]


# the beginnings of user messages that Codex itself writes
_CONTEXT = ("<environment_context>", "<user_instructions>", "# AGENTS.md instructions")


def _is_asked(item: JsonObject) -> bool:
    """Return whether the user wrote it: a turn begins with it."""
    content = item.get("content")
    if item.get("type") != "message" or item.get("role") != "user":
        return False
    first = content[0] if isinstance(content, list) and content else None
    text = first.get("text") if isinstance(first, dict) else None
    return not (isinstance(text, str) and text.lstrip().startswith(_CONTEXT))


class _Section:
    """The items between two compactions."""

    def __init__(self, instructions: str = "") -> None:
        self.instructions = instructions
        self._items: list[JsonObject] = []
        self._times: dict[int, str] = {}
        self._place = ""

    def add(self, row: LogRow, item: JsonObject, skipped: list[Skipped]) -> None:
        """Add an item, without Codex's notes on it."""
        if _NOTES in item:
            item = {name: value for name, value in item.items() if name != _NOTES}
            skipped.append(row.note_skipped(_NOTES, _WHY[_NOTES]))
        self._items.append(item)
        self._times[id(item)] = row.text("timestamp")
        self._place = self._place or row.place

    def roll_back(self, turns: Json, row: LogRow, skipped: list[Skipped]) -> None:
        """Drop the last turns, each from a user message on; the session went on without them.

        Codex drops them in the same way, and keeps user messages that it wrote itself. Source:
        `drop_last_n_user_turns` of openai/codex, 0.171.
        """
        begins = [i for i, item in enumerate(self._items) if _is_asked(item)]
        count = turns if type(turns) is int and turns > 0 else 0
        if not count or not begins:
            return
        first = begins[max(0, len(begins) - count)]
        for item in self._items[first:]:
            what = str(item.get("type") or "item")
            skipped.append(row.note_skipped(f"rolled back: {what}", "the user went back behind it"))
        del self._items[first:]

    def messages(self, model: str | None) -> list[Msg]:
        """Return the messages as the reader of the Responses API reads them."""
        if not self._items:
            return []
        body: dict[str, Any] = {"model": model, "input": self._items}
        if self.instructions:
            body["instructions"] = self.instructions
        host = wire("openai-responses", policy="ignore", fetch=None)
        try:
            messages = host.read_request(body).messages
        except ReadError as error:
            raise ReadError(
                error.message, path=self._place, hint=error.hint, code="log.message"
            ) from error
        date_messages(messages, self._times, {})
        return messages
