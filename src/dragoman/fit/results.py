"""Tool calls and results: as they are, with media that move behind them, or told as text."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

from ..jsontext import arguments
from ..media import as_base64, refused, registered
from ..message import (
    AudioBlock,
    Base64Source,
    DocumentBlock,
    ImageBlock,
    Msg,
    RawBlock,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    VideoBlock,
)
from ..message.blocks import ContentBlock, MediaBlock
from .blanks import without_blanks
from .media import ready, worded, worded_raw
from .state import State

__all__ = ["call", "flat", "result"]

Shown: TypeAlias = list[tuple[MediaBlock, str]]


def call(state: State, block: ToolUseBlock) -> ContentBlock:
    """The call; its input an object, or the whole call told as text."""
    if not state.can.tool_messages:
        state.report.lost("call.as_text", block)
        given = block.raw_input or arguments(block.input)
        return state.text(state.told.call.format(name=block.name, input=given), block)
    if isinstance(block.input, dict):
        return state.hinted(block)
    state.report.lost("call.unparsed", block, "input")
    wrapped = {} if block.input in (None, "") else {"_raw": block.input}
    made = replace(block, input=wrapped, raw_input=None)
    state.report.made(made, block)
    return state.hinted(made)


def result(state: State, block: ToolResultBlock, moved: list[Msg]) -> ContentBlock:
    """The result in what the wire takes in one, or told as text; media may join `moved`."""
    output = block.output
    flagged = block.is_error and state.can.result_error
    telling = flagged and not state.can.blank_text
    if isinstance(output, list) and not (telling and _silent(output)):
        output = _output(state, block, output, moved)
    if telling and _silent(output):
        # a wire with an error flag wants to hear what went wrong
        state.report.lost("result.error_text", block, did=state.told.failed)
        output = state.told.failed
    elif isinstance(output, str) and output.isspace() and not state.can.blank_text:
        state.report.lost("text.blank", block, "output")
        output = ""
    if block.is_error and not flagged:
        if type(state.report.source(block)) is ToolResultBlock:  # and not one that repair made
            state.report.lost("result.error_as_text", block, "is_error")
        output = _marked(state, block, output)
    if not state.can.tool_messages:
        state.report.lost("result.as_text", block)
        said = state.told.result.format(name=state.called(block) or block.id, output=flat(output))
        return state.text(said, block)
    if output is block.output:
        return state.hinted(block)
    made = replace(block, output=output)
    state.report.made(made, block)
    return state.hinted(made)


def _marked(state: State, block: ToolResultBlock, output: object) -> str | list[ContentBlock]:
    mark = state.told.error
    if isinstance(output, list):
        return [state.text(mark.rstrip(), block), *output]
    return mark + flat(output)


def _silent(output: object) -> bool:
    """Whether a result says nothing at all."""
    if isinstance(output, list) and any(type(inner) is not TextBlock for inner in output):
        return False
    return not flat(output).strip()


def flat(output: object) -> str:
    """What a result says in words."""
    if isinstance(output, str):
        return output
    if isinstance(output, list):
        return "\n".join(block.text for block in output if type(block) is TextBlock)
    return arguments(output) if output is not None else ""


def _output(
    state: State, block: ToolResultBlock, output: list[ContentBlock], moved: list[Msg]
) -> list[ContentBlock]:
    said: list[ContentBlock] = []
    shown: Shown = []
    for inner in without_blanks(output, state.can, state.report):
        if inner.extras is not None:
            inner = state.owned(inner)  # noqa: PLW2901 - the same block, less what is foreign
        if (
            type(inner) is ImageBlock
            or type(inner) is AudioBlock
            or type(inner) is VideoBlock
            or type(inner) is DocumentBlock
        ):
            document = type(inner) is DocumentBlock
            text = worded(state, inner, state.can.result) if document else None
            said.append(text or _medium(state, inner, shown))
        elif type(inner) is TextBlock:
            said.append(state.said(inner))
        elif type(inner) is RawBlock and inner.issuer in state.can.reads:
            said.append(inner)
        elif type(inner) is RawBlock and (text := worded_raw(state, inner, state.can.result)):
            said.append(text)
        else:
            state.report.lost("block.unsaid", inner, did="left out of the tool result")
    if shown:
        moved.append(_promoted(state, block, shown))
    same = len(said) == len(output) and all(a is b for a, b in zip(said, output, strict=True))
    return output if same else said


def _medium(state: State, block: MediaBlock, shown: Shown) -> ContentBlock:
    """The medium itself, or a text that names it while it moves, is saved, or is lost."""
    can, kind, source = state.can, block.type, block.source
    fault = refused(as_base64(block), can)
    if fault is None and (kind in can.result or (kind in can.user and kind in can.move_media)):
        made = ready(state, block)
        if kind in can.result and not isinstance(made, str):
            return state.hinted(made)
    else:
        made = ""
        for name in ("detail", "title"):
            if getattr(block, name) is not None:
                state.report.lost("media.detail", block, name)
    place = state.told.place(source)
    if state.saver is not None and type(source) is Base64Source:
        place = state.saver(source.media_type, source.data)
    if not isinstance(made, str):
        shown.append((state.hinted(registered(made)), place))
        state.report.lost("media.moved", block, did="follows behind the tool results")
    elif state.saver is not None and type(source) is Base64Source:
        state.report.lost("media.saved", block, did=f"saved as {place}")
    else:
        state.report.lost("media.as_reference", block)
    below = not isinstance(made, str)
    told = state.told.reference(kind, source, place, below)
    return state.text(told, block) if below else state.stand_in(told, block)


def _promoted(state: State, block: ToolResultBlock, shown: Shown) -> Msg:
    """A user message that shows what a result may not."""
    told = state.told
    heading = told.heading(shown[0][0].type, state.called(block))
    blocks: list[ContentBlock] = [state.text(heading, block)]
    for made, place in shown:
        blocks.append(state.text(told.item(made.type, place), block))
        blocks.append(made)
    blocks.append(state.text(told.closing, block))
    message = Msg.trusted("user", blocks, "user")
    state.report.made(message, block)
    return message
