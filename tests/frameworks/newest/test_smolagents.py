"""Messages of smolagents, judged by what it sends, the memory of an agent and its calls."""

from __future__ import annotations

import json
from io import BytesIO
from itertools import pairwise
from typing import Any

import pytest
from PIL import Image
from smolagents import LogLevel, Tool, ToolCallingAgent
from smolagents.memory import ActionStep, TaskStep, ToolCall
from smolagents.models import (
    ChatMessage,
    MessageRole,
    Model,
    TokenUsage,
    get_clean_message_list,
    tool_role_conversions,
)
from smolagents.monitoring import Timing

from dragoman import LLM, ChatResponse, LossRefused, Msg, NotMessages
from dragoman.bridges import find_bridge, smolagents
from dragoman.bridges.smolagents import LIMITS, read_messages, write_messages
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
from tests.bridges.conversations import CALLS, CONVERSATIONS, PNG, one_call, split_results
from tests.bridges.law import Bridge, as_held
from tests.each_case import each_case
from tests.frameworks.examples import check_example


def dumped(messages: list[Any]) -> list[Any]:
    """Messages as JSON, as `model_dump_json` writes them."""
    return [json.loads(one.model_dump_json()) for one in messages]


def held(messages: list[Msg]) -> list[Msg]:
    """Each result alone, as text, with the name and the id by its place; calls behind text."""
    found: list[Msg] = []
    waiting: dict[str, str] = {}
    for msg in split_results(messages):
        if not isinstance(msg.content, str):
            calls = [block for block in msg.content if isinstance(block, ToolUseBlock)]
            others = [block for block in msg.content if not isinstance(block, ToolUseBlock)]
            msg.content = [*others, *calls]
            for block in msg.content:
                if isinstance(block, DocumentBlock):
                    block.title = block.title or "document.pdf"
        for block in msg.blocks:
            if not isinstance(block, ToolResultBlock):
                continue
            block.name = waiting.pop(block.id, "")
            output: Any = block.output
            blocks = output if isinstance(output, list) else []
            texts = [one.text for one in blocks if isinstance(one, TextBlock)]
            media = [one for one in blocks if not isinstance(one, TextBlock)]
            if not isinstance(output, list):
                texts = [
                    output if isinstance(output, str) else json.dumps(output) if output else ""
                ]
            text = "\n\n".join(texts)
            block.output = [*([TextBlock(text)] if text else []), *media] if media else text
        last = found[-1] if found else None
        joins = last is not None and last.role == msg.role == "assistant" and not last.calls
        if joins and all(isinstance(block, ToolUseBlock) for block in msg.blocks):
            assert last is not None
            msg.content, msg.extras = [*last.blocks, *msg.blocks], last.extras
            found.pop()
        if msg.role != "tool":
            waiting = {call.id: call.name for call in msg.calls}
        found.append(msg)
    return found


def runnable(messages: Any) -> list[tuple[str, Any]]:
    """The calls that an agent runs, if a model says these messages."""
    calls = [call.function for one in messages for call in one.tool_calls or ()]
    return [(call.name, call.arguments) for call in calls]


BRIDGE = Bridge(
    "smolagents",
    read_messages,
    write_messages,
    LIMITS,
    held,
    runnable,
    wraps=True,
    least=0.3,
    dump=dumped,
)

CALL = {"id": "c_1", "type": "function", "function": {"name": "f", "arguments": {"a": None}}}
THEIRS = [
    ChatMessage(MessageRole.SYSTEM, [{"type": "text", "text": "Be brief."}]),
    ChatMessage(MessageRole.USER, "Look"),
    ChatMessage(MessageRole.ASSISTANT, None, [CALL], token_usage=TokenUsage(3, 2)),
    ChatMessage(MessageRole.TOOL_RESPONSE, [{"type": "text", "text": "Observation:\n18"}]),
    ChatMessage(MessageRole.TOOL_CALL, [{"type": "text", "text": f"Calling tools:\n{[CALL]}"}]),
    ChatMessage(MessageRole.TOOL_RESPONSE, [
        {"type": "text", "text": "Call id: c_1\nError:\nno\nNow let's retry"}]),
    ChatMessage(MessageRole.USER, [
        {"type": "text", "text": "And"},
        {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}]),
    ChatMessage(MessageRole.TOOL_RESPONSE, "lonely"),
]  # fmt: skip


def test_their_messages_come_back() -> None:
    for given in (THEIRS, dumped(THEIRS)):
        read = read_messages(given)
        written = write_messages(read.messages, policy="ignore").messages
        assert dumped(written) == dumped(THEIRS)
    msgs = read_messages(THEIRS).messages
    assert [msg.role for msg in msgs] == [
        "system", "user", "assistant", "tool", "assistant", "tool", "user", "tool",
    ]  # fmt: skip
    assert msgs[2].calls == msgs[4].calls == [ToolUseBlock("c_1", "f", {"a": None})]
    results = [b for msg in msgs for b in msg.blocks if isinstance(b, ToolResultBlock)]
    assert [(one.id, one.name, one.is_error) for one in results] == [
        ("c_1", "f", False), ("c_1", "f", True), ("", "", False),
    ]  # fmt: skip
    assert [one.output for one in results] == ["18", "no\nNow let's retry", "lonely"]
    assert msgs[2].metadata["usage"] == {"input": 3, "output": 2}


def test_an_image_of_theirs_is_read_and_sent_alike() -> None:
    image = Image.new("RGB", (2, 2), "red")
    theirs = [ChatMessage(MessageRole.USER, [{"type": "image", "image": image}])]
    read = read_messages(theirs).messages
    [block] = read[0].blocks
    assert isinstance(block, ImageBlock)
    assert isinstance(block.source, Base64Source)
    buffer = BytesIO()
    image.save(buffer, format="PNG")
    assert block.source.media_type == "image/png"
    assert sent(theirs) == sent(write_messages(read).messages)
    assert len(buffer.getvalue()) > 0


# -- what they send, and run -----------------------------------------------------------------------


def sent(messages: list[Any]) -> Any:
    """What models over an API are sent."""
    return get_clean_message_list(
        messages, tool_role_conversions, convert_images_to_image_urls=True
    )


def test_a_model_is_given_calls_and_results_as_text() -> None:
    """Calls are dropped and neighbours of one role are joined: what is not in the text is lost."""
    for messages in CONVERSATIONS.values():
        told = sent(write_messages(messages, policy="ignore").messages)
        assert all(one.keys() == {"role", "content"} for one in told)
        roles = [one["role"] for one in told]
        assert all(a != b for a, b in pairwise(roles)), "joined"
    history = CONVERSATIONS["parallel calls with a result that failed"]
    _, said, results, _ = sent(write_messages(history).messages)
    assert "'name': 'warmth', 'arguments': {'city': 'Rome'}" in said["content"][0]["text"]
    flat = get_clean_message_list(
        write_messages(history).messages, tool_role_conversions, flatten_messages_as_text=True
    )
    assert flat[1]["content"].startswith("I look.\nCalling tools:\n[{'id': 'c_1'")
    assert results["content"][0]["text"] == "Observation:\n18 degrees\nError:\nno such city"


class Look(Tool):  # type: ignore[misc]  # not installed where types are checked
    """A tool with one text."""

    name = "f"
    description = "Looks."
    inputs = {"city": {"type": "string", "description": "The city.", "nullable": True}}  # noqa: RUF012
    output_type = "string"
    ran: list[Any] = []  # noqa: RUF012

    def forward(self, city: str | None = None) -> str:
        self.ran.append(city)
        return "looked"


class Said(Model):  # type: ignore[misc]
    """A model in this process that says given messages."""

    def __init__(self, *answers: ChatMessage) -> None:
        super().__init__()
        self.answers = [*answers]
        self.given: list[Any] = []

    def generate(self, messages: Any, **_: Any) -> ChatMessage:
        self.given = messages
        return self.answers.pop(0)


def said(messages: list[Msg]) -> ChatMessage:
    """A message of a model; an agent wants its content as text."""
    [message] = write_messages(messages, policy="ignore").messages
    message.content = "".join(part["text"] for part in message.content)
    found: ChatMessage = message
    return found


END = said([Msg.assistant([ToolUseBlock("c_2", "final_answer", {"answer": "done"})])])


@each_case(("text", "cut"), [(text, cut) for text in CALLS for cut in (False, True)])
def test_no_broken_call_is_run(text: str, cut: bool) -> None:
    """An agent takes a text for the only argument of a tool."""
    messages = one_call(text, unfinished=cut)
    whole = type(messages[1].calls[0].input) is dict and not cut
    Look.ran.clear()
    model = Said(said(messages[1:2]), END)
    agent = ToolCallingAgent([Look()], model, verbosity_level=LogLevel.OFF)
    assert agent.run("Go.", max_steps=2) == "done"
    assert Look.ran == ([None] if whole else [])


def test_an_agents_memory_is_read() -> None:
    model = Said(said([Msg.assistant([ToolUseBlock("c_1", "f", {"city": "Paris"})])]), END)
    agent = ToolCallingAgent([Look()], model, verbosity_level=LogLevel.OFF)
    assert agent.run("Go.") == "done"
    read = read_messages(agent).messages
    assert [msg.role for msg in read][:2] == ["system", "user"]
    calls = [call for msg in read for call in msg.calls]
    assert [(call.id, call.name) for call in calls if call.name == "f"] == [("c_1", "f")] * 2
    results = [b for msg in read for b in msg.blocks if isinstance(b, ToolResultBlock)]
    assert (results[0].id, results[0].output) == ("c_1", "looked")
    written = write_messages(read, policy="ignore").messages
    assert dumped(written) == dumped(agent.write_memory_to_messages())
    llm = LLM("anthropic/claude-opus-5-5", key="none", transport=Scripted(*["Hi."] * 3))
    for given in (agent, written, [*written, Msg.user("And?")]):
        assert llm.ask(given).text == "Hi."
    assert find_bridge(written[0]) is find_bridge(agent) is smolagents


def test_a_step_with_several_calls_has_one_observation() -> None:
    calls = [ToolCall("f", {"city": "Paris"}, "c_1"), ToolCall("f", {"city": "Rome"}, "c_2")]
    step = ActionStep(1, Timing(0.0, 1.0), tool_calls=calls, observations="18\n20")
    read = read_messages([*TaskStep("Go.").to_messages(), *step.to_messages()]).messages
    assert [call.id for call in read[1].calls] == ["c_1", "c_2"]
    assert read[2] == Msg.tool("c_1", "18\n20", "f")


@each_case("code", ["print(1)", "{'a': 1", "null", ""])
def test_a_code_agents_steps_are_calls_of_text(code: str) -> None:
    calls = [ToolCall("python_interpreter", code, "call_1")]
    step = ActionStep(
        1, Timing(0.0, 1.0), tool_calls=calls, observations="1", model_output="I print."
    )
    theirs = [*TaskStep("Go.").to_messages(), *step.to_messages()]
    read = read_messages(theirs).messages
    call = ToolUseBlock("call_1", "python_interpreter", code, freeform=True)
    assert read[1] == Msg.assistant([TextBlock("I print."), call])
    assert read[2] == Msg.tool("call_1", "1", "python_interpreter")
    assert dumped(write_messages(read, policy="ignore").messages) == dumped(theirs)


def test_each_id_that_comes_back_as_another_is_a_loss() -> None:
    given = [*TWO, Msg.tool("b", "x"), Msg.tool("a", "y")]
    losses = write_messages(given, policy="ignore").losses
    assert [(loss.code, loss.where) for loss in losses] == [
        ("id.unsupported", "$.messages[1].content[0].id"),
        ("id.unsupported", "$.messages[2].content[0].id"),
    ]
    assert write_messages([*TWO, Msg.tool("a", "y"), Msg.tool("b", "x")]).losses == []


def test_an_answer_has_its_usage() -> None:
    msg = Msg.assistant("Hi")
    answer = ChatResponse([Candidate(msg, Finish("stop"))], Usage(input=3, cache_read=4, output=2))
    [message] = write_messages([answer]).messages
    assert message.token_usage == TokenUsage(7, 2)


@each_case("value", [3, None, "x", [3], [{"role": "model"}], [{"role": "user", "content": 3}]])
def test_what_is_no_message_is_refused(value: Any) -> None:
    with pytest.raises(NotMessages) as caught:
        read_messages(value)
    assert caught.value.path in ("$", "$[0]")


# -- what these messages cannot hold ---------------------------------------------------------------


def told(*blocks: ContentBlock) -> list[Msg]:
    return [Msg.assistant([*blocks])]


TWO = told(ToolUseBlock("a", "f", {}), ToolUseBlock("b", "g", {}))
ONE = ToolUseBlock("a", "f", {})
# in the order of the limits: what is given, and what comes back
PROOFS: list[tuple[list[Msg], list[Msg]]] = [
    (
        [*TWO, Msg.tool("b", "x", "g"), Msg.tool("a", "y", "f")],
        [*TWO, Msg.tool("a", "x", "f"), Msg.tool("b", "y", "g")],
    ),
    (
        [*TWO, Msg.tool("a", {"x": 1}), Msg.tool("b", [TextBlock("x"), TextBlock("y")])],
        [*TWO, Msg.tool("a", '{"x": 1}', "f"), Msg.tool("b", "x\n\ny", "g")],
    ),
    (
        [*told(ONE), Msg.user([ToolResultBlock("a", "f", "x"), TextBlock("y")])],
        [*told(ONE), Msg.tool("a", "x", "f"), Msg.user("y")],
    ),
    (
        [*told(ONE, TextBlock("x")), Msg.user("y"), *told(TextBlock("x")), *told(ONE)],
        [*told(TextBlock("x"), ONE), Msg.user("y"), *told(TextBlock("x"), ONE)],
    ),
    (told(ToolUseBlock("a", "f", {}, "{ }")), told(ONE)),
    (
        told(ToolUseBlock("b", "f", "[1", "[1"), ONE),
        told(ToolUseBlock("b", "f", "[1", "[1"), ONE),
    ),
    (
        told(ToolUseBlock("a", "f", "x", freeform=True)),
        told(ToolUseBlock("a", "f", {"input": "x"})),
    ),
    (told(ToolUseBlock("a", "f", {}, namespace="n")), told(ONE)),
    (told(ThinkingBlock("a"), TextBlock("b")), told(TextBlock("b"))),
    ([Msg.user("Hi", "Bob")], [Msg.user("Hi")]),
    ([Msg("", "x", "developer")], [Msg.system("x")]),
    ([Msg.user([DocumentBlock(TextSource(["a", "b"]))])], [Msg.user("a\n\nb")]),
    ([Msg.user([TextBlock("x"), ImageBlock(LocalSource("a.png"))])], [Msg.user("x")]),
    (
        [Msg.user([ImageBlock(Base64Source("image/png", PNG), "A")])],
        [Msg.user([ImageBlock(Base64Source("image/png", PNG))])],
    ),
    (
        [Msg.user([DocumentBlock(Base64Source("application/pdf", PNG))])],
        [Msg.user([DocumentBlock(Base64Source("application/pdf", PNG), "document.pdf")])],
    ),
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
        back = read_messages(written.messages).messages
        assert as_held(back, list) == expected, limit.what
    with pytest.raises(LossRefused):
        write_messages([Msg.user("Hi", "Bob")], policy="refuse")


def test_the_example_of_the_page_runs() -> None:
    check_example("smolagents")
