"""SessionLog, the rows of a log's file, and what the readers of several agents share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..errors import ReadError
from ..message import ChatRequest, Msg, ServerTool, Tool, ToolResultBlock
from ..message.check import heal
from ..text.json_text import Json, JsonObject, loads
from ..text.redaction import Shown


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something in the log that is not part of the conversation.

    Attributes:
        place: Its line, or its path in a log that is one object.
        what: Its kind, in the agent's own words.
        why: Why it is left out.
    """

    place: str
    what: str
    why: str


@dataclass(slots=True, repr=False)
class SessionLog(Shown):
    """A session of an agent.

    Attributes:
        agent: `claude-code`, `codex`, `gemini-cli`, `pi`, `opencode`, `qwen-code`, `copilot-cli`,
            `cline` or `atif`.
        model: The model that was asked last.
        messages: All messages, including those before a compaction.
        tools: The tools; empty if the agent does not record them.
        session: The id of the session.
        skipped: What is not part of the conversation.
        compactions: Indexes in `messages`: from each on, the agent went on with the messages that
            follow, a summary and what it kept.
        sidechains: The conversations of called agents in the same file.
        cleared: The ids of calls whose results the model is no longer shown, with the text that
            replaces each; `messages` still have the results, `current` has the texts.
    """

    agent: str
    model: str | None = None
    messages: list[Msg] = field(default_factory=list)
    tools: list[Tool | ServerTool] = field(default_factory=list)
    session: str = ""
    skipped: list[Skipped] = field(default_factory=list)
    compactions: list[int] = field(default_factory=list)
    sidechains: list[SessionLog] = field(default_factory=list)
    cleared: dict[str, str] = field(default_factory=dict)

    @property
    def counts(self) -> dict[str, int]:
        """How often each kind of thing was skipped."""
        return dict(Counter(one.what for one in self.skipped))

    @property
    def current(self) -> list[Msg]:
        """The messages that the model was shown last: those since the latest compaction."""
        shown = self.messages[self.compactions[-1] if self.compactions else 0 :]
        return [_without(msg, self.cleared) for msg in shown] if self.cleared else shown

    def request(self) -> ChatRequest:
        """Return the conversation as the agent would continue it."""
        return ChatRequest(self.current, tools=list(self.tools), model=self.model)


def _without(msg: Msg, cleared: Mapping[str, str]) -> Msg:
    """Return the message with texts in place of cleared results."""
    if not any(isinstance(one, ToolResultBlock) and one.id in cleared for one in msg.blocks):
        return msg
    blocks = [
        replace(one, output=cleared[one.id])
        if isinstance(one, ToolResultBlock) and one.id in cleared
        else one
        for one in msg.blocks
    ]
    return Msg(msg.name, blocks, msg.role, timestamp=msg.timestamp)


@dataclass(frozen=True, slots=True)
class LogRow:
    """One object of a log, and its line."""

    line: int
    data: JsonObject

    @property
    def place(self) -> str:
        """The line, for errors and notes."""
        return f"line {self.line}"

    def text(self, name: str) -> str:
        """Return the field if it is a text, else an empty text."""
        value = self.data.get(name)
        return value if isinstance(value, str) else ""

    def object(self, name: str) -> JsonObject:
        """Return the field if it is an object, else an empty one."""
        value = self.data.get(name)
        return value if isinstance(value, dict) else {}

    def note_skipped(self, what: str, why: str) -> Skipped:
        """Return a note that this row is left out."""
        return Skipped(self.place, what, why)


def read_rows(text: str, name: str) -> tuple[list[LogRow], list[Skipped]]:
    """Return the objects of a log: one for the whole text, or one for each line.

    An incomplete last line, which a killed agent leaves, is skipped.

    Raises:
        ReadError: Another line is not a JSON object; the error names the line.
    """
    # not splitlines: JSON strings may contain U+2028
    lines = [(i, line) for i, line in enumerate(text.split("\n"), 1) if line.strip()]
    skipped: list[Skipped] = []
    if not lines:
        raise _unread(name, "line 1", "the log is empty")
    try:
        whole = loads(text)
    except ReadError as error:
        if lines[0][1].strip() == "{":  # one object over several lines, and broken
            raise _unread(name, f"line {lines[0][0]}", error.message) from error
    else:
        if isinstance(whole, dict):
            return [LogRow(lines[0][0], _heal_row(whole, lines[0][0], skipped))], skipped
    rows: list[LogRow] = []
    for number, line in lines:
        try:
            value = loads(line)
        except ReadError as error:
            if rows and number == lines[-1][0] and not text.endswith("\n"):
                why = "the line breaks off: the agent was stopped while it wrote"
                return rows, [*skipped, Skipped(f"line {number}", "broken line", why)]
            raise _unread(name, f"line {number}", error.message) from error
        if not isinstance(value, dict):
            kind = type(value).__name__
            raise _unread(name, f"line {number}", f"a row of a log is an object, not a {kind}")
        rows.append(LogRow(number, _heal_row(value, number, skipped)))
    return rows, skipped


def _heal_row(value: JsonObject, number: int, skipped: list[Skipped]) -> JsonObject:
    """Return the object without halves of surrogate pairs, which have no UTF-8 form; note any."""
    places: list[str] = []
    result: JsonObject = heal(value, "$", places)
    if places:
        why = "it has no UTF-8 form, and became U+FFFD"
        skipped.append(Skipped(f"line {number}", "half of a surrogate pair", why))
    return result


def _unread(name: str, place: str, message: str) -> ReadError:
    where = f"{name}, {place}" if name else place
    hint = "give the log as the agent wrote it: JSON lines, or one JSON object"
    return ReadError(message, path=where, hint=hint, code="log.row")


def unknown_log(rows: Sequence[LogRow], name: str) -> ReadError:
    """Build the error for rows that are not from a known agent."""
    keys = ", ".join(sorted(rows[0].data)[:8]) or "nothing"
    where = f"{name}, {rows[0].place}" if name else rows[0].place
    hint = (
        "known are logs of Claude Code, Codex, Gemini CLI, Qwen Code, pi, Copilot CLI and Cline, "
        "opencode's exports, and ATIF"
    )
    return ReadError(
        f"no agent's log begins with these keys: {keys}", path=where, hint=hint, code="log.unknown"
    )


def once(rows: Sequence[LogRow], key: str = "uuid") -> tuple[list[LogRow], list[Skipped]]:
    """Return the rows, each node once: a resumed session may copy its transcript, with all ids."""
    seen: set[str] = set()
    kept: list[LogRow] = []
    repeated: list[Skipped] = []
    for row in rows:
        id = row.text(key)
        if id and id in seen:
            repeated.append(row.note_skipped("repeated row", "it stands in the log already"))
            continue
        seen.add(id)
        kept.append(row)
    return kept, repeated


def find_branch(
    rows: Sequence[LogRow],
    is_end: Callable[[LogRow], bool],
    key: str = "uuid",
    parents: Sequence[str] = ("parentUuid", "logicalParentUuid"),
) -> set[str]:
    """Return the nodes of a tree between the last row that `is_end` and the root.

    If the parent of a node is not in the file, the message before it is used.
    """
    nodes = {row.text(key): row for row in rows if row.text(key)}
    before = dict(zip(nodes, ["", *nodes], strict=False))
    last = next((row for row in reversed(rows) if is_end(row)), None)
    way: set[str] = set()
    here = last.text(key) if last is not None else ""
    while here and here not in way:
        way.add(here)
        row = nodes.get(here)
        parent = next(filter(None, map(row.text, parents)), "") if row else ""
        here = parent if parent in nodes or not parent else before[here]
    return way


def date_messages(
    messages: Iterable[Msg], times: Mapping[int, str], models: Mapping[int, str]
) -> None:
    """Note on messages when they were written and by which model.

    Both mappings are by the id of the JSON object that a message was read from.
    """
    for message in messages:
        source = id(getattr(message, "read_from", None))
        message.timestamp = times.get(source) or message.timestamp
        model = models.get(source)
        if model and message.origin is not None and message.origin.model != model:
            message.origin = replace(message.origin, model=model)


def skipped_fields(path: str, value: Json, known: Iterable[str]) -> list[Skipped]:
    """Return a note for each field of an object that is not read."""
    if not isinstance(value, dict):
        return []
    read = frozenset(known)
    why = "the field tells about the session, and is not said in it"
    return [Skipped(f"{path}.{name}", name, why) for name in value if name not in read]


def text_at(value: JsonObject, name: str, path: str) -> str:
    """Return the text in a required field.

    Raises:
        ReadError: The field holds no text.
    """
    found = value.get(name)
    if not isinstance(found, str):
        kind = "nothing" if found is None else f"a {type(found).__name__}"
        raise ReadError(f"a text belongs here, not {kind}", path=f"{path}.{name}", code="log.row")
    return found


def objects(
    value: Json, path: str, skipped: list[Skipped], known: Iterable[str] = ()
) -> list[JsonObject]:
    """Return the objects of a list, and add a note for anything else in it.

    With `known`, there is also a note for each other field of these objects.
    """
    if value is None:
        return []
    items = value if isinstance(value, list) else [value]
    found = []
    for i, item in enumerate(items):
        place = f"{path}[{i}]" if items is value else path
        if isinstance(item, dict):
            found.append(item)
            skipped += skipped_fields(place, item, known) if known else ()
        else:
            skipped.append(Skipped(place, type(item).__name__, "an object belongs here"))
    return found
