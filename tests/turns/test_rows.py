"""Each part of an answer goes back to its host as that wants it, whole or read of a stream."""

from __future__ import annotations

from typing import Any

from dragoman import ChatRequest, Msg, wire
from tests.each_case import each_case

from .rows import GROUPS, ITEMS, ROWS, Turn, answer


def assistant(body: Any) -> list[Any]:
    """What stands behind the first question and before what follows."""
    entries = body.get("messages") or body.get("contents") or body.get("input")
    return list(entries[1:])


@each_case("turn", ROWS, ids=str)
def test_what_was_read_goes_back_as_the_host_wants_it(turn: Turn) -> None:
    target = wire(turn.host, policy="ignore")
    msg = target.read_response(answer(turn)).msg
    results = [Msg.tool(call.id, "seen", call.name) for call in msg.calls]
    said = [*results] or [Msg.user("Go on.")]
    out = target.write_request(ChatRequest([Msg.user("Look."), msg, *said]), model=turn.model)
    back = assistant(out.body)
    if turn.host == "openai/openai-responses":
        assert back[ITEMS.index(turn)] == turn.back
    elif turn.host in GROUPS:
        parts = back[0].get("parts") or back[0]["content"]
        assert parts[GROUPS[turn.host].index(turn)] == turn.back
    else:
        assert back[0] == {"role": "assistant", **turn.back}
    assert {loss.code for loss in out.losses if loss.kind not in ("added", "expected")} == set()


def test_items_that_only_an_id_names_stay_out_where_nothing_is_stored() -> None:
    target = wire("openai/openai-responses", policy="ignore")
    req = target.read_request({"model": "gpt-5.6", "input": "Hi", "store": False})
    thought = {"id": "rs_1", "type": "reasoning", "summary": []}
    call = {"id": "fc_1", "type": "function_call", "call_id": "c1", "name": "look",
            "arguments": "{}", "status": "completed"}  # fmt: skip
    resp = target.read_response({"id": "r", "object": "response", "status": "completed",
                                 "output": [thought, call]}, request=req)  # fmt: skip
    req.messages += [resp.msg, Msg.tool("c1", "seen", "look")]
    out: Any = target.write_request(req)
    assert [item.get("type") for item in out.body["input"][1:]] == [
        "function_call", "function_call_output",
    ]  # fmt: skip
    assert all("id" not in item for item in out.body["input"])
    assert "thinking.unsigned" in {loss.code for loss in out.losses}


def test_anothers_speech_is_no_id_here() -> None:
    said = next(turn for turn in ROWS if turn.name == "speech")
    msg = wire("openai").read_response(answer(said)).msg
    out: Any = wire("azure", policy="ignore").write_request(
        ChatRequest([Msg.user("Hi"), msg, Msg.user("Go on.")]), model="gpt-audio"
    )
    assert "audio_1" not in str(out.body)
    assert out.body["messages"][1] == {"role": "assistant", "content": "Hi"}
