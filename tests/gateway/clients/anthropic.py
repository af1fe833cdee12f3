"""The official `anthropic` client: Messages."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any, ClassVar

import anthropic
from anthropic import Anthropic

from .talk import MODEL, Call, Door, Reply, Talk


class MessagesTalk(Talk):
    """`client.messages`."""

    protocol: ClassVar[str] = "anthropic"
    raised: ClassVar[dict[int, tuple[type[Exception], ...]]] = {
        400: (anthropic.BadRequestError,), 401: (anthropic.AuthenticationError,),
        403: (anthropic.PermissionDeniedError,), 404: (anthropic.NotFoundError,),
        422: (anthropic.UnprocessableEntityError,), 429: (anthropic.RateLimitError,),
    }  # fmt: skip
    default_error: ClassVar[type[Exception]] = anthropic.InternalServerError
    broken: ClassVar[tuple[type[Exception], ...]] = (anthropic.APIError,)

    def connect(self, door: Door, key: str) -> None:
        self.sdk = Anthropic(
            api_key=key, base_url=door.url, http_client=door.httpx2, max_retries=0, timeout=60
        )
        self.history: list[Any] = []

    def say(self, text: str, image: bytes | None = None) -> Reply:
        self.history.append({"role": "user", "content": _content(text, image)})
        return self._ask()

    def give(self, results: Sequence[tuple[Call, str, bytes | None]]) -> Reply:
        blocks = [
            {"type": "tool_result", "tool_use_id": call.id, "content": _content(text, image)}
            for call, text, image in results
        ]
        self.history.append({"role": "user", "content": blocks})
        return self._ask()

    def _ask(self) -> Reply:
        fields: dict[str, Any] = {"model": MODEL, "max_tokens": 8000, "messages": self.history}
        if self.system:
            fields["system"] = self.system
        if self.tools:
            fields["tools"] = [
                {"name": tool.name, "description": tool.description, "input_schema": tool.schema}
                for tool in self.tools
            ]
        if self.thinks:
            fields["thinking"] = {"type": "adaptive", "display": "summarized"}
        if self.schema is not None:
            fields["output_format"] = self.schema
        events = 0
        if self.streams:
            with self.sdk.messages.stream(**fields) as stream:
                for _ in stream:
                    events += 1
                done: Any = stream.get_final_message()
        elif self.schema is not None:
            done = self.sdk.messages.parse(**fields)
        else:
            done = self.sdk.messages.create(**fields)
        blocks = [_plain(block) for block in done.content]
        self.history.append({"role": "assistant", "content": blocks})
        return Reply(
            "".join(block.text for block in done.content if block.type == "text"),
            "".join(block.thinking for block in done.content if block.type == "thinking"),
            [Call(block.name, block.input, block.id)
             for block in done.content if block.type == "tool_use"],
            done.stop_reason, done.usage.input_tokens, done.usage.output_tokens, done.model,
            getattr(done, "parsed_output", None), events,
        )  # fmt: skip

    def count(self, text: str) -> int:
        messages: Any = [{"role": "user", "content": text}]
        return self.sdk.messages.count_tokens(model=MODEL, messages=messages).input_tokens

    def message_of(self, error: Exception) -> str:
        return error.message if isinstance(error, anthropic.APIError) else str(error)


def _plain(block: Any) -> Any:
    """The block for the next request: what the helper parsed is the program's own."""
    body: dict[str, Any] = block.model_dump(exclude={"parsed_output"}, exclude_unset=True)
    return body


def _content(text: str, image: bytes | None) -> Any:
    if image is None:
        return text
    data = base64.b64encode(image).decode()
    source = {"type": "base64", "media_type": "image/png", "data": data}
    return [{"type": "text", "text": text}, {"type": "image", "source": source}]
