"""The shapes of Open Responses, in a table of our own: request, items, response, events.

Made from the OpenAPI document of 2026-04-24 (github.com/openresponses/openresponses,
`public/openapi/openapi.json`) and what "Extending Open Responses" demands beside it: items, tools
and events of a host bear its name in front of a colon, items with `id` and `status`, events with
`sequence_number`. Where the document has a list with a form for each type, a part or an item of no
known type is refused.

A field is `name: what it takes`, required if the name ends in `!`. What it takes is a word (`str`,
`int`, `num`, `bool`, `map`, `any`; with `?` also null), words joined by `|` behind `=`, the name
of a shape, `*` for an item, or a list of such: each entry is one of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .fault import Fault, Json, Path, brief

_STATUS = "=in_progress|completed|incomplete"
_INPUT = ["input_text", "input_image", "input_file"]
_ANY_PART = [*_INPUT, "output_text", "text", "summary_text", "reasoning_text", "refusal"]
_OWN = {"id": "str?", "status": "str?"}
_USAGE = {"input_tokens!": "int", "output_tokens!": "int", "total_tokens!": "int",
          "input_tokens_details!": "cached", "output_tokens_details!": "reasoned"}  # fmt: skip

Fields = Mapping[str, Any]

# what requests hold
ASKED: dict[str, Fields] = {
    "body": {
        "model": "str?", "input": ["*", "str"], "previous_response_id": "str?",
        "include": ["=reasoning.encrypted_content|message.output_text.logprobs"],
        "tools": ["function"], "tool_choice": ["=none|auto|required", "function", "allowed_tools"],
        "metadata": "map", "text": "text_options", "temperature": "num?", "top_p": "num?",
        "presence_penalty": "num?", "frequency_penalty": "num?", "parallel_tool_calls": "bool?",
        "stream": "bool", "stream_options": "map", "background": "bool",
        "max_output_tokens": "int?", "max_tool_calls": "int?", "reasoning": "reasoning_options",
        "safety_identifier": "str?", "prompt_cache_key": "str?", "truncation": "=auto|disabled",
        "instructions": "str?", "store": "bool", "top_logprobs": "int?",
        "service_tier": "=auto|default|flex|priority",
    },
    "user": {"type!": "=message", "role!": "=user", "content!": ["str", *_INPUT], **_OWN},
    "system": {"type!": "=message", "role!": "=system", "content!": ["str", "input_text"], **_OWN},
    "developer": {"type!": "=message", "role!": "=developer", "content!": ["str", "input_text"],
                  **_OWN},
    "assistant": {"type!": "=message", "role!": "=assistant", "phase": "=commentary|final_answer",
                  "content!": ["str", "output_text", "refusal"], **_OWN},
    "reasoning": {"type!": "=reasoning", "id": "str?", "summary!": ["summary_text"],
                  "content": "null", "encrypted_content": "str?"},
    "compaction": {"type!": "=compaction", "id": "str?", "encrypted_content!": "str"},
    "function_call": {"type!": "=function_call", "call_id!": "str", "name!": "str",
                      "arguments!": "str", **_OWN},
    "function_call_output": {"type!": "=function_call_output", "call_id!": "str", **_OWN,
                             "output!": ["str", *_INPUT, "input_video"]},
    "item_reference": {"type": "=item_reference", "id!": "str"},
    "input_text": {"type!": "=input_text", "text!": "str"},
    "input_image": {"type!": "=input_image", "image_url": "str?", "detail": "=low|high|auto"},
    "input_file": {"type!": "=input_file", "filename": "str?", "file_data": "str?",
                   "file_url": "str?", "file_id": "str?"},  # the last by "File Input" alone
    "input_video": {"type!": "=input_video", "video_url!": "str"},
    "output_text": {"type!": "=output_text", "text!": "str", "annotations": ["url_citation"]},
    "refusal": {"type!": "=refusal", "refusal!": "str"},
    "summary_text": {"type!": "=summary_text", "text!": "str"},
    "url_citation": {"type!": "=url_citation", "url!": "str", "title!": "str",
                     "start_index!": "int", "end_index!": "int"},
    "function": {"type!": "=function", "name!": "str", "description": "str?",
                 "parameters": "map", "strict": "bool"},
    "allowed_tools": {"type!": "=allowed_tools", "tools!": ["function"],
                      "mode": "=none|auto|required"},
    "text_options": {"format": "format", "verbosity": "=low|medium|high"},
    "format": {"type!": "=text|json_schema", "name": "str", "description": "str",
               "schema": "map", "strict": "bool?"},
    "reasoning_options": {"effort": "=none|low|medium|high|xhigh",
                          "summary": "=concise|detailed|auto"},
}  # fmt: skip

# what answers hold; a server may add fields
SAID: dict[str, Fields] = {
    "response": {
        "id!": "str", "object!": "=response", "created_at!": "int", "completed_at!": "int?",
        "status!": "str", "incomplete_details!": "map?", "model!": "str",
        "previous_response_id!": "str?", "instructions!": "str?", "output!": ["*"],
        "error!": "failure", "tools!": ["any"], "tool_choice!": "any", "text!": "map",
        "truncation!": "=auto|disabled", "parallel_tool_calls!": "bool", "top_p!": "num",
        "presence_penalty!": "num", "frequency_penalty!": "num", "top_logprobs!": "int",
        "temperature!": "num", "reasoning!": "map?", "usage!": "usage",
        "max_output_tokens!": "int?", "max_tool_calls!": "int?", "store!": "bool",
        "background!": "bool", "service_tier!": "str", "metadata!": "any",
        "safety_identifier!": "str?", "prompt_cache_key!": "str?",
    },
    "failure": {"code!": "str", "message!": "str"},
    "payload": {"type!": "str", "code!": "str?", "message!": "str", "param!": "str?"},
    "usage": _USAGE, "cached": {"cached_tokens!": "int"}, "reasoned": {"reasoning_tokens!": "int"},
    "message": {"type!": "=message", "id!": "str", "status!": _STATUS, "content!": _ANY_PART,
                "role!": "=user|assistant|system|developer", "phase": "=commentary|final_answer"},
    "function_call": {"type!": "=function_call", "id!": "str", "call_id!": "str", "name!": "str",
                      "arguments!": "str", "status!": _STATUS},
    "reasoning": {"type!": "=reasoning", "id!": "str", "summary!": _ANY_PART,
                  "content": _ANY_PART, "encrypted_content": "str"},
    "input_text": {"text!": "str"}, "text": {"text!": "str"}, "summary_text": {"text!": "str"},
    "reasoning_text": {"text!": "str"}, "refusal": {"refusal!": "str"},
    "output_text": {"text!": "str", "annotations!": ["url_citation"], "logprobs": ["any"]},
    "url_citation": ASKED["url_citation"],
    "input_image": ASKED["input_image"], "input_file": ASKED["input_file"],
}  # fmt: skip

_ITEM = {"item_id!": "str", "output_index!": "int"}
_CONTENT = {**_ITEM, "content_index!": "int"}
_SUMMARY = {**_ITEM, "summary_index!": "int"}
_STATES = ("created", "queued", "in_progress", "completed", "failed", "incomplete")
EVENTS: dict[str, Fields] = {
    **{f"response.{state}": {"response!": "response"} for state in _STATES},
    **{f"response.output_item.{end}": {"output_index!": "int", "item!": "*"}
       for end in ("added", "done")},
    **{f"response.content_part.{end}": {**_CONTENT, "part!": _ANY_PART}
       for end in ("added", "done")},
    **{f"response.reasoning_summary_part.{end}": {**_SUMMARY, "part!": _ANY_PART}
       for end in ("added", "done")},
    **{f"response.{text}.delta": {**_CONTENT, "delta!": "str"}
       for text in ("output_text", "refusal", "reasoning")},
    "response.output_text.done": {**_CONTENT, "text!": "str"},
    "response.reasoning.done": {**_CONTENT, "text!": "str"},
    "response.refusal.done": {**_CONTENT, "refusal!": "str"},
    "response.reasoning_summary_text.delta": {**_SUMMARY, "delta!": "str"},
    "response.reasoning_summary_text.done": {**_SUMMARY, "text!": "str"},
    "response.output_text.annotation.added": {**_CONTENT, "annotation_index!": "int",
                                              "annotation!": "url_citation"},
    "response.function_call_arguments.delta": {**_ITEM, "delta!": "str"},
    "response.function_call_arguments.done": {**_ITEM, "arguments!": "str"},
    "error": {"error!": "payload"},
}  # fmt: skip

_ITEMS = ("user", "system", "developer", "assistant", "message", "reasoning", "compaction",
          "function_call", "function_call_output", "item_reference")  # fmt: skip
_WORDS: dict[str, tuple[type, ...]] = {"str": (str,), "int": (int,), "num": (int, float),
                                       "bool": (bool,), "map": (dict,), "null": ()}  # fmt: skip
_NULLABLE = {"error", "usage", "annotation", "tools", "text", "reasoning", "metadata", "detail",
             "effort", "summary", "format", "parameters", "stream_options"}  # fmt: skip


def request_faults(body: Json) -> Iterator[Fault]:
    """Where a request is not of the document's shape; other keys are refused, too."""
    yield from _shape(body, "body", (), ASKED, closed=True)


def response_faults(response: Json) -> Iterator[Fault]:
    """The same for a whole answer, whose server may have added fields."""
    yield from _shape(response, "response", (), SAID, closed=False)


def event_faults(event: Json) -> Iterator[Fault]:
    """The same for an event of a stream."""
    kind = event.get("type")
    if type(event.get("sequence_number")) is not int:
        yield Fault("types.missing", ("sequence_number",), "every event has its number")
    if kind not in EVENTS:
        if ":" not in str(kind):
            yield Fault("types.kind", ("type",), f"no event {kind!r}, and no host's own")
        return
    yield from _shape(event, kind, (), {**SAID, kind: EVENTS[kind]}, closed=False)


def _shape(
    value: Json, name: str, at: Path, shapes: Mapping[str, Fields], *, closed: bool
) -> Iterator[Fault]:
    if not isinstance(value, dict):
        yield Fault("types.value", at, f"{brief(value)} is no {name}")
        return
    names = {key.removesuffix("!"): takes for key, takes in shapes[name].items()}
    for key in shapes[name]:
        if key.endswith("!") and key[:-1] not in value:
            yield Fault("types.missing", (*at, key[:-1]), f"a {name} needs it")
    for key, inner in value.items():
        if key in names:
            if inner is not None or key not in _NULLABLE:
                yield from _value(inner, names[key], (*at, key), shapes, closed=closed)
        elif closed:
            yield Fault("types.unknown_key", (*at, key), f"a {name} has no such key")


def _value(
    value: Json, takes: Any, at: Path, shapes: Mapping[str, Fields], *, closed: bool
) -> Iterator[Fault]:
    if takes == "any":
        return
    if isinstance(takes, list):
        yield from _listed(value, takes, at, shapes, closed=closed)
    elif takes == "*":
        yield from _item(value, at, shapes, closed=closed)
    elif takes.startswith("="):
        if value not in takes[1:].split("|"):
            yield Fault("types.value", at, f"{brief(value)} is none of {takes[1:]}")
    elif takes in shapes:
        yield from _shape(value, takes, at, shapes, closed=closed)
    else:
        word = takes.removesuffix("?")
        fits = isinstance(value, _WORDS[word]) and (word == "bool" or type(value) is not bool)
        if not (fits or (value is None and (word != takes or word == "null"))):
            yield Fault("types.value", at, f"{brief(value)} is no {takes}")


def _listed(
    value: Json, takes: list[str], at: Path, shapes: Mapping[str, Fields], *, closed: bool
) -> Iterator[Fault]:
    """What `takes` names, or a list of that; a text stands alone."""
    if takes == ["any"] or (isinstance(value, str) and "str" in takes):
        return
    words = [word for take in takes if take[0] == "=" for word in take[1:].split("|")]
    rows = [((*at, i), entry) for i, entry in enumerate(value)] if isinstance(value, list) else []
    for place, entry in rows or [(at, value)] if value != [] else ():
        kind = entry.get("type") if isinstance(entry, dict) else None
        if "*" in takes:
            yield from _item(entry, place, shapes, closed=closed)
        elif isinstance(entry, str):
            if entry not in words:
                yield Fault("types.value", place, f"{brief(entry)} is none of {words}")
        elif kind in takes:
            yield from _shape(entry, str(kind), place, shapes, closed=closed)
        elif ":" not in str(kind):
            yield Fault("types.kind", place, f"no {brief(kind)} stands here")


def _item(value: Json, at: Path, shapes: Mapping[str, Fields], *, closed: bool) -> Iterator[Fault]:
    data = value if isinstance(value, dict) else {}
    kind = data.get("type")
    if ":" in str(kind):
        for key in ("id", "status"):
            if not isinstance(data.get(key), str):
                yield Fault("types.missing", (*at, key), "an item of a host's own needs it")
        return
    name = data.get("role") if kind == "message" and "user" in shapes else kind
    if kind is None and data.keys() == {"id"}:
        name = "item_reference"
    if name not in _ITEMS or name not in shapes:
        yield Fault("types.kind", at, f"no item of type {brief(kind)}")
        return
    yield from _shape(value, name, at, shapes, closed=closed)
