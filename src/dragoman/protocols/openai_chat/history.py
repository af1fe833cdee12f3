"""Messages of a request, read into the tree, and said again as they were read.

`read_messages` and `message_as_read` are each other's inverse, whatever a dialect or a model may
take. Reference: OpenAI API, "Create chat completion", `messages`; requests of some forty clients.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...jsontext import Json, JsonObject
from ...message import (
    Msg,
    Origin,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from ...message.blocks import ContentBlock
from ...message.makers import answered, said
from ...seats import (
    ASSISTANT,
    FOLLOWING,
    PARALLEL,
    SYSTEM,
    TOOL,
    USER,
    Seated,
    concluded,
)
from .asked_calls import LEGACY, call_as_read, paired, read_calls, usual_calls
from .asked_thoughts import read_thoughts, say_thought
from .parts import PART, marked, part_as_read, read_part, read_said, unmarked

__all__ = ["message_as_read", "read_messages"]

_ROLES = ("system", "developer", "user", "assistant", "tool", "function")
_CALLED = "called"  # the result is named as its call is, and does not say so itself
_PLAIN = {"user": USER, "assistant": ASSISTANT, "system": SYSTEM, "developer": SYSTEM}
_RESULTS = ("tool", "function")


# one loop by design, which seats what it reads: a survey of its own costs a third as much again
def read_messages(  # noqa: C901, PLR0912, PLR0915
    listed: Sequence[Json], issuer: str, origin: Origin
) -> tuple[list[Msg], Seated | None]:
    """The messages of a request, and their seats if nothing in them is unusual.

    `origin` is who wrote them, and whose thinking they hold.
    """
    made: list[Msg] = []
    seated = Seated(made, [])
    seats = seated.seats
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
                    seated.flags |= PARALLEL
                if content.isspace():
                    usual = False
                name = names.get(id)
                spelling = None if name is None else _CALLED
                made.append(said([answered(id, name or "", content, spelling)], "tool", origin))
                seats.append(TOOL)
                seated.results.append(id)
                answerers.append(name or "")
                continue
        elif size == 3 and content is None and role == "assistant":
            calls = usual_calls(told.get("tool_calls"), names, seated)
            if calls:
                if waiting:
                    usual = False
                waiting = len(calls)
                m = said(calls, "assistant", origin)
                m.spelling = "null"
                made.append(m)
                if seats and seats[-1] == ASSISTANT:
                    seated.flags |= FOLLOWING
                seats.append(ASSISTANT)
                continue
        usual = False
        legacy = legacy or (type(told) is dict and LEGACY in told)
        made.append(_message(told, issuer, origin))
        made[-1].origin = origin
        _name(made[-1], names)
    if legacy:
        paired(made)
    return made, concluded(seated, answerers, waiting) if usual else None


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
