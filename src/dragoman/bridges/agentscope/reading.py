"""AgentScope's messages to ours: one reader for 2.x and 1.x, whose blocks differ by their types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import NotMessages
from ...losses import PolicyLike, Report
from ...message import Msg, RawBlock, ToolResultBlock, Usage
from ...message.blocks import ContentBlock
from ...message.msg import Role
from ...text.json_text import JsonObject
from ...text.redaction import show
from ..kept import OURS, join_text, keep_items, read_parts
from ..results import AnswerNotes, Bridged, finish_bridge, text_or_none
from .items import TARGET, AgentScopeWriter, read_item

USAGE = (
    ("input_tokens", "input"),
    ("output_tokens", "output"),
    ("cache_input_tokens", "cache_read"),
    ("cache_creation_input_tokens", "cache_write"),
)
_ROLES = ("user", "assistant", "system")


def read_messages(messages: Any, *, policy: PolicyLike = "log") -> Bridged[Msg]:
    """Read messages of AgentScope 2.x or 1.x.

    Args:
        messages: `Msg`s, or their JSON (`msg.model_dump(mode="json")`, `msg.to_dict()`).
        policy: What to do about losses.

    Returns:
        The messages. Results, and hints, which a model is given as the user's, are messages of
        their own.

    Raises:
        NotMessages: Something is no message; `path` names it.
        LossRefused: The policy refuses a loss.
    """
    if isinstance(messages, Mapping) or hasattr(messages, "role"):
        messages = [messages]
    if isinstance(messages, (str, bytes)) or not isinstance(messages, Iterable):
        raise _no_message(messages, "$")
    read = [_read(item, f"$[{i}]") for i, item in enumerate(messages)]
    found = [msg for one in read for msg in one.messages]
    answered = list_answered(found)
    for one in read:
        one.keep(answered)
    return finish_bridge(found, Report(target=TARGET), policy)


def list_answered(messages: Iterable[Msg]) -> frozenset[str]:
    """Return the ids of the calls that have a result.

    Args:
        messages: The messages.
    """
    blocks = (block for msg in messages for block in msg.blocks)
    return frozenset(block.id for block in blocks if isinstance(block, ToolResultBlock))


def _no_message(value: object, path: str) -> NotMessages:
    return NotMessages(
        f"{show(value)} is no Msg of AgentScope",
        path=path,
        hint='Msg(name="user", content=text, role="user")',
        code="messages.type",
    )


def _plain(item: Any) -> Any:
    """Return a message of theirs as JSON."""
    if callable(dump := getattr(item, "model_dump", None)):
        return dump(mode="json")
    if callable(dump := getattr(item, "to_dict", None)):
        data = dump()
        invocation = getattr(item, "invocation_id", None)  # which `to_dict` of 1.x leaves out
        return {**data, **({"invocation_id": invocation} if invocation else {})}
    return item


def _read(item: Any, path: str) -> _ReadMsg:
    """Read one message, which may be several of ours."""
    data = _plain(item)
    role = data.get("role") if isinstance(data, Mapping) else None
    content = data.get("content") if isinstance(data, Mapping) else None
    name = data.get("name") if isinstance(data, Mapping) else None
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    is_list = isinstance(content, list) and all(isinstance(one, Mapping) for one in content)
    if role not in _ROLES or not is_list or not isinstance(name, str):
        raise _no_message(item, path)
    assert isinstance(content, list)  # as was just seen
    items = [dict(one) for one in content]
    read = [read_item(one) for one in items]
    metadata = data.get("metadata")
    metadata = dict(metadata) if isinstance(metadata, Mapping) else {}
    note = metadata.pop(OURS, None)
    flat = [block for blocks in read for block in blocks]
    found = read_parts(note, flat) if len(flat) == len(items) else None
    if found is None:
        runs = split_items(role, items, read)
        found = [make_message(data, run) for run in runs]
    else:
        runs = []
        for msg in found:
            count = len(msg.blocks) - _count_lost(note, len(runs))
            start = sum(len(run[1]) for run in runs)
            runs.append((msg.role, items[start : start + count], msg.blocks))
    return _ReadMsg(found, runs, data, metadata)


def _count_lost(note: Any, index: int) -> int:
    lost = note["parts"][index].get("lost")
    return len(lost) if isinstance(lost, list) else 0


Run = tuple[Any, list[JsonObject], list[ContentBlock]]


def split_items(
    role: str, items: Sequence[JsonObject], read: Sequence[list[ContentBlock]]
) -> list[Run]:
    """Split the items of one message of theirs into those of ours.

    Args:
        role: The role of theirs.
        items: Their blocks.
        read: The blocks that each of them became.

    Returns:
        Of each message: its role (`hint` for a hint), its items, its blocks.
    """
    runs: list[Run] = []
    for item, blocks in zip(items, read, strict=True):
        shown = {"tool_result": "tool", "hint": "hint"}.get(str(item.get("type")), role)
        if len(blocks) == 1 and isinstance(blocks[0], RawBlock):
            shown = role
        if runs and runs[-1][0] == shown and shown != "hint":
            runs[-1][1].append(item)
            runs[-1][2].extend(blocks)
        else:
            runs.append((shown, [item], [*blocks]))
    return runs or [(role, [], [])]


def make_message(data: Mapping[str, Any], run: Run) -> Msg:
    """Return the message of a run, as it is without a note.

    Args:
        data: The message of theirs.
        run: The run.
    """
    shown, _, blocks = run
    role: Role = "user" if shown == "hint" else shown
    msg = Msg.create_unchecked("", join_text(blocks), role)
    if shown not in ("tool", "hint") and data["name"] != data["role"]:
        msg.name = data["name"]
    msg.timestamp = text_or_none(data.get("created_at", data.get("timestamp")))
    origins = [block.origin for block in blocks if block.origin is not None]
    msg.origin = origins[0] if origins else None
    return msg


@dataclass
class _ReadMsg:
    """One message of theirs, and the messages that it became.

    Attributes:
        messages: Ours.
        runs: The blocks of theirs that each of them is.
        data: The message of theirs.
        metadata: What the program has noted on it.
    """

    messages: list[Msg]
    runs: list[Run]
    data: Mapping[str, Any]
    metadata: JsonObject

    def keep(self, answered: frozenset[str]) -> None:
        """Keep in the messages what their blocks and roles cannot hold, and the usage."""
        found, data = self.messages, self.data
        rest = {key: value for key, value in data.items() if key not in ("content", "metadata")}
        version = 2 if "created_at" in data else 1
        if version == 1 and isinstance(data.get("content"), str):
            rest["text"] = True
        writer = AgentScopeWriter(Report(target=TARGET), version, answered)
        for msg, (shown, items, _) in zip(found, self.runs, strict=True):
            kept: JsonObject = {"message": rest}
            msg.metadata[TARGET] = kept
            written = writer.items(msg, is_hint=shown == "hint")
            if len(written) == len(items) and (notes := keep_items(written, items)):
                kept["items"] = notes
            if shown == "hint":
                kept["hint"] = True
        for key, value in self.metadata.items():
            found[0].metadata.setdefault(key, value)
        note_usage(found, data.get("usage"))


def note_usage(messages: Sequence[Msg], usage: Any) -> None:
    """Note the usage of theirs on the last answer, unless a note of ours has told it.

    Args:
        messages: The messages that one of theirs became.
        usage: Its usage; anything else tells none.
    """
    said = [msg for msg in messages if msg.role == "assistant"]
    if not isinstance(usage, Mapping) or not said:
        return
    if said[-1]._metadata and "usage" in said[-1].metadata:
        return
    figures = {ours: usage.get(name) for name, ours in USAGE}
    known: dict[str, Any] = {key: value for key, value in figures.items() if value}
    if known and all(type(value) is int for value in known.values()):
        AnswerNotes(Usage(**known)).note_on(said[-1])
