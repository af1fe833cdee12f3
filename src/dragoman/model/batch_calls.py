"""Sends the calls of a batch interface, and downloads its results, to threads and event loops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from urllib.parse import urlsplit, urlunsplit

from ..errors import ProviderError, ReadError
from ..protocols.batches import BatchCall, BatchReply
from ..text.hidden_keys import without_keys
from ..text.json_text import loads
from ..transport.answer_bounds import akeyless, check_size, keyless, keyless_reply
from ..transport.call import HttpCall, Reply, Timeouts
from ..transport.retries import Retries, acalling, calling
from .endpoint import Endpoint
from .received import check_status

Take = Callable[[bytes], object]
_ONCE = Retries(attempts=1)


class BatchEndpoint:
    """The batch interface of the host of an endpoint, over the endpoint's sockets.

    Args:
        endpoint: Where requests by themselves are sent.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    @property
    def address(self) -> str:
        """The base URL of the calls."""
        return self._endpoint.address()

    def send(self, call: BatchCall, once: bool = False) -> BatchReply:
        """Send a call and return its reply.

        Args:
            call: The call.
            once: Whether it must not be repeated, as it may have been done without a reply.

        Returns:
            The reply.

        Raises:
            ProviderError: The provider answered with an error, or did not answer.
            ReadError: The reply is no JSON object.
        """
        endpoint = self._endpoint
        transport = endpoint.find_transport()

        def attempt(left: Timeouts) -> BatchReply:
            request = self._authorize(self._build(call))
            with without_keys(request.headers):
                reply = check_size(transport.send(request, left), request)
                return self._read(keyless_reply(reply, request), request, call.raw)

        retries = _ONCE if once else endpoint.retries
        return calling(retries, endpoint.timeouts, attempt)

    async def asend(self, call: BatchCall, once: bool = False) -> BatchReply:
        """Send a call and return its reply, in an event loop; see `send`."""
        endpoint = self._endpoint
        transport = endpoint.find_atransport()

        async def attempt(left: Timeouts) -> BatchReply:
            request = await self._aauthorize(self._build(call))
            with without_keys(request.headers):
                reply = check_size(await transport.asend(request, left), request)
                return self._read(keyless_reply(reply, request), request, call.raw)

        retries = _ONCE if once else endpoint.retries
        return await acalling(retries, endpoint.timeouts, attempt)

    def download(self, call: BatchCall, begin: Callable[[], Take]) -> None:
        """Download results of any size.

        Args:
            call: The call.
            begin: Called for each attempt; returns what takes the pieces.

        Raises:
            ProviderError: The provider answered with an error, or the results broke off.
        """
        endpoint = self._endpoint
        transport = endpoint.find_transport()

        def attempt(left: Timeouts) -> None:
            request = self._authorize(self._build(call, bounded=False))
            with without_keys(request.headers):
                stream = keyless(transport.stream(request, left), request)
                with stream:
                    if stream.status >= 400:
                        raise self._fail(stream.status, stream.read(), stream.headers)
                    self._check(stream.status, stream.headers, request.url)
                    take = begin()
                    for piece in stream:
                        take(piece)

        calling(self._download_retries, endpoint.timeouts, attempt)

    async def adownload(self, call: BatchCall, begin: Callable[[], Take]) -> None:
        """Download results of any size, in an event loop; see `download`."""
        endpoint = self._endpoint
        transport = endpoint.find_atransport()

        async def attempt(left: Timeouts) -> None:
            request = await self._aauthorize(self._build(call, bounded=False))
            with without_keys(request.headers):
                stream = akeyless(await transport.astream(request, left), request)
                async with stream:
                    if stream.status >= 400:
                        raise self._fail(stream.status, await stream.read(), stream.headers)
                    self._check(stream.status, stream.headers, request.url)
                    take = begin()
                    async for piece in stream:
                        take(piece)

        await acalling(self._download_retries, endpoint.timeouts, attempt)

    @property
    def _download_retries(self) -> Retries:
        """The retries of the endpoint, also after a download has begun."""
        return replace(self._endpoint.retries, begun=True)

    def _build(self, call: BatchCall, bounded: bool = True) -> HttpCall:
        """Return the call of HTTP, without credentials."""
        base, url = self.address, call.path
        if call.root:
            parts = urlsplit(base)
            origin = urlunsplit((parts.scheme, parts.netloc, "", "", ""))
            url = origin + url.replace("{base}", parts.path)
        elif url.startswith("/"):
            url = base + url
        headers = {"content-type": call.content_type} if call.body else {}
        most = self._endpoint.connection.max_answer_bytes if bounded else None
        return HttpCall(call.method, url, {**headers, **call.headers}, call.body, most)

    def _authorize(self, request: HttpCall) -> HttpCall:
        foreign = self._is_foreign(request.url)
        return request if foreign else self._endpoint.authorize_call(request)

    async def _aauthorize(self, request: HttpCall) -> HttpCall:
        foreign = self._is_foreign(request.url)
        return request if foreign else await self._endpoint.aauthorize_call(request)

    def _is_foreign(self, url: str) -> bool:
        """Whether a URL that the host has named is not the host's: it gets no key."""
        one, two = urlsplit(url), urlsplit(self.address)
        return (one.scheme, one.netloc) != (two.scheme, two.netloc)

    def _read(self, reply: Reply, request: HttpCall, raw: bool) -> BatchReply:
        if reply.status >= 400:
            raise self._fail(reply.status, reply.body, reply.headers)
        self._check(reply.status, reply.headers, request.url)
        if raw:
            return BatchReply({}, reply.headers, reply.body)
        try:
            data = loads(reply.body) if reply.body.strip() else {}
        except ReadError as error:
            text = "the reply of the batch interface is no JSON"
            raise ReadError(text, hint="check base_url", code="batch.reply") from error
        if isinstance(data, list):
            data = {"data": data}
        if not isinstance(data, dict):
            raise ReadError("the reply of the batch interface is no object", code="batch.reply")
        return BatchReply(data, reply.headers)

    def _fail(self, status: int, body: bytes, headers: object) -> ProviderError:
        return self._endpoint.wire.error(status, body, headers)  # type: ignore[arg-type]

    def _check(self, status: int, headers: object, url: str) -> None:
        if status in (204, 205):
            return
        if (redirect := check_status(status, headers, url)) is not None:  # type: ignore[arg-type]
            raise redirect
