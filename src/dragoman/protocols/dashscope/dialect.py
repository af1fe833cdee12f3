"""What DashScope's two endpoints carry, and what a caller without a model chooses.

Which endpoint serves which model is a fact of the model, not of this protocol.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ...capabilities import Capabilities
from ...stream.think_tags import TagForm

# Below the base URL. A model that is sent to the other one answers 400, "url error".
TEXT = "/services/aigc/text-generation/generation"
MULTIMODAL = "/services/aigc/multimodal-generation/generation"


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a caller spells what the protocol leaves open.

    `call_content`: what stands beside tool calls without text as long as no endpoint is known, an
    empty `list` or one part whose text is null. `bullets`: several texts of one tool result
    become a list with dashes. `typed`: a part says its kind in a key `type`, too. `media_seats`:
    who may show media. `streams`: whether the events of a stream are `deltas` or `snapshots`; as
    long as nobody says so, the events themselves do. `think_tags`: where tags in the text of an
    answer are thinking.
    """

    call_content: Literal["list", "null_text"] = "list"
    bullets: bool = False
    typed: bool = False  # {"type": "image", "image": ...}, as AgentScope Java's documents write it
    media_seats: tuple[str, ...] = ("user",)
    streams: Literal["", "deltas", "snapshots"] = ""
    # models that leak their tags say nothing in `reasoning_content` then: qwen-code's repair
    think_tags: TagForm = "leading"
    model: str = "qwen3.7-plus"  # sent where nobody names one: takes text, images and videos
    issuers: tuple[str, ...] = ("dashscope",)


# Media are documented in user messages alone. A tool choice cannot be `required`; no name field;
# at most four cache marks; at least one user message in every request. Most models know a switch
# for thinking and a budget of tokens; few take an effort.
CAN = Capabilities(
    user=frozenset({"text", "image", "audio", "video", "raw"}),
    assistant=frozenset({"text", "raw"}),
    system=frozenset({"text", "raw"}),
    sources={
        **dict.fromkeys(("image", "audio"), frozenset({"url", "base64", "file"})),
        "video": frozenset({"url", "base64", "file", "frames"}),
    },
    schemes=frozenset({"http", "https", "oss"}),
    file_schemes=frozenset({"oss"}),
    move_media=frozenset({"image", "audio", "video"}),
    tool_choices=frozenset({"auto", "none", "tool"}),
    parallel_switch=True,
    needs_user=True,
    cache_hints=4,
    efforts=("on",),
    budgets=(1, 262144),
    server_tools=frozenset({"web_search", "code_execution"}),
    json_word=True,
    source="Model Studio, Qwen API via DashScope",
    since="2026-11-21",
)
