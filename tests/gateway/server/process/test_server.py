"""The gateway as a process: its line, its signals, its workers, and what clients may not do."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import Callable, Iterator
from http.client import HTTPResponse
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dragoman import ConfigError
from dragoman.gateway.config.config_values import ClientKey, Config, Route, Target, config_for
from dragoman.gateway.server.process.connection import LEFT_BYTES, ClientConnection
from dragoman.gateway.server.process.exposure import Exposed, is_loopback, refuse_exposed
from dragoman.gateway.server.process.server import serve
from dragoman.gateway.server.process.serving import AppMaker, ConfigSource, OneServer
from tests.gateway.running import LONG, Gateway, lines, until
from tests.gateway.small_app import SmallApp

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")

FILE = '[[routes]]\nto = "{model}"\n'
KEY = ClientKey("a", "0123456789abcdef:$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$aGFzaGhhc2g")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "gateway.toml"
    path.write_text(FILE.format(model="ollama/first"), "utf-8")
    return path


@pytest.fixture
def run(file: Path, tmp_path: Path) -> Iterator[Callable[..., Gateway]]:
    """Start a gateway of the file; all are ended with the test."""
    started: list[Gateway] = []

    def start(workers: int = 1, grace: int = 30) -> Gateway:
        command = ("tests.gateway.running", str(file), str(workers), str(grace))
        started.append(Gateway(*command, state=tmp_path / "state"))
        return started[-1]

    yield start
    for gateway in started:
        gateway.__exit__(None, None, None)


# -- beginning and end -----------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [1, 2])
def test_one_line_tells_the_address_and_sigterm_ends_with_0(
    run: Callable[..., Gateway], workers: int
) -> None:
    gateway = run(workers)
    assert gateway.line == f"Dragoman gateway on http://127.0.0.1:{gateway.port}"
    assert gateway.port != 0
    assert gateway.get().startswith("ollama/first ")
    gateway.signal(signal.SIGTERM)
    assert gateway.wait() == 0
    assert gateway.rest() == ""
    assert gateway.stderr == ""


def test_a_key_that_is_not_set_is_told_at_the_start_and_by_a_reload(
    file: Path, run: Callable[..., Gateway], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("MY_KEY", raising=False)
    file.write_text(FILE.format(model="openai/gpt-5.6"), "utf-8")
    gateway = run()
    until(lambda: "openai/gpt-5.6 has no key: set OPENAI_API_KEY" in gateway.stderr)
    file.write_text(FILE.format(model="ollama/x") + 'key = "MY_KEY"\n', "utf-8")
    gateway.signal(signal.SIGHUP)
    until(lambda: "ollama/x has no key: set MY_KEY" in gateway.stderr)


@pytest.mark.parametrize("workers", [1, 2])
def test_sigint_ends_with_130(run: Callable[..., Gateway], workers: int) -> None:
    gateway = run(workers)
    gateway.signal(signal.SIGINT)
    assert gateway.wait() == 130
    assert gateway.stderr == ""


@pytest.mark.parametrize("workers", [1, 2])
def test_sigterm_lets_a_stream_end_and_takes_nothing_new(
    run: Callable[..., Gateway], tmp_path: Path, workers: int
) -> None:
    gateway, last = run(workers), tmp_path / "last"
    with gateway.open(f"/stream?{last}") as answer:
        stream = lines(answer)
        first = next(stream)
        assert first.startswith("0 ollama/first")
        gateway.signal(signal.SIGTERM)
        until(lambda: _refused(gateway.port))
        os.kill(int(first.split()[-1]), 0)  # it has not ended, and refuses all the same
        rest = [*islice(stream, 30)]  # a second and a half: longer than if no grace were given
        last.touch()
        *more, end = stream
        rest += more
    assert [line.split()[0] for line in rest] == [str(i) for i in range(1, len(rest) + 1)]
    assert end == "end"
    assert gateway.wait() == 0


def test_connections_that_wait_when_the_end_begins_are_served() -> None:
    """The system has made them, but the loop, which was busy, has not accepted them."""
    asked = b"GET /told HTTP/1.1\r\nHost: localhost\r\n\r\n"

    async def main() -> list[bytes]:
        import uvicorn

        config = _small_app()
        server = OneServer(config)
        with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
            config.load()
            server.lifespan = config.lifespan_class(config)
            await uvicorn.Server.startup(server, [listener])  # without what is for a process
            clients = [socket.create_connection(listener.getsockname()) for _ in range(20)]
            for client in clients:
                client.sendall(asked)
            await server.shutdown([listener])  # without a turn of the loop in between
        return [await asyncio.to_thread(_read_all, client) for client in clients]

    told = asyncio.run(main())
    assert [one[:15] for one in told] == [b"HTTP/1.1 200 OK"] * 20


def _read_all(client: socket.socket) -> bytes:
    with client:
        client.settimeout(LONG)
        return b"".join(iter(lambda: client.recv(65536), b""))


def _refused(port: int) -> bool:
    with socket.socket() as attempt:
        return attempt.connect_ex(("127.0.0.1", port)) != 0


def test_what_outlasts_the_grace_time_is_cut(run: Callable[..., Gateway]) -> None:
    gateway = run(grace=1)
    with gateway.open("/stream?/never") as answer:
        stream = lines(answer)
        next(stream)
        gateway.signal(signal.SIGTERM)
        assert "end" not in list(stream)
    assert gateway.wait() == 0


def test_a_worker_that_is_stuck_is_killed_in_the_end(run: Callable[..., Gateway]) -> None:
    gateway = run(2, grace=-4)  # one second with the five that come on top
    with gateway.open("/stuck") as answer:
        assert answer.readline() == b"stuck\n"
        gateway.signal(signal.SIGTERM)
        assert gateway.wait() == 0
    assert "did not end in time and is killed" in gateway.stderr


def test_an_app_that_does_not_start_is_exit_code_1(file: Path, run: Callable[..., Gateway]) -> None:
    for workers in (1, 2):
        file.write_text(FILE.format(model="openai/fails"), "utf-8")
        gateway = run(workers)
        assert gateway.wait() == 1
        assert gateway.line == ""
        assert "this app does not start" in gateway.stderr
        assert "Traceback" not in gateway.stderr


def test_an_app_that_cannot_be_made_is_named(file: Path, run: Callable[..., Gateway]) -> None:
    file.write_text(FILE.format(model="openai/never"), "utf-8")
    gateway = run(2)
    assert gateway.wait() == 1
    assert "this app cannot be made (choose another model)" in gateway.stderr


# -- reloading -------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [1, 2])
def test_sighup_reloads_and_a_stream_goes_on(
    file: Path, run: Callable[..., Gateway], tmp_path: Path, workers: int
) -> None:
    gateway, last = run(workers), tmp_path / "last"
    with gateway.open(f"/stream?{last}") as answer:
        stream = lines(answer)
        assert next(stream).startswith("0 ollama/first")
        file.write_text(FILE.format(model="ollama/second"), "utf-8")
        gateway.signal(signal.SIGHUP)
        until(lambda: all(gateway.get().startswith("ollama/second ") for _ in range(8)))
        last.touch()
        *rest, end = stream
    told = [line.split()[:2] for line in rest]
    assert told == [[str(i), "ollama/first"] for i in range(1, len(rest) + 1)]
    assert end == "end"
    until(lambda: gateway.stderr.count("the configuration was read again") == workers)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_bad_file_keeps_the_old_configuration_and_is_logged_with_its_line(
    file: Path, run: Callable[..., Gateway], workers: int
) -> None:
    gateway = run(workers)
    file.write_text('[[routes]]\nto = "ollama/second"\nrepare = true\n', "utf-8")
    gateway.signal(signal.SIGHUP)
    until(lambda: "the configuration is kept" in gateway.stderr)
    assert f"{file}:3: $.routes[0].repare: unknown key 'repare'" in gateway.stderr
    assert gateway.get().startswith("ollama/first ")
    file.write_text(FILE.format(model="ollama/third"), "utf-8")
    gateway.signal(signal.SIGHUP)
    until(lambda: gateway.get().startswith("ollama/third "))


def test_an_app_that_cannot_be_made_again_keeps_the_old_one(
    file: Path, run: Callable[..., Gateway]
) -> None:
    gateway = run()
    file.write_text(FILE.format(model="openai/never"), "utf-8")
    gateway.signal(signal.SIGHUP)
    until(lambda: "this app cannot be made" in gateway.stderr)
    assert gateway.get().startswith("ollama/first ")


def test_the_socket_does_not_change_with_a_reload(file: Path, run: Callable[..., Gateway]) -> None:
    gateway = run()
    file.write_text('[server]\nhost = "127.0.0.2"\n' + FILE.format(model="ollama/second"), "utf-8")
    gateway.signal(signal.SIGHUP)
    until(lambda: gateway.get().startswith("ollama/second "))
    until(lambda: "server.host is taken at the next start" in gateway.stderr)


# -- workers ---------------------------------------------------------------------------------------


def test_a_killed_worker_is_replaced_and_loses_its_own_streams_alone(
    run: Callable[..., Gateway], tmp_path: Path
) -> None:
    gateway, last = run(2), tmp_path / "last"
    answers: dict[str, HTTPResponse] = {}
    while len(answers) < 2:  # a stream in each worker
        answer = gateway.open(f"/stream?{last}")
        first = answer.readline().decode().split()
        if first[2] in answers:
            answer.close()
        else:
            answers[first[2]] = answer
    victim, other = answers
    os.kill(int(victim), signal.SIGKILL)
    with answers[victim] as answer:
        assert "end" not in list(lines(answer))
    until(lambda: f"worker {victim} ended (exit code -9) and is replaced" in gateway.stderr)
    with answers[other] as answer:
        last.touch()
        *rest, end = lines(answer)
    assert [line.split()[0] for line in rest] == [str(i) for i in range(1, len(rest) + 1)]
    assert end == "end"
    until(lambda: len({gateway.get().split()[1] for _ in range(20)} - {victim}) == 2)


def test_a_worker_that_is_started_later_has_the_last_good_configuration(
    file: Path, run: Callable[..., Gateway]
) -> None:
    gateway = run(2)
    file.write_text(FILE.format(model="ollama/second"), "utf-8")
    gateway.signal(signal.SIGHUP)
    until(lambda: all(gateway.get().startswith("ollama/second ") for _ in range(8)))
    file.write_text("[[routes", "utf-8")
    workers = {gateway.get().split()[1] for _ in range(40)}
    for pid in workers:
        os.kill(int(pid), signal.SIGKILL)
    until(lambda: "is replaced" in gateway.stderr)
    model, pid = gateway.get().split()
    assert model == "ollama/second"
    assert pid not in workers


def test_workers_end_when_their_parent_is_gone(run: Callable[..., Gateway]) -> None:
    gateway = run(2)
    port = gateway.port
    workers = {int(gateway.get().split()[1]) for _ in range(40)}
    gateway.process.kill()
    until(lambda: _refused(port))
    until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers))


def test_all_workers_seal_with_one_key_and_so_does_the_next_start(
    run: Callable[..., Gateway], tmp_path: Path
) -> None:
    gateway = run(2)
    keys = {gateway.get("/sealing") for _ in range(20)}
    gateway.signal(signal.SIGTERM)
    gateway.wait()
    keys |= {run().get("/sealing")}
    assert len(keys) == 1
    assert len(bytes.fromhex(keys.pop())) == 32
    (kept,) = (tmp_path / "state" / "dragoman").iterdir()
    assert kept.stat().st_mode & 0o777 == 0o600


# -- where it may listen ---------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.2", "example.com", ""])
def test_without_client_keys_it_listens_on_loopback_alone(host: str) -> None:
    config = Config(routes=(Route(Target("ollama/x")),), host=host)
    with pytest.raises(ConfigError, match="listens on loopback alone") as raised:
        serve(ConfigSource(config), app="no.such.module:app")
    assert "dragoman keys new" in raised.value.hint
    refuse_exposed(Config(routes=config.routes, keys=(KEY,), host=host))


@pytest.mark.parametrize("host", ["127.0.0.1", "127.3.2.1", "::1", "[::1]", "localhost",
                                  "LOCALHOST", "api.localhost"])  # fmt: skip
def test_names_of_loopback(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["localhost.example.com", "127.0.0.1.example.com", "10.0.0.1"])
def test_names_that_are_not_of_loopback(host: str) -> None:
    assert not is_loopback(host)


def test_a_reload_keeps_what_only_a_start_takes(file: Path, tmp_path: Path) -> None:
    source = ConfigSource(file)
    made = AppMaker("nowhere:app", source, source.read(), (b"k" * 32,))
    changes = f'[server]\nrecord = "{tmp_path}/kept"\nspans = true\nworkers = 3\nport = 1\n'
    file.write_text(changes + FILE.format(model="ollama/second"), "utf-8")
    again = made.again()
    assert again is not None
    config = again.config
    assert config.routes[0].target.name == "ollama/second"
    assert (config.record, config.spans, config.workers, config.port) == (None, False, 1, 8080)


def test_a_reload_must_not_expose_the_gateway(file: Path, run: Callable[..., Gateway]) -> None:
    before = f'[server]\nhost = "0.0.0.0"\n[[keys]]\nname = "a"\nhash = "{KEY.hash}"\n'
    file.write_text(before + FILE.format(model="ollama/first"), "utf-8")
    gateway = run()
    assert gateway.get().startswith("ollama/first ")
    file.write_text(FILE.format(model="ollama/second"), "utf-8")
    gateway.signal(signal.SIGHUP)
    until(lambda: "the configuration is kept" in gateway.stderr)
    assert "not on 0.0.0.0" in gateway.stderr
    assert gateway.get().startswith("ollama/first ")


def test_a_port_that_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        config = config_for("ollama/x")
        with pytest.raises(ConfigError, match=f"cannot listen on 127.0.0.1, port {port}: ") as no:
            serve(ConfigSource(config, {"port": port}))
    assert "--port" in no.value.hint


def test_a_host_that_is_not_of_this_machine() -> None:
    config = Config(routes=(Route(Target("ollama/x")),), keys=(KEY,), host="::1%nowhere")
    with pytest.raises(ConfigError, match="cannot listen on ::1%nowhere, port 8080: "):
        serve(ConfigSource(config))


@pytest.mark.parametrize(
    ("name", "value", "status"),
    [
        ("Host", "evil.example", 403),
        ("Host", "127.0.0.1.evil.example:80", 403),
        ("Host", "localhost:1", 200),
        ("Host", "[::1]:1", 200),
        ("Host", "[::1", 403),
        ("Origin", "https://evil.example", 403),
        ("Origin", "null", 403),
        ("Origin", "http://localhost:3000", 200),
    ],
)
def test_without_client_keys_pages_of_other_sites_get_nothing(
    name: str, value: str, status: int
) -> None:
    assert _status(Exposed(SmallApp, config_for("ollama/x")), name, value) == status
    keyed = Config(routes=(Route(Target("ollama/x")),), keys=(KEY,))
    assert _status(Exposed(SmallApp, keyed), name, value) == 200


def _status(app: Exposed, name: str, value: str) -> int:
    sent: list[Any] = []
    events = iter([{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}])
    started, asked = asyncio.Event(), asyncio.Event()

    async def receive() -> Any:
        event = next(events)
        if event["type"] == "lifespan.shutdown":
            await asked.wait()
        return event

    async def send(message: Any) -> None:
        sent.append(message)
        started.set()

    async def ask() -> None:
        life = asyncio.create_task(_alive(app, receive, send))
        await started.wait()
        scope = {"type": "http", "method": "GET", "path": "/", "query_string": b"",
                 "headers": [(name.lower().encode(), value.encode())]}  # fmt: skip
        await app(scope, receive, send)
        asked.set()
        await life

    asyncio.run(ask())
    assert [sent[0]["type"], sent[-1]["type"]] == [
        "lifespan.startup.complete",
        "lifespan.shutdown.complete",
    ]
    status: int = sent[1]["status"]
    return status


async def _alive(app: Exposed, receive: Any, send: Any) -> None:
    await app({"type": "lifespan"}, receive, send)


# -- what clients may send -------------------------------------------------------------------------

POST = b"POST /told HTTP/1.1\r\nHost: localhost\r\n"
OFFER = (
    POST + b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"
)
GET = b"GET /told HTTP/1.1\r\nHost: localhost\r\n"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    folder = tmp_path_factory.mktemp("gateway")
    (folder / "gateway.toml").write_text(FILE.format(model="ollama/x"), "utf-8")
    command = ("tests.gateway.running", str(folder / "gateway.toml"), "1", "5")
    with Gateway(*command, state=folder) as gateway:
        yield gateway


def test_a_websocket_s_upgrade_is_a_get_for_the_app(running: Gateway) -> None:
    told = running.raw(GET + b"Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
    assert told.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"GET 0 b'websocket'" in told


@pytest.mark.parametrize(
    ("pieces", "told"),
    [
        ([OFFER + b"Content-Length: 5\r\n\r\nhello"], [b"POST 5 b'h2c'"]),
        ([OFFER + b"Content-Length: 5\r\n\r\n", b"he", b"llo"], [b"POST 5 b'h2c'"]),
        ([OFFER[:60], OFFER[60:] + b"Content-Length: 5\r\n\r\nhel", b"lo" + OFFER +
          b"Content-Length: 2\r\n\r\nab"], [b"POST 5 b'h2c'", b"POST 2 b'h2c'"]),
        ([OFFER + b"Transfer-Encoding: chunked\r\n\r\n", b"5\r\nhello\r\n",
          b"3\r\nabc\r\n0\r\n\r\n" + GET + b"\r\n"], [b"POST 8 b'h2c'", b"GET 0 None"]),
        ([OFFER + b"Content-Length: 0\r\n\r\n"], [b"POST 0 b'h2c'"]),
    ],
)  # fmt: skip
def test_the_body_of_a_request_that_offers_http_2_is_read(
    running: Gateway, pieces: list[bytes], told: list[bytes]
) -> None:
    """Java's HttpClient offers it with every request to http://."""
    answers = running.raw(*pieces)
    assert answers.count(b"HTTP/1.1 200 OK") == len(told)
    assert [one for one in told if one in answers] == told


@pytest.mark.parametrize(
    ("pieces", "status"),
    [
        ([GET + b"a: " + b"x" * 60_000 + b"\r\n\r\n"], b"200"),
        ([GET + b"a: " + b"x" * 70_000 + b"\r\n\r\n"], b"431"),
        ([GET + b"a: " + b"x" * 50_000, b"x" * 50_000, b"x" * 50_000], b"431"),
        ([GET + b"".join(b"a%d: 1\r\n" % i for i in range(250)) + b"\r\n"], b"431"),
        ([b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n"], b"431"),
        ([b"\x16\x03\x01\x02\x00\x01\x00\x01"], b"400"),  # TLS to a port without it
    ],
)
def test_heads_have_bounds(running: Gateway, pieces: list[bytes], status: bytes) -> None:
    assert running.raw(*pieces).split(b" ")[1] == status


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"GET /told HTTP/1.1\r\n\r\n", b"400"),
        (b"GET /told HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", b"400"),
        (b"GET /told HTTP/1.1\r\nHost: localhost\r\nhost: other.example\r\n\r\n", b"400"),
        (b"GET /told HTTP/1.0\r\nHost: localhost\r\nHost: other.example\r\n\r\n", b"400"),
        (b"GET /told HTTP/1.0\r\n\r\n", b"200"),
    ],
)
def test_a_request_names_one_host(running: Gateway, head: bytes, status: bytes) -> None:
    """RFC 9112, 3.2."""
    assert running.raw(head).startswith(b"HTTP/1.1 " + status)


def test_a_body_behind_its_answer_is_not_read_without_end() -> None:
    connection = ClientConnection.__new__(ClientConnection)
    closed: list[int] = []
    read: list[int] = []
    client: Any = connection
    client._is_told_again, client._left_over = False, 0
    client.cycle = SimpleNamespace(response_complete=True, body=bytearray())
    client.transport = SimpleNamespace(close=lambda: closed.append(len(read)))
    client.parser = SimpleNamespace(should_upgrade=lambda: False)
    for _ in range(64):
        connection.on_body(bytes(2**16))
        read.append(2**16)
        if closed:
            break
    assert sum(read) <= LEFT_BYTES + 2**17
    assert not connection.cycle.body


def test_a_body_as_long_as_it_likes_is_the_app_s_to_bound(running: Gateway) -> None:
    with running.open("/told", "POST", b"x" * 5_000_000) as answer:
        assert answer.read() == b"POST 5000000 None"


class _Hasty(ClientConnection):
    """The same, with less patience."""

    head_seconds = 0.1
    body_seconds = 0.1


@pytest.mark.parametrize(
    ("sent", "answer"),
    [
        (b"", b"HTTP/1.1 408 "),
        (b"GET / HTTP/1.1\r\nHost: loc", b"HTTP/1.1 408 "),
        (b"POST /told HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nabc", b""),
        (b"GET /told HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HT", b"HTTP/1.1 200 "),
    ],
)
def test_a_client_that_does_not_go_on_is_let_go(sent: bytes, answer: bytes) -> None:
    told = asyncio.run(_talk(sent))
    assert told.startswith(answer)
    assert told or not answer


def _small_app(connection: type[ClientConnection] = ClientConnection) -> Any:
    import uvicorn

    return uvicorn.Config(
        Exposed(SmallApp, config_for("ollama/x")), http=connection, ws="none", interface="asgi3",
        lifespan="on", log_config=None, access_log=False, log_level="error",
    )  # fmt: skip


async def _talk(sent: bytes) -> bytes:
    """What a server of little patience says to a client that sends this and then waits."""
    import uvicorn

    config = _small_app(_Hasty)
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        config.load()
        server.lifespan = config.lifespan_class(config)
        await server.startup([listener])
        reader, writer = await asyncio.open_connection(*listener.getsockname())
        writer.write(sent)
        told = await asyncio.wait_for(reader.read(), 60)  # until the server closes
        writer.close()
        await server.shutdown([listener])
    return told
