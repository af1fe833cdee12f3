"""Ask for the format of the answer by other ways than its own field: in words, or by a tool.

A schema that no field takes goes into the prompt, and some hosts give JSON only where a message
mentions it. A tool whose arguments are the answer carries a schema, too. Knows no wire.
"""

from __future__ import annotations

from dataclasses import replace

from ...capabilities import Capabilities
from ...capabilities.overrides import vary
from ...errors import InvalidMessage
from ...losses import Report
from ...message import (
    ChatRequest,
    Msg,
    ResponseFormat,
    TextBlock,
    Tool,
    ToolChoice,
    ToolResultBlock,
)
from ...message.blocks import ContentBlock
from ...text.json_text import arguments
from ..wording import Wording
from .survey import with_content

_HEAD = ("system", "developer")
ANSWER_TOOL = "final_answer"


def ask_by_tool(request: ChatRequest, wording: Wording, report: Report) -> ChatRequest:
    """The request with a tool whose arguments are the answer, in place of the format.

    Alone, or where no call is wanted, it is the one that must be called; beside other tools, one
    of all must be. Raises InvalidMessage where a tool has its name already, or no object is asked.
    """
    form = request.response_format
    assert form is not None  # who asks for a way has a format
    fault = ""
    if (form.schema or {}).get("type") != "object":
        fault = "the arguments of a tool are an object, and this schema has another root"
    elif any(getattr(tool, "name", None) == ANSWER_TOOL for tool in request.tools):
        fault = f"a tool has the name {ANSWER_TOOL}, which the answer's own has"
    if fault:
        hint = 'wrap or rename it, or ask another way: ResponseFormat(..., way="json")'
        raise InvalidMessage(fault, path="$.response_format", code="format.as_tool", hint=hint)
    report.add_loss("format.as_tool", form, did=ANSWER_TOOL)
    about = f"{wording.answer}\n\n{form.description}" if form.description else wording.answer
    answer = report.record_copy(Tool(ANSWER_TOOL, about, form.schema, form.strict), form)
    choice = _choice(request)
    report.record_copy(choice, request.tool_choice or form)
    return replace(
        request, tools=[*request.tools, answer], tool_choice=choice, response_format=None
    )


def _choice(request: ChatRequest) -> ToolChoice:
    choice = request.tool_choice
    others = any(type(tool) is Tool for tool in request.tools)
    if not others or (choice is not None and choice.mode == "none"):
        return ToolChoice("tool", ANSWER_TOOL)
    if choice is None:
        return ToolChoice("required")
    if choice.mode == "tool":
        return choice
    allowed = (*choice.allowed, ANSWER_TOOL) if choice.allowed else ()
    return replace(choice, mode="required", allowed=allowed)


def narrow_capabilities(form: ResponseFormat, caps: Capabilities) -> Capabilities:
    """The capabilities without the fields that the way of the format leaves unused."""
    if form.way not in ("json", "prompt"):
        return caps
    kept = {"text", "json"} if form.way == "json" else {"text"}
    return vary(caps, formats=caps.formats & kept)


def ask_in_words(
    msgs: list[Msg], request: ChatRequest, caps: Capabilities, wording: Wording, report: Report
) -> list[Msg]:
    """The messages with a system prompt that asks for the format, where the wire's field cannot."""
    form = request.response_format
    if form is None or form.kind == "text":
        return msgs
    unknown = form.kind not in caps.formats
    if unknown and form.schema is not None:
        report.add_loss("format.in_words", form, what=form.kind)
        text = wording.schema.format(schema=arguments(form.schema))
        return _with_prompt(msgs, text, form, report)
    if not (unknown or (form.kind == "json" and caps.json_word)):
        return msgs
    if any("json" in text.lower() for m in msgs for text in _texts(m)):
        return msgs
    report.add_loss("format.in_words" if unknown else "format.json_word", form, did=wording.json)
    return _with_prompt(msgs, wording.json, form, report)


def _texts(m: Msg) -> list[str]:
    return [m.content] if isinstance(m.content, str) else _collect_texts(m.content)


def _collect_texts(blocks: list[ContentBlock]) -> list[str]:
    texts: list[str] = []
    for block in blocks:
        if type(block) is TextBlock:
            texts.append(block.text)
        elif type(block) is ToolResultBlock:
            output = block.output
            if isinstance(output, str):
                texts.append(output)
            elif isinstance(output, list):
                texts += _collect_texts(output)
    return texts


def _with_prompt(msgs: list[Msg], text: str, form: object, report: Report) -> list[Msg]:
    """The messages with the text at the end of the system prompt, which is added if there is none.

    The text comes last, so that a prompt that many requests share keeps the same beginning.
    """
    head = next((i for i, m in enumerate(msgs) if m.role not in _HEAD), len(msgs))
    if not head:
        prompt = report.record_copy(Msg.create_unchecked("", text, "system"), form)
        return [prompt, *msgs]
    last = msgs[head - 1]
    if isinstance(last.content, str):
        joined = f"{last.content}\n\n{text}" if last.content else text
        prompt = with_content(last, joined, report)
    else:
        block = report.record_copy(TextBlock(text), form)
        prompt = with_content(last, [*last.content, block], report)
    return [*msgs[: head - 1], prompt, *msgs[head:]]
