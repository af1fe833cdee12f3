"""Judge of DashScope's compatible mode: Chat Completions with Qwen's own switches and media.

Sources: the vendor's pages and client, error texts quoted in issues, 117 recorded requests.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .. import openai_chat
from ..dashscope_request import MOST_MARKS
from ..fault import Fault, Json, mapping, objects
from ..media import WEB_URL, base64_fault
from . import copies

wrap, types, pairs = openai_chat.wrap, openai_chat.types, openai_chat.pairs

PARTS = ("text", "image_url", "video_url", "video", "input_audio")
SOUND = re.compile(r"data:([\w.+-]+/[\w.+-]+)?;base64,")
# Those think without being asked; the commercial hybrids do not.
THINKS = re.compile(r"qwq|qvq|qwen3-.*-thinking|qwen3-\d+b(?!.*instruct)|qwen3-next-.*-thinking")


def rules(body: Json, *, whole: bool, path: str | None = None) -> Iterator[Fault]:
    yield from openai_chat.rules(body, whole=whole, path=path)
    yield from copies.role_faults("compatible.role", body)
    yield from copies.part_faults("compatible.part", body, PARTS)
    yield from copies.link_faults("compatible.link", body, ("video_url",))
    yield from copies.user_faults("compatible.no_user", body)
    for place, part, message in copies.parts(body):
        if part.get("type") == "input_audio":
            yield from _sound_faults(mapping(part.get("input_audio")).get("data"), place)
        if part.get("type") == "video" and not _is_film(part, message):
            yield Fault("compatible.link", place, "a film is a list of pictures of the user's")
    if whole:
        yield from _request_faults(mapping(body))


def _sound_faults(data: Json, at: tuple[str | int, ...]) -> Iterator[Fault]:
    """A link, or a data URI that may leave out its type; bare base64 fails here."""
    head = SOUND.match(data) if isinstance(data, str) else None
    linked = isinstance(data, str) and bool(WEB_URL.match(data))
    if not linked and (head is None or base64_fault(data[head.end() :])):
        yield Fault("compatible.audio", at, "neither a web address nor a base64 data URI")


def _is_film(part: dict[str, Json], message: dict[str, Json]) -> bool:
    frames = part.get("video")
    listed = isinstance(frames, list) and all(isinstance(frame, str) for frame in frames)
    return listed and bool(frames) and message.get("role") == "user"


def _request_faults(body: dict[str, Json]) -> Iterator[Fault]:
    model, asked = str(body.get("model")), body.get("enable_thinking")
    thinks = asked is True or (asked is None and bool(THINKS.match(model)))
    if thinks and copies.forced(body):
        yield Fault("compatible.forced", ("tool_choice",), "no forced tool while thinking")
    if body.get("reasoning_effort") is not None and body.get("thinking_budget") is not None:
        yield Fault("compatible.depth", ("thinking_budget",), "beside reasoning_effort")
    wants_json = mapping(body.get("response_format")).get("type") == "json_object"
    if wants_json and "json" not in str(body.get("messages")).lower():
        yield Fault("compatible.json_word", ("response_format",), "no message says JSON")
    marks = sum("cache_control" in part for _, part, _ in copies.parts(body))
    marks += sum("cache_control" in tool for _, tool in objects(body.get("tools")))
    if marks > MOST_MARKS:
        yield Fault("compatible.cache_marks", ("messages",), f"{marks} cache marks, not 4")
    if model.startswith("glm-") and not body.get("tools"):
        for index, message in objects(body.get("messages")):
            if isinstance(message.get("content"), list):
                place = ("messages", index, "content")
                yield Fault("compatible.glm", place, "parts are dropped without a word here")
