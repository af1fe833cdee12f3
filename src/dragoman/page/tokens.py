"""How many tokens each message takes, in the form of Chat Completions, for the chat."""

from __future__ import annotations

from typing import TypeAlias

from ..analysis import sourcemap
from ..analysis.paths import format_path, steps
from ..errors import DragomanError
from ..message import ChatRequest
from ..text.json_text import JsonObject
from ..tokens import CachedTokenCounter, SumTokenCounter
from ..tokens.cached import rough_message, rough_tools
from ..vendors import wire
from .exchange import PageExchange

Sizes: TypeAlias = list[int | None]


class LengthEstimate(SumTokenCounter):
    """Tokens estimated by the length of the texts: good for a look, but not for a bill."""

    def count_message(self, message: JsonObject) -> int:
        """The tokens of one formatted message."""
        return rough_message(message)

    def overhead(self, tools: list[JsonObject] | None = None) -> int:
        """The tokens of the tools."""
        return rough_tools(tools)


def tokens(exchange: PageExchange, counter: CachedTokenCounter) -> Sizes:
    """The tokens of each message that the conversation shows; None if they are not known."""
    sizes: Sizes = []
    try:
        if (request := exchange.request) is not None:
            sizes += [None] * (request.system is not None)  # it is shown as a message
            sizes += _of_request(request, counter)
        if (response := exchange.response) is not None:
            for candidate in response.candidates:
                sizes += _of_request(ChatRequest([candidate.msg]), counter)
    except DragomanError:  # the conversation shows the error
        return sizes
    return sizes


def _of_request(request: ChatRequest, counter: CachedTokenCounter) -> list[int | None]:
    """The tokens of each message, in the form of Chat Completions; None if it cannot be written.

    The request is written as a whole, since a result needs its call, and each formatted message
    counts for the message that it comes from.
    """
    sizes: list[int | None] = [None] * len(request.messages)
    try:
        out = wire("openai-chat", policy="ignore", fetch=None).write_request(request)
    except DragomanError:
        return sizes
    owners = {}
    for i, m in enumerate(request.messages):
        for node in (m, *m.blocks):
            owners[out.report.locate(node)] = i
    formatted = out.body["messages"]
    figures = counter.count_each_sync(formatted)
    for path, source in sourcemap(out).paths():
        way = steps(path) or []
        if len(way) == 2 and way[0] == "messages" and (owner := _owner(source.path, owners)) >= 0:
            sizes[owner] = (sizes[owner] or 0) + figures[int(way[1])]
    return sizes


def _owner(path: str, owners: dict[str, int]) -> int:
    """The index of the message that contains a path; -1 for none."""
    way = steps(path) or []
    ends = (format_path(way[:end]) for end in range(len(way), 0, -1))
    return next((owners[place] for place in ends if place in owners), -1)
