"""`Content`s of Google's ADK, judged by the types of google-genai."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from google.genai import types

from dragoman import LLM, LossRefused, Msg, NotMessages
from dragoman.bridges import find_bridge, google_adk
from dragoman.bridges.google_adk import LIMITS, read_messages, write_messages
from dragoman.message import (
    Base64Source,
    CacheHint,
    Citation,
    ContentBlock,
    DocumentBlock,
    ImageBlock,
    LocalSource,
    Origin,
    RawBlock,
    RefusalBlock,
    TextBlock,
    TextSource,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from tests.each_case import each_case

from .conversations import PNG

PARTS: list[dict[str, Any]] = [
    {"text": "Hm.", "thought": True},
    {"text": "I look.", "thoughtSignature": "c2ln"},
    {"functionCall": {"id": "c_1", "name": "f", "args": {"a": 1}}, "thoughtSignature": "-_8="},
    {"executableCode": {"language": "PYTHON", "code": "1"}},
    {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}},
]
IMAGE = {"inlineData": {"mimeType": "image/png", "data": PNG}}
THEIRS = [
    types.Content.model_validate(one)
    for one in (
        {"role": "user", "parts": [
            {"text": "Look"},
            {"inlineData": {"mimeType": "image/png", "data": PNG}},
            {"fileData": {"fileUri": "gs://a/b.png", "mimeType": "image/png"}},
        ]},
        {"role": "model", "parts": PARTS},
        {"role": "user", "parts": [
            {"functionResponse": {"id": "c_1", "name": "f", "response": {"result": [1, 2]}}},
            {"functionResponse": {"id": "c_2", "name": "f", "response": {"error": "no"}}},
            {"functionResponse": {"id": "c_3", "name": "f", "response": {"output": "x"},
                                  "parts": [IMAGE]}},
        ]},
    )
]  # fmt: skip


def test_their_contents_come_back() -> None:
    read = read_messages(THEIRS)
    written = write_messages(read.messages)
    assert read.losses + written.losses == []
    assert written.messages == THEIRS
    assert [msg.role for msg in read.messages] == ["user", "assistant", "tool"]
    results = [block for block in read.messages[2].blocks if isinstance(block, ToolResultBlock)]
    assert [(one.output, one.is_error) for one in results[:2]] == [
        ({"result": [1, 2]}, False), ("no", True),
    ]  # fmt: skip
    sent = LLM("gemini/gemini-3-pro", key="none").request(read.messages[:2]).body["contents"][1]
    seals = [part.get("thoughtSignature") for part in sent["parts"]]
    assert seals[1:3] == ["c2ln", "+/8="], "bytes are base64 of the usual alphabet again"


def test_json_in_either_spelling_is_read_as_the_objects() -> None:
    read = read_messages(THEIRS).messages
    for by_alias in (True, False):
        text = [one.model_dump_json(exclude_none=True, by_alias=by_alias) for one in THEIRS]
        found = read_messages([json.loads(one) for one in text]).messages
        assert found == read or not by_alias  # what Gemini alone has keeps its spelling
        assert write_messages(found).messages == THEIRS
    assert read_messages(THEIRS[0]).messages == read[:1]


def test_events_of_a_session_are_read() -> None:
    """An event has `author` and `content`; one that only acts has no content."""

    def event(author: str, content: types.Content | None) -> Any:
        data = {"author": author, "content": content and content.model_dump(exclude_none=True)}
        return SimpleNamespace(model_dump=lambda **_: data)

    events = [event("user", THEIRS[0]), event("critic", None), event("critic", THEIRS[1])]
    read = read_messages(events).messages
    assert [(msg.role, msg.name) for msg in read] == [("user", ""), ("assistant", "critic")]
    dicts = [{"author": "user", "content": {"role": "user", "parts": [{"text": "Hi"}]}}]
    assert read_messages(dicts).messages == [Msg.user("Hi")]


def test_an_llm_takes_contents() -> None:
    asked = types.Content(role="user", parts=[types.Part(text="Where is Paris?")])
    body = LLM("anthropic/claude-opus-5-5", key="none").request([asked]).body
    assert body["messages"][0]["role"] == "user"
    assert find_bridge(asked) is google_adk
    assert find_bridge(object()) is None


@each_case("value", [3, None, "x", [3], [{"role": "user"}], [{"author": "user", "content": 3}]])
def test_what_is_no_content_is_refused(value: Any) -> None:
    with pytest.raises(NotMessages) as caught:
        read_messages(value)
    assert caught.value.path in ("$", "$[0]")


# -- what contents cannot hold --------------------------------------------------------------------


def told(*blocks: ContentBlock) -> list[Msg]:
    return [Msg.assistant([*blocks], origin=Origin("gemini"))]


PDF = Base64Source("application/pdf", "JVBERi0=")
# in the order of the limits: what is given, and what comes back
PROOFS: list[tuple[list[Msg], list[Msg]]] = [
    ([Msg.system("x")], [Msg.user("x")]),
    (
        [*told(ToolUseBlock("a", "f", {})), Msg.tool("a", [TextBlock("x"), TextBlock("y")]),
         Msg.tool("a", {"x": 1}, is_error=True)],
        [*told(ToolUseBlock("a", "f", {})), Msg.tool("a", "x\n\ny", "f"),
         Msg.tool("a", '{"x": 1}', "f", is_error=True)],
    ),
    ([Msg.user("Hi", "Bob")], [Msg.user("Hi")]),
    (
        told(ToolUseBlock("a", "f", "{bad")),
        told(ToolUseBlock("a", "f", {"input": "{bad", "error": "no JSON object"})),
    ),
    (
        told(ToolUseBlock("a", "f", {"x": 1.0}, '{ "x": 1.0 }')),
        told(ToolUseBlock("a", "f", {"x": 1.0})),
    ),
    (told(ThinkingBlock("a", "sig"), TextBlock("b")), told(ThinkingBlock("a"), TextBlock("b"))),
    ([Msg.user([DocumentBlock(TextSource(["a", "b"]))])], [Msg.user("a\n\nb")]),
    (
        [Msg.user([TextBlock("x"), ImageBlock(LocalSource("a.png"))])],
        [Msg.user([TextBlock("x")])],
    ),
    ([Msg.user([DocumentBlock(PDF, "A", cite=True)])], [Msg.user([DocumentBlock(PDF)])]),
    (told(RefusalBlock("No.")), told(TextBlock("No."))),
    (told(TextBlock("x", [Citation(url="https://example.com")])), told(TextBlock("x"))),
    ([Msg.user([TextBlock("x", cache=CacheHint())])], [Msg.user("x")]),
    (told(RawBlock("anthropic", {"type": "x"}), TextBlock("x")), told(TextBlock("x"))),
    (told(TextBlock("x", extras={"anthropic": {"y": 1}})), told(TextBlock("x"))),
]  # fmt: skip


def test_every_limit_is_one() -> None:
    for limit, (given, expected) in zip(LIMITS, PROOFS, strict=True):
        written = write_messages(given, policy="ignore")
        codes = {loss.code for loss in written.losses}
        assert codes == ({limit.code} if limit.code else set()), limit.what
        assert all(loss.where.startswith("$.messages[") for loss in written.losses)
        assert read_messages(written.messages).messages == expected, limit.what
    with pytest.raises(LossRefused):
        write_messages([Msg.system("x")], policy="refuse")


def test_what_their_types_refuse_is_a_loss() -> None:
    blocks: list[ContentBlock] = [
        TextBlock("x"),
        ImageBlock(Base64Source("image/png", "iVB!")),
        RawBlock("gemini", {"ofTomorrow": {}}),
    ]
    written = write_messages(told(*blocks), policy="ignore")
    assert [(loss.code, loss.where) for loss in written.losses] == [
        ("media.broken", "$.messages[0].content[1].source"),
        ("block.unsupported", "$.messages[0].content[2]"),
    ]
    assert read_messages(written.messages).messages == told(TextBlock("x"))
