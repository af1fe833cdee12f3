"""Amazon Bedrock's training data: `bedrock-conversation-2024`, the bodies of Converse.

`{"schemaVersion", "system", "messages", "toolConfig"}`; roles alternate, the user's is the first
and the assistant's the last. A preference pair has `candidates` in the last message, each with its
`content` and a `preferenceLabel`. Media are files in S3. "Preparing data for SFT on Amazon Nova 2"
(docs.aws.amazon.com, read 2026-11-29) and its validator, `nova_ft_dataset_validator.py` of
aws-samples/amazon-nova-samples. There are no other keys.
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

VERSION = "bedrock-conversation-2024"
_WIRE = "bedrock"
_KEYS = ("system", "messages", "toolConfig")
_FILES = {kind: ["url"] for kind in ("image", "video", "document")}
_MODEL = "amazon.nova-2-lite-v1:0"
_CHANGES: dict[str, Any] = {"thinking": "all", "signed_thinking": False, "sources": _FILES}
_NO_MEDIA = {"image": False, "video": False, "document": False}
_FORM = MessageForm("bedrock-tuning", _WIRE, _CHANGES, _MODEL, thinks=True)
_PAIRS = MessageForm("bedrock-tuning", _WIRE, {**_CHANGES, **_NO_MEDIA}, _MODEL, thinks=True)


def claims(record: JsonObject) -> bool:
    """Whether a record names its version."""
    return record.get("schemaVersion") == VERSION


def read(record: JsonObject) -> Conversation:
    """Read an example, or a pair."""
    home = find_wire(_WIRE)
    others = {key: v for key, v in record.items() if key not in (*_KEYS, "schemaVersion")}
    body = {key: record[key] for key in _KEYS if key in record}
    messages = record.get("messages")
    if not isinstance(messages, list) or not messages:
        raise ReadError("messages are a list of objects", path="$.messages", code="record.messages")
    last = messages[-1]
    if not isinstance(last, dict) or "candidates" not in last:
        return read_body(body, home, others=others)
    rows: dict[str, tuple[str, Any]] = {}
    for i, row in enumerate(last["candidates"] or ()):
        label = row.get("preferenceLabel") if isinstance(row, dict) else None
        if isinstance(label, str):
            path = f"$.messages[{len(messages) - 1}].candidates[{i}]"
            rows[label.lower()] = (path, row.get("content"))
    if not {"preferred", "non-preferred"} <= set(rows):
        text = "a pair has a candidate that is preferred, and one that is non-preferred"
        raise ReadError(text, path="$.messages", code="record.pair")
    examples = []
    for label in ("preferred", "non-preferred"):
        path, content = rows[label]
        turn = {"role": "assistant", "content": content}
        example = read_body({**body, "messages": [*messages[:-1], turn]}, home).chosen
        moves = [(f"$.messages[{len(messages) - 1}]", path)]
        examples.append(TrainingExample(example.request, len(example.request.messages) - 1, moves))
    return Conversation(examples[0], examples[1], others)


def write(conversation: Conversation) -> tuple[JsonObject, list[Report]]:
    """Write an example; a pair where there are two answers."""
    require_single_turns(conversation)
    form = _FORM if conversation.rejected is None else _PAIRS
    body, other, reports = form.write(conversation)
    record: JsonObject = {"schemaVersion": VERSION}
    record |= {key: body[key] for key in _KEYS if body.get(key)}
    if "toolConfig" in record:
        record["toolConfig"] = {"tools": record["toolConfig"]["tools"]}
    if other is None:
        return record, reports
    messages = body["messages"]
    candidates = [
        {"content": messages[-1]["content"], "preferenceLabel": "preferred"},
        {"content": other["messages"][-1]["content"], "preferenceLabel": "non-preferred"},
    ]
    last = {"role": "assistant", "candidates": candidates}
    return {**record, "messages": [*messages[:-1], last]}, reports
