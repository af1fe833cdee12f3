"""Every block at its seat: said, lowered, or named as lost."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman.capabilities import Capabilities
from dragoman.history.passes.lower import fit
from dragoman.history.passes.survey import survey
from dragoman.history.wording import Wording
from dragoman.losses import Report
from dragoman.message import (
    Citation,
    ImageBlock,
    Msg,
    Origin,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
)
from dragoman.message.blocks import HEALED

from .fitting import codes, fitted

AT = "$.messages[0].content[0]"
X = TextBlock("x")
SIGNED = ThinkingBlock("hm", signature="c2ln")
BARE = ThinkingBlock("hm")
SEALED = ThinkingBlock("", redacted="cmVk")
THEIRS = ThinkingBlock("hm", signature="c2ln", origin=Origin("other"))
OURS = ThinkingBlock("hm", signature="c2ln", origin=Origin("own"))


def said(*blocks: Any, role: str = "assistant") -> Msg:
    return Msg("", list(blocks), role)


def kinds(msgs: list[Msg]) -> list[list[str]]:
    return [[block.type for block in m.blocks] for m in msgs]


def test_what_is_sayable_stays_the_very_message() -> None:
    msgs = [said(X), said(ToolUseBlock("c", "f", {})), Msg("", [ToolResultBlock("c")], "tool")]
    made, losses = fitted(*msgs)
    assert losses == []
    assert all(new is old for new, old in zip(made, msgs, strict=True))


def test_clean_messages_are_not_even_looked_at() -> None:
    msgs = [said(X), said(RefusalBlock("no"), X)]
    seated = survey(msgs, Report(msgs))
    assert seated.unusual == [1]
    made = fit(seated, Capabilities(), Report(msgs), Wording())
    assert made.msgs[0] is msgs[0]


THINKING: list[tuple[ThinkingBlock, dict[str, Any], list[str], list[tuple[str, str]]]] = [
    (BARE, {}, ["text"], [("thinking.unsupported", AT)]),
    (BARE, {"thinking": "all"}, ["thinking", "text"], []),
    (SIGNED, {"thinking": "all"}, ["thinking", "text"], [("thinking.other_provider",
     f"{AT}.signature")]),
    (SEALED, {"thinking": "all"}, ["text"], [("thinking.other_provider", AT)]),
    (BARE, {"thinking": "all", "signed_thinking": True}, ["text"], [("thinking.unsigned", AT)]),
    (SIGNED, {"thinking": "all", "signed_thinking": True}, ["thinking", "text"], []),
    (SEALED, {"thinking": "all", "signed_thinking": True}, ["thinking", "text"], []),
    (SEALED, {"thinking": "all", "redacted_thinking": False}, ["text"],
     [("thinking.other_provider", AT)]),
    (THEIRS, {"thinking": "all", "signed_thinking": True}, ["text"], [("thinking.other_provider",
     AT)]),
    (OURS, {"thinking": "all", "signed_thinking": True, "reads": frozenset({"own"})},
     ["thinking", "text"], []),
    (THEIRS, {"thinking": "all", "foreign_thinking": "quote"}, ["text", "text"],
     [("thinking.quoted", AT)]),
]  # fmt: skip


@pytest.mark.parametrize(("block", "can", "left", "losses"), THINKING)
def test_thinking(
    block: ThinkingBlock, can: dict[str, Any], left: list[str], losses: list[tuple[str, str]]
) -> None:
    made, found = fitted(said(block, X), **can)
    assert (kinds(made), found) == ([left], losses)


def test_quoted_thinking() -> None:
    quoted, _ = fitted(said(THEIRS), thinking="all", foreign_thinking="quote")
    assert quoted[0].text == "hm"
    tagged, _ = fitted(said(THEIRS), thinking="all", foreign_thinking="tags")
    assert tagged[0].text == "<think>hm</think>"
    blank = ThinkingBlock(" ", origin=Origin("other"))
    made, found = fitted(said(blank, X), thinking="all", foreign_thinking="quote")
    assert (kinds(made), codes(found)) == ([["text"]], ["thinking.other_provider"])


@pytest.mark.parametrize("role", ["user", "system", "tool"])
def test_only_the_assistant_thinks(role: str) -> None:
    made, found = fitted(said(BARE, X, role=role), thinking="all")
    assert (kinds(made), found) == ([["text"]], [("thinking.unsupported", AT)])


def test_thinking_alone() -> None:
    assert fitted(said(BARE), thinking="all")[1] == []
    made, found = fitted(said(BARE, BARE), thinking="all", thinking_alone=False)
    assert made == []
    assert codes(found) == ["thinking.alone"] * 2
    assert kinds(fitted(said(BARE, X), thinking="all", thinking_alone=False)[0]) == [
        ["thinking", "text"]
    ]


def test_refusals() -> None:
    made, found = fitted(said(RefusalBlock("I won't.")))
    assert (made[0].text, found) == ("I won't.", [("refusal.as_text", AT)])
    assert fitted(said(RefusalBlock("no")), assistant=frozenset({"text", "refusal"}))[1] == []
    changes: list[dict[str, Any]] = [{"blank_text": False}, {"empty_messages": False}]
    for can in changes:
        made, found = fitted(said(RefusalBlock(""), X), **can)
        assert (kinds(made), found) == ([["text"]], [("text.blank", AT)])


def test_raw_blocks() -> None:
    raw = RawBlock("own", {"type": "odd"})
    can: dict[str, Any] = {"assistant": frozenset({"text", "raw"}), "reads": frozenset({"own"})}
    assert kinds(fitted(said(raw), **can)[0]) == [["raw"]]
    for block, change in (
        (raw, {"reads": frozenset()}), (raw, {"assistant": frozenset({"text"})}),
        (RawBlock("own", "no object"), {}), (RawBlock("other", {}), {}),
    ):  # fmt: skip
        made, found = fitted(said(block, X), **{**can, **change})
        assert (kinds(made), found) == ([["text"]], [("raw.other_provider", AT)])


def test_what_is_left_of_a_message() -> None:
    assert fitted(said(BARE), Msg.user("x"))[0] == [Msg.user("x")]
    made, found = fitted(said(BARE, TextBlock(""), TextBlock("")), empty_messages=False)
    assert made == []
    assert found == [("thinking.unsupported", AT), ("message.empty", "$.messages[0].content")]


def test_citations_and_extras() -> None:
    block = TextBlock("x", [Citation(0, 1)], extras={"own": {"a": 1}, "other": {"b": 2}, "": {}})
    msg = Msg("", [block], "user", extras={"other": {"c": 3}})
    made, found = fitted(msg, reads=frozenset({"own"}))
    assert found == [
        ("extras.other_provider", "$.messages[0].extras.other.c"),
        ("extras.other_provider", f"{AT}.extras.other.b"),
        ("citations.unsupported", f"{AT}.citations"),
    ]
    assert made[0].extras is None
    assert made[0].content[0].extras == {"own": {"a": 1}, "": {}}  # type: ignore[union-attr]
    assert (msg.extras, block.extras) == (
        {"other": {"c": 3}}, {"own": {"a": 1}, "other": {"b": 2}, "": {}},
    )  # fmt: skip


def test_fields_that_nobody_claims() -> None:
    msg = said(TextBlock("x", extras={"": {"signature": 1}}))
    can: dict[str, Any] = {"claims": frozenset({"signature"})}
    assert fitted(msg, **can) == ([msg], [])
    assert fitted(msg)[1] == [("extras.other_provider", f"{AT}.extras.signature")]
    both = said(TextBlock("x", extras={"": {"signature": 1, "odd": 2}}))
    made, found = fitted(both, **can)
    assert made[0].content[0].extras == {"": {"signature": 1}}  # type: ignore[union-attr]
    assert found == [("extras.other_provider", f"{AT}.extras.odd")]


def test_fields_that_one_issuer_alone_may_claim() -> None:
    """Two read each other's fields, but the state of one is sealed to the other."""
    can: dict[str, Any] = {
        "reads": frozenset({"here", "there"}),
        "claims": frozenset({"signature"}),
        "claimed_by": frozenset({"here"}),
    }
    own = said(TextBlock("x", extras={"here": {"signature": 1, "odd": 2}}))
    assert fitted(own, **can) == ([own], [])
    theirs = said(TextBlock("x", extras={"there": {"signature": 1, "odd": 2}}))
    made, found = fitted(theirs, **can)
    assert made[0].content[0].extras == {"there": {"odd": 2}}  # type: ignore[union-attr]
    assert found == [("extras.other_provider", f"{AT}.extras.there.signature")]
    raw = said(RawBlock("there", {"signature": 1}), RawBlock("here", {"signature": 1}))
    made, found = fitted(raw, assistant=frozenset({"text", "raw"}), **can)
    assert kinds(made) == [["raw"]]
    assert codes(found) == ["raw.other_provider"]


def test_text_beside_calls_can_be_left_out() -> None:
    call = ToolUseBlock("c", "f", {})
    result = Msg("", [ToolResultBlock("c", "f", "y")], "tool")
    made, found = fitted(said(X, call), result, said(X), call_text="drop")
    assert kinds(made) == [["tool_use"], ["tool_result"], ["text"]]
    assert found == [("call.text_dropped", f"{AT}.text")]


def test_a_user_shows_what_a_user_may() -> None:
    image = ImageBlock(URLSource("https://example.com/a.png"))
    for role in ("user", "assistant", "system"):
        made, found = fitted(said(image, X, role=role), user=frozenset({"text", "image"}))
        shown = role == "user"
        assert kinds(made) == [["image", "text"] if shown else ["text"]]
        assert codes(found) == ([] if shown else ["block.unsupported"])


def test_why_a_model_refused_has_no_place() -> None:
    msg = said(RefusalBlock("No.", "policy"), role="assistant")
    made, found = fitted(msg, assistant=frozenset({"text", "refusal"}))
    assert made == [msg]
    assert found == [("extras.unsupported", f"{AT}.category")]


@pytest.mark.parametrize(
    ("can", "lost"),
    [
        ({}, ["thinking.other_provider .signature", "thinking.other_provider .redacted"]),
        ({"signed_thinking": True}, ["thinking.unsupported .thinking",
         "thinking.unsupported .signature"]),
        ({"signed_thinking": True, "sealed_text": True}, ["thinking.unsupported .signature"]),
        ({"signatures": frozenset({"own"})}, ["thinking.unsupported .thinking",
                                              "thinking.unsupported .signature"]),
    ],
)  # fmt: skip
def test_thinking_that_is_readable_signed_and_sealed(can: Any, lost: list[str]) -> None:
    msg = said(ThinkingBlock("hm", signature="s", redacted="x"), role="assistant")
    _, found = fitted(msg, thinking="all", **can)
    assert [f"{code} {where.removeprefix(AT)}" for code, where in found] == lost


CALL = ToolUseBlock("c", "f", {})
ANSWER = Msg("", [ToolResultBlock("c", "f", "y")], "tool")


@pytest.mark.parametrize(("given", "left", "lost"), [
    # a template that takes two of the three
    ([BARE, X, CALL, TextBlock("y")], [BARE, ThinkingBlock("x"), CALL, ThinkingBlock("y")], [1, 3]),
    ([X, CALL], [X, CALL], []), ([BARE, CALL], [BARE, CALL], []), ([BARE, X], [BARE, X], []),
])  # fmt: skip
def test_text_between_thinking_and_a_call(
    given: list[Any], left: list[Any], lost: list[int]
) -> None:
    made, found = fitted(said(*given), *([ANSWER] if CALL in given else []),
                         thinking="all", call_text="thought")  # fmt: skip
    assert made[0].content == left
    assert found == [("call.text_thought", f"$.messages[0].content[{i}].text") for i in lost]


def test_an_empty_seal_is_none() -> None:
    """Case 4: "" is like None."""
    signed: dict[str, Any] = {"thinking": "all", "signed_thinking": True}
    made, found = fitted(said(ThinkingBlock("hm", signature="", redacted=""), X), **signed)
    assert (made[0].content, found) == ([X], [("thinking.unsigned", AT)])
    made, found = fitted(said(ThinkingBlock("hm", signature="c2ln", redacted="")), **signed)
    assert (made[0].content, found) == ([SIGNED], [])


def test_blank_thinking_where_no_message_may_be_empty() -> None:
    can: dict[str, Any] = {"thinking": "all", "empty_messages": False}
    made, found = fitted(said(ThinkingBlock("", signature="c2ln")), said(BARE), **can)
    assert made == [said(BARE)]
    assert found == [
        ("thinking.other_provider", f"{AT}.signature"),
        ("text.blank", f"{AT}.thinking"),
    ]
    assert fitted(said(ThinkingBlock("")), thinking="all")[1] == []


def test_notes_and_fields_of_answers_and_what_was_healed() -> None:
    notes: dict[str, Any] = {"own (notes)": {"words": ["x"]}, "own (answer)": {"id": 1, "x": 2}}
    healed: dict[str, Any] = {HEALED: {"healed": ["text"]}}
    block = TextBlock("x", extras={**notes, **healed, "own": {"a": 1}})
    made, found = fitted(Msg("", [block], "user"), reads=frozenset({"own"}))
    assert made[0].content[0].extras == {"own (notes)": notes["own (notes)"], "own": {"a": 1}}  # type: ignore[union-attr]
    assert found == [("extras.answer", f"{AT}.extras.own (answer)"),
                     ("text.surrogate", f"{AT}.text")]  # fmt: skip


def test_fields_of_a_message_that_the_wire_reads() -> None:
    msg = Msg("", "x", "user", extras={"own": {"c": 3}})
    assert fitted(msg, reads=frozenset({"own"})) == ([msg], [])


def test_citations_in_the_words_of_the_wire() -> None:
    block = TextBlock("x", [Citation(0, 1)], extras={"own": {"citations": [1]}})
    assert fitted(Msg("", [block], "user"), reads=frozenset({"own"}))[1] == []
    made, found = fitted(Msg("", [TextBlock("x", [Citation(0, 1)])], "user"), citations=True)
    assert (len(made), found) == (1, [])
