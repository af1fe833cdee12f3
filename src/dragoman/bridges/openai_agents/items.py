"""Items of the OpenAI Agents SDK to our messages, and back.

Reference: openai-agents 0.24.0, `models/chatcmpl_converter.py` and `models/openai_responses.py`,
read and run on 2026-11-29.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from ...codec.sdk_objects import plain
from ...errors import NotMessages, ReadError
from ...losses import PolicyLike, Report
from ...message import (
    Base64Source,
    FileSource,
    Msg,
    Origin,
    TextBlock,
    TextSource,
    ThinkingBlock,
    ToolResultBlock,
    URLSource,
)
from ...message.blocks import ContentBlock, Extras, ToolUseBlock
from ...protocols.openai_responses.blocks import mark, write_citation, write_medium
from ...text.json_text import JsonObject, arguments
from ...text.redaction import show
from ...vendors import wire
from ..results import (
    Bridged,
    Said,
    argument_text,
    as_msg,
    finish_bridge,
    lose_extras,
    own_fields,
    take_said,
    text_or_none,
)

TARGET = "openai-agents"
_RESPONSES = "openai-responses"
FAKE_ID = "__fake_id__"
OURS = "dragoman"  # the key of `provider_data` for what an item has no field for
DATA = "provider_data"
_ERROR = "Error: "  # before the output of a call that failed, as our own wires write it
_MARK = "item "
_CALLS = ("function_call", "custom_tool_call")
_MARKED = ("reasoning", *_CALLS, *(f"{call}_output" for call in _CALLS))
# what an item has without saying anything by it
_USUAL: tuple[tuple[str, Any], ...] = (
    ("annotations", []),
    ("logprobs", []),
    ("status", "completed"),
)

ReadFrom: TypeAlias = str | Iterable[Any]


def read_messages(messages: ReadFrom | Any, *, policy: PolicyLike = "log") -> Bridged[Msg]:
    """Read items of the OpenAI Agents SDK.

    >>> read_messages([{"role": "user", "content": "Where is Paris?"}]).messages
    [Msg('', 'Where is Paris?', 'user')]

    Args:
        messages: Items as dicts or as objects, a text, or the result of a run, which has
            `to_input_list()`.
        policy: What to do about losses.

    Returns:
        The messages. Items of OpenAI have OpenAI as their origin, those with `provider_data` the
        provider that it shows.

    Raises:
        NotMessages: Something is no item; `path` names it.
        LossRefused: The policy refuses a loss.
    """
    given: Any = messages
    if callable(getattr(given, "to_input_list", None)):
        given = given.to_input_list()
    if isinstance(given, str):
        return finish_bridge([Msg.user(given)], Report(target=TARGET), policy)
    if isinstance(given, Mapping) or not isinstance(given, Iterable):
        raise _no_item(given, "$")
    items = [_item(one, f"$[{i}]") for i, one in enumerate(given)]
    body = {"input": [_marked(item, i) for i, item in enumerate(items)]}
    found = wire(_RESPONSES, policy="ignore").read_request(body).messages if items else []
    return finish_bridge([_own(msg, items) for msg in found], Report(target=TARGET), policy)


def _marked(item: JsonObject, i: int) -> JsonObject:
    """Return an item with its number as its id, by which it is found when its block is read."""
    found = {key: value for key, value in item.items() if key != DATA}
    is_said = found.get("role") == "assistant" or found.get("type") in _MARKED
    return {**found, "id": f"{_MARK}{i}"} if is_said else found


def _item(value: Any, path: str) -> JsonObject:
    """Return an item as plain JSON."""
    if callable(getattr(value, "to_input_item", None)):
        value = value.to_input_item()
    try:
        found = dict(value) if isinstance(value, Mapping) else plain(value)
    except ReadError as error:
        raise _no_item(value, path) from error
    if not isinstance(found, dict) or not ("type" in found or "role" in found):
        raise _no_item(value, path)
    return found


def _no_item(value: object, path: str) -> NotMessages:
    return NotMessages(
        f"{show(value)} is no item of the OpenAI Agents SDK",
        path=path,
        hint='result.to_input_list(), or {"role": "user", "content": text}',
        code="messages.type",
    )


def _own(msg: Msg, items: Sequence[JsonObject]) -> Msg:
    """Return the message with what its items say of its provider."""
    origin = msg.origin if msg.role == "assistant" else None
    blocks: list[ContentBlock] = []
    for block in msg.blocks:
        own = own_fields(block.extras, _RESPONSES)
        item = _source(own, items)
        data = dict(item[DATA]) if isinstance(item.get(DATA), Mapping) else {}
        if not isinstance(block, ToolResultBlock):
            data.pop(OURS, None)  # what `Model` says of an answer
        for key, usual in _USUAL:
            if own.get(key) == usual:
                del own[key]
        if isinstance(block, ToolUseBlock) and own.get("status") == "incomplete":
            block.unfinished = True
            del own["status"]
        model = text_or_none(data.get("model"))
        is_others = bool(data) or item.get("id") == FAKE_ID
        if is_others:  # another provider's, over Chat Completions
            origin = None if origin is not None and origin.issuer == _RESPONSES else origin
            block.origin = None
        made = _read_data(block, own, data, model)
        _set_extras(block, own, data)
        blocks += made
        origin = next((one.origin for one in made if one.origin is not None), origin)
    content = msg.content if isinstance(msg.content, str) and blocks == msg.blocks else blocks
    found = Msg.create_unchecked(msg.name, content, msg.role, like=msg)
    found.origin = origin
    return found


def _source(own: JsonObject, items: Sequence[JsonObject]) -> JsonObject:
    """Return the item that a block was read from, and put its id back."""
    id = own.get("id")
    if not isinstance(id, str) or not id.startswith(_MARK):
        return {}
    item: JsonObject = items[int(id.removeprefix(_MARK))]
    del own["id"]
    if item.get("id", FAKE_ID) != FAKE_ID:
        own["id"] = item["id"]
    return item


def _read_data(
    block: Any, own: JsonObject, data: JsonObject, model: str | None
) -> list[ContentBlock]:
    """Take out of `provider_data` what has a form of ours; return the blocks of the item."""
    if isinstance(block, ToolUseBlock):
        if isinstance(seal := data.get("thought_signature"), str):
            block.extras = {"gemini": {"thoughtSignature": seal}}
            del data["thought_signature"]
        return [block]
    if isinstance(block, ToolResultBlock):
        noted = data.pop(OURS, None)
        if isinstance(noted, Mapping) and noted.get("is_error") is True:
            block.is_error = True
            block.output = _without_mark(block.output)
        return [block]
    thoughts = data.pop("thinking_blocks", None) if isinstance(block, ThinkingBlock) else None
    if not isinstance(thoughts, list) or not thoughts:
        return [block]
    own.clear()  # text and signatures of the item are made of these
    origin = Origin("anthropic", model)
    found: list[ContentBlock] = []
    for one in thoughts:
        if not isinstance(one, Mapping):
            continue
        made = ThinkingBlock(str(one.get("thinking") or ""), origin=origin)
        made.signature = text_or_none(one.get("signature"))
        made.redacted = text_or_none(one.get("data"))
        found.append(made)
    return found


def _without_mark(output: Any) -> Any:
    if isinstance(output, str):
        return output.removeprefix(_ERROR)
    if isinstance(output, list) and output and output[0] == TextBlock(_ERROR):
        return output[1:]
    return output


def _set_extras(block: Any, own: JsonObject, data: JsonObject) -> None:
    extras: Extras = dict(block.extras or {})
    extras.pop(_RESPONSES, None)
    if own:
        extras[_RESPONSES] = own
    data.pop("model", None)
    if data:
        extras[TARGET] = {DATA: data}
    block.extras = extras or None


# -- ours to theirs -------------------------------------------------------------------------------


def write_messages(
    messages: Iterable[Said] | Said, *, policy: PolicyLike = "log"
) -> Bridged[JsonObject]:
    """Write messages as items of the OpenAI Agents SDK.

    >>> write_messages([Msg.user("Where is Paris?")]).messages
    [{'role': 'user', 'content': 'Where is Paris?'}]

    Args:
        messages: Messages and answers of a model.
        policy: What to do about losses.

    Returns:
        Items as plain JSON, and the losses.

    Raises:
        NotMessages: Something is neither a message nor an answer.
        LossRefused: The policy refuses a loss.
    """
    said, report = take_said(messages, TARGET)
    writer = _ItemWriter(report)
    for one in said:
        writer.write(as_msg(one))
    return finish_bridge(writer.items, report, policy)


class _ItemWriter:
    """Writes messages one after the other.

    Attributes:
        items: The items so far.
    """

    def __init__(self, report: Report) -> None:
        self.items: list[JsonObject] = []
        self._report = report

    def write(self, msg: Msg) -> None:
        """Write one message."""
        if msg.name:
            self._report.add_loss("name.unsupported", msg, "name", msg.name)
        if msg.cache is not None:
            self._report.add_loss("cache.unsupported", msg, "cache")
        lose_extras(self._report, msg, msg.extras)
        if isinstance(msg.content, str) and msg.role != "assistant":
            self.items.append({"role": _role(msg), "content": msg.content})
            return
        open_item: JsonObject | None = None
        for block in msg.blocks:
            if isinstance(block, ToolResultBlock):
                self.items.append(self._result(block))
                open_item = None
            elif msg.role == "assistant":
                open_item = self._said(block, msg, open_item)
            elif part := self._part(block):
                if open_item is None:
                    open_item = {"role": _role(msg), "content": []}
                    self.items.append(open_item)
                open_item["content"].append(part)
        if not msg.blocks:
            self.items.append({"role": _role(msg), "content": []})

    def _lose(self, block: Any, *carried: str) -> None:
        lose_extras(self._report, block, block.extras, carried)

    # -- what the user puts in, and results -------------------------------------------------------

    def _part(self, block: Any) -> JsonObject | None:
        part: JsonObject | None = None
        if isinstance(block, TextBlock):
            part = {"type": "input_text", "text": block.text}
        elif block.type in ("image", "audio", "document"):
            part = self._medium(block)
        elif block.type == "raw" and block.issuer == _RESPONSES and isinstance(block.data, dict):
            return block.data
        else:
            code = "raw.other_provider" if block.type == "raw" else "block.unsupported"
            self._report.add_loss(code, block)
        if part is None:
            return None
        part |= own_fields(block.extras, _RESPONSES)
        self._lose(block, _RESPONSES)
        if getattr(block, "cache", None) is not None:
            part["prompt_cache_breakpoint"] = mark(block.cache)
        return part

    def _medium(self, block: Any) -> JsonObject | None:
        source = block.source
        if isinstance(source, TextSource):
            self._report.add_loss("media.as_text", block)
            return {"type": "input_text", "text": "\n\n".join(source.passages)}
        known = isinstance(source, (Base64Source, URLSource))
        is_file = isinstance(source, FileSource) and source.issuer in ("", _RESPONSES)
        if not known and not is_file:
            self._report.add_loss("media.source", source)
            return None
        if block.type == "audio" and not isinstance(source, Base64Source):
            self._report.add_loss("media.source", source)
            return None
        for name in ("context", "cite"):
            if getattr(block, name, None) is not None:
                self._report.add_loss("media.detail", block, name)
        return write_medium(block, block.title, block.detail)

    def _result(self, block: ToolResultBlock) -> JsonObject:
        output: Any = block.output
        if isinstance(output, list):
            output = [part for one in output if (part := self._part(one)) is not None]
        elif not isinstance(output, str):
            output = "" if output is None else arguments(output)
        item: JsonObject = {"type": "function_call_output", "call_id": block.id, "output": output}
        item |= own_fields(block.extras, _RESPONSES)
        data = dict(own_fields(block.extras, TARGET).get(DATA) or {})
        if block.is_error:
            self._report.add_loss("result.error_as_text", block, "is_error")
            data[OURS] = {"is_error": True}
            told = [{"type": "input_text", "text": _ERROR}]
            item["output"] = _ERROR + output if isinstance(output, str) else told + output
        if data:
            item[DATA] = data
        self._lose(block, _RESPONSES, TARGET)
        if block.cache is not None:
            self._report.add_loss("cache.unsupported", block, "cache")
        return item

    # -- answers ----------------------------------------------------------------------------------

    def _said(self, block: Any, msg: Msg, open_item: JsonObject | None) -> JsonObject | None:
        """Write a block; returns the item that the next text may belong to."""
        origin = block.origin or msg.origin
        own = own_fields(block.extras, _RESPONSES)
        data = dict(own_fields(block.extras, TARGET).get(DATA) or {})
        if origin is not None and origin.issuer != _RESPONSES and origin.model:
            data["model"] = origin.model
        if getattr(block, "cache", None) is not None:
            self._report.add_loss("cache.unsupported", block, "cache")
        if block.type in ("text", "refusal"):
            return self._text(block, own, data, open_item)
        item: JsonObject | None = None
        if block.type == "thinking":
            self._thinking(block, origin, own, data)
            return None
        if block.type == "tool_use":
            item = self._call(block, own, data)
        elif block.type == "raw" and block.issuer == _RESPONSES and isinstance(block.data, dict):
            item = block.data
        else:
            code = "raw.other_provider" if block.type == "raw" else "block.unsupported"
            self._report.add_loss(code, block)
            return open_item
        self.items.append(item)
        return None

    def _text(
        self, block: Any, own: JsonObject, data: JsonObject, open_item: JsonObject | None
    ) -> JsonObject:
        part: JsonObject = {"type": "refusal", "refusal": block.text}
        if isinstance(block, TextBlock):
            found = [write_citation(one, (_RESPONSES,)) for one in block.citations or ()]
            if None in found:
                self._report.add_loss("citations.unsupported", block, "citations")
            annotations = [one for one in found if one is not None]
            part = {"type": "output_text", "text": block.text, "annotations": annotations}
        self._lose(block, _RESPONSES, TARGET)
        fields: JsonObject = {key: own.pop(key) for key in ("id", "status", "phase") if key in own}
        part |= own
        if open_item is None or fields:
            open_item = {"id": FAKE_ID, "type": "message", "role": "assistant", "content": []}
            open_item |= {"status": "completed", **fields}  # without an id it is no message there
            if data:
                open_item[DATA] = data
            self.items.append(open_item)
        open_item["content"].append(part)
        return open_item

    def _call(self, block: ToolUseBlock, own: JsonObject, data: JsonObject) -> JsonObject:
        text = argument_text(block)
        item: JsonObject = {"type": "function_call", "call_id": block.id, "name": block.name}
        if block.freeform:
            item |= {"type": "custom_tool_call", "input": text}
        else:
            item["arguments"] = text
        if block.namespace is not None:
            item["namespace"] = block.namespace
        if block.unfinished:
            item["status"] = "incomplete"
        seal = own_fields(block.extras, "gemini").get("thoughtSignature")
        if isinstance(seal, str):
            data["thought_signature"] = seal
        self._lose(block, _RESPONSES, TARGET, "gemini")
        return {**item, **own, **({DATA: data} if data else {})}

    def _thinking(
        self, block: ThinkingBlock, origin: Origin | None, own: JsonObject, data: JsonObject
    ) -> None:
        issuer = "" if origin is None else origin.issuer
        self._lose(block, _RESPONSES, TARGET)
        summary = [{"type": "summary_text", "text": block.thinking}] if block.thinking else []
        item: JsonObject = {"type": "reasoning", "summary": summary}
        if issuer == _RESPONSES:
            if block.redacted is not None:
                item["encrypted_content"] = block.redacted
            self.items.append({**item, **own, **({DATA: data} if data else {})})
            return
        seal = block.signature or block.redacted
        if seal and issuer != "anthropic":
            self._report.add_loss("thinking.other_provider", block, "signature")
            if not block.thinking:
                return
        # as the SDK keeps thinking of an answer over Chat Completions
        item = {"id": FAKE_ID, **item}
        if issuer == "anthropic":
            self._add_thought(item, block, data)
            return
        self.items.append({**item, **({DATA: data} if data else {})})

    def _add_thought(self, item: JsonObject, block: ThinkingBlock, data: JsonObject) -> None:
        """Add a thought of Claude's to the item before, or as an item of its own."""
        thought: JsonObject = {"type": "thinking", "thinking": block.thinking}
        if block.redacted is not None:
            thought = {"type": "redacted_thinking", "data": block.redacted}
        elif block.signature is not None:
            thought["signature"] = block.signature
        last = self.items[-1] if self.items else {}
        thoughts = (
            last.get(DATA, {}).get("thinking_blocks") if last.get("type") == "reasoning" else None
        )
        if not isinstance(thoughts, list):
            thoughts = []
            data["thinking_blocks"] = thoughts
            last = {**item, "content": [], DATA: data}
            self.items.append(last)
        elif item["summary"]:
            last["summary"] += item["summary"]
        thoughts.append(thought)
        if block.thinking:
            last["content"].append({"type": "reasoning_text", "text": block.thinking})
        if block.signature is not None:
            seals = [last["encrypted_content"]] if "encrypted_content" in last else []
            last["encrypted_content"] = "\n".join([*seals, block.signature])


def _role(msg: Msg) -> str:
    return "user" if msg.role == "tool" else msg.role
