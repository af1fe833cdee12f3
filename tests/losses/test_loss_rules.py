"""Loss.rule names what decided: a fact of a family, of a host or of the user, or the protocol."""

from __future__ import annotations

import pickle
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from itertools import product
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Formatter, Loss, Msg, Options, Policy, Tool, ToolChoice, Wire
from dragoman.capabilities import Fact, Facts
from dragoman.capabilities.families import FAMILIES
from dragoman.errors import WriteError
from dragoman.formatter import DeepSeekChatFormatter
from dragoman.losses.codes import CODES
from dragoman.message import (
    AudioBlock,
    Base64Source,
    CacheHint,
    DocumentBlock,
    ImageBlock,
    RefusalBlock,
    ResponseFormat,
    ServerTool,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    VideoBlock,
)
from dragoman.vendors import VENDORS, vendor

WIRES = [
    *dragoman.wires(),
    *(f"{name}/{protocol}" for name in VENDORS for protocol in list(vendor(name).wires)[1:]),
]
MODELS = ("gpt-5.6", "claude-opus-5-5", "deepseek-v4", "qwen3-max", "gemini-3.8-flash",
          "kimi-k2.6", "mistral-large", "unheard-of")  # fmt: skip
DATED = re.compile(r"\S.* \(\d{4}(-\d\d){0,2}\)")
OPEN = Policy()


def data(media_type: str) -> Base64Source:
    return Base64Source(media_type, "QUJD" * 8)


def conversation() -> list[Msg]:
    """One of everything that some wire cannot say."""
    return [
        Msg.system("Be kind."),
        Msg("Bob", [
            TextBlock("Hi.", cache=CacheHint("7h")), TextBlock(" "),
            ImageBlock(URLSource("https://x.example/a.png"), detail="low"),
            ImageBlock(data("image/tiff")), AudioBlock(data("audio/flac")),
            VideoBlock(data("video/mp4")), DocumentBlock(data("application/pdf"), title="a"),
        ]),
        Msg.assistant([
            ThinkingBlock("hm"), TextBlock("So."), RefusalBlock("No."),
            ToolUseBlock("call:1.2 " * 8, "a.b c", {}),
        ]),
        Msg("", [ToolResultBlock("call:1.2 " * 8, "a.b c", [TextBlock("a"),
                                                            ImageBlock(data("image/png"))])],
            "tool"),
        Msg.system("Later."),
        Msg.user("And?"),
        Msg.assistant("Sure "),
    ]  # fmt: skip


def requests(model: str) -> Iterator[ChatRequest]:
    everything: dict[str, Any] = {
        "max_tokens": 10, "temperature": 0.5, "top_p": 0.9, "top_k": 3, "presence_penalty": 0.1,
        "frequency_penalty": 0.1, "repetition_penalty": 1.1, "seed": 1, "n": 2, "logprobs": True,
        "top_logprobs": 3, "service_tier": "auto",
    }  # fmt: skip
    for thinking in ({"reasoning": "off"}, {"reasoning": "high"}, {"reasoning_budget": 100}):
        yield ChatRequest(
            conversation(),
            tools=[Tool("a.b c", strict=True, cache=CacheHint()), ServerTool("web_search")],
            tool_choice=ToolChoice("required", parallel=False),
            options=Options(**everything, **thinking),
            response_format=ResponseFormat("schema", {"type": "object"}),
            model=model,
            extras={"nobody": {"x": 1}},
        )


@cache
def losses(name: str, model: str) -> list[tuple[ChatRequest, Loss]]:
    found: list[tuple[ChatRequest, Loss]] = []
    for request in requests(model):
        with suppress(WriteError):
            out = dragoman.wire(name).write_request(request, policy=OPEN)
            found += ((request, loss) for loss in out.losses)
    return found


@pytest.mark.parametrize("name", WIRES)
def test_what_a_capability_decides_has_a_source_and_a_date(name: str) -> None:
    found = {(loss.code, loss.rule) for model in MODELS for _, loss in losses(name, model)}
    asked = {(code, rule) for code, rule in found if CODES[code].asks}
    assert len({code for code, _ in asked}) > 8
    assert [one for one in asked if not DATED.fullmatch(one[1])] == []
    assert {rule for code, rule in found if not CODES[code].asks} <= {""}


def speaking(wire: Wire, request: ChatRequest, rule: str) -> list[Any]:
    """The changes of every fact that bears this source and date and holds for the request."""
    model = request.model or ""
    rows = [*wire.list_facts(model, request), *wire.conditional(model)]
    sources = [(row.find_source("options"), row.since, row.changes) for row in rows]
    sources += [(known.source, known.since, known.always) for known in wire.facts]
    own = wire.room.can()
    sources.append((own.source, own.since, {"options": own.options}))
    return [changes for source, since, changes in sources if f"{source} ({since})" == rule]


def test_the_fact_that_names_the_option_is_the_one_that_is_named() -> None:
    tried = 0
    for name, model in product(WIRES, MODELS):
        wire = dragoman.wire(name)
        for request, loss in losses(name, model):
            stance = wire.can(model, request).options.get(loss.field)
            if loss.code in ("option.refused", "option.ignored") and stance is not None:
                facts = speaking(wire, request, loss.rule)
                said = [changes.get("options", {}).get(loss.field) for changes in facts]
                assert stance in said, f"{wire.name}: {loss.field} of {model}: {loss.rule}"
                tried += 1
    assert tried > 100


def rule(wire: Wire, code: str, field: str = "", **rest: Any) -> str:
    request = ChatRequest([Msg.user("Hi.")], **rest)
    out = wire.write_request(request, policy=OPEN)
    [said] = {loss.rule for loss in out.losses if loss.code == code and loss.field in ("", field)}
    return said


MINE = Facts((
    Fact(("acme*",), {"options": {"top_p": "refuses"}}, "2026-01-01", "Acme, sampling"),
    Fact(("acme*",), {"options": {"seed": "ignores"}}, "2026-01-02", "Acme, tools", when="tools"),
    Fact(("*",), {"tool_choices": ("auto",), "parallel_switch": False}, "2026-01-03", "Acme, force",
         when="thinking"),
), {"audio": False, "thinks": "on_request"}, "2026-01-04", "Acme, media")  # fmt: skip
OPTIONS = Options(top_p=0.5, seed=1, n=2, reasoning="high")


def test_each_of_several_facts_is_named_for_what_it_says() -> None:
    wire = dragoman.wire("openai-chat", facts=MINE)
    given: dict[str, Any] = {"model": "acme-1", "options": OPTIONS, "tools": [Tool("look")]}
    assert rule(wire, "option.refused", "top_p", **given) == "Acme, sampling (2026-01-01)"
    assert rule(wire, "option.ignored", "seed", **given) == "Acme, tools (2026-01-02)"
    forced = {**given, "tool_choice": ToolChoice("required", parallel=False)}
    assert rule(wire, "tool_choice.lowered", "mode", **forced) == "Acme, force (2026-01-03)"


def blocks(wire: Wire | Formatter, *shown: Any) -> dict[str, str]:
    """The rule for each kind of block that is not said."""
    msgs = [Msg.user([TextBlock("Look:"), *shown])]
    if isinstance(wire, Formatter):
        found = wire.write(msgs).losses
    else:
        found = wire.write_request(ChatRequest(msgs, model="acme-1"), policy=OPEN).losses
    return {loss.what.split()[0]: loss.rule for loss in found if loss.code == "block.unsupported"}


def test_the_kind_of_the_block_decides() -> None:
    wire = dragoman.wire("openai-chat", facts=MINE)
    own = wire.room.can()
    assert blocks(wire, AudioBlock(data("audio/wav")), VideoBlock(data("video/mp4"))) == {
        "audio": "Acme, media (2026-01-04)", "video": f"{own.source} ({own.since})",
    }  # fmt: skip


def test_the_protocol_itself_decides_what_no_fact_says() -> None:
    wire = dragoman.wire("anthropic")
    own = wire.room.can()
    assert own.source
    assert own.since
    said = wire.write_request(ChatRequest([Msg("Bob", "Hi.")], model="new"), policy=OPEN).losses
    assert [(loss.code, loss.rule) for loss in said if loss.code == "name.unsupported"] == [
        ("name.unsupported", f"{own.source} ({own.since})")
    ]


def test_a_family_decides_on_every_host() -> None:
    for name in ("openai-chat", "openai"):
        wire = dragoman.wire(name)
        said = rule(wire, "option.refused", "temperature", model="gpt-5.6",
                    options=Options(temperature=0.5))  # fmt: skip
        rows = [row for row in FAMILIES.rows
                if f"{row.find_source('options')} ({row.since})" == said]  # fmt: skip
        assert any(row.holds("gpt-5.6") for row in rows), said


def test_a_host_decides_where_it_differs() -> None:
    wire = dragoman.wire("deepseek")
    host = vendor("deepseek").facts["openai-chat"]
    said = blocks(wire, AudioBlock(data("audio/wav")))["audio"]
    assert said == f"{host.source} ({host.since})"


def test_ones_own_file_decides() -> None:
    facts = dragoman.facts({"fact": [
        {"models": "gpt-5*", "since": "2026-11-20", "source": "our gateway",
         "changes": {"options": {"seed": "refuses"}}},
    ]})  # fmt: skip
    wire = dragoman.wire("openai", facts=facts)
    given = {"model": "gpt-5.6", "options": Options(seed=1)}
    assert rule(wire, "option.refused", "seed", **given) == "our gateway (2026-11-20)"


def test_settings_of_a_formatter_decide() -> None:
    audio = AudioBlock(data("audio/wav"))
    formatter = Formatter("openai-chat", can={"audio": False}, facts=MINE)
    assert blocks(formatter, audio) == {"audio": "capabilities set for this formatter"}
    request = ChatRequest([Msg.user([TextBlock("x"), audio])], model="acme-1")
    sent = formatter.format_request(request).losses
    assert {loss.rule for loss in sent if loss.code == "block.unsupported"} == {
        "capabilities set for this formatter"
    }
    assert blocks(Formatter("openai-chat", facts=MINE), audio) == {
        "audio": "Acme, media (2026-01-04)"
    }


def test_named_formatters_and_tools_have_rules_too() -> None:
    formatter = DeepSeekChatFormatter(model="deepseek-flash", policy="ignore")
    out = formatter.write([Msg.user([TextBlock("x"), VideoBlock(data("video/mp4"))])])
    assert all(DATED.fullmatch(loss.rule) for loss in out.losses)
    assert out.losses
    told: list[Loss] = []
    mute = Formatter("openai-chat", can={"tools": False}, policy=Policy(collect=told.append))
    assert mute.format_tools([Tool("look")]) == []
    assert [loss.rule for loss in told] == ["capabilities set for this formatter"]


def test_a_rule_travels() -> None:
    wire = dragoman.wire("openai-chat", facts=MINE)
    request = ChatRequest([Msg.user("Hi.")], model="acme-1", options=OPTIONS)
    out = wire.write_request(request, policy=OPEN)
    said = {loss.field: loss.rule for loss in out.losses}
    assert said["top_p"] == "Acme, sampling (2026-01-01)"
    again = pickle.loads(pickle.dumps(out.report))
    assert {loss.field: loss.rule for loss in again.losses} == said
    assert {loss.field: loss.detach().rule for loss in out.losses} == said


def test_a_code_by_itself() -> None:
    wire = dragoman.wire("openai-chat", facts=MINE)
    assert wire.rule("option.refused", "acme-1") == "Acme, sampling (2026-01-01)"
    assert wire.rule("block.unsupported") == "Acme, media (2026-01-04)"
    assert wire.rule("model.default", "acme-1") == "", "no capability decides it"
