"""`dragoman wires`: the tables are what the code says, for every wire, vendor and family."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, date, datetime
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from dragoman import wire, wires
from dragoman.capabilities import MEDIA, STATES, Fact
from dragoman.capabilities.families import FAMILIES
from dragoman.capabilities.name_rules import IdRule, NameRule
from dragoman.cli.wires import (
    all_wires,
    dates,
    families,
    format_changes,
    group,
    list_messages,
    list_requests,
    not_taken,
)
from dragoman.vendors import PROTOCOLS, VENDORS, vendor

from .running import run, shell, widest

MODELS = [None, "deepseek-flash", "gpt-5.6", "qwen-vl-max", "claude-opus-5-5"]


def names() -> list[str]:
    """Every wire: protocols and vendors, each vendor's further wires behind its first."""
    further = {
        name: [f"{name}/{protocol}" for protocol in list(vendor(name).wires)[1:]]
        for name in VENDORS
    }
    return [one for name in wires() for one in (name, *further.get(name, []))]


@cache
def shown(*args: str) -> str:
    """What the command prints on a wide screen; several tests look at the same tables."""
    ran = run("wires", *args, width=120)
    assert ran.exit_code == 0, ran.stderr
    return ran.stdout


def as_json(*args: str) -> dict[str, Any]:
    found = json.loads(shown("--json", *args))
    assert isinstance(found, dict)
    return found


def section(shown: str, title: str) -> list[str]:
    """The lines below a title, up to an empty one."""
    lines = shown.split("\n")
    start = lines.index(title) + 1
    end = next((i for i, line in enumerate(lines) if i > start and not line.strip()), None)
    return lines[start:end]


def rows(title: str, *args: str) -> dict[str, list[str]]:
    """A table's rows, by wire, cut at the beginnings of its headings."""
    head, *body = section(shown(*args), title)
    found: dict[str, list[str]] = {}
    starts = [start for start in range(len(head)) if head[start : start + 1].strip()]
    starts = [start for start in starts if start == 0 or head[start - 1] == " "]
    cut = [slice(a, b) for a, b in pairwise([*starts, None])]
    vendor = ""
    for line in body[: len(names())]:
        name, *cells = (line[part].strip() for part in cut)
        vendor = vendor if name.startswith("/") else name
        found[f"{vendor}{name}" if name.startswith("/") else name] = cells
    return found


def for_model(model: str | None) -> list[str]:
    return ["--model", model] if model else []


@pytest.mark.parametrize("model", MODELS)
def test_the_first_table_is_what_messages_may_hold(model: str | None) -> None:
    table = rows("What messages may hold", *for_model(model))
    assert list(table) == names()
    taken = {"u": "url", "b": "base64", "f": "file"}
    for name, cells in table.items():
        can = wire(name).can(model)
        for cell, kind in zip(cells[:4], MEDIA, strict=True):
            sources = can.sources.get(kind, frozenset({"url", "base64"})) & {*taken.values()}
            assert (cell != "-") == (kind in can.user and bool(sources))
            assert cell == "-" or {taken[letter] for letter in cell.split()} == sources
        assert (cells[4] == "-") == (can.thinking == "never")
        assert (cells[5] == "-") == (not can.tools)
        within, _, behind = cells[6].strip(")-").partition("(")
        assert set(within) == {kind[0] for kind in MEDIA if kind in can.result}
        assert set(behind) == {kind[0] for kind in can.move_media & can.user - can.result}
        assert cells[7] == can.system_place
        assert (cells[8] == "-") == (can.name_field == "never")
        assert cells[9] == (str(can.cache_hints) if can.cache_hints else "-")


@pytest.mark.parametrize("model", MODELS)
def test_the_second_table_is_what_requests_may_ask_for(model: str | None) -> None:
    table = rows("What requests may ask for", *for_model(model))
    assert list(table) == names()
    modes = {"a": "auto", "n": "none", "r": "required", "t": "tool", "l": "allowed"}
    for name, (thinks, effort, tools, choice, server, form, bound) in table.items():
        can = wire(name).can(model)
        assert thinks == can.thinks
        assert (effort == "-") == (can.thinks == "never")
        if can.efforts and can.thinks != "never":
            assert effort.startswith(can.efforts[0])
            assert can.efforts[-1] in effort
        if can.budgets and can.thinks != "never":
            assert effort.endswith(str(can.budgets[-1]))
        assert tools in ("-", can.tools_with_thinking)
        assert {modes[letter] for letter in choice.replace("-", "").split()} == can.tool_choices
        assert server.split() == (sorted(kind[0] for kind in can.server_tools) or ["-"])
        said = {"j": "json", "s": "schema"}
        assert {said[letter] for letter in form.replace("-", "").split()} == can.formats - {"text"}
        assert (bound == "yes") == (can.binding == "prefix")


def test_options_that_are_not_taken() -> None:
    listed = all_wires()
    shown = {name: (refused, ignored) for name, refused, ignored in not_taken(listed).rows}
    for one in listed:
        stances = one.can().options
        refused, ignored = shown.get(one.name, ("-", "-"))
        assert set(refused.replace("-", "").split(", ")) - {""} == {
            name for name, how in stances.items() if how in ("refuses", "pinned")
        }
        assert set(ignored.replace("-", "").split(", ")) - {""} == {
            name for name, how in stances.items() if how == "ignores"
        }
    found = {name: refused for name, refused, _ in not_taken(listed, "gpt-5.6").rows}
    assert "temperature" in found["openai"]


def test_json_holds_every_capability() -> None:
    found = as_json()
    assert list(found["wires"]) == names()
    for name, row in found["wires"].items():
        one = wire(name)
        can = one.can()
        assert row["protocol"] == one.room.protocol
        assert row["can"]["user"] == sorted(can.user)
        assert row["can"]["ids"]["max"] == can.ids.max
        assert row["can"]["sources"] == {k: sorted(v) for k, v in can.sources.items()}
        assert row["can"]["thinking"] == can.thinking
        assert row["can"]["server_tools"] == sorted(can.server_tools)
    assert len(found["families"]) == len(FAMILIES.rows)
    assert {row["when"] for row in found["families"]} <= {"", *STATES}


def test_json_holds_every_vendor() -> None:
    found = as_json()["vendors"]
    assert list(found) == list(VENDORS)
    for name, row in found.items():
        known = vendor(name)
        assert row == {
            "base_url": known.base_url, "urls": dict(known.urls), "regions": dict(known.regions),
            "key": known.key, "wires": list(known.wires),
        }  # fmt: skip


def test_vendors_are_listed_with_address_and_key() -> None:
    shown = run("wires", width=160).stdout
    for name in VENDORS:
        known = vendor(name)
        assert known.base_url in shown
        assert all(url in shown for url in (*known.urls.values(), *known.regions.values()))
        assert f"key: {known.key}" in shown


def test_a_model_changes_what_is_carried() -> None:
    title = "What messages may hold"
    assert rows(title)["deepseek"][0] == "-"
    assert rows(title, "--model", "deepseek-flash")["deepseek"][0] == "u b"


def test_what_is_known_of_a_model_has_a_date_and_a_source() -> None:
    facts = as_json("--model", "org/DeepSeek-Flash")["wires"]["deepseek"]["facts"]
    own = [fact for fact in facts if fact["changes"].get("image") == ["user"]]
    assert [fact["since"] for fact in own] == ["2026-09-10"]
    assert "DeepSeek API docs" in own[0]["source"]
    shown = section(run("wires", "--model", "deepseek-flash", width=160).stdout,
                    "What is known of deepseek-flash")  # fmt: skip
    assert any("since 2026-09-10: DeepSeek API docs" in line for line in shown)


def test_a_fact_with_a_condition_is_shown_with_it() -> None:
    facts = as_json("--model", "qwen3-max")["wires"]["dashscope"]["facts"]
    assert "thinking" in [fact["when"] for fact in facts]
    shown = "\n".join(section(run("wires", "--model", "qwen3-max", width=160).stdout,
                              "What is known of qwen3-max"))  # fmt: skip
    assert "while thinking: " in shown


def test_the_age_of_the_facts_is_shown() -> None:
    today = datetime.now(UTC).date()
    found = as_json()["wires"]
    lines = {line.split("  ")[0]: line for line in section(run("wires", width=120).stdout,
                                                          "Age of the facts")}  # fmt: skip
    assert list(lines) == ["model families", *names()]
    for name, row in found.items():
        assert row["oldest_fact"] <= row["newest_fact"]
        assert row["age_days"] == (today - date.fromisoformat(row["newest_fact"])).days
        assert (
            f"from {row['oldest_fact']} to {row['newest_fact']}, {row['age_days']} d" in lines[name]
        )
    assert found["deepseek"]["newest_fact"] >= "2026-09-10"
    own = dates([FAMILIES])
    assert f" {len(own)}, from {own[0]} to {own[-1]}" in lines["model families"]


def test_every_family_is_shown() -> None:
    sheet = families()
    assert {row[0] for row in sheet.rows} == {one.models for one in group(FAMILIES.rows)}
    shown = "".join(section(run("wires", width=200).stdout, "Model families"))
    told_of = {fact.models[0].replace("[-.]", "-") for fact in FAMILIES.rows}
    assert all(name in shown for name in told_of)


def fact(*models: str, wire: str = "", when: str = "", **changes: Any) -> Fact:
    return Fact(models, changes, "2026-01-01", "docs", wire=wire, when=when)


def test_facts_of_the_same_models_are_one_row() -> None:
    [one, other] = group([
        fact("a-1", "a-1[:@]*", "a-1-[!0-9]*", "b*", wire="w", tools=False, prefill=True),
        fact("a-1", "a-1[:@]*", "a-1-[!0-9]*", "b*", tools=False),
        fact("a-1", "a-1[:@]*", when="thinking", ids={"exact": 9}),
    ])  # fmt: skip
    assert (one.models, one.describe_changes()) == ("a-1…, b*", "tools: no. on w: prefill: yes")
    assert (other.models, other.when, other.describe_changes()) == (
        "a-1…",
        "thinking",
        "ids: exact 9",
    )
    [only] = group([fact("a*", wire="w", tools=False), fact("a*", prefill=True)])
    assert only.describe_changes() == "prefill: yes. on w: tools: no"


def words(changes: dict[str, Any]) -> Iterable[str]:
    return list(format_changes(changes))


def test_changes_in_words() -> None:
    assert words({"tools": False, "cache_hints": 4}) == ["tools: no", "cache_hints: 4"]
    assert words({"user": frozenset({"text", "image"}), "efforts": ()}) == [
        "user: image, text", "efforts: none",
    ]  # fmt: skip
    assert words({"options": {"seed": "ignores", "n": "refuses", "top_p": "refuses"}}) == [
        "ignores seed", "refuses n, top_p",
    ]  # fmt: skip
    assert words({"ids": IdRule(exact=9), "tool_names": NameRule(max=128)}) == [
        "ids: exact 9", "tool_names: max 128",
    ]  # fmt: skip
    assert words({"sources": {"audio": ["url"]}, "form": ""}) == [
        "sources: audio url",
        "form: none",
    ]


def test_a_profile_shows_what_was_known_then() -> None:
    table = rows("What messages may hold", "--facts", "documents-2025")
    carried = {name: [cell != "-" for cell in cells[:5]] for name, cells in table.items()}
    # image, audio, video, document, thinking: the table of document 001
    assert carried["openai"] == [True, True, False, False, False]
    assert carried["dashscope"] == [True, True, False, False, False]
    assert carried["anthropic"] == [True, False, False, False, True]
    assert carried["gemini"] == [True, True, True, False, False]
    assert carried["ollama"] == [True, False, False, False, False]
    assert carried["deepseek"] == [False, False, False, False, False]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "facts.toml"
    path.write_text(
        '[[fact]]\nmodels = ["acme-*"]\nsince = 2026-11-01\nsource = "Acme docs"\nwire = "openai"\n'
        "changes = { image = false, tool_choices = ['auto'] }\n"
    )
    return path


def test_a_file_of_facts_changes_what_is_carried(file: Path) -> None:
    args = ("--model", "acme-1", "--facts", str(file))
    found = as_json(*args)
    assert "image" not in found["wires"]["openai"]["can"]["user"]
    assert "image" in found["wires"]["openai-chat"]["can"]["user"]
    assert found["wires"]["openai"]["can"]["tool_choices"] == ["auto"]
    assert found["facts"] == str(file)
    assert rows("What messages may hold", *args)["openai"][0] == "-"
    assert "since 2026-11-01: Acme docs" in run("wires", *args, width=160).stdout


def test_a_file_of_facts_decides_what_is_written(file: Path, tmp_path: Path) -> None:
    picture = {"type": "image", "source": {"type": "url", "url": "https://x.example/a.png"}}
    text = {"type": "text", "text": "Look."}
    chat = tmp_path / "chat.json"
    chat.write_text(json.dumps([{"name": "Bob", "role": "user", "content": [text, picture]}]))
    args = ["format", str(chat), "--to", "openai", "--model", "acme-1"]
    assert "image_url" in run(*args).stdout
    ran = run(*args, "--facts", str(file), width=160)
    assert ran.exit_code == 0
    assert "image_url" not in ran.stdout
    assert "block.unsupported" in ran.stderr
    assert "Acme docs (2026-11-01)" in ran.stderr


@pytest.mark.parametrize("command", [["wires"], ["format", "--to", "openai", "no.json"]])
def test_a_fault_in_a_file_of_facts_is_a_usage_error(command: list[str], tmp_path: Path) -> None:
    path = tmp_path / "facts.json"
    path.write_text('{"fact": [{"models": "a*", "changes": {"tools": "no"}}]}')
    ran = run(*command, "--facts", str(path))
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert ran.stderr == f"error: {path}: $.fact[0].changes.tools: 'no' is not true or false\n"
    path.write_text('{"fact": [{"models": "a*", "wire": "openia", "changes": {}}]}')
    ran = run(*command, "--facts", str(path))
    assert ran.stderr == "error: unknown wire 'openia' (did you mean openai?)\n"


def test_no_file_and_no_profile_is_a_usage_error() -> None:
    ran = run("wires", "--facts", "1999")
    assert ran.exit_code == 2
    said = "error: '1999' is no file and no profile of facts (profiles: documents-2025)\n"
    assert ran.stderr == said


@pytest.mark.parametrize("width", [60, 79, 80, 100])
@pytest.mark.parametrize("model", [None, "qwen-vl-max"])
def test_no_line_is_wider_than_the_screen(width: int, model: str | None) -> None:
    ran = run("wires", *for_model(model), width=width)
    assert ran.exit_code == 0
    assert widest(ran.stdout) <= width


def test_tables_stand_on_80_columns() -> None:
    """The first as it is; in the second a cell may take two lines, but no wire's name does."""
    wide, narrow = run("wires", width=120).stdout, run("wires", width=80).stdout
    title = "What messages may hold"
    wanted = [line.rstrip() for line in section(wide, title)]
    assert [line.rstrip() for line in section(narrow, title)] == wanted
    shown = section(narrow, "What requests may ask for")[1:]
    first = [line.split(" ")[0] for line in shown]
    for name in names():
        vendor, slash, protocol = name.partition("/")
        assert f"{slash}{protocol}" in first or vendor in first


def test_a_narrow_screen_shows_the_same_in_sentences() -> None:
    shown = " ".join(run("wires", width=60).stdout.split())
    for sheet in (list_messages(all_wires()), list_requests(all_wires())):
        for name, *cells in sheet.rows:
            pairs = zip(sheet.heads[1:], cells, strict=True)
            assert f"{name}: {', '.join(f'{head} {cell}' for head, cell in pairs)}" in shown


def test_in_a_shell() -> None:
    ran = shell("wires")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert widest(ran.stdout) <= 80
    assert "\x1b" not in ran.stdout


def test_names_are_those_of_the_registry() -> None:
    assert [one.name for one in all_wires()] == names()
    assert set(PROTOCOLS) <= set(names())
