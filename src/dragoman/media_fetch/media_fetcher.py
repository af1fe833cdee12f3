"""MediaFetcher: media from the web and from folders that a program names, for `fetch=`.

Fetched bytes must be of the declared kind. Each medium is fetched once, as long as the fetcher
lives and its cache has room.
"""

from __future__ import annotations

import asyncio
import base64
import ssl
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from os import PathLike
from pathlib import Path
from threading import BoundedSemaphore, Lock
from typing import Any, TypeAlias

from ..errors import ConfigError, MediaRefused, WriteError
from ..message import Base64Source, LocalSource, Source, URLSource
from ..message.media import KNOWN_BY_BYTES, detect_media_type
from ..message.media_urls import is_data_uri, is_local
from ..text.redaction import show
from .local_files import TooLarge, bytes_below, parse_path, type_by_name
from .web import Resolve, WebLimits, download, resolve_addresses, too_large

_Key: TypeAlias = tuple[str, str | None]
_ZIP, _OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"


class MediaFetcher:
    """Fetches media for `fetch=`, from the web and from folders; it refuses anything else.

    Needs the extra `http` for the web. Threads may share it; `afetch` and `amany` are for event
    loops. Calls raise MediaRefused for what is not allowed, WriteError for what cannot be fetched.

    Args:
        hosts: The hosts that may be asked, as `host`, `host:port` or a pattern such as
            `*.example.com`; by default every public host, at the port of its scheme.
        max_bytes: The largest medium.
        timeout: Seconds for one whole fetch, without the resolver.
        redirects: How many are followed; each is checked like the first address.
        roots: Folders below which files may be read.
        most: The most addresses that are fetched for one request; one named twice counts twice.
        max_total: The most bytes that they may have together.
        concurrent: How many are fetched at a time.
        schemes: The schemes that are allowed.
        networks: Private networks that may be reached (`10.1.0.0/16`); all addresses that are not
            public are refused otherwise.
        cached: The bytes of fetched media that are cached.
        of_read: Whether to fetch web addresses of user messages in a body that a wire read, too.
            A file that such a body names is never read, nor is what a tool or a model names.
        resolve: `resolve(host, port)` gives addresses, instead of the machine's resolver.
        ssl_context: The certificates that are trusted.

    Raises:
        ConfigError: An argument has a value that is not allowed.
    """

    def __init__(
        self,
        hosts: Sequence[str] | None = None,
        *,
        max_bytes: int = 20 * 2**20,
        timeout: float = 30.0,
        redirects: int = 3,
        roots: Sequence[str | PathLike[str]] = (".",),
        most: int = 100,
        max_total: int = 100 * 2**20,
        concurrent: int = 4,
        schemes: Sequence[str] = ("https",),
        networks: Sequence[str] = (),
        cached: int = 64 * 2**20,
        of_read: bool = False,
        resolve: Resolve | None = None,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        for name, texts in (("hosts", hosts), ("schemes", schemes), ("roots", roots)):
            if isinstance(texts, str):
                text = f"{name} is a text, which would be taken sign by sign"
                raise ConfigError(text, hint=f"{name}=[{show(texts)}]", code=f"fetcher.{name}")
        for name, number in (("concurrent", concurrent), ("most", most), ("max_total", max_total)):
            if number < 1:
                raise ConfigError(f"{name} must be 1 or more", code=f"fetcher.{name}")
        self.limits = WebLimits(
            None if hosts is None else tuple(hosts),
            tuple(schemes),
            tuple(networks),
            max_bytes,
            timeout,
            redirects,
            resolve or resolve_addresses,
            ssl_context,
        )
        self.roots = tuple(Path(root) for root in roots)
        self.most = most
        self.max_total = max_total
        self.concurrent = concurrent
        self.cached = cached
        self.of_read = of_read
        self._begin()

    def _begin(self) -> None:
        self._running: dict[_Key, Future[Base64Source]] = {}
        self._kept: OrderedDict[_Key, Base64Source] = OrderedDict()
        self._size = 0
        self._lock = Lock()
        self._slots = BoundedSemaphore(self.concurrent)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._begin()

    def __call__(self, source: Source, path: str = "$") -> Base64Source | None:
        """Fetch a medium; None for a source that is neither a file nor an address.

        `path` names the source in errors.
        """
        if is_local(source):
            return self._file(source, path)
        if not isinstance(source, URLSource) or is_data_uri(source.url):
            return None
        key = source.url, source.media_type
        with self._lock:
            if found := self._kept.get(key):
                self._kept.move_to_end(key)
                return found
            running = self._running.get(key)
            if mine := running is None:
                running = self._running[key] = Future()
        if not mine:
            return running.result()
        try:
            with self._slots:
                data, told = download(source.url, self.limits, path)
            found = _check_type(data, source.media_type, told, path)
        except BaseException as error:
            with self._lock:
                del self._running[key]
            running.set_exception(error)
            raise
        with self._lock:
            self._keep(key, found)
            del self._running[key]
        running.set_result(found)
        return found

    def many(self, wanted: Sequence[tuple[Source, str]]) -> list[Base64Source | None]:
        """Fetch all media of one request, `concurrent` of them at a time.

        Args:
            wanted: (source, path) of each; the path is for errors.

        Returns:
            What a call returns, for each of them.

        Raises:
            MediaRefused: There are more than `most`, they have more bytes than `max_total`, or one
                of them is not allowed.
            WriteError: One of them cannot be fetched.
        """
        if len(wanted) < 2:
            return [self(*one) for one in wanted]
        asked = [path for source, path in wanted if _is_asked(source)]
        if len(asked) > self.most:
            text = f"{len(asked)} media would be fetched for one request"
            hint = f"{self.most} may be: raise most=, or send fewer"
            raise MediaRefused(text, path=asked[self.most], hint=hint, code="fetch.number")
        left, lock = self.max_total, Lock()

        def fetch(source: Source, path: str) -> Base64Source | None:
            nonlocal left
            if not _is_asked(source):
                return self(source, path)
            if left < 0:  # so that the next ones do not begin
                raise self._too_much(path)
            if (found := self(source, path)) is not None:
                with lock:
                    left -= len(found.data) * 3 // 4 - found.data[-2:].count("=")
                if left < 0:
                    raise self._too_much(path)
            return found

        with ThreadPoolExecutor(min(self.concurrent, len(wanted))) as pool:
            running = [pool.submit(fetch, *one) for one in wanted]
            try:
                return [one.result() for one in running]
            finally:
                for one in running:
                    one.cancel()

    def _too_much(self, path: str) -> MediaRefused:
        text = f"the media that are fetched for one request have more than {self.max_total:,} bytes"
        return MediaRefused(
            text, path=path, code="fetch.total", hint="raise max_total=, or send fewer"
        )

    fetch = __call__  # the counterpart of `afetch`, by this package's naming

    async def afetch(self, source: Source, path: str = "$") -> Base64Source | None:
        """Fetch a medium in a thread, so that the event loop goes on.

        Args:
            source: The source.
            path: Names the source in errors.

        Returns:
            The bytes; None for a source that is neither a file nor an address.

        Raises:
            MediaRefused: It is not allowed.
            WriteError: It cannot be fetched.
        """
        return await asyncio.to_thread(self, source, path)

    async def amany(self, wanted: Sequence[tuple[Source, str]]) -> list[Base64Source | None]:
        """Fetch all media of one request in threads; see `many`.

        Args:
            wanted: (source, path) of each; the path is for errors.

        Raises:
            MediaRefused: There are too many, or one of them is not allowed.
            WriteError: One of them cannot be fetched.
        """
        return await asyncio.to_thread(self.many, wanted)

    def _keep(self, key: _Key, found: Base64Source) -> None:
        size = len(found.data)
        if size > self.cached:
            return
        self._kept[key] = found
        self._size += size
        while self._size > self.cached:
            _, gone = self._kept.popitem(last=False)
            self._size -= len(gone.data)

    def _file(self, source: Source, path: str) -> Base64Source:
        if getattr(source, "read", False):
            text = "a body that was read names a file of this machine"
            hint = "give its bytes, if you mean it"
            raise MediaRefused(text, path=path, hint=hint, code="fetch.root")
        name = source.path if isinstance(source, LocalSource) else getattr(source, "url", "")
        try:
            resolved = parse_path(name).resolve()
            root = next((root for root in self._folders() if resolved.is_relative_to(root)), None)
            if root is None:
                text = f"the file {show(name)} is below none of the folders that may be read"
                hint = "name its folder in roots="
                raise MediaRefused(text, path=path, hint=hint, code="fetch.root")
            data = bytes_below(root, resolved.relative_to(root).parts, self.limits.max_bytes)
        except TooLarge as error:
            raise too_large(self.limits, path) from error
        # ValueError: no valid path or URL; RuntimeError: links in a circle
        except (OSError, ValueError, RuntimeError) as error:
            reason = getattr(error, "strerror", "") or error
            text = f"cannot read the local file {show(name)}: {reason}"
            raise WriteError(
                text, path=path, hint="check the path", code="media.missing"
            ) from error
        return _check_type(data, source.media_type, type_by_name(resolved) or "", path)

    def _folders(self) -> list[Path]:
        """The folders of `roots` at present; the root of a disk only if it was named."""
        folders = [(root, root.resolve()) for root in self.roots]
        return [now for root, now in folders if root.is_absolute() or now != now.parent]


def _is_asked(source: Source) -> bool:
    """Whether the source is on the web; files are the program's own."""
    return isinstance(source, URLSource) and not (is_local(source) or is_data_uri(source.url))


def _check_type(data: bytes, given: str | None, told: str, path: str) -> Base64Source:
    """The medium with the type of its bytes, which must be of the declared kind."""
    seen = detect_media_type(data[:64])
    named = (given or told or "").lower()
    if seen is None:
        if not _may_be(named, data):
            what = f"no {show(named)}" if named else "of no known type"
            hint = "the server gave something else, or name its media_type"
            raise MediaRefused(
                f"by its first bytes it is {what}", path=path, hint=hint, code="fetch.magic"
            )
        seen = named
    elif given and _kind(given) != _kind(seen):
        text = f"by its first bytes it is {seen}, no {show(given)}"
        hint = "mend the media_type, or leave it out"
        raise MediaRefused(text, path=path, hint=hint, code="fetch.magic")
    return Base64Source(seen, base64.b64encode(data).decode("ascii"))


def _kind(media_type: str) -> str:
    """The kind that must agree; containers for video may hold only audio, and often do."""
    kind = media_type.lower().partition("/")[0]
    return {"image": "image", "audio": "sound", "video": "sound"}.get(kind, media_type.lower())


def _may_be(named: str, data: bytes) -> bool:
    """Whether bytes that begin with no known signature may be of the type."""
    kind, _, form = named.partition("/")
    if not form or named in KNOWN_BY_BYTES:
        return False
    if "openxmlformats" in form or form.endswith(("+zip", "/zip")):
        return data.startswith(_ZIP)
    if form in ("msword", "vnd.ms-excel", "vnd.ms-powerpoint"):
        return data.startswith(_OLE)
    textual = kind == "text" or form.endswith(("+xml", "+json"))
    if textual or form in ("json", "xml", "yaml", "toml", "rtf"):
        return b"\0" not in data[:4096]
    if form in ("mpeg", "mp3", "aac"):  # frames begin with eleven set bits
        return len(data) > 1 and data[0] == 0xFF and data[1] >= 0xE0
    return kind == "audio" and form.startswith(("pcm", "l16", "l24", "basic", "x-raw"))
