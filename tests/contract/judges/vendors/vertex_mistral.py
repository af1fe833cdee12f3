"""Judge of Mistral on Vertex: its chat body behind rawPredict, the model in the path too."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .. import mistral
from ..fault import Fault, Json, mapping

wrap, types, pairs = mistral.wrap, mistral.types, mistral.pairs

ENDPOINT = re.compile(
    r"/v1/projects/[^/]+/locations/[^/]+/publishers/mistralai/models/"
    r"[^/:]+:(?P<verb>rawPredict|streamRawPredict)"
)


def rules(body: Json, *, whole: bool, path: str | None = None) -> Iterator[Fault]:
    yield from mistral.rules(body, whole=whole)
    if not whole or path is None:
        return
    found, stream = ENDPOINT.fullmatch(path), mapping(body).get("stream")
    if found is None:
        yield Fault("hosted.endpoint", (), f"{path!r} is no rawPredict path")
    elif (found["verb"] == "streamRawPredict") != (stream is True):
        yield Fault("hosted.stream", (), f"{found['verb']} with stream: {stream}")
