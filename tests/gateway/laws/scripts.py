"""What an upstream says in a stream, before it is said over any wire: a script.

A script is texts, thoughts and calls in their order, each in pieces; when usage is told; and
whether it ends in an error. Strategies draw them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from hypothesis import strategies as st

__all__ = ["Part", "Script", "scripts"]

Told: TypeAlias = Literal["early", "late", "absent"]


@dataclass(frozen=True, slots=True)
class Part:
    """A text, a thought, or a call whose arguments come in these pieces."""

    kind: Literal["text", "thought", "call"]
    pieces: tuple[str, ...]
    name: str = ""

    @property
    def whole(self) -> str:
        """All pieces."""
        return "".join(self.pieces)

    @property
    def called(self) -> tuple[str, Any]:
        """Name and arguments of a call."""
        return self.name, json.loads(self.whole)


@dataclass(frozen=True, slots=True)
class Script:
    """One answer. `error_at`: the number of events behind which the upstream tells of an error."""

    parts: tuple[Part, ...]
    usage: Told = "late"
    cached: int = 0
    error_at: int | None = None
    noise: int = 0  # a seed of comments and pings
    ending: str = "\n"

    @property
    def calls(self) -> list[Part]:
        """The calls, in their order."""
        return [part for part in self.parts if part.kind == "call"]


_WORDS = st.text(
    st.sampled_from('ab \n\r"\\{}[]:,é北\U0001f54c‍\x7f'), min_size=1, max_size=12
) | st.sampled_from((
    "data: x\n\n", "[DONE]", '"finish_reason":"stop"', "event: message_stop", '"error":',
    '"finishReason":"STOP"', '"done":true', "</think>",
))  # fmt: skip
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | _WORDS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_WORDS, inner, max_size=2),
    max_leaves=4,
)
_KEYS = _WORDS | st.sampled_from(("error", "finishReason", "done", "city"))


def _cut(text: str, at: list[int]) -> tuple[str, ...]:
    places = sorted({place % (len(text) + 1) for place in at})
    return tuple(text[a:b] for a, b in zip([0, *places], [*places, len(text)], strict=True))


_texts = st.lists(_WORDS, min_size=1, max_size=4).map(lambda told: Part("text", tuple(told)))
_thoughts = st.lists(_WORDS, min_size=1, max_size=3).map(lambda told: Part("thought", tuple(told)))
_calls = st.builds(
    lambda name, given, at, spaced: Part(
        "call", _cut(json.dumps(given, ensure_ascii=spaced), at), name
    ),
    st.sampled_from(("look", "now", "read_file")),
    st.dictionaries(_KEYS, _VALUES, max_size=3),
    st.lists(st.integers(0, 60), max_size=3),
    st.booleans(),
)


@st.composite
def scripts(draw: st.DrawFn, errors: bool = True) -> Script:
    """A script: thoughts first, then texts and calls, as models answer."""
    thoughts = draw(st.lists(_thoughts, max_size=1))
    said = draw(st.lists(_texts, max_size=2))
    calls = draw(st.lists(_calls, max_size=3))
    parts = (*thoughts, *said, *calls)
    return Script(
        parts or (Part("text", ("a",)),),
        usage=draw(st.sampled_from(("early", "late", "absent"))),
        cached=draw(st.sampled_from((0, 5))),
        error_at=draw(st.none() | st.integers(0, 20)) if errors else None,
        noise=draw(st.integers(0, 2**16)),
        ending=draw(st.sampled_from(("\n", "\r\n"))),
    )
