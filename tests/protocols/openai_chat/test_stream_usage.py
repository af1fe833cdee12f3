"""Streams say what they cost: `include_usage` is asked for, unless somebody decided otherwise."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Vendor
from dragoman.protocols.openai_chat import Dialect
from dragoman.vendors import VENDORS, vendor
from tests.each_case import each_case

ASKED = {"include_usage": True}
HOSTS = [name for name in dragoman.wires()
         if "openai-chat" in (name, dragoman.wire(name).room.protocol)]  # fmt: skip


def written(wire: str | Vendor, **fields: Any) -> dragoman.message.Written:
    req = ChatRequest([Msg.user("Hi")], **{"stream": True, **fields})
    return dragoman.wire(wire, policy="ignore").write_request(req)


@each_case("host", HOSTS)
def test_a_stream_asks_for_its_usage(host: str) -> None:
    out = written(host)
    knows = dragoman.wire(host).dialect.usage_field
    assert out.body.get("stream_options") == (ASKED if knows else None)
    assert [loss.kind for loss in out.losses if loss.code == "usage.requested"] == [
        "expected"
    ] * bool(knows)
    assert "stream_options" not in written(host, stream=False).body


def test_one_host_is_not_known_to_take_it() -> None:
    assert [host for host in HOSTS if not dragoman.wire(host).dialect.usage_field] == ["minimax"]


def test_who_says_no_is_heeded() -> None:
    for issuer in ("openai", "openai-chat"):
        extras = {issuer: {"stream_options": {"include_usage": False}}}
        out = written("openai", extras=extras)
        assert out.body["stream_options"] == {"include_usage": False}
        assert "usage.requested" not in [loss.code for loss in out.losses]
    other = {"openai-chat": {"stream_options": {"include_obfuscation": False}}}
    both = {"include_obfuscation": False, "include_usage": True}
    assert written("openai", extras=other).body["stream_options"] == both


@pytest.mark.parametrize(
    "options",
    [
        None,
        {},
        ASKED,
        {"include_usage": False},
        {"include_usage": True, "include_obfuscation": False},
    ],
)
def test_a_body_that_was_read_keeps_its_word(options: Any) -> None:
    body: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "Hi"}],
                            "stream": True}  # fmt: skip
    if options is not None:
        body["stream_options"] = options
    chat = dragoman.wire("openai-chat", policy="ignore")
    assert chat.write_request(chat.read_request(body)).body == body
    assert dragoman.convert(body, "openai-chat", "deepseek", model="m").body.get(
        "stream_options", {}
    ) == (options or {})
    foreign = dragoman.convert(body, "openai-chat", "anthropic", model="claude-opus-5-5")
    lost = [loss.where for loss in foreign.losses if loss.code == "extras.other_provider"]
    # every other stream reports usage: only that it shall not is lost
    unwanted = options == {"include_usage": False}
    assert ("$.stream_options.include_usage" in lost) == unwanted


def test_a_stream_of_another_wire_is_asked_for_its_usage() -> None:
    body = {"model": "claude-opus-5-5", "max_tokens": 9, "stream": True,
            "messages": [{"role": "user", "content": "Hi"}]}  # fmt: skip
    assert (
        dragoman.convert(body, "anthropic", "openai", model="gpt-5.6").body["stream_options"]
        == ASKED
    )


def test_an_edited_stream_takes_its_options_along() -> None:
    chat = dragoman.wire("openai-chat", policy="ignore")
    req = chat.read_request({"model": "m", "messages": [{"role": "user", "content": "Hi"}],
                             "stream": True, "stream_options": ASKED})  # fmt: skip
    req.stream = False
    assert "stream_options" not in chat.write_request(req).body


# -- extras by the name of the vendor --------------------------------------------------------------


# one of their protocols has issuers of that name, another has not
SHARED = ("gemini", "vertex", "bedrock", "bedrock-mantle", "snowflake")


@each_case("host", [name for name in VENDORS if name not in SHARED])
def test_extras_by_the_vendors_name_are_sent(host: str) -> None:
    for protocol in vendor(host).wires:
        out = dragoman.wire(f"{host}/{protocol}", policy="ignore").write_request(
            ChatRequest([Msg.user("Hi")], extras={host: {"novel": 1}})
        )
        assert "novel" in str(out.body), protocol
        assert not [loss for loss in out.losses if loss.code == "extras.other_provider"], protocol


def test_an_own_vendors_extras_are_its_own() -> None:
    acme = Vendor("acme", wires={"openai-chat": Dialect(), "anthropic": None})
    out = dragoman.wire(acme).write_request(
        ChatRequest([Msg.user("Hi")], extras={"acme": {"fast": True}, "openai": {"slow": True}})
    )
    assert out.body["fast"] is True
    assert [loss.where for loss in out.losses if loss.code == "extras.other_provider"] == [
        "$.extras.openai.slow"
    ]


def test_a_name_that_is_another_protocols_issuer_stays_that_ones() -> None:
    reads = dragoman.wire("vertex/anthropic").can().reads
    assert "vertex" not in reads, "Gemini's signatures bear that name"
