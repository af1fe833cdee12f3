"""Messages of Chat Completions: read, written back as they were read, and composed.

`ChatReading` and `messages_as_read` are inverses of each other for every dialect and model.
Reference: OpenAI API, "Create chat completion", `messages`; requests of some forty clients.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any, Self

from ...capabilities import Capabilities
from ...errors import WriteError
from ...history.passes import survey
from ...history.passes.survey import ASSISTANT, SYSTEM, TOOL, RoledHistory
from ...losses import Report
from ...message import ContentBlock, Msg, Origin, RawBlock, RefusalBlock, TextBlock
from ...message.blocks import MEDIA_KINDS, ThinkingBlock, ToolResultBlock, ToolUseBlock
from ...message.known_steps import find_table
from ...message.media_urls import speech_id
from ...message.request import new_message, new_result
from ...stream.think_tags import join_think_tags
from ...text.json_text import Json, JsonObject
from ..base import Room
from ..chat_like.messages import fill_fields, is_plain, no_message, own_extras, result_text
from . import blocks as wire_blocks
from .blocks import (
    LEGACY,
    PART,
    TRANSCRIPT,
    cache_mark,
    part_as_read,
    read_usual_calls,
    write_call,
)
from .dialect import Dialect
from .thinking import is_thinking_part, read_thinking, write_thinking, write_thinking_as_read

_ROLES = ("system", "developer", "user", "assistant", "tool", "function")

_TEXT_ROLES = {"user": survey.USER, "assistant": ASSISTANT, "system": SYSTEM, "developer": SYSTEM}
_NAMED = "called"  # the name of the result comes from its call, not from its own message
_NO_ID = "nobody's"  # the result does not name the call that it answers


class ChatReading:
    """The messages of a request as they are read, and their roles while nothing in them is unusual.

    Args:
        issuer: The issuer of extra fields.
        origin: The model that wrote them, and whose thinking they hold.

    Attributes:
        msgs: What was read so far.
    """

    __slots__ = (
        "_history",
        "_issuer",
        "_legacy",
        "_names",
        "_origin",
        "_result_names",
        "_usual",
        "_waiting",
        "msgs",
    )

    def __init__(self, issuer: str, origin: Origin) -> None:
        self.msgs: list[Msg] = []
        self._issuer = issuer
        self._origin = origin
        self._history = RoledHistory(self.msgs, [])
        self._names: dict[str, str] = {}  # of the tools that were called: results seldom name them
        self._result_names: list[str] = []
        self._waiting = 0  # the number of calls whose results have not come yet
        self._usual = True
        self._legacy = False

    def copy(self) -> Self | None:
        """A copy that reads on for itself; None with calls that are paired in the end."""
        if self._legacy:
            return None
        copy = type(self)(self._issuer, self._origin)
        copy.msgs += self.msgs
        history, other = self._history, copy._history
        other.flags = history.flags
        other.roles += history.roles
        other.calls += history.calls
        other.results += history.results
        other.names += history.names
        copy._names |= self._names
        copy._result_names += self._result_names
        copy._waiting, copy._usual = self._waiting, self._usual
        return copy

    def finish(self) -> RoledHistory | None:
        """Return what a survey of the messages finds, if nothing in them is unusual."""
        if self._legacy:
            wire_blocks.pair_legacy_calls(self.msgs)
        if not self._usual:
            return None
        return survey.finish_survey(self._history, self._result_names, self._waiting)

    # one long loop on purpose, which also finds the roles: a separate survey costs a third more
    def feed(self, entries: Sequence[Json]) -> bool:  # noqa: C901, PLR0915
        """Read the next entries of `messages`. Returns True."""
        msgs, history, names, origin = self.msgs, self._history, self._names, self._origin
        message_roles, result_names = history.roles, self._result_names
        waiting, usual = self._waiting, self._usual
        for entry in entries:  # the usual shapes first: those with no other fields
            try:
                size, role, content = len(entry), entry["role"], entry["content"]
                if size == 2 and type(content) is str:
                    message_roles.append(_TEXT_ROLES[role])
                    msgs.append(new_message(content, role, origin, entry))
                    if waiting or not content or content.isspace():
                        usual = False
                    continue
            except (LookupError, TypeError):  # a field is missing, or the entry is no object
                size, role, content = 0, None, None
            if size == 3 and role == "tool" and type(content) is str:
                id = entry.get("tool_call_id")
                if type(id) is str:
                    waiting -= 1
                    if waiting:
                        usual = usual and waiting > 0
                        history.flags |= survey.PARALLEL
                    if content.isspace():
                        usual = False
                    name = names.get(id)
                    spelling = None if name is None else _NAMED
                    block = new_result(id, name or "", content, spelling, entry)
                    msgs.append(new_message([block], "tool", origin, entry))
                    message_roles.append(TOOL)
                    history.results.append(id)
                    result_names.append(name or "")
                    continue
            elif size == 3 and content is None and role == "assistant":
                calls = read_usual_calls(entry.get("tool_calls"), names, history)
                if calls:
                    if waiting:
                        usual = False
                    waiting = len(calls)
                    m = new_message(calls, "assistant", origin, entry)
                    m.spelling = "null"
                    msgs.append(m)
                    if message_roles and message_roles[-1] == ASSISTANT:
                        history.flags |= survey.FOLLOWING
                    message_roles.append(ASSISTANT)
                    continue
            usual = False
            self._legacy = self._legacy or (type(entry) is dict and LEGACY in entry)
            m = _read_message(entry, self._issuer, origin)
            m.origin = origin
            m.read_from = entry
            msgs.append(m)
            _name_results(m, names)
        self._waiting, self._usual = waiting, usual
        return True


def _name_results(m: Msg, names: dict[str, str]) -> None:
    """Store the names of a message's calls, and set the names of its results from them."""
    for block in () if isinstance(m.content, str) else m.content:
        if type(block) is ToolUseBlock:
            names[block.id] = block.name
        elif type(block) is ToolResultBlock and block.id and not block.name and block.id in names:
            block.name = names[block.id]
            block.spelling = f"{block.spelling} {_NAMED}" if block.spelling else _NAMED


def _read_message(entry: Json, issuer: str, origin: Origin) -> Msg:
    """Read one entry of `messages`; one without a known role is kept unchanged."""
    role: Any = entry.get("role") if isinstance(entry, dict) else None
    if not isinstance(role, str) or role not in _ROLES:
        return no_message(entry, issuer)
    fields = {key: value for key, value in entry.items() if key != "role"}
    name = fields.pop("name") if isinstance(fields.get("name"), str) and fields["name"] else ""
    if role in ("tool", "function"):
        block = _read_result(fields, name, role, issuer)
        block.read_from = entry
        m = Msg.create_unchecked("", [block], "tool")
        holder: Msg | ToolResultBlock = block  # results move between messages, with their fields
    else:
        is_answer = role == "assistant"
        thinking = read_thinking(fields, issuer, origin) if is_answer else []
        content, spelling = _read_content(fields, issuer, wire_blocks.read_content_part)
        calls = wire_blocks.read_calls(fields, issuer) if is_answer else []
        if isinstance(content, str) and (thinking or calls):
            content, spelling = [TextBlock(content)], "string"
        if not isinstance(content, str):
            content = [*thinking, *content, *calls]
        m = Msg.create_unchecked(name, content, role)  # type: ignore[arg-type]  # one of the roles
        m.spelling = spelling or None
        holder = m
    m.cache, key = wire_blocks.read_cache_mark(fields)
    if key:
        m.spelling = f"{m.spelling or ''} {key}"
    holder.extras = {issuer: fields} if fields else None
    return m


def _read_content(
    fields: JsonObject, issuer: str, read: Callable[[Json, str], ContentBlock]
) -> tuple[str | list[ContentBlock], str]:
    """Take the content out of the fields; return it and its spelling."""
    content = fields.get("content", ...)
    if not (content is None or isinstance(content, (str, list))):
        return [], "absent"
    del fields["content"]
    if isinstance(content, list):
        return [read(part, issuer) for part in content], "list"
    return ([], "null") if content is None else (content, "")


def _read_result(fields: JsonObject, name: str, role: str, issuer: str) -> ToolResultBlock:
    has_id = isinstance(fields.get("tool_call_id"), str)
    block = ToolResultBlock(fields.pop("tool_call_id") if has_id else "", name)
    content, spelling = _read_content(fields, issuer, wire_blocks.read_part)
    block.output = content if spelling in ("", "list") else None
    notes = [spelling, "" if has_id else _NO_ID, "" if role == "tool" else role]
    block.spelling = " ".join(filter(None, notes)) or None
    return block


def messages_as_read(room: Room, msgs: Sequence[Msg]) -> list[Json]:
    """Return the entries that `ChatReading` read the messages from."""
    issuer = room.issuer
    return [_message_as_read(m, issuer) for m in msgs]


def _message_as_read(m: Msg, issuer: str) -> Json:
    content: Any = m.content
    spelling, _, cache_key = (m.spelling or "").partition(" ")
    if type(content) is str:
        entry: JsonObject = {"role": m.role, "content": content}
    elif len(content) == 1 and type(content[0]) is RawBlock and content[0].role == "message":
        return content[0].data
    elif m.role == "tool":
        entry = _result_as_read(content[0], issuer)
    else:
        entry = {"role": m.role}
        parts = [block for block in content if not _field_as_read(block, entry, issuer)]
        if spelling == "string":
            entry["content"] = parts[0].text
        elif spelling == "list":
            entry["content"] = [part_as_read(part, issuer) for part in parts]
        elif spelling == "null":
            entry["content"] = None
    if m.name:
        entry["name"] = m.name
    if m.cache is not None:
        entry.update(cache_mark(m.cache, cache_key))
    if m.extras is not None:
        entry.update(m.extras.get(issuer, {}))
    return entry


def _result_as_read(block: ToolResultBlock, issuer: str) -> JsonObject:
    notes = (block.spelling or "").split()
    entry: JsonObject = {"role": "function" if "function" in notes else "tool"}
    if _NO_ID not in notes:
        entry["tool_call_id"] = block.id
    if block.name and _NAMED not in notes:
        entry["name"] = block.name
    output = block.output
    if isinstance(output, list):
        entry["content"] = [part_as_read(item, issuer) for item in output]
    elif "absent" not in notes:
        entry["content"] = output
    return {**entry, **(block.extras or {}).get(issuer, {})}


def _field_as_read(block: ContentBlock, entry: JsonObject, issuer: str) -> bool:
    """Put a block into the field that it was read from; False if it belongs to the content."""
    if type(block) is ToolUseBlock:
        if LEGACY in (block.spelling or ""):
            entry[LEGACY] = wire_blocks.call_as_read(block, issuer)
        elif (block.spelling or "").startswith(PART):
            return False
        else:
            entry.setdefault("tool_calls", []).append(wire_blocks.call_as_read(block, issuer))
    elif type(block) is RawBlock and block.spelling == "call":
        entry.setdefault("tool_calls", []).append(block.data)
    elif type(block) is ThinkingBlock and not is_thinking_part(block):
        write_thinking_as_read(block, entry, issuer)
    elif type(block) is RefusalBlock and block.spelling == "field":
        entry["refusal"] = block.text
    else:
        return False
    return True


_ROLE_NAMES = ("system", "user", "assistant", "tool")


def write_messages(
    room: Room, history: RoledHistory, caps: Capabilities, report: Report
) -> list[JsonObject]:
    """Write one wire message for each message; a tool result is `{"role": "tool", ...}`.

    What was written of the messages that a session remembers is not written again.
    """
    dialect: Dialect = room.dialect
    marks = history.marks() if history.unusual else bytes(len(history.msgs))
    zipped = zip(history.msgs, history.roles, marks, strict=True)
    table = find_table(report, write_messages, caps, dialect)
    if table is None:
        return _write_rows(zipped, caps, dialect)
    rows = [*zipped]
    known = table.take(
        history.msgs,
        [row[1:] for row in rows],
        lambda number, _: _write_rows(rows[number : number + 1], caps, dialect, number == 0),
        report,
        is_alone=lambda m: m.role not in ("system", "developer"),  # the first may differ
    )
    rest = _write_rows(rows[len(known) :], caps, dialect, not known)
    return [*chain.from_iterable(known), *rest]


def _write_rows(
    rows: Iterable[tuple[Msg, int, int]],
    caps: Capabilities,
    dialect: Dialect,
    is_start: bool = True,
) -> list[JsonObject]:
    """Write messages, each with its role and whether it is unusual; `is_start`: none is before."""
    entries: list[JsonObject] = []
    parts = dialect.text == "parts"
    with_names, always = caps.name_field != "never", caps.name_field == "always"
    null_content = dialect.call_content == "null" and not caps.empty_thinking
    for m, role, unusual in rows:
        content: Any = m.content
        entry: JsonObject
        if type(content) is str:
            at_top = role == SYSTEM and dialect.system_parts and is_start and not entries
            split = parts or at_top
            text: Any = [{"type": "text", "text": content}] if split else content
            entry = {"role": _ROLE_NAMES[role], "content": text}
        elif role == TOOL:
            entries += [_write_result(block, caps, dialect) for block in content]
            continue
        elif (
            null_content and not unusual and len(content) == 1 and type(content[0]) is ToolUseBlock
        ):
            call = write_call(content[0], caps)  # the usual turn that calls a tool
            entry = {"role": "assistant", "content": None, "tool_calls": [call]}
        else:
            entry = _write_blocks(m, role, caps, dialect, first=is_start and not entries)
        if with_names and m.name and (always or m.name != m.role):
            entry["name"] = m.name
        if role == SYSTEM and m.role == "developer" and dialect.developer:
            entry["role"] = "developer"
        if unusual and m.extras is not None:
            entry.update(own_extras(m, caps))
        entries.append(entry)
    return entries


def _write_blocks(
    m: Msg, role: int, caps: Capabilities, dialect: Dialect, first: bool
) -> JsonObject:
    """Write a message of blocks; content, tool calls and thinking are separate fields."""
    parts: list[JsonObject] = []
    calls: list[JsonObject] = []
    thinking: list[ThinkingBlock] = []
    blocks, spoken = _split_speech(m, role, caps)
    for block in join_think_tags(blocks) if dialect.think_tags else blocks:
        if type(block) is ToolUseBlock:
            calls.append(call := write_call(block, caps))
            if block.cache is not None:
                call.update(cache_mark(block.cache, dialect.cache_mark))
        elif type(block) is ThinkingBlock:
            thinking.append(block)
        elif type(block) is TextBlock and block.extras is None and block.cache is None:
            parts.append({"type": "text", "text": block.text})
        elif type(block) is RawBlock:
            (calls if block.role == "call" else parts).append(block.data)
        elif type(block) is ToolResultBlock:
            raise WriteError("a tool result at another seat", code="placement.unsupported")
        else:
            parts.append(_write_part(block, caps, dialect))
    entry: JsonObject = {"role": _ROLE_NAMES[role], "content": None}
    wordless = bool(calls or spoken)
    if parts or not wordless or dialect.call_content != "null":
        system_parts = first and role == SYSTEM and dialect.system_parts
        entry["content"] = parts if system_parts else _write_content(parts, wordless, dialect)
    if (dialect.call_content == "omit" or spoken) and entry["content"] is None:
        del entry["content"]
    entry.update(spoken)
    if calls:
        entry["tool_calls"] = calls
    # some vendors require the field on every turn that calls a tool
    if role == ASSISTANT and (thinking or (calls and caps.empty_thinking)):
        write_thinking(entry, thinking, caps, dialect)
    return entry


def _split_speech(
    m: Msg, role: int, caps: Capabilities
) -> tuple[Sequence[ContentBlock], JsonObject]:
    """Separate an assistant's speech, which is sent by its id: return the other blocks, and the id.

    The id replaces the transcript, too.
    """
    blocks = m.blocks
    if role == ASSISTANT and caps.speech_ids:
        ids = [speech_id(block, caps) for block in blocks if block.type == "audio"]
        if ids and ids[0] is not None:
            blocks = [b for b in blocks if b.type != "audio" and b.spelling != TRANSCRIPT]
            return blocks, {"audio": {"id": ids[0]}}
    return blocks, {}


def _write_content(parts: list[JsonObject], wordless: bool, dialect: Dialect) -> Any:
    only_texts = all(part.keys() == {"type", "text"} for part in parts)
    content: Any = parts
    if dialect.text == "joined" and only_texts:
        content = "\n".join(part["text"] for part in parts)
    elif dialect.text != "parts" and only_texts and len(parts) == 1:
        content = parts[0]["text"]
    if content or not wordless:
        return content or ("" if dialect.text != "parts" else parts)
    return "" if dialect.call_content == "empty" else None


def _write_part(block: ContentBlock, caps: Capabilities, dialect: Dialect) -> JsonObject:
    part = wire_blocks.write_part(block, dialect.audio_links)
    if block.extras is not None:
        part = fill_fields(part, own_extras(block, caps))
    hint = getattr(block, "cache", None)
    if hint is not None:
        part.update(cache_mark(hint, dialect.cache_mark))
    return part


def _write_result(block: ContentBlock, caps: Capabilities, dialect: Dialect) -> JsonObject:
    if type(block) is not ToolResultBlock:
        raise WriteError(f"{block.type} at the tools' seat", code="placement.unsupported")
    output: Any = block.output
    if type(output) is list and len(output) == 1 and is_plain(output[0]):
        output = output[0].text
    elif type(output) is not str:
        output = _write_output(block, caps, dialect)
    if dialect.result_text == "parts" and caps.cache_hints and type(output) is str:
        output = [{"type": "text", "text": output}]
    if block.cache is not None:  # the last part gets the mark, which a string cannot have
        parts = output if type(output) is list else [{"type": "text", "text": output or ""}]
        output = [*parts[:-1], {**parts[-1], **cache_mark(block.cache, dialect.cache_mark)}]
    entry: JsonObject = {"role": "tool", "tool_call_id": block.id, "content": output}
    if dialect.result_name and block.name:
        entry["name"] = block.name
    if block.extras is not None:
        entry = fill_fields(entry, own_extras(block, caps))
    return entry


def _write_output(block: ToolResultBlock, caps: Capabilities, dialect: Dialect) -> Any:
    """Write a result; several texts stay parts unless the vendor takes only strings."""
    output = block.output
    if not isinstance(output, list):
        return result_text(block, dialect.bullets)
    flat = dialect.text == "joined" or dialect.bullets
    # a string cannot hold the media that a vendor takes in results
    if flat and all(type(item) is TextBlock and item.cache is None for item in output):
        return result_text(block, dialect.bullets)
    parts: list[Json] = []
    for item in output:
        if type(item) is RawBlock and isinstance(item.data, dict):
            parts.append(item.data)
        elif type(item) is TextBlock or item.type in MEDIA_KINDS:
            parts.append(_write_part(item, caps, dialect))
        else:
            raise WriteError(f"{item.type} inside a tool result", code="placement.unsupported")
    return parts or ""
