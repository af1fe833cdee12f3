"""Rows, exemptions and whole bodies for the smaller hosts of Chat Completions, key by key."""

from __future__ import annotations

from typing import Any

from ..exemptions.hosts import HOSTS
from . import Row, changed
from .exempt import Pardon, message
from .openai_chat import ASK, CALLS, TEXT, user
from .vendors import M0, SOUND, VIDEO
from .vendors_us import DETAIL

# key of the table of exemptions -> a value that passes, one that must not
BACK: dict[str, tuple[Any, Any]] = {
    "reasoning": ("hm", None),
    "reasoning_content": ("hm", 1),
    "reasoning_details": ([DETAIL], "hm"),
}
KEYS: dict[str, tuple[Any, Any]] = {
    "thinking": ({"type": "enabled"}, "enabled"),
    "reasoning": ({"effort": "low"}, "low"),
    "enable_thinking": (True, "yes"),
    "thinking_budget": (1024, 0.5),
    "clear_thinking": (False, 0),
    "chat_template_kwargs": ({"thinking": True}, True),
    "top_k": (20, "20"),
    "repetition_penalty": (1.1, "1.1"),
    "repeat_penalty": (1.1, None),
}
PARTS = {"video_url": VIDEO, "audio_url": SOUND}
LINKED = [name for name, row in HOSTS.items() if "video_url" in row.parts]


def wire(name: str) -> str:
    return f"{name}/openai-chat"


def whole(name: str) -> Any:
    """A request with each key that this host reads."""
    row = HOSTS[name]
    keys = {key: KEYS[key][0] for key in row.keys}
    said = {f"messages[3].{key}": BACK[key][0] for key in row.back}
    parts = [PARTS[kind] for kind in row.parts]
    return changed({**CALLS, **keys}, {**said, M0: [TEXT, *parts]})


BODIES = {wire(name): whole(name) for name in HOSTS}
ROWS = [
    *(
        Row(wire(name), "types.unknown_key", CALLS, {"messages[3].thoughts": "hm"})
        for name in HOSTS
    ),
    *(
        Row(wire(name), "types.unknown_key", CALLS, {f"messages[0].{key}": good},
            {f"messages[3].{key}": good})
        for name, row in HOSTS.items() for key in row.back for good, _ in [BACK[key]]
    ),
    *(
        Row(wire(name), "linked.part", {**CALLS, "messages": [user(TEXT, VIDEO)]},
            {"messages[0].content[1]": {**VIDEO, "detail": "low"}})
        for name in LINKED
    ),
]  # fmt: skip
PARDONS = [
    *(
        Pardon(f"hosts.back-{key}", wire(name), "messages",
               message(CALLS, f"messages[1].{key}", good),
               message(CALLS, f"messages[1].{key}", wrong))
        for name, row in HOSTS.items() for key in row.back for good, wrong in [BACK[key]]
    ),
    *(
        Pardon(f"hosts.{key}", wire(name), "request", {**CALLS, key: good}, {**CALLS, key: wrong})
        for name, row in HOSTS.items() for key in row.keys for good, wrong in [KEYS[key]]
    ),
    *(
        Pardon(f"hosts.{kind}", wire(name), "messages", [user(part)],
               [ASK, {"role": "system", "content": [part]}])
        for name, row in HOSTS.items() for kind in row.parts for part in [PARTS[kind]]
    ),
]  # fmt: skip
