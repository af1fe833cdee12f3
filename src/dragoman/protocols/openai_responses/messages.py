"""Item ids: which of them go back, and what an item is without its own.

The API looks an item up by its id where it keeps answers, and holds reasoning and what followed it
together by their ids: 400 `Item 'rs_...' of type 'reasoning' was provided without its required
following item`, and the reverse. Without ids it does not look. So the ids of one answer go back
all together or not at all. `call_id` is another thing, and always goes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, TypeAlias, assert_never

from ..._core.jsontext import Json, JsonObject, arguments
from ..._core.passes.roles import ASSISTANT, SYSTEM, TOOL, RoledHistory
from ..._core.stream.arguments import parsed
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
    PART,
    Parts,
    bare,
    blocks,
    is_part,
    items_as_read,
    mark,
    message,
    part_as_read,
    read_part,
    reasoning,
    told,
    told_raw,
    whole,
)
from .dialect import Dialect

_SHAPE = re.compile(r"[A-Za-z0-9_-]{1,64}")


# `Expected an ID that begins with 'fc'.` (invalid_id_prefix)
_PREFIXES = {"message": "msg", "reasoning": "rs", "function_call": "fc",
             "function_call_output": "fc"}  # fmt: skip


# what an item's own fields stand on: its block, or the whole message
Nodes: TypeAlias = tuple[Any, ...]


_USERS = ("user", "system", "developer")


class Ids:
    """The ids of the items of one input; `out` is the list that they are written to."""

    def __init__(
        self,
        out: list[JsonObject],
        history: RoledHistory,
        dialect: Dialect,
        report: Report,
        stored: bool,
    ) -> None:
        self.stored = stored and dialect.stores
        self._full = dialect.said == "full"
        self._short = dialect.said == "string"
        self._out = out
        self._seated = history
        self._report = report
        self._nodes: dict[int, Nodes] = {}  # the place of an item with an id, and what bears it
        self._seen: set[str] = set()
        self._gaps: set[int] = set()  # places before which something of an answer is missing
        self._present: set[int] | None = None

    def kept(self, kind: str, own: JsonObject, nodes: Nodes, at: int) -> JsonObject:
        """The own fields of the item at place `at`, without an id that cannot go back."""
        given = own.get("id")
        if not given:
            return {name: own[name] for name in own if name != "id"} if "id" in own else own
        right = isinstance(given, str) and _SHAPE.fullmatch(given) and given not in self._seen
        if right and (self._full or (self.stored and given.startswith(_PREFIXES.get(kind, "")))):
            self._seen.add(given)
            self._nodes[at] = nodes
            return own
        return self.unsaid(kind, own, nodes)

    def made(self, kind: str) -> str:
        """An id of our own for the next item, where a host wants one and never looks it up."""
        found = f"{_PREFIXES[kind]}_{len(self._out)}"
        while found in self._seen:
            found += "_"
        return found

    def gap(self, m: Msg, first: int) -> None:
        """Note that thinking of this message was left out, if its items from `first` on have ids.

        An item whose reasoning is gone cannot be looked up.
        """
        if not any(at in self._nodes for at in range(first, len(self._out))):
            return
        if self._present is None:
            self._present = {id(self._report.source(b)) for b in _thoughts(self._seated.msgs)}
        source = self._report.source(m)
        before = [source] if isinstance(source, Msg) else []
        if any(id(block) not in self._present for block in _thoughts(before)):
            self._gaps.add(first)

    def dropped(self) -> None:
        """Note that an item was left out where the next one will stand."""
        self._gaps.add(len(self._out))

    def settle(self) -> None:
        """Take the ids from answers that are not whole, and reasoning that is nothing without."""
        if self._full or not self._nodes:
            return
        changes: dict[int, list[JsonObject]] = {}
        for start, end in _answers(self._out):
            here = [at for at in range(start, end) if at in self._nodes]
            if here and not self._whole(start, end):
                changes.update((at, self._stripped(at)) for at in here)
        if changes:
            rows = (changes.get(at, (item,)) for at, item in enumerate(self._out))
            self._out[:] = [item for row in rows for item in row]

    def _whole(self, start: int, end: int) -> bool:
        if any(at in self._gaps for at in range(start, end + 1)):
            return False
        answer = self._out[start:end]
        if all(item.get("type") != "reasoning" for item in answer):
            return True
        return answer[-1].get("type") != "reasoning" and all("id" in item for item in answer)

    def _stripped(self, at: int) -> list[JsonObject]:
        """What the item says without its id."""
        item, nodes = self._out[at], self._nodes[at]
        kind = item["type"]
        if kind == "reasoning" and not item.get("encrypted_content"):
            self._report.lost("thinking.unsigned", nodes[0])
            return []
        left = self.unsaid(kind, item, nodes)
        return bare(left, self._short) if kind == "message" else [left]

    def unsaid(self, kind: str, own: JsonObject, nodes: Nodes) -> JsonObject:
        """The own fields without the id, and without the status that a thing without one lacks."""
        names = ("id", "status") if kind in ("message", "reasoning") else ("id",)
        for name in names:
            for node, issuer in _bearing(nodes, name) if name in own else ():
                self._report.lost("id.unsaid", node, f"extras.{issuer}.{name}")
        return {name: value for name, value in own.items() if name not in names}


def _bearing(nodes: Nodes, name: str) -> list[tuple[Any, str]]:
    """The first node whose own fields hold the name, and whose fields those are."""
    for node in nodes:
        if found := [(node, issuer) for issuer, own in (node.extras or {}).items() if name in own]:
            return found
    return []


def _thoughts(msgs: list[Msg]) -> Iterator[ThinkingBlock]:
    for m in msgs:
        if not isinstance(m.content, str):
            yield from (block for block in m.content if type(block) is ThinkingBlock)


def _answers(out: list[JsonObject]) -> Iterator[tuple[int, int]]:
    """(start, end) of each run of items that the model made."""
    start = 0
    for at in range(len(out) + 1):
        if at == len(out) or not _came_out(out[at]):
            if at > start:
                yield start, at
            start = at + 1


def _came_out(item: JsonObject) -> bool:
    kind = item.get("type", "message")
    if kind == "message":
        return item.get("role") not in _USERS
    return not (isinstance(kind, str) and kind.endswith("_output"))


def output(block: ToolResultBlock, parts: Parts, bullets: bool) -> JsonObject:
    """`{"type": "function_call_output", "call_id", "output"}`; one text is a string."""
    said: Any = block.output
    if type(said) is list:
        if len(said) == 1 and _plain(said[0]):
            said = said[0].text
        elif bullets and all(type(inner) is TextBlock for inner in said):
            said = result_text(block, bullets=True)
        else:
            said = [parts.given(inner) for inner in said] or ""
    elif type(said) is not str:
        said = result_text(block, bullets)
    if block.cache is not None:
        said = _hinted(said, block)
    return {"type": "function_call_output", "call_id": block.id, "output": said}


def _plain(block: Any) -> bool:
    return type(block) is TextBlock and block.extras is None and block.cache is None


def _hinted(said: Any, block: ToolResultBlock) -> list[JsonObject]:
    """The output with a breakpoint behind it: on its last part."""
    assert block.cache is not None  # the caller looked
    listed = [{"type": "input_text", "text": said}] if type(said) is str else list(said)
    return [*listed[:-1], {**listed[-1], "prompt_cache_breakpoint": mark(block.cache)}]


_ROLES: dict[str, Role] = {"user": "user", "system": "system", "developer": "developer"}


# besides calls and their outputs, what stands among others in one message
_RUNS = frozenset({"reasoning", "program", "mcp_list_tools", "mcp_approval_request", "compaction",
                   "item_reference", "mcp_approval_response"})  # fmt: skip


# of what the client ran, where no call tells who did
_ANSWERED = frozenset({"custom_tool_call_output", "computer_call_output", "shell_call_output",
                       "local_shell_call_output", "apply_patch_call_output"})  # fmt: skip


def read_input(items: list[Any], issuer: str, raw: bool, model: str | None) -> list[Msg]:
    """The messages that the items make; `raw`: thoughts are text, not sealed."""
    return _Reading(issuer, raw, Origin(issuer, model)).read(items)


class _Reading:
    """Reads one input; `who` ran which call is known from the call on."""

    def __init__(self, issuer: str, raw: bool, origin: Origin) -> None:
        self.issuer = issuer
        self.raw = raw
        self.origin = origin
        self.who: dict[str, str] = {}

    def read(self, items: list[Any]) -> list[Msg]:
        made: list[Msg] = []
        runs: tuple[str, list[ContentBlock]] | None = None  # the message that may go on
        for item in items:
            if (m := _alone(item, self.issuer)) is not None:
                made.append(m)
                runs = None
                continue
            role, told = self._told(item)
            if runs is None or runs[0] != role:
                runs = (role, [])
                made.append(Msg.trusted("", runs[1], role))
            runs[1].extend(told)
        return [_history_plain(m) for m in made]

    def _told(self, item: JsonObject) -> tuple[Role, list[ContentBlock]]:
        kind = item.get("type", "message")
        if kind == "function_call_output":
            return "tool", [_result(item, self.issuer)]
        if kind.endswith("_output") or kind == "mcp_approval_response":
            result = _raw_result(item, self.issuer, self.who)
            return ("tool" if result.by == "client" else "assistant"), [result]
        made = [block for _, block in blocks(item, self.issuer, self.raw)]
        for block in made:
            if type(block) is ToolUseBlock:
                if block.raw_input is not None:
                    block.input = parsed(block.raw_input)
            elif type(block) is ThinkingBlock:
                block.origin = self.origin
            elif type(block) is RawBlock and block.pair is not None:
                self.who[block.pair] = block.by
        _parsed(item, made, self.issuer)
        return "assistant", made


def _alone(item: Any, issuer: str) -> Msg | None:
    """The message that an item makes by itself: one of the user's or the system's, or unknown."""
    kind = item.get("type", "message") if isinstance(item, dict) else None
    if kind == "message":
        role = item.get("role")
        if role == "assistant":
            return None
        if isinstance(role, str) and role in _ROLES:
            return _message(item, _ROLES[role], issuer)
    elif isinstance(kind, str) and (kind in _RUNS or kind.endswith(("_call", "_output"))):
        return None
    block = RawBlock(issuer, item, by="client")
    if kind == "message":
        block.role = "message"
    return Msg.trusted("", [block], "user")


def _message(item: JsonObject, role: Role, issuer: str) -> Msg:
    content = item.get("content")
    said: tuple[str, ...] = ("role", "type", "content")
    if type(content) is str:
        m = Msg.trusted("", content, role)
    elif type(content) is list:
        m = Msg.trusted("", [read_part(part, issuer) for part in content], role)
    else:
        m = Msg.trusted("", [], role)
        said = said[:2]  # what is no content stays among the other fields
    notes = ["typed"] if "type" in item else []
    notes += ["empty"] if "content" not in said else []
    m.spelling = " ".join(notes) or None
    if rest := {key: value for key, value in item.items() if key not in said}:
        m.extras = {issuer: rest}
    return m


def _history_plain(m: Msg) -> Msg:
    """A message of the model's that is one bare text, as text."""
    content: Any = m.content
    if m.role == "assistant" and len(content) == 1 and content[0].extras is None:
        note = content[0].spelling or ""
        if note in ("string item", "string item bare"):
            m.content = content[0].text
            m.spelling = None if note.endswith("bare") else "typed"
    return m


def _result(item: JsonObject, issuer: str) -> ToolResultBlock:
    id, name, output = item.get("call_id"), item.get("name"), item.get("output")
    block = ToolResultBlock(id if isinstance(id, str) else "")
    known = {"type"}
    if isinstance(id, str):
        known.add("call_id")
    if isinstance(name, str) and name:
        block.name = name
        known.add("name")
    if isinstance(output, (str, list)):
        known.add("output")
        block.output = output if isinstance(output, str) else [
            read_part(part, issuer) for part in output]  # fmt: skip
    extras: dict[str, JsonObject] = {}
    if len(item) > len(known):
        extras[issuer] = {key: value for key, value in item.items() if key not in known}
    if absent := [key for key in ("call_id", "output") if key not in item]:
        extras[noted(issuer)] = {ABSENT: absent}
    block.extras = extras or None
    return block


def _raw_result(item: JsonObject, issuer: str, who: dict[str, str]) -> RawBlock:
    block = told_raw(item, issuer)
    if item["type"] == "mcp_approval_response":
        asked = item.get("approval_request_id")
        block.role, block.by = "result", "client"
        block.pair = asked if isinstance(asked, str) and asked else None
        return block
    ran = who.get(block.pair or "")
    if ran == "client" or (ran is None and item["type"] in _ANSWERED):
        block.by = "client"
    return block


def _parsed(item: JsonObject, made: list[ContentBlock], issuer: str) -> None:
    """Keep what the SDK's parser adds to items, and a client sent along."""
    block = made[0]
    if type(block) is ToolUseBlock and "parsed_arguments" in item:
        _aside(block, issuer, {"parsed_arguments": item["parsed_arguments"]})
    elif type(block) is not RawBlock and isinstance(parts := item.get("content"), list):
        strange = (block.extras or {}).get(answered(issuer), {}).get("item", {}).get("content", {})
        told = [part for at, part in enumerate(parts) if str(at) not in strange]
        for one, part in zip(made, told, strict=False):
            if isinstance(part, dict) and "parsed" in part and type(one) is not ThinkingBlock:
                old = (one.extras or {}).get(answered(issuer), {}).get("part", {})
                _aside(one, issuer, {"part": {**old, "parsed": part["parsed"]}})


def _aside(block: ContentBlock, issuer: str, fields: JsonObject) -> None:
    extras = block.extras or {}
    own = extras.get(answered(issuer), {})
    block.extras = {**extras, answered(issuer): {**own, **fields}}


def items_of(m: Msg, issuer: str, raw: bool) -> list[Json]:
    """The items that `read_input` made the message of."""
    content: Any = m.content
    if m.role == "assistant" and type(content) is not str:
        return items_as_read(content, issuer, raw)
    if m.role == "tool":
        return [_said(block, issuer) for block in content]
    if _is_raw(content):
        return [content[0].data]
    made: JsonObject = {"role": m.role}
    note = m.spelling or ""
    if note.startswith("typed"):
        made["type"] = "message"
    if not note.endswith("empty"):
        listed = type(content) is not str
        made["content"] = [part_as_read(one, issuer) for one in content] if listed else content
    if m.extras is not None:
        made.update(m.extras.get(issuer, {}))
    return [made]


def _is_raw(content: Any) -> bool:
    if type(content) is str or len(content) != 1 or type(content[0]) is not RawBlock:
        return False
    return content[0].spelling != PART


def _said(block: ContentBlock, issuer: str) -> Json:
    if type(block) is RawBlock:
        return block.data
    assert type(block) is ToolResultBlock  # what else is read into a message of tools
    made: JsonObject = {"type": "function_call_output", "call_id": block.id}
    if block.name:
        made["name"] = block.name
    output = block.output
    said = [part_as_read(one, issuer) for one in output] if isinstance(output, list) else output
    made["output"] = said
    if block.extras is not None:
        made.update(block.extras.get(issuer, {}))
        for key in block.extras.get(noted(issuer), {}).get(ABSENT, ()):
            made.pop(key, None)
    return made


_WRITER_ROLES = ("system", "user", "assistant", "user")


_TEXTS = ("input_text", "output_text")


_ITEM = ("id", "status", "phase")  # fields of a message item, which stand on its first block


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
    writer = _Writer(history, caps, dialect, report, stored)
    out = writer.out
    full = dialect.said == "full"
    strings = (dialect.text == "string", dialect.said == "string")  # of the others, of the model
    rows = zip(history.msgs, history.seats, history.marks(), strict=True)
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
            role = writer.role(m, seat) if seat == SYSTEM else _WRITER_ROLES[seat]
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
        history: RoledHistory,
        caps: Capabilities,
        dialect: Dialect,
        report: Report,
        stored: bool,
    ) -> None:
        self.out: list[JsonObject] = []
        self.can = caps
        self.dialect = dialect
        self.report = report
        self.parts = Parts(caps, dialect, report)
        self.ids = Ids(self.out, history, dialect, report, stored)
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
        return _WRITER_ROLES[seat]

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
