"""docs/*/terminal.md: the commands ask as the page says, and its conversation is what chat writes.

A server on loopback stands for the providers that the page names.
"""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from tests.cli.running import run
from tests.cli.scripted import call, scripted, text

from .pages import FOLDERS, blocks, rows

PAGES = {name: (folder / "terminal.md").read_text("utf-8") for name, folder in FOLDERS.items()}
REMARK = re.compile(r"#.*")
KEY = "none"
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files that the page names."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "notes.txt").write_text("A note.")
    (tmp_path / "photo.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(8))
    (tmp_path / "city.json").write_text(json.dumps(SCHEMA))


def block(page: str, info: str) -> str:
    [found] = [block.text for block in blocks(page) if block.info == info]
    return found


def test_both_languages_show_the_same() -> None:
    code = [[(block.info, REMARK.sub("", block.text)) for block in blocks(page)]
            for page in PAGES.values()]  # fmt: skip
    assert len(code[0]) == 3
    assert code[0] == code[1]
    names = [[cells[0] for cells in rows(page)[1:]] for page in PAGES.values()]
    assert [name for name in names[0] if "`" in name] == [name for name in names[1] if "`" in name]


@pytest.mark.parametrize("line", block(PAGES["en"], "sh staged").splitlines())
def test_every_question_is_answered(line: str) -> None:
    command, _, file = line.partition(" < ")
    words = shlex.split(command)[1:]
    if words[1].startswith("anthropic/"):  # the server speaks one protocol
        words[1] = "openai/gpt-5.6"
    piped = Path(file).read_text() if file else None
    with scripted(text('{"city": "Tashkent"}')) as script:
        ran = run(*words, "--base-url", script.url, input=piped, DEEPSEEK_API_KEY=KEY,
                  OPENAI_API_KEY=KEY)  # fmt: skip
        assert ran.exit_code == 0, ran.output
        assert "Tashkent" in ran.stdout
        assert ("A note." in json.dumps(script.last)) is bool(file)


def test_the_conversation_is_what_chat_writes() -> None:
    page = block(PAGES["en"], "text")
    typed = [line[2:] for line in page.splitlines() if line.startswith("> ")]
    said = [line for line in page.splitlines() if not line.startswith("> ")]
    answers = [call("calculator", expression="17 * 23"), text("A cup is there, and it is **391**.")]
    with scripted(*answers) as script:
        args = ("chat", "openai/openai-chat/gpt-5.6", "--tools", "--yes", "--base-url", script.url)
        ran = run(*args, input="\n".join(typed), DEEPSEEK_API_KEY=KEY,
                  OPENAI_API_KEY=KEY)  # fmt: skip
    assert (ran.exit_code, ran.stderr) == (0, "")
    written = ran.stdout.splitlines()
    assert written[: len(said)] == said
    assert written[len(said)].startswith("dropped block.unsupported: ")


@pytest.mark.parametrize("language", PAGES)
def test_every_option_of_ask_is_told(language: str) -> None:
    shown = " ".join(cells[0] for cells in rows(PAGES[language]))
    told = {*re.findall(r"--[a-z-]+", shown), "--no-stream"}
    assert "--no-stream" in PAGES[language]
    helped = set(re.findall(r"--[a-z-]+", run("ask", "--help").stdout))
    assert helped - {"--help", "--stream"} == told


@pytest.mark.parametrize("language", PAGES)
def test_every_command_of_chat_is_told(language: str) -> None:
    shown = " ".join(cells[0] for cells in rows(PAGES[language]))
    with scripted() as script:
        helped = run("chat", "llamacpp/m", "--base-url", script.url, input="/help\n").stdout
    names = re.findall(r"(?m)^(/[a-z]+)", helped)
    assert len(names) == 9
    assert sorted(names) == sorted(re.findall(r"/[a-z]+", shown))
