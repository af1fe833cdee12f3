"""One exchange with a model: ChatRequest, Options, and ChatResponse with what it holds.

Pure values, the same for every provider. `Written` is what a wire makes of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeAlias

from ..errors import InvalidMessage, NotMessages
from ..jsontext import JsonObject, check
from ..losses import Loss, Report
from ..shown import Shown, shown
from .blocks import Extras
from .fields import instance, own_fields
from .heal import heal, note
from .msg import Msg
from .server_tools import ServerTool
from .tools import Tool, ToolChoice, tools_of

__all__ = [
    "Candidate",
    "ChatRequest",
    "ChatResponse",
    "Finish",
    "FinishReason",
    "Options",
    "ResponseFormat",
    "Status",
    "Usage",
    "Written",
    "messages_of",
]


@dataclass(frozen=True, slots=True, repr=False)
class Options(Shown):
    """How to generate. None leaves the provider's default; every field has one neutral name.

    `max_tokens`: tokens of the answer, reasoning included. `reasoning`: an effort such as `low`,
    or `off`. `reasoning_budget`: tokens of thinking. `stop`: texts that end the answer.
    """

    max_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    repetition_penalty: float | None = None
    seed: int | None = None
    stop: tuple[str, ...] | None = None
    n: int | None = None
    logprobs: bool | None = None
    top_logprobs: int | None = None
    reasoning: str | None = None
    reasoning_budget: int | None = None
    service_tier: str | None = None
    user: str | None = None

    def __post_init__(self) -> None:
        stop = self.stop
        if stop is not None:
            if not isinstance(stop, Iterable):
                raise InvalidMessage(
                    f"must be a list of texts, not {type(stop).__name__}",
                    path="$.options.stop",
                    code="option.value",
                )
            object.__setattr__(self, "stop", (stop,) if isinstance(stop, str) else tuple(stop))
        for name, value in self.given():
            check(value, f"$.options.{name}")
            kinds = _KINDS.get(name, (int,))
            if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
                raise InvalidMessage(
                    f"must be {' or '.join(k.__name__ for k in kinds)}, not {type(value).__name__}",
                    path=f"$.options.{name}",
                    code="option.value",
                )

    def given(self) -> list[tuple[str, Any]]:
        """The options that are set, by name."""
        return [(f.name, value) for f in _OPTIONS if (value := getattr(self, f.name)) is not None]

    @classmethod
    def of(cls, value: Options | Mapping[str, Any] | None) -> Options:
        """Options, made of a mapping if need be. Raises InvalidMessage for an unknown name."""
        if value is None:
            return _NO_OPTIONS
        if isinstance(value, Options):
            return value
        if not isinstance(value, Mapping):
            raise InvalidMessage(
                f"{type(value).__name__} is no Options", path="$.options", code="option.value"
            )
        known = {f.name for f in _OPTIONS}
        for name in value:
            if name not in known:
                raise InvalidMessage(
                    f"unknown option {shown(name)}",
                    path="$.options",
                    hint=f"one of {', '.join(sorted(known))}; others go into extras by provider",
                    code="option.name",
                )
        return cls(**value)


_KINDS: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(
        ("temperature", "top_p", "presence_penalty", "frequency_penalty", "repetition_penalty"),
        (int, float),
    ),
    **dict.fromkeys(("reasoning", "service_tier", "user"), (str,)),
    "logprobs": (bool,),
    "stop": (tuple,),
}
_OPTIONS = fields(Options)
_NO_OPTIONS = Options()


@dataclass(frozen=True, slots=True, repr=False)
class ResponseFormat(Shown):
    """What the answer must be: `text`, any `json`, or JSON of a `schema`."""

    kind: Literal["text", "json", "schema"] = "text"
    schema: JsonObject | None = None
    name: str = "response"
    description: str = ""
    strict: bool | None = None

    def __post_init__(self) -> None:
        if self.kind not in ("text", "json", "schema"):
            raise InvalidMessage(
                f"unknown kind {shown(self.kind)}", path="$.response_format", code="format.kind"
            )
        if (self.kind == "schema") != (self.schema is not None):
            raise InvalidMessage(
                "a schema belongs to the kind schema, and the kind schema needs one",
                path="$.response_format",
                code="format.kind",
            )
        check(self.schema, "$.response_format.schema")


@dataclass(slots=True, repr=False)
class ChatRequest(Shown):
    """Everything that one request says. `messages` may be appended to, cut and written again.

    `system` stands before the messages; `agent_name` is whose point of view is formatted;
    `memories` are told in the system prompt; `metadata` and `agent_name` never travel.
    """

    messages: list[Msg]
    system: str | None = field(default=None, kw_only=True)
    tools: Sequence[Tool | ServerTool] = field(default_factory=list, kw_only=True)
    tool_choice: ToolChoice | None = field(default=None, kw_only=True)
    options: Options = field(default=_NO_OPTIONS, kw_only=True)
    response_format: ResponseFormat | None = field(default=None, kw_only=True)
    model: str | None = field(default=None, kw_only=True)
    stream: bool = field(default=False, kw_only=True)
    agent_name: str | None = field(default=None, kw_only=True)
    memories: str | None = field(default=None, kw_only=True)
    metadata: dict[str, Any] | None = field(default=None, kw_only=True)
    extras: Extras | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        self.messages = messages_of(self.messages)
        self.tools = tools_of(self.tools)
        self.tool_choice = ToolChoice.of(self.tool_choice)
        self.options = Options.of(self.options)
        found: list[str] = []
        for name in ("system", "model", "agent_name", "memories"):
            value = getattr(self, name)
            if value is None:
                continue
            if not isinstance(value, str):
                raise InvalidMessage(
                    f"must be text, not {type(value).__name__}", path=f"$.{name}",
                    code="request.field",
                )  # fmt: skip
            setattr(self, name, heal(value, name, found))
        if found:
            self.extras = note(self.extras, found)
        instance(self.response_format, ResponseFormat, "$.response_format")
        instance(self.stream, bool, "$.stream")
        instance(self.metadata, dict, "$.metadata")
        own_fields(self.extras, "$.extras")


_PLAIN: frozenset[type[object]] = frozenset({Msg})


def messages_of(msgs: object) -> list[Msg]:
    """The list itself if it is one of Msg. Raises NotMessages (a WriteError and TypeError)."""
    if isinstance(msgs, (str, bytes, Mapping)) or not isinstance(msgs, Iterable):
        raise NotMessages(
            f"the input must be a list of Msg, not {type(msgs).__name__}", path="$.messages"
        )
    listed = msgs if isinstance(msgs, list) else list(msgs)
    if {*map(type, listed)} <= _PLAIN:  # one look at all, before one at each
        return listed
    for i, msg in enumerate(listed):
        if not isinstance(msg, Msg):
            raise NotMessages(
                f"expected a Msg, not {type(msg).__name__}",
                path=f"$.messages[{i}]",
                hint="Msg(name, content, role), or Msg.from_dict(...)",
            )
    return listed


FinishReason: TypeAlias = Literal[
    "stop",
    "length",
    "tool_calls",
    "content_filter",
    "refusal",
    "pause",
    "context_overflow",
    "malformed_call",
    "error",
    "other",
]
Status: TypeAlias = Literal["complete", "truncated", "interrupted", "error"]


@dataclass(frozen=True, slots=True, repr=False)
class Finish(Shown):
    """Why the model stopped, and the provider's own word for it."""

    reason: FinishReason = "stop"
    raw: str | None = None


@dataclass(slots=True, repr=False)
class Usage(Shown):
    """Tokens, disjoint: `input` without cache, `output` with reasoning. None means unknown."""

    input: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    output: int | None = None
    reasoning: int | None = None
    audio_in: int | None = None
    audio_out: int | None = None
    total: int | None = None
    extras: Extras | None = None


@dataclass(slots=True, repr=False)
class Candidate(Shown):
    """One of the answers to a request."""

    msg: Msg
    finish: Finish = field(default_factory=Finish)
    extras: Extras | None = None


@dataclass(slots=True, repr=False)
class ChatResponse(Shown):
    """An answer: its candidates, what it cost, and how the reading of it ended."""

    candidates: list[Candidate]
    usage: Usage = field(default_factory=Usage)
    status: Status = "complete"
    model: str | None = None
    id: str | None = None
    extras: Extras | None = None

    @property
    def msg(self) -> Msg:
        """The message of the first candidate."""
        return self.candidates[0].msg

    @property
    def finish(self) -> Finish:
        """Why the first candidate stopped."""
        return self.candidates[0].finish

    @property
    def text(self) -> str:
        """The text of the first candidate."""
        return self.msg.text

    @property
    def calls(self) -> list[Any]:
        """The tool calls of the first candidate, in order."""
        return self.msg.calls


@dataclass(slots=True, repr=False)
class Written(Shown):
    """A request as one provider takes it: send `body` to `path` below the base URL.

    `headers` hold what the protocol demands, never a key. `ids` maps wire ids to the tree's.
    """

    body: JsonObject
    path: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    model: str | None = None
    ids: dict[str, str] = field(default_factory=dict)
    residue: JsonObject = field(default_factory=dict)
    report: Report = field(default_factory=Report, repr=False, compare=False)
    bound: Callable[[], str] | None = field(default=None, repr=False, compare=False)

    @property
    def losses(self) -> list[Loss]:
        """What could not be said, and what was added."""
        return self.report.losses

    @property
    def added(self) -> list[Loss]:
        """What the request says and nobody wrote: headings, placeholders, required fields."""
        return self.report.added

    @property
    def prefix(self) -> str:
        """The hash of tools and messages as they were written: what an answer is bound to."""
        return self.bound() if self.bound is not None else ""

    def detached(self) -> Written:
        """The same, its losses stored as text, so that the history can be let go."""
        kept = [loss.detach() for loss in self.report.losses]
        self.report = Report.of(kept, self.report.target)
        self.bound = _Known(self.prefix) if self.bound is not None else None
        return self


@dataclass(frozen=True, slots=True)
class _Known:
    """A hash that was asked for already, so that the history can be let go."""

    value: str

    def __call__(self) -> str:
        return self.value
