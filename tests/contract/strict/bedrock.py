"""Amazon Bedrock Converse: alternation, pairs, blank blocks, tool configuration.

Sources are the service's documents, its model of the wire and the words of its errors. Documents
and the choice of tools are in the file beside this one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..judges.fault import Json, Path, brief, label, mapping, objects
from .bedrock_media import document_faults, media_faults
from .bedrock_request import BOOK, NAMES, request_faults
from .flat import Pairs
from .rule import Asked, Broken
from .turns import Block, Turn, turn_faults

__all__ = ["BOOK", "faults"]

DOCS = "docs.aws.amazon.com: Converse"
FIRST = BOOK.rule("first", "a conversation starts with a user's message",
                  "A conversation must start with a user message.")  # fmt: skip
ROLE = BOOK.rule("role", "a message is a user's, an assistant's or the system's", DOCS)
TURNS = BOOK.rule("alternation", "users and assistants take turns",
                  "roles must alternate between user and assistant")  # fmt: skip
EMPTY = BOOK.rule("empty", "a message has content",
                  "The content field in the Message object at messages.X is empty.")  # fmt: skip
BLANK = BOOK.rule("blank", "text has a visible character",
                  "The text field in the ContentBlock object is blank.")  # fmt: skip
SEAT = BOOK.rule("seat", "a block stands in a message of who may say it", DOCS)
APART = BOOK.rule("apart", "Llama takes no text beside tool blocks",
                  "Conversation blocks and tool result blocks cannot be provided in the same "
                  "turn.")  # fmt: skip
BESIDE = BOOK.rule("beside_results", "Claude takes no text document beside results, Mistral "
                   "and Writer nothing at all", "pydantic-ai issue 6081")  # fmt: skip
STATUS = BOOK.rule("status", "Writer takes no status",
                   "This model doesn't support the status field.")  # fmt: skip
NINE = BOOK.rule("nine", "Mistral's ids are nine signs and more",
                 "Tool call id was a but must be a-z, A-Z, 0-9, with a length of 9")  # fmt: skip
ID = BOOK.rule("call_id", "an id is [a-zA-Z0-9_.:-]{1,64}", "service model: ToolUseId")
INPUT = BOOK.rule("input", "the input of a call is an object", DOCS)
FIRST_RESULTS = BOOK.rule("results_first", "results stand before anything else in their message",
                          DOCS)  # fmt: skip
SERVED = BOOK.rule("server_pair", "the result of a server's tool stands behind its call", DOCS)
ERROR = BOOK.rule("empty_error", "an error result says what went wrong",
                  "toolResult cannot be empty when status value is error.")  # fmt: skip
ERROR_TEXT = BOOK.rule("error_text", "Claude's result that is an error holds text alone",
                       "all content must be type `text` if `is_error` is true")  # fmt: skip
OBJECT = BOOK.rule("result_json", "the JSON of a result is an object", DOCS)
SIGNED = BOOK.rule("unsigned", "Claude's reasoning goes back with its signature", DOCS)
PREFILL = BOOK.rule("prefill", "the conversation ends with a user's turn",
                    "This model does not support assistant message prefill.")  # fmt: skip
PAIRS = Pairs(
    BOOK.rule("answered", "each toolUse has its result in the next message",
              "Expected toolResult blocks at messages.2.content for the following Ids"),
    BOOK.rule("orphan", "a result answers a toolUse of the turn before",
              "The number of toolResult blocks at messages.{i}.content exceeds the number of "
              "toolUse blocks of previous turn."),
    BOOK.rule("twice", "a call is answered once",
              "The number of toolResult blocks exceeds the number of toolUse blocks"),
    BOOK.rule("repeated_id", "an id names one call", "`tool_use` ids must be unique"),
)  # fmt: skip
CALL_ID = re.compile(r"[a-zA-Z0-9_.:-]{1,64}")
CLAUDE = re.compile(r"(.*\.)?anthropic\.claude-")
CONTINUES = re.compile(r".*claude-(v2|2|3|instant|(opus|sonnet|haiku)-4(-[0-5]\b|-2025|-v|:|$))")
LLAMA = re.compile(r"(.*\.)?meta\.llama4")
LEADS = re.compile(r"(.*\.)?(anthropic\.claude|qwen\.|zai\.|moonshot(ai)?\.)")
WRITER = re.compile(r"(.*\.)?writer\.")
MISTRAL = re.compile(r"(.*\.)?mistral\.")
NINE_SIGNS = re.compile(r".{9,}")
UNORDERED = re.compile(r"(.*\.)?(amazon\.(nova|titan)|deepseek)")  # recorded
MEDIA = {"image", "document", "video", "audio", "searchResult"}
SEATS = {
    "user": MEDIA | {"text", "guardContent", "cachePoint", "toolResult"},
    "assistant": {"text", "cachePoint", "toolUse", "toolResult", "reasoningContent",
                  "citationsContent"},
    "system": {"text", "cachePoint", "toolAddition", "toolRemoval"},
}  # fmt: skip


def faults(body: dict[str, Json], asked: Asked) -> Iterator[Broken]:
    """All that the service would refuse of roles, pairs and blocks."""
    listed = list(objects(body.get("messages")))
    roles = [message.get("role") for _, message in listed]
    if roles[:1] != ["user"] and not (roles[:1] == ["assistant"] and LEADS.match(asked.model)):
        yield FIRST.at(("messages",), brief(roles[:1]))
    for position, (index, message) in enumerate(listed):
        twice = position and roles[position] == roles[position - 1]
        if twice and not UNORDERED.match(asked.model):
            yield TURNS.at(("messages", index), brief(roles[position]))
        yield from _message_faults(message, ("messages", index), asked)
    yield from turn_faults([_turn(m, i) for i, m in listed], PAIRS, FIRST_RESULTS,
                           open_end=asked.open_end)  # fmt: skip
    if roles[-1:] == ["assistant"]:
        waits = any("toolUse" in block for _, block in objects(listed[-1][1].get("content")))
        if CLAUDE.match(asked.model) and not CONTINUES.match(asked.model) and not waits:
            yield PREFILL.at(("messages", listed[-1][0]))
    yield from document_faults(listed)
    yield from media_faults(listed, asked)
    yield from request_faults(body, listed, asked)


def _turn(message: dict[str, Json], index: int) -> Turn:
    """Blocks of the client's calls and results; the service answers its own in one turn."""
    blocks = []
    theirs = message.get("role") != "assistant"
    for number, block in objects(message.get("content")):
        at: Path = ("messages", index, "content", number)
        use, result = mapping(block.get("toolUse")), mapping(block.get("toolResult"))
        if "toolUse" in block and use.get("type") != "server_tool_use":
            blocks.append(Block(at, "call", label(use.get("toolUseId"))))
        elif "toolResult" in block and theirs:
            blocks.append(Block(at, "result", label(result.get("toolUseId"))))
        else:
            blocks.append(Block(at, "other"))
    return Turn(label(message.get("role")), blocks)


def _message_faults(message: dict[str, Json], at: Path, asked: Asked) -> Iterator[Broken]:
    role = label(message.get("role"))
    if role not in SEATS:
        yield ROLE.at((*at, "role"), brief(role))
    blocks = list(objects(message.get("content")))
    if not blocks:
        yield EMPTY.at((*at, "content"))
    tools = any("toolUse" in block or "toolResult" in block for _, block in blocks)
    served: set[str] = set()
    refused = {"document", "video"} if CLAUDE.match(asked.model) else set()
    if MISTRAL.match(asked.model) or WRITER.match(asked.model):
        refused = MEDIA | {"text"}
    results = any("toolResult" in block for _, block in blocks)
    for index, block in blocks:
        place = (*at, "content", index)
        paper = mapping(block.get("document")).get("format") == "pdf"
        if results and refused & set(block) and not (paper and CLAUDE.match(asked.model)):
            yield BESIDE.at(place)
        for kind in sorted(set(block) - SEATS.get(role, set(block))):
            yield SEAT.at(place, f"{kind} of {role}")
        if tools and "text" in block and LLAMA.match(asked.model):
            yield APART.at(place)
        use = mapping(block.get("toolUse"))
        if use.get("type") == "server_tool_use":
            served.add(label(use.get("toolUseId")))
        result = mapping(block.get("toolResult"))
        if result and role == "assistant" and label(result.get("toolUseId")) not in served:
            yield SERVED.at(place)
        yield from _block_faults(block, place, asked)


def _block_faults(block: dict[str, Json], at: Path, asked: Asked) -> Iterator[Broken]:
    if "text" in block and not str(block["text"] or "").strip():
        yield BLANK.at((*at, "text"))
    use, result = mapping(block.get("toolUse")), mapping(block.get("toolResult"))
    if "toolUse" in block:
        yield from _id_faults(use.get("toolUseId"), (*at, "toolUse", "toolUseId"))
        yield from NAMES.spelled([(use.get("name"), (*at, "toolUse", "name"))])
        if not isinstance(use.get("input"), dict):
            yield INPUT.at((*at, "toolUse", "input"), brief(use.get("input")))
    yield from _makers_faults(use, result, at, asked)
    if "toolResult" in block:
        yield from _id_faults(result.get("toolUseId"), (*at, "toolResult", "toolUseId"))
        if result.get("status") == "error" and not result.get("content"):
            yield ERROR.at((*at, "toolResult"))
        failed = result.get("status") == "error" and CLAUDE.match(asked.model)
        for index, inner in objects(result.get("content")) if failed else ():
            if "text" not in inner and "json" not in inner:
                yield ERROR_TEXT.at((*at, "toolResult", "content", index))
    for index, inner in objects(result.get("content")):
        place = (*at, "toolResult", "content", index)
        if "json" in inner and not isinstance(inner["json"], dict):
            yield OBJECT.at((*place, "json"), brief(inner["json"]))
        yield from _block_faults(inner, place, asked)
    thought = mapping(mapping(block.get("reasoningContent")).get("reasoningText"))
    if thought and CLAUDE.match(asked.model) and not thought.get("signature"):
        yield SIGNED.at((*at, "reasoningContent"))


def _makers_faults(
    use: dict[str, Json], result: dict[str, Json], at: Path, asked: Asked
) -> Iterator[Broken]:
    """What single makers' models refuse of calls and results."""
    for tool, holder in (("toolUse", use), ("toolResult", result)):
        id = holder.get("toolUseId")
        known = isinstance(id, str) and NINE_SIGNS.fullmatch(id)
        if holder and MISTRAL.match(asked.model) and not known:
            yield NINE.at((*at, tool, "toolUseId"), brief(id))
    if "status" in result and WRITER.match(asked.model):
        yield STATUS.at((*at, "toolResult", "status"))


def _id_faults(id: Json, at: Path) -> Iterator[Broken]:
    if not isinstance(id, str) or not CALL_ID.fullmatch(id):
        yield ID.at(at, brief(id))
