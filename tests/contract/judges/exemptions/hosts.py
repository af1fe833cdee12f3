"""What the smaller hosts of Chat Completions take beside OpenAI's types: a row for each.

A new host is one row here. The vendor's own file says where its keys are known.
"""

from __future__ import annotations

from typing import NamedTuple

from .row import Exemption

NUMBER = (int, float)
ROW = "the reference in the vendor's file, src/dragoman/vendors"


class Host(NamedTuple):
    """What one host reads beside OpenAI's types; its parts are judged by `vendors.linked`."""

    back: tuple[str, ...] = ()  # keys of an assistant's message that take thinking back
    keys: tuple[str, ...] = ()  # keys of a request
    parts: tuple[str, ...] = ()  # kinds of parts


_SAMPLING = ("top_k", "repetition_penalty")
_NAMED = ("reasoning_content",)
HOSTS: dict[str, Host] = {
    "bedrock-mantle": Host(("reasoning",)),
    "cerebras": Host(("reasoning",), ("clear_thinking",)),
    "together": Host(("reasoning",), ("reasoning", *_SAMPLING)),
    "fireworks": Host(_NAMED, _SAMPLING),
    "lmstudio": Host(_NAMED, ("top_k", "repeat_penalty")),
    "llamacpp": Host(_NAMED, ("chat_template_kwargs", "top_k", "repeat_penalty")),
    "snowflake": Host(("reasoning_details",), ("reasoning",)),
    "sambanova": Host(keys=("top_k",)),
    "nvidia": Host(_NAMED, ("chat_template_kwargs",)),
    "databricks": Host(keys=("thinking",)),
    "siliconflow": Host(_NAMED, ("enable_thinking", "thinking_budget", "top_k")),
    "stepfun": Host(("reasoning",)),
    "hunyuan": Host(keys=("thinking",)),
    "ollama": Host(("reasoning",)),
    "meta": Host(_NAMED),
    "baseten": Host(_NAMED, _SAMPLING),
    "deepinfra": Host(_NAMED, _SAMPLING),
    "novita": Host(_NAMED, _SAMPLING),
    "vercel-ai-gateway": Host(("reasoning", "reasoning_details"), ("reasoning",)),
    "volcengine": Host(_NAMED, ("thinking", "repetition_penalty"), ("video_url",)),
    "xiaomi": Host(_NAMED, ("thinking",), ("video_url",)),
    "sglang": Host(_NAMED, ("chat_template_kwargs", *_SAMPLING), ("video_url", "audio_url")),
}
# the types of these keys
BACK: dict[str, type] = {"reasoning": str, "reasoning_content": str, "reasoning_details": list}
KEYS: dict[str, tuple[type, ...]] = {
    "thinking": (dict,),
    "reasoning": (dict,),
    "enable_thinking": (bool,),
    "thinking_budget": (int,),
    "clear_thinking": (bool,),
    "chat_template_kwargs": (dict,),
    "top_k": (int,),
    "repetition_penalty": NUMBER,
    "repeat_penalty": NUMBER,
}
PARTS = ("video_url", "audio_url")


def _wires(field: str, name: str) -> frozenset[str]:
    """The wires of the hosts that have a name in a field of their row."""
    return frozenset(f"{host}/openai-chat" for host, row in HOSTS.items()
                     if name in getattr(row, field))  # fmt: skip


ROWS = (
    *(
        Exemption(
            f"hosts.back-{key}", _wires("back", key), "types.unknown_key", f"messages[*].{key}",
            "Thinking goes back under the name that this host answers with.", ROW,
            when={"role": "assistant"}, kinds=(kind,),
        )
        for key, kind in BACK.items()
    ),
    *(
        Exemption(
            f"hosts.{key}", _wires("keys", key), "types.unknown_key", key,
            "A key of the host's own beside OpenAI's.", ROW, kinds=kinds, scope="request",
        )
        for key, kinds in KEYS.items()
    ),
    *(
        Exemption(
            f"hosts.{kind}", _wires("parts", kind), "types.kind", "messages[*].content[*]",
            "This host's part; its shape is judged by a rule.", ROW, when={"type": kind},
        )
        for kind in PARTS
    ),
)  # fmt: skip
