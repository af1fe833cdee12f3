"""Answers of three turns with the state that only their provider reads, as each provider writes it.

Each kind of upstream has its answers, and says what of a later request is that state.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from dragoman import wire
from dragoman.llm.names import model_name
from dragoman.message import ChatResponse

ARGUMENTS = '{"city": "Samarkand"}'
SAID = "Thirty-one degrees."
BYE = "Farewell."


@dataclass(frozen=True, slots=True)
class Thinker:
    """An upstream that thinks: its model, three answers, and what it must get back.

    `states` finds, in a request's body, all that stands for thoughts, in its order. `kept` is what
    they shall be once the first two answers have come back.
    """

    model: str
    bodies: tuple[Any, Any, Any]
    states: Callable[[Any], list[Any]]
    kept: tuple[list[Any], list[Any]]
    words: str  # of the first answer's thoughts, as far as clients see them

    @property
    def wire(self) -> str:
        """The wire of the server that answers."""
        asked = model_name(self.model)
        return f"{asked.host.name}/{asked.protocol}"

    @property
    def answers(self) -> list[ChatResponse]:
        """The answers as a StrictServer takes them."""
        return [wire(self.wire, policy="ignore").read_response(body) for body in self.bodies]


def _signed(name: str) -> str:
    return b64encode(f"only its provider reads {name}".encode() * 3).decode()


# -- Anthropic -------------------------------------------------------------------------------------


def _message(*content: Any, stop: str = "end_turn") -> Any:
    return {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-5-5",
            "content": list(content), "stop_reason": stop, "stop_sequence": None,
            "usage": {"input_tokens": 11, "output_tokens": 7}}  # fmt: skip


_A1 = {"type": "thinking", "thinking": "I look it up.", "signature": _signed("A1")}
_A2 = {"type": "redacted_thinking", "data": _signed("A2")}
_A3 = {"type": "thinking", "thinking": "It is warm.", "signature": _signed("A3")}
_USE = {"type": "tool_use", "id": "toolu_1", "name": "warmth", "input": {"city": "Samarkand"}}


def _anthropic_states(body: Any) -> list[Any]:
    contents = [m["content"] for m in body["messages"] if isinstance(m["content"], list)]
    return [block for content in contents for block in content
            if block["type"] in ("thinking", "redacted_thinking")]  # fmt: skip


_ANTHROPIC = Thinker(
    "anthropic/claude-opus-5-5",
    (_message(_A1, _A2, {"type": "text", "text": "One moment."}, _USE, stop="tool_use"),
     _message(_A3, {"type": "text", "text": SAID}), _message({"type": "text", "text": BYE})),
    _anthropic_states, ([_A1, _A2], [_A1, _A2, _A3]), "I look it up.",
)  # fmt: skip

# -- OpenAI Responses ------------------------------------------------------------------------------


def _response(*output: Any) -> Any:
    return {"id": "resp_1", "object": "response", "created_at": 0, "status": "completed",
            "model": "gpt-5.6", "output": list(output), "usage": {
                "input_tokens": 11, "output_tokens": 7, "total_tokens": 18,
                "input_tokens_details": {"cached_tokens": 0},
                "output_tokens_details": {"reasoning_tokens": 3}}}  # fmt: skip


def _reasoning(id: str, *words: str) -> Any:
    summary = [{"type": "summary_text", "text": one} for one in words]
    return {"type": "reasoning", "id": id, "summary": summary, "encrypted_content": _signed(id)}


def _said(text: str) -> Any:
    part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    return {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant",
            "content": [part]}  # fmt: skip


_R1, _R2 = _reasoning("rs_1", "I look it up."), _reasoning("rs_2")
_FUNCTION = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "warmth",
             "arguments": ARGUMENTS, "status": "completed"}  # fmt: skip


def _responses_states(body: Any) -> list[Any]:
    items = [item for item in body["input"] if item.get("type") == "reasoning"]
    return [_sealed(item) for item in items]


def _sealed(item: Any) -> Any:
    """Nothing is stored, so that nobody asks for the id."""
    return {name: item[name] for name in ("summary", "encrypted_content")}


_RESPONSES = Thinker(
    "openai/openai-responses/gpt-5.6",
    (_response(_R1, _FUNCTION), _response(_R2, _said(SAID)), _response(_said(BYE))),
    _responses_states, ([_sealed(_R1)], [_sealed(_R1), _sealed(_R2)]), "I look it up.",
)  # fmt: skip

# -- Gemini ----------------------------------------------------------------------------------------


def _content(*parts: Any) -> Any:
    candidate = {"content": {"parts": list(parts), "role": "model"}, "finishReason": "STOP",
                 "index": 0}  # fmt: skip
    usage = {"promptTokenCount": 11, "candidatesTokenCount": 7, "totalTokenCount": 18}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini-3.8-flash",
            "responseId": "r1"}  # fmt: skip


_G1 = {"functionCall": {"id": "c1", "name": "warmth", "args": {"city": "Samarkand"}},
       "thoughtSignature": _signed("G1")}  # fmt: skip
_G2 = {"text": SAID, "thoughtSignature": _signed("G2")}


def _gemini_states(body: Any) -> list[Any]:
    parts = [part for content in body["contents"] for part in content["parts"]]
    return [(next(iter(part)), part["thoughtSignature"])
            for part in parts if "thoughtSignature" in part]  # fmt: skip


_GEMINI = Thinker(
    "gemini/gemini-3.8-flash",
    (_content({"text": "I look it up.", "thought": True}, _G1),
     _content({"text": "It is warm.", "thought": True}, _G2), _content({"text": BYE})),
    _gemini_states,
    ([("functionCall", _G1["thoughtSignature"])],
     [("functionCall", _G1["thoughtSignature"]), ("text", _G2["thoughtSignature"])]),
    "I look it up.",
)  # fmt: skip

# -- Chat Completions of hosts ---------------------------------------------------------------------


def _choice(content: str | None, finish: str = "stop", **fields: Any) -> Any:
    message = {"role": "assistant", "content": content, **fields}
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    return {"id": "c1", "object": "chat.completion", "created": 0, "model": "m", "usage": usage,
            "choices": [{"index": 0, "message": message, "finish_reason": finish}]}  # fmt: skip


_TOOL = [{"id": "call_1", "type": "function",
          "function": {"name": "warmth", "arguments": ARGUMENTS}}]  # fmt: skip


def _fields_of(name: str) -> Callable[[Any], list[Any]]:
    def found(body: Any) -> Iterator[Any]:
        for m in body["messages"]:
            if m["role"] == "assistant" and m.get(name):
                yield m[name]

    return lambda body: list(found(body))


_DEEPSEEK = Thinker(
    "deepseek/deepseek-v4-pro",
    (_choice("", "tool_calls", reasoning_content="I look it up.", tool_calls=_TOOL),
     _choice(SAID, reasoning_content="It is warm."), _choice(BYE)),
    _fields_of("reasoning_content"),
    (["I look it up."], ["I look it up.", "It is warm."]), "I look it up.",
)  # fmt: skip


def _details(n: int, words: str) -> list[Any]:
    return [{"type": "reasoning.text", "text": words, "signature": _signed(f"D{n}"),
             "format": "anthropic-claude-v1", "index": 0}]  # fmt: skip


_D1, _D2 = _details(1, "I look it up."), _details(2, "It is warm.")
_OPENROUTER = Thinker(
    "openrouter/anthropic/claude-opus-5.5",
    (_choice("", "tool_calls", reasoning="I look it up.", reasoning_details=_D1, tool_calls=_TOOL),
     _choice(SAID, reasoning="It is warm.", reasoning_details=_D2), _choice(BYE)),
    _fields_of("reasoning_details"), ([_D1], [_D1, _D2]), "I look it up.",
)  # fmt: skip

# -- Ollama ----------------------------------------------------------------------------------------


def _ollama(content: str, **fields: Any) -> Any:
    return {"model": "qwen3", "created_at": "2026-01-01T00:00:00Z", "done": True,
            "message": {"role": "assistant", "content": content, **fields}, "done_reason": "stop",
            "prompt_eval_count": 11, "eval_count": 7}  # fmt: skip


_OLLAMA = Thinker(
    "ollama/qwen3",
    (_ollama("", thinking="I look it up.", tool_calls=[
        {"function": {"name": "warmth", "arguments": {"city": "Samarkand"}}}]),
     _ollama(SAID, thinking="It is warm."), _ollama(BYE)),
    _fields_of("thinking"), (["I look it up."], ["I look it up.", "It is warm."]), "I look it up.",
)  # fmt: skip

THINKERS = {
    "anthropic": _ANTHROPIC, "openai-responses": _RESPONSES, "gemini": _GEMINI,
    "deepseek": _DEEPSEEK, "openrouter": _OPENROUTER, "ollama": _OLLAMA,
}  # fmt: skip
