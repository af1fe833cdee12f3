"""Writes whole answers of the Responses API.

`Growth` and `GrowingItem` are for stream items that only this API has, whose texts grow inside of
them.

An answer that was read from this wire is written as it was read; one of another wire gets each
field that clients require. Reference: OpenAI API, "The response object".
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple, TypeAlias

from ...errors import ProviderError
from ...losses import Report
from ...message import ChatRequest, ChatResponse, Citation, ContentBlock, TextBlock, Usage
from ...message.blocks import ANSWER, NOTES, ThinkingBlock, ToolUseBlock, name_notes, plain_value
from ...message.client_tools import item_of_call
from ...message.logprobs import Logprob, write_list
from ...stream.arguments import parse_arguments
from ...stream.builder import first_candidate_only
from ...stream.open_block import argument_text
from ...stream.pieces import TIMES, answer_second, provider_error
from ...text.json_text import Json, JsonObject, canonical
from .. import answers
from ..answers import AnswerWriter
from ..base import Room
from ..chat_like.messages import fill_fields
from . import blocks as wire_blocks
from . import composed_items
from .blocks import ABSENT, BESIDE
from .dialect import Dialect
from .finish_reasons import EXACT, FAILED, INCOMPLETE
from .raw_items import drawing
from .usage import FIGURES


def defaults(dialect: Dialect) -> JsonObject:
    """Return the fields that every response has and no other wire, with new lists and dicts."""
    fields: JsonObject = {
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "parallel_tool_calls": True,
        "temperature": None,
        "tool_choice": "auto",
        "tools": [],
        "top_p": None,
    }
    if dialect.form == "open":  # Open Responses, ResponseResource of 2026-04-24
        fields |= {
            "background": False,
            "completed_at": None,
            "frequency_penalty": 0,
            "max_output_tokens": None,
            "max_tool_calls": None,
            "presence_penalty": 0,
            "previous_response_id": None,
            "prompt_cache_key": None,
            "reasoning": None,
            "safety_identifier": None,
            "service_tier": "default",
            "store": False,
            "temperature": 1,
            "text": {"format": {"type": "text"}},
            "top_logprobs": 0,
            "top_p": 1,
            "truncation": "disabled",
        }
    return fields


UNNAMED = "resp_dragoman"  # the id of an answer without one, while nothing else is known of it


# the values of a field that the neutral figures can give back; others stay in the extras
_MODELED: dict[str, Callable[[Any], bool]] = {
    "id": lambda value: isinstance(value, str) and bool(value),
    "model": lambda value: isinstance(value, str) and bool(value),
    "output": lambda value: isinstance(value, list),
    "usage": lambda value: isinstance(value, dict) and bool(value),
    "object": lambda value: bool(value == "response"),
    "status": lambda value: bool(value == "completed"),
}


def read_extras(response: JsonObject) -> JsonObject:
    """Return the fields of the response without a node: what was asked for, prices, errors."""
    extras = {key: value for key, value in response.items() if key not in _MODELED}
    if isinstance(extras.get("reasoning"), str):
        del extras["reasoning"]
    modeled = ((key, fits) for key, fits in _MODELED.items() if key in response)
    return extras | {key: response[key] for key, fits in modeled if not fits(response[key])}


def read_failure(response: JsonObject) -> ProviderError:
    """Read the error of a failed response."""
    if response.get("error"):
        return provider_error(response, name="response.failed")
    error = provider_error({"message": "the response failed"}, name="response.failed")
    error.body = response
    return error


_Path: TypeAlias = tuple[str | int, ...]
# of one call, because the number is the client's and decides the length of a list
_MOST_COMMANDS = 10_000


class Growth(NamedTuple):
    """The kind of an item, the place where its text grows, and the event's field with the text."""

    kind: str
    path: _Path
    field: str


_COMMAND = Growth("shell_call", ("action", "commands"), "command")
_ARGUMENTS = Growth("mcp_call", ("arguments",), "arguments")
_GROWING = {
    "mcp_call_arguments": _ARGUMENTS,
    "mcp_call.arguments": _ARGUMENTS,
    "code_interpreter_call_code": Growth("code_interpreter_call", ("code",), "code"),
    "apply_patch_call_operation_diff": Growth("apply_patch_call", ("operation", "diff"), "diff"),
    "shell_call_command": _COMMAND,
    "shell_call_output_content": Growth("shell_call_output", ("output",), "output"),
}
_IMAGE = "partial_image_b64"
GROWTH: dict[str, Growth] = {
    **{f"{name}.done": growth for name, growth in _GROWING.items()},
    **{f"{name}.delta": growth._replace(field="delta") for name, growth in _GROWING.items()},
    "shell_call_command.added": _COMMAND,
    "image_generation_call.partial_image": Growth("image_generation_call", (_IMAGE,), _IMAGE),
}


class GrowingItem:
    """An item of a stream that does not change, except for the texts that grow in it."""

    __slots__ = ("_texts", "data")

    def __init__(self, data: JsonObject) -> None:
        self.data = data  # as it was announced, or as it is now
        self._texts: dict[_Path, list[str]] = {}

    def grow(self, growth: Growth, event: JsonObject) -> None:
        """Apply an event to the item: a `delta` adds to the text, any other field replaces it."""
        text = event.get(growth.field)
        index = event.get("command_index")  # the index of a shell's command
        if index is not None and not (type(index) is int and 0 <= index < _MOST_COMMANDS):
            raise TypeError("a place is a small number")
        if growth.path == ("output",):
            self._print(text, index or 0)
        elif isinstance(text, str):
            path = growth.path if index is None else (*growth.path, index)
            if growth.field == "delta":
                self._texts.setdefault(path, []).append(text)
            elif text:
                self._texts[path] = [text]
        elif text is not None:
            raise TypeError("text was expected")

    def _print(self, output: Any, index: int) -> None:
        """Add a command's output: `{"stdout": ..., "stderr": ...}`, or a list of those."""
        if isinstance(output, list):
            self.data = {**self.data, "output": output}
            self._texts = {path: t for path, t in self._texts.items() if path[0] != "output"}
            return
        for name in ("stdout", "stderr"):
            if isinstance(text := output.get(name), str):
                self._texts.setdefault(("output", index, name), []).append(text)

    def build_item(self) -> JsonObject:
        """Return the item so far, with the texts that have grown in it."""
        data: JsonObject = self.data
        for path, texts in self._texts.items():
            data = _with_text(data, path, "".join(texts))
        return data


def _with_text(value: Any, path: _Path, text: str) -> Any:
    """Return the value with the text at the path, creating the objects and lists above it."""
    if not path:
        return text
    step, *below = path
    copy: Any
    if isinstance(step, int):
        copy = list(value) if isinstance(value, list) else []
        copy.extend("" for _ in range(step + 1 - len(copy)))
        inside = copy[step]
    else:
        copy = dict(value) if isinstance(value, dict) else {}
        inside = copy.get(step)
    copy[step] = _with_text(inside, tuple(below), text)
    return copy


# notes of this wire's reader that no other wire's reader adds
_NOTES = frozenset({"string", "item", "object"})


def _order(call: ToolUseBlock, text: str) -> Json:
    """Return the arguments of a call, parsed."""
    return parse_arguments(text) if call.raw_input is not None and text else call.input


class ItemWriter(AnswerWriter):
    """Writes blocks as items; what this wire cannot carry is reported.

    Args:
        dialect: The host's dialect.
        report: Gets a loss for what the wire cannot carry.
        seed: Text from which the ids of the items are computed.
        own: Whether the answer was read from this wire.
    """

    __slots__ = ("defaults", "pending", "raw", "seed")
    token_fields = ("bytes",)

    def __init__(self, dialect: Dialect, report: Report, seed: str, own: bool = False) -> None:
        super().__init__(report, dialect.reads_items_of, own)
        self.raw = dialect.raw
        self.defaults = defaults(dialect)
        self.seed = seed
        self.pending: deque[Logprob] = deque()  # tokens of texts that follow, from another wire

    def id(self, prefix: str, index: int) -> str:
        """Return the id of the item at an index."""
        text = f"{self.seed}\0{index}".encode("utf-8", "surrogatepass")
        return f"{prefix}_{blake2b(text, digest_size=12).hexdigest()}"

    def reader_issuer(self, block: ContentBlock) -> str | None:
        """Return the issuer of a block that this wire's reader created; None for other blocks."""
        for issuer in block.extras or ():
            bare = issuer.removesuffix(ANSWER).removesuffix(NOTES)
            if bare in self.issuers:
                return bare
        if block.type == "raw" or type(block) is ThinkingBlock:
            origin = block if block.type == "raw" else block.origin
            return origin.issuer if origin is not None and origin.issuer in self.issuers else None
        if type(block) is ToolUseBlock and self.own:  # it may have no fields of its own
            return self.issuer
        return None if _NOTES.isdisjoint(wire_blocks.spellings(block)) else self.issuer

    def part(self, block: ContentBlock) -> JsonObject | None:
        """Write `output_text` or `refusal`; None for an empty text, which is no part."""
        self.fields(block)
        if block.type == "refusal":
            if block.category is not None:
                self.report.add_loss("answer.unsupported", block, "category")
            return {"type": "refusal", "refusal": block.text}
        assert type(block) is TextBlock  # the only other kind of part
        if not block.text and not block.citations:
            return None
        annotations = [self._annotation(citation, block.text) for citation in block.citations or ()]
        return {
            "type": "output_text",
            "text": block.text,
            "annotations": [entry for entry in annotations if entry is not None],
            "logprobs": write_list(self._take_tokens(block.text), with_bytes=True),
        }

    def _take_tokens(self, text: str) -> list[Logprob]:
        """Take the next tokens from `pending`, up to the length of the text."""
        tokens: list[Logprob] = []
        length = 0
        while self.pending and length < len(text):
            tokens.append(self.pending.popleft())
            length += len(tokens[-1].token)
        return tokens

    def _annotation(self, citation: Citation, text: str) -> JsonObject | None:
        """Write a citation as an annotation, which must have a span and a title."""
        self.fields(citation)
        if (annotation := wire_blocks.write_citation(citation, self.issuers)) is not None:
            return annotation
        if citation.url is None:
            self.report.add_loss("answer.unsupported", citation)
            return None
        if citation.quote is not None:
            self.report.add_loss("answer.unsupported", citation, "quote")
        for name in ("start", "end", "title"):
            if getattr(citation, name) is None:
                self.report.add_loss("answer.field", citation, name)
        page = {"url": citation.url, "title": citation.url, **wire_blocks.citation_span(citation)}
        return {"type": wire_blocks.URL, "start_index": 0, "end_index": len(text), **page}

    def reasoning(self, id: str, block: ThinkingBlock) -> JsonObject | None:
        """Write `reasoning`; None without readable text. Sealed data of other wires is a loss."""
        self.fields(block)
        sealed = self.read_seal(block)
        for name in ("signature", "redacted") if sealed is None else ():
            if getattr(block, name):
                self.report.add_loss("answer.unsupported", block, name)
        if not block.thinking and sealed is None:
            return None
        item = {"type": "reasoning", "id": id, **composed_items.reasoning(block, self.raw)}
        item.pop("encrypted_content", None)
        return item if sealed is None else {**item, "encrypted_content": sealed}

    def read_seal(self, block: ThinkingBlock) -> str | None:
        """Read what was sealed in the thinking for clients of this wire."""
        return (block.redacted or block.signature) if self.reader_issuer(block) else None

    def call(self, id: str, block: ToolUseBlock) -> JsonObject:
        """Write a call; a function without arguments gets an empty object."""
        self.fields(block)
        text = argument_text(block)
        if (item := item_of_call(block, _order(block, text))) is not None:
            return {"id": id, "status": "incomplete" if block.unfinished else "completed", **item}
        has_text = text or block.unfinished or block.freeform
        item = composed_items.tool_call(block, text if has_text else "{}")
        status = "incomplete" if block.unfinished else "completed"
        return {"type": item["type"], "id": id, **item, "status": status}

    def response(
        self, resp: ChatResponse, output: list[Json] | None = None, requested: str = ""
    ) -> JsonObject:
        """Write the response.

        Args:
            resp: The answer.
            output: Its items, if they were written before.
            requested: The model that the request named, for an answer that names none.
        """
        for candidate in resp.candidates[1:]:
            self.report.add_loss("answer.candidates", candidate)
        resp = first_candidate_only(resp)
        second = None if self.own else answer_second(resp.extras)
        extras = self.fields(resp, TIMES if second is not None else ())
        usage_extras = self.fields(resp.usage)
        for candidate in resp.candidates:
            self.fields(candidate)
            self.fields(candidate.msg)
        if output is None:
            self.pending.extend(self.tokens(resp) if resp.candidates else ())
            output = self._output(resp)
            if self.pending:  # log probabilities belong to texts here
                self.lost_once(
                    "answer.unsupported", resp, what="logprobs of tokens that no text holds"
                )
        if self.own:
            return {**self._as_read(resp, output, usage_extras), **extras}
        model = resp.model or requested
        fields = {"id": resp.id, "model": model, "created_at": second}
        unknown = [name for name, value in fields.items() if not value]
        made_up = (name for name, value in self.defaults.items() if value not in (None, {}))
        for name in (*unknown, *made_up):
            self.report.add_loss("answer.field", resp, name)
        return {
            "id": self.seed,
            "object": "response",
            "created_at": second or self.report.second,
            "status": "completed",
            **self.defaults,
            "model": model,
            "output": output,
            "usage": self._usage(resp.usage),
            **self._end(resp, output),
        }

    def _output(self, resp: ChatResponse) -> list[Json]:
        """Write the items: those of this wire as they came, others composed."""
        blocks = resp.candidates[0].msg.blocks if resp.candidates else []
        blocks = [block for block in blocks if not (self.own and block.spelling == BESIDE)]
        if self.own:  # sound is sent only in events
            for block in blocks:
                if block.type == "audio":
                    self.report.add_loss("answer.unsupported", block)
            blocks = [block for block in blocks if block.type != "audio"]
        broken = resp.status in ("truncated", "interrupted")
        items: list[Json] = []
        for run, issuer in self._runs(blocks):
            if issuer is None:
                status = "incomplete" if broken and run[-1] is blocks[-1] else "completed"
                items += self._items(run, len(items), status)
                continue
            own_items = wire_blocks.items_as_read(run, issuer, self.raw)
            if not self.own and type(run[0]) is ThinkingBlock:  # it was sealed for us
                own_items = [{"id": self.id("rs", len(items)), **item} for item in own_items]
            items += own_items
        return items

    def _runs(self, blocks: Sequence[ContentBlock]) -> list[tuple[list[ContentBlock], str | None]]:
        """Group the blocks into items, each with its issuer; a later text is another item."""
        runs: list[tuple[list[ContentBlock], str | None]] = []
        for group in wire_blocks.group_items(blocks, self.issuer):
            issuer = self.reader_issuer(group[0])
            runs.append(([group[0]], issuer))
            for block in group[1:]:
                block_issuer = self.reader_issuer(block)
                if block_issuer != issuer and (block_issuer or not _may_follow(block, group[0])):
                    runs.append(([], block_issuer))
                    issuer = block_issuer
                runs[-1][0].append(block)
        return runs

    def _items(self, run: list[ContentBlock], index: int, status: str) -> list[JsonObject]:
        """Write the item of these blocks of another wire; nothing if it would be empty."""
        first = run[0]
        item: JsonObject | None = None
        if first.type in ("text", "refusal"):
            if parts := [part for block in run if (part := self.part(block)) is not None]:
                item = composed_items.answer_message(self.id("msg", index), parts, {}, status)
        elif type(first) is ThinkingBlock:
            item = self.reasoning(self.id("rs", index), first)
        elif type(first) is ToolUseBlock:
            item = self.call(self.id(composed_items.call_prefix(first), index), first)
        elif (item := self.drawing(first, index)) is None:
            self.report.add_loss("answer.unsupported", first)
        return [] if item is None else [item]

    def drawing(self, block: ContentBlock, index: int) -> JsonObject | None:
        """Write the item of an image that another wire's model drew; None for any other block."""
        item = drawing(block, self.id("ig", index))
        if item is not None:
            self.fields(block)
        return item

    def _as_read(
        self, resp: ChatResponse, output: list[Json], usage_extras: JsonObject
    ) -> JsonObject:
        """Return the response as it was read, updated from its extras."""
        candidate = resp.candidates[0] if resp.candidates else None
        blocks = candidate.msg.blocks if candidate is not None else []
        thoughts = (block for block in reversed(blocks) if block.type == "thinking")
        texts = (block.thinking for block in thoughts if block.spelling == BESIDE)
        ended = candidate is None or candidate.finish.raw is not None
        fields = {
            "object": "response",
            "id": resp.id,
            "model": resp.model,
            "status": "completed" if ended else None,
            "reasoning": next(texts, None),
            "output": output,
        }
        body: JsonObject = {key: value for key, value in fields.items() if value is not None}
        if resp.usage != Usage():
            body["usage"] = fill_fields(answers.figures(resp.usage, FIGURES), usage_extras)
            for issuer in self.issuers:
                for key in (resp.usage.extras or {}).get(name_notes(issuer), {}).get(ABSENT, ()):
                    body["usage"].pop(key, None)
        return body

    def _usage(self, usage: Usage) -> JsonObject | None:
        """Write the figures, with all that the SDK's types require; None if none are known."""
        counts = (usage.input, usage.cache_read, usage.cache_write, usage.output, usage.total)
        if all(count is None for count in counts):
            return None
        figures = answers.figures(usage, FIGURES)
        for name in ("input", "output"):
            if f"{name}_tokens" not in figures:
                self.report.add_loss("answer.field", usage, name)
        zeros = {"input_tokens": 0, "output_tokens": 0} | figures
        data: JsonObject = {
            "input_tokens": 0,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": 0,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": zeros["input_tokens"] + zeros["output_tokens"],
        }
        return fill_fields(data, figures)

    def _end(self, resp: ChatResponse, output: list[Json]) -> JsonObject:
        """Return the fields for a finish reason other than the normal end."""
        candidate = resp.candidates[0] if resp.candidates else None
        reason: str = candidate.finish.reason if candidate is not None else "other"
        contents = (item.get("content") for item in output if isinstance(item, dict))
        parts = (part for content in contents if isinstance(content, list) for part in content)
        kinds = (part.get("type") for part in parts if isinstance(part, dict))
        if reason == "refusal" and "refusal" not in kinds:  # here a part has the refusal
            self.report.add_loss("answer.finish", candidate, "finish", what=reason)
            reason = "content_filter"
        fields: JsonObject = {}
        if resp.error is not None or reason == "error":
            message = "the answer failed"
            if resp.error is not None:
                message = answers.OPENAI_OVERFLOW.message(resp.error)
            code = FAILED.get(resp.error.kind, "server_error") if resp.error else "server_error"
            fields = {"status": "failed", "error": {"code": code, "message": message}}
        elif reason in INCOMPLETE:
            details = {"reason": INCOMPLETE[reason]}
            fields = {"status": "incomplete", "incomplete_details": details}
        elif resp.status in ("truncated", "interrupted"):  # it broke off, and no reason is known
            fields = {"status": "incomplete"}
            self.report.add_loss("answer.finish", resp, "status", what=resp.status)
        if reason not in EXACT and resp.status != "interrupted":
            self.report.add_loss("answer.finish", candidate or resp, "finish", what=reason)
        return fields


def _may_follow(block: ContentBlock, first: ContentBlock) -> bool:
    """Whether a part without own fields may have followed the first one unchanged."""
    if block.type == "refusal" or first.type != "text":
        return True
    annotated = any("annotations" in fields for fields in (first.extras or {}).values())
    return not annotated and first.citations is None


def write_response(
    room: Room, resp: ChatResponse, report: Report, request: ChatRequest | None = None
) -> JsonObject:
    """Write a whole answer in the form that this wire's clients take."""
    issuers = [*(resp.extras or ())]
    issuers += [c.msg.origin.issuer for c in resp.candidates if c.msg.origin is not None]
    own = any(issuer in room.dialect.reads_items_of for issuer in issuers)
    requested = (request.model if request is not None else None) or ""
    return ItemWriter(room.dialect, report, answer_seed(resp), own).response(resp, None, requested)


def answer_seed(resp: ChatResponse) -> str:
    """Return the text from which the ids of an answer's items are computed."""
    if resp.id:
        return resp.id
    text = canonical([plain_value(block) for c in resp.candidates for block in c.msg.blocks])
    return f"resp_{blake2b(text.encode(), digest_size=12).hexdigest()}" if text else UNNAMED
