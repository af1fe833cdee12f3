"""Decides which ids of items go back in the `input`.

Where the API keeps answers, it looks an item up by its id, and checks by the ids that reasoning and
the item after it stay together: 400 `Item 'rs_...' of type 'reasoning' was provided without its
required following item`, and the reverse. Without ids it checks nothing. So the ids of one answer
go back all together or not at all. `call_id` is another field, and always goes back. Which hosts
know the ids of which others is said by `reads_items_of` in the dialects of `vendors/`.

Reference: OpenAI API, "Create a model response", `input`.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import Any, TypeAlias

from ...history.passes.survey import RoledHistory
from ...losses import Report
from ...message import Msg
from ...message.blocks import ThinkingBlock
from ...text.json_text import Json, JsonObject
from . import composed_items

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")

# `Expected an ID that begins with 'fc'.` (invalid_id_prefix)
_PREFIXES = {
    "message": "msg",
    "reasoning": "rs",
    "function_call": "fc",
    "function_call_output": "fc",
    "custom_tool_call": "ctc",
    "custom_tool_call_output": "ctc",
}

_ISSUED = ("msg_", "rs_", "fc_", "ctc_")

# the nodes that hold an item's own fields: its block, or the whole message
Nodes: TypeAlias = tuple[Any, ...]


class ItemIds:
    """The ids of the items that a writer produces.

    Args:
        items: The items, which the writer extends.
        history: The messages that are written.
        said: The form of the model's texts; see `Dialect`.
        report: Gets a loss for each id that is dropped.
        stored: Whether the host can look the ids up.
    """

    def __init__(
        self, items: list[Json], history: RoledHistory, said: str, report: Report, stored: bool
    ) -> None:
        self.stored = stored
        self._said = said
        self._full = said == "full"
        self._history = history
        self._items = items
        self._report = report
        self._nodes: dict[int, Nodes] = {}  # index of an item with an id -> the nodes that hold it
        self._used: set[str] = set()
        self.gaps: set[int] = set()  # indexes before which a part of an answer is missing
        self._present: set[int] | None = None  # the thinking that is written

    def check_id(
        self, kind: str, fields: JsonObject, nodes: Nodes, index: int | None = None
    ) -> JsonObject:
        """Return an item's own fields (the next one's, or those at `index`), minus a useless id."""
        id = fields.get("id")
        if not id:
            return {k: fields[k] for k in fields if k != "id"} if "id" in fields else fields
        if self._fits(id, kind):
            self._used.add(id)
            self._nodes[len(self._items) if index is None else index] = nodes
            return fields
        return self.without(kind, fields, nodes)

    def _fits(self, id: Json, kind: str) -> bool:
        if not (isinstance(id, str) and _ID.fullmatch(id)) or id in self._used:
            return False
        if id.startswith(_PREFIXES.get(kind, "")):
            return self._full or self.stored
        # a custom call that became a function call
        return self._full and not id.startswith(_ISSUED)

    def new(self, kind: str) -> str:
        """Return an id for the next item, for a host that requires ids and never looks them up."""
        id = f"{_PREFIXES[kind]}_{len(self._items)}"
        while id in self._used:
            id += "_"
        return id

    def gap(self, m: Msg, first: int) -> None:
        """Note that thinking of this message was left out, if its items from `first` on have ids.

        An item whose reasoning is missing cannot be looked up.
        """
        if not any(index in self._nodes for index in range(first, len(self._items))):
            return
        if self._present is None:
            msgs = self._history.msgs
            blocks = (block for m in msgs for block in m.blocks if type(block) is ThinkingBlock)
            self._present = {id(self._report.source(block)) for block in blocks}
        source = self._report.source(m)
        thoughts = source.blocks if isinstance(source, Msg) else []
        if any(id(block) not in self._present for block in thoughts if block.type == "thinking"):
            self.gaps.add(first)

    def settle(self) -> None:
        """Remove ids from incomplete answers, and reasoning that is useless without its id."""
        if self._full or not self._nodes:
            return
        changes: dict[int, list[JsonObject]] = {}
        for is_output, rows in groupby(range(len(self._items)), self._is_output):
            indexes = [*rows]
            with_id = [index for index in indexes if index in self._nodes]
            if is_output and with_id and not self._complete(indexes[0], indexes[-1] + 1):
                changes.update((index, self._strip_id(index)) for index in with_id)
        items = (changes.get(index, [item]) for index, item in enumerate(self._items))
        self._items[:] = [item for row in items for item in row]

    def _is_output(self, index: int) -> bool:
        """Whether the model produced the item."""
        item = self._items[index]
        kind = item.get("type", "message")
        if kind == "message":
            return item.get("role") not in ("user", "system", "developer")
        return not (isinstance(kind, str) and kind.endswith("_output"))

    def _complete(self, start: int, end: int) -> bool:
        if not self.gaps.isdisjoint(range(start, end + 1)):
            return False
        answer = self._items[start:end]
        if all(item.get("type") != "reasoning" for item in answer):
            return True
        return answer[-1].get("type") != "reasoning" and all("id" in item for item in answer)

    def _strip_id(self, index: int) -> list[JsonObject]:
        """Return the fields of the item without its id."""
        item, nodes = self._items[index], self._nodes[index]
        kind = item["type"]
        if kind == "reasoning" and not item.get("encrypted_content"):
            self._report.add_loss("thinking.unsigned", nodes[0])
            return []
        item = self.without(kind, item, nodes)
        string = self._said == "string"
        return composed_items.without_id(item, string) if kind == "message" else [item]

    def without(self, kind: str, fields: JsonObject, nodes: Nodes) -> JsonObject:
        """Return the own fields without the id, and without the status that requires an id.

        The loss names the first of the nodes that has such a field.
        """
        names = ("id", "status") if kind in ("message", "reasoning") else ("id",)
        for name in names:
            for node in nodes if name in fields else ():
                issuers = [key for key, extras in (node.extras or {}).items() if name in extras]
                for issuer in issuers:
                    self._report.add_loss("id.unsupported", node, f"extras.{issuer}.{name}")
                if issuers:
                    break
        return {name: value for name, value in fields.items() if name not in names}
