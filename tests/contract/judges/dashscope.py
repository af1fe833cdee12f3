"""Judge of DashScope's native bodies.

No SDK judges them: the key sets and shapes here are written from the vendor's documentation
and from recorded answers and error texts.

Content is a string on text generation and a list of one-key parts on multimodal generation;
without a path, either. The whole request stands in the file beside this one.
"""

from __future__ import annotations

from collections.abc import Iterator

from .dashscope_request import endpoint_of, request_faults
from .fault import Fault, Json, Path, label, mapping, members
from .media import DATA_URI
from .openai_chat import TOOL_NAME
from .pairing import call_faults, pair_faults
from .tooling import arguments_faults, name_faults

HERE: Path = ("input", "messages")
SHARED = {"role", "content", "cache_control"}
KEYS = {
    "system": SHARED,
    "user": SHARED,
    "assistant": SHARED | {"tool_calls", "reasoning_content", "partial"},
    "tool": SHARED | {"tool_call_id", "name"},
}
DATA = ("text", "image", "audio", "video")
OPTIONS = {
    "text": set[str](),
    "image": {"min_pixels", "max_pixels", "enable_rotate"},
    "audio": set[str](),
    "video": {"fps", "max_frames", "min_pixels", "max_pixels", "total_pixels"},
}


def wrap(messages: Json) -> Json:
    return {"input": {"messages": messages}}


def types(body: Json, *, whole: bool) -> Iterator[Fault]:
    """No official types exist: nothing is refused on this layer."""
    del body, whole
    yield from ()


def _messages(body: Json) -> Json:
    return mapping(mapping(body).get("input")).get("messages")


def pairs(body: Json) -> Iterator[Fault]:
    yield from pair_faults(_messages(body), HERE)


def rules(body: Json, *, whole: bool, path: str | None = None) -> Iterator[Fault]:
    messages = _messages(body)
    if not isinstance(messages, list) or not messages:
        yield Fault("dashscope.no_messages", HERE, "at least one message is needed")
        messages = []
    endpoint = endpoint_of(path)
    for index, message in enumerate(messages):
        if isinstance(message, dict):
            yield from message_faults(message, (*HERE, index), endpoint)
        else:
            yield Fault("dashscope.message", (*HERE, index), "no object")
    if messages and all(mapping(message).get("role") != "user" for message in messages):
        yield Fault("dashscope.no_user", HERE, "no message has the role of user")
    if whole:
        yield from request_faults(mapping(body), path)


def message_faults(message: dict[str, Json], at: Path, endpoint: str) -> Iterator[Fault]:
    role = label(message.get("role"))
    if role not in KEYS:
        yield Fault("dashscope.role", (*at, "role"), f"no role {role}")
        return
    for key in sorted(set(message) - KEYS[role]):
        yield Fault("dashscope.key", (*at, key), f"no such key on a {role} message")
    for key, kind in (("reasoning_content", str), ("name", str), ("partial", bool)):
        if key in message and not isinstance(message[key], kind):
            yield Fault("dashscope.value", (*at, key), f"is no {kind.__name__}")
    if role == "tool" and not (isinstance(message.get("tool_call_id"), str)):
        yield Fault("dashscope.value", (*at, "tool_call_id"), "a result names its call")
    yield from call_faults(message, at)
    for index, call in enumerate(members(message.get("tool_calls"))):
        yield from tool_call_faults(call, (*at, "tool_calls", index))
    yield from content_faults(message, (*at, "content"), endpoint)


def content_faults(message: dict[str, Json], at: Path, endpoint: str) -> Iterator[Fault]:
    content, calls = message.get("content"), bool(message.get("tool_calls"))
    if content == [{"text": None}] and calls:
        yield Fault("dashscope.null_text", at, "makes some models repeat the call for ever")
    elif isinstance(content, list):
        if not content and not calls:
            yield Fault("dashscope.empty_list", at, "an empty list of parts")
        marked = any("cache_control" in mapping(part) for part in content)
        if content and endpoint == "text" and not marked:
            yield Fault("dashscope.content_form", at, "text generation takes a string")
        for index, part in enumerate(content):
            yield from part_faults(part, (*at, index))
    elif not isinstance(content, str):
        yield Fault("dashscope.content", at, "neither a string nor a list of parts")
    elif endpoint == "multimodal" and message.get("role") != "tool":
        yield Fault("dashscope.content_form", at, "multimodal generation takes a list of parts")


def part_faults(part: Json, at: Path) -> Iterator[Fault]:
    data = [key for key in DATA if key in mapping(part)]
    if len(data) != 1:
        yield Fault("dashscope.part", at, f"a part holds one of {', '.join(DATA)}")
        return
    key, value = data[0], part[data[0]]
    for other in sorted(set(part) - {key, "cache_control"} - OPTIONS[key]):
        yield Fault("dashscope.part_key", (*at, other), f"no such key beside {key}")
    if key == "text":
        if not isinstance(value, str):
            yield Fault("dashscope.text", (*at, key), "text is a string")
        return
    frames = value if isinstance(value, list) and key == "video" else [value]
    if not frames or not all(_is_link(frame) for frame in frames):
        yield Fault("dashscope.media", (*at, key), "no web address, oss:// address or data URI")


def _is_link(url: Json) -> bool:
    if not isinstance(url, str):
        return False
    if url.startswith("data:"):
        return DATA_URI.match(url) is not None
    return url.startswith(("http://", "https://", "oss://"))


def tool_call_faults(call: Json, at: Path) -> Iterator[Fault]:
    function = mapping(mapping(call).get("function"))
    shape = set(mapping(call)) == {"id", "type", "function"} and call["type"] == "function"
    if not shape or set(function) != {"name", "arguments"}:
        said = "a call is id, type and function, and this name and arguments"
        yield Fault("dashscope.call", at, said)
        return
    if not isinstance(call["id"], str) or not call["id"]:
        yield Fault("dashscope.call", (*at, "id"), "a call without an id")
    yield from name_faults(function["name"], TOOL_NAME, (*at, "function", "name"))
    yield from arguments_faults(function["arguments"], (*at, "function", "arguments"))
