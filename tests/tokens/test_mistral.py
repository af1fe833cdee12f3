"""Mistral's figures, with mistral-common itself as the judge of what it accepts."""

from __future__ import annotations

import asyncio
import base64
import io
import pickle
from pathlib import Path
from typing import Any

import mistral_common
import pytest
from mistral_common.protocol.instruct.request import ChatCompletionRequest
from mistral_common.tokens.tokenizers.mistral import MistralTokenizer
from PIL import Image

import dragoman
from dragoman import Msg, Tool
from dragoman.errors import ConfigError
from dragoman.message import Origin, ThinkingBlock, ToolResultBlock, ToolUseBlock
from dragoman.tokens import MistralTokenCounter
from dragoman.tokens.chat_messages import ESTIMATES

from .conversations import ANTHROPIC, OPENAI, TOOLS

HISTORY = [
    Msg.system("You are X."),
    Msg.user("What is the weather?"),
    Msg.assistant([ToolUseBlock("c1", "look", {"at": "Paris"})]),
    Msg("", [ToolResultBlock("c1", "look", "sunny")], "tool"),
    Msg.assistant("It is sunny."),
    Msg.user("Merci."),
]
LOOK = Tool("look", "Looks.", {"type": "object", "properties": {"at": {"type": "string"}}})

ASK = [{"role": "user", "content": "Where?"}]


@pytest.fixture(scope="module")
def newest() -> MistralTokenCounter:
    return MistralTokenCounter("mistral-large-2512")


def judged(
    counter: MistralTokenCounter, messages: list[Any], tools: list[Any] | None = None
) -> int:
    request: Any = ChatCompletionRequest(messages=messages, tools=tools)
    return len(counter.tokenizer.encode_chat_completion(request).tokens)


@pytest.mark.parametrize(
    "model", ["mistral-large-2512", "mistralai/pixtral-12b-2409", "ministral-8b-2410"]
)
def test_what_mistral_common_accepts_counts_as_it_encodes_it(model: str) -> None:
    counter = MistralTokenCounter(model)
    formatter = dragoman.Formatter("mistral")
    messages, tools = formatter.format_sync(HISTORY), formatter.format_tools([LOOK])
    for end in (1, 2, 4, 6):
        plain = counter.count_sync(messages[:end])
        assert plain == judged(counter, messages[:end])
        assert asyncio.run(counter.count(messages[:end], tools)) == (
            judged(counter, messages[:end], tools)
        )


def test_a_history_that_ends_with_the_models_turn_counts_too(newest: MistralTokenCounter) -> None:
    messages = dragoman.Formatter("mistral").format_sync(HISTORY)
    figures = [newest.count_sync(messages[:end]) for end in range(len(messages) + 1)]
    assert figures[0] == 0
    assert figures == sorted(set(figures))


def test_messages_of_other_wires(newest: MistralTokenCounter) -> None:
    for messages in (OPENAI, ANTHROPIC):
        figures = [newest.count_sync(messages[:end]) for end in range(1, len(messages) + 1)]
        assert figures == sorted(set(figures))


def test_tools_alone_and_tools_of_the_server(newest: MistralTokenCounter) -> None:
    alone = newest.count_sync([], TOOLS)
    assert alone > 30
    assert newest.count_sync([], [*TOOLS, {"type": "web_search"}]) > alone
    assert newest.count_sync([], [{"type": "web_search"}]) < 20


def test_reasoning_counts(newest: MistralTokenCounter) -> None:
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "two and two"}]}
    said = {"type": "text", "text": "4"}
    ask = {"role": "user", "content": "2+2?"}
    plain = newest.count_sync([ask, {"role": "assistant", "content": [said]}])
    assert newest.count_sync([ask, {"role": "assistant", "content": [thought, said]}]) == plain + 5


@pytest.mark.parametrize("size", [(64, 64), (640, 480), (4000, 1000), (1, 3000)])
def test_an_image_costs_its_patches(newest: MistralTokenCounter, size: tuple[int, int]) -> None:
    file, image = io.BytesIO(), Image.new("RGB", size)
    image.save(file, "PNG")
    url = f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"
    encoder = newest.tokenizer.instruct_tokenizer.image_encoder
    shown = {"role": "user", "content": [{"type": "image_url", "image_url": url}]}
    blank: dict[str, Any] = {"role": "user", "content": []}
    figure = newest.count_sync([shown]) - newest.count_sync([blank])
    wide, high = encoder._image_to_num_tokens(image)
    assert figure == (wide + 1) * high  # a break after each row, the last one the image's end


def test_other_media_cost_a_flat_figure(newest: MistralTokenCounter) -> None:
    link = {"type": "image_url", "image_url": "https://example.com/a.png"}
    shown: list[dict[str, Any]] = [{"role": "user", "content": [link]}]
    blank: list[dict[str, Any]] = [{"role": "user", "content": []}]
    assert newest.count_sync(shown) - newest.count_sync(blank) == ESTIMATES["image"]
    own = MistralTokenCounter(
        "ministral-8b-2410", tokenizer=newest.tokenizer, media_tokens={"image": 7}
    )
    assert own.count_sync(shown) - own.count_sync(blank) == 7


def test_an_image_without_an_image_encoder_costs_a_flat_figure() -> None:
    text_only = MistralTokenCounter("ministral-8b-2410")
    file = io.BytesIO()
    Image.new("RGB", (64, 64)).save(file, "PNG")
    data = base64.b64encode(file.getvalue()).decode()
    part = {"type": "image_url", "image_url": f"data:image/png;base64,{data}"}
    shown: list[dict[str, Any]] = [{"role": "user", "content": [part]}]
    assert text_only.count_sync(shown) >= ESTIMATES["image"]


def test_text_beside_calls_counts(newest: MistralTokenCounter) -> None:
    """Which the frame of 2024 refuses."""
    call = {"id": "lSLZSk3HL", "function": {"name": "look", "arguments": "{}"}}
    ask = {"role": "user", "content": "Where?"}
    said = {"role": "assistant", "content": "I look.", "tool_calls": [call]}
    bare = newest.count_sync([ask, {**said, "content": ""}])
    assert newest.count_sync([ask, said]) == bare + 3  # I, look, and the full stop


def test_a_model_that_is_told_its_effort_costs_that_too() -> None:
    told = '{"reasoning_effort": "none"}'
    small, large = MistralTokenCounter("mistral-small-2603"), MistralTokenCounter("mistral-large")
    difference = small.count_sync(ASK) - large.count_sync(ASK)
    assert difference == 2 + small.text_tokens(told) == 12
    own = MistralTokenCounter("mistral-small-2603", tokenizer=large.tokenizer)
    assert own.count_sync(ASK) == large.count_sync(ASK)  # one's own tokenizer knows by itself


def test_a_tokenizer_of_ones_own_by_path_and_by_object() -> None:
    path = Path(mistral_common.__file__).parent / "data" / "tekken_240718.json"
    by_path = MistralTokenCounter("mine", tokenizer=path)
    by_object = MistralTokenCounter("mine", tokenizer=MistralTokenizer.v3(is_tekken=True))
    messages = dragoman.Formatter("mistral").format_sync(HISTORY)
    assert by_path.count_sync(messages) == by_object.count_sync(messages)
    copied = pickle.loads(pickle.dumps(by_path))
    assert copied.count_sync(messages) == by_path.count_sync(messages)


def test_a_path_that_is_no_tokenizer_is_a_typed_error(tmp_path: Path) -> None:
    file = tmp_path / "tekken.json"
    file.write_text("{}")
    for wrong in (file, tmp_path / "nothing.json"):
        with pytest.raises(ConfigError, match=r"no tokenizer of .*tekken\.json as tokenizer="):
            MistralTokenCounter("mine", tokenizer=wrong).count_sync(OPENAI)


def test_what_cannot_be_encoded_is_a_typed_error(newest: MistralTokenCounter) -> None:
    with pytest.raises(ConfigError, match="cannot count these messages"):
        newest.count_sync([{"role": "narrator", "content": "Once upon a time"}])


@pytest.mark.parametrize("wire", ["mistral", "gemini", "bedrock-converse"])
def test_an_answer_of_thinking_alone_is_counted(newest: MistralTokenCounter, wire: str) -> None:
    thought = ThinkingBlock("a long thought", "c2ln", origin=Origin(wire))
    history = [Msg.user("Why?"), Msg.assistant([thought]), Msg.user("So?")]
    formatter = dragoman.Formatter(wire, policy="ignore")
    written = formatter.format_sync(history)
    bare = newest.count_sync(formatter.format_sync(history[::2]))
    assert len(written) > 2, "the case is worth a test"
    assert 3 <= newest.count_sync(written) - bare <= 10
    cut = dragoman.Formatter(wire, policy="ignore", token_counter=newest, max_tokens=8000)
    assert cut.format_sync(history) == written


def test_an_answer_without_words_takes_nothing(newest: MistralTokenCounter) -> None:
    empty = {"role": "assistant", "content": ""}
    assert newest.count_sync([*ASK, empty, *ASK]) == newest.count_sync([*ASK, *ASK])
    parts = {"role": "assistant", "content": [{"type": "text", "text": ""}]}
    assert newest.count_sync([*ASK, parts, *ASK]) == newest.count_sync([*ASK, *ASK])
