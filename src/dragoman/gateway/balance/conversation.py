"""Where a conversation belongs: which target has its prompt cache, or that of its like.

A conversation is known by its messages before the first one of the model, which are the same in
each turn. The system prompt is left out, because agents change it during a session (Claude Code 2.1
writes a checksum of each request into it, recorded on 2026-11-22).

Most of what a coding agent sends is the same for all its users: tools, and behind them the system
prompt. Conversations with the same tools therefore belong to the same target, as long as that one
is not busier than the others.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from ...text.json_text import Json, JsonObject, canonical

_HISTORIES = ("messages", "input", "contents")  # Chat and Anthropic, Responses, Gemini
_MARK = "cache_control"  # which moves to the newest message in each turn
_SIZE = 16


@dataclass(frozen=True, slots=True)
class Place:
    """What says where a request belongs.

    Attributes:
        conversation: The hash of its conversation: of the client, the model and the beginning.
        family: The hash of the model and the names of the tools; the conversation's own without
            tools.
        is_new: Whether it is the first turn.
    """

    conversation: bytes
    family: bytes
    is_new: bool


def find_place(body: JsonObject, client: str = "", model: str = "") -> Place:
    """Find where a request belongs.

    Args:
        body: Its body, in any protocol.
        client: The name of the client.
        model: The model that it asks for.
    """
    digest = blake2b(digest_size=_SIZE)
    for name in (client, model):
        digest.update(name.encode("utf-8", "surrogatepass") + b"\0")
    history: Any = next((body[name] for name in _HISTORIES if body.get(name)), ())
    is_new = True
    for element in history if isinstance(history, list) else (history,):
        if _is_of_model(element):
            is_new = False
            break
        try:
            digest.update(canonical(_without_marks(element)).encode())
        except RecursionError:  # what is nested so deeply is refused when it is read
            break
    conversation = digest.digest()
    names = [*_names_of_tools(body.get("tools"))]
    family = blake2b(canonical([model, *names]).encode(), digest_size=_SIZE).digest()
    return Place(conversation, family if names else conversation, is_new)


def _names_of_tools(tools: Any) -> Iterable[str]:
    for tool in tools if isinstance(tools, list) else ():
        if not isinstance(tool, dict):
            continue
        inner = tool.get("function")
        found = inner.get("name") if isinstance(inner, dict) else tool.get("name")
        if isinstance(found, str):
            yield found
        for name in ("functionDeclarations", "function_declarations"):
            yield from _names_of_tools(tool.get(name))


def _is_of_model(element: Any) -> bool:
    if not isinstance(element, dict):
        return False
    if (kind := element.get("type")) not in (None, "message", "additional_tools"):
        return not str(kind).endswith("_output")  # an item of Responses: a call, or reasoning
    return element.get("role") in ("assistant", "model")


def _without_marks(value: Json) -> Json:
    if isinstance(value, dict):
        return {name: _without_marks(one) for name, one in value.items() if name != _MARK}
    return [*map(_without_marks, value)] if isinstance(value, list) else value


def rank(place: bytes, weights: Iterable[tuple[str, float]]) -> list[int]:
    """The numbers of targets, the one where something belongs first.

    Each target draws a number from the hash of both and its weight, and the largest wins: this is
    rendezvous hashing. Workers and machines agree without asking each other, and if a target goes,
    only what belonged to it moves.

    Args:
        place: The hash of what is placed.
        weights: (name, weight) of each target.
    """
    drawn: list[tuple[float, int]] = []
    for number, (name, weight) in enumerate(weights):
        digest = blake2b(place + name.encode(), digest_size=8).digest()
        share = (int.from_bytes(digest) + 1) / 2**64  # in (0, 1]
        drawn.append((share ** (1 / weight), number))
    return [number for _, number in sorted(drawn, key=lambda one: (-one[0], one[1]))]
