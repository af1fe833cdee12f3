"""What wires and vendors carry, as sheets of short words: for the screen and for the docs.

Everything is read from `wire(name).can(model)` and the vendors' rows; how a sheet is shown is not
its business.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .._wire import Wire
from ..capabilities import MEDIA, Capabilities, Facts
from ..vendors import PROTOCOLS, VENDORS, Vendor, vendor, wire, wires

__all__ = ["Sheet", "all_wires", "asked", "carried", "effort", "options", "vendors"]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table: its title, heads and rows of short words, and what the words mean."""

    title: str
    heads: tuple[str, ...]
    rows: list[tuple[str, ...]]
    notes: tuple[str, ...] = ()


def all_wires(known: Facts | str | None = None) -> list[Wire]:
    """Every wire by name, each vendor's further wires behind its first."""
    return [wire(name, facts=known) for name in _names()]


def _names() -> Iterator[str]:
    for name in wires():
        yield name
        if name in VENDORS or name not in PROTOCOLS:
            yield from (f"{name}/{protocol}" for protocol in list(vendor(name).wires)[1:])


def vendors() -> list[Vendor]:
    """The row of every vendor, those of installed packages too."""
    names = dict.fromkeys([*VENDORS, *wires()])
    return [vendor(name) for name in names if name in VENDORS or name not in PROTOCOLS]


def carried(listed: Iterable[Wire], model: str | None = None) -> Sheet:
    """What messages may hold."""
    return Sheet(
        "What messages may hold",
        ("wire", "image", "audio", "video", "doc", "think", "tools", "result", "system", "names",
         "cache"),
        [(one.name, *_carried(one.can(model))) for one in listed],
        (
            "text and tool results as text: everywhere",
            "image, audio, video, doc: in user messages; u URL, b base64, f uploaded file",
            "think: thinking that is sent back, of all turns or of turns with tool calls",
            "tools: yes, or text where calls and results can only be told as text",
            "result: media in a tool result (i a v d); in brackets: in a user turn behind it",
            "system: a message of its own, or a field at the top of the request",
            "names: a field for the speaker's name; cache: how many cache hints",
        ),
    )  # fmt: skip


def _carried(can: Capabilities) -> Iterator[str]:
    yield from (_sources(can, kind) for kind in MEDIA)
    yield {"never": "-", "all": "all", "tool_turns": "calls"}[can.thinking]
    yield "-" if not can.tools else "yes" if can.tool_messages else "text"
    within = "".join(kind[0] for kind in MEDIA if kind in can.result)
    behind = "".join(kind[0] for kind in MEDIA if kind in can.move_media - can.result)
    yield f"{within}({behind})" if behind else within or "-"
    yield can.system_place
    yield "-" if can.name_field == "never" else "yes"
    yield str(can.cache_hints or "-")


def _sources(can: Capabilities, kind: str) -> str:
    if kind not in can.user:
        return "-"
    takes = can.sources.get(kind, frozenset({"url", "base64"}))
    return " ".join(source[0] for source in ("url", "base64", "file") if source in takes) or "-"


_MODES = {"auto": "a", "none": "n", "required": "r", "tool": "t", "allowed": "l"}


def asked(listed: Iterable[Wire], model: str | None = None) -> Sheet:
    """What requests may ask for."""
    return Sheet(
        "What requests may ask for",
        ("wire", "thinks", "effort", "tools", "choice", "server", "format", "bound"),
        [(one.name, *_asked(one.can(model))) for one in listed],
        (
            "thinks: never, if asked, by default (it can be switched off), or always",
            "effort: levels from least to most, on (a switch), or a range of tokens",
            "tools: functions beside thinking; default: if no effort is named",
            "choice: auto, none, required, tool (one by name), list (some of them)",
            "server: tools that the provider runs: web search, code execution, file search",
            "format: json, or json by a schema",
            "bound: signed thinking holds only behind the history that it was made for",
        ),
    )


def _asked(can: Capabilities) -> Iterator[str]:
    yield can.thinks
    yield "-" if can.thinks == "never" else effort(can)
    yield "-" if not can.tools or can.thinks == "never" else can.tools_with_thinking
    yield " ".join(letter for mode, letter in _MODES.items() if mode in can.tool_choices) or "-"
    yield " ".join(sorted(kind[0] for kind in can.server_tools)) or "-"
    yield " ".join(kind[0] for kind in ("json", "schema") if kind in can.formats) or "-"
    yield "-" if can.binding == "none" else "yes"


def effort(can: Capabilities) -> str:
    """How thinking is measured: levels, a range of tokens, or both."""
    levels, tokens = can.efforts, can.budgets
    said = ["-".join(dict.fromkeys((levels[0], levels[-1])))] if levels else []
    if tokens:
        said.append("-".join(str(n) for n in dict.fromkeys((tokens[0], tokens[-1]))))
    return " or ".join(said) or "any"


def options(listed: Iterable[Wire], model: str | None = None) -> Sheet:
    """The options that a wire or a model takes otherwise than they were meant."""
    rows = []
    for one in listed:
        stances = one.can(model).options
        found = [
            ", ".join(sorted(name for name, how in stances.items() if how in hows))
            for hows in (("refuses", "pinned"), ("ignores",))
        ]
        if any(found):
            rows.append((one.name, *(cell or "-" for cell in found)))
    return Sheet("Options that are not taken", ("wire", "refused", "ignored"), rows)
