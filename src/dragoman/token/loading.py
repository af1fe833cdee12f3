"""Loading: what a counter reads from disk or network, once, at its first use."""

from __future__ import annotations

from abc import ABC, abstractmethod
from threading import Lock
from typing import Any, ClassVar

__all__ = ["Loading"]


class Loading(ABC):
    """A counter that loads a tokenizer or vocabulary at first use, once for all its threads.

    A copy, such as one that was pickled, loads its own. `_aside` names what a copy does without.
    """

    _aside: ClassVar[tuple[str, ...]] = ("_loaded", "_lock")

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

    def __getstate__(self) -> dict[str, Any]:
        """Everything but what was loaded."""
        return {key: value for key, value in self.__dict__.items() if key not in self._aside}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._forget()
