"""What is mutated: made-up streams and whole answers, and recorded ones where there are any."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

from tests.contract.reading.recorded import PRESENT, exchanges
from tests.laws.streams import STREAMS, Event

__all__ = ["ANSWERS", "seeds"]

ANSWERS: dict[str, list[Any]] = json.loads(
    (Path(__file__).parent / "answers.json").read_text(encoding="utf-8")
)
LARGEST = 12_000  # characters of a recorded one


def seeds(recorded: int, seed: int) -> tuple[dict[str, list[list[Event]]], dict[str, list[Any]]]:
    """(streams, answers) of each wire: made up, and up to `recorded` of each that were recorded."""
    streams = {wire: list(made) for wire, made in STREAMS.items()}
    answers = {wire: list(made) for wire, made in ANSWERS.items()}
    for wire in streams if PRESENT and recorded else ():
        short = [one for one in exchanges(wire) if len(str(one.body or one.events)) < LARGEST]
        found = Random(seed).sample(short, len(short))
        streams[wire] += [one.events for one in found if one.events][:recorded]
        answers[wire] += [one.body for one in found if isinstance(one.body, dict)][:recorded]
    return streams, answers
