"""The counter finds what it counts: each measure is shown names that are planted."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from .count import Count, Measure, count, is_participle, main
from .imports import back_edges, circles
from .sources import PACKAGE

_PACKAGES = {
    "__init__.py": '''"""Root."""
from .a.one import Reader, read_item
__all__ = ["Reader", "read_item"]
''',
    "a/__init__.py": '"""One folder."""\n',
    "a/one.py": '''"""Who tells of it stands behind."""
from ..b.two import told
class Reader:
    """Read with `limit`."""
    def __init__(self, limit, unit): ...
    @property
    def closed(self): ...
    def unsaid(self): ...
def read_item(text, path):
    """Parse `text`."""
    if not text:
        raise ValueError(path)
def _text_of(x):
    return (x,)  # fmt: skip
''',
    "b/__init__.py": '"""Another folder."""\n',
    "b/two.py": '''"""Plain."""
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from ..a.one import Reader
class Reader: ...
def told(): ...
def write_item():
    """Not exported: what it raises is not counted."""
    raise ValueError
''',
}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    for name, text in _PACKAGES.items():
        path = tmp_path / "package" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return tmp_path / "package"


def _measure(found: Count, start: str) -> Measure:
    [measure] = [item for item in found.measures if item.name.startswith(start)]
    return measure


@pytest.mark.parametrize(
    ("start", "places"),
    [
        ("function names that are bare", ["a/one.py:unsaid", "b/two.py:told"]),
        ("function names that end in _of", ["a/one.py:_text_of"]),
        ("told, tell", ["a/one.py:1 tells", "a/one.py:1 stands", "a/one.py:1 behind"]),
        ("fmt: skip", ["a/one.py:14"]),
        (
            "public parameters",
            ["a/one.py:Reader.__init__:unit", "a/one.py:read_item:path"],
        ),
        ("public functions that raise", ["a/one.py:read_item"]),
        ("circles", ["['a.one', 'b.two']"]),
        ("imports between folders", ["b -> a"]),
        ("class names", ["Reader: a/one.py, b/two.py"]),
    ],
)
def test_what_is_planted_is_found(package: Path, start: str, places: list[str]) -> None:
    found = _measure(count(package), start)
    assert found.places == places
    assert not (found.met and found.bound == 0)


def test_shares_are_of_what_is_public(package: Path) -> None:
    found = count(package)
    assert found.functions == 6
    assert (found.docstrings.parameters, found.docstrings.raising) == (4, 1)
    assert _measure(found, "public parameters").value == 0.5
    assert _measure(found, "function names that are bare").value == pytest.approx(2 / 6)


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("def told(): ...", True),
        ("def _refused(): ...", True),
        ("async def relayed(): ...", True),
        ("def rewritten(): ...", True),
        ("def untold(): ...", True),
        ("def withheld(): ...", True),
        ("def read(): ...", False),
        ("def feed(): ...", False),
        ("def split(): ...", False),
        ("def placed_text(): ...", False),
        ("def hidden_keys(): ...", False),
        ("@property\ndef closed(self): ...", False),
        ("@functools.cached_property\ndef lost(self): ...", False),
        ("@property\ndef _closed(self): ...", True),
        ("@property\ndef told(self): ...", True),
    ],
)
def test_a_participle_is_known(source: str, found: bool) -> None:
    [function] = ast.parse(source).body
    assert isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
    assert is_participle(function) is found


def test_a_circle_is_found_whole() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}, "e": {"e"}}
    assert circles(graph) == [["a", "b", "c"], ["e"]]
    assert circles({"a": {"b"}, "b": set()}) == []


def test_an_import_that_runs_back_up_is_found() -> None:
    graph = {"cli": {"llm"}, "llm": {"message"}, "message": {"llm", "errors"}, "errors": set[str]()}
    assert back_edges(graph) == [("message", "llm")]
    assert back_edges({"cli": {"llm"}, "llm": {"errors"}}) == []


def test_the_check_fails_above_a_bound(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(package), "--check"]) == 1
    assert "NOT MET" in capsys.readouterr().out
    assert main([str(package)]) == 0


def test_the_check_passes_within_the_bounds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "one.py").write_text('"""Plain."""\n\ndef read_item(): ...\n', "utf-8")
    assert main([str(tmp_path), "--check"]) == 0
    assert "NOT MET" not in capsys.readouterr().out


def test_places_are_listed(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([str(package), "--list"])
    assert "    b/two.py:told\n" in capsys.readouterr().out


def test_the_sources_keep_within_every_bound() -> None:
    over = [measure for measure in count(PACKAGE).measures if not measure.met]
    assert not over, "\n".join(line for one in over for line in (str(one), *one.places[:40]))
