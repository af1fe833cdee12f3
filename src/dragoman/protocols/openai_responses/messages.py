"""Converts the messages of a request to and from the items of `input`.

Reference: OpenAI API, "Create a model response", `input`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import Any, Self, assert_never

from ...capabilities import Capabilities
from ...errors import WriteError
from ...history.passes.survey import ASSISTANT, SYSTEM, TOOL, RoledHistory
from ...losses import Report
from ...message import (
    ContentBlock,
    ImageBlock,
    Msg,
    Origin,
    RawBlock,
    RefusalBlock,
    Role,
    TextBlock,
)
from ...message.blocks import MediaBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock, name_answers
from ...message.media_urls import is_drawing
from ...text.json_text import Json, JsonObject, arguments
from ..base import Room
from ..chat_like.messages import are_objects, is_plain, own_extras, result_text, write_arguments
from . import blocks as wire_blocks
from . import composed_items
from .dialect import Dialect
from .item_ids import ItemIds
from .raw_items import CLIENT_OUTPUTS, ClientItems, drawing_as_read, raw_item

_READ_ROLES: dict[str, Role] = {"user": "user", "system": "system", "developer": "developer"}
_WRITTEN_ROLES = ("system", "user", "assistant", "user")
_TEXT_TYPES = ("input_text", "output_text")

# the types of items, besides calls and outputs, that share one message with others
_RUNS = frozenset(
    {
        "reasoning",
        "program",
        "mcp_list_tools",
        "mcp_approval_request",
        "compaction",
        "item_reference",
        "mcp_approval_response",
    }
)
_OF_THE_HOST = re.compile("_call$|_output$|:")  # `acme:search`: Open Responses, "Extending Items"

_DETAILS = {
    "image": frozenset({"low", "high", "auto", "original"}),
    "document": frozenset({"low", "high", "auto"}),
}

# The API recognises the type of a file by its name, which bytes must have.
_ENDINGS = {
    "application/pdf": "pdf",
    "application/json": "json",
    "application/xml": "xml",
    "application/rtf": "rtf",
    "application/msword": "doc",
    "application/vnd.ms-excel": "xls",
    "application/vnd.ms-powerpoint": "ppt",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
    "text/markdown": "md",
    "text/html": "html",
    "text/csv": "csv",
    "text/xml": "xml",
}


class InputReading:
    """The items of `input` as they are read; one message may hold several of them.

    Args:
        dialect: What the host has.
        model: The model that wrote the thinking in them.

    Attributes:
        msgs: What was read so far.
    """

    __slots__ = ("_blocks", "_callers", "_dialect", "_origin", "msgs")

    def __init__(self, dialect: Dialect, model: str | None) -> None:
        self.msgs: list[Msg] = []
        self._dialect = dialect
        self._origin = Origin(dialect.reads_items_of[0], model)
        # id of a call -> who runs it, known once the call was read
        self._callers: dict[str, str] = {}
        self._blocks: list[ContentBlock] | None = None  # of the last message, if it may go on

    def copy(self) -> Self | None:
        """A copy that reads on for itself."""
        copy = type(self)(self._dialect, None)
        copy._origin = self._origin
        copy._callers |= self._callers
        copy.msgs += self.msgs
        if self._blocks is not None:
            copy._blocks = [*self._blocks]
            last = self.msgs[-1]
            copy.msgs[-1] = m = Msg.create_unchecked("", copy._blocks, last.role)
            m.read_from = last.read_from
        return copy

    def finish(self) -> list[Msg]:
        """Return all messages."""
        self._close()
        return self.msgs

    def feed(self, items: Sequence[Any]) -> bool:
        """Read the next items, except those that bring tools. Returns True."""
        msgs, origin = self.msgs, self._origin
        issuer, raw = self._dialect.reads_items_of[0], self._dialect.raw
        for item in items:
            if brings_tools(item):
                continue
            if (m := _single_message(item, issuer)) is not None:
                self._close()
            else:
                role, item_blocks = _item_blocks(item, issuer, raw, self._callers)
                for block in item_blocks:
                    if type(block) is ThinkingBlock:
                        block.origin = origin
                if self._blocks is not None and msgs[-1].role == role:
                    self._blocks.extend(item_blocks)
                    continue
                self._close()
                self._blocks = item_blocks
                m = Msg.create_unchecked("", item_blocks, role)
            m.read_from = item
            msgs.append(m)
        return True

    def _close(self) -> None:
        """End the last message."""
        if self._blocks is not None:
            _use_plain_text(self.msgs[-1])
            self._blocks = None


def brings_tools(item: Any) -> bool:
    """Whether an item is no part of the history, but brings tools: Codex with deferred ones."""
    return (
        isinstance(item, dict)
        and item.get("type") == "additional_tools"
        and are_objects(item.get("tools"))
    )


def _item_blocks(
    item: JsonObject, issuer: str, raw: bool, callers: dict[str, str]
) -> tuple[Role, list[ContentBlock]]:
    """Read an item: return the role of the message that it belongs to, and its blocks."""
    kind = item.get("type", "message")
    if kind in ("function_call_output", "custom_tool_call_output"):
        return "tool", [wire_blocks.read_result(item, issuer)]
    if kind.endswith("_output") or kind == "mcp_approval_response":
        result = raw_item(item, issuer)
        caller = callers.get(result.pair or "")
        if kind == "mcp_approval_response":
            result.role, result.by = "result", "client"
        elif caller == "client" or (caller is None and kind in CLIENT_OUTPUTS):
            result.by = "client"
        return ("tool" if result.by == "client" else "assistant"), [result]
    blocks = [block for _, block in wire_blocks.read_item(item, issuer, raw)]
    for block in blocks:
        if type(block) is ToolUseBlock:
            wire_blocks.parse(block)
            if "parsed_arguments" in item:  # the SDK's parser adds it, and a client sent it along
                fields = {"parsed_arguments": item["parsed_arguments"]}
                wire_blocks.add_extras(block, name_answers(issuer), fields)
        elif type(block) is RawBlock:
            if block.pair is not None:
                callers[block.pair] = block.by
        elif block.read_from is not item and "parsed" in block.read_from:  # the same for a part
            fields = (block.extras or {}).get(name_answers(issuer), {}).get("part", {})
            fields = {"part": {**fields, "parsed": block.read_from["parsed"]}}
            wire_blocks.add_extras(block, name_answers(issuer), fields)
    return "assistant", blocks


def _single_message(item: Any, issuer: str) -> Msg | None:
    """Read an item that is a message by itself: the user's, the system's, or an unknown one."""
    kind = item.get("type", "message") if isinstance(item, dict) else None
    if kind == "message":
        role = item.get("role")
        if role == "assistant":
            return None
        if isinstance(role, str) and role in _READ_ROLES:
            return _read_message(item, _READ_ROLES[role], issuer)
    elif isinstance(kind, str) and (kind in _RUNS or _OF_THE_HOST.search(kind)):
        return None
    block = RawBlock(issuer, item, "message" if kind == "message" else "item", by="client")
    block.read_from = item
    return Msg.create_unchecked("", [block], "user")


def _read_message(item: JsonObject, role: Role, issuer: str) -> Msg:
    content = item.get("content")
    modeled: tuple[str, ...] = ("role", "type", "content")
    if type(content) is list:
        content = [wire_blocks.read_part(part, issuer) for part in content]
    elif type(content) is not str:
        content, modeled = [], modeled[:2]  # what is no content stays among the other fields
    m = Msg.create_unchecked("", content, role)
    notes = ("typed" if "type" in item else "", "" if "content" in modeled else "empty")
    m.spelling = " ".join(filter(None, notes)) or None
    if extras := {key: value for key, value in item.items() if key not in modeled}:
        m.extras = {issuer: extras}
    return m


def _use_plain_text(m: Msg) -> None:
    """Turn the content of a model's message that is a single plain text into that text."""
    content: Any = m.content
    if m.role != "assistant" or len(content) != 1 or content[0].extras is not None:
        return
    if (spelling := content[0].spelling) in ("string item", "string item bare"):
        m.content = content[0].text
        m.spelling = None if spelling.endswith("bare") else "typed"


def messages_as_read(room: Room, msgs: Sequence[Msg]) -> list[Json]:
    """Return the items that `InputReading` read the messages from."""
    return [item for m in msgs for item in _items_as_read(m, room.issuer, room.dialect.raw)]


def _items_as_read(m: Msg, issuer: str, raw: bool) -> list[Json]:
    content: Any = m.content
    item: JsonObject = {"role": m.role}
    if type(content) is not str:
        lone = content[0] if len(content) == 1 else None
        is_item = type(lone) is RawBlock and lone.spelling != wire_blocks.PART
        if is_item or m.role in ("assistant", "tool"):
            return wire_blocks.items_as_read(content, issuer, raw)
        content = [wire_blocks.part_as_read(block, issuer) for block in content]
    notes = m.spelling or ""
    if notes.startswith("typed"):
        item["type"] = "message"
    if not notes.endswith("empty"):
        item["content"] = content
    if m.extras is not None:
        item.update(m.extras.get(issuer, {}))
    return [item]


def write_messages(
    room: Room, history: RoledHistory, caps: Capabilities, report: Report
) -> list[JsonObject]:
    """Write the list that `format` returns, including the system prompt."""
    return InputWriter(room, history, caps, report, stored=True).write()


class InputWriter:
    """Writes messages one after the other into `items`.

    Args:
        room: The wire with its dialect.
        history: The messages with their roles.
        caps: What the model and the wire take.
        report: Gets a loss for what the wire cannot carry.
        stored: Whether the host keeps its answers.
    """

    def __init__(
        self, room: Room, history: RoledHistory, caps: Capabilities, report: Report, stored: bool
    ) -> None:
        self.items: list[JsonObject] = []
        self.caps = caps
        self.dialect: Dialect = room.dialect
        self.report = report
        self.history = history
        kept = stored and self.dialect.stores
        self.ids = ItemIds(self.items, history, self.dialect.assistant_text, report, kept)
        self._open: list[JsonObject] = []  # the parts of the message item that is being built
        self._fields: JsonObject = {}  # its own fields
        self._node: Msg | ContentBlock | None = None  # the node that holds those fields
        self._custom_ids: set[str] = set()  # ids of calls of custom tools
        self._client_items = ClientItems(history)
        self._first: JsonObject = {}  # own fields of the message that belong on its first item
        self._every: JsonObject = {}  # own fields that belong on each of its message items

    def write(self, start: int = 0) -> list[JsonObject]:
        """Write the items of the messages from `start` on."""
        dialect, history, items = self.dialect, self.history, self.items
        full = dialect.assistant_text == "full"
        # for others' texts, for the model's
        strings = (
            dialect.text == "string",
            dialect.assistant_text == "string",
        )
        rows = zip(history.msgs, history.roles, history.marks(), strict=True)
        for m, role, unusual in islice(rows, start, None) if start else rows:
            content: Any = m.content
            model = role == ASSISTANT
            if not unusual and role != TOOL and type(content) is list and len(content) == 1:
                if type(content[0]) is ToolUseBlock:
                    items.append(_call(content[0]))  # the usual turn that calls a tool
                    continue
                if type(content[0]) is TextBlock:
                    content = content[0].text
            if type(content) is str and not unusual and not (full and model):
                if not strings[model]:
                    content = [{"type": _TEXT_TYPES[model], "text": content}]
                name = self._role(m, role) if role == SYSTEM else _WRITTEN_ROLES[role]
                items.append({"role": name, "content": content})
            elif role == TOOL:
                self._results(m)
            else:
                self._message(m, role)
        self.ids.settle()
        return composed_items.with_types(items) if dialect.form == "open" else items

    def _role(self, m: Msg, role: int) -> str:
        """Return the role; `developer` where the host knows it."""
        known = role == SYSTEM and m.role == "developer" and self.dialect.developer
        return "developer" if known else _WRITTEN_ROLES[role]

    def _message(self, m: Msg, role_index: int) -> None:
        """Write the items of a message of the system, the user or the model."""
        first, role = len(self.items), self._role(m, role_index)
        if m.extras is not None:
            self._first = own_extras(m, self.caps)
            self._every = {"phase": self._first.pop("phase")} if "phase" in self._first else {}
        for block in m.blocks or [TextBlock("")]:
            self._block(block, m, role)
        self._close(m, role)
        if self._first:
            self._place(m, first)
        if self._every and all(item.get("role") != role for item in self.items[first:]):
            self._report_unplaced(m, self._every)
        self._every = {}
        if role_index == ASSISTANT:
            self.ids.gap(m, first)

    def _results(self, m: Msg) -> None:
        """Write one item for each result of the message."""
        first = len(self.items)
        for block in m.blocks:
            if type(block) is not ToolResultBlock:
                raise WriteError(f"{block.type} at the tools' seat", code="placement.unsupported")
            if (item := self._client_items.answer(block, self.dialect.bullets)) is not None:
                self._report_cache(block)
            else:
                kind = "custom_tool_call" if self._is_custom(block) else "function_call"
                item = {
                    "type": f"{kind}_output",
                    "call_id": block.id,
                    "output": self._output(block),
                }
            self._item(item, block)
        if m.extras is not None and (extras := own_extras(m, self.caps)):
            self._first = extras
            self._place(m, first)

    def _is_custom(self, block: ToolResultBlock) -> bool:
        """Whether the result answers a call that holds text; the call may be missing here."""
        if block.id in self._custom_ids:
            return True
        if (call := self.history.called.get(block.id)) is not None:
            return call.freeform
        spelled_so = composed_items.CUSTOM in wire_blocks.spellings(block)
        return spelled_so and self.caps.freeform_tools and block.id not in self.history.calls

    def _output(self, block: ToolResultBlock) -> Json:
        """Write the output of a result; one text is a string."""
        output: Any = block.output
        bullets = self.dialect.bullets
        if type(output) is list:
            if len(output) == 1 and is_plain(output[0]):
                output = output[0].text
            elif bullets and all(type(part) is TextBlock for part in output):
                output = result_text(block, bullets=True)
            else:
                output = [self._input(part) for part in output] or ""
        elif type(output) is not str:
            output = result_text(block, bullets)
        if self.dialect.result_text == "parts" and self.caps.cache_hints and type(output) is str:
            output = [{"type": "input_text", "text": output}]
        if block.cache is not None:  # the last part gets the breakpoint
            parts = [{"type": "input_text", "text": output}] if type(output) is str else output
            mark = {wire_blocks.MARK: wire_blocks.mark(block.cache)}
            output = [*parts[:-1], {**parts[-1], **mark}]
        return output

    def _input(self, block: ContentBlock, extras: JsonObject | None = None) -> JsonObject:
        """Write `input_text`, `input_image`, `input_file` or `input_audio`, or an unchanged part.

        `extras`: the part's own fields, if the block's extras also hold those of its item.
        """
        if type(block) is TextBlock:
            part: JsonObject = {"type": "input_text", "text": block.text}
            if block.citations is not None:  # only the model's texts can have citations
                self.report.add_loss("citations.unsupported", block, "citations")
        elif block.type == "image":
            # an unknown source is an error, and is checked before any loss
            part = wire_blocks.write_medium(block, None, None)
            detail = self._detail(block) or ("auto" if self.dialect.detail else None)
            if detail is not None:
                part["detail"] = detail
        elif block.type == "document":
            part = wire_blocks.write_medium(block, self._title(block), self._detail(block))
        elif block.type == "audio" and block.source.type == "base64":
            part = wire_blocks.write_medium(block, None, None)
        elif type(block) is RawBlock and isinstance(block.data, dict):
            return block.data
        else:
            raise WriteError(f"{block.type} is no part of an input", code="placement.unsupported")
        if block.extras is not None:
            part.update(own_extras(block, self.caps) if extras is None else extras)
        if block.cache is not None:
            part[wire_blocks.MARK] = wire_blocks.mark(block.cache)
        return part

    def _output_part(self, block: TextBlock | RefusalBlock, extras: JsonObject) -> JsonObject:
        """Write `output_text` or `refusal`, with the part's own fields."""
        part = wire_blocks.write_output_part(block)
        if type(block) is TextBlock:
            self._report_cache(block)
            if block.citations and "annotations" not in extras:
                reads = self.caps.reads
                annotations = [wire_blocks.write_citation(c, reads) for c in block.citations]
                if writable := [entry for entry in annotations if entry is not None]:
                    part["annotations"] = writable
                if None in annotations:
                    self.report.add_loss("citations.unsupported", block, "citations")
        return {**part, **extras}

    def _report_cache(self, block: TextBlock | ToolUseBlock | ToolResultBlock) -> None:
        """Report the cache hint of a block whose item or part takes no breakpoint."""
        if block.cache is not None:
            self.report.add_loss("cache.unsupported", block, "cache")

    def _title(self, block: MediaBlock) -> str | None:
        if block.source.type == "base64":
            return block.title or f"document.{_ENDINGS.get(block.source.media_type, 'txt')}"
        if block.title is not None:  # a stored file has its name there
            self.report.add_loss("media.detail", block, "title")
        return None

    def _detail(self, block: MediaBlock) -> str | None:
        known = _DETAILS["document" if self.dialect.form == "open" else block.type]
        if block.detail is None or block.detail in known:
            return block.detail
        self.report.add_loss("media.detail", block, "detail", what=block.detail)
        return None

    def _block(self, block: ContentBlock, m: Msg, role: str) -> None:
        if type(block) is TextBlock or type(block) is RefusalBlock:
            self._text(block, m, role)
        elif type(block) is ToolResultBlock:
            raise WriteError("a tool result at another seat", code="placement.unsupported")
        elif type(block) is ImageBlock and is_drawing(block, self.caps):
            self._close(m, role)
            self.items.append({**own_extras(block, self.caps), **drawing_as_read(block)})
        elif isinstance(block, MediaBlock) and role == "assistant":
            raise WriteError(f"{block.type} said by the model", code="placement.unsupported")
        elif isinstance(block, MediaBlock) or (block.type == "raw" and wire_blocks.is_part(block)):
            self._open.append(self._input(block))
        else:
            self._close(m, role)
            self._own_item(block)

    def _own_item(self, block: ToolUseBlock | ThinkingBlock | RawBlock) -> None:
        """Write a block that is an item by itself."""
        if type(block) is ToolUseBlock:
            self._report_cache(block)
            self._item(_call(block), block)
            if block.freeform:
                self._custom_ids.add(block.id)
        elif type(block) is ThinkingBlock:
            self._reasoning(block)
        elif type(block) is RawBlock:
            self.items.append(item := self._input(block))
            if item.get("type") == "custom_tool_call":  # of an older reader's
                self._custom_ids.add(str(item.get("call_id")))
        else:
            assert_never(block)

    def _text(self, block: TextBlock | RefusalBlock, m: Msg, role: str) -> None:
        extras = {} if block.extras is None else own_extras(block, self.caps)
        if fields := {name: extras.pop(name) for name in wire_blocks.ITEM if name in extras}:
            self._close(m, role)  # an item's own fields mark where it begins
            self._fields, self._node = fields, block
        if role == "assistant":
            self._open.append(self._output_part(block, extras))
        elif type(block) is TextBlock:
            self._open.append(self._input(block, extras))
        else:
            raise WriteError("a refusal that the model did not say", code="placement.unsupported")

    def _close(self, m: Msg, role: str) -> None:
        """End the message item that is being built, if there is one."""
        if not (parts := self._open):
            return
        fields = {**self._every, **self._first, **self._fields}
        nodes = (m,) if self._node is None else (self._node, m)
        self._open, self._fields, self._node, self._first = [], {}, None, {}
        if role != "assistant":
            if "id" in fields:
                fields = self.ids.without("message", fields, nodes)
            string = self.dialect.text == "string"
            self.items.append(composed_items.message(role, parts, string, fields))
            return
        fields = self.ids.check_id("message", fields, nodes)
        if self.dialect.assistant_text == "full":
            # a whole item for each part: servers that require those may read only the first part
            for part in parts:
                id = fields.get("id") or self.ids.new("message")
                self.items.append(composed_items.answer_message(id, [part], fields))
                fields = {name: value for name, value in fields.items() if name != "id"}
        elif "id" in fields:
            self.items.append(composed_items.answer_message(fields["id"], parts, fields))
        else:
            string = self.dialect.assistant_text == "string"
            self.items += composed_items.assistant_messages(parts, string, fields)

    def _item(self, item: JsonObject, block: ToolUseBlock | ToolResultBlock) -> None:
        if block.extras is not None:
            item.update(self.ids.check_id(item["type"], own_extras(block, self.caps), (block,)))
        self.items.append(item)

    def _reasoning(self, block: ThinkingBlock) -> None:
        """Write `reasoning`, unless it is unusable: neither sealed nor stored by the host."""
        raw = self.dialect.raw
        item = composed_items.reasoning(block, raw)
        if block.extras is not None:
            extras = own_extras(block, self.caps)
            if raw and extras.get("summary") and "content" not in extras:
                item.pop("content", None)  # the summary was all of the thinking
            if raw and "content" in extras and not (extras.get("summary") or extras["content"]):
                extras = {**extras, "content": item.get("content")}  # a summary elsewhere
            item.update(self.ids.check_id("reasoning", extras, (block,)))
        if not (raw or item.get("encrypted_content") or (self.ids.stored and "id" in item)):
            self.report.add_loss("thinking.unsigned", block)
            self.ids.gaps.add(len(self.items))  # an item is missing before the next one
            return
        if self.dialect.assistant_text == "full" and "id" not in item:
            item["id"] = self.ids.new("reasoning")
        self.items.append(item)

    def _place(self, m: Msg, first: int) -> None:
        """Put own fields of a message without message items on its first item."""
        fields, self._first = self._first, {}
        verbatim = {id(block.data) for block in m.blocks if type(block) is RawBlock}
        for index in range(first, len(self.items)):
            item = self.items[index]
            if id(item) not in verbatim:
                item.update(self.ids.check_id(item.get("type", "message"), fields, (m,), index))
                return
        self._report_unplaced(m, fields)

    def _report_unplaced(self, m: Msg, fields: JsonObject) -> None:
        for issuer, extras in (m.extras or {}).items():
            for name in extras:
                if name in fields:
                    self.report.add_loss(
                        "extras.unsupported", m, f"extras.{issuer}.{name}", what=name
                    )


def _call(block: ToolUseBlock) -> JsonObject:
    if block.freeform:
        return composed_items.tool_call(block, block.input)
    text = arguments(block.input) if block.raw_input is None else write_arguments(block)
    return composed_items.tool_call(block, text)
