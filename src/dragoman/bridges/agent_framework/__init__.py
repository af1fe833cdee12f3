"""`Message`s of Microsoft's Agent Framework (`agent-framework-core`), both ways.

    from dragoman.bridges import agent_framework

    history = agent_framework.read_messages(response).messages
    messages = agent_framework.write_messages([*history, Msg.user("And Rome?")]).messages
    await agent.run(messages)

A message has a role, contents of some thirty kinds, and `additional_properties`, which no model is
sent. What has no other place is noted there under `dragoman`, and comes back from there as long as
the message is not changed. Of a call that failed the framework keeps that it did, and replaces the
text of `exception` when it stores the message: the text belongs into the result.

Reference: agent-framework-core 1.23.0, `_types.py`; agent-framework-openai 1.17.0 and
agent-framework-anthropic 1.0.0b261022, whose clients say what is sent; read and run on 2026-11-29.
"""

from __future__ import annotations

from ..results import BridgeLimit
from .messages import read_messages, write_messages

__all__ = ["LIMITS", "read_messages", "write_messages"]

LIMITS = (
    BridgeLimit(
        "results beside text in one message",
        "a message for each",
        zh=("一条消息中与文本并列的结果", "各成一条消息"),
    ),
    BridgeLimit(
        "the name of a tool on its result",
        "nothing",
        zh=("结果上的工具名", "无"),
    ),
    BridgeLimit("an object as a result", "its JSON", zh=("结果是一个对象", "它的 JSON")),
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
        "whose file it is",
        "a file of whoever is asked",
        zh=("文件属于哪家提供方", "被提问的那一家的文件"),
    ),
    BridgeLimit(
        "a medium at an address without a scheme, a file on the program's own machine, the frames "
        "of a video",
        "nothing",
        "media.source",
        zh=("没有协议的地址上的媒体，程序所在机器上的文件，视频的帧", "无"),
    ),
    BridgeLimit(
        "a document as text", "its text", "media.as_text", zh=("以文本给出的文档", "它的文本")
    ),
    BridgeLimit(
        "the context and the citing of a document",
        "nothing",
        "media.detail",
        zh=("文档的说明和是否引用", "无"),
    ),
    BridgeLimit(
        "a cache hint outside of the user's texts and media",
        "nothing",
        "cache.unsupported",
        zh=("用户的文本和媒体以外的缓存提示", "无"),
    ),
    BridgeLimit(
        "sealed thinking of Claude (`redacted_thinking`)",
        "nothing",
        "block.unsupported",
        zh=("Claude 的加密思考（`redacted_thinking`）", "无"),
    ),
    BridgeLimit(
        "a signature of another provider than Anthropic or OpenAI, or of none that is known",
        "the thinking without it",
        "thinking.other_provider",
        zh=("Anthropic 和 OpenAI 以外的提供方的签名，或不知道是谁的签名", "没有签名的思考"),
    ),
    BridgeLimit(
        "what only one provider has, such as its search",
        "nothing",
        "raw.other_provider",
        zh=("只有一家提供方才有的内容，例如它的搜索", "无"),
    ),
    BridgeLimit(
        "fields of a provider, but for the ids of OpenAI's items",
        "nothing",
        "extras.other_provider",
        zh=("提供方的字段（OpenAI 条目的 id 除外）", "无"),
    ),
)
