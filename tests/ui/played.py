"""Conversations of agents as the streams that a page is sent: turns, each of one run or several.

The agent's conversation of twelve steps, and one of what that has not: calls that a provider has
run, sources, a refused call, media and errors of tools, ids that a model uses twice, a reply that
is a tool's, an answer that is asked for again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dragoman import Msg, ReActAgent, Toolkit, tool
from dragoman.agent import Pending, Reply
from dragoman.message import (
    Base64Source,
    Citation,
    ImageBlock,
    Origin,
    RawBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
)
from dragoman.testing import StrictServer
from tests.agent.scripts import agent_of, call
from tests.agent.twelve_steps import Model, Script, Turn
from tests.llm.hosts import CITY, HOSTS, PIXEL, other_than

__all__ = ["OddRuns", "Run", "play_odd_runs", "play_twelve_steps"]


@dataclass
class Run:
    """One run of an agent.

    Attributes:
        events: What it yields.
        begins: Whether the user has said something new.
        verdicts: What the user has decided before it, by key.
        outputs: The results from elsewhere that were given before it.
        said: The messages that it added.
        pending: The calls that wait after it.
    """

    events: list[Any]
    begins: bool
    verdicts: dict[str, bool | str] = field(default_factory=dict)
    outputs: dict[str, str] = field(default_factory=dict)
    said: list[Msg] = field(default_factory=list)
    pending: list[Pending] = field(default_factory=list)


def end_of(events: list[Any]) -> Reply:
    """The reply of a run."""
    reply: Reply = events[-1].reply
    return reply


class _Streaming(Script):
    """The conversation of twelve steps with every reply as a stream."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.runs: list[Run] = []

    async def _asked(self, turn: Turn, said: Msg | None) -> Reply:
        verdicts: dict[str, bool | str] = {}
        outputs: dict[str, str] = {}
        for one in self.runs[-1].pending if said is None else []:
            if one.kind == "approval":
                verdicts[one.key] = True
            else:
                outputs[one.call.id] = "It is noon."
        before = len(self.agent.messages)
        events = [event async for event in self.agent.events(said, turn.form)]
        new = [msg for msg in self.agent.messages[before:] if msg.role != "user"]
        waiting = self.agent.pending
        self.runs.append(Run(events, said is not None, verdicts, outputs, new, waiting))
        return end_of(events)


def play_twelve_steps(wire: str) -> list[Run]:
    """The runs of the agent's conversation of twelve steps over a wire."""
    with (
        StrictServer(HOSTS[wire][0], Model()) as server,
        StrictServer(HOSTS[other_than(wire)][0], Model()) as other,
    ):
        script = _Streaming(wire, server.url, other.url, lambda _: None)
        script.play()
    return script.runs


CLAUDE = Origin("anthropic", "claude-opus-5-5")
SEARCH = {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"query": "x"}}
PAGES = {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": [
    {"type": "web_search_result", "url": "https://x.example", "title": "X",
     "encrypted_content": "e"}]}  # fmt: skip
CITED = Citation(url="https://x.example", title="X", quote="warm", extras={"anthropic": {
    "type": "web_search_result_location", "encrypted_index": "i"}})  # fmt: skip


@tool
def photo(city: str) -> list[TextBlock | ImageBlock]:
    """A photo of a city."""
    return [TextBlock(f"This is {city}."), ImageBlock(Base64Source("image/png", PIXEL))]


@tool
def count(city: str) -> dict[str, Any]:
    """How many live there."""
    if city == "Atlantis":
        raise ValueError("no such city")
    return {"city": city, "people": 7}


@tool(ends_turn=True)
def show(city: str) -> str:
    """Show a city, and say no more."""
    return f"This is {city}."


@tool
def pay(amount: int) -> str:
    """Pay somebody."""
    return f"{amount} are paid."


ODD: list[tuple[str, list[Any]]] = [
    ("Search.", [[
        ThinkingBlock("I look it up.", "c2lnbmVk", origin=CLAUDE),
        RawBlock("anthropic", SEARCH, "call", "srv_1"),
        RawBlock("anthropic", PAGES, "result", "srv_1"),
        TextBlock("It is warm.", [CITED]),
    ]]),
    ("Show me.", [
        [ThinkingBlock("", redacted="c2VhbGVk", origin=CLAUDE), TextBlock("Both:"),
         call("c_1", "Rome", "photo"), call("c_2", "Rome", "count")],
        [call("c_1", "Atlantis", "count"), ToolUseBlock("c_3", "count", {})],
        "One of them failed.",
    ]),
    ("Pay twice.", [
        [ToolUseBlock("p_1", "pay", {"amount": 1}), ToolUseBlock("p_2", "pay", {"amount": 2})],
        "One was paid.",
    ]),
]  # fmt: skip


class OddRuns:
    """An agent in a conversation of what twelve steps have not."""

    def __init__(self, agent: ReActAgent | None = None) -> None:
        self.agent = agent or agent_of(
            *(answer for _, answers in ODD for answer in answers),
            toolkit=Toolkit([photo, count, pay]),
            approve=lambda one: "ask" if one.name == "pay" else True,
        )
        self.runs: list[Run] = []

    async def run(
        self, said: str | None, verdicts: Mapping[str, bool | str], form: Any = None
    ) -> None:
        before = len(self.agent.messages)
        events = [event async for event in self.agent.events(said, form)]
        new = [msg for msg in self.agent.messages[before:] if msg.role != "user"]
        waiting = self.agent.pending
        self.runs.append(Run(events, said is not None, {**verdicts}, {}, new, waiting))

    async def play(self) -> None:
        for said, _ in ODD:
            await self.run(said, {})
            if pending := self.agent.pending:
                verdicts: dict[str, bool | str] = {pending[0].key: True}
                verdicts[pending[1].key] = "too much"
                for one in pending:
                    self.agent.decide(one, verdicts[one.key])
                await self.run(None, verdicts)


def play_odd_runs() -> list[Run]:
    """The runs of what twelve steps have not."""
    odd = OddRuns()
    asyncio.run(odd.play())
    city = '{"name": "Rome", "degrees": 31}'
    repaired = OddRuns(agent_of('{"name": "Rome"}', city, repairs=1))
    asyncio.run(repaired.run("As data.", {}, CITY))
    ending = OddRuns(agent_of([call("c_9", "Rome", "show")], toolkit=Toolkit([show])))
    asyncio.run(ending.run("Show.", {}))
    return [*odd.runs, *repaired.runs, *ending.runs]
