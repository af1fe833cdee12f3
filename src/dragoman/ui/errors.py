"""The text of an error for a page: its kind only, unless the program gives more."""

from __future__ import annotations

from ..errors import DragomanError, ProviderError


def describe_error(error: BaseException) -> str:
    """Return what a page is shown of an error.

    The message of a provider, or of a tool, may be confidential, so only the kind of an error of
    ours is named, and its status.

    Args:
        error: The error.
    """
    if isinstance(error, EOFError):
        return "The answer broke off."
    if not isinstance(error, DragomanError):
        return "An error occurred."
    status = f" {error.status}" if isinstance(error, ProviderError) and error.status else ""
    return f"The answer could not be finished: {type(error).__name__}{status}."


def error_code(error: BaseException) -> str:
    """Return the short name of an error for programs; empty if it has none.

    Args:
        error: The error.
    """
    return error.code if isinstance(error, DragomanError) else ""
