"""`ChatMessage`s of LlamaIndex, judged by LlamaIndex and by what its chat clients send."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from llama_index.core.base.llms.types import (
    AudioBlock as TheirAudio,
)
from llama_index.core.base.llms.types import (
    CacheControl,
    CachePoint,
    ChatMessage,
    CitableBlock,
    CitationBlock,
    MessageRole,
    ToolCallBlock,
)
from llama_index.core.base.llms.types import ChatResponse as TheirResponse
from llama_index.core.base.llms.types import DocumentBlock as TheirDocument
from llama_index.core.base.llms.types import ImageBlock as TheirImage
from llama_index.core.base.llms.types import TextBlock as TheirText
from llama_index.core.base.llms.types import ThinkingBlock as TheirThinking
from llama_index.core.base.llms.types import VideoBlock as TheirVideo
from llama_index.core.llms.llm import ToolSelection
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.tools import FunctionTool
from llama_index.core.tools.calling import call_tool_with_selection
from llama_index.llms.anthropic import utils as for_claude
from llama_index.llms.openai.utils import to_openai_message_dict, to_openai_responses_message_dict

from dragoman import LLM, Msg, NotMessages
from dragoman.bridges import find_bridge, llama_index
from dragoman.bridges.llama_index import LIMITS, read_messages, write_messages
from dragoman.message import (
    Base64Source,
    CacheHint,
    Citation,
    ContentBlock,
    DocumentBlock,
    FileSource,
    ImageBlock,
    Origin,
    RawBlock,
    RefusalBlock,
    TextBlock,
    TextSource,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
)
from dragoman.testing import Scripted
from tests.bridges.conversations import CALLS, CONVERSATIONS, PDF, PNG, one_call, split_results
from tests.bridges.law import Bridge, check_limits, plain_results
from tests.each_case import each_case


def _calls(messages: Sequence[ChatMessage]) -> list[tuple[str, Any]]:
    """What the agents of LlamaIndex would run."""
    found = [_selected(message) for message in messages]
    calls = [call for one in found for call in one]
    return [(call.tool_name, call.tool_kwargs) for call in calls
            if call.tool_kwargs.keys() != {"input", "error"}]  # fmt: skip


def _claude(messages: Sequence[ChatMessage]) -> tuple[list[Any], str]:
    """What its client for Anthropic sends: it makes dicts by a type that is a union by now."""
    with patch.object(for_claude, "MessageParam", dict):
        found: tuple[list[Any], str] = for_claude.messages_to_anthropic_messages(messages)
    return found


def _selected(message: ChatMessage) -> list[Any]:
    answer = TheirResponse(message=message)
    found: list[Any] = MockFunctionCallingLLM().get_tool_calls_from_response(answer)
    return found


def _without_notes(messages: list[ChatMessage]) -> list[dict[str, Any]]:
    found = [copy.deepcopy(one.model_dump(mode="json")) for one in messages]
    for one in found:
        one["additional_kwargs"].pop("dragoman", None)
    return found


def _erase(messages: list[Msg]) -> list[Msg]:
    """A cache hint always has a time, and an address the type that its end shows."""
    for msg in plain_results(messages):
        for block in msg.blocks:
            if isinstance(source := getattr(block, "source", None), URLSource):
                source.media_type = None
            if getattr(block, "cache", None) == CacheHint():
                block.cache = CacheHint("5m")  # type: ignore[union-attr]
    return messages


BRIDGE = Bridge(
    "llama_index",
    read_messages,
    write_messages,
    LIMITS,
    split_results,
    _calls,
    wraps=True,
    keeps=True,
    bare=_without_notes,
    erase=_erase,
    dump=lambda messages: [json.loads(one.model_dump_json()) for one in messages],
)

# what its own constructors and clients make
THEIRS = [
    ChatMessage("Be brief.", role="system"),
    ChatMessage("Be kind.", role=MessageRole.DEVELOPER, additional_kwargs={"page": 3}),
    ChatMessage(role="user", blocks=[
        TheirText(text="Look"), TheirImage(image=b"\x89PNG\r\n\x1a\n", detail="low"),
        TheirImage(url="https://example.com"), TheirAudio(audio=b"\x00\x01", format="mp3"),
        TheirVideo(url="https://example.com/a.mp4", fps=3),
        TheirDocument(data=b"%PDF-", title="A"), TheirDocument(url="https://example.com/a.pdf"),
        CachePoint(cache_control=CacheControl(type="ephemeral", ttl="1h")),
        CitableBlock(title="Paris", source="https://example.com", content="It is warm."),
    ]),
    ChatMessage(role="assistant", blocks=[
        TheirThinking(content="Hm.", additional_information={"signature": "c2ln",
                                                             "type": "thinking"}),
        TheirText(text="I look."),
        ToolCallBlock(tool_call_id="c_1", tool_name="warmth", tool_kwargs={"city": "Paris"}),
        ToolCallBlock(tool_name="warmth", tool_kwargs='{"city": "Rome"}'),
        CitationBlock(cited_content="x", source="s", title="t", additional_location_info={"a": 1}),
    ]),
    ChatMessage("18 degrees", role="tool", additional_kwargs={"tool_call_id": "c_1"}),
    ChatMessage("no", role="function", additional_kwargs={"call_id": "c_2", "name": "f"}),
    ChatMessage(role="tool", additional_kwargs={"tool_call_id": "c_3", "name": "look"},
                blocks=[TheirText(text="It shows:"), TheirImage(image=b"\x89PNG\r\n\x1a\n")]),
    ChatMessage(role="assistant", blocks=[
        TheirThinking(content="First.\nThen.", num_tokens=9, additional_information={
            "id": "rs_1", "type": "reasoning", "encrypted_content": "gAAAA", "status": None}),
        TheirThinking(), TheirText(text="Hello!"), TheirText(text=""),
    ]),
    ChatMessage(role="assistant", content="", additional_kwargs={"tool_calls": [
        {"id": "c_4", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}),
    ChatMessage("I am a bot.", role=MessageRole.CHATBOT),
    ChatMessage("I am a model.", role=MessageRole.MODEL, blocks=[TheirText(text="No.")]),
    ChatMessage(role="user", blocks=[]),
]  # fmt: skip


def test_their_messages_come_back() -> None:
    stored = json.loads(json.dumps([one.model_dump(mode="json") for one in THEIRS]))
    for given in (THEIRS, stored):
        read = read_messages(given)
        written = write_messages(read.messages)
        assert read.losses + written.losses == []
        assert written.messages == THEIRS
        assert [json.loads(one.model_dump_json()) for one in written.messages] == stored


def test_their_messages_are_ours() -> None:
    read = read_messages(THEIRS).messages
    kept = [i for i, msg in enumerate(read) if "message" in msg.metadata.get("llama-index", {})]
    assert kept == [2, 3, 5, 7, 8, 9, 10], "only what cannot be written from ours stays as it was"
    assert [msg.role for msg in read] == [
        "system", "developer", "user", "assistant", "tool", "tool", "tool", "assistant",
        "assistant", "assistant", "assistant", "user",
    ]  # fmt: skip
    assert read[10].text == "I am a model.", "`content` counts, and not the blocks beside it"
    seen = read[2].blocks
    assert [block.type for block in seen] == [
        "text", "image", "image", "audio", "video", "document", "document", "document",
    ]  # fmt: skip
    assert seen[1] == ImageBlock(Base64Source("image/png", PNG), detail="low")
    assert seen[6].cache == CacheHint("1h")  # type: ignore[union-attr]
    assert seen[7] == DocumentBlock(TextSource(["It is warm."], "https://example.com"), "Paris")
    said = read[3]
    assert said.origin == Origin("anthropic")
    assert said.blocks[:2] == [ThinkingBlock("Hm.", "c2ln"), TextBlock("I look.")]
    assert [(call.id, call.input) for call in said.calls] == [
        ("c_1", {"city": "Paris"}), ("", {"city": "Rome"}),
    ]  # fmt: skip
    results = [block for msg in read[4:7] for block in msg.blocks]
    assert [(one.id, one.name) for one in results if isinstance(one, ToolResultBlock)] == [
        ("c_1", ""), ("c_2", "f"), ("c_3", "look"),
    ]  # fmt: skip
    assert read[7].origin == Origin("openai-responses")
    assert read[7].blocks[0].redacted == "gAAAA"  # type: ignore[union-attr]
    assert read[8].calls == [ToolUseBlock("c_4", "f", {}, "{}")]  # of releases before
    answer = TheirResponse(message=THEIRS[9], additional_kwargs={
        "prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11})  # fmt: skip
    [msg] = read_messages(answer).messages
    assert msg.metadata["usage"] == {"input": 9, "output": 2, "total": 11}
    assert find_bridge(answer) is llama_index
    assert read_messages({"role": "user", "content": "Hi"}).messages == [Msg.user("Hi")]


def test_calls_of_earlier_releases_are_not_sent_twice() -> None:
    [msg] = read_messages(THEIRS[8]).messages
    msg.content = [ToolUseBlock("c_5", "g", {"a": 1})]
    [written] = write_messages([msg]).messages
    assert "tool_calls" not in written.additional_kwargs
    assert [(one.tool_call_id, one.tool_name) for one in written.blocks] == [("c_5", "g")]


def test_media_in_files_are_read_as_their_bytes(tmp_path: Path) -> None:
    """Of an open file `model_dump_json` makes a text, which fails; a path is not opened here."""
    data = b"\x89PNG\r\n\x1a\n"
    opened = ChatMessage(role="user", blocks=[TheirImage(image=BytesIO(data))])
    with pytest.raises(ValueError, match="utf-8"):
        opened.model_dump_json()
    [read] = read_messages([opened]).messages
    assert read.blocks == [ImageBlock(Base64Source("image/png", PNG))]
    file = tmp_path / "a.png"
    file.write_bytes(data)
    there = [ChatMessage(role="user", blocks=[TheirImage(path=file)])]
    assert write_messages(read_messages(there).messages).messages == there
    stored = [json.loads(one.model_dump_json()) for one in there]
    history = read_messages(stored).messages
    file.unlink()
    assert [loss.code for loss in write_messages(history).losses] == ["media.source"]


def test_images_are_base64_text() -> None:
    """LlamaIndex takes bytes that look like base64 for base64: of four letters it makes three."""
    [written] = write_messages(CONVERSATIONS["results with media and objects"][:1]).messages
    image = written.blocks[1]
    assert image.image == PNG.encode()
    assert image.resolve_image().read() == b"\x89PNG\r\n\x1a\n"
    assert TheirImage(image=b"abcd").resolve_image().read() != b"abcd"
    broken = Msg.user([TextBlock("x"), ImageBlock(Base64Source("image/png", "iVB!"))])
    assert [loss.code for loss in write_messages([broken]).losses] == ["media.broken"]


@each_case("text", CALLS)
def test_their_agents_run_broken_calls(text: str) -> None:
    """A text as arguments is repaired and run; so here it is in arguments that no tool has."""
    call = ToolCallBlock(tool_call_id="c", tool_name="f", tool_kwargs=text)
    [selected] = _selected(ChatMessage(role="assistant", blocks=[call]))
    assert selected.tool_kwargs in ({}, {"city": None})
    [msg] = one_call(text, unfinished=True)[1:2]
    [written] = write_messages([msg], policy="ignore").messages
    kept = "{}" if text == "null" else text  # the text that a model means by none
    [selected] = _selected(written)
    assert selected.tool_kwargs == {"input": kept, "error": "the call is unfinished"}
    ran: list[str] = []

    def f(folder: str = "everything") -> None:
        """Remove a folder."""
        ran.append(folder)

    tools = [FunctionTool.from_defaults(f)]
    assert call_tool_with_selection(selected, tools).is_error
    assert ran == []
    alone = ToolSelection(tool_id="c", tool_name="f", tool_kwargs={"input": "{bad"})
    assert not call_tool_with_selection(alone, tools).is_error
    assert ran == ["{bad"], "the value of a single argument, whatever it is called"


# -- what its chat clients send --------------------------------------------------------------------


def test_signed_thinking_reaches_claude_again() -> None:
    sent, _ = _claude(write_messages(CONVERSATIONS["signed thinking"]).messages)
    assert [(one["role"], [part["type"] for part in one["content"]]) for one in sent] == [
        ("user", ["text"]),
        ("assistant", ["thinking", "text", "tool_use"]),  # its client has no sealed thinking
        ("user", ["tool_result"]),
        ("assistant", ["thinking", "text"]),
    ]
    assert sent[1]["content"][0] == {
        "type": "thinking", "thinking": "A greeting.", "signature": "c2lnbmVk",
    }  # fmt: skip
    assert sent[2]["content"][0]["tool_use_id"] == "toolu_1"


def test_reasoning_reaches_openai_again() -> None:
    written = write_messages(CONVERSATIONS["sealed reasoning"]).messages
    sent = to_openai_responses_message_dict(written[1], store=True)
    assert sent[0] == {
        "type": "reasoning", "id": "rs_1",
        "summary": [{"type": "summary_text", "text": "First.\nThen."}],
    }  # fmt: skip
    assert written[1].blocks[0].additional_information["encrypted_content"] == "gAAAA"


def test_calls_and_results_are_sent() -> None:
    messages = CONVERSATIONS["parallel calls with a result that failed"]
    chat = [to_openai_message_dict(one) for one in write_messages(messages).messages]
    assert [one["id"] for one in chat[1]["tool_calls"]] == ["c_1", "c_2"]
    assert chat[2:4] == [
        {"role": "tool", "content": "18 degrees", "tool_call_id": "c_1"},
        {"role": "tool", "content": "Error: no such city", "tool_call_id": "c_2"},
    ]
    media = write_messages(CONVERSATIONS["results with media and objects"]).messages
    sent = to_openai_responses_message_dict(media[2])
    assert [part["type"] for part in sent["output"]] == ["input_text", "input_image"]
    noted = write_messages([Msg.user("Hi", metadata={"secret": "noted"})]).messages
    assert "noted" not in json.dumps([to_openai_message_dict(one) for one in noted])
    assert "noted" not in json.dumps(_claude(noted))


def test_a_cache_hint_is_a_cache_point() -> None:
    messages = [Msg.user([TextBlock("Long.", cache=CacheHint("1h")), TextBlock("And now?")])]
    sent, _ = _claude(write_messages(messages).messages)
    assert sent[0]["content"] == [
        {"type": "text", "text": "Long.", "cache_control": {"type": "ephemeral", "ttl": "1h"}},
        {"type": "text", "text": "And now?"},
    ]
    with pytest.raises(ValueError, match="CachePoint"):
        to_openai_message_dict(write_messages(messages).messages[0])


# -- what an LLM is asked --------------------------------------------------------------------------


def test_an_llm_takes_their_messages() -> None:
    llm = LLM("anthropic/claude-opus-5-5", key="none", transport=Scripted("In France."))
    asked = ChatMessage("Where is Paris?")
    assert find_bridge(asked) is llama_index
    answer = llm.ask([ChatMessage("Be brief.", role="system"), asked])
    [said] = write_messages([answer]).messages
    assert (said.role.value, said.content) == ("assistant", "In France.")
    [back] = read_messages([said]).messages
    assert (back.metadata["model"], back.metadata["finish"]["reason"]) == (answer.model, "stop")
    body = llm.request([asked, said, ChatMessage("And Rome?")]).body
    assert [one["role"] for one in body["messages"]] == ["user", "assistant", "user"]
    assert llm.request(asked).body["messages"][0]["role"] == "user"


@each_case(
    "value",
    [3, None, "x", b"x", [3], [{"role": "nobody"}], [{"role": "user", "blocks": 3}],
     [{"role": "user", "blocks": [{"block_type": "of_tomorrow"}]}]],
)  # fmt: skip
def test_what_is_no_message_is_refused(value: Any) -> None:
    with pytest.raises(NotMessages) as caught:
        read_messages(value)
    assert caught.value.path in ("$", "$[0]")


# -- what LlamaIndex cannot hold -------------------------------------------------------------------


def told(*blocks: ContentBlock, issuer: str = "") -> list[Msg]:
    return [Msg.assistant([*blocks], origin=Origin(issuer) if issuer else None)]


PICTURE = Base64Source("image/png", PNG)
SOURCE = Base64Source("application/pdf", PDF)
WRAPPED = {"input": "{bad", "error": "no JSON object"}
# in the order of the limits: what is given, and what LlamaIndex itself holds of it
PROOFS: list[tuple[list[Msg], list[Msg]]] = [
    (
        [Msg.user([ToolResultBlock("a", "", "1"), ToolResultBlock("b", "", "2"), TextBlock("z")])],
        [Msg.tool("a", "1"), Msg.tool("b", "2"), Msg.user("z")],
    ),
    ([Msg.user("Hi", "Bob")], [Msg.user("Hi")]),
    (told(ToolUseBlock("a", "f", "{bad")), told(ToolUseBlock("a", "f", WRAPPED))),
    (told(ToolUseBlock("a", "f", {}, namespace="n")), told(ToolUseBlock("a", "f", {}))),
    ([Msg.tool("a", "x", is_error=True)], [Msg.tool("a", "Error: x")]),
    ([Msg.tool("a", {"x": 1})], [Msg.tool("a", '{"x": 1}')]),
    (
        [Msg.user([TextBlock("x"), DocumentBlock(FileSource("file_1")),
                   ImageBlock(URLSource("a.png"))])],
        [Msg.user("x")],
    ),
    ([Msg.user([DocumentBlock(TextSource(["a", "b"]))])], [Msg.user("a\n\nb")]),
    ([Msg.user([ImageBlock(PICTURE, "A")])], [Msg.user([ImageBlock(PICTURE)])]),
    (told(RefusalBlock("No.")), told(TextBlock("No."))),
    (told(TextBlock("x", [Citation(url="https://example.com")])), told(TextBlock("x"))),
    (
        told(ThinkingBlock("", redacted="c2VhbGVk"), TextBlock("x"), issuer="anthropic"),
        told(TextBlock("x")),
    ),
    (told(ThinkingBlock("a", "sig"), TextBlock("b")), told(ThinkingBlock("a"), TextBlock("b"))),
    (told(RawBlock("anthropic", {"type": "x"}), TextBlock("x")), told(TextBlock("x"))),
    (told(TextBlock("x", extras={"anthropic": {"y": 1}})), told(TextBlock("x"))),
]  # fmt: skip


def test_every_limit_is_one() -> None:
    check_limits(BRIDGE, PROOFS)
    [read] = read_messages(write_messages([Msg.user([DocumentBlock(SOURCE)])]).messages).messages
    assert read.blocks == [DocumentBlock(SOURCE)]  # without the title that LlamaIndex makes
