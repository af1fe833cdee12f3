"""Exchange: one client's request on its way to a provider, and the answer back; no sockets.

`Gateway.open` judges a request and gives an Exchange, or the Answer at once. Whoever drives an
exchange sends its `call`, and gives what comes to `whole` or `stream`:

    exchange = gateway.open(request)
    call = exchange.call()                     # to the first target; sign it, send it
    answer = exchange.whole(200, {}, body)     # status, headers, body for the client
    relay = exchange.stream()                  # or bytes: relay.feed(chunk), relay.finish()

The same wire: bytes pass untouched but for the name of the model. Another: requests and answers are
converted, opaque state travels in envelopes, and what is lost is named.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from time import time
from urllib.parse import quote
from uuid import uuid4

from ...codec.wire import Wire
from ...conversion.convert import StreamConverter
from ...errors import DragomanError, ProviderError, ReadError, WriteError
from ...message import ChatRequest, ChatResponse, Written
from ...message.ending import client_error
from ...sealed_state import MARK
from ...stream.builder import Builder
from ...stream.framing import CONTENT_TYPES, Framing
from ...text.json_pieces import holds
from ...text.json_text import JsonObject, encode_json, loads
from ...transport.call import HttpCall
from ...transport.retries import PASSING, Retries
from ..bodies import asked_model, date_answer, looks_like_object, object_in, unreadable
from ..config.keys import may_ask
from ..config.values import KEPT, ClientKey, Config, Route
from ..surfaces import ClientAnswer, ClientRequest, Operation, Surface, match_request
from ..surfaces.base import JSON, named_model, told_error
from ..surfaces.unknown_paths import (
    asks_upgrade,
    describe_path,
    is_served,
    is_stateless,
    may_pass,
    stays_below,
)
from ..telemetry.record import ExchangeRecord, Kept, log_message, losses_header, new_record
from ..telemetry.redact import keyless
from . import compaction, counting
from .cipher import SealedState, Sealer
from .off_loop import is_long
from .passing import (
    answer_headers,
    reorder_like,
    request_headers,
    with_model,
    without_key,
    written_anew,
)
from .refusals import key_refused, upgrade_refused, write_refusal
from .relay import ConvertedAnswer, PassedAnswer, RelayStream
from .tenancy import Tenancy, has_dots
from .upstream import Upstream, list_models, listed_one

_log = logging.getLogger("dragoman.gateway")

# how envelopes begin, in plain and, where a field holds base64, in base64
_MARKS = (MARK.encode(), b"ZHJhZ29tYW4xL")
_PATH = "/:@!$&'()*+,;=~"  # what a path may hold as it is (RFC 3986, 3.3)
_IDEMPOTENT = frozenset({"GET", "HEAD", "OPTIONS", "PUT", "DELETE"})  # RFC 9110, 9.2.2
_CACHED = 1024  # targets that were made ready


class Gateway:
    """A configuration made ready. Safe for threads; a reload puts a new one in its place."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.sealer = Sealer(config.envelopes)
        self._upstreams: dict[tuple[int, int, str, str], Upstream] = {}

    def open(
        self,
        request: ClientRequest,
        key: ClientKey | None = None,
        record: ExchangeRecord | None = None,
    ) -> GatewayExchange | ClientAnswer:
        """The exchange that the request begins, or the answer to it: also every refusal."""
        record = record or new_record(request)
        surface, operation = match_request(request)
        record.protocol = surface.protocol
        try:
            return self._open(surface, operation, request, key, record)
        except DragomanError as error:
            return write_refusal(surface, error, record)

    def _open(
        self,
        surface: Surface,
        operation: Operation | None,
        request: ClientRequest,
        key: ClientKey | None,
        record: ExchangeRecord,
    ) -> GatewayExchange | ClientAnswer:
        if operation is None:
            return self._answer_unknown_path(surface, request, key, record)
        if operation.kind == "models":
            shown = [one for one in list_models(self.config) if key is None or key.may_ask(one.id)]
            return ClientAnswer.json(200, surface.models(shown))
        if operation.kind == "state":
            if asks_upgrade(request):
                return upgrade_refused(surface, request, record)
            raise ProviderError(
                operation.reason, status=404, type="not_found_error", code="state.server_side"
            )
        if operation.kind == "model":
            name = operation.model or named_model(loads(request.body))
            may_ask(key, name)
            return ClientAnswer.json(200, surface.model(listed_one(self.config, name)))
        body = object_in(request.body)
        asked = asked_model(body, operation.model)
        record.model = asked
        may_ask(key, asked)
        route = self.config.route(asked)
        if has_dots(asked):
            raise ReadError(
                "the name of the model reads as a part of an address",
                path="$.model",
                hint="no `..`, `%`, `?` or `#`",
                code="request.model",
            )
        record.route = route.name or route.target.name
        tenancy = None
        if key is not None:
            tenancy = Tenancy(key, route, self.config, self.sealer.marks)
            tenancy.judge(body, surface.protocol, asked)
            tenancy.judge_query(request.query)
        return GatewayExchange(
            self, surface, operation, request, body, asked, route, tenancy, record
        )

    def upstream(self, route: Route, nth: int, surface: Surface, asked: str) -> Upstream:
        """The `nth` target of a route, for a client's protocol and the model it asks for."""
        target = route.targets[nth]
        of = (id(route), nth, surface.protocol, asked if target.name.endswith("*") else "")
        found = self._upstreams.get(of)
        if found is None:
            if len(self._upstreams) >= _CACHED:  # names of models that clients make up
                self._upstreams.clear()
            found = self._upstreams[of] = Upstream(route, target, surface, asked)
        return found

    def _answer_unknown_path(
        self,
        surface: Surface,
        request: ClientRequest,
        key: ClientKey | None,
        record: ExchangeRecord,
    ) -> GatewayExchange | ClientAnswer:
        """What is at no path of ours: an agent looks whether anybody is there, or it passes."""
        if request.method in ("HEAD", "GET") and request.path == "/":
            return ClientAnswer(
                200,
                b"" if request.method == "HEAD" else b"Dragoman\n",
                {"content-type": "text/plain; charset=utf-8"},
            )
        if asks_upgrade(request):
            return upgrade_refused(surface, request, record)
        for route in self.config.routes:
            if not route.pass_through or route.target.name == KEPT:
                continue
            if stays_below(request.path) and not is_served(request):
                may_pass(key, route, request)
                record.route = route.name or route.target.name
                operation = Operation("other")
                tenancy = None
                if key is not None:
                    tenancy = Tenancy(key, route, self.config, self.sealer.marks)
                    tenancy.judge_passing(request, surface.protocol)
                return GatewayExchange(
                    self, surface, operation, request, {}, KEPT, route, tenancy, record
                )
        text = f"there is nothing at {request.method} {request.path[:200]}"
        if known := describe_path(request.path):
            text = f"{text}: {known}"
        hint = "the paths of OpenAI, Anthropic, Gemini and Ollama"
        if is_stateless(request.path):  # embeddings and the like, which are converted for nobody
            hint = "the route of a provider that has it needs pass_through = true"
        raise ProviderError(
            text, status=404, type="not_found_error", code="path.unknown", hint=hint
        )


_HISTORIES = ("messages", "input", "contents")  # where the clients' protocols have them


class GatewayExchange:
    """One request with its answer. `upstream` is the target of the last `call`."""

    def __init__(
        self,
        gateway: Gateway,
        surface: Surface,
        operation: Operation,
        request: ClientRequest,
        body: JsonObject,
        asked: str,
        route: Route,
        tenancy: Tenancy | None,
        record: ExchangeRecord,
    ) -> None:
        self.gateway = gateway
        self.surface = surface
        self.kind = operation.kind
        self.request = request
        self.asked = asked
        self.route = route
        self.record = record
        self._body = body
        self._tenancy = tenancy
        self._state: SealedState = gateway.sealer.envelope(tenancy.name if tenancy else "")
        self._sealed = self.kind != "other" and holds(request.body, _MARKS)
        self.is_long = is_long(request.body)  # to read, and to write anew
        self._client_request: ChatRequest | None = None
        self._written: Written | None = None
        self._is_over = False  # what the provider still sends is no part of the answer
        self._whole_rejected: ClientAnswer | None = (
            None  # as the provider of the same wire worded it
        )
        compacts = self.kind == "generate" and compaction.asks(surface.protocol, body)
        asks_stream = surface.asks_stream(body) if operation.stream is None else operation.stream
        self.streams = self.kind == "generate" and asks_stream
        self.compacts = self.kind == "compact" or compacts
        record.stream = self.streams
        self.nth = 0  # which target is asked
        self._failure: ProviderError | None = None  # of the target that was asked last
        self._read_ahead: ChatRequest | None = None  # to choose a wire
        self.upstream = self._target()
        if gateway.config.record is not None:
            record.kept = Kept(request=request.body, most=gateway.config.limits.recorded)

    # -- the request -------------------------------------------------------------------------------

    @property
    def passes(self) -> bool:
        """Whether the answer comes in the client's own protocol and goes on as it is."""
        return self.upstream.same_wire or self.kind == "other"

    @property
    def asks_stream(self) -> bool:
        """Whether the provider is asked for a stream."""
        return self.streams and (self.passes or not self.compacts)

    @property
    def retries(self) -> Retries:
        """How often a call is tried: once, where a second one could do a thing twice."""
        may_repeat = self.kind != "other" or self.request.method in _IDEMPOTENT
        return self.route.retries if may_repeat else replace(self.route.retries, attempts=1)

    def go_on(self, error: DragomanError) -> None:
        """Take the route's next target, behind one that failed in passing.

        Raises what the client is told where there is none. A fallback that cannot be asked (its key
        is missing, or it would lose what may not be lost) is passed over: the client is told why
        the target before it failed. What passes at an unknown path is for the first target alone.
        """
        if isinstance(error, ProviderError):
            self._failure = error.with_traceback(None)  # whose frames hold the whole answer
            passing = error.kind in PASSING
        else:
            passing = self._failure is not None
        streams = self.asks_stream
        while passing and self.kind != "other" and self.nth + 1 < len(self.route.targets):
            self.nth += 1
            self.upstream = self._target()
            if self.asks_stream == streams:  # which whoever drives this has acted on
                return
        if self._failure is None or self._failure is error:
            raise error
        raise self._failure from error

    def _target(self) -> Upstream:
        upstream = self.gateway.upstream(self.route, self.nth, self.surface, self.asked)
        if not upstream.may_need_responses or self.kind == "other" or not self._body.get("tools"):
            return upstream
        if self._read_ahead is None:
            # the history has no say in it
            body = {name: [] if name in _HISTORIES else value for name, value in self._body.items()}
            path = self.request.target if self.kind != "count" else None
            try:
                self._read_ahead = self.surface.wire._read(body, path, {}, keep=False)
            except DragomanError:  # which is told where the request is written
                return upstream
        return upstream.for_request(self._read_ahead)

    def call(self) -> HttpCall:
        """The call to the target that is asked now, without a key.

        Raises ReadError, WriteError, LossRefused, ConfigError.
        """
        upstream = self._target()
        if self.kind == "count":
            upstream = upstream.for_counts()
        self.upstream = upstream
        record = self.record
        record.fallback, record.losses = self.nth, []
        record.vendor, record.upstream_model = upstream.vendor.name, upstream.model
        record.upstream_protocol, record.same_wire = upstream.protocol, self.passes
        self._whole_rejected = None
        try:
            call = self._pass_call() if self.passes and not self._sealed else self._convert_call()
        except RecursionError as error:
            raise ReadError("the request is nested too deeply", code="json.deep") from error
        if record.kept is not None:
            record.kept.upstream_path = call.url
            record.kept.upstream_request = call.body
            record.kept.upstream_response.clear()  # of the call before
            record.kept.cut.discard("upstream_response")
        return call

    def _pass_call(self) -> HttpCall:
        """The client's own bytes, with the target's model."""
        upstream, request = self.upstream, self.request
        body = request.body
        headers, query = request_headers(request.headers), without_key(request.query)
        if self.kind == "other":
            path = quote(request.path, safe=_PATH)
            return upstream.passing(
                f"{path}?{query}" if query else path, headers, body, request.method
            )
        names_model = self.surface.protocol != "gemini"
        if self._tenancy is not None and self._tenancy.judges:
            headers, query = self._tenancy.strip_steering(headers, query)
            named = {"model": upstream.model} if names_model else {}
            body = written_anew({**self._body, **named}, body)
        elif names_model:
            body = with_model(body, self.asked, upstream.model)
        path = self.surface.below(request.path, upstream.model)
        return upstream.call(f"{path}?{query}" if query else path, headers, body)

    def _convert_call(self) -> HttpCall:
        upstream, surface = self.upstream, self.surface
        self._state.faults.clear()  # of the call before
        body = self._body
        if self.passes and "model" in body:  # what no envelope touches is written as it was read
            body = {**body, "model": upstream.model}
        if surface.protocol == "openai-responses":
            body = compaction.open_summaries(body, self._state)
            if self.kind == "compact" and self.passes:
                body = {**body, "input": self._write(body).body["input"]}
                path = surface.below(self.request.path, upstream.model)
                headers = request_headers(self.request.headers)
                return upstream.call(path, headers, encode_json(body, len(self.request.body)))
            if self.compacts and not self.passes:
                body = compaction.asking(body)
        written = self._write(body)
        if self.passes:
            written.body = reorder_like(body, written.body)
        if self.kind == "count":
            call = counting.call(upstream, written, len(self.request.body))
            if call is None:
                raise counting.unavailable(upstream)
            return call
        return upstream.written_call(written, len(self.request.body))

    def _write(self, body: JsonObject) -> Written:
        """The request for the target, of the client's body."""
        surface = self.surface
        if self.kind == "count":
            body = surface.build_generate_body(body)
        req = self._client_request = self._read(surface.wire, surface.merge_pieces(body))
        if self._sealed:
            surface.wire._open(req, self._state)
            self._judge_envelopes()
        if self.compacts and not self.passes:
            req.stream = False
        self._written = written = self.upstream.write(req)
        self.record.losses = written.losses
        return written

    def _read(self, wire: Wire, body: JsonObject) -> ChatRequest:
        headers = {
            name: text
            for name, text in self.request.headers.items()
            if name.startswith("anthropic-")
        }
        path = self.request.target if self.kind != "count" else None
        if path and self.passes and self.surface.protocol == "gemini":
            path = self.surface.below(self.request.path, self.upstream.model)
        keep = self.upstream.protocol == self.surface.protocol
        req = wire._read(body, path, headers, keep=keep, watched=False)
        if self.kind != "count" and self.streams != req.stream:
            req.stream = self.streams
        return req

    def _judge_envelopes(self) -> None:
        """Raise WriteError for an envelope that was not opened, where that is not to be a loss."""
        if not self._state.faults:
            return
        fault = self._state.faults[0]
        if self.gateway.config.envelopes.on_fault == "refuse":
            hint = "begin a new conversation, or leave the thinking out"
            raise WriteError(fault.message, code=f"envelope.{fault.kind}", hint=hint)
        _log.warning("%s: %s (%s)", self.record.id, fault.message, fault.kind)

    @property
    def faults(self) -> list[str]:
        """The kinds of the envelopes that were not opened."""
        return [f"envelope.{fault.kind}" for fault in self._state.faults]

    # -- the answer --------------------------------------------------------------------------------

    def is_failure(self, status: int) -> bool:
        """Whether an answer of this status is none: a redirect would lead the client elsewhere."""
        return status >= 400 or (self.kind != "other" and not 200 <= status < 300)

    def read_failure(self, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
        """The error of an answer whose status is a failure."""
        self.record.upstream_status = status
        if not 400 <= status < 600:
            text = f"the provider answered with status {status}"
            return ProviderError(
                text, status=502, type="api_error", code="upstream.status", hint="check base_url"
            )
        hidden = self.upstream.hidden
        # which some of them quote; also its ends around a mask, `sk-pr***wxyz`
        body, heads = keyless(body, hidden), headers.items()
        headers = {name: keyless(text.encode(), hidden).decode() for name, text in heads}
        self.keep(body)
        error = self.upstream.wire.error(status, body, headers)
        hidden.error(error)  # where its JSON has spelled it with escapes
        if error.kind in ("authentication", "permission"):
            return key_refused(self.upstream.vendor.name, error, status)
        known = self.surface.translate_error(error) is error and looks_like_object(body)
        if self.passes and (self.kind == "other" or known):
            self._whole_rejected = ClientAnswer(status, body, answer_headers(headers))
        return error

    def whole(self, status: int, headers: Mapping[str, str], body: bytes) -> ClientAnswer:
        """The answer to the client. Raises ProviderError for what cannot be read, LossRefused."""
        record = self.record
        record.upstream_status = status
        body = self.upstream.hidden.data(body)
        if self.passes and self._marking is not None:
            body = self._marking(body)
        if self.passes and self.kind != "other" and not looks_like_object(body):
            text = "the provider's answer is no JSON object"
            raise ProviderError(
                text,
                status=502,
                type="api_error",
                code="answer.shape",
                hint="check base_url, and what stands between",
            )
        if self.passes and self.kind != "count":
            self._look(body)
            if self._shown_model is not None:
                body = with_model(body, "", self._shown_model)
            return self._finish_answer(
                ClientAnswer(status, body, self.passed_headers(status, headers))
            )
        if self.kind == "count":
            tokens = counting.read(self.upstream.protocol, body)
            if not tokens:
                raise counting.unavailable(self.upstream)
            if self.passes and not self._sealed:
                return self._finish_answer(ClientAnswer(status, body, answer_headers(headers)))
            return self.answer_count(tokens)
        resp = self._response(status, body)
        record.usage, record.answer_model = resp.usage, resp.model or ""
        record.finish = tuple(candidate.finish.reason for candidate in resp.candidates)
        assert self._client_request is not None  # it was converted
        if self.compacts:
            resp = compaction.compact_answer(resp, self._client_request, self._state)
            if self.kind == "compact":
                return self._finish_answer(
                    ClientAnswer.json(200, compaction.body(resp, self._body))
                )
            if self.streams:
                return self._finish_answer(
                    compaction.stream_compaction(self.surface, resp, self._client_request)
                )
        if self.surface.wire.room.issuer != self.upstream.wire.room.issuer:
            resp = date_answer(resp, int(time()))
        resp = replace(resp, model=self.asked, id=resp.id or self._new_id)
        written = self.surface.wire.write_response(
            resp,
            self._client_request,
            envelope=self._state,
            policy=self.upstream.answer_policy,
        )
        record.losses = [*record.losses, *written.losses]
        whole = self.surface.complete_answer(written.body, self._body)
        body = self.upstream.hidden.data(encode_json(whole, len(body)))
        return self._finish_answer(
            ClientAnswer(200, body, {"content-type": JSON, **self.headers()})
        )

    def passed_headers(self, status: int, headers: Mapping[str, str]) -> dict[str, str]:
        """The headers of an answer that goes on as it is."""
        self.record.upstream_status = status
        told = {**self.upstream.hidden.headers(answer_headers(headers)), **self.headers()}
        if self.request.method == "HEAD" and "content-length" in headers:
            told["content-length"] = headers["content-length"]
        return told

    def answer_count(self, tokens: int) -> ClientAnswer:
        """The answer to a request for a count."""
        return self._finish_answer(
            ClientAnswer.json(200, self.surface.count(tokens), self.headers())
        )

    @property
    def waits(self) -> bool:
        """Whether the request waits while it is written: for media, or for a counter's figures."""
        return self.route.fetch is not None or self.route.truncation is not None

    def local_count(self, error: DragomanError) -> int | None:
        """What a counter here says where the provider gave no figure; None if none is to."""
        counter = counting.local(self.route.counter, error) if self.kind == "count" else ""
        if not counter:
            return None
        written = self._written or self._write(self._body)  # the body may have passed as it was
        return counting.count_tokens(counter, written)

    def headers(self) -> dict[str, str]:
        """What an answer tells besides its body."""
        told = losses_header(self.record.losses, self.faults, self.gateway.config.limits.header)
        return {"x-dragoman-losses": told} if told else {}

    def keep(self, data: bytes) -> None:
        """Keep what the provider sent, where exchanges are recorded."""
        if self.record.kept is not None and not self._is_over:
            self.record.kept.upstream_answered(self.upstream.hidden.data(data))

    def note_stream_end(self, relay: RelayStream) -> None:
        """Note how a stream ended."""
        self._is_over = True
        record = self.record
        if relay.failed is not None and not record.error:
            self.build_stream_error(relay.failed)
        self._note(relay.answer_so_far)
        record.losses = [*record.losses, *relay.losses]
        record.events = relay.events

    def cut(self, relay: RelayStream, error: DragomanError) -> bytes:
        """What stands at the end of a stream that was cut: no error behind a whole answer."""
        if isinstance(error, ProviderError) and relay.whole:
            return relay.finish(cut=True)
        return relay.fail(
            self.build_stream_error(unreadable(error) if isinstance(error, ReadError) else error)
        )

    def stream(self) -> RelayStream:
        """What relays a streamed answer."""
        limits = self.gateway.config.limits
        self.record.upstream_status = 200
        if (kept := self.record.kept) is not None:
            kept.framing = self.framing
            kept.upstream_framing = self.framing if self.passes else self.upstream.wire.room.framing
        if self.passes:
            return PassedAnswer(
                self.surface,
                self.framing,
                limits.event,
                self._shown_model,
                self.surface.candidates(self._body),
                self.upstream.hidden,
                self._marking,
            )
        converter = StreamConverter(
            self.upstream.wire,
            self.surface.wire,
            self.asked,
            self.upstream.answer_policy,
            self._client_request,
            self._state,
            self._written,
            self._new_id if self.upstream.protocol == "ollama" else None,
        )
        return ConvertedAnswer(
            converter, self.framing, self.surface, limits, self._body, self.upstream.hidden
        )

    @property
    def _marking(self) -> Callable[[bytes], bytes] | None:
        """What marks the ids in an answer that passes, where tenants are told apart."""
        if self._tenancy is None or self.kind == "other":
            return None
        return self._tenancy.build_answer_marker(self.surface.protocol)

    @property
    def _new_id(self) -> str | None:
        """An id for an answer whose provider tells none, where answers of the client's have one."""
        prefix = self.surface.answer_id
        return None if prefix is None else f"{prefix}{uuid4().hex}"

    @property
    def _shown_model(self) -> str | None:
        """The name under which an answer that passes goes out, if it is not the provider's."""
        other = self.kind == "generate" and self.surface.renames(self.request)
        return self.asked if other and self.asked != self.upstream.model else None

    @property
    def framing(self) -> Framing:
        """How the answer is framed for the client."""
        return self.surface.framing(self.request)

    def stream_headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        """The headers of a streamed answer."""
        if self.passes:
            return {**self.passed_headers(200, headers), "cache-control": "no-cache"}
        return {
            "content-type": CONTENT_TYPES[self.framing],
            "cache-control": "no-cache",
            "x-accel-buffering": "no",
            **self.headers(),
        }

    def refusal(self, error: DragomanError) -> ClientAnswer:
        """The answer that tells of an error, before anything of another has gone out."""
        self.upstream.hidden.error(error)
        answer = write_refusal(self.surface, error, self.record)
        ask = self.surface.streamed_refusal
        if self.streams and (found := ask(told_error(error), self.request, self.asked)):
            answer, self._whole_rejected = self._finish_answer(found), None
        if isinstance(error, ProviderError) and self._whole_rejected is not None:
            return self._whole_rejected  # in the provider's own words
        answer.headers.update(self.headers())
        return answer

    def build_stream_error(self, error: DragomanError) -> ProviderError:
        """The error as a stream tells of it."""
        self.upstream.hidden.error(error)
        made = told_error(error)
        self.record.error = made.kind
        self.record.message = log_message(error)
        return made

    def _finish_answer(self, answer: ClientAnswer) -> ClientAnswer:
        self.record.status = answer.status
        return answer

    def _response(self, status: int, body: bytes) -> ChatResponse:
        upstream = self.upstream
        try:
            resp = upstream.wire.read_response(body, request=self._written, status=status)
        except RecursionError as error:
            raise unreadable(ReadError("it is nested too deeply", code="json.deep")) from error
        except ReadError as error:
            raise unreadable(error) from error
        if (failure := client_error(resp, self.surface.wire.room.failures)) is not None:
            raise failure
        return resp

    def _look(self, body: bytes) -> None:
        """Note what an answer that passes tells; nothing depends on it."""
        if self.kind != "generate":
            return
        decoder = self.surface.wire.stream_decoder()
        try:
            decoder.feed(body)
        except DragomanError:
            return  # the client reads it, or not
        self._note(decoder.builder)

    def _note(self, told: Builder) -> None:
        record = self.record
        record.usage, record.finish, record.answer_model = told.usage, told.finishes, told.model
