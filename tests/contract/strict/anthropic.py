"""Anthropic Messages: who speaks when, what stands where, how calls are answered.

Sources are the provider's documents and the words of its 400s. Thinking and tools of the request
are in the file beside this one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..judges.fault import Json, Path, brief, label, mapping, members, objects
from .anthropic_request import BOOK, request_faults
from .flat import Pairs
from .media import kind_of
from .rule import Asked, Broken
from .turns import Block, Turn, turn_faults

__all__ = ["BOOK", "faults"]

DOCS = "platform.claude.com: Messages"
SYSTEM = "platform.claude.com: mid-conversation system messages"
# an assistant may begin: recorded
FIRST = BOOK.rule("first", "the first message is not the system's", SYSTEM)
ROLE = BOOK.rule("role", "a message is a user's, an assistant's or the system's", DOCS)
KEYS = BOOK.rule("message_key", "a message has no keys but its own",
                 "messages.0.name: Extra inputs are not permitted")  # fmt: skip
PLACE = BOOK.rule("system_place", "a system message stands behind a user's turn, and before an "
                  "assistant's or last", SYSTEM)  # fmt: skip
EMPTY = BOOK.rule("empty", "a message has content",
                  "all messages must have non-empty content")  # fmt: skip
BLANK = BOOK.rule("blank", "text has a visible character",
                  "messages: text content blocks must be non-empty")  # fmt: skip
TRAILING = BOOK.rule("trailing", "the last assistant's text ends without white space",
                     "final assistant content cannot end with trailing whitespace")  # fmt: skip
PREFILL = BOOK.rule("prefill", "the conversation ends with a user's turn",
                    "This model does not support assistant message prefill.")  # fmt: skip
SEAT = BOOK.rule("seat", "a block stands in a message of who may say it", DOCS)
ID = BOOK.rule("call_id", "an id is [a-zA-Z0-9_-]+",
               "tool_use.id: String should match pattern")  # fmt: skip
INPUT = BOOK.rule("input", "the input of a call is an object",
                  "tool_use.input: Input should be a valid dictionary")  # fmt: skip
FIRST_RESULTS = BOOK.rule("results_first", "results stand before anything else in their message",
                          "Messages following tool_use blocks must begin with a matching number "
                          "of tool_result blocks.")  # fmt: skip
SERVED = BOOK.rule("server_pair", "the result of a server's tool stands behind its call",
                   "platform.claude.com: handling stop reasons")  # fmt: skip
SERVER_FIRST = BOOK.rule("server_first", "calls of the server's tools stand before the client's",
                         "mecatl#1465: refused as a call without result")  # fmt: skip
ERROR = BOOK.rule("empty_error", "an error result says what went wrong",
                  "tool_result: content cannot be empty if `is_error` is true")  # fmt: skip
ERROR_TEXT = BOOK.rule("error_text", "a result that is an error holds text alone",
                       "all content must be type `text` if `is_error` is true")  # fmt: skip
SIGNED = BOOK.rule("unsigned", "thinking goes back with its signature",
                   "thinking.signature: Field required; Invalid `signature`")  # fmt: skip
LAST = BOOK.rule("thinking_last", "a message does not end in thinking",
                 "The final block in an assistant message cannot be `thinking`.")  # fmt: skip
SOURCE = BOOK.rule("source", "media are of a type that is taken, and are what they claim",
                   "Image does not match the provided media type; media_type: Input should be "
                   "'application/pdf'")  # fmt: skip
PAIRS = Pairs(
    BOOK.rule("answered", "each tool_use has its result in the next message",
              "`tool_use` ids were found without `tool_result` blocks immediately after"),
    BOOK.rule("orphan", "a result answers a tool_use of the message before",
              "unexpected `tool_use_id` found in `tool_result` blocks"),
    BOOK.rule("twice", "a call is answered once",
              "each tool_use must have a single result"),
    BOOK.rule("repeated_id", "an id names one call", "`tool_use` ids must be unique"),
)  # fmt: skip
CALL_ID = re.compile(r"[a-zA-Z0-9_-]+")
CONTINUES = re.compile(r"claude-(2|3|instant|(opus|sonnet|haiku)-4(-[0-5]\b|-2025|@|$))")
IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp")
OWN = {"role", "content"}
SERVER = ("server_tool_use", "mcp_tool_use")
UNSIGNED = ("deepseek", "moonshot", "xiaomi")  # whose thinking has no signature: cases 4 and 38
SEALS = {"thinking": "signature", "redacted_thinking": "data"}
MEDIA = {"image", "document", "search_result"}
SEATS = {
    "user": MEDIA | {"text", "tool_result", "container_upload"},
    "system": {"text", "tool_addition", "tool_removal"},
}


def faults(body: dict[str, Json], asked: Asked) -> Iterator[Broken]:
    """All that the provider would refuse of roles, pairs and blocks."""
    listed = list(objects(body.get("messages")))
    for index, message in listed:
        yield from _message_faults(message, ("messages", index), asked)
    yield from _server_faults(listed)
    yield from turn_faults([_turn(m, i) for i, m in listed], PAIRS, FIRST_RESULTS,
                           open_end=asked.open_end)  # fmt: skip
    yield from _role_faults([m.get("role") for _, m in listed], listed)
    yield from _end_faults(listed, asked)
    yield from request_faults(body, listed)


def _turn(message: dict[str, Json], index: int) -> Turn:
    blocks = []
    for number, block in objects(message.get("content")):
        kind = {"tool_use": "call", "tool_result": "result"}.get(label(block.get("type")), "other")
        id = block.get("id") if kind == "call" else block.get("tool_use_id")
        blocks.append(Block(("messages", index, "content", number), kind, label(id)))
    return Turn(label(message.get("role")), blocks)


def _role_faults(roles: list[Json], listed: list[tuple[int, dict[str, Json]]]) -> Iterator[Broken]:
    if roles[:1] == ["system"]:
        yield FIRST.at(("messages", listed[0][0]))
    for position, role in enumerate(roles):
        if position == 0 or role != "system" or roles[position - 1] == "system":
            continue
        then = next((r for r in roles[position:] if r != "system"), None)
        before = listed[position - 1][1]
        if then == "user" or not (before.get("role") == "user" or _ends_served(before)):
            yield PLACE.at(("messages", listed[position][0]))


def _ends_served(message: dict[str, Json]) -> bool:
    kinds = [label(b.get("type")) for _, b in objects(message.get("content"))]
    return bool(kinds) and kinds[-1] != "tool_result" and kinds[-1].endswith("_tool_result")


def _end_faults(listed: list[tuple[int, dict[str, Json]]], asked: Asked) -> Iterator[Broken]:
    if not listed or listed[-1][1].get("role") != "assistant":
        return
    index, message = listed[-1]
    at: Path = ("messages", index)
    content = message.get("content")
    blocks = [b for _, b in objects(content)]
    last = content if isinstance(content, str) else mapping(blocks[-1:] and blocks[-1]).get("text")
    if isinstance(last, str) and last != last.rstrip():
        yield TRAILING.at(at)
    # calls may be about to be carried out; what the server broke off goes back as it is
    paused = _ends_served(message) or mapping(blocks[-1:] and blocks[-1]).get("type") in SERVER
    waits = paused or any(b.get("type") == "tool_use" for b in blocks)
    model = asked.model.rpartition("anthropic.")[2]
    if not waits and model.startswith("claude-") and not CONTINUES.match(model):
        yield PREFILL.at(at, model)


def _message_faults(message: dict[str, Json], at: Path, asked: Asked) -> Iterator[Broken]:
    role, content = label(message.get("role")), message.get("content")
    if role not in ("user", "assistant", "system"):
        yield ROLE.at((*at, "role"), brief(role))
    own = OWN | ({"clear_at", "output_config"} if role == "system" else set())
    for key in set(message) - own:
        yield KEYS.at((*at, key))
    if content in ("", [], None):
        yield EMPTY.at((*at, "content"))
    elif isinstance(content, str) and not content.strip():
        yield BLANK.at((*at, "content"))
    for index, block in objects(content):
        place, kind = (*at, "content", index), label(block.get("type"))
        if not _may_say(role, kind):
            yield SEAT.at(place, f"{kind} of {role}")
        yield from _block_faults(block, kind, place)
        sealed = isinstance(block.get(SEALS.get(kind, "")) or None, str)
        if kind in SEALS and not sealed and asked.host not in UNSIGNED:
            yield SIGNED.at(place)
    kinds = [label(b.get("type")) for _, b in objects(content)]
    if role == "assistant" and kinds and kinds[-1] in SEALS:
        yield LAST.at((*at, "content", len(kinds) - 1))


def _server_faults(listed: list[tuple[int, dict[str, Json]]]) -> Iterator[Broken]:
    """What the server's tools said, wherever the model goes on with it."""
    served: set[str] = set()
    for index, message in listed:
        client = False
        for number, block in objects(message.get("content")):
            place, kind = ("messages", index, "content", number), label(block.get("type"))
            client = client or kind == "tool_use"
            if kind in SERVER:
                served.add(label(block.get("id")))
                if client:
                    yield SERVER_FIRST.at(place)
            elif kind.endswith("_tool_result") and label(block.get("tool_use_id")) not in served:
                yield SERVED.at(place)


def _may_say(role: str, kind: str) -> bool:
    if role in SEATS:
        return kind in SEATS[role]
    return kind not in MEDIA | {"tool_result", "tool_addition", "tool_removal"}


def _block_faults(block: dict[str, Json], kind: str, at: Path) -> Iterator[Broken]:
    if kind == "text" and not str(block.get("text") or "").strip():
        yield BLANK.at((*at, "text"))
    elif kind in ("image", "document"):
        yield from _source_faults(kind, mapping(block.get("source")), (*at, "source"))
    elif kind == "tool_use":
        yield from _id_faults(block.get("id"), (*at, "id"))
        if not isinstance(block.get("input"), dict):
            yield INPUT.at((*at, "input"), brief(block.get("input")))
    elif kind == "tool_result":
        yield from _id_faults(block.get("tool_use_id"), (*at, "tool_use_id"))
        if block.get("is_error") and not block.get("content"):
            yield ERROR.at(at)
        for index, inner in objects(block.get("content")) if block.get("is_error") else ():
            if inner.get("type") != "text":
                yield ERROR_TEXT.at((*at, "content", index))
        for index, inner in objects(block.get("content")):
            place = (*at, "content", index)
            yield from _block_faults(inner, label(inner.get("type")), place)


def _id_faults(id: Json, at: Path) -> Iterator[Broken]:
    if not isinstance(id, str) or not CALL_ID.fullmatch(id):
        yield ID.at(at, brief(id))


def _source_faults(kind: str, source: dict[str, Json], at: Path) -> Iterator[Broken]:
    taken = IMAGES if kind == "image" else ("application/pdf",)
    said = source.get("media_type")
    if source.get("type") == "base64":
        found = kind_of(source.get("data"))
        if said not in taken or found is None or found not in ("", said):
            yield SOURCE.at(at, f"{brief(said)} is {brief(found)}")
    elif source.get("type") == "text" and said != "text/plain":
        yield SOURCE.at(at, brief(said))
    elif source.get("type") == "content":
        for index, inner in enumerate(members(source.get("content"))):
            yield from _block_faults(mapping(inner), label(mapping(inner).get("type")),
                                     (*at, "content", index))  # fmt: skip
