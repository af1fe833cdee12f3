"""RecordWork: what is done with each record; and the sums of what it says about all of them."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, TypeVar

from ..errors import InvalidMessage, ReadError
from ..losses import Loss
from ..text.json_text import Json, JsonObject, loads
from .quarantine import Fault

try:
    import orjson
except ImportError:  # the extra `speed` is not installed
    orjson = None  # type: ignore[assignment]

Record = TypeVar("Record", bytes, JsonObject)

EXAMPLES = 3  # of each code
OTHERS = "(others)"
_NAMES = 5_000  # in one object of sums; what comes later is added up under one name
_MONEY = "cost"  # the key of a decimal number, as a text


@dataclass(slots=True)
class RecordResult:
    """What became of a record.

    Attributes:
        record: What is written for it; None for nothing.
        losses: What it loses.
        sums: Figures to be added to those of the other records: see `add_sums`.
        fault: Why the record is in quarantine although it could be read; None if it is not.
    """

    record: JsonObject | None
    losses: Sequence[Loss] = ()
    sums: JsonObject = field(default_factory=dict)
    fault: Fault | None = None


class RecordWork(ABC):
    """What is done with each record: a function of one record, and of nothing else.

    It can be pickled and keeps nothing of a record, so any process may do any of them.
    """

    located: bool = False
    """Whether what is written begins with the place of the record: `line` and `source`."""

    is_written: bool = True
    """Whether records and quarantine are written; else only the sums are kept."""

    in_columns: bool = True
    """Whether the keys of records become the columns of a table; else there is one, of JSON."""

    reads_logs: bool = False
    """Whether the session log of an agent, a whole file, is a record."""

    only_logs: bool = False
    """Whether each file is such a log, whatever it begins with."""

    @abstractmethod
    def apply(self, value: Json) -> RecordResult:
        """Do the work at a record.

        Args:
            value: The record, as parsed JSON.

        Raises:
            DragomanError: It cannot be done.
        """

    def apply_to_log(self, text: str, name: str) -> RecordResult:
        """Do the work at the session log of an agent.

        Args:
            text: The content of the log.
            name: The name of the file, for errors.

        Raises:
            ReadError: It cannot be read, or there is nothing to be done with sessions.
        """
        hint = "`dragoman batch to-messages` reads it"
        raise ReadError("the log of a session is no record here", path="$", hint=hint)

    def __call__(self, record: Record) -> Record:
        """Do the work at a record.

        Args:
            record: A dict, or JSON text as bytes.

        Returns:
            What is written for it: a dict for a dict, bytes for bytes.

        Raises:
            DragomanError: It cannot be done.
        """
        if isinstance(record, (bytes, bytearray, memoryview)):
            return encode_record(self._result(loads(bytes(record))))
        return self._result(record)

    def _result(self, value: Json) -> JsonObject:
        record = self.apply(value).record
        assert record is not None  # only the engine asks for sums alone
        return record


class SumsAlone(RecordWork):
    """Does the work of another, and keeps nothing but the sums.

    Args:
        work: The other.
    """

    is_written = False

    def __init__(self, work: RecordWork) -> None:
        self.work = work
        self.reads_logs = work.reads_logs
        self.only_logs = work.only_logs

    def apply(self, value: Json) -> RecordResult:
        """Do the work at a record; nothing is to be written."""
        result = self.work.apply(value)
        result.record = None
        return result

    def apply_to_log(self, text: str, name: str) -> RecordResult:
        """Do the work at a session log; nothing is to be written."""
        result = self.work.apply_to_log(text, name)
        result.record = None
        return result


def add_sums(
    total: JsonObject, sums: JsonObject, before: int = 0, place: JsonObject | None = None
) -> None:
    """Add the sums of what follows to a total.

    Numbers are added, objects by their keys, and of lists the first items are kept; of texts the
    first, except that `cost` is a decimal number.

    Args:
        total: The total; changed.
        sums: What is added.
        before: How many lines of the file precede, for the `line` of examples.
        place: The `line` or the `source` of the examples in lists, which have none yet.

    >>> total = {"cost": "0.1", "by_day": {"monday": {"records": 1}}}
    >>> add_sums(total, {"cost": "0.2", "by_day": {"monday": {"records": 2}}})
    >>> total
    {'cost': '0.3', 'by_day': {'monday': {'records': 3}}}
    """
    for name, value in sums.items():
        key = name if name in total or len(total) < _NAMES else OTHERS
        known = total.get(key)
        match value:
            case dict():
                inner = total.setdefault(key, {})
                add_sums(inner, value, before, place)
            case list():
                kept = total.setdefault(key, [])
                kept += [_place(item, before, place) for item in value[: EXAMPLES - len(kept)]]
            case str() if name == _MONEY and known is not None:
                total[key] = f"{Decimal(known) + Decimal(value):f}"
            case str():
                total.setdefault(key, value)
            case _:
                total[key] = value if known is None else known + value


def _place(item: Any, before: int, place: JsonObject | None) -> Any:
    if not isinstance(item, dict):
        return item
    placed = {**(place or {}), **item}
    if "line" in item:
        placed["line"] = item["line"] + before
    return placed


def encode_record(value: JsonObject) -> bytes:
    """The JSON text of a record on one line.

    Half of a surrogate pair has no form in UTF-8; a record that has one is written in ASCII, where
    an escape preserves it.

    Raises InvalidMessage for what is no JSON, or is nested too deeply.
    """
    if orjson is not None:
        try:
            return orjson.dumps(value)
        except TypeError:  # also for integers beyond 64 bits
            pass
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()
    except RecursionError as error:
        raise InvalidMessage("nested too deeply", code="json.deep") from error
    except (TypeError, ValueError) as error:
        raise InvalidMessage(f"no JSON: {error}", code="json.invalid") from error
