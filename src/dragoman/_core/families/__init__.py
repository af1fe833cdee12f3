"""Facts of model families, whoever hosts them: by bare model name, first match wins.

Each fact has a date and a source. A vendor's row adds what its host changes.
"""

from __future__ import annotations

from ...capabilities import Facts
from . import claude, deepseek, gemini, glm, gpt, grok, kimi, minimax, open_models, qwen

__all__ = ["FAMILIES"]

FAMILIES = Facts(
    rows=(
        *open_models.ROWS,  # gpt-oss is no GPT
        *gpt.ROWS,
        *claude.ROWS,
        *gemini.ROWS,
        *qwen.ROWS,
        *deepseek.ROWS,
        *kimi.ROWS,
        *glm.ROWS,
        *minimax.ROWS,
        *grok.ROWS,
    )
)
