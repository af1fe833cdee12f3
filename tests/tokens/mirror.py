"""A hub of one repository on 127.0.0.1: what huggingface_hub asks when it fetches a tokenizer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import unquote, urlsplit

__all__ = ["Mirror", "serve"]

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class Mirror:
    """Its address, and what it was asked: `GET /path`, and the Authorization headers."""

    url: str
    asked: list[str] = field(default_factory=list)
    shown: list[str | None] = field(default_factory=list)


@contextmanager
def serve(folder: Path, repository: str, *, lists: bool = True) -> Iterator[Mirror]:
    """Serve the files of `folder` as `repository`; one that does not list them has no API."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    mirror = Mirror(f"http://127.0.0.1:{server.server_address[1]}")
    server.RequestHandlerClass = _handler(mirror, folder, repository, lists)
    thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield mirror
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _served(folder: Path, repository: str) -> dict[str, Path]:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {
        f"/{repository}/resolve/{revision}/{path.relative_to(folder).as_posix()}": path
        for revision in ("main", COMMIT)
        for path in files
    }


def _listings(folder: Path, repository: str) -> dict[str, object]:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    names = [path.relative_to(folder).as_posix() for path in files]
    info = {
        "id": repository,
        "sha": COMMIT,
        "siblings": [{"rfilename": name} for name in names],
    }
    tree = [
        {"type": "file", "path": name, "size": path.stat().st_size, "oid": _digest(path)}
        for name, path in zip(names, files, strict=True)
    ]
    api = f"/api/models/{repository}"
    return {
        api: info,
        f"{api}/revision/main": info,
        f"{api}/revision/{COMMIT}": info,
        f"{api}/tree/main": tree,
        f"{api}/tree/{COMMIT}": tree,
    }


def _digest(path: Path) -> str:
    return hashlib.sha1(path.read_bytes()).hexdigest()


def _handler(
    mirror: Mirror, folder: Path, repository: str, lists: bool
) -> type[BaseHTTPRequestHandler]:
    served = _served(folder, repository)
    listings = _listings(folder, repository) if lists else {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = unquote(urlsplit(self.path).path)
            mirror.asked.append(f"{self.command} {path}")
            mirror.shown.append(self.headers.get("Authorization"))
            if path in listings:
                self._answer(200, json.dumps(listings[path]).encode(), "application/json")
            elif path in served:
                self._answer(200, served[path].read_bytes())
            else:
                self._answer(404, b"", code="EntryNotFound")

        do_HEAD = do_GET

        def _answer(
            self, status: int, body: bytes, media_type: str = "text/plain", code: str = ""
        ) -> None:
            self.send_response(status)
            self.send_header("Content-Type", media_type)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("ETag", f'"{hashlib.sha1(body).hexdigest()}"')
            self.send_header("X-Repo-Commit", COMMIT)
            if code:
                self.send_header("X-Error-Code", code)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler
