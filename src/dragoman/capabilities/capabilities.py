"""Capabilities: one frozen value for what a wire carries for one model.

The fields and their defaults; the values of each protocol are in `protocols/*/capabilities.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Literal, NamedTuple, TypeAlias

from .._old_names import OLD_VALUES, rename_value
from .name_rules import IdRule, NameRule

MEDIA = ("image", "audio", "video", "document")
Kinds: TypeAlias = frozenset[str]


# alone: not together with a temperature
Stance: TypeAlias = Literal["takes", "alone", "ignores", "pinned", "refuses"]


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What one wire can carry for one model; without a model, what every current one accepts.

    `user`, `assistant`, `system` and `result` are the block kinds that each may hold. `sources` and
    `media_types` narrow media by kind (`url`, `base64`, `file`, `text` in passages; patterns like
    `image/png`), and `url_types` narrows those that the provider fetches, if their type is known.
    """

    user: Kinds = frozenset({"text"})
    assistant: Kinds = frozenset({"text"})
    system: Kinds = frozenset({"text"})
    result: Kinds = frozenset({"text"})
    sources: Mapping[str, Kinds] = field(default_factory=dict)
    media_types: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    url_types: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # of those by URL
    schemes: Kinds = frozenset({"http", "https"})  # of URLs that the provider fetches itself
    files: Kinds = frozenset()  # issuers whose files it takes by id; empty: `reads`
    file_schemes: Kinds = frozenset()  # how the ids of its files begin; empty: any id
    details: Kinds = frozenset()  # media kinds with a field for `detail`
    titles: Kinds = frozenset()  # media kinds with a field for `title`
    typed_urls: Kinds = frozenset()  # media kinds whose URL may have a media type
    # media that move to a following user turn where they are not allowed, if a user may hold them
    move_media: Kinds = frozenset()
    # items and tools of its protocol beyond messages, functions and thinking; a copy may take none
    native_items: bool = True
    native_tools: Kinds = frozenset({"*"})  # types of such tools that it takes; patterns
    client_items: Kinds = frozenset()  # issuers of items that clients run; empty: `reads`
    reads: Kinds = frozenset()  # issuers whose opaque blocks and extras it understands
    claims: Kinds = frozenset()  # fields of no named issuer that this wire has
    claimed_by: Kinds = frozenset()  # issuers whose fields of those names count; empty: `reads`
    thinking: Literal["never", "tool_turns", "all"] = "never"
    signed_thinking: bool = False
    stored_thinking: bool = False  # thinking with an id of the host needs no signature
    signatures: Kinds = frozenset()  # issuers whose signatures it accepts; empty: `reads`
    redacted_thinking: bool = True  # also thinking that is entirely sealed
    sealed_text: bool = False  # sealed thinking has a readable text, too
    citations: bool = False  # citations go back with the model's text
    drawings: str = ""  # type of the item for an image that its model drew
    speech_ids: Kinds = frozenset()  # issuers whose ids of spoken answers it knows
    empty_thinking: bool = False  # a turn with calls must have thinking, if empty
    thinking_alone: bool = True  # a turn may hold thinking and nothing else
    thinking_last: bool = True  # a turn may end in thinking
    foreign_thinking: Literal["drop", "quote", "tags"] = "drop"
    tools: bool = True
    freeform_tools: bool = False  # tools whose calls hold text
    namespaces: bool = False  # groups of tools; a name is unique within one
    tool_messages: bool = True
    tool_choices: Kinds = frozenset({"auto", "none", "required", "tool"})
    none_by: Literal["choice", "withholding"] = "choice"  # how calls are prevented
    parallel_switch: bool = False
    tool_stubs: bool = False  # calls in the history need tools declared
    strict_tools: bool = False
    tool_schema: str = "plain"  # the dialects of JSON Schema, see `schema`: of functions,
    strict_schema: str = ""  # of strict functions and formats (empty: any),
    format_schema: str = "plain"  # and of formats
    cached_tools: bool = False
    # text beside tool calls; thought: it joins the thinking, where the turn has some
    call_text: Literal["keep", "drop", "thought"] = "keep"
    foreign_calls: Literal["keep", "bypass"] = "keep"  # calls without the wire's signature
    result_error: bool = False  # a tool result carries an error flag
    error_kinds: Kinds = frozenset()  # block kinds allowed with that flag; empty: all
    result_names: bool = False  # a tool result needs the name of its tool
    system_place: Literal["message", "top"] = "message"
    system_head: Literal["run", "first"] = "run"  # which leading system messages are the prompt
    late_system: Literal["keep", "placed", "user", "reminder"] = "keep"
    blank_text: bool = True
    trailing_space: bool = True  # the assistant's last turn may end in white space
    empty_messages: bool = True
    orphans: Literal["drop", "tell"] = "drop"  # results without a call: dropped, or text
    late_results: str = ""  # field of calls whose result may come later
    gather_results: bool = False
    join_calls: bool = False  # calls join the turn of the text before them
    server_first: bool = False  # server calls precede the client's calls in a turn
    # merged: neighbours of one wire role are one turn, and results are the user's; bridged: too,
    # but results are a turn of their own, and an assistant turn separates them from user text
    alternation: Literal["free", "merged", "bridged"] = "free"
    beside_results: Kinds = (
        frozenset()
    )  # kinds and media types that share results' turn; empty: all
    # a request takes a user's documents beside its messages, if it has no functions
    apart_documents: bool = False
    lone_documents: bool = True  # a turn may hold a document without a text
    first_user: bool = False
    prefill: bool = True
    needs_user: bool = False
    lone_assistant: bool = True  # the assistant's one turn may be the whole conversation
    last_system: bool = True  # the last of several messages may be the system's
    open_calls: bool = True  # a request may end in calls without results
    name_field: Literal["never", "telling", "always"] = "never"  # telling: if it is not the role
    cache_hints: int = 0
    cache_ttls: Kinds = frozenset()  # how long a hint may last; empty: any time
    cache_longest_first: bool = False  # no hint may outlast one before it
    cached_calls: bool = True  # a tool call may carry a hint
    cached_documents: tuple[str, ...] = ()  # media types of those that may; empty: all
    ids: IdRule = IdRule()
    tool_names: NameRule = NameRule()
    property_names: IdRule = IdRule()  # of arguments, at the root of a tool's schema
    speakers: IdRule = IdRule()
    max_tokens: int = 0  # sent where the wire demands a maximum and none is given
    context_window: int = 0  # tokens of a request and its answer together; 0: not known
    max_output: int = 0  # tokens of the longest answer, its thinking included; 0: not known
    formats: Kinds = frozenset({"text", "json", "schema"})
    json_word: bool = False  # JSON mode needs the word JSON in a message
    options: Mapping[str, Stance] = field(default_factory=dict)
    thinks: Literal["never", "on_request", "default", "always"] = "on_request"
    efforts: tuple[str, ...] = ()  # least to most, without off; empty: any; ("on",): a switch
    budgets: tuple[int, ...] = ()  # fewest and most tokens of thinking; empty: it takes no budget
    # a budget is a part of the maximum, and thinking by one does not begin inside a round of tools
    budget_in_maximum: bool = False
    tools_with_thinking: Literal["yes", "default", "no"] = "yes"  # default: if no effort is named
    streamed_thinking: bool = False  # it thinks in streams only
    server_tools: Kinds = frozenset()  # kinds of tools that the provider runs itself
    server_choices: Kinds = frozenset()  # kinds of them that a choice may name
    mixed_tools: bool = True  # such tools are allowed together with functions
    lone_server_tools: Kinds = frozenset()  # kinds of them that are not, where others are
    binding: Literal["none", "prefix"] = "none"  # signed thinking is bound to its history
    unbound: Literal["drop", "switch"] = "drop"  # switch: the provider drops it
    endpoint: str = ""  # which of a wire's endpoints serves the model
    form: str = ""  # which of a wire's forms it uses, e.g. of thinking
    source: str = ""  # the protocol's reference, where no fact decides
    since: str = ""  # when that was looked up, as an ISO date

    def __post_init__(self) -> None:
        if self.thinks in OLD_VALUES["thinks"]:
            object.__setattr__(self, "thinks", rename_value("thinks", self.thinks))

    def media(self, kind: str, media_type: str) -> bool:
        """Whether a medium may be sent.

        Args:
            kind: The kind of block, such as `image`.
            media_type: Its media type.
        """
        patterns = self.media_types.get(kind)
        return not patterns or any(fnmatchcase(media_type, pattern) for pattern in patterns)

    def takes_items(self, issuer: str, client: bool = False) -> bool:
        """Whether items and tools of an issuer may be sent.

        Args:
            issuer: The provider whose items they are.
            client: Whether they are of those that clients run.
        """
        own = self.client_items or (self.reads if self.native_items else frozenset())
        return issuer in (self.reads if self.native_items and not client else own)


class Limits(NamedTuple):
    """How many tokens a model takes; None where that is not known.

    Attributes:
        context_window: Tokens of a request and its answer together.
        max_output: Tokens of the longest answer, its thinking included.
        source: Where the figures come from.

    >>> Limits(200_000, 64_000, "").for_history()
    150000
    """

    context_window: int | None = None
    max_output: int | None = None
    source: str = ""

    def for_history(self, answer: int | None = None) -> int | None:
        """How many tokens of the window a history may take, leaving room for an answer.

        Args:
            answer: The room for the answer in tokens; by default that of the longest answer, but at
                most a quarter of the window.
        """
        if self.context_window is None:
            return None
        most = self.context_window // 4
        room = min(self.max_output or most, most) if answer is None else answer
        return max(self.context_window - room, 1)
