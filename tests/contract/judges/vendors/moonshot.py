"""Judge of what goes to Moonshot's own API (Kimi): Chat Completions with the vendor's rules.

Thinking comes back on turns that call tools, sampling is pinned, remote media are not fetched.
Sources: the vendor's own client, error texts quoted in issues, clients tested live.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .. import openai_chat
from ..fault import Fault, Json, Path, mapping, objects
from ..media import DATA_URI
from . import copies

wrap, types, pairs = openai_chat.wrap, openai_chat.types, openai_chat.pairs

LINKS = (DATA_URI, re.compile(r"ms://\S+"))
THINKS = re.compile(r"kimi-k(2\.[5-9]|[3-9])")  # unless it is switched off
ALWAYS = re.compile(r"kimi-k(2\.7-code|[3-9])")
SECOND = re.compile(r"kimi-k2")
NO_KEEP = re.compile(r"kimi-k2\.5")
LEVELS = ("low", "high", "max")
PINNED = ("top_p", "n", "presence_penalty", "frequency_penalty")
LONGEST_STOP = 32  # bytes
OWN_TOOL = "builtin_function"
TYPED = ("type", "$ref", "anyOf", "oneOf", "allOf")


def rules(body: Json, *, whole: bool, path: str | None = None) -> Iterator[Fault]:
    yield from openai_chat.rules(body, whole=whole, path=path)
    yield from copies.role_faults("moonshot.role", body)
    yield from copies.part_faults("moonshot.part", body, ("text", "image_url", "video_url"))
    yield from copies.link_faults("moonshot.link", body, ("image_url", "video_url"), LINKS)
    for place, part, _ in copies.parts(body):
        if part.get("type") == "text" and part.get("text") == "":
            yield Fault("moonshot.empty_text", place, "text content is empty")
    if whole:
        yield from _request_faults(mapping(body))


def _request_faults(body: dict[str, Json]) -> Iterator[Fault]:
    yield from copies.strictness_faults("moonshot.strict", body)
    model, switch = str(body.get("model")), copies.thinking(body)
    thinks = switch == "enabled" or (switch != "disabled" and bool(THINKS.match(model)))
    if thinks:
        yield from copies.reasoning_faults("moonshot.thinking_back", body)
    yield from _depth_faults(body, model, switch)
    choice = body.get("tool_choice")
    if (choice == "required" and SECOND.match(model)) or (thinks and isinstance(choice, dict)):
        yield Fault("moonshot.forced", ("tool_choice",), f"{model} cannot be forced so")
    yield from _sampling_faults(body, model, thinks=thinks)
    for index, tool in objects(body.get("tools")):
        function, at = mapping(tool.get("function")), ("tools", index, "function")
        yield from _schema_faults(function.get("parameters"), (*at, "parameters"))
        if tool.get("type") == OWN_TOOL:
            if set(function) != {"name"} or not str(function["name"]).startswith("$"):
                yield Fault("moonshot.builtin", at, "a builtin function is its $name alone")
            elif thinks and SECOND.match(model):
                yield Fault("moonshot.search", at, "thinking must be off for it")


def _depth_faults(body: dict[str, Json], model: str, switch: str) -> Iterator[Fault]:
    effort = body.get("reasoning_effort")
    if switch == "disabled" and ALWAYS.match(model):
        yield Fault("moonshot.always", ("thinking",), f"{model} always thinks")
    if mapping(body.get("thinking")).get("keep") is not None and NO_KEEP.match(model):
        yield Fault("moonshot.keep", ("thinking", "keep"), f"{model} does not know it")
    if effort is not None and "thinking" in body and SECOND.match(model):
        yield Fault("moonshot.depth", ("reasoning_effort",), "beside thinking")
    if effort is not None and effort not in LEVELS:
        yield Fault("moonshot.effort", ("reasoning_effort",), f"{effort} is no level here")


def _sampling_faults(body: dict[str, Json], model: str, *, thinks: bool) -> Iterator[Fault]:
    if model.startswith("kimi-"):
        only, given = (1 if thinks else 0.6), body.get("temperature")
        if given is not None and given != only:
            yield Fault("moonshot.sampling", ("temperature",), f"only {only} is allowed")
        yield from copies.key_faults("moonshot.sampling", body, PINNED, "pinned by the model")
    stops = body.get("stop")
    for stop in stops if isinstance(stops, list) else [stops]:
        if isinstance(stop, str) and len(stop.encode()) > LONGEST_STOP:
            yield Fault("moonshot.stop", ("stop",), f"longer than {LONGEST_STOP} bytes")


def _schema_faults(schema: Json, at: Path) -> Iterator[Fault]:
    """Every property says its type."""
    for name, inner in mapping(mapping(schema).get("properties")).items():
        place = (*at, "properties", name)
        if isinstance(inner, dict) and not any(key in inner for key in TYPED):
            yield Fault("moonshot.schema", place, "a property without a type")
        yield from _schema_faults(inner, place)
    if isinstance(mapping(schema).get("items"), dict):
        yield from _schema_faults(schema["items"], (*at, "items"))
