"""Endpoint: sends what a wire has written, with address, key and transport; returns raw answers.

It handles bodies and bytes. An answer with an error status is raised as the ProviderError that the
wire's protocol reads from it; other answers are returned as they came.
"""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from time import monotonic
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self, TypedDict
from weakref import finalize

from ..codec.wire import Wire
from ..errors import ConfigError, ProviderError
from ..message import Written
from ..observe.channel import CHANNEL, Subscription
from ..suggestions.keywords import explains_keywords
from ..text.hidden_keys import without_keys
from ..text.redaction import show
from ..transport.answer_bounds import (
    MAX_ANSWER_BYTES,
    MAX_EVENT_BYTES,
    acount_reply,
    akeyless,
    check_bound,
    check_size,
    count_reply,
    keyless,
    keyless_reply,
)
from ..transport.call import (
    AsyncStreamReply,
    AsyncTransport,
    HttpCall,
    Reply,
    StreamReply,
    Timeouts,
    Transport,
    choose_transport,
)
from ..transport.credentials import Key, aauthorize, address, authorize, environment_url
from ..transport.over_httpx2 import new_after_fork
from ..transport.retries import Retries, acalling, calling
from ..transport.sdk_clients import BotoCalls, client_transport
from ..vendors import Vendor
from .received import Received, check_status, is_page, page, read_reply
from .segments import AnswerSegments, is_paused

if TYPE_CHECKING:
    from .observed import ObservedRequest


@explains_keywords()
@dataclass(frozen=True, slots=True)
class Connection:
    """How a provider is reached.

    Attributes:
        key: The API key, or a function that returns it; None uses the vendor's environment
            variable.
        base_url: The address instead of the vendor's. Without it, an environment variable that the
            vendor's official SDK reads (`OPENAI_BASE_URL`, ...) counts here too.
        headers: Headers that are added to the vendor's.
        places: Values for variables in the base URL, such as `region`.
        client: An official SDK client, whose address, credentials, proxies and HTTP client are used
            instead.
        transport: `httpx2`, `aiohttp` (asynchronous calls only) or an object of your own.
        timeout: Seconds for the whole call, or Timeouts.
        retries: How often a failed call is repeated, or Retries.
        max_answer_bytes: The most bytes of an answer, decompressed, whole or streamed; None sets no
            bound. AnswerTooLarge is raised beyond it (boto3's client reads answers itself, and has
            no bound).
        max_event_bytes: The most bytes of one event; None sets no bound.
    """

    key: Key = field(default=None, repr=False)
    base_url: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    places: Mapping[str, str] = field(default_factory=dict)
    client: Any = field(default=None, repr=False)
    transport: str | Transport | AsyncTransport | None = None
    timeout: float | Timeouts | None = None
    retries: int | Retries | None = None
    max_answer_bytes: int | None = MAX_ANSWER_BYTES
    max_event_bytes: int | None = MAX_EVENT_BYTES

    def __post_init__(self) -> None:
        check_bound("max_answer_bytes", self.max_answer_bytes)
        check_bound("max_event_bytes", self.max_event_bytes)
        for name in ("headers", "places"):
            value = getattr(self, name)
            if not isinstance(value, Mapping):
                text = f"must map names to texts, not {type(value).__name__}"
                raise ConfigError(text, path=f"$.{name}", code="connection.value")
        if self.base_url is not None and not isinstance(self.base_url, str):
            text = f"must be a URL, not {type(self.base_url).__name__}"
            raise ConfigError(text, path="$.base_url", code="connection.value")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle without key, client and headers, which may hold a key."""
        kept = replace(self, key=None, client=None, headers={})
        return Connection, tuple(getattr(kept, f.name) for f in fields(kept))

    def options(self) -> ConnectionOptions:
        """Return all settings except the key."""
        return {
            "base_url": self.base_url,
            "headers": self.headers,
            "places": self.places,
            "client": self.client,
            "transport": self.transport,
            "timeout": self.timeout,
            "retries": self.retries,
            "max_answer_bytes": self.max_answer_bytes,
            "max_event_bytes": self.max_event_bytes,
        }

    @property
    def timeouts(self) -> Timeouts:
        """The timeouts that were asked for, else the defaults."""
        if isinstance(self.timeout, Timeouts):
            return self.timeout
        return Timeouts(total=self.timeout)

    @property
    def attempts(self) -> Retries:
        """The retries that were asked for, else the defaults.

        Raises:
            ConfigError: `retries` is not a count.
        """
        if isinstance(self.retries, Retries):
            return self.retries
        if self.retries is None:
            return Retries()
        if type(self.retries) is not int or self.retries < 0:
            text = f"retries must be 0 or more, not {show(self.retries)}"
            raise ConfigError(text, path="$.retries", code="retries.value")
        return Retries(attempts=self.retries + 1)


class ConnectionOptions(TypedDict, total=False):
    """The keywords of Connection, except the key."""

    base_url: str | None
    headers: Mapping[str, str]
    places: Mapping[str, str]
    client: Any
    transport: str | Transport | AsyncTransport | None
    timeout: float | Timeouts | None
    retries: int | Retries | None
    max_answer_bytes: int | None
    max_event_bytes: int | None


class CallOptions(TypedDict, total=False):
    """Settings of a connection that one call may override."""

    timeout: float | Timeouts | None
    retries: int | Retries | None
    headers: Mapping[str, str]


class Endpoint:
    """Sends what a wire has written. Safe for threads; sockets are opened on use, not pickled."""

    def __init__(self, wire: Wire, connection: Connection | None = None) -> None:
        self.wire = wire
        self.connection = connection or Connection()
        if wire.vendor is None:
            text = f"{wire.name} names no vendor, so nobody knows where it is"
            raise ConfigError(text, hint="name a vendor, or make a Vendor", code="model.vendor")
        self.vendor: Vendor = wire.vendor
        self.timeouts = self.connection.timeouts
        self.retries = self.connection.attempts
        self._asked_again = replace(self.retries, begun=True)  # for whole answers
        self._owner: Endpoint | None = None  # the owner of the sockets, if it is another endpoint
        self.listener: Subscription | None = None  # that of the model, if it has one
        self._lock = threading.Lock()
        new_after_fork(self)
        self._boto: BotoCalls | None = None
        self._client: Any = None
        self._sync: Transport | None = None
        self._async: AsyncTransport | None = None
        if self.connection.client is not None:
            client = client_transport(self.connection.client)
            if isinstance(client, BotoCalls):
                self._boto = client
            else:
                self._client = self._sync = self._async = client

    def after_fork(self) -> None:
        """Replace the lock, which another thread of the parent process may have held."""
        self._lock = threading.Lock()

    def for_call(self, call: CallOptions) -> Endpoint:
        """Return an endpoint with the settings of one call, over the same sockets.

        Args:
            call: Its timeout, its retries, and headers that are added to those of the connection.

        Raises:
            ConfigError: A value is wrong.
        """
        options = dict(call)
        if (headers := options.get("headers")) is not None:
            if not isinstance(headers, Mapping):
                text = f"must map names to texts, not {type(headers).__name__}"
                raise ConfigError(text, path="$.headers", code="connection.value")
            options["headers"] = {**self.connection.headers, **headers}
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        made.connection = replace(self.connection, **options)  # type: ignore[arg-type]
        made.timeouts, made.retries = made.connection.timeouts, made.connection.attempts
        made._asked_again = replace(made.retries, begun=True)
        made._owner = self if self._owner is None else self._owner
        return made

    def __repr__(self) -> str:
        return f"Endpoint({self.wire.name!r})"

    def __getstate__(self) -> tuple[Wire, Connection]:
        return self.wire, self.connection

    def __setstate__(self, state: tuple[Wire, Connection]) -> None:
        self.__init__(*state)  # type: ignore[misc]  # as a new one

    # -- whole answers and streams ----------------------------------------------------------------

    def ask(
        self, out: Written, allow_partial: bool = False, follow_pauses: bool = True
    ) -> Received:
        """Return the whole answer, read and checked; what is not an answer is retried, like errors.

        Args:
            out: What is sent.
            allow_partial: Whether an answer that broke off is accepted.
            follow_pauses: Whether to ask for the rest of an answer in which the provider paused.

        Returns:
            The answer and the body that it was read from.

        Raises:
            ProviderError: The provider answered with an error, or did not answer; NoAnswer for a
                response that is not an answer.
            ConfigError: There is no key, or no such transport.
        """
        if CHANNEL.on and (seen := self._observe(out)) is not None:
            with seen.report(), seen.within():
                return seen.take(self._whole(out, allow_partial, follow_pauses))
        return self._whole(out, allow_partial, follow_pauses)

    def _observe(self, out: Written) -> ObservedRequest | None:
        from .observed import begin_request

        return begin_request(self.wire, out, self.address, self.listener, stream=False)

    def _whole(self, out: Written, allow_partial: bool, follow_pauses: bool) -> Received:
        begun = monotonic()
        first = self._ask(out, allow_partial, self.timeouts)
        if not (follow_pauses and is_paused(first.response)):
            return first

        def ask_rest(out: Written) -> Received:
            return self._ask(out, allow_partial, self.timeouts.remaining(begun))

        return AnswerSegments(self.wire, out).complete(first, ask_rest)

    def _ask(self, out: Written, allow_partial: bool, timeouts: Timeouts) -> Received:
        wire, most = self.wire, self.connection.max_answer_bytes
        if (boto := self._boto) is not None:

            def call_boto(_: Timeouts) -> Received:
                return read_reply(
                    wire, out, _reply(boto.converse(out.sdk(), most)), "", allow_partial
                )

            return calling(self._asked_again, timeouts, call_boto)
        transport = self._transport()

        def attempt(left: Timeouts) -> Received:
            call = self._prepare_call(out)
            with without_keys(call.headers):
                reply = keyless_reply(check_size(transport.send(call, left), call), call)
                if reply.status >= 400:
                    raise self._read_failure(reply, reply.body)
                return read_reply(wire, out, reply, call.url, allow_partial)

        return calling(self._asked_again, timeouts, attempt)

    async def aask(
        self, out: Written, allow_partial: bool = False, follow_pauses: bool = True
    ) -> Received:
        """Return the whole answer as `ask` does, in an event loop."""
        if CHANNEL.on and (seen := self._observe(out)) is not None:
            with seen.report(), seen.within():
                return seen.take(await self._awhole(out, allow_partial, follow_pauses))
        return await self._awhole(out, allow_partial, follow_pauses)

    async def _awhole(self, out: Written, allow_partial: bool, follow_pauses: bool) -> Received:
        begun = monotonic()
        first = await self._aask(out, allow_partial, self.timeouts)
        if not (follow_pauses and is_paused(first.response)):
            return first

        async def ask_rest(out: Written) -> Received:
            return await self._aask(out, allow_partial, self.timeouts.remaining(begun))

        return await AnswerSegments(self.wire, out).acomplete(first, ask_rest)

    async def _aask(self, out: Written, allow_partial: bool, timeouts: Timeouts) -> Received:
        wire, most = self.wire, self.connection.max_answer_bytes
        if self._boto is not None:
            reply = _reply(await self._boto.aconverse(out.sdk(), most))
            return read_reply(wire, out, reply, "", allow_partial)
        transport = self._atransport()

        async def attempt(left: Timeouts) -> Received:
            call = await self._asign_call(out)
            with without_keys(call.headers):
                reply = check_size(await transport.asend(call, left), call)
                reply = keyless_reply(reply, call)
                if reply.status >= 400:
                    raise self._read_failure(reply, reply.body)
                return read_reply(wire, out, reply, call.url, allow_partial)

        return await acalling(self._asked_again, timeouts, attempt)

    def stream(self, out: Written) -> StreamReply:
        """Return the answer as soon as it begins, and never retry after that; raise as `ask`."""
        if self._boto is not None:
            most = self.connection.max_answer_bytes
            return _CalledStream(self._boto.converse_stream(out.sdk(), most))
        transport, given = self._transport(), self.connection.transport

        def attempt(left: Timeouts) -> StreamReply:
            call = self._prepare_call(out)
            with without_keys(call.headers):
                reply = transport.stream(call, left)
                if transport is given:  # an object of the program may have no bounds
                    reply = count_reply(reply, call)
                reply = keyless(reply, call)
                if reply.status >= 400:
                    with reply:
                        raise self._read_failure(reply, reply.read())
                if (redirect := check_status(reply.status, reply.headers, call.url)) is not None:
                    reply.close()
                    raise redirect
                if is_page(reply.headers):
                    with reply:
                        raise page(call.url, reply.status, reply.read())
                return reply

        return calling(self.retries, self.timeouts, attempt)

    async def astream(self, out: Written) -> AsyncStreamReply:
        """Return the answer as soon as it begins, in an event loop."""
        if self._boto is not None:
            most = self.connection.max_answer_bytes
            return _AsyncCalledStream(self._boto.aconverse_stream(out.sdk(), most))
        transport, given = self._atransport(), self.connection.transport

        async def attempt(left: Timeouts) -> AsyncStreamReply:
            call = await self._asign_call(out)
            with without_keys(call.headers):
                reply = await transport.astream(call, left)
                if transport is given:
                    reply = acount_reply(reply, call)
                reply = akeyless(reply, call)
                if reply.status >= 400:
                    async with reply:
                        raise self._read_failure(reply, await reply.read())
                if (redirect := check_status(reply.status, reply.headers, call.url)) is not None:
                    await reply.aclose()
                    raise redirect
                if is_page(reply.headers):
                    async with reply:
                        raise page(call.url, reply.status, await reply.read())
                return reply

        return await acalling(self.retries, self.timeouts, attempt)

    # -- other calls of the same host -------------------------------------------------------------

    def authorize_call(self, call: HttpCall) -> HttpCall:
        """Return a call with the headers of the connection and the credentials of the host.

        Raises:
            ConfigError: There is no key; or the host is asked through a client of its SDK, which
                signs only what it sends itself.
        """
        self._refuse_client()
        call.headers = {**call.headers, **self.connection.headers}
        return authorize(call, self.vendor, self.wire.room.protocol, self.connection.key)

    async def aauthorize_call(self, call: HttpCall) -> HttpCall:
        """Return a call as `authorize_call` does, in an event loop."""
        self._refuse_client()
        call.headers = {**call.headers, **self.connection.headers}
        return await aauthorize(call, self.vendor, self.wire.room.protocol, self.connection.key)

    def _refuse_client(self) -> None:
        if self.connection.client is not None:
            text = "a batch is not sent through a client of an SDK"
            hint = "give key= and base_url= instead of client="
            raise ConfigError(text, path="$.client", hint=hint, code="batch.client")

    def find_transport(self) -> Transport:
        """Return the transport of calls outside of event loops."""
        return self._transport()

    def find_atransport(self) -> AsyncTransport:
        """Return the transport of calls in event loops."""
        return self._atransport()

    def close(self) -> None:
        """Close the connections of calls outside of event loops; a later call opens new ones."""
        if self._sync is not None:
            self._sync.close()

    async def aclose(self) -> None:
        """Close the connections of the running event loop."""
        if self._async is not None:
            await self._async.aclose()

    # -- one call ---------------------------------------------------------------------------------

    def address(self) -> str:
        """The base URL of the calls."""
        given = self.connection
        if self._client is not None:
            base: str = self._client.base_url
            return base
        protocol, url = self.wire.room.protocol, given.base_url or ""
        if not url and not given.places:
            url = environment_url(self.vendor, protocol)
        return address(self.vendor, protocol, given.places, url)

    def _call(self, out: Written) -> HttpCall:
        """Return the call without a key."""
        given, base = self.connection, self.address()
        headers = {"content-type": "application/json", **out.headers, **given.headers}
        body = out.to_json()
        return HttpCall("POST", base + out.path, headers, body, given.max_answer_bytes)

    def _read_failure(
        self, reply: Reply | StreamReply | AsyncStreamReply, body: bytes
    ) -> ProviderError:
        return self.wire.error(reply.status, body, reply.headers)

    def _prepare_call(self, out: Written) -> HttpCall:
        if self._client is not None:
            return self._call(out)
        protocol = self.wire.room.protocol
        return authorize(self._call(out), self.vendor, protocol, self.connection.key)

    async def _asign_call(self, out: Written) -> HttpCall:
        if self._client is not None:
            return self._call(out)
        protocol = self.wire.room.protocol
        return await aauthorize(self._call(out), self.vendor, protocol, self.connection.key)

    def _transport(self) -> Transport:
        if self._owner is not None:
            return self._owner._transport()
        with self._lock:
            if self._sync is None:
                given = self.connection
                self._sync = choose_transport(given.transport, asynchronous=False)
                if self._sync is not given.transport:  # opened here, so closed here
                    finalize(self, self._sync.close)
            return self._sync

    def _atransport(self) -> AsyncTransport:
        if self._owner is not None:
            return self._owner._atransport()
        with self._lock:
            if self._async is None:
                given = self.connection
                self._async = choose_transport(given.transport, asynchronous=True)
            return self._async


# -- answers of an SDK that parses them itself -----------------------------------------------------


def _reply(answer: Any) -> Reply:
    return Reply(200, {}, answer)


class _CalledStream:
    """The events of a stream that an SDK has parsed, as a StreamReply."""

    status = 200
    headers: Mapping[str, str] = MappingProxyType({})

    def __init__(self, events: Any) -> None:
        self._events = events

    def __iter__(self) -> Iterator[Any]:
        return iter(self._events)

    def read(self) -> bytes:
        """Raise ConfigError: events of an SDK are read one by one."""
        raise ConfigError("events of an SDK are read one by one", code="stream.events")

    def close(self) -> None:
        """Close the stream."""
        self._events.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _AsyncCalledStream:
    """The events of a stream that an SDK has parsed, as an AsyncStreamReply."""

    status = 200
    headers: Mapping[str, str] = MappingProxyType({})

    def __init__(self, events: Any) -> None:
        self._events = events

    def __aiter__(self) -> AsyncIterator[Any]:
        return aiter(self._events)

    async def read(self) -> bytes:
        """Raise ConfigError: events of an SDK are read one by one."""
        raise ConfigError("events of an SDK are read one by one", code="stream.events")

    async def aclose(self) -> None:
        """Close the stream."""
        await self._events.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
