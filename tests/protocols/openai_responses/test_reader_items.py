"""Streams: items that stay as they come, what grows in them, and sound."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman.message import AudioBlock, RawBlock, TextBlock
from tests.protocols.openai_responses.reading import OWN, done, event, read, streamed
from tests.protocols.openai_responses.streams import CREATED, ended, shown
from tests.protocols.openai_responses.writing import wire


def test_other_items_come_whole_at_their_end() -> None:
    item = {"type": "code_interpreter_call", "id": "ci_1", "code": "1+1", "outputs": []}
    events = [
        CREATED, event("output_item.added", item={**item, "code": "", "status": "in_progress"}),
        event("code_interpreter_call.in_progress", item_id="ci_1"),
        event("code_interpreter_call_code.delta", delta="1+", item_id="ci_1", obfuscation="x"),
        event("code_interpreter_call_code.delta", delta="1", item_id="ci_1"),
    ]  # fmt: skip
    assert streamed(*events, ended(item), done(item)) == read(item)
    assert shown(*events, ended(item), done(item)) == [("block", "")]
    broken = streamed(*events)
    assert broken.msg.blocks == []  # nobody could use half of it
    assert broken.extras is not None
    assert broken.extras[OWN]["unfinished"] == [{**item, "code": "1+1", "status": "in_progress"}]
    # where the answer ends well without a word about the item, it is as far as it was told
    assert streamed(*events, done()).msg.blocks[0] == RawBlock(
        OWN, {**item, "code": "1+1", "status": "in_progress"}
    )


@pytest.mark.parametrize(
    ("item", "events", "told"),
    [
        ({"type": "code_interpreter_call", "code": ""},
         [("code_interpreter_call_code.delta", {"delta": "ab"}),
          ("code_interpreter_call_code.delta", {"delta": "c"})], {"code": "abc"}),
        ({"type": "code_interpreter_call", "code": ""},
         [("code_interpreter_call_code.delta", {"delta": "ab"}),
          ("code_interpreter_call_code.done", {"code": "abc"})], {"code": "abc"}),
        ({"type": "mcp_call", "arguments": ""},
         [("mcp_call_arguments.delta", {"delta": "{}"})], {"arguments": "{}"}),
        ({"type": "apply_patch_call", "operation": {"type": "create_file"}},
         [("apply_patch_call_operation_diff.delta", {"delta": "+a"})],
         {"operation": {"type": "create_file", "diff": "+a"}}),
        ({"type": "shell_call", "action": None},
         [("shell_call_command.added", {"command_index": 1, "command": ""}),
          ("shell_call_command.delta", {"command_index": 1, "delta": "l"}),
          ("shell_call_command.delta", {"command_index": 1, "delta": "s"}),
          ("shell_call_command.done", {"command_index": 0, "command": "cd"})],
         {"action": {"commands": ["cd", "ls"]}}),
        ({"type": "shell_call_output"},
         [("shell_call_output_content.delta", {"command_index": 0, "delta": {"stdout": "a"}}),
          ("shell_call_output_content.delta", {"command_index": 0, "delta": {"stdout": "b"}})],
         {"output": [{"stdout": "ab"}]}),
        ({"type": "shell_call_output"},
         [("shell_call_output_content.delta", {"command_index": 0, "delta": {"stdout": "a"}}),
          ("shell_call_output_content.done", {"output": [{"stdout": "ab", "stderr": ""}]})],
         {"output": [{"stdout": "ab", "stderr": ""}]}),
        ({"type": "image_generation_call"},
         [("image_generation_call.partial_image", {"partial_image_b64": "aa"}),
          ("image_generation_call.partial_image", {"partial_image_b64": "bb"})],
         {"partial_image_b64": "bb"}),
    ],
)  # fmt: skip
def test_what_grows_in_them_is_told_if_the_stream_breaks_off(
    item: dict[str, Any], events: list[tuple[str, dict[str, Any]]], told: dict[str, Any]
) -> None:
    resp = streamed(
        event("output_item.added", item=item), *(event(kind, **more) for kind, more in events)
    )
    assert resp.extras == {OWN: {"unfinished": [{**item, **told}]}}


def test_a_number_of_somebody_elses_makes_no_long_list() -> None:
    decoder = wire().stream_decoder()
    decoder.feed(event("shell_call_command.delta", command_index=10**9, delta="x"))
    assert len(decoder.finish().extras[OWN]["events"]) == 1  # type: ignore[index]  # there is one


def test_sound_is_read_with_its_words() -> None:
    resp = streamed(
        event("audio.transcript.delta", None, delta="Hel"),
        event("audio.delta", None, delta="AAAA"),
        event("audio.transcript.delta", None, delta="lo"),
        event("audio.delta", None, delta="BBBB"),
        event("audio.done", None),
        event("audio.transcript.done", None),
    )
    words, sound = resp.msg.blocks
    assert isinstance(words, TextBlock)
    assert isinstance(sound, AudioBlock)
    assert (words.text, words.spelling) == ("Hello", "transcript")
    assert sound.source.data == "AAAABBBB"  # type: ignore[union-attr]  # base64


def test_an_item_that_grows_is_copied_no_deeper_than_it_grows() -> None:
    deep: Any = []
    for _ in range(5_000):
        deep = [deep]
    item = {"type": "custom_tool_call", "id": "ctc_1", "call_id": "call_1", "name": "sql",
            "input": "", "notes": deep}  # fmt: skip
    decoder = dragoman.wire("openai-responses").stream_decoder()
    decoder.feed({"type": "response.output_item.added", "output_index": 0, "item": item})
    decoder.feed({"type": "response.custom_tool_call_input.delta", "output_index": 0,
                  "item_id": "ctc_1", "delta": "SELECT 1"})  # fmt: skip
    with pytest.raises(dragoman.ReadError):  # our own values are nested less
        decoder.finish()
    item["notes"] = []
    decoder = dragoman.wire("openai-responses").stream_decoder()
    decoder.feed({"type": "response.output_item.added", "output_index": 0, "item": item})
    decoder.feed({"type": "response.custom_tool_call_input.delta", "output_index": 0,
                  "item_id": "ctc_1", "delta": "SELECT 1"})  # fmt: skip
    decoder.finish()
    assert item["input"] == ""
