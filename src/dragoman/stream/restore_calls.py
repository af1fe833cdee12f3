"""Restore calls of plain functions to calls of the tools they replaced, whole or as they arrive.

The text of a freeform call is within the JSON of its arguments, which is decoded as it grows.
Knows no provider.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace

from ..message import Tool, ToolUseBlock
from ..message.answer import total
from ..message.blocks import ContentBlock
from ..message.client_tools import item_that_calls
from ..text.json_text import Json, canonical
from .arguments import breaks_off, parse_arguments, parse_partial
from .pieces import Key, Part, Piece

_INPUT = "input"
_HEAD = re.compile(r'\s*\{\s*"input"\s*:\s*"')
_LONGEST_HEAD = 64  # characters, white space included
_STRING = re.compile(r'(?:[^"\\]|\\(?:[^u]|u[0-9a-fA-F]{4}))*', re.DOTALL)
_HALF = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\Z")
_LONGEST_ESCAPE = 6


def restored_call(call: ToolUseBlock, tool: Tool) -> ToolUseBlock:
    """A whole call of the function that replaced the tool, as a call of the tool."""
    restored = _rename_call(call, tool)
    if tool.freeform and not call.freeform:
        restored.input, restored.raw_input = freeform_text(call), None
        restored.freeform = True
    return restored


def _rename_call(call: ToolUseBlock, tool: Tool) -> ToolUseBlock:
    """The call under the tool's own names, and as one of the items that call it."""
    namespace = tool.namespace.name if tool.namespace is not None else None
    named = replace(call, name=tool.name, namespace=namespace)
    if (item := item_that_calls(tool)) is not None:
        named.spelling = item if call.spelling is None else f"{call.spelling} {item}"
    return named


def freeform_text(call: ToolUseBlock) -> str:
    """The text for a freeform tool in the arguments of a function's call.

    A model may write the text itself in the place of the arguments, or other arguments: those are
    the text then.
    """
    value: Json = call.input
    if call.raw_input is not None:
        value = parse_arguments(call.raw_input)
    if isinstance(value, str) and _HEAD.match(value) and breaks_off(value):
        value = parse_partial(value)
    if isinstance(value, dict) and isinstance(text := value.get(_INPUT), str):
        return text
    if isinstance(value, str):
        return value
    return call.raw_input or (canonical(value) if value else "")


class _ArgumentText:
    """The text in arguments that arrive in pieces."""

    def __init__(self) -> None:
        self.is_whole = False
        self._pieces: list[str] = []
        self._head: str | None = ""  # what came before the text; None once that has begun
        self._rest = ""  # of the text: half an escape

    def add(self, text: str) -> str:
        """What one more piece of the arguments adds to the text."""
        self._pieces.append(text)
        if self.is_whole:
            return ""
        if self._head is not None:
            if len(self._head) > _LONGEST_HEAD:
                return ""  # it is none of the kind; the end decides
            self._head += text
            match = _HEAD.match(self._head)
            if match is None:
                return ""
            text, self._head = self._head[match.end() :], None
        return self._decode_text(self._rest + text)

    @property
    def arguments(self) -> str:
        """All of the arguments so far."""
        return "".join(self._pieces)

    def _decode_text(self, text: str) -> str:
        match = _STRING.match(text)
        end = match.end() if match is not None else 0
        self.is_whole = text[end : end + 1] == '"'
        if not self.is_whole and (half := _HALF.search(text, 0, end)) is not None:
            end = half.start()
        self._rest = "" if self.is_whole else text[end:]
        if len(self._rest) > 2 * _LONGEST_ESCAPE:  # no escape of JSON's
            end, self._rest = len(text), ""
        try:
            decoded: str = json.loads(f'"{text[:end]}"', strict=False)
        except ValueError:
            return text[:end]
        return decoded


class CallRestorer:
    """Turns pieces of calls into those of `original_tools`, by their names on the wire."""

    def __init__(self, original_tools: Mapping[str, Tool]) -> None:
        self._original_tools = original_tools
        self._tools: dict[Key, Tool | None] = {}  # of each call whose name is known
        self._texts: dict[Key, _ArgumentText] = {}
        self._sent: dict[Key, list[ContentBlock]] = {}
        self._waiting: dict[Key, list[Part]] = {}  # pieces of calls without a name so far

    def feed(self, piece: Piece) -> list[Piece]:
        """The pieces that it makes."""
        if type(piece) is not Part or type(piece.block) is not ToolUseBlock:
            return [piece]
        key, call = piece.key, piece.block
        if key not in self._tools:
            if not call.name:
                self._waiting.setdefault(key, []).append(piece)
                return []
            self._tools[key] = self._original_tools.get(call.name)
            before = self._waiting.pop(key, [])
            if before:
                return [made for part in (*before, piece) for made in self._restore_piece(part)]
        return self._restore_piece(piece)

    def finish(self) -> list[Piece]:
        """What waited for a name that never came, and texts that stood otherwise than usual."""
        pieces: list[Piece] = [part for parts in self._waiting.values() for part in parts]
        for key, text in self._texts.items():
            if not text.is_whole and (arguments := text.arguments):
                pieces += self._whole(key, replace(self._call(key), raw_input=arguments))
        self._waiting.clear()
        return pieces

    def _call(self, key: Key) -> ToolUseBlock:
        call = total(self._sent[key])
        assert type(call) is ToolUseBlock  # as all pieces of it are
        return replace(call, freeform=False)

    def _restore_piece(self, piece: Part) -> list[Piece]:
        key, call = piece.key, piece.block
        tool = self._tools[key]
        if tool is None or type(call) is not ToolUseBlock:
            return [piece]
        if call.name:
            call = _rename_call(call, tool)
        if not tool.freeform or call.freeform:
            return [replace(piece, block=call)]
        if piece.whole or (call.raw_input is None and call.input):
            self._texts.pop(key, None)
            self._sent.setdefault(key, [call])
            return self._whole(key, call)
        text = self._texts.setdefault(key, _ArgumentText())
        was_whole = text.is_whole
        added = text.add(call.raw_input or "")
        block = replace(call, freeform=True, raw_input=added if added or call.name else None)
        self._sent.setdefault(key, []).append(block)
        pieces: list[Piece] = [Part(key, block)] if added or call.name or call.extras else []
        if text.is_whole and not was_whole:
            pieces.append(Part(key, total(self._sent[key]), True))
        return pieces

    def _whole(self, key: Key, call: ToolUseBlock) -> list[Piece]:
        text = freeform_text(call)
        return [Part(key, replace(call, freeform=True, input={}, raw_input=text), True)]
