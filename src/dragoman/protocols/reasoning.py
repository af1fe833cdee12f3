"""How much thinking a request asks for, in the form that the model takes: effort, budget or off.

The options are compared with the capabilities here for all protocols, which only write the result.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

from ..capabilities import Capabilities
from ..capabilities.overrides import vary
from ..errors import WriteError
from ..history.passes.plain_tools import is_native
from ..history.passes.survey import ASSISTANT, RoledHistory
from ..losses import Report
from ..message import ChatRequest, Options, ServerTool, ThinkingBlock, Tool
from ..message.client_tools import find_function
from ..text.json_text import JsonObject, field_at, put_field, take_field

_OFF = ("off", "none")


# From least to most; an effort that a model lacks is raised to the next one that it has.
_EFFORTS = ("minimal", "low", "medium", "high", "xhigh", "max", "ultra")


# Gemini API docs, "OpenAI compatibility": the tokens of each effort. Efforts above high are worth
# the most that the model takes.
_TOKENS = {"minimal": 1024, "low": 1024, "medium": 8192, "high": 24576}
_MOST = 32768


# tokens, for a model that takes only a budget, where the request gives no budget
USUAL_BUDGET = 8192
_LEAST_BUDGET = 1024
_BY_BUDGET = ("budget", "claude-budget")  # the forms in which an effort is written as a budget


# the largest share of the maximum that thinking may use, so that tokens remain for the answer; a
# router that turns efforts into budgets for Claude uses the same share for high
_SHARE = 0.8


# every state that a request can be in, built once: (a stream, it thinks, by a budget, has tools)
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
    """What to ask of the model: no thinking, or thinking, perhaps with an effort or a budget."""

    off: bool = False
    effort: str | None = None
    budget: int | None = None


def states(request: ChatRequest, caps: Capabilities) -> frozenset[str]:
    """Return the states of a request that facts about a model may depend on."""
    on = _thinks(request, caps)
    budget = on and caps.budgets and (request.options.reasoning_budget or 0) > 0
    return _STATES[request.stream, on, bool(budget), bool(request.tools)]


def _thinks(request: ChatRequest, caps: Capabilities) -> bool:
    """Whether the model thinks about this request, as far as its options decide that."""
    effort, budget = request.options.reasoning, request.options.reasoning_budget
    if caps.thinks == "never":
        return False
    if effort in _OFF or (effort is None and budget == 0):
        return caps.thinks == "always"
    if caps.thinks != "always" and _is_barred(request, caps, effort, budget):
        return False  # thinking is turned off because of the tools
    if caps.budget_in_maximum and _unfit_budget(request, caps):
        return False  # no budget is sent
    return effort is not None or budget is not None or caps.thinks in ("default", "always")


def _unfit_budget(request: ChatRequest, caps: Capabilities) -> bool:
    """Whether a thinking budget is asked for that the maximum or the history excludes."""
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
    """Whether the last assistant turn calls tools without thinking of this provider at its start.

    The passes handle the other cases; `barred_by_history` checks the history that they return.
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
    """Decide what to write about thinking.

    Args:
        request: The request with its options.
        caps: What the model takes.
        report: Gets a loss for each option that is changed or dropped.
        budgets: Whether the wire has a field for a budget, whatever the model takes elsewhere.
        levels: The wire's words for an effort; empty if it takes any word.

    Returns:
        What to ask of the model; None if nothing is to be written.

    Raises:
        WriteError: If the model always thinks and cannot answer such a request:
            `tools.need_responses` (no tools together with thinking), `stream.needed` (thinking only
            in streams).
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
        caps = vary(caps, budgets=())
    if levels and (caps.efforts or not caps.budgets):
        supported = tuple(level for level in caps.efforts if level in (*levels, "on"))
        caps = vary(caps, efforts=supported or levels)
    if effort in _OFF:
        return _off(request, caps, report)
    if caps.thinks == "never":
        report_unsupported(request, report, "option.refused")
        return None
    effort, budget = _one(options, caps, report)
    if budget is not None:
        return _budget(request, budget, caps, report)
    assert effort is not None  # the case of neither was handled above
    return _effort(request, effort, caps, report)


def _one(options: Options, caps: Capabilities, report: Report) -> tuple[str | None, int | None]:
    """Reduce effort and budget to one of them, since no wire takes both; the other is None."""
    effort, budget = options.reasoning, options.reasoning_budget
    if effort is None or budget is None:
        return effort, budget
    if effort in ("auto", "on"):
        return None, budget  # the budget is more exact
    name = "reasoning" if caps.budgets else "reasoning_budget"
    report.add_loss("option.unsupported", options, name, what=name, did="one of two is sent")
    return (None, budget) if caps.budgets else (effort, None)


def choose_display(
    request: ChatRequest, words: Mapping[str, str], thinks: bool, report: Report
) -> str:
    """Return the wire's word for how much thinking to show; empty if nothing is to be written.

    Args:
        request: The request with its options.
        words: The wire's word for each neutral word that it supports; empty where it is the
            default.
        thinks: Whether the model thinks about this request.
        report: Gets a loss if the option has no effect or is changed.
    """
    options = request.options
    wish = options.thoughts
    if wish is None:
        return ""
    if not thinks:
        report.add_loss("reasoning.moot", options, "thoughts", what="thoughts", did="no thinking")
        return ""
    word = words.get(wish)
    if word is None:
        report.add_loss("option.unsupported", options, "thoughts", what=wish)
    elif not word:
        report.add_loss("reasoning.moot", options, "thoughts", what=wish)
    elif wish != "auto" and (meant := _nearest(wish, word, words)) != wish:
        report.add_loss("option.range", options, "thoughts", what=wish, did=f"sent as {meant}")
    return word or ""


def _nearest(wish: str, word: str, words: Mapping[str, str]) -> str:
    """Return the neutral word for the wire's word: `auto` if both are written alike, else the wish.

    `updates` (short notes while the model thinks) may have a word of its own; on other wires it is
    sent as the word that shows little.
    """
    if word == words.get("auto"):
        return "auto"
    return "concise" if wish == "updates" and word == words.get("concise") else wish


def moot(request: ChatRequest, report: Report) -> None:
    """Report options of thinking that need no field, because the model behaves so by default."""
    options = request.options
    # higher efforts are reported where they are lowered
    if options.reasoning in (*_OFF, "auto", "on"):
        report.add_loss("reasoning.moot", options, "reasoning")
    if options.reasoning_budget is not None and options.reasoning_budget <= 0:
        report.add_loss("reasoning.moot", options, "reasoning_budget")


def report_unsupported(
    request: ChatRequest, report: Report, code: str = "option.unsupported"
) -> None:
    """Report options of thinking that this wire has no field for, or that the model refuses."""
    options = request.options
    for name in ("reasoning", "reasoning_budget"):
        if getattr(options, name) is not None:
            report.add_loss(code, options, name, what=name)


def needs_other_wire(request: ChatRequest, caps: Capabilities) -> bool:
    """Whether this wire takes the request's tools only without the thinking that it would have.

    This is so for GPT-5.6 and later on Chat Completions; Responses takes both.
    """
    options = request.options
    if not request.tools or caps.tools_with_thinking == "yes" or caps.thinks == "never":
        return False
    return _is_barred(request, caps, options.reasoning, options.reasoning_budget)


def _is_barred(
    request: ChatRequest, caps: Capabilities, effort: str | None, budget: int | None
) -> bool:
    """Whether the thinking that is asked for prevents the use of the request's tools."""
    if not request.tools or caps.tools_with_thinking == "yes" or effort in _OFF:
        return False
    if not (caps.tools and any(_becomes_function(tool, caps) for tool in request.tools)):
        return False
    if effort is not None or budget is not None:
        return True
    return caps.tools_with_thinking == "no" and caps.thinks in ("default", "always")


def _becomes_function(tool: Tool | ServerTool, caps: Capabilities) -> bool:
    """Whether the wire declares the tool as a function: also one that the client runs."""
    if type(tool) is Tool:
        return not (tool.freeform and caps.freeform_tools)
    assert type(tool) is ServerTool  # the only other type
    return find_function(tool) is not None and not is_native(tool, caps)


# why thinking is turned off: the loss -> (what is sent; and the code, path, message and hint of the
# error where the model always thinks)
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
        report.add_loss(loss, options, name, what=value, did=did)
    if not given:  # the request did not ask for thinking
        report.add_loss(loss, request, what="the model's own thinking", did=did, kind="expected")
    return ThinkingRequest(off=True)


def _off(request: ChatRequest, caps: Capabilities, report: Report) -> ThinkingRequest | None:
    options = request.options
    if options.reasoning_budget:
        report.add_loss("option.unsupported", options, "reasoning_budget", did="thinking is off")
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
    report.add_loss("reasoning.always", options, name, what="off", did=did)
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
            report.add_loss("option.range", options, "reasoning_budget", did=f"sent as {fits}")
        return ThinkingRequest(budget=fits)
    levels = caps.efforts or _EFFORTS
    if levels == ("on",):
        report.add_loss("option.range", options, "reasoning_budget", did="thinking is on")
        return ThinkingRequest()
    enough = (level for level in levels if _TOKENS.get(level, _MOST) >= budget)
    level = next(enough, levels[-1])
    report.add_loss("option.range", options, "reasoning_budget", did=f"sent as effort {level}")
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
        report.add_loss("option.range", options, "reasoning", what=effort, did="thinking is on")
        return ThinkingRequest()
    if caps.budgets and not caps.efforts and effort in _EFFORTS:
        return ThinkingRequest(budget=_fitting(_TOKENS.get(effort, _MOST), caps))
    if effort in caps.efforts or not (caps.efforts or caps.budgets):
        return ThinkingRequest(effort=effort)
    if effort not in _EFFORTS:
        report.add_loss("option.refused", options, "reasoning", what=effort)
        return None
    enough = _EFFORTS[_EFFORTS.index(effort) :]
    level = next((level for level in caps.efforts if level in enough), caps.efforts[-1])
    report.add_loss("option.range", options, "reasoning", what=effort, did=f"sent as {level}")
    return ThinkingRequest(effort=level)


def fit_still_effort(
    body: JsonObject,
    path: str,
    request: ChatRequest,
    issuer: str,
    caps: Capabilities,
    report: Report,
) -> None:
    """Lower an effort that is given in the provider's own field while thinking is turned off.

    Some models take fewer efforts then than while they think.

    Args:
        body: The body, which is changed.
        path: The path of the effort, both in the body and in the issuer's fields.
        request: The request, for losses.
        issuer: The issuer whose fields hold the effort.
        caps: What the model takes.
        report: Gets a loss if the effort is changed or left out.
    """
    effort = field_at(body, path)
    known = caps.efforts and caps.efforts != ("on",)
    if type(effort) is not str or effort in caps.efforts or not (known or caps.budget_in_maximum):
        return
    field = f"extras.{issuer}.{path}"
    if not known:
        report.add_loss("option.refused", request, field, what=effort, did="left out")
        take_field(body, path)
        return
    enough = _EFFORTS[_EFFORTS.index(effort) :] if effort in _EFFORTS else ()
    level = next((level for level in caps.efforts if level in enough), caps.efforts[-1])
    report.add_loss("option.range", request, field, what=effort, did=f"sent as {level}")
    put_field(body, path, level)


def reasoning_field(options: Options) -> str:
    """Return the option that asks for thinking, under the name that losses use."""
    return "reasoning" if options.reasoning_budget is None else "reasoning_budget"


def barred_by_history(options: Options, history: RoledHistory, report: Report) -> bool:
    """Whether this history prevents Claude from thinking by a budget; if so, report it.

    The API refuses to continue if the last assistant turn ends with calls and did not begin with
    thinking.
    """
    roles = history.roles
    last = next((i for i in reversed(range(len(roles))) if roles[i] == ASSISTANT), None)
    if last is None or not history.msgs[last].calls:
        return False
    while last and roles[last - 1] == ASSISTANT:  # adjacent messages are one turn
        last -= 1
    if type(history.msgs[last].blocks[0]) is ThinkingBlock:
        return False
    report.add_loss(
        "reasoning.off_for_history", options, reasoning_field(options), did="no thinking"
    )
    return True


def fitting_budget(budget: int, maximum: int | None, options: Options) -> int | None:
    """Return the budget that leaves room for the answer; None if there is no room for thinking.

    If both numbers are given explicitly, the answer may get as little as the API allows.
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
    """Return the result of `fitting_budget`, and report it if the budget is changed or dropped."""
    fitting = fitting_budget(budget, maximum, options)
    field = reasoning_field(options)
    if fitting is None:
        report.add_loss("option.refused", options, field, did="no thinking")
    elif fitting != budget:
        report.add_loss("option.range", options, field, did=f"sent as {fitting} tokens")
    return fitting
