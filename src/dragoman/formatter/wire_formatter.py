"""Formatters for a wire, which also read answers and streams back as assistant messages.

They read through the wire's decoder; the wire's own `read_stream` gives the events of a stream.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from copy import copy
from dataclasses import replace
from inspect import Parameter, Signature
from inspect import signature as signature_of
from typing import Any, ClassVar, Literal, Never, Self, TypeAlias, TypedDict

from .._old_names import keeps_old_names, rename_arguments
from ..capabilities import Capabilities, ChatConfig, Limits, override, read_changes
from ..codec.stream import aiterate_chunks, feed_chunk, iterate_chunks
from ..codec.stream_decoder import StreamDecoder, read_whole
from ..codec.wire import Wire
from ..errors import ConfigError, ContextOverflow, ProviderError, ReadError, StreamError, by_kind
from ..history.passes.fetching import Fetch
from ..history.passes.lower.state import Saver
from ..history.pipeline import FormatStyle, pair_calls, wanted_media
from ..history.speakers import ByName, ByRole, Rewrite, Tagged
from ..history.system_prompt import SystemPrompt
from ..history.truncate import Truncation
from ..history.wording import Wording
from ..losses import PolicyLike, Report
from ..losses import policy as policy_of
from ..losses.policies import LossLog
from ..media_fetch.local_files import local_files
from ..message import ChatRequest, ChatResponse, Msg, TextBlock, Written, to_tools
from ..message.tools import ToolList
from ..stream.pieces import Piece, Raw
from ..suggestions.keywords import unknown_keyword
from ..text.json_text import JsonObject
from ..text.redaction import show
from ..tokens import TokenCounterBase
from ..tokens.base import Tools
from ..tokens.cached import default_counter
from .base import (
    FORMAT_HOOKS,
    WrittenMessages,
    current_report,
    drive,
    refuse_options,
)
from .budget import Selection
from .request_formatter import RequestFormatter
from .session import Session

SentRequest: TypeAlias = ChatRequest | Written | None


@keeps_old_names
class AnswerFormatter(RequestFormatter):
    """A formatter that also reads answers."""

    def parse_response(
        self, raw: Any, tools: ToolList | Msg = None, request: SentRequest = None
    ) -> Msg:
        """Read the message of a whole answer.

        Its role is `assistant`; its name is empty unless the formatter writes from an agent's
        point of view.

        Args:
            raw: The answer: parsed JSON, its text, or the official SDK's object.
            tools: The tools that were sent, for the names of calls; or the message that was
                answered, which has them in its metadata. None takes those of the request.
            request: The request that was answered.

        Returns:
            The message.

        Raises:
            ProviderError: The provider reports an error.
            ReadError: It is no answer of this wire.

        >>> from dragoman.formatter import OpenAIChatFormatter
        >>> answer = {"choices": [{"message": {"role": "assistant", "content": "In France."}}]}
        >>> OpenAIChatFormatter().parse_response(answer).get_text_content()
        'In France.'
        """
        return self.read_response(raw, tools, request).msg

    def read_response(
        self, raw: Any, tools: ToolList | Msg = None, request: SentRequest = None
    ) -> ChatResponse:
        """Read a whole answer with everything in it: usage, finish reason, further candidates.

        Args:
            raw: The answer: parsed JSON, its text, the official SDK's object, or what a model of
                `dragoman.model` returned.
            tools: The tools that were sent, or the message that was answered.
            request: The request that was answered.

        Returns:
            The answer.

        Raises:
            ProviderError: The provider reports an error.
            ReadError: It is no answer of this wire.
        """
        given = getattr(raw, "response", raw)  # of a part of a stream
        if isinstance(given, ChatResponse):
            body = getattr(given, "raw", None)
            if body is None:  # it was read as it came
                self.name_answer(given, request)
                return given
            raw = body
        resp = read_whole(self._decoder(tools, request), raw, has_shape=self.wire.room.answers)
        if resp.error is not None:
            raise _whole_error(resp.error)
        self.name_answer(resp, request)
        return resp

    async def parse_stream(
        self, chunks: AsyncIterable[Any], tools: ToolList = None, request: SentRequest = None
    ) -> Msg:
        """Read the message of a stream.

        A stream that breaks off gives what has come: calls that it broke off in are `unfinished`.
        What the connection raises passes through; read with `wire.aread_stream` to have the answer
        so far then.

        Args:
            chunks: Bytes of the body, the official SDK's chunks, or parsed events; an event may be
                (name, payload).
            tools: The tools that were sent, for the names of calls; None takes those of the
                request.
            request: The request that was answered.

        Returns:
            The message.

        Raises:
            StreamError: The provider reports an error; `response` is the answer so far.
            ReadError: Nothing in the stream can be read.
        """
        reading = _StreamReading(self._decoder(tools, request))
        async for chunk in aiterate_chunks(chunks):
            reading.take(feed_chunk(reading.decoder, chunk))
        return self.name_answer(reading.end(), request)

    def parse_stream_sync(
        self, chunks: Iterable[Any], tools: ToolList = None, request: SentRequest = None
    ) -> Msg:
        """Read the message of a stream whose chunks need not be awaited.

        Args:
            chunks: Bytes of the body, the official SDK's chunks, or parsed events.
            tools: The tools that were sent; None takes those of the request.
            request: The request that was answered.

        Returns:
            The message.

        Raises:
            StreamError: The provider reports an error; `response` is the answer so far.
            ReadError: Nothing in the stream can be read.
        """
        reading = _StreamReading(self._decoder(tools, request))
        for chunk in iterate_chunks(chunks):
            reading.take(feed_chunk(reading.decoder, chunk))
        return self.name_answer(reading.end(), request)

    def _decoder(self, tools: ToolList | Msg, request: SentRequest) -> StreamDecoder:
        if isinstance(tools, Msg):
            tools = tools.metadata.get("tools")
        if isinstance(tools, (ChatRequest, Written)):
            text = f"tools must be a list of tools, not {type(tools).__name__}"
            hint = "parse_response(answer, tools=..., request=...)"
            raise ConfigError(text, hint=hint, code="answer.tools")
        declared = None if tools is None else to_tools(tools)
        return self.wire.stream_decoder(declared, request, model=self.model, caps=self.can)

    def name_answer(self, resp: ChatResponse, request: SentRequest = None) -> Msg:
        """Name the message of an answer that a wire has read after the agent who speaks.

        Args:
            resp: The answer; its message is changed.
            request: The request that was answered.

        Returns:
            The message.
        """
        msg = resp.msg
        agent_name = request.agent_name if isinstance(request, ChatRequest) else None
        msg.name = agent_name or getattr(self.style.speakers, "me", None) or ""
        if msg.name and (lead := getattr(self.style.speakers, "form", None)) is not None:
            _drop_lead(msg, lead.format_lead(msg.name))
        return msg


def _drop_lead(msg: Msg, lead: str) -> None:
    """Take the speaker's own tag from the start of an answer, which models copy from the history.

    `Friday: Hello` names the speaker, as the lines of the history do; here the field `name` does.
    """
    first = next((block for block in msg.blocks if type(block) is TextBlock), None)
    head = lead.strip()
    if first is None or not head or not first.text.lstrip().startswith(head):
        return
    text = first.text.lstrip().removeprefix(head).lstrip(" ")
    if isinstance(msg.content, str):
        msg.content = text
    else:
        gone = len(first.text) - len(text)
        citations = [
            replace(
                c,
                start=None if c.start is None else max(0, c.start - gone),
                end=None if c.end is None else max(0, c.end - gone),
            )
            for c in first.citations or ()
        ]
        said = replace(first, text=text, citations=citations or None)
        msg.content = [said if b is first else b for b in msg.content]


class _StreamReading:
    """One stream on its way."""

    def __init__(self, decoder: StreamDecoder) -> None:
        self.decoder = decoder
        self.read = False  # whether anything of it could be read

    def take(self, pieces: list[Piece]) -> None:
        self.read = self.read or any(type(piece) is not Raw for piece in pieces)

    def end(self) -> ChatResponse:
        self.take(self.decoder.rest())
        resp = self.decoder.finish()
        if resp.error is not None:
            raise resp.error
        if not self.read:
            text = "nothing in this stream is an event of this wire"
            hint = "check the wire; a body of bytes must come as the server sent it"
            raise ReadError(text, hint=hint, code="stream.shape")
        return resp


def _whole_error(error: ProviderError) -> ProviderError:
    """The error of an answer that came whole."""
    if not isinstance(error, StreamError):
        return error
    whole = ProviderError(
        error.message,
        status=error.status,
        type=error.type,
        body=error.body,
        code=error.code,
        hint=error.hint or "read_response gives what the answer says beside it",
        request_id=error.request_id,
        retry_after=error.retry_after,
    )
    whole.host, whole.host_kind = error.host, error.host_kind
    return by_kind(whole)


# the names of the whole history that is under way, for the hooks that see one group of it
_speaking: ContextVar[tuple[str, ...]] = ContextVar("dragoman_speaking", default=())


class FormatterOptions(TypedDict, total=False):
    """The keywords of every formatter for a wire."""

    model: str | None
    speakers: Rewrite | None
    rewrites: Sequence[Rewrite]
    token_counter: TokenCounterBase | Any | None
    history_tokens: int | Literal["fit"] | None
    max_tokens: int | None
    truncate: Truncation | None
    policy: PolicyLike
    strict: bool
    can: Mapping[str, Any] | ChatConfig | None
    fetch: Fetch | None
    media_saver: Saver | None
    prompt: SystemPrompt | None
    wording: Wording | None


def rename_wording(
    wording: Wording | None, options: Mapping[str, Any]
) -> tuple[Wording | None, Mapping[str, Any]]:
    """Return the texts that are added, also if given under their old name, and the other keywords.

    Args:
        wording: What was given under the name of today.
        options: The other keywords of a formatter.

    Raises:
        TypeError: The texts were given under both names.
    """
    if "told" not in options:
        return wording, options
    current = {} if wording is None else {"wording": wording}
    renamed = rename_arguments("WireFormatter", {**options, **current})
    return renamed.pop("wording"), renamed


class WireFormatter(AnswerFormatter):
    """A formatter for one wire.

    Args:
        wire: The wire.
        model: The model that the messages go to; None takes the wire's usual facts.
        speakers: How the messages name their speakers; None takes ByRole.
        rewrites: Further rewrites of the history, in order.
        token_counter: Counts formatted messages; None takes the counter of the model where there
            is a limit.
        history_tokens: The most tokens that the history may take; None for no limit, "fit" for
            what `wire.limits(model)` leaves beside an answer.
        max_tokens: AgentScope's name for `history_tokens` (that of an LLM is the most that its
            answer may have).
        truncate: The strategy that cuts the history; None takes DropOldest.
        policy: Which losses are allowed, and what happens with the others.
        strict: Whether to refuse histories that would have to be repaired; LossRefused names each
            repair.
        can: Capabilities that differ from the wire's and the model's.
        fetch: Reads media that the wire wants as bytes; local files by default, None for none.
        media_saver: `media_saver(media_type, data) -> str` saves base64 media of tool results and
            returns a place that a text can name.
        prompt: How the system prompt of a request is built.
        wording: The texts that are added to a conversation.

    Raises:
        ConfigError: A keyword is unknown, a value is wrong, both names of the limit are given, or
            "fit" is asked for a model whose window is unknown.
    """

    inserts_turns: ClassVar[bool] = True

    def __init__(
        self,
        wire: Wire,
        *,
        model: str | None = None,
        speakers: Rewrite | None = None,
        rewrites: Sequence[Rewrite] = (),
        token_counter: TokenCounterBase | Any | None = None,
        history_tokens: int | Literal["fit"] | None = None,
        max_tokens: int | None = None,
        truncate: Truncation | None = None,
        policy: PolicyLike = "log",
        strict: bool = False,
        can: Mapping[str, Any] | ChatConfig | None = None,
        fetch: Fetch | None = local_files,
        media_saver: Saver | None = None,
        prompt: SystemPrompt | None = None,
        wording: Wording | None = None,
        **unknown: Never,
    ) -> None:
        wording, others = rename_wording(wording, unknown)
        if others:
            known = [name for name in FormatterOptions.__annotations__ if name != "max_tokens"]
            raise unknown_keyword(type(self).__name__, next(iter(others)), [*known, "facts"])
        if history_tokens is not None and max_tokens is not None:
            text = "history_tokens and max_tokens of a formatter are the same setting"
            hint = "give history_tokens alone"
            raise ConfigError(text, path="$.max_tokens", hint=hint, code="name.twice")
        limit = max_tokens if history_tokens is None else history_tokens
        self.model = model or wire.room.model
        super().__init__(token_counter, None if limit == "fit" else limit, truncate)
        changes = read_changes(can)
        self.wire = wire
        self.model = model
        self.style = FormatStyle(
            speakers=speakers or ByRole(),
            rewrites=rewrites,
            prompt=prompt or SystemPrompt(),
            wording=wording or Wording(),
            fetch=wire.fetch if fetch is local_files else fetch,
            saver=media_saver,
            changes=changes,
            insert_turns=self.inserts_turns,
        )
        self.can: Capabilities = override(wire.can(model), changes)
        self._window: Limits | None = None
        if limit == "fit":
            self._window = self._known_limits()
            self.max_tokens = self._fitting()
        self._policy = policy_of(policy, strict)
        self._shows_newest = policy != "ignore"
        self._logged = LossLog()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.wire.name!r})"

    def _known_limits(self) -> Limits:
        """The limits of the model. Raises ConfigError where they are unknown."""
        limits = self.wire.limits(self.model, self.style.changes)
        if limits.context_window is None:
            name = show(self.model or self.wire.room.model or self.wire.name)
            text = f"nobody says how many tokens {name} takes, so no history fits"
            hint = 'can={"context_window": 200_000}, or pip install "dragoman[prices]"'
            raise ConfigError(text, path="$.history_tokens", hint=hint, code="limits.unknown")
        return limits

    def _fitting(self, answer: int | None = None) -> int | None:
        """The history's share of the window; a tenth less where its tokens are estimated."""
        assert self._window is not None
        tokens = self._window.for_history(answer)
        if self.token_counter is None:
            self.token_counter = default_counter(self.model or self.wire.room.model)
        is_estimate = getattr(self.token_counter, "is_estimate", False) is True
        return tokens * 9 // 10 if is_estimate and tokens is not None else tokens

    def with_limit(self, max_tokens: int) -> Self:
        """Copy the formatter with another limit, which is no longer the model's.

        Args:
            max_tokens: The most tokens that the formatted messages may take.

        Returns:
            The copy.
        """
        limited = super().with_limit(max_tokens)
        limited._window = None
        return limited

    def _shorten_request(self, req: ChatRequest, report: Report) -> ChatRequest:
        answer = req.options.max_tokens
        if self._window is None or answer is None:
            return super()._shorten_request(req, report)
        fitting = copy(self)
        fitting.max_tokens = self._fitting(answer)
        return super(WireFormatter, fitting)._shorten_request(req, report)

    async def _cut(self, msgs: list[Msg], report: Report, sync: bool, tools: Tools) -> Selection:
        try:
            return await super()._cut(msgs, report, sync, tools)
        except ContextOverflow as error:
            window = self.wire.limits(self.model, self.style.changes).context_window
            if window is not None and self._window is None and window > (error.limit or 0):
                error.add_note(f'the model takes {window:,} tokens: history_tokens="fit"')
            raise

    async def format(
        self, msgs: list[Msg] | ChatRequest, *args: Any, **kwargs: Any
    ) -> list[JsonObject]:
        """Format messages, or those of a request, as this provider takes them.

        Args:
            msgs: The history, or a request.
            *args: Nothing that has a value; AgentScope's signature has room for more.
            **kwargs: AgentScope's keywords, which have no effect.

        Returns:
            The formatted messages.

        Raises:
            NotMessages: `msgs` is no list of messages.
            InvalidMessage: A message was changed to something that is none.
            WriteError: A message cannot be written.
            ContextOverflow: What must stay does not fit into the limit.
            LossRefused: The policy refuses a loss.
            ConfigError: An argument belongs to a whole request (`tools`, `stream` and the like).
        """
        refuse_options(kwargs, args)
        if (ahead := getattr(self.style.fetch, "amany", None)) is not None:
            messages, report = self._messages(msgs)
            await ahead(wanted_media(messages, self.can, self.style, report))
        return (await self._write(msgs, sync=False)).messages

    def format_sync(
        self, msgs: list[Msg] | ChatRequest, *args: Any, **kwargs: Any
    ) -> list[JsonObject]:
        """Format messages as `format` does, without an event loop.

        Args:
            msgs: The history, or a request.
            *args: Nothing that has a value; AgentScope's signature has room for more.
            **kwargs: AgentScope's keywords, which have no effect.

        Returns:
            The formatted messages.

        Raises:
            ConfigError: A hook or the counter awaits something; else the errors of `format`.
        """
        refuse_options(kwargs, args)
        return self.write(msgs).messages

    def write(self, msgs: list[Msg] | ChatRequest) -> WrittenMessages:
        """Format messages and report their losses, without an event loop.

        Args:
            msgs: The history, or a request.

        Returns:
            The formatted messages and the report.

        Raises:
            ConfigError: A hook or the counter awaits something; else the errors of `format`.
        """
        if isinstance(msgs, ChatRequest) and (previous := self._seen_by(msgs)) is not self:
            return previous.write(msgs)
        if self._hooks or self.max_tokens is not None:
            return drive(self._write(msgs, sync=True), f"{type(self).__name__}.format")
        messages, report = self._messages(msgs)
        formatted = self.wire.messages(messages, self.can, self.style, report)
        self._judge(report)
        return WrittenMessages(formatted, report)

    def session(self, *, sealed: bool = False) -> Session:
        """Create a session, which formats one conversation that grows. Not for two threads.

        Args:
            sealed: Whether the caller promises not to assign to a message, or to its list of
                blocks, once it was formatted.

        Returns:
            The session.
        """
        return Session(self, sealed)

    # -- AgentScope's hooks: their defaults are the wire's own way --------------------------------

    async def _format_all(self, msgs: list[Msg], report: Report) -> list[JsonObject]:
        if not self._hooks.intersection(FORMAT_HOOKS):
            return self.wire.messages(msgs, self.can, self.style, report)
        pairs = pair_calls(msgs, self.can, self.style, report)
        token = _speaking.set(tuple(dict.fromkeys(m.name for m in pairs)))
        try:
            return await super()._format_all(pairs, report)
        finally:
            _speaking.reset(token)

    def _part(self, msgs: list[Msg], style: FormatStyle) -> list[JsonObject]:
        report = current_report.get() or self._report(msgs)
        speakers = style.speakers
        if isinstance(speakers, (ByName, Tagged)) and (names := _speaking.get()):
            counted = (*speakers.known, *names)
            style = replace(style, speakers=replace(speakers, known=counted))
        return self.wire.messages(msgs, self.can, style, report)

    async def _format_system_message(self, msg: Msg) -> Any:
        """The system prompt as the wire writes it."""
        return self._part([msg], self.style)

    async def _format_tool_sequence(self, msgs: list[Msg]) -> list[JsonObject]:
        """A run of tool calls and results as the wire writes it."""
        return self._part(msgs, self.style)

    async def _format_agent_message(
        self, msgs: list[Msg], is_first: bool = True
    ) -> list[JsonObject]:
        """A run of conversation as the wire and the speakers write it."""
        style, speakers = self.style, self.style.speakers
        if isinstance(speakers, ByName) and not is_first:
            style = replace(style, speakers=replace(speakers, heading=""))
        return self._part(msgs, style)


_BOTH_WAYS = ("token_counter", "max_tokens")  # as AgentScope's classes take them


def signature(*first: Parameter) -> Signature:
    """What `help` shows for an `__init__` that takes these, and the keywords of every formatter.

    Where all of `first` are optional, counter and limit come after them and may be positional too.
    """
    this, _, *options, _ = signature_of(WireFormatter.__init__).parameters.values()
    facts = Parameter(
        "facts", Parameter.KEYWORD_ONLY, default=None, annotation="Facts | str | None"
    )
    middle = () if any(p.default is Parameter.empty for p in first) else _BOTH_WAYS
    counted = [p.replace(kind=Parameter.POSITIONAL_OR_KEYWORD) for p in options if p.name in middle]
    return Signature(
        [this, *first, *counted, facts, *(p for p in options if p.name not in middle)],
        return_annotation="None",
    )
