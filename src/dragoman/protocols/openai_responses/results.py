"""Tool results: `function_call_output`, its text and media in their order, as the call's answer."""

from __future__ import annotations

from typing import Any

from ...jsontext import JsonObject
from ...message import TextBlock, ToolResultBlock
from ...shapes import result_text
from .parts import Parts, mark

__all__ = ["output"]


def output(block: ToolResultBlock, parts: Parts, bullets: bool) -> JsonObject:
    """`{"type": "function_call_output", "call_id", "output"}`; one text is a string."""
    said: Any = block.output
    if type(said) is list:
        if len(said) == 1 and _plain(said[0]):
            said = said[0].text
        elif bullets and all(type(inner) is TextBlock for inner in said):
            said = result_text(block, bullets=True)
        else:
            said = [parts.given(inner) for inner in said] or ""
    elif type(said) is not str:
        said = result_text(block, bullets)
    if block.cache is not None:
        said = _hinted(said, block)
    return {"type": "function_call_output", "call_id": block.id, "output": said}


def _plain(block: Any) -> bool:
    return type(block) is TextBlock and block.extras is None and block.cache is None


def _hinted(said: Any, block: ToolResultBlock) -> list[JsonObject]:
    """The output with a breakpoint behind it: on its last part."""
    assert block.cache is not None  # the caller looked
    listed = [{"type": "input_text", "text": said}] if type(said) is str else list(said)
    return [*listed[:-1], {**listed[-1], "prompt_cache_breakpoint": mark(block.cache)}]
