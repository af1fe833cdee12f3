"""Every shape in which a wire carries media: recognised, and cut out without touching the input."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from dragoman.tokens.chat_messages import Medium, without_payloads
from tests.each_case import each_case

B64 = "QkFTRTY0" * 40
URI = f"data:image/png;base64,{B64}"
URL = "https://example.com/a"


def uri(media_type: str) -> str:
    return f"data:{media_type};base64,{B64}"


def user(*parts: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(parts)}


INLINE: dict[str, tuple[dict[str, Any], list[str]]] = {
    "chat image": (
        user({"type": "image_url", "image_url": {"url": URI, "detail": "low"}}),
        ["image"],
    ),
    "chat audio": (
        user({"type": "input_audio", "input_audio": {"data": B64, "format": "wav"}}),
        ["audio"],
    ),
    "chat file": (
        user({"type": "file", "file": {"file_data": uri("application/pdf"), "filename": "a.pdf"}}),
        ["document"],
    ),
    "chat video": (user({"type": "video_url", "video_url": {"url": uri("video/mp4")}}), ["video"]),
    "image as a file": (user({"type": "file", "file": {"file_data": URI}}), ["image"]),
    "image as text": (user({"type": "image_url", "image_url": URI}), ["image"]),
    "document as text": (
        user({"type": "document_url", "document_url": uri("application/pdf")}),
        ["document"],
    ),
    "audio as text": (user({"type": "input_audio", "input_audio": B64}), ["audio"]),
    "input image": (user({"type": "input_image", "image_url": URI, "detail": "auto"}), ["image"]),
    "input file": (
        user({"type": "input_file", "file_data": uri("application/pdf"), "filename": "a.pdf"}),
        ["document"],
    ),
    "image in a call's output": (
        {
            "type": "function_call_output",
            "call_id": "1",
            "output": [
                {"type": "input_text", "text": "see"},
                {"type": "input_image", "image_url": URI},
            ],
        },
        ["image"],
    ),
    "screenshot": (
        {
            "type": "computer_call_output",
            "output": {"type": "computer_screenshot", "image_url": URI},
        },
        ["image"],
    ),
    "generated image": (
        {"type": "image_generation_call", "id": "1", "status": "completed", "result": B64},
        ["image"],
    ),
    "anthropic image": (
        user(
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": B64}}
        ),
        ["image"],
    ),
    "anthropic document": (
        user(
            {
                "type": "document",
                "source": {"type": "base64", "media_type": "application/pdf", "data": B64},
            }
        ),
        ["document"],
    ),
    "anthropic result": (
        user(
            {
                "type": "tool_result",
                "tool_use_id": "1",
                "content": [
                    {
                        "type": "image",
                        "source": {"type": "base64", "media_type": "image/png", "data": B64},
                    },
                    {"type": "text", "text": "ok"},
                ],
            }
        ),
        ["image"],
    ),
    "anthropic document of parts": (
        user(
            {
                "type": "document",
                "source": {
                    "type": "content",
                    "content": [{"type": "image", "source": {"type": "base64", "data": B64}}],
                },
            }
        ),
        ["image"],
    ),
    "gemini": (
        {"role": "user", "parts": [{"inline_data": {"mime_type": "audio/wav", "data": B64}}]},
        ["audio"],
    ),
    "gemini in camel case": (
        {
            "role": "user",
            "parts": [{"text": "?"}, {"inlineData": {"mimeType": "video/mp4", "data": B64}}],
        },
        ["video"],
    ),
    "gemini document": (
        {"role": "user", "parts": [{"inlineData": {"mimeType": "application/pdf", "data": B64}}]},
        ["document"],
    ),
    "gemini result": (
        {
            "role": "user",
            "parts": [
                {
                    "functionResponse": {
                        "name": "f",
                        "response": {"output": "see"},
                        "parts": [{"inlineData": {"mimeType": "image/png", "data": B64}}],
                    }
                }
            ],
        },
        ["image"],
    ),
    "dashscope": (
        user(
            {"image": URI}, {"audio": uri("audio/wav")}, {"video": uri("video/mp4")}, {"text": "?"}
        ),
        ["image", "audio", "video"],
    ),
    "frames": (user({"video": [URI, URI, URI], "fps": 2}), ["image", "image", "image"]),
    "ollama": ({"role": "user", "content": "?", "images": [B64, B64]}, ["image", "image"]),
    "bedrock bytes": (
        user({"image": {"format": "png", "source": {"bytes": B64.encode()}}}),
        ["image"],
    ),
    "bedrock document": (
        user({"document": {"name": "a", "format": "pdf", "source": {"bytes": B64}}}),
        ["document"],
    ),
    "bedrock result": (
        user(
            {
                "toolResult": {
                    "toolUseId": "1",
                    "content": [
                        {"text": "see"},
                        {"video": {"format": "mp4", "source": {"bytes": B64}}},
                    ],
                }
            }
        ),
        ["video"],
    ),
    "spoken answer": (
        {"role": "assistant", "content": None, "audio": {"id": "1", "data": B64}},
        ["audio"],
    ),
    "base64 without a header": (user({"image": B64 * 40}), ["image"]),
}

REFERENCES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "chat image": (user({"type": "image_url", "image_url": {"url": URL}}), ["image"]),
    "chat file": (user({"type": "file", "file": {"file_id": "f"}}), ["document"]),
    "input image": (user({"type": "input_image", "image_url": None, "file_id": "f"}), ["image"]),
    "anthropic image": (user({"type": "image", "source": {"type": "url", "url": URL}}), ["image"]),
    "anthropic file": (
        user({"type": "document", "source": {"type": "file", "file_id": "f"}}),
        ["document"],
    ),
    "gemini": (
        {"role": "user", "parts": [{"fileData": {"fileUri": URL, "mimeType": "video/mp4"}}]},
        ["video"],
    ),
    "a long address": (user({"image": f"{URL}?{B64 * 40}"}), ["image"]),
    "dashscope": (user({"image": URL}, {"video": [URL, URL]}), ["image", "image", "image"]),
    "bedrock": (
        user({"image": {"format": "png", "source": {"s3Location": {"uri": "s3://b/a"}}}}),
        ["image"],
    ),
}

NO_MEDIA: dict[str, dict[str, Any]] = {
    "text": {"role": "user", "content": URI},
    "text part": user({"type": "text", "text": URI}),
    "arguments": {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"function": {"name": "f", "arguments": {"image": URI, "data": B64}}}],
    },
    "input": user({"type": "tool_use", "name": "f", "input": {"source": {"data": B64}}}),
    "args": {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {"image": URI}}}]},
    "response": {
        "role": "user",
        "parts": [{"functionResponse": {"name": "f", "response": {"image": URI}}}],
    },
    "plain text document": user(
        {
            "type": "document",
            "source": {"type": "text", "media_type": "text/plain", "data": "long text"},
        }
    ),
    "text document": user({"document": {"name": "a", "source": {"text": "long text"}}}),
    "document of values": user({"type": "document", "document": {"id": "1", "data": {"a": B64}}}),
    "search result": user(
        {"type": "search_result", "source": URL, "content": [{"type": "text", "text": "x"}]}
    ),
    "json result": user({"toolResult": {"toolUseId": "1", "content": [{"json": {"image": URI}}]}}),
    "nulls": {"role": "user", "content": None, "images": None, "audio": None},
}


@each_case(("message", "kinds"), INLINE.values())
def test_payloads_are_cut_out(message: dict[str, Any], kinds: list[str]) -> None:
    before = copy.deepcopy(message)
    view, media = without_payloads(message)
    assert [(medium.kind, medium.inline) for medium in media] == [(kind, True) for kind in kinds]
    assert "QkFTRTY0" not in str(view)
    assert message == before
    assert view.keys() == message.keys()


@pytest.mark.parametrize(("message", "kinds"), REFERENCES.values(), ids=REFERENCES.keys())
def test_references_are_counted_and_kept(message: dict[str, Any], kinds: list[str]) -> None:
    view, media = without_payloads(message)
    assert [(medium.kind, medium.inline) for medium in media] == [(kind, False) for kind in kinds]
    assert view is message


@pytest.mark.parametrize("message", NO_MEDIA.values(), ids=NO_MEDIA.keys())
def test_what_is_text_to_the_model_is_no_medium(message: dict[str, Any]) -> None:
    view, media = without_payloads(message)
    assert media == []
    assert view is message


def test_the_view_shares_what_it_does_not_change() -> None:
    text = {"type": "text", "text": "x" * 1000}
    message = user(text, {"image": URI})
    view, media = without_payloads(message)
    assert media == [Medium("image", inline=True)]
    assert view["content"][0] is text
    assert view["content"][1] == {"image": "data:image/png;base64,"}


def test_a_data_uri_without_a_comma_leaves_nothing_behind() -> None:
    view, _ = without_payloads(user({"image": "data:" + B64}))
    assert view["content"] == [{"image": "data:,"}]
