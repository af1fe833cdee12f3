"""ChatModel: a model of any vendor, over any of its wires.

`await model(messages, tools=...)` sends messages that a formatter has written; `model.post(out)`
sends a whole request, as `wire.write_request` and `formatter.format_request` make it. What comes
back is read by the room of the wire.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

from ..codec.stream import AsyncStream, Stream
from ..codec.stream_decoder import StreamDecoder
from ..codec.wire import Wire
from ..errors import ConfigError, NotMessages, ProviderError, StreamBroken, UnknownKeyword
from ..message import ChatRequest, ChatResponse, Msg, Options, ToolChoice, Written
from ..message.request import OPTIONS
from ..suggestions.keywords import refuse_unknown, rename_keywords
from ..text.json_text import loads
from ..transport.call import AsyncStreamReply, StreamReply
from ..transport.credentials import Key
from ..vendors import PROTOCOLS, Vendor, wire
from .answer import Answer, PartialAnswer, ReceivedChunks
from .base import ChatModelBase, FormatterMismatch, WireMessages, build_body, tools_for
from .endpoint import Connection, ConnectionOptions, Endpoint
from .received import Received, StreamJudge
from .segments import AnswerSegments
from .shapes import difference, find_protocols

_KEYWORDS = (*ConnectionOptions.__annotations__, *OPTIONS)


class ChatModel(ChatModelBase):
    """A model at a vendor: `ChatModel("deepseek", "deepseek-v4-flash")`.

    `host` is a vendor, `vendor/wire` or a Vendor of your own. `generate_kwargs` go with every
    request, as the keywords of a call do: options (`temperature`, ...) and fields of the provider's
    own. How the provider is reached: see `Connection`. An answer that broke off raises StreamBroken
    with what came as its `response`; with `allow_partial` it is taken, and its `status` tells.
    """

    def __init__(
        self,
        host: str | Vendor | Wire,
        model_name: str,
        api_key: Key = None,
        stream: bool = False,
        *,
        generate_kwargs: Mapping[str, Any] | None = None,
        allow_partial: bool = False,
        **connection: Unpack[ConnectionOptions],
    ) -> None:
        super().__init__(model_name, stream)
        given = rename_keywords(connection, ConnectionOptions.__annotations__)
        refuse_unknown(type(self).__name__, given, _KEYWORDS)
        for name in given:
            if name in OPTIONS:
                text = f"{name} is an option of requests"
                hint = f'generate_kwargs={{"{name}": ...}}, or a keyword of the call'
                raise UnknownKeyword(text, path=f"$.{name}", hint=hint, code="name.unknown")
        self.allow_partial = allow_partial
        self.wire: Wire = host if isinstance(host, Wire) else wire(host)
        self.generate_kwargs = dict(generate_kwargs or {})
        self.connection = Connection(key=api_key, **given)
        self.endpoint = Endpoint(self.wire, self.connection)

    def over(self, protocol: str) -> ChatModel:
        """The same model over another wire of its vendor. Raises ConfigError if it has none."""
        if protocol == self.wire.room.protocol:
            return self
        home = self.wire.vendor
        host = home if home is None or home.name not in self.wire.name else home.name
        other = wire(f"{host}/{protocol}" if isinstance(host, str) else host)
        return ChatModel(
            other,
            self.model_name,
            self.connection.key,
            self.stream,
            generate_kwargs=self.generate_kwargs,
            allow_partial=self.allow_partial,
            **self.connection.options(),
        )

    def with_own_options(self, request: ChatRequest) -> ChatRequest:
        """The request with what it leaves open of `generate_kwargs`."""
        own = dict(self.generate_kwargs)
        known = {name: own.pop(name) for name in OPTIONS if own.get(name) is not None}
        options = replace(Options.of(known), **dict(request.options.given()))
        extras = {**({self.wire.room.issuer: own} if own else {}), **(request.extras or {})}
        return replace(request, options=options, extras=extras or None)

    # -- messages that a formatter has written ----------------------------------------------------

    async def __call__(
        self,
        messages: WireMessages,
        tools: Sequence[Any] | None = None,
        tool_choice: Any = None,
        stream: bool | None = None,
        **options: Any,
    ) -> Any:
        """See ChatModelBase."""
        streams = self.stream if stream is None else stream
        out = self.request(messages, tools, tool_choice, streams, **options)
        return self._parts(out) if streams else await self.apost(out)

    def sync(
        self,
        messages: WireMessages,
        tools: Sequence[Any] | None = None,
        tool_choice: Any = None,
        **options: Any,
    ) -> Answer[None]:
        """The whole answer, without an event loop."""
        return self.post(self.request(messages, tools, tool_choice, **options))

    def events(
        self,
        messages: WireMessages,
        tools: Sequence[Any] | None = None,
        tool_choice: Any = None,
        **options: Any,
    ) -> AsyncStream:
        """The typed events of a stream; `.response` behind the last one."""
        out = self.request(messages, tools, tool_choice, True, **options)
        return AsyncChunks(self, out, self.allow_partial).events()

    def sync_events(
        self,
        messages: WireMessages,
        tools: Sequence[Any] | None = None,
        tool_choice: Any = None,
        **options: Any,
    ) -> Stream:
        """The same without an event loop."""
        out = self.request(messages, tools, tool_choice, True, **options)
        return Chunks(self, out, self.allow_partial).events()

    def request(
        self,
        messages: WireMessages,
        tools: Sequence[Any] | None = None,
        tool_choice: Any = None,
        stream: bool = False,
        **options: Any,
    ) -> Written:
        """What would be sent: path, headers and body."""
        wire = self.wire
        refuse_foreign(self, messages)
        read = wire.read_request(build_body(wire.room.messages_path, messages))
        fields = {**self.generate_kwargs, **options}
        if fields.pop("structured_model", None) is not None:
            hint = "LLM(...).ask(messages, response_format=...) asks for a type, and reads it"
            text = "a model sends what was written; an answer of a type is an LLM's"
            raise ConfigError(text, path="$.structured_model", hint=hint, code="model.structured")
        known = {name: fields.pop(name) for name in OPTIONS if fields.get(name) is not None}
        request = ChatRequest(
            read.messages,
            tools=tools_for(wire, tools),
            tool_choice=ToolChoice.of(tool_choice),
            options=Options.of(known),
            stream=stream,
            extras={wire.room.issuer: fields} if fields else None,
        )
        return wire.write_request(request, self.model_name)

    async def _parts(self, out: Written) -> AsyncIterator[PartialAnswer]:
        received = ReceivedChunks(lambda: self.wire.stream_decoder(request=out))
        chunks = AsyncChunks(self, out, self.allow_partial)
        chunks.answer_so_far = received.newest
        try:
            async for chunk in chunks:
                received.chunks.append(chunk)
                yield PartialAnswer(received)
        except ProviderError as error:
            error.response = received.whole()
            if not (self.allow_partial and isinstance(error, StreamBroken)):
                raise
        finally:
            await chunks.aclose()
        response = received.whole()
        chunks.judge(received.decoder, response)
        yield PartialAnswer(received, response)

    # -- whole requests ---------------------------------------------------------------------------

    def post(self, out: Written, allow_partial: bool | None = None) -> Answer[None]:
        """The answer to a whole request. Raises ProviderError and what stands below it."""
        partial = self.allow_partial if allow_partial is None else allow_partial
        return self._build_answer(out, self.endpoint.ask(out, partial))

    async def apost(self, out: Written, allow_partial: bool | None = None) -> Answer[None]:
        """The same in a loop."""
        partial = self.allow_partial if allow_partial is None else allow_partial
        return self._build_answer(out, await self.endpoint.aask(out, partial))

    def answer(self, out: Written, body: Any, status: int | None = None) -> Answer[None]:
        """What the bytes of a whole answer say."""
        raw = parse_body(body)
        resp = self.wire.read_response(raw, request=out, status=status)
        return self._build_answer(out, Received(raw, resp))

    def _build_answer(self, out: Written, received: Received) -> Answer[None]:
        home = self.wire.vendor
        return Answer.of(
            received.response,
            raw=received.raw,
            written=out,
            vendor=home,
            host=home.name if home is not None else self.wire.name,
        )

    def close(self) -> None:
        """Close the connections of plain calls."""
        self.endpoint.close()

    async def aclose(self) -> None:
        """Close the connections of this loop."""
        await self.endpoint.aclose()


class _Judged:
    """The bytes of one stream, and what judges it at its end."""

    _reply: Any = None  # once the request was sent

    def __init__(self, model: ChatModel, out: Written, allow_partial: bool = False) -> None:
        self._model = model
        self._out = out
        self._segments = AnswerSegments(model.wire, out)
        self.answer_so_far: Callable[[], ChatResponse] | None = None  # whoever reads them knows
        self.max_event_bytes = model.connection.max_event_bytes
        self.judge = StreamJudge(model.endpoint.address, lambda: self.status, allow_partial)

    @property
    def status(self) -> int | None:
        """The status of the answer, once it has begun."""
        return None if self._reply is None else self._reply.status

    def _decoder(self) -> StreamDecoder:
        decoder = self._model.wire.stream_decoder(request=self._out)
        self.answer_so_far = decoder.snapshot
        return decoder

    def _following(self) -> Written | None:
        """The request for the rest of the answer, once a body has ended."""
        if self.answer_so_far is None or not self._segments.possible:
            return None
        return self._segments.following(self.answer_so_far())


class Chunks(_Judged):
    """The bytes of one stream as they come, read once; `open` sends the request."""

    _reply: StreamReply | None = None

    def open(self) -> StreamReply:
        """Send the request, if it was not yet, and wait for the beginning of the answer."""
        if self._reply is None:
            self._reply = self._model.endpoint.stream(self._out)
        return self._reply

    def events(self) -> Stream:
        """The typed events; what is no answer is raised at the end."""
        return Stream(self._decoder(), self, self.judge)

    def __iter__(self) -> Iterator[Any]:
        if self._reply is not None and not self._segments.possible:
            return iter(self._reply)  # its own pieces, with nothing in between
        return self._read()

    def _read(self) -> Iterator[Any]:
        reply = self.open()
        yield from reply
        while (out := self._following()) is not None:
            yield self._segments.end
            reply.close()
            reply = self._reply = self._model.endpoint.stream(out)
            yield from reply

    def close(self) -> None:
        """Close the connection, from any thread."""
        if self._reply is not None:
            self._reply.close()


class AsyncChunks(_Judged):
    """The same in a loop."""

    _reply: AsyncStreamReply | None = None

    async def open(self) -> AsyncStreamReply:
        """Send the request, if it was not yet, and wait for the beginning of the answer."""
        if self._reply is None:
            self._reply = await self._model.endpoint.astream(self._out)
        return self._reply

    def events(self) -> AsyncStream:
        """The typed events; what is no answer is raised at the end."""
        return AsyncStream(self._decoder(), self, self.judge)

    def __aiter__(self) -> AsyncIterator[Any]:
        if self._reply is not None and not self._segments.possible:
            return aiter(self._reply)  # its own pieces, with nothing in between
        return self._read()

    async def _read(self) -> AsyncIterator[Any]:
        reply = await self.open()
        async for chunk in reply:
            yield chunk
        while (out := self._following()) is not None:
            yield self._segments.end
            await reply.aclose()
            reply = self._reply = await self._model.endpoint.astream(out)
            async for chunk in reply:
                yield chunk

    async def aclose(self) -> None:
        """Close the connection."""
        if self._reply is not None:
            await self._reply.aclose()


def refuse_foreign(model: ChatModel, messages: WireMessages) -> None:
    """Raise FormatterMismatch for messages that a formatter has written for another wire.

    What is the same on both, such as plain text, is right for both, and passes.
    """
    if isinstance(messages, Msg) or any(isinstance(message, Msg) for message in messages):
        text = f"{type(model).__name__} takes messages as a formatter has written them, no Msg"
        hint = "model(await model.formatter.format(msgs)), or LLM(...).ask(msgs)"
        raise NotMessages(text, path="$.messages", hint=hint)
    protocol = model.wire.room.protocol
    possible = find_protocols(messages)
    if protocol in possible:
        return
    written_for = next((name for name in PROTOCOLS if name in possible), "several wires at once")
    formatter = type(model.formatter).__name__
    raise FormatterMismatch(
        f"these messages are written for {written_for}, and {model!r} takes {protocol}:"
        f" {difference(written_for, protocol)}",
        path="$.messages",
        hint=f"format them with {formatter}() (model.formatter), or send them with"
        " paired(formatter, model), where the vendor has an endpoint that takes them",
        code="pair.protocol",
    )


def parse_body(body: Any) -> Any:
    """The JSON of a body; what an SDK has parsed as it is."""
    return loads(body) if isinstance(body, (bytes, str)) else body
