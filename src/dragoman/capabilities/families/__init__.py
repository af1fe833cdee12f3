"""Facts of model families, for any host: by bare model name, the first match applies.

Each fact has a date and a source. A vendor's row adds what its host changes.
"""

from __future__ import annotations

from itertools import chain

from .. import Facts
from . import claude, gemini, gpt, open_models
from .limits import LIMITS

__all__ = ["FAMILIES", "LIMITS"]

_WEIGHTS, *_OTHERS = open_models.ROWS.values()
# gpt-oss is no GPT
FAMILIES = Facts((*_WEIGHTS, *gpt.ROWS, *claude.ROWS, *gemini.ROWS, *chain(*_OTHERS)))
