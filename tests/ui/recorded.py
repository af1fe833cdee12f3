"""The recorded streams of ../shared, read as events."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from dragoman import wire
from dragoman.stream.events import StreamEvent
from tests.bridges.conversations import CORPUS


def recorded_streams() -> Iterator[tuple[str, list[StreamEvent]]]:
    """(name, events) of each recorded stream that its API began."""
    for file in sorted(CORPUS.glob("*.jsonl")):
        if file.stem == "other":
            continue
        with file.open() as lines:
            for line in lines:
                row: dict[str, Any] = json.loads(line)
                if row["events"] and row["status"] == 200:
                    given = [(one["event"], one["data"]) for one in row["events"]]
                    yield f"{file.stem} {row['id']}", [*wire(file.stem).read_stream(given)]
