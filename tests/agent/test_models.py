"""Kinds of models: servers that nobody here wrote, LLMs of threads, classes of others."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from dragoman import LLM, AsyncLLM, Msg, ReActAgent, Toolkit, tool
from dragoman.agent import Reply
from dragoman.formatter import FormatterBase
from dragoman.message import Candidate, ChatResponse, Finish, TextBlock, ToolUseBlock
from dragoman.model import ChatModelBase
from dragoman.testing import Scripted
from tests.llm.test_servers import WHOLE, name_of, settings, warmth
from tests.servers.real import SENTENCE
from tests.servers.test_real import AIMOCK, LLAMACPP

from .scripts import call


def replied(agent: ReActAgent, text: str, streams: bool) -> Reply:
    """The reply, which is the same as it comes."""
    if not streams:
        return agent.run(text)
    events = [*agent.run_events(text)]
    end = events[-1]
    assert end.type == "end"
    assert end.reply.msg is not None
    told = "".join(event.text for event in events if event.type == "text-delta")
    assert told.endswith(end.reply.msg.text)
    return end.reply


def judge(base: str, wire: str, streams: bool) -> None:
    llm = AsyncLLM(name_of(wire), **{**settings(base, wire), "tools": []})
    agent = ReActAgent("Friday", "Be brief.", llm, toolkit=[warmth], max_iters=4)
    reply = replied(agent, "How warm is it in Samarkand?", streams)
    assert reply.finish == "done"
    assert reply.msg is not None
    assert reply.msg.text == SENTENCE
    assert [m.role for m in agent.messages] == ["user", "assistant", "tool", "assistant"]
    [result] = agent.messages[2].blocks
    assert "31 degrees in Samarkand" in str(result)


@pytest.mark.parametrize("streams", [False, True], ids=["whole", "events"])
@pytest.mark.parametrize("wire", LLAMACPP)
def test_llamacpp(llamacpp_server: str, wire: str, streams: bool) -> None:
    judge(llamacpp_server + LLAMACPP[wire], wire, streams)


@pytest.mark.parametrize("streams", [False, True], ids=["whole", "events"])
@pytest.mark.parametrize("wire", WHOLE)
def test_aimock(aimock_server: str, wire: str, streams: bool) -> None:
    judge(aimock_server + AIMOCK[wire], wire, streams)


@pytest.mark.parametrize("streams", [False, True], ids=["whole", "events"])
def test_an_llm_of_threads_is_a_model(streams: bool) -> None:
    script = Scripted([call("a", "Paris")], "It is warm.")
    llm = LLM("anthropic/claude-opus-5-5", key="none", transport=script, policy="ignore")
    agent = ReActAgent("Friday", "Be brief.", llm, toolkit=[warmth])
    reply = replied(agent, "How warm is it in Paris?", streams)
    assert reply.msg is not None
    assert reply.msg.text == "It is warm."
    assert [request.stream for request in script.requests] == [streams, streams]


def test_sync_tools_run_in_so_many_threads_at_the_same_time() -> None:
    both = threading.Barrier(2, timeout=60)
    seen: set[int] = set()

    @tool
    def look(city: str) -> str:
        """Look at a city."""
        seen.add(threading.get_ident())
        both.wait()  # nobody passes alone
        return f"{city} is fine"

    calls = [ToolUseBlock(f"call_{n}", "look", {"city": str(n)}) for n in range(4)]
    llm = AsyncLLM("openai/gpt-5.6", key="none", transport=Scripted(calls, "All."), policy="ignore")
    agent = ReActAgent("Friday", None, llm, toolkit=Toolkit([look], threads=2))
    assert agent.run("Look.").finish == "done"
    results = [m.text or str(m.blocks[0]) for m in agent.messages if m.role == "tool"]
    assert [f"{n} is fine" in text for n, text in enumerate(results)] == [True] * 4
    assert threading.get_ident() not in seen


# -- a model and a formatter that know nothing of our protocols ------------------------------------


class LinesFormatter(FormatterBase[str]):
    """One line for each message."""

    async def format(self, msgs: Sequence[Msg]) -> list[str]:
        return [f"{m.role}: {m.text or m.blocks}" for m in msgs]

    def format_tools(self, tools: Any, **_: Any) -> list[Any]:
        return [one.name for one in tools]

    def parse_response(self, raw: Any, tools: Any = None, request: Any = None) -> Msg:
        msg: Msg = raw.msg
        return msg


class LinesModel(ChatModelBase):
    """Streams answers that grow, as AgentScope's models do."""

    async def __call__(
        self, messages: Any, tools: Any = None, tool_choice: Any = None, stream: Any = None,
        **options: Any,
    ) -> Any:  # fmt: skip
        self.asked = (messages, tools)
        called = any("degrees" in line for line in messages)
        blocks = [TextBlock("It is warm.")] if called else [call("a", "Paris")]

        async def growing() -> AsyncIterator[ChatResponse]:
            for count in range(len(blocks) + 1):
                msg = Msg("", blocks[:count], "assistant")
                yield ChatResponse([Candidate(msg, Finish("stop"))])

        return (
            growing()
            if self.stream
            else ChatResponse([Candidate(Msg("", blocks, "assistant"), Finish("stop"))])
        )


@pytest.mark.parametrize("streams", [False, True], ids=["whole", "events"])
@pytest.mark.parametrize("grows", [False, True], ids=["at once", "in parts"])
def test_classes_of_ones_own_that_speak_another_language(grows: bool, streams: bool) -> None:
    model = LinesModel("lines", grows)
    agent = ReActAgent("Friday", "Be brief.", model, LinesFormatter(), toolkit=[warmth])
    reply = agent.run("Hi") if not streams else list(agent.run_events("Hi"))[-1].reply  # type: ignore[union-attr]
    assert reply.msg is not None
    assert reply.msg.text == "It is warm."
    lines, tools = model.asked
    assert lines[0] == "system: Be brief."
    assert "31 degrees in Paris" in lines[-1]
    assert tools == ["warmth"]
