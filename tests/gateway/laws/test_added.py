"""Law 4: what a client did not send is not in the upstream body, unless the losses say so.

Every leaf of the body is one of the client's, or a part of one, or stands in a table of what says
the same in other words; or a loss names it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

import pytest

from dragoman.gateway.exchange.exchange import GatewayExchange
from dragoman.gateway.surfaces import ClientRequest
from dragoman.losses import Loss
from tests.contract.agents.recorded import AGENTS, CORPUS
from tests.each_case import each_case
from tests.gateway.corpus.asking import asked_body
from tests.gateway.corpus.kinds import CLIENTS, UPSTREAMS, gateway
from tests.gateway.corpus.requests import of_agents

from .sessions import begun
from .test_prefix import request_of

# what says by its key what kind of thing stands beside it; the official types judge these
KINDS = {"type", "role"}
# (upstream, key, value): what the wire wants where another says nothing
SAME: set[tuple[str, str, Any]] = {
    ("openai-responses", "strict", False),  # it would be turned on
    ("ollama", "stream", False),
    ("openai-responses", "status", "completed"),
}
# how much is thought, and whether it is shown: each wire has words of its own for what was asked
THOUGHT = {"reasoning_effort", "effort", "summary", "display", "thinkingLevel", "think",
           "thinkingBudget", "includeThoughts", "budget_tokens"}  # fmt: skip
ASKED_THOUGHT = ("reasoning_effort", "reasoning", "thinking", "thinkingConfig", "think",
                 "output_config")  # fmt: skip
# words of the package's own, each with the losses that tell of them
WORDS = {
    "text": ("media.moved", "system.reminder"),
    "description": ("schema.described", "tool.freeform", "tools.grouped"),
    "thoughtSignature": ("call.bypass",),
}


def invented(kind: str, body: dict[str, Any], sent: Any, losses: Iterable[Loss]) -> list[str]:
    """The leaves of `sent` that are not the client's, and that nothing names."""
    said = [*_texts(body)]
    texts = [one for one in said if isinstance(one, str)]
    found = []
    for key, value, path in _leaves(sent):
        if key in KINDS or path == "$.model" or (kind, key, value) in SAME or value is None:
            continue
        if key in THOUGHT and any(f'"{name}"' in json.dumps(body) for name in ASKED_THOUGHT):
            continue
        if value in said or (isinstance(value, str) and _is_of(value, texts)):
            continue
        if not any(_names(loss, key, value) for loss in losses):
            found.append(f"{path}: {value!r:.80}")
    return found


def _names(loss: Loss, key: str, value: Any) -> bool:
    """Whether a loss tells of what was added, changed, or made in the place of something."""
    if loss.code in WORDS.get(key, ()):
        return True
    told = f"{loss.what} {loss.did} {loss.where}"
    return key in told or (str(value) in told and loss.kind != "dropped")


def _is_of(value: str, texts: list[str]) -> bool:
    """Whether it is a text of the client's, a part of one, or several one behind the other."""
    value = value.partition(";base64,")[2] or value  # a data: URL
    if any(value in text or value.lower() == text.lower() for text in texts):
        return True
    rest = value
    for text in sorted({text for text in texts if len(text) > 1}, key=len, reverse=True):
        rest = rest.replace(text, "")
    return not rest.strip(" \n\t_,:;[]{}\"'\\-")


def _leaves(value: Any, path: str = "$") -> Iterator[tuple[str, Any, str]]:
    if isinstance(value, (dict, list)):
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            below = f"{path}.{key}" if isinstance(value, dict) else f"{path}[{key}]"
            yield from _leaves(one, below)
    elif isinstance(value, str) and (inner := _parsed(value)) is not None:
        yield from _leaves(inner, path)
    else:
        yield path.rpartition(".")[2].partition("[")[0], value, path


def _texts(value: Any) -> Iterator[Any]:
    """All leaves, and keys; of a text that holds JSON its leaves too."""
    if isinstance(value, dict):
        yield from value
    if isinstance(value, (dict, list)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)
        return
    yield value
    if isinstance(value, str) and (inner := _parsed(value)) is not None:
        yield from _texts(inner)


def _parsed(text: str) -> Any:
    """The object or list that a text spells; None for any other."""
    try:
        return json.loads(text) if text[:1] in ("{", "[") else None
    except ValueError:
        return None


def _sent(kind: str, request: ClientRequest) -> tuple[Any, list[Loss]] | None:
    """(what goes to the upstream, its losses); None for bytes that pass, and for refusals."""
    exchange = gateway(UPSTREAMS[kind], on_fault="drop").open(request)
    if not isinstance(exchange, GatewayExchange) or exchange.passes or exchange.kind != "generate":
        return None
    return json.loads(exchange.call().body), [*exchange.record.losses]


@each_case(("kind", "protocol"), [*product(UPSTREAMS, CLIENTS)])
def test_nothing_is_invented(kind: str, protocol: str) -> None:
    for body in (begun(protocol), asked_body(protocol, stream=False)):
        made = _sent(kind, request_of(protocol, body))
        if made is not None:
            assert invented(kind, body, *made) == []


def test_what_is_invented_is_found() -> None:
    body = begun("openai-chat")
    made = _sent("anthropic", request_of("openai-chat", body))
    assert made is not None
    changed = {**made[0], "temperature": 0.7, "metadata": {"user_id": "somebody"}}
    found = ["$.temperature: 0.7", "$.metadata.user_id: 'somebody'"]
    assert invented("anthropic", body, changed, made[1]) == found
    unnamed = [loss for loss in made[1] if loss.code != "max_tokens.default"]
    assert invented("anthropic", body, made[0], unnamed) == ["$.max_tokens: 16384"]


@pytest.mark.skipif(not CORPUS.is_dir(), reason="needs the recorded agents in ../shared/corpus")
@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("kind", UPSTREAMS)
def test_nothing_is_invented_for_agents(kind: str, agent: str) -> None:
    found = []
    for one in list(of_agents(agent))[1::6]:
        made = _sent(kind, one.request)
        if made is not None:
            found += [(one.id, fault) for fault in invented(kind, one.body, *made)]
    assert found == []
