"""The base of wires that follow Chat Completions closely, for reading and writing requests.

Such a wire names its keys in tables and adds functions for what it does differently; the common
structure is here. An assistant's message has its calls in a field beside the content.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar

from ... import message as tree
from ...capabilities import Capabilities
from ...errors import WriteError
from ...history.passes.survey import TOOL, RoledHistory, Tools
from ...losses import Report
from ...message import ChatRequest, ContentBlock, Msg, Options, Origin, RawBlock, ResponseFormat
from ...message.known_tools import run_step
from ...stream.arguments import MADE
from ...text.json_text import Json, JsonObject
from .. import request_fields
from ..base import HttpRequest, Names, PreparedRequest, Room
from . import messages as chat_messages
from . import request as chat_request
from .messages import own_extras

_ROLES = ("system", "user", "assistant", "tool")

_NO_CALL = "nobody's"  # note on the spelling of a result: it names no call


class ChatRoom(Room):
    """A wire of the shape of Chat Completions."""

    __slots__ = ()
    option_keys: ClassVar[Mapping[str, str]]  # option -> its key
    ranges: ClassVar[Mapping[str, tuple[float, float]]] = {}  # of options
    choices: ClassVar[Mapping[str, str]]  # word -> mode, the usual word of each mode first
    lone_stop = True  # whether a single stop text may be given without a list
    # the spelling of a text that was the whole content and is now in a list
    text_spelling: str | None = None

    @staticmethod
    @abstractmethod
    def read_parts(
        parts: list[Json], issuer: str, origin: Origin | None = None
    ) -> list[ContentBlock]:
        """Read a list of parts; `origin` is the model that wrote them, if a model did."""

    @staticmethod
    @abstractmethod
    def part_as_read(block: ContentBlock, issuer: str) -> Json:
        """Return the part that a block was read from."""

    @abstractmethod
    def write_blocks(self, m: Msg, caps: Capabilities, report: Report) -> JsonObject:
        """Return the fields of a message for its blocks; none if each of them is a loss."""

    @abstractmethod
    def write_result(
        self, block: tree.ToolResultBlock, caps: Capabilities, report: Report
    ) -> JsonObject:
        """Return the entry of `messages` for a result."""

    @abstractmethod
    def read_thinking(self, body: JsonObject, notes: JsonObject) -> dict[str, Any]:
        """Take the options of thinking out of the body."""

    @abstractmethod
    def thinking_as_read(self, body: JsonObject, name: str, value: Any, notes: JsonObject) -> None:
        """Put an option of thinking into the body."""

    def read_request(
        self, body: JsonObject, path: str | None = None, headers: Mapping[str, str] | None = None
    ) -> ChatRequest:
        """Read the request of a body; fields that no node can hold become its extras."""
        unknown, notes = dict(body), dict[str, Any]()
        entries, model, stream = chat_request.read_envelope(unknown, notes)
        origin = Origin(self.issuer, model)
        req = ChatRequest(
            chat_messages.read_messages(entries, partial(self._read_message, origin)),
            model=model,
            stream=stream,
            **self.read_fields(unknown, notes),
        )
        req.extras = chat_messages.issuer_extras(self.issuer, unknown, notes)
        return req

    def body_as_read(self, req: ChatRequest, kept: Names, elements: list[Json]) -> JsonObject:
        """Write the body that `read_request` read: fields in `kept`, and those without a node."""
        body, notes = chat_request.write_envelope(req, kept, elements, self.issuer)
        for name, value in req.options.list_values():
            if name not in kept:
                continue
            if name == "stop":
                body[self.option_keys[name]] = value[0] if "stop" in notes else list(value)
            elif name in self.option_keys:
                body[self.option_keys[name]] = value
            else:
                self.thinking_as_read(body, name, value, notes)
        if req.tools and "tools" in kept:
            self.tools_as_read(body, req.tools)
        if req.tool_choice is not None and "tool_choice" in kept:
            note = notes.get("tool_choice")
            chat_request.write_choice(body, req.tool_choice, self.choices, note)
        if req.response_format is not None and "response_format" in kept:
            self.format_as_read(body, req.response_format, notes)
        return body

    def write(self, prepared: PreparedRequest, report: Report) -> HttpRequest:
        """Write the body around the messages."""
        request, caps, messages = prepared.request, prepared.caps, prepared.elements
        if messages is None:
            messages = self.messages(prepared.history, caps, report)
        body: JsonObject = {"model": prepared.model, "messages": messages}
        if prepared.offered:
            body |= run_step(_write_tools, prepared.offered, report, self, caps)
        if (tool_choice := request_fields.choice(prepared, report)) is not None:
            chat_request.write_choice(body, tool_choice, self.choices)
        if (form := request_fields.response_format(request, caps, report)) is not None:
            body["response_format"] = self.write_format(form, caps, report)
        body.update(self.write_options(request, caps, report))
        if request.stream:
            body["stream"] = True
        if request.extras is not None:
            chat_messages.replay(body, request, caps, report)
        return HttpRequest(self.endpoint(prepared), {}, body)

    def endpoint(self, prepared: PreparedRequest) -> str:
        """Return the path that the request is sent to, below the base URL."""
        path: str = self.dialect.path
        return path

    # the fields around the messages

    def tools(self, tools: Tools, caps: Capabilities, report: Report) -> list[JsonObject]:
        """Write function tools."""
        entries: list[JsonObject] = self.write_tools(tools, caps, report)["tools"]
        return entries

    def read_fields(self, body: JsonObject, notes: JsonObject) -> dict[str, Any]:
        """Take tools, choice, options and format out of the body."""
        choice = chat_request.read_choice_value(body.get("tool_choice"), self.choices)
        return {
            "tools": chat_request.read_tools(body, self.issuer),
            "tool_choice": chat_request.read_choice(body, notes, choice),
            "options": self.read_options(body, notes),
            "response_format": chat_request.read_format(body, notes, lone_type=False),
        }

    def tools_as_read(self, body: JsonObject, tools: Tools) -> None:
        """Put the tools into the body as they were read."""
        body["tools"] = [chat_request.tool_as_read(tool, self.issuer) for tool in tools]

    def write_tools(self, tools: Tools, caps: Capabilities, report: Report) -> JsonObject:
        """Return the fields for the tools."""
        return {"tools": [chat_request.write_tool(tool, caps, report) for tool in tools]}

    def format_as_read(self, body: JsonObject, form: ResponseFormat, notes: JsonObject) -> None:
        """Put the format into the body, around the fields that remained there."""
        chat_request.format_as_read(body, form, notes)

    def write_format(self, form: ResponseFormat, caps: Capabilities, report: Report) -> JsonObject:
        """Return the format as the wire takes it."""
        return chat_request.spelled_format(form, report)

    def read_options(self, body: JsonObject, notes: JsonObject) -> Options:
        """Take the options out of the body."""
        values: dict[str, Any] = {}
        for name, key in self.option_keys.items():
            value = request_fields.option_value(name, body.get(key))
            is_lone_stop = name == "stop" and isinstance(body.get(key), str)
            if value is None or (is_lone_stop and not self.lone_stop):
                continue
            values[name] = value
            del body[key]
            if is_lone_stop:
                notes["stop"] = "text"
        return Options(**values, **self.read_thinking(body, notes))

    def write_options(self, request: ChatRequest, caps: Capabilities, report: Report) -> JsonObject:
        """Return the options, each within its range."""
        body = request_fields.options(request, self.option_keys, caps, report)
        for name, limits in self.ranges.items():
            request_fields.within(body, self.option_keys[name], name, limits, request, report)
        return body

    # messages

    def read_other_blocks(self, fields: JsonObject, index: int) -> list[ContentBlock]:
        """Take the blocks that follow the content of an assistant's message out of its fields."""
        return chat_messages.read_calls(fields, self.issuer, index)

    def read_other_fields(self, m: Msg, fields: JsonObject) -> None:
        """Take the fields of an assistant's message that add to its other blocks."""

    def other_fields_as_read(self, entry: JsonObject, m: Msg) -> None:
        """Put the fields that `read_other_fields` took into the entry."""

    def _read_message(self, origin: Origin, entry: Json, index: int) -> Msg:
        """Read one entry of `messages`; an object without a known role is kept unchanged."""
        issuer = self.issuer
        role: Any = entry.get("role") if isinstance(entry, dict) else None
        if not isinstance(role, str) or role not in _ROLES:
            return chat_messages.no_message(entry, issuer)
        fields = {key: value for key, value in entry.items() if key != "role"}
        if role == "tool":
            result = self._read_result(fields, entry)
            # they move together with the result
            result.extras = {issuer: fields} if fields else None
            m, fields = Msg.create_unchecked("", [result], "tool"), {}
        else:
            author = origin if role == "assistant" else None
            content, note = chat_messages.content(fields, issuer, self.read_parts, author)
            if author is not None and (following := self.read_other_blocks(fields, index)):
                content = [*self.content_list(content), *following]
            m = Msg.create_unchecked("", content, role)  # type: ignore[arg-type]  # one of the roles
            m.spelling = note
            if author is not None:
                self.read_other_fields(m, fields)
        m.read_from = entry
        if fields:
            m.extras = {issuer: fields}
        return m

    def content_list(self, content: str | list[ContentBlock]) -> list[ContentBlock]:
        """Return a content as a list of blocks; a text becomes the first block."""
        if not isinstance(content, str):
            return content
        return [tree.TextBlock(content, spelling=self.text_spelling)] if content else []

    def _read_result(self, fields: JsonObject, entry: JsonObject) -> tree.ToolResultBlock:
        id, name = fields.get("tool_call_id"), fields.get("name")
        block = tree.ToolResultBlock(
            fields.pop("tool_call_id") if isinstance(id, str) else "",
            fields.pop("name") if isinstance(name, str) and name else "",
        )
        content, note = chat_messages.content(fields, self.issuer, self.read_parts)
        block.output = None if note in ("null", "absent") else content
        notes = [note or "", "" if isinstance(id, str) else _NO_CALL]
        block.spelling = " ".join(filter(None, notes)) or None
        block.read_from = entry
        return block

    def message_as_read(self, m: Msg) -> Json:
        """Return the entry of `messages` that the message was read from."""
        content: Any = m.content
        if isinstance(content, str):
            entry: JsonObject = {"role": m.role, "content": content}
        elif len(content) == 1 and type(content[0]) is RawBlock and content[0].role == "message":
            return content[0].data
        elif m.role == "tool":
            entry = self._result_as_read(content[0])
        else:
            entry = self.blocks_as_read(m)
        self.other_fields_as_read(entry, m)
        self.add_fields(entry, (m.extras or {}).get(self.issuer, {}))
        return entry

    def add_fields(self, entry: JsonObject, fields: JsonObject) -> None:
        """Add fields that no node can hold to the entry of a message."""
        entry.update(fields)

    def own_fields(self, m: Msg, caps: Capabilities) -> JsonObject:
        """Return the extra fields of a new message that this wire understands."""
        return own_extras(m, caps)

    def blocks_as_read(self, m: Msg) -> JsonObject:
        """Return the entry of a message of blocks."""
        calls, parts = chat_messages.split_calls(m.blocks)
        entry: JsonObject = {"role": m.role}
        if calls:
            entry["tool_calls"] = chat_messages.calls_as_read(calls, self.issuer)
        return self.content_as_read(entry, parts, m)

    def content_as_read(self, entry: JsonObject, parts: list[ContentBlock], m: Msg) -> JsonObject:
        """Return the entry with the content of its message."""
        note = (m.spelling or "").partition(" ")[0]
        text = parts[0] if len(parts) == 1 else None
        if type(text) is tree.TextBlock and text.spelling == self.text_spelling:
            entry["content"] = text.text
        elif parts or note == "list":
            entry["content"] = [self.part_as_read(part, self.issuer) for part in parts]
        elif note != "absent":
            entry["content"] = None if note == "null" else ""
        return entry

    def _result_as_read(self, block: tree.ToolResultBlock) -> JsonObject:
        entry: JsonObject = {"role": "tool"}
        notes = (block.spelling or "").split()
        if _NO_CALL not in notes:
            entry["tool_call_id"] = "" if MADE in notes else block.id
        if block.name:
            entry["name"] = block.name
        output = block.output
        if isinstance(output, list):
            entry["content"] = [self.part_as_read(item, self.issuer) for item in output]
        elif "absent" not in notes:
            entry["content"] = output
        self.add_fields(entry, (block.extras or {}).get(self.issuer, {}))
        return entry

    def messages(
        self, history: RoledHistory, caps: Capabilities, report: Report
    ) -> list[JsonObject]:
        """Write one entry for each message, and one for each tool result."""
        entries: list[JsonObject] = []
        for m, role in zip(history.msgs, history.roles, strict=True):
            content: Any = m.content
            if type(content) is str:
                entry: JsonObject = {"role": _ROLES[role], "content": content}
            elif role == TOOL:
                for block in content:
                    if type(block) is not tree.ToolResultBlock:
                        raise WriteError(
                            f"{block.type} at the tools' seat", code="placement.unsupported"
                        )
                    entries.append(self.write_result(block, caps, report))
                continue
            elif fields := self.write_blocks(m, caps, report):
                entry = {"role": _ROLES[role], **fields}
            else:
                continue  # each of its blocks is a loss
            if m.extras is not None:
                self.add_fields(entry, self.own_fields(m, caps))
            entries.append(entry)
        return entries


def _write_tools(tools: Tools, room: ChatRoom, caps: Capabilities, report: Report) -> JsonObject:
    """Write the fields for the tools: a step that may be known."""
    return room.write_tools(tools, caps, report)
