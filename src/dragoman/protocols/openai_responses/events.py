"""The events of one item: its announcement, its texts as they grow, its end.

Reference: OpenAI API, "Streaming events". Clients find an item by `output_index`, its parts by
`content_index`, and want an item to keep the id that it was announced with.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from ...jsontext import Json, JsonObject

__all__ = ["Event", "Events", "Line"]

Event: TypeAlias = tuple[str | None, Json]


class Events:
    """Counts the events of one answer."""

    def __init__(self) -> None:
        self._count = 0

    def say(self, kind: str, **fields: Any) -> Event:
        """One event, with its number."""
        made = {"type": kind, "sequence_number": self._count, **fields}
        self._count += 1
        return kind, made


class Line:
    """One item of the output while it grows; `raw`: thoughts are text of their own."""

    def __init__(self, events: Events, index: int, id: str | None, raw: bool) -> None:
        self.index = index
        self.id = id
        self._events = events
        self._raw = raw
        self._at: dict[int, int] = {}  # the part of a block -> its place in the content
        self._notes: dict[int, int] = {}

    def _item(self, kind: str, **fields: Any) -> Event:
        return self._events.say(kind, output_index=self.index, **fields)

    def _part(self, kind: str, **fields: Any) -> Event:
        return self._item(kind, item_id=self.id or "", **fields)

    def added(self, item: JsonObject) -> list[Event]:
        """The item begins."""
        named = {"id": self.id} if self.id is not None else {}
        return [self._item("response.output_item.added", item={**item, **named})]

    def done(self, item: Json) -> list[Event]:
        """The item is whole."""
        return [self._item("response.output_item.done", item=item)]

    def text(self, part: int, refusal: bool, delta: str, logprobs: Json = ()) -> list[Event]:
        """A piece of a text; its part begins with it."""
        made: list[Event] = []
        if part not in self._at:
            self._at[part] = len(self._at)
            empty: JsonObject = {"type": "output_text", "text": "", "annotations": [],
                                 "logprobs": []}  # fmt: skip
            empty = {"type": "refusal", "refusal": ""} if refusal else empty
            made.append(self._part("response.content_part.added",
                                   content_index=self._at[part], part=empty))  # fmt: skip
        at = self._at[part]
        if refusal and delta:
            made.append(self._part("response.refusal.delta", content_index=at, delta=delta))
        elif delta or logprobs:
            made.append(self._part("response.output_text.delta", content_index=at, delta=delta,
                                   logprobs=list(logprobs)))  # fmt: skip
        return made

    def note(self, part: int, annotation: JsonObject) -> Event:
        """One more annotation of a text."""
        nth = self._notes.get(part, 0)
        self._notes[part] = nth + 1
        return self._part("response.output_text.annotation.added", content_index=self._at[part],
                          annotation_index=nth, annotation=annotation)  # fmt: skip

    def said(self, part: int, told: Json) -> list[Event]:
        """A part of a message is whole."""
        at = self._at[part]
        made: list[Event] = []
        if told.get("type") == "refusal":
            refusal = told["refusal"]
            made.append(self._part("response.refusal.done", content_index=at, refusal=refusal))
        else:
            chances = told.get("logprobs")
            made.append(self._part("response.output_text.done", content_index=at,
                                   text=told["text"], logprobs=chances or []))  # fmt: skip
        return [*made, self._part("response.content_part.done", content_index=at, part=told)]

    def thought(self, delta: str) -> list[Event]:
        """A piece of the thinking."""
        made: list[Event] = []
        if not self._at:
            self._at[0] = 0
            made.append(self._thinking("added", ""))
        if delta:
            name = "reasoning_text" if self._raw else "reasoning_summary_text"
            made.append(self._part(f"response.{name}.delta", **self._place(), delta=delta))
        return made

    def thought_whole(self, text: str) -> list[Event]:
        """All of the thinking, if any was told."""
        if not self._at:
            return []
        name = "reasoning_text" if self._raw else "reasoning_summary_text"
        done = self._part(f"response.{name}.done", **self._place(), text=text)
        return [done, self._thinking("done", text)]

    def _thinking(self, what: str, text: str) -> Event:
        kind = "reasoning_text" if self._raw else "summary_text"
        name = "content_part" if self._raw else "reasoning_summary_part"
        part = {"type": kind, "text": text}
        return self._part(f"response.{name}.{what}", **self._place(), part=part)

    def _place(self) -> dict[str, int]:
        return {"content_index" if self._raw else "summary_index": 0}

    def arguments(self, delta: str) -> list[Event]:
        """A piece of a call's arguments."""
        if not delta:
            return []
        return [self._part("response.function_call_arguments.delta", delta=delta)]

    def called(self, name: str, arguments: str) -> list[Event]:
        """All of a call's arguments."""
        kind = "response.function_call_arguments.done"
        return [self._part(kind, arguments=arguments, name=name)]
