"""Capabilities: one frozen value for what a wire carries for one model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Literal, NamedTuple, TypeAlias

from .naming import IdRule, NameRule

MEDIA = ("image", "audio", "video", "document")
Kinds: TypeAlias = frozenset[str]


# alone: not beside a temperature
Stance: TypeAlias = Literal["takes", "alone", "ignores", "pinned", "refuses"]


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What one wire can carry for one model; without a model, what every current one accepts.

    `user`, `assistant`, `system` and `result` are the block kinds each may show; `sources` and
    `media_types` narrow media by kind (`url`, `base64`, `file`, `text` in passages; patterns like
    `image/png`), and `url_types` those that the provider fetches, as far as their type is known.
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
    file_schemes: Kinds = frozenset()  # how the ids of its files begin; empty: anyhow
    details: Kinds = frozenset()  # media kinds whose `detail` has a field
    titles: Kinds = frozenset()  # media kinds whose `title` has a field
    typed_urls: Kinds = frozenset()  # media kinds of which a URL may stand beside its media type
    # media that follow in a user turn where they can't stand, if a user may show them
    move_media: Kinds = frozenset()
    # items and tools of its protocol beyond messages, functions and thinking; a copy may take none
    native_items: bool = True
    native_tools: Kinds = frozenset({"*"})  # types of such tools that it takes; patterns
    client_items: Kinds = frozenset()  # whose it takes that clients run; empty: of `reads`
    reads: Kinds = frozenset()  # issuers whose opaque blocks and extras it understands
    claims: Kinds = frozenset()  # fields that nobody's name stands on and this wire knows
    claimed_by: Kinds = frozenset()  # issuers whose fields of those names hold; empty: `reads`
    thinking: Literal["never", "tool_turns", "all"] = "never"
    signed_thinking: bool = False
    stored_thinking: bool = False  # what has an id of the host's needs no signature
    signatures: Kinds = frozenset()  # issuers whose signatures it checks well; empty: `reads`
    redacted_thinking: bool = True  # sealed thinking too, of which nothing can be read
    sealed_text: bool = False  # what can be read of sealed thinking stands beside it
    citations: bool = False  # what the model's text leans on goes back with it
    drawings: str = ""  # the type of the item in which an image of its model's goes back
    speech_ids: Kinds = frozenset()  # issuers whose ids of what the model spoke it knows again
    empty_thinking: bool = False  # a turn that calls a tool has its thinking, empty if need be
    thinking_alone: bool = True  # a turn may hold thinking and nothing else
    thinking_last: bool = True  # a turn may end in thinking
    foreign_thinking: Literal["drop", "quote", "tags"] = "drop"
    tools: bool = True
    freeform_tools: bool = False  # tools whose calls hold text
    namespaces: bool = False  # tools in groups, whose names are told apart in each alone
    tool_messages: bool = True
    tool_choices: Kinds = frozenset({"auto", "none", "required", "tool"})
    none_by: Literal["choice", "withholding"] = "choice"  # how a model is told to call nothing
    parallel_switch: bool = False
    tool_stubs: bool = False  # calls in the history need tools declared
    strict_tools: bool = False
    tool_schema: str = "plain"  # the dialects of JSON Schema, see `schema`: of functions,
    strict_schema: str = ""  # of functions and formats that are strict (empty: any goes),
    format_schema: str = "plain"  # and of formats
    cached_tools: bool = False
    # text beside tool calls; thought: where thinking stands there too, it joins that
    call_text: Literal["keep", "drop", "thought"] = "keep"
    foreign_calls: Literal["keep", "bypass"] = "keep"  # calls without the wire's signature
    result_error: bool = False  # a tool result carries an error flag
    error_kinds: Kinds = frozenset()  # block kinds that stand beside that flag; empty: all
    result_names: bool = False  # a tool result needs the name of its tool
    system_place: Literal["message", "top"] = "message"
    system_head: Literal["run", "first"] = "run"  # which leading system messages are the prompt
    late_system: Literal["keep", "placed", "user", "reminder"] = "keep"
    blank_text: bool = True
    trailing_space: bool = True  # the assistant's last turn may end in white space
    empty_messages: bool = True
    orphans: Literal["drop", "tell"] = "drop"  # results without a call: left out, or told as text
    late_results: str = ""  # the field of calls that says that their result may come later
    gather_results: bool = False
    join_calls: bool = False  # calls stand in one turn with the assistant's words before them
    server_first: bool = False  # what a server called stands before the client's calls of a turn
    # merged: neighbours of one wire role, results the user's, are one turn; bridged: but results
    # stand alone, a turn of the assistant between them and the user's words
    alternation: Literal["free", "merged", "bridged"] = "free"
    beside_results: Kinds = (
        frozenset()
    )  # kinds and media types that share results' turn; empty: all
    # a user's documents stand beside the messages of a request, of one without functions
    apart_documents: bool = False
    lone_documents: bool = True  # a document stands without a text beside it
    first_user: bool = False
    prefill: bool = True
    needs_user: bool = False
    lone_assistant: bool = True  # the assistant's one turn may be the whole conversation
    last_system: bool = True  # the last of several messages may be the system's
    open_calls: bool = True  # a request may end in calls without results
    name_field: Literal["never", "telling", "always"] = "never"  # telling: if not the role
    cache_hints: int = 0
    cache_ttls: Kinds = frozenset()  # how long a hint may hold; empty: anyhow
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
    json_word: bool = False  # any JSON is given only where a message speaks of JSON
    options: Mapping[str, Stance] = field(default_factory=dict)
    thinks: Literal["never", "asked", "default", "always"] = "asked"
    efforts: tuple[str, ...] = ()  # least to most, without off; empty: any; ("on",): a switch
    budgets: tuple[int, ...] = ()  # fewest and most tokens of thinking; empty: it takes no budget
    # a budget is a part of the maximum, and thinking by one does not begin inside a round of tools
    budget_in_maximum: bool = False
    tools_with_thinking: Literal["yes", "default", "no"] = "yes"  # default: if no effort is named
    streamed_thinking: bool = False  # it thinks in streams only
    server_tools: Kinds = frozenset()  # kinds of tools that the provider runs itself
    server_choices: Kinds = frozenset()  # kinds of them that a choice may name
    mixed_tools: bool = True  # such tools stand beside functions
    lone_server_tools: Kinds = frozenset()  # kinds of them that do not, where others do
    binding: Literal["none", "prefix"] = "none"  # signed thinking holds behind the same history
    unbound: Literal["drop", "switch"] = "drop"  # or: the provider is told to drop it
    endpoint: str = ""  # which of a wire's endpoints serves the model
    form: str = ""  # how a wire spells what it allows in several ways, e.g. thinking
    source: str = ""  # the protocol's own reference, for what no fact says
    since: str = ""  # when that was looked up, as an ISO date

    def media(self, kind: str, media_type: str) -> bool:
        """Whether media of this type may be sent."""
        patterns = self.media_types.get(kind)
        return not patterns or any(fnmatchcase(media_type, pattern) for pattern in patterns)

    def takes_items(self, issuer: str, client: bool = False) -> bool:
        """Whether items and tools of the issuer's go along; `client`: those that clients run."""
        own = self.client_items or (self.reads if self.native_items else frozenset())
        return issuer in (self.reads if self.native_items and not client else own)


class Limits(NamedTuple):
    """How many tokens a model takes: None where nobody says.

    `context_window` holds a request and its answer together, `max_output` is the longest answer,
    its thinking included. `source` says whose figures they are.

    >>> Limits(200_000, 64_000, "").for_history()
    150000
    """

    context_window: int | None = None
    max_output: int | None = None
    source: str = ""

    def for_history(self, answer: int | None = None) -> int | None:
        """How many tokens of the window a history may have, with room for an answer.

        Args:
            answer: The room for the answer; else that of the longest one, a quarter of the window
                at most.
        """
        if self.context_window is None:
            return None
        most = self.context_window // 4
        room = min(self.max_output or most, most) if answer is None else answer
        return max(self.context_window - room, 1)
