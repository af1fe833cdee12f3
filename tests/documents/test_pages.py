"""Documents 000 and 004 point to a page on messages and one on models; each is in both languages.

That their examples run and print what they say is tested with all other pages, in tests/docs.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dragoman.message.blocks import BLOCKS
from dragoman.message.msg import ROLES
from dragoman.vendors import PROTOCOLS, VENDORS
from tests.docs.pages import FOLDERS, blocks, plain, rows
from tests.docs.test_examples import played

LANGUAGES = ("en", "zh")
PAGES = ("message-system", "models")
RETOLD = (
    "coming-from-agentscope-java", "coming-from-agents-flex", "why-two-classes", "tutorial",
    "quickstart", "security", "coming-from-litellm",
    "coming-from-langchain", "coming-from-agentscope",
)  # fmt: skip
CHINESE = re.compile(r"[\u4e00-\u9fff]")


def page(language: str, name: str) -> str:
    return (FOLDERS[language] / f"{name}.md").read_text("utf-8")


@pytest.mark.demand("S73")
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_explains_messages_and_all_their_blocks(language: str) -> None:
    text = page(language, "message-system")
    words = {"Msg", *ROLES, *(block.__name__ for block in BLOCKS.values())}
    assert [word for word in sorted(words) if f"`{word}" not in text] == []
    assert "(models.md)" in text


@pytest.mark.demand("S73")
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_explains_how_models_are_reached(language: str) -> None:
    text = page(language, "models")
    words = {*PROTOCOLS, *VENDORS}
    assert [word for word in sorted(words) if f"`{word}" not in text] == []


@pytest.mark.demand("S73")
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_on_formatters_points_to_both_at_its_end(language: str) -> None:
    """As the documents do: Message System Architecture and Model Integration."""
    last = page(language, "coming-from-agentscope-java").rpartition("\n## ")[2]
    assert [name for name in PAGES if f"]({name}.md)" not in last] == []
    assert [name for name in PAGES if not (FOLDERS[language] / f"{name}.md").exists()] == []


def shape(text: str) -> tuple[list[str], list[str], int]:
    """Headings by depth, blocks by kind, and rows of tables."""
    depths = re.findall(r"(?m)^(#+) ", plain(text))
    return depths, [block.info for block in blocks(text)], len(rows(text))


@pytest.mark.demand("S207")
@pytest.mark.parametrize(
    ("language", "advice"),
    [
        ("en", "For OpenAI-compatible models the default serializer is enough"),
        ("zh", "对于兼容 OpenAI 的模型，默认的序列化器就够了"),
    ],
)
def test_users_are_told_that_the_default_serializer_is_enough(language: str, advice: str) -> None:
    head = page(language, "coming-from-agents-flex").partition("\n## ")[0]
    assert advice in head


# what each section of document 001's tutorial, and of the pages it points to, uses
STEPS = (
    "Msg(", ".format(", "ChatFormatter", "MultiAgentFormatter", "TokenCounter", ".count(",
    "max_tokens=", "_format_agent_message", "ChatModel(", "parse_response(",
)  # fmt: skip


@pytest.mark.demand("S140")
@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_tutorial_runs_step_by_step_and_prints_what_it_says(
    language: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    text = page(language, "tutorial")
    run = "".join(block.text for block in blocks(text) if block.info == "python")
    assert [step for step in STEPS if step not in run] == []
    assert played("tutorial", text, capsys) == []
    last = text.rpartition("\n## ")[2]  # the document's pages to read next: token counting, models
    assert [name for name in ("histories.md#", "models.md") if f"]({name}" not in last] == []


# the questions of document 002, and how each answer begins
ANSWERS = [
    pytest.param(
        {"en": "# Why two classes?\n\nWhy formatter and model are separate classes",
         "zh": "# 为什么要两个类？\n\n格式化器和模型为什么是两个类"},
        id="title", marks=pytest.mark.demand("S156"),
    ),
    pytest.param(
        {"en": "- There is one more idea to learn. In return, a formatter can be tested without a network",
         "zh": "- 多一个概念要学。换来的是：格式化器不用网络就能测试"},
        id="one more idea", marks=pytest.mark.demand("S156"),
    ),
    pytest.param(
        {"en": "**Is one interface for everything simpler?** For a program that sends text and reads"
               " text it is: one function, one format",
         "zh": "**一个接口适配所有，是不是更简单？** 对只收发文本的程序是的：一个函数，一种格式"},
        id="simpler", marks=pytest.mark.demand("S162"),
    ),
    pytest.param(
        {"en": "You need the format itself to test it without a network",
         "zh": "就需要看见格式本身"},
        id="when", marks=pytest.mark.demand("S162"),
    ),
    pytest.param(
        {"en": "**Would formatters matter if every API copied OpenAI's?** Yes, though less.",
         "zh": "**如果所有接口都照搬 OpenAI，格式化器还有必要吗？** 有，只是少一些。"},
        id="alike", marks=pytest.mark.demand("S163"),
    ),
]  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("answers", ANSWERS)
def test_a_page_answers_what_document_002_asks(answers: dict[str, str], language: str) -> None:
    assert answers[language] in page(language, "why-two-classes")


@pytest.mark.demand("S157")
@pytest.mark.parametrize(
    ("language", "apart", "together"),
    [
        ("en", "separate: a formatter and a model",
         ("together: a class for each provider", "together: one function for all of them",
          "together: a class for each model")),
        ("zh", "分开：格式化器和模型",
         ("合并：每个提供方一个类", "合并：一个函数适配所有", "合并：每种模型一个类")),
    ],
)  # fmt: skip
def test_a_page_compares_how_others_cut_it(
    language: str, apart: str, together: tuple[str, ...]
) -> None:
    cut = {row[0]: row[1] for row in rows(page(language, "why-two-classes"))}
    libraries = ("AgentScope", "LangChain", "LiteLLM", "AutoGen")
    assert [cut[name] for name in libraries] == [apart, *together]


@pytest.mark.demand("S74")
@pytest.mark.parametrize("name", [*PAGES, *RETOLD])
def test_each_page_says_the_same_in_both_languages(name: str) -> None:
    english, chinese = page("en", name), page("zh", name)
    assert shape(english) == shape(chinese)
    assert len(CHINESE.findall(plain(english))) < 10
    words = len(re.sub(r"`[^`]*`", "", plain(english)))
    assert len(CHINESE.findall(plain(chinese))) > words / 10
