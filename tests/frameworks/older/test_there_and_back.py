"""The law of `tests.bridges.law` for the bridges whose libraries are in this environment.

Each `test_NAME.py` beside this file that has a `BRIDGE` is under it.
"""

from __future__ import annotations

from importlib import import_module

import pytest

from tests.bridges.conversations import CONVERSATIONS, CORPUS
from tests.bridges.law import (
    BROKEN,
    Bridge,
    check_broken_call,
    check_conversation,
    check_odd_values,
    check_recorded,
    in_frameworks,
)
from tests.each_case import each_case

HERE = __name__.rpartition(".")[0]
BRIDGES: list[Bridge] = [
    import_module(f"{HERE}.test_{name}").BRIDGE for name in in_frameworks("older")
]
if not BRIDGES:
    pytest.skip("no bridge has its library here yet", allow_module_level=True)


@each_case(
    ("bridge", "name"),
    [(bridge, name) for bridge in BRIDGES for name in CONVERSATIONS],
    ids=lambda one: getattr(one, "name", one),
)
def test_a_conversation_comes_back(bridge: Bridge, name: str) -> None:
    check_conversation(bridge, name)


@pytest.mark.skipif(not CORPUS.is_dir(), reason="needs the recorded traffic in ../shared/corpus")
@each_case("bridge", BRIDGES, ids=lambda bridge: bridge.name)
def test_recorded_conversations_come_back(bridge: Bridge) -> None:
    check_recorded(bridge)


@each_case(
    ("bridge", "text", "cut"),
    [(bridge, text, cut) for bridge in BRIDGES for text, cut in BROKEN],
    ids=lambda one: getattr(one, "name", one),
)
def test_no_broken_call_is_run(bridge: Bridge, text: str, cut: bool) -> None:
    check_broken_call(bridge, text, cut=cut)


@each_case("bridge", BRIDGES, ids=lambda bridge: bridge.name)
def test_odd_values_raise_no_error_of_another(bridge: Bridge) -> None:
    check_odd_values(bridge)
