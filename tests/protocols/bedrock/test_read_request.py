"""Requests of Converse read into the tree: what it is made of, and the same body said again."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest

from dragoman import Msg
from dragoman.message import (
    Base64Source,
    CacheHint,
    DocumentBlock,
    ImageBlock,
    Origin,
    RawBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    VideoBlock,
)
from tests.each_case import each_case

from .as_read import ALL, ISSUER, POINT, again, read

PNG = b64encode(b"\x89PNG\r\n\x1a\n").decode()
SEALED = {"reasoningContent": {"redactedContent": b64encode(b"c2VhbGVk").decode()}}
THOUGHT = {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "c2ln"}}}
CALL = {"toolUse": {"toolUseId": "t1", "name": "look", "input": {"at": [1, 1.0, True]}}}


def said(*content: Any, role: str = "user") -> Msg:
    """The message that this content makes."""
    return read({"messages": [{"role": role, "content": [*content]}]}).messages[0]


def test_the_model_and_the_stream_stand_in_the_path() -> None:
    body: dict[str, Any] = {"messages": [{"role": "user", "content": [{"text": "Hi"}]}]}
    req = read(body)
    assert (req.model, req.stream) == ("us.anthropic.claude-sonnet-5", False)
    assert req.messages[0].content == [TextBlock("Hi")]
    assert req.extras is None
    arn = "/edge/model/arn%3Aaws%3Abedrock%3A%3Ainference-profile%2Fx/converse-stream?a=b"
    req = read(body, arn)
    assert (req.model, req.stream) == ("arn:aws:bedrock::inference-profile/x", True)
    assert read(body, None).model is None
    assert read(body, "/v1/messages").model is None


def test_a_model_in_the_body_is_the_model_where_the_path_says_no_other() -> None:
    body: dict[str, Any] = {"modelId": "amazon.nova-lite-v1:0", "messages": []}
    assert read(body, None).model == "amazon.nova-lite-v1:0"
    assert read(body, "/model/amazon.nova-lite-v1%3A0/converse").extras == {
        f"{ISSUER} (notes)": {"model": "body"}
    }
    assert read(body).extras == {ISSUER: {"modelId": "amazon.nova-lite-v1:0"}}


def test_the_system_prompt_is_the_first_message() -> None:
    guarded = {"guardContent": {"text": {"text": "Obey.", "qualifiers": ["query"]}}}
    body: dict[str, Any] = {
        "system": [{"text": "Be kind."}, POINT, guarded],
        "messages": [{"role": "system", "content": [{"text": "Now be brief."}]}],
    }
    first, second = read(body).messages
    assert (first.role, first.spelling) == ("system", "top list")
    own = {ISSUER: {"guardContent": {"text": {"qualifiers": ["query"]}}}}
    assert first.content == [
        TextBlock("Be kind.", cache=CacheHint()),
        TextBlock("Obey.", extras=own),
    ]
    assert (second.role, second.spelling) == ("system", None)
    assert "system" not in again(read(body), ALL - {"system"})


@pytest.mark.parametrize("system", [[], None, {}, "You are a bridge.", [None], [{"odd": 1}, POINT]])
def test_odd_system_prompts_come_back(system: Any) -> None:
    read({"system": system, "messages": []})


def test_a_cache_point_is_a_hint_on_the_block_before_it() -> None:
    hour = {"cachePoint": {"type": "default", "ttl": "1h"}}
    m = said({"text": "A"}, POINT, {"text": "B"}, hour)
    assert m.content == [TextBlock("A", cache=CacheHint()), TextBlock("B", cache=CacheHint("1h"))]


def test_a_cache_point_with_nothing_to_mark_stays_a_block() -> None:
    odd = {"cachePoint": {"type": "default", "ttl": 5}}
    m = said(POINT, {"text": "A"}, POINT, POINT, odd, role="assistant")
    assert [type(b) for b in m.content] == [RawBlock, TextBlock, RawBlock, RawBlock]
    after_thinking = said(THOUGHT, POINT, role="assistant")
    assert [type(b) for b in after_thinking.content] == [ThinkingBlock, RawBlock]


def test_media_have_a_source_and_a_type() -> None:
    place = {"s3Location": {"uri": "s3://b/film.mp4", "bucketOwner": "1"}}
    m = said(
        {"image": {"format": "png", "source": {"bytes": PNG}}},
        {"document": {"format": "pdf", "name": "Plan", "source": {"bytes": PNG},
                      "context": "draft", "citations": {"enabled": True}}},
        {"video": {"format": "mp4", "source": place}},
        {"document": {"format": "md", "name": "Note", "source": {"text": "# Hé"}}},
    )  # fmt: skip
    note = b64encode("# Hé".encode()).decode()
    owner = {ISSUER: {"source": {"s3Location": {"bucketOwner": "1"}}}}
    assert m.content == [
        ImageBlock(Base64Source("image/png", PNG)),
        DocumentBlock(Base64Source("application/pdf", PNG), "Plan", context="draft", cite=True),
        VideoBlock(URLSource("s3://b/film.mp4", "video/mp4"), extras=owner),
        DocumentBlock(Base64Source("text/markdown", note), "Note"),
    ]


@each_case(
    "block",
    [
        {"audio": {"format": "mpga", "source": {"bytes": "AAAA"}}},
        {"audio": {"format": "mkv", "source": {"bytes": "AAAA"}}},
        {"image": {"format": "jpg", "source": {"bytes": "/9j/"}}},
        {"document": {"name": "Bare", "source": {"bytes": "AAAA"}}},
        {"document": {"name": "Bare", "source": {"text": "words"}}},
        {"document": {"format": "pdf", "name": "Far", "source": {"s3Location": {"uri": "s3://k"}}}},
        {"document": {"name": "Cut", "source": {"content": [{"text": "a"}, {"text": "b"}]}}},
        {"image": {"format": "tiff", "source": {"bytes": "AAAA"}}},
        {"image": {"format": None, "source": {"s3Location": {"uri": "s3://k.png"}}}},
        {"image": {"format": "png", "source": {"bytes": [1, 2]}}},
        {"guardContent": {"image": {"format": "png", "source": {"bytes": "AAAA"}}}},
        {"guardContent": {"text": {"text": "plain"}}},
        {"document": {"name": "Cut", "format": "md", "source": {"content": [{"text": "a"}]}}},
        {"document": {"name": "Cut", "source": {"content": [{"text": "a", "more": 1}]}}},
        {"searchResult": {"source": "s", "title": "t", "content": [{"text": "x"}]}},
        {"searchResult": {"source": "s", "title": "t", "content": [{"text": "x"}], "more": 1,
                          "citations": {"enabled": False}}},
        {"searchResult": {"source": "s", "title": "t", "content": [], "citations": {}}},
        {"searchResult": {"source": 1, "title": "t", "content": [{"text": "x"}]}},
        {"toolAddition": {"tool": {"name": "late"}}},
        {"citationsContent": {"content": [{"text": "a"}, {"text": "b"}], "citations": [{}]}},
        {"citationsContent": {"content": [{"text": ""}], "citations": []}},
        {"citationsContent": {"citations": [7]}},
        {"citationsContent": {"content": "text"}},
        {"text": "t", "citations": []},
        {"text": "t", "guardContent": 1},
        {"text": "t", "type": "text"},
        {"text": None},
        {"reasoningContent": {"reasoningText": {"signature": "s"}}},
        {"reasoningContent": {"reasoningText": {"text": "t", "signature": None, "more": 1}}},
        {"reasoningContent": {"redactedContent": "no base64!"}},
        {"reasoningContent": {"redactedContent": "YR=="}},
        {"reasoningContent": {"redactedContent": "/w=="}},
        {"toolUse": {"toolUseId": "t", "name": "f", "input": '{"x": 1}'}},
        {"toolUse": {"toolUseId": "t", "name": "f", "input": {}, "type": "tool_use"}},
        {"toolUse": {"toolUseId": "t", "name": "f", "input": {}, "type": "server_tool_use"}},
        {"toolUse": {"toolUseId": 1, "name": "f", "input": {}}},
        {"toolUse": {"name": "f"}},
        {"toolResult": {"toolUseId": "t", "content": []}},
        {"toolResult": {"toolUseId": "t", "content": None}},
        {"toolResult": {"toolUseId": "t", "content": [{"json": [1]}, POINT, "x"]}},
        {"toolResult": {"toolUseId": "t", "content": [{"text": "a"}], "status": "odd", "more": {}}},
        {"toolResult": {"toolUseId": "t", "content": [{"text": "a"}], "type": "nova"}},
        {"toolUse": None, "toolResult": None},
        {},
        None,
        "text",
    ],
)  # fmt: skip
@each_case("role", ["user", "assistant", "system"])
def test_every_block_comes_back_as_it_was(block: Any, role: str) -> None:
    said(block, {"text": "."}, block, POINT, role=role)


def test_a_turn_of_the_model() -> None:
    told = {"text": "It is cited."}
    cited = {"citationsContent": {"content": [told], "citations": [
        {"title": "Skies", "location": {"web": {"url": "https://a.example/"}}}]}}  # fmt: skip
    m = said(THOUGHT, SEALED, cited, CALL, role="assistant")
    thought, sealed, text, call = m.blocks
    origin = Origin(ISSUER, "us.anthropic.claude-sonnet-5")
    assert thought == ThinkingBlock("Hm.", "c2ln")
    assert sealed == ThinkingBlock("", redacted="c2VhbGVk")
    assert thought.origin == sealed.origin == origin
    assert isinstance(text, TextBlock)
    assert text.text == "It is cited."
    assert [one.url for one in text.citations or ()] == ["https://a.example/"]
    assert call == ToolUseBlock("t1", "look", {"at": [1, 1.0, True]})


def test_results_and_words_share_a_message_of_the_user() -> None:
    inner = [{"text": "a"}, {"image": {"format": "png", "source": {"bytes": PNG}}}]
    m = said(
        {"toolResult": {"toolUseId": "1", "content": [{"text": "fine"}]}},
        {"toolResult": {"toolUseId": "2", "content": [{"json": {"n": 1}}], "status": "error"}},
        {"toolResult": {"toolUseId": "3", "content": inner, "status": "success"}},
        POINT,
        {"text": "Go on."},
    )
    image = ImageBlock(Base64Source("image/png", PNG))
    assert m.role == "user"
    assert m.content == [
        ToolResultBlock("1", output="fine"),
        ToolResultBlock("2", output={"n": 1}, is_error=True),
        ToolResultBlock("3", output=[TextBlock("a"), image], cache=CacheHint()),
        TextBlock("Go on."),
    ]


def test_a_servers_tool_stays_whole_and_paired() -> None:
    call = {"toolUse": {"toolUseId": "s", "name": "nova_grounding", "input": {},
                        "type": "server_tool_use"}}  # fmt: skip
    found = {"toolResult": {"toolUseId": "s", "content": [{"text": "x"}], "status": "success"}}
    assert said(call, found, role="assistant").content == [
        RawBlock(ISSUER, call, "call", "s"),
        RawBlock(ISSUER, found, "result", "s"),
    ]


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "content": "words"},
        {"role": "user", "content": None},
        {"role": "user"},
        {"role": "user", "content": []},
        {"role": "tool", "content": [{"text": "x"}]},
        {"role": "assistant", "content": [{"text": "x"}], "id": 7},
        {"content": []},
        "words",
        None,
    ],
)
def test_odd_messages_come_back(message: Any) -> None:
    read({"messages": [message, {"role": "user", "content": [{"text": "Hi"}]}]})


@pytest.mark.parametrize("messages", [None, {}, "x"])
def test_what_is_no_list_of_messages_comes_back(messages: Any) -> None:
    assert read({"messages": messages}).messages == []
    assert read({}).messages == []
