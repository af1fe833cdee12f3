"""Judge of what goes to OpenRouter's Responses, which keeps nothing between requests."""

from __future__ import annotations

from collections.abc import Iterator

from .. import openai_responses as protocol
from ..fault import Fault, Json
from .stateless_responses import state_faults

wrap, types, pairs = protocol.wrap, protocol.types, protocol.pairs


def rules(body: Json, *, whole: bool, path: str | None = None) -> Iterator[Fault]:
    yield from protocol.rules(body, whole=whole, path=path)
    if whole:
        yield from state_faults("openrouter.state", body)
