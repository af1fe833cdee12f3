"""Logs of pi: `~/.pi/agent/sessions/<folder>/<time>_<session>.jsonl`, version 3 (pi 1.6).

Each entry is a node of a tree, and the session is the path to the last one. The package
@earendil-works/pi-coding-agent describes them in docs/session-format.md and docs/message-types.md;
its messages.js has the texts around summaries (read and run on 2026-11-28).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..errors import DragomanError, ReadError
from ..message import Base64Source, Msg, Tool
from ..message.blocks import (
    ContentBlock,
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from ..text.json_text import Json, JsonObject, loads
from .log import LogRow, SessionLog, Skipped, find_branch, once, text_at

_SEALED = ("anthropic", "bedrock", "google")  # their APIs sign thinking with one text
_SUMMARY = (
    "The conversation history before this point was compacted into the following summary:"
    "\n\n<summary>\n{}\n</summary>"
)
_BRANCH = (
    "The following is a summary of a branch that this conversation came back from:"
    "\n\n<summary>\n{}</summary>"
)
_WHY = {
    "session": "the head of the log",
    "model_change": "a setting",
    "thinking_level_change": "a setting",
    "usage": "what something cost",
    "custom": "what an extension keeps for itself",
    "label": "a mark for people",
    "session_info": "a name for people",
}
_TREE = ("message", "compaction", "branch_summary", "custom_message", "context_edit")


def claims(rows: Sequence[LogRow]) -> bool:
    """Return whether the log begins with the head of a session, and nodes of a tree follow."""
    head = rows[0].data
    return (
        head.get("type") == "session"
        and "cwd" in head
        and all("type" in row.data and "timestamp" in row.data for row in rows)
    )


def read(rows: Sequence[LogRow], skipped: list[Skipped]) -> SessionLog:
    """Read the session on the branch that it ended on.

    Raises:
        ReadError: An entry is broken.
    """
    head, entries = rows[0], [*rows[1:]]
    log = SessionLog("pi", session=head.text("id"), skipped=list(skipped))
    entries, repeated = once(entries, "id")
    log.skipped += repeated
    if any("parentId" in row.data for row in entries):  # version 1 has no tree
        way = find_branch(entries, lambda row: row.text("type") in _TREE, "id", ("parentId",))
        on_way = [row for row in entries if row.text("id") in way]
        gone = [row for row in entries if row.text("id") not in way and row.text("type") in _TREE]
        why = "the session went on from an earlier entry"
        log.skipped += [row.note_skipped("abandoned branch", why) for row in gone]
    else:
        on_way = entries
    session = _Session(log, on_way)
    for row in on_way:
        session.take(row)
    session.close()
    log.skipped.insert(0, head.note_skipped("session", _WHY["session"]))
    return log


class _Session:
    """The entries of one branch, as messages."""

    def __init__(self, log: SessionLog, entries: Sequence[LogRow]) -> None:
        self.log = log
        self.sections: dict[str, str] = {}
        self.words = ""  # the text of a system message without sections
        self.tools: dict[str, Tool] = {}
        self.entries = entries
        self.edits = {
            row.text("targetId"): row for row in entries if row.text("type") == "context_edit"
        }

    def take(self, row: LogRow) -> None:
        """Read one entry."""
        kind = row.text("type")
        if kind == "compaction":
            self._compact(row)
        elif kind in _WHY or kind == "context_edit":
            why = _WHY.get(kind, "it changes what the model is shown of an earlier entry")
            self.log.skipped.append(row.note_skipped(kind, why))
        else:
            self.log.messages += self._read_message(row)

    def close(self) -> None:
        """Insert the final system prompt before the messages that the model is shown."""
        text = self._prompt()
        if text:
            start = self.log.compactions[-1] if self.log.compactions else 0
            self.log.messages.insert(start, Msg("", text, "system"))
        self.log.tools = [*self.tools.values()]

    def _prompt(self) -> str:
        return "\n\n".join(filter(None, (self.words, *self.sections.values())))

    def _compact(self, row: LogRow) -> None:
        """Start again with the summary, and the entries that were kept."""
        self.log.compactions.append(len(self.log.messages))
        if checkpoint := row.object("systemMessage"):
            self.sections, self.words, self.tools = {}, "", {}
            self._system(checkpoint)
        self.log.messages.append(
            Msg("", _SUMMARY.format(row.text("summary")), "user", timestamp=row.text("timestamp"))
        )
        ids = [entry.text("id") for entry in self.entries]
        first, here = row.text("firstKeptEntryId"), ids.index(row.text("id"))
        kept = self.entries[ids.index(first) : here] if first in ids else ()
        for entry in kept:
            if entry.object("message").get("role") != "system":
                self.log.messages += self._read_message(entry)

    def _read_message(self, row: LogRow) -> Iterator[Msg]:
        """Yield the message of an entry, if the model is shown one."""
        kind, message = row.text("type"), row.object("message")
        time = row.text("timestamp") or None
        if kind == "branch_summary":
            yield Msg("", _BRANCH.format(row.text("summary")), "user", timestamp=time)
            return
        if kind == "custom_message":
            message = {"role": "custom", "content": row.data.get("content")}
        elif kind != "message":
            if kind != "compaction":
                why = "a note of the program, no message"
                self.log.skipped.append(row.note_skipped(kind or "entry", why))
            return
        if (edit := self.edits.get(row.text("id"))) is not None:
            if edit.data.get("replacement") is None:
                self.log.skipped.append(row.note_skipped("left out", f"{edit.place} leaves it out"))
                return
            message = {**message, "content": edit.data["replacement"]}
        try:
            made = self._message(message, row)
        except ReadError:
            raise
        except DragomanError as error:
            raise ReadError(
                error.message, path=row.place, hint=error.hint, code="log.message"
            ) from error
        if made is not None:
            made.timestamp = time
            yield made

    def _message(self, message: JsonObject, row: LogRow) -> Msg | None:
        content = message.get("content")
        match message.get("role"):
            case "system":
                self._system(message)
                return None
            case "user" | "custom":
                return Msg("", self._blocks(content, row, ""), "user")
            case "assistant":
                model, api = message.get("model"), str(message.get("api") or "")
                self.log.model = model if isinstance(model, str) else self.log.model
                blocks = self._blocks(content, row, api)
                return Msg("", blocks, "assistant") if blocks else None
            case "toolResult":
                id = text_at(message, "toolCallId", f"{row.place}.message")
                name = text_at(message, "toolName", f"{row.place}.message")
                output = self._blocks(content, row, "")
                failed = bool(message.get("isError"))
                return Msg("", [ToolResultBlock(id, name, output, is_error=failed)], "tool")
            case "bashExecution":
                if message.get("excludeFromContext"):
                    why = "the user ran it without showing it to the model"
                    self.log.skipped.append(row.note_skipped("bashExecution", why))
                    return None
                return Msg("", _describe_command(message), "user")
            case role:
                why = "a role that only the program knows"
                self.log.skipped.append(row.note_skipped(str(role), why))
                return None

    def _system(self, message: JsonObject) -> None:
        """Apply a change of the system prompt and of the tools."""
        content = message.get("content")
        self.words = content if isinstance(content, str) and content else self.words
        sections = message.get("sections")
        for name, text in sections.items() if isinstance(sections, dict) else ():
            if isinstance(text, str):
                self.sections[name] = text
            else:
                self.sections.pop(name, None)
        for tool in _objects(message.get("toolsRemoved")):
            self.tools.pop(str(tool.get("name")), None)
        for tool in _objects(message.get("toolsAdded")):
            name, words = str(tool.get("name")), str(tool.get("description") or "")
            self.tools[name] = Tool(name, words, tool.get("parameters") or {"type": "object"})

    def _blocks(self, content: Json, row: LogRow, api: str) -> list[ContentBlock]:
        if isinstance(content, str):
            return [TextBlock(content)] if content else []
        found: list[ContentBlock] = []
        for part in _objects(content):
            match part.get("type"):
                case "text":
                    found.append(TextBlock(str(part.get("text") or "")))
                case "thinking":
                    found.append(_thinking(part, api))
                case "image":
                    media, data = str(part.get("mimeType") or ""), str(part.get("data") or "")
                    found.append(ImageBlock(Base64Source(media, data)))
                case "toolCall":
                    id = text_at(part, "id", f"{row.place}.message.content")
                    name = text_at(part, "name", f"{row.place}.message.content")
                    found.append(ToolUseBlock(id, name, part.get("arguments") or {}))
                case kind:
                    why = "a block that no release of pi is known to write"
                    self.log.skipped.append(row.note_skipped(str(kind), why))
        return found


def _objects(value: Json) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _thinking(part: JsonObject, api: str) -> ThinkingBlock:
    """Return thinking with its proof: a signature, or the Responses item with an encrypted form."""
    block = ThinkingBlock(str(part.get("thinking") or ""))
    seal = part.get("thinkingSignature")
    if not isinstance(seal, str):
        return block
    if part.get("redacted"):
        block.redacted = seal
    elif api.startswith(_SEALED):
        block.signature = seal
    elif "responses" in api:
        try:
            item = loads(seal)
        except ReadError:
            return block
        sealed = item.get("encrypted_content") if isinstance(item, dict) else None
        block.redacted = sealed if isinstance(sealed, str) else None
    return block


def _describe_command(message: JsonObject) -> str:
    """Return the text in which pi shows the model a command that the user ran."""
    output = message.get("output")
    text = f"Ran `{message.get('command')}`\n"
    text += f"```\n{output}\n```" if output else "(no output)"
    code = message.get("exitCode")
    if message.get("cancelled"):
        return f"{text}\n\n(command cancelled)"
    return f"{text}\n\nCommand exited with code {code}" if code else text
