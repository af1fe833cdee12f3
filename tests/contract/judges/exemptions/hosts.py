"""What the smaller hosts of Chat Completions take beside OpenAI's types, key by key.

Each key names the hosts that read it; the vendor's row says where that is known.
"""

from __future__ import annotations

from .row import Exemption

NUMBER = (int, float)
ROW = "the reference in the vendor's file, src/dragoman/vendors"


def _wires(*names: str) -> frozenset[str]:
    return frozenset(f"{name}/openai-chat" for name in names)


# key of an assistant's message that takes thinking back -> its type, its hosts
BACK: dict[str, tuple[type, frozenset[str]]] = {
    "reasoning": (str, _wires("bedrock-mantle", "cerebras", "together", "stepfun", "ollama",
                             "vercel-ai-gateway")),
    "reasoning_content": (str, _wires("volcengine", "xiaomi", "fireworks", "sglang", "lmstudio",
                                      "llamacpp", "nvidia", "siliconflow", "meta", "baseten",
                                      "deepinfra", "novita")),
    "reasoning_details": (list, _wires("snowflake", "vercel-ai-gateway")),
}  # fmt: skip
# key of a request -> its types, its hosts
KEYS: dict[str, tuple[tuple[type, ...], frozenset[str]]] = {
    "thinking": ((dict,), _wires("volcengine", "xiaomi", "hunyuan", "databricks")),
    "reasoning": ((dict,), _wires("together", "snowflake", "vercel-ai-gateway")),
    "enable_thinking": ((bool,), _wires("siliconflow")),
    "thinking_budget": ((int,), _wires("siliconflow")),
    "clear_thinking": ((bool,), _wires("cerebras")),
    "chat_template_kwargs": ((dict,), _wires("sglang", "llamacpp", "nvidia")),
    "top_k": ((int,), _wires("together", "fireworks", "sglang", "lmstudio", "llamacpp",
                             "sambanova", "siliconflow", "baseten", "deepinfra", "novita")),
    "repetition_penalty": (NUMBER, _wires("volcengine", "together", "fireworks", "sglang",
                                          "baseten", "deepinfra", "novita")),
    "repeat_penalty": (NUMBER, _wires("lmstudio", "llamacpp")),
}  # fmt: skip
PARTS = {
    "video_url": _wires("volcengine", "xiaomi", "sglang"),
    "audio_url": _wires("sglang"),
}

ROWS = (
    *(
        Exemption(
            f"hosts.back-{key}", wires, "types.unknown_key", f"messages[*].{key}",
            "Thinking goes back under the name that this host answers with.", ROW,
            when={"role": "assistant"}, kinds=(kind,),
        )
        for key, (kind, wires) in BACK.items()
    ),
    *(
        Exemption(
            f"hosts.{key}", wires, "types.unknown_key", key,
            "A key of the host's own beside OpenAI's.", ROW, kinds=kinds, scope="request",
        )
        for key, (kinds, wires) in KEYS.items()
    ),
    *(
        Exemption(
            f"hosts.{kind}", wires, "types.kind", "messages[*].content[*]",
            "This host's part; its shape is judged by a rule.", ROW, when={"type": kind},
        )
        for kind, wires in PARTS.items()
    ),
)  # fmt: skip
