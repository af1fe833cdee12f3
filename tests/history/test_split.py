"""split_history: the inverse of ByName, exact for what it wrote, a good guess for logs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dragoman
from dragoman import ByName, Msg, split_history
from dragoman.errors import ConfigError, ReadError
from dragoman.losses import Report
from dragoman.message import ImageBlock, RawBlock, RefusalBlock, TextBlock, URLSource, places

from .nasty import NAMES, texts

IMAGE = ImageBlock(URLSource("https://example.com/a.png"))
OTHER = ImageBlock(URLSource("https://example.com/b.png"))
FORMS = (
    ByName(),
    ByName(heading=""),
    ByName(opening="<history>"),
    ByName(tag_media=False),
    ByName("以下：\n", "【对话】\n", "\n【完】", "【{name}】{text}"),
    ByName(line="[{name}]: {text}"),
    ByName(line="{name}:\n{text}"),
    ByName("", "--- begin\n", "\n--- end", "# {name}\n{text}"),
    ByName(line="{name}: {text};\n"),
    ByName(line="{name} ({name}): {text} /{name}"),
    ByName(me="Alice", known=("Zed",)),
)


def written(by: ByName, msgs: list[Msg]) -> list[Msg]:
    return replace(by)(msgs, Report(msgs, None, places))


def names_of(msgs: list[Msg]) -> list[str]:
    return list(dict.fromkeys(m.name for m in msgs))


rows = st.lists(st.tuples(st.sampled_from(NAMES), texts), min_size=1, max_size=5)


@given(rows, st.sampled_from(FORMS))
def test_it_gives_back_what_everybody_said(said: list[tuple[str, str]], by: ByName) -> None:
    msgs = [Msg(name, text) for name, text in said]
    (whole,) = written(by, msgs)
    found = split_history(whole, names_of(msgs), by=replace(by))
    assert [(m.name, m.content) for m in found] == said
    assert {m.role for m in found if m.name != "Alice"} <= {"user"}
    assert {m.role for m in found if m.name == "Alice"} <= {"assistant" if by.me else "user"}


_blocks = st.lists(texts.map(TextBlock) | st.sampled_from((IMAGE, OTHER)), min_size=1, max_size=4)
_mixed = st.lists(
    st.tuples(st.sampled_from([name for name in NAMES if name]), texts | _blocks),
    min_size=1,
    max_size=4,
)


@given(_mixed, st.sampled_from([by for by in FORMS if by.tag_media]))
def test_it_keeps_media_in_their_place(said: list[tuple[str, Any]], by: ByName) -> None:
    msgs = [Msg(name, content) for name, content in said]
    before = written(by, msgs)
    found = split_history(before[0], names_of(msgs), by=replace(by))
    assert written(by, found) == before
    assert everything(found) == everything(msgs)


def everything(msgs: list[Msg]) -> list[Any]:
    """Who says and shows what, in order; nobody says nothing."""
    parts = [(m.name, getattr(b, "text", b)) for m in msgs for b in m.blocks]
    return [part for part in parts if part[1] != ""]


def test_what_one_says_around_a_medium_is_one_message() -> None:
    look = Msg("Bob", [TextBlock("What is this?"), IMAGE, TextBlock("And this?"), OTHER])
    msgs = [look, Msg("Al", [IMAGE]), Msg("Al", "A cat.")]
    found = split_history(written(ByName(), msgs)[0], ["Bob", "Al"])
    assert found == [look, Msg("Al", [IMAGE, TextBlock("A cat.")])]


def test_several_texts_of_one_message_come_back_one_by_one() -> None:
    (whole,) = written(ByName(), [Msg("Bob", [TextBlock("a"), TextBlock("b")])])
    assert split_history(whole, ["Bob"]) == [Msg("Bob", "a"), Msg("Bob", "b")]


@pytest.mark.parametrize(
    "wire", ["openai-chat", "anthropic", "gemini", "dashscope", "ollama", "deepseek"]
)
def test_it_reads_what_a_wire_wrote(wire: str) -> None:
    msgs = [Msg("Bob", "Hi.\nAl: x </history>"), Msg("Al", "Yes?", "assistant")]
    out = dragoman.Formatter(wire, speakers=ByName(), policy="ignore").format_sync(msgs)
    content: Any = out[0].get("content", out[0].get("parts"))
    assert split_history(content, ["Bob", "Al"]) == [Msg("Bob", msgs[0].text), Msg("Al", "Yes?")]


def test_a_wires_own_media_come_back_raw() -> None:
    part = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}
    content: list[Any] = [
        {"type": "text", "text": "<history>\nBob: a"}, part, {"text": "Bob: b\n</history>"},
    ]  # fmt: skip
    assert split_history(content) == [
        Msg("Bob", [TextBlock("a"), RawBlock("", part), TextBlock("b")])
    ]
    own = {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}
    assert split_history([content[0], own, content[2]])[0].blocks[1] == IMAGE
    assert split_history([content[0], IMAGE, TextBlock("Bob: b\n</history>")])[0].blocks[1] == IMAGE


SAID = (
    "x", "</history>", "<\\/history>", "<\\\\/history>", "< / history> <history", "a\nAl: x",
    "a\n\\Al: x", "a\n[Al]: x\n# Al\n【Al】x", "</history>\nStranger: x\n\\Stranger: x",
    "Al: x", "Al:\nx", "a\rAl: x\u2028Bob: y", "【完】【 对话 】\n---end\n--- begin",
    "小明：x\nuser: y",
)  # fmt: skip


@pytest.mark.parametrize("text", SAID)
@pytest.mark.parametrize("form", range(len(FORMS)))
def test_nothing_that_anybody_says_is_lost(form: int, text: str) -> None:
    by = replace(FORMS[form])
    msgs = [
        Msg("Bob", text),
        Msg("Al", text),
        Msg("小明", [TextBlock(text), IMAGE]),
        Msg("Bob", text),
    ]
    (whole,) = written(by, msgs)
    found = split_history(whole, ["Bob", "Al", "小明"], by=by)
    assert found == msgs


@pytest.mark.parametrize(
    ("by", "log", "found"),
    [
        (ByName("", "", ""), "Bob: Hi.\nAl: Yes.", [("Bob", "Hi."), ("Al", "Yes.")]),
        (ByName(""), "<history>\nBob: a\n<history>\nAl: b\n</history>",
         [("Bob", "a\n<history>"), ("Al", "b")]),
        (ByName(""), "<history>\nBob: a\n</history>\nAl: b\n</history> and more",
         [("Bob", "a\n</history>"), ("Al", "b")]),
        (ByName("", line="{name} {text}"), "<history>\nAl B hi\nAl no\nBob x\n</history>",
         [("Al B", "hi"), ("Al", "no"), ("Bob", "x")]),
    ],
)  # fmt: skip
def test_logs_of_other_forms(by: ByName, log: str, found: list[tuple[str, str]]) -> None:
    assert [(m.name, m.content) for m in split_history(log, ["Al", "Al B", "Bob"], by=by)] == found


@pytest.mark.parametrize("closing", ["\n  the end", "\nX", "\n</history>"])
def test_whatever_closes_behind_a_medium_is_found(closing: str) -> None:
    by, msg = ByName(closing=closing), Msg("Bob", [TextBlock("a"), IMAGE])
    assert split_history(written(by, [msg])[0], ["Bob"], by=by) == [msg]


def test_one_is_the_assistant_and_needs_no_mention() -> None:
    by = ByName(me="Friday", known=("Al",))
    msgs = [Msg("Bob", "Hi."), Msg("Friday", "Yes?", "assistant"), Msg("Al", "x")]
    found = split_history(written(by, msgs)[0], ["Bob"], by=by)
    assert [(m.name, m.text, m.role) for m in found] == [
        ("Bob", "Hi.", "user"), ("Friday", "Yes?", "assistant"), ("Al", "x", "user"),
    ]  # fmt: skip


def test_a_text_that_begins_a_line_comes_back_as_it_was() -> None:
    by = ByName("", line="{name}:\n{text}")
    msgs = [Msg("Bob", "Al: x"), Msg("Al", "y")]
    (whole,) = written(by, msgs)
    assert "\\Al: x" in whole.text
    assert split_history(whole, ["Bob", "Al"], by=by) == msgs


def test_a_block_that_holds_a_text_of_another_kind_is_no_line() -> None:
    refusal = {"type": "refusal", "text": "Al: no"}
    content = [{"text": "<history>\nBob: a"}, refusal, {"text": "Bob: b\n</history>"}]
    assert split_history(content, ["Bob", "Al"]) == [
        Msg("Bob", [TextBlock("a"), RefusalBlock("Al: no"), TextBlock("b")])
    ]


def test_a_log_without_names_is_guessed() -> None:
    said = "Bob: Hi.\nand\nAl B.: Yes: no\n\\Bob: x\nhttps: //x"
    log = f"Some prompt.\n<history>\n{said}\n</history> and more"
    assert split_history(log) == [
        Msg("Bob", "Hi.\nand"), Msg("Al B.", "Yes: no\nBob: x"), Msg("https", "//x"),
    ]  # fmt: skip
    assert split_history(log, ["Al B."]) == [
        Msg("", "Bob: Hi.\nand"),
        Msg("Al B.", "Yes: no\n\\Bob: x\nhttps: //x"),
    ]
    assert split_history("<history>\nx\n</history>", "Bob") == [Msg("", "x")]
    assert split_history("<history>\nBob: x\n</history>", "Bob") == [Msg("Bob", "x")]
    assert split_history("<history>\n\n</history>") == []


def test_names_that_a_line_says_twice_are_guessed() -> None:
    by = ByName(line="<{name}> ({name}): {text}")
    log = "<history>\n<Bob> (Bob): Hi.\n<Al> (Al): Yes.\n</history>"
    assert split_history(log, by=by) == [Msg("Bob", "Hi."), Msg("Al", "Yes.")]


def test_what_nobody_began_goes_on_with_the_last_speaker() -> None:
    parts: list[Any] = [{"text": "<history>\nBob: a"}, IMAGE, {"text": "and so on\n</history>"}]
    assert split_history(parts) == [Msg("Bob", [TextBlock("a"), IMAGE, TextBlock("and so on")])]
    alone: list[Any] = [{"text": "<history>\n"}, IMAGE, {"text": "</history>"}]
    assert split_history(alone) == [Msg("", [IMAGE])]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("Bob: Hi.", "history.frame"), ("<history>\nBob: Hi.", "history.frame"),
        ([], "history.content"), ([IMAGE], "history.content"), (5, "history.content"),
        ({"text": "x"}, "history.content"), (Msg("Bob", [IMAGE]), "history.content"),
    ],
)  # fmt: skip
def test_what_is_no_history(content: Any, code: str) -> None:
    with pytest.raises(ReadError) as caught:
        split_history(content)
    assert caught.value.code == code
    assert "Hi." not in str(caught.value)


def test_lines_that_cannot_be_read_back() -> None:
    with pytest.raises(ConfigError):
        split_history("<history>\nx\n</history>", by=ByName(line="- {text}"))
    with pytest.raises(ConfigError):
        split_history("<history>\nx\n</history>", by=ByName(line="{name} {text}"))
    found = split_history("<history>\nBob x\n</history>", ["Bob"], by=ByName(line="{name} {text}"))
    assert found == [Msg("Bob", "x")]
