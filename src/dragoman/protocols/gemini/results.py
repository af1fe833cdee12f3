"""A functionResponse as the result of a call.

An object stays the object that the tool gave, also under a lone `output`: nobody knows who put
it there. Only beside media, which the tree has no other way to hold, does it become text.
Reference: Gemini API, "FunctionResponse".
"""

from __future__ import annotations

from typing import Any

from ...jsontext import JsonObject, arguments
from ...message import TextBlock, ToolResultBlock
from ...message.blocks import ContentBlock
from .keys import read_keys
from .parts import NAMELESS, UNTHOUGHT, object_of, read_part

__all__ = ["ABSENT", "ERROR", "JSON", "OUTPUT", "SHOWN", "result_of"]

ABSENT = "absent"  # the spelling of a result without a response
# of a text that stands for the response, where the result shows parts
OUTPUT, ERROR, JSON = "output", "error", "json"
SHOWN = (OUTPUT, ERROR, JSON)


def result_of(part: JsonObject, words: list[str], issuer: str) -> ToolResultBlock:
    """The result that a part tells, which is camelCase. Raises TypeError for a strange one."""
    said, inner = read_keys(object_of(part["functionResponse"]), ".")
    name = said.get("name", "")
    if not isinstance(name, str):
        raise TypeError("a name is text")
    block = ToolResultBlock("", name)
    rest = {key: value for key, value in said.items() if key != "name"}
    words = [*words, *inner]
    if "name" not in said:
        words.append(NAMELESS)
    if isinstance(said.get("id"), str) and said["id"]:
        block.id = rest.pop("id")
    response = said.get("response")
    if isinstance(response, dict):
        del rest["response"]
        block.output = response
        block.is_error = response.keys() == {ERROR}
        if _shows(said.get("parts")):
            shown = [read_part(one, issuer) for one in rest.pop("parts")]
            block.output = [*_texts(response), *shown]
    else:
        block.output = None
        words.append(ABSENT)
    beside = {key: value for key, value in part.items() if key != "functionResponse"}
    if beside.get("thought") is False:
        del beside["thought"]
        words.append(UNTHOUGHT)
    if rest:
        beside["functionResponse"] = rest
    if beside:
        block.extras = {issuer: beside}
    block.spelling = " ".join(words) or None
    return block


def _shows(parts: Any) -> bool:
    return isinstance(parts, list) and bool(parts) and all(isinstance(one, dict) for one in parts)


def _texts(response: JsonObject) -> list[ContentBlock]:
    """The response as a text before the parts; none if it is empty."""
    for key in (OUTPUT, ERROR):
        if response.keys() == {key} and isinstance(response[key], str):
            return [TextBlock(response[key], spelling=key)]
    return [TextBlock(arguments(response), spelling=JSON)] if response else []
