"""Names yet to come: drawn for every line, and taken for its newest known model at every host."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dragoman
from dragoman.vendors import VENDORS, vendor

HOSTS = [f"{name}/{protocol}" for name in VENDORS for protocol in vendor(name).wires]
HOSTS += ["openai-chat", "openai-responses"]


@dataclass(frozen=True)
class Line:
    """The newest known model, the next generation's number, and how names spell it."""

    known: str
    next: int
    spelled: str = "{line}-{version}"
    ends: tuple[str, ...] = ("",)
    minor: str = "."


LINES = {
    "gpt": Line("gpt-6.2-sol", 7, ends=("", "-sol", "-astra", "-terra")),
    "o": Line("o4-mini", 5, "{line}{version}", ends=("", "-mini"), minor=""),
    "opus": Line("claude-opus-5-5", 6, "claude-{line}-{version}", minor="-"),
    "sonnet": Line("claude-sonnet-5-5", 6, "claude-{line}-{version}", minor="-"),
    "haiku": Line("claude-haiku-5-5", 6, "claude-{line}-{version}", minor="-"),
    "fable": Line("claude-fable-5-2", 6, "claude-{line}-{version}", minor="-"),
    "gemini": Line("gemini-4-neon", 5, ends=("-flash", "-pro", "-neon", "")),
    "deepseek": Line("deepseek-v4.1-flash", 5, "{line}-v{version}", ends=("", "-pro", "-flash")),
    "kimi": Line("kimi-k3", 4, "{line}-k{version}", ends=("", "-pro")),
    "glm": Line("glm-5.3", 6, ends=("", "-air")),
    "glm flash": Line("glm-5.3-flash", 6, "glm-{version}-flash"),
    "qwen": Line("qwen3.8-max", 4, "{line}{version}", ends=("-max", "-plus")),
    "minimax": Line("MiniMax-M3", 4, "MiniMax-M{version}"),
    "grok": Line("grok-4.7", 5, ends=("", "-fast")),
    "llama": Line("llama-4-scout", 5, ends=("-scout", "-70b")),
    "mistral-large": Line("mistral-large-4-0", 5, minor="-"),
    "mistral-medium": Line("mistral-medium-3-5", 4, minor="-"),
}


@pytest.mark.parametrize("line", LINES)
@given(data=st.data())
def test_a_name_yet_to_come_is_the_newest_known_of_its_line(line: str, data: st.DataObject) -> None:
    row = LINES[line]
    version = str(data.draw(st.integers(row.next, 9)))
    minor = data.draw(st.sampled_from([None, *range(1, 10)])) if row.minor else None
    if minor is not None:
        version += f"{row.minor}{minor}"
    name = row.spelled.format(line=line, version=version) + data.draw(st.sampled_from(row.ends))
    host = data.draw(st.sampled_from(HOSTS))
    wire = dragoman.wire(host)
    assert wire.can(name) == wire.can(row.known), (name, host)


def test_the_newest_known_are_not_told_apart_from_their_line_alone() -> None:
    """What is compared is known: there is a fact for it, of its maker or of its family."""
    known = {
        line: dragoman.wire("openai-chat").list_facts(row.known) for line, row in LINES.items()
    }
    assert [line for line, facts in known.items() if not facts] == []
