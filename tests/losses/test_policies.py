"""What may be lost: by kind, by code, by name; logged once, refused, collected."""

from __future__ import annotations

import asyncio
import logging
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Loss, LossRefused, Msg, Policy
from dragoman.errors import ConfigError
from dragoman.losses import Report, policy
from dragoman.losses.codes import CODES
from dragoman.message import (
    CacheHint,
    Options,
    RawBlock,
    TextBlock,
    ToolResultBlock,
    URLSource,
    VideoBlock,
    places,
)
from dragoman.testing import Scripted
from tests.each_case import each_case

RAW = RawBlock("somebody", {"type": "odd"})
VIDEO = VideoBlock(URLSource("https://example.com/a.mp4"))
LOSSY = [Msg("Bob", [TextBlock("Hi."), RAW, VIDEO], "user", cache=CacheHint())]


def refused(given: Any) -> list[str]:
    with pytest.raises(LossRefused) as caught:
        dragoman.wire("openai-chat", policy=given).write_request(ChatRequest(LOSSY, model="m"))
    return [loss.code for loss in caught.value.losses]


def test_by_kind() -> None:
    assert refused(Policy(refuse=("dropped",))) == [
        "raw.other_provider",
        "block.unsupported",
        "cache.unsupported",
    ]


def test_by_code_and_by_glob() -> None:
    assert refused(Policy(refuse=("raw.other_provider",))) == ["raw.other_provider"]
    assert refused(Policy(refuse=("raw.*", "block.*"))) == [
        "raw.other_provider",
        "block.unsupported",
    ]
    assert refused(Policy(refuse=("*",))) == [
        "raw.other_provider",
        "block.unsupported",
        "cache.unsupported",
    ]


def test_allow_wins() -> None:
    given = Policy(refuse=("dropped", "raw.other_provider"), allow=("raw.*", "cache.unsupported"))
    assert refused(given) == ["block.unsupported"]
    quiet = Policy(refuse=("dropped",), allow=("dropped",))
    dragoman.wire("openai-chat", policy=quiet).write_request(ChatRequest(LOSSY))


def test_one_name_is_a_list_of_one() -> None:
    one: Any = "dropped"
    assert Policy(refuse=one) == Policy(refuse=("dropped",))
    assert Policy(allow=["cache.*"]).allow == ("cache.*",)  # type: ignore[arg-type]


def test_meaning_is_refused_and_cosmetics_are_allowed() -> None:
    given = Policy(refuse=("dropped", "degraded"), allow=("cache.*", "name.*"))
    assert refused(given) == ["raw.other_provider", "block.unsupported"]
    fine = [Msg("Bob", "Hi.", "user", cache=CacheHint())]
    out = dragoman.wire("ollama", policy=given).write_request(ChatRequest(fine, model="m"))
    assert {loss.code for loss in out.losses} == {"cache.unsupported", "name.unsupported"}


def test_the_named_policies() -> None:
    assert policy("refuse").refuse == ("dropped", "degraded", "repaired")
    assert policy("log").log
    assert policy("ignore") == Policy()
    assert policy("append_only") == Policy(log=True, append_only=True)
    assert not any(policy(name).append_only for name in ("log", "ignore", "refuse"))
    own = Policy(refuse=("moved",))
    assert policy(own) is own


@pytest.mark.parametrize("name", ["", "raise", None, 7, ["log"], {"refuse": ()}])
def test_no_policy(name: Any) -> None:
    with pytest.raises(ConfigError):
        policy(name)


@pytest.mark.parametrize("value", [None, 1, "yes", ()])
@pytest.mark.parametrize("field", ["append_only", "log"])
def test_switches_are_true_or_false(field: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=f"{field} is true or false"):
        Policy(**{field: value})


@pytest.mark.parametrize(
    "given", [{"refuse": None}, {"allow": 7}, {"refuse": (7,)}, {"collect": "losses"}]
)
def test_no_patterns_and_no_collector(given: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        Policy(**given)


def test_append_only_loses_and_logs_as_usual(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "dragoman")
    for given in ("append_only", Policy(log=True, append_only=True)):
        out = dragoman.Formatter("openai-chat", policy=given).write(LOSSY)
        usual = dragoman.Formatter("openai-chat", policy="ignore").write(LOSSY)
        assert out.messages == usual.messages
        assert out.losses == usual.losses
        codes = [loss.code for loss in usual.losses]
        assert len(caplog.records) == len(set(codes))
        caplog.clear()


def ways(given: Policy) -> dict[str, Callable[[], object]]:
    """Every way to write, each of which would lose something."""
    formatter = dragoman.Formatter("ollama", model="m", policy=given)
    named = dragoman.formatter.OpenAIChatFormatter(policy=given)
    request = ChatRequest(LOSSY, model="m")
    tools = [dragoman.Tool("f", cache=CacheHint())]
    return {
        "write_request": lambda: dragoman.wire("ollama", policy=given).write_request(request),
        "format": lambda: asyncio.run(formatter.format(LOSSY)),
        "format_sync": lambda: formatter.format_sync(LOSSY),
        "write": lambda: formatter.write(LOSSY),
        "call": lambda: asyncio.run(formatter.call(LOSSY)),
        "format_request": lambda: formatter.format_request(request),
        "format_tools": lambda: formatter.format_tools(tools),
        "cut": lambda: formatter.with_limit(10_000).write(LOSSY),
        "a named class": lambda: named.format_sync(LOSSY),
    }


@pytest.mark.parametrize("way", ways(Policy()))
def test_refused_before_anything_is_returned_collected_or_logged(
    way: str, caplog: pytest.LogCaptureFixture
) -> None:
    seen: list[Loss] = []
    given = Policy(refuse=("dropped",), log=True, collect=seen.append)
    with pytest.raises(LossRefused) as caught:
        ways(given)[way]()
    assert caught.value.losses
    assert all(loss.kind == "dropped" for loss in caught.value.losses)
    assert (seen, caplog.records) == ([], [])


@pytest.mark.parametrize("name", ["lost", "cache", "raw.foriegn", "nothing.*", ""])
def test_names_that_no_loss_bears(name: str) -> None:
    for field in ("refuse", "allow", "quiet"):
        with pytest.raises(ConfigError, match="neither a kind nor a known code"):
            Policy(**{field: (name,)})  # type: ignore[arg-type]


def test_collect_takes_every_loss_detached() -> None:
    seen: list[Loss] = []
    wire = dragoman.wire("openai-chat", policy=Policy(collect=seen.append))
    for _ in range(2):
        wire.write_request(ChatRequest(LOSSY, model="m"))
    assert [loss.code for loss in seen] == [
        "raw.other_provider",
        "block.unsupported",
        "cache.unsupported",
    ] * 2
    assert seen[0].where == "$.messages[0].content[1]"


def test_each_code_is_logged_once_a_formatter(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "dragoman")
    formatter = dragoman.Formatter("openai-chat")
    for _ in range(3):
        formatter.format_sync(LOSSY)
    codes = ["raw.other_provider", "block.unsupported", "cache.unsupported"]
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == len(codes)
    assert "raw.other_provider at $.messages[0].content[1]" in lines[0]
    assert all(any(f" {code} at " in line for line in lines) for code in codes)
    dragoman.Formatter("openai-chat").format_sync(LOSSY)
    assert len(caplog.records) == 6, "another formatter has its own memory"


def test_the_loudest_loss_of_a_kind_is_shown(caplog: pytest.LogCaptureFixture) -> None:
    msgs = [Msg("", "x", cache=CacheHint()), Msg("", [RAW, TextBlock("y")])]
    dragoman.Formatter("openai-chat").format_sync(msgs)
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "raw.other_provider" in caplog.records[0].getMessage()


def test_quiet_kinds_are_quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "dragoman")
    report = Report(LOSSY, None, places)
    for code in ("id.unsupported", "cache.unsupported", "name.unsupported"):
        report.add_loss(code, LOSSY[0])
    policy("log").judge(report, set())
    assert caplog.records == []


def test_ignore_and_refuse_log_nothing(caplog: pytest.LogCaptureFixture) -> None:
    dragoman.Formatter("openai-chat", policy="ignore").format_sync(LOSSY)
    with pytest.raises(LossRefused):
        dragoman.Formatter("openai-chat", policy="refuse").format_sync(LOSSY)
    assert caplog.records == []


def test_nothing_lost_is_nothing_refused() -> None:
    wire = dragoman.wire("openai-chat", policy=Policy(refuse=("*",)))
    assert wire.write_request(ChatRequest([Msg("", "x")], model="m")).losses == []


def test_levels_fit_their_kinds() -> None:
    for row in CODES.values():
        assert row.level <= logging.WARNING
        if row.kind == "expected":
            assert row.level == logging.DEBUG


BROKEN = [
    Msg("", "Look.", "user"),
    Msg("", [{"type": "tool_use", "id": "1", "name": "look", "input": {}}], "assistant"),
    Msg("", "And?", "user"),
]
REPAIRED = ["result.missing"]


@each_case("name", dragoman.wires())
def test_strict_refuses_repairs_and_names_place_and_rule(name: str) -> None:
    with pytest.raises(LossRefused) as caught:
        dragoman.wire(name, strict=True).write_request(ChatRequest(BROKEN))
    error = caught.value
    assert [loss.code for loss in error.losses] == REPAIRED
    assert error.path == "$.messages[1].content[0]"
    assert f"result.missing at {error.path}" in str(error)
    assert CODES["result.missing"].meaning in str(error)
    assert pickle.loads(pickle.dumps(error)).path == error.path


def test_strict_of_a_formatter_a_conversion_and_a_wire_that_is_there() -> None:
    chat = dragoman.wire("openai-chat", policy=Policy(allow=("name.*",)))
    tool = {"id": "1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    body = {"model": "m", "messages": [
        {"role": "user", "content": "Look."}, {"role": "assistant", "tool_calls": [tool]},
        {"role": "user", "content": "And?"}]}  # fmt: skip
    strict = dragoman.wire(chat, strict=True)
    assert strict.policy.allow == ("name.*",)
    for work in (
        lambda: dragoman.Formatter("openai-chat", strict=True).format_sync(BROKEN),
        lambda: dragoman.formatter.AnthropicChatFormatter(strict=True).format_sync(BROKEN),
        lambda: dragoman.convert(body, "openai-chat", "anthropic", model="claude-opus-5",
                                 strict=True),
        lambda: strict.write_request(ChatRequest(BROKEN)),
    ):  # fmt: skip
        with pytest.raises(LossRefused) as caught:
            work()
        assert [loss.code for loss in caught.value.losses] == REPAIRED
    assert dragoman.wire(chat, strict=False) is chat
    assert dragoman.convert(body, "openai-chat", "openai-chat", strict=True).body == body


@pytest.mark.parametrize(("msgs", "code"), [
    ([Msg("", "Hi", "user"), Msg("", "Well,", "assistant")], "turn.last"),
    ([Msg("", "Well,", "assistant"), Msg("", "Hi", "user")], "turn.first"),
])  # fmt: skip
def test_strict_makes_up_no_turn(msgs: list[Msg], code: str) -> None:
    with pytest.raises(LossRefused, match=code.replace(".", r"\.")):
        dragoman.wire("anthropic", strict=True).write_request(ChatRequest(msgs), "claude-opus-5")


def test_strict_lets_a_right_history_pass_and_what_a_wire_words_otherwise() -> None:
    right = [*BROKEN[:2], Msg.tool("1", "A desk."), BROKEN[2]]
    for name in dragoman.wires():
        wires = (dragoman.wire(name), dragoman.wire(name, strict=True))
        loose, strict = (wire.write_request(ChatRequest(right)) for wire in wires)
        assert strict.body == loose.body
        assert strict.losses == loose.losses


def test_strict_is_true_or_false() -> None:
    with pytest.raises(ConfigError, match="strict"):
        policy("log", strict="yes")  # type: ignore[arg-type]  # that is the point


def test_what_may_not_be_mended_is_to_be_mended_in_the_history() -> None:
    answer = Msg("", [ToolResultBlock("c1", "walk", "far")], "tool")
    req = ChatRequest([Msg.user("Hi."), answer], model="m")
    with pytest.raises(LossRefused) as caught:
        dragoman.wire("openai-chat", policy=policy("ignore", strict=True)).write_request(req)
    assert (caught.value.hint or "").startswith("mend the history at these places")
    with pytest.raises(LossRefused) as caught:
        dragoman.wire("openai-chat", policy="refuse").write_request(ChatRequest(LOSSY, model="m"))
    assert "choose a target that can say it" in (caught.value.hint or "")


# -- the log: one line for each code ---------------------------------------------------------------


def noisy() -> dragoman.ChatRequest:
    options = dragoman.Options(top_k=3, temperature=0.5, presence_penalty=0.5)
    msgs = [dragoman.Msg("Tony", "Hi", "user"), dragoman.Msg("Bob", "Hi", "user")]
    return dragoman.ChatRequest(msgs, options=options)


def test_each_code_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    wire = dragoman.wire("anthropic")
    with caplog.at_level("DEBUG", "dragoman"):
        out = wire.write_request(noisy(), "claude-opus-5-5")
        lines = len(caplog.records)
        wire.write_request(noisy(), "claude-opus-5-5")
    codes = {loss.code for loss in out.losses}
    assert len(codes) > 2
    assert lines == len(caplog.records) == len(codes)
    assert all(any(f" {code} at " in record.getMessage() for record in caplog.records)
               for code in codes)  # fmt: skip


def test_codes_may_be_quiet(caplog: pytest.LogCaptureFixture) -> None:
    policy = dragoman.Policy(log=True, quiet=("option.*", "added"))
    with caplog.at_level("DEBUG", "dragoman"):
        dragoman.wire("anthropic", policy=policy).write_request(noisy(), "claude-opus-5-5")
    assert [record.getMessage().split()[2] for record in caplog.records] == ["name.unsupported"]
    with pytest.raises(dragoman.ConfigError):
        dragoman.Policy(quiet=("no.such",))


def test_an_expected_loss_is_no_warning(caplog: pytest.LogCaptureFixture) -> None:
    req = dragoman.ChatRequest([dragoman.Msg.user("Hi")], options=dragoman.Options(n=1))
    with caplog.at_level("DEBUG", "dragoman"):
        dragoman.wire("openai/openai-responses").write_request(req, "gpt-5.6")
    assert [record.levelname for record in caplog.records] == ["DEBUG"]


# -- a service that runs for weeks -------------------------------------------------------------


@pytest.mark.parametrize("make", [
    lambda: dragoman.wire("openai-chat"),
    lambda: dragoman.wire("anthropic", policy="append_only"),
])  # fmt: skip
def test_each_code_is_logged_again_after_an_hour_with_a_count(
    make: Any, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = [1000.0]
    monkeypatch.setattr("dragoman.losses.policies.monotonic", lambda: seconds[0])
    wire = make()
    thinking = ChatRequest([Msg.user("Hi")], options=Options(seed=3, top_k=3, n=2, user="u"))
    if "anthropic" in wire.name:
        thinking = ChatRequest([Msg.user("Hi")], options=Options(seed=3))

    def lines() -> list[str]:
        caplog.clear()
        wire.write_request(thinking, "m")
        return [record.getMessage() for record in caplog.records]

    first = lines()
    assert first
    assert not any("since the last line" in line for line in first)
    for _ in range(3):
        seconds[0] += 1000
        assert lines() == []
    seconds[0] += 1000
    again = lines()
    assert len(again) == len(first)
    assert all("; 3 more requests since the last line" in line for line in again)
    seconds[0] += 3599
    assert lines() == []
    seconds[0] += 1
    assert all("; 1 more requests" in line for line in lines())


def test_an_llm_logs_again_after_an_hour(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = [0.0]
    monkeypatch.setattr("dragoman.losses.policies.monotonic", lambda: seconds[0])
    llm = dragoman.LLM("anthropic/claude-opus-5-5", key="k", transport=Scripted("x", repeat=True))
    counts = []
    for step in (0, 10, 3600, 3700):
        seconds[0] = float(step)
        caplog.clear()
        llm.ask("Hi", seed=3)
        counts.append(len([r for r in caplog.records if "option.unsupported" in r.getMessage()]))
    assert counts == [1, 0, 1, 0]
