"""One conversation of an agent in twelve steps, over any wire, from wherever a state has come to.

    1 a system prompt             5 thinking, and its return      9 a provider that is busy
    2 another speaker             6 a call that needs approval   10 a history that is cut to fit
    3 calls at the same time      7 a call that others run       11 an answer of a type
    4 an image in a result        8 events of a stream           12 another model and formatter

As a program it goes on from a file, and ends its process once so many states were written to it.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from dragoman import (
    AsyncLLM,
    ByName,
    DropOldest,
    Msg,
    ProviderError,
    ReActAgent,
    Tool,
    Toolkit,
    tool,
)
from dragoman.agent import Reply
from dragoman.formatter import Formatter
from dragoman.message import (
    Base64Source,
    ChatRequest,
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
)
from dragoman.model import ChatModel, Retries
from dragoman.testing import Fault
from dragoman.tokens import CharTokenCounter
from tests.llm.hosts import CITY, HOSTS, PIXEL, other_than
from tests.transport.servers import GUARD

from .scripts import call


@dataclass(frozen=True)
class Turn:
    """What the agent is told, and what its model is asked with."""

    said: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    form: Any = None
    streams: bool = False
    elsewhere: bool = False


TURNS = [
    Turn("How warm is it in Samarkand? And a photo of Bukhara?", {"speakers": ByName()}),
    Turn("Which is older?"),
    Turn("Are you sure?"),
    Turn("Pay the guide."),
    Turn("Ask Ann for the time."),
    Turn("Tell me of Khiva.", streams=True),
    Turn("Once more."),
    Turn(
        "And in short?",
        {"history_tokens": 1_200, "token_counter": CharTokenCounter(), "truncate": DropOldest()},
    ),
    Turn("As data.", form=CITY),
    Turn("And what do you say?", elsewhere=True),
]
# what the models say to a transcript whose last text of these is the given one
ANSWERS: dict[str, Any] = {
    "a photo of Bukhara?": [
        call("call_00001", "Samarkand"), call("call_00002", "Bukhara", "photo"),
    ],
    "31 degrees in Samarkand": "Both are fine.",
    "Which is older?": [ThinkingBlock("Let me see."), TextBlock("Samarkand.")],
    "Are you sure?": "As I said.",
    "Pay the guide.": [ToolUseBlock("call_00003", "pay", {"amount": 7})],
    "7 are paid": "That is done.",
    "Ask Ann for the time.": [ToolUseBlock("call_00004", "ask_ann", {"question": "How late?"})],
    "It is noon.": "Noon.",
    "Tell me of Khiva.": [TextBlock("I look it up."), call("call_00005", "Khiva")],
    "31 degrees in Khiva": "It is warm there.",
    "Once more.": "After all.",
    "And in short?": "Warm.",
    "As data.": '{"name": "Samarkand", "degrees": 31}',
    "And what do you say?": "The same.",
}  # fmt: skip
QUESTION = {"type": "object", "properties": {"question": {"type": "string"}}}
RECEIPT = " Thank you." * 500  # more than what the short history holds
CALLS = ["warmth Samarkand", "photo Bukhara", "pay 7", "warmth Khiva"]  # each runs once


def turns_of(state: str) -> int:
    """How many turns have begun in a state."""
    messages = json.loads(state)["value"]["messages"]
    return sum(1 for m in messages if m["role"] == "user" and m["name"] == "Tony")


class Model:
    """What a model answers: always the same to the same transcript, but busy every other time."""

    def __init__(self) -> None:
        self.busy = False

    def __call__(self, request: ChatRequest) -> Any:
        transcript = json.dumps([m.to_dict() for m in request.messages], ensure_ascii=False)
        last = max(ANSWERS, key=transcript.rfind)
        if last == "Once more.":
            self.busy = not self.busy
        if self.busy:
            return Fault(ProviderError("busy", status=429, type="rate_limit"),
                         headers={"retry-after": "0"})  # fmt: skip
        return ANSWERS[last]


@dataclass
class Script:
    """The agent, and those whom it meets; `ran` is told of each call that runs."""

    wire: str
    url: str
    other_url: str
    ran: Callable[[str], Any]
    on_step: Callable[[dict[str, Any]], Any] | None = None
    interrupted: Literal["report", "rerun"] = "rerun"
    threads: int = 0  # none: a call and the saving of its result are one step, which no kill parts
    texts: list[str] = field(default_factory=list)  # that came as events
    kinds: list[str] = field(default_factory=list)  # of all events

    def __post_init__(self) -> None:
        @tool
        def warmth(city: str) -> str:
            """How warm it is."""
            self.ran(f"warmth {city}")
            return f"31 degrees in {city}"

        @tool
        def photo(city: str) -> list[TextBlock | ImageBlock]:
            """A photo of a city."""
            self.ran(f"photo {city}")
            return [TextBlock(f"This is {city}."), ImageBlock(Base64Source("image/png", PIXEL))]

        @tool
        def pay(amount: int) -> str:
            """Pay somebody."""
            self.ran(f"pay {amount}")
            return f"{amount} are paid.{RECEIPT}"

        tools: list[Any] = [warmth, photo, pay, Tool("ask_ann", "Ask Ann.", QUESTION)]
        self.agent = ReActAgent(
            "Friday", "Be brief.", self.model(TURNS[0]), on_step=self.on_step,
            toolkit=Toolkit(tools, threads=self.threads),
            approve=lambda one: "ask" if one.name == "pay" else True, interrupted=self.interrupted,
        )  # fmt: skip

    def model(self, turn: Turn) -> AsyncLLM:
        name, model = HOSTS[self.wire]
        retries = Retries(attempts=2, backoff=0.0)
        return AsyncLLM(
            f"{name}/{model}", key="k", base_url=self.url, policy="ignore", retries=retries,
            **turn.settings,
        )  # fmt: skip

    def play(self, state: str | None = None, turns: int = len(TURNS)) -> list[Reply]:
        """Go on from a state for so many turns, of which one that has begun is the first."""
        return asyncio.run(self._play(state, turns))

    async def _play(self, state: str | None, turns: int) -> list[Reply]:
        first, is_open = 0, False
        if state is not None:
            self.agent.load_state(json.loads(state))
            is_open = json.loads(state)["value"]["run"] is not None
            first = turns_of(state) - is_open
        if not self.agent.messages:
            await self.agent.observe(Msg("Ann", "I am in Bukhara.", "user"))
        replies = []
        for turn in TURNS[first : first + turns]:
            said = None if is_open else Msg("Tony", turn.said, "user")
            is_open = False
            async with asyncio.timeout(GUARD):
                replies.append(await self._reply(turn, said))
        return replies

    async def _reply(self, turn: Turn, said: Msg | None) -> Reply:
        if turn.elsewhere:
            name, model = HOSTS[other_than(self.wire)]
            self.agent.model = ChatModel(name, model, "k", base_url=self.other_url)
            self.agent.formatter = Formatter(name, policy="ignore", speakers=ByName())
        else:
            self.agent.model = self.model(turn)
        try:
            while True:
                reply = await self._asked(turn, said)
                if reply.finish != "paused":
                    return reply
                said = None
                for one in reply.pending:
                    if one.kind == "approval":
                        self.agent.decide(one, True)
                    else:
                        self.agent.answer(one, "It is noon.")
        finally:
            await self.agent.aclose()

    async def _asked(self, turn: Turn, said: Msg | None) -> Reply:
        if not turn.streams:
            return await self.agent.reply(said, turn.form)
        async for event in self.agent.events(said, turn.form):
            self.kinds.append(event.type)
            self.texts += [event.text] if event.type == "text-delta" else []
        assert event.type == "end"
        return event.reply


def main(wire: str, url: str, other_url: str, folder: str, states: str) -> None:
    """A life of the agent that ends after so many states, or with the script."""
    path, runs, left = Path(folder) / "state.json", Path(folder) / "runs.txt", int(states)

    def ran(text: str) -> None:
        with runs.open("a") as file:
            file.write(f"{text}\n")

    def keep(state: dict[str, Any]) -> None:
        nonlocal left
        new = path.with_suffix(".new")
        new.write_text(json.dumps(state))
        new.replace(path)
        left -= 1
        if left == 0:
            os._exit(9)

    script = Script(wire, url, other_url, ran, keep)
    script.play(path.read_text() if path.exists() else None)


if __name__ == "__main__":
    main(*sys.argv[1:])
