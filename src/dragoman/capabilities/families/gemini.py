"""Gemini and Gemma, by generation: how they think, what they refuse, what a request may hold.

Rows without a wire hold on any host; those of the wire `gemini` add the forms of generateContent.
Reference: Gemini API docs, "Thinking", "Thought signatures", "Function calling", changelog.
"""

from __future__ import annotations

from typing import Any

from .. import Fact

_THINKING = "Gemini API docs, Thinking: levels and budgets by model"
_NOTES = "Gemini API changelog"
_ARGON = "Gemini API docs, Get started with Gemini 4: thinking levels, no budgets"


# Since Gemini 3: media inside function responses, a resolution for each medium, one candidate,
# and a signature on the first call of every step.
_THREE: dict[str, Any] = {
    "result": ("text", "raw", "image", "document"),
    "details": ("image", "video", "document"),
    "foreign_calls": "bypass",
}


# since Gemini 4 Office files, too; Google Cloud, guides to Gemini 4 Carbon and Hydrogen
_OFFICE = "application/vnd.openxmlformats-officedocument"
_FILES: dict[str, Any] = {
    **_THREE,
    "media_types": {
        "document": (
            "application/pdf",
            "text/*",
            "application/msword",
            "application/vnd.ms-excel",
            "application/vnd.ms-powerpoint",
            f"{_OFFICE}.*",
            "application/vnd.oasis.opendocument.*",
        ),
    },
}


_ONE = {"n": "refuses"}


# since 3.6 flash and 3.5 flash-lite; announced as a future refusal
_DEAF = {**_ONE, **dict.fromkeys(("temperature", "top_p", "top_k"), "ignores")}
_FOUR = {**_DEAF, **dict.fromkeys(("presence_penalty", "frequency_penalty"), "refuses")}
# 400 "Tool use with function calling is unsupported" for search (symfony/ai issue 803), which is
# left out then, and so is URL context; one recording has it answered, and many have code execution
# together with functions
_TWO: dict[str, Any] = {
    "foreign_calls": "keep",
    "lone_server_tools": ("web_search", "web_fetch"),
}
_PREFILL: dict[str, Any] = {"prefill": True}
_NO_PREFILL: dict[str, Any] = {"prefill": False}  # "Requests ending with a model turn ..."
_BUDGET = (128, 32_768)


# models that answer with images take no functions: 400 "Thinking is not enabled for this model" of
# the first one, verified live on 2026-10-23
_IMAGES = "pydantic-ai 2.68, profiles/google.py; litellm 1.106, model table"
_DRAWS: dict[str, Any] = {"tools": False}
_GEMMA = "pydantic-ai 2.68 and litellm 1.106: no Gemma before the fourth thinks"


def _levels(*efforts: str, budgets: tuple[int, ...] = ()) -> dict[str, Any]:
    """Efforts of models whose thinking cannot be turned off."""
    return {"thinks": "always", "efforts": efforts, "budgets": budgets}


def _budget(least: int, most: int, thinks: str = "default") -> dict[str, Any]:
    return {"thinks": thinks, "efforts": (), "budgets": (least, most)}


def _model(
    models: tuple[str, ...],
    since: str,
    source: str,
    thinking: dict[str, Any],
    anywhere: dict[str, Any],
    content: dict[str, Any],
    options: dict[str, str] | None = None,
) -> tuple[Fact, ...]:
    """Facts for generateContent, and the part of them that holds on any host."""
    common = {**thinking, **anywhere}
    if options:
        common["options"] = options
    form = {"form": "level" if thinking["efforts"] else "budget"}
    own = Fact(models, {**common, **form, **content}, since, source, wire="gemini")
    return own, Fact(models, common, since, source)


# the newest comes last, under a pattern that also matches future generations
_MODELS = (
    _model(("gemini-2.5-flash-image*",), "2025-08-26", _IMAGES,
           {"thinks": "never", "efforts": (), "budgets": ()},
           {**_PREFILL, **_DRAWS}, _TWO),
    _model(("gemini-3.1-flash*image*",), "2026-02-26", _IMAGES, _levels("minimal", "high"),
           {**_PREFILL, **_DRAWS}, _THREE, _ONE),
    _model(("gemini-3*image*", "gemini-nano-banana*", "nano-banana*"), "2025-11-20", _IMAGES,
           _levels("low", "high", budgets=_BUDGET), {**_PREFILL, **_DRAWS}, _THREE, _ONE),
    _model(("gemini-4-hydrogen*",), "2026-11-18",
           "Google Cloud, Gemini 4 Hydrogen guide; langchain-google 0.2.15, litellm 1.110.2",
           _levels("low", "medium", "high", "xhigh"), _NO_PREFILL, _FILES, _FOUR),
    _model(("gemini-4-argon*", "gemini-4-carbon*"), "2026-10-13", _ARGON,
           _levels("low", "medium", "high"), _NO_PREFILL, _FILES, _FOUR),
    _model(("gemini-3.7*", "gemini-3.8*"), "2026-10-08", _THINKING,
           _levels("low", "medium", "high"), _NO_PREFILL, _THREE, _DEAF),
    # of 3.5, only flash-lite came with 3.6: LibreChat agents issue 323, pipecat issue 5821
    _model(("gemini-3.6*", "gemini-3.5-flash-lite*"), "2026-07-21", _NOTES,
           _levels("minimal", "low", "medium", "high"), _NO_PREFILL, _THREE, _DEAF),
    _model(("gemini-3.5*",), "2026-05-19", _NOTES,
           _levels("minimal", "low", "medium", "high"), _PREFILL, _THREE, _ONE),
    _model(("gemini-*-latest",), "2026-01-21", _NOTES,
           _levels("low", "medium", "high"), _NO_PREFILL, _THREE, _ONE),
    _model(("gemini-3.1-pro*",), "2026-01-21", _THINKING,
           _levels("low", "medium", "high", budgets=_BUDGET), _PREFILL, _THREE, _ONE),
    _model(("gemini-3-pro*",), "2025-11-18", _THINKING,
           _levels("low", "high", budgets=_BUDGET), _PREFILL, _THREE, _ONE),
    _model(("gemini-3-*", "gemini-3.[0-4]-*"), "2025-12-17", _THINKING,
           _levels("minimal", "low", "medium", "high"), _PREFILL, _THREE, _ONE),
    _model(("gemini-2.5-pro*",), "2025-03-25", _THINKING,
           _budget(*_BUDGET, "always"), _PREFILL, _TWO),
    _model(("gemini-2.5-flash-lite*",), "2025-06-17", _THINKING,
           _budget(512, 24_576, "on_request"), _PREFILL, _TWO),
    _model(("gemini-2.5*",), "2025-04-17", _THINKING, _budget(0, 24_576), _PREFILL, _TWO),
    _model(("gemma-[123]*", "gemma[123]*", "gemma-?n-*"), "2024-02-21", _GEMMA,
           {"thinks": "never", "efforts": (), "budgets": ()}, {}, {"system_place": "message"}),
    _model(("gemma-[0-9]*",), "2026-04-02", "livekit/agents issue 7095: minimal and high alone",
           _levels("minimal", "high"), {}, {}),
)  # fmt: skip


_NEWEST = _model(
    ("gemini-[0-9]*",),
    "2026-11-18",
    _NOTES,
    _levels("low", "medium", "high", "xhigh"),
    _NO_PREFILL,
    _FILES,
    _FOUR,
)


# from before thinking: shut down on 2026-06-01, but other hosts have them
_OLD, _BEFORE = ("gemini-2.0*", "gemini-1*"), {"thinks": "never", **_PREFILL}
# only for 2.5 and 3 there are recordings of calls that follow their schemas
_LOOSE: dict[str, Any] = {"strict_tools": False}


ROWS = (
    *(fact for rows in _MODELS for fact in rows),
    Fact(_OLD, {**_BEFORE, **_TWO, **_LOOSE}, "2024-12-11", _NOTES, wire="gemini"),
    Fact(_OLD, _BEFORE, "2024-12-11", _NOTES),
    # 400 "Function calling with a response mime type: 'application/json' is unsupported", "Tool use
    # with a ...": the tools stay, because the program needs them; the prompt asks for the format
    Fact(
        ("gemini-2*", "gemini-1*"),
        {"formats": ("text",)},
        "2025-05-06",
        "googleapis/python-genai issue 867; symfony/ai issue 803; snailyp/gemini-balance issue 264",
        wire="gemini",
        when="tools",
    ),
    *_NEWEST,
)
