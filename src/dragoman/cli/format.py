"""`dragoman format`: our messages in, what one wire takes out. Losses go to stderr.

Puts together what the library offers; decides nothing about messages itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from .._core.jsontext import JsonObject
from ..errors import LossRefused, WriteError
from ..formatter import Formatter
from ..losses import Loss
from ..message import ChatRequest
from . import options
from .inputs import Conversation, Work, read
from .options import Losses
from .output import CommandError, json_text, say_or_save, tell


def format_messages(
    to: options.To,
    file: options.File = "-",
    multi_agent: options.MultiAgent = False,
    speakers: options.Speakers = None,
    model: options.Model = None,
    max_tokens: options.Budget = None,
    counter: options.Counter = "char",
    request: options.Request = False,
    output: options.Output = "-",
    as_json: options.Json = False,
    policy: options.PolicyName = Losses.log,
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
    found, lines = read(file)
    told = not as_json and policy is not Losses.ignore
    say_or_save(_texts(found, lines, formatter, request, as_json, told), output)


def _texts(
    found: list[Work], lines: bool, formatter: Formatter, request: bool, as_json: bool, told: bool
) -> Iterator[str]:
    """The JSON text for each conversation, losses in it or told on stderr; ends at a refusal."""
    for work in found:
        try:
            made, losses = _formatted(work.said, formatter, request)
        except WriteError as error:
            refused = error.losses if isinstance(error, LossRefused) else []
            ended = CommandError.refused(error, work.place)
            if as_json:
                lost = [loss.to_dict() for loss in refused]
                yield json_text({"error": str(ended), "losses": lost}, lines)
            elif refused:
                tell(work.place, formatter.wire.name, refused)
            raise ended from error
        if as_json:
            made["losses"] = [loss.to_dict() for loss in losses]
        elif told and losses:
            tell(work.place, formatter.wire.name, losses)
        yield json_text(made if as_json or request else made["messages"], lines)


def _formatted(
    said: Conversation, formatter: Formatter, request: bool
) -> tuple[JsonObject, list[Loss]]:
    if not request:
        out = formatter.write(said)
        return {"messages": out.messages}, out.losses
    whole = said if isinstance(said, ChatRequest) else ChatRequest(said)
    sent = formatter.format_request(whole)
    return {"path": sent.path, "headers": sent.headers, "body": sent.body}, sent.losses
