"""Logs of Gemini CLI: `~/.gemini/tmp/<project>/chats/session-*.jsonl`, as 0.61 writes them.

A row is a message, a change of the session (`$set`), or the head. A message whose id has occurred
replaces the earlier one; `$set.messages` replaces all, and `$rewindTo` removes one and what follows
it. Before 0.50 the same data was one JSON object.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from ..errors import ReadError
from ..message import Msg
from ..text.json_text import Json, JsonObject
from ..vendors import wire
from .log import LogRow, SessionLog, Skipped, objects, skipped_fields

_SAID = ("user", "gemini")
_HEAD = ("sessionId", "messages")
_Rows: TypeAlias = dict[tuple[str, str], tuple[JsonObject, LogRow]]  # by id and type
_READ = ("id", "timestamp", "type", "content", "displayContent", "toolCalls", "thoughts", "model")
_CALL = ("id", "name", "args", "result", "timestamp")
_THOUGHT = ("subject", "description", "timestamp")


def claims(rows: Sequence[LogRow]) -> bool:
    """Return whether a row is the head of a session of a project."""
    return any({"sessionId", "projectHash"} <= set(row.data) for row in rows)


def read(rows: Sequence[LogRow], skipped: list[Skipped]) -> SessionLog:
    """Read the session. Messages that a compaction replaced come before its result."""
    log = SessionLog("gemini-cli", skipped=skipped)
    history = _History(log)
    for row in rows:
        _take(history, row)
    history.close()
    return log


def _take(history: _History, row: LogRow) -> None:
    log, data = history.log, row.data
    if isinstance(data.get("$rewindTo"), str):
        history.rewind(data["$rewindTo"], row)
        log.skipped += skipped_fields(row.place, data, ("$rewindTo",))
    elif isinstance(data.get("id"), str):
        history.put(data, row)
    elif isinstance(change := data.get("$set"), dict):
        if isinstance(change.get("messages"), list):
            history.replace(change["messages"], row)
        log.skipped += skipped_fields(row.place, change, _HEAD)
        log.skipped += skipped_fields(row.place, data, ("$set",))
    elif "projectHash" in data:
        log.session = log.session or row.text("sessionId")
        for message in objects(data.get("messages"), f"{row.place}.messages", log.skipped):
            history.put(message, row)
        log.skipped += skipped_fields(row.place, data, _HEAD)
    else:
        log.skipped.append(row.note_skipped("row", "neither a message nor a change of the session"))


class _History:
    """The current messages, by id and in order.

    Resuming writes messages again, under the same ids; an answer and its results then have the same
    id, so the type is a part of the key.
    """

    def __init__(self, log: SessionLog) -> None:
        self.log = log
        self._rows: _Rows = {}
        self._replaced: _Rows = {}  # the messages that a list replaced, until the next message

    def put(self, message: Json, row: LogRow) -> None:
        """Append a message, or replace the one with its id."""
        self._settle()
        self._put(message, row)

    def _put(self, message: Json, row: LogRow) -> None:
        if not isinstance(message, dict) or not isinstance(message.get("id"), str):
            self.log.skipped.append(row.note_skipped("message", "it has no id"))
            return
        key = message["id"], str(message.get("type"))
        if key in self._rows and self._rows[key][0] != message:
            why = f"{row.place} says it anew, under the same id"
            self.log.skipped.append(self._rows[key][1].note_skipped("earlier version", why))
        self._rows[key] = (message, row)
        self.log.skipped += skipped_fields(row.place, message, _READ)
        if isinstance(model := message.get("model"), str):
            self.log.model = model

    def rewind(self, id: str, row: LogRow) -> None:
        """Remove this message and those after it; all messages, if there is no such one."""
        self._settle()
        keys = list(self._rows)
        start = next((i for i, key in enumerate(keys) if key[0] == id), 0)
        for gone in keys[start:]:
            why = f"{row.place} goes back to an earlier message"
            self.log.skipped.append(self._rows.pop(gone)[1].note_skipped("abandoned branch", why))

    def replace(self, messages: list[Json], row: LogRow) -> None:
        """Replace all messages; a compaction if one is missing when the conversation goes on."""
        self._replaced = {**self._replaced, **self._rows}
        self._rows = {}
        for message in messages:
            self._put(message, row)

    def _settle(self) -> None:
        """Note a list that replaced others as a summary if it has new text for what is missing."""
        gone = [key for key in self._replaced if key not in self._rows]
        if gone and any(key not in self._replaced for key in self._rows):
            self.log.messages += _messages([*self._replaced.values()], self.log)
            self.log.compactions.append(len(self.log.messages))
        elif gone:
            why = "the session went on without it"
            self.log.skipped += [
                self._replaced[key][1].note_skipped("left message", why) for key in gone
            ]
        self._replaced = {}

    def close(self) -> None:
        """Read the current messages into the log."""
        self._settle()
        self.log.messages += _messages([*self._rows.values()], self.log)


def _messages(rows: Sequence[tuple[JsonObject, LogRow]], log: SessionLog) -> list[Msg]:
    """Return the messages as the reader of generateContent reads them."""
    contents, times = [], []
    answered = {id for message, _ in rows for id in _list_answered_calls(message)}
    for message, row in rows:
        kind = message.get("type")
        if kind not in _SAID:
            why = "the program tells this to the user, not to the model"
            log.skipped.append(row.note_skipped(str(kind or "message"), why))
            continue
        for content in _contents(message, answered, row.place, log.skipped):
            contents.append(content)
            times.append(message.get("timestamp"))
    if not contents:
        return []
    try:
        host = wire("gemini", policy="ignore", fetch=None)
        messages = host.read_request({"contents": contents}).messages
    except ReadError as error:
        place = rows[0][1].place
        raise ReadError(error.message, path=place, hint=error.hint, code="log.message") from error
    if len(messages) == len(times):  # one message for each content
        for said, time in zip(messages, times, strict=True):
            said.timestamp = time if isinstance(time, str) else None
    return messages


def _contents(
    message: JsonObject, answered: set[str], place: str, skipped: list[Skipped]
) -> Iterator[JsonObject]:
    """Yield contents of the API: what the model wrote, and what it was sent."""
    if message.get("type") == "user":
        yield {"role": "user", "parts": _parts(message.get("content"))}
        return
    calls = objects(message.get("toolCalls"), f"{place}.toolCalls", skipped, _CALL)
    thoughts = objects(message.get("thoughts"), f"{place}.thoughts", skipped, _THOUGHT)
    parts = [*_thoughts(thoughts), *_parts(message.get("content")), *map(_call, calls)]
    yield {"role": "model", "parts": parts}
    # newer releases repeat the results as a user message
    results = []
    for call in calls:
        if isinstance(id := call.get("id"), str) and id in answered:
            why = "it stands as a message of the user's, too"
            skipped.append(Skipped(place, "result of a call", why))
        else:
            results += _parts(call.get("result"))
    if results:
        yield {"role": "user", "parts": results}


def _thoughts(thoughts: Sequence[JsonObject]) -> Iterator[JsonObject]:
    for thought in thoughts:
        subject, text = thought.get("subject"), thought.get("description") or ""
        yield {"text": f"**{subject}**\n{text}" if subject else text, "thought": True}


def _parts(content: Json) -> list[Any]:
    """Return a part, a list of parts, or a text as a list of parts."""
    if isinstance(content, str):
        return [{"text": content}] if content else []
    if isinstance(content, dict):
        return [content]
    values = content if isinstance(content, list) else []
    return [{"text": value} if isinstance(value, str) else value for value in values]


def _call(call: JsonObject) -> JsonObject:
    return {
        "functionCall": {"id": call.get("id"), "name": call.get("name"), "args": call.get("args")}
    }


def _list_answered_calls(message: JsonObject) -> Iterator[str]:
    """Yield the ids of the calls that a user message answers."""
    for part in _parts(message.get("content")) if message.get("type") == "user" else ():
        response = part.get("functionResponse") if isinstance(part, dict) else None
        if isinstance(response, dict) and isinstance(response.get("id"), str):
            yield response["id"]
