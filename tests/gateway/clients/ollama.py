"""The official `ollama` client."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import ollama

from .talk import MODEL, Call, Door, Reply, Talk


class OllamaTalk(Talk):
    """`client.chat`, which gives calls no ids and raises one error for all statuses."""

    protocol: ClassVar[str] = "ollama"
    raised: ClassVar[dict[int, tuple[type[Exception], ...]]] = {}
    default_error: ClassVar[type[Exception]] = ollama.ResponseError
    broken: ClassVar[tuple[type[Exception], ...]] = (ollama.ResponseError,)

    def connect(self, door: Door, key: str) -> None:
        headers = {"authorization": f"Bearer {key}"}
        self.sdk = ollama.Client(
            host=door.url, headers=headers, timeout=60, transport=door.transport
        )
        self.history: list[Any] = []

    def say(self, text: str, image: bytes | None = None) -> Reply:
        images = {"images": [image]} if image is not None else {}
        self.history.append({"role": "user", "content": text, **images})
        return self._ask()

    def give(self, results: Sequence[tuple[Call, str, bytes | None]]) -> Reply:
        for call, text, _ in results:
            message = {"role": "tool", "tool_name": call.name, "content": text}
            self.history.append(message)
        shown = [image for _, _, image in results if image is not None]
        if shown:  # results hold text alone
            self.history.append({"role": "user", "content": "", "images": shown})
        return self._ask()

    def _ask(self) -> Reply:
        fields: dict[str, Any] = {"model": MODEL, "messages": self.history}
        if self.system:
            fields["messages"] = [{"role": "system", "content": self.system}, *self.history]
        if self.tools:
            fields["tools"] = [
                {"type": "function", "function": {"name": tool.name, "parameters": tool.schema,
                                                  "description": tool.description}}
                for tool in self.tools
            ]  # fmt: skip
        if self.thinks:
            fields["think"] = True
        if self.schema is not None:
            fields["format"] = self.schema.model_json_schema()
        if self.streams:
            parts = list(self.sdk.chat(**fields, stream=True))
        else:
            parts = [self.sdk.chat(**fields)]
        last = parts[-1]
        message = ollama.Message(
            role="assistant",
            content="".join(part.message.content or "" for part in parts),
            thinking="".join(part.message.thinking or "" for part in parts) or None,
            tool_calls=[call for part in parts for call in part.message.tool_calls or ()] or None,
        )
        self.history.append(message)
        parsed = None
        if self.schema is not None:
            parsed = self.schema.model_validate_json(message.content or "")
        return Reply(
            message.content or "", message.thinking or "",
            [Call(call.function.name, dict(call.function.arguments))
             for call in message.tool_calls or ()],
            last.done_reason or "", last.prompt_eval_count or 0, last.eval_count or 0,
            last.model or "", parsed, len(parts) if self.streams else 0,
        )  # fmt: skip

    def message_of(self, error: Exception) -> str:
        return error.error if isinstance(error, ollama.ResponseError) else str(error)
