"""Results that a provider has written into a bucket of the user's."""

from __future__ import annotations

import logging
from array import array
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from ...errors import ConfigError
from ...protocols.batches import read_result_line
from ...vendors.protocol_rooms import batch_lines
from .files import publish
from .store import BatchStore, sync_file

_log = logging.getLogger("dragoman.llm")
_NONE = -1  # the part of a request that was not sent


def take_results(store: BatchStore, files: list[Path]) -> None:
    """Sort the lines of files into the results of each part; all parts have ended then.

    Args:
        store: The batch, under its lock.
        files: All files of results.

    Raises:
        ConfigError: No part goes through a bucket, or a file cannot be read.
        ReadError: A line is no JSON object.
    """
    parts = [part for part in store.parts if part.bucket]
    if not parts:
        text = "the results of this batch are asked for at its provider"
        raise ConfigError(text, hint="batch.results()", code="batch.bucket")
    homes = array("q", (item.get("part", _NONE) for item in store.each_item()))
    form, strange = batch_lines(parts[0].protocol), 0
    with ExitStack() as opened:
        places = {part.number: store.results(part.number).with_suffix(".tmp") for part in parts}
        targets: dict[int, Any] = {
            number: opened.enter_context(place.open("wb")) for number, place in places.items()
        }
        for path in files:
            try:
                file = opened.enter_context(path.open("rb"))
            except OSError as error:
                text = f"cannot read {path}: {error.strerror}"
                raise ConfigError(text, code="batch.file") from error
            for line in form.result_lines(file):
                number = store.number(form.result(read_result_line(line)).id)
                target = None if number is None else targets.get(homes[number])
                if target is None:
                    strange += 1
                else:
                    target.write(line.rstrip(b"\r\n") + b"\n")
        for target in targets.values():
            sync_file(target)
    if strange:
        _log.warning("%d lines of the results are about no request of the batch", strange)
    for part in parts:
        publish(places[part.number], store.results(part.number))
        part.step, part.phase, part.word, part.fetched = "sent", "ended", "taken", True
    store.save()
