"""A model of two megabytes that llama.cpp serves, and that says what a script tells.

Embeddings are one-hot, the one layer adds nothing, and the output matrix is a table of which token
follows which. So the last token of the prompt decides the answer: the chat template ends on one
token where a tool may be called, and on another elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

SAY, CALL, END = "<|say|>", "<|call|>", "<|im_end|>"
TEXT = ("It", " is", " warm", " in", " Samarkand", ".")
TOOL, ARGUMENTS = "warmth", {"city": "Samarkand"}

TEMPLATE = (
    """{%- if tools %}{{ '<|im_start|>system\\n# Tools\\n' }}"""
    """{%- for tool in tools %}{{ tool | tojson }}{{ '\\n' }}{%- endfor %}"""
    """{{ 'Answer with <tool_call>\\n{"name": ..., "arguments": ...}\\n</tool_call>' }}"""
    """{{ '<|im_end|>\\n' }}{%- endif %}"""
    """{%- for m in messages %}{{ '<|im_start|>' + m.role + '\\n' }}"""
    """{%- if m.content %}{{ m.content }}{%- endif %}"""
    """{%- for c in m.tool_calls or [] %}{{ '\\n<tool_call>\\n{"name": "' + c.function.name """
    """+ '", "arguments": ' }}{{ c.function.arguments | tojson }}{{ '}\\n</tool_call>' }}"""
    """{%- endfor %}{{ '<|im_end|>\\n' }}{%- endfor %}"""
    """{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}"""
    """{%- if tools and messages[-1].role == 'user' %}{{ '<|call|>' }}"""
    """{%- else %}{{ '<|say|>' }}{%- endif %}{%- endif %}"""
)


def write_bigrams(
    path: Path,
    text: Sequence[str] = TEXT,
    tool: str = TOOL,
    arguments: Mapping[str, Any] = ARGUMENTS,
) -> None:
    """Write the model to `path`: it says `text`, token by token, or calls `tool`.

    No token may stand twice in what is said: each has one that follows.
    """
    import gguf
    import numpy as np

    written = json.dumps(dict(arguments))
    call = ["<tool_call>", '\n{"name": "', tool, '", "arguments": ']
    call += [written[:3], written[3:], "}\n", "</tool_call>"]
    tokens, kinds = _vocabulary([*text, *call])
    number = {token: i for i, token in enumerate(tokens)}
    width = -(-len(tokens) // 32) * 32

    table = np.zeros((len(tokens), width), np.float32)
    table[number[END], : len(tokens)] = 1.0  # whatever else stands last: nothing is said
    for chain in ([SAY, *text, END], [CALL, *call, END]):
        for before, after in pairwise(chain):
            table[number[after], number[before]] = 10.0

    writer = gguf.GGUFWriter(path, "llama")
    _describe(writer, tokens, kinds, number, width)
    none = np.zeros((width, width), np.float32)
    one = np.ones(width, np.float32)
    writer.add_tensor("token_embd.weight", np.eye(len(tokens), width, dtype=np.float32))
    writer.add_tensor("output_norm.weight", one)
    writer.add_tensor("output.weight", table)
    for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
        writer.add_tensor(f"blk.0.{name}.weight", none)
    for name in ("attn_norm", "ffn_norm"):
        writer.add_tensor(f"blk.0.{name}.weight", one)
    for name, shape in (("gate", (32, width)), ("up", (32, width)), ("down", (width, 32))):
        writer.add_tensor(f"blk.0.ffn_{name}.weight", np.zeros(shape, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _vocabulary(said: Sequence[str]) -> tuple[list[str], list[int]]:
    """Every token with its kind: the marks, all bytes, and what is said."""
    from gguf import TokenType

    if len(set(said)) < len(said):
        raise ValueError("a token is said twice, and each can have one successor only")
    marks = ["<unk>", "<s>", END, "<|im_start|>", SAY, CALL]
    octets = [f"<0x{i:02X}>" for i in range(256)]
    kinds = [TokenType.UNKNOWN, *[TokenType.CONTROL] * (len(marks) - 1)]
    kinds += [TokenType.BYTE] * 256 + [TokenType.USER_DEFINED] * len(said)
    return [*marks, *octets, *said], [int(kind) for kind in kinds]


def _describe(
    writer: Any, tokens: list[str], kinds: list[int], number: Mapping[str, int], width: int
) -> None:
    writer.add_name("bigrams")
    writer.add_context_length(8192)
    writer.add_embedding_length(width)
    writer.add_block_count(1)
    writer.add_feed_forward_length(32)
    writer.add_head_count(1)
    writer.add_head_count_kv(1)
    writer.add_rope_dimension_count(width)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types(kinds)
    writer.add_bos_token_id(number["<s>"])
    writer.add_eos_token_id(number[END])
    writer.add_unk_token_id(0)
    writer.add_add_bos_token(False)
    writer.add_add_space_prefix(False)
    writer.add_chat_template(TEMPLATE)
