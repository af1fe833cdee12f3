"""Reads conversations of other programs: the session logs of coding agents, and trajectories.

`read_session_log` recognizes the format by the content, and returns the conversation as `Msg`s. A
provider's own JSON in a log is read by the reader of that provider's wire.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from ..errors import ReadError
from ..suggestions.import_names import listing, refusing
from ..text.json_text import loads
from . import atif, claude_code, cline, codex, copilot, gemini_cli, opencode, pi, qwen_code
from .log import LogRow, SessionLog, Skipped, read_rows, unknown_log
from .model_calls import ModelCall, read_model_calls
from .stores import session_exports

__all__ = [
    "ModelCall",
    "SessionLog",
    "Skipped",
    "read_model_calls",
    "read_session_log",
    "session_exports",
]


class _LogReader(Protocol):
    """A module that reads the logs of one agent."""

    @property
    def claims(self) -> Callable[[Sequence[LogRow]], bool]:
        """Returns whether rows are a log of this agent."""

    @property
    def read(self) -> Callable[[Sequence[LogRow], list[Skipped]], SessionLog]:
        """Reads the session in such rows."""


_READERS: tuple[_LogReader, ...] = (
    atif,
    opencode,
    cline,
    copilot,
    pi,
    claude_code,
    qwen_code,
    codex,
    gemini_cli,
)


def read_session_log(text: str, name: str = "") -> SessionLog:
    """Read the conversation in a session log.

    Logs of Claude Code, Codex, Gemini CLI, Qwen Code, pi and Copilot CLI are JSON lines; what
    `opencode export` prints, a session of Cline and an ATIF trajectory are one JSON object.

    >>> log = read_session_log('{"schema_version": "ATIF-v1.6", "session_id": "s1",'
    ...     ' "agent": {"name": "a", "version": "1"}, "steps": ['
    ...     '{"step_id": 1, "source": "user", "message": "Where is Paris?"}]}')
    >>> log.agent, log.messages[0].text
    ('atif', 'Where is Paris?')

    Args:
        text: The content of the log.
        name: The name of the file, for errors.

    Returns:
        The session.

    Raises:
        ReadError: The text is not such a log, or a line is broken; the error names the line.
    """
    rows, skipped = read_rows(text, name)
    for reader in _READERS:
        if reader.claims(rows):
            return reader.read(rows, skipped)
    raise unknown_log(rows, name)


def begins_log(head: str, *, whole: bool) -> bool:
    """Whether a file that begins like this is one session, and no file of records.

    Trajectories and exports on a line each are records.

    Args:
        head: The beginning of the file.
        whole: Whether it is all of it.
    """
    lines = [line for line in head.split("\n") if line.strip()]
    if not lines:
        return False
    if not whole and not head.endswith("\n"):
        lines.pop()  # it may be cut
    rows: list[LogRow] = []
    for line in lines[:_SHOWN]:
        try:
            value = loads(line)
        except ReadError:
            break
        if not isinstance(value, dict):
            return False
        if not rows and _KEYS.isdisjoint(value):  # as in most files of records
            return False
        rows.append(LogRow(len(rows) + 1, value))
    if not rows:  # a document of several lines, or one line that is longer
        return _DOCUMENT.match(head) is not None
    return any(reader.claims(rows) for reader in _READERS if reader not in (atif, opencode))


_SHOWN = 200  # rows
_KEYS = frozenset({"type", "sessionId", "uuid"})  # the first row of each log has one
# how a trajectory begins, an export of opencode, and a session of Cline
_DOCUMENT = re.compile(
    r"""\s*\{(?:[^{}\[\]]*"schema_version"\s*:\s*"ATIF-v|\s*"info"\s*:\s*\{|\s*"version"\s*:\s*1,\s*"updated_at"\s*:)"""
)


if not TYPE_CHECKING:  # type checkers report unknown names themselves
    __getattr__ = refusing(__name__)
    __dir__ = listing(globals(), __all__)
