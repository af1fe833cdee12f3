"""Tagged, NameField and ByRole: who speaks when there is no merged history."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dragoman
from dragoman import ByName, ByRole, ConfigError, NameField, Tagged
from dragoman.capabilities.name_rules import IdRule
from dragoman.losses import Report
from dragoman.message import (
    CacheHint,
    Citation,
    ImageBlock,
    Msg,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    places,
)

IMAGE = ImageBlock(URLSource("https://example.com/a.png"))
CALL = Msg("Bob", [ToolUseBlock("c", "look", {})], "assistant")
RESULT = Msg("system", [ToolResultBlock("c", "look", "y")], "system")


def run(rewrite: Any, *msgs: Msg) -> list[Msg]:
    made: list[Msg] = rewrite(list(msgs), Report(msgs, None, places))
    return made


def short(msgs: list[Msg]) -> list[tuple[str, str, str]]:
    return [(m.role, m.name, m.text) for m in msgs]


def test_by_role_leaves_the_very_list() -> None:
    msgs = [Msg("Bob", "x")]
    assert ByRole()(msgs, Report()) is msgs


def test_others_are_tagged_and_i_am_the_assistant() -> None:
    msgs = [Msg("Bob", "Hi.", "assistant"), Msg("Friday", "Hello.", "user"), Msg("", "x", "user")]
    assert short(run(Tagged("Friday"), *msgs)) == [
        ("user", "", "[Bob]: Hi."), ("assistant", "", "Hello."), ("user", "", "x"),
    ]  # fmt: skip
    assert short(msgs)[0] == ("assistant", "Bob", "Hi.")


def test_without_a_point_of_view_everybody_is_tagged() -> None:
    made = run(Tagged(), Msg("Friday", "Hello.", "assistant"))
    assert short(made) == [("user", "", "[Friday]: Hello.")]


@pytest.mark.parametrize("msg", [Msg("s", "Be.", "system"), Msg("d", "Be.", "developer"), CALL,
                                 RESULT, Msg("", "x", "assistant")])  # fmt: skip
def test_what_is_not_tagged(msg: Msg) -> None:
    assert run(Tagged("Friday"), msg)[0] is msg


def test_the_tag_stands_before_the_first_text() -> None:
    made = run(Tagged(), Msg("Bob", [IMAGE, TextBlock("a"), TextBlock("b")]))
    assert [getattr(b, "text", b) for b in made[0].blocks] == [IMAGE, "[Bob]: a", "b"]
    made = run(Tagged(), Msg("Bob", [IMAGE]))
    assert [getattr(b, "text", b) for b in made[0].blocks] == ["[Bob]:", IMAGE]


def test_a_tagged_block_keeps_the_rest() -> None:
    block = TextBlock("abc", [Citation(1, 3, "https://example.com"), Citation(None, None)],
                      CacheHint(), extras={"own": {"k": 1}})  # fmt: skip
    (made,) = run(Tagged(tag="{name}> "), Msg("Bob", [block]))
    assert made.content == [
        TextBlock("Bob> abc", [Citation(6, 8, "https://example.com"), Citation(None, None)],
                  CacheHint(), extras={"own": {"k": 1}})
    ]  # fmt: skip
    assert block.citations == [Citation(1, 3, "https://example.com"), Citation(None, None)]


def test_losses_of_a_tagged_block_are_found_at_its_source() -> None:
    msgs = [Msg("Al", "x"), Msg("Bob", [TextBlock("y", cache=CacheHint())])]
    out = dragoman.Formatter("openai-chat", speakers=Tagged(), policy="ignore").write(msgs)
    assert [(loss.code, loss.where) for loss in out.losses] == [
        ("cache.unsupported", "$.messages[1].content[0].cache"),
        ("speaker.tagged", "$.messages[0].name"), ("speaker.tagged", "$.messages[1].name"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "text", "said", "role"),
    [
        ("", "[Al]: x", "\\[Al]: x", "user"),
        ("Friday", "[Al]: x", "[Al]: x", "assistant"),
        ("Bob", "x", "[Bob]: x", "user"),
    ],
)
def test_a_tagged_message_keeps_the_rest(name: str, text: str, said: str, role: str) -> None:
    msg = Msg(name, text, "user", id="m1", cache=CacheHint(), extras={"own": {"k": 1}})
    msgs = [Msg("Al", "y"), msg]
    report = Report(msgs, None, places)
    made = Tagged("Friday")(msgs, report)[1]
    assert (made.name, made.text, made.role) == ("", said, role)
    assert (made.id, made.cache, made.extras) == ("m1", msg.cache, msg.extras)
    report.add_loss("cache.unsupported", made, "cache")
    assert "$.messages[1].cache" in [loss.where for loss in report.losses]


def test_nobody_is_tagged_as_the_one_who_answers() -> None:
    (made,) = run(Tagged("Friday"), Msg("Ｆriday", "Hi."))
    assert made.text == "[Friday_2]: Hi."


def test_names_for_a_name_field() -> None:
    msgs = [Msg("Dr. Bob", "x"), Msg("小明", "x"), Msg("Bob", "x"), Msg("", "x")]
    report = Report(msgs, None, places)
    made = NameField()(msgs, report)
    assert [m.name for m in made] == ["Dr._Bob", "小明", "Bob", ""]
    assert made[2] is msgs[2]
    assert [(loss.code, loss.where, loss.did) for loss in report.losses] == [
        ("name.mapped", "$.messages[0].name", "written as Dr._Bob")
    ]
    assert NameField()(msgs[1:], report) is not None
    same = msgs[1:]
    assert NameField()(same, report) is same


def test_a_name_is_cleaned_and_the_rest_stays() -> None:
    msg = Msg("Dr. Bob", "x", "assistant", id="m1", cache=CacheHint(), extras={"own": {"k": 1}})
    report = Report([msg], None, places)
    (made,) = NameField()([msg], report)
    assert (made.name, made.role, made.content) == ("Dr._Bob", "assistant", "x")
    assert (made.id, made.cache, made.extras) == ("m1", msg.cache, msg.extras)
    report.add_loss("cache.unsupported", made, "cache")
    assert report.losses[-1].where == "$.messages[0].cache"


@given(st.lists(st.text("ab .<_", min_size=1, max_size=5), min_size=1, max_size=6))
def test_two_names_never_become_one(names: list[str]) -> None:
    rule = IdRule(chars=r"a-zA-Z0-9_\-", max=64)
    made = NameField(rule)([Msg(name, "x") for name in names], Report())
    spelled = dict(zip(names, (m.name for m in made), strict=True))
    assert len(set(spelled.values())) == len(spelled)
    assert rule.fits(spelled.values())


def test_a_wire_with_a_name_field_cleans_names_by_itself() -> None:
    out = dragoman.Formatter("openai-chat").format_sync([Msg("Dr. Bob", "x"), Msg("user", "y")])
    assert out == [
        {"role": "user", "content": "x", "name": "Dr._Bob"}, {"role": "user", "content": "y"},
    ]  # fmt: skip


def test_a_wire_without_one_names_what_is_lost() -> None:
    msgs = [Msg("Bob", "x"), Msg("assistant", "y", "assistant"), Msg("Al", "z")]
    out = dragoman.Formatter("anthropic", policy="ignore").write(msgs)
    assert [(loss.code, loss.where, loss.what) for loss in out.losses] == [
        ("name.unsupported", "$.messages[0].name", "Bob"), ("name.unsupported",
         "$.messages[2].name", "Al"),
    ]  # fmt: skip


def test_any_callable_may_say_who_speaks() -> None:
    def shout(msgs: list[Msg], report: Report) -> list[Msg]:
        return [Msg(m.name, m.text.upper(), m.role) for m in msgs]

    out = dragoman.Formatter("anthropic", speakers=shout).format_sync([Msg("", "hi")])
    assert out == [{"role": "user", "content": "HI"}]
    both = dragoman.Formatter("anthropic", rewrites=[shout, Tagged("B")], policy="ignore")
    assert both.format_sync([Msg("A", "hi")]) == [{"role": "user", "content": "[A]: HI"}]


@pytest.mark.parametrize(
    "made",
    [
        lambda: ByName(opening=5),  # type: ignore[arg-type]
        lambda: ByName(closing=None),  # type: ignore[arg-type]
        lambda: ByName(me=5),  # type: ignore[arg-type]
        lambda: ByName(known=5),  # type: ignore[arg-type]
        lambda: ByName(known=("Bob", None)),  # type: ignore[arg-type]
        lambda: Tagged(tag=None),  # type: ignore[arg-type]
        lambda: Tagged(me=5),  # type: ignore[arg-type]
        lambda: NameField(rule=None),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_text_and_no_name(made: Any) -> None:
    with pytest.raises(ConfigError) as caught:
        made()
    assert caught.value.code == "history.value"


def test_one_known_name_is_a_name_and_not_its_letters() -> None:
    assert ByName(known="Bob").known == ("Bob",)  # type: ignore[arg-type]
    assert Tagged(known="Bob").known == ("Bob",)  # type: ignore[arg-type]
