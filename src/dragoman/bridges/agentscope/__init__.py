"""Messages of AgentScope 2.x and 1.x, both ways.

    from dragoman.bridges import agentscope

    history = agentscope.read_messages(agent.state.context).messages
    written = agentscope.write_messages([*history, answer]).messages

Both releases are read, whichever is installed; written is what the installed one has, or what
`version=` says. What their `Msg` cannot hold is noted under `metadata["dragoman"]`, which no model
is given: it comes back, as long as nobody edits the block that it belongs to.

In AgentScope 2.x an answer, its calls and their results are one `Msg` of the assistant; in 1.x a
result is a `Msg` of its own, of the system.

Reference: agentscope 2.0.11 and 1.0.21, `message/`, `formatter/` and `agent/`, read and run on
2026-11-29.
"""

from __future__ import annotations

from ..results import BridgeLimit
from .reading import read_messages
from .writing import write_messages

__all__ = ["LIMITS", "read_messages", "write_messages"]

LIMITS = (
    BridgeLimit(
        "results beside text in one message; where one message of results ends",
        "a message for each; with the next in 2.x, as a model has them in any release",
        zh=(
            "一条消息中与文本并列的结果；结果消息之间的边界",
            "各成一条消息；2.x 中与下一条合并，模型看到的始终如此",
        ),
    ),
    BridgeLimit(
        "a message of the developer",
        "one of the system for the model",
        "word.other_provider",
        zh=("developer 角色的消息", "模型看到的是 system 角色的消息"),
    ),
    BridgeLimit(
        "an object as a result",
        "its JSON for the model",
        zh=("结果是一个对象", "模型看到的是它的 JSON"),
    ),
    BridgeLimit(
        "arguments that are no object, a call that is unfinished",
        'an object, `{"input": text, "error": ...}`, for the model; in 2.x the text of a call '
        "without a result, which is not run",
        "call.unparsed",
        zh=(
            "不是对象的参数，未完成的调用",
            '模型看到的是对象 `{"input": text, "error": ...}`；2.x 中没有结果的调用保留文本',
        ),
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
        "a signature of another provider than Anthropic",
        "the thinking without it",
        "thinking.other_provider",
        zh=("Anthropic 以外的提供方的签名", "没有签名的思考"),
    ),
    BridgeLimit(
        "a document as text",
        "its text",
        "media.as_text",
        zh=("以文本给出的文档", "它的文本"),
    ),
    BridgeLimit(
        "a file of a provider, one on the program's own machine, the frames of a video",
        "nothing for the model",
        "media.source",
        zh=("提供方的文件，程序所在机器上的文件，视频的帧", "模型看不到"),
    ),
    BridgeLimit(
        "the resolution of an image, the context and the citing of a document",
        "nothing for the model",
        "media.detail",
        zh=("图像的分辨率，文档的说明和是否引用", "模型看不到"),
    ),
    BridgeLimit("a refusal", "a text", "refusal.as_text", zh=("拒绝", "文本")),
    BridgeLimit(
        "citations", "nothing for the model", "citations.unsupported", zh=("引用", "模型看不到")
    ),
    BridgeLimit(
        "a cache hint", "nothing for the model", "cache.unsupported", zh=("缓存提示", "模型看不到")
    ),
    BridgeLimit(
        "what only one provider has, such as its search",
        "nothing for the model",
        "raw.other_provider",
        zh=("只有一家提供方才有的内容，例如它的搜索", "模型看不到"),
    ),
    BridgeLimit(
        "fields of a provider, but for the signature of a call in 1.x",
        "nothing for the model",
        "extras.other_provider",
        zh=("提供方的字段（1.x 中调用的签名除外）", "模型看不到"),
    ),
    BridgeLimit(
        "2.x: thinking, calls and results in a message of the user; media in one of the system",
        "nothing for the model",
        "block.unsupported",
        zh=("2.x：用户消息中的思考、调用和结果，system 消息中的媒体", "模型看不到"),
    ),
    BridgeLimit(
        "1.x: a document that is no text",
        "nothing for the model",
        "block.unsupported",
        zh=("1.x：不是文本的文档", "模型看不到"),
    ),
    BridgeLimit(
        "1.x: that a result is an error",
        "`Error: ` before its text",
        "result.error_as_text",
        zh=("1.x：结果是一个错误", "文本前的 `Error: `"),
    ),
    BridgeLimit(
        "1.x: sealed thinking",
        "nothing for the model",
        "thinking.unsupported",
        zh=("1.x：加密的思考", "模型看不到"),
    ),
)
