"""One request to one model as listeners see it, from when it is written to its answer."""

from __future__ import annotations

import sys
from asyncio import CancelledError
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from typing import TYPE_CHECKING, Any

from ..errors import DragomanError, StreamBroken
from ..message import ChatResponse, Usage, Written
from ..observe.channel import CHANNEL, ObservedOperation, Subscription, Within
from ..observe.events import FirstByte, RequestBegin, RequestEnd
from .answer import build_answer
from .received import Received

if TYPE_CHECKING:
    from ..codec.wire import Wire


class ObservedRequest:
    """A request under way with a listener.

    Args:
        operation: The operation.
        wire: What wrote the request.
        out: The request.
    """

    __slots__ = ("_begun", "_ended", "_operation", "_out", "_read", "_seen", "_wire")

    def __init__(self, operation: ObservedOperation, wire: Wire, out: Written) -> None:
        self._operation = operation
        self._wire = wire
        self._out = out
        self._begun = monotonic()
        self._seen = self._read = self._ended = False

    def within(self) -> Within:
        """Return a `with` block in which the request is the current operation."""
        return self._operation.within()

    def see_bytes(self) -> None:
        """Report the first bytes of the answer, once."""
        if not self._seen:
            self._seen = True
            seconds = monotonic() - self._begun
            self._operation.emit(FirstByte(self._operation, seconds))

    def end(
        self,
        response: ChatResponse | None = None,
        error: BaseException | None = None,
        raw: Any = None,
        usages: tuple[Usage, ...] = (),
    ) -> None:
        """Report the end, once."""
        if self._ended:
            return
        self._ended = True
        answer = None
        if response is not None:
            answer = build_answer(self._wire, self._out, Received(raw, response, usages))
        operation, seconds = self._operation, monotonic() - self._begun
        operation.emit(RequestEnd(operation, error, answer, seconds))

    def take(self, received: Received) -> Received:
        """Report a whole answer, and return it."""
        self.end(received.response, None, received.raw, received.usages)
        return received

    @contextmanager
    def report(self) -> Iterator[None]:
        """Return a `with` block whose error is reported as the end."""
        try:
            yield
        except BaseException as error:
            self.end(error=error)
            raise

    def leave(self, may_break: bool) -> None:
        """Report the end of a stream that is closed; of one that has ended already, nothing.

        Args:
            may_break: Whether an answer that broke off is accepted, which is decided later.
        """
        error = sys.exception()  # a stream that cannot be read on is closed with its error at hand
        if self._read and error is None:
            return  # all has come, and the judge of the stream is next
        if not isinstance(error, (DragomanError, CancelledError)):  # one of the program's own
            error = None
        if not (may_break and isinstance(error, StreamBroken)):
            self.end(error=error)

    def read_all(self) -> None:
        """Note that the answer was read to its end, which its judge reports."""
        self._read = True


def begin_request(
    wire: Wire,
    out: Written,
    address: Callable[[], str],
    own: Subscription | None,
    *,
    stream: bool,
) -> ObservedRequest | None:
    """Report that a request is written; return None without a listener.

    Args:
        wire: What wrote it.
        out: The request.
        address: Returns the base URL.
        own: The listener of the model.
        stream: Whether the answer is streamed.
    """
    model = out.model or ""
    operation = CHANNEL.begin("request", model, own)
    if operation is None:
        return None
    vendor = wire.vendor.name if wire.vendor is not None else wire.name
    url = ""
    with suppress(DragomanError):  # the request itself will raise it
        url = address()
    protocol = wire.room.protocol
    operation.emit(RequestBegin(operation, vendor, model, protocol, url, stream, out, wire))
    return ObservedRequest(operation, wire, out)
