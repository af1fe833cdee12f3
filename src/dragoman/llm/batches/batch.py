"""Batch and AsyncBatch: many requests, sent over the batch interface of their provider."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self, TypeAlias, TypeVar
from weakref import finalize

from ...errors import ConfigError, DragomanError, ProviderError, ReadError, WriteError
from ...model.batch_calls import BatchEndpoint
from ...structured_output import Structured
from ..ask_loop import FrontDoor
from .buckets import take_results
from .reading import BatchItem, BatchReader
from .status import BatchStatus
from .steps import BatchSteps, Download, Pause, Steps
from .store import BatchPart, BatchStore, sync_file, write_item
from .writing import BatchWriter, each_request

_T = TypeVar("_T")
Place: TypeAlias = "str | os.PathLike[str]"
Progress: TypeAlias = "bool | Callable[[BatchStatus], object]"


class _Batch:
    """What Batch and AsyncBatch share: the files, and what needs no network."""

    def __init__(
        self, store: BatchStore, door: FrontDoor, structured: Structured[Any] | None
    ) -> None:
        self._store = store
        self._door = door
        self._structured = structured
        self._steps = BatchSteps(store, door.target)

    @classmethod
    def load(cls, file: Place, llm: Any = None, response_format: Any = None) -> Self:
        """Load a batch that another process has made, or this one before.

        Args:
            file: The file that it was saved in.
            llm: The LLM that asks for it, if more than its name is needed: a key, an address, a
                Vendor of your own. None is an LLM of the name in the file, whose key is in the
                environment.
            response_format: The type of the answers, as when it was made; without it `parsed` is
                plain JSON of the same schema.

        Returns:
            The batch.

        Raises:
            ConfigError: There is no batch, or it is of another model or address.
        """
        store = BatchStore.load(Path(file))
        door = FrontDoor(store.header["target"], {}) if llm is None else find_door(llm)
        _check_target(store, door)
        structured = None
        if (form := response_format or store.header["format"]) is not None:
            structured = form if isinstance(form, Structured) else _structured(form)
        return cls(store, door, structured)

    @property
    def target(self) -> str:
        """The model that is asked, as an LLM takes it."""
        name: str = self._store.header["target"]
        return name

    @property
    def file(self) -> Path:
        """The file of its state; beside it is a folder with its requests and results."""
        return self._store.file

    def __len__(self) -> int:
        return self._store.count

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.file)!r}, {self._steps.status()})"

    def save(self, file: Place) -> None:
        """Keep the batch in this file from now on, and in a folder beside it.

        Args:
            file: The file. It has neither keys nor the settings of the connection.

        Raises:
            ConfigError: There is a batch of this name.
        """
        self._store.move(Path(file))

    def unsent(self) -> list[BatchItem]:
        """Return the requests that cannot be written for the model, each with its error."""
        return [item for item in self._reader().items() if not item.sent]

    def request_files(self) -> list[Path]:
        """Return the files with the requests: for a provider that reads them from a bucket."""
        return [self._store.requests(part.number) for part in self._store.parts]

    def take_results(self, *files: Place) -> BatchStatus:
        """Take the results of a provider that wrote them into a bucket (Bedrock).

        Args:
            *files: All files of results, as they came out of the bucket, in any order.

        Returns:
            How the batch stands; `results` gives what became of each request.

        Raises:
            ConfigError: This provider uses no bucket, or a file cannot be read.
        """
        with self._store.lock():
            self._store.reload()
            take_results(self._store, [Path(file) for file in files])
        return self._steps.status()

    def _reader(self) -> BatchReader:
        return BatchReader(self._store, self._door.target, self._structured)

    def _begin_retry(self, file: Place | None) -> BatchStore | None:
        """Write what failed into a new batch; None if nothing did."""
        failed = {
            item.number for item in self._reader().items() if item.error is not None and item.sent
        }
        if not failed:
            return None
        header = {**self._store.header, "tag": f"{int(time.time()):x}{os.urandom(5).hex()}"}
        store = BatchStore.begin(find_place(file), header)
        copies: dict[int, _Copy] = {}
        with ExitStack() as files, store.items.open("wb") as items:
            for number, item in enumerate(self._store.each_item()):
                if number in failed:
                    before = self._store.parts[item["part"]]
                    if before.number not in copies:
                        copies[before.number] = _Copy(self._store, store, before, files)
                    copies[before.number].add(item, number)
                    write_item(items, item)
                    store.count += 1
            sync_file(items)
            for copy in copies.values():
                sync_file(copy.target)
        store.save()
        return store


class _Copy:
    """Copies requests of a part of one batch into a part of another, under new ids."""

    def __init__(
        self, old: BatchStore, new: BatchStore, before: BatchPart, files: ExitStack
    ) -> None:
        self._old, self._new = old, new
        number = len(new.parts)
        self.part = BatchPart(
            number,
            before.protocol,
            before.path,
            before.model,
            before.headers,
            bucket=before.bucket,
        )
        new.parts.append(self.part)
        self._source: Any = files.enter_context(old.requests(before.number).open("rb"))
        self.target: Any = files.enter_context(new.requests(number).open("wb"))

    def add(self, item: dict[str, Any], number: int) -> None:
        """Copy a request; `item`, which is known of it, is changed."""
        self._source.seek(item["at"])
        line: bytes = self._source.readline()
        key = self._new.key(self._new.count).encode()
        line = line.replace(self._old.key(number).encode(), key, 1)
        self.target.write(line)
        item.setdefault("id", str(number))
        item["part"], item["at"] = self.part.number, self.part.size
        self.part.count += 1
        self.part.size += len(line)


class Batch(_Batch):
    """Many requests that a provider answers within a day, at its price for batches.

        batch = llm.batch(requests, file="b.json")
        batch.submit()
        batch.wait()  # or another day, in another process: Batch.load("b.json").wait()
        for item in batch.results():
            print(item.id, item.answer.text if item.answer else item.error)

    `LLM.batch` makes it. Its state is in `file`, written before and after each step: after a kill
    at any moment, `Batch.load(file).submit()` goes on, and no request is submitted twice.
    """

    def submit(self) -> BatchStatus:
        """Send all requests that were not sent, in as many batches as the provider's limits need.

        Returns:
            How the batch stands.

        Raises:
            ProviderError: The provider refused a batch, or did not answer; `submit` goes on.
            ConfigError: There is no key, or another process takes a step of this batch.
        """
        return self._run(self._steps.submit())

    def status(self) -> BatchStatus:
        """Ask the provider how the batch stands.

        Returns:
            How it stands.

        Raises:
            ProviderError: The provider answered with an error, or did not answer.
        """
        return self._run(self._steps.look())

    def wait(
        self,
        timeout: float | None = None,
        *,
        poll: float | None = None,
        progress: Progress = False,
    ) -> BatchStatus:
        """Wait until nothing more will be answered.

        Args:
            timeout: Seconds after which to give up; the batch goes on at the provider.
            poll: Seconds between two looks; None is 5, growing to 60.
            progress: Called with the status at each look; True writes it to stderr.

        Returns:
            How it stands.

        Raises:
            Timeout: It has not ended in time.
            ProviderError: The provider answered with an error, or did not answer.
        """
        return self._run(self._steps.wait(timeout, poll, _shower(progress)))

    def cancel(self) -> BatchStatus:
        """Cancel it; what is answered already is kept and costs.

        Returns:
            How it stands. The provider may take a while: `wait` waits for the end.
        """
        return self._run(self._steps.cancel())

    def results(self, partial: bool = False) -> Iterator[BatchItem]:
        """Download the results, and return what became of each request, in their order.

        Args:
            partial: Whether to take the parts that have ended, although others have not.

        Returns:
            The items; one for every request, unless `partial`.

        Raises:
            ConfigError: The batch has not ended.
            ProviderError: The results cannot be downloaded.
        """
        self._run(self._steps.fetch(partial))
        return self._reader().items()

    def retry(self, file: Place | None = None) -> Self | None:
        """Return a new batch of the requests without an answer that were sent; it is not submitted.

        Args:
            file: The file of its state; None is a temporary one.

        Returns:
            The batch, whose items have the ids of this one; None if all have an answer.

        Raises:
            ConfigError: This batch has not ended, or `file` is there already.
        """
        self._run(self._steps.fetch(False))
        store = self._begin_retry(file)
        return None if store is None else type(self)(store, self._door, self._structured)

    def _run(self, steps: Steps[_T]) -> _T:
        try:
            action = next(steps)
            while True:
                try:
                    reply = self._act(action)
                except ProviderError as error:
                    action = steps.throw(error)
                else:
                    action = steps.send(reply)
        except StopIteration as end:
            result: _T = end.value
            return result
        finally:
            steps.close()

    def _act(self, action: Any) -> Any:
        if isinstance(action, Pause):
            time.sleep(action.seconds)
            return None
        endpoint = BatchEndpoint(action.target.model.endpoint)
        if isinstance(action, Download):
            return endpoint.download(action.call, action.begin)
        return endpoint.send(action.call, action.once)


class AsyncBatch(_Batch):
    """A Batch for event loops: `await batch.submit()`, `async for item in batch.results()`."""

    async def submit(self) -> BatchStatus:
        """Send all requests that were not sent, as `Batch.submit`.

        Returns:
            How the batch stands.

        Raises:
            ProviderError: The provider refused a batch, or did not answer; `submit` goes on.
            ConfigError: There is no key, or another process takes a step of this batch.
        """
        return await self._run(self._steps.submit())

    async def status(self) -> BatchStatus:
        """Ask the provider how the batch stands.

        Returns:
            How it stands.

        Raises:
            ProviderError: The provider answered with an error, or did not answer.
        """
        return await self._run(self._steps.look())

    async def wait(
        self,
        timeout: float | None = None,  # noqa: ASYNC109 - of hours, and the state stays
        *,
        poll: float | None = None,
        progress: Progress = False,
    ) -> BatchStatus:
        """Wait until nothing more will be answered, as `Batch.wait`.

        Args:
            timeout: Seconds after which to give up; the batch goes on at the provider.
            poll: Seconds between two looks; None is 5, growing to 60.
            progress: Called with the status at each look; True writes it to stderr.

        Returns:
            How it stands.

        Raises:
            Timeout: It has not ended in time.
            ProviderError: The provider answered with an error, or did not answer.
        """
        return await self._run(self._steps.wait(timeout, poll, _shower(progress)))

    async def cancel(self) -> BatchStatus:
        """Cancel it; what is answered already is kept and costs.

        Returns:
            How it stands. The provider may take a while: `wait` waits for the end.
        """
        return await self._run(self._steps.cancel())

    async def results(self, partial: bool = False) -> AsyncIterator[BatchItem]:
        """Download the results, and yield what became of each request, in their order.

        Args:
            partial: Whether to take the parts that have ended, although others have not.

        Yields:
            The items; one for every request, unless `partial`.

        Raises:
            ConfigError: The batch has not ended.
            ProviderError: The results cannot be downloaded.
        """
        await self._run(self._steps.fetch(partial))
        for item in self._reader().items():
            yield item
            await asyncio.sleep(0)

    async def retry(self, file: Place | None = None) -> Self | None:
        """Return a new batch of the requests without an answer that were sent; see `Batch.retry`.

        Args:
            file: The file of its state; None is a temporary one.

        Returns:
            The batch, whose items have the ids of this one; None if all have an answer.

        Raises:
            ConfigError: This batch has not ended, or `file` is there already.
        """
        await self._run(self._steps.fetch(False))
        store = await asyncio.to_thread(self._begin_retry, file)
        return None if store is None else type(self)(store, self._door, self._structured)

    async def _run(self, steps: Steps[_T]) -> _T:
        try:
            action = next(steps)
            while True:
                try:
                    reply = await self._act(action)
                except ProviderError as error:
                    action = steps.throw(error)
                else:
                    action = steps.send(reply)
        except StopIteration as end:
            result: _T = end.value
            return result
        finally:
            steps.close()

    async def _act(self, action: Any) -> Any:
        if isinstance(action, Pause):
            return await asyncio.sleep(action.seconds)
        endpoint = BatchEndpoint(action.target.model.endpoint)
        if isinstance(action, Download):
            return await endpoint.adownload(action.call, action.begin)
        return await endpoint.asend(action.call, action.once)


# -- how LLM and AsyncLLM make one -----------------------------------------------------------------


def write_batch(
    door: FrontDoor, requests: Any, file: Place | None, form: Any, settings: Mapping[str, Any]
) -> Batch:
    """Write the requests of an LLM as a batch; nothing is sent.

    An error in the place of a request is its result, such as that of a line that cannot be read.
    """
    with BatchWriter(find_place(file), door, form, settings) as writer:
        for key, request in each_request(requests):
            if isinstance(request, DragomanError):
                writer.refuse(key, request)
                continue
            try:
                question = writer.parse(request)
            except (WriteError, ReadError) as error:
                writer.refuse(key, error)
                continue
            writer.add(key, question)
        return Batch(writer.finish(), door, writer.structured)


async def awrite_batch(
    door: FrontDoor, requests: Any, file: Place | None, form: Any, settings: Mapping[str, Any]
) -> AsyncBatch:
    """Write the requests of an AsyncLLM as a batch; nothing is sent."""
    with BatchWriter(find_place(file), door, form, settings) as writer:
        for key, request in each_request(requests):
            try:
                question = writer.parse(request)
                await writer.target.fetch_ahead(question.request)
            except (WriteError, ReadError) as error:
                writer.refuse(key, error)
                continue
            await asyncio.to_thread(writer.add, key, question)
        return AsyncBatch(writer.finish(), door, writer.structured)


def find_place(file: Place | None) -> Path:
    """Return the file of a state; for None one in a folder that is removed at the end."""
    if file is not None:
        return Path(file)
    folder = tempfile.mkdtemp(prefix="dragoman-batch-")
    finalize(sys.modules[__name__], shutil.rmtree, folder, ignore_errors=True)
    return Path(folder) / "batch.json"


def find_door(llm: Any) -> FrontDoor:
    """Return the settings and models of an LLM or AsyncLLM.

    Raises:
        ConfigError: It is none.
    """
    door = getattr(llm, "_door", None)
    if not isinstance(door, FrontDoor):
        text = f"{type(llm).__name__} is no LLM"
        raise ConfigError(text, path="$.llm", hint="LLM(...), or None", code="batch.llm")
    return door


def _check_target(store: BatchStore, door: FrontDoor) -> None:
    """Raise ConfigError if an LLM asks another model or address than the batch.

    A file that somebody else has made must not decide to whom a key goes.
    """
    target, header = door.target, store.header
    if target.name != header["target"]:
        text = f"the batch is for {header['target']}, not for {target.name}"
        raise ConfigError(text, path="$.llm", hint="give its own LLM", code="batch.llm")
    if not header["address"]:  # nothing is sent: the requests go through a bucket
        return
    address = target.model.endpoint.address()
    if address != header["address"]:
        text = f"the batch is at {header['address']}, and this LLM asks {address}"
        hint = "load it with llm=LLM(..., base_url=...), if that address is to get your key"
        raise ConfigError(text, path="$.llm", hint=hint, code="batch.address")


def _structured(form: Any) -> Structured[Any]:
    if isinstance(form, Mapping) and "schema" in form and "strict" in form:  # of the state
        about = {key: form[key] for key in ("name", "description", "strict")}
        return Structured(form["schema"], **about)
    return Structured(form)


def _shower(progress: Progress) -> Callable[[BatchStatus], object] | None:
    """Return what shows the progress: a line on stderr whenever something has changed."""
    if not isinstance(progress, bool):
        return progress
    if not progress:
        return None
    before = ""

    def show(status: BatchStatus) -> None:
        nonlocal before
        if (text := str(status)) != before:
            before = text
            sys.stderr.write(f"{text}\n")

    return show
