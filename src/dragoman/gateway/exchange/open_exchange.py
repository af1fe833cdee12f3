"""Gateway: judges a client's request and opens its exchange, or answers at once; no sockets.

    exchange = Gateway(config).open(request)   # a GatewayExchange, or a ClientAnswer

An answer at once is a list of models, what is known of one model, or a refusal.
"""

from __future__ import annotations

from uuid import uuid4

from ...errors import DragomanError, ProviderError, ReadError
from ...text.json_text import loads
from ..bodies import object_in, read_model
from ..config.client_keys import may_ask
from ..config.config_values import KEPT, ClientKey, Config
from ..surfaces import ClientAnswer, ClientRequest, Operation, Surface, match_request
from ..surfaces.base import named_model
from ..surfaces.unknown_paths import (
    asks_upgrade,
    describe_path,
    is_served,
    is_stateless,
    may_pass,
    stays_below,
)
from ..telemetry.observed_exchange import ExchangeRecord, new_record
from .exchange import GatewayExchange
from .gateway_context import GatewayContext
from .refusals import upgrade_refused, write_refusal
from .target_wire import list_models, listed_one
from .tenancy import Tenancy, has_dots


class Gateway(GatewayContext):
    """A configuration ready for requests. Safe for threads; a reload replaces it by a new one."""

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self._name = uuid4().hex

    def open(
        self,
        request: ClientRequest,
        key: ClientKey | None = None,
        record: ExchangeRecord | None = None,
    ) -> GatewayExchange | ClientAnswer:
        """Open the exchange of a request, or answer it at once.

        Args:
            request: The client's request with its whole body.
            key: The client key that was admitted; None for a gateway without client keys.
            record: What is noted of the exchange; a new record without one.

        Returns:
            The exchange, or the answer: a list of models, one model, or a refusal. An error is an
            answer too, so nothing is raised.
        """
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
        # what is known of a tenant's requests is of this gateway alone: its routes decide on checks
        scope = "" if key is None else f"{self._name} {key.name}"
        room = surface.wire.room if self.config.sessions else None
        body = object_in(request.body, room, scope)
        requested_model = read_model(body, operation.model)
        record.model = requested_model
        may_ask(key, requested_model)
        route = self.config.route(requested_model)
        if has_dots(requested_model):
            raise ReadError(
                "the name of the model reads as a part of an address",
                path="$.model",
                hint="no `..`, `%`, `?` or `#`",
                code="request.model",
            )
        record.route = route.name or route.target.name
        tenancy = None
        if key is not None:
            tenancy = Tenancy(key, route, self.config, self.sealer.marks, scope)
            tenancy.judge(body, surface.protocol, requested_model)
            tenancy.judge_query(request.query)
        return GatewayExchange(
            self, surface, operation, request, body, requested_model, route, tenancy, record
        )

    def _answer_unknown_path(
        self,
        surface: Surface,
        request: ClientRequest,
        key: ClientKey | None,
        record: ExchangeRecord,
    ) -> GatewayExchange | ClientAnswer:
        """Answer a request at an unknown path, or open an exchange that passes it on.

        Agents send `GET /` or `HEAD /` to see whether the gateway runs.
        """
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
        if is_stateless(request.path):  # embeddings and the like, which are not converted
            hint = "the route of a provider that has it needs pass_through = true"
        raise ProviderError(
            text, status=404, type="not_found_error", code="path.unknown", hint=hint
        )
