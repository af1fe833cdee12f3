"""The type stub of `dragoman.formatter`, written from the registry.

    python -m tests.formatter.stub --write

Run-time classes take AgentScope's positional arguments by table; the stub spells them out.
"""

from __future__ import annotations

import sys
from pathlib import Path

import dragoman.formatter
from dragoman.formatter.agentscope import FORMATTERS

STUB = Path(dragoman.formatter.__file__).with_suffix(".pyi")

_HEAD = """# Generated from the registry: python -m tests.formatter.stub --write

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from ..capabilities import ChatConfig, Facts
from ..codec.wire import Wire
from ..history.passes.fetching import Fetch
from ..history.passes.lower.state import Saver
from ..history.speakers import Rewrite
from ..history.system_prompt import SystemPrompt
from ..history.truncate import Truncation
from ..history.wording import Wording as Wording
from ..losses import PolicyLike
from ..tokens import TokenCounterBase
from ..vendors import Vendor
{vendors}
from .base import FormatterBase as FormatterBase
from .base import TruncatedFormatterBase as TruncatedFormatterBase
from .base import WrittenMessages as WrittenMessages
from .fitting import Fitted as Fitted
from .fitting import Receipt as Receipt
from .fitting import fit_history as fit_history
from .fitting import fit_history_sync as fit_history_sync
from .session import Changed as Changed
from .session import Session as Session
from .session import SessionMessages as SessionMessages
from .wire_formatter import FormatterOptions
from .wire_formatter import WireFormatter as WireFormatter
"""

_GENERIC = """class Formatter(WireFormatter):
    def __init__(
        self,
        wire_: Wire | Vendor | str,
        *,
        facts: Facts | str | None = ...,
        **options: Unpack[FormatterOptions],
    ) -> None: ...
"""

_TYPES = {
    "conversation_history_prompt": "str | None = ...",
    "promote_tool_result_images": "bool = ...",
    "promote_tool_result_audios": "bool = ...",
    "promote_tool_result_videos": "bool = ...",
    "token_counter": "TokenCounterBase | Any | None = ...",
    "max_tokens": "int | None = ...",
}

_KEYWORDS = """        *,
        facts: Facts | str | None = ...,
        model: str | None = ...,
        can: Mapping[str, Any] | ChatConfig | None = ...,
        wording: Wording | None = ...,
        speakers: Rewrite | None = ...,
        rewrites: Sequence[Rewrite] = ...,
        history_tokens: int | None = ...,
        truncate: Truncation | None = ...,
        policy: PolicyLike = ...,
        strict: bool = ...,
        fetch: Fetch | None = ...,
        media_saver: Saver | None = ...,
        prompt: SystemPrompt | None = ...,
    ) -> None: ..."""


def stub() -> str:
    """The text of the stub."""
    homes = sorted(set(FORMATTERS.values()))
    parts = [
        _HEAD.format(
            vendors="\n".join(f"from .agentscope import {home} as _{home}" for home in homes)
        )
    ]
    listed = "".join(f'    "{name}",\n' for name in sorted(dragoman.formatter.__all__))
    parts.append(f"__all__ = [\n{listed}]\n")
    parts.append(_GENERIC)
    for name in FORMATTERS:
        cls = getattr(dragoman.formatter, name)
        if cls.__name__ != name:
            parts.append(f"{name} = {cls.__name__}\n")
            continue
        names = (*cls.leading, *cls.promotes, "token_counter", "max_tokens")
        given = "".join(f"        {one}: {_TYPES[one]},\n" for one in names)
        body = f"    def __init__(\n        self,\n{given}{_KEYWORDS}\n"
        parts.append(f"class {name}(_{FORMATTERS[name]}.{name}):\n{body}")
    return "\n".join(parts)


if __name__ == "__main__":
    if "--write" in sys.argv:
        STUB.write_text(stub(), encoding="utf-8")
    else:
        sys.stdout.write(stub())
