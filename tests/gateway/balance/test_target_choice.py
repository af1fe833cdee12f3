"""Where a request goes after a failure: to other targets, then to the fallbacks for such errors."""

from __future__ import annotations

import gc

from dragoman.errors import ContextOverflow, DragomanError, ProviderError, WriteError
from dragoman.gateway.balance.balancer import Balancer
from dragoman.gateway.balance.target_choice import TargetChoice
from dragoman.gateway.config.config_values import Route, Target
from tests.each_case import each_case
from tests.gateway.balance.test_balancer import place

BUSY = ProviderError("not now", status=529, type="overloaded_error")
LONG = ProviderError("too long", status=400, code="context_length_exceeded")
FILTERED = ProviderError("no", status=400, code="content_filter")
OWN = ContextOverflow(2, 1, 1)
WRONG = ProviderError("what?", status=400, type="invalid_request_error")
UNWRITTEN = WriteError("this target takes no video")

ROUTE = Route(
    Target("openai/a"),
    alternatives=(Target("openai/b"),),
    fallbacks=(
        Target("openai/large", on=("context_overflow",)),
        Target("openai/bold", on=("content_filter", "overloaded")),
        Target("openai/any"),
    ),
)


def after(*errors: DragomanError) -> list[int]:
    """The targets that are asked, one after each of the errors."""
    choice = TargetChoice(ROUTE, Balancer(ROUTE), "m", place)
    asked, has_failed = [choice.number], False
    for error in errors:
        has_failed = has_failed or isinstance(error, ProviderError)
        if not choice.find_next(error, has_failed):
            break
        asked.append(choice.number)
    return asked


@each_case(
    ("errors", "asked"),
    [
        ((BUSY, BUSY, BUSY, BUSY), [0, 1, 3, 4]),
        ((LONG, LONG, LONG), [0, 1, 2, 4]),
        ((BUSY, LONG, LONG), [0, 1, 2, 4]),
        ((FILTERED, FILTERED, FILTERED), [0, 1, 3, 4]),
        ((WRONG,), [0]),
        ((BUSY, WRONG), [0, 1]),
        ((OWN,), [0, 2]),
        ((UNWRITTEN,), [0]),
        ((BUSY, UNWRITTEN, UNWRITTEN), [0, 1, 2, 3]),
    ],
    ids=str,
)
def test_who_is_asked_after_an_error(errors: list[DragomanError], asked: list[int]) -> None:
    assert after(*errors) == asked


def test_without_others_there_is_one_target_and_nothing_is_counted() -> None:
    choice = TargetChoice(Route(Target("openai/a")), None, "m", place)
    choice.begin()
    choice.note_answer()
    choice.note_failure(BUSY)
    choice.end()
    assert (choice.number, choice.find_next(BUSY, True)) == (0, False)


def test_a_request_that_is_dropped_is_no_longer_under_way() -> None:
    balancer = Balancer(ROUTE)
    choice = TargetChoice(ROUTE, balancer, "m", place)
    choice.begin()
    choice.begin()  # once more, after a lost connection
    assert [one.under_way for one in balancer.health] == [1, 0]
    del choice
    gc.collect()
    assert [one.under_way for one in balancer.health] == [0, 0]
