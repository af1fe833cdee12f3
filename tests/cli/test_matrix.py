"""`dragoman matrix`: every pair of formatter and model, with its endpoint or its reason."""

from __future__ import annotations

import json
from dataclasses import asdict

import dragoman

from .running import run, widest


def test_json_is_a_list_of_all_cells() -> None:
    ran = run("matrix", "--json")
    assert (ran.exit_code, ran.stderr) == (0, "")
    cells = json.loads(ran.stdout)
    assert cells == [asdict(cell) for cell in dragoman.matrix()]
    found = {(cell["formatter"], cell["model"]): cell for cell in cells}
    claude = found["AnthropicChatFormatter", "DeepSeekChatModel"]
    assert (claude["works"], claude["wire"]) == (True, "deepseek/anthropic")
    assert not found["GeminiChatFormatter", "OpenAIChatModel"]["works"]
    assert "no endpoint" in found["GeminiChatFormatter", "OpenAIChatModel"]["reason"]


def test_the_table_says_what_works_over_which_endpoint_and_why_not() -> None:
    ran = run("matrix")
    assert (ran.exit_code, ran.stderr) == (0, "")
    heads, *rows = ran.stdout.partition("\n\n")[0].splitlines()
    assert heads.split() == ["Anthropic", "DashScope", "DeepSeek", "Gemini", "Ollama", "OpenAI",
                             "OpenAIResponse"]  # fmt: skip
    marks = {row.split()[0]: row.split()[1:] for row in rows}
    assert marks["Gemini"] == ["-", "-", "-", "works", "-", "-", "-"]
    assert marks["OpenAI"] == ["-", "works", "works", "-", "works", "works", "works"]
    works = [cell for cell in dragoman.matrix() if cell.works]
    assert sum(row.count("works") for row in marks.values()) * 2 == len(works)
    endpoints = ran.stdout.partition("Over which endpoint")[2].partition("Why not")
    assert all(cell.wire in endpoints[0] for cell in works)
    words = " ".join(endpoints[2].split())
    assert "and gemini has no endpoint that takes it: openai-chat has messages" in words
    assert widest(ran.stdout) <= 80
