"""Where a tokenizer's files come from: a local folder, the hub, or a mirror of the hub.

A mirror is asked for these files only: no environment variable and no setting of the hub's
library changes, so other code in the process keeps its own endpoint.
"""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

from ..errors import ConfigError, ProviderError
from ..text.json_text import JsonObject
from ..text.redaction import clip_text
from .base import Messages, TokenCounterBase, Tools

MIRROR = "https://hf-mirror.com"

# What snapshot_download takes of from_pretrained's options; the rest goes to the tokenizer.
_HUB_OPTIONS = ("revision", "cache_dir", "token", "local_files_only", "force_download")
_FILES = ("*.json", "*.txt", "*.model", "*.spm", "*.tiktoken", "*.codes", "*.jinja")

_USUAL = (
    *("tokenizer_config.json", "tokenizer.json", "config.json", "chat_template.jinja"),
    *("chat_template.json", "special_tokens_map.json", "added_tokens.json", "vocab.json"),
    *("vocab.txt", "merges.txt", "tokenizer.model"),
)

_NEVER = ("*.index.json", "onnx/*", "checkpoint*/*")


def require(counter: str, *names: str, extra: str = "tokens") -> None:
    """Raise ConfigError if a library is not installed, without importing any."""
    missing = [name for name in names if not _is_installed(name)]
    if missing:
        text = f"{counter} needs {' and '.join(missing)}"
        raise ConfigError(text, hint=f"pip install 'dragoman[{extra}]'", code="token.no_library")


def _is_installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:  # the package around it is not there
        return False


def library(name: str, *, extra: str = "tokens") -> Any:
    """The library, imported now. By name: type checking a tokenizer library takes minutes."""
    try:
        return import_module(name)
    except ImportError as error:
        text = f"{name} cannot be imported: {error}"
        hint = f"pip install 'dragoman[{extra}]'"
        raise ConfigError(text, hint=hint, code="token.no_library") from error


def fetch_from_mirror(name: str, endpoint: str, options: JsonObject, code: bool) -> tuple[str, Any]:
    """Fetch the tokenizer's files of `name` from `endpoint`; the local folder and other options.

    The hub token that the user has saved is not shown to the mirror unless `token=` asks for it.
    `code` fetches the repository's own modules too.
    """
    hub = library("huggingface_hub")
    chosen = {key: options[key] for key in _HUB_OPTIONS if key in options}
    chosen = {"token": False, **chosen, "endpoint": endpoint}
    files = {"allow_patterns": [*_FILES, *(("*.py",) if code else ())]}
    files["ignore_patterns"] = list(_NEVER)
    try:
        folder = hub.snapshot_download(name, **files, **chosen)
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


class Transient:
    """What forgets a part of its state when it is copied, such as when it is pickled.

    `_aside` names what a copy does without; `_forget` puts it as it is at the beginning.
    """

    _aside: ClassVar[tuple[str, ...]] = ()

    def _forget(self) -> None:
        """Put what `_aside` names as it is at the beginning."""

    def __getstate__(self) -> JsonObject:
        """Everything but what is put aside."""
        return {key: value for key, value in self.__dict__.items() if key not in self._aside}

    def __setstate__(self, state: JsonObject) -> None:
        self.__dict__.update(state)
        self._forget()


class Loading(Transient, TokenCounterBase):
    """A counter that loads a tokenizer or vocabulary at first use, once for all its threads.

    A copy loads its own.
    """

    _aside: ClassVar[tuple[str, ...]] = ("_loaded", "_lock")

    async def count(self, messages: Messages, tools: Tools = None, **kwargs: Any) -> int:
        """Count in a worker thread, for the first use may load or download.

        Args:
            messages: The messages as they go to the provider.
            tools: The tool schemas as they go to the provider; None counts no tools.
            **kwargs: Options of `count_sync`.

        Returns:
            The number of tokens.
        """
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


_MOST = 500  # characters of the provider's message; it may quote the prompt


class ClientCounter(Transient, TokenCounterBase):
    """A counter that asks a provider through its SDK, with the user's clients or its own ones.

    Of its own it has one client for synchronous code and one for each event loop, created on use.
    `fields` are what the count endpoint takes of a request, `others` what it takes beside them;
    `messages_field` holds the messages there. `figure` is the attribute of the SDK's answer with
    the tokens, `error` the module and class of its errors, `error_fields` their attributes with
    status, type and body.
    """

    _aside = ("_plain", "_by_loop")
    fields: ClassVar[tuple[str, ...]]
    others: ClassVar[tuple[str, ...]] = ()
    messages_field: ClassVar[str]
    figure: ClassVar[str]
    error: ClassVar[tuple[str, str]]
    error_fields: ClassVar[tuple[str, str, str]]

    def __init__(self, model_name: str, options: JsonObject, client: Any, sync_client: Any) -> None:
        if (client is not None or sync_client is not None) and any(options.values()):
            text = "a client was given, and arguments to make one"
            hint = "give the client its key and options when you make it"
            raise ConfigError(text, hint=hint, code="token.client")
        self.model_name = model_name
        self.client = client
        self.sync_client = sync_client
        self._options = options
        self._forget()

    def _forget(self) -> None:
        self._plain: Any = None
        self._by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, Any] = WeakKeyDictionary()

    @abstractmethod
    def _make(self, is_async: bool) -> Any:
        """Create a client of the SDK from the options."""

    @abstractmethod
    def _request(self, messages: Messages, tools: Tools, fields: JsonObject) -> JsonObject | None:
        """The request to the endpoint; None if there is nothing to count."""

    @abstractmethod
    def _ask(self, client: Any, request: JsonObject, is_async: bool) -> Any:
        """The SDK's answer, or something to await that gives it."""

    @property
    def counts_sync(self) -> bool:
        """Whether `count_sync` works: not where only an async client was given."""
        return self.sync_client is not None or self.client is None

    async def count(self, messages: Messages, tools: Tools = None, **kwargs: Any) -> int:
        """Count messages and tools; leading system messages count as the system prompt.

        Args:
            messages: The messages as they go to the provider.
            tools: The tool schemas as they go to the provider; None counts no tools.
            **kwargs: Fields of the request, or options of the SDK's method.

        Returns:
            The number of tokens.

        Raises:
            ProviderError: The API refuses.
        """
        request = self._request(messages, tools, kwargs)
        if request is None:
            return 0
        client = self.client
        if client is None:
            loop = asyncio.get_running_loop()
            client = self._by_loop.get(loop) or self._by_loop.setdefault(loop, self._make(True))
        try:
            counted = await self._ask(client, request, True)
        except self._errors() as error:
            raise self._read_failure(error) from error
        return int(getattr(counted, self.figure) or 0)

    def count_sync(self, messages: Messages, tools: Tools = None, **kwargs: Any) -> int:
        """Count as `count` does, through the synchronous client.

        Args:
            messages: The messages as they go to the provider.
            tools: The tool schemas as they go to the provider; None counts no tools.
            **kwargs: Fields of the request, or options of the SDK's method.

        Returns:
            The number of tokens.

        Raises:
            ConfigError: The user gave an async client only.
            ProviderError: The API refuses.
        """
        if not self.counts_sync:
            return super().count_sync(messages, tools)
        request = self._request(messages, tools, kwargs)
        if request is None:
            return 0
        if self.sync_client is None and self._plain is None:
            self._plain = self._make(False)
        try:
            counted = self._ask(self.sync_client or self._plain, request, False)
        except self._errors() as error:
            raise self._read_failure(error) from error
        return int(getattr(counted, self.figure) or 0)

    async def count_body(self, body: JsonObject) -> int:
        """Count a whole request body.

        Args:
            body: The body, as `format_request` writes it.

        Returns:
            The number of tokens.

        Raises:
            ProviderError: The API refuses.
        """
        return await self.count(*self._parts(body), **self._fields(body))

    def count_body_sync(self, body: JsonObject) -> int:
        """Count a whole request body through the synchronous client.

        Args:
            body: The body, as `format_request` writes it.

        Returns:
            The number of tokens.

        Raises:
            ConfigError: The user gave an async client only.
            ProviderError: The API refuses.
        """
        return self.count_sync(*self._parts(body), **self._fields(body))

    def _parts(self, body: JsonObject) -> tuple[Messages, Tools]:
        return body.get(self.messages_field, []), body.get("tools")

    def _fields(self, body: JsonObject) -> JsonObject:
        """What else the endpoint takes of a whole request."""
        apart = (self.messages_field, "tools")
        return {key: body[key] for key in self.fields if key in body and key not in apart}

    def _check_fields(self, fields: JsonObject) -> None:
        """Raise ConfigError for a field that the endpoint refuses."""
        unknown = set(fields).difference(self.fields, self.others)
        if unknown:
            text = f"the count endpoint takes no {', '.join(sorted(unknown))}"
            raise ConfigError(text, hint=f"it takes {', '.join(self.fields)}", code="token.field")

    def _errors(self) -> Any:
        module, name = self.error
        return getattr(library(module), name)

    def _read_failure(self, error: Exception) -> ProviderError:
        status, kind, body = (getattr(error, name, None) for name in self.error_fields)
        return ProviderError(
            f"the provider did not count: {clip_text(str(error), _MOST)}",
            status=status if isinstance(status, int) else None,
            type=kind if isinstance(kind, str) else "",
            body=body,
            hint="the count endpoint checks messages and tools as the model's own endpoint does",
            code="token.refused",
        )


def leading_system(messages: Messages) -> int:
    """How many system messages a list begins with, which a request has in a place of their own."""
    roles = [message.get("role") for message in messages]
    return next((i for i, role in enumerate(roles) if role != "system"), len(roles))
