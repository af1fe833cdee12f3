"""The output of a tool as that of a result: text, content blocks, or JSON as text; and its errors.

An error becomes a text from which the model can correct its call. `output_limit.py` shortens a long
output. Nothing here runs a tool.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NamedTuple, TypeAlias

from ..errors import DragomanError, InvalidMessage, ReadError, ToolFailed
from ..message import (
    AudioBlock,
    ContentBlock,
    DocumentBlock,
    ImageBlock,
    Msg,
    TextBlock,
    ToolUseBlock,
    VideoBlock,
)
from ..message.blocks import Block, MediaBlock
from ..message.media import Base64Source
from ..text.json_text import arguments, loads
from ..text.redaction import mask

Output: TypeAlias = str | list[ContentBlock]
_SHOWN = (Block, bytes, bytearray)  # a list with one of these is a list of blocks
_LONGEST = 2000  # characters of an error: the text of an exception may hold a whole page
_MEDIA: dict[str, type[ImageBlock | AudioBlock | VideoBlock]] = {
    "image": ImageBlock,
    "audio": AudioBlock,
    "video": VideoBlock,
}


@dataclass(frozen=True, slots=True)
class EndTurn:
    """Returned by a tool whose output is the reply of the agent, without another call of the model.

    Attributes:
        value: What the tool returns otherwise.
    """

    value: Any


@dataclass(frozen=True, slots=True)
class CallResult:
    """The result of one call.

    Attributes:
        msg: The tool message.
        ends_turn: Whether the output is the agent's reply.
        error: An error that ends the run, to be raised when all calls of the answer have results.
    """

    msg: Msg
    ends_turn: bool = False
    error: ToolFailed | None = None


class Outcome(NamedTuple):
    """The output of a call, and whether it is an error."""

    output: Output
    is_error: bool = False

    def message(self, call: ToolUseBlock) -> Msg:
        """Return the message that answers the call.

        Raises:
            InvalidMessage: A block is wrong.
        """
        return Msg.tool(call.id, self.output, call.name, self.is_error)


def make_output(value: Any) -> Output:
    """Return the output for a returned value.

    Text and content blocks are returned as they are, None is an empty text, bytes become a medium
    of the type that their first bytes show, and other values their JSON text.

    Raises:
        InvalidMessage: The value cannot be written as JSON.
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, (bytes, bytearray)):
        return [media_block(Base64Source.from_bytes(bytes(value)))]
    if isinstance(value, Msg):
        return value.blocks
    if isinstance(value, Block):
        return _blocks([value])
    if isinstance(value, (list, tuple)) and any(isinstance(item, _SHOWN) for item in value):
        return _blocks(value)
    return json_text(value)


def _blocks(values: Sequence[Any]) -> list[ContentBlock]:
    found: list[Any] = []
    for value in values:
        output = value if isinstance(value, Block) else make_output(value)
        if isinstance(output, str):
            found.append(TextBlock(output))
        else:
            found += output if isinstance(output, list) else [output]
    return found


def media_block(source: Base64Source, title: str | None = None) -> MediaBlock:
    """Return the block for a medium: an image, sound or video by its type, else a document."""
    block = _MEDIA.get(source.media_type.partition("/")[0], DocumentBlock)
    return block(source, title)


def json_text(value: Any) -> str:
    """Return the value's JSON text; with the extra `tools` also of dataclasses and the like."""
    try:
        return arguments(value)
    except InvalidMessage:
        pass
    try:
        core = import_module("pydantic_core")
    except ImportError:
        raise _no_json(value) from None
    try:
        text = core.to_json(value, by_alias=True, inf_nan_mode="strings", bytes_mode="base64")
        return arguments(loads(text))
    except (core.PydanticSerializationError, ReadError) as error:
        raise _no_json(value) from error


def _no_json(value: Any) -> InvalidMessage:
    text = f"the tool returned {type(value).__name__}, which has no JSON form"
    hint = "return text, JSON values, a dataclass, a pydantic model, or content blocks"
    return InvalidMessage(text, code="tool.result", hint=hint)


def error_text(error: BaseException) -> str:
    """Return the text of an exception; empty if its class fails to produce one."""
    try:
        return str(error).strip()
    except Exception:  # noqa: BLE001  # whatever a `__str__` may raise
        return ""


def failure(error: BaseException) -> Outcome:
    """Return the outcome of a call that raised: type and text of the error, no traceback."""
    text = mask(error_text(error))
    if not isinstance(error, DragomanError):
        name = type(error).__name__
        text = f"{name}: {text}" if text else name
    return Outcome(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}...", is_error=True)
