"""Alpaca: `{"instruction", "input", "output", "system", "history"}`, as LLaMA-Factory has it.

What the user says is the instruction and, on the next line, the input. `history` is a list of
earlier turns, each a pair of texts. A preference pair has `chosen` and `rejected` in place of
`output`. There are texts alone, and no tools. Other columns are allowed.

Source: `data/converter.py` and `data/parser.py` of llamafactory 0.9.5 (read 2026-11-29).
"""

from __future__ import annotations

from ...errors import ReadError
from ...losses import Report
from ...message import ToolResultBlock, ToolUseBlock
from ...text.json_text import Json, JsonObject
from .conversation import (
    PLAIN,
    Conversation,
    MessageForm,
    note_message_fields,
    read_chat,
    require_single_turns,
)
from .sharegpt import write_texts

_COLUMNS = ("instruction", "input", "output", "system", "history", "chosen", "rejected")
_FORM = MessageForm(
    "alpaca",
    PLAIN,
    {
        "audio": False,
        "document": False,
        "video": False,
        "image": False,
        "tools": False,
        "thinking": "all",
        "alternation": "merged",
        "first_user": True,
        "late_system": "user",
    },
    thinks=True,
)


def claims(record: JsonObject) -> bool:
    """Whether a record has an instruction, and an answer to it."""
    return "instruction" in record and ("output" in record or "chosen" in record)


def read(record: JsonObject) -> Conversation:
    """Read a record, or a pair."""
    messages: list[JsonObject] = []
    moves: list[tuple[str, str]] = []

    def add(role: str, value: Json, path: str) -> None:
        if not isinstance(value, str):
            raise ReadError("a text belongs here", path=path, code="record.text")
        moves.append((f"$.messages[{len(messages)}]", path))
        messages.append({"role": role, "content": value})

    if record.get("system"):
        add("system", record["system"], "$.system")
    for i, turn in enumerate(record.get("history") or ()):
        if not isinstance(turn, list) or len(turn) != 2:
            text = "a turn of the history is a pair of texts"
            raise ReadError(text, path=f"$.history[{i}]", code="record.turn")
        add("user", turn[0], f"$.history[{i}][0]")
        add("assistant", turn[1], f"$.history[{i}][1]")
    given = [value for key in ("instruction", "input") if (value := record.get(key))]
    if not all(isinstance(value, str) for value in given):
        raise ReadError("a text belongs here", path="$.instruction", code="record.text")
    add("user", "\n".join(given), "$.instruction")
    others = {key: value for key, value in record.items() if key not in _COLUMNS}
    start = len(messages)
    if "chosen" in record and "rejected" in record:
        add("assistant", record["chosen"], "$.chosen")
        rejected = record["rejected"]
        if not isinstance(rejected, str):
            raise ReadError("a text belongs here", path="$.rejected", code="record.text")
        worse: list[Json] = [{"role": "assistant", "content": rejected}]
        worse_moves = [(f"$.messages[{start}]", "$.rejected")]
        return read_chat({"messages": messages}, moves, start, worse, worse_moves, others)
    if record.get("output"):
        add("assistant", record["output"], "$.output")
    return read_chat({"messages": messages}, moves, others=others)


def write(conversation: Conversation) -> tuple[JsonObject, list[Report]]:
    """Write a record; a pair where there are two answers."""
    require_single_turns(conversation)
    body, other, reports = _FORM.write(conversation, conversation.others)
    note_message_fields(conversation, reports[0])
    for m in conversation.chosen.request.messages:
        for block in m.blocks:
            if type(block) is ToolUseBlock:
                reports[0].add_loss("call.as_text", block, what=block.name)
            elif type(block) is ToolResultBlock:
                reports[0].add_loss("result.as_text", block, what=block.name)
    system, turns = write_texts(body["messages"])
    record: JsonObject = {"instruction": turns[-2], "input": ""}
    if other is None:
        record["output"] = turns[-1]
    else:
        record["chosen"] = turns[-1]
        record["rejected"] = write_texts(other["messages"])[1][-1]
    if system:
        record["system"] = system
    if turns[:-2]:
        record["history"] = [[turns[i], turns[i + 1]] for i in range(0, len(turns) - 2, 2)]
    others = conversation.others
    return {**record, **{k: v for k, v in others.items() if k not in record}}, reports
