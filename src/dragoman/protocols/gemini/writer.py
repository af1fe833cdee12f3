"""Seated messages as `contents`: `{"role": "user" | "model", "parts": [...]}`.

A result is said by the user, under the name of the call that it answers. Nothing is decided here
that a capability could decide before.
"""

from __future__ import annotations

from typing import Any, assert_never

from ...capabilities import Capabilities
from ...errors import WriteError
from ...jsontext import JsonObject
from ...losses import Report
from ...message import (
    AudioBlock,
    DocumentBlock,
    ImageBlock,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    VideoBlock,
)
from ...message.blocks import ContentBlock
from ...seats import ASSISTANT, SYSTEM, Seated
from ...shapes import own_extras, result_text
from .dialect import Dialect
from .media import media_part
from .pairing import is_made
from .spelling import Keys, added, keys

__all__ = ["contents", "system"]

_ROLES = ("user", "user", "model", "user")
# Docs "Thought signatures": base64 of `skip_thought_signature_validator`, which stands for the
# signature of a call that no model of Gemini's made.
_BYPASS = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="


# one loop by design: a call for each message costs a tenth of what is said here
def contents(  # noqa: C901, PLR0912, PLR0915
    seated: Seated, can: Capabilities, dialect: Dialect, report: Report, start: int = 0
) -> list[JsonObject]:
    """One content for each message from `start` on; the user says what the system says there."""
    writer = _Writer(can, dialect, report)
    msgs, seats, marks = seated.msgs, seated.seats, seated.marks()
    if start:
        msgs, seats, marks = msgs[start:], seats[start:], marks[start:]
    # The API asks it of the current turn; but what was written must not change behind it.
    signs = can.foreign_calls == "bypass" and bool(seated.calls)
    said, waiting, ours = writer.parts, writer.waiting, writer.ours
    call, result, signature = writer.call, writer.result, writer.keys.signature
    unsigned: list[ToolUseBlock] = []
    out: list[JsonObject] = []
    for m, seat, odd in zip(msgs, seats, marks, strict=True):
        content: Any = m.content
        if type(content) is str:
            parts = [{"text": content}]
            if seat != SYSTEM and not odd:  # most of a conversation
                out.append({"role": _ROLES[seat], "parts": parts})
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
                out.append({"role": _ROLES[seat], "parts": parts})
                continue
        if signs and seat == ASSISTANT:
            if writer.sign(parts):
                unsigned.append(m.calls[0])
        elif seat == SYSTEM:
            report.lost("system.as_user", m)
            if dialect.joined_system:
                parts = _joined(parts)
        if parts:
            made: JsonObject = {"role": _ROLES[seat], "parts": parts}
            out.append(
                made if not odd or m.extras is None else added(made, own_extras(m, can), dialect)
            )
    if unsigned:
        report.each("call.bypass", [(one, "", "") for one in unsigned])
    return out


def system(
    seated: Seated, can: Capabilities, dialect: Dialect, report: Report, end: int
) -> JsonObject:
    """The messages before `end`, all text, as the system instruction; empty if they say nothing."""
    said: list[JsonObject] = []
    made: JsonObject = {"parts": said}
    for m in seated.msgs[:end]:
        if type(m.content) is str and m.content and m.extras is None:
            said.append({"text": m.content})
            continue
        blocks = m.blocks
        for block, part in zip(blocks, _Writer(can, dialect, report).parts(blocks), strict=True):
            if part["text"]:
                said.append(part)
            else:
                report.lost("text.blank", m if isinstance(m.content, str) else block)
        if m.extras is not None:
            made = added(made, own_extras(m, can), dialect)
    return made if said else {}


def _joined(parts: list[JsonObject]) -> list[JsonObject]:
    if len(parts) < 2 or any(part.keys() != {"text"} for part in parts):
        return parts
    return [{"text": "\n".join(part["text"] for part in parts)}]


class _Writer:
    """Blocks to parts, in one dialect; remembers which calls wait for their results."""

    __slots__ = ("call", "can", "dialect", "keys", "ours", "report", "result", "waiting")

    def __init__(self, can: Capabilities, dialect: Dialect, report: Report) -> None:
        self.can = can
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
