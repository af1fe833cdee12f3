"""Secrets of both sides: in no log, figure, recording or answer, whatever goes wrong."""

from __future__ import annotations

import json
from pathlib import Path

from dragoman.gateway.keys import new_key
from tests.gateway.faults.provider import CUT, Provider, Step, answer, head
from tests.gateway.faults.serving import SECRET, ask, post, route, serving
from tests.gateway.faults.wires import WIRES

WORD = "the-words-of-a-user-0123456789"


def test_no_secret_leaves_the_gateway(server: Provider, provider: Provider, tmp_path: Path) -> None:
    """Also where a provider quotes the key that it was sent, in an error or a header."""
    made = new_key("tenant")
    kept = tmp_path / "kept"
    settings = (
        f'[server]\nrecord = "{kept}"\n'
        f'[[keys]]\nname = "tenant"\nhash = "{made.entry.hash}"\n'
        + "".join(route(w.model, [(w.target, server.url + w.base)], retries=0) for w in WIRES)
    )
    seen: list[bytes] = []
    error = {"message": f"wrong key {SECRET}", "type": "authentication_error"}
    quoting = json.dumps({"error": error, "type": "error", "key": SECRET}).encode()
    with serving(settings, tmp_path) as gateway:
        for wire in WIRES:
            for stream in (True, False):
                good = b"".join(wire.events) if stream else wire.whole
                rejected = answer(quoting, 401, f"x-key: {SECRET}")
                broken: list[Step] = [head(), *wire.events[:3], CUT]
                plans: tuple[list[Step], ...] = ([answer(good)], [rejected], [CUT], broken)
                for plan in plans:
                    provider.will(plan)
                    told = ask(gateway, wire, wire.model, stream, WORD,
                               authorization=f"Bearer {made.key}")  # fmt: skip
                    seen.append(repr(told).encode())
            told = ask(gateway, wire, wire.model, True, WORD,
                       authorization=f"Bearer {made.key}x", x_api_key=f"{made.key}y")  # fmt: skip
            seen.append(repr(told).encode())
            path = f"{wire.path(wire.model, False)}?key={made.key}z&x={WORD}"
            seen.append(repr(post(gateway, path, wire.request(wire.model, False, WORD))).encode())
        figures = post(gateway, "/metrics", b"", "GET").body
        gateway.process.terminate()
        assert gateway.wait() == 0
        log = gateway.stderr.encode()
    recorded = b"".join(file.read_bytes() for file in kept.rglob("*") if file.is_file())
    assert WORD.encode() in recorded
    assert b"dg_" in log
    secret = made.key.rpartition("_")[2].encode()
    for text in (figures, log, recorded, *seen):
        assert secret not in text
        assert SECRET.encode() not in text
    for text in (figures, log):
        assert WORD.encode() not in text
