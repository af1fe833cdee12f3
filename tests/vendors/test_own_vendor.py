"""A vendor of one's own: what nobody would heed is refused with a path; static headers are sent."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, ConfigError, Facts, Msg, Vendor
from dragoman.capabilities import Fact
from dragoman.protocols import anthropic
from dragoman.protocols.openai_chat import Dialect

REQUEST = ChatRequest([Msg.user("Hi")])


def acme(dialect: Any = None, facts: Any = None, **fields: Any) -> Vendor:
    given = {} if facts is None else {"openai-chat": facts}
    return Vendor("acme", wires={"openai-chat": dialect or Dialect()}, facts=given, **fields)


def odd(name: str, value: Any) -> Dialect:
    return Dialect(**{name: value})


@pytest.mark.parametrize(("vendor", "path"), [
    (acme(odd("text", "partz")), "$.wires.openai-chat.text"),
    (acme(odd("call_content", "none")), "$.wires.openai-chat.call_content"),
    (acme(odd("think_tags", "some")), "$.wires.openai-chat.think_tags"),
    (acme(anthropic.Dialect()), "$.wires.openai-chat"),
    (acme({"text": "parts"}), "$.wires.openai-chat"),
    (acme(facts={"image": False}), "$.facts.openai-chat"),
    (acme(facts=Facts(always={"imag": False})), "$.facts.openai-chat.always.imag"),
    (acme(facts=Facts(always={"options": {"sed": "refuses"}})),
     "$.facts.openai-chat.always.options"),
    (acme(facts=Facts(always={"options": {"seed": "refused"}})),
     "$.facts.openai-chat.always.options"),
    (acme(facts=Facts(rows=(Fact(("a-*",), {"tool": False}, "2026-11-01", "x"),))),
     "$.facts.openai-chat.rows[0].changes.tool"),
])  # fmt: skip
def test_what_nobody_would_heed_is_refused(vendor: Vendor, path: str) -> None:
    for door in (dragoman.wire, dragoman.Formatter):
        with pytest.raises(ConfigError) as caught:
            door(vendor)
        assert caught.value.path.startswith(path)


def test_thinking_is_sent_back_where_it_is_read() -> None:
    with pytest.raises(ConfigError, match="thoughts"):
        Dialect(thinking_fields=("thoughts",))
    wire = dragoman.wire(acme(Dialect(thinking_fields=("reasoning",))), policy="ignore")
    said = {"role": "assistant", "content": "Hi", "reasoning": "Hm."}
    resp = wire.read_response({"choices": [{"message": said}]})
    assert resp.msg.blocks[0].type == "thinking"


def test_facts_of_an_unknown_protocol_are_refused() -> None:
    with pytest.raises(ConfigError, match="open-chat"):
        Vendor("acme", wires={"openai-chat": Dialect()}, facts={"open-chat": Facts()})


@pytest.mark.parametrize(
    "field", [{"maker_protocols": ("open-chat",)}, {"same_media": ("x",)}, {"counts": "x"}]
)
def test_columns_of_protocols_name_protocols(field: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="unknown protocol"):
        Vendor("acme", **field)


def test_static_headers_go_with_every_request() -> None:
    vendor = Vendor("acme", wires={"anthropic": None}, headers={"x-team": "blue"})
    out = dragoman.wire(vendor, policy="ignore").write_request(REQUEST)
    assert out.headers == {"x-team": "blue", "anthropic-version": "2023-06-01"}
    assert out.sdk()["extra_headers"]["x-team"] == "blue"
    with pytest.raises(ConfigError, match="headers"):
        acme(headers={"x-team": "a\r\nX-Evil: 1"})


def test_our_own_rows_are_in_order() -> None:
    from dragoman.vendors import VENDORS, vendor

    for name in VENDORS:
        vendor(name).check()
