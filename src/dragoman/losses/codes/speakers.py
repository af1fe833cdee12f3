"""Codes of speakers and their order: names, system messages, turns, the history."""

from __future__ import annotations

import logging

from .code import Code, added, degraded, dropped, moved

ROWS: dict[str, Code] = {
    # names
    "name.unsupported": dropped(
        "the wire has no field for the speaker's name",
        fix="To let the model know who speaks, put the names into the text:"
        ' `speakers=Tagged(me="Friday")`, or `ByName()` for one merged history.',
        asks=("name_field",),
        level=logging.DEBUG,
        weight="minor",
    ),
    "name.mapped": degraded(
        "the name was respelled as the wire requires",
        fix="Use names that the wire accepts: without white space and none of `< | \\ / >`, at"
        " most 64 characters.",
        asks=("speakers",),
        level=logging.DEBUG,
    ),
    "speaker.unnamed": dropped(
        "a medium is sent without its speaker's name",
        fix="Use `speakers=ByName()`, which writes the name before a medium (`tag_media`), or put"
        " a text of the speaker before it.",
        weight="minor",
    ),
    "history.heading": added(
        "a heading that explains the merged history",
        fix='`ByName(heading="")` leaves it out; another text replaces it, in any language.',
        level=logging.DEBUG,
    ),
    "history.frame": added(
        "tags around a run of conversation, and names before its texts",
        fix="`ByName(opening=..., closing=..., line=...)` changes the words, in any language;"
        " other `speakers` need none.",
        level=logging.DEBUG,
    ),
    "speaker.tagged": added(
        "the speaker's name before the text",
        fix="`Tagged(tag=...)` changes the words; with `me` the agent's own messages have none.",
        level=logging.DEBUG,
    ),
    "speaker.call": degraded(
        "another agent's call, or its result, is sent as text",
        fix="Nothing has to be done: for the API, a call is always the model's own. Without `me`"
        " every call stays a call; the words are `Wording.call` and `Wording.result`.",
        level=logging.DEBUG,
    ),
    "speaker.escaped": degraded(
        "a text that looks like a tag of the history or like a speaker's line got a backslash"
        " there",
        fix="Nothing has to be done: `split_history` removes it. It keeps a text from pretending"
        " to be another speaker's.",
        level=logging.INFO,
        weight="trivial",
    ),
    "speaker.later": degraded(
        "an earlier text is written differently, because a speaker appeared whose line it imitates",
        fix="Name all who will take part from the beginning, in `ByName(known=(...))` or"
        " `Tagged(known=(...))`: then earlier text stays as it was written.",
        level=logging.INFO,
    ),
    "speaker.renamed": degraded(
        "the name was respelled so that it can begin a line",
        fix="Use names without line breaks and colons that do not look like another speaker's.",
        level=logging.DEBUG,
    ),
    # system messages
    "system.late": degraded(
        "a later system message is sent as a message of the user",
        fix="Put instructions into the first message. For a host that takes later system messages:"
        ' `can={"late_system": "keep"}`.',
        asks=("late_system", "system_head"),
    ),
    "system.as_user": degraded(
        "the system prompt is sent as a message of the user",
        fix="Write the whole request (`format_request`), which has a field for the system prompt;"
        " a list of messages has none here.",
        asks=("system_place",),
        level=logging.DEBUG,
    ),
    "system.reminder": added(
        "tags around a later system message",
        fix='`Wording.reminder` is their text; `can={"late_system": "user"}` leaves them out.',
        asks=("late_system",),
    ),
    "system.alone": moved(
        "without a turn, the system prompt is sent as a message of the user",
        fix="Add a user message: a request needs a turn in addition to its system prompt.",
        asks=("system_place",),
    ),
    # turns
    "turn.first": added(
        "a user turn before the first assistant turn",
        fix="Begin the conversation with a user message. The words are `Wording.first_turn`.",
        asks=("first_user", "needs_user"),
        weight="minor",
    ),
    "turn.joined": moved(
        "text right before a tool call, or thinking before the first text, was joined with what"
        " follows",
        fix="Nothing is lost. To avoid it, put thinking, text and call into one message.",
        asks=("join_calls", "thinking_last"),
        level=logging.DEBUG,
    ),
    "turn.merged": moved(
        "a turn was joined with the one before it, because turns must alternate",
        fix="Nothing is lost. To avoid it, put consecutive messages of one side into one message.",
        asks=("alternation",),
    ),
    "turn.bridged": added(
        "a turn between two that may not follow each other",
        fix="Let the other side speak in between. The words are `Wording.bridge` and"
        " `Wording.last_turn`.",
        asks=("beside_results", "alternation"),
        weight="minor",
    ),
    "turn.last": added(
        "a user turn after the last assistant turn",
        fix="End with a user message or a tool result: this model does not continue its own turn."
        " The words are `Wording.last_turn`.",
        asks=("prefill", "needs_user"),
        weight="minor",
    ),
    # parts that are built or cut
    "prompt.tools": added(
        "a list of the tools in the system prompt",
        fix='You asked for it; `SystemPrompt(describe_tools="never")` leaves it out, and'
        " `SystemPrompt.tools_heading` is its heading.",
        weight="minor",
    ),
    "prompt.memories": added(
        "long-term memories in the system prompt",
        fix="You asked for it with `ChatRequest.memories`; `SystemPrompt.memories_opening` and"
        " `memories_closing` are the tags around them.",
        weight="minor",
    ),
    "history.cut": dropped(
        "old messages were left out to fit the budget",
        fix="Raise `max_tokens`, or cut before formatting with `fit_history`, which returns a"
        " receipt.",
        level=logging.INFO,
        weight="minor",
    ),
    "history.cleared": dropped(
        "an old tool result was left out to fit the budget; its call stays",
        fix="Raise `max_tokens`, keep more of them (`ClearToolResults(keep=...)`), or name the"
        " tool in `exclude`.",
        level=logging.INFO,
        weight="minor",
    ),
    "history.summarized": degraded(
        "an old message was replaced by a summary to fit the budget",
        fix='Raise `max_tokens`, or pin the message: `metadata={"pinned": True}`.',
        level=logging.INFO,
    ),
    "history.summary": added(
        "a summary in the place of old messages",
        fix="You asked for it with `truncate=Summarize(...)`, which also sets its words (`words`)"
        " and its speaker (`role`, `name`).",
        weight="minor",
    ),
}
