"""Blank text and empty messages go where the wire refuses them, and what goes is named."""

from __future__ import annotations

from dataclasses import replace

from dragoman.capabilities import Capabilities
from dragoman.history.passes.lower.blocks import drop_blanks
from dragoman.history.passes.survey import survey
from dragoman.losses import Report
from dragoman.message import (
    CacheHint,
    ImageBlock,
    Msg,
    RefusalBlock,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    places,
)

from .fitting import fitted

STRICT = Capabilities(blank_text=False, empty_messages=False)
A = "$.messages"


def unblanked(*msgs: Msg, can: Capabilities = STRICT) -> tuple[list[Msg], list[str]]:
    report = Report(msgs, None, places)
    seated = drop_blanks(survey(list(msgs), report), can, report)
    for m in seated.msgs:
        for node in (m, *([] if isinstance(m.content, str) else m.content)):
            assert report.locate(node).startswith(f"{A}["), node
    return seated.msgs, [f"{loss.code} {loss.where}" for loss in report.losses]


def test_blank_text_goes() -> None:
    keep = TextBlock("x")
    made, found = unblanked(
        Msg.user(""), Msg.user(" \n"), Msg.user([]),
        Msg.user([TextBlock(""), keep, TextBlock(" ")]),
        Msg.user([TextBlock("\t")]), Msg.user("kept"),
    )  # fmt: skip
    assert [m.content for m in made] == [[keep], "kept"]
    assert found == [
        f"message.empty {A}[0].content", f"message.empty {A}[1].content",
        f"message.empty {A}[2].content", f"text.blank {A}[3].content[0].text",
        f"text.blank {A}[3].content[2].text", f"text.blank {A}[4].content[0].text",
    ]  # fmt: skip


def test_what_is_left_of_a_message_is_said_as_it_was() -> None:
    own = {"acme": {"k": 1}}
    given = Msg("Bob", [TextBlock("x"), TextBlock(" ", cache=CacheHint())], "assistant",
                cache=CacheHint("1h"), extras=own)  # fmt: skip
    [made], _ = unblanked(given, can=replace(STRICT, cache_hints=4))
    assert made.content == [TextBlock("x", cache=CacheHint())]
    assert (made.name, made.role, made.cache, made.extras, made.timestamp) == (
        "Bob", "assistant", CacheHint("1h"), own, given.timestamp)  # fmt: skip


def test_what_else_goes_with_an_empty_message() -> None:
    for rest, code in (
        ({"name": "Bob"}, "message.empty"), ({"cache": CacheHint()}, "message.empty"),
        ({"extras": {"acme": {"k": 1}}}, "message.empty"),
        ({"extras": {"acme (notes)": {"k": 1}}}, "text.blank"), ({}, "text.blank"),
    ):  # fmt: skip
        name = str(rest.pop("name", ""))
        _, found = unblanked(Msg(name, [TextBlock(" ")], "user", **rest), Msg.user("x"))
        assert found[-1].startswith(code)


def test_blank_text_stays_where_the_wire_takes_it() -> None:
    msgs = [Msg.user(""), Msg.user(" "), Msg.user([TextBlock("")])]
    made, found = unblanked(*msgs, can=Capabilities())
    assert found == []
    assert all(new is old for new, old in zip(made, msgs, strict=True))


def test_white_space_is_no_empty_message() -> None:
    made, found = unblanked(Msg.user(""), Msg.user(" "), can=Capabilities(empty_messages=False))
    assert [m.content for m in made] == [" "]
    assert found == [f"message.empty {A}[0].content"]


def test_blank_text_with_the_wires_own_state_stands() -> None:
    can = Capabilities(blank_text=False, reads=frozenset({"own"}), claims=frozenset({"signature"}))
    signed = TextBlock("", extras={"own": {"signature": "x"}})
    claimed = TextBlock("", extras={"": {"signature": "x"}})
    foreign = TextBlock("", extras={"other": {"signature": "x"}})
    made, found = unblanked(Msg.assistant([signed, claimed, foreign]), can=can)
    assert made[0].content == [signed, claimed]
    assert found == [f"text.blank {A}[0].content[2]"]


def test_a_call_turn_never_loses_its_calls_with_its_text() -> None:
    call = ToolUseBlock("a", "look", {})
    result = Msg("", [ToolResultBlock("a", "look", "y")], "tool")
    made, _ = unblanked(Msg.assistant([TextBlock(" "), call]), result)
    assert [m.content for m in made] == [[call], result.content]


def test_other_blocks_are_no_blank_text() -> None:
    kept = [ImageBlock(URLSource("https://example.com/a.png")), RefusalBlock("")]
    msg = Msg.assistant(kept)
    assert unblanked(msg)[0][0] is msg


def test_the_hint_of_a_blank_text_stands_on_what_is_in_front_of_it() -> None:
    hint = CacheHint("1h")
    msg = Msg.user([TextBlock("x"), TextBlock(" ", cache=hint)])
    made, found = unblanked(msg, can=replace(STRICT, cache_hints=4))
    assert made[0].content == [TextBlock("x", cache=hint)]
    assert found == [f"text.blank {A}[0].content[1].text"]
    made, found = unblanked(msg)
    assert made[0].content == [TextBlock("x")]
    assert found[0] == f"cache.unsupported {A}[0].content[1].cache"
    first = Msg.user([TextBlock(" ", cache=hint), TextBlock("x")])
    assert unblanked(first, can=replace(STRICT, cache_hints=4))[1] == [
        f"cache.unsupported {A}[0].content[0].cache", f"text.blank {A}[0].content[0].text",
    ]  # fmt: skip


def test_an_empty_message_goes_with_all_that_it_says() -> None:
    _, found = unblanked(Msg("Eve", "", "user"), Msg.user([TextBlock(" ")], cache=CacheHint()))
    assert found == [
        f"message.empty {A}[0]", f"text.blank {A}[1].content[0].text", f"message.empty {A}[1]",
    ]  # fmt: skip


def test_texts_that_are_all_empty_are_a_message_of_nothing() -> None:
    """Where blank text may stand, but no message may be empty."""
    can = Capabilities(empty_messages=False)
    two = Msg.user([TextBlock(""), TextBlock(" ")])
    none = Msg.user([TextBlock(""), TextBlock("")])
    made, found = unblanked(two, none, Msg.user(" "), Msg.user(""), can=can)
    assert [m.content for m in made] == [two.content, " "]
    assert made[0] is two
    assert found == [
        f"text.blank {A}[1].content[0].text", f"text.blank {A}[1].content[1].text",
        f"message.empty {A}[3].content",
    ]  # fmt: skip


def test_kinds_of_what_goes() -> None:
    """Nothing is lost with an empty message, unless it says more than its content."""
    msgs = [Msg.user(""), Msg("Eve", "", "user"), Msg.user([]), Msg("Eve", [TextBlock("")])]
    report = Report(msgs, None, places)
    drop_blanks(survey(msgs, report), STRICT, report)
    assert [(loss.kind, loss.code) for loss in report.losses] == [
        ("repaired", "message.empty"), ("dropped", "message.empty"),
        ("repaired", "message.empty"), ("repaired", "text.blank"), ("dropped", "message.empty"),
    ]  # fmt: skip


def test_blank_texts_of_a_result() -> None:
    hint = CacheHint()
    sealed = TextBlock(" ", extras={"acme": {"signature": "s"}})
    for last, left in (
        (TextBlock(" ", cache=hint), [TextBlock("x", cache=hint)]),
        (sealed, [TextBlock("x"), sealed]),
    ):
        call = Msg.assistant([ToolUseBlock("c", "f", {})])
        answer = Msg("", [ToolResultBlock("c", "f", [TextBlock("x"), last])], "tool")
        made, _ = fitted(call, answer, blank_text=False, cache_hints=4, reads=frozenset({"acme"}))
        assert made[1].blocks[0].output == left  # type: ignore[union-attr]
