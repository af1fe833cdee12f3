"""What a chat template is given for the messages of every wire."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from dragoman.tokens.chat_messages import Style, styled_turns, template_turns

from .conversations import ANTHROPIC, DOCUMENT, GEMINI, OLLAMA, OPENAI


def view(
    messages: list[dict[str, Any]], style: Style | None = None
) -> tuple[list[dict[str, Any]], list[str]]:
    before = copy.deepcopy(messages)
    said, media = template_turns(messages)
    result = styled_turns(said, style or Style())
    assert messages == before
    return result, [medium.kind for medium in media]


def function(name: str, arguments: Any, **more: Any) -> dict[str, Any]:
    return {"type": "function", **more, "function": {"name": name, "arguments": arguments}}


def test_openai() -> None:
    said, media = view(OPENAI)
    assert media == ["image"]
    assert said == [
        {"role": "system", "name": "system", "content": 'You\'re "Friday".'},
        {"role": "user", "name": "Bob", "content": "图书馆在哪里？\n"},
        {
            "role": "assistant",
            "name": "Friday",
            "content": "",
            "tool_calls": [function("search_around", {"location": [104.48, 36.3]}, id="1")],
        },
        {"role": "tool", "tool_call_id": "1", "content": "[...]", "name": "search_around"},
    ]


def test_anthropic() -> None:
    said, media = view(ANTHROPIC)
    assert media == ["image"]
    assert said == [
        {"role": "user", "content": "Hi"},
        {
            "role": "assistant",
            "content": "",
            "reasoning_content": "hm",
            "tool_calls": [
                function("f", {"data": "data:image/png;base64,AAAA", "n": 1.5}, id="1"),
            ],
        },
        {"role": "tool", "tool_call_id": "1", "content": "ok"},
    ]


def test_gemini() -> None:
    said, media = view(GEMINI)
    assert media == []
    assert said == [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "", "tool_calls": [function("f", {"x": True})]},
        {"role": "tool", "tool_call_id": "1", "name": "f", "content": '{"output": "ok"}'},
    ]


def test_dashscope_parts_and_its_null_text() -> None:
    parts = Style(parts=True)
    assert view(DOCUMENT, parts)[0][2]["content"] == [{"type": "text", "text": None}]
    assert view(DOCUMENT)[0][2]["content"] == ""
    mixed = [
        {"role": "user", "content": [{"text": "a"}, {"image": "https://x/y.png"}, {"text": "b"}]}
    ]
    texts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert view(mixed, parts) == ([{"role": "user", "content": texts}], ["image"])
    assert view(mixed) == ([{"role": "user", "content": "a\nb"}], ["image"])


def test_ollama_images_stand_beside_the_text() -> None:
    said, media = view([{"role": "user", "content": "?", "images": ["QUFB", "QUFB"]}, *OLLAMA[1:]])
    assert media == ["image", "image"]
    assert said[0] == {"role": "user", "content": "?"}
    assert said[1]["tool_calls"] == [function("f", {"x": 1}, id="1")]


def test_bedrock() -> None:
    said, media = view(
        [
            {"role": "user", "content": [{"text": "Hi"}, {"image": {"source": {"bytes": b"PNG"}}}]},
            {
                "role": "assistant",
                "content": [
                    {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "s"}}},
                    {"toolUse": {"toolUseId": "1", "name": "f", "input": {"x": 1}}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {
                        "toolResult": {
                            "toolUseId": "1",
                            "content": [{"text": "a"}, {"json": {"b": 1}}],
                        }
                    },
                    {"text": "Go on"},
                ],
            },
        ]
    )
    assert media == ["image"]
    assert said == [
        {"role": "user", "content": "Hi"},
        {
            "role": "assistant",
            "content": "",
            "reasoning_content": "hm",
            "tool_calls": [function("f", {"x": 1}, id="1")],
        },
        {"role": "tool", "tool_call_id": "1", "content": 'a\n{"json": {"b": 1}}'},
        {"role": "user", "content": "Go on"},
    ]


def test_a_call_without_arguments_and_reasoning_said_twice() -> None:
    [said] = view(
        [
            {
                "role": "model",
                "reasoning_content": "as text",
                "parts": [{"thought": True, "text": "hm"}, {"functionCall": {"name": "f"}}],
            }
        ]
    )[0]
    assert said == {
        "role": "assistant",
        "content": "",
        "reasoning_content": "as text",
        "tool_calls": [function("f", {})],
    }


def test_items_that_are_no_messages() -> None:
    said, media = view(
        [
            {"role": "developer", "content": "Be brief"},
            {"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "hm"}]},
            {"type": "function_call", "id": "fc", "call_id": "1", "name": "f", "arguments": "{}"},
            {
                "type": "function_call_output",
                "call_id": "1",
                "output": [{"type": "input_image", "image_url": "data:image/png;base64,AAAA"}],
            },
            {"type": "item_reference", "id": "x"},
        ]
    )
    assert media == ["image"]
    assert said == [
        {"role": "system", "content": "Be brief"},
        {"role": "assistant", "content": "", "reasoning_content": "hm"},
        {"role": "assistant", "content": "", "tool_calls": [function("f", {}, id="1")]},
        {"role": "tool", "tool_call_id": "1", "content": ""},
        {"role": "assistant", "content": '{"type": "item_reference", "id": "x"}'},
    ]


@pytest.mark.parametrize(
    ("part", "text"),
    [
        pytest.param("bare", "bare", id="bare text"),
        pytest.param({"type": "refusal", "refusal": "No."}, "No.", id="refusal"),
        pytest.param({"type": "output_text", "text": "x", "annotations": []}, "x", id="typed text"),
        pytest.param({"type": "redacted_thinking", "data": "b3Bh"}, "", id="opaque"),
        pytest.param({"type": "new", "a": 1}, '{"type": "new", "a": 1}', id="unknown"),
        pytest.param(
            {"type": "document", "source": {"type": "text", "data": "long"}},
            '{"type": "document", "source": {"type": "text", "data": "long"}}',
            id="a document of text",
        ),
        pytest.param(7, "7", id="no part at all"),
    ],
)
def test_nothing_that_a_model_reads_is_left_out(part: Any, text: str) -> None:
    [said] = view([{"role": "assistant", "content": [part]}])[0]
    assert said["content"] == text


def test_text_inside_a_document_with_pictures_is_kept() -> None:
    content = [
        {"type": "text", "text": "page 1"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
    ]
    document = {"type": "document", "source": {"type": "content", "content": content}}
    assert view([{"role": "user", "content": [document]}]) == (
        [{"role": "user", "content": "page 1"}],
        ["image"],
    )


@pytest.mark.parametrize(
    ("written", "objects", "seen"),
    [
        ('{"x": 1}', True, {"x": 1}),
        ("", True, {}),
        ('{"x": ', True, '{"x": '),
        ("[1]", True, "[1]"),
        ('{"x":1}', False, '{"x":1}'),
        ({"x": 1}, False, '{"x": 1}'),
    ],
)
def test_arguments_as_a_template_wants_them(written: Any, objects: bool, seen: Any) -> None:
    message = {"role": "assistant", "content": "", "tool_calls": [function("f", written)]}
    [said] = view([message], Style(objects=objects))[0]
    assert said["tool_calls"] == [function("f", seen)]


def test_a_template_of_parts_gets_text_as_a_part() -> None:
    [said] = view([{"role": "user", "content": "Hi"}], Style(strings=False, parts=True))[0]
    assert said["content"] == [{"type": "text", "text": "Hi"}]
