"""Events that fill an item which stays as it came: code, commands, inputs of custom tools.

Reference: OpenAI API, "Streaming events"; of `apply_patch_call`, recorded streams.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...jsontext import JsonObject
from .slots import Path, Slot

__all__ = ["GROWTH", "Growth", "idle"]

_MOST = 10_000  # commands of one call, for a number of somebody else's makes a list of ours
_COUNTED = {"command_index", "output_index", "content_index", "summary_index"}
_PLACE = {"type", "sequence_number", "item_id", "obfuscation", "stream_id", *_COUNTED}


@dataclass(frozen=True, slots=True)
class Growth:
    """The item's kind, where in it the text grows, and the field of the event that has it."""

    kind: str
    path: Path
    field: str = "delta"

    def grow(self, slot: Slot, event: JsonObject) -> None:
        """Note what the event says; a `delta` adds, any other field replaces."""
        told = event.get(self.field)
        index = _index(event)
        if self.path == ("output",):
            self._heard(slot, told, index or 0)
        elif isinstance(told, str):
            path = self.path if index is None else (*self.path, index)
            if self.field == "delta":
                slot.said.setdefault(path, []).append(told)
            elif told:
                slot.said[path] = [told]
        elif told is not None:
            raise TypeError("text was expected")

    def _heard(self, slot: Slot, told: Any, index: int) -> None:
        """What a command printed: `{"stdout": ..., "stderr": ...}`, or a list of those at last."""
        if isinstance(told, list):
            slot.item = {**slot.item, "output": told}
            slot.said = {path: said for path, said in slot.said.items() if path[0] != "output"}
            return
        for name in ("stdout", "stderr"):
            if isinstance(said := told.get(name), str):
                path: Path = ("output", index, name)
                slot.said.setdefault(path, []).append(said)


def _index(event: JsonObject) -> int | None:
    """Which command of a shell's."""
    value = event.get("command_index")
    if value is not None and not (type(value) is int and 0 <= value < _MOST):
        raise TypeError("a place is a small number")
    return value


def _both(name: str, kind: str, path: Path, field: str) -> dict[str, Growth]:
    return {f"{name}.delta": Growth(kind, path), f"{name}.done": Growth(kind, path, field)}


GROWTH: dict[str, Growth] = {
    **_both("custom_tool_call_input", "custom_tool_call", ("input",), "input"),
    **_both("mcp_call_arguments", "mcp_call", ("arguments",), "arguments"),
    **_both("mcp_call.arguments", "mcp_call", ("arguments",), "arguments"),
    **_both("code_interpreter_call_code", "code_interpreter_call", ("code",), "code"),
    **_both("apply_patch_call_operation_diff", "apply_patch_call", ("operation", "diff"), "diff"),
    **_both("shell_call_command", "shell_call", ("action", "commands"), "command"),
    "shell_call_command.added": Growth("shell_call", ("action", "commands"), "command"),
    **_both("shell_call_output_content", "shell_call_output", ("output",), "output"),
    "image_generation_call.partial_image": Growth(
        "image_generation_call", ("partial_image_b64",), "partial_image_b64"
    ),
}


def idle(event: JsonObject) -> bool:
    """Whether an event names a place and says nothing of it: that a search has begun, or ended."""
    return event.keys() <= _PLACE
