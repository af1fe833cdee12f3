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
from dragoman import ContextOverflow, Formatter, Msg, Options, analysis
from dragoman.message import (
    DocumentBlock,
    Origin,
    TextBlock,
    TextSource,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from dragoman.message.blocks import Citation
from dragoman.testing import Scripted
from dragoman.tokens import TokenCounterBase
from tests.docs.pages import ROOT, pages
from tests.docs.test_examples import answered_by

from .pipelines import PIPELINES

EXAMPLES = ROOT / "examples"
FEWER_THAN = 50  # lines
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
QUOTED = "In 1420 Ulugh Beg opened his madrasa on the Registan."
CITED = Citation(url="https://example.com/samarkand", title="samarkand", quote=QUOTED)
CLAUDE = Origin("anthropic")
CITIES = [
    ToolUseBlock(f"toolu_{city}", "warmth", {"city": city}) for city in ("Samarkand", "Bukhara")
]
TALK = ["A desert.", "With dinner.", "On foot.", "By night.", "And breakfast.", "In tents."]
# examples that ask models: what those answer, and what is printed
ASKING: dict[str, tuple[list[Any], str]] = {
    "switch_models.py": (
        [
            Msg.assistant(
                [
                    ThinkingBlock("I look it up.", signature="c2lnbmVk"),
                    ToolUseBlock("toolu_1", "warmth", {"city": "Samarkand"}),
                ],
                origin=CLAUDE,
            ),
            Msg.assistant(
                [ThinkingBlock("Hot.", signature="c2lnbmVk"), TextBlock("31 degrees.")],
                origin=CLAUDE,
            ),
            "Linen.",
            "It is hot; linen.",
        ],
        """\
anthropic/claude-opus-5-5: 31 degrees.
  added max_tokens.default $.options.max_tokens
openai/gpt-5.6: Linen.
  dropped thinking.other_provider $.messages[1].content[0]
  dropped thinking.other_provider $.messages[3].content[0]
gemini/gemini-3.5-flash: It is hot; linen.
  dropped thinking.other_provider $.messages[1].content[0]
  dropped thinking.other_provider $.messages[3].content[0]
  expected extras.empty $.messages[5].content[0].extras.openai-responses.annotations
  expected extras.empty $.messages[5].content[0].extras.openai-responses.logprobs
  expected extras.other_provider $.messages[5].content[0].extras.openai-responses.id
  expected extras.other_provider $.messages[5].content[0].extras.openai-responses.status
  added call.bypass $.messages[1].content[1]
""",
    ),
    "cited_answers.py": (
        [[TextBlock("Ulugh Beg, in 1420.", citations=[CITED])]],
        f"""\
Ulugh Beg, in 1420.
  samarkand, https://example.com/samarkand: ('{QUOTED}',)
""",
    ),
    "repaired_output.py": (
        ['{"subject": "A late order", "urgency": "soon"}',
         '{"subject": "A late order", "urgency": "high", "order": 1420}'],
        "Ticket(subject='A late order', urgency='high', order=1420)\n",
    ),
    "one_agent.py": (
        [CITIES, "Both have 31 degrees."] * 4,
        """\
anthropic/claude-opus-5-5: Both have 31 degrees.
  dropped option.unsupported $.options.seed
  dropped name.unsupported $.messages[1].name
openai/gpt-5.6: Both have 31 degrees.
  dropped option.unsupported $.options.seed
  dropped name.unsupported $.messages[1].name
gemini/gemini-3.5-flash: Both have 31 degrees.
  dropped name.unsupported $.messages[1].name
  added call.bypass $.messages[1].content[0]
deepseek/deepseek-v4-flash: Both have 31 degrees.
""",
    ),
    "three_agents.py": (
        TALK,
        """\
Host: Where do you travel together?
Ann: A desert.
Bob: With dinner.
Cleo: On foot.
Ann: By night.
Bob: And breakfast.
Cleo: In tents.
""",
    ),
    "from_agentscope.py": (
        ["In Uzbekistan.", "The Zeravshan.", "Zeravshan."],
        "Friday: In Uzbekistan.\nFriday: The Zeravshan.\nFriday: Zeravshan.\n",
    ),
}  # fmt: skip

# examples that run in several processes, or behind a page, each with its own test
APART = ("approved_calls.py", "chat_for_a_page.py", "chat_for_a_page_fastapi.py")
APPROVING = """
import json, os, runpy, sys
from dragoman import Msg
from dragoman.testing import Scripted
from tests.docs.test_examples import answered_by

path, told, answer = sys.argv[1:]
sys.argv = [path, told]
script = Scripted(Msg.from_dict(json.loads(answer)))
with answered_by(script):
    runpy.run_path(path, run_name="__main__")
for block in script.requests[0].messages[-1].blocks:
    print("told", [part.text for part in getattr(block, "output", ())])
"""


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


def played(name: str) -> Scripted:
    """Run an example as a program; its models say what stands above. Their requests."""
    script = Scripted(*ASKING[name][0])
    with answered_by(script):
        runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    return script


def outputs(request: dragoman.ChatRequest) -> list[str]:
    """The text of each tool result in a request."""
    blocks = [block for msg in request.messages for block in msg.blocks]
    results = [block.output for block in blocks if isinstance(block, ToolResultBlock)]
    return [one if isinstance(one, str) else "".join(map(text_of, one or ())) for one in results]


def text_of(block: Any) -> str:
    assert isinstance(block, TextBlock)
    return block.text


@pytest.mark.parametrize("name", ASKING)
def test_an_example_asks_and_prints(
    name: str, no_network: None, capsys: pytest.CaptureFixture[str]
) -> None:
    script = played(name)
    assert capsys.readouterr().out == ASKING[name][1]
    assert len(script.requests) == len(ASKING[name][0])


def test_each_model_goes_on_where_the_other_stopped() -> None:
    script = played("switch_models.py")
    assert [call.url.split("/")[2] for call in script.calls] == [
        "api.anthropic.com", "api.anthropic.com", "api.openai.com",
        "generativelanguage.googleapis.com",
    ]  # fmt: skip
    [again, _, last] = script.requests[1:]
    assert [b.signature for b in again.messages[2].blocks if isinstance(b, ThinkingBlock)] == [
        "c2lnbmVk"  # its maker gets its own thinking back
    ]
    texts = [msg.text for msg in last.messages if msg.text]
    assert texts[1::2] == [*imported("switch_models.py")["TURNS"].values()]
    assert texts[2::2] == ["31 degrees.", "Linen."]
    assert outputs(last) == ["Samarkand: 31"]


def test_documents_are_sent_to_be_cited_and_only_those_that_were_found() -> None:
    [request] = played("cited_answers.py").requests
    [document] = [b for b in request.messages[-1].blocks if isinstance(b, DocumentBlock)]
    assert isinstance(document.source, TextSource)
    assert (document.cite, document.title, document.source.found_at) == (
        True, "samarkand", "https://example.com/samarkand",
    )  # fmt: skip
    assert QUOTED in document.source.passages


def test_a_repair_names_the_fault_and_only_one_is_asked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    script = played("repaired_output.py")
    assert "$.urgency" in script.requests[1].messages[-1].text
    wrong = Scripted('{"subject": "A"}', repeat=True)
    with answered_by(wrong):
        assert imported("repaired_output.py")["sorted_in"]("Hello?") is None
    assert len(wrong.requests) == 2
    assert "$.urgency" in capsys.readouterr().out


def test_every_model_gets_the_results_of_the_same_tools() -> None:
    script = played("one_agent.py")
    assert [call.url.split("/")[2] for call in script.calls[::2]] == [
        "api.anthropic.com", "api.openai.com", "generativelanguage.googleapis.com",
        "api.deepseek.com",
    ]  # fmt: skip
    assert [outputs(request) for request in script.requests[1::2]] == [
        ["Samarkand: 31", "Bukhara: 31"]
    ] * 4


def test_each_of_three_agents_is_told_who_has_said_what() -> None:
    script = played("three_agents.py")
    assert [call.url.split("/")[2] for call in script.calls[:3]] == [
        "api.anthropic.com", "api.openai.com", "generativelanguage.googleapis.com",
    ]  # fmt: skip
    heard = script.requests[-1].messages[-1].text.replace("<history>", "").splitlines()
    assert [line for line in heard if ": " in line] == [
        "Host: Where do you travel together?", "Ann: A desert.", "Bob: With dinner.",
        "Cleo: On foot.", "Ann: By night.", "Bob: And breakfast.",
    ]  # fmt: skip
    assert "You are Cleo" in script.requests[-1].messages[0].text


@pytest.mark.parametrize(
    ("verdict", "printed"),
    [("yes", "  70 dollars go to Ulugh\nDone.\ntold ['paid']\n"),
     ("too much", "Done.\ntold ['the call was not allowed: the user says: too much']\n")],
)  # fmt: skip
def test_a_call_waits_for_its_approval_in_another_process(
    verdict: str, printed: str, tmp_path: Path
) -> None:
    def ran(told: str, answer: Msg) -> str:
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", APPROVING, str(EXAMPLES / "approved_calls.py"),
             told, json.dumps(answer.to_dict())],
            cwd=tmp_path, capture_output=True, text=True, check=False,
            env={**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT)))},
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    call = ToolUseBlock("call_1", "pay", {"name": "Ulugh", "dollars": 70})
    first = ran("Pay Ulugh 70 dollars.", Msg.assistant([call]))
    assert first == "pay {'name': 'Ulugh', 'dollars': 70}: yes, or why not?\ntold []\n"
    assert ran(verdict, Msg.assistant("Done.")) == printed


@pytest.mark.parametrize("name", [*PRINTED, *ASKING, *APART])
def test_an_example_is_short_and_says_nothing_when_imported(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (EXAMPLES / name).read_text("utf-8").count("\n") < FEWER_THAN
    with answered_by(Scripted()):
        imported(name)
    assert capsys.readouterr().out == ""


def test_every_example_is_tested_and_found_from_a_page() -> None:
    files = {path.name for path in EXAMPLES.iterdir() if path.is_file()}
    assert files == {*PRINTED, *ASKING, *APART, *PIPELINES, "chat_page.jsx", "request.json"}
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
    assert analysis.check(body, "openai") == []
    out = dragoman.convert(body, "auto", "anthropic", model="claude-opus-5-5", policy="ignore")
    assert analysis.check(out.body, "anthropic") == []
    assert sorted(loss.code for loss in out.losses) == ["option.refused", "reasoning.always"]
