"""Strict validators, one a wire: pairs, roles, ids, seats and names as providers demand them.

Written from the providers' documents and the words of their errors, not from the rooms: nothing
of the package under test is imported, nor of the judges but how they look into JSON.

    validate("anthropic", body)                     # [] means that nothing would be refused
    validate("gemini", body, model="gemini-3-pro")  # where the model stands in the URL
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Protocol, cast

from ..judges.fault import Json
from .rule import Asked, Book, Broken, Rule

__all__ = ["WIRES", "Broken", "Rule", "book", "validate"]

WIRES = {
    "openai-chat": "openai_chat",
    "openai-responses": "openai_responses",
    "anthropic": "anthropic",
    "gemini": "gemini",
    "gemini-interactions": "gemini_interactions",
    "dashscope": "dashscope",
    "ollama": "ollama",
    "bedrock-converse": "bedrock",
    "mistral": "mistral",
    "cohere": "cohere",
}


class _Validator(Protocol):
    BOOK: Book

    def faults(self, body: dict[str, Json], asked: Asked) -> Iterator[Broken]: ...


def _validator(wire: str) -> _Validator:
    return cast("_Validator", importlib.import_module(f".{WIRES[wire]}", __name__))


def book(wire: str) -> dict[str, Rule]:
    """The rules of a wire by name, each with its demand and its source."""
    return dict(_validator(wire).BOOK.rules)


def validate(
    wire: str,
    body: dict[str, Json],
    *,
    model: str | None = None,
    host: str = "",
    open_end: bool = False,
) -> list[Broken]:
    """What a provider would refuse of a request.

    `model`: where the body does not say it; `host`: the vendor that serves the wire, if another
    than the protocol's own; `open_end`: the history may stop at calls that nobody answered yet.
    """
    name = body.get("model") if model is None else model
    asked = Asked(name if isinstance(name, str) else "", host, open_end)
    return list(_validator(wire).faults(body, asked))
