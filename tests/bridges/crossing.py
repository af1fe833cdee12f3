"""The bridges as tests see them: each with what its library cannot hold, as a function.

Knows no library: what a bridge needs is imported by its own test.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from dragoman import Msg
from dragoman.bridges import (
    ai_sdk,
    google_adk,
    langchain,
    openai_agents,
    otel_genai,
    pydantic_ai,
)
from dragoman.message import CacheHint, TextBlock, ToolResultBlock, URLSource

from .conversations import split_results
from .law import Bridge

__all__ = ["BRIDGES"]


def _langchain_calls(messages: Sequence[Any]) -> list[tuple[str, Any]]:
    calls = [call for message in messages for call in getattr(message, "tool_calls", ())]
    return [(call["name"], call["args"]) for call in calls]


def _held_by_pydantic(messages: list[Msg]) -> list[Msg]:
    """Each result alone, with its tool's name; each system text alone; texts of a result joined."""
    found: list[Msg] = []
    names: dict[str, str] = {}
    for msg in split_results(messages):
        names |= {call.id: call.name for call in msg.calls}
        if msg.role == "system" and not isinstance(msg.content, str):
            texts = [
                Msg.system(block.text) for block in msg.content if isinstance(block, TextBlock)
            ]
            found += texts
            continue
        for block in msg.blocks:
            if isinstance(block, ToolResultBlock):
                block.name = block.name or names.get(block.id, "")
                if isinstance(block.output, list) and all(o.type == "text" for o in block.output):
                    block.output = "\n\n".join(o.text for o in block.output)  # type: ignore[union-attr]
            if getattr(block, "cache", None) == CacheHint("5m"):
                block.cache = CacheHint()  # type: ignore[union-attr]
        found.append(msg)
    return found


def _pydantic_calls(messages: Sequence[Any]) -> list[tuple[str, Any]]:
    calls = [part for one in messages for part in one.parts if part.part_kind == "tool-call"]
    found = [(call.tool_name, call.args_as_dict()) for call in calls]
    return [(name, args) for name, args in found if args.keys() != {"INVALID_JSON"}]


def _held_by_agents(messages: list[Msg]) -> list[Msg]:
    """Neighbours of the assistant joined, and results likewise; no names on results."""
    found: list[Msg] = []
    for msg in split_results(messages):
        if not isinstance(msg.content, str):
            for block in msg.content:
                if isinstance(block, ToolResultBlock):
                    block.name = ""
                    if not isinstance(block.output, (str, list)):
                        block.output = "" if block.output is None else json.dumps(block.output)
                own = (block.extras or {}).get("openai-responses")
                if own is not None:
                    keys = {"annotations": [], "logprobs": [], "status": "completed", "content": []}
                    left = {k: v for k, v in own.items() if k not in keys or keys[k] != v}
                    others = {
                        k: v for k, v in (block.extras or {}).items() if k != "openai-responses"
                    }
                    block.extras = {
                        **others,
                        **({"openai-responses": left} if left else {}),
                    } or None
        if found and msg.role == found[-1].role and msg.role in ("assistant", "tool"):
            found[-1].content = [*found[-1].blocks, *msg.blocks]
        else:
            found.append(msg)
    return found


def _agents_calls(items: Sequence[Any]) -> list[tuple[str, Any]]:
    calls = [one for one in items if one.get("type") == "function_call"]
    whole = [one for one in calls if one.get("status") != "incomplete"]
    found = []
    for call in whole:
        try:
            arguments = json.loads(call["arguments"] or "{}")  # as the SDK reads them
        except ValueError:
            continue
        if isinstance(arguments, dict):
            found.append((call["name"], arguments))
    return found


def _held_by_ai_sdk(messages: list[Msg]) -> list[Msg]:
    """Results apart from the rest, with their tools' names; each system text alone."""
    found: list[Msg] = []
    names: dict[str, str] = {}
    for msg in messages:
        names |= {call.id: call.name for call in msg.calls}
        for one in split_results([msg]):
            for block in one.blocks:
                if isinstance(block, ToolResultBlock):
                    block.name = block.name or names.get(block.id, "")
                elif isinstance(source := getattr(block, "source", None), URLSource):
                    source.media_type = (
                        None if "/" not in (source.media_type or "") else source.media_type
                    )
            if one.role == "system" and not isinstance(one.content, str):
                found += [replace_content(one, [block]) for block in one.content]
            elif one.role == "tool" and found and found[-1].role == "tool" and one is not msg:
                found[-1].content = [*found[-1].blocks, *one.blocks]
            else:
                found.append(one)
    return found


def replace_content(msg: Msg, content: Any) -> Msg:
    """The message with another content."""
    return Msg.create_unchecked(msg.name, content, msg.role, like=msg)


def _held_by_adk(messages: list[Msg]) -> list[Msg]:
    """Results with their tools' names, their texts joined, and in messages of their own role."""
    names: dict[str, str] = {}
    for msg in messages:
        names |= {call.id: call.name for call in msg.calls}
        results = [block for block in msg.blocks if isinstance(block, ToolResultBlock)]
        for block in results:
            block.name = block.name or names.get(block.id, "")
            if isinstance(block.output, list):
                texts = [one.text for one in block.output if isinstance(one, TextBlock)]
                media = [one for one in block.output if not isinstance(one, TextBlock)]
                text = "\n\n".join(texts)
                block.output = [TextBlock(text), *media] if media else text
            elif type(block.output) is dict and block.is_error:
                block.output = json.dumps(block.output)
            block.output = "" if block.output is None else block.output
        if results and len(results) == len(msg.blocks):
            msg.role = "tool"
        elif msg.role == "tool":
            msg.role = "user"
    return messages


def _adk_calls(messages: Sequence[Any]) -> list[tuple[str, Any]]:
    calls = [part.function_call for one in messages for part in one.parts]
    found = [(call.name, call.args or {}) for call in calls if call is not None]
    return [(name, args) for name, args in found if args.keys() != {"input", "error"}]


def _ai_sdk_calls(messages: Sequence[Any]) -> list[tuple[str, Any]]:
    parts = [part for one in messages for part in one["content"] if isinstance(part, dict)]
    calls = [part for part in parts if part["type"] == "tool-call"]
    return [(one["toolName"], one["input"]) for one in calls if isinstance(one["input"], dict)]


def _held_by_otel(messages: list[Msg]) -> list[Msg]:
    """Results with their tools' names; one text alone."""
    names: dict[str, str] = {}
    for msg in messages:
        names |= {call.id: call.name for call in msg.calls}
        for block in msg.blocks:
            if isinstance(block, ToolResultBlock):
                block.name = names.get(block.id, "")
        if not isinstance(msg.content, str):
            texts = [block.text for block in msg.content if isinstance(block, TextBlock)]
            if len(msg.content) == len(texts) == 1:
                msg.content = "".join(texts)
    return messages


def _otel_calls(messages: Sequence[Any]) -> list[tuple[str, Any]]:
    parts = [part for one in messages for part in one["parts"] if part["type"] == "tool_call"]
    whole = [part for part in parts if not part.get("unfinished")]
    return [(one["name"], one["arguments"]) for one in whole if isinstance(one["arguments"], dict)]


def _langchain_json(messages: list[Any]) -> Any:
    from langchain_core.messages import messages_to_dict

    return messages_to_dict(messages)


def _pydantic_json(messages: list[Any]) -> Any:
    from pydantic_ai.messages import ModelMessagesTypeAdapter

    return ModelMessagesTypeAdapter.dump_python(messages, mode="json")


def _adk_json(messages: list[Any]) -> Any:
    return [json.loads(one.model_dump_json(exclude_none=True)) for one in messages]


BRIDGES = [
    Bridge(
        "langchain",
        langchain.read_messages,
        langchain.write_messages,
        langchain.LIMITS,
        split_results,
        _langchain_calls,
        dump=_langchain_json,
    ),
    Bridge(
        "pydantic_ai",
        pydantic_ai.read_messages,
        pydantic_ai.write_messages,
        pydantic_ai.LIMITS,
        _held_by_pydantic,
        _pydantic_calls,
        dump=_pydantic_json,
    ),
    Bridge(
        "openai_agents",
        openai_agents.read_messages,
        openai_agents.write_messages,
        openai_agents.LIMITS,
        _held_by_agents,
        _agents_calls,
    ),
    Bridge(
        "ai_sdk",
        ai_sdk.read_messages,
        ai_sdk.write_messages,
        ai_sdk.LIMITS,
        _held_by_ai_sdk,
        _ai_sdk_calls,
    ),
    Bridge(
        "google_adk",
        google_adk.read_messages,
        google_adk.write_messages,
        google_adk.LIMITS,
        _held_by_adk,
        _adk_calls,
        wraps=True,
        least=0.3,
        dump=_adk_json,
    ),
    Bridge(
        "otel_genai",
        otel_genai.read_messages,
        otel_genai.write_messages,
        otel_genai.LIMITS,
        _held_by_otel,
        _otel_calls,
        least=0.6,
    ),
]
