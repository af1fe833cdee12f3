"""Answer: what a model said, with what it was asked and what that lost; and parts of a stream."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, Generic, Self, TypeVar

from ..codec.stream import feed_chunk
from ..codec.stream_decoder import StreamDecoder
from ..losses import Losses
from ..message import Candidate, ChatResponse, Finish, Msg, ToolUseBlock, Usage, Written
from ..suggestions.import_names import OF_ANSWERS, explains_attributes
from ..vendors import VENDORS, Vendor
from ..vendors import vendor as vendor_row
from .cost import Cost
from .pricing import Unpriced, price_answer

T = TypeVar("T")


@explains_attributes(OF_ANSWERS)
@dataclass(slots=True, repr=False)
class Answer(ChatResponse, Generic[T]):
    """A ChatResponse, with the request that it answers.

    `parsed` is the value of the type that was asked for (`response_format=City`), else None. `raw`
    is the body that came, parsed; None of a stream. `written` is what was sent, `host` the name of
    the vendor that answered, `vendor` its row.
    """

    parsed: T = field(default=None)  # type: ignore[assignment]  # T is None where nothing is asked
    raw: Any = field(default=None, repr=False, compare=False)
    written: Written | None = field(default=None, repr=False, compare=False)
    host: str = field(default="", compare=False)
    vendor: Vendor | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, resp: ChatResponse, **more: Any) -> Self:
        """The answer that a response is; what it holds is shared."""
        return cls(**{f.name: getattr(resp, f.name) for f in fields(ChatResponse)}, **more)

    @property
    def cost(self) -> Cost | None:
        """What it cost in US dollars; None where nobody knows, and then `unpriced` says why.

        What the vendor says in its answer, else by list prices of the package `genai-prices`.
        Raises ConfigError without the package (extra `prices`), where it is needed.
        """
        cost = self._bill()
        return cost if isinstance(cost, Cost) else None

    @property
    def unpriced(self) -> str | None:
        """Why nobody knows what it cost; None where `cost` is known."""
        cost = self._bill()
        return None if isinstance(cost, Cost) else cost

    def _bill(self) -> Cost | str:
        """What it cost, or why nobody knows."""
        home = self.vendor
        if home is None and self.host in VENDORS:
            home = vendor_row(self.host)
        if home is None:
            return f"no prices are known of {self.host or 'a host without a name'}"
        written = self.written
        model = (written.model if written is not None else None) or self.model or ""
        try:
            return price_answer(self, home, model, written.body if written else {})
        except Unpriced as error:
            return str(error)

    @property
    def losses(self) -> Losses:
        """What the request could not say to this provider, and what was added to it."""
        return Losses() if self.written is None else self.written.losses


class ReceivedChunks:
    """The chunks of a stream, so that the answer at any of them can be read when it is asked for.

    The newest state costs one reading of each chunk; an older one reads again from the beginning.
    """

    __slots__ = ("_decoder", "_make_decoder", "_read", "chunks")

    def __init__(self, make_decoder: Callable[[], StreamDecoder]) -> None:
        self._make_decoder = make_decoder
        self._decoder = make_decoder()
        self._read = 0
        self.chunks: list[Any] = []

    def answer(self, count: int) -> ChatResponse:
        """The answer that the first `count` chunks make."""
        decoder, start = self._decoder, self._read
        if count < start:
            decoder, start = self._make_decoder(), 0
        else:
            self._read = count
        for chunk in self.chunks[start:count]:
            feed_chunk(decoder, chunk)
        return decoder.snapshot()

    def newest(self) -> ChatResponse:
        """The answer that all chunks make so far."""
        return self.answer(len(self.chunks))

    @property
    def decoder(self) -> StreamDecoder:
        """What has read the newest state."""
        return self._decoder

    def whole(self) -> ChatResponse:
        """The answer, once nothing more will come."""
        self.newest()
        return self._decoder.finish()


class PartialAnswer:
    """All that has come of a stream by now; it is read when somebody looks at it."""

    __slots__ = ("_count", "_received", "_response")

    def __init__(self, received: ReceivedChunks, response: ChatResponse | None = None) -> None:
        self._received = received
        self._count = len(received.chunks)
        self._response = response

    @property
    def response(self) -> ChatResponse:
        """The answer so far; its `status` is `interrupted` but for the last one."""
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
        """The calls that are whole by now."""
        return self.response.calls

    @property
    def usage(self) -> Usage:
        """Tokens, as far as the provider has told."""
        return self.response.usage

    @property
    def finish(self) -> Finish:
        """Why the model stopped, in the last one."""
        return self.response.finish

    @property
    def candidates(self) -> list[Candidate]:
        """The candidates so far."""
        return self.response.candidates

    def __repr__(self) -> str:
        return f"PartialAnswer({self.response!r})"
