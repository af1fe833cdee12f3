"""Our messages to LangChain's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...losses import PolicyLike, Report
from ...message import Msg, Usage
from ...message.blocks import Extras
from ...protocols.anthropic.blocks import cache_control
from ...text.json_text import JsonObject, arguments
from ..results import (
    NOTED,
    AnswerNotes,
    Bridged,
    Said,
    as_msg,
    author_to_note,
    finish_bridge,
    load_package,
    lose_extras,
    read_notes,
    say_runs,
    take_said,
    text_or_none,
)
from .blocks import StandardWriter
from .names import (
    GEMINI_SIGNATURES,
    LANGCHAIN,
    LISTS_CALLS,
    OURS,
    PACKAGE,
    ROLE_FIELD,
    find_issuer,
    find_provider,
)

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage


def write_messages(
    messages: Iterable[Said] | Said, *, policy: PolicyLike = "log"
) -> Bridged[BaseMessage]:
    """Write messages as LangChain's.

    >>> written = write_messages([Msg.user("Where is Paris?")])
    >>> written.messages[0].type, written.messages[0].text
    ('human', 'Where is Paris?')

    Args:
        messages: Messages, and answers of a model with their usage and finish.
        policy: What to do about losses.

    Returns:
        `HumanMessage`, `AIMessage`, `SystemMessage` and `ToolMessage`, and the losses.

    Raises:
        NotMessages: Something is neither a message nor an answer.
        ConfigError: `langchain-core` is not installed.
        LossRefused: The policy refuses a loss.
    """
    core = load_package("langchain_core.messages", PACKAGE)
    said, report = take_said(messages, LANGCHAIN)
    written = [message for one in said for message in _write(core, one, report)]
    return finish_bridge(written, report, policy)


def _write(core: Any, said: Said, report: Report) -> list[Any]:
    msg: Msg = as_msg(said)
    written: list[Any] = []
    is_text = isinstance(msg.content, str)
    runs: list[tuple[str, Any]] = [("blocks", msg.content)] if is_text else [*say_runs(msg)]
    for kind, blocks in runs:
        if kind == "result":
            message = _write_result(core, msg, blocks[0], report)
        elif msg.role == "assistant":
            message = _write_answer(core, said, blocks, report)
        else:
            message = _write_plain(core, msg, blocks, report)
        written.append(message)
    written[0].id = text_or_none(msg._id)
    noted = _note(msg)
    if noted:
        written[0].additional_kwargs[OURS] = noted
    return written


def _note(msg: Msg) -> JsonObject:
    """Return what a message of LangChain has no field for."""
    metadata = msg._metadata or {}
    ours = (*NOTED, LANGCHAIN, "artifact")
    extras: Extras = msg.extras or {}
    author = msg.origin.issuer if msg.origin is not None else ""
    found = {
        "metadata": {key: value for key, value in metadata.items() if key not in ours},
        "timestamp": msg.timestamp,
        "extras": extras,
        "issuer": author_to_note(msg, find_issuer(find_provider(author))),
    }
    return {key: value for key, value in found.items() if value}


def _kept(msg: Msg) -> JsonObject:
    """Return the fields that LangChain's own message had when it was read."""
    found = (msg._metadata or {}).get(LANGCHAIN)
    return dict(found) if isinstance(found, Mapping) else {}


def _write_plain(core: Any, msg: Msg, blocks: Any, report: Report) -> Any:
    """Write a message of the user or a system prompt."""
    kept = _kept(msg)
    common: dict[str, Any] = {
        "name": msg.name or None,
        "additional_kwargs": dict(kept.get("additional_kwargs") or {}),
        "response_metadata": dict(kept.get("response_metadata") or {}),
    }
    content: Any = blocks if isinstance(blocks, str) else StandardWriter(report).write(blocks)
    content = _with_hint(msg, content, report)
    if kept.get("type") == "chat" and isinstance(kept.get("role"), str):
        return core.ChatMessage(content=content, role=kept["role"], **common)
    if msg.role in ("system", "developer"):
        if msg.role == "developer":
            common["additional_kwargs"][ROLE_FIELD] = "developer"
        return core.SystemMessage(content=content, **common)
    return core.HumanMessage(content=content, **common)


def _with_hint(msg: Msg, content: Any, report: Report) -> Any:
    """Return the content with the cache hint of the message, which is that of its last block."""
    if msg.cache is None:
        return content
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    if not parts or parts[-1].get("type") not in ("text", "image", "file"):
        report.add_loss("cache.unsupported", msg, "cache")
        return content
    return [*parts[:-1], {**parts[-1], "cache_control": cache_control(msg.cache)}]


def _write_result(core: Any, msg: Msg, block: Any, report: Report) -> Any:
    kept, output = _kept(msg), block.output
    artifact = (msg._metadata or {}).get("artifact")
    content: Any = "" if output is None else output
    if isinstance(output, list):
        content = StandardWriter(report).write(output)
    elif isinstance(output, dict):
        # LangChain would make Python's spelling of an object; its JSON is what models are sent
        content, artifact = arguments(output), output if artifact is None else artifact
    if block.cache is not None:
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if parts and parts[-1].get("type") == "text":
            hint = cache_control(block.cache)
            content = [*parts[:-1], {**parts[-1], "cache_control": hint}]
        else:
            report.add_loss("cache.unsupported", block, "cache")
    lose_extras(report, block, block.extras)
    common: dict[str, Any] = {
        "additional_kwargs": dict(kept.get("additional_kwargs") or {}),
        "response_metadata": dict(kept.get("response_metadata") or {}),
    }
    if kept.get("type") == "function":
        return core.FunctionMessage(content=content, name=block.name, **common)
    return core.ToolMessage(
        content=content,
        tool_call_id=block.id,
        name=block.name or None,
        status="error" if block.is_error else "success",
        artifact=artifact,
        **common,
    )


def _write_answer(core: Any, said: Said, blocks: Any, report: Report) -> Any:
    msg: Msg = as_msg(said)
    kept, notes = _kept(msg), read_notes(said)
    issuer, provider = _writer(msg, kept)
    metadata: JsonObject = {**(kept.get("response_metadata") or {})}
    kwargs: JsonObject = {**(kept.get("additional_kwargs") or {})}
    author = msg.origin.issuer if msg.origin is not None else ""
    writer = StandardWriter(report, issuer, author)
    content: Any = blocks if isinstance(blocks, str) else writer.write(blocks)
    made = [] if isinstance(content, str) else _list_calls(content)
    is_listed = bool(made) and provider in LISTS_CALLS and not kept
    if not isinstance(content, str) and not is_listed and (text := _as_text(content)) is not None:
        content = text
    content = _with_hint(msg, content, report)
    is_v1 = isinstance(content, list)
    metadata.pop("output_version", None)
    if is_v1:
        metadata["output_version"] = "v1"
    for key in ("tool_calls", "function_call", GEMINI_SIGNATURES):
        kwargs.pop(key, None)
    if provider and not kept:
        metadata["model_provider"] = provider
    elif provider and is_v1:
        metadata.setdefault("model_provider", provider)
    if not kept.get("response_metadata"):
        _describe(notes, provider, metadata)
    return core.AIMessage(
        content=content,
        name=msg.name or None,
        tool_calls=[one for one in made if one["type"] == "tool_call"],
        invalid_tool_calls=[one for one in made if one["type"] != "tool_call"],
        usage_metadata=kept.get("usage_metadata") or _usage(notes.usage),
        additional_kwargs=kwargs,
        response_metadata=metadata,
    )


_CALL_KEYS = ("type", "name", "args", "id", "error")


def _list_calls(content: Sequence[JsonObject]) -> list[JsonObject]:
    """Return the calls as they stand beside the content: LangChain runs these, not the blocks."""
    calls = [one for one in content if one.get("type") in ("tool_call", "invalid_tool_call")]
    return [{key: one[key] for key in _CALL_KEYS if key in one} for one in calls]


def _as_text(content: Sequence[JsonObject]) -> str | None:
    """Return the text that says all together with lists of calls; None if it says less."""
    has_text = bool(content) and content[0].keys() == {"type", "text"}
    calls = content[1:] if has_text else content
    text = str(content[0]["text"]) if has_text else ""
    kinds = [str(one.get("type")) for one in calls]
    # LangChain lists calls that cannot be run behind the others
    if not content or not {*kinds} <= {"tool_call", "invalid_tool_call"}:
        return None
    if kinds != sorted(kinds, reverse=True) or any(one.keys() - {*_CALL_KEYS} for one in calls):
        return None
    return None if has_text and calls and not text else text


def _writer(msg: Msg, kept: JsonObject) -> tuple[str, str]:
    """Return the issuer and the provider of an answer; empty if nothing says whose it is."""
    metadata = kept.get("response_metadata")
    named = metadata.get("model_provider") if isinstance(metadata, Mapping) else None
    if isinstance(named, str) and named:
        return find_issuer(named), named
    issuer = msg.origin.issuer if msg.origin is not None else ""
    for block in msg.blocks:
        if not issuer and block.origin is not None:
            issuer = block.origin.issuer
    provider = find_provider(issuer)
    return (find_issuer(provider) if provider else ""), provider


def _describe(notes: AnswerNotes, provider: str, metadata: JsonObject) -> None:
    """Add model, id and finish under the names that LangChain's packages give them."""
    if notes.model:
        metadata["model_name"] = notes.model
    if notes.id:
        metadata["id"] = notes.id
    if notes.finish is not None and notes.finish.raw:
        key = "stop_reason" if provider == "anthropic" else "finish_reason"
        metadata[key] = notes.finish.raw


def _usage(usage: Usage | None) -> JsonObject | None:
    """Write the counts as LangChain has them: those of the input include what was cached."""
    if usage is None:
        return None
    parts = (usage.input, usage.cache_read, usage.cache_write)
    inputs = {"cache_read": usage.cache_read, "cache_creation": usage.cache_write}
    inputs["audio"] = usage.audio_in
    outputs = {"reasoning": usage.reasoning, "audio": usage.audio_out}
    total_in, total_out = sum(one or 0 for one in parts), usage.output or 0
    data: dict[str, Any] = {"input_tokens": total_in, "output_tokens": total_out}
    data["total_tokens"] = usage.total if usage.total is not None else total_in + total_out
    for key, details in (("input_token_details", inputs), ("output_token_details", outputs)):
        if found := {name: value for name, value in details.items() if value is not None}:
            data[key] = found
    return data
