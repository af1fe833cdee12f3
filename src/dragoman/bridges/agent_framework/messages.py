"""Messages of Agent Framework and ours, each as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ...errors import NotMessages
from ...losses import PolicyLike, Report
from ...message import Finish, Msg, Origin, TextBlock, Usage
from ...message.blocks import ContentBlock
from ...message.msg import ROLES
from ...protocols.shared_finish_words import read_finish
from ...text.json_text import JsonObject
from ...text.redaction import show
from ..noted import NotedMessages
from ..results import (
    AnswerNotes,
    Bridged,
    Said,
    finish_bridge,
    load_package,
    lose_extras,
    say_runs,
    take_said,
    text_or_none,
)
from .contents import TARGET, ContentWriter, find_issuer, read_contents

_PACKAGE = "agent-framework-core"
_PLACE = "additional_properties"
_COUNTS = (
    ("cache_read", "cache_read_input_token_count"),
    ("cache_write", "cache_creation_input_token_count"),
    ("output", "output_token_count"),
    ("reasoning", "reasoning_output_token_count"),
    ("total", "total_token_count"),
)


def read_messages(messages: Any, *, policy: PolicyLike = "log") -> Bridged[Msg]:
    """Read messages of Agent Framework.

    >>> read_messages([{"role": "user", "contents": ["Where is Paris?"]}]).messages
    [Msg('', 'Where is Paris?', 'user')]

    Args:
        messages: What an agent is run with (messages, contents, texts), as objects or as what their
            `to_dict` gives, or the answer of an agent or of a chat client.
        policy: What to do about losses.

    Returns:
        The messages. Usage, finish and model of an answer are in the metadata of its last one.

    Raises:
        NotMessages: Something is no message; `path` names it.
        LossRefused: The policy refuses a loss.
    """
    answer: Any = None
    root = "$"
    if not isinstance(messages, Mapping) and hasattr(messages, "messages"):
        answer, messages, root = messages, messages.messages, "$.messages"
    if isinstance(messages, (str, Mapping)) or hasattr(messages, "to_dict"):
        messages = [messages]
    if isinstance(messages, bytes) or not isinstance(messages, Iterable):
        raise _no_message(messages, root)
    reader = NotedMessages(_Message())
    found = [reader.read(_raw(item, f"{root}[{i}]")) for i, item in enumerate(messages)]
    if answer is not None and found:
        _read_answer(answer).note_on(found[-1])
    return finish_bridge(found, Report(target=TARGET), policy)


def write_messages(messages: Iterable[Said] | Said, *, policy: PolicyLike = "log") -> Bridged[Any]:
    """Write messages as `Message`s of Agent Framework.

    Args:
        messages: Messages and answers of a model.
        policy: What to do about losses.

    Returns:
        The messages, as objects of Agent Framework, and the losses.

    Raises:
        NotMessages: Something is neither a message nor an answer.
        ConfigError: Agent Framework is not installed.
        LossRefused: The policy refuses a loss.
    """
    package = load_package("agent_framework", _PACKAGE)
    said, report = take_said(messages, TARGET)
    form = _Message(package.Content.from_dict)
    written = NotedMessages(form, package.Message.from_dict).write(said, report)
    return finish_bridge(written, report, policy)


def _no_message(value: object, path: str) -> NotMessages:
    return NotMessages(
        f"{show(value)} is no Message of Agent Framework",
        path=path,
        hint='Message("user", [text]), or {"role": "user", "contents": [text]}',
        code="messages.type",
    )


# -- their messages as JSON -----------------------------------------------------------------------


def _raw(item: Any, path: str) -> JsonObject:
    """Return a message as its `to_dict` writes it."""
    if callable(dump := getattr(item, "to_dict", None)):
        item = dump()
    if isinstance(item, str):
        item = {"role": "user", "contents": [item]}
    if isinstance(item, Mapping) and not item.keys() & {"role", "contents"} and "type" in item:
        item = {"role": "user", "contents": [item]}  # a content by itself
    given = item if isinstance(item, Mapping) else {}
    role, contents, own = given.get("role"), given.get("contents"), given.get(_PLACE)
    if isinstance(contents, str):
        contents = [contents]
    texts = (given.get("author_name"), given.get("message_id"))
    if not isinstance(role, str) or not isinstance(contents, list | None):
        raise _no_message(item, path)
    if not isinstance(own, Mapping | None) or not all(isinstance(x, str | None) for x in texts):
        raise _no_message(item, path)
    found = {key: value for key, value in given.items() if value is not None}
    read = [_content(one, f"{path}.contents[{i}]") for i, one in enumerate(contents or ())]
    return {"type": "message", **found, "contents": read, _PLACE: dict(own or {})}


def _content(given: Any, path: str) -> JsonObject:
    """Return a content as its `to_dict` writes it."""
    if callable(dump := getattr(given, "to_dict", None)):
        given = dump()
    if isinstance(given, str):
        given = {"type": "text", "text": given}
    if not isinstance(given, Mapping) or not isinstance(given.get("type"), str):
        raise _no_message(given, path)
    found = {key: value for key, value in given.items() if value is not None}
    if not isinstance(own := found.get(_PLACE, {}), Mapping):
        raise _no_message(given, path)
    for name in ("items", "inputs", "outputs"):
        if isinstance(inner := found.get(name), list) and all(isinstance(x, dict) for x in inner):
            if name == "items" or all("type" in one for one in inner):
                found[name] = [_content(one, f"{path}.{name}[{i}]") for i, one in enumerate(inner)]
        elif name == "items" and name in found:
            raise _no_message(given, path)
    if found["type"] == "function_call":
        found.setdefault("hosted", False)
    return {**found, _PLACE: dict(own)}


class _Message:
    """One message of Agent Framework as JSON, see `noted.ForeignMessage`."""

    target = TARGET
    place = _PLACE

    def __init__(self, make_content: Callable[[JsonObject], Any] = dict) -> None:
        self._make_content = make_content

    def remember(self, raw: JsonObject) -> None:
        """Remember nothing: a result has the id of its call."""

    def runs(self, msg: Msg) -> list[tuple[str, list[ContentBlock]]]:
        """Split a message into results, which are in a message of the tools, and the rest."""
        found: list[tuple[str, list[ContentBlock]]] = []
        for kind, blocks in say_runs(msg):
            if found and found[-1][0] == kind:
                found[-1][1].extend(blocks)
            else:
                found.append((kind, [*blocks]))
        return found

    def read(self, raw: JsonObject) -> Msg:
        """Read a message."""
        blocks = read_contents(raw["contents"])
        role = raw["role"]
        msg = Msg.create_unchecked(raw.get("author_name") or "", blocks, "user")
        if role in ROLES:
            msg.role = role
        if len(blocks) == 1 and blocks == [TextBlock(getattr(blocks[0], "text", ""))]:
            msg.content = blocks[0].text  # type: ignore[union-attr]
        msg._id = text_or_none(raw.get("message_id"))
        if raw[_PLACE]:
            msg.metadata[TARGET] = {_PLACE: raw[_PLACE]}
        if role == "assistant" and (issuer := find_issuer(raw["contents"])):
            msg.origin = Origin(issuer)
        return msg

    def write(self, msg: Msg, report: Report) -> JsonObject:
        """Write a message."""
        if msg.cache is not None:
            report.add_loss("cache.unsupported", msg, "cache")
        lose_extras(report, msg, msg.extras)
        own = (msg._metadata or {}).get(TARGET)
        kept = own.get(_PLACE) if isinstance(own, Mapping) else None
        raw: JsonObject = {"type": "message", "role": msg.role}
        raw["contents"] = ContentWriter(msg, report, self._make_content).write(msg.blocks)
        if msg.name:
            raw["author_name"] = msg.name
        if msg._id:
            raw["message_id"] = msg._id
        return {**raw, _PLACE: dict(kept) if isinstance(kept, Mapping) else {}}


# -- answers --------------------------------------------------------------------------------------


def _read_answer(answer: Any) -> AnswerNotes:
    """Read what is known of an answer of a chat client, or of an agent."""
    finish = getattr(answer, "finish_reason", None)
    found: Finish | None = read_finish(str(finish), {}) if isinstance(finish, str) else None
    counts = getattr(answer, "usage_details", None)
    return AnswerNotes(
        _read_usage(counts) if isinstance(counts, Mapping) else None,
        found,
        text_or_none(getattr(answer, "model", None)),
        text_or_none(getattr(answer, "response_id", None)),
    )


def _read_usage(counts: Mapping[str, Any]) -> Usage | None:
    """Read counts; those of the input include what was cached."""
    given = {key: value for key, value in counts.items() if type(value) is int}
    figures: dict[str, Any] = {ours: given.get(theirs) for ours, theirs in _COUNTS}
    found = Usage(**figures)
    if (inputs := given.get("input_token_count")) is not None:
        found.input = max(inputs - (found.cache_read or 0) - (found.cache_write or 0), 0)
    return found if found != Usage() else None
