"""What every bridge gives and shares: results with losses, limits, and notes of an answer.

A message has no place for the usage of the answer that it was, nor for why that ended. A bridge
keeps both in `Msg.metadata`, under the same keys for every library: `usage`, `finish`, `model` and
`answer_id`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from importlib import import_module
from typing import Any, Generic, TypeAlias, TypeVar, get_args

from ..errors import ConfigError, NotMessages, ReadError
from ..losses import Losses, PolicyLike, Report
from ..losses import policy as policy_of
from ..losses.policies import LossLog
from ..message import ChatResponse, Finish, Msg, Usage, check_messages, places
from ..message.answer import FinishReason
from ..message.blocks import (
    ANSWER,
    HEALED,
    NOTES,
    ContentBlock,
    Extras,
    ToolUseBlock,
    plain_value,
)
from ..text.json_text import JsonObject, arguments, loads
from ..text.redaction import Shown, show

_T = TypeVar("_T")
Said: TypeAlias = Msg | ChatResponse
_LOGS: defaultdict[str, LossLog] = defaultdict(LossLog)  # by bridge
_REASONS = frozenset(get_args(FinishReason))
_FIGURES = frozenset(f.name for f in fields(Usage))
# the keys of `Msg.metadata` that hold notes of an answer
NOTED = ("usage", "finish", "model", "answer_id")


@dataclass(slots=True, repr=False)
class Bridged(Shown, Generic[_T]):
    """Messages on the other side of a bridge, and the report of what did not come across.

    Attributes:
        messages: The messages.
        report: What could not be carried; each loss names its place in the source.
    """

    messages: list[_T]
    report: Report = field(repr=False)

    @property
    def losses(self) -> Losses:
        """What could not be carried, or was changed."""
        return self.report.losses


@dataclass(frozen=True, slots=True)
class BridgeLimit:
    """Something of ours that the messages of another library cannot hold.

    Attributes:
        what: What it is.
        instead: What is written instead, and so what comes back.
        code: The code of the loss that reports it; empty if a model sees no difference.
        zh: `what` and `instead` in Chinese.
    """

    what: str
    instead: str
    code: str = ""
    zh: tuple[str, str] = ("", "")


@dataclass(slots=True)
class AnswerNotes:
    """What is known of the answer that a message was.

    Attributes:
        usage: Its tokens.
        finish: Why it ended.
        model: The model that gave it.
        id: The provider's id of it.
    """

    usage: Usage | None = None
    finish: Finish | None = None
    model: str | None = None
    id: str | None = None

    def note_on(self, msg: Msg) -> None:
        """Write the notes into the metadata of a message.

        Args:
            msg: The message.
        """
        values = {
            "usage": plain_value(self.usage) if self.usage is not None else None,
            "finish": plain_value(self.finish) if self.finish is not None else None,
            "model": self.model,
            "answer_id": self.id,
        }
        if self.finish is not None:
            values["finish"] = {"reason": self.finish.reason, "raw": self.finish.raw}
        found = {key: value for key, value in values.items() if value}
        if found:
            msg.metadata.update(found)


def read_notes(said: Said) -> AnswerNotes:
    """Read what is known of an answer, from it or from the metadata of its message.

    Args:
        said: An answer, or a message; values of another form in its metadata are no notes.
    """
    if isinstance(said, ChatResponse):
        figures = [getattr(said.usage, name) for name in _FIGURES]
        usage = said.usage if any(value is not None for value in figures) else None
        return AnswerNotes(usage, said.finish, said.model, said.id)
    if said._metadata is None:
        return AnswerNotes(model=None if said.origin is None else said.origin.model)
    found = said.metadata
    notes = AnswerNotes()
    usage, finish = found.get("usage"), found.get("finish")
    if isinstance(usage, Usage):
        notes.usage = usage
    elif isinstance(usage, Mapping) and usage.keys() <= _FIGURES:
        notes.usage = Usage(**usage)
    if isinstance(finish, Mapping) and finish.get("reason") in _REASONS:
        notes.finish = Finish(finish["reason"], finish.get("raw"))
    notes.model = text_or_none(found.get("model"))
    if notes.model is None and said.origin is not None:
        notes.model = said.origin.model
    notes.id = text_or_none(found.get("answer_id"))
    return notes


def text_or_none(value: Any) -> str | None:
    """Return the value if it is a text that is not empty."""
    return value if isinstance(value, str) and value else None


def load_package(name: str, package: str) -> Any:
    """Import a module of another library.

    Args:
        name: The module.
        package: What pip calls the package.

    Raises:
        ConfigError: It is not installed, or cannot be imported.
    """
    try:
        return import_module(name)
    except ImportError as error:
        text = f"this bridge needs the package {package}, which cannot be imported: {error}"
        hint = f"pip install {package}"
        raise ConfigError(text, hint=hint, code="bridge.no_library") from error


def take_said(messages: Any, target: str) -> tuple[list[Said], Report]:
    """Return what is to be written, and an empty report on it.

    Args:
        messages: Messages and answers.
        target: The name of the bridge.

    Raises:
        NotMessages: The value holds something else.
    """
    if isinstance(messages, (Msg, ChatResponse)):
        messages = [messages]
    if isinstance(messages, (str, bytes, Mapping)) or not isinstance(messages, Iterable):
        fault = f"expected a list of Msg, not {show(messages)}"
        raise NotMessages(fault, path="$.messages", hint="[Msg.user(text)]", code="messages.type")
    said: list[Said] = [*messages]
    check_messages([as_msg(one) for one in said])
    return said, Report([as_msg(one) for one in said], None, places, target)


def as_msg(said: Any) -> Any:
    """Return the message of an answer; anything else unchanged."""
    return said.msg if isinstance(said, ChatResponse) else said


def finish_bridge(messages: list[_T], report: Report, policy: PolicyLike) -> Bridged[_T]:
    """Judge the losses, and return the result.

    Args:
        messages: The messages on the other side.
        report: The losses.
        policy: What to do about them.

    Raises:
        LossRefused: The policy refuses a loss.
    """
    if report.kinds:
        policy_of(policy).judge(report, _LOGS[report.target])
    return Bridged(messages, report)


def lose_extras(
    report: Report, node: Any, extras: Extras | None, carried: Sequence[str] = ()
) -> None:
    """Report the fields of providers that the other side has no place for.

    Args:
        report: Where they are reported.
        node: The node that has them.
        extras: Its extras.
        carried: The issuers whose fields were written.
    """
    for issuer, own in (extras or {}).items():
        if issuer in carried or issuer == HEALED or issuer.endswith(NOTES):
            continue
        if issuer.endswith(ANSWER):
            for name in own:
                report.add_loss("extras.answer", node, f"extras.{issuer}.{name}")
        else:
            report.add_extras_losses(node, issuer, own)


def author_to_note(msg: Msg, named: str) -> str:
    """Return the issuer of an answer with thinking, if the other library's name says another.

    Chat Completions of any host have OpenAI's name there, and thinking goes back to its author.

    Args:
        msg: The answer.
        named: The issuer that is read from the name of its provider.
    """
    author = msg.origin.issuer if msg.origin is not None else ""
    thinks = any(block.type == "thinking" for block in msg.blocks)
    return author if thinks and author != named else ""


def own_fields(extras: Extras | None, *issuers: str) -> JsonObject:
    """Return the fields of these issuers in one new object; the first issuer's count.

    Args:
        extras: The extras of a node.
        issuers: The issuers.
    """
    found: JsonObject = {}
    for issuer in reversed(issuers):
        found.update((extras or {}).get(issuer) or {})
    return found


def argument_text(call: ToolUseBlock) -> str:
    """Return the arguments of a call as the model wrote them, or as JSON if it wrote others.

    A text that is no JSON of the arguments, such as `null` for none, is left to libraries that
    would take it for something else.

    Args:
        call: The call.
    """
    text, value = call.raw_input, call.input
    if text is None:
        return value if isinstance(value, str) else arguments(value)
    if type(value) is not dict or not text:
        return text
    try:
        return text if loads(text) == value else arguments(value)
    except ReadError:
        return arguments(value)


def wrap_arguments(call: ToolUseBlock) -> JsonObject:
    """Return the arguments of a call that must not be run, for a library that takes objects alone.

    There are two, so that no tool takes them by chance: LlamaIndex gives the value of a single one
    to a tool with one parameter, whatever their names are, and many tools have an `input`.

    Args:
        call: A call whose arguments are no object, or that is unfinished.
    """
    error = "the call is unfinished" if call.unfinished else "no JSON object"
    return {"input": argument_text(call), "error": error}


def say_runs(msg: Msg) -> list[tuple[str, list[ContentBlock]]]:
    """Split a message into tool results, each alone, and what stands between them.

    Args:
        msg: The message.

    Returns:
        (`result` or `blocks`, the blocks) of each, in order.
    """
    runs: list[tuple[str, list[ContentBlock]]] = []
    for block in msg.blocks if not isinstance(msg.content, str) else ():
        if block.type == "tool_result":
            runs.append(("result", [block]))
        elif runs and runs[-1][0] == "blocks":
            runs[-1][1].append(block)
        else:
            runs.append(("blocks", [block]))
    return runs or [("blocks", list(msg.blocks) if msg.content else [])]
