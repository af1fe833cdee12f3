"""`ChatModel`: what LangChain's standard suites do not ask (tests/frameworks/newest runs these)."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, cast

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, ToolMessage
from langchain_core.messages.utils import message_chunk_to_message
from langchain_core.tools import tool
from pydantic import BaseModel

from dragoman import LLM, AsyncLLM, ChatResponse, Msg, ProviderError, StreamBroken
from dragoman.bridges import langchain
from dragoman.bridges.langchain import ChatModel
from dragoman.errors import ConfigError, InvalidOutput, UnknownKeyword
from dragoman.message import Candidate, Finish, TextBlock, ThinkingBlock, ToolUseBlock, Usage
from dragoman.testing import Fault, Scripted, StrictServer
from tests.each_case import each_case

from .provider import answer

CLAUDE, GPT = "anthropic/claude-sonnet-5", "openai/openai-chat/gpt-5.6"


def over(name: str, *answers: Any, **settings: Any) -> ChatModel:
    llm = LLM(name, key="none", transport=Scripted(*answers, repeat=True), max_tokens=99, retries=0)
    return ChatModel(llm, **settings)


def total(chunks: Iterable[Any]) -> AIMessageChunk:
    first, *others = chunks
    return cast("AIMessageChunk", first + others if others else first)


def both(model: Any, asked: Any) -> list[AIMessage]:
    """An answer as it comes whole, streamed, and streamed and then made a message."""
    full = total(model.stream(asked))
    return [model.invoke(asked), full, cast("AIMessage", message_chunk_to_message(full))]


@tool
def look(city: str) -> str:
    """Look how warm it is."""
    return f"warm in {city}"


class City(BaseModel):
    """A city."""

    name: str
    people: int


# -- calls that cannot be run ---------------------------------------------------------------------

# the text of the arguments -> whether LangChain may run the call
ARGUMENTS = {
    "": True,  # no arguments
    "null": True,
    "{}": True,
    '{"a": 1}': True,
    '{"a": [1, 2': False,
    '{"a": "x\\': False,
    '{"a": "x': False,
    "{bad": False,
    "[1]": False,
    "7": False,
    '{"a": 1} and more': False,
}


def call_answer(text: str, cut: bool) -> ChatResponse:
    call = ToolUseBlock("c_1", "f", {}, text, unfinished=cut)
    if text not in ("", "null"):
        call.input = text if text[-1] != "}" else {"a": 1} if "1" in text else {}
    finish = Finish("length" if cut else "tool_calls")
    msg = Msg("", [TextBlock("I look."), call], "assistant")
    return ChatResponse([Candidate(msg, finish)], Usage(1, output=1))


@each_case(("text", "may_run"), ARGUMENTS.items())
def test_a_call_is_run_whole_or_not_at_all_also_after_a_stream(text: str, may_run: bool) -> None:
    for version in (None, "v1"):
        model = over(GPT, call_answer(text, False), output_version=version)
        for message in both(model, "Hello"):
            assert bool(message.tool_calls) == may_run, message
            assert bool(message.invalid_tool_calls) != may_run


@each_case("text", ARGUMENTS)
def test_a_call_that_a_limit_cut_is_never_run_though_its_json_is_whole(text: str) -> None:
    for message in both(over(CLAUDE, call_answer(text, True)), "Hello"):
        assert message.tool_calls == []
        assert message.invalid_tool_calls[0]["name"] == "f"
        assert message.response_metadata["dragoman"]["status"] == "truncated"
        [read] = langchain.read_messages([message]).messages
        assert all(call.unfinished for call in read.calls)


@each_case("id", ["c_1", ""])
@each_case("version", [None, "v1"])
def test_calls_of_a_host_that_sends_objects_and_perhaps_no_ids_are_streamed(
    version: str | None, id: str
) -> None:
    calls = [ToolUseBlock(id, "f", {"a": {"b": [1]}}), ToolUseBlock(id and "c_2", "g", {})]
    for message in both(over("gemini/gemini-3-pro", calls, output_version=version), "Hello"):
        assert [call["args"] for call in message.tool_calls] == [{"a": {"b": [1]}}, {}]
        ids = [call["id"] for call in message.tool_calls]
        assert all(ids)
        assert ids[0] != ids[1]


# -- streams --------------------------------------------------------------------------------------


BLOCKS = [
    ThinkingBlock("Let me see.", signature="c2VhbA=="),
    TextBlock("It is"),
    ToolUseBlock("c_1", "f", {"a": 1}),
    ToolUseBlock("c_2", "g", {"b": "é"}),
]


@each_case("version", [None, "v1"])
@each_case("blocks", [BLOCKS, BLOCKS[1:], BLOCKS[1:2], BLOCKS[2:]])
@each_case("name", [CLAUDE, GPT, "gemini/gemini-3-pro"])
def test_a_stream_says_the_same_as_the_whole_answer(
    name: str, blocks: list[Any], version: str | None
) -> None:
    whole, *others = both(over(name, blocks, output_version=version), "Hello")
    for streamed in others:
        assert streamed.text == whole.text
        assert streamed.tool_calls == whole.tool_calls
        assert streamed.usage_metadata == whole.usage_metadata
        shown = [{**block, "index": 0} for block in streamed.content_blocks]
        assert shown == [{**block, "index": 0} for block in whole.content_blocks]
        read = [langchain.read_messages([one]).messages[0] for one in (streamed, whole)]
        assert [block.type for block in read[0].blocks] == [block.type for block in read[1].blocks]


def test_pieces_come_as_they_arrive_and_calls_have_an_index() -> None:
    chunks = [*over(GPT, [TextBlock("one two"), ToolUseBlock("c", "f", {"a": 1})]).stream("x")]
    assert [chunk.text for chunk in chunks if chunk.text] == ["one", " two"]
    assert {one["index"] for chunk in chunks for one in chunk.tool_call_chunks} == {1}
    assert [chunk.chunk_position for chunk in chunks].count("last") == 1
    assert chunks[-1].chunk_position == "last"


@each_case("name", [CLAUDE, GPT])
def test_a_stream_that_breaks_off_is_an_error_and_has_no_last_chunk(name: str) -> None:
    model = over(name, Fault([TextBlock("one two three four")], cut=4))
    seen: list[AIMessageChunk] = []
    with pytest.raises(StreamBroken):
        deque(map(seen.append, model.stream("x")), maxlen=0)
    assert seen
    assert all(chunk.chunk_position is None for chunk in seen)
    assert all("dragoman" not in chunk.response_metadata for chunk in seen)


def test_leaving_a_stream_closes_the_connection() -> None:
    closed: list[bool] = []

    class Watched(Scripted):
        def stream(self, call: Any, *timeouts: Any) -> Any:
            reply = super().stream(call, *timeouts)
            reply.close = lambda: closed.append(True)  # type: ignore[method-assign]
            return reply

    script = Watched("one two three four")
    chunks = ChatModel(LLM(GPT, key="none", transport=script)).stream("x")
    next(chunks)
    assert not closed
    chunks.close()  # type: ignore[attr-defined]
    assert closed


def test_tokens_of_several_answers_are_a_list_and_no_stream() -> None:
    two = ChatResponse([Candidate(Msg.assistant(text)) for text in ("one", "two")])
    result = over(GPT, two).bind(n=2)
    found = cast("BaseChatModel", over(GPT, two)).generate([[HumanMessage("x")]], n=2)
    assert [one.text for one in found.generations[0]] == ["one", "two"]
    with pytest.raises(ConfigError, match="one answer"):
        [*result.stream("x")]


# -- turns ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wire", "name"),
    [("anthropic", CLAUDE), ("openai-responses", "openai/openai-responses/gpt-5.6")],
)
def test_signed_thinking_goes_back_as_it_came(wire: str, name: str) -> None:
    with StrictServer(wire, partial(answer, issuer=wire)) as server:
        address = f"{server.root}/v1"
        model = ChatModel(name, key="none", base_url=address, max_tokens=5000, reasoning="high")
        offered = model.bind_tools([look])
        for message in both(offered, "Look at Paris."):
            [call] = message.tool_calls
            result = ToolMessage(look.invoke(call["args"]), tool_call_id=call["id"])
            final = offered.invoke([HumanMessage("Look at Paris."), message, result])
            assert final.text.startswith("The tool says: warm in")
            thought, *_ = server.requests[-1].messages[1].blocks
            assert isinstance(thought, ThinkingBlock)
            assert thought.signature or thought.redacted, message
            assert thought.thinking


def test_what_does_not_come_across_is_told_with_the_answer() -> None:
    model = over("openai/openai-responses/gpt-5.6", "Hello.")
    asked = [HumanMessage("Hello", name="Ann")]
    for message in both(model, asked):
        losses = message.response_metadata["dragoman"]["losses"]
        assert "name.in_text" in [loss["code"] for loss in losses] or losses


# -- settings, errors ------------------------------------------------------------------------------


def test_settings_of_the_model_of_a_binding_and_of_the_call() -> None:
    script = Scripted("Hello.", repeat=True)
    llm = LLM("openai/openai-chat/gpt-4.1", key="none", transport=script)
    model = ChatModel(llm, temperature=0.5, top_p=0.9, stop=["one"])
    model.invoke("x")
    model.bind(temperature=0.1, stop=["two"]).invoke("x", max_tokens=7)
    options = [request.options for request in script.requests]
    assert [(one.temperature, one.top_p, one.max_tokens) for one in options] == [
        (0.5, 0.9, None),
        (0.1, 0.9, 7),
    ]
    assert [[*cast("Any", one.stop)] for one in options] == [["one"], ["two"]]
    for bad in (lambda: model.invoke("x", temprature=1), lambda: ChatModel(llm, temprature=1)):
        with pytest.raises(UnknownKeyword, match="temprature"):
            bad()


@each_case(
    ("given", "mode", "name"),
    [
        ("any", "required", None),
        (True, "required", None),
        ("auto", "auto", None),
        ("none", "none", None),
        ("look", "tool", "look"),
        ({"type": "function", "function": {"name": "look"}}, "tool", "look"),
    ],
)
def test_choices_and_strictness_of_tools(given: Any, mode: str, name: str | None) -> None:
    script = Scripted("Hello.")
    model = ChatModel(LLM(GPT, key="none", transport=script))
    offered = model.bind_tools([look], tool_choice=given, strict=True, parallel_tool_calls=False)
    offered.invoke("x")
    [request] = script.requests
    assert request.tool_choice is not None
    said = request.tool_choice
    assert (said.mode, said.name, said.parallel) == (mode, name, False)
    assert request.tools[0].strict  # type: ignore[union-attr]


def test_tools_that_a_provider_runs_are_offered_as_they_are() -> None:
    search = {"type": "web_search_20250305", "name": "web_search", "max_uses": 2}
    script = Scripted("Hello.", wire="anthropic")
    ChatModel(LLM(CLAUDE, key="none", transport=script, max_tokens=9)).bind_tools(
        [search, look]
    ).invoke("x")
    assert b"web_search_20250305" in script.calls[0].body


@each_case(
    "ask",
    [
        lambda model: model.invoke("x"),
        lambda model: [*model.stream("x")],
        lambda model: asyncio.run(model.ainvoke("x")),
    ],
)
def test_errors_are_those_of_an_llm(ask: Callable[[ChatModel], Any]) -> None:
    busy = ProviderError("slow down", status=429, type="rate_limit_error")
    with pytest.raises(ProviderError, match="slow down") as caught:
        ask(over(CLAUDE, busy))
    assert caught.value.kind == "rate_limit"


def test_the_model_that_answered_is_named_after_a_fallback(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, "none")
    script = Scripted(ProviderError("no", status=500), "Hello.", repeat=True)
    llm = LLM([CLAUDE, GPT], transport=script, max_tokens=9, retries=0)
    message = ChatModel(llm).invoke("x")
    assert message.response_metadata["model_name"] == "gpt-5.6"
    assert message.response_metadata["model_provider"] == "openai"
    assert message.response_metadata["dragoman"]["host"] == "openai"


def test_caches_tell_models_with_other_settings_apart() -> None:
    llms = [LLM(GPT, key="none", system=text) for text in ("Be brief.", "Be brief.", "Be kind.")]
    texts = [ChatModel(llm)._get_llm_string() for llm in llms]
    assert texts[0] == texts[1] != texts[2]
    assert "brief" not in texts[0]


def test_tokens_are_counted_without_a_network() -> None:
    model = over(GPT, "x")
    few, many = (model.get_num_tokens(text) for text in ("Hello.", "Hello there, all of you."))
    assert 0 < few < many
    plain = model.get_num_tokens_from_messages([HumanMessage("Hello.")])
    assert plain == few
    assert model.get_num_tokens_from_messages([HumanMessage("Hello.")], tools=[look]) > plain


def test_an_async_llm_serves_as_well_and_threads_need_no_loop() -> None:
    llm = AsyncLLM(GPT, key="none", transport=Scripted("Hello.", repeat=True))
    assert ChatModel(llm).invoke("x").text == "Hello."
    with pytest.raises(ConfigError, match="needs a model"):
        ChatModel()


# -- typed output ---------------------------------------------------------------------------------


@each_case("name", [CLAUDE, GPT])
def test_an_answer_that_does_not_fit_is_an_error_or_told_beside_the_raw_one(name: str) -> None:
    wrong = '{"name": "Paris", "people": "many"}'
    model = over(name, wrong)
    strict = model.with_structured_output(City)
    with pytest.raises(InvalidOutput, match="people"):
        strict.invoke("x")
    with pytest.raises(InvalidOutput, match="people"):
        [*strict.stream("x")]
    beside = model.with_structured_output(City, include_raw=True).invoke("x")
    assert beside["raw"].text == wrong
    assert beside["parsed"] is None
    assert isinstance(beside["parsing_error"], InvalidOutput)


def test_a_cut_answer_is_no_value_though_its_json_could_be_closed() -> None:
    text = '{"name": "Paris", "people": 2'
    cut = ChatResponse([Candidate(Msg.assistant(text), Finish("length"))])
    model = over(GPT, cut)
    with pytest.raises(InvalidOutput):
        model.with_structured_output(City).invoke("x")
    found = model.with_structured_output(City, include_raw=True).invoke("x")
    assert (found["parsed"], type(found["parsing_error"])) == (None, InvalidOutput)


def test_an_answer_is_asked_for_again_if_the_program_says_so() -> None:
    model = over(GPT, "It is a city.", '{"name": "Paris", "people": 2}')
    found = model.with_structured_output(City, repairs=1).invoke("x")
    assert found == City(name="Paris", people=2)


@each_case("method", ["auto", "json_schema", "function_calling"])
def test_every_method_gives_values_and_a_stream_grows(method: Any) -> None:
    asked = "‘Paris’ has 2 people."
    with StrictServer("openai-chat", answer) as server:
        model = ChatModel(GPT, key="none", base_url=f"{server.root}/v1")
        chain = model.with_structured_output(City, method=method)
        assert chain.invoke(asked) == City(name="Paris", people=2)
        schema = model.with_structured_output(City.model_json_schema(), method=method)
        values = [*schema.stream(asked)]
        assert values[-1] == {"name": "Paris", "people": 2}


def test_a_method_that_there_is_not() -> None:
    with pytest.raises(ConfigError, match="no method"):
        over(GPT, "x").with_structured_output(City, method="magic")  # type: ignore[arg-type]
