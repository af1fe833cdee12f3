"""Toolkit: which tools there are, and the running of calls."""

from __future__ import annotations

import asyncio
import contextvars
import logging
import pickle
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import BaseModel

import dragoman
from dragoman import (
    ChatRequest,
    ConfigError,
    InvalidMessage,
    InvalidOutput,
    Msg,
    ServerTool,
    Tool,
    Toolkit,
    tool,
)
from dragoman.message import ImageBlock, ToolResultBlock, ToolUseBlock

PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)
WHO: contextvars.ContextVar[str] = contextvars.ContextVar("who", default="nobody")


def double(n: int) -> int:
    """Twice the number."""
    return 2 * n


async def greet(name: str) -> str:
    await asyncio.sleep(0)
    return f"Hello, {name}; {WHO.get()} asks"


def whose() -> str:
    return f"{WHO.get()} in {threading.current_thread() is threading.main_thread()}"


def photo() -> list[Any]:
    return ["One photo.", PNG]


class City(BaseModel):
    """A city."""

    name: str


@dataclass
class Nothing:
    pass


def calls(*named: tuple[str, dict[str, Any]]) -> list[ToolUseBlock]:
    return [ToolUseBlock(f"call_{i}", name, arguments) for i, (name, arguments) in enumerate(named)]


def results(msgs: list[Msg]) -> list[ToolResultBlock]:
    assert all(m.role == "tool" and len(m.blocks) == 1 for m in msgs)
    return [m.blocks[0] for m in msgs]  # type: ignore[misc]  # one result in each


# -- which tools there are -------------------------------------------------------------------------


def test_it_holds_tools_of_every_kind() -> None:
    remote = Tool("remote", "run elsewhere", {"type": "object"})
    toolkit = Toolkit([double, tool(greet), City, Nothing, remote, {"name": "plain"}])
    assert [told.name for told in toolkit.tools] == [
        "double", "greet", "City", "Nothing", "remote", "plain",
    ]  # fmt: skip
    assert "double" in toolkit
    assert "other" not in toolkit
    assert len(toolkit) == 6
    assert list(toolkit) == toolkit.tools
    assert toolkit.tools[4] is remote
    assert ChatRequest([Msg.user("Hi")], tools=toolkit.tools).tools[0] is toolkit.tools[0]
    assert len(Toolkit([toolkit, photo])) == 7


def test_tools_come_and_go() -> None:
    toolkit = Toolkit([double])
    toolkit.add(photo, greet)
    toolkit.remove("double")
    assert [told.name for told in toolkit.tools] == ["photo", "greet"]
    [result] = results(toolkit.run(calls(("double", {"n": 1}))))
    assert (result.is_error, result.output) == (
        True, "there is no tool double here (the tools are photo, greet)",
    )  # fmt: skip
    with pytest.raises(ConfigError, match="there is no tool double"):
        toolkit.remove("double")


def test_a_name_stands_for_one_tool() -> None:
    toolkit = Toolkit([double])
    with pytest.raises(ConfigError, match="double already") as caught:
        toolkit.add(photo, tool(name="double")(greet))
    assert caught.value.code == "toolkit.twice"
    assert [told.name for told in toolkit.tools] == ["double"]


@pytest.mark.parametrize("value", [3, "double", int, ServerTool("web_search"), lambda x: x])
def test_what_is_no_tool_is_refused(value: Any) -> None:
    with pytest.raises(InvalidMessage) as caught:
        Toolkit([double, value])
    assert caught.value.path.startswith("$.tools")


@pytest.mark.parametrize("given", [double, "double", {"name": "double"}, None])
def test_tools_are_a_list(given: Any) -> None:
    with pytest.raises(InvalidMessage, match="must be a list of tools"):
        Toolkit(given)
    with pytest.raises(ConfigError, match="threads"):
        Toolkit(threads=-1)
    odd: Any = [{"name": "double"}]
    with pytest.raises(InvalidMessage, match=r"\$\[0\]: dict is no call"):
        Toolkit([double]).run(odd)


def test_agentscopes_names() -> None:
    toolkit = Toolkit()
    schema = {"function": {"name": "twice", "description": "Twice.", "parameters": None}}
    toolkit.register_tool_function(double, func_description="Two of it.")
    toolkit.register_tool_function(greet, preset_kwargs={"name": "Tony"})
    toolkit.register_tool_function(double, json_schema=schema)
    toolkit.remove_tool_function("never was")
    properties = {"n": {"type": "integer"}}
    parameters = {"type": "object", "properties": properties, "required": ["n"]}
    assert [told["function"] for told in toolkit.get_json_schemas()] == [
        {"name": "double", "description": "Two of it.", "parameters": parameters},
        {"name": "greet", "description": "", "parameters": {"type": "object", "properties": {}}},
        {"name": "twice", "description": "Twice.", "parameters": parameters},
    ]
    [result] = results(toolkit.run(calls(("greet", {}))))
    assert result.output == "Hello, Tony; nobody asks"


def test_a_copy_runs_the_same_tools() -> None:
    toolkit = pickle.loads(pickle.dumps(Toolkit([double, City, Tool("remote")], timeout=60)))
    assert [told.name for told in toolkit.tools] == ["double", "City", "remote"]
    assert [r.output for r in results(toolkit.run(calls(("double", {"n": 2}))))] == ["4"]


# -- running ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("parallel", [True, False])
@pytest.mark.parametrize("threads", [None, 0, 1])
@pytest.mark.parametrize("way", ["run", "arun"])
def test_results_come_in_the_order_of_the_calls(
    way: str, threads: int | None, parallel: bool
) -> None:
    toolkit = Toolkit([double, greet, photo, City, whose], parallel=parallel, threads=threads)
    token = WHO.set("Tony")
    asked = calls(
        ("greet", {"name": "Friday"}), ("double", {"n": "4"}), ("photo", {}),
        ("City", {"name": "Paris"}), ("whose", {}),
    )  # fmt: skip
    ran = toolkit.run(asked) if way == "run" else asyncio.run(toolkit.arun(asked))
    WHO.reset(token)
    found = results(ran)
    assert [(r.id, r.name) for r in found] == [(call.id, call.name) for call in asked]
    assert [r.output for r in found] == [
        "Hello, Friday; Tony asks", "8", found[2].output, '{"name": "Paris"}',
        f"Tony in {threads == 0}",
    ]  # fmt: skip
    assert [type(block) for block in found[2].output] == [  # type: ignore[union-attr]
        dragoman.message.TextBlock, ImageBlock,
    ]  # fmt: skip
    assert not any(r.is_error for r in found)


def test_the_results_are_what_a_wire_takes() -> None:
    asked = calls(("double", {"n": 4}), ("photo", {}))
    msgs = [Msg.user("Go"), Msg.assistant(asked), *Toolkit([double, photo]).run(asked)]
    out = dragoman.wire("anthropic", policy="refuse").write_request(
        ChatRequest(msgs, options={"max_tokens": 9}),  # type: ignore[arg-type]
        model="claude-opus-5-5",
    )
    told = out.body["messages"][-1]["content"]
    assert [item["tool_use_id"] for item in told] == ["call_0", "call_1"]
    assert told[1]["content"][1]["type"] == "image"


def test_calls_that_somebody_else_runs_are_left() -> None:
    toolkit = Toolkit([double, Tool("remote")])
    asked = calls(("remote", {}), ("double", {"n": 1}), ("unknown", {}))
    assert toolkit.pending(asked) == asked[:1]
    assert [r.id for r in results(toolkit.run(asked))] == ["call_1", "call_2"]
    assert toolkit.run(asked[:1]) == []
    assert toolkit.run([]) == []


def test_arguments_without_running() -> None:
    toolkit = Toolkit([double, City, Tool("remote")])
    assert toolkit.parse(ToolUseBlock("1", "double", {"n": "4"})) == {"n": 4}
    assert toolkit.parse(ToolUseBlock("1", "City", {"name": "Paris"})) == City(name="Paris")
    for name in ("remote", "unknown"):
        with pytest.raises(InvalidOutput) as caught:
            toolkit.parse(ToolUseBlock("1", name, {}))
        assert caught.value.code == "output.tool"


def raises(error: BaseException) -> Callable[[], None]:
    def broken() -> None:
        raise error

    return broken


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (KeyError("city"), "KeyError: 'city'"),
        (StopIteration("no"), "RuntimeError: StopIteration: no"),
        (TimeoutError("its own"), "TimeoutError: its own"),
        (SystemExit(3), "RuntimeError: SystemExit: 3"),
        (ConfigError("no key", hint="set it"), "no key (set it)"),
    ],
)
def test_what_a_tool_raises_is_a_result(
    error: BaseException, told: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "dragoman.toolkit"):
        [one, two] = results(
            Toolkit([raises(error), double], timeout=60).run(
                calls(("broken", {}), ("double", {"n": 1}))
            )
        )
    assert (one.is_error, one.output) == (True, told)
    assert (two.is_error, two.output) == (False, "2")
    assert [record.message for record in caplog.records] == ["the tool broken has failed"]
    assert caplog.records[0].exc_info is not None


def test_an_async_tool_that_cancels_itself_is_a_result() -> None:
    async def gone() -> None:
        raise asyncio.CancelledError("inside")

    [result] = results(Toolkit([gone]).run(calls(("gone", {}))))
    assert (result.is_error, result.output) == (True, "CancelledError: inside")


def test_bad_calls_tell_the_model_what_to_mend() -> None:
    asked = [
        *calls(("double", {"n": "four"}), ("double", {}), ("triple", {})),
        ToolUseBlock("call_3", "double", '{"n":'),
        ToolUseBlock("call_4", "double", {"n": 1}, unfinished=True),
    ]
    found = results(Toolkit([double]).run(asked))
    assert all(r.is_error for r in found)
    for result, said in zip(found, (
        "$.n: Input should be a valid integer", "$.n: ", "the tools are double",
        "is no JSON object (call it again", "is not whole",
    ), strict=True):  # fmt: skip
        assert isinstance(result.output, str)
        assert said in result.output


def test_a_result_that_is_no_json_is_an_error() -> None:
    def odd() -> object:
        return object()

    [result] = results(Toolkit([odd]).run(calls(("odd", {}))))
    assert result.is_error
    assert str(result.output).startswith("the tool returned object, which has no JSON form")


# -- together, in time, and not any more -----------------------------------------------------------


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_calls_run_at_once(kind: str) -> None:
    """Each waits for the other."""
    barrier = threading.Barrier(2, timeout=30)
    met = asyncio.Event()
    waiting = []

    def meet() -> int:
        return barrier.wait() * 0

    async def ameet() -> int:
        waiting.append(1)
        if len(waiting) == 2:
            met.set()
        await asyncio.wait_for(met.wait(), 30)
        return 0

    function = tool(name="meet")(meet if kind == "sync" else ameet)
    found = results(Toolkit([function]).run(calls(("meet", {}), ("meet", {}))))
    assert [r.output for r in found] == ["0", "0"]


def test_no_more_threads_than_allowed() -> None:
    running, most = [0], [0]
    lock = threading.Lock()
    two = threading.Barrier(2, timeout=30)

    def busy() -> None:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        two.wait()
        with lock:
            running[0] -= 1

    Toolkit([busy], threads=2).run(calls(*[("busy", {})] * 6))
    assert most == [2]


def test_each_call_has_its_time() -> None:
    held = threading.Event()

    def stuck() -> None:
        held.wait(60)

    async def asleep() -> None:
        await asyncio.sleep(60)

    patient = tool(timeout=60)(double)
    found = results(
        Toolkit([stuck, asleep, patient], timeout=0.05).run(
            calls(("stuck", {}), ("asleep", {}), ("double", {"n": 1}))
        )
    )
    held.set()
    late = "TimeoutError: the call took longer than 0.05 seconds and was given up"
    assert [r.output for r in found] == [late, late, "2"]
    assert [r.is_error for r in found] == [True, True, False]


def test_cancelling_ends_the_calls() -> None:
    begun, ended, both = [], [], asyncio.Event()

    async def asleep(n: int) -> None:
        begun.append(n)
        if len(begun) == 2:
            both.set()
        try:
            await asyncio.sleep(60)
        finally:
            ended.append(n)

    async def begin() -> None:
        toolkit = Toolkit([asleep])
        running = asyncio.create_task(
            toolkit.arun(calls(("asleep", {"n": 1}), ("asleep", {"n": 2})))
        )
        await both.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(asyncio.wait_for(begin(), 30))
    assert sorted(ended) == [1, 2]


def test_run_works_where_a_loop_runs_already() -> None:
    async def inside() -> list[Msg]:
        token = WHO.set("Tony")
        try:
            return Toolkit([greet]).run(calls(("greet", {"name": "Friday"})))
        finally:
            WHO.reset(token)

    [result] = results(asyncio.run(inside()))
    assert result.output == "Hello, Friday; Tony asks"


def test_a_function_may_give_something_to_await() -> None:
    def later(n: int) -> Any:
        return greet(str(n))

    [result] = results(Toolkit([later]).run(calls(("later", {"n": 1}))))
    assert result.output == "Hello, 1; nobody asks"
