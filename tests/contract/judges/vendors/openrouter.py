"""Judge of what goes to OpenRouter: Chat Completions with the gateway's additions.

The additions stand in the exemptions; here are their shapes. Reasoning of any vendor goes back
as the details it came in. Sources: the gateway's SDK, 317 recorded requests.
"""

from __future__ import annotations

from collections.abc import Iterator

from .. import openai_chat
from ..fault import Fault, Json, Path, mapping, objects
from . import copies

wrap, types, pairs = openai_chat.wrap, openai_chat.types, openai_chat.pairs

# kind of a detail -> the key that holds what it says
DETAILS = {
    "reasoning.text": "text",
    "reasoning.summary": "summary",
    "reasoning.encrypted": "data",
    "reasoning.server_tool_call": "tool_name",
}
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
OWN_TOOL = "openrouter:"


def rules(body: Json, *, whole: bool, path: str | None = None) -> Iterator[Fault]:
    yield from openai_chat.rules(body, whole=whole, path=path)
    yield from copies.link_faults("openrouter.part", body, ("video_url",))
    for index, message in objects(mapping(body).get("messages")):
        details = message.get("reasoning_details")
        if isinstance(details, list):
            yield from _detail_faults(details, ("messages", index, "reasoning_details"))
    if whole:
        yield from _request_faults(mapping(body))


def _detail_faults(details: list[Json], at: Path) -> Iterator[Fault]:
    for index, detail in enumerate(details):
        kind = mapping(detail).get("type")
        said = DETAILS.get(kind) if isinstance(kind, str) else None
        silent = kind == "reasoning.text" and detail.get("text") is None  # recorded, too
        if said is None or (not isinstance(detail.get(said), str) and not silent):
            yield Fault("openrouter.details", (*at, index), f"no reasoning detail: {kind!r}")


def _request_faults(body: dict[str, Json]) -> Iterator[Fault]:
    reasoning = mapping(body.get("reasoning"))
    if reasoning.get("effort") is not None and reasoning.get("max_tokens") is not None:
        yield Fault("openrouter.reasoning", ("reasoning",), "an effort or a budget, not both")
    if reasoning.get("effort", "none") not in EFFORTS:
        yield Fault("openrouter.reasoning", ("reasoning", "effort"), "no such level")
    for index, tool in objects(body.get("tools")):
        own = str(tool.get("type")).startswith(OWN_TOOL)
        if own and set(tool) - {"type", "parameters"}:
            yield Fault("openrouter.tool", ("tools", index), "holds type and parameters alone")
