"""Compares conversations of any wires, as flat lists of items in one spelling.

Ids are numbers in the order of the calls, arguments are values, adjacent texts are one text, media
count by their content. Thinking, cache marks, names of speakers and providers' own fields are left
out, since they are no part of the conversation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from hashlib import blake2b
from itertools import takewhile
from typing import Any, Literal, TypeAlias, assert_never

from ..codec.sdk_objects import parse_body
from ..codec.wire import Wire
from ..conversion.detection import detect
from ..errors import InvalidMessage, ReadError
from ..message import ChatRequest, Msg, Tool, blocks, media, places
from ..message.media_urls import is_data_uri, read_source
from ..message.request import check_messages
from ..text.json_text import Json, canonical, loads
from ..text.redaction import Shown, clip_text
from ..vendors import Vendor, wire

_SHOWN_ROLES = {"developer": "system", "tool": "user"}


def _canonical(value: Json) -> str:
    try:
        return canonical(value)
    except RecursionError as error:
        raise InvalidMessage("nested too deeply", code="json.deep") from error


@dataclass(slots=True)
class Item:
    """One item of a conversation: the role, the kind, the value, and the path."""

    role: str
    kind: str
    value: Json
    where: str = field(default="$", compare=False)

    @property
    def key(self) -> str:
        """One text for all spellings of the item."""
        return _canonical([self.role, self.kind, self.value])

    def same_kind(self, other: Item) -> bool:
        """Whether both have the same role and kind."""
        return (self.role, self.kind) == (other.role, other.kind)

    @property
    def text(self) -> str:
        """The value in a few words."""
        return clip_text(self.value if isinstance(self.value, str) else _canonical(self.value))


def items(conversation: ChatRequest | Sequence[Msg]) -> list[Item]:
    """The items of the messages, in order."""
    if isinstance(conversation, ChatRequest):
        request, msgs = conversation, conversation.messages
    else:
        request, msgs = None, list(conversation)
    nodes = list(places(msgs, request))  # a reference to each, so that no id is reused
    paths: dict[int, str] = {}
    for path, node in nodes:
        paths.setdefault(id(getattr(node, "node", node)), path)
    calls: dict[str, list[int]] = {}
    result: list[Item] = []
    if request is not None and request.system is not None:
        result.append(Item("system", "text", request.system, "$.system"))
    count = 0
    for m in msgs:
        role = _SHOWN_ROLES.get(m.role, m.role)
        message_path = paths.get(id(m), "$")
        for block in m.blocks:
            item = _item(role, block)
            if item is None:
                continue
            item.where = paths.get(id(block), message_path)
            if type(block) is blocks.ToolUseBlock:
                calls.setdefault(block.id, []).append(count)
                count += 1
            elif type(block) is blocks.ToolResultBlock:
                numbers = calls.get(block.id)
                call = numbers.pop(0) if numbers else None
                item.value = [call, *item.value]
            _add(result, item)
    return result


def _add(items: list[Item], item: Item) -> None:
    last = items[-1] if items else None
    if last is not None and (last.role, last.kind, item.kind) == (item.role, "text", "text"):
        last.value = f"{last.value}\n{item.value}"
    else:
        items.append(item)


def _item(role: str, block: blocks.ContentBlock) -> Item | None:
    match block:
        case blocks.TextBlock():
            return Item(role, "text", block.text) if block.text.strip() else None
        case blocks.ThinkingBlock():
            return None
        case blocks.ToolUseBlock():
            return Item("assistant", "call", [block.name, block.input])
        case blocks.ToolResultBlock():
            return Item("user", "result", list(_output(block.output)))
        case blocks.RefusalBlock():
            return Item(role, "refusal", block.text)
        case blocks.RawBlock():
            return Item(role, f"own of {block.issuer}", block.data)
        case (
            blocks.ImageBlock() | blocks.AudioBlock() | blocks.VideoBlock() | blocks.DocumentBlock()
        ):
            return Item(role, block.type, _medium(block.source))
        case _:
            assert_never(block)


def _output(output: Any) -> Iterator[Json]:
    """The content of a result: texts joined, each medium, JSON text as its value."""
    if isinstance(output, str):
        yield _unwrap(_value(output))
    elif isinstance(output, list):
        texts = [block.text for block in output if type(block) is blocks.TextBlock]
        if texts:
            yield _unwrap(_value("\n".join(texts)))
        for block in output:
            if type(block) is not blocks.TextBlock and (item := _item("user", block)) is not None:
                yield [item.kind, item.value]
    elif output is not None:
        yield _unwrap(output)


def _unwrap(value: Json) -> Json:
    """The value, out of the object in which wires wrap text that take only objects."""
    if not isinstance(value, dict) or len(value) != 1:
        return value
    [(name, item)] = value.items()
    return _value(item) if name in ("output", "error") else value


def _value(text: Json) -> Json:
    """The value of JSON text, since some wires take objects; anything else unchanged."""
    if not isinstance(text, str) or text[:1] not in ("{", "["):
        return text
    try:
        return loads(text)
    except ReadError:
        return text


def _medium(source: Any) -> Json:
    if type(source) is media.URLSource and is_data_uri(source.url):
        source = read_source(source.url)
    if type(source) is media.Base64Source:
        return blake2b(source.data.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    if type(source) is media.TextSource:
        return [*source.passages, source.found_at]
    if type(source) is media.FramesSource:
        return [_medium(read_source(frame)) for frame in source.frames]
    if type(source) is media.FileSource:
        return [source.issuer, source.file_id]
    return getattr(source, "url", None) or getattr(source, "path", None)


def tools(request: ChatRequest) -> list[Item]:
    """The tools that are offered, by name; their order makes no difference to a model."""
    result = []
    for i, tool in enumerate(request.tools):
        if isinstance(tool, Tool):
            value: Json = [tool.name, tool.description, _parameters(tool.schema)]
        else:
            value = [tool.kind, tool.list_values(), tool.extras if tool.kind == "own" else None]
        result.append(Item("tools", "tool", value, f"$.tools[{i}]"))
    return sorted(result, key=lambda item: item.key)


def _parameters(schema: Json) -> Json:
    """The schema of a tool's input; None for every spelling of "no input"."""
    if isinstance(schema, dict) and schema.get("properties", {}) == {}:
        return None if schema.keys() <= {"type", "properties", "required"} else schema
    return schema


Conversation: TypeAlias = ChatRequest | Sequence[Msg] | dict[str, Any] | str | bytes


@dataclass(frozen=True, slots=True, repr=False)
class Difference(Shown):
    """One item that only one side has, or that differs.

    Attributes:
        change: What happened from left to right.
        kind: The kind of the item.
        left: Its path on the left side; empty if it is not there.
        right: Its path on the right side; empty if it is not there.
        was: Its value on the left side, shortened.
        now: Its value on the right side, shortened.
    """

    change: Literal["removed", "inserted", "changed"]
    kind: str
    left: str = ""
    right: str = ""
    was: str = ""
    now: str = ""


def read_conversation(
    conversation: Conversation, source: str | Vendor | Wire | None = None
) -> ChatRequest | Sequence[Msg]:
    """The conversation itself; a body is read over the wire `source`, or over a detected one.

    A body is parsed JSON, its text, or an object of an official SDK. Raises ReadError for what is
    no conversation, NotMessages for a list that holds anything but messages. A conversation nested
    too deeply to be compared raises InvalidMessage (`json.deep`) when its items are read.
    """
    if isinstance(conversation, ChatRequest):
        return conversation
    if isinstance(conversation, Sequence) and not isinstance(conversation, (str, bytes)):
        return check_messages(conversation)
    body = parse_body(conversation)
    return wire(detect(body).wire if source is None else source).read_request(body)


def hash_conversation(conversation: Conversation, source: str | Vendor | Wire | None = None) -> str:
    """The hash of a conversation, the same over every wire: 32 hex digits.

    Messages and tools count, but not options, ids and spelling.

    Args:
        conversation: A request, messages, or a body.
        source: The wire of a body; by default it is detected.

    Raises:
        ReadError: It is no conversation, or it is nested too deeply.
        NotMessages: The list holds anything but messages.
    """
    state = blake2b(digest_size=16)
    for item in _all(read_conversation(conversation, source)):
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
    """What differs between two conversations, in their order.

    Args:
        left: A request, messages, or a body.
        right: The other one.
        left_source: The wire of the left body; by default it is detected.
        right_source: The wire of the right body, likewise.

    Raises:
        ReadError: One of them is no conversation, or is nested too deeply.
        NotMessages: A list holds anything but messages.
    """
    left_items = _all(read_conversation(left, left_source))
    right_items = _all(read_conversation(right, right_source))
    keys = [_key(item) for item in left_items], [_key(item) for item in right_items]
    result: list[Difference] = []
    for tag, i, j, k, m in SequenceMatcher(None, *keys, autojunk=False).get_opcodes():
        if tag != "equal":
            result += _differences(left_items[i:j], right_items[k:m])
    return result


def _all(conversation: ChatRequest | Sequence[Msg]) -> list[Item]:
    tool_items = tools(conversation) if isinstance(conversation, ChatRequest) else []
    return [*tool_items, *items(conversation)]


def _key(item: Item) -> str:
    try:
        return item.key
    except RecursionError as error:
        raise ReadError("nested too deeply", path=item.where, code="json.deep") from error


def _differences(left: list[Item], right: list[Item]) -> list[Difference]:
    """Pair the items that differ, while their kinds agree; the rest was removed or inserted."""
    alike = [*takewhile(lambda pair: pair[0].same_kind(pair[1]), zip(left, right, strict=False))]
    result = [Difference("changed", a.kind, a.where, b.where, a.text, b.text) for a, b in alike]
    count = len(alike)
    result += [Difference("removed", a.kind, left=a.where, was=a.text) for a in left[count:]]
    result += [Difference("inserted", b.kind, right=b.where, now=b.text) for b in right[count:]]
    return result
