"""Which names a program could import from an earlier tree, and which of them work today.

`python -m tests.distribution.public_names --write REVISION ...` reads earlier trees out of git and
writes `public_names.txt`; a test looks each name up without git. Public is what CONTRIBUTING.md
calls so: the modules below, with what each lists in `__all__`; and the commands with their options,
and the codes of losses.
"""

from __future__ import annotations

import argparse
import inspect
import json
import subprocess
import sys
import tarfile
import tempfile
import warnings
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

LIST = Path(__file__).with_name("public_names.txt")
ROOT = Path(__file__).resolve().parents[2]

# those of the trees before 0.1.0 and of this one; a module that a tree lacks is passed over
MODULES = (
    "", "agent", "agent_logs", "analysis", "batch", "capabilities", "envelope", "errors",
    "formatter", "gateway", "gateway.asgi", "gateway.keys", "gateway.settings", "history",
    "history.truncate", "interop", "llm", "losses", "message", "model", "page", "playground",
    "protocols", "protocols.anthropic", "protocols.bedrock", "protocols.cohere",
    "protocols.dashscope", "protocols.gemini", "protocols.gemini_interactions",
    "protocols.mistral", "protocols.ollama", "protocols.openai_chat",
    "protocols.openai_responses", "rewrite", "rewrite.truncate", "schema", "sealed_state",
    "sse", "stream.framing", "structured", "structured_output", "study", "testing", "token",
    "tokens", "toolkit", "ui", "vendors",
)  # fmt: skip

# name -> why it is gone without an alias
_OURS = "no page names it, and no `__all__` but that of a module of the sources"
GONE: dict[str, str] = {
    "dragoman.gateway.asgi:config_of": f"{_OURS}; `read_config`",
    "dragoman.gateway.keys:may_pass": f"{_OURS}; paths that pass are judged by `unknown_paths`",
    "dragoman.vendors:NAMED": "AgentScope's classes are no vendors: dragoman.formatter has each",
    "dragoman.agent:ReActAgent.answer(call_id=)": "it takes the key of a call, which is no id",
    "dragoman.agent:ReActAgent.decide(call_id=)": "it takes the key of a call, which is no id",
    "dragoman:ReActAgent.answer(call_id=)": "it takes the key of a call, which is no id",
    "dragoman:ReActAgent.decide(call_id=)": "it takes the key of a call, which is no id",
    **dict.fromkeys(
        (f"dragoman.message:Written({name}=)" for name in ("bound", "left", "meant", "sourced")),
        "the library alone makes one, for each request, so that nothing is added to that",
    ),
    **dict.fromkeys(
        (f"dragoman.llm:{name}(asked=)" for name in ("AnswerStream", "AsyncAnswerStream")),
        "`LLM.stream` alone makes one, from objects of ours; `question`",
    ),
    **dict.fromkeys(
        (
            f"dragoman.gateway.keys:{name}"
            for name in (
                "Bounds",
                "Bounds(clock=)",
                "Bounds.enter",
                "Bounds.enter(key=)",
                "Bounds.spend",
                "Bounds.spend(data=)",
                "Bounds.spend(key=)",
                "Lease",
                "Lease(leave=)",
                "Lease.close",
            )
        ),
        f"{_OURS}; the gateway's server has them, in `server/rate_limits.py`",
    ),
}


def list_names() -> Iterator[str]:
    """Yield the names of the tree that is imported: `module:name`, `module:Class.attribute`.

    An argument is `module:function(argument=)`, a code `code:name`, and an option of a command
    `command:dragoman convert --to`.
    """
    yield from (f"code:{code}" for code in _codes())
    yield from (f"command:{option}" for option in _options())
    for module in MODULES:
        full = f"dragoman.{module}".rstrip(".")
        try:
            found = import_module(full)
        except ModuleNotFoundError:
            continue
        if found.__name__ != full:
            continue  # an old name of this tree itself
        yield f"{full}:"
        own = [n for n, v in vars(found).items() if getattr(v, "__module__", "") == full]
        for name in sorted(getattr(found, "__all__", None) or own):
            if name.startswith("_"):
                continue
            value = getattr(found, name)
            yield f"{full}:{name}"
            yield from (f"{full}:{name}({one}=)" for one in _parameters(value))
            if inspect.isclass(value):
                for attribute in _attributes(value):
                    yield f"{full}:{name}.{attribute}"
                    if inspect.isroutine(getattr(value, attribute, None)):
                        names = _parameters(getattr(value, attribute))
                        yield from (f"{full}:{name}.{attribute}({one}=)" for one in names)


def _codes() -> list[str]:
    return [*import_module("dragoman.losses").codes.CODES]


@cache
def _options() -> frozenset[str]:
    """The commands, each also with every option of it."""
    main: Any = import_module("typer.main")
    found: set[str] = set()

    def walk(command: Any, path: str) -> None:
        found.add(path)
        named = [one for one in command.params if one.param_type_name == "option"]
        found.update(f"{path} {name}" for one in named for name in one.opts + one.secondary_opts)
        for name, below in getattr(command, "commands", {}).items():
            walk(below, f"{path} {name}")

    walk(main.get_command(import_module("dragoman.cli").app), "dragoman")
    return frozenset(found)


def _attributes(cls: type[Any]) -> list[str]:
    base = {*dir(list), *dir(dict), *dir(int), *dir(str), *dir(tuple), *dir(Exception)}
    names = {
        *dir(cls),
        *(name for one in cls.__mro__ for name in vars(one).get("__annotations__", ())),
    }
    return sorted(name for name in names - base if not name.startswith("_"))


def _parameters(value: Any) -> list[str]:
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return []
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [one.name for one in parameters if one.kind in named and one.name not in ("self", "cls")]


def fault(line: str) -> str:
    """Return what does not work of a name of the list; empty for a name that does.

    Args:
        line: A line of the list.
    """
    module, _, rest = line.partition(":")
    if module == "code":
        from dragoman._old_names import OLD_CODES

        return "" if OLD_CODES.get(rest, rest) in _codes() else f"no loss has the code {rest}"
    if module == "command":
        return "" if rest in _options() else f"there is no {rest}"
    name, _, argument = rest.partition("(")
    first, _, attribute = name.partition(".")
    try:
        value: Any = import_module(module)
        value = getattr(value, first) if first else value
    except (ImportError, AttributeError) as error:
        return str(error)
    owner = value
    if attribute:
        fields = [name for one in value.__mro__ for name in vars(one).get("__annotations__", ())]
        value = getattr(value, attribute, None)
        if value is None and attribute not in (*fields, *dir(owner)):
            return f"{first} has no {attribute}"
        value = getattr(owner, getattr(value, "new", attribute), None)
    if not argument:
        return ""
    argument = argument.removesuffix("=)")
    from dragoman._old_names import OLD_ARGUMENTS

    owners = [one.__name__ for one in getattr(value, "__mro__", ())] or [value.__name__]
    old = [OLD_ARGUMENTS.get(one.removeprefix("Async"), {}) for one in owners]
    if argument in _parameters(value) or any(argument in names for names in old):
        return ""
    return f"{name} takes no {argument}"


def main(arguments: list[str]) -> int:
    """Write the list, or print the names of the tree that is imported."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", nargs="+", metavar="REVISION")
    parser.add_argument("--list", action="store_true")
    given = parser.parse_args(arguments)
    if given.list:
        warnings.simplefilter("ignore")
        sys.stdout.write(json.dumps(list(list_names())))
        return 0
    found: set[str] = set()
    for revision in given.write:
        archive = subprocess.run(
            ["git", "archive", revision, "src"], cwd=ROOT, capture_output=True, check=True
        ).stdout
        with tempfile.TemporaryDirectory() as folder:
            with tarfile.open(fileobj=BytesIO(archive)) as files:
                files.extractall(folder, filter="data")
            command = [sys.executable, str(Path(__file__)), "--list"]
            listed = subprocess.run(
                command, env={"PYTHONPATH": f"{folder}/src"}, capture_output=True, check=True
            )
            found.update(json.loads(listed.stdout))
    LIST.write_text("".join(f"{name}\n" for name in sorted(found)), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
