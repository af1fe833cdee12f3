"""dragoman.facts: files and mappings, where each fault is, and who uses what was read."""

from __future__ import annotations

import json
import pickle
from datetime import date
from pathlib import Path
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, ConfigError, Facts, Msg, Options, Tool, ToolChoice
from dragoman.capabilities import Fact
from dragoman.capabilities.families import FAMILIES
from dragoman.formatter import OpenAIChatFormatter
from dragoman.message import ServerTool
from dragoman.vendors import vendor

TOML = """
pin = "2026-03"

[[fact]]
models = ["acme-*", "emca"]
but = ["acme-old*"]
since = 2026-11-01
source = "Acme docs"
[fact.changes]
image = ["user"]
options = { temperature = "refuses" }
ids = { exact = 9 }

[[fact]]
models = "*"
wire = "openai"
when = "thinking"
changes = { tool_choices = ["auto"] }
"""
GIVEN = {
    "pin": "2026-03",
    "fact": [
        {
            "models": ["acme-*", "emca"], "but": ["acme-old*"], "since": "2026-11-01",
            "source": "Acme docs",
            "changes": {
                "image": ["user"], "options": {"temperature": "refuses"}, "ids": {"exact": 9},
            },
        },
        {
            "models": "*", "wire": "openai", "when": "thinking",
            "changes": {"tool_choices": ["auto"]},
        },
    ],
}  # fmt: skip
HI = [Msg.user("Hi.")]


def fact(**more: Any) -> dict[str, Any]:
    return {"fact": [{"models": ["a"], "changes": {}, **more}]}


def changes(**given: Any) -> dict[str, Any]:
    return fact(changes=given)


def test_a_file_says_what_a_mapping_says(tmp_path: Path) -> None:
    toml, plain, bare = (tmp_path / name for name in ("a.toml", "a.json", "a"))
    toml.write_text(TOML)
    plain.write_text(json.dumps(GIVEN))
    bare.write_text(json.dumps(GIVEN))
    read = dragoman.facts(toml)
    assert read.pin == "2026-03"
    assert read.rows[0] == Fact(
        ("acme-*", "emca"),
        {"image": ["user"], "options": {"temperature": "refuses"}, "ids": {"exact": 9}},
        "2026-11-01", "Acme docs", ("acme-old*",),
    )  # fmt: skip
    assert (read.rows[1].wire, read.rows[1].when) == ("openai", "thinking")
    assert read.rows[1].source == "a.toml", "a file is a source"
    given = dragoman.facts(GIVEN)
    assert given.rows[0] == read.rows[0]
    assert given.rows[1].source == "facts given in the program"
    for path in (plain, str(plain), bare):
        found = dragoman.facts(path)
        assert found.rows[0] == read.rows[0]
        assert found.rows[1].source == Path(path).name
    assert dragoman.facts({}) == Facts()
    assert pickle.loads(pickle.dumps(read)) == read


def test_names_of_hosts_become_bare_names() -> None:
    given = fact(models=["meta-llama/Llama-4*", "us.anthropic.claude-x*"], but="Org/Llama-4-old")
    [row] = dragoman.facts(given).rows
    assert (row.models, row.but) == (("llama-4*", "claude-x*"), ("llama-4-old",))
    assert row.holds("llama-4-scout")


def test_a_pin_as_an_argument_wins() -> None:
    assert dragoman.facts(GIVEN, pin="2025").pin == "2025"
    assert dragoman.facts({}, pin=date(2026, 3, 1)).pin == "2026-03-01"
    assert dragoman.facts(GIVEN, pin="").pin == ""
    with pytest.raises(ConfigError, match=r"\$\.pin"):
        dragoman.facts({}, pin="March")


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({"facts": []}, "$.facts"),
        ({"pin": "03-2026"}, "$.pin"),
        ({"pin": "2026-13"}, "$.pin"),
        ({"pin": 2026}, "$.pin"),
        ({"fact": {}}, "$.fact"),
        ({"fact": "a"}, "$.fact"),
        ({"fact": [{"models": ["a"], "changes": {}}, 7]}, "$.fact[1]"),
        ({"fact": [{"models": ["a"]}]}, "$.fact[0]"),
        ({"fact": [{"changes": {}}]}, "$.fact[0]"),
        (fact(models=[]), "$.fact[0].models"),
        (fact(models=7), "$.fact[0].models"),
        (fact(models=["a", ""]), "$.fact[0].models[1]"),
        (fact(but=[None]), "$.fact[0].but[0]"),
        (fact(when="raining"), "$.fact[0].when"),
        (fact(when=True), "$.fact[0].when"),
        (fact(wire=["openai"]), "$.fact[0].wire"),
        (fact(since="yesterday"), "$.fact[0].since"),
        (fact(since="2026-02-30"), "$.fact[0].since"),
        (fact(source=7), "$.fact[0].source"),
        (fact(change={}), "$.fact[0].change"),
        (fact(changes=["tools"]), "$.fact[0].changes"),
        ({"always": {"tool": False}}, "$.always.tool"),
        ({"always": 7}, "$.always"),
        (changes(tool=False), "$.fact[0].changes.tool"),
        (changes(tools="no"), "$.fact[0].changes.tools"),
        (changes(options=["seed"]), "$.fact[0].changes.options"),
        (changes(options={"seed": "no"}), "$.fact[0].changes.options.seed"),
        (changes(options={"sead": "takes"}), "$.fact[0].changes.options.sead"),
        (changes(ids=9), "$.fact[0].changes.ids"),
        (changes(ids={"length": 9}), "$.fact[0].changes.ids.length"),
        (changes(ids={"exact": "9"}), "$.fact[0].changes.ids.exact"),
        (changes(tool_names={"chars": "z-a"}), "$.fact[0].changes.tool_names.chars"),
        (changes(user=["text", "sound"]), "$.fact[0].changes.user[1]"),
        (changes(image=["reader"]), "$.fact[0].changes.image"),
        (changes(sources={"image": ["ftp"]}), "$.fact[0].changes.sources.image"),
        (changes(sources={"picture": ["url"]}), "$.fact[0].changes.sources.picture"),
        (changes(thinks="sometimes"), "$.fact[0].changes.thinks"),
        (changes(budgets=[0, "many"]), "$.fact[0].changes.budgets[1]"),
    ],
)
def test_a_fault_is_named_with_its_path(given: Any, path: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        dragoman.facts(given)
    assert caught.value.path == path
    assert str(caught.value).startswith(f"{path}: ")
    file = tmp_path / "facts.json"
    file.write_text(json.dumps(given))
    with pytest.raises(ConfigError) as caught:
        dragoman.facts(file)
    assert caught.value.path == path


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.toml", b"models = [", "neither TOML nor JSON"),
        ("a.json", b"{", "neither TOML nor JSON"),
        ("a.json", b"[]", r"\[\] is not a table"),
        ("a", b"no facts", "neither TOML nor JSON"),
        ("a.toml", b"\xff\xfe", "no UTF-8 text"),
    ],
)
def test_what_is_no_file_of_facts(name: str, data: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(ConfigError, match=said):
        dragoman.facts(path)


def test_what_cannot_be_read(tmp_path: Path) -> None:
    for path in (tmp_path / "none.toml", tmp_path, "a\0b"):
        with pytest.raises(ConfigError, match="cannot read the facts"):
            dragoman.facts(path)
    wrong: Any
    for wrong in (7, None, [], b"facts.toml"):
        with pytest.raises(ConfigError, match="file or a mapping"):
            dragoman.facts(wrong)


def test_everybody_takes_them() -> None:
    facts = dragoman.facts(changes(image=False) | {"always": {"cache_hints": 2}})
    for one in (
        dragoman.wire("openai", facts=facts),
        dragoman.wire(dragoman.wire("openai"), facts=facts),
        dragoman.wire(vendor("openai"), facts=facts),
        dragoman.Formatter("openai", facts=facts).wire,
        dragoman.Formatter(dragoman.wire("openai"), facts=facts).wire,
        OpenAIChatFormatter(facts=facts).wire,
        pickle.loads(pickle.dumps(dragoman.wire("openai", facts=facts))),
    ):
        assert "image" not in one.can("a").user
        assert "image" in one.can("b").user
        assert one.can().cache_hints == 2
    assert "image" not in OpenAIChatFormatter(facts=facts, model="a").can.user


@pytest.mark.parametrize("wrong", [{"fact": []}, 7, ["a"], Fact(("a",), {}, "", "")])
def test_what_is_no_facts_is_refused_with_the_way_to_make_them(wrong: Any) -> None:
    for use in (
        lambda: dragoman.wire("openai", facts=wrong),
        lambda: dragoman.wire(dragoman.wire("openai"), facts=wrong),
        lambda: dragoman.Formatter("openai", facts=wrong),
        lambda: OpenAIChatFormatter(facts=wrong),
    ):
        with pytest.raises(ConfigError, match=r"dragoman\.facts"):
            use()


def test_a_file_is_no_profile() -> None:
    with pytest.raises(ConfigError, match=r"dragoman\.facts\(path\)"):
        dragoman.wire("openai", facts="facts.toml")


@pytest.mark.parametrize("make", [dragoman.wire, dragoman.Formatter])
def test_a_pin_leaves_out_what_is_newer(make: Any) -> None:
    then = make("deepseek", facts=dragoman.facts({}, pin="2026-09-09"))
    now = make("deepseek", facts=dragoman.facts({}, pin="2026-09-10"))
    old, new = (getattr(one, "wire", one) for one in (then, now))
    assert "image" not in old.can("deepseek-flash").user
    assert "image" in new.can("deepseek-flash").user
    assert all(row.since <= "2026-09-09" for known in old.facts for row in known.rows)
    assert len(new.facts[0].rows) < len(FAMILIES.rows)


def test_a_pin_holds_for_named_formatters_and_leaves_ones_own_rows() -> None:
    own = {"models": "gpt-5*", "since": "2026-11-01", "changes": {"tools": False}}
    facts = dragoman.facts({"pin": "2024-12", "fact": [own]})
    formatter = OpenAIChatFormatter(facts=facts, model="gpt-5")
    assert not formatter.can.tools
    assert formatter.wire.can("gpt-5").options.get("temperature", "takes") == "takes"
    assert OpenAIChatFormatter(model="gpt-5").can.options["temperature"] == "refuses"


def test_a_condition_holds_for_requests_in_its_state() -> None:
    when = {"models": "acme*", "when": "thinking", "changes": {"tool_choices": ["auto", "none"]}}
    wire = dragoman.wire("openai-chat", facts=dragoman.facts({"fact": [when]}), policy="ignore")
    tools: list[Tool | ServerTool] = [Tool("look")]
    force = ToolChoice("required")
    for options, taken in ((Options(), True), (Options(reasoning="high"), False)):
        req = ChatRequest(HI, tools=tools, tool_choice=force, options=options)
        assert ("required" in wire.can("acme-1", req).tool_choices) is taken
        out = wire.write_request(req, "acme-1")
        assert (out.body.get("tool_choice") == "required") is taken
        lost = [loss for loss in out.losses if loss.code == "tool_choice.lowered"]
        assert [loss.rule for loss in lost] == ([] if taken else ["facts given in the program"])
    assert "required" in wire.can("acme-1").tool_choices


def test_a_fact_of_one_wire_holds_there_alone() -> None:
    given = [
        {"models": "a", "wire": "openai-chat", "changes": {"tools": False}},
        {"models": "b", "wire": "deepseek", "changes": {"tools": False}},
        {"models": "c", "wire": "deepseek/openai-chat", "changes": {"tools": False}},
    ]
    facts = dragoman.facts({"fact": given})
    found = {
        name: "".join(m for m in "abc" if not dragoman.wire(name, facts=facts).can(m).tools)
        for name in ("openai-chat", "deepseek", "deepseek/openai-chat", "openai", "gemini")
    }
    assert found == {
        "openai-chat": "a", "deepseek": "ab", "deepseek/openai-chat": "abc", "openai": "a",
        "gemini": "",
    }  # fmt: skip


@pytest.mark.parametrize(("nth", "name"), [*enumerate(dragoman.wires())])
def test_ones_own_facts_win_over_all_that_is_known(nth: int, name: str) -> None:
    """Also over facts of a state, of models that this host, a family or both know."""
    own = {
        "thinks": "on_request", "prefill": False,
        "tool_choices": ["auto", "none", "required", "tool"],
        "options": {"temperature": "takes", "top_k": "ignores"}, "efforts": ["low", "ultra"],
        "budgets": [], "binding": "none", "user": ["text"], "ids": {"chars": "", "max": 7},
    }  # fmt: skip
    wire = dragoman.wire(name, facts=dragoman.facts(fact(models="*", changes=own)))
    families, *hosts = (known.rows for known in wire.facts)
    rows = [
        *families[nth :: len(dragoman.wires())],
        *(row for row in families if row.when),
        *(r for h in hosts for r in h),
    ]
    models = {row.models[0].replace("[-.]", "-").replace("*", "x") for row in rows}
    assert len(models) > 5
    requests = [
        ChatRequest(HI, tools=[Tool("look")], stream=True, options=Options(reasoning="high")),
        ChatRequest(HI, options=Options(reasoning="off")),
    ]
    for can in (wire.can(model, req) for model in models for req in requests):
        assert (can.thinks, can.prefill, can.efforts) == ("on_request", False, ("low", "ultra"))
        assert (can.budgets, can.binding) == ((), "none")
        assert can.user == {"text"}
        assert can.tool_choices == {"auto", "none", "required", "tool"}
        assert (can.options["temperature"], can.options["top_k"]) == ("takes", "ignores")
        assert (can.ids.chars, can.ids.max) == ("", 7)
