"""Judge of what goes to a vLLM server: Chat Completions with the server's additions.

The additions stand in the table of exemptions; here are the shapes of its media parts.
"""

from __future__ import annotations

from collections.abc import Iterator

from . import openai_chat
from .fault import Fault, Json, mapping, objects
from .media import DATA_URI, WEB_URL

wrap, types, pairs = openai_chat.wrap, openai_chat.types, openai_chat.pairs


def rules(body: Json, *, whole: bool, path: str | None = None) -> Iterator[Fault]:
    yield from openai_chat.rules(body, whole=whole, path=path)
    for index, message in objects(mapping(body).get("messages")):
        for number, part in objects(message.get("content")):
            kind = part.get("type")
            if kind not in ("video_url", "audio_url"):
                continue
            place = ("messages", index, "content", number)
            if message.get("role") != "user":
                yield Fault("vllm.part", place, f"{kind} outside a user message")
            url = mapping(part.get(kind)).get("url")
            if set(part) != {"type", kind} or not _is_link(url):
                yield Fault("vllm.part", place, f"{kind} holds one web address or data URI")


def _is_link(url: Json) -> bool:
    return isinstance(url, str) and bool(WEB_URL.match(url) or DATA_URI.match(url))
