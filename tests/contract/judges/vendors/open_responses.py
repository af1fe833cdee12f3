"""Judge of what goes to a server that keeps to Open Responses and to nothing more."""

from __future__ import annotations

from collections.abc import Iterator

from .. import openai_responses as openai
from ..fault import Fault, Json, mapping
from ..open_responses import request_faults

wrap, pairs = openai.wrap, openai.pairs

LONGEST = {"safety_identifier": 64, "prompt_cache_key": 64}


def types(body: Json, *, whole: bool) -> Iterator[Fault]:
    yield from request_faults(body)


def rules(body: Json, *, whole: bool, path: str | None = None) -> Iterator[Fault]:
    yield from openai.rules(body, whole=whole, path=path)
    for key, most in LONGEST.items():
        value = mapping(body).get(key)
        if isinstance(value, str) and len(value) > most:
            yield Fault("open_responses.length", (key,), f"at most {most} characters")
