"""`UIMessage`s of the AI SDK: what a page shows and sends, as messages for models and back.

A `UIMessage` of the assistant holds a whole turn: steps, each begun by `step-start`, and every call
with its result in one part. Here it becomes the `ModelMessage`s that the SDK's own
`convertToModelMessages` makes of it, and the other way round.

Reference: npm `ai` 7.0.173, `UIMessage`, `validateUIMessages` and `convertToModelMessages`; run on
2026-11-29.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from typing import Any

from ...losses import PolicyLike, Report
from ...message import ToolResultBlock
from ...message.blocks import MEDIA_KINDS
from ...text.json_text import Json, JsonObject, arguments
from ..results import Bridged, Said, as_msg, finish_bridge, take_said
from .names import OURS, TARGET
from .writing import ModelMessageWriter

_TOOL = "tool-"
_DENIED = {"type": "execution-denied"}


def to_model_messages(item: Mapping[str, Any]) -> list[JsonObject]:
    """Return the `ModelMessage`s that a `UIMessage` is.

    Args:
        item: The message, with `parts`.
    """
    metadata = dict(item["metadata"]) if isinstance(item.get("metadata"), Mapping) else {}
    noted = metadata.pop(OURS, None)
    noted = noted if isinstance(noted, list) else []
    steps = _StepReader(str(item.get("role")))
    for part in item["parts"]:
        if isinstance(part, Mapping):
            steps.add(dict(part))
    found = steps.close()
    for i, message in enumerate(found):
        ours = dict(noted[i]) if i < len(noted) and isinstance(noted[i], Mapping) else {}
        if i == 0 and isinstance(item.get("id"), str) and item["id"]:
            ours["id"] = item["id"]
        if i == 0 and metadata:
            ours["metadata"] = {**ours.get("metadata", {}), "ui": metadata}
        if ours:
            message["providerOptions"] = {**message.get("providerOptions", {}), OURS: ours}
    return found


class _StepReader:
    """Collects the parts of a `UIMessage` as messages for a model."""

    def __init__(self, role: str) -> None:
        self._role = role
        self._found: list[JsonObject] = []
        self._said: list[JsonObject] = []
        self._results: list[JsonObject] = []

    def add(self, part: JsonObject) -> None:
        """Add one part."""
        kind = str(part.get("type"))
        if kind == "step-start":
            self._end_step()
        elif kind == "dynamic-tool" or kind.startswith(_TOOL):
            self._tool(part, str(part.get("toolName") or kind.removeprefix(_TOOL)))
        elif kind == "file":
            self._said.append(_renamed({**part, "data": _data(part)}, "url", "providerReference"))
        else:
            self._said.append(_renamed(part, "state"))

    def close(self) -> list[JsonObject]:
        """Return the messages; one without any parts is empty."""
        self._end_step()
        return self._found or [{"role": self._role, "content": []}]

    def _end_step(self) -> None:
        if self._said:
            content: Any = self._said
            options: JsonObject = {}
            if self._role == "system":
                content = "\n".join(str(part.get("text", "")) for part in self._said)
                for part in self._said:
                    options |= part.get("providerOptions", {})
            own = {"providerOptions": options} if options else {}
            self._found.append({"role": self._role, "content": content, **own})
        if self._results:
            self._found.append({"role": "tool", "content": self._results})
        self._said, self._results = [], []

    def _tool(self, part: JsonObject, name: str) -> None:
        state, own = part.get("state"), {"toolCallId": part.get("toolCallId"), "toolName": name}
        value = part.get("input")
        raw = part.get("rawInput")
        if value is None and raw is not None:
            value = raw
        call: JsonObject = {"type": "tool-call", **own, "input": {} if value is None else value}
        options = _metadata(part, "callProviderMetadata")
        if state == "input-streaming":
            call["input"] = raw if isinstance(raw, str) else _text(value)
            options[OURS] = {**options.get(OURS, {}), "unfinished": True}
        if options:
            call["providerOptions"] = options
        if part.get("providerExecuted"):
            call["providerExecuted"] = True
        self._said.append(call)
        approval = part.get("approval")
        if isinstance(approval, Mapping) and str(state).startswith("approval-"):
            asked = {"approvalId": approval.get("id"), "toolCallId": part.get("toolCallId")}
            self._said.append({"type": "tool-approval-request", **asked})
            if state == "approval-responded":
                given = {k: v for k, v in approval.items() if k in ("approved", "reason")}
                asked = {"approvalId": approval.get("id"), **given}
                self._results.append({"type": "tool-approval-response", **asked})
        output = _output(part)
        if output is not None:
            result: JsonObject = {"type": "tool-result", **own, "output": output}
            if found := _metadata(part, "resultProviderMetadata"):
                result["providerOptions"] = found
            (self._said if part.get("providerExecuted") else self._results).append(result)


def _output(part: JsonObject) -> JsonObject | None:
    """Return the output of a call; None if it has none yet."""
    state, value = part.get("state"), part.get("output")
    if state == "output-available":
        return {"type": "text" if isinstance(value, str) else "json", "value": value}
    if state == "output-error":
        return {"type": "error-text", "value": str(part.get("errorText") or "")}
    if state == "output-denied":
        approval = part.get("approval")
        reason = approval.get("reason") if isinstance(approval, Mapping) else None
        return {**_DENIED, **({"reason": reason} if reason else {})}
    return None


def _renamed(part: JsonObject, *without: str) -> JsonObject:
    found = {k: v for k, v in part.items() if k not in (*without, "providerMetadata")}
    if own := _metadata(part, "providerMetadata"):
        found["providerOptions"] = own
    return found


def _metadata(part: JsonObject, key: str) -> JsonObject:
    found = part.get(key)
    return dict(found) if isinstance(found, Mapping) else {}


def _data(part: JsonObject) -> JsonObject:
    """Return where a file is, as a part of a `ModelMessage` has it."""
    url = str(part.get("url") or "")
    if isinstance(reference := part.get("providerReference"), Mapping):
        return {"type": "reference", "reference": dict(reference)}
    if url.startswith("data:") and ";base64," in url:
        data = url.partition(";base64,")[2]
        text = decode_base64(data) if part.get("mediaType") == "text/plain" else None
        return {"type": "data", "data": data} if text is None else {"type": "text", "text": text}
    return {"type": "url", "url": url}


def decode_base64(data: str) -> str | None:
    """Return a text from its base64; None for what is none.

    Args:
        data: The base64.
    """
    try:
        return b64decode(data, validate=True).decode()
    except ValueError:
        return None


def _text(value: Json) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else arguments(value)


def write_ui_messages(
    messages: Iterable[Said] | Said, *, policy: PolicyLike = "log"
) -> Bridged[JsonObject]:
    """Write messages as `UIMessage`s of the AI SDK.

    A turn of the assistant, with the results of its calls, is one message with a `step-start` for
    each answer of the model; tools are `dynamic-tool`s, also those that a provider has run. A
    result with media is shown as the parts that a model is given.

    Args:
        messages: Messages and answers of a model.
        policy: What to do about losses.

    Returns:
        The messages as plain JSON, and the losses.

    Raises:
        NotMessages: Something is neither a message nor an answer.
        LossRefused: The policy refuses a loss.
    """
    said, report = take_said(messages, TARGET)
    writer = ModelMessageWriter(report, every=True)
    turns = _TurnFolder(report, [as_msg(one) for one in said])
    for one in said:
        for message in writer.write(as_msg(one)):
            turns.add(message)
    return finish_bridge(turns.found, report, policy)


class _TurnFolder:
    """Folds messages for a model into `UIMessage`s.

    Attributes:
        found: The messages so far.
    """

    def __init__(self, report: Report, msgs: list[Any]) -> None:
        self.found: list[JsonObject] = []
        self._report = report
        self._results: dict[str, list[ToolResultBlock]] = {}  # by id, which a model may use twice
        for msg in msgs:
            for block in msg.blocks if not isinstance(msg.content, str) else ():
                if isinstance(block, ToolResultBlock):
                    self._results.setdefault(block.id, []).append(block)
        self._calls: dict[str, JsonObject] = {}  # the open turn's, by id

    def add(self, message: JsonObject) -> None:
        """Add one message."""
        role, content = message["role"], message["content"]
        options = dict(message.get("providerOptions", {}))
        ours = dict(options.pop(OURS, {}))
        if role == "tool":
            self._add_results(content, ours)
            return
        parts = content
        if isinstance(content, str):
            own = {"providerOptions": options} if options else {}
            parts = [{"type": "text", "text": content, **own}]
        is_open = bool(self.found) and self.found[-1]["role"] == "assistant" == role
        if not is_open:
            id = ours.pop("id", f"msg_{len(self.found)}")
            self._calls = {}
            self.found.append({"id": id, "role": role, "parts": []})
        turn = self.found[-1]
        if role == "assistant":
            turn["parts"].append({"type": "step-start"})
        self._note(turn, ours)
        for part in parts:
            self._add_part(turn, dict(part))

    def _note(self, turn: JsonObject, ours: JsonObject) -> None:
        theirs = ours.get("metadata", {}).pop("ui", None) if "metadata" in ours else None
        metadata = turn.setdefault("metadata", dict(theirs) if isinstance(theirs, dict) else {})
        metadata.setdefault(OURS, []).append({k: v for k, v in ours.items() if v})

    def _add_part(self, turn: JsonObject, part: JsonObject) -> None:
        options = part.pop("providerOptions", None)
        kind = part["type"]
        if kind == "tool-call":
            ours = dict((options or {}).get(OURS, {}))
            own = {key: part[key] for key in ("toolName", "toolCallId")}
            shown: JsonObject = {"type": "dynamic-tool", **own, "state": "input-available"}
            shown["input"] = part["input"]
            if ours.get("unfinished"):
                shown |= {"state": "input-streaming", "rawInput": _text(part["input"])}
                del shown["input"]
            if part.get("providerExecuted"):
                shown["providerExecuted"] = True
            if options:
                shown["callProviderMetadata"] = options
            self._calls[part["toolCallId"]] = shown
            turn["parts"].append(shown)
        elif kind == "tool-result":
            self._finish(part, options)
        elif kind == "tool-approval-request" and part.get("toolCallId") in self._calls:
            call = self._calls[part["toolCallId"]]
            call |= {"state": "approval-requested", "approval": {"id": part["approvalId"]}}
        elif kind == "file":
            turn["parts"].append(_with_metadata(shown_file(part), options))
        else:
            turn["parts"].append(_with_metadata(part, options))

    def _add_results(self, content: Iterable[JsonObject], ours: JsonObject) -> None:
        if self.found:
            self._note(self.found[-1], ours)
        for part in content:
            if part["type"] == "tool-approval-response":
                for call in self._calls.values():
                    if call.get("approval", {}).get("id") == part.get("approvalId"):
                        given = {k: part[k] for k in ("approved", "reason") if k in part}
                        call |= {"state": "approval-responded"}
                        call["approval"] = {**call["approval"], **given}
            else:
                self._finish(part, part.get("providerOptions"))

    def _finish(self, part: JsonObject, options: JsonObject | None) -> None:
        """Put the result of a call into the part of the call."""
        call, output = self._calls.get(part["toolCallId"]), part["output"]
        results = self._results.get(part["toolCallId"])
        block = results.pop(0) if results else None
        if call is None:
            self._report.add_loss("result.orphan", block)
            return
        call |= show_output(output, block, self._report)
        if output["type"] == "execution-denied":
            reason = {"reason": output["reason"]} if "reason" in output else {}
            id = call.get("approval", {}).get("id", part["toolCallId"])
            call["approval"] = {"id": id, "approved": False, **reason}
        if call["state"] == "output-error" and isinstance(call.get("input"), str):
            call["rawInput"] = call.pop("input")
        options = {**(options or {}), **call.pop("metadata", {})}
        if options:
            call["resultProviderMetadata"] = options


def show_output(output: JsonObject, block: Any, report: Report) -> JsonObject:
    """Return what the part of a call has once its result is there.

    Args:
        output: The output in a `ModelMessage`.
        block: The result.
        report: Collects the losses.

    Returns:
        `state`, with `output` or `errorText`, and `metadata` where the output is not all of it.
    """
    kind: str = output["type"]
    value: Any = output.get("value")
    if kind == "content":
        texts = [one["text"] for one in value if one.get("type") == "text"]
        failed = block is not None and block.is_error
        if len(texts) < len(value) and not failed:
            noted = {OURS: {"content": True}}
            return {"state": "output-available", "output": output, "metadata": noted}
        for one in getattr(block, "output", None) or ():
            if getattr(one, "type", "") in MEDIA_KINDS:
                report.add_loss("block.unsupported", one)
        kind = "error-text" if failed else "text"
        value = "\n\n".join(texts[1:] if failed else texts)
    if kind == "execution-denied":
        return {"state": "output-denied"}
    if kind.startswith("error"):
        return {"state": "output-error", "errorText": _text(value)}
    return {"state": "output-available", "output": value}


def shown_file(part: JsonObject) -> JsonObject:
    """Return a file as a page shows it.

    Args:
        part: The file in a `ModelMessage`.
    """
    data = part["data"]
    own: JsonObject = {key: part[key] for key in ("mediaType", "filename") if key in part}
    found: JsonObject = {"type": "file", **own, "url": ""}
    match data["type"]:
        case "url":
            found["url"] = data["url"]
        case "data":
            found["url"] = f"data:{part['mediaType']};base64,{data['data']}"
        case "reference":
            found["providerReference"] = data["reference"]
        case _:
            shown = b64encode(data["text"].encode()).decode()
            found["url"] = f"data:{part['mediaType']};base64,{shown}"
    return found


def _with_metadata(part: JsonObject, options: JsonObject | None) -> JsonObject:
    return {**part, **({"providerMetadata": options} if options else {})}
