"""Where media is: a URL, base64 text, a local file, or a file already at a provider.

Pure values. Nothing here opens or fetches anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias, final

from ..shown import Shown

__all__ = ["Base64Source", "FileSource", "LocalSource", "Source", "URLSource"]


class _Readable(Shown):
    """Blocks and sources answer `["key"]` and `.get("key")` for reading, as dicts would."""

    __slots__ = ()
    __iter__ = None  # a value with keys, not a sequence

    def __getitem__(self, key: str) -> object:
        try:
            return getattr(self, key)
        except (AttributeError, TypeError):
            raise KeyError(key) from None

    def get(self, key: str, default: object = None) -> object:
        """The field `key`, or `default` if there is none."""
        return getattr(self, key, default)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and hasattr(self, key)


@final
@dataclass(slots=True, repr=False)
class URLSource(_Readable):
    """Media at a URL. A path, or a `file://` URL, names a local file, as in AgentScope."""

    url: str
    media_type: str | None = None
    type: Literal["url"] = "url"


@final
@dataclass(slots=True, repr=False)
class Base64Source(_Readable):
    """Media as standard base64 text, e.g. `Base64Source("image/png", "iVBORw0...")`.

    `uri` is the data URI that it came in, if any: a wire that wants one gets the very string, and
    `data` is cut out of it when somebody asks.
    """

    _sealed: ClassVar[frozenset[str]] = frozenset({"data", "uri"})

    media_type: str
    data: str
    uri: str | None = None
    type: Literal["base64"] = "base64"

    @classmethod
    def within(cls, media_type: str, uri: str) -> Base64Source:
        """The media of a data URI, of which nothing is copied yet."""
        made = cls.__new__(cls)
        made.media_type = media_type
        made.uri = uri
        made.type = "base64"
        return made

    def __getattr__(self, name: str) -> str:
        """The data, once: its slot is empty until then."""
        if name != "data" or self.uri is None:
            raise AttributeError(name)
        self.data = self.uri[self.uri.index(",") + 1 :]
        return self.data

    def data_uri(self) -> str:
        """`data:<media type>;base64,<data>`."""
        return self.uri or f"data:{self.media_type};base64,{self.data}"


@final
@dataclass(slots=True, repr=False)
class LocalSource(_Readable):
    """A file of this machine, by path; an edge reads it before it is written to a wire."""

    path: str
    media_type: str | None = None
    type: Literal["local"] = "local"


@final
@dataclass(slots=True, repr=False)
class FileSource(_Readable):
    """A file already at a provider: its id or URI, and who issued it."""

    file_id: str
    issuer: str = ""
    media_type: str | None = None
    type: Literal["file"] = "file"


Source: TypeAlias = URLSource | Base64Source | LocalSource | FileSource
