"""Histories as programs and providers leave them behind: broken in every way that pairs can be.

Strategies of hypothesis; small alphabets, so that ids collide and blank text is frequent.
"""

from __future__ import annotations

from typing import Any, cast

from hypothesis import strategies as st

from dragoman.message import (
    AudioBlock,
    Base64Source,
    CacheHint,
    Citation,
    DocumentBlock,
    FileSource,
    FramesSource,
    ImageBlock,
    Msg,
    Origin,
    RawBlock,
    RefusalBlock,
    Source,
    TextBlock,
    TextSource,
    ThinkingBlock,
    Tool,
    ToolChoice,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    VideoBlock,
)

__all__ = ["blocks", "call", "choices", "histories", "media", "msgs", "result", "texts", "tools"]

LONG = "call_" + "x" * 60
IDS = ("", "a", "b", "a", "call_1", "a_2", "a b", "a.b", LONG, "调用")
NAMES = ("", "look", "look up", "look_up", "server/tool.v1", "n" * 70, "查")
SPEAKERS = ("", "user", "assistant", "Bob", "Dr. Bob", "小明", "<Eve>", "a" * 80)
ROLES = ("system", "developer", "user", "assistant", "tool")
PNG = "iVBORw0KGgo="
WAV = "UklGRg=="
PDF = "JVBERi0xLjQK"

texts = st.sampled_from(("", " ", "\n\t", "Hi.", "How many?", "天气", " padded "))
names = st.sampled_from(NAMES)
_ids = st.sampled_from(IDS)
origins = st.none() | st.sampled_from((Origin("anthropic"), Origin("openai-chat", "gpt-5.6")))
hints = st.none() | st.sampled_from((CacheHint(), CacheHint("1h")))
extras = st.none() | st.sampled_from(({"somebody": {"note": 1}}, {"": {"odd": [1]}}))
values = st.sampled_from((1, "x", None, True, [1, {"a": "b"}], 2**70, 1.5))
objects = st.dictionaries(st.sampled_from(("at", "n")), values, max_size=2)

_sources = {
    "image": ("image/png", PNG, "https://example.com/a.png"),
    "audio": ("audio/wav", WAV, "https://example.com/a.wav"),
    "video": ("video/mp4", "AAAAGGZ0eXA=", "https://example.com/a.mp4"),
    "document": ("application/pdf", PDF, "https://example.com/a.pdf"),
}
_classes: dict[str, Any] = {
    "image": ImageBlock,
    "audio": AudioBlock,
    "video": VideoBlock,
    "document": DocumentBlock,
}


# made once: a strategy that a draw makes is checked with every draw
_kinds = st.sampled_from(tuple(_classes))
_places = st.sampled_from(range(8))
_titles = st.none() | st.just("t")


def _pieces(kind: str) -> Source:
    """A source that is a list."""
    if kind == "document":
        return TextSource(["one", " "], "https://e.org")
    url = _sources[kind][2]
    return FramesSource([url, url]) if kind == "video" else URLSource(url)


@st.composite
def media(draw: st.DrawFn) -> Any:
    """A medium of any kind from any source."""
    kind = draw(_kinds)
    media_type, data, url = _sources[kind]
    source = (
        Base64Source(media_type, data),
        Base64Source("application/x-odd", data),
        URLSource(url),
        URLSource(f"data:{media_type};base64,{data}"),
        URLSource("gs://bucket/object"),
        URLSource("/nowhere/at/all.bin"),
        FileSource("file-1", "somebody"),
        _pieces(kind),
    )[draw(_places)]
    return _classes[kind](source, title=draw(_titles), cache=draw(hints))


def call(ids: st.SearchStrategy[str] = _ids) -> st.SearchStrategy[Any]:
    """A tool call."""
    given = objects | st.sampled_from(("not json", "", None, [1]))
    raw = st.sampled_from((None, "{}", '{"at": 1}', "{broken"))
    return st.builds(ToolUseBlock, ids, names, given, raw, hints, extras=extras)


def result(ids: st.SearchStrategy[str] = _ids) -> st.SearchStrategy[Any]:
    """A tool result."""
    inside = st.lists(texts.map(TextBlock) | media() | st.builds(ThinkingBlock, texts), max_size=3)
    output = texts | inside | objects | st.none()
    return st.builds(ToolResultBlock, ids, names, output, st.booleans(), hints)


_cited = st.builds(TextBlock, texts, st.just([Citation(0, 1, "https://example.com")]))
_said = st.builds(TextBlock, texts, cache=hints, extras=extras)
_thoughts = st.builds(
    ThinkingBlock, texts, st.none() | st.just("c2ln"), st.none() | st.just("cmVk"), origin=origins
)
_odd = st.builds(RefusalBlock, texts) | st.builds(
    RawBlock, st.just("somebody"), st.just({"type": "strange"})
)
blocks = _said | _cited | call() | result() | _thoughts | media() | _odd


_contents = texts | st.lists(blocks, max_size=4)
_speakers = st.sampled_from(SPEAKERS)
_roles = st.sampled_from(ROLES)


@st.composite
def msgs(draw: st.DrawFn) -> Msg:
    """A message of any role, whatever it holds."""
    content = draw(_contents)
    return Msg(
        draw(_speakers),
        content,
        draw(_roles),
        cache=draw(hints),
        extras=cast("Any", draw(extras)),
        origin=draw(origins),
    )


_some_ids = st.lists(_ids, min_size=1, max_size=3)
_call = call(st.just(""))
_result = result(st.just(""))
_between = st.lists(msgs(), max_size=1)


def _with_id(block: Any, id: str) -> Any:
    block.id = id
    return block


@st.composite
def _turns(draw: st.DrawFn) -> list[Msg]:
    """Calls and results that nearly belong together: some lost, doubled, late or too early."""
    ids = draw(_some_ids)
    calls = [Msg("", [_with_id(draw(_call), i)], "assistant") for i in ids]
    if draw(st.booleans()):
        calls = [Msg("", [b for m in calls for b in m.blocks], "assistant")]
    answers = [Msg("", [_with_id(draw(_result), i)], draw(_roles)) for i in ids]
    between = draw(_between)
    everything = [*calls, *between, *answers]
    lost = draw(st.sets(st.integers(0, len(everything) - 1), max_size=2))
    kept = [m for i, m in enumerate(everything) if i not in lost]
    doubled: bool = draw(st.booleans())
    mixed: bool = draw(st.booleans())
    if kept and doubled:
        kept.append(draw(st.sampled_from(kept)))
    return list(draw(st.permutations(kept))) if mixed else kept


_parts = _turns() | msgs().map(lambda m: [m])
_some_parts = {size: st.lists(_parts, min_size=1, max_size=size) for size in range(1, 9)}


@st.composite
def histories(draw: st.DrawFn, max_size: int = 4) -> list[Msg]:
    """A history with at least one message; the same Msg may stand in it twice."""
    parts = draw(_some_parts[max_size])
    return [m for part in parts for m in part] or [Msg("", "Hi.", "user")]


tools = st.lists(
    st.builds(
        Tool, st.sampled_from(NAMES[1:]), texts, st.none() | st.just({"type": "object"}),
        st.sampled_from((None, False)), hints,
    ),
    max_size=3,
    unique_by=lambda tool: tool.name,
)  # fmt: skip
choices = st.none() | st.sampled_from((
    ToolChoice("auto"), ToolChoice("none"), ToolChoice("required"), ToolChoice("tool", "look"),
    ToolChoice("auto", None, ("look",)), ToolChoice("auto", parallel=False),
))  # fmt: skip
