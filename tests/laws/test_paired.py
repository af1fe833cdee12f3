"""Law 7: whatever the history, every call that is written has its result where it must stand.

Judged by the strict validators, which know the providers' rules of pairs, roles, ids and names, and
nothing of the rooms. One history may not say what is wrong in it: a refusal has a code.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dragoman
from dragoman import (
    ChatRequest,
    ClearToolResults,
    DropOldest,
    KeepFirst,
    Msg,
    Options,
    Tool,
    ToolChoice,
)
from dragoman.errors import ContextOverflow, DragomanError, LossRefused, WriteError
from dragoman.formatter.agentscope import FORMATTERS
from dragoman.history import pipeline as passes
from dragoman.message import ToolUseBlock
from dragoman.tokens import CharTokenCounter
from dragoman.vendors import PROTOCOLS, VENDORS, vendor
from tests.contract.converting.requests import REFUSABLE
from tests.contract.judges.cases import changed
from tests.contract.strict.cases import Case
from tests.contract.test_strict import ROWS, TABLES
from tests.each_case import each_case

from .broken import broken
from .each import for_each
from .histories import choices, histories, tools
from .strictly import list_faults, refused
from .test_append_only import MODELS

WIRES = {name: dragoman.wire(name, policy="ignore", fetch=None) for name in PROTOCOLS}
HOSTED = [f"{name}/{protocol}" for name in VENDORS for protocol in vendor(name).wires]
NAMED = sorted(set(FORMATTERS) - {"OpenAIFormatter"})
# models that are told apart by what they take of roles and of what stands beside tools
OTHERS = [
    *MODELS, ("vllm/openai-chat", "Qwen/Qwen3.5-9B"), ("deepseek/openai-chat", "deepseek-v4-pro"),
    ("gemini/gemini", "gemini-4-neon"), ("dashscope/dashscope", "qwen-plus"),
    ("cohere/cohere", "command-r-08-2024"), ("anthropic/anthropic", "claude-fable-5-2"),
]  # fmt: skip
SEAT = "[dashscope.seat]"  # media stay where they are, as AgentScope's formatter leaves them

anything = st.one_of(broken(), broken(), histories())
options = st.builds(
    Options,
    reasoning=st.sampled_from((None, None, "off", "high")),
    max_tokens=st.sampled_from((None, 8000)),
)


def accepted(wire: dragoman.Wire, req: ChatRequest) -> None:
    try:
        out = wire.write_request(req)
    except WriteError as error:
        if error.code != "messages.empty":
            raise
    else:
        assert refused(wire, out) == []


@settings(max_examples=80)
@given(anything, tools, choices, options)
@for_each("name", PROTOCOLS)
def test_every_wire(
    name: str, msgs: list[Msg], offered: list[Tool], choice: ToolChoice | None, options: Options
) -> None:
    req = ChatRequest(msgs, tools=offered, tool_choice=choice, options=options)
    accepted(WIRES[name], req)


@settings(max_examples=10)
@given(anything, tools, options)
@for_each("name", HOSTED)
def test_every_vendor(name: str, msgs: list[Msg], offered: list[Tool], options: Options) -> None:
    wire = dragoman.wire(name, policy="ignore", fetch=None)
    accepted(wire, ChatRequest(msgs, tools=offered, options=options))


@settings(max_examples=20)
@given(anything, tools, options)
@for_each(("name", "model"), OTHERS)
def test_models_of_other_habits(
    name: str, model: str, msgs: list[Msg], offered: list[Tool], options: Options
) -> None:
    wire = dragoman.wire(name, policy="ignore", fetch=None)
    accepted(wire, ChatRequest(msgs, tools=offered, options=options, model=model))


@given(anything)
@for_each("name", NAMED)
def test_plain_lists(name: str, msgs: list[Msg]) -> None:
    formatter: Any = getattr(dragoman.formatter, name)(policy="ignore", fetch=None)
    faults = list_faults(formatter.wire, formatter.format_sync(msgs))
    as_agentscope = SEAT if name.startswith("DashScope") else ()
    assert [fault for fault in faults if not fault.endswith(as_agentscope)] == []


@settings(max_examples=25)
@given(anything, st.sampled_from((150, 400, 900)))
@for_each("truncate", [DropOldest(), KeepFirst(2), ClearToolResults()])
@for_each("name", PROTOCOLS)
def test_what_is_left_of_a_history(name: str, truncate: Any, msgs: list[Msg], limit: int) -> None:
    """Case 91: a cut parts no call from its result, whatever was wrong before."""
    formatter = dragoman.Formatter(
        name, token_counter=CharTokenCounter(), max_tokens=limit, truncate=truncate, policy="ignore"
    )
    try:
        left = formatter.format_sync(msgs)
    except ContextOverflow:
        return
    assert list_faults(formatter.wire, left) == []


@settings(max_examples=40)
@given(anything, tools)
@for_each("name", PROTOCOLS)
def test_what_is_strict_repairs_nothing(name: str, msgs: list[Msg], offered: list[Tool]) -> None:
    """`strict=True`: refused by a code, or right as it was given, and then written all the same."""
    req = ChatRequest(msgs, tools=offered)
    wire = dragoman.wire(name, policy="ignore", strict=True, fetch=None)
    try:
        out = wire.write_request(req)
    except (LossRefused, WriteError):
        return
    assert [loss for loss in out.losses if loss.kind == "repaired"] == []
    assert refused(wire, out) == []
    assert WIRES[name].write_request(req).body == out.body


@pytest.mark.parametrize("name", PROTOCOLS)
def test_without_its_passes_every_wire_would_be_refused(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The validators see what the passes are there for."""
    call = ToolUseBlock("a b", "look up", {})
    msgs = [Msg.user("Go."), Msg.assistant([call]), Msg.user("And?"), Msg.tool("c", "seen")]
    wire = WIRES[name]
    assert refused(wire, wire.write_request(ChatRequest(msgs))) == []
    monkeypatch.setattr(passes, "repair", lambda seated, *_: seated)
    assert refused(wire, wire.write_request(ChatRequest(msgs))) != []


@settings(max_examples=8)
@given(anything, tools)
@for_each("target", PROTOCOLS)
@for_each("source", PROTOCOLS)
def test_what_a_client_sends_on_every_other_wire(
    source: str, target: str, msgs: list[Msg], offered: list[Tool]
) -> None:
    """Written on one wire, read there and converted: ids, names and turns are mended twice."""
    try:
        sent = WIRES[source].write_request(ChatRequest(msgs, tools=offered))
        out = dragoman.convert(sent.body, source, target, model=WIRES[target].room.model,
                               path=sent.path, policy="ignore", fetch=None)  # fmt: skip
    except WriteError as error:
        if error.code not in REFUSABLE:
            raise
    else:
        assert refused(WIRES[target], out) == []


@pytest.mark.parametrize("target", PROTOCOLS)
@each_case(("source", "row"), ROWS, ids=str)
def test_what_one_provider_refuses_no_other_is_sent(source: str, row: Case, target: str) -> None:
    """The bodies of the hard cases, read from their wire and said on another one."""
    if source == target:
        return  # what was read from the same wire goes back as it came: law 1
    body = changed(TABLES[source].BASE, row.bad)
    before = copy.deepcopy(body)
    try:
        out = dragoman.convert(body, source, target, model=WIRES[target].room.model,
                               policy="ignore", fetch=None)  # fmt: skip
    except DragomanError as error:
        if getattr(error, "code", None) not in REFUSABLE:
            raise
    else:
        assert refused(WIRES[target], out) == []
    assert body == before
