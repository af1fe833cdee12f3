"""Messages as Ollama takes them: flat, with bytes beside the text and arguments as objects."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman import Msg
from dragoman.formatter import Formatter, OllamaChatFormatter, OllamaMultiAgentFormatter
from dragoman.message import (
    AudioBlock,
    Base64Source,
    CacheHint,
    ContentBlock,
    ImageBlock,
    Origin,
    RawBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    URLSource,
    VideoBlock,
)
from tests.contract.judges import judge_messages

DOT = "iVBORw0KGgo="
BELL = "SUQzBAAAAAAAAA=="
CALL = ToolUseBlock("c1", "locate", {"where": "家", "deep": {"n": [1, None]}})
ROUND = [Msg.user("Where?"), Msg.assistant([CALL]), Msg.tool("c1", "Gansu", "locate")]


def dot() -> ImageBlock:
    return ImageBlock(Base64Source("image/png", DOT))


def wrote(
    msgs: list[Msg], model: str | None = None, **options: Any
) -> tuple[list[dict[str, Any]], list[str]]:
    """(wire messages, codes of losses); the judge must not refuse a thing."""
    out = Formatter("ollama", model=model, policy="ignore", **options).write(msgs)
    assert judge_messages("ollama", out.messages) == []
    return out.messages, [loss.code for loss in out.losses]


def test_a_round_of_tools() -> None:
    assert wrote(ROUND) == (
        [
            {"role": "user", "content": "Where?"},
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [
                    {
                        "id": "c1",
                        "type": "function",
                        "function": {"name": "locate", "arguments": CALL.input},
                    }
                ],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "Gansu", "tool_name": "locate"},
        ],
        [],
    )


def test_a_result_without_a_name_gets_that_of_its_call() -> None:
    messages, codes = wrote([*ROUND[:2], Msg.tool("c1", "Gansu")])
    assert messages[2]["tool_name"] == "locate"
    assert codes == ["result.name"]


def test_arguments_that_are_no_object_are_wrapped() -> None:
    broken = ToolUseBlock("c1", "locate", "{not json")
    messages, codes = wrote([ROUND[0], Msg.assistant([broken]), ROUND[2]])
    assert messages[1]["tool_calls"][0]["function"]["arguments"] == {"_raw": "{not json"}
    assert codes == ["call.unparsed"]


def test_the_named_classes_say_null_where_there_is_no_text() -> None:
    for formatter in (OllamaChatFormatter(), OllamaMultiAgentFormatter()):
        written = formatter.format_sync(ROUND)
        assert written[1]["content"] is None
        assert judge_messages("ollama", written) == []


@pytest.mark.parametrize("role", ["system", "user", "assistant"])
def test_images_lie_beside_the_text_at_any_role(role: str) -> None:
    blocks: list[ContentBlock] = [TextBlock("Look:"), dot(), TextBlock("Well?"), dot()]
    messages, codes = wrote([Msg("", blocks, role), Msg.user("Go on.")])
    assert messages[0] == {"role": role, "content": "Look:\nWell?", "images": [DOT, DOT]}
    assert codes == []


def test_a_data_uri_is_stripped_to_its_bytes() -> None:
    image = ImageBlock(URLSource(f"data:image/png;base64,{DOT}"))
    assert wrote([Msg.user([image])])[0] == [{"role": "user", "content": "", "images": [DOT]}]


def test_an_address_is_told_as_text_because_ollama_fetches_nothing() -> None:
    image = ImageBlock(URLSource("https://example.com/pictures/cat.png"))
    messages, codes = wrote([Msg.user([TextBlock("Look:"), image])])
    assert messages[0]["content"] == (
        "Look:\nThe image can be found at: https://example.com/pictures/cat.png"
    )
    assert "images" not in messages[0]
    assert codes == ["media.not_fetched"]


def test_an_image_of_a_result_follows_in_a_user_message() -> None:
    messages, codes = wrote([*ROUND[:2], Msg.tool("c1", [TextBlock("Gansu"), dot()], "locate")])
    assert messages[2]["content"] == "Gansu\nThe returned image (image/png) is shown below."
    assert (messages[3]["role"], messages[3]["images"]) == ("user", [DOT])
    assert codes == ["media.moved"]


def test_an_image_may_stay_in_a_result_where_the_caller_knows_that_it_is_seen() -> None:
    msgs = [*ROUND[:2], Msg.tool("c1", [TextBlock("Gansu"), dot()], "locate")]
    messages, codes = wrote(msgs, can={"image": ["user", "result"]})
    assert messages[2] == {
        "role": "tool",
        "tool_call_id": "c1",
        "content": "Gansu",
        "tool_name": "locate",
        "images": [DOT],
    }
    assert codes == []


def test_sound_lies_among_the_images_where_a_model_takes_it() -> None:
    sound = Msg.user([AudioBlock(Base64Source("audio/mpeg", BELL)), TextBlock("Hear.")])
    assert wrote([sound]) == ([{"role": "user", "content": "Hear."}], ["block.unsupported"])
    told = {"role": "user", "content": "Hear.", "images": [BELL]}
    assert wrote([sound], can={"audio": True}) == ([told], [])


def test_videos_and_hints_and_foreign_parts_are_named_as_lost() -> None:
    film = VideoBlock(Base64Source("video/mp4", "AAAAGGZ0eXBpc29t"))
    hinted = TextBlock("Hm?", cache=CacheHint())
    messages, codes = wrote([Msg.user([hinted, film, RawBlock("gemini", {"x": 1})])])
    assert messages == [{"role": "user", "content": "Hm?"}]
    assert codes == ["cache.unsupported", "block.unsupported", "raw.other_provider"]


def test_thinking_comes_back_on_the_wire_and_not_in_the_named_classes() -> None:
    msgs = [Msg.user("2 + 2?"), Msg.assistant([ThinkingBlock("Easy."), TextBlock("4")])]
    said = {"role": "assistant", "content": "4", "thinking": "Easy."}
    assert wrote(msgs) == ([{"role": "user", "content": "2 + 2?"}, said], [])
    out = OllamaChatFormatter(policy="ignore").write(msgs)
    assert out.messages[1] == {"role": "assistant", "content": "4"}
    assert [loss.code for loss in out.losses] == ["thinking.unsupported"]
    assert OllamaChatFormatter(can={"thinking": True}).format_sync(msgs)[1] == said


def test_thinking_of_another_provider_is_named_as_lost() -> None:
    foreign = ThinkingBlock("Easy.", signature="c2ln", origin=Origin("anthropic"))
    assert wrote([Msg.user("?"), Msg.assistant([foreign, TextBlock("4")])])[1] == [
        "thinking.other_provider"
    ]


def test_gaps_show_where_images_stood_in_the_merged_history_alone() -> None:
    look = Msg("Bob", [TextBlock("This?"), dot()], "user")
    formatter = OllamaMultiAgentFormatter(promote_tool_result_images=True)
    shown = Msg.tool("c1", [dot()], "locate")
    messages = formatter.format_sync([look, Msg("Alice", "Or that?"), ROUND[1], shown])
    assert messages[0]["content"].endswith("Bob: This?\n\nAlice: Or that?\n</history>")
    assert messages[3]["content"] == (
        "<system-info>The following are the image contents from the tool result of 'locate':"
        "\n\n- The image: \n</system-info>"
    )


def test_a_later_system_message_is_told_by_the_user_where_the_renderer_refuses_it() -> None:
    msgs = [
        Msg.system("You are Friday."),
        Msg.system("Be brief."),
        Msg.user("Hi"),
        Msg.system("Rhyme."),
    ]
    messages, codes = wrote(msgs, "qwen3.8:27b")
    assert [m["role"] for m in messages] == ["system", "user", "user", "user"]
    assert messages[3]["content"] == "<system-reminder>\nRhyme.\n</system-reminder>"
    assert set(codes) == {"system.late", "system.reminder"}
    assert [m["role"] for m in wrote(msgs, "qwen3.6:27b")[0]] == [
        "system",
        "system",
        "user",
        "system",
    ]
