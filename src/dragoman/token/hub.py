"""Where a tokenizer's files come from: a local folder, the hub, or a mirror of the hub.

A mirror is asked for these files only: no environment variable and no setting of the hub's
library changes, so other code in the process keeps its own endpoint.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..errors import ConfigError

__all__ = ["MIRROR", "library", "mirrored", "require"]

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


def mirrored(name: str, endpoint: str, options: dict[str, Any], code: bool) -> tuple[str, Any]:
    """Fetch the tokenizer's files of `name` from `endpoint`; the local folder and other options.

    The hub token that the user has saved is not shown to the mirror unless `token=` asks for it.
    `code` fetches the repository's own modules too.
    """
    hub = library("huggingface_hub")
    chosen = {key: options[key] for key in _HUB_OPTIONS if key in options}
    chosen = {"token": False, **chosen, "endpoint": endpoint}
    wanted = [*_FILES, *(("*.py",) if code else ())]
    try:
        folder = hub.snapshot_download(
            name, allow_patterns=wanted, ignore_patterns=list(_NEVER), **chosen
        )
    except hub.errors.LocalEntryNotFoundError as error:
        if not isinstance(error.__cause__, hub.errors.HfHubHTTPError):
            raise
        folder = _by_name(hub, name, chosen)
        if folder is None:
            raise
    return folder, {key: value for key, value in options.items() if key not in _HUB_OPTIONS}


def _by_name(hub: Any, name: str, chosen: dict[str, Any]) -> str | None:
    """The usual files, for a mirror that serves files and lists none; None if it has none."""
    folder = None
    for file in _USUAL:
        try:
            folder = str(Path(hub.hf_hub_download(name, file, **chosen)).parent)
        except hub.errors.EntryNotFoundError:
            continue
    return folder
