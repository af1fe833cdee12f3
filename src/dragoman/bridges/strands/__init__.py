"""Messages of Strands Agents, both ways: `agent.messages`, and the JSON of its sessions.

    from dragoman.bridges import strands

    history = strands.read_messages(agent).messages
    agent.messages = strands.write_messages([*history, answer]).messages

They are dicts with the blocks of Bedrock's Converse, whatever model an agent has, and bytes as
bytes. There are two roles, `user` and `assistant`, which have to alternate; a system prompt is the
agent's. What they cannot hold is noted under `metadata.custom.dragoman`: sessions keep that, and no
model is given it. Nothing of the package is imported.

Reference: strands-agents 1.62.0, `types/content.py`, `types/session.py`, `models/` and
`event_loop/`, read and run on 2026-11-29.
"""

from __future__ import annotations

from ..results import BridgeLimit
from .reading import read_messages
from .writing import write_messages

__all__ = ["LIMITS", "read_messages", "write_messages"]

LIMITS = (
    BridgeLimit(
        "a system prompt, which is the agent's `system_prompt`",
        "a message of the user for the model",
        "system.as_user",
        zh=("system 提示（在 Strands 中是智能体的 `system_prompt`）", "模型看到的是用户的消息"),
    ),
    BridgeLimit(
        "where one message of a role ends and the next begins",
        "one message for the model",
        zh=("同一角色相邻消息之间的边界", "模型看到的是一条消息"),
    ),
    BridgeLimit(
        "the name of a speaker",
        "nothing for the model",
        "name.unsupported",
        zh=("说话者的名字", "模型看不到"),
    ),
    BridgeLimit(
        "arguments that are no object, a call that is unfinished",
        'an object, `{"input": text, "error": ...}`; the text alone where the call waits for its '
        "result, so that no tool is run",
        "call.unparsed",
        zh=(
            "不是对象的参数，未完成的调用",
            '对象 `{"input": text, "error": ...}`；调用还没有结果时只有文本，因此不会运行任何工具',
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
        "the name of a tool on its result",
        "nothing for the model",
        zh=("结果上的工具名", "模型看不到"),
    ),
    BridgeLimit(
        "a signature of another provider than Anthropic, but for that of a call",
        "the thinking without it",
        "thinking.other_provider",
        zh=("Anthropic 以外的提供方的签名（调用的签名除外）", "没有签名的思考"),
    ),
    BridgeLimit(
        "media at an address that is not in S3, a file of a provider or on the program's own "
        "machine, the frames of a video",
        "nothing for the model",
        "media.source",
        zh=("不在 S3 中的媒体地址，提供方的文件或程序所在机器上的文件，视频的帧", "模型看不到"),
    ),
    BridgeLimit(
        "media of a type that has no `format`",
        "nothing for the model",
        "media.type",
        zh=("没有对应 `format` 的媒体类型", "模型看不到"),
    ),
    BridgeLimit(
        "the title of an image, its resolution",
        "nothing for the model",
        "media.detail",
        zh=("图像的标题和分辨率", "模型看不到"),
    ),
    BridgeLimit(
        "a document as text",
        "a file with that text",
        zh=("以文本给出的文档", "含有这段文本的文件"),
    ),
    BridgeLimit(
        "a document without a title",
        "a name, `Document 1`",
        "document_name.made",
        zh=("没有标题的文档", "一个名字，`Document 1`"),
    ),
    BridgeLimit(
        "a title that Bedrock refuses as a name, or that two documents have",
        "one that it takes for the model",
        "document_name.mapped",
        zh=("Bedrock 不接受的标题，或两个文档共有的标题", "模型看到的是 Bedrock 接受的名字"),
    ),
    BridgeLimit(
        "sound and video in a result",
        "nothing for the model",
        "block.unsupported",
        zh=("结果中的声音和视频", "模型看不到"),
    ),
    BridgeLimit("a refusal", "a text", "refusal.as_text", zh=("拒绝", "文本")),
    BridgeLimit(
        "citations of another provider than Bedrock",
        "nothing for the model",
        "citations.unsupported",
        zh=("Bedrock 以外的提供方的引用", "模型看不到"),
    ),
    BridgeLimit(
        "the cache hint of a message, and of what is in a result",
        "nothing for the model",
        "cache.unsupported",
        zh=("整条消息的缓存提示，以及结果内部的缓存提示", "模型看不到"),
    ),
    BridgeLimit(
        "what only another provider has, such as its search",
        "nothing for the model",
        "raw.other_provider",
        zh=("只有另一家提供方才有的内容，例如它的搜索", "模型看不到"),
    ),
    BridgeLimit(
        "fields of another provider, but for the signature of a call",
        "nothing for the model",
        "extras.other_provider",
        zh=("另一家提供方的字段（调用的签名除外）", "模型看不到"),
    ),
)
