"""Messages of Strands, judged by its sessions, its models and its agents, and by botocore."""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import AsyncIterator
from functools import partial
from itertools import pairwise
from typing import Any

import boto3
import pytest
from botocore.validate import ParamValidator
from strands import Agent, tool
from strands.models.anthropic import AnthropicModel
from strands.models.bedrock import BedrockModel
from strands.models.model import Model
from strands.models.openai import OpenAIModel
from strands.types.session import SessionMessage

from dragoman import LLM, ChatResponse, Msg, NotMessages
from dragoman.bridges import find_bridge, strands
from dragoman.bridges.strands import LIMITS, read_messages, write_messages
from dragoman.message import (
    Base64Source,
    CacheHint,
    Candidate,
    Citation,
    ContentBlock,
    DocumentBlock,
    Finish,
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
    Usage,
    VideoBlock,
)
from dragoman.testing import Scripted
from tests.bridges.conversations import CLAUDE, CONVERSATIONS, CORPUS, PNG, one_call, recorded
from tests.bridges.law import Bridge, check_limits, plain_results
from tests.each_case import each_case


def stored(messages: list[Any]) -> Any:
    """Messages as a session writes them into a file."""
    rows = [SessionMessage.from_message(one, i).to_dict() for i, one in enumerate(messages)]
    return json.loads(json.dumps(rows))


def loaded(rows: Any) -> list[Any]:
    """Messages as a session reads them from a file."""
    return [SessionMessage.from_dict(row).to_message() for row in rows]


def runnable(messages: Any) -> list[tuple[str, Any]]:
    """The calls that an agent would run, if a message with them were its last."""
    parts = [part["toolUse"] for one in messages for part in one["content"] if "toolUse" in part]
    found = [(part["name"], part["input"]) for part in parts if isinstance(part["input"], dict)]
    return [(name, input) for name, input in found if input.keys() != {"input", "error"}]


def bare(messages: list[Any]) -> list[Any]:
    """What a model is given of messages."""
    return [{key: one[key] for key in ("role", "content")} for one in messages]


def erase(messages: list[Msg]) -> list[Msg]:
    """Messages as a model behind Strands has them: two roles, of which neighbours are one."""
    found: list[Msg] = []
    for msg in plain_results(messages):
        for block in msg.blocks:
            if isinstance(block, DocumentBlock) and isinstance(block.source, TextSource):
                text = "\n\n".join(block.source.passages)
                block.source = Base64Source.from_bytes(text.encode(), "text/plain")
        if found and (found[-1].role == "assistant") == (msg.role == "assistant"):
            found[-1].content = [*found[-1].blocks, *msg.blocks]
        else:
            found.append(Msg.create_unchecked("", msg.blocks, msg.role))
        kinds = {block.type for block in found[-1].blocks}
        if found[-1].role != "assistant":
            found[-1].role = "tool" if kinds == {"tool_result"} else "user"
    return found


BRIDGE = Bridge(
    "strands",
    partial(read_messages, issuer="anthropic"),
    write_messages,
    LIMITS,
    list,
    runnable,
    wraps=True,
    keeps=True,
    bare=bare,
    erase=erase,
    dump=stored,
)

IMAGE = {"image": {"format": "png", "source": {"bytes": b"\x89PNG\r\n\x1a\n"}}}
PLACE = {"location": {"type": "s3", "uri": "s3://b/a.mp4", "bucketOwner": "1"}}
THEIRS: list[Any] = [
    {"role": "user", "tracking_id": "t_1", "content": [
        {"text": "Look"},
        IMAGE,
        {"video": {"format": "mp4", "source": PLACE}},
        {"document": {"format": "pdf", "name": "A", "source": {"bytes": b"%PDF-"},
                      "context": "c", "citations": {"enabled": True}}},
        {"cachePoint": {"type": "default", "ttl": "1h"}},
        {"guardContent": {"text": {"text": "x", "qualifiers": ["query"]}}},
        {"audio": {"format": "mpga", "source": {"bytes": b"ID3"}}},
    ]},
    {"role": "assistant", "tracking_id": "t_2", "content": [
        {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "c2ln"}}},
        {"reasoningContent": {"redactedContent": b"\x01\xff"}},
        {"reasoningContent": {"redactedContent": b"sealed"}},
        {"citationsContent": {"content": [{"text": "a"}], "citations": [
            {"title": "A", "location": {"web": {"url": "https://example.com"}}}]}},
        {"toolUse": {"toolUseId": "c_1", "name": "f", "input": {"a": 1.0},
                     "reasoningSignature": "c2ln"}},
        {"toolUse": {"toolUseId": "c_2", "name": "f", "input": {}}},
        {"cachePoint": {"type": "default"}},
        {"cachePoint": {"type": "default"}},
        {"ofTomorrow": {"x": 1}},
    ], "metadata": {
        "usage": {"inputTokens": 3, "outputTokens": 2, "totalTokens": 5},
        "metrics": {"latencyMs": 7},
        "custom": {"mine": 1},
    }},
    {"role": "user", "tracking_id": "t_3", "content": [
        {"toolResult": {"toolUseId": "c_1", "status": "success", "content": [
            {"json": {"x": 1}}, {"text": "y"}, IMAGE]}},
        {"toolResult": {"toolUseId": "c_2", "status": "error", "content": [{"text": "no"}]}},
        {"toolResult": {"toolUseId": "c_3", "content": [{"json": [1]}]}},
        {"text": "Go on."},
    ]},
]  # fmt: skip


def test_their_messages_come_back() -> None:
    before = copy.deepcopy(THEIRS)
    read = read_messages(THEIRS)
    assert read.losses == []
    assert before == THEIRS
    written = write_messages(read.messages, policy="ignore").messages
    assert written == THEIRS
    assert loaded(stored(written)) == written
    assert read_messages(stored(THEIRS)).messages == read.messages
    assert read_messages(loaded(stored(THEIRS))).messages == read.messages
    call = next(block for block in read.messages[1].blocks if isinstance(block, ToolUseBlock))
    assert call.extras == {"gemini": {"thoughtSignature": "c2ln"}}
    assert read.messages[1].metadata["usage"] == {"input": 3, "output": 2, "total": 5}
    assert read.messages[1].metadata["mine"] == 1
    results = [block for block in read.messages[2].blocks if isinstance(block, ToolResultBlock)]
    assert [one.is_error for one in results] == [False, True, False]
    assert isinstance(results[0].output, list)
    assert results[0].output[0] == TextBlock('{"x": 1}')


def test_an_edit_of_theirs_counts_and_what_was_noted_does_not() -> None:
    given = [Msg.assistant([RefusalBlock("No."), TextBlock("So", [Citation(0, 2, "https://a.b")])])]
    [message] = write_messages(given, policy="ignore").messages
    assert read_messages([message]).messages == given
    message["content"][0]["text"] = "Yes."
    assert read_messages([message]).messages[0].blocks[0] == TextBlock("Yes.")
    assert read_messages([message]).messages[0].blocks[1] == given[0].blocks[1]
    message["content"].append({"text": "And"})
    assert [b.type for b in read_messages([message]).messages[0].blocks] == ["text"] * 3
    read = read_messages(THEIRS).messages
    read[0].content = [TextBlock("Look at this"), *read[0].blocks[1:]]
    content = write_messages(read, policy="ignore").messages[0]["content"]
    assert content == [{"text": "Look at this"}, *THEIRS[0]["content"][1:]]


@each_case("name", CONVERSATIONS)
def test_all_of_ours_comes_back_through_a_session(name: str) -> None:
    messages = copy.deepcopy(CONVERSATIONS[name])
    messages[-1].metadata["mine"] = {"a": [1]}
    written = write_messages(messages, policy="ignore").messages
    back = read_messages(loaded(stored(written))).messages
    assert back == messages
    assert [one.origin for one in back] == [one.origin for one in messages]
    assert back[-1].metadata["mine"] == {"a": [1]}


@pytest.mark.skipif(not CORPUS.is_dir(), reason="needs the recorded traffic in ../shared/corpus")
def test_all_that_was_recorded_comes_back() -> None:
    unequal = []
    for name, messages in recorded(12):
        written = write_messages(messages, policy="ignore").messages
        if read_messages(written).messages != messages:
            unequal.append(name)
        roles = [one["role"] for one in written]
        assert all(one != after for one, after in pairwise(roles)), name
    assert unequal == []


# -- what their models send ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bedrock() -> BedrockModel:
    session = boto3.Session("none", "none", region_name="us-east-1")
    return BedrockModel(boto_session=session, model_id="us.anthropic.claude-opus-5-5")


def test_bedrock_takes_what_is_written(bedrock: BedrockModel) -> None:
    shape = bedrock.client.meta.service_model.operation_model("Converse").input_shape
    for name, messages in CONVERSATIONS.items():
        written = write_messages(messages, policy="ignore").messages
        request = bedrock.format_request(written)
        report = ParamValidator().validate(request, shape)
        assert not report.has_errors(), f"{name}: {report.generate_report()}"
        assert "dragoman" not in str(request), "a note reaches the model"
        calls = [
            part for one in request["messages"] for part in one["content"] if "toolUse" in part
        ]
        assert len(calls) == sum(len(msg.calls) for msg in messages)
    sent = bedrock.format_request(write_messages(CONVERSATIONS["signed thinking"]).messages)
    thoughts = [part["reasoningContent"] for part in sent["messages"][1]["content"][:2]]
    assert thoughts == [
        {"reasoningText": {"text": "A greeting.", "signature": "c2lnbmVk"}},
        {"redactedContent": b"sealed"},
    ]


def test_anthropic_and_openai_are_sent_what_is_written() -> None:
    written = write_messages(CONVERSATIONS["signed thinking"]).messages
    claude = AnthropicModel(client_args={"api_key": "none"}, model_id="m", max_tokens=9)
    said = claude.format_request(written)["messages"][1]["content"]
    assert said[:2] == [
        {"type": "thinking", "thinking": "A greeting.", "signature": "c2lnbmVk"},
        {"type": "redacted_thinking", "data": "c2VhbGVk"},
    ]
    for name in ("parallel calls with a result that failed", "results with media and objects"):
        messages = CONVERSATIONS[name]
        sent = OpenAIModel.format_request_messages(
            write_messages(messages, policy="ignore").messages
        )
        calls = [call for one in sent for call in one.get("tool_calls", ())]
        assert [call["id"] for call in calls] == ["c_1", "c_2"]
        arguments = [json.loads(call["function"]["arguments"]) for call in calls]
        assert arguments == [call.input for msg in messages for call in msg.calls]
        ids = [one["tool_call_id"] for one in sent if one["role"] == "tool"]
        assert ids == ["c_1", "c_2"]
        at = [i for i, one in enumerate(sent) if one["role"] == "tool"]
        assert at == [at[0], at[0] + 1], "results of one turn stand together"


class Said(Model):  # type: ignore[misc]  # not installed where types are checked
    """A model in this process: it says `done` and keeps what it was given."""

    def __init__(self) -> None:
        self.given: list[Any] = []

    def update_config(self, **_: Any) -> None: ...
    def get_config(self) -> Any:
        return {}

    def structured_output(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError

    async def stream(self, messages: Any, *_: Any, **__: Any) -> AsyncIterator[Any]:
        self.given = copy.deepcopy(messages)
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockStart": {"start": {}}}
        yield {"contentBlockDelta": {"delta": {"text": "done"}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn"}}
        yield {"metadata": {"usage": {"inputTokens": 3, "outputTokens": 1, "totalTokens": 4},
                            "metrics": {"latencyMs": 1}}}  # fmt: skip


def run(
    messages: list[Any], prompt: str | None, tools: list[Any] | None = None
) -> tuple[Any, Said]:
    model = Said()
    agent = Agent(
        model,
        messages,
        tools or [],
        "Be brief.",
        callback_handler=None,
        load_tools_from_directory=False,
    )
    asyncio.run(agent.invoke_async(prompt))
    return agent, model


def test_an_agent_goes_on_and_its_messages_are_read() -> None:
    history = CONVERSATIONS["parallel calls with a result that failed"]
    agent, model = run(write_messages(history).messages, "And Oslo?")
    assert "dragoman" not in str(model.given), "metadata reaches the model"
    assert all(one.keys() == {"role", "content"} for one in model.given)
    read = read_messages(agent).messages
    assert read[1:-2] == history
    assert [(msg.role, msg.text) for msg in (read[0], *read[-2:])] == [
        ("system", "Be brief."), ("user", "And Oslo?"), ("assistant", "done"),
    ]  # fmt: skip
    assert read[-1].metadata["usage"] == {"input": 3, "output": 1, "total": 4}
    assert write_messages(read[1:]).messages == agent.messages
    script = Scripted(*["In Norway."] * 4)
    llm = LLM("anthropic/claude-opus-5-5", key="none", transport=script)
    for given in (agent, agent.messages, agent.messages[-2], [*agent.messages, Msg.user("Oslo?")]):
        assert llm.ask(given).text == "In Norway."
    assert find_bridge(agent.messages[0]) is find_bridge(agent) is strands
    assert find_bridge({"role": "user", "content": [{"text": "x"}]}) is None  # Bedrock's own


@each_case(("text", "cut"), [("", True), ("{bad", False), ("[1]", False), ('{"city": "P', True)])
def test_no_waiting_call_with_broken_arguments_is_run(text: str, cut: bool) -> None:
    """An agent runs the calls of the last message before it asks its model."""
    ran = []

    def f(city: str = "", input: str = "") -> str:
        """Look.

        Args:
            city: The city.
            input: Anything.
        """
        ran.append((city, input))
        return "looked"

    look = tool(f)
    whole = write_messages(one_call("{}")[:2]).messages
    run(whole, None, [look])
    assert ran == [("", "")], "a whole call is run"
    ran.clear()
    written = write_messages(one_call(text, unfinished=cut)[:2], policy="ignore").messages
    agent, _ = run(written, None, [look])
    assert ran == []
    [result] = agent.messages[2]["content"]
    assert result["toolResult"]["status"] == "error"


@each_case("value", [3, None, "x", [3], [{"role": "user"}], [{"role": "system", "content": []}]])
def test_what_is_no_message_is_refused(value: Any) -> None:
    with pytest.raises(NotMessages) as caught:
        read_messages(value)
    assert caught.value.path in ("$", "$[0]")


def test_media_in_s3_and_texts_are_written_in_their_form() -> None:
    given = [
        Msg.user([VideoBlock(URLSource("s3://b/a.mp4")), DocumentBlock(TextSource(["x"]), "A")])
    ]
    [message] = write_messages(given).messages
    assert message["content"] == [
        {"video": {"format": "mp4", "source": {"location": {"type": "s3", "uri": "s3://b/a.mp4"}}}},
        {"document": {"format": "txt", "name": "A", "source": {"bytes": b"x"}}},
    ]


def test_whose_thinking_it_is_does_not_depend_on_who_reads() -> None:
    for origin in (Origin("bedrock-converse"), CLAUDE):
        thoughts = [ThinkingBlock("a", "c2ln", origin=origin), ThinkingBlock("", redacted="c2Vh")]
        given = [Msg.assistant([*thoughts, TextBlock("b")], origin=origin)]
        written = write_messages(given).messages
        for issuer in ("anthropic", "bedrock-converse", "gemini"):
            [read] = read_messages(written, issuer=issuer).messages
            assert read == given[0]
            assert read.origin == read.blocks[0].origin == origin
    theirs = [{"role": "assistant", "content": [
        {"reasoningContent": {"reasoningText": {"text": "a", "signature": "c2ln"}}}]}]  # fmt: skip
    assert read_messages(theirs).messages[0].origin == Origin("bedrock-converse")
    assert read_messages(theirs, issuer="anthropic").messages[0].origin == Origin("anthropic")
    claude = AnthropicModel(client_args={"api_key": "none"}, model_id="m", max_tokens=9)
    agent = Agent(claude, theirs, callback_handler=None)
    assert read_messages(agent).messages[0].origin == Origin("anthropic")


def test_usage_is_read_as_the_model_counts() -> None:
    """Strands copies the figures of each provider: OpenAI's input has the cached tokens in it."""
    figures = {"inputTokens": 1000, "outputTokens": 5, "totalTokens": 1005}
    metadata = {"usage": {**figures, "cacheReadInputTokens": 900}}
    theirs: list[Any] = [
        {"role": "assistant", "content": [{"text": "Hi"}], "metadata": metadata},
    ]
    for model, input in ((OpenAIModel(model_id="m"), 100), (Said(), 1000)):
        read = read_messages(Agent(model, copy.deepcopy(theirs), callback_handler=None)).messages
        usage = {"input": input, "output": 5, "total": 1005, "cache_read": 900}
        assert read[0].metadata["usage"] == usage
        written = write_messages(read).messages
        assert {key: written[0][key] for key in theirs[0]} == theirs[0]
    ours = Msg.assistant("Hi", metadata={"usage": {"input": 1000, "cache_read": 900}})
    for issuer in ("openai-chat", "anthropic"):
        [back] = read_messages(write_messages([ours]).messages, issuer=issuer).messages
        assert back.metadata["usage"] == {"input": 1000, "cache_read": 900}


def test_an_answer_has_its_usage() -> None:
    msg = Msg.assistant("Hi", origin=CLAUDE)
    answer = ChatResponse(
        [Candidate(msg, Finish("length", "max_tokens"))], Usage(input=3, output=2)
    )
    [message] = write_messages([answer]).messages
    figures = {"inputTokens": 3, "outputTokens": 2, "totalTokens": 5}
    assert message["metadata"]["usage"] == figures
    [read] = read_messages([message]).messages
    assert read.origin == CLAUDE
    assert read.metadata["finish"] == {"reason": "length", "raw": "max_tokens"}


# -- what these messages cannot hold ---------------------------------------------------------------


def told(*blocks: ContentBlock) -> list[Msg]:
    return [Msg.assistant([*blocks], origin=Origin("anthropic"))]


CALL = ToolUseBlock("a", "f", {})
DATA = Base64Source("image/png", PNG)
# in the order of the limits: what is given, and what a model is given of it
PROOFS: list[tuple[list[Msg], list[Msg]]] = [
    ([Msg.system("x")], [Msg.user("x")]),
    ([Msg.user("a"), Msg.user("b")], [Msg.user([TextBlock("a"), TextBlock("b")])]),
    ([Msg.user("Hi", "Bob")], [Msg.user("Hi")]),
    (told(ToolUseBlock("a", "f", "{bad")), told(ToolUseBlock("a", "f", "{bad", "{bad"))),
    (
        told(ToolUseBlock("a", "f", "x", freeform=True)),
        told(ToolUseBlock("a", "f", {"input": "x"})),
    ),
    (told(ToolUseBlock("a", "f", {}, namespace="n")), told(CALL)),
    ([*told(CALL), Msg.tool("a", "x", "f")], [*told(CALL), Msg.tool("a", "x")]),
    (
        [Msg.assistant([ThinkingBlock("a", "sig"), TextBlock("b")])],
        told(ThinkingBlock("a"), TextBlock("b")),
    ),
    (
        [Msg.user([TextBlock("x"), ImageBlock(URLSource("https://example.com/a.png"))])],
        [Msg.user("x")],
    ),
    ([Msg.user([TextBlock("x"), VideoBlock(Base64Source("video/x", PNG))])], [Msg.user("x")]),
    ([Msg.user([ImageBlock(DATA, detail="low")])], [Msg.user([ImageBlock(DATA)])]),
    (
        [Msg.user([DocumentBlock(TextSource(["a", "b"]), "A")])],
        [Msg.user([DocumentBlock(Base64Source("text/plain", "YQoKYg=="), "A")])],
    ),
    (
        [Msg.user([DocumentBlock(Base64Source("application/pdf", PNG))])],
        [Msg.user([DocumentBlock(Base64Source("application/pdf", PNG), "Document 1")])],
    ),
    (
        [Msg.user([DocumentBlock(Base64Source("application/pdf", PNG), "re: port.pdf")])],
        [Msg.user([DocumentBlock(Base64Source("application/pdf", PNG), "re port")])],
    ),
    (
        [Msg.tool("a", [TextBlock("x"), VideoBlock(Base64Source("video/mp4", PNG))])],
        [Msg.tool("a", "x")],
    ),
    (told(RefusalBlock("No.")), told(TextBlock("No."))),
    (told(TextBlock("x", [Citation(url="https://example.com")])), told(TextBlock("x"))),
    (
        [Msg.tool("a", [TextBlock("x", cache=CacheHint())])],
        [Msg.tool("a", "x")],
    ),
    (told(RawBlock("anthropic", {"type": "x"}), TextBlock("x")), told(TextBlock("x"))),
    (told(TextBlock("x", extras={"anthropic": {"y": 1}})), told(TextBlock("x"))),
]  # fmt: skip


def test_every_limit_is_one() -> None:
    check_limits(BRIDGE, PROOFS)
