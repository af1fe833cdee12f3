"""Parquet and Arrow files: what a row is as a record, and records as tables that others read."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from dragoman import ConfigError
from dragoman.batch import Converter, fitter, message_reader, token_counter
from dragoman.batch.table_reading import TableReader, find_groups
from dragoman.batch.tables import FILE, PARQUET, STREAM, write_table
from dragoman.message import load
from tests.each_case import each_case

from .records import REQUEST, convert, entries, line, tree

arrow: Any = pytest.importorskip("pyarrow")
parquet: Any = pytest.importorskip("pyarrow.parquet")

CHATS = [
    {
        "messages": [
            {"role": "user", "content": f"Question {number}"},
            {"role": "assistant", "content": None, "tool_calls": [
                {"id": "c", "type": "function",
                 "function": {"name": name, "arguments": {key: number}}}]},
            {"role": "tool", "tool_call_id": "c", "content": "r"},
            {"role": "assistant", "content": f"Answer {number}"},
        ],
        "label": number,
    }
    for number, (name, key) in enumerate([("f", "city"), ("g", "n")] * 3)
]  # fmt: skip


def read_back(path: Path, kind: str = PARQUET) -> list[Any]:
    """The records in a table."""
    groups = find_groups(path, kind)
    with path.open("rb") as file:
        return [json.loads(row.data) for row in TableReader(file, kind, groups)]


def written(records: list[Any], folder: Path, kind: str = PARQUET, in_columns: bool = True) -> Path:
    """A table of records."""
    lines = folder / "lines.jsonl"
    lines.write_bytes(b"".join(json.dumps(row).encode() + b"\n" for row in records))
    target = folder / f"table.{kind[-4:]}"
    write_table(lines, target, kind, in_columns)
    return target


def without_nulls(value: Any) -> Any:
    """A value as a table of struct columns gives it."""
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    return [*map(without_nulls, value)] if isinstance(value, list) else value


def json_column(*values: Any) -> Any:
    texts = arrow.array([None if value is None else json.dumps(value) for value in values])
    return arrow.ExtensionArray.from_storage(arrow.json_(), texts)


BODY = {"messages": [{"role": "user", "content": None}], "n": None}
DAY = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@each_case(
    ("columns", "record"),
    [
        ({"a": [1], "b": [None]}, {"a": 1}),
        ({"a": [{"x": None, "y": [None, {"z": None, "w": 1}]}]}, {"a": {"y": [None, {"w": 1}]}}),
        ({"a": json_column({"x": None, "n": 1.0})}, {"x": None, "n": 1.0}),
        ({"a": json_column({"x": None}), "b": [2]}, {"a": {"x": None}, "b": 2}),
        ({"record": [json.dumps(BODY)]}, BODY),
        ({"messages": [json.dumps(BODY["messages"])]}, {"messages": BODY["messages"]}),
        ({"messages": ["[broken"], "b": [1]}, {"messages": "[broken", "b": 1}),
        ({"messages": [json.dumps(BODY["messages"])], "b": [1]},
         {"messages": BODY["messages"], "b": 1}),
        ({"prompt": ['["a text"]'], "b": [1]}, {"prompt": '["a text"]', "b": 1}),
        ({"text": ["007"]}, {"text": "007"}),
        ({"text": ["2026-01-02"], "n": [2**63 - 1]}, {"text": "2026-01-02", "n": 2**63 - 1}),
        ({"a": arrow.array([[("k", 1), ("l", None)]], arrow.map_(arrow.string(), arrow.int8()))},
         {"a": {"k": 1, "l": None}}),
        ({"a": arrow.array(["x"]).dictionary_encode()}, {"a": "x"}),
        ({"a": arrow.array([["x"]], arrow.large_list(arrow.large_string()))}, {"a": ["x"]}),
        ({"a": arrow.array([["x", "y"]], arrow.list_(arrow.string(), 2))}, {"a": ["x", "y"]}),
        ({"a": [DAY], "b": [date(2026, 1, 2)]},
         {"a": "2026-01-02T03:04:05+00:00", "b": "2026-01-02"}),
        ({"a": [Decimal("1.10")], "b": [b"\xff\x00"]}, {"a": "1.10", "b": "/wA="}),
        ({"a": [True], "b": [1.5]}, {"a": True, "b": 1.5}),
    ],
    ids=str,
)  # fmt: skip
@each_case("kind", [PARQUET, FILE, STREAM])
def test_a_row_is_a_record(columns: Any, record: Any, kind: str, tmp_path: Path) -> None:
    table = arrow.table(columns)
    if kind == PARQUET:
        parquet.write_table(table, tmp_path / "t")
    else:
        make = arrow.ipc.new_file if kind == FILE else arrow.ipc.new_stream
        with make(str(tmp_path / "t"), table.schema) as writer:
            writer.write_table(table)
    assert read_back(tmp_path / "t", kind) == [record]


RECORDS: list[Any] = [
    {"text": "a", "n": 1, "x": 1.5, "ok": True, "tags": ["a"], "turns": [{"c": None}], "o": {}},
    {"text": "2026-01-02T03:04:05Z", "n": -(2**63), "x": -0.0, "ok": False, "tags": []},
    {"text": "你好\u2028", "turns": ["a", 2**70, None], "o": {"k": [1, 1.0, "1"]}},
]


@each_case(
    "records",
    [
        [],
        RECORDS,
        [{"n": 1}, {"n": 1.0}],
        [{"n": 2**63}, {"n": -1}],
        [{"n": True}, {"n": 1}],
        [{"c": "text", "n": 1}, {"c": [{"type": "text"}]}, {"c": {"a": 1}}],
        [{"t": ["a"]}, {"t": [1]}, {"t": []}],
        [{"t": "\ud83d"}, {"t": ["\ud83d"]}],
        [{"\ud83d": 1}, {"": 2}],
        [{f"k{number}": number} for number in range(600)],
        [{"a": None}, {"a": 1}],
    ],
)
@each_case("kind", [PARQUET, FILE, STREAM])
@each_case("in_columns", [True, False])
def test_what_is_written_is_read_back(
    records: Any, kind: str, in_columns: bool, tmp_path: Path
) -> None:
    found = read_back(written(records, tmp_path, kind, in_columns), kind)
    texts = [*map(json.dumps, found)]  # 1 is not 1.0, and not True
    if in_columns and len({key for row in records for key in row}) < 500:
        names = dict.fromkeys(key for row in records for key in row)
        ordered = [{key: row[key] for key in names if row.get(key) is not None} for row in records]
        assert texts == [*map(json.dumps, ordered)]
    else:
        assert texts == [*map(json.dumps, records)]


def test_columns_have_the_types_that_others_expect(tmp_path: Path) -> None:
    table = parquet.read_table(written(RECORDS, tmp_path))
    found = {field.name: str(field.type) for field in table.schema}
    turns = found.pop("turns")
    assert turns.startswith("list<")
    assert "arrow.json" in turns
    assert found == {
        "text": "string", "n": "int64", "x": "double", "ok": "bool",
        "tags": "list<element: string>", "o": "extension<arrow.json>",
    }  # fmt: skip
    assert table.column("text").to_pylist() == [row["text"] for row in RECORDS]
    last: Any = table.column("turns").to_pylist()[2]
    assert [*map(json.loads, last)] == RECORDS[2]["turns"]


@pytest.fixture
def chats(tmp_path: Path) -> Path:
    """A folder with a table in several groups of rows, one of which is no JSON."""
    folder = tmp_path / "chats"
    folder.mkdir()
    rows: list[Any] = [{**row, "x": None} for row in CHATS]
    rows.insert(3, {**CHATS[0], "x": float("nan")})
    parquet.write_table(arrow.Table.from_pylist(rows), folder / "a.parquet", row_group_size=2)
    return folder


def test_every_row_is_converted_or_in_quarantine(chats: Path, tmp_path: Path) -> None:
    work = Converter("auto", "hf-messages", policy="ignore")
    report = convert(chats, to=tmp_path / "out", converter=work, jobs=2, segment=1)
    assert (report["in"], report["out"], report["quarantined"]) == (7, 6, 1)
    [entry] = entries(tmp_path / "out" / "a.quarantine.jsonl")
    assert (entry["line"], entry["offset"], entry["code"]) == (4, None, "json.invalid")
    found = read_back(tmp_path / "out" / "a.parquet")
    assert [row["label"] for row in found] == [row["label"] for row in CHATS]
    calls = [row["messages"][1]["tool_calls"][0]["function"] for row in found]
    assert calls[1] == {"name": "g", "arguments": {"n": 1}}  # without the key of the other function
    convert(chats, to=tmp_path / "one", converter=work, jobs=1)
    assert tree(tmp_path / "one") == tree(tmp_path / "out")
    (tmp_path / "one" / "a.parquet").write_bytes(b"damaged")
    convert(chats, to=tmp_path / "one", converter=work, jobs=1)
    assert tree(tmp_path / "one") == tree(tmp_path / "out")


def test_lines_become_tables_and_tables_lines(chats: Path, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(line(1) + line(2, seed=None) + b"{broken\n")
    report = convert(tmp_path / "a.jsonl", to=tmp_path / "b.parquet")
    assert (report["out"], report["quarantined"]) == (2, 1)
    assert (tmp_path / "b.quarantine.jsonl").exists()
    convert(tmp_path / "a.jsonl", to=tmp_path / "lines")
    lines = [*map(json.loads, (tmp_path / "lines/a.jsonl").read_bytes().splitlines())]
    table = parquet.read_table(tmp_path / "b.parquet")
    assert table.schema.names == ["record"]  # a body of a wire is not taken apart
    assert [*map(json.loads, table.column("record").to_pylist())] == lines
    chat = Converter("auto", "openai-chat", "gpt-5.6", policy="ignore")
    convert(tmp_path / "b.parquet", to=tmp_path / "c", converter=chat, ending=".jsonl")
    found = [*map(json.loads, (tmp_path / "c/b.jsonl").read_bytes().splitlines())]
    assert [row["messages"][-1] for row in found] == [
        {"role": "user", "content": f"Question {number}"} for number in (1, 2)
    ]


def test_a_stream_stays_a_stream_and_a_file_a_file(tmp_path: Path) -> None:
    table = arrow.Table.from_pylist([{"messages": CHATS[0]["messages"]}])
    with arrow.ipc.new_stream(str(tmp_path / "s.arrow"), table.schema) as writer:
        writer.write_table(table)
    with arrow.ipc.new_file(str(tmp_path / "f.arrow"), table.schema) as writer:
        writer.write_table(table)
    work = message_reader()
    names = (tmp_path / "s.arrow", tmp_path / "f.arrow")
    convert(*names, to=tmp_path / "out", converter=work)
    stream = arrow.ipc.open_stream((tmp_path / "out/s.arrow").read_bytes()).read_all()
    file = arrow.ipc.open_file((tmp_path / "out/f.arrow").read_bytes()).read_all()
    assert stream.equals(file)
    request: Any = load(json.loads(stream.column("record").to_pylist()[0]))
    assert request.messages[-1].text == "Answer 0"


def test_exchanges_may_be_texts_or_structs(tmp_path: Path) -> None:
    answer = {
        "id": "a", "object": "chat.completion", "created": 1, "model": "gpt-5.6",
        "choices": [{"index": 0, "finish_reason": "stop",
                     "message": {"role": "assistant", "content": "Hello."}}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
    }  # fmt: skip
    rows = [{"request": REQUEST, "response": answer, "ts": 1}]
    texts = [{**rows[0], "request": json.dumps(REQUEST), "response": json.dumps(answer)}]
    for name, given in (("structs", rows), ("texts", texts)):
        parquet.write_table(arrow.Table.from_pylist(given), tmp_path / f"{name}.parquet")
        convert(tmp_path / f"{name}.parquet", to=tmp_path / name, converter=token_counter())
    found = [read_back(tmp_path / name / f"{name}.parquet") for name in ("structs", "texts")]
    assert found[0][0]["parts"] == found[1][0]["parts"]
    assert found[0][0].keys() == {"line", "source", "model", "tokens", "parts"}


def test_what_is_cut_keeps_its_columns(tmp_path: Path) -> None:
    parquet.write_table(arrow.Table.from_pylist(CHATS), tmp_path / "a.parquet")
    convert(tmp_path / "a.parquet", to=tmp_path / "out", converter=fitter(tokens=9_000))
    assert read_back(tmp_path / "out/a.parquet") == without_nulls(CHATS)
    assert parquet.read_schema(tmp_path / "out/a.parquet").names == ["messages", "label"]


def test_without_the_library_it_is_named(
    chats: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dragoman.batch.tables.find_spec", lambda _: None)
    with pytest.raises(ConfigError, match="pyarrow") as caught:
        convert(chats, to=tmp_path / "new")
    assert "dragoman[batch]" in caught.value.hint


def test_a_long_row_is_not_converted(tmp_path: Path) -> None:
    rows = [{**CHATS[0], "x": "y" * 9_000}, CHATS[1]]
    parquet.write_table(arrow.Table.from_pylist(rows), tmp_path / "a.parquet")
    report = convert(tmp_path / "a.parquet", to=tmp_path / "out", max_line=8_000,
                     converter=message_reader())  # fmt: skip
    assert (report["out"], report["quarantined"]) == (1, 1)
    [entry] = entries(tmp_path / "out/a.quarantine.jsonl")
    assert (entry["line"], entry["code"]) == (1, "line.long")
    assert json.loads(entry["record"])["x"] == rows[0]["x"]


_IMPORTS = """
import sys
from pathlib import Path
from dragoman.batch.table_reading import TableReader
from dragoman.batch.tables import write_table
lines, table = map(Path, sys.argv[1:])
write_table(lines, table, "parquet", True)
with table.open("rb") as file:
    assert len([*TableReader(file, "parquet", (0,))]) == 3
sys.exit("pandas" in sys.modules)
"""


def test_pandas_is_not_imported(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    table = written(RECORDS, tmp_path)
    lines = tmp_path / "lines.jsonl"
    subprocess.run([sys.executable, "-c", _IMPORTS, str(lines), str(table)], check=True)
