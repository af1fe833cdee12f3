"""Messages of Haystack and ours, each as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...losses import PolicyLike, Report
from ...message import Msg, Origin, RefusalBlock, TextBlock, ThinkingBlock, ToolResultBlock
from ...message.blocks import ContentBlock, ToolUseBlock
from ...protocols.anthropic.blocks import cache_control, take_cache
from ...text.json_text import JsonObject, arguments
from ..noted import NotedMessages
from ..results import (
    Bridged,
    Said,
    finish_bridge,
    load_package,
    lose_extras,
    say_runs,
    take_said,
)
from .parts import (
    PARAGRAPHS,
    TARGET,
    call_id,
    find_hint,
    find_issuer,
    lose_fields,
    read_part,
    write_call,
    write_part,
    write_thinking,
)
from .raw import no_message, read_meta, read_raw, write_meta

_PACKAGE = "haystack-ai"


def read_messages(messages: Any, *, policy: PolicyLike = "log") -> Bridged[Msg]:
    """Read `ChatMessage`s of Haystack.

    >>> read_messages([{"role": "user", "content": [{"text": "Where is Paris?"}]}]).messages
    [Msg('', 'Where is Paris?', 'user')]

    Args:
        messages: Messages as objects, or as what their `to_dict` gives.
        policy: What to do about losses.

    Returns:
        The messages. Usage, finish and model of an answer are in `Msg.metadata`.

    Raises:
        NotMessages: Something is no message; `path` names it.
        LossRefused: The policy refuses a loss.
    """
    if isinstance(messages, Mapping) or hasattr(messages, "to_openai_dict_format"):
        messages = [messages]
    if isinstance(messages, (str, bytes)) or not isinstance(messages, Iterable):
        raise no_message(messages, "$")
    reader = NotedMessages(HaystackForm())
    found = [reader.read(read_raw(item, f"$[{i}]")) for i, item in enumerate(messages)]
    return finish_bridge(found, Report(target=TARGET), policy)


def write_messages(messages: Iterable[Said] | Said, *, policy: PolicyLike = "log") -> Bridged[Any]:
    """Write messages as `ChatMessage`s of Haystack.

    Args:
        messages: Messages, and answers of a model with their usage and finish.
        policy: What to do about losses.

    Returns:
        The messages, as objects of Haystack, and the losses.

    Raises:
        NotMessages: Something is neither a message nor an answer.
        ConfigError: Haystack is not installed.
        LossRefused: The policy refuses a loss.
    """
    cls = load_package("haystack.dataclasses", _PACKAGE).ChatMessage
    said, report = take_said(messages, TARGET)
    written = NotedMessages(HaystackForm(), cls.from_dict).write(said, report)
    return finish_bridge(written, report, policy)


class HaystackForm:
    """One message of Haystack as JSON, see `noted.ForeignMessage`."""

    target = TARGET
    place = "meta"

    def __init__(self) -> None:
        self._calls: dict[str, JsonObject] = {}

    def remember(self, raw: JsonObject) -> None:
        """Remember the calls, which results have to hold."""
        for part in raw["content"]:
            if "tool_call" in part:
                self._calls[call_id(part["tool_call"])] = part["tool_call"]

    def runs(self, msg: Msg) -> list[tuple[str, list[ContentBlock]]]:
        """Split a message into those that Haystack has for it."""
        if msg.role in ("system", "developer") and len(msg.blocks) > 1:
            return [("blocks", [block]) for block in msg.blocks]
        return say_runs(msg)

    # -- theirs to ours ---------------------------------------------------------------------------

    def read(self, raw: JsonObject) -> Msg:
        """Read a message."""
        meta: JsonObject = raw["meta"]
        blocks = [block for part in raw["content"] for block in read_part(part)]
        if (
            raw["role"] == "assistant"
            and isinstance(refusal := meta.get("refusal"), str)
            and refusal
        ):
            blocks.append(RefusalBlock(refusal))
        msg = Msg.create_unchecked(raw["name"] or "", blocks, raw["role"])
        if len(blocks) == 1 and isinstance(blocks[0], TextBlock):
            msg.content = blocks[0].text
        msg.cache = take_cache({"cache_control": meta.get("cache_control")})
        if meta:
            msg.metadata[TARGET] = {"meta": meta}
        if raw["role"] == "assistant":
            notes = read_meta(meta)
            notes.note_on(msg)
            issuer = find_issuer(raw["content"])
            msg.origin = Origin(issuer, notes.model) if issuer else None
        return msg

    # -- ours to theirs ---------------------------------------------------------------------------

    def write(self, msg: Msg, report: Report) -> JsonObject:
        """Write a message."""
        role: str = msg.role
        if role == "developer":
            report.add_loss("word.other_provider", msg, "role", role, "system")
            role = "system"
        lose_extras(report, msg, msg.extras)
        own = (msg._metadata or {}).get(TARGET)
        kept = own.get("meta") if isinstance(own, Mapping) else None
        meta: JsonObject = {**kept} if isinstance(kept, Mapping) else {}
        blocks = msg.blocks
        if role == "assistant":
            parts = self._answer(msg, blocks, report)
            write_meta(msg, meta)
        elif blocks and isinstance(blocks[0], ToolResultBlock):
            role, parts = "tool", [self._result(blocks[0], report)]
        else:
            parts = [part for block in blocks if (part := write_part(block, report)) is not None]
            role = "user" if role == "tool" else role
        meta.pop("cache_control", None)
        if (hint := find_hint(msg)) is not None:
            meta["cache_control"] = cache_control(hint)
        return {"role": role, "meta": meta, "name": msg.name or None, "content": parts}

    def _answer(self, msg: Msg, blocks: Sequence[ContentBlock], report: Report) -> list[JsonObject]:
        thoughts: list[JsonObject] = []
        texts: list[str] = []
        calls: list[JsonObject] = []
        for block in blocks:
            if isinstance(block, ThinkingBlock):
                write_thinking(block, block.origin or msg.origin, thoughts, report)
            elif isinstance(block, TextBlock):
                lose_fields(block, report)
                texts.append(block.text)
            elif isinstance(block, ToolUseBlock):
                calls.append({"tool_call": write_call(block, report)})
            elif isinstance(block, RefusalBlock):
                lose_fields(block, report)
            else:
                code = "raw.other_provider" if block.type == "raw" else "block.unsupported"
                report.add_loss(code, block)
        said = [{"text": PARAGRAPHS.join(texts)}] if texts else []
        return [*thoughts, *said, *calls]

    def _result(self, block: ToolResultBlock, report: Report) -> JsonObject:
        output: Any = block.output
        if isinstance(output, list):
            output = [part for one in output if (part := write_part(one, report)) is not None]
        elif not isinstance(output, str):
            output = "" if output is None else arguments(output)
        lose_extras(report, block, block.extras)
        name = block.name
        origin = self._calls.get(block.id)
        if origin is None or name not in ("", origin["tool_name"]):
            origin = {"tool_name": name, "arguments": {}, "id": block.id or None}
            origin["extra"] = {"call_id": block.id} if block.id else None
        return {"tool_call_result": {"result": output, "origin": origin, "error": block.is_error}}
