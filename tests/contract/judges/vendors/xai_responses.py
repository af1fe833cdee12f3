"""Judge of what goes to xAI's Responses: the protocol, the models' refusals, own tools."""

from __future__ import annotations

from collections.abc import Iterator

from .. import openai_responses as protocol
from ..fault import Fault, Json, mapping
from .xai import model_faults

wrap, types, pairs = protocol.wrap, protocol.types, protocol.pairs


def rules(body: Json, *, whole: bool, path: str | None = None) -> Iterator[Fault]:
    yield from protocol.rules(body, whole=whole, path=path)
    if whole:
        given = mapping(body)
        effort = mapping(given.get("reasoning")).get("effort")
        yield from model_faults(given, effort, "reasoning")
        if given.get("instructions") and given.get("previous_response_id"):
            yield Fault("xai.instructions", ("instructions",), "beside previous_response_id")
