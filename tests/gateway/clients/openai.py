"""The official `openai` client: Chat Completions, and Responses of which nothing is stored."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any, ClassVar

import openai
from openai import OpenAI

from .talk import MODEL, AnswerFailed, Call, Door, Reply, Talk, Tool


class _OpenAI(Talk):
    """What both share."""

    raised: ClassVar[dict[int, tuple[type[Exception], ...]]] = {
        400: (openai.BadRequestError,), 401: (openai.AuthenticationError,),
        403: (openai.PermissionDeniedError,), 404: (openai.NotFoundError,),
        422: (openai.UnprocessableEntityError,), 429: (openai.RateLimitError,),
    }  # fmt: skip
    default_error: ClassVar[type[Exception]] = openai.InternalServerError
    broken: ClassVar[tuple[type[Exception], ...]] = (openai.APIError,)
    history: list[Any]

    def connect(self, door: Door, key: str) -> None:
        self.sdk = OpenAI(
            api_key=key, base_url=f"{door.url}/v1", http_client=door.httpx2, max_retries=0,
            timeout=60,
        )  # fmt: skip
        self.history = []

    def message_of(self, error: Exception) -> str:
        return error.message if isinstance(error, openai.APIError) else str(error)


def _data_url(image: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(image).decode()}"


class ChatTalk(_OpenAI):
    """`client.chat.completions`."""

    protocol: ClassVar[str] = "openai-chat"

    def say(self, text: str, image: bytes | None = None) -> Reply:
        content: Any = text
        if image is not None:
            url = {"url": _data_url(image)}
            content = [{"type": "text", "text": text}, {"type": "image_url", "image_url": url}]
        self.history.append({"role": "user", "content": content})
        return self._ask()

    def give(self, results: Sequence[tuple[Call, str, bytes | None]]) -> Reply:
        for call, text, _ in results:
            self.history.append({"role": "tool", "tool_call_id": call.id, "content": text})
        shown = [
            {"type": "image_url", "image_url": {"url": _data_url(image)}}
            for _, _, image in results
            if image is not None
        ]  # this API's results hold text alone
        if shown:
            self.history.append({"role": "user", "content": shown})
        return self._ask()

    def _ask(self) -> Reply:
        fields: dict[str, Any] = {"model": MODEL, "messages": self.history}
        if self.system:
            fields["messages"] = [{"role": "system", "content": self.system}, *self.history]
        if self.tools:
            fields["tools"] = [_chat_tool(tool) for tool in self.tools]
        if self.thinks:
            fields["reasoning_effort"] = "medium"
        elif self.tools:  # over this API OpenAI's newest models take tools only so
            fields["reasoning_effort"] = "none"
        if self.schema is not None:
            fields["response_format"] = self.schema
        events = 0
        if self.streams:
            usage: Any = {"include_usage": True}
            with self.sdk.chat.completions.stream(**fields, stream_options=usage) as stream:
                for _ in stream:
                    events += 1
                done: Any = stream.get_final_completion()
        elif self.schema is not None:
            done = self.sdk.chat.completions.parse(**fields)
        else:
            done = self.sdk.chat.completions.create(**fields)
        [choice] = done.choices
        message = choice.message
        self.history.append(_without_parsed(message))
        extra = message.model_extra or {}
        details = "".join(one.get("text") or one.get("summary") or ""
                          for one in extra.get("reasoning_details") or ())  # fmt: skip
        thinking = extra.get("reasoning_content") or extra.get("reasoning") or details
        return Reply(
            message.content or "", thinking,
            [Call(call.function.name, json.loads(call.function.arguments), call.id)
             for call in message.tool_calls or ()],
            choice.finish_reason, done.usage.prompt_tokens, done.usage.completion_tokens,
            done.model, getattr(message, "parsed", None), events,
        )  # fmt: skip


def _chat_tool(tool: Tool) -> dict[str, Any]:
    # the SDK's stream helper takes strict tools alone
    function = {"name": tool.name, "description": tool.description, "parameters": tool.schema,
                "strict": True}  # fmt: skip
    return {"type": "function", "function": function}


def _without_parsed(message: Any) -> Any:
    """The message as its host sent it: what the helper parsed is the program's own."""
    body: dict[str, Any] = message.model_dump(exclude={"parsed"}, exclude_unset=True)
    for call in body.get("tool_calls") or ():
        call["function"].pop("parsed_arguments", None)
        call.pop("index", None)
    return {name: value for name, value in body.items() if value is not None or name == "content"}


class ResponsesTalk(_OpenAI):
    """`client.responses`, whose history is the program's: `store=False`."""

    broken: ClassVar[tuple[type[Exception], ...]] = (AnswerFailed, openai.APIError)
    protocol: ClassVar[str] = "openai-responses"

    def say(self, text: str, image: bytes | None = None) -> Reply:
        content: Any = text
        if image is not None:
            content = _parts(text, image)
        self.history.append({"role": "user", "content": content})
        return self._ask()

    def give(self, results: Sequence[tuple[Call, str, bytes | None]]) -> Reply:
        for call, text, image in results:
            output: Any = text if image is None else _parts(text, image)
            item = {"type": "function_call_output", "call_id": call.id, "output": output}
            self.history.append(item)
        return self._ask()

    def _ask(self) -> Reply:
        fields: dict[str, Any] = {"model": MODEL, "input": self.history, "store": False}
        if self.system:
            fields["instructions"] = self.system
        if self.tools:
            fields["tools"] = [
                {"type": "function", "name": tool.name, "description": tool.description,
                 "parameters": tool.schema, "strict": True}
                for tool in self.tools
            ]  # fmt: skip
        if self.thinks:
            fields["reasoning"] = {"effort": "medium", "summary": "auto"}
            fields["include"] = ["reasoning.encrypted_content"]
        if self.schema is not None:
            fields["text_format"] = self.schema
        events = 0
        if self.streams:
            with self.sdk.responses.stream(**fields) as stream:
                for _ in stream:
                    events += 1
                done: Any = stream.get_final_response()
        elif self.schema is not None:
            done = self.sdk.responses.parse(**fields)
        else:
            done = self.sdk.responses.create(**fields)
        if done.status == "failed":
            raise AnswerFailed(done.error.message)
        self.history += [_item(item) for item in done.output]
        return Reply(
            done.output_text,
            "".join(part.text for item in done.output if item.type == "reasoning"
                    for part in (*item.summary, *(item.content or ()))),
            [Call(item.name, json.loads(item.arguments), item.call_id)
             for item in done.output if item.type == "function_call"],
            done.status, done.usage.input_tokens, done.usage.output_tokens, done.model,
            getattr(done, "output_parsed", None), events,
        )  # fmt: skip

    def count(self, text: str) -> int:
        return self.sdk.responses.input_tokens.count(model=MODEL, input=text).input_tokens


def _parts(text: str, image: bytes) -> list[Any]:
    shown = {"type": "input_image", "image_url": _data_url(image), "detail": "auto"}
    return [{"type": "input_text", "text": text}, shown]


def _item(item: Any) -> dict[str, Any]:
    ours: Any = {"parsed_arguments": True, "content": {"__all__": {"parsed"}}}
    if item.type != "message":
        ours = {"parsed_arguments"}
    body: dict[str, Any] = item.model_dump(exclude=ours, exclude_unset=True)
    return body
