"""Cases of reading the Responses API and those who speak it."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman import ChatRequest, Msg, Tool
from dragoman.errors import ProviderError
from dragoman.message import RefusalBlock, TextBlock, ThinkingBlock, ToolUseBlock
from tests.cases.reading import streamed, whole
from tests.cases.writing import answered, written

WIRE = "openai-responses"
HI = Msg.user("Hi")
THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"}


def text(said: str, id: str = "msg_1", **more: Any) -> dict[str, Any]:
    part = {"type": "output_text", "text": said, "annotations": []}
    return {"type": "message", "id": id, "status": "completed", "role": "assistant",
            "content": [part], **more}  # fmt: skip


def call(nth: int, said: str = '{"at": 1}', **more: Any) -> dict[str, Any]:
    return {"type": "function_call", "id": f"fc_{nth}", "call_id": f"call_{nth}", "name": "look",
            "arguments": said, "status": "completed", **more}  # fmt: skip


def body(*output: Any, status: str = "completed", **more: Any) -> dict[str, Any]:
    return {"id": "resp_1", "object": "response", "model": "gpt-5.6", "status": status,
            "output": list(output), **more}  # fmt: skip


def closed(*output: Any, status: str = "completed", **more: Any) -> dict[str, Any]:
    return {"type": f"response.{status}", "response": body(*output, status=status, **more)}


def event(kind: str, index: int = 0, **more: Any) -> dict[str, Any]:
    return {"type": f"response.{kind}", "output_index": index, **more}


def begun(item: dict[str, Any], index: int = 0) -> dict[str, Any]:
    empty: dict[str, Any] = {"arguments": ""} if "arguments" in item else {"content": []}
    return event("output_item.added", index, item={**item, **empty, "status": "in_progress"})


def words(said: str, index: int = 0) -> dict[str, Any]:
    return event("output_text.delta", index, content_index=0, delta=said, logprobs=[])


def arguments(said: str, index: int = 0, **more: Any) -> dict[str, Any]:
    return event("function_call_arguments.delta", index, delta=said, **more)


SHORT: dict[str, Any] = {
    "status": "incomplete",
    "incomplete_details": {"reason": "max_output_tokens"},
}


def test_case_15_calls_that_all_say_they_are_the_first_stay_apart() -> None:
    events: list[dict[str, Any]] = []
    for nth in (1, 2, 3):
        events += [begun(call(nth)), arguments(f'{{"at": {nth}}}', item_id=f"fc_{nth}"),
                   event("output_item.done", item=call(nth, f'{{"at": {nth}}}'))]  # fmt: skip
    for last in ([], [closed(*(call(n, f'{{"at": {n}}}') for n in (1, 2, 3)))]):
        resp = streamed(WIRE, [*events, *last])
        assert [(c.id, c.input) for c in resp.calls] == [
            (f"call_{n}", {"at": n}) for n in (1, 2, 3)
        ]


def test_case_16_a_call_without_arguments_has_none() -> None:
    resp = whole(WIRE, body(call(1, "")))
    assert [(c.input, c.raw_input, c.unfinished) for c in resp.calls] == [({}, "", False)]
    pieces = [begun(call(1, "")), event("output_item.done", item=call(1, "")), closed(call(1, ""))]
    assert streamed(WIRE, pieces).msg == resp.msg


def test_case_18_names_come_back_as_the_tools_have_them() -> None:
    request = ChatRequest([HI], tools=[Tool("server/tool.v1")])
    resp = whole(WIRE, body(call(1, name="server_tool_v1")), tools=request.tools)
    assert [c.name for c in resp.calls] in (["server/tool.v1"], ["server_tool_v1"])
    out, _ = written(WIRE, [HI, resp.msg, answered("call_1", name=resp.calls[0].name)],
                     tools=request.tools)  # fmt: skip
    sent = next(item["name"] for item in out["input"] if item.get("type") == "function_call")
    assert sent == out["tools"][0]["name"]
    assert whole(WIRE, body(call(1, name=sent)), request=request).calls[0].name == "server/tool.v1"


def test_case_27_a_call_that_the_limit_cut_is_not_run() -> None:
    cut = call(1, '{"path": "a.py", "content": "import', status="incomplete")
    resp = whole(WIRE, body(cut, **SHORT))
    assert (resp.status, resp.finish.reason) == ("truncated", "length")
    assert resp.finish.raw == "max_output_tokens"
    assert (resp.calls, len(resp.msg.calls)) == ([], 1)
    events = [begun(cut), arguments(cut["arguments"]), closed(cut, **SHORT)]
    assert streamed(WIRE, events) == resp
    # whole arguments beside the limit may be all that was meant, or not: nobody knows
    assert whole(WIRE, body(call(1), **SHORT)).calls == []


def test_case_28_a_refusal_is_a_block_and_the_reason() -> None:
    item = {**text(""), "content": [{"type": "refusal", "refusal": "I can't."}]}
    resp = whole(WIRE, body(item))
    assert [type(block) for block in resp.msg.blocks] == [RefusalBlock]
    assert (resp.finish.reason, resp.finish.raw) == ("refusal", "completed")
    deltas = [event("refusal.delta", content_index=0, delta=said) for said in ("I ", "can't.")]
    assert streamed(WIRE, [begun(item), *deltas, closed(item)]) == resp
    out, _ = written(WIRE, [HI, resp.msg, HI])
    assert out["input"][1] == item


def test_case_28_what_a_filter_stopped_says_so() -> None:
    filtered: dict[str, Any] = {
        "status": "incomplete",
        "incomplete_details": {"reason": "content_filter"},
    }
    resp = whole(WIRE, body(text("I"), **filtered))
    assert (resp.finish.reason, resp.finish.raw, resp.text) == (
        "content_filter", "content_filter", "I",
    )  # fmt: skip
    assert streamed(WIRE, [begun(text("I")), words("I"), closed(text("I"), **filtered)]) == resp


@pytest.mark.parametrize(
    "told",
    [
        {"type": "error", "code": "server_error", "message": "It broke.", "param": None},
        {"type": "error", "error": {"code": "server_error", "message": "It broke."}},
        closed(status="failed", error={"code": "server_error", "message": "It broke."}),
    ],
)
def test_case_31_an_error_in_a_stream_carries_what_was_said(told: dict[str, Any]) -> None:
    resp = streamed(WIRE, [begun(text("")), words("So "), words("far"), told])
    assert (resp.status, resp.text) == ("error", "So far")
    assert resp.error is not None
    assert (resp.error.message, resp.error.code) == ("It broke.", "server_error")
    assert resp.error.response is resp


def test_case_31_a_failed_answer_raises() -> None:
    error = {"code": "rate_limit_exceeded", "message": "Slow down."}
    with pytest.raises(ProviderError, match=r"Slow down\.") as raised:
        whole(WIRE, body(status="failed", error=error))
    assert raised.value.code == "rate_limit_exceeded"


def test_case_32_each_host_has_its_own_place_for_thinking() -> None:
    told = [{"type": "reasoning_text", "text": "Hm."}]
    summed = [{"type": "summary_text", "text": "Hm."}]
    for item in ({**THOUGHT, "summary": summed}, {**THOUGHT, "content": told}):
        blocks = whole(WIRE, body(item, text("Yes"))).msg.blocks
        assert [type(block) for block in blocks] == [ThinkingBlock, TextBlock]
        assert blocks[0].thinking == "Hm."  # type: ignore[union-attr]  # looked above
    beside = whole(WIRE, body(text("Yes"), reasoning="Hm.")).msg.blocks
    assert beside[0] == ThinkingBlock("Hm.")


def test_case_35e_an_answer_of_thinking_alone_is_one() -> None:
    resp = whole(WIRE, body(THOUGHT, **SHORT))
    assert (resp.status, [type(b) for b in resp.msg.blocks]) == ("truncated", [ThinkingBlock])


def test_case_70_the_items_id_and_the_calls_are_kept_apart() -> None:
    resp = whole(WIRE, body(call(1)))
    assert [c.id for c in resp.calls] == ["call_1"]
    assert resp.calls[0].extras == {WIRE: {"id": "fc_1", "status": "completed"}}
    out, _ = written(WIRE, [HI, resp.msg, answered("call_1")])
    assert out["input"][1] == call(1)
    assert out["input"][2]["call_id"] == "call_1"
    # an id that would be refused stays here
    turned = whole(WIRE, body(call(1, id="x" * 408)))
    out, losses = written(WIRE, [HI, turned.msg, answered("call_1")])
    assert "id" not in out["input"][1]
    assert [code for code, _ in losses] == ["id.unsupported"]
    # nor does it go to another wire
    out, losses = written("openai-chat", [HI, resp.msg, answered("call_1")])
    assert "fc_1" not in str(out)
    assert [code for code, _ in losses] == ["extras.other_provider"] * 2


def test_case_71_what_reasoning_led_to_follows_it_again() -> None:
    items = [THOUGHT, text("I look.", phase="commentary"), call(1), call(2)]
    resp = whole(WIRE, body(*items))
    out, losses = written(WIRE, [HI, resp.msg, answered("call_1"), answered("call_2")])
    assert out["input"][1:5] == items
    assert losses == []


def test_case_72_where_nothing_is_kept_the_sealed_form_goes_back() -> None:
    resp = whole(WIRE, body(THOUGHT, text("Yes")))
    out, _ = written(WIRE, [HI, resp.msg, HI], extras={WIRE: {"store": False}})
    assert out["input"][1] == {"type": "reasoning", "summary": [], "encrypted_content": "gAAA"}
    unsealed = {key: value for key, value in THOUGHT.items() if key != "encrypted_content"}
    resp = whole(WIRE, body(unsealed, text("Yes")))
    out, losses = written(WIRE, [HI, resp.msg, HI], extras={WIRE: {"store": False}})
    assert all(item.get("type") != "reasoning" for item in out["input"])
    assert "thinking.unsigned" in [code for code, _ in losses]


def test_case_73_every_item_is_read_as_what_it_is() -> None:
    cited = {"type": "url_citation", "start_index": 0, "end_index": 2, "url": "https://e.org/",
             "title": "E"}  # fmt: skip
    said = text("It rains.")
    said["content"] = [{**said["content"][0], "annotations": [cited]},
                       {"type": "refusal", "refusal": "No more."}]  # fmt: skip
    search = {"type": "web_search_call", "id": "ws_1", "status": "completed",
              "action": {"type": "search", "query": "rain"}}  # fmt: skip
    items = [THOUGHT, search, said, call(1), call(2, '{"at": 2')]
    resp = whole(WIRE, body(*items, **SHORT))
    assert [block.type for block in resp.msg.blocks] == [
        "thinking", "raw", "text", "refusal", "tool_use", "tool_use",
    ]  # fmt: skip
    assert (resp.status, resp.finish.raw) == ("truncated", "max_output_tokens")
    assert resp.text == "It rains."  # nothing of the thinking in it
    pieces = [begun(call(1), 3), begun(call(2), 4), arguments('{"at"', 3), arguments('{"at"', 4),
              arguments(": 1}", 3), arguments(": 2", 4)]  # fmt: skip
    assert streamed(WIRE, [*pieces, closed(*items, **SHORT)]) == resp
    calls = streamed(WIRE, pieces).msg.calls
    assert [(c.id, c.raw_input) for c in calls] == [("call_1", '{"at": 1}'), ("call_2", '{"at": 2')]


def test_case_81_without_its_end_a_stream_is_interrupted() -> None:
    events = [begun(text("Yes")), words("Yes"), event("output_item.done", item=text("Yes"))]
    assert streamed(WIRE, events).status == "interrupted"
    assert streamed(WIRE, [*events, closed(text("Yes"))]).status == "complete"


def test_case_82_what_is_told_whole_is_not_added_to_what_was_told_in_pieces() -> None:
    events = [
        begun(text("Yes")), words("Y"), words("es"),
        event("output_text.done", content_index=0, text="Yes"),
        event("content_part.done", content_index=0, part=text("Yes")["content"][0]),
        event("output_item.done", item=text("Yes")), closed(text("Yes")),
    ]  # fmt: skip
    assert streamed(WIRE, events) == whole(WIRE, body(text("Yes")))


def test_case_83_empty_deltas_make_nothing() -> None:
    assert streamed(WIRE, [begun(text("")), words(""), words("")]).msg.blocks == []
    empty = event("reasoning_summary_text.delta", summary_index=0, delta="")
    assert streamed(WIRE, [event("output_item.added", item=THOUGHT), empty]).msg.blocks == []


def test_case_92_half_an_answer_can_be_sent_back() -> None:
    item = {**call(1), "arguments": ""}
    summary = event("reasoning_summary_text.delta", summary_index=0, delta="Hm")
    events = [event("output_item.added", item=THOUGHT), summary, begun(text(""), 1),
              words("I look", 1), begun(item, 2), arguments('{"query": "hello wor', 2)]  # fmt: skip
    resp = streamed(WIRE, events)
    assert (resp.status, resp.calls) == ("interrupted", [])
    assert [type(b) for b in resp.msg.blocks] == [ThinkingBlock, TextBlock, ToolUseBlock]
    # neither the thinking that nothing proves nor an id of what was never kept
    out, losses = written(WIRE, [HI, resp.msg, HI])
    kinds = [item.get("type") for item in out["input"]]
    assert "reasoning" not in kinds
    assert not any("id" in item for item in out["input"])
    assert "thinking.unsigned" in [code for code, _ in losses]
    assert '"hello wor' not in str(out)


def test_case_93_tokens_are_counted_once() -> None:
    told = {"input_tokens": 10007, "input_tokens_details": {"cached_tokens": 10000,
            "cache_write_tokens": 2}, "output_tokens": 50, "total_tokens": 10057,
            "output_tokens_details": {"reasoning_tokens": 40}}  # fmt: skip
    usage = whole(WIRE, body(text("Yes"), usage=told)).usage
    assert (usage.input, usage.cache_read, usage.cache_write) == (5, 10000, 2)
    assert (usage.output, usage.reasoning, usage.total) == (50, 40, 10057)
    early = {"type": "response.created", "response": body(status="in_progress", usage=None)}
    resp = streamed(WIRE, [early, begun(text("Yes")), words("Yes"),
                           closed(text("Yes"), usage=told)])  # fmt: skip
    assert resp.usage == usage
