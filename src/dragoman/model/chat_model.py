"""ChatModel: a model of any vendor, over any of its wires; and the byte streams of its answers.

`await model(messages, tools=...)` sends messages that a formatter has written. `model.post(out)`
sends a whole request, as `wire.write_request` and `formatter.format_request` return it. The
protocol of the wire reads the answer.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from ..codec.stream import AsyncStream, Stream
from ..codec.stream_decoder import StreamDecoder
from ..codec.wire import Wire
from ..errors import ConfigError, NotMessages, ProviderError, StreamBroken, UnknownKeyword
from ..message import ChatRequest, Msg, Options, ToolChoice, Written
from ..message.options import OPTIONS
from ..observe.channel import CHANNEL, Listener
from ..stream.builder import SegmentEnd
from ..suggestions.keywords import refuse_unknown, rename_keywords
from ..text.json_text import loads
from ..transport.call import AsyncStreamReply, StreamReply
from ..transport.credentials import Key
from ..vendors import PROTOCOLS, Vendor, wire
from .answer import Answer, PartialAnswer, ReceivedChunks, build_answer
from .base import ChatModelBase, FormatterMismatch, WireMessages, build_body, tools_for
from .endpoint import Connection, ConnectionOptions, Endpoint
from .received import Received, StreamJudge
from .segments import AnswerSegments
from .shapes import difference, find_protocols

if TYPE_CHECKING:
    from .observed import ObservedRequest

_KEYWORDS = (*ConnectionOptions.__annotations__, *OPTIONS)


class ChatModel(ChatModelBase):
    """A model at a vendor: `ChatModel("deepseek", "deepseek-v4-flash")`.

    Args:
        host: A vendor, `vendor/wire`, a Vendor or a Wire.
        model_name: The provider's name of the model.
        api_key: The key, or a function that returns it; None uses the vendor's environment
            variable.
        stream: Whether calls stream unless they set `stream` themselves.
        generate_kwargs: Options (`temperature`, ...) and provider fields for every request, like
            the keywords of a call.
        allow_partial: Whether an answer that broke off is accepted, which its `status` shows.
            Otherwise StreamBroken is raised, with what had arrived as its `response`.
        follow_pauses: Whether the rest of an answer is asked for if the provider pauses in it.
            Otherwise the paused part is returned, and its `finish.reason` is `pause`.
        on_event: Is called with the events of this model's requests; see `dragoman.observe`.
        **connection: How the provider is reached; see `Connection`.
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
        follow_pauses: bool = True,
        on_event: Listener | None = None,
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
        self.follow_pauses = follow_pauses
        self.wire: Wire = host if isinstance(host, Wire) else wire(host)
        self.generate_kwargs = dict(generate_kwargs or {})
        self.connection = Connection(key=api_key, **given)
        self.endpoint = Endpoint(self.wire, self.connection)
        self.endpoint.listener = CHANNEL.own(on_event)

    def over(self, protocol: str) -> ChatModel:
        """Return this model over another wire of its vendor.

        Args:
            protocol: The name of the wire's protocol.

        Returns:
            A new model.

        Raises:
            ConfigError: The vendor has no such wire.
        """
        if protocol == self.wire.room.protocol:
            return self
        home = self.wire.vendor
        host = home if home is None or home.name not in self.wire.name else home.name
        other = wire(f"{host}/{protocol}" if isinstance(host, str) else host)
        made = ChatModel(
            other,
            self.model_name,
            self.connection.key,
            self.stream,
            generate_kwargs=self.generate_kwargs,
            allow_partial=self.allow_partial,
            follow_pauses=self.follow_pauses,
            **self.connection.options(),
        )
        made.endpoint.listener = self.endpoint.listener
        return made

    def with_own_options(self, request: ChatRequest) -> ChatRequest:
        """Return the request with `generate_kwargs` for what it does not set."""
        own = dict(self.generate_kwargs)
        known = {name: own.pop(name) for name in OPTIONS if own.get(name) is not None}
        options = replace(Options.of(known), **dict(request.options.list_values()))
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
        """Send messages in the provider's form, as described by ChatModelBase."""
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
        """Send messages and return the whole answer, without an event loop.

        Args:
            messages: The messages, as a formatter has written them.
            tools: Tools, or what `Formatter.format_tools` returns for this provider.
            tool_choice: Whether and what the model must call.
            **options: Options and provider fields of this request.

        Returns:
            The answer.

        Raises:
            ProviderError: The provider answered with an error, or did not answer.
        """
        return self.post(self.request(messages, tools, tool_choice, **options))

    def events(
        self,
        messages: WireMessages,
        tools: Sequence[Any] | None = None,
        tool_choice: Any = None,
        **options: Any,
    ) -> AsyncStream:
        """Send messages and stream typed events, for `async for`.

        Args:
            messages: The messages, as a formatter has written them.
            tools: Tools, or what `Formatter.format_tools` returns for this provider.
            tool_choice: Whether and what the model must call.
            **options: Options and provider fields of this request.

        Returns:
            The stream; its `response` is the answer after the last event.
        """
        out = self.request(messages, tools, tool_choice, True, **options)
        return AsyncChunks(self, out, self.allow_partial).events()

    def sync_events(
        self,
        messages: WireMessages,
        tools: Sequence[Any] | None = None,
        tool_choice: Any = None,
        **options: Any,
    ) -> Stream:
        """Send messages and stream typed events, without an event loop.

        Args:
            messages: The messages, as a formatter has written them.
            tools: Tools, or what `Formatter.format_tools` returns for this provider.
            tool_choice: Whether and what the model must call.
            **options: Options and provider fields of this request.

        Returns:
            The stream; its `response` is the answer after the last event.
        """
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
        """Return the request that would be sent: path, headers and body.

        Args:
            messages: The messages, as a formatter has written them.
            tools: Tools, or what `Formatter.format_tools` returns for this provider.
            tool_choice: Whether and what the model must call.
            stream: Whether the answer would be streamed.
            **options: Options and provider fields of this request.

        Returns:
            The request.

        Raises:
            ConfigError: `structured_model` is given, which a ChatModel does not take.
            FormatterMismatch: The messages are written for another wire.
        """
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
        chunks.find_decoder = received.newest_decoder
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
        """Send a whole request.

        Args:
            out: The request, as `wire.write_request` or a formatter returns it.
            allow_partial: Whether an answer that broke off is accepted; None is the model's own
                setting.

        Returns:
            The answer.

        Raises:
            ProviderError: The provider answered with an error, or did not answer.
        """
        partial = self.allow_partial if allow_partial is None else allow_partial
        return self._build_answer(out, self.endpoint.ask(out, partial, self.follow_pauses))

    async def apost(self, out: Written, allow_partial: bool | None = None) -> Answer[None]:
        """Send a whole request, in an event loop.

        Args:
            out: The request, as `wire.write_request` or a formatter returns it.
            allow_partial: Whether an answer that broke off is accepted; None is the model's own
                setting.

        Returns:
            The answer.

        Raises:
            ProviderError: The provider answered with an error, or did not answer.
        """
        partial = self.allow_partial if allow_partial is None else allow_partial
        return self._build_answer(out, await self.endpoint.aask(out, partial, self.follow_pauses))

    def answer(self, out: Written, body: Any, status: int | None = None) -> Answer[None]:
        """Read the bytes of a whole answer.

        Args:
            out: The request.
            body: The body of the answer, as bytes, text or parsed JSON.
            status: Its HTTP status, for errors.

        Returns:
            The answer.
        """
        raw = parse_body(body)
        resp = self.wire.read_response(raw, request=out, status=status)
        return self._build_answer(out, Received(raw, resp))

    def _build_answer(self, out: Written, received: Received) -> Answer[None]:
        return build_answer(self.wire, out, received)

    def close(self) -> None:
        """Close the connections of calls outside of event loops."""
        self.endpoint.close()

    async def aclose(self) -> None:
        """Close the connections of the running event loop."""
        await self.endpoint.aclose()


class _Judged:
    """The bytes of one stream, and the check of the answer at its end."""

    _reply: Any = None  # set when the request is sent

    def __init__(
        self,
        model: ChatModel,
        out: Written,
        allow_partial: bool = False,
        follow_pauses: bool | None = None,
    ) -> None:
        self._model = model
        self._out = out
        follows = model.follow_pauses if follow_pauses is None else follow_pauses
        self._follows = follows and model.wire.room.pauses
        self._segments: AnswerSegments | None = None  # once the provider has paused
        self.find_decoder: Callable[[], StreamDecoder] | None = None  # set by the reader
        self.max_event_bytes = model.connection.max_event_bytes
        self._seen: ObservedRequest | None = None  # if there is a listener
        self.judge = StreamJudge(model.endpoint.address, lambda: self.status, allow_partial)

    @property
    def status(self) -> int | None:
        """The HTTP status of the answer, once it has begun."""
        return None if self._reply is None else self._reply.status

    def _observe(self) -> ObservedRequest | None:
        """Report that the request is sent; return None without a listener."""
        from .observed import begin_request

        model = self._model
        endpoint = model.endpoint
        self._seen = begin_request(
            model.wire, self._out, endpoint.address, endpoint.listener, stream=True
        )
        if self._seen is not None:
            self.judge.report = self._seen.end
        return self._seen

    def _leave(self) -> None:
        if self._seen is not None:
            self._seen.leave(self.judge.may_break)

    def _decoder(self) -> StreamDecoder:
        decoder = self._model.wire.stream_decoder(request=self._out)
        self.find_decoder = lambda: decoder
        return decoder

    def _following(self) -> tuple[SegmentEnd, Written] | None:
        """Return the end of a body and the request for the rest, if the answer has one."""
        if self.find_decoder is None or not self._follows:
            return None
        decoder = self.find_decoder()
        if "pause" not in decoder.builder.finishes[:1]:
            return None
        if self._segments is None:
            self._segments = AnswerSegments(self._model.wire, self._out)
        out = self._segments.following(decoder.snapshot())
        return None if out is None else (self._segments.end, out)


class Chunks(_Judged):
    """The bytes of one stream as they arrive, read once; `open` sends the request."""

    _reply: StreamReply | None = None

    def open(self) -> StreamReply:
        """Send the request, unless it was sent, and wait for the beginning of the answer."""
        if self._reply is None:
            if CHANNEL.on and (seen := self._observe()) is not None:
                with seen.report():
                    self._reply = self._send(self._out)
            else:
                self._reply = self._send(self._out)
        return self._reply

    def _send(self, out: Written) -> StreamReply:
        with nullcontext() if self._seen is None else self._seen.within():
            return self._model.endpoint.stream(out)

    def events(self) -> Stream:
        """Return the typed events; the end raises an error if the stream was not an answer."""
        return Stream(self._decoder(), self, self.judge)

    def __iter__(self) -> Iterator[Any]:
        if self._reply is not None and not self._follows and self._seen is None:
            return iter(self._reply)  # the pieces of the reply itself
        return self._read() if not CHANNEL.on else self._read_observed()

    def _read_observed(self) -> Iterator[Any]:
        self.open()
        seen = self._seen
        for piece in self._read():
            if seen is not None:
                seen.see_bytes()
            yield piece
        if seen is not None:
            seen.read_all()

    def _read(self) -> Iterator[Any]:
        reply = self.open()
        yield from reply
        while (rest := self._following()) is not None:
            end, out = rest
            yield end
            reply.close()
            reply = self._reply = self._send(out)
            yield from reply

    def close(self) -> None:
        """Close the connection, from any thread."""
        self._leave()
        if self._reply is not None:
            self._reply.close()


class AsyncChunks(_Judged):
    """The bytes of one stream as they arrive, in an event loop."""

    _reply: AsyncStreamReply | None = None

    async def open(self) -> AsyncStreamReply:
        """Send the request, unless it was sent, and wait for the beginning of the answer."""
        if self._reply is None:
            if CHANNEL.on and (seen := self._observe()) is not None:
                with seen.report():
                    self._reply = await self._send(self._out)
            else:
                self._reply = await self._send(self._out)
        return self._reply

    async def _send(self, out: Written) -> AsyncStreamReply:
        with nullcontext() if self._seen is None else self._seen.within():
            return await self._model.endpoint.astream(out)

    def events(self) -> AsyncStream:
        """Return the typed events; the end raises an error if the stream was not an answer."""
        return AsyncStream(self._decoder(), self, self.judge)

    def __aiter__(self) -> AsyncIterator[Any]:
        if self._reply is not None and not self._follows and self._seen is None:
            return aiter(self._reply)  # the pieces of the reply itself
        return self._read() if not CHANNEL.on else self._read_observed()

    async def _read_observed(self) -> AsyncIterator[Any]:
        await self.open()
        seen = self._seen
        async with aclosing(self._read()) as pieces:
            async for piece in pieces:
                if seen is not None:
                    seen.see_bytes()
                yield piece
        if seen is not None:
            seen.read_all()

    async def _read(self) -> AsyncGenerator[Any]:
        reply = await self.open()
        async for chunk in reply:
            yield chunk
        while (rest := self._following()) is not None:
            end, out = rest
            yield end
            await reply.aclose()
            reply = self._reply = await self._send(out)
            async for chunk in reply:
                yield chunk

    async def aclose(self) -> None:
        """Close the connection."""
        self._leave()
        if self._reply is not None:
            await self._reply.aclose()


def refuse_foreign(model: ChatModel, messages: WireMessages) -> None:
    """Raise FormatterMismatch for messages that a formatter has written for another wire.

    Messages that are the same on both wires, such as plain text, pass.
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
        " pair_model(formatter, model), where the vendor has an endpoint that takes them",
        code="pair.protocol",
    )


def parse_body(body: Any) -> Any:
    """Return the JSON of a body; what an SDK has parsed is returned unchanged."""
    return loads(body) if isinstance(body, (bytes, str)) else body
