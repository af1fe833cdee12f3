"""The pages for who comes from a library of Python: every name of ours in their tables is there.

A cell is Python: its names, attributes and keywords are looked up. Theirs were looked up by hand in
the release that the page names.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from inspect import getsource, isclass, signature
from typing import Any

import pytest

from dragoman import ReActAgent, Toolkit, Wire
from dragoman.agent import Reply
from dragoman.errors import ProviderError
from dragoman.llm import LLM, AnswerStream
from dragoman.message import Finish, Usage
from dragoman.model import Answer

from .pages import FOLDERS, blocks, plain, rows

# a name of a table may be one that a module of ours had
pytestmark = pytest.mark.filterwarnings("ignore:dragoman:DeprecationWarning")
PAGES = ("coming-from-agentscope", "coming-from-langchain", "coming-from-litellm",
         "coming-from-openai", "coming-from-pydantic-ai")  # fmt: skip
MODULES = [import_module(f"dragoman{name}") for name in (
    "", ".message", ".formatter", ".toolkit", ".history", ".capabilities", ".errors", ".vendors",
    ".model", ".llm", ".agent", ".testing", ".structured_output", ".tokens", ".losses", ".analysis",
    ".bridges.langchain", ".bridges.pydantic_ai",
)]  # fmt: skip
# what pages call an object of a class
OBJECTS: dict[str, Any] = {
    "llm": LLM, "answer": Answer, "stream": AnswerStream, "error": ProviderError,
    "agent": ReActAgent, "toolkit": Toolkit, "reply": Reply,
}  # fmt: skip
RESULTS: dict[Any, Any] = {"wire": Wire, (Answer, "usage"): Usage, (Answer, "finish"): Finish}
# tables that test_coming_from_agentscope.py looks at
FORMATTERS = ("AgentScope", "AgentScope 1.0.21")
OTHERS = ("asyncio.gather", "genai-prices")  # what stands beside ours
KEYWORD = re.compile(r"(\w+)=(?!=)")
CODE = re.compile(r"`([^`]+)`")


class Missing(Exception):
    """A name that ours does not have."""


def named(name: str) -> Any:
    for module in MODULES:
        if hasattr(module, name):
            return getattr(module, name)
    raise Missing(name)


def has(owner: Any, name: str) -> bool:
    """Whether objects of a class have an attribute: declared, or set when they are made."""
    kinds = [kind for kind in getattr(owner, "__mro__", ()) if kind.__module__[:8] == "dragoman"]
    return hasattr(owner, name) or any(
        name in kind.__annotations__ or f"self.{name}" in getsource(kind) for kind in kinds
    )


def looked_up(node: ast.expr) -> Any:
    """The class or function that an expression names; None for what cannot be told."""
    match node:
        case ast.Name(name):
            return OBJECTS[name] if name in OBJECTS else named(name)
        case ast.Attribute(owner, name):
            found = looked_up(owner)
            if found is None:
                return None
            if not has(found, name):
                raise Missing(f"{found.__name__}.{name}")
            value = RESULTS.get((found, name), getattr(found, name, None))
            return value if isclass(value) or callable(value) else None
        case ast.Call(called, _, keywords):
            found = looked_up(called)
            if found is not None:
                parameters = signature(found).parameters
                for keyword in keywords:
                    if keyword.arg not in parameters:
                        raise Missing(f"{found.__name__}({keyword.arg}=)")
            if isinstance(called, ast.Name):
                return RESULTS.get(called.id, found if isclass(found) else None)
            return None
        case ast.BinOp(left, _, right):
            return [looked_up(one) for one in (left, right)] and None
        case ast.Subscript(value, _):
            looked_up(value)
            return None
        case _:
            return None


def cells(language: str, name: str) -> Iterator[str]:
    """Every code in the column of ours."""
    page = plain((FOLDERS[language] / f"{name}.md").read_text("utf-8"))
    for table in [rows(text) for text in page.split("\n\n") if text.lstrip().startswith("|")]:
        head, *under = table
        for row in under if head[1] == "Dragoman" and head[0] not in FORMATTERS else ():
            yield from CODE.findall(row[1])


def is_there(code: str) -> bool:
    """True; raises Missing. A keyword by itself is one of an agent."""
    keyword = KEYWORD.match(code)
    if keyword and keyword[1] not in signature(ReActAgent).parameters:
        raise Missing(code)
    if not keyword and not code.startswith(OTHERS):
        looked_up(ast.parse(code.removeprefix("@").removeprefix("await "), mode="eval").body)
    return True


@pytest.mark.parametrize("language", FOLDERS)
@pytest.mark.parametrize("name", PAGES)
def test_every_name_of_ours_is_there(name: str, language: str) -> None:
    found = list(cells(language, name))
    assert len(found) > 30
    assert [code for code in found if not is_there(code)] == []


@pytest.mark.parametrize(
    "wrong", ["LLM(model).answer(x)", "LLM(model, retry=2)", "answer.txt", "Completion()",
              "answer.usage.prompt", "on_stop=f", "agent.print", 'wire("openai").sends(x)',
              "Options(temp=0)"],
)  # fmt: skip
def test_a_name_that_is_not_there_is_found(wrong: str) -> None:
    with pytest.raises(Missing):
        is_there(wrong)


@pytest.mark.parametrize("name", PAGES)
def test_both_languages_have_the_same_blocks_and_names(name: str) -> None:
    texts = [(folder / f"{name}.md").read_text("utf-8") for folder in FOLDERS.values()]
    said = [[block.text for block in blocks(text)] for text in texts]
    assert said[0] == said[1]
    assert sorted(cells("en", name)) == sorted(cells("zh", name))
