"""xAI: Responses unless the older wire is named; efforts of some models alone."""

from __future__ import annotations

import pytest

import dragoman
from dragoman import Msg
from dragoman.message import (
    Base64Source,
    ImageBlock,
    Origin,
    ServerTool,
    TextBlock,
    ThinkingBlock,
)
from tests.vendors.asking import called, codes, losses, wrote


def test_responses_is_the_first() -> None:
    assert dragoman.wire("xai").room.protocol == "openai-responses"
    assert wrote("xai", None).path == "/responses"
    assert wrote("xai/openai-chat", None).path == "/chat/completions"


@pytest.mark.parametrize(
    ("model", "written", "lost"),
    [("grok-4.5", "high", []), ("grok-4.3", "high", []), ("grok-3-mini", "high", []),
     ("grok-4-fast", None, ["option.range"]), ("grok-code-fast-1", None, ["option.range"]),
     ("grok-3", "high", []), ("grok-4-0709", "high", []),
     ("grok-2-1212", None, ["option.refused"])],
)  # fmt: skip
def test_efforts(model: str, written: str | None, lost: list[str]) -> None:
    out = wrote("xai", model, options={"reasoning": "high"})
    assert out.body.get("reasoning", {}).get("effort") == written
    assert codes(out) == lost
    older = wrote("xai/openai-chat", model, options={"reasoning": "high"})
    assert older.body.get("reasoning_effort") == written


def test_its_search() -> None:
    for tool, filters in (
        (ServerTool("web_search", domains=("a.org",)), {"allowed_domains": ["a.org"]}),
        (ServerTool("web_search", blocked_domains=("b.org",)), {"excluded_domains": ["b.org"]}),
    ):
        out = wrote("xai", "grok-4.5", tools=[tool])
        assert out.body["tools"] == [{"type": "web_search", "filters": filters}]
        older = wrote("xai/openai-chat", "grok-4.5", tools=[tool])
        assert codes(older) == ["server_tool.unsupported"]


def test_sealed_reasoning_is_its_own() -> None:
    own = ThinkingBlock("", signature="c2VhbA==", origin=Origin("xai"))
    other = ThinkingBlock("", signature="c2VhbA==", origin=Origin("openai-responses"))
    kept = wrote("xai", "grok-4.5", *called(own)).body["input"]
    assert kept[1] == {"type": "reasoning", "summary": [], "encrypted_content": "c2VhbA=="}
    assert losses(wrote("xai", "grok-4.5", *called(other))) == [
        ("thinking.other_provider", "$.messages[1].content[0]")
    ]


def test_pictures_are_jpeg_or_png() -> None:
    gif = ImageBlock(Base64Source("image/gif", "R0lGODlh"))
    assert codes(wrote("xai", "grok-4.5", Msg.user([TextBlock("?"), gif]))) == ["media.type"]


def test_who_answers_for_whom() -> None:
    out = wrote("xai", "grok-4.5", options={"user": "u1", "service_tier": "flex"})
    assert out.body["user"] == "u1"
    assert codes(out) == ["option.ignored"]
