"""What a token counter is: formatted messages in, one number out.

A counter sees only the messages as they go to the provider, so it works behind any formatter.
It must not know Msg, wires or vendors.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from numbers import Real
from typing import Any, TypeAlias

from ..errors import ConfigError
from ..text.json_text import JsonObject

Messages: TypeAlias = list[JsonObject]  # as they go to the provider
Tools: TypeAlias = list[JsonObject] | None


class TokenCounterBase(ABC):
    """Base of all counters; `count` is enough, `count_sync` serves `format_sync`.

    >>> class Words(TokenCounterBase):
    ...     async def count(self, messages, tools=None, **kwargs):
    ...         return sum(len(str(message["content"]).split()) for message in messages)
    """

    decomposes: bool = False
    """Whether the count of a list is the sum of its messages' counts and one overhead."""

    is_estimate: bool = False
    """Whether texts are counted by their shape, not by a tokenizer of the model's family."""

    @abstractmethod
    async def count(self, messages: Messages, tools: Tools = None, **kwargs: Any) -> int:
        """The tokens of formatted messages, and of tool schemas where given; changes neither."""

    def count_sync(self, messages: Messages, tools: Tools = None, **kwargs: Any) -> int:
        """The same figure without an event loop. Raises ConfigError where a counter has none."""
        text = f"{type(self).__name__} counts only asynchronously"
        hint = "use the async entry point, or give the counter a count_sync method"
        raise ConfigError(text, hint=hint, code="token.no_sync")


class SumTokenCounter(TokenCounterBase):
    """A counter whose count is a sum, so that no message has to be counted twice.

    The law: `count(messages, tools)` is the sum of `count_message(message)` over the messages plus
    `overhead(tools)`, and never below zero. `CachedTokenCounter` relies on it.

    >>> class Words(SumTokenCounter):
    ...     def count_message(self, message):
    ...         return len(str(message["content"]).split())
    >>> Words().count_sync([{"role": "user", "content": "one two"}])
    2
    """

    decomposes = True

    @abstractmethod
    def count_message(self, message: JsonObject) -> int:
        """The tokens of one formatted message, whatever stands beside it; changes nothing."""

    def overhead(self, tools: Tools = None) -> int:
        """The tokens of the list itself and of the tool schemas; may be negative."""
        return 0

    async def count(self, messages: Messages, tools: Tools = None, **kwargs: Any) -> int:
        """The same as `count_sync`; nothing is awaited."""
        return self.count_sync(messages, tools, **kwargs)

    def count_sync(self, messages: Messages, tools: Tools = None, **kwargs: Any) -> int:
        """The sum over the messages, and the overhead; other keywords have no effect."""
        return max(0, self.overhead(tools) + sum(map(self.count_message, messages)))


def counts_sync(counter: object) -> bool:
    """Whether `counter.count_sync` gives a figure: the counter says so, or has its own method."""
    value = getattr(counter, "counts_sync", None)
    if isinstance(value, bool):
        return value
    method = getattr(type(counter), "count_sync", None)
    return method is not None and method is not TokenCounterBase.count_sync


def decomposes(counter: object) -> bool:
    """Whether the counter says that its count is a sum, and has what the sum is made of.

    A subclass that counts lists its own way, and messages as its base does, is no sum any more.
    """
    if getattr(counter, "decomposes", False) is not True or not hasattr(counter, "count_message"):
        return False
    names = ("count_message", "count", "count_sync")
    message, *lists = (_depth(type(counter), name) for name in names)
    return all(depth >= message for depth in lists)


def checked_figure(tokens: object) -> Any:
    """What a counter said. Raises ConfigError if it is no number."""
    if isinstance(tokens, Real):
        return tokens
    text = f"a token counter must give a number, not {type(tokens).__name__}"
    hint = "return the count from count, count_message and overhead"
    raise ConfigError(text, hint=hint, code="token.figure")


def _depth(cls: type, name: str) -> int:
    """How far up among a class and its bases a method is defined."""
    mro = cls.__mro__
    return next((n for n, base in enumerate(mro) if name in base.__dict__), len(mro))
