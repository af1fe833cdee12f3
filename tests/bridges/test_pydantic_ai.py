"""pydantic-ai's messages, judged by its own adapter and by what its models make of them."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic_ai import Agent
from pydantic_ai import messages as theirs
from pydantic_ai._warnings import PydanticAIDeprecationWarning
from pydantic_ai.messages import (
    BinaryContent,
    CachePoint,
    CompactionPart,
    FilePart,
    ImageUrl,
    InstructionDeltaPart,
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    NativeToolCallPart,
    NativeToolReturnPart,
    RetryFeedbackPart,
    RetryInfo,
    SystemPromptPart,
    TextContent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UploadedFile,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.usage import RequestUsage

from dragoman import LLM, ChatResponse, LossRefused, Msg, NotMessages
from dragoman.bridges.pydantic_ai import LIMITS, read_messages, write_messages
from dragoman.message import (
    Base64Source,
    CacheHint,
    Candidate,
    Citation,
    ContentBlock,
    DocumentBlock,
    Finish,
    ImageBlock,
    LocalSource,
    RawBlock,
    RefusalBlock,
    TextBlock,
    TextSource,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    Usage,
)
from dragoman.testing import Scripted
from tests.each_case import each_case

from .conversations import CLAUDE, CONVERSATIONS, PNG

URL = "https://example.com/a.png"
NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)
PNG_FILE = BinaryContent.narrow_type(BinaryContent(b"\x89PNG\r\n\x1a\n", media_type="image/png"))


def said(*parts: Any, provider: str = "anthropic", **fields: Any) -> ModelResponse:
    return ModelResponse([*parts], provider_name=provider, model_name="m", timestamp=NOW, **fields)


HISTORY: list[ModelMessage] = [
    ModelRequest(
        [
            SystemPromptPart("Be brief.", timestamp=NOW),
            UserPromptPart(
                [
                    "Look", PNG_FILE, ImageUrl(URL, media_type="image/png"), CachePoint(),
                    TextContent("Again", metadata={"from": "a file"}),
                    BinaryContent(b"%PDF-", media_type="application/pdf"),
                    UploadedFile("file_1", "anthropic", media_type="application/pdf"),
                ],
                timestamp=NOW,
            ),
        ],
        timestamp=NOW, run_id="r1", metadata={"tenant": 3},
    ),
    said(
        ThinkingPart("Hm.", signature="c2ln", provider_name="anthropic"),
        ThinkingPart("", id="redacted_thinking", signature="c2VhbA==", provider_name="anthropic"),
        TextPart("I look."),
        ToolCallPart("look", '{"a": 1, "b": 1.0}', "c_1"),
        ToolCallPart("look", {"a": 2}, "c_2"),
        usage=RequestUsage(input_tokens=130, cache_read_tokens=100, cache_write_tokens=20,
                           output_tokens=7, details={"x": 1}),
        finish_reason="tool_call", provider_details={"finish_reason": "tool_use"},
        provider_response_id="msg_1", run_id="r1",
    ),
    ModelRequest(
        [
            ToolReturnPart("look", ["It shows:", PNG_FILE], "c_1", timestamp=NOW),
            ToolReturnPart("look", "no such city", "c_2", timestamp=NOW, outcome="failed"),
        ],
        timestamp=NOW,
    ),
    said(
        NativeToolCallPart("web_search", {"query": "q"}, "srv_1", provider_name="anthropic"),
        NativeToolReturnPart("web_search", [{"url": "u"}], "srv_1", provider_name="anthropic",
                             timestamp=NOW),
        TextPart("Done."),
    ),
]  # fmt: skip
RESPONSES: list[ModelMessage] = [
    ModelRequest([UserPromptPart("Go.", timestamp=NOW)]),
    said(
        ThinkingPart("First.", id="rs_1", signature="gAAA", provider_name="openai"),
        ThinkingPart("Then.", id="rs_1", provider_name="openai"),
        TextPart("Hi", id="msg_1", provider_name="openai"),
        ToolCallPart("f", "{}", "c_1", id="fc_1", provider_name="openai"),
        provider="openai",
    ),
    ModelRequest([ToolReturnPart("f", {"degrees": 18}, "c_1", timestamp=NOW)]),
]


def bridged(messages: list[ModelMessage]) -> list[ModelMessage]:
    """pydantic-ai's messages, there and back, without a loss."""
    read = read_messages(messages)
    written = write_messages(read.messages)
    assert read.losses + written.losses == []
    return written.messages


def dumped(messages: list[ModelMessage]) -> Any:
    return ModelMessagesTypeAdapter.dump_python(messages, mode="json")


def sent(model: Any, messages: list[ModelMessage]) -> Any:
    """What a model of theirs sends."""
    parameters = ModelRequestParameters()
    if isinstance(model, AnthropicModel):
        found: Any = asyncio.run(model._map_message(messages, parameters, {}))
    elif isinstance(model, OpenAIChatModel):
        found = asyncio.run(model._map_messages(messages, parameters))
    else:
        found = asyncio.run(model._map_messages(messages, {}, parameters))
    return json.loads(json.dumps(found, default=str))


def models() -> dict[str, Any]:
    openai = OpenAIProvider(api_key="sk-none")
    claude = AnthropicProvider(api_key="sk-none")
    return {
        "anthropic": AnthropicModel("claude-opus-5-5", provider=claude),
        "responses": OpenAIResponsesModel("gpt-5.6", provider=openai),
        "chat": OpenAIChatModel("gpt-5.6", provider=openai),
    }


@each_case("messages", [HISTORY, RESPONSES], ids=lambda _: "history")
def test_their_messages_come_back(messages: list[ModelMessage]) -> None:
    back = bridged(messages)
    assert [type(one) for one in back] == [type(one) for one in messages]
    for one, other in zip(dumped(back), dumped(messages), strict=True):
        assert one["parts"] == other["parts"]
        assert {k: v for k, v in one.items() if k not in ("timestamp", "usage")} == {
            k: v for k, v in other.items() if k not in ("timestamp", "usage")
        }
    # their adapter takes what was written, and gives it back
    assert dumped(ModelMessagesTypeAdapter.validate_python(dumped(back))) == dumped(back)


@pytest.mark.parametrize(("name", "messages"), [
    ("anthropic", HISTORY), ("responses", RESPONSES), ("chat", RESPONSES),
], ids=str)  # fmt: skip
def test_a_model_of_theirs_sends_the_same(name: str, messages: list[ModelMessage]) -> None:
    model = models()[name]
    given = messages[:-1] if name == "anthropic" else messages
    assert sent(model, bridged(given)) == sent(model, given)


def test_json_is_read_as_the_objects() -> None:
    read = read_messages(HISTORY).messages
    data = ModelMessagesTypeAdapter.dump_json(HISTORY)
    for form in (data, data.decode(), json.loads(data)):
        assert read_messages(form).messages == read
    assert read_messages(HISTORY[0]).messages == read[:2]


def test_a_run_is_read_and_goes_on() -> None:
    agent = Agent(TestModel(custom_output_text="In France."), instructions="Be brief.")
    result = asyncio.run(agent.run("Where is Paris?"))
    read = read_messages(result).messages
    assert [(msg.role, msg.text) for msg in read] == [
        ("system", "Be brief."), ("user", "Where is Paris?"), ("assistant", "In France."),
    ]  # fmt: skip
    llm = LLM("anthropic/claude-opus-5-5", key="none", transport=Scripted("In Italy."))
    body = llm.request([*result.all_messages(), Msg.user("And Rome?")]).body
    assert (body["system"], len(body["messages"])) == ("Be brief.", 3)
    answer = llm.ask([*read, Msg.user("And Rome?")])
    written = write_messages([*read, Msg.user("And Rome?"), answer]).messages
    assert [one.kind for one in written] == ["request", "response"] * 2
    first = written[0]
    assert isinstance(first, ModelRequest)
    assert first.instructions == "Be brief."
    again = asyncio.run(agent.run("And Oslo?", message_history=written))
    assert again.output == "In France."


# -- traps ----------------------------------------------------------------------------------------


def test_signed_thinking_has_its_provider() -> None:
    """Without `provider_name` it would be sent as a text."""
    written = write_messages(CONVERSATIONS["signed thinking"]).messages
    content = sent(models()["anthropic"], written)[1][1]["content"]
    assert content[:2] == [
        {"type": "thinking", "thinking": "A greeting.", "signature": "c2lnbmVk"},
        {"type": "redacted_thinking", "data": "c2VhbGVk"},
    ]
    bare = said(ThinkingPart("Hm.", signature="c2ln"), TextPart("Hi"), provider="")
    [_, messages] = sent(models()["anthropic"], [HISTORY[0], bare])
    assert [one["role"] for one in messages if "Hm." in json.dumps(one)] == ["user"]
    assert messages[-1]["content"] == [{"text": "Hi", "type": "text"}]


def test_a_call_has_the_id_that_it_had() -> None:
    """A call without one would get an id of its own, and lose its result."""
    written = write_messages(CONVERSATIONS["parallel calls with a result that failed"]).messages
    ids = [
        part.tool_call_id for one in written for part in one.parts if hasattr(part, "tool_call_id")
    ]
    assert ids == ["c_1", "c_2", "c_1", "c_2"]
    returned = written[2].parts
    assert [part.outcome for part in returned if isinstance(part, ToolReturnPart)] == [
        "success", "failed",
    ]  # fmt: skip


def test_invalid_json_is_no_argument() -> None:
    args = ToolCallPart("f", "{bad", "c_1").args_as_dict()
    assert args == {"INVALID_JSON": "{bad"}
    for given in ("{bad", args):
        [msg] = read_messages([said(ToolCallPart("f", given, "c_1"))]).messages
        assert (msg.calls[0].input, msg.calls[0].raw_input) == ("{bad", "{bad")


def test_retry_prompts_are_what_the_model_was_told() -> None:
    """They come back from their own JSON as another class; compared is what the model reads."""
    with pytest.warns(PydanticAIDeprecationWarning, match="RetryPromptPart"):
        parts: list[Any] = [
            theirs.RetryPromptPart(
                "no such city", tool_name="f", tool_call_id="c_1", timestamp=NOW
            ),
            theirs.RetryPromptPart("say it as JSON", timestamp=NOW),
        ]
    parts.append(RetryFeedbackPart("shorter", retry=RetryInfo("validation_error"), timestamp=NOW))
    history: list[ModelMessage] = [said(ToolCallPart("f", {}, "c_1")), ModelRequest(parts)]
    [_, result, *told] = read_messages(history).messages
    [block] = result.blocks
    assert isinstance(block, ToolResultBlock)
    assert block.is_error
    assert "no such city" in str(block.output)
    assert [msg.role for msg in told] == ["user", "user"]
    assert "say it as JSON" in told[0].text
    back = bridged(history)[1]
    classes = [type(part).__name__ for part in back.parts]
    assert classes == ["ToolReturnPart", "RetryFeedbackPart", "RetryFeedbackPart"]
    assert (
        dumped(ModelMessagesTypeAdapter.validate_python(dumped([history[1]])))[0]["parts"]
        == (dumped([back])[0]["parts"])
    )


def test_images_are_written_as_images() -> None:
    written = write_messages(CONVERSATIONS["results with media and objects"]).messages
    found = [item for item in written[0].parts[0].content if not isinstance(item, str)]  # type: ignore[union-attr]
    assert [type(item).__name__ for item in found] == ["BinaryImage", "ImageUrl"]


def test_what_no_model_reads_is_a_loss_with_its_place() -> None:
    delta = InstructionDeltaPart(id=None, content="Be briefer.")
    request = ModelRequest([UserPromptPart("Hi"), delta])
    read = read_messages([request], policy="ignore")
    assert read.messages == [Msg.user("Hi")]
    unknown = {
        "kind": "request",
        "parts": [{"part_kind": "of-tomorrow"}, *dumped([request])[0]["parts"][:1]],
    }
    lost = [*read.losses, *read_messages([unknown], policy="ignore").losses]
    assert [(one.code, one.where, one.what) for one in lost] == [
        ("block.unsupported", "$[0].parts[1]", "instruction-delta"),
        ("block.unsupported", "$[0].parts[0]", "of-tomorrow"),
    ]
    with pytest.raises(LossRefused):
        read_messages([unknown], policy="refuse")


def test_files_and_compactions_of_an_answer_come_back() -> None:
    history: list[ModelMessage] = [
        ModelRequest([UserPromptPart("Draw", timestamp=NOW)]),
        said(FilePart(PNG_FILE, id="img_1", provider_name="openai"), provider="openai"),
        said(CompactionPart("So far.", provider_name="anthropic")),
    ]
    read = read_messages(history).messages
    assert [block.type for msg in read for block in msg.blocks] == ["text", "image", "raw"]
    assert [one["parts"] for one in dumped(bridged(history))] == [
        one["parts"] for one in dumped(history)
    ]


@each_case("value", [3, None, [3], [{"kind": "request"}], [{"role": "user", "content": "x"}]])
def test_what_is_no_message_is_refused(value: Any) -> None:
    with pytest.raises(NotMessages) as caught:
        read_messages(value)
    assert caught.value.path in ("$", "$[0]")


def test_usage_and_finish_cross_both_ways() -> None:
    usage = Usage(10, 100, 20, 7, 3)
    answer = ChatResponse(
        [Candidate(Msg.assistant("Hi", origin=CLAUDE), Finish("pause", "pause_turn"))],
        usage, model="claude-opus-5-5", id="msg_1",
    )  # fmt: skip
    [response] = write_messages([answer]).messages
    assert isinstance(response, ModelResponse)
    assert (response.usage.input_tokens, response.usage.total_tokens) == (130, 137)
    assert (response.provider_name, response.model_name) == ("anthropic", "claude-opus-5-5")
    [read] = read_messages([response]).messages
    assert Usage(**read.metadata["usage"]) == usage
    assert read.metadata["finish"] == {"reason": "pause", "raw": "pause_turn"}
    assert (read.metadata["model"], read.metadata["answer_id"]) == ("claude-opus-5-5", "msg_1")


# -- what pydantic-ai cannot hold -----------------------------------------------------------------


def told(*blocks: ContentBlock) -> list[Msg]:
    return [Msg.assistant([*blocks], origin=CLAUDE)]


PDF = TextSource(["a"])
# in the order of the limits: what is given, and what comes back
PROOFS: list[tuple[list[Msg], list[Msg]]] = [
    ([Msg.user("Hi", "Bob")], [Msg.user("Hi")]),
    ([Msg("", "Hi", "developer")], [Msg.system("Hi")]),
    (
        [Msg.user([*(ToolResultBlock(id, "f", id) for id in "ab"), TextBlock("x")]),
         Msg.assistant("y"), Msg.system([TextBlock("p"), TextBlock("q")])],
        [Msg.tool("a", "a", "f"), Msg.tool("b", "b", "f"), Msg.user([TextBlock("x")]),
         Msg.assistant("y"), Msg.system("p"), Msg.system("q")],
    ),
    (
        [*told(ToolUseBlock("a", "f", {})), Msg.tool("a", "1")],
        [*told(ToolUseBlock("a", "f", {})), Msg.tool("a", "1", "f")],
    ),
    (
        [Msg.tool("a", [TextBlock("x"), TextBlock("y")], "f")], [Msg.tool("a", "x\n\ny", "f")],
    ),
    ([Msg.user([DocumentBlock(PDF, "A", cite=True)])], [Msg.user([DocumentBlock(PDF)])]),
    (
        [Msg.user([TextBlock("x"), DocumentBlock(LocalSource("a.pdf"))])],
        [Msg.user([TextBlock("x")])],
    ),
    (
        [Msg.user([DocumentBlock(TextSource(["a", "b"]))])],
        [Msg.user([DocumentBlock(TextSource(["a\n\nb"]))])],
    ),
    (told(TextBlock("x", cache=CacheHint())), told(TextBlock("x"))),
    (told(TextBlock("x", [Citation(url="https://example.com")])), told(TextBlock("x"))),
    (told(RefusalBlock("No.")), told(TextBlock("No."))),
    (
        [Msg.assistant([ThinkingBlock("a", "sig"), TextBlock("b")])],
        [Msg.assistant([ThinkingBlock("a"), TextBlock("b")])],
    ),
    (told(RawBlock("anthropic", {"type": "x"}), TextBlock("x")), told(TextBlock("x"))),
    (
        told(ToolUseBlock("a", "f", "text", freeform=True)),
        told(ToolUseBlock("a", "f", {"input": "text"})),
    ),
    (told(ToolUseBlock("a", "f", {}, namespace="n")), told(ToolUseBlock("a", "f", {}))),
    (
        [Msg.user([TextBlock("x", extras={"openai-chat": {"y": 1}})])],
        [Msg.user([TextBlock("x")])],
    ),
]  # fmt: skip


def test_every_limit_is_one() -> None:
    for limit, (given, expected) in zip(LIMITS, PROOFS, strict=True):
        written = write_messages(given, policy="ignore")
        codes = {loss.code for loss in written.losses}
        assert codes == ({limit.code} if limit.code else set()), limit.what
        assert all(loss.where.startswith("$.messages[") for loss in written.losses)
        assert read_messages(written.messages).messages == expected, limit.what


def test_a_broken_medium_is_a_loss() -> None:
    broken = ImageBlock(Base64Source("image/png", PNG[:3] + "!"))
    written = write_messages([Msg.user([TextBlock("x"), broken])], policy="ignore")
    assert [loss.code for loss in written.losses] == ["media.broken"]
