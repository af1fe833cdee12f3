"""`ChatMessage`s of Haystack (`haystack-ai`), both ways.

    from dragoman.bridges import haystack

    history = haystack.read_messages(memory).messages
    memory += haystack.write_messages([answer]).messages

A message of Haystack has a role, parts, and `meta`, which no model is sent. What has no other place
is noted in `meta["dragoman"]`, and comes back from there as long as the message is not changed.
Its chat generators expect of an answer one reasoning, one text and then the calls; arguments are an
object; a result holds the call that it belongs to.

Reference: haystack-ai 3.4.1, `dataclasses/chat_message.py` and the generators of OpenAI;
anthropic-haystack 8.0.1, `chat/utils.py`, for signed thinking; read and run on 2026-11-29.
"""

from __future__ import annotations

from ..results import BridgeLimit
from .messages import read_messages, write_messages

__all__ = ["LIMITS", "read_messages", "write_messages"]

LIMITS = (
    BridgeLimit(
        "several results in one message, results beside text, several texts of a system prompt",
        "a message for each",
        zh=("一条消息中的多个结果，与文本并列的结果，system 提示中的多段文本", "各成一条消息"),
    ),
    BridgeLimit(
        "several texts in an answer, and their order among thinking and calls",
        "thinking, one text, the calls",
        zh=("回答中的多段文本，及其与思考、调用之间的顺序", "先思考，再一段文本，最后调用"),
    ),
    BridgeLimit(
        "a message of the developer",
        "one of the system",
        "word.other_provider",
        zh=("developer 的消息", "system 的消息"),
    ),
    BridgeLimit(
        "arguments that are no object, a call that is unfinished",
        'an object, `{"input": text, "error": ...}`',
        "call.unparsed",
        zh=("不是对象的参数，未完成的调用", '对象 `{"input": text, "error": ...}`'),
    ),
    BridgeLimit(
        "the namespace of a tool",
        "the name of the tool alone",
        "tool.namespace",
        zh=("工具的命名空间", "只有工具名"),
    ),
    BridgeLimit("an object as a result", "its JSON", zh=("结果是一个对象", "它的 JSON")),
    BridgeLimit(
        "a result without the name of its tool",
        "the name of its call",
        zh=("没有工具名的结果", "它的调用的名字"),
    ),
    BridgeLimit(
        "a medium at a URL, a file of a provider, one on the program's own machine, the frames of "
        "a video",
        "nothing",
        "media.source",
        zh=("以 URL 给出的媒体，提供方的文件，程序所在机器上的文件，视频的帧", "无"),
    ),
    BridgeLimit(
        "a document as text", "its text", "media.as_text", zh=("以文本给出的文档", "它的文本")
    ),
    BridgeLimit(
        "whether a document is to be cited, the context of other media",
        "nothing",
        "media.detail",
        zh=("文档是否要引用，其他媒体的说明", "无"),
    ),
    BridgeLimit("media in an answer", "nothing", "block.unsupported", zh=("回答中的媒体", "无")),
    BridgeLimit("citations", "nothing", "citations.unsupported", zh=("引用", "无")),
    BridgeLimit(
        "where in a message a cache hint is",
        "the hint of the message",
        zh=("缓存提示在消息中的位置", "整条消息的提示"),
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
