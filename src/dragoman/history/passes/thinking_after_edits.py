"""Drop signed thinking whose history has changed since the model wrote it. Knows no wire.

This is the last pass, for it must know what all the others changed. All signed thinking after the
change goes, unless a later answer is known to fit; or the provider drops it itself. Whose signed
thinking a host takes at all is `signatures` in `vendors/`, which `lower/thinking.py` applies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b

from ...capabilities import Capabilities
from ...losses import Report
from ...message import Msg, ServerTool, ThinkingBlock, Tool, ToolResultBlock
from ...message.blocks import ContentBlock, plain_block
from ...text.json_text import Json, canonical
from .survey import ASSISTANT, RoledHistory, Tools, with_content

# What does not travel, or may be written anew: hints, spellings, the text of arguments.
_NOT_HASHED = frozenset({"cache", "spelling", "origin", "raw_input", "citations"})


def keep_bound_thinking(
    history: RoledHistory, tools: Tools | None, caps: Capabilities, report: Report
) -> tuple[RoledHistory, int | None]:
    """The history without the thinking that is bound to another one.

    Where the provider drops it itself, the history stays whole, and the second value is the index
    of the first message whose thinking goes. The report has the changes of the passes. An answer
    that has the hash of the history it answered (`Origin.prefix`) shows the changes of others as
    well. Without the hash, it is taken to fit unless a pass changed an earlier message. `tools` is
    None for a plain list, whose tools are not known.
    """
    if caps.binding == "none" or not history.unusual:
        return history, None
    answers = (i for i in history.unusual if history.roles[i] == ASSISTANT)
    bound = [i for i in answers if _find_signed_thinking(history.msgs[i])]
    unbound = _find_unbound(history, bound, tools, report) if bound else {}
    if not unbound:
        return history, None
    if caps.unbound == "switch":
        start, by = next(iter(unbound.items()))
        for i in bound:
            if i >= start:  # whatever follows the first that fails goes with it
                _report(history.msgs[i], unbound.get(i, by), "the provider drops it", report)
        return history, start
    changes: dict[int, Msg | None] = {}
    for i, by in unbound.items():
        m = history.msgs[i]
        _report(m, by, "left out", report)
        blocks: list[ContentBlock] = [b for b in m.blocks if type(b) is not ThinkingBlock]
        changes[i] = with_content(m, blocks, report) if blocks else None
    return history.with_contents(changes), None


def _report(m: Msg, by: str, did: str, report: Report) -> None:
    for block in _find_signed_thinking(m):
        report.add_loss("thinking.unbound", block, what=f"touched by {by}", did=did)


def _find_signed_thinking(m: Msg) -> list[ThinkingBlock]:
    """The thinking with a signature or a seal."""
    if isinstance(m.content, str):
        return []
    return [
        block
        for block in m.content
        if type(block) is ThinkingBlock and (block.signature or block.redacted is not None)
    ]


def _find_unbound(
    history: RoledHistory, bound: list[int], tools: Tools | None, report: Report
) -> dict[int, str]:
    """The messages whose thinking is no longer valid, each with what changed the history before it.

    Thinking that stays is one unbroken run: each piece names the one before it.
    """
    edits = _edits(history, report)
    prefixes = {i: _prefixes(history.msgs[i], report) for i in bound} if tools is not None else {}
    hashes = list(_hashes(tools or (), history)) if any(prefixes.values()) else []
    unbound: dict[int, str] = {}
    by = last = ""
    for i in bound:
        if hashes and prefixes.get(i):
            fits = all(_fits(prefix, hashes[i], last) for prefix in prefixes[i])
            by = "" if fits else "an edit of the history"
        else:
            editors = (editor for start, end, editor in edits if start <= i < end)
            by = next(editors, "") or (by if unbound else "")
        if by:
            unbound[i] = by
        else:
            last = _mark(_find_signed_thinking(history.msgs[i])[-1])
    return unbound


def _edits(history: RoledHistory, report: Report) -> list[tuple[int, int, str]]:
    """(first message after the change, end of the messages it concerns, name of the change)."""
    if not report.edits:
        return []
    first: dict[int, int] = {}  # a message may have several places: the widest range counts
    last: dict[int, int] = {}
    for i, m in enumerate(history.msgs):
        for node in report.origins(m):
            first.setdefault(id(node), i)
            last[id(node)] = i
    end = len(history.msgs)
    # what was removed may have stood anywhere
    return [
        (first.get(id(node), 0), end if until is None else last.get(id(until), end), by)
        for by, node, until in report.edits
    ]


def _prefixes(m: Msg, report: Report) -> set[str]:
    """The hashes that the answers in a message were answers to, as far as they know them."""
    return {
        node.origin.prefix
        for node in report.origins(m)
        if type(node) is Msg
        and node.origin is not None
        and node.origin.prefix
        and _find_signed_thinking(node)
    }


def _fits(prefix: str, history_hash: str, last: str) -> bool:
    """Whether an answer with this prefix still follows the same history and the same thinking."""
    history, dot, thinking = prefix.partition(".")
    return history == history_hash and (not dot or not last or thinking == last)


def history_prefix(tools: Tools, history: RoledHistory, until: int | None = None) -> str:
    """What an answer to this request is bound to, as `Origin.prefix` takes it.

    The hash of tools and messages, and a mark of the last thinking before `until`.
    """
    *_, history_hash = _hashes(tools, history)
    thinking = [block for m in history.msgs[:until] for block in _find_signed_thinking(m)]
    return f"{history_hash}.{_mark(thinking[-1]) if thinking else ''}"


def _mark(block: ThinkingBlock) -> str:
    seal = block.signature or block.redacted or ""
    return blake2b(seal.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _hashes(tools: Tools, history: RoledHistory) -> Iterator[str]:
    """For each message the hash of the tools and messages before it; last, the hash of all.

    By value, as the model gets it. Thinking and cache hints do not count.
    """
    state = blake2b(digest_size=16)
    for tool in tools:
        state.update(canonical(_describe_tool(tool)).encode())
    for m, role in zip(history.msgs, history.roles, strict=True):
        yield state.hexdigest()
        if blocks := _hashed_blocks(m):
            state.update(canonical([role, blocks, m.extras or {}]).encode())
    yield state.hexdigest()


def _describe_tool(tool: Tool | ServerTool) -> Json:
    if isinstance(tool, Tool):
        return [tool.name, tool.description, tool.schema, tool.strict, tool.extras]
    return [tool.kind, tool.list_values(), tool.extras]


def _hashed_blocks(m: Msg) -> list[Json]:
    """The blocks of a message by value, without its thinking."""
    if isinstance(m.content, str):
        return [{"type": "text", "text": m.content}]
    return _block_values(block for block in m.content if type(block) is not ThinkingBlock)


def _block_values(blocks: Iterable[ContentBlock]) -> list[Json]:
    values: list[Json] = []
    for block in blocks:
        value = {k: v for k, v in plain_block(block).items() if k not in _NOT_HASHED}
        if type(block) is ToolResultBlock:
            value.pop("name", None)  # the call has it
            if isinstance(block.output, list):
                value["output"] = _block_values(block.output)
                if len(block.output) == 1 and value["output"][0].keys() == {"type", "text"}:
                    value["output"] = value["output"][0]["text"]
        values.append(value)
    return values


def first_change(msgs: Sequence[Msg], originals: Sequence[Msg]) -> Msg | None:
    """The first message of `msgs` that differs from `originals`; None if none does.

    Messages that are only added at the end change nothing, nor do messages that are cut off there.
    """
    for m, original in zip(msgs, originals, strict=False):
        if m is not original and _value(m) != _value(original):
            return m
    return None


def _value(m: Msg) -> Json:
    return [m.role, _hashed_blocks(m), m.extras or {}]
