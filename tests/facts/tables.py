"""What the tables that come in other packages say of models, as claims about one capability each.

litellm: `model_prices_and_context_window_backup.json`. pydantic-ai: the profiles of its providers.
openai, anthropic: the models that their types name. Packages are read where they are installed;
nothing is looked up anywhere else.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module, metadata, util
from pathlib import Path
from typing import Any, get_args

from dragoman.capabilities import Capabilities

# the names of vendors in the tables -> the wire whose facts they speak of
LITELLM = {
    "openai": "openai/openai-responses", "anthropic": "anthropic", "gemini": "gemini",
    "xai": "xai", "groq": "groq", "deepseek": "deepseek", "moonshot": "moonshot", "zai": "zhipu",
    "minimax": "minimax", "mistral": "mistral", "dashscope": "dashscope/openai-chat",
    "bedrock_converse": "bedrock", "cohere_chat": "cohere",
}  # fmt: skip
PYDANTIC_AI = {
    "openai": "openai/openai-responses", "anthropic": "anthropic", "google": "gemini",
    "grok": "xai", "xai": "xai", "groq": "groq", "deepseek": "deepseek", "moonshotai": "moonshot",
    "zai": "zhipu", "mistral": "mistral", "bedrock": "bedrock", "cohere": "cohere",
}  # fmt: skip
_CHATS = ("chat", "responses")
_REFUSING = ("refuses", "ignores", "pinned")


class NotInstalled(Exception):
    """A table cannot be read here; says what is missing."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What a table says of one capability of one model; `wire` is the one whose facts we ask."""

    table: str
    wire: str
    model: str
    about: str
    theirs: str | bool


def _efforts(caps: Capabilities) -> str:
    """The efforts that a model takes, none among them, as one text."""
    none = () if caps.thinks in ("always", "never") else ("none",)
    return " ".join((*none, *caps.efforts))


def _taking(word: str) -> Callable[[Capabilities], bool]:
    return lambda caps: word in caps.efforts


# what a claim is about -> what we say of it
OURS: dict[str, Callable[[Capabilities], str | bool]] = {
    "known": lambda caps: True,
    "thinks": lambda caps: caps.thinks != "never",
    "always thinks": lambda caps: caps.thinks == "always",
    "takes effort none": lambda caps: caps.thinks in ("default", "on_request"),
    "efforts": _efforts,
    "sees": lambda caps: "image" in caps.user,
    "hears": lambda caps: "audio" in caps.user,
    "sees films": lambda caps: "video" in caps.user,
    "schemas": lambda caps: "schema" in caps.formats,
    "samples": lambda caps: caps.options.get("temperature") not in _REFUSING,
    "tools": lambda caps: caps.tools,
    "forced tools": lambda caps: bool({"required", "tool"} & caps.tool_choices),
    "prefill": lambda caps: caps.prefill,
    **{f"effort {word}": _taking(word) for word in ("minimal", "low", "xhigh", "max")},
}

_FLAGS = {
    "supports_reasoning": "thinks", "supports_none_reasoning_effort": "takes effort none",
    "supports_vision": "sees", "supports_audio_input": "hears",
    "supports_video_input": "sees films", "supports_sampling_params": "samples",
    "supports_forced_tool_use": "forced tools", "supports_function_calling": "tools",
    "supports_response_schema": "schemas", "supports_native_structured_output": "schemas",
    "supports_bedrock_native_structured_output": "schemas",
    "supports_assistant_prefill": "prefill",
    **{f"supports_{word}_reasoning_effort": f"effort {word}"
       for word in ("minimal", "low", "xhigh", "max")},
}  # fmt: skip


def _loose(wire: str, flag: str, row: dict[str, Any]) -> bool:
    """Whether the flag says less than its name: what it allows, litellm may do by other means."""
    if flag == "supports_native_structured_output" and f"supports_bedrock_{flag[9:]}" in row:
        return True
    if flag == "supports_response_schema":  # also by a forced tool, or as JSON without a schema
        return wire == "bedrock" or (row[flag] is True and wire in ("deepseek", "zhipu"))
    return flag == "supports_assistant_prefill" and row[flag] is True


def version(package: str) -> str:
    """The installed version of a package. Raises NotInstalled."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        raise NotInstalled(f"{package} is not installed") from None


def litellm() -> Iterator[Claim]:
    """Every flag of litellm's table for the vendors that we know."""
    table = f"litellm {version('litellm')}"
    found = util.find_spec("litellm")
    if found is None or found.origin is None:
        raise NotInstalled("litellm is not installed")
    path = Path(found.origin).with_name("model_prices_and_context_window_backup.json")
    for name, row in json.loads(path.read_text(encoding="utf-8")).items():
        wire = LITELLM.get(row.get("litellm_provider", ""))
        if wire is None or row.get("mode") not in _CHATS:
            continue
        model = name.rpartition("/")[2]
        for flag, about in _FLAGS.items():
            if isinstance(row.get(flag), bool) and not _loose(wire, flag, row):
                yield Claim(table, wire, model, about, row[flag])
        if levels := row.get("reasoning_effort_levels"):
            yield Claim(table, wire, model, "efforts", " ".join(levels))


def pydantic_ai() -> Iterator[Claim]:
    """How the models that pydantic-ai names think and answer, by the profile of each provider."""
    table = f"pydantic-ai {version('pydantic-ai-slim')}"
    try:
        names = list(_texts(_value("pydantic_ai.models", "KnownModelName")))
        infer = _value("pydantic_ai.providers", "infer_provider_class")
    except ImportError as error:
        raise NotInstalled(f"pydantic-ai cannot be imported: {error}") from None
    for name in names:
        provider, _, model = name.partition(":")
        if (wire := PYDANTIC_AI.get(provider)) is None:
            continue
        try:
            profile = infer(provider).model_profile(model) or {}
        except ImportError:  # the SDK of this provider is not here
            continue
        for key, about in (("supports_thinking", "thinks"), ("supports_tools", "tools")):
            if isinstance(profile.get(key), bool):
                yield Claim(table, wire, model, about, profile[key])
        if profile.get("supports_thinking") and "thinking_always_enabled" in profile:
            always = bool(profile["thinking_always_enabled"])
            yield Claim(table, wire, model, "always thinks", always)
        words = profile.get("openai_reasoning_efforts") or profile.get("grok_reasoning_efforts")
        if words:
            order = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
            yield Claim(table, wire, model, "efforts", " ".join(w for w in order if w in words))


def openai() -> Iterator[Claim]:
    """Every model that the types of openai name is one that a fact is known of."""
    yield from _named("openai", "openai.types.shared.chat_model", "ChatModel", "openai")


def anthropic() -> Iterator[Claim]:
    """Every model that the types of anthropic name is one that a fact is known of."""
    yield from _named("anthropic", "anthropic.types.model_param", "ModelParam", "anthropic")


def _named(package: str, module: str, alias: str, wire: str) -> Iterator[Claim]:
    table = f"{package} {version(package)}"
    for model in _texts(_value(module, alias)):
        yield Claim(table, wire, model, "known", True)


def _texts(type_: Any) -> Iterator[str]:
    """The texts of a Literal, however deep it stands in unions."""
    for one in get_args(getattr(type_, "__value__", type_)):
        if isinstance(one, str):
            yield one
        else:
            yield from _texts(one)


def _value(module: str, name: str) -> Any:
    return getattr(import_module(module), name)


TABLES: dict[str, Callable[[], Iterator[Claim]]] = {
    "litellm": litellm, "pydantic-ai": pydantic_ai, "openai": openai, "anthropic": anthropic,
}  # fmt: skip
