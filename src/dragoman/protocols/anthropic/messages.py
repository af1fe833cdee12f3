"""Reads and writes the messages and the system prompt of a request, and knows a body by them.

`message_as_read` and `content_as_read` write back unchanged what `read_message` and `read_system`
read. Reference: Anthropic API, "Create a Message", `messages` and `system`.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from ...capabilities import Capabilities
from ...history.passes.survey import ASSISTANT, RoledHistory
from ...losses import Report
from ...message import ContentBlock, Msg, Origin, RawBlock, ToolResultBlock, ToolUseBlock
from ...message.blocks import BILLING
from ...text.json_text import Json, JsonObject
from ..base import Room
from ..chat_like.messages import no_message, own_extras, without
from .blocks import NodeFields, read_part, write_block
from .dialect import Dialect
from .server_tools import is_server_block

_ROLES = ("user", "assistant", "system")


def read_message(data: Json, issuer: str, origin: Origin | None = None) -> Msg:
    """Read one entry of `messages`; one without a known role is kept unchanged.

    A content that is neither text nor a list becomes an extra field.
    """
    role = data.get("role") if isinstance(data, dict) else None
    if not isinstance(role, str) or role not in _ROLES:
        return no_message(data, issuer)
    m = Msg.create_unchecked("", [], role)  # type: ignore[arg-type]  # one of the roles
    m.read_from = data
    content = data.get("content")
    if type(content) is str:
        m.content = content
    elif type(content) is list:
        m.content = [read_part(part, issuer, origin) for part in content]
    else:
        m.spelling = "null" if content is None and "content" in data else "absent"
    if len(data) > 2 or m.spelling == "absent":
        unknown = without(data, "role", *(() if m.spelling == "absent" else ("content",)))
        m.extras = {issuer: unknown} if unknown else None
    return m


def message_as_read(room: Room, m: Msg) -> Json:
    """Return the entry of `messages` that `read_message` read."""
    content: Any = m.content
    if len(content) == 1 and type(content[0]) is RawBlock and content[0].role == "message":
        return content[0].data
    entry: JsonObject = {"role": m.role}
    if m.spelling == "null":
        entry["content"] = None
    elif m.spelling != "absent":
        entry["content"] = content_as_read(m, room.issuer)
    if m.extras is not None:
        entry.update(m.extras.get(room.issuer, {}))
    return entry


def content_as_read(m: Msg, issuer: str) -> Json:
    """Return the `content` of a message, or the `system`, that the message was read from."""
    if isinstance(m.content, str):
        return m.content

    def fields(node: Any) -> JsonObject:
        return (node.extras or {}).get(issuer, {})  # type: ignore[no-any-return]  # an object

    return [write_block(block, fields, as_read=True) for block in m.content]


def read_system(data: Json, issuer: str) -> Msg | None:
    """Read the top-level system prompt: one message with all its blocks; None for anything else."""
    if not isinstance(data, str | list):
        return None
    is_text = isinstance(data, str)
    parts = data if is_text else [_read_system_part(part, issuer) for part in data]
    m = Msg.create_unchecked("", parts, "system")
    m.spelling = "top string" if is_text else "top list"
    m.read_from = data
    return m


# Claude Code 2.1.332 (2026-11-28) begins its prompt this way. The line is meant for Anthropic's own
# accounts and may differ in each call, which breaks the prefix cache of every other host.
_BILLING = "x-anthropic-billing-header:"


def _read_system_part(part: Json, issuer: str) -> ContentBlock:
    """Read one block of `system`; a billing line goes back only to this provider."""
    if _is_billing(part):
        block = RawBlock(issuer, part, by="client")
        block.spelling = BILLING
        block.read_from = part
        return block
    return read_part(part, issuer)


def _is_billing(part: Json) -> bool:
    text = part.get("text") if isinstance(part, dict) else None
    return isinstance(text, str) and text.startswith(_BILLING)


def at_top(m: Msg) -> bool:
    """Whether the message was read from `system`, and not from the list of messages."""
    return m.spelling is not None and m.spelling.partition(" ")[0] == "top"


_TEXT_KEYS = {"type", "text"}
TOOLSET = "toolset_name"
_WIRE_ROLES = ("system", "user", "assistant", "user")  # of SYSTEM, USER, ASSISTANT, TOOL


# A single loop: a function call for each message would take a tenth of its time.
def write_messages(
    room: Room, history: RoledHistory, caps: Capabilities, report: Report, start: int = 0
) -> list[JsonObject]:
    """Write one wire message for each message from `start` on; a system prompt keeps its role."""
    entries: list[JsonObject] = []
    always_list = room.dialect.text == "blocks"
    add_thinking = caps.empty_thinking and caps.thinking != "never"
    fields: NodeFields = partial(own_extras, caps=caps)
    toolsets = _Toolsets(history, fields)
    msgs, roles, marks = history.msgs[start:], history.roles[start:], history.marks()[start:]
    for m, role, unusual in zip(msgs, roles, marks, strict=True):
        content: Any = m.content
        if type(content) is str:
            if always_list:
                content = [{"type": "text", "text": content}]
            if not unusual:
                entries.append({"role": _WIRE_ROLES[role], "content": content})
                continue
        else:
            block = content[0] if len(content) == 1 and not (unusual or add_thinking) else None
            if type(block) is ToolUseBlock:  # plain calls and results are most of a history
                id, name, input = block.id, block.name, block.input
                call = {"type": "tool_use", "id": id, "name": name, "input": input}
                entries.append({"role": "assistant", "content": [call]})
                continue
            if type(block) is ToolResultBlock:
                text: Any = block.output if not toolsets.names else None
                if type(text) is list and len(text) == 1:
                    text = text[0].text  # a usual result holds only texts
                if type(text) is str and text and not text.isspace():
                    parts = [{"type": "text", "text": text}]
                    result = {"type": "tool_result", "tool_use_id": block.id, "content": parts}
                    entries.append({"role": "user", "content": [result]})
                    continue
            content = [toolsets.note_toolset(write_block(block, fields)) for block in content]
            if add_thinking and role == ASSISTANT:
                content = _with_thinking(content)
            if not always_list and len(content) == 1 and content[0].keys() == _TEXT_KEYS:
                content = content if _is_answer(m, caps) else content[0]["text"]
        entry: JsonObject = {"role": _WIRE_ROLES[role], "content": content}
        if unusual and m.extras is not None:
            entry.update(own_extras(m, caps))
        entries.append(entry)
    return entries


class _Toolsets:
    """The toolset that each call belongs to, which its result has to repeat.

    Reference: Anthropic API, "Create a message", `toolset_name` of `tool_use` and `tool_result`.
    """

    def __init__(self, history: RoledHistory, fields: NodeFields) -> None:
        self.names: dict[str, Json] = {}  # by the id of the call
        for id, call in history.called.items():
            if call.extras is not None and TOOLSET in (found := fields(call)):
                self.names[id] = found[TOOLSET]

    def note_toolset(self, data: JsonObject) -> JsonObject:
        """Store the toolset of a call, or add it to a result; return the block."""
        if data.get("type") == "tool_use" and TOOLSET in data:
            self.names[data["id"]] = data[TOOLSET]
        elif data.get("type") == "tool_result" and data["tool_use_id"] in self.names:
            data.setdefault(TOOLSET, self.names[data["tool_use_id"]])
        return data


def _is_answer(m: Msg, caps: Capabilities) -> bool:
    """Whether the message is an answer of this wire, which goes back as the list that it was."""
    return m.role == "assistant" and m.origin is not None and m.origin.issuer in caps.reads


def _with_thinking(blocks: list[JsonObject]) -> list[JsonObject]:
    """Return the blocks of a turn with thinking before its calls, empty if there is none."""
    kinds = {block.get("type") for block in blocks}
    if "tool_use" not in kinds or kinds & {"thinking", "redacted_thinking"}:
        return blocks
    return [{"type": "thinking", "thinking": "", "signature": ""}, *blocks]


def write_system(history: RoledHistory, end: int, caps: Capabilities, dialect: Dialect) -> Json:
    """Write `system`: the messages before `end`, as one text or as blocks."""
    as_text = dialect.text == "string"
    if end == 1 and type(text := history.msgs[0].content) is str and as_text:
        return text
    fields: NodeFields = partial(own_extras, caps=caps)
    blocks = [write_block(block, fields) for m in history.msgs[:end] for block in m.blocks]
    if as_text and len(blocks) == 1 and blocks[0].keys() == _TEXT_KEYS:
        return blocks[0]["text"]
    return blocks


# -- whether a body has such messages --------------------------------------------------------------


# blocks of messages beside those of server tools
_BLOCKS = frozenset(
    {
        "text",
        "image",
        "document",
        "search_result",
        "tool_use",
        "tool_result",
        "thinking",
        "redacted_thinking",
        "container_upload",
        "compaction",
        "fallback",
        "tool_addition",
        "tool_removal",
    }
)


_FOREIGN = frozenset({"input", "contents", "generationConfig", "inferenceConfig", "instructions",
                      "max_completion_tokens", "frequency_penalty", "presence_penalty", "n",
                      "response_format", "stream_options", "parallel_tool_calls", "stop", "seed",
                      "logprobs", "functions", "options", "reasoning_effort", "random_seed",
                      "modalities", "logit_bias", "store", "user", "max_output_tokens",
                      "documents", "citation_options", "safe_prompt"})  # fmt: skip


_PATHS = (
    "/messages",
    "/invoke",
    "/invoke-with-response-stream",
    ":rawPredict",
    ":streamRawPredict",
)


_CHOICES = ("auto", "any", "none", "tool")
_MARKS = ("max_tokens", "anthropic_version", "thread")  # every body has one of them


def claims(body: Json, path: str | None = None) -> bool:
    """Whether a body can be a request to `POST /v1/messages`, or to a host of this protocol."""
    if not isinstance(body, dict) or not isinstance(body.get("messages"), list):
        return False
    if path is not None and not path.partition("?")[0].endswith(_PATHS):
        return False
    if body.keys().isdisjoint(_MARKS) or not _FOREIGN.isdisjoint(body) or not _claims_tools(body):
        return False
    first = body["messages"][0] if body["messages"] else None
    opens_with_prompt = isinstance(first, dict) and first.get("role") == "system"
    return not opens_with_prompt and all(map(_claims_message, body["messages"]))


def _claims_tools(body: JsonObject) -> bool:
    tools, tool_choice = body.get("tools"), body.get("tool_choice")
    for tool in tools if isinstance(tools, list) else ():
        if not isinstance(tool, dict) or "function" in tool or tool.get("type") == "function":
            return False
    is_choice = isinstance(tool_choice, dict) and tool_choice.get("type") in _CHOICES
    return tool_choice is None or is_choice


def _claims_message(data: Json) -> bool:
    is_message = isinstance(data, dict) and "tool_calls" not in data
    if not is_message or data.get("role") not in ("user", "assistant", "system"):
        return False
    content = data.get("content")
    if isinstance(content, list):
        return all(map(_claims_block, content))
    return isinstance(content, str)


def _claims_block(data: Json) -> bool:
    kind = data.get("type") if isinstance(data, dict) else None
    if kind in ("image", "document"):
        return isinstance(data.get("source"), dict)
    return isinstance(kind, str) and (kind in _BLOCKS or is_server_block(kind))
