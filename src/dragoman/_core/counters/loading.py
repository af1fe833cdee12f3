"""Where a tokenizer's files come from: a local folder, the hub, or a mirror of the hub.

A mirror is asked for these files only: no environment variable and no setting of the hub's
library changes, so other code in the process keeps its own endpoint.
"""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

from ...errors import ConfigError, ProviderError
from ..jsontext import JsonObject
from ..redaction import clipped
from .base import TokenCounterBase

MIRROR = "https://hf-mirror.com"

# What snapshot_download takes of from_pretrained's options; the rest goes to the tokenizer.
_HUB_OPTIONS = ("revision", "cache_dir", "token", "local_files_only", "force_download")
_FILES = ("*.json", "*.txt", "*.model", "*.spm", "*.tiktoken", "*.codes", "*.jinja")

_USUAL = (
    "tokenizer_config.json",
    "tokenizer.json",
    "config.json",
    "chat_template.jinja",
    "chat_template.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.json",
    "vocab.txt",
    "merges.txt",
    "tokenizer.model",
)

_NEVER = ("*.index.json", "onnx/*", "checkpoint*/*")


def require(counter: str, *names: str, extra: str = "tokens") -> None:
    """Raise ConfigError if a library is not installed, without importing any."""
    missing = [name for name in names if not _installed(name)]
    if missing:
        raise ConfigError(
            f"{counter} needs {' and '.join(missing)}",
            hint=f"pip install 'dragoman[{extra}]'",
            code="token.no_library",
        )


def _installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:  # the package around it is not there
        return False


def library(name: str, *, extra: str = "tokens") -> Any:
    """The library, imported now. By name: type checking a tokenizer library takes minutes."""
    try:
        return import_module(name)
    except ImportError as error:
        raise ConfigError(
            f"{name} cannot be imported: {error}",
            hint=f"pip install 'dragoman[{extra}]'",
            code="token.no_library",
        ) from error


def fetch_from_mirror(name: str, endpoint: str, options: JsonObject, code: bool) -> tuple[str, Any]:
    """Fetch the tokenizer's files of `name` from `endpoint`; the local folder and other options.

    The hub token that the user has saved is not shown to the mirror unless `token=` asks for it.
    `code` fetches the repository's own modules too.
    """
    hub = library("huggingface_hub")
    chosen = {key: options[key] for key in _HUB_OPTIONS if key in options}
    chosen = {"token": False, **chosen, "endpoint": endpoint}
    patterns = [*_FILES, *(("*.py",) if code else ())]
    try:
        folder = hub.snapshot_download(
            name, allow_patterns=patterns, ignore_patterns=list(_NEVER), **chosen
        )
    except hub.errors.LocalEntryNotFoundError as error:
        if not isinstance(error.__cause__, hub.errors.HfHubHTTPError):
            raise
        folder = _by_name(hub, name, chosen)
        if folder is None:
            raise
    return folder, {key: value for key, value in options.items() if key not in _HUB_OPTIONS}


def _by_name(hub: Any, name: str, chosen: JsonObject) -> str | None:
    """The usual files, for a mirror that serves files and lists none; None if it has none."""
    folder = None
    for file in _USUAL:
        try:
            folder = str(Path(hub.hf_hub_download(name, file, **chosen)).parent)
        except hub.errors.EntryNotFoundError:
            continue
    return folder


class Loading(TokenCounterBase):
    """A counter that loads a tokenizer or vocabulary at first use, once for all its threads.

    A copy, such as one that was pickled, loads its own. `_aside` names what a copy does without.
    """

    _aside: ClassVar[tuple[str, ...]] = ("_loaded", "_lock")

    async def count(
        self, messages: list[JsonObject], tools: list[JsonObject] | None = None, **kwargs: Any
    ) -> int:
        """The same as `count_sync`, in a worker thread: the first use may load or download."""
        return await asyncio.to_thread(self.count_sync, messages, tools, **kwargs)

    def _forget(self) -> None:
        self._lock = Lock()
        self._loaded: Any = None

    @abstractmethod
    def _load(self) -> Any:
        """What is loaded. Raises ConfigError where that fails."""

    def _once(self) -> Any:
        if self._loaded is None:
            with self._lock:
                if self._loaded is None:
                    self._loaded = self._load()
        return self._loaded

    def __getstate__(self) -> JsonObject:
        """Everything but what was loaded."""
        return {key: value for key, value in self.__dict__.items() if key not in self._aside}

    def __setstate__(self, state: JsonObject) -> None:
        self.__dict__.update(state)
        self._forget()


_MOST = 500  # characters of what the provider says; it may quote the prompt


class Clients:
    """One client for plain code and one for each event loop, made by `make(is_async)` on use."""

    def __init__(self, make: Callable[[bool], Any]) -> None:
        self._make = make
        self._plain: Any = None
        self._by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, Any] = WeakKeyDictionary()

    def plain(self) -> Any:
        """The client of plain code."""
        if self._plain is None:
            self._plain = self._make(False)
        return self._plain

    def here(self) -> Any:
        """The client of the running event loop."""
        loop = asyncio.get_running_loop()
        client = self._by_loop.get(loop)
        if client is None:
            client = self._by_loop[loop] = self._make(True)
        return client


class ClientCounter(TokenCounterBase):
    """A counter that asks a provider through its SDK, with the user's clients or its own ones."""

    def __init__(self, model_name: str, options: JsonObject, *clients: Any) -> None:
        if any(client is not None for client in clients) and any(options.values()):
            raise ConfigError(
                "a client was given, and arguments to make one",
                hint="give the client its key and options when you make it",
                code="token.client",
            )
        self.model_name = model_name
        self._options = options
        self._clients = Clients(self._make)

    @abstractmethod
    def _make(self, is_async: bool) -> Any:
        """A client of the SDK, made of the options."""

    def __getstate__(self) -> JsonObject:
        """Everything but the clients of its own making: a copy makes its own."""
        return {key: value for key, value in self.__dict__.items() if key != "_clients"}

    def __setstate__(self, state: JsonObject) -> None:
        self.__dict__.update(state)
        self._clients = Clients(self._make)


def count_error(error: Exception, status: Any, kind: Any, body: Any) -> ProviderError:
    """What the provider answered instead of a count."""
    return ProviderError(
        f"the provider did not count: {clipped(str(error), _MOST)}",
        status=status if isinstance(status, int) else None,
        type=kind if isinstance(kind, str) else "",
        body=body,
        hint="the count endpoint checks messages and tools as the model's own endpoint does",
        code="token.refused",
    )
