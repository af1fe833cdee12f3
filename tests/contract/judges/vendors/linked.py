"""Judge of copies of Chat Completions that take media by link in parts of their own."""

from __future__ import annotations

from collections.abc import Iterator

from .. import openai_chat
from ..fault import Fault, Json
from . import copies

wrap, types, pairs = openai_chat.wrap, openai_chat.types, openai_chat.pairs


def rules(body: Json, *, whole: bool, path: str | None = None) -> Iterator[Fault]:
    yield from openai_chat.rules(body, whole=whole, path=path)
    yield from copies.link_faults("linked.part", body, ("video_url", "audio_url"))
