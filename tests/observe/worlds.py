"""Models that answer from a script, tools, and listeners that keep what they get."""

from __future__ import annotations

from typing import Any

from dragoman import LLM, ChatResponse, Msg, ReActAgent, tool
from dragoman.errors import BadRequest, ProviderError, RateLimited
from dragoman.llm import to_llm
from dragoman.message import Candidate, Finish, TextBlock, ToolUseBlock, Usage
from dragoman.observe import Event, ObservedOperation
from dragoman.testing import Scripted
from dragoman.transport.retries import Retries

QUICK = Retries(attempts=2, backoff=0.0)
TWO_CALLS = [
    TextBlock("Let me see."),
    ToolUseBlock("call_1", "temperature", {"city": "Paris"}),
    ToolUseBlock("call_2", "wind", {"city": "Paris"}),
]


def limited() -> ProviderError:
    """Return a new error of a provider that wants fewer requests."""
    return RateLimited("too many", status=429, type="rate_limit_error")


def refused() -> ProviderError:
    """Return a new error of a request that is wrong, after which no other model is asked."""
    return BadRequest("no such field", status=400, type="invalid_request_error")


def counted(text: str) -> ChatResponse:
    """Return an answer with counts of tokens."""
    usage = Usage(input=3, output=4)
    return ChatResponse([Candidate(Msg.assistant(text), Finish("stop"))], usage=usage)


def model(*answers: Any, name: str = "openai/gpt-5.6", **settings: Any) -> LLM:
    """Return an LLM that answers from a script."""
    script = Scripted(*answers)
    return LLM(name, key="k", transport=script, retries=QUICK, **settings)


@tool
def temperature(city: str) -> str:
    """The temperature in a city now."""
    return f"18 degrees in {city}"


@tool
async def wind(city: str) -> str:
    """The wind in a city now."""
    raise RuntimeError(f"no wind in {city}")


def agent(llm: Any, **settings: Any) -> ReActAgent:
    """Return an agent with a tool that runs in a thread, and one that is a coroutine and fails."""
    return ReActAgent("Friday", "Be brief.", to_llm(llm), toolkit=[temperature, wind], **settings)


class Seen(list[Event]):
    """A listener that keeps what it gets."""

    def __call__(self, event: Event) -> None:
        self.append(event)

    @property
    def types(self) -> list[str]:
        """The types of the events, in order."""
        return [event.type for event in self]  # type: ignore[attr-defined]

    def of(self, kind: str) -> list[Any]:
        """The events of a type."""
        return [event for event in self if event.type == kind]  # type: ignore[attr-defined]


def path(operation: ObservedOperation | None) -> list[str]:
    """Return the kinds of an operation and all that it is a part of, the outermost first."""
    found: list[str] = []
    while operation is not None:
        found.insert(0, operation.kind)
        operation = operation.parent
    return found
