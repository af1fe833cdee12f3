"""Which models a gateway lists, and what each can."""

from __future__ import annotations

from ..errors import DragomanError
from ..vendors import wire
from .config import KEPT, Config, Route
from .surface import ListedModel

# what coding agents ask for unless a user has named a model, recorded on 2026-11-22: Claude Code
# 2.1.197, Codex 0.169 and Gemini CLI 0.61, whose router and summaries go to smaller ones
ALIASES = (
    "claude-opus-4-8", "gpt-5.5", "gpt-5.6-sol", "gpt-6.1-sol", "gemini-3.8-flash",
    "gemini-3.5-flash-lite", "gemini-3.1-pro-preview",
)  # fmt: skip


def listed(config: Config) -> list[ListedModel]:
    """Every model that a route names; with `aliases`, those that agents ask for at their start."""
    names: dict[str, Route] = {}
    for route in config.routes:
        patterns = [one for one in route.models if not set("*?[") & set(one)]
        own = "" if route.target.name.endswith(KEPT) else route.target.model("").model
        for name in (*patterns, *(target for target in (own,) if target and not patterns)):
            if config.route_of(name) is route:
                names.setdefault(name, route)
    if config.aliases:
        for name in ALIASES:
            if (found := config.route_of(name)) is not None:
                names.setdefault(name, found)
    return [_listed(name, route) for name, route in names.items()]


def listed_one(config: Config, name: str) -> ListedModel:
    """The model of this name. Raises ConfigError if no route serves it."""
    return _listed(name, config.route(name))


def _listed(name: str, route: Route) -> ListedModel:
    try:
        target = route.target.model(name)
    except DragomanError:  # a target for any model, and nobody has this one
        return ListedModel(name, "", wire("openai-chat").can(name))
    caps = wire(target.wire).can(target.model)
    return ListedModel(name, target.host.name, caps)
