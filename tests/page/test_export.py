"""The exported file holds all that the live page answers, and nothing that leads out of it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from importlib import resources

import pytest

from dragoman import DragomanError
from dragoman.page import Page, export, export_page
from dragoman.page.export import bundle
from tests.each_case import each_case

from . import samples

STATIC = resources.files("dragoman.page") / "static"
MODULES = sorted(file.name for file in STATIC.iterdir() if file.name.endswith(".js"))


class Parts(HTMLParser):
    """The tags of a page, its policy, and the text of its scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = {}
        self._open = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.append((tag, given))
        if tag in ("script", "style"):
            self._open = given.get("type") or tag
            self.texts[self._open] = ""

    def handle_endtag(self, tag: str) -> None:
        if tag in ("script", "style"):
            self._open = ""

    def handle_data(self, data: str) -> None:
        if self._open:
            self.texts[self._open] += data


def page_with(*files: tuple[str, bytes]) -> Page:
    page = Page()
    for name, data in files:
        page.open(data, name)
    return page


@pytest.fixture(scope="module")
def page() -> Page:
    return page_with(
        ("gateway.jsonl", samples.lines([samples.gateway()])),
        ("session.jsonl", samples.lines(samples.SESSION)),
        ("answer.sse", samples.STREAM.encode()),
        ("hostile.json", json.dumps(samples.hostile()).encode()),
    )


@pytest.fixture(scope="module")
def parts(page: Page) -> Parts:
    return Parts(export_page(page))


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def test_the_policy_lets_run_what_is_in_the_page_alone(parts: Parts) -> None:
    [policy] = [given["content"] or "" for tag, given in parts.tags
                if given.get("http-equiv") == "Content-Security-Policy"]  # fmt: skip
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{_hash(parts.texts['module'])}';"
        f" style-src 'sha256-{_hash(parts.texts['style'])}'; img-src data:; base-uri 'none';"
        " form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


def test_nothing_in_it_is_loaded(parts: Parts) -> None:
    assert [given["src"] for _, given in parts.tags if "src" in given] == []
    assert [given["href"] for _, given in parts.tags if "href" in given] == ["data:,"]
    assert [tag for tag, given in parts.tags if any(name.startswith("on") for name in given)] == []
    assert [tag for tag, given in parts.tags if "style" in given] == []
    assert [tag for tag, _ in parts.tags].count("script") == 2


def test_it_holds_the_answers_of_the_live_page(page: Page, parts: Parts) -> None:
    answers = json.loads(parts.texts["application/json"])
    asked = [key for key in answers if not key.startswith(("text/", "contents"))]
    kinds = {key.split("/")[0] for key in asked}
    assert kinds == {"conversation", "tokens", "losses", "wire", "answer", "recorded", "cuts",
                     "stream", "changes"}  # fmt: skip
    for key in asked[::7]:
        try:
            live = page.answer(key)
        except DragomanError as error:
            live = {"error": error.message, "hint": error.hint, "code": error.code}
        assert answers[key] == json.loads(json.dumps(live)), key
    for key in (key for key in answers if key.startswith("text/")):
        assert answers[key] == page.answer(key)


def test_the_rarer_answers_are_left_out_of_a_page_that_would_be_too_large(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(export, "MOST", 1000)
    small = page_with(("journey.json", json.dumps(samples.JOURNEY).encode()))
    answers = json.loads(Parts(export_page(small)).texts["application/json"])
    assert answers["contents"]["left_out"] > 40
    assert "wire/0/gemini/name/0" not in answers
    assert "wire/0/gemini/role/0" in answers
    assert "wire/0/gemini/role/1" not in answers
    assert len(answers["cuts/0/gemini"]["positions"]) > 1


def test_the_bundle_has_every_module_once_behind_what_it_imports() -> None:
    script = bundle("app")
    names = re.findall(r"(?m)^const module_(\w+) = \(\(\) => \{$", script)
    assert sorted(f"{name}.js" for name in names) == MODULES
    assert len(set(names)) == len(names)
    for found in re.finditer(r"(?m)^const \{[^}]*\} = module_(\w+);$", script):
        defined = script.index(f"const module_{found[1]} = ")
        assert defined < found.start()


@each_case("name", MODULES)
def test_modules_import_and_export_in_the_one_way_that_is_bundled(name: str) -> None:
    source = (STATIC / name).read_text("utf-8")
    left = export._IMPORT.sub("", source)
    assert "import " not in re.sub(r"(?m)^\s*(//|/?\*).*$", "", left)
    left = export._EXPORT.sub("", left)
    assert re.search(r"(?m)^export ", left) is None
    assert "</script" not in source.lower()


@each_case("name", MODULES)
def test_no_module_makes_html_or_code_of_text(name: str) -> None:
    source = (STATIC / name).read_text("utf-8")
    for banned in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(",
                   "new Function", "srcdoc", "DOMParser", "setHTML"):  # fmt: skip
        assert banned not in source, banned
