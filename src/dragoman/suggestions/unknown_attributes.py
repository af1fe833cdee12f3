"""Hints for attributes that objects of a class do not have, where its attributes are read often.

A `__getattr__` of a class makes each read of every attribute slower, for CPython (3.11) does not
specialize the reads of classes that have one: formatting calls of tools took a fifth longer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from .._old_names import HiddenAttribute


class UnknownAttribute(HiddenAttribute):
    """An attribute that objects do not have; what reads it gets an error with a hint.

    Args:
        name: Its name.
        hint: What to write instead.
    """

    def __init__(self, name: str, hint: str) -> None:
        self.name = name
        self.hint = hint

    def __get__(self, node: object, cls: type[Any]) -> NoReturn:
        """Raise AttributeError; for the class itself, its metaclass may have another hint."""
        if node is None:
            text = f"type object {cls.__name__!r} has no attribute {self.name!r}"
            raise AttributeError(text, name=self.name, obj=cls)
        text = f"{cls.__name__!r} object has no attribute {self.name!r} (here: {self.hint})"
        raise AttributeError(text, name=self.name, obj=node)


def explain_unknown(cls: type[Any], hints: Mapping[str, str]) -> None:
    """Make objects of a class explain attributes that they do not have.

    Args:
        cls: The class; what it has already stays. `dir` does not list the others.
        hints: What to write instead, by the name of the attribute.
    """
    unknown = {name: hint for name, hint in hints.items() if not hasattr(cls, name)}
    for name, hint in unknown.items():
        setattr(cls, name, UnknownAttribute(name, hint))

    list_all: Any = cls.__dir__

    def list_names(self: Any) -> list[str]:
        return [name for name in list_all(self) if name not in unknown]

    setattr(cls, "__dir__", list_names)  # noqa: B010 - no instance method for mypy
