"""Named sets of facts that replace today's."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg
from dragoman.capabilities import Facts
from dragoman.capabilities.families.earlier_facts import PROFILES, profile
from dragoman.errors import ConfigError
from dragoman.formatter.agentscope import FORMATTERS
from tests.each_case import each_case

OLD = "documents-2025"


def test_vendors_come_before_their_protocol() -> None:
    table = PROFILES[OLD]
    assert profile(OLD, "openai-chat", "deepseek") is table["deepseek"]
    assert profile(OLD, "openai-chat", "openai") is table["openai-chat"]
    assert profile(OLD, "openai-chat", "") is table["openai-chat"]
    assert profile(OLD, "bedrock", "") == Facts()


@pytest.mark.parametrize("name", ["", "documents-2026", "Documents-2025"])
def test_unknown_profiles(name: str) -> None:
    with pytest.raises(ConfigError, match="documents-2025"):
        profile(name, "openai-chat", "")
    with pytest.raises(ConfigError):
        dragoman.wire("openai-chat", facts=name)
    with pytest.raises(ConfigError):
        dragoman.formatter.OpenAIChatFormatter(facts=name)


@pytest.mark.parametrize("wire", sorted(PROFILES[OLD]))
def test_a_profile_is_applied_by_name(wire: str) -> None:
    today, then = dragoman.wire(wire), dragoman.wire(wire, facts=OLD)
    assert "document" not in then.can().user
    assert then.can() == PROFILES[OLD][wire].apply(today.can(), None)


@each_case("name", sorted(FORMATTERS))
def test_named_formatters_take_a_profile(name: str) -> None:
    cls: Any = getattr(dragoman.formatter, name)
    old, today = cls(facts=OLD), cls()
    assert "document" not in old.can.user
    assert ("image" in old.can.user) is (FORMATTERS[name] != "deepseek")
    if name != "GeminiMultiAgentFormatter":  # the documents have a line break in its history
        assert old.format_sync([Msg.user("x")]) == today.format_sync([Msg.user("x")])


def test_routing_of_2025() -> None:
    wire = dragoman.wire("dashscope", facts=OLD, policy="ignore")
    req = ChatRequest([Msg.user("x")])
    assert wire.can("qwen-vl-max").endpoint == "/multimodal/chat/completions"
    assert wire.can("qwen-max").endpoint == "/chat/completions"
    assert wire.write_request(req, "qwen-max").path.endswith("/chat/completions")
