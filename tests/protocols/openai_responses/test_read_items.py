"""Items that are read: what the tree says of them, and that they are said again as they were."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman import Msg
from dragoman.message import (
    AudioBlock,
    Base64Source,
    CacheHint,
    DocumentBlock,
    FileSource,
    ImageBlock,
    Origin,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
)
from dragoman.message.blocks import name_answers
from tests.each_case import each_case

from .asked import CALL, PIXEL, RESULT, SAID, THOUGHT, USER, msgs, read
from .writing import OWN, own, wire


def block(part: dict[str, Any]) -> Any:
    """What one part of a message becomes."""
    [m] = msgs({"role": "user", "content": [part]})
    return m.blocks[0]


@each_case("role", ["user", "system", "developer"])
@each_case("typed", [{}, {"type": "message"}])
@each_case("content", ["Hi", "", [], [{"type": "input_text", "text": "Hi"}], None, 5, "none"])
def test_messages(role: str, typed: dict[str, str], content: Any) -> None:
    said = {} if content == "none" else {"content": content}
    [m] = msgs({**typed, "role": role, **said})
    assert m.role == role
    if isinstance(content, list):
        assert m.content == [TextBlock("Hi")] * len(content)


def test_fields_of_a_message_that_nobody_models() -> None:
    [m] = msgs({**USER, "id": "msg_1", "status": None, "mood": {"a": 1}})
    assert m.extras == own(id="msg_1", status=None, mood={"a": 1})


@pytest.mark.parametrize("odd", ["text", None, 7, [], {}, {"type": 3}, {"role": "critic"},
                                 {"role": ["user"], "content": "Hi"}])  # fmt: skip
def test_what_is_no_item_is_kept(odd: Any) -> None:
    _, m = msgs(USER, odd)
    assert m.role == "user"
    assert (type(m.blocks[0]), m.blocks[0].data) == (RawBlock, odd)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("part", "made"),
    [
        ({"type": "input_text", "text": "Hi"}, TextBlock("Hi")),
        ({"type": "text", "text": "Hi"}, TextBlock("Hi")),
        (
            {"type": "input_text", "text": "Hi", "prompt_cache_breakpoint": {"mode": "explicit"}},
            TextBlock("Hi", cache=CacheHint()),
        ),
        (
            {"type": "input_image", "image_url": PIXEL, "prompt_cache_breakpoint":
             {"mode": "explicit", "ttl": "12h"}},
            ImageBlock(Base64Source("image/png", "iVBORw0KGgo=", PIXEL), cache=CacheHint("12h")),
        ),
        (
            {"type": "input_text", "text": "Hi", "prompt_cache_breakpoint": {"mode": "all"}},
            TextBlock("Hi", extras=own(prompt_cache_breakpoint={"mode": "all"})),
        ),
        (
            {"type": "input_image", "image_url": "https://a.b/c.png", "detail": "low"},
            ImageBlock(URLSource("https://a.b/c.png"), detail="low"),
        ),
        (
            {"type": "input_image", "image_url": None, "file_id": "file_1", "detail": "auto"},
            ImageBlock(FileSource("file_1", OWN), detail="auto", extras=own(image_url=None)),
        ),
        (
            {"type": "input_file", "file_data": "data:application/pdf;base64,JVBERi0=",
             "filename": "a.pdf"},
            DocumentBlock(
                Base64Source("application/pdf", "JVBERi0=", "data:application/pdf;base64,JVBERi0="),
                "a.pdf",
            ),
        ),
        (
            {"type": "input_file", "file_url": "https://a.b/c.pdf", "detail": "high"},
            DocumentBlock(URLSource("https://a.b/c.pdf"), detail="high"),
        ),
        (
            {"type": "input_file", "file_id": "file_1", "new": [1]},
            DocumentBlock(FileSource("file_1", OWN), extras=own(new=[1])),
        ),
        (
            {"type": "input_audio", "input_audio": {"data": "UklG", "format": "wav"}},
            AudioBlock(Base64Source("audio/wav", "UklG")),
        ),
    ],
)  # fmt: skip
def test_parts(part: dict[str, Any], made: Any) -> None:
    assert block(part) == made


@pytest.mark.parametrize(
    "part",
    [
        {"type": "input_text"},
        {"type": "input_image", "detail": "low"},
        {"type": "input_file", "file_data": "JVBERi0=", "filename": "a.pdf"},
        {"type": "input_audio", "input_audio": {"data": "UklG", "format": "flac"}},
        {"type": "input_video", "video_url": "https://a.b/c.mp4"},
        "text",
        None,
    ],
)
def test_parts_that_nobody_models_are_kept(part: Any) -> None:
    assert block(part) == RawBlock(OWN, part, by="client")


def test_a_part_that_nobody_models_stays_in_its_message() -> None:
    parts = [{"type": "input_text", "text": "Look:"}, {"type": "input_hologram", "data": "x"}]
    body = {"model": "gpt-5.6", "input": [{"role": "user", "content": parts}]}
    req = read(body)
    req.messages[0] = Msg.user(req.messages[0].content)  # so that it is composed
    assert wire().write_request(req).body["input"] == body["input"]


def test_a_data_uri_keeps_its_spelling() -> None:
    odd = "DATA:image/PNG;charset=x;base64,iVBORw0KGgo="
    made = block({"type": "input_image", "image_url": odd})
    assert made.source.media_type == "image/png"


def test_what_the_model_said_is_one_message() -> None:
    turn, results, more = msgs(THOUGHT, SAID, CALL, RESULT, {"role": "assistant", "content": "Ah."})
    origin = Origin(OWN, "gpt-5.6")
    assert turn.content == [
        ThinkingBlock("Hm.", redacted="gAAA"),
        TextBlock("Yes.", extras=own(annotations=[], id="msg_1", status="completed")),
        ToolUseBlock("call_1", "look", {"at": 1}, '{"at": 1}'),
    ]
    assert turn.blocks[0].origin == origin
    assert (results.role, results.content) == ("tool", [ToolResultBlock("call_1", output="A cat.")])
    assert (more.role, more.content) == ("assistant", "Ah.")


def test_neighbours_of_the_users_stay_apart() -> None:
    assert [m.content for m in msgs(USER, USER)] == ["Hi", "Hi"]


def test_messages_of_the_models_stay_apart() -> None:
    bare = {"role": "assistant", "content": "One."}
    parts = {"type": "message", "role": "assistant", "content": SAID["content"]}
    [m] = msgs(bare, bare, parts, parts, SAID)
    assert [b.text for b in m.blocks if type(b) is TextBlock] == ["One.", "One.", *["Yes."] * 3]


@each_case(
    "item",
    [
        {"role": "assistant", "content": ""},
        {"type": "message", "role": "assistant", "content": "Hm", "phase": "commentary"},
        {"role": "assistant", "content": [{"type": "output_text", "text": "a"},
                                          {"type": "refusal", "refusal": "b"}], "mood": 1},
        {"role": "assistant", "content": [{"type": "input_text", "text": "a", "id": "x"}]},
        {"role": "assistant", "content": []},
        {"role": "assistant", "content": None},
        {"role": "assistant"},
        {**SAID, "content": [{"type": "hologram"}, {"type": "output_text", "text": "a"}]},
        {**SAID, "content": [{"type": "output_text", "text": "a", "parsed": {"b": 1}}]},
        {**SAID, "content": [{"type": "output_text", "text": "abc", "annotations": [
            {"type": "url_citation", "url": "https://a.b", "title": "A", "start_index": 0,
             "end_index": 3}, {"url": "https://a.b"}, {"type": "file_path", "index": 0}]}]},
        {**CALL, "id": "fc_1", "status": "completed", "namespace": "n", "caller": {"type": "x"}},
        {**CALL, "arguments": ""},
        {**CALL, "arguments": {"at": 1}},
        {**CALL, "arguments": None, "name": 3, "call_id": None},
        {**CALL, "call_id": "", "parsed_arguments": {"at": 1}},
        {"type": "function_call"},
        {**THOUGHT, "id": "rs_1", "status": None, "content": []},
        {"type": "reasoning", "id": "rs_1"},
        {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "x"}]},
        {"type": "reasoning", "summary": "no list"},
        {"type": "item_reference", "id": "msg_2"},
        {"type": "compaction", "encrypted_content": "gAAA"},
        {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {}},
    ],
)  # fmt: skip
@each_case("switches", [{}, {"reasoning": "raw"}])
def test_items_of_the_models(item: dict[str, Any], switches: dict[str, str]) -> None:
    before, m, after = msgs(USER, item, USER, **switches)
    assert (before.role, m.role, after.role) == ("user", "assistant", "user")


def test_refusals() -> None:
    [m] = msgs({**SAID, "content": [{"type": "refusal", "refusal": "No."}]})
    assert m.content == [RefusalBlock("No.", extras=own(id="msg_1", status="completed"))]


@pytest.mark.parametrize(
    "item",
    [
        RESULT,
        {**RESULT, "id": "fc_2", "status": "completed", "caller": {"type": "direct"}},
        {**RESULT, "output": [{"type": "input_text", "text": "a"},
                              {"type": "input_image", "image_url": PIXEL}, {"type": "x"}]},
        {**RESULT, "output": []},
        {**RESULT, "output": None},
        {**RESULT, "output": {"a": 1}},
        {"type": "function_call_output", "name": "look", "output": "x"},
        {"type": "function_call_output", "call_id": 4},
    ],
)  # fmt: skip
def test_results(item: dict[str, Any]) -> None:
    _, m = msgs(CALL, item)
    assert m.role == "tool"
    assert type(m.blocks[0]) is ToolResultBlock


def test_a_result_of_parts() -> None:
    image = {"type": "input_image", "image_url": PIXEL}
    _, m = msgs(CALL, {**RESULT, "output": [{"type": "input_text", "text": "a"}, image]})
    [made] = m.blocks
    assert type(made) is ToolResultBlock
    assert made.output == [
        TextBlock("a"),
        ImageBlock(Base64Source("image/png", "iVBORw0KGgo=", PIXEL)),
    ]


@pytest.mark.parametrize(
    ("call", "result", "seat"),
    [
        (
            {"type": "mcp_approval_request", "id": "mcpr_1", "name": "go"},
            {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True},
            "tool",
        ),
        (
            {"type": "tool_search_call", "call_id": "c1", "execution": "client"},
            {"type": "tool_search_output", "call_id": "c1", "execution": "client", "tools": []},
            "tool",
        ),
        (
            {"type": "program", "call_id": "c1", "code": "1"},
            {"type": "program_output", "call_id": "c1", "result": "1"},
            "assistant",
        ),
        (
            {"type": "shell_call", "call_id": "c1", "environment": {"type": "container_auto"}},
            {"type": "shell_call_output", "call_id": "c1", "output": []},
            "assistant",
        ),
    ],
)
def test_calls_and_results_that_only_this_api_has(
    call: dict[str, Any], result: dict[str, Any], seat: str
) -> None:
    made = [(m.role, b) for m in msgs(USER, call, result) for b in m.blocks][1:]
    assert [(role, b.role) for role, b in made if type(b) is RawBlock] == [
        ("assistant", "call"),
        (seat, "result"),
    ]
    pairs = [b.pair for _, b in made if type(b) is RawBlock]
    assert pairs[0] == pairs[1]


@pytest.mark.parametrize("kind", ["additional_tools", "configuration_update", "compaction_trigger"])
def test_items_of_the_clients(kind: str) -> None:
    item = {"type": kind, "role": "developer"}
    _, m = msgs(USER, item)
    assert (m.role, m.content) == ("user", [RawBlock(OWN, item, by="client")])


def test_an_unknown_part_of_the_models_is_told_as_a_loss_elsewhere() -> None:
    part = {"type": "output_text", "text": "a", "id": "x"}
    [m] = msgs({"role": "assistant", "content": [part]})
    assert (m.blocks[0].extras or {})[name_answers(OWN)] == {"part": {"id": "x"}}
