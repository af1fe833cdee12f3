"""Document 001's table of supported blocks, under the profile `documents-2025`.

A block is supported if what it carries is in the output; if not, the loss names it.
"""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

import pytest

from dragoman import Msg
from dragoman.formatter import WireFormatter
from dragoman.formatter.agentscope import FORMATTERS
from dragoman.message import (
    AudioBlock,
    Base64Source,
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    VideoBlock,
)

# class -> tool, image, audio, video, thinking; "-" where the table leaves a cell empty
TABLE = {
    "OpenAIChatFormatter": "yyyn-",
    "DashScopeChatFormatter": "yyyn-",
    "DashScopeMultiAgentFormatter": "yyyn-",
    "AnthropicChatFormatter": "yynny",
    "AnthropicMultiAgentFormatter": "yynny",
    "GeminiChatFormatter": "yyyy-",
    "GeminiMultiAgentFormatter": "yyyy-",
    "OllamaChatFormatter": "yynn-",
    "OllamaMultiAgentFormatter": "yynn-",
    "DeepSeekChatFormatter": "ynnn-",
    "DeepSeekMultiAgentFormatter": "ynnn-",
}
MEDIA: dict[str, ImageBlock | AudioBlock | VideoBlock] = {
    "image": ImageBlock(Base64Source("image/png", "aW1hZ2U=")),
    "audio": AudioBlock(Base64Source("audio/wav", "YXVkaW8=")),
    "video": VideoBlock(Base64Source("video/mp4", "dmlkZW8=")),
}
BYTES = {f"https://example.com/a.{kind}": block.source for kind, block in MEDIA.items()}
DEMANDS = {name: f"S{92 + row}" for row, name in enumerate(TABLE)}


def cells(kind: str) -> list[Any]:
    """A parameter for each class, marked with the demand that its row is."""
    column = ["tool", *MEDIA, "thinking"].index(kind)
    return [
        pytest.param(name, row[column] == "y", id=f"{name}-{row[column]}",
                     marks=pytest.mark.demand(DEMANDS[name]))
        for name, row in TABLE.items()
    ]  # fmt: skip


def formatter(name: str, facts: str | None = "documents-2025", **options: Any) -> WireFormatter:
    made: WireFormatter = getattr(import_module("dragoman.formatter"), name)(facts=facts, **options)
    return made


def download(source: Any, path: str) -> Any:
    """What a URL gives: some providers get bytes alone."""
    return BYTES[source.url]


@pytest.mark.parametrize(("name", "supported"), cells("tool"))
def test_tool_calls_and_results(name: str, supported: bool) -> None:
    call = ToolUseBlock(id="call_1", name="get_weather", input={"city": "Beijing"})
    result = ToolResultBlock(id="call_1", name="get_weather", output="Sunny.")
    msgs = [
        Msg("Bob", "Well?", "user"),
        Msg("Friday", [call], "assistant"),
        Msg("system", [result], "system"),
    ]
    written = formatter(name).write(msgs)
    text = json.dumps(written.messages)
    assert ("get_weather" in text and "Beijing" in text and "Sunny." in text) == supported
    assert not any(loss.code.startswith(("call.", "result.")) for loss in written.losses)


def shown(name: str, kind: str, facts: str | None = "documents-2025") -> bool:
    """Whether a user's medium is in what the formatter writes; if not, a loss must name it.

    In base64, and by a URL: as that, or downloaded.
    """
    source = MEDIA[kind].source
    assert isinstance(source, Base64Source)
    url = f"https://example.com/a.{kind}"
    there = []
    for given in (source, URLSource(url)):
        block = type(MEDIA[kind])(given)
        out = formatter(name, facts, fetch=download).write(
            [Msg("Bob", [TextBlock("Look"), block], "user")]
        )
        parts = json.dumps(out.messages)
        there.append(source.data in parts or (f'"{url}"' in parts and given is not source))
        named = {loss.where for loss in out.losses if loss.code.startswith(("block.", "media."))}
        assert named == (set() if there[-1] else {"$.messages[0].content[1]"})
    assert there[0] == there[1]
    return there[0]


@pytest.mark.parametrize(("name", "supported"), cells("image"))
def test_images(name: str, supported: bool) -> None:
    assert shown(name, "image") == supported


@pytest.mark.parametrize(("name", "supported"), cells("audio"))
def test_audio(name: str, supported: bool) -> None:
    assert shown(name, "audio") == supported


@pytest.mark.parametrize(("name", "supported"), cells("video"))
def test_video(name: str, supported: bool) -> None:
    assert shown(name, "video") == supported


# what the API takes today beyond the table; all else is as it says
TODAY = {
    "DashScopeChatFormatter": "video",
    "DashScopeMultiAgentFormatter": "video",
    "DeepSeekChatFormatter": "thinking",
    "DeepSeekMultiAgentFormatter": "thinking",
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.demand(DEMANDS[name])) for name in TABLE]
)
def test_what_is_carried_by_default(name: str) -> None:
    columns = ["tool", *MEDIA, "thinking"]
    listed = {kind for kind, cell in zip(columns, TABLE[name], strict=True) if cell == "y"}
    carried = {kind for kind in MEDIA if shown(name, kind, facts=None)}
    text = json.dumps(formatter(name, facts=None).format_sync(thoughtful()))
    carried |= {"tool"} if "get_weather" in text and "Sunny." in text else set()
    carried |= {"thinking"} if "Paris is in France." in text else set()
    assert carried == listed | ({TODAY[name]} if name in TODAY else set())


def thoughtful() -> list[Msg]:
    """A turn of Claude's with its thinking, a call and its result."""
    thinking = ThinkingBlock("Paris is in France.", signature="c2ln")
    call = ToolUseBlock(id="call_1", name="get_weather", input={})
    result = ToolResultBlock(id="call_1", name="get_weather", output="Sunny.")
    return [
        Msg("Bob", "Well?", "user"),
        Msg("Friday", [thinking, call], "assistant"),
        Msg("system", [result], "system"),
    ]


# formatters that the table leaves out; the note below it speaks of all
BESIDE = [pytest.param(name, False, id=name) for name in sorted({*FORMATTERS} - {*TABLE})]


@pytest.mark.demand("S103")
@pytest.mark.parametrize(("name", "supported"), [*cells("thinking"), *BESIDE])
def test_thinking_goes_back_to_anthropic_alone(name: str, supported: bool) -> None:
    written = formatter(name).write(thoughtful())
    assert ("Paris is in France." in json.dumps(written.messages)) == supported
    lost = [loss.where for loss in written.losses if loss.code.startswith("thinking.")]
    assert lost == ([] if supported else ["$.messages[1].content[0]"])
