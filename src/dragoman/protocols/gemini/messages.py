"""Calls without an id, and the results that answer them: by name, in order.

Reference: Gemini API, "Function calling": an id is on both sides or on neither. In the tree every
call has one; those that are made here never go out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, assert_never

from ..._core.jsontext import Json, JsonObject
from ..._core.passes.roles import ASSISTANT, SYSTEM, RoledHistory
from ..._core.stream.arguments import MADE
from ...capabilities import Capabilities
from ...errors import WriteError
from ...losses import Report
from ...message import (
    AudioBlock,
    DocumentBlock,
    ImageBlock,
    Msg,
    Origin,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    VideoBlock,
)
from ...message.blocks import ContentBlock
from ...message.msg import Role
from ..chat_shape import own_extras, result_text
from .blocks import TEXT, media_part, part_as_read, read_part, result_of
from .dialect import Dialect, Keys, added, keys, read_keys, spell_keys


def is_made(block: ToolUseBlock | ToolResultBlock) -> bool:
    """Whether the wire gave no id."""
    return block.spelling is not None and MADE in block.spelling.split()


def paired(msgs: Iterable[Msg]) -> None:
    """Give ids to calls of a request that have none, and to results that answer a call by name."""
    calling = [m for m in msgs if type(m.content) is not str]
    blocks = [block for m in calling for block in m.content]
    ids = {block.id for block in blocks if type(block) is ToolUseBlock}
    if not ids and not any(type(block) is ToolResultBlock for block in blocks):
        return
    count = 0
    waiting: list[ToolUseBlock] = []
    answered = False
    for m in calling:
        for block in m.content:
            if type(block) is ToolUseBlock:
                if answered:  # what nobody answered by now, nobody will
                    waiting, answered = [], False
                if not block.id:
                    count = _next(count, ids)
                    block.id = f"call_{count}"
                    _note(block)
                waiting.append(block)
            elif type(block) is ToolResultBlock:
                answered = True
                if (call := _called(block, waiting)) is not None:
                    waiting = [one for one in waiting if one is not call]
                    if not block.id:
                        block.id = call.id
                        _note(block)


def _next(count: int, ids: set[str]) -> int:
    count += 1
    while f"call_{count}" in ids:
        count += 1
    return count


def _called(block: ToolResultBlock, waiting: list[ToolUseBlock]) -> ToolUseBlock | None:
    if block.id:
        return next((call for call in waiting if call.id == block.id), None)
    named = (call for call in waiting if call.name == block.name)
    return next(named, waiting[0] if waiting and not block.name else None)


def _note(block: ToolUseBlock | ToolResultBlock) -> None:
    block.spelling = f"{MADE} {block.spelling}" if block.spelling else MADE


_ROLES: dict[Any, Role] = {"user": "user", "model": "assistant"}


_OLD = ("function", "tool")  # who said results before the user did


_SAID = ("user", "model", "system")  # roles of a system instruction


_ABSENT, _LONE, _UNSAID, _LIST, _PART = "absent", "lone", "unsaid", "list", "part"


_STRING = "string"  # the spelling of a whole content that is but a text


def read_content(told: Json, issuer: str, origin: Origin) -> Msg:
    """One entry of `contents`; what is no content of a known role is kept as it came."""
    if isinstance(told, str):
        made = Msg.trusted("", told, "user")
        made.spelling = _STRING
        return made
    role = told.get("role") if isinstance(told, dict) else 0
    if not (role is None or role in (*_ROLES, *_OLD)):
        return Msg.trusted("", [RawBlock(issuer, told, "message", by="client")], "user")
    assert isinstance(told, dict)  # what has a role
    if len(told) == 2 and role in _ROLES and isinstance(told.get("parts"), list):
        blocks = _blocks(told["parts"], issuer, origin)
        return Msg.trusted("", _plain(blocks), _ROLES[role])
    rest, words = read_keys(told)
    content, spelling = _content(rest, issuer, origin)
    rest = {key: value for key, value in rest.items() if key not in ("role", *spelling[1])}
    seat: Role = _ROLES.get(role, "user")
    if role is None and "role" not in told:
        words.append(_UNSAID)
    elif role in _OLD:
        words.append(role)
        results = isinstance(content, list) and bool(content)
        if results and all(type(one) is ToolResultBlock for one in content):
            seat = "tool"
    made = Msg.trusted("", content, seat)
    made.spelling = " ".join([*spelling[0], *words]) or None
    made.extras = {issuer: rest} if rest else None
    return made


def _content(
    told: JsonObject, issuer: str, origin: Origin
) -> tuple[str | list[ContentBlock], tuple[list[str], tuple[str, ...]]]:
    """(what is said, (how it is spelled, the key that is read by that))."""
    parts = told.get("parts")
    if isinstance(parts, list):
        return _plain(_blocks(parts, issuer, origin)), ([], ("parts",))
    if isinstance(parts, dict):
        return _plain(_blocks([parts], issuer, origin)), ([_LONE], ("parts",))
    if isinstance(parts, str):
        return parts, ([TEXT], ("parts",))
    return [], ([_ABSENT], ())


def _blocks(parts: Sequence[Json], issuer: str, origin: Origin) -> list[ContentBlock]:
    made: list[ContentBlock] = []
    for part in parts:
        block = _block(part, issuer)
        if type(block) is ThinkingBlock:
            block.origin = origin
        made.append(block)
    return made


def _block(part: Json, issuer: str) -> ContentBlock:
    if isinstance(part, dict) and ("functionResponse" in part or "function_response" in part):
        said, words = read_keys(part)
        try:
            if "functionResponse" in said and "functionCall" not in said:
                return result_of(said, words, issuer)
        except TypeError:
            return RawBlock(issuer, part, by="client")
    return read_part(part, issuer)


def _plain(blocks: list[ContentBlock]) -> str | list[ContentBlock]:
    """Text, where that is all."""
    if len(blocks) == 1:
        only = blocks[0]
        if type(only) is TextBlock and only.spelling is None and only.extras is None:
            return only.text
    return blocks


def content_as_read(m: Msg, issuer: str) -> Json:
    """The entry of `contents` that the message was read from."""
    content: Any = m.content
    spelling = m.spelling
    if type(content) is not str:
        if len(content) == 1 and type(content[0]) is RawBlock and content[0].role == "message":
            return content[0].data
    elif spelling == _STRING:
        return content
    role = "model" if m.role == "assistant" else "user"
    if spelling is None and m.extras is None:
        return {"role": role, "parts": _parts(content, issuer)}
    words = (spelling or "").split()
    made: JsonObject = _said(content, words, issuer)
    if _UNSAID not in words:
        made["role"] = next((old for old in _OLD if old in words), role)
    return spell_keys({**made, **(m.extras or {}).get(issuer, {})}, words)


def _parts(content: Any, issuer: str) -> list[Json]:
    if type(content) is str:
        return [{"text": content}]
    return [part_as_read(block, issuer) for block in content]


def _said(content: Any, words: Iterable[str], issuer: str) -> JsonObject:
    if _ABSENT in words:
        return {}
    if TEXT in words:
        return {"parts": content}
    parts = _parts(content, issuer)
    return {"parts": parts[0] if _LONE in words else parts}


def read_system(told: Json, issuer: str, origin: Origin) -> Msg | None:
    """The system instruction; None for what says nothing, or is none."""
    words: list[str] = []
    rest: JsonObject = {}
    content: str | list[ContentBlock] = ""
    if isinstance(told, str):
        content, words = told, [_STRING]
    elif isinstance(told, list):
        content, words = _plain(_blocks(told, issuer, origin)), [_LIST]
    elif isinstance(told, dict) and "parts" not in told and isinstance(told.get("text"), str):
        content, words = _plain(_blocks([told], issuer, origin)), [_PART]
    elif isinstance(told, dict):
        rest, nulls = read_keys(told)
        content, (words, read) = _content(rest, issuer, origin)
        rest = {key: value for key, value in rest.items() if key not in read}
        if rest.get("role") in _SAID:  # which nobody reads
            words.append(rest.pop("role"))
        words += nulls
    if not content:
        return None
    made = Msg.trusted("", content, "system")
    made.spelling = " ".join(["top", *words])
    made.extras = {issuer: rest} if rest else None
    return made


def system_as_read(m: Msg, issuer: str) -> Json:
    """The system instruction that the message was read from."""
    words = (m.spelling or "").split()[1:]
    if _STRING in words:
        return m.content
    if _LIST in words:
        return _parts(m.content, issuer)
    if _PART in words:
        return _parts(m.content, issuer)[0]
    made = _said(m.content, words, issuer)
    if (role := next((one for one in _SAID if one in words), None)) is not None:
        made["role"] = role
    return spell_keys({**made, **(m.extras or {}).get(issuer, {})}, words)


_WRITER_ROLES = ("user", "user", "model", "user")


# Docs "Thought signatures": base64 of `skip_thought_signature_validator`, which stands for the
# signature of a call that no model of Gemini's made.
_BYPASS = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="


# one loop by design: a call for each message costs a tenth of what is said here
def contents(  # noqa: C901, PLR0912, PLR0915
    history: RoledHistory, caps: Capabilities, dialect: Dialect, report: Report, start: int = 0
) -> list[JsonObject]:
    """One content for each message from `start` on; the user says what the system says there."""
    writer = _Writer(caps, dialect, report)
    msgs, seats, marks = history.msgs, history.seats, history.marks()
    if start:
        msgs, seats, marks = msgs[start:], seats[start:], marks[start:]
    # The API asks it of the current turn; but what was written must not change behind it.
    signs = caps.foreign_calls == "bypass" and bool(history.calls)
    said, waiting, ours = writer.parts, writer.waiting, writer.ours
    call, result, signature = writer.call, writer.result, writer.keys.signature
    unsigned: list[ToolUseBlock] = []
    out: list[JsonObject] = []
    for m, seat, odd in zip(msgs, seats, marks, strict=True):
        content: Any = m.content
        if type(content) is str:
            parts = [{"text": content}]
            if seat != SYSTEM and not odd:  # most of a conversation
                out.append({"role": _WRITER_ROLES[seat], "parts": parts})
                continue
        elif odd or len(content) > 1:
            parts = said(content)
        else:
            one = content[0]
            if type(one) is ToolUseBlock and one.id and one.spelling is None:
                waiting.append(one)
                part: JsonObject = {call: {"id": one.id, "name": one.name, "args": one.input}}
                if signs:
                    part[signature] = _BYPASS
                    unsigned.append(one)
                out.append({"role": "model", "parts": [part]})
                continue
            if type(one) is ToolResultBlock and one.id and waiting and waiting[0].id == one.id:
                text: Any = one.output
                if type(text) is list and len(text) == 1:
                    text = text[0].text  # plain results hold text alone
                if type(text) is str and waiting[0].name == one.name and one.id not in ours:
                    del waiting[0]
                    answer = {"id": one.id, "name": one.name, "response": {"output": text}}
                    out.append({"role": "user", "parts": [{result: answer}]})
                    continue
            parts = said(content)
            if seat != SYSTEM and not (signs and seat == ASSISTANT):
                out.append({"role": _WRITER_ROLES[seat], "parts": parts})
                continue
        if signs and seat == ASSISTANT:
            if writer.sign(parts):
                unsigned.append(m.calls[0])
        elif seat == SYSTEM:
            report.lost("system.as_user", m)
            if dialect.joined_system:
                parts = _joined(parts)
        if parts:
            made: JsonObject = {"role": _WRITER_ROLES[seat], "parts": parts}
            out.append(
                made if not odd or m.extras is None else added(made, own_extras(m, caps), dialect)
            )
    if unsigned:
        report.each("call.bypass", [(one, "", "") for one in unsigned])
    return out


def system(
    history: RoledHistory, caps: Capabilities, dialect: Dialect, report: Report, end: int
) -> JsonObject:
    """The messages before `end`, all text, as the system instruction; empty if they say nothing."""
    said: list[JsonObject] = []
    made: JsonObject = {"parts": said}
    for m in history.msgs[:end]:
        if type(m.content) is str and m.content and m.extras is None:
            said.append({"text": m.content})
            continue
        blocks = m.blocks
        for block, part in zip(blocks, _Writer(caps, dialect, report).parts(blocks), strict=True):
            if part["text"]:
                said.append(part)
            else:
                report.lost("text.blank", m if isinstance(m.content, str) else block)
        if m.extras is not None:
            made = added(made, own_extras(m, caps), dialect)
    return made if said else {}


def _joined(parts: list[JsonObject]) -> list[JsonObject]:
    if len(parts) < 2 or any(part.keys() != {"text"} for part in parts):
        return parts
    return [{"text": "\n".join(part["text"] for part in parts)}]


class _Writer:
    """Blocks to parts, in one dialect; remembers which calls wait for their results."""

    __slots__ = ("call", "can", "dialect", "keys", "ours", "report", "result", "waiting")

    def __init__(self, caps: Capabilities, dialect: Dialect, report: Report) -> None:
        self.can = caps
        self.dialect = dialect
        self.report = report
        self.keys: Keys = keys(dialect)
        self.call = self.keys.call
        self.result = self.keys.result
        self.waiting: list[ToolUseBlock] = []
        self.ours: set[str] = set()  # ids of calls that came without one: they go back so

    def parts(self, blocks: list[ContentBlock]) -> list[JsonObject]:
        """The parts of a message; a thought without a word or a signature is none."""
        parts: list[JsonObject] = []
        for block in blocks:
            if type(block) is TextBlock:
                made: JsonObject = {"text": block.text}
            elif type(block) is ToolUseBlock:
                self.waiting.append(block)
                said = {"id": block.id, "name": block.name, "args": block.input}
                if is_made(block):
                    self.ours.add(block.id)
                if not block.id or is_made(block):
                    del said["id"]
                made = {self.call: said}
            elif type(block) is ToolResultBlock:
                made = {self.result: self._result(block)}
            elif type(block) is ThinkingBlock and not (block.thinking or block.extras):
                self.report.lost("text.blank", block, "thinking")
                continue
            else:
                made = self._other(block)
            if block.extras is not None:
                made = added(made, own_extras(block, self.can), self.dialect)
            parts.append(made)
        return parts

    def _other(self, block: ContentBlock) -> JsonObject:
        """What is said less often than text, calls and results."""
        if type(block) is ThinkingBlock:
            return {"text": block.thinking, "thought": True}
        if (
            type(block) is ImageBlock
            or type(block) is AudioBlock
            or type(block) is VideoBlock
            or type(block) is DocumentBlock
        ):
            return media_part(block, self.can, self.dialect, self.report)
        if type(block) is RawBlock and isinstance(block.data, dict):
            return dict(block.data)
        if (
            type(block) is RawBlock
            or type(block) is RefusalBlock
            or type(block) is TextBlock
            or type(block) is ToolUseBlock
            or type(block) is ToolResultBlock
        ):
            raise WriteError(f"{block.type} has no part at this seat", code="seat.unsaid")
        assert_never(block)

    def _result(self, block: ToolResultBlock) -> JsonObject:
        """`{"id", "name", "response", "parts"}`."""
        waiting, name, output = self.waiting, block.name, block.output
        if waiting and waiting[0].id == block.id:
            called = waiting.pop(0).name
            if called != name:
                name = called
                self.report.lost("result.name", block, "name", did=f"named {name}")
        if type(output) is list and len(output) == 1:
            only = output[0]
            if type(only) is TextBlock and only.extras is None:
                output = only.text
        if type(output) is str and not block.is_error:
            said: JsonObject = {"id": block.id, "name": name, "response": {"output": output}}
        else:
            shown = self._shown(output) if isinstance(output, list) else []
            said = {"id": block.id, "name": name, "response": self._response(block, bool(shown))}
            if shown:
                said["parts"] = shown
        if not block.id or block.id in self.ours:
            del said["id"]
        return said

    def _response(self, block: ToolResultBlock, shown: bool) -> JsonObject:
        """An object as it is; text under `output`, or under `error` if the tool failed."""
        output = block.output
        if isinstance(output, dict):
            return {"error": output} if block.is_error and "error" not in output else output
        text = result_text(block, self.dialect.bullets)
        if block.is_error:
            return {"error": text}
        return {"output": text} if text or not shown else {}

    def _shown(self, output: list[ContentBlock]) -> list[JsonObject]:
        """What a result shows beside its text."""
        made: list[JsonObject] = []
        for inner in output:
            if type(inner) is not TextBlock:
                made.extend(self.parts([inner]))
            elif inner.extras is not None and own_extras(inner, self.can):
                self.report.lost("block.unsaid", inner, "extras", did="texts of a result are one")
        return made

    def sign(self, parts: list[JsonObject]) -> bool:
        """Whether the first call of a step had no signature, and has got that of foreign calls."""
        first = next((part for part in parts if self.call in part), None)
        if first is None or self.keys.signature in first:
            return False
        first[self.keys.signature] = _BYPASS
        return True
