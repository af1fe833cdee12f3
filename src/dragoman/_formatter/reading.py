"""Answering: what a formatter reads back, whole answers and streams, as messages of an assistant.

Thin loops over its wire's decoder; usage, finish, and further candidates are in the wire's own
`read_response` and `read_stream`. Knows no provider.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, Iterable, Sequence
from typing import Any

from .._wire import Manner, Wire
from .._wire.decoder import StreamDecoder, whole
from .._wire.stream import aiterated, fed, iterated
from ..capabilities import Capabilities
from ..errors import ProviderError, ReadError, StreamError
from ..message import ChatRequest, ChatResponse, Msg, Written, tools_of
from ..message.tools import ToolLike
from ..pieces import Piece, Raw

__all__ = ["Answering"]


class Answering:
    """The way back of a formatter."""

    wire: Wire
    model: str | None
    manner: Manner
    can: Capabilities

    def parse_response(
        self,
        raw: Any,
        tools: Sequence[ToolLike] | None = None,
        request: ChatRequest | Written | None = None,
    ) -> Msg:
        """The message in a whole answer: parsed JSON, its text, or the official SDK's object.

        Its role is `assistant`; its name is empty unless the formatter writes from an agent's
        point of view. `tools` (or those of the request) give calls the names that they have here.
        Raises ProviderError for an error, ReadError for what is no answer of this wire.

        >>> from dragoman.formatter import OpenAIChatFormatter
        >>> answer = {"choices": [{"message": {"role": "assistant", "content": "In France."}}]}
        >>> OpenAIChatFormatter().parse_response(answer).get_text_content()
        'In France.'
        """
        resp = whole(self._decoder(tools, request), raw, known=self.wire.room.answers)
        if resp.error is not None:
            raise _plain(resp.error)
        return self._msg(resp, request)

    async def parse_stream(
        self,
        chunks: AsyncIterable[Any],
        tools: Sequence[ToolLike] | None = None,
        request: ChatRequest | Written | None = None,
    ) -> Msg:
        """The message in a stream: bytes of the body, the official SDK's chunks, or parsed events.

        An event may be (name, payload). A stream that breaks off gives what has come: calls that
        it broke off in are `unfinished`. Raises StreamError, with the answer so far as its
        `response`, if the provider tells of an error; ReadError if nothing in it can be read.
        What the connection raises passes through; read with `wire.aread_stream` to have the answer
        so far then.
        """
        reading = _Reading(self._decoder(tools, request))
        async for chunk in aiterated(chunks):
            reading.take(chunk)
        return self._msg(reading.end(), request)

    def parse_stream_sync(
        self,
        chunks: Iterable[Any],
        tools: Sequence[ToolLike] | None = None,
        request: ChatRequest | Written | None = None,
    ) -> Msg:
        """The same for chunks that need not be awaited."""
        reading = _Reading(self._decoder(tools, request))
        for chunk in iterated(chunks):
            reading.take(chunk)
        return self._msg(reading.end(), request)

    def _decoder(
        self, tools: Sequence[ToolLike] | None, request: ChatRequest | Written | None
    ) -> StreamDecoder:
        given = None if tools is None else tools_of(tools)
        return self.wire.stream_decoder(given, request, model=self.model, can=self.can)

    def _msg(self, resp: ChatResponse, request: ChatRequest | Written | None) -> Msg:
        msg = resp.msg
        mine = request.agent_name if isinstance(request, ChatRequest) else None
        msg.name = mine or getattr(self.manner.speakers, "me", None) or ""
        return msg


class _Reading:
    """One stream on its way."""

    def __init__(self, decoder: StreamDecoder) -> None:
        self.decoder = decoder
        self.read = False  # whether anything of it could be read

    def take(self, chunk: Any) -> None:
        self._seen(fed(self.decoder, chunk))

    def end(self) -> ChatResponse:
        self._seen(self.decoder.rest())
        resp = self.decoder.finish()
        if resp.error is not None:
            raise resp.error
        if not self.read:
            raise ReadError(
                "nothing in this stream is an event of this wire",
                hint="check the wire; a body of bytes must come as the server sent it",
                code="stream.shape",
            )
        return resp

    def _seen(self, pieces: list[Piece]) -> None:
        if not self.read:
            self.read = any(type(piece) is not Raw for piece in pieces)


def _plain(error: ProviderError) -> ProviderError:
    """The error of an answer that came whole."""
    if not isinstance(error, StreamError):
        return error
    return ProviderError(
        error.message, status=error.status, type=error.type, body=error.body, code=error.code,
        hint=error.hint or "read_response gives what the answer says beside it",
    )  # fmt: skip
