"""What a conversation says, whatever wire it came over: a flat list of items in one spelling.

Ids are numbers in the order of the calls, arguments are values, texts side by side are one text,
media count by what they hold. Thinking, cache marks, names of speakers and own fields of providers
are not said to the model as conversation, and are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from hashlib import blake2b
from typing import Any, Literal, TypeAlias

from .._core.convert import detect
from .._core.exchange.plain_json import body_of
from .._core.exchange.wire import Wire
from .._core.jsontext import Json, canonical, loads
from .._core.media import is_data, source_of
from .._core.redaction import Shown, clipped
from ..errors import ReadError
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
from ..message.request import messages_of
from ..vendors import Vendor, wire

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


Conversation: TypeAlias = ChatRequest | Sequence[Msg] | dict[str, Any] | str | bytes


@dataclass(frozen=True, slots=True, repr=False)
class Difference(Shown):
    """One thing that only one side says, or that the sides say differently.

    `left` and `right` are paths into the two, empty on the side that says nothing.
    """

    change: Literal["removed", "inserted", "changed"]
    kind: str
    left: str = ""
    right: str = ""
    was: str = ""
    now: str = ""


def conversation_of(
    given: Conversation, source: str | Vendor | Wire | None = None
) -> ChatRequest | Sequence[Msg]:
    """The conversation itself; a body is read over the wire `source`, or over a detected one.

    A body is parsed JSON, its text, or an object of an official SDK. Raises ReadError for what is
    no conversation, NotMessages for a list that holds something else than messages.
    """
    if isinstance(given, ChatRequest):
        return given
    if isinstance(given, Sequence) and not isinstance(given, (str, bytes)):
        return messages_of(given)
    body = body_of(given)
    return wire(detect(body).wire if source is None else source).read_request(body)


def hashed(given: Conversation, source: str | Vendor | Wire | None = None) -> str:
    """The hash of what the conversation says, the same over every wire: 32 hex digits.

    Messages and tools count, each in its own words; options, ids and spelling do not.
    """
    state = blake2b(digest_size=16)
    for item in _all(conversation_of(given, source)):
        state.update(_key(item).encode())
        state.update(b"\0")
    return state.hexdigest()


def diff(
    left: Conversation,
    right: Conversation,
    *,
    left_source: str | Vendor | Wire | None = None,
    right_source: str | Vendor | Wire | None = None,
) -> list[Difference]:
    """What the one says and the other does not, in the order of the conversation."""
    ours = _all(conversation_of(left, left_source))
    theirs = _all(conversation_of(right, right_source))
    keys = [_key(item) for item in ours], [_key(item) for item in theirs]
    made: list[Difference] = []
    for tag, i, j, k, n in SequenceMatcher(None, *keys, autojunk=False).get_opcodes():
        if tag != "equal":
            made += _differences(ours[i:j], theirs[k:n])
    return made


def _all(given: ChatRequest | Sequence[Msg]) -> list[Item]:
    offered = tools(given) if isinstance(given, ChatRequest) else []
    return [*offered, *items(given)]


def _key(item: Item) -> str:
    try:
        return item.key
    except RecursionError as error:
        raise ReadError("nested too deeply", path=item.where, code="json.deep") from error


def _differences(ours: list[Item], theirs: list[Item]) -> list[Difference]:
    made = []
    while ours and theirs and (ours[0].seat, ours[0].kind) == (theirs[0].seat, theirs[0].kind):
        one, other = ours.pop(0), theirs.pop(0)
        made.append(Difference("changed", one.kind, one.where, other.where, one.text, other.text))
    made += [Difference("removed", one.kind, left=one.where, was=one.text) for one in ours]
    made += [Difference("inserted", one.kind, right=one.where, now=one.text) for one in theirs]
    return made
