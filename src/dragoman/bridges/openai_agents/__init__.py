"""Items of the OpenAI Agents SDK, both ways: inputs of a run, `to_input_list()`, and sessions.

    from dragoman.bridges import openai_agents

    history = openai_agents.read_messages(result.to_input_list()).messages
    items = openai_agents.write_messages([*history, answer]).messages
    await Runner.run(agent, items)

They are items of OpenAI's Responses API, with two things besides. `provider_data` says of an answer
of another provider which model gave it, and holds its signed thinking; the SDK takes it out before
it asks OpenAI. `__fake_id__` is the id of every item that has none; it is no key. Nothing of the
package is imported: items are plain JSON.

`Model` is a model for the SDK's agents that asks any model here, and `ModelProvider` makes them of
names (model.py).

Reference: openai-agents 0.24.0, `models/chatcmpl_converter.py` and `models/openai_responses.py`,
read and run on 2026-11-29.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ...suggestions.import_names import find_or_refuse, listing
from ..results import BridgeLimit, load_package
from .items import read_messages, write_messages

if TYPE_CHECKING:
    from .model import Model, ModelProvider

__all__ = ["LIMITS", "Model", "ModelProvider", "read_messages", "write_messages"]

LIMITS = (
    BridgeLimit(
        "where one message of the assistant ends and the next begins; the same of results",
        "one message",
        zh=("assistant 的相邻消息之间、相邻结果之间的边界", "一条消息"),
    ),
    BridgeLimit(
        "results beside text in one message",
        "a message for each",
        zh=("一条消息中与文本并列的结果", "各成一条消息"),
    ),
    BridgeLimit("the name of a speaker", "nothing", "name.unsupported", zh=("说话者的名字", "无")),
    BridgeLimit(
        "that a result is an error",
        "`Error: ` before its text; the flag comes back",
        "result.error_as_text",
        zh=("结果是一个错误", "文本前的 `Error: `，标志会回来"),
    ),
    BridgeLimit(
        "an object as a result",
        "its JSON",
        zh=("结果是一个对象", "它的 JSON"),
    ),
    BridgeLimit(
        "the name of a tool on its result",
        "nothing",
        zh=("结果上的工具名", "无"),
    ),
    BridgeLimit(
        "video, and media in an answer",
        "nothing",
        "block.unsupported",
        zh=("视频，以及回答中的媒体", "无"),
    ),
    BridgeLimit(
        "a document as text",
        "its text",
        "media.as_text",
        zh=("以文本给出的文档", "它的文本"),
    ),
    BridgeLimit(
        "a file of another provider, one on the program's own machine, the frames of a video",
        "nothing",
        "media.source",
        zh=("另一家提供方的文件，程序所在机器上的文件，视频的帧", "无"),
    ),
    BridgeLimit(
        "a citation without an address, or of another provider",
        "nothing",
        "citations.unsupported",
        zh=("没有地址的引用，或另一家提供方的引用", "无"),
    ),
    BridgeLimit(
        "a cache hint outside of the user's content",
        "nothing",
        "cache.unsupported",
        zh=("用户内容以外的缓存提示", "无"),
    ),
    BridgeLimit(
        "a signature of another provider than Anthropic or OpenAI, or of none that is known",
        "the thinking without it",
        "thinking.other_provider",
        zh=("Anthropic 和 OpenAI 以外的提供方的签名，或不知道是谁的签名", "没有签名的思考"),
    ),
    BridgeLimit(
        "what only another provider has, such as its search",
        "nothing",
        "raw.other_provider",
        zh=("只有另一家提供方才有的内容，例如它的搜索", "无"),
    ),
    BridgeLimit(
        "fields of another provider, but for the signature of a call",
        "nothing",
        "extras.other_provider",
        zh=("另一家提供方的字段（调用的签名除外）", "无"),
    ),
)


if not TYPE_CHECKING:  # type checkers report unknown names themselves

    def __getattr__(name: str) -> object:
        if name not in ("Model", "ModelProvider"):
            return find_or_refuse(__name__, name)
        load_package("agents.models.interface", "openai-agents")
        return getattr(import_module(".model", __name__), name)


__dir__ = listing(globals(), __all__)
