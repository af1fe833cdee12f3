"""One formatted message in a few short lines, whatever wire it is for.

Walks JSON by its shape and shows every key, so that the ways of the wires can be compared; long
texts are cut. A call's arguments stand in quotes where the wire takes them as text. Knows no wire.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..jsontext import Json, JsonObject, arguments
from .output import plain

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["card", "role_of", "shortened"]

_TALL = 8  # lines of one text
_LONG = 3  # lines that one line of text may be folded to
_INPUTS = ("arguments", "args", "input")


def role_of(message: JsonObject) -> str:
    """Who says it, in the wire's own word; empty for an item that nobody says."""
    return str(message.get("role") or "")


def card(message: JsonObject, width: int) -> list[Text]:
    """The lines of a message without its role, each at most `width` columns wide."""
    rest = {key: value for key, value in message.items() if key != "role"}
    return [line for row in _rows(rest, "", "") for line in row.lines(width)]


class _Row:
    """A label (where it stands) and a text, behind an indent."""

    __slots__ = ("indent", "label", "style", "text")

    def __init__(self, indent: str, label: str, text: str, style: str = "") -> None:
        self.indent = indent
        self.label = label
        self.text = text
        self.style = style

    def lines(self, width: int) -> list[Text]:
        """The row: the text beside its label where there is room for it, below it elsewhere."""
        from rich.text import Text

        room = width - len(self.indent)
        several = self.text.splitlines()
        if len(several) > _TALL:
            several[_TALL - 2 : -1] = [f"... {len(several) - _TALL + 1} more lines"]
        below = [Text(plain(line), self.style) for line in several]
        label = Text(self.label, "dim")
        if not self.label:
            folded = [shortened(line, room, _LONG) for line in below]
        elif len(below) == 1 and not _alone(label, below[0], room):
            folded = [shortened(Text.assemble(label, " ", below[0]), room, _LONG)]
        else:
            folded = [shortened(label, room, _LONG), *(shortened(line, room, 1) for line in below)]
        return [Text(self.indent) + line for lines in folded for line in lines]


def _alone(label: Text, text: Text, room: int) -> bool:
    """Whether a text fits on a line, but not beside its label."""
    return label.cell_len + 1 + text.cell_len > room >= text.cell_len


def shortened(text: Text, width: int, lines: int) -> list[Text]:
    """The text on at most so many lines; an ellipsis where more of it follows."""
    from rich.console import Console

    if lines == 1:
        return [_cut(text, width)]
    folded = list(text.wrap(Console(width=width), width, overflow="fold"))
    if len(folded) > lines:
        folded[lines - 1].append(" " * width)
    return [_cut(line, width) for line in folded[:lines]]


def _cut(text: Text, width: int) -> Text:
    if text.cell_len > width:
        text.truncate(width - 1, overflow="crop")
        text.rstrip()
        text.append("…")
    text.rstrip()
    return text


def _rows(value: Json, label: str, indent: str) -> list[_Row]:
    match value:
        case dict():
            return _object(value, label, indent)
        case [_, *_]:
            listed = enumerate(value)
            return [row for i, item in listed for row in _rows(item, f"{label}[{i}]", indent)]
        case str():
            return [_Row(indent, label, value or '""')]
        case _:
            return [_Row(indent, label, arguments(value))]


def _object(value: JsonObject, label: str, indent: str) -> list[_Row]:
    """A head with the short fields, and what they belong to below it."""
    short = {key: inner for key, inner in value.items() if _is_short(key, inner)}
    rest = {key: inner for key, inner in value.items() if key not in short}
    kind = short.pop("type", "")
    call = next((key for key in _INPUTS if key in rest), None) if "name" in short else None
    name = short.pop("name") if call is not None else ""
    said = [f"{key}={inner}" for key, inner in short.items()]
    if kind and not isinstance(value.get(kind), str):
        said.insert(0, kind)
    rows: list[_Row] = []
    if said:
        rows.append(_Row(indent, " ".join([label, *said] if label else said), ""))
        label, indent = "", f"{indent}  " if label else indent
    if call is not None:
        rows.append(_Row(indent, label, f"{name} {_input(rest.pop(call))}", "yellow"))
    for key, inner in rest.items():
        path = f"{label}.{key}" if label else key
        # {"type": "function", "function": {...}}: the head has said it
        rows += _rows(inner, "" if key == kind and isinstance(inner, dict) else path, indent)
    return rows or [_Row(indent, label, "{}")]


def _is_short(key: str, value: Any) -> bool:
    named = key in ("type", "name", "tool_name", "id") or key.endswith(("_id", "Id"))
    return named and isinstance(value, str) and 0 < len(value) <= 40


def _input(value: Json) -> str:
    return f"'{value}'" if isinstance(value, str) else arguments(value)
