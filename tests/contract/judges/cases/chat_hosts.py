"""Rows, exemptions and whole bodies for the smaller hosts of Chat Completions, key by key."""

from __future__ import annotations

from typing import Any

from . import Row, changed
from .exempt import Pardon, message
from .openai_chat import ASK, CALLS, TEXT, user
from .vendors import M0, SOUND, VIDEO
from .vendors_us import DETAIL

# key of the table of exemptions -> its hosts, a value that passes, one that must not
BACK: dict[str, tuple[tuple[str, ...], Any, Any]] = {
    "reasoning": (("bedrock-mantle", "cerebras", "together", "stepfun", "ollama",
                   "vercel-ai-gateway"), "hm", None),
    "reasoning_content": (
        ("volcengine", "xiaomi", "fireworks", "sglang", "lmstudio", "llamacpp", "nvidia",
         "siliconflow", "meta", "baseten", "deepinfra", "novita"),
        "hm", 1,
    ),
    "reasoning_details": (("snowflake", "vercel-ai-gateway"), [DETAIL], "hm"),
}  # fmt: skip
KEYS: dict[str, tuple[tuple[str, ...], Any, Any]] = {
    "thinking": (
        ("volcengine", "xiaomi", "hunyuan", "databricks"), {"type": "enabled"}, "enabled",
    ),
    "reasoning": (("together", "snowflake", "vercel-ai-gateway"), {"effort": "low"}, "low"),
    "enable_thinking": (("siliconflow",), True, "yes"),
    "thinking_budget": (("siliconflow",), 1024, 0.5),
    "clear_thinking": (("cerebras",), False, 0),
    "chat_template_kwargs": (("sglang", "llamacpp", "nvidia"), {"thinking": True}, True),
    "top_k": (
        ("together", "fireworks", "sglang", "lmstudio", "llamacpp", "sambanova", "siliconflow",
         "baseten", "deepinfra", "novita"),
        20, "20",
    ),
    "repetition_penalty": (("volcengine", "together", "fireworks", "sglang", "baseten",
                            "deepinfra", "novita"), 1.1, "1.1"),
    "repeat_penalty": (("lmstudio", "llamacpp"), 1.1, None),
}  # fmt: skip
PARTS = {"video_url": (("volcengine", "xiaomi", "sglang"), VIDEO),
         "audio_url": (("sglang",), SOUND)}  # fmt: skip
LINKED = PARTS["video_url"][0]
HOSTS = sorted({name for table in (BACK, KEYS) for names, _, _ in table.values() for name in names})


def wire(name: str) -> str:
    return f"{name}/openai-chat"


def whole(name: str) -> Any:
    """A request with each key that this host reads."""
    keys = {key: good for key, (names, good, _) in KEYS.items() if name in names}
    said = {f"messages[3].{key}": good for key, (names, good, _) in BACK.items() if name in names}
    parts = [part for names, part in PARTS.values() if name in names]
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
        for key, (names, good, _) in BACK.items() for name in names
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
        for key, (names, good, wrong) in BACK.items() for name in names
    ),
    *(
        Pardon(f"hosts.{key}", wire(name), "request", {**CALLS, key: good}, {**CALLS, key: wrong})
        for key, (names, good, wrong) in KEYS.items() for name in names
    ),
    *(
        Pardon(f"hosts.{kind}", wire(name), "messages", [user(part)],
               [ASK, {"role": "system", "content": [part]}])
        for kind, (names, part) in PARTS.items() for name in names
    ),
]  # fmt: skip
