"""Kinds of tables, and records written as one; `table_reading` reads them.

Written are JSON lines first; `write_table` makes a table of them.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path, PurePath
from typing import Any, BinaryIO

from ..errors import ConfigError
from ..text.json_text import Json, JsonObject
from .compression import compression
from .output_files import OutputFile
from .record_work import encode_record

PARQUET, FILE, STREAM = "parquet", "arrow file", "arrow stream"
_KINDS = {".parquet": PARQUET, ".arrow": FILE, ".feather": FILE, ".ipc": FILE, ".arrows": STREAM}
ENDINGS = tuple(_KINDS)
# Parquet, File Format; Arrow Columnar Format 1.5, IPC File Format and Encapsulated message format
_HEADS = {b"PAR1": PARQUET, b"ARRO": FILE, b"\xff\xff\xff\xff": STREAM}

RECORD = "record"  # the column of a table whose records are JSON
_GROUP = 2**20  # bytes of JSON in a group of rows that is written
_MOST_ROWS = 50_000  # in one
_COLUMNS = 500  # of a table; with more keys, a record is one column


def table_kind(head: bytes, name: str) -> str:
    """The kind of a table by how its file begins; empty if it is none.

    A file that has the name of a table and does not begin as JSON or packed data is a damaged one.
    """
    found = _HEADS.get(head[:4], "")
    if not found and not compression(head) and not head.lstrip().startswith(b"{"):
        return named_kind(name)
    return found


def named_kind(name: str) -> str:
    """The kind of a table by how its name ends; empty if it names none."""
    return _KINDS.get(PurePath(name).suffix, "")


def use_little_memory() -> None:
    """Have pyarrow give memory back: its own pools keep some tens of MB more than are in use."""
    arrow = import_arrow()
    arrow.set_memory_pool(arrow.system_memory_pool())


def require_pyarrow() -> None:
    """Raise ConfigError if the library for tables is not installed."""
    if find_spec("pyarrow") is None:
        hint = 'pip install "dragoman[batch]"'
        raise ConfigError("Parquet and Arrow files need pyarrow", hint=hint)


def import_arrow(name: str = "pyarrow") -> Any:
    """A module of the library for tables, which is of the extra `batch`."""
    return import_module(name)


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
    use_little_memory()
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
    arrow = import_arrow()
    sink = arrow.PythonFile(file, mode="w")
    if kind == PARQUET:
        # JSON is hardly ever the same twice, and its smallest and largest values say nothing
        texts = [name for name in schema.names if schema.field(name).type == arrow.string()]
        with import_arrow("pyarrow.parquet").ParquetWriter(
            sink,
            schema,
            compression="zstd",
            write_page_checksum=True,
            write_statistics=False,
            use_dictionary=texts,
        ) as writer:
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
    arrow = import_arrow()
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
    return import_arrow().schema([(name, _type(sort)) for name, sort in found.items()])


def _batch(rows: list[bytes], columns: dict[str, str] | None) -> Any:
    if columns is None:
        arrays = [_json_texts(rows)]
    else:
        values = [json.loads(row) for row in rows]
        arrays = [
            _array([value.get(name) for value in values], sort) for name, sort in columns.items()
        ]
    return import_arrow().record_batch(arrays, schema=_schema(columns))


# Made of their buffers (Arrow Columnar Format 1.5, Physical Memory Layout): `pyarrow.array` imports
# pandas where that is installed, which takes 50 MB (seen with pyarrow 26.0.1, 2026-11-29).


def _array(values: list[Any], sort: str) -> Any:
    """An array of JSON values; None is null."""
    match sort:
        case "boolean":
            return _from_buffers(sort, values, _bits(values))
        case "integer":
            return _from_buffers(sort, values, array("q", [value or 0 for value in values]))
        case "number":
            return _from_buffers(
                sort, values, array("d", [0.0 if value is None else value for value in values])
            )
        case "text":
            return _texts([None if value is None else value.encode() for value in values])
        case "texts" | "list":
            items = [item for value in values if value is not None for item in value]
            inner = _array(items, "text") if sort == "texts" else _json_texts(_encode(items))
            lengths = [0 if value is None else len(value) for value in values]
            return _from_buffers(sort, values, _offsets(lengths), children=[inner])
        case _:
            return _json_texts(_encode(values, with_nulls=True))


def _encode(values: list[Any], with_nulls: bool = False) -> list[bytes | None]:
    return [None if with_nulls and value is None else encode_record(value) for value in values]


def _json_texts(texts: list[bytes | None] | list[bytes]) -> Any:
    arrow = import_arrow()
    return arrow.ExtensionArray.from_storage(arrow.json_(), _texts(texts))


def _texts(texts: list[bytes | None] | list[bytes]) -> Any:
    data = b"".join(text for text in texts if text is not None)
    return _from_buffers("text", texts, _offsets([len(text or b"") for text in texts]), data)


def _offsets(lengths: list[int]) -> array[int]:
    return array("i", [0, *accumulate(lengths)])


def _bits(flags: Sequence[object]) -> bytearray:
    packed = bytearray((len(flags) + 7) // 8)
    for number, flag in enumerate(flags):
        if flag:
            packed[number >> 3] |= 1 << (number & 7)
    return packed


def _from_buffers(sort: str, values: Sequence[Any], *buffers: Any, children: Any = None) -> Any:
    """An array of one buffer for what is not null, and of those that its type has."""
    arrow = import_arrow()
    valid = None
    if any(value is None for value in values):
        valid = arrow.py_buffer(_bits([value is not None for value in values]))
    made = [valid, *map(arrow.py_buffer, buffers)]
    return arrow.Array.from_buffers(_type(sort), len(values), made, children=children)
