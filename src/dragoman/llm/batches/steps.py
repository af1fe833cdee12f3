"""The steps of a batch as generators: submit, look, cancel, fetch. They open no socket.

Each yields what is to be sent, downloaded or waited for, and is sent the reply or thrown the error;
so Batch and AsyncBatch differ only in how they wait. The state is written before and after each
call that changes something at the provider: whenever the process ends, the next one knows what may
have been done. A batch is created by a call that is never repeated blindly: where its reply is
missing, the provider is asked whether the batch is there.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import partial
from io import FileIO
from typing import Any, TypeAlias, TypeVar

from ...errors import ConfigError, ProviderError, Timeout
from ...protocols.batches import BatchCall, BatchForm, BatchInDoubt, BatchPlan, BatchReply, Calls
from ...vendors.protocol_rooms import batch_form
from ..targets import ModelTarget
from .files import publish
from .status import BatchStatus, read_status
from .store import BatchPart, BatchStore
from .writing import find_limits

_T = TypeVar("_T")
# failures after which it is not known whether the call was done
_UNCLEAR = frozenset({"timeout", "connection", "server", "overloaded", "no_answer", "other"})
_SHORTEST, _LONGEST = 5.0, 60.0  # seconds between two looks


@dataclass(frozen=True, slots=True)
class Send:
    """A call to send."""

    target: ModelTarget
    call: BatchCall
    once: bool = False


@dataclass(frozen=True, slots=True)
class Download:
    """Results to download; `begin` is called for each attempt."""

    target: ModelTarget
    call: BatchCall
    begin: Callable[[], Callable[[bytes], object]]


@dataclass(frozen=True, slots=True)
class Pause:
    """Seconds to wait."""

    seconds: float


Action: TypeAlias = "Send | Download | Pause"
Steps: TypeAlias = Generator[Action, Any, _T]


class BatchSteps:
    """The steps of one batch.

    Args:
        store: Its files.
        target: The model that is asked.
    """

    def __init__(self, store: BatchStore, target: ModelTarget) -> None:
        self.store = store
        self._target = target

    def target(self, part: BatchPart) -> ModelTarget:
        """Return the model of a part, over its protocol."""
        return self._target.over(part.protocol)

    def status(self) -> BatchStatus:
        """Return how the batch stands, as was last heard."""
        return read_status(self.store)

    # -- submit -----------------------------------------------------------------------------------

    def submit(self) -> Steps[BatchStatus]:
        """Send every part that was not sent; one of which that is not known is asked for."""
        with self.store.lock():
            self.store.reload()
            for part in self.store.parts:
                if part.step != "sent" and not part.bucket:
                    yield from self._submit_part(part)
            self._refuse_bucket()
        return self.status()

    def _refuse_bucket(self) -> None:
        """Raise ConfigError if the provider reads requests from a bucket, which is the user's."""
        parts = [part for part in self.store.parts if part.bucket and not part.ended]
        if parts:
            files = ", ".join(str(self.store.requests(part.number)) for part in parts)
            text = f"{self._target.name} reads the requests of a batch from a bucket of yours"
            hint = f"put {files} there, create the job, and give its output to take_results()"
            raise ConfigError(text, hint=hint, code="batch.bucket")

    def _submit_part(self, part: BatchPart) -> Steps[None]:
        form, target = batch_form(part.protocol), self.target(part)
        retries = target.model.endpoint.retries
        if part.step == "creating":
            known = yield from self._find(part, form)
            if known:
                return
        plan = self._plan(part)
        if part.step in ("new", "uploading") and form.uploads(plan):
            # an upload that broke off is begun anew: a file without a batch costs nothing
            self._save(part, step="uploading")
            lines = self.store.requests(part.number).read_bytes()
            part.file = yield from self._run(target, form.upload(plan, lines))
            self._save(part, step="uploaded")
        for attempt in range(1, retries.attempts + 1):
            part.mark = yield from self._run(target, form.mark(plan))
            self._save(part, step="creating", begun=int(time.time()))
            plan = self._plan(part)
            try:
                lines = b"" if part.file else self.store.requests(part.number).read_bytes()
                report = yield from self._run(target, form.create(plan, lines), once=True)
            except ProviderError as error:
                pause = retries.pause(error, attempt)
                if error.kind not in _UNCLEAR:
                    self._save(part, step="uploaded" if part.file else "new")
                elif (yield from self._find(part, form)):
                    return
                if pause is None or part.candidates:
                    raise
                yield Pause(pause)
                continue
            part.take(report)
            self.store.save()
            return

    def _find(self, part: BatchPart, form: BatchForm) -> Steps[bool]:
        """Ask whether a part was created. True if so, or if it cannot be known yet."""
        target = self.target(part)
        plan = self._plan(part)
        try:
            report = yield from self._run(target, form.find(plan))
        except BatchInDoubt as doubt:
            self._save(part, candidates=doubt.candidates)
            return True
        if report is None:
            self._save(part, step="uploaded" if part.file else "new", candidates=[])
            return False
        part.take(report)
        self.store.save()
        return True

    def _plan(self, part: BatchPart) -> BatchPlan:
        return self.store.plan(part, find_limits(self.target(part)))

    def _save(self, part: BatchPart, **changes: Any) -> None:
        for name, value in changes.items():
            setattr(part, name, value)
        self.store.save()

    def _run(self, target: ModelTarget, calls: Calls[_T], once: bool = False) -> Steps[_T]:
        """Send the calls of a protocol, one after the other."""
        try:
            call = next(calls)
            while True:
                try:
                    reply: BatchReply = yield Send(target, call, once)
                except ProviderError as error:
                    call = calls.throw(error)
                else:
                    call = calls.send(reply)
        except StopIteration as end:
            result: _T = end.value
            return result

    # -- look, wait, cancel -----------------------------------------------------------------------

    def look(self) -> Steps[BatchStatus]:
        """Ask the provider how every part stands that has not ended."""
        with self.store.lock():
            self.store.reload()
            for part in self.store.parts:
                if part.bucket:
                    continue
                form, target = batch_form(part.protocol), self.target(part)
                if part.step == "creating" and part.candidates:
                    yield from self._submit_part(part)  # as soon as it is known, or not at all
                elif part.step == "sent" and not part.ended:
                    part.take(
                        (yield from self._run(target, form.look(self._plan(part), part.batch)))
                    )
                    self.store.save()
        return self.status()

    def wait(
        self,
        timeout: float | None,
        poll: float | None,
        progress: Callable[[BatchStatus], object] | None,
    ) -> Steps[BatchStatus]:
        """Look until every part has ended."""
        begun, pause = time.monotonic(), _SHORTEST if poll is None else poll
        while True:
            status = yield from self.look()
            if progress is not None:
                progress(status)
            if status.unsubmitted:
                text = f"{status.unsubmitted} of the requests were not submitted"
                raise ConfigError(text, hint="batch.submit()", code="batch.unsubmitted")
            if status.ended:
                return status
            if timeout is not None and time.monotonic() - begun + pause > timeout:
                text = f"the batch has not ended within {timeout:g} seconds"
                hint = "it goes on at the provider: wait again, in this process or in another"
                raise Timeout(text, type="batch_timeout", hint=hint, code="batch.timeout")
            yield Pause(pause)
            pause = pause if poll is not None else min(pause * 1.5, _LONGEST)

    def cancel(self) -> Steps[BatchStatus]:
        """Cancel every part that runs; what is answered already stays so."""
        with self.store.lock():
            self.store.reload()
            for part in self.store.parts:
                if part.step == "sent" and not part.ended:
                    form, target = batch_form(part.protocol), self.target(part)
                    part.take(
                        (yield from self._run(target, form.cancel(self._plan(part), part.batch)))
                    )
                    self.store.save()
        return self.status()

    # -- fetch ------------------------------------------------------------------------------------

    def fetch(self, some: bool) -> Steps[BatchStatus]:
        """Download the results of every part that has ended.

        Raises:
            ConfigError: A part has not ended, and not `some` of them are enough.
        """
        status = yield from self.look()
        if not some:
            self._refuse_bucket()
        if not status.ended and not some:
            text = f"the batch has not ended: {status}"
            hint = "batch.wait(), or results(partial=True) for the parts that have ended"
            raise ConfigError(text, hint=hint, code="batch.running")
        with self.store.lock():
            self.store.reload()
            for part in self.store.parts:
                is_there = part.fetched and self.store.results(part.number).exists()
                if part.ended and not is_there and not part.bucket:
                    yield from self._fetch_part(part)
                    self._save(part, fetched=True)
        return self.status()

    def _fetch_part(self, part: BatchPart) -> Steps[None]:
        form, target = batch_form(part.protocol), self.target(part)
        place = self.store.results(part.number)
        temporary = place.with_suffix(".tmp")
        raw = place.with_suffix(".part")
        try:
            with temporary.open("wb") as results:
                for path in part.outputs:
                    with raw.open("wb", buffering=0) as file:
                        yield Download(
                            target,
                            BatchCall("GET", path, headers=part.headers),
                            partial(_begin, file),
                        )
                    with raw.open("rb") as lines:
                        for line in form.result_lines(lines):
                            results.write(line.rstrip(b"\r\n") + b"\n")
                results.flush()
                os.fsync(results.fileno())
            publish(temporary, place)
        finally:
            temporary.unlink(missing_ok=True)
            raw.unlink(missing_ok=True)


def _begin(file: FileIO) -> Callable[[bytes], object]:
    """Begin a file anew, for each attempt of a download."""
    file.seek(0)
    file.truncate()
    return file.write
