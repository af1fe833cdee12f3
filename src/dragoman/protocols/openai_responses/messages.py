"""The messages of a request <-> the items of `input`, and which item ids go back.

The API looks an item up by its id where it keeps answers, and holds reasoning and what followed it
together by their ids: 400 `Item 'rs_...' of type 'reasoning' was provided without its required
following item`, and the reverse. Without ids it does not look. So the ids of one answer go back
all together or not at all. `call_id` is another thing, and always goes.

Reference: OpenAI API, "Create a model response", `input`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, TypeAlias, assert_never

from ..._core.jsontext import Json, JsonObject, arguments
from ..._core.passes.roles import ASSISTANT, SYSTEM, TOOL, RoledHistory
from ..._core.stream.arguments import parse_arguments
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
from ...message.blocks import ContentBlock, answered, noted
from ...message.msg import Role
from ..chat_shape import arguments_of, own_extras, result_text
from .blocks import (
    ABSENT,
    ITEM,
    PART,
    PartWriter,
    add_extras,
    answer_message,
    assistant_messages,
    function_call,
    is_part,
    items_as_read,
    mark,
    message,
    note_absent,
    part_as_read,
    raw_item,
    read_item,
    read_part,
    reasoning,
    without_id,
)
from .dialect import Dialect

_READ_ROLES: dict[str, Role] = {"user": "user", "system": "system", "developer": "developer"}
_WRITTEN_ROLES = ("system", "user", "assistant", "user")
_TEXT_TYPES = ("input_text", "output_text")

# besides calls and their outputs, what stands among others in one message
_RUNS = frozenset({"reasoning", "program", "mcp_list_tools", "mcp_approval_request", "compaction",
                   "item_reference", "mcp_approval_response"})  # fmt: skip

# of what the client ran, where no call tells who did
_CLIENT_OUTPUTS = frozenset({"custom_tool_call_output", "computer_call_output",
                             "shell_call_output", "local_shell_call_output",
                             "apply_patch_call_output"})  # fmt: skip


def read_input(items: list[Any], issuer: str, raw: bool, model: str | None) -> list[Msg]:
    """The messages that the items make; `raw`: thoughts are text, not sealed."""
    origin = Origin(issuer, model)
    callers: dict[str, str] = {}  # id of a call -> who runs it, known from the call on
    msgs: list[Msg] = []
    blocks: list[ContentBlock] | None = None  # of the message that may go on
    for item in items:
        if (m := _single_message(item, issuer)) is not None:
            blocks = None
        else:
            role, item_blocks = _item_blocks(item, issuer, raw, origin, callers)
            if blocks is not None and msgs[-1].role == role:
                blocks.extend(item_blocks)
                continue
            blocks = item_blocks
            m = Msg.trusted("", blocks, role)
        m.read_from = item
        msgs.append(m)
    for m in msgs:
        _use_plain_text(m)
    return msgs


def _item_blocks(
    item: JsonObject, issuer: str, raw: bool, origin: Origin, callers: dict[str, str]
) -> tuple[Role, list[ContentBlock]]:
    """(role of the message that the item belongs to, its blocks)."""
    kind = item.get("type", "message")
    if kind == "function_call_output":
        return "tool", [_read_result(item, issuer)]
    if kind.endswith("_output") or kind == "mcp_approval_response":
        result = _read_raw_result(item, issuer, callers)
        return ("tool" if result.by == "client" else "assistant"), [result]
    blocks = [block for _, block in read_item(item, issuer, raw)]
    for block in blocks:
        if type(block) is ToolUseBlock:
            if block.raw_input is not None:
                block.input = parse_arguments(block.raw_input)
            if "parsed_arguments" in item:  # the SDK's parser adds it, and a client sent it along
                fields = {"parsed_arguments": item["parsed_arguments"]}
                add_extras(block, answered(issuer), fields)
        elif type(block) is ThinkingBlock:
            block.origin = origin
        elif type(block) is not RawBlock:
            _keep_parsed(block, item, issuer)
        elif block.pair is not None:
            callers[block.pair] = block.by
    return "assistant", blocks


def _keep_parsed(block: ContentBlock, item: JsonObject, issuer: str) -> None:
    """Keep what the SDK's parser adds to parts."""
    part = block.read_from
    if part is not item and "parsed" in part:
        fields = (block.extras or {}).get(answered(issuer), {}).get("part", {})
        add_extras(block, answered(issuer), {"part": {**fields, "parsed": part["parsed"]}})


def _single_message(item: Any, issuer: str) -> Msg | None:
    """The message that an item makes by itself: one of the user's or the system's, or unknown."""
    kind = item.get("type", "message") if isinstance(item, dict) else None
    if kind == "message":
        role = item.get("role")
        if role == "assistant":
            return None
        if isinstance(role, str) and role in _READ_ROLES:
            return _read_message(item, _READ_ROLES[role], issuer)
    elif isinstance(kind, str) and (kind in _RUNS or kind.endswith(("_call", "_output"))):
        return None
    block = RawBlock(issuer, item, by="client")
    block.read_from = item
    if kind == "message":
        block.role = "message"
    return Msg.trusted("", [block], "user")


def _read_message(item: JsonObject, role: Role, issuer: str) -> Msg:
    content = item.get("content")
    modeled: tuple[str, ...] = ("role", "type", "content")
    if type(content) is str:
        m = Msg.trusted("", content, role)
    elif type(content) is list:
        m = Msg.trusted("", [read_part(part, issuer) for part in content], role)
    else:
        m = Msg.trusted("", [], role)
        modeled = modeled[:2]  # what is no content stays among the other fields
    notes = ["typed"] if "type" in item else []
    notes += ["empty"] if "content" not in modeled else []
    m.spelling = " ".join(notes) or None
    if extras := {key: value for key, value in item.items() if key not in modeled}:
        m.extras = {issuer: extras}
    return m


def _use_plain_text(m: Msg) -> None:
    """Turn the content of a message of the model's that is one bare text into that text."""
    content: Any = m.content
    if m.role != "assistant" or len(content) != 1 or content[0].extras is not None:
        return
    if (spelling := content[0].spelling) in ("string item", "string item bare"):
        m.content = content[0].text
        m.spelling = None if spelling.endswith("bare") else "typed"


def _read_result(item: JsonObject, issuer: str) -> ToolResultBlock:
    extras = {key: value for key, value in item.items() if key != "type"}
    block = ToolResultBlock("")
    block.read_from = item
    if isinstance(extras.get("call_id"), str):
        block.id = extras.pop("call_id")
    if isinstance(extras.get("name"), str) and extras["name"]:
        block.name = extras.pop("name")
    if isinstance(extras.get("output"), str):
        block.output = extras.pop("output")
    elif isinstance(extras.get("output"), list):
        block.output = [read_part(part, issuer) for part in extras.pop("output")]
    add_extras(block, issuer, extras)
    note_absent(block, issuer, ("call_id", "output"), item)
    return block


def _result_as_read(block: ContentBlock, issuer: str) -> Json:
    if type(block) is RawBlock:
        return block.data
    assert type(block) is ToolResultBlock  # what else is read into a message of tools
    item: JsonObject = {"type": "function_call_output", "call_id": block.id}
    if block.name:
        item["name"] = block.name
    output: Any = block.output
    if isinstance(output, list):
        output = [part_as_read(part, issuer) for part in output]
    item["output"] = output
    if block.extras is not None:
        item.update(block.extras.get(issuer, {}))
        for key in block.extras.get(noted(issuer), {}).get(ABSENT, ()):
            item.pop(key, None)
    return item


def _read_raw_result(item: JsonObject, issuer: str, callers: dict[str, str]) -> RawBlock:
    block = raw_item(item, issuer)
    if item["type"] == "mcp_approval_response":
        id = item.get("approval_request_id")
        block.role, block.by = "result", "client"
        block.pair = id if isinstance(id, str) and id else None
        return block
    caller = callers.get(block.pair or "")
    if caller == "client" or (caller is None and item["type"] in _CLIENT_OUTPUTS):
        block.by = "client"
    return block


def messages_as_read(m: Msg, issuer: str, raw: bool) -> list[Json]:
    """The items that `read_input` made the message of."""
    content: Any = m.content
    if m.role == "assistant" and type(content) is not str:
        return items_as_read(content, issuer, raw)
    if m.role == "tool":
        return [_result_as_read(block, issuer) for block in content]
    parts = type(content) is not str
    if parts and len(content) == 1 and type(content[0]) is RawBlock and content[0].spelling != PART:
        return [content[0].data]
    item: JsonObject = {"role": m.role}
    notes = m.spelling or ""
    if notes.startswith("typed"):
        item["type"] = "message"
    if not notes.endswith("empty"):
        item["content"] = [part_as_read(b, issuer) for b in content] if parts else content
    if m.extras is not None:
        item.update(m.extras.get(issuer, {}))
    return [item]


def items(
    history: RoledHistory,
    caps: Capabilities,
    dialect: Dialect,
    report: Report,
    *,
    stored: bool = True,
    start: int = 0,
) -> list[JsonObject]:
    """The items of the messages from `start` on. `stored`: the host keeps what it answers."""
    writer = _InputWriter(history, caps, dialect, report, stored)
    full = dialect.said == "full"
    strings = (dialect.text == "string", dialect.said == "string")  # of the others, of the model
    rows = zip(history.msgs, history.roles, history.marks(), strict=True)
    for m, role, unusual in islice(rows, start, None) if start else rows:
        content: Any = m.content
        model = role == ASSISTANT
        if not unusual and role != TOOL and type(content) is list and len(content) == 1:
            if type(content[0]) is ToolUseBlock:
                writer.items.append(_call(content[0]))  # the usual turn that calls a tool
                continue
            if type(content[0]) is TextBlock:
                content = content[0].text
        if type(content) is str and not unusual and not (full and model):
            if not strings[model]:
                content = [{"type": _TEXT_TYPES[model], "text": content}]
            name = writer.role(m, role) if role == SYSTEM else _WRITTEN_ROLES[role]
            writer.items.append({"role": name, "content": content})
        elif role == TOOL:
            writer.results(m)
        else:
            writer.message(m, role)
    writer.ids.settle()
    return writer.items


def _call(block: ToolUseBlock) -> JsonObject:
    text = arguments(block.input) if block.raw_input is None else arguments_of(block)
    return function_call(block, text)


class _InputWriter:
    """Writes one message after the other into `items`."""

    def __init__(
        self,
        history: RoledHistory,
        caps: Capabilities,
        dialect: Dialect,
        report: Report,
        stored: bool,
    ) -> None:
        self.items: list[JsonObject] = []
        self.caps = caps
        self.dialect = dialect
        self.report = report
        self.parts = PartWriter(caps, dialect, report)
        self.ids = _Ids(self.items, history, dialect, report, stored)
        self._open: list[JsonObject] = []  # the parts of the message item that is being made
        self._fields: JsonObject = {}  # and its own fields
        self._node: Msg | ContentBlock | None = None  # and what those stand on
        self._custom_ids: set[Any] = set()  # ids of calls of custom tools
        self._first: JsonObject = {}  # own fields of the message that its first item takes
        self._every: JsonObject = {}  # and those of each of its message items

    def role(self, m: Msg, role: int) -> str:
        """The role; `developer` where the host knows it."""
        if role == SYSTEM and m.role == "developer" and self.dialect.developer:
            return "developer"
        return _WRITTEN_ROLES[role]

    def message(self, m: Msg, role_index: int) -> None:
        """The items of a message of the system, the user or the model."""
        first, role = len(self.items), self.role(m, role_index)
        if m.extras is not None:
            self._first = own_extras(m, self.caps)
            self._every = {"phase": self._first.pop("phase")} if "phase" in self._first else {}
        for block in m.blocks or [TextBlock("")]:
            self._block(block, m, role)
        self._close(m, role)
        if self._first:
            self._place(m, first)
        if self._every:
            if not any(item.get("role") == role for item in self.items[first:]):
                self._report_unplaced(m, self._every)
            self._every = {}
        if role_index == ASSISTANT:
            self.ids.gap(m, first)

    def results(self, m: Msg) -> None:
        """One item for each result of the message."""
        first = len(self.items)
        for block in m.blocks:
            if type(block) is not ToolResultBlock:
                raise WriteError(f"{block.type} at the tools' seat", code="seat.unsaid")
            item = self._result(block)
            if block.id in self._custom_ids:
                item["type"] = "custom_tool_call_output"
            self._item(item, block)
        if m.extras is not None and (extras := own_extras(m, self.caps)):
            self._first = extras
            self._place(m, first)

    def _result(self, block: ToolResultBlock) -> JsonObject:
        """`{"type": "function_call_output", "call_id", "output"}`; one text is a string."""
        output: Any = block.output
        bullets = self.dialect.bullets
        if type(output) is list:
            if len(output) == 1 and _is_plain(output[0]):
                output = output[0].text
            elif bullets and all(type(part) is TextBlock for part in output):
                output = result_text(block, bullets=True)
            else:
                output = [self.parts.input(part) for part in output] or ""
        elif type(output) is not str:
            output = result_text(block, bullets)
        if block.cache is not None:  # a breakpoint stands on the last part
            parts = [{"type": "input_text", "text": output}] if type(output) is str else output
            output = [*parts[:-1], {**parts[-1], "prompt_cache_breakpoint": mark(block.cache)}]
        return {"type": "function_call_output", "call_id": block.id, "output": output}

    def _block(self, block: ContentBlock, m: Msg, role: str) -> None:
        if type(block) is TextBlock or type(block) is RefusalBlock:
            self._text(block, m, role)
        elif type(block) is ToolUseBlock:
            self._close(m, role)
            self.parts.uncached(block)
            self._item(_call(block), block)
        elif type(block) is ThinkingBlock:
            self._close(m, role)
            self._reasoning(block)
        elif (
            type(block) is ImageBlock
            or type(block) is DocumentBlock
            or type(block) is AudioBlock
            or type(block) is VideoBlock
        ):
            if role == "assistant":
                raise WriteError(f"{block.type} said by the model", code="seat.unsaid")
            self._open.append(self.parts.input(block))
        elif type(block) is RawBlock:
            if is_part(block):
                self._open.append(self.parts.input(block))
            else:
                self._close(m, role)
                self.items.append(item := self.parts.input(block))
                if item.get("type") == "custom_tool_call":
                    self._custom_ids.add(item.get("call_id"))
        elif type(block) is ToolResultBlock:
            raise WriteError("a tool result at another seat", code="seat.unsaid")
        else:
            assert_never(block)

    def _text(self, block: TextBlock | RefusalBlock, m: Msg, role: str) -> None:
        extras: JsonObject = {}
        if block.extras is not None:
            extras = own_extras(block, self.caps)
            if fields := {name: extras.pop(name) for name in ITEM if name in extras}:
                self._close(m, role)  # where an item's own fields stand, the item begins
                self._fields, self._node = fields, block
        if role == "assistant":
            self._open.append(self.parts.output(block, extras))
        elif type(block) is TextBlock:
            self._open.append(self.parts.input(block, extras))
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
            if "id" in fields:
                fields = self.ids.without("message", fields, nodes)
            self.items.append(message(role, parts, self.dialect.text == "string", fields))
            return
        fields = self.ids.checked("message", fields, nodes, len(self.items))
        if self.dialect.said == "full":
            # a whole item for each part: servers that look for those may read the first one alone
            for part in parts:
                id = fields.get("id") or self.ids.new("message")
                self.items.append(answer_message(id, [part], fields))
                fields = {name: value for name, value in fields.items() if name != "id"}
        elif "id" in fields:
            self.items.append(answer_message(fields["id"], parts, fields))
        else:
            self.items.extend(assistant_messages(parts, self.dialect.said == "string", fields))

    def _item(self, item: JsonObject, block: ToolUseBlock | ToolResultBlock) -> None:
        if block.extras is not None:
            extras = own_extras(block, self.caps)
            item.update(self.ids.checked(item["type"], extras, (block,), len(self.items)))
        self.items.append(item)

    def _reasoning(self, block: ThinkingBlock) -> None:
        """`reasoning`, unless nobody could read it: unsealed, and kept nowhere."""
        raw = self.dialect.reasoning == "raw"
        item = reasoning(block, raw)
        if block.extras is not None:
            extras = own_extras(block, self.caps)
            if raw and extras.get("summary") and "content" not in extras:
                item.pop("content", None)  # the summary is all that was told
            item.update(self.ids.checked("reasoning", extras, (block,), len(self.items)))
        if not (raw or item.get("encrypted_content") or (self.ids.stored and "id" in item)):
            self.report.lost("thinking.unsigned", block)
            self.ids.omitted()
            return
        if self.dialect.said == "full" and "id" not in item:
            item["id"] = self.ids.new("reasoning")
        self.items.append(item)

    def _place(self, m: Msg, first: int) -> None:
        """Put own fields of a message that makes no message item on its first item."""
        fields, self._first = self._first, {}
        verbatim = {id(block.data) for block in m.blocks if type(block) is RawBlock}
        for index in range(first, len(self.items)):
            item = self.items[index]
            if id(item) not in verbatim:
                item.update(self.ids.checked(item.get("type", "message"), fields, (m,), index))
                return
        self._report_unplaced(m, fields)

    def _report_unplaced(self, m: Msg, fields: JsonObject) -> None:
        for issuer, extras in (m.extras or {}).items():
            for name in extras:
                if name in fields:
                    self.report.lost("extras.unsaid", m, f"extras.{issuer}.{name}", what=name)


def _is_plain(block: Any) -> bool:
    return type(block) is TextBlock and block.extras is None and block.cache is None


_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")

# `Expected an ID that begins with 'fc'.` (invalid_id_prefix)
_PREFIXES = {"message": "msg", "reasoning": "rs", "function_call": "fc",
             "function_call_output": "fc"}  # fmt: skip

# what an item's own fields stand on: its block, or the whole message
_Nodes: TypeAlias = tuple[Any, ...]


class _Ids:
    """The ids of the items of one input; `items` is the list that they are written to."""

    def __init__(
        self,
        items: list[JsonObject],
        history: RoledHistory,
        dialect: Dialect,
        report: Report,
        stored: bool,
    ) -> None:
        self.stored = stored and dialect.stores
        self._full = dialect.said == "full"
        self._string = dialect.said == "string"
        self._items = items
        self._history = history
        self._report = report
        self._nodes: dict[int, _Nodes] = {}  # index of an item with an id -> what bears it
        self._used: set[str] = set()
        self._gaps: set[int] = set()  # indexes before which something of an answer is missing
        self._present: set[int] | None = None

    def checked(self, kind: str, fields: JsonObject, nodes: _Nodes, index: int) -> JsonObject:
        """The own fields of the item at `index`, without an id that cannot go back."""
        id = fields.get("id")
        if not id:
            return {k: fields[k] for k in fields if k != "id"} if "id" in fields else fields
        right = isinstance(id, str) and _ID.fullmatch(id) and id not in self._used
        if right and (self._full or (self.stored and id.startswith(_PREFIXES.get(kind, "")))):
            self._used.add(id)
            self._nodes[index] = nodes
            return fields
        return self.without(kind, fields, nodes)

    def new(self, kind: str) -> str:
        """An id of our own for the next item, where a host wants one and never looks it up."""
        id = f"{_PREFIXES[kind]}_{len(self._items)}"
        while id in self._used:
            id += "_"
        return id

    def gap(self, m: Msg, first: int) -> None:
        """Note that thinking of this message was left out, if its items from `first` on have ids.

        An item whose reasoning is gone cannot be looked up.
        """
        if not any(index in self._nodes for index in range(first, len(self._items))):
            return
        if self._present is None:
            self._present = {id(self._report.source(b)) for b in _thoughts(self._history.msgs)}
        source = self._report.source(m)
        msgs = [source] if isinstance(source, Msg) else []
        if any(id(block) not in self._present for block in _thoughts(msgs)):
            self._gaps.add(first)

    def omitted(self) -> None:
        """Note that an item was left out where the next one will stand."""
        self._gaps.add(len(self._items))

    def settle(self) -> None:
        """Take the ids from answers that are not whole, and reasoning that is nothing without."""
        if self._full or not self._nodes:
            return
        changes: dict[int, list[JsonObject]] = {}
        for start, end in _answers(self._items):
            with_id = [index for index in range(start, end) if index in self._nodes]
            if with_id and not self._complete(start, end):
                changes.update((index, self._stripped(index)) for index in with_id)
        if changes:
            rows = (changes.get(index, (item,)) for index, item in enumerate(self._items))
            self._items[:] = [item for row in rows for item in row]

    def _complete(self, start: int, end: int) -> bool:
        if any(index in self._gaps for index in range(start, end + 1)):
            return False
        answer = self._items[start:end]
        if all(item.get("type") != "reasoning" for item in answer):
            return True
        return answer[-1].get("type") != "reasoning" and all("id" in item for item in answer)

    def _stripped(self, index: int) -> list[JsonObject]:
        """What the item says without its id."""
        item, nodes = self._items[index], self._nodes[index]
        kind = item["type"]
        if kind == "reasoning" and not item.get("encrypted_content"):
            self._report.lost("thinking.unsigned", nodes[0])
            return []
        item = self.without(kind, item, nodes)
        return without_id(item, self._string) if kind == "message" else [item]

    def without(self, kind: str, fields: JsonObject, nodes: _Nodes) -> JsonObject:
        """The own fields without the id, and without the status that only an item with one has."""
        names = ("id", "status") if kind in ("message", "reasoning") else ("id",)
        for name in names:
            for node, issuer in _bearing(nodes, name) if name in fields else ():
                self._report.lost("id.unsaid", node, f"extras.{issuer}.{name}")
        return {name: value for name, value in fields.items() if name not in names}


def _bearing(nodes: _Nodes, name: str) -> list[tuple[Any, str]]:
    """The first node whose own fields hold the name, and whose fields those are."""
    for node in nodes:
        extras = (node.extras or {}).items()
        if rows := [(node, issuer) for issuer, fields in extras if name in fields]:
            return rows
    return []


def _thoughts(msgs: list[Msg]) -> Iterator[ThinkingBlock]:
    for m in msgs:
        if not isinstance(m.content, str):
            yield from (block for block in m.content if type(block) is ThinkingBlock)


def _answers(items: list[JsonObject]) -> Iterator[tuple[int, int]]:
    """(start, end) of each run of items that the model made."""
    start = 0
    for i in range(len(items) + 1):
        if i == len(items) or not _is_output(items[i]):
            if i > start:
                yield start, i
            start = i + 1


def _is_output(item: JsonObject) -> bool:
    kind = item.get("type", "message")
    if kind == "message":
        return item.get("role") not in ("user", "system", "developer")
    return not (isinstance(kind, str) and kind.endswith("_output"))
