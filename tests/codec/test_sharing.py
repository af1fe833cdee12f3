"""Wires and formatters are shared: by threads, as copies, pickled, and in other processes."""

from __future__ import annotations

import copy
import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

import dragoman
from dragoman import ByName, ChatRequest, Formatter, Msg, Options, Policy, Tagged, Tool, ToolChoice
from dragoman.errors import WriteError
from dragoman.formatter.agentscope import FORMATTERS
from dragoman.message import (
    Base64Source,
    CacheHint,
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from dragoman.tokens import CharTokenCounter
from dragoman.vendors import VENDORS, vendor
from tests.each_case import each_case
from tests.wires import ONE_OF_EACH_KIND

SRC = Path(__file__).resolve().parents[3] / "src"
THREADS, WRITES = 8, 10_000
MODELS = ("gpt-5.6", "claude-opus-5-5", "qwen3-max", None)
WIRES = [
    *dragoman.wires(),
    *(f"{name}/{protocol}" for name in VENDORS for protocol in list(vendor(name).wires)[1:]),
]


def pickled(protocol: int, value: Any) -> Any:
    return pickle.loads(pickle.dumps(value, protocol))


WAYS: dict[str, Callable[[Any], Any]] = {
    **{f"pickle {n}": partial(pickled, n) for n in range(2, pickle.HIGHEST_PROTOCOL + 1)},
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}
NEWEST = f"pickle {pickle.HIGHEST_PROTOCOL}"


def history() -> list[Msg]:
    """Calls, media, names that are respelled and words that some wires move."""
    picture = ImageBlock(Base64Source("image/png", "iVBORw0KGgo="))
    return [
        Msg.system("Be kind."),
        Msg("Bob Ross", [TextBlock("Look:", cache=CacheHint()), picture], "user"),
        Msg("Friday", [ThinkingBlock("hm"), ToolUseBlock("call:1.2", "look.at", {"a": [1, 2]}),
                       ToolUseBlock("call:1.3", "look.at", {})], "assistant"),
        Msg("", [ToolResultBlock("call:1.3", "look.at", "nothing"),
                 ToolResultBlock("call:1.2", "look.at", [TextBlock("a cat"), picture])], "tool"),
        Msg.system("Be brief."),
        Msg("Alice", "And?", "user"),
    ]  # fmt: skip


def request(model: str | None = None) -> ChatRequest:
    return ChatRequest(
        history(), tools=[Tool("look.at", "looks", [])], model=model,
        tool_choice=ToolChoice("auto"),
        options=Options(max_tokens=100, temperature=0.5, reasoning="low"),
    )  # fmt: skip


def sent(wire: dragoman.Wire, model: str | None = None) -> Any:
    """What a wire makes of the request, as values that can be compared."""
    try:
        out = wire.write_request(request(model))
    except WriteError as error:
        return str(error)
    lost = [loss.to_dict() for loss in out.losses]
    return json.dumps([out.path, out.headers, out.body]), out.model, out.ids, lost


def said(formatter: Any) -> Any:
    out = formatter.write(history())
    return json.dumps(out.messages), [loss.to_dict() for loss in out.losses]


def together(work: Callable[[int], Any], calls: int = WRITES) -> list[Any]:
    """The results of many calls, shared out to 8 threads that begin at once."""
    start = Barrier(THREADS)

    def share(thread: int) -> list[Any]:
        start.wait()
        return [work(n) for n in range(thread, calls, THREADS)]

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(THREADS) as pool:
            shares = list(pool.map(share, range(THREADS)))
    finally:
        sys.setswitchinterval(before)
    return [one for share in shares for one in share]


def test_one_formatter_on_eight_threads() -> None:
    formatter = Formatter("anthropic", model="claude-opus-5-5", policy="ignore")
    expected = said(Formatter("anthropic", model="claude-opus-5-5", policy="ignore"))
    msgs = history()
    found = together(lambda n: json.dumps(formatter.format_sync(msgs)))
    assert len(found) == WRITES
    assert set(found) == {expected[0]}
    assert said(formatter) == expected


def test_one_counting_formatter_on_eight_threads() -> None:
    def made() -> Formatter:
        return Formatter("openai-chat", speakers=ByName(), policy="ignore",
                         token_counter=CharTokenCounter(), max_tokens=900)  # fmt: skip

    formatter, msgs = made(), [*history(), *[Msg("Bob", "x" * 200)] * 5]
    expected = json.dumps(made().format_sync(msgs))
    assert "xxx" in expected
    assert "call:1.2" not in expected, "something was cut"
    found = together(lambda n: json.dumps(formatter.format_sync(msgs)), 1_000)
    assert set(found) == {expected}


def test_one_wire_on_eight_threads() -> None:
    """It has seen no model before, so all threads ask at once what the models can."""
    expected = {
        model: sent(dragoman.wire("openai-chat", policy="ignore"), model) for model in MODELS
    }
    wire = dragoman.wire("openai-chat", policy="ignore")
    given = {model: request(model) for model in MODELS}

    def work(n: int) -> tuple[str | None, str]:
        model = MODELS[n % len(MODELS)]
        out = wire.write_request(given[model])
        return model, json.dumps([out.path, out.headers, out.body])

    found = set(together(work))
    assert found == {(model, said[0]) for model, said in expected.items()}
    assert {model: sent(wire, model) for model in MODELS} == expected


@each_case("name", WIRES)
def test_copies_of_wires_write_the_same(name: str) -> None:
    """All are equal; those of each kind write the same in every way, others as they are sent."""
    wire = dragoman.wire(name, policy="ignore")
    expected = {model: (wire.can(model), sent(wire, model)) for model in MODELS[:2]}
    for way, copied in WAYS.items():
        again = copied(wire)
        assert (again.name, again.policy, again.facts) == (wire.name, wire.policy, wire.facts), way
        assert (again.dialect, again.vendor) == (wire.dialect, wire.vendor), way
        if name in ONE_OF_EACH_KIND or way in (NEWEST, "deepcopy"):
            for model, made in expected.items():
                assert (again.can(model), sent(again, model)) == made, way


@each_case("name", VENDORS)
def test_copies_of_vendors_are_equal(name: str) -> None:
    row = vendor(name)
    assert [way for way in WAYS if WAYS[way](row) != row] == []
    expected = sent(dragoman.wire(row, policy="ignore"))
    assert sent(dragoman.wire(WAYS[NEWEST](row), policy="ignore")) == expected


@each_case("way", WAYS)
@pytest.mark.parametrize("name", FORMATTERS)
def test_copies_of_named_formatters_say_the_same(name: str, way: str) -> None:
    formatter = getattr(dragoman.formatter, name)(policy="ignore")
    again = WAYS[way](formatter)
    assert type(again) is type(formatter)
    assert said(again) == said(formatter)
    assert again.can == formatter.can


@each_case("way", WAYS)
@pytest.mark.parametrize("name", ONE_OF_EACH_KIND)
def test_copies_of_formatters_say_the_same(name: str, way: str) -> None:
    formatter = Formatter(
        name, speakers=Tagged(me="Friday"), can={"audio": False}, token_counter=CharTokenCounter(),
        max_tokens=90_000, policy=Policy(allow=("name.*",)), model="some-model",
    )  # fmt: skip
    again = WAYS[way](formatter)
    assert said(again) == said(formatter)
    assert (again.model, again.max_tokens, again.can) == ("some-model", 90_000, formatter.can)
    written, expected = again.format_request(request()), formatter.format_request(request())
    assert (written.body, written.losses) == (expected.body, expected.losses)


@pytest.mark.parametrize("way", WAYS)
def test_copies_of_what_was_written_are_equal(way: str) -> None:
    out = dragoman.wire("anthropic", policy="ignore").write_request(request("claude-opus-5-5"))
    again = WAYS[way](out)
    assert again == out
    assert again.losses == out.losses
    assert again.ids == out.ids
    listed = Formatter("gemini", policy="ignore").write(history())
    copied = WAYS[way](listed)
    assert copied.messages == listed.messages
    assert copied.losses == listed.losses
    assert [loss.rule for loss in copied.losses] == [loss.rule for loss in listed.losses]
    report = WAYS[way](out.report)
    assert report.losses == out.losses
    assert report.kinds == out.report.kinds


ELSEWHERE = """
import json, pickle, sys
found = []
for one, given in pickle.load(sys.stdin.buffer):
    if hasattr(one, "write_request"):
        out = one.write_request(given)
        found.append([out.path, out.headers, out.body, [loss.to_dict() for loss in out.losses]])
    else:
        out = one.write(given)
        found.append([out.messages, [loss.to_dict() for loss in out.losses]])
print(json.dumps(found))
"""


@pytest.mark.parametrize("seed", ["1", "2"])
def test_another_process_writes_the_same(seed: str) -> None:
    """Sets have another order there; what is written must not."""
    jobs: list[tuple[Any, Any]] = []
    expected: list[Any] = []
    for name in ONE_OF_EACH_KIND:
        wire, given = dragoman.wire(name, policy="ignore"), request("some-model")
        out = wire.write_request(given)
        jobs.append((wire, given))
        losses = [loss.to_dict() for loss in out.losses]
        expected.append([out.path, out.headers, out.body, losses])
    for name in FORMATTERS:
        formatter = getattr(dragoman.formatter, name)(policy="ignore")
        jobs.append((formatter, history()))
        listed = formatter.write(history())
        expected.append([listed.messages, [loss.to_dict() for loss in listed.losses]])
    ran = subprocess.run(
        [sys.executable, "-c", ELSEWHERE], input=pickle.dumps(jobs), capture_output=True,
        env={**os.environ, "PYTHONPATH": str(SRC), "PYTHONHASHSEED": seed}, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr.decode()
    assert ran.stdout.decode() == json.dumps(expected) + "\n", "order counts"
