"""RoledHistory -> RoledHistory: signed thinking holds only behind the history that it was made for.

The last pass, for it must know what all the others touched. What became unbound goes as one run to
the end, unless a later answer is known to fit; or the provider is told to drop it. Knows no wire.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b

from ...capabilities import Capabilities
from ...losses import Report
from ...message import Msg, ServerTool, ThinkingBlock, Tool, ToolResultBlock
from ...message.blocks import ContentBlock
from ...message.plain import plain_block
from ..jsontext import Json, canonical
from .roles import ASSISTANT, RoledHistory

_EDITED = "an edit of the history"


# what does not travel, or may be said anew: hints, spellings, the text of arguments
_ASIDE = frozenset({"cache", "spelling", "origin", "raw_input", "citations"})


def bind(
    history: RoledHistory,
    tools: Sequence[Tool | ServerTool] | None,
    caps: Capabilities,
    report: Report,
) -> tuple[RoledHistory, int | None]:
    """The history without the thinking that is bound to another one.

    Where the provider drops it itself, the history stays whole, and the second value is the index
    of the first message whose thinking goes. A pass tells the report what it touched; an answer
    that knows the hash of what it was an answer to (`Origin.prefix`) knows better, and notices
    what others changed. Without one, it is taken to fit what no pass touched. `tools` is None for
    a plain list, of which nobody knows what it will be sent with.
    """
    if caps.binding == "none" or not history.dirty:
        return history, None
    bound = [
        i for i in history.dirty if history.seats[i] == ASSISTANT and _thoughts(history.msgs[i])
    ]
    gone = _unbound(history, bound, tools, report) if bound else {}
    if not gone:
        return history, None
    if caps.unbound == "switch":
        start, by = next(iter(gone.items()))
        for i in bound:
            if i >= start:  # whatever follows the first that fails goes with it
                _lost(history.msgs[i], gone.get(i, by), "the provider drops it", report)
        return history, start
    changes: dict[int, list[tuple[Msg, int]]] = {}
    for i, by in gone.items():
        m = history.msgs[i]
        _lost(m, by, "left out", report)
        kept: list[ContentBlock] = [b for b in m.blocks if type(b) is not ThinkingBlock]
        made = Msg.trusted(m.name, kept, m.role, m)
        report.made(made, m)
        changes[i] = [(made, ASSISTANT)] if kept else []
    return history.spliced(changes), None


def _lost(m: Msg, by: str, did: str, report: Report) -> None:
    for block in _thoughts(m):
        report.lost("thinking.unbound", block, what=f"touched by {by}", did=did)


def _thoughts(m: Msg) -> list[ThinkingBlock]:
    """The thinking that carries a proof of its own."""
    if isinstance(m.content, str):
        return []
    return [
        block
        for block in m.content
        if type(block) is ThinkingBlock and (block.signature or block.redacted is not None)
    ]


def _unbound(
    history: RoledHistory,
    bound: list[int],
    tools: Sequence[Tool | ServerTool] | None,
    report: Report,
) -> dict[int, str]:
    """The messages whose thinking holds no more, each with who touched what stands before it.

    Thinking that is kept is one unbroken run: each piece names the one before it.
    """
    edits = _edits(history, report)
    known = {i: _known(history.msgs[i], report) for i in bound} if tools is not None else {}
    hashes = list(_hashes(tools or (), history)) if any(known.values()) else []
    gone: dict[int, str] = {}
    by = last = ""
    for i in bound:
        if hashes and (then := known.get(i)):
            by = "" if all(_fits(one, hashes[i], last) for one in then) else _EDITED
        else:
            by = next((who for at, end, who in edits if at <= i < end), "") or (by if gone else "")
        if by:
            gone[i] = by
        else:
            last = _mark(_thoughts(history.msgs[i])[-1])
    return gone


def _edits(history: RoledHistory, report: Report) -> list[tuple[int, int, str]]:
    """(first message behind the change, end of what it matters to, who made it)."""
    if not report.edits:
        return []
    first: dict[int, int] = {}  # one message may stand in several places: as much as may be
    last: dict[int, int] = {}
    for i, m in enumerate(history.msgs):
        for node in report.origins(m):
            first.setdefault(id(node), i)
            last[id(node)] = i
    end = len(history.msgs)
    # what stands no more may have stood anywhere
    return [
        (first.get(id(node), 0), end if until is None else last.get(id(until), end), by)
        for by, node, until in report.edits
    ]


def _known(m: Msg, report: Report) -> set[str]:
    """The hashes that the answers in a message were answers to, as far as they know them."""
    return {
        node.origin.prefix
        for node in report.origins(m)
        if type(node) is Msg and node.origin is not None and node.origin.prefix and _thoughts(node)
    }


def _fits(then: str, now: str, last: str) -> bool:
    """Whether an answer to `then` still follows what it followed, its thinking the same before."""
    history, told, thought = then.partition(".")
    return history == now and (not told or not last or thought == last)


def prefix(
    tools: Sequence[Tool | ServerTool], seated: RoledHistory, until: int | None = None
) -> str:
    """What an answer to this request is bound to, as `Origin.prefix` takes it.

    The hash of tools and messages, and a mark of the last thinking before `until`.
    """
    *_, history = _hashes(tools, seated)
    thoughts = [block for m in seated.msgs[:until] for block in _thoughts(m)]
    return f"{history}.{_mark(thoughts[-1]) if thoughts else ''}"


def _mark(block: ThinkingBlock) -> str:
    sealed = block.signature or block.redacted or ""
    return blake2b(sealed.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _hashes(tools: Sequence[Tool | ServerTool], history: RoledHistory) -> Iterator[str]:
    """For each message the hash of what stands before it: tools and messages; last, of all.

    By value, as the model is told it. Thinking and cache hints do not count.
    """
    state = blake2b(digest_size=16)
    for tool in tools:
        state.update(canonical(_declared(tool)).encode())
    for m, seat in zip(history.msgs, history.seats, strict=True):
        yield state.hexdigest()
        if said := _said(m):
            state.update(canonical([seat, said, m.extras or {}]).encode())
    yield state.hexdigest()


def _declared(tool: Tool | ServerTool) -> Json:
    if isinstance(tool, Tool):
        return [tool.name, tool.description, tool.schema, tool.strict, tool.extras]
    return [tool.kind, tool.given(), tool.extras]


def _said(m: Msg) -> list[Json]:
    """The blocks of a message by value, without its thinking."""
    if isinstance(m.content, str):
        return [{"type": "text", "text": m.content}]
    return _plain(block for block in m.content if type(block) is not ThinkingBlock)


def _plain(blocks: Iterable[ContentBlock]) -> list[Json]:
    made: list[Json] = []
    for block in blocks:
        plain = {k: v for k, v in plain_block(block).items() if k not in _ASIDE}
        if type(block) is ToolResultBlock:
            plain.pop("name", None)  # the call says it
            if isinstance(block.output, list):
                plain["output"] = _plain(block.output)
                if len(block.output) == 1 and plain["output"][0].keys() == {"type", "text"}:
                    plain["output"] = plain["output"][0]["text"]
        made.append(plain)
    return made


def first_change(made: Sequence[Msg], given: Sequence[Msg]) -> Msg | None:
    """The first message behind which `made` tells another history than `given`; None if none.

    What is only added behind the given messages changes nothing, nor does what is cut off there.
    """
    for new, old in zip(made, given, strict=False):
        if new is not old and _whole(new) != _whole(old):
            return new
    return None


def _whole(m: Msg) -> Json:
    return [m.role, _said(m), m.extras or {}]
