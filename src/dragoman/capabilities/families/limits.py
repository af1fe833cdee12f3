"""How many tokens models hold and answer, by maker, as several packages of tables agree.

Rows without a wire are of models that every host serves with the same window. Open weights get what
a host has memory for, so their rows hold only at their maker: they are the `limits` of its vendor.
A host's facts, a program's `facts=` and `can=` win. Looked up in litellm 1.110.2, pi-ai 1.6.0 and
genai-prices 0.2.3 on 2026-11-28; where they disagree the row has the smaller figure, or none. A
later model is treated as the newest of its line.
"""

from __future__ import annotations

from .. import Fact, Facts

_TABLES = "litellm 1.110.2, pi-ai 1.6.0 and genai-prices 0.2.3, tables of models"
_DAY = "2026-11-28"
_M = 1_000_000
_MIB = 1_048_576


def limit_row(window: int, output: int, *models: str, wire: str = "") -> Fact:
    """What these packages say of models, for this file and the rows of vendors."""
    changes = {"context_window": window, "max_output": output}
    return Fact(models, changes, _DAY, _TABLES, wire=wire)


_OPENAI = (
    limit_row(128_000, 16_384, "gpt-5*-chat*"),
    limit_row(1_050_000, 128_000, "gpt-5.[45]-pro*"),
    limit_row(400_000, 128_000, "gpt-5.4-mini*", "gpt-5.4-nano*", "gpt-5.6-cyber*", "gpt-5",
         "gpt-5-20*", "gpt-5-mini*", "gpt-5-nano*", "gpt-5-codex*", "gpt-5.[1-3]*", "chat-latest"),
    # genai-prices and litellm; pi-ai sets 272,000, up to which tokens have their base price
    limit_row(1_050_000, 128_000, "gpt-5.[4-9]*", "gpt-[6-9]*"),
    limit_row(1_047_576, 32_768, "gpt-4.1*"),
    limit_row(128_000, 4096, "gpt-4o-2024-05-13", "gpt-4-turbo*"),
    limit_row(128_000, 16_384, "gpt-4o", "gpt-4o-20*", "gpt-4o-mini", "gpt-4o-mini-20*"),
    limit_row(8192, 4096, "gpt-4", "gpt-4-0613"),
    limit_row(200_000, 100_000, "o1", "o1-20*", "o1-pro*", "o3", "o3-20*", "o3-mini*", "o3-pro*",
         "o[4-9]*"),
)  # fmt: skip


_CLAUDE = (
    limit_row(200_000, 4096, "claude-3-opus*", "claude-3-haiku*", "claude-3-sonnet*"),
    limit_row(200_000, 8192, "claude-3[-.]5-*"),
    limit_row(200_000, 64_000, "claude-3[-.]7-*", "claude-*-4[-.]5*"),
    limit_row(200_000, 32_000, "claude-opus-4", "claude-opus-4-[012]*", "claude-opus-4.1*"),
    limit_row(200_000, 64_000, "claude-sonnet-4", "claude-sonnet-4-[02]*"),
    limit_row(
        _M,
        128_000,
        "claude-*-4[-.][6-8]*",
        "claude-*-5*",
        "claude-mythos-preview*",
        "claude-[a-z]*-*",
    ),
)


_GEMINI = (
    # one segment of an answer; a continuation token asks for the next
    limit_row(_MIB, 32_768, "gemini-4-argon*", "gemini-4-carbon*"),
    limit_row(128_000, 64_000, "gemini-2.5-computer-use*"),
    limit_row(
        _MIB,
        65_536,
        "gemini-2.5-pro*",
        "gemini-2.5-flash",
        "gemini-2.5-flash-lite*",
        "gemini-2.5-flash-preview-0*",
        "gemini-2.5-flash-preview-9*",
        "gemini-3-flash*",
        "gemini-3.1-pro*",
        "gemini-3.1-flash-lite*",
        "gemini-3.[5-9]-*",
        "gemini-[4-9]*",
        "gemini-*-latest",
    ),
)


# by Mistral's protocol, whoever serves it
_AT_MISTRAL = (
    limit_row(_MIB, 262_144, "mistral-large-[4-9]*", wire="mistral"),
    limit_row(
        262_144,
        262_144,
        "mistral-large-2512",
        "mistral-medium-2604",
        "mistral-medium-3.5",
        wire="mistral",
    ),
)


LIMITS = Facts((*_OPENAI, *_CLAUDE, *_GEMINI, *_AT_MISTRAL))
