"""The site builds without a warning, every link leads somewhere, and nothing asks another host."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from .pages import DOCS, ROOT

_ADDRESSES = ("href", "src", "srcset", "data", "action", "poster")
_LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "audio": "src",
           "video": "src"}  # fmt: skip


class Page(HTMLParser):
    """What a page links to, what it loads, and what links to it may name."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.loaded: set[str] = set()
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attrs if value is not None}
        self.ids |= {given[name] for name in ("id", "name") if name in given}
        self.links |= {given[name] for name in _ADDRESSES if name in given}
        if tag in _LOADED and _LOADED[tag] in given:
            self.loaded.add(given[_LOADED[tag]])
        if tag == "link" and given.get("rel") != "canonical" and "href" in given:
            self.loaded.add(given["href"])


def faults(site: Path) -> Iterator[str]:
    """Links that lead nowhere, and what is loaded from another host."""
    pages = {path: Page(path.read_text("utf-8")) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        name = path.relative_to(site)
        if name.name == "404.html":  # its links are from the root of a server
            continue
        for link in sorted(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.is_file():
                yield f"{name}: {link} is not there"
            elif parts.fragment and target in pages:
                wanted = unquote(parts.fragment)
                if wanted not in pages[target].ids and not wanted.startswith("__"):
                    yield f"{name}: {link} names no part of that page"
        yield from (
            f"{name}: loads {link}" for link in sorted(page.loaded) if urlsplit(link).netloc
        )


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """(the site, what building it said)."""
    site = tmp_path_factory.mktemp("site")
    ran = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=300,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return site, ran.stderr


def test_the_site_builds_without_a_warning(built: tuple[Path, str]) -> None:
    site, said = built
    assert [line for line in said.splitlines() if line.startswith(("WARNING", "ERROR"))] == []
    pages = [page.relative_to(DOCS) for page in DOCS.rglob("*.md")]
    assert [page for page in pages if not (site / page.with_suffix(".html")).is_file()] == []


def test_every_link_leads_somewhere_and_nothing_is_loaded_from_elsewhere(
    built: tuple[Path, str],
) -> None:
    site, _ = built
    assert len([*site.rglob("*.html")]) > 60
    assert [*faults(site)] == []


def test_comments_and_words_about_blocks_are_not_shown(built: tuple[Path, str]) -> None:
    site, _ = built
    for page in ("llm", "quickstart", "tour", "zh/agent", "terminal"):
        text = (site / f"{page}.html").read_text("utf-8")
        assert "```" not in text
        assert "no-run" not in text
        assert "staged" not in text.replace("staged by", "")


def test_what_developers_read_is_apart_from_what_users_read() -> None:
    nav = (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:\n")[2]
    parts = dict(re.findall(r"(?m)^  - ([^:\n]+):\n((?:      - .*\n)+)", nav))
    inside = re.findall(r"([\w/-]+\.md)", parts.pop("Working on Dragoman"))
    assert {"tour.md", "new-vendor.md", "mutants.md", "coverage.md"} <= {*inside}
    users = {page for part in parts.values() for page in re.findall(r"([\w/-]+\.md)", part)}
    assert users & {*inside} == set()
    assert {"why-dragoman.md", "errors.md", "observability.md"} <= users
    chinese = re.findall(r"zh/([\w-]+\.md)", parts["中文"])
    assert {*chinese} - users - {*inside} == {"glossary.md"}


def test_the_reference_names_what_users_import(built: tuple[Path, str]) -> None:
    site, _ = built
    named = {"agent": "ReActAgent", "llm": "AsyncLLM", "message": "ToolUseBlock", "losses":
             "ContextOverflow", "tokens": "CharTokenCounter", "history": "ByName"}  # fmt: skip
    for page, name in named.items():
        ids = Page((site / "reference" / f"{page}.html").read_text("utf-8")).ids
        assert any(one.rpartition(".")[2] == name for one in ids), name


def test_broken_links_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<a href="b.html#gone">b</a> <a href="c.html">c</a> <a href="b.html#here">b</a>'
        '<a href="https://example.org">e</a> <img src="https://example.org/x.png">'
    )
    (tmp_path / "b.html").write_text('<h1 id="here">b</h1>')
    assert [*faults(tmp_path)] == [
        "a.html: b.html#gone names no part of that page",
        "a.html: c.html is not there",
        "a.html: loads https://example.org/x.png",
    ]
