"""Every leaf of a whole answer, and whether it stands anywhere in what we made of it.

Leaves are compared by value, as a multiset: a value that stands there twice has to be found twice.
What is structure, and follows from the tree, is listed; token figures may be sums of ours.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from itertools import combinations
from typing import Any

from dragoman.message import Base64Source, ChatResponse, Msg, TextBlock, ThinkingBlock, Usage
from dragoman.message.blocks import ContentBlock

__all__ = ["STRUCTURE", "missing"]

Leaf = tuple[str, Any]  # the type's name apart, for True is 1

# of each wire: paths whose values follow from the tree, and the values that do
STRUCTURE: dict[str, tuple[tuple[str, Any], ...]] = {
    "openai-chat": (
        (r"object", "chat.completion"),
        (r"choices\.\d+\.message\.role", "assistant"),
        (r"choices\.\d+\.message\.tool_calls\.\d+\.type", "function"),
        (r"choices\.\d+\.message\.reasoning_details\.\d+\.type", "reasoning.text"),
        (r"choices\.\d+\.message\.annotations\.\d+\.type", "url_citation"),
        (r"choices\.\d+\.message\.content\.\d+\.type", "text"),
        (r"choices\.\d+\.message\.images\.\d+\.type", "image_url"),
    ),
    "anthropic": (
        (r"type", "message"),
        (r"role", "assistant"),
        (r"content\.\d+\.type", "text"),
        (r"content\.\d+\.type", "thinking"),
        (r"content\.\d+\.type", "redacted_thinking"),
        (r"content\.\d+\.type", "tool_use"),
    ),
    "openai-responses": (
        (r"object", "response"),
        (r"output\.\d+\.role", "assistant"),
        (r"output\.\d+\.type", "message"),
        (r"output\.\d+\.type", "function_call"),
        (r"output\.\d+\.type", "custom_tool_call"),
        (r"output\.\d+\.type", "reasoning"),
        (r"output\.\d+\.content\.\d+\.type", "reasoning_text"),
        (r"output\.\d+\.summary", "[]"),
        (r"output\.\d+\.summary\.\d+\.type", "summary_text"),
        (r"output\.\d+\.content\.\d+\.type", "output_text"),
        (r"output\.\d+\.content\.\d+\.type", "refusal"),
        (r"output\.\d+\.content\.\d+\.annotations\.\d+\.type", "url_citation"),
    ),
    "gemini": (
        (r".*", None),  # JSON of protocol buffers: null is absent
        (r"candidates\.\d+\.content\.role", "model"),
        (r"candidates\.\d+\.content\.parts\.\d+\.thought", True),
        (r"candidates\.\d+\.content\.parts\.\d+", "{}"),
    ),
    "gemini-interactions": (
        (r"object", "interaction"),
        (r"steps\.\d+\.type", "thought"),
        (r"steps\.\d+\.type", "model_output"),
        (r"steps\.\d+\.type", "function_call"),
        (r"steps\.\d+\.content\.\d+\.type", "text"),
        (r"steps\.\d+\.summary\.\d+\.type", "text"),
        (r"steps\.\d+\.content\.\d+\.annotations\.\d+\.type", "url_citation"),
    ),
    "dashscope": (
        (r"output\.choices\.\d+\.message\.role", "assistant"),
        (r"output\.choices\.\d+\.message\.tool_calls\.\d+\.type", "function"),
    ),
    "ollama": ((r"message\.role", "assistant"), (r"done", True)),
    "bedrock-converse": ((r"output\.message\.role", "assistant"),),
    "cohere": (
        (r"message\.role", "assistant"),
        (r"message\.content\.\d+\.type", "text"),
        (r"message\.content\.\d+\.type", "thinking"),
        (r"message\.tool_calls\.\d+\.type", "function"),
    ),
    "mistral": (
        (r"object", "chat.completion"),
        (r"choices\.\d+\.message\.role", "assistant"),
        (r"choices\.\d+\.message\.tool_calls\.\d+\.type", "function"),
        (r"choices\.\d+\.message\.content\.\d+\.type", "text"),
        (r"choices\.\d+\.message\.content\.\d+\.type", "thinking"),
        (r"choices\.\d+\.message\.content\.\d+\.closed", True),
        (r"choices\.\d+\.message\.content\.\d+\.thinking\.\d+\.type", "text"),
    ),
}
# places that are counted: where a thing stands in its list
_INDEX = {"openai-chat": r"choices\.(\d+)\.index",
          "mistral": r"choices\.(\d+)\.(?:message\.tool_calls\.(\d+)\.)?index",
          "gemini": r"candidates\.(\d+)\.index",
          "dashscope": r"output\.choices\.(\d+)\.index"}  # fmt: skip
_USAGE = r"usage(Metadata)?\."


def missing(wire: str, body: Any, resp: ChatResponse) -> list[str]:
    """The leaves of `body` that are nowhere in `resp`, with their paths."""
    have = Counter(_held(resp))
    spent = _figures(resp.usage)
    lost = []
    for path, leaf in _leaves(body):
        if _follows(wire, path, leaf) or (re.match(_USAGE, path) and leaf in spent):
            continue
        if have[leaf] > 0:
            have[leaf] -= 1
        else:
            lost.append(f"{path} = {leaf[1]!r:.80}")
    return lost


def _follows(wire: str, path: str, leaf: Leaf) -> bool:
    place = re.fullmatch(_INDEX.get(wire, "(?!)"), path)
    if place is not None and leaf == ("int", int(place[place.lastindex or 1])):
        return True
    return any(leaf[1] == value and re.fullmatch(at, path) for at, value in STRUCTURE[wire])


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Leaf]]:
    if isinstance(value, (dict, list)) and value:
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in pairs:
            yield from _leaves(item, f"{path}.{key}" if path else str(key))
    else:
        yield path, _leaf(value)


def _leaf(value: Any) -> Leaf:
    if isinstance(value, (dict, list)):
        return ("json", json.dumps(value))  # an empty one
    return (type(value).__name__, value)


def _held(node: Any) -> Iterator[Leaf]:
    """What the tree holds: JSON with its nulls, fields of ours only where they say something."""
    if isinstance(node, (dict, list)):
        yield from (leaf for _, leaf in _leaves(node)) if _is_json(node) else _inside(node)
    elif isinstance(node, Msg):
        yield from _inside(node.blocks) if node.blocks else (_leaf([]),)
        yield from _held(node.extras)
        yield from map(_leaf, _spelled(node.blocks))
    elif isinstance(node, Base64Source):
        yield from map(_leaf, (node.media_type, node.data))
        yield _leaf(f"data:{node.media_type};base64,{node.data}")
    elif is_dataclass(node) and not isinstance(node, type):
        for f in fields(node):
            value = getattr(node, f.name)
            if value is not None and f.name not in ("type", "status", "origin"):
                yield from _held(value)
    elif node is not None:
        yield _leaf(node)


def _spelled(blocks: Sequence[ContentBlock]) -> Iterator[str]:
    """Texts as they stood on the wire, where a spelling says that they stood otherwise."""
    for block, then in zip(blocks, [*blocks[1:], None], strict=False):
        spelling = block.spelling or ""
        if type(block) is ThinkingBlock and block.redacted:
            yield b64encode(block.redacted.encode()).decode()  # bytes, in Converse
        if type(block) is ThinkingBlock and "|" in spelling:  # tags inside of a text
            before, after = spelling.split("|")
            rest = then.text if type(then) is TextBlock else ""
            yield f"{before}{block.thinking}{after}{rest}"
        elif re.fullmatch(r"\d+( \d+)+", spelling):  # lengths of neighbouring texts
            text = str(block["thinking" if type(block) is ThinkingBlock else "text"])
            for length in map(int, spelling.split()):
                yield text[:length]
                text = text[length:]


def _inside(node: Any) -> Iterator[Leaf]:
    for item in node.values() if isinstance(node, dict) else node:
        yield from _held(item)


def _is_json(node: Any) -> bool:
    return isinstance(node, dict) or not any(is_dataclass(item) for item in node)


def _figures(usage: Usage) -> set[Leaf]:
    """What token figures may be: those that we have, and sums and differences of the neutral."""
    known = [n for f in fields(usage) if isinstance(n := getattr(usage, f.name), int)]
    some = [part for size in range(len(known) + 1) for part in combinations(known, size)]
    sums = {sum(part) for part in some}
    own = set(_held(usage.extras))
    aside = [n for kind, n in own if kind == "int"]  # images, which one wire counts apart
    made = sums | {a - b for a in sums for b in (*known, *aside)}
    return {_leaf(n) for n in made} | own
