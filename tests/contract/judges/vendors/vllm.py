"""Judge of what goes to a vLLM server: Chat Completions with the server's additions.

The additions stand in the table of exemptions; here are the shapes of its media parts.
"""

from __future__ import annotations

from collections.abc import Iterator

from .. import openai_chat
from ..fault import Fault, Json
from . import copies

wrap, types, pairs = openai_chat.wrap, openai_chat.types, openai_chat.pairs


def rules(body: Json, *, whole: bool, path: str | None = None) -> Iterator[Fault]:
    yield from openai_chat.rules(body, whole=whole, path=path)
    yield from copies.link_faults("vllm.part", body, ("video_url", "audio_url"))
