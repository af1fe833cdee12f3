"""Law 8: whatever is put in, a result or a DragomanError comes out, and nothing else."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import dragoman
from dragoman import ChatRequest, Msg, Options, Tool, ToolChoice
from dragoman.errors import DragomanError
from dragoman.formatter.agentscope import FORMATTERS
from dragoman.message import (
    Base64Source,
    ImageBlock,
    Parameter,
    ResponseFormat,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    load,
    to_tools,
)
from dragoman.message.blocks import BLOCKS

from .each import for_each
from .histories import histories


class Duck:
    """Looks like a block and is none."""

    type = "text"
    text = "quack"
    extras = cache = citations = origin = None


def taken(make: Callable[[], object]) -> Any:
    """What is made, or None where it is refused by name."""
    with contextlib.suppress(DragomanError):
        return make()
    return None


def cyclic() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


words = st.sampled_from((
    *BLOCKS, "user", "assistant", "system", "tool", "type", "text", "id", "name", "input",
    "output", "source", "url", "data", "media_type", "role", "content", "extras", "cache",
    "function", "parameters", "base64", "\ud800", "", "x",
))  # fmt: skip
leaves = st.one_of(
    st.none(), st.booleans(), st.integers(-1, 2**70), st.floats(), words, st.binary(max_size=2),
    st.builds(object), st.builds(Duck), st.builds(cyclic), st.just(TextBlock), st.just(len),
    st.builds(TextBlock, st.text(max_size=2)), st.builds(Msg),
)  # fmt: skip
junk: st.SearchStrategy[Any] = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=2).map(tuple),
        st.dictionaries(words, inner, max_size=4),
        st.builds(ToolUseBlock, inner, inner, inner),
        st.builds(ToolResultBlock, inner, inner, inner, inner),
        # bytes that tell no media type are refused, by name
        (inner | st.builds(Base64Source, inner, inner)).map(lambda s: taken(lambda: ImageBlock(s))),
        st.builds(TextBlock, inner, inner, inner, extras=inner),
    ),
    max_leaves=6,
)


@given(
    junk,
    junk,
    junk,
    st.dictionaries(
        st.sampled_from(("metadata", "timestamp", "id", "cache", "extras", "origin")), junk
    ),
)
def test_messages(name: Any, content: Any, role: Any, rest: dict[str, Any]) -> None:
    for who in ("user", role):
        msg = taken(lambda who=who: Msg(name, content, who, **rest))  # type: ignore[misc]
        if msg is not None:
            for target in ("openai-chat", "anthropic"):
                taken(lambda t=target, m=msg: dragoman.wire(t).write_request(ChatRequest([m])))  # type: ignore[misc]


@given(junk)
def test_content(content: Any) -> None:
    taken(lambda: Msg("", content, "assistant"))
    taken(lambda: Msg("", [content], "assistant"))
    taken(lambda: Msg("", [TextBlock("x"), {"type": "tool_result", "output": content}], "tool"))


@given(junk)
def test_stored(value: Any) -> None:
    taken(lambda: Msg.from_dict(value))
    taken(lambda: load(value))
    for kind in ("message", "messages", "request", "response"):
        taken(lambda kind=kind: load({"dragoman": 1, "kind": kind, "value": value}))  # type: ignore[misc]


@given(junk, junk, junk)
def test_tools_and_choices(one: Any, two: Any, three: Any) -> None:
    taken(lambda: to_tools(one))
    taken(lambda: Tool("f", one, two, three))
    taken(lambda: Tool(one, "", {"type": "object", "properties": two}))
    taken(lambda: Tool("f", "", [Parameter(one, two, three), Parameter("x", children=one)]))
    taken(lambda: Tool("f", "", [Parameter("x", enum=one, default=two)]))
    taken(lambda: ToolChoice(one, two, three))
    taken(lambda: ToolChoice.of(one))


@given(st.dictionaries(st.sampled_from((*Options.__dataclass_fields__, "odd")), junk, max_size=3))
def test_options(given: dict[str, Any]) -> None:
    options = taken(lambda: Options.of(given))
    if options is not None:
        req = ChatRequest([Msg.user("Hi.")], options=options)
        for name in dragoman.wires():
            taken(lambda name=name: dragoman.wire(name).write_request(req))  # type: ignore[misc]


@given(st.dictionaries(
    st.sampled_from(("system", "tools", "tool_choice", "options", "response_format", "model",
                     "stream", "agent_name", "memories", "metadata", "extras")), junk, max_size=3),
    junk)  # fmt: skip
def test_requests(fields: dict[str, Any], messages: Any) -> None:
    taken(lambda: ChatRequest(messages, **fields))
    req = taken(lambda: ChatRequest([Msg.user("Hi.")], **fields))
    if req is not None:
        taken(lambda: dragoman.wire("anthropic").write_request(req))


@given(junk, junk, junk, junk, st.none() | st.booleans())
def test_response_formats(kind: Any, schema: Any, name: Any, about: Any, strict: Any) -> None:
    for one in (kind, "schema"):
        form = taken(lambda one=one: ResponseFormat(one, schema, name, about, strict))  # type: ignore[misc]
        if form is not None:
            req = ChatRequest([Msg.user("Hi.")], response_format=form)
            taken(lambda req=req: dragoman.wire("openai-chat").write_request(req))  # type: ignore[misc]


@given(junk)
@for_each("name", sorted(set(FORMATTERS) - {"OpenAIFormatter"}))
def test_formatters(name: str, msgs: Any) -> None:
    formatter: Any = getattr(dragoman.formatter, name)(policy="ignore")
    taken(lambda: formatter.format_sync(msgs))
    taken(lambda: formatter.format_sync([Msg.user("Hi."), msgs]))
    taken(lambda: formatter.format_tools(msgs))


@st.composite
def changed_histories(draw: st.DrawFn) -> list[Msg]:
    """A history of which one field was set to anything after it was made."""
    msgs, value = draw(histories(max_size=2)), draw(junk)
    target = msgs[draw(st.integers(0, 9)) % len(msgs)]
    fields = ("name", "content", "role", "extras", "cache", "origin", "block")
    field = draw(st.sampled_from(fields))
    if field != "block":
        setattr(target, field, value)
    elif isinstance(target.content, list):
        target.content.append(value)
    return msgs


@settings(max_examples=60)
@given(changed_histories())
@for_each("name", dragoman.wires())
def test_messages_that_were_changed_after_they_were_made(name: str, msgs: list[Msg]) -> None:
    out = taken(lambda: dragoman.wire(name, policy="ignore").write_request(ChatRequest(msgs)))
    if out is not None:
        assert all(loss.where for loss in out.losses)


@given(junk)
def test_set_up(value: Any) -> None:
    taken(lambda: dragoman.wire(value))
    taken(lambda: dragoman.Formatter(value))
    taken(lambda: dragoman.Formatter("openai-chat", policy=value))
    taken(lambda: dragoman.Formatter("openai-chat", max_tokens=value))
    taken(lambda: dragoman.Formatter("openai-chat", can=value))
    taken(lambda: dragoman.wire("openai-chat", facts=value))


def test_urls_that_are_none() -> None:
    for url in ("", "file:", "file://[bad", "a\0b", "://", "data:", "data:,", "http://[", "C:\\x"):
        msg = Msg.user([ImageBlock(URLSource(url))])
        for name in dragoman.wires():
            formatter = dragoman.Formatter(name, policy="ignore")
            taken(lambda f=formatter, m=msg: f.format_sync([m]))  # type: ignore[misc]
