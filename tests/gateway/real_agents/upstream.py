"""The hosts behind the gateway: a strict server of each kind, with the thinking that its kind has."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dragoman import Wire, wire
from dragoman._core.edges.http.transport import HttpCall
from dragoman.errors import ProviderError
from dragoman.message import ChatRequest, ChatResponse
from dragoman.testing import Fault, Scripted, StrictServer
from dragoman.testing.answers import Rendered, rendered
from dragoman.testing.scripted import SentReply

from .scenarios import HALF
from .scripted_model import Model

__all__ = ["KINDS", "Kind", "Upstream", "break_of"]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of host: the `wire`, how a route names it, and how it seals what it thought."""

    wire: str
    model: str
    proves: bool = False  # whether it seals its thinking, and wants the proof back

    @property
    def route(self) -> str:
        return f"{self.wire}/{self.model}"

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
            case _:
                pass  # Chat Completions of OpenAI shows no thinking

    def answer(self, told: ChatResponse, request: ChatRequest, thought: str, number: int) -> Any:
        """The answer as this host gives it, with its own ids, words and proofs."""
        body = self.host.write_response(told, request).body
        if thought:
            self.dress(body, thought, number)
        return self.host.read_response(body, request=request)

    @property
    def host(self) -> Wire:
        return wire(self.wire, policy="ignore", fetch=None)


KINDS: dict[str, Kind] = {
    kind.wire: kind
    for kind in (
        Kind("openai-chat", "gpt-5.6"),
        Kind("openai-responses", "gpt-5.6", proves=True),
        Kind("anthropic", "claude-opus-5-5", proves=True),
        Kind("gemini", "gemini-3.8-pro", proves=True),
        Kind("ollama", "qwen3.6"),
    )
}


# what its home takes of an agent, though no document of it says so
_TAKEN = ("$.client_metadata:",)


class Upstream(StrictServer):
    """A strict server whose answers a scripted model gives; it counts tokens where its kind can."""

    def __init__(self, kind: Kind, model: Model) -> None:
        self.kind = kind
        self.script = Scripted(model, wire=kind.host, repeat=True)
        super().__init__(kind.wire, self.script)

    def _faults(self, call: HttpCall, path: str) -> list[str]:
        found = super()._faults(call, path)
        return [fault for fault in found if not fault.startswith(_TAKEN)]

    def answer(self, call: HttpCall) -> SentReply | ProviderError:
        """What the call gets; counting is answered with a count that is none of zero."""
        counted = _counted(call)
        if counted is not None:
            self.calls.append(call)
            self.judged.append([])
            headers = {"content-type": "application/json"}
            return SentReply(Rendered(200, headers, [json.dumps(counted).encode()]))
        return super().answer(call)


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


def break_of(how: str, kind: Kind) -> Callable[[ChatResponse], Callable[[ChatRequest], Fault]]:
    """What breaks an answer off: the whole call is told, and its end is not.

    `how` is `error`, an event that says so, or `cut`, an end of the connection.
    """

    def of(answer: ChatResponse) -> Callable[[ChatRequest], Fault]:
        def broken(request: ChatRequest) -> Fault:
            chunks = rendered(answer, kind.host, request).chunks
            told = next(i for i, chunk in enumerate(chunks, 1) if HALF.encode() in chunk)
            if how == "cut":
                return Fault(answer, cut=told)
            error = ProviderError("The host is overloaded.", status=529, type="overloaded_error")
            return Fault(answer, error=error, after=told)

        return broken

    return of
