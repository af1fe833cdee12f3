"""Thinking in answers: three fields of hosts, one kind of block.

`reasoning_content` and `reasoning` are text; `reasoning_details` are texts,
summaries and sealed pieces, which have to come back as they were.
"""

from __future__ import annotations

from typing import Any

from ...jsontext import JsonObject
from ...message import ThinkingBlock

__all__ = ["FIELDS", "Thoughts"]

FIELDS = ("reasoning_content", "reasoning")
_KINDS = {"reasoning.text": "text", "reasoning.summary": "summary", "reasoning.encrypted": "data"}


class Thoughts:
    """The thinking of one candidate. `cumulative`: each detail repeats what came before it."""

    def __init__(self, issuer: str, cumulative: bool) -> None:
        self._issuer = issuer
        self._cumulative = cumulative
        self._detailed = False
        self._open: tuple[Any, ...] | None = None
        self._count = 0
        self._length = 0  # of what the open detail says so far

    def read(self, told: JsonObject) -> list[tuple[int, ThinkingBlock]]:
        """(which block, what is added to it) of a message or delta; one field of several copies."""
        details = told.get("reasoning_details")
        if isinstance(details, list) and details:
            self._detailed = True
            return [self._detail(one) for one in details]
        if self._detailed:
            return []  # what the plain field says, the details have said
        for name in FIELDS:
            text = told.get(name)
            if isinstance(text, str) and text:
                return [(0, ThinkingBlock(text, spelling=name))]
            if text is not None and not isinstance(text, str):
                raise TypeError("thinking is text")
        return []

    def _detail(self, told: JsonObject) -> tuple[int, ThinkingBlock]:
        kind = told.get("type")
        field = _KINDS.get(kind) if isinstance(kind, str) else None
        said = told.get(field) if field else None
        if said is not None and not isinstance(said, str):
            raise TypeError("a detail is text")
        mark = (kind, told.get("index"), told.get("id") if kind == "reasoning.encrypted" else None)
        begun = mark != self._open or kind == "reasoning.encrypted"
        if begun:
            self._open = mark
            self._count += 1
            self._length = 0
        words = ("detail", field, "" if field in told else "unsaid") if field else ("detail",)
        block = ThinkingBlock("", spelling=" ".join(filter(None, words)))
        if field == "data":
            block.redacted = said
        elif said:
            block.thinking = self._added(said)
        signature = told.get("signature")
        if isinstance(signature, str):
            block.signature = signature
        rest = {k: v for k, v in told.items()
                if k != field and not (k == "signature" and isinstance(v, str))}  # fmt: skip
        if rest.get("type") == "reasoning.text":
            del rest["type"]
        if begun and rest:
            block.extras = {self._issuer: rest}
        return self._count - 1, block

    def _added(self, said: str) -> str:
        if not self._cumulative:
            return said
        added = said[self._length :] if len(said) > self._length else ""
        self._length = max(self._length, len(said))
        return added
