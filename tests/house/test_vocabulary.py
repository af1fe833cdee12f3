"""Who may be named where, comments and strings included.

A room knows its protocol, no vendor without a room and no other room's; the tree and the passes
know none of them.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dragoman.vendors import PROTOCOLS as REGISTERED
from dragoman.vendors import VENDORS as ROWS

from .sources import PACKAGE

# The vendors whose protocol a room is: named there and in no other room.
OWNERS = {
    "openai_chat": "openai", "openai_responses": "openai", "anthropic": "anthropic",
    "gemini": "gemini", "gemini_interactions": "gemini", "dashscope": "dashscope",
    "ollama": "ollama", "bedrock": "bedrock", "mistral": "mistral", "cohere": "cohere",
}  # fmt: skip

# Names that stand for nothing else are found inside longer words; short ones by themselves only.
SHORT_VENDORS = ("glm", "grok", "xai", "zai", "ark", r"x\.ai", r"z\.ai", r"together\.ai",
                 r"(?:(?<=[\"'])|^)(?:together|meta)(?=[\"']|$)")  # fmt: skip
_ALONE = rf"(?<![a-z])(?:{'|'.join(SHORT_VENDORS)})(?![a-z])"
# beside the vendors of the registry: their brands, and others' names
VENDORS = (
    "kimi", "chatglm", "bigmodel", "doubao", "litellm", "modelscope", "mantle", "vercel",
    *(name for name in ROWS if name not in OWNERS.values() and not re.fullmatch(_ALONE, name)),
)  # fmt: skip
PROTOCOLS = (
    "openai", "anthropic", "claude", "gemini", "dashscope", "qwen", "ollama", "bedrock", "mistral",
    "cohere",
)  # fmt: skip

VENDOR = re.compile("|".join((*VENDORS, _ALONE)), re.IGNORECASE)
ANYBODY = re.compile("|".join((*VENDORS, *PROTOCOLS, _ALONE)), re.IGNORECASE)

NEUTRAL = ("message", "history")


def named(path: Path, names: re.Pattern[str]) -> list[str]:
    """Every place under a file or folder where one of the names stands, as `path:line: name`."""
    assert path.exists(), f"{path} has moved; this rule must follow it"
    files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if _is_text(p))
    assert files, f"nothing to read in {path}"
    return [
        f"{file.relative_to(path.parent)}:{number}: {found[0]}"
        for file in files
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1)
        for found in names.finditer(line)
    ]


def _is_text(path: Path) -> bool:
    return path.is_file() and "__pycache__" not in path.parts


def test_no_room_names_a_vendor_without_a_room() -> None:
    assert named(PACKAGE / "protocols", VENDOR) == []


def others(room: str) -> re.Pattern[str]:
    """The owners of other rooms; the id of a model (`anthropic.claude-...`) names no vendor."""
    names = sorted({*OWNERS.values()} - {OWNERS[room]})
    return re.compile(rf"(?:{'|'.join(names)})(?!\.[a-z])", re.IGNORECASE)


@pytest.mark.parametrize("room", OWNERS)
def test_a_room_names_the_owner_of_no_other_room(room: str) -> None:
    assert named(PACKAGE / "protocols" / room, others(room)) == []


def test_every_room_is_under_the_rule() -> None:
    assert {folder for folder, _ in REGISTERED.values()} == set(OWNERS)
    assert [name for name in OWNERS.values() if VENDOR.search(name)] == []


@pytest.mark.parametrize("place", NEUTRAL)
def test_the_tree_and_the_passes_name_nobody(place: str) -> None:
    assert named(PACKAGE / place, ANYBODY) == []


@pytest.mark.parametrize(
    "line",
    [
        "# as DeepSeek does",
        "class VLLMDialect: ...",
        'AZURE = ""',
        "x = kimi_k2",
        "# GLM-5",
        "xai=1",
        "# Claude on Vertex AI",
        "MOONSHOT",
        '"z.ai"',
    ],
)
def test_a_vendor_in_a_room_is_named(tmp_path: Path, line: str) -> None:
    room = tmp_path / "protocols" / "openai_chat"
    room.mkdir(parents=True)
    (room / "writer.py").write_text(f'"""OpenAI\'s chat."""\n{line}\n', "utf-8")
    [found] = named(tmp_path / "protocols", VENDOR)
    assert found.startswith("protocols/openai_chat/writer.py:2: ")


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("# like OpenAI's", 1),
        ("# as Bedrock does", 1),
        ("x = 'mistral'", 1),
        ('model = "us.anthropic.claude-x"', 0),
        ("# Gemini itself", 0),
    ],
)
def test_another_rooms_owner_is_named(tmp_path: Path, line: str, found: int) -> None:
    (tmp_path / "writer.py").write_text(f"{line}\n")
    assert len(named(tmp_path, others("gemini"))) == found


@pytest.mark.parametrize("line", ["# OpenAI", "claude = 1", 'x = "qwen3"', "# on Azure"])
def test_a_protocol_in_a_pass_is_named(tmp_path: Path, line: str) -> None:
    (tmp_path / "fit.py").write_text(f"{line}\n", "utf-8")
    assert len(named(tmp_path / "fit.py", ANYBODY)) == 1


def test_ordinary_words_are_let_through(tmp_path: Path) -> None:
    (tmp_path / "fit.py").write_text("# dark marks: a taxai is no vendor, nor is together\n")
    assert named(tmp_path / "fit.py", ANYBODY) == []


def test_a_rule_about_a_place_that_is_gone_fails(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="has moved"):
        named(tmp_path / "fit.py", ANYBODY)
