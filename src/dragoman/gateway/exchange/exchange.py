"""GatewayExchange: one client's request to a provider and the answer to it, without sockets.

The program that drives an exchange sends the call that it gives, and hands back what comes:

    call = exchange.call()                     # to the first target; sign it and send it
    answer = exchange.convert_answer(200, {}, body)  # status, headers and body for the client
    relay = exchange.open_relay()  # or bytes: relay.feed(chunk), relay.finish()

Where client and provider speak the same wire, bytes pass untouched but for the name of the model.
Otherwise requests and answers are converted, opaque state travels in envelopes, and every loss is
named.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from time import time
from urllib.parse import quote
from uuid import uuid4

from ...codec.wire import Wire
from ...conversion.stream_converter import StreamConverter
from ...errors import DragomanError, ProviderError, ReadError, WriteError
from ...message import ChatRequest, ChatResponse, Written
from ...message.ending import client_error
from ...message.known_tools import ParsedBody
from ...stream.builder import Builder
from ...stream.framing import CONTENT_TYPES, Framing
from ...text.json_text import JsonObject, encode_json
from ...transport.call import HttpCall
from ...transport.retries import Retries
from ..balance.conversation import find_place
from ..balance.target_choice import TargetChoice
from ..bodies import check_answer_values, date_answer, looks_like_object, object_in, unreadable
from ..config.config_values import Route
from ..surfaces import ClientAnswer, ClientRequest, Operation, Surface
from ..surfaces.base import JSON, to_client_error
from ..telemetry.observed_exchange import ExchangeRecord, Kept, log_message, losses_header
from ..telemetry.redact import keyless
from . import compaction, counting
from .cipher import SealedState, may_hold_envelopes
from .convert_stream import ConvertedAnswer, RelayStream
from .forward_bytes import reorder_like, with_model, written_anew
from .forward_stream import PassedAnswer
from .forwarded_headers import answer_headers, protocol_headers, request_headers, without_key
from .gateway_context import GatewayContext
from .off_loop import is_long
from .refusals import key_refused, write_refusal
from .target_wire import Upstream
from .tenancy import Tenancy

_log = logging.getLogger("dragoman.gateway")

_PATH = "/:@!$&'()*+,;=~"  # what a path may hold as it is (RFC 3986, 3.3)
_IDEMPOTENT = frozenset({"GET", "HEAD", "OPTIONS", "PUT", "DELETE"})  # RFC 9110, 9.2.2
_HISTORIES = ("messages", "input", "contents")  # the fields that hold the history, by protocol


class GatewayExchange:
    """One request with its answer.

    Attributes:
        upstream: The target of the last `call`.
        written: The request as it was written for the target; None if none was converted.
        choice: Where the request goes, and where it can go next.
        kind: What the client asks for: an answer, a count, a compaction, or an unknown path.
        streams: Whether the client asks for a stream.
        compacts: Whether the client asks for its history to be compacted.
        is_long: Whether the body is so large that reading it would delay other requests.
    """

    def __init__(
        self,
        gateway: GatewayContext,
        surface: Surface,
        operation: Operation,
        request: ClientRequest,
        body: JsonObject,
        requested_model: str,
        route: Route,
        tenancy: Tenancy | None,
        record: ExchangeRecord,
    ) -> None:
        self.gateway = gateway
        self.surface = surface
        self.kind = operation.kind
        self.request = request
        self.requested_model = requested_model
        self.route = route
        self.record = record
        self._body = body
        self._tenancy = tenancy
        self._state: SealedState = gateway.sealer.envelope(tenancy.name if tenancy else "")
        parts = body.parts if type(body) is ParsedBody else None
        self._sealed = self.kind != "other" and may_hold_envelopes(request.body, parts)
        self.is_long = is_long(request.body, parts)
        self._client_request: ChatRequest | None = None
        self.written: Written | None = None
        self._is_over = False  # if true, later bytes of the provider are no part of the answer
        # the error in the words of the provider, if it speaks the client's protocol
        self._whole_rejected: ClientAnswer | None = None
        compacts = self.kind == "generate" and compaction.asks(surface.protocol, body)
        asks_stream = surface.asks_stream(body) if operation.stream is None else operation.stream
        self.streams = self.kind == "generate" and asks_stream
        self.compacts = self.kind == "compact" or compacts
        record.stream = self.streams
        # not a method, whose reference back to the exchange would be a cycle, which is freed late
        place = partial(find_place, body, tenancy.name if tenancy else "", requested_model)
        self.choice = TargetChoice(route, gateway.find_balancer(route), requested_model, place)
        self._failure: ProviderError | None = None  # of the last target that was called
        self._read_ahead: ChatRequest | None = None  # the request, read to choose a protocol
        self.upstream = self._target()
        if gateway.config.record is not None:
            record.kept = Kept(request=request.body, most=gateway.config.limits.recorded)

    # -- the request -------------------------------------------------------------------------------

    @property
    def nth(self) -> int:
        """The number of the target in its route."""
        return self.choice.number

    @property
    def passes(self) -> bool:
        """Whether the provider answers in the client's own protocol, and bytes are passed on."""
        return self.upstream.same_wire or self.kind == "other"

    @property
    def asks_stream(self) -> bool:
        """Whether the provider is asked for a stream."""
        return self.streams and (self.passes or not self.compacts)

    @property
    def retries(self) -> Retries:
        """How often a call is tried: once, if repeating it could have an effect twice."""
        may_repeat = self.kind != "other" or self.request.method in _IDEMPOTENT
        return self.route.retries if may_repeat else replace(self.route.retries, attempts=1)

    def go_on(self, error: DragomanError) -> None:
        """Go to the route's next target after a temporary failure.

        A fallback that cannot be called (its key is missing, or the request would lose what may not
        be lost) is skipped; the client then gets the error of the target before it. A request at an
        unknown path goes to the first target alone.

        Args:
            error: Why the last target gave no answer.

        Raises:
            DragomanError: No further target can be called; the error is the one for the client.
        """
        if isinstance(error, ProviderError):
            self._failure = error.with_traceback(None)  # whose frames hold the whole answer
            self.choice.note_failure(error)
        streams, has_failed = self.asks_stream, self._failure is not None
        while self.kind != "other" and self.choice.find_next(error, has_failed):
            self.upstream = self._target()
            if self.asks_stream == streams:  # the caller already chose between stream and whole
                return
        if self._failure is None or self._failure is error:
            raise error
        raise self._failure from error

    def _target(self) -> Upstream:
        upstream = self.gateway.upstream(self.route, self.nth, self.surface, self.requested_model)
        if not upstream.may_need_responses or self.kind == "other" or not self._body.get("tools"):
            return upstream
        if self._read_ahead is None:
            # the choice of a protocol does not depend on the history
            body = {name: [] if name in _HISTORIES else value for name, value in self._body.items()}
            path = self.request.target if self.kind != "count" else None
            try:
                self._read_ahead = self.surface.wire._read(body, path, {}, keep=False)
            except DragomanError:  # writing the request raises it again
                return upstream
        return upstream.for_request(self._read_ahead)

    def call(self) -> HttpCall:
        """The call to the current target, without a key.

        Raises:
            ReadError: The client's request cannot be read.
            WriteError: The target cannot take it.
            LossRefused: It would lose what the policy does not allow to lose.
            ConfigError: The target's address lacks a value.
        """
        upstream = self._target()
        if self.kind == "count":
            upstream = upstream.for_counts()
        self.upstream = upstream
        self.choice.begin()
        record = self.record
        record.fallback, record.losses = max(0, self.nth - len(self.route.alternatives)), []
        record.vendor, record.upstream_model = upstream.vendor.name, upstream.model
        record.upstream_protocol, record.same_wire = upstream.protocol, self.passes
        self._whole_rejected = None
        try:
            call = self._pass_call() if self.passes and not self._sealed else self._convert_call()
        except RecursionError as error:
            raise ReadError("the request is nested too deeply", code="json.deep") from error
        return self.keep_call(call)

    def keep_call(self, call: HttpCall) -> HttpCall:
        """The call, which the recording keeps instead of an earlier one."""
        if (kept := self.record.kept) is not None:
            kept.upstream_path, kept.upstream_request = call.url, call.body
            kept.upstream_response.clear()
            kept.cut.discard("upstream_response")
        return call

    def _pass_call(self) -> HttpCall:
        """The call that sends the client's own bytes, with the target's model."""
        upstream, request = self.upstream, self.request
        body = request.body
        headers, query = request_headers(request.headers), without_key(request.query)
        if self.kind == "other":
            path = quote(request.path, safe=_PATH)
            return upstream.passthrough_call(
                f"{path}?{query}" if query else path, headers, body, request.method
            )
        names_model = self.surface.protocol != "gemini"
        if self._tenancy is not None and self._tenancy.judges:
            headers, query = self._tenancy.strip_steering(headers, query)
            named = {"model": upstream.model} if names_model else {}
            body = written_anew({**self._body, **named}, body)
        elif names_model:
            body = with_model(body, self.requested_model, upstream.model)
        path = self.surface.below(request.path, upstream.model)
        return upstream.call(f"{path}?{query}" if query else path, headers, body)

    def _convert_call(self) -> HttpCall:
        upstream, surface = self.upstream, self.surface
        self._state.faults.clear()  # of an earlier call
        body = self._own_body()
        if self.passes and "model" in body:  # fields without envelopes are written as they came
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

    def _own_body(self) -> JsonObject:
        """The body; no other request has parts of it if this one may keep them as they came."""
        keeps = self.kind != "generate" or self.upstream.protocol == self.surface.protocol
        if keeps and type(self._body) is ParsedBody:
            self._body = object_in(self.request.body)
            if (tenancy := self._tenancy) is not None:
                tenancy.judge(self._body, self.surface.protocol, self.requested_model)
        return self._body

    def _write(self, body: JsonObject) -> Written:
        """The client's body as a request for the target."""
        surface = self.surface
        if self.kind == "count":
            body = surface.build_generate_body(body)
        req = self._client_request = self._read(surface.wire, surface.merge_pieces(body))
        if self._sealed:
            surface.wire._open(req, self._state)
            self._judge_envelopes()
        if self.compacts and not self.passes:
            req.stream = False
        self.written = written = self.upstream.write(req)
        self.record.losses = written.losses
        return written

    def _read(self, wire: Wire, body: JsonObject) -> ChatRequest:
        headers = protocol_headers(self.request.headers)
        path = self.request.target if self.kind != "count" else None
        if path and self.passes and self.surface.protocol == "gemini":
            path = self.surface.below(self.request.path, self.upstream.model)
        keep = self.upstream.protocol == self.surface.protocol
        scope = self._tenancy.scope if self._tenancy else ""
        req = wire._read(body, path, headers, keep=keep, watched=False, scope=scope)
        if self.kind != "count" and self.streams != req.stream:
            req.stream = self.streams
        return req

    def _judge_envelopes(self) -> None:
        """Raise WriteError for an envelope that was not opened, unless the route drops it."""
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
        """Whether a status means that there is no answer: redirects are not passed on either."""
        return status >= 400 or (self.kind != "other" and not 200 <= status < 300)

    def read_failure(self, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
        """The error of an answer with a failure status, without the key of the provider."""
        self.record.upstream_status = status
        if not 400 <= status < 600:
            text = f"the provider answered with status {status}"
            return ProviderError(
                text, status=502, type="api_error", code="upstream.status", hint="check base_url"
            )
        hidden = self.upstream.hidden
        # some providers quote the key, or its ends around a mask: `sk-pr***wxyz`
        body, heads = keyless(body, hidden), headers.items()
        headers = {name: keyless(text.encode(), hidden).decode() for name, text in heads}
        self.keep(body)
        error = self.upstream.wire.error(status, body, headers)
        hidden.error(error)  # for a key that the JSON spelled with escapes
        if error.kind in ("authentication", "permission"):
            return key_refused(self.upstream.vendor.name, error, status)
        known = self.surface.translate_error(error) is error and looks_like_object(body)
        if self.passes and (self.kind == "other" or known):
            self._whole_rejected = ClientAnswer(status, body, answer_headers(headers))
        return error

    def convert_answer(
        self, status: int, headers: Mapping[str, str], body: bytes, resp: ChatResponse | None = None
    ) -> ClientAnswer:
        """The answer for the client, from the provider's whole answer; `resp` if it was read.

        Raises:
            ProviderError: The provider's answer cannot be read.
            LossRefused: The answer loses what the policy does not allow to lose.
        """
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
        resp = resp or self.read_answer(status, body)
        record.usage, record.answer_model = resp.usage, resp.model or ""
        record.finish = tuple(candidate.finish.reason for candidate in resp.candidates)
        assert self._client_request is not None  # set when the request was converted
        if self.compacts:
            resp = compaction.compact_answer(resp, self._client_request, self._state)
            if self.kind == "compact":
                answer = ClientAnswer.json(200, compaction.body(resp, self._body))
                return self._finish_answer(answer)
            if self.streams:
                answer = compaction.stream_compaction(self.surface, resp, self._client_request)
                return self._finish_answer(answer)
        if self.surface.wire.room.issuer != self.upstream.wire.room.issuer:
            resp = date_answer(resp, int(time()))
        resp = replace(resp, model=self.requested_model, id=resp.id or self._new_id)
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
        """The headers of an answer that is passed on unchanged."""
        self.record.upstream_status = status
        told = {**self.upstream.hidden.headers(answer_headers(headers)), **self.headers()}
        if self.request.method == "HEAD" and "content-length" in headers:
            told["content-length"] = headers["content-length"]
        return told

    def answer_count(self, tokens: int) -> ClientAnswer:
        """The answer to a request for a count."""
        answer = ClientAnswer.json(200, self.surface.count(tokens), self.headers())
        return self._finish_answer(answer)

    @property
    def waits(self) -> bool:
        """Whether writing the request waits: for media, or for the figures of a token counter."""
        return self.route.fetch is not None or self.route.truncation is not None

    def local_count(self, error: DragomanError) -> int | None:
        """The count of the route's token counter, if the provider gave none; None if not wanted."""
        counter = counting.local(self.route.counter, error) if self.kind == "count" else ""
        if not counter:
            return None
        written = self.written or self._write(self._own_body())  # None if the body was passed on
        return counting.count_tokens(counter, written)

    def headers(self) -> dict[str, str]:
        """The header that names losses, for an answer of any form."""
        told = losses_header(self.record.losses, self.faults, self.gateway.config.limits.header)
        return {"x-dragoman-losses": told} if told else {}

    def keep(self, data: bytes) -> None:
        """Add bytes of the provider to the recording, if there is one."""
        if self.record.kept is not None and not self._is_over:
            self.record.kept.upstream_answered(self.upstream.hidden.data(data))

    def note_stream_end(self, relay: RelayStream) -> None:
        """Copy into the record how a stream ended: its error, its usage, its losses."""
        self._is_over = True
        record = self.record
        if relay.failed is not None and not record.error:
            self.build_stream_error(relay.failed)
            self.choice.note_failure(relay.failed)
        self._note(relay.answer_so_far)
        record.losses = [*record.losses, *relay.losses]
        record.events = relay.events

    def cut(self, relay: RelayStream, error: DragomanError) -> bytes:
        """The last bytes of a stream that an error cut: no error is added to a complete answer."""
        if isinstance(error, ProviderError) and relay.whole:
            return relay.finish(cut=True)
        self.choice.note_failure(error)
        return relay.fail(
            self.build_stream_error(unreadable(error) if isinstance(error, ReadError) else error)
        )

    def open_relay(self) -> RelayStream:
        """A new relay for the streamed answer."""
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
            self.requested_model,
            self.upstream.answer_policy,
            self._client_request,
            self._state,
            self.written,
            self._new_id if self.upstream.protocol == "ollama" else None,
        )
        asked, hidden = self._body, self.upstream.hidden
        segments = self.upstream.open_segments(self.written)
        return ConvertedAnswer(
            converter, self.framing, self.surface, limits, asked, hidden, segments
        )

    @property
    def _marking(self) -> Callable[[bytes], bytes] | None:
        """The function that marks ids in an answer that is passed on; None without client keys."""
        if self._tenancy is None or self.kind == "other":
            return None
        return self._tenancy.build_answer_marker(self.surface.protocol)

    @property
    def _new_id(self) -> str | None:
        """An id for an answer whose provider gave none; None if the protocol has no ids."""
        prefix = self.surface.answer_id
        return None if prefix is None else f"{prefix}{uuid4().hex}"

    @property
    def _shown_model(self) -> str | None:
        """The model's name to put into an answer that is passed on; None to leave it unchanged."""
        other = self.kind == "generate" and self.surface.renames(self.request)
        return (
            self.requested_model if other and self.requested_model != self.upstream.model else None
        )

    @property
    def framing(self) -> Framing:
        """The framing of the answer to the client."""
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
        """The answer that reports an error, while nothing has been sent to the client yet."""
        self.upstream.hidden.error(error)
        answer = write_refusal(self.surface, error, self.record)
        ask = self.surface.streamed_refusal
        if self.streams and (
            found := ask(to_client_error(error), self.request, self.requested_model)
        ):
            answer, self._whole_rejected = self._finish_answer(found), None
        if isinstance(error, ProviderError) and self._whole_rejected is not None:
            return self._whole_rejected  # the provider's own body
        answer.headers.update(self.headers())
        return answer

    def build_stream_error(self, error: DragomanError) -> ProviderError:
        """The error in the form for a stream that has begun, noted in the record."""
        self.upstream.hidden.error(error)
        made = to_client_error(error)
        self.record.error = made.kind
        self.record.message = log_message(error)
        return made

    def _finish_answer(self, answer: ClientAnswer) -> ClientAnswer:
        self.record.status = answer.status
        return answer

    def read_answer(self, status: int, body: bytes) -> ChatResponse:
        """The answer in a provider's body. Raises ProviderError."""
        upstream = self.upstream
        check_answer_values(body, self.gateway.config.limits.answer_values)
        try:
            resp = upstream.wire.read_response(body, request=self.written, status=status)
        except RecursionError as error:
            raise unreadable(ReadError("it is nested too deeply", code="json.deep")) from error
        except ReadError as error:
            raise unreadable(error) from error
        if (failure := client_error(resp, self.surface.wire.room.failures)) is not None:
            raise failure
        return resp

    def _look(self, body: bytes) -> None:
        """Note usage and model of an answer that is passed on; an unreadable one is ignored."""
        if self.kind != "generate":
            return
        check_answer_values(body, self.gateway.config.limits.answer_values)
        decoder = self.surface.wire.stream_decoder()
        try:
            decoder.feed(body)
        except DragomanError:
            return  # the client reads it, or not
        self._note(decoder.builder)

    def _note(self, told: Builder) -> None:
        record = self.record
        record.usage, record.finish, record.answer_model = told.usage, told.finishes, told.model
