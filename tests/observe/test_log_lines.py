"""The log of events: what is at which level, and nothing twice."""

from __future__ import annotations

import logging

import pytest

from dragoman import observe
from tests.observe.worlds import agent, counted, limited, model

OTHER = "anthropic/claude-opus-5-5"


def lines(caplog: pytest.LogCaptureFixture, level: int) -> list[tuple[str, str]]:
    """The lines of this level: (logger, text)."""
    return [(one.name, one.getMessage()) for one in caplog.records if one.levelno == level]


def test_another_model_that_answered_is_one_line(caplog: pytest.LogCaptureFixture) -> None:
    """What the library logs in any case is logged once: the retry and the change itself."""
    with caplog.at_level(logging.INFO), observe.log_events():
        model(limited(), limited(), fallbacks=model("In France.", name=OTHER)).ask("Where?")
        list(model(limited(), limited(), fallbacks=model("Yes.", name=OTHER)).stream("Where?"))
        model(limited(), "In France.").ask("Where?")
    found = lines(caplog, logging.INFO)
    said = "claude-opus-5-5 answered in place of openai/gpt-5.6"
    assert found.count(("dragoman.observe", said)) == 2
    texts = [text for name, text in found if name == "dragoman.llm"]
    assert [text.split(",")[0] for text in texts] == [
        *["openai failed (rate_limit", "openai/gpt-5.6 failed (rate_limit)"] * 2,
        "openai failed (rate_limit",
    ]


def test_each_attempt_is_a_line_of_debug(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "dragoman.observe"), observe.log_events():
        model(limited(), counted("In France.")).ask("Where?")
        agent(model("Yes.")).run("Is it?")
    texts = [text for name, text in lines(caplog, logging.DEBUG) if name == "dragoman.observe"]
    rest = [text.partition(": ")[2] for text in texts]
    assert rest[:3] == [
        "written for gpt-5.6, losses: 0",
        "attempt 1 at gpt-5.6",
        "attempt 2 at gpt-5.6",
    ]
    assert rest[3].startswith("stop after 0.")
    assert rest[3].endswith("tokens (input/cached/output): 3/?/4")
    assert rest[4:7] == ["openai/gpt-5.6 ended", "Friday begins", "reasoning begins"]
    assert rest[-2:] == ["reasoning ended", "Friday ended"]


def test_a_log_of_the_program(caplog: pytest.LogCaptureFixture) -> None:
    mine = logging.getLogger("mine")
    with caplog.at_level(logging.DEBUG, "mine"), observe.log_events(mine):
        model("Yes.").ask("Is it?")
    assert {name for name, _ in lines(caplog, logging.DEBUG)} == {"mine"}
