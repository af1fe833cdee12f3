"""Tools that a provider runs itself, under neutral names; each wire spells them its own way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

from ..errors import InvalidMessage
from ..jsontext import check
from ..shown import Shown, shown
from .blocks import Extras
from .fields import instance, own_fields, text

__all__ = ["SERVER_TOOLS", "ServerTool"]

SERVER_TOOLS = ("web_search", "code_execution", "file_search", "own")


@dataclass(slots=True, repr=False)
class ServerTool(Shown):
    """A tool that the provider runs itself: `web_search`, `code_execution` or `file_search`.

    `domains` and `blocked_domains` narrow a search of the web, `location` (keys `country`,
    `region`, `city`, `timezone`) places it; `stores` are the ids of what a search of files looks
    through; `max_uses` bounds how often the tool runs in one answer. `extras` are one provider's
    own fields; they are all there is of the kind `own`, a tool that only its provider knows.
    """

    kind: Literal["web_search", "code_execution", "file_search", "own"]
    domains: tuple[str, ...] = ()
    blocked_domains: tuple[str, ...] = ()
    stores: tuple[str, ...] = ()
    max_uses: int | None = None
    location: dict[str, str] | None = None
    extras: Extras | None = None
    type: Literal["server"] = "server"

    def __post_init__(self) -> None:
        path = f"$.tools[{self.kind!r}]"
        if self.kind not in SERVER_TOOLS:
            raise InvalidMessage(
                f"unknown kind of server tool {shown(self.kind)}",
                path="$.tools",
                hint=f"one of {', '.join(SERVER_TOOLS)}",
                code="tool.type",
            )
        for name in ("domains", "blocked_domains", "stores"):
            given = getattr(self, name)
            instance(given, (list, tuple), f"{path}.{name}")
            for i, one in enumerate(given):
                text(one, f"{path}.{name}[{i}]")
            setattr(self, name, tuple(given))
        instance(self.max_uses, int, f"{path}.max_uses")
        if self.max_uses is not None and (self.max_uses is True or self.max_uses < 1):
            raise InvalidMessage("must be 1 or more", path=f"{path}.max_uses", code="block.field")
        instance(self.location, dict, f"{path}.location")
        check(self.location, f"{path}.location")
        own_fields(self.extras, f"{path}.extras")

    def given(self) -> list[tuple[str, Any]]:
        """The fields that are set, by name, without the kind."""
        names = ("domains", "blocked_domains", "stores", "max_uses", "location")
        return [(name, value) for name in names if (value := getattr(self, name))]

    @classmethod
    def of(cls, value: object, path: str = "$.tools") -> ServerTool | None:
        """The value if it is one, or one made of its plain form; None for any other tool."""
        if isinstance(value, ServerTool):
            return value
        if not isinstance(value, Mapping) or value.get("type") != "server":
            return None
        known = {f.name for f in fields(cls)}
        if unknown := sorted(str(name) for name in value if name not in known):
            raise InvalidMessage(f"unknown field {shown(unknown[0])}", path=path, code="tool.field")
        if "kind" not in value:
            raise InvalidMessage("kind is missing", path=path, code="tool.field")
        return cls(**value)
