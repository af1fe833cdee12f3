"""The hosts behind the gateway: a strict server of each kind, and how its kind thinks."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from typing import Any

from dragoman import Wire, wire
from dragoman.errors import ProviderError, StreamBroken
from dragoman.message import ChatRequest, ChatResponse
from dragoman.testing import Fault, Scripted, StrictServer
from dragoman.testing.answers import Rendered, render_answer
from dragoman.testing.scripted import SentReply
from dragoman.transport.call import HttpCall

from .scenarios import HALF
from .scripted_model import Model

__all__ = ["KINDS", "STREAMS_ARGUMENTS", "Kind", "Upstream", "break_of", "overflow_of"]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of host: the `wire`, how a route names it, and how it seals what it thought."""

    wire: str
    vendor: str
    model: str
    proves: bool = False  # whether it seals its thinking, and wants the proof back
    words: bool = False  # whether it wants back what it thought in front of calls, word for word
    sees: bool = True  # whether it takes pictures
    known: str = ""  # a model for agents of this very wire, whose fields it takes as they come

    def route(self, spoken: str) -> str:
        """The model, as the gateway is told it, for an agent that speaks the wire `spoken`."""
        model = self.known if self.known and spoken == self.wire else self.model
        return "/".join(dict.fromkeys((self.vendor, self.wire, model)))

    def wanted(self, thought: str, number: int) -> str:
        """What must stand in the next request of the thinking of one turn; empty for nothing."""
        if self.words:
            return json.dumps(thought, ensure_ascii=False)
        return self.proof(number) if self.proves else ""

    def proof(self, number: int) -> str:
        """What the host wants back unchanged of the thinking of one turn."""
        return base64.b64encode(f"proof of {self.wire}, turn {number:03}".encode()).decode()

    def dress(self, body: dict[str, Any], thought: str, number: int) -> None:
        """Put what this kind of host thinks into the body of its answer."""
        proof = self.proof(number)
        match self.wire:
            case "anthropic":
                part = {"type": "thinking", "thinking": thought, "signature": proof}
                body["content"].insert(0, part)
            case "openai-responses":
                summary = [{"type": "summary_text", "text": thought}]
                item = {"type": "reasoning", "id": f"rs_{number:03}", "summary": summary}
                body["output"].insert(0, {**item, "encrypted_content": proof})
            case "gemini":
                parts = body["candidates"][0]["content"]["parts"]
                call = next((part for part in parts if "functionCall" in part), parts[-1])
                call["thoughtSignature"] = proof
                parts.insert(0, {"text": thought, "thought": True})
            case "ollama":
                body["message"]["thinking"] = thought
            case "deepseek":
                body["choices"][0]["message"]["reasoning_content"] = thought
            case _:
                pass  # Chat Completions of OpenAI shows no thinking

    def answer(self, told: ChatResponse, request: ChatRequest, thought: str, number: int) -> Any:
        """The answer as this host gives it, with its own ids, words and proofs."""
        body = self.host.write_response(told, request).body
        if "choices" in body:
            body["id"] = f"chatcmpl-{next(_NUMBERS):06}"
        if thought:
            self.dress(body, thought, number)
        return self.host.read_response(body, request=request)

    @property
    def host(self) -> Wire:
        return wire(self.wire, policy="ignore", fetch=None)


_NUMBERS = count(1)  # of answers that have an id; Gemini and Ollama give none here
KINDS: dict[str, Kind] = {
    kind.wire: kind
    for kind in (
        Kind("openai-chat", "openai", "gpt-5.6", known="gpt-4.1"),
        Kind("openai-responses", "openai", "gpt-5.6", proves=True),
        Kind("anthropic", "anthropic", "claude-opus-5-5", proves=True),
        Kind("gemini", "gemini", "gemini-3.8-pro", proves=True),
        Kind("ollama", "ollama", "qwen3.6"),
        Kind("deepseek", "deepseek", "deepseek-v4-pro", words=True, sees=False),
    )
}


_ENDS = "x-scripted-end"  # the header of an answer that breaks off: how it does

# what its home takes of an agent, though no document of it says so
_TAKEN = ("$.client_metadata:",)
# what Gemini CLI 0.61 sends over its own wire when it resumes: all results twice, and no signatures
_RESUMED = ("a call is answered once", "a call must come back with the signature")


# hosts that tell the arguments of a call bit by bit; elsewhere a call is whole or is not there
STREAMS_ARGUMENTS = ("openai-chat", "openai-responses", "anthropic")


class Upstream(StrictServer):
    """A strict server whose answers a scripted model gives; it counts tokens where its kind can.

    `own`: the agent speaks this wire itself, so that its own faults pass the gateway as they are.
    """

    def __init__(self, kind: Kind, model: Model, *, own: bool) -> None:
        self.kind = kind
        self._own = own
        self.script = Scripted(model, wire=kind.host, repeat=True)
        super().__init__(kind.wire, self.script)  # type: ignore[arg-type]  # it takes one, too

    def _faults(self, call: HttpCall, path: str) -> list[str]:
        found = super()._faults(call, path)
        borne = (*_TAKEN, *(_RESUMED if self._own else ()))
        return [fault for fault in found if not any(words in fault for words in borne)]

    def answer(self, call: HttpCall) -> SentReply | ProviderError:
        """What the call gets; counting is answered with a count that is none of zero."""
        counted = _counted(call)
        if counted is not None:
            self.calls.append(call)
            self.judged.append([])
            headers = {"content-type": "application/json"}
            return SentReply(Rendered(200, headers, [json.dumps(counted).encode()]))
        reply = super().answer(call)
        if isinstance(reply, ProviderError) or reply.headers.get(_ENDS) != "error":
            return reply
        chunks = []
        with suppress(StreamBroken):
            for chunk in reply:
                chunks += [chunk]
        made = Rendered(200, dict(reply.headers), [*chunks, _error_event(self.kind.wire)])
        return SentReply(made)


def _counted(call: HttpCall) -> dict[str, Any] | None:
    """The answer to a question for tokens; a quarter of the body's bytes is honest enough."""
    tokens = len(call.body) // 4
    path = call.url.partition("?")[0]
    if path.endswith("/messages/count_tokens"):
        return {"input_tokens": tokens}
    if path.endswith(":countTokens"):
        return {"totalTokens": tokens}
    if path.endswith("/responses/input_tokens"):
        return {"object": "response.input_tokens", "input_tokens": tokens}
    return None


_SAID = "The host is overloaded."
_ERROR_EVENTS = {
    "anthropic": (
        "error",
        {"type": "error", "error": {"type": "overloaded_error", "message": _SAID}},
    ),
    "openai-responses": (
        "error",
        {"type": "error", "code": "server_is_overloaded", "message": _SAID, "param": None,
         "sequence_number": 99},
    ),
    "openai-chat": ("", {"error": {"message": _SAID, "type": "server_error", "code": None}}),
    "gemini": ("", {"error": {"code": 503, "message": _SAID, "status": "UNAVAILABLE"}}),
    "ollama": ("", {"error": _SAID}),
}  # fmt: skip


def _error_event(name: str) -> bytes:
    """How a host of this wire says in mid-stream that it fails."""
    event, body = _ERROR_EVENTS[name]
    text = json.dumps(body)
    if name in ("ollama", "gemini"):  # the SDK of Gemini CLI sees an error in bare JSON only
        return f"{text}\n".encode()
    return (f"event: {event}\n" if event else "").encode() + f"data: {text}\n\n".encode()


# how hosts say that the context is full, all with status 400: type, code, message
_BAD = "invalid_request_error"
_FULL = {
    "anthropic": (_BAD, "", "prompt is too long: 213462 tokens > 200000 maximum"),
    "openai-responses": (
        _BAD,
        "context_length_exceeded",
        (
            "Your input exceeds the context window of this model."
            " Please adjust your input and try again."
        ),
    ),
    "openai-chat": (
        _BAD,
        "context_length_exceeded",
        (
            "This model's maximum context length is 128000 tokens. However, your messages resulted"
            " in 131002 tokens. Please reduce the length of the messages."
        ),
    ),
    "gemini": (
        "INVALID_ARGUMENT",
        "",
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    ),
    "deepseek": (
        _BAD,
        _BAD,
        (
            "This model's maximum context length is 131072 tokens. However, you requested 140000"
            " tokens (131808 in the messages, 8192 in the completion). Please reduce the length of"
            " the messages or completion."
        ),
    ),
}


def overflow_of(kind: Kind) -> ProviderError:
    """The error of this host for a request that its context does not hold."""
    name, code, message = _FULL[kind.wire]
    return ProviderError(message, status=400, type=name, code=code)


def break_of(
    how: str, kind: Kind, *, inside: bool
) -> Callable[[ChatResponse], Callable[[ChatRequest], Fault]]:
    """What breaks an answer off in a call: by an `error` event, or a `cut` of the connection.

    The arguments are told, but not that the call ends; `inside`: only half of them are.
    """

    def of(answer: ChatResponse) -> Callable[[ChatRequest], Fault]:
        def broken(request: ChatRequest) -> Fault:
            if inside:
                for call in answer.msg.calls:
                    text = call.raw_input or json.dumps(call.input)
                    call.input = call.raw_input = text[: text.index(HALF) + 4]
                    call.unfinished = True
            chunks = render_answer(answer, kind.host, request).chunks
            told = next(i for i, chunk in enumerate(chunks, 1) if b"echo ran" in chunk)
            return Fault(answer, cut=told, headers={_ENDS: how})

        return broken

    return of
