"""Right values of every kind: messages, requests and responses with all that they can hold.

Strategies of hypothesis for the laws of storage. Nothing here is broken.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from dragoman.message import (
    AudioBlock,
    Base64Source,
    CacheHint,
    Candidate,
    ChatRequest,
    ChatResponse,
    Citation,
    DocumentBlock,
    FileSource,
    Finish,
    FramesSource,
    ImageBlock,
    LocalSource,
    Msg,
    Options,
    Origin,
    RawBlock,
    RefusalBlock,
    ResponseFormat,
    TextBlock,
    TextSource,
    ThinkingBlock,
    Tool,
    ToolChoice,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    Usage,
    VideoBlock,
)

__all__ = ["blocks", "json_objects", "json_values", "messages", "requests", "responses", "text"]

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
_some = st.none() | text
_numbers = st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False)
json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | _numbers | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=6,
)
json_objects = st.dictionaries(text, json_values, max_size=3)
_extras = st.none() | st.dictionaries(text, json_objects, max_size=2)
_cache = st.none() | st.builds(CacheHint, _some)
_origin = st.none() | st.builds(Origin, text, _some, _some, _some, _some)
_aside: dict[str, Any] = {"extras": _extras, "spelling": _some, "origin": _origin}
_sources = (
    st.builds(URLSource, text, _some)
    | st.builds(Base64Source, text, text, _some)
    | st.builds(LocalSource, text, _some)
    | st.builds(FileSource, text, text, _some)
    | st.builds(FramesSource, st.lists(text, max_size=2), _some)
    | st.builds(TextSource, st.lists(text, max_size=2), _some, text)
)
_counts = st.none() | st.integers(0, 2**40)
_citations = st.builds(Citation, _counts, _counts, _some, _some, _some, _extras)


def _media(cls: type[Any], **more: Any) -> st.SearchStrategy[Any]:
    return st.builds(cls, _sources, _some, _some, _cache, **more, **_aside)


_leaves = st.one_of(
    st.builds(TextBlock, text, st.none() | st.lists(_citations, max_size=2), _cache, **_aside),
    st.builds(ThinkingBlock, text, _some, _some, **_aside),
    *(_media(cls) for cls in (ImageBlock, AudioBlock, VideoBlock)),
    _media(DocumentBlock, context=_some, cite=st.none() | st.booleans()),
    st.builds(ToolUseBlock, text, text, json_values, _some, _cache, **_aside),
    st.builds(RefusalBlock, text, _some, **_aside),
    st.builds(
        RawBlock, text, json_values, st.sampled_from(("call", "result", "item", "message")), _some,
        st.sampled_from(("client", "server")), **_aside,
    ),
)  # fmt: skip


def _results(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    output = text | json_objects | st.none() | st.lists(inner, max_size=3)
    return st.builds(ToolResultBlock, text, text, output, st.booleans(), _cache, **_aside)


blocks: st.SearchStrategy[Any] = st.recursive(_leaves, _results, max_leaves=4)
messages = st.builds(
    Msg,
    text,
    text | st.lists(blocks, max_size=4),
    st.sampled_from(("system", "developer", "user", "assistant", "tool")),
    st.none() | json_objects,
    _some,
    id=st.none() | st.text("abc", min_size=1, max_size=4),
    cache=_cache,
    **_aside,
)
_tools = st.builds(
    Tool, text.filter(bool), text, st.none() | json_objects, st.none() | st.booleans(), _cache,
    _extras,
)  # fmt: skip
_flag = st.none() | st.booleans()
_choices = st.builds(
    ToolChoice, st.sampled_from(("auto", "none", "required")),
    allowed=st.lists(text, max_size=2).map(tuple), parallel=_flag,
) | st.builds(ToolChoice, st.just("tool"), text, parallel=_flag)  # fmt: skip
_formats = st.builds(
    ResponseFormat, st.just("schema"), json_objects, text, text, _flag
) | st.sampled_from((ResponseFormat("text"), ResponseFormat("json")))
_options = st.builds(
    Options, _counts, st.none() | st.floats(0, 2), _some.map(lambda _: None), _counts,
    stop=st.none() | st.lists(text, max_size=3), logprobs=_flag, reasoning=_some, user=_some,
)  # fmt: skip
requests = st.builds(
    ChatRequest,
    st.lists(messages, max_size=3),
    system=_some,
    tools=st.lists(_tools, max_size=2),
    tool_choice=st.none() | _choices,
    options=_options,
    response_format=st.none() | _formats,
    model=_some,
    stream=st.booleans(),
    agent_name=_some,
    memories=_some,
    metadata=st.none() | json_objects,
    extras=_extras,
)
_reasons = ("stop", "length", "tool_calls", "content_filter", "refusal", "pause", "error", "other")
_finishes = st.builds(Finish, st.sampled_from(_reasons), _some)
_usage = st.builds(Usage, *[_counts] * 8, _extras)
responses = st.builds(
    ChatResponse,
    st.lists(st.builds(Candidate, messages, _finishes, _extras), max_size=2),
    _usage,
    st.sampled_from(("complete", "truncated", "interrupted", "error")),
    _some,
    _some,
    _extras,
)
