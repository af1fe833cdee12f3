"""Talk: one conversation as a program has it with an official SDK, which keeps its history.

Each SDK has a class of its own. What a test asks and what it gets is in the same words for all;
the history is what the SDK's own objects give back when they are put into the next request.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from pydantic import BaseModel

MODEL = "asked-for"  # what clients ask for; the route sends all of it to one target


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as each protocol declares it in its own way."""

    name: str
    description: str
    schema: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """A call as the SDK gives it; Gemini's and Ollama's may have no id."""

    name: str
    arguments: dict[str, Any]
    id: str = ""


@dataclass(slots=True)
class Reply:
    """What the SDK's objects say of one answer. `events`: of a stream, how many."""

    text: str = ""
    thinking: str = ""
    calls: list[Call] = field(default_factory=list)
    finish: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    model: str = ""
    parsed: Any = None
    events: int = 0


class AnswerFailed(Exception):
    """The SDK gives an answer that says of itself that it failed, and raises nothing."""


@dataclass(frozen=True, slots=True)
class Door:
    """How an SDK reaches the gateway: the address, a client of httpx2's, a transport of httpx's."""

    url: str
    httpx2: Any
    transport: Any


class Talk(ABC):
    """A conversation. `thinks`: thinking is asked for; `streams`: answers are streamed."""

    protocol: ClassVar[str]
    raised: ClassVar[dict[int, tuple[type[Exception], ...]]]  # which the SDK raises for a status
    broken: ClassVar[tuple[type[Exception], ...]]  # for a stream that tells of an error
    default_error: ClassVar[type[Exception]]

    def __init__(
        self,
        door: Door,
        *,
        tools: Sequence[Tool] = (),
        schema: type[BaseModel] | None = None,
        thinks: bool = False,
        streams: bool = False,
        system: str = "",
        key: str = "client-key",
    ) -> None:
        self.tools = tools
        self.schema = schema
        self.thinks = thinks
        self.streams = streams
        self.system = system
        self.connect(door, key)

    @abstractmethod
    def connect(self, door: Door, key: str) -> None:
        """Make the SDK's client, which never tries again by itself."""

    @abstractmethod
    def say(self, text: str, image: bytes | None = None) -> Reply:
        """The answer to what the user says."""

    @abstractmethod
    def give(self, results: Sequence[tuple[Call, str, bytes | None]]) -> Reply:
        """The answer to results of calls: each a text, and a PNG if there is one."""

    def count(self, text: str) -> int:
        """How many tokens the user's text takes."""
        raise NotImplementedError(f"{self.protocol} counts nothing")

    @abstractmethod
    def message_of(self, error: Exception) -> str:
        """What the error says, as the SDK shows it."""

    def header_of(self, error: Exception, name: str) -> str | None:
        """A header of the answer that made the error, as the SDK shows it."""
        response: Any = getattr(error, "response", None)
        headers: Any = getattr(response, "headers", None)
        return None if headers is None else headers.get(name)
