"""Document 002: the formatter writes and reads, the model sends, and each goes with several."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

import dragoman
from dragoman import ConfigError, InvalidMessage, Msg, ReActAgent, Tool, matrix, model
from dragoman import formatter as formatters
from dragoman.errors import NotMessages
from dragoman.formatter import (
    AnthropicChatFormatter,
    FormatterBase,
    OllamaChatFormatter,
    OpenAIChatFormatter,
)
from dragoman.message import Candidate, ChatResponse, Finish
from dragoman.model import (
    AnthropicChatModel,
    ChatModelBase,
    DashScopeChatModel,
    DeepSeekChatModel,
    FormatterMismatch,
    GeminiChatModel,
    OllamaChatModel,
    OpenAIChatModel,
    pair_model,
)
from dragoman.testing import Scripted

KINDS = (
    OpenAIChatModel, AnthropicChatModel, GeminiChatModel, DashScopeChatModel, OllamaChatModel,
    DeepSeekChatModel,
)  # fmt: skip
QUESTION = [Msg("Tony", "Where is Paris?", "user")]
WARMTH = Tool("warmth", "How warm it is", {"type": "object", "properties": {}})


def key_of(kind: type[ChatModelBase]) -> dict[str, Any]:
    return {} if kind is OllamaChatModel else {"api_key": "none"}


def made(kind: Any, *answers: Any, name: str = "m", **settings: Any) -> tuple[Any, Scripted]:
    script = Scripted(*answers)
    return kind(name, **key_of(kind), transport=script, stream=False, **settings), script


@pytest.mark.parametrize(
    ("kind", "formatter"),
    [
        pytest.param(
            DashScopeChatModel, formatters.DashScopeChatFormatter, marks=pytest.mark.demand("S62")
        ),
        pytest.param(
            OpenAIChatModel, formatters.OpenAIChatFormatter, marks=pytest.mark.demand("S63")
        ),
        pytest.param(AnthropicChatModel, AnthropicChatFormatter, marks=pytest.mark.demand("S64")),
        pytest.param(
            GeminiChatModel, formatters.GeminiChatFormatter, marks=pytest.mark.demand("S65")
        ),
    ],
)
def test_the_type_of_a_model_picks_its_formatter(kind: Any, formatter: Any) -> None:
    assert type(kind("m", **key_of(kind)).formatter) is formatter


@pytest.mark.demand("S66")
def test_an_unknown_type_of_model_is_an_error() -> None:
    class Odd(ChatModelBase):
        async def __call__(self, *args: Any, **kwargs: Any) -> Any:
            return None

    with pytest.raises(ConfigError, match="Unknown model type: Odd"):
        _ = Odd("m").formatter


@dataclass
class Agent:
    """Document 002's: it coordinates a formatter and a model, which know nothing of each other."""

    formatter: Any
    model: Any

    async def reply(self, msgs: list[Msg]) -> Msg:
        messages = await self.formatter.format(msgs)
        response = await pair_model(self.formatter, self.model)(messages)
        answer: Msg = self.formatter.parse_response(response)
        return answer


@pytest.mark.demand("S141", "S143")
def test_messages_go_through_formatter_model_and_formatter_again() -> None:
    claude, script = made(AnthropicChatModel, "In France.", "In France.", name="claude-opus-5-5")
    formatter = AnthropicChatFormatter()
    dicts = asyncio.run(formatter.format(QUESTION))
    assert [type(message) for message in dicts] == [dict]
    response = asyncio.run(claude(dicts))
    assert isinstance(response, ChatResponse)
    assert isinstance(formatter.parse_response(response), Msg)
    answer = asyncio.run(Agent(AnthropicChatFormatter(), claude).reply(QUESTION))
    assert isinstance(answer, Msg)
    assert answer.role == "assistant"
    assert answer.get_text_content() == "In France."
    assert script.requests[0].messages[0].text == "Where is Paris?"


@pytest.mark.demand("S142", "S144", "S153")
def test_no_class_does_both() -> None:
    sends = {name for name, _ in inspect.getmembers(ChatModelBase, inspect.isfunction)}
    writes = {name for name, _ in inspect.getmembers(FormatterBase, inspect.isfunction)}
    assert "__call__" in sends
    assert not sends & {"format", "parse_response", "format_tools"}
    assert {"format", "parse_response"} <= writes
    assert not writes & {"post", "apost", "sync"}
    hints = inspect.signature(model.ChatModel.__call__).parameters["messages"].annotation
    assert "Msg" not in str(hints).replace("WireMessages", "")
    # the rejected OpenAIModel(model_name, api_key) takes messages and converts them
    for kind in (OpenAIChatModel, AnthropicChatModel, OllamaChatModel, DeepSeekChatModel):
        assert not {"_convert_msgs", "_convert_response"} & set(dir(kind))
    assert list(inspect.signature(OpenAIChatModel).parameters)[:2] == ["model_name", "api_key"]
    one, script = made(OpenAIChatModel, "In France.")
    with pytest.raises(NotMessages, match="no Msg"):
        asyncio.run(one(QUESTION))
    assert script.calls == []


@pytest.mark.parametrize(
    ("formatter", "kind", "url"),
    [
        pytest.param(
            OpenAIChatFormatter,
            OllamaChatModel,
            "http://localhost:11434/v1/chat/completions",
            marks=pytest.mark.demand("S145"),
        ),
        pytest.param(
            OllamaChatFormatter,
            OllamaChatModel,
            "http://localhost:11434/api/chat",
            marks=pytest.mark.demand("S146"),
        ),
        pytest.param(
            OpenAIChatFormatter,
            DeepSeekChatModel,
            "https://api.deepseek.com/chat/completions",
            marks=pytest.mark.demand("S147"),
        ),
        pytest.param(
            OpenAIChatFormatter,
            OpenAIChatModel,
            "https://api.openai.com/v1/chat/completions",
            marks=pytest.mark.demand("S148"),
        ),
        pytest.param(
            AnthropicChatFormatter,
            AnthropicChatModel,
            "https://api.anthropic.com/v1/messages",
            marks=pytest.mark.demand("S148"),
        ),
    ],
)
def test_a_formatter_goes_with_a_model_that_has_an_endpoint_for_it(
    formatter: Any, kind: Any, url: str
) -> None:
    one, script = made(kind, "In France.")
    writes = formatter()
    answer = pair_model(writes, one).sync(writes.format_sync(QUESTION))  # type: ignore[attr-defined]
    assert writes.parse_response(answer).get_text_content() == "In France."
    assert script.calls[0].url == url


@pytest.mark.demand("S151")
def test_a_model_is_tested_without_messages() -> None:
    one, script = made(OpenAIChatModel, "In France.")
    schemas = OpenAIChatFormatter().format_tools([WARMTH])
    dicts = [{"role": "user", "content": "Where is Paris?"}]
    answer = asyncio.run(one(dicts, tools=schemas))
    assert answer.text == "In France."
    assert [tool.name for tool in script.requests[0].tools if isinstance(tool, Tool)] == ["warmth"]
    sent = json.loads(script.calls[0].body or b"")
    assert (sent["messages"], sent["tools"]) == (dicts, schemas)


@pytest.mark.demand("S152", "S153")
@pytest.mark.parametrize(
    "agent_of", [Agent, lambda formatter, one: ReActAgent("Friday", None, one, formatter)]
)
def test_a_formatter_is_exchanged_while_the_agent_runs(agent_of: Any) -> None:
    one, script = made(DeepSeekChatModel, "In France.", "In Italy.")
    agent = agent_of(OpenAIChatFormatter(), one)
    asyncio.run(agent.reply(QUESTION))
    agent.formatter = AnthropicChatFormatter()
    answer = asyncio.run(agent.reply(QUESTION))
    assert getattr(answer, "msg", answer).text == "In Italy."  # ReActAgent's Reply has the message
    assert agent.model is one
    assert [call.url.rpartition("/")[2] for call in script.calls] == ["completions", "messages"]


# the providers that document 002 names, and whose chat formatters go with the model of each
PROVIDERS = ("OpenAI", "Anthropic", "DashScope", "Gemini", "Ollama")
GO_WITH: dict[Any, tuple[str, ...]] = {
    OpenAIChatModel: ("OpenAI",),
    AnthropicChatModel: ("Anthropic",),
    DashScopeChatModel: ("OpenAI", "Anthropic", "DashScope"),
    GeminiChatModel: ("Gemini",),
    OllamaChatModel: ("OpenAI", "Anthropic", "Ollama"),
}


@pytest.mark.demand("S153", "S159")
def test_each_model_goes_with_several_formatters() -> None:
    for kind, names in GO_WITH.items():
        cells = matrix(tuple(f"{name}ChatFormatter" for name in PROVIDERS), (kind.__name__,))
        assert [cell.formatter for cell in cells if cell.works] == [
            f"{name}ChatFormatter" for name in names
        ]
        for name in names:
            for speakers in ("Chat", "MultiAgent"):  # at least these two
                one, script = made(kind, "In France.")
                writes = getattr(formatters, f"{name}{speakers}Formatter")()
                answer = pair_model(writes, one).sync(writes.format_sync(QUESTION))  # type: ignore[attr-defined]
                assert writes.parse_response(answer).get_text_content() == "In France."
                assert "Where is Paris?" in script.requests[0].messages[0].text


class EchoModel(ChatModelBase):
    """A provider of one's own: a class below 30 lines; its formatter is one that is there."""

    wire_name = "openai-chat"

    async def __call__(
        self, messages: Any, tools: Any = None, tool_choice: Any = None,
        stream: bool | None = None, **options: Any,
    ) -> Any:  # fmt: skip
        said = messages[-1]["content"]
        body = {"choices": [{"message": {"role": "assistant", "content": f"You said: {said}"}}]}
        return dragoman.wire("openai-chat").read_response(body)


@pytest.mark.demand("S154", "S158")
def test_a_new_provider_changes_one_place_or_two_small_ones() -> None:
    # as a row: formatter and model both know it
    host = dragoman.Vendor("acme", base_url="https://acme.example/v1", key="ACME_KEY",
                           wires={"openai-chat": None})  # fmt: skip
    script = Scripted("Hello.", wire="openai-chat")
    acme = model.ChatModel(host, "a-1", "none", transport=script)
    assert acme.sync(dragoman.Formatter(host).format_sync(QUESTION)).text == "Hello."
    # as a class: under 30 lines
    assert len(inspect.getsource(EchoModel).splitlines()) < 30
    echo = EchoModel("e-1")
    answer = asyncio.run(Agent(echo.formatter, echo).reply(QUESTION))
    assert answer.get_text_content() == "You said: Where is Paris?"


class Post(ChatModelBase):
    """A provider unlike all others; it names no wire."""

    async def __call__(
        self, messages: Any, tools: Any = None, tool_choice: Any = None,
        stream: bool | None = None, **options: Any,
    ) -> ChatResponse:  # fmt: skip
        said = f"You wrote: {messages[-1]['text']}"
        return ChatResponse([Candidate(Msg.assistant(said), Finish("stop"))])


class Postcards(FormatterBase):
    """What it takes and gives."""

    async def format(self, msgs: list[Msg]) -> list[dict[str, Any]]:
        return [{"text": m.text} for m in msgs]

    def parse_response(self, raw: Any, tools: Any = None, request: Any = None) -> Msg:
        msg: Msg = raw.msg
        return msg


class Telegrams(Postcards):
    """The formatter has changed; the model has not."""

    async def format(self, msgs: list[Msg]) -> list[dict[str, Any]]:
        return [{"text": m.text.upper()} for m in msgs]


class AirMail(Post):
    """The model has changed; the formatter has not."""

    async def __call__(self, *args: Any, **kwargs: Any) -> ChatResponse:
        response = await super().__call__(*args, **kwargs)
        response.msg.content = f"{response.text} By air."
        return response


@pytest.mark.demand("S158")
@pytest.mark.parametrize(
    ("kind", "formatter", "said"),
    [
        (Post, Postcards, "You wrote: Where is Paris?"),
        (Post, Telegrams, "You wrote: WHERE IS PARIS?"),
        (AirMail, Postcards, "You wrote: Where is Paris? By air."),
    ],
)
def test_a_provider_of_ones_own_is_one_method_in_each_class(
    kind: Any, formatter: Any, said: str
) -> None:
    assert ChatModelBase.__abstractmethods__ == {"__call__"}
    assert FormatterBase.__abstractmethods__ == {"format"}
    answer = asyncio.run(ReActAgent("Friday", None, kind("p-1"), formatter())(QUESTION))
    assert answer is not None
    assert (answer.role, answer.text) == ("assistant", said)


@pytest.mark.demand("S155")
def test_a_pair_whose_interfaces_do_not_match_is_refused_when_it_is_made() -> None:
    claude, _ = made(AnthropicChatModel)
    with pytest.raises(FormatterMismatch, match="no endpoint that takes it") as caught:
        pair_model(OpenAIChatFormatter(), claude)
    assert "anthropic" in str(caught.value)


@pytest.mark.demand("S155")
@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_what_a_formatter_gives_is_what_its_model_takes(kind: Any, stream: bool) -> None:
    """The streaming flag and the tool schemas, whichever form the API has for them."""
    one, script = made(kind, "In France.")
    messages, schemas, flag = asyncio.run(one.formatter.call(QUESTION, [WARMTH], stream))

    async def answered() -> Any:
        answer = await one(messages, tools=schemas, stream=flag)
        return [part async for part in answer][-1] if flag else answer

    assert asyncio.run(answered()).text == "In France."
    [asked] = script.requests
    named = [tool.name for tool in asked.tools if isinstance(tool, Tool)]
    assert (named, asked.stream) == (["warmth"], stream)
    # Gemini's class spells the names of fields as its SDK does, which its API takes too
    spelled = json.dumps(schemas).replace("function_declarations", "functionDeclarations")
    assert spelled in json.dumps(json.loads(script.calls[0].body or b""))


@pytest.mark.demand("S160", "S161")
def test_the_matrix_of_all_pairs_has_a_reason_for_each() -> None:
    cells = matrix()
    assert len({(cell.formatter, cell.model) for cell in cells}) == len(cells)
    assert {cell.works for cell in cells} == {True, False}
    assert all(cell.reason for cell in cells)
    five = matrix(
        tuple(f"{name}ChatFormatter" for name in PROVIDERS),
        tuple(f"{name}ChatModel" for name in PROVIDERS),
    )
    assert len(five) == 25
    assert len([cell for cell in five if cell.works]) == sum(map(len, GO_WITH.values())) == 9
    [cell] = matrix(("AnthropicChatFormatter",), ("OllamaChatModel",))
    assert cell.works  # Ollama has an endpoint for that protocol since 2026
    assert "anthropic" in cell.reason
    [cell] = matrix(("GeminiChatFormatter",), ("OllamaChatModel",))
    assert not cell.works
    assert "functionCall" in cell.reason


@pytest.mark.demand("S165")
@pytest.mark.parametrize("kind", [OpenAIChatModel, AnthropicChatModel, GeminiChatModel])
def test_what_a_model_is_called_with_and_what_it_gives(kind: Any) -> None:
    one, script = made(kind, "In France.", "In France.")
    messages = one.formatter.format_sync(QUESTION)
    tools = one.formatter.format_tools([WARMTH])
    whole = asyncio.run(one(messages=messages, tools=tools, stream=False))
    assert isinstance(whole, ChatResponse)
    assert whole.text == "In France."
    assert isinstance(asyncio.run(one(messages, tools, stream=True)), AsyncIterator)
    [request] = script.requests
    assert [tool.name for tool in request.tools if isinstance(tool, Tool)] == ["warmth"]
    # AgentScope's third argument is the tool choice, so that the flag has its name
    with pytest.raises(InvalidMessage, match="bool is no tool choice"):
        asyncio.run(one(messages, tools, True))


@pytest.mark.demand("S168")
@pytest.mark.parametrize(
    "kind",
    [OpenAIChatModel, AnthropicChatModel, GeminiChatModel, DashScopeChatModel, OllamaChatModel],
)
def test_streams_and_whole_answers_are_alike(kind: Any) -> None:
    call = {"type": "tool_use", "id": "call_0001", "name": "warmth", "input": {"city": "Paris"}}
    said: Sequence[Any] = [{"type": "text", "text": "Let me look at it."}, call]
    one, _ = made(kind, said, said)
    messages = one.formatter.format_sync(QUESTION)
    whole = asyncio.run(one(messages, [WARMTH], stream=False))

    async def streamed() -> list[Any]:
        return [part async for part in await one(messages, [WARMTH], stream=True)]

    parts = asyncio.run(streamed())
    assert len(parts) > 2
    assert whole.text.startswith(parts[0].text)  # each part holds all that has come by then
    last = parts[-1]
    assert (last.text, last.msg.role) == (whole.text, whole.msg.role)
    assert [(c.name, c.input) for c in last.calls] == [(c.name, c.input) for c in whole.calls]
    assert last.finish.reason == whole.finish.reason
    read, read_whole = one.formatter.parse_response(last), one.formatter.parse_response(whole)
    assert (read.role, read.text) == (read_whole.role, "Let me look at it.")
    assert [(c.name, c.input) for c in read.calls] == [("warmth", {"city": "Paris"})]
    assert [(c.name, c.input) for c in read_whole.calls] == [("warmth", {"city": "Paris"})]
