"""Where in the body the nodes of a request stand that was read from it, for the paths of losses.

A walk over body and request side by side, as the readers went; the fields of a node that stand
under another name or deeper have a row of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from ..._core.jsontext import JsonObject
from ...losses import Field
from ...message import ChatRequest, RawBlock, TextBlock, ThinkingBlock, Tool, ToolResultBlock
from ..chat_shape import issuer_fields
from .messages import at_top
from .request import option_paths

_Rows: TypeAlias = Iterator[tuple[str, object]]


_FORMAT = "$.outputConfig.textFormat"


_THINKING = {"thinking": "reasoningText.text", "signature": "reasoningText.signature",
             "redacted": "redactedContent"}  # fmt: skip


_RESULT = {"id": "toolUseId", "output": "content", "is_error": "status"}


def places(req: ChatRequest, body: JsonObject, issuer: str) -> _Rows:
    """(path into the body, node) of everything that was read of it."""
    yield "$", req
    msgs = list(req.messages)
    if msgs and at_top(msgs[0]):
        prompt = msgs.pop(0)
        yield "$.system", prompt
        yield from _blocks(prompt.content, body["system"], "$.system")
    for i, m in enumerate(msgs):
        path, entry = f"$.messages[{i}]", body["messages"][i]
        yield path, m
        if m.content and m.blocks[0].type == "raw" and m.blocks[0].role == "message":
            yield path, m.blocks[0]  # the whole entry
        elif m.content:
            yield from _blocks(m.content, entry["content"], f"{path}.content")
    notes = issuer_fields(req, issuer)[1]
    for name, path in option_paths(req.options, notes):
        yield f"$.{path}", Field(req.options, name)
    # the model stands in the path of most requests
    in_body = bool(req.model) and notes.get("model") == "body"
    yield "$.modelId" if in_body else "$", Field(req, "model")
    if (choice := req.tool_choice) is not None:
        yield "$.toolConfig.toolChoice", choice
        if choice.mode == "tool":
            yield "$.toolConfig.toolChoice.tool.name", Field(choice, "name")
    if (form := req.response_format) is not None:
        yield _FORMAT, form
        for name in ("schema", "name", "description"):
            yield f"{_FORMAT}.structure.jsonSchema.{name}", Field(form, name)
    yield from _tools(req)


def _tools(req: ChatRequest) -> _Rows:
    index = 0
    for tool in req.tools:
        path = f"$.toolConfig.tools[{index}]"
        index += 1
        if not isinstance(tool, Tool):
            yield path if tool.kind == "own" else f"{path}.systemTool", tool
            continue
        yield f"{path}.toolSpec", tool
        yield f"{path}.toolSpec.inputSchema.json", Field(tool, "parameters")
        if tool.cache is not None:
            yield f"$.toolConfig.tools[{index}].cachePoint", Field(tool, "cache")
            index += 1


def _blocks(blocks: str | Sequence[Any], parts: Any, above: str) -> _Rows:
    """The blocks of a content list, in which cache points stand behind the hinted ones."""
    index = 0
    for block in () if isinstance(blocks, str) else blocks:
        yield from _block(block, parts[index], f"{above}[{index}]")
        index += 1
        if getattr(block, "cache", None) is not None:
            yield f"{above}[{index}].cachePoint", Field(block, "cache")
            index += 1


def _fields(path: str, node: object, keys: Mapping[str, str]) -> _Rows:
    for name, key in keys.items():
        yield f"{path}.{key}", Field(node, name)


def _block(block: Any, part: Any, path: str) -> _Rows:
    if type(block) is RawBlock:
        yield path, block
    elif type(block) is TextBlock and "citationsContent" in part:
        yield f"{path}.citationsContent", block
        yield f"{path}.citationsContent.content", Field(block, "text")
    elif type(block) is TextBlock:
        yield path, block
        if "guardContent" in part:
            yield f"{path}.guardContent.text.text", Field(block, "text")
    elif type(block) is ThinkingBlock:
        yield f"{path}.reasoningContent", block
        yield from _fields(f"{path}.reasoningContent", block, _THINKING)
    elif type(block) is ToolResultBlock:
        path = f"{path}.toolResult"
        yield path, block
        yield from _fields(path, block, _RESULT)
        if isinstance(block.output, list):
            yield from _blocks(block.output, part["toolResult"]["content"], f"{path}.content")
    elif (source := getattr(block, "source", None)) is not None:
        path = f"{path}.{block.type}"
        yield path, block
        yield path, Field(block, "source")  # without which nothing of it is said
        yield f"{path}.name", Field(block, "title")
        yield f"{path}.source", source
        yield f"{path}.format", Field(source, "media_type")
    else:
        yield f"{path}.toolUse", block
        yield f"{path}.toolUse.toolUseId", Field(block, "id")
