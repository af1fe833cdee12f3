"""Turns of a session, of which a gateway knows the beginning, give what they give without it."""

from __future__ import annotations

import copy
import gc
import importlib
import json
import tracemalloc
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import cycle, islice, product
from typing import Any

import pytest

import dragoman
from dragoman.caches import CACHES
from dragoman.errors import DragomanError
from dragoman.gateway.config.config_values import ClientKey, Config, Envelopes, Route, Target
from dragoman.gateway.config.read_toml import of_mapping
from dragoman.gateway.exchange.exchange import GatewayExchange
from dragoman.gateway.exchange.open_exchange import Gateway
from dragoman.gateway.exchange.tenancy import Tenancy
from dragoman.gateway.surfaces import ClientAnswer, ClientRequest, surfaces
from dragoman.message import known_history, known_tools
from dragoman.message.known_history import KnownBeginning
from dragoman.text.json_text import encode_json, loads
from tests.contract.agents.recorded import CORPUS
from tests.gateway.exchange.opening import KEY

SURFACES = {surface.protocol: surface for surface in surfaces()}
CHAT, RESPONSES = "openai/openai-chat/gpt-5.5", "openai/openai-responses/gpt-5.5"
CLAUDE, GEMINI = "anthropic/claude-opus-5-5", "gemini/gemini-3.5-flash"
BEDROCK = "bedrock/bedrock-converse/anthropic.claude-opus-4-6-v1"
OLLAMA, DEEPSEEK = "ollama/llama3.3", "deepseek/deepseek-chat"
# of each client: the agent that was recorded, where it sends, the field of its history, its targets
CLIENTS = {
    "anthropic": ("claude", "/v1/messages", "messages",
                  (CHAT, RESPONSES, GEMINI, BEDROCK, OLLAMA, CLAUDE, DEEPSEEK)),
    "openai-responses": ("codex", "/v1/responses", "input", (CHAT, CLAUDE, GEMINI, RESPONSES)),
    "gemini": ("gemini", "/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse",
               "contents", (CHAT, RESPONSES, CLAUDE, GEMINI)),
    "openai-chat": ("opencode", "/v1/chat/completions", "messages",
                    (CLAUDE, RESPONSES, GEMINI, OLLAMA, CHAT)),
}  # fmt: skip
CASES = [(client, target) for client, row in CLIENTS.items() for target in row[3]]
OTHER = ClientKey("eve", KEY.hash)
Body = dict[str, Any]


@pytest.fixture(autouse=True)
def unknown() -> Iterator[None]:
    """Each test begins and ends without a known history, and without known tools."""
    forget()
    yield
    forget()


def forget() -> None:
    for name, known in CACHES.items():
        if name.startswith("dragoman.message.known"):
            known.clear()


def gateway(target: str, **more: Any) -> Gateway:
    route = Route(Target(target, secret="none"), models=("*",))
    # what another gateway has sealed in the recordings is dropped
    return Gateway(Config(routes=(route,), envelopes=Envelopes(on_fault="drop"), **more))


def ask(
    gateway: Gateway, data: bytes, client: str = "anthropic", key: ClientKey | None = None
) -> tuple[Any, ...]:
    """Everything that a gateway makes of a request: what it would send, and what is lost."""
    path, _, query = CLIENTS[client][1].partition("?")
    exchange = gateway.open(ClientRequest("POST", path, query, {}, data), key)
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


@cache
def built_session(client: str = "anthropic") -> list[Body]:
    turns = [build_turn(count) for count in range(1, 11)]
    if client == "anthropic":
        return turns
    write = partial(dragoman.convert, source="anthropic", target=client, policy="ignore")
    return [grown(client, write(turns[min(n, 3)]).body, max(0, n - 3)) for n in range(10)]


def grown(client: str, body: Body, count: int) -> Body:
    """The request with some elements more, of those that its wire alone has."""
    field = CLIENTS[client][2]
    body[field] = [*body[field], *ODD[client][:count]]
    if client == "openai-responses":
        tool = {"type": "function", "name": "late", "parameters": {"type": "object"}}
        body[field].insert(1, {"type": "additional_tools", "tools": [tool]})
    return body


def said(*parts: Body) -> Body:
    return {"role": "model", "parts": [*parts]}


def called(name: str, **more: Any) -> Body:
    return {"functionCall": {"name": name, "args": {}, **more}}


def answered(name: str, **more: Any) -> Body:
    return {"role": "user", "parts": [{"functionResponse": {"name": name, "response": {}, **more}}]}


def output(id: str, text: str) -> Body:
    return {"type": "function_call_output", "call_id": id, "output": text}


LEGACY = {"role": "assistant", "content": None,
          "function_call": {"name": "read", "arguments": "{}"}}  # fmt: skip
# elements that come one by one at the end of a session; how one is read depends on those before it
ODD: dict[str, list[Any]] = {
    "gemini": [
        said(called("read"), called("read")), answered("read"), said(called("read")),
        answered("read"), said(called("read", id="call_1")), answered("read", id="call_1"),
        said({"text": "So."}),
    ],
    "openai-chat": [
        {"role": "assistant", "content": "Both.", "tool_calls": [
            {"id": id, "type": "function", "function": {"name": "read", "arguments": "{}"}}
            for id in ("a", "b")]},
        {"role": "tool", "tool_call_id": "b", "content": "one"},
        {"role": "tool", "tool_call_id": "a", "content": "two"},
        LEGACY, {"role": "function", "name": "read", "content": "three"},
        {"role": "user", "content": "And?", "name": "ann"},
    ],
    "openai-responses": [
        {"type": "reasoning", "summary": [], "encrypted_content": "x" * 40},
        {"role": "assistant", "content": "First."},
        {"type": "function_call", "call_id": "a", "name": "read", "arguments": "{}"},
        {"type": "function_call", "call_id": "b", "name": "read", "arguments": "{}"},
        output("b", "one"), output("a", "two"),
        {"role": "assistant", "content": [{"type": "output_text", "text": "So.", "id": "m"}]},
    ],
}  # fmt: skip


@cache
def recorded_sessions(client: str) -> list[list[Body]]:
    """What a client's agent sent, by session, where the recordings are there."""
    if not CORPUS.is_dir():
        return []
    sessions: dict[str, list[Body]] = {}
    with (CORPUS / f"{CLIENTS[client][0]}.jsonl").open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            sessions.setdefault(row["session"], []).append(row["request"])
    return [*sessions.values()]


def edit(body: Body, field: str) -> Body:
    """The request with another text in its first message."""
    text = json.dumps(body[field][0])
    return {**body, field: [loads(text.replace('text": "', 'text": "Else. ')), *body[field][1:]]}


def fork(body: Body, field: str) -> Body:
    """The request without its last messages, which the user takes back."""
    return {**body, field: [*body[field][:-2], body[field][0]]}


def compact_history(body: Body, field: str) -> Body:
    """The request with one long message in the place of all but the last."""
    first = json.dumps(body[field][0]).replace('text": "', 'text": "All went well. ' + "." * 2000)
    return {**body, field: [loads(first), body[field][-1]]}


def without_first(body: Body, field: str) -> Body:
    """The request without its first two messages, so that the others stand at other places."""
    return {**body, field: body[field][2:] or body[field]}


VARIANTS: dict[str, Callable[[Body, str], Body]] = {
    "edited": edit,
    "forked": fork,
    "compacted": compact_history,
    "cut": without_first,
    "twice": lambda body, field: {**body, field: [*body[field], *body[field]]},
    "another model": lambda body, _: {**body, "model": "claude-haiku-4-5"},
    "fewer tools": lambda body, _: {**body, "tools": body.get("tools", [])[1:]},
    "no tools": lambda body, _: {key: value for key, value in body.items() if key != "tools"},
    "another prompt": lambda body, _: {**body, "system": "Be brief.", "instructions": "Be brief."},
    "other options": lambda body, _: {**body, "max_tokens": 7, "stream": False},
    "tools first": lambda body, _: {"tools": body.get("tools", []), **body},
    "a list of the same name": lambda body, field: {
        "metadata": {field: body[field], "user_id": "u"}, **body
    },
    "one more element": lambda body, field: {**body, field: [*body[field], 7]},
}  # fmt: skip


def spellings(body: Body, field: str) -> Iterator[bytes]:
    """The request as clients may spell it."""
    yield compact(body)
    yield json.dumps(body).encode()
    yield json.dumps(body, separators=(",", ":")).encode()
    text = compact(body)
    yield text[:-1] + b',"%b":[%b]}' % (field.encode(), compact(body[field][0]))
    yield text[:-1]  # no JSON


def sequences(client: str, target: str) -> Iterator[list[bytes]]:
    """Requests in the order in which a gateway may get them.

    Each recorded session goes to one of the targets, with three of the changes: each change is
    made to recordings of each client, and to what is built for each target too.
    """
    session, field = built_session(client), CLIENTS[client][2]
    for change in VARIANTS.values():
        yield with_changes(session[3:6], change, field)
    changes = cycle([*VARIANTS.values()])
    for recorded, its_target in zip(
        recorded_sessions(client), cycle(CLIENTS[client][3]), strict=False
    ):
        three = [*islice(changes, 3)]
        if its_target == target:
            yield [compact(body) for body in recorded]
            for change in three:
                yield with_changes(recorded[-2:], change, field)
    yield [data for body in session[4:8] for data in spellings(body, field)]
    yield [compact(body) for body in (*reversed(session), *session, *session)]


def with_changes(
    session: list[Body], change: Callable[[Body, str], Body], field: str
) -> list[bytes]:
    """Each request of a session, and after it the same one with a change."""
    return [compact(body) for turn in session for body in (turn, change(turn, field))]


@pytest.mark.parametrize(("client", "target"), CASES)
def test_a_turn_is_sent_as_without_what_came_before(client: str, target: str) -> None:
    start = CASES.index((client, target))
    key = KEY if start % 2 else None
    keys = (KEY,) if key else ()
    known, plain = gateway(target, keys=keys), gateway(target, keys=keys, sessions=False)
    for sequence in sequences(client, target):
        forget()
        for data in (sequence[0], *sequence):  # what comes once is not kept
            assert ask(known, data, client, key) == ask(plain, data, client, key)
        check_unchanged(client)


def check_unchanged(client: str) -> None:
    """What is known is what reading its text gives: no request has changed it."""
    field = CLIENTS[client][2]
    for known in beginnings():
        elements = loads(b"[%b]" % known.text)
        if known.checked is not None:  # a check for a client key may change ids
            elements = loads(encode_json(known.elements))
        assert known.elements == elements
        body = {"model": getattr(known.origin, "model", known.origin), field: elements}
        fresh = SURFACES[client].wire._read(body, None, None, keep=False, watched=False).messages
        reading: Any = known.reading.copy()
        getattr(reading, "finish", list)()
        for mine, m in zip(reading.msgs, fresh, strict=True):
            m.origin = mine.origin  # the request sets it, in all messages
            assert show(mine) == show(m)


def show(node: Any) -> Any:
    """All that a message or block holds, as text."""
    if isinstance(node, list):
        return [show(item) for item in node]
    names = getattr(type(node), "__slots__", ())
    if not names:
        return repr(node)
    values = {name: getattr(node, name, None) for name in names}
    return {name: show(value) for name, value in values.items()} | {"type": type(node).__name__}


# the same, where nothing is unusual, and what only its own reader pairs
PARTS: dict[str, list[Any]] = {
    **ODD,
    "openai-chat": [
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": id, "type": "function", "function": {"name": id, "arguments": "{}"}}
            for id in ("a", "b")]},
        {"role": "tool", "tool_call_id": "a", "content": "one"},
        {"role": "tool", "tool_call_id": "b", "content": "two"},
        {"role": "assistant", "content": "So."},
        *ODD["openai-chat"], LEGACY, LEGACY, {"role": "function", "name": "read", "content": "x"},
    ],
    "openai-responses": [
        *ODD["openai-responses"],
        {"type": "shell_call", "call_id": "s", "environment": {"type": "container_auto"}},
        {"type": "shell_call_output", "call_id": "s", "output": []},
    ],
}  # fmt: skip


@pytest.mark.parametrize("client", CLIENTS)
def test_what_is_read_in_two_parts_is_what_is_read_at_once(client: str) -> None:
    """Unless the reader says that it is not, as with calls that get another id then."""
    elements = PARTS.get(client) or built_session()[3]["messages"]
    for end in range(2, len(elements) + 1):
        whole = read_parts(client, [elements[:end]])
        for cut in range(1, end):
            parts = read_parts(client, [elements[:cut], elements[cut:end]])
            assert parts in (None, whole), (cut, end)
            assert parts is not None or client in ("gemini", "openai-chat")


def read_parts(client: str, parts: list[list[Any]]) -> Any:
    """What the reader of a request makes of the parts; None if it has to read all at once."""
    kept: list[Any] = []

    def read(turn: Any, elements: Any, origin: Any, start: Any) -> Any:
        reading = start()
        for part in parts:
            if kept:  # another request read on from here as well
                other = reading.copy()
                reading = other and reading.copy()
                if other:
                    other.feed(part[::-1])
            if reading is None or not reading.feed(part):
                kept[:] = [None]
                reading = start()
                reading.feed([element for part in parts for element in part])
                return reading
            kept.append(part)
        return reading

    room = SURFACES[client].wire.room
    module = importlib.import_module(f"{type(room).__module__.rpartition('.')[0]}.request")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "read_elements", read)
        body = {"model": "m", CLIENTS[client][2]: [element for part in parts for element in part]}
        request, history = room.read_with_history(body, None, {})
    found = None if history is None else (history.roles, history.flags, history.calls,
                                          history.results, history.names)  # fmt: skip
    return None if kept == [None] else (show(request.messages), found)


# -- what is known ---------------------------------------------------------------------------------


def read_counts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many messages each request reads from now on."""
    counts: list[int] = []
    plain = known_history.ReadSingly.feed

    def feed(reading: Any, elements: Any) -> bool:
        if counts:
            counts[-1] += len(elements)
        return plain(reading, elements)

    begin = known_history.Turn.read

    def read(turn: Any, elements: Any, origin: Any, start: Any) -> Any:
        counts.append(0)
        return begin(turn, elements, origin, start)

    monkeypatch.setattr(known_history.ReadSingly, "feed", feed)
    monkeypatch.setattr(known_history.Turn, "read", read)
    return counts


@pytest.mark.parametrize("key", [None, KEY])
def test_only_what_is_new_is_read(monkeypatch: pytest.MonkeyPatch, key: ClientKey | None) -> None:
    counts = read_counts(monkeypatch)
    one = gateway(CHAT, keys=() if key is None else (key,))
    for body in built_session()[2:]:
        ask(one, compact(body), key=key)
    # the first two show that the session goes on; then: the message with the mark, and two or three
    assert counts[:2] == [7, 10]
    assert set(counts[2:]) <= {3, 4}
    assert len(beginnings()) == 1


@pytest.mark.parametrize("client", CLIENTS)
def test_each_client_s_beginning_is_known(client: str) -> None:
    one = gateway(CLIENTS[client][3][0])
    session = built_session(client)
    for body in session[3:8]:
        ask(one, compact(body), client)
    (known,) = beginnings()
    assert len(known.elements) == len(session[7][CLIENTS[client][2]]) - 1


def test_a_beginning_ends_where_an_element_does() -> None:
    """The first digits of a number are none: the longer one is remembered in its own place."""
    one, plain = gateway(GEMINI), gateway(GEMINI, sessions=False)
    first, *_, last = build_turn(3)["messages"]
    for number in (7, 77):
        data = compact({**build_turn(3), "messages": [first, first, number, last]})
        for _ in range(2):
            assert ask(one, data) == ask(plain, data)
        assert number in [known.elements[-1] for known in beginnings()]


def test_all_is_read_anew_where_what_is_new_needs_it() -> None:
    """A call brings the id that an earlier one without an id got, and is not the last element."""
    text = said({"text": "Mend it. " * 200})
    made, own = called("read"), called("read", id="call_1")
    start = [{**text, "role": "user"}, said(made), answered("read")]
    later = [said(own), answered("read", id="call_1"), said({"text": "So."})]
    body = {**built_session("gemini")[0], "contents": start}
    one, plain = gateway(CHAT), gateway(CHAT, sessions=False)
    for contents in (start, start, [*start, *later], [*start, *later, text]):
        data = compact({**body, "contents": contents})
        assert ask(one, data, "gemini") == ask(plain, data, "gemini")
    check_unchanged("gemini")


def test_it_can_be_turned_off() -> None:
    off = gateway(CHAT, sessions=False)
    for body in built_session():
        ask(off, compact(body))
    assert not beginnings()
    mapping = {"server": {"sessions": False}, "routes": [{"to": "openai/gpt-5.5"}]}
    assert not of_mapping(mapping).sessions
    assert of_mapping({"routes": mapping["routes"]}).sessions


def test_another_model_reads_the_messages_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = read_counts(monkeypatch)
    one = gateway(CHAT)
    session = built_session()
    for body in session[-3:]:
        ask(one, compact(body))
    ask(one, compact({**session[-1], "model": "claude-haiku-4-5"}))
    assert counts[-1] == len(session[-1]["messages"])


def test_other_requests_take_no_more_than_the_bound() -> None:
    """Each session holds half a megabyte in the end; the oldest make room."""
    most = CACHES["dragoman.message.known_history"]
    one = gateway(CHAT)
    for n in range(40):
        for count in (2, 3):
            body = build_turn(count)
            body["messages"][0]["content"][0]["text"] = f"Session {n}. " * 40_000
            ask(one, compact(body))
    assert 0 < known_history._BEGINNINGS._size <= most.most_bytes
    assert most.entries() < 40


@pytest.mark.parametrize("client", CLIENTS)
def test_the_memory_that_is_counted_is_enough(client: str) -> None:
    """For what was read, and for what the steps of two targets made of it."""
    both = [gateway(target) for target in CLIENTS[client][3][:2]]
    bodies = [compact(body) for body in built_session(client)[:10]]  # more take long to trace
    for data, one in product(bodies, both):
        ask(one, data, client)
    known_history._BEGINNINGS.clear()
    gc.collect()
    tracemalloc.start()
    try:
        for data, one in product(bodies, both):
            ask(one, data, client)
        gc.collect()
        counted, before = known_history._BEGINNINGS._size, tracemalloc.get_traced_memory()[0]
        known_history._BEGINNINGS.clear()
        gc.collect()
        assert 0 < before - tracemalloc.get_traced_memory()[0] < counted
    finally:
        tracemalloc.stop()


# -- client keys -----------------------------------------------------------------------------------


def known_for() -> set[str]:
    """Whose requests are known, of any kind."""
    scopes = {key[0] for key in known_history._BEGINNINGS._rows}  # type: ignore[index]
    scopes |= {key[0][0] for key in known_tools._LISTS._rows}  # type: ignore[index]
    return scopes | {key[0][0] for key in known_tools._TEXTS._rows}  # type: ignore[index]


@pytest.mark.parametrize("sessions", [True, False])
def test_a_client_gets_to_nothing_that_is_known_of_another(
    monkeypatch: pytest.MonkeyPatch, sessions: bool
) -> None:
    counts = read_counts(monkeypatch)
    one = gateway(CHAT, keys=(KEY, OTHER), sessions=sessions)
    for body in built_session()[-4:]:
        ask(one, compact(body), key=KEY)
    mine = known_for()
    assert len(mine) == 1
    assert mine.pop().endswith(f" {KEY.name}")
    last = compact(built_session()[-1])
    ask(one, last, key=OTHER)
    assert len(known_for()) == 1  # it came once: nothing was found, or it would be kept
    assert counts[-1:] in ([], [len(built_session()[-1]["messages"])])
    anew = gateway(CHAT, keys=(KEY,), sessions=sessions)  # with other routes, perhaps
    ask(anew, last, key=KEY)
    assert len(known_for()) == 1


def stored(turns: int, model: str, file: str, place: str) -> bytes:
    """A turn of a session that names a file which the provider keeps, in its input or tools."""
    body = copy.deepcopy(built_session("openai-responses")[turns])
    content = [{"type": "input_text", "text": "Read it. " * 200}]
    body["input"][0] = {"role": "user", "content": content, "id": file}
    if place == "input":
        content.append({"type": "input_file", "file_id": file})
    else:
        body["tools"].append({"type": "file_search", "vector_store_ids": [file]})
    return compact({**body, "model": model})


def test_ids_of_what_is_known_are_judged_for_the_client_and_the_route() -> None:
    routes = (
        Route(Target(CHAT, secret="none"), models=("gpt-*",)),
        Route(Target(CHAT, secret="none"), models=("open-*",), shared_state=True),
    )
    keys = (KEY, ClientKey("eve", KEY.hash, models=("gpt-5.5", "open-1")))
    more: Any = {"routes": routes, "keys": keys, "envelopes": Envelopes(keys=(b"k" * 32,))}
    one, plain = Gateway(Config(**more)), Gateway(Config(**more, sessions=False))
    marks = Tenancy(KEY, routes[0], one.config, one.sealer.marks)
    refused = 0
    for file, place in product(("file-1", marks.mark("file-1")), ("input", "tools")):
        for turns, model in product((3, 4, 5), ("gpt-5.5", "open-1", "gpt-5.5")):
            data = stored(turns, model, file, place)
            for key in keys:
                result = ask(one, data, "openai-responses", key)
                assert result == ask(plain, data, "openai-responses", key), (file, model, key.name)
                refused += result[0] == 404
    assert refused == 36  # the plain id on the first route, and the other one's mark
