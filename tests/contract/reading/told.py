"""What an answer says, as plain fields: the side that we read.

A field is a path and a value, so that two answers can be laid side by side. Blocks of one kind are
joined: where texts are cut is nobody's business here, the order of kinds is a field of its own.
"""

from __future__ import annotations

import json
from typing import Any

from dragoman.message import (
    Candidate,
    ChatResponse,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
)

__all__ = ["Fields", "flat", "told", "value_of"]

Fields = dict[str, Any]


def told(resp: ChatResponse) -> Fields:
    """Model, id, and of each candidate texts, thinking, calls, finish and log probabilities."""
    made: Fields = {"model": resp.model, "id": resp.id}
    for nth, one in enumerate(resp.candidates):
        made |= {f"{nth}.{name}": value for name, value in _candidate(one).items()}
    return made


def _candidate(one: Candidate) -> Fields:
    blocks = one.msg.blocks
    texts = [block for block in blocks if type(block) is TextBlock]
    thoughts = [block for block in blocks if type(block) is ThinkingBlock]
    calls = [block for block in blocks if type(block) is ToolUseBlock]
    extras = next(iter((one.extras or {}).values()), {})
    return {
        "text": "".join(b.text for b in texts if b.spelling != "transcript"),
        "thinking": "".join(b.thinking for b in thoughts),
        "signatures": [b.signature for b in thoughts if b.signature],
        "redacted": [b.redacted for b in thoughts if b.redacted],
        "refusal": "".join(b.text for b in blocks if type(b) is RefusalBlock),
        "calls": [["" if "made" in (b.spelling or "").split() else b.id, b.name] for b in calls],
        "arguments": [_arguments(b) for b in calls],
        "citations": sum(len(b.citations or ()) for b in texts),
        "finish": one.finish.raw,
        "logprobs": _chances(extras.get("logprobs")),
    }


def _chances(told: Any) -> Any:
    """Log probabilities without the keys that say nothing."""
    if not isinstance(told, dict):
        return told
    return {key: value for key, value in told.items() if value} or None


def _arguments(call: ToolUseBlock) -> Any:
    """What a call is given: JSON, or the text of a freeform tool to the letter."""
    given = call.input if call.raw_input is None else call.raw_input
    return given if call.freeform else value_of(given)


def value_of(arguments: Any) -> Any:
    """The value that argument text spells; the text if it is no JSON, nothing if it is blank."""
    if not isinstance(arguments, str):
        return arguments or {}
    try:
        return json.loads(arguments, strict=False) or {}
    except (ValueError, RecursionError):
        return arguments.strip() or {}


def flat(value: Any, path: str = "") -> Fields:
    """The leaves of JSON with their paths; what is null or empty has none."""
    if isinstance(value, dict):
        pairs = [(f"{path}.{key}" if path else key, item) for key, item in value.items()]
    elif isinstance(value, list):
        pairs = [(f"{path}[{nth}]", item) for nth, item in enumerate(value)]
    else:
        return {} if value is None else {path: value}
    return {key: leaf for name, item in pairs for key, leaf in flat(item, name).items()}
