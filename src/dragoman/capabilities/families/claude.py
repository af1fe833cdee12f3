"""Claude, by generation: how it thinks, what it refuses, what its thinking is bound to.

Rows without a wire hold on any host; those of the wire `anthropic` add the forms of the Messages
API. Reference: Anthropic docs, "Thinking", "Effort", "Preserved thinking", model pages.
"""

from __future__ import annotations

from typing import Any

from .. import Fact

_THINKING = "Anthropic docs, Thinking: support, defaults and refused settings by model"
_SAMPLERS = ("temperature", "top_p", "top_k")
_ALL = ("low", "medium", "high", "xhigh", "max")


# the API takes 1024 tokens or more, below the answer's maximum, which has a maximum itself
_SHORT = (1024, 31_999)
_LONG = (1024, 63_999)
_LONGEST = (1024, 127_999)


# it takes only temperature 1 and top_p 0.99, which are its defaults
_PINNED: dict[str, Any] = {
    "options": {"temperature": "pinned", "top_p": "pinned", "top_k": "refuses"}
}


_SAMPLING: dict[str, Any] = {"options": dict.fromkeys(_SAMPLERS, "takes")}


# since Opus 4.1: "`temperature` and `top_p` cannot both be specified for this model"
_ONE_SAMPLER: dict[str, Any] = {"options": {**_SAMPLING["options"], "top_p": "alone"}}
_PLACED: dict[str, Any] = {"late_system": "placed"}
_BOUND: dict[str, Any] = {"binding": "prefix"}
_UNFORCED: dict[str, Any] = {"forced_tools": False}


def _match(*models: str) -> tuple[str, ...]:
    """Patterns of models such as `opus-4.5`: hosts write 4-5, and add dates and versions.

    A further digit makes another model: opus-5 is neither opus-5-5 nor a later version, while
    opus-5-20260724 is the same one, of that day.
    """
    bases = [f"claude-{model.replace('.', '[-.]')}" for model in models]
    ends = ("", "[:@]*", "-[!0-9]*", "-20[0-9][0-9]*")
    return tuple(base + end for base in bases for end in ends)


def _line(*lines: str) -> tuple[str, ...]:
    """Patterns of all models of a line such as `opus`, of future generations, too."""
    return tuple(f"claude-{line}-*" for line in lines)


def _thinks(how: str, efforts: tuple[str, ...] = _ALL, budgets: tuple[int, ...] = ()) -> Any:
    return {"thinks": how, "efforts": efforts, "budgets": budgets}


_REFUSES = "Anthropic docs, Preserved thinking; anthropics/cookbooks issue 854: forced tools"


# the source of most rows
_SOURCES = {
    "options": _THINKING,
    "thinks": _THINKING,
    "efforts": "Anthropic docs, Effort",
    "budgets": _THINKING,
    "forced_tools": _REFUSES,
    "binding": "Anthropic docs, Preserved thinking",
    "late_system": "Anthropic docs, Mid-conversation system messages",
}


def _model(
    models: tuple[str, ...],
    since: str,
    anywhere: dict[str, Any],
    messages: dict[str, Any],
    source: str = _THINKING,
    lines: tuple[str, ...] = (),
) -> tuple[Fact, ...]:
    """Facts for the Messages API, and the part of them that holds on any host.

    `lines` are patterns of models that are treated as these if no row above names them.
    """
    names = (*_match(*models), *lines)
    spelled = {"forced_tools": True, **anywhere, **messages}
    own = Fact(names, spelled, since, source, wire="anthropic", sources=_SOURCES)
    return own, Fact(names, anywhere, since, source, sources=_SOURCES)


_FIVE: dict[str, Any] = {"prefill": False, "options": dict.fromkeys(_SAMPLERS, "refuses")}
_MANUAL: dict[str, Any] = {"form": "budget", "prefill": True, "budget_in_maximum": True}


_BEFORE: dict[str, Any] = {
    "prefill": True,
    "server_tools": ("web_search", "web_fetch"),
    "formats": ("text",),  # schemas, of answers and of strict tools, came with Opus 4.1
    "strict_tools": False,
    **_SAMPLING,
}


_BOUND_ALWAYS = ({**_FIVE, **_thinks("always"), **_UNFORCED}, {**_BOUND, **_PLACED}, _REFUSES)


# the newest of each line come last, under a pattern that also matches the line's next models
_MODELS = (
    _model(("fable-5.1", "mythos-5.1"), "2026-08-31", *_BOUND_ALWAYS),
    _model(("fable-5", "mythos-5"), "2026-06-30", {**_FIVE, **_thinks("always")}, _PLACED),
    _model(("mythos-preview",), "2026-04-07",
           {**_FIVE, **_thinks("always", ("low", "medium", "high", "max")), **_UNFORCED}, {}),
    _model(("opus-5",), "2026-07-24", {**_FIVE, **_thinks("default")}, _PLACED),
    _model(("sonnet-5",), "2026-06-30", {**_FIVE, **_thinks("default")}, {}),
    _model(("opus-4.8",), "2026-05-28", {**_FIVE, **_thinks("on_request")}, _PLACED),
    _model(("opus-4.7",), "2026-04-16", {**_FIVE, **_thinks("on_request")}, {}),
    _model(("opus-4.6", "sonnet-4.6"), "2026-02-05",
           {"prefill": False, **_thinks("on_request", ("low", "medium", "high", "max"), _LONGEST)},
           {**_ONE_SAMPLER, "budget_in_maximum": True}),
    _model(("opus-4.5",), "2025-11-01", _thinks("on_request", ("low", "medium", "high"), _LONG),
           {**_MANUAL, **_ONE_SAMPLER}),
    _model(("sonnet-4.5", "haiku-4.5"), "2025-09-29", _thinks("on_request", (), _LONG),
           {**_MANUAL, **_ONE_SAMPLER}),
    _model(("opus-4.1",), "2025-08-05", _thinks("on_request", (), _SHORT),
           {**_MANUAL, **_ONE_SAMPLER, "server_tools": ("web_search", "web_fetch")}),
    _model(("opus-4", "opus-4.0"), "2025-05-14", _thinks("on_request", (), _SHORT),
           {**_BEFORE, **_MANUAL}),
    _model(("sonnet-4", "sonnet-4.0", "3.7-sonnet"), "2025-02-19", _thinks("on_request", (), _LONG),
           {**_BEFORE, **_MANUAL}),
    _model(("3.5-sonnet", "3.5-haiku"), "2024-06-20", _thinks("never", ()),
           {**_BEFORE, "max_tokens": 8192, "server_tools": ()}),
    _model(("3-opus", "3-sonnet", "3-haiku"), "2024-02-29", _thinks("never", ()),
           {**_BEFORE, "max_tokens": 4096, "server_tools": ()}),
    _model((), "2023-03-14", _thinks("never", ()),
           {**_BEFORE, "max_tokens": 4096, "server_tools": ()},
           lines=("claude-[12]", "claude-[12].*", "claude-v[12]*", "claude-instant*")),
    _model(("opus-5.5",), "2026-09-22", *_BOUND_ALWAYS, lines=_line("opus")),
    _model(("sonnet-5.5",), "2026-10-08",
           {**_FIVE, **_thinks("default"), **_UNFORCED},
           {**_BOUND, **_PLACED, "form": "between_tools"}, _REFUSES, lines=_line("sonnet")),
    # litellm 1.106 and pydantic-ai 2.68: documented as one that takes system messages in between
    _model(("haiku-5.5",), "2026-10-08", {**_FIVE, **_thinks("default"), **_PINNED},
           {**_BOUND, **_PLACED}, lines=_line("haiku")),
    _model(("fable-5.2", "mythos-5.2"), "2026-11-09", *_BOUND_ALWAYS, lines=("claude-[a-z]*-*",)),
)  # fmt: skip


_BUDGETED = _match(
    "opus-4.5",
    "sonnet-4.5",
    "haiku-4.5",
    "opus-4.1",
    "opus-4",
    "opus-4.0",
    "sonnet-4",
    "sonnet-4.0",
    "3.7-sonnet",
)


_BOTH = _match("opus-4.6", "sonnet-4.6")


_STATES = (
    # 400 "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode"
    Fact((*_BUDGETED, *_BOTH), {"options": {"temperature": "pinned", "top_k": "refuses"}},
         "2025-02-19", "Anthropic docs, Extended thinking: feature compatibility",
         when="thinking"),
    # 400 "Thinking may not be enabled when tool_choice forces tool use"
    Fact(_BUDGETED, {**_UNFORCED, "prefill": False}, "2025-02-19",
         "Anthropic docs, Extended thinking: tool use, prefill", when="thinking"),
    # in adaptive mode a forced tool was answered: recorded on Opus 4.6
    Fact(_BOTH, _UNFORCED, "2026-02-05", "Anthropic docs, Extended thinking: tool use",
         when="budget"),
    # 400 for an effort above high while thinking is turned off
    Fact(_match("opus-5", "sonnet-5.5", "haiku-5.5"), {"efforts": ("low", "medium", "high")},
         "2026-07-24", "Anthropic docs, Thinking: support by model", when="still"),
    # 400 "When thinking is disabled, an `assistant` message in the final position cannot contain
    # `thinking`"; of earlier turns these models keep none in any case
    Fact(_BUDGETED, {"thinking": "never"}, "2025-02-19",
         "tailcallhq/forgecode issue 1853: Sonnet 4.5, 2025-11-07", when="still"),
)  # fmt: skip


ROWS = (*(fact for rows in _MODELS for fact in rows), *_STATES)
