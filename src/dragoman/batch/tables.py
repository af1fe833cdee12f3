"""Records in tables: the rows of Parquet and Arrow files, read and written.

A row becomes a record: its columns are the keys. A key of a struct that is null is left out, as TRL
does (`remove_none_values` of TRL 1.16, read 2026-11-29), because Arrow fills in the keys of all
other rows; JSON columns (`arrow.json`, the `Json` of Hugging Face's datasets 5) say exactly what
they say. Written are JSON lines first; `write_table` makes a table of them.
"""

from __future__ import annotations

import base64
import json
from bisect import bisect_left
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from itertools import accumulate, pairwise
from math import isfinite
from pathlib import Path, PurePath
from typing import Any, BinaryIO, TypeAlias

from ..errors import ConfigError, DragomanError, ReadError
from ..text.json_text import Json, JsonObject, loads
from .lines import Line
from .output_files import OutputFile
from .record_work import encode_record

PARQUET, FILE, STREAM = "parquet", "arrow file", "arrow stream"
_KINDS = {".parquet": PARQUET, ".arrow": FILE, ".feather": FILE, ".ipc": FILE, ".arrows": STREAM}
ENDINGS = tuple(_KINDS)
# Parquet, File Format; Arrow Columnar Format 1.5, IPC File Format and Encapsulated message format
_HEADS = {b"PAR1": PARQUET, b"ARRO": FILE, b"\xff\xff\xff\xff": STREAM}

RECORD = "record"  # the column of a table whose records are JSON
_ROWS = 256  # of a batch that is read
_GROUP = 2**22  # bytes of JSON in a group of rows that is written
_MOST_ROWS = 50_000  # in one
_COLUMNS = 500  # of a table; with more keys, a record is one column
# columns whose texts are JSON, as many tools store them
_TEXTS = frozenset({"messages", "conversations", "contents", "events", "body", "params"})

_Convert: TypeAlias = Callable[[Any], Json]


def table_kind(head: bytes) -> str:
    """The kind of a table by how its file begins; empty if it is none."""
    return _HEADS.get(head[:4], "")


def named_kind(name: str) -> str:
    """The kind of a table by how its name ends; empty if it names none."""
    return _KINDS.get(PurePath(name).suffix, "")


def require_pyarrow() -> None:
    """Raise ConfigError if the library for tables is not installed."""
    if find_spec("pyarrow") is None:
        hint = 'pip install "dragoman[batch]"'
        raise ConfigError("Parquet and Arrow files need pyarrow", hint=hint)


def _arrow(name: str = "pyarrow") -> Any:
    return import_module(name)  # of the extra `batch`


# -- reading ---------------------------------------------------------------------------------------


def find_groups(path: Path, kind: str, source: str) -> tuple[int, ...]:
    """Where each group of rows of a table begins, as a share of its bytes; the first is 0.

    Raises ConfigError if the file is damaged, or pyarrow is missing.
    """
    require_pyarrow()
    arrow = _arrow()
    size = path.stat().st_size
    try:
        if kind == PARQUET:
            with _arrow("pyarrow.parquet").ParquetFile(path) as file:
                table = file.metadata
                groups = [table.row_group(i) for i in range(table.num_row_groups)]
                sizes = [max(group.total_byte_size, 1) for group in groups]
        elif kind == FILE:
            with arrow.memory_map(str(path)) as raw:
                sizes = [1] * arrow.ipc.open_file(raw).num_record_batches
        else:
            with arrow.memory_map(str(path)) as raw:
                arrow.ipc.open_stream(raw)
            return (0,)
    except (arrow.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno:
            raise
        text = f"{source}: this {kind} cannot be read: {error}"
        raise ConfigError(text, hint="is it whole?") from error
    total = sum(sizes)
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


@dataclass(slots=True)
class TableReader:
    """Reads the rows of the groups that begin in a range of a table.

    Args:
        file: The open file.
        kind: The kind of table.
        starts: Where each group begins.
        start: The beginning of the range.
        end: The first byte behind it; None for all that follows.
    """

    file: BinaryIO
    kind: str
    starts: tuple[int, ...]
    start: int = 0
    end: int | None = None
    at: int = 0  # where the group begins that is read

    def __iter__(self) -> Iterator[Line]:
        number = 0
        try:
            for batch in self._batches():
                for value in _rows(batch):
                    number += 1
                    yield _line(number, value)
        except (_arrow().ArrowException, OSError) as error:
            if isinstance(error, OSError) and error.errno:
                raise
            fault = f"the table is broken here: {error}"
            yield Line(number + 1, None, b"", fault=fault)

    def _batches(self) -> Iterator[Any]:
        arrow = _arrow()
        first = bisect_left(self.starts, self.start)
        last = len(self.starts) if self.end is None else bisect_left(self.starts, self.end)
        if self.kind == PARQUET:
            # no group is read ahead, so that one is in memory at most
            table = _arrow("pyarrow.parquet").ParquetFile(
                self.file, pre_buffer=False, buffer_size=2**20
            )
            for number in range(first, min(last, table.metadata.num_row_groups)):
                self.at = self.starts[number]
                yield from table.iter_batches(_ROWS, row_groups=[number], use_threads=False)
        elif self.kind == FILE:
            table = arrow.ipc.open_file(self.file)
            for number in range(first, min(last, table.num_record_batches)):
                self.at = self.starts[number]
                yield from _cut(table.get_batch(number))
        else:
            for batch in arrow.ipc.open_stream(self.file):
                self.at = self.file.tell()
                yield from _cut(batch)


def _cut(batch: Any) -> Iterator[Any]:
    for start in range(0, batch.num_rows, _ROWS):
        yield batch.slice(start, _ROWS)


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
    types = _arrow("pyarrow.types")
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
    types = _arrow("pyarrow.types")
    if _is_json(kind):
        return _or_null(loads)
    if isinstance(kind, _arrow().BaseExtensionType):
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


# -- writing ---------------------------------------------------------------------------------------


def write_table(lines: Path, target: Path, kind: str, in_columns: bool) -> JsonObject:
    """Make a table of records on lines.

    Args:
        lines: The records, one a line.
        target: The temporary name of the table.
        kind: The kind of table.
        in_columns: Whether the keys of records become columns; else there is one, of JSON.

    Returns:
        Its `bytes` and `sha256`.
    """
    require_pyarrow()
    columns = _find_columns(lines) if in_columns else None
    output = OutputFile(target)
    try:
        with _writer(output.file, kind, _schema(columns)) as write:
            for rows in _groups(lines):
                write(_batch(rows, columns))
        return output.close()
    except BaseException:
        output.discard()
        raise


@contextmanager
def _writer(file: BinaryIO, kind: str, schema: Any) -> Iterator[Callable[[Any], None]]:
    arrow = _arrow()
    sink = arrow.PythonFile(file, mode="w")
    if kind == PARQUET:
        with _arrow("pyarrow.parquet").ParquetWriter(sink, schema, compression="zstd") as writer:
            yield lambda batch: writer.write_batch(batch, row_group_size=max(batch.num_rows, 1))
    else:
        make = arrow.ipc.new_file if kind == FILE else arrow.ipc.new_stream
        with make(sink, schema) as writer:
            yield writer.write_batch
    sink.flush()


def _groups(lines: Path) -> Iterator[list[bytes]]:
    """The lines in groups of some size."""
    rows: list[bytes] = []
    size = 0
    with lines.open("rb") as file:
        for line in file:
            rows.append(line.removesuffix(b"\n"))
            size += len(line)
            if size >= _GROUP or len(rows) >= _MOST_ROWS:
                yield rows
                rows, size = [], 0
    if rows:
        yield rows


def _find_columns(lines: Path) -> dict[str, str] | None:
    """The column of each key and what it holds; None if there can be no such columns."""
    found: dict[str, set[str]] = {}
    for rows in _groups(lines):
        for row in rows:
            for name, value in json.loads(row).items():
                if value is not None:
                    found.setdefault(name, set()).add(_sort_of(value))
                else:
                    found.setdefault(name, set())
            if len(found) > _COLUMNS:
                return None
    if not found or any(_sort_of(name) != "text" for name in found):
        return None
    return {name: _column(sorts) for name, sorts in found.items()}


def _sort_of(value: Json) -> str:
    match value:
        case bool():
            return "boolean"
        case int():
            return "integer" if -(2**63) <= value < 2**63 else "json"
        case float():
            return "number"
        case str():
            return "text" if value.isascii() or _is_whole(value) else "json"
        case list():
            return "texts" if all(_sort_of(item) == "text" for item in value) else "list"
        case _:
            return "json"


def _is_whole(text: str) -> bool:
    """Whether a text has no half of a surrogate pair, which UTF-8 has no form for."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _column(sorts: set[str]) -> str:
    """The sort of a column: what holds all of its values as they are."""
    if len(sorts) == 1:
        return next(iter(sorts))
    return "list" if sorts == {"texts", "list"} else "json"


def _type(sort: str) -> Any:
    arrow = _arrow()
    match sort:
        case "boolean":
            return arrow.bool_()
        case "integer":
            return arrow.int64()
        case "number":
            return arrow.float64()
        case "text":
            return arrow.string()
        case "texts":
            return arrow.list_(arrow.string())
        case "list":
            return arrow.list_(arrow.json_())
        case _:
            return arrow.json_()


def _schema(columns: dict[str, str] | None) -> Any:
    found = {RECORD: "json"} if columns is None else columns
    return _arrow().schema([(name, _type(sort)) for name, sort in found.items()])


def _batch(rows: list[bytes], columns: dict[str, str] | None) -> Any:
    arrow = _arrow()
    if columns is None:
        arrays = [_texts([row.decode() for row in rows])]
    else:
        values = [json.loads(row) for row in rows]
        arrays = [
            _array([value.get(name) for value in values], sort) for name, sort in columns.items()
        ]
    return arrow.record_batch(arrays, schema=_schema(columns))


def _array(values: list[Json], sort: str) -> Any:
    arrow = _arrow()
    if sort == "json":
        return _texts([None if value is None else _text(value) for value in values])
    if sort != "list":
        return arrow.array(values, _type(sort))
    lengths = [len(value) if isinstance(value, list) else 0 for value in values]
    items = [_text(item) for value in values if isinstance(value, list) for item in value]
    offsets = arrow.array([0, *accumulate(lengths)], arrow.int32())
    missing = arrow.array([value is None for value in values])
    return arrow.ListArray.from_arrays(offsets, _texts(items), mask=missing, type=_type(sort))


def _text(value: Json) -> str:
    return encode_record(value).decode()


def _texts(texts: list[str | None] | list[str]) -> Any:
    arrow = _arrow()
    return arrow.ExtensionArray.from_storage(arrow.json_(), arrow.array(texts, arrow.string()))
