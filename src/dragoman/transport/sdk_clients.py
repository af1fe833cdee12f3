"""Official clients as transports: they send our bytes, and return the raw answer.

The client's base URL, credentials, proxies and HTTP client are used, its retries are not, and its
owner closes it. OpenAI's and Anthropic's clients have a public method for that (`post` with
`content`); of Google's, Mistral's, Cohere's and Ollama's, the inner HTTP client is used, with the
address and the headers that they would send. DashScope's module has an address and a key. boto3 has
no such method: its own call is made with keyword arguments (`BotoCalls`). Looked up in openai 3.54,
anthropic 2.12, google-genai 3.4, mistralai 3.7, cohere 7.3, ollama 0.6, dashscope 2.0, boto3 1.44.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

from ..errors import AnswerTooLarge, ConfigError, ProviderError, by_kind
from ..retry_after.headers import told_by_headers
from ..text.json_text import loads
from ..text.redaction import clip_text
from .call import HttpCall, Reply, check_call, with_usual
from .errors import Stage, build_broken_error, find_reason, read_host, timed_out, too_large
from .over_httpx2 import (
    AsyncHttpxStream,
    Httpx2Transport,
    HttpxStream,
    aread_all,
    convert_timeouts,
    fault,
    faults,
    read_all,
)
from .timeouts import Timeouts


def client_transport(client: Any) -> SdkTransport | ModuleTransport | BotoCalls:
    """The transport that sends through an official client. Raises ConfigError for another object.

    Calls go to its `base_url`, and it signs them itself, so they need no credentials.
    """
    if getattr(client, "__name__", "") == "dashscope":
        return ModuleTransport(client)
    for kind in type(client).__mro__:
        library = kind.__module__.partition(".")[0]
        if library == "google" and not kind.__module__.startswith("google.genai"):
            continue
        if (made := _KINDS.get(library)) is not None:
            return made(client)
    text = f"{type(client).__module__}.{type(client).__qualname__} is no official client we know"
    hint = "one of openai, anthropic, google-genai, mistralai, cohere, ollama, dashscope, boto3"
    raise ConfigError(text, hint=hint, code="client.kind")


class SdkTransport:
    """A client with an HTTP client of httpx's family, for threads or an event loop as that is."""

    authorizes = True  # calls need no credentials of ours

    def __init__(self, client: Any) -> None:
        self.client = client

    def __reduce__(self) -> tuple[Any, ...]:
        text = f"a {type(self.client).__name__} holds a key and cannot be pickled"
        raise ConfigError(text, hint="give key= and base_url= instead", code="client.pickle")

    @property
    def base_url(self) -> str:
        """The URL to which the client sends its calls."""
        raise NotImplementedError

    def send(self, call: HttpCall, timeouts: Timeouts) -> Reply:
        """Send a call and return the whole answer; see Transport."""
        return read_all(self.stream, call, timeouts)

    def stream(self, call: HttpCall, timeouts: Timeouts) -> HttpxStream:
        """Send a call and return the answer after its headers; see Transport."""
        begun = time.monotonic()
        with faults(call.url, timeouts, begun):
            response = self._open(check_call(call), timeouts)
        if not hasattr(response, "status_code"):
            raise self._other("asynchronous")
        return HttpxStream(response, call, timeouts, begun)

    def close(self) -> None:
        """Do nothing: the owner of the client closes it."""

    async def asend(self, call: HttpCall, timeouts: Timeouts) -> Reply:
        """Send a call and return the whole answer; see AsyncTransport."""
        return await aread_all(self.astream, call, timeouts)

    async def astream(self, call: HttpCall, timeouts: Timeouts) -> AsyncHttpxStream:
        """Send a call and return the answer after its headers; see AsyncTransport."""
        begun = time.monotonic()
        with faults(call.url, timeouts, begun):
            async with asyncio.timeout(timeouts.total):
                response = await self._aopen(check_call(call), timeouts)
        return AsyncHttpxStream(response, call, timeouts, begun)

    async def aclose(self) -> None:
        """Do nothing: the owner of the client closes it."""

    def _open(self, call: HttpCall, timeouts: Timeouts) -> Any:
        http = self._http(asynchronous=False)
        return http.send(self._request(http, call, self._headers(), timeouts), stream=True)

    async def _aopen(self, call: HttpCall, timeouts: Timeouts) -> Any:
        http = self._http(asynchronous=True)
        headers = await asyncio.to_thread(self._headers)  # a token may have to be fetched
        return await http.send(self._request(http, call, headers, timeouts), stream=True)

    def _request(
        self, http: Any, call: HttpCall, headers: Mapping[str, str], timeouts: Timeouts
    ) -> Any:
        own = {name.lower() for name in call.headers}
        kept = {name: text for name, text in headers.items() if name.lower() not in own}
        return http.build_request(
            call.method,
            call.url,
            content=call.body,
            headers={**kept, **with_usual(call)},
            extensions={"timeout": convert_timeouts(timeouts)},
        )

    def _http(self, asynchronous: bool) -> Any:
        """The inner HTTP client. Raises ConfigError if it is not for threads, or for a loop."""
        raise NotImplementedError

    def _headers(self) -> Mapping[str, str]:
        """The headers that the client sends with each call, with credentials."""
        raise NotImplementedError

    def _of_colour(self, http: Any, asynchronous: bool) -> Any:
        if http is None or hasattr(http, "aclose") is not asynchronous:
            raise self._other("asynchronous" if not asynchronous else "plain")
        return http

    def _other(self, colour: str) -> ConfigError:
        text = f"{type(self.client).__name__} is a client for {colour} calls"
        return ConfigError(text, hint="give the other client of the SDK", code="client.colour")


class _Stainless(SdkTransport):
    """OpenAI's and Anthropic's clients, and their variants for clouds."""

    @property
    def base_url(self) -> str:
        return str(self.client.base_url).rstrip("/")

    def _open(self, call: HttpCall, timeouts: Timeouts) -> Any:
        self._check_colour(asynchronous=False)
        try:
            return self._post(call, timeouts)
        except Exception as error:  # noqa: BLE001 - translated or raised again
            return self._answer_in(error)

    async def _aopen(self, call: HttpCall, timeouts: Timeouts) -> Any:
        self._check_colour(asynchronous=True)
        try:
            return await self._post(call, timeouts)
        except Exception as error:  # noqa: BLE001 - translated or raised again
            return self._answer_in(error)

    def _check_colour(self, asynchronous: bool) -> None:
        if any(kind.__name__ == "AsyncAPIClient" for kind in type(self.client).__mro__) is not (
            asynchronous
        ):
            raise self._other("asynchronous" if not asynchronous else "plain")

    def _post(self, call: HttpCall, timeouts: Timeouts) -> Any:
        """Call `post`, which returns a response, or something to await."""
        import httpx2

        return self.client.post(
            self._path(call),
            cast_to=httpx2.Response,
            content=call.body,
            stream=True,
            options={
                "headers": with_usual(call),
                "timeout": httpx2.Timeout(**convert_timeouts(timeouts)),
                "max_retries": 0,
            },
        )

    def _path(self, call: HttpCall) -> str:
        """The path below the base URL, which for Azure's dated API contains the deployment."""
        path = call.url.removeprefix(self.base_url)
        azure = any(kind.__name__ == "BaseAzureClient" for kind in type(self.client).__mro__)
        if azure and path == "/chat/completions" and "/deployments/" not in self.base_url:
            body = loads(call.body)
            model = body.get("model") if isinstance(body, dict) else None
            return f"/deployments/{model}{path}" if model else path
        return path

    def _answer_in(self, error: Exception) -> Any:
        """The answer inside the client's exception; raises if its HTTP client failed."""
        names = {kind.__name__ for kind in type(error).__mro__}
        if "APIStatusError" in names:
            return error.response  # type: ignore[attr-defined]
        if "APIConnectionError" in names and isinstance(error.__cause__, Exception):
            raise error.__cause__
        if names & {"OpenAIError", "AnthropicError"}:
            text = f"{type(self.client).__name__} does not send: {type(error).__name__}"
            raise ConfigError(text, hint="check how it was made", code="client.call") from None
        raise error


class _Google(SdkTransport):
    """google-genai's Client, of the Gemini API or of Vertex."""

    @property
    def base_url(self) -> str:
        api = self.client._api_client
        options = api._http_options
        url = f"{options.base_url.rstrip('/')}/{options.api_version}"
        if api.vertexai and api.project:
            url += f"/projects/{api.project}/locations/{api.location}"
        return url

    def _http(self, asynchronous: bool) -> Any:
        api = self.client._api_client
        http = api._async_httpx_client if asynchronous else api._httpx_client
        return self._of_colour(http, asynchronous)

    def _headers(self) -> Mapping[str, str]:
        api = self.client._api_client
        headers = dict(api._http_options.headers or {})
        if api.vertexai and not api.api_key:
            headers["authorization"] = f"Bearer {api._access_token()}"
        return headers


class _Mistral(SdkTransport):
    """mistralai's Mistral, which has both kinds of HTTP client."""

    @property
    def base_url(self) -> str:
        url: str = self.client.sdk_configuration.get_server_details()[0]
        return f"{url.rstrip('/')}/v1"

    def _http(self, asynchronous: bool) -> Any:
        settings = self.client.sdk_configuration
        return self._of_colour(
            settings.async_client if asynchronous else settings.client, asynchronous
        )

    def _headers(self) -> Mapping[str, str]:
        import os

        held = self.client.sdk_configuration.security
        held = held() if callable(held) else held
        key = getattr(held, "api_key", None) or os.environ.get("MISTRAL_API_KEY")
        return {"authorization": f"Bearer {key}"} if key else {}


class _Cohere(SdkTransport):
    """cohere's clients of version 2 or 1; our bytes are of version 2."""

    @property
    def base_url(self) -> str:
        return f"{self._wrapper().get_base_url().rstrip('/')}/v2"

    def _http(self, asynchronous: bool) -> Any:
        return self._of_colour(self._wrapper().httpx_client.httpx_client, asynchronous)

    def _headers(self) -> Mapping[str, str]:
        headers: Mapping[str, str] = self._wrapper().get_headers()
        return headers

    def _wrapper(self) -> Any:
        return self.client._client_wrapper


class _Ollama(SdkTransport):
    """ollama's Client or AsyncClient, whose HTTP client has the address and the headers."""

    @property
    def base_url(self) -> str:
        return str(self.client._client.base_url).rstrip("/")

    def _http(self, asynchronous: bool) -> Any:
        return self._of_colour(self.client._client, asynchronous)

    def _headers(self) -> Mapping[str, str]:
        return dict(self.client._client.headers)


class ModuleTransport(Httpx2Transport):
    """The module dashscope: its address and its key, with connections of our own."""

    authorizes = True

    def __init__(self, module: Any) -> None:
        super().__init__()
        self.client = module

    def __reduce__(self) -> tuple[Any, ...]:
        return _dashscope, ()

    @property
    def base_url(self) -> str:
        """The URL to which the module sends its calls."""
        return str(self.client.base_http_api_url).rstrip("/")

    def stream(self, call: HttpCall, timeouts: Timeouts) -> HttpxStream:
        """Send a call and return the answer after its headers; see Transport."""
        return super().stream(self._with_key(call), timeouts)

    async def astream(self, call: HttpCall, timeouts: Timeouts) -> AsyncHttpxStream:
        """Send a call and return the answer after its headers; see AsyncTransport."""
        return await super().astream(self._with_key(call), timeouts)

    def _with_key(self, call: HttpCall) -> HttpCall:
        from dashscope.common.api_key import get_default_api_key
        from dashscope.common.error import AuthenticationError

        try:
            key = get_default_api_key()  # type: ignore[no-untyped-call]
        except AuthenticationError as error:
            text = "dashscope has no key"
            raise ConfigError(text, hint="set dashscope.api_key", code="key.missing") from error
        headers = {**call.headers, "authorization": f"Bearer {key}"}
        return replace(call, headers=headers)


def _dashscope() -> ModuleTransport:
    import dashscope

    return ModuleTransport(dashscope)


class BotoCalls:
    """boto3's client of bedrock-runtime, which takes no bytes: Converse by keyword arguments.

    It returns the SDK's own dicts, which the wire reads. Retries are those of the client's config;
    `Config(retries={"total_max_attempts": 1})` leaves them to us.

    boto3 reads an answer to its end before it returns. So a call with a bound is sent by a handler
    of ours for the event `before-send`, which may answer in place of the client (botocore 1.44,
    docs: "topics/events"); it ignores calls of the client's owner.
    """

    authorizes = True

    def __init__(self, client: Any) -> None:
        if getattr(getattr(client, "meta", None), "service_model", None) is None or not hasattr(
            client, "converse"
        ):
            text = f"{type(client).__name__} is no client of bedrock-runtime"
            hint = 'boto3.client("bedrock-runtime")'
            raise ConfigError(text, hint=hint, code="client.kind")
        self.client = client
        self._most: ContextVar[int | None] = ContextVar("most", default=None)  # the bound in bytes
        client.meta.events.register("before-send.bedrock-runtime", self._send_request)

    @property
    def base_url(self) -> str:
        """The URL to which the client sends its calls."""
        return str(self.client.meta.endpoint_url).rstrip("/")

    def converse(self, arguments: Mapping[str, Any], most: int | None = None) -> Mapping[str, Any]:
        """Call Converse with the keyword arguments of `Written.sdk()`.

        Args:
            arguments: Those of boto3's `converse`.
            most: The largest answer in bytes; None for any.

        Raises:
            ProviderError: A fault of the connection, or an answer with an error status.
            AnswerTooLarge: The answer is larger than `most`.
            ConfigError: boto3 refuses an argument, or has no credentials.
        """
        answer: Mapping[str, Any] = self._call_client(self.client.converse, arguments, most)
        return answer

    def converse_stream(
        self, arguments: Mapping[str, Any], most: int | None = None
    ) -> Iterator[Mapping[str, Any]]:
        """The events of a streamed answer. However it is left, its connection is closed."""
        stream = self._call_client(self.client.converse_stream, arguments, most)["stream"]
        try:
            yield from stream
        except AnswerTooLarge:
            raise
        except Exception as error:
            raise self._translate_error(error, begun=True) from error
        finally:
            stream.close()

    async def aconverse(
        self, arguments: Mapping[str, Any], most: int | None = None
    ) -> Mapping[str, Any]:
        """`converse` in a thread, for event loops."""
        return await asyncio.to_thread(self.converse, arguments, most)

    async def aconverse_stream(
        self, arguments: Mapping[str, Any], most: int | None = None
    ) -> AsyncIterator[Mapping[str, Any]]:
        """`converse_stream` for event loops: a thread waits for each event."""
        events = self.converse_stream(arguments, most)
        try:
            while (event := await asyncio.to_thread(next, events, None)) is not None:
                yield event
        finally:
            await asyncio.to_thread(events.close)  # type: ignore[attr-defined]

    def _call_client(
        self, call: Callable[..., Any], arguments: Mapping[str, Any], most: int | None
    ) -> Any:
        before = self._most.set(most)
        try:
            return call(**arguments)
        except AnswerTooLarge:
            raise
        except Exception as error:
            raise self._translate_error(error, begun=False) from error
        finally:
            self._most.reset(before)

    def _send_request(self, request: Any, **_: Any) -> Any:
        """Send a request of ours and read no more than the bound; None for other requests."""
        most = self._most.get()
        if most is None:
            return None
        is_stream, request.stream_output = request.stream_output, True  # else all of it is read
        response = self.client._endpoint.http_session.send(request)
        response.raw = _BoundedBody(response.raw, most, read_host(self.base_url))
        if not is_stream:
            _ = response.content  # cached in the response
        return response

    def _translate_error(self, error: Exception, begun: bool) -> Exception:
        names = {kind.__name__ for kind in type(error).__mro__}
        url = self.base_url
        stage: Stage = "body" if begun else "answer"
        if "ClientError" in names:  # EventStreamError is one
            return _build_error(error.response)  # type: ignore[attr-defined]
        if "ParamValidationError" in names:
            text = clip_text(" ".join(str(error).split()), 500)
            return ConfigError(text, hint="boto3 knows no such argument", code="sdk.field")
        if names & {"NoCredentialsError", "PartialCredentialsError", "NoRegionError"}:
            return ConfigError(find_reason(error), hint="run aws configure", code="key.missing")
        if "ConnectTimeoutError" in names:
            return timed_out(url, "connect", None)
        if "ReadTimeoutError" in names:
            return timed_out(url, stage, None)
        if "EndpointConnectionError" in names:
            return build_broken_error(url, "connect", "no connection")
        if names & {"HTTPClientError", "ProtocolError", "IncompleteReadError"}:
            return build_broken_error(url, stage, find_reason(error))
        made = fault(error, url, Timeouts(), time.monotonic(), stage)
        return made or error


class _BoundedBody:
    """The body of an answer as urllib3 gives it to botocore, up to a number of bytes."""

    def __init__(self, body: Any, most: int, host: str) -> None:
        self._body = body
        self._most = self._left = most
        self._host = host

    def stream(self, *given: Any, **named: Any) -> Iterator[bytes]:
        """The pieces. Raises AnswerTooLarge beyond the bound."""
        for piece in self._body.stream(*given, **named):
            yield self._count_piece(piece)

    def read(self, *given: Any, **named: Any) -> bytes:
        """The next bytes. Raises AnswerTooLarge beyond the bound."""
        return self._count_piece(self._body.read(*given, **named))

    def _count_piece(self, piece: bytes) -> bytes:
        self._left -= len(piece)
        if self._left < 0:
            self._body.close()
            raise too_large(self._host, self._most)
        return piece

    def __getattr__(self, name: str) -> Any:
        return getattr(self._body, name)


def _build_error(answer: Mapping[str, Any]) -> ProviderError:
    told, about = answer.get("Error", {}), answer.get("ResponseMetadata", {})
    error = ProviderError(
        clip_text(str(told.get("Message") or "the provider answered with an error"), 500),
        status=about.get("HTTPStatusCode"),
        type=str(told.get("Code", "")),
        body=told,
        request_id=str(about.get("RequestId", "")),
    )
    return told_by_headers(by_kind(error), about.get("HTTPHeaders", {}))


_KINDS: dict[str, Callable[[Any], SdkTransport | BotoCalls]] = {
    "openai": _Stainless,
    "anthropic": _Stainless,
    "google": _Google,
    "mistralai": _Mistral,
    "cohere": _Cohere,
    "ollama": _Ollama,
    "botocore": BotoCalls,
}
