"""Chat Completions: the accumulator of the SDK `openai`."""

from __future__ import annotations

from typing import Any

from openai._models import construct_type
from openai.lib.streaming.chat import ChatCompletionStreamState
from openai.types.chat import ChatCompletionChunk

from dragoman.message import Usage
from tests.contract.reading.told import Fields, value_of

__all__ = ["assemble", "fields", "figures"]


def assemble(events: list[tuple[str | None, Any]]) -> Any:
    """The completion of `ChatCompletionStreamState`, with the usage that was said last."""
    state = ChatCompletionStreamState[Any]()
    for _, payload in events:
        if isinstance(payload, dict):
            chunk: Any = construct_type(type_=ChatCompletionChunk, value=payload)
            list(state.handle_chunk(chunk))
    return state.current_completion_snapshot.to_dict(mode="json", warnings=False)


def fields(body: Any) -> Fields:
    """The fields of a completion."""
    made: Fields = {"model": body.get("model"), "id": body.get("id")}
    for nth, choice in enumerate(body.get("choices") or ()):
        made |= {f"{nth}.{name}": value for name, value in _choice(choice).items()}
    return made


def _choice(choice: Any) -> Fields:
    message = choice.get("message") or {}
    calls = message.get("tool_calls") or []
    functions = [call.get("function") or {} for call in calls]
    chances = choice.get("logprobs")
    return {
        "text": _text(message.get("content")),
        "thinking": _thinking(message),
        "signatures": _details(message, "signature"),
        "redacted": _details(message, "data"),
        "refusal": message.get("refusal") or "",
        "calls": [
            [c.get("id") or "", f.get("name") or ""] for c, f in zip(calls, functions, strict=True)
        ],
        "arguments": [value_of(f.get("arguments")) for f in functions],
        "citations": len(message.get("annotations") or ()),
        "finish": choice.get("finish_reason"),
        "logprobs": {k: v for k, v in chances.items() if v} or None
        if isinstance(chances, dict)
        else chances,
    }


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(part.get("text") or "" for part in content if part.get("type") == "text")
    return content or ""


def _thinking(message: Any) -> str:
    for name in ("reasoning_content", "reasoning"):
        if message.get(name):
            return str(message[name])
    details = message.get("reasoning_details") or ()
    return "".join(one.get("text") or one.get("summary") or "" for one in details)


def _details(message: Any, key: str) -> list[Any]:
    return [one[key] for one in message.get("reasoning_details") or () if one.get(key)]


def figures(usage: Usage) -> Any:
    """The neutral figures as Chat Completions says them."""
    known = [n for n in (usage.input, usage.cache_read, usage.cache_write) if n is not None]
    return {
        "prompt_tokens": sum(known) if known else None,
        "completion_tokens": usage.output,
        "total_tokens": usage.total,
        "prompt_tokens_details": {"cached_tokens": usage.cache_read,
                                  "cache_write_tokens": usage.cache_write,
                                  "audio_tokens": usage.audio_in},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning,
                                      "audio_tokens": usage.audio_out},
    }  # fmt: skip


def spent(body: Any) -> Any:
    """The token figures of a whole answer."""
    return body.get("usage")
