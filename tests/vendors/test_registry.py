"""The registry: every wire by name, vendors of one's own, and errors that help."""

from __future__ import annotations

import ast
import pickle
from pathlib import Path
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Vendor, vendors
from dragoman.capabilities import Fact, Facts
from dragoman.errors import ConfigError
from dragoman.formatter.agentscope import FORMATTERS
from dragoman.protocols.openai_chat import Dialect
from dragoman.vendors import PROTOCOLS, VENDORS, vendor
from dragoman.vendors.protocol_rooms import room
from tests.each_case import each_case

REQ = ChatRequest([Msg.user("Hi.")])


def test_protocols_come_first_and_no_name_twice() -> None:
    names = dragoman.wires()
    assert names[: len(PROTOCOLS)] == list(PROTOCOLS)
    assert len(set(names)) == len(names)
    assert set(names) == {*PROTOCOLS, *VENDORS}


@each_case("name", dragoman.wires())
def test_every_name_is_a_wire(name: str) -> None:
    wire = dragoman.wire(name, policy="ignore")
    assert wire.name == name
    assert wire.room.protocol in PROTOCOLS
    assert wire.dialect is not None
    assert wire.write_request(REQ).body
    assert dragoman.wire(wire) is wire


@each_case("name", VENDORS)
def test_every_vendor_is_whole(name: str) -> None:
    row = vendor(name)
    assert row.name == name
    assert row.base_url.startswith("http")
    assert not row.base_url.endswith("/")
    assert row.key.isupper()
    assert row.wires
    for protocol in row.wires:
        wire = dragoman.wire(f"{name}/{protocol}")
        assert wire.room.protocol == protocol
        assert wire.vendor is row
    assert {*row.facts, *row.maker_protocols, *row.same_media} <= set(row.wires)
    assert not row.counts or row.counts in row.wires
    assert row.title or "-" not in name
    for protocol in row.maker_protocols:  # what it takes back is what it answers
        assert protocol in row.wires[protocol].reads_items_of


def _nameless(source: str) -> list[str]:
    """The dialects in a vendor's file that leave the default model to the protocol."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    return [
        ast.unparse(call)
        for call in calls
        if ast.unparse(call.func).rpartition(".")[2] in ("Dialect", "Messages")
        and all(keyword.arg != "model" for keyword in call.keywords)
    ]


@each_case("name", VENDORS)
def test_the_model_of_a_vendor_is_in_its_file(name: str) -> None:
    file = Path(vendors.__file__).with_name(f"{name.replace('-', '_')}.py")
    source = file.read_text("utf-8")
    assert "model=" in source
    assert _nameless(source) == []


def test_a_dialect_without_a_model_is_found() -> None:
    assert _nameless("Vendor(wires={'a': chat.Dialect(path='/x')})") == ["chat.Dialect(path='/x')"]


def test_a_bare_vendor_is_its_first_wire() -> None:
    assert dragoman.wire("deepseek").room.protocol == "openai-chat"
    assert dragoman.wire("deepseek").dialect == dragoman.wire("deepseek/openai-chat").dialect


@pytest.mark.parametrize(
    "name", ["", "openai_chat", "OpenAI", "deepseek/gemini", "openai-chat/openai", "no", "/"]
)
def test_unknown_names(name: str) -> None:
    with pytest.raises(ConfigError):
        dragoman.wire(name)


@pytest.mark.parametrize("name", [None, 7, ["openai"], {"name": "openai"}, Dialect()])
def test_no_names(name: Any) -> None:
    with pytest.raises(ConfigError):
        dragoman.wire(name)


def test_facts_are_facts() -> None:
    wrong: Any = {"tools": False}
    with pytest.raises(ConfigError):
        dragoman.wire("openai-chat", facts=wrong)


def test_a_vendor_of_your_own() -> None:
    mute = Fact(("mute*",), {"tools": False}, "2026-01-01", "acme's docs")
    acme = Vendor(
        "acme",
        base_url="https://api.acme.example/v1",
        key="ACME_API_KEY",
        wires={"openai-chat": Dialect(max_tokens_key="max_tokens", model="acme-1")},
        facts={"openai-chat": Facts((mute,), {"image": False})},
    )
    wire = dragoman.wire(acme)
    assert (wire.name, wire.vendor) == ("acme", acme)
    assert wire.write_request(REQ).model == "acme-1"
    assert "image" not in wire.can().user
    assert not wire.can("mute-1").tools
    out = dragoman.Formatter(acme).format_sync([Msg.user("Hi.")])
    assert out == [{"role": "user", "content": "Hi."}]
    assert pickle.loads(pickle.dumps(acme)) == acme


def test_a_vendor_speaks_known_protocols() -> None:
    with pytest.raises(ConfigError, match="smoke-signals"):
        Vendor("acme", wires={"smoke-signals": None})
    with pytest.raises(ConfigError, match="acme does not speak"):
        dragoman.wire(Vendor("acme"))


def test_a_room_by_protocol() -> None:
    for protocol in PROTOCOLS:
        assert room(protocol).protocol == protocol


def test_named_formatters_have_a_file_for_each_vendor() -> None:
    for name, home in FORMATTERS.items():
        cls = getattr(dragoman.formatter, name)
        assert cls.__module__ == f"dragoman.formatter.agentscope.{home}"
        assert name in dragoman.formatter.__all__
    assert dragoman.formatter.OpenAIFormatter is dragoman.formatter.OpenAIChatFormatter


def test_unknown_formatters() -> None:
    with pytest.raises(AttributeError, match="NoSuchFormatter"):
        getattr(dragoman.formatter, "NoSuchFormatter")  # noqa: B009 - a checker knows there is none
