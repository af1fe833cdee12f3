"""Turns of a session, of which a gateway knows the beginning, give what they give without it."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from itertools import cycle, islice
from typing import Any

import pytest

from dragoman.caches import CACHES
from dragoman.errors import DragomanError
from dragoman.gateway.config.settings import of_mapping
from dragoman.gateway.config.values import Config, Envelopes, Route, Target
from dragoman.gateway.exchange.gateway import Gateway
from dragoman.gateway.exchange.gateway_exchange import GatewayExchange
from dragoman.gateway.surfaces import ClientAnswer, ClientRequest, surfaces
from dragoman.message import known_history
from dragoman.message.known_history import KnownBeginning
from dragoman.text.json_text import loads
from tests.contract.agents.recorded import CORPUS
from tests.gateway.exchange.opening import KEY

MESSAGES = next(surface for surface in surfaces() if surface.protocol == "anthropic")
TARGETS = (
    "openai/openai-chat/gpt-5.5", "openai/openai-responses/gpt-5.5", "gemini/gemini-3.5-flash",
    "bedrock/bedrock-converse/anthropic.claude-opus-4-6-v1", "ollama/llama3.3",
    "anthropic/claude-opus-5-5", "deepseek/deepseek-chat",
)  # fmt: skip
Body = dict[str, Any]


@pytest.fixture(autouse=True)
def unknown() -> Iterator[None]:
    """Each test begins and ends without a known history, and without known tools."""
    forget()
    yield
    forget()


def forget() -> None:
    for name, cache in CACHES.items():
        if name.startswith("dragoman.message.known"):
            cache.clear()


def gateway(target: str, **more: Any) -> Gateway:
    route = Route(Target(target, secret="none"), models=("*",))
    # what another gateway has sealed in the recordings is dropped
    return Gateway(Config(routes=(route,), envelopes=Envelopes(on_fault="drop"), **more))


def ask(gateway: Gateway, data: bytes) -> tuple[Any, ...]:
    """Everything that a gateway makes of a request: what it would send, and what is lost."""
    exchange = gateway.open(ClientRequest("POST", "/v1/messages", "", {}, data), None)
    if isinstance(exchange, ClientAnswer):
        return exchange.status, exchange.body
    assert isinstance(exchange, GatewayExchange)
    try:
        call = exchange.call()
    except DragomanError as error:
        return type(error), str(error), error.path
    written, headers = exchange.written, exchange.headers()
    if written is None:  # passed on as it came
        return call.url, call.headers, call.body, headers
    losses = [loss.to_dict() for loss in written.losses]
    others = written.ids, written.names, written.properties, written.prefix, written.model
    return call.url, call.headers, call.body, headers, losses, others


def compact(body: Body) -> bytes:
    return json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()


def beginnings() -> list[KnownBeginning]:
    rows = known_history._BEGINNINGS._rows.values()
    return [beginning for found, _ in rows for beginning in found]


# -- sessions --------------------------------------------------------------------------------------


def block(kind: str, **fields: Any) -> Body:
    return {"type": kind, **fields}


def build_turn(count: int) -> Body:
    """The request of one turn, with the mark of a prompt cache on its last message."""
    image = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo" + "A" * 300}
    first = [block("text", text="Mend it, \u00e9\u4f60. " * 30), block("image", source=image)]
    messages: list[Body] = [{"role": "user", "content": first}]
    for n in range(count):
        name = ("read", "write file")[n % 2]
        call = block("tool_use", id=f"toolu {n}", name=name, input={"path": f"/{n}", "n": n})
        thought = block("thinking", thinking=f"Step {n}. " * 9, signature="s" * 40)
        result = block("tool_result", tool_use_id=call["id"], content="a line\n" * 9)
        if n % 3 == 2:
            result["content"] = [block("text", text="seen"), block("image", source=image)]
            result["is_error"] = True
        messages.append({"role": "assistant", "content": [thought, call]})
        messages.append({"role": "user", "content": [result]})
        if n % 4 == 3:
            messages.append({"role": "system", "content": "Do not forget the tests."})
    last = copy.deepcopy(messages[-1])
    if isinstance(last["content"], list):
        last["content"][-1]["cache_control"] = {"type": "ephemeral"}
    messages[-1] = last
    tools = [{"name": name, "description": "It works. " * 20, "input_schema": {"type": "object"}}
             for name in ("read", "write file")]  # fmt: skip
    return {"model": "claude-opus-5-5", "messages": messages, "max_tokens": 99, "stream": True,
            "system": "You mend programs.", "tools": tools}  # fmt: skip


def built_session() -> list[Body]:
    return [build_turn(count) for count in range(1, 11)]


def recorded_sessions() -> list[list[Body]]:
    """What Claude Code sent, by session, where the recordings are there."""
    if not CORPUS.is_dir():
        return []
    sessions: dict[str, list[Body]] = {}
    with (CORPUS / "claude.jsonl").open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            sessions.setdefault(row["session"], []).append(row["request"])
    return [*sessions.values()]


def edit(body: Body) -> Body:
    """The request with another text in its first message."""
    body = copy.deepcopy(body)
    message = body["messages"][0]
    message["content"] = "Something else. " + json.dumps(message["content"])
    return body


def fork(body: Body) -> Body:
    """The request without its last messages, which the user takes back."""
    back = [*body["messages"][:-2], {"role": "user", "content": "Otherwise, then."}]
    return {**body, "messages": back}


def compact_history(body: Body) -> Body:
    """The request with a summary in the place of all messages but the last."""
    summary = [block("text", text="What came before: all went well. " * 50)]
    return {**body, "messages": [{"role": "user", "content": summary}, body["messages"][-1]]}


def without_first(body: Body) -> Body:
    """The request without its first two messages, so that the others stand at other places."""
    return {**body, "messages": body["messages"][2:] or body["messages"]}


def twice(body: Body) -> Body:
    """The request with its messages sent twice over."""
    return {**body, "messages": [*body["messages"], *body["messages"]]}


VARIANTS: dict[str, Callable[[Body], Body]] = {
    "edited": edit,
    "forked": fork,
    "compacted": compact_history,
    "cut": without_first,
    "twice": twice,
    "another model": lambda body: {**body, "model": "claude-haiku-4-5"},
    "fewer tools": lambda body: {**body, "tools": body.get("tools", [])[1:]},
    "no tools": lambda body: {key: value for key, value in body.items() if key != "tools"},
    "another prompt": lambda body: {**body, "system": "Be brief."},
    "other options": lambda body: {**body, "max_tokens": 7, "temperature": 0.5, "stream": False},
    "tools first": lambda body: {"tools": body.get("tools", []), **body},
    "a list of the same name": lambda body: {
        "metadata": {"messages": body["messages"], "user_id": "u"}, **body
    },
    "one more element": lambda body: {**body, "messages": [*body["messages"], 7]},
}  # fmt: skip


def spellings(body: Body) -> Iterator[bytes]:
    """The request as clients may spell it."""
    yield compact(body)
    yield json.dumps(body).encode()
    yield json.dumps(body, separators=(",", ":")).encode()
    text = compact(body)
    yield text[:-1] + b',"messages":[{"role":"user","content":"The last one counts."}]}'
    yield text[:-1]  # no JSON


def sequences(start: int) -> Iterator[list[bytes]]:
    """Requests in the order in which a gateway may get them.

    Of each recorded session two of the changes, other ones for each `start`.
    """
    session = built_session()
    for change in VARIANTS.values():
        yield with_changes(session[3:6], change)
    changes = cycle([*VARIANTS.values()])
    for recorded in recorded_sessions():
        yield [compact(body) for body in recorded]
        for change in islice(changes, start, start + 2):
            yield with_changes(recorded[-2:], change)
    yield [data for body in session[4:8] for data in spellings(body)]
    yield [compact(body) for body in (*reversed(session), *session, *session)]


def with_changes(session: list[Body], change: Callable[[Body], Body]) -> list[bytes]:
    """Each request of a session, and after it the same one with a change."""
    return [compact(body) for turn in session for body in (turn, change(turn))]


@pytest.mark.parametrize("target", TARGETS)
def test_a_turn_is_sent_as_without_what_came_before(target: str) -> None:
    known, plain = gateway(target), gateway(target, sessions=False)
    for sequence in sequences(TARGETS.index(target)):
        forget()
        for data in (sequence[0], *sequence):  # what comes once is not kept
            assert ask(known, data) == ask(plain, data)
        check_unchanged()


def check_unchanged() -> None:
    """What is known is what reading its text gives: no request has changed it."""
    for beginning in beginnings():
        elements = loads(b"[%b]" % beginning.text)
        assert beginning.elements == elements
        body = {"model": beginning.origin.model, "messages": elements}  # type: ignore[attr-defined]
        fresh = MESSAGES.wire._read(body, None, None, keep=False, watched=False).messages
        assert list(map(show, beginning.msgs)) == list(map(show, fresh))


def show(node: Any) -> Any:
    """All that a message or block holds, as text."""
    if isinstance(node, list):
        return [show(item) for item in node]
    names = getattr(type(node), "__slots__", ())
    if not names:
        return repr(node)
    values = {name: getattr(node, name, None) for name in names}
    return {name: show(value) for name, value in values.items()} | {"type": type(node).__name__}


# -- what is known ---------------------------------------------------------------------------------


def read_counts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many messages each request reads from now on."""
    counts: list[int] = []
    plain = known_history.Turn.read

    def read(turn: Any, elements: Any, origin: Any, read: Any) -> Any:
        def read_part(part: Any) -> Any:
            counts.append(len(part))
            return read(part)

        return plain(turn, elements, origin, read_part)

    monkeypatch.setattr(known_history.Turn, "read", read)
    return counts


def test_only_what_is_new_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = read_counts(monkeypatch)
    one = gateway(TARGETS[0])
    for body in built_session()[2:]:
        ask(one, compact(body))
    # the first two show that the session goes on; then: the message with the mark, and two or three
    assert counts[:2] == [7, 10]
    assert set(counts[2:]) <= {3, 4}
    assert len(beginnings()) == 1


def test_it_can_be_turned_off_and_is_off_with_client_keys() -> None:
    off, keyed = gateway(TARGETS[0], sessions=False), gateway(TARGETS[0], keys=(KEY,))
    for body in built_session():
        ask(off, compact(body))
        keyed.open(ClientRequest("POST", "/v1/messages", "", {}, compact(body)), KEY)
    assert not beginnings()
    mapping = {"server": {"sessions": False}, "routes": [{"to": "openai/gpt-5.5"}]}
    assert not of_mapping(mapping).sessions
    assert of_mapping({"routes": mapping["routes"]}).sessions


def test_another_model_reads_the_messages_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = read_counts(monkeypatch)
    one = gateway(TARGETS[0])
    session = built_session()
    for body in session[-3:]:
        ask(one, compact(body))
    ask(one, compact({**session[-1], "model": "claude-haiku-4-5"}))
    assert counts[-1] == len(session[-1]["messages"])


def test_other_requests_take_no_more_than_the_bound() -> None:
    """Each session holds half a megabyte in the end; the oldest make room."""
    cache = CACHES["dragoman.message.known_history"]
    one = gateway(TARGETS[0])
    for n in range(100):
        for count in (2, 3):
            body = build_turn(count)
            body["messages"][0]["content"][0]["text"] = f"Session {n}. " * 40_000
            ask(one, compact(body))
    assert 0 < known_history._BEGINNINGS._size <= cache.most_bytes
    assert cache.entries() < 100
