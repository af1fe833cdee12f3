"""Where the nodes of a request that was read stand in its body: for losses that name them.

Walks body and request side by side, as the readers did; the fields of a node that stand under
another name or deeper have a row of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from ..._core.jsontext import JsonObject
from ...losses import Field
from ...message import ChatRequest, RawBlock, TextBlock, ThinkingBlock, Tool, ToolResultBlock
from ...message.blocks import noted
from .request import places_of

_Rows: TypeAlias = Iterator[tuple[str, object]]


def places(req: ChatRequest, body: JsonObject, issuer: str) -> _Rows:
    """(path into the body, node) of everything that was read of it."""
    yield "$", req
    msgs = list(req.messages)
    if msgs and (msgs[0].spelling or "").startswith("top"):
        prompt = msgs.pop(0)
        yield "$.system", prompt
        if not isinstance(prompt.content, str):
            yield from _blocks(prompt.content, body["system"], "$.system")
    for i, m in enumerate(msgs):
        here = f"$.messages[{i}]"
        yield here, m
        if isinstance(m.content, str) or not m.content:
            continue
        if (first := m.content[0]).type == "raw" and first.role == "message":
            yield here, first  # the whole entry
        else:
            yield from _blocks(m.content, body["messages"][i]["content"], f"{here}.content")
    yield from _fields(req, issuer)
    yield from _tools(req)


def _fields(req: ChatRequest, issuer: str) -> _Rows:
    notes = (req.extras or {}).get(noted(issuer), {})
    for name, at in places_of(req.options, notes):
        yield f"$.{at}", Field(req.options, name)
    if req.model and notes.get("model") == "body":
        yield "$.modelId", Field(req, "model")
    else:
        yield "$", Field(req, "model")  # it stands in the path
    if (choice := req.tool_choice) is not None:
        yield "$.toolConfig.toolChoice", choice
        if choice.mode == "tool":
            yield "$.toolConfig.toolChoice.tool.name", Field(choice, "name")
    if (form := req.response_format) is not None:
        yield "$.outputConfig.textFormat", form
        for name in ("schema", "name", "description"):
            yield f"$.outputConfig.textFormat.structure.jsonSchema.{name}", Field(form, name)


def _tools(req: ChatRequest) -> _Rows:
    i = 0
    for tool in req.tools:
        here = f"$.toolConfig.tools[{i}]"
        i += 1
        if not isinstance(tool, Tool):
            yield here if tool.kind == "own" else f"{here}.systemTool", tool
            continue
        yield f"{here}.toolSpec", tool
        yield f"{here}.toolSpec.inputSchema.json", Field(tool, "parameters")
        if tool.cache is not None:
            yield f"$.toolConfig.tools[{i}].cachePoint", Field(tool, "cache")
            i += 1


def _blocks(blocks: Sequence[Any], told: Any, path: str) -> _Rows:
    """The blocks of a content list, in which cache points stand behind the hinted ones."""
    i = 0
    for block in blocks:
        yield from _block(block, told[i], f"{path}[{i}]")
        i += 1
        if getattr(block, "cache", None) is not None:
            yield f"{path}[{i}].cachePoint", Field(block, "cache")
            i += 1


def _block(block: Any, told: Any, here: str) -> _Rows:
    if type(block) is RawBlock:
        yield here, block
    elif type(block) is TextBlock:
        yield from _text(block, told, here)
    elif type(block) is ThinkingBlock:
        inner = f"{here}.reasoningContent"
        yield inner, block
        yield f"{inner}.reasoningText.text", Field(block, "thinking")
        yield f"{inner}.reasoningText.signature", Field(block, "signature")
        yield f"{inner}.redactedContent", Field(block, "redacted")
    elif type(block) is ToolResultBlock:
        inner = f"{here}.toolResult"
        yield inner, block
        rows = ("id", "toolUseId"), ("output", "content"), ("is_error", "status")
        yield from ((f"{inner}.{key}", Field(block, name)) for name, key in rows)
        if isinstance(block.output, list):
            yield from _blocks(block.output, told["toolResult"]["content"], f"{inner}.content")
    elif (source := getattr(block, "source", None)) is not None:
        inner = f"{here}.{block.type}"
        yield inner, block
        yield inner, Field(block, "source")  # without which nothing of it is said
        yield f"{inner}.name", Field(block, "title")
        yield f"{inner}.source", source
        yield f"{inner}.format", Field(source, "media_type")
    else:
        yield f"{here}.toolUse", block
        yield f"{here}.toolUse.toolUseId", Field(block, "id")


def _text(block: TextBlock, told: Any, here: str) -> _Rows:
    if "citationsContent" in told:
        yield f"{here}.citationsContent", block
        yield f"{here}.citationsContent.content", Field(block, "text")
    else:
        yield here, block
        if "guardContent" in told:
            yield f"{here}.guardContent.text.text", Field(block, "text")
