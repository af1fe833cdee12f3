"""Gemini's training data: `{"systemInstruction", "contents", "tools"}`, and preference pairs.

An example ends in a turn of the model. A pair has `completions` in its place, each with a `score`
of 1 or 0, and holds texts alone. Media are files (`fileData`): "Prepare supervised fine-tuning data
for Gemini models", "Prepare preference tuning data" and "Tune function calling" of Google Cloud
(read 2026-11-29). The keys are also written with underscores there. There are no other ones.
"""

from __future__ import annotations

from typing import Any

from ...conversion.wires import find_wire
from ...errors import ReadError
from ...losses import Report
from ...text.json_text import JsonObject
from .conversation import (
    Conversation,
    MessageForm,
    TrainingExample,
    read_body,
    require_single_turns,
)

_WIRE = "vertex"  # tuning is Vertex AI's
_KEYS = ("systemInstruction", "system_instruction", "contents", "tools")
_KEPT = ("systemInstruction", "contents", "tools")
_FILES = {kind: ["url"] for kind in ("image", "audio", "video", "document")}
_CHANGES: dict[str, Any] = {"thinking": False, "sources": _FILES}
_FORM = MessageForm("gemini-tuning", _WIRE, _CHANGES, "gemini-2.5-flash")
_PAIRS = MessageForm(
    "gemini-tuning",
    _WIRE,
    {**_CHANGES, "image": False, "audio": False, "video": False, "document": False},
    "gemini-2.5-flash",
)


def claims(record: JsonObject) -> bool:
    """Whether a record has contents."""
    return isinstance(record.get("contents"), list)


def read(record: JsonObject) -> Conversation:
    """Read an example, or a pair."""
    home = find_wire(_WIRE)
    others = {key: value for key, value in record.items() if key not in _KEYS}
    body = {key: record[key] for key in _KEYS if key in record}
    if "completions" not in record:
        return read_body(body, home, others=others)
    del others["completions"]
    rows: dict[int, tuple[str, Any]] = {}
    for i, row in enumerate(record["completions"] or ()):
        score = row.get("score") if isinstance(row, dict) else None
        if score in (0, 1):
            rows[int(score)] = (f"$.completions[{i}].completion", row.get("completion"))
    if set(rows) != {0, 1}:
        text = "a pair has a completion with the score 1, and one with 0"
        raise ReadError(text, path="$.completions", code="record.pair")
    examples = []
    count = len(record["contents"])
    for score in (1, 0):
        path, turn = rows[score]
        told = read_body({**body, "contents": [*record["contents"], turn]}, home)
        example = told.chosen
        example.moves = [(f"$.contents[{count}]", path)]
        examples.append(
            TrainingExample(example.request, len(example.request.messages) - 1, example.moves)
        )
    return Conversation(examples[0], examples[1], others)


def write(conversation: Conversation) -> tuple[JsonObject, list[Report]]:
    """Write an example; a pair where there are two answers."""
    require_single_turns(conversation)
    form = _FORM if conversation.rejected is None else _PAIRS
    body, other, reports = form.write(conversation)
    record = {key: body[key] for key in _KEPT if body.get(key)}
    if other is None:
        return record, reports
    completions = [
        {"score": score, "completion": written["contents"][-1]}
        for score, written in ((1, body), (0, other))
    ]
    return {**record, "contents": body["contents"][:-1], "completions": completions}, reports
