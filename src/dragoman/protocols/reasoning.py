"""How much thinking a request asks for, in what the model takes: an effort, a budget, or off.

Compares the options with the capabilities once for all protocols, which only write the result.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product

from ..capabilities import Capabilities
from ..errors import WriteError
from ..history.passes.survey import ASSISTANT, RoledHistory
from ..losses import Report
from ..message import ChatRequest, Options, ThinkingBlock, Tool
from ..text.json_text import JsonObject, field_at, put_field, take_field

_OFF = ("off", "none")


# From least to most; what a model lacks is raised to the next one that it has.
_EFFORTS = ("minimal", "low", "medium", "high", "xhigh", "max", "ultra")


# Gemini API docs, "OpenAI compatibility": what an effort is worth in tokens. More than high is the
# most that the model takes.
_TOKENS = {"minimal": 1024, "low": 1024, "medium": 8192, "high": 24576}
_MOST = 32768


USUAL_BUDGET = 8192  # tokens for a model that takes a budget alone, where none is named
_LEAST_BUDGET = 1024
_BY_BUDGET = ("budget", "claude-budget")  # forms in which an effort is spelled as a budget


# the most of the maximum that thinking may take, so that tokens are left for the answer itself; a
# router that turns efforts into budgets for Claude takes the same share for high
_SHARE = 0.8


# every state that a request can be in, made once: (a stream, it thinks, by a budget, has tools)
_STATES: dict[tuple[bool, ...], frozenset[str]] = {
    (stream, on, budget, tools): frozenset(
        {"stream" if stream else "whole", "thinking" if on else "still"}
        | ({"budget"} if budget else set())
        | ({"tools"} if tools else set())
    )
    for stream, on, budget, tools in product((False, True), repeat=4)
}


@dataclass(frozen=True, slots=True)
class ThinkingRequest:
    """What is asked of a model that can be asked: off, or on with an effort or a budget, or on."""

    off: bool = False
    effort: str | None = None
    budget: int | None = None


def states(request: ChatRequest, caps: Capabilities) -> frozenset[str]:
    """The states of a request that facts may ask for."""
    on = _thinks(request, caps)
    budget = on and caps.budgets and (request.options.reasoning_budget or 0) > 0
    return _STATES[request.stream, on, bool(budget), bool(request.tools)]


def _thinks(request: ChatRequest, caps: Capabilities) -> bool:
    """Whether the model thinks over this request, as far as its options say."""
    effort, budget = request.options.reasoning, request.options.reasoning_budget
    if caps.thinks == "never":
        return False
    if effort in _OFF or (effort is None and budget == 0):
        return caps.thinks == "always"
    if caps.thinks != "always" and _is_barred(request, caps, effort, budget):
        return False  # it is asked to be still for the sake of its tools
    if caps.budget_in_maximum and _unfit_budget(request, caps):
        return False  # no budget is sent
    return effort is not None or budget is not None or caps.thinks in ("default", "always")


def _unfit_budget(request: ChatRequest, caps: Capabilities) -> bool:
    """Whether thinking is asked for by a budget for which maximum or history leave no place."""
    options = request.options
    effort, budget = options.reasoning, options.reasoning_budget
    if effort is None and budget is None:
        return False
    by_number = budget is not None and budget > 0
    if not by_number and caps.form not in _BY_BUDGET:
        return False
    if budget is None or budget < 0:
        budget = USUAL_BUDGET
    return fitting_budget(budget, options.max_tokens, options) is None or _resumes_unthinking(
        request, caps
    )


def _resumes_unthinking(request: ChatRequest, caps: Capabilities) -> bool:
    """Whether the assistant's last turn calls tools, and no thinking of this provider began it.

    The passes see to the rest; `barred_by_history` asks what they leave.
    """
    msgs = request.messages
    last = next((i for i in reversed(range(len(msgs))) if msgs[i].role == "assistant"), None)
    if last is None or not msgs[last].calls:
        return False
    while last and msgs[last - 1].role == "assistant":
        last -= 1
    blocks = msgs[last].blocks
    first = blocks[0] if blocks else None
    if type(first) is not ThinkingBlock:
        return True
    issuers = caps.signatures or caps.reads
    foreign = first.origin is not None and first.origin.issuer not in issuers
    return foreign or not (first.signature or first.redacted)


def resolve_thinking(
    request: ChatRequest,
    caps: Capabilities,
    report: Report,
    budgets: bool = True,
    levels: tuple[str, ...] = (),
) -> ThinkingRequest | None:
    """What to write about thinking; None if nothing is to be written.

    `budgets` and `levels`: whether the wire has a field for them, and its words for an effort (any
    word, if there are none), whatever the model takes elsewhere. Raises WriteError where a model
    that always thinks cannot answer such a request: `tools.need_responses` (no tools beside
    thinking), `stream.needed` (no thinking but in streams).
    """
    options = request.options
    effort: str | None = options.reasoning
    budget = options.reasoning_budget
    if budget == 0 and effort is None:
        effort, budget = "off", None
    if _is_barred(request, caps, effort, budget):
        return _turned_off(request, caps, report, "reasoning.off_for_tools")
    if caps.streamed_thinking and not request.stream and _thinks(request, caps):
        return _turned_off(request, caps, report, "reasoning.needs_stream")
    if effort is None and budget is None:
        return None
    if caps.budgets and not budgets:
        caps = replace(caps, budgets=())
    if levels and (caps.efforts or not caps.budgets):
        supported = tuple(level for level in caps.efforts if level in (*levels, "on"))
        caps = replace(caps, efforts=supported or levels)
    if effort in _OFF:
        return _off(request, caps, report)
    if caps.thinks == "never":
        report_unsupported(request, report, "option.refused")
        return None
    effort, budget = _one(options, caps, report)
    if budget is not None:
        return _budget(request, budget, caps, report)
    assert effort is not None  # nothing asked was answered above
    return _effort(request, effort, caps, report)


def _one(options: Options, caps: Capabilities, report: Report) -> tuple[str | None, int | None]:
    """(effort, budget), of which one is None: no wire takes both."""
    effort, budget = options.reasoning, options.reasoning_budget
    if effort is None or budget is None:
        return effort, budget
    if effort in ("auto", "on"):
        return None, budget  # the budget is more exact
    name = "reasoning" if caps.budgets else "reasoning_budget"
    report.lost("option.unsaid", options, name, what=name, did="one of two is sent")
    return (None, budget) if caps.budgets else (effort, None)


def choose_display(
    request: ChatRequest, words: Mapping[str, str], thinks: bool, report: Report
) -> str:
    """How much of the thinking shall be shown, in the wire's word; empty if nothing is to be said.

    `words`: the neutral words that the wire has, each with its own; an empty one needs no saying.
    """
    options = request.options
    wish = options.thoughts
    if wish is None:
        return ""
    if not thinks:
        report.lost("reasoning.moot", options, "thoughts", what="thoughts", did="no thinking")
        return ""
    word = words.get(wish)
    if word is None:
        report.lost("option.unsaid", options, "thoughts", what=wish)
    elif not word:
        report.lost("reasoning.moot", options, "thoughts", what=wish)
    elif wish != "auto" and (meant := _nearest(wish, word, words)) != wish:
        report.lost("option.range", options, "thoughts", what=wish, did=f"sent as {meant}")
    return word or ""


def _nearest(wish: str, word: str, words: Mapping[str, str]) -> str:
    """The neutral word that the wire's word says: `auto` where that says the same, else the wish.

    Notes on the way (`updates`) are a word of their own or none: elsewhere what shows little.
    """
    if word == words.get("auto"):
        return "auto"
    return "concise" if wish == "updates" and word == words.get("concise") else wish


def moot(request: ChatRequest, report: Report) -> None:
    """Report options of thinking that need no field, for the model does so unasked."""
    options = request.options
    if options.reasoning in (*_OFF, "auto", "on"):  # what asks for more is named by who lowers it
        report.lost("reasoning.moot", options, "reasoning")
    if options.reasoning_budget is not None and options.reasoning_budget <= 0:
        report.lost("reasoning.moot", options, "reasoning_budget")


def report_unsupported(request: ChatRequest, report: Report, code: str = "option.unsaid") -> None:
    """Report options of thinking for which this wire has no field, or which the model refuses."""
    options = request.options
    for name in ("reasoning", "reasoning_budget"):
        if getattr(options, name) is not None:
            report.lost(code, options, name, what=name)


def needs_other_wire(request: ChatRequest, caps: Capabilities) -> bool:
    """Whether this wire takes the request's tools only without the thinking that it would have.

    So it is with GPT-5.6 and later on Chat Completions, where Responses takes both.
    """
    options = request.options
    if not request.tools or caps.tools_with_thinking == "yes" or caps.thinks == "never":
        return False
    return _is_barred(request, caps, options.reasoning, options.reasoning_budget)


def _is_barred(
    request: ChatRequest, caps: Capabilities, effort: str | None, budget: int | None
) -> bool:
    """Whether thinking as asked for stands in the way of the request's tools."""
    functions = (
        tool
        for tool in request.tools
        if type(tool) is Tool and not (tool.freeform and caps.freeform_tools)
    )
    if not (caps.tools and any(functions)):
        return False
    if caps.tools_with_thinking == "yes" or effort in _OFF:
        return False
    if effort is not None or budget is not None:
        return True
    return caps.tools_with_thinking == "no" and caps.thinks in ("default", "always")


# why thinking is turned off: the loss -> (what is sent, the code of the error where the model
# always thinks, its path, its message, its hint)
_REASONS = {
    "reasoning.off_for_tools": (
        "none",
        "tools.need_responses",
        "$.tools",
        "on this wire the model takes tools only without reasoning, and it always reasons",
        "send the request over the wire openai-responses",
    ),
    "reasoning.needs_stream": (
        "off",
        "stream.needed",
        "$.stream",
        "the model always thinks, and thinks in streams only",
        "ask for a stream: ChatRequest(..., stream=True)",
    ),
}


def _turned_off(
    request: ChatRequest, caps: Capabilities, report: Report, loss: str
) -> ThinkingRequest:
    did, code, path, message, hint = _REASONS[loss]
    if caps.thinks == "always":
        raise WriteError(message, path=path, hint=hint, code=code)
    options = request.options
    wanted = {"reasoning": options.reasoning, "reasoning_budget": options.reasoning_budget}
    given = {name: str(value) for name, value in wanted.items() if value is not None}
    for name, value in given.items():
        report.lost(loss, options, name, what=value, did=did)
    if not given:  # nobody asked for thinking
        report.lost(loss, request, what="the model's own thinking", did=did, kind="expected")
    return ThinkingRequest(off=True)


def _off(request: ChatRequest, caps: Capabilities, report: Report) -> ThinkingRequest | None:
    options = request.options
    if options.reasoning_budget:
        report.lost("option.unsaid", options, "reasoning_budget", did="thinking is off")
    if caps.thinks == "never":
        moot(request, report)
        return None
    if caps.thinks != "always":
        return ThinkingRequest(off=True)
    fallback, did = None, "left to the model"
    if caps.efforts and caps.efforts != ("on",):
        fallback, did = ThinkingRequest(effort=caps.efforts[0]), f"sent as {caps.efforts[0]}"
    elif caps.budgets:
        fallback, did = ThinkingRequest(budget=caps.budgets[0]), f"sent as {caps.budgets[0]} tokens"
    name = "reasoning" if options.reasoning is not None else "reasoning_budget"
    report.lost("reasoning.always", options, name, what="off", did=did)
    return fallback


def _budget(
    request: ChatRequest, budget: int, caps: Capabilities, report: Report
) -> ThinkingRequest:
    options = request.options
    if budget < 0:  # as much as the model likes
        return ThinkingRequest()
    if caps.budgets:
        fits = _fitting(budget, caps)
        if fits != budget:
            report.lost("option.range", options, "reasoning_budget", did=f"sent as {fits}")
        return ThinkingRequest(budget=fits)
    levels = caps.efforts or _EFFORTS
    if levels == ("on",):
        report.lost("option.range", options, "reasoning_budget", did="thinking is on")
        return ThinkingRequest()
    enough = (level for level in levels if _TOKENS.get(level, _MOST) >= budget)
    level = next(enough, levels[-1])
    report.lost("option.range", options, "reasoning_budget", did=f"sent as effort {level}")
    return ThinkingRequest(effort=level)


def _fitting(tokens: int, caps: Capabilities) -> int:
    return max(caps.budgets[0], min(tokens, caps.budgets[-1]))


def _effort(
    request: ChatRequest, effort: str, caps: Capabilities, report: Report
) -> ThinkingRequest | None:
    options = request.options
    if effort in ("auto", "on"):
        return ThinkingRequest()
    if caps.efforts == ("on",):
        report.lost("option.range", options, "reasoning", what=effort, did="thinking is on")
        return ThinkingRequest()
    if caps.budgets and not caps.efforts and effort in _EFFORTS:
        return ThinkingRequest(budget=_fitting(_TOKENS.get(effort, _MOST), caps))
    if effort in caps.efforts or not (caps.efforts or caps.budgets):
        return ThinkingRequest(effort=effort)
    if effort not in _EFFORTS:
        report.lost("option.refused", options, "reasoning", what=effort)
        return None
    enough = _EFFORTS[_EFFORTS.index(effort) :]
    level = next((level for level in caps.efforts if level in enough), caps.efforts[-1])
    report.lost("option.range", options, "reasoning", what=effort, did=f"sent as {level}")
    return ThinkingRequest(effort=level)


def fit_still_effort(
    body: JsonObject,
    path: str,
    request: ChatRequest,
    issuer: str,
    caps: Capabilities,
    report: Report,
) -> None:
    """Lower an effort that stands as a field of the provider's own beside thinking turned off.

    `path`: where in the body, which is changed, and in the issuer's fields. Some models take less
    there than while they think.
    """
    effort = field_at(body, path)
    known = caps.efforts and caps.efforts != ("on",)
    if type(effort) is not str or effort in caps.efforts or not (known or caps.budget_in_maximum):
        return
    field = f"extras.{issuer}.{path}"
    if not known:
        report.lost("option.refused", request, field, what=effort, did="left out")
        take_field(body, path)
        return
    enough = _EFFORTS[_EFFORTS.index(effort) :] if effort in _EFFORTS else ()
    level = next((level for level in caps.efforts if level in enough), caps.efforts[-1])
    report.lost("option.range", request, field, what=effort, did=f"sent as {level}")
    put_field(body, path, level)


def reasoning_field(options: Options) -> str:
    """The option that asks for thinking, as losses name it."""
    return "reasoning" if options.reasoning_budget is None else "reasoning_budget"


def barred_by_history(options: Options, history: RoledHistory, report: Report) -> bool:
    """Whether Claude cannot think by a budget behind this history, which is reported.

    It refuses to go on where the assistant's last words are calls that no thinking led to.
    """
    roles = history.roles
    last = next((i for i in reversed(range(len(roles))) if roles[i] == ASSISTANT), None)
    if last is None or not history.msgs[last].calls:
        return False
    while last and roles[last - 1] == ASSISTANT:  # neighbours are one turn
        last -= 1
    if type(history.msgs[last].blocks[0]) is ThinkingBlock:
        return False
    report.lost("reasoning.off_for_history", options, reasoning_field(options), did="no thinking")
    return True


def fitting_budget(budget: int, maximum: int | None, options: Options) -> int | None:
    """The budget that leaves room for the answer; None where there is no place for any.

    Who names both numbers may leave the answer as little as the API allows.
    """
    wanted = max(_LEAST_BUDGET, budget)
    if maximum is None:
        return wanted
    named = options.reasoning_budget is not None and options.max_tokens is not None
    if named and wanted < maximum:
        return wanted
    fitting = min(wanted, int(maximum * _SHARE))
    return fitting if fitting >= _LEAST_BUDGET else None


def fit_budget(budget: int, maximum: int | None, options: Options, report: Report) -> int | None:
    """The budget as `fitting_budget` has it, and the loss where it is another, or none."""
    fitting = fitting_budget(budget, maximum, options)
    field = reasoning_field(options)
    if fitting is None:
        report.lost("option.refused", options, field, did="no thinking")
    elif fitting != budget:
        report.lost("option.range", options, field, did=f"sent as {fitting} tokens")
    return fitting
