"""Messages of a request, read into the tree, and said again as they were read.

`read_messages` and `message_as_read` are each other's inverse. Reference: Model Studio, "Qwen API
via DashScope", `input.messages`; requests of its SDKs, AgentScope and Qwen-Agent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, assert_never

from ..._core.jsontext import Json, JsonObject
from ..._core.passes.roles import TOOL, RoledHistory
from ...capabilities import Capabilities
from ...errors import WriteError
from ...losses import Report
from ...message import (
    AudioBlock,
    Base64Source,
    DocumentBlock,
    FileSource,
    ImageBlock,
    LocalSource,
    Msg,
    Origin,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    VideoBlock,
)
from ...message.blocks import CacheHint, ContentBlock, MediaBlock
from ..chat_shape import (
    arguments_of,
    call_as_read,
    filled,
    no_message,
    own_extras,
    read_calls,
    result_text,
)
from ..chat_shape import read_messages as retold_read_messages
from .blocks import marked, part_as_read, read_part, unmarked
from .dialect import Dialect

_ROLES = ("system", "user", "assistant", "tool")


_UNKNOWN = "nobody's"  # the spelling of a result that does not say whose call it answers


def read_messages(listed: Sequence[Json], issuer: str, model: str | None) -> list[Msg]:
    """The entries of `messages`; a result that names no call belongs to the first of its name."""
    origin = Origin(issuer, model)
    return retold_read_messages(listed, lambda told, at: _read_message(told, issuer, origin, at))


def _read_message(told: Json, issuer: str, origin: Origin, place: int) -> Msg:
    """One of them; what is no message of a known role is kept as it came."""
    role = told.get("role") if isinstance(told, dict) else None
    if not isinstance(told, dict) or not isinstance(role, str) or role not in _ROLES:
        return no_message(told, issuer)
    rest = {key: value for key, value in told.items() if key != "role"}
    if role == "tool":
        return _result(rest, issuer)
    blocks: list[ContentBlock] = []
    thinking = rest.get("reasoning_content") if role == "assistant" else None
    if isinstance(thinking, str) and thinking:
        blocks.append(ThinkingBlock(rest.pop("reasoning_content"), origin=origin))
    said, word = _content(rest, issuer)
    calls = read_calls(rest, issuer, place) if role == "assistant" else []
    content: Any = said
    if not isinstance(said, str):
        content = [*blocks, *said, *calls]
    elif blocks or calls:
        content = [*blocks, *([TextBlock(said)] if said else []), *calls]
        word = "string"
    made = Msg.trusted("", content, role)  # type: ignore[arg-type]  # one of the roles
    made.spelling = word or None
    if rest:
        made.cache = unmarked(rest)
    if rest:
        made.extras = {issuer: rest}
    return made


def _content(rest: JsonObject, issuer: str) -> tuple[str | list[ContentBlock], str]:
    """(what is said, how it is spelled); what is no content stays among the other fields."""
    if "content" not in rest:
        return [], "absent"
    said = rest["content"]
    if isinstance(said, str):
        return rest.pop("content"), ""
    if isinstance(said, list):
        del rest["content"]
        return [read_part(part, issuer) for part in said], "list"
    if said is None:
        del rest["content"]
        return [], "null"
    return [], "absent"


def _result(rest: JsonObject, issuer: str) -> Msg:
    block = ToolResultBlock("")
    words = []
    if isinstance(rest.get("tool_call_id"), str) and rest["tool_call_id"]:
        block.id = rest.pop("tool_call_id")
    else:
        words.append(_UNKNOWN)
    if isinstance(rest.get("name"), str) and rest["name"]:
        block.name = rest.pop("name")
    said, word = _content(rest, issuer)
    block.output = said if word in ("", "list") else None
    block.spelling = " ".join(filter(None, [word, *words])) or None
    made = Msg.trusted("", [block], "tool")
    if rest:
        made.cache = unmarked(rest)
    if rest:
        block.extras = {issuer: rest}
    return made


def message_as_read(m: Msg, issuer: str) -> Json:
    """The entry of `messages` that `read_messages` made the message of."""
    content: Any = m.content
    own: JsonObject = (m.extras or {}).get(issuer, {})
    made: JsonObject
    if type(content) is str:
        made = {"role": m.role, "content": content}
    elif m.role == "tool":
        made = _result_as_read(content[0], issuer)
    elif len(content) == 1 and type(content[0]) is RawBlock and content[0].role == "message":
        return content[0].data
    else:
        made = _blocks_as_read(m, issuer)
    return {**made, **marked(m.cache), **own}


def _blocks_as_read(m: Msg, issuer: str) -> JsonObject:
    made: JsonObject = {"role": m.role}
    parts: list[ContentBlock] = []
    calls: list[Json] = []
    for block in m.blocks:
        if type(block) is ToolUseBlock or (type(block) is RawBlock and block.role == "call"):
            calls.append(call_as_read(block, issuer, len(calls)))
        elif type(block) is ThinkingBlock:
            made["reasoning_content"] = block.thinking
        else:
            parts.append(block)
    if m.spelling == "string":
        made["content"] = "".join(part.text for part in parts if type(part) is TextBlock)
    elif m.spelling == "list":
        made["content"] = [part_as_read(part, issuer) for part in parts]
    elif m.spelling == "null":
        made["content"] = None
    if calls:
        made["tool_calls"] = calls
    return made


def _result_as_read(block: ToolResultBlock, issuer: str) -> JsonObject:
    words = (block.spelling or "").split()
    made: JsonObject = {"role": "tool"}
    if isinstance(block.output, list):
        made["content"] = [part_as_read(part, issuer) for part in block.output]
    elif "absent" not in words:
        made["content"] = block.output
    if _UNKNOWN not in words:
        made["tool_call_id"] = block.id
    if block.name:
        made["name"] = block.name
    return {**made, **(block.extras or {}).get(issuer, {})}


Form: TypeAlias = Literal["string", "parts", "either"]


def form_of(endpoint: str) -> Form:
    """How an endpoint takes content."""
    if not endpoint:
        return "either"
    return "parts" if "multimodal" in endpoint else "string"


class Writer:
    """Writes messages in one form of content."""

    __slots__ = ("can", "dialect", "form", "report")

    def __init__(self, caps: Capabilities, dialect: Dialect, form: Form, report: Report) -> None:
        self.can = caps
        self.dialect = dialect
        self.form = form
        self.report = report

    def messages(self, history: RoledHistory) -> list[JsonObject]:
        """One wire message for each message, and one for each tool result."""
        out: list[JsonObject] = []
        listed, strings = self.form == "parts", self.form == "string"
        for m, seat in zip(history.msgs, history.seats, strict=True):
            content = m.content
            if type(content) is str:
                said: Any = content
                if listed or not (content or strings):
                    said = [{"text": content}]
                made: JsonObject = {"role": _ROLES[seat], "content": said}
            elif seat == TOOL:
                out.extend(self._result(block) for block in m.blocks)
                continue
            else:
                made = self._blocks(m, seat)
            if m.extras is not None:
                made.update(own_extras(m, self.can))
            out.append(made)
        return out

    def _blocks(self, m: Msg, seat: int) -> JsonObject:
        parts: list[JsonObject] = []
        calls: list[JsonObject] = []
        thoughts: list[str] = []
        bare = True
        for block in m.blocks:
            if type(block) is TextBlock and block.cache is None and block.extras is None:
                parts.append({"text": block.text})
            elif (
                type(block) is TextBlock
                or type(block) is ImageBlock
                or type(block) is AudioBlock
                or type(block) is VideoBlock
                or type(block) is DocumentBlock
                or type(block) is RawBlock
            ):
                parts.append(self._part(block))
                bare = bare and type(block) is TextBlock and parts[-1].keys() == {"text"}
            elif type(block) is ToolUseBlock:
                calls.append(self._call(block))
            elif type(block) is ThinkingBlock:
                thoughts.append(block.thinking)
            elif type(block) is ToolResultBlock or type(block) is RefusalBlock:
                raise WriteError(f"{block.type} at this seat", code="seat.unsaid")
            else:
                assert_never(block)
        made: JsonObject = {
            "role": _ROLES[seat],
            "content": self._content(parts, bare, bool(calls)),
        }
        if thoughts:
            made["reasoning_content"] = "\n".join(thoughts)
        if calls:
            made["tool_calls"] = calls
        return made

    def _content(self, parts: list[JsonObject], bare: bool, calls: bool) -> Any:
        if not parts:
            return self._nothing(calls)
        if self.form == "parts" or not bare:
            return parts
        # several texts are joined as AgentScope joins them: without the empty ones
        said = "\n".join(part["text"] for part in parts if part["text"])
        return parts if self.form == "either" and not said else said

    def _nothing(self, calls: bool) -> Any:
        """Content without a part: beside calls what the endpoint itself answers."""
        if self.form == "string" or (self.form == "either" and not calls):
            return ""
        if not calls:
            return [{"text": ""}]
        # qwen3-max repeats a call for ever behind a null text, so only who asks for it gets it
        null = self.form == "either" and self.dialect.call_content == "null_text"
        return [{"text": None}] if null else []

    def _part(self, block: TextBlock | MediaBlock | RawBlock) -> JsonObject:
        if type(block) is RawBlock:
            if not isinstance(block.data, dict):
                raise WriteError("a raw part that is no object", code="seat.unsaid")
            return block.data
        if type(block) is DocumentBlock:
            raise WriteError("no part holds a document", code="seat.unsaid")
        said = block.text if type(block) is TextBlock else _link(block)
        made: JsonObject = {block.type: said}
        if block.cache is not None:
            made["cache_control"] = _cache_control(block.cache)
        if block.extras is not None:
            made.update(own_extras(block, self.can))
        return made

    def _call(self, block: ToolUseBlock) -> JsonObject:
        if block.cache is not None:
            # a mark stands on a part of the content, and a call is none
            self.report.lost("cache.unsaid", block, "cache")
        made: JsonObject = {
            "id": block.id,
            "type": "function",
            "function": {"name": block.name, "arguments": arguments_of(block)},
        }
        if block.extras is not None:
            filled(made, own_extras(block, self.can))
        return made

    def _result(self, block: ContentBlock) -> JsonObject:
        if type(block) is not ToolResultBlock:
            raise WriteError(f"{block.type} at the tools' seat", code="seat.unsaid")
        made: JsonObject = {
            "role": "tool",
            "tool_call_id": block.id,
            "content": self._output(block),
        }
        if block.name:
            made["name"] = block.name
        if block.extras is not None:
            made.update(own_extras(block, self.can))
        return made

    def _output(self, block: ToolResultBlock) -> Any:
        """A result is a string on both endpoints, and a list where it holds more than text."""
        output = block.output
        if isinstance(output, list) and not all(self._is_bare(inner) for inner in output):
            parts = [self._inner(inner) for inner in output]
        else:
            text = result_text(block, self.dialect.bullets)
            if block.cache is None:
                return text
            parts = [{"text": text}]
        if block.cache is not None:
            parts[-1] = {**parts[-1], "cache_control": _cache_control(block.cache)}
        return parts

    def _is_bare(self, block: ContentBlock) -> bool:
        """Whether the block is text and nothing more."""
        return type(block) is TextBlock and (
            (block.cache is None and block.extras is None) or self._part(block).keys() == {"text"}
        )

    def _inner(self, block: ContentBlock) -> JsonObject:
        match block:
            case (
                TextBlock() | ImageBlock() | AudioBlock() | VideoBlock() | DocumentBlock()
                | RawBlock()
            ):  # fmt: skip
                return self._part(block)
            case ToolUseBlock() | ToolResultBlock() | ThinkingBlock() | RefusalBlock():
                raise WriteError(f"{block.type} inside a tool result", code="seat.unsaid")
            case _:
                assert_never(block)


def _cache_control(hint: CacheHint) -> JsonObject:
    made: JsonObject = {"type": "ephemeral"}
    if hint.ttl is not None:
        made["ttl"] = hint.ttl
    return made


def _link(block: ImageBlock | AudioBlock | VideoBlock) -> str:
    source = block.source
    match source:
        case URLSource(url=url):
            return url
        case FileSource(file_id=url):
            return url
        case Base64Source():
            return source.data_uri()
        case LocalSource():
            raise WriteError(f"{block.type} from a local file", code="seat.unsaid")
        case _:
            assert_never(source)
