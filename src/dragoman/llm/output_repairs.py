"""How often typed output that does not fit its type is asked for again: `repairs`.

`LLM` and `ReActAgent` share the default, the check of the number, and `ask_again`, which counts. An
`LLM` asks in `read_answer`; an agent adds the request to its conversation (`agent/agent.py`). What
the model is told is `repair_messages` in `structured_output.py`.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import Any

from ..errors import ConfigError, InvalidOutput
from ..message import ChatResponse, Msg, Usage, Written
from ..message.answer import join_usages
from ..model.answer import Answer
from ..model.received import Received
from ..structured_output import repair_messages
from ..text.redaction import show
from .question import Attempt, Question
from .targets import ModelTarget

DEFAULT_REPAIRS = 0  # each one is another call that costs


def check_repairs(value: Any) -> int:
    """Return how often an answer may be asked for again, as the program set it.

    Args:
        value: The number.

    Returns:
        The same number.

    Raises:
        ConfigError: It is no number, or negative.
    """
    if type(value) is not int or value < 0:
        text = f"repairs must be 0 or more, not {show(value)}"
        raise ConfigError(text, path="$.repairs", code="llm.repairs")
    return value


def ask_again(response: ChatResponse | None, error: InvalidOutput, remaining: int) -> list[Msg]:
    """Return the messages that ask for an answer once more.

    Args:
        response: The answer that did not fit; None if there is none.
        error: What is wrong with it.
        remaining: How often it may still be asked for.

    Returns:
        The answer as a text, if it has content, and the request for a new one.

    Raises:
        InvalidOutput: `error`, if it may be asked for no more, or nothing was answered.
    """
    if response is None or remaining <= 0:
        raise error
    return repair_messages(response, error)


def read_answer(
    target: ModelTarget, out: Written, question: Question
) -> Generator[Attempt, Received, Answer[Any]]:
    """Yield what is to be sent to one model until its answer fits the type.

    Args:
        target: The model.
        out: The request as it was written for it.
        question: The question, with the number of repairs.

    Returns:
        The answer, with the usages of all attempts.

    Raises:
        InvalidOutput: The last answer does not fit either.
    """
    usages: list[Usage] = []
    request = question.request
    follows = question.follow_pauses
    if follows is None:
        follows = target.model.follow_pauses
    for remaining in range(question.repairs, -1, -1):
        received = yield Attempt(target, out, question.allow_partial, follows)
        resp = received.response
        target.formatter.name_answer(resp, out)
        usages += received.usages or [resp.usage]
        try:
            answer = target.answer(out, resp, request, question.structured, received.raw)
        except InvalidOutput as error:
            more = ask_again(resp, error, remaining)
            request = replace(request, messages=[*request.messages, *more])
            if question.operation is not None:
                question.operation.request = request
            out = target.write(request, question.structured, question.way)
            continue
        if len(usages) > 1:
            answer.usage, answer.usages = join_usages(usages), tuple(usages)
        return answer
    raise AssertionError("the last attempt returns or raises")
