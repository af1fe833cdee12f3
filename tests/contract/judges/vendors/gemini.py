"""Judge of Gemini's Developer API: generateContent without what only Vertex has.

Sources: the SDK's converters for the two backends, a recorded refusal of gs:// links.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .. import gemini as protocol
from ..fault import Fault, Json, mapping, objects
from ..gemini_keys import either

wrap, types, pairs = protocol.wrap, protocol.types, protocol.pairs

ENDPOINT = re.compile(r"/v1(beta\d*)?/models/[^/:]+:(stream)?[gG]enerateContent(\?.*)?")
KEYS = ("labels", "modelArmorConfig")
TOOLS = ("retrieval", "enterpriseWebSearch", "parallelAiSearch", "exaAiSearch")


def rules(body: Json, *, whole: bool, path: str | None = None) -> Iterator[Fault]:
    yield from protocol.rules(body, whole=whole, path=path)
    for index, content in objects(mapping(body).get("contents")):
        for number, part in objects(content.get("parts")):
            link = either(mapping(either(part, "fileData")), "fileUri")
            if isinstance(link, str) and link.startswith("gs://"):
                place = ("contents", index, "parts", number)
                yield Fault("developer.storage", place, "gs:// is not supported directly")
    if whole:
        yield from _request_faults(mapping(body), path)


def _request_faults(body: dict[str, Json], path: str | None) -> Iterator[Fault]:
    if path is not None and not ENDPOINT.fullmatch(path):
        yield Fault("developer.endpoint", (), f"{path!r} is no path of the Developer API")
    for key in KEYS:
        if either(body, key) is not None:
            yield Fault("developer.key", (), f"unknown name {key}")
    config = mapping(either(mapping(either(body, "toolConfig")), "functionCallingConfig"))
    if either(config, "streamFunctionCallArguments") is not None:
        yield Fault("developer.key", ("toolConfig",), "streamFunctionCallArguments is unknown")
    for index, tool in objects(body.get("tools")):
        for key in TOOLS:
            if either(tool, key) is not None:
                yield Fault("developer.tool", ("tools", index), f"{key} is not served here")
