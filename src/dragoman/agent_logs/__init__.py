"""Conversations that other programs keep: the session logs of coding agents, and trajectories.

`read_session_log` tells by its content whose log a text is, and gives the conversation as our
messages. Where a log holds a provider's own JSON, the reader of that provider's wire reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from ..suggestions.import_names import listing, refusing
from . import atif, claude_code, codex, gemini_cli, opencode, pi, qwen_code
from .log import LogRow, SessionLog, Skipped, read_rows, unknown_log
from .stores import session_exports

__all__ = ["SessionLog", "Skipped", "read_session_log", "session_exports"]


class _LogReader(Protocol):
    """A module that reads the logs of one agent."""

    @property
    def claims(self) -> Callable[[Sequence[LogRow]], bool]:
        """Whether rows are its log."""

    @property
    def read(self) -> Callable[[Sequence[LogRow], list[Skipped]], SessionLog]:
        """The session in rows that are."""


_READERS: tuple[_LogReader, ...] = (atif, opencode, pi, claude_code, qwen_code, codex, gemini_cli)


def read_session_log(text: str, name: str = "") -> SessionLog:
    """The conversation in a session log; `name` is what an error calls the file.

    Logs of Claude Code, Codex, Gemini CLI, Qwen Code and pi are JSON lines; what `opencode export`
    prints and an ATIF trajectory are one JSON object. Raises ReadError, with the line, for what is
    none of these.

    >>> log = read_session_log('{"schema_version": "ATIF-v1.6", "session_id": "s1",'
    ...     ' "agent": {"name": "a", "version": "1"}, "steps": ['
    ...     '{"step_id": 1, "source": "user", "message": "Where is Paris?"}]}')
    >>> log.agent, log.messages[0].text
    ('atif', 'Where is Paris?')
    """
    rows, skipped = read_rows(text, name)
    for reader in _READERS:
        if reader.claims(rows):
            return reader.read(rows, skipped)
    raise unknown_log(rows, name)


if not TYPE_CHECKING:  # to which a name that there is not stays an error
    __getattr__ = refusing(__name__)
    __dir__ = listing(globals(), __all__)
