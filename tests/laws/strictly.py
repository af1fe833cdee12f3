"""What the strict validators say of a request as a wire writes it."""

from __future__ import annotations

import re
from itertools import dropwhile
from typing import Any

from dragoman import Wire
from dragoman.message import Written
from tests.contract.strict import validate

__all__ = ["list_faults", "refused"]

# the protocols' own providers go by no vendor's name there
HOSTS = {"openai": "", "anthropic": "", "gemini": "", "vertex": "", "bedrock": "", "mistral": ""}
IN_PATH = re.compile(r"/models?/([^/:]+(?::\d+)?)")
# A list is no request yet: who speaks first and last is for whoever sends it to say. AgentScope 1's
# own, letter for letter, are empty texts (Gemini's Developer API took them, recorded) and the form
# of a DashScope turn that only calls.
OF_REQUESTS = {"dashscope.no_user", "bedrock-converse.first", "gemini.empty_text",
               "dashscope.null_text", "mistral.last"}  # fmt: skip
FIRST = ("gemini.call_place", (0,))
TOPPED = ("anthropic", "bedrock-converse")
LISTS = {"gemini": "contents", "openai-responses": "input"}


def refused(wire: Wire, out: Written) -> list[str]:
    """What a provider would refuse of a whole request; it may end in calls nobody carried out."""
    named = IN_PATH.search(out.path)
    found = validate(
        wire.room.protocol,
        out.body,
        model=named.group(1) if named else None,
        host=_host(wire),
        open_end=True,
    )
    return [str(fault) for fault in found]


def list_faults(wire: Wire, messages: list[Any]) -> list[str]:
    """What a provider would refuse of a plain list, whoever writes the rest of the request."""
    protocol = wire.room.protocol
    if protocol in TOPPED:  # whoever sends it puts the prompt in its own place
        messages = list(dropwhile(lambda message: message.get("role") == "system", messages))
    body: dict[str, Any] = {LISTS.get(protocol, "messages"): messages}
    body = {"input": body} if protocol == "dashscope" else body
    at = "input" if protocol == "dashscope" else next(iter(body))
    found = validate(protocol, body, model="", host=_host(wire), open_end=True)
    return [
        str(fault)
        for fault in (found if messages else ())
        if fault.path[:1] == (at,)
        and fault.rule.name not in OF_REQUESTS
        and (fault.rule.name, fault.path[1:]) != FIRST
    ]


def _host(wire: Wire) -> str:
    return HOSTS.get(wire.vendor.name, wire.vendor.name) if wire.vendor else ""
