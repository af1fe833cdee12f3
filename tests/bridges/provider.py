"""A provider for tests that answers what it is asked: it reads the request, and no script.

    with StrictServer("anthropic", answer) as server: ...

It calls the tool that must be called, or whose name or use the user mentions; fills schemas with
numbers and quoted words of the question; says what a tool answered, and what media it was shown;
ends at stop sequences; and counts words as tokens. What comes out is a function of the request, so
a test can compare two ways of asking the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from itertools import takewhile
from typing import Any

from dragoman import ChatRequest, ChatResponse, Msg, Tool
from dragoman.message import (
    Candidate,
    Finish,
    Origin,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    Usage,
)

THOUGHT = "The user asks, and I answer."
SEAL = "c2VhbGVkIHRob3VnaHQ="


def answer(request: ChatRequest, issuer: str = "") -> ChatResponse:
    """Answer a request; thinking is signed in the way of the issuer."""
    blocks: list[Any] = []
    if issuer:
        origin = Origin(issuer, request.model)
        thought = ThinkingBlock(THOUGHT, origin=origin)
        if issuer == "openai-responses":
            thought.redacted = SEAL
        else:
            thought.signature = SEAL
        blocks.append(thought)
    calls = _calls(request)
    text = "" if calls else _text(request)
    reason: Any = "tool_calls" if calls else "stop"
    for stop in _stops(request):
        text = text.split(stop)[0]
    most = request.options.max_tokens
    words = text.split(" ")
    if most is not None and len(words) > most:
        text, reason = " ".join(words[:most]), "length"
    blocks += [TextBlock(text)] if text else []
    blocks += calls
    usage = Usage(_count(request), 3, 2, len(text.split()) + 5 * len(calls), None)
    return ChatResponse([Candidate(Msg("", blocks, "assistant"), Finish(reason))], usage)


def _stops(request: ChatRequest) -> list[str]:
    stop = request.options.stop
    return [stop] if isinstance(stop, str) else [*(stop or ())]


def _count(request: ChatRequest) -> int:
    return sum(len(msg.text.split()) for msg in request.messages)


def _asked(request: ChatRequest) -> str:
    """The text of the last message of the user that has one."""
    said = (msg.text for msg in reversed(request.messages) if msg.role == "user")
    return next((text for text in said if text), "")


def _calls(request: ChatRequest) -> list[ToolUseBlock]:
    """The calls that the question asks for: one for each tool that is named, or the forced one."""
    tools = [tool for tool in request.tools if isinstance(tool, Tool)]
    choice, asked = request.tool_choice, _asked(request)
    mode = "auto" if choice is None else choice.mode
    if not tools or mode == "none":
        return []
    by_name = {tool.name: tool for tool in tools}
    last = request.messages[-1].role if request.messages else ""
    if mode == "tool" and choice is not None and choice.name in by_name:
        wanted = [by_name[choice.name]]
    elif last == "user" and request.messages[-1].text:
        words = set(re.findall(r"\w{4,}", asked.lower()))
        wanted = [tool for tool in tools if tool.name in asked or words & _words(tool.name)]
    else:
        wanted = []
    if mode == "required" and not wanted:
        wanted = tools[:1]
    if choice is not None and choice.parallel is False:
        wanted = wanted[:1]
    return [
        ToolUseBlock(f"call_{i}_{len(request.messages)}", tool.name, fill(_schema(tool), asked))
        for i, tool in enumerate(wanted)
    ]


def _schema(tool: Tool) -> Mapping[str, Any]:
    return tool.parameters if isinstance(tool.parameters, Mapping) else {}


def _words(name: str) -> set[str]:
    return {word for word in re.split(r"\W|_", name.lower()) if len(word) >= 4}


def _text(request: ChatRequest) -> str:
    form, asked = request.response_format, _asked(request)
    if form is not None and form.schema is not None:
        return json.dumps(fill(form.schema, asked), ensure_ascii=False)
    if (described := _described(request)) is not None:
        return json.dumps(fill(described, asked), ensure_ascii=False)
    if (form is not None and form.kind == "json") or "JSON" in asked:
        return json.dumps(dict.fromkeys(re.findall(r"'(\w+)'", asked), "a cat"))
    last = request.messages[-1]
    after = [*takewhile(lambda msg: msg.role != "assistant", reversed(request.messages))]
    results = [b for msg in reversed(after) for b in msg.blocks if b.type == "tool_result"]
    if any(block.type == "tool_result" for block in last.blocks):
        said = [_output(block.output) for block in results]
        failed = any(block.is_error for block in results)
        return f"The tool {'failed' if failed else 'says'}: {'; '.join(said)}"
    media = [block for block in last.blocks if block.type in ("image", "audio", "document")]
    if media:
        return "I was shown: " + ", ".join(_medium(block) for block in media)
    name = f" {last.name}" if last.name else ""
    return f"Hello{name}, you say: {asked or 'nothing'}"


def _described(request: ChatRequest) -> Any:
    """A JSON Schema in the system prompt, in words of whoever asks."""
    prompts = [msg.text for msg in request.messages if msg.role in ("system", "developer")]
    for text in (request.system or "", *prompts):
        for found in re.finditer(r"\{", text):
            try:
                value, _ = json.JSONDecoder().raw_decode(text, found.start())
            except ValueError:
                continue
            if "properties" in value:
                return value
    return None


def _output(output: Any) -> str:
    if isinstance(output, list):
        return " ".join(getattr(one, "text", "") or _medium(one) for one in output)
    return output if isinstance(output, str) else json.dumps(output)


def _medium(block: Any) -> str:
    return f"{block.type} {block.source.media_type or block.source.type}"


def fill(schema: Mapping[str, Any], asked: str, root: Mapping[str, Any] | None = None) -> Any:
    """Make a value for a schema, of the numbers and quoted words of a question."""
    root = schema if root is None else root
    if isinstance(ref := schema.get("$ref"), str):
        found: Any = root
        for key in ref.removeprefix("#/").split("/"):
            found = found[key]
        return fill(found, asked, root)
    if "enum" in schema:
        return next((one for one in schema["enum"] if str(one) in asked), schema["enum"][0])
    if "const" in schema:
        return schema["const"]
    for union in ("anyOf", "oneOf", "allOf"):
        if union in schema:
            return fill(schema[union][0], asked, root)
    kind = schema.get("type", "object")
    kind = kind[0] if isinstance(kind, list) else kind
    numbers = re.findall(r"-?\d+", asked)
    if kind == "object":
        made = {}
        for name, inner in (schema.get("properties") or {}).items():
            is_number = inner.get("type") in ("integer", "number")
            made[name] = fill(inner, " ".join(numbers) if is_number else asked, root)
            numbers = numbers[1:] if is_number else numbers
        return made
    if kind == "array":
        return [fill(schema.get("items") or {"type": "string"}, asked, root)]
    if kind in ("integer", "number"):
        return int(numbers[0]) if numbers else 0
    if kind == "boolean":
        return True
    quoted = re.findall(r"['\"‘“]([^'\"’”]+)['\"’”]", asked)
    return quoted[0] if quoted else str(schema.get("title") or schema.get("description") or "cat")
