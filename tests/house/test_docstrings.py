"""A public docstring says what its function does, and not where else to read that."""

from __future__ import annotations

from pathlib import Path

from .docstrings import find_mere_references, find_unknown_arguments
from .sources import PACKAGE

MODULE = '''
__all__ = ["Client", "ask", "ask_later", "stream"]

def ask():
    """Ask a model. See `ChatRequest` for what goes in."""

def ask_later():
    """The same in a loop."""

def stream():
    """See `ask.stream`. Raises ConfigError."""

class Client:
    """See Server."""

    def close(self):
        """See Server.close."""

    def open(self):
        """See that a connection is there.

        Raises:
            OSError: If there is none.
        """
'''


def test_public_docstrings_say_what_is_done() -> None:
    assert find_mere_references(PACKAGE) == []


def test_mere_references_are_found(tmp_path: Path) -> None:
    (tmp_path / "__init__.py").write_text(MODULE, "utf-8")
    assert find_mere_references(tmp_path) == [
        "__init__.py:Client",
        "__init__.py:Client.close",
        "__init__.py:ask_later",
        "__init__.py:stream",
    ]


def test_docstrings_describe_arguments_that_there_are() -> None:
    assert find_unknown_arguments(PACKAGE) == []


def test_an_argument_that_is_gone_is_found(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text(
        '''
def ask(text, *files, **fields):
    """Ask.

    Args:
        text: What is asked.
        *files: Files beside it.
        **fields: Others: as they are.
        made, done: Gone.
    """

class Client:
    """A client.

    Args:
        key: Its key.
        url: Gone.
    """

    def __init__(self, key): ...
'''
    )
    assert find_unknown_arguments(tmp_path) == ["one.py:ask:made, done", "one.py:Client:url"]
