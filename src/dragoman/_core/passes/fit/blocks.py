"""RoledHistory -> RoledHistory: no blank text and no empty messages where the wire refuses them.

Each that goes is a loss. Knows no wire; what one refuses comes in as Capabilities.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeAlias, assert_never

from ....capabilities import Capabilities
from ....losses import Report
from ....message import (
    AudioBlock,
    Base64Source,
    DocumentBlock,
    ImageBlock,
    Msg,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    VideoBlock,
)
from ....message.blocks import NOTES, ContentBlock, MediaBlock
from ...jsontext import arguments
from ...media import as_base64, refused, registered
from ..roles import ASSISTANT, RoledHistory
from .state import State, medium, ready, worded, worded_raw


def blanks(history: RoledHistory, caps: Capabilities, report: Report) -> RoledHistory:
    """The history without the blank text and the empty messages that the wire refuses.

    Comes after the speakers: a blank line of one speaker may stand in a merged history.
    """
    changes: dict[int, list[tuple[Msg, int]]] = {}
    for i in history.dirty:
        m = history.msgs[i]
        kept = _kept(m, caps)
        if kept is None:
            continue
        if not isinstance(m.content, str):
            kept = _without(m.content, kept, caps, report)
        if kept:
            made = Msg.trusted(m.name, kept, m.role, m)
            report.made(made, m)
            changes[i] = [(made, history.seats[i])]
        else:
            if not _says_no_more(m):
                report.lost("message.empty", m, kind="dropped")
            elif isinstance(m.content, str) or not m.content:
                report.lost("message.empty", m, "content")
            changes[i] = []
    return history.spliced(changes) if changes else history


def _says_no_more(m: Msg) -> bool:
    """Whether nothing but its content is lost with the message."""
    own = any(not issuer.endswith(NOTES) for issuer in m.extras or ())
    return m.name in ("", m.role) and m.cache is None and not own


def without_blanks(
    blocks: list[ContentBlock], caps: Capabilities, report: Report
) -> list[ContentBlock]:
    """The blocks without blank texts, where the wire refuses those; each is a loss.

    The cache hint of one that goes stands on what is in front of it.
    """
    if caps.blank_text:
        return blocks
    return _without(blocks, [one for one in blocks if not _is_blank(one, caps)], caps, report)


def _without(
    blocks: list[ContentBlock], kept: list[ContentBlock], caps: Capabilities, report: Report
) -> list[ContentBlock]:
    stays = set(map(id, kept))
    made: list[ContentBlock] = []
    for block in blocks:
        if id(block) in stays:
            made.append(block)
            continue
        hint = getattr(block, "cache", None)
        before: Any = made[-1] if made else None
        if hint is not None and caps.cache_hints and getattr(before, "cache", hint) is None:
            made[-1] = replace(before, cache=hint)
            report.made(made[-1], before)
        elif hint is not None:
            report.lost("cache.unsaid", block, "cache")
        alone = type(block) is TextBlock and block == TextBlock(block.text, cache=hint)
        report.lost("text.blank", block, "text" if alone else "")
    return made


def _kept(m: Msg, caps: Capabilities) -> list[ContentBlock] | None:
    """The blocks that stay; None if all do."""
    content = m.content
    if isinstance(content, str):
        blank = not content or (not caps.blank_text and content.isspace())
        return [] if blank and not (caps.blank_text and caps.empty_messages) else None
    kept = (
        content if caps.blank_text else [block for block in content if not _is_blank(block, caps)]
    )
    if not caps.empty_messages and all(map(_is_empty, kept)):
        kept = []
    return None if content and len(kept) == len(content) else kept


def _is_empty(block: ContentBlock) -> bool:
    return type(block) is TextBlock and not block.text


def _is_blank(block: ContentBlock, caps: Capabilities) -> bool:
    if type(block) is not TextBlock or block.text.strip():
        return False
    # a blank text that carries the wire's own state (a signature) must stand
    return not any(
        issuer in caps.reads or (not issuer and caps.claims.intersection(own))
        for issuer, own in (block.extras or {}).items()
    )


Shown: TypeAlias = list[tuple[MediaBlock, str]]


def call(state: State, block: ToolUseBlock) -> ContentBlock:
    """The call; its input an object, or the whole call told as text."""
    if not state.caps.tool_messages:
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
    flagged = block.is_error and state.caps.result_error
    telling = flagged and not state.caps.blank_text
    if isinstance(output, list) and not (telling and _silent(output)):
        output = _output(state, block, output, moved)
    if telling and _silent(output):
        # a wire with an error flag wants to hear what went wrong
        state.report.lost("result.error_text", block, did=state.told.failed)
        output = state.told.failed
    elif isinstance(output, str) and output.isspace() and not state.caps.blank_text:
        state.report.lost("text.blank", block, "output")
        output = ""
    if block.is_error and not flagged:
        if type(state.report.source(block)) is ToolResultBlock:  # and not one that repair made
            state.report.lost("result.error_as_text", block, "is_error")
        output = _marked(state, block, output)
    if not state.caps.tool_messages:
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
    for inner in without_blanks(output, state.caps, state.report):
        if inner.extras is not None:
            inner = state.owned(inner)  # noqa: PLW2901 - the same block, less what is foreign
        if (
            type(inner) is ImageBlock
            or type(inner) is AudioBlock
            or type(inner) is VideoBlock
            or type(inner) is DocumentBlock
        ):
            document = type(inner) is DocumentBlock
            text = worded(state, inner, state.caps.result) if document else None
            said.append(text or _medium(state, inner, shown))
        elif type(inner) is TextBlock:
            said.append(state.said(inner))
        elif type(inner) is RawBlock and inner.issuer in state.caps.reads:
            said.append(inner)
        elif type(inner) is RawBlock and (text := worded_raw(state, inner, state.caps.result)):
            said.append(text)
        else:
            state.report.lost("block.unsaid", inner, did="left out of the tool result")
    if shown:
        moved.append(_promoted(state, block, shown))
    same = len(said) == len(output) and all(a is b for a, b in zip(said, output, strict=True))
    return output if same else said


def _medium(state: State, block: MediaBlock, shown: Shown) -> ContentBlock:
    """The medium itself, or a text that names it while it moves, is saved, or is lost."""
    caps, kind, source = state.caps, block.type, block.source
    fault = refused(as_base64(block), caps)
    if fault is None and (kind in caps.result or (kind in caps.user and kind in caps.move_media)):
        made = ready(state, block)
        if kind in caps.result and not isinstance(made, str):
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


_SEATS = ("system", "user", "assistant", "result")


def fitted(state: State, m: Msg, seat: int) -> tuple[Msg | None, list[Msg]]:
    """The message as this seat may say it (None if nothing is left), and what moves behind it."""
    if m.extras is not None:
        m = state.owned_message(m)
    content = m.content
    if isinstance(content, str):
        return state.cached(m), []
    moved: list[Msg] = []
    blocks: list[ContentBlock] = []
    kinds: frozenset[str] = getattr(state.caps, _SEATS[seat])
    for block in content:
        blocks.extend(_said(state, block, seat, kinds, moved))
    blocks = _together(state, blocks, seat)
    nothing = not state.caps.empty_messages and all(map(_is_empty, blocks))
    if nothing and 0 < len(blocks) < len(content):
        state.report.lost("message.empty", m, "content")
        blocks = []
    made = remade(state, m, blocks)
    return (state.cached(made) if made is not None else None), moved


def remade(state: State, m: Msg, blocks: list[ContentBlock]) -> Msg | None:
    """`m` itself if these are its blocks, a message of them otherwise, None for no blocks."""
    if len(blocks) == len(m.content) and all(
        new is old for new, old in zip(blocks, m.content, strict=True)
    ):
        return m
    if not blocks:
        return None
    made = Msg.trusted(m.name, blocks, m.role, m)
    state.report.made(made, m)
    return made


def _said(
    state: State, block: ContentBlock, seat: int, kinds: frozenset[str], moved: list[Msg]
) -> list[ContentBlock]:
    if block.extras is not None:
        block = state.owned(block)
    if type(block) is TextBlock:
        return [state.said(block)]
    if type(block) is ToolUseBlock:
        return [call(state, block)]
    if type(block) is ToolResultBlock:
        return [result(state, block, moved)]
    if type(block) is ThinkingBlock:
        return _thinking(state, block, seat)
    if (
        type(block) is ImageBlock
        or type(block) is AudioBlock
        or type(block) is VideoBlock
        or type(block) is DocumentBlock
    ):
        return medium(state, block, _SEATS[seat], kinds, moved)
    if type(block) is RefusalBlock:
        return _refusal(state, block, kinds)
    if type(block) is RawBlock:
        known = block.issuer in state.caps.reads and "raw" in kinds
        if known and isinstance(block.data, dict) and not state.sealed(block.issuer, block.data):
            return [block]
        if not known and (said := worded_raw(state, block, kinds)) is not None:
            return [said]
        state.report.lost("raw.foreign", block, what=f"raw block of {block.issuer}")
        return []
    assert_never(block)


def _refusal(state: State, block: RefusalBlock, kinds: frozenset[str]) -> list[ContentBlock]:
    if "refusal" in kinds:
        if block.category is not None:  # no wire takes it back
            state.report.lost("extras.unsaid", block, "category", what="category")
        return [block]
    if not block.text.strip() and not (state.caps.blank_text and state.caps.empty_messages):
        state.report.lost("text.blank", block)
        return []
    state.report.lost("refusal.as_text", block)
    return [state.text(block.text, block)]


def _thinking(state: State, block: ThinkingBlock, seat: int) -> list[ContentBlock]:
    caps, report = state.caps, state.report
    if block.redacted == "":  # as good as none
        made = replace(block, redacted=None)
        report.made(made, block)
        block = made
    if seat != ASSISTANT or caps.thinking == "never":
        report.lost("thinking.unsaid", block)
        return []
    issuers = caps.signatures or caps.reads
    if block.origin is not None and block.origin.issuer not in issuers:
        return _foreign(state, block)
    if block.redacted is not None and not caps.redacted_thinking:
        report.lost("thinking.foreign", block)
        return []
    if caps.signed_thinking and not _vouched(block, caps):
        report.lost("thinking.unsigned", block)
        return []
    if not caps.signed_thinking:
        known = caps.signatures and block.origin is not None
        if block.redacted is not None and not block.thinking and not known:
            report.lost("thinking.foreign", block)
            return []
        if not caps.signatures:  # taken where one is given, but not demanded
            for name in ("signature", "redacted"):
                if getattr(block, name):
                    report.lost("thinking.foreign", block, name)
            if not block.thinking and not caps.empty_messages:
                report.lost("text.blank", block, "thinking")
                return []
            return [block]
    return [_sealed(state, block) if block.redacted is not None else block]


def _sealed(state: State, block: ThinkingBlock) -> ThinkingBlock:
    """Sealed thinking with what the wire says beside the seal."""
    if block.thinking and not state.caps.sealed_text:
        state.report.lost("thinking.unsaid", block, "thinking")
    if not block.signature:
        return block
    state.report.lost("thinking.unsaid", block, "signature")
    made = replace(block, signature=None)
    state.report.made(made, block)
    return made


def _vouched(block: ThinkingBlock, caps: Capabilities) -> bool:
    """Whether its provider knows the thinking again: signed, sealed, or kept under an id."""
    if block.signature or block.redacted is not None:
        return True
    kept = (block.extras or {}).items() if caps.stored_thinking else ()
    return any("id" in own for issuer, own in kept if issuer in caps.reads)


def _foreign(state: State, block: ThinkingBlock) -> list[ContentBlock]:
    stance = state.caps.foreign_thinking
    if stance == "drop" or not block.thinking.strip():
        state.report.lost("thinking.foreign", block)
        return []
    state.report.lost("thinking.quoted", block)
    text = f"<think>{block.thinking}</think>" if stance == "tags" else block.thinking
    return [state.text(text, block)]


def _together(state: State, blocks: list[ContentBlock], seat: int) -> list[ContentBlock]:
    """What may not stand beside something else, or alone, in an assistant's turn."""
    if seat != ASSISTANT or not blocks:
        return blocks
    caps, report = state.caps, state.report
    if caps.call_text == "drop" and any(type(block) is ToolUseBlock for block in blocks):
        for block in blocks:
            if type(block) is TextBlock:
                report.lost("call.text_dropped", block, "text")
        blocks = [block for block in blocks if type(block) is not TextBlock]
    if caps.call_text == "thought":
        blocks = _thought(state, blocks)
    if caps.server_first:
        blocks = _served(state, blocks)
    if not caps.thinking_alone and all(type(block) is ThinkingBlock for block in blocks):
        for block in blocks:
            report.lost("thinking.alone", block)
        return []
    return blocks


def _served(state: State, blocks: list[ContentBlock]) -> list[ContentBlock]:
    """What the provider's server called and found, before the client's calls of the turn.

    Nothing moves across thinking, which may be bound to its place.
    """
    kinds = [type(block) for block in blocks]
    first = kinds.index(ToolUseBlock) if ToolUseBlock in kinds else len(blocks)
    late = [b for b in blocks[first:] if type(b) is RawBlock and _by_server(b)]
    if not late or ThinkingBlock in kinds[first:]:
        return blocks
    for block in late:
        state.report.lost("raw.moved", block, did="stands before the calls")
    return [
        *blocks[:first],
        *late,
        *(b for b in blocks[first:] if not any(b is one for one in late)),
    ]


def _by_server(block: RawBlock) -> bool:
    return block.by == "server" and block.role in ("call", "result")


def _thought(state: State, blocks: list[ContentBlock]) -> list[ContentBlock]:
    """Text that stands beside both thinking and calls, told as thinking in its place."""
    kinds = {type(block) for block in blocks}
    if not kinds.issuperset((TextBlock, ThinkingBlock, ToolUseBlock)):
        return blocks
    said: list[ContentBlock] = []
    for block in blocks:
        if type(block) is TextBlock:
            state.report.lost("call.text_thought", block, "text", did="told as thinking")
            made = ThinkingBlock(block.text)
            state.report.made(made, block)
            said.append(made)
        else:
            said.append(block)
    return said
