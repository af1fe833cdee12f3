"""LangChain's messages to ours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from ...errors import DragomanError, NotMessages
from ...losses import PolicyLike, Report
from ...message import Msg, Origin, RawBlock, TextBlock, ToolResultBlock, Usage
from ...message.blocks import ContentBlock, ToolUseBlock
from ...protocols.shared_finish_words import read_finish
from ...stream.arguments import parse_arguments
from ...text.json_text import JsonObject, arguments
from ...text.redaction import show
from ..results import AnswerNotes, Bridged, finish_bridge, load_package, text_or_none
from .blocks import StandardReader, read_native
from .names import (
    GEMINI_SIGNATURES,
    LANGCHAIN,
    OURS,
    PACKAGE,
    ROLE_FIELD,
    find_issuer,
    find_provider,
)

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

_ROLES = {
    "human": "user",
    "user": "user",
    "ai": "assistant",
    "assistant": "assistant",
    "system": "system",
    "developer": "developer",
}
# blocks that Anthropic's API has and LangChain's standard has not
_ANTHROPIC = frozenset({"tool_use", "thinking", "redacted_thinking", "server_tool_use"})
# the fields of blocks that have the name of a standard one and another form
_OLD_FORMS = frozenset({"source", "source_type", "file", "input_audio", "image_url"})
_FINISH = ("stop_reason", "finish_reason", "stopReason", "done_reason")

ReadFrom: TypeAlias = "BaseMessage | Mapping[str, Any] | str | tuple[str, Any]"


def read_messages(
    messages: Iterable[ReadFrom] | ReadFrom, *, policy: PolicyLike = "log"
) -> Bridged[Msg]:
    """Read messages of LangChain.

    >>> from langchain_core.messages import HumanMessage
    >>> read_messages([HumanMessage("Where is Paris?")]).messages
    [Msg('', 'Where is Paris?', 'user')]

    Args:
        messages: Messages; what LangChain takes for some (a text, a pair of role and text, a dict
            with `role` and `content`); what `message_to_dict` or `dumpd` made of them; the value of
            a prompt; or the state of a graph, `{"messages": [...]}`.
        policy: What to do about losses.

    Returns:
        The messages. Usage, finish and model of an answer are in `Msg.metadata`.

    Raises:
        NotMessages: Something is no message; `path` names it.
        ConfigError: `langchain-core` is not installed.
        LossRefused: The policy refuses a loss.
    """
    core = load_package("langchain_core.messages", PACKAGE)
    root, items = _items(messages)
    report = Report(target=LANGCHAIN)
    found = [
        msg
        for i, item in enumerate(items)
        for msg in _read(core, item, f"{root}[{i}]" if root else "$", report)
    ]
    return finish_bridge(found, report, policy)


def _items(messages: Any) -> tuple[str, Sequence[Any]]:
    """Return the path of the list, and its items; no path for a single message."""
    if callable(getattr(messages, "to_messages", None)):  # the value of a prompt
        return "$.messages", messages.to_messages()
    if isinstance(messages, Mapping) and isinstance(messages.get("messages"), list | tuple):
        return "$.messages", messages["messages"]
    single = isinstance(messages, (str, bytes, Mapping)) or hasattr(messages, "response_metadata")
    if single:
        return "", [messages]
    if not isinstance(messages, Iterable):
        raise NotMessages(
            f"expected messages of LangChain, not {show(messages)}",
            path="$",
            hint="[HumanMessage(text)]",
            code="messages.type",
        )
    return "$", [*messages]


def _read(core: Any, item: Any, path: str, report: Report) -> list[Msg]:
    if isinstance(item, Msg):
        return [item]
    message = item if isinstance(item, core.BaseMessage) else _load(core, item, path)
    kind = message.type.removesuffix("Chunk")
    if kind == "remove":  # an order to a graph to forget a message, which no history holds
        report.set_place(message, path)
        report.add_loss("message.empty", message, what="RemoveMessage")
        return []
    kwargs = dict(message.additional_kwargs)
    noted = kwargs.get(OURS)
    noted = noted if isinstance(noted, Mapping) else {}
    answer: AnswerNotes | None = None
    if kind in ("ai", "AIMessage"):
        role, blocks, answer = "assistant", _read_answer(message), _notes(message)
    elif kind in ("tool", "function"):
        role, blocks = "tool", [_read_result(core, message, kind)]
    else:
        said = getattr(message, "role", None) if kind == "chat" else kind
        if kind == "system" and kwargs.get(ROLE_FIELD) == "developer":
            said = "developer"
        known = _ROLES.get(str(said))
        if known is None:
            report.set_place(message, path)
            report.add_loss("word.other_provider", message, "role", str(said), "user")
        role = known or "user"
        is_text = isinstance(message.content, str)
        blocks = (
            message.content if is_text else StandardReader().read(_standard(core, message.content))
        )
    msg = Msg(
        message.name or "" if role != "tool" else "",
        blocks,
        role,
        {**(noted.get("metadata") or {})},
        noted.get("timestamp"),
        id=text_or_none(message.id),
        extras=noted.get("extras"),
        origin=_origin(message) if role == "assistant" else None,
        path=path,
    )
    if answer is not None:
        answer.note_on(msg)
    _keep(message, msg, kwargs)
    return [msg]


def _load(core: Any, item: Any, path: str) -> Any:
    """Return the message for another form of it.

    Raises:
        NotMessages: It is none.
    """
    try:
        if isinstance(item, Mapping) and isinstance(dumped := item.get("kwargs"), Mapping):
            item = {"type": dumped["type"], "data": dumped}  # of `dumpd`; its `load` is in beta
        if isinstance(item, Mapping) and isinstance(item.get("data"), Mapping):
            return core.messages_from_dict([item])[0]
        item, broken = _set_apart(item)
        message = core.convert_to_messages([item])[0]
        message.invalid_tool_calls = [*message.invalid_tool_calls, *broken] if broken else []
    except DragomanError:
        raise
    except Exception as error:  # theirs and pydantic's, of many kinds
        raise NotMessages(
            f"{show(item)} is no message of LangChain",
            path=path,
            hint='HumanMessage(text), ("human", text), or {"role": "user", "content": text}',
            code="messages.type",
        ) from error
    return message


def _set_apart(item: Any) -> tuple[Any, list[JsonObject]]:
    """Return a dict without the calls that LangChain cannot read, and these: it raises for them."""
    if not isinstance(item, Mapping) or not isinstance(calls := item.get("tool_calls"), list):
        return item, []
    kept, broken = [], []
    for call in calls:
        function = call.get("function") if isinstance(call, Mapping) else None
        function = function if isinstance(function, Mapping) else {}
        text = function.get("arguments")
        if isinstance(text, str) and type(parse_arguments(text)) is not dict:
            own = {"name": function.get("name"), "id": call.get("id"), "args": text, "error": None}
            broken.append({"type": "invalid_tool_call", **own})
        elif isinstance(text, str):
            whole = arguments(parse_arguments(text))  # also of no text, and of `null`
            kept.append({**call, "function": {**function, "arguments": whole}})
        else:
            kept.append(call)
    return {**item, "tool_calls": kept}, broken


def _keep(message: Any, msg: Msg, kwargs: JsonObject) -> None:
    """Keep what only LangChain has, so that the same message can be written again."""
    kwargs.pop(OURS, None)
    kept = {
        "response_metadata": dict(message.response_metadata),
        "additional_kwargs": kwargs,
        "usage_metadata": getattr(message, "usage_metadata", None),
    }
    if message.type in ("chat", "function"):
        kept["type"] = message.type
        kept["role"] = getattr(message, "role", None)
    found = {key: value for key, value in kept.items() if value}
    if found:
        msg.metadata[LANGCHAIN] = found
    artifact = getattr(message, "artifact", None)
    if artifact is not None and not _is_output(message):
        msg.metadata["artifact"] = artifact


def _is_output(message: Any) -> bool:
    """Whether the artifact of a result is the object whose JSON text is its content."""
    content, artifact = message.content, getattr(message, "artifact", None)
    if type(artifact) is not dict or not isinstance(content, str):
        return False
    try:
        return arguments(artifact) == content
    except DragomanError:
        return False


def _provider(message: Any) -> str:
    """Return the provider of an answer: what it names, else Anthropic for blocks of its form."""
    noted = message.response_metadata.get(OURS)
    named = message.response_metadata.get("model_provider")
    if named is None and isinstance(noted, Mapping):
        named = noted.get("model_provider")
    if isinstance(named, str) and named:
        return named
    content = message.content if isinstance(message.content, list) else ()
    kinds = {str(one.get("type")) for one in content if isinstance(one, dict)}
    return "anthropic" if kinds & _ANTHROPIC else ""


def _origin(message: Any) -> Origin | None:
    found, provider = message.response_metadata, _provider(message)
    noted = message.additional_kwargs.get(OURS)
    author = noted.get("issuer") if isinstance(noted, Mapping) else None
    is_noted = isinstance(author, str) and find_provider(author) == provider
    issuer = str(author) if is_noted else find_issuer(provider)
    model = found.get("model_name") or found.get("model")
    return Origin(issuer, text_or_none(model)) if issuer else None


def _notes(message: Any) -> AnswerNotes:
    found = message.response_metadata
    word = next((found[key] for key in _FINISH if found.get(key)), None)
    notes = AnswerNotes(finish=read_finish(word, {}) if word else None)
    notes.model = text_or_none(found.get("model_name") or found.get("model"))
    notes.id = text_or_none(found.get("id"))
    if usage := message.usage_metadata:
        inputs = usage.get("input_token_details") or {}
        outputs = usage.get("output_token_details") or {}
        cached = [inputs.get(key) for key in ("cache_read", "cache_creation")]
        notes.usage = Usage(
            usage["input_tokens"] - sum(one or 0 for one in cached),  # LangChain's is the sum
            cached[0],
            cached[1],
            usage["output_tokens"],
            outputs.get("reasoning"),
            inputs.get("audio"),
            outputs.get("audio"),
            usage.get("total_tokens"),
        )
    return notes


def _read_answer(message: Any) -> str | list[ContentBlock]:
    """Read the blocks of an answer, each call once."""
    provider, content = _provider(message), message.content
    if (whole := _streamed(message)) is not None:
        return StandardReader(find_issuer(provider), _origin(message)).read(whole)
    issuer = find_issuer(provider)
    reader = StandardReader(issuer, _origin(message))
    is_v1 = message.response_metadata.get("output_version") == "v1"
    blocks: list[ContentBlock]
    if isinstance(content, str):
        blocks = [TextBlock(content)] if content else []
    elif is_v1 or not any(isinstance(one, dict) for one in content):
        blocks = reader.read(_as_dicts(content))
    elif provider == "anthropic":
        blocks = [_read_native(one, reader, issuer, message) for one in _as_dicts(content)]
    else:
        blocks = _with_items(reader.read(_translate(message, content)), content, issuer)
    chunks = getattr(message, "tool_call_chunks", None)
    if chunks:  # of a stream: the texts alone say whether the arguments are whole
        told = {block.id: block for block in _calls_of(blocks) if block.id}
        blocks = [block for block in blocks if not isinstance(block, ToolUseBlock)]
        read = _read_chunks(chunks, reader)
        for call in read:
            if call.id in told and call.extras is None:
                call.extras = told[call.id].extras
        return [*blocks, *read]
    blocks = _with_calls(blocks, message, reader)
    is_text = isinstance(content, str) and len(blocks) <= 1 and not _calls_of(blocks)
    return content if is_text else blocks


def _streamed(message: Any) -> list[JsonObject] | None:
    """Return the blocks that the stream of a `ChatModel` could not say in chunks; None if none.

    They count as long as the text and the calls are those of the message: a program may edit it.
    """
    noted = message.additional_kwargs.get(OURS)
    blocks = noted.get("content") if isinstance(noted, Mapping) else None
    if not isinstance(blocks, list) or not all(isinstance(one, dict) for one in blocks):
        return None
    text = "".join(str(one.get("text")) for one in blocks if one.get("type") == "text")
    calls = [one for one in blocks if one.get("type") == "tool_call"]
    keys = ("name", "args", "id")
    said = [[one.get(key) for key in keys] for one in message.tool_calls]
    same = text == message.text and said == [[one.get(key) for key in keys] for one in calls]
    return blocks if same else None


def _calls_of(blocks: Iterable[ContentBlock]) -> list[ToolUseBlock]:
    return [block for block in blocks if isinstance(block, ToolUseBlock)]


def _as_dicts(content: Iterable[Any]) -> list[JsonObject]:
    return [one if isinstance(one, dict) else {"type": "text", "text": str(one)} for one in content]


def _read_native(
    data: JsonObject, reader: StandardReader, issuer: str, message: Any
) -> ContentBlock:
    """Read a block in the form of Anthropic's API, or a standard one among them."""
    own = {key: value for key, value in data.items() if key not in ("index", "partial_json")}
    if data.get("type") in ("reasoning", "tool_call", "non_standard", "refusal"):
        return reader.read([own])[0]
    return read_native(own, issuer, _origin(message))


def _standard(core: Any, content: Iterable[Any]) -> list[JsonObject]:
    """Return standard blocks; LangChain translates those of other forms, each by itself.

    It does not pass on what stands beside the value of a block that is not standard.
    """
    found: list[JsonObject] = []
    known = core.content.KNOWN_BLOCK_TYPES
    for data in _as_dicts(content):
        if str(data.get("type")) in known and not _OLD_FORMS & data.keys():
            found.append(data)
        else:
            found += _translate(core.HumanMessage([data]), [data])
    return found


def _translate(message: Any, content: Iterable[Any]) -> list[JsonObject]:
    """Return LangChain's standard blocks; what it cannot translate stays as it is."""
    try:
        found: list[JsonObject] = [dict(block) for block in message.content_blocks]
    except (TypeError, ValueError, KeyError, AttributeError):  # for values of another type
        return [{"type": "non_standard", "value": data} for data in _as_dicts(content)]
    return found


def _with_items(
    blocks: list[ContentBlock], content: Iterable[Any], issuer: str
) -> list[ContentBlock]:
    """Return the blocks with a provider's own calls as the provider gave them.

    LangChain makes two standard blocks of one item; its provider takes the item.
    """
    items = {
        one["id"]: one
        for one in content
        if isinstance(one, dict) and isinstance(one.get("id"), str) and one.get("type")
    }
    found: list[ContentBlock] = []
    for block in blocks:
        data = block.data if isinstance(block, RawBlock) and block.issuer == LANGCHAIN else None
        kind = data.get("type") if isinstance(data, dict) else None
        if isinstance(data, dict) and kind == "server_tool_call" and data.get("id") in items:
            found.append(RawBlock(issuer, {**items[data["id"]]}))
        elif not (isinstance(data, dict) and data.get("tool_call_id") in items):
            found.append(block)
    return found


def _with_calls(
    blocks: list[ContentBlock], message: Any, reader: StandardReader
) -> list[ContentBlock]:
    """Return the blocks with the calls of `tool_calls` and `invalid_tool_calls`, each once.

    `tool_calls` counts: a program that changes a call changes it there. `content_blocks` leaves out
    what has no id, and what is invalid.
    """
    places: dict[str, int] = {}
    for i, block in enumerate(blocks):
        if isinstance(block, ToolUseBlock):
            places.setdefault(block.id, i)
    found = [*blocks]
    signatures = message.additional_kwargs.get(GEMINI_SIGNATURES) or {}
    listed = [(call, False) for call in message.tool_calls]
    listed += [(call, True) for call in message.invalid_tool_calls]
    for call, broken in listed:
        at = places.get(call.get("id") or "")
        if at is None:
            [made] = reader.read([{**call, "type": _kind(broken)}])
            assert isinstance(made, ToolUseBlock)
            if made.id in signatures:
                made.extras = {"gemini": {"thoughtSignature": signatures[made.id]}}
            found.append(made)
        elif not broken and isinstance(block := found[at], ToolUseBlock):
            if block.input != call["args"]:
                block.input, block.raw_input = call["args"], None
            block.name = call["name"]
    legacy = message.additional_kwargs.get("function_call")
    if isinstance(legacy, Mapping) and not listed:
        name, text = str(legacy.get("name") or ""), str(legacy.get("arguments") or "")
        found.append(ToolUseBlock(f"call_{name}", name, parse_arguments(text), text))
    return found


def _kind(broken: bool) -> str:
    return "invalid_tool_call" if broken else "tool_call"


def _read_chunks(chunks: Iterable[Any], reader: StandardReader) -> list[ToolUseBlock]:
    """Read the calls of a stream's message, whose arguments LangChain would repair."""
    found: list[ToolUseBlock] = []
    for chunk in chunks:
        [block] = reader.read([{**chunk, "type": "tool_call_chunk"}])
        assert isinstance(block, ToolUseBlock)
        block.unfinished = type(block.input) is not dict
        found.append(block)
    return found


def _read_result(core: Any, message: Any, kind: str) -> ToolResultBlock:
    output: str | list[ContentBlock] | JsonObject = message.content
    name = message.name or ""
    block = ToolResultBlock(getattr(message, "tool_call_id", f"call_{name}"), name)
    block.is_error = getattr(message, "status", "success") == "error"
    if not isinstance(message.content, str):
        output = StandardReader().read(_standard(core, message.content))
        last = output[-1] if output else None
        if isinstance(last, TextBlock) and last.cache is not None:
            # langchain-anthropic moves the hint of a part onto the result
            block.cache, last.cache = last.cache, None
    elif kind == "tool" and _is_output(message):
        output = message.artifact
    block.output = output
    return block
