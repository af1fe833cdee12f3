"""Hugging Face's training data as TRL reads it: three forms, each of texts or of messages.

`messages`; `prompt` and `completion` (and a `label`, where answers are judged one by one);
`prompt`, `chosen` and `rejected`, where the prompt may be missing, and both begin with it. `tools`
and `images` are columns beside them, and other columns are allowed. In messages, arguments are
objects and ids are not needed; an image is `{"type": "image"}`, filled from `images` in order, and
images without such places belong before the first text of the user.

Source: docs/source/dataset_formats.md and `trl.data_utils` of TRL 1.16 (read 2026-11-29). The
thinking of an assistant's message is `reasoning_content`, as the templates of most models have it;
`thinking`, which gpt-oss has, is read too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...errors import ReadError, WriteError
from ...losses import Report
from ...protocols.openai_chat.fields import FIELDS
from ...text.json_text import Json, JsonObject
from .chat_messages import find_answer, parse_arguments, read_messages
from .conversation import PLAIN, Conversation, MessageForm, note_rejected, read_chat

_COLUMNS = ("messages", "prompt", "completion", "chosen", "rejected", "tools", "images")
# what only a request has; the other keys of a record are columns
_ASKED = frozenset(
    key
    for key in FIELDS.list_keys("")
    if key not in ("messages", "tools", "functions", "parallel_tool_calls", "metadata", "user")
)
_CHANGES = {
    "audio": False,
    "document": False,
    "video": False,
    "thinking": "all",
    "late_system": "keep",
}
_FORMS = {
    name: MessageForm(name, PLAIN, _CHANGES, thinks=True)
    for name in ("hf-messages", "hf-prompt-completion", "hf-preference")
}


def claims_messages(record: JsonObject) -> bool:
    """Whether a record has messages."""
    return isinstance(record.get("messages"), list)


def has_messages_alone(record: JsonObject) -> bool:
    """Whether a record has messages, and nothing that only a request of Chat Completions has."""
    return claims_messages(record) and _ASKED.isdisjoint(record)


def claims_completion(record: JsonObject) -> bool:
    """Whether a record has a prompt and its completion."""
    return "prompt" in record and "completion" in record


def claims_preference(record: JsonObject) -> bool:
    """Whether a record has two answers, and is none of LLaMA-Factory's, which has other prompts."""
    both = "chosen" in record and "rejected" in record
    return both and "instruction" not in record and "conversations" not in record


def read(record: JsonObject) -> Conversation:
    """Read a record of any of the three forms."""
    others = {key: value for key, value in record.items() if key not in _COLUMNS}
    rest = {"tools": record["tools"]} if record.get("tools") else {}
    images = _list_images(record.get("images"))
    if "messages" in record:
        messages = _fill_images(read_messages(record["messages"], "$.messages"), images)
        others |= {key: record[key] for key in _COLUMNS[1:5] if key in record}
        return read_chat({**rest, "messages": messages}, others=others)
    pair = "chosen" in record
    better_key = "chosen" if pair else "completion"
    better = _read_turns(record.get(better_key), "assistant", f"$.{better_key}")
    worse = _read_turns(record.get("rejected"), "assistant", "$.rejected") if pair else None
    skipped = 0
    if "prompt" in record:
        prompt = _read_turns(record["prompt"], "user", "$.prompt")
    else:
        prompt = better[: _count_common(better, worse or [])]
        skipped = len(prompt)
        if not prompt:
            text = "chosen and rejected have no message in common, and there is no prompt"
            raise ReadError(text, path="$.chosen", code="record.prompt")
        better, worse = better[skipped:], (worse or [])[skipped:]
    start = len(prompt)
    prompt = _fill_images(prompt, images)
    own = [(f"$.messages[{i}]", f"$.prompt[{i}]") for i in range(start)] if not skipped else []
    return read_chat(
        {**rest, "messages": [*prompt, *better]},
        [*own, *_moves(better_key, start, len(better), skipped), ("$.messages", "$.chosen")],
        start,
        worse,
        _moves("rejected", start, len(worse or ()), skipped),
        others,
    )


def _moves(key: str, start: int, count: int, skipped: int) -> list[tuple[str, str]]:
    return [(f"$.messages[{start + i}]", f"$.{key}[{skipped + i}]") for i in range(count)]


def _read_turns(value: Json, role: str, path: str) -> list[JsonObject]:
    """The messages of a column; a text is one of this role."""
    if isinstance(value, str):
        return [{"role": role, "content": value}]
    if isinstance(value, dict):
        value = [value]
    return read_messages(value, path)


def _count_common(one: list[JsonObject], two: list[JsonObject]) -> int:
    """How many messages both lists begin with, before the answer of either."""
    count = 0
    for a, b in zip(one[:-1], two[:-1], strict=False):
        if a != b:
            break
        count += 1
    return count


def _list_images(value: Json) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _image_url(image: Any, path: str) -> str:
    """The address of an image: a URL, a path, or the object that `datasets` writes for one."""
    if isinstance(image, dict):
        image = image.get("url") or image.get("path") or image.get("bytes")
    if not isinstance(image, str) or not image:
        text = "an image is a URL, a data URI or a path"
        raise ReadError(text, path=path, code="record.image")
    return image


def _fill_images(messages: list[JsonObject], images: list[Any]) -> list[JsonObject]:
    """Put the images where the messages show them."""
    urls = [_image_url(image, f"$.images[{i}]") for i, image in enumerate(images)]
    waiting = iter(urls)
    count = 0
    for m in messages:
        if isinstance(m.get("content"), list):
            count += sum(map(_is_place, m["content"]))
            m["content"] = [_fill_part(part, waiting) for part in m["content"]]
    left = [{"type": "image_url", "image_url": {"url": url}} for url in waiting]
    if left:
        first = next((m for m in messages if m.get("role") == "user"), None)
        if count or first is None or not isinstance(first.get("content"), str):
            text = "there are more images than places for them"
            raise ReadError(text, path="$.images", code="record.image")
        first["content"] = [*left, {"type": "text", "text": first["content"]}]
    return messages


def _is_place(part: Json) -> bool:
    is_image = isinstance(part, dict) and part.get("type") == "image"
    return is_image and part.get("image", part.get("url")) is None


def _fill_part(part: Json, waiting: Iterator[str]) -> Json:
    if not isinstance(part, dict) or part.get("type") != "image":
        return part
    given = part.get("image", part.get("url"))
    url = next(waiting, None) if given is None else _image_url(given, "$.messages")
    if url is None:
        text = "there are more places for images than images"
        raise ReadError(text, path="$.images", code="record.image")
    return {"type": "image_url", "image_url": {"url": url}}


def write_messages(conversation: Conversation) -> tuple[JsonObject, list[Report]]:
    """Write `messages`; of a pair, the better answer."""
    form = _FORMS["hf-messages"]
    body, _, reports = form.write(conversation, conversation.others)
    note_rejected(conversation, reports[0])
    del reports[1:]
    images: list[str] = []
    record = {"messages": _write(body["messages"], images)}
    return _finish(record, body, images, conversation), reports


def write_completion(conversation: Conversation) -> tuple[JsonObject, list[Report]]:
    """Write `prompt` and `completion`; of a pair, the better answer."""
    form = _FORMS["hf-prompt-completion"]
    body, _, reports = form.write(conversation, conversation.others)
    note_rejected(conversation, reports[0])
    del reports[1:]
    images: list[str] = []
    start = _find_start(conversation, body)
    messages = _write(body["messages"], images)
    record: JsonObject = {"prompt": messages[:start], "completion": messages[start:]}
    return _finish(record, body, images, conversation), reports


def write_preference(conversation: Conversation) -> tuple[JsonObject, list[Report]]:
    """Write `prompt`, `chosen` and `rejected`.

    Raises WriteError for a record that has one answer.
    """
    if conversation.rejected is None:
        text = "a pair has two answers, and the record has one"
        hint = "write hf-messages or hf-prompt-completion"
        raise WriteError(text, path="$", code="record.rejected", hint=hint)
    form = _FORMS["hf-preference"]
    body, other, reports = form.write(conversation, conversation.others)
    images: list[str] = []
    start = _find_start(conversation, body)
    messages = _write(body["messages"], images)
    worse = [] if other is None else _write(other["messages"][start:], images)
    record: JsonObject = {
        "prompt": messages[:start],
        "chosen": messages[start:],
        "rejected": worse,
    }
    return _finish(record, body, images, conversation), reports


def _find_start(conversation: Conversation, body: JsonObject) -> int:
    """The index of the answer; raises WriteError if nothing comes before it."""
    asked = conversation.chosen.request.messages[: conversation.chosen.answer]
    start = find_answer(body["messages"], sum(m.role == "assistant" for m in asked))
    if not start:
        text = "there is no message before the answer, and the form has a prompt"
        raise WriteError(text, path="$.messages", code="record.prompt", hint="write hf-messages")
    return start


def _finish(
    record: JsonObject, body: JsonObject, images: list[str], conversation: Conversation
) -> JsonObject:
    if body.get("tools"):
        record["tools"] = body["tools"]
    if images:
        record["images"] = images
    others = conversation.others
    return {**record, **{key: value for key, value in others.items() if key not in record}}


def _write(messages: list[JsonObject], images: list[str]) -> list[JsonObject]:
    """The messages of a body of Chat Completions as templates take them.

    Where one content is a list of parts, all are: columns have one type, and into plain texts TRL
    would put the images itself.
    """
    names: dict[str, str] = {}
    written = [_write_message(m, images, names) for m in messages]
    if any(isinstance(m.get("content"), list) for m in written):
        for m in written:
            if isinstance(m.get("content"), str):
                m["content"] = [{"type": "text", "text": m["content"]}]
    return written


def _write_message(m: JsonObject, images: list[str], names: dict[str, str]) -> JsonObject:
    message = dict(m)
    content = message.get("content")
    if content is None:
        message.pop("content", None)
    elif isinstance(content, list):
        message["content"] = [_write_part(part, images) for part in content]
    if not message.get("tool_calls"):
        message.pop("tool_calls", None)
    else:
        calls = []
        for call in message["tool_calls"]:
            function = dict(call["function"])
            function["arguments"] = parse_arguments(function.get("arguments"))
            names[call.get("id", "")] = function.get("name", "")
            calls.append({**call, "function": function})
        message["tool_calls"] = calls
    if message.get("role") == "tool" and (name := names.get(message.get("tool_call_id", ""))):
        message["name"] = name
    if message.get("role") == "developer":
        message["role"] = "system"
    return message


def _write_part(part: JsonObject, images: list[str]) -> JsonObject:
    if part.get("type") != "image_url":
        return part
    images.append(part["image_url"]["url"])
    return {"type": "image"}
