"""OpenAI's models by generation: how they reason, what they refuse while they do, and where.

Reference: OpenAI docs, "Reasoning", "Prompt caching", model pages; recorded 400s with the codes
unsupported_value and unsupported_parameter.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from .. import Fact
from .shared import CHAT, state

_GUIDE = "OpenAI docs, Reasoning: efforts by model; efforts that answers echo"
_REFUSED = "OpenAI API, recorded 400s: unsupported_value, unsupported_parameter"


_TOOLS = (
    'OpenAI API, 400 "Function tools with reasoning_effort are not supported": recorded;'
    " livekit/agents issue 5088, mindconnect issue 112"
)


# the source of every row
_SOURCES = {
    "options": _REFUSED,
    "thinks": _GUIDE,
    "efforts": _GUIDE,
    "tools_with_thinking": _TOOLS,
    "cache_hints": "OpenAI docs, Prompt caching",
    "cache_ttls": "OpenAI docs, Prompt caching",
}


_SAMPLERS = (
    "temperature",
    "top_p",
    "presence_penalty",
    "frequency_penalty",
    "logprobs",
    "top_logprobs",
)


_DEAF: dict[str, Any] = {"options": dict.fromkeys(_SAMPLERS, "refuses")}
_FREE: dict[str, Any] = {"options": dict.fromkeys(_SAMPLERS, "takes")}


# allowed_tools is OpenAI's own; audio is heard by the models that have it in their name
_OWN: dict[str, Any] = {
    "tool_choices": ("auto", "none", "required", "tool", "allowed"),
    "audio": False,
}


_BLIND: dict[str, Any] = {"image": False, "document": False}


# docs "Prompt caching": four breakpoints, since GPT-5.6
_MARKS: dict[str, Any] = {"cache_hints": 4, "cache_ttls": ("30m", "12h"), "cached_calls": False}
_WORDS = (*_MARKS, "tool_choices")
_THREE = ("low", "medium", "high")
_FOUR = (*_THREE, "xhigh")
_FIVE = (*_FOUR, "max")


def _thinks(how: str, efforts: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    deaf = {} if how in ("on_request", "never") else _DEAF
    return {**_OWN, **deaf, "thinks": how, "efforts": efforts, **more}


# "This is not a chat model": only Responses serves them
_ELSEWHERE: dict[str, Any] = {"endpoint": "/responses"}


# function tools on Chat Completions: not with an effort, later not with any reasoning
_UNLESS_ASKED: dict[str, Any] = {"tools_with_thinking": "default"}
# there `max` is refused on every model, and a breakpoint lasts 30 minutes (openai 3.54, ttl)
_NO_TOOLS: dict[str, Any] = {
    "tools_with_thinking": "no",
    "efforts": _FOUR,
    "cache_ttls": ("30m",),
}
# kinds of models, of every generation, that are no plain chat models
_CODEX = ("gpt-[0-9]*-codex*", "codex-*")
_PRO = ("gpt-[0-9]*-pro*", "o1-pro*", "o3-pro*", "o[0-9]*-deep-research*")
_CHAT = ("gpt-[0-9]*-chat*", "chat-latest")
# and OpenRouter's names of the newest (2026-11-20, pi-ai 1.6.0)
_TAKE_NONE = (
    "gpt-6-sol*",
    "gpt-6-luna*",
    "gpt-6.1-terra*",
    "gpt-luna-latest",
    "gpt-terra-latest",
)
_TABLE = "pydantic-ai 2.68, profiles/openai.py, verified live in 2026-10"
_CLI = "ben-vargas/ai-sdk-provider-codex-cli pull request 8: efforts by model"


_MODELS = (
    state(("gpt-audio*", "gpt-*-audio*"), "2024-10-01", "OpenAI docs, Audio: models",
          {**_thinks("never"), **_BLIND, "audio": ("user",)}),
    state(("gpt-5-pro*",), "2025-10-06", _GUIDE, _thinks("always", ("high",)), _ELSEWHERE),
    state(("o1-pro*", "o3-pro*", "o[0-9]*-deep-research*"), "2025-03-19", _GUIDE,
          _thinks("always", _THREE), _ELSEWHERE),
    state(_PRO, "2025-12-11", _TABLE, _thinks("always", ("medium", "high", "xhigh")), _ELSEWHERE),
    state(("codex-mini*",), "2025-05-16", _GUIDE, _thinks("always", _THREE), _ELSEWHERE),
    state(("gpt-5-codex*", "gpt-5.1-codex*"), "2025-09-23", _CLI,
          _thinks("always", _THREE), _ELSEWHERE, but=("gpt-5.1-codex-max*",)),
    state(("gpt-5.1-codex-max*", "gpt-5.2-codex*"), "2025-11-19", _CLI,
          _thinks("always", _FOUR), _ELSEWHERE),
    state(_CODEX, "2026-02-05", "litellm 1.106: none to xhigh of gpt-5.3-codex; " + _TABLE,
          _thinks("default", _FOUR), _ELSEWHERE),
    state(("gpt-5-chat*",), "2025-08-07", "OpenAI docs, model pages", _thinks("never")),
    state(_CHAT, "2025-11-13", _TABLE, _thinks("always", ("medium",))),
    state(("gpt-4", "gpt-4-0*", "gpt-4-32k*", "gpt-3*"), "2023-03-01",
          "OpenAI docs, model pages: text alone", {**_thinks("never"), **_BLIND}),
    state(("gpt-4*", "chatgpt-*"), "2023-11-06", "OpenAI docs, model pages", _thinks("never")),
    state(("gpt-5.[6-9]*",), "2026-07-09", _TOOLS, _thinks("default", _FIVE, **_MARKS),
          _NO_TOOLS),
    state(("gpt-5.5*",), "2026-04-23", _TOOLS, _thinks("default", _FOUR), _UNLESS_ASKED),
    state(("gpt-5.[2-4]*", "gpt-mini-latest"), "2025-12-11", _TOOLS,
          _thinks("on_request", _FOUR), _UNLESS_ASKED),
    state(("gpt-5.1*",), "2025-11-13", _GUIDE, _thinks("on_request", _THREE)),
    state(("gpt-5*",), "2025-08-07", _GUIDE, _thinks("always", ("minimal", *_THREE))),
    state(_TAKE_NONE, "2026-09-22", "OpenAI docs, Using GPT-6; " + _TOOLS,
          _thinks("default", _FIVE, **_MARKS), _NO_TOOLS),
    # since Astra there is no effort of none, except for the models above
    state(("gpt-6-astra*", "gpt-6.1-sol*"), "2026-09-03",
          "OpenAI docs, GPT-6 Astra and GPT-6.1 Sol; docs.apiyi.com: none is refused",
          _thinks("always", _FIVE, **_MARKS), _NO_TOOLS),
    state(("gpt-[0-9]*", "gpt-astra-latest", "gpt-sol-latest"), "2026-11-17",
          "apidog.com, GPT-6.2 Astra API: the API rejects none",
          _thinks("always", _FIVE, **_MARKS), _NO_TOOLS),
    state(("o3-mini*",), "2025-01-31", _REFUSED,
          {**_thinks("always", _THREE), **_BLIND}),
    state(("o1-mini*", "o1-preview*"), "2024-09-12", _REFUSED,
          {**_thinks("always", ("on",)), **_BLIND}),
    state(("o1*",), "2024-12-17", _REFUSED, _thinks("always", _THREE)),
    state(("o[0-9]*",), "2025-04-16", _REFUSED,
          _thinks("always", _THREE, options={**_DEAF["options"], "stop": "refuses"})),
)  # fmt: skip


# Reasoning by request: none is the default of 5.1 to 5.4, and can be asked of 5.5 and later.
_ASKED = ("gpt-5.[1-4]*",)
_STOPPED = ("gpt-5.[5-9]*", *_TAKE_NONE)
_NOT = (*_CODEX, *_PRO, *_CHAT)


_STATES = (
    Fact(_ASKED, _DEAF, "2025-11-13", _REFUSED, _NOT, when="thinking"),
    Fact(
        _STOPPED,
        _FREE,
        "2026-04-23",
        "OpenAI API, recorded: sampling with effort none",
        _NOT,
        when="still",
    ),
)


def _place_fact(fact: Fact) -> tuple[Fact, ...]:
    """The fact on OpenAI's own wires; on others without what only those have a field for."""
    fact = replace(fact, sources=_SOURCES)
    if fact.wire:
        return (fact,)
    rest = {name: value for name, value in fact.changes.items() if name not in _WORDS}
    if rest["audio"]:  # if the wire has a field for it
        del rest["audio"]
    responses = {**fact.changes, "audio": False}  # Responses has no part `input_audio`
    return (
        replace(fact, changes=responses, wire="openai-responses"),
        replace(fact, wire=CHAT),
        replace(fact, changes=rest),
    )


ROWS = (*(one for rows in _MODELS for fact in rows for one in _place_fact(fact)), *_STATES)
