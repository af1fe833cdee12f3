"""One row of the table: a rule at a place, under its conditions, with a reason and a source."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

from ..fault import Fault, Json, look, mapping, spell


@dataclass(frozen=True)
class Exemption:
    """`path` is spelled as faults spell it, with [*] for any index.

    `when`: what stands beside or in the value; `kinds`: its types; `like`: how its text begins;
    `model`: how the name of the body's model begins.
    """

    name: str
    wires: frozenset[str]
    rule: str
    path: str
    reason: str
    source: str
    when: Mapping[str, Json] = field(default_factory=dict)
    kinds: tuple[type, ...] = ()
    like: str = ""
    model: str = ""
    scope: Literal["messages", "request", "both"] = "both"

    def pardons(self, wire: str, fault: Fault, body: Json, scope: str) -> bool:
        if wire not in self.wires or fault.rule != self.rule:
            return False
        if self.scope not in ("both", scope) or not self._at(spell(fault.path)):
            return False
        if self.model and not re.match(self.model, _model(body)):
            return False
        value = look(body, fault.path)
        near = value if isinstance(value, dict) else mapping(look(body, fault.path[:-1]))
        if any(near.get(key) != wanted for key, wanted in self.when.items()):
            return False
        if self.like and not (isinstance(value, str) and re.match(self.like, value)):
            return False
        return not self.kinds or (type(value) in self.kinds)

    def _at(self, where: str) -> bool:
        return re.fullmatch(re.escape(self.path).replace(r"\[\*\]", r"\[\d+\]"), where) is not None


def _model(body: Json) -> str:
    name = mapping(body).get("model")
    return str(name).rpartition("/")[2].lower() if name else ""


def request_keys(
    wire: str, prefix: str, keys: Mapping[str, tuple[type, ...]], reason: str, source: str
) -> tuple[Exemption, ...]:
    """Rows for keys of a request that a vendor has beside its protocol's."""
    return tuple(
        Exemption(
            f"{prefix}.{key}", frozenset({wire}), "types.unknown_key", key, reason, source,
            kinds=kinds, scope="request",
        )
        for key, kinds in keys.items()
    )  # fmt: skip


def message_keys(
    wire: str, prefix: str, keys: Mapping[str, tuple[type, ...]], reason: str, source: str
) -> tuple[Exemption, ...]:
    """Rows for keys of an assistant message in which a vendor takes thinking back."""
    return tuple(
        Exemption(
            f"{prefix}.{key}", frozenset({wire}), "types.unknown_key", f"messages[*].{key}",
            reason, source, when={"role": "assistant"}, kinds=kinds,
        )
        for key, kinds in keys.items()
    )  # fmt: skip


def part_kind(wire: str, prefix: str, kind: str, source: str) -> Exemption:
    """A row for a part that a vendor adds to the content union."""
    return Exemption(
        f"{prefix}.{kind}", frozenset({wire}), "types.kind", "messages[*].content[*]",
        "This vendor's part; its shape is judged by the vendor's own rule.", source,
        when={"type": kind},
    )  # fmt: skip


def long_ids(wire: str, prefix: str, source: str) -> tuple[Exemption, ...]:
    """Rows for servers that make call ids longer than OpenAI's own limit."""
    return tuple(
        Exemption(
            f"{prefix}.long-id-of-{role}", frozenset({wire}), "chat.long_id",
            f"messages[*].{place}",
            "These servers make longer ids themselves; the limit is OpenAI's.", source,
        )
        for role, place in (("call", "tool_calls[*].id"), ("result", "tool_call_id"))
    )  # fmt: skip


def own_tools(wire: str, prefix: str, source: str, *kinds: str) -> tuple[Exemption, ...]:
    """Rows for tools that a vendor runs itself; their shape is judged by a rule of its own."""
    return tuple(
        Exemption(
            f"{prefix}.tool-{kind}", frozenset({wire}), "types.kind", "tools[*]",
            "A tool that this vendor runs itself.", source, when={"type": kind}, scope="request",
        )
        for kind in kinds
    )  # fmt: skip


MARK_PLACES = {
    "part": "messages[*].content[*].cache_control",
    "tool": "tools[*].cache_control",
    "message": "messages[*].cache_control",
    "call": "messages[*].tool_calls[*].cache_control",
}


def cache_marks(
    wire: str, prefix: str, source: str, places: Collection[str]
) -> tuple[Exemption, ...]:
    """Rows for cache marks in the chat form."""
    return tuple(
        Exemption(
            f"{prefix}.cache-mark-of-{place}", frozenset({wire}), "types.unknown_key",
            MARK_PLACES[place], "Cache marks of other wires stand in the chat form here.", source,
            kinds=(dict,),
        )
        for place in places
    )  # fmt: skip
