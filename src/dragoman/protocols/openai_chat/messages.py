"""Messages of a request, read into the tree, and said again as they were read.

`read_messages` and `message_as_read` are each other's inverse, whatever a dialect or a model may
take. Reference: OpenAI API, "Create chat completion", `messages`; requests of some forty clients.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, assert_never

from ..._core.jsontext import Json, JsonObject, arguments
from ..._core.passes.roles import (
    ASSISTANT,
    FOLLOWING,
    PARALLEL,
    SYSTEM,
    TOOL,
    USER,
    RoledHistory,
    concluded,
)
from ..._core.stream.think_tags import glued
from ...capabilities import Capabilities
from ...errors import WriteError
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
from ...message.blocks import CacheHint, ContentBlock
from ...message.request import answered, said
from ..chat_shape import arguments_of, own_extras, result_text
from .blocks import (
    LEGACY,
    PART,
    call_as_read,
    marked,
    media_part,
    paired,
    part_as_read,
    read_calls,
    read_part,
    read_said,
    read_thoughts,
    say_thought,
    thought,
    unmarked,
    usual_calls,
)
from .dialect import Dialect

_ROLES = ("system", "developer", "user", "assistant", "tool", "function")


_CALLED = "called"  # the result is named as its call is, and does not say so itself


_PLAIN = {"user": USER, "assistant": ASSISTANT, "system": SYSTEM, "developer": SYSTEM}


_RESULTS = ("tool", "function")


# one loop by design, which seats what it reads: a survey of its own costs a third as much again
def read_messages(  # noqa: C901, PLR0912, PLR0915
    listed: Sequence[Json], issuer: str, origin: Origin
) -> tuple[list[Msg], RoledHistory | None]:
    """The messages of a request, and their seats if nothing in them is unusual.

    `origin` is who wrote them, and whose thinking they hold.
    """
    made: list[Msg] = []
    history = RoledHistory(made, [])
    seats = history.seats
    names: dict[str, str] = {}  # of the tools that were called: results seldom say them
    answerers: list[str] = []
    waiting = 0  # calls whose results have not come yet
    usual = True
    legacy = False
    for told in listed:  # the usual shapes first, by what is nothing but usual in them
        try:
            size, role, content = len(told), told["role"], told["content"]
            if size == 2 and type(content) is str:
                seats.append(_PLAIN[role])
                made.append(said(content, role, origin))
                if waiting or not content or content.isspace():
                    usual = False
                continue
        except (LookupError, TypeError):  # something is missing, or it is no object
            size, role, content = 0, None, None
        if size == 3 and role == "tool" and type(content) is str:
            id = told.get("tool_call_id")
            if type(id) is str:
                waiting -= 1
                if waiting:
                    usual = usual and waiting > 0
                    history.flags |= PARALLEL
                if content.isspace():
                    usual = False
                name = names.get(id)
                spelling = None if name is None else _CALLED
                made.append(said([answered(id, name or "", content, spelling)], "tool", origin))
                seats.append(TOOL)
                history.results.append(id)
                answerers.append(name or "")
                continue
        elif size == 3 and content is None and role == "assistant":
            calls = usual_calls(told.get("tool_calls"), names, history)
            if calls:
                if waiting:
                    usual = False
                waiting = len(calls)
                m = said(calls, "assistant", origin)
                m.spelling = "null"
                made.append(m)
                if seats and seats[-1] == ASSISTANT:
                    history.flags |= FOLLOWING
                seats.append(ASSISTANT)
                continue
        usual = False
        legacy = legacy or (type(told) is dict and LEGACY in told)
        made.append(_message(told, issuer, origin))
        made[-1].origin = origin
        _name(made[-1], names)
    if legacy:
        paired(made)
    return made, concluded(history, answerers, waiting) if usual else None


def _name(m: Msg, names: dict[str, str]) -> None:
    """Remember the calls of a message by name, and name its results by those."""
    for block in () if isinstance(m.content, str) else m.content:
        if type(block) is ToolUseBlock:
            names[block.id] = block.name
        elif type(block) is ToolResultBlock and block.id and not block.name and block.id in names:
            block.name = names[block.id]
            block.spelling = f"{block.spelling} {_CALLED}" if block.spelling else _CALLED


def _message(told: Json, issuer: str, origin: Origin) -> Msg:
    """One entry of `messages`; what is no message of a known role is kept as it came."""
    role = told.get("role") if isinstance(told, dict) else None
    if not isinstance(role, str) or role not in _ROLES:
        return Msg.trusted("", [RawBlock(issuer, told, "message", by="client")], "user")
    rest = {key: value for key, value in told.items() if key != "role"}
    name = rest.pop("name") if isinstance(rest.get("name"), str) and rest["name"] else ""
    if role in _RESULTS:
        made = Msg.trusted("", [_result(rest, name, role, issuer)], "tool")
    else:
        blocks = read_thoughts(rest, issuer, origin) if role == "assistant" else []
        said, spelling = _content(rest, issuer, read_said)
        after = read_calls(rest, issuer) if role == "assistant" else []
        plain = isinstance(said, str) and not blocks and not after
        if isinstance(said, str) and not plain:
            spelling = "string"
            said = [TextBlock(said)]
        content: Any = said if plain else [*blocks, *said, *after]
        made = Msg.trusted(name, content, role)  # type: ignore[arg-type]  # one of the roles
        made.spelling = spelling or None
    hint, key = unmarked(rest)
    if hint is not None:
        made.cache = hint
        made.spelling = f"{made.spelling or ''} {key}"
        del rest[key]
    if rest:
        made.extras = {issuer: rest}
    return made


def _content(
    rest: JsonObject, issuer: str, read: Callable[[Json, str], ContentBlock] = read_part
) -> tuple[str | list[ContentBlock], str]:
    """(what is said, how it is spelled)."""
    if "content" not in rest:
        return [], "absent"
    said = rest["content"]
    if isinstance(said, str):
        return rest.pop("content"), ""
    if isinstance(said, list):
        del rest["content"]
        return [read(part, issuer) for part in said], "list"
    if said is None:
        del rest["content"]
        return [], "null"
    return [], "absent"  # no content that anybody knows: it stays among the other fields


def _result(rest: JsonObject, name: str, role: str, issuer: str) -> ToolResultBlock:
    id = rest.get("tool_call_id")
    block = ToolResultBlock(rest.pop("tool_call_id") if isinstance(id, str) else "", name)
    said, spelling = _content(rest, issuer)
    block.output = said if spelling in ("", "list") else None
    words = [spelling, "" if isinstance(id, str) else "nobody's", "" if role == "tool" else role]
    block.spelling = " ".join(filter(None, words)) or None
    return block


def message_as_read(m: Msg, issuer: str) -> Json:
    """The entry of `messages` that `read_messages` made the message of."""
    content: Any = m.content
    own = (m.extras or {}).get(issuer, {})
    if type(content) is str:
        made: JsonObject = {"role": m.role, "content": content}
    elif len(content) == 1 and type(content[0]) is RawBlock and content[0].role == "message":
        return content[0].data
    elif m.role == "tool":
        made = _said_result(content[0], issuer)
    else:
        made = _said(m, issuer)
    if m.name:
        made["name"] = m.name
    if m.cache is not None:
        made.update(marked(m.cache, (m.spelling or "").partition(" ")[2]))
    made.update(own)
    return made


def _said_result(block: ToolResultBlock, issuer: str) -> JsonObject:
    words = (block.spelling or "").split()
    made: JsonObject = {"role": "function" if "function" in words else "tool"}
    if "nobody's" not in words:
        made["tool_call_id"] = block.id
    if block.name and _CALLED not in words:
        made["name"] = block.name
    output = block.output
    if isinstance(output, list):
        made["content"] = [part_as_read(one, issuer) for one in output]
    elif "absent" not in words:
        made["content"] = output
    return made


def _said(m: Msg, issuer: str) -> JsonObject:
    made: JsonObject = {"role": m.role}
    parts = [block for block in m.blocks if not _beside(block, made, issuer)]
    word = (m.spelling or "").partition(" ")[0]
    if word == "string":
        made["content"] = parts[0].text  # type: ignore[union-attr]  # the one text
    elif word == "list":
        made["content"] = [part_as_read(part, issuer) for part in parts]
    elif word == "null":
        made["content"] = None
    return made


def _beside(block: ContentBlock, made: JsonObject, issuer: str) -> bool:
    """Put a block into the field that it was read from; False if it is content."""
    if type(block) is ToolUseBlock:
        if block.spelling == LEGACY:
            made[LEGACY] = call_as_read(block, issuer)
        elif (block.spelling or "").startswith(PART):
            return False
        else:
            made.setdefault("tool_calls", []).append(call_as_read(block, issuer))
    elif type(block) is RawBlock and block.spelling == "call":
        made.setdefault("tool_calls", []).append(block.data)
    elif type(block) is ThinkingBlock:
        say_thought(block, made, issuer)
    elif type(block) is RefusalBlock and block.spelling == "field":
        made["refusal"] = block.text
    else:
        return False
    return True


_WRITER_ROLES = ("system", "user", "assistant", "tool")


def messages(history: RoledHistory, caps: Capabilities, dialect: Dialect) -> list[JsonObject]:
    """One wire message for each message; a tool's result is `{"role": "tool", ...}`."""
    out: list[JsonObject] = []
    parts = dialect.text == "parts"
    named, always = caps.name_field != "never", caps.name_field == "always"
    lone = dialect.call_content == "null" and not caps.empty_thinking
    for m, seat, odd in zip(history.msgs, history.seats, history.marks(), strict=True):
        content: Any = m.content
        made: JsonObject
        if type(content) is str:
            split = parts or (seat == SYSTEM and dialect.system_parts and not out)
            said: Any = [{"type": "text", "text": content}] if split else content
            made = {"role": _WRITER_ROLES[seat], "content": said}
        elif seat == TOOL:
            out.extend([_writer_result(block, caps, dialect) for block in m.blocks])
            continue
        elif lone and not odd and len(content) == 1 and type(content[0]) is ToolUseBlock:
            call = tool_call(content[0], caps)  # the usual turn that calls a tool
            made = {"role": "assistant", "content": None, "tool_calls": [call]}
        else:
            made = _blocks(m, seat, caps, dialect, first=not out)
        if named and m.name and (always or m.name != m.role):
            made["name"] = m.name
        if seat == SYSTEM and m.role == "developer" and dialect.developer:
            made["role"] = "developer"
        if odd and m.extras is not None:
            made.update(own_extras(m, caps))
        out.append(made)
    return out


def _blocks(m: Msg, seat: int, caps: Capabilities, dialect: Dialect, first: bool) -> JsonObject:
    parts, calls, thoughts = _sorted(m, caps, dialect)
    made: JsonObject = {"role": _WRITER_ROLES[seat], "content": None}
    head = first and seat == SYSTEM and dialect.system_parts
    if parts or not calls or dialect.call_content != "null":
        made["content"] = parts if head else _writer_content(parts, bool(calls), dialect)
    if dialect.call_content == "omit" and made["content"] is None:
        del made["content"]
    if calls:
        made["tool_calls"] = calls
    if seat == ASSISTANT and (thoughts is not None or caps.empty_thinking):
        thought(made, thoughts, bool(calls), caps, dialect)
    return made


def _sorted(
    m: Msg, caps: Capabilities, dialect: Dialect
) -> tuple[list[JsonObject], list[JsonObject], list[ThinkingBlock] | None]:
    """(content parts, tool calls, thoughts or None): this wire keeps each in a field of its own."""
    parts: list[JsonObject] = []
    calls: list[JsonObject] = []
    thoughts: list[ThinkingBlock] | None = None
    content: Sequence[ContentBlock] = m.content  # type: ignore[assignment]  # text was said before
    if dialect.think_tags:
        content = glued(content)
    for block in content:
        if type(block) is TextBlock:
            text = {"type": "text", "text": block.text}
            parts.append(_extended(text, block, caps, dialect))
        elif type(block) is ToolUseBlock:
            call = tool_call(block, caps)
            calls.append(call if block.cache is None else cached(call, block.cache, dialect))
        elif type(block) is ThinkingBlock:
            thoughts = [] if thoughts is None else thoughts
            thoughts.append(block)
        elif (
            type(block) is ImageBlock
            or type(block) is AudioBlock
            or type(block) is VideoBlock
            or type(block) is DocumentBlock
        ):
            parts.append(_extended(media_part(block, dialect), block, caps, dialect))
        elif type(block) is RefusalBlock:
            refusal = {"type": "refusal", "refusal": block.text}
            parts.append(_extended(refusal, block, caps, dialect))
        elif type(block) is RawBlock:
            (calls if block.role == "call" else parts).append(block.data)
        elif type(block) is ToolResultBlock:
            raise WriteError("a tool result at another seat", code="seat.unsaid")
        else:
            assert_never(block)
    return parts, calls, thoughts


def _writer_content(parts: list[JsonObject], calls: bool, dialect: Dialect) -> Any:
    plain = all(part.keys() == {"type", "text"} for part in parts)
    if dialect.text == "joined" and plain:
        said: Any = "\n".join(part["text"] for part in parts)
    elif dialect.text == "parts":
        said = parts
    else:
        said = parts[0]["text"] if plain and len(parts) == 1 else parts
    if said or not calls:
        return said or ("" if dialect.text != "parts" else parts)
    return "" if dialect.call_content == "empty" else None


def _extended(
    made: JsonObject, block: ContentBlock, caps: Capabilities, dialect: Dialect
) -> JsonObject:
    if block.extras is not None:
        made.update(own_extras(block, caps))
    hint = getattr(block, "cache", None)
    return made if hint is None else cached(made, hint, dialect)


def cached(made: JsonObject, hint: CacheHint, dialect: Dialect) -> JsonObject:
    """With the mark behind which the provider may cache, as the vendor spells it."""
    key, *rest = dialect.cache_mark.split()
    kind = {"type": "ephemeral"} if not rest else {"mode": rest[0]}
    made[key] = kind if hint.ttl is None else {**kind, "ttl": hint.ttl}
    return made


def tool_call(block: ToolUseBlock, caps: Capabilities) -> JsonObject:
    """`{"id", "type": "function", "function": {"name", "arguments": JSON text}}`."""
    said = arguments(block.input) if block.raw_input is None else arguments_of(block)
    made: JsonObject = {
        "id": block.id,
        "type": "function",
        "function": {"name": block.name, "arguments": said},
    }
    if block.extras is not None:
        made.update(own_extras(block, caps))
    return made


def _writer_result(block: ContentBlock, caps: Capabilities, dialect: Dialect) -> JsonObject:
    if type(block) is not ToolResultBlock:
        raise WriteError(f"{block.type} at the tools' seat", code="seat.unsaid")
    said: Any = block.output
    if type(said) is list and len(said) == 1 and _plain(said[0]):
        said = said[0].text
    elif type(said) is not str:
        said = _output(block, caps, dialect)
    if block.cache is not None:
        said = _marked(said, block.cache, dialect)
    made: JsonObject = {"role": "tool", "tool_call_id": block.id, "content": said}
    if dialect.result_name and block.name:
        made["name"] = block.name
    if block.extras is not None:
        made.update(own_extras(block, caps))
    return made


def _marked(said: Any, hint: CacheHint, dialect: Dialect) -> list[JsonObject]:
    """The content of a result as parts, for a string has no place for a mark."""
    parts = said if isinstance(said, list) else [{"type": "text", "text": said or ""}]
    return [*parts[:-1], cached(dict(parts[-1]), hint, dialect)]


def _plain(block: ContentBlock) -> bool:
    return type(block) is TextBlock and block.extras is None and block.cache is None


def _output(block: ToolResultBlock, caps: Capabilities, dialect: Dialect) -> Any:
    """A result of several texts stays parts unless the vendor takes strings alone."""
    output = block.output
    if not isinstance(output, list):
        return result_text(block, dialect.bullets)
    flat = dialect.text == "joined" or dialect.bullets
    # media that a vendor takes in results can't be said in a string
    if flat and all(type(inner) is TextBlock and inner.cache is None for inner in output):
        return result_text(block, dialect.bullets)
    return [_part(inner, caps, dialect) for inner in output] or ""


def _part(block: ContentBlock, caps: Capabilities, dialect: Dialect) -> JsonObject:
    match block:
        case TextBlock():
            return _extended({"type": "text", "text": block.text}, block, caps, dialect)
        case ImageBlock() | AudioBlock() | VideoBlock() | DocumentBlock():
            return _extended(media_part(block, dialect), block, caps, dialect)
        case RawBlock(data=data) if isinstance(data, dict):
            return data
    raise WriteError(f"{block.type} inside a tool result", code="seat.unsaid")
