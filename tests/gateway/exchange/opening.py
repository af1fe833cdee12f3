"""Gateways without sockets: requests of clients, and the exchanges or answers they open."""

from __future__ import annotations

import json
from typing import Any

from dragoman.gateway.config.config_values import ClientKey, Config, Route, Target
from dragoman.gateway.exchange.exchange import GatewayExchange
from dragoman.gateway.exchange.open_exchange import Gateway
from dragoman.gateway.surfaces import ClientAnswer, ClientRequest

CHAT = {"model": "any", "messages": [{"role": "user", "content": "Hi"}]}
KEY = ClientKey("bob", "0123456789abcdef:$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$aGFzaGhhc2g")


def asked(path: str, body: Any = None, method: str = "POST", **headers: str) -> ClientRequest:
    path, _, query = path.partition("?")
    data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    return ClientRequest(method, path, query, headers, data)


def begun(config: Config, request: ClientRequest, key: ClientKey | None = None) -> GatewayExchange:
    exchange = Gateway(config).open(request, key)
    assert isinstance(exchange, GatewayExchange), exchange
    return exchange


def refused(config: Config, request: ClientRequest, key: ClientKey | None = None) -> ClientAnswer:
    answer = Gateway(config).open(request, key)
    assert isinstance(answer, ClientAnswer)
    return answer


def passing(name: str, base_url: str = "", **more: Any) -> Config:
    target = Target(name, base_url=base_url, secret="of-the-provider")
    return Config(routes=(Route(target, pass_through=True, **more),))
