"""Options of a request, read and said again as they were read: each from the place it stood at.

`read_options` and `say_options` are each other's inverse; where there is more than one place, the
notes tell which. Reference: Amazon Bedrock API reference, "InferenceConfiguration", "OutputConfig",
"ServiceTier"; the makers' own fields in `additionalModelRequestFields`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from ...jsontext import Json, JsonObject
from ...message import Options

__all__ = ["place", "places_of", "put", "read_options", "say_options", "take"]

_OWN = "additionalModelRequestFields"
# option -> where it may stand; of several the first that is there
_PLACES: dict[str, tuple[str, ...]] = {
    "max_tokens": ("inferenceConfig.maxTokens",),
    "temperature": ("inferenceConfig.temperature",),
    "top_p": ("inferenceConfig.topP",),
    "top_k": (f"{_OWN}.top_k", f"{_OWN}.inferenceConfig.topK"),
    "stop": ("inferenceConfig.stopSequences",),
    "service_tier": ("serviceTier.type",),
    "reasoning_budget": (
        f"{_OWN}.thinking.budget_tokens", f"{_OWN}.reasoning_config.budget_tokens",
    ),
    "reasoning": (
        f"{_OWN}.output_config.effort", "outputConfig.effort",
        f"{_OWN}.reasoningConfig.maxReasoningEffort", f"{_OWN}.reasoning_effort",
    ),
}  # fmt: skip
_KINDS: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("max_tokens", "top_k", "reasoning_budget"), (int,)),
    **dict.fromkeys(("temperature", "top_p"), (int, float)),
    **dict.fromkeys(("service_tier", "reasoning"), (str,)),
    "stop": (list,),
}
# where thinking is turned on and off: Claude's place, its other name, Nova's
_SWITCHES = (
    f"{_OWN}.thinking.type",
    f"{_OWN}.reasoning_config.type",
    f"{_OWN}.reasoningConfig.type",
)
_WORDS = {"enabled": "on", "adaptive": "on", "disabled": "off"}


def read_options(rest: JsonObject, notes: JsonObject) -> Options:
    """The options of the body; what they say is taken out of `rest`."""
    given: dict[str, Any] = {}
    switch = next((at for at in _SWITCHES if place(rest, at) in _words(rest, at)), None)
    word = place(rest, switch) if switch else None
    for name, places in _PLACES.items():
        at = next((one for one in places if _fits(name, place(rest, one))), None)
        if at is None or (name in ("reasoning", "reasoning_budget") and word == "disabled"):
            continue
        given[name] = take(rest, at)
        if at != places[0]:
            notes[name] = {"at": at}
    if switch is not None:
        # a budget and an effort both need the switch that stands beside them; alone it is enough
        name = "reasoning_budget" if "reasoning_budget" in given else "reasoning"
        if name not in given:
            given["reasoning"], notes["reasoning"] = _WORDS[take(rest, switch)], {"at": None}
        else:
            take(rest, switch)
        notes.setdefault(name, {})["with"] = {switch: word}
    if "stop" in given:
        given["stop"] = tuple(given["stop"])
    return Options(**given)


def _words(rest: JsonObject, at: str) -> Collection[str]:
    return _WORDS if isinstance(place(rest, at), str) else ()


def _fits(name: str, value: Any) -> bool:
    if not isinstance(value, _KINDS[name]) or isinstance(value, bool):
        return False
    if isinstance(value, list):
        return bool(value) and all(isinstance(one, str) for one in value)
    return value != ""


def say_options(
    body: JsonObject, options: Options, notes: JsonObject, kept: Collection[str]
) -> None:
    """Put the options of `kept` back to where they stood."""
    for name, value in options.given():
        if name not in kept or name not in _PLACES:
            continue
        note = notes.get(name, {})
        at = note.get("at", _PLACES[name][0])
        if at is not None:
            put(body, at, list(value) if isinstance(value, tuple) else value)
        for switch, word in note.get("with", {}).items():
            put(body, switch, word)


def places_of(options: Options, notes: JsonObject) -> Iterator[tuple[str, str]]:
    """(option, the path that it was read from): all of it, where a switch stands beside it."""
    for name, _ in options.given():
        if name not in _PLACES:
            continue
        note = notes.get(name, {})
        at = note.get("at", _PLACES[name][0])
        switch = next(iter(note.get("with", ())), "")
        above = switch.rpartition(".")[0]
        if at is None:
            yield name, switch
        else:
            yield name, above if above and at.startswith(f"{above}.") else at


def place(body: JsonObject, at: str) -> Any:
    """The value at a path with dots; None if there is none."""
    value: Any = body
    for key in at.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def take(body: JsonObject, at: str) -> Json:
    """Take the value out of the body, and objects that are empty without it; the rest stays."""
    head, _, inner = at.partition(".")
    if not inner:
        return body.pop(head)
    body[head] = below = dict(body[head])
    value = take(below, inner)
    if not below:
        del body[head]
    return value


def put(body: JsonObject, at: str, value: Json) -> None:
    """Put a value into the body, which is changed; objects inside of it are not."""
    head, _, inner = at.partition(".")
    if not inner:
        body[head] = value
        return
    body[head] = below = dict(body.get(head) or {})
    put(below, inner, value)
