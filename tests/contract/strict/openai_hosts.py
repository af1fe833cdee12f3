"""What hosts of Chat Completions demand beyond the protocol: roles, content forms, thinking back.

Each rule names the hosts whose words it takes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..judges.fault import Json, mapping, objects
from .rule import Asked, Book, Broken

__all__ = ["BOOK", "host_faults"]

BOOK = Book("openai-chat")
DEVELOPER = BOOK.rule("developer", "the prompt's role is system",
                      "DeepSeek: unknown variant `developer`, expected one of `system`, `user`, "
                      "`assistant`, `tool`")  # fmt: skip
TEXT_ONLY = BOOK.rule("result_text", "a result is a string",
                      "DeepSeek: invalid type: sequence, expected a string; Groq: value must be "
                      "a string")  # fmt: skip
BACK = BOOK.rule("reasoning_back", "a turn that calls tools brings its reasoning back",
                 "DeepSeek: The `reasoning_content` in the thinking mode must be passed back to "
                 "the API.")  # fmt: skip
FORCED = BOOK.rule("forced", "no tool is forced while the model thinks",
                   "DeepSeek: Thinking mode does not support this tool_choice")  # fmt: skip
PARTS = BOOK.rule("host_part", "the model reads text alone",
                  "DeepSeek: unknown variant `image_url`, expected `text`")  # fmt: skip
SYSTEM_FIRST = BOOK.rule("system_first", "one system message stands at the head, and no other",
                         "Qwen3.5 on vLLM: System message must be at the beginning.")  # fmt: skip
JSON_WORD = BOOK.rule("json_word", "where any JSON is the format, a message speaks of JSON",
                      "OpenAI, Groq, DashScope: 'messages' must contain the word 'json' in some "
                      "form, to use 'response_format' of type 'json_object'.")  # fmt: skip
WANT_WORD = ("openai", "azure", "deepseek", "groq", "dashscope")
NO_DEVELOPER = ("deepseek", "dashscope", "moonshot", "zhipu", "minimax")
HEADED = re.compile(r"(?i)(.*/)?qwen3\.[5-9]")
BLIND = re.compile(r"deepseek-v4-flash(?!-vision)")
THINKS = re.compile(r"deepseek-(v4|reasoner)")


def host_faults(body: dict[str, Json], asked: Asked) -> Iterator[Broken]:
    listed = list(objects(body.get("messages")))
    for index, message in listed:
        unknown = asked.host in NO_DEVELOPER or asked.model.startswith("o1-mini")
        if message.get("role") == "developer" and unknown:
            yield DEVELOPER.at(("messages", index, "role"))
    wants_json = mapping(body.get("response_format")).get("type") == "json_object"
    texts = " ".join(str(message.get("content")) for _, message in listed).lower()
    if wants_json and listed and "json" not in texts and asked.host in WANT_WORD:
        yield JSON_WORD.at(("response_format",))
    if asked.host == "vllm" and HEADED.match(asked.model):
        for index, message in listed[1:]:
            if message.get("role") == "system":
                yield SYSTEM_FIRST.at(("messages", index))
    if asked.host == "deepseek":
        yield from _deepseek_faults(body, listed, asked)


def _deepseek_faults(
    body: dict[str, Json], listed: list[tuple[int, dict[str, Json]]], asked: Asked
) -> Iterator[Broken]:
    for index, message in listed:
        if message.get("role") == "tool" and not isinstance(message.get("content"), str):
            yield TEXT_ONLY.at(("messages", index, "content"))
        for number, part in objects(message.get("content")):
            if part.get("type") != "text" and BLIND.match(asked.model):
                yield PARTS.at(("messages", index, "content", number))
    if not _thinks(body, asked.model):
        return
    for index, message in listed:
        if message.get("tool_calls") and not isinstance(message.get("reasoning_content"), str):
            yield BACK.at(("messages", index))
    if body.get("tool_choice") not in (None, "auto", "none"):
        yield FORCED.at(("tool_choice",))


def _thinks(body: dict[str, Json], model: str) -> bool:
    switch = mapping(body.get("thinking")).get("type")
    return switch == "enabled" or (switch is None and THINKS.match(model) is not None)
