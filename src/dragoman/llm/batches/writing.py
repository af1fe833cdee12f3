"""Writes the requests of a batch: each for the model, into parts that a provider's limits allow.

A request that cannot be written is not sent, and its error is its result. Requests go into one part
as long as they have the same protocol, path, model and headers, and the part has room.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple, Self

from ...errors import ConfigError, DragomanError, ReadError, WriteError
from ...message import ChatRequest, Written
from ...message.stored import dump
from ...protocols.batches import BatchLimits
from ...structured_output import Structured
from ...text.json_text import JsonObject
from ...vendors import VENDORS, vendor
from ...vendors.protocol_rooms import batch_lines
from ..ask_loop import FrontDoor
from ..question import Question
from ..settings import Input
from ..targets import ModelTarget
from .store import BatchPart, BatchStore, sync_file, write_item

_OPEN_FILES = 16  # parts that may still take requests; each has other headers or another path


def find_limits(target: ModelTarget) -> BatchLimits:
    """Return how much a batch of a model's host holds.

    Raises:
        ConfigError: The host has no batches, or none that Dragoman knows.
    """
    host = target.wire.vendor
    protocol = target.wire.room.protocol
    if host is not None and protocol in host.batches:
        limits: BatchLimits = host.batches[protocol]
        return limits
    known = [f"{name}/{one}" for name in VENDORS for one in vendor(name).batches]
    name = host.name if host is not None else target.wire.name
    text = f"{name} over {protocol} has no batches that Dragoman knows"
    raise ConfigError(text, hint=f"those of {', '.join(known)}", code="batch.vendor")


class NamedRequest(NamedTuple):
    """A request with an id of the program's own, among others that may have none."""

    id: str
    request: Any


def each_request(requests: Any) -> Iterator[tuple[str | None, Any]]:
    """Yield (the program's own id or None, request) for a list of requests, or a mapping of ids.

    Raises:
        ConfigError: It is neither.
    """
    if isinstance(requests, Mapping):
        for key, request in requests.items():
            if not isinstance(key, str):
                text = f"an id of a request must be text, not {type(key).__name__}"
                raise ConfigError(text, path="$.requests", code="batch.requests")
            yield key, request
        return
    if isinstance(requests, (str, bytes)) or not isinstance(requests, Iterable):
        text = f"a batch is made of many requests, not of {type(requests).__name__}"
        hint = "a list of what ask() takes, or a mapping of ids to that"
        raise ConfigError(text, path="$.requests", hint=hint, code="batch.requests")
    for request in requests:
        yield tuple(request) if isinstance(request, NamedRequest) else (None, request)


class BatchWriter:
    """Writes requests into the files of a batch; `finish` makes it one.

    Args:
        file: The file of the state.
        door: The settings and models.
        form: The type or JSON Schema of the answers.
        settings: What every request of this batch has besides the settings of the LLM.

    Raises:
        ConfigError: The host has no batches, the file is there already, or a setting is wrong.
    """

    def __init__(self, file: Path, door: FrontDoor, form: Any, settings: Mapping[str, Any]) -> None:
        self._door = door
        self._form = form
        self._settings = settings
        question = self.parse("?")
        if question.call:
            name = next(iter(question.call))
            text = f"{name} is of the connection, which a batch has from its LLM"
            raise ConfigError(
                text, path=f"$.{name}", hint=f"LLM(..., {name}=...)", code="batch.call"
            )
        self.target = door.first_target(question)
        in_bucket = find_limits(self.target).bucket
        structured = question.structured
        header = {
            "tag": f"{int(time.time()):x}{os.urandom(5).hex()}",
            "target": self.target.name,
            "address": "" if in_bucket else self.target.model.endpoint.address(),
            "allow_partial": question.allow_partial,
            "format": None if structured is None else dump_format(structured),
        }
        self.store = BatchStore.begin(file, header)
        self.structured = structured
        self._parts: dict[tuple[Any, ...], tuple[BatchPart, BinaryIO]] = {}
        self._files = ExitStack()
        self._items: Any = self._files.enter_context(self.store.items.open("wb"))
        self._first: DragomanError | None = None
        self._written = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._files.close()

    def parse(self, x: Input) -> Question:
        """Return the question for one request."""
        return self._door.parse_call(x, self._form, dict(self._settings))

    def refuse(self, key: str | None, error: DragomanError) -> None:
        """Record a request that is not sent."""
        self._first = self._first or error
        write_item(self._items, {"id": key, "error": dump_error(error)})
        self.store.count += 1

    def add(self, key: str | None, question: Question) -> None:
        """Write a request, or record why it cannot be written."""
        target = self._door.first_target(question)
        try:
            out = target.write(question.request, question.structured, question.way)
            limits = find_limits(target)
            form = batch_lines(target.wire.room.protocol)
            line = form.line(self.store.key(self.store.count), out.path, out.to_json()) + b"\n"
        except (WriteError, ReadError) as error:
            self.refuse(key, error)
            return
        if len(line) > limits.size:
            text = f"the request takes {len(line):,} bytes, and a batch holds {limits.size:,}"
            too_long = WriteError(text, hint="shorten it, or ask by itself", code="batch.size")
            self.refuse(key, too_long)
            return
        part, file = self._find_part(target, out, limits, len(line))
        is_bound = target.formatter.can.binding != "none"
        item = {"id": key, "part": part.number, "at": part.size, **dump_written(out, is_bound)}
        if question.request.agent_name is not None:
            item["agent"] = question.request.agent_name
        file.write(line)
        write_item(self._items, item)
        part.count += 1
        part.size += len(line)
        self._written += 1
        self.store.count += 1

    def _find_part(
        self, target: ModelTarget, out: Written, limits: BatchLimits, size: int
    ) -> tuple[BatchPart, BinaryIO]:
        protocol = target.wire.room.protocol
        group = (protocol, out.path, out.model, *sorted(out.headers.items()))
        held = self._parts.get(group)
        if held is not None:
            part = held[0]
            if part.count < limits.requests and part.size + size <= limits.size:
                return held
            self._close(group)
        if len(self._parts) >= _OPEN_FILES:
            self._close(next(iter(self._parts)))
        part = BatchPart(
            len(self.store.parts),
            protocol,
            out.path,
            out.model or "",
            dict(out.headers),
            bucket=limits.bucket,
        )
        self.store.parts.append(part)
        file = self._files.enter_context(self.store.requests(part.number).open("wb"))
        self._parts[group] = part, file
        return part, file

    def _close(self, group: tuple[Any, ...]) -> None:
        _, file = self._parts.pop(group)
        sync_file(file)
        file.close()

    def finish(self) -> BatchStore:
        """Write all of it to the disk; the batch is there then.

        Raises:
            ConfigError: There are no requests.
            WriteError: None of them can be written; this is the error of the first.
        """
        if not self.store.count:
            raise ConfigError("a batch without requests", path="$.requests", code="batch.requests")
        if not self._written and self._first is not None:
            raise self._first
        for group in [*self._parts]:
            self._close(group)
        sync_file(self._items)
        self.store.save()
        return self.store


def dump_written(out: Written, is_bound: bool) -> JsonObject:
    """Return what is needed of a written request to read its answer, besides its body.

    Args:
        out: The request.
        is_bound: Whether thinking of its answer is bound to the history, of which a hash is kept.
    """
    tools: dict[str, Any] = {}
    for name, tool in out.original_tools.items():
        [tools[name]] = dump(ChatRequest([], tools=[tool]))["value"]["tools"]
    losses = [{**loss.to_dict(), "field": loss.field} for loss in out.report.losses]
    return {
        "names": out.names,
        "ids": out.ids,
        "properties": out.properties,
        "tools": tools,
        "prefix": out.prefix if is_bound else "",
        "losses": losses,
    }


def dump_format(structured: Structured[Any]) -> JsonObject:
    """Return the type of the answers as JSON: its schema, and what it is called."""
    form = structured.format
    about = {"name": form.name, "description": form.description, "strict": form.strict}
    return {"schema": structured.schema, **about}


def dump_error(error: DragomanError) -> JsonObject:
    """Return an error as JSON, for `load_error`."""
    stored = {"type": type(error).__name__, "text": str(error), "message": error.message}
    return {**stored, "path": error.path, "hint": error.hint, "code": error.code}
