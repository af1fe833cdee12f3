"""ShareGPT: `{"conversations": [{"from", "value"}], "system", "tools"}`, as LLaMA-Factory has it.

`human` and `observation` stand in odd places, `gpt` and `function_call` in even ones; a record that
does not keep to it is skipped when it is loaded. A `function_call` is the JSON of a call, or of a
list of calls, behind the thinking between `<think>` tags, if there is any; `tools` is the text of a
JSON list of functions; an image is `<image>` in a text, and stands in `images`. A preference pair
has its answers in `chosen` and `rejected`. Other columns are allowed.

Source: `data/converter.py`, `data/formatter.py` and `data/parser.py` of llamafactory 0.9.5 (read
2026-11-29). Several results of parallel calls have no form of their own there: they are the JSON
list of their texts here.
"""

from __future__ import annotations

import re
from typing import Any

from ...errors import ReadError, WriteError
from ...losses import Report
from ...stream.think_tags import TAG_PAIRS, USUAL
from ...text.json_text import Json, JsonObject, arguments, loads
from .chat_messages import parse_arguments, read_messages
from .conversation import (
    PLAIN,
    Conversation,
    MessageForm,
    note_message_fields,
    read_chat,
    require_single_turns,
)

_ROLES = {
    "system": "system",
    "human": "user",
    "user": "user",
    "gpt": "assistant",
    "assistant": "assistant",
    "chatgpt": "assistant",
    "bard": "assistant",
    "bing": "assistant",
    "model": "assistant",
    "function_call": "call",
    "observation": "tool",
    "tool": "tool",
}
_THOUGHTS = [
    re.compile(rf"\A\s*{re.escape(opening)}\n?(.*?)\n?{re.escape(closing)}\n*", re.DOTALL)
    for opening, closing in TAG_PAIRS.values()
]
_IMAGE = "<image>"
_COLUMNS = ("conversations", "system", "tools", "images", "chosen", "rejected")
_FORM = MessageForm(
    "sharegpt",
    PLAIN,
    {
        "audio": False,
        "document": False,
        "video": False,
        "thinking": "all",
        "image": ["user"],
        "call_text": "drop",
        "alternation": "bridged",
        "first_user": True,
        "system_head": "run",
        "late_system": "user",
        "tool_choices": ["auto"],
    },
    thinks=True,
)


def claims(record: JsonObject) -> bool:
    """Whether a record has conversations."""
    return isinstance(record.get("conversations"), list)


def read(record: JsonObject) -> Conversation:
    """Read a record, or a pair."""
    images = list(record.get("images") or ())
    body: JsonObject = {"messages": []}
    moves: list[tuple[str, str]] = []
    if isinstance(system := record.get("system"), str) and system:
        body["messages"].append({"role": "system", "content": system})
        moves.append(("$.messages[0]", "$.system"))
    start = len(body["messages"])
    turns = _read_turns(record["conversations"], "$.conversations", images)
    moves += [(f"$.messages[{start + i}]", path) for i, (_, path) in enumerate(turns)]
    messages = [*body["messages"], *(m for m, _ in turns)]
    others = {key: value for key, value in record.items() if key not in _COLUMNS}
    if (tools := _read_tools(record.get("tools"))) is not None:
        body["tools"] = tools
    if "chosen" not in record or "rejected" not in record:
        body["messages"] = read_messages(messages, "$.conversations")
        return read_chat(body, moves, others=others)
    start = len(messages)
    better = _read_turns(_turns(record["chosen"]), "$.chosen", images)
    worse = _read_turns(_turns(record["rejected"]), "$.rejected", images)
    moves += [(f"$.messages[{start + i}]", path) for i, (_, path) in enumerate(better)]
    worse_moves = [(f"$.messages[{start + i}]", path) for i, (_, path) in enumerate(worse)]
    body["messages"] = read_messages([*messages, *(m for m, _ in better)], "$.conversations")
    rejected = read_messages([m for m, _ in worse], "$.rejected")
    return read_chat(body, moves, start, list(rejected), worse_moves, others)


def _turns(value: Json) -> list[Any]:
    if isinstance(value, str):
        return [{"from": "gpt", "value": value}]
    return value if isinstance(value, list) else [value]


def _read_turns(turns: list[Any], path: str, images: list[Any]) -> list[tuple[JsonObject, str]]:
    """The messages of turns, and where each is."""
    messages: list[tuple[JsonObject, str]] = []
    waiting = 0  # results of the last calls
    for i, turn in enumerate(turns):
        place = f"{path}[{i}]"
        said = turn.get("from") if isinstance(turn, dict) else None
        value = turn.get("value") if isinstance(turn, dict) else None
        role = _ROLES.get(said) if isinstance(said, str) else None
        if role is None or not isinstance(value, str):
            text = "a turn has from (human, gpt, system, function_call, observation) and value"
            raise ReadError(text, path=place, code="record.turn")
        if role == "call":
            message = _read_calls(value, place)
            waiting = len(message["tool_calls"])
            messages.append((message, place))
        elif role == "tool":
            messages += [(m, place) for m in _read_results(value, waiting)]
        elif role == "assistant":
            messages.append((_read_thought(value), place))
        else:
            messages.append(({"role": role, "content": _read_content(value, images)}, place))
    return messages


def _read_thought(value: str) -> JsonObject:
    """An answer, with the thinking at its beginning apart."""
    found = next(filter(None, (thought.match(value) for thought in _THOUGHTS)), None)
    if found is None:
        return {"role": "assistant", "content": value}
    message: JsonObject = {"role": "assistant", "content": value[found.end() :]}
    if found[1].strip():
        message["reasoning_content"] = found[1]
    return message


def _read_calls(value: str, path: str) -> JsonObject:
    message = _read_thought(value)
    try:
        calls = loads(message["content"])
    except ReadError as error:
        text = "a function_call is the JSON of a call, or of a list of calls"
        raise ReadError(text, path=path, code="record.call") from error
    calls = calls if isinstance(calls, list) else [calls]
    if not calls or not all(isinstance(c, dict) and isinstance(c.get("name"), str) for c in calls):
        text = "a call has a name and arguments"
        raise ReadError(text, path=path, code="record.call")
    return {**message, "content": None, "tool_calls": calls}


def _read_results(value: str, waiting: int) -> list[JsonObject]:
    """The results in an observation: as many as there were calls, if it is a list of so many."""
    texts: list[Any] = [value]
    if waiting > 1 and value.lstrip().startswith("["):
        try:
            found = loads(value)
        except ReadError:
            found = None
        if isinstance(found, list) and len(found) == waiting:
            texts = found
    return [
        {"role": "tool", "content": text if isinstance(text, str) else arguments(text)}
        for text in texts
    ]


def _read_content(value: str, images: list[Any]) -> Json:
    """The text of a turn; with the images at the places that it has for them."""
    if _IMAGE not in value or not images:
        return value
    first, *others = value.split(_IMAGE)
    parts: list[JsonObject] = [{"type": "text", "text": first}]
    for text in others:
        if images:
            parts.append({"type": "image_url", "image_url": {"url": images.pop(0)}})
            parts.append({"type": "text", "text": text})
        else:
            parts.append({"type": "text", "text": f"{_IMAGE}{text}"})
    return [*(part for part in parts if part.get("text") != "")]


def _read_tools(value: Json) -> list[Any] | None:
    """The tools of a column: JSON, or its text."""
    if isinstance(value, str):
        if not value.strip():
            return None
        try:
            value = loads(value)
        except ReadError as error:
            text = "tools are the JSON text of a list of functions"
            raise ReadError(text, path="$.tools", code="record.tools") from error
    if value is None:
        return None
    if not isinstance(value, list):
        value = [value]
    return [
        tool
        if not isinstance(tool, dict) or "function" in tool
        else {"type": "function", "function": tool}
        for tool in value
    ]


def write(conversation: Conversation) -> tuple[JsonObject, list[Report]]:
    """Write a record; a pair where there are two answers."""
    require_single_turns(conversation)
    body, other, reports = _FORM.write(conversation, conversation.others)
    note_message_fields(conversation, reports[0])
    images: list[str] = []
    messages = body["messages"]
    record: JsonObject = {"conversations": []}
    system = [m for m in messages if m["role"] in ("system", "developer")]
    if system:
        record["system"] = "\n\n".join(_write_content(m.get("content"), images) for m in system)
    turns = _write_turns(messages, images)
    require_order(turns)
    record["conversations"] = turns
    if other is not None:
        record["conversations"] = turns[:-1]
        record["chosen"] = turns[-1]
        record["rejected"] = _write_turns(other["messages"], [])[-1]
    if body.get("tools"):
        record["tools"] = arguments([tool.get("function", tool) for tool in body["tools"]])
    if images:
        record["images"] = images
    others = conversation.others
    return {**record, **{k: v for k, v in others.items() if k not in record}}, reports


def _write_turns(messages: list[JsonObject], images: list[str]) -> list[JsonObject]:
    turns: list[JsonObject] = []
    results: list[str] = []

    def end_results() -> None:
        if results:
            value = results[0] if len(results) == 1 else arguments([*results])
            turns.append({"from": "observation", "value": value})
            results.clear()

    for m in messages:
        content = m.get("content")
        if m["role"] == "tool":
            results.append(_write_content(content, images))
            continue
        end_results()
        if m["role"] == "user":
            turns.append({"from": "human", "value": _write_content(content, images)})
        elif m["role"] == "assistant":
            thought = m.get("reasoning_content")
            head = f"{USUAL.opening}\n{thought}\n{USUAL.closing}\n\n" if thought else ""
            if calls := m.get("tool_calls"):
                turns.append({"from": "function_call", "value": head + _write_calls(calls)})
            else:
                value = head + _write_content(content or m.get("refusal"), images)
                turns.append({"from": "gpt", "value": value})
    end_results()
    return turns


def require_order(turns: list[JsonObject]) -> None:
    """Raise WriteError for turns that the loader would skip."""
    odd = [turn["from"] in ("human", "observation") for turn in turns]
    if len(turns) % 2 or odd != [True, False] * (len(turns) // 2):
        text = "the turns of the user and of the assistant do not alternate"
        hint = "the form takes human and observation in odd places, the others in even ones"
        raise WriteError(text, path="$.messages", code="record.turns", hint=hint)


def write_texts(messages: list[JsonObject]) -> tuple[str, list[str]]:
    """The system text of messages without calls, and the texts of their turns."""
    system = [m for m in messages if m["role"] in ("system", "developer")]
    turns = _write_turns(messages, [])
    require_order(turns)
    return (
        "\n\n".join(_write_content(m.get("content"), []) for m in system),
        [turn["value"] for turn in turns],
    )


def _write_calls(calls: list[JsonObject]) -> str:
    rows: list[Json] = [
        {
            "name": call["function"]["name"],
            "arguments": parse_arguments(call["function"]["arguments"]),
        }
        for call in calls
    ]
    return arguments(rows[0] if len(rows) == 1 else rows)


def _write_content(content: Json, images: list[str]) -> str:
    if not isinstance(content, list):
        return content if isinstance(content, str) else ""
    texts = []
    for part in content:
        if part.get("type") == "image_url":
            images.append(part["image_url"]["url"])
            texts.append(_IMAGE)
        else:
            texts.append(part.get("text") or part.get("refusal") or "")
    return "".join(texts) if images else "\n".join(texts)
