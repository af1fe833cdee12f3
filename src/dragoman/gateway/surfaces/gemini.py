"""Gemini's two protocols: generateContent and Interactions.

Reference: Gemini API: "Generating content", "Counting tokens", "Models", "Interactions".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, ClassVar
from urllib.parse import parse_qs, quote, unquote

from ...errors import ProviderError
from ...stream.framing import Framing
from ...text.json_text import Json, JsonObject
from .base import ClientRequest, Ending, ListedModel, Operation, Surface

_MODELS = re.compile(r"/v1(?:beta1?)?/models(?:/([^:]+))?")
_VERSION = re.compile(r"/v1(?:beta1?)?(?=/)")
_INTERACTIONS = re.compile(r"/v1(?:beta1?)?/interactions(/.*)?")
_TEXT = frozenset({"text", "thought"})
_KEEPS = "this gateway keeps no interactions: send the whole history as input"
_ACTIONS = ["generateContent", "streamGenerateContent", "countTokens"]


class _Gemini(Surface):
    """What both have in common: the headers of the key, and the form of errors."""

    maker: ClassVar[str] = "gemini"
    keys: ClassVar[tuple[str, ...]] = ("x-goog-api-key", "authorization")

    def below(self, path: str, model: str) -> str:
        """Base URLs end in the version, which is removed from the path."""
        return _VERSION.sub("", path, count=1)

    def error_body(self, error: ProviderError) -> JsonObject:
        """`{"error": {"code", "message", "status"}}`, with the status of HTTP as the code."""
        body = super().error_body(error)
        if isinstance(body["error"].get("code"), int):
            body["error"]["code"] = self.status(error)
        return body

    def status(self, error: ProviderError) -> int:
        """The status; 529 is used by Anthropic alone."""
        status = super().status(error)
        return 503 if status == 529 else status

    def models(self, models: Sequence[ListedModel]) -> JsonObject:
        """`{"models": [...]}`."""
        return {"models": [self.model(model) for model in models]}

    def model(self, model: ListedModel) -> JsonObject:
        """`{"name": "models/...", "displayName", "supportedGenerationMethods"}`."""
        return {
            "name": f"models/{model.id}",
            "displayName": model.id,
            "supportedGenerationMethods": _ACTIONS,
        }


def _parse_path(path: str) -> tuple[str, str] | None:
    """The model and the method of `/v1beta/.../models/{model}:{method}`; None for another path.

    Clients can send any path, so that no pattern is tried at each of its slashes.
    """
    before, colon, action = path.rpartition(":")
    version = _VERSION.match(before)
    if not colon or version is None:
        return None
    _, models, model = before[version.end() :].rpartition("/models/")
    if not models or not model or ":" in model or not action.isidentifier():
        return None
    return unquote(model), action.lower()


class GenerateContent(_Gemini):
    """`/v1beta/models/{model}:generateContent` and its siblings; the model is in the path."""

    protocol: ClassVar[str] = "gemini"
    answer_id: ClassVar[str | None] = ""
    usage_mark: ClassVar[bytes] = b'"usageMetadata"'
    # an empty line: google-genai 3.4 raises on a comment, and after one Gemini CLI 0.61 finds no
    # event any more (2026-11-24)
    sign_of_life: ClassVar[bytes] = b"\n"
    endings: ClassVar[tuple[Ending, ...]] = tuple(
        Ending(key, re.compile(key)) for key in (b'"finishReason"', b'"blockReason"', b'"error"')
    )
    # a reason is not the last: usage may follow it, and other candidates
    lasts: ClassVar[re.Pattern[bytes]] = re.compile(rb'(?P<unsure>"error"[ \t\r\n]*:)')

    def below(self, path: str, model: str) -> str:
        """`/models/{model}:{method}`."""
        return f"/models/{quote(model, safe='@')}:{path.rpartition(':')[2]}"

    def operation(self, method: str, path: str) -> Operation | None:
        """The three methods of a model, and the lists of models."""
        if method == "POST" and (named := _parse_path(path)):
            model, action = named
            if action in ("generatecontent", "streamgeneratecontent"):
                return Operation("generate", model, stream=action.startswith("stream"))
            if action == "counttokens":
                return Operation("count", model)
        if method == "GET" and (match := _MODELS.fullmatch(path)):
            return Operation("model", unquote(match[1])) if match[1] else Operation("models")
        return None

    def ends(self, events: bytes, framing: Framing) -> bool:
        """Whether a candidate ended, or none came; events are read, as arguments have keys too."""
        return super().ends(events, framing) and any(self.read(events, framing))

    def candidates(self, body: JsonObject) -> int:
        """`candidateCount`."""
        config = body.get("generationConfig")
        count = config.get("candidateCount") if isinstance(config, dict) else None
        return count if type(count) is int and count > 1 else 1

    def stands_alone(self, payload: JsonObject) -> bool:
        """Whether it is an error: Google's client for JavaScript expects those as bare JSON.

        It must be in a read of its own. Gemini CLI 0.61 overlooks an error event, and runs the
        calls that came before it (seen on 2026-11-24).
        """
        return "error" in payload

    def framing(self, request: ClientRequest) -> Framing:
        """Server-sent events with `alt=sse`, else the elements of a JSON array."""
        return "sse" if "sse" in parse_qs(request.query).get("alt", ()) else "json-array"

    def asks_stream(self, body: JsonObject) -> bool:
        """False: the path decides it."""
        return False

    def merge_pieces(self, body: JsonObject) -> JsonObject:
        """Join the contents of a streamed turn: google-genai returns one for each chunk (3.4.0)."""
        contents = body.get("contents")
        if not isinstance(contents, list) or not any(map(_goes_on, contents, contents[1:])):
            return body
        turns: list[Json] = []
        for content in contents:
            last: Any = turns[-1] if turns else None
            if _goes_on(last, content):
                turns[-1] = {
                    "parts": _join_texts([*last["parts"], *content["parts"]]),
                    "role": "model",
                }
            else:
                turns.append(content)
        return {**body, "contents": turns}

    def build_generate_body(self, body: JsonObject) -> JsonObject:
        """The whole request, or its contents alone."""
        whole: Any = body.get("generateContentRequest", body.get("generate_content_request"))
        return whole if isinstance(whole, dict) else body

    def count(self, tokens: int) -> JsonObject:
        """`{"totalTokens"}`."""
        return {"totalTokens": tokens}


def _goes_on(content: Any, later: Any) -> bool:
    """Whether the later of two contents continues the model's turn."""
    return all(
        isinstance(one, dict)
        and one.keys() == {"parts", "role"}
        and one["role"] == "model"
        and isinstance(one["parts"], list)
        for one in (content, later)
    )


def _join_texts(parts: list[Any]) -> list[Any]:
    """The parts, with adjacent texts of one kind joined."""
    joined: list[Any] = []
    for part in parts:
        last: Any = joined[-1] if joined else {}
        is_thought = bool(part.get("thought")) if isinstance(part, dict) else False
        if _is_text(last) and _is_text(part) and bool(last.get("thought")) == is_thought:
            joined[-1] = {**last, **part, "text": last["text"] + part["text"]}
        else:
            joined.append(part)
    return joined


def _is_text(part: Any) -> bool:
    """Whether a part is a text alone, or the text of a thought."""
    return isinstance(part, dict) and isinstance(part.get("text"), str) and part.keys() <= _TEXT


class Interactions(_Gemini):
    """`/v1beta/interactions`."""

    protocol: ClassVar[str] = "gemini-interactions"
    answer_id: ClassVar[str | None] = "v1_"
    endings: ClassVar[tuple[Ending, ...]] = (
        Ending(b"interaction.completed", re.compile(rb"(?m)^event: ?interaction\.completed\b")),
        Ending(b"error", re.compile(rb"(?m)^event: ?error\b")),
        Ending(b"[DONE]", re.compile(rb"(?m)^data: ?\[DONE\]")),
    )
    lasts: ClassVar[re.Pattern[bytes]] = re.compile(rb"(?m)^(?:event: ?error\b|data: ?\[DONE\])")
    closing: ClassVar[bytes] = b"event: done\ndata: [DONE]\n\n"

    def operation(self, method: str, path: str) -> Operation | None:
        """Making an interaction; operations on stored ones are refused with a reason."""
        match = _INTERACTIONS.fullmatch(path)
        if match is None:
            return None
        if match[1] is None and method == "POST":
            return Operation("generate")
        return Operation("state", reason=_KEEPS)
