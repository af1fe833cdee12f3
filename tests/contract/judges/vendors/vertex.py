"""Judge of Gemini on Vertex: generateContent without what only the Developer API has.

Source: the SDK's converters for the two backends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .. import gemini as protocol
from ..fault import Fault, Json, mapping, objects
from ..gemini_keys import either

wrap, types, pairs = protocol.wrap, protocol.types, protocol.pairs

ENDPOINT = re.compile(
    r"/v1(beta1)?/(projects/[^/]+/locations/[^/]+/)?publishers/google/models/"
    r"[^/:]+:(stream)?[gG]enerateContent(\?.*)?"
)
PARTS = ("toolCall", "toolResponse", "partMetadata")
TOOLS = ("fileSearch", "mcpServers")


def rules(body: Json, *, whole: bool, path: str | None = None) -> Iterator[Fault]:
    yield from protocol.rules(body, whole=whole, path=path)
    for index, content in objects(mapping(body).get("contents")):
        for number, part in objects(content.get("parts")):
            for key in PARTS:
                if either(part, key) is not None:
                    place = ("contents", index, "parts", number)
                    yield Fault("vertex.part", place, f"{key} is not served here")
    if whole:
        yield from _request_faults(mapping(body), path)


def _request_faults(body: dict[str, Json], path: str | None) -> Iterator[Fault]:
    if path is not None and not ENDPOINT.fullmatch(path):
        yield Fault("vertex.endpoint", (), f"{path!r} is no path of Vertex")
    if "store" in body:
        yield Fault("vertex.key", ("store",), "unknown name")
    config = mapping(either(body, "toolConfig"))
    if either(config, "includeServerSideToolInvocations") is not None:
        yield Fault("vertex.key", ("toolConfig",), "includeServerSideToolInvocations is unknown")
    for index, tool in objects(body.get("tools")):
        for key in TOOLS:
            if either(tool, key) is not None:
                yield Fault("vertex.tool", ("tools", index), f"{key} is not served here")
