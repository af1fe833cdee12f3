"""Written: a request in the form of one provider, with its losses and what answers need to know."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from .._old_names import keeps_old_names
from ..errors import ConfigError, DragomanError
from ..losses import Losses, Report
from ..text.json_text import JsonObject, encode_json
from ..text.redaction import Shown
from .check import FAULTS
from .shared import CopiedWhenRead, Shared, encode_shared
from .tools import Tool


@keeps_old_names
@dataclass(slots=True, repr=False)
class Written(Shown):
    """A request in the form of one provider: send `body` to `path` below the base URL.

    Attributes:
        body: The JSON body.
        path: The path, below the base URL.
        headers: The headers that the protocol requires; never a key.
        model: The model that is asked.
        ids: The ids on the wire, mapped to those of the messages.
        names: The tool names on the wire, mapped to the tools' own, if they differ.
        properties: By tool name on the wire, argument names mapped to the tools' own.
        original_tools: The functions on the wire that represent a tool of another kind, mapped to
            the tools.
        report: The losses and additions.
        make_prefix: Computes `prefix`.
        client: Computes the arguments of the official client from the body.
        make_residue: Computes `residue`.
        walk_sources: Yields (path in the body, node or Field of the request) for everything in the
            body.
    """

    body: JsonObject
    path: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    model: str | None = None
    ids: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    properties: dict[str, dict[str, str]] = field(default_factory=dict)
    original_tools: dict[str, Tool] = field(default_factory=dict)
    report: Report = field(default_factory=Report, repr=False, compare=False)
    make_prefix: Callable[[], str] | None = field(default=None, repr=False, compare=False)
    client: Callable[[JsonObject], dict[str, Any]] | None = field(
        default=None, repr=False, compare=False
    )
    make_residue: Callable[[], JsonObject] | None = field(default=None, repr=False, compare=False)
    walk_sources: Callable[[], Iterator[tuple[str, object]]] | None = field(
        default=None, repr=False, compare=False
    )

    @property
    def losses(self) -> Losses:
        """What could not be written, and what was added."""
        return self.report.losses

    @property
    def added(self) -> Losses:
        """What was added to the request: headings, placeholders, required fields."""
        return self.report.added

    @property
    def residue(self) -> JsonObject:
        """What the body does not carry, as plain JSON to store with it.

        `read_request(body, residue=...)` restores it, also after new turns. It is computed from the
        history at the first access, so use it before `detach`.
        """
        return self.make_residue() if self.make_residue is not None else {}

    @property
    def prefix(self) -> str:
        """The hash of the written tools and messages; opaque state of an answer is bound to it."""
        return self.make_prefix() if self.make_prefix is not None else ""

    def to_json(self, size: int = 0) -> bytes:
        """Return the body as JSON text in UTF-8, as it is sent.

        This is faster than reading `body`, of which a converted request makes a copy first.

        Args:
            size: Roughly how many bytes it will have, if it may be long.

        Returns:
            The text.

        Raises:
            InvalidMessage: A value was put into the body that is no JSON.

        >>> Written({"model": "m"}).to_json()
        b'{"model":"m"}'
        """
        body = _BODY.slot.__get__(self, Written)
        return encode_shared(body, size) if type(body) is Shared else encode_json(body, size)

    def sdk(self) -> dict[str, Any]:
        """Return the keyword arguments for the provider's official client, which then sends `body`.

        Fields that the client has no parameter for are in `extra_body`, and base64 is decoded to
        bytes where the client encodes it. docs/models.md names the method of each client.

        Returns:
            The keyword arguments.

        Raises:
            ConfigError: This is not a request, or the client cannot send one of its fields.
        """
        if self.client is None:
            raise ConfigError("an answer is not sent", hint="sdk() is for what write_request gave")
        try:
            return self.client(self.body)
        except DragomanError:
            raise
        except (*FAULTS, RecursionError) as error:  # read from a body, and unchanged
            raise ConfigError(
                "the body has not the form that the client takes",
                hint="send path, headers and body with an HTTP client",
                code="sdk.field",
            ) from error

    def detach(self) -> Written:
        """Replace the losses by their texts, so that the history can be freed; returns self."""
        kept = [loss.detach() for loss in self.report.losses]
        self.report = Report.of(kept, self.report.target)
        self.make_prefix = partial(str, self.prefix) if self.make_prefix is not None else None
        self.make_residue = self.walk_sources = None
        return self


# a converted request shares what it was made from with others, until a program looks at it
for _name in ("body", "original_tools"):
    setattr(Written, _name, CopiedWhenRead(Written.__dict__[_name]))
_BODY: CopiedWhenRead = Written.__dict__["body"]
