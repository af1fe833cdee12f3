"""The items of a request's `input` as messages, and the items again as they were read.

`read_input` and `items_of` are each other's inverse, whatever a dialect or a model may take. What
the model said stands in one message as far as it goes on, as in an answer; so do the results of
tools that follow it; every other item is a message of its own. Reference: OpenAI API, "Create a
model response", `input`; requests of a dozen clients.
"""

from __future__ import annotations

from typing import Any

from ...jsontext import Json, JsonObject
from ...message import Msg, Origin, RawBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock
from ...message.blocks import ContentBlock, answered, noted
from ...message.msg import Role
from ...pieces.arguments import parsed
from .answers import ABSENT, blocks, told_raw
from .given import part_as_read, read_part
from .items import items_as_read
from .parts import PART

__all__ = ["items_of", "read_input"]

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
        return [_plain(m) for m in made]

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


def _plain(m: Msg) -> Msg:
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
