"""JSON with values of the wrong type: it is read, or refused with an error of ours."""

from __future__ import annotations

import copy
import json
import random
import warnings
from collections.abc import Iterator
from typing import Any

from langchain_core.messages import messages_to_dict
from pydantic_ai.messages import ModelMessagesTypeAdapter

from dragoman.bridges import ai_sdk
from dragoman.errors import DragomanError
from tests.each_case import each_case

from .conversations import CONVERSATIONS
from .crossing import BRIDGES, Bridge
from .test_ai_sdk import THEIRS

ODD: list[Any] = [None, True, 0, -1, 1.5, "", "x", [], {}, [1], {"a": 1}, ["x"], [[]]]
TIMES = 80  # mutations of each bridge's JSON; seeds of 2500 each were run when this was written


def seeds(bridge: Bridge) -> list[Any]:
    """What the bridge writes of the conversations, as JSON."""
    found: list[Any] = []
    for messages in CONVERSATIONS.values():
        written = bridge.write(messages, policy="ignore").messages
        if bridge.name == "langchain":
            written = messages_to_dict(written)
        elif bridge.name == "pydantic_ai":
            written = ModelMessagesTypeAdapter.dump_python(written, mode="json")
        elif bridge.name == "google_adk":
            written = [json.loads(one.model_dump_json(exclude_none=True)) for one in written]
        found.append(written)
        if bridge.name == "ai_sdk":
            found.append(ai_sdk.write_ui_messages(messages, policy="ignore").messages)
    return [*found, THEIRS] if bridge.name == "ai_sdk" else found


def spots(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every value inside of a value."""
    inner: Any = value.items() if isinstance(value, dict) else ()
    inner = enumerate(value) if isinstance(value, list) else inner
    for key, item in inner:
        yield (*path, key)
        yield from spots(item, (*path, key))


def mutated(value: Any, chance: random.Random) -> Any:
    """A copy with one value replaced by one of another type, or left out."""
    found = copy.deepcopy(value)
    *way, last = chance.choice([*spots(found)])
    place = found
    for key in way:
        place = place[key]
    if isinstance(place, dict) and chance.random() < 0.25:
        del place[last]
    else:
        place[last] = copy.deepcopy(chance.choice(ODD))
    return found


@each_case("bridge", BRIDGES, ids=lambda bridge: bridge.name)
def test_odd_values_raise_no_error_of_another(bridge: Bridge) -> None:
    chance = random.Random(bridge.name)
    given = seeds(bridge)
    for _ in range(TIMES):
        body = mutated(chance.choice(given), chance)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # theirs, about the values
            try:
                bridge.write(bridge.read(body, policy="ignore").messages, policy="ignore")
            except DragomanError:
                continue
            except Exception as error:
                error.add_note(json.dumps(body)[:2000])
                raise
