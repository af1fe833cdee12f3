"""One message in blocks that the wire takes of its role: calls, results, media, thinking, text.

Also the removal of blank text and empty messages where the wire refuses them. Each block that
goes is a loss. Knows no wire; what one refuses comes in as Capabilities.
"""

from __future__ import annotations

from typing import TypeAlias, TypeGuard, assert_never

from .... import message as tree
from ....capabilities import Capabilities
from ....losses import Report
from ....losses.codes.code import Kind
from ....message import Msg, TextBlock, ThinkingBlock, ToolUseBlock
from ....message.blocks import BILLING, NOTES, SEALED_SUMMARY, ContentBlock, MediaBlock
from ....message.media_urls import (
    BROKEN,
    MediaFault,
    as_base64,
    is_base64,
    is_drawing,
    media_fault,
    speech_id,
    with_registered_type,
    with_true_type,
)
from ....text.json_text import arguments
from ..survey import ASSISTANT, RoledHistory, same_items, with_content, with_fields
from .state import (
    State,
    document_as_text,
    fit_medium,
    frames_as_images,
    prepare_medium,
    raw_as_text,
)
from .thinking import fit_thinking


def drop_blanks(history: RoledHistory, caps: Capabilities, report: Report) -> RoledHistory:
    """The history without the blank text and the empty messages that the wire refuses.

    Comes after the speakers: a merged history may hold the blank line of a speaker.
    """
    changes: dict[int, Msg | None] = {}
    for i in history.unusual:
        m = history.msgs[i]
        blocks = _without_blank(m, caps)
        if blocks is None:
            continue
        if not isinstance(m.content, str):
            blocks = _with_hints(m.content, blocks, caps, report)
        if blocks:
            changes[i] = with_content(m, blocks, report)
            continue
        extras = any(not issuer.endswith(NOTES) for issuer in m.extras or ())
        if m.name not in ("", m.role) or m.cache is not None or extras:
            report.add_loss("message.empty", m, kind="dropped")
        elif isinstance(m.content, str) or not m.content:
            report.add_loss("message.empty", m, "content")
        changes[i] = None
    return history.with_contents(changes)


def _with_hints(
    blocks: list[ContentBlock], remaining: list[ContentBlock], caps: Capabilities, report: Report
) -> list[ContentBlock]:
    """The remaining blocks, with the cache hints of those that go on what is in front of them."""
    stays = set(map(id, remaining))
    calls = any(type(block) is ToolUseBlock for block in remaining)
    hinted: list[ContentBlock] = []
    for block in blocks:
        if id(block) in stays:
            hinted.append(block)
            continue
        hint = getattr(block, "cache", None)
        previous = hinted[-1] if hinted else None
        if hint is not None and caps.cache_hints and getattr(previous, "cache", hint) is None:
            hinted[-1] = with_fields(hinted[-1], report, cache=hint)
        elif hint is not None:
            report.add_loss("cache.unsupported", block, "cache")
        text_only = type(block) is TextBlock and block == TextBlock(block.text, cache=hint)
        # no fault: an empty content is how Chat Completions says that there are calls alone
        kind: Kind | None = "expected" if calls and block == TextBlock("") else None
        report.add_loss("text.blank", block, "text" if text_only else "", kind=kind)
    return hinted


def _without_blank(m: Msg, caps: Capabilities) -> list[ContentBlock] | None:
    """The blocks that stay; None if all do."""
    content = m.content
    if isinstance(content, str):
        blank = not content or (not caps.blank_text and content.isspace())
        return [] if blank and not (caps.blank_text and caps.empty_messages) else None
    blocks = [block for block in content if caps.blank_text or not _is_blank(block, caps)]
    if not caps.empty_messages and all(map(_is_empty, blocks)):
        blocks = []
    return None if content and len(blocks) == len(content) else blocks


def _is_empty(block: ContentBlock) -> bool:
    return type(block) is TextBlock and not block.text


def _is_blank(block: ContentBlock, caps: Capabilities) -> bool:
    if type(block) is not TextBlock or block.text.strip():
        return False
    # a blank text that carries the wire's own state (a signature) must stay
    return not any(
        issuer in caps.reads or (not issuer and caps.claims.intersection(issuer_fields))
        for issuer, issuer_fields in (block.extras or {}).items()
    )


def _call(state: State, block: ToolUseBlock) -> ContentBlock:
    """The call with an object as its input, or as text where the wire takes no calls."""
    if not state.caps.tool_messages:
        state.report.add_loss("call.as_text", block)
        text = block.input if block.freeform else block.raw_input or arguments(block.input)
        return state.text(state.wording.call.format(name=block.name, input=text), block)
    if block.freeform or isinstance(block.input, dict):
        return state.fit_hint(block)
    state.report.add_loss("call.unparsed", block, "input")
    wrapped = {} if block.input in (None, "") else {"_raw": block.input}
    return state.fit_hint(with_fields(block, state.report, input=wrapped, raw_input=None))


def _result(state: State, block: tree.ToolResultBlock, moved: list[Msg]) -> ContentBlock:
    """The result in blocks that the wire takes in one, or as text; media may join `moved`."""
    caps, report, wording = state.caps, state.report, state.wording
    output = block.output
    flagged = block.is_error and caps.result_error
    needs_text = flagged and not caps.blank_text
    if isinstance(output, list) and not (needs_text and _is_silent(output)):
        kinds = caps.result & caps.error_kinds if flagged and caps.error_kinds else caps.result
        output = _output(state, block, output, kinds, moved)
    if needs_text and _is_silent(output):
        # a wire with an error flag wants to hear what went wrong
        report.add_loss("result.error_text", block, did=wording.failed)
        output = wording.failed
    elif isinstance(output, str) and output.isspace() and not caps.blank_text:
        report.add_loss("text.blank", block, "output")
        output = ""
    if block.is_error and not flagged:
        if type(report.source(block)) is tree.ToolResultBlock:  # and not one that repair made
            report.add_loss("result.error_as_text", block, "is_error")
        if isinstance(output, list):
            output = [state.text(wording.error.rstrip(), block), *output]
        else:
            output = wording.error + output_text(output)
    if not caps.tool_messages:
        report.add_loss("result.as_text", block)
        name = state.find_tool_name(block) or block.id
        return state.text(wording.result.format(name=name, output=output_text(output)), block)
    if output is not block.output:
        block = with_fields(block, report, output=output)
    return state.fit_hint(block)


def _is_silent(output: object) -> bool:
    """Whether a result holds no text and no media."""
    if isinstance(output, list) and any(type(item) is not TextBlock for item in output):
        return False
    return not output_text(output).strip()


def output_text(output: object) -> str:
    """The text of a result."""
    if isinstance(output, str):
        return output
    if isinstance(output, list):
        return "\n".join(block.text for block in output if type(block) is TextBlock)
    return arguments(output) if output is not None else ""


_Moved: TypeAlias = tuple[MediaBlock, str]  # a medium, and where it is


def _output(
    state: State,
    block: tree.ToolResultBlock,
    output: list[ContentBlock],
    kinds: frozenset[str],
    moved: list[Msg],
) -> list[ContentBlock]:
    items: list[ContentBlock] = []
    media: list[_Moved] = []
    takes_raw = kinds == state.caps.result or "raw" in kinds
    fitting = output
    if not state.caps.blank_text:
        fitting = [item for item in output if not _is_blank(item, state.caps)]
        fitting = _with_hints(output, fitting, state.caps, state.report)
    for item in fitting:
        if item.extras is not None:
            item = state.fit_extras(item)  # noqa: PLW2901 - the same block, less what is foreign
        if isinstance(item, MediaBlock):
            text = document_as_text(state, item, kinds) if item.type == "document" else None
            shown = [item] if text else frames_as_images(state, item, kinds) or [item]
            items += [text or _result_medium(state, medium, kinds, media) for medium in shown]
        elif type(item) is TextBlock:
            items.append(state.fit_citations(item))
        elif type(item) is tree.RawBlock and takes_raw and item.issuer in state.caps.reads:
            items.append(item)
        elif type(item) is tree.RawBlock and (text := raw_as_text(state, item, kinds)):
            items.append(text)
        else:
            state.report.add_loss("block.unsupported", item, did="left out of the tool result")
    if media:
        moved.append(_media_message(state, block, media))
    return output if same_items(items, output) else items


def _result_medium(
    state: State, block: MediaBlock, kinds: frozenset[str], moved: list[_Moved]
) -> ContentBlock:
    """The medium itself, or a text that names it while it moves, is saved, or is lost."""
    caps, kind, source = state.caps, block.type, block.source
    medium: MediaBlock | None = None
    plain = with_true_type(as_base64(block), caps)[0]
    fault = media_fault(plain, caps)
    if type(plain.source) is tree.Base64Source and not is_base64(plain.source.data):
        fault = MediaFault(
            BROKEN, plain.source.media_type
        )  # which a host refuses in each later turn
    if fault is None and (kind in kinds or (kind in caps.user and kind in caps.move_media)):
        prepared = prepare_medium(state, block)
        medium = None if isinstance(prepared, str) else prepared
        if kind in kinds and medium is not None:
            return state.fit_hint(medium)
    else:
        for name in ("detail", "title", "context", "cite"):
            if getattr(block, name, None) is not None:
                state.report.add_loss("media.detail", block, name)
    place = state.wording.place(source)
    is_broken = fault is not None and fault.code == BROKEN
    saved = False
    if state.saver is not None and type(source) is tree.Base64Source and not is_broken:
        place, saved = state.saver(source.media_type, source.data), True
    if medium is not None:
        moved.append((state.fit_hint(with_registered_type(medium)), place))
        state.report.add_loss("media.moved", block, did="put after the tool results")
        return state.text(state.wording.reference(kind, source, place, True), block)
    if is_broken and fault is not None:
        state.report.add_loss(BROKEN, block, "source", what=fault.what, did="a text names it")
    elif saved:
        state.report.add_loss("media.saved", block, did=f"saved as {place}")
    else:
        state.report.add_loss("media.as_reference", block)
    return state.stand_in(state.wording.reference(kind, source, place, False), block)


def _media_message(state: State, block: tree.ToolResultBlock, media: list[_Moved]) -> Msg:
    """A user message with the media that a result may not hold."""
    wording = state.wording
    heading = wording.heading(media[0][0].type, state.find_tool_name(block))
    blocks: list[ContentBlock] = [state.text(heading, block)]
    for medium, place in media:
        blocks += [state.text(wording.item(medium.type, place), block), medium]
    blocks.append(state.text(wording.closing, block))
    return state.report.record_copy(Msg.create_unchecked("user", blocks, "user"), block)


_KINDS_OF = ("system", "user", "assistant", "result")


def fit_message(state: State, m: Msg, role: int) -> tuple[Msg | None, list[Msg]]:
    """The message as the wire takes it of this role (None if nothing is left), and moved media."""
    if m.extras is not None:
        m = state.owned_message(m)
    content = m.content
    if isinstance(content, str):
        return state.fit_message_hint(m), []
    moved: list[Msg] = []
    blocks: list[ContentBlock] = []
    kinds: frozenset[str] = getattr(state.caps, _KINDS_OF[role])
    for block in content:
        blocks.extend(_fit_block(state, block, role, kinds, moved))
    blocks = _fit_turn(state, blocks, role)
    empty = not state.caps.empty_messages and all(map(_is_empty, blocks))
    if empty and 0 < len(blocks) < len(content):
        state.report.add_loss("message.empty", m, "content")
        blocks = []
    fitted = with_blocks(state, m, blocks)
    if fitted is None:
        return None, moved
    fitted = state.fit_message_hint(fitted)
    return (_with_early_hints(state, fitted) if state.caps.cached_documents else fitted), moved


def _with_early_hints(state: State, m: Msg) -> Msg:
    """The message with hints moved from documents that carry none to the block before them."""
    blocks = list(m.blocks)
    place = -1  # of the last block that is none of these documents
    for i, block in enumerate(blocks):
        if not _is_unhinted(block, state.caps):
            place = i
            continue
        hint = block.cache
        if hint is None:
            continue
        blocks[i] = with_fields(block, state.report, cache=None)
        earlier = blocks[place] if place >= 0 else None
        if earlier is None or not hasattr(earlier, "cache"):
            state.report.add_loss("cache.unsupported", block, "cache")
            continue
        state.report.add_loss("cache.moved", block, "cache", did="before the documents")
        if earlier.cache is None:
            blocks[place] = with_fields(earlier, state.report, cache=hint)
    return m if same_items(blocks, m.blocks) else with_content(m, blocks, state.report)


def _is_unhinted(block: ContentBlock, caps: Capabilities) -> TypeGuard[tree.DocumentBlock]:
    """Whether it is a document that no cache hint may follow."""
    if type(block) is not tree.DocumentBlock:
        return False
    if type(block.source) is tree.TextSource and block.source.found_at is not None:
        return False  # what a search found is no document there
    return getattr(block.source, "media_type", None) not in caps.cached_documents


def with_blocks(state: State, m: Msg, blocks: list[ContentBlock]) -> Msg | None:
    """`m` itself if these are its blocks, a message of them otherwise, None for no blocks."""
    if same_items(blocks, m.blocks):
        return m
    return with_content(m, blocks, state.report) if blocks else None


def _fit_block(
    state: State, block: ContentBlock, role: int, kinds: frozenset[str], moved: list[Msg]
) -> list[ContentBlock]:
    if block.extras is not None:
        block = state.fit_extras(block)
    if type(block) is TextBlock:
        return [state.fit_citations(block)]
    if type(block) is ToolUseBlock:
        return [_call(state, block)]
    if type(block) is tree.ToolResultBlock:
        return [_result(state, block, moved)]
    if type(block) is ThinkingBlock:
        return fit_thinking(state, block, role)
    if isinstance(block, MediaBlock):
        if role == ASSISTANT and _comes_back(block, state.caps):
            return [block]  # whatever its form: the provider has it
        return fit_medium(state, block, _KINDS_OF[role], kinds, moved)
    if type(block) is tree.RefusalBlock:
        return _refusal(state, block, kinds)
    if type(block) is tree.RawBlock:
        return _raw(state, block, kinds)
    assert_never(block)


_LOST_AS = {SEALED_SUMMARY: "summary.sealed", BILLING: "system.billing"}


def _raw(state: State, block: tree.RawBlock, kinds: frozenset[str]) -> list[ContentBlock]:
    readable = "raw" in kinds and state.caps.takes_items(block.issuer, block.by == "client")
    if (
        readable
        and isinstance(block.data, dict)
        and not state.holds_sealed_state(block.issuer, block.data)
    ):
        return [block]
    if not readable and (text := raw_as_text(state, block, kinds)) is not None:
        return [text]
    code = _LOST_AS.get(block.spelling or "", "raw.other_provider")
    state.report.add_loss(code, block, what=f"raw block of {block.issuer}")
    return []


def _comes_back(block: MediaBlock, caps: Capabilities) -> bool:
    """Whether the provider takes back what its own model spoke or drew."""
    if block.type == "audio":
        return speech_id(block, caps) is not None
    return is_drawing(block, caps)


def _refusal(state: State, block: tree.RefusalBlock, kinds: frozenset[str]) -> list[ContentBlock]:
    if "refusal" in kinds:
        if block.category is not None:  # no wire takes it back
            state.report.add_loss("extras.unsupported", block, "category", what="category")
        return [block]
    if not block.text.strip() and not (state.caps.blank_text and state.caps.empty_messages):
        state.report.add_loss("text.blank", block)
        return []
    state.report.add_loss("refusal.as_text", block)
    return [state.text(block.text, block)]


def _fit_turn(state: State, blocks: list[ContentBlock], role: int) -> list[ContentBlock]:
    """The blocks without those that an assistant's turn may not hold beside others, or alone."""
    if role != ASSISTANT or not blocks:
        return blocks
    caps, report = state.caps, state.report
    if caps.call_text == "drop" and any(type(block) is ToolUseBlock for block in blocks):
        for block in blocks:
            if type(block) is TextBlock:
                report.add_loss("call.text_dropped", block, "text")
        blocks = [block for block in blocks if type(block) is not TextBlock]
    kinds = {type(block) for block in blocks}
    if caps.call_text == "thought" and kinds >= {TextBlock, ThinkingBlock, ToolUseBlock}:
        blocks = [_thought(state, block) if type(block) is TextBlock else block for block in blocks]
    if caps.server_first:
        blocks = _server_blocks_first(state, blocks)
    if not caps.thinking_alone and all(type(block) is ThinkingBlock for block in blocks):
        for block in blocks:
            report.add_loss("thinking.alone", block)
        return []
    return blocks


def _server_blocks_first(state: State, blocks: list[ContentBlock]) -> list[ContentBlock]:
    """What the provider's server called and returned, before the client's calls of the turn.

    Nothing moves across thinking, which may be bound to its place.
    """
    kinds = [type(block) for block in blocks]
    first = kinds.index(ToolUseBlock) if ToolUseBlock in kinds else len(blocks)
    late = [block for block in blocks[first:] if _by_server(block)]
    if not late or ThinkingBlock in kinds[first:]:
        return blocks
    for block in late:
        state.report.add_loss("raw.moved", block, did="put before the calls")
    others = [block for block in blocks[first:] if not _by_server(block)]
    return [*blocks[:first], *late, *others]


def _by_server(block: ContentBlock) -> bool:
    return (
        type(block) is tree.RawBlock and block.by == "server" and block.role in ("call", "result")
    )


def _thought(state: State, block: TextBlock) -> ThinkingBlock:
    """Text between thinking and calls, as thinking in its place."""
    state.report.add_loss("call.text_thought", block, "text", did="sent as thinking")
    return state.report.record_copy(ThinkingBlock(block.text), block)
