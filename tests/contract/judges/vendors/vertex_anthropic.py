"""Judge of Claude on Vertex: rawPredict bodies."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .. import anthropic
from ..fault import Fault, Json, mapping
from .claude_hosts import shared_faults, type_faults, version_faults

wrap, pairs = anthropic.wrap, anthropic.pairs

VERSION = "vertex-2023-10-16"
OWN = frozenset({"anthropic_version"})
ENDPOINT = re.compile(
    r"/v1(beta1)?/(projects/[^/]+/locations/[^/]+/)?publishers/anthropic/models/"
    r"(?P<model>[^/:]+):(?P<verb>rawPredict|streamRawPredict)"
)
DATED = re.compile(r".*-20\d{6}")  # Vertex writes claude-haiku-4-5@20251001


def types(body: Json, *, whole: bool) -> Iterator[Fault]:
    yield from type_faults(body, OWN, whole=whole)


def rules(body: Json, *, whole: bool, path: str | None = None) -> Iterator[Fault]:
    found, given = ENDPOINT.fullmatch(path or ""), mapping(body)
    model = found["model"] if found else ""
    yield from shared_faults(body, model, OWN, whole=whole)
    if not whole:
        return
    yield from version_faults(given, VERSION)
    if path is None:
        return
    if found is None:
        yield Fault("hosted.endpoint", (), f"{path!r} is no rawPredict path")
    elif (found["verb"] == "streamRawPredict") != (given.get("stream") is True):
        yield Fault("hosted.stream", (), f"{found['verb']} with stream: {given.get('stream')}")
    if DATED.fullmatch(model):
        yield Fault("hosted.model_id", (), f"{model}: the date stands behind an @")
