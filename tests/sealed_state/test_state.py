"""State of one provider through another's opaque field, and back."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given

from dragoman.errors import ConfigError
from dragoman.message import (
    Msg,
    Origin,
    RawBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
)
from dragoman.sealed_state import CallField, Envelope, open_messages, seal_message
from tests.laws.trees import json_values

HERE, THERE = "anthropic", "gemini"
THEIRS = Origin(THERE, "gemini-3.5-flash")


def through(m: Msg, envelope: Envelope, back: Envelope | None = None) -> Msg:
    """Sealed, said by a client of another wire, which knows of no extras, and opened again."""
    out = seal_message(m, HERE, frozenset({HERE}), envelope)
    said: list[Any] = []
    for block in out.blocks:
        if type(block) is ThinkingBlock:
            said.append(ThinkingBlock(block.thinking, block.signature, block.redacted,
                                      origin=Origin(HERE)))  # fmt: skip
        elif type(block) is ToolUseBlock:
            said.append(ToolUseBlock("toolu_" + block.id, block.name, block.input))
        else:
            said.append(TextBlock(block.text) if type(block) is TextBlock else block)
    return open_messages([Msg("", said, "assistant")], back or envelope)[0]


def answer() -> Msg:
    return Msg("", [
        ThinkingBlock("Let me see.", "c2ln", extras={THERE: {"thought": True}}, origin=THEIRS),
        ThinkingBlock("", redacted="cmVk", origin=THEIRS),
        TextBlock("Wait.", extras={THERE: {"thoughtSignature": "dGV4dA=="}}),
        ToolUseBlock("a", "look", {"at": 1}),
        ToolUseBlock("b", "look", {"at": 2}, extras={THERE: {"thoughtSignature": "Y2FsbA=="}}),
    ], "assistant")  # fmt: skip


@pytest.mark.parametrize("envelope", [Envelope(), Envelope(b"secret")])
def test_what_was_sealed_is_in_its_place_again(envelope: Envelope) -> None:
    came = through(answer(), envelope)
    assert [block.extras for block in came.blocks] == [block.extras for block in answer().blocks]
    first, second = came.blocks[:2]
    assert isinstance(first, ThinkingBlock)
    assert isinstance(second, ThinkingBlock)
    assert (first.thinking, first.signature, first.origin) == ("Let me see.", "c2ln", THEIRS)
    assert (second.thinking, second.redacted, second.origin) == ("", "cmVk", THEIRS)
    assert len(came.blocks) == 5


def test_nothing_of_it_is_readable_state_of_the_client() -> None:
    out = seal_message(answer(), HERE, frozenset({HERE}), Envelope())
    thoughts = [block for block in out.blocks if type(block) is ThinkingBlock]
    assert all((t.signature or t.redacted or "").startswith("dragoman1.") for t in thoughts)
    assert {t.origin for t in thoughts} == {Origin(HERE)}


def test_what_the_client_reads_itself_is_left_alone() -> None:
    m = answer()
    assert seal_message(m, HERE, frozenset({HERE, THERE}), Envelope()) is m
    plain = Msg("", "Hi.", "assistant")
    assert seal_message(plain, HERE, frozenset(), Envelope()) is plain


@pytest.mark.parametrize("back", [Envelope(b"other"), Envelope()])
def test_what_another_key_sealed_is_not_opened(back: Envelope) -> None:
    came = through(answer(), Envelope(b"secret"), back)
    thoughts = [block for block in came.blocks if type(block) is ThinkingBlock]
    assert [(t.thinking, t.signature) for t in thoughts] == [
        ("Let me see.", None), ("", None), ("", None)]  # fmt: skip
    assert {t.origin.issuer for t in thoughts if t.redacted and t.origin} == {"envelope"}
    assert all(block.extras is None for block in came.blocks)


@pytest.mark.parametrize("forged", [
    "", "!!!", "e30=", "W10=", "bnVsbA==", "eyJ0aGlua2luZyI6IHt9fQ==", "eyJibG9ja3MiOiBbMV19",
])  # fmt: skip
def test_a_forged_envelope_proves_nothing(forged: str) -> None:
    m = Msg("", [ThinkingBlock("Hm.", f"dragoman1.{forged}"), TextBlock("Hi.")], "assistant")
    (came,) = open_messages([m], Envelope())
    assert came.blocks in ([ThinkingBlock("Hm."), TextBlock("Hi.")], [TextBlock("Hi.")])


@pytest.mark.parametrize("key", [None, "secret", b"", "", 5])
def test_a_key_that_is_none_is_refused_at_once(key: Any) -> None:
    """What a variable that is not set gives: nobody meant to sign nothing."""
    with pytest.raises(ConfigError) as caught:
        Envelope(key)
    assert caught.value.code == "envelope.key"
    assert "secret" not in str(caught.value)


def test_a_key_is_shown_to_nobody() -> None:
    assert "hidden" not in repr(Envelope(b"hidden"))
    assert pickle.loads(pickle.dumps(Envelope())) == Envelope()


def test_messages_without_envelopes_are_the_same() -> None:
    msgs = [answer(), Msg("", "Hi.", "user")]
    assert open_messages(msgs, Envelope()) is msgs


def test_raw_blocks_stand_as_they_are() -> None:
    m = Msg("", [RawBlock(THERE, {"type": "odd"}, extras={THERE: {"a": 1}})], "assistant")
    out = seal_message(m, HERE, frozenset({HERE}), Envelope())
    assert out.blocks[0] is m.blocks[0]


@given(json_values)
def test_any_state_comes_back(state: Any) -> None:
    for envelope in (Envelope(), Envelope(b"k")):
        text = envelope.seal({"state": state})
        assert envelope.open(text) == {"state": state}
        assert envelope.open(text[:-6]) != {"state": state}


ON_CALLS = CallField("openai-chat", "extra_content.google.thought_signature")


def borne(state: Any, *before: Any) -> list[Any]:
    """What is opened of a call that bears a state which anybody may have made."""
    call = ON_CALLS.put(ToolUseBlock("a", "look", {}), Envelope().seal(state))
    (m,) = open_messages([Msg("", [*before, call], "assistant")], Envelope(), None, ON_CALLS)
    return m.blocks


@pytest.mark.parametrize("place", [-7, 0, 1, 99])
def test_a_thought_that_a_call_bore_stands_before_it(place: int) -> None:
    thought = {"words": "Hm.", "at": place, "signature": "s", "origin": {"issuer": THERE}}
    blocks = borne({"thoughts": [thought, thought]}, TextBlock("I look."))
    kinds = [block.type for block in blocks]
    assert sorted(kinds) == ["text", "thinking", "tool_use"]
    assert kinds[-1] == "tool_use"
    assert blocks[-1].extras is None


@pytest.mark.parametrize("state", [
    7, [], {}, {"thoughts": 7}, {"thoughts": [7, {}, {"words": 1, "at": 0}]},
    {"thoughts": [{"words": "Hm.", "at": "x"}]}, {"thoughts": [{"words": "Hm.", "at": 0}]},
    {"blocks": 7},
])  # fmt: skip
def test_a_state_that_somebody_made_up_is_no_thought(state: Any) -> None:
    blocks = borne(state)
    assert blocks[-1] == ToolUseBlock("a", "look", {})
    assert all(block.type == "tool_use" or block.redacted for block in blocks)


def test_words_that_came_back_get_their_proof() -> None:
    thought = {"words": "Hm.", "at": 0, "signature": "s", "origin": {"issuer": THERE}}
    first, *_ = borne({"thoughts": [thought]}, ThinkingBlock("Hm."), TextBlock("I look."))
    assert (first.thinking, first.signature, first.origin.issuer) == ("Hm.", "s", THERE)
    assert len(borne({"thoughts": [thought]}, ThinkingBlock("Hm."), TextBlock("I look."))) == 3
