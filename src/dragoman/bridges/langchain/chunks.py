"""The events of a stream as chunks of LangChain, which it adds up to one message.

Two chunks are joined by `index`: blocks of the content, and calls in `tool_call_chunks`. Texts are
added, objects are merged, and what says the same twice, such as a name, may be said once only. So
each chunk says what is new, and the last one what nobody could know before: signatures, ids,
citations, usage and finish.

Reference: langchain-core 1.8.3, `messages/ai.py` (`add_ai_message_chunks`, `init_tool_calls`) and
`utils/_merge.py`, read and run on 2026-11-29.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.utils.json import parse_partial_json

from ...history.passes.format_words import ANSWER_TOOL
from ...message import ChatResponse
from ...stream.events import StreamEvent
from ...text.json_text import JsonObject, arguments
from .names import LISTS_CALLS, OURS

# the kind of an event: (the type of LangChain's block, its field for the text)
_KINDS = {
    "text": ("text", "text"),
    "thinking": ("reasoning", "reasoning"),
    "refusal": ("refusal", "refusal"),
}
_FIELDS = {**dict(_KINDS.values()), "tool_call": "args", "invalid_tool_call": "args"}
# what no mended JSON can follow; the first that makes the whole no object is taken
_ENDS = ("}", "]", '"}', '"]', '""}', '""]')
_V1 = {"output_version": "v1"}


@dataclass(slots=True)
class _Growing:
    """A block that is being streamed: its number, the type of its block, and its text so far."""

    index: int
    type: str
    parts: list[str] = field(default_factory=list)
    held: str = ""  # text that has not gone out yet
    has_id: bool = True

    @property
    def text(self) -> str:
        return "".join(self.parts)


class ChunkWriter:
    """Writes the chunks of one stream.

    Args:
        write: Writes the whole answer as LangChain's message.
        is_list: Whether content is always in standard blocks; otherwise it is text, up to the first
            block that is neither text nor a call.
    """

    def __init__(self, write: Callable[[ChatResponse], AIMessage], is_list: bool = False) -> None:
        self._write = write
        self._is_list = is_list
        self._open: dict[Any, _Growing] = {}
        self._plain: set[int] = set()  # the texts that went out as plain text

    def feed(self, event: StreamEvent) -> Iterator[AIMessageChunk]:
        """Yield the chunks that an event makes.

        Args:
            event: The next event.
        """
        if event.type == "finish":
            yield from self.finish(event.response)
            return
        if event.key[0] != 0:
            return  # a stream of LangChain has one answer
        kind, _, what = event.type.partition("-")
        if kind == "tool" and what == "start":
            yield from self._start_call(event)
        elif what == "delta":
            yield from self._grow(event, kind)

    def _new(self, key: Any, type: str) -> _Growing:
        made = self._open[key] = _Growing(len(self._open), type)
        return made

    def _start_call(self, event: Any) -> Iterator[AIMessageChunk]:
        if event.block.name == ANSWER_TOOL:  # its arguments are the answer
            self._new(event.key, "text")
            return
        block = self._new(event.key, "tool_call")
        block.has_id = bool(event.block.id)  # Gemini's calls mostly have none; they get one
        yield self._call(block, "", event.block.name, event.block.id or None)

    def _grow(self, event: Any, kind: str) -> Iterator[AIMessageChunk]:
        block = self._open.get(event.key)
        if block is None or (kind in _KINDS and block.type != _KINDS[kind][0] != "text"):
            block = self._new(event.key, _KINDS[kind][0])
        if block.type == "tool_call":
            yield from self._grow_call(block, event.text)
            return
        block.parts.append(event.text)
        if block.type == "text" and not self._is_list:
            self._plain.add(block.index)
            yield AIMessageChunk(content=event.text)
            return
        self._is_list = True
        data = {"type": block.type, _FIELDS[block.type]: event.text, "index": block.index}
        yield AIMessageChunk(content=[data], response_metadata=dict(_V1))

    def _grow_call(self, block: _Growing, text: str) -> Iterator[AIMessageChunk]:
        block.held += text
        # `null` stands for no arguments on some hosts; LangChain would not run the call
        if not "null".startswith(block.held.strip()) or block.parts:
            block.parts.append(block.held)
            yield self._call(block, block.held)
            block.held = ""

    def _call(
        self, block: _Growing, text: str, name: str | None = None, id: str | None = None
    ) -> AIMessageChunk:
        return self._call_chunk(tool_call_chunk(name=name, args=text, id=id, index=block.index))

    def _call_chunk(self, chunk: Any) -> AIMessageChunk:
        if not self._is_list:
            return AIMessageChunk(content="", tool_call_chunks=[chunk])
        return AIMessageChunk(
            content=[dict(chunk)], tool_call_chunks=[chunk], response_metadata=dict(_V1)
        )

    def finish(self, response: ChatResponse) -> Iterator[AIMessageChunk]:
        """Yield the last chunk, and one before it for what is still to be said of calls.

        Args:
            response: The whole answer.
        """
        message = self._write(response)
        blocks = as_blocks(message)
        self._is_list = self._is_list or (not self._open and message.content == [])
        content, calls, is_told = self._rest(blocks)
        for chunk in calls:  # of the last one LangChain makes calls at once, of its part alone
            yield self._call_chunk(chunk)
        kwargs = dict(message.additional_kwargs)
        if not is_told:  # the bridge reads these, if nobody has changed the message
            kwargs[OURS] = {**kwargs.get(OURS, {}), "content": blocks}
        metadata = dict(message.response_metadata)
        metadata.pop("output_version", None)
        if self._is_list:
            metadata |= _V1
        elif self._open and metadata.get("model_provider") in LISTS_CALLS and message.tool_calls:
            # a fallback's, by which LangChain would leave out its calls; the bridge reads it here
            metadata[OURS] = {
                **metadata.get(OURS, {}),
                "model_provider": metadata.pop("model_provider"),
            }
        yield AIMessageChunk(
            content=content if self._is_list else "",
            usage_metadata=message.usage_metadata,
            additional_kwargs=kwargs,
            response_metadata=metadata,
            id=message.id,
            chunk_position="last",
        )

    def _rest(self, blocks: list[JsonObject]) -> tuple[list[Any], list[Any], bool]:
        """Return (content, calls, whether all is then told) of what has not been streamed."""
        content: list[Any] = []
        calls: list[Any] = []
        streamed = list(self._open.values())
        is_told = len(self._plain) < 2  # several texts that went out as plain text are one now
        has_whole = False
        for block in blocks:
            kind, text = block["type"], block.get(_FIELDS.get(block["type"], ""))
            is_call = kind in ("tool_call", "invalid_tool_call")
            if kind not in _FIELDS:  # media and the like come whole
                content.append({**block, "index": len(self._open) + len(content)})
                self._is_list = has_whole = True
                continue
            is_told = is_told and not has_whole  # what comes whole is behind all others
            same = "tool_call" if is_call else kind
            found = streamed.pop(0) if streamed and streamed[0].type == same else None
            if found is None or (not is_call and found.text != text):
                is_told = False
                continue
            end = _rest_of(found.text, block) if is_call else ""
            if end or not found.has_id:
                id = None if found.has_id else block["id"]
                chunk = tool_call_chunk(name=None, args=end, id=id, index=found.index)
                calls.append(chunk)
            is_told = is_told and not (end and kind == "invalid_tool_call")
            known = {"type", "name", "id", "args", "error"} if is_call else {"type", _FIELDS[kind]}
            more = {key: value for key, value in block.items() if key not in known}
            if more and self._is_list:
                own = {"type": "tool_call_chunk"} if is_call else {"type": kind, _FIELDS[kind]: ""}
                content.append({**own, **more, "index": found.index})
            elif more:
                is_told = False
        return content, calls, is_told and not streamed


def _rest_of(text: str, call: JsonObject) -> str:
    """Return what is still to be said of the arguments of a call: all of them, if a host sent none.

    Of arguments that cannot be used, it is what keeps LangChain from using them.
    """
    if call["type"] == "tool_call":  # some hosts send objects, and no text of them
        return "" if text else arguments(call["args"])
    told = text or call["args"] or ""
    return ("" if text else told) + _end_of(told)


def _end_of(text: str) -> str:
    """Return what keeps LangChain from mending the arguments of a call; empty if it does not.

    `parse_partial_json` closes what is open, and drops what it cannot read at the end: of cut
    arguments, and of none, it makes an object, and so a call that is run.
    """
    for end in ("", *_ENDS):
        try:
            whole = text + end
            if not whole or isinstance(parse_partial_json(whole), dict):
                continue
        except ValueError:
            pass
        return end
    return _ENDS[0]


def as_blocks(message: AIMessage) -> list[JsonObject]:
    """Return the content of a message that the bridge wrote, as standard blocks with its calls.

    Args:
        message: The message.
    """
    if isinstance(message.content, list):
        return [one for one in message.content if isinstance(one, dict)]
    text: list[JsonObject] = []
    if message.content:
        text = [{"type": "text", "text": message.content}]
    calls = [*message.tool_calls, *message.invalid_tool_calls]
    return [*text, *({**call} for call in calls)]
