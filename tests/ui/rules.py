"""What libraries of pages let pass, and no stream of ours may do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["ag_ui_faults", "ai_sdk_faults"]

Chunk = Mapping[str, Any]


def ag_ui_faults(events: Iterable[Chunk], known: Iterable[str] = ()) -> list[str]:
    """What AG-UI's verifier passes: two open messages, calls within a text, results of no call."""
    found: list[str] = []
    texts: list[str] = []
    calls = {*known}
    runs = set()
    for event in events:
        kind = event["type"]
        runs |= {(event["threadId"], event["runId"])} if "runId" in event else set()
        if None in event.values():
            found.append(f"{kind} has null")
        if event.get("delta") == "":
            found.append(f"{kind} is empty")
        if kind in ("TEXT_MESSAGE_START", "REASONING_MESSAGE_START"):
            found += [f"{kind} while {texts[-1]} is open"] if texts else []
            texts.append(event["messageId"])
        elif kind in ("TEXT_MESSAGE_END", "REASONING_MESSAGE_END"):
            texts.remove(event["messageId"])
        elif kind == "TOOL_CALL_START":
            found += [f"{kind} while {texts[-1]} is open"] if texts else []
            calls.add(event["toolCallId"])
        elif kind == "TOOL_CALL_RESULT" and event["toolCallId"] not in calls:
            found.append("the result of no call")
        elif kind.startswith("THINKING"):
            found.append(kind)
    if len(runs) != 1:
        found.append(f"{len(runs)} runs")
    return found


def ai_sdk_faults(chunks: Iterable[Chunk], known: Iterable[str] = ()) -> list[str]:
    """What the AI SDK's reader passes: open texts at the end of a step, two starts, no output."""
    found: list[str] = []
    is_open: set[tuple[str, str]] = set()
    in_step = False
    kinds = []
    for chunk in chunks:
        kind = chunk["type"]
        kinds.append(kind)
        what, _, part = kind.rpartition("-")
        if any(value is None for name, value in chunk.items() if name not in ("input", "output")):
            found.append(f"{kind} has null")
        if kind in ("start-step", "finish-step"):
            found += [f"{kind} out of turn"] if in_step is (kind == "start-step") else []
            found += [f"{kind} with an open text"] if is_open else []
            in_step = kind == "start-step"
        elif what in ("text", "reasoning"):
            found += [] if in_step else [f"{kind} outside of a step"]
            if part == "start":
                is_open.add((what, chunk["id"]))
            elif (what, chunk["id"]) not in is_open:
                found.append(f"{kind} of none")
            if part == "end":
                is_open.discard((what, chunk["id"]))
        elif kind.startswith("tool-input") and kind != "tool-input-delta":
            found += [] if chunk.get("dynamic") is True else [f"{kind} is not dynamic"]
        elif kind == "tool-output-available" and "output" not in chunk:
            found.append("no output")
    if kinds[:1] != ["start"] or kinds.count("start") != 1:
        found.append("not one start")
    if {"error", "abort"} & {*kinds} and kinds[-1] not in ("error", "abort"):
        found.append("something follows the break")
    return found
