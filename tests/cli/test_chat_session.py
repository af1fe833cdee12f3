"""ChatSession without a terminal: history, tools, commands, switches, and what goes wrong."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dragoman import Msg, Toolkit
from dragoman.cli.chat_session import ChatSession
from dragoman.cli.chat_tools import EXAMPLES
from dragoman.cli.chat_view import PlainView
from dragoman.message import ChatRequest, ImageBlock, TextBlock, ToolResultBlock, Usage, dump, load
from dragoman.message.media import URLSource

from .scripted import Script, call, scripted, text, thought

MODEL = "llamacpp/m"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)


class Chat:
    """A session over a script, and what it writes."""

    def __init__(self, script: Script, capsys: pytest.CaptureFixture[str], *said: str) -> None:
        self.capsys = capsys
        self.script = script
        replies: Iterator[str] = iter(said)
        self.view = PlainView(lambda _: next(replies, None))
        self.session = ChatSession(
            MODEL, self.view, toolkit=Toolkit(EXAMPLES), base_url=script.url,
            settings={"retries": 0},
        )  # fmt: skip

    def line(self, text: str) -> str:
        assert self.session.line(text)
        out, err = self.capsys.readouterr()
        return out + err


def output_of(msg: Msg) -> tuple[str, bool]:
    [block] = msg.blocks
    assert isinstance(block, ToolResultBlock)
    assert isinstance(block.output, str)
    return block.output, block.is_error


def test_a_conversation(capsys: pytest.CaptureFixture[str]) -> None:
    with scripted(text("In ", "France."), text("Yes.")) as script:
        chat = Chat(script, capsys)
        assert chat.line("Where is Paris?") == "In France.\n"
        assert chat.line("  Sure?\n") == "Yes.\n"
        assert chat.line("") == ""
        assert [one["content"] for one in script.last] == ["Where is Paris?", "In France.", "Sure?"]
        assert [msg.role for msg in chat.session.history] == ["user", "assistant"] * 2
        assert chat.session.usage == Usage(input=18, output=8, total=26)
        assert not chat.session.failed
        assert not chat.session.line("/quit")


def test_thinking_is_shown_and_kept(capsys: pytest.CaptureFixture[str]) -> None:
    with scripted(thought("They ask.", "So."), text("Yes.")) as script:
        chat = Chat(script, capsys)
        assert chat.line("Why?") == "thinking: They ask.\nSo.\n"
        assert [block.type for block in chat.session.history[-1].blocks] == ["thinking", "text"]


def test_what_a_model_writes_steers_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with scripted(text("a\x1b[2Jb\nc")) as script:
        assert Chat(script, capsys).line("Hi") == "a\\x1b[2Jb\nc\n"


def test_a_call_is_shown_asked_for_and_run(capsys: pytest.CaptureFixture[str]) -> None:
    with scripted(call("calculator", expression="6 * 7"), text("It is 42.")) as script:
        chat = Chat(script, capsys, "y")
        said = chat.line("What is 6 * 7?")
        assert 'calls calculator {"expression":' in said
        assert said.endswith("gives: 42\nIt is 42.\n")
        assert [one["role"] for one in script.last] == ["user", "assistant", "tool"]
        assert script.last[-1]["content"] == "42"
        names = [tool["function"]["name"] for tool in script.asked[0]["tools"]]
        assert names == ["clock", "calculator", "read_file"]


@pytest.mark.parametrize("said", [("n",), ("",), ()])
def test_a_call_that_is_not_allowed(
    said: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with scripted(call("clock"), text("Then not.")) as script:
        chat = Chat(script, capsys, *said)
        assert "\nThen not.\n" in chat.line("What time is it?")
        assert output_of(chat.session.history[2]) == ("the user did not allow this call", True)


def test_of_several_calls_each_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    first = call("calculator", "c1", expression="1 + 1")
    second = call("calculator", "c2", expression="2 + 2")
    second[0]["tool_calls"][0]["index"] = 1
    with scripted([first[0], *second], text("Done.")) as script:
        chat = Chat(script, capsys, "n", "y")
        chat.line("Both")
        results = [output_of(msg) for msg in chat.session.history[2:4]]
        assert results == [("the user did not allow this call", True), ("4", False)]


def test_with_yes_nobody_is_asked(capsys: pytest.CaptureFixture[str]) -> None:
    with scripted(call("nothing"), call("calculator", expression="x"), text("Well.")) as script:
        chat = Chat(script, capsys)
        chat.session.yes = True
        said = chat.line("Go")
        assert "fails: there is no tool nothing here" in said
        assert "fails: ValueError: x is no arithmetic" in said
        assert "\nWell.\n" in said


def test_a_model_that_never_ends_is_stopped(capsys: pytest.CaptureFixture[str]) -> None:
    with scripted(*[call("calculator", expression="1")] * 51) as script:
        chat = Chat(script, capsys)
        chat.session.yes = True
        assert "stopped: the model has called tools 50 times" in chat.line("Go")
        assert len(script.asked) == 50


# -- what goes wrong -------------------------------------------------------------------------------


def test_an_error_before_an_answer_takes_the_message_back(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with scripted(429, text("Yes.")) as script:
        chat = Chat(script, capsys)
        said = chat.line("Why?")
        assert "error: RateLimited: slow down\n" in said
        assert "not whole: nothing had come, and your message is not kept" in said
        assert (chat.session.history, chat.session.failed) == ([], True)
        assert chat.line("Again") == "Yes.\n"


def test_an_error_behind_a_call_leaves_the_history_in_order(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with scripted(call("clock"), 429, text("Noon.")) as script:
        chat = Chat(script, capsys, "y")
        assert "not whole: nothing had come\n" in chat.line("When?")
        assert [msg.role for msg in chat.session.history] == ["user", "assistant", "tool"]
        assert chat.line("Go on") == "Noon.\n"


class Impatient(PlainView):
    """A user who presses Ctrl-C when a word has come."""

    word = ""

    def event(self, event: object) -> None:
        super().event(event)  # type: ignore[arg-type]  # as the session has it
        if self.word and self.word in getattr(event, "text", ""):
            signal.raise_signal(signal.SIGINT)


@pytest.fixture
def interrupts() -> Iterator[None]:
    """Ctrl-C is heard, also where whoever began the tests has it ignored, as `nohup` does."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
@pytest.mark.usefixtures("interrupts")
def test_ctrl_c_stops_the_answer_and_keeps_what_came(capsys: pytest.CaptureFixture[str]) -> None:
    with scripted([*thought("Hm.", "Once ", "upon")[:3], "hang"], text("a time.")) as script:
        chat = Chat(script, capsys)
        view = chat.session.view = Impatient(lambda _: None)
        view.word = "upon"
        said = chat.line("A tale")
        assert "Once upon\n" in said
        assert "stopped: what had come is kept" in said
        assert chat.session.history[-1].text == "Once upon"
        assert not chat.session.failed
        assert chat.line("Go on") == "a time.\n"
        assert [one["role"] for one in script.last] == ["user", "assistant", "user"]


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
@pytest.mark.usefixtures("interrupts")
def test_of_an_answer_that_is_stopped_no_call_stays(capsys: pytest.CaptureFixture[str]) -> None:
    half = {"index": 0, "id": "c", "type": "function",
            "function": {"name": "clock", "arguments": '{"time'}}  # fmt: skip
    with scripted([{"content": "Let me see."}, {"tool_calls": [half]}, "hang"]) as script:
        chat = Chat(script, capsys)
        view = chat.session.view = Impatient(lambda _: None)
        view.word = '{"time'
        chat.line("When?")
        assert [block.type for block in chat.session.history[-1].blocks] == ["text"]


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
@pytest.mark.usefixtures("interrupts")
def test_ctrl_c_at_the_question_leaves_a_result_for_every_call(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def read(_: str) -> str | None:
        signal.raise_signal(signal.SIGINT)
        return None

    with scripted(call("clock")) as script:
        chat = Chat(script, capsys)
        chat.session.view = PlainView(read)
        assert chat.line("When?").endswith("stopped\n")
        assert output_of(chat.session.history[-1]) == ("the user stopped this call", True)
        assert len(script.asked) == 1


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("/nothing", "error: there is no command /nothing (/help lists them)\n"),
        ("/model nobody/x", "error: 'nobody/x' begins with no vendor ("),
        ("/image", "error: /image needs a file (/image PATH)\n"),
        ("/image no.png", "error: no.png: No such file or directory\n"),
        ("/save", "error: /save needs a file (/save FILE)\n"),
        ("/load no.json", "error: no.json: No such file or directory\n"),
    ],
)
def test_a_wrong_command_changes_nothing(
    line: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with scripted() as script:
        chat = Chat(script, capsys)
        assert chat.line(line).startswith(told)
        assert chat.session.model == MODEL
        assert chat.session.history == []


# -- commands --------------------------------------------------------------------------------------


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with scripted() as script:
        said = Chat(script, capsys).line("/help")
    for name in ("help", "model", "losses", "tokens", "system", "image", "save", "load", "quit"):
        assert f"/{name}" in said
    assert "None" not in said


@pytest.mark.parametrize(
    ("line", "sent"), [("//help me", "/help me"), ("/etc/hosts is what?", "/etc/hosts is what?")]
)
def test_a_message_may_begin_with_a_slash(
    line: str, sent: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with scripted(text("Yes.")) as script:
        Chat(script, capsys).line(line)
        assert script.last[-1]["content"] == sent


def test_the_system_prompt(capsys: pytest.CaptureFixture[str]) -> None:
    with scripted(text("Yes."), text("Yes.")) as script:
        chat = Chat(script, capsys)
        assert chat.line("/system") == "no system prompt\n"
        assert chat.line("/system Be brief.") == "system prompt: Be brief.\n"
        chat.line("Hi")
        assert script.last[0] == {"role": "system", "content": "Be brief."}
        assert chat.line("/system -") == "no system prompt\n"
        chat.line("Hi")
        assert script.last[0]["role"] == "user"


def test_tokens(capsys: pytest.CaptureFixture[str]) -> None:
    with scripted(text("Yes.")) as script:
        chat = Chat(script, capsys)
        said = chat.line("/tokens")
        assert said == "the conversation has about 0 tokens; used so far: no tokens told\n"
        chat.line("Is it so?")
        count = chat.session.llm.count(chat.session.request)
        assert count > 0
        used = "used so far: 9 input, 4 output, 13 total"
        assert chat.line("/tokens") == f"the conversation has about {count} tokens; {used}\n"


def test_images_by_command_and_by_a_path_in_the_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a b.png").write_bytes(PNG)
    (tmp_path / "c.png").write_bytes(PNG)
    with scripted(text("Two dots."), text("Yes.")) as script:
        chat = Chat(script, capsys)
        assert chat.line('/image "a b.png"') == "attached to your next message: a b.png\n"
        assert chat.line("And what is c.png, not no.png?") == "attached: c.png\nTwo dots.\n"
        kinds = [part["type"] for part in script.last[-1]["content"]]
        assert kinds == ["image_url", "image_url", "text"]
        chat.line("Sure?")
        assert script.last[-1]["content"] == "Sure?"


def pictured() -> list[Msg]:
    image = ImageBlock(URLSource("https://x.example/y.png"))
    return [Msg.user([image, TextBlock("What is it?")]), Msg.assistant("A cat.")]


def test_a_switch_shows_the_losses_that_it_causes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DEEPSEEK_API_KEY", "none")
    with scripted(text("It purrs.")) as script:
        chat = Chat(script, capsys)
        chat.session.history += pictured()
        said = chat.line(f"/model deepseek/deepseek-chat {script.url}")
        assert said.startswith("deepseek/deepseek-chat from here on - losses: 1 dropped\n")
        assert "dropped block.unsupported: " in said
        assert "$.messages[0].content[0]" in said
        assert chat.session.model == "deepseek/deepseek-chat"
        assert "$.messages[0].content[0]" in chat.line("/losses")
        said = chat.line("More?")
        assert said == "It purrs.\nlosses: 1 dropped (/losses shows them)\n"
        assert script.asked[-1]["model"] == "deepseek-chat"
        again = chat.line(f"/model llamacpp/anthropic/m {script.url}")
        assert again.startswith("llamacpp/anthropic/m from here on - losses: 1 added\n")
        assert "added max_tokens.default: " in again


def test_a_switch_keeps_the_address_for_the_same_vendor_alone(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with scripted(text("Yes.")) as script:
        chat = Chat(script, capsys)
        chat.line("/model llamacpp/other")
        assert chat.line("Hi") == "Yes.\n"
        assert script.asked[-1]["model"] == "other"
        chat.line("/model ollama/qwen3")
        chat.session.history.append(Msg.user("Hi"))
        target = chat.session.llm._door.target
        assert target.model.connection.base_url is None
        assert chat.line("/model").startswith("the model is ollama/qwen3 (")


def test_a_conversation_is_saved_and_loaded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "talk.json"
    with scripted(text("Grüße."), text("Yes."), text("So.")) as script:
        chat = Chat(script, capsys, "n", "y")
        chat.line("/system Be kind.")
        chat.line("Hi")
        assert chat.line(f"/save {file}") == f"saved 2 messages to {file}\n"
        stored = load(json.loads(file.read_text("utf-8")))
        assert stored == ChatRequest(chat.session.history, system="Be kind.")
        chat.line("Again")
        assert chat.line(f"/save {file}") == f"saved 4 messages to {file}\n"
        other = Chat(script, capsys, "n", "y")
        assert other.line(f"/save {file}") == "not saved\n"
        said = other.line(f"/load {file}")
        assert said.startswith(f"loaded 4 messages from {file}\n")
        assert (other.session.history, other.session.system) == (chat.session.history, "Be kind.")
        other.line("More")
        assert [one["role"] for one in script.last] == ["system", *["user", "assistant"] * 2,
                                                        "user"]  # fmt: skip


def test_any_stored_conversation_can_be_loaded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "messages.json"
    file.write_text(json.dumps(dump(pictured())), "utf-8")
    with scripted() as script:
        chat = Chat(script, capsys)
        chat.line("/system Be kind.")
        assert "loaded 2 messages" in chat.line(f"/load {file}")
        assert (chat.session.history, chat.session.system) == (pictured(), "Be kind.")
        file.write_text(f"[{json.dumps(dump(pictured()))}]", "utf-8")
        assert chat.line(f"/load {file}").startswith("error: ")
        assert len(chat.session.history) == 2


# -- what is approved is what runs -----------------------------------------------------------------


def two(first: dict[str, Any], second: dict[str, Any], ids: tuple[str, str] = ("c", "c")) -> Any:
    deltas = [
        call("calculator", id, **given) for id, given in zip(ids, (first, second), strict=True)
    ]
    deltas[1][0]["tool_calls"][0]["index"] = 1
    return [deltas[0][0], *deltas[1]]


@pytest.mark.parametrize("ids", [("c", "c"), ("", "")])
def test_of_two_calls_with_one_id_each_has_its_own_answer(
    ids: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    calls = two({"expression": "1 + 1"}, {"expression": "2 + 2"}, ids)
    with scripted(calls, text("Done.")) as script:
        chat = Chat(script, capsys, "y", "n")
        chat.line("Both")
        results = [output_of(msg) for msg in chat.session.history[2:4]]
        assert results == [("2", False), ("the user did not allow this call", True)]


@pytest.mark.parametrize("yes", [False, True])
def test_a_question_shows_all_that_it_approves(
    yes: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    end = "rm -rf / \u202e\x1b[2K\x9b1A the end"
    given = {"expression": "1 " * 4000 + end}
    with scripted(call("calculator", **given), text("Done.")) as script:
        chat = Chat(script, capsys, "y")
        chat.session.yes = yes
        said = chat.line("Go")
    shown = "".join(said.split("\n")).replace(" ", "")  # however it is folded
    assert ("rm-rf/" in shown and "theend" in shown) is not yes
    assert not any(char in said for char in "\u202e\x1b\x9b")


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
@pytest.mark.usefixtures("interrupts")
def test_ctrl_c_within_a_call_does_not_say_that_it_was_not_run(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def stop() -> str:
        """Stop."""
        signal.raise_signal(signal.SIGINT)
        time.sleep(2)
        return "done"

    calls = two({"expression": "1"}, {"expression": "2"}, ("c", "d"))
    calls[0]["tool_calls"][0]["function"] = {"name": "stop", "arguments": "{}"}
    with scripted(calls) as script:
        chat = Chat(script, capsys, "y", "n")
        chat.session.toolkit.add(stop)
        assert chat.line("Go").endswith("stopped\n")
        first, second = (output_of(msg)[0] for msg in chat.session.history[2:4])
    assert "not known" in first
    assert second == "the user did not allow this call"
