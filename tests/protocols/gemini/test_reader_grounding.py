"""What answers rest on: segments in bytes become citations in characters."""

from __future__ import annotations

from typing import Any

from dragoman.message import Citation, TextBlock
from tests.protocols.gemini.answers import body, chunk, read, streamed, text

CHUNKS = [
    {"web": {"uri": "https://example.com/a", "title": "A"}},
    {"retrievedContext": {"text": "as written", "title": "B", "fileSearchStore": "s"}},
]


def support(said: str, start: int | None, end: int, *chunks: int) -> dict[str, Any]:
    segment: dict[str, Any] = {"endIndex": end, "text": said}
    if start is not None:
        segment["startIndex"] = start
    return {"segment": segment, "groundingChunkIndices": list(chunks)}


def grounds(*supports: Any) -> dict[str, Any]:
    return {"groundingChunks": CHUNKS, "groundingSupports": list(supports)}


def cited(block: Any) -> list[tuple[Any, ...]]:
    assert isinstance(block, TextBlock)
    return [(c.start, c.end, c.url, c.title, c.quote) for c in block.citations or ()]


def test_bytes_become_characters() -> None:
    said = "北京很大。Beijing is big."
    first, second = "北京很大。", "Beijing is big."
    told = grounds(support(first, None, 15, 0), support(second, 15, 30, 0, 1))
    resp = read(body(text(said), groundingMetadata=told))
    assert cited(resp.msg.blocks[0]) == [
        (0, 5, "https://example.com/a", "A", None),
        (5, 20, "https://example.com/a", "A", None),
        (5, 20, None, "B", "as written"),
    ]
    assert (resp.candidates[0].extras or {})["gemini"]["groundingMetadata"] == told


def test_segments_count_all_texts_but_no_thoughts() -> None:
    parts = [
        text("hm", thought=True),
        text("Oslo", thoughtSignature="MQ=="),
        text(" is in Norway."),
    ]
    told = grounds(support("Oslo is in Norway.", 0, 18, 0))
    for resp in (
        read(body(*parts, groundingMetadata=told)),
        streamed(*map(chunk, parts), body(text(""), groundingMetadata=told)),
    ):
        _, first, second = resp.msg.blocks
        url = ("https://example.com/a", "A", None)
        assert cited(first) == [(0, 4, *url)]
        assert cited(second) == [(0, 14, *url)]


def test_a_segment_that_counts_otherwise_is_found_by_its_text() -> None:
    told = grounds(support("Norway", 90, 96, 0), support("Sweden", 0, 6, 0), support("in", 5, 7, 9))
    resp = read(body(text("Oslo is in Norway."), groundingMetadata=told))
    url = ("https://example.com/a", "A", None)
    assert cited(resp.msg.blocks[0]) == [
        (11, 17, *url),
        (None, None, *url),
        (8, 10, None, None, None),
    ]


def test_chunks_may_bring_metadata_in_pieces_and_again() -> None:
    told = grounds(support("Oslo", 0, 4, 0))
    more = [support("Oslo", 0, 4, 0), support(".!", 4, 6, 1)]
    resp = streamed(
        chunk(text("Oslo"), groundingMetadata={}),
        chunk(text("."), groundingMetadata={"webSearchQueries": ["oslo"]}),
        chunk(text("!"), groundingMetadata=told),
        chunk(groundingMetadata={}),
        body(text("?"), groundingMetadata=told | {"groundingSupports": more}),
    )
    assert cited(resp.msg.blocks[0]) == [
        (0, 4, "https://example.com/a", "A", None),
        (4, 6, None, "B", "as written"),
    ]
    kept = (resp.candidates[0].extras or {})["gemini"]["groundingMetadata"]
    assert kept == {"webSearchQueries": ["oslo"], **told, "groundingSupports": more}


def test_what_is_recited() -> None:
    for key in ("citationSources", "citations"):
        one = {"startIndex": 0, "endIndex": 6, "uri": "https://example.com/b", "license": "mit"}
        far = {"startIndex": 90, "endIndex": 99, "uri": "https://example.com/c", "title": "C"}
        resp = streamed(chunk(text("Grüß"), citationMetadata={key: [one]}),
                        body(text("e"), citationMetadata={key: [far]}))  # fmt: skip
        block = resp.msg.blocks[0]
        assert isinstance(block, TextBlock)
        assert block.citations == [
            Citation(0, 4, "https://example.com/b"),
            Citation(url="https://example.com/c", title="C"),
        ]
        kept = (resp.candidates[0].extras or {})["gemini"]["citationMetadata"]
        assert kept == {key: [one, far]}


def test_grounds_without_a_text_are_kept() -> None:
    told = grounds(support("Oslo", 0, 4, 0))
    resp = read(body(groundingMetadata=told))
    assert resp.msg.blocks == []
    assert (resp.candidates[0].extras or {})["gemini"]["groundingMetadata"] == told
