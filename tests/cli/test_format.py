"""`dragoman format`: what goes in, what comes out, and where the losses are told."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dragoman import ByName, ChatRequest, Formatter, Msg, NameField, Options, Tagged, Tool, wires
from dragoman.message import ImageBlock, URLSource, dump
from dragoman.tokens import CharTokenCounter

from .running import CHAT, run, widest, written

PLAIN = [msg.to_dict() for msg in CHAT]
LONG = [Msg("", "Be kind.", "system"), *(Msg("", f"{i} " + "word " * 20, "user") for i in range(6))]


@pytest.fixture
def chat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    return written(Path("chat.json"), PLAIN)


def out(*args: str, **rest: Any) -> Any:
    """The JSON on stdout of a command that goes well."""
    ran = run("format", *args, **rest)
    assert ran.exit_code == 0, ran.stderr
    return json.loads(ran.stdout)


@pytest.mark.parametrize("to", [*wires(), "deepseek/openai-chat"])
def test_every_wire_writes_what_its_formatter_writes(chat: str, to: str) -> None:
    assert out(chat, "--to", to) == Formatter(to).format_sync(CHAT)
    assert out(chat, "-t", to, "--multi-agent") == Formatter(to, speakers=ByName()).format_sync(
        CHAT
    )


@pytest.mark.parametrize("to", wires())
def test_losses_are_told_on_stderr_with_code_and_path(chat: str, to: str) -> None:
    losses = Formatter(to).write(CHAT).losses
    told = run("format", chat, "--to", to).stderr
    for loss in losses:
        assert f"{loss.kind} " in told
        assert f"{loss.code}: " in told
        assert f" {loss.where} " in told.replace("\n", " ")
    assert (told == "") == (not losses)
    assert widest(told) <= 80


@pytest.mark.parametrize(
    ("how", "rewrite"),
    [
        ("role", None),
        ("name", ByName()),
        ("tagged:Friday", Tagged(me="Friday")),
        ("namefield", NameField()),
    ],
)
def test_speakers(chat: str, how: str, rewrite: Any) -> None:
    expected = Formatter("openai-chat", speakers=rewrite).format_sync(CHAT)
    assert out(chat, "--to", "openai-chat", "--speakers", how) == expected


def test_a_model_decides_what_is_carried(chat: str) -> None:
    without = out(chat, "--to", "deepseek")
    assert out(chat, "--to", "deepseek", "--model", "deepseek-flash") != without
    assert "y.png" not in json.dumps(without)


def test_facts_of_a_profile(chat: str) -> None:
    old = out(chat, "--to", "deepseek", "-m", "deepseek-flash", "--facts", "documents-2025")
    assert "y.png" not in json.dumps(old)


@pytest.mark.parametrize("args", [[], ["-"]])
def test_stdin(args: list[str]) -> None:
    text = json.dumps(PLAIN, ensure_ascii=False)
    assert out(*args, "--to", "gemini", input=text) == Formatter("gemini").format_sync(CHAT)


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(dump(CHAT), id="stored messages"),
        pytest.param(dump(ChatRequest(CHAT)), id="stored request"),
        pytest.param([dump(msg) for msg in CHAT], id="list of stored messages"),
    ],
)
def test_stored_values(value: Any) -> None:
    assert out("--to", "ollama", input=json.dumps(value)) == Formatter("ollama").format_sync(CHAT)


def test_a_byte_order_mark_is_no_fault() -> None:
    text = b"\xef\xbb\xbf" + json.dumps(PLAIN).encode()
    assert out("--to", "openai-chat", input=text)[0] == {"role": "system", "content": "Be kind."}


# -- whole requests ---------------------------------------------------------------------------


@pytest.mark.parametrize("to", wires())
def test_a_whole_request(to: str) -> None:
    request = ChatRequest(
        CHAT, tools=[Tool("look", "Looks.", {"type": "object", "properties": {}})],
        options=Options(max_tokens=100), model="some-model",
    )  # fmt: skip
    sent = Formatter(to).format_request(replace(request, messages=list(CHAT)))
    assert out("--to", to, "--request", input=json.dumps(dump(request))) == {
        "path": sent.path, "headers": sent.headers, "body": sent.body,
    }  # fmt: skip
    assert sent.body.get("model", "some-model") == "some-model"


def test_plain_messages_make_a_request_too(chat: str) -> None:
    made = out(chat, "--to", "anthropic", "--request", "--model", "claude-opus-5-5")
    assert made["path"] == "/v1/messages"
    assert "Be kind." in json.dumps(made["body"]["system"])


# -- losses for programs, policies ------------------------------------------------------------


@pytest.mark.parametrize("args", [[], ["--request"]])
def test_json_holds_the_losses_and_stderr_is_silent(chat: str, args: list[str]) -> None:
    ran = run("format", chat, "--to", "deepseek", "--model", "deepseek-chat", "--json", *args)
    found = json.loads(ran.stdout)
    assert ("body" in found) == bool(args)
    assert ("messages" in found) == (not args)
    [loss] = [loss for loss in found["losses"] if loss["kind"] == "dropped"]
    assert loss["code"] == "block.unsupported"
    assert loss["where"] == "$.messages[1].content[1]"
    assert loss["target"] == "deepseek"
    assert ran.stderr == ""


def test_no_losses_is_an_empty_list() -> None:
    text = json.dumps([Msg("", "Hi", "user").to_dict()])
    assert out("--to", "openai-chat", "--json", input=text)["losses"] == []


def test_losses_can_be_ignored(chat: str) -> None:
    ran = run("format", chat, "--to", "deepseek", "--policy", "ignore")
    assert (ran.exit_code, ran.stderr) == (0, "")


def test_a_refusal_names_the_losses_and_what_would_allow_them(chat: str) -> None:
    ran = run("format", chat, "--to", "deepseek", "--policy", "refuse")
    assert (ran.exit_code, ran.stdout) == (1, "")
    last = ran.stderr.splitlines()[-1]
    refused = "the policy refuses dropped block.unsupported at $.messages[1].content[1]"
    assert last.startswith(f"error: {chat}: {refused}")
    assert last.endswith("(--allow block.unsupported lets it pass)")
    assert "$.messages[1].content[1]  image of the user" in ran.stderr
    assert run("format", chat, "--to", "deepseek", "--policy", "refuse",
               "--allow", "block.unsupported").exit_code == 0  # fmt: skip


def test_single_codes_can_be_refused(chat: str) -> None:
    assert run("format", chat, "--to", "anthropic").exit_code == 0
    refused = run("format", chat, "--to", "anthropic", "--refuse", "name.*")
    assert refused.exit_code == 1
    assert "name.unsupported" in refused.stderr
    allowed = ("--refuse", "name.*", "--allow", "dropped")
    assert run("format", chat, "--to", "anthropic", *allowed).exit_code == 0


def test_a_refusal_as_json(chat: str) -> None:
    ran = run("format", chat, "--to", "deepseek", "--json", "--policy", "refuse")
    assert ran.exit_code == 1
    found = json.loads(ran.stdout)
    assert [loss["code"] for loss in found["losses"]] == ["block.unsupported"]
    assert "the policy refuses" in found["error"]
    assert ran.stderr == f"error: {found['error']}\n"


# -- budgets ----------------------------------------------------------------------------------


@pytest.mark.parametrize("args", [[], ["--request"]])
def test_a_budget_cuts_the_oldest_and_says_so(args: list[str]) -> None:
    text = json.dumps([msg.to_dict() for msg in LONG])
    found = out("--to", "openai-chat", "--max-tokens", "500", "--json", *args, input=text)
    messages = found["body"]["messages"] if args else found["messages"]
    limited = Formatter("openai-chat", token_counter=CharTokenCounter(), max_tokens=500)
    assert messages == limited.format_sync(LONG)
    assert messages[0] == {"role": "system", "content": "Be kind."}
    cut = [loss["where"] for loss in found["losses"] if loss["code"] == "history.cut"]
    assert cut == [f"$.messages[{i}]" for i in range(1, len(LONG) - len(messages) + 1)]
    assert cut != []


def test_a_budget_too_small_is_refused() -> None:
    text = json.dumps([msg.to_dict() for msg in LONG])
    ran = run("format", "--to", "openai-chat", "--max-tokens", "10", input=text)
    assert (ran.exit_code, ran.stdout) == (1, "")
    assert ran.stderr.startswith("error: stdin: ")
    assert "the limit is 10" in ran.stderr


def test_a_tokenizer_counts(tmp_path: Path) -> None:
    pytest.importorskip("transformers", reason="the extra `tokens` is not installed")
    from tests.tokens.training import train_tokenizer

    folder = train_tokenizer("word " * 50, tmp_path / "tokenizer")
    text = json.dumps([msg.to_dict() for msg in LONG])
    args = ("--to", "openai-chat", "--max-tokens", "120", "--policy", "ignore")
    by_tokens = out(*args, "--counter", f"hf:{folder}", input=text)
    assert 2 <= len(by_tokens) < len(LONG)
    assert run("format", *args, input=text).exit_code == 1  # 120 characters hold nothing


def test_the_counter_of_a_model_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tiktoken", reason="the extra `tokens` is not installed")
    from tests.tokens.encodings import vocabularies

    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(vocabularies(tmp_path)))
    text = json.dumps([msg.to_dict() for msg in LONG])
    args = ("--to", "openai-chat", "--max-tokens", "120", "--policy", "ignore")
    by_tokens = out(*args, "--counter", "openai:gpt-5.6", input=text)
    assert 2 <= len(by_tokens) < len(LONG)


# -- files ------------------------------------------------------------------------------------


def test_output_goes_into_a_file(chat: str, tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    ran = run("format", chat, "--to", "dashscope", "-o", str(target))
    assert (ran.exit_code, ran.stdout) == (0, "")
    text = target.read_text("utf-8")
    assert json.loads(text) == Formatter("dashscope").format_sync(CHAT)
    assert "你好" in text


def test_a_refusal_leaves_the_file_as_it_was(chat: str, tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    target.write_text("before")
    args = ("--to", "deepseek", "--policy", "refuse", "-o", str(target))
    assert run("format", chat, *args).exit_code == 1
    assert run("format", chat, *args, "--json").exit_code == 1
    assert target.read_text() == "before"


def test_local_media_under_the_current_directory_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("dot.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(8))
    text = json.dumps([Msg("", [ImageBlock(URLSource("dot.png"))], "user").to_dict()])
    assert out("--to", "ollama", input=text)[0]["images"][0].startswith("iVBORw0KGgo")


def test_names_cannot_steer_the_terminal() -> None:
    text = json.dumps([Msg("\x1b[31m[red]Bob\n", "Hi", "user").to_dict()])
    told = run("format", "--to", "anthropic", input=text).stderr
    assert "\x1b" not in told
    assert "\\x1b[31m[red]Bob" in told


def test_nothing_that_is_written_steers_a_terminal(chat: str) -> None:
    steering = "C1 \x9b31m, \u202eturned\u2066, \x1b[31m, \x7f"
    source = written(Path("odd.json"), [Msg("Tony", steering, "user").to_dict()])
    for more in ((), ("--json",), ("--request",)):
        ran = run("format", source, "--to", "openai", *more)
        assert ran.exit_code == 0, ran.stderr
        assert not [sign for sign in ran.stdout if not sign.isprintable() and sign != "\n"]
    (message,) = out(source, "--to", "anthropic")
    assert message["content"] == steering
