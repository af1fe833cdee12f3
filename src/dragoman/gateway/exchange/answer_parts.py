"""Whole answers that come in several bodies, for clients whose protocol cannot ask for the rest.

Anthropic pauses long turns of its own tools, Gemini long answers (see `model.segments`). Clients of
the provider's own protocol get such a body unchanged. All others would take a part for the answer,
so that the gateway itself asks for the rest, and returns one answer with the usage of all parts.
"""

from __future__ import annotations

from collections.abc import Mapping
from time import monotonic

from ...message import ChatResponse
from ...model.segments import AnswerSegments
from ...transport.call import HttpCall, Timeouts
from ..surfaces import ClientAnswer
from .exchange import GatewayExchange


class AnswerParts:
    """The parts of one whole answer.

    Attributes:
        size: The bytes of the parts that have come.
    """

    def __init__(self, exchange: GatewayExchange) -> None:
        self._exchange = exchange
        self.begin(Timeouts())

    def begin(self, left: Timeouts) -> None:
        """Begin a new answer; `left` are the timeouts for all of its parts."""
        self._left, self._since = left, monotonic()
        self._segments: AnswerSegments | None = None
        self._parts: list[ChatResponse] = []
        self.size = 0

    def remaining(self) -> Timeouts:
        """What is left of the timeouts. Raises Timeout if the total time is over."""
        return self._left.remaining(self._since)

    def convert(
        self, status: int, headers: Mapping[str, str], body: bytes
    ) -> ClientAnswer | HttpCall:
        """The answer for the client; or the call for the rest of it, without a key.

        Raises:
            ProviderError: The provider's answer cannot be read.
            LossRefused: The answer loses what the policy does not allow to lose.
        """
        exchange = self._exchange
        if exchange.kind == "count":
            return exchange.convert_answer(status, headers, body)
        upstream = exchange.upstream
        if not self._parts:
            self._segments = upstream.open_segments(exchange.written)
        if self._segments is None:
            return exchange.convert_answer(status, headers, body)
        resp = exchange.read_answer(status, body)
        self.size += len(body)
        self._parts.append(resp)
        resp = self._segments.join(self._parts)
        if (rest := self._segments.following(resp)) is not None:
            return upstream.written_call(rest, len(exchange.request.body))
        return exchange.convert_answer(status, headers, body, resp)
