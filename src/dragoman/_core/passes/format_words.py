"""The format of the answer in words, where the wire cannot ask for it without them.

A schema that no field can say is told to the model, and some hosts give any JSON only where
a message speaks of it. Knows no wire.
"""

from __future__ import annotations

from ...capabilities import Capabilities
from ...losses import Report
from ...message import ChatRequest, Msg, TextBlock, ToolResultBlock
from ...message.blocks import ContentBlock
from ..jsontext import arguments
from ..wording import Told
from .roles import with_content

_HEAD = ("system", "developer")


def ask_in_words(
    msgs: list[Msg], request: ChatRequest, caps: Capabilities, told: Told, report: Report
) -> list[Msg]:
    """The messages, the system prompt of which says what the response format cannot."""
    form = request.response_format
    if form is None or form.kind == "text":
        return msgs
    unknown = form.kind not in caps.formats
    if unknown and form.schema is not None:
        report.lost("format.in_words", form, what=form.kind)
        text = told.schema.format(schema=arguments(form.schema))
        return _with_prompt(msgs, text, form, report)
    if not (unknown or (form.kind == "json" and caps.json_word)):
        return msgs
    if any("json" in text.lower() for m in msgs for text in _texts(m)):
        return msgs
    report.lost("format.in_words" if unknown else "format.json_word", form, did=told.json)
    return _with_prompt(msgs, told.json, form, report)


def _texts(m: Msg) -> list[str]:
    return [m.content] if isinstance(m.content, str) else _texts_of(m.content)


def _texts_of(blocks: list[ContentBlock]) -> list[str]:
    texts: list[str] = []
    for block in blocks:
        if type(block) is TextBlock:
            texts.append(block.text)
        elif type(block) is ToolResultBlock:
            output = block.output
            if isinstance(output, str):
                texts.append(output)
            elif isinstance(output, list):
                texts += _texts_of(output)
    return texts


def _with_prompt(msgs: list[Msg], text: str, form: object, report: Report) -> list[Msg]:
    """The messages with the text at the end of the system prompt, which is made if there is none.

    It stands behind everything else there, so that a prompt that many requests share stays alike.
    """
    head = next((i for i, m in enumerate(msgs) if m.role not in _HEAD), len(msgs))
    if not head:
        prompt = report.made(Msg.trusted("", text, "system"), form)
        return [prompt, *msgs]
    last = msgs[head - 1]
    if isinstance(last.content, str):
        joined = f"{last.content}\n\n{text}" if last.content else text
        prompt = with_content(last, joined, report)
    else:
        block = report.made(TextBlock(text), form)
        prompt = with_content(last, [*last.content, block], report)
    return [*msgs[: head - 1], prompt, *msgs[head:]]
