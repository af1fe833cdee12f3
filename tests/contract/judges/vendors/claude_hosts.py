"""What Claude's other hosts share: the Messages body without a model, with a version inside.

The model stands in the path, media come as bytes. Each host hands over its version and its path.
"""

from __future__ import annotations

from collections.abc import Iterator

from .. import anthropic
from ..fault import Fault, Json, Path, mapping, objects

NEUTRAL = "claude"  # stands for a model that no path names


def plain(body: Json, model: str, own: frozenset[str]) -> dict[str, Json]:
    """The body as the first-party API knows it."""
    return {"model": model, **{k: v for k, v in mapping(body).items() if k not in own}}


def type_faults(body: Json, own: frozenset[str], *, whole: bool) -> Iterator[Fault]:
    yield from anthropic.types(plain(body, NEUTRAL, own), whole=whole)


def shared_faults(body: Json, model: str, own: frozenset[str], *, whole: bool) -> Iterator[Fault]:
    yield from anthropic.rules(plain(body, model or NEUTRAL, own), whole=whole)
    for index, message in objects(mapping(body).get("messages")):
        yield from _source_faults(message.get("content"), ("messages", index, "content"))


def _source_faults(content: Json, at: Path) -> Iterator[Fault]:
    for index, block in objects(content):
        if mapping(block.get("source")).get("type") == "url":
            place = (*at, index, "source")
            yield Fault("hosted.url", place, "URL sources are not supported")
        yield from _source_faults(block.get("content"), (*at, index, "content"))


def version_faults(body: dict[str, Json], version: str) -> Iterator[Fault]:
    if body.get("anthropic_version") != version:
        yield Fault("hosted.version", ("anthropic_version",), f"must be {version}")
    if "model" in body:
        yield Fault("hosted.model", ("model",), "the model stands in the path")
