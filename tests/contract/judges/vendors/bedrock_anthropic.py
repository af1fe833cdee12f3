"""Judge of Claude on Bedrock's InvokeModel.

Streaming is another path and no key; betas stand in the body. Sources: 75 recorded bodies of
this host and Vertex, error texts quoted in issues.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote

from .. import anthropic
from ..bedrock_request import WITHOUT_SCHEMAS
from ..fault import Fault, Json, mapping, members
from .claude_hosts import shared_faults, type_faults, version_faults

wrap, pairs = anthropic.wrap, anthropic.pairs

VERSION = "bedrock-2023-05-31"
OWN = frozenset({"anthropic_version", "anthropic_beta"})
ENDPOINT = re.compile(r"/model/(?P<model>[^/]+)/invoke(-with-response-stream)?")
REFUSED = ("context_management", "cache_control", "stream")


def types(body: Json, *, whole: bool) -> Iterator[Fault]:
    yield from type_faults(body, OWN, whole=whole)


def rules(body: Json, *, whole: bool, path: str | None = None) -> Iterator[Fault]:
    found, given = ENDPOINT.fullmatch(path or ""), mapping(body)
    model = unquote(found["model"]).rpartition("anthropic.")[2] if found else ""
    yield from shared_faults(body, model, OWN, whole=whole)
    if not whole:
        return
    yield from version_faults(given, VERSION)
    for key in REFUSED:
        if key in given:
            yield Fault("hosted.key", (key,), "extra inputs are not permitted")
    betas = given.get("anthropic_beta", [])
    if not isinstance(betas, list) or not all(isinstance(beta, str) for beta in members(betas)):
        yield Fault("hosted.betas", ("anthropic_beta",), "betas are a list of names")
    if path is not None and found is None:
        yield Fault("hosted.endpoint", (), f"{path!r} is no InvokeModel path")
    asked = mapping(given.get("output_config")).get("format")
    if asked is not None and WITHOUT_SCHEMAS.match(model):
        place = ("output_config", "format")
        yield Fault("hosted.output", place, "extra inputs are not permitted on this model")
