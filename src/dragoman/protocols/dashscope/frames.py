"""The events of a stream: what a message adds, or everything that it says so far.

`{"output": {"choices": [...]}, "usage", "request_id"}`; the reason is the text "null" until the
end. Reference: Model Studio, "Qwen API via DashScope", incremental_output; recorded streams.
"""

from __future__ import annotations

from typing import Any

from ...jsontext import Json, JsonObject

__all__ = ["Choice", "Frames"]


class Choice:
    """One choice of the stream: its message so far, and what stands beside the message."""

    __slots__ = ("beside", "empty", "index", "last", "message", "proven")

    def __init__(self, index: int, listed: bool) -> None:
        self.index = index
        self.empty: Any = [] if listed else ""
        self.message: JsonObject = {}
        self.beside: JsonObject = {}
        self.last: dict[str, str] = {}  # of each text, what the event before said
        self.proven = False  # nobody can take the events for snapshots any more

    def doubtful(self, message: JsonObject) -> bool:
        """Whether the event could be a snapshot, since it begins as the one before did."""
        doubt = False
        for key in ("reasoning_content", "content"):
            if key in message:
                said, before = _text(message[key]), self.last.get(key, "")
                if before and not said.startswith(before):
                    self.proven = True
                doubt = doubt or bool(before and said)
                self.last[key] = said
        return doubt and not self.proven

    def settle(self) -> JsonObject:
        """A message that says nothing, where a snapshot would repeat: so events are pieces."""
        self.proven = True
        return {key: "" if key != "content" else self.empty for key in ("content", *self.last)}

    def grown(self, message: JsonObject) -> JsonObject:
        """Everything that the message says by now."""
        for key, value in message.items():
            self.message[key] = _sum(key, self.message.get(key), value)
        return {key: _copy(value) for key, value in self.message.items()}


def _text(value: Any) -> str:
    if isinstance(value, list):
        return "".join(part.get("text") or "" for part in value if isinstance(part, dict))
    return value if isinstance(value, str) else ""


def _copy(value: Any) -> Any:
    return [dict(one) if isinstance(one, dict) else one for one in value] if isinstance(
        value, list) else value  # fmt: skip


def _sum(key: str, said: Any, new: Any) -> Any:
    if key == "tool_calls":
        return _calls(said or [], new)
    if isinstance(said, list) and isinstance(new, list):
        made = [*said]
        for part in new:
            if made and made[-1].keys() == {"text"} == part.keys():
                made[-1] = {"text": f"{made[-1]['text']}{part['text']}"}
            else:
                made.append(part)
        return made
    if isinstance(said, str) and isinstance(new, str) and key != "role":
        return said + new
    return new or said


def _calls(said: list[Any], new: list[Any]) -> list[Any]:
    made = [*said]
    for call in new:
        at = call.get("index", len(made) - 1 if not call.get("id") else len(made))
        if not 0 <= at < len(made):
            made.append(call)
            continue
        old, function = made[at], call.get("function", {})
        text = old["function"].get("arguments", "") + function.get("arguments", "")
        made[at] = {**old, "function": {**old["function"], "arguments": text}}
    return made


class Frames:
    """Builds events; what has no choice of its own waits for the next of them."""

    __slots__ = ("body", "id", "output", "snapshots")

    def __init__(self, snapshots: bool, id: str) -> None:
        self.snapshots = snapshots
        self.id = id
        self.output: JsonObject = {}
        self.body: JsonObject = {}

    def of(self, choice: Choice, message: JsonObject, finish: str = "null") -> list[JsonObject]:
        """The event that adds the message, behind one that shows that it does add, if need be."""
        made: list[JsonObject] = []
        if self.snapshots:
            message = choice.grown(message)
        elif choice.doubtful(message):
            made.append(self._said(choice, choice.settle(), "null"))
        return [*made, self._said(choice, message, finish)]

    def text(self, text: str, finish: str = "null") -> JsonObject:
        """An event of an answer without choices."""
        return self.alone({"text": text, "finish_reason": finish})

    def alone(self, output: JsonObject) -> JsonObject:
        """An event with this output and what waited."""
        made: JsonObject = {**self.body, "output": {**output, **self.output}}
        if self.id:
            made["request_id"] = self.id
        self.output, self.body = {}, {}
        return made

    def _said(self, choice: Choice, message: JsonObject, finish: Json) -> JsonObject:
        said = {"role": "assistant", "content": choice.empty, **message}
        told = {"message": said, "finish_reason": finish, **choice.beside}
        return self.alone({"choices": [told]})
