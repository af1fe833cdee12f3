"""A new kind of block is a new question: the type checker names every place that must answer.

Adding a block to the real union is done the same way: add it, run mypy, answer where it points.
"""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from .exhaustive import copy, plant, unanswered
from .sources import PACKAGE

PLACES = (
    "analysis/sameness.py",
    "history/passes/lower/blocks.py",
    "history/transcript.py",
    "page/chat.py",
    "protocols/anthropic/blocks.py",
    "protocols/bedrock/blocks.py",
    "protocols/cohere/blocks.py",
    "protocols/dashscope/messages.py",
    "protocols/gemini/messages.py",
    "protocols/gemini_interactions/messages.py",
    "protocols/mistral/blocks.py",
    "protocols/ollama/messages.py",
    "protocols/openai_chat/blocks.py",
    "protocols/openai_responses/messages.py",
)

BLOCKS = """
from dataclasses import dataclass
from typing import Literal, TypeAlias, final


@final
@dataclass(slots=True)
class TextBlock:
    text: str
    type: Literal["text"] = "text"


@final
@dataclass(slots=True)
class ImageBlock:
    url: str
    type: Literal["image"] = "image"


ContentBlock: TypeAlias = TextBlock | ImageBlock
"""
ANSWERS = """
from typing import assert_never

from .message.blocks import ContentBlock, ImageBlock, TextBlock


def say(block: ContentBlock) -> str:
    match block:
        case TextBlock():
            return block.text
        case ImageBlock():
            return block.url
        case _:
            assert_never(block)
"""
FILTERS = """
from .message.blocks import ContentBlock, TextBlock


def say(block: ContentBlock) -> str:
    return block.text if isinstance(block, TextBlock) else ""
"""


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    package = tmp_path / "toy"
    (package / "message").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "message" / "__init__.py").touch()
    (package / "message" / "blocks.py").write_text(BLOCKS)
    (package / "answers.py").write_text(ANSWERS)
    (package / "filters.py").write_text(FILTERS)
    return package


def test_the_type_checker_names_every_place_that_must_answer(tmp_path: Path) -> None:
    package = copy(PACKAGE, tmp_path)
    plant(package)
    found = unanswered(package)
    silent = sorted(set(PLACES) - set(found))
    assert silent == [], "these would let a new block fall through; end them in assert_never"
    unlisted = sorted(set(found) - set(PLACES))
    assert unlisted == [], "these answer too: add them to PLACES"


def test_a_place_that_filters_is_not_named(toy: Path) -> None:
    assert unanswered(toy) == {}
    plant(toy)
    found = unanswered(toy)
    assert set(found) == {"answers.py"}
    assert "assert_never" in found["answers.py"][0]


@pytest.mark.parametrize(
    "union",
    [
        "ContentBlock = TextBlock | ImageBlock",
        "ContentBlock: TypeAlias = (\n    TextBlock\n    | ImageBlock\n)",
    ],
)
def test_a_union_in_any_spelling_is_extended(toy: Path, union: str) -> None:
    blocks = toy / "message" / "blocks.py"
    blocks.write_text(BLOCKS.replace("ContentBlock: TypeAlias = TextBlock | ImageBlock", union))
    plant(toy)
    names: dict[str, object] = {}
    exec(compile(blocks.read_text(), str(blocks), "exec"), names)
    assert [member.__name__ for member in get_args(names["ContentBlock"])] == [
        "TextBlock", "ImageBlock", "PlantedBlock",
    ]  # fmt: skip
    planted = names["PlantedBlock"]
    assert callable(planted)
    assert planted().type == "planted"


def test_a_package_without_the_union_is_an_error(toy: Path) -> None:
    (toy / "message" / "blocks.py").write_text("ContentBlock = list[str]\n")
    with pytest.raises(AssertionError, match="no union of class names"):
        plant(toy)
