"""Media of the web: what is public, small and what it says it is comes; all else is refused.

A server on loopback stands for the public web: its address, and no other, is allowed as a network
of one's own. A second one stands for a machine inside, and must never be asked.
"""

from __future__ import annotations

import asyncio
import base64
import gzip
import os
import pickle
import ssl
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, MediaFetcher, MediaRefused, Msg
from dragoman.errors import ConfigError, DragomanError, WriteError
from dragoman.message import Base64Source, ImageBlock, LocalSource, TextSource, URLSource
from tests.each_case import each_case
from tests.house.needs import program
from tests.media_fetch.pages import PNG, Web, answer, moved, png

ENCODED = base64.b64encode(PNG).decode()
AT = "$.messages[0].content[0].source"


@pytest.fixture
def web() -> Iterator[Web]:
    with Web() as server:
        yield server


@pytest.fixture
def inside() -> Iterator[Web]:
    """A server of the private network."""
    with Web("127.0.0.2") as server:
        yield server
        assert server.asked == []


def fetcher(web: Web, **options: Any) -> MediaFetcher:
    """One to which the loopback address of `web`, and that alone, is the public network."""
    settings: dict[str, Any] = {
        "hosts": [f"*:{web.port}"],
        "schemes": ["http"],
        "networks": ["127.0.0.1/32"],
        "resolve": lambda host, port: ["127.0.0.1"],
        "timeout": 20,
    }
    return MediaFetcher(**{**settings, **options})


def refusal(fetch: MediaFetcher, url: str, media_type: str | None = None) -> str:
    with pytest.raises(MediaRefused) as caught:
        fetch(URLSource(url, media_type), AT)
    assert caught.value.path == AT
    assert caught.value.hint
    return caught.value.code


def test_a_medium_comes_under_the_type_of_its_bytes(web: Web) -> None:
    web.pages["/a"] = answer(PNG, Content_Type="application/octet-stream")
    for media_type in (None, "image/png", "image/jpeg"):
        found = fetcher(web)(URLSource(f"{web.url}/a", media_type), AT)
        assert found == Base64Source("image/png", ENCODED)
    assert web.asked == [(web.host, "/a")] * 3


@each_case(
    "host",
    ["127.0.0.1", "127.1.2.3", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254",
     "0.0.0.0", "100.64.0.1", "192.0.2.1", "198.18.0.1", "224.0.0.1", "240.0.0.1",
     "255.255.255.255", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:a9fe:a9fe]", "[fe80::1]",
     "[fe80::1%25lo]", "[fc00::1]", "[fec0::1]", "[ff02::1]", "[2001:db8::1]", "[2001::1]",
     "[2002:7f00:1::]", "[64:ff9b::7f00:1]", "[::127.0.0.1]", "[3fff::1]", "[3fff:fff::1]",
     "[5f00::1]", "[100::1]", "[100:0:0:1::1]", "[64:ff9b:1::1]", "[64:ff9b::a00:1]",
     "[64:ff9b::c058:6301]", "[2001:2::1]", "[2001:10::1]", "[2001:20::1]", "[2001:30::1]",
     "[2002:a00:1::]", "[2002:c058:6301::1]", "192.88.99.1", "192.0.0.8", "192.0.0.170",
     "198.51.100.1", "203.0.113.1", "2130706433", "0x7f000001", "0x7f.1",
     "0177.0.0.1", "017700000001", "127.1", "0", "127.0.0.1.", "127.0.0.0x1",
     "\uff11\uff12\uff17.0.0.1", "127\u30020.0.1"],
)  # fmt: skip
def test_no_address_that_is_not_public(host: str) -> None:
    assert refusal(MediaFetcher(), f"https://{host}/a.png") == "fetch.address"


@pytest.mark.parametrize("first", ["9.9.9.9", "2620:fe::fe"])
@pytest.mark.parametrize("private", ["10.0.0.1", "::ffff:10.0.0.1", "fe80::1%eth0", "no address"])
def test_no_name_of_such_an_address(first: str, private: str) -> None:
    fetch = MediaFetcher(resolve=lambda host, port: [first, private])
    assert refusal(fetch, "https://media.test/a.png") == "fetch.address"


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("http://media.test/a", "fetch.scheme"),
        ("ftp://media.test/a", "fetch.scheme"),
        ("gopher://media.test/a", "fetch.scheme"),
        ("https://user:secret@media.test/a", "fetch.credentials"),
        ("https://user@media.test/a", "fetch.credentials"),
        ("https://media.test\\@127.0.0.1/", "fetch.url"),
        ("https://media.test/a\r\nHost: x", "fetch.url"),
        ("https://me dia.test/", "fetch.url"),
        ("https://%31%32%37.0.0.1/", "fetch.url"),
        ("https:///a", "fetch.url"),
        ("https://[::1/a", "fetch.url"),
        ("https://media.test:99999/a", "fetch.url"),
        ("https://media.test:22/a", "fetch.host"),
    ],
)
def test_no_odd_url(url: str, code: str) -> None:
    assert refusal(MediaFetcher(resolve=lambda host, port: ["9.9.9.9"]), url) == code


def test_secrets_of_a_url_are_not_told() -> None:
    with pytest.raises(MediaRefused) as caught:
        MediaFetcher()(URLSource("https://user:secret@media.test/a"), AT)
    assert "secret" not in str(caught.value)


def test_only_hosts_of_the_list(web: Web) -> None:
    fetch = fetcher(web, hosts=[f"*.example.test:{web.port}", f"media.test:{web.port}"])
    assert fetch(URLSource(f"{web.url}/a"), AT)
    assert fetch(URLSource(f"http://cdn.example.test:{web.port}/a"), AT)
    for host in ("example.test", "media.test.evil.test", "evilmedia.test", "127.0.0.1"):
        assert refusal(fetch, f"http://{host}:{web.port}/a") == "fetch.host"
    assert refusal(fetch, "http://media.test/a") == "fetch.host"


def test_the_address_that_was_judged_is_the_one_that_is_asked(web: Web, inside: Web) -> None:
    told = iter([["127.0.0.1"], ["127.0.0.2"]])
    fetch = fetcher(web, resolve=lambda host, port: next(told), hosts=["*:*"])
    assert fetch(URLSource(f"{web.url}/a"), AT)
    assert next(told) == ["127.0.0.2"]  # it was asked once

    told = iter([["127.0.0.1"], ["127.0.0.2"]])
    web.pages["/again"] = moved("/a")  # another hop, and now the name leads inside
    assert refusal(fetch, f"{web.url}/again") == "fetch.address"


def test_redirects_are_judged_at_each_hop(web: Web, inside: Web) -> None:
    web.pages["/one"] = moved("/two")
    web.pages["/two"] = moved(f"http://other.test:{web.port}/three?x=1")
    assert fetcher(web)(URLSource(f"{web.url}/one"), AT)
    assert web.asked[-1] == (f"other.test:{web.port}", "/three?x=1")

    for where, code in (
        (f"http://127.0.0.2:{inside.port}/a", "fetch.host"),
        ("http://169.254.169.254/latest", "fetch.host"),
        (f"http://127.0.0.2:{web.port}/", "fetch.address"),
        ("file:///etc/passwd", "fetch.scheme"),
        (f"http://u:p@media.test:{web.port}/", "fetch.credentials"),
    ):
        web.pages["/away"] = moved(where)
        assert refusal(fetcher(web), f"{web.url}/away") == code


def test_redirects_end(web: Web) -> None:
    web.pages["/a"] = moved("/a")
    assert refusal(fetcher(web), f"{web.url}/a") == "fetch.redirect"
    assert len(web.asked) == 4
    web.pages["/b"] = moved("/png")
    assert refusal(fetcher(web, redirects=0), f"{web.url}/b") == "fetch.redirect"


def test_no_more_bytes_than_may_come(web: Web) -> None:
    def endless(handler: Any) -> None:
        handler.send_response(200)
        handler.end_headers()
        while True:
            handler.wfile.write(PNG * 1000)

    def chunked(handler: Any) -> None:
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        while True:
            handler.wfile.write(b"10000\r\n" + PNG.ljust(65536, b"\0") + b"\r\n")

    def announced(handler: Any) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(10 * 2**30))
        handler.end_headers()  # and no byte of it

    web.pages.update({"/endless": endless, "/chunked": chunked, "/announced": announced})
    for page in web.pages:
        assert refusal(fetcher(web, max_bytes=100_000), web.url + page) == "fetch.size"
    web.pages["/just"] = answer(PNG.ljust(100_000, b"\0"))
    assert fetcher(web, max_bytes=100_000)(URLSource(f"{web.url}/just"), AT)


def test_no_compressed_body(web: Web) -> None:
    bomb = gzip.compress(PNG + b"\0" * 10_000_000)
    web.pages["/bomb"] = answer(bomb, Content_Encoding="gzip", Content_Type="image/png")
    assert refusal(fetcher(web), f"{web.url}/bomb") == "fetch.encoding"


def test_it_takes_no_longer_than_it_may(web: Web) -> None:
    ended = threading.Event()

    def silent(handler: Any) -> None:
        ended.wait(60)

    def dripping(handler: Any) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while not ended.wait(0.05):
            handler.wfile.write(b"X: y\r\n")

    def slow(handler: Any) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n" + PNG)
        while not ended.wait(0.05):
            handler.wfile.write(b"\0")

    web.pages.update({"/silent": silent, "/dripping": dripping, "/slow": slow})
    try:
        for page in web.pages:
            assert refusal(fetcher(web, timeout=0.3), web.url + page) == "fetch.timeout"
    finally:
        ended.set()


@pytest.mark.parametrize(
    ("data", "given", "told"),
    [
        (b"<html>not found</html>", "image/png", "image/png"),
        (b"<html>not found</html>", None, "image/png"),
        (b"<html>not found</html>", "audio/mpeg", "audio/mpeg"),
        (b"<html>not found</html>", "video/mp4", "text/html"),
        (b"MZ\0\0", "application/pdf", ""),
        (b"MZ\0\0", "text/plain", ""),
        (b"MZ\0\0", None, "application/x-msdownload"),
        (b"MZ\0\0", None, ""),
        (b"", "image/png", "image/png"),
        (PNG, "application/pdf", "application/pdf"),
        (PNG, "audio/wav", "audio/wav"),
        (b"%PDF-1.7", "image/png", "image/png"),
        (b"%PDF-1.7", "application/msword", ""),
        (b"plain", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", ""),
    ],
)
def test_no_bytes_of_another_kind(web: Web, data: bytes, given: str | None, told: str) -> None:
    web.pages["/a"] = answer(data, 200, **({"Content_Type": told} if told else {}))
    assert refusal(fetcher(web), f"{web.url}/a", given) == "fetch.magic"


@pytest.mark.parametrize(
    ("data", "given", "told", "found"),
    [
        (b"a,b\n", None, "text/csv; charset=utf-8", "text/csv"),
        (b"{}", "application/json", "text/plain", "application/json"),
        (b"PK\x03\x04", "application/vnd.openxmlformats-officedocument.x", "", None),
        (b"\xff\xf3\x00", "audio/mpeg", "", None),
        (b"OggS", "audio/ogg", "", None),
        (b"\x1aE\xdf\xa3webm", "audio/webm", "", "video/webm"),
        (b"\0\0", "audio/pcm", "", None),
    ],
)
def test_bytes_that_may_be_what_they_shall_be(
    web: Web, data: bytes, given: str | None, told: str, found: str | None
) -> None:
    web.pages["/a"] = answer(data, 200, **({"Content_Type": told} if told else {}))
    source = fetcher(web)(URLSource(f"{web.url}/a", given), AT)
    assert source is not None
    assert source.media_type == (found or given)


def test_what_cannot_be_had_is_an_error_of_another_type(web: Web) -> None:
    def broken(handler: Any) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n" + PNG)

    web.pages.update({"/404": answer(b"", 404), "/broken": broken})

    def unknown(host: str, port: int) -> list[str]:
        raise OSError("no such host")

    def none(host: str, port: int) -> list[str]:
        return []

    for fetch, page in (
        (fetcher(web), "/404"),
        (fetcher(web), "/broken"),
        (fetcher(web, resolve=unknown), "/a"),
        (fetcher(web, resolve=none), "/a"),
        (fetcher(web, hosts=["*:1"]), ""),
    ):
        url = web.url + page if page else "http://media.test:1/a"
        with pytest.raises(WriteError) as caught:
            fetch(URLSource(url), AT)
        assert (caught.value.code, caught.value.path) == ("media.missing", AT)
        assert not isinstance(caught.value, MediaRefused)


def test_tls_knows_the_name_and_not_the_address(tmp_path: Path) -> None:
    openssl = program("openssl", "it makes a certificate")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", key,
         "-out", certificate, "-subj", "/CN=media.test", "-addext",
         "subjectAltName=DNS:media.test"],
        check=True, capture_output=True,
    )  # fmt: skip
    names: list[str | None] = []
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    context.sni_callback = lambda socket, name, context: names.append(name)
    with Web() as web:
        web.server.socket = context.wrap_socket(web.server.socket, server_side=True)
        trusted = ssl.create_default_context(cafile=str(certificate))
        fetch = fetcher(web, schemes=["https"], ssl_context=trusted)
        assert fetch(URLSource(f"https://media.test:{web.port}/a"), AT)
        assert names == ["media.test"]
        assert web.asked == [(web.host, "/a")]
        for one in (fetch, fetcher(web, schemes=["https"])):  # another name; nobody's certificate
            name = "other" if one is fetch else "media"
            with pytest.raises(WriteError, match="certificate"):
                one(URLSource(f"https://{name}.test:{web.port}/a"), AT)
        web.pages["/down"] = moved(f"http://media.test:{web.port}/a")
        both = fetcher(web, schemes=["https", "http"], ssl_context=trusted)
        assert refusal(both, f"https://media.test:{web.port}/down") == "fetch.redirect"


def test_environment_variables_name_no_proxy(
    web: Web, inside: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.2:{inside.port}")
    assert fetcher(web)(URLSource(f"{web.url}/a"), AT)


# -- once, several at once, and in event loops -----------------------------------------------------


def test_each_medium_is_asked_for_once(web: Web) -> None:
    fetch = fetcher(web)
    first = fetch(URLSource(f"{web.url}/a"), AT)
    assert fetch(URLSource(f"{web.url}/a"), AT) is first
    assert len(web.asked) == 1
    assert pickle.loads(pickle.dumps(MediaFetcher(["a.test"]))).limits.hosts == ("a.test",)


def test_the_cache_is_bounded_in_bytes(web: Web) -> None:
    fetch = fetcher(web, cached=2 * len(ENCODED))
    for page in ("/1", "/2", "/1", "/3", "/1", "/2"):
        fetch(URLSource(web.url + page), AT)
    assert [page for _, page in web.asked] == ["/1", "/2", "/3", "/2"]
    small = fetcher(web, cached=1)
    assert small(URLSource(f"{web.url}/1"), AT)
    assert small(URLSource(f"{web.url}/1"), AT)
    assert len(web.asked) == 6


def test_several_at_once_and_no_more_than_may_be(web: Web) -> None:
    running, most, lock = 0, 0, threading.Lock()
    full = threading.Barrier(3)

    def counted(handler: Any) -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        full.wait(60)  # three must be here together
        with lock:
            running -= 1
        png(handler)

    wanted = [(URLSource(f"{web.url}/{i}"), AT) for i in range(9)]
    web.pages.update({f"/{i}": counted for i in range(9)})
    found = asyncio.run(fetcher(web, concurrent=3).amany(wanted))
    assert found == [Base64Source("image/png", ENCODED)] * 9
    assert most == 3


def test_no_more_media_than_one_request_may_have(web: Web) -> None:
    web.pages["/a"] = png
    images = [ImageBlock(URLSource(f"{web.url}/a?{nth}")) for nth in range(9)]
    inline = [ImageBlock(Base64Source("image/png", ENCODED))] * 9
    request = ChatRequest([Msg("Tony", [*inline, *images], "user")])
    ollama = dragoman.wire("ollama", fetch=fetcher(web, most=9))
    assert ENCODED in str(ollama.write_request(request, model="llava").body)
    with pytest.raises(MediaRefused) as caught:
        dragoman.wire("ollama", fetch=fetcher(web, most=8)).write_request(request, model="llava")
    assert (caught.value.code, len(web.asked)) == ("fetch.number", 9)
    assert caught.value.path == "$.messages[0].content[17].source"


@pytest.mark.parametrize("same", [False, True])
def test_no_more_bytes_than_one_request_may_have(web: Web, same: bool) -> None:
    """What is named twice counts twice, for the body holds it twice."""
    web.pages["/a"] = png
    wanted: Any = [(URLSource(f"{web.url}/a?{0 if same else nth}"), AT) for nth in range(40)]
    assert all(fetcher(web, max_total=40 * len(PNG)).many(wanted))
    asked = len(web.asked)
    with pytest.raises(MediaRefused) as caught:
        fetcher(web, max_total=20 * len(PNG), concurrent=2).many(wanted)
    assert caught.value.code == "fetch.total"
    assert len(web.asked) - asked < 30


def test_threads_that_want_the_same_wait_for_it(web: Web) -> None:
    go = threading.Event()

    def late(handler: Any) -> None:
        go.wait(60)
        png(handler)

    web.pages["/a"] = late
    fetch = fetcher(web)
    found: list[object] = []
    threads = [
        threading.Thread(target=lambda: found.append(fetch(URLSource(f"{web.url}/a"), AT)))
        for _ in range(5)
    ]
    for thread in threads:
        thread.start()
    go.set()
    for thread in threads:
        thread.join(30)
    assert found == [Base64Source("image/png", ENCODED)] * 5
    assert len(web.asked) == 1


def test_what_failed_is_tried_again(web: Web) -> None:
    web.pages["/a"] = answer(b"", 503)
    fetch = fetcher(web)
    with pytest.raises(WriteError):
        fetch(URLSource(f"{web.url}/a"), AT)
    web.pages["/a"] = png
    assert asyncio.run(fetch.afetch(URLSource(f"{web.url}/a"), AT))


# -- files -----------------------------------------------------------------------------------------


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    (tmp_path / "secret.png").write_bytes(PNG)
    (folder / "a.png").write_bytes(PNG)
    monkeypatch.chdir(folder)
    return folder


def test_files_below_the_roots_alone(home: Path, tmp_path: Path) -> None:
    (home / "link.png").symlink_to(tmp_path / "secret.png")
    (home / "folder").symlink_to(tmp_path)
    fetch = MediaFetcher()
    assert fetch(LocalSource("a.png"), AT) == Base64Source("image/png", ENCODED)
    assert fetch(URLSource(f"file://{home}/a.png"), AT)
    for name in ("file:///etc/passwd", "/etc/passwd", "../secret.png", "link.png",
                 "folder/secret.png", "file://../secret.png", "file:///%2e%2e/etc/passwd",
                 f"{home}/../secret.png", "/dev/zero", "/proc/self/environ"):  # fmt: skip
        assert refusal(fetch, name) == "fetch.root"
    assert MediaFetcher(roots=[tmp_path])(URLSource(str(tmp_path / "secret.png")), AT)
    assert refusal(MediaFetcher(roots=[]), "a.png") == "fetch.root"


def test_no_file_that_is_none_too_large_or_of_another_kind(home: Path) -> None:
    os.mkfifo(home / "pipe.png")
    for name in ("pipe.png", "missing.png", "."):
        with pytest.raises(WriteError) as caught:
            MediaFetcher()(LocalSource(name), AT)
        assert caught.value.code == "media.missing"
    assert refusal(MediaFetcher(max_bytes=4), "a.png") == "fetch.size"
    (home / "b.png").write_bytes(b"<html>")
    assert refusal(MediaFetcher(), "b.png") == "fetch.magic"
    with pytest.raises(WriteError, match="regular file"):
        MediaFetcher(roots=["/dev"])(LocalSource("/dev/zero"), AT)


def test_the_root_of_a_disk_is_a_folder_only_where_it_is_named(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/")
    assert refusal(MediaFetcher(), str(home / "a.png")) == "fetch.root"
    assert MediaFetcher(roots=["/"])(LocalSource(str(home / "a.png")), AT)


def test_a_file_that_somebody_else_named_is_never_read(home: Path) -> None:
    with pytest.raises(MediaRefused) as caught:
        MediaFetcher()(LocalSource("a.png", read=True), AT)
    assert caught.value.code == "fetch.root"


# -- in a wire and a formatter ---------------------------------------------------------------------


def shown(web: Web, *names: str) -> list[Msg]:
    return [Msg("Tony", [ImageBlock(URLSource(web.url + name)) for name in names], "user")]


def test_a_wire_that_takes_bytes_gets_them(web: Web) -> None:
    wire = dragoman.wire("ollama", fetch=fetcher(web))
    out = wire.write_request(ChatRequest(shown(web, "/a", "/b", "/a")), model="llava")
    assert out.body["messages"][0]["images"] == [ENCODED] * 3
    assert {loss.code for loss in out.losses} <= {"name.unsupported"}
    assert sorted(page for _, page in web.asked) == ["/a", "/b"]


def test_a_wire_names_what_it_would_fetch(web: Web) -> None:
    fetch = fetcher(web)
    wire = dragoman.wire("ollama", fetch=fetch)
    req = ChatRequest(shown(web, "/a", "/b"))
    wanted = wire.wanted_media(req, "llava")
    assert [path for _, path in wanted] == [AT, AT.replace("t[0]", "t[1]")]
    assert all(asyncio.run(fetch.amany(wanted)))
    web.pages.update({"/a": answer(b"", 500), "/b": answer(b"", 500)})  # nobody asks again
    assert wire.write_request(req, model="llava").body["messages"][0]["images"] == [ENCODED] * 2
    assert dragoman.wire("openai", fetch=fetch).wanted_media(req) == []  # it takes URLs
    assert dragoman.wire("ollama", fetch=None).wanted_media(req) == []


def test_format_awaits_the_web(web: Web) -> None:
    passed = threading.Event()

    def waits(handler: Any) -> None:
        assert passed.wait(60)
        png(handler)

    web.pages["/a"] = waits

    async def main() -> list[Any]:
        formatter = dragoman.Formatter("ollama", model="llava", fetch=fetcher(web))
        task = asyncio.ensure_future(formatter.format(shown(web, "/a")))
        await asyncio.sleep(0)
        passed.set()  # the loop goes on while it is fetched
        return await task

    assert asyncio.run(main())[0]["images"] == [ENCODED]


def test_the_error_names_the_source(web: Web) -> None:
    wire = dragoman.wire("ollama", fetch=fetcher(web))
    inside = Msg("Tony", [ImageBlock(URLSource("http://10.0.0.1/a.png"))], "user")
    with pytest.raises(MediaRefused) as caught:
        wire.write_request(ChatRequest([*shown(web, "/a"), inside]), model="llava")
    assert caught.value.path == "$.messages[1].content[0].source"


def body(web: Web) -> dict[str, Any]:
    picture = {"type": "image_url", "image_url": {"url": f"{web.url}/a"}}
    return {"model": "gpt-5.5", "messages": [{"role": "user", "content": [picture]}]}


def test_what_came_over_a_wire_is_not_fetched_unless_it_is_asked_for(web: Web) -> None:
    read = dragoman.wire("openai").read_request(body(web))
    out = dragoman.wire("ollama", fetch=fetcher(web), policy="ignore").write_request(read, "llava")
    assert web.asked == []
    assert [loss.code for loss in out.losses] == ["media.not_fetched"]
    fetch = fetcher(web, of_read=True)
    out = dragoman.wire("ollama", fetch=fetch).write_request(read, "llava")
    assert out.body["messages"][0]["images"] == [ENCODED]


def test_what_a_model_or_a_tool_names_is_not_fetched_at_all(web: Web) -> None:
    source = {"type": "url", "url": f"{web.url}/a"}
    result = {"type": "tool_result", "id": "1", "name": "look",
              "output": [{"type": "image", "source": source}]}  # fmt: skip
    call = {"type": "tool_use", "id": "1", "name": "look", "input": {}}
    msgs = [Msg("Tony", "Look!", "user"), Msg("Friday", [call], "assistant"),
            Msg("look", [result], "tool")]  # fmt: skip
    wire = dragoman.wire("ollama", fetch=fetcher(web, of_read=True), policy="ignore")
    wire.write_request(ChatRequest(msgs), "llava")
    assert web.asked == []


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"hosts": "a.test"}, "fetcher.hosts"),
        ({"roots": "/a"}, "fetcher.roots"),
        ({"schemes": ["ftp"]}, "fetcher.schemes"),
        ({"networks": ["10.0.0.1/8"]}, "fetcher.networks"),
        ({"max_bytes": 0}, "fetcher.max_bytes"),
        ({"timeout": 0}, "fetcher.timeout"),
        ({"concurrent": 0}, "fetcher.concurrent"),
        ({"most": 0}, "fetcher.most"),
        ({"max_total": 0}, "fetcher.max_total"),
    ],
)
def test_odd_settings_are_refused(options: dict[str, Any], code: str) -> None:
    with pytest.raises(ConfigError) as caught:
        MediaFetcher(**options)
    assert caught.value.code == code


def test_what_is_neither_a_file_nor_an_address_is_left_alone() -> None:
    for source in (TextSource(["a"]), Base64Source("image/png", ""), URLSource("data:image/png,")):
        assert MediaFetcher()(source, AT) is None
    assert issubclass(MediaRefused, DragomanError)
