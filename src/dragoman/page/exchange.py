"""PageExchange: one request and its answer, either of which may be missing.

Nothing is parsed before it is needed, as a recording may have thousands of exchanges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..agent_logs import Skipped
from ..analysis.fidelity import Event
from ..codec.stream_decoder import read_whole
from ..codec.wire import Wire
from ..errors import ReadError
from ..message import ChatRequest, ChatResponse, Msg
from ..stream.pieces import Piece, Raw
from ..text.json_text import JsonObject


@dataclass(frozen=True, slots=True)
class Recorded:
    """A provider's answer as it came: the `events` of a stream, or one `whole` body."""

    home: Wire
    events: list[Event]
    whole: bool
    status: int | None = None


@dataclass(frozen=True, slots=True)
class UpstreamCall:
    """The other side of a gateway's exchange: the request to the provider, and the answer."""

    wire: str
    row: JsonObject


@dataclass
class PageExchange:
    """One exchange, and its place in a file.

    Attributes:
        home: The wire of `body`; without a wire `own` has messages of this library.
        session: As the recording has it, like `name` and `follows`.
        losses: The losses that a gateway recorded.
        skipped: Other entries of a session log.
        compactions: At which messages the agent continued with a summary.
        fault: Why nothing can be shown.
    """

    place: str
    home: Wire | None = None
    body: JsonObject | None = None
    path: str | None = None
    own: ChatRequest | None = None
    answer: Recorded | None = None
    upstream: UpstreamCall | None = None
    losses: list[JsonObject] = field(default_factory=list)
    session: str = ""
    name: str = ""
    follows: str = ""
    model: str = ""
    agent: str = ""
    when: str = ""
    fault: str = ""
    skipped: Sequence[Skipped] = ()
    compactions: Sequence[int] = ()
    id: int = 0
    previous: int | None = None

    @cached_property
    def request(self) -> ChatRequest | None:
        """The parsed request. Raises ReadError for a body that cannot be read."""
        if self.home is None or self.body is None:
            return self.own
        return self.home.read_request(self.body, self.path)

    @cached_property
    def response(self) -> ChatResponse | None:
        """The answer. Raises ProviderError for a body that is an error, ReadError for no answer."""
        if self.answer is None:
            return None
        decoder = self.answer.home.stream_decoder(request=self.request)
        if self.answer.whole:
            [(_, body)] = self.answer.events
            return read_whole(decoder, body, self.answer.status, self.answer.home.room.answers)
        read = False
        for name, data in self.answer.events:
            read = _is_understood(decoder.feed(data, name)) or read
        if not (_is_understood(decoder.rest()) or read):
            raise ReadError(f"nothing in it is an event of {self.answer.home.name}")
        return decoder.finish()

    @property
    def messages(self) -> list[Msg]:
        """The messages of the request; empty without a request."""
        return self.request.messages if self.request is not None else []

    @property
    def shape(self) -> str:
        """The form of the answer: `stream`, `whole`, or empty."""
        if self.answer is None:
            return ""
        return "whole" if self.answer.whole else "stream"

    @property
    def wire(self) -> str:
        """The wire of the recording; empty for messages of this library."""
        home = self.home or (self.answer.home if self.answer is not None else None)
        return home.name if home is not None else ""


def _is_understood(pieces: list[Piece]) -> bool:
    return any(type(piece) is not Raw for piece in pieces)


def to_text(value: Any) -> str:
    """A recording's field as text; empty if it is neither a text nor a number."""
    return str(value) if isinstance(value, (str, int)) and not isinstance(value, bool) else ""
