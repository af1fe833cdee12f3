"""Counts of real tokenizers: Qwen's own where figures are known, others trained here."""

from __future__ import annotations

import asyncio
import copy
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tokenizers import processors

from dragoman.errors import ConfigError
from dragoman.tokens import HuggingFaceTokenCounter
from dragoman.tokens.chat_messages import ESTIMATES

from .conversations import ANTHROPIC, DOCUMENT, GEMINI, OLLAMA, OPENAI, TOOLS, without_oldest
from .training import CHATML, PARTS_ONLY, QWEN_VL, qwen_tokenizer, train_tokenizer

TEXT = "\n".join(str(message["content"]) for message in DOCUMENT)
PNG = "data:image/png;base64," + "iVBORw0KGgoA" * 90_000  # a megabyte


@pytest.fixture(scope="module")
def qwen(tmp_path_factory: pytest.TempPathFactory) -> str:
    return qwen_tokenizer(tmp_path_factory.mktemp("qwen"))


@pytest.fixture(scope="module")
def chatml(tmp_path_factory: pytest.TempPathFactory) -> str:
    return train_tokenizer(TEXT, tmp_path_factory.mktemp("chatml"), template=CHATML)


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> str:
    return train_tokenizer(TEXT, tmp_path_factory.mktemp("bare"), template=None)


def expected(counter: HuggingFaceTokenCounter, messages: list[dict[str, Any]], **more: Any) -> int:
    """What the tokenizer itself makes of messages in the form that its template documents."""
    return len(counter.tokenizer.apply_chat_template(messages, **more)["input_ids"])


def tokens(counter: HuggingFaceTokenCounter, text: str) -> int:
    return len(counter.tokenizer(text, add_special_tokens=False)["input_ids"])


def test_document_001_counts_165_tokens_and_136_when_truncated(qwen: str) -> None:  # S126, S130
    counter = HuggingFaceTokenCounter(qwen, use_mirror=True)
    assert asyncio.run(counter.count(DOCUMENT)) == 165
    assert asyncio.run(counter.count(without_oldest(1))) > 165 - 20
    assert asyncio.run(counter.count(without_oldest(2))) == 136


def test_a_trained_tokenizer_cuts_the_document_at_the_same_place(tmp_path: Path) -> None:
    counter = HuggingFaceTokenCounter(train_tokenizer(TEXT, tmp_path))
    total, one, two = (counter.count_sync(without_oldest(dropped)) for dropped in range(3))
    assert two <= total - 20 < one


@pytest.mark.parametrize("count", ["positional", "named"])
def test_arguments_in_the_order_of_agentscope(qwen: str, count: str) -> None:  # S124
    if count == "positional":
        counter = HuggingFaceTokenCounter(qwen, False, False, True, padding_side="left")
    else:
        counter = HuggingFaceTokenCounter(
            pretrained_model_name_or_path=qwen,
            use_mirror=False,
            use_fast=False,
            trust_remote_code=True,
            padding_side="left",
        )
    assert (counter.mirror, counter.use_fast, counter.trust_remote_code) == (None, False, True)
    assert counter.tokenizer.padding_side == "left"
    assert counter.count_sync(DOCUMENT) == 165


def test_a_folder_may_be_a_path(qwen: str) -> None:
    assert HuggingFaceTokenCounter(Path(qwen)).count_sync(DOCUMENT) == 165


def test_tools_and_calls_are_counted_as_the_template_writes_them(chatml: str) -> None:
    counter = HuggingFaceTokenCounter(chatml)
    call = {"name": "search_around", "arguments": {"location": [104.48, 36.3]}}
    said: list[dict[str, Any]] = [
        {"role": "system", "content": 'You\'re "Friday".'},
        {"role": "user", "content": "图书馆在哪里？\n"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"type": "function", "function": call}],
        },
        {"role": "tool", "content": "[...]"},
    ]
    image = ESTIMATES["image"]
    assert counter.count_sync(OPENAI) == expected(counter, said) + image
    assert counter.count_sync(OPENAI, TOOLS) == expected(counter, said, tools=TOOLS) + image
    assert counter.count_sync(OPENAI, TOOLS) > counter.count_sync(OPENAI)


def test_tools_that_the_template_leaves_out_are_counted_too(qwen: str) -> None:
    counter = HuggingFaceTokenCounter(qwen)
    schemas = counter.count_sync([], TOOLS)
    assert schemas > 50
    assert counter.count_sync(DOCUMENT, TOOLS) == 165 + schemas


WRITES_ANYTHING = "{% for message in messages %}{{ message.role }}{{ message.content }}{% endfor %}"


@pytest.mark.parametrize(
    "template",
    [QWEN_VL, CHATML, PARTS_ONLY, WRITES_ANYTHING],
    ids=["both", "text", "parts", "anything"],
)
def test_text_and_parts_count_the_same_with_every_kind_of_template(
    tmp_path: Path, template: str
) -> None:
    counter = HuggingFaceTokenCounter(train_tokenizer(TEXT, tmp_path, template=template))
    forms: list[dict[str, Any]] = [
        {"role": "user", "content": "谢谢，Friday！"},
        {"role": "user", "content": [{"text": "谢谢，Friday！"}]},
        {"role": "user", "content": [{"type": "text", "text": "谢谢，Friday！"}]},
        {"role": "user", "parts": [{"text": "谢谢，Friday！"}]},
    ]
    counts = {counter.count_sync([form]) for form in forms}
    assert len(counts) == 1
    more = counter.count_sync([{"role": "user", "content": "谢谢，Friday！谢谢，Friday！"}])
    assert more - counts.pop() == tokens(counter, "谢谢，Friday！")


@pytest.mark.parametrize(
    "messages", [ANTHROPIC, GEMINI, OLLAMA], ids=["anthropic", "gemini", "ollama"]
)
def test_other_wires_count_every_turn(chatml: str, messages: list[dict[str, Any]]) -> None:
    counter = HuggingFaceTokenCounter(chatml)
    before = copy.deepcopy(messages)
    counts = [counter.count_sync(messages[:end]) for end in range(len(messages) + 1)]
    assert counts[0] == 0
    assert counts == sorted(set(counts))
    assert messages == before


@pytest.mark.parametrize("folder", ["qwen", "chatml", "bare"])
def test_base64_costs_its_flat_figure_and_nothing_changes(
    folder: str, request: pytest.FixtureRequest
) -> None:
    counter = HuggingFaceTokenCounter(request.getfixturevalue(folder))
    text = {"role": "user", "content": [{"type": "text", "text": "What is this?"}]}
    image = {"type": "image_url", "image_url": {"url": PNG}}
    shown = {"role": "user", "content": [*text["content"], image]}
    before = copy.deepcopy(shown)
    assert counter.count_sync([shown]) == counter.count_sync([text]) + ESTIMATES["image"]
    assert shown == before


def test_the_figures_of_media_can_be_replaced(qwen: str) -> None:
    counter = HuggingFaceTokenCounter(qwen, media_tokens={"image": 7})
    said: list[dict[str, Any]] = [{"role": "user", "content": [{"image": PNG}, {"text": "?"}]}]
    assert counter.count_sync(said) == counter.count_sync([{"role": "user", "content": "?"}]) + 7


def test_without_a_template_text_is_counted_and_four_a_message(bare: str) -> None:
    counter = HuggingFaceTokenCounter(bare)
    said = [{"role": "user", "content": "我们一起去吧。"}, {"role": "assistant", "content": "好"}]
    text = tokens(counter, "我们一起去吧。") + tokens(counter, "好")
    assert counter.count_sync(said) == text + 2 * 4
    assert counter.count_sync([]) == 0
    schemas = counter.count_sync([], TOOLS)
    assert counter.count_sync(said, TOOLS) == text + 2 * 4 + schemas
    assert schemas > 50


def test_without_a_template_calls_and_reasoning_count(bare: str) -> None:
    counter = HuggingFaceTokenCounter(bare)
    [assistant] = [message for message in OPENAI if message["role"] == "assistant"]
    call = '{"name": "search_around", "arguments": {"location": [104.48, 36.3]}}'
    thought = {**assistant, "reasoning_content": "library"}
    assert counter.count_sync([thought]) == (tokens(counter, "library") + tokens(counter, call) + 4)


def test_a_template_can_be_given_with_the_counter_or_the_count(bare: str) -> None:
    said = [{"role": "user", "content": "谢谢"}]
    at_count = HuggingFaceTokenCounter(bare).count_sync(said, chat_template=CHATML)
    assert HuggingFaceTokenCounter(bare, chat_template=CHATML).count_sync(said) == at_count
    assert at_count != HuggingFaceTokenCounter(bare).count_sync(said)


def test_tokens_that_a_tokenizer_adds_to_every_text_are_not_counted(chatml: str) -> None:
    plain, adding = HuggingFaceTokenCounter(chatml), HuggingFaceTokenCounter(chatml)
    adding.tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single="<|im_end|> $A", special_tokens=[("<|im_end|>", adding.tokenizer.eos_token_id)]
    )
    assert len(adding.tokenizer("谢谢")["input_ids"]) == tokens(adding, "谢谢") + 1
    assert adding.count_sync(OLLAMA) == plain.count_sync(OLLAMA)


def test_options_reach_the_template(chatml: str) -> None:
    counter = HuggingFaceTokenCounter(chatml)
    asked = counter.count_sync(OLLAMA, add_generation_prompt=True)
    prompt = tokens(counter, "<|im_start|>assistant\n")
    assert asked == counter.count_sync(OLLAMA) + prompt


def test_a_template_that_adds_arguments_to_text(bare: str) -> None:
    template = (
        "{% for message in messages %}{{ message.role + message.content }}"
        "{% for call in message.tool_calls or [] %}"
        "{{ call.function.name + call.function.arguments }}{% endfor %}{% endfor %}"
    )
    counter = HuggingFaceTokenCounter(bare)
    whole = (
        'systemYou\'re "Friday".user图书馆在哪里？\n'
        'assistantsearch_around{"location": [104.48, 36.3]}tool[...]'
    )
    assert counter.count_sync(OPENAI, chat_template=template) == (
        tokens(counter, whole) + ESTIMATES["image"]
    )


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ("{{ raise_exception('system first, please') }}", "system first, please"),
        ("{{ messages[0].nothing.at_all }}", "nothing"),
        ("{% for message in messages %}", "Unexpected end of template"),
        ("{{ 1 + messages[0].content }}", "unsupported operand"),
    ],
    ids=["refused", "undefined", "syntax", "type"],
)
def test_what_a_template_refuses_is_a_typed_error(bare: str, template: str, reason: str) -> None:
    counter = HuggingFaceTokenCounter(bare)
    with pytest.raises(ConfigError, match=f"chat template refuses.*{reason}.*chat_template="):
        counter.count_sync(OLLAMA, chat_template=template)


def test_several_templates_and_none_by_default(bare: str) -> None:
    counter = HuggingFaceTokenCounter(bare)
    counter.tokenizer.chat_template = {"brief": CHATML, "long": CHATML}
    with pytest.raises(ConfigError, match="chat_template="):
        counter.count_sync(OLLAMA)
    assert counter.count_sync(OLLAMA, chat_template="brief") > 0


def test_a_lone_surrogate_is_counted(qwen: str) -> None:
    assert HuggingFaceTokenCounter(qwen).count_sync([{"role": "user", "content": "\ud800"}]) > 0


@pytest.mark.parametrize("broken", [False, True], ids=["missing", "broken"])
def test_a_tokenizer_that_cannot_be_loaded(tmp_path: Path, broken: bool) -> None:
    if broken:
        train_tokenizer(TEXT, tmp_path)
        (tmp_path / "tokenizer.json").write_text('{"version": "1.0"}', "utf-8")
    counter = HuggingFaceTokenCounter(tmp_path)
    with pytest.raises(ConfigError, match=rf"no tokenizer of .*{tmp_path.name}"):
        counter.count_sync(DOCUMENT)


def test_many_threads_load_it_once(qwen: str, monkeypatch: pytest.MonkeyPatch) -> None:
    loads: list[HuggingFaceTokenCounter] = []
    load = HuggingFaceTokenCounter._load

    def counted(self: HuggingFaceTokenCounter) -> Any:
        loads.append(self)
        return load(self)

    monkeypatch.setattr(HuggingFaceTokenCounter, "_load", counted)
    counter = HuggingFaceTokenCounter(qwen)
    with ThreadPoolExecutor(8) as pool:
        counts = list(pool.map(counter.count_sync, [DOCUMENT] * 32))
    assert set(counts) == {165}
    assert loads == [counter]


def test_it_can_be_pickled_before_and_after_loading(qwen: str) -> None:
    counter = HuggingFaceTokenCounter(qwen, media_tokens={"image": 7})
    fresh = pickle.loads(pickle.dumps(counter))
    assert fresh.count_sync(DOCUMENT) == counter.count_sync(DOCUMENT) == 165
    again = pickle.loads(pickle.dumps(counter))
    assert (again.count_sync(DOCUMENT), again.media_tokens["image"]) == (165, 7)
    assert len(pickle.dumps(counter)) < 2000


def test_nothing_is_loaded_before_the_first_count(qwen: str) -> None:
    code = f"""
import sys
def loaded():
    return {{"transformers", "tokenizers", "huggingface_hub", "jinja2"}} & set(sys.modules)
import dragoman.tokens
assert not loaded(), loaded()
from dragoman.tokens import *
counter = HuggingFaceTokenCounter({qwen!r})
assert not loaded(), loaded()
assert counter.count_sync([{{"role": "user", "content": "Hi"}}]) > 0
assert loaded()
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_no_deep_learning_framework_is_needed(qwen: str) -> None:  # S127
    code = f"""
import asyncio, sys
for name in ("torch", "tensorflow", "flax", "jax"):
    sys.modules[name] = None
from dragoman.tokens import HuggingFaceTokenCounter
messages = [{{"role": "user", "content": "Hi"}}]
print(asyncio.run(HuggingFaceTokenCounter({qwen!r}).count(messages)))
"""
    ran = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=60
    )
    assert int(ran.stdout) > 0


@pytest.mark.parametrize("name", ["transformers", "tokenizers", "jinja2"])
def test_a_missing_library_names_the_extra(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ConfigError, match=rf"needs {name} .*dragoman\[tokens\]"):
        HuggingFaceTokenCounter("Qwen/Qwen2.5-VL-3B-Instruct")
