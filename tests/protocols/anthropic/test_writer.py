"""The Messages API: its dialect, plain text documents, and what a writer refuses to guess."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Options, Vendor
from dragoman.errors import WriteError
from dragoman.history.passes.survey import USER, RoledHistory
from dragoman.losses import Report
from dragoman.message import (
    AudioBlock,
    Base64Source,
    CacheHint,
    DocumentBlock,
    ImageBlock,
    LocalSource,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    VideoBlock,
)
from dragoman.protocols.anthropic import CAN, Anthropic, Dialect

BASE = Dialect()
WEB = URLSource("https://example.com/a")
REQ = ChatRequest([Msg.system("Be."), Msg.user("x")], model="m")


def written(req: ChatRequest, **switches: Any) -> Any:
    acme = Vendor("acme", wires={"anthropic": replace(BASE, **switches)})
    return dragoman.wire(acme, policy="ignore").write_request(req)


def test_text_as_a_string_or_as_blocks() -> None:
    assert written(REQ).body["messages"] == [{"role": "user", "content": "x"}]
    assert written(REQ).body["system"] == "Be."
    split = written(REQ, text="blocks").body
    assert split["messages"] == [{"role": "user", "content": [{"type": "text", "text": "x"}]}]
    assert split["system"] == [{"type": "text", "text": "Be."}]


def test_one_text_block_is_a_string_unless_something_hangs_on_it() -> None:
    for cache, kind in ((None, str), (CacheHint(), list)):
        req = ChatRequest([Msg.user([TextBlock("x", cache=cache)])], model="m")
        assert type(written(req).body["messages"][0]["content"]) is kind


def test_path_version_and_model() -> None:
    out = written(ChatRequest([Msg.user("x")]), path="/p", version="2030-01-01", model="own")
    assert (out.path, out.headers, out.body["model"]) == (
        "/p", {"anthropic-version": "2030-01-01"}, "own",
    )  # fmt: skip


def test_issuers_are_read() -> None:
    block = TextBlock("x", extras={"acme": {"a": 1}, "anthropic": {"b": 2}})
    out = written(ChatRequest([Msg.user([block])], model="m"), reads_items_of=("acme",))
    assert out.body["messages"][0]["content"] == [{"type": "text", "text": "x", "a": 1}]
    assert ("extras.other_provider", "$.messages[0].content[0].extras.anthropic.b") in [
        (loss.code, loss.where) for loss in out.losses
    ]


def test_a_format_keeps_the_prompt_in_the_list() -> None:
    out = dragoman.Formatter("anthropic").format_sync(REQ.messages)
    assert [m["role"] for m in out] == ["system", "user"]


def test_documents_of_plain_text() -> None:
    data = base64.b64encode("你好".encode()).decode()
    block: Any = DocumentBlock(Base64Source("text/plain", data), title="t")
    out = written(ChatRequest([Msg.user([block])], model="m"))
    assert out.body["messages"][0]["content"] == [
        {"type": "document", "title": "t",
         "source": {"type": "text", "media_type": "text/plain", "data": "你好"}}
    ]  # fmt: skip


@pytest.mark.parametrize("data", ["no base64", "/w==", "QQ"])
def test_documents_of_plain_text_that_are_none(data: str) -> None:
    """Losses, or each later turn of the conversation would fail on them."""
    block: Any = DocumentBlock(Base64Source("text/plain", data))
    out = written(ChatRequest([Msg.user([TextBlock("Sum it up."), block])], model="m"))
    assert out.body["messages"][0]["content"] == "Sum it up."
    assert [loss.where for loss in out.losses if loss.code == "media.broken"] == [
        "$.messages[0].content[1].source"
    ]


@pytest.mark.parametrize(
    "block",
    [AudioBlock(WEB), VideoBlock(WEB), RefusalBlock("no"), RawBlock("anthropic", "no object"),
     ImageBlock(LocalSource("a.png"))],
)  # fmt: skip
def test_what_no_pass_may_hand_to_a_writer_is_refused_there(block: Any) -> None:
    seated = RoledHistory([Msg("", [block, TextBlock("x")])], [USER], unusual=[0])
    with pytest.raises(WriteError) as caught:
        Anthropic().messages(seated, CAN, Report())
    assert caught.value.code == "placement.unsupported"


@pytest.mark.parametrize("odd", [True, False])
@pytest.mark.parametrize(
    ("output", "content"),
    [
        ("seen", [{"type": "text", "text": "seen"}]), ("", None), (" ", None), (None, None),
        ([], None), ([TextBlock("seen")], [{"type": "text", "text": "seen"}]),
        ([TextBlock(" ")], None),
    ],
)  # fmt: skip
def test_results_look_the_same_whether_they_were_marked_or_not(
    output: Any, content: Any, odd: bool
) -> None:
    seated = RoledHistory([Msg("", [ToolResultBlock("c", "f", output)], "tool")], [USER])
    seated.unusual = [0] if odd else []
    (message,) = Anthropic().messages(seated, CAN, Report())
    assert message["content"][0].get("content") == content


def test_calls_look_the_same_whether_they_were_marked_or_not() -> None:
    msg = Msg.assistant([ToolUseBlock("c", "f", {"a": 1})])
    plain = Anthropic().messages(RoledHistory([msg], [2]), CAN, Report())
    assert plain == Anthropic().messages(RoledHistory([msg], [2], unusual=[0]), CAN, Report())


def test_inputs_are_shared_and_never_changed() -> None:
    given = {"a": [1]}
    msg = Msg.assistant([ToolUseBlock("c", "f", given)])
    out = written(ChatRequest([Msg.user("x"), msg], model="m"))
    assert out.body["messages"][1]["content"][0]["input"] is given
    assert given == {"a": [1]}


def test_the_largest_answer_is_said_or_chosen() -> None:
    assert written(REQ).body["max_tokens"] == CAN.max_tokens
    own = replace(REQ, options=Options(max_tokens=5))
    assert written(own).body["max_tokens"] == 5
    assert [loss.code for loss in written(own).losses] == []
