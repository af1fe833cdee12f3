"""Capabilities: overrides in every form, what they refuse, facts and their order."""

from __future__ import annotations

import pickle
from dataclasses import fields
from typing import Any

import pytest

from dragoman.capabilities import Capabilities, ChatConfig, Fact, Facts, changes_of, override
from dragoman.errors import ConfigError

CAN = Capabilities(
    user=frozenset({"text", "image"}),
    result=frozenset({"text", "image"}),
    sources={"image": frozenset({"url", "base64"})},
    media_types={"image": ("image/*",)},
    move_media=frozenset({"image", "audio"}),
    options={"top_k": "refuses"},
)


def changed(**changes: Any) -> Capabilities:
    return override(CAN, changes)


def test_nothing_changes_nothing() -> None:
    assert override(CAN, {}) is CAN


def test_a_kind_leaves_every_seat() -> None:
    can = changed(image=False)
    assert "image" not in can.user | can.result | can.assistant | can.system | can.move_media
    assert can.user == {"text"}


def test_a_kind_joins_the_user() -> None:
    assert changed(video=True).user == {"text", "image", "video"}
    assert changed(image=True) == CAN, "it stays where it was"


def test_a_kind_takes_its_seats() -> None:
    can = changed(image=("assistant", "system"))
    assert can.user == can.result == {"text"}
    assert can.assistant == can.system == {"text", "image"}


def test_short_forms() -> None:
    assert changed(thinking=True).thinking == "all"
    assert changed(thinking=False).thinking == "never"
    assert changed(thinking="tool_turns").thinking == "tool_turns"
    assert changed(base64_only=("image",)).sources == {"image": {"base64"}}
    everything = changed(base64_only=True).sources
    assert set(everything) == {"image", "audio", "video", "document"}
    assert set(everything.values()) == {frozenset({"base64"})}
    assert changed(base64_only=False).sources == CAN.sources


def test_tables_are_merged() -> None:
    assert changed(options={"seed": "ignores"}).options == {"top_k": "refuses", "seed": "ignores"}
    assert changed(sources={"audio": "url"}).sources == {
        "image": {"url", "base64"}, "audio": {"url"},
    }  # fmt: skip
    assert changed(media_types={"audio": "audio/wav"}).media_types == {
        "image": ("image/*",), "audio": ("audio/wav",),
    }  # fmt: skip
    assert CAN.options == {"top_k": "refuses"}


def test_sets_are_taken_from_any_list() -> None:
    assert changed(tool_choices=["auto"]).tool_choices == {"auto"}
    assert changed(details="image").details == {"image"}
    assert changed(move_media=()).move_media == frozenset()


@pytest.mark.parametrize("name", [f.name for f in fields(Capabilities)])
def test_every_field_is_a_name(name: str) -> None:
    assert getattr(override(CAN, {name: getattr(CAN, name)}), name) == getattr(CAN, name)


@pytest.mark.parametrize(
    "changes",
    [
        {"images": False},
        {"": True},
        {7: True},
        {"tools": "no"},
        {"tools": 0},
        {"blank_text": None},
        {"user": 7},
        {"sources": 7},
        {"sources": ["image"]},
        {"options": "top_k"},
        {"image": 7},
        {"base64_only": 7},
    ],
)
def test_what_no_capability_takes(changes: Any) -> None:
    with pytest.raises(ConfigError):
        override(CAN, changes)


def test_media_by_pattern() -> None:
    assert CAN.media("image", "image/png")
    assert not CAN.media("image", "application/pdf")
    assert CAN.media("audio", "audio/any"), "no pattern is no limit"


def test_the_switches_of_a_chat_config() -> None:
    assert ChatConfig().changes() == {}
    config = ChatConfig(
        support_image=True, support_image_base64_only=True, support_audio=False,
        support_video=False, support_tool=False, support_tool_message=False, support_thinking=True,
    )  # fmt: skip
    can = override(CAN, config.changes())
    assert can.user == {"text", "image"}
    assert can.sources["image"] == {"base64"}
    assert (can.tools, can.tool_messages, can.thinking) == (False, False, "all")
    assert ChatConfig(support_image_base64_only=False).changes() == {}


def test_changes_in_any_form() -> None:
    given = {"tools": False}
    assert changes_of(given) == given
    assert changes_of(given) is not given
    assert changes_of(None) == {}
    assert changes_of(ChatConfig(support_tool=False)) == given
    for wrong in (7, "tools", ["tools"]):
        with pytest.raises(ConfigError):
            changes_of(wrong)  # type: ignore[arg-type]


def fact(*models: str, but: tuple[str, ...] = (), **changes: Any) -> Fact:
    return Fact(models, changes, "2026-01-01", "a page", but)


def test_the_first_fact_that_holds_is_applied() -> None:
    facts = Facts(
        (fact("qwen-vl*", video=True), fact("qwen*", but=("qwen-long*",), tools=False)),
        {"prefill": False},
    )
    assert not facts.apply(CAN, None).prefill
    assert facts.apply(CAN, None).tools
    assert "video" in facts.apply(CAN, "qwen-vl-max").user
    assert facts.apply(CAN, "qwen-vl-max").tools
    assert not facts.apply(CAN, "qwen-max").tools
    assert facts.apply(CAN, "qwen-long-1").tools
    assert not facts.apply(CAN, "other").prefill
    assert facts.about("other") is None


def test_capabilities_are_values() -> None:
    assert pickle.loads(pickle.dumps(CAN)) == CAN
    assert Facts().apply(CAN, "any") is CAN
