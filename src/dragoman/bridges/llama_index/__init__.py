"""`ChatMessage`s of LlamaIndex (`llama-index-core`), both ways.

    from dragoman.bridges import llama_index

    history = llama_index.read_messages(memory.get()).messages
    memory.put_messages(llama_index.write_messages([answer]).messages)

A message has a role, blocks and `additional_kwargs`, where a result has the id of its call. What
has no other place is noted there under `dragoman`, and comes back from there as long as the message
is not changed; its chat clients send of these only what they know. Arguments that are a text are
repaired and run, so that a broken call has to be an object here.

Reference: llama-index-core 0.14.25, `base/llms/types.py`; llama-index-llms-openai 0.8.3 and
llama-index-llms-anthropic 0.12.3, which say what is sent; read and run on 2026-11-29.
"""

from __future__ import annotations

from ..results import BridgeLimit
from .messages import read_messages, write_messages

__all__ = ["LIMITS", "read_messages", "write_messages"]

LIMITS = (
    BridgeLimit(
        "several results in one message, results beside text",
        "a message for each",
        zh=("一条消息中的多个结果，与文本并列的结果", "各成一条消息"),
    ),
    BridgeLimit("the name of a speaker", "nothing", "name.unsupported", zh=("说话者的名字", "无")),
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
    BridgeLimit(
        "that a result is an error",
        "`Error: ` before its text",
        "result.error_as_text",
        zh=("结果是一个错误", "文本前的 `Error: `"),
    ),
    BridgeLimit("an object as a result", "its JSON", zh=("结果是一个对象", "它的 JSON")),
    BridgeLimit(
        "a medium at an address without a scheme, a file of a provider, one that is not there, "
        "the frames of a video",
        "nothing",
        "media.source",
        zh=("没有协议的地址上的媒体，提供方的文件，不存在的文件，视频的帧", "无"),
    ),
    BridgeLimit(
        "a document as text that no search found",
        "its text",
        "media.as_text",
        zh=("不是搜索得到的、以文本给出的文档", "它的文本"),
    ),
    BridgeLimit(
        "the title of a picture, sound or video, the context and the citing of a document",
        "nothing",
        "media.detail",
        zh=("图片、声音或视频的标题，文档的说明和是否引用", "无"),
    ),
    BridgeLimit("a refusal", "a text", "refusal.as_text", zh=("拒绝", "文本")),
    BridgeLimit("citations", "nothing", "citations.unsupported", zh=("引用", "无")),
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
        "fields of a provider, but for those of OpenAI's reasoning",
        "nothing",
        "extras.other_provider",
        zh=("提供方的字段（OpenAI 推理条目的字段除外）", "无"),
    ),
)
