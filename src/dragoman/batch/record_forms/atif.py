"""Trajectories in the Agent Trajectory Interchange Format, ATIF 1.8; its reader is in `agent_logs`.

A message of the user or the system is a step, and so is one of the assistant, with its thinking,
its calls and, as observation, their results. What a step has no field for and a reader of ours
knows again is in its `extra`: names, the developer's role, that a result is an error. Steps that
repeat what came before a summary are marked as copied.

Source: RFC 0001 of Harbor, and the models of the package atif 1.8.0 (read 2026-11-29).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ... import message as tree
from ...agent_logs import SessionLog
from ...agent_logs.atif import read as read_trajectory
from ...agent_logs.log import read_rows
from ...errors import WriteError
from ...losses import Report
from ...message import (
    AudioBlock,
    Base64Source,
    ChatRequest,
    ContentBlock,
    FileSource,
    ImageBlock,
    LocalSource,
    Msg,
    RefusalBlock,
    ServerTool,
    TextBlock,
    ThinkingBlock,
    Tool,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    Usage,
)
from ...message.media import Source
from ...text.json_text import Json, JsonObject, arguments
from .chat_messages import parse_arguments
from .conversation import Conversation, note_answer, note_rejected, note_settings
from .record_report import RecordPlace, RecordReport
from .sessions import hold_log

VERSION = "ATIF-v1.8"
_READ = ("schema_version", "steps", "subagent_trajectories")
_OWN = ("notes", "final_metrics", "continued_trajectory_ref", "session_id", "trajectory_id")
_SOURCES = {"system": "system", "developer": "system", "user": "user", "assistant": "agent"}
_TYPES = {
    "image": ("image/png", "image/jpeg", "image/gif", "image/webp"),
    "audio": (
        "audio/wav",
        "audio/mpeg",
        "audio/mp4",
        "audio/aac",
        "audio/ogg",
        "audio/flac",
        "audio/webm",
        "audio/aiff",
    ),
}


# -- reading ---------------------------------------------------------------------------------------


def claims(record: JsonObject) -> bool:
    """Whether a record says that it is a trajectory."""
    version = record.get("schema_version")
    return isinstance(version, str) and version.startswith("ATIF-v")


def read(record: JsonObject) -> Conversation:
    """Read a trajectory; what it tells besides the conversation is kept for another trajectory."""
    rows, skipped = read_rows(arguments(record), "")
    log = read_trajectory(rows, skipped)
    conversation = hold_log(log)
    others = {key: value for key, value in record.items() if key not in _READ}
    agent = record.get("agent")
    if isinstance(agent, dict):
        names = ("name", "version", "model_name", "extra")
        kept = {key: agent[key] for key in names if key in agent}
        others["agent"] = kept
    conversation.others = others
    inner = [(one.place, one.what) for one in log.skipped if one.place.startswith("$.steps")]
    conversation.left_out = [*conversation.left_out, *inner]
    return conversation


# -- writing ---------------------------------------------------------------------------------------


def write(conversation: Conversation) -> tuple[JsonObject, list[Report]]:
    """Write a trajectory.

    Raises:
        WriteError: There is no message.
    """
    log, request = conversation.log, conversation.chosen.request
    messages = request.messages if log is None else log.messages
    moves = conversation.chosen.moves
    report = RecordReport(messages, request, tree.places, "atif", moves)
    note_settings(request, report, ("model",))
    note_answer(conversation.response, report, ("usage",))
    note_rejected(conversation, report)
    for path, what in conversation.left_out:
        if path.startswith("$.steps"):
            place = RecordPlace(path)
            report.add_loss("extras.unsupported", place, what=what, kind="expected")
    steps = write_steps(messages, () if log is None else log.compactions, report)
    if conversation.response is not None:
        _add_metrics(steps, conversation.response.usage)
    others = dict(conversation.others)
    record: JsonObject = {"schema_version": VERSION}
    for key in ("session_id", "trajectory_id"):
        if isinstance(value := others.pop(key, None), str) and value:
            record[key] = value
    named = others.pop("agent", None)
    name = "dragoman" if log is None else log.agent
    record["agent"] = _write_agent(named, name, request, report)
    record["steps"] = steps
    for key in ("notes", "final_metrics", "continued_trajectory_ref"):
        if key in others:
            record[key] = others.pop(key)
    extra = others.pop("extra", None)
    if isinstance(extra, dict) or others:
        record["extra"] = {**(extra if isinstance(extra, dict) else {}), **others}
    if log is not None and log.sidechains:
        inner = [_write_inner(one, i, report) for i, one in enumerate(log.sidechains)]
        record["subagent_trajectories"] = inner
    return record, [report]


def _write_agent(given: Json, name: str, request: ChatRequest, report: Report) -> JsonObject:
    agent: JsonObject = {"name": name, "version": "unknown"}
    if request.model:
        agent["model_name"] = request.model
    if isinstance(given, dict):
        agent |= given
    if request.tools:
        tools = [row for tool in request.tools if (row := _write_tool(tool, report)) is not None]
        agent["tool_definitions"] = tools
    return agent


def _write_tool(tool: Tool | ServerTool, report: Report) -> JsonObject | None:
    """A tool as a function of OpenAI's, which is what trajectories have."""
    if isinstance(tool, ServerTool):
        report.add_loss("server_tool.unsupported", tool, what=tool.type)
        return None
    function: JsonObject = {"name": tool.name}
    if tool.description:
        function["description"] = tool.description
    function["parameters"] = tool.schema
    if tool.strict is not None:
        function["strict"] = tool.strict
    if tool.freeform:
        report.add_loss("tool.freeform", tool, what=tool.name)
    if tool.cache is not None:
        report.add_loss("cache.unsupported", tool, "cache")
    _note_extras(tool, report)
    return {"type": "function", "function": function}


def _write_inner(log: SessionLog, number: int, report: Report) -> JsonObject:
    """The trajectory of a called agent, which needs an id of its own."""
    request = ChatRequest(log.messages, tools=list(log.tools), model=log.model)
    inner: JsonObject = {"schema_version": VERSION, "trajectory_id": f"subagent-{number + 1}"}
    if log.session:
        inner["session_id"] = log.session
    inner["agent"] = _write_agent(None, log.agent, request, report)
    inner["steps"] = write_steps(log.messages, log.compactions, report)
    if log.sidechains:
        rows = [_write_inner(one, i, report) for i, one in enumerate(log.sidechains)]
        inner["subagent_trajectories"] = rows
    return inner


@dataclass(slots=True)
class _Steps:
    """The steps so far.

    Attributes:
        report: What is lost.
        rows: The steps.
        calls: The step of each call whose result may still come.
        count: How many calls without an id there were.
    """

    report: Report
    rows: list[JsonObject] = field(default_factory=list)
    calls: dict[str, JsonObject] = field(default_factory=dict)
    count: int = 0


def write_steps(
    messages: Sequence[Msg], compactions: Sequence[int], report: Report
) -> list[JsonObject]:
    """Write messages as steps.

    Args:
        messages: The messages.
        compactions: Where the agent went on with a summary and what it kept.
        report: What is lost.

    Raises:
        WriteError: There is no message.
    """
    steps = _Steps(report)
    first = compactions[0] if compactions else len(messages)
    for i, m in enumerate(messages):
        begin = len(steps.rows)
        _write_message(steps, m)
        if i in compactions and begin < len(steps.rows):
            steps.rows[begin].setdefault("extra", {})["compaction"] = True
        if i >= first and any(m == one for one in messages[:first]):
            for row in steps.rows[begin:]:
                row["is_copied_context"] = True
        if m.metadata.get("is_copied_context"):
            for row in steps.rows[begin:]:
                row["is_copied_context"] = True
    if not steps.rows:
        text = "there is no message, and a trajectory has steps"
        raise WriteError(text, path="$", code="record.answer")
    return [{"step_id": i, **row} for i, row in enumerate(steps.rows, 1)]


def _write_message(steps: _Steps, m: Msg) -> None:
    report = steps.report
    _note_extras(m, report)
    if m.cache is not None:
        report.add_loss("cache.unsupported", m, "cache", kind="expected")
    results = [block for block in m.blocks if type(block) is ToolResultBlock]
    others = [block for block in m.blocks if type(block) is not ToolResultBlock]
    for result in results:
        _write_result(steps, result, m)
    if not others and (results or m.role == "tool"):
        return
    source = _SOURCES.get(m.role, "user")
    step: JsonObject = {**_timed(m, report), "source": source}
    extra: JsonObject = {}
    if m.name:
        extra["name"] = m.name
    if m.role == "developer":
        extra["role"] = m.role
    if source == "agent":
        _write_turn(steps, step, m, others)
    else:
        step["message"] = _write_content(others, report)
    if extra:
        step["extra"] = extra
    steps.rows.append(step)


def _timed(m: Msg, report: Report) -> JsonObject:
    """The time of a message, if it is one of ISO 8601."""
    if m.timestamp is None:
        return {}
    try:
        datetime.fromisoformat(m.timestamp)
    except ValueError:
        report.add_loss("extras.unsupported", m, "timestamp", what=m.timestamp)
        return {}
    return {"timestamp": m.timestamp}


def _write_turn(steps: _Steps, step: JsonObject, m: Msg, blocks: Sequence[ContentBlock]) -> None:
    """Write a turn of the assistant: thinking, then what it says, then its calls."""
    report = steps.report
    model = m.metadata.get("model") or (m.origin.model if m.origin is not None else None)
    if isinstance(model, str) and model:
        step["model_name"] = model
    thoughts: list[str] = []
    said: list[ContentBlock] = []
    calls: list[JsonObject] = []
    for block in blocks:
        if type(block) is ThinkingBlock:
            if block.signature or block.redacted:
                report.add_loss("thinking.unsigned", block, "signature", kind="expected")
            if block.thinking:
                if said or calls or thoughts:
                    report.add_loss("thinking.moved", block)
                thoughts.append(block.thinking)
            _note_extras(block, report)
        elif type(block) is ToolUseBlock:
            calls.append(_write_call(steps, step, block))
        else:
            if calls:
                report.add_loss("turn.joined", block)
            said.append(block)
    step["message"] = _write_content(said, report)
    if thoughts:
        step["reasoning_content"] = "\n\n".join(thoughts)
    if calls:
        step["tool_calls"] = calls


def _write_call(steps: _Steps, step: JsonObject, block: ToolUseBlock) -> JsonObject:
    report, given = steps.report, parse_arguments(block.input)
    if not isinstance(given, dict):
        report.add_loss("call.unparsed", block, "input")
        given = {"input": block.input}
    id = block.id
    if not id:
        steps.count += 1
        id = f"call_{steps.count}"
        report.add_loss("id.made", block, "id", did=id)
    if block.namespace:
        report.add_loss("tool.namespace", block, "namespace", what=block.namespace)
    if block.cache is not None:
        report.add_loss("cache.unsupported", block, "cache", kind="expected")
    _note_extras(block, report)
    steps.calls[id] = step
    return {"tool_call_id": id, "function_name": block.name, "arguments": given}


def _write_result(steps: _Steps, block: ToolResultBlock, m: Msg) -> None:
    """Write a result beside its call, or as an observation by itself if there is none."""
    report = steps.report
    _note_extras(block, report)
    if block.cache is not None:
        report.add_loss("cache.unsupported", block, "cache", kind="expected")
    step = steps.calls.pop(block.id, None)
    if step is None:
        step = {**_timed(m, report), "source": "system", "message": ""}
        steps.rows.append(step)
    elif step is not steps.rows[-1]:
        report.add_loss("result.moved", block)
    row: JsonObject = {}
    if block.id:
        row["source_call_id"] = block.id
    row["content"] = _write_output(block, report)
    if block.is_error:
        row["extra"] = {"is_error": True}
    step.setdefault("observation", {"results": []})["results"].append(row)


def _write_output(block: ToolResultBlock, report: Report) -> Json:
    output = block.output
    if isinstance(output, list):
        return _write_content(output, report)
    if isinstance(output, str) or output is None:
        return output or ""
    return arguments(output)


def _write_content(blocks: Sequence[Any], report: Report) -> Json:
    """A text, or parts where there is more than one text or a medium."""
    parts = [part for block in blocks for part in _parts(block, report)]
    if not parts:
        return ""
    if len(parts) == 1 and "text" in parts[0]:
        return parts[0]["text"]
    return parts


def _parts(block: Any, report: Report) -> Iterator[JsonObject]:
    _note_extras(block, report)
    if getattr(block, "cache", None) is not None:
        report.add_loss("cache.unsupported", block, "cache", kind="expected")
    match block:
        case TextBlock():
            if block.citations:
                report.add_loss("citations.unsupported", block, "citations")
            yield {"type": "text", "text": block.text}
        case RefusalBlock():
            report.add_loss("refusal.as_text", block)
            yield {"type": "text", "text": block.text}
        case ImageBlock() | AudioBlock():
            source = _write_source(block, block.source, report)
            if source is not None:
                yield {"type": block.type, "source": source}
        case _:
            report.add_loss("block.unsupported", block, what=str(block.type))


def _write_source(
    block: ImageBlock | AudioBlock, source: Source, report: Report
) -> JsonObject | None:
    """Where a medium is; None if a trajectory cannot say so."""
    match source:
        case URLSource():
            path = source.url
        case LocalSource():
            path = str(source.path)
        case Base64Source():
            path = source.uri or f"data:{source.media_type};base64,{source.data}"
        case _:
            what = "a file of a provider" if isinstance(source, FileSource) else "its source"
            report.add_loss("media.source", block, "source", what=what)
            return None
    allowed = _TYPES[block.type]
    media_type = source.media_type
    if media_type is None:
        media_type = allowed[0]
        report.add_loss("media.type_assumed", block, "source", did=media_type)
    if media_type not in allowed:
        report.add_loss("block.unsupported", block, what=media_type)
        return None
    if block.title or block.detail:
        field_name = "title" if block.title else "detail"
        report.add_loss("extras.unsupported", block, field_name, what=field_name)
    return {"media_type": media_type, "path": path}


def _note_extras(node: Any, report: Report) -> None:
    fields: Mapping[str, JsonObject] = node.provider_fields
    for issuer, values in fields.items():
        for name, value in values.items():
            if value not in ([], {}, None):
                report.add_loss("extras.other_provider", node, f"extras.{issuer}.{name}", what=name)


def _add_metrics(steps: list[JsonObject], usage: Usage) -> None:
    """Put the counts of the answer beside the last step of the agent."""
    metrics: JsonObject = {}
    parts = [usage.input, usage.cache_read, usage.cache_write]
    if usage.input is not None:
        metrics["prompt_tokens"] = sum(part or 0 for part in parts)
    if usage.output is not None:
        metrics["completion_tokens"] = usage.output
    if usage.cache_read is not None:
        metrics["cached_tokens"] = usage.cache_read
    step = next((one for one in reversed(steps) if one["source"] == "agent"), None)
    if metrics and step is not None:
        step["metrics"] = metrics
