"""Cache hints: no more than the wire takes, and none lost without a word."""

from __future__ import annotations

from typing import Any

from dragoman.capabilities import Capabilities
from dragoman.history.passes.lower import fit_tools
from dragoman.losses import Report
from dragoman.message import (
    CacheHint,
    Msg,
    RawBlock,
    TextBlock,
    Tool,
    ToolResultBlock,
    ToolUseBlock,
)

from .fitting import codes, fitted

HOUR = CacheHint("1h")


def hints(msgs: list[Msg]) -> list[Any]:
    return [getattr(block, "cache", None) for m in msgs for block in m.blocks]


def text(cache: CacheHint | None = HOUR) -> Msg:
    return Msg.user([TextBlock("x", cache=cache)])


def test_a_wire_without_hints() -> None:
    made, found = fitted(text(), Msg.user("y", cache=HOUR))
    assert hints(made) == [None, None]
    assert found == [
        ("cache.unsupported", "$.messages[0].content[0].cache"), ("cache.unsupported",
         "$.messages[1].cache"),
    ]  # fmt: skip


def test_a_wire_with_hints() -> None:
    msgs = [text(), Msg.user("y", cache=HOUR), Msg.user([TextBlock("a"), TextBlock("b")])]
    made, found = fitted(*msgs, cache_hints=4)
    assert (hints(made), found) == ([HOUR, HOUR, None, None], [])
    assert made[0] is msgs[0]
    assert made[1].cache is None
    assert msgs[1].cache is HOUR


def test_a_hint_behind_a_call_that_may_not_bear_one() -> None:
    msg = Msg.assistant([TextBlock("a"), ToolUseBlock("c", "f", {})], cache=HOUR)
    made, found = fitted(msg, cache_hints=4, cached_calls=False)
    assert hints(made) == [None, None]
    assert found == [("cache.unsupported", "$.messages[0].cache")]
    made, found = fitted(msg, cache_hints=4)
    assert (hints(made), found) == ([None, HOUR], [])


def test_the_oldest_go_first() -> None:
    made, found = fitted(*(text() for _ in range(5)), cache_hints=2)
    assert hints(made) == [None, None, None, HOUR, HOUR]
    assert codes(found) == ["cache.limit"] * 3


def test_hints_inside_results_count() -> None:
    inner: list[Any] = [TextBlock("a", cache=HOUR), TextBlock("b", cache=HOUR)]
    call = Msg.assistant([ToolUseBlock("c", "f", {}, cache=HOUR)])
    result = Msg("", [ToolResultBlock("c", "f", inner, cache=HOUR)], "tool")
    made, found = fitted(call, result, text(), cache_hints=3)
    assert codes(found) == ["cache.limit"] * 2
    outer = made[1].content[0]
    assert isinstance(outer, ToolResultBlock)
    assert isinstance(outer.output, list)
    assert hints(made) == [None, HOUR, HOUR]
    assert [block.cache for block in outer.output] == [None, HOUR]  # type: ignore[union-attr]


def test_hints_of_the_tools_count() -> None:
    made, found = fitted(text(), text(), cache_hints=2, hints=1)
    assert (hints(made), codes(found)) == ([None, HOUR], ["cache.limit"])


def test_a_message_that_can_carry_none() -> None:
    raw = RawBlock("own", {"type": "odd"})
    msg = Msg("", [raw], "user", cache=HOUR)
    can: dict[str, Any] = {"user": frozenset({"raw"}), "reads": frozenset({"own"})}
    made, found = fitted(msg, cache_hints=4, **can)
    assert made[0].cache is None
    assert found == [("cache.unsupported", "$.messages[0].cache")]


def test_tools_keep_their_last_hints() -> None:
    tools = [Tool("a", cache=HOUR), Tool("b"), Tool("c", cache=HOUR), Tool("d", cache=HOUR)]
    can = Capabilities(cached_tools=True, cache_hints=2)
    report = Report()
    made = fit_tools(tools, can, report)
    assert [getattr(tool, "cache", None) for tool in made] == [None, None, HOUR, HOUR]
    assert [loss.code for loss in report.losses] == ["cache.limit"]
    assert tools[0].cache is HOUR
    assert fit_tools(tools[1:], can, report) == tools[1:]
    assert fit_tools(tools, Capabilities(), report) is tools, "there the room says what is lost"


FALLING: dict[str, Any] = {
    "cache_hints": 4, "cache_ttls": frozenset({"5m", "1h"}), "cache_longest_first": True,
}  # fmt: skip
SHORT = CacheHint("5m")


def test_no_hint_outlasts_one_before_it_where_the_wire_says_so() -> None:
    msgs = [text(HOUR), text(SHORT), text(HOUR), text(CacheHint())]
    made, found = fitted(*msgs, **FALLING)
    assert hints(made) == [HOUR, SHORT, CacheHint(), CacheHint()]
    assert found == [("cache.ttl", "$.messages[2].content[0].cache.ttl")]
    assert fitted(*msgs, **{**FALLING, "cache_longest_first": False}) == (msgs, [])


def test_a_hint_without_a_time_is_as_short_as_any() -> None:
    made, found = fitted(text(CacheHint()), text(HOUR), **FALLING)
    assert hints(made) == [CacheHint(), CacheHint()]
    assert codes(found) == ["cache.ttl"]


def test_hints_of_the_tools_come_first() -> None:
    made, found = fitted(text(HOUR), **FALLING, hints=1, lasts=5.0)
    assert hints(made) == [CacheHint()]
    assert codes(found) == ["cache.ttl"]
    tools = [Tool("a", cache=SHORT), Tool("b", cache=HOUR), Tool("c")]
    report = Report()
    kept = fit_tools(tools, Capabilities(cached_tools=True, **FALLING), report)
    assert [getattr(tool, "cache", None) for tool in kept] == [SHORT, CacheHint(), None]
    assert [loss.code for loss in report.losses] == ["cache.ttl"]
    right = [Tool("a", cache=HOUR), Tool("b", cache=SHORT)]
    assert fit_tools(right, Capabilities(cached_tools=True, **FALLING), Report()) is right


def test_a_time_that_the_wire_does_not_know() -> None:
    made, found = fitted(text(CacheHint("2d")), **FALLING)
    assert hints(made) == [CacheHint()]
    assert codes(found) == ["cache.ttl"]
