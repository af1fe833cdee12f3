"""`ModelMessage`s and `UIMessage`s of Vercel's AI SDK (npm `ai`), both ways, as JSON.

    from dragoman.bridges import ai_sdk

    history = ai_sdk.read_messages(await request.json()).messages
    return ai_sdk.write_messages([*history, answer]).messages

What a provider alone has stands under `providerOptions.PROVIDER`: signatures of thinking, ids,
cache hints. What has no place in these messages, such as a name, is kept under the key `dragoman`
there, which no provider reads.

Reference: npm `ai` 7.0.173, `modelMessageSchema` and the types of `@ai-sdk/provider-utils`; run on
2026-11-29. Forms of the releases before (`image`, `mimeType`, data as a plain text) are read, too.
"""

from __future__ import annotations

from ..results import BridgeLimit
from .reading import read_messages
from .ui import write_ui_messages
from .writing import write_messages

__all__ = ["LIMITS", "read_messages", "write_messages", "write_ui_messages"]

LIMITS = (
    BridgeLimit(
        "several texts of a system prompt, results beside text in one message",
        "a message for each",
        zh=("system 提示中的多段文本，一条消息中与文本并列的结果", "各成一条消息"),
    ),
    BridgeLimit(
        "a message of the developer",
        "one of the system",
        "word.other_provider",
        zh=("developer 角色的消息", "system 角色的消息"),
    ),
    BridgeLimit(
        "the cache hint of a message that is a text",
        "the hint of the text",
        zh=("内容为文本的消息上的缓存提示", "文本上的提示"),
    ),
    BridgeLimit("the name of a speaker", "nothing", "name.unsupported", zh=("说话者的名字", "无")),
    BridgeLimit(
        "a result without the name of its tool",
        "the name of its call",
        "result.name",
        zh=("没有工具名的结果", "它的调用的名字"),
    ),
    BridgeLimit(
        "the exact text of a call's arguments, where they are an object",
        "the parsed object alone",
        zh=("调用参数的原文（参数为对象时）", "只有解析后的对象"),
    ),
    BridgeLimit(
        "that a result with media is an error",
        "`Error: ` before it; the flag comes back",
        "result.error_as_text",
        zh=("带媒体的结果是一个错误", "前面的 `Error: `，标志会回来"),
    ),
    BridgeLimit(
        "the media type of a URL that names none",
        "the kind alone, such as `image`",
        zh=("没有写明媒体类型的 URL", "只有大类，例如 `image`"),
    ),
    BridgeLimit(
        "a document in several passages",
        "one text",
        "media.as_text",
        zh=("分成多段的文档", "一段文本"),
    ),
    BridgeLimit(
        "a file on the program's own machine, the frames of a video",
        "nothing",
        "media.source",
        zh=("程序所在机器上的文件，视频的帧", "无"),
    ),
    BridgeLimit("a refusal", "a text", "refusal.as_text", zh=("拒绝", "文本")),
    BridgeLimit("citations", "nothing", "citations.unsupported", zh=("引用", "无")),
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
)
