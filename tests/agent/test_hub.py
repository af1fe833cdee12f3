"""Several agents in one conversation."""

from __future__ import annotations

import asyncio

from dragoman import Msg, MsgHub, ReActAgent, sequential_pipeline
from dragoman.formatter import OpenAIMultiAgentFormatter
from dragoman.model import OpenAIChatModel
from dragoman.testing import Scripted, StrictServer

from .scripts import Counted, agent_of, call


def speaker(name: str, says: str, url: str, transport: Scripted | None = None) -> ReActAgent:
    model = OpenAIChatModel("gpt-5.6", "none", base_url=url, stream=False, transport=transport)
    return ReActAgent(name, f"You are {name}.", model, OpenAIMultiAgentFormatter())


def test_three_agents_hear_one_another() -> None:
    with StrictServer("openai", "I am Ann.", "I am Bob.", "I am Cid.") as server:
        agents = [speaker(name, "", server.url) for name in ("Ann", "Bob", "Cid")]

        async def work() -> None:
            async with MsgHub(agents, Msg("host", "Introduce yourselves.", "user")) as hub:
                await sequential_pipeline(agents)
                hub.delete(agents[2])
                await hub.broadcast(Msg("host", "Cid has left.", "user"))
            for agent in agents:
                await agent.aclose()

        asyncio.run(work())
        assert server.judged == [[], [], []]
    last = "\n".join(m.text for m in server.requests[2].messages)
    assert "host: Introduce yourselves." in last
    assert last.count("Ann: I am Ann.") == 1
    assert last.count("Bob: I am Bob.") == 1
    said = [[m.text for m in agent.messages] for agent in agents]
    talk = ["Introduce yourselves.", "I am Ann.", "I am Bob.", "I am Cid."]
    assert said == [[*talk, "Cid has left."]] * 2 + [talk]
    assert [agent.subscribers for agent in agents] == [{}, {}, {}]


def test_a_hub_may_be_silent_and_grow() -> None:
    def answers(text: str) -> ReActAgent:
        return speaker("x", "", "http://127.0.0.1", Scripted(text, repeat=True))

    ann, bob, cid = answers("I am Ann."), answers("I am Bob."), answers("I am Cid.")

    async def work() -> None:
        async with MsgHub([ann, bob], enable_auto_broadcast=False) as hub:
            await ann("Hi")
            assert bob.messages == []
            hub.set_auto_broadcast(True)
            hub.add([cid, bob])
            await ann("Again")
        await ann("Alone")

    asyncio.run(work())
    assert [len(agent.messages) for agent in (ann, bob, cid)] == [6, 1, 1]


def test_a_participant_that_waits_for_approval_hears_the_others_behind_its_results() -> None:
    counted = Counted()
    ann = agent_of([call("a", "Paris")], "It is warm.", name="Ann", toolkit=[counted.tool],
                   approve="ask")  # fmt: skip
    bob = agent_of("I am Bob.", name="Bob")

    async def work() -> None:
        async with MsgHub([ann, bob], Msg("host", "How warm is it in Paris?", "user")):
            assert (await ann.reply()).finish == "paused"
            assert len(bob.messages) == 1, "what has not ended is heard by nobody"
            await bob()
            ann.decide("a", True)
            await ann()

    asyncio.run(work())
    assert counted.cities == ["Paris"]
    assert [(m.name, m.role) for m in ann.messages] == [
        ("host", "user"), ("Ann", "assistant"), ("", "tool"), ("Bob", "assistant"),
        ("Ann", "assistant"),
    ]  # fmt: skip
    assert [m.text for m in bob.messages] == [
        "How warm is it in Paris?", "I am Bob.", "It is warm.",
    ]  # fmt: skip


def test_a_pipeline_hands_replies_on() -> None:
    first = speaker("Ann", "", "http://127.0.0.1", Scripted("One."))
    second = speaker("Bob", "", "http://127.0.0.1", Scripted("Two."))
    reply = asyncio.run(sequential_pipeline([first, second], Msg.user("Hi")))
    assert isinstance(reply, Msg)
    assert reply.text == "Two."
    assert [m.text for m in second.messages] == ["One.", "Two."]
