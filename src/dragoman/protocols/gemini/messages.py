"""Messages as entries of `contents`, and the system instruction.

Calls of a request may have no id: results answer them by name, in order. In the tree every call has
an id; those that are generated here are never sent.

Reference: Gemini API, "Content" and "Function calling": an id is on both sides or on neither.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any, Self, assert_never

from ...capabilities import Capabilities
from ...errors import WriteError
from ...history.passes.survey import ASSISTANT, SYSTEM, RoledHistory
from ...losses import Report
from ...message import ChatRequest, Msg, Origin, RawBlock, RefusalBlock, TextBlock, ThinkingBlock
from ...message.blocks import ContentBlock, MediaBlock, ToolResultBlock, ToolUseBlock
from ...message.msg import Role
from ...stream.arguments import MADE
from ...text.json_text import Json, JsonObject
from ..base import Room
from ..chat_like.messages import is_plain, no_message, own_extras, result_text, without
from .blocks import (
    TEXT,
    listed_calls,
    read_request_part,
    write_call,
    write_media,
    write_part,
    write_text,
)
from .dialect import WriteTarget, merge_fields, read_keys, spell_keys


class ContentReading:
    """The contents of a request as they are read.

    Calls that have no id get one, and so do the results that answer them by name.

    Args:
        issuer: The issuer of extra fields.
        origin: The model that wrote them.

    Attributes:
        msgs: What was read so far.
    """

    __slots__ = (
        "_answered",
        "_ids",
        "_issuer",
        "_made",
        "_numbered",
        "_origin",
        "_waiting",
        "msgs",
    )

    def __init__(self, issuer: str, origin: Origin) -> None:
        self.msgs: list[Msg] = []
        self._issuer = issuer
        self._origin = origin
        self._ids: set[str] = set()  # of calls, as they came
        self._made: set[str] = set()  # ids that were generated here
        self._numbered = 0  # the number in the last one
        self._waiting: list[ToolUseBlock] = []
        self._answered = False

    def copy(self) -> Self | None:
        """A copy that reads on for itself."""
        copy = type(self)(self._issuer, self._origin)
        copy.msgs += self.msgs
        copy._ids |= self._ids
        copy._made |= self._made
        copy._numbered, copy._answered = self._numbered, self._answered
        copy._waiting += self._waiting
        return copy

    def feed(self, elements: Sequence[Json]) -> bool:
        """Read the next contents.

        Returns:
            Whether none of their calls has an id that was generated for an earlier one.
        """
        msgs = [read_content(entry, self._issuer, self._origin) for entry in elements]
        self.msgs += msgs
        contents = [m.content for m in msgs if type(m.content) is not str]
        blocks: list[Any] = [block for content in contents for block in content]
        ids = {block.id for block in blocks if type(block) is ToolUseBlock}
        if not self._made.isdisjoint(ids):
            return False
        self._ids |= ids
        for block in blocks:
            if type(block) is ToolUseBlock:
                if self._answered:  # calls without a result by now will not get one
                    self._waiting, self._answered = [], False
                if not block.id:
                    _set_id(block, self._new_id())
                self._waiting.append(block)
            elif type(block) is ToolResultBlock:
                self._answered = True
                if (call := _answered_call(block, self._waiting)) is not None:
                    self._waiting = [other for other in self._waiting if other is not call]
                    if not block.id:
                        _set_id(block, call.id)
        return True

    def _new_id(self) -> str:
        """The next id that no call has."""
        numbers = count(self._numbered + 1)
        self._numbered = next(n for n in numbers if f"call_{n}" not in self._ids)
        id = f"call_{self._numbered}"
        self._made.add(id)
        return id


def _answered_call(block: ToolResultBlock, waiting: list[ToolUseBlock]) -> ToolUseBlock | None:
    if block.id:
        return next((call for call in waiting if call.id == block.id), None)
    same_name = (call for call in waiting if call.name == block.name)
    return next(same_name, waiting[0] if waiting and not block.name else None)


def _set_id(block: ToolUseBlock | ToolResultBlock, id: str) -> None:
    block.id = id
    block.spelling = f"{MADE} {block.spelling}" if block.spelling else MADE


_ROLES: dict[Any, Role] = {"user": "user", "model": "assistant"}
_RESULT_ROLES = ("function", "tool")  # roles of results before they were the user's
_SYSTEM_ROLES = ("user", "model", "system")  # roles of a system instruction


# The notes in the spelling of a message:
_ABSENT = "absent"  # no readable parts
_LONE = "lone"  # the only part is given without the usual list
_NO_ROLE = "unsaid"
_LIST, _PART = "list", "part"  # a system instruction that is a list of parts, or one part
_STRING = "string"  # a whole content that is only a text
_LISTED = "listed="  # how many of the last calls are in `function_calls`


def read_content(data: Json, issuer: str, origin: Origin) -> Msg:
    """Read one entry of `contents`; one without a known role is kept unchanged."""
    if isinstance(data, str):
        return _message(data, "user", [_STRING], {}, issuer)
    role = data.get("role") if isinstance(data, dict) else 0
    if not (role is None or role in (*_ROLES, *_RESULT_ROLES)):
        return no_message(data, issuer)
    assert isinstance(data, dict)  # only an object has a role
    if len(data) == 2 and role in _ROLES and isinstance(data.get("parts"), list):
        return Msg.create_unchecked("", _read_parts(data["parts"], issuer, origin), _ROLES[role])
    fields, key_notes = read_keys(data)
    fields = without(fields, "role")
    content, notes = _take_parts(fields, issuer, origin)
    notes += key_notes
    if role == "model" and (calls := listed_calls(fields)):
        content = [TextBlock(content)] if type(content) is str else content
        content = [*content, *(read_request_part(call, issuer) for call in calls)]
        notes.append(f"{_LISTED}{len(calls)}")
        fields = without(fields, "functionCalls")
    msg_role: Role = _ROLES.get(role, "user")
    if role is None and "role" not in data:
        notes.append(_NO_ROLE)
    elif role in _RESULT_ROLES:
        notes.append(role)
        if content and all(type(block) is ToolResultBlock for block in content):
            msg_role = "tool"
    return _message(content, msg_role, notes, fields, issuer)


def read_system(data: Json, issuer: str, origin: Origin) -> Msg | None:
    """Read the system instruction; None if it is empty, or is none."""
    notes: list[str] = []
    fields: JsonObject = {}
    content: str | list[ContentBlock] = ""
    if isinstance(data, str):
        content, notes = data, [_STRING]
    elif isinstance(data, list):
        content, notes = _read_parts(data, issuer, origin), [_LIST]
    elif isinstance(data, dict) and "parts" not in data and isinstance(data.get("text"), str):
        content, notes = _read_parts([data], issuer, origin), [_PART]
    elif isinstance(data, dict):
        data, key_notes = read_keys(data)
        fields = dict(data)
        content, notes = _take_parts(fields, issuer, origin)
        if fields.get("role") in _SYSTEM_ROLES:  # the role has no effect
            notes.append(fields.pop("role"))
        notes += key_notes
    return _message(content, "system", ["top", *notes], fields, issuer) if content else None


def has_prompt(req: ChatRequest) -> bool:
    """Whether the first message was read from the system instruction."""
    return bool(req.messages) and (req.messages[0].spelling or "").partition(" ")[0] == "top"


def _message(
    content: str | list[ContentBlock], role: Role, notes: list[str], fields: JsonObject, issuer: str
) -> Msg:
    m = Msg.create_unchecked("", content, role)
    m.spelling = " ".join(notes) or None
    m.extras = {issuer: fields} if fields else None
    return m


def _take_parts(
    fields: JsonObject, issuer: str, origin: Origin
) -> tuple[str | list[ContentBlock], list[str]]:
    """Take the content of `parts` out of `fields`, if its form is known; return it and notes."""
    parts = fields.get("parts")
    if not isinstance(parts, list | dict | str):
        return [], [_ABSENT]
    del fields["parts"]
    if isinstance(parts, str):
        return parts, [TEXT]
    if isinstance(parts, dict):
        return _read_parts([parts], issuer, origin), [_LONE]
    return _read_parts(parts, issuer, origin), []


def _read_parts(parts: Sequence[Json], issuer: str, origin: Origin) -> str | list[ContentBlock]:
    """Read the parts as blocks, or as a text if they are only that."""
    blocks = [read_request_part(part, issuer) for part in parts]
    for block in blocks:
        if type(block) is ThinkingBlock:
            block.origin = origin
    if len(blocks) == 1:
        block = blocks[0]
        if type(block) is TextBlock and block.spelling is None and block.extras is None:
            return block.text
    return blocks


def message_as_read(room: Room, m: Msg) -> Json:
    """Return the entry of `contents` that the message was read from."""
    content: Any = m.content
    if type(content) is not str:
        if len(content) == 1 and type(content[0]) is RawBlock and content[0].role == "message":
            return content[0].data
    elif m.spelling == _STRING:
        return content
    role = "model" if m.role == "assistant" else "user"
    if m.spelling is None and m.extras is None:
        return {"role": role, "parts": _parts_as_read(content, room.issuer)}
    notes = (m.spelling or "").split()
    if _NO_ROLE in notes:
        return _fields_as_read(m, notes, room.issuer)
    role = next((note for note in _RESULT_ROLES if note in notes), role)
    return _fields_as_read(m, notes, room.issuer, role)


def system_as_read(m: Msg, issuer: str) -> Json:
    """Return the system instruction that the message was read from."""
    notes = (m.spelling or "").split()[1:]
    if _STRING in notes:
        return m.content
    if _LIST in notes:
        return _parts_as_read(m.content, issuer)
    if _PART in notes:
        return _parts_as_read(m.content, issuer)[0]
    role = next((note for note in _SYSTEM_ROLES if note in notes), None)
    return _fields_as_read(m, notes, issuer, role)


def _fields_as_read(
    m: Msg, notes: Sequence[str], issuer: str, role: str | None = None
) -> JsonObject:
    data: JsonObject = {}
    content: Any = m.content
    if listed := [note.removeprefix(_LISTED) for note in notes if note.startswith(_LISTED)]:
        start = len(content) - int(listed[0])
        calls: list[Any] = _parts_as_read(content[start:], issuer)
        data["functionCalls"] = [call["functionCall"] for call in calls]
        content = content[0].text if TEXT in notes else content[:start]
    if TEXT in notes:
        data["parts"] = content
    elif _ABSENT not in notes:
        parts = _parts_as_read(content, issuer)
        data["parts"] = parts[0] if _LONE in notes else parts
    if role is not None:
        data["role"] = role
    if m.extras is not None:
        data.update(m.extras.get(issuer, {}))
    return spell_keys(data, notes)


def _parts_as_read(content: Any, issuer: str) -> list[Json]:
    if type(content) is str:
        return [{"text": content}]
    return [write_part(block, issuer) for block in content]


_WIRE_ROLES = ("user", "user", "model")  # results have the dialect's role


# Docs "Thought signatures": base64 of `skip_thought_signature_validator`, which replaces the
# signature of a call that was not made by a Gemini model.
_BYPASS = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="


# A single loop: a function call for each message would take a tenth of its time.
def write_messages(  # noqa: C901, PLR0912
    room: Room, history: RoledHistory, caps: Capabilities, report: Report, start: int = 0
) -> list[JsonObject]:
    """Write one content for each message from `start` on; a system prompt there is the user's."""
    target = WriteTarget(room.dialect, caps, report)
    writer = _PartWriter(target)
    # The API requires it only for the current turn; but older turns must not change later.
    signs = caps.foreign_calls == "bypass" and bool(history.calls)
    entries: list[JsonObject] = []
    waiting, wire_roles = writer.waiting, (*_WIRE_ROLES, target.dialect.result_role)
    msgs, roles, marks = history.msgs[start:], history.roles[start:], history.marks()[start:]
    for m, role, unusual in zip(msgs, roles, marks, strict=True):
        content: Any = m.content
        if type(content) is str:
            parts = [{"text": content}]
            if role != SYSTEM and m.extras is None:  # most of a conversation
                entries.append({"role": wire_roles[role], "parts": parts})
                continue
        elif unusual or len(content) > 1:
            parts = writer.parts(content, signs and role == ASSISTANT)
        else:  # one plain call or result is the usual step of an agent
            block = content[0]
            kind = type(block)
            if kind is ToolUseBlock and block.id and block.spelling is None:
                waiting.append(block)
                call = {"id": block.id, "name": block.name, "args": block.input}
                part: JsonObject = {writer.call: call}
                if signs:
                    part[writer.signature] = _BYPASS
                    writer.unsigned.append(block)
                entries.append({"role": "model", "parts": [part]})
                continue
            if kind is ToolResultBlock and block.id and waiting and waiting[0].id == block.id:
                text = block.output
                if type(text) is list and len(text) == 1:
                    text = text[0].text  # a usual result holds only texts
                first = waiting[0]
                if type(text) is str and first.name == block.name and first.spelling is None:
                    del waiting[0]
                    result = {"id": block.id, "name": block.name, "response": {"output": text}}
                    entries.append({"role": wire_roles[role], "parts": [{writer.result: result}]})
                    continue
            parts = writer.parts(content, signs and role == ASSISTANT)
        if role == SYSTEM:
            report.add_loss("system.as_user", m)
            if target.dialect.joined_system:
                parts = _join_texts(parts)
        if parts:
            entry: JsonObject = {"role": wire_roles[role], "parts": parts}
            if m.extras is not None:
                entry = merge_fields(entry, own_extras(m, caps), target.dialect)
            entries.append(entry)
    if writer.unsigned:
        report.add_losses("call.bypass", [(call, "", "") for call in writer.unsigned])
    return entries


def _join_texts(parts: list[JsonObject]) -> list[JsonObject]:
    """Join adjacent texts as lines; parts that are more than text stay as they are."""
    if len(parts) < 2 or any(part.keys() != {"text"} for part in parts):
        return parts
    return [{"text": "\n".join(part["text"] for part in parts)}]


def write_system(history: RoledHistory, target: WriteTarget, end: int) -> JsonObject:
    """Write the text messages before `end` as the system instruction; empty if they are empty."""
    parts: list[JsonObject] = []
    prompt: JsonObject = {"parts": parts}
    for m in history.msgs[:end]:
        if type(m.content) is str and m.content and m.extras is None:
            parts.append({"text": m.content})
            continue
        blocks = m.blocks
        for block, part in zip(blocks, _PartWriter(target).parts(blocks), strict=True):
            if part["text"]:
                parts.append(part)
            else:
                target.report.add_loss("text.blank", m if isinstance(m.content, str) else block)
        if m.extras is not None:
            prompt = merge_fields(prompt, own_extras(m, target.caps), target.dialect)
    return prompt if parts else {}


_PART_KEYS = {
    "camel": ("functionCall", "functionResponse", "thoughtSignature"),
    "snake": ("function_call", "function_response", "thought_signature"),
}


class _PartWriter:
    """Writes blocks as parts; keeps track of calls that wait for results, or for a signature."""

    __slots__ = ("call", "generated", "result", "signature", "target", "unsigned", "waiting")

    def __init__(self, target: WriteTarget) -> None:
        self.target = target
        self.call, self.result, self.signature = _PART_KEYS[target.dialect.case]
        self.waiting: list[ToolUseBlock] = []
        # ids of calls that came without one, and go back without it
        self.generated: set[str] = set()
        self.unsigned: list[ToolUseBlock] = []

    def parts(self, blocks: Sequence[ContentBlock], signs: bool = False) -> list[JsonObject]:
        """Write the parts of a message, without thinking that has neither text nor a signature.

        `signs`: the first call, if it has no signature, gets the one for foreign calls.
        """
        parts: list[JsonObject] = []
        for block in blocks:
            if type(block) is TextBlock:
                part: JsonObject = {"text": block.text}
            elif type(block) is ToolUseBlock:
                self.waiting.append(block)
                if block.spelling is None and block.id:  # most calls
                    call = {"id": block.id, "name": block.name, "args": block.input}
                else:
                    call = self._call(block)
                part = {self.call: call}
            elif type(block) is ToolResultBlock:
                part = {self.result: self._result(block)}
            elif type(block) is ThinkingBlock and not (block.thinking or block.extras):
                self.target.report.add_loss("text.blank", block, "thinking")
                continue
            else:
                part = self._other(block)
            if block.extras is not None:
                part = merge_fields(part, own_extras(block, self.target.caps), self.target.dialect)
            if signs and self.call in part:
                signs = False
                if type(block) is ToolUseBlock and self.signature not in part:
                    part[self.signature] = _BYPASS
                    self.unsigned.append(block)
            parts.append(part)
        return parts

    def _call(self, block: ToolUseBlock) -> JsonObject:
        if MADE not in (block.spelling or "").split():
            return write_call(block)
        self.generated.add(block.id)
        return write_call(block, (MADE,))

    def _other(self, block: ContentBlock) -> JsonObject:
        """Write the part of a block that is no text, call or result."""
        if type(block) is ThinkingBlock:
            return write_text(block)
        if isinstance(block, MediaBlock):
            return write_media(block, self.target)
        if type(block) is RawBlock and isinstance(block.data, dict):
            return dict(block.data)
        if isinstance(block, RawBlock | RefusalBlock | TextBlock | ToolUseBlock | ToolResultBlock):
            raise WriteError(f"{block.type} has no part in this role", code="placement.unsupported")
        assert_never(block)

    def _result(self, block: ToolResultBlock) -> JsonObject:
        output: Any = block.output
        name = block.name
        if self.waiting and self.waiting[0].id == block.id:
            name = self.waiting.pop(0).name
            if name != block.name:
                self.target.report.add_loss("result.name", block, "name", did=f"named {name}")
        if type(output) is list and len(output) == 1 and is_plain(output[0]):
            output = output[0].text
        media = self._media(output) if type(output) is list else []
        if type(output) is str and not block.is_error:
            response: JsonObject = {"output": output}
        elif type(output) is dict:
            is_whole = not block.is_error or "error" in output
            response = output if is_whole else {"error": output}
        else:
            text = result_text(block, self.target.dialect.bullets)
            key = "error" if block.is_error else "output"
            response = {key: text} if text or block.is_error or not media else {}
        result: JsonObject = {"id": block.id, "name": name, "response": response}
        if not block.id or block.id in self.generated:
            del result["id"]
        return {**result, "parts": media} if media else result

    def _media(self, output: list[ContentBlock]) -> list[JsonObject]:
        """Write the parts of a result beside its text."""
        parts: list[JsonObject] = []
        for block in output:
            if type(block) is not TextBlock:
                parts += self.parts([block])
            elif block.extras is not None and own_extras(block, self.target.caps):
                what = "texts of a result are one"
                self.target.report.add_loss("block.unsupported", block, "extras", did=what)
        return parts
