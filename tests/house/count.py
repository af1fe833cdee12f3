"""Counts what the sources are made of: lines, modules, imports, names, words, docstrings.

    python -m tests.house.count [FOLDER] [--check] [--list]

`--check` fails while a measure is above its bound; `--list` prints what is behind each measure.

A code line holds at least one token that is no comment and no part of a docstring. Import lines
are those of import statements and of `__all__`. A use of a name is a variable that is read or
written, or a parameter; the names counted as vague are participles and other words that say how a
value came about instead of what it holds.

A function is named by a bare participle if its name is nothing else: `told`, `_refused`. A public
property may be named by an adjective (`closed`, `lost`), but not by a word of our own.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .docstrings import Docstrings, read_docstrings
from .imports import back_edges, circles, folder_imports, module_imports
from .sources import PACKAGE, list_nodes, modules, parse

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
# Participles that do not end in "ed". What is a verb as well (cut, put, read, set, split) is none.
IRREGULAR = frozenset({
    "begun", "bent", "borne", "bought", "bound", "broken", "brought", "built", "burnt", "caught",
    "chosen", "dealt", "done", "drawn", "driven", "fallen", "fed", "felt", "forbidden", "forgotten",
    "found", "frozen", "given", "gone", "grown", "had", "heard", "held", "hidden", "hung", "kept",
    "known", "laid", "learnt", "led", "left", "lent", "lost", "made", "meant", "met", "paid", "ran",
    "risen", "said", "seen", "sent", "shaken", "shown", "sold", "sought", "spelt", "spent",
    "spoken", "stolen", "stood", "struck", "stuck", "sworn", "taken", "taught", "thrown", "told",
    "torn", "understood", "woken", "won", "worn", "wound", "woven", "written",
})
PREFIXES = ("", "a", "fore", "mis", "out", "over", "re", "un", "under", "with")
NO_PARTICIPLES = frozenset({
    "bed", "embed", "exceed", "feed", "heed", "need", "proceed", "red", "seed", "shed", "speed",
    "succeed", "weed",
})
# Participles that are words of our own: no property is named by them either.
OUR_OWN = frozenset({"told", "untold", "said", "unsaid", "made", "left", "bound"})
# Words that our prose has many of and that of others hardly any.
ODD_WORDS = frozenset({"told", "tell", "tells", "stand", "stands", "behind", "nobody", "whoever"})
# fmt: on


@dataclass(frozen=True)
class Measure:
    """A figure beside its bound: `least` says that the figure may not be lower."""

    name: str
    value: float
    bound: float
    form: str = "d"
    least: bool = False
    places: list[str] = field(default_factory=list)

    @property
    def met(self) -> bool:
        """Whether the figure is within its bound."""
        return self.value >= self.bound if self.least else self.value <= self.bound

    def __str__(self) -> str:
        limit = f"{'at least' if self.least else 'at most'} {self.bound:{self.form}}"
        verdict = "" if self.met else "NOT MET"
        return f"{self.name:<52} {self.value:>7{self.form}}  {limit:<14} {verdict}".rstrip()


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
    functions: int = 0
    participles: list[str] = field(default_factory=list)
    of_names: list[str] = field(default_factory=list)
    skips: list[str] = field(default_factory=list)
    words: int = 0
    odd_words: list[str] = field(default_factory=list)
    classes: dict[str, list[str]] = field(default_factory=dict)
    circles: list[list[str]] = field(default_factory=list)
    back_edges: list[tuple[str, str]] = field(default_factory=list)
    docstrings: Docstrings = field(default_factory=Docstrings)

    @property
    def seldom(self) -> list[str]:
        """File names that occur in two rooms or fewer."""
        return sorted(name for name, rooms in self.room_files.items() if rooms <= 2)

    @property
    def vague(self) -> float:
        """The share of vague words among the uses of names."""
        return sum(self.names[word] for word in VAGUE) / max(1, self.names.total())

    @property
    def measures(self) -> list[Measure]:
        """What has a bound."""
        shared = {name: files for name, files in self.classes.items() if len(files) > 1}
        words = self.docstrings
        return [
            Measure(
                "function names that are bare participles",
                len(self.participles) / max(1, self.functions), 0.015, ".1%",
                places=self.participles,
            ),
            Measure("function names that end in _of", len(self.of_names), 20, places=self.of_names),
            Measure(
                "told, tell, stand, behind, nobody, whoever in 10,000",
                len(self.odd_words) / max(1, self.words) * 10_000, 20, ".0f",
                places=self.odd_words,
            ),
            Measure("fmt: skip", len(self.skips), 40, places=self.skips),
            Measure(
                "public parameters that docstrings name",
                words.named_share, 0.85, ".0%", least=True, places=words.unnamed,
            ),
            Measure(
                "public functions that raise and say so",
                words.raising_share, 0.9, ".0%", least=True, places=words.silent,
            ),
            Measure("lines of the longest function", self.longest_function[0], 100,
                    places=[self.longest_function[1]]),
            Measure("circles of modules", len(self.circles), 0, places=[*map(str, self.circles)]),
            Measure("imports between folders that run back up", len(self.back_edges), 3,
                    places=[f"{name} -> {target}" for name, target in self.back_edges]),
            Measure("class names in two or more modules", len(shared), 10,
                    places=[f"{name}: {', '.join(files)}" for name, files in shared.items()]),
        ]  # fmt: skip


def count(package: Path = PACKAGE) -> Count:
    """Read every module of the package."""
    made = Count()
    imports = module_imports(package)
    made.circles = circles(imports)
    made.back_edges = back_edges(folder_imports(imports))
    made.docstrings = read_docstrings(package)
    for path in modules(package):
        source, tree, nodes = path.read_text("utf-8"), parse(path), list_nodes(path)
        tokens = [*tokenize.generate_tokens(io.StringIO(source).readline)]
        name = path.relative_to(package).as_posix()
        texts = [*_texts(nodes)]
        lines = len(code_lines(tokens, texts))
        made.modules += 1
        made.code += lines
        made.imports += sum(_height(node) for node in nodes if _is_import(node))
        made.longest_module = max(made.longest_module, (lines, name))
        for function in _functions(nodes):
            place = f"{name}:{function.name}"
            made.longest_function = max(made.longest_function, (_height(function), place))
            made.most_branches = max(made.most_branches, (branches(function), place))
            if not _is_dunder(function.name):
                made.functions += 1
                made.participles += [place] * is_participle(function)
                made.of_names += [place] * function.name.endswith("_of")
        made.names.update(_uses(nodes))
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                made.classes.setdefault(node.name, []).append(name)
        _count_prose(made, name, tokens, texts)
        if path.parent.parent.name == "protocols" and path.stem != "__init__":
            made.room_files[path.stem] += 1
    return made


def is_participle(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether the name is a participle and nothing else; see the opening for properties."""
    word = function.name.strip("_")
    if not any(
        word.removeprefix(prefix) in IRREGULAR for prefix in PREFIXES if word.startswith(prefix)
    ) and not (word.endswith("ed") and "_" not in word and word not in NO_PARTICIPLES):
        return False
    is_property = any(
        ast.unparse(decorator).rsplit(".", 1)[-1] in {"property", "cached_property"}
        for decorator in function.decorator_list
    )
    return not is_property or function.name.startswith("_") or word in OUR_OWN


def _count_prose(
    made: Count, name: str, tokens: Iterable[tokenize.TokenInfo], texts: Iterable[ast.Constant]
) -> None:
    """Count the words of the comments and docstrings of one module, and the `fmt: skip`s."""
    comments = [
        (token.start[0], token.string.lstrip("#"))
        for token in tokens
        if token.type == tokenize.COMMENT
    ]
    made.skips += [f"{name}:{line}" for line, text in comments if text.strip() == "fmt: skip"]
    for line, text in [*comments, *((node.lineno, str(node.value)) for node in texts)]:
        for word in re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)?", text):
            made.words += 1
            if word.lower() in ODD_WORDS:
                made.odd_words.append(f"{name}:{line} {word}")


def code_lines(tokens: Iterable[tokenize.TokenInfo], texts: Iterable[ast.Constant]) -> set[int]:
    """The numbers of the lines that hold code."""
    words = {line for node in texts for line in range(node.lineno, (node.end_lineno or 0) + 1)}
    no_code = {
        tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
        tokenize.ENDMARKER,
    }  # fmt: skip
    return {
        line
        for token in tokens
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


def _functions(nodes: Iterable[ast.AST]) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def _texts(nodes: Iterable[ast.AST]) -> Iterator[ast.Constant]:
    """The strings that stand alone: docstrings, and those below an attribute."""
    for node in nodes:
        match node:
            case ast.Expr(value=ast.Constant(value=str()) as text):
                yield text
            case _:
                pass


def _is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _uses(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
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


def main(arguments: list[str] | None = None) -> int:
    """Print the counts and the measures; with `--check`, 1 if a measure is above its bound."""
    parser = argparse.ArgumentParser(prog="python -m tests.house.count")
    parser.add_argument("package", nargs="?", type=Path, default=PACKAGE, metavar="FOLDER")
    parser.add_argument("--check", action="store_true", help="fail above a bound")
    parser.add_argument("--list", action="store_true", help="print the places of each measure")
    options = parser.parse_args(arguments)
    found = count(options.package)
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
    print(f"functions             {found.functions}")
    print(f"words of prose        {found.words}")
    print()
    for measure in found.measures:
        print(measure)
        if options.list:
            print("".join(f"    {place}\n" for place in measure.places), end="")
    return int(options.check and not all(measure.met for measure in found.measures))


if __name__ == "__main__":
    sys.exit(main())
