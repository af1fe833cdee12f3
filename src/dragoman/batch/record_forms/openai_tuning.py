"""OpenAI's training data: `{"messages", "tools", "parallel_tool_calls"}`, and preference pairs.

A pair is `{"input": {"messages", ...}, "preferred_output": [...], "non_preferred_output": [...]}`.
A message of the assistant may have a `weight` of 0 or 1. Messages hold texts and images, those of
pairs texts alone. There are no other keys at the top: FineTuneChatRequestInput and
FineTunePreferenceRequestInput of OpenAI's OpenAPI description 2.3.0, and the guide "Direct
preference optimization" (developers.openai.com, read 2026-11-29).
"""

from __future__ import annotations

from ...losses import Report
from ...text.json_text import JsonObject
from .chat_messages import find_answer, read_messages
from .conversation import CHAT, Conversation, MessageForm, read_chat

_KEYS = ("messages", "tools", "functions", "parallel_tool_calls")
_PAIR = ("input", "preferred_output", "non_preferred_output")
_NO_MEDIA = {"audio": False, "document": False, "video": False}
_FORM = MessageForm("openai-tuning", CHAT, {**_NO_MEDIA, "last_system": True})
_PAIRS = MessageForm("openai-tuning", CHAT, {**_NO_MEDIA, "image": False})


def claims(record: JsonObject) -> bool:
    """Whether a record has the keys of a pair, or messages."""
    return all(key in record for key in _PAIR) or isinstance(record.get("messages"), list)


def read(record: JsonObject) -> Conversation:
    """Read an example, or a pair."""
    if "preferred_output" not in record:
        others = {key: value for key, value in record.items() if key not in _KEYS}
        body = {key: record[key] for key in _KEYS if key in record}
        body["messages"] = read_messages(body.get("messages"), "$.messages")
        return read_chat(body, others=others)
    asked = record["input"] if isinstance(record["input"], dict) else {}
    prompt = read_messages(asked.get("messages"), "$.input.messages")
    better, worse = (read_messages(record[key], f"$.{key}") for key in _PAIR[1:])
    others = {key: value for key, value in record.items() if key not in _PAIR}
    others |= {f"input.{key}": value for key, value in asked.items() if key not in _KEYS}
    rest = {key: asked[key] for key in _KEYS[1:] if key in asked}
    start = len(prompt)
    moves = [(f"$.messages[{start + i}]", f"$.preferred_output[{i}]") for i in range(len(better))]
    worse_moves = [
        (f"$.messages[{start + i}]", f"$.non_preferred_output[{i}]") for i in range(len(worse))
    ]
    return read_chat(
        {**rest, "messages": [*prompt, *better]},
        [*moves, ("$", "$.input")],
        start,
        worse,
        worse_moves,
        others,
    )


def write(conversation: Conversation) -> tuple[JsonObject, list[Report]]:
    """Write an example; a pair where there are two answers."""
    form = _FORM if conversation.rejected is None else _PAIRS
    body, other, reports = form.write(conversation, ("parallel_tool_calls",))
    record: JsonObject = {"messages": body["messages"]}
    if body.get("tools"):
        record["tools"] = body["tools"]
        choice = conversation.chosen.request.tool_choice
        if choice is not None and choice.parallel is not None:
            record["parallel_tool_calls"] = choice.parallel
    if other is None:
        return record, reports
    asked = conversation.chosen.request.messages[: conversation.chosen.answer]
    start = find_answer(body["messages"], sum(m.role == "assistant" for m in asked))
    return {
        "input": {**record, "messages": body["messages"][:start]},
        "preferred_output": body["messages"][start:],
        "non_preferred_output": other["messages"][start:],
    }, reports
