"""Logs of Copilot CLI: `~/.copilot/session-state/<session>/events.jsonl`, as 1.0.102 writes them.

Each row is an event with its `data`; `agentId` is that of a called agent. What the model was told
can differ from what the screen showed: of the user's words the model got `transformedContent`. Run
and read on 2026-11-29; its `session-events.schema.json` describes the fields.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..message import Msg
from ..message.blocks import ContentBlock, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock
from ..text.json_text import JsonObject
from .log import LogRow, SessionLog, Skipped, text_at

_AGENT = "copilot-cli"
_WHY = {
    "assistant.turn_start": "the program begins to ask the model",
    "assistant.turn_end": "the program has asked the model",
    "session.start": "when and where the session began",
    "session.resume": "when the session went on",
    "session.shutdown": "when the session ended, and what it took",
    "session.usage_record": "what an answer took",
    "tool.execution_start": "the call stands in the message that asked for it",
}
_OTHER = "a note of the program, no message"
_USER_REQUESTED = "the user asked for this call, and not the model"
# fields of messages that hold something of the conversation that is not read
_UNREAD = ("attachments", "reasoningOpaque", "encryptedContent", "reasoningBlocks", "serverTools")


def claims(rows: Sequence[LogRow]) -> bool:
    """Return whether the log begins with the start of a session of Copilot."""
    head = rows[0]
    return head.text("type") == "session.start" and "copilotVersion" in head.object("data")


def read(rows: Sequence[LogRow], skipped: list[Skipped]) -> SessionLog:
    """Read the session; called agents are its sidechains.

    Raises:
        ReadError: A call or a result is broken.
    """
    removed = _list_removed(rows)
    agents: dict[str, list[LogRow]] = {"": []}
    for row in rows:
        agents.setdefault(row.text("agentId"), []).append(row)
    log, *others = [_Events(removed).read(group) for group in agents.values()]
    log.skipped = [*skipped, *log.skipped]
    log.sidechains = [other for other in others if other.messages]
    return log


def _list_removed(rows: Sequence[LogRow]) -> set[str]:
    """Return the ids of the events that the user went back behind."""
    removed: set[str] = set()
    for i, row in enumerate(rows):
        if row.text("type") != "session.snapshot_rewind":
            continue
        data = row.object("data")
        named, first = data.get("eventIds"), data.get("upToEventId")
        if isinstance(named, list):
            removed |= {one for one in named if isinstance(one, str)}
            continue
        ids = [earlier.text("id") for earlier in rows[:i]]
        removed |= set(ids[ids.index(first) :] if first in ids else ())
    return removed


class _Events:
    """Reads the events of one agent.

    Args:
        removed: The ids of events that are not part of the session any more.
    """

    def __init__(self, removed: set[str]) -> None:
        self.removed = removed
        self.log = SessionLog(_AGENT)
        self.system: dict[str, Msg] = {}  # by role; written after the words of the user
        self.names: dict[str, str] = {}  # of the tools, by the id of the call

    def read(self, rows: Sequence[LogRow]) -> SessionLog:
        """Return the session of these events."""
        log = self.log
        for row in rows:
            if row.text("id") in self.removed:
                why = "the session went on from an earlier message"
                log.skipped.append(row.note_skipped("abandoned branch", why))
            else:
                self._take(row, row.object("data"))
        if log.messages and self.system:
            log.messages[:0] = self.system.values()
            log.compactions = [at + len(self.system) for at in log.compactions]
        return log

    def _take(self, row: LogRow, data: JsonObject) -> None:
        kind = row.text("type")
        match kind:
            case "system.message":
                role = "developer" if data.get("role") == "developer" else "system"
                self._say(row, [TextBlock(str(data.get("content") or ""))], role)
                return
            case "user.message":
                words = data.get("transformedContent") or data.get("content")
                self._say(row, [TextBlock(str(words or ""))], "user")
            case "assistant.message":
                self._answer(row, data)
            case "tool.execution_complete":
                self._result(row, data)
                return
            case "session.compaction_complete" if isinstance(data.get("summaryContent"), str):
                self.log.compactions.append(len(self.log.messages))
                self._say(row, [TextBlock(data["summaryContent"])], "user")
            case _:
                if kind == "session.start":
                    self.log.session = str(data.get("sessionId") or "")
                    model = data.get("selectedModel")
                    self.log.model = model if isinstance(model, str) else self.log.model
                why = _WHY.get(kind, _OTHER)
                self.log.skipped.append(row.note_skipped(kind or "event", why))
        for name in _UNREAD:
            if data.get(name):
                place = f"{row.place}.data.{name}"
                self.log.skipped.append(Skipped(place, name, "it is kept in a form of Copilot's"))

    def _say(self, row: LogRow, blocks: list[ContentBlock], role: str) -> None:
        message = Msg("", blocks, role, timestamp=row.text("timestamp") or None)
        if role in ("system", "developer"):
            self.system[role] = message
        elif blocks:
            self.log.messages.append(message)

    def _answer(self, row: LogRow, data: JsonObject) -> None:
        blocks: list[ContentBlock] = []
        if isinstance(thought := data.get("reasoningText"), str) and thought:
            blocks.append(ThinkingBlock(thought))
        if isinstance(text := data.get("content"), str) and text:
            blocks.append(TextBlock(text))
        requests = data.get("toolRequests")
        for i, call in enumerate(requests if isinstance(requests, list) else ()):
            blocks.append(self._call(call, f"{row.place}.data.toolRequests[{i}]"))
        self._say(row, blocks, "assistant")
        if blocks and isinstance(model := data.get("model"), str) and model:
            self.log.messages[-1].metadata["model"] = self.log.model = model

    def _call(self, call: Any, path: str) -> ToolUseBlock:
        call = call if isinstance(call, dict) else {}
        id, name = text_at(call, "toolCallId", path), text_at(call, "name", path)
        self.names[id] = name
        given = call.get("arguments")
        freeform = call.get("type") == "custom"
        return ToolUseBlock(id, name, {} if given is None else given, freeform=freeform)

    def _result(self, row: LogRow, data: JsonObject) -> None:
        """Read a result: what was told to the model of one that worked, else the error."""
        id = text_at(data, "toolCallId", f"{row.place}.data")
        if data.get("isUserRequested"):
            self.log.skipped.append(row.note_skipped("tool.execution_complete", _USER_REQUESTED))
            return
        failed = data.get("success") is False
        told = data.get("error" if failed else "result")
        text = told.get("message" if failed else "content") if isinstance(told, dict) else None
        block = ToolResultBlock(id, self.names.get(id, ""), str(text or ""), is_error=failed)
        self._say(row, [block], "tool")
