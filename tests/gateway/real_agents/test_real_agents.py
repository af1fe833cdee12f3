"""Coding agents as people install them, run through the gateway, end their work as they should."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.gateway.real_agents.matrix import few, whole
from tests.gateway.real_agents.programs import AGENTS
from tests.gateway.real_agents.session import Wish, run
from tests.house.needs import program

# one short session for each agent in the gate; with `all` every agent on every kind of host
WISHES = whole() if os.environ.get("DRAGOMAN_AGENT_SESSIONS") == "all" else few()


@pytest.mark.parametrize("wish", WISHES, ids=lambda wish: wish.name.replace(" ", "-"))
def test_an_agent_ends_its_work_through_the_gateway(wish: Wish, tmp_path: Path) -> None:
    program("node", "coding agents run in it")
    program(str(AGENTS[wish.agent].executable()), "a coding agent that `make pytest` installs")
    outcome = run(wish, tmp_path / "session")
    assert outcome.faults == []
