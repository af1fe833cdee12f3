"""Messages and calls explain other libraries' attributes, and their own are read as fast as any."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from dragoman import Msg
from dragoman.message import ToolUseBlock
from dragoman.suggestions.import_names import OF_CALLS, OF_MESSAGES

OWNERS = [(Msg.user("Hi"), OF_MESSAGES), (ToolUseBlock("1", "find"), OF_CALLS)]


@pytest.mark.parametrize(("owner", "hints"), OWNERS)
def test_an_attribute_of_others_is_explained(owner: Any, hints: dict[str, str]) -> None:
    kind = type(owner).__name__
    for name, hint in hints.items():
        assert not hasattr(owner, name)
        assert name not in dir(owner)
        with pytest.raises(AttributeError) as caught:
            getattr(owner, name)
        assert str(caught.value) == f"{kind!r} object has no attribute {name!r} (here: {hint})"
        assert caught.value.obj is owner
        assert not hasattr(type(owner), name)
    assert copy.deepcopy(owner) == owner == pickle.loads(pickle.dumps(owner))


@pytest.mark.parametrize(("owner", "hints"), OWNERS)
def test_no_class_that_is_read_often_has_a_getattr(owner: Any, hints: dict[str, str]) -> None:
    """CPython does not specialize reads of classes that have one."""
    assert hints
    assert not any("__getattr__" in vars(one) for one in type(owner).__mro__)
