"""Converts the messages of a request to and from the steps of `input`.

A message of the model's holds several steps, one of the user's is one step. The input may also be a
text, one content or a list of contents, each of which is one turn of the user's.

Reference: google-genai 3.4, `CreateModelInteraction.input`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, assert_never

from ...capabilities import Capabilities
from ...errors import WriteError
from ...history.passes.survey import ASSISTANT, SYSTEM, TOOL, RoledHistory
from ...losses import Report
from ...message import ContentBlock, Msg, Origin, RawBlock, RefusalBlock, Role, TextBlock
from ...message.blocks import MediaBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock
from ...text.json_text import Json, JsonObject
from ..base import Room
from ..chat_like.messages import are_objects, own_extras
from . import blocks as wire_blocks
from .blocks import NESTED, OUTPUT
from .dialect import CONTENTS, SERVER_STEPS

TOP = "top string"  # the spelling of a system prompt that was in `system_instruction`
_EMPTY = "empty"  # the spelling of a turn without contents
_USER, _RESULT = "user_input", "function_result"
_RUNS = SERVER_STEPS | {OUTPUT, "thought", "function_call"}
_DETAILS = frozenset({"low", "medium", "high", "ultra_high"})  # google-genai, MediaResolution


def read_input(value: Json, issuer: str, model: str | None) -> tuple[list[Msg], str] | None:
    """Read the messages of an input, and its form: `steps`, `string`, `content` or `contents`.

    Returns:
        None for anything that is no input.
    """
    if isinstance(value, str):
        return [Msg.create_unchecked("", value, "user")], "string"
    items = [value] if isinstance(value, dict) else value
    if not isinstance(items, list):
        return None
    if are_objects(items) and all(map(_is_content, items)):
        m = Msg.create_unchecked(
            "", [wire_blocks.read_content(item, issuer) for item in items], "user"
        )
        m.read_from = value
        return [m], "contents" if isinstance(value, list) else "content"
    if isinstance(value, dict):
        return None
    return _read_steps(items, issuer, Origin(issuer, model)), "steps"


def _is_content(item: JsonObject) -> bool:
    kind = item.get("type")
    return isinstance(kind, str) and kind in CONTENTS


def _read_steps(steps: list[Any], issuer: str, origin: Origin) -> list[Msg]:
    msgs: list[Msg] = []
    run: tuple[Role, list[ContentBlock]] | None = None  # the message that may continue
    for step in steps:
        kind = step.get("type") if isinstance(step, dict) else None
        if kind == _RESULT or (isinstance(kind, str) and kind in _RUNS):
            role: Role = "tool" if kind == _RESULT else "assistant"
            blocks = wire_blocks.read_step(step, issuer)
            for block in blocks:
                if type(block) is ThinkingBlock:
                    block.origin = origin
            if run is not None and run[0] == role:
                run[1].extend(blocks)
                continue
            run = role, blocks
            m = Msg.create_unchecked("", blocks, role)
        else:
            run = None
            m = _read_turn(step, issuer) if kind == _USER else _keep_unknown_step(step, issuer)
        m.read_from = step
        msgs.append(m)
    return msgs


def _keep_unknown_step(step: Json, issuer: str) -> Msg:
    """Return a step of an unknown type unchanged."""
    block = RawBlock(issuer, step, "message", by="client")
    block.read_from = step
    return Msg.create_unchecked("", [block], "user")


def _read_turn(step: JsonObject, issuer: str) -> Msg:
    """Read a `user_input`; some clients put the results of functions into it."""
    content = step.get("content")
    modeled: tuple[str, ...] = ("type", "content")
    blocks: list[ContentBlock] = []
    if isinstance(content, list):
        for data in content:
            if isinstance(data, dict) and data.get("type") == _RESULT:
                block: ContentBlock = wire_blocks.read_result(data, issuer)
                wire_blocks.add_note(block, NESTED)
            else:
                block = wire_blocks.read_content(data, issuer)
            blocks.append(block)
    else:
        modeled = modeled[:1]  # what is no content stays among the other fields
    m = Msg.create_unchecked("", blocks, "user")
    m.spelling = None if len(modeled) > 1 else _EMPTY
    if extras := {key: value for key, value in step.items() if key not in modeled}:
        m.extras = {issuer: extras}
    return m


def messages_as_read(room: Room, msgs: Sequence[Msg]) -> list[Json]:
    """Return the steps that `read_input` read the messages from."""
    return [step for m in msgs for step in _steps_as_read(m, room.issuer)]


def _steps_as_read(m: Msg, issuer: str) -> list[Json]:
    blocks: Any = m.content
    if isinstance(blocks, str):
        blocks = m.blocks
    lone = blocks[0] if len(blocks) == 1 else None
    if type(lone) is RawBlock and lone.role == "message":
        return [lone.data]
    if m.role in ("assistant", "tool"):
        return wire_blocks.steps_as_read(blocks, issuer)
    step: JsonObject = {"type": _USER}
    if m.spelling != _EMPTY:
        step["content"] = [
            wire_blocks.result_as_read(block, issuer)
            if type(block) is ToolResultBlock
            else wire_blocks.content_as_read(block, issuer)
            for block in blocks
        ]
    return [{**step, **(m.extras or {}).get(issuer, {})}]


def input_as_read(elements: list[Json], form: str) -> Json:
    """Return the input in the form that it was read in, if its steps are still one turn."""
    first = elements[0] if len(elements) == 1 else None
    if not isinstance(first, dict) or first.keys() != {"type", "content"} or form == "steps":
        return elements
    content = first["content"]
    if first["type"] != _USER or not isinstance(content, list):
        return elements
    if form == "contents":
        return content or elements
    if len(content) != 1:
        return elements
    if form == "content":
        return content[0]
    text = content[0].get("text") if isinstance(content[0], dict) else None
    is_text = isinstance(text, str) and content[0] == {"type": "text", "text": text}
    return text if is_text else elements


def write_messages(
    room: Room, history: RoledHistory, caps: Capabilities, report: Report
) -> list[JsonObject]:
    """Write the list that `format` returns, with the system prompt as a message of the user."""
    return StepWriter(history, caps, report).write()


def write_system(history: RoledHistory, alone: bool, report: Report) -> tuple[str, int]:
    """Return the system prompt as one text, and the number of its messages.

    The prompt is the system's messages at the start, as long as they hold only texts. It is never
    the whole request, unless the history is the prompt `alone`.
    """
    texts: list[str] = []
    end = 0
    msgs = history.msgs if alone else history.msgs[:-1]
    for m, role in zip(msgs, history.roles, strict=False):
        if role != SYSTEM or any(type(block) is not TextBlock for block in m.blocks):
            break
        end += 1
        for block in m.blocks:
            text = block.text if type(block) is TextBlock else ""
            if text.strip():
                texts.append(text)
            else:
                report.add_loss("text.blank", m if isinstance(m.content, str) else block)
    return "\n\n".join(texts), end


class StepWriter:
    """Writes messages one after the other as steps."""

    def __init__(self, history: RoledHistory, caps: Capabilities, report: Report) -> None:
        self.steps: list[JsonObject] = []
        self.caps = caps
        self.report = report
        self.history = history
        self._content: list[JsonObject] = []  # of the open step
        self._fields: JsonObject = {}  # its own fields

    def write(self, start: int = 0) -> list[JsonObject]:
        """Write the steps of the messages from `start` on."""
        rows = zip(self.history.msgs[start:], self.history.roles[start:], strict=True)
        for m, role in rows:
            first = len(self.steps)
            kind = OUTPUT if role == ASSISTANT else _USER
            if m.extras is not None and role not in (TOOL, ASSISTANT):
                self._fields = dict(own_extras(m, self.caps))
            for block in m.blocks:
                self._block(block, kind)
            self._close(kind)
            if m.extras is not None and (role in (TOOL, ASSISTANT) or len(self.steps) == first):
                self._report_unplaced(m)
        return self.steps

    def _report_unplaced(self, m: Msg) -> None:
        """Report own fields of a message that is no step by itself."""
        for issuer, extras in (m.extras or {}).items():
            for name in extras if issuer in self.caps.reads else ():
                self.report.add_loss("extras.unsupported", m, f"extras.{issuer}.{name}", what=name)

    def _close(self, kind: str) -> None:
        """End the step whose contents are being collected, if there is one."""
        content, fields = self._content, self._fields
        self._content, self._fields = [], {}
        if content:
            self.steps.append({"type": kind, "content": content, **fields})

    def _block(self, block: ContentBlock, kind: str) -> None:
        if type(block) is TextBlock or isinstance(block, MediaBlock):
            self._add_content(block, kind)
            return
        if type(block) is RawBlock and wire_blocks.is_content(block):
            self._add_content(block, kind)
            return
        self._close(kind)
        if type(block) is ThinkingBlock:
            self._step(wire_blocks.write_thought(block), block)
        elif type(block) is ToolUseBlock:
            if block.cache is not None:
                self.report.add_loss("cache.unsupported", block, "cache")
            self._step(wire_blocks.write_call(block), block)
        elif type(block) is ToolResultBlock:
            self._step(wire_blocks.write_result(block, self._output(block)), block)
        elif type(block) is RawBlock:
            self.steps.append(block.data)
        elif type(block) is RefusalBlock:
            raise WriteError("a refusal is no step", code="placement.unsupported")
        else:
            assert_never(block)

    def _step(self, step: JsonObject, block: ContentBlock) -> None:
        if block.extras is not None:
            step.update(own_extras(block, self.caps))
        self.steps.append(step)

    def _output(self, block: ToolResultBlock) -> Json:
        """Write the output of a result; one plain text is a string."""
        output: Any = block.output
        if not isinstance(output, list):
            return "" if output is None else output
        contents = [self._write(part) for part in output]
        if len(contents) == 1 and contents[0].keys() == {"type", "text"}:
            return contents[0]["text"]
        return contents or ""

    def _add_content(self, block: ContentBlock, kind: str) -> None:
        content = self._write(block)
        fields = content.pop(OUTPUT, None) if type(block) is not RawBlock else None
        if isinstance(fields, dict):  # a step's own fields mark where it begins
            self._close(kind)
            self._fields = fields
        self._content.append(content)

    def _write(self, block: ContentBlock) -> JsonObject:
        """Write one content with its own fields."""
        if type(block) is RawBlock and isinstance(block.data, dict):
            return block.data
        data = wire_blocks.write_content(block)
        if "resolution" in data and (block.type == "audio" or data["resolution"] not in _DETAILS):
            self.report.add_loss("media.detail", block, "detail", what=data.pop("resolution"))
        if block.extras is not None:
            data.update(own_extras(block, self.caps))
        if type(block) is TextBlock and block.citations and "annotations" not in data:
            self._cite(data, block)
        return data

    def _cite(self, data: JsonObject, block: TextBlock) -> None:
        reads = self.caps.reads
        entries = [
            wire_blocks.write_citation(citation, block.text, reads)
            for citation in block.citations or ()
        ]
        if writable := [entry for entry in entries if entry is not None]:
            data["annotations"] = writable
        if None in entries:
            self.report.add_loss("citations.unsupported", block, "citations")
