"""Messages of pydantic-ai, both ways.

    from dragoman.bridges import pydantic_ai

    history = pydantic_ai.read_messages(result.all_messages()).messages
    answer = LLM("anthropic/claude-opus-5-5").ask([*history, Msg.user("And Rome?")])
    written = pydantic_ai.write_messages([*history, answer.msg])
    agent.run_sync("And Oslo?", message_history=written.messages)

`Model` is a model of pydantic-ai that asks any model here (model.py).

Reference: pydantic-ai-slim 2.68.0, `messages.py` and what `models/` make of it; read and run on
2026-11-29.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ...suggestions.import_names import find_or_refuse, listing
from ..results import BridgeLimit, load_package
from .names import PACKAGE
from .reading import read_messages
from .writing import write_messages

if TYPE_CHECKING:
    from .model import Model

__all__ = ["LIMITS", "Model", "read_messages", "write_messages"]

LIMITS = (
    BridgeLimit(
        "the name of a speaker",
        "nothing",
        "name.unsupported",
        zh=("说话者的名字", "无"),
    ),
    BridgeLimit(
        "a message of the developer",
        "one of the system",
        "word.other_provider",
        zh=("developer 角色的消息", "system 角色的消息"),
    ),
    BridgeLimit(
        "several results in one message, results beside text, several texts of a system prompt",
        "a message for each",
        zh=("一条消息中的多个结果、与文本并列的结果，system 提示中的多段文本", "各成一条消息"),
    ),
    BridgeLimit(
        "a result without the name of its tool",
        "the name of its call",
        "result.name",
        zh=("没有工具名的结果", "它的调用的名字"),
    ),
    BridgeLimit(
        "several texts in one result",
        "one text",
        zh=("一个结果中的多段文本", "一段文本"),
    ),
    BridgeLimit(
        "the title, the context and the citing of a document",
        "nothing",
        "media.detail",
        zh=("文档的标题、说明和是否引用", "无"),
    ),
    BridgeLimit(
        "the position of a file in a folder of the program, a video in frames",
        "nothing",
        "media.source",
        zh=("程序所在机器上的文件路径，以帧给出的视频", "无"),
    ),
    BridgeLimit(
        "a document in several passages",
        "one text",
        "media.as_text",
        zh=("分成多段的文档", "一段文本"),
    ),
    BridgeLimit(
        "a cache hint elsewhere than in a message of the user, or of another time than 5m and 1h",
        "nothing",
        "cache.unsupported",
        zh=("不在用户消息中的缓存提示，或 5m 和 1h 以外的时长", "无"),
    ),
    BridgeLimit(
        "citations",
        "nothing",
        "citations.unsupported",
        zh=("引用", "无"),
    ),
    BridgeLimit(
        "a refusal",
        "a text",
        "refusal.as_text",
        zh=("拒绝", "文本"),
    ),
    BridgeLimit(
        "a signature whose provider is not known",
        "the thinking without it",
        "thinking.other_provider",
        zh=("不知道出自哪家提供方的签名", "没有签名的思考"),
    ),
    BridgeLimit(
        "what only one provider has, such as its search",
        "nothing",
        "raw.other_provider",
        zh=("只有一家提供方才有的内容，例如它的搜索", "无"),
    ),
    BridgeLimit(
        "a call whose input is text by design (`freeform`)",
        'an object, `{"input": text}`',
        "call.freeform",
        zh=("输入本来就是文本的调用（`freeform`）", '对象 `{"input": text}`'),
    ),
    BridgeLimit(
        "the namespace of a tool",
        "the name of the tool alone",
        "tool.namespace",
        zh=("工具的命名空间", "只有工具名"),
    ),
    BridgeLimit(
        "fields of a provider on a result, or in a message of the user",
        "nothing",
        "extras.other_provider",
        zh=("结果上或用户消息中，提供方的字段", "无"),
    ),
)


if not TYPE_CHECKING:  # type checkers report unknown names themselves

    def __getattr__(name: str) -> object:
        if name != "Model":
            return find_or_refuse(__name__, name)
        load_package("pydantic_ai.models", PACKAGE)
        return import_module(".model", __name__).Model


__dir__ = listing(globals(), __all__)
