"""Secrets of both sides: in no log, figure, recording or answer, whatever goes wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dragoman.gateway.config.client_keys import new_key
from tests.gateway.faults.provider import CUT, Provider, Step, answer, head
from tests.gateway.faults.serving import KEY_VARIABLE, SECRET, ask, post, route, serving
from tests.gateway.faults.wires import CHAT, GEMINI, MESSAGES, OLLAMA, WIRES, Wire, error_of
from tests.gateway.running import Gateway

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
                quoted = wire.error_event.replace(b"the provider is busy", SECRET.encode())
                late: list[Step] = [head(), *wire.events[:3], quoted, CUT]
                first: list[Step] = [head(), quoted, CUT]
                with_200: list[Step] = [answer(quoting)]
                plans: tuple[list[Step], ...] = ([answer(good)], [rejected], [CUT], broken, late,
                                                 first, with_200)  # fmt: skip
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
    secret = made.key.split("_", 2)[2].encode()
    for text in (figures, log, recorded, *seen):
        assert secret not in text
        assert SECRET.encode() not in text
    for text in (figures, log):
        assert WORD.encode() not in text


# how providers word it, with what of the key they show
_REFUSED = {
    "as it is": (401, "authentication_error", SECRET),
    "masked": (401, "authentication_error", f"{SECRET[:8]}{'*' * 30}{SECRET[-4:]}."),
    "its end": (401, "authentication_error", f"...{SECRET[-6:]}"),
    "its begin": (403, "permission_error", f"{SECRET[:6]}\u2026"),
}


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
@pytest.mark.parametrize("client", WIRES, ids=str)
def test_the_gateway_s_own_key_is_wrong(
    gateway: Gateway, provider: Provider, client: Wire, stream: bool
) -> None:
    """No client may take it for its own: agents would ask for a login. Nor does it see the key."""
    for behind in (client, CHAT, MESSAGES):
        for status, kind, shown in _REFUSED.values():
            told = {"message": f"Incorrect API key provided: {shown}", "type": kind}
            body = json.dumps({"type": "error", "error": told}, ensure_ascii=False).encode()
            if behind is OLLAMA:
                body = json.dumps({"error": told["message"]}, ensure_ascii=False).encode()
            if behind is GEMINI:
                named = "UNAUTHENTICATED" if status == 401 else "PERMISSION_DENIED"
                body = json.dumps({"error": {**told, "code": status, "status": named}}).encode()
            provider.will([answer(body, status)])
            logged = len(gateway.stderr)  # by other tests
            answered = ask(gateway, client, behind.model, stream)
            assert answered.status == 502
            assert answered.headers["x-should-retry"] == "false"
            assert answered.headers["x-dragoman-error"] == "upstream.key"
            message, _ = error_of(client, answered.body)
            name = behind.target.partition("/")[0]
            assert f"{name} refused the gateway's own key with status {status}" in message
            assert "Incorrect API key provided: <secret>" in message
            seen = repr(answered) + gateway.stderr[logged:]
            assert shown.strip(".") not in seen
            assert "***" not in seen


def test_gemini_s_word_for_a_wrong_key(gateway: Gateway, provider: Provider) -> None:
    """It answers 400, with the reason among the details (recorded errors of its API)."""
    details = [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]
    told = {"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT",
            "details": details}  # fmt: skip
    for client in (GEMINI, CHAT, MESSAGES):
        provider.will([answer(json.dumps({"error": told}).encode(), 400)])
        answered = ask(gateway, client, GEMINI.model, stream=False)
        assert answered.status == 502
        assert "refused the gateway's own key" in error_of(client, answered.body)[0]


def test_a_key_that_is_a_word_stays_in_answers(
    server: Provider, provider: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Servers of one's own are given keys such as `none`: an answer may hold the word."""
    monkeypatch.setenv(KEY_VARIABLE, "Hello")
    with serving("".join(route(w.model, [(w.target, server.url + w.base)]) for w in WIRES),
                 tmp_path) as gateway:  # fmt: skip
        for client, behind in ((CHAT, CHAT), (CHAT, MESSAGES), (GEMINI, CHAT)):
            for stream in (True, False):
                provider.will([answer(b"".join(behind.events) if stream else behind.whole)])
                told = ask(gateway, client, behind.model, stream)
                assert b"Hel" in told.body
                assert b"<secret>" not in told.body
