"""A stream through the gateway without sockets, chunk by chunk, as the app drives it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random

from dragoman.errors import DragomanError
from dragoman.gateway.exchange.convert_stream import RelayStream
from dragoman.gateway.exchange.exchange import GatewayExchange
from dragoman.gateway.surfaces import ClientAnswer
from tests.gateway.corpus.asking import ask
from tests.gateway.corpus.kinds import UPSTREAMS, gateway

__all__ = ["Relayed", "chunks", "exchange_of", "relayed"]


@dataclass(slots=True)
class Relayed:
    """What the client got: a refusal with a status, or the bytes of a stream."""

    exchange: GatewayExchange
    relay: RelayStream
    refusal: ClientAnswer | None
    data: bytes


def exchange_of(kind: str, protocol: str, query: str = "", choices: int = 1) -> GatewayExchange:
    """A client's request for a stream of so many choices, sent to a kind of upstream."""
    asked = ask(protocol, stream=True, query=query, choices=choices)
    exchange = gateway(UPSTREAMS[kind]).open(asked)
    assert isinstance(exchange, GatewayExchange)
    exchange.call()
    assert exchange.upstream.protocol == kind
    return exchange


def relayed(exchange: GatewayExchange, pieces: Iterable[bytes], *, end: bool = True) -> Relayed:
    """Feed the pieces; `end`: the upstream closes behind them."""
    relay = exchange.open_relay()
    out = b""
    try:
        for piece in pieces:
            out += relay.feed(piece)
            if relay.failed is not None:
                break
        if end and (relay.begun or relay.failed is None):
            out += relay.finish()
    except DragomanError as error:
        out += relay.fail(exchange.build_stream_error(error))
    if relay.failed is not None and not relay.begun:
        return Relayed(exchange, relay, exchange.refusal(relay.failed), b"")
    return Relayed(exchange, relay, None, out + relay.apart)


def chunks(data: bytes, seed: int) -> list[bytes]:
    """The bytes cut anywhere: whole, into single bytes, or at random places."""
    random = Random(seed)
    way = seed % 4
    if way == 0 or len(data) < 2:
        return [data]
    if way == 1:
        return [data[at : at + 1] for at in range(len(data))]
    most = min(len(data) - 1, random.choice((1, 2, 5, 20, 60)))
    places = sorted(random.sample(range(1, len(data)), most))
    return [data[a:b] for a, b in zip([0, *places], [*places, len(data)], strict=True)]
