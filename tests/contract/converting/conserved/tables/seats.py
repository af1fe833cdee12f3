"""Who speaks, by the words of the wires."""

from __future__ import annotations

from typing import Any

from ..spelled import SERVED

__all__ = ["ROLES", "by_role", "inside", "served", "words"]

ROLES = {
    "system": "system", "developer": "system", "user": "user", "assistant": "assistant",
    "model": "assistant", "tool": "tool", "function": "tool",
}  # fmt: skip


def by_role(message: dict[str, Any]) -> str | None:
    """The seat that a message names."""
    role = message.get("role")
    return ROLES.get(role) if isinstance(role, str) else None


def served(tool: dict[str, Any]) -> str | None:
    """Tools that the provider runs stand apart."""
    kind = tool.get("type")
    return "server" if isinstance(kind, str) and kind.startswith(tuple(SERVED)) else None


def inside(seat: str) -> Any:
    """Whatever is in here is said in this seat."""
    return lambda _: seat


def words(text: str) -> frozenset[Any]:
    """Several words at once."""
    return frozenset(text.split())
