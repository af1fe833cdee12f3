"""The official `google-genai` client: chats over generateContent, and Interactions."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any, ClassVar

from google import genai
from google.genai import errors, types
from google.genai._gaos.lib import compat_errors

from .talk import MODEL, Call, Door, Reply, Talk


def _client(door: Door, key: str) -> Any:
    options = types.HttpOptions(
        base_url=door.url, httpx_client=door.httpx2, timeout=60_000,
        retry_options=types.HttpRetryOptions(attempts=1),
    )  # fmt: skip
    return genai.Client(api_key=key, http_options=options)


class GeminiTalk(Talk):
    """`client.chats`, which keeps the history itself."""

    protocol: ClassVar[str] = "gemini"
    raised: ClassVar[dict[int, tuple[type[Exception], ...]]] = dict.fromkeys(
        (400, 401, 403, 404, 422, 429), (errors.ClientError,)
    )
    default_error: ClassVar[type[Exception]] = errors.ServerError
    broken: ClassVar[tuple[type[Exception], ...]] = (errors.APIError,)

    def connect(self, door: Door, key: str) -> None:
        self.sdk = _client(door, key)
        self._chat: Any = None

    @property
    def chat(self) -> Any:
        """The chat, made with the settings of its first message."""
        if self._chat is None:
            declared = [
                types.FunctionDeclaration(name=tool.name, description=tool.description,
                                          parameters_json_schema=tool.schema)
                for tool in self.tools
            ]  # fmt: skip
            thinking = types.ThinkingConfig(include_thoughts=True)
            config = types.GenerateContentConfig(
                system_instruction=self.system or None,
                tools=[types.Tool(function_declarations=declared)] if declared else None,
                thinking_config=thinking if self.thinks else None,
                response_mime_type="application/json" if self.schema is not None else None,
                response_schema=self.schema,
            )
            self._chat = self.sdk.chats.create(model=MODEL, config=config)
        return self._chat

    def say(self, text: str, image: bytes | None = None) -> Reply:
        parts = [types.Part(text=text)]
        if image is not None:
            parts.append(types.Part.from_bytes(data=image, mime_type="image/png"))
        return self._send(parts)

    def give(self, results: Sequence[tuple[Call, str, bytes | None]]) -> Reply:
        parts = []
        for call, text, image in results:
            media = None
            if image is not None:
                blob = types.FunctionResponseBlob(mime_type="image/png", data=image)
                media = [types.FunctionResponsePart(inline_data=blob)]
            response = types.FunctionResponse(
                id=call.id or None, name=call.name, response={"output": text}, parts=media
            )
            parts.append(types.Part(function_response=response))
        return self._send(parts)

    def _send(self, parts: list[Any]) -> Reply:
        if self.streams:
            chunks = list(self.chat.send_message_stream(parts))
        else:
            chunks = [self.chat.send_message(parts)]
        reply = Reply(events=len(chunks) if self.streams else 0)
        for chunk in chunks:
            [candidate] = chunk.candidates
            for part in (candidate.content and candidate.content.parts) or ():
                if part.function_call is not None:
                    call = part.function_call
                    reply.calls.append(Call(call.name, call.args or {}, call.id or ""))
                elif part.thought:
                    reply.thinking += part.text or ""
                else:
                    reply.text += part.text or ""
            if candidate.finish_reason is not None:
                reply.finish = candidate.finish_reason.value
            if (usage := chunk.usage_metadata) is not None:
                reply.input_tokens = usage.prompt_token_count or 0
                reply.output_tokens = (usage.candidates_token_count or 0) + (
                    usage.thoughts_token_count or 0
                )
            reply.model = chunk.model_version or reply.model
        if self.schema is not None:
            reply.parsed = self.schema.model_validate_json(reply.text)
            assert self.streams or chunks[0].parsed == reply.parsed
        return reply

    def count(self, text: str) -> int:
        figure = self.sdk.models.count_tokens(model=MODEL, contents=text).total_tokens
        assert isinstance(figure, int)
        return figure

    def message_of(self, error: Exception) -> str:
        return (error.message or "") if isinstance(error, errors.APIError) else str(error)


class InteractionsTalk(Talk):
    """`client.interactions` without a memory of the server's: the steps go back as input."""

    protocol: ClassVar[str] = "gemini-interactions"
    raised: ClassVar[dict[int, tuple[type[Exception], ...]]] = {
        400: (compat_errors.BadRequestError,), 401: (compat_errors.AuthenticationError,),
        403: (compat_errors.PermissionDeniedError,), 404: (compat_errors.NotFoundError,),
        422: (compat_errors.UnprocessableEntityError,), 429: (compat_errors.RateLimitError,),
    }  # fmt: skip
    default_error: ClassVar[type[Exception]] = compat_errors.InternalServerError
    broken: ClassVar[tuple[type[Exception], ...]] = (compat_errors.APIError,)

    def connect(self, door: Door, key: str) -> None:
        self.sdk = _client(door, key)
        self.history: list[Any] = []

    def say(self, text: str, image: bytes | None = None) -> Reply:
        self.history.append({"type": "user_input", "content": _contents(text, image)})
        return self._ask()

    def give(self, results: Sequence[tuple[Call, str, bytes | None]]) -> Reply:
        for call, text, image in results:
            result: Any = text if image is None else _contents(text, image)
            step = {"type": "function_result", "call_id": call.id, "name": call.name,
                    "result": result}  # fmt: skip
            self.history.append(step)
        return self._ask()

    def _ask(self) -> Reply:
        fields: dict[str, Any] = {"model": MODEL, "input": self.history, "store": False}
        if self.system:
            fields["system_instruction"] = self.system
        if self.tools:
            fields["tools"] = [
                {"type": "function", "name": tool.name, "description": tool.description,
                 "parameters": tool.schema}
                for tool in self.tools
            ]  # fmt: skip
        if self.thinks:
            fields["generation_config"] = {"thinking_level": "medium", "thinking_summaries": "auto"}
        if self.schema is not None:
            schema = self.schema.model_json_schema()
            fields["response_format"] = {
                "type": "text", "mime_type": "application/json", "schema": schema
            }  # fmt: skip
        events = 0
        if self.streams:
            steps, done, events = _summed(self.sdk.interactions.create(**fields, stream=True))
        else:
            done = self.sdk.interactions.create(**fields)
            steps = [step.model_dump(mode="json", exclude_none=True) for step in done.steps]
        self.history += steps
        return _reply(steps, done, events, self.schema)

    def message_of(self, error: Exception) -> str:
        return str(error)


def _contents(text: str, image: bytes | None) -> list[dict[str, Any]]:
    contents = [{"type": "text", "text": text}]
    if image is not None:
        data = base64.b64encode(image).decode()
        contents.append({"type": "image", "data": data, "mime_type": "image/png"})
    return contents


def _summed(stream: Any) -> tuple[list[dict[str, Any]], Any, int]:
    """(the steps of a stream, which this SDK sums for nobody; the interaction; how many events)."""
    steps: dict[int, dict[str, Any]] = {}
    done: Any = None
    events = 0
    for event in stream:
        events += 1
        kind = event.event_type
        if kind == "error":
            raise compat_errors.APIError(event.error.message, None, body=event.error)  # type: ignore[arg-type]
        if kind == "step.start":
            steps[event.index] = event.step.model_dump(mode="json", exclude_none=True)
        elif kind == "step.delta":
            _add(steps[event.index], event.delta.model_dump(mode="json", exclude_none=True))
        elif kind == "interaction.completed":
            done = event.interaction
    for step in steps.values():
        if "arguments_text" in step:
            import json

            step["arguments"] = json.loads(step.pop("arguments_text"))
    return [steps[index] for index in sorted(steps)], done, events


def _add(step: dict[str, Any], delta: dict[str, Any]) -> None:
    match delta:
        case {"type": "text", "text": text}:
            contents = step.setdefault("content", [])
            if contents and contents[-1]["type"] == "text":
                contents[-1]["text"] += text
            else:
                contents.append({"type": "text", "text": text})
        case {"type": "thought_summary", "content": {"text": text}}:
            step.setdefault("summary", []).append({"type": "text", "text": text})
        case {"type": "thought_signature", "signature": signature}:
            step["signature"] = signature
        case {"type": "arguments_delta", "arguments": text}:
            step["arguments_text"] = step.get("arguments_text", "") + text
        case _:
            raise AssertionError(f"a delta that nobody knows: {delta}")


def _reply(steps: list[dict[str, Any]], done: Any, events: int, schema: Any) -> Reply:
    reply = Reply(finish=str(done.status), model=str(done.model), events=events)
    for step in steps:
        match step:
            case {"type": "thought", **rest}:
                reply.thinking += "".join(one.get("text", "") for one in rest.get("summary", ()))
            case {"type": "function_call", "name": name, "arguments": arguments, "id": id_}:
                reply.calls.append(Call(name, arguments, id_))
            case {"type": "model_output", **rest}:
                reply.text += "".join(one.get("text", "") for one in rest.get("content", ()))
            case _:
                raise AssertionError(f"a step that nobody knows: {step}")
    if done.usage is not None:
        reply.input_tokens = done.usage.total_input_tokens or 0
        reply.output_tokens = (done.usage.total_output_tokens or 0) + (
            done.usage.total_thought_tokens or 0
        )
    if schema is not None:
        reply.parsed = schema.model_validate_json(reply.text)
    return reply
