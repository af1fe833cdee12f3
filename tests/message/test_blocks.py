"""Content blocks and sources: read as dicts, shown short, written out and made of plain dicts."""

from __future__ import annotations

import copy
import json
import pickle
from base64 import b64encode
from dataclasses import fields
from typing import Any, cast

import pytest

from dragoman.errors import InvalidMessage
from dragoman.message import (
    AudioBlock,
    Base64Source,
    CacheHint,
    Citation,
    DocumentBlock,
    FileSource,
    ImageBlock,
    LocalSource,
    Msg,
    Origin,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    VideoBlock,
)
from dragoman.message.blocks import (
    BLOCKS,
    TEXTS,
    name_answers,
    name_notes,
    plain_block,
    texts_within,
)
from dragoman.message.check import check_block
from tests.each_case import each_case

PNG = Base64Source("image/png", "iVBORw0KGgo=", uri="data:image/png;base64,iVBORw0KGgo=")
WHOLE: list[Any] = [
    TextBlock(
        "x", [Citation(0, 1, "https://example.com", "t", "q", {"openai": {"k": 1}})],
        CacheHint("1h"), extras={"openai": {"k": [1]}}, spelling="part",
        origin=Origin("openai", "gpt-5.6", "acc", "2027-01-01", "ab12"),
    ),
    ThinkingBlock("hm", "c2ln", "cmVk"),
    ImageBlock(PNG, "title", "high", CacheHint()),
    AudioBlock(LocalSource("a.wav", "audio/wav")),
    VideoBlock(URLSource("https://example.com/a.mp4", "video/mp4")),
    DocumentBlock(FileSource("file-1", "openai", "application/pdf")),
    ToolUseBlock("c1", "look", {"at": [1, {"b": None}]}, '{"at": [1, {"b": null}]}', CacheHint()),
    ToolResultBlock("c1", "look", [TextBlock("y"), ImageBlock(PNG)], True, CacheHint()),
    RefusalBlock("no", "safety"),
    RawBlock("openai", {"type": "odd"}, "call", "p1", "client"),
]  # fmt: skip


def test_every_kind_is_here() -> None:
    assert {type(block) for block in WHOLE} == set(BLOCKS.values())
    for block in WHOLE:
        assert BLOCKS[block.type] is type(block)


@pytest.mark.parametrize("block", WHOLE, ids=lambda block: block.type)
def test_blocks_are_read_as_dicts(block: Any) -> None:
    for f in fields(block):
        assert block[f.name] == getattr(block, f.name) == block.get(f.name)
        assert f.name in block
    assert block["type"] == block.type
    assert block.get("nothing") is None
    assert block.get("nothing", 7) == 7
    assert "nothing" not in block
    assert 7 not in block
    for key in ("nothing", 7, None):
        with pytest.raises(KeyError, match=str(key)):
            block[key]


def test_sources_are_read_as_dicts() -> None:
    assert PNG["media_type"] == "image/png"
    assert cast("Any", ImageBlock(PNG))["source"]["data"] == "iVBORw0KGgo="
    with pytest.raises(KeyError):
        PNG["url"]


@pytest.mark.parametrize("block", WHOLE, ids=lambda block: block.type)
def test_plain_and_back(block: Any) -> None:
    plain = plain_block(block)
    assert next(iter(plain)) == "type"
    made: Any = check_block(json.loads(json.dumps(plain)), "$")
    assert type(made) is type(block)
    for f in fields(block):  # fields that equality leaves out, too
        assert getattr(made, f.name) == getattr(block, f.name), f.name


@each_case("block", WHOLE, ids=lambda block: block.type)
@each_case("way", [copy.copy, copy.deepcopy, lambda b: pickle.loads(pickle.dumps(b))])
def test_copies_and_pickles(block: Any, way: Any) -> None:
    made = way(block)
    assert made == block
    assert type(made) is type(block)


def test_fields_at_their_default_are_not_written() -> None:
    assert plain_block(TextBlock("")) == {"type": "text", "text": ""}
    assert plain_block(ToolUseBlock("c", "f")) == {
        "type": "tool_use", "id": "c", "name": "f", "input": {},
    }  # fmt: skip
    assert plain_block(ToolResultBlock("c")) == {
        "type": "tool_result", "id": "c", "name": "", "output": "",
    }  # fmt: skip
    assert plain_block(ImageBlock(URLSource("u"))) == {
        "type": "image", "source": {"type": "url", "url": "u"},
    }  # fmt: skip


def test_nothing_of_a_plain_block_is_shared() -> None:
    block = ToolUseBlock("c", "f", {"at": [1]}, extras={"openai": {"k": [1]}})
    plain = plain_block(block)
    plain["input"]["at"].append(2)
    plain["extras"]["openai"]["k"].append(2)
    assert (block.input, block.extras) == ({"at": [1]}, {"openai": {"k": [1]}})


def test_tuples_are_written_as_lists() -> None:
    plain = plain_block(ToolUseBlock("c", "f", {"at": (1, (2,))}))
    assert plain["input"] == {"at": [1, [2]]}


def test_no_fields_are_shared_by_default() -> None:
    first, second = ToolUseBlock("a", "f"), ToolUseBlock("b", "f")
    first.input["k"] = 1
    assert second.input == {}


@pytest.mark.parametrize(
    "block",
    [
        ImageBlock(Base64Source("image/png", "QUJD" * 9_999, "data:image/png;base64,QUJD")),
        ToolResultBlock("c", "f", [ImageBlock(Base64Source("image/png", "QUJD" * 9_999))]),
        RawBlock("openai", {"data": "QUJD" * 9_999}),
        ThinkingBlock("", redacted="QUJD" * 9_999),
    ],
    ids=lambda block: str(block.type),
)
def test_repr_never_shows_long_base64(block: Any) -> None:
    assert len(repr(block)) < 500
    assert "QUJDQUJD" not in repr(block)


def test_repr_says_what_is_set() -> None:
    assert repr(TextBlock("x")) == "TextBlock(text='x')"
    assert repr(PNG).startswith("Base64Source(media_type='image/png', data=<12 characters>")


def test_unknown_keys_of_a_dict_are_kept_as_extras_of_nobody() -> None:
    made = check_block({"type": "text", "text": "x", "thought_signature": "abc"}, "$")
    assert made == TextBlock("x", extras={"": {"thought_signature": "abc"}})
    both = {"type": "text", "text": "x", "odd": 1, "extras": {"openai": {"k": 1}, "": {"old": 2}}}
    before = copy.deepcopy(both)
    assert check_block(both, "$").extras == {"openai": {"k": 1}, "": {"old": 2, "odd": 1}}
    assert both == before


def test_a_source_is_made_of_a_dict_and_left_where_it_is_made() -> None:
    source = URLSource("https://example.com/a.png")
    made = check_block({"type": "image", "source": source}, "$")
    assert isinstance(made, ImageBlock)
    assert made.source is source


def test_citations_are_made_of_dicts_and_left_where_they_are_made() -> None:
    cited = Citation(url="1")
    made = check_block({"type": "text", "text": "x", "citations": [cited, {"url": "2"}]}, "$")
    assert made == TextBlock("x", [cited, Citation(url="2")])


def test_cache_control_is_a_cache_hint() -> None:
    given = {"type": "text", "text": "x", "cache_control": {"type": "ephemeral", "ttl": "1h"}}
    assert check_block(given, "$") == TextBlock("x", cache=CacheHint("1h"))
    plain = {"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}
    assert check_block(plain, "$") == TextBlock("x", cache=CacheHint())


def test_a_dict_result_holds_blocks() -> None:
    given = {
        "type": "tool_result", "id": "c", "name": "f", "output": [
            {"type": "text", "text": "x"},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "Q"}},
        ],
    }  # fmt: skip
    made = check_block(given, "$")
    assert isinstance(made, ToolResultBlock)
    assert made.output == [TextBlock("x"), ImageBlock(Base64Source("image/png", "Q"))]


def test_a_result_object_with_dicts_inside_is_copied_not_changed() -> None:
    inner: list[Any] = [{"type": "text", "text": "x"}]
    block = ToolResultBlock("c", "f", inner, is_error=True, cache=CacheHint())
    msg = Msg("", [block], "tool")
    assert inner == [{"type": "text", "text": "x"}]
    made = msg.content[0]
    assert made == ToolResultBlock("c", "f", [TextBlock("x")], is_error=True, cache=CacheHint())


def test_data_uri_of_a_source() -> None:
    assert PNG.data_uri() is PNG.uri
    assert Base64Source("image/png", "AAAA").data_uri() == "data:image/png;base64,AAAA"


def test_the_data_of_a_uri_is_cut_out_when_somebody_asks() -> None:
    uri = "data:image/png;base64,iVBORw0KGgo="
    made = Base64Source.within("image/png", uri)
    assert made.data_uri() is uri
    assert made.data == "iVBORw0KGgo="
    assert made.data is made.data, "once"
    assert made == Base64Source("image/png", "iVBORw0KGgo=", uri)
    assert (made.media_type, made.type) == ("image/png", "base64")
    assert Base64Source.within("image/svg+xml", "data:image/svg+xml,a,b").data == "a,b"
    with pytest.raises(AttributeError, match="size"):
        getattr(made, "size")  # noqa: B009 - a name that no source has


def test_a_raw_block_that_is_nothing_but_texts() -> None:
    told = [
        {"type": "text", "text": "a"},
        {"type": "result", "title": "T", "content": [{"type": "text", "text": "b"}, 7]},
        {"type": "text", "text": None},
        {"type": "other", "text": "no"},
    ]
    assert texts_within(RawBlock("p", told, spelling=TEXTS)) == ["a", "b"]
    assert texts_within(RawBlock("p", told)) == []
    assert texts_within(RawBlock("p", "a", spelling=TEXTS)) == []


def test_whose_fields_stand_under_which_name() -> None:
    assert name_answers("gemini") == "gemini (answer)"
    assert name_notes("gemini") == "gemini (notes)"


@pytest.mark.parametrize(
    ("block", "data", "media_type"),
    [
        (ImageBlock, b"\x89PNG\r\n\x1a\n...", "image/png"),
        (ImageBlock, b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
        (AudioBlock, b"RIFF\0\0\0\0WAVEfmt ", "audio/wav"),
        (VideoBlock, b"\0\0\0\x18ftypmp42", "video/mp4"),
        (DocumentBlock, b"%PDF-1.7", "application/pdf"),
    ],
)
def test_a_medium_is_made_of_its_bytes(block: Any, data: bytes, media_type: str) -> None:
    made = block.from_bytes(data, title="mine")
    assert made == block(Base64Source(media_type, b64encode(data).decode()), title="mine")
    assert block.from_bytes(bytearray(data)) == block.from_bytes(memoryview(data))
    assert block.from_bytes(b"?", media_type).source.media_type == media_type


@pytest.mark.parametrize("wrong", [b"who knows", b"", "text"])
def test_bytes_without_a_type_are_refused(wrong: Any) -> None:
    with pytest.raises(InvalidMessage):
        ImageBlock.from_bytes(wrong)
