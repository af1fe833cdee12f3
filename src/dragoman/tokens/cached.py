"""Counters that remember what they counted, the keys they remember it by, and rough estimates.

A message is known by its content and not by its identity, since formatters make new dicts each
time and users may change old ones: equal keys have equal tokens. Python keeps the hash of a string
and compares strings by identity first, so a message whose texts were seen before is looked up
without a walk over its characters.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Mapping
from typing import Any, cast

from ..errors import ConfigError
from ..text.json_text import JsonObject
from ..text.redaction import show
from . import base
from .base import Messages, SumTokenCounter, TokenCounterBase, Tools
from .chat_messages import (
    ESTIMATES,
    Kind,
    as_json,
    media_estimates,
    template_turns,
    without_payloads,
)

_LONG = 256  # what is longer is known by its length and hash, so that a key keeps no long text
_PAYLOAD = 4096
_END = 128
_DICT, _LIST = 0, 1  # whether a tuple is the key of a dict or a list: {"a": "b"} is not ["a", "b"]

# The fields that hold base64. Compressed data differ in their last bytes if they differ at all.
_PAYLOADS = frozenset(
    (
        *("data", "url", "bytes", "file_data", "image_url", "image", "audio", "video"),
        *("input_audio", "images", "result", "document", "file"),
    )
)

# The values of these keys are the user's own: text to the model, whatever keys they contain.
_OWN = frozenset(("input", "args", "arguments", "response", "parameters", "input_schema", "json"))


def content_key(value: Any) -> Hashable:
    """The key of a message, a tool schema or a list of them; takes what JSON has, and bytes."""
    return _key(value, False, True)


def _key(value: Any, payload: bool, media: bool) -> Hashable:
    kind = type(value)
    if kind is str:
        return value if len(value) <= _LONG else _text(value, payload)
    if kind is dict:
        items: list[Hashable] = []
        is_text = value.get("type") == "text"  # a text document, whose `data` are words
        for name, item in value.items():
            payload = media and name in _PAYLOADS and not is_text
            items += name, _key(item, payload, media and name not in _OWN)
        return _DICT, *items
    if kind is list or kind is tuple:
        return _LIST, *[_key(item, payload, media) for item in value]
    if kind is bytes:
        return "bytes", len(value), value[:_END], value[-_END:]
    kinds: tuple[Any, ...] = (dict, list, str)
    for plain in kinds:
        if isinstance(value, plain):  # a class of the user's own
            return _key(plain(value), payload, media)
    return kind.__name__, repr(value)  # 1, 1.0 and True are equal and written differently


def _text(value: str, payload: bool) -> Hashable:
    size = len(value)
    if payload and size > _PAYLOAD:
        return size, value[:_END], value[-_END:]
    return size, hash(value), value[:16]


_MOST = 1 << 53  # what no message takes; larger ones overflow the arithmetic
LISTS = 16  # lists whose figure is kept: of tools, and whole ones where a count is no sum


def part(tokens: object) -> Any:
    """A figure that is added to others. Raises ConfigError if no sum can be made with it."""
    number = base.check_figure(tokens)
    if abs(number) < _MOST:  # which NaN is not
        return number
    fault = f"a token counter gave {show(number)} for a part of a sum"
    raise ConfigError(fault, code="token.figure")


class FigureCache:
    """Figures by key in two generations: when the young one is full, the old one is forgotten."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._young: dict[Hashable, int] = {}
        self._old: dict[Hashable, int] = {}

    def get(self, key: Hashable) -> int | None:
        """The figure, or None; what is asked for is forgotten last."""
        tokens = self._young.get(key)
        if tokens is None:
            tokens = self._old.get(key)
            if tokens is not None:
                self.put(key, tokens)
        return tokens

    def put(self, key: Hashable, tokens: int) -> int:
        """Keep a figure and give it back."""
        if len(self._young) >= self._size and key not in self._young:
            self._old, self._young = self._young, {}
        self._young[key] = tokens
        return tokens


class Parts:
    """The figures of messages and of lists of tools, of one kind: exact ones, or estimates."""

    def __init__(self, size: int) -> None:
        self._messages = FigureCache(size)
        self._tools = FigureCache(LISTS)

    def each(self, messages: Messages, count: Callable[[JsonObject], int]) -> list[int]:
        """The figures of all messages; `count` makes the unknown ones."""
        figures = []
        for message in messages:
            key = content_key(message)
            tokens = self._messages.get(key)
            if tokens is None:
                tokens = self._messages.put(key, part(count(message)))
            figures.append(tokens)
        return figures

    def overhead(self, tools: Tools, count: Callable[[Tools], int]) -> int:
        """The figure of a list of tools; `count` makes it if it is unknown."""
        key = content_key(tools)
        tokens = self._tools.get(key)
        return self._tools.put(key, part(count(tools))) if tokens is None else tokens

    def find_known(self, messages: Messages) -> list[int] | None:
        """The figures, or None if one would have to be made."""
        figures = [self._messages.get(content_key(message)) for message in messages]
        return None if None in figures else cast("list[int]", figures)

    def total(self, messages: Messages, tools: Tools) -> int | None:
        """The sum, or None if a figure would have to be made."""
        overhead, parts = self._tools.get(content_key(tools)), self.find_known(messages)
        return None if overhead is None or parts is None else max(0, overhead + sum(parts))


class CachedTokenCounter(TokenCounterBase):
    """Counts with another counter and keeps what it has counted, by content.

    `count` is always the wrapped counter's own figure: of one that decomposes the sum of kept
    parts, of any other a count of the whole list. Messages are neither changed nor stored.

    Args:
        counter: The counter that counts what is not known yet.
        size: How many messages are remembered at least; twice as many at most.

    Raises:
        ConfigError: `counter` is no token counter, or `size` is less than 1.
    """

    def __init__(self, counter: TokenCounterBase | Any, *, size: int = 65_536) -> None:
        if isinstance(counter, type) or not callable(getattr(counter, "count", None)):
            fault = f"{type(counter).__name__} is no token counter: it has no count method"
            if isinstance(counter, type):
                fault = f"the class {counter.__name__} is no token counter yet: make one of it"
            hint = "dragoman.tokens has counters; TokenCounterBase is the base of one's own"
            raise ConfigError(fault, hint=hint, code="token.no_counter")
        if size < 1:
            raise ConfigError("size must be at least 1", code="token.cache_size")
        self.counter: Any = counter
        self.size = size
        self._forget()

    def _forget(self) -> None:
        self._exact = Parts(self.size)
        self._rough = Parts(self.size)
        self._lists = FigureCache(LISTS)
        self._scale = 1.0  # what an estimate has to be multiplied with, by the last exact count

    def __getstate__(self) -> JsonObject:
        """The counter alone: a copy remembers nothing."""
        return {"counter": self.counter, "size": self.size}

    def __setstate__(self, state: JsonObject) -> None:
        self.__dict__.update(state)
        self._forget()

    @property
    def decomposes(self) -> bool:  # type: ignore[override]  # it is what the wrapped one says
        """Whether `count_each` and `overhead` make up the count; if not they are estimates."""
        return base.decomposes(self.counter)

    @property
    def is_estimate(self) -> bool:  # type: ignore[override]  # it is what the wrapped one says
        """Whether the wrapped counter's figures are estimates."""
        return getattr(self.counter, "is_estimate", False) is True

    @property
    def counts_sync(self) -> bool:
        """Whether `count_sync` gives a figure."""
        return self.decomposes or base.counts_sync(self.counter)

    async def count(self, messages: Messages, tools: Tools = None, **kwargs: Any) -> int:
        """Count exactly, with the wrapped counter where the figure is not known yet.

        Args:
            messages: The messages as they go to the provider.
            tools: The tool schemas as they go to the provider; None counts no tools.
            **kwargs: Options of the wrapped counter; with any, nothing is remembered.

        Returns:
            The number of tokens.
        """
        if kwargs:
            return cast("int", await self.counter.count(messages, tools, **kwargs))
        tokens = self._find_exact(messages, tools)
        if tokens is not None:
            return tokens
        if self.decomposes:
            return await asyncio.to_thread(self.estimate, messages, tools)
        tokens = await self.counter.count(messages, *(() if tools is None else (tools,)))
        return self._keep_exact(tokens, messages, tools)

    def count_sync(self, messages: Messages, tools: Tools = None, **kwargs: Any) -> int:
        """Count as `count` does, without an event loop.

        Args:
            messages: The messages as they go to the provider.
            tools: The tool schemas as they go to the provider; None counts no tools.
            **kwargs: Options of the wrapped counter; with any, nothing is remembered.

        Returns:
            The number of tokens.

        Raises:
            ConfigError: The wrapped counter needs an event loop.
        """
        if kwargs:
            return cast("int", self.counter.count_sync(messages, tools, **kwargs))
        if self.decomposes:
            return self.estimate(messages, tools)
        tokens = self._find_exact(messages, tools)
        if tokens is not None:
            return tokens
        tokens = self.counter.count_sync(messages, *(() if tools is None else (tools,)))
        return self._keep_exact(tokens, messages, tools)

    def _find_exact(self, messages: Messages, tools: Tools) -> int | None:
        """The exact count, if it was made before."""
        if self.decomposes:
            return self._exact.total(messages, tools)
        return self._lists.get(_list_key(messages, tools))

    async def count_each(self, messages: Messages) -> list[int]:
        """Count each message as `count_each_sync` does, unknown ones in a worker thread.

        Args:
            messages: The messages as they go to the provider.

        Returns:
            The tokens of each message, in order.
        """
        if self.decomposes and self._exact.find_known(messages) is None:
            return await asyncio.to_thread(self.count_each_sync, messages)
        return self.count_each_sync(messages)

    def count_each_sync(self, messages: Messages) -> list[int]:
        """Count each message: exactly if `decomposes`, else by an estimate.

        The estimate goes by the length of the texts, in proportion to the last exact count; the
        wrapped counter is not called for it.

        Args:
            messages: The messages as they go to the provider.

        Returns:
            The tokens of each message, in order.
        """
        if self.decomposes:
            return self._exact.each(messages, self.counter.count_message)
        scale = self._scale
        return [round(part * scale) for part in self._rough.each(messages, rough_message)]

    def count_message(self, message: JsonObject) -> int:
        """Count one message: exactly if `decomposes`, else by an estimate.

        Args:
            message: The message as it goes to the provider.

        Returns:
            The number of tokens.
        """
        return self.count_each_sync([message])[0]

    def overhead(self, tools: Tools = None) -> int:
        """Count what is beside the messages: exactly if `decomposes`, else by an estimate.

        Args:
            tools: The tool schemas as they go to the provider; None counts no tools.

        Returns:
            The number of tokens, of the tool schemas above all.
        """
        if self.decomposes:
            return self._exact.overhead(tools, getattr(self.counter, "overhead", lambda _: 0))
        return round(self._rough.overhead(tools, rough_tools) * self._scale)

    def estimate(self, messages: Messages, tools: Tools = None) -> int:
        """Add the figures of messages and tools: exact if `decomposes`, else an estimate.

        Args:
            messages: The messages as they go to the provider.
            tools: The tool schemas as they go to the provider; None counts no tools.

        Returns:
            The number of tokens, 0 at least.
        """
        parts = self.count_each_sync(messages)
        return max(0, self.overhead(tools) + sum(parts))

    def _keep_exact(self, tokens: int, messages: Messages, tools: Tools) -> int:
        """Keep an exact count, and let it correct the estimates to come."""
        self._lists.put(_list_key(messages, tools), tokens)
        rough = sum(self._rough.each(messages, rough_message))
        rough += self._rough.overhead(tools, rough_tools)
        if rough:
            self._scale = tokens / rough
        return tokens


def _list_key(messages: Messages, tools: Tools) -> Hashable:
    return content_key(tools), *(content_key(message) for message in messages)


def default_counter(model_name: str) -> Any:
    """The counter of a model where the program names none; its module is imported on use."""
    from .choice import choose_counter

    return choose_counter(model_name)


def with_cache(counter: TokenCounterBase | Any, *, size: int = 65_536) -> CachedTokenCounter:
    """The counter with a memory; the very object if it has one already."""
    if isinstance(counter, CachedTokenCounter):
        return counter
    return CachedTokenCounter(counter, size=size)


_BYTES = 4  # of UTF-8 in a token: four letters of English, a character and a third of Chinese
_FRAME = 4  # the tokens around a message


def rough_message(message: JsonObject) -> int:
    """An estimate for one formatted message of any wire."""
    turns, media = template_turns([message])
    total = sum(ESTIMATES[medium.kind] for medium in media)
    for turn in turns:
        total += _FRAME + _size(turn["content"]) + _size(turn.get("reasoning_content"))
        total += sum(_size(call) for call in turn.get("tool_calls") or ())
    return total


def rough_tools(tools: Tools) -> int:
    """An estimate for tool schemas."""
    return _size(as_json(tools)) if tools else 0


def _size(value: Any) -> int:
    if isinstance(value, list):
        return sum(map(_size, value))
    if value is None:
        return 0
    text = value if isinstance(value, str) else as_json(value)
    size = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
    return -(-size // _BYTES)


class CharTokenCounter(SumTokenCounter):
    """The length of the messages' `str()`, and of the tools', joined by newlines.

    AgentScope's definition, with one difference: base64 in media is not counted as text. Each
    medium that carries its bytes costs a flat figure of its kind, whatever its size. Media by URL
    cost their URL.

    Args:
        media_tokens: Figures by kind that replace the usual ones, e.g. `{"image": 800}`.

    >>> CharTokenCounter().count_sync([{"role": "user", "content": "Hi"}])
    33
    """

    def __init__(self, *, media_tokens: Mapping[Kind, int] | None = None) -> None:
        self.media_tokens = media_estimates(media_tokens)

    def count_message(self, message: JsonObject) -> int:
        """Count the characters of one message, and the newline between it and the next.

        Args:
            message: The message as it goes to the provider.

        Returns:
            The number of characters.
        """
        view, media = without_payloads(message)
        inline = sum(self.media_tokens[medium.kind] for medium in media if medium.inline)
        return len(str(view)) + 1 + inline

    def overhead(self, tools: Tools = None) -> int:
        """Count the characters of the tools.

        Args:
            tools: The tool schemas as they go to the provider; None counts no tools.

        Returns:
            The number of characters; -1 without tools, for there is no newline after the last
            message.
        """
        return len(str(tools)) if tools else -1
