"""What a door has no place for is refused with a word of what to do, not dropped."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, ConfigError, Msg, Tagged, Tool
from dragoman.formatter import AnthropicChatFormatter, OpenAIMultiAgentFormatter
from dragoman.history import ByName, SystemPrompt
from dragoman.message import ChatResponse, Usage

MSGS = [Msg.user("Hi")]
ANSWER = {"choices": [{"message": {"role": "assistant", "content": "Hello."}}]}


@pytest.mark.parametrize("kwargs", [{"tools": [Tool("now")]}, {"stream": True}, {"model": "m"},
                                    {"temperature": 1}])  # fmt: skip
def test_a_list_of_messages_has_no_options(kwargs: dict[str, Any]) -> None:
    for formatter in (dragoman.Formatter("openai"), AnthropicChatFormatter()):
        with pytest.raises(ConfigError, match="format_request"):
            formatter.format_sync(MSGS, **kwargs)
        with pytest.raises(ConfigError, match="call"):
            formatter.format(MSGS, **kwargs).send(None)
    assert dragoman.Formatter("openai").format_sync(MSGS, some_hint=1)


@pytest.mark.parametrize("given", [{"request": MSGS[0]}, {"request": {"model": "m"}},
                                   {"tools": ChatRequest(MSGS)}])  # fmt: skip
def test_an_answer_belongs_to_a_request_and_tools(given: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="request"):
        dragoman.Formatter("openai").parse_response(ANSWER, **given)
    with pytest.raises(ConfigError, match=r"request|tools"):
        dragoman.wire("openai").read_response(ANSWER, **given)


def test_the_second_argument_of_parse_response_is_no_request() -> None:
    wrong: Any = ChatRequest(MSGS)
    with pytest.raises(ConfigError, match="tools"):
        dragoman.Formatter("openai").parse_response(ANSWER, wrong)


def test_a_wire_reads_no_answer_of_a_message() -> None:
    wrong: Any = MSGS[0]
    with pytest.raises(ConfigError, match=r"request|tools"):
        dragoman.wire("openai").read_response(ANSWER, wrong)


def test_when_tools_are_described_is_one_of_three_words() -> None:
    wrong: Any = "alway"
    with pytest.raises(ConfigError, match="always"):
        SystemPrompt(describe_tools=wrong)


@pytest.mark.parametrize(("speakers", "text"), [
    (ByName(me="Friday"), "Friday: Hello."), (ByName(me="Friday"), "  Friday:Hello."),
    (Tagged(me="Friday"), "[Friday]: Hello."),
])  # fmt: skip
def test_an_answer_drops_the_speakers_own_tag(speakers: Any, text: str) -> None:
    answer = {"choices": [{"message": {"role": "assistant", "content": text}}]}
    msg = dragoman.Formatter("openai", speakers=speakers).parse_response(answer)
    assert (msg.name, msg.get_text_content()) == ("Friday", "Hello.")


def test_citations_move_with_the_text_whose_tag_was_dropped() -> None:
    mark = {"start_index": 8, "end_index": 13, "url": "https://example.com", "title": "E"}
    message = {"role": "assistant", "content": "Friday: Hello.",
               "annotations": [{"type": "url_citation", "url_citation": mark}]}  # fmt: skip
    formatter = dragoman.Formatter("openai", speakers=ByName(me="Friday"))
    [block] = formatter.parse_response({"choices": [{"message": message}]}).get_content_blocks()
    assert [block.text[c.start : c.end] for c in block.citations] == ["Hello"]


def test_anothers_tag_stays() -> None:
    answer = {"choices": [{"message": {"role": "assistant", "content": "Bob: Hello."}}]}
    for formatter in (dragoman.Formatter("openai", speakers=ByName(me="Friday")),
                      OpenAIMultiAgentFormatter(), dragoman.Formatter("openai")):  # fmt: skip
        assert formatter.parse_response(answer).get_text_content() == "Bob: Hello."


def test_usages_add_up() -> None:
    one, two = Usage(input=3, output=1), Usage(input=4, reasoning=2)
    assert one + two == sum([one, two]) == Usage(input=7, output=1, reasoning=2)
    assert one == Usage(input=3, output=1)
    with pytest.raises(TypeError):
        one + 1  # type: ignore[operator]
    assert ChatResponse([]).usage + one == one
