"""Manner: how a history is said. Who speaks, what is added in which words, what may be fetched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..errors import ConfigError
from ..fetching import Fetch
from ..fit import Saver
from ..message import Base64Source, Source
from ..rewrite.prompt import SystemPrompt
from ..rewrite.speakers import ByName, ByRole, Rewrite, Tagged
from ..told import Told

__all__ = ["Manner"]


@dataclass(frozen=True, slots=True)
class Manner:
    """How a history is said: who speaks, what is added in which words, what may be fetched."""

    speakers: Rewrite = field(default_factory=ByRole)
    rewrites: Sequence[Rewrite] = ()  # a tuple, once it is made
    prompt: SystemPrompt = field(default_factory=SystemPrompt)
    told: Told = field(default_factory=Told)
    fetch: Fetch | None = None
    saver: Saver | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)
    insert_turns: bool = True  # in a plain list too; a request always has the turns it needs

    def __post_init__(self) -> None:
        listed: object = self.rewrites
        for one in (self.speakers, *(listed if isinstance(listed, (tuple, list)) else (listed,))):
            if not callable(one):
                raise ConfigError(
                    f"{type(one).__name__} is no rewrite of messages",
                    hint="speakers=ByName(), or a function (msgs, report) -> msgs",
                    code="formatter.rewrite",
                )
        object.__setattr__(self, "rewrites", tuple(self.rewrites))

    def seen_by(self, agent: str | None) -> Manner:
        """The same from an agent's point of view, where the speakers name nobody as oneself."""
        speakers = self.speakers
        if agent is None or not isinstance(speakers, (ByName, Tagged)) or speakers.me is not None:
            return self
        return replace(self, speakers=replace(speakers, me=agent))

    def once(self) -> Manner:
        """The same for several tries at one history: each medium is fetched and saved once."""
        made: dict[tuple[str, int], Any] = {}
        fetch, saver = self.fetch, self.saver

        def fetched(source: Source, path: str) -> Base64Source | None:
            key = ("fetched", id(source))
            if key not in made:
                made[key] = fetch(source, path) if fetch is not None else None
            found: Base64Source | None = made[key]
            return found

        def saved(media_type: str, data: str) -> str:
            key = (media_type, id(data))
            if key not in made:
                made[key] = saver(media_type, data) if saver is not None else ""
            place: str = made[key]
            return place

        return replace(
            self, fetch=fetched if fetch is not None else None,
            saver=saved if saver is not None else None,
        )  # fmt: skip
