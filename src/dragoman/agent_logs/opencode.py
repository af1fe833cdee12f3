"""The output of `opencode export`, as of 1.18: `info`, and `messages` of an `info` and `parts`.

opencode has one form for all providers: a call and its result are one part. After a part of the
type `compaction` comes a summary, with which the session goes on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from ..message import Base64Source, Msg, URLSource
from ..message.blocks import (
    AudioBlock,
    ContentBlock,
    DocumentBlock,
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    VideoBlock,
)
from ..text.json_text import Json, JsonObject
from .log import LogRow, SessionLog, Skipped, objects, skipped_fields, text_at

_LAST = 253_402_300_800_000  # milliseconds until the year 10000
_INFO = ("id", "role", "time", "modelID", "error", "sessionID")
_IDS = ("id", "sessionID", "messageID")
_PART = (*_IDS, "type", "text", "url", "mime", "filename", "metadata")
_CALL = (*_IDS, "type", "callID", "tool", "state")
# the text in place of a result that opencode cleared (session/message-v2.ts of 1.18.33)
_CLEARED = "[Old tool result content cleared]"
_STATE = ("status", "input", "output", "error", "attachments")
_SEALS = ("signature", "reasoningEncryptedContent", "redactedData")

_WHY = {
    "step-start": "where a request begins",
    "step-finish": "what a request cost, and why it ended",
    "snapshot": "a copy of files, for going back",
    "patch": "which files a step changed",
    "compaction": "it marks that a summary follows",
    "agent": "which agent was named in the prompt",
    "subtask": "a task for another agent, whose session stands elsewhere",
    "retry": "a request that failed",
}


def claims(rows: Sequence[LogRow]) -> bool:
    """Return whether the log is one object with a session and messages in parts."""
    messages = rows[0].data.get("messages")
    return (
        isinstance(rows[0].data.get("info"), dict)
        and isinstance(messages, list)
        and all(isinstance(one, dict) and "info" in one and "parts" in one for one in messages)
    )


def read(rows: Sequence[LogRow], skipped: list[Skipped]) -> SessionLog:
    """Read the session of one exported object."""
    data = rows[0].data
    skipped += skipped_fields("$", data, ("info", "messages"))
    log = SessionLog("opencode", session=str(data["info"].get("id") or ""), skipped=skipped)
    log.skipped += skipped_fields("$.info", data["info"], ("id",))
    for i, message in enumerate(data["messages"]):
        path = f"$.messages[{i}]"
        log.skipped += skipped_fields(path, message, ("info", "parts"))
        [info] = objects(message["info"], f"{path}.info", log.skipped, _INFO) or [{}]
        log.skipped += skipped_fields(f"{path}.info.time", info.get("time"), ("created",))
        parts = message["parts"] if isinstance(message["parts"], list) else [message["parts"]]
        _add(log, info, parts, path)
    return log


def _add(log: SessionLog, info: JsonObject, parts: Sequence[Json], path: str) -> None:
    """Read one message; an answer that ran tools several times is several messages."""
    model = info.get("modelID")
    log.model = model if isinstance(model, str) else log.model
    if any(isinstance(part, dict) and part.get("type") == "compaction" for part in parts):
        log.compactions.append(len(log.messages))
    if info.get("error"):
        log.skipped.append(Skipped(f"{path}.info.error", "error", "the request failed"))
    says = _Speech(str(info.get("role") or "user"), read_time(info))
    for i, part in enumerate(parts):
        place = f"{path}.parts[{i}]"
        kind = part.get("type") if isinstance(part, dict) else None
        if kind == "step-start":
            log.messages += says.take_messages()
        if kind == "tool":
            says.call(part, place, log)
        elif (block := _block(part, kind)) is not None:
            says.blocks.append(block)
            log.skipped += _unread(part, place)
        else:
            what = str(kind or "part")
            why = _WHY.get(what, "a note of the program, no part of what was said")
            log.skipped.append(Skipped(place, what, why))
    log.messages += says.take_messages()


def read_time(info: JsonObject) -> str | None:
    """Return when the message was written, as an ISO 8601 time in UTC; the log has milliseconds."""
    time = info.get("time")
    made = time.get("created") if isinstance(time, dict) else None
    if type(made) is not int or not 0 <= made < _LAST:
        return None
    return datetime.fromtimestamp(made / 1000, UTC).isoformat()


def _unread(part: JsonObject, place: str) -> list[Skipped]:
    """Return notes on the unknown fields of a part."""
    notes = skipped_fields(place, part, _PART)
    issuers = dict(_objects(part.get("metadata")))
    notes += skipped_fields(f"{place}.metadata", part.get("metadata"), issuers)
    for issuer, fields in issuers.items():
        notes += skipped_fields(f"{place}.metadata.{issuer}", fields, _SEALS)
    return notes


class _Speech:
    """The blocks until tools have run, and the results that follow them."""

    def __init__(self, role: str, time: str | None) -> None:
        self.role = role
        self.time = time
        self.blocks: list[ContentBlock] = []
        self._results: list[ToolResultBlock] = []

    def call(self, part: JsonObject, place: str, log: SessionLog) -> None:
        """Add a call and its result. Raises ReadError for one without an id or a name."""
        skipped = log.skipped
        id, name = text_at(part, "callID", place), text_at(part, "tool", place)
        [state] = objects(part.get("state"), f"{place}.state", skipped, _STATE) or [{}]
        skipped += skipped_fields(place, part, _CALL)
        call = ToolUseBlock(id, name, state.get("input") or {})
        status = state.get("status")
        call.unfinished = status == "pending"
        self.blocks.append(call)
        if status == "error":
            text = str(state.get("error") or "")
            self._results.append(ToolResultBlock(id, name, text, is_error=True))
        elif status == "completed" or "output" in state:
            time = state.get("time")
            if isinstance(time, dict) and time.get("compacted"):
                log.cleared[id] = _CLEARED
            output = _output(state, f"{place}.state.attachments", skipped)
            self._results.append(ToolResultBlock(id, name, output))

    def take_messages(self) -> list[Msg]:
        """Return the messages so far, and start again."""
        made = []
        if self.blocks:
            made.append(Msg("", self.blocks, self.role, timestamp=self.time))
        if self._results:
            made.append(Msg("", self._results, "tool", timestamp=self.time))
        self.blocks, self._results = [], []
        return made


def _output(state: JsonObject, path: str, skipped: list[Skipped]) -> str | list[ContentBlock]:
    """Return the output of a tool: its text, and the files that it showed."""
    text = str(state.get("output") or "")
    shown = objects(state.get("attachments"), path, skipped, _PART)
    files = [block for file in shown if (block := _file(file))]
    return [TextBlock(text), *files] if files else text


def _block(part: Json, kind: str | None) -> ContentBlock | None:
    match kind:
        case "text" if part.get("ignored") is not True:
            return TextBlock(str(part.get("text") or ""))
        case "reasoning":
            return _thinking(part)
        case "file":
            return _file(part)
        case _:
            return None


def _thinking(part: JsonObject) -> ThinkingBlock:
    """Return the thinking, with the signature of its provider."""
    block = ThinkingBlock(str(part.get("text") or ""))
    for _, fields in _objects(part.get("metadata")):
        block.signature = fields.get("signature") or block.signature
        block.redacted = (
            fields.get("reasoningEncryptedContent") or fields.get("redactedData") or block.redacted
        )
    return block


def _objects(value: Json) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, inner in value.items() if isinstance(value, dict) else ():
        if isinstance(inner, dict):
            yield name, inner


def _file(part: Json) -> ContentBlock | None:
    url = part.get("url") if isinstance(part, dict) else None
    if not isinstance(url, str):
        return None
    media_type = str(part.get("mime") or "application/octet-stream")
    inline = url.startswith("data:") and "," in url
    source = (
        Base64Source.within(media_type, url) if inline else URLSource(url, media_type, read=True)
    )
    kinds = {"image": ImageBlock, "audio": AudioBlock, "video": VideoBlock}
    made: type[Any] = kinds.get(media_type.partition("/")[0], DocumentBlock)
    block: ContentBlock = made(source, title=part.get("filename"))
    return block
