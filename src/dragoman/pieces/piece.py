"""What a reader makes of a provider's events: a stream is a list of these, an answer their sum."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias, final

from ..errors import ProviderError
from ..jsontext import Json, JsonObject
from ..message import Finish, Usage
from ..message.blocks import ContentBlock
from ..shown import Shown

__all__ = ["End", "Failed", "Key", "Meta", "Part", "Piece", "Raw", "Usage"]

# the candidate, then where the block stands in it: keys in order are blocks in order
Key: TypeAlias = tuple[int, ...]


@final
@dataclass(slots=True, repr=False)
class Part(Shown):
    """A piece of the block `key`. Pieces of one key are summed; a `whole` one replaces them."""

    key: Key
    block: ContentBlock
    whole: bool = False


@final
@dataclass(slots=True, repr=False)
class Meta(Shown):
    """What is known of the answer, or of one `candidate`: fields that nobody models in `extras`.

    `joined`: each brings a piece of those fields (texts and lists grow); else the last one holds.
    `instead`: the model takes the place of one told before. `issuer`: whose fields these are.
    `notes`: how a whole answer was spelled, for those who write it again.
    """

    extras: JsonObject | None = None
    candidate: int | None = None
    model: str | None = None
    id: str | None = None
    joined: bool = False
    instead: bool = False
    issuer: str = field(default="", compare=False)
    notes: JsonObject | None = field(default=None, compare=False)


@final
@dataclass(slots=True, repr=False)
class End(Shown):
    """Why a candidate ended. Without one, the stream broke off."""

    finish: Finish
    candidate: int = 0


@final
@dataclass(slots=True, repr=False)
class Raw(Shown):
    """An event that no reader knows, kept as it came."""

    event: str | None
    payload: Json


@final
@dataclass(slots=True, repr=False)
class Failed(Shown):
    """The provider says that something went wrong, after the answer had begun."""

    error: ProviderError


Piece: TypeAlias = Part | Meta | Usage | End | Raw | Failed
