"""Checks a request against the types of an official SDK, if that SDK is installed.

Only wrong values and missing fields are faults. Unknown fields are not: the types of SDKs have
fewer fields than their APIs accept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from ..caches import remember
from ..errors import ReadError
from ..text.json_text import loads

# protocol: (package, module, the type of a whole request, that of one which streams)
_TYPES = {
    "anthropic": (
        "anthropic.types.message_create_params",
        "MessageCreateParamsNonStreaming",
        "MessageCreateParamsStreaming",
    ),
    "openai-chat": (
        "openai.types.chat.completion_create_params",
        "CompletionCreateParamsNonStreaming",
        "CompletionCreateParamsStreaming",
    ),
    "openai-responses": (
        "openai.types.responses.response_create_params",
        "ResponseCreateParamsNonStreaming",
        "ResponseCreateParamsStreaming",
    ),
}
# for requests that name a beta: only they have values such as `updates` of `thinking.display`
_BETA_TYPES = {
    "anthropic": (
        "anthropic.types.beta.message_create_params",
        "MessageCreateParamsNonStreaming",
        "MessageCreateParamsStreaming",
    ),
}


def official_faults(
    protocol: str, body: Any, headers: Mapping[str, str] | None = None
) -> list[str]:
    """Check a body against the SDK's types.

    Args:
        protocol: The protocol of the body.
        body: JSON text, or the value itself.
        headers: Those of the request; one that names betas is checked against the SDK's beta types.

    Returns:
        The faults, a sentence each; empty if the types are not available.

    >>> official_faults("cohere", b"{}")
    []
    """
    row = _BETA_TYPES.get(protocol) if _names_beta(headers) else None
    row = row or _TYPES.get(protocol)
    if row is None or not _is_installed(row[0].partition(".")[0]):
        return []
    try:
        data = loads(body) if isinstance(body, (bytes, str)) else body
    except ReadError as error:
        return [str(error)]
    if protocol == "openai-responses":
        data = _with_ids(data)
    module, whole, streamed = row
    streams = isinstance(data, dict) and data.get("stream") is True
    return _faults(_adapter(module, streamed if streams else whole), data)


def _names_beta(headers: Mapping[str, str] | None) -> bool:
    return any(name.lower() == "anthropic-beta" for name in headers or ())


def _with_ids(data: Any) -> Any:
    """Return the body with an id on sealed reasoning: the types require one, the API does not.

    The API looks nothing up by id if nothing is stored; Codex sent none until 2025.
    """
    items = data.get("input") if isinstance(data, dict) else None
    if not isinstance(items, list):
        return data
    return {**data, "input": [{"id": "rs_0", **i} if _is_sealed(i) else i for i in items]}


def _is_sealed(item: Any) -> bool:
    is_thought = isinstance(item, dict) and item.get("type") == "reasoning"
    return is_thought and bool(item.get("encrypted_content"))


def load_types(protocol: str) -> None:
    """Load the SDK's types now, which takes seconds, and not while a client waits."""
    if (row := _TYPES.get(protocol)) is not None and _is_installed(row[0].partition(".")[0]):
        _adapter(row[0], row[1])
        _adapter(row[0], row[2])


def _faults(adapter: Any, data: Any) -> list[str]:
    from pydantic import ValidationError

    try:
        value = adapter.validate_python(data)
    except ValidationError as error:
        return [_format_fault(error, "$")]
    return list(_late_faults(value, "$", ValidationError))


def _is_installed(package: str) -> bool:
    return find_spec(package) is not None and find_spec("pydantic") is not None


@remember("the types of requests of official SDKs", entries=8, size=2**20)
def _adapter(module: str, name: str) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(getattr(import_module(module), name))


def _late_faults(value: Any, path: str, kind: type[Any]) -> Iterator[str]:
    """Yield the faults of values that pydantic checks only on iteration."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from _late_faults(item, f"{path}.{name}", kind)
    elif isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        items, index = iter(value), 0
        while True:
            try:
                item = next(items)
            except StopIteration:
                return
            except kind as error:
                yield _format_fault(error, path)
                return
            yield from _late_faults(item, f"{path}[{index}]", kind)
            index += 1


def _format_fault(error: Any, path: str) -> str:
    """Format one fault of several: a value that fits no member of a union has one for each."""
    faults = error.errors(include_url=False, include_context=False)
    steps = [f"[{step}]" if isinstance(step, int) else f".{step}" for step in faults[0]["loc"][:2]]
    if len(faults) > 1:
        steps = steps[:1]
    said = faults[0]["msg"]
    if len(faults) > 1:
        said = f"it fits none of {len(faults)} forms, of which the first says: {said}"
    return f"{path}{''.join(steps)}: by the official types: {said}"
