"""`dragoman format`: our messages in, what one wire takes out. Losses go to stderr."""

from __future__ import annotations

from collections.abc import Iterator

from .._core.jsontext import JsonObject
from ..errors import LossRefused, WriteError
from ..formatter import Formatter
from ..losses import Loss
from ..message import ChatRequest
from . import inputs, options, output


def format_messages(
    to: options.To,
    file: options.File = "-",
    multi_agent: options.MultiAgent = False,
    speakers: options.Speakers = None,
    model: options.Model = None,
    max_tokens: options.Budget = None,
    counter: options.Counter = "char",
    request: options.Request = False,
    to_file: options.Output = "-",
    as_json: options.Json = False,
    policy: options.PolicyName = options.Losses.log,
    refuse: options.Refuse = None,
    allow: options.Allow = None,
    facts: options.Facts = None,
) -> None:
    """Format messages for a provider: JSON on stdout, losses on stderr.

    FILE holds a list of messages (each with name, role and content) or a stored request; JSONL
    holds a message on each line, or a conversation on each line, which gives a line of output.
    """
    formatter = Formatter(
        options.known(to),
        facts=options.facts(facts),
        model=model,
        speakers=options.speakers(speakers, multi_agent),
        max_tokens=max_tokens,
        token_counter=options.counter(counter) if max_tokens is not None else None,
        policy=options.policy(policy, refuse, allow),
    )
    conversations, lines = inputs.read_conversations(file)
    loud = not as_json and policy is not options.Losses.ignore
    output.print_or_save(_texts(conversations, lines, formatter, request, as_json, loud), to_file)


def _texts(
    conversations: list[tuple[str, inputs.Conversation]], lines: bool, formatter: Formatter,
    request: bool, as_json: bool, loud: bool,
) -> Iterator[str]:  # fmt: skip
    """The JSON text for each conversation, losses in it or on stderr; ends at a refusal."""
    for place, conversation in conversations:
        try:
            data, losses = _formatted(conversation, formatter, request)
        except WriteError as error:
            refused = error.losses if isinstance(error, LossRefused) else []
            failure = output.CommandError.refused(error, place)
            if as_json:
                yield output.failure_text(failure, refused, lines)
            elif refused:
                output.show_losses(place, formatter.wire.name, refused)
            raise failure from error
        if as_json:
            data["losses"] = [loss.to_dict() for loss in losses]
        elif loud and losses:
            output.show_losses(place, formatter.wire.name, losses)
        yield output.json_text(data if as_json or request else data["messages"], lines)


def _formatted(
    conversation: inputs.Conversation, formatter: Formatter, request: bool
) -> tuple[JsonObject, list[Loss]]:
    if not request:
        out = formatter.write(conversation)
        return {"messages": out.messages}, out.losses
    if not isinstance(conversation, ChatRequest):
        conversation = ChatRequest(conversation)
    written = formatter.format_request(conversation)
    data = {"path": written.path, "headers": written.headers, "body": written.body}
    return data, written.losses
