"""What the targets of a configuration need: token counters by name, and keys that are not set."""

from __future__ import annotations

import os
from typing import Any

from ...errors import ConfigError
from .config_values import KEPT, Target


def make_counter(name: str, model: str = "") -> Any:
    """A token counter by its name in a configuration: `openai/gpt-5.6`, `auto`, `characters`, ...

    `auto` is the counter of the model that is asked, without a network.

    Raises:
        ConfigError: There is no counter of this name.
    """
    from ... import tokens

    kind, _, named = name.partition("/")
    if kind in ("auto", "estimated"):
        made = tokens.choose_counter if kind == "auto" else tokens.EstimatedTokenCounter
        return made(named or model)
    title = next((one for one in tokens.__all__ if one.lower() == f"{kind}tokencounter"), None)
    if kind == "characters":
        return tokens.CharTokenCounter()
    if title is None or kind in ("sum", "cached", "base", "char", "installed"):
        known = "auto, characters, openai/MODEL, anthropic/MODEL, gemini/MODEL, huggingface/MODEL"
        raise ConfigError(
            f"there is no token counter {name!r}", hint=f"one of {known}", code="counter.name"
        )
    made = getattr(tokens, title)
    return made(named) if named else made()


def unset_key(target: Target) -> str:
    """The variable of a missing key, without which each call to this target will be refused."""
    if target.name == KEPT:  # the client's request names the vendor
        return ""
    model = target.model("model")
    auth = model.host.find_auth(model.protocol)
    own_server = bool(target.base_url)
    needs_key = auth.needs_key and not (auth.tokens or own_server)
    variable = target.key or (model.host.key if needs_key else "")
    given = target.secret is not None or os.environ.get(variable)
    return "" if given else variable
