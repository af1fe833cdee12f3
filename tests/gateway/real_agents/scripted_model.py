"""A model that follows a script: it knows no agent, and finds tools by what they do.

A step names what is to be done (read, edit, run, look); which tool of the request does that, and
how its arguments are called, is read from the request itself. So one script drives every agent,
over every wire. What an agent asks beside its loop (a title, a route, a summary) is answered in
general words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Literal, TypeAlias

from dragoman.errors import ProviderError
from dragoman.message import ChatRequest, ChatResponse, Tool
from dragoman.message.answer import Candidate, Finish, Usage
from dragoman.message.blocks import Block, TextBlock, ToolUseBlock
from dragoman.message.msg import Msg

__all__ = ["Call", "Model", "Step", "find_tool", "is_side_request"]

Role: TypeAlias = Literal["read", "edit", "run", "look"]
SUMMARY = "Summary of the work: the notes are being edited, step by step; go on with the next one."


@dataclass(frozen=True, slots=True)
class Call:
    """What one tool call is to do, in words that no agent owns."""

    role: Role
    path: str = ""
    old: str = ""
    new: str = ""
    command: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One answer of the model: `calls`, or a `text` that ends the turn; `used` are input tokens."""

    calls: tuple[Call, ...] = ()
    text: str = ""
    thought: str = ""
    used: int = 0


# -- which tool does it ----------------------------------------------------------------------------

_NAMES: dict[Role, tuple[str, ...]] = {
    "read": (r"read(_?file)?$",),
    "edit": (r"(edit|replace)$", r"apply_patch$"),
    "run": (r"(bash|run_shell_command|exec_command|shell)$",),
    "look": (r"view_image$", r"read(_?file)?$"),
}
_SCRIPT = "await tools.exec_command("  # what the tool of an agent that runs scripts says of itself


def find_tool(tools: Sequence[Any], role: Role) -> Tool | None:
    """The tool that plays the role, by the end of its name."""
    for pattern in _NAMES[role]:
        for tool in tools:
            if isinstance(tool, Tool) and re.search(pattern, tool.name, re.IGNORECASE):
                return tool
    scripts = (tool for tool in tools if isinstance(tool, Tool) and _SCRIPT in tool.description)
    return next(scripts, None)


def _arguments(tool: Tool, call: Call) -> Any:
    """The input for the tool: its own names for what the call says."""
    if _SCRIPT in tool.description:
        return _text_input(tool, _script(call))
    if re.search("apply_patch$", tool.name):
        return _text_input(tool, _patch(call))
    said = {
        "filepath": call.path, "path": call.path, "absolutepath": call.path,
        "oldstring": call.old, "newstring": call.new, "oldtext": call.old, "newtext": call.new,
        "command": call.command,
        "cmd": call.command, "instruction": "Make the change.", "description": "Do the next step",
    }  # fmt: skip
    schema = tool.parameters if isinstance(tool.parameters, dict) else {}
    return _filled(schema, said)


def _filled(schema: dict[str, Any], said: dict[str, str]) -> dict[str, Any]:
    """What the schema has names for; an array, such as one of edits, gets one item."""
    found: dict[str, Any] = {}
    for name, inner in schema.get("properties", {}).items():
        value: Any = said.get(name.replace("_", "").lower())
        items = inner.get("items") if isinstance(inner, dict) else None
        if value is None and isinstance(items, dict) and (item := _filled(items, said)):
            value = [item]
        if value:
            found[name] = value
    return found


def _patch(call: Call) -> str:
    """A patch in the form that `apply_patch` wants."""
    return (
        f"*** Begin Patch\n*** Update File: {call.path}\n@@\n-{call.old}\n+{call.new}\n"
        "*** End Patch\n"
    )


def _script(call: Call) -> str:
    """JavaScript that calls the tool within, for an agent whose one tool runs scripts."""
    match call.role:
        case "edit":
            return f"text(await tools.apply_patch({json.dumps(_patch(call))}));"
        case "look":
            path = json.dumps({"path": call.path})
            return f"image((await tools.view_image({path})).image_url);"
        case _:
            command = json.dumps({"cmd": call.command or f"cat {call.path}"})
            return f"const r = await tools.exec_command({command});\ntext(r.output ?? r);"


def _text_input(tool: Tool, text: str) -> Any:
    """The text as a freeform tool takes it, or as the one argument of what stands for it."""
    if tool.freeform:
        return text
    properties = tool.parameters.get("properties", {}) if isinstance(tool.parameters, dict) else {}
    return {next(iter(properties), "input"): text}


def _use(request: ChatRequest, call: Call, id: str) -> ToolUseBlock:
    tool = find_tool(request.tools, call.role)
    if tool is None and call.role in ("read", "look"):  # an agent that reads with its shell
        tool, call = find_tool(request.tools, "run"), Call("run", command=f"cat {call.path}")
    if tool is None:
        names = [getattr(tool, "name", tool.type) for tool in request.tools]
        raise LookupError(f"no tool of {names} can {call.role}")
    namespace = tool.namespace.name if tool.namespace is not None else None
    return ToolUseBlock(
        id, tool.name, _arguments(tool, call), freeform=tool.freeform, namespace=namespace
    )


# -- what is asked beside the loop -----------------------------------------------------------------


def is_side_request(request: ChatRequest) -> bool:
    """Whether this is no turn of the loop: no tool can run anything, or a summary is wanted."""
    return find_tool(request.tools, "run") is None or wants_summary(request)


_SUMMARY_WORDS = ("Do NOT call any tools", "CHECKPOINT COMPACTION", "<state_snapshot>")


def is_summed_up(request: ChatRequest) -> bool:
    """Whether the history holds the summary that this model has written."""
    return "Summary of the work" in "".join(message.text for message in request.messages)


def wants_summary(request: ChatRequest) -> bool:
    """Whether the last words ask to sum up: agents do so with the tools still in the request."""
    last = "".join(message.text for message in request.messages[-2:])  # a reminder may stand behind
    return any(words in last for words in _SUMMARY_WORDS)


def _example(schema: Any) -> Any:
    """A value that fits a plain JSON Schema."""
    if not isinstance(schema, dict):
        return "x"
    if schema.get("enum"):
        return schema["enum"][0]
    kind = schema.get("type")
    match kind.lower() if isinstance(kind, str) else kind:
        case "object":
            return {name: _example(one) for name, one in schema.get("properties", {}).items()}
        case "array":
            return []
        case "boolean":
            return False
        case "integer" | "number":
            return 1
        case _:
            return "x"


def _side_answer(request: ChatRequest) -> str:
    form = request.response_format
    if form is not None and form.kind == "schema":
        return json.dumps(_example(form.schema))
    return f"<summary>{SUMMARY}</summary>" if request.messages[1:] else "A title"


# -- the model -------------------------------------------------------------------------------------

# the answer in neutral words, its request, what was thought, and the number of the turn
Voice: TypeAlias = Callable[[ChatResponse, ChatRequest, str, int], ChatResponse]
_MORE = 3  # turns beyond the script after which something runs in a circle


@dataclass(slots=True)
class Model:
    """Follows `steps`, one for each turn of the loop; the last one stands for what follows.

    `voice` says an answer as the host does that it stands for, with its thinking and proofs.
    `turns` are the requests of the loop in order, `side` the others, `calls` the ids of its calls.
    `faults` say what becomes of the answer of a step on its way; `full` are
    errors of a full context, one for a step, which end when the history has been summed up. A loop
    that does not end gets an error of the host's.
    """

    steps: Sequence[Step]
    voice: Voice
    prefix: str = "call"
    faults: dict[int, Callable[[ChatResponse], Any]] = field(default_factory=dict)
    full: dict[int, ProviderError] = field(default_factory=dict)
    refused: int = 0
    turns: list[ChatRequest] = field(default_factory=list)
    side: list[ChatRequest] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    used: int = 100  # tokens of the last request of the loop, as the answer told
    _lock: Lock = field(default_factory=Lock)

    def __call__(self, request: ChatRequest) -> Any:
        """The answer to a request."""
        with self._lock:
            if is_side_request(request):
                self.side.append(request)
                # a summary is asked for with all that filled the context: some agents subtract
                used = self.used if wants_summary(request) else 100
                told = _told([TextBlock(_side_answer(request))], used)
                return self.voice(told, request, "", 0)
            number = len(self.turns)
            if number in self.full and not is_summed_up(request):
                self.refused += 1
                if self.refused > _MORE:
                    return ProviderError("the agent asks the same again", status=400)
                return self.full[number]
            self.turns.append(request)
        if number >= len(self.steps) + _MORE:
            return ProviderError("the script has ended", status=400, type="invalid_request_error")
        step = self.steps[min(number, len(self.steps) - 1)]
        blocks: list[Block] = [TextBlock(step.text)] if step.text else []
        blocks += [
            _use(request, call, f"{self.prefix}_{number:03}_{index}")
            for index, call in enumerate(step.calls)
        ]
        self.calls += [block.id for block in blocks if isinstance(block, ToolUseBlock)]
        used = self.used = step.used or 1_000 + 50 * number
        answer = self.voice(_told(blocks, used), request, step.thought, number)
        fault = self.faults.get(number)
        return fault(answer) if fault is not None else answer


def _told(blocks: list[Block], used: int) -> ChatResponse:
    calls = any(isinstance(block, ToolUseBlock) for block in blocks)
    usage = Usage(input=used, output=20, total=used + 20)
    candidate = Candidate(Msg("", blocks, "assistant"), Finish("tool_calls" if calls else "stop"))
    return ChatResponse([candidate], usage=usage)
