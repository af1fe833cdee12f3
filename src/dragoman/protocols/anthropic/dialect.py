"""What hosts of the Messages API disagree on; `capabilities.py` says what all of them carry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..._old_names import keeps_old_names
from ...stream.framing import Framing


@keeps_old_names
@dataclass(frozen=True, slots=True)
class Dialect:
    """How one host spells what the protocol leaves open.

    Attributes:
        text: A message that is one text is a `string`, or always `blocks`.
        path: The path below the base URL, with `{model}` where it has the model.
        version: The version of the API.
        version_place: The version is a header, or `anthropic_version` in the body.
        betas_place: Names of betas are a header, or `anthropic_beta` in the body.
        model_place: Whether the model is in the body or in the path.
        stream_flag: Whether the body says that a stream is wanted.
        framing: The framing of its streams.
        refused: Fields of the body that users may know from other hosts and this one refuses.
        reads_items_of: The hosts and protocols whose extras, opaque blocks and ids of stored items
            the host reads, its own name first.
        betas: The betas that the host takes; None for all.
    """

    text: Literal["string", "blocks"] = "string"
    path: str = "/v1/messages"
    stream_path: str = ""  # for hosts with a separate path for streams
    version: str = "2023-06-01"
    version_place: Literal["header", "body"] = "header"
    betas_place: Literal["header", "body"] = "header"
    model_place: Literal["body", "path"] = "body"
    stream_flag: bool = True
    framing: Framing = "sse"
    refused: tuple[str, ...] = ()
    model: str = "claude-opus-5-5"  # asked where the row of a host names none
    reads_items_of: tuple[str, ...] = ("anthropic",)
    betas: frozenset[str] | None = None
