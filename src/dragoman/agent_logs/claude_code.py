"""Logs of Claude Code: `~/.claude/projects/<folder>/<session>.jsonl`, as 2.1.197 writes them.

Each row is a node of a tree: `parentUuid` names the row before it. A row of `user` or `assistant`
holds a message of the Messages API. An answer of several blocks is written as several rows with the
same message id, with results between them. Rewinding leaves branches without a continuation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..errors import ReadError
from ..message import Msg
from ..text.json_text import Json, JsonObject
from ..vendors import wire
from .log import LogRow, SessionLog, Skipped, date_messages, find_branch, once, skipped_fields

_AGENT = "claude-code"
_SAID = ("user", "assistant")
_SYNTHETIC = "<synthetic>"  # the model name on messages that the program wrote itself

_ROW = (
    "type",
    "uuid",
    "parentUuid",
    "logicalParentUuid",
    "isSidechain",
    "agentId",
    "sessionId",
    "timestamp",
    "message",
    "isCompactSummary",
    "attachment",
)
_MESSAGE = ("id", "type", "role", "model", "content")

_WHY = {
    "attachment": "the log keeps what it stands for as data, not the words that the model saw",
    "system": "the program tells this to the user, not to the model",
    "summary": "a title of the session",
    "file-history-snapshot": "a copy of files, for going back",
    "queue-operation": "what waits to be sent; once it is, it stands as a message",
    "last-prompt": "a note for resuming",
    "mode": "a setting",
    "progress": "what the screen shows while a tool runs",
}
_OTHER = "a note of the program, no message"


def claims(rows: Sequence[LogRow]) -> bool:
    """Return whether a node of a tree holds a message."""
    return any(_is_message(row) for row in rows)


def _is_message(row: LogRow) -> bool:
    return (
        row.data.get("type") in _SAID
        and "uuid" in row.data
        and isinstance(row.data.get("message"), dict)
        and "parts" not in row.data["message"]
    )


def read(rows: Sequence[LogRow], skipped: list[Skipped]) -> SessionLog:
    """Read the session; called agents in the same file are its sidechains."""
    rows, repeated = once(rows)
    main = [row for row in rows if not row.data.get("isSidechain")]
    aside = [row for row in rows if row.data.get("isSidechain")]
    if not any(_is_message(row) for row in main):  # a separate log of a called agent
        main, aside = list(rows), []
    log = _conversation(main)
    log.skipped = sorted([*skipped, *repeated, *log.skipped], key=_line)
    log.sidechains = [_conversation(group) for group in _groups(aside)]
    return log


def _line(one: Skipped) -> int:
    return int(one.place.removeprefix("line ").partition(".")[0])


def _groups(rows: Iterable[LogRow]) -> list[list[LogRow]]:
    """Return the rows of each called agent: by its id, else by the root of their tree."""
    groups: dict[str, list[LogRow]] = {}
    roots: dict[str, str] = {}
    for row in rows:
        parent = row.text("parentUuid")
        root = row.text("agentId") or roots.get(parent) or parent or row.text("uuid")
        roots[row.text("uuid")] = root
        groups.setdefault(root, []).append(row)
    return [group for group in groups.values() if any(_is_message(row) for row in group)]


def _conversation(rows: Sequence[LogRow]) -> SessionLog:
    """Read the messages on the branch that the session ended on."""
    kept, skipped = _select_rows(rows)
    entries: list[_Entry] = []
    for row in kept:
        _add(entries, row)
        skipped += skipped_fields(row.place, row.data, _ROW)
        skipped += skipped_fields(f"{row.place}.message", row.data.get("message"), _MESSAGE)
    log = SessionLog(_AGENT, skipped=skipped, session=_session(rows))
    start = 0
    for end in [i for i, entry in enumerate(entries) if entry.summary and i] + [len(entries)]:
        if start:
            log.compactions.append(len(log.messages))
        log.messages += _messages(entries[start:end])
        start = end
    log.model = next((entry.model for entry in reversed(entries) if entry.model), None)
    return log


def _session(rows: Sequence[LogRow]) -> str:
    return next((found for row in rows if (found := row.text("sessionId"))), "")


# -- which rows belong to the conversation ---------------------------------------------------------


def _select_rows(rows: Sequence[LogRow]) -> tuple[list[LogRow], list[Skipped]]:
    """Return the rows of the conversation in order, and a note for each of the others."""
    way = find_branch(rows, _is_message)
    ids = {_message_id(row) for row in rows if row.text("uuid") in way} - {""}
    calls = {
        call for row in rows if _message_id(row) in ids for call in _read_block_field(row, "id")
    }
    kept, skipped = [], []
    for row in rows:
        kind = row.text("type")
        if (
            kind == "attachment"
            and _read_queued_prompt(row) is not None
            and row.text("uuid") in way
        ):
            kept.append(row)
        elif not _is_message(row):
            what = ": ".join(
                filter(None, (kind or "row", row.text("subtype") or _read_attachment_type(row)))
            )
            skipped.append(row.note_skipped(what, _WHY.get(kind, _OTHER)))
        elif _is_synthetic(row):
            why = "the program says it in the model's place, as for an error"
            skipped.append(row.note_skipped("synthetic answer", why))
        elif row.text("uuid") in way or _message_id(row) in ids or calls & set(_answers(row)):
            kept.append(row)
        else:
            why = "the session went on from an earlier message"
            skipped.append(row.note_skipped("abandoned branch", why))
    return kept, skipped


def _message_id(row: LogRow) -> str:
    found = row.object("message").get("id")
    return found if isinstance(found, str) else ""


def _read_block_field(row: LogRow, name: str) -> Iterator[str]:
    """Yield the values of this field of the content's blocks."""
    content = row.object("message").get("content")
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and isinstance(block.get(name), str):
            yield block[name]


def _answers(row: LogRow) -> Iterator[str]:
    return _read_block_field(row, "tool_use_id")


def _is_synthetic(row: LogRow) -> bool:
    return row.object("message").get("model") == _SYNTHETIC


def _read_attachment_type(row: LogRow) -> str:
    found = row.object("attachment").get("type")
    return found if isinstance(found, str) else ""


def _read_queued_prompt(row: LogRow) -> Json:
    """Return what the user wrote while the agent worked; the model gets it as a user message."""
    attachment = row.object("attachment")
    return attachment.get("prompt") if attachment.get("type") == "queued_command" else None


# -- messages of the API ---------------------------------------------------------------------------


class _Entry:
    """One message of the API, built from the rows with its blocks."""

    __slots__ = ("id", "message", "model", "row", "summary")

    def __init__(self, row: LogRow, message: JsonObject) -> None:
        self.row = row
        self.message = message
        self.id = _message_id(row)
        self.model = row.object("message").get("model") if self.id else None
        self.summary = bool(row.data.get("isCompactSummary"))


def _add(entries: list[_Entry], row: LogRow) -> None:
    """Append a row, or append its blocks to the entry of the same message."""
    if row.text("type") == "attachment":
        entries.append(_Entry(row, {"role": "user", "content": _read_queued_prompt(row)}))
        return
    message = row.object("message")
    role, content = message.get("role", row.text("type")), message.get("content")
    same = next((e for e in reversed(entries) if e.id), None) if _message_id(row) else None
    if same is not None and same.id == _message_id(row):
        same.message["content"] = [*_parts(same.message["content"]), *_parts(content)]
    elif entries and role == "user" and _only_results(content) and _takes_results(entries[-1]):
        last = entries[-1].message
        last["content"] = [*last["content"], *_parts(content)]
    else:
        entries.append(_Entry(row, {"role": role, "content": content}))


def _parts(content: Json) -> list[Any]:
    return content if isinstance(content, list) else [{"type": "text", "text": content or ""}]


def _only_results(content: Json) -> bool:
    return (
        isinstance(content, list)
        and bool(content)
        and all(isinstance(part, dict) and part.get("type") == "tool_result" for part in content)
    )


def _takes_results(entry: _Entry) -> bool:
    return entry.message["role"] == "user" and _only_results(entry.message["content"])


def _messages(entries: Sequence[_Entry]) -> list[Msg]:
    """Return the messages as the reader of the Messages API reads them."""
    if not entries:
        return []
    model = next((entry.model for entry in entries if entry.model), None)
    body = {"model": model, "messages": [entry.message for entry in entries]}
    try:
        messages = wire("anthropic", policy="ignore", fetch=None).read_request(body).messages
    except ReadError as error:
        place = entries[0].row.place
        raise ReadError(error.message, path=place, hint=error.hint, code="log.message") from error
    times = {id(entry.message): entry.row.text("timestamp") for entry in entries}
    date_messages(messages, times, {id(e.message): e.model for e in entries if e.model})
    return messages
