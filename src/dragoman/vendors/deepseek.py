"""DeepSeek: three wires; on each, turns with tool calls must bring their thinking back.

Reference: DeepSeek API docs, "Thinking Mode", "Create Chat Completion", "Anthropic API".
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..capabilities import Fact, Facts, without
from ..capabilities.families.limits import limit_row
from ..capabilities.families.shared import SAMPLES, copy_facts
from ..protocols import anthropic, openai_responses
from ..protocols.openai_chat import Dialect
from ..transport.credentials import API_KEY
from .vendor_row import Vendor

_MODE = "DeepSeek API docs, Thinking Mode; its recorded answers"
_SIGHT = "DeepSeek API docs, Your First API Call: image input of V4.1-Flash"
_CLAUDE = "DeepSeek API docs, Anthropic API: compatibility details"
# `deepseek-v4-flash` is served by V4.1-Flash since then, and so are later ones
_SEE = Fact(
    ("deepseek-flash*", "deepseek-v4-flash*", "deepseek-v[0-9]*"),
    {},
    "2026-09-10",
    _SIGHT,
    but=("deepseek-v[0-3]*", "deepseek-v4", "deepseek-v4-pro*"),
)


def _seen_by(*seats: str) -> Fact:
    """The roles that may show images to the models that see."""
    return replace(_SEE, changes={"image": seats})


# by a switch only
_SWITCHED = Fact(
    ("deepseek-v3*", "deepseek-r1*", "deepseek-reasoner*"),
    {"efforts": ("on",)},
    "2025-08-21",
    _MODE,
)


_DEAF: dict[str, Any] = {
    "options": dict.fromkeys(("temperature", "presence_penalty", "frequency_penalty"), "ignores")
}


# for every model here, since a name may be an alias: it thinks unless the request turns it off
_THINKING = Fact(("*",), {**_DEAF, "forced_tools": False}, "2026-04-24", _MODE, when="thinking")


_CHAT = Dialect(
    text="joined",
    call_content="empty",
    max_tokens_key="max_tokens",
    developer=False,
    thinking_fields=("reasoning_content",),
    keys={"user": "user_id"},
    model="deepseek-flash",
    reads_items_of=("deepseek", "openai-chat"),
)


_ITEMS = replace(
    openai_responses.COPY, model="deepseek-flash", reads_items_of=("deepseek", "openai-responses")
)


_MESSAGES = anthropic.Dialect(model="deepseek-flash", reads_items_of=("deepseek",))


# Images: user messages of the models that see (deserialisation refuses the part elsewhere).
_CHAT_FACTS = Facts(
    always={
        **without("image", "audio", "video", "document", "refusal"),
        "form": "thinking",
        "thinking": True,
        "thinking_alone": False,
        "empty_thinking": True,  # turns that call a tool without their thinking are a 400
        "parallel_switch": False,
        "ids": {"max": 64},  # recorded: it gives and takes ids of 43 characters
        "strict_tools": False,  # but on the beta host
        "formats": ("text", "json"),
        "json_word": True,  # vercel/ai pull request 7946
        "options": {"service_tier": "refuses"},
    },
    rows=(_SWITCHED, _seen_by("user"), _THINKING),
    since="2026-04-24",
    source="DeepSeek API docs, Create Chat Completion; its recorded answers",
)


# Files are refused; unknown items and fields are ignored. Images are allowed in results.
_ITEM_FACTS = Facts(
    always={
        **without("image", "document"),
        "strict_tools": False,
        "parallel_switch": False,
        "tool_choices": ("auto", "none", "required", "tool"),
        "formats": ("text", "json", "schema"),  # pydantic-ai 2.68: unlike Chat Completions
        "server_tools": ("web_search",),
        "native_items": False,  # ignored, too
        "freeform_tools": True,
        "efforts": ("low", "high", "max"),
        "cache_hints": 0,
    },
    rows=(_seen_by("user", "result"), _THINKING),
    since="2026-11-21",
    source="DeepSeek API docs, Create Response; its recorded answers",
)


_MESSAGE_FACTS = copy_facts(
    "deepseek",
    "2026-11-21",
    _CLAUDE,
    {
        **SAMPLES,
        "options": {**SAMPLES["options"], "top_k": "ignores", "service_tier": "ignores"},
        "image": False,
        "parallel_switch": False,
        "forced_tools": True,
        "empty_thinking": True,
        "efforts": ("low", "high", "max"),
    },
    _seen_by("user", "result"),
    _THINKING,
)


VENDOR = Vendor(
    "deepseek",
    base_url="https://api.deepseek.com",
    key="DEEPSEEK_API_KEY",
    limits=(limit_row(1_000_000, 384_000, "deepseek-v[4-9]*", "deepseek-flash*"),),
    auths={"anthropic": API_KEY},
    wires={"openai-chat": _CHAT, "anthropic": _MESSAGES, "openai-responses": _ITEMS},
    facts={
        "openai-chat": _CHAT_FACTS,
        "anthropic": _MESSAGE_FACTS,
        "openai-responses": _ITEM_FACTS,
    },
    urls={"anthropic": "https://api.deepseek.com/anthropic"},
)
