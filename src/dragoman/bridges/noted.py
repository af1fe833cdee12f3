"""Messages of libraries that leave a dict to the program: what has no other place is noted there.

Such a bridge has two plain functions, which know one message of theirs as JSON: `write` for one of
ours, and `read`. What `read` would not give back of a message that was written is noted beside it
under `dragoman`, and taken from there when the message is read, as long as nobody changed the rest
of it: the noted message has to be written exactly as the one that was found. The other way round,
a message of theirs that would be written otherwise than it was read stays in `Msg.metadata`, and
is given back as long as the message is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Protocol

from ..errors import InvalidMessage
from ..losses import Report
from ..message import ChatResponse, Msg
from ..message.blocks import ContentBlock
from ..text.json_text import JsonObject, arguments
from ..text.json_text import check as check_json
from .results import Said, as_msg, read_notes

OURS = "dragoman"
_MESSAGE = "message"
_GONE = "-"  # the names of the values that are to go
_AT = "#"  # the number of the block that is to become another


class ForeignMessage(Protocol):
    """How one library's messages are read and written, each by itself and as JSON."""

    target: str
    place: str  # the key of the dict that is left to the program

    def read(self, raw: JsonObject) -> Msg:
        """Read a message without a note."""

    def write(self, msg: Msg, report: Report) -> JsonObject:
        """Write a message that holds at most one result, and that alone."""

    def remember(self, raw: JsonObject) -> None:
        """Remember of a message what those after it need."""

    def runs(self, msg: Msg) -> list[tuple[str, list[ContentBlock]]]:
        """Split a message as `results.say_runs` does."""


@dataclass(slots=True)
class NotedMessages:
    """Reads and writes messages one after the other, with notes.

    Attributes:
        form: The library's own part.
        make: Makes an object of the library out of JSON; JSON that was read may be none for it.
    """

    form: ForeignMessage
    make: Callable[[JsonObject], Any] = dict
    _quiet: Report = field(default_factory=Report)

    def read(self, raw: JsonObject) -> Msg:
        """Read a message of theirs.

        Args:
            raw: It, as JSON.
        """
        raw = deepcopy(raw)
        msg = self._read(raw)
        if [*self._write_one(msg, self._quiet)] != [raw]:
            msg.metadata[self.form.target] = {**self._own(msg), _MESSAGE: raw}
        self.form.remember(raw)
        return msg

    def _read(self, raw: JsonObject) -> Msg:
        bare, note = self._take_note(raw)
        plain = self.form.read(bare)
        if note is None:
            return plain
        noted = _amend(plain, note)
        if noted is None or self.form.write(noted, self._quiet) != bare:
            return plain
        return noted

    def write(self, said: Iterable[Said], report: Report) -> list[Any]:
        """Write messages.

        Args:
            said: Messages and answers.
            report: What could not be carried.

        Returns:
            What `make` makes of them.
        """
        found: list[Any] = []
        for one in said:
            for raw in self._write_one(one, report):
                self.form.remember(raw)
                found.append(self.make(deepcopy(raw)))
        return found

    def _write_one(self, said: Said, report: Report) -> Iterator[JsonObject]:
        msg: Msg = as_msg(said)
        kept = self._own(msg).get(_MESSAGE)
        if isinstance(kept, dict) and self._is_still(kept, msg):
            yield kept
            return
        for one in _split(self.form, said, report):
            yield self._write(one, report)

    def _is_still(self, kept: JsonObject, msg: Msg) -> bool:
        """Whether a message is the one that was read, and the library takes that."""
        try:
            self.make(deepcopy(kept))
            read = self._read(kept)
        except Exception:  # noqa: BLE001 - theirs, and of any kind; or a program has changed it
            return False
        return _bare(read, self.form.target) == _bare(msg, self.form.target)

    def _write(self, msg: Msg, report: Report) -> JsonObject:
        raw = self.form.write(msg, report)
        note = _difference(self.form.read(raw), msg, self.form.target)
        if not note:
            return raw
        return {**raw, self.form.place: {**(raw.get(self.form.place) or {}), OURS: note}}

    def _take_note(self, raw: JsonObject) -> tuple[JsonObject, JsonObject | None]:
        place = raw.get(self.form.place)
        note = place.get(OURS) if isinstance(place, Mapping) else None
        if not isinstance(place, Mapping) or not isinstance(note, dict):
            return raw, None
        rest = {key: value for key, value in place.items() if key != OURS}
        return {**raw, self.form.place: rest}, note

    def _own(self, msg: Msg) -> JsonObject:
        found = (msg._metadata or {}).get(self.form.target)
        return dict(found) if isinstance(found, Mapping) else {}


def _split(form: ForeignMessage, said: Said, report: Report) -> Iterator[Msg]:
    """Give the message with the notes of its answer; each result in one by itself."""
    msg: Msg = as_msg(said)
    whole = Msg.create_unchecked(msg.name, msg.content, msg.role, like=msg)
    if isinstance(said, ChatResponse):
        whole.metadata = dict(msg.metadata)
        read_notes(said).note_on(whole)
    for i, (kind, blocks) in enumerate(form.runs(msg)):
        content = msg.content if isinstance(msg.content, str) else blocks
        one = Msg.create_unchecked(msg.name, content, msg.role, like=whole)
        if kind == "result":
            one.name = msg.name if msg.role == "tool" else ""
            one.role, one.origin = "tool", None
        elif msg.role == "tool":
            one.role = "user"
        if i:
            one._id = one.timestamp = one.extras = one.cache = one._metadata = None
        yield report.record_copy(one, msg)


# -- notes ----------------------------------------------------------------------------------------


def _bare(msg: Msg, target: str) -> JsonObject:
    """Return a message as JSON, without its form on a wire and what is the library's own."""
    data = msg.to_dict()
    data["metadata"] = {key: value for key, value in data["metadata"].items() if key != target}
    data.pop("spelling", None)
    content = data["content"]
    if isinstance(content, str):
        data["content"] = content = [{"type": "text", "text": content}]
    for block in content:
        _strip(block)
    return data


def _strip(block: JsonObject) -> None:
    """Take out of a block what says no more than the rest does."""
    block.pop("spelling", None)
    source = block.get("source")
    if isinstance(source, dict):
        source.pop("uri" if "data" in source else "", None)
    if "raw_input" in block and not block.get("unfinished"):
        value = block.get("input")
        if type(value) is dict and arguments(value) == block["raw_input"]:
            del block["raw_input"]
    output = block.get("output")
    for inner in output if isinstance(output, list) else ():
        _strip(inner)


def _difference(plain: Msg, wanted: Msg, target: str) -> JsonObject:
    """Return what has to be noted, so that the one message becomes the other."""
    have, want = _bare(plain, target), _bare(wanted, target)
    blocks, metadata = want.pop("content"), want.pop("metadata")
    there, known = have.pop("content"), have.pop("metadata")
    note = _changes(have, want)
    changed = _changes(known, metadata)
    changed.pop(_GONE, None)  # what theirs says besides does no harm
    changed = {key: value for key, value in changed.items() if _is_json(value)}
    if changed:
        note["metadata"] = changed
    if [one["type"] for one in there] != [one["type"] for one in blocks]:
        note["content"] = _align(there, blocks)
    else:
        pairs = enumerate(zip(there, blocks, strict=True))
        parts = {str(i): found for i, pair in pairs if (found := _changes(*pair))}
        if parts:
            note["parts"] = parts
    return note


def _is_json(value: Any) -> bool:
    """Whether a value of the program's own metadata can be stored beside their message."""
    try:
        check_json(value, "$")
    except InvalidMessage:
        return False
    return True


def _align(have: list[JsonObject], want: list[JsonObject]) -> list[JsonObject]:
    """Return the blocks that are wanted, each as what makes it of one that is there, if one is."""
    left = dict(enumerate(have))
    found: list[JsonObject] = []
    for block in want:
        at = next((i for i, one in left.items() if one["type"] == block["type"]), None)
        found.append(block if at is None else {_AT: at, **_changes(left.pop(at), block)})
    return found


def _changes(have: JsonObject, want: JsonObject) -> JsonObject:
    """Return the values that are others, and the names of those that are to go."""
    found = {key: value for key, value in want.items() if key not in have or have[key] != value}
    gone = [key for key in have if key not in want]
    return {**found, **({_GONE: gone} if gone else {})}


def _amend(plain: Msg, note: Mapping[str, Any]) -> Msg | None:
    """Return the message that was noted; None if the note is none."""
    data = plain.to_dict()
    blocks = data["content"]
    if isinstance(blocks, str):
        blocks = data["content"] = [{"type": "text", "text": blocks}]
    for block in blocks:
        _strip(block)
    try:
        _apply(data, {k: v for k, v in note.items() if k not in ("content", "metadata", "parts")})
        _apply(data["metadata"], note.get("metadata") or {})
        for i, changes in (note.get("parts") or {}).items():
            _apply(blocks[int(i)], changes)
        if "content" in note:
            data["content"] = [_realign(blocks, one) for one in note["content"]]
        return Msg.from_dict(deepcopy(data))
    except (InvalidMessage, AttributeError, LookupError, TypeError, ValueError):
        return None  # it was changed


def _realign(have: list[JsonObject], noted: JsonObject) -> JsonObject:
    if _AT not in noted:
        return noted
    found = dict(have[noted[_AT]])
    _apply(found, {key: value for key, value in noted.items() if key != _AT})
    return found


def _apply(data: JsonObject, changes: Mapping[str, Any]) -> None:
    for key in changes.get(_GONE, ()):
        data.pop(key, None)
    data.update({key: value for key, value in changes.items() if key != _GONE})
