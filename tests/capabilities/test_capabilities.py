"""Capabilities: overrides in every form, what they refuse, facts and their order."""

from __future__ import annotations

import json
import pickle
from dataclasses import fields
from typing import Any

import pytest

from dragoman.capabilities import (
    About,
    Capabilities,
    ChatConfig,
    Fact,
    Facts,
    override,
    read_changes,
)
from dragoman.capabilities.name_rules import IdRule, NameRule
from dragoman.errors import ConfigError
from tests.each_case import each_case

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
    assert "image" not in can.user | can.result | can.assistant | can.system
    assert can.user == {"text"}
    assert "image" in override(can, {"image": ("user",)}).move_media, "as it did before"


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


@each_case("name", [f.name for f in fields(Capabilities)])
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
    assert read_changes(given) == given
    assert read_changes(given) is not given
    assert read_changes(None) == {}
    assert read_changes(ChatConfig(support_tool=False)) == given
    for wrong in (7, "tools", ["tools"]):
        with pytest.raises(ConfigError):
            read_changes(wrong)  # type: ignore[arg-type]


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


def test_a_fact_of_a_state_holds_on_top() -> None:
    facts = Facts((
        Fact(("qwen*",), {"tool_choices": ("auto",)}, "2026-01-01", "one", when="thinking"),
        fact("qwen-vl*", video=True),
        fact("qwen*", tools=False),
        Fact(("qwen-vl*",), {"prefill": False}, "2026-01-01", "two", when="tools"),
        Fact(("*",), {"blank_text": False}, "2026-01-01", "three", when="stream"),
    ))  # fmt: skip
    still = facts.apply(CAN, "qwen-vl-max")
    assert "video" in still.user
    assert still.tools
    assert still.tool_choices == CAN.tool_choices
    thinking = facts.apply(CAN, "qwen-vl-max", states=frozenset({"thinking"}))
    assert thinking == override(still, {"tool_choices": ["auto"]})
    both = facts.apply(CAN, "qwen-vl-max", states=frozenset({"thinking", "tools", "whole"}))
    assert not both.prefill
    assert both.tool_choices == {"auto"}
    assert not facts.apply(CAN, None, states=frozenset({"stream"})).blank_text
    assert facts.apply(CAN, None, states=frozenset({"thinking", "tools"})) is CAN
    with pytest.raises(ConfigError, match="no state of a request"):
        Fact(("*",), {}, "2026-01-01", "a page", when="raining")


def test_a_fact_of_one_wire_holds_there() -> None:
    facts = Facts((
        Fact(("a*",), {"tools": False}, "2026-01-01", "one", wire="bedrock"),
        fact("a*", prefill=False),
    ))  # fmt: skip
    assert facts.apply(CAN, "a1", frozenset({"bedrock", "x"})) == override(CAN, {"tools": False})
    assert facts.apply(CAN, "a1", frozenset({"x"})) == override(CAN, {"prefill": False})
    assert facts.apply(CAN, "a1") == override(CAN, {"prefill": False})


def test_a_pin_leaves_out_rows_that_began_later() -> None:
    dates = ("2026", "2026-03", "2026-03-31", "2026-04", "2027-01-01", "")
    facts = Facts(
        tuple(Fact(("a",), {}, since, "a page") for since in dates), {"tools": False}, "2027-01-01"
    )
    kept = [row.since for row in facts.at_date("2026-03").rows]
    assert kept == ["2026", "2026-03", "2026-03-31", ""]
    assert [row.since for row in facts.at_date("2025").rows] == [""]
    assert facts.at_date("") is facts
    assert facts.at_date("2025").always == {"tools": False}, "what a host always does has no row"


def test_patterns_are_globs_over_the_whole_name() -> None:
    patterns = ("gpt-5*", "*-vl", "o[13]-mini", "x?z", "a[!0-9]b", "exact")
    about = fact(*patterns, but=("gpt-5-chat*",))
    for name in ("gpt-5", "gpt-5.1", "qwen-vl", "-vl", "o1-mini", "o3-mini", "xyz", "a-b", "exact"):
        assert about.holds(name), name
    for name in ("my-gpt-5", "gpt-5-chat-latest", "qwen-vl-max", "o2-mini", "xz", "a1b", "exactly"):
        assert not about.holds(name), name


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"ids": {"exact": 9}}, {"ids": IdRule(exact=9)}),
        ({"tool_names": {"max": 128}}, {"tool_names": NameRule(max=128)}),
        ({"media_types": {"image": ["image/png", "image/gif"]}},
         {"media_types": {"image": ("image/png", "image/gif")}}),
        ({"media_types": {"audio": "audio/*"}}, {"media_types": {"audio": ("audio/*",)}}),
        ({"sources": {"image": ["url"]}}, {"sources": {"image": frozenset({"url"})}}),
        ({"budgets": [0, 100]}, {"budgets": (0, 100)}),
        ({"budgets": 5}, {"budgets": (5,)}),
        ({"efforts": "on"}, {"efforts": ("on",)}),
        ({"efforts": ["low", "high"]}, {"efforts": ("low", "high")}),
        ({"user": ["text"]}, {"user": frozenset({"text"})}),
        ({"image": "result"}, {"image": ("result",)}),
        ({"image": ["result", "user"]}, {"image": ("user", "result")}),
        ({"base64_only": "image"}, {"base64_only": ("image",)}),
        ({"base64_only": ["image", "audio"]}, {"base64_only": ("audio", "image")}),
    ],
)  # fmt: skip
def test_plain_json_says_what_python_says(given: Any, wanted: Any) -> None:
    assert override(CAN, given) == override(CAN, wanted)
    assert override(CAN, json.loads(json.dumps(given))) == override(CAN, wanted)


def test_a_rule_keeps_what_a_change_leaves_out() -> None:
    can = override(Capabilities(ids=IdRule(chars="a-z", max=40)), {"ids": {"max": 9}})
    assert can.ids == IdRule(chars="a-z", max=9)
    assert changed(tool_names={"max": 9}).tool_names == NameRule(max=9)
    assert type(changed(tool_names={"max": 9}).tool_names) is NameRule


def test_later_changes_see_earlier_ones() -> None:
    can = changed(user=("text", "audio"), image=True, base64_only=True, sources={"audio": ["url"]})
    assert can.user == {"text", "audio"}
    assert can.result == {"text", "image"}
    assert can.sources["audio"] == {"url"}
    assert can.sources["video"] == {"base64"}
    assert changed(forced_tools=False, tool_choices=["tool"]).tool_choices == {"tool"}
    assert changed(tool_choices=["tool"], forced_tools=False).tool_choices == frozenset()


@each_case(
    ("changes", "path"),
    [
        ({"optons": {}}, "$.optons"),
        ({"options": {"seed": "no"}}, "$.options.seed"),
        ({"options": {7: "takes"}}, "$.options"),
        ({"ids": {"exact": True}}, "$.ids.exact"),
        ({"ids": {"max": -1}}, "$.ids.max"),
        ({"ids": {"exakt": 9}}, "$.ids.exakt"),
        ({"ids": {"start": "["}}, "$.ids.start"),
        ({"efforts": ["low", 7]}, "$.efforts[1]"),
        ({"budgets": [-1, 5]}, "$.budgets[0]"),
        ({"cache_hints": -1}, "$.cache_hints"),
        ({"cache_hints": True}, "$.cache_hints"),
        ({"thinks": "often"}, "$.thinks"),
        ({"binding": None}, "$.binding"),
        ({"tool_choices": ["some"]}, "$.tool_choices"),
        ({"details": ["text"]}, "$.details"),
        ({"user": ["text", ["image"]]}, "$.user[1]"),
        ({"image": "reader"}, "$.image"),
        ({"image": [["user"]]}, "$.image"),
        ({"base64_only": [["image"]]}, "$.base64_only"),
        ({"media_types": {"text": ["text/plain"]}}, "$.media_types.text"),
        ({"forced_tools": 1}, "$.forced_tools"),
    ],
)
def test_where_a_change_is_wrong(changes: Any, path: str) -> None:
    with pytest.raises(ConfigError) as caught:
        override(CAN, changes)
    assert caught.value.path == path


@each_case(
    ("about", "ask", "changes", "named"),
    [
        (About("temperature"), "options", {"options": {"temperature": "refuses"}}, True),
        (About("temperature"), "options", {"options": {"top_p": "refuses"}}, False),
        (About(), "options", {"options": {"top_p": "refuses"}}, True),
        (About("source", "image"), "sources", {"sources": {"audio": ["url"]}}, False),
        (About("source", "image"), "sources", {"sources": {"image": ["url"]}}, True),
        (About("source", "image"), "sources", {"base64_only": ("audio",)}, False),
        (About("source", "image"), "sources", {"base64_only": True}, True),
        (About("source", "image"), "sources", {"base64_only": False}, False),
        (About("", "video"), "user", {"image": False}, False),
        (About("", "video"), "user", {"video": False}, True),
        (About("", "video"), "user", {"user": ("text",)}, True),
        (About("", "Msg"), "user", {"image": False}, True),
        (About("", "thinking"), "thinking", {"thinking": True}, True),
        (About("", "thinking"), "user", {"thinking": True}, False),
        (About("mode"), "tool_choices", {"forced_tools": False}, True),
        (About("", "tool_use"), "ids", {"ids": {"exact": 9}}, True),
        (About("", "tool_use"), "ids", {"tool_names": {"max": 9}}, False),
    ],
)
def test_which_change_is_about_a_loss(about: About, ask: str, changes: Any, named: bool) -> None:
    assert about.mentions(changes, ask) is named


def test_what_a_capability_concerns() -> None:
    assert About("reasoning").concerns("thinks")
    assert not About("seed").concerns("thinks")
    assert About("parallel").concerns("parallel_switch")
    assert not About("parallel").concerns("tool_choices")
    assert About("seed").concerns("options")
    assert About().concerns("thinks")


def test_what_speaks_last_decides() -> None:
    facts = Facts(
        (
            fact("qwen-vl*", options={"seed": "refuses"}),
            Fact(("qwen*",), {"options": {"seed": "ignores"}}, "2026-01-02", "two", when="tools"),
        ),
        {"prefill": False, "options": {"n": "refuses"}},
        "2026-01-03",
        "three",
    )

    def source(ask: str, field: str, model: str | None, *states: str) -> str | None:
        found = facts.deciding(ask, About(field), model, frozenset(), frozenset(states))
        return found.source if found is not None else None

    assert source("options", "seed", "qwen-vl-max") == "a page"
    assert source("options", "seed", "qwen-vl-max", "tools") == "two"
    assert source("options", "seed", "other") is None
    assert source("options", "n", None) == "three"
    assert source("prefill", "", "qwen-vl-max") == "three"
    assert source("tools", "", "qwen-vl-max") is None


def test_capabilities_are_values() -> None:
    assert pickle.loads(pickle.dumps(CAN)) == CAN
    assert Facts().apply(CAN, "any") is CAN
