"""`ModelMessage`s of the AI SDK, judged by the package `ai` itself in Node."""

from __future__ import annotations

import copy
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from dragoman import LLM, Msg, NotMessages
from dragoman.bridges.ai_sdk import LIMITS, read_messages, write_messages, write_ui_messages
from dragoman.message import (
    Base64Source,
    CacheHint,
    Citation,
    ContentBlock,
    DocumentBlock,
    ImageBlock,
    LocalSource,
    RawBlock,
    RefusalBlock,
    TextBlock,
    TextSource,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
)
from tests.docs.pages import ROOT
from tests.each_case import each_case
from tests.house.needs import program

from .conversations import CALLS, CLAUDE, CONVERSATIONS, PNG, one_call
from .crossing import BRIDGES
from .law import as_held

JUDGE = Path(__file__).with_name("judge_messages.mjs")
UI_JUDGE = Path(__file__).with_name("judge_ui_messages.mjs")
PACKAGES = ROOT / ".venv" / ".js"


def judged(conversations: list[list[Any]], judge: Path = JUDGE) -> list[Any]:
    """What the AI SDK makes of each list: what its schema read, and what a provider is given."""
    node = program("node", "the AI SDK judges messages")
    done = subprocess.run([node, str(judge)], cwd=PACKAGES, input=json.dumps(conversations),
                          capture_output=True, text=True, check=False, timeout=120)  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: list[Any] = json.loads(done.stdout)
    return found


def calls_and_results(prompt: list[Any]) -> list[tuple[str, str]]:
    return [
        (part["type"], part["toolCallId"])
        for one in prompt
        for part in (one["content"] if isinstance(one["content"], list) else [])
        if part["type"] in ("tool-call", "tool-result")
    ]


def test_the_sdk_takes_what_is_written_and_strips_nothing() -> None:
    names = [*CONVERSATIONS, *(f"call {text}" for text in CALLS)]
    given = [*CONVERSATIONS.values(), *map(one_call, CALLS)]
    written = [write_messages(messages, policy="ignore").messages for messages in given]
    verdicts = judged(written)
    for name, messages, theirs, verdict in zip(names, given, written, verdicts, strict=True):
        assert verdict["parsed"] == theirs, name  # its schema strips what it does not know
        assert isinstance(verdict["given"], list), (name, verdict["given"])
        expected = [
            ("tool-call" if isinstance(block, ToolUseBlock) else "tool-result", block.id)
            for msg in messages
            for block in msg.blocks
            if isinstance(block, (ToolUseBlock, ToolResultBlock))
        ]
        assert calls_and_results(verdict["given"]) == expected, name
    sealed = verdicts[names.index("signed thinking")]["given"][1]["content"]
    seals = [part["providerOptions"]["anthropic"] for part in sealed if part["type"] == "reasoning"]
    assert seals == [{"signature": "c2lnbmVk"}, {"redactedData": "c2VhbGVk"}]
    openai = verdicts[names.index("sealed reasoning")]["given"][1]["content"][0]["providerOptions"]
    assert openai["openai"] == {"reasoningEncryptedContent": "gAAAA", "itemId": "rs_1"}


def test_a_misspelled_part_would_be_refused() -> None:
    [verdict] = judged([[{"role": "user", "content": [{"type": "texts", "text": "x"}]}]])
    assert "refused" in verdict["parsed"][0]
    assert "refused" in verdict["given"]


SIGNED = {"anthropic": {"signature": "c2ln"}}
THEIRS: list[Any] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": [
        {"type": "text", "text": "Look"},
        {"type": "file", "mediaType": "image/png", "data": {"type": "data", "data": PNG}},
        {"type": "file", "mediaType": "image/png", "filename": "a.png",
         "data": {"type": "url", "url": "https://example.com/a.png"}},
    ]},
    {"role": "assistant", "content": [
        {"type": "reasoning", "text": "Hm.", "providerOptions": SIGNED},
        {"type": "text", "text": "I look.", "providerOptions": {"openai": {"itemId": "msg_1"}}},
        {"type": "tool-call", "toolCallId": "c_1", "toolName": "f", "input": {"a": 1}},
        {"type": "tool-call", "toolCallId": "c_2", "toolName": "f", "input": "{bad"},
        {"type": "tool-call", "toolCallId": "s_1", "toolName": "web_search", "input": {},
         "providerExecuted": True},
        {"type": "tool-result", "toolCallId": "s_1", "toolName": "web_search",
         "output": {"type": "json", "value": []}},
        {"type": "tool-approval-request", "approvalId": "a_1", "toolCallId": "c_1"},
    ]},
    {"role": "tool", "content": [
        {"type": "tool-approval-response", "approvalId": "a_1", "approved": True},
        {"type": "tool-result", "toolCallId": "c_1", "toolName": "f",
         "output": {"type": "json", "value": [1, 2]}},
        {"type": "tool-result", "toolCallId": "c_2", "toolName": "f",
         "output": {"type": "error-text", "value": "no JSON"}},
        {"type": "tool-result", "toolCallId": "c_3", "toolName": "f",
         "output": {"type": "execution-denied", "reason": "no"}},
        {"type": "tool-result", "toolCallId": "c_4", "toolName": "f",
         "output": {"type": "content", "value": [
             {"type": "text", "text": "x"},
             {"type": "file", "mediaType": "image/png", "data": {"type": "data", "data": PNG}}]}},
    ]},
]  # fmt: skip


def test_their_messages_come_back() -> None:
    given = copy.deepcopy(THEIRS)
    read = read_messages(given)
    assert read.losses == []
    back = write_messages(read.messages)
    assert back.losses == []
    plain = json.loads(json.dumps(back.messages))
    for message in plain:
        parts = message["content"] if isinstance(message["content"], list) else []
        for one in [message, *parts]:
            one.get("providerOptions", {}).pop("dragoman", None)
            if one.get("providerOptions") == {}:
                del one["providerOptions"]
    assert plain == THEIRS
    assert given == THEIRS
    said = read.messages[2]
    assert said.origin is not None
    assert said.origin.issuer == "anthropic"
    assert [block.type for block in said.blocks] == [
        "thinking", "text", "tool_use", "tool_use", "raw", "raw", "raw",
    ]  # fmt: skip
    results = [block for block in read.messages[3].blocks if isinstance(block, ToolResultBlock)]
    assert [(one.output, one.is_error) for one in results[:3]] == [
        ("[1, 2]", False), ("no JSON", True), ("no", True),
    ]  # fmt: skip
    body = LLM("anthropic/claude-opus-5-5", key="none").request(read.messages[:3]).body
    assert body["messages"][1]["content"][0]["signature"] == "c2ln"


def test_forms_of_releases_before_are_read() -> None:
    parts = [
        {"type": "image", "image": PNG, "mediaType": "image/png"},
        {"type": "image", "image": "https://example.com/a.png"},
        {"type": "image", "image": f"data:image/png;base64,{PNG}"},
        {"type": "file", "data": PNG, "mimeType": "image/png"},
    ]
    [msg] = read_messages({"messages": [{"role": "user", "content": parts}]}).messages
    image = ImageBlock(Base64Source("image/png", PNG))
    assert msg.blocks[0] == msg.blocks[3] == image
    assert [getattr(block, "source", None) for block in msg.blocks[1:2]] == [
        URLSource("https://example.com/a.png")
    ]
    assert msg.blocks[2].source.data == PNG  # type: ignore[union-attr]


@each_case("value", [3, None, "x", [3], [{"role": "nobody", "content": "x"}], [{"role": "tool"}],
                     [{"role": "user", "content": [3]}]])  # fmt: skip
def test_what_is_no_message_is_refused(value: Any) -> None:
    with pytest.raises(NotMessages) as caught:
        read_messages(value)
    assert caught.value.path in ("$", "$[0]")


# -- what these messages cannot hold --------------------------------------------------------------


def told(*blocks: ContentBlock) -> list[Msg]:
    return [Msg.assistant([*blocks], origin=CLAUDE)]


IMAGE = ImageBlock(Base64Source("image/png", PNG))
# in the order of the limits: what is given, and what comes back
PROOFS: list[tuple[list[Msg], list[Msg]]] = [
    (
        [Msg.user([ToolResultBlock("a", "f", "1"), TextBlock("x")]),
         Msg.system([TextBlock("p"), TextBlock("q")])],
        [Msg.tool("a", "1", "f"), Msg.user([TextBlock("x")]), Msg.system("p"), Msg.system("q")],
    ),
    ([Msg("", "Hi", "developer")], [Msg.system("Hi")]),
    ([Msg.user("x", cache=CacheHint())], [Msg.user([TextBlock("x", cache=CacheHint())])]),
    ([Msg.user("Hi", "Bob")], [Msg.user("Hi", "Bob")]),
    (
        [*told(ToolUseBlock("a", "f", {})), Msg.tool("a", "1")],
        [*told(ToolUseBlock("a", "f", {})), Msg.tool("a", "1", "f")],
    ),
    (
        told(ToolUseBlock("a", "f", {"x": 1.0}, '{ "x": 1.0 }')),
        told(ToolUseBlock("a", "f", {"x": 1.0})),
    ),
    (
        [Msg.tool("a", [TextBlock("x"), IMAGE], "f", is_error=True)],
        [Msg.tool("a", [TextBlock("x"), IMAGE], "f", is_error=True)],
    ),
    (
        [Msg.user([ImageBlock(URLSource("https://example.com/a"))])],
        [Msg.user([ImageBlock(URLSource("https://example.com/a"))])],
    ),
    (
        [Msg.user([DocumentBlock(TextSource(["a", "b"]))])],
        [Msg.user([DocumentBlock(TextSource(["a\n\nb"]))])],
    ),
    (
        [Msg.user([TextBlock("x"), DocumentBlock(LocalSource("a.pdf"))])],
        [Msg.user([TextBlock("x")])],
    ),
    (told(RefusalBlock("No.")), told(TextBlock("No."))),
    (told(TextBlock("x", [Citation(url="https://example.com")])), told(TextBlock("x"))),
    (
        [Msg.assistant([ThinkingBlock("a", "sig"), TextBlock("b")])],
        [Msg.assistant([ThinkingBlock("a"), TextBlock("b")])],
    ),
    (told(RawBlock("anthropic", {"type": "x"}), TextBlock("x")), told(TextBlock("x"))),
]  # fmt: skip


def test_every_limit_is_one() -> None:
    written = [write_messages(given, policy="ignore") for given, _ in PROOFS]
    for limit, (_, expected), out in zip(LIMITS, PROOFS, written, strict=True):
        codes = {loss.code for loss in out.losses}
        assert codes == ({limit.code} if limit.code else set()), limit.what
        assert all(loss.where.startswith("$.messages[") for loss in out.losses)
        assert read_messages(out.messages).messages == expected, limit.what
    for limit, out, verdict in zip(
        LIMITS, written, judged([o.messages for o in written]), strict=True
    ):
        assert verdict["parsed"] == out.messages, limit.what


# -- what a page shows and sends ------------------------------------------------------------------

# what a page cannot hold besides
LOST = {
    "a provider's own search, citations and a refusal": ["refusal.as_text"],
    "text": ["name.unsupported"],
}  # fmt: skip


def as_shown(messages: list[Msg]) -> list[Msg]:
    """The messages as they come back from a page."""
    held = next(bridge.held for bridge in BRIDGES if bridge.name == "ai_sdk")
    return as_held(messages, held)


def test_a_page_takes_ui_messages_and_sends_the_same_to_models() -> None:
    names = [*CONVERSATIONS, *(f"call {text}" for text in CALLS)]
    given = [*CONVERSATIONS.values(), *map(one_call, CALLS)]
    written = [write_ui_messages(messages, policy="ignore") for messages in given]
    verdicts = judged([out.messages for out in written], UI_JUDGE)
    for name, messages, out, verdict in zip(names, given, written, verdicts, strict=True):
        assert verdict.get("valid") == out.messages, (name, verdict.get("refused"))
        codes = sorted({loss.code for loss in out.losses} - {"result.name"})
        assert codes == LOST.get(name, []), name
        back = read_messages(out.messages).messages
        if not codes:
            assert as_shown(back) == as_shown(messages), name
        if not codes and not name.startswith("results"):
            # what the SDK makes of them for a model is what we read; of a result with media it
            # makes JSON, and leaves out that it was none
            assert as_shown(read_messages(verdict["made"]).messages) == as_shown(messages), name


def test_calls_that_a_provider_has_run_come_back_and_are_shown() -> None:
    """Blocks as Anthropic, Bedrock, Gemini and the Responses API send them."""
    call = {"type": "server_tool_use", "id": "s_1", "name": "web_search", "input": {"query": "x"}}
    found = {"type": "web_search_tool_result", "tool_use_id": "s_1", "content": [{"title": "x"}]}
    code = {"executableCode": {"language": "PYTHON", "code": "print(1)"}}
    ran = {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}}
    item = {"type": "web_search_call", "id": "ws_1", "action": {"type": "search"}}
    given = [Msg.user("Search."), Msg.assistant([
        RawBlock("anthropic", call, "call", "s_1"), RawBlock("anthropic", found, "result", "s_1"),
        RawBlock("gemini", code, "call"), RawBlock("gemini", ran, "result"),
        RawBlock("openai-responses", item), TextBlock("There."),
    ])]  # fmt: skip
    out = write_ui_messages(given)
    assert out.losses == []
    shown = [(one["toolName"], one["state"], one["input"], one["output"])
             for one in out.messages[1]["parts"] if one["type"] == "dynamic-tool"]  # fmt: skip
    assert shown == [
        ("web_search", "output-available", {"query": "x"}, [{"title": "x"}]),
        ("executableCode", "output-available", {"input": "print(1)"}, "1"),
        ("web_search", "output-available", {"type": "search"}, item),
    ]
    [verdict] = judged([out.messages], UI_JUDGE)
    assert verdict["valid"] == out.messages
    for back in (out.messages, verdict["made"]):
        assert read_messages(back).messages[1].blocks == given[1].blocks


def test_parts_of_a_page_are_read() -> None:
    tool = {"type": "tool-look", "toolCallId": "c_1", "input": {"city": "Paris"}}
    said = [
        {"type": "step-start"},
        {"type": "text", "text": "I look.", "state": "done"},
        {**tool, "state": "output-available", "output": {"degrees": 18}},
        {**tool, "toolCallId": "c_2", "state": "output-error", "errorText": "no such city"},
        {**tool, "toolCallId": "c_3", "state": "output-denied",
         "approval": {"id": "a_1", "approved": False, "reason": "no"}},
        {"type": "dynamic-tool", "toolName": "look", "toolCallId": "c_4",
         "state": "input-streaming", "rawInput": '{"city": "Par'},
        {"type": "step-start"},
        {"type": "source-url", "sourceId": "s_1", "url": "https://example.com"},
        {"type": "data-mood", "data": {"mood": "good"}},
        {"type": "text", "text": "18 degrees."},
    ]  # fmt: skip
    page = [
        {"id": "u1", "role": "user", "metadata": {"at": "noon"}, "parts": [
            {"type": "text", "text": "How warm?"},
            {"type": "file", "mediaType": "image/png", "url": f"data:image/png;base64,{PNG}"},
        ]},
        {"id": "a1", "role": "assistant", "parts": said},
    ]  # fmt: skip
    read = read_messages({"messages": page})
    user, first, results, last = read.messages
    assert (user.id, user.metadata["ui"]) == ("u1", {"at": "noon"})
    assert [block.type for block in user.blocks] == ["text", "image"]
    assert [(one.id, one.input, one.unfinished) for one in first.calls] == [
        ("c_1", {"city": "Paris"}, False), ("c_2", {"city": "Paris"}, False),
        ("c_3", {"city": "Paris"}, False), ("c_4", '{"city": "Par', True),
    ]  # fmt: skip
    blocks = [block for block in results.blocks if isinstance(block, ToolResultBlock)]
    assert [(one.id, one.output, one.is_error) for one in blocks] == [
        ("c_1", {"degrees": 18}, False), ("c_2", "no such city", True), ("c_3", "no", True),
    ]  # fmt: skip
    assert [block.type for block in last.blocks] == ["raw", "raw", "text"]
    again = write_ui_messages(read.messages)
    assert again.losses == []
    assert read_messages(again.messages).messages == read.messages
    assert again.messages[0]["metadata"]["at"] == "noon"
    told = write_messages(read.messages, policy="ignore")
    assert [loss.what for loss in told.losses] == ["raw", "raw"], "no model is given them"


def test_a_result_without_its_call_is_a_loss() -> None:
    out = write_ui_messages([Msg.user("Hi"), Msg.tool("c_1", "18", "f")], policy="ignore")
    assert [(loss.code, loss.where) for loss in out.losses] == [
        ("result.orphan", "$.messages[1].content[0]")
    ]
