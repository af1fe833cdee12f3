"""Counts what the sources are made of: lines, modules, imports, file names, functions, names.

    python -m tests.house.count [FOLDER]

A code line holds at least one token that is no comment and no part of a docstring. Import lines
are those of import statements and of `__all__`. A use of a name is a variable that is read or
written, or a parameter; the names counted as vague are participles and other words that say how a
value came about instead of what it holds.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .sources import PACKAGE, modules

# fmt: off
VAGUE = frozenset({
    "added", "afterwards", "again", "alone", "among", "apart", "around", "aside", "asked", "at",
    "back", "bare", "before", "behind", "beside", "between", "beyond", "bound", "built", "can",
    "cited", "claimed", "cleared", "closed", "come", "cut", "done", "drawn", "empty", "ended",
    "fed", "fetched", "filled", "fitted", "fixed", "found", "given", "gone", "grown", "had", "held",
    "here", "hung", "idle", "inner", "joined", "kept", "known", "laid", "lasting", "left", "listed",
    "lost", "lowered", "made", "marked", "meant", "mended", "mine", "moot", "more", "named", "near",
    "new", "nth", "odd", "old", "one", "ones", "ours", "outer", "own", "owned", "paired", "parted",
    "picked", "placed", "plain", "pointed", "put", "raised", "reduced", "remade", "rest", "retold",
    "said", "say", "says", "seated", "seen", "sent", "settled", "short", "shown", "side", "sides",
    "silent", "some", "spelled", "spoken", "still", "such", "taken", "theirs", "then", "there",
    "thing", "things", "this", "told", "touched", "trimmed", "turned", "unsaid", "used", "wanted",
    "was", "what", "where", "whole", "wide", "without", "word", "words", "work", "written",
})
# fmt: on


@dataclass
class Count:
    """What one tree of sources is made of."""

    modules: int = 0
    code: int = 0
    imports: int = 0
    longest_module: tuple[int, str] = (0, "")
    longest_function: tuple[int, str] = (0, "")
    most_branches: tuple[int, str] = (0, "")
    names: Counter[str] = field(default_factory=Counter)
    room_files: Counter[str] = field(default_factory=Counter)

    @property
    def seldom(self) -> list[str]:
        """File names that occur in two rooms or fewer."""
        return sorted(name for name, rooms in self.room_files.items() if rooms <= 2)

    @property
    def vague(self) -> float:
        """The share of vague words among the uses of names."""
        return sum(self.names[word] for word in VAGUE) / max(1, self.names.total())


def count(package: Path = PACKAGE) -> Count:
    """Read every module of the package."""
    made = Count()
    for path in modules(package):
        source = path.read_text("utf-8")
        tree = ast.parse(source)
        name = path.relative_to(package).as_posix()
        lines = len(code_lines(source, tree))
        made.modules += 1
        made.code += lines
        made.imports += sum(_height(node) for node in ast.walk(tree) if _is_import(node))
        made.longest_module = max(made.longest_module, (lines, name))
        for function in _functions(tree):
            place = f"{name}:{function.name}"
            made.longest_function = max(made.longest_function, (_height(function), place))
            made.most_branches = max(made.most_branches, (branches(function), place))
        made.names.update(_uses(tree))
        if path.parent.parent.name == "protocols" and path.stem != "__init__":
            made.room_files[path.stem] += 1
    return made


def code_lines(source: str, tree: ast.Module) -> set[int]:
    """The numbers of the lines that hold code."""
    words = {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or 0) + 1)
    }
    no_code = {
        tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
        tokenize.ENDMARKER,
    }  # fmt: skip
    return {
        line
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type not in no_code
        for line in range(token.start[0], token.end[0] + 1)
    } - words


def branches(function: ast.AST) -> int:
    """One more than the decisions in a function: its cyclomatic complexity."""
    kinds = (
        ast.If, ast.For, ast.AsyncFor, ast.While, ast.IfExp, ast.comprehension, ast.ExceptHandler,
        ast.match_case, ast.Assert,
    )  # fmt: skip
    found = 1
    for node in ast.walk(function):
        found += isinstance(node, kinds)
        if isinstance(node, ast.BoolOp):
            found += len(node.values) - 1
    return found


def _functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def _uses(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg


def _is_import(node: ast.AST) -> bool:
    match node:
        case ast.Import() | ast.ImportFrom():
            return True
        case ast.Assign(targets=[ast.Name(id="__all__")]):
            return True
        case _:
            return False


def _height(node: ast.AST) -> int:
    assert isinstance(node, ast.stmt)
    return (node.end_lineno or node.lineno) - node.lineno + 1


def main(package: Path) -> None:
    """Print the counts."""
    found = count(package)
    print(f"code lines            {found.code}")
    print(f"modules               {found.modules}")
    print(f"import lines          {found.imports} ({found.imports / found.code:.1%})")
    print(f"room files            {len(found.room_files)}: {dict(found.room_files.most_common())}")
    print(f"  in two rooms or fewer {len(found.seldom)}: {', '.join(found.seldom)}")
    print("longest module        {} {}".format(*found.longest_module))
    print("longest function      {} {}".format(*found.longest_function))
    print("most branches         {} {}".format(*found.most_branches))
    print(f"vague names           {found.vague:.1%} of {found.names.total()}")
    vague = [(word, n) for word, n in found.names.most_common() if word in VAGUE]
    print("  " + ", ".join(f"{word} {n}" for word, n in vague[:30]))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else PACKAGE)
