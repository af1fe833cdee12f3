"""Messages of LangChain (`langchain-core`), both ways.

    from dragoman.bridges import langchain

    history = langchain.read_messages(state["messages"]).messages
    answer = LLM("anthropic/claude-opus-5-5").ask(history)
    state["messages"] += langchain.write_messages([answer]).messages

A message with more than text and calls is written in LangChain's v1 content blocks, with
`response_metadata["model_provider"]`: without that, LangChain takes signed thinking for nobody's,
and a call that is also a block of Anthropic's counts twice.

`ChatModel` is a chat model of LangChain that asks any model here (chat_model.py).

Reference: langchain-core 1.8.3, `messages/`; langchain-anthropic 1.7.10 and langchain-openai 1.7.4,
which say what is made of a message; read and run on 2026-11-29.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ...suggestions.import_names import find_or_refuse, listing
from ..results import BridgeLimit, load_package
from .names import PACKAGE
from .reading import read_messages
from .tools import read_tools
from .writing import write_messages

if TYPE_CHECKING:
    from .chat_model import ChatModel

__all__ = ["LIMITS", "ChatModel", "read_messages", "read_tools", "write_messages"]

LIMITS = (
    BridgeLimit(
        "several results in one message, or results beside text",
        "a message for each result, and one for what is between them",
        zh=("一条消息中的多个结果,或结果与文本并列", "每个结果一条消息,其间的内容另成一条"),
    ),
    BridgeLimit(
        "the exact text of a call's arguments, where they are an object",
        "the parsed object alone",
        zh=("调用参数的原文(参数为对象时)", "只有解析后的对象"),
    ),
    BridgeLimit(
        "a call whose input is text by design (`freeform`)",
        'an object, `{"input": text}`',
        "call.freeform",
        zh=("输入本来就是文本的调用(`freeform`)", '对象 `{"input": text}`'),
    ),
    BridgeLimit(
        "the namespace of a tool",
        "the name of the tool alone",
        "tool.namespace",
        zh=("工具的命名空间", "只有工具名"),
    ),
    BridgeLimit(
        "a cache hint on a call, on thinking, audio or video",
        "nothing",
        "cache.unsupported",
        zh=("调用、思考、音频或视频上的缓存提示", "无"),
    ),
    BridgeLimit(
        "a video given in frames",
        "nothing",
        "media.source",
        zh=("以帧给出的视频", "无"),
    ),
    BridgeLimit(
        "a document in several passages, and where it was found",
        "one text",
        "media.as_text",
        zh=("分成多段的文档及其出处", "一段文本"),
    ),
    BridgeLimit(
        "fields of a second provider on a block of another's message",
        "nothing",
        "extras.other_provider",
        zh=("一家提供方的消息中,内容块上另一家的字段", "无"),
    ),
    BridgeLimit(
        "thinking that another provider signed than the message's, or a host of Chat Completions",
        "the thinking without its signature",
        "thinking.other_provider",
        zh=("由消息以外的提供方、或某个 Chat Completions 主机签名的思考", "没有签名的思考"),
    ),
    BridgeLimit(
        "what only another provider than the message's has",
        "nothing",
        "raw.other_provider",
        zh=("只有消息以外的提供方才有的内容", "无"),
    ),
    BridgeLimit(
        "a result without any output (`None`)",
        "an empty text",
        zh=("没有任何输出的结果(`None`)", "空文本"),
    ),
)


if not TYPE_CHECKING:  # type checkers report unknown names themselves

    def __getattr__(name: str) -> object:
        if name != "ChatModel":
            return find_or_refuse(__name__, name)
        load_package("langchain_core.language_models", PACKAGE)
        return import_module(".chat_model", __name__).ChatModel


__dir__ = listing(globals(), __all__)
