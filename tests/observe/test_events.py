"""A listener gets what happens, in order, and which operation each event belongs to."""

from __future__ import annotations

import asyncio
import copy
import logging
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

from dragoman import LLM, AsyncLLM, ChatRequest, Msg, Toolkit, observe, tool
from dragoman.errors import ConfigError, DragomanError, InvalidOutput, ProviderError, StreamBroken
from dragoman.message import ToolUseBlock
from dragoman.model import ChatModel
from dragoman.observe import Event
from dragoman.testing import Fault, Scripted
from dragoman.vendors import wire
from tests.each_case import each_case
from tests.observe.worlds import (
    QUICK,
    TWO_CALLS,
    Seen,
    agent,
    limited,
    model,
    path,
    refused,
    temperature,
)

ONE_REQUEST = ["call-begin", "request-begin", "attempt", "request-end", "call-end"]


def asked(llm: LLM, how: str) -> str:
    """Ask in one of the four ways; return the text."""
    if how == "ask":
        return llm.ask("Where is Paris?").text
    if how == "stream":
        stream = llm.stream("Where is Paris?")
        return "".join(stream.text)

    async def ask() -> str:
        other = AsyncLLM.of(llm)
        if how == "aask":
            return (await other.ask("Where is Paris?")).text
        return "".join([text async for text in other.stream("Where is Paris?").text])

    return asyncio.run(ask())


HOWS = ("ask", "stream", "aask", "astream")


def without_first_byte(types: list[str]) -> list[str]:
    return [one for one in types if one != "first-byte"]


@each_case("how", HOWS)
def test_an_answer(how: str) -> None:
    seen = Seen()
    with observe.subscribe(seen):
        text = asked(model("In France."), how)
    assert text == "In France."
    assert without_first_byte(seen.types) == ONE_REQUEST
    assert ("first-byte" in seen.types) is ("stream" in how)
    call, begin = seen[0], seen.of("request-begin")[0]
    assert path(begin.operation) == ["call", "request"]
    assert begin.operation.parent is call.operation
    assert (begin.provider, begin.model, begin.protocol) == ("openai", "gpt-5.6", "openai-chat")
    assert begin.address == "https://api.openai.com/v1"
    assert begin.stream is ("stream" in how)
    assert begin.read_request().messages[-1].text == "Where is Paris?"
    end, last = seen.of("request-end")[0], seen.of("call-end")[0]
    assert end.answer.text == last.answer.text == "In France."
    assert (end.finish.reason, end.error, end.error_kind) == ("stop", None, "")
    assert end.usage == last.answer.usage
    assert end.answer.written is begin.written
    assert [event.time for event in seen] == sorted(event.time for event in seen)
    assert "France" not in repr(seen)
    assert "Paris" not in repr(seen)


@each_case("how", HOWS)
def test_a_retry_and_a_fallback(how: str) -> None:
    seen = Seen()
    other = model("In France.", name="anthropic/claude-opus-5-5")
    llm = model(limited(), limited(), fallbacks=other)
    with observe.subscribe(seen):
        asked(llm, how)
    assert without_first_byte(seen.types) == [
        "call-begin",
        *("request-begin", "attempt", "retry", "attempt", "request-end"),
        "fallback",
        *("request-begin", "attempt", "request-end"),
        "call-end",
    ]
    assert [event.number for event in seen.of("attempt")] == [1, 2, 1]
    retry, fallback = seen.of("retry")[0], seen.of("fallback")[0]
    assert (retry.number, retry.kind, retry.pause) == (1, "rate_limit", 0.0)
    assert (fallback.failed, fallback.kind) == ("openai/gpt-5.6", "rate_limit")
    assert fallback.following == "anthropic/claude-opus-5-5"
    assert path(fallback.operation) == ["call"]
    failed, answered = seen.of("request-end")
    assert (failed.answer, failed.error_kind) == (None, "rate_limit")
    assert answered.answer.host == "anthropic"
    assert seen.of("call-begin")[0].models == ("openai/gpt-5.6", "anthropic/claude-opus-5-5")


@each_case("how", HOWS)
def test_an_error(how: str) -> None:
    seen = Seen()
    with observe.subscribe(seen), pytest.raises(ProviderError) as caught:
        asked(model(refused()), how)
    assert seen.types == ONE_REQUEST
    assert [event.error_kind for event in seen if isinstance(event, observe.OperationEnd)] == [
        "invalid",
        "invalid",
    ]
    assert seen.of("call-end")[0].error is caught.value


@each_case("how", ("stream", "astream"))
def test_a_stream_that_breaks(how: str) -> None:
    seen = Seen()
    with observe.subscribe(seen), pytest.raises(StreamBroken):
        asked(model(Fault("In France, by the Seine.", cut=2)), how)
    assert [event.error_kind for event in seen.of("request-end")] == ["other"]
    assert [event.error_kind for event in seen.of("call-end")] == ["other"]


@each_case("how", ("stream", "astream"))
def test_a_stream_that_breaks_and_may(how: str) -> None:
    seen = Seen()
    with observe.subscribe(seen):
        asked(model(Fault("In France, by the Seine.", cut=2), allow_partial=True), how)
    (end,) = seen.of("request-end")
    assert end.error is None
    assert end.answer.status == "interrupted"


def test_a_stream_that_is_left() -> None:
    seen = Seen()
    with observe.subscribe(seen):
        for _ in model("In France, by the Seine.").stream("Where is Paris?"):
            break
    assert seen.types[-2:] == ["request-end", "call-end"]
    assert [(event.error, event.answer) for event in seen[-2:]] == [(None, None)] * 2  # type: ignore[attr-defined]


def test_an_error_of_the_program_is_none_of_the_model() -> None:
    seen = Seen()
    with observe.subscribe(seen), pytest.raises(ValueError, match="mine"):  # noqa: SIM117, PT012
        with model("In France, by the Seine.").stream("Where is Paris?") as stream:
            next(iter(stream))
            raise ValueError("mine")
    assert [event.error for event in seen.of("request-end")] == [None]


def test_a_repair() -> None:
    seen = Seen()
    llm = model('{"n": "x"}', '{"n": 3}')
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    with observe.subscribe(seen):
        answer = llm.ask("A number?", response_format=schema, repairs=1)
    assert answer.parsed == {"n": 3}
    assert without_first_byte(seen.types) == [
        "call-begin",
        *("request-begin", "attempt", "request-end") * 2,
        "call-end",
    ]
    first, second = seen.of("request-begin")
    assert len(first.written.body["messages"]) == 1
    assert len(second.read_request().messages) == 3
    with observe.subscribe(seen), pytest.raises(InvalidOutput):
        model('{"n": "x"}').ask("A number?", response_format=schema)
    assert seen[-1].error_kind == "InvalidOutput"  # type: ignore[attr-defined]


def test_a_chat_model_by_itself() -> None:
    """All ways in which it sends, without an LLM around it."""
    seen, own = Seen(), Seen()
    chat = ChatModel(
        "openai", "gpt-5.6", "k", transport=Scripted("Yes.", repeat=True), on_event=own
    )
    messages: list[Any] = [{"role": "user", "content": "Is it?"}]

    async def in_a_loop() -> None:
        await chat(messages)
        async for _ in await chat(messages, stream=True):
            pass
        async for _ in chat.events(messages):
            pass

    with observe.subscribe(seen):
        chat.sync(messages)
        list(chat.sync_events(messages))
        chat.post(wire("openai").write_request(ChatRequest([Msg.user("Is it?")]), model="gpt-5.6"))
        asyncio.run(in_a_loop())
    assert seen == own
    one = ["request-begin", "attempt", "request-end"]
    assert without_first_byte(seen.types) == one * 6
    assert seen.types.count("first-byte") == 3
    assert {event.answer.text for event in seen.of("request-end")} == {"Yes."}
    assert {begin.read_request().messages[0].text for begin in seen.of("request-begin")} == {
        "Is it?"
    }


def run_in_a_loop(llm: Any) -> None:
    async def run() -> None:
        async for _ in agent(llm).events("How warm is it?"):
            pass

    asyncio.run(run())


async def run_blocking(llm: Any) -> None:
    """Run without `await` where a loop runs, which takes a thread."""
    agent(llm).run("How warm is it?")


RUNS: dict[str, Callable[[Any], Any]] = {
    "run": lambda llm: agent(llm).run("How warm is it?"),
    "run_events": lambda llm: list(agent(llm).run_events("How warm is it?")),
    "events": run_in_a_loop,
    "in a thread": lambda llm: asyncio.run(run_blocking(llm)),
}


@each_case("how", RUNS)
def test_a_run_of_an_agent(how: str) -> None:
    seen = Seen()
    with observe.subscribe(seen):
        RUNS[how](model(TWO_CALLS, limited(), "18 degrees."))
    begins = [event for event in seen if event.type.endswith("-begin")]  # type: ignore[attr-defined]
    assert [path(event.operation) for event in begins] == [
        ["run"],
        ["run", "step"],
        ["run", "step", "call"],
        ["run", "step", "call", "request"],
        ["run", "step"],
        ["run", "step", "tool"],
        ["run", "step", "tool"],
        ["run", "step"],
        ["run", "step", "call"],
        ["run", "step", "call", "request"],
    ]
    assert len({id(event.operation) for event in begins}) == len(begins)
    roots = {event.operation.above("run") for event in seen}
    assert len(roots) == 1
    ends = [event for event in seen if isinstance(event, observe.OperationEnd)]
    assert len(ends) == len(begins)
    assert [event.operation.name for event in seen.of("step-begin")] == [
        *("reasoning", "acting", "reasoning")
    ]
    assert (seen.types[0], seen.types[-1]) == ("run-begin", "run-end")
    assert seen[-1].reply.text == "18 degrees."  # type: ignore[attr-defined]
    tools = {event.operation.name: event for event in seen.of("tool-end")}
    assert tools["temperature"].msg.blocks[0].output == "18 degrees in Paris"
    assert (tools["temperature"].error, tools["wind"].error_kind) == (None, "RuntimeError")
    assert len(seen.of("retry")) == 1


def test_what_a_tool_asks_is_a_part_of_the_tool() -> None:
    """Also from the thread that a tool runs in."""
    inner = model("Warm.", "Mild.")
    threads = set()

    @tool
    def ask_another(city: str) -> str:
        """Ask another model."""
        threads.add(threading.current_thread())
        return inner.ask(city).text

    seen = Seen()
    calls = [ToolUseBlock(f"c{n}", "ask_another", {"city": "Paris"}) for n in range(2)]
    with observe.subscribe(seen):
        Toolkit([ask_another]).run(calls)
    assert len(threads) == 2
    requests = seen.of("request-begin")
    assert [path(one.operation) for one in requests] == [["tool", "call", "request"]] * 2
    assert len({one.operation.above("tool") for one in requests}) == 2


def test_a_listener_of_one_object() -> None:
    """It gets what that object does, and what is asked on its behalf; and nothing else."""
    of_llm, of_agent, of_tools = Seen(), Seen(), Seen()
    llm = model(TWO_CALLS, "18 degrees.", "Yes.", on_event=of_llm)
    friday = agent(llm, on_event=of_agent)
    friday.toolkit = Toolkit([temperature], on_event=of_tools)
    friday.run("How warm is it?")
    assert set(of_tools.types) == {"tool-begin", "tool-end"}
    assert without_first_byte(of_llm.types) == ONE_REQUEST * 2
    assert (of_agent.types[0], of_agent.types[-1]) == ("run-begin", "run-end")
    assert set(of_llm) | set(of_tools) < set(of_agent)
    model("Nothing.").ask("Is it?")
    assert len(of_llm) == 10


def test_a_listener_that_has_gone() -> None:
    seen = Seen()
    subscription = observe.subscribe(seen)
    llm = model("Yes.", "Yes.")
    llm.ask("One?")
    subscription.close()
    subscription.close()
    llm.ask("Two?")
    assert seen.types == ONE_REQUEST


def test_a_listener_that_raises(caplog: pytest.LogCaptureFixture) -> None:
    """It is reported once, without what it says, and breaks nothing."""
    seen = Seen()

    def broken(event: Event) -> None:
        raise ValueError("In France, it says")

    with observe.subscribe(broken), observe.subscribe(seen), caplog.at_level(logging.DEBUG):
        for how in HOWS:
            assert asked(model("In France."), how) == "In France."
    lines = [record for record in caplog.records if record.name == "dragoman.observe"]
    assert [record.levelname for record in lines] == ["WARNING"]
    assert "broken raised ValueError at" in lines[0].getMessage()
    assert "France" not in caplog.text
    assert seen.types.count("call-end") == 4


def test_a_listener_that_asks_a_model() -> None:
    """What it asks is not reported, so that it does not go on for ever."""

    def judging(event: Event) -> None:
        seen(event)
        judge.ask("Is it good?")

    seen = Seen()
    judge = model(*["Good."] * 5)
    with observe.subscribe(judging):
        model("In France.").ask("Where is Paris?")
    assert seen.types == ONE_REQUEST


@each_case("given", (3, "print", [print]))
def test_what_is_no_listener(given: Any) -> None:
    makes: list[Callable[[], Any]] = [
        lambda: observe.subscribe(given),
        lambda: LLM("openai/gpt-5.6", key="k", on_event=given),
        lambda: Toolkit(on_event=given),
        lambda: agent("openai/gpt-5.6", on_event=given),
        lambda: ChatModel("openai", "gpt-5.6", "k", on_event=given),
    ]
    for make in makes:
        with pytest.raises(ConfigError, match="a listener is a function of one event"):
            make()


def test_a_copy_keeps_the_listener_and_a_pickle_does_not() -> None:
    """Neither fails, also where the listener cannot be pickled."""
    types: list[str] = []
    llm = LLM("openai/gpt-5.6", key="k", on_event=lambda event: types.append(event.type))  # type: ignore[attr-defined]
    for other in (pickle.loads(pickle.dumps(llm)), copy.deepcopy(llm)):
        assert types == []
        with pytest.raises(DragomanError):  # before anything is sent
            other.ask("Is it?", headers={"x": "\n"}, retries=0)
    assert (types[0], types[-1]) == ("call-begin", "call-end")


def test_many_threads_at_once() -> None:
    """Each call has its own operations, whoever works beside it."""
    seen = Seen()
    llm = LLM("openai/gpt-5.6", key="k", transport=Scripted("Yes.", repeat=True), retries=QUICK)
    with observe.subscribe(seen):
        threads = [threading.Thread(target=llm.ask, args=("Is it?",)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    by_call: dict[int, list[str]] = {}
    for event in seen:
        call = event.operation.above("call")
        assert call is not None
        by_call.setdefault(call.id, []).append(event.type)  # type: ignore[attr-defined]
    assert list(by_call.values()) == [ONE_REQUEST] * 8


def test_the_channel_is_off_without_a_listener() -> None:
    """In a process of its own, in which no other test has made a listener."""
    program = (
        "from dragoman import observe\n"
        "from dragoman.observe.channel import CHANNEL\n"
        "found = [CHANNEL.on]\n"
        "with observe.subscribe(print):\n"
        "    found.append(CHANNEL.on)\n"
        "print([*found, CHANNEL.on])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout.strip() == b"[False, True, False]"
