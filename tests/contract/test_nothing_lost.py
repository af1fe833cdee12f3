"""Every block kind at every seat and position, on every wire: said, or named as lost.

And whatever is composed is accepted by the judges, which share no code with the rooms.
"""

from __future__ import annotations

import json
from base64 import b64encode
from functools import cache
from itertools import product
from typing import Any
from urllib.parse import urlsplit

import pytest

import dragoman
from dragoman.errors import MediaRefused
from dragoman.formatter.agentscope import FORMATTERS
from dragoman.message import (
    AudioBlock,
    Base64Source,
    ChatRequest,
    DocumentBlock,
    FileSource,
    FramesSource,
    ImageBlock,
    Msg,
    RawBlock,
    RefusalBlock,
    ServerTool,
    TextBlock,
    TextSource,
    ThinkingBlock,
    Tool,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    VideoBlock,
)
from dragoman.message.blocks import BLOCKS, ContentBlock
from dragoman.vendors import VENDORS, vendor
from tests.contract import judges
from tests.contract.judges import judge_messages, judge_request
from tests.covering import covering
from tests.each_case import each_case

MARK = "TUFSS01BUks0Mg=="  # base64 itself, so it may stand where bytes must
# every wire by its name, and the further wires of every vendor
FURTHER = [f"{name}/{wire}" for name in VENDORS for wire in list(vendor(name).wires)[1:]]
WIRES = [*dragoman.wires(), *FURTHER]
ROLES = ("system", "developer", "user", "assistant", "tool")
POSITIONS = ("single", "before text", "behind text", "inside a tool result")
PIXEL = "AAAA" + MARK
SEALED = b64encode(MARK.encode()).decode()  # Converse: an opaque text goes as base64 of its bytes


def _media(cls: type[Any], base64_type: str, suffix: str) -> dict[str, ContentBlock]:
    kind = cls.__name__.removesuffix("Block").lower()
    return {
        f"{kind} by URL": cls(URLSource(f"https://example.com/{MARK[:12]}.{suffix}")),
        f"{kind} in base64": cls(Base64Source(base64_type, PIXEL)),
        f"{kind} file": cls(FileSource(f"file-{MARK[:12]}", "somebody")),
        f"{kind} on disk": cls(URLSource(f"/nowhere/{MARK[:12]}.{suffix}")),
    }


SAMPLES: dict[str, ContentBlock] = {
    "text": TextBlock(MARK),
    "thinking": ThinkingBlock(MARK),
    "signed thinking": ThinkingBlock(MARK, signature="c2lnbmVk"),
    "redacted thinking": ThinkingBlock("", redacted=MARK),
    **_media(ImageBlock, "image/png", "png"),
    **_media(AudioBlock, "audio/wav", "wav"),
    **_media(VideoBlock, "video/mp4", "mp4"),
    **_media(DocumentBlock, "application/pdf", "pdf"),
    "found by a search": DocumentBlock(TextSource([MARK, MARK], "shelf"), cite=True),
    "video in frames": VideoBlock(FramesSource([f"https://example.com/{MARK[:12]}.png"] * 2)),
    "tool use": ToolUseBlock("call_1", "look", {"at": MARK}),
    "tool result": ToolResultBlock("call_0", "look", MARK),
    "tool error": ToolResultBlock("call_0", "look", MARK, is_error=True),
    "tool object": ToolResultBlock("call_0", "look", {"seen": MARK}),
    "refusal": RefusalBlock(MARK),
    "foreign raw": RawBlock("somebody", {"type": "strange", "value": MARK}),
}
LOOK = Tool("look", "look at it", {"type": "object", "properties": {"at": {"type": "string"}}})
TOOLS: list[Tool | ServerTool] = [LOOK]


def test_every_block_kind_has_a_sample() -> None:
    assert {block.type for block in SAMPLES.values()} == set(BLOCKS)


@cache
def conversation(name: str, role: str, position: str) -> tuple[list[Msg], str]:
    """A history around the sample, which all wires share, and the path of the sample."""
    sample = SAMPLES[name]
    opening = [
        Msg("", "Look.", "user"),
        Msg("", [ToolUseBlock("call_0", "look", {"at": "it"})], "assistant"),
    ]
    answer = Msg("", [ToolResultBlock("call_0", "look", "seen")], "tool")
    text = TextBlock("beside it")
    if position == "inside a tool result":
        output: list[ContentBlock] = [text, sample]
        inside = ToolResultBlock("call_0", "look", output)
        return [*opening, Msg("", [inside], role), Msg("", "Go on.", "user")], (
            "$.messages[2].content[0].output[1]"
        )
    blocks = {"single": [sample], "before text": [sample, text], "behind text": [text, sample]}
    index = 1 if position == "behind text" else 0
    history = [*opening] if type(sample) is ToolResultBlock else [*opening, answer]
    at = len(history)
    history.append(Msg("", blocks[position], role))
    if type(sample) is ToolUseBlock:
        history.append(Msg("", [ToolResultBlock("call_1", "look", "done")], "tool"))
    history.append(Msg("", "Go on.", "user"))
    return history, f"$.messages[{at}].content[{index}]"


def judge_of(wire: dragoman.Wire) -> str:
    """The vendor's own judge of this wire, else the protocol's.

    A bare protocol that bears a vendor's name is that vendor's.
    """
    protocol = wire.room.protocol
    return judges.judge_of(wire.vendor.name if wire.vendor else protocol, protocol)


def endpoint(wire: dragoman.Wire, path: str) -> str:
    """The path with what stands before it in the vendor's base URL."""
    rows = [wire.vendor] if wire.vendor else [vendor(name) for name in VENDORS]
    row = next(row for row in rows if wire.room.protocol in row.wires)
    return urlsplit(row.url(wire.room.protocol)).path + path


def said(written: Any) -> bool:
    text = json.dumps(written, ensure_ascii=False)
    return MARK in text or MARK[:12] in text or SEALED in text


CASES = list(product(SAMPLES, ROLES, POSITIONS))
# a vendor differs from its protocol in what it takes, hence in single samples, roles, and places
PAIRS = covering(SAMPLES, ROLES, POSITIONS)


@cache
def first_wires() -> set[str]:
    """One of each protocol."""
    return {*{dragoman.wire(name).room.protocol: name for name in reversed(WIRES)}.values()}


ON_DISK = [name for name in SAMPLES if name.endswith(" on disk")]


@pytest.mark.parametrize("wire", WIRES)
def test_a_request_says_the_block_or_names_it(wire: str) -> None:
    """Every case on each protocol; on what vendors make of it, every two things of a case."""
    target = dragoman.wire(wire, policy="ignore", fetch=None)  # by default files are read
    judge, silent, refused = judge_of(target), [], []
    for name, role, position in CASES if wire in first_wires() else PAIRS:
        msgs, path = conversation(name, role, position)
        out = target.write_request(ChatRequest(msgs, tools=TOOLS))
        named = [loss for loss in out.losses if loss.where.startswith(path)]
        if not said(out.body) and not named:
            silent.append(f"{name}, {role}, {position}: {out.body}")
        faults = judge_request(judge, out.body, endpoint(target, out.path))
        if faults:
            refused.append(f"{name}, {role}, {position}: {faults}")
    assert silent == []
    assert refused == []


@each_case("wire", WIRES)
def test_a_file_that_may_not_be_read_is_refused_or_named(wire: str) -> None:
    """By default. Where the wire takes no such medium there, its loss is named instead."""
    target = dragoman.wire(wire, policy="ignore")
    for name, role, position in covering(ON_DISK, ROLES, POSITIONS):
        msgs, path = conversation(name, role, position)
        try:
            out = target.write_request(ChatRequest(msgs, tools=TOOLS))
            named = [loss.where for loss in out.losses]
        except MediaRefused as error:
            named = [error.path] if error.code == "fetch.root" else []
        assert any(where.startswith(path) for where in named), (name, role, position)


@pytest.mark.parametrize("formatter", FORMATTERS)
@each_case("name", SAMPLES)
def test_a_named_formatter_says_the_block_or_names_it(formatter: str, name: str) -> None:
    cls = getattr(dragoman.formatter, formatter)
    made = cls(policy="ignore", fetch=None)
    silent, refused = [], []
    for role, position in product(ROLES, POSITIONS):
        msgs, path = conversation(name, role, position)
        out = made.write(msgs)
        named = [loss for loss in out.losses if loss.where.startswith(path)]
        if not said(out.messages) and not named:
            silent.append(f"{role}, {position}: {out.messages}")
        faults = judge_messages(judge_of(made.wire), out.messages)
        if faults:
            refused.append(f"{role}, {position}: {faults}")
    assert silent == []
    assert refused == []


def test_every_wire_of_every_vendor_is_there() -> None:
    made = [dragoman.wire(name) for name in WIRES]
    reached = {(w.vendor.name if w.vendor else w.name, w.room.protocol) for w in made}
    assert {(name, wire) for name in VENDORS for wire in vendor(name).wires} <= reached
    assert len(WIRES) == len(set(WIRES))


def test_the_cases_are_all_there() -> None:
    assert len(CASES) == len(SAMPLES) * len(ROLES) * len(POSITIONS)
    assert {SAMPLES[name].type for name, _, _ in CASES} == set(BLOCKS)
