"""examples/: each file runs as it stands, prints what it should, and is short enough to read.

Their types are checked with the sources (`make types`), their style by `make lint`.
"""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import dragoman
from dragoman import ContextOverflow, Formatter, Msg, Options, study
from dragoman.message import ToolUseBlock
from dragoman.token import TokenCounterBase
from tests.docs.pages import ROOT, pages

EXAMPLES = ROOT / "examples"
FEWER_THAN = 30  # lines
PRINTED = {
    "custom_formatter.py": """\
[{'role': 'user', 'content': 'BOB. Is it far?\\nALICE. Ten minutes.'}]
""",
    "custom_vendor.py": """\
https://api.acme.example/v1/chat/completions {'model': 'acme-1', 'messages': \
[{'role': 'user', 'content': 'Where is Paris?'}], 'max_tokens': 9}
['model.default $.model', 'option.refused $.options.seed']
['thinking', 'text'] In France.
""",
    "custom_truncation.py": "['Question 0', 'Question 4', 'Question 8']\n",
}


class EachMessage(TokenCounterBase):
    """A token for each message, so that a limit is a number of messages."""

    def count_sync(self, messages: list[dict], tools: Any = None, **kwargs: Any) -> int:
        return len(messages)

    async def count(self, messages: list[dict], tools: Any = None, **kwargs: Any) -> int:
        return len(messages)


def imported(name: str) -> dict[str, Any]:
    """What an example file holds for a program that imports it."""
    return runpy.run_path(str(EXAMPLES / name), run_name="example")


@pytest.mark.parametrize("name", PRINTED)
def test_an_example_runs_and_prints(name: str, tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLES / name)],
        cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip
    assert (ran.returncode, ran.stderr, ran.stdout) == (0, "", PRINTED[name])


@pytest.mark.parametrize("name", PRINTED)
def test_an_example_is_short_and_says_nothing_when_imported(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (EXAMPLES / name).read_text("utf-8").count("\n") < FEWER_THAN
    imported(name)
    assert capsys.readouterr().out == ""


def test_every_example_is_tested_and_found_from_a_page() -> None:
    files = {path.name for path in EXAMPLES.iterdir() if path.is_file()}
    assert files == {*PRINTED, "request.json"}
    told = "".join(page.read_text("utf-8") for page in pages())
    assert sorted(name for name in files if f"examples/{name}" not in told) == []


def test_the_formatter_shapes_whole_requests_and_leaves_calls_alone() -> None:
    history = [
        Msg.system("Set the scene."),
        Msg("Bob", "How late is it?", "user"),
        Msg("Friday", [ToolUseBlock(id="1", name="now", input={})], "assistant"),
        Msg.tool("1", "8"),
        Msg("Friday", "Eight.", "assistant"),
    ]
    out = imported("custom_formatter.py")["Screenplay"](policy="ignore")
    messages = out.format_request(dragoman.ChatRequest(history)).body["messages"]
    assert [m["role"] for m in messages] == ["system", "user", "assistant", "tool", "user"]
    assert [m["content"] for m in messages[1::3]] == ["BOB. How late is it?", "FRIDAY. Eight."]


def test_the_vendor_does_not_show_images_and_takes_a_formatter() -> None:
    acme = imported("custom_vendor.py")["ACME"]
    picture = {"type": "image", "source": {"type": "url", "url": "https://example.com/cat.png"}}
    out = Formatter(acme, policy="ignore").write([Msg.user([picture]), Msg.user("Well?")])
    assert out.messages == [{"role": "user", "content": "Well?"}]
    asked = dragoman.ChatRequest([Msg.user("Hi.")], options=Options(seed=7))
    written = dragoman.wire(acme, policy="ignore").write_request(asked, model="acme-2")
    assert (written.body["model"], "seed" in written.body) == ("acme-2", False)


def test_the_truncation_never_splits_a_call_from_its_result() -> None:
    history = [
        Msg.user("Hi."),
        Msg.assistant([ToolUseBlock(id="1", name="now", input={"zone": "CET" * 9})]),
        Msg.tool("1", "8"),
        Msg.assistant("Eight."),
        Msg.user("Thanks."),
    ]
    cut = imported("custom_truncation.py")["Thin"]()

    def kept(limit: int) -> list[int]:
        formatter = Formatter(
            "openai-chat", token_counter=EachMessage(), max_tokens=limit, truncate=cut
        )
        fitted = dragoman.fit_history_sync(history, formatter=formatter)
        return [history.index(m) for m in fitted.msgs]

    assert (kept(5), kept(4)) == ([0, 1, 2, 3, 4], [0, 3, 4])
    assert (kept(3), kept(2)) == ([0, 3, 4], [0, 4])
    with pytest.raises(ContextOverflow):
        kept(1)


def test_the_request_would_be_taken_as_it_is_and_loses_what_the_readme_says() -> None:
    body = json.loads((EXAMPLES / "request.json").read_text("utf-8"))
    assert study.check(body, "openai") == []
    out = dragoman.convert(body, "auto", "anthropic", model="claude-opus-5-5", policy="ignore")
    assert study.check(out.body, "anthropic") == []
    assert sorted(loss.code for loss in out.losses) == ["option.refused", "reasoning.always"]
