"""What the forms with messages like those of Chat Completions share."""

from __future__ import annotations

from typing import Any

from ...errors import ReadError
from ...text.json_text import Json, JsonObject, arguments, loads


def find_answer(messages: list[Any], wanted: int) -> int:
    """The index of the assistant's message of this number, which begins the answer."""
    seen = -1
    for i, m in enumerate(messages):
        seen += m["role"] == "assistant"
        if seen == wanted:
            return i
    return len(messages)


def count_answers(messages: list[Any]) -> int:
    """How many of the messages are the assistant's."""
    return sum(m.get("role") == "assistant" for m in messages)


def read_messages(value: Json, path: str) -> list[JsonObject]:
    """The messages of a list, as Chat Completions has them; raises ReadError for anything else.

    Arguments may be objects, calls may lack their ids and results may lack those of their calls:
    TRL's tool calling (docs/source/dataset_formats.md of TRL 1.16) and `apply_chat_template` of
    transformers 5.24 have neither (October 2026). Results then belong to the calls in their order.
    """
    if not isinstance(value, list) or not all(isinstance(m, dict) for m in value):
        raise ReadError("messages are a list of objects", path=path, code="record.messages")
    waiting: list[JsonObject] = []
    count = 0
    messages: list[JsonObject] = []
    for m in value:
        message: JsonObject = dict(m)
        if "thinking" in message and "reasoning_content" not in message:  # of gpt-oss
            message["reasoning_content"] = message.pop("thinking")
        calls = message.get("tool_calls")
        if isinstance(calls, list) and all(isinstance(call, dict) for call in calls):
            waiting = []
            for call in calls:
                waiting.append(_read_call(call, f"call_{count}"))
                count += 1
            message["tool_calls"] = waiting
            waiting = [*waiting]
        elif calls is None:
            message.pop("tool_calls", None)
        if message.get("role") == "tool":
            _find_call(message, waiting)
        messages.append(message)
    return messages


def _read_call(call: JsonObject, id: str) -> JsonObject:
    function = call.get("function")
    function = dict(function) if isinstance(function, dict) else dict(call)
    given = function.get("arguments")
    if not isinstance(given, str):
        function["arguments"] = arguments({} if given is None else given)
    if "function" not in call:
        function = {key: function[key] for key in ("name", "arguments") if key in function}
        return {"id": call.get("id") or id, "type": "function", "function": function}
    return {**call, "id": call.get("id") or id, "type": "function", "function": function}


def _find_call(message: JsonObject, waiting: list[JsonObject]) -> None:
    """Give a result the id of its call: of the first that waits, with its name if it has one."""
    id, name = message.get("tool_call_id"), message.get("name")
    if isinstance(id, str) and id:
        waiting[:] = [call for call in waiting if call["id"] != id]
        return
    for call in waiting:
        if not isinstance(name, str) or call["function"].get("name") == name:
            message["tool_call_id"] = call["id"]
            waiting.remove(call)
            return


def parse_arguments(text: Json) -> Json:
    """The arguments of a call as an object, where their text is one."""
    if not isinstance(text, str):
        return text
    try:
        value = loads(text)
    except ReadError:
        return text
    return value if isinstance(value, dict) else text
