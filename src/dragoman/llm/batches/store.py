"""What a batch keeps on the disk: its state, its requests, what is known of each, and its results.

    FILE                     the state: a small JSON file, written anew before and after each step
    FILE.d/requests-0.jsonl  what is sent in part 0, a line for each request
    FILE.d/items.jsonl       a line for each request in its order: its part, how to read its answer
    FILE.d/results-0.jsonl   what came back of part 0
    FILE.d/lock              held by a process that takes a step

No key is ever in these files. They hold requests and answers, and only their owner may read them.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Literal, TypeAlias

from ...errors import ConfigError, ReadError
from ...protocols.batches import BatchFault, BatchLimits, BatchPlan, BatchReport, Phase, Reason
from ...text.json_text import JsonObject, encode_json, loads
from .files import hold_lock, write_whole

_VERSION = 1
_OPEN = 0o700  # requests and answers are their owner's

# `creating` is written before the call that creates a batch: if it is found later, the call may
# have been done or not, and the host is asked
Step: TypeAlias = Literal["new", "uploading", "uploaded", "creating", "sent"]


@dataclass(slots=True)
class BatchPart:
    """One batch at the provider, which holds some of the requests.

    Attributes:
        number: Its number.
        protocol: The protocol of its requests.
        path: The path to which each would be sent by itself.
        model: The model that is asked.
        headers: The headers that each would have.
        count: How many requests it has.
        size: The bytes of their lines.
        step: How far its submission is.
        file: The provider's id of the uploaded file.
        mark: What is needed to find a batch that may have been created.
        begun: When its creation began, in seconds of the Unix clock.
        candidates: Batches of which one may be this, which cannot be known before they end.
        batch: The provider's id of it.
        word: The provider's word for its state.
        phase: Whether it is `running` or has `ended`.
        reason: Why requests without a result have none.
        answered: How many have an answer, as the provider counts.
        failed: How many have failed, as the provider counts.
        outputs: Where its results are.
        faults: Why it was refused.
        fetched: Whether its results are on the disk.
        bucket: Whether the provider reads it from a bucket of the user's.
    """

    number: int
    protocol: str
    path: str
    model: str
    headers: dict[str, str]
    count: int = 0
    size: int = 0
    step: Step = "new"
    file: str = ""
    mark: str = ""
    begun: int = 0
    candidates: list[str] = field(default_factory=list)
    batch: str = ""
    word: str = ""
    phase: Phase = "running"
    reason: Reason = ""
    answered: int | None = None
    failed: int | None = None
    outputs: list[str] = field(default_factory=list)
    faults: list[BatchFault] = field(default_factory=list)
    fetched: bool = False
    bucket: bool = False

    @property
    def ended(self) -> bool:
        """Whether nothing more will be answered."""
        return self.step == "sent" and self.phase == "ended"

    def take(self, report: BatchReport) -> None:
        """Take what the provider reports."""
        self.step, self.batch, self.candidates = "sent", report.id, []
        self.word, self.phase, self.reason = report.word, report.phase, report.reason
        self.answered, self.failed = report.answered, report.failed
        self.outputs, self.faults = [*report.outputs], [*report.faults]

    @classmethod
    def from_dict(cls, stored: JsonObject) -> BatchPart:
        """Return the part that the state has."""
        faults = [BatchFault(**row) for row in stored.get("faults", ())]
        return cls(**{**stored, "faults": faults})


class BatchStore:
    """The files of one batch.

    Args:
        file: The file of the state.
        header: What stays the same: `tag`, `target`, `address`, `format`.
        parts: The batches at the provider.
        count: How many requests there are.
    """

    def __init__(
        self, file: Path, header: JsonObject, parts: list[BatchPart], count: int = 0
    ) -> None:
        self.file = file
        self.header = header
        self.parts = parts
        self.count = count

    @property
    def tag(self) -> str:
        """The name of ours that no other batch has."""
        tag: str = self.header["tag"]
        return tag

    @property
    def folder(self) -> Path:
        """The folder of the requests and results."""
        return self.file.with_name(f"{self.file.name}.d")

    @property
    def items(self) -> Path:
        """The file with what is known of each request."""
        return self.folder / "items.jsonl"

    def requests(self, part: int) -> Path:
        """The file with the requests of a part."""
        return self.folder / f"requests-{part}.jsonl"

    def results(self, part: int) -> Path:
        """The file with the results of a part."""
        return self.folder / f"results-{part}.jsonl"

    def lock(self) -> AbstractContextManager[None]:
        """Hold the lock of the batch.

        Raises:
            ConfigError: Another process takes a step of it.
        """
        return hold_lock(self.folder / "lock", "wait for it: one process at a time takes a step")

    @classmethod
    def begin(cls, file: Path, header: JsonObject) -> BatchStore:
        """Begin the files of a batch, which is there once `save` is called.

        Raises:
            ConfigError: There is a batch of this name, or the place cannot be written to.
        """
        store = cls(file, header, [])
        if file.exists():
            hint = f"Batch.load({str(file)!r}) goes on with it; or name another file"
            raise ConfigError(f"{file} is there already", hint=hint, code="batch.exists")
        try:
            if store.folder.exists():  # of a run that broke before its state was written
                if not store.items.exists() and any(store.folder.iterdir()):
                    text = f"{store.folder} is there already, and is none of a batch"
                    raise ConfigError(text, hint="name another file", code="batch.exists")
                shutil.rmtree(store.folder)
            store.folder.mkdir(parents=True, mode=_OPEN)
        except OSError as error:
            text = f"cannot write to {store.folder}: {error.strerror}"
            raise ConfigError(text, code="batch.file") from error
        return store

    @classmethod
    def load(cls, file: Path) -> BatchStore:
        """Load the state of a batch.

        Raises:
            ConfigError: There is none, or it is of another version.
        """
        try:
            stored = loads(file.read_bytes())
        except OSError as error:
            text = f"cannot read {file}: {error.strerror}"
            raise ConfigError(text, hint="name the file of a batch", code="batch.file") from error
        except ReadError as error:
            raise ConfigError(f"{file} is no state of a batch", code="batch.file") from error
        if not isinstance(stored, dict) or "dragoman_batch" not in stored:
            raise ConfigError(f"{file} is no state of a batch", code="batch.file")
        if stored["dragoman_batch"] != _VERSION:
            text = f"{file} is of another version of dragoman"
            raise ConfigError(text, hint="read it with that version", code="batch.version")
        try:
            parts = [BatchPart.from_dict(row) for row in stored["parts"]]
            store = cls(file, stored["header"], parts, stored["count"])
            whole = all(store.requests(part.number).stat().st_size == part.size for part in parts)
        except (KeyError, TypeError) as error:
            raise ConfigError(f"{file} is no state of a batch", code="batch.file") from error
        except OSError as error:
            text = f"the requests of the batch are not there: {error.filename}"
            raise ConfigError(
                text, hint=f"keep {file}.d beside {file}", code="batch.file"
            ) from error
        if not whole or not store.items.exists():
            text = f"the requests in {store.folder} are not those that were written"
            raise ConfigError(text, code="batch.changed")
        return store

    def reload(self) -> None:
        """Take what another process has written since; only under the lock."""
        self.parts = BatchStore.load(self.file).parts

    def save(self) -> None:
        """Write the state to the disk, all of it or nothing."""
        state = {
            "dragoman_batch": _VERSION,
            "header": self.header,
            "count": self.count,
            "parts": [asdict(part) for part in self.parts],
        }
        write_whole(self.file, json.dumps(state, indent=1).encode() + b"\n")

    def move(self, file: Path) -> None:
        """Keep the batch in another file from now on.

        Raises:
            ConfigError: There is a batch of this name.
        """
        if file.absolute() == self.file.absolute():
            return
        target = BatchStore.begin(file, self.header)
        shutil.copytree(self.folder, target.folder, dirs_exist_ok=True)
        self.file = file
        self.save()

    def plan(self, part: BatchPart, limits: BatchLimits) -> BatchPlan:
        """Return what a protocol needs to know of a part."""
        return BatchPlan(
            f"dragoman-{self.tag}-{part.number}",
            part.path,
            part.model,
            part.headers,
            part.count,
            part.size,
            limits,
            part.file,
            part.mark,
            part.begun,
            frozenset(other.batch for other in self.parts if other is not part and other.batch),
            partial(self._holds, part.number),
        )

    def key(self, number: int) -> str:
        """Return the id under which a request is sent."""
        return f"{self.tag}-{number}"

    def number(self, key: str) -> int | None:
        """Return the number of the request with this id; None if it is none of ours."""
        tag, _, number = key.rpartition("-")
        if tag != self.tag or not number.isdigit() or int(number) >= self.count:
            return None
        return int(number)

    def _holds(self, part: int, key: str) -> bool:
        """Whether a request with this id is in a part."""
        number = self.number(key)
        if number is None:
            return False
        item = next(islice(self.each_item(), number, None), {})
        return item.get("part") == part

    def each_item(self) -> Iterator[JsonObject]:
        """Yield what is known of each request, in their order."""
        with self.items.open("rb") as file:
            for line in file:
                yield loads(line)


def write_item(file: Any, item: JsonObject) -> None:
    """Append what is known of a request, without what is empty."""
    present = {key: value for key, value in item.items() if value not in (None, {}, [], "")}
    file.write(encode_json(present) + b"\n")


def sync_file(file: Any) -> None:
    """Write a file to the disk."""
    file.flush()
    os.fsync(file.fileno())
