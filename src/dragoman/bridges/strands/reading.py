"""Strands' messages to ours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import NotMessages
from ...losses import PolicyLike, Report
from ...message import Msg, ToolResultBlock, Usage
from ...message.blocks import ContentBlock
from ...text.json_text import JsonObject
from ...text.redaction import show
from ..kept import OURS, join_text, keep_items, read_parts
from ..results import AnswerNotes, Bridged, finish_bridge
from .items import CONVERSE, TARGET, UNKNOWN, StrandsWriter, read_item, read_parts_of

_MODELS = "strands.models"
# the module of an agent's model there -> the issuer of what it signs
_ISSUERS = {
    "bedrock": CONVERSE,
    "anthropic": "anthropic",
    "gemini": "gemini",
    "openai": "openai-chat",
    "openai_responses": "openai-responses",
    "mistral": "mistral",
    "ollama": "ollama",
}
# whose models give the tokens of the whole request as input, those from the cache included
_WHOLE = ("openai-chat", "openai-responses", "gemini")
USAGE = (
    ("inputTokens", "input"),
    ("outputTokens", "output"),
    ("totalTokens", "total"),
    ("cacheReadInputTokens", "cache_read"),
    ("cacheWriteInputTokens", "cache_write"),
)


def read_messages(
    messages: Any, *, issuer: str = CONVERSE, policy: PolicyLike = "log"
) -> Bridged[Msg]:
    """Read messages of Strands.

    >>> read_messages([{"role": "user", "content": [{"text": "Where is Paris?"}]}]).messages
    [Msg('', 'Where is Paris?', 'user')]

    Args:
        messages: Messages as dicts, with bytes as bytes or as sessions store them, `SessionMessage`
            objects, or an agent, which has them as `messages`, and its system prompt.
        issuer: Whose signed thinking and figures they hold, where a note of ours does not say so.
            The model of an agent tells it by its class.
        policy: What to do about losses.

    Returns:
        The messages. The usage of an answer is in `Msg.metadata`.

    Raises:
        NotMessages: Something is no message; `path` names it.
        LossRefused: The policy refuses a loss.
    """
    found: list[Msg] = []
    given: Any = messages
    if not isinstance(given, Mapping) and isinstance(getattr(given, "messages", None), list):
        found += _read_prompt(getattr(given, "system_prompt_content", None))
        homes = [cls.__module__.rpartition(".") for cls in type(given.model).__mro__]
        known = [_ISSUERS.get(name) for package, _, name in homes if package == _MODELS]
        issuer = next((one for one in known if one is not None), issuer)
        given = given.messages
    if isinstance(given, Mapping) or hasattr(given, "to_message"):
        given = [given]
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise _no_message(given, "$")
    read = [_read(item, issuer, f"$[{i}]") for i, item in enumerate(given)]
    messages = [msg for one in read for msg in one.messages]
    writer = StrandsWriter(Report(target=TARGET), list_answered(messages))
    for one in read:
        one.keep(writer)
    return finish_bridge([*found, *messages], Report(target=TARGET), policy)


def list_answered(messages: Iterable[Msg]) -> frozenset[str]:
    """Return the ids of the calls that have a result.

    Args:
        messages: The messages.
    """
    blocks = (block for msg in messages for block in msg.blocks)
    return frozenset(block.id for block in blocks if isinstance(block, ToolResultBlock))


@dataclass
class _ReadMessage:
    """One message of theirs, and the messages that it became.

    Attributes:
        messages: Ours.
        items: Its parts.
        rest: What it has besides role and content.
        issuer: Whose signatures it was taken to hold; empty where a note says so.
    """

    messages: list[Msg]
    items: list[JsonObject]
    rest: JsonObject
    issuer: str = UNKNOWN

    def keep(self, writer: StrandsWriter) -> None:
        """Keep in the messages what their blocks and roles cannot hold."""
        first, last = self.messages[0], self.messages[-1]
        note_usage(last, self.rest.get("metadata"), self.issuer)
        for key, value in _custom(self.rest).items():
            if key != OURS:
                first.metadata.setdefault(key, value)
        written = [writer.item(block, msg) for msg in self.messages for block in msg.blocks]
        told = [one for one in written if one is not None]
        kept: JsonObject = {"message": self.rest} if self.rest else {}
        if len(told) == len(self.items) and (notes := keep_items(told, self.items)):
            kept["items"] = notes
        if self.issuer and self.messages[0].role == "assistant":
            kept["issuer"] = self.issuer
        if kept:
            first.metadata[TARGET] = kept


def _custom(rest: JsonObject) -> Mapping[str, Any]:
    """Return what the program, and a bridge, have noted on a message."""
    metadata = rest.get("metadata")
    custom = metadata.get("custom") if isinstance(metadata, Mapping) else None
    return custom if isinstance(custom, Mapping) else {}


def _no_message(value: object, path: str) -> NotMessages:
    return NotMessages(
        f"{show(value)} is no message of Strands",
        path=path,
        hint='{"role": "user", "content": [{"text": text}]}, or agent.messages',
        code="messages.type",
    )


def _read_prompt(parts: Any) -> list[Msg]:
    """Read the system prompt of an agent, if it has one."""
    items = read_parts_of(parts or ())
    content = join_text([read_item(item, CONVERSE) for item in items])
    return [Msg.create_unchecked("", content, "system")] if content else []


def _read(item: Any, issuer: str, path: str) -> _ReadMessage:
    """Read one message; it may have been made of several."""
    if callable(getattr(item, "to_message", None)):
        item = item.to_message()
    if isinstance(item, Mapping) and isinstance(item.get("message"), Mapping):
        redacted = item.get("redact_message")  # a `SessionMessage` as it is stored
        item = redacted if isinstance(redacted, Mapping) else item["message"]
    role = item.get("role") if isinstance(item, Mapping) else None
    content = item.get("content") if isinstance(item, Mapping) else None
    if role not in ("user", "assistant") or not isinstance(content, list):
        raise _no_message(item, path)
    if not all(isinstance(part, Mapping) for part in content):
        raise _no_message(item, path)
    items = read_parts_of(content)
    rest = {key: value for key, value in item.items() if key not in ("role", "content")}
    note = _custom(rest).get(OURS)
    # a note says whose signatures there are, and was made where that was not known
    noted = [read_item(one, UNKNOWN) for one in items] if note is not None else []
    found = read_parts(note, noted)
    if found is None:
        found = [make_message(role, [read_item(one, issuer) for one in items])]
        return _ReadMessage(found, items, rest, issuer)
    return _ReadMessage(found, items, rest)


def make_message(role: str, blocks: Sequence[ContentBlock]) -> Msg:
    """Return the message that blocks are without a note."""
    is_results = bool(blocks) and all(isinstance(block, ToolResultBlock) for block in blocks)
    msg = Msg.create_unchecked(
        "",
        join_text(blocks),
        "assistant" if role == "assistant" else "tool" if is_results else "user",
    )
    origins = [block.origin for block in blocks if block.origin is not None]
    msg.origin = origins[0] if origins else None
    return msg


def note_usage(msg: Msg, metadata: Any, issuer: str) -> None:
    """Note the usage that metadata of theirs tell, unless a note of ours has told it.

    Args:
        msg: The message.
        metadata: The metadata of the message of theirs; anything else tells none.
        issuer: Whose figures they are.
    """
    usage = metadata.get("usage") if isinstance(metadata, Mapping) else None
    if not isinstance(usage, Mapping) or (msg._metadata and "usage" in msg.metadata):
        return
    figures = {ours: usage.get(name) for name, ours in USAGE}
    known: dict[str, Any] = {name: value for name, value in figures.items() if type(value) is int}
    cached = known.get("cache_read", 0)
    if issuer in _WHOLE and cached <= known.get("input", 0):
        known["input"] = known.get("input", 0) - cached
    if any(known.values()):
        AnswerNotes(Usage(**known)).note_on(msg)
