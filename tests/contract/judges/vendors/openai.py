"""Judge of what goes to OpenAI's own Chat Completions: the protocol, and its models' refusals."""

from __future__ import annotations

from collections.abc import Iterator

from .. import openai_chat
from ..fault import Fault, Json, mapping
from .openai_models import chat_faults

wrap, types, pairs = openai_chat.wrap, openai_chat.types, openai_chat.pairs


def rules(body: Json, *, whole: bool, path: str | None = None) -> Iterator[Fault]:
    yield from openai_chat.rules(body, whole=whole, path=path)
    if whole:
        yield from chat_faults(mapping(body))
