"""Our messages to AgentScope's, in the form of 2.x or of 1.x."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version
from typing import Any

from ...errors import ConfigError
from ...losses import PolicyLike, Report
from ...message import Msg, RawBlock, ToolResultBlock
from ...text.json_text import JsonObject
from ...text.redaction import show
from ..kept import OURS, Part, note_parts, put_back
from ..results import (
    NOTED,
    Bridged,
    Said,
    as_msg,
    finish_bridge,
    load_package,
    read_notes,
    say_runs,
    take_said,
)
from .items import TARGET, AgentScopeWriter, read_item
from .reading import USAGE, list_answered, make_message, note_usage, split_items

_PACKAGE = "agentscope"


def write_messages(
    messages: Iterable[Said] | Said, *, version: int | None = None, policy: PolicyLike = "log"
) -> Bridged[Any]:
    """Write messages as `Msg`s.

    Args:
        messages: Messages and answers of a model.
        version: 1 or 2, the release whose messages these are; None is the one installed. Without
            it, the messages are objects, with it JSON that the release reads (`Msg.from_dict`,
            `Msg.model_validate`), unless it is installed.
        policy: What to do about losses.

    Returns:
        The messages, and the losses. In 2.x the results of calls stand in the message of the calls.

    Raises:
        NotMessages: Something is neither a message nor an answer.
        ConfigError: AgentScope is not installed, or there is no such version.
        LossRefused: The policy refuses a loss.
    """
    core, known = _find_release(version)
    said, report = take_said(messages, TARGET)
    spell = _spelling_of(core) if core is not None and known == 2 else None
    writer = AgentScopeWriter(report, known, list_answered(as_msg(one) for one in said), spell)
    groups: list[_Group] = []
    for one in said:
        writer.lose_fields(as_msg(one))
        for msg in _runs(one):
            group = _Group.of(msg, known)
            if groups and groups[-1].takes(group):
                groups[-1].messages += group.messages
            else:
                groups.append(group)
    found: list[Any] = [_write(writer, group) for group in groups]
    if core is not None:
        build = core.Msg.model_validate if known == 2 else core.Msg.from_dict
        pairs = zip(found, groups, strict=True)
        found = [_build(build, data, writer, group, report) for data, group in pairs]
    return finish_bridge(found, report, policy)


def _build(
    build: Callable[[Any], Any],
    data: JsonObject,
    writer: AgentScopeWriter,
    group: _Group,
    report: Report,
) -> Any:
    """Build a message; one that its types refuse without what only they could have written."""
    try:
        return build(data)
    except ValueError:  # pydantic's: JSON that was read has values of other types
        pass
    bare = _Group(group.role, group.version, {}, [])
    for msg in group.messages:
        one = Msg.create_unchecked(msg.name, msg.content, msg.role, like=msg)
        one._metadata = None
        bare.messages.append(one)
        outputs = [one.output for one in msg.blocks if isinstance(one, ToolResultBlock)]
        inner = [block for output in outputs if isinstance(output, list) for block in output]
        for block in (*msg.blocks, *inner):
            if isinstance(block, RawBlock) and block.issuer == TARGET:
                report.add_loss("block.unsupported", block)
    return build(_write(AgentScopeWriter.like(writer), bare))


def _spelling_of(core: Any) -> Callable[[str], str]:
    """Return how 2.x spells an address: its types make it anew, and refuse some."""
    return lambda url: str(core.URLSource(url=url, media_type="image/*").url)


def _find_release(version: int | None) -> tuple[Any, int]:
    """Return the module of the messages, and the version; no module for one not installed.

    Raises:
        ConfigError: The package is missing, or there is no such version.
    """
    if version not in (None, 1, 2):
        text = f"AgentScope has no messages of version {show(version)}"
        raise ConfigError(text, path="$.version", hint="1 or 2", code="bridge.version")
    try:
        installed = 2 if int(installed_version(_PACKAGE).partition(".")[0]) >= 2 else 1
    except (PackageNotFoundError, ValueError):
        installed = 0
    if version is not None and version != installed:
        return None, version
    return load_package("agentscope.message", _PACKAGE), installed


def _runs(said: Said) -> list[Msg]:
    """Split a message where results stand beside other blocks; the first has its notes."""
    msg = as_msg(said)
    whole = Msg.create_unchecked(msg.name, msg.content, msg.role, like=msg)
    whole._metadata = dict(msg._metadata or {}) or None
    if said is not msg:
        read_notes(said).note_on(whole)
    runs = say_runs(whole)
    if {kind for kind, _ in runs} != {"blocks", "result"}:
        return [whole]
    found: list[Msg] = []
    for kind, blocks in runs:
        is_result = kind == "result"
        if is_result and found and found[-1].role == "tool":
            found[-1].content = [*found[-1].blocks, *blocks]
            continue
        role: Any = "tool" if is_result else msg.role
        one = Msg.create_unchecked("" if is_result else msg.name, blocks, role, like=whole)
        if found:
            one.extras = one.cache = one._metadata = one._id = one.timestamp = None
        found.append(one)
    return found


@dataclass
class _Group:
    """Messages of ours that are one of theirs.

    Attributes:
        role: The role of theirs.
        version: The release.
        kept: What was kept of the message of theirs that they were read from.
        messages: The messages.
    """

    role: str
    version: int
    kept: Mapping[str, Any]
    messages: list[Msg] = field(default_factory=list)

    @classmethod
    def of(cls, msg: Msg, version: int) -> _Group:
        kept = msg.metadata.get(TARGET) if msg._metadata else None
        kept = kept if isinstance(kept, Mapping) else {}
        told = kept.get("message")
        told = told if isinstance(told, Mapping) else {}
        results = "assistant" if version == 2 else "system"
        role = {"tool": results, "developer": "system"}.get(msg.role, msg.role)
        return cls(str(told.get("role") or role), version, told, [msg])

    def takes(self, other: _Group) -> bool:
        """Whether the messages of another group belong into the same message of theirs."""
        if self.kept or other.kept:
            same = self.kept.get("id") is not None and self.kept.get("id") == other.kept.get("id")
            if same or other.kept:
                return same
        is_results = other.messages[0].role == "tool"
        return self.version == 2 and is_results and any(msg.calls for msg in self.messages)


def _write(writer: AgentScopeWriter, group: _Group) -> JsonObject:
    """Write a group as the JSON of one message."""
    items: list[JsonObject] = []
    parts: list[Part] = []
    metadata: JsonObject = {}
    for msg in group.messages:
        kept = msg.metadata.get(TARGET) if msg._metadata else None
        kept = kept if isinstance(kept, Mapping) else {}
        is_hint = kept.get("hint") is True and group.role == "assistant" and msg.role == "user"
        written, blocks, lost = writer.write(msg, group.role, is_hint=is_hint)
        items += put_back(written, kept.get("items"))
        parts.append((msg, blocks, lost))
        own = (msg._metadata or {}).items()
        metadata |= {key: value for key, value in own if key not in (TARGET, *NOTED)}
    first = group.messages[0]
    data: JsonObject = {"name": first.name or group.role, "role": group.role}
    for one in group.messages:
        if one.role == "assistant" and one.name:
            data["name"] = one.name
    data["content"] = items
    rest = {key: value for key, value in group.kept.items() if key not in ("name", "role", "text")}
    data |= {"id": first._id} if first._id else {}
    if first.timestamp:
        data["created_at" if writer.version == 2 else "timestamp"] = first.timestamp
    usage = next((found for m in group.messages[::-1] if (found := read_notes(m).usage)), None)
    if usage is not None and writer.version == 2:
        data["usage"] = {name: getattr(usage, ours) or 0 for name, ours in USAGE}
    data |= rest
    read = [read_item(item) for item in items]
    if all(len(blocks) == 1 for blocks in read):
        back = [make_message(data, run) for run in split_items(group.role, items, read)]
        note_usage(back, data.get("usage"))
        if (note := note_parts(parts, back)) is not None:
            metadata[OURS] = note
    if group.kept.get("text") and len(items) == 1 and set(items[0]) == {"type", "text"}:
        data["content"] = items[0]["text"]
    data["metadata"] = metadata
    return data
