"""How thinking is asked for, and how it goes back: vendors of this wire agree on neither.

`can.form` names the way: `effort` (the protocol's own, also when empty), `thinking`, `adaptive`,
`object`, `switch`, `template`, or `template thinking` where the template calls the switch so.
"""

from __future__ import annotations

from ...capabilities import Capabilities
from ...jsontext import JsonObject
from ...message import ThinkingBlock
from ...reasoning import Asked
from ...shapes import own_extras
from .dialect import Dialect

__all__ = ["BUDGETED", "asked_for", "thought"]

BUDGETED = ("object", "switch")  # the ways that have a field for a budget

_FIELDS = ("reasoning_content",)  # where a user has thinking sent back and the dialect names none
_USUAL = "medium"  # what the API takes for models that think unasked


def asked_for(asked: Asked, can: Capabilities) -> JsonObject:
    """The top-level fields that ask for it."""
    effort: JsonObject = {} if asked.effort is None else {"reasoning_effort": asked.effort}
    match can.form.split():
        case [] | ["effort"]:
            if asked.off:
                return {"reasoning_effort": "none"}
            # who thinks only when asked has to be asked for something
            usual = can.thinks == "asked" and can.efforts != ("on",)
            return effort or ({"reasoning_effort": _USUAL} if usual else {})
        case ["thinking"]:
            return {"thinking": {"type": "disabled" if asked.off else "enabled"}, **effort}
        case ["adaptive"]:
            return {"thinking": {"type": "disabled" if asked.off else "adaptive"}}
        case ["object"]:
            return {"reasoning": _object(asked)}
        case ["switch"]:
            made: JsonObject = {"enable_thinking": not asked.off, **effort}
            if asked.budget is not None:
                made["thinking_budget"] = asked.budget
            return made
        case ["template", *name]:
            key = name[0] if name else "enable_thinking"
            return {"chat_template_kwargs": {key: not asked.off}, **effort}
        case _:
            return {}


def _object(asked: Asked) -> JsonObject:
    if asked.effort is not None:
        return {"effort": asked.effort}
    if asked.budget is not None:
        return {"max_tokens": asked.budget}
    return {"enabled": not asked.off}


def thought(
    made: JsonObject,
    thoughts: list[ThinkingBlock] | None,
    calls: bool,
    can: Capabilities,
    dialect: Dialect,
) -> None:
    """Thinking in the vendor's fields; some demand the field on every turn that calls a tool."""
    if thoughts is None:
        if not (calls and can.empty_thinking):
            return
        thoughts = []
    if dialect.thinking_details and thoughts:
        made["reasoning_details"] = [one for block in thoughts for one in _details(block, can)]
        return
    for key in dialect.thinking_fields or _FIELDS:
        made[key] = "\n".join(block.thinking for block in thoughts)


def _details(block: ThinkingBlock, can: Capabilities) -> list[JsonObject]:
    """What can be read of it, or its sealed form, or one behind the other."""
    made: list[JsonObject] = []
    if block.thinking or block.redacted is None:
        made.append({"type": "reasoning.text", "text": block.thinking})
        if block.signature is not None:
            made[0]["signature"] = block.signature
    if block.redacted is not None:
        made.append({"type": "reasoning.encrypted", "data": block.redacted})
    made[-1].update(own_extras(block, can))
    return made
