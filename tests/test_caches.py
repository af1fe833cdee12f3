"""What the process remembers is listed, bounded in bytes, and never one caller's object."""

from __future__ import annotations

import ast
import json
import re
import tracemalloc
from copy import deepcopy
from pathlib import Path
from typing import Any

import dragoman
from dragoman import ChatRequest, Msg, Tool
from dragoman.caches import CACHES, BoundedCache, frozen_json, remember, thawed_json
from dragoman.conversion.convert import convert
from dragoman.schema import DIALECTS, check_arguments, lower_once
from dragoman.vendors import PROTOCOLS
from tests.each_case import each_case

SOURCES = Path(dragoman.__file__).parent
STANDARD = re.compile(r"(functools\.)?(lru_)?cache\b")
# no cache, for nothing is looked up in it: what a forked process must keep of its parent's clients
INHERITED = "over_httpx2.py: _INHERITED: list[object] = []"
NESTED = {
    "type": "object",
    "properties": {
        "at": {"type": "object", "properties": {"x": {"type": "integer", "minimum": 0}}},
        "kind": {"enum": ["a", "b"], "default": {"deep": [1, 2]}},
    },
}


# -- the tools ------------------------------------------------------------------------------------


def test_what_is_remembered_is_worked_out_once() -> None:
    calls = []

    @remember("a test", entries=2, longest=5)
    def double(text: str) -> str:
        calls.append(text)
        return text * 2

    assert [double("a"), double("a"), double("toolong"), double("toolong")] == [
        "aa", "aa", "toolongtoolong", "toolongtoolong",
    ]  # fmt: skip
    assert calls == ["a", "toolong", "toolong"]
    (name,) = (name for name in CACHES if name.endswith("double"))
    cache = CACHES.pop(name)
    assert cache.entries() == 1
    cache.clear()
    assert cache.entries() == 0


def test_a_bounded_cache_forgets_the_oldest() -> None:
    cache: BoundedCache[str] = BoundedCache("test", "a test", 4000)
    try:
        for n in range(20):
            cache.put(n, str(n), 400)
        kept = [n for n in range(20) if cache.get(n) is not None]
        assert kept == [*range(20 - len(kept), 20)]
        assert 4 <= len(kept) <= 10
        cache.put("large", "x", 3000)
        assert cache.get("large") is None, "one entry drives out most of the others"
        cache.put(19, "again", 400)
        assert cache.get(19) == "again"
        CACHES["test"].clear()
        assert CACHES["test"].entries() == 0
    finally:
        del CACHES["test"]


def test_frozen_json_is_thawed_anew() -> None:
    value = {"a": [1, 1.5, None, True, "\ud800é"], "b": {}}
    data = frozen_json(value)
    first, second = thawed_json(data), thawed_json(data)
    assert first == second == value
    assert first["a"] is not second["a"]


# -- the list -------------------------------------------------------------------------------------


def test_every_cache_is_listed() -> None:
    """No other module fills a table of its own, or has a cache of the standard library."""
    found = []
    for path in sorted(SOURCES.rglob("*.py")):
        if path.name == "caches.py":
            continue
        source = path.read_text("utf-8")
        tree = ast.parse(source)
        for node in ast.walk(tree) if "cache" in source else ():  # else no mark can name one
            if isinstance(node, ast.FunctionDef):
                marks = map(ast.unparse, node.decorator_list)
                found += [f"{path.name}: {node.name}" for mark in marks if STANDARD.match(mark)]
        for node in tree.body:
            value = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
            if isinstance(value, ast.Call) and STANDARD.match(ast.unparse(value)):
                found.append(f"{path.name}: {ast.unparse(node)[:60]}")
            empty = isinstance(value, ast.Dict) and not value.keys
            empty |= isinstance(value, ast.List) and not value.elts
            made = isinstance(value, ast.Call) and ast.unparse(value.func) in (
                "dict", "list", "set", "defaultdict", "OrderedDict", "WeakKeyDictionary",
                "WeakValueDictionary", "Counter",
            ) and not value.args  # fmt: skip
            if empty or made:
                found.append(f"{path.name}: {ast.unparse(node)[:60]}")
    assert found == [INHERITED]


def test_each_has_a_bound_and_says_what_it_holds() -> None:
    dragoman.wire("gemini").can("gemini-3.5-flash")
    assert len(CACHES) > 10
    for name, cache in CACHES.items():
        assert name.startswith("dragoman.")
        assert cache.name == name
        assert len(cache.holds.split()) > 2
        assert 0 < cache.most_bytes <= 2**28


# -- the bounds -----------------------------------------------------------------------------------


def large(n: int) -> dict[str, Any]:
    """A schema of about 20 kB, no two alike."""
    rows = {f"p{n}_{i}": {"type": "string", "minLength": i, "description": "x" * 900}
            for i in range(20)}  # fmt: skip
    return {"type": "object", "properties": rows, "additionalProperties": {"type": "integer"}}


def grown(work: Any, count: int) -> int:
    """The bytes that so many calls leave behind."""
    work(-1)
    tracemalloc.start()
    try:
        for n in range(count):
            work(n)
        return tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()


def test_schemas_do_not_pile_up() -> None:
    cache = CACHES["dragoman.schema.lowering"]
    cache.clear()
    assert grown(lambda n: lower_once(large(n), "gemini"), 400) < 1.2 * cache.most_bytes
    assert 50 < cache.entries() < 300
    cache.clear()


def test_validators_do_not_pile_up() -> None:
    cache = CACHES["dragoman.schema.arguments"]
    cache.clear()
    assert grown(lambda n: check_arguments(large(n), {}), 200) < cache.most_bytes
    assert 0 < cache.entries() < 200
    cache.clear()


def test_names_of_models_do_not_pile_up() -> None:
    """As many as a server is sent, some of them very long."""

    def work(n: int) -> None:
        name = f"model-{n}" + "y" * (5000 if n % 2 else 0)
        body = {"model": name, "messages": [{"role": "user", "content": "Hi."}]}
        for target in ("anthropic", "gemini"):
            convert(body, "openai-chat", target, model=name, policy="ignore")

    for cache in CACHES.values():
        cache.clear()
    few = grown(work, 300)
    assert few < 6 * 2**20
    assert grown(work, 600) < few + 2**20


# -- whose objects --------------------------------------------------------------------------------


def changed(value: Any) -> None:
    """Change everything inside."""
    if isinstance(value, dict):
        for inner in value.values():
            changed(inner)
        value["changed"] = "by one caller"
    elif isinstance(value, list):
        for inner in value:
            changed(inner)
        value.append("changed")


@each_case("name", DIALECTS)
def test_a_lowered_schema_is_its_callers(name: str) -> None:
    """Whoever comes first or later, with an equal schema: an edit stays with who made it."""
    CACHES["dragoman.schema.lowering"].clear()
    expected = deepcopy(lower_once(deepcopy(NESTED), name).schema)
    CACHES["dragoman.schema.lowering"].clear()
    for _ in range(3):
        mine = deepcopy(NESTED)
        result = lower_once(mine, name).schema
        assert result == expected
        changed(mine)
        if result is not mine:
            assert result == expected, "an edit of the schema shows in what was written"
            changed(result)
    assert lower_once(deepcopy(NESTED), name).schema == expected


@each_case("strict", [None, True])
@each_case("wire", PROTOCOLS)
def test_a_body_is_its_callers(wire: str, strict: bool | None) -> None:
    """An edit of one body's tools shows in no other body."""

    def body() -> tuple[Tool, dict[str, Any]]:
        tool = Tool("look", "look at it", deepcopy(NESTED), strict=strict)
        req = ChatRequest([Msg.user("Hi.")], tools=[tool])
        return tool, dragoman.wire(wire, policy="ignore").write_request(req).body

    expected = json.dumps(body()[1])
    for _ in range(2):
        tool, out = body()
        assert json.dumps(out) == expected
        changed(out.get("tools") or out)
        changed(tool.parameters)
    assert json.dumps(body()[1]) == expected
