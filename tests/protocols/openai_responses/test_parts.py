"""Parts of a message or a result: media from everywhere, and breakpoints of the prompt cache."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman import ChatRequest, Msg
from dragoman.message import (
    AudioBlock,
    Base64Source,
    CacheHint,
    Citation,
    DocumentBlock,
    FileSource,
    ImageBlock,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    VideoBlock,
)

from .writing import OWN, codes, own, wire, wrote

IMAGE = ImageBlock(URLSource("https://example.com/a.png"))
CALL = ToolUseBlock("call_1", "look", {"at": "it"})


@pytest.mark.parametrize(
    ("block", "part"),
    [
        (
            ImageBlock(Base64Source("image/png", "iVBORw0KGgo="), detail="original"),
            {"image_url": "data:image/png;base64,iVBORw0KGgo=", "detail": "original"},
        ),
        (
            ImageBlock(FileSource("file-1", OWN), detail="low"),
            {"file_id": "file-1", "detail": "low"},
        ),
        (
            DocumentBlock(Base64Source("application/pdf", "JVBERi0="), title="a.pdf"),
            {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERi0="},
        ),
        (
            DocumentBlock(Base64Source("text/csv", "YSxi"), detail="high"),
            {
                "filename": "document.csv",
                "file_data": "data:text/csv;base64,YSxi",
                "detail": "high",
            },
        ),
        (
            DocumentBlock(Base64Source("text/x-python", "cHJpbnQ=")),
            {"filename": "document.txt", "file_data": "data:text/x-python;base64,cHJpbnQ="},
        ),
        (DocumentBlock(URLSource("https://example.com/a")), {"file_url": "https://example.com/a"}),
        (DocumentBlock(FileSource("file-2", OWN)), {"file_id": "file-2"}),
    ],
)
def test_media(block: Any, part: dict[str, Any]) -> None:
    kind = "input_image" if type(block) is ImageBlock else "input_file"
    out = wrote(Msg.user([block]))
    assert out.body["input"] == [{"role": "user", "content": [{"type": kind, **part}]}]
    assert codes(out) == []


@pytest.mark.parametrize(
    ("block", "code"),
    [
        (ImageBlock(URLSource("https://example.com/a.png"), detail="ultra"), "media.detail"),
        (DocumentBlock(URLSource("https://example.com/a"), title="A"), "media.detail"),
        (DocumentBlock(FileSource("file-1", OWN), detail="original"), "media.detail"),
        (ImageBlock(Base64Source("image/tiff", "SUkq")), "media.type"),
        (AudioBlock(Base64Source("audio/wav", "UklG")), "block.unsupported"),
        (VideoBlock(URLSource("https://example.com/a.mp4")), "block.unsupported"),
    ],
)
def test_media_that_the_wire_does_not_take_so(block: Any, code: str) -> None:
    out = wrote(Msg.user([TextBlock("See"), block]))
    assert [one.split()[0] for one in codes(out)] == [code]


def test_sound_where_a_model_takes_it() -> None:
    sound = AudioBlock(Base64Source("audio/mpeg", "SUQz"))
    out = wire({"audio": ("user",)}).write_request(ChatRequest([Msg.user([sound])], model="m"))
    part = {"type": "input_audio", "input_audio": {"data": "SUQz", "format": "mp3"}}
    assert out.body["input"] == [{"role": "user", "content": [part]}]


HINT = CacheHint()


def test_hints_of_the_cache_stand_on_input_parts() -> None:
    history = [
        Msg.system([TextBlock("Long.", cache=CacheHint("12h"))]),
        Msg.user([IMAGE, TextBlock("Hi")], cache=HINT),
        Msg.assistant([CALL]),
        Msg("", [ToolResultBlock("call_1", "look", "seen", cache=HINT)], "tool"),
        Msg.user("Go on."),
    ]
    out = wrote(*history, can={"cache_hints": 4})
    mark = {"mode": "explicit"}
    assert out.body["input"][0]["content"] == [
        {
            "type": "input_text",
            "text": "Long.",
            "prompt_cache_breakpoint": {"mode": "explicit", "ttl": "12h"},
        }
    ]
    assert out.body["input"][1]["content"][1]["prompt_cache_breakpoint"] == mark
    assert out.body["input"][3]["output"] == [
        {"type": "input_text", "text": "seen", "prompt_cache_breakpoint": mark}
    ]
    assert "instructions" not in out.body
    assert codes(out) == []


def test_hints_that_have_no_place() -> None:
    history = [
        Msg.user("Hi", cache=CacheHint("5m")),
        Msg.assistant([TextBlock("I look."), ToolUseBlock("c", "look", {}, cache=HINT)]),
        Msg.tool("c", [TextBlock("a"), TextBlock("b", cache=HINT)]),
        Msg.assistant([TextBlock("Seen.", cache=HINT)]),
    ]
    out = wrote(*history, can={"cache_hints": 9})
    items = out.body["input"]
    assert items[0]["content"][0]["prompt_cache_breakpoint"] == {"mode": "explicit"}
    assert items[3]["output"][1]["prompt_cache_breakpoint"] == {"mode": "explicit"}
    assert codes(out) == [
        "cache.ttl $.messages[0].cache.ttl",
        "cache.unsupported $.messages[1].content[1].cache",
        "cache.unsupported $.messages[3].content[0].cache",
    ]
    unknown = wrote(*history)
    assert "prompt_cache_breakpoint" not in str(unknown.body)


def test_what_the_model_cites_goes_back() -> None:
    page = Citation(0, 2, "https://e.org/", "E")
    file = Citation(title="a.pdf", extras=own(type="file_citation", file_id="file_1", index=3))
    out = wrote(Msg.user("Hi"), Msg.assistant([TextBlock("It rains.", [page, file])]))
    assert out.body["input"][1]["content"][0]["annotations"] == [
        {"type": "url_citation", "start_index": 0, "end_index": 2, "url": "https://e.org/",
         "title": "E"},
        {"type": "file_citation", "filename": "a.pdf", "file_id": "file_1", "index": 3},
    ]  # fmt: skip
    assert codes(out) == []


@pytest.mark.parametrize(
    "cited",
    [
        Citation(url="https://e.org/"),
        Citation(0, 2, "https://e.org/", "E", "It rains there."),
        Citation(0, 2, "https://e.org/", "E", extras={"elsewhere": {"source": 1}}),
    ],
)
def test_a_citation_of_others_that_no_annotation_says(cited: Citation) -> None:
    out = wrote(Msg.user("Hi"), Msg.assistant([TextBlock("It rains.", [cited])]))
    assert out.body["input"][1]["content"] == "It rains."
    assert codes(out) == ["citations.unsupported $.messages[1].content[0].citations"]


def test_users_cite_nothing() -> None:
    out = wrote(Msg.user([TextBlock("It rains.", [Citation(0, 2, "https://e.org/", "E")])]))
    assert codes(out) == ["citations.unsupported $.messages[0].content[0].citations"]
