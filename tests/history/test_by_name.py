"""ByName: each run of conversation becomes one user message, media in their place."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ByName
from dragoman.losses import Report
from dragoman.message import (
    AudioBlock,
    CacheHint,
    Citation,
    DocumentBlock,
    ImageBlock,
    Msg,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    VideoBlock,
    places,
)

OPEN = (
    "# Conversation History\n"
    "The content between <history></history> tags contains your conversation history\n<history>\n"
)
IMAGE = ImageBlock(URLSource("https://example.com/a.png"))
CALL = Msg("Bob", [ToolUseBlock("c", "look", {})], "assistant")
RESULT = Msg("system", [ToolResultBlock("c", "look", "y")], "system")
EMPTY = Msg("Bob", [ThinkingBlock("hm")], "assistant")
HEADING = ("history.heading", "$.messages[0]")
FRAME = ("history.frame", "$.messages[0]")


def told(*msgs: Msg, rewrite: ByName | None = None) -> tuple[list[Msg], list[tuple[str, str]]]:
    report = Report(msgs, None, places)
    made = (rewrite or ByName())(list(msgs), report)
    return made, [(loss.code, loss.where) for loss in report.losses]


def said(msgs: list[Msg]) -> list[Any]:
    return [[getattr(b, "text", b) for b in m.blocks] for m in msgs]


def test_a_conversation_is_one_message() -> None:
    msgs = [Msg("Bob", "Hi.", "user"), Msg("Alice", "Hello.", "assistant")]
    made, losses = told(*msgs)
    assert said(made) == [[f"{OPEN}Bob: Hi.\nAlice: Hello.\n</history>"]]
    assert (made[0].role, made[0].name) == ("user", "")
    assert losses == [HEADING, FRAME]


@pytest.mark.parametrize("role", ["system", "developer"])
def test_the_prompt_stays_in_front(role: str) -> None:
    prompt = Msg("sys", "Be.", role)
    made, losses = told(prompt, Msg("Bob", "Hi."))
    assert [(m.role, m.name, m.text[:3]) for m in made] == [(role, "", "Be."), ("user", "", "# C")]
    assert losses[0] == ("name.unsupported", "$.messages[0].name")
    assert prompt.name == "sys"
    assert made[0].content is prompt.content
    quiet = Msg("system", "Be.", "system")
    assert told(quiet)[1] == []
    bare = Msg("", "Be.", "system")
    assert told(bare)[0][0] is bare


def test_the_prompt_loses_its_name_and_nothing_else() -> None:
    prompt = Msg("sys", "Be.", "system", cache=CacheHint("1h"), extras={"own": {"k": 1}}, id="m1")
    report = Report([prompt], None, places)
    (made,) = ByName()([prompt], report)
    assert (made.name, made.role, made.content) == ("", "system", "Be.")
    assert (made.cache, made.extras, made.id) == (prompt.cache, prompt.extras, "m1")
    report.add_loss("cache.unsupported", made, "cache")
    assert [(loss.code, loss.where) for loss in report.losses] == [
        ("name.unsupported", "$.messages[0].name"), ("cache.unsupported", "$.messages[0].cache"),
    ]  # fmt: skip
    assert report.losses[0].what == "sys"


def test_later_system_messages_are_part_of_the_conversation() -> None:
    made, _ = told(Msg("", "Be.", "system"), Msg("Bob", "Hi."), Msg("Host", "Quiet!", "system"))
    assert said(made)[1] == [f"{OPEN}Bob: Hi.\nHost: Quiet!\n</history>"]


def test_calls_and_results_stand_apart_and_the_heading_comes_once() -> None:
    made, losses = told(Msg("Bob", "Hi."), CALL, RESULT, Msg("Alice", "So?"))
    assert [m.role for m in made] == ["user", "assistant", "system", "user"]
    assert made[1] is CALL
    assert made[2] is RESULT
    assert said(made)[0] == [f"{OPEN}Bob: Hi.\n</history>"]
    assert said(made)[3] == ["<history>\nAlice: So?\n</history>"]
    assert losses == [HEADING, FRAME, ("history.frame", "$.messages[3]")]


def test_a_group_that_says_nothing_spends_no_heading() -> None:
    made, losses = told(EMPTY, CALL, RESULT, Msg("Alice", "So?"))
    assert said(made)[-1] == [f"{OPEN}Alice: So?\n</history>"]
    assert len(made) == 3
    assert losses == [
        ("thinking.unsupported", "$.messages[0].content[0]"), ("history.heading", "$.messages[3]"),
        ("history.frame", "$.messages[3]"),
    ]  # fmt: skip


def test_nothing_but_silence_is_nothing() -> None:
    assert told(EMPTY)[0] == []
    assert told()[0] == []


def test_media_stay_where_they_stood() -> None:
    made, _ = told(
        Msg("Bob", [TextBlock("Look:"), IMAGE, TextBlock("Nice?")]), Msg("Alice", "Yes."),
    )  # fmt: skip
    assert said(made) == [[f"{OPEN}Bob: Look:", IMAGE, "Bob: Nice?\nAlice: Yes.\n</history>"]]


def test_media_at_both_ends() -> None:
    made, _ = told(Msg("Bob", [TextBlock("a"), IMAGE]), rewrite=ByName())
    assert said(made) == [[f"{OPEN}Bob: a", IMAGE, "</history>"]]
    made, losses = told(Msg("", [IMAGE]))
    assert said(made) == [[OPEN, IMAGE, "</history>"]]
    assert losses == [HEADING, FRAME]


@pytest.mark.parametrize("closing", ["\n  the end", "\nX", "\n\n</history>"])
def test_the_closing_behind_a_medium_loses_its_line_breaks_alone(closing: str) -> None:
    made, _ = told(Msg("Bob", [TextBlock("a"), IMAGE]), rewrite=ByName(closing=closing))
    assert said(made)[0][-1] == closing.lstrip("\n")


def test_whatever_was_made_of_a_run_is_found_at_its_messages() -> None:
    runs: list[list[Msg]] = [
        [Msg("Bob", "a")],
        [Msg("Bob", [TextBlock("a")])],
        [Msg("Bob", [TextBlock("a"), IMAGE, TextBlock("b"), IMAGE, TextBlock("c")])],
        [Msg("", [IMAGE])],
    ]
    for run in runs:
        msgs = [CALL, *run]
        report = Report(msgs, None, places)
        made = ByName()(msgs, report)[-1]
        for block in made.blocks:
            if type(block) is TextBlock:
                report.add_loss("text.blank", block, "text")
        found = [loss.where for loss in report.losses if loss.code == "text.blank"]
        assert len(found) == sum(type(block) is TextBlock for block in made.blocks)
        assert {where[:13] for where in found} == {"$.messages[1]"}


@pytest.mark.parametrize("kind", [ImageBlock, AudioBlock, VideoBlock, DocumentBlock])
def test_every_kind_of_medium_stays(kind: Any) -> None:
    medium = kind(IMAGE.source)
    assert said(told(Msg("Bob", [medium]))[0]) == [[f"{OPEN}Bob: ", medium, "</history>"]]


def test_hints_and_fields_of_messages_beside_media_are_named() -> None:
    msgs = [
        Msg("Bob", [IMAGE], cache=CacheHint()), Msg("Al", "x", extras={"own": {"k": 1}}),
        Msg("Cy", "y", extras={"": {"k": 1}}), Msg("Di", [RawBlock("own", {}), IMAGE]),
    ]  # fmt: skip
    report = Report(msgs, None, places)
    ByName()(msgs, report)
    assert [(loss.code, loss.where) for loss in report.losses][:4] == [
        ("cache.unsupported", "$.messages[0].cache"),
        ("extras.other_provider", "$.messages[1].extras.own"),
        ("extras.other_provider", "$.messages[2].extras"),
        ("raw.other_provider", "$.messages[3].content[0]"),
    ]
    assert [loss.what for loss in report.losses][1:4] == [
        "fields of own", "fields of nobody", "raw block of own",
    ]  # fmt: skip


def test_a_medium_without_words_is_introduced_by_its_speaker() -> None:
    made, losses = told(Msg("Bob", [IMAGE, IMAGE, TextBlock("x")]))
    assert said(made) == [[f"{OPEN}Bob: ", IMAGE, IMAGE, "Bob: x\n</history>"]]
    assert losses == [HEADING, FRAME]
    made, losses = told(Msg("Bob", [IMAGE]), rewrite=ByName(tag_media=False))
    assert said(made) == [[OPEN, IMAGE, "</history>"]]
    assert ("speaker.unnamed", "$.messages[0].name") in losses


def test_what_is_told_leaves_a_word_about_what_it_cannot_tell() -> None:
    block = TextBlock("x", [Citation(0, 1)], CacheHint(), extras={"own": {"k": 1}, "": {"odd": 1}})
    odd: list[Any] = [block, RefusalBlock("no"), ThinkingBlock("hm"), RawBlock("own", {})]
    made, losses = told(Msg("Bob", odd), Msg("Al", "y", cache=CacheHint(), extras={"own": {}}))
    assert said(made) == [[f"{OPEN}Bob: x\nBob: no\nAl: y\n</history>"]]
    at = "$.messages[0].content"
    assert losses == [
        ("cache.unsupported", f"{at}[0].cache"), ("citations.unsupported", f"{at}[0].citations"),
        ("extras.other_provider", f"{at}[0].extras.own"), ("extras.other_provider",
         f"{at}[0].extras"),
        ("refusal.as_text", f"{at}[1]"), ("thinking.unsupported", f"{at}[2]"),
        ("raw.other_provider", f"{at}[3]"),
        ("cache.unsupported", "$.messages[1].cache"), ("extras.other_provider",
         "$.messages[1].extras.own"),
        HEADING, FRAME,
    ]  # fmt: skip


def test_other_words_and_another_line() -> None:
    rewrite = ByName(heading="以下是对话：\n", opening="<对话>\n", closing="\n</对话>",
                     line="【{name}】{text}")  # fmt: skip
    made, _ = told(Msg("小明", "你好"), Msg("小红", [TextBlock("你好")]), rewrite=rewrite)
    assert said(made) == [["以下是对话：\n<对话>\n【小明】你好\n【小红】你好\n</对话>"]]


def test_a_line_may_say_the_name_twice() -> None:
    rewrite = ByName("", line="{name}: {text} /{name}")
    assert said(told(Msg("Bob", "Hi."), rewrite=rewrite)[0]) == [
        ["<history>\nBob: Hi. /Bob\n</history>"]
    ]


@pytest.mark.parametrize(
    ("fields", "loss"),
    [
        ({"cache": CacheHint()}, ("cache.unsupported", "$.messages[1].cache")),
        ({"extras": {"own": {}}}, ("extras.other_provider", "$.messages[1].extras.own")),
    ],
)
def test_mere_texts_lose_no_hint_in_silence(fields: Any, loss: tuple[str, str]) -> None:
    made, losses = told(Msg("Bob", "a"), Msg("Al", "b", **fields))
    assert said(made) == [[f"{OPEN}Bob: a\nAl: b\n</history>"]]
    assert losses == [loss, HEADING, FRAME]


def test_lines_before_a_medium_are_one_text() -> None:
    made, _ = told(Msg("Al", "a"), Msg("Bob", [TextBlock("b"), IMAGE]))
    assert said(made) == [[f"{OPEN}Al: a\nBob: b", IMAGE, "</history>"]]


def test_a_text_that_was_cut_from_calls_is_no_conversation() -> None:
    whole = Msg("Bob", [TextBlock("Let me see."), *CALL.blocks], "assistant")
    part = Msg("Bob", [TextBlock("Let me see.")], "assistant")
    msgs = [Msg("Al", "Where?"), part, Msg("Al", "Well?")]
    report = Report([msgs[0], whole, msgs[2]], None, places)
    report.record_copy(part, whole)
    made = ByName()(msgs, report)
    assert len(made) == 3
    assert made[1] is part
    report.add_loss("message.empty", made[2])
    report.add_loss("history.frame", msgs[0])
    losses = [(loss.code, loss.where, loss.what) for loss in report.losses]
    assert ("message.empty", "$.messages[2]") in [loss[:2] for loss in losses]
    frames = [(where, what) for code, where, what in losses if code == "history.frame"]
    assert frames == [
        ("$.messages[0]", frames[0][1]), ("$.messages[0]", frames[0][1]),
        ("$.messages[2]", frames[0][1]),
    ]  # fmt: skip


def test_no_heading_is_no_loss() -> None:
    assert told(Msg("Bob", "Hi."), rewrite=ByName(heading=""))[1] == [FRAME]


def test_text_cut_from_a_message_of_calls_stays_beside_it() -> None:
    see, found = TextBlock("Let me see."), TextBlock("It is.")
    whole = Msg("Bob", [see, *CALL.blocks, *RESULT.blocks, found], "assistant")
    formatter = dragoman.Formatter("openai-chat", speakers=ByName(), policy="ignore")
    out = formatter.format_sync([Msg("Al", "Where?"), whole, Msg("Al", "Thanks.")])
    assert [m["role"] for m in out] == ["user", "assistant", "tool", "assistant", "user"]
    assert out[1]["content"] == "Let me see."
    assert out[3]["content"] == "It is."
    assert "Thanks." in str(out[4]["content"])


def test_late_results_do_not_split_a_conversation() -> None:
    formatter = dragoman.Formatter("openai-chat", speakers=ByName(), policy="ignore")
    msgs = [Msg("Al", "Go."), CALL, Msg("Al", "Well?"), RESULT, Msg("Al", "So?")]
    out = formatter.format_sync(msgs)
    assert [m["role"] for m in out] == ["user", "assistant", "tool", "user"]
    assert "Al: Well?\nAl: So?" in str(out[3]["content"])


def test_nothing_is_changed() -> None:
    block = TextBlock("x")
    msg = Msg("Bob", [block, IMAGE])
    told(msg)
    assert msg.content == [TextBlock("x"), IMAGE]
    assert msg.content[0] is block


def test_losses_inside_the_conversation_are_found_there() -> None:
    video = {"type": "video", "source": {"type": "url", "url": "https://example.com/a.mp4"}}
    msgs = [Msg("Bob", "Hi."), Msg("Al", [TextBlock("x"), video])]
    formatter = dragoman.Formatter("anthropic", speakers=ByName(), policy="ignore")
    losses = formatter.write(msgs).losses
    assert ("block.unsupported", "$.messages[1].content[1]") in [(x.code, x.where) for x in losses]
