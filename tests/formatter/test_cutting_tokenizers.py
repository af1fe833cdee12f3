"""Cuts with real tokenizers: the same as leaving out one unit after the other, and never over."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import dragoman
from dragoman import ClearToolResults, ContextOverflow, DropOldest, Msg, Tool
from dragoman.formatter import DashScopeMultiAgentFormatter
from dragoman.history.truncate import without_oldest
from dragoman.message import ToolResultBlock, ToolUseBlock
from dragoman.tokens import HuggingFaceTokenCounter

from ..tokens.training import CHATML, train_tokenizer

TEXT = "Where does the road to Samarkand begin, and who keeps it? Nobody knows; ask at the gate."
TOOLS = [Tool("look", "looks at what stands by the road")]


@pytest.fixture(scope="module", params=["template", "no template"])
def counter(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """One that renders the whole conversation, and one whose count is a sum."""
    template = CHATML if request.param == "template" else None
    folder: Path = tmp_path_factory.mktemp("trained")
    made = HuggingFaceTokenCounter(train_tokenizer(TEXT, folder, template=template))
    made.count_sync([])  # loads it
    assert made.decomposes is (template is None)
    return made


def conversation() -> list[Msg]:
    msgs = [Msg.system("You are Friday.")]
    for i in range(12):
        msgs += [
            Msg("Tony", f"Where does road {i} begin? " * (1 + i % 3), "user"),
            Msg("Friday", [ToolUseBlock(f"c{i}", "look", {"at": i})], "assistant"),
            Msg("", [ToolResultBlock(f"c{i}", "look", "a gate " * (1 + i % 5))], "tool"),
            Msg("Friday", f"At gate {i}, which nobody keeps.", "assistant"),
        ]
    return [*msgs, Msg("Pepper", "And who keeps it?", "user")]


def make(many: bool, **options: Any) -> Any:
    if many:
        return DashScopeMultiAgentFormatter(policy="ignore", **options)
    return dragoman.Formatter("openai-chat", policy="ignore", **options)


@pytest.mark.parametrize("many", [False, True])
def test_the_same_as_one_unit_after_the_other(counter: Any, many: bool) -> None:
    plain = make(many)
    left = [conversation()]
    while (shorter := without_oldest(left[-1])) is not left[-1]:
        left.append(shorter)
    written = [plain.format_sync(msgs) for msgs in left]
    takes = [counter.count_sync(said) for said in written]
    assert takes == sorted(takes, reverse=True), "else the first that fits is not the longest"
    for limit in range(min(takes), max(takes) + 10, 19):
        right = next(said for said, tokens in zip(written, takes, strict=True) if tokens <= limit)
        assert make(many, token_counter=counter, max_tokens=limit).format_sync(left[0]) == right
    with pytest.raises(ContextOverflow) as caught:
        make(many, token_counter=counter, max_tokens=min(takes) - 1).format_sync(left[0])
    assert caught.value.tokens == min(takes)


@pytest.mark.parametrize("truncate", [DropOldest(step=8), ClearToolResults(keep=2), None])
def test_never_over_with_the_tools(counter: Any, truncate: Any) -> None:
    msgs = conversation()
    whole = counter.count_sync(make(False).format_sync(msgs), make(False).format_tools(TOOLS))
    for limit in range(whole // 3, whole, 25):
        formatter = make(False, token_counter=counter, max_tokens=limit, truncate=truncate)
        req = dragoman.ChatRequest(msgs, tools=TOOLS)
        out = formatter.format_sync(req)
        assert counter.count_sync(out, formatter.format_tools(TOOLS)) <= limit
        assert out[-1]["content"] == "And who keeps it?"
