"""Items that only this API has: who runs them, how they are paired, and what answers them.

They are kept unchanged. A call that the client runs is answered by an item of its own kind, which
is built here from an ordinary result.

Reference: OpenAI API, "Create a model response", `input`; openai-python,
`types/responses/response_input_item_param.py`, for the items that answer calls.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ...errors import WriteError
from ...history.passes.survey import RoledHistory
from ...message import (
    Base64Source,
    ContentBlock,
    FileSource,
    ImageBlock,
    RawBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
)
from ...message.blocks import SEALED_SUMMARY
from ...message.client_tools import call_within
from ...message.media_urls import write_url
from ...text.json_text import JsonObject
from ..chat_like.messages import result_text

# the field that pairs a call and its answer, where that is not `call_id`
_PAIRED = {"mcp_approval_request": "id", "mcp_approval_response": "approval_request_id"}

# calls that the client has to run or to answer
_CLIENT_CALLS = frozenset(
    {"computer_call", "local_shell_call", "shell_call", "apply_patch_call", "mcp_approval_request"}
)

# results of calls that the client ran, if the call is missing
CLIENT_OUTPUTS = frozenset(
    {
        "computer_call_output",
        "shell_call_output",
        "apply_patch_call_output",
        "local_shell_call_output",
    }
)


def raw_item(item: Any, issuer: str) -> RawBlock:
    """Return an item that only this API has, unchanged; it is paired by its `call_id`."""
    block = RawBlock(issuer, item)
    block.read_from = item
    if not isinstance(item, dict):
        return block
    kind = str(item.get("type"))
    if kind == "compaction":
        block.spelling = SEALED_SUMMARY
    pair = item.get(_PAIRED.get(kind, "call_id"))
    if kind == "local_shell_call_output":
        pair = item.get("call_id", item.get("id"))  # the reference names it `id`
    if isinstance(pair, str) and pair:
        block.role = "result" if kind.endswith(("_output", "_response")) else "call"
        block.pair = pair
    shell = item.get("environment")  # the host's own shell, if it runs in a container
    hosted = isinstance(shell, dict) and str(shell.get("type")).startswith("container")
    if (kind in _CLIENT_CALLS and not hosted) or item.get("execution") == "client":
        block.by = "client"
    return block


DRAWING = "image_generation_call"
_BASE64 = re.compile(r"[A-Za-z0-9+/_=-]+")
_PICTURES = {"svg": "image/svg+xml"}  # other names of `output_format` are that of the media type


def read_drawing(item: JsonObject, issuer: str) -> ImageBlock | None:
    """Read the image of an `image_generation_call`; the item's other fields become its extras.

    None if there is no image yet. An item whose result is no base64 is kept unchanged.
    """
    data, form = item.get("result"), item.get("output_format")
    if not isinstance(data, str) or not _BASE64.fullmatch(data):
        return None
    form = form if isinstance(form, str) and form else "png"
    block = ImageBlock(Base64Source(_PICTURES.get(form, f"image/{form}"), data))
    block.extras = {issuer: {key: value for key, value in item.items() if key != "result"}}
    block.read_from = item
    return block


def drawing(block: ContentBlock, id: str) -> JsonObject | None:
    """Write an item with an image of another wire; None if the image is not given as bytes."""
    if type(block) is not ImageBlock or type(block.source) is not Base64Source:
        return None
    form = block.source.media_type.rpartition("/")[2].partition("+")[0]
    return {
        "type": DRAWING,
        "id": id,
        "status": "completed",
        "result": block.source.data,
        "output_format": form,
    }


def drawing_as_read(block: ImageBlock) -> JsonObject:
    """Return the base64 text that `read_drawing` read into the source."""
    assert type(block.source) is Base64Source  # `read_drawing` creates no other
    return {"type": DRAWING, "result": block.source.data}


class ClientItems:
    """The calls in a history that the client runs and that only this API has, and their answers."""

    def __init__(self, history: RoledHistory) -> None:
        self._ids = history.calls  # of plain calls
        rows = (history.msgs[i].blocks for i in history.unusual)
        calls = (call_within(block) for blocks in rows for block in blocks)
        self._calls = {call.id: call for call in calls if call is not None}
        self._elsewhere = history.called

    def answer(self, result: ToolResultBlock, bullets: bool) -> JsonObject | None:
        """Return the item that answers such a call; None for the result of another call.

        An output that is a JSON object may have the item's own fields, which then apply.

        Args:
            result: The result.
            bullets: Whether several texts become a list with dashes.

        Raises:
            WriteError: If the item cannot hold text and the result has nothing else.
        """
        call = self._calls.get(result.id) or self._elsewhere.get(result.id)
        write = _WRITERS.get(call.spelling or "") if call is not None else None
        if call is None or write is None or result.id in self._ids:
            return None
        return write(call, result, result_text(result, bullets))


def _object(result: ToolResultBlock) -> JsonObject:
    return result.output if isinstance(result.output, dict) else {}


def _shell(call: ToolUseBlock, result: ToolResultBlock, text: str) -> JsonObject:
    """Return a shell's output: a text is its `stdout`, an object may have other fields, too."""
    given, action = _object(result), call.input
    item: JsonObject = {"type": "shell_call_output", "call_id": result.id}
    if isinstance(given.get("output"), list):
        item |= given
    else:
        known = bool(given.keys() & {"stdout", "stderr", "outcome", "exit_code"})
        printed = given if known else {"stderr" if result.is_error else "stdout": text}
        code = printed.get("exit_code", 1 if result.is_error else 0)
        outcome = printed.get("outcome", {"type": "exit", "exit_code": code})
        item["output"] = [
            {name: str(printed.get(name) or "") for name in ("stdout", "stderr")}
            | {"outcome": outcome}
        ]
    # guide "Shell": the answer repeats the limit that the call names
    limit = action.get("max_output_length") if isinstance(action, dict) else None
    return item if limit is None else {"max_output_length": limit} | item


def _local_shell(call: ToolUseBlock, result: ToolResultBlock, text: str) -> JsonObject:
    return {"type": "local_shell_call_output", "id": result.id, "output": text}


def _apply_patch(call: ToolUseBlock, result: ToolResultBlock, text: str) -> JsonObject:
    item: JsonObject = {"type": "apply_patch_call_output", "call_id": result.id}
    item["status"] = "failed" if result.is_error else "completed"
    return item | ({"output": text} if text else {})


def _computer(call: ToolUseBlock, result: ToolResultBlock, text: str) -> JsonObject:
    item: JsonObject = {"type": "computer_call_output", "call_id": result.id}
    if isinstance(_object(result).get("output"), dict):
        return item | _object(result)
    blocks = result.output if isinstance(result.output, list) else []
    for block in blocks:
        source = block.source if type(block) is ImageBlock else None
        screen: JsonObject = {"type": "computer_screenshot"}
        if type(source) is FileSource:
            return {**item, "output": {**screen, "file_id": source.file_id}}
        if type(source) is URLSource or type(source) is Base64Source:
            return {**item, "output": {**screen, "image_url": write_url(source, None)}}
    hint = "Msg.tool(call.id, [ImageBlock.from_bytes(png)])"
    raise WriteError("the result of a computer call is a screenshot", hint=hint, code="result.form")


def _tool_search(call: ToolUseBlock, result: ToolResultBlock, text: str) -> JsonObject:
    item: JsonObject = {
        "type": "tool_search_output",
        "call_id": result.id,
        "execution": "client",
        "status": "completed",
    }
    if isinstance(_object(result).get("tools"), list):
        return item | _object(result)
    hint = 'Msg.tool(call.id, {"tools": [{"type": "function", "name": ..., "parameters": ...}]})'
    raise WriteError("the result of a tool search is tools", hint=hint, code="result.form")


_WRITERS: dict[str, Callable[[ToolUseBlock, ToolResultBlock, str], JsonObject]] = {
    "shell_call": _shell,
    "local_shell_call": _local_shell,
    "apply_patch_call": _apply_patch,
    "computer_call": _computer,
    "tool_search_call": _tool_search,
}
