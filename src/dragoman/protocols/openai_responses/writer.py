"""Seated messages as the items of `input`: messages, reasoning, calls and their results.

A message becomes as many items as it says different things, in the order of its blocks. Nothing
is decided here that a capability could decide before; which ids go back is settled in `ids`.
"""

from __future__ import annotations

from itertools import islice
from typing import Any, assert_never

from ...capabilities import Capabilities
from ...errors import WriteError
from ...jsontext import JsonObject, arguments
from ...losses import Report
from ...message import (
    AudioBlock,
    DocumentBlock,
    ImageBlock,
    Msg,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    VideoBlock,
)
from ...message.blocks import ContentBlock
from ...seats import ASSISTANT, SYSTEM, TOOL, Seated
from ...shapes import arguments_of, own_extras
from .dialect import Dialect
from .ids import Ids
from .outputs import message, reasoning, told, whole
from .parts import Parts, is_part
from .results import output

__all__ = ["items"]

_ROLES = ("system", "user", "assistant", "user")
_TEXTS = ("input_text", "output_text")
_ITEM = ("id", "status", "phase")  # fields of a message item, which stand on its first block


def items(
    seated: Seated,
    can: Capabilities,
    dialect: Dialect,
    report: Report,
    *,
    stored: bool = True,
    start: int = 0,
) -> list[JsonObject]:
    """The items of the messages from `start` on. `stored`: the host keeps what it answers."""
    writer = _Writer(seated, can, dialect, report, stored)
    out = writer.out
    full = dialect.said == "full"
    strings = (dialect.text == "string", dialect.said == "string")  # of the others, of the model
    rows = zip(seated.msgs, seated.seats, seated.marks(), strict=True)
    for m, seat, odd in islice(rows, start, None) if start else rows:
        content: Any = m.content
        model = seat == ASSISTANT
        if not odd and seat != TOOL and type(content) is list and len(content) == 1:
            if type(content[0]) is ToolUseBlock:
                out.append(_call(content[0]))  # the usual turn that calls a tool
                continue
            if type(content[0]) is TextBlock:
                content = content[0].text
        if type(content) is str and not odd and not (full and model):
            said = content if strings[model] else [{"type": _TEXTS[model], "text": content}]
            role = writer.role(m, seat) if seat == SYSTEM else _ROLES[seat]
            out.append({"role": role, "content": said})
        elif seat == TOOL:
            writer.results(m)
        else:
            writer.say(m, seat)
    writer.ids.settle()
    return out


def _call(block: ToolUseBlock) -> JsonObject:
    said = arguments(block.input) if block.raw_input is None else arguments_of(block)
    return {"type": "function_call", "call_id": block.id, "name": block.name, "arguments": said}


class _Writer:
    """Writes one message after the other into `out`."""

    def __init__(
        self,
        seated: Seated,
        can: Capabilities,
        dialect: Dialect,
        report: Report,
        stored: bool,
    ) -> None:
        self.out: list[JsonObject] = []
        self.can = can
        self.dialect = dialect
        self.report = report
        self.parts = Parts(can, dialect, report)
        self.ids = Ids(self.out, seated, dialect, report, stored)
        self._open: list[JsonObject] = []  # the parts of the message item that is being made
        self._fields: JsonObject = {}  # and its own fields
        self._node: Msg | ContentBlock | None = None  # and what those stand on
        self._customs: set[Any] = set()  # ids of calls of custom tools
        self._first: JsonObject = {}  # own fields of the message that its first item takes
        self._every: JsonObject = {}  # and those of each of its message items

    def role(self, m: Msg, seat: int) -> str:
        """The role; `developer` where the host knows it."""
        if seat == SYSTEM and m.role == "developer" and self.dialect.developer:
            return "developer"
        return _ROLES[seat]

    def say(self, m: Msg, seat: int) -> None:
        """The items of a message of the system, the user or the model."""
        first, role = len(self.out), self.role(m, seat)
        if m.extras is not None:
            own = own_extras(m, self.can)
            self._every = {"phase": own.pop("phase")} if "phase" in own else {}
            self._first = own
        for block in m.blocks or [TextBlock("")]:
            self._say(block, m, role)
        self._close(m, role)
        if self._first:
            self._placed(m, first)
        if self._every:
            if not any(item.get("role") == role for item in self.out[first:]):
                self._homeless(m, self._every)
            self._every = {}
        if seat == ASSISTANT:
            self.ids.gap(m, first)

    def results(self, m: Msg) -> None:
        """One item for each result of the message."""
        first = len(self.out)
        for block in m.blocks:
            if type(block) is not ToolResultBlock:
                raise WriteError(f"{block.type} at the tools' seat", code="seat.unsaid")
            made = output(block, self.parts, self.dialect.bullets)
            if block.id in self._customs:
                made["type"] = "custom_tool_call_output"
            self._item(made, block)
        if m.extras is not None and (own := own_extras(m, self.can)):
            self._first = own
            self._placed(m, first)

    def _say(self, block: ContentBlock, m: Msg, role: str) -> None:
        if type(block) is TextBlock or type(block) is RefusalBlock:
            self._text(block, m, role)
        elif type(block) is ToolUseBlock:
            self._close(m, role)
            self.parts.unhinted(block)
            self._item(_call(block), block)
        elif type(block) is ThinkingBlock:
            self._close(m, role)
            self._think(block)
        elif (
            type(block) is ImageBlock
            or type(block) is DocumentBlock
            or type(block) is AudioBlock
            or type(block) is VideoBlock
        ):
            if role == "assistant":
                raise WriteError(f"{block.type} said by the model", code="seat.unsaid")
            self._open.append(self.parts.given(block))
        elif type(block) is RawBlock:
            if is_part(block):
                self._open.append(self.parts.given(block))
            else:
                self._close(m, role)
                self.out.append(given := self.parts.given(block))
                if given.get("type") == "custom_tool_call":
                    self._customs.add(given.get("call_id"))
        elif type(block) is ToolResultBlock:
            raise WriteError("a tool result at another seat", code="seat.unsaid")
        else:
            assert_never(block)

    def _text(self, block: TextBlock | RefusalBlock, m: Msg, role: str) -> None:
        own: JsonObject = {}
        if block.extras is not None:
            own = own_extras(block, self.can)
            if fields := {name: own.pop(name) for name in _ITEM if name in own}:
                self._close(m, role)  # where an item's own fields stand, the item begins
                self._fields, self._node = fields, block
        if role == "assistant":
            self._open.append(self.parts.said(block, own))
        elif type(block) is TextBlock:
            self._open.append(self.parts.given(block, own))
        else:
            raise WriteError("a refusal that the model did not say", code="seat.unsaid")

    def _close(self, m: Msg, role: str) -> None:
        """End the message item that is being made, if there is one."""
        if not (parts := self._open):
            return
        fields = {**self._every, **self._first, **self._fields}
        nodes = (m,) if self._node is None else (self._node, m)
        self._open, self._fields, self._node, self._first = [], {}, None, {}
        if role != "assistant":
            own = self.ids.unsaid("message", fields, nodes) if "id" in fields else fields
            self.out.append(message(role, parts, self.dialect.text == "string", own))
            return
        own = self.ids.kept("message", fields, nodes, len(self.out))
        if self.dialect.said == "full":
            self._answer(parts, own)
        elif "id" in own:
            self.out.append(whole(own["id"], parts, own))
        else:
            self.out.extend(told(parts, self.dialect.said == "string", own))

    def _answer(self, parts: list[JsonObject], own: JsonObject) -> None:
        """A whole item for each part: servers that look for those may read the first one alone."""
        for part in parts:
            self.out.append(whole(own.get("id") or self.ids.made("message"), [part], own))
            own = {name: value for name, value in own.items() if name != "id"}

    def _item(self, made: JsonObject, block: ToolUseBlock | ToolResultBlock) -> None:
        if block.extras is not None:
            own = own_extras(block, self.can)
            made.update(self.ids.kept(made["type"], own, (block,), len(self.out)))
        self.out.append(made)

    def _think(self, block: ThinkingBlock) -> None:
        """`reasoning`, unless nobody could read it: unsealed, and kept nowhere."""
        raw = self.dialect.reasoning == "raw"
        made = reasoning(block, raw)
        if block.extras is not None:
            own = own_extras(block, self.can)
            if raw and own.get("summary") and "content" not in own:
                made.pop("content", None)  # the summary is all that was told
            made.update(self.ids.kept("reasoning", own, (block,), len(self.out)))
        if not (raw or made.get("encrypted_content") or (self.ids.stored and "id" in made)):
            self.report.lost("thinking.unsigned", block)
            self.ids.dropped()
            return
        if self.dialect.said == "full" and "id" not in made:
            made["id"] = self.ids.made("reasoning")
        self.out.append(made)

    def _placed(self, m: Msg, first: int) -> None:
        """Own fields of a message that makes no message item stand on its first item."""
        own, self._first = self._first, {}
        verbatim = {id(block.data) for block in m.blocks if type(block) is RawBlock}
        for at in range(first, len(self.out)):
            item = self.out[at]
            if id(item) not in verbatim:
                item.update(self.ids.kept(item.get("type", "message"), own, (m,), at))
                return
        self._homeless(m, own)

    def _homeless(self, m: Msg, own: JsonObject) -> None:
        for issuer, fields in (m.extras or {}).items():
            for name in fields:
                if name in own:
                    self.report.lost("extras.unsaid", m, f"extras.{issuer}.{name}", what=name)
