"""What a tool gave, as the output of a result: text, content blocks, or JSON as text.

And what went wrong, as a text that the model can act on. Runs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
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
_SHOWN = (Block, bytes, bytearray)  # a list that holds one of them is a list of blocks
_LONGEST = 2000  # characters of an error: the text of an exception may hold a whole page
_SHORT = 80  # characters of a text among others that is never shortened
_MEDIA: dict[str, type[ImageBlock | AudioBlock | VideoBlock]] = {
    "image": ImageBlock,
    "audio": AudioBlock,
    "video": VideoBlock,
}


@dataclass(frozen=True, slots=True)
class EndTurn:
    """What a tool returns whose output is the reply of the agent: no model is asked again.

    `value` is what it would have returned else.
    """

    value: Any


@dataclass(frozen=True, slots=True)
class CallResult:
    """What became of one call: the message that answers it, and what the agent makes of it.

    `ends_turn`: the output is the agent's reply. `error` is to be raised once all calls of the
    answer have their results: it ends the run.
    """

    msg: Msg
    ends_turn: bool = False
    error: ToolFailed | None = None


class Outcome(NamedTuple):
    """How a call ended: its output, and whether that tells of an error."""

    output: Output
    is_error: bool = False

    def message(self, call: ToolUseBlock) -> Msg:
        """The message that answers the call. Raises InvalidMessage for blocks that are wrong."""
        return Msg.tool(call.id, self.output, call.name, self.is_error)

    def shorten(self, most: int | None) -> tuple[Outcome, int]:
        """(the outcome with no more text than that, how many characters are left out of it)."""
        if isinstance(self.output, str):
            size = len(self.output)
        else:
            size = sum(len(one.text) for one in self.output if type(one) is TextBlock)
        if most is None or size <= most:
            return self, 0
        if isinstance(self.output, str):
            return self._replace(output=_ends(self.output, most)), size - most
        cut: list[ContentBlock] = []
        gone = 0
        for block in self.output:  # each text by its share, so that the last ones are told of, too
            if type(block) is not TextBlock or len(block.text) <= _SHORT:
                cut.append(block)
                continue
            share = most * len(block.text) // size
            gone += len(block.text) - share
            cut.append(replace(block, text=_ends(block.text, share)))
        return self._replace(output=cut), gone


def _ends(text: str, most: int) -> str:
    """The beginning and the end of a text, which tell most of a log, a table or a page."""
    if len(text) <= most:
        return text
    tail = most // 2
    gap = f"\n[... {len(text) - most:,} characters are left out here ...]\n"
    return text[: most - tail] + gap + text[len(text) - tail :]


def make_output(value: Any) -> Output:
    """The output that a returned value makes.

    Text and content blocks stay as they are, None is no text, bytes become the medium that their
    first bytes tell, and everything else its JSON text. Raises InvalidMessage for what is no JSON.
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
    """The block that shows a medium: an image, sound or video by its type, else a document."""
    block = _MEDIA.get(source.media_type.partition("/")[0], DocumentBlock)
    return block(source, title)


def json_text(value: Any) -> str:
    """The value's JSON text; of dataclasses, models, dates and the like with the extra `tools`."""
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
    """The text of an exception; none where it cannot be made, as its class is somebody's own."""
    try:
        return str(error).strip()
    except Exception:  # noqa: BLE001  # whatever a `__str__` may raise
        return ""


def failure(error: BaseException) -> Outcome:
    """The outcome of a call that raised: the type of the error and its text, and no traceback."""
    text = mask(error_text(error))
    if not isinstance(error, DragomanError):
        name = type(error).__name__
        text = f"{name}: {text}" if text else name
    return Outcome(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}...", is_error=True)
