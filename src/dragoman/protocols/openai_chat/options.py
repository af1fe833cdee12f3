"""The options of a request: where each may stand in the body, read from there and said there again.

`read_options` and `say_option` are each other's inverse; the notes tell which of several places it
was. Reference: OpenAI API, "Create chat completion", request body; requests of some forty hosts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from ...errors import InvalidMessage
from ...jsontext import Json, JsonObject
from ...message import Options
from ...message.options import NO_OPTIONS
from .dialect import Dialect

__all__ = ["Spots", "option_places", "read_options", "respell", "say_option", "spots"]

Spots: TypeAlias = Mapping[str, tuple[str, ...]]  # option -> where it may stand, the usual first

_SPOTS: dict[str, tuple[str, ...]] = {
    "max_tokens": ("max_completion_tokens", "max_tokens"),
    **{name: (name,) for name in (
        "temperature", "top_p", "top_k", "presence_penalty", "frequency_penalty",
        "repetition_penalty", "seed", "n", "logprobs", "top_logprobs", "service_tier",
    )},
    "user": ("user", "safety_identifier"),  # the newer of them last: not every host knows it
    "reasoning_budget": ("reasoning.max_tokens", "thinking_budget", "thinking.budget_tokens"),
}  # fmt: skip
_REAL = {"temperature", "top_p", "presence_penalty", "frequency_penalty", "repetition_penalty"}
_TEXTS = {"service_tier", "user"}
# where thinking is asked for, and which words of the place are ours
_SWITCH = {True: "on", False: "off"}
_EFFORT = {"none": "off"}
_WORDS: dict[str, dict[Any, str]] = {
    "reasoning_effort": _EFFORT,
    "reasoning.effort": _EFFORT,
    "thinking.type": {"enabled": "on", "disabled": "off", "adaptive": "on"},
    "reasoning.enabled": _SWITCH,
    "enable_thinking": _SWITCH,
    "chat_template_kwargs.enable_thinking": _SWITCH,
    "chat_template_kwargs.thinking": _SWITCH,
}


# fields of a request that are no options; many requests have no others
_OTHERS = frozenset({"messages", "model", "stream", "tools", "tool_choice", "response_format",
                     "stream_options", "parallel_tool_calls"})  # fmt: skip


def spots(dialect: Dialect) -> Spots:
    """Where options stand in the requests of this dialect: in its own place first."""
    own = {**dialect.keys, "max_tokens": dialect.max_tokens_key}
    return {
        name: (own[name], *(one for one in usual if one != own[name])) if name in own else usual
        for name, usual in _SPOTS.items()
    }


def read_options(body: JsonObject, notes: JsonObject, spots: Spots) -> Options:
    """The options, which are taken out of the body; what no option can hold stays there."""
    if body.keys() <= _OTHERS:
        return NO_OPTIONS
    rest, said = dict(body), dict(notes)
    given: dict[str, Any] = {}
    for name, places in spots.items():
        for place in places:
            if place.partition(".")[0] in body and _fits(name, value := _at(rest, place)):
                given[name] = value
                _take(rest, place)
                if place != places[0]:
                    said[name] = place
                break
    stop = rest.get("stop")
    if isinstance(stop, str):
        given["stop"], said["stop"] = (rest.pop("stop"),), "text"
    elif isinstance(stop, list) and stop and all(isinstance(one, str) for one in stop):
        given["stop"] = tuple(rest.pop("stop"))
    _thinking(rest, given, said)
    try:
        made = Options(**given)
    except InvalidMessage:  # text or numbers that no JSON can say again
        return Options()
    body.clear()
    body.update(rest)
    notes.update(said)
    return made


def _thinking(rest: JsonObject, given: dict[str, Any], notes: JsonObject) -> None:
    """The first place that asks for thinking; others are noted that say no more than it does."""
    also: JsonObject = {}
    for place, words in _WORDS.items():
        if place.partition(".")[0] not in rest:
            continue
        value = _at(rest, place)
        if not (isinstance(value, bool) if words is _SWITCH else isinstance(value, str) and value):
            continue
        word = words.get(value, value)
        if "reasoning" not in given:
            given["reasoning"] = word
            notes["reasoning"] = place if value != "adaptive" else f"{place} adaptive"
        elif word not in ("on", "off") or (word == "off") != (given["reasoning"] == "off"):
            continue
        else:
            also[place] = value
        _take(rest, place)
    if also:
        notes["thinking"] = also


def _fits(name: str, value: Any) -> bool:
    if name == "logprobs":
        return isinstance(value, bool)
    if name in _TEXTS:
        return isinstance(value, str)
    kinds = (int, float) if name in _REAL else (int,)
    return isinstance(value, kinds) and not isinstance(value, bool)


def say_option(body: JsonObject, name: str, value: Any, notes: JsonObject, spots: Spots) -> None:
    """Put an option where it was read from."""
    if name == "stop":
        body["stop"] = value[0] if notes.get("stop") == "text" else list(value)
    elif name == "reasoning":
        place, _, own = notes["reasoning"].partition(" ")
        words = {ours: theirs for theirs, ours in reversed(_WORDS[place].items())}
        _put(body, place, own or words.get(value, value))
        for other, told in notes.get("thinking", {}).items():
            _put(body, other, told)
    else:
        _put(body, notes.get(name, spots[name][0]), value)


def respell(body: JsonObject, options: Options, notes: JsonObject, spots: Spots) -> None:
    """Put options that were changed under the keys that they were read from."""
    for name, _ in options.given():
        usual, *others = spots.get(name, ("",))
        for place in others:
            if notes.get(name) == place and "." not in place and usual in body:
                body[place] = body.pop(usual)


def option_places(options: Options, notes: JsonObject, spots: Spots) -> Iterator[tuple[str, str]]:
    """(option, its path in the body) of those that are set."""
    for name, _ in options.given():
        if name == "reasoning":
            yield name, notes.get("reasoning", "reasoning_effort").partition(" ")[0]
        else:
            yield name, "stop" if name == "stop" else notes.get(name, spots[name][0])


def _at(body: JsonObject, place: str) -> Any:
    head, _, inner = place.partition(".")
    value = body.get(head)
    if not inner:
        return value
    return value.get(inner) if isinstance(value, dict) else None


def _take(body: JsonObject, place: str) -> None:
    """Leave the value out of the body; what else there is in its object stays."""
    head, _, inner = place.partition(".")
    rest = {key: value for key, value in body[head].items() if key != inner} if inner else None
    if rest:
        body[head] = rest
    else:
        del body[head]


def _put(body: JsonObject, place: str, value: Json) -> None:
    head, _, inner = place.partition(".")
    body[head] = {**(body.get(head) or {}), inner: value} if inner else value
