"""Judge of what goes to OpenAI's own Responses: the protocol, and its models' refusals."""

from __future__ import annotations

from collections.abc import Iterator

from .. import openai_responses as protocol
from ..fault import Fault, Json, mapping
from .openai_models import responses_faults

wrap, types, pairs = protocol.wrap, protocol.types, protocol.pairs


def rules(body: Json, *, whole: bool, path: str | None = None) -> Iterator[Fault]:
    yield from protocol.rules(body, whole=whole, path=path)
    if whole:
        yield from responses_faults(mapping(body))
