"""Answer: a response with its request and losses; and the partial answers of a stream."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, Generic, Self, TypeVar

from ..codec.stream import feed_chunk
from ..codec.stream_decoder import StreamDecoder
from ..codec.wire import Wire
from ..losses import Losses
from ..message import Candidate, ChatResponse, Finish, Msg, ToolUseBlock, Usage, Written
from ..suggestions.import_names import OF_ANSWERS, explains_attributes
from ..vendors import VENDORS, Vendor
from ..vendors import vendor as vendor_row
from .cost import Cost
from .pricing import Unpriced, price_answer
from .received import Received

T = TypeVar("T")


@explains_attributes(OF_ANSWERS)
@dataclass(slots=True, repr=False)
class Answer(ChatResponse, Generic[T]):
    """A ChatResponse, with the request that it answers.

    Attributes:
        parsed: The value of the type that was asked for (`response_format=City`), else None.
        raw: The body of the response, parsed; None for a stream. An answer in which the provider
            paused has a list of bodies.
        usages: The usage of each request, if there were several; `usage` is their sum.
        written: What was sent.
        host: The name of the vendor that answered.
        vendor: The vendor.
        in_batch: Whether it was answered in a batch, at the price of batches.
    """

    parsed: T = field(default=None)  # type: ignore[assignment]  # T is None where nothing is asked
    raw: Any = field(default=None, repr=False, compare=False)
    usages: tuple[Usage, ...] = field(default=(), repr=False, compare=False)
    written: Written | None = field(default=None, repr=False, compare=False)
    host: str = field(default="", compare=False)
    vendor: Vendor | None = field(default=None, repr=False, compare=False)
    in_batch: bool = field(default=False, repr=False, compare=False)

    @classmethod
    def of(cls, resp: ChatResponse, **more: Any) -> Self:
        """Return the answer for a response; its values are shared.

        Args:
            resp: The response.
            **more: The fields that an answer adds.

        Returns:
            A new answer.
        """
        return cls(**{f.name: getattr(resp, f.name) for f in fields(ChatResponse)}, **more)

    @property
    def cost(self) -> Cost | None:
        """The cost in US dollars; None where it is not known, and `unpriced` is the reason.

        It is the cost in the vendor's answer if there is one, else that by list prices of the
        package `genai-prices`.

        Raises:
            ConfigError: The package is needed and missing (extra `prices`).
        """
        cost = self._bill()
        return cost if isinstance(cost, Cost) else None

    @property
    def unpriced(self) -> str | None:
        """Why the cost is not known; None where `cost` is known."""
        cost = self._bill()
        return None if isinstance(cost, Cost) else cost

    def _bill(self) -> Cost | str:
        """Return the cost, or why it is not known."""
        home = self.vendor
        if home is None and self.host in VENDORS:
            home = vendor_row(self.host)
        if home is None:
            return f"no prices are known of {self.host or 'a host without a name'}"
        written = self.written
        model = (written.model if written is not None else None) or self.model or ""
        body = written.body if written else {}
        try:
            return price_answer(self, home, model, body, self.in_batch)
        except Unpriced as error:
            return str(error)

    @property
    def losses(self) -> Losses:
        """What could not be written for this provider, and what was added."""
        return Losses() if self.written is None else self.written.losses


def build_answer(wire: Wire, out: Written, received: Received) -> Answer[None]:
    """Return the answer to a request, with the request and the vendor.

    Args:
        wire: What wrote the request.
        out: The request.
        received: What came.
    """
    home = wire.vendor
    return Answer.of(
        received.response,
        raw=received.raw,
        usages=received.usages,
        written=out,
        vendor=home,
        host=home.name if home is not None else wire.name,
    )


class ReceivedChunks:
    """The chunks of a stream, from which the answer at any of them can be read when needed.

    The newest state is read chunk by chunk; for an older one, reading starts again.
    """

    __slots__ = ("_decoder", "_make_decoder", "_read", "chunks")

    def __init__(self, make_decoder: Callable[[], StreamDecoder]) -> None:
        self._make_decoder = make_decoder
        self._decoder = make_decoder()
        self._read = 0
        self.chunks: list[Any] = []

    def answer(self, count: int) -> ChatResponse:
        """Return the answer of the first `count` chunks."""
        decoder, start = self._decoder, self._read
        if count < start:
            decoder, start = self._make_decoder(), 0
        else:
            self._read = count
        for chunk in self.chunks[start:count]:
            feed_chunk(decoder, chunk)
        return decoder.snapshot()

    def newest(self) -> ChatResponse:
        """Return the answer of all chunks so far."""
        return self.answer(len(self.chunks))

    def newest_decoder(self) -> StreamDecoder:
        """Return the decoder, which has read all chunks so far."""
        self.newest()
        return self._decoder

    @property
    def decoder(self) -> StreamDecoder:
        """The decoder that has read the newest state."""
        return self._decoder

    def whole(self) -> ChatResponse:
        """Return the answer at the end of the stream."""
        self.newest()
        return self._decoder.finish()


class PartialAnswer:
    """The part of a stream that has arrived; it is read at the first access.

    Args:
        received: The chunks so far.
        response: The answer, for the last partial answer of a stream.
    """

    __slots__ = ("_count", "_received", "_response")

    def __init__(self, received: ReceivedChunks, response: ChatResponse | None = None) -> None:
        self._received = received
        self._count = len(received.chunks)
        self._response = response

    @property
    def response(self) -> ChatResponse:
        """The answer so far; its `status` is `interrupted` except in the last one."""
        if self._response is None:
            self._response = self._received.answer(self._count)
        return self._response

    @property
    def msg(self) -> Msg:
        """The message so far."""
        return self.response.msg

    @property
    def text(self) -> str:
        """The text so far."""
        return self.response.text

    @property
    def calls(self) -> list[ToolUseBlock]:
        """The calls that are complete so far."""
        return self.response.calls

    @property
    def usage(self) -> Usage:
        """The tokens that the provider has reported so far."""
        return self.response.usage

    @property
    def finish(self) -> Finish:
        """Why the model stopped; only the last partial answer has it."""
        return self.response.finish

    @property
    def candidates(self) -> list[Candidate]:
        """The candidates so far."""
        return self.response.candidates

    def __repr__(self) -> str:
        return f"PartialAnswer({self.response!r})"
