"""Tokenizers for tests, made here, with no network: trained on a text, or Qwen's own merges.

The chat templates are of three kinds that differ in what content they read. Knows no counter.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

__all__ = ["CHATML", "PARTS_ONLY", "QWEN_VL", "qwen_tokenizer", "train_tokenizer"]

# As Qwen2.5-VL's: text or parts, a picture is one placeholder, calls and tools are not written.
QWEN_VL = """\
{%- if messages[0].role != 'system' %}{{ '<|im_start|>system\\nYou are a helpful assistant.' }}\
{{ '<|im_end|>\\n' }}{% endif %}
{%- for message in messages %}{{ '<|im_start|>' + message.role + '\\n' }}
{%- if message.content is string %}{{ message.content }}
{%- else %}{% for part in message.content %}
{%- if part.type == 'image' or 'image' in part or 'image_url' in part %}
{{- '<|vision_start|><|image_pad|><|vision_end|>' }}
{%- elif 'text' in part %}{{ part.text }}{% endif %}
{%- endfor %}{% endif %}{{ '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"""

# As Qwen2.5's: text alone (adding a list to text is an error), calls and tools written as JSON.
CHATML = """\
{%- if tools %}{{ '<|im_start|>system\\n# Tools' }}
{%- for tool in tools %}{{ '\\n' + (tool | tojson) }}{% endfor %}{{ '<|im_end|>\\n' }}{% endif %}
{%- for message in messages %}{{ '<|im_start|>' + message.role + '\\n' + message.content }}
{%- for call in message.tool_calls or [] %}
{{- '\\n<tool_call>\\n{"name": "' + call.function.name + '", "arguments": ' }}
{{- (call.function.arguments | tojson) + '}\\n</tool_call>' }}
{%- endfor %}{{ '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"""

# As several vision models': a string has no parts, so nothing of it is written.
PARTS_ONLY = """\
{%- for message in messages %}{{ '<|im_start|>' + message.role + '\\n' }}
{%- for part in message.content %}{% if part.type == 'text' %}{{ part.text }}{% endif %}{% endfor %}
{{- '<|im_end|>\\n' }}
{%- endfor %}"""

_SPECIAL = (
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>",
    "<|image_pad|>",
)  # fmt: skip
_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def train_tokenizer(
    text: str, directory: Path | str, *, template: str | None = QWEN_VL, vocabulary: int = 420
) -> str:
    """Train a byte-level BPE tokenizer on `text` and save it with its chat template; the folder."""
    tokenizer = _byte_level(models.BPE())
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=list(_SPECIAL),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(text.splitlines(keepends=True), trainer)
    return _save(tokenizer, directory, template)


def qwen_tokenizer(directory: Path | str, *, template: str | None = QWEN_VL) -> str:
    """Qwen2.5's tokenizer, as far as document 001's conversation goes, saved; the folder.

    `qwen_merges.txt` lists, in Qwen's order, the merges of its vocabulary that occur in that
    conversation, so counts of it (165, and 136 when truncated) are those of the real tokenizer.
    """
    listed = Path(__file__).with_name("qwen_merges.txt").read_text("utf-8").splitlines()
    merges = [(left, right) for left, right in (line.split(" ") for line in listed)]
    tokens = [*sorted(pre_tokenizers.ByteLevel.alphabet()), *(a + b for a, b in merges)]
    vocabulary = {token: number for number, token in enumerate(tokens)}
    return _save(_byte_level(models.BPE(vocab=vocabulary, merges=merges)), directory, template)


def _byte_level(model: Any) -> Tokenizer:
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizers.NFC()
    split = pre_tokenizers.Split(Regex(_SPLIT), behavior="isolated")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def _save(tokenizer: Tokenizer, directory: Path | str, template: str | None) -> str:
    special: Iterable[str] = _SPECIAL[1:]
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        additional_special_tokens=list(special),
    )
    fast.chat_template = template
    fast.save_pretrained(directory)
    return str(directory)
