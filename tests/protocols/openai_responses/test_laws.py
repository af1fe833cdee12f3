"""Whatever stands in a history: the API takes its items, and what was written once stays."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from dragoman import ChatRequest, Msg
from dragoman.message import RefusalBlock, TextBlock, ThinkingBlock, ToolUseBlock
from dragoman.message.blocks import ContentBlock
from tests.contract.judges import judge_request

from .writing import OWN, TYPES, own, wire

IDS = ("rs_1", "rs_2", "msg_1", "msg_2", "fc_1", "fc_2", "call_1", "x" * 70, None)
EXTRAS = st.sampled_from(IDS).map(lambda one: None if one is None else own(id=one))
WHOLE = wire()


@st.composite
def block(draw: st.DrawFn) -> ContentBlock:
    extras = draw(EXTRAS)
    match draw(st.sampled_from(("think", "think", "say", "call", "refuse"))):
        case "think":
            sealed = draw(st.sampled_from(("gAAA", None)))
            return ThinkingBlock(draw(st.sampled_from(("", "Hm"))), sealed, extras=extras)
        case "say":
            return TextBlock("Hi", extras=extras)
        case "call":
            return ToolUseBlock(draw(st.sampled_from(("a", "b"))), "look", {}, extras=extras)
        case _:
            return RefusalBlock("No.", extras=extras)


@st.composite
def history(draw: st.DrawFn) -> list[Msg]:
    msgs = [Msg.user("Go")]
    for blocks in draw(st.lists(st.lists(block(), min_size=1, max_size=4), max_size=5)):
        msgs.append(Msg.assistant(blocks))
        msgs += [Msg.tool(call.id, "seen") for call in msgs[-1].calls]
        if draw(st.booleans()):
            msgs.append(Msg.user("On"))
    return msgs


def body(msgs: list[Msg], **fields: Any) -> dict[str, Any]:
    made: dict[str, Any] = WHOLE.write_request(ChatRequest(msgs, model="m", **fields)).body
    return made


@given(history(), st.booleans())
def test_the_api_takes_what_is_written(msgs: list[Msg], kept: bool) -> None:
    made = body(msgs, extras=own(store=kept))
    assert judge_request(OWN, made, "/v1/responses") == []


@given(history(), st.booleans())
def test_all_that_is_said_has_a_type_of_the_sdks(msgs: list[Msg], kept: bool) -> None:
    """But for reasoning, which the API takes without its id, and refusals, which it knew whole."""
    spoken = [
        Msg("", [b for b in m.blocks if type(b) not in (ThinkingBlock, RefusalBlock)], m.role)
        for m in msgs
    ]
    made = body([m for m in spoken if m.content], extras=own(store=kept))
    assert [str(fault) for fault in TYPES.faults(made, whole=True)] == []


@given(history(), st.booleans())
def test_what_was_written_stays_as_it_was(msgs: list[Msg], kept: bool) -> None:
    msgs = [*msgs, Msg.user("And?")]
    before = body(msgs, system="Be brief.", extras=own(store=kept))
    more = [Msg.assistant([ThinkingBlock("", "gBBB"), TextBlock("So.")]), Msg.user("On")]
    after = body([*msgs, *more], system="Be brief.", extras=own(store=kept))
    assert after["instructions"] == before["instructions"]
    assert after["input"][: len(before["input"])] == before["input"]
