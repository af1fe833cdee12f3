"""docs/*/new-vendor.md: the file and its line make a vendor, and the package is the one we install.

The blocks of the page are put to use as they stand: in a copy of the sources, by an interpreter of
its own.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import dragoman
from dragoman import analysis
from dragoman.model import ChatModel
from dragoman.protocols.openai_chat import Dialect
from dragoman.testing import Scripted, StrictServer
from dragoman.vendors import Vendor

from .pages import FOLDERS, ROOT, blocks

PAGES = {name: (folder / "new-vendor.md").read_text("utf-8") for name, folder in FOLDERS.items()}
EXAMPLE = ROOT / "tests" / "vendors" / "example_package"
ROW = Vendor(
    "acme",
    base_url="https://api.acme.example/v1",
    key="ACME_API_KEY",
    wires={"openai-chat": Dialect(max_tokens_key="max_tokens", model="acme-1")},
)
USE = """
import json
import dragoman
from dragoman.formatter import Formatter
from dragoman.vendors import VENDORS
request = dragoman.ChatRequest([dragoman.Msg.user("Hi.")], options=dragoman.Options(max_tokens=9))
wire = dragoman.wire("acme", policy="ignore")
out = wire.write_request(request)
print(json.dumps({
    "url": wire.vendor.url() + out.path, "body": out.body, "listed": "acme" in dragoman.wires(),
    "formatted": Formatter("acme").format_sync(request.messages),
    "last": VENDORS[-1],
}))
"""


def block(page: str, info: str, word: str) -> str:
    [found] = [one.text for one in blocks(page) if one.info == info and word in one.text]
    return found


@pytest.mark.parametrize("language", PAGES)
def test_one_file_and_one_line_make_a_vendor(language: str, tmp_path: Path) -> None:
    page = PAGES[language]
    package = tmp_path / "dragoman"
    shutil.copytree(ROOT / "src" / "dragoman", package,
                    ignore=shutil.ignore_patterns("__pycache__"))  # fmt: skip
    file = block(page, "python no-run", "VENDOR = Vendor(")
    line = block(page, "text", '"acme"')
    assert line.count("\n") == 1
    (package / "vendors" / "acme.py").write_text(file, "utf-8")
    registry = package / "vendors" / "registry.py"
    source = registry.read_text("utf-8")
    start = source.index("REGISTRY: dict[str, str] = {")
    end = source.index("\n}", start) + 1
    registry.write_text(f"{source[:end]}{line}{source[end:]}", "utf-8")
    ran = subprocess.run(
        [sys.executable, "-c", USE], capture_output=True, text=True, check=False, cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == {
        "url": "https://api.acme.example/v1/chat/completions",
        "body": {
            "model": "acme-1", "messages": [{"role": "user", "content": "Hi."}], "max_tokens": 9,
        },
        "listed": True,
        "formatted": [{"role": "user", "content": "Hi."}],
        "last": "acme",
    }  # fmt: skip


@pytest.mark.parametrize("language", PAGES)
def test_the_package_of_the_page_is_the_one_that_is_installed(language: str) -> None:
    """tests/vendors/test_installed.py builds, installs and uses it."""
    page = PAGES[language]
    assert block(page, "text", "[project]") == (EXAMPLE / "pyproject.toml").read_text("utf-8")
    module = (EXAMPLE / "dragoman_acme.py").read_text("utf-8")
    assert block(page, "python", "VENDOR = Vendor(") == module


@pytest.mark.parametrize("page", ["README.md", "docs/models.md", "docs/zh/models.md"])
def test_the_page_is_found(page: str) -> None:
    assert "new-vendor.md)" in (ROOT / page).read_text("utf-8")


def test_whatever_takes_a_name_takes_the_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that the page names, and what it names no longer is missed here."""
    monkeypatch.setenv("ACME_API_KEY", "none")
    body = {"model": "acme-1", "messages": [{"role": "user", "content": "Hi"}]}
    llm = dragoman.LLM(ROW, model="acme-1", transport=Scripted("Hello."))
    other = dragoman.LLM(
        "openai/gpt-5.6", fallbacks=[ROW], key="none", transport=Scripted("Hello.")
    )
    taken = {
        "wire": dragoman.wire(ROW).vendor == ROW,
        "Formatter": dragoman.Formatter(ROW).wire.vendor == ROW,
        "LLM": llm.ask("Hi").text == "Hello.",
        "fallbacks": other.ask("Hi").text == "Hello.",
        "ReActAgent": "acme" in repr(dragoman.ReActAgent("Friday", None, ROW).model),
        "ChatModel": ChatModel(ROW, "acme-1").wire.vendor == ROW,
        "convert": dragoman.convert(body, "openai-chat", ROW, model="acme-1").body == body,
        "analysis.check": analysis.check(body, ROW) == [],
        "analysis.pairs": analysis.pairs(["OpenAIChatFormatter"], [ROW])[0].works,
    }
    with StrictServer(ROW, "Hello.") as server:
        taken["StrictServer"] = bool(server.url)
    assert [name for name, works in taken.items() if not works] == []
    for page in PAGES.values():
        [said] = [line for line in page.splitlines() if "StrictServer" in line]
        assert [name for name in taken if name not in said] == []
