"""What a conversation says, whatever wire it came over: a flat list of items in one spelling.

Ids are numbers in the order of the calls, arguments are values, texts side by side are one text,
media count by what they hold. Thinking, cache marks, names of speakers and own fields of providers
are not said to the model as conversation, and are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from ..errors import ReadError
from ..jsontext import Json, canonical, loads
from ..media import is_data, source_of
from ..message import (
    Base64Source,
    ChatRequest,
    FileSource,
    Msg,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    Tool,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    places,
)
from ..shown import clipped

__all__ = ["Item", "items", "tools"]

_SEATS = {"developer": "system", "tool": "user"}


@dataclass(slots=True)
class Item:
    """One thing that is said: who says it, its kind, its value, and where it stands."""

    seat: str
    kind: str
    value: Json
    where: str = field(default="$", compare=False)

    @property
    def key(self) -> str:
        """One text for all spellings of the item."""
        return canonical([self.seat, self.kind, self.value])

    @property
    def text(self) -> str:
        """The value in a few words."""
        return clipped(self.value if isinstance(self.value, str) else canonical(self.value))


def items(conversation: ChatRequest | Sequence[Msg]) -> list[Item]:
    """What the messages say, in order."""
    if isinstance(conversation, ChatRequest):
        request, msgs = conversation, conversation.messages
    else:
        request, msgs = None, list(conversation)
    where: dict[int, str] = {}
    for path, node in places(msgs, request):
        where.setdefault(id(getattr(node, "node", node)), path)
    calls: dict[str, list[int]] = {}
    made: list[Item] = []
    if request is not None and request.system is not None:
        made.append(Item("system", "text", request.system, "$.system"))
    count = 0
    for m in msgs:
        seat = _SEATS.get(m.role, m.role)
        here = where.get(id(m), "$")
        for block in m.blocks:
            item = _item(seat, block)
            if item is None:
                continue
            item.where = where.get(id(block), here)
            if type(block) is ToolUseBlock:
                calls.setdefault(block.id, []).append(count)
                count += 1
            elif type(block) is ToolResultBlock:
                known = calls.get(block.id)
                asked = known.pop(0) if known else None
                item.value = [asked, *item.value]
            _add(made, item)
    return made


def _add(made: list[Item], item: Item) -> None:
    last = made[-1] if made else None
    if last is not None and (last.seat, last.kind, item.kind) == (item.seat, "text", "text"):
        last.value = f"{last.value}\n{item.value}"
    else:
        made.append(item)


def _item(seat: str, block: Any) -> Item | None:
    if type(block) is TextBlock:
        return Item(seat, "text", block.text) if block.text.strip() else None
    if type(block) is ThinkingBlock:
        return None
    if type(block) is ToolUseBlock:
        return Item("assistant", "call", [block.name, block.input])
    if type(block) is ToolResultBlock:
        return Item("user", "result", list(_output(block.output)))
    if type(block) is RefusalBlock:
        return Item(seat, "refusal", block.text)
    if type(block) is RawBlock:
        return Item(seat, f"own of {block.issuer}", block.data)
    return Item(seat, block.type, _medium(block.source))


def _output(output: Any) -> Iterator[Json]:
    """What a result says: texts joined, media each, JSON text as its value."""
    if isinstance(output, str):
        yield _unwrapped(_value(output))
    elif isinstance(output, list):
        texts = [block.text for block in output if type(block) is TextBlock]
        if texts:
            yield _unwrapped(_value("\n".join(texts)))
        for block in output:
            if type(block) is not TextBlock and (item := _item("user", block)) is not None:
                yield [item.kind, item.value]
    elif output is not None:
        yield _unwrapped(output)


def _unwrapped(value: Json) -> Json:
    """The value itself; wires that take objects alone have text under one of two words."""
    if not isinstance(value, dict) or len(value) != 1:
        return value
    [(name, inner)] = value.items()
    return _value(inner) if name in ("output", "error") else value


def _value(text: Json) -> Json:
    """The value of JSON text, for some wires take objects; anything else is itself."""
    if not isinstance(text, str) or text[:1] not in ("{", "["):
        return text
    try:
        return loads(text)
    except ReadError:
        return text


def _medium(source: Any) -> Json:
    if type(source) is URLSource and is_data(source.url):
        source = source_of(source.url)
    if type(source) is Base64Source:
        return blake2b(source.data.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    if type(source) is FileSource:
        return [source.issuer, source.file_id]
    return getattr(source, "url", None) or getattr(source, "path", None)


def tools(request: ChatRequest) -> list[Item]:
    """The tools that are offered, by name; the order says nothing to a model."""
    made = []
    for i, tool in enumerate(request.tools):
        if isinstance(tool, Tool):
            value: Json = [tool.name, tool.description, _parameters(tool.schema)]
        else:
            value = [tool.kind, tool.given(), tool.extras if tool.kind == "own" else None]
        made.append(Item("tools", "tool", value, f"$.tools[{i}]"))
    return sorted(made, key=lambda item: item.key)


def _parameters(schema: Json) -> Json:
    """The schema of a tool's input; None for every way to say that it takes none."""
    if isinstance(schema, dict) and schema.get("properties", {}) == {}:
        return None if schema.keys() <= {"type", "properties", "required"} else schema
    return schema
