"""Codes of tools, their calls and their results."""

from __future__ import annotations

import logging

from .code import added, degraded, dropped, expected, moved, repaired

ROWS = (
    # calls
    degraded(
        "call.as_text",
        "a tool call is told as text",
        fix="Choose a model that takes tool calls, or drop `tool_messages` from `can` if you set"
        " it. The words are `Told.call`.",
        asks=("tool_messages",),
    ),
    moved(
        "call.role",
        "a tool call is said by the assistant, whatever the message's role",
        fix="Give the message that holds the `ToolUseBlock` the role assistant.",
    ),
    repaired(
        "call.unfinished",
        "a call that the answer broke off in, and nobody answered",
        fix="Ask the model again, or put the finished call in its place.",
    ),
    degraded(
        "call.unparsed",
        "the argument text is no JSON object and was wrapped",
        fix="Give `ToolUseBlock.input` as a dict. Text that a model wrote wrong can be mended by"
        " asking it again.",
    ),
    added(
        "call.bypass",
        "a value that stands for the signature which the call lacks",
        fix="Keep calls as this provider answered them, with its signature in `extras`. For a host"
        ' that asks for none: `can={"foreign_calls": "keep"}`.',
        asks=("foreign_calls",),
    ),
    dropped(
        "call.text_dropped",
        "text beside a tool call was left out as asked",
        fix='It was asked for; `can={"call_text": "keep"}` keeps the text.',
        asks=("call_text",),
    ),
    degraded(
        "call.text_thought",
        "text between thinking and a tool call is told as thinking",
        fix="Nothing has to be done: the model reads the words. For a host that takes all three:"
        ' `can={"call_text": "keep"}`.',
        asks=("call_text",),
    ),
    # results
    degraded(
        "result.as_text",
        "a tool result is told as text",
        fix="Choose a model that takes tool results, or drop `tool_messages` from `can` if you set"
        " it. The words are `Told.result`.",
        asks=("tool_messages",),
    ),
    added(
        "result.error_text",
        "an error result that says nothing got a text",
        fix="Say in `ToolResultBlock.output` what went wrong. The words are `Told.failed`.",
        asks=("result_error", "blank_text"),
    ),
    degraded(
        "result.error_as_text",
        "the error flag is told as text",
        fix="Nothing has to be done: the model reads it. The words are `Told.error`.",
        asks=("result_error",),
    ),
    repaired(
        "result.missing",
        "an unanswered call got an error result",
        fix="Put `Msg.tool(call.id, output)` behind each call before the conversation goes on. The"
        " words are `Told.missing`.",
    ),
    repaired(
        "result.orphan",
        "a result without its call was left out, or told as text where that was asked for",
        fix="Keep a call and its result together when you cut a history; `fit_history` does."
        ' `can={"orphans": "tell"}` has what such a result says told as text of the user.',
        asks=("orphans",),
    ),
    repaired(
        "result.duplicate",
        "a second result of one call was left out",
        fix="Keep one result for each call; several texts can be blocks of one `output`.",
    ),
    repaired(
        "result.moved",
        "a late result was moved behind its call",
        fix="Append each result right behind the message that holds its call.",
    ),
    repaired(
        "result.name",
        "the result got the name of its call",
        fix="Give `ToolResultBlock.name` the name of the call that it answers.",
        asks=("result_names",),
        level=logging.DEBUG,
    ),
    # ids and names
    repaired(
        "id.made",
        "a call without an id, or with one used before, got a new id",
        fix="Give every `ToolUseBlock` an id of its own, and its result the same one.",
        asks=("ids",),
    ),
    degraded(
        "id.mapped",
        "the id was respelled as the wire demands",
        fix="Nothing has to be done: call and result agree, and `Written.ids` maps the ids back.",
        asks=("ids",),
        level=logging.DEBUG,
    ),
    expected(
        "id.unsaid",
        "the wire has no place for the id",
        fix="Nothing has to be done: an answer's own ids go back all together or not at all, and"
        " what it says goes without them.",
    ),
    degraded(
        "tool_name.mapped",
        "the tool's name was respelled as the wire demands",
        fix="Nothing has to be done: tools, history and choice agree. Letters, digits, `_` and `-`"
        " pass everywhere.",
        asks=("tool_names",),
    ),
    # what is offered
    dropped(
        "server_tool.unsaid",
        "the wire or the model has no such server tool",
        fix="Choose a wire and a model that have it, or offer a `Tool` that does the same and"
        " carry it out yourself.",
        asks=("server_tools", "mixed_tools"),
    ),
    dropped(
        "tool.foreign",
        "a tool of one provider that no other has",
        fix="Stay with that provider, or offer a `Tool` that does the same and carry it out"
        " yourself.",
    ),
    dropped(
        "server_tool.field",
        "the provider's own tool has no place for this field",
        fix="Leave the field unset, or write the provider's own field into `ServerTool.extras`.",
        asks=("server_tools",),
    ),
    dropped(
        "tools.unsaid",
        "this model takes no tools",
        fix="Choose a model that takes tools, or have them told in the system prompt:"
        ' `prompt=SystemPrompt(describe_tools="unsupported")`.',
        asks=("tools",),
    ),
    degraded(
        "tools.withheld",
        "no call was wanted and the wire cannot say so, so no tools are offered",
        fix="Nothing has to be done. For a host that takes the choice, with the tools declared:"
        ' `can={"none_by": "choice"}`.',
        asks=("none_by", "tool_choices"),
    ),
    repaired(
        "tools.twice",
        "a second tool of one name or kind was left out",
        fix="Offer each tool once, and give every tool a name of its own: a call names no more.",
    ),
    added(
        "tools.stub",
        "tools without parameters, for the calls in the history need some that are declared",
        fix="Offer the `tools` that the history calls; `ToolChoice` none keeps the model from"
        " calling them again.",
        asks=("tool_stubs",),
    ),
    dropped(
        "tool.strict",
        "the wire has no strict switch for a tool",
        fix="Nothing has to be done, but check the arguments of calls yourself. Leave"
        " `Tool.strict` unset where it does not matter.",
        asks=("strict_tools",),
        level=logging.INFO,
    ),
    dropped(
        "tool.cache",
        "the wire has no cache hint on tools",
        fix="Leave `Tool.cache` unset for this wire: tools are cached with the prompt or not at"
        " all.",
        asks=("cached_tools",),
        level=logging.DEBUG,
    ),
)
