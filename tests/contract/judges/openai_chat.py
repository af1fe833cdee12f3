"""Judge of OpenAI Chat Completions bodies.

The SDK's closed types, pairs, and what the provider's documents and error texts add to them.

Compatible vendors call these functions and add their own rules beside them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .closed import ClosedTypes
from .fault import Fault, Json, Path, brief, mapping, members, objects
from .media import base64_fault, link_fault
from .pairing import call_faults, pair_faults
from .tooling import (
    Definition,
    arguments_faults,
    choice_faults,
    definition_faults,
    name_faults,
    strict_faults,
)

LONGEST_ID = 40
IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp")
SPEAKER = re.compile(r"[^\s<|\\/>]{1,64}")
TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
ENDPOINT = re.compile(r".*/chat/completions(\?.*)?")


def _whole() -> Any:
    from openai.types.chat import completion_create_params as params

    return params.CompletionCreateParamsNonStreaming


def _streamed() -> Any:
    from openai.types.chat import completion_create_params as params

    return params.CompletionCreateParamsStreaming


WHOLE, STREAMED = ClosedTypes(_whole), ClosedTypes(_streamed)


def wrap(messages: Json) -> Json:
    return {"messages": messages}


def types(body: Json, *, whole: bool) -> Iterator[Fault]:
    kind = STREAMED if mapping(body).get("stream") is True else WHOLE
    yield from kind.faults(body, whole=whole)


def pairs(body: Json) -> Iterator[Fault]:
    yield from pair_faults(mapping(body).get("messages"), ("messages",))


def rules(body: Json, *, whole: bool, path: str | None = None) -> Iterator[Fault]:
    messages = mapping(body).get("messages")
    if not messages:
        yield Fault("chat.no_messages", ("messages",), "at least one message is needed")
    for index, message in objects(messages):
        yield from message_faults(message, ("messages", index))
    if whole:
        yield from request_faults(mapping(body))
        if path is not None and not ENDPOINT.fullmatch(path):
            yield Fault("chat.endpoint", (), f"{path!r} is no chat completions endpoint")


def message_faults(message: dict[str, Json], at: Path) -> Iterator[Fault]:
    yield from call_faults(message, at)
    yield from content_faults(message, at)
    for key in ("name", "tool_call_id"):
        if key in message:
            yield from _label_faults(key, message[key], (*at, key))
    for index, call in objects(message.get("tool_calls")):
        yield from tool_call_faults(call, (*at, "tool_calls", index))


def _label_faults(key: str, label: Json, at: Path) -> Iterator[Fault]:
    if key == "name" and isinstance(label, str) and not SPEAKER.fullmatch(label):
        yield Fault("chat.speaker", at, f"name {brief(label)} does not match {SPEAKER.pattern}")
    elif key != "name" and (not isinstance(label, str) or not label):
        yield Fault("chat.call_id", at, f"call id {brief(label)} is no id")
    elif key != "name" and len(label) > LONGEST_ID:
        yield Fault("chat.long_id", at, f"call id {brief(label)} is longer than {LONGEST_ID}")


def content_faults(message: dict[str, Json], at: Path) -> Iterator[Fault]:
    content, role = message.get("content"), message.get("role")
    if content == []:
        yield Fault("chat.empty_list", (*at, "content"), "an empty list of parts")
    said = ("tool_calls", "function_call", "refusal", "audio")
    if content is None and role == "assistant" and not any(message.get(key) for key in said):
        yield Fault("chat.says_nothing", at, "an assistant without content, calls or refusal")
    for index, part in objects(content):
        yield from part_faults(part, (*at, "content", index))


def part_faults(part: dict[str, Json], at: Path) -> Iterator[Fault]:
    image, audio, file = (mapping(part.get(k)) for k in ("image_url", "input_audio", "file"))
    if "url" in image and (wrong := link_fault(image["url"], IMAGES)):
        yield Fault("chat.image", (*at, "image_url", "url"), wrong)
    if "data" in audio and (wrong := base64_fault(audio["data"])):
        yield Fault("chat.audio", (*at, "input_audio", "data"), wrong)
    if part.get("type") == "file":
        if ("file_id" in file) == ("file_data" in file):
            yield Fault("chat.file", (*at, "file"), "a file is either file_id or file_data")
        if "file_data" in file:
            if wrong := link_fault(file["file_data"], ("application/pdf",)):
                yield Fault("chat.file_data", (*at, "file", "file_data"), wrong)
            elif not file["file_data"].startswith("data:"):
                yield Fault("chat.file_data", (*at, "file", "file_data"), "a file by URL")


def tool_call_faults(call: dict[str, Json], at: Path) -> Iterator[Fault]:
    yield from _label_faults("id", call.get("id"), (*at, "id"))
    if call.get("type") == "function":
        function = mapping(call.get("function"))
        yield from name_faults(function.get("name"), TOOL_NAME, (*at, "function", "name"))
        place = (*at, "function", "arguments")
        yield from arguments_faults(function.get("arguments"), place)


def request_faults(body: dict[str, Json]) -> Iterator[Fault]:
    tools = definitions(body)
    yield from definition_faults(tools, TOOL_NAME)
    for index, tool in objects(body.get("tools")):
        function = mapping(tool.get("function"))
        if function.get("strict") is True:
            at = ("tools", index, "function", "parameters")
            yield from strict_faults(function.get("parameters", {}), at)
    if body.get("tools") == []:
        yield Fault("tools.none", ("tools",), "an empty list of tools")
    choice = body.get("tool_choice")
    if choice is not None:  # a vendor's own tools are no definitions, but tools
        declared = tools or [Definition(None, ("tools",)) for _ in members(body.get("tools"))]
        yield from choice_faults(_named(choice), declared, ("tool_choice",))
    if "parallel_tool_calls" in body and not body.get("tools"):
        yield Fault("tools.choice_alone", ("parallel_tool_calls",), "set without tools")
    yield from option_faults(body)


def definitions(body: dict[str, Json]) -> list[Definition]:
    found = []
    for index, tool in objects(body.get("tools")):
        kind = tool.get("type", "function")
        if kind not in ("function", "custom"):
            continue
        inner, at = mapping(tool.get(kind)), ("tools", index, kind)
        schema = inner.get("parameters") if kind == "function" else None
        found.append(Definition(inner.get("name"), (*at, "name"), schema, (*at, "parameters")))
    return found


def _named(choice: Json) -> str | None:
    kind = mapping(choice).get("type")
    return mapping(mapping(choice).get(str(kind))).get("name")


def option_faults(body: dict[str, Json]) -> Iterator[Fault]:
    if "max_tokens" in body and "max_completion_tokens" in body:
        yield Fault("chat.two_limits", ("max_tokens",), "set beside max_completion_tokens")
    if body.get("stream_options") is not None and body.get("stream") is not True:
        yield Fault("chat.stream_options", ("stream_options",), "set without stream")
    if isinstance(body.get("stop"), list) and len(body["stop"]) > 4:
        yield Fault("chat.stop", ("stop",), "more than four stop sequences")
    output = mapping(mapping(body.get("response_format")).get("json_schema"))
    if output:
        at = ("response_format", "json_schema")
        if not TOOL_NAME.fullmatch(str(output.get("name"))):
            yield Fault("chat.output_name", (*at, "name"), "does not match a-z A-Z 0-9 _ -")
        if output.get("strict") is True:
            yield from strict_faults(output.get("schema", {}), (*at, "schema"))
