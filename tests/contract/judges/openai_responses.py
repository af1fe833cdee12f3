"""Judge of OpenAI Responses bodies: the SDK's closed types, and what items and parts may hold.

Ids, pairs and the whole request stand in the three files beside this one.
Sources: the SDK's types, error texts quoted in issues, 871 recorded requests.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .closed import ClosedTypes
from .fault import Fault, Json, Path, label, mapping, objects
from .media import DATA_URI, WEB_URL, base64_fault, link_fault, sniff
from .openai_chat import IMAGES, TOOL_NAME
from .responses_ids import id_faults, reasoning_faults
from .responses_pairs import pair_faults
from .responses_request import continues, request_faults
from .tooling import arguments_faults, name_faults

OUTPUT = {"output_text": "text", "refusal": "refusal"}
OUTPUT_KEYS = {"output_text": {"annotations", "logprobs"}, "refusal": set[str]()}
FILE_FORMS = ("file_id", "file_url", "file_data")


def _whole() -> Any:
    from openai.types.responses import response_create_params as params

    return params.ResponseCreateParamsNonStreaming


def _streamed() -> Any:
    from openai.types.responses import response_create_params as params

    return params.ResponseCreateParamsStreaming


WHOLE, STREAMED = ClosedTypes(_whole, listed="input"), ClosedTypes(_streamed, listed="input")


def wrap(messages: Json) -> Json:
    return {"input": messages}


def types(body: Json, *, whole: bool) -> Iterator[Fault]:
    kind = STREAMED if mapping(body).get("stream") is True else WHOLE
    yield from kind.faults(body, whole=whole)


def pairs(body: Json) -> Iterator[Fault]:
    given = mapping(body)
    yield from pair_faults(given.get("input"), ("input",), known=continues(given))


def rules(body: Json, *, whole: bool, path: str | None = None) -> Iterator[Fault]:
    given = mapping(body)
    items = given.get("input")
    if not items and not continues(given) and not given.get("prompt"):
        yield Fault("responses.no_input", ("input",), "at least one item is needed")
    for index, item in objects(items):
        yield from item_faults(item, ("input", index))
    yield from id_faults(items, ("input",))
    if whole:
        yield from request_faults(given, path)


def item_faults(item: dict[str, Json], at: Path) -> Iterator[Fault]:
    kind = item.get("type", "message" if "role" in item else None)
    if kind == "message":
        yield from message_faults(item, at)
    elif kind == "reasoning":
        yield from reasoning_faults(item, at)
    elif kind in ("function_call", "custom_tool_call"):
        yield from name_faults(item.get("name"), TOOL_NAME, (*at, "name"))
        if kind == "function_call":
            yield from arguments_faults(item.get("arguments"), (*at, "arguments"))
    elif kind in ("function_call_output", "custom_tool_call_output"):
        if item.get("output") == []:
            yield Fault("responses.empty_list", (*at, "output"), "an empty list of parts")
        for index, part in objects(item.get("output")):
            yield from input_faults(part, (*at, "output", index))


def message_faults(message: dict[str, Json], at: Path) -> Iterator[Fault]:
    content, assistant = message.get("content"), message.get("role") == "assistant"
    if content == []:
        yield Fault("responses.empty_list", (*at, "content"), "an empty list of parts")
    for index, part in objects(content):
        place, kind = (*at, "content", index), label(part.get("type"))
        if (kind in OUTPUT) != assistant:
            yield Fault("responses.seat", place, f"no {kind} in a message of {message.get('role')}")
        elif assistant:
            yield from output_faults(part, place)
        else:
            yield from input_faults(part, place)


def output_faults(part: dict[str, Json], at: Path) -> Iterator[Fault]:
    """Parts of the model's own words, which need no id, status or annotations around them."""
    kind = str(part.get("type"))
    said = OUTPUT[kind]
    if not isinstance(part.get(said), str) or set(part) - {"type", said} - OUTPUT_KEYS[kind]:
        yield Fault("responses.part", at, f"{kind} holds {said} and what the API put beside it")


def input_faults(part: dict[str, Json], at: Path) -> Iterator[Fault]:
    if part.get("type") == "input_image":
        url, file = part.get("image_url"), part.get("file_id")
        if (url is None) == (file is None):
            yield Fault("responses.image", at, "an image is either image_url or file_id")
        elif url is not None and (wrong := link_fault(url, IMAGES)):
            yield Fault("responses.image", (*at, "image_url"), wrong)
    elif part.get("type") == "input_file":
        forms = [form for form in FILE_FORMS if part.get(form) is not None]
        if len(forms) != 1:
            yield Fault("responses.file", at, f"a file is one of {', '.join(FILE_FORMS)}")
        elif wrong := file_fault(part, forms[0]):
            yield Fault("responses.file", (*at, forms[0]), wrong)


def file_fault(part: dict[str, Json], form: str) -> str | None:
    value = part[form]
    if form == "file_url":
        return None if WEB_URL.match(str(value)) else "no web address"
    if form == "file_id":
        return None if value else "no id"
    head = DATA_URI.match(str(value))
    if head is None:
        return "not a base64 data URI"
    data = str(value)[head.end() :]
    if not part.get("filename"):
        return "file_data without a filename"
    found = sniff(data)
    if found is not None and found != head.group(1):
        return f"announced as {head.group(1)}, but the bytes are {found}"
    return base64_fault(data)
