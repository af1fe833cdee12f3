"""What tools get of a run, what they may do to it, and what becomes of what they raise."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Annotated, Any

import pytest
from pydantic import Field

import dragoman
from dragoman import (
    LLM,
    AsyncLLM,
    ChatRequest,
    ConfigError,
    InvalidOutput,
    Msg,
    ReActAgent,
    Toolkit,
    tool,
)
from dragoman.agent import LossesEvent
from dragoman.errors import ToolFailed
from dragoman.message import ImageBlock, TextBlock, ToolResultBlock, ToolUseBlock, Usage
from dragoman.message.media import URLSource
from dragoman.testing import Scripted
from dragoman.toolkit import EndTurn, FunctionTool, ToolContext

from .scripts import agent_of, call


@dataclass
class Bank:
    """What a program knows and no model sees."""

    user: str
    balance: int = 0


def outputs(messages: Any) -> list[Any]:
    return [block.output for msg in messages for block in msg.blocks
            if isinstance(block, ToolResultBlock)]  # fmt: skip


def tools_with_a_context() -> list[Any]:
    """A tool of each form that a function has, all of which take a context and a city."""

    def plain(ctx: ToolContext[Bank], city: str) -> str:
        """Say who asks."""
        return f"{ctx.deps.user} asks for {city}"

    async def later(
        city: Annotated[str, Field(description="which one")], ctx: ToolContext[Any]
    ) -> str:
        """Say who asks."""
        return f"{ctx.deps.user} asks for {city}"

    def optional(city: str, ctx: ToolContext[Bank] | None = None) -> str:
        """Say who asks."""
        assert ctx is not None
        return f"{ctx.deps.user} asks for {city}"

    class Desk:
        @tool
        def method(self, ctx: Annotated[ToolContext[Bank], "nobody reads this"], city: str) -> str:
            """Say who asks."""
            return f"{ctx.deps.user} asks for {city}"

    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    given = FunctionTool(plain, name="given", parameters=schema)
    return [plain, tool(later), optional, Desk().method, given]


@pytest.mark.parametrize("number", range(5))
def test_a_context_is_filled_in_and_no_model_is_told_of_it(number: int) -> None:
    given = tools_with_a_context()[number]
    toolkit = Toolkit([given])
    [said] = toolkit.tools
    assert said.schema is not None
    assert set(said.schema["properties"]) == {"city"}
    assert said.schema["required"] == ["city"]
    one = ToolUseBlock("a", said.name, {"city": "Paris", "ctx": "mine"})
    [result] = toolkit.run([one], deps=Bank("Ann"))  # no argument of the model's takes its place
    assert result.blocks[0].is_error or outputs([result]) == ["Ann asks for Paris"]  # type: ignore[union-attr]
    one = ToolUseBlock("a", said.name, {"city": "Paris"})
    assert outputs(toolkit.run([one], deps=Bank("Ann"))) == ["Ann asks for Paris"]
    assert outputs(asyncio.run(toolkit.arun([one], deps=Bank("Bob")))) == ["Bob asks for Paris"]
    agent = agent_of([one], "Done.", toolkit=[given], deps=Bank("Carl"))
    assert agent.run("Hi").finish == "done"
    assert outputs(agent.messages) == ["Carl asks for Paris"]


def test_a_request_takes_a_function_with_a_context() -> None:
    def look(ctx: ToolContext[Bank], city: str, unit: str = "C") -> str:
        """Look."""
        return city

    tools: list[Any] = [look]
    request = ChatRequest([Msg.user("Hi")], tools=tools)
    body = dragoman.wire("openai").write_request(request, model="gpt-5.6").body
    parameters = body["tools"][0]["function"]["parameters"]
    assert set(parameters["properties"]) == {"city", "unit"}
    assert parameters["required"] == ["city"]

    def alone(ctx: ToolContext[Bank]) -> str:
        """Look."""
        return ctx.deps.user

    [said] = Toolkit([alone]).tools
    assert said.schema == {"type": "object", "properties": {}}
    assert outputs(Toolkit([alone]).run([ToolUseBlock("a", "alone", {})], deps=Bank("Ann"))) == [
        "Ann"
    ]


@pytest.mark.parametrize("streams", [False, True])
def test_a_context_tells_of_the_run(streams: bool) -> None:
    seen: list[ToolContext[Any]] = []

    @tool
    def look(ctx: ToolContext[Bank], city: str) -> str:
        """Look."""
        seen.append(ctx)
        return city

    both = [call("a", "Paris", "look"), call("a", "Rome", "look")]
    agent = agent_of(both, [call("b", "Oslo", "look")], "Done.", toolkit=[look], parallel=False)
    bank = Bank("Ann")
    if streams:
        list(agent.run_events("Look.", deps=bank))
    else:
        agent.run("Look.", deps=bank)
    assert [ctx.call.input["city"] for ctx in seen] == ["Paris", "Rome", "Oslo"]
    assert all(ctx.deps is bank for ctx in seen)
    assert {ctx.agent for ctx in seen} == {"Friday"}
    assert [ctx.step for ctx in seen] == [1, 1, 2]
    assert [len(ctx.messages) for ctx in seen] == [2, 2, 5]
    assert seen[2].message is not None
    assert seen[2].message.text == "Look."
    assert isinstance(seen[2].usage, Usage)
    assert "Ann" not in json.dumps(agent.state())
    agent.deps = Bank("Bob")
    assert agent._deps is bank  # that of the run before


# -- what a tool raises ----------------------------------------------------------------------------


class Secret(Exception):
    """What no model shall read."""


class Silent(Exception):
    """An exception whose text cannot be made."""

    def __str__(self) -> str:
        raise RuntimeError("no text")


class Fatal(BaseException):
    """No Exception at all."""


def failing(error: BaseException, way: str, **settings: Any) -> Any:
    """A tool that raises, in each way that a function runs."""

    @tool(**settings)
    async def fails(city: str) -> str:
        """Fail."""
        raise error

    def sync(city: str) -> str:
        """Fail."""
        raise error

    return fails if way == "async" else tool(name="fails", **settings)(sync)


WAYS = pytest.mark.parametrize("way", ["async", "thread", "here"])


def toolkit_of(way: str, *tools: Any, **settings: Any) -> Toolkit:
    return Toolkit(tools, threads=0 if way == "here" else None, **settings)


@WAYS
@pytest.mark.parametrize("where", ["tool", "toolkit"])
def test_the_text_of_an_error_is_kept_from_the_model(
    way: str, where: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "dragoman.toolkit")
    settings: dict[str, Any] = {"errors": "hide"}
    one = failing(Secret("the password is 1234"), way, **(settings if where == "tool" else {}))
    toolkit = toolkit_of(way, one, **(settings if where == "toolkit" else {}))
    agent = agent_of([call("a", "Paris", "fails")], "Well.", toolkit=toolkit)
    assert agent.run("Go").finish == "done"
    assert outputs(agent.messages) == ["the call has failed"]
    assert "1234" in caplog.text
    wrong = agent_of([ToolUseBlock("a", "fails", {"town": 1})], "Well.", toolkit=toolkit)
    wrong.run("Go")
    assert "city" in outputs(wrong.messages)[0]  # its own fault it reads


@WAYS
@pytest.mark.parametrize("raises", ["setting", "error"])
@pytest.mark.parametrize("streams", [False, True])
def test_an_error_ends_the_run_which_can_go_on(way: str, raises: str, streams: bool) -> None:
    ran: list[str] = []

    @tool
    def look(city: str) -> str:
        """Look."""
        ran.append(city)
        return city

    error = Secret("locked") if raises == "setting" else ToolFailed("the account is locked")
    settings: dict[str, Any] = {"errors": "raise"} if raises == "setting" else {}
    toolkit = toolkit_of(way, failing(error, way, **settings), look)
    calls = [call("a", "Paris", "fails"), call("a", "Rome", "look")]
    agent = agent_of(calls, "Well.", toolkit=toolkit)
    with pytest.raises(ToolFailed, match="locked") as caught:
        list(agent.run_events("Go")) if streams else agent.run("Go")
    assert (caught.value is error) is (raises == "error")
    assert raises == "error" or caught.value.__cause__ is error
    assert caught.value.call.input == {"city": "Paris"}
    assert outputs(caught.value.results)[1] == "Rome"
    assert ran == ["Rome"]  # the other calls of the answer have ended
    assert agent.run().finish == "done"
    assert len(outputs(agent.messages)) == 2
    assert ran == ["Rome"]


@WAYS
def test_a_toolkit_raises_what_ends_the_run_once_all_calls_have_ended(way: str) -> None:
    def look(city: str) -> str:
        """Look."""
        return city

    toolkit = toolkit_of(way, failing(Secret("locked"), way), look, errors="raise")
    calls = [call("a", "Paris", "fails"), call("b", "Rome", "look")]
    with pytest.raises(ToolFailed, match="the tool fails has failed: Secret: locked") as caught:
        toolkit.run(calls)
    assert [msg.blocks[0].id for msg in caught.value.results] == ["a", "b"]
    assert outputs(caught.value.results)[1] == "Rome"


@WAYS
@pytest.mark.parametrize("errors", ["report", "hide", "raise"])
@pytest.mark.parametrize(
    "error", [Silent(), Fatal("over"), BaseExceptionGroup("both", [Fatal("over")]),
              ExceptionGroup("both", [Silent()])],
    ids=lambda error: type(error).__name__,
)  # fmt: skip
def test_an_exception_of_any_kind_breaks_no_loop(
    error: BaseException, errors: Any, way: str
) -> None:
    toolkit = toolkit_of(way, failing(error, way), errors=errors)
    agent = agent_of([call("a", "Paris", "fails")], "Well.", toolkit=toolkit)
    if errors == "raise":
        with pytest.raises(ToolFailed):
            agent.run("Go")
    assert agent.run(None if errors == "raise" else "Go").finish == "done"
    [text] = outputs(agent.messages)
    assert errors == "hide" or type(error).__name__ in text or errors == "raise"


def test_settings_that_are_none_are_refused() -> None:
    with pytest.raises(ConfigError, match="report, hide, raise"):
        Toolkit(errors="ignore")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="max_output"):
        Toolkit(max_output=0)


# -- tools that end the turn -----------------------------------------------------------------------


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize("form", ["setting", "value", "async"])
def test_the_result_of_a_tool_is_the_reply(form: str, streams: bool) -> None:
    def answer(city: str) -> Any:
        """Answer."""
        return f"It is warm in {city}." if form == "setting" else EndTurn(f"It is warm in {city}.")

    async def later(city: str) -> Any:
        """Answer."""
        return EndTurn(f"It is warm in {city}.")

    one = {"setting": tool(ends_turn=True)(answer), "value": answer,
           "async": tool(name="answer")(later)}[form]  # fmt: skip
    agent = agent_of([call("a", "Paris", "answer")], "Second.", toolkit=[one])
    if streams:
        *_, end = agent.run_events("Where?")
        reply = end.reply  # type: ignore[union-attr]
    else:
        reply = agent.run("Where?")
    assert (reply.finish, reply.text) == ("done", "It is warm in Paris.")
    assert reply.msg is not None
    assert (reply.msg.name, reply.msg.role) == ("Friday", "assistant")
    assert [msg.role for msg in agent.messages] == ["user", "assistant", "tool", "assistant"]
    assert agent.run("And now?").text == "Second."


def test_a_turn_ends_once_the_other_calls_have_results_also_in_another_process() -> None:
    @tool(ends_turn=True)
    def answer(city: str) -> list[Any]:
        """Answer."""
        return [TextBlock("Look:"), ImageBlock(URLSource("https://example.com/a.png"))]

    @tool
    def look(city: str) -> str:
        """Look."""
        return city

    def made(*answers: Any) -> ReActAgent:
        judge = lambda one: one.name == "answer" or "ask"  # noqa: E731
        return agent_of(*answers, toolkit=[answer, look], approve=judge)

    agent = made([call("a", "Paris", "answer"), call("b", "Rome", "look")])
    assert agent.run("Go").finish == "paused"
    other = made()
    other.load_state(json.loads(json.dumps(agent.state())))
    other.decide(other.pending[0], True)
    reply = other.run()
    assert (reply.finish, reply.text) == ("done", "Look:")
    assert reply.msg is not None
    assert [block.type for block in reply.msg.blocks] == ["text", "image"]
    assert [msg.role for msg in other.messages][-3:] == ["tool", "tool", "assistant"]


def test_an_error_does_not_end_a_turn() -> None:
    agent = agent_of([call("a", "Paris", "fails")], "Well.",
                     toolkit=[failing(Secret("no"), "async", ends_turn=True)])  # fmt: skip
    assert agent.run("Go").text == "Well."


def test_what_a_tool_that_ends_the_turn_gives_must_fit_the_type_that_was_asked_for() -> None:
    @tool(ends_turn=True)
    def answer(city: str) -> Any:
        """Answer."""
        return {"name": city} if city == "Paris" else city

    city = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    reply = agent_of([call("a", "Paris", "answer")], toolkit=[answer]).run("Go", city)
    assert reply.parsed == {"name": "Paris"}
    with pytest.raises(InvalidOutput):
        agent_of([call("a", "Rome", "answer")], toolkit=[answer]).run("Go", city)


# -- long results ----------------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["tool", "toolkit"])
def test_a_long_result_is_shortened_and_each_request_names_the_loss(where: str) -> None:
    settings: dict[str, Any] = {"max_output": 100}

    @tool(**(settings if where == "tool" else {}))
    def read(city: str) -> str:
        """Read."""
        return "begin " + "x" * 10_000 + " end"

    toolkit = Toolkit([read], **(settings if where == "toolkit" else {}))
    agent = agent_of([call("a", "Paris", "read")], "Read.", toolkit=toolkit)
    events = list(agent.run_events("Read."))
    [text] = outputs(agent.messages)
    assert text.startswith("begin x")
    assert text.endswith("x end")
    assert "[... 9,910 characters are left out here ...]" in text
    assert len(text) < 160
    lost = [loss for event in events if isinstance(event, LossesEvent) for loss in event.losses]
    [found] = [loss for loss in lost if loss.code == "result.shortened"]
    assert (found.kind, found.where) == ("dropped", "$.messages[2].content[0].output")
    assert found.what == "9910 characters of the middle"
    stored = Msg.from_dict(json.loads(json.dumps(agent.messages[2].to_dict())))
    for vendor in dragoman.wires():
        request = ChatRequest([*agent.messages[:2], stored, Msg.user("And?")], tools=toolkit.tools)
        out = dragoman.wire(vendor, policy="ignore").write_request(request, model="m")
        assert "result.shortened" in {loss.code for loss in out.losses}, vendor
        assert "shortened" not in json.dumps(out.body), vendor


def test_a_loop_of_ones_own_is_told_as_well() -> None:
    def read(city: str) -> str:
        """Read."""
        return "x" * 1000

    toolkit = Toolkit([read], max_output=10)
    llm = LLM("openai/gpt-5.6", key="none", policy="ignore", tools=toolkit,
              transport=Scripted([call("a", "Paris", "read")], "Read."))  # fmt: skip
    answer = llm.ask("Read.")
    answer = llm.ask([Msg.user("Read."), answer.msg, *toolkit.run(answer.calls)])
    assert "result.shortened" in {loss.code for loss in answer.losses}


def test_of_several_texts_each_is_shortened_by_its_share() -> None:
    def read() -> list[Any]:
        """Read."""
        return [TextBlock("a" * 900), ImageBlock(URLSource("https://example.com/a.png")),
                TextBlock("b" * 100), TextBlock("c")]  # fmt: skip

    [[first, image, second, third]] = outputs(
        Toolkit([read], max_output=101).run([ToolUseBlock("a", "read", {})])
    )
    assert image.type == "image"
    assert (first.text.count("aaa") * 3, second.text.count("bbb") * 3, third.text) == (90, 6, "c")
    short = Toolkit([read], max_output=1001).run([ToolUseBlock("a", "read", {})])
    assert short[0].blocks[0].extras is None


# -- within a running loop, and the form of a reply ------------------------------------------------


def test_run_works_within_a_running_loop() -> None:
    """As in a notebook, where `LLM.ask` and `Toolkit.run` work, too."""

    @tool
    async def look(city: str) -> str:
        """Look."""
        await asyncio.sleep(0)
        return city

    async def notebook() -> None:
        agent = agent_of([call("a", "Paris", "look")], "One.", [call("b", "Rome", "look")], "Two.",
                         toolkit=[look])  # fmt: skip
        assert agent.run("Go").text == "One."
        *_, end = agent.run_events("Go")
        assert end.reply.text == "Two."  # type: ignore[union-attr]
        with pytest.raises(ConfigError):  # no answer is left; the error arrives
            agent.run("Go")

    asyncio.run(notebook())


def test_a_reply_within_a_running_loop_may_be_left() -> None:
    async def notebook() -> None:
        agent = agent_of("One.", "Two.")
        events = agent.run_events("Go")
        next(events)
        events.close()
        assert agent.run().finish == "done"

    asyncio.run(notebook())


def test_the_cost_of_a_reply_and_of_an_answer_are_of_one_type() -> None:
    llm = LLM("openai/gpt-5.6", key="none", transport=Scripted("Hello."))
    answer = llm.ask("Hi")
    agent = ReActAgent("Friday", None, AsyncLLM("openai/gpt-5.6", key="none",
                                               transport=Scripted("Hello.", "Again.")))  # fmt: skip
    reply = agent.run("Hi")
    assert type(reply.cost) is type(answer.cost)
    kept: list[Any] = []
    agent.on_step = kept.append
    agent.run("Hi")
    other = agent_of()
    other.load_state(json.loads(json.dumps(kept[-2])))
    assert other._run is not None
    if reply.cost is not None:
        assert f"{reply.cost:.6f}" == f"{float(reply.cost):.6f}"
        assert other._run.cost == kept_cost(kept[-2])


def kept_cost(state: Any) -> Any:
    from decimal import Decimal

    parts = state["value"]["run"]["cost"]
    return sum(Decimal(parts[name]) for name in ("input", "output", "other"))
