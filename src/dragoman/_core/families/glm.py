"""GLM by generation: thinking by default, from 5.3 on always, in levels of its own.

Reference: Z.AI docs, "Thinking Mode"; error 1210 quoted in hermes-agent issues 85890 and 97286.
"""

from __future__ import annotations

from typing import Any

from .shared import known

_MODE = "Z.AI docs, Thinking Mode"


_ALWAYS = "Z.AI API, error 1210: hermes-agent issue 85890, catwalk issue 603"


_CARD = "Z.AI docs, model pages: GLM-4.6V, GLM-4.5V"


_TEXT: dict[str, Any] = {"image": False, "audio": False, "document": False}


_SEES: dict[str, Any] = {"audio": False, "document": False}


_SWITCH: dict[str, Any] = {"form": "thinking", "efforts": ("on",), "thinking": True}


_MODELS = (
    known(("glm-4.[5-9]v*", "glm-5*v*"), "2025-08-11", _CARD, {"thinks": "default", **_SEES},
          _SWITCH),
    known(("glm-5.[3-9]*",), "2026-08-20", _ALWAYS, {"thinks": "always", **_TEXT},
          {**_SWITCH, "efforts": ("low", "high", "max")}),
    known(("glm-5.2*",), "2026-06-30", _MODE, {"thinks": "default", **_TEXT},
          {**_SWITCH, "efforts": ()}),
    known(("glm-4.[5-9]*", "glm-5*"), "2025-07-28", _MODE, {"thinks": "default", **_TEXT},
          _SWITCH),
    known(("glm-4v*",), "2024-06-05", _CARD, {"thinks": "never", **_SEES}),
    known(("glm-4*", "glm-3*"), "2024-01-16", _MODE, {"thinks": "never", **_TEXT}),
)  # fmt: skip


ROWS = tuple(fact for rows in _MODELS for fact in rows)
