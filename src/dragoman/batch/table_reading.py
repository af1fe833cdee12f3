"""Read the rows of Parquet and Arrow files as records.

A row becomes a record: its columns are the keys. A key of a struct that is null is left out, as TRL
does (`remove_none_values` of TRL 1.16, read 2026-11-29), because Arrow fills in the keys of all
other rows; JSON columns (`arrow.json`, the `Json` of Hugging Face's datasets 5) say exactly what
they say.

Rows that are damaged are counted nevertheless, and those behind them are read: the footer of a
Parquet file says how many rows each group has, and the header of a batch of an Arrow file or stream
says how many that has.
"""

from __future__ import annotations

import base64
import struct
from bisect import bisect_left
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from itertools import accumulate, count, pairwise
from math import isfinite
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from ..errors import DragomanError, ReadError
from ..text.json_text import Json, loads
from .lines import Line, break_words
from .record_work import encode_record
from .tables import FILE, PARQUET, import_arrow, require_pyarrow, use_little_memory

_ROWS = 64  # of a batch that is read, at most; those of dictionaries are larger than they look
_BATCH = 2**20  # bytes of it, about
_BUFFER = 2**17  # bytes of a column that are read ahead
# Arrow Columnar Format 1.5, IPC File Format: the magic, padded; then messages as in a stream
_MESSAGES = 8
_DIED = "no process survives reading this"
# columns whose texts are JSON, as many tools store them
_TEXTS = frozenset({"messages", "conversations", "contents", "events", "body", "params"})

_Convert: TypeAlias = Callable[[Any], Json]


def find_groups(path: Path, kind: str) -> tuple[int, ...]:
    """Where each group of rows of a table begins, as a share of its bytes; the first is 0.

    A damaged table, whose groups cannot be found, has one: what reads it says what is wrong. Raises
    ConfigError if pyarrow is missing.
    """
    require_pyarrow()
    arrow = import_arrow()
    sizes: list[int] = []
    try:
        if kind == PARQUET:
            with import_arrow("pyarrow.parquet").ParquetFile(path) as file:
                table = file.metadata
                groups = [table.row_group(i) for i in range(table.num_row_groups)]
                sizes = [max(group.total_byte_size, 1) for group in groups]
        elif kind == FILE:
            with arrow.memory_map(str(path)) as raw:
                sizes = [1] * arrow.ipc.open_file(raw).num_record_batches
    except Exception as error:
        if not _is_damage(error):
            raise
    total, size = sum(sizes), path.stat().st_size
    return (0, *(end * size // total for end in accumulate(sizes[:-1]))) if sizes else (0,)


def group_ranges(starts: tuple[int, ...], size: int, segment: int) -> list[tuple[int, int | None]]:
    """Ranges of about `segment` bytes that begin with a group of rows."""
    bounds = [0]
    for start in starts:
        if start - bounds[-1] >= segment:
            bounds.append(start)
    if len(bounds) == 1:
        return [(0, None)]
    return list(pairwise([*bounds, size]))


def _is_damage(error: Exception) -> bool:
    """Whether an error of pyarrow is about the data, and not about the disk or the memory."""
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno):
        return False
    return isinstance(error, (import_arrow().ArrowException, OSError, ValueError))


@dataclass(frozen=True, slots=True)
class _Damage:
    """Rows that cannot be read: how many (None: all that follow), and why."""

    rows: int | None
    words: str

    @classmethod
    def of(cls, rows: int | None, error: Exception | str) -> _Damage:
        """The damage that an error of pyarrow tells of."""
        if rows is None:
            return cls(None, break_words("table", error))
        count = "1 row of the table is" if rows == 1 else f"{rows} rows of the table are"
        return cls(rows, f"{count} broken here: {error}")


@dataclass(slots=True)
class TableReader:
    """Reads the rows of the groups that begin in a range of a table.

    Args:
        file: The open file.
        kind: The kind of table.
        starts: Where each group begins.
        start: The beginning of the range.
        end: The first byte behind it; None for all that follows.
        may_read: Called with the number of the next row before rows are read; False passes over
            the rest of its group, since no process has survived that.

    Attributes:
        at: Where the group begins that is read.
        number: How many rows have come before.
    """

    file: BinaryIO
    kind: str
    starts: tuple[int, ...]
    start: int = 0
    end: int | None = None
    may_read: Callable[[int], bool] = lambda _: True
    at: int = 0
    number: int = 0

    def __iter__(self) -> Iterator[Line]:
        for batch in self._batches():
            if isinstance(batch, _Damage):
                rows = 1 if batch.rows is None else batch.rows
                unread = batch.rows is None
                line = Line(self.number + 1, None, b"", fault=batch.words, rows=rows, unread=unread)
                self.number += rows
                yield line
                continue
            for value in _rows(batch):
                self.number += 1
                yield _line(self.number, value)

    def _batches(self) -> Iterator[Any]:
        """The rows in batches, and in the place of those that cannot be read their damage."""
        use_little_memory()
        try:
            if self.kind == PARQUET:
                yield from self._parquet()
            elif self.kind == FILE:
                yield from self._arrow_file()
            else:
                yield from self._arrow_stream(0)
        except Exception as error:
            if not _is_damage(error):
                raise
            yield _Damage.of(None, error)

    def _groups(self, count: int) -> range:
        """The numbers of the groups in the range, of `count` in the table."""
        first = bisect_left(self.starts, self.start)
        last = len(self.starts) if self.end is None else bisect_left(self.starts, self.end)
        return range(first, min(last, count))

    def _parquet(self) -> Iterator[Any]:
        # no group is read ahead, so that one is in memory at most
        table = import_arrow("pyarrow.parquet").ParquetFile(
            self.file, pre_buffer=False, buffer_size=_BUFFER, page_checksum_verification=True
        )
        for group in self._groups(table.metadata.num_row_groups):
            self.at = self.starts[group]
            rows = table.metadata.row_group(group)
            left = rows.num_rows
            most = _batch_rows(rows.total_byte_size, left)
            batches = table.iter_batches(most, row_groups=[group], use_threads=False)
            while left > 0:
                if not self.may_read(self.number + 1):
                    yield _Damage(left, _DIED)
                    break
                try:
                    batch = next(batches, None)
                except Exception as error:
                    if not _is_damage(error):
                        raise
                    yield _Damage.of(left, error)
                    break
                if batch is None:
                    yield _Damage.of(left, "the group ends early")
                    break
                left -= batch.num_rows
                yield batch

    def _arrow_file(self) -> Iterator[Any]:
        try:
            table = import_arrow().ipc.open_file(self.file)
        except Exception as error:
            if not _is_damage(error):
                raise
            # whoever wrote it was killed, or the file was cut
            damage = yield from self._arrow_stream(_MESSAGES)
            if not damage:
                yield _Damage.of(None, error)
            return
        for number in self._groups(table.num_record_batches):
            self.at = self.starts[number]
            if not self.may_read(self.number + 1):
                yield _Damage(self._find_message(number, _MESSAGES)[0], _DIED)
                continue
            try:
                batch = table.get_batch(number)
            except Exception as error:
                if not _is_damage(error):
                    raise
                yield _Damage.of(self._find_message(number, _MESSAGES)[0], error)
            else:
                yield from _cut(batch)

    def _arrow_stream(self, start: int) -> Generator[Any, None, bool]:
        """The batches from a byte on; returns whether the end was not reached."""
        self.file.seek(start)
        stream = import_arrow().ipc.open_stream(self.file)
        for number in count():
            if not self.may_read(self.number + 1):
                yield _Damage(None, _DIED)
                return True
            try:
                batch = stream.read_next_batch()
            except StopIteration:
                return False
            except Exception as error:
                if not _is_damage(error):
                    raise
                at = self.file.tell()
                rows, end = self._find_message(number, start)
                whole = rows is not None and at == end  # the next batch begins here
                yield _Damage.of(rows if whole else None, error)
                if not whole:
                    return True
                self.file.seek(at)
            else:
                self.at = self.file.tell()
                yield from _cut(batch)
        return True

    def _find_message(self, number: int, start: int) -> tuple[int | None, int]:
        """The rows of a batch by its header, and where the batch ends; None if that is broken.

        Args:
            number: How many batches precede.
            start: Where the messages begin.
        """
        self.file.seek(start)
        try:
            messages = import_arrow().ipc.MessageReader.open_stream(self.file)
            while True:
                message = messages.read_next_message()
                if message.type == "record batch":
                    if not number:
                        return _read_row_count(bytes(message.metadata)), self.file.tell()
                    number -= 1
        except StopIteration:
            pass
        except Exception as error:
            if not _is_damage(error):
                raise
        return None, 0


def _read_row_count(header: bytes) -> int | None:
    """The rows of a record batch by the header of its message; None if it says none.

    Source: Arrow's Message.fbs (format 1.5): the third field of a Message is its header, and the
    first of a RecordBatch its length. pyarrow has checked that it is a Message.
    """

    def field(table: int, number: int) -> int:
        fields = table - struct.unpack_from("<i", header, table)[0]
        place = 4 + 2 * number
        if place >= struct.unpack_from("<H", header, fields)[0]:
            return 0
        offset: int = struct.unpack_from("<H", header, fields + place)[0]
        return table + offset if offset else 0

    try:
        batch = field(struct.unpack_from("<I", header)[0], 2)
        length = field(batch + struct.unpack_from("<I", header, batch)[0], 0)
        rows: int = struct.unpack_from("<q", header, length)[0] if length else 0
    except struct.error:
        return None
    return rows if rows >= 0 else None


def _batch_rows(size: int, rows: int) -> int:
    """How many rows are taken at a time, of so many with so many bytes."""
    return max(min(_ROWS, _BATCH * rows // max(size, 1)), 1)


def _cut(batch: Any) -> Iterator[Any]:
    """A batch of an Arrow file in small pieces; the offsets in it are checked before they are used.

    Without that, a damaged one reads what is elsewhere in memory, or ends the process.
    """
    try:
        batch.validate(full=True)
    except Exception as error:
        if not _is_damage(error):
            raise
        yield from _cut_damaged(batch)
        return
    most = _batch_rows(batch.nbytes, batch.num_rows)
    for start in range(0, batch.num_rows, most):
        yield batch.slice(start, most)


def _cut_damaged(batch: Any) -> Iterator[Any]:
    """Its rows one by one, and the damage in the place of those that are not as they should be."""
    broken, words = 0, ""
    for number in range(batch.num_rows):
        row = batch.slice(number, 1)
        try:
            row.validate(full=True)
        except Exception as error:
            if not _is_damage(error):
                raise
            words = words if broken else str(error)
            broken += 1
            continue
        if broken:
            yield _Damage.of(broken, words)
            broken = 0
        yield row
    if broken:
        yield _Damage.of(broken, words)


def _line(number: int, value: Json | Exception) -> Line:
    if isinstance(value, Exception):
        text = value.message if isinstance(value, DragomanError) else type(value).__name__
        return Line(number, None, b"", fault=f"the row is no JSON: {text}", goes_on=True)
    data = encode_record(value)
    return Line(number, None, data, len(data))


def _rows(batch: Any) -> Iterator[Json | Exception]:
    """The records of the rows; an error in the place of one that is no JSON."""
    fields = list(batch.schema)
    convert = _of_struct(fields)
    if len(fields) == 1 and _is_text(fields[0].type):
        convert = _of_record(fields[0].name, _converter(fields[0].type))
    try:
        rows = batch.to_pylist()
    except Exception:  # noqa: BLE001  # such as two keys of one name; which row is it?
        rows = None
    for number in range(batch.num_rows):
        try:
            row = rows[number] if rows is not None else batch.slice(number, 1).to_pylist()[0]
            yield convert(row)
        except Exception as error:  # noqa: BLE001  # one row never ends the run
            yield error


def _of_record(name: str, convert: _Convert) -> _Convert:
    """Of a table of one column of texts: each is a whole record, or the value of that key."""

    def read(row: Any) -> Json:
        value = convert(row[name])
        if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
            value = loads(value)
        return value if isinstance(value, dict) else {name: value}

    return read


def _is_text(kind: Any) -> bool:
    types = import_arrow("pyarrow.types")
    kind = kind.storage_type if _is_json(kind) else kind
    return any(
        check(kind) for check in (types.is_string, types.is_large_string, types.is_string_view)
    )


def _is_json(kind: Any) -> bool:
    return getattr(kind, "extension_name", "") == "arrow.json"


def _of_struct(fields: list[Any]) -> _Convert:
    converts = {field.name: _converter(field.type, field.name) for field in fields}

    def read(value: Any) -> Json:
        return {
            name: convert(value[name])
            for name, convert in converts.items()
            if value[name] is not None
        }

    return read


def _converter(kind: Any, name: str = "") -> _Convert:
    """What makes JSON of the values of an Arrow type."""
    types = import_arrow("pyarrow.types")
    if _is_json(kind):
        return _or_null(loads)
    if isinstance(kind, import_arrow().BaseExtensionType):
        return _converter(kind.storage_type, name)
    if types.is_struct(kind):
        return _or_null(_of_struct([kind.field(i) for i in range(kind.num_fields)]))
    if types.is_map(kind):
        of_item = _converter(kind.item_type)
        return _or_null(lambda value: {str(key): of_item(item) for key, item in value})
    if hasattr(kind, "value_field") and not types.is_dictionary(kind):  # lists of all sorts
        of_element = _converter(kind.value_type)
        return _or_null(lambda value: [of_element(item) for item in value])
    if name in _TEXTS and _is_text(kind):
        return _or_null(_read_text)
    return _plain


def _or_null(convert: _Convert) -> _Convert:
    return lambda value: None if value is None else convert(value)


def _read_text(text: str) -> Json:
    """The JSON of a text; the text itself if it is none."""
    if text.lstrip()[:1] not in ("{", "["):
        return text
    try:
        return loads(text)
    except ReadError:
        return text


def _plain(value: Any) -> Json:
    if isinstance(value, float) and not isfinite(value):
        raise ReadError(f"JSON has no {value}", path="$", code="json.invalid")
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    return str(value)  # decimals, durations
