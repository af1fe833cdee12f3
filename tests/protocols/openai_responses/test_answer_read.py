"""Whole answers: each item in the form from which the writer makes it again, nothing lost."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman.errors import ProviderError, ReadError
from dragoman.history.passes.survey import ASSISTANT, RoledHistory
from dragoman.losses import Report
from dragoman.message import (
    Citation,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
)
from dragoman.message.blocks import name_answers
from tests.each_case import each_case
from tests.protocols.openai_responses.reading import OWN, answer, item_of, read, replayed
from tests.protocols.openai_responses.writing import wire

TEXT = {"type": "output_text", "text": "It rains.", "annotations": [], "logprobs": []}
SAID = {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant",
        "content": [TEXT], "phase": "final_answer"}  # fmt: skip
THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"}
CALL = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "look",
        "arguments": '{"at": 1}', "status": "completed"}  # fmt: skip
LINK = {"type": "url_citation", "start_index": 0, "end_index": 2, "url": "https://e.org/",
        "title": "E"}  # fmt: skip


def summary(*texts: str) -> list[dict[str, str]]:
    return [{"type": "summary_text", "text": text} for text in texts]


def only(block: Any) -> Any:
    return read(block).msg.blocks[0]


def test_an_answer_has_its_fields() -> None:
    resp = read(THOUGHT, SAID, usage=None, metadata={"a": "b"})
    assert (resp.id, resp.model, resp.status) == ("resp_1", "gpt-5.6-sol", "complete")
    assert (resp.finish.reason, resp.finish.raw) == ("stop", "completed")
    assert resp.text == "It rains."
    assert resp.extras == {
        OWN: {"temperature": 1.0, "tools": [], "error": None, "incomplete_details": None,
              "usage": None, "metadata": {"a": "b"}}
    }  # fmt: skip


def test_a_message_is_a_block_for_each_part_and_the_first_bears_its_fields() -> None:
    two = {**SAID, "content": [TEXT, {"type": "refusal", "refusal": "No."}]}
    assert read(two).msg.blocks == [
        TextBlock("It rains.", extras={OWN: {"annotations": [], "logprobs": [], "id": "msg_1",
                                             "status": "completed", "phase": "final_answer"}}),
        RefusalBlock("No."),
    ]  # fmt: skip
    assert read(two).finish.reason == "refusal"
    assert replayed(two)


def test_messages_without_fields_stay_apart() -> None:
    bare = {"type": "message", "role": "assistant", "content": [TEXT]}
    assert [block.spelling for block in read(bare, bare).msg.blocks] == ["item", "item"]


def test_parts_that_nobody_knows_are_kept() -> None:
    strange = {"type": "output_hologram", "data": "x"}
    block = only({**SAID, "content": [TEXT, strange], "extra": 1})
    assert block.extras[name_answers(OWN)] == {"item": {"extra": 1, "content": {"1": strange}}}
    lone = {**SAID, "content": [strange]}
    assert only(lone) == RawBlock(OWN, lone)
    empty = {**SAID, "content": []}
    assert only(empty) == RawBlock(OWN, empty)


def test_own_fields_of_a_part_are_not_its_items() -> None:
    block = only({**SAID, "content": [{**TEXT, "id": "part_1"}]})
    assert block.extras[OWN]["id"] == "msg_1"
    assert block.extras[name_answers(OWN)] == {"part": {"id": "part_1"}}


def test_a_citation_says_where_it_stands_and_what_it_leans_on() -> None:
    bare = {"type": "url_citation", "url": "https://e.org/"}
    file = {"type": "file_citation", "file_id": "file_1", "filename": "a.pdf", "index": 3}
    held = {"type": "container_file_citation", "container_id": "c_1", "file_id": "cfile_1",
            "filename": "b.csv", "start_index": 1, "end_index": 4}  # fmt: skip
    item = {**SAID, "content": [{**TEXT, "annotations": [LINK, bare, file, held]}]}
    assert only(item).citations == [
        Citation(0, 2, "https://e.org/", "E"),
        Citation(url="https://e.org/", extras={OWN: {"type": "url_citation"}}),
        Citation(title="a.pdf",
                 extras={OWN: {"type": "file_citation", "file_id": "file_1", "index": 3}}),
        Citation(1, 4, title="b.csv", extras={OWN: {"type": "container_file_citation",
                                                    "container_id": "c_1", "file_id": "cfile_1"}}),
    ]  # fmt: skip
    assert replayed(item)


def test_log_probabilities_stay_with_their_text() -> None:
    chances = [{"token": "It", "logprob": -0.5, "bytes": [73, 116], "top_logprobs": []}]
    item = {**SAID, "content": [{**TEXT, "logprobs": chances}]}
    assert only(item).extras[OWN]["logprobs"] == chances
    assert replayed(item)


def test_thinking_is_its_summary_and_its_sealed_form() -> None:
    item = {**THOUGHT, "summary": summary("First.", "Second.")}
    block = only(item)
    assert (block.thinking, block.redacted) == ("First.\n\nSecond.", "gAAA")
    assert replayed(item, SAID)
    assert replayed({**THOUGHT, "summary": summary("First."), "content": []}, SAID)
    assert replayed({**THOUGHT, "encrypted_content": None}, SAID)
    assert replayed({**THOUGHT, "status": "completed"}, SAID)


def test_raw_thinking_is_told_where_there_is_no_summary() -> None:
    item = {"type": "reasoning", "id": "rs_1", "summary": [], "status": "completed",
            "content": [{"type": "reasoning_text", "text": "Hm."}]}  # fmt: skip
    assert only(item).thinking == "Hm."
    assert replayed(item, SAID)


@pytest.mark.parametrize(
    "item",
    [
        {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "Hm"}]},
        {"type": "reasoning", "summary": summary("Hm")},
        {"type": "reasoning", "summary": summary("H"), "encrypted_content": "gAAA",
         "content": [{"type": "reasoning_text", "text": "Hm"}]},
        {"type": "reasoning", "summary": [], "content": None},
        {"type": "reasoning", "summary": []},
    ],
)  # fmt: skip
def test_hosts_that_read_thoughts_get_them_back_as_they_came(item: dict[str, Any]) -> None:
    target = wire(reasoning="raw")
    msg = target.read_response(answer(item, SAID)).msg
    thought = msg.blocks[0]
    assert isinstance(thought, ThinkingBlock)
    assert (thought.thinking, thought.redacted) == ("Hm" if "Hm" in str(item) else "", None)
    seated = RoledHistory([msg], [ASSISTANT], 0, [0], [], [], [])
    assert target.room.messages(seated, target.can(), Report())[0] == item


def test_a_call_keeps_what_pairs_it_apart_from_its_own_id() -> None:
    item = {**CALL, "namespace": "crm", "caller": {"type": "direct"}}
    assert only(item) == ToolUseBlock(
        "call_1", "look", {"at": 1}, '{"at": 1}',
        namespace="crm",
        extras={OWN: {"id": "fc_1", "status": "completed", "caller": {"type": "direct"}}},
    )  # fmt: skip
    assert read(CALL).finish.reason == "tool_calls"


def test_the_place_of_a_call_does_not_go_back() -> None:
    block = only({**CALL, "item_id": "fc_1", "output_index": 0})
    assert block.extras[name_answers(OWN)] == {"item_id": "fc_1", "output_index": 0}


def test_arguments_that_are_an_object_are_taken_as_they_are() -> None:
    block = only({**CALL, "arguments": {"at": 1}})
    assert (block.input, block.raw_input, block.spelling) == ({"at": 1}, None, "object")


def test_a_call_without_anything_to_pair_it_gets_an_id() -> None:
    block = only({key: value for key, value in CALL.items() if key != "call_id"})
    assert block.id.startswith("call_")
    assert block.spelling == "made"
    assert block.extras[OWN]["id"] == "fc_1"


_CALL_OF = {
    "shell_call_output": {"type": "shell_call", "call_id": "c", "action": {}},
    "local_shell_call_output": {"type": "local_shell_call", "call_id": "c", "action": {}},
    "program_output": {"type": "program", "call_id": "c", "code": "x", "fingerprint": "f"},
    "mcp_approval_response": {"type": "mcp_approval_request", "id": "m", "name": "n"},
}


@each_case(
    ("item", "role", "pair", "by"),
    [
        ({"type": "computer_call", "call_id": "c", "action": {}}, "call", "c", "client"),
        ({"type": "local_shell_call", "call_id": "c", "action": {}}, "call", "c", "client"),
        ({"type": "apply_patch_call", "call_id": "c", "operation": {}}, "call", "c", "client"),
        ({"type": "shell_call", "call_id": "c", "action": {}}, "call", "c", "client"),
        ({"type": "shell_call", "call_id": "c", "environment": {"type": "container_reference"}},
         "call", "c", "server"),
        ({"type": "shell_call_output", "call_id": "c", "output": []}, "result", "c", "server"),
        ({"type": "mcp_approval_request", "id": "mcpr_1", "name": "n"},
         "call", "mcpr_1", "client"),
        ({"type": "mcp_call", "id": "mcp_1", "output": "x", "error": None}, "item", None, "server"),
        ({"type": "web_search_call", "id": "ws_1", "action": {}}, "item", None, "server"),
        ({"type": "code_interpreter_call", "id": "ci_1", "call_id": ""}, "item", None, "server"),
        ({"type": "image_generation_call", "id": "ig_1", "result": None}, "item", None, "server"),
        ({"type": "tool_search_call", "call_id": None, "execution": "server"},
         "item", None, "server"),
        ({"type": "tool_search_call", "call_id": "c", "execution": "client"},
         "call", "c", "client"),
        ({"type": "program", "call_id": "c", "code": "x", "fingerprint": "f"},
         "call", "c", "server"),
        ({"type": "program_output", "call_id": "c", "result": "x"}, "result", "c", "server"),
        ({"type": "local_shell_call_output", "id": "c", "output": "x"}, "result", "c", "server"),
        ({"type": "mcp_approval_response", "approval_request_id": "m", "approve": True},
         "result", "m", "server"),
        ({"type": "compaction", "encrypted_content": "gAAA"}, "item", None, "server"),
        ({"type": "some_future_item", "x": [1]}, "item", None, "server"),
    ],
)  # fmt: skip
def test_other_items_stay_as_they_came(item: dict[str, Any], role: str, pair: str, by: str) -> None:
    block = only(item)
    assert block == RawBlock(OWN, item, role, pair, by)  # type: ignore[arg-type]  # as listed
    assert block.data is item
    calls = [_CALL_OF[item["type"]]] if role == "result" else []
    assert replayed(*calls, item)


def test_an_item_that_is_not_as_documented_stays_as_it_came() -> None:
    for item in ({**SAID, "content": 3}, {**THOUGHT, "summary": [{"text": 1}]}, {"type": 7}):
        assert only(item) == RawBlock(OWN, item)
    assert read("odd", SAID).msg.blocks[0] == RawBlock(OWN, "odd")


def test_tokens_are_disjoint() -> None:
    told = {"input_tokens": 100, "input_tokens_details": {"cached_tokens": 60,
            "cache_write_tokens": 30}, "output_tokens": 50, "total_tokens": 150,
            "output_tokens_details": {"reasoning_tokens": 40, "tool_tokens": 5},
            "cost": 0.1}  # fmt: skip
    usage = read(SAID, usage=told).usage
    assert (usage.input, usage.cache_read, usage.cache_write) == (10, 60, 30)
    assert (usage.output, usage.reasoning, usage.total) == (50, 40, 150)
    assert usage.extras == {OWN: {"output_tokens_details": {"tool_tokens": 5}, "cost": 0.1}}
    usage = read(SAID, usage={"input_tokens": 7, "input_tokens_details": None}).usage
    assert (usage.input, usage.cache_read, usage.total) == (7, None, None)
    assert usage.extras == {OWN: {"input_tokens_details": None}}


@pytest.mark.parametrize(
    ("more", "reason", "raw", "status"),
    [
        ({}, "stop", "completed", "complete"),
        ({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
         "length", "max_output_tokens", "truncated"),
        ({"status": "incomplete", "incomplete_details": {"reason": "content_filter"}},
         "content_filter", "content_filter", "complete"),
        ({"status": "incomplete", "incomplete_details": {"reason": "steered"}},
         "pause", "steered", "complete"),
        ({"status": "incomplete"}, "length", "incomplete", "truncated"),
        ({"status": "queued"}, "other", None, "interrupted"),
        ({"status": "in_progress"}, "other", None, "interrupted"),
        ({"status": "cancelled"}, "other", None, "interrupted"),
    ],
)  # fmt: skip
def test_why_it_ended(more: dict[str, Any], reason: str, raw: str | None, status: str) -> None:
    resp = read(SAID, **more)
    assert (resp.finish.reason, resp.finish.raw, resp.status) == (reason, raw, status)
    if more:
        assert resp.extras is not None
        assert resp.extras[OWN]["status"] == more["status"]


def test_an_answer_without_a_status_is_whole() -> None:
    body = {"output": [SAID]}
    resp = wire().read_response(body)
    assert (resp.status, resp.finish.reason, resp.finish.raw) == ("complete", "stop", None)


def test_a_failed_answer_is_an_error_with_what_was_said() -> None:
    error = {"code": "server_error", "message": "The model broke."}
    with pytest.raises(ProviderError, match=r"The model broke\.") as raised:
        read(status="failed", error=error)
    assert raised.value.code == "server_error"
    resp = read(SAID, status="failed", error=error)
    assert (resp.status, resp.text) == ("error", "It rains.")
    with pytest.raises(ProviderError, match="the response failed"):
        read(status="failed")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"error": {"message": "No key.", "type": "auth", "param": None, "code": "k"}}, "No key."),
        ({"code": "bad", "error": "No such model."}, "No such model."),
        ({"detail": "Not found"}, "Not found"),
        ({"type": "error", "code": "x", "message": "Slow down", "param": None}, "Slow down"),
    ],
)
def test_bodies_of_errors(body: dict[str, Any], message: str) -> None:
    with pytest.raises(ProviderError) as raised:
        wire().read_response(body)
    assert raised.value.message == message
    assert raised.value.body == body


def test_what_is_no_answer_is_refused() -> None:
    strange: tuple[Any, ...] = ({"a": 1}, {"type": "something"}, [], {})
    for body in strange:
        with pytest.raises(ReadError):
            wire().read_response(body)


def test_a_host_that_tells_its_thoughts_beside_the_items() -> None:
    resp = read(SAID, reasoning="Hm.", output_text="It rains.")
    thought = resp.msg.blocks[0]
    assert isinstance(thought, ThinkingBlock)
    assert (thought.thinking, thought.spelling) == ("Hm.", "reasoning")
    assert resp.extras is not None
    assert "reasoning" not in resp.extras[OWN]
    assert resp.extras[OWN]["output_text"] == "It rains."
    asked = read(SAID, reasoning={"effort": "low"}).extras
    assert asked is not None
    assert asked[OWN]["reasoning"] == {"effort": "low"}


def test_an_object_of_the_sdk_is_read_like_its_body() -> None:
    from openai.types.responses import Response

    told = {"input_tokens": 1, "output_tokens": 2,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 3}  # fmt: skip
    body = answer(THOUGHT, SAID, CALL, usage=told, created_at=1, tool_choice="auto",
                  parallel_tool_calls=True, instructions=None, top_p=1.0)  # fmt: skip
    resp = wire().read_response(Response.model_validate(body))
    assert resp.msg == wire().read_response(body).msg


def test_what_the_sdk_parsed_is_not_the_answers() -> None:
    parsed = {**SAID, "content": [{**TEXT, "parsed": {"a": 1}}]}
    called = {**CALL, "parsed_arguments": {"at": 1}}
    assert read(parsed, called).msg == read(SAID, CALL).msg


def test_compacted_conversations_are_read() -> None:
    user = {"type": "message", "id": "msg_0", "role": "user", "status": "completed",
            "content": [{"type": "input_text", "text": "Hi"}]}  # fmt: skip
    sealed = {"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAA"}
    body = {"id": "resp_2", "object": "response.compaction", "output": [user, sealed]}
    resp = wire().read_response(body)
    assert resp.msg.blocks == [RawBlock(OWN, user), RawBlock(OWN, sealed)]
    assert item_of(resp) == [user, sealed]
    assert resp.extras == {OWN: {"object": "response.compaction"}}
