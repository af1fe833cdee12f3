"""Trajectories in the Agent Trajectory Interchange Format, ATIF 1.0 to 1.8 (Harbor's RFC 0001).

One JSON object with `steps` of the sources `system`, `user` and `agent`. A step of the agent has
its reasoning, its calls and the observations; a result names its call by `source_call_id`, other
observations come from the environment. The rules are those of the validator in harbor 0.25 (October
2026).
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import InvalidMessage, ReadError
from ..message import Base64Source, LocalSource, Msg, Source, Tool, URLSource
from ..message.blocks import (
    AudioBlock,
    ContentBlock,
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from ..text.json_text import Json, JsonObject, member
from .log import LogRow, SessionLog, Skipped, objects, skipped_fields, text_at

_ROLES = {"system": "system", "user": "user", "agent": "assistant"}
_TRAJECTORY = (
    "schema_version",
    "session_id",
    "trajectory_id",
    "agent",
    "steps",
    "subagent_trajectories",
)
_STEP = (
    "step_id",
    "timestamp",
    "source",
    "model_name",
    "message",
    "reasoning_content",
    "tool_calls",
    "observation",
    "is_copied_context",
)
_AGENT = ("model_name", "tool_definitions")
_CALL = ("tool_call_id", "function_name", "arguments")
_RESULT = ("source_call_id", "content")
# what `extra` has of ours: the name of who speaks, the role of a developer, whether a result is an
# error, and whether the agent goes on from here with a summary
_EXTRA = frozenset({"name", "role", "is_error", "compaction"})
_PART = ("type", "text", "source")
_SOURCE = ("path", "media_type")


def claims(rows: Sequence[LogRow]) -> bool:
    """Return whether the object declares itself a trajectory."""
    return rows[0].text("schema_version").startswith("ATIF-v")


def read(rows: Sequence[LogRow], skipped: list[Skipped]) -> SessionLog:
    """Read the session; trajectories of called agents that it contains are sidechains."""
    log = _trajectory(rows[0].data, "$")
    log.skipped = [*skipped, *log.skipped]
    return log


def _trajectory(data: JsonObject, path: str) -> SessionLog:
    agent = data.get("agent") if isinstance(data.get("agent"), dict) else {}
    assert isinstance(agent, dict)
    model = agent.get("model_name")
    log = SessionLog("atif", model=model if isinstance(model, str) else None)
    log.session = str(data.get("session_id") or data.get("trajectory_id") or "")
    log.skipped = skipped_fields(path, data, _TRAJECTORY)
    log.skipped += skipped_fields(f"{path}.agent", agent, _AGENT)
    tools = objects(agent.get("tool_definitions"), f"{path}.agent.tool_definitions", log.skipped)
    log.tools += _tools(tools, f"{path}.agent.tool_definitions")
    for i, step in enumerate(_list(data, "steps", path)):
        _add(log, step, f"{path}.steps[{i}]")
    for i, inner in enumerate(_list(data, "subagent_trajectories", path)):
        log.sidechains.append(_trajectory(inner, f"{path}.subagent_trajectories[{i}]"))
    return log


def _list(value: JsonObject, name: str, path: str) -> list[JsonObject]:
    """Return the objects in a field. Raises ReadError for anything else in it."""
    items = value.get(name) or []
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise _wrong("a list of objects belongs here", member(path, name))
    return items


def _wrong(message: str, path: str) -> ReadError:
    hint = "see RFC 0001 of Harbor for what a trajectory holds"
    return ReadError(message, path=path, hint=hint, code="log.trajectory")


def _tools(values: Sequence[JsonObject], path: str) -> list[Tool]:
    """Return the agent's tools, which are written as OpenAI's functions."""
    tools = []
    for i, value in enumerate(values):
        try:
            tools.append(Tool.of(value, f"{path}[{i}]"))
        except InvalidMessage as error:
            raise _wrong(error.message, error.path or f"{path}[{i}]") from error
    return tools


def _add(log: SessionLog, step: JsonObject, path: str) -> None:
    """Add the messages of one step: its message, and the observations after it."""
    role = _ROLES.get(str(step.get("source")))
    if role is None:
        raise _wrong("the source of a step is system, user or agent", f"{path}.source")
    extra = _read_extra(step, path, _STEP, log.skipped)
    if role == "system" and extra.get("role") == "developer":
        role = "developer"
    if extra.get("compaction") is True and log.messages:
        log.compactions.append(len(log.messages))
    name = extra.get("name")
    blocks: list[ContentBlock] = []
    if isinstance(thought := step.get("reasoning_content"), str) and thought:
        blocks.append(ThinkingBlock(thought))
    blocks += _content(step.get("message"), f"{path}.message", log.skipped)
    calls = _calls(step, path, log.skipped)
    blocks += calls
    made = [Msg(name if isinstance(name, str) else "", blocks, role)] if blocks else []
    made += _read_observations(step, {call.id: call.name for call in calls}, path, log.skipped)
    time, model = step.get("timestamp"), step.get("model_name")
    for message in made:
        message.timestamp = time if isinstance(time, str) else None
        if step.get("is_copied_context"):
            message.metadata["is_copied_context"] = True
        if isinstance(model, str) and model and message.role == "assistant":
            message.metadata["model"] = log.model = model
    log.messages += made


def _read_extra(
    value: JsonObject, path: str, known: tuple[str, ...], skipped: list[Skipped]
) -> JsonObject:
    """Return `extra` if it is ours; another's is noted, as all fields are that are not read."""
    extra = value.get("extra")
    if isinstance(extra, dict) and extra.keys() <= _EXTRA:
        skipped += skipped_fields(path, value, (*known, "extra"))
        return extra
    skipped += skipped_fields(path, value, known)
    return {}


def _calls(step: JsonObject, path: str, skipped: list[Skipped]) -> list[ToolUseBlock]:
    """Return the calls of a step. Raises ReadError for one without an id or a name."""
    calls = []
    for i, call in enumerate(_list(step, "tool_calls", path)):
        place = f"{path}.tool_calls[{i}]"
        skipped += skipped_fields(place, call, _CALL)
        id, name = text_at(call, "tool_call_id", place), text_at(call, "function_name", place)
        calls.append(ToolUseBlock(id, name, call.get("arguments") or {}))
    return calls


def _read_observations(
    step: JsonObject, names: dict[str, str], path: str, skipped: list[Skipped]
) -> list[Msg]:
    """Read results of calls, and observations without a call, which come from the environment."""
    found = objects(step.get("observation"), f"{path}.observation", skipped, ("results",))
    if len(found) != 1:
        return []
    [observation] = found
    results: list[ContentBlock] = []
    others: list[ContentBlock] = []
    for i, result in enumerate(_list(observation, "results", f"{path}.observation")):
        place = f"{path}.observation.results[{i}].content"
        extra = _read_extra(result, place.removesuffix(".content"), _RESULT, skipped)
        content = result.get("content")
        id = result.get("source_call_id")
        if isinstance(id, str):
            said = content if isinstance(content, str) else _content(content, place, skipped)
            failed = extra.get("is_error") is True
            results.append(ToolResultBlock(id, names.get(id, ""), said, is_error=failed))
        else:
            others += _content(content, place, skipped)
    pairs = ((results, "tool"), (others, "user"))
    return [Msg("", blocks, role) for blocks, role in pairs if blocks]


def _content(value: Json, path: str, skipped: list[Skipped]) -> list[ContentBlock]:
    """Read a text, or parts of text, image and audio."""
    if value is None or isinstance(value, str):
        return [TextBlock(value)] if value else []
    if not isinstance(value, list):
        raise _wrong("a message is a text or a list of parts", path)
    return [_part(part, f"{path}[{i}]", skipped) for i, part in enumerate(value)]


def _part(part: Json, path: str, skipped: list[Skipped]) -> ContentBlock:
    kind = part.get("type") if isinstance(part, dict) else None
    skipped += skipped_fields(path, part, _PART)
    if kind == "text":
        return TextBlock(str(part.get("text") or ""))
    source = part.get("source") if kind in ("image", "audio") else None
    if not isinstance(source, dict) or not isinstance(source.get("path"), str):
        raise _wrong("a part is a text, or an image or audio with the path of its source", path)
    skipped += skipped_fields(f"{path}.source", source, _SOURCE)
    media = _source(source["path"], source.get("media_type"))
    return ImageBlock(media) if kind == "image" else AudioBlock(media)


def _source(path: str, media_type: str | None) -> Source:
    """Read where a medium is: at a URL, in it, or in a file beside the trajectory."""
    if path.startswith("data:") and ";base64," in path:
        found, _, data = path.removeprefix("data:").partition(";base64,")
        return Base64Source(media_type or found, data, path)
    if "://" in path:
        return URLSource(path, media_type, read=True)
    return LocalSource(path, media_type, read=True)
